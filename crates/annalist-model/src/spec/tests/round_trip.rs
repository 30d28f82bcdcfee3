//! Any effective spec reads back as the spec it was written from.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use proptest::prelude::*;

use super::super::{
    ArchiveRules, BadCertificates, DigestKind, Entity, EntityKind, Event, Expression, ExtractRules,
    FetchRules, FrontierRules, JudgeRules, KnowledgeRules, Limits, Network, Order, Politeness, RelevanceKind,
    RemoteRules, RobotsPolicy, SIGNALS, ScopeKind, ScopeRules, ScorerKind, Seed, SiteOrder, SiteRules,
    SnapshotChoice, Spec, StudyRules, Topic, Update, UrlPattern, Words,
};
use crate::score::Score;
use crate::url::{CanonicalUrl, Canonicaliser};

fn a_word<W: Words + std::fmt::Debug>() -> impl Strategy<Value = W> {
    prop::sample::select(W::WORDS.iter().map(|(_, value)| *value).collect::<Vec<_>>())
}

/// Text of one line with whatever a quotation must survive.
fn text() -> impl Strategy<Value = String> {
    "[a-zé\"'\\\\ #=\\[\\]{}]{0,12}x"
}

fn duration() -> impl Strategy<Value = Duration> {
    (1u64..4_000_000_000).prop_map(Duration::from_millis)
}

fn size() -> impl Strategy<Value = u64> {
    (20u32..40, 0u64..1000).prop_map(|(shift, more)| (1 << shift) + more)
}

fn maybe<S: Strategy>(some: S) -> impl Strategy<Value = Option<S::Value>> {
    prop::option::of(some)
}

prop_compose! {
    fn seeds()(
        hosts in prop::collection::btree_set("[a-z]{1,8}", 1..4),
        scope in a_word::<ScopeKind>(), depth in maybe(any::<u16>()), pages in maybe(1u64..1_000_000), size_bytes in maybe(size()),
        time in maybe(duration()), recrawl in maybe((1_000u64..4_000_000_000).prop_map(Duration::from_millis)), score in 0f32..=1.0,
    ) -> Vec<Seed> {
        hosts.iter().map(|host| {
            let url = CanonicalUrl::parse(&format!("https://{host}.test/a?b=c")).unwrap();
            Seed { url, scope, depth, pages, size_bytes, time, recrawl, score: Score::new(score) }
        }).collect()
    }
}

prop_compose! {
    fn topic()(
        keywords in prop::collection::vec(text(), 0..3), languages in prop::collection::vec("[a-z]{2}", 0..3),
        names in prop::collection::vec(text(), 0..3), kind in maybe(a_word::<EntityKind>()),
    ) -> Topic {
        let entities = names.iter().map(|name| Entity { name: name.clone(), aliases: keywords.clone(), kind }).collect();
        Topic { keywords, references: vec!["http://a.test/".into()], languages, entities }
    }
}

prop_compose! {
    fn event()(
        day in 1i8..28, later in 0i8..2, lead in duration(), cooldown in duration(), relevance in a_word::<RelevanceKind>(),
        weight in 0f64..=1.0,
    ) -> Event {
        let from = jiff::civil::date(2010, 2, day);
        Event { from, until: jiff::civil::date(2010, 2 + later, day), lead, cooldown, relevance, weight }
    }
}

prop_compose! {
    fn scope()(
        rules in prop::collection::vec("[a-z\"'\n\t ]{0,9}x", 0..3), depth in maybe(any::<u16>()), extra_hops in 0u16..=100,
        flags in any::<[bool; 3]>(), blocked in prop::collection::vec("[a-z]{1,8}\\.[a-z]{3}", 0..3),
    ) -> ScopeRules {
        let expressions = |list: &str| rules.iter().enumerate().map(|(i, text)| Expression {
            text: text.clone(), key: format!("scope.{list}[{i}]"), line: 0,
        }).collect();
        ScopeRules {
            include: expressions("include"), exclude: expressions("exclude"),
            surts: vec!["http://(org,example,".into()],
            depth, extra_hops, embeds: flags[0], sitemaps: flags[1], blocked_sites: blocked, only_injected: flags[2],
        }
    }
}

prop_compose! {
    fn limits()(
        pages in maybe(1u64..1 << 40), size_bytes in maybe(size()), time in maybe(duration()),
        site_pages in maybe(1u64..99), site_size_bytes in maybe(size()),
    ) -> Limits {
        Limits { pages, size_bytes, time, site_pages, site_size_bytes }
    }
}

prop_compose! {
    fn politeness()(
        min_delay in duration(), more in duration(), delay_factor in 0f64..=1000.0, max_crawl_delay in duration(),
        robots in a_word::<RobotsPolicy>(),
    ) -> Politeness {
        Politeness { min_delay, max_delay: min_delay + more, delay_factor, max_crawl_delay, robots }
    }
}

prop_compose! {
    fn fetch()(
        max_size_bytes in size(), times in prop::array::uniform6(duration()), min_bytes_per_second in 0u64..1 << 30,
        max_header_bytes in 1024usize..=16 << 20, max_redirects in 0u16..=40, tries in 1u16..=100,
        bad_certificates in a_word::<BadCertificates>(), cookies in any::<bool>(),
    ) -> FetchRules {
        let [max_time, connect_timeout, idle_timeout, slow_after, retry_delay, _] = times;
        FetchRules {
            max_size_bytes, max_time, connect_timeout, idle_timeout, min_bytes_per_second, slow_after, max_header_bytes,
            max_read_bytes: max_header_bytes, max_redirects, tries, retry_delay, bad_certificates, cookies,
        }
    }
}

prop_compose! {
    fn network()(
        address in any::<IpAddr>(), length in 0u8..=32, port in any::<u16>(),
        names in prop::collection::btree_set("[a-z]{1,8}\\.test", 0..3),
    ) -> Network {
        let server = SocketAddr::new(address, port);
        Network {
            allow: vec![ipnet::IpNet::new(address, length).unwrap().trunc()],
            resolve: names.into_iter().map(|name| (name, server)).collect(),
            dns_servers: vec![server],
        }
    }
}

prop_compose! {
    fn frontier()(
        order in a_word::<Order>(), update in maybe(a_word::<Update>()), site_order in maybe(a_word::<SiteOrder>()),
        links_per_turn in 1u16..=1000, memory_bytes in (16u64 << 20)..1 << 40, visits in 1usize..=10_000,
        reading_threads in 1usize..=256,
    ) -> FrontierRules {
        FrontierRules { order, update, site_order, links_per_turn, memory_bytes, visits, reading_threads }
    }
}

prop_compose! {
    fn judge()(
        scorer in a_word::<ScorerKind>(), exploration in 0.0..=1.0, greediness in 1u32..=1_000_000, tunnel_decay in 0.0..=1.0,
        remembered_links in 1000usize..=100_000_000, spam in prop::collection::vec(text(), 0..3),
        weights in prop::sample::subsequence(&SIGNALS[..], 0..SIGNALS.len()), weight in 0.0..=100.0,
        patterns in prop::collection::vec((text(), 0.0..=1.0), 0..3),
    ) -> JudgeRules {
        let weights = weights.into_iter().map(|signal| (signal.to_owned(), weight)).collect();
        let patterns = patterns.into_iter().map(|(url, score)| UrlPattern { url, score }).collect();
        JudgeRules { scorer, exploration, greediness, tunnel_decay, remembered_links, spam, weights, patterns }
    }
}

prop_compose! {
    fn archive()(
        prefix in maybe("[a-zA-Z0-9_-]{1,20}"), roll_bytes in size(), digest in a_word::<DigestKind>(),
        compression_level in 1u8..=12,
    ) -> ArchiveRules {
        ArchiveRules { prefix, roll_bytes, digest, compression_level }
    }
}

prop_compose! {
    fn remote()(
        path in "[a-z/]{0,8}", user in text(), secret in text(), is_update in any::<bool>(), in_file in any::<bool>(),
        batch in 1usize..1000, timeout in duration(), tries in 1u16..100, retry_delay in duration(),
    ) -> RemoteRules {
        let address = Some(format!("https://store.test/{path}"));
        let (update, graph_store) = if is_update { (address, None) } else { (None, address) };
        let (secret_file, secret_env) = if in_file { (Some(format!("/{secret}")), None) } else { (None, Some(secret)) };
        RemoteRules { update, graph_store, user: Some(user), secret_env, secret_file, batch, timeout, tries, retry_delay }
    }
}

prop_compose! {
    fn knowledge()(graph in any::<bool>(), search in any::<bool>(), memory_bytes in (64u64 << 20)..1 << 40, every in duration(), remote in maybe(remote())) -> KnowledgeRules {
        KnowledgeRules { graph, search, memory_bytes, every, remote }
    }
}

prop_compose! {
    fn extract()(
        archives in prop::collection::vec(text(), 0..3), warcs in prop::collection::vec(text(), 0..2), snapshot in a_word::<SnapshotChoice>()) -> ExtractRules {
        ExtractRules { archives, warcs, snapshot }
    }
}

prop_compose! {
    fn sites()(
        names in prop::collection::btree_set("[a-z]{1,8}\\.test", 0..3), delay in duration(), factor in maybe(0f64..9.0),
        robots in maybe(a_word::<RobotsPolicy>()), pages in maybe(1u64..99), size_bytes in maybe(size()),
        depth in maybe(any::<u16>()), blocked in any::<bool>(),
    ) -> Vec<SiteRules> {
        names.into_iter().map(|site| SiteRules {
            site, min_delay: Some(delay), max_delay: Some(delay), delay_factor: factor, robots, pages, size_bytes,
            depth, blocked,
        }).collect()
    }
}

prop_compose! {
    fn specs()(
        name in "[a-zé\"' ]{0,20}x", texts in prop::array::uniform2(maybe(text())), seeds in seeds(), topic in topic(),
        event in maybe(event()), scope in scope(), limits in limits(), politeness in politeness(), fetch in fetch(),
        (network, judge, frontier, archive, knowledge, model, extract, sites) in
            (network(), judge(), frontier(), archive(), knowledge(), maybe(text()), maybe(extract()), sites()), strip in text(),
        apps in any::<bool>(), catalogue in prop::collection::vec(text(), 0..3),
    ) -> Spec {
        let [description, operator] = texts;
        Spec {
            name, contact: Some("me@a.test".into()), user_agent: Some("agent (+x)".into()), description, operator, apps,
            catalogue, seeds, topic, event, scope, limits, politeness, fetch, network, judge, frontier, archive, knowledge, extract,
            study: StudyRules { model }, canonical: Canonicaliser { strip_parameters: vec![strip], ..Canonicaliser::default() }, sites,
        }
    }
}

/// Where an expression stands is no part of what it means.
fn without_lines(mut spec: Spec) -> Spec {
    let ScopeRules { include, exclude, .. } = &mut spec.scope;
    include.iter_mut().chain(exclude).for_each(|expression| expression.line = 0);
    spec
}

proptest! {
    #[test]
    fn the_effective_spec_reads_back_the_same(spec in specs()) {
        let text = spec.to_toml();
        let parsed = super::parsed(&text);
        prop_assert_eq!(&parsed.mistakes, &[], "{}", text);
        prop_assert_eq!(parsed.spec.map(without_lines), Some(spec), "{}", text);
    }
}

#[test]
fn the_effective_spec_names_every_key() {
    let mut spec = super::spec(super::LEAST);
    spec.topic.entities.push(Entity { name: "n".into(), ..Entity::default() });
    spec.judge.patterns.push(UrlPattern { url: "*/forum/*".into(), score: 0.5 });
    spec.sites.push(SiteRules { site: "a.test".into(), ..SiteRules::default() });
    spec.extract = Some(ExtractRules::default());
    spec.knowledge.remote = Some(RemoteRules::default());
    spec.event = Some(Event {
        from: jiff::civil::date(2010, 1, 1),
        until: jiff::civil::date(2010, 1, 1),
        lead: Duration::ZERO,
        cooldown: Duration::ZERO,
        relevance: RelevanceKind::Default,
        weight: 0.5,
    });
    let text = spec.to_toml();
    for key in super::super::keys().into_iter().filter(|key| !["entity", "pattern"].contains(&key.name)) {
        let named = text.contains(&format!("{} = ", key.name))
            || text.contains(&format!("# {} is not set", key.name));
        assert!(named, "{} of {}", key.name, key.section);
    }
}
