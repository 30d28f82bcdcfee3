//! Crawl, then study, query and search: what comes out is compared with what the test web knows of its society.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use annalist_testweb::WorldConfig;
use serde_json::Value;
use support::{Stand, annalist, assert_exit, finish, json_of};

const LIMIT: Duration = Duration::from_secs(300);

/// The rows of a SELECT, each value as its text.
fn ask(job: &Path, sparql: &str) -> Vec<BTreeMap<String, String>> {
    // The answer is longer than a pipe holds.
    let output = annalist().arg("query").arg(job).args([sparql, "--format", "json"]).output().unwrap();
    assert_exit(&output, 0);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
    let row = |row: &Value| {
        row.as_object().unwrap().iter().map(|(name, value)| (name.clone(), text(value))).collect()
    };
    answer["results"]["bindings"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn what_the_society_is_about_is_found_in_a_crawl_of_it() {
    let stand = Stand::new(WorldConfig {
        society: true,
        hosts: 16,
        pages: 500,
        addresses: 6,
        crawl_delays: 0.0,
        ..WorldConfig::default()
    });
    let job = stand.job();
    assert_exit(&finish(&mut stand.crawl(&stand.helped_spec("")), LIMIT), 0);
    let output = finish(annalist().arg("study").arg(&job).arg("--json"), LIMIT);
    assert_exit(&output, 0);
    let told = json_of(&output);
    assert!(told["writings"].as_u64().unwrap() > 500, "{told}");

    let (precision, recall, f1) = entities(&stand, &job);
    println!("entities: precision {precision:.3}, recall {recall:.3}, F1 {f1:.3}");
    assert!(f1 >= 0.9, "precision {precision:.3}, recall {recall:.3}");
    let (found, all) = happenings(&stand, &job);
    println!("happenings: {found} of {all} with their days");
    assert!(10 * found >= 9 * all, "{found} of {all}");
    pictures(&stand, &job);
    leads_back(&job);
    sites_and_images(&job, &told);
    facets(&job);
    again(&job);
}

/// Who is named on which page, against what the web knows.
fn entities(stand: &Stand, job: &Path) -> (f64, f64, f64) {
    let truth = stand.web.world().truth();
    let mut spelled: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    let everybody = truth.people().into_iter().chain(truth.places()).chain(truth.organisations());
    for entity in everybody {
        for spelling in &entity.spellings {
            spelled.entry(spelling.clone()).or_default().insert(entity.id);
        }
    }
    let rows = ask(
        job,
        "SELECT DISTINCT ?page ?name WHERE { ?w schema:mentions/schema:name ?name . \
         { ?w schema:isPartOf ?page } UNION { ?w a schema:WebPage BIND(?w AS ?page) } }",
    );
    let pages: BTreeSet<String> = ask(job, "SELECT DISTINCT ?page WHERE { ?o schema:isPartOf ?page }")
        .into_iter()
        .filter_map(|row| row.get("page").cloned())
        .collect();
    let mut known: BTreeSet<(String, usize)> = BTreeSet::new();
    for said in truth.said().filter(|said| pages.contains(&said.url)) {
        known.extend(said.mentions.iter().map(|mention| (said.url.clone(), mention.entity)));
    }
    let told: BTreeSet<&String> = known.iter().map(|(page, _)| page).collect();
    let mut right: BTreeSet<(String, usize)> = BTreeSet::new();
    let mut wrong = 0;
    for row in rows.iter().filter(|row| told.contains(&row["page"])) {
        let page = &row["page"];
        let meant = spelled.get(&row["name"]).into_iter().flatten();
        let hits: Vec<(String, usize)> =
            meant.map(|entity| (page.clone(), *entity)).filter(|pair| known.contains(pair)).collect();
        if hits.is_empty() {
            wrong += 1;
        }
        right.extend(hits.into_iter().take(1));
    }
    let precision = right.len() as f64 / (right.len() + wrong).max(1) as f64;
    let recall = right.len() as f64 / known.len().max(1) as f64;
    (precision, recall, 2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE))
}

/// How many of the web's happenings were found on their days, in the pages that report them.
fn happenings(stand: &Stand, job: &Path) -> (usize, usize) {
    let rows = ask(
        job,
        "SELECT ?event ?from ?until ?page WHERE { ?event a schema:Event ; schema:startDate ?from ; schema:endDate ?until . \
         ?w schema:about ?event ; schema:isPartOf ?page }",
    );
    let mut events: BTreeMap<&str, (&str, &str, BTreeSet<&str>)> = BTreeMap::new();
    for row in &rows {
        let event = events.entry(&row["event"]).or_insert((&row["from"], &row["until"], BTreeSet::new()));
        event.2.insert(&row["page"]);
    }
    let day = |seconds: u64| annalist_model::Time::from_millis(seconds * 1000).day().to_string();
    let all = stand.web.world().truth().happenings();
    let reported: Vec<_> = all.iter().filter(|one| one.pages.len() >= 3).collect();
    let is_found = |truth: &&&annalist_testweb::HappeningTruth| {
        let pages: BTreeSet<&str> = truth.pages.iter().map(String::as_str).collect();
        let (from, until) = (day(truth.from), day(truth.until - 1));
        events.values().any(|(begins, ends, reports)| {
            reports.intersection(&pages).count() * 2 >= pages.len().min(reports.len())
                && *begins <= until.as_str()
                && *ends >= from.as_str()
        })
    };
    (reported.iter().filter(is_found).count(), reported.len())
}

/// All pictures are told, also those that the crawl kept once under several addresses, and which of them are the same.
fn pictures(stand: &Stand, job: &Path) {
    let rows = ask(
        job,
        "SELECT ?url ?type ?first WHERE { ?url ann:perceptualHash ?hash ; schema:encodingFormat ?type OPTIONAL { ?url ann:looksLike ?first } }",
    );
    let told: BTreeMap<&str, (&str, &str)> = rows
        .iter()
        .map(|row| {
            (row["url"].as_str(), (row["type"].as_str(), row.get("first").unwrap_or(&row["url"]).as_str()))
        })
        .collect();
    let mut first_of: BTreeMap<usize, &str> = BTreeMap::new();
    let (mut all, mut repeats) = (0, 0);
    for picture in stand.web.world().truth().pictures() {
        let (mime, first) = told.get(picture.url.as_str()).copied().unwrap_or_default();
        assert_eq!(mime, picture.mime, "{}", picture.url);
        all += 1;
        repeats += usize::from(first != picture.url);
        assert_eq!(*first_of.entry(picture.picture).or_insert(first), first, "{}", picture.url);
    }
    let table = std::fs::read_to_string(job.join("study/images.csv")).unwrap();
    let column = table.lines().next().unwrap().split(',').position(|name| name == "same bytes").unwrap();
    // Addresses in this web have no commas.
    let same = table.lines().filter(|line| line.split(',').nth(column) == Some("true")).count();
    println!("pictures: {all}, of which {repeats} show what others show, {same} of them to the byte");
    assert!(all > 20 && repeats > 5 && same > 2, "{all}, {repeats}, {same}");
}

/// Every mention stands in the graph of a capture, and the capture says where its bytes are.
fn leads_back(job: &Path) {
    let count = |sparql: &str| -> u64 { ask(job, sparql)[0]["n"].parse().unwrap() };
    let all = count("SELECT (COUNT(*) AS ?n) WHERE { ?w schema:mentions ?e }");
    let kept = count(
        "SELECT (COUNT(*) AS ?n) WHERE { GRAPH ?c { ?w schema:mentions ?e } ?c ann:file ?file ; ann:offset ?offset }",
    );
    assert!(all > 1000 && all == kept, "{kept} of {all}");
    let ties = count("SELECT (COUNT(*) AS ?n) WHERE { ?t a ann:Together }");
    let sure = count(
        "SELECT (COUNT(*) AS ?n) WHERE { ?t a ann:Together ; ann:confidence ?c FILTER(?c > 0 && ?c <= 1) }",
    );
    assert!(ties > 10 && ties == sure, "{sure} of {ties}");
}

/// Which sites are cited, and how images are, stands in tables, report and graph.
fn sites_and_images(job: &Path, told: &Value) {
    let cited = ask(
        job,
        "SELECT ?site ?n WHERE { ?s a ann:Site ; ann:site ?site ; ann:citations ?n FILTER(?n > 0) }",
    );
    let table = std::fs::read_to_string(job.join("study/sites.csv")).unwrap();
    let row = |row: &BTreeMap<String, String>| {
        let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        lines.any(|cells| cells[0] == row["site"] && cells[4] == row["n"])
    };
    assert!(cited.len() > 3 && cited.iter().all(row), "{cited:?} {table}");
    assert_eq!(told["sites"].as_u64().unwrap(), table.lines().count() as u64 - 1);
    let images = std::fs::read_to_string(job.join("study/images.csv")).unwrap();
    let whole = ask(job, "SELECT DISTINCT ?image WHERE { ?image ann:condition \"whole\" }");
    let rows = images.lines().filter(|line| line.ends_with(",whole,false") || line.ends_with(",whole,true"));
    let urls: BTreeSet<&str> = rows.filter_map(|line| line.split(',').next()).collect();
    assert!(!urls.is_empty() && whole.len() == urls.len(), "{} of {images}", whole.len());
}

/// What was found are facets of search.
fn facets(job: &Path) {
    let best = ask(
        job,
        "SELECT ?name WHERE { ?e a schema:Person ; schema:name ?name ; ann:writings ?n } ORDER BY DESC(?n) LIMIT 1",
    );
    let name = best[0]["name"].clone();
    let question = format!("entity:\"{name}\"");
    let output =
        annalist().arg("search").arg(job).args([question.as_str(), "--facets", "--json"]).output().unwrap();
    assert_exit(&output, 0);
    let answer = json_of(&output);
    assert!(answer["total"].as_u64().unwrap() > 5, "{name}: {answer}");
}

/// A second study of the same archive says the same.
fn again(job: &Path) {
    let statements = |to: &str| {
        let path = job.with_file_name(to);
        let output =
            finish(annalist().arg("export").arg(job).arg("--nquads").arg(&path).arg("--quiet"), LIMIT);
        assert_exit(&output, 0);
        std::fs::read_to_string(path).unwrap()
    };
    let before = statements("before.nq");
    assert_exit(&finish(annalist().arg("rebuild").arg(job).arg("--quiet"), LIMIT), 0);
    assert!(before == statements("after.nq"), "rebuild says something else");
    // Killed at some moment, it goes on when it is asked next.
    let found = || {
        let asked =
            annalist().arg("search").arg(job).args(["--facets", "--json", "--limit", "1", "the"]).output();
        json_of(&asked.unwrap())["facets"].clone()
    };
    let facets = found();
    assert!(facets.to_string().contains("entity"), "{facets}");
    for millis in [100, 1500] {
        let mut child = annalist().arg("rebuild").arg(job).arg("--quiet").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(found(), facets, "after a rebuild that was killed");
    }
}
