//! A limit that is raised: what it kept from being fetched is fetched by the next run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::Path;
use std::time::Duration;

use annalist_testweb::WorldConfig;
use serde_json::Value;
use support::script::{Script, html, missing, spec};
use support::{Stand, annalist, assert_exit, assert_valid, captures, expected, finish, json_of, urls};

const LIMIT: Duration = Duration::from_secs(180);

fn explained(job: &Path, url: &str) -> String {
    let output = annalist().arg("explain").arg(job).arg(url).output().unwrap();
    assert_exit(&output, 0);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn sites_that_were_closed_are_open_again_when_the_limit_is_gone() {
    let stand = Stand::new(WorldConfig { hosts: 5, pages: 100, ..WorldConfig::default() });
    let output = finish(&mut stand.crawl(&stand.spec("[limits]\nsite_pages = 4\n")), LIMIT);
    assert_exit(&output, 0);
    let first = urls(&captures(&stand.job()));
    let left: Vec<String> = expected(&stand.web)
        .difference(&first)
        .filter(|url| explained(&stand.job(), url).contains("site-budget"))
        .cloned()
        .collect();
    assert!(!left.is_empty());

    let output = finish(&mut stand.crawl(&stand.spec("")), LIMIT);
    assert_exit(&output, 0);
    let json = json_of(&output);
    assert_eq!(json["skipped_by_reason"]["site-budget"].as_u64().unwrap_or(0), 0, "{json}");
    let fetched = urls(&captures(&stand.job()));
    let missed: Vec<_> = expected(&stand.web).difference(&fetched).cloned().collect();
    assert!(missed.is_empty(), "{missed:?}");
    for url in &left {
        let told = explained(&stand.job(), url);
        assert!(told.contains("captured with status") && !told.contains("site-budget"), "{told}");
    }
    assert_valid(&stand.job());
}

/// One site with a page, ten more behind it, and the sitemap that every site is asked for.
struct Small {
    server: Script,
    dir: tempfile::TempDir,
}

impl Small {
    fn new() -> Small {
        let links: String = (0..10).map(|n| format!("<a href=\"/page/{n}\">{n}</a>")).collect();
        Small::serving(Script::serve(move |path, _| match path {
            "/" => html(&links),
            _ if path.starts_with("/page/") => html(path),
            _ => missing(),
        }))
    }

    fn serving(server: Script) -> Small {
        Small { server, dir: tempfile::tempdir().unwrap() }
    }

    fn job(&self) -> std::path::PathBuf {
        self.dir.path().join("job")
    }

    /// Crawls with the limit written after some line of the spec.
    fn crawl(&self, after: &str, limit: &str) -> Value {
        let text = spec(self.server.address, "").replacen(after, &format!("{after}{limit}"), 1);
        let path = self.dir.path().join("spec.toml");
        std::fs::write(&path, text).unwrap();
        let mut command = annalist();
        command.arg("crawl").arg(&path).arg("--job").arg(self.job()).args(["--json", "--quiet"]);
        let output = finish(&mut command, LIMIT);
        assert_exit(&output, 0);
        assert_valid(&self.job());
        json_of(&output)
    }

    /// How many pages are told to be captured, and how many to be left alone for that reason.
    fn told(&self, reason: &str) -> (usize, usize) {
        let urls = (0..10).map(|n| format!("http://a.test/page/{n}"));
        let urls = urls.chain(["http://a.test/sitemap.xml".to_owned()]);
        let told: Vec<String> = urls.map(|url| explained(&self.job(), &url)).collect();
        let count = |text: &str| told.iter().filter(|told| told.contains(text)).count();
        (count("captured with status "), count(&format!("not fetched: {reason} ")))
    }
}

fn raised_step_by_step(after: &str, limit: &dyn Fn(u64) -> String, reason: &str) {
    let small = Small::new();
    assert_eq!(small.crawl(after, &limit(3))["pages"], 3);
    assert_eq!(small.told(reason), (2, 9));
    assert_eq!(small.crawl(after, &limit(3))["pages"], 3, "the limit is the same");
    let raised = small.crawl(after, &limit(7));
    assert_eq!(raised["pages"], 7, "robots.txt is no page, whichever run asked for it");
    assert_eq!((&raised["queued"], &raised["skipped_by_reason"][reason]), (&0.into(), &5.into()), "{raised}");
    assert_eq!(small.told(reason), (6, 5));
    let lowered = small.crawl(after, &limit(2));
    assert_eq!((&lowered["pages"], &lowered["queued"]), (&7.into(), &0.into()), "{lowered}");
    assert_eq!(small.told(reason), (6, 5));
    let json = small.crawl(after, "");
    assert_eq!(json["pages"], 12);
    assert_eq!(json["skipped_by_reason"][reason].as_u64().unwrap_or(0), 0, "{json}");
    assert_eq!(small.told(reason), (11, 0));
    let mut asked = small.server.paths();
    asked.retain(|path| path != "/robots.txt");
    asked.sort_unstable();
    let all = asked.len();
    asked.dedup();
    assert_eq!((all, asked.len()), (12, 12), "nothing is asked for twice");
}

#[test]
fn a_seed_with_more_pages_goes_on() {
    raised_step_by_step("url = \"http://a.test/\"\n", &|pages| format!("pages = {pages}\n"), "budget");
}

#[test]
fn a_site_with_more_pages_goes_on() {
    let limit = |pages| format!("[[site]]\nsite = \"a.test\"\npages = {pages}\n");
    raised_step_by_step("max_delay = \"0s\"\n", &limit, "site-budget");
}

#[test]
fn links_of_a_site_that_had_its_share_wait_no_more_and_are_told_of_once() {
    let small = Small::new();
    let crawl = || {
        let json = small.crawl("max_delay = \"0s\"\n", "[[site]]\nsite = \"a.test\"\npages = 3\n");
        let log = std::fs::read_to_string(small.job().join("logs/skipped.jsonl")).unwrap();
        (json["queued"].clone(), json["skipped_by_reason"]["site-budget"].clone(), log.lines().count())
    };
    let once = crawl();
    assert_eq!(once, (0.into(), 9.into(), 9));
    assert_eq!(crawl(), once, "a run that fetches nothing changes nothing");
}

#[test]
fn seeds_that_are_visited_again_do_not_wait_on_a_site_that_had_its_share() {
    let small = Small::new();
    let crawl = |pages: &str| {
        let seed = "[[seed]]\nurl = \"http://a.test/page/1\"\nrecrawl = \"1h\"\n";
        let json = small
            .crawl("max_delay = \"0s\"\n", &format!("[[site]]\nsite = \"a.test\"\npages = {pages}\n{seed}"));
        (json["pages"].clone(), json["queued"].clone())
    };
    assert_eq!(crawl("1"), (1.into(), 0.into()));
    let told = explained(&small.job(), "http://a.test/page/1");
    assert!(told.contains("site-budget"), "{told}");
    assert_eq!(crawl("1"), (1.into(), 0.into()), "a start brings nothing back");
    assert_eq!(crawl("5"), (5.into(), 0.into()));
}

#[test]
fn a_site_that_may_be_larger_goes_on() {
    let small = Small::new();
    let limit = |size: &str| format!("[[site]]\nsite = \"a.test\"\nsize = \"{size}\"\n");
    let after = "max_delay = \"0s\"\n";
    let pages = small.crawl(after, &limit("100B"))["pages"].as_u64().unwrap();
    assert!(pages < 12, "{pages}");
    assert_eq!(small.crawl(after, &limit("1MB"))["pages"], 12);
    assert_eq!(small.told("site-budget"), (11, 0));
}

#[test]
fn a_seed_that_may_be_larger_goes_on_and_one_with_a_time_has_it_anew() {
    let after = "url = \"http://a.test/\"\n";
    let small = Small::new();
    let pages = small.crawl(after, "size = \"100B\"\n")["pages"].as_u64().unwrap();
    assert!(pages < 12, "{pages}");
    assert_eq!(small.crawl(after, "size = \"1MB\"\n")["pages"], 12);
    assert_eq!(small.told("budget"), (11, 0));

    let timed = Small::new();
    assert!(timed.crawl(after, "time = \"1ms\"\n")["pages"].as_u64().unwrap() < 12);
    assert_eq!(timed.crawl(after, "time = \"1h\"\n")["pages"], 12);
    let again = Small::new();
    assert!(again.crawl(after, "time = \"1ms\"\n")["pages"].as_u64().unwrap() < 12);
    assert_eq!(again.crawl(after, "")["pages"], 12);
}

/// Pages that lead deeper and deeper, five clicks from the first.
fn chain() -> Small {
    Small::serving(Script::serve(|path, _| match path {
        "/" => html("<a href=\"/1\">1</a> <a href=\"/side\">2</a>"),
        "/side" => html("<a href=\"/2\">2</a>"),
        "/5" => html("the end"),
        "/1" | "/2" | "/3" | "/4" => {
            let next = path[1..].parse::<u32>().unwrap() + 1;
            html(&format!("<a href=\"/{next}\">on</a> <a href=\"/secret/{next}\">aside</a>"))
        }
        _ if path.starts_with("/secret/") => html("aside"),
        _ => missing(),
    }))
}

fn deepened_step_by_step(after: &str, limit: &dyn Fn(u16) -> String) {
    let chain = chain();
    let told = |path: &str| explained(&chain.job(), &format!("http://a.test{path}"));
    let too_deep = |json: &Value| json["skipped_by_reason"]["too-deep"].as_u64().unwrap_or(0);
    let asked = || chain.server.paths().into_iter().filter(|path| path.len() == 2).count();
    assert_eq!(too_deep(&chain.crawl(after, &limit(1))), 3, "two links, one of them met twice");
    assert!(
        told("/2").contains("not fetched: too-deep (2 clicks from its seed, 1 allowed)"),
        "{}",
        told("/2")
    );
    assert_eq!(too_deep(&chain.crawl(after, &limit(1))), 3);
    assert_eq!(asked(), 1, "the limit is the same");

    assert_eq!(too_deep(&chain.crawl(after, &limit(3))), 2);
    assert_eq!(asked(), 3);
    for path in ["/2", "/3", "/secret/2"] {
        assert!(
            told(path).contains("captured with status 200") && !told(path).contains("too-deep"),
            "{path}"
        );
    }
    assert!(told("/4").contains("not fetched: too-deep (4 clicks"), "{}", told("/4"));
    let events = std::fs::read_to_string(chain.job().join("logs/events.jsonl")).unwrap();
    assert!(events.contains("2 skipped links wait again"), "{events}");

    assert_eq!(too_deep(&chain.crawl(after, "")), 0);
    assert_eq!(asked(), 5);
    assert!(told("/5").contains("captured with status 200"), "{}", told("/5"));
}

#[test]
fn links_that_were_too_deep_for_all_are_followed_when_the_depth_is_raised() {
    deepened_step_by_step("max_delay = \"0s\"\n", &|depth| format!("[scope]\ndepth = {depth}\n"));
}

#[test]
fn links_that_were_too_deep_for_their_seed_are_followed_when_its_depth_is_raised() {
    deepened_step_by_step("url = \"http://a.test/\"\n", &|depth| format!("depth = {depth}\n"));
}

#[test]
fn links_that_were_too_deep_for_their_site_are_followed_when_its_depth_is_raised() {
    let limit = |depth| format!("[[site]]\nsite = \"a.test\"\ndepth = {depth}\n");
    deepened_step_by_step("max_delay = \"0s\"\n", &limit);
}

#[test]
fn a_raised_depth_brings_back_nothing_that_the_spec_excludes() {
    let chain = chain();
    let after = "max_delay = \"0s\"\n";
    chain.crawl(after, "[scope]\ndepth = 1\n");
    chain.crawl(after, "[scope]\ndepth = 3\nexclude = ['path.startsWith(\"/secret/\")']\n");
    let paths = chain.server.paths();
    assert!(paths.contains(&"/3".to_owned()), "{paths:?}");
    assert!(!paths.iter().any(|path| path.starts_with("/secret/")), "{paths:?}");
    assert!(explained(&chain.job(), "http://a.test/secret/2").contains("not fetched: too-deep"));
}
