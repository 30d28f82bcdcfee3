//! How far an export has come, and whether somebody wants it to end.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::Interrupted;
use crate::progress::Progress;
use crate::show;

const BETWEEN_PLAIN_LINES: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Watch {
    bar: ProgressBar,
    /// Where there is no terminal: when the last line was written.
    plain: Option<Cell<Instant>>,
    asked: Arc<AtomicBool>,
}

impl Watch {
    /// From now on the first Ctrl-C ends the export where it can be ended.
    pub fn start(progress: Progress) -> Result<Watch> {
        let asked = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&asked);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().context("no runtime")?;
        std::thread::spawn(move || {
            runtime.block_on(async {
                let (Ok(mut interrupt), Ok(mut terminate)) =
                    (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
                else {
                    return;
                };
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                told.store(true, Ordering::Relaxed);
            });
        });
        let is_shown = progress == Progress::Shown;
        // Drawn on a terminal only.
        let bar = if is_shown { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let plain = (is_shown && !std::io::stderr().is_terminal()).then(|| Cell::new(Instant::now()));
        Ok(Watch { bar, plain, asked })
    }

    /// A new part of the work, of so many bytes.
    pub fn begin(&self, what: &'static str, bytes: u64) {
        let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}, {eta} left");
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_message(what);
        self.bar.set_length(bytes);
        self.bar.set_position(0);
    }

    /// So many bytes more are done; an error if it is to end here.
    pub fn advance(&self, bytes: u64) -> Result<()> {
        self.bar.inc(bytes);
        if let Some(last) = self.plain.as_ref().filter(|last| last.get().elapsed() >= BETWEEN_PLAIN_LINES) {
            last.set(Instant::now());
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            eprintln!("{}: {} of {}", self.bar.message(), show::bytes(done), show::bytes(all));
        }
        if self.asked.load(Ordering::Relaxed) { Err(Interrupted.into()) } else { Ok(()) }
    }

    /// A line for the user, above the bar.
    pub fn tell(&self, line: &str) {
        self.bar.suspend(|| eprintln!("annalist: {line}"));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
