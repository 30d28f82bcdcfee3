//! Manners and odd servers: what is asked, in which order, and what is left alone.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use annalist_warc::{Fields, Reader};
use support::script::{NO_SUCH_NAME, SERVER_FAILURE, Script, answer, html, missing, name_server, spec};
use support::{annalist, assert_exit, assert_valid, files_in, finish, json_of};

/// Crawls `http://a.test/` on a scripted server; `more` goes to the top of the spec.
fn crawl(server: &Script, more: &str) -> (Output, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec.toml");
    std::fs::write(&path, spec(server.address, more)).unwrap();
    let mut command = annalist();
    command.arg("crawl").arg(&path).arg("--job").arg(dir.path().join("job")).args(["--json", "--quiet"]);
    let output = finish(&mut command, Duration::from_secs(60));
    assert_valid(&dir.path().join("job"));
    (output, dir)
}

fn links(count: usize, folder: &str) -> String {
    (0..count).map(|n| format!("<a href=\"/{folder}/{n}\">{n}</a>")).collect()
}

#[test]
fn links_that_answer_nonsense_do_not_cost_the_rest_of_their_host() {
    let server = Script::serve(|path, _| match path {
        "/" => html(&(links(6, "bad") + &links(10, "good"))),
        _ if path.starts_with("/bad/") => "this is no HTTP\r\n\r\n".to_owned(),
        _ if path.starts_with("/good/") => html("good"),
        _ => missing(),
    });
    let (output, _dir) = crawl(&server, "");
    let json = json_of(&output);
    assert_eq!(json["failed"], 6, "{json}");
    let good = server.paths().iter().filter(|path| path.starts_with("/good/")).count();
    assert_eq!(good, 10);
}

#[test]
fn a_host_that_asks_for_time_is_left_alone_at_once() {
    let server = Script::serve(|path, _| match path {
        "/" => html(&links(20, "page")),
        _ if path.starts_with("/page/") => answer("429 Too Many", "Retry-After: 2\r\n", "later"),
        _ => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec.toml");
    std::fs::write(&path, spec(server.address, "")).unwrap();
    let mut command = annalist();
    command.arg("crawl").arg(&path).arg("--job").arg(dir.path().join("job"));
    finish(command.args(["--json", "--quiet", "--time-limit", "5s"]), Duration::from_secs(60));
    let pages: Vec<_> = server.asked().into_iter().filter(|asked| asked.path.starts_with("/page/")).collect();
    assert!(pages.len() >= 2);
    for pair in pages.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(gap >= Duration::from_secs(2), "asked again after {gap:?}");
    }
}

#[test]
fn a_crawl_delay_holds_between_robots_txt_and_the_first_page() {
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => answer("200 OK", "", "User-agent: *\nCrawl-delay: 1.5\n"),
        "/" => html("hello"),
        _ => missing(),
    });
    crawl(&server, "");
    for pair in server.asked().windows(2) {
        assert!(pair[1].at - pair[0].at >= Duration::from_millis(1500), "{pair:?}");
    }
}

#[test]
fn robots_txt_knows_a_crawler_by_its_own_name() {
    let rules = "User-agent: mybot\nDisallow: /private\n\nUser-agent: *\nAllow: /\n";
    let server = Script::serve(move |path, _| match path {
        "/robots.txt" => answer("200 OK", "", rules),
        "/" => html("<a href=/private>p</a><a href=/open>o</a>"),
        "/private" | "/open" => html("x"),
        _ => missing(),
    });
    crawl(&server, "user_agent = \"MyBot/1.0\"");
    let paths = server.paths();
    assert!(paths.contains(&"/open".to_owned()) && !paths.contains(&"/private".to_owned()), "{paths:?}");
}

#[test]
fn a_robots_txt_that_was_cut_short_opens_nothing() {
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nUser-agent: *\n".to_owned(),
        _ => html("hello"),
    });
    let (output, _dir) = crawl(&server, "");
    assert!(server.paths().iter().all(|path| path == "/robots.txt"), "{:?}", server.paths());
    // The page, and the sitemap that its host might have had.
    assert_eq!(json_of(&output)["skipped_by_reason"]["robots-unreachable"], 2);
}

/// Status, address and annotation of every line of crawl.log that is about a robots.txt.
fn robots_lines(job: &Path) -> Vec<(String, String, String)> {
    let log = std::fs::read_to_string(job.join("logs/crawl.log")).unwrap();
    let fields = log.lines().map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let lines = fields.map(|fields| (fields[1].clone(), fields[3].clone(), fields[11].clone()));
    lines.filter(|(_, url, _)| url.ends_with("/robots.txt")).collect()
}

#[test]
fn a_robots_txt_that_cannot_be_had_is_logged_like_any_fetch() {
    const OWN: &str = "http://a.test/robots.txt";
    // Nobody listens on port 1.
    const ELSEWHERE: &str = "http://127.0.0.1:1/robots.txt";
    let redirect = answer("302 Found", &format!("Location: {ELSEWHERE}\r\n"), "");
    let nonsense = "this is no HTTP\r\n\r\n".to_owned();
    let error = answer("503 Service Unavailable", "", "");
    let lines_for = |robots: String| {
        let server =
            Script::serve(move |path, _| if path == "/robots.txt" { robots.clone() } else { html("x") });
        let (output, dir) = crawl(&server, "");
        let skipped = std::fs::read_to_string(dir.path().join("job/logs/skipped.jsonl")).unwrap();
        assert!(!skipped.contains("/robots.txt\",\"via"), "{skipped}");
        (robots_lines(&dir.path().join("job")), json_of(&output)["failed"].clone())
    };
    let line = |status: &str, url: &str, note: &str| (status.to_owned(), url.to_owned(), note.to_owned());
    // Pages are counted; their robots.txt is not.
    assert_eq!(lines_for(nonsense), (vec![line("-3", OWN, "failed"); 3], 0.into()));
    assert_eq!(lines_for(error), (vec![line("503", OWN, "-"); 3], 0.into()));
    let (lines, _) = lines_for(redirect);
    assert!(lines.contains(&line("302", OWN, "-")), "{lines:?}");
    assert!(lines.contains(&line("-2", ELSEWHERE, "failed")), "{lines:?}");
}

#[test]
fn a_page_that_robots_txt_redirects_to_is_read_as_a_page_all_the_same() {
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => answer("302 Found", "Location: /page\r\n", ""),
        "/" => html("<a href=/page>p</a>"),
        "/page" => html("<a href=/deep>d</a>"),
        "/deep" => html("x"),
        _ => missing(),
    });
    crawl(&server, "");
    assert!(server.paths().contains(&"/deep".to_owned()), "{:?}", server.paths());
}

#[test]
fn links_marked_nofollow_are_left_alone_when_robots_are_obeyed() {
    let server = Script::serve(|path, _| match path {
        "/" => html("<a rel=nofollow href=/no>n</a><a href=/yes>y</a>"),
        "/no" | "/yes" => html("x"),
        _ => missing(),
    });
    crawl(&server, "");
    let paths = server.paths();
    assert!(paths.contains(&"/yes".to_owned()) && !paths.contains(&"/no".to_owned()), "{paths:?}");
}

#[test]
fn a_cookie_wall_is_passed_and_its_page_kept() {
    let server = Script::serve(|path, head| match path {
        "/" if head.contains("seen=1") => html("<a href=/inside>in</a>"),
        "/" => answer("302 Found", "Location: /\r\nSet-Cookie: seen=1\r\n", ""),
        "/inside" => html("x"),
        _ => missing(),
    });
    let (output, _dir) = crawl(&server, "");
    assert!(server.paths().contains(&"/inside".to_owned()), "{:?} {output:?}", server.paths());
}

#[test]
fn what_a_page_embeds_comes_right_after_it() {
    let server = Script::serve(|path, _| match path {
        "/" => html(&links(8, "page")),
        _ if path.starts_with("/page/") => html(&format!("<img src=\"/img{path}.png\">")),
        _ if path.starts_with("/img/") => answer("200 OK", "Content-Type: image/png\r\n", path),
        _ => missing(),
    });
    crawl(&server, "");
    let paths: Vec<String> =
        server.paths().into_iter().filter(|p| p.starts_with("/page/") || p.starts_with("/img/")).collect();
    assert_eq!(paths.len(), 16);
    for pair in paths.chunks(2) {
        assert_eq!(format!("/img{}.png", pair[0]), pair[1], "{paths:?}");
    }
}

#[test]
fn a_plain_text_sitemap_is_read_and_its_pages_are_no_clicks_away() {
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => answer("200 OK", "", "Sitemap: http://a.test/map.txt\n"),
        "/map.txt" => {
            answer("200 OK", "Content-Type: text/plain\r\n", "http://a.test/one\nhttp://a.test/two\n")
        }
        "/" | "/one" | "/two" => html("x"),
        _ => missing(),
    });
    crawl(&server, "");
    let paths = server.paths();
    assert!(paths.contains(&"/one".to_owned()) && paths.contains(&"/two".to_owned()), "{paths:?}");
}

/// Every record of a job's archive: its fields and its block.
fn records(job: &Path) -> Vec<(Fields, String)> {
    let mut records = Vec::new();
    for file in files_in(&job.join("archive"), ".warc.gz") {
        let mut reader = Reader::open(&file).unwrap();
        while let Some(mut record) = reader.next_record().unwrap() {
            let block = record.read_block(1 << 20).unwrap();
            records.push((record.fields.clone(), String::from_utf8_lossy(&block).into_owned()));
        }
    }
    records
}

#[test]
fn what_dns_said_is_kept_whatever_comes_of_the_address() {
    let server = Script::serve(|path, _| if path == "/" { html("hello") } else { missing() });
    // Nobody listens on a port that was free a moment ago.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let dns = name_server(|name| match name {
        "inside.test" => Ok(Ipv4Addr::new(10, 9, 9, 9)),
        _ => Ok(Ipv4Addr::LOCALHOST),
    });
    let open = server.address.port();
    let seeds: String = [("one", open), ("two", open), ("shut", closed), ("inside", 80)]
        .map(|(name, port)| format!("[[seed]]\nurl = \"http://{name}.test:{port}/\"\n"))
        .concat();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec.toml");
    let text = format!(
        "name = \"dns\"\ncontact = \"https://library.example/\"\n{seeds}[politeness]\nmin_delay = \"0s\"\n\
         [fetch]\ntries = 2\nretry_delay = \"100ms\"\n\
         [network]\nallow = [\"127.0.0.0/8\"]\ndns_servers = [\"{dns}\"]\n"
    );
    std::fs::write(&path, text).unwrap();
    let job = dir.path().join("job");
    let mut command = annalist();
    command.arg("crawl").arg(&path).arg("--job").arg(&job).args(["--json", "--quiet"]);
    let output = finish(&mut command, Duration::from_secs(60));
    // Of two hosts the page, and the sitemap that is not there.
    assert_eq!(json_of(&output)["pages"], 4, "{}", String::from_utf8_lossy(&output.stderr));
    assert_valid(&job);
    let records = records(&job);
    let told: BTreeSet<String> = records
        .iter()
        .filter(|(fields, _)| fields.get("Content-Type") == Some("text/dns"))
        .map(|(fields, _)| fields.get("WARC-Target-URI").unwrap().to_owned())
        .collect();
    let all: BTreeSet<String> =
        ["one", "two", "shut", "inside"].map(|name| format!("dns:{name}.test")).into();
    assert_eq!(told, all);
}

#[test]
fn a_name_that_does_not_exist_is_not_tried_again_and_one_that_dns_cannot_tell_is() {
    let dns = name_server(|name| Err(if name == "gone.test" { NO_SUCH_NAME } else { SERVER_FAILURE }));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec.toml");
    let text = format!(
        "name = \"dns\"\ncontact = \"https://library.example/\"\n[[seed]]\nurl = \"http://gone.test/\"\n[[seed]]\nurl = \"http://ill.test/\"\n\
         [fetch]\ntries = 3\nretry_delay = \"100ms\"\n[network]\ndns_servers = [\"{dns}\"]\n"
    );
    std::fs::write(&path, text).unwrap();
    let job = dir.path().join("job");
    let mut command = annalist();
    command.arg("crawl").arg(&path).arg("--job").arg(&job).args(["--json", "--quiet"]);
    let output = finish(&mut command, Duration::from_secs(60));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("no such name (DNS knows no gone.test)"), "{told}");
    let json = json_of(&output);
    assert_eq!(json["failed"], 2, "{json}");
    let log = std::fs::read_to_string(job.join("logs/crawl.log")).unwrap();
    let tries = |name: &str| log.lines().filter(|line| line.contains(name)).count();
    assert_eq!((tries("gone.test"), tries("ill.test")), (1, 3), "{log}");
}

#[test]
fn every_file_begins_with_who_made_it_and_where() {
    let server = Script::serve(|path, _| if path == "/" { html("hello") } else { missing() });
    let (_, dir) = crawl(
        &server,
        "operator = \"A library\"\ndescription = \"A test\"\ncontact = \"mailto:c@library.example\"",
    );
    let told = "\r\nFrom: c@library.example\r\n";
    assert!(server.asked().iter().all(|asked| asked.head.contains(told)), "{:?}", server.asked());
    let records = records(&dir.path().join("job"));
    let (fields, about) = &records[0];
    assert_eq!(fields.get("WARC-Type"), Some("warcinfo"));
    for name in [
        "software",
        "format",
        "conformsTo",
        "operator",
        "robots",
        "hostname",
        "ip",
        "http-header-user-agent",
        "http-header-from",
        "isPartOf",
        "description",
    ] {
        assert!(about.lines().any(|line| line.starts_with(&format!("{name}: "))), "{name}: {about}");
    }
}

#[test]
fn sites_that_crowd_before_one_server_all_have_their_turn() {
    // Many more than may wait for one server.
    const SITES: usize = 60;
    let server = Script::serve(|path, _| {
        // So slow that all the others come meanwhile.
        std::thread::sleep(Duration::from_millis(5));
        if path == "/" { html("hello") } else { missing() }
    });
    let seeds: String = (0..SITES).map(|n| format!("[[seed]]\nurl = \"http://site{n}.test/\"\n")).collect();
    let names: String = (0..SITES).map(|n| format!("\"site{n}.test\" = \"{}\"\n", server.address)).collect();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec.toml");
    let text = format!(
        "name = \"crowd\"\n{seeds}[politeness]\nmin_delay = \"0s\"\nmax_delay = \"0s\"\n\
         [network]\nallow = [\"127.0.0.0/8\"]\n[network.resolve]\n{names}"
    );
    std::fs::write(&path, text).unwrap();
    let mut command = annalist();
    command.arg("crawl").arg(&path).arg("--job").arg(dir.path().join("job")).args(["--json", "--quiet"]);
    let output = finish(&mut command, Duration::from_secs(60));
    assert_exit(&output, 0);
    assert_eq!(server.paths().iter().filter(|path| *path == "/").count(), SITES);
}

#[test]
fn a_robots_txt_that_redirects_to_a_forbidden_address_closes_its_host_and_is_named() {
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => answer("302 Found", "Location: http://10.0.0.1/robots.txt\r\n", ""),
        _ => html("x"),
    });
    let (output, dir) = crawl(&server, "");
    assert_eq!(json_of(&output)["skipped_by_reason"]["robots-unreachable"], 1);
    let skipped = std::fs::read_to_string(dir.path().join("job/logs/skipped.jsonl")).unwrap();
    assert!(skipped.contains("robots.txt redirects to http://10.0.0.1/robots.txt"), "{skipped}");
    assert!(server.paths().iter().all(|path| path == "/robots.txt"), "{:?}", server.paths());
}
