//! Whole crawls of the test web, compared with what it knows to be true.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use annalist_testweb::{By, WorldConfig};
use support::{
    IMPATIENT, Stand, annalist, asked_again_within, assert_accepted_by_others, assert_exit, assert_valid,
    captures, expected, finish, json_of, urls,
};

const LIMIT: Duration = Duration::from_secs(180);

#[test]
fn a_crawl_fetches_every_page_there_is_and_nothing_forbidden() {
    let stand = Stand::new(WorldConfig { hosts: 12, pages: 200, ..WorldConfig::default() });
    let output = finish(&mut stand.crawl(&stand.spec(IMPATIENT)), LIMIT);
    assert_exit(&output, 0);

    let captures = captures(&stand.job());
    let fetched = urls(&captures);
    let missed: BTreeSet<_> = expected(&stand.web).difference(&fetched).cloned().collect();
    assert!(missed.is_empty(), "missed {}: {:?}", missed.len(), missed.iter().take(10).collect::<Vec<_>>());
    let forbidden: Vec<_> =
        stand.web.world().truth().forbidden_pages().filter(|page| fetched.contains(&page.url)).collect();
    assert!(forbidden.is_empty(), "forbidden by robots.txt: {forbidden:?}");
    for redirect in stand.web.world().truth().redirects() {
        assert!(fetched.contains(&redirect.url), "redirect not archived: {}", redirect.url);
    }
    for missing in stand.web.world().truth().missing() {
        let capture = captures.iter().find(|capture| capture.url == missing).unwrap();
        assert!(capture.status == "404" || capture.mime == "warc/revisit", "{capture:?}");
    }
    assert_eq!(captures.len(), fetched.len(), "something was fetched twice");
    assert_valid(&stand.job());
    assert_accepted_by_others(&stand.job());

    let json = json_of(&output);
    assert_eq!(json["captures"], captures.len());
    assert_eq!(json["queued"], 0);
}

#[test]
fn a_duplicate_is_kept_as_a_revisit_of_the_first() {
    let config = WorldConfig { hosts: 6, pages: 80, duplicates: 0.5, ..WorldConfig::default() };
    let stand = Stand::new(config);
    let output = finish(&mut stand.crawl(&stand.spec(IMPATIENT)), LIMIT);
    assert_exit(&output, 0);
    let captures = captures(&stand.job());
    let revisits = captures.iter().filter(|capture| capture.mime == "warc/revisit").count();
    let truth = stand.web.world().truth();
    let duplicates = truth.allowed_pages().filter(|page| page.duplicate_of.is_some()).count();
    assert!(duplicates > 10);
    assert!(revisits >= duplicates, "{revisits} revisits of {duplicates} duplicates");
    assert_eq!(json_of(&output)["revisits"], revisits);
    assert_valid(&stand.job());
}

#[test]
fn a_server_never_sees_two_requests_at_once_nor_one_too_soon() {
    let config = WorldConfig {
        hosts: 10,
        pages: 40,
        addresses: 3,
        crawl_delays: 0.0,
        images_per_host: 1,
        ..WorldConfig::default()
    };
    let stand = Stand::new(config);
    let spec = stand.spec(IMPATIENT);
    let text = std::fs::read_to_string(&spec).unwrap();
    let polite = text
        .replace("min_delay = \"0s\"", "min_delay = \"60ms\"")
        .replace("max_delay = \"0s\"", "max_delay = \"60ms\"");
    std::fs::write(&spec, polite).unwrap();
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    let log = stand.web.log();
    assert!(log.entries.len() > 50);
    for by in [By::Address, By::Site, By::Host] {
        assert_eq!(log.overlaps(by).len(), 0, "{by:?}");
        assert_eq!(asked_again_within(&log, by, Duration::from_millis(60)), None, "{by:?}");
    }
    // A busy server may notice the end of one connection only after the next has begun.
    assert!(stand.web.most_connections() <= 2, "{}", stand.web.most_connections());
}

#[test]
fn a_limit_of_pages_is_kept_exactly() {
    let stand = Stand::new(WorldConfig::default());
    let output = finish(stand.crawl(&stand.spec(IMPATIENT)).args(["--limit", "37"]), LIMIT);
    assert_exit(&output, 0);
    let json = json_of(&output);
    assert_eq!(json["pages"], 37);
    assert!(json["queued"].as_u64().unwrap() > 0);
    let again = finish(stand.crawl(&stand.spec(IMPATIENT)).args(["--limit", "50"]), LIMIT);
    assert_eq!(json_of(&again)["pages"], 50, "a resumed crawl goes on where it was");
    assert_valid(&stand.job());
}

#[test]
fn a_site_limit_closes_the_site_and_says_so() {
    let stand = Stand::new(WorldConfig { hosts: 5, pages: 200, ..WorldConfig::default() });
    let output = finish(&mut stand.crawl(&stand.spec("[limits]\nsite_pages = 4\n")), LIMIT);
    assert_exit(&output, 0);
    let mut by_site = std::collections::BTreeMap::<String, usize>::new();
    for capture in captures(&stand.job()) {
        let host = capture.url.split('/').nth(2).unwrap().to_owned();
        if capture.url.ends_with("/robots.txt") {
            continue;
        }
        let site: Vec<&str> = host.rsplitn(3, '.').take(2).collect();
        *by_site.entry(site.join(".")).or_default() += 1;
    }
    assert!(by_site.values().all(|pages| *pages <= 4), "{by_site:?}");
    assert!(json_of(&output)["skipped_by_reason"]["site-budget"].as_u64().unwrap() > 0);
}

#[test]
fn explain_answers_for_fetched_forbidden_and_foreign_urls() {
    let config = WorldConfig { hosts: 8, pages: 150, outside_links: 0.3, ..WorldConfig::default() };
    let stand = Stand::new(config);
    let spec = stand.spec(&format!("{IMPATIENT}[scope]\nexclude = ['path.contains(\"/missing/\")']\n"));
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    let told = |url: &str| {
        let output = annalist().arg("explain").arg(stand.job()).arg(url).output().unwrap();
        assert_exit(&output, 0);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let truth = stand.web.world().truth();
    let seed = &stand.web.world().seeds()[0];
    assert!(told(seed).contains("captured with status 200"), "{}", told(seed));
    let forbidden = truth.forbidden_pages().next().unwrap().url;
    assert!(told(&forbidden).contains("robots"), "{}", told(&forbidden));
    assert!(told(&forbidden).contains("Disallow"), "{}", told(&forbidden));
    let missing = truth.missing().next().unwrap();
    assert!(told(&missing).contains("excluded"), "{}", told(&missing));
    assert!(told("http://never-seen.test/").contains("never seen"), "{}", told("http://never-seen.test/"));

    let skipped = std::fs::read_to_string(stand.job().join("logs/skipped.jsonl")).unwrap();
    assert!(skipped.contains(&forbidden) && skipped.contains(&missing));
}

#[test]
fn seeds_can_be_added_to_a_crawl_but_not_taken_away() {
    let stand = Stand::new(WorldConfig { hosts: 6, pages: 30, ..WorldConfig::default() });
    let spec = stand.spec(IMPATIENT);
    let one = std::fs::read_to_string(&spec).unwrap();
    let hosts = stand.web.resolve_table();
    let more = format!("\n[[seed]]\nurl = \"http://{}/more\"\n\n[politeness]\n", hosts[hosts.len() - 1].0);
    let text = one.replacen("\n[politeness]\n", &more, 1);
    assert!(one.len() < text.len());
    assert_exit(&finish(stand.crawl(&spec).args(["--limit", "3"]), LIMIT), 0);
    std::fs::write(&spec, &text).unwrap();
    assert_exit(&finish(stand.crawl(&spec).args(["--limit", "6"]), LIMIT), 0);
    std::fs::write(&spec, &one).unwrap();
    let output = finish(&mut stand.crawl(&spec), LIMIT);
    assert_exit(&output, 4);
    assert!(String::from_utf8_lossy(&output.stderr).contains("scope.block"));
}
