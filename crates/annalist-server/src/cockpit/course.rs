//! How a crawl went over the last hour, day or week, drawn.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::{charts, words};
use crate::problem::Problem;
use crate::rest::{Course, EventCounts, Point, Span};
use crate::service::{Seen, Service};

/// A chart has so many steps at most.
const STEPS: usize = 120;
const MINUTE: u64 = 60_000;

/// What is drawn: name, what it says, how it is read, how its numbers are written, and which axis it has: charts with the same
/// one are compared with each other.
struct Drawn {
    name: &'static str,
    hint: &'static str,
    counted: fn(&Point) -> u64,
    shown: fn(f64) -> String,
    axis: usize,
}

/// The axes: of pages, of bytes, of trouble.
const PAGES: usize = 0;
const BYTES: usize = 1;
const TROUBLE: usize = 2;

const DRAWN: &[Drawn] = &[
    Drawn {
        name: "Captures a minute",
        hint: "exchanges kept in the archive",
        counted: |point| point.captures,
        shown: a_minute,
        axis: PAGES,
    },
    Drawn {
        name: "Relevant a minute",
        hint: "pages that score one half or more",
        counted: |point| point.relevant,
        shown: a_minute,
        axis: PAGES,
    },
    Drawn {
        name: "Received a minute",
        hint: "bytes from servers",
        counted: |point| point.bytes,
        shown: |n| words::bytes(n as u64),
        axis: BYTES,
    },
    Drawn {
        name: "Trouble a minute",
        hint: "warnings and errors in the log",
        counted: |point| point.warnings + point.errors,
        shown: a_minute,
        axis: TROUBLE,
    },
];

fn a_minute(number: f64) -> String {
    match number {
        n if n >= 10.0 || n.fract() == 0.0 => words::count(n as u64),
        n if n < 0.1 => format!("{n:.2}"),
        n => format!("{n:.1}"),
    }
}

/// A chart that waits for the others of its axis.
struct Chart {
    caption: Markup,
    name: String,
    rates: Vec<f64>,
    shown: fn(f64) -> String,
    axis: usize,
}

/// The span that was asked for, or the shortest in which the crawl ran or runs.
pub fn chosen(service: &Service, id: &str, over: Option<Span>) -> Result<(Course, Span), Problem> {
    let is_running = service.is_running(id);
    let spans = over.map_or_else(|| Span::ALL.to_vec(), |over| vec![over]);
    let mut found = None;
    for span in spans {
        let course = Course::of(service, id, span)?;
        let is_it = is_running || course.is_telling() || has_begun(&course, span);
        found = Some((course, span));
        if is_it {
            break;
        }
    }
    found.ok_or_else(|| Problem::not_found("no span of time was asked for"))
}

/// Whether anything was counted in a span, be it too little for a chart.
fn has_begun(course: &Course, over: Span) -> bool {
    course.points.iter().any(|point| point.at >= course.until.saturating_sub(over.millis()))
}

/// Why there are no charts.
fn nothing_drawn(course: &Course, over: Span, is_running: bool) -> String {
    if is_running {
        return "Charts appear after ten seconds of crawling.".to_owned();
    }
    if has_begun(course, over) {
        return "The crawl ran for a few seconds only: there is nothing to draw.".to_owned();
    }
    format!("The crawl did not run in the last {}.", over.word())
}

/// All charts of one span; why there are none where nothing was counted.
pub fn section(seen: &Seen, course: &Course, over: Span) -> Markup {
    let id = &seen.id;
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
                p.hint { (nothing_drawn(course, over, seen.is_running)) }
            } @else {
                div.columns.charts { @for chart in charts(id, course, from) { (drawn(&chart, over)) } }
            }
        }
    }
}

/// Every chart with the end of its axis.
fn charts(id: &str, course: &Course, from: u64) -> Vec<(Chart, f64)> {
    let mut all = Vec::new();
    for Drawn { name, hint, counted, shown, axis } in DRAWN {
        let counts: Vec<(u64, u64)> = course.points.iter().map(|point| (point.at, counted(point))).collect();
        all.push(Chart {
            caption: html! { (name) span.hint { ": " (hint) } },
            name: (*name).to_owned(),
            rates: rates(&counts, from, course.until, between(*axis)),
            shown: *shown,
            axis: *axis,
        });
    }
    for Trouble { subsystem, severity, counts } in trouble(&course.points, from) {
        let name =
            format!("{} of {subsystem} a minute", if severity == "error" { "Errors" } else { "Warnings" });
        let log = format!("/crawls/{id}/log?subsystem={}&severity={severity}", encoded(&subsystem));
        all.push(Chart {
            caption: html! { a href=(log) { (name) } },
            name,
            rates: rates(&counts, from, course.until, between(TROUBLE)),
            shown: a_minute,
            axis: TROUBLE,
        });
    }
    let highest = |axis: usize| {
        let rates = all.iter().filter(|chart: &&Chart| chart.axis == axis).flat_map(|chart| &chart.rates);
        charts::round_up(rates.copied().fold(0.0, f64::max))
    };
    let ends = [PAGES, BYTES, TROUBLE].map(highest);
    all.into_iter()
        .map(|chart| {
            let end = ends.get(chart.axis).copied().unwrap_or(1.0);
            (chart, end)
        })
        .collect()
}

/// One chart.
fn drawn((chart, end): &(Chart, f64), over: Span) -> Markup {
    let Chart { caption, name, rates, shown, .. } = chart;
    let most = shown(rates.iter().copied().fold(0.0, f64::max));
    let told = format!("{name} over the last {}: at most {most}", over.word());
    html! {
        figure {
            figcaption { (caption) span.hint { ", at most " (most) } }
            (charts::plot(&charts::steps(rates, *end, &told), &shown(*end), "0"))
            div.ends aria-hidden="true" { span { @if over == Span::Hour { "an " } @else { "a " } (over.word()) " ago" } span { "now" } }
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

/// How much a count grew a minute, in steps of equal length. None is shorter than a minute: more a minute than in all would be
/// told of what came in seconds.
fn rates(counts: &[(u64, u64)], from: u64, until: u64, at: Between) -> Vec<f64> {
    let span = until.saturating_sub(from);
    let steps = usize::try_from(span / MINUTE).unwrap_or(STEPS).clamp(1, STEPS);
    let length = span.max(1) as f64 / steps as f64;
    let ends: Vec<f64> = (0..=steps).map(|step| at(counts, from as f64 + step as f64 * length)).collect();
    ends.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0) / (length / MINUTE as f64)).collect()
}

/// What a count was at a moment between two that are known.
type Between = fn(&[(u64, u64)], f64) -> f64;

/// Pages and bytes come all the time; one event is one, and not two halves of one.
fn between(axis: usize) -> Between {
    if axis == TROUBLE { known_at } else { flowing_at }
}

/// A count as it was seen last.
fn known_at(counts: &[(u64, u64)], moment: f64) -> f64 {
    let after = counts.partition_point(|(time, _)| (*time as f64) <= moment);
    counts.get(after.saturating_sub(1)).map_or(0.0, |(_, count)| *count as f64)
}

/// A count at a moment, on a straight line between what is known.
fn flowing_at(counts: &[(u64, u64)], moment: f64) -> f64 {
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

    use super::{STEPS, flowing_at, known_at, nothing_drawn, rates, trouble};
    use crate::rest::{Course, Point, Span};

    #[test]
    fn a_crawl_that_has_just_begun_is_not_said_to_rest() {
        let until = 10 * 86_400_000;
        let course = |at: &[u64]| Course {
            until,
            points: at.iter().map(|at| Point { at: *at, ..Point::default() }).collect(),
        };
        let told = |at: &[u64], is_running| nothing_drawn(&course(at), Span::Hour, is_running);
        assert_eq!(told(&[], true), "Charts appear after ten seconds of crawling.");
        assert_eq!(told(&[until - 4000], true), "Charts appear after ten seconds of crawling.");
        assert!(told(&[until - 4000], false).starts_with("The crawl ran for a few seconds only"));
        assert_eq!(told(&[5], false), "The crawl did not run in the last hour.");
    }

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
            let rates = rates(&counts, from, until, flowing_at);
            let minutes = (until - from) as f64 / 60_000.0 / rates.len() as f64;
            let sum: f64 = rates.iter().map(|rate| rate * minutes).sum();
            assert!((sum - 400.0).abs() < 1.0, "{sum}");
        }
        assert_eq!(rates(&counts, 0, 86_400_000, flowing_at).len(), STEPS);
        // All of it in ten seconds of an hour.
        let burst = rates(&[(0, 0), (3_000_000, 0), (3_010_000, 444)], 0, 3_600_000, flowing_at);
        assert!(burst.len() == 60 && burst.iter().all(|rate| *rate < 444.5), "{burst:?}");
        assert!(rates(&[], 0, 1000, flowing_at).iter().all(|rate| *rate == 0.0));
        assert!(rates(&[(500, 7)], 0, 1000, flowing_at).iter().all(|rate| *rate == 0.0));
    }

    #[test]
    fn one_event_is_drawn_as_one() {
        // It came between two looks, and a step ended between them.
        let counts = [(0, 0), (55_000, 0), (65_000, 1), (130_000, 1)];
        assert_eq!(rates(&counts, 0, 180_000, known_at), [0.0, 1.0, 0.0]);
        assert_eq!(rates(&[(500, 7)], 0, 60_000, known_at), [0.0]);
    }
}
