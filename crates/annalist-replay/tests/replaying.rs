//! Captures of small archives, shown as they were.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::io::{Read, Write};

use annalist_replay::{Asked, Body, Method};
use support::{PREFIX, add_file, get, html, job, record, replay, response, text};

const A: &str = "http://a.test/";

#[test]
fn a_page_is_shown_with_its_links_inside_of_the_archive() {
    let job = job(&[html(A, "2020-01-02T03:04:05Z", "<a href=/x>ü</a>")]);
    let answer = get(&replay(job.path()), "20200102030405mp_/http://a.test/");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.header("memento-datetime"), Some("Thu, 02 Jan 2020 03:04:05 GMT"));
    assert_eq!(text(answer), format!("<a href=\"{PREFIX}20200102030405mp_/http://a.test/x\">ü</a>"));
}

#[test]
fn every_answer_stands_behind_the_wall() {
    let job = job(&[html(A, "2020-01-02T03:04:05Z", "x")]);
    let replay = replay(job.path());
    for target in [
        "20200102030405mp_/http://a.test/",
        "20200102030405id_/http://a.test/",
        "2020mp_/http://b.test/",
        "",
        "cdx?url=x",
    ] {
        let answer = get(&replay, target);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("sandbox allow-same-origin allow-forms allow-popups allow-downloads; "),
            "{policy}"
        );
        assert!(policy.contains("script-src 'none'") && !policy.contains("allow-scripts"), "{policy}");
        assert!(
            policy.contains("default-src 'self' data: blob:")
                && policy.contains("frame-ancestors 'self' http://cockpit.test:8080")
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{target}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{target}");
    }
}

#[test]
fn a_pdf_is_shown_by_the_browser_and_still_behind_the_wall() {
    let head = "Content-Type: Application/PDF; x=y\r\n";
    let job = job(&[response(A, "2020-01-01T00:00:00Z", head, b"%PDF")]);
    let answer = get(&replay(job.path()), "20200101000000mp_/http://a.test/");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'self' data: blob:; script-src 'none'; "), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn what_browsers_would_take_for_a_page_is_rewritten_and_behind_the_whole_wall() {
    let page = b"<meta http-equiv=refresh content='0;url=http://b.test/'><a href=http://b.test/>x</a>";
    for head in [
        "Content-Type: application/pdf;, text/html\r\n",
        "Content-Type: application/pdf\r\nContent-Type: text/html\r\n",
        "Content-Type: text/plain, text/html\r\n",
        "Content-Type: text/html charset=utf-8\r\n",
    ] {
        let job = job(&[response(A, "2020-01-01T00:00:00Z", head, page)]);
        let answer = get(&replay(job.path()), "20200101000000mp_/http://a.test/");
        assert_eq!(answer.header("content-type"), Some("text/html"), "{head}");
        assert!(answer.header("content-security-policy").unwrap().starts_with("sandbox "), "{head}");
        assert!(!text(answer).contains("\"http://b.test/"), "{head}");
        let answer = get(&replay(job.path()), "20200101000000id_/http://a.test/");
        assert!(answer.header("content-security-policy").unwrap().starts_with("sandbox "), "{head}");
    }
}

#[test]
fn a_page_that_only_browsers_can_unpack_is_not_shown_as_one() {
    let head = "Content-Type: text/html\r\nContent-Encoding: gzip, gzip\r\n";
    let job = job(&[response(A, "2020-01-01T00:00:00Z", head, b"packed twice")]);
    let answer = get(&replay(job.path()), "20200101000000mp_/http://a.test/");
    assert_eq!(answer.header("content-type"), Some("application/octet-stream"));
}

#[test]
fn an_index_of_all_files_is_taken_for_all_of_them() {
    let job = job(&[html(A, "2010-01-01T00:00:00Z", "one")]);
    add_file(job.path(), "b.warc.gz", &[html(A, "2020-01-01T00:00:00Z", "two")]);
    let mut lines = Vec::new();
    for name in ["a.warc.gz", "b.warc.gz"] {
        let (found, _) = annalist_warc::index_file(&job.path().join("archive").join(name)).unwrap();
        lines.extend(found.sorted().map(str::to_owned));
    }
    std::fs::create_dir(job.path().join("indexes")).unwrap();
    std::fs::write(job.path().join("indexes/index.cdxj"), lines.concat()).unwrap();
    let replay = replay(job.path());
    assert_eq!(text(get(&replay, "cdx?url=a.test&output=text&fl=filename")), "a.warc.gz\nb.warc.gz\n");
    assert_eq!(text(get(&replay, "20200101000000mp_/http://a.test/")), "two");
}

#[test]
fn a_time_leads_to_the_nearest_capture() {
    let job = job(&[html(A, "2010-01-01T00:00:00Z", "old"), html(A, "2020-01-01T00:00:00Z", "new")]);
    let replay = replay(job.path());
    for (target, location) in [
        ("2011mp_/http://a.test/", "20100101000000mp_/http://a.test/"),
        ("2019/http://a.test/", "20200101000000mp_/http://a.test/"),
        ("20150102id_/http://www.a.test", "20200101000000id_/http://a.test/"),
        ("mp_/http://a.test/", "20200101000000mp_/http://a.test/"),
        ("a.test", "20200101000000mp_/http://a.test/"),
    ] {
        let answer = get(&replay, target);
        assert_eq!(
            (answer.status, answer.header("location")),
            (302, Some(format!("{PREFIX}{location}").as_str())),
            "{target}"
        );
    }
    // What a page loads comes at once.
    let answer = get(&replay, "2011im_/http://a.test/");
    assert_eq!(
        answer.header("content-location"),
        Some(format!("{PREFIX}20100101000000im_/http://a.test/").as_str())
    );
    assert_eq!(text(answer), "old");
}

#[test]
fn what_the_server_said_is_kept_and_what_browsers_act_upon_is_renamed() {
    let head = "HTTP/1.1 404 Gone\r\nContent-Type: text/plain\r\nSet-Cookie: a=b\r\nContent-Security-Policy: x\r\n\
                Strict-Transport-Security: y\r\nConnection: close\r\nContent-Language: de\r\nBad Name: z\r\nX-Long: ü\u{7}\r\n";
    let job = job(&[response(A, "2020-01-01T00:00:00Z", head, b"gone")]);
    let answer = get(&replay(job.path()), "20200101000000mp_/http://a.test/");
    assert_eq!(answer.status, 404);
    for (name, value) in [
        ("X-Archive-Orig-Set-Cookie", Some("a=b")),
        ("X-Archive-Orig-Content-Security-Policy", Some("x")),
        ("X-Archive-Orig-Strict-Transport-Security", Some("y")),
        ("X-Archive-Orig-X-Long", Some("ü")),
        ("Content-Language", Some("de")),
        ("Content-Length", Some("4")),
        ("Set-Cookie", None),
        ("Strict-Transport-Security", None),
        ("X-Archive-Orig-Connection", None),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    assert_eq!(text(answer), "gone");
}

#[test]
fn links_of_what_a_page_has_in_a_frame_lead_on_in_that_frame() {
    let page = "<meta http-equiv=refresh content='5;url=/z'><base href=/c/><a href=x></a>";
    let job = job(&[html(A, "2020-01-02T03:04:05Z", page)]);
    let replay = replay(job.path());
    for (asked, letters) in [("mp_", "mp_"), ("if_", "if_"), ("oe_", "if_")] {
        let answer = get(&replay, &format!("20200102030405{asked}/http://a.test/"));
        let to = |path: &str| format!("{PREFIX}20200102030405{letters}/http://a.test/{path}");
        assert_eq!(answer.header("refresh"), Some(format!("5;url={}", to("z")).as_str()), "{asked}");
        let told = text(answer);
        assert!(told.contains(&to("c/x")) && told.contains(&to("c/\"")), "{asked}: {told}");
    }
}

#[test]
fn redirects_stay_inside_and_never_lead_in_a_circle() {
    let moved = |url, to: &str| {
        response(url, "2020-01-01T00:00:00Z", &format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n"), b"")
    };
    let records = [
        moved("http://a.test/old", "/new"),
        moved("http://b.test/", "https://b.test/"),
        html("https://b.test/", "2020-01-01T00:00:00Z", "secure"),
        moved("http://c.test/", "https://c.test/"),
    ];
    let job = job(&records);
    let replay = replay(job.path());
    let location = |target: &str| {
        get(&replay, target).header("location").map(|to| to.strip_prefix(PREFIX).unwrap().to_owned())
    };
    assert_eq!(
        location("20200101000000mp_/http://a.test/old").as_deref(),
        Some("20200101000000mp_/http://a.test/new")
    );
    assert_eq!(
        location("20200101000000id_/http://a.test/old").as_deref(),
        Some("20200101000000id_/http://a.test/new")
    );
    assert_eq!(
        location("20200101000000mp_/http://b.test/").as_deref(),
        Some("20200101000000mp_/https://b.test/")
    );
    assert_eq!(text(get(&replay, "20200101000000mp_/https://b.test/")), "secure");
    assert_eq!(get(&replay, "20200101000000mp_/http://c.test/").status, 301);
    assert_eq!(get(&replay, "20200101000000mp_/https://c.test/").status, 404);
}

#[test]
fn bodies_are_unpacked_and_the_identity_is_as_it_was_sent() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"body { background: url(/x.png) }").unwrap();
    let packed = packed.finish().unwrap();
    let chunked = [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
    let head = "Content-Type: text/css\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n";
    let job = job(&[
        response("http://a.test/s.css", "2020-01-01T00:00:00Z", head, &chunked),
        response("http://a.test/odd", "2020-01-01T00:00:00Z", "Content-Encoding: compress\r\n", b"zzz"),
    ]);
    let replay = replay(job.path());
    let shown = get(&replay, "20200101000000cs_/http://a.test/s.css");
    assert_eq!(shown.header("content-encoding"), None);
    assert_eq!(
        text(shown),
        format!("body {{ background: url(\"{PREFIX}20200101000000im_/http://a.test/x.png\") }}")
    );
    let stored = get(&replay, "20200101000000id_/http://a.test/s.css");
    assert_eq!(stored.header("content-encoding"), Some("gzip"));
    assert_eq!(stored.into_bytes().unwrap(), packed);
    let odd = get(&replay, "20200101000000mp_/http://a.test/odd");
    assert_eq!(odd.header("content-encoding"), Some("compress"));
    assert_eq!(text(odd), "zzz");
}

#[test]
fn a_revisit_shows_what_it_found_unchanged_wherever_that_is() {
    let digest = "WARC-Payload-Digest: sha1:PAYLOADPAYLOADPAYLOADPAYLOADPAYL\r\n";
    let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Which: first\r\n\r\nsame";
    let job = job(&[record("response", A, "2010-01-01T00:00:00Z", digest, block)]);
    let refers = format!(
        "{digest}WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
         WARC-Refers-To-Target-URI: {A}\r\nWARC-Refers-To-Date: 2010-01-01T00:00:00Z\r\n"
    );
    let unchanged = b"HTTP/1.1 304 Not Modified\r\nX-Which: third\r\n\r\n";
    add_file(
        job.path(),
        "b.warc.gz",
        &[
            record(
                "revisit",
                A,
                "2020-01-01T00:00:00Z",
                &refers,
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Which: second\r\n\r\n",
            ),
            record("revisit", "http://b.test/", "2020-01-01T00:00:00Z", &refers, unchanged),
            record("revisit", "http://c.test/", "2020-01-01T00:00:00Z", "WARC-Profile: x\r\n", b""),
        ],
    );
    let replay = replay(job.path());
    for (target, which) in
        [("20200101000000mp_/http://a.test/", "second"), ("20200101000000mp_/http://b.test/", "first")]
    {
        let answer = get(&replay, target);
        assert_eq!((answer.status, answer.header("x-archive-orig-x-which")), (200, Some(which)), "{target}");
        assert_eq!(text(answer), "same");
    }
    let answer = get(&replay, "20200101000000mp_/http://c.test/");
    assert_eq!(answer.status, 502);
    assert!(text(answer).contains("the capture that has its content is not in the archive"));
}

#[test]
fn parts_of_bodies_are_given() {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"0123456789").unwrap();
    let job = job(&[
        response("http://a.test/v", "2020-01-01T00:00:00Z", "Content-Type: video/mp4\r\n", b"0123456789"),
        response(
            "http://a.test/z",
            "2020-01-01T00:00:00Z",
            "Content-Type: video/mp4\r\nContent-Encoding: deflate\r\n",
            &packed.finish().unwrap(),
        ),
    ]);
    let replay = replay(job.path());
    for target in ["20200101000000oe_/http://a.test/v", "20200101000000oe_/http://a.test/z"] {
        let asked = Asked::get(PREFIX, target);
        for (range, status, content_range, body) in [
            ("bytes=2-4", 206, Some("bytes 2-4/10"), "234"),
            ("bytes=-1", 206, Some("bytes 9-9/10"), "9"),
            ("bytes=0-", 206, Some("bytes 0-9/10"), "0123456789"),
            ("bytes=10-", 416, Some("bytes */10"), ""),
            ("bytes=x", 200, None, "0123456789"),
        ] {
            let answer = replay.answer(&Asked { range: Some(range), ..asked });
            assert_eq!(
                (answer.status, answer.header("content-range")),
                (status, content_range),
                "{target} {range}"
            );
            assert_eq!(answer.header("content-length"), Some(body.len().to_string().as_str()));
            assert_eq!(text(answer), body);
        }
        let whole = replay.answer(&asked);
        assert_eq!(whole.header("accept-ranges"), Some("bytes"));
        let etag = whole.header("etag").unwrap().to_owned();
        let known = replay.answer(&Asked { if_none_match: Some(&etag), ..asked });
        assert_eq!((known.status, text(known).as_str()), (304, ""));
        let other = replay.answer(&Asked { range: Some("bytes=2-4"), if_range: Some("\"other\""), ..asked });
        assert_eq!(other.status, 200);
    }
}

#[test]
fn parts_are_given_of_what_was_sent_too() {
    let at = "2020-01-01T00:00:00Z";
    let head = "Content-Type: text/html\r\n";
    let packed = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let chunked = "Content-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n";
    let job = job(&[
        response("http://a.test/v", at, head, b"0123456789"),
        response("http://a.test/z", at, packed, b"0123456789"),
        response("http://a.test/c", at, chunked, b"3\r\n012\r\n7\r\n3456789\r\n0\r\n\r\n"),
    ]);
    let replay = replay(job.path());
    for page in ["v", "z", "c"] {
        let target = format!("20200101000000id_/http://a.test/{page}");
        let asked = Asked::get(PREFIX, &target);
        let part = replay.answer(&Asked { range: Some("bytes=2-4"), ..asked });
        assert_eq!((part.status, part.header("content-range")), (206, Some("bytes 2-4/10")), "{page}");
        assert_eq!(text(part), "234");
        let whole = replay.answer(&asked);
        assert_eq!(whole.header("content-encoding"), (page != "v").then_some("gzip"));
        assert_eq!(whole.header("accept-ranges"), Some("bytes"));
        let etag = whole.header("etag").unwrap().to_owned();
        assert_eq!(text(whole), "0123456789");
        let known = replay.answer(&Asked { if_none_match: Some(&etag), ..asked });
        assert_eq!((known.status, text(known).as_str()), (304, ""));
    }
}

#[test]
fn a_question_for_the_head_gets_the_head() {
    let job = job(&[response(A, "2020-01-01T00:00:00Z", "Content-Type: image/png\r\n", b"0123456789")]);
    let asked = Asked { method: Method::Head, ..Asked::get(PREFIX, "20200101000000im_/http://a.test/") };
    let answer = replay(job.path()).answer(&asked);
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("10")));
    assert!(answer.into_bytes().unwrap().is_empty());
}

#[test]
fn a_form_that_is_sent_is_told_that_it_goes_nowhere() {
    let job = job(&[html(A, "2020-01-01T00:00:00Z", "x")]);
    let asked = Asked { method: Method::Other, ..Asked::get(PREFIX, "20200101000000mp_/http://a.test/") };
    let answer = replay(job.path()).answer(&asked);
    assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")));
    assert!(answer.header("content-security-policy").is_some(), "it is walled in like all others");
    let page = text(answer);
    assert!(page.contains("only looked at") && page.contains("Go back"), "{page}");
}

#[test]
fn what_is_not_there_is_told_with_what_is_near() {
    let job = job(&[html("http://a.test/d/", "2020-01-01T00:00:00Z", "x")]);
    let replay = replay(job.path());
    let answer = get(&replay, "2020mp_/http://a.test/d/e/<script>alert(1)</script>?q");
    assert_eq!(answer.status, 404);
    let page = text(answer);
    assert!(page.contains(&format!("{PREFIX}20200101000000mp_/http://a.test/d/")), "{page}");
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "{page}");
    assert!(text(get(&replay, "2020mp_/http://b.test/")).contains("annalist explain"));
    assert_eq!(get(&replay, "").status, 404);
}

#[test]
fn damaged_and_truncated_records_are_told_and_the_others_shown() {
    let good = html("http://a.test/good", "2020-01-01T00:00:00Z", "good");
    let mut bad = html("http://a.test/bad", "2020-01-01T00:00:00Z", &"bad ".repeat(1000));
    let cut = record(
        "response",
        "http://a.test/cut",
        "2020-01-01T00:00:00Z",
        "WARC-Truncated: time\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 999\r\n\r\ncut",
    );
    let job = job(&[good.clone(), bad.clone(), cut.clone()]);
    // The index is made before the damage.
    std::fs::create_dir(job.path().join("indexes")).unwrap();
    let path = job.path().join("archive/a.warc.gz");
    let (lines, _) = annalist_warc::index_file(&path).unwrap();
    std::fs::write(job.path().join("indexes/a.cdxj"), lines.sorted().collect::<String>()).unwrap();
    bad[..20].fill(0);
    add_file(job.path(), "a.warc.gz", &[good, bad, cut]);
    let replay = replay(job.path());
    assert_eq!(text(get(&replay, "20200101000000mp_/http://a.test/good")), "good");
    let answer = get(&replay, "20200101000000mp_/http://a.test/bad");
    assert_eq!(answer.status, 502);
    assert!(text(answer).contains("a.warc.gz at byte"));
    let answer = get(&replay, "20200101000000mp_/http://a.test/cut");
    assert_eq!(answer.header("x-archive-truncated"), Some("time"));
    assert_eq!(text(answer), "cut");
}

/// A record whose letters stand in the file as they are, and one of them was changed since.
fn spoilt(record: &[u8], was: &str, is: &str) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(record).read_to_end(&mut plain).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(&plain).unwrap();
    let mut packed = packed.finish().unwrap();
    let place = packed.windows(was.len()).rposition(|there| there == was.as_bytes()).unwrap();
    packed[place..place + is.len()].copy_from_slice(is.as_bytes());
    packed
}

#[test]
fn what_was_changed_on_the_disk_is_not_shown_as_what_was_captured() {
    let at = "2020-01-01T00:00:00Z";
    let video = [vec![7; 3 << 20], b"to decide".to_vec()].concat();
    let (small, large) = ("http://a.test/small", "http://a.test/large");
    let sound = [
        html(small, at, "it was time to decide"),
        response(large, at, "Content-Type: video/mp4\r\n", &video),
    ];
    let job = job(&sound.clone().map(|record| spoilt(&record, "decide", "decide")));
    // The index is made before the damage.
    std::fs::create_dir(job.path().join("indexes")).unwrap();
    let (lines, _) = annalist_warc::index_file(&job.path().join("archive/a.warc.gz")).unwrap();
    std::fs::write(job.path().join("indexes/a.cdxj"), lines.sorted().collect::<String>()).unwrap();
    let whole = replay(job.path());
    assert_eq!(text(get(&whole, &format!("20200101000000mp_/{small}"))), "it was time to decide");
    assert_eq!(get(&whole, &format!("20200101000000oe_/{large}")).into_bytes().unwrap(), video);
    add_file(job.path(), "a.warc.gz", &sound.map(|record| spoilt(&record, "to decide", "no decide")));
    let damaged = replay(job.path());
    for kind in ["mp_", "id_"] {
        let answer = get(&damaged, &format!("20200101000000{kind}/{small}"));
        assert_eq!(answer.status, 502, "{kind}");
        let told = text(answer);
        assert!(told.contains("a.warc.gz at byte 0") && told.contains("bytes have changed"), "{told}");
    }
    // What is too long to be looked through first does not end as if it was whole.
    for kind in ["oe_", "id_"] {
        let Body::Stream(stream) = get(&damaged, &format!("20200101000000{kind}/{large}")).body else {
            panic!("all of it is in memory")
        };
        let mut sent = Vec::new();
        let ended = stream.pump(&mut |piece| {
            sent.extend_from_slice(piece);
            true
        });
        assert!(ended.is_err() && !sent.is_empty() && sent.len() < video.len(), "{} {ended:?}", sent.len());
    }
    // A part of it that is not at its end is given for what it is.
    let asked = Asked::get(PREFIX, "20200101000000oe_/http://a.test/large");
    let part = damaged.answer(&Asked { range: Some("bytes=0-9"), ..asked });
    assert_eq!((part.status, part.into_bytes().unwrap()), (206, vec![7; 10]));
    let end = damaged.answer(&Asked { range: Some("bytes=-9"), ..asked });
    assert!(end.into_bytes().is_err());
}

#[test]
fn what_a_server_packed_wrongly_is_shown_as_far_as_it_goes() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(b"<p>as it was</p>").unwrap();
    let packed = packed.finish().unwrap();
    let head = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let job = job(&[response(A, "2020-01-01T00:00:00Z", head, &packed[..packed.len() - 12])]);
    let answer = get(&replay(job.path()), "20200101000000mp_/http://a.test/");
    assert_eq!(answer.status, 200);
    assert!(text(answer).starts_with("<p>as it"));
}

#[test]
fn a_file_that_grows_is_shown_as_far_as_its_index_says() {
    let records = [
        html("http://a.test/1", "2020-01-01T00:00:00Z", "one"),
        html("http://a.test/2", "2020-01-01T00:00:00Z", "two"),
    ];
    let job = job(&[]);
    std::fs::remove_file(job.path().join("archive/a.warc.gz")).unwrap();
    add_file(job.path(), "x.warc.gz.open", &records);
    let (lines, _) = annalist_warc::index_file(&job.path().join("archive/x.warc.gz.open")).unwrap();
    let lines: Vec<String> = lines.sorted().map(|line| line.replace("x.warc.gz.open", "x.warc.gz")).collect();
    std::fs::create_dir(job.path().join("indexes")).unwrap();
    let index = job.path().join("indexes/x.cdxj.open");
    let replay = replay(job.path());
    let status = |page: &str| get(&replay, &format!("20200101000000mp_/http://a.test/{page}")).status;
    std::fs::write(&index, format!("{}{}", lines[0], &lines[1][..30])).unwrap();
    assert_eq!((status("1"), status("2")), (200, 404));
    std::fs::write(&index, lines.concat()).unwrap();
    assert_eq!((status("1"), status("2")), (200, 200));
    // The crawl ends.
    std::fs::rename(job.path().join("archive/x.warc.gz.open"), job.path().join("archive/x.warc.gz")).unwrap();
    std::fs::rename(index, job.path().join("indexes/x.cdxj")).unwrap();
    assert_eq!((status("1"), status("2")), (200, 200));
}

#[test]
fn texts_in_any_encoding_keep_their_bytes() {
    let latin = [&b"<meta charset=iso-8859-1><a href='?q=\xfc'>\xfc</a>"[..]].concat();
    let wide: Vec<u8> = "\u{feff}<a href=x>ü</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let job = job(&[
        response("http://a.test/latin", "2020-01-01T00:00:00Z", "Content-Type: text/html\r\n", &latin),
        response("http://a.test/wide", "2020-01-01T00:00:00Z", "Content-Type: text/html\r\n", &wide),
        response("http://a.test/none", "2020-01-01T00:00:00Z", "", b"<!doctype html><title>x</title>"),
    ]);
    let replay = replay(job.path());
    let answer = get(&replay, "20200101000000mp_/http://a.test/latin");
    assert_eq!(answer.header("content-type"), Some("text/html"));
    let body = answer.into_bytes().unwrap();
    assert!(body.ends_with(b"http://a.test/latin?q=%FC\">\xfc</a>"), "{}", String::from_utf8_lossy(&body));
    let answer = get(&replay, "20200101000000mp_/http://a.test/wide");
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(text(answer).ends_with("http://a.test/x\">ü</a>"));
    assert_eq!(
        get(&replay, "20200101000000mp_/http://a.test/none").header("content-type"),
        Some("text/html")
    );
}

#[test]
fn a_large_body_comes_in_pieces() {
    let large = vec![7; 3 << 20];
    let job = job(&[response(A, "2020-01-01T00:00:00Z", "Content-Type: video/mp4\r\n", &large)]);
    let answer = get(&replay(job.path()), "20200101000000oe_/http://a.test/");
    assert_eq!(answer.header("content-length"), Some((3 << 20).to_string().as_str()));
    let Body::Stream(stream) = answer.body else { panic!("all of it is in memory") };
    let (mut pieces, mut longest, mut sum) = (0, 0, 0);
    let pump = stream.pump(&mut |piece| {
        (pieces, longest, sum) = (pieces + 1, longest.max(piece.len()), sum + piece.len());
        true
    });
    pump.unwrap();
    assert!(
        pieces > 40 && longest <= 64 << 10 && sum == 3 << 20,
        "{pieces} pieces, the longest of {longest} bytes"
    );
}

#[test]
fn a_part_of_what_is_far_longer_unpacked_is_not_sought() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let zeros = vec![0; 1 << 20];
    (0..257).for_each(|_| packed.write_all(&zeros).unwrap());
    let head = "Content-Type: video/mp4\r\nContent-Encoding: gzip\r\n";
    let job = job(&[response(A, "2020-01-01T00:00:00Z", head, &packed.finish().unwrap())]);
    let replay = replay(job.path());
    let asked = Asked::get(PREFIX, "20200101000000oe_/http://a.test/");
    let answer = replay.answer(&Asked { range: Some("bytes=5-6"), ..asked });
    assert_eq!((answer.status, answer.header("content-range")), (200, None));
    // It comes from its beginning, for as long as somebody takes it.
    let Body::Stream(stream) = answer.body else { panic!("all of it is in memory") };
    let mut taken = 0;
    stream
        .pump(&mut |piece| {
            taken += piece.len();
            false
        })
        .unwrap();
    assert!(taken > 0 && taken < 1 << 20, "{taken}");
}

#[test]
fn pages_that_are_xml_stay_inside_and_other_xml_is_text() {
    let xhtml = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head>\
                 <body><a href='http://leak.test/live'>x</a></body></html>";
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'><a l:href='http://leak.test/live'/></svg>";
    let feed = "<rss><x:a xmlns:x='http://www.w3.org/1999/xhtml' href='http://leak.test/live'>x</x:a></rss>";
    let latin: Vec<u8> = [
        &b"<?xml version='1.0' encoding='iso-8859-1'?><html xmlns='http://www.w3.org/1999/xhtml'><p>\xfc</p></html>"[..],
    ]
    .concat();
    let kinds = [
        ("text/xml", xhtml, true),
        ("application/xml; charset=utf-8", xhtml, true),
        ("application/xhtml+xml", xhtml, true),
        ("application/vnd.wap.xhtml+xml", xhtml, true),
        ("image/svg+xml", svg, true),
        ("application/xml", svg, true),
        ("text/xml", feed, false),
        ("application/rss+xml", feed, false),
    ];
    for (kind, body, is_page) in kinds {
        let head = format!("Content-Type: {kind}\r\n");
        let job = job(&[response(A, "2020-01-01T00:00:00Z", &head, body.as_bytes())]);
        let answer = get(&replay(job.path()), "20200101000000mp_/http://a.test/");
        let told = answer.header("content-type").unwrap().to_owned();
        let shown = text(answer);
        if is_page {
            let media = kind.split(';').next().unwrap();
            assert_eq!(told, format!("{media}; charset=utf-8"));
            assert!(
                shown.contains(&format!("=\"{PREFIX}20200101000000mp_/http://leak.test/live\"")),
                "{shown}"
            );
            assert!(!shown.contains("'http://leak.test"), "{shown}");
        } else {
            assert_eq!((told.as_str(), shown.as_str()), ("text/plain; charset=UTF-8", body));
        }
    }
    let head = "Content-Type: application/xml\r\n";
    let job = job(&[response(A, "2020-01-01T00:00:00Z", head, &latin)]);
    let answer = get(&replay(job.path()), "20200101000000mp_/http://a.test/");
    assert_eq!(answer.header("content-type"), Some("application/xml; charset=utf-8"));
    assert!(text(answer).contains("<p>ü</p>"));
}

#[test]
fn the_first_base_counts_wherever_it_stands_as_it_does_for_a_browser() {
    let page = "<a href=x></a><!-- <base href=/no/> --><iframe srcdoc='<a href=y></a><base href=e/>'></iframe>\
                <p><base href=c/ ><base href=/d/><a href=z></a>";
    let xhtml =
        "<html xmlns='http://www.w3.org/1999/xhtml'><a href='x'/><base href='c/'/><base href='/d/'/></html>";
    let at = "2020-01-02T03:04:05Z";
    let wide: Vec<u8> = format!("\u{feff}{page}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (b, c) = ("http://a.test/b", "http://a.test/c");
    let job = job(&[
        html(A, at, page),
        response(b, at, "Content-Type: application/xhtml+xml\r\n", xhtml.as_bytes()),
        response(c, at, "Content-Type: text/html; charset=utf-16le\r\n", &wide),
    ]);
    let shown = |url: &str| text(get(&replay(job.path()), &format!("20200102030405mp_/{url}")));
    let to = |path: &str| format!("{PREFIX}20200102030405mp_/http://a.test/{path}");
    for told in [shown(A), shown(c)] {
        for expected in [
            format!("<a href=\"{}\">", to("c/x")),
            format!("<base href=\"{}\"", to("c/")),
            format!("<base href=\"{}\">", to("d/")),
            format!("<a href=\"{}\">", to("c/z")),
            to("c/e/y").replace("mp_/", "if_/"),
        ] {
            assert!(told.contains(&expected), "{expected} in {told}");
        }
    }
    let told = shown(b);
    assert!(told.contains(&to("c/x")) && told.contains(&to("c/")) && told.contains(&to("d/")), "{told}");
}
