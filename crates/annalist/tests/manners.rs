//! Manners and odd servers: what is asked, in which order, and what is left alone.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::process::Output;
use std::time::Duration;

use support::script::{Script, answer, html, missing, spec};
use support::{annalist, assert_valid, finish, json_of};

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
