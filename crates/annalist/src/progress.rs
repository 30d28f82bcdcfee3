//! What a crawl shows while it runs: one living line on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use annalist_crawl::status::{Board, Status};
use indicatif::{ProgressBar, ProgressStyle};

use crate::show;

const BETWEEN_PLAIN_LINES: Duration = Duration::from_secs(10);
const GLANCE: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Shown,
    Silent,
}

impl Progress {
    pub fn unless(quiet: bool) -> Progress {
        if quiet { Progress::Silent } else { Progress::Shown }
    }
}

/// Follows the board until the task is aborted.
pub async fn follow(board: Board, progress: Progress) {
    let terminal = std::io::stderr().is_terminal() && progress == Progress::Shown;
    let bar = terminal.then(|| {
        let style = ProgressStyle::with_template("{spinner} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        ProgressBar::new_spinner().with_style(style)
    });
    let mut last_line = Instant::now();
    loop {
        tokio::time::sleep(GLANCE).await;
        let status = board.read();
        if let Some(bar) = &bar {
            bar.set_message(line(&status));
            bar.tick();
        } else if progress == Progress::Shown && last_line.elapsed() >= BETWEEN_PLAIN_LINES {
            last_line = Instant::now();
            tell!("{}", line(&status));
        }
    }
}

fn line(status: &Status) -> String {
    let counters = &status.counters;
    let doing = match &status.waits_for {
        Some(reason) => format!("waiting: {reason}"),
        None => status.last_url.clone().unwrap_or_default(),
    };
    let harvest = counters.judged.harvest_ratio().map(|harvest| {
        let mean = counters.judged.mean_score().unwrap_or(0.0);
        format!(", harvest {harvest:.2}, mean score {mean:.2} {}", show::sparkline(&counters.judged.curve))
    });
    format!(
        "{} captures, {}, {:.0}/s, {} queued on {} sites, {} failed{}  {}",
        show::count(counters.captures),
        show::bytes(counters.bytes),
        status.pages_per_second,
        show::count(status.queued),
        show::count(status.sites),
        show::count(counters.failed),
        harvest.unwrap_or_default(),
        doing
    )
}
