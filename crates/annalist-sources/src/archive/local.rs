//! WARC files on this machine with one index of all their captures. Index files that are there already are made use of.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use annalist_warc::{CdxLine, CdxLines, Hole, Reader, Sorted, index_name, index_reader, surt_key};

use super::response::is_being_written;

/// WARC files and what is in them.
#[derive(Debug)]
pub(super) struct Files {
    paths: Vec<PathBuf>,
    /// By our own keys; the file's number is its name.
    lines: Sorted,
    pub(super) damaged: Vec<(PathBuf, Hole)>,
}

impl Files {
    /// By the CDXJ beside a file, or in the folder `indexes` beside its own, if it is not older than the file; by reading
    /// the file else.
    pub(super) fn open(paths: Vec<PathBuf>) -> io::Result<Files> {
        let mut lines = CdxLines::default();
        let mut damaged = Vec::new();
        for (number, path) in paths.iter().enumerate() {
            let mut take = |line: CdxLine| {
                let filename = number.to_string();
                lines.push(&CdxLine { key: surt_key(&line.url), filename, ..line });
            };
            if let Some(beside) = lines_beside(path)? {
                beside.into_iter().for_each(take);
                continue;
            }
            let mut reader = Reader::open(path)?;
            let indexed = index_reader(&mut reader, "", &mut take);
            let holes = indexed.holes.into_iter().filter(|hole| !is_being_written(path, hole));
            damaged.extend(holes.map(|hole| (path.clone(), hole)));
        }
        let sorted: String = lines.sorted().collect();
        Ok(Files { paths, lines: Sorted::in_memory(sorted.into_bytes())?, damaged })
    }

    pub(super) fn lines(&self, key: &str, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        self.lines.starting_with(format!("{key} ").as_bytes(), &mut |line| {
            parse(line).into_iter().for_each(&mut *take);
        })
    }

    pub(super) fn each(&self, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        self.lines.each(&mut |line| {
            parse(line).into_iter().for_each(&mut *take);
            true
        })
    }

    pub(super) fn path(&self, name: &str) -> Option<&Path> {
        self.paths.get(name.parse::<usize>().ok()?).map(PathBuf::as_path)
    }
}

fn parse(line: &[u8]) -> Option<CdxLine> {
    CdxLine::parse(&String::from_utf8_lossy(line))
}

/// The lines about a file in the index that was made with it, if there is one.
fn lines_beside(path: &Path) -> io::Result<Option<Vec<CdxLine>>> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    let name = name.to_string_lossy();
    let index = index_name(&name);
    let made = fs::metadata(path)?.modified()?;
    for folder in [dir.to_owned(), dir.join("../indexes")] {
        let index = folder.join(&index);
        let is_fresh = index.metadata().and_then(|m| m.modified()).is_ok_and(|at| at >= made);
        if !is_fresh {
            continue;
        }
        let mut lines = Vec::new();
        for line in BufReader::new(File::open(&index)?).lines() {
            lines.extend(CdxLine::parse(&line?).filter(|line| line.filename == name));
        }
        if !lines.is_empty() {
            return Ok(Some(lines));
        }
    }
    Ok(None)
}
