//! An answer as people read it.

use std::fmt::Write as _;

use annalist_crawl::job::JobDir;
use annalist_knowledge::search::{Answer, Hit, Question, Snippet};

use crate::show::{self, count};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Words that were asked for are bold.
    Terminal,
    Plain,
}

const BAR: usize = 24;
const LONGEST_LABEL: usize = 36;

pub fn answer(answer: &Answer, question: &Question, jobs: &[JobDir], style: Style) -> String {
    let mut text = String::new();
    let first = question.page.saturating_sub(1) * question.limit + 1;
    for (number, hit) in (first..).zip(&answer.hits) {
        show_hit(&mut text, number, hit, jobs, style);
    }
    for facet in answer.facets.iter().filter(|facet| !facet.counts.is_empty()) {
        let _ = writeln!(text, "{}", style.bold(facet.field));
        let rows: Vec<_> = facet.counts.iter().map(|row| (row.label.as_str(), row.count, None)).collect();
        bars(&mut text, &rows);
    }
    if !answer.months.is_empty() {
        let _ = writeln!(text, "{}", style.bold("month of publication"));
        let rows: Vec<_> =
            answer.months.iter().map(|row| (row.month.as_str(), row.count, row.sentiment)).collect();
        bars(&mut text, &rows);
    }
    if let Some(undated) = answer.undated.filter(|undated| *undated > 0) {
        let _ = writeln!(text, "  {} without a date", count(undated));
    }
    let found = match answer.total {
        0 => "nothing found".to_owned(),
        1 => "1 found".to_owned(),
        total => format!("{} found", count(total)),
    };
    let more = if answer.more {
        format!("; --page {} for more", question.page + 1)
    } else if answer.hits.is_empty() && answer.total > 0 && question.limit > 0 {
        format!("; page {} is behind the last of them", question.page)
    } else {
        String::new()
    };
    let _ = writeln!(text, "{found}{more}");
    text
}

fn show_hit(text: &mut String, number: usize, hit: &Hit, jobs: &[JobDir], style: Style) {
    let entry = &hit.entry;
    let title = hit.shown_title.as_ref().filter(|title| !title.text.is_empty());
    let title = title.map_or_else(|| plain(&entry.url), |title| marked(title, style));
    let day = |moment: &str| moment.get(..10).unwrap_or(moment).to_owned();
    let when = match &entry.published {
        Some(published) => format!("published {}", day(published)),
        None => format!("captured {}", day(&hit.captured)),
    };
    let author = entry.author.as_ref().map_or_else(String::new, |author| format!(" · {}", plain(author)));
    let _ = writeln!(text, "{number}. {}", style.underlined(&title));
    let _ = writeln!(text, "   {} · {when} · {}{author}", hit.site, entry.kind);
    if !hit.snippet.text.is_empty() {
        let _ = writeln!(text, "   {}", marked(&hit.snippet, style));
    }
    let _ = writeln!(text, "   {}", plain(entry.own_url.as_ref().unwrap_or(&entry.url)));
    let folder = jobs.get(hit.index).map(|job| job.archive().display().to_string()).unwrap_or_default();
    let _ = writeln!(text, "   {folder}/{} at {}, captured {}", entry.file, entry.offset, day(&hit.captured));
    if hit.like_it > 0 {
        let _ = writeln!(text, "   and {} like it (--all)", count(hit.like_it));
    }
    text.push('\n');
}

fn bars(text: &mut String, rows: &[(&str, u64, Option<f64>)]) {
    let label = |label: &str| plain(label).chars().take(LONGEST_LABEL).collect::<String>();
    let width = rows.iter().map(|(name, ..)| label(name).chars().count()).max().unwrap_or_default();
    let most = rows.iter().map(|(_, number, _)| *number).max().unwrap_or_default().max(1);
    let digits = count(most).len();
    for (name, number, sentiment) in rows {
        let length = (*number as f64 / most as f64 * BAR as f64).round() as usize;
        let bar = "█".repeat(length.max(1));
        let sentiment = sentiment.map_or_else(String::new, |mean| {
            format!("{}opinion {mean:+.2}", " ".repeat(BAR + 2 - length.max(1)))
        });
        let _ = writeln!(text, "  {:<width$}  {:>digits$}  {bar}{sentiment}", label(name), count(*number));
    }
}

fn marked(snippet: &Snippet, style: Style) -> String {
    snippet
        .pieces()
        .map(|(piece, is_asked)| if is_asked { style.bold(piece) } else { piece.to_owned() })
        .collect()
}

/// On one line.
fn plain(text: &str) -> String {
    show::plain(text).replace('\n', " ")
}

impl Style {
    fn bold(self, text: &str) -> String {
        if self == Style::Terminal { format!("\x1b[1m{text}\x1b[22m") } else { text.to_owned() }
    }

    fn underlined(self, text: &str) -> String {
        if self == Style::Terminal { format!("\x1b[4m{text}\x1b[24m") } else { text.to_owned() }
    }
}
