//! How far indexing is: a bar on a terminal, a plain line now and then elsewhere, and what came of it in the end.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use annalist_warc::WarcFile;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use crate::show;

const BETWEEN_PLAIN_LINES: Duration = Duration::from_secs(10);

pub(super) struct Meter {
    files: usize,
    bytes: u64,
    read: AtomicU64,
    captures: AtomicU64,
    damaged: AtomicU64,
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
}

impl Meter {
    pub(super) fn start(files: &[WarcFile]) -> Meter {
        let bytes = files.iter().map(|file| file.length).sum();
        let bar = std::io::stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template("{wide_bar} {bytes} of {total_bytes}, {eta} left  {msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(bytes).with_style(style)
        });
        Meter {
            files: files.len(),
            bytes,
            read: AtomicU64::new(0),
            captures: AtomicU64::new(0),
            damaged: AtomicU64::new(0),
            bar,
            last_line: Mutex::new(Instant::now()),
        }
    }

    /// One more capture.
    pub(super) fn count(&self) {
        self.captures.fetch_add(1, Ordering::Relaxed);
    }

    /// So many bytes more are read.
    pub(super) fn advance(&self, bytes: u64) {
        let read = self.read.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if let Some(bar) = &self.bar {
            bar.set_position(read);
            bar.set_message(format!("{} captures", show::count(self.captures.load(Ordering::Relaxed))));
            return;
        }
        let mut last = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= BETWEEN_PLAIN_LINES {
            *last = Instant::now();
            let captures = show::count(self.captures.load(Ordering::Relaxed));
            tell!("{} of {} read, {captures} captures", HumanBytes(read), HumanBytes(self.bytes));
        }
    }

    pub(super) fn damaged(&self, what: &str) {
        self.damaged.fetch_add(1, Ordering::Relaxed);
        let say = || tell!("annalist: {what}");
        self.bar.as_ref().map_or_else(say, |bar| bar.suspend(say));
    }

    /// How many places could not be read.
    pub(super) fn finish(&self) -> u64 {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let (captures, damaged) =
            (self.captures.load(Ordering::Relaxed), self.damaged.load(Ordering::Relaxed));
        let many = |number: u64, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{} {what}s", show::count(number)),
        };
        let (captures, files) = (many(captures, "capture"), many(self.files as u64, "file"));
        let harm = match damaged {
            0 => String::new(),
            damaged => format!("; {} could not be read", many(damaged, "place")),
        };
        tell!("{captures} in {files} of {}{harm}", HumanBytes(self.bytes));
        damaged
    }
}
