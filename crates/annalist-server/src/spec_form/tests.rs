use super::{Values, field_of, fields, fill, in_words, read};

const SPEC: &str = r#"# my own words
name = "first"   # short
apps = false
contact = "https://a.test/"

[[seed]]
url = "https://www.example.org/"
scope = "any"          # far
depth = 3

[[seed]]
url = "https://blog.example.net/"
scope = "any"

[topic]
keywords = ["austerity", "bailout"]

[[topic.entity]]
name = "Angela"

[event]
from = 2026-09-01 # the first
until = 2026-09-30
lead = "14d"

[scope]
surts = ["http://(org,example,", "http://(com,example)/dir"]
block = ["ads.test"]
exclude = ['depth > 5']

[limits]
pages = 1_000

[judge]
greediness = 7
"#;

fn typed(pairs: &[(&str, &str)]) -> Values {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn a_form_that_nobody_changed_changes_nothing() {
    for text in [SPEC, "", "name = 'x'\nlimits = { pages = 3 }\nseed = [{ url = \"http://a.test/\" }]\n"] {
        assert_eq!(fill(text, &read(text).unwrap()).unwrap(), text);
    }
    assert!(read("name = ").is_err() && fill("[", &Values::new()).is_err());
}

#[test]
fn the_fields_hold_what_the_spec_says() {
    let values = read(SPEC).unwrap();
    let expected = [
        ("name", "first"),
        ("seeds", "https://www.example.org/\nhttps://blog.example.net/"),
        ("scope", "any"),
        ("keywords", "austerity\nbailout"),
        ("event_from", "2026-09-01"),
        ("limit_pages", "1_000"),
        ("allowed", "example.org"),
        ("blocked", "ads.test"),
        ("delay", ""),
    ];
    for (name, value) in expected {
        assert_eq!(values[name], value, "{name}");
    }
}

/// Lines of a text that are not in the other.
fn new_lines<'t>(of: &'t str, than: &str) -> Vec<&'t str> {
    of.lines().filter(|line| !line.is_empty() && !than.lines().any(|other| other == *line)).collect()
}

/// For each field alone: what it says afterwards is what was typed, and everything else is as before, comments and all.
#[test]
fn what_the_form_does_not_know_stays() {
    let tries: &[(&str, &str)] = &[
        ("name", "second \"quoted\" \\ name"),
        ("contact", ""),
        ("description", "a\nlong one"),
        ("seeds", "https://www.example.org/\nhttp://new.test/"),
        ("scope", "host"),
        ("keywords", "one\ntwo words\nä"),
        ("keywords", ""),
        ("references", "http://r.test/"),
        ("languages", "en fr"),
        ("event_from", "2026-08-01"),
        ("event_until", "soon"),
        ("limit_pages", "5"),
        ("limit_pages", "many"),
        ("limit_size", "5GB"),
        ("limit_time", "2h"),
        ("site_pages", "7"),
        ("allowed", "example.org\nwww.example.com"),
        ("allowed", ""),
        ("blocked", ""),
        ("delay", "5s"),
        ("weight_anchor", "0.5"),
        ("weight_words", "much"),
    ];
    let is_tried = |name: &&str| {
        let is_other_weight = name.starts_with("weight_");
        is_other_weight || tries.iter().any(|(tried, _)| tried == name)
    };
    let known = fields().map(|field| field.name).filter(|name| !is_tried(name));
    assert_eq!(known.collect::<Vec<_>>(), Vec::<&str>::new(), "each field is tried");
    for (name, value) in tries {
        // Sent alone, and with all the others as they were.
        let mut all = read(SPEC).unwrap();
        all.insert((*name).to_owned(), value.replace('\n', "\r\n"));
        for sent in [typed(&[(name, value)]), all] {
            let filled = fill(SPEC, &sent).unwrap();
            let (before, mut after) = (read(SPEC).unwrap(), read(&filled).unwrap());
            assert_eq!(
                after.insert((*name).to_owned(), before[*name].clone()).as_deref(),
                Some(*value),
                "{filled}"
            );
            assert_eq!(before, after, "{name}: no other field changes");
            let lost = new_lines(SPEC, &filled);
            let field = fields().find(|field| field.name == *name).unwrap();
            let own = field.key.rsplit('.').next().unwrap();
            let is_own = |line: &&str| line.starts_with(own) || *name == "seeds" || *name == "scope";
            assert!(lost.iter().all(is_own), "{name}: {lost:?}");
        }
    }
    let filled = fill(SPEC, &typed(&[("seeds", "https://www.example.org/\nhttp://new.test/")])).unwrap();
    assert_eq!(new_lines(SPEC, &filled), ["url = \"https://blog.example.net/\""]);
    assert!(
        filled.contains("depth = 3") && filled.contains("url = \"http://new.test/\"\nscope = \"any\"\n"),
        "{filled}"
    );
    let filled = fill(SPEC, &typed(&[("allowed", "")])).unwrap();
    assert!(filled.contains("surts = [\"http://(com,example)/dir\"]"), "{filled}");
    let filled = fill(SPEC, &typed(&[("event_from", ""), ("event_until", "")])).unwrap();
    assert!(!filled.contains("[event]") && !filled.contains("lead"), "{filled}");
}

#[test]
fn a_spec_is_written_from_nothing() {
    let values = [
        ("name", "x"),
        ("contact", "mailto:a@b.test"),
        ("seeds", "http://a.test/\n\n  http://b.test/ \nhttp://a.test/"),
        ("keywords", "strike"),
        ("event_from", "2026-01-01"),
        ("event_until", "2026-01-02"),
        ("limit_pages", "10"),
        ("allowed", "c.test"),
        ("delay", "1s"),
    ];
    let text = fill("", &typed(&values)).unwrap();
    let parsed = annalist_model::spec::parse(&text, &|_| Err("no files".to_owned()));
    let spec = parsed.spec.unwrap_or_else(|| panic!("{:?}\n{text}", parsed.mistakes));
    assert_eq!((spec.name.as_str(), spec.seeds.len(), spec.limits.pages), ("x", 2, Some(10)));
    assert_eq!(spec.scope.surts, ["http://(test,c,"]);
    assert!(spec.event.is_some());
}

#[test]
fn a_mistake_finds_its_field() {
    let name = |key: &str| field_of(key).map(|field| field.name);
    assert_eq!(name("limits.pages"), Some("limit_pages"));
    assert_eq!(name("seed[3].url"), Some("seeds"));
    assert_eq!(name("seed"), Some("seeds"));
    assert_eq!(name("seed[0].scope"), Some("scope"));
    assert_eq!(name("topic.keywords[1]"), Some("keywords"));
    assert_eq!(name("names"), None);
    assert_eq!(name("judge.greediness"), None);
}

#[test]
fn a_mistake_is_told_in_the_words_of_the_form() {
    let told = |name: &str, value: &str| {
        let base =
            "name = 'x'\n[[seed]]\nurl = 'http://a.test/'\n[event]\nfrom = 2026-09-02\nuntil = 2026-09-30\n";
        let text = fill(base, &typed(&[(name, value)])).unwrap();
        let parsed = annalist_model::spec::parse(&text, &|_| Err("no files".to_owned()));
        let mistake = parsed.mistakes.first().unwrap_or_else(|| panic!("{text}"));
        in_words(field_of(&mistake.key).unwrap(), &mistake.message)
    };
    for (name, value, words) in [
        ("event_from", "soon", "expected a day such as 2026-09-01, found \"soon\""),
        ("event_until", "2026-09-01", "expected a day not before 2026-09-02, found 2026-09-01"),
        ("allowed", "a b", "expected the name of a site such as example.org, found \"a b\""),
        (
            "limit_time",
            "2 hours",
            "expected a duration such as 500ms, 2s, 12h or 30d, at least 1ms, found \"2 hours\"",
        ),
        ("limit_pages", "many", "expected a whole number of at least 1, found \"many\""),
    ] {
        assert_eq!(told(name, value), words, "{name}");
    }
}

#[test]
fn every_signal_has_a_field_for_its_weight() {
    let weighed: Vec<String> =
        annalist_model::spec::SIGNALS.iter().map(|signal| format!("judge.weights.{signal}")).collect();
    let keys: Vec<&str> = fields().map(|field| field.key).filter(|key| key.contains("weights")).collect();
    assert_eq!(keys, weighed);
    for text in [
        "",
        "[judge]\ngreediness = 7\n",
        "[judge]\nweights = { site = 0.0 }\n",
        "[judge.weights]\nsite = 0.0\n",
    ] {
        let filled =
            fill(text, &typed(&[("weight_anchor", "0.5"), ("weight_page", "2"), ("weight_site", "")]))
                .unwrap();
        let values = read(&filled).unwrap();
        let of = |name: &str| values[name].clone();
        assert_eq!(
            [of("weight_anchor"), of("weight_page"), of("weight_site")],
            ["0.5", "2.0", ""],
            "{filled}"
        );
        let full = format!("name = 'x'\n{filled}\n[[seed]]\nurl = 'http://a.test/'\n");
        let parsed = annalist_model::spec::parse(&full, &|_| Err("no files".to_owned()));
        let spec = parsed.spec.unwrap_or_else(|| panic!("{:?}\n{full}", parsed.mistakes));
        assert_eq!(spec.judge.weights, [("anchor".to_owned(), 0.5), ("page".to_owned(), 2.0)], "{filled}");
    }
    let wrong = fill("", &typed(&[("weight_site", "")])).unwrap();
    assert_eq!(wrong, "", "nothing is written for nothing");
    assert_eq!(field_of("judge.weights.site").map(|field| field.name), Some("weight_site"));
    assert_eq!(field_of("judge.weights").map(|field| field.name), Some("weight_siblings"));
}
