//! What others can see of a crawl while it runs: its captures can be looked up, though their file is not closed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use annalist_warc::{CdxLine, Reader};
use support::script::{Script, html, missing, spec};
use support::{annalist, assert_exit, assert_valid, captures, files_in, finish, urls};

/// The lines of every index there is, those of open files too.
fn lines(job: &Path) -> Vec<CdxLine> {
    let mut indexes = files_in(&job.join("indexes"), ".cdxj");
    indexes.extend(files_in(&job.join("indexes"), ".cdxj.open"));
    let texts = indexes.iter().map(|index| std::fs::read_to_string(index).unwrap());
    let whole = |text: String| -> Vec<CdxLine> {
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        lines.map(|line| CdxLine::parse(line).unwrap_or_else(|| panic!("{line:?} is no line"))).collect()
    };
    texts.flat_map(whole).collect()
}

/// The record is where the line says, alone in its gzip member.
fn assert_leads_to_its_record(job: &Path, line: &CdxLine) {
    let archive = job.join("archive");
    let file = std::fs::read(archive.join(format!("{}.open", line.filename)))
        .or_else(|_| std::fs::read(archive.join(&line.filename)))
        .unwrap();
    let member = &file[line.offset as usize..(line.offset + line.length) as usize];
    let mut reader = Reader::new(std::io::Cursor::new(member));
    let record = reader.next_record().unwrap().unwrap();
    assert_eq!(record.fields.get("WARC-Target-URI"), Some(line.url.as_str()));
    record.finish().unwrap();
    assert!(reader.next_record().unwrap().is_none());
}

/// What crawl.log tells of was acknowledged.
fn acknowledged(job: &Path) -> BTreeSet<String> {
    let log = std::fs::read_to_string(job.join("logs/crawl.log")).unwrap_or_default();
    let whole = log.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.filter_map(|line| line.split_whitespace().nth(3)).map(str::to_owned).collect()
}

#[test]
fn what_was_acknowledged_can_be_looked_up_while_the_crawl_runs_and_after_it_was_killed() {
    const PAGES: usize = 12;
    let (release, held) = channel::<()>();
    let server = Script::serve(move |path, _| match path {
        "/" => html(&(0..PAGES).map(|n| format!("<a href=/{n}>{n}</a>")).collect::<String>()),
        "/robots.txt" | "/sitemap.xml" => missing(),
        // The last page keeps the crawl waiting until the test has seen enough.
        "/11" => {
            let _ = held.recv_timeout(Duration::from_secs(60));
            html("late")
        }
        path => html(path),
    });
    let dir = tempfile::tempdir().unwrap();
    let job = dir.path().join("job");
    let spec_path = dir.path().join("spec.toml");
    std::fs::write(&spec_path, spec(server.address, "apps = false")).unwrap();
    let mut command = annalist();
    command.arg("crawl").arg(&spec_path).arg("--job").arg(&job).args(["--json", "--quiet"]);
    let mut crawl = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !server.paths().contains(&"/11".to_owned()) || acknowledged(&job).len() < PAGES + 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", server.paths());
        std::thread::sleep(Duration::from_millis(20));
    }

    let check = |when: &str| {
        let known = acknowledged(&job);
        let found = lines(&job);
        found.iter().for_each(|line| assert_leads_to_its_record(&job, line));
        let urls: BTreeSet<String> = found.into_iter().map(|line| line.url).collect();
        assert_eq!(urls, known, "{when}");
        assert_eq!(files_in(&job.join("archive"), ".open").len(), 1, "{when}");
        let indexed = annalist().arg("index").arg(job.join("archive")).output().unwrap();
        assert_exit(&indexed, 0);
        assert_eq!(String::from_utf8_lossy(&indexed.stdout).lines().count(), known.len(), "{when}");
    };
    check("while it runs");
    crawl.kill().unwrap();
    crawl.wait().unwrap();
    check("after it was killed");

    release.send(()).unwrap();
    drop(release);
    assert_exit(&finish(&mut command, Duration::from_secs(60)), 0);
    assert!(files_in(&job.join("indexes"), ".open").is_empty());
    assert_eq!(urls(&captures(&job)).len(), PAGES + 3);
    assert_valid(&job);
}
