//! Whether a WACZ file is as it should be: its list of contents, their digests, its index and pages, and every WARC file
//! in it as if it stood alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::Crc;
use flate2::bufread::GzDecoder;
use serde_json::Value;

use super::references::References;
use super::{Kind, Report, check};
use crate::cdx::CdxLine;
use crate::digest::{Digest, DigestKind, Hasher};
use crate::index::index_reader;
use crate::ready::{digest_rest, each_ready};
use crate::wacz::{
    ARCHIVE, INDEX_NAME, INDEXES, PACKAGE, PACKAGE_DIGEST, PAGES, PAGES_FORMAT, Wacz, each_line,
};
use crate::warc_file::WarcFile;
use crate::zip::{Method, ZipEntry};

/// Adds a report about the package and one about each WARC file in it.
pub(super) fn verify_wacz(path: &Path, reports: &mut Vec<Report>, references: &mut References) {
    let mut report = Report { path: path.to_owned(), ..Report::default() };
    let opened = Wacz::open(path).and_then(|wacz| Ok((wacz.warc_files()?, wacz)));
    let (files, wacz) = match opened {
        Ok(opened) => opened,
        Err(e) => {
            report.add(0, Kind::Unreadable, e.to_string());
            reports.push(report);
            return;
        }
    };
    check_contents(&wacz, &mut report);
    check_pages(&wacz, &mut report);
    check_blocks(&wacz, &mut report);
    let mut index = Index::read(&wacz, &mut report);
    let place = reports.len();
    reports.push(Report::default());
    for file in &files {
        let mut inside = Report { path: path.join(ARCHIVE).join(&file.name), ..Report::default() };
        match file.open() {
            Ok(section) => {
                check(section.records_at(0), reports.len(), &mut inside, references);
                index.compare(file, &mut report);
            }
            Err(e) => inside.add(0, Kind::Unreadable, e.to_string()),
        }
        reports.push(inside);
    }
    if files.is_empty() {
        report.add(0, Kind::BadPackage, "there is no WARC file in it");
    }
    index.tell_left(&mut report);
    if let Some(slot) = reports.get_mut(place) {
        *slot = report;
    }
}

fn check_contents(wacz: &Wacz, report: &mut Report) {
    let bad = |report: &mut Report, why: String| report.add(0, Kind::BadPackage, why);
    let package = match wacz.read_small(PACKAGE) {
        Ok(bytes) => bytes,
        Err(e) => return bad(report, format!("{PACKAGE} {e}")),
    };
    if let Ok(told) = wacz.read_small(PACKAGE_DIGEST) {
        let told: Option<Digest> = serde_json::from_slice::<Value>(&told).ok().and_then(|v| digest_in(&v));
        if told != Some(DigestKind::Sha256.of(&package)) {
            bad(report, format!("{PACKAGE_DIGEST} is not about this {PACKAGE}"));
        }
    }
    let Ok(package) = serde_json::from_slice::<Value>(&package) else {
        return bad(report, format!("{PACKAGE} is no JSON"));
    };
    if package.get("wacz_version").and_then(Value::as_str).is_none() {
        bad(report, format!("{PACKAGE} does not say which version of WACZ it is (wacz_version)"));
    }
    let resources = package.get("resources").and_then(Value::as_array).cloned().unwrap_or_default();
    let path_of = |resource: &Value| resource.get("path").and_then(Value::as_str).unwrap_or("?").to_owned();
    let listed: BTreeMap<String, &Value> = resources.iter().map(|one| (path_of(one), one)).collect();
    for (path, resource) in &listed {
        match wacz.entry(path) {
            Some(entry) => check_resource(wacz, entry, resource, report),
            None => bad(report, format!("{path} is listed and not there")),
        }
    }
    for entry in wacz.entries.iter().filter(|entry| ![PACKAGE, PACKAGE_DIGEST].contains(&entry.name.as_str()))
    {
        if !listed.contains_key(&entry.name) {
            bad(report, format!("{} is there and not listed", entry.name));
        }
    }
}

fn digest_in(value: &Value) -> Option<Digest> {
    value.get("hash").and_then(Value::as_str).and_then(|hash| hash.parse().ok())
}

fn check_resource(wacz: &Wacz, entry: &ZipEntry, resource: &Value, report: &mut Report) {
    let name = &entry.name;
    if entry.method != Method::Stored && (name.starts_with(ARCHIVE) || name.ends_with(".gz")) {
        report.add(entry.start, Kind::BadPackage, format!("{name} is compressed again"));
    }
    let (mut crc, mut hasher, mut length) = (Crc::new(), Hasher::new(DigestKind::Sha256), 0_u64);
    let read = each_ready(&mut wacz.read(entry), &mut |bytes| {
        crc.update(bytes);
        hasher.update(bytes);
        length += bytes.len() as u64;
    });
    if let Err(e) = read {
        report.add(entry.start, Kind::Unreadable, format!("{name}: {e}"));
        return;
    }
    if crc.sum() != entry.crc {
        report.add(entry.start, Kind::BadChecksum, format!("{name}: bytes have changed (CRC)"));
    }
    match digest_in(resource) {
        Some(told) if told == hasher.finish() => {}
        Some(_) => {
            report.add(entry.start, Kind::BadPackage, format!("{name} is not what its digest was made of"));
        }
        None => report.add(entry.start, Kind::UnknownDigest, format!("{name} has no sha256 digest")),
    }
    if resource.get("bytes").and_then(Value::as_u64) != Some(length) {
        report.add(entry.start, Kind::BadPackage, format!("{name} is not as long as the list says"));
    }
}

fn check_pages(wacz: &Wacz, report: &mut Report) {
    let Some(entry) = wacz.entry(PAGES) else {
        return report.add(0, Kind::BadPackage, format!("{PAGES} is missing"));
    };
    let mut number = 0;
    let read = each_line(wacz.read(entry), &mut |line| {
        number += 1;
        let page: Value = serde_json::from_slice(line).unwrap_or_default();
        let has = |name: &str| page.get(name).is_some_and(|value| !value.is_null());
        let is_good = match number {
            1 => page.get("format").and_then(Value::as_str) == Some(PAGES_FORMAT),
            _ => has("url") && has("ts"),
        };
        if !is_good {
            let why = format!("{PAGES}, line {number}: no page with url and ts");
            report.add(entry.start, Kind::BadPackage, why);
        }
    });
    if let Err(e) = read {
        report.add(entry.start, Kind::BadPackage, format!("{PAGES} cannot be read: {e}"));
    }
}

/// A large index is in blocks, and a list says where each of them is and with what it begins.
fn check_blocks(wacz: &Wacz, report: &mut Report) {
    let lists =
        wacz.entries.iter().filter(|entry| entry.name.starts_with(INDEXES) && entry.name.ends_with(".idx"));
    for list in lists {
        let read = each_line(wacz.read(list), &mut |line| {
            let line = String::from_utf8_lossy(line);
            if !line.is_empty() && !line.starts_with("!meta") && !block_is_there(wacz, &line) {
                report.add(list.start, Kind::BadIndex, format!("{}: no such block: {line}", list.name));
            }
        });
        if let Err(e) = read {
            report.add(list.start, Kind::BadIndex, format!("{} cannot be read: {e}", list.name));
        }
    }
}

/// `KEY {"offset": …, "length": …, "digest": …, "filename": …}`; the last two may be left out.
fn block_is_there(wacz: &Wacz, line: &str) -> bool {
    let Some((key, place)) = line.split_once(" {") else { return false };
    let place: Value = serde_json::from_str(&format!("{{{place}")).unwrap_or_default();
    let number = |name: &str| place.get(name).and_then(Value::as_u64);
    let (Some(offset), Some(length)) = (number("offset"), number("length")) else { return false };
    let name = place.get("filename").and_then(Value::as_str).unwrap_or(INDEX_NAME);
    let Some(entry) = wacz.entry(&format!("{INDEXES}{name}")) else { return false };
    if entry.method != Method::Stored || offset.checked_add(length).is_none_or(|end| end > entry.stored) {
        return false;
    }
    let block = || BufReader::new(wacz.part(entry, offset, length));
    let told = place.get("digest").and_then(Value::as_str).and_then(|digest| digest.parse::<Digest>().ok());
    let is_intact =
        told.is_none_or(|told| digest_rest(block(), told.kind()).is_ok_and(|(digest, _)| digest == told));
    let mut begins = vec![0; key.len()];
    is_intact && GzDecoder::new(block()).read_exact(&mut begins).is_ok() && begins == key.as_bytes()
}

/// Where captures are said to be.
struct Index {
    /// By file and offset: what is said to be there, as a hash.
    places: HashMap<(u64, u64), u64>,
    /// Whether there is an index at all.
    lines: u64,
}

impl Index {
    fn read(wacz: &Wacz, report: &mut Report) -> Index {
        let mut index = Index { places: HashMap::new(), lines: 0 };
        let names: HashSet<u64> =
            wacz.warc_files().unwrap_or_default().iter().map(|file| hash(&file.name)).collect();
        let (mut last, mut unsorted, mut nowhere) = (String::new(), 0_u64, 0_u64);
        let read: io::Result<()> = wacz.each_index_line(&mut |text| {
            let Some(line) = CdxLine::parse(text) else { return };
            index.lines += 1;
            unsorted += u64::from(text < last.as_str());
            text.clone_into(&mut last);
            let file = hash(line.filename.rsplit('/').next().unwrap_or_default());
            if !names.contains(&file) {
                nowhere += 1;
                return;
            }
            index.places.insert((file, line.offset), said(&line));
        });
        if let Err(e) = read {
            report.add(0, Kind::BadIndex, format!("the index cannot be read: {e}"));
        }
        for (count, what) in [(unsorted, "are not in their order"), (nowhere, "name no file that is there")] {
            if count > 0 {
                report.add(0, Kind::BadIndex, format!("{count} lines of the index {what}"));
            }
        }
        if index.lines == 0 {
            report.add(0, Kind::BadIndex, "there is no index, or nothing in it");
        }
        index
    }

    /// Takes out what is found in the file. What cannot be read there is told by its own report.
    fn compare(&mut self, file: &WarcFile, report: &mut Report) {
        let Ok(section) = file.open() else { return };
        let name = hash(&file.name);
        let _ = index_reader(&mut section.records_at(0), &file.name, &mut |line| {
            let is_web = line.url.starts_with("http");
            match self.places.remove(&(name, line.offset)) {
                Some(told) if told == said(&line) => {}
                None if !is_web => {}
                Some(_) | None => {
                    let why =
                        format!("{}, byte {}: the index does not have {}", file.name, line.offset, line.url);
                    report.add(0, Kind::BadIndex, why);
                }
            }
        });
    }

    fn tell_left(&self, report: &mut Report) {
        if !self.places.is_empty() {
            let count = self.places.len();
            report.add(0, Kind::BadIndex, format!("{count} lines of the index lead to no capture"));
        }
    }
}

/// What tells captures apart whoever wrote the index: others spell keys, types and digests in their own ways.
fn said(line: &CdxLine) -> u64 {
    hash(&(&line.url, &line.timestamp, line.length))
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
