//! How a crawl went over the last hour, day or week, drawn.

use maud::{Markup, html};

use super::{charts, words};
use crate::problem::Problem;
use crate::rest::{Course, Point, Span};
use crate::service::Service;

/// A chart has so many steps.
const STEPS: usize = 120;

/// What is drawn: name, what it says, how it is read, how its numbers are written.
type Drawn = (&'static str, &'static str, fn(&Point) -> u64, fn(f64) -> String);

const DRAWN: &[Drawn] = &[
    ("Captures a minute", "Exchanges kept in the archive", |point| point.captures, a_minute),
    ("Received a minute", "Bytes from servers", |point| point.bytes, |n| words::bytes((n * 60.0) as u64)),
    ("Relevant a minute", "Pages with a score of one half or more", |point| point.relevant, a_minute),
    ("Trouble a minute", "Warnings and errors in the log", |point| point.warnings + point.errors, a_minute),
];

fn a_minute(each_second: f64) -> String {
    let number = each_second * 60.0;
    if number < 10.0 { format!("{number:.1}") } else { words::count(number as u64) }
}

/// The span that was asked for, or the shortest in which the crawl ran.
pub fn chosen(service: &Service, id: &str, over: Option<Span>) -> Result<(Course, Span), Problem> {
    let spans = over.map_or_else(|| Span::ALL.to_vec(), |over| vec![over]);
    let mut found = None;
    for span in spans {
        let course = Course::of(service, id, span)?;
        let is_telling = course.is_telling();
        found = Some((course, span));
        if is_telling {
            break;
        }
    }
    found.ok_or_else(|| Problem::not_found("no span of time was asked for"))
}

/// All charts of one span; nothing where nothing was counted.
pub fn section(id: &str, course: &Course, over: Span) -> Markup {
    let from = course.until.saturating_sub(over.millis());
    html! {
        section {
            div.heading {
                h2 { "Over time" }
                nav.spans aria-label="How far back" {
                    @for span in Span::ALL {
                        a href={ "/crawls/" (id) "?over=" (span.word()) } aria-current=[(span == over).then_some("true")] { "last " (span.word()) }
                    }
                }
            }
            @if !course.is_telling() {
                p.hint { "The crawl did not run in the last " (over.word()) ". Charts appear after ten seconds of crawling." }
            } @else {
                div.columns {
                    @for (name, hint, counted, shown) in DRAWN {
                        @let counts: Vec<(u64, u64)> = course.points.iter().map(|point| (point.at, counted(point))).collect();
                        @let rates = rates(&counts, from, course.until);
                        @let most = rates.iter().copied().fold(0.0, f64::max);
                        figure {
                            figcaption { dfn title=(hint) { (name) } " " span.hint { "at most " (shown(most)) } }
                            (charts::steps(&rates, &format!("{name} over the last {}: at most {}", over.word(), shown(most))))
                            div.ends aria-hidden="true" { span { (over.word()) " ago" } span { "now" } }
                        }
                    }
                }
            }
        }
    }
}

/// How much a count grew a second, in steps of equal length.
fn rates(counts: &[(u64, u64)], from: u64, until: u64) -> Vec<f64> {
    let length = until.saturating_sub(from).max(1) as f64 / STEPS as f64;
    let ends: Vec<f64> = (0..=STEPS).map(|step| at(counts, from as f64 + step as f64 * length)).collect();
    ends.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0) / (length / 1000.0)).collect()
}

/// A count at a moment, on a straight line between what is known.
fn at(counts: &[(u64, u64)], moment: f64) -> f64 {
    let after = counts.partition_point(|(time, _)| (*time as f64) < moment);
    match (after.checked_sub(1).and_then(|before| counts.get(before)), counts.get(after)) {
        (Some((t0, n0)), Some((t1, n1))) => {
            let part = (moment - *t0 as f64) / (t1 - t0).max(1) as f64;
            *n0 as f64 + part * (*n1 as f64 - *n0 as f64)
        }
        (Some((_, n)), None) | (None, Some((_, n))) => *n as f64,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{STEPS, rates};

    #[test]
    fn rates_add_up_to_what_was_counted() {
        let counts = [(0, 0), (10_000, 50), (20_000, 50), (600_000, 80), (900_000, 400)];
        for (from, until) in [(0, 1_200_000), (100, 900_000)] {
            let rates = rates(&counts, from, until);
            assert_eq!(rates.len(), STEPS);
            let seconds = (until - from) as f64 / 1000.0 / STEPS as f64;
            let sum: f64 = rates.iter().map(|rate| rate * seconds).sum();
            assert!((sum - 400.0).abs() < 1.0, "{sum}");
        }
        assert!(rates(&[], 0, 1000).iter().all(|rate| *rate == 0.0));
        assert!(rates(&[(500, 7)], 0, 1000).iter().all(|rate| *rate == 0.0));
    }
}
