//! `annalist across`: an earlier and a later crawl of the test web's society, compared with what the web knows of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use annalist_model::Time;
use annalist_testweb::{RenameTruth, World, WorldConfig};
use serde_json::Value;
use support::{annalist, assert_exit, files_in, finish, json_of};

const LIMIT: Duration = Duration::from_secs(300);

struct Crawls {
    world: World,
    dir: tempfile::TempDir,
    /// By page: when the last of its texts was written. Seconds since 1970.
    written: BTreeMap<String, u64>,
    /// The earlier crawl has what was written before.
    split: u64,
}

impl Crawls {
    fn new() -> Crawls {
        let world =
            World::new(WorldConfig { society: true, hosts: 24, pages: 800, ..WorldConfig::default() });
        let dir = tempfile::tempdir().unwrap();
        world.write(&dir.path().join("web")).unwrap();
        let mut written: BTreeMap<String, u64> = BTreeMap::new();
        for said in world.truth().said() {
            let last = written.entry(said.url.clone()).or_default();
            *last = said.at.max(*last);
        }
        let mut moments: Vec<u64> = written.values().copied().collect();
        moments.sort_unstable();
        let split = moments[moments.len() * 2 / 3];
        let crawls = Crawls { world, dir, written, split };
        crawls.write_earlier();
        for (archive, job) in [("web/archive", "later"), ("before", "earlier")] {
            let at = |name: &str| crawls.dir.path().join(name);
            let mut extract = annalist();
            extract.arg("extract").arg(at("web/spec.toml")).arg("--archive").arg(at(archive));
            assert_exit(&finish(extract.arg("--job").arg(at(job)).arg("-q"), LIMIT), 0);
        }
        crawls
    }

    /// The jobs, in the order of time.
    fn jobs(&self) -> [PathBuf; 2] {
        ["earlier", "later"].map(|name| self.dir.path().join(name))
    }

    fn is_later(&self, url: &str) -> bool {
        self.written.get(url).is_some_and(|at| *at >= self.split)
    }

    /// The records of those pages of the web that were there before.
    fn write_earlier(&self) {
        let web = self.dir.path().join("web");
        let mut kept = Vec::new();
        for path in files_in(&web.join("indexes"), ".cdxj") {
            for line in std::fs::read_to_string(path).unwrap().lines() {
                let entry: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
                let text = |key: &str| entry[key].as_str().unwrap().to_owned();
                if self.is_later(&text("url")) {
                    continue;
                }
                let path = web.join("archive").join(text("filename"));
                let mut file = std::fs::File::open(path).unwrap();
                file.seek(SeekFrom::Start(text("offset").parse().unwrap())).unwrap();
                file.take(text("length").parse().unwrap()).read_to_end(&mut kept).unwrap();
            }
        }
        let before = self.dir.path().join("before");
        std::fs::create_dir_all(&before).unwrap();
        std::fs::write(before.join("before.warc.gz"), kept).unwrap();
    }
}

fn across(args: &[&str], dirs: &[PathBuf]) -> Output {
    // The answer is longer than a pipe holds.
    annalist().arg("across").args(args).args(dirs).output().unwrap()
}

fn answer(args: &[&str], dirs: &[PathBuf]) -> Value {
    let output = across(&[args, &["--json", "--quiet"]].concat(), dirs);
    assert_exit(&output, 0);
    json_of(&output)
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn two_crawls_show_what_changed_its_name_what_belongs_together_and_what_is_new() {
    let crawls = Crawls::new();
    let dirs = crawls.jobs();
    names(&crawls, &dirs);
    associations(&crawls, &dirs);
    news(&crawls, &dirs);
    // An archive alone, without what belongs to a crawl, can be asked as well.
    let alone = [crawls.dir.path().join("web")];
    let output = across(&["associations", "--term", "Saltmere", "--with", "Coastal Flood Alliance"], &alone);
    assert_exit(&output, 0);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.starts_with("Saltmere: in ") && !told.starts_with("Saltmere: in 0 "), "{told}");
    // What was read is kept, and asked again it says the same.
    assert_eq!(answer(&["names"], &dirs), answer(&["names"], &dirs));
}

fn names(crawls: &Crawls, dirs: &[PathBuf]) {
    let answer = answer(&["names"], dirs);
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    let listed = answer["names"].as_array().unwrap();
    let found: Vec<(String, String)> =
        listed.iter().map(|one| (text(one, "before"), text(one, "after"))).collect();
    let truth = crawls.world.truth().renames();
    let is_name = |found: &str, name: &str| name.contains(found) || found.contains(name);
    let right: BTreeSet<&str> = truth
        .iter()
        .filter(|truth| {
            found.iter().any(|(before, after)| is_name(before, &truth.from) && is_name(after, &truth.to))
        })
        .map(|truth| truth.from.as_str())
        .collect();
    println!("{} changes of names are right of {}: {found:?}", right.len(), found.len());
    // The day of the change lies between the last of the old name and the first of the new one.
    let is_within = |one: &&Value| {
        let truth = truth.iter().find(|truth| {
            is_name(&text(one, "before"), &truth.from) && is_name(&text(one, "after"), &truth.to)
        });
        let day = |truth: &RenameTruth| Time::from_millis(truth.at * 1000).day().to_string();
        truth.map(day).is_some_and(|day| text(one, "old_until") <= day && day <= text(one, "new_from"))
    };
    let within = listed.iter().filter(is_within).count();
    println!("the day is within its span for {within}");
    assert_eq!(within, right.len(), "{listed:?}");
    assert!(right.len() >= 4 && 5 * right.len() >= 4 * found.len(), "{found:?}");
}

/// Those who appear together belong together, those who never do not.
fn associations(crawls: &Crawls, dirs: &[PathBuf]) {
    let truth = crawls.world.truth();
    let happening = truth.happenings().into_iter().next().unwrap();
    let everybody: Vec<_> =
        truth.people().into_iter().chain(truth.places()).chain(truth.organisations()).collect();
    let place = everybody.iter().find(|entity| entity.id == happening.place).unwrap();
    let circle: BTreeSet<&str> = everybody
        .iter()
        .filter(|entity| happening.entities.contains(&entity.id))
        .flat_map(|entity| entity.spellings.iter().map(String::as_str))
        .collect();
    let found = answer(&["associations", "--term", &place.name, "--limit", "5"], dirs);
    let found = found["associations"].as_array().unwrap();
    let others: Vec<&str> = found.iter().map(|one| one["other"].as_str().unwrap()).collect();
    println!("with {}: {others:?}", place.name);
    let title = happening.title.to_lowercase();
    let belongs = |other: &&&str| {
        circle.iter().any(|name| name.contains(**other)) || title.contains(&other.to_lowercase())
    };
    assert!(others.iter().filter(belongs).count() >= 4, "{others:?}");
    let strength = |with: &str| {
        let found = answer(&["associations", "--term", &place.name, "--with", with], dirs);
        found["associations"][0]["strength"]["npmi"].as_f64().unwrap_or_default()
    };
    let stranger = everybody
        .iter()
        .find(|entity| entity.language == place.language && !happening.entities.contains(&entity.id))
        .unwrap();
    let friend = everybody
        .iter()
        .find(|entity| happening.entities.contains(&entity.id) && entity.id != happening.place)
        .unwrap();
    assert!(strength(&friend.name) > strength(&stranger.name), "{} {}", friend.name, stranger.name);
}

fn news(crawls: &Crawls, dirs: &[PathBuf]) {
    let found = answer(&["new", "--limit", "100000"], dirs);
    let new: BTreeSet<String> = ids(&found["new"]).into_iter().collect();
    let later = crawls.world.truth().said().filter(|said| crawls.is_later(&said.url)).count();
    println!("{} writings are new, {later} in truth", new.len());
    assert!(10 * new.len() >= 9 * later && 10 * new.len() <= 11 * later);
    assert_eq!((ids(&found["changed"]).len(), ids(&found["gone"]).len()), (0, 0));
    // With the address of the page and when it was captured first.
    for one in found["new"].as_array().unwrap() {
        assert!(one["page"].as_str().unwrap().starts_with("http://"), "{one}");
        assert!(one["first_captured"].as_str().unwrap().ends_with('Z'), "{one}");
    }
    // As many pages of each as were asked for, and how many writings there are.
    let some = answer(&["new", "--limit", "2"], dirs);
    let pages: BTreeSet<&str> =
        some["new"].as_array().unwrap().iter().map(|one| one["page"].as_str().unwrap()).collect();
    assert_eq!((pages.len(), some["writings"]["new"].as_u64()), (2, Some(new.len() as u64)));
    assert!(some["names"].as_array().unwrap().len() <= 2 && some["risen"].as_array().unwrap().len() <= 2);
    let output = across(&["new"], dirs);
    assert_exit(&output, 0);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown: Vec<&str> = told.lines().filter(|line| line.starts_with("  first captured ")).collect();
    assert!(shown.len() > 3 && shown.iter().all(|line| line.contains("http://")), "{told}");
    assert!(!told.contains("urn:"), "{told}");
    // The other way round the same is gone.
    let dirs: Vec<PathBuf> = dirs.iter().rev().cloned().collect();
    let back = answer(&["new", "--limit", "100000"], &dirs);
    let gone: BTreeSet<String> = ids(&back["gone"]).into_iter().collect();
    assert_eq!((gone, ids(&back["new"]).len()), (new, 0));
}

fn refused(args: &[&str], dirs: &[&Path], says: &str) {
    let dirs: Vec<PathBuf> = dirs.iter().map(|dir| dir.to_path_buf()).collect();
    let output = across(args, &dirs);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains(says), "{told}");
}

#[test]
fn what_cannot_be_compared_is_said_plainly() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = dir.path().join("nowhere");
    let (empty, job) = (dir.path().join("empty"), dir.path().join("job"));
    std::fs::create_dir_all(&empty).unwrap();
    std::fs::create_dir_all(job.join("archive")).unwrap();
    for what in [&["names"][..], &["new"], &["associations", "--term", "anything"]] {
        refused(what, &[], "DIR");
        refused(what, &[&job, &nowhere], "does not exist");
        refused(what, &[&job, &empty], "is no job directory");
    }
    refused(&["new"], &[&job], "at least two job directories");
    refused(&["associations"], &[&job], "--term");
    // An archive with nothing in it has nothing to tell, and that is no error.
    let output = across(&["names"], &[job.clone(), job.clone()]);
    assert_exit(&output, 0);
    assert!(String::from_utf8_lossy(&output.stdout).contains("no name seems to have changed"));
    let output = across(&["associations", "--term", "anything"], std::slice::from_ref(&job));
    assert_exit(&output, 0);
    assert!(String::from_utf8_lossy(&output.stdout).contains("anything: in 0 writings"));
    let output = across(&["new"], &[job.clone(), job]);
    assert_exit(&output, 0);
    assert!(String::from_utf8_lossy(&output.stdout).contains("0 writings new"));
}
