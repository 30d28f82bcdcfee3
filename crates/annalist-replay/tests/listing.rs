//! Which captures there are: Memento and the CDX API.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use annalist_model::Canonicaliser;
use annalist_replay::{Asked, Replay};
use support::{PREFIX, get, html, job, record, replay, replay_by, response, text};

fn stand() -> (tempfile::TempDir, Replay) {
    let job = job(&[
        html("http://a.test/", "2000-06-20T18:02:59Z", "first"),
        html("http://a.test/", "2007-06-21T00:41:00Z", "second"),
        response(
            "http://a.test/x",
            "2007-06-21T00:41:00Z",
            "HTTP/1.1 404 No\r\nContent-Type: text/plain\r\n",
            b"no",
        ),
        html("http://a.test/", "2009-10-27T20:49:54Z", "third"),
        html("http://sub.a.test/y?z", "2010-01-01T00:00:00Z", "other"),
        html("http://ab.test/", "2010-01-01T00:00:00Z", "another"),
    ]);
    let replay = replay(job.path());
    (job, replay)
}

#[test]
fn a_timegate_negotiates_by_time() {
    let (_job, replay) = stand();
    let asked = Asked::get(PREFIX, "http://a.test/");
    for (date, timestamp) in [
        (Some("Thu, 31 May 2007 20:35:00 GMT"), "20070621004100"),
        (Some("Mon, 01 Jan 1990 00:00:00 GMT"), "20000620180259"),
        (None, "20091027204954"),
    ] {
        let answer = replay.answer(&Asked { accept_datetime: date, ..asked });
        assert_eq!(answer.status, 302);
        assert_eq!(
            answer.header("location"),
            Some(format!("{PREFIX}{timestamp}mp_/http://a.test/").as_str())
        );
        assert_eq!(answer.header("vary"), Some("accept-datetime"));
        assert_eq!(answer.header("memento-datetime"), None, "a timegate is no memento");
        let link = answer.header("link").unwrap();
        for expected in [
            "<http://a.test/>; rel=\"original\"".to_owned(),
            format!(
                "<{PREFIX}timemap/link/http://a.test/>; rel=\"timemap\"; type=\"application/link-format\""
            ),
            format!(
                "<{PREFIX}20000620180259mp_/http://a.test/>; rel=\"first memento\"; datetime=\"Tue, 20 Jun 2000 18:02:59 GMT\""
            ),
            format!(
                "<{PREFIX}20091027204954mp_/http://a.test/>; rel=\"last memento\"; datetime=\"Tue, 27 Oct 2009 20:49:54 GMT\""
            ),
        ] {
            assert!(link.contains(&expected), "{link} lacks {expected}");
        }
    }
    assert_eq!(replay.answer(&Asked { accept_datetime: Some("yesterday"), ..asked }).status, 400);
    assert_eq!(get(&replay, "http://nowhere.test/").status, 404);
}

#[test]
fn a_memento_names_its_neighbours() {
    let (_job, replay) = stand();
    let answer = get(&replay, "20070621004100mp_/http://a.test/");
    assert_eq!(answer.header("memento-datetime"), Some("Thu, 21 Jun 2007 00:41:00 GMT"));
    let link = answer.header("link").unwrap();
    for expected in [
        format!("<{PREFIX}http://a.test/>; rel=\"timegate\""),
        format!("<{PREFIX}20000620180259mp_/http://a.test/>; rel=\"first prev memento\""),
        format!(
            "<{PREFIX}20070621004100mp_/http://a.test/>; rel=\"memento\"; datetime=\"Thu, 21 Jun 2007 00:41:00 GMT\""
        ),
        format!("<{PREFIX}20091027204954mp_/http://a.test/>; rel=\"next last memento\""),
    ] {
        assert!(link.contains(&expected), "{link} lacks {expected}");
    }
}

#[test]
fn a_timemap_lists_all_captures() {
    let (_job, replay) = stand();
    let answer = get(&replay, "timemap/link/http://a.test/");
    assert_eq!(answer.header("content-type"), Some("application/link-format"));
    let expected = format!(
        "<http://a.test/>; rel=\"original\",\n\
         <{PREFIX}timemap/link/http://a.test/>; rel=\"self\"; type=\"application/link-format\"; from=\"Tue, 20 Jun 2000 18:02:59 GMT\"; until=\"Tue, 27 Oct 2009 20:49:54 GMT\",\n\
         <{PREFIX}http://a.test/>; rel=\"timegate\",\n\
         <{PREFIX}20000620180259mp_/http://a.test/>; rel=\"first memento\"; datetime=\"Tue, 20 Jun 2000 18:02:59 GMT\",\n\
         <{PREFIX}20070621004100mp_/http://a.test/>; rel=\"memento\"; datetime=\"Thu, 21 Jun 2007 00:41:00 GMT\",\n\
         <{PREFIX}20091027204954mp_/http://a.test/>; rel=\"last memento\"; datetime=\"Tue, 27 Oct 2009 20:49:54 GMT\"\n"
    );
    assert_eq!(text(answer), expected);
    assert_eq!(get(&replay, "timemap/link/http://nowhere.test/").status, 404);
}

#[test]
fn the_cdx_api_answers_as_it_is_asked() {
    let (_job, replay) = stand();
    for (query, expected) in [
        ("url=a.test", "20000620180259 20070621004100 20091027204954"),
        ("url=http://a.test/&from=2001&to=2007", "20070621004100"),
        ("url=a.test&limit=1", "20000620180259"),
        ("url=a.test&limit=1&sort=reverse", "20091027204954"),
        ("url=a.test&closest=2008&limit=2", "20091027204954 20070621004100"),
        ("url=a.test/x&filter=status:404", "20070621004100"),
        ("url=a.test&matchType=host&filter=!=status:200", "20070621004100"),
        ("url=a.test&matchType=host&filter=~status:40[0-9]", "20070621004100"),
        ("url=a.test/*", "20000620180259 20070621004100 20091027204954 20070621004100"),
        ("url=*.a.test&filter=~url:.*sub", "20100101000000"),
        (
            "url=http://a.test/anything&matchType=domain&filter=mimetype:html&limit=10",
            "20000620180259 20070621004100 20091027204954 20100101000000",
        ),
        ("url=nowhere.test", ""),
    ] {
        let answer = get(&replay, &format!("cdx?{query}&output=text&fl=timestamp"));
        assert_eq!(answer.status, 200, "{query}");
        assert_eq!(text(answer).split_whitespace().collect::<Vec<_>>().join(" "), expected, "{query}");
    }
    for query in [
        "",
        "url=",
        "url=a&limit=x",
        "url=a&from=x",
        "url=a&output=xml",
        "url=a&matchType=x",
        "url=a&filter=~url:(",
        "url=a&filter=nofield:x",
        "url=a&fl=url,bogus",
        "url=a&fields=bogus",
    ] {
        let answer = get(&replay, &format!("cdx?{query}"));
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (400, Some("application/json")),
            "{query}"
        );
    }
}

#[test]
fn lines_are_given_in_every_form() {
    let (_job, replay) = stand();
    let answer = get(&replay, "cdx?url=a.test/x&output=json");
    assert_eq!(answer.header("content-type"), Some("text/x-ndjson"));
    let line: serde_json::Value = serde_json::from_str(&text(answer)).unwrap();
    assert_eq!(
        (&line["urlkey"], &line["status"], &line["mime"]),
        (&"test,a)/x".into(), &"404".into(), &"text/plain".into())
    );
    let answer = get(&replay, "cdx?url=a.test/x");
    assert_eq!(answer.header("content-type"), Some("text/x-cdxj"));
    assert!(
        text(answer)
            .starts_with("test,a)/x 20070621004100 {\"url\": \"http://a.test/x\", \"mime\": \"text/plain\"")
    );
    assert_eq!(
        text(get(&replay, "cdx?url=a.test/x&fl=mime,status")),
        "test,a)/x 20070621004100 {\"mime\":\"text/plain\",\"status\":\"404\"}\n"
    );
}

#[test]
fn who_asks_for_pages_of_an_answer_gets_one() {
    let (_dir, replay) = stand();
    assert_eq!(text(get(&replay, "cdx?url=a.test/x&showNumPages=true")), "1\n");
    let told = text(get(&replay, "cdx?url=a.test/x&showNumPages=true&output=json"));
    assert_eq!(told, "{\"blocks\":1,\"pageSize\":1,\"pages\":1}\n");
    let all = text(get(&replay, "cdx?url=a.test/x"));
    assert_eq!(text(get(&replay, "cdx?url=a.test/x&page=0&pageSize=5")), all);
    for wrong in ["1", "-1", "first"] {
        assert_eq!(get(&replay, &format!("cdx?url=a.test/x&page={wrong}")).status, 400, "{wrong}");
    }
}

#[test]
fn the_captures_of_an_address_are_told_for_a_time_line() {
    let (_job, replay) = stand();
    let told: serde_json::Value =
        serde_json::from_str(&text(get(&replay, "captures?url=http%3A%2F%2Fa.test%2F"))).unwrap();
    assert_eq!(told["captures"].as_array().unwrap().len(), 3);
    let first = &told["captures"][0];
    assert_eq!((&first["time"], &first["status"]), (&"2000-06-20T18:02:59.000Z".into(), &200.into()));
    assert_eq!(first["replay"], format!("{PREFIX}20000620180259mp_/http://a.test/"));
    assert_eq!(get(&replay, "captures").status, 400);
}

#[test]
fn a_list_of_captures_says_which_one_is_shown_and_as_what() {
    let job = job(&[
        html("http://a.test/", "2000-06-20T18:02:59Z", "first"),
        response(
            "http://a.test/",
            "2007-06-21T00:41:00Z",
            "Content-Type: application/PDF; x=y\r\n",
            b"%PDF-1.4",
        ),
        // Leads to itself: it is never shown.
        response(
            "http://a.test/",
            "2009-10-27T20:49:54Z",
            "HTTP/1.1 301 Moved\r\nLocation: http://a.test/\r\n",
            b"",
        ),
    ]);
    let replay = replay(job.path());
    let listed = |at: Option<&str>| replay.listed("http://a.test/", at).unwrap();
    let all: Vec<String> = listed(None).captures.into_iter().map(|one| one.timestamp).collect();
    assert_eq!(all, ["20000620180259", "20070621004100", "20091027204954"]);
    for (at, place, media) in
        [(None, 1, "application/pdf"), (Some("2000"), 0, "text/html"), (Some("2024"), 1, "application/pdf")]
    {
        let shown = listed(at).shown.unwrap();
        assert_eq!((shown.place, shown.media.as_str()), (place, media), "{at:?}");
    }
    assert_eq!(replay.listed("http://none.test/", None).unwrap(), annalist_replay::Listed::default());
}

#[test]
fn a_revisit_is_listed_with_the_status_that_it_was_answered_with() {
    let digest = "WARC-Payload-Digest: sha1:PAYLOADPAYLOADPAYLOADPAYLOADPAYL\r\n";
    let refers = format!(
        "{digest}WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
         WARC-Refers-To-Target-URI: http://a.test/flip\r\nWARC-Refers-To-Date: 2010-01-01T00:00:00Z\r\n"
    );
    let first = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nsame";
    let revisit = |url: &str, year: u16, head: &str| {
        record(
            "revisit",
            url,
            &format!("{year}-01-01T00:00:00Z"),
            &refers,
            format!("{head}\r\nServer: a\r\n\r\n").as_bytes(),
        )
    };
    let job = job(&[
        record("response", "http://a.test/flip", "2010-01-01T00:00:00Z", digest, first),
        revisit("http://a.test/flip", 2011, "HTTP/1.1 304 Not Modified"),
        revisit("http://a.test/flip", 2012, "HTTP/1.1 404 Not Found"),
        revisit("http://a.test/other", 2013, "HTTP/1.1 404 Not Found"),
    ]);
    let replay = replay(job.path());
    let told: serde_json::Value =
        serde_json::from_str(&text(get(&replay, "captures?url=http%3A%2F%2Fa.test%2Fflip"))).unwrap();
    let statuses: Vec<_> = told["captures"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, [200, 200, 404]);
    let lines = text(get(&replay, "cdx?url=a.test/*&filter=status:404&output=text&fl=timestamp,mime"));
    assert_eq!(lines, "20120101000000 warc/revisit\n20130101000000 warc/revisit\n");
    for (at, status) in [(None, "404"), (Some("20110101000000"), "200"), (Some("20100101000000"), "200")] {
        assert_eq!(replay.listed("http://a.test/flip", at).unwrap().shown.unwrap().status, status, "{at:?}");
    }
}

#[test]
fn an_address_is_found_as_the_crawl_spelled_it() {
    let job = job(&[
        html("http://a.test/board?f=1", "2010-01-01T00:00:00Z", "the board"),
        html("http://a.test/board?f=2&sid=1582628867", "2010-01-01T00:00:00Z", "by its very address"),
        html("http://a.test/board?f=2", "2010-01-01T00:00:00Z", "by the crawl's"),
    ]);
    let rules = Canonicaliser { strip_parameters: vec!["from".to_owned()], ..Canonicaliser::default() };
    let shown = replay_by(job.path(), rules);
    let kept = "http://a.test/board?f=1";
    for asked in ["?f=1&sid=1582628867", "?utm_source=x&f=1", "?f=1&from=feed#end"] {
        let url = format!("http://a.test/board{asked}");
        let there = format!("{PREFIX}20100101000000mp_/{kept}");
        for target in [url.clone(), format!("2011mp_/{url}"), format!("20100101000000mp_/{url}")] {
            let answer = get(&shown, &target);
            match answer.header("location") {
                Some(to) => assert_eq!(to, there, "{target}"),
                None => assert!(text(answer).contains("the board"), "{target}"),
            }
        }
        assert!(text(get(&shown, &format!("timemap/link/{url}"))).contains(&there), "{url}");
        assert_eq!(shown.listed(&url, None).unwrap().captures.len(), 1, "{url}");
        let asked: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
        for target in [format!("cdx?url={asked}"), format!("captures?url={asked}")] {
            assert!(text(get(&shown, &target)).contains(kept), "{target}");
        }
        assert_eq!(text(get(&shown, &format!("cdx?url={asked}&filter=status:404"))), "", "{url}");
    }
    // What is listed itself is what was asked for.
    let very = text(get(&shown, "20100101000000mp_/http://a.test/board?f=2&sid=1582628867"));
    assert!(very.contains("by its very address"), "{very}");
    assert_eq!(get(&replay(job.path()), "http://a.test/board?f=1&from=feed").status, 404, "other rules");
    assert_eq!(get(&shown, "http://a.test/other?sid=1582628867").status, 404);
}

#[test]
fn an_address_that_leads_to_its_own_session_does_not_lead_in_a_circle() {
    let to_session = |url: &str, to: &str| {
        let head = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\n");
        response(url, "2010-01-01T00:00:00Z", &head, b"")
    };
    let job = job(&[
        to_session("http://a.test/gone", "/gone?sid=1582628867"),
        to_session("http://a.test/kept", "/kept?sid=1582628867"),
        html("http://a.test/kept?sid=1582628867", "2010-01-01T00:00:01Z", "kept with its session"),
    ]);
    let shown = replay(job.path());
    assert_eq!(get(&shown, "20100101000000mp_/http://a.test/gone").status, 404);
    assert_eq!(get(&shown, "20100101000000mp_/http://a.test/gone?sid=1582628867").status, 404);
    let answer = get(&shown, "20100101000000mp_/http://a.test/kept");
    let onward = answer.header("location").unwrap().strip_prefix(PREFIX).unwrap();
    assert_eq!(onward, "20100101000000mp_/http://a.test/kept?sid=1582628867");
    let answer = get(&shown, onward);
    let kept = answer.header("location").unwrap().strip_prefix(PREFIX).unwrap();
    assert!(text(get(&shown, kept)).contains("kept with its session"));
}

#[test]
fn text_is_fields_between_blanks_as_pywb_has_it() {
    let job = job(&[html("http://a.test/b", "2020-01-01T00:00:00Z", "x")]);
    let replay = replay(job.path());
    let told = text(get(&replay, "cdx?url=a.test/b&output=text"));
    let fields: Vec<&str> = told.trim_end().split(' ').collect();
    assert_eq!(fields.len(), 9, "{told}");
    assert_eq!(fields[..5], ["test,a)/b", "20200101000000", "http://a.test/b", "text/html", "200"]);
    assert_eq!(fields[8], "a.warc.gz");
}
