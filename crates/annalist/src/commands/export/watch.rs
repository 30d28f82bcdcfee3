//! How far an export has come, and whether somebody wants it to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::Interrupted;
use crate::progress::Progress;

#[derive(Debug)]
pub struct Watch {
    bar: ProgressBar,
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
        // Drawn on a terminal only.
        let bar = if progress == Progress::Shown { ProgressBar::new(0) } else { ProgressBar::hidden() };
        Ok(Watch { bar, asked })
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
