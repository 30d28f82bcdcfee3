//! How far long work has come, and whether somebody wants it to end.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal::unix::{SignalKind, signal};

use crate::child;
use crate::exit::{Exit, Interrupted};
use crate::progress::Progress;
use crate::show;

/// Who asks twice in this time gets what one who asks once gets.
const TO_END_IN_ORDER: Duration = Duration::from_secs(1);
const BETWEEN_PLAIN_LINES: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Watch {
    bar: ProgressBar,
    /// Where there is no terminal: when the last line was written.
    plain: Option<Mutex<Instant>>,
    between_lines: Duration,
    asked: Arc<AtomicBool>,
}

impl Watch {
    /// From now on the first Ctrl-C ends the work where it can be ended. A second one ends it wherever it is: what is read may
    /// be a pipe that nobody writes to.
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
                let mut next = async || {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                };
                next().await;
                told.store(true, Ordering::Relaxed);
                tokio::time::sleep(TO_END_IN_ORDER).await;
                next().await;
                // Nothing that was promised is lost by it, as by a kill.
                std::process::exit(Exit::Interrupted as i32);
            });
        });
        let is_shown = progress == Progress::Shown;
        // Drawn on a terminal only.
        let bar = if is_shown { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let plain = (is_shown && !std::io::stderr().is_terminal()).then(|| Mutex::new(Instant::now()));
        let between_lines = child::between_lines().unwrap_or(BETWEEN_PLAIN_LINES);
        Ok(Watch { bar, plain, between_lines, asked })
    }

    /// Nothing is shown, and the work ends where it can be ended once `asked` is set.
    pub fn unseen(asked: Arc<AtomicBool>) -> Watch {
        Watch { bar: ProgressBar::hidden(), plain: None, between_lines: BETWEEN_PLAIN_LINES, asked }
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
        if self.is_time_for_a_line() {
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            tell!(
                "{}: {} of {} ({} %)",
                self.bar.message(),
                show::bytes(done),
                show::bytes(all),
                percent(done, all)
            );
        }
        if self.is_asked() { Err(Interrupted.into()) } else { Ok(()) }
    }

    /// A new part of the work, of so many things.
    pub fn begin_counting(&self, what: impl Into<std::borrow::Cow<'static, str>>, things: u64) {
        let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos} of {human_len}, {eta} left");
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_message(what);
        self.bar.set_length(things);
        self.bar.set_position(0);
    }

    /// So many more are done.
    pub fn count(&self, things: u64) {
        self.bar.inc(things);
        if self.is_time_for_a_line() {
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            tell!(
                "{}: {} of {} ({} %)",
                self.bar.message(),
                show::count(done),
                show::count(all),
                percent(done, all)
            );
        }
    }

    /// Set when somebody wants it to end, also after the watch is gone.
    pub fn asked(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }

    /// Whether somebody wants it to end.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    fn is_time_for_a_line(&self) -> bool {
        let Some(plain) = &self.plain else { return false };
        let mut last = plain.lock().unwrap_or_else(PoisonError::into_inner);
        let is_time = last.elapsed() >= self.between_lines;
        if is_time {
            *last = Instant::now();
        }
        is_time
    }

    /// A line for the user, above the bar.
    pub fn tell(&self, line: &str) {
        self.bar.suspend(|| tell!("annalist: {line}"));
    }
}

fn percent(done: u64, all: u64) -> u64 {
    (u128::from(done.min(all)) * 100).checked_div(u128::from(all)).map_or(100, |part| part as u64)
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl annalist_knowledge::Watch for Watch {
    fn advance(&self, bytes: u64, _: u64) {
        // That it is to end is asked for.
        let _ = Watch::advance(self, bytes);
    }
    fn is_stopped(&self) -> bool {
        self.is_asked()
    }
}
