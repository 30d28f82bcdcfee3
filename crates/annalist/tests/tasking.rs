//! `annalist serve`: studies, exports and the like as tasks, from a crawl to files that can be taken away, and what a kill
//! leaves of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use annalist_testweb::WorldConfig;
use serde_json::{Value, json};
use support::service::Service;
use support::{IMPATIENT, Stand, annalist, assert_exit, finish, json_of};

const LONG: Duration = Duration::from_secs(240);

fn stand(pages: usize) -> Stand {
    Stand::new(WorldConfig { hosts: 6, pages, addresses: 3, crawl_delays: 0.0, ..WorldConfig::default() })
}

/// A crawl of the stand that is over.
fn crawled(stand: &Stand, service: &Service, id: &str) {
    let spec = std::fs::read_to_string(stand.spec(IMPATIENT)).unwrap();
    let reply = service.post("/api/crawls", &json!({"spec": spec, "id": id, "start": true}));
    assert_eq!(reply.status, 201, "{reply:?}");
    service.until(id, LONG, |seen| seen["is_running"] == false && seen["state"] == "complete");
}

fn asked(service: &Service, id: &str, task: &Value) -> u64 {
    let reply = service.post(&format!("/api/crawls/{id}/tasks"), task);
    assert_eq!(reply.status, 202, "{reply:?}");
    reply.json()["number"].as_u64().unwrap()
}

/// A task, once it is over.
fn over(service: &Service, id: &str, number: u64) -> Value {
    let begun = Instant::now();
    loop {
        let task = service.get(&format!("/api/crawls/{id}/tasks/{number}")).json();
        if !matches!(task["state"].as_str(), Some("queued" | "running")) {
            return task;
        }
        assert!(begun.elapsed() < LONG, "it never ended: {task}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn done(service: &Service, id: &str, task: &Value) -> Value {
    let task = over(service, id, asked(service, id, task));
    assert_eq!(task["state"], "done", "{task}");
    task
}

/// Bytes as they come.
fn fetched(service: &Service, path: &str, range: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(&service.address).unwrap();
    let head =
        format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{range}\r\n", service.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let at = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap();
    (String::from_utf8(bytes[..at].to_vec()).unwrap(), bytes[at + 4..].to_vec())
}

fn names(service: &Service, id: &str) -> Vec<String> {
    let list = service.get(&format!("/api/crawls/{id}/exports")).json();
    let name = |one: &Value| one["name"].as_str().unwrap().to_owned();
    list["exports"].as_array().unwrap().iter().map(name).collect()
}

/// The token that forms of the cockpit carry.
fn token(service: &Service) -> String {
    let page = service.get("/new").body;
    page.split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

fn send(service: &Service, path: &str, fields: &str) -> support::service::Reply {
    let form = ("content-type", "application/x-www-form-urlencoded");
    service.ask("POST", path, &[form], &format!("token={}&{fields}", token(service)))
}

#[test]
fn a_crawl_is_exported_studied_and_rebuilt_by_tasks() {
    let stand = stand(60);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    let spec = std::fs::read_to_string(stand.spec(IMPATIENT)).unwrap();
    service.post("/api/crawls", &json!({"spec": spec, "id": "new"}));
    assert_eq!(
        service.post("/api/crawls/new/tasks", &json!({"kind": "study"})).status,
        409,
        "nothing is there"
    );
    crawled(&stand, &service, "x");
    assert_eq!(
        service.get("/api/crawls/x/tasks").json(),
        json!({"total": 0, "tasks": []}),
        "nothing begins by itself"
    );
    for (wrong, field) in [
        (json!({"kind": "export"}), "format"),
        (json!({"kind": "export", "format": "nquads", "selected": true}), "selected"),
        (json!({"kind": "study", "only": ["colours"]}), "only"),
        (json!({"kind": "study", "format": "wacz"}), "format"),
    ] {
        let reply = service.post("/api/crawls/x/tasks", &wrong);
        assert_eq!((reply.status, &reply.json()["errors"][0]["field"]), (422, &json!(field)), "{reply:?}");
    }
    assert_eq!(service.post("/api/crawls/x/tasks", &json!({"kind": "magic"})).status, 422);
    assert_eq!(service.get("/api/crawls/x/tasks/99").status, 404);
    assert_eq!(service.get("/api/crawls/x/tasks/first").status, 404);

    let task = done(&service, "x", &json!({"kind": "export", "format": "wacz"}));
    assert_eq!(task["files"], json!(["x-1.wacz"]));
    assert!(
        !task.to_string().contains(root.to_str().unwrap()),
        "where files are is nobody's business: {task}"
    );
    let (head, wacz) = fetched(&service, "/api/crawls/x/exports/x-1.wacz", "");
    for field in ["content-disposition: attachment; filename=\"x-1.wacz\"", "x-content-type-options: nosniff"]
    {
        assert!(head.contains(field), "{head}");
    }
    let copy = stand.dir.path().join("copy.wacz");
    std::fs::write(&copy, &wacz).unwrap();
    assert_exit(&annalist().arg("verify").arg(&copy).output().unwrap(), 0);
    let (head, part) = fetched(&service, "/api/crawls/x/exports/x-1.wacz", "range: bytes=10-19\r\n");
    assert!(head.starts_with("HTTP/1.1 206") && part == wacz[10..20], "{head}");
    for bad in ["..%2Fspec.toml", "%2e%2e%2fspec.toml", "..", ".task-1", "none.wacz"] {
        assert_eq!(service.get(&format!("/api/crawls/x/exports/{bad}")).status, 404, "{bad}");
    }

    // The others, one after the other in the queue.
    let tasks: Vec<u64> = ["warc", "csv", "nquads", "parquet"]
        .iter()
        .map(|format| asked(&service, "x", &json!({"kind": "export", "format": format})))
        .collect();
    for number in tasks {
        let task = over(&service, "x", number);
        assert_eq!(task["state"], "done", "{task}");
        assert!(!task["files"].as_array().unwrap().is_empty(), "{task}");
    }
    let files = names(&service, "x");
    for ending in
        ["-2.nq", ".warc.gz", ".cdxj", "-3.csv", "-3-missing.csv", "-urls.parquet", "-links.parquet"]
    {
        let ending = ending.replace("-2.nq", "-4.nq");
        assert!(files.iter().any(|name| name.ends_with(&ending)), "{ending}: {files:?}");
    }
    let verified = finish(annalist().arg("verify").arg(root.join("x")).arg("--json"), LONG);
    assert_exit(&verified, 0);
    assert_eq!(json_of(&verified)["files"], 1, "what was exported is no part of the archive");

    let task = done(&service, "x", &json!({"kind": "study", "only": ["entities"]}));
    assert!(root.join("x/study").is_dir() || !task["report"].as_array().unwrap().is_empty(), "{task}");
    done(&service, "x", &json!({"kind": "rebuild"}));

    // The same by hand, in the cockpit.
    let sent = send(&service, "/crawls/x/tasks", "kind=export&format=csv&back=export");
    assert!(sent.status == 303 && sent.head.contains("location: /crawls/x/export#tasks"), "{sent:?}");
    assert_eq!(over(&service, "x", 8)["state"], "done");
    let page = service.get("/crawls/x/export").body;
    for text in ["ReplayWeb.page", "x-1.wacz", "Export as CSV", "/api/crawls/x/exports/x-8.csv"] {
        assert!(page.contains(text), "{text}");
    }
    let gone = send(&service, "/crawls/x/exports/remove", "name=x-1.wacz&sure=1");
    assert_eq!(gone.status, 303, "{gone:?}");
    assert_eq!(service.ask("DELETE", "/api/crawls/x/exports/x-8.csv", &[], "").status, 204);
    let files = names(&service, "x");
    assert!(!files.contains(&"x-1.wacz".to_owned()) && !files.contains(&"x-8.csv".to_owned()), "{files:?}");
}

/// The processes of this program that work on a job.
fn workers(job: &Path) -> Vec<String> {
    let job = job.to_str().unwrap();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
    commands.filter(|command| command.split('\0').any(|word| word == job)).collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LONG, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_task_is_stopped_or_interrupted_and_leaves_nothing_half_done() {
    let stand = stand(30);
    let root = stand.dir.path().join("root");
    let job = root.join("x");
    let service = Service::start(&root);
    crawled(&stand, &service, "x");
    // Who else makes something of the archive keeps a task waiting, as long as this test needs it.
    let hold = || annalist_crawl::job::JobDir::new(&job).lock_to_derive().unwrap().unwrap();
    let lock = hold();
    let selected = json!({"kind": "export", "format": "wacz", "selected": true});
    let first = asked(&service, "x", &selected);
    until("it runs", || !workers(&job).is_empty());
    let second = asked(&service, "x", &json!({"kind": "study"}));
    let stopped = service.ask("DELETE", &format!("/api/crawls/x/tasks/{first}"), &[], "");
    assert_eq!(stopped.status, 202, "{stopped:?}");
    assert_eq!(over(&service, "x", first)["state"], "stopped");
    assert_eq!(service.ask("DELETE", &format!("/api/crawls/x/tasks/{first}"), &[], "").status, 409);
    assert!(std::fs::read_dir(job.join("exports")).unwrap().next().is_none(), "nothing is left");

    until("the next one runs", || service.get("/api/crawls/x/tasks/2").json()["state"] == "running");
    let third = asked(&service, "x", &json!({"kind": "export", "format": "csv"}));
    assert_eq!(
        service.post("/api/crawls/x/start", &json!({})).status,
        409,
        "a study needs an archive that rests"
    );
    assert_eq!(service.ask("DELETE", "/api/crawls/x", &[], "").status, 409);
    until("it runs", || !workers(&job).is_empty());
    service.kill();
    until("nobody works for a service that is gone", || workers(&job).is_empty());

    let service = Service::start(&root);
    let task = over(&service, "x", second);
    assert_eq!(
        (&task["state"], &task["message"]),
        (&json!("interrupted"), &json!("the service ended while it ran"))
    );
    assert_eq!(over(&service, "x", third)["state"], "done", "what waited is taken up");
    assert!(service.get("/crawls/x/export").body.contains("/tasks/2/again"));
    assert_eq!(send(&service, "/crawls/x/tasks/2/again", "back=export").status, 303);
    until("it runs", || !workers(&job).is_empty());
    assert_eq!(service.interrupt(), Some(0));
    assert!(workers(&job).is_empty(), "an orderly end waits for its tasks");

    drop(lock);
    let service = Service::start(&root);
    assert_eq!(over(&service, "x", 4)["state"], "interrupted");
    assert_eq!(send(&service, "/crawls/x/tasks/4/again", "back=export").status, 303);
    assert_eq!(over(&service, "x", 5)["state"], "done");
}

/// A crawl that knows what it is about.
fn topical(stand: &Stand, service: &Service, id: &str) {
    let about: Vec<String> = stand.web.world().truth().relevant(0).map(|page| page.url).take(4).collect();
    let more =
        format!("[topic]\nreferences = {about:?}\n[knowledge]\ngraph = false\nsearch = false\n{IMPATIENT}");
    let spec = std::fs::read_to_string(stand.helped_spec(&more)).unwrap();
    let reply = service.post("/api/crawls", &json!({"spec": spec, "id": id, "start": true}));
    assert_eq!(reply.status, 201, "{reply:?}");
    service.until(id, LONG, |seen| seen["is_running"] == false && seen["state"] == "complete");
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[test]
fn pages_are_reviewed_and_the_selection_is_exported() {
    let stand = Stand::new(WorldConfig {
        hosts: 8,
        pages: 120,
        topics: 3,
        crawl_delays: 0.0,
        ..WorldConfig::default()
    });
    let root = stand.dir.path().join("root");
    let job = root.join("x");
    let service = Service::start(&root);
    topical(&stand, &service, "x");
    assert_eq!(service.get("/api/crawls/x/review").json()["is_read"], false);
    assert!(service.get("/crawls/x/review").body.contains("Read the archive"));
    assert_eq!(service.post("/api/crawls/x/decisions", &json!({"decision": "keep", "urls": []})).status, 409);
    done(&service, "x", &json!({"kind": "select"}));

    let all = service.get("/api/crawls/x/review?limit=1000").json();
    let pages = all["pages"].as_array().unwrap();
    assert_eq!(pages.len() as u64, all["total"].as_u64().unwrap());
    assert!(pages.len() > 30, "{all}");
    let url = |place: usize| pages[place]["url"].as_str().unwrap().to_owned();
    let listed = annalist().arg("select").arg(&job).args(["--json", "--quiet"]).output().unwrap();
    for verdict in ["keep", "drop", "review"] {
        assert_eq!(all["counts"][verdict], json_of(&listed)[verdict], "as the command proposes");
        let some = service.get(&format!("/api/crawls/x/review?verdict={verdict}&limit=1")).json();
        assert_eq!(some["total"], all["counts"][verdict]);
    }
    assert_eq!(service.get("/api/crawls/x/review?verdict=maybe").status, 422);

    // A program decides, then a person; a page that is not there is told.
    let new = json!({"decision": "keep", "urls": [url(0), "http://none.test/"], "by": "ann", "note": "good"});
    let taken = service.post("/api/crawls/x/decisions", &new).json();
    assert_eq!(
        (&taken["taken"], &taken["refused"], &taken["errors"][0]["field"]),
        (&json!(1), &json!(1), &json!("urls[1]"))
    );
    let sent =
        send(&service, "/crawls/x/review", &format!("by=bob&back=verdict%3dkeep&drop={}", encoded(&url(1))));
    assert!(sent.status == 303 && sent.head.contains("location: /crawls/x/review?verdict=keep"), "{sent:?}");
    let both = format!("url={}&url={}&then=drop", encoded(&url(2)), encoded(&url(3)));
    assert_eq!(send(&service, "/crawls/x/review", &both).status, 303);
    assert_eq!(send(&service, "/crawls/x/review", "then=drop").status, 422, "nothing is chosen");
    service.kill();
    let service = Service::start(&root);
    let decided = service.get("/api/crawls/x/review?basis=decision").json();
    assert_eq!(decided["total"], 4, "what was acknowledged is kept: {decided}");
    let kept = std::fs::read_to_string(job.join("selection.jsonl")).unwrap();
    assert!(kept.contains("\"by\":\"ann\"") && kept.contains("\"by\":\"bob\""), "{kept}");

    // Whole sites, there and back, and rules.
    let site = pages[5]["site"].as_str().unwrap();
    assert_eq!(send(&service, "/crawls/x/review", &format!("drop_site={site}")).status, 303);
    let of_site =
        service.get(&format!("/api/crawls/x/review?site={site}&basis=rule&verdict=drop&limit=1000")).json();
    assert!(of_site["total"].as_u64().unwrap() > 0, "{of_site}");
    assert_eq!(send(&service, "/crawls/x/review", &format!("keep_site={site}")).status, 303);
    let rules = service.get("/api/crawls/x/rules").json();
    assert_eq!(rules["rules"], json!([{"decision": "keep", "expression": format!("site == \"{site}\"")}]));
    let wrong =
        service.post("/api/crawls/x/rules", &json!({"decision": "drop", "expression": "colour == 3"}));
    assert_eq!((wrong.status, &wrong.json()["errors"][0]["field"]), (422, &json!("expression")));
    let gone =
        format!("/api/crawls/x/rules?decision=keep&expression={}", encoded(&format!("site == \"{site}\"")));
    assert_eq!(service.ask("DELETE", &gone, &[], "").status, 204);
    let page = service.get("/crawls/x/review").body;
    for text in ["To look at first", "name=\"keep\"", "name=\"drop_site\"", "by relevance"] {
        assert!(page.contains(text), "{text}");
    }

    // The selection is what the command exports.
    let rule = json!({"decision": "drop", "expression": "depth >= 0"});
    assert_eq!(service.post("/api/crawls/x/rules", &rule).status, 201);
    let task = done(&service, "x", &json!({"kind": "export", "format": "csv", "selected": true}));
    assert_eq!(task["files"], json!(["x-2-selected-missing.csv", "x-2-selected.csv"]));
    let name = "x-2-selected.csv";
    let table = service.get(&format!("/api/crawls/x/exports/{name}")).body;
    assert!(table.contains(&url(0)) && !table.contains(&url(1)), "{table}");

    // Where no page is kept, this is said, and what to do.
    assert_eq!(send(&service, "/crawls/x/review", &format!("drop={}", encoded(&url(0)))).status, 303);
    let everything = json!({"kind": "export", "format": "csv", "selected": true});
    let task = over(&service, "x", asked(&service, "x", &everything));
    assert_eq!(task["state"], "failed", "{task}");
    assert!(task.to_string().contains("the selection keeps no page"), "{task}");
}

#[test]
fn people_judge_pages_and_the_figures_are_those_of_the_command() {
    let stand = Stand::new(WorldConfig {
        hosts: 8,
        pages: 120,
        topics: 3,
        crawl_delays: 0.0,
        ..WorldConfig::default()
    });
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    topical(&stand, &service, "x");
    assert!(service.get("/crawls/x/annotate").body.contains("Draw pages"));
    assert_eq!(service.get("/api/crawls/x/annotations/figures").json()["pages"], 0);
    done(&service, "x", &json!({"kind": "sample"}));
    let drawn = service.get("/api/crawls/x/annotations?by=ann").json();
    let pages = drawn["pages"].as_array().unwrap();
    assert!(pages.len() > 10 && pages.len() <= 50, "{drawn}");
    let content = |page: &Value| page["content"].as_f64().unwrap();
    assert!(
        pages.iter().any(|page| content(page) > 0.6) && pages.iter().any(|page| content(page) < 0.4),
        "{drawn}"
    );

    // Ann judges in the browser, page by page, as the cockpit leads her; Bob by a program, and not quite the same.
    let about: Vec<String> = stand.web.world().truth().relevant(0).map(|page| page.url).collect();
    for (number, page) in pages.iter().enumerate() {
        let shown = unescaped(&service.get("/crawls/x/annotate?by=ann").body);
        let url = page["url"].as_str().unwrap();
        assert!(shown.contains(&format!("name=\"url\" value=\"{url}\"")), "{url}: {shown}");
        assert!(
            shown.contains(&format!("page {} of {}", number + 1, pages.len())) && shown.contains("<iframe")
        );
        let vote = if about.iter().any(|other| other == url) { "HighlyRelevant" } else { "NotRelevant" };
        let sent = send(
            &service,
            "/crawls/x/annotate",
            &format!("by=ann&url={}&vote={vote}&comment=x%2Cy", encoded(url)),
        );
        assert!(sent.status == 303, "{sent:?}");
        if number < 10 {
            let vote = if number == 0 { "Junk" } else { vote };
            let new = json!({"by": "bob", "url": url, "vote": vote});
            assert_eq!(service.post("/api/crawls/x/annotations", &new).status, 204);
        }
    }
    assert!(service.get("/crawls/x/annotate?by=ann").body.contains("All pages are judged"));
    for (wrong, field) in [
        (json!({"by": "../x", "url": pages[0]["url"], "vote": "Junk"}), "by"),
        (json!({"by": "ann", "url": "http://none.test/", "vote": "Junk"}), "url"),
        (json!({"by": "ann", "url": pages[0]["url"], "vote": "good"}), "vote"),
    ] {
        let reply = service.post("/api/crawls/x/annotations", &wrong);
        assert_eq!((reply.status, &reply.json()["errors"][0]["field"]), (422, &json!(field)), "{reply:?}");
    }
    service.kill();

    let service = Service::start(&root);
    let figures = service.get("/api/crawls/x/annotations/figures").json();
    assert_eq!(figures["pages"].as_u64().unwrap() as usize, pages.len() + 10, "{figures}");
    let evaluated = annalist()
        .args(["judge", "--evaluate"])
        .arg(root.join("x/evaluation"))
        .arg("--json")
        .output()
        .unwrap();
    assert_exit(&evaluated, 0);
    let told = json_of(&evaluated);
    for function in ["content", "time", "mean", "default"] {
        let (ours, theirs) = (&figures["break_even"][function], &told["all"][function]);
        assert!(
            (ours.as_f64().unwrap() - theirs.as_f64().unwrap()).abs() < 1e-5,
            "{function}: {ours} {theirs}"
        );
    }
    // All pages have the same time: it is as good as chance.
    let point = |function: &str| figures["break_even"][function].as_f64().unwrap();
    assert!(point("content") > point("time"), "the crawl knows its topic: {figures}");
    assert_eq!(
        (&figures["people"][0]["pages"], figures["people"].as_array().unwrap().len()),
        (&json!(10), 1)
    );
    let page = service.get("/crawls/x/annotate").body;
    for text in ["Break-even point", "Kappa", "ann and bob", "curves.svg"] {
        assert!(page.contains(text), "{text}");
    }
    let svg = service.get("/crawls/x/annotate/curves.svg");
    assert!(svg.head.contains("image/svg+xml") && svg.body.contains("<polyline"), "{svg:?}");
}

/// The value of a field in a page.
fn value_in<'p>(page: &'p str, name: &str) -> &'p str {
    let field = page
        .split(&format!("name=\"{name}\" value=\""))
        .nth(1)
        .unwrap_or_else(|| panic!("no {name}: {page}"));
    field.split('"').next().unwrap()
}

fn unescaped(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[test]
fn a_spec_is_written_in_a_form_and_as_text_in_turn() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let service = Service::start(&root);
    let page = service.get("/new?example=event").body;
    assert!(
        page.contains("name=\"f_seeds\"")
            && page.contains("aria-describedby=\"field-name-hint field-name-error\"")
    );
    let base = unescaped(value_in(&page, "spec"));
    assert!(base.contains("# pages from before count less"), "{base}");

    // A mistake stands beside its field, and what was typed is still there.
    let fields = "f_name=strike&f_contact=me%40a.test&f_limit_pages=many&f_keywords=strike%0d%0aunion%20leader&f_seeds=http%3a%2f%2fa.test%2f";
    let sent = send(&service, "/new", &format!("as=form&spec={}&{fields}&then=keep", encoded(&base)));
    assert_eq!(sent.status, 422, "{sent:?}");
    assert!(
        sent.body.contains(
            "id=\"field-limit_pages-error\" data-error=\"limit_pages\" role=\"alert\">expected a whole number"
        ),
        "{}",
        sent.body
    );
    assert!(sent.body.contains("value=\"many\"") && sent.body.contains("union leader"));
    let checked = service
        .post("/api/check", &json!({"spec": base, "fields": {"limit_pages": "many", "name": ""}}))
        .json();
    let at: Vec<&str> =
        checked["mistakes"].as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap()).collect();
    assert!(at.contains(&"limit_pages") && at.contains(&"name"), "{checked}");

    // To the text and back to the form: comments and what the form does not know stay.
    let sent = send(
        &service,
        "/new",
        &format!("as=form&spec={}&{}&then=toml", encoded(&base), fields.replace("many", "7")),
    );
    let text = sent
        .body
        .split("<textarea")
        .nth(1)
        .unwrap()
        .split_once('>')
        .unwrap()
        .1
        .split("</textarea>")
        .next()
        .unwrap();
    let text = unescaped(text);
    for line in [
        "name = \"strike\"",
        "pages = 7",
        "cooldown = \"60d\"",
        "# pages from before count less",
        "\"union leader\"",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let sent = send(&service, "/new", &format!("spec={}&then=form", encoded(&text)));
    assert!(sent.status == 200 && value_in(&sent.body, "f_limit_pages") == "7", "{}", sent.body);
    let broken = send(&service, "/new", "spec=name+%3d&then=form");
    assert!(broken.body.contains("id=\"spec\"") && broken.body.contains("bad"), "{}", broken.body);
    let made = send(&service, "/new", &format!("spec={}&then=keep&id=strike", encoded(&text)));
    assert!(made.status == 303 && made.head.contains("location: /crawls/strike"), "{made:?}");

    // The same form in the settings.
    let page = service.get("/crawls/strike/settings").body;
    let base = unescaped(value_in(&page, "spec"));
    let sent = send(
        &service,
        "/crawls/strike/settings",
        &format!("as=form&spec={}&f_delay=7s&then=change", encoded(&base)),
    );
    assert!(sent.status == 303, "{sent:?}");
    let spec = service.get("/api/crawls/strike/spec").body;
    assert!(
        spec.contains("min_delay = \"7s\"")
            && spec.contains("pages = 7")
            && spec.contains("cooldown = \"60d\""),
        "{spec}"
    );

    // A file, without script.
    let upload = |token: &str| {
        let text = "name = \"sent\"\n[[seed]]\nurl = \"http://u.test/\"\n[judge]\ngreediness = 3\n";
        let body = format!(
            "--b\r\ncontent-disposition: form-data; name=\"token\"\r\n\r\n{token}\r\n--b\r\ncontent-disposition: form-data; \
             name=\"file\"; filename=\"a.toml\"\r\n\r\n{text}\r\n--b--\r\n"
        );
        service.ask("POST", "/new/upload", &[("content-type", "multipart/form-data; boundary=b")], &body)
    };
    assert_eq!(upload("wrong").status, 403);
    let sent = upload(&token(&service));
    assert!(sent.status == 200 && sent.body.contains("http://u.test/"), "{sent:?}");
    assert!(unescaped(value_in(&sent.body, "spec")).contains("greediness = 3"));
}
