//! Whole specs: what is read, what is refused and how it is said, and that the effective spec reads back the same.

mod mistakes;
mod round_trip;
mod seeds;

use super::{Order, Parsed, RelevanceKind, RobotsPolicy, ScopeKind, Spec, parse};
use std::time::Duration;

/// What every spec needs, and nothing else.
const LEAST: &str = "name = \"test\"\n[[seed]]\nurl = \"http://127.0.0.1/\"\n";

fn no_files(name: &str) -> Result<String, String> {
    Err(format!("there is no {name}"))
}

fn parsed(text: &str) -> Parsed {
    parse(text, &no_files)
}

fn spec(text: &str) -> Spec {
    let parsed = parsed(text);
    assert_eq!(parsed.mistakes, []);
    parsed.spec.unwrap()
}

/// The mistakes as a user reads them.
fn mistakes(text: &str) -> Vec<String> {
    let parsed = parsed(text);
    assert_eq!(parsed.spec.is_none(), !parsed.mistakes.is_empty());
    parsed.mistakes.iter().map(ToString::to_string).collect()
}

#[test]
fn the_example_of_the_design_is_read() {
    let text = r#"
name = "euro-crisis"
contact = "https://library.example/crawler"

[[seed]]
url = "https://www.example.org/"
scope = "host"
[[seed]]
file = "more-seeds.txt"

[topic]
keywords = ["austerity", "bailout"]
references = ["https://www.example.org/overview", "refs/one.txt"]
languages = ["en", "el"]
[[topic.entity]]
name = "Antonis Samaras"
aliases = ["Samaras"]

[event]
from = 2009-10-01
until = 2012-06-30
lead = "30d"
cooldown = "1y"
relevance = "mean"
weight = 0.25

[scope]
include = ['host.endsWith(".gr") && depth <= 4']
exclude = ['path.contains("/print/")']

[limits]
pages = 10000
size = "50GB"
time = "12h"
site_pages = 500

[politeness]
min_delay = "2s"
max_delay = "30s"
delay_factor = 5.0
robots = "obey"

[network]
allow = ["127.0.0.0/8"]
[network.resolve]
"blog.test" = "127.0.0.2:8080"
"#;
    let files = |name: &str| match name {
        "more-seeds.txt" => Ok("example.com\tscope=domain\tdepth=3\n".to_owned()),
        "refs/one.txt" => Ok("words".to_owned()),
        other => Err(format!("there is no {other}")),
    };
    let parsed = parse(text, &files);
    assert_eq!(parsed.mistakes, vec![]);
    let warned: Vec<_> = parsed.warnings.iter().map(|warning| warning.key.as_str()).collect();
    assert_eq!(warned, ["contact"], "it is that of an example");
    let spec = parsed.spec.unwrap();
    assert_eq!(spec.seeds[1].url.as_str(), "http://example.com/");
    assert_eq!((spec.seeds[1].scope, spec.seeds[1].depth), (ScopeKind::Domain, Some(3)));
    assert_eq!(spec.topic.entities[0].aliases, ["Samaras"]);
    assert_eq!(spec.event.as_ref().unwrap().until, jiff::civil::date(2012, 6, 30));
    assert_eq!(
        spec.event.as_ref().map(|event| (event.relevance, event.weight)),
        Some((RelevanceKind::Mean, 0.25))
    );
    assert_eq!(spec.scope.include[0].key, "scope.include[0]");
    assert_eq!(spec.scope.include[0].line, 28);
    assert_eq!(spec.limits.size_bytes, Some(50_000_000_000));
    assert_eq!(spec.politeness.min_delay, Duration::from_secs(2));
    assert_eq!(spec.network.resolve[0].0, "blog.test");
}

#[test]
fn every_section_fills_its_rules() {
    let spec = spec(&format!(
        "{LEAST}[fetch]\nmax_size = 4096\nmin_speed = \"1kB\"\ntries = 2\n[frontier]\norder = \"breadth-first\"\n\
         visits = 7\n[archive]\nprefix = \"P\"\ncompression = 12\n[canonical]\nsort_query = true\n\
         [[site]]\nsite = \"Example.ORG\"\nrobots = \"ignore\"\nblocked = true\n"
    ));
    assert_eq!(
        (spec.fetch.max_size_bytes, spec.fetch.min_bytes_per_second, spec.fetch.tries),
        (4096, 1000, 2)
    );
    assert_eq!((spec.frontier.order, spec.frontier.visits), (Order::BreadthFirst, 7));
    assert_eq!((spec.file_prefix().as_str(), spec.archive.compression_level), ("P", 12));
    assert!(spec.canonical.sort_query);
    assert_eq!(spec.sites[0].site, "example.org");
    assert_eq!(spec.sites[0].robots, Some(RobotsPolicy::Ignore));
    assert!(spec.sites[0].blocked);
}

#[test]
fn one_delay_alone_takes_the_other_with_it() {
    let delays = |lines: &str| {
        let politeness = spec(&format!("{LEAST}[politeness]\n{lines}")).politeness;
        (politeness.min_delay.as_secs(), politeness.max_delay.as_secs())
    };
    assert_eq!(delays("min_delay = \"60s\""), (60, 60));
    assert_eq!(delays("max_delay = \"1s\""), (1, 1));
    assert_eq!(delays("min_delay = \"0s\""), (0, 30));
}

#[test]
fn one_delay_of_a_site_takes_the_other_with_it() {
    let delays = |lines: &str| {
        let site = spec(&format!("{LEAST}[[site]]\nsite = \"a.test\"\n{lines}")).sites[0].clone();
        (site.min_delay.map(|d| d.as_secs()), site.max_delay.map(|d| d.as_secs()))
    };
    assert_eq!(delays("min_delay = \"60s\""), (Some(60), Some(60)));
    assert_eq!(delays("max_delay = \"1s\""), (Some(1), Some(1)));
    assert_eq!(delays("min_delay = \"5s\""), (Some(5), None));
}

#[test]
fn a_crawl_of_the_live_web_needs_a_contact() {
    let needs = |seed: &str, rest: &str| {
        spec(&format!("name = \"t\"\n{rest}\n[[seed]]\nurl = \"{seed}\"\n")).needs_contact()
    };
    assert!(needs("https://example.org/", ""));
    assert!(needs("http://10.0.0.1/", ""));
    assert!(needs("http://blog.test/", "network.resolve = { \"blog.test\" = \"93.184.216.34:80\" }"));
    assert!(!needs("https://example.org/", "contact = \"crawler@example.org\""));
    assert!(!needs("http://127.0.0.1:8080/", ""));
    assert!(!needs("http://[::1]/", ""));
    assert!(!needs("http://10.0.0.1/", "network.allow = [\"10.0.0.0/8\"]"));
    assert!(!needs("http://blog.test/", "network.resolve = { \"Blog.test\" = \"127.0.0.2:80\" }"));
}

#[test]
fn a_contact_that_is_an_example_is_none_for_the_live_web() {
    let stands_in = |seed: &str, rest: &str| {
        spec(&format!("name = \"t\"\n{rest}\n[[seed]]\nurl = \"{seed}\"\n")).has_example_contact()
    };
    let example = "contact = \"https://library.example/crawler\"";
    assert!(stands_in("https://www.bl.uk/", example));
    assert!(stands_in("https://example.org/", "contact = \"crawler@example.org\""));
    assert!(!stands_in("https://www.bl.uk/", "contact = \"https://www.kb.nl/crawler\""));
    assert!(!stands_in("https://www.bl.uk/", ""), "none at all is another matter");
    // Who asks nobody but their own machines may call themselves what they like.
    let own = "network.allow = [\"10.0.0.0/8\"]";
    for seed in ["http://127.0.0.1:8080/", "http://10.0.0.1/", "http://blog.test/"] {
        assert!(!stands_in(seed, &format!("{example}\n{own}")), "{seed}");
    }
    let asked = spec(&format!("name = \"t\"\n{example}\n{own}\n[[seed]]\nurl = \"http://a.test/\"\n"));
    assert!(asked.is_answerable_to("a.test") && asked.is_answerable_to("10.1.1.1"));
    assert!(!asked.is_answerable_to("www.bl.uk"));
    let warned =
        parsed(&format!("name = \"t\"\n{example}\n[[seed]]\nurl = \"https://www.bl.uk/\"\n")).warnings;
    assert_eq!((warned.len(), warned[0].key.as_str(), warned[0].line), (1, "contact", 2));
}

#[test]
fn what_is_allowed_but_hardly_meant_is_a_warning() {
    let text = "name = \"t\"\n[[seed]]\nurl = \"https://example.org/\"\n[politeness]\nrobots = \"ignore\"\n";
    let keys: Vec<String> = parsed(text).warnings.into_iter().map(|w| w.key).collect();
    assert_eq!(keys, ["contact", "politeness.robots"]);
    assert!(parsed(text).spec.is_some());
}

#[test]
fn a_collection_name_becomes_a_file_name() {
    let named = |name: &str| spec(&LEAST.replace("\"test\"", &format!("\"{name}\"")));
    assert_eq!(named("Euro crisis: 2010_b").file_prefix(), "Euro-crisis--2010_b");
    assert_ne!(named("Ελλάδα").file_prefix(), named("Κύπρος").file_prefix());
    assert!(named("Ελλάδα").file_prefix().is_ascii());
    assert_eq!(named("Ελλάδα").folder_name(), "Ελλάδα");
}

#[test]
fn limits_of_pages_are_those_of_a_whole_site() {
    let text = format!("{LEAST}\n[[site]]\nsite = \"blog.example.org\"\npages = 3\n");
    let mistakes = parsed(&text).mistakes;
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    assert!(mistakes[0].message.contains("write them for example.org"));
}

#[test]
fn a_collection_out_of_an_archive_goes_anywhere_and_may_begin_with_its_references() {
    let seeded = format!("{LEAST}[extract]\nsnapshot = \"all\"\n");
    let extract = spec(&seeded);
    assert_eq!(extract.seeds[0].scope, ScopeKind::Any);
    assert_eq!(extract.extract.unwrap().snapshot, super::SnapshotChoice::All);
    assert_eq!(spec(LEAST).seeds[0].scope, ScopeKind::Host);
    let said = seeded.replace("[extract]", "scope = \"host\"\n[extract]");
    assert_eq!(spec(&said).seeds[0].scope, ScopeKind::Host);

    let unseeded = "name = \"x\"\n[topic]\nreferences = [\"http://a.test/\"]\n";
    assert!(super::parse_extract(unseeded, &no_files).spec.is_some());
    assert!(parsed(unseeded).spec.is_none(), "a crawl needs seeds");
    let nothing = super::parse_extract("name = \"x\"\n", &no_files).mistakes;
    assert_eq!(nothing.len(), 1, "{nothing:?}");
}

#[test]
fn the_last_day_of_an_event_belongs_to_it_as_a_whole() {
    let event = format!("{LEAST}[event]\nfrom = 2010-05-01\nuntil = 2010-05-02\n");
    let event = spec(&event).event.unwrap();
    assert_eq!(event.begins().rfc3339(), "2010-05-01T00:00:00.000Z");
    assert_eq!(event.ends().rfc3339(), "2010-05-02T23:59:59.999Z");
}
