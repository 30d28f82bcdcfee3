//! Counters in the words of Prometheus.

use std::fmt::Write;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

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
    ("annalist_skipped_total", "counter", "Mentions of links that are not fetched", |s| {
        s.status.counters.skipped_in_all() as f64
    }),
    ("annalist_relevant_pages_total", "counter", "Pages with a score of one half or more", |s| {
        s.status.counters.judged.relevant as f64
    }),
    ("annalist_queued_links", "gauge", "Links that wait", |s| s.status.queued as f64),
    ("annalist_visits_in_flight", "gauge", "Visits under way", |s| s.status.visits_in_flight as f64),
    ("annalist_running", "gauge", "1 while the crawl runs here", |s| f64::from(u8::from(s.is_running))),
];

/// Counters of all crawls, for Prometheus.
#[utoipa::path(get, path = "/metrics", responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn metrics(State(app): State<App>) -> Result<impl IntoResponse, Problem> {
    let all = blocking(move || app.service.all()).await?;
    let mut text = String::new();
    for (name, kind, help, value) in METRICS {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for seen in &all {
            // An id has nothing that would need a quote.
            let _ = writeln!(text, "{name}{{crawl=\"{}\"}} {}", seen.id, value(seen));
        }
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text))
}
