//! `annalist index` over folders: one index of everything, ZipNum, or one beside each file, all with the same lines.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::io::{Read, Write};
use std::path::Path;
use std::process::Output;

use annalist_warc::{Index, Sorted};
use support::{annalist, assert_exit};

fn member(target: &str, day: u32) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{target} {day}");
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {target}\r\nWARC-Date: 2010-01-{day:02}T00:00:00Z\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(record.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

/// Files in several folders, 900 captures in all.
fn archive(dir: &Path) {
    for (number, folder) in ["a", "a/b", "c"].into_iter().enumerate() {
        std::fs::create_dir_all(dir.join(folder)).unwrap();
        let pages = (0..300).map(|n| member(&format!("http://h{}.test/{n}", n % 7), 1 + number as u32));
        std::fs::write(
            dir.join(folder).join(format!("f{number}.warc.gz")),
            pages.collect::<Vec<_>>().concat(),
        )
        .unwrap();
    }
}

fn index(archive: &Path, options: &[&str]) -> Output {
    annalist().arg("index").arg(archive).args(options).output().unwrap()
}

#[test]
fn every_way_to_write_an_index_gives_the_same_lines() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    archive(&root);
    let at = |name: &str| dir.path().join(name).display().to_string();

    let printed = index(&root, &["--threads", "1"]);
    assert_exit(&printed, 0);
    assert!(String::from_utf8_lossy(&printed.stderr).contains("900 captures in 3 files"));
    let lines = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(lines.lines().count(), 900);
    assert!(lines.lines().is_sorted());

    assert_exit(&index(&root, &["--threads", "3", "--output", &at("all.cdxj")]), 0);
    assert_eq!(std::fs::read_to_string(at("all.cdxj")).unwrap(), lines);

    assert_exit(&index(&root, &["--zipnum", &at("zip")]), 0);
    let packed = std::fs::read(at("zip/index.cdx.gz")).unwrap();
    let mut unpacked = String::new();
    flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, lines);
    let zipnum = Index::open(Path::new(&at("zip/index.idx")), dir.path()).unwrap();
    assert_eq!(zipnum.captures("http://h3.test/10").unwrap().len(), 3);

    assert_exit(&index(&root, &["--beside"]), 0);
    let mut beside: Vec<String> = Vec::new();
    for name in ["a/f0.cdxj", "a/b/f1.cdxj", "c/f2.cdxj"] {
        let text = std::fs::read(root.join(name)).unwrap();
        assert!(Sorted::in_memory(text.clone()).unwrap().is_ordered());
        beside.extend(String::from_utf8(text).unwrap().lines().map(str::to_owned));
    }
    beside.sort();
    assert_eq!(beside.join("\n") + "\n", lines);
    let left: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn files_of_one_name_are_told_apart_and_damage_is_told() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["a", "b"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
        std::fs::write(dir.path().join(folder).join("same.warc.gz"), member("http://a.test/", 1)).unwrap();
    }
    let bytes = member("http://b.test/", 1);
    std::fs::write(dir.path().join("cut.warc.gz"), [&bytes, &bytes[..bytes.len() - 9]].concat()).unwrap();
    let told = index(dir.path(), &[]);
    assert_exit(&told, 9);
    let lines = String::from_utf8_lossy(&told.stdout);
    assert_eq!(lines.lines().count(), 3);
    assert!(lines.contains("a/same.warc.gz\"}") && lines.contains("b/same.warc.gz\"}"), "{lines}");
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(said.contains("cut.warc.gz: at byte") && said.contains("1 file is damaged"), "{said}");
}

#[test]
fn an_index_that_cannot_be_written_is_an_error_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    archive(dir.path());
    let told = index(dir.path(), &["--output", &dir.path().join("none/all.cdxj").display().to_string()]);
    assert_exit(&told, 9);
    assert!(String::from_utf8_lossy(&told.stderr).contains("none/all.cdxj cannot be written"));
    assert_exit(&index(dir.path(), &["--output", "x", "--beside"]), 4);
}
