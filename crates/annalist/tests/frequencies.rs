//! `annalist index --frequencies`, over an archive whose every word is known.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use support::script::{Script, answer, html, missing, spec};
use support::{annalist, assert_exit, files_in, finish};

const LINKS: &str = "<a href=/one>-</a><a href=/two>-</a><a href=/three>-</a><a href=/drei>-</a><a href=/notes.txt>-</a>\
    <a href=/again>-</a><a href=/gone>-</a><a href=/style.css>-</a><a href=/odd>-</a>";

/// Long enough for its language to be told, and all of it stop words.
const SAYS_NOTHING: &str = " It was not there and they were not here, so that it is what it is and we could not do this or that. \
    It was not there and they were not here, so that it is what it is and we could not do this or that.";

fn titled(title: &str, lang: &str, body: &str) -> String {
    let fields = "Content-Type: text/html; charset=utf-8\r\n";
    answer("200 OK", fields, &format!("<!DOCTYPE html><html lang={lang}><title>{title}</title><p>{body}</p>"))
}

/// A crawl of pages with few words, in a folder.
fn archive(dir: &Path) -> PathBuf {
    let server = Script::serve(|path, _| match path {
        "/" => html(LINKS),
        "/one" => titled("1", "en", &format!("Greek elections.{SAYS_NOTHING} Parliaments!")),
        "/two" | "/again" => titled("2", "en", &format!("The Greek election.{SAYS_NOTHING}")),
        "/three" => titled("3", "en", &format!("A parliament, a Greek, a Greek parliament.{SAYS_NOTHING}")),
        "/drei" => titled("4", "de", "Wahlen und Wahl"),
        "/odd" => titled("5", "xh", "ukhetho ukhetho"),
        "/notes.txt" => {
            answer("200 OK", "Content-Type: text/plain\r\n", &format!("Parliament notes.{SAYS_NOTHING}"))
        }
        "/style.css" => answer("200 OK", "Content-Type: text/css\r\n", "body { color: parliament }"),
        "/gone" => answer("404 Not Found", "Content-Type: text/html\r\n", &format!("Greek.{SAYS_NOTHING}")),
        "/robots.txt" => {
            answer("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /parliament\n")
        }
        _ => missing(),
    });
    let path = dir.join("spec.toml");
    std::fs::write(&path, spec(server.address, "")).unwrap();
    let job = dir.join("job");
    let mut crawl = annalist();
    crawl.arg("crawl").arg(&path).arg("--job").arg(&job).arg("--quiet");
    assert_exit(&finish(&mut crawl, Duration::from_secs(60)), 0);
    job.join("archive")
}

fn count(archive: &Path, out: &Path, more: &[&str]) -> Output {
    annalist().arg("index").arg("--frequencies").arg(out).arg(archive).args(more).output().unwrap()
}

#[test]
fn every_document_counts_once_for_each_term_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let archive = archive(dir.path());
    let out = dir.path().join("own.tsv");

    let output = count(&archive, &out, &["--min", "1"]);
    assert_exit(&output, 0);
    assert_eq!(
        std::fs::read_to_string(&out).unwrap(),
        "#annalist-frequencies\t1\tmin\t1\n#documents\tde\t1\n#documents\ten\t4\n#documents\txh\t1\n\
         language\tterm\tdocuments\nde\twahl\t1\nen\tgreek\t3\nen\tparliament\t3\nen\telect\t2\nen\tgreek elect\t2\n\
         en\tgreek parliament\t1\nen\tnote\t1\nen\tparliament note\t1\nxh\tukhetho\t1\nxh\tukhetho ukhetho\t1\n"
    );
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("en: 4 documents, 7 terms in 1 or more; outstanding: "), "{told}");
    assert!(told.contains("xh: 1 document, 2 terms in 1 or more; nothing is known"), "{told}");
    assert_eq!(files_in(dir.path(), ".new"), [] as [PathBuf; 0]);

    // Against itself nothing stands out; by default, terms in one document are left out.
    let background = out.to_str().unwrap();
    let again = dir.path().join("again.tsv");
    let output = count(&archive, &again, &["--background", background]);
    assert_exit(&output, 0);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("en: 4 documents, 4 terms in 2 or more; nothing stands out"), "{told}");
    assert_eq!(
        std::fs::read_to_string(&again).unwrap().lines().filter(|line| line.starts_with("en\t")).count(),
        4
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let told = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();

    let output = count(&at("nowhere"), &at("out.tsv"), &[]);
    assert_exit(&output, 4);
    assert!(told(&output).contains("does not exist"));

    std::fs::write(at("cut.warc"), "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 10\r\n\r\nHTTP")
        .unwrap();
    let output = count(&at("cut.warc"), &at("out.tsv"), &[]);
    assert_exit(&output, 9);
    assert!(told(&output).contains("cut.warc") && told(&output).contains("are lost"));

    let output = count(&at("cut.warc"), &at("no/folder/out.tsv"), &[]);
    assert_exit(&output, 9);
    assert!(told(&output).contains("cannot be written"));

    std::fs::write(at("other.tsv"), "a\tb\n").unwrap();
    let output = count(&at("cut.warc"), &at("out.tsv"), &["--background", at("other.tsv").to_str().unwrap()]);
    assert_exit(&output, 4);
    assert!(told(&output).contains("other.tsv: this is no file of frequencies"), "{}", told(&output));

    for wrong in [["--min", "0"], ["--min", "x"]] {
        assert_exit(&count(&at("cut.warc"), &at("out.tsv"), &wrong), 4);
    }
}
