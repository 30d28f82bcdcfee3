//! What is in scope: each rule alone, rules that meet, and that no link can upset them.

use annalist_model::spec::{Expression, ScopeKind, Seed, SiteRules, Spec};
use annalist_model::{CanonicalUrl, Hop, HopPath, Link, LinkKind, Score, SkipReason};
use proptest::prelude::*;

use super::expression::{About, Rule, Subject};
use super::{Facts, Scope, Verdict};

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn spec(seeds: &[(&str, ScopeKind)]) -> Spec {
    let mut spec = Spec::named("test");
    spec.seeds = seeds.iter().map(|(text, scope)| Seed { scope: *scope, ..Seed::new(url(text)) }).collect();
    spec
}

fn expressions(list: &str, texts: &[&str]) -> Vec<Expression> {
    let number = |(i, text): (usize, &&str)| Expression {
        text: (*text).to_owned(),
        key: format!("scope.{list}[{i}]"),
        line: 10 + i,
    };
    texts.iter().enumerate().map(number).collect()
}

/// A link to `text` after these hops from the seed of that number.
fn link_of(seed: u32, hops: &str, text: &str) -> Link {
    let start = Link::seed(url("http://start.test/"), seed);
    let clicks = hops.chars().filter(|c| !"ERP".contains(*c)).count();
    Link {
        hops: HopPath::parse(hops),
        depth: u16::try_from(clicks).unwrap(),
        ..start.child(url(text), LinkKind::Anchor, "")
    }
}

fn link(hops: &str, text: &str) -> Link {
    link_of(0, hops, text)
}

fn scope(spec: &Spec) -> Scope {
    Scope::compile(spec).unwrap()
}

fn is_in(spec: &Spec, hops: &str, text: &str) -> bool {
    scope(spec).admit(&link(hops, text), &Facts::default()).is_in()
}

fn reason(verdict: &Verdict<'_>) -> Option<SkipReason> {
    match verdict {
        Verdict::Out { reason, .. } => Some(*reason),
        Verdict::In { .. } => None,
    }
}

fn refusal(spec: &Spec, hops: &str, text: &str) -> Option<SkipReason> {
    reason(&scope(spec).admit(&link(hops, text), &Facts::default()))
}

#[test]
fn each_kind_of_scope_reaches_as_far_as_it_says() {
    let seed = "http://www.example.org/blog/index.html";
    for (text, kinds) in [
        ("http://www.example.org/blog/index.html", "page prefix host domain any"),
        ("https://www.example.org/blog/index.html", "page prefix host domain any"),
        ("http://www.example.org/blog/2010/a", "prefix host domain any"),
        ("https://www.example.org/blog/", "prefix host domain any"),
        ("http://www.example.org/blog", "host domain any"),
        ("http://www.example.org/other", "host domain any"),
        ("http://www.example.org:8080/", "domain any"),
        ("http://example.org/", "domain any"),
        ("https://forum.example.org/", "domain any"),
        ("http://example.com/", "any"),
    ] {
        for (name, kind) in [
            ("page", ScopeKind::Page),
            ("prefix", ScopeKind::Prefix),
            ("host", ScopeKind::Host),
            ("domain", ScopeKind::Domain),
            ("any", ScopeKind::Any),
            ("custom", ScopeKind::Custom),
        ] {
            let expected = kinds.split(' ').any(|k| k == name);
            assert_eq!(is_in(&spec(&[(seed, kind)]), "L", text), expected, "{name} {text}");
        }
    }
}

#[test]
fn a_port_of_its_own_is_another_place() {
    let spec = spec(&[("http://127.0.0.1:8080/", ScopeKind::Host)]);
    assert!(is_in(&spec, "L", "https://127.0.0.1:8080/a"));
    assert!(!is_in(&spec, "L", "http://127.0.0.1:8081/a"));
    assert!(!is_in(&spec, "L", "http://127.0.0.1/a"));
}

#[test]
fn a_link_into_another_seeds_scope_is_in_scope_with_its_own_seeds_depth() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Host), ("http://b.test/", ScopeKind::Host)]);
    spec.seeds[0].depth = Some(1);
    spec.seeds[1].depth = Some(5);
    let scope = scope(&spec);
    let admit = |seed, hops| scope.admit(&link_of(seed, hops, "http://b.test/x"), &Facts::default());
    assert!(admit(0, "L").is_in());
    assert_eq!(reason(&admit(0, "LL")), Some(SkipReason::TooDeep));
    assert!(admit(1, "LLLLL").is_in());
}

#[test]
fn a_seed_with_scope_any_opens_the_web_for_its_own_links_only() {
    let spec = spec(&[("http://a.test/", ScopeKind::Host), ("http://b.test/", ScopeKind::Any)]);
    let scope = scope(&spec);
    let admit = |seed| scope.admit(&link_of(seed, "L", "http://far.test/"), &Facts::default()).is_in();
    assert!(admit(1));
    assert!(!admit(0));
}

#[test]
fn a_redirected_seed_widens_its_scope_by_the_targets_host_only() {
    let spec = spec(&[("http://old.test/", ScopeKind::Domain), ("http://p.test/a/", ScopeKind::Prefix)]);
    let scope = scope(&spec);
    let admit = |hops, text| scope.admit(&link(hops, text), &Facts::default()).is_in();
    assert!(admit("R", "https://www.new.org/start"));
    assert!(!admit("RL", "https://www.new.org/page"));
    scope.widen(0, &url("https://www.new.org/start"));
    scope.widen(1, &url("https://q.test/b/index"));
    assert!(admit("RL", "https://www.new.org/page"));
    assert!(admit("RL", "http://www.new.org/page"));
    assert!(!admit("RL", "https://other.new.org/page"));
    assert!(admit("RL", "https://q.test/b/c"));
    assert!(!admit("RL", "https://q.test/c"));
}

#[test]
fn a_widened_scope_can_be_restored() {
    let spec = spec(&[("http://old.test/", ScopeKind::Host)]);
    let before = scope(&spec);
    before.widen(0, &url("http://old.test/home"));
    before.widen(0, &url("https://new.test/"));
    before.widen(0, &url("https://new.test/again"));
    before.widen(7, &url("https://no-such-seed.test/"));
    assert_eq!(before.widened(), [(0, "https://new.test/".to_owned())]);
    let after = scope(&spec);
    for (seed, target) in before.widened() {
        after.widen(seed, &url(&target));
    }
    assert!(after.admit(&link("L", "http://new.test/x"), &Facts::default()).is_in());
}

#[test]
fn a_seed_cannot_widen_its_scope_without_end() {
    let scope = scope(&spec(&[("http://old.test/", ScopeKind::Host)]));
    (0..100).for_each(|i| scope.widen(0, &url(&format!("http://h{i}.test/"))));
    assert_eq!(scope.widened().len(), 16);
}

#[test]
fn what_a_page_embeds_is_fetched_wherever_it_is() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Page)]);
    for hops in ["E", "LE", "ER", "EEE", "LEREE"] {
        assert!(is_in(&spec, hops, "http://cdn.test/i.png"), "{hops}");
    }
    assert_eq!(refusal(&spec, "EEEE", "http://cdn.test/i.png"), Some(SkipReason::OutOfScope));
    assert_eq!(refusal(&spec, "EL", "http://cdn.test/"), Some(SkipReason::OutOfScope));
    spec.scope.embeds = false;
    assert_eq!(refusal(&spec, "E", "http://cdn.test/i.png"), Some(SkipReason::OutOfScope));
    assert!(is_in(&spec, "E", "http://a.test/"));
}

#[test]
fn extra_hops_lead_so_far_beyond_the_scope_and_no_further() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Host)]);
    spec.scope.extra_hops = 2;
    let scope = scope(&spec);
    let beyond = |hops, via_beyond| match scope
        .admit(&link(hops, "http://far.test/"), &Facts { via_beyond, ..Facts::default() })
    {
        Verdict::In { beyond, .. } => Some(beyond),
        Verdict::Out { .. } => None,
    };
    assert_eq!(beyond("L", 0), Some(1));
    assert_eq!(beyond("LL", 1), Some(2));
    assert_eq!(beyond("LLL", 2), None);
    assert_eq!(beyond("LR", 0), Some(1), "a redirect out of the scope is a hop beyond it");
    assert_eq!(beyond("LLR", 2), Some(2), "a redirect costs no hop");
    assert_eq!(beyond("LLE", 2), Some(3), "an embed is fetched with its page");
    assert_eq!(beyond("LLEL", 3), None, "the links of an embed get no hops of their own");
    let back = scope.admit(&link("LLL", "http://a.test/x"), &Facts { via_beyond: 2, ..Facts::default() });
    assert!(matches!(back, Verdict::In { beyond: 0, .. }));
}

#[test]
fn holding_a_link_means_in_its_own_right() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Host)]);
    spec.scope.extra_hops = 1;
    let scope = scope(&spec);
    assert!(scope.holds(&link("L", "http://a.test/x"), &Facts::default()));
    assert!(!scope.holds(&link("L", "http://far.test/"), &Facts::default()));
    assert!(!scope.holds(&link("E", "http://far.test/"), &Facts::default()));
}

#[test]
fn an_include_rule_and_a_surt_prefix_bring_in_what_no_seed_reaches() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Page)]);
    spec.scope.include = expressions("include", &["host.endsWith('.gr') && depth <= 1"]);
    spec.scope.surts = vec!["http://(org,example,".to_owned()];
    let scope = scope(&spec);
    let why = |hops, text| match scope.admit(&link(hops, text), &Facts::default()) {
        Verdict::In { why, .. } => why.to_owned(),
        Verdict::Out { reason, .. } => reason.name().to_owned(),
    };
    assert_eq!(why("L", "http://news.gr/"), "scope.include[0]: host.endsWith('.gr') && depth <= 1");
    assert_eq!(why("LL", "http://news.gr/"), "out-of-scope");
    assert_eq!(why("LL", "https://www.example.org/"), "SURT prefix http://(org,example,");
}

#[test]
fn an_exclude_rule_keeps_out_even_a_seed_and_an_included_link() {
    let mut spec = spec(&[("http://a.test/print/", ScopeKind::Host)]);
    spec.scope.include = expressions("include", &["true"]);
    spec.scope.exclude = expressions("exclude", &["path.contains('/print/')"]);
    for (hops, text) in
        [("", "http://a.test/print/"), ("L", "http://b.test/print/x"), ("E", "http://c.test/print/i.png")]
    {
        let scope = scope(&spec);
        let verdict = scope.admit(&link(hops, text), &Facts::default());
        let detail = "scope.exclude[0]: path.contains('/print/')".into();
        assert_eq!(verdict, Verdict::Out { reason: SkipReason::Excluded, detail });
    }
    assert!(is_in(&spec, "L", "http://b.test/x"));
}

#[test]
fn a_rule_about_the_page_waits_until_the_page_is_known() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Host)]);
    spec.scope.exclude = expressions("exclude", &["language != 'el'", "depth > 3"]);
    let scope = scope(&spec);
    let seed = link("", "http://a.test/");
    assert!(scope.admit(&seed, &Facts::default()).is_in());
    let english = Facts { language: Some("en"), ..Facts::default() };
    assert_eq!(reason(&scope.follow(&seed, &english)), Some(SkipReason::Excluded));
    assert!(scope.follow(&seed, &Facts { language: Some("el"), ..Facts::default() }).is_in());
    assert!(scope.follow(&seed, &Facts::default()).is_in());
    assert!(scope.follow(&link("LLLL", "http://a.test/x"), &Facts::default()).is_in(), "not about pages");
    let from_english = scope.admit(&link("L", "http://a.test/x"), &english);
    assert_eq!(reason(&from_english), Some(SkipReason::Excluded));
}

#[test]
fn the_depth_of_a_site_comes_before_the_seeds_and_the_seeds_before_everybodys() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Any)]);
    spec.scope.depth = Some(1);
    assert_eq!(refusal(&spec, "LL", "http://x.test/"), Some(SkipReason::TooDeep));
    assert!(is_in(&spec, "LRE", "http://x.test/"), "neither redirects nor embeds are clicks");
    spec.seeds[0].depth = Some(2);
    assert!(is_in(&spec, "LL", "http://x.test/"));
    spec.sites = vec![SiteRules { site: "x.test".into(), depth: Some(0), ..SiteRules::default() }];
    assert_eq!(refusal(&spec, "L", "http://www.x.test/"), Some(SkipReason::TooDeep));
    assert!(is_in(&spec, "LL", "http://y.test/"));
}

#[test]
fn a_blocked_site_is_never_asked() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Any)]);
    spec.scope.blocked_sites = vec!["ads.test".into()];
    spec.sites = vec![SiteRules { site: "b.a.test".into(), blocked: true, ..SiteRules::default() }];
    for (hops, text) in [
        ("L", "http://ads.test/"),
        ("E", "http://img.ads.test/"),
        ("P", "http://ads.test/robots.txt"),
        ("L", "http://b.a.test/"),
    ] {
        assert_eq!(refusal(&spec, hops, text), Some(SkipReason::Blocked), "{text}");
    }
    assert!(is_in(&spec, "L", "http://c.a.test/"));
}

#[test]
fn too_many_redirects_in_a_row_are_a_loop() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Host)]);
    spec.fetch.max_redirects = 2;
    assert!(is_in(&spec, "LRR", "http://a.test/x"));
    assert_eq!(refusal(&spec, "LRRR", "http://a.test/x"), Some(SkipReason::RedirectLoop));
    assert_eq!(refusal(&spec, "RRR", "http://a.test/x"), Some(SkipReason::RedirectLoop));
}

#[test]
fn a_trap_is_left_alone_unless_it_is_a_seed() {
    let spec = spec(&[("http://a.test/xy/xy/xy/xy", ScopeKind::Host)]);
    assert_eq!(refusal(&spec, "L", "http://a.test/xy/xy/xy/xy"), Some(SkipReason::Trap));
    assert!(is_in(&spec, "", "http://a.test/xy/xy/xy/xy"));
}

#[test]
fn what_something_else_needs_is_fetched() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Page)]);
    spec.scope.exclude = expressions("exclude", &["path.contains('robots')"]);
    assert!(is_in(&spec, "P", "http://far.test/robots.txt"));
}

#[test]
fn every_mistake_in_the_expressions_is_told_with_line_and_key() {
    let mut spec = spec(&[("http://a.test/", ScopeKind::Host)]);
    spec.scope.include = expressions("include", &["true", "hots == 'a'"]);
    spec.scope.exclude = expressions("exclude", &["depth"]);
    let mistakes: Vec<String> = Scope::compile(&spec).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        mistakes,
        [
            "line 11: scope.include[1]: at character 1: unknown variable \"hots\", known are url, host, site, path, \
             query, depth, hops, via, mime, language, score",
            "line 10: scope.exclude[0]: at character 1: expected something that is true or false, found a number",
        ]
    );
}

prop_compose! {
    fn links()(
        seed in 0u32..4, hops in "[LERPMIS]{0,60}", host in "(www\\.)?[ab]\\.(test|gr)(:81)?", path in "(/[a-c]{1,3}){0,8}",
        query in "(\\?[a-z=&]{0,20})?",
    ) -> Link {
        link_of(seed, &hops, &format!("http://{host}{path}{query}"))
    }
}

prop_compose! {
    fn facts()(
        mime in prop::option::of(prop::sample::select(vec!["text/html", "application/pdf"])),
        language in prop::option::of(prop::sample::select(vec!["en", "el"])),
        score in prop::option::of(0f32..=1.0), via_beyond in prop_oneof![0u16..4, Just(u16::MAX)],
    ) -> Facts<'static> {
        Facts { via_url: Some("http://a.test/"), mime, language, score: score.map(Score::new), way: None, page: None, via_beyond, was_in_scope: false }
    }
}

const RULES: [&str; 5] = [
    "path.contains('/a')",
    "depth > 2",
    "language == 'el'",
    "score < 0.5 || mime == 'text/html'",
    "hops.endsWith('E')",
];

proptest! {
    #[test]
    fn an_excluded_link_is_never_admitted(
        link in links(), facts in facts(), rule in prop::sample::select(RULES.to_vec()), extra_hops in 0u16..3,
    ) {
        let mut spec = spec(&[("http://a.test/", ScopeKind::Any), ("http://b.gr/", ScopeKind::Domain)]);
        spec.scope.extra_hops = extra_hops;
        spec.scope.include = expressions("include", &["host.endsWith('.gr')"]);
        let free = scope(&spec);
        spec.scope.exclude = expressions("exclude", &[rule]);
        let ruled = scope(&spec);
        let holds = Rule::compile(&spec.scope.exclude[0], About::Links).unwrap().holds(&Subject { link: &link, facts: &facts });
        let verdict = ruled.admit(&link, &facts);
        if holds && link.hops.last() != Some(Hop::Prerequisite) {
            prop_assert!(!verdict.is_in());
        } else {
            prop_assert_eq!(verdict, free.admit(&link, &facts));
        }
    }
}
