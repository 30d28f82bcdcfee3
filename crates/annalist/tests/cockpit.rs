//! The cockpit's pages over HTTP, as a browser without script sends and reads them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::json;
use support::service::{Reply, Service};

/// Of a web that nobody has.
const SPEC: &str = "name = \"x\"\n[[seed]]\nurl = \"http://a.test/\"\n[topic]\nkeywords = [\"one\", \"two\"]\n[limits]\npages = 5\n\
    [network]\nallow = [\"127.0.0.0/8\"]\n[network.resolve]\n\"a.test\" = \"127.0.0.1:9\"\n";

fn stand() -> (tempfile::TempDir, Service) {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(&dir.path().join("root"));
    let made = service.post("/api/crawls", &json!({"spec": SPEC, "id": "x"}));
    assert_eq!(made.status, 201, "{made:?}");
    (dir, service)
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// The value of a field in a page.
fn value_in(page: &str, name: &str) -> String {
    let field = page.split(&format!("name=\"{name}\" value=\"")).nth(1);
    let field = field.unwrap_or_else(|| panic!("no {name}: {page}")).split('"').next().unwrap();
    field.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Sends a form of the cockpit.
fn send(service: &Service, path: &str, fields: &[(&str, &str)]) -> Reply {
    let token = value_in(&service.get("/new").body, "token");
    let pairs = fields.iter().map(|(name, value)| format!("&{name}={}", encoded(value)));
    let form = ("content-type", "application/x-www-form-urlencoded");
    service.ask("POST", path, &[form], &format!("token={token}{}", pairs.collect::<String>()))
}

const SETTINGS: &str = "/crawls/x/settings";

/// What the form was opened with.
fn opened(service: &Service) -> (String, String) {
    let page = service.get(SETTINGS).body;
    (value_in(&page, "base"), value_in(&page, "spec"))
}

#[test]
fn what_others_changed_since_the_settings_were_opened_is_not_undone() {
    let (_dir, service) = stand();
    let spec = || service.get("/api/crawls/x/spec").body;
    let (base, text) = opened(&service);
    assert_eq!(service.put("/api/crawls/x/limits", &json!({"pages": 7})).status, 200);
    let change = |fields: &[(&str, &str)]| {
        let sent = [("as", "form"), ("base", &base), ("spec", &text), ("then", "change")];
        send(&service, SETTINGS, &[&sent, fields].concat())
    };
    // Another field: both changes are kept.
    let kept = change(&[("f_delay", "7s"), ("f_keywords", "one\r\nthree"), ("f_limit_pages", "5")]);
    assert!(kept.status == 303 && kept.head.contains("done=merged"), "{kept:?}");
    assert!(
        spec().contains("pages = 7") && spec().contains("7s") && spec().contains("[\"one\", \"three\"]"),
        "{}",
        spec()
    );
    // The same field: nothing is kept, what was typed is there still, and what the other did is told.
    let refused = change(&[("f_limit_pages", "6")]);
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(value_in(&refused.body, "f_limit_pages"), "6");
    for part in [
        "somebody else has set this to 7 meanwhile",
        "What somebody else changed meanwhile",
        "<code>limits.pages</code>",
    ] {
        assert!(refused.body.contains(part), "{part}: {}", refused.body);
    }
    assert!(spec().contains("pages = 7"), "{}", spec());
    // Who has seen that may have it their way, and the rest of the other's changes stays.
    let (base, text) = (value_in(&refused.body, "base"), value_in(&refused.body, "spec"));
    let sent = [
        ("as", "form"),
        ("base", base.as_str()),
        ("spec", &text),
        ("f_limit_pages", "6"),
        ("then", "change"),
    ];
    assert_eq!(send(&service, SETTINGS, &sent).status, 303);
    assert!(spec().contains("pages = 6") && spec().contains("7s"), "{}", spec());
    // As text.
    let old = spec();
    assert_eq!(service.put("/api/crawls/x/limits", &json!({"pages": 8})).status, 200);
    let mine = old.replace("greediness = 1", "greediness = 4");
    let refused = send(&service, SETTINGS, &[("base", old.as_str()), ("spec", &mine), ("then", "change")]);
    assert!(refused.status == 409 && refused.body.contains("greediness = 4"), "{refused:?}");
    assert!(spec().contains("greediness = 1") && spec().contains("pages = 8"), "{}", spec());
}

#[test]
fn a_site_is_blocked_and_allowed_again_however_it_is_spelled_and_the_form_shows_it() {
    let (_dir, service) = stand();
    let spec = || service.get("/api/crawls/x/spec").body;
    let site = "/api/crawls/x/sites/B%C3%BCcher.EXAMPLE";
    assert_eq!(service.put(site, &json!({"blocked": true})).status, 200);
    let shown = service.get(SETTINGS).body;
    assert!(shown.contains("xn--bcher-kva.example</textarea>"), "{shown}");
    assert_eq!(service.put(site, &json!({"pages": 3})).status, 200);
    let allowed = service.put(site, &json!({"blocked": false}));
    assert_eq!(allowed.status, 200, "{allowed:?}");
    assert!(!spec().contains("block = [\"xn--") && spec().contains("pages = 3"), "{}", spec());
    assert_eq!(service.put("/api/crawls/x/sites/a%20b", &json!({"blocked": true})).status, 422);
    // In the cockpit, too.
    let set = send(&service, "/crawls/x/do/site", &[("site", "A.test"), ("delay", "7s"), ("pages", "9")]);
    assert_eq!(set.status, 303, "{set:?}");
    let queue = service.get("/crawls/x/queue").body;
    assert!(queue.contains("<strong>a.test</strong>: a pause of 7s at least, 9 pages at most"), "{queue}");
    assert_eq!(send(&service, "/crawls/x/do/site", &[("site", "a.test")]).status, 303);
    assert!(!service.get("/crawls/x/queue").body.contains("a pause of"), "{}", spec());
    assert_eq!(send(&service, "/crawls/x/do/site", &[("site", "a.test"), ("pages", "x")]).status, 422);
    // What is wrong is named as it was sent.
    let wrong = service.put("/api/crawls/x/weights", &json!({"anchor": -1})).json();
    assert_eq!((&wrong["errors"][0]["field"], &wrong["errors"][0]["line"]), (&json!("anchor"), &json!(null)));
    // An address is no site: nothing is made of it that would match nothing.
    let (base, text) = opened(&service);
    let sent = [
        ("as", "form"),
        ("base", &base),
        ("spec", &text),
        ("f_allowed", "http://b.test/a"),
        ("then", "change"),
    ];
    let refused = send(&service, SETTINGS, &sent);
    assert!(refused.status == 422 && !spec().contains("b.test"), "{refused:?}");
}

#[test]
fn a_program_changes_only_the_spec_it_has_read() {
    let (_dir, service) = stand();
    let read = service.get("/api/crawls/x/spec");
    let tag = read.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let put = |tag: &str, text: &str| service.ask("PUT", "/api/crawls/x/spec", &[("if-match", tag)], text);
    let text = read.body.replace("pages = 5", "pages = 6");
    assert_eq!(put("\"other\"", &text).status, 412);
    assert_eq!(put(&format!("\"other\", {tag}"), &text).status, 200);
    let late = put(&tag, &text);
    assert!(
        late.status == 412 && late.json()["detail"].as_str().unwrap().contains("read it again"),
        "{late:?}"
    );
    assert_eq!(put("*", &text).status, 200);
    assert_eq!(service.ask("PUT", "/api/crawls/x/spec", &[], &text).status, 200);
}

#[test]
fn a_log_is_told_as_it_grows_by_the_filters_it_was_asked_with() {
    let (dir, service) = stand();
    let log = dir.path().join("root/x/logs/events.jsonl");
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    let write = |severity: &str, message: &str| {
        let line = json!({"time": "2026-11-17T08:00:00Z", "severity": severity, "subsystem": "crawl", "message": message});
        let mut file = std::fs::File::options().append(true).create(true).open(&log).unwrap();
        writeln!(file, "{line}").unwrap();
    };
    write("info", "it was so before");
    let page = service.get("/crawls/x/log?severity=warning&q=disk").body;
    let source = page.split("data-log-source=\"").nth(1).unwrap_or_else(|| panic!("{page}"));
    let source = source.split('"').next().unwrap().replace("&amp;", "&");
    assert!(page.contains("Nothing that fits has happened") && source.contains("after=99"), "{source}");
    let mut stream = TcpStream::connect(&service.address).unwrap();
    write!(stream, "GET {source} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", service.address)
        .unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    write("info", "the disk is fine");
    write("warning", "something else");
    write("warning", "the Disk is nearly full");
    let told = loop {
        let line = lines.next().unwrap();
        if let Some(data) = line.strip_prefix("data: ").filter(|data| *data != "{}") {
            break data.to_owned();
        }
    };
    let event: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(event["message"], "the Disk is nearly full");
    // Who lost the connection goes on behind the last line, also where several came at once.
    let heard = |last: &str, count: usize| {
        let mut stream = TcpStream::connect(&service.address).unwrap();
        let path = "/api/crawls/x/events/live?after=0";
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\n{last}\r\n", service.address).unwrap();
        let lines = BufReader::new(stream).lines().map(Result::unwrap);
        let part = |line: String| {
            let value = |name: &str| line.strip_prefix(name).map(str::to_owned);
            value("id: ").or_else(|| value("data: "))
        };
        lines.filter_map(part).take(2 * count).collect::<Vec<_>>()
    };
    let all = heard("", 4);
    let place = |text: &String| text.parse::<u64>().ok();
    let (ids, messages): (Vec<&String>, Vec<&String>) = all.iter().partition(|text| place(text).is_some());
    assert!(ids.is_sorted_by(|one, next| place(one) < place(next)), "{ids:?}");
    let rest = heard(&format!("last-event-id: {}\r\n", ids[1]), 2);
    assert!(rest.contains(messages[2]) && rest.contains(messages[3]), "{rest:?}");
    assert_eq!(service.get("/api/crawls/x/events/live?severity=loud").status, 422);
    assert_eq!(service.get("/api/crawls/none/events/live").status, 404);
    // Older parts of a log do not grow.
    assert!(!service.get("/crawls/x/log?before=50").body.contains("data-log-source"));
}

#[test]
fn weights_of_signals_are_fields_of_the_form() {
    let (_dir, service) = stand();
    let (base, text) = opened(&service);
    let change = |weight: &str| {
        let sent = [
            ("as", "form"),
            ("base", base.as_str()),
            ("spec", &text),
            ("f_weight_anchor", weight),
            ("then", "change"),
        ];
        send(&service, SETTINGS, &sent)
    };
    let wrong = change("much");
    assert!(
        wrong.status == 422 && wrong.body.contains("data-error=\"weight_anchor\" role=\"alert\">expected"),
        "{}",
        wrong.body
    );
    assert_eq!(change("0.5").status, 303);
    assert!(service.get("/api/crawls/x/spec").body.contains("[judge.weights]\nanchor = 0.5"));
    let page = service.get(SETTINGS).body;
    assert_eq!(value_in(&page, "f_weight_anchor"), "0.5");
    assert!(page.contains("How near the link's own text is to the topic."), "{page}");
}

#[test]
fn what_was_not_begun_is_not_called_done() {
    let (_dir, service) = stand();
    let queue = service.get("/crawls/x/queue").body;
    assert!(queue.contains("The crawl has not been started") && queue.contains("1 seed waits"), "{queue}");
    let knowledge = service.get("/crawls/x/knowledge").body;
    assert!(
        knowledge.contains("Nothing is captured yet") && !knowledge.contains("Run a study"),
        "{knowledge}"
    );
}

#[test]
fn a_crawl_is_called_by_the_name_that_its_spec_gives_it() {
    let (_dir, service) = stand();
    let named =
        SPEC.replace("name = \"x\"", "name = \"Ελλάδα & Europe\"\ndescription = \"What became of it\"");
    assert_eq!(service.post("/api/crawls", &json!({"spec": named, "id": "y"})).status, 201);
    assert_eq!(service.get("/api/crawls/y").json()["name"], "Ελλάδα & Europe");
    let page = service.get("/crawls/y").body;
    let heading = "<h1>Ελλάδα &amp; Europe <small class=\"hint\">y</small></h1>";
    for part in [heading, "<title>Ελλάδα &amp; Europe – Overview", "What became of it"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let home = service.get("/").body;
    assert!(home.contains("Ελλάδα &amp; Europe") && home.contains("<a href=\"/crawls/x\">x</a>"), "{home}");
}

#[test]
fn seeds_are_taken_as_people_type_them_and_all_that_are_wrong_are_named() {
    let (_dir, service) = stand();
    let spec = || service.get("/api/crawls/x/spec").body;
    let added = send(&service, "/crawls/x/do/seeds", &[("urls", "a.test/economy/\r\na.test:8080")]);
    assert!(added.status == 303 && added.head.contains("given=2&added=2"), "{added:?}");
    assert!(spec().contains("http://a.test/economy/") && spec().contains("http://a.test:8080/"));
    let typed = "a.test/c ftp://d.test/ ht!tp://e.test";
    let refused = send(&service, "/crawls/x/do/seeds", &[("urls", typed)]);
    assert_eq!(refused.status, 422, "{refused:?}");
    for part in [
        "2 of these addresses cannot be used",
        "<code>ftp://d.test/</code>",
        "<code>ht!tp://e.test</code>",
        "href=\"/crawls/x\">Back to the crawl</a>",
    ] {
        assert!(refused.body.contains(part), "{part}: {}", refused.body);
    }
    assert!(!spec().contains("a.test/c"), "nothing was changed");
    let urls = json!({"urls": ["a.test/c", "mailto:a@b.test", "ftp://d.test/"]});
    let wrong = service.post("/api/crawls/x/seeds", &urls).json();
    assert_eq!(
        (&wrong["errors"][0]["field"], &wrong["errors"][1]["field"], &wrong["errors"][2]),
        (&json!("urls[1]"), &json!("urls[2]"), &json!(null)),
        "{wrong}"
    );
    assert_eq!(service.post("/api/crawls/x/seeds", &json!({"urls": ["a.test/c"]})).status, 200);
    // What is not there leads nowhere.
    let none = service.get("/crawls/none/queue");
    assert!(none.status == 404 && !none.body.contains("Back to the crawl"), "{none:?}");
}

#[test]
fn what_was_fetched_is_told_in_words() {
    let (dir, service) = stand();
    let logs = dir.path().join("root/x/logs");
    std::fs::create_dir_all(&logs).unwrap();
    let line = |status: &str, path: &str, notes: &str| {
        format!(
            "2026-11-17T08:00:00.000Z {status} 10 http://a.test/{path} - - text/html #000 20261117080000000+1 - - {notes}\n"
        )
    };
    let log = [
        line("-9998", "a", "retry:robots.txt%20was%20cut%20short"),
        line("200", "b", "warcRevisit:digest"),
        line("404", "c", "-"),
        line("-5000", "left-alone", "excluded"),
    ];
    std::fs::write(logs.join("crawl.log"), log.concat()).unwrap();
    let page = service.get("/crawls/x/fetched").body;
    for part in [
        "<summary>-9998</summary><span>The site's robots.txt forbids it, or could not be had</span>",
        "title=\"retry:robots.txt%20was%20cut%20short\">to be tried again: robots.txt was cut short<",
        "title=\"warcRevisit:digest\">the same as an earlier capture",
        "<summary>404</summary><span>Not Found</span>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("left-alone"), "it was never asked for: {page}");
    // It is found by the words that are shown, and by those of the file.
    for words in ["earlier+capture", "not+found", "was+cut+short", "warcrevisit", "could+not+be+had"] {
        let found = service.get(&format!("/api/crawls/x/fetched?q={words}")).json();
        assert_eq!(found["fetched"].as_array().map(Vec::len), Some(1), "{words}: {found}");
    }
    // Programs read what stands in the file.
    let told = service.get("/api/crawls/x/fetched").json();
    assert_eq!(told["fetched"][1]["annotations"], "warcRevisit:digest", "{told}");
}

/// A record as it stands in a file that is not packed.
fn record(url: &str, date: &str, kind: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}");
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n\
         WARC-Record-ID: <urn:uuid:{}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        date.replace(|c: char| !c.is_ascii_digit(), ""),
        block.len()
    )
}

fn put_archive(job: &Path, records: &[String]) {
    std::fs::create_dir_all(job.join("archive")).unwrap();
    std::fs::write(job.join("archive/a.warc"), records.concat()).unwrap();
}

#[test]
fn above_a_captured_page_stands_when_it_was_captured_and_the_way_to_other_captures() {
    let (dir, service) = stand();
    let url = "http://a.test/";
    let moments = ["2026-03-01T10:00:00Z", "2026-03-02T11:30:15Z", "2026-03-03T12:00:00Z"];
    let mut records: Vec<String> =
        moments.iter().map(|date| record(url, date, "text/html", "<p>words</p>")).collect();
    records.push(record("http://a.test/paper", "2026-03-04T08:09:10Z", "application/pdf", "%PDF-1.4"));
    put_archive(&dir.path().join("root/x"), &records);
    let page = service.get(&format!("/crawls/x/page?url={}&at=202603021131", encoded(url))).body;
    let banner = page.split("class=\"banner\"").nth(1).unwrap().split("</div>").next().unwrap();
    for part in [
        url,
        "Captured <strong><time datetime=\"2026-03-02T11:30:15Z\">2026-03-02 11:30:15 UTC</time></strong>",
        "rel=\"prev\" href=\"/crawls/x/page?url=http%3A%2F%2Fa.test%2F&amp;at=20260301100000\"",
        "rel=\"next\" href=\"/crawls/x/page?url=http%3A%2F%2Fa.test%2F&amp;at=20260303120000\"",
        "Capture 2 of 3",
    ] {
        assert!(banner.contains(part), "{part}: {banner}");
    }
    let frame = page.split("<iframe").nth(1).and_then(|frame| frame.split("src=\"").nth(1)).unwrap();
    let address =
        frame.split('"').next().unwrap().strip_prefix(&format!("http://{}", service.replay)).unwrap();
    assert!(
        address.starts_with("/x~") && address.ends_with(&format!("/20260302113015mp_/{url}")),
        "{address}"
    );
    let newest = service.get(&format!("/crawls/x/page?url={}", encoded(url))).body;
    assert!(newest.contains("Capture 3 of 3") && !newest.contains("rel=\"next\""), "{newest}");
    // What no frame shows is opened by itself.
    let paper = service.get("/crawls/x/page?url=http%3A%2F%2Fa.test%2Fpaper").body;
    assert!(paper.contains("A PDF document") && !paper.contains("<iframe"), "{paper}");
    let address = format!("http://{}/x/20260304080910mp_/http://a.test/paper", service.replay);
    assert!(
        paper.contains(&format!("href=\"{address}\" target=\"_blank\" rel=\"noreferrer noopener\"")),
        "{paper}"
    );
    let shown = service.replayed("/x/20260304080910mp_/http://a.test/paper");
    assert!(shown.status == 200 && !shown.head.contains("sandbox"), "{shown:?}");
    let never = service.get("/crawls/x/page?url=http%3A%2F%2Fa.test%2Fnever").body;
    assert!(never.contains("No capture of this address is in the archive."), "{never}");
    assert!(never.contains("There is no capture of this address") && !never.contains("<iframe"), "{never}");
}

#[test]
fn what_is_told_of_a_page_is_of_the_capture_that_is_shown() {
    let (dir, service) = stand();
    let (url, again, odd) = ("http://a.test/", "http://a.test/again", "http://a.test/odd");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let revisit = |again: &str, url: &str| {
        format!(
            "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: {again}\r\nWARC-Date: 2026-03-05T10:00:00Z\r\n\
         WARC-Record-ID: <urn:uuid:5>\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
         WARC-Refers-To-Target-URI: {url}\r\nWARC-Refers-To-Date: 2026-03-01T10:00:00Z\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}\r\n\r\n",
            head.len()
        )
    };
    let records = [
        record(url, "2026-03-01T10:00:00Z", "text/html", "<p>the earlier words</p>"),
        record(url, "2026-03-03T10:00:00Z", "text/html", "<p>the later words</p>"),
        revisit(again, url),
        // As others may spell it.
        revisit(odd, "http://A.test:80/#top"),
    ];
    put_archive(&dir.path().join("root/x"), &records);
    let beside = |url: &str, at: &str| {
        let begun = std::time::Instant::now();
        loop {
            let page = service.get(&format!("/crawls/x/page?url={}&at={at}", encoded(url))).body;
            let beside = page.split("class=\"beside\"").nth(1).unwrap_or_else(|| panic!("nothing: {page}"));
            if !beside.contains("Nothing is known of it yet") {
                return beside.to_owned();
            }
            assert!(begun.elapsed().as_secs() < 60, "it is never read: {page}");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    };
    for (at, told) in [("", "later"), ("2026", "later"), ("20260301", "earlier"), ("202603011000", "earlier")]
    {
        assert!(beside(url, at).contains(&format!("the {told} words")), "{at:?}: {}", beside(url, at));
    }
    let other = beside(odd, "");
    assert!(other.contains("the earlier words") && other.contains("Seen before"), "{other}");
    let same = beside(again, "");
    assert!(same.contains("the earlier words") && same.contains("Seen before"), "{same}");
    assert!(same.contains("/crawls/x/page?url=http%3A%2F%2Fa.test%2F&amp;at=20260301100000"), "{same}");
}

#[test]
fn what_stands_above_a_frame_is_of_the_page_that_the_frame_shows() {
    let (dir, service) = stand();
    let other = "<p><a href='/b?c=d'>on</a></p>";
    let records = [
        record("http://a.test/", "2026-03-01T10:00:00Z", "text/html", other),
        record("http://a.test/b?c=d", "2026-03-02T11:30:15Z", "text/html", "<p>words</p>"),
    ];
    put_archive(&dir.path().join("root/x"), &records);
    let page = service.get("/crawls/x/page?url=http%3A%2F%2Fa.test%2F").body;
    let part = |text: &str, before: &str| {
        let rest = text.split(before).nth(1).unwrap_or_else(|| panic!("no {before}: {text}"));
        rest.split(['"', '\'']).next().unwrap().to_owned()
    };
    let view = part(&page, "data-view=\"");
    let path = |address: String| address.split_once(&service.replay).unwrap().1.to_owned();
    let above = || {
        let page = service.get(&format!("/crawls/x/page?view={view}")).body;
        page.split("class=\"banner\"").nth(1).map(|rest| rest.split("</div>").next().unwrap().to_owned())
    };
    assert_eq!(above(), None, "nobody has looked into the frame yet");
    let first = path(part(page.split("<iframe").nth(1).unwrap(), " src=\""));
    let shown = service.replayed(&first);
    assert!(shown.head.to_lowercase().contains("cache-control: no-store"), "{shown:?}");
    assert!(above().unwrap().contains("2026-03-01 10:00:00 UTC"));
    // A link leads on in the same frame, and back again.
    let link = path(part(&shown.body, "href=\"").replace("&amp;", "&"));
    assert!(link.contains(&format!("/x~{view}/")), "{link}");
    // Its nearest capture is of another time.
    let moved = service.replayed(&link);
    let to = moved.head.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or_default();
    assert!(moved.status == 302 && above().unwrap().contains("2026-03-01 10:00:00 UTC"), "{moved:?}");
    let link = path(to.to_owned());
    assert_eq!(service.replayed(&link).status, 200);
    let banner = above().unwrap();
    assert!(banner.contains("http://a.test/b?c=d") && banner.contains("2026-03-02 11:30:15 UTC"), "{banner}");
    service.replayed(&first);
    assert!(above().unwrap().contains("2026-03-01 10:00:00 UTC"));
    // What is loaded as a part of a page, or without a frame, changes nothing.
    service.replayed(&link.replace("mp_/", "if_/"));
    service.replayed(&link.replace(&format!("~{view}"), ""));
    // Nor does what is fetched ahead, or opened in another window.
    for wanted in ["empty", "document", "image", "object"] {
        service.replayed_with(&link, &[("sec-fetch-dest", wanted)]);
    }
    assert!(above().unwrap().contains("2026-03-01 10:00:00 UTC"));
    service.replayed_with(&link, &[("sec-fetch-dest", "iframe")]);
    assert!(above().unwrap().contains("2026-03-02 11:30:15 UTC"));
}

#[test]
fn the_live_web_is_not_asked_under_the_contact_of_an_example() {
    let (_dir, service) = stand();
    let live = |contact: &str| {
        format!("name = \"y\"\ncontact = \"{contact}\"\n[[seed]]\nurl = \"https://www.bl.uk/\"\n")
    };
    for contact in ["https://library.example/crawler", "me@example.org", "https://mine.test/"] {
        let refused = service.post("/api/crawls", &json!({"spec": live(contact), "id": "y"}));
        assert_eq!(
            (refused.status, &refused.json()["errors"][0]["field"]),
            (422, &json!("contact")),
            "{refused:?}"
        );
        assert!(refused.body.contains("this is an example"), "{refused:?}");
        let checked = service.post("/api/check", &json!({"spec": live(contact)})).json();
        assert_eq!(
            (&checked["is_good"], &checked["mistakes"][0]["field"]),
            (&json!(false), &json!("contact")),
            "{checked}"
        );
    }
    assert_eq!(
        service.post("/api/crawls", &json!({"spec": live("https://www.kb.nl/"), "id": "y"})).status,
        201
    );
    // On machines of one's own anybody may ask.
    let own = format!("contact = \"https://library.example/\"\n{SPEC}");
    assert_eq!(service.post("/api/crawls", &json!({"spec": own, "id": "z"})).status, 201);
    let handed = service
        .post("/api/crawls/z/urls", &json!([{"url": "https://www.bl.uk/"}, {"url": "http://a.test/b"}]))
        .json();
    assert_eq!(
        (&handed["accepted"], &handed["errors"][0]["field"]),
        (&json!(1), &json!("[0].url")),
        "{handed}"
    );
    // It is shown how one looks, and none is there by itself.
    let page = service.get("/new").body;
    assert!(
        value_in(&page, "f_contact").is_empty()
            && page.contains("placeholder=\"https://library.example/crawler\""),
        "{page}"
    );
}

#[test]
fn nothing_is_removed_before_somebody_was_asked_what_for() {
    let (dir, service) = stand();
    let job = dir.path().join("root/x");
    std::fs::create_dir_all(job.join("exports")).unwrap();
    std::fs::write(job.join("exports/x-1.csv"), "a").unwrap();
    let asks = |path: &str, fields: &[(&str, &str)], says: &str| {
        let asked = send(&service, path, fields);
        assert!(asked.status == 200 && asked.body.contains(says), "{path}: {asked:?}");
        assert!(
            asked.body.contains("name=\"sure\" value=\"1\"") && asked.body.contains("No, go back"),
            "{}",
            asked.body
        );
    };
    let file = [("name", "x-1.csv")];
    asks("/crawls/x/exports/remove", &file, "Remove x-1.csv?");
    assert!(job.join("exports/x-1.csv").exists());
    let sure = |fields: &[(&'static str, &'static str)]| [fields, &[("sure", "1")]].concat();
    assert_eq!(send(&service, "/crawls/x/exports/remove", &sure(&file)).status, 303);
    assert!(!job.join("exports/x-1.csv").exists());

    let next = [("next", "2030-01-01T00:00"), ("every", "1d")];
    assert_eq!(send(&service, "/crawls/x/do/schedule", &next).status, 303);
    asks("/crawls/x/do/unschedule", &[], "The schedule is deleted");
    assert!(!service.get("/api/crawls/x").json()["schedule"].is_null());
    assert_eq!(send(&service, "/crawls/x/do/unschedule", &sure(&[])).status, 303);
    assert!(service.get("/api/crawls/x").json()["schedule"].is_null());

    asks("/crawls/x/do/remove", &[], "Remove x for good?");
    assert!(job.join("spec.toml").exists());
    assert_eq!(send(&service, "/crawls/x/do/remove", &sure(&[])).status, 303);
    assert!(!job.exists());
}

/// What a new crawl's form sends, of this machine, with other values in some fields.
fn drafted<'f>(fields: &[(&'f str, &'f str)]) -> Vec<(&'f str, &'f str)> {
    let given = [("as", "form"), ("spec", SPEC), ("id", "z")];
    given.into_iter().chain(fields.iter().copied()).collect()
}

#[test]
fn what_is_wrong_in_a_form_stands_at_its_head_and_leads_to_the_fields() {
    let (_dir, service) = stand();
    let wrong =
        [("then", "keep"), ("f_limit_time", "2 hours"), ("f_event_from", "yesterday"), ("f_allowed", "a b")];
    let refused = send(&service, "/new", &drafted(&wrong));
    assert_eq!(refused.status, 422, "{refused:?}");
    let page = &refused.body;
    assert!(page.contains("<title>Error: New crawl"), "{page}");
    let head = page.split("id=\"field-name\"").next().unwrap();
    for part in
        ["autofocus", "href=\"#field-event_from\"", "href=\"#field-limit_time\"", "href=\"#field-allowed\""]
    {
        assert!(head.contains(part), "{part}: {page}");
    }
    // They stand in the order of the fields.
    let place = |name: &str| head.find(&format!("#field-{name}"));
    assert!(place("event_from") < place("limit_time") && place("limit_time") < place("allowed"), "{head}");
    // In the words of the form, not in those of TOML.
    assert!(!page.contains("without quotes") && !page.contains("SURT"), "{page}");
    assert!(page.contains("2026-09-01") && page.contains("such as example.org"), "{page}");
    let fields = json!({"event_from": "yesterday", "allowed": "a b"});
    let checked = service.post("/api/check", &json!({"spec": SPEC, "fields": fields})).body;
    assert!(!checked.contains("without quotes") && !checked.contains("SURT"), "{checked}");

    // Settings do the same; what is right is not called wrong.
    let (base, text) = opened(&service);
    let sent = [("as", "form"), ("base", &base), ("spec", &text), ("f_delay", "soon"), ("then", "change")];
    let page = send(&service, SETTINGS, &sent).body;
    let head = page.split("id=\"field-name\"").next().unwrap();
    assert!(head.contains("<title>Error: x") && head.contains("href=\"#field-delay\""), "{page}");
    // As text, too, with its lines.
    let text = "name = \"x\"\nnonsense = 1\n";
    let page = send(&service, "/new", &[("spec", text), ("then", "check")]).body;
    let head = page.split("id=\"spec\"").next().unwrap();
    assert!(
        page.contains("<title>Error: New crawl") && head.contains("line 2: <code>nonsense</code>"),
        "{page}"
    );
    let good = send(&service, "/new", &drafted(&[("then", "check")])).body;
    assert!(good.contains("<title>New crawl") && good.contains("There is nothing wrong with it."), "{good}");
}

#[test]
fn a_new_crawl_begins_with_an_empty_form() {
    let (_dir, service) = stand();
    let page = service.get("/new").body;
    for field in ["name", "languages", "limit_pages", "limit_time"] {
        assert_eq!(value_in(&page, &format!("f_{field}")), "", "{field}");
    }
    let typed = page.replace("placeholder=\"austerity\"", "");
    assert!(!typed.contains("bailout") && !typed.contains("austerity"), "{page}");
    let example = service.get("/new?example=topic").body;
    assert!(example.contains("bailout") && example.contains("This is an example"), "{example}");
    assert!(!page.contains("This is an example"), "{page}");
}

#[test]
fn a_crawl_at_its_limit_says_so_instead_of_offering_to_go_on() {
    let (dir, service) = stand();
    // As a crawl leaves it that came to its end.
    let job = dir.path().join("root/x");
    std::fs::create_dir_all(job.join("state")).unwrap();
    let status = json!({"state": "pagelimit", "counters": {"pages": 5, "captures": 6, "failed": 2}});
    std::fs::write(job.join("state/status.json"), status.to_string()).unwrap();
    std::fs::create_dir_all(job.join("state/frontier")).unwrap();
    for view in ["/", "/crawls/x"] {
        let page = service.get(view).body;
        assert!(page.contains("The limit of 5 pages is reached"), "{page}");
        assert!(
            page.contains("href=\"/crawls/x/settings#field-limit_pages\"") && !page.contains("Go on"),
            "{page}"
        );
    }
    let page = service.get("/crawls/x").body;
    assert!(page.contains("href=\"/crawls/x/skipped?reason=failed\""), "{page}");
    assert_eq!(service.put("/api/crawls/x/limits", &json!({"pages": 7})).status, 200);
    let page = service.get("/crawls/x").body;
    assert!(page.contains("Go on") && !page.contains("is reached:"), "{page}");
}

#[test]
fn those_of_one_name_on_one_site_are_told_apart_and_found_by_their_hosts() {
    let (dir, service) = stand();
    let study = dir.path().join("root/x/study");
    std::fs::create_dir_all(&study).unwrap();
    let head =
        "name,site,url,writings,influence,replies received,quotes received,links received,confidence\n";
    let row = |name: &str, url: &str| format!("{name},a.test,{url},3,0.1,0,0,0,0.9\n");
    let rows = [
        row("kite", "http://forum.a.test/kite"),
        row("Kite", "http://blog.a.test/kite"),
        row("kite", "http://b.test/kite"),
        row("lark", "http://forum.a.test/lark"),
    ];
    std::fs::write(study.join("authors.csv"), format!("{head}{}", rows.concat())).unwrap();
    let page = service.get("/crawls/x/knowledge/social").body;
    for part in [
        "author=kite&amp;host=forum.a.test\">kite</a></th><td>forum.a.test</td>",
        "author=Kite&amp;host=blog.a.test\">Kite</a></th><td>blog.a.test</td>",
        // A page about them elsewhere does not tell where they write.
        "author=kite&amp;site=a.test\">kite</a></th><td>a.test</td>",
        "author=lark&amp;site=a.test\">lark</a></th><td>a.test</td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
