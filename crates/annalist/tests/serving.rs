//! `annalist serve`: crawls are made, steered and handed addresses over HTTP, and go on after whatever ended the service.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use annalist_testweb::{By, ServerOptions, WorldConfig};
use serde_json::{Value, json};
use support::service::{Service, a_moment_ago, service};
use support::{
    IMPATIENT, Stand, annalist, asked_again_within, assert_exit, assert_valid, captures, expected, finish,
    urls,
};

const LONG: Duration = Duration::from_secs(180);
const DELAY: Duration = Duration::from_millis(20);

fn stand(pages: usize, latency: u64) -> Stand {
    let options = ServerOptions { latency: Duration::from_millis(latency), ..ServerOptions::default() };
    let config = WorldConfig { hosts: 8, pages, addresses: 4, crawl_delays: 0.0, ..WorldConfig::default() };
    Stand::with_options(config, options)
}

fn spec_of(stand: &Stand, more: &str) -> String {
    std::fs::read_to_string(stand.spec(&format!("{IMPATIENT}{more}"))).unwrap()
}

fn made(service: &Service, spec: &str, id: &str, start: bool) {
    let reply = service.post("/api/crawls", &json!({"spec": spec, "id": id, "start": start}));
    assert_eq!(reply.status, 201, "{reply:?}");
}

fn is_over(seen: &Value) -> bool {
    seen["is_running"] == false && seen["state"] == "complete"
}

#[test]
fn a_crawl_is_made_started_and_watched_from_a_blank_root() {
    let stand = stand(60, 0);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    assert_eq!(service.get("/api/crawls").json(), json!({"total": 0, "crawls": []}));
    assert!(service.get("/").body.contains("Nothing is archived here yet"));

    let wrong = service.post("/api/crawls", &json!({"spec": "name = \"x\"\n[limits]\npages = \"many\"\n"}));
    assert_eq!(wrong.status, 422);
    assert!(wrong.head.contains("application/problem+json"), "{wrong:?}");
    let errors = wrong.json()["errors"].clone();
    assert!(
        errors.as_array().unwrap().iter().any(|e| e["field"] == "limits.pages" && e["line"] == 3),
        "{errors}"
    );

    made(&service, &spec_of(&stand, ""), "first", true);
    let again = service.post("/api/crawls", &json!({"spec": spec_of(&stand, ""), "id": "first"}));
    assert_eq!(again.status, 409);
    let seen = service.until("first", LONG, is_over);
    let job = root.join("first");
    assert_valid(&job);
    let fetched = urls(&captures(&job));
    assert!(expected(&stand.web).is_subset(&fetched));
    assert_eq!(seen["captures"].as_u64().unwrap() as usize, captures(&job).len());

    let log = service.get("/api/crawls/first/events?q=begins&severity=info&subsystem=crawl").json();
    assert_eq!(log["events"][0]["message"], "the crawl begins");
    let fetched = service.get("/api/crawls/first/fetched?limit=5").json();
    assert_eq!((fetched["fetched"].as_array().unwrap().len(), &fetched["more"]), (5, &json!(true)));
    let counters = service.get("/api/crawls/first/counters").json();
    let of_status = counters["by_status"].as_object().unwrap();
    let counted: u64 = of_status.values().filter_map(Value::as_u64).sum();
    assert_eq!(Some(counted), seen["captures"].as_u64(), "{counters}");
    assert!(counters["by_language"]["en"].as_u64() > Some(0), "{counters}");
    assert!(counters["events"]["crawl"]["info"].as_u64() > Some(0), "{counters}");
    let course = service.get("/api/crawls/first/course?over=hour").json();
    let last = course["points"].as_array().unwrap().last().cloned().unwrap();
    assert_eq!((&last["captures"], &last["queued"]), (&seen["captures"], &json!(0)), "{course}");
    assert_eq!(service.get("/api/crawls/first/course?over=year").status, 422);
    assert!(service.get("/crawls/first?over=day").body.contains("Captures a minute over the last day"));
    assert!(service.get("/metrics").body.contains("annalist_running{crawl=\"first\"} 0"));
    for view in ["", "/queue", "/fetched", "/skipped", "/log", "/settings"] {
        let page = service.get(&format!("/crawls/first{view}"));
        assert_eq!(page.status, 200, "{view}");
        assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
        assert!(!page.body.contains("<script>") && !page.body.contains(" style="), "{view}");
    }
    let url =
        &captures(&job).iter().find(|c| c.status == "200" && c.mime == "text/html").unwrap().url.clone();
    let page = service.get(&format!("/crawls/first/page?url={url}"));
    assert!(
        page.body.contains(&format!("<iframe class=\"replay\" title=\"The archived page {url}\"")),
        "{page:?}"
    );
    assert!(page.head.contains(&format!("frame-src http://{}", service.replay)), "{}", page.head);
    let shown = service.replayed(&format!("/first/mp_/{url}"));
    let shown = if shown.status == 302 || shown.status == 307 {
        let to = shown.head.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
        service.replayed(to.strip_prefix(&format!("http://{}", service.replay)).unwrap_or(to))
    } else {
        shown
    };
    assert_eq!(shown.status, 200, "{shown:?}");
    assert!(shown.head.contains("memento-datetime: "), "{}", shown.head);
    // By whatever name the service is called.
    let framed_by = shown.head.split("frame-ancestors ").nth(1).unwrap().lines().next().unwrap();
    let port = service.address.rsplit(':').next().unwrap();
    for name in ["127.0.0.1", "localhost"] {
        let origin = format!("http://{name}:{port}");
        assert!(framed_by.split([' ', ';']).any(|one| one == origin), "{framed_by}");
    }
    assert!(!framed_by.contains('['), "browsers complain of addresses of IPv6 there: {framed_by}");
    assert!(service.replayed(&format!("/first/cdx?url={url}&output=json")).body.contains("\"status\""));
    // As other pages link to it, and as the crawl did not ask for it.
    let linked = format!("{url}{}utm_source=feed", if url.contains('?') { "&" } else { "?" });
    assert!([200, 302].contains(&service.replayed(&format!("/first/mp_/{linked}")).status), "{linked}");
    let page = service.get(&format!("/crawls/first/page?url={}", linked.replace('&', "%26")));
    assert!(page.body.contains("<iframe class=\"replay\""), "{page:?}");
    assert_eq!(service.replayed("/none/mp_/http://x.test/").status, 404);
    assert_eq!(service.get("/crawls/none").status, 404);
    let form = service.get("/crawls/first/do/start");
    assert!(form.status == 405 && form.body.contains("press the button"), "{form:?}");
    assert_eq!(service.get("/api/crawls/..%2Fx").status, 404);
    assert_eq!(service.interrupt(), Some(0));
}

#[test]
fn a_killed_service_goes_on_with_its_crawls_and_loses_nothing_it_acknowledged() {
    let stand = stand(150, 10);
    let root = stand.dir.path().join("root");
    let delays = |name: &str| (format!("{name}_delay = \"0s\""), format!("{name}_delay = \"20ms\""));
    let mut spec = spec_of(&stand, "");
    for (none, some) in [delays("\nmin"), delays("\nmax")] {
        spec = spec.replacen(&none, &some, 1);
    }
    assert_eq!(spec.matches("20ms").count(), 2);
    let service = Service::start(&root);
    made(&service, &spec, "one", true);
    made(&service, &spec, "two", true);
    made(&service, &spec, "never", false);
    service.until("two", LONG, |seen| seen["captures"].as_u64() > Some(20));
    service.kill();

    let service = Service::start(&root);
    for id in ["one", "two"] {
        service.until(id, LONG, is_over);
        let fetched = urls(&captures(&root.join(id)));
        assert!(expected(&stand.web).is_subset(&fetched));
        assert_valid(&root.join(id));
    }
    assert_eq!(service.get("/api/crawls/never").json()["state"], "new");
    // Politeness holds across the crawls and the kill: the book remembers.
    let sooner = asked_again_within(&stand.web.log(), By::Address, DELAY);
    assert!(sooner.is_none(), "{sooner:?}");
    // What is over stays over.
    drop(service);
    let service = Service::start(&root);
    assert_eq!(service.get("/api/crawls/one").json()["is_running"], false);
}

#[test]
fn twenty_crawls_of_one_web_never_ask_a_server_too_soon_and_none_is_left_behind() {
    let stand = stand(40, 0);
    let root = stand.dir.path().join("root");
    let spec = spec_of(&stand, "").replace("_delay = \"0s\"", "_delay = \"20ms\"");
    let service = Service::start(&root);
    let crawls = 20;
    for n in 0..crawls {
        made(&service, &spec, &format!("c{n}"), true);
    }
    let pages = expected(&stand.web).len() as u64;
    let mut half: Option<Vec<u64>> = None;
    loop {
        let all = service.get("/api/crawls").json()["crawls"].as_array().unwrap().clone();
        let had: Vec<u64> = all.iter().map(|crawl| crawl["captures"].as_u64().unwrap()).collect();
        if half.is_none() && had.iter().sum::<u64>() > crawls * pages / 2 {
            half = Some(had);
        }
        if all.iter().all(is_over) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    // When half of all was done, nobody had come far less far than the others.
    let half = half.unwrap();
    let mean = half.iter().sum::<u64>() / crawls;
    assert!(half.iter().all(|had| *had > mean / 3), "{half:?}");
    let log = stand.web.log();
    let sooner = asked_again_within(&log, By::Address, DELAY);
    assert!(sooner.is_none(), "{sooner:?}");
    for n in 0..crawls {
        let fetched = urls(&captures(&root.join(format!("c{n}"))));
        assert!(expected(&stand.web).is_subset(&fetched), "c{n}");
    }
}

#[test]
fn a_longer_delay_is_kept_from_the_next_second_on() {
    const LONGER: Duration = Duration::from_millis(400);
    let stand = stand(400, 0);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    made(&service, &spec_of(&stand, "").replace("_delay = \"0s\"", "_delay = \"20ms\""), "x", true);
    service.until("x", LONG, |seen| seen["captures"].as_u64() > Some(10));
    let queue = service.get("/api/crawls/x/queue").json();
    let site = queue["sites"][0]["site"].as_str().unwrap().to_owned();
    let delays = json!({"min_delay": "400ms", "max_delay": "400ms"});
    let reply = service.put(&format!("/api/crawls/x/sites/{site}"), &delays);
    assert_eq!(reply.status, 200, "{reply:?}");
    std::thread::sleep(Duration::from_secs(1));
    let before = stand.web.log().entries.len();
    service.until("x", LONG, |seen| {
        seen["is_running"] == false || {
            let log = stand.web.log();
            log.entries.iter().skip(before).filter(|entry| entry.host.ends_with(&site)).count() > 4
        }
    });
    let mut log = stand.web.log();
    log.entries = log.entries.into_iter().skip(before).filter(|entry| entry.host.ends_with(&site)).collect();
    assert!(log.entries.len() > 4, "the site had pages left: {}", log.entries.len());
    let sooner = asked_again_within(&log, By::Site, LONGER);
    assert!(sooner.is_none(), "{sooner:?}");
    // How fast it is can be seen while it runs, and only then.
    service.until("x", LONG, |seen| seen["pages_per_second"].as_f64() > Some(0.0));
    assert_eq!(service.post("/api/crawls/x/stop", &json!({})).status, 202);
    let seen = service.until("x", LONG, |seen| seen["is_running"] == false);
    assert_eq!(seen["pages_per_second"], 0.0);
}

#[test]
fn a_crawl_pauses_goes_on_and_stops_and_a_pause_outlives_a_kill() {
    let stand = stand(200, 10);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    assert_eq!(service.post("/api/crawls/x/pause", &json!({})).status, 404);
    made(&service, &spec_of(&stand, ""), "x", true);
    service.until("x", LONG, |seen| seen["captures"].as_u64() > Some(5));
    assert_eq!(service.post("/api/crawls/x/pause", &json!({})).status, 202);
    service.until("x", LONG, |seen| seen["state"] == "paused" && seen["visits_in_flight"] == 0);
    let asked = stand.web.log().entries.len();
    service.kill();

    let service = Service::start(&root);
    service.until("x", LONG, |seen| seen["state"] == "paused");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(stand.web.log().entries.len(), asked, "nobody is asked while it is paused");
    assert_eq!(service.post("/api/crawls/x/start", &json!({})).status, 202);
    service.until("x", LONG, |_| stand.web.log().entries.len() > asked + 5);
    assert_eq!(service.post("/api/crawls/x/stop", &json!({})).status, 202);
    let seen = service.until("x", LONG, |seen| seen["is_running"] == false);
    assert_eq!(seen["state"], "interrupted");
    assert_eq!(service.post("/api/crawls/x/stop", &json!({})).status, 409);
    drop(service);
    let service = Service::start(&root);
    let rests = service.get("/api/crawls/x").json();
    assert_eq!(rests["is_running"], false, "it was stopped for good");
    let begins = service.post("/api/crawls/x/start", &json!({})).json();
    assert!(begins["captures"].as_u64() >= rests["captures"].as_u64(), "{begins}");
}

#[test]
fn a_paused_crawl_that_is_let_go_on_while_it_is_opened_goes_on() {
    let stand = stand(200, 10);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    made(&service, &spec_of(&stand, ""), "x", true);
    service.until("x", LONG, |seen| seen["captures"].as_u64() > Some(5));
    assert_eq!(service.post("/api/crawls/x/pause", &json!({})).status, 202);
    service.until("x", LONG, |seen| seen["state"] == "paused" && seen["visits_in_flight"] == 0);
    let asked = stand.web.log().entries.len();
    service.kill();

    let service = Service::start(&root);
    let begins = service.post("/api/crawls/x/start", &json!({}));
    assert_eq!(begins.status, 202, "{begins:?}");
    service.until("x", LONG, |_| stand.web.log().entries.len() > asked + 5);
}

#[test]
fn settings_are_taken_up_by_a_running_crawl_at_once() {
    let stand = stand(400, 5);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    made(&service, &spec_of(&stand, ""), "x", true);
    service.until("x", LONG, |seen| seen["captures"].as_u64() > Some(10));
    // The host with the most left to fetch is blocked.
    let queue = service.get("/api/crawls/x/queue").json();
    let site = queue["sites"][0]["site"].as_str().unwrap().to_owned();
    let reply = service.put(&format!("/api/crawls/x/sites/{site}"), &json!({"blocked": true}));
    assert_eq!(reply.status, 200, "{reply:?}");
    std::thread::sleep(Duration::from_secs(1));
    let of_site = || {
        let log = stand.web.log();
        log.entries.iter().filter(|entry| entry.host.ends_with(&site)).count()
    };
    let asked = of_site();
    // A limit that is passed already ends the crawl.
    let reply = service.put("/api/crawls/x/limits", &json!({"pages": 1}));
    assert_eq!(reply.status, 200, "{reply:?}");
    let seen = service.until("x", LONG, |seen| seen["is_running"] == false);
    assert_eq!(seen["state"], "pagelimit");
    assert_eq!(of_site(), asked, "a blocked site is not asked any more");
    let skipped = service.get("/api/crawls/x/skipped?reason=blocked&limit=1").json();
    assert_eq!(skipped["skipped"][0]["reason"], "blocked");
    // A higher one lets it go on to its end, without the blocked site.
    assert_eq!(service.put("/api/crawls/x/limits", &json!({})).status, 200);
    assert_eq!(service.post("/api/crawls/x/start", &json!({})).status, 202);
    service.until("x", LONG, is_over);
    assert_eq!(of_site(), asked);
    let wrong = service.put("/api/crawls/x/sites/a.test", &json!({"min_delay": "soon"}));
    assert_eq!((wrong.status, &wrong.json()["errors"][0]["field"]), (422, &json!("min_delay")));
    let wrong = service.put("/api/crawls/x/weights", &json!({"magic": 1.0}));
    assert_eq!(wrong.status, 422);
    let gone = service.ask(
        "PUT",
        "/api/crawls/x/spec",
        &[],
        "name = \"x\"\ncontact = \"https://x.test/\"\n[[seed]]\nurl = \"http://y.test/\"\n",
    );
    assert_eq!((gone.status, &gone.json()["errors"][0]["field"]), (422, &json!("seed")), "{gone:?}");
}

#[test]
fn counts_are_told_as_they_stand_to_who_looks_from_outside_and_after_a_kill() {
    let stand = stand(60, 5);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    made(&service, &spec_of(&stand, ""), "x", true);
    service.until("x", LONG, |seen| seen["captures"].as_u64() > Some(20));
    service.post("/api/crawls/x/pause", &json!({}));
    service.until("x", LONG, |seen| seen["visits_in_flight"] == 0 && seen["state"] == "paused");
    // What was under way is acknowledged in groups.
    std::thread::sleep(Duration::from_secs(1));
    let counted = service.get("/api/crawls/x").json();
    let file = root.join("x/state/status.json");
    let until = std::time::Instant::now() + LONG;
    loop {
        let status: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        if status["counters"]["captures"] == counted["captures"] {
            break;
        }
        assert!(std::time::Instant::now() < until, "{status} {counted}");
        std::thread::sleep(Duration::from_millis(50));
    }
    // A file that is older than the last captures, and a spec that keeps the crawl from being opened.
    service.kill();
    let mut status: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    status["counters"]["captures"] = json!(1);
    std::fs::write(&file, status.to_string()).unwrap();
    std::fs::write(root.join("x/spec.toml"), "name =").unwrap();
    let service = Service::start(&root);
    let seen = service.until("x", LONG, |seen| seen["is_running"] == false);
    assert_eq!((&seen["captures"], &seen["state"]), (&counted["captures"], &json!("damaged")), "{seen}");
}

#[test]
fn of_many_changes_at_once_none_is_lost_also_while_the_crawl_is_opened() {
    let stand = stand(20, 0);
    let service = Service::start(&stand.dir.path().join("root"));
    for is_started in [false, true] {
        let id = if is_started { "runs" } else { "rests" };
        made(&service, &spec_of(&stand, ""), id, is_started);
        std::thread::scope(|scope| {
            for n in 0..12 {
                let service = &service;
                scope.spawn(move || {
                    let path = format!("/api/crawls/{id}/sites/site{n}.test");
                    let reply = service.put(&path, &json!({"blocked": true}));
                    assert_eq!(reply.status, 200, "{reply:?}");
                });
            }
        });
        let spec = service.get(&format!("/api/crawls/{id}/spec")).body;
        for n in 0..12 {
            assert!(spec.contains(&format!("site{n}.test")), "{id} has lost {n}:\n{spec}");
        }
    }
    service.until("runs", LONG, is_over);
}

#[test]
fn handed_over_addresses_are_fetched_and_blacklisted_ones_never_are() {
    let stand = stand(60, 0);
    let root = stand.dir.path().join("root");
    let pages: Vec<String> =
        expected(&stand.web).into_iter().filter(|url| !url.ends_with("robots.txt")).collect();
    let (wanted, unwanted) = (&pages[..10], &pages[10..14]);
    // Only what is handed over: no seeds.
    let network = stand.web.spec_toml().split_once("[network]").unwrap().1.to_owned();
    let spec = format!(
        "name = \"handed\"\napps = false\n[scope]\nonly_injected = true\nembeds = false\nsitemaps = false\n\
         [politeness]\nmin_delay = \"0s\"\nrobots = \"ignore\"\n{IMPATIENT}[network]{network}"
    );
    let service = Service::start(&root);
    made(&service, &spec, "handed", false);
    // Before it runs.
    let batch: Vec<Value> = unwanted.iter().map(|url| json!({"url": url, "blacklisted": true})).collect();
    let reply = service.post("/api/crawls/handed/urls", &json!(batch));
    assert_eq!((reply.status, &reply.json()["accepted"]), (202, &json!(4)), "{reply:?}");
    assert_eq!(service.post("/api/crawls/handed/start", &json!({})).status, 202);
    let batch: Vec<Value> = pages[..14].iter().map(|url| json!({"url": url, "score": 0.5})).collect();
    let reply = service.post("/api/crawls/handed/urls", &json!(batch));
    assert_eq!(reply.json()["accepted"], 14, "{reply:?}");
    let wrong = service.post(
        "/api/crawls/handed/urls",
        &json!([{"url": "mailto:x"}, {"url": pages[0], "score": 2}, {"url": pages[1]}]),
    );
    assert_eq!((&wrong.json()["accepted"], &wrong.json()["refused"]), (&json!(1), &json!(2)));
    assert_eq!(service.post("/api/crawls/handed/urls", &json!({"url": "x"})).status, 422);
    service.until("handed", LONG, |seen| seen["captures"].as_u64() >= Some(10) && seen["queued"] == 0);
    let seen = service.until("handed", LONG, |seen| seen["waits_for"].is_string());
    assert_eq!(seen["waits_for"], "addresses to be handed over");
    service.kill();

    // Named once more after a kill, and queued before they were blacklisted.
    let service = Service::start(&root);
    let late = &pages[14];
    service.until("handed", LONG, |seen| seen["state"] == "waiting");
    assert_eq!(service.post("/api/crawls/handed/pause", &json!({})).status, 202);
    let mut batch: Vec<Value> = pages[10..15].iter().map(|url| json!({"url": url})).collect();
    batch.push(json!({"url": late, "blacklisted": true}));
    batch.push(json!({"url": pages[15]}));
    assert_eq!(service.post("/api/crawls/handed/urls", &json!(batch)).json()["accepted"], 7);
    assert_eq!(service.post("/api/crawls/handed/start", &json!({})).status, 202);
    service.until("handed", LONG, |seen| seen["captures"].as_u64() >= Some(11) && seen["queued"] == 0);
    assert_eq!(service.post("/api/crawls/handed/stop", &json!({})).status, 202);
    service.until("handed", LONG, |seen| seen["is_running"] == false);
    let expected: BTreeSet<String> = wanted.iter().chain([&pages[15]]).cloned().collect();
    assert_eq!(urls(&captures(&root.join("handed"))), expected);
    let log = stand.web.log();
    for url in unwanted.iter().chain([late]) {
        let path = url.splitn(4, '/').nth(3).unwrap();
        let host = url.split('/').nth(2).unwrap().split(':').next().unwrap();
        let asked = log.entries.iter().any(|e| e.host == host && e.target.trim_start_matches('/') == path);
        assert!(!asked, "{url} was asked for");
    }
}

#[test]
fn strangers_and_foreign_pages_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let open = Service::start(&root);
    let spec = json!({"spec": "name = \"x\""}).to_string();
    let post = |headers: &[(&str, &str)]| open.ask("POST", "/api/crawls", headers, &spec).status;
    let json = ("content-type", "application/json");
    assert_eq!(post(&[json, ("host", "evil.test")]), 421);
    assert_eq!(post(&[json, ("origin", "http://evil.test")]), 403);
    assert_eq!(post(&[json, ("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(post(&[json]), 422, "a program may, but this is no spec");
    let form = ("content-type", "application/x-www-form-urlencoded");
    assert_eq!(open.ask("POST", "/new", &[form], "spec=x&then=keep").status, 403, "no token in the form");
    let old = open.ask("POST", "/new", &[form], "token=abc&spec=x&then=keep");
    assert_eq!(old.status, 403);

    drop(open);
    let refused = finish(annalist().arg("serve").arg(&root).args(["--listen", "0.0.0.0:0"]), LONG);
    assert_exit(&refused, 4);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("ANNALIST_TOKEN"));
    let guarded = Service::start_as(service(&root).env("ANNALIST_TOKEN", "a long secret"));
    assert_eq!(guarded.get("/api/crawls").status, 401);
    let page = guarded.get("/");
    assert!(page.status == 303 && page.head.contains("location: /login"), "{page:?}");
    assert_eq!(
        guarded.ask("GET", "/api/crawls", &[("authorization", "Bearer a long secret")], "").status,
        200
    );
    let entered = guarded.ask("POST", "/login", &[form], "token=a+long+secret");
    let cookie = entered.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(guarded.ask("GET", "/", &[("cookie", cookie)], "").status, 200);
}

#[test]
fn who_has_no_token_cannot_make_the_service_keep_much() {
    let dir = tempfile::tempdir().unwrap();
    let guarded = Service::start_as(service(&dir.path().join("root")).env("ANNALIST_TOKEN", "a long secret"));
    let form = ("content-type", "application/x-www-form-urlencoded");
    let long = guarded.ask("POST", "/login", &[form], &format!("token={}", "x".repeat(40_000)));
    assert_eq!(long.status, 413, "{long:?}");
    // The way back to where one came from fits, and one that would not is not offered.
    let way = |length: usize| format!("/crawls/x/page?url={}", "/".repeat(length));
    let page = |length| guarded.get(&format!("/login?to={}", way(length).replace('/', "%2F"))).body;
    assert!(page(3_000).contains(&way(3_000)) && !page(6_000).contains("/page"));
    let sent = format!("token=a+long+secret&to={}", way(3_000).replace('/', "%2F"));
    let entered = guarded.ask("POST", "/login", &[form], &sent);
    assert!(entered.status == 303 && entered.head.contains(&way(3_000)), "{entered:?}");
}

#[test]
fn a_crawl_that_is_removed_while_it_is_asked_for_something_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let service = Service::start(&root);
    let spec =
        "name = \"x\"\n[[seed]]\nurl = \"http://127.0.0.1:9/\"\n[network]\nallow = [\"127.0.0.0/8\"]\n";
    let (none, ask) =
        (json!({}), |path: &str, body: &Value| service.post(&format!("/api/crawls/x/{path}"), body));
    for _ in 0..25 {
        made(&service, spec, "x", false);
        let told: Vec<u16> = std::thread::scope(|scope| {
            let asked = [
                scope.spawn(|| ask("start", &none)),
                scope.spawn(|| ask("urls", &json!([{"url": "http://127.0.0.1:9/1"}]))),
                scope.spawn(|| service.ask("DELETE", "/api/crawls/x", &[], "")),
            ];
            asked.map(|asked| asked.join().unwrap().status).into()
        });
        assert!(told.iter().all(|status| [200, 202, 204, 404, 409].contains(status)), "{told:?}");
        let begun = std::time::Instant::now();
        while service.ask("DELETE", "/api/crawls/x", &[], "").status != 404 {
            assert!(begun.elapsed() < LONG, "it cannot be removed");
            ask("stop", &none);
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(!root.join("x").exists(), "{told:?}");
    }
}

#[test]
fn a_crawl_starts_by_itself_when_its_time_has_come() {
    let stand = stand(20, 0);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    made(&service, &spec_of(&stand, ""), "x", false);
    assert_eq!(service.put("/api/crawls/x/schedule", &json!({"next": "tomorrow"})).status, 422);
    // A start in the past is none; one of many is followed by the next.
    let past = "2026-01-01T00:00:00Z";
    let once = service.put("/api/crawls/x/schedule", &json!({"next": past}));
    assert_eq!((once.status, &once.json()["errors"][0]["field"]), (422, &json!("next")), "{once:?}");
    let daily = service.put("/api/crawls/x/schedule", &json!({"next": past, "every_seconds": 86400}));
    assert_eq!(daily.status, 200, "{daily:?}");
    assert!(daily.json()["next"].as_str().unwrap() > a_moment_ago().as_str(), "{daily:?}");
    assert_eq!(service.get("/api/crawls/x").json()["state"], "new");
    let first = a_moment_ago();
    let reply = service.put("/api/crawls/x/schedule", &json!({"next": first, "every_seconds": 86400}));
    assert_eq!(reply.status, 200, "{reply:?}");
    let seen = service.until("x", LONG, is_over);
    assert!(seen["schedule"]["next"].as_str().unwrap() > first.as_str());
    assert_eq!(service.ask("DELETE", "/api/crawls/x/schedule", &[], "").status, 204);
    assert_eq!(service.get("/api/crawls/x").json()["schedule"], Value::Null);
    // The next start of one that has come to its end looks at the seeds again.
    let visits = || {
        let log = std::fs::read_to_string(root.join("x/logs/crawl.log")).unwrap();
        log.lines().filter(|line| line.split_whitespace().nth(4) == Some("-")).count()
    };
    let before = visits();
    assert!(before > 0);
    let once = service.put("/api/crawls/x/schedule", &json!({"next": a_moment_ago()}));
    assert_eq!(once.status, 200, "{once:?}");
    service.until("x", LONG, |_| visits() == 2 * before);
    service.until("x", LONG, is_over);
    assert_eq!(service.get("/api/crawls/x").json()["schedule"], Value::Null);
    assert_eq!(service.ask("DELETE", "/api/crawls/x", &[], "").status, 204);
    assert_eq!(service.get("/api/crawls/x").status, 404);
}

/// `ANNALIST_EXPECT=1` writes the document anew; what changed for programs is then seen in the commit.
#[test]
fn the_document_of_the_api_is_the_one_in_the_docs() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let printed = annalist().args(["serve", "--openapi"]).output().unwrap();
    assert_exit(&printed, 0);
    if std::env::var_os("ANNALIST_EXPECT").is_some() {
        std::fs::write(kept, &printed.stdout).unwrap();
    }
    let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
    assert_eq!(read(&std::fs::read(kept).unwrap()), read(&printed.stdout));
}
