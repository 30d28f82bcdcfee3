//! From a crawl to the final collection: rules, decisions, a review list, what is learned from it, and the export of what is
//! kept. The test web knows which pages a person would keep.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use annalist_testweb::{PageTruth, WorldConfig};
use annalist_warc::WarcFile;
use serde_json::Value;
use support::{IMPATIENT, Stand, annalist, assert_exit, files_in, finish, json_of};

const LIMIT: Duration = Duration::from_secs(180);

/// A web of several topics, of which the crawl knows the first and fetches all.
fn crawled(pages: usize) -> Stand {
    let config = WorldConfig {
        hosts: 12,
        pages,
        topics: 4,
        images_per_host: 1,
        crawl_delays: 0.0,
        ..WorldConfig::default()
    };
    let stand = Stand::new(config);
    let about: Vec<String> = stand.web.world().truth().relevant(0).map(|page| page.url).take(4).collect();
    let more =
        format!("[topic]\nreferences = {about:?}\n[knowledge]\ngraph = false\nsearch = false\n{IMPATIENT}");
    assert_exit(&finish(&mut stand.crawl(&stand.helped_spec(&more)), LIMIT), 0);
    stand
}

fn select(job: &Path, args: &[&str]) -> Output {
    finish(annalist().arg("select").arg(job).args(args).args(["--json", "--quiet"]), LIMIT)
}

fn selected(job: &Path, args: &[&str]) -> Value {
    let output = select(job, args);
    assert_exit(&output, 0);
    json_of(&output)
}

/// What is proposed for a page.
#[derive(Clone, Debug)]
struct Proposed {
    verdict: String,
    probability: f64,
    basis: String,
}

fn proposed(job: &Path) -> BTreeMap<String, Proposed> {
    // More than a pipe holds.
    let output = annalist().arg("select").arg(job).args(["--list", "--quiet"]).output().unwrap();
    assert_exit(&output, 0);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let rows = lines.filter(|cells| cells.len() == 5);
    rows.map(|cells| {
        let proposed = Proposed {
            verdict: cells[0].to_owned(),
            probability: cells[1].parse().unwrap(),
            basis: cells[2].to_owned(),
        };
        (cells[3].to_owned(), proposed)
    })
    .collect()
}

/// Pages that somebody who cares for a topic keeps.
fn wanted(stand: &Stand, topic: usize) -> BTreeSet<String> {
    let truth = stand.web.world().truth();
    let is_wanted = |page: &PageTruth| page.kind.is_content() && page.topic == topic;
    truth.pages().filter(is_wanted).map(|page| page.url).collect()
}

/// The share of pages that are proposed as that person would decide: of all, and of those that are not decided.
fn agreement(job: &Path, wanted: &BTreeSet<String>) -> (f64, f64) {
    let all = proposed(job);
    let share = |is_meant: &dyn Fn(&Proposed) -> bool| {
        let meant: Vec<_> = all.iter().filter(|(_, proposed)| is_meant(proposed)).collect();
        let is_right = |(url, proposed): &&(&String, &Proposed)| {
            (proposed.probability >= 0.5) == wanted.contains(url.as_str())
        };
        meant.iter().filter(is_right).count() as f64 / meant.len() as f64
    };
    (share(&|_| true), share(&|proposed| proposed.basis != "decision"))
}

/// Fills in a review list as that person would, in the way spreadsheets save it.
fn reviewed(job: &Path, wanted: &BTreeSet<String>, rows: usize, number: usize) -> usize {
    let sheet = job.join(format!("review-{number}.tsv"));
    selected(job, &["--review", sheet.to_str().unwrap(), "--limit", &rows.to_string()]);
    let text = std::fs::read_to_string(&sheet).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    let mut edited = format!("\u{feff}{}\r\n", lines.next().unwrap());
    for line in lines {
        let url = line.split('\t').nth(1).unwrap();
        let word = if wanted.contains(url) { "keep" } else { "Drop" };
        edited.push_str(&format!("{word}{line}\r\n"));
    }
    std::fs::write(&sheet, edited).unwrap();
    let told = selected(job, &["--decisions", sheet.to_str().unwrap(), "--by", "ann"]);
    usize::try_from(told["taken"].as_u64().unwrap()).unwrap()
}

#[test]
fn how_far_the_reading_is_has_a_name_and_an_end() {
    let stand = crawled(30);
    // A line for every step.
    let told = annalist().env("ANNALIST_PROGRESS", "0").arg("select").arg(stand.job()).output().unwrap();
    assert_exit(&told, 0);
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    let lines: Vec<&str> = told.lines().filter(|line| line.ends_with(" %)")).collect();
    let is_good = |line: &&str| line.starts_with("reading the archive: ") && !line.contains(" of 0 B");
    assert!(!lines.is_empty() && lines.iter().all(is_good), "{told}");
}

#[test]
fn decisions_from_the_review_list_bring_the_proposal_near_to_what_the_person_wants() {
    let stand = crawled(600);
    let job = stand.job();
    // Topic 0 is the crawl's; what the crawl calls relevant says little about another.
    for (topic, is_the_crawls) in [(0, true), (1, false)] {
        let wanted = wanted(&stand, topic);
        let _ = std::fs::remove_file(job.join("selection.jsonl"));
        let before = agreement(&job, &wanted);
        let (mut decided, mut rounds) = (0, 0);
        let mut after = Vec::new();
        for goal in [20, 50, 100] {
            while decided < goal {
                rounds += 1;
                decided += reviewed(&job, &wanted, 10.min(goal - decided), 1000 * topic + rounds);
            }
            assert_eq!(decided, goal);
            after.push(agreement(&job, &wanted));
        }
        let count = proposed(&job).len();
        println!(
            "{} of {count} pages wanted, by relevance alone {:.3}; after 20, 50, 100 decisions {:.3?}, of pages not decided {:.3?}",
            wanted.len(),
            before.0,
            after.iter().map(|after| after.0).collect::<Vec<_>>(),
            after.iter().map(|after| after.1).collect::<Vec<_>>(),
        );
        assert!(after.iter().all(|after| after.0 >= before.0), "{before:?} {after:?}");
        if !is_the_crawls {
            assert!(after[1].0 > before.0 + 0.05, "{before:?} {after:?}");
        }
        assert!(after[2].1 > 0.9, "{before:?} {after:?}");
    }
}

/// The addresses of captures, and of what they refer to, in the WARC files of a folder.
fn captured(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files_in(&folder.join("archive"), ".warc.gz") {
        let file = WarcFile::all_of(&path).unwrap().remove(0);
        let mut reader = file.open().unwrap().records_at(0);
        while let Some(record) = reader.next_record().unwrap() {
            if let ("response" | "revisit" | "metadata", Some(url)) =
                (record.kind(), record.fields.get("WARC-Target-URI"))
            {
                found.entry(record.kind().to_owned()).or_default().push(url.to_owned());
                let refers_to = record.fields.get("WARC-Refers-To-Target-URI").map(str::to_owned);
                found.entry("referred".to_owned()).or_default().extend(refers_to);
            }
        }
    }
    found
}

#[test]
fn rules_and_decisions_are_kept_and_the_export_has_exactly_what_is_kept() {
    let stand = crawled(120);
    let job = stand.job();
    let all = proposed(&job);
    let of = |verdict: &'static str| {
        all.iter().filter(move |(_, one)| one.verdict == verdict).map(|(url, _)| url.as_str())
    };
    let counts = selected(&job, &[]);
    assert_eq!(counts["pages"], all.len());
    assert_eq!(counts["keep"], of("keep").count());
    assert!(
        all.len() > 100 && counts["keep"].as_u64() > Some(0) && counts["drop"].as_u64() > Some(0),
        "{counts}"
    );

    // A rule, kept for the next time; one that is wrong is told and changes nothing.
    let host = stand.web.world().truth().relevant(0).next().unwrap().host;
    let rule = format!("host == \"{host}\" && words >= 5");
    selected(&job, &["--keep", &rule, "--drop", "level == \"thread\""]);
    assert_exit(&select(&job, &["--keep", "colour == 3"]), 4);
    let ruled = proposed(&job);
    assert!(ruled.values().any(|one| one.basis == "rule" && one.verdict == "keep"), "{ruled:?}");
    assert!(ruled.values().any(|one| one.basis == "rule" && one.verdict == "drop"), "{ruled:?}");

    // Decisions against rules and relevance; an address that is not there is told, the others count.
    let kept = of("drop").next().unwrap();
    let dropped =
        ruled.iter().find(|(_, one)| one.basis == "rule" && one.verdict == "keep").unwrap().0.as_str();
    assert_exit(&select(&job, &["--mark", "maybe", kept]), 4);
    selected(&job, &["--mark", "keep", kept, "--by", "ann", "--note", "it has \"quotes\""]);
    let output = select(&job, &["--mark", "drop", dropped, "http://nowhere.test/"]);
    assert_exit(&output, 9);
    let told = json_of(&output);
    assert_eq!((&told["taken"], told["faults"].as_array().unwrap().len()), (&1.into(), 1), "{told}");
    let decided = proposed(&job);
    assert_eq!((decided[kept].verdict.as_str(), decided[kept].basis.as_str()), ("keep", "decision"));
    assert_eq!((decided[dropped].verdict.as_str(), decided[dropped].basis.as_str()), ("drop", "decision"));
    let lines = std::fs::read_to_string(job.join("selection.jsonl")).unwrap();
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["by"], &first["decision"]), (&"ann".into(), &"keep".into()));
    assert!(first["record"].as_str().unwrap().starts_with("urn:uuid:"), "{first}");

    // A table that somebody works on is not written over.
    let sheet = job.join("look.tsv");
    selected(&job, &["--review", sheet.to_str().unwrap(), "--limit", "5"]);
    let text = std::fs::read_to_string(&sheet).unwrap();
    assert_eq!(text.lines().count(), 6);
    assert_exit(&select(&job, &["--review", sheet.to_str().unwrap()]), 4);

    // What is made of the archive can be made again; what people decided is no part of it.
    assert_exit(&finish(annalist().arg("rebuild").arg(&job).arg("--quiet"), LIMIT), 0);
    assert!(!job.join("knowledge/candidates.jsonl").exists());
    let again = proposed(&job);
    let verdicts = |all: &BTreeMap<String, Proposed>| {
        all.iter().map(|(url, one)| (url.clone(), one.verdict.clone())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&again), verdicts(&decided));

    let export = |name: &str, more: &[&str]| {
        let folder = stand.dir.path().join(name);
        let mut command = annalist();
        command
            .arg("export")
            .arg(&job)
            .args(["--selected", "--json", "--quiet", "--warc"])
            .arg(&folder)
            .args(more);
        assert_exit(&finish(&mut command, LIMIT), 0);
        captured(&folder)
    };
    let keep: BTreeSet<&str> =
        again.iter().filter(|(_, one)| one.verdict == "keep").map(|(url, _)| url.as_str()).collect();
    let exported = export("final", &[]);
    let is_page = |url: &&str| again.contains_key(*url);
    let pages: BTreeSet<&str> = exported["response"].iter().map(String::as_str).filter(is_page).collect();
    assert_eq!(pages, keep);
    // What else there is, pages show, or it has the content of what they show: sites share style sheets.
    let others: Vec<&String> = exported["response"].iter().filter(|url| !again.contains_key(*url)).collect();
    let hosts: BTreeSet<&str> = keep.iter().filter_map(|url| url.split('/').nth(2)).collect();
    let is_theirs = |url: &str| hosts.contains(url.split('/').nth(2).unwrap());
    assert!(others.iter().all(|url| is_theirs(url) || exported["referred"].contains(url)), "{others:?}");
    let on_host: BTreeSet<&str> = keep.iter().copied().filter(|url| url.contains(&host)).collect();
    let exported = export("one-host", &["--host", &host]);
    let pages: BTreeSet<&str> = exported["response"].iter().map(String::as_str).filter(is_page).collect();
    assert_eq!(pages, on_host);
    let warc = files_in(&stand.dir.path().join("final/archive"), ".warc.gz").remove(0);
    let out = stand.dir.path().join("none");
    let refused =
        annalist().arg("export").arg(warc).arg("--selected").arg("--warc").arg(&out).output().unwrap();
    assert_exit(&refused, 4);
}

#[test]
fn no_decision_that_was_acknowledged_is_lost_to_kill_9() {
    let stand = crawled(60);
    let job = stand.job();
    let pages: Vec<String> = proposed(&job).into_keys().collect();
    let mut acknowledged: HashMap<&str, &str> = HashMap::new();
    let (mut kills, mut done) = (0, 0);
    for (number, url) in pages.iter().cycle().enumerate().take(60) {
        let choice = if number % 3 == 0 { "keep" } else { "drop" };
        let mut command = annalist();
        command.arg("select").arg(&job).args(["--quiet", "--mark", choice, url]);
        let mut child = command.spawn().unwrap();
        // On a busy machine few would be done before they are killed.
        if number % 4 != 0 {
            std::thread::sleep(Duration::from_millis(number as u64 * 13 % 150));
            let _ = child.kill();
        }
        match child.wait().unwrap().code() {
            Some(0) => {
                acknowledged.insert(url, choice);
                done += 1;
            }
            // It may have been written or not; nobody was told.
            None => {
                acknowledged.remove(url.as_str());
                kills += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    println!("{done} decisions, {kills} kills");
    // A line that was being written when the machine went down.
    let file = job.join("selection.jsonl");
    let whole = std::fs::read(&file).unwrap_or_default();
    std::fs::write(&file, [whole.as_slice(), b"{\"url\":\"http://"].concat()).unwrap();
    selected(&job, &["--mark", "keep", &pages[0]]);
    acknowledged.insert(&pages[0], "keep");
    let now = proposed(&job);
    for (url, choice) in acknowledged {
        assert_eq!((now[url].verdict.as_str(), now[url].basis.as_str()), (choice, "decision"), "{url}");
    }
}
