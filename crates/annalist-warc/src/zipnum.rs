//! ZipNum: an index in gzip members of some thousand lines, and a summary, the `.idx`, with the first line of each and
//! where it lies. Written as pywb reads it; read as pywb, Common Crawl and WACZ files have it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::read::MultiGzDecoder;
use libdeflater::{CompressionLvl, Compressor};
use serde_json::Value;

use crate::members::unpacked_member;
use crate::sorted::Sorted;

/// Lines in a member.
const LINES: usize = 3_000;
/// Unpacked members that are kept: neighbours are asked for one after the other.
const KEPT: usize = 8;
/// Longer members are damage, packed or unpacked.
const MOST_BYTES: u64 = 64 << 20;

/// A ZipNum index on disk.
#[derive(Debug)]
pub(crate) struct ZipNum {
    summary: Sorted,
    dir: PathBuf,
    /// Where the parts are that are not beside the summary.
    located: HashMap<String, Vec<PathBuf>>,
    open: Mutex<HashMap<String, Arc<File>>>,
    kept: Mutex<Vec<(Member, Arc<Vec<u8>>)>>,
}

/// Where a member lies.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    part: String,
    offset: u64,
    length: u64,
}

impl Member {
    /// Reads a line of the summary: the first line's key and time, and then tabs or JSON.
    fn parse(line: &[u8]) -> Option<Member> {
        let line = std::str::from_utf8(line).ok()?;
        if let Some((_, rest)) = line.split_once('\t') {
            let mut fields = rest.split('\t');
            let (part, offset, length) = (fields.next()?, fields.next()?, fields.next()?);
            return Some(Member {
                part: part.to_owned(),
                offset: offset.parse().ok()?,
                length: length.parse().ok()?,
            });
        }
        let json: Value = serde_json::from_str(line.get(line.find('{')?..)?).ok()?;
        let (offset, length) = (json.get("offset")?.as_u64()?, json.get("length")?.as_u64()?);
        Some(Member { part: json.get("filename")?.as_str()?.to_owned(), offset, length })
    }
}

impl ZipNum {
    pub(crate) fn open(summary: &Path) -> io::Result<ZipNum> {
        let dir = summary.parent().map(Path::to_owned).unwrap_or_default();
        Ok(ZipNum {
            summary: Sorted::of_file(File::open(summary)?)?,
            located: locations(&summary.with_extension("loc"), &dir)?,
            dir,
            open: Mutex::default(),
            kept: Mutex::default(),
        })
    }

    pub(crate) fn summary(&self) -> &Sorted {
        &self.summary
    }

    /// All lines that begin with these bytes.
    pub(crate) fn starting_with(&self, start: &[u8], take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        // The member before the first that begins so may end so.
        let (mut before, mut members) = (None, Vec::new());
        self.summary.around(start, &mut |line| {
            if line < start {
                before = Member::parse(line);
                return true;
            }
            let is_one = line.starts_with(start);
            if is_one {
                members.extend(Member::parse(line));
            }
            is_one
        })?;
        for member in before.into_iter().chain(members) {
            let lines = self.unpacked(member)?;
            each_line(&lines, &mut |line| {
                if line.starts_with(start) {
                    take(line);
                }
                line < start || line.starts_with(start)
            });
        }
        Ok(())
    }

    pub(crate) fn each(&self, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let mut members = Vec::new();
        self.summary.each(&mut |line| {
            members.extend(Member::parse(line));
            true
        })?;
        for member in members {
            each_line(&self.unpacked(member)?, &mut |line| {
                take(line);
                true
            });
        }
        Ok(())
    }

    fn unpacked(&self, member: Member) -> io::Result<Arc<Vec<u8>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|(known, _)| *known == member) {
            let known = kept.remove(at);
            let lines = Arc::clone(&known.1);
            kept.push(known);
            return Ok(lines);
        }
        drop(kept);
        if member.length > MOST_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a member of the index is too long"));
        }
        let mut stored = vec![0; usize::try_from(member.length).unwrap_or_default()];
        self.part(&member.part)?.read_exact_at(&mut stored, member.offset)?;
        let lines = match unpacked_member(&stored) {
            Some(lines) => lines,
            None => {
                let mut lines = Vec::new();
                MultiGzDecoder::new(stored.as_slice()).take(MOST_BYTES).read_to_end(&mut lines)?;
                lines
            }
        };
        let lines = Arc::new(lines);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((member, Arc::clone(&lines)));
        Ok(lines)
    }

    fn part(&self, name: &str) -> io::Result<Arc<File>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(name) {
            return Ok(Arc::clone(file));
        }
        let beside = ["", ".gz", ".cdx.gz", ".cdxj.gz"].map(|end| self.dir.join(format!("{name}{end}")));
        let named = self.located.get(name).into_iter().flatten().cloned();
        let found = named.chain(beside).find_map(|path| File::open(path).ok());
        let missing = || {
            let dir = self.dir.display();
            io::Error::new(io::ErrorKind::NotFound, format!("{dir} lacks {name}, which its summary names"))
        };
        let file = Arc::new(found.ok_or_else(missing)?);
        open.insert(name.to_owned(), Arc::clone(&file));
        Ok(file)
    }
}

fn locations(path: &Path, dir: &Path) -> io::Result<HashMap<String, Vec<PathBuf>>> {
    let text = match fs::read_to_string(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        text => text?,
    };
    let entry = |line: &str| {
        let (name, places) = line.trim_end().split_once('\t')?;
        Some((name.to_owned(), places.split('\t').map(|place| dir.join(place)).collect()))
    };
    Ok(text.lines().filter_map(entry).collect())
}

fn each_line(lines: &[u8], take: &mut dyn FnMut(&[u8]) -> bool) {
    let mut rest = lines;
    while !rest.is_empty() {
        let mut after = rest;
        let length = after.skip_until(b'\n').unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if !take(line.strip_suffix(b"\r").unwrap_or(line)) {
            return;
        }
        rest = after;
    }
}

/// Writes a ZipNum index: `NAME.cdx.gz`, `NAME.idx` and `NAME.loc`, which pywb wants.
pub struct ZipNumWriter {
    part: BufWriter<File>,
    summary: BufWriter<File>,
    name: String,
    dir: PathBuf,
    lines: String,
    count: usize,
    members: u64,
    offset: u64,
    engine: Compressor,
}

impl ZipNumWriter {
    /// Makes the folder if it is not there.
    pub fn create(dir: &Path, name: &str) -> io::Result<ZipNumWriter> {
        fs::create_dir_all(dir)?;
        let part = format!("{name}.cdx.gz");
        fs::write(dir.join(format!("{name}.loc")), format!("{part}\t{part}\n"))?;
        Ok(ZipNumWriter {
            part: BufWriter::new(File::create(dir.join(fresh(&part)))?),
            summary: BufWriter::new(File::create(dir.join(fresh(&format!("{name}.idx"))))?),
            name: name.to_owned(),
            dir: dir.to_owned(),
            lines: String::new(),
            count: 0,
            members: 0,
            offset: 0,
            engine: Compressor::new(CompressionLvl::default()),
        })
    }

    /// The next line in order, with its end.
    pub fn push(&mut self, line: &str) -> io::Result<()> {
        self.lines.push_str(line);
        self.count += 1;
        if self.count < LINES { Ok(()) } else { self.end_member() }
    }

    fn end_member(&mut self) -> io::Result<()> {
        let mut packed = vec![0; self.engine.gzip_compress_bound(self.lines.len())];
        let length = self.engine.gzip_compress(self.lines.as_bytes(), &mut packed);
        let length = length.map_err(|e| io::Error::other(e.to_string()))?;
        self.part.write_all(packed.get(..length).unwrap_or_default())?;
        self.members += 1;
        let first: Vec<&str> = self.lines.splitn(3, ' ').take(2).collect();
        let (first, part) = (first.join(" "), format!("{}.cdx.gz", self.name));
        writeln!(self.summary, "{first}\t{part}\t{}\t{length}\t{}", self.offset, self.members)?;
        self.offset += length as u64;
        self.lines.clear();
        self.count = 0;
        Ok(())
    }

    /// Whatever happens, the folder holds the old index or all of the new one.
    pub fn finish(mut self) -> io::Result<()> {
        if self.count > 0 {
            self.end_member()?;
        }
        for (file, end) in [(self.part, "cdx.gz"), (self.summary, "idx")] {
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            let name = format!("{}.{end}", self.name);
            fs::rename(self.dir.join(fresh(&name)), self.dir.join(name))?;
        }
        Ok(())
    }
}

fn fresh(name: &str) -> String {
    format!("{name}.new")
}

#[cfg(test)]
mod tests {
    use super::{Member, ZipNum, ZipNumWriter};

    fn written(dir: &std::path::Path, count: usize) -> Vec<String> {
        let mut writer = ZipNumWriter::create(dir, "index").unwrap();
        // The captures of some addresses fill whole members and more.
        let lines: Vec<String> = (0..count).map(|n| format!("k{:06} 2010{n:010} {{}}", n / 4_100)).collect();
        lines.iter().for_each(|line| writer.push(&format!("{line}\n")).unwrap());
        writer.finish().unwrap();
        lines
    }

    #[test]
    fn what_was_written_is_found_by_its_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let lines = written(dir.path(), 20_000);
        let index = ZipNum::open(&dir.path().join("index.idx")).unwrap();
        for key in 0..6 {
            let start = format!("k{key:06} ");
            let mut found = Vec::new();
            index.starting_with(start.as_bytes(), &mut |line| found.push(line.to_vec())).unwrap();
            let expected: Vec<_> = lines.iter().filter(|line| line.starts_with(&start)).collect();
            assert!(found.iter().map(Vec::as_slice).eq(expected.iter().map(|line| line.as_bytes())), "{key}");
        }
        let mut all = 0;
        index.each(&mut |_| all += 1).unwrap();
        assert_eq!(all, lines.len());
        let summary = std::fs::read_to_string(dir.path().join("index.idx")).unwrap();
        assert!(summary.starts_with("k000000 20100000000000\tindex.cdx.gz\t0\t"), "{summary}");
        assert_eq!(summary.lines().count(), 7);
    }

    #[test]
    fn parts_are_found_where_the_locations_say_and_what_is_missing_is_named() {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), 10);
        std::fs::create_dir(dir.path().join("far")).unwrap();
        std::fs::rename(dir.path().join("index.cdx.gz"), dir.path().join("far/part")).unwrap();
        let summary = dir.path().join("index.idx");
        let looked = |index: &ZipNum| {
            let mut count = 0;
            index.starting_with(b"k", &mut |_| count += 1).map(|()| count)
        };
        let told = looked(&ZipNum::open(&summary).unwrap()).unwrap_err().to_string();
        assert!(told.contains("lacks index.cdx.gz"), "{told}");
        std::fs::write(dir.path().join("index.loc"), "index.cdx.gz\tnowhere\tfar/part\n").unwrap();
        assert_eq!(looked(&ZipNum::open(&summary).unwrap()).unwrap(), 10);
    }

    #[test]
    fn the_summary_of_a_package_is_read_too() {
        let line = br#"com,example)/ 20210101 {"offset": 5, "length": 7, "digest": "x", "filename": "index.cdx.gz"}"#;
        let member = Member { part: "index.cdx.gz".to_owned(), offset: 5, length: 7 };
        assert_eq!(Member::parse(line), Some(member));
        assert_eq!(
            Member::parse(br#"!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}"#),
            None
        );
        assert_eq!(Member::parse(b"nonsense"), None);
    }
}
