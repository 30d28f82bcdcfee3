//! Two crawls on one machine that meet on the same servers: what one asks, the other leaves alone.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use annalist_testweb::{By, ServerOptions, WorldConfig};
use support::script::{Script, html, missing, spec};
use support::service::{Service, service};
use support::{
    BOOK, IMPATIENT, Stand, annalist, asked_again_within, assert_exit, captures, expected, files_in, finish,
    urls, wait, waits_for,
};

const LIMIT: Duration = Duration::from_secs(120);

/// A crawl of `http://a.test/` on that server, into its own job in `dir`; all of them share a book.
fn crawl(server: &Script, dir: &Path, name: &str, delay: &str) -> Command {
    let path = dir.join(format!("{name}.toml"));
    let text = spec(server.address, "").replace("_delay = \"0s\"", &format!("_delay = \"{delay}\""));
    std::fs::write(&path, text).unwrap();
    let mut command = annalist();
    command.arg("crawl").arg(&path).arg("--job").arg(dir.join(name)).args(["--json", "--quiet"]);
    command.env(BOOK, dir.join("book"));
    command
}

#[test]
fn two_crawls_ask_one_server_in_turns_and_leave_it_its_delay() {
    const DELAY: Duration = Duration::from_millis(30);
    let config =
        WorldConfig { hosts: 8, pages: 120, addresses: 4, crawl_delays: 0.0, ..WorldConfig::default() };
    let options = ServerOptions { latency: Duration::from_millis(5), ..ServerOptions::default() };
    let stand = Stand::with_options(config, options);
    let spec = stand.spec(IMPATIENT);
    let delay = format!("\"{}ms\"", DELAY.as_millis());
    std::fs::write(&spec, std::fs::read_to_string(&spec).unwrap().replace("\"0s\"", &delay)).unwrap();
    let jobs = ["first", "second"].map(|name| stand.dir.path().join(name));
    let crawls = jobs.clone().map(|job| {
        let mut command = stand.crawl_into(&spec, &job);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    });
    for crawl in crawls {
        assert_exit(&wait(crawl, LIMIT), 0);
    }
    let log = stand.web.log();
    let overlaps = log.overlaps(By::Address);
    assert!(overlaps.is_empty(), "{:?}", overlaps.first());
    assert_eq!(asked_again_within(&log, By::Address, DELAY), None);
    for job in jobs {
        let missed: Vec<_> = expected(&stand.web).difference(&urls(&captures(&job))).cloned().collect();
        assert!(missed.is_empty(), "{}: {missed:?}", job.display());
    }
}

#[test]
fn a_crawl_that_is_killed_in_the_middle_of_a_request_leaves_the_server_to_the_others() {
    let (asked, is_asked) = channel();
    let (release, released) = channel::<()>();
    let server = Script::serve(move |path, _| match path {
        "/" => {
            // The first one never hears the answer; by then nobody listens here any more.
            let _ = asked.send(());
            let _ = released.recv();
            html("hello")
        }
        _ => missing(),
    });
    // Dropped before the server, which would wait for it.
    let release = release;
    let dir = tempfile::tempdir().unwrap();
    let mut first = crawl(&server, dir.path(), "first", "50ms").stdout(Stdio::null()).spawn().unwrap();
    is_asked.recv_timeout(LIMIT).unwrap();
    let mut second = crawl(&server, dir.path(), "second", "50ms");
    let second = second.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let reason = waits_for(&dir.path().join("second"), LIMIT);
    assert_eq!(reason, "the server 127.0.0.1, which another crawl on this machine is asking");
    first.kill().unwrap();
    first.wait().unwrap();
    drop(release);
    assert_exit(&wait(second, LIMIT), 0);
    assert!(urls(&captures(&dir.path().join("second"))).contains("http://a.test/"));
}

#[test]
fn a_crawl_keeps_the_rest_that_an_earlier_one_owes_a_server() {
    let server = Script::serve(|path, _| if path == "/" { html("hello") } else { missing() });
    let dir = tempfile::tempdir().unwrap();
    let rest = Duration::from_secs(2);
    assert_exit(&finish(&mut crawl(&server, dir.path(), "first", "2s"), LIMIT), 0);
    let before = server.asked().len();
    assert_exit(&finish(&mut crawl(&server, dir.path(), "second", "0s"), LIMIT), 0);
    let asked: Vec<Instant> = server.asked().iter().map(|asked| asked.at).collect();
    assert!(asked[before] - asked[before - 1] >= rest, "{:?}", asked[before] - asked[before - 1]);
}

#[test]
fn a_book_that_cannot_be_used_is_warned_of_once_and_the_crawl_goes_on() {
    let server = Script::serve(|path, _| match path {
        "/" => html("<a href=/one>x</a><a href=/two>x</a>"),
        "/one" | "/two" => html(path),
        _ => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    // A file in the way of the folder, for everybody, the super-user included.
    std::fs::write(dir.path().join("book"), "").unwrap();
    assert_exit(&finish(&mut crawl(&server, dir.path(), "job", "0s"), LIMIT), 0);
    let events = std::fs::read_to_string(dir.path().join("job/logs/events.jsonl")).unwrap();
    let warnings: Vec<&str> = events.lines().filter(|line| line.contains("\"warning\"")).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for told in [dir.path().join("book").to_str().unwrap(), "Not a directory", BOOK] {
        assert!(warnings[0].contains(told), "{told}: {}", warnings[0]);
    }
    assert!(server.paths().contains(&"/two".to_owned()));
}

#[test]
fn crawls_of_one_service_leave_a_server_its_rest_also_without_a_book() {
    const DELAY: Duration = Duration::from_millis(150);
    // A file in the way of the folder, and no folder at all.
    for book in ["occupied", ""] {
        let server = Script::serve(|path, _| match path {
            "/" => html("<a href=/one>x</a><a href=/two>x</a>"),
            "/one" | "/two" => html(path),
            _ => missing(),
        });
        let dir = tempfile::tempdir().unwrap();
        let occupied = dir.path().join("occupied");
        std::fs::write(&occupied, "").unwrap();
        let root = dir.path().join("root");
        let mut command = service(&root);
        if book.is_empty() {
            command.env(BOOK, "")
        } else {
            command.env(BOOK, &occupied)
        };
        let service = Service::start_as(&mut command);
        let text = server.plain_spec().replace("_delay = \"0s\"", "_delay = \"150ms\"");
        for id in ["a", "b", "c"] {
            service.make(&text, id, true);
        }
        for id in ["a", "b", "c"] {
            service.until(id, LIMIT, |seen| seen["is_running"] == false && seen["state"] == "complete");
        }
        let asked: Vec<Instant> = server.asked().iter().map(|asked| asked.at).collect();
        assert!(asked.len() >= 9, "{}", asked.len());
        let least = asked.windows(2).map(|two| two[1] - two[0]).min().unwrap();
        assert!(least >= DELAY, "{book:?}: {least:?}");
    }
}

#[test]
fn the_book_is_kept_in_the_state_of_who_crawls() {
    let server = Script::serve(|path, _| if path == "/" { html("hello") } else { missing() });
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let mut at_home = crawl(&server, dir.path(), "first", "0s");
    at_home.env_remove(BOOK).env_remove("XDG_STATE_HOME").env("HOME", &home);
    assert_exit(&finish(&mut at_home, LIMIT), 0);
    assert_eq!(files_in(&home.join(".local/state/annalist/servers"), "127.0.0.1").len(), 1);
    let mut by_xdg = crawl(&server, dir.path(), "second", "0s");
    by_xdg.env_remove(BOOK).env("XDG_STATE_HOME", dir.path().join("state"));
    assert_exit(&finish(&mut by_xdg, LIMIT), 0);
    assert_eq!(files_in(&dir.path().join("state/annalist/servers"), "127.0.0.1").len(), 1);
}
