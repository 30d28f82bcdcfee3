//! Seeds in the spec and in files, and mistakes in either.

use super::super::{ScopeKind, Seed, parse, parse_seed_file};
use crate::score::Score;
use crate::url::{CanonicalUrl, Canonicaliser};

fn with_file(spec: &str, file: &'static str) -> super::Parsed {
    parse(spec, &move |name| {
        if name == "seeds.txt" { Ok(file.to_owned()) } else { Err("not there".to_owned()) }
    })
}

const FILE_SPEC: &str = "name = \"t\"\n[[seed]]\nfile = \"seeds.txt\"\nscope = \"domain\"\npages = 9\n";

#[test]
fn a_file_of_seeds_is_read_line_by_line() {
    let text = "\u{feff}# ours\n\nwww.example.org/#top  # the portal\nhttps://a.test/x\tscope=page\tdepth=2\tscore=0.5\r\nb.test:8080/\tpages=7\tsize=2MB\ttime=6h\trecrawl=1d\n";
    let seeds = with_file(FILE_SPEC, text).spec.unwrap().seeds;
    let urls: Vec<&str> = seeds.iter().map(|s| s.url.as_str()).collect();
    assert_eq!(urls, ["http://www.example.org/", "https://a.test/x", "http://b.test:8080/"]);
    assert_eq!((seeds[0].scope, seeds[0].pages), (ScopeKind::Domain, Some(9)));
    assert_eq!((seeds[1].scope, seeds[1].depth, seeds[1].score.get()), (ScopeKind::Page, Some(2), 0.5));
    assert_eq!((seeds[2].pages, seeds[2].size_bytes), (Some(7), Some(2_000_000)));
    let hours = |hours: u64| Some(std::time::Duration::from_secs(hours * 3600));
    assert_eq!((seeds[2].time, seeds[2].recrawl), (hours(6), hours(24)));
}

#[test]
fn mistakes_in_a_file_of_seeds_name_file_and_line() {
    let text = "http://a.test/\nmailto:me@a.test\nb.test\tdept=3\tscore=2\nc.test depth=1\n";
    let found: Vec<String> = with_file(FILE_SPEC, text).mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "line 3: seed[0].file: seeds.txt, line 2: expected a URL, found \"mailto:me@a.test\": scheme \"mailto\" \
             cannot be crawled, only http and https",
            "line 3: seed[0].file: seeds.txt, line 3: unknown setting \"dept\", did you mean \"depth\"?",
            "line 3: seed[0].file: seeds.txt, line 3: score: expected a number from 0 to 1, found \"2\"",
            "line 3: seed[0].file: seeds.txt, line 4: expected a URL, then settings after a tab, found \"c.test \
             depth=1\"",
        ]
    );
}

#[test]
fn a_file_that_cannot_be_read_is_a_mistake() {
    let found = parse(FILE_SPEC, &|_| Err("not there".to_owned())).mistakes;
    assert_eq!(found[0].to_string(), "line 3: seed[0].file: seeds.txt: not there");
    assert_eq!(found.len(), 1);
}

#[test]
fn a_seed_has_one_place() {
    let twice = "name = \"t\"\n[[seed]]\nurl = \"a.test\"\n[[seed]]\nurl = \"HTTP://A.test:80/#x\"\n";
    assert_eq!(super::mistakes(twice), ["line 5: seed[1].url: http://a.test/ is a seed already, in line 3"]);
    let both = "name = \"t\"\n[[seed]]\nurl = \"a.test\"\nfile = \"f\"\n[[seed]]\ndepth = 1\n";
    assert_eq!(
        super::mistakes(both),
        [
            "line 4: seed[0].file: a seed has either url or file, not both",
            "line 5: seed[1].url: missing: a seed needs url or file"
        ]
    );
}

#[test]
fn a_file_may_repeat_a_seed_but_not_contradict_it() {
    let repeated = with_file(FILE_SPEC, "a.test\na.test\n");
    assert_eq!(repeated.spec.unwrap().seeds.len(), 1);
    assert!(repeated.warnings.iter().any(|w| w.message.contains("is a seed already, in seeds.txt line 1")));
    let contradicted = with_file(FILE_SPEC, "a.test\na.test\tdepth=3\n");
    assert!(contradicted.mistakes[0].message.ends_with("with other settings"));
}

#[test]
fn the_rules_for_urls_hold_for_seeds_too() {
    let spec = "name = \"t\"\n[[seed]]\nurl = \"http://a.test/?b=2&a=1\"\n[canonical]\nsort_query = true\n";
    assert_eq!(super::spec(spec).seeds[0].url.as_str(), "http://a.test/?a=1&b=2");
}

#[test]
fn a_file_of_seeds_can_be_read_without_a_spec() {
    let shared = Seed { depth: Some(4), ..Seed::new(CanonicalUrl::parse("http://none.test/").unwrap()) };
    let file = parse_seed_file("a.test\nb.test\tdepth=1\n", &shared, &Canonicaliser::default());
    let depths: Vec<Option<u16>> = file.seeds.iter().map(|(_, s)| s.depth).collect();
    assert_eq!(depths, [Some(4), Some(1)]);
    assert_eq!(file.seeds[0].1.score, Score::ONE);
    let bad = parse_seed_file("http://\n", &shared, &Canonicaliser::default());
    assert_eq!((bad.seeds.len(), bad.mistakes[0].line), (0, 1));
}

#[test]
fn a_misspelt_scheme_is_a_mistake_and_no_host() {
    for (text, good) in
        [("ht!tp://a.test/", false), ("1http://a.test/", false), ("a.test/?from=http://b.test/", true)]
    {
        let parsed = parse(&format!("name = \"t\"\n[[seed]]\nurl = \"{text}\"\n"), &|_| Err(String::new()));
        assert_eq!(parsed.mistakes.is_empty(), good, "{text}: {:?}", parsed.mistakes);
    }
}
