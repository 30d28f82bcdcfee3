//! What crawls found, asked of `annalist serve`: search and SPARQL over HTTP answer as the commands do, and people see the same.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use annalist_testweb::{ServerOptions, WorldConfig};
use serde_json::{Value, json};
use support::service::{Reply, Service};
use support::{IMPATIENT, Stand, annalist, assert_exit};

const LONG: Duration = Duration::from_secs(240);

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A service with one crawl that is over.
fn crawled(stand: &Stand, spec: &str) -> Service {
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    let reply = service.post("/api/crawls", &json!({"spec": spec, "id": "one", "start": true}));
    assert_eq!(reply.status, 201, "{reply:?}");
    service.until("one", LONG, |seen| seen["is_running"] == false && seen["state"] == "complete");
    service
}

fn small() -> (Stand, Service) {
    let config =
        WorldConfig { hosts: 6, pages: 60, addresses: 3, crawl_delays: 0.0, ..WorldConfig::default() };
    let stand = Stand::new(config);
    let spec = std::fs::read_to_string(stand.spec(IMPATIENT)).unwrap();
    let service = crawled(&stand, &spec);
    (stand, service)
}

/// What a command prints.
fn printed(args: &[&str]) -> String {
    let output = annalist().args(args).output().unwrap();
    assert_exit(&output, 0);
    String::from_utf8(output.stdout).unwrap()
}

/// The answer, once the archive has been read.
fn settled(service: &Service, path: &str) -> Value {
    let begun = Instant::now();
    loop {
        let reply = service.get(path);
        let told = reply.json();
        if reply.status == 200 && told["freshness"] == "current" {
            return told;
        }
        assert!(reply.status == 200 || reply.status == 503, "{reply:?}");
        assert!(reply.status == 200 || reply.head.contains("retry-after: "), "{reply:?}");
        assert!(begun.elapsed() < LONG, "{reply:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn sparql(service: &Service, query: &str, accept: &str) -> Reply {
    service.ask("GET", &format!("/api/crawls/one/sparql?query={}", encoded(query)), &[("accept", accept)], "")
}

#[test]
fn search_and_sparql_over_http_answer_as_the_commands_do() {
    let (stand, service) = small();
    let job = stand.dir.path().join("root/one");
    let job = job.to_str().unwrap();

    let all = settled(&service, "/api/crawls/one/search?limit=50");
    assert!(all["total"].as_u64().unwrap() >= 60, "{all}");
    // Which hit comes first is chance, and not every title has a plain word.
    let of_hit = |hit: &'_ Value| -> Option<(String, String)> {
        let mut words = hit["title"].as_str()?.split(' ');
        let word = words.find(|word| !word.is_empty() && word.chars().all(char::is_alphanumeric))?;
        Some((hit["site"].as_str()?.to_owned(), word.to_owned()))
    };
    let (site, word) = all["hits"].as_array().unwrap().iter().find_map(of_hit).unwrap();
    let (site, word) = (site.as_str(), word.as_str());
    for (query, options) in [
        (String::new(), vec![]),
        (format!("q={word}&facets=true&over_time=true"), vec![word, "--facets", "--over-time"]),
        (
            format!("q={word}&site={site}&sort=newest&all=true"),
            vec![word, "--site", site, "--sort", "newest", "--all"],
        ),
        ("type=page&limit=3&page=2".to_owned(), vec!["--type", "page", "--limit", "3", "--page", "2"]),
        ("from=1990&captured=true&limit=0".to_owned(), vec!["--from", "1990", "--captured", "--limit", "0"]),
    ] {
        let mut typed: Value =
            serde_json::from_str(&printed(&[&["search", job, "--json"][..], &options].concat())).unwrap();
        let mut told = settled(&service, &format!("/api/crawls/one/search?{query}"));
        told.as_object_mut().unwrap().remove("freshness");
        for hit in told["hits"].as_array_mut().unwrap() {
            assert_eq!(hit.as_object_mut().unwrap().remove("crawl"), Some(json!("one")));
        }
        for hit in typed["hits"].as_array_mut().unwrap() {
            hit.as_object_mut().unwrap().remove("job");
        }
        assert_eq!(told, typed, "{query}");
    }
    let several = settled(&service, &format!("/api/search?crawl=one&q={word}"));
    assert_eq!(several["total"], settled(&service, &format!("/api/crawls/one/search?q={word}"))["total"]);
    assert_eq!(service.get("/api/search?q=x").json()["errors"][0]["field"], "crawl");
    assert_eq!(service.get("/api/crawls/one/search?q=%28").json()["errors"][0]["field"], "q");
    assert_eq!(service.get("/api/crawls/none/search").status, 404);

    let types = "SELECT ?type (COUNT(*) AS ?n) { ?x a ?type } GROUP BY ?type ORDER BY ?type";
    let titles = "CONSTRUCT { ?page schema:name ?title } { ?page schema:name ?title }";
    for (query, format, accept) in [
        (types, "json", "application/sparql-results+json"),
        (types, "csv", "text/csv"),
        (types, "tsv", "text/tab-separated-values"),
        (types, "xml", "application/sparql-results+xml"),
        ("ASK { ?x a schema:WebPage }", "json", "application/json"),
    ] {
        let reply = sparql(&service, query, accept);
        assert_eq!(reply.status, 200, "{reply:?}");
        assert!(reply.head.contains("annalist-freshness: current"), "{reply:?}");
        assert_eq!(reply.body, printed(&["query", job, query, "--format", format]), "{query} as {format}");
    }
    let mut told: Vec<_> =
        sparql(&service, titles, "application/n-triples").body.lines().map(str::to_owned).collect();
    let mut typed: Vec<_> =
        printed(&["query", job, titles, "--format", "nt"]).lines().map(str::to_owned).collect();
    told.sort();
    typed.sort();
    assert!(told.len() >= 60);
    assert_eq!(told, typed);

    let csv = sparql(&service, types, "text/csv").body;
    let form = format!("query={}", encoded(types));
    let by_form = [("content-type", "application/x-www-form-urlencoded"), ("accept", "text/csv")];
    assert_eq!(service.ask("POST", "/api/crawls/one/sparql", &by_form, &form).body, csv);
    let as_it_is = [("content-type", "application/sparql-query"), ("accept", "text/csv")];
    assert_eq!(service.ask("POST", "/api/crawls/one/sparql", &as_it_is, types).body, csv);
    assert_eq!(service.get(&format!("/api/crawls/one/sparql?format=csv&query={}", encoded(types))).body, csv);
    long_answers_flow(&service);
}

/// Longer than what is kept back, and whole.
fn long_answers_flow(service: &Service) {
    let all = "SELECT ?s ?p ?o ?t { ?s ?p ?o { SELECT ?t { ?t a schema:WebPage } LIMIT 20 } }";
    let count = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o { SELECT ?t { ?t a schema:WebPage } LIMIT 20 } }";
    let reply = sparql(service, all, "text/csv");
    assert!(
        reply.head.contains("transfer-encoding: chunked") && reply.body.len() > 1 << 20,
        "{}",
        reply.head
    );
    let counted: usize =
        sparql(service, count, "text/csv").body.lines().nth(1).unwrap().trim().parse().unwrap();
    // Texts may have line ends.
    assert!(reply.body.matches("\r\n").count() > counted, "{counted}");
}

#[test]
fn hostile_sparql_is_refused_or_cut_and_others_are_still_answered() {
    let (_stand, service) = small();
    let problem = |reply: &Reply| {
        assert!(reply.head.contains("application/problem+json"), "{reply:?}");
        reply.status
    };
    for (query, status) in [
        ("SELECT * { ?a ?b", 422),
        ("INSERT DATA { <x:a> <x:b> <x:c> }", 400),
        ("DROP ALL", 400),
        ("SELECT * { SERVICE <http://127.0.0.1:1/> { ?a ?b ?c } }", 400),
        ("", 422),
    ] {
        assert_eq!(problem(&sparql(&service, query, "*/*")), status, "{query}");
    }
    assert_eq!(problem(&sparql(&service, "SELECT * { ?a ?b ?c }", "image/png")), 406);
    assert_eq!(problem(&service.get("/api/crawls/one/sparql")), 422);
    assert_eq!(problem(&service.get("/api/crawls/one/sparql?query=ASK%7B%7D&default-graph-uri=x%3Aa")), 422);
    let posted = |kind: &str, body: &str| {
        service.ask("POST", "/api/crawls/one/sparql", &[("content-type", kind)], body)
    };
    assert_eq!(problem(&posted("application/sparql-update", "CLEAR ALL")), 400);
    assert_eq!(problem(&posted("application/x-www-form-urlencoded", "update=CLEAR+ALL")), 400);
    assert_eq!(problem(&posted("text/plain", "ASK {}")), 415);

    let product = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";
    let reply = service.get(&format!("/api/crawls/one/sparql?timeout=1&query={}", encoded(product)));
    assert_eq!(problem(&reply), 422);
    assert!(reply.body.contains("not answered within 1 s"), "{reply:?}");
    let heavy = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } ORDER BY ?l";
    assert_eq!(problem(&sparql(&service, heavy, "*/*")), 422);

    // Askers who went away: their questions end, or nobody else would get a turn.
    for _ in 0..8 {
        let path = format!("/api/crawls/one/sparql?timeout=300&query={}", encoded(product));
        service.leave("GET", &path);
    }
    assert_eq!(sparql(&service, "ASK { ?a ?b ?c }", "*/*").json()["boolean"], true);
}

#[test]
fn stores_that_are_missing_are_made_in_the_background_and_give_way_to_a_crawl() {
    let (stand, service) = small();
    let job = stand.dir.path().join("root/one");
    let path = "/api/crawls/one/search?facets=true";
    let before = settled(&service, path);
    let forget = |job: &Path| {
        std::fs::remove_dir_all(job.join("search")).unwrap();
        std::fs::remove_dir_all(job.join("knowledge")).unwrap();
    };
    forget(&job);
    assert_eq!(settled(&service, path), before);
    let begun = Instant::now();
    while sparql(&service, "ASK { ?x a schema:WebPage }", "*/*").status != 200 {
        assert!(begun.elapsed() < LONG);
    }
    assert_eq!(sparql(&service, "ASK { ?x a schema:WebPage }", "*/*").json()["boolean"], true);

    forget(&job);
    let asked = [service.get(path).status, service.get("/api/crawls/one/sparql?query=ASK%7B%7D").status];
    assert!(asked.iter().all(|status| [200, 503].contains(status)), "{asked:?}");
    assert_eq!(service.post("/api/crawls/one/start", &json!({})).status, 202);
    let seen = service.until("one", LONG, |seen| seen["is_running"] == false && seen["goal"] == "rest");
    assert_eq!(seen["failed"], Value::Null, "{seen}");
    assert_eq!(settled(&service, path), before);
}

/// The first link of a page that has this in its address.
fn link(page: &Reply, part: &str) -> String {
    let links = page.body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let found = links.map(|link| link.replace("&amp;", "&")).find(|link| link.contains(part));
    found.unwrap_or_else(|| panic!("no link with {part}: {}", page.body))
}

fn seen(service: &Service, path: &str) -> Reply {
    let page = service.get(path);
    assert_eq!(page.status, 200, "{path}: {page:?}");
    assert!(!page.body.contains("<script>") && !page.body.contains(" style="), "{path}");
    page
}

#[test]
fn people_search_ask_and_read_what_a_study_found() {
    let stand = Stand::new(WorldConfig {
        society: true,
        hosts: 12,
        pages: 200,
        addresses: 6,
        crawl_delays: 0.0,
        ..WorldConfig::default()
    });
    let spec = std::fs::read_to_string(stand.helped_spec("")).unwrap();
    let service = crawled(&stand, &spec);
    let job = stand.dir.path().join("root/one");
    let page = seen(&service, "/crawls/one/knowledge");
    assert!(
        page.body.contains("action=\"/crawls/one/tasks\"") && page.body.contains("value=\"study\""),
        "{page:?}"
    );
    let token = page.body.split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = format!("token={}&kind=study&back=knowledge", encoded(token));
    let kind = [("content-type", "application/x-www-form-urlencoded")];
    let reply = service.ask("POST", "/crawls/one/tasks", &kind, &form);
    assert!(reply.status == 303 && reply.head.contains("/crawls/one/knowledge#tasks"), "{reply:?}");
    let begun = Instant::now();
    while !seen(&service, "/crawls/one/knowledge").body.contains("<span class=\"badge good\">done</span>") {
        assert!(begun.elapsed() < LONG, "the study does not end");
        std::thread::sleep(Duration::from_millis(200));
    }

    settled(&service, "/api/crawls/one/search?limit=0");
    let page = seen(&service, "/crawls/one/search?q=the");
    assert!(page.body.contains("<mark>the</mark>") || page.body.contains("<mark>The</mark>"), "{page:?}");
    assert!(page.body.contains("aria-label=\"Published by month\""), "{page:?}");
    for narrower in ["&site=", "&entity=", "&type=", "&from="] {
        let link = link(&page, narrower);
        let narrowed = seen(&service, &format!("/crawls/one/search{link}"));
        let told = settled(&service, &format!("/api/crawls/one/search{link}"));
        let found = told["total"].as_u64().unwrap();
        assert!(found > 0 && narrowed.body.contains(&format!("<strong>{found} found</strong>")), "{link}");
        let back = narrowed.body.split("<li><a href=\"?q=the\">").nth(1).unwrap_or_default();
        assert!(back.split("</a>").next().unwrap().contains("(take this back)"), "{link}: {narrowed:?}");
    }
    let captured = seen(&service, &link(&page, "/crawls/one/page?url="));
    assert!(captured.body.contains("<iframe"), "{captured:?}");
    let comments = seen(&service, "/crawls/one/search?type=comment");
    let captured = seen(&service, &link(&comments, "/crawls/one/page?url="));
    let comment = &settled(&service, "/api/crawls/one/search?type=comment")["hits"][0];
    assert!(captured.body.contains("Written on it: "), "{captured:?}");
    assert!(
        captured.body.contains(&format!("<strong>{}</strong>", comment["author"].as_str().unwrap())),
        "{captured:?}"
    );
    let of_page = encoded(comment["url"].as_str().unwrap());
    let known = settled(&service, &format!("/api/crawls/one/page?url={of_page}"));
    assert_eq!((&known["state"], &known["page"]["type"]), (&json!("captured"), &json!("page")), "{known}");
    let writings = known["writings"].as_array().unwrap();
    assert!(
        writings.iter().any(|one| one["author"] == comment["author"] && one["type"] == "comment"),
        "{known}"
    );
    assert!(known["decisions"].as_array().unwrap().len() > 2, "{known}");
    let hostile =
        service.get("/crawls/one/search?q=%3Cscript%3Ealert(1)%3C/script%3E&site=%22%3E%3Cscript%3E");
    assert!(!hostile.body.contains("<script>"), "{hostile:?}");
    assert_eq!(service.get("/crawls/one/search?q=%28the").status, 422);

    let people = seen(&service, "/crawls/one/knowledge");
    let person = link(&people, "/knowledge/name?name=");
    let page = seen(&service, &person);
    assert!(page.body.contains("Read the writings") && page.body.contains("Writings by month"), "{page:?}");
    let writings = seen(&service, &link(&page, "/search?entity="));
    assert!(writings.body.contains(" found</strong>"), "{writings:?}");
    for (part, narrowed) in
        [("topics", "/search?topic="), ("events", "/search?event="), ("social", "/search?author=")]
    {
        let page = seen(&service, &format!("/crawls/one/knowledge/{part}"));
        let writings = seen(&service, &link(&page, narrowed));
        assert!(writings.body.contains(" found</strong>"), "{part}: {writings:?}");
    }
    assert_eq!(service.get("/crawls/one/knowledge/name?name=Nobody").status, 404);
    let table = service.get("/api/crawls/one/study/entities");
    assert!(table.head.contains("content-type: text/csv"), "{table:?}");
    assert_eq!(table.body, std::fs::read_to_string(job.join("study/entities.csv")).unwrap());
    let second = service.get("/api/crawls/one/study/entities?offset=1&limit=1");
    let lines: Vec<&str> = table.body.lines().collect();
    assert_eq!(second.body.lines().collect::<Vec<_>>(), [lines[0], lines[2]]);
    assert!(second.head.contains(&format!("annalist-rows: {}", lines.len() - 1)), "{second:?}");
    assert_eq!(service.get("/api/crawls/one/study/writings").status, 404);

    let page = seen(&service, "/crawls/one/ask");
    let examples: Vec<_> = page
        .body
        .split("href=\"")
        .filter_map(|rest| rest.strip_prefix("?query=")?.split('"').next())
        .collect();
    assert!(examples.len() >= 5, "{page:?}");
    for example in examples {
        let page = seen(&service, &format!("/crawls/one/ask?query={example}"));
        // Without a topic nothing is relevant.
        if example.contains("relevance") {
            continue;
        }
        assert!(page.body.contains("<tbody>"), "{page:?}");
        let file = service.get(&link(&page, "format=csv"));
        assert!(file.status == 200 && file.body.lines().count() > 1, "{file:?}");
    }
    let wrong = service.get("/crawls/one/ask?query=SELECT+%3Cscript%3E");
    assert!(
        wrong.status == 422 && wrong.body.contains("role=\"alert\"") && !wrong.body.contains("<script>"),
        "{wrong:?}"
    );
}

#[test]
fn a_crawl_that_runs_says_why_a_page_is_there_and_is_asked_meanwhile() {
    let options = ServerOptions { latency: Duration::from_millis(50), ..ServerOptions::default() };
    let config =
        WorldConfig { hosts: 6, pages: 300, addresses: 2, crawl_delays: 0.0, ..WorldConfig::default() };
    let stand = Stand::with_options(config, options);
    let keywords = "[topic]\nkeywords = [\"the\", \"crisis\"]\n[knowledge]\nevery = \"100ms\"\n";
    let spec = std::fs::read_to_string(stand.spec(&format!("{IMPATIENT}{keywords}"))).unwrap();
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    let reply = service.post("/api/crawls", &json!({"spec": spec, "id": "one", "start": true}));
    assert_eq!(reply.status, 201, "{reply:?}");
    let running = service.until("one", LONG, |seen| seen["captures"].as_u64() > Some(20));
    assert_eq!(running["is_running"], true);
    let fetched = service.get("/api/crawls/one/fetched?limit=50").json();
    let fetched = fetched["fetched"].as_array().unwrap();
    let page = fetched.iter().find(|one| one["status"] == 200 && one["mime"] == "text/html").unwrap();
    let url = page["url"].as_str().unwrap();
    let captured = seen(&service, &format!("/crawls/one/page?url={}", encoded(url)));
    assert!(
        captured.body.contains("Why it is here") && captured.body.contains("captured with status 200"),
        "{captured:?}"
    );
    let why = service.get(&format!("/api/crawls/one/explain?url={}", encoded(url))).json();
    assert!(why["state"] == "captured" && why["decisions"].as_array().unwrap().len() > 2, "{why}");
    let asked = service.get("/api/crawls/one/search");
    assert!(asked.status == 503 || asked.json()["freshness"] == "growing", "{asked:?}");
    let asked = sparql(&service, "ASK {}", "*/*");
    assert!(asked.status == 200 && asked.head.contains("annalist-freshness: growing"), "{asked:?}");
    assert_eq!(service.get("/api/crawls/one").json()["is_running"], true, "it was over before it was asked");

    service.post("/api/crawls/one/stop", &json!({}));
    service.until("one", LONG, |seen| seen["is_running"] == false);
    settled(&service, "/api/crawls/one/search?limit=0");
    let captured = seen(&service, &format!("/crawls/one/page?url={}", encoded(url)));
    assert!(captured.body.contains("Score 0.") && captured.body.contains("of the topic"), "{captured:?}");
    let known = settled(&service, &format!("/api/crawls/one/page?url={}", encoded(url)));
    assert!(known["score"]["score"].is_f64() && known["score"]["words"].is_array(), "{known}");
    for (question, field) in
        [("at=2011", "url"), ("url=mailto:x", "url"), ("url=http://x.test/&at=soon", "at")]
    {
        let wrong = service.get(&format!("/api/crawls/one/page?{question}"));
        assert_eq!((wrong.status, &wrong.json()["errors"][0]["field"]), (422, &json!(field)), "{wrong:?}");
    }
}
