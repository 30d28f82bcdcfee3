//! kill -9 of the service in the middle of everything: crawls run, addresses are handed over, specs change, crawls are made,
//! paused and let go on. After each restart all that was acknowledged is there, and at the end the archives are whole.
//! `ANNALIST_KILLS` says how often.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use annalist_testweb::{ServerOptions, WorldConfig};
use serde_json::{Value, json};
use support::service::{Reply, Service, attempt};
use support::{IMPATIENT, Stand, assert_accepted_by_others, assert_valid, captures, expected, urls};

const LONG: Duration = Duration::from_secs(300);
/// More addresses than this are not handed over: they all have to be fetched in the end.
const MOST_ADDRESSES: usize = 1500;

/// What the service was asked for and has acknowledged, and what it may or may not have taken up when it was killed.
#[derive(Default)]
struct Acknowledged {
    captures: BTreeMap<String, u64>,
    wanted: BTreeSet<String>,
    blacklisted: BTreeSet<String>,
    /// Handed over as addresses that may be fetched, with or without an answer.
    named: BTreeSet<String>,
    /// The limit of pages in a crawl's spec: as acknowledged, and as sent last.
    limit: (u64, u64),
    /// Whether a crawl is to keep still: as acknowledged, and as asked last.
    paused: (bool, bool),
    made: BTreeSet<String>,
    /// The number of the last task.
    task: u64,
    actions: usize,
}

/// A program that steers the service until it is gone.
struct Steering<'a> {
    address: &'a str,
    hosts: &'a [String],
    spec: &'a str,
    known: &'a mut Acknowledged,
}

impl Steering<'_> {
    fn ask(&self, method: &str, path: &str, body: &Value) -> std::io::Result<Reply> {
        let json = [("content-type", "application/json")];
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let reply = attempt(self.address, method, path, &json, &body)?;
        assert!(reply.status < 500, "{method} {path}: {reply:?}");
        Ok(reply)
    }

    /// One thing after the other, until the service is killed.
    fn go_on(&mut self) -> std::io::Result<()> {
        loop {
            self.known.actions += 1;
            match self.known.actions % 7 {
                0 => self.make_a_crawl()?,
                1 => self.change_a_limit()?,
                2 => self.pause_or_go_on()?,
                3 => self.look()?,
                4 => self.export()?,
                _ => self.hand_over()?,
            }
        }
    }

    fn make_a_crawl(&mut self) -> std::io::Result<()> {
        let id = format!("made-{}", self.known.actions);
        let reply = self.ask("POST", "/api/crawls", &json!({"spec": self.spec, "id": id}))?;
        assert_eq!(reply.status, 201, "{reply:?}");
        self.known.made.insert(id);
        Ok(())
    }

    fn change_a_limit(&mut self) -> std::io::Result<()> {
        self.known.limit.1 += 1;
        let reply = self.ask("PUT", "/api/crawls/one/limits", &json!({"pages": self.known.limit.1}))?;
        assert_eq!(reply.status, 200, "{reply:?}");
        self.known.limit.0 = self.known.limit.1;
        Ok(())
    }

    fn pause_or_go_on(&mut self) -> std::io::Result<()> {
        self.known.paused.1 = !self.known.paused.0;
        let action = if self.known.paused.1 { "pause" } else { "start" };
        let reply = self.ask("POST", &format!("/api/crawls/two/{action}"), &json!({}))?;
        // One that is over has nothing to pause.
        if reply.status == 202 {
            self.known.paused.0 = self.known.paused.1;
        }
        Ok(())
    }

    fn export(&mut self) -> std::io::Result<()> {
        let reply =
            self.ask("POST", "/api/crawls/one/tasks", &json!({"kind": "export", "format": "wacz"}))?;
        // Before the first capture there is nothing to export, and not more than ten tasks wait.
        if reply.status == 202 {
            self.known.task = reply.json()["number"].as_u64().unwrap();
        }
        Ok(())
    }

    fn look(&mut self) -> std::io::Result<()> {
        for id in ["one", "two", "handed"] {
            let seen = self.ask("GET", &format!("/api/crawls/{id}"), &json!(null))?.json();
            self.known.captures.insert(id.to_owned(), seen["captures"].as_u64().unwrap());
        }
        Ok(())
    }

    /// Some addresses, and some that are blacklisted; those are named once more afterwards.
    fn hand_over(&mut self) -> std::io::Result<()> {
        let begun = self.known.named.len() + self.known.blacklisted.len();
        if begun >= MOST_ADDRESSES {
            return self.look();
        }
        let address = |n: usize| format!("http://{}/handed/{n}", self.hosts[n % self.hosts.len()]);
        let all: Vec<String> = (0..10).map(|n| address(self.known.actions * 10 + n)).collect();
        let (unwanted, wanted) = all.split_at(3);
        let batch: Vec<Value> = unwanted.iter().map(|url| json!({"url": url, "blacklisted": true})).collect();
        let reply = self.ask("POST", "/api/crawls/handed/urls", &json!(batch))?;
        assert_eq!(reply.json()["accepted"], 3, "{reply:?}");
        self.known.blacklisted.extend(unwanted.iter().cloned());
        self.known.named.extend(wanted.iter().cloned());
        let batch: Vec<Value> = all.iter().map(|url| json!({"url": url, "score": 0.7})).collect();
        let reply = self.ask("POST", "/api/crawls/handed/urls", &json!(batch))?;
        assert_eq!(reply.json()["accepted"], 10, "{reply:?}");
        self.known.wanted.extend(wanted.iter().cloned());
        Ok(())
    }
}

/// The same view as before the kill, or a later one.
fn nothing_is_lost(service: &Service, known: &mut Acknowledged) {
    for (id, before) in &known.captures {
        let seen = service.until(id, LONG, |seen| seen["state"] != "starting");
        let now = seen["captures"].as_u64().unwrap();
        assert!(now >= *before, "{id}: {before} captures before a kill, then {seen}");
    }
    let spec = service.get("/api/crawls/one/spec").body;
    let kept = (known.limit.0..=known.limit.1).find(|limit| spec.contains(&format!("\npages = {limit}\n")));
    let kept = kept.unwrap_or_else(|| panic!("neither limit of {:?} is kept: {spec}", known.limit));
    known.limit = (kept, kept);
    let seen = service.get("/api/crawls/two").json();
    let is_over = seen["state"] == "complete";
    let is_paused = seen["goal"] == "pause";
    assert!(
        is_over || is_paused == known.paused.0 || is_paused == known.paused.1,
        "{:?}: {seen}",
        known.paused
    );
    known.paused = (is_paused, is_paused);
    // Beside those that were acknowledged there are some whose answer the kill cut off.
    let (mut there, mut total) = (BTreeSet::new(), 1);
    while (there.len() as u64) < total {
        let crawls = service.get(&format!("/api/crawls?limit=1000&offset={}", there.len())).json();
        total = crawls["total"].as_u64().unwrap();
        let listed = crawls["crawls"].as_array().unwrap();
        assert!(!listed.is_empty(), "{} of {total} crawls are listed", there.len());
        there.extend(listed.iter().filter_map(|crawl| crawl["id"].as_str().map(str::to_owned)));
    }
    let tasks = service.get("/api/crawls/one/tasks").json();
    let newest =
        tasks["tasks"].as_array().unwrap().first().map_or(0, |task| task["number"].as_u64().unwrap());
    assert!(newest >= known.task, "task {} is gone: {tasks}", known.task);
    for id in &known.made {
        assert!(there.contains(id.as_str()), "{id} was made and is gone");
    }
}

#[test]
fn a_service_killed_in_the_middle_of_everything_has_lost_nothing_it_acknowledged() {
    let kills: u64 = std::env::var("ANNALIST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    let options = ServerOptions { latency: Duration::from_millis(5), ..ServerOptions::default() };
    let config =
        WorldConfig { hosts: 8, pages: 150, addresses: 4, crawl_delays: 0.0, ..WorldConfig::default() };
    let stand = Stand::with_options(config, options);
    let root = stand.dir.path().join("root");
    let spec =
        std::fs::read_to_string(stand.spec(&format!("[limits]\npages = 100000\n{IMPATIENT}"))).unwrap();
    let network = spec.split_once("[network]").unwrap().1;
    let handed = format!(
        "name = \"handed\"\napps = false\n[scope]\nonly_injected = true\nembeds = false\nsitemaps = false\n\
         [politeness]\nmin_delay = \"0s\"\nrobots = \"ignore\"\n{IMPATIENT}[network]{network}"
    );
    let hosts: Vec<String> = stand.web.resolve_table().into_iter().map(|(host, _)| host).collect();
    let service = Service::start(&root);
    for (id, spec) in [("one", &spec), ("two", &spec), ("handed", &handed)] {
        let reply = service.post("/api/crawls", &json!({"spec": spec, "id": id, "start": true}));
        assert_eq!(reply.status, 201, "{reply:?}");
    }
    let mut known = Acknowledged { limit: (100_000, 100_000), ..Acknowledged::default() };
    let mut service = Some(service);
    let mut dice: u64 = 7;
    for _ in 0..kills {
        let running = service.take().unwrap();
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let life = Duration::from_millis(30 + (dice >> 33) % 900);
        let address = running.address.clone();
        let steering = Steering { address: &address, hosts: &hosts, spec: &handed, known: &mut known };
        std::thread::scope(|scope| {
            let mut steering = steering;
            let steered = scope.spawn(move || steering.go_on());
            std::thread::sleep(life);
            running.kill();
            assert!(steered.join().unwrap().is_err());
        });
        let again = Service::start(&root);
        nothing_is_lost(&again, &mut known);
        service = Some(again);
    }
    let service = service.unwrap();
    println!(
        "{kills} kills, {} actions, {} addresses, {} of them blacklisted, {} crawls made",
        known.actions,
        known.named.len() + known.blacklisted.len(),
        known.blacklisted.len(),
        known.made.len()
    );
    to_the_end(&stand, &service, &known);
}

/// Everything is let go on to its end, and looked at.
fn to_the_end(stand: &Stand, service: &Service, known: &Acknowledged) {
    let root = stand.dir.path().join("root");
    for id in ["one", "two"] {
        let begun = Instant::now();
        while service.get(&format!("/api/crawls/{id}")).json()["state"] != "complete" {
            assert!(begun.elapsed() < LONG, "{id} does not end");
            service.post(&format!("/api/crawls/{id}/start"), &json!({}));
            std::thread::sleep(Duration::from_millis(200));
        }
        service.until(id, LONG, |seen| seen["is_running"] == false);
        assert!(expected(&stand.web).is_subset(&urls(&captures(&root.join(id)))), "{id}");
    }
    service.until("handed", LONG, |seen| {
        seen["queued"] == 0 && seen["waits_for"] == "addresses to be handed over"
    });
    assert_eq!(service.post("/api/crawls/handed/stop", &json!({})).status, 202);
    service.until("handed", LONG, |seen| seen["is_running"] == false);
    let fetched = urls(&captures(&root.join("handed")));
    let lost: Vec<&String> = known.wanted.difference(&fetched).collect();
    assert!(lost.is_empty(), "acknowledged and never fetched: {lost:?}");
    let invented: Vec<&String> =
        fetched.difference(&known.named).filter(|url| url.contains("/handed/")).collect();
    assert!(invented.is_empty(), "fetched, though nobody may: {invented:?}");
    for entry in &stand.web.log().entries {
        let asked = known.blacklisted.contains(&format!("http://{}{}", entry.host, entry.target));
        assert!(!asked, "{entry:?} is blacklisted");
    }
    exports_are_whole(service, &root.join("one"));
    for id in ["one", "two", "handed"] {
        assert_valid(&root.join(id));
        assert_accepted_by_others(&root.join(id));
    }
}

/// Tasks that waited are done in the end, those that were killed can be asked for again, and no file is half of one.
fn exports_are_whole(service: &Service, job: &Path) {
    let begun = Instant::now();
    let over = |task: &Value| task["state"] != "queued" && task["state"] != "running";
    let tasks = || service.get("/api/crawls/one/tasks").json()["tasks"].as_array().unwrap().clone();
    while !tasks().iter().all(over) {
        assert!(begun.elapsed() < LONG, "the tasks do not end: {:?}", tasks());
        std::thread::sleep(Duration::from_millis(200));
    }
    let asked = service.post("/api/crawls/one/tasks", &json!({"kind": "export", "format": "wacz"}));
    assert_eq!(asked.status, 202, "{asked:?}");
    while !tasks().iter().all(over) {
        assert!(begun.elapsed() < LONG, "the task does not end: {:?}", tasks());
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(tasks()[0]["state"], "done", "{:?}", tasks()[0]);
    let files = service.get("/api/crawls/one/exports").json()["exports"].as_array().unwrap().clone();
    assert!(!files.is_empty());
    for file in files {
        assert_valid(&job.join("exports").join(file["name"].as_str().unwrap()));
    }
}
