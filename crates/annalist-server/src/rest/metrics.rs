//! Counters in the words of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use super::course::by_subsystem;
use super::crawls::blocking;
use crate::problem::Problem;
use crate::serve::App;
use crate::service::Seen;

type Value = fn(&Seen) -> f64;

const METRICS: &[(&str, &str, &str, Value)] = &[
    ("annalist_captures_total", "counter", "Exchanges kept in the archive", |s| {
        s.status.counters.captures as f64
    }),
    ("annalist_pages_total", "counter", "Captures of links", |s| s.status.counters.pages as f64),
    ("annalist_received_bytes_total", "counter", "Bytes received", |s| s.status.counters.bytes as f64),
    ("annalist_stored_bytes_total", "counter", "Bytes the archive grew by", |s| {
        s.status.counters.stored_bytes as f64
    }),
    ("annalist_failed_total", "counter", "Links that never answered", |s| s.status.counters.failed as f64),
    ("annalist_relevant_pages_total", "counter", "Pages with a score of one half or more", |s| {
        s.status.counters.judged.relevant as f64
    }),
    // Falls where a block is lifted or the scope gets wider.
    ("annalist_skipped_mentions", "gauge", "Mentions of links that are not fetched as things stand", |s| {
        s.status.counters.skipped_in_all() as f64
    }),
    ("annalist_queued_links", "gauge", "Links that wait", |s| s.status.queued as f64),
    ("annalist_visits_in_flight", "gauge", "Visits under way", |s| s.status.visits_in_flight as f64),
    ("annalist_running", "gauge", "1 while the crawl runs here", |s| f64::from(u8::from(s.is_running))),
];

/// Labels with their values, and a number for them.
type Labelled = (Vec<(&'static str, String)>, u64);

/// What is counted by more than the crawl.
type Values = fn(&Seen) -> Vec<Labelled>;

const LABELLED: &[(&str, &str, Values)] = &[
    ("annalist_captures_by_status_total", "Captures by the first digit of their HTTP status", by_class),
    ("annalist_events_total", "Events of the log, by subsystem and severity", by_subsystem_and_severity),
];

fn by_class(seen: &Seen) -> Vec<Labelled> {
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    for (status, count) in &seen.status.counters.by_status {
        let class =
            if (100..1000).contains(status) { format!("{}xx", status / 100) } else { "other".to_owned() };
        *classes.entry(class).or_default() += count;
    }
    classes.into_iter().map(|(class, count)| (vec![("class", class)], count)).collect()
}

fn by_subsystem_and_severity(seen: &Seen) -> Vec<Labelled> {
    let mut labelled = Vec::new();
    for (subsystem, severities) in by_subsystem(&seen.status.counters.events) {
        for (severity, count) in severities {
            labelled.push((vec![("subsystem", subsystem.clone()), ("severity", severity)], count));
        }
    }
    labelled
}

/// The value of a label as Prometheus reads it. An id has nothing that would need this.
fn quoted(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Counters of all crawls, for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn metrics(State(app): State<App>) -> Result<impl IntoResponse, Problem> {
    let all = blocking(move || app.service.all()).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], written(&all)))
}

/// A counter that is not known yet is left out: one that falls is one that began anew, to Prometheus.
fn written(all: &[Seen]) -> String {
    let mut text = String::new();
    for (name, kind, help, value) in METRICS {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for seen in all.iter().filter(|seen| *kind != "counter" || !seen.status.is_behind) {
            let _ = writeln!(text, "{name}{{crawl=\"{}\"}} {}", seen.id, value(seen));
        }
    }
    for (name, help, values) in LABELLED {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter");
        for seen in all.iter().filter(|seen| !seen.status.is_behind) {
            for (labels, count) in values(seen) {
                let labels: String =
                    labels.iter().map(|(label, value)| format!(",{label}=\"{}\"", quoted(value))).collect();
                let _ = writeln!(text, "{name}{{crawl=\"{}\"{labels}}} {count}", seen.id);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use annalist_crawl::status::Status;

    use super::written;
    use crate::service::Seen;
    use crate::wanted::Wanted;

    #[test]
    fn events_and_captures_are_counted_by_what_they_are() {
        let mut status = Status::default();
        for code in [200, 204, 404, 999, 0] {
            status.counters.capture(code, "text/html", 1);
        }
        status.counters.event("web", "warning");
        status.counters.event("a \"b\"", "error");
        let (id, name) = ("x".to_owned(), "X".to_owned());
        let seen = Seen { id, name, status, is_running: false, wanted: Wanted::default(), awaits: None };
        let text = written(std::slice::from_ref(&seen));
        let mut behind = seen;
        behind.status.is_behind = true;
        let left = written(&[behind]);
        assert!(left.contains("annalist_running{") && !left.contains("_total{"), "{left}");
        for line in [
            "# TYPE annalist_skipped_mentions gauge",
            "annalist_skipped_mentions{crawl=\"x\"} 0",
            "annalist_captures_total{crawl=\"x\"} 5",
            "annalist_captures_by_status_total{crawl=\"x\",class=\"2xx\"} 2",
            "annalist_captures_by_status_total{crawl=\"x\",class=\"4xx\"} 1",
            "annalist_captures_by_status_total{crawl=\"x\",class=\"other\"} 1",
            "annalist_events_total{crawl=\"x\",subsystem=\"web\",severity=\"warning\"} 1",
            "annalist_events_total{crawl=\"x\",subsystem=\"a\",severity=\"\\\"b\\\" error\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
