//! Records copied from archive to archive: each comes out byte for byte, whatever file it was in.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod support;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::{Dice, RealDisk};
use annalist_warc::{
    About, CdxLine, Compression, Copied, Copier, CopySettings, Framing, Kind, Reader, Sorter, Wacz, WarcFile,
    Writer, WriterSettings, verify_all,
};
use support::{START_MS, boundaries, gzip, html_capture, ids, revisit_of, text};

fn settings(prefix: &str) -> CopySettings {
    CopySettings {
        prefix: prefix.to_owned(),
        host: "host".to_owned(),
        at_ms: START_MS,
        roll_bytes: 2_000,
        warcinfo: vec![("description".to_owned(), "copied".to_owned())],
    }
}

/// A small archive as the program writes it.
fn archive(dir: &Path) -> PathBuf {
    std::fs::create_dir(dir.join("archive")).unwrap();
    std::fs::create_dir(dir.join("indexes")).unwrap();
    let mut make_id = ids(1);
    let mut settings = WriterSettings::new(&dir.join("archive"), &dir.join("indexes"), "test", "host");
    settings.warcinfo = vec![("software".to_owned(), "annalist".to_owned())];
    let mut writer = Writer::new(Arc::new(RealDisk), settings, ids(2));
    let first = html_capture("http://a.test/", "<title>A</title>", &mut make_id);
    let again = revisit_of(&first, &mut make_id);
    writer.append(&first, START_MS).unwrap();
    writer.append(&[again], START_MS).unwrap();
    for number in 0..20 {
        let page =
            html_capture(&format!("http://a.test/{number}"), &"text ".repeat(number * 50), &mut make_id);
        writer.append(&page, START_MS).unwrap();
    }
    writer.close().unwrap();
    std::fs::read_dir(dir.join("archive")).unwrap().next().unwrap().unwrap().path()
}

/// Every record of a file: its bytes by its id.
fn records(file: &WarcFile) -> BTreeMap<String, Vec<u8>> {
    let mut records = BTreeMap::new();
    let mut reader = file.open().unwrap().records_at(0);
    while let Some(mut record) = reader.next_record().unwrap() {
        let mut bytes = record.head.clone();
        record.read_to_end(&mut bytes).unwrap();
        records.insert(record.fields.get("WARC-Record-ID").unwrap().to_owned(), bytes);
    }
    records
}

fn all_records(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths: Vec<PathBuf> = if path.is_dir() {
        std::fs::read_dir(path.join("archive")).unwrap().map(|entry| entry.unwrap().path()).collect()
    } else {
        vec![path.to_owned()]
    };
    paths.iter().flat_map(|path| WarcFile::all_of(path).unwrap()).flat_map(|file| records(&file)).collect()
}

fn copy_all(from: &[WarcFile], copier: &mut Copier) {
    for file in from {
        let section = file.open().unwrap();
        let mut reader = section.records_at(0);
        while let Some(record) = reader.next_record().unwrap() {
            let span = record.finish().unwrap();
            if span.framing == Framing::Alone && reader.compression() == Compression::Gzip {
                copier.copy(&section, span.offset, span.length).unwrap();
            } else {
                // From the start: a record in the middle of a member cannot be reached alone.
                return pack_all(from, copier);
            }
        }
    }
}

fn pack_all(from: &[WarcFile], copier: &mut Copier) {
    for file in from {
        let mut reader = file.open().unwrap().records_at(0);
        while let Some(record) = reader.next_record().unwrap() {
            copier.pack(record, &file.name).unwrap();
        }
    }
}

fn to_wacz(from: &[WarcFile], path: &Path) -> Copied {
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(path).unwrap();
    let mut copier = Copier::into_wacz(file, path.parent().unwrap(), settings("wacz")).unwrap();
    copy_all(from, &mut copier);
    let pages = [r#"{"id":"1","url":"http://a.test/","ts":"2026-11-15T20:59:21Z","title":"A"}"#.to_owned()];
    let about = About { title: "A".to_owned(), software: "annalist".to_owned(), ..About::default() };
    copier.finish(pages.into_iter(), &about).unwrap()
}

fn to_folder(from: &[WarcFile], dir: &Path) -> Copied {
    let mut copier = Copier::into_folder(dir, settings("copy")).unwrap();
    copy_all(from, &mut copier);
    copier.finish(std::iter::empty(), &About::default()).unwrap()
}

fn assert_clean(path: &Path) {
    let paths: Vec<PathBuf> = if path.is_dir() {
        std::fs::read_dir(path.join("archive")).unwrap().map(|entry| entry.unwrap().path()).collect()
    } else {
        vec![path.to_owned()]
    };
    for report in verify_all(&paths) {
        assert!(report.is_clean(), "{}: {:?}", report.path.display(), report.problems);
    }
}

#[test]
fn a_warc_file_comes_back_out_of_a_wacz_file_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let packed = archive(dir.path());
    let whole = std::fs::read(&packed).unwrap();
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&whole[..]).read_to_end(&mut plain).unwrap();
    std::fs::write(dir.path().join("plain.warc"), &plain).unwrap();
    std::fs::write(dir.path().join("one-member.warc.gz"), gzip(&plain)).unwrap();

    let frames: Vec<Vec<u8>> = boundaries(&plain)
        .windows(2)
        .map(|pair| zstd::encode_all(&plain[pair[0] as usize..pair[1] as usize], 0).unwrap())
        .collect();
    std::fs::write(dir.path().join("frames.warc.zst"), frames.concat()).unwrap();

    let others = ["plain.warc", "one-member.warc.gz", "frames.warc.zst"].map(|name| dir.path().join(name));
    for source in [vec![packed], others.to_vec()].concat() {
        let name = source.file_name().unwrap().to_string_lossy().into_owned();
        let original = all_records(&source);
        let (wacz, folder) =
            (dir.path().join(format!("{name}.wacz")), dir.path().join(format!("{name}-out")));
        let copied = to_wacz(&WarcFile::all_of(&source).unwrap(), &wacz);
        assert!(copied.files > 2, "{copied:?}");
        to_folder(&WarcFile::all_of(&wacz).unwrap(), &folder);
        for (id, bytes) in &original {
            assert!(all_records(&wacz).get(id) == Some(bytes), "{id} of {name} in the WACZ file");
            assert!(all_records(&folder).get(id) == Some(bytes), "{id} of {name} out of the WACZ file");
        }
        assert_clean(&wacz);
        assert_clean(&folder);
    }
}

#[test]
fn every_index_line_leads_to_its_capture() {
    let dir = tempfile::tempdir().unwrap();
    let wacz = dir.path().join("a.wacz");
    to_wacz(&WarcFile::all_of(&archive(dir.path())).unwrap(), &wacz);
    let opened = Wacz::open(&wacz).unwrap();
    let files = opened.warc_files().unwrap();
    let mut lines = Vec::new();
    opened.each_index_line(&mut |line| lines.extend(CdxLine::parse(line))).unwrap();
    assert_eq!(lines.len(), 22);
    for line in lines {
        let file = files.iter().find(|file| file.name == line.filename).unwrap();
        let mut reader = file.open().unwrap().records_at(line.offset);
        let record = reader.next_record().unwrap().unwrap();
        assert_eq!(record.fields.get("WARC-Target-URI"), Some(line.url.as_str()));
        assert_eq!(record.finish().unwrap().length, line.length);
    }
}

#[test]
fn every_file_begins_with_what_it_is_and_a_long_one_is_followed_by_another() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("out");
    to_folder(&WarcFile::all_of(&archive(dir.path())).unwrap(), &folder);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.join("archive")).unwrap() {
        let path = entry.unwrap().path();
        let mut reader = Reader::open(&path).unwrap();
        let mut first = reader.next_record().unwrap().unwrap();
        assert_eq!(first.kind(), "warcinfo");
        assert_eq!(first.read_block(1000).unwrap(), b"description: copied\r\n");
        names.push(path.file_name().unwrap().to_string_lossy().into_owned());
    }
    names.sort();
    assert_eq!(names[1], "copy-20261115205921123-00001-host.warc.gz");
    assert!(folder.join("indexes/copy-20261115205921123-00001-host.cdxj").exists());
}

#[test]
fn whatever_is_changed_in_a_wacz_file_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let wacz = dir.path().join("a.wacz");
    to_wacz(&WarcFile::all_of(&archive(dir.path())).unwrap(), &wacz);
    let whole = std::fs::read(&wacz).unwrap();
    let changed_path = dir.path().join("changed.wacz");
    let step = whole.len() / 300;
    for place in (0..whole.len()).step_by(step) {
        let mut changed = whole.clone();
        changed[place] ^= 0x20;
        std::fs::write(&changed_path, &changed).unwrap();
        // The date of an entry, its mode and what the list says twice may change unseen: they are of no account.
        let is_noticed = verify_all(&[&changed_path]).iter().any(|report| !report.is_clean());
        assert!(is_noticed || is_of_no_account(&whole, place), "byte {place} of {}", whole.len());
    }
    for length in (0..whole.len()).step_by(step) {
        File::create(&changed_path).unwrap();
        std::fs::write(&changed_path, &whole[..length]).unwrap();
        assert!(verify_all(&[&changed_path]).iter().any(|report| !report.is_clean()), "cut to {length}");
    }
}

/// Whether the byte is one of a ZIP head, which `unzip` and its kin look at and nobody else.
fn is_of_no_account(whole: &[u8], place: usize) -> bool {
    let head = (0..=place).rev().take(160).find(|at| whole[*at..].starts_with(b"PK")).unwrap_or(0);
    whole[head..].starts_with(b"PK\x03\x04") && place - head < 120
        || whole[head..].starts_with(b"PK\x01\x02") && place - head < 46
        || whole[head..].starts_with(b"PK\x05\x06")
}

#[test]
fn an_index_that_leads_astray_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let (wacz, source) = (dir.path().join("a.wacz"), archive(dir.path()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&wacz).unwrap();
    let mut writer = annalist_warc::WaczWriter::new(file, START_MS).unwrap();
    writer.begin_warc("a.warc.gz", 0).unwrap();
    std::io::copy(&mut File::open(source).unwrap(), &mut writer).unwrap();
    writer.end().unwrap();
    let mut lines = Sorter::new(dir.path(), 1 << 20);
    let line = CdxLine {
        key: "test,a)/".to_owned(),
        timestamp: "20261115205921".to_owned(),
        url: "http://a.test/".to_owned(),
        mime: "text/html".to_owned(),
        filename: "a.warc.gz".to_owned(),
        offset: 5,
        ..CdxLine::default()
    };
    lines.push(&line).unwrap();
    writer.finish(lines, std::iter::empty(), &About::default()).unwrap();
    let reports = verify_all(&[&wacz]);
    assert!(reports[0].problems.iter().any(|problem| problem.kind == Kind::BadIndex), "{reports:?}");
    assert!(reports[1].is_clean());
}

#[test]
fn a_record_too_large_for_memory_is_copied_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut dice = Dice::new(1);
    let noise: Vec<u8> = (0..17 << 17).flat_map(|_| dice.roll().to_le_bytes()).collect();
    let fields = [("WARC-Target-URI", "http://a.test/big"), ("Content-Type", "application/octet-stream")];
    let plain = text("resource", 7, &fields, &noise);
    std::fs::write(dir.path().join("big.warc"), &plain).unwrap();
    std::fs::write(dir.path().join("big.warc.gz"), gzip(&plain)).unwrap();
    for name in ["big.warc", "big.warc.gz"] {
        let source = dir.path().join(name);
        let (wacz, folder) =
            (dir.path().join(format!("{name}.wacz")), dir.path().join(format!("{name}-out")));
        to_wacz(&WarcFile::all_of(&source).unwrap(), &wacz);
        to_folder(&WarcFile::all_of(&source).unwrap(), &folder);
        for (id, bytes) in all_records(&source) {
            assert!(all_records(&wacz)[&id] == bytes && all_records(&folder)[&id] == bytes, "{name}");
        }
        assert_clean(&wacz);
        let index = std::fs::read_dir(folder.join("indexes")).unwrap().next().unwrap().unwrap().path();
        assert!(std::fs::read_to_string(index).unwrap().contains("http://a.test/big"));
    }
}

#[test]
fn what_is_in_an_arc_file_becomes_warc_with_the_same_block() {
    let dir = tempfile::tempdir().unwrap();
    let version = "1 0 Somebody\nURL IP-address Archive-date Content-type Archive-length\n";
    let response = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Old</title>";
    let arc = format!(
        "filedesc://old.arc 0.0.0.0 19990101120000 text/plain {}\n{version}\n\
         http://a.test/ 192.0.2.1 19990102030405 text/html {}\n{response}\n\
         http://a.test/ 192.0.2.1 19990102030405 text/html {}\n{response}\n",
        version.len(),
        response.len(),
        response.len()
    );
    std::fs::write(dir.path().join("old.arc"), arc).unwrap();
    let wacz = dir.path().join("old.wacz");
    to_wacz(&WarcFile::all_of(&dir.path().join("old.arc")).unwrap(), &wacz);
    assert_clean(&wacz);
    let records = all_records(&wacz);
    let blocks = records.values().filter(|bytes| bytes.ends_with(response.as_bytes()));
    assert_eq!(blocks.count(), 2, "each has an id of its own");
    let mut lines = Vec::new();
    Wacz::open(&wacz).unwrap().each_index_line(&mut |line| lines.push(line.to_owned())).unwrap();
    assert!(
        lines[0].starts_with("test,a)/ 19990102030405 {\"url\": \"http://a.test/\", \"mime\": \"text/html\""),
        "{lines:?}"
    );
}

#[test]
fn the_blocks_of_a_large_index_are_where_their_list_says() {
    let dir = tempfile::tempdir().unwrap();
    let mut plain = Vec::new();
    for number in 0..3_100 {
        let target = format!("http://a.test/{number}");
        plain.extend(text(
            "resource",
            number,
            &[("WARC-Target-URI", &target), ("Content-Type", "text/plain")],
            b"x",
        ));
    }
    let (source, wacz) = (dir.path().join("many.warc"), dir.path().join("many.wacz"));
    std::fs::write(&source, plain).unwrap();
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&wacz).unwrap();
    let roomy = CopySettings { roll_bytes: 1_000_000_000, ..settings("wacz") };
    let mut copier = Copier::into_wacz(file, dir.path(), roomy).unwrap();
    pack_all(&WarcFile::all_of(&source).unwrap(), &mut copier);
    copier.finish(std::iter::empty(), &About::default()).unwrap();
    assert_clean(&wacz);

    let mut whole = std::fs::read(&wacz).unwrap();
    let offsets = whole.windows(9).enumerate().filter(|(_, nine)| nine == b"\"offset\":");
    let second = offsets.map(|(at, _)| at).nth(1).unwrap();
    whole[second + 9] ^= 1;
    std::fs::write(&wacz, whole).unwrap();
    let report = &verify_all(&[&wacz])[0];
    assert!(report.problems.iter().any(|problem| problem.kind == Kind::BadIndex), "{:?}", report.problems);
}

#[test]
fn a_checksum_that_is_not_the_entry_s_own_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let wacz = dir.path().join("a.wacz");
    to_wacz(&WarcFile::all_of(&archive(dir.path())).unwrap(), &wacz);
    let mut whole = std::fs::read(&wacz).unwrap();
    let list = whole.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    whole[list + 16] ^= 1;
    std::fs::write(&wacz, whole).unwrap();
    assert!(verify_all(&[&wacz])[0].problems.iter().any(|problem| problem.kind == Kind::BadChecksum));
}
