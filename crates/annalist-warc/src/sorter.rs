//! Lines put in bytewise order, more of them than fit into memory: sorted runs go to files without a name, which go with
//! the program, and are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cdx::{CdxLine, CdxLines};
use crate::sorted::Sorted;

/// So many runs are merged into one: each is an open file.
const FAN_IN: usize = 64;
const BUFFER_BYTES: usize = 64 * 1024;

/// Takes lines in any order.
#[derive(Debug)]
pub struct Sorter {
    scratch: PathBuf,
    most_bytes: usize,
    lines: CdxLines,
    /// Runs that were merged as often as their place here says.
    runs: Vec<Vec<File>>,
}

impl Sorter {
    /// Holds about `most_bytes` in memory; what is more goes to files in `scratch`.
    pub fn new(scratch: &Path, most_bytes: usize) -> Sorter {
        Sorter { scratch: scratch.to_owned(), most_bytes, lines: CdxLines::default(), runs: Vec::new() }
    }

    pub fn push(&mut self, line: &CdxLine) -> io::Result<()> {
        self.lines.push(line);
        self.make_room()
    }

    /// A line as it is, without its end.
    pub fn push_text(&mut self, line: &str) -> io::Result<()> {
        self.lines.push_text(line);
        self.make_room()
    }

    fn make_room(&mut self) -> io::Result<()> {
        if self.lines.bytes() < self.most_bytes { Ok(()) } else { self.spill() }
    }

    fn spill(&mut self) -> io::Result<()> {
        let lines = std::mem::take(&mut self.lines);
        let run =
            written(&self.scratch, |out| lines.sorted().try_for_each(|line| out.write_all(line.as_bytes())))?;
        self.add_run(0, run)
    }

    fn add_run(&mut self, level: usize, run: File) -> io::Result<()> {
        if self.runs.len() <= level {
            self.runs.resize_with(level + 1, Vec::new);
        }
        let Some(runs) = self.runs.get_mut(level) else { return Ok(()) };
        runs.push(run);
        if runs.len() < FAN_IN {
            return Ok(());
        }
        let full = std::mem::take(runs);
        let merged = written(&self.scratch, |out| {
            merge(full, Vec::new(), &mut |line| out.write_all(line.as_bytes()))
        })?;
        self.add_run(level + 1, merged)
    }

    /// What several have taken, in order, each line once, with its end.
    pub fn merge(sorters: Vec<Sorter>, take: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let (mut runs, mut lines) = (Vec::new(), Vec::new());
        for sorter in sorters {
            runs.extend(sorter.runs.into_iter().flatten());
            lines.push(sorter.lines);
        }
        merge(runs, lines, take)
    }

    /// What several have taken, to be searched: in memory if it fits, else in a file.
    pub fn searchable(sorters: Vec<Sorter>) -> io::Result<Sorted> {
        let scratch = match sorters.first() {
            Some(first) if sorters.iter().any(|sorter| !sorter.runs.is_empty()) => first.scratch.clone(),
            _ => {
                let mut text = String::new();
                Sorter::merge(sorters, &mut |line| {
                    text.push_str(line);
                    Ok(())
                })?;
                return Sorted::in_memory(text.into_bytes());
            }
        };
        let file =
            written(&scratch, |out| Sorter::merge(sorters, &mut |line| out.write_all(line.as_bytes())))?;
        Sorted::of_file(file)
    }
}

fn merge(
    runs: Vec<File>,
    in_memory: Vec<CdxLines>,
    take: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    type Lines<'a> = Box<dyn Iterator<Item = io::Result<String>> + 'a>;
    let mut sources: Vec<Lines<'_>> = Vec::new();
    for mut run in runs {
        run.seek(SeekFrom::Start(0))?;
        let mut run = BufReader::with_capacity(BUFFER_BYTES, run);
        sources.push(Box::new(std::iter::from_fn(move || {
            let mut line = String::new();
            match run.read_line(&mut line) {
                Ok(0) => None,
                Ok(_) => Some(Ok(line)),
                Err(e) => Some(Err(e)),
            }
        })));
    }
    sources.extend(
        in_memory
            .iter()
            .map(|lines| -> Lines<'_> { Box::new(lines.sorted().map(|line| Ok(line.to_owned()))) }),
    );
    let mut next = BinaryHeap::new();
    for (number, source) in sources.iter_mut().enumerate() {
        if let Some(line) = source.next() {
            next.push(Reverse((line?, number)));
        }
    }
    let mut before = String::new();
    while let Some(Reverse((line, number))) = next.pop() {
        if line != before {
            take(&line)?;
        }
        before = line;
        if let Some(line) = sources.get_mut(number).and_then(Iterator::next) {
            next.push(Reverse((line?, number)));
        }
    }
    Ok(())
}

fn written(scratch: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<File> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, nameless(scratch)?);
    write(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// A file that is gone when it is closed, whatever happens.
fn nameless(dir: &Path) -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!("annalist-{}-{number}.run", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                fs::remove_file(&path)?;
                return Ok(file);
            }
            // Another process of that number left it behind.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sorter;

    /// Numbers in an order that is none.
    fn fill(sorter: &mut Sorter, from: u32, to: u32) {
        for n in from..to {
            sorter.push_text(&format!("{:08}", n.wrapping_mul(2_654_435_761) % 100_000)).unwrap();
        }
    }

    #[test]
    fn lines_come_out_in_order_and_once_however_little_memory_there_is() {
        let dir = tempfile::tempdir().unwrap();
        for most_bytes in [200, 5_000, 1 << 30] {
            let (mut a, mut b) = (Sorter::new(dir.path(), most_bytes), Sorter::new(dir.path(), most_bytes));
            fill(&mut a, 0, 3_000);
            fill(&mut b, 2_000, 6_000);
            let mut all = Vec::new();
            Sorter::merge(vec![a, b], &mut |line| {
                all.push(line.to_owned());
                Ok(())
            })
            .unwrap();
            assert!(all.is_sorted_by(|a, b| a < b), "{most_bytes}");
            assert_eq!(all.len(), 6_000, "{most_bytes}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "no file has a name");
    }

    #[test]
    fn what_was_sorted_can_be_searched_in_memory_and_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        for most_bytes in [1_000, 1 << 30] {
            let mut sorter = Sorter::new(dir.path(), most_bytes);
            fill(&mut sorter, 0, 1_000);
            let sorted = Sorter::searchable(vec![sorter]).unwrap();
            let mut found = 0;
            sorted.starting_with(b"00000000", &mut |_| found += 1).unwrap();
            assert_eq!(found, 1);
        }
    }
}
