//! How a crawl went over the last hour, day or week, drawn.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::{charts, words};
use crate::problem::Problem;
use crate::rest::{Course, EventCounts, Point, Span};
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
                        (drawn(&html! { dfn title=(hint) { (name) } }, name, &rates(&counts, from, course.until), *shown, over))
                    }
                    @for Trouble { subsystem, severity, counts } in trouble(&course.points, from) {
                        @let name = format!("{} of {subsystem} a minute", if severity == "error" { "Errors" } else { "Warnings" });
                        @let log = html! { a href={ "/crawls/" (id) "/log?subsystem=" (encoded(&subsystem)) "&severity=" (severity) } { (name) } };
                        (drawn(&log, &name, &rates(&counts, from, course.until), a_minute, over))
                    }
                }
            }
        }
    }
}

/// One chart.
fn drawn(caption: &Markup, name: &str, rates: &[f64], shown: fn(f64) -> String, over: Span) -> Markup {
    let most = shown(rates.iter().copied().fold(0.0, f64::max));
    html! {
        figure {
            figcaption { (caption) " " span.hint { "at most " (most) } }
            (charts::steps(rates, &format!("{name} over the last {}: at most {most}", over.word())))
            div.ends aria-hidden="true" { span { (over.word()) " ago" } span { "now" } }
        }
    }
}

/// Warnings or errors of one part of the program.
#[derive(Debug, PartialEq)]
struct Trouble {
    subsystem: String,
    severity: &'static str,
    /// When, and how many there had been until then.
    counts: Vec<(u64, u64)>,
}

/// What went wrong in a span: of each part of the program that had something to tell, errors first.
fn trouble(points: &[Point], from: u64) -> Vec<Trouble> {
    let of = |point: &Point, subsystem: &str, severity: &str| {
        let events = point.events.as_ref()?;
        Some((point.at, events.get(subsystem).and_then(|by| by.get(severity)).copied().unwrap_or_default()))
    };
    let named = points.iter().filter_map(|point| point.events.as_ref()).flat_map(EventCounts::keys);
    let subsystems: BTreeSet<&String> = named.collect();
    let mut found = Vec::new();
    for severity in ["error", "warning"] {
        for subsystem in &subsystems {
            let counts: Vec<(u64, u64)> =
                points.iter().filter_map(|point| of(point, subsystem, severity)).collect();
            let before = counts.iter().rev().find(|(at, _)| *at < from).or(counts.first());
            if counts.last().map(|(_, count)| count) > before.map(|(_, count)| count) {
                found.push(Trouble { subsystem: subsystem.to_string(), severity, counts });
            }
        }
    }
    found
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
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
    use std::collections::BTreeMap;

    use super::{STEPS, rates, trouble};
    use crate::rest::Point;

    fn point(at: u64, counts: &[(&str, &str, u64)]) -> Point {
        let mut events = BTreeMap::<String, BTreeMap<String, u64>>::new();
        for (subsystem, severity, count) in counts {
            events.entry((*subsystem).to_owned()).or_default().insert((*severity).to_owned(), *count);
        }
        Point { at, events: Some(events), ..Point::default() }
    }

    #[test]
    fn only_what_had_trouble_in_the_span_is_drawn() {
        let points = [
            // Counted by an older version: nothing is known of then, and nothing jumps up after it.
            Point { at: 1, warnings: 9, ..Point::default() },
            point(10, &[("web", "warning", 9), ("crawl", "info", 1)]),
            point(20, &[("web", "warning", 9), ("crawl", "info", 5), ("keeper", "error", 1)]),
            point(30, &[("web", "warning", 11), ("crawl", "info", 7), ("keeper", "error", 1)]),
        ];
        let told = |from| -> Vec<(String, &str)> {
            trouble(&points, from).into_iter().map(|one| (one.subsystem, one.severity)).collect()
        };
        assert_eq!(told(0), [("keeper".to_owned(), "error"), ("web".to_owned(), "warning")]);
        assert_eq!(told(25), [("web".to_owned(), "warning")]);
        assert_eq!(trouble(&points, 0)[1].counts, [(10, 9), (20, 9), (30, 11)]);
        assert!(trouble(&points[..2], 0).is_empty() && trouble(&[], 0).is_empty());
    }

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
