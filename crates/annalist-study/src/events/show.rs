//! Crawls for an event as tables to read, as tables for other programs, and as pictures.

use std::fmt::Write;

use super::{EventFound, EventRow, Variant};
use crate::chart::{Chart, Line, rounded_up};
use crate::policy::Policy;
use crate::svg::colour;

/// What something adds: the accumulated relevance with it, divided by that without it; topical, and with time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    pub of: &'static str,
    pub policy: Policy,
    pub content: f64,
    pub with_time: f64,
}

impl EventFound {
    fn of(&self, variant: Variant) -> impl Iterator<Item = &EventRow> {
        self.rows.iter().filter(move |row| row.variant == variant)
    }

    /// What the event's own half-lives add, and what keywords add.
    pub fn effects(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (of, without) in [("half-lives", Variant::FixedTimes), ("keywords", Variant::WithoutKeywords)] {
            for less in self.of(without) {
                let Some(whole) = self.of(Variant::Whole).find(|row| row.policy == less.policy) else {
                    continue;
                };
                let ((content, with_time), (before, before_with_time)) =
                    (whole.accumulated(), less.accumulated());
                let ratio = |with: f64, without: f64| if without > 0.0 { with / without } else { 1.0 };
                effects.push(Effect {
                    of,
                    policy: less.policy,
                    content: ratio(content, before),
                    with_time: ratio(with_time, before_with_time),
                });
            }
        }
        effects
    }

    pub fn table(&self) -> String {
        let mut text = format!(
            "{}: crawls of {} pages, {} seeds among them; accumulated relevance by content alone and with time\n\n\
             policy    pages  content  with time  retrieval rate",
            self.name, self.pages, self.seeds
        );
        text.push_str(if self.labelled { "  precision\n" } else { "\n" });
        for row in self.of(Variant::Whole) {
            let (content, with_time) = row.accumulated();
            let _ = write!(
                text,
                "{:8}  {:>5}  {content:>7.2}  {with_time:>9.2}  {:>14.3}",
                row.policy.to_string(),
                row.measured.len(),
                row.retrieval()
            );
            if self.labelled {
                let _ = write!(text, "  {:>9.3}", row.precision());
            }
            text.push('\n');
        }
        let effects = self.effects();
        if !effects.is_empty() {
            text.push_str("\neffect of   policy    content  with time\n");
        }
        for effect in effects {
            let (policy, content, with_time) = (effect.policy.to_string(), effect.content, effect.with_time);
            let _ = writeln!(text, "{:10}  {policy:8}  {content:>7.2}  {with_time:>9.2}", effect.of);
        }
        text
    }

    /// One line for each crawl.
    pub fn rows_csv(&self) -> String {
        let mut text =
            String::from("variant,policy,pages,content,with_time,asked,retrieval_rate,precision\n");
        for row in &self.rows {
            let (content, with_time) = row.accumulated();
            let precision = if self.labelled { format!("{:.6}", row.precision()) } else { String::new() };
            let _ = writeln!(
                text,
                "{},{},{},{content:.6},{with_time:.6},{},{:.6},{precision}",
                row.variant,
                row.policy,
                row.measured.len(),
                row.asked.len(),
                row.retrieval()
            );
        }
        text
    }

    pub fn effects_csv(&self) -> String {
        let mut text = String::from("effect,policy,content,with_time\n");
        for effect in self.effects() {
            let Effect { of, policy, content, with_time } = effect;
            let _ = writeln!(text, "{of},{policy},{content:.6},{with_time:.6}");
        }
        text
    }

    /// After each page of each crawl as specified.
    pub fn curves_csv(&self) -> String {
        let mut text = String::from("policy,pages,content,with_time,asked,retrieval_rate\n");
        for row in self.of(Variant::Whole) {
            let rates = rates(row);
            let found: Vec<usize> =
                (1..).zip(&row.asked).filter(|(_, found)| **found).map(|(n, _)| n).collect();
            // Seeds are asked for, but do not count as pages.
            let seeds = found.len().saturating_sub(row.measured.len());
            let asked = found.iter().skip(seeds);
            let (mut content, mut with_time) = (0.0, 0.0);
            for ((page, measured), asked) in (1..).zip(&row.measured).zip(asked) {
                content += f64::from(measured.0);
                with_time += f64::from(measured.1);
                let rate = rates.get(asked - 1).copied().unwrap_or(0.0);
                let _ = writeln!(text, "{},{page},{content:.6},{with_time:.6},{asked},{rate:.6}", row.policy);
            }
        }
        text
    }

    /// Accumulated relevance over pages, topical or with time.
    pub fn accumulated_svg(&self, with_time: bool) -> String {
        let points = |row: &EventRow| {
            let mut sum = 0.0;
            let values = row.measured.iter().map(|one| f64::from(if with_time { one.1 } else { one.0 }));
            let sums = values.map(|value| {
                sum += value;
                sum
            });
            (1..).map(f64::from).zip(sums).collect::<Vec<_>>()
        };
        let title =
            if with_time { "Accumulated relevance with time" } else { "Accumulated topical relevance" };
        self.drawn(title, ("pages fetched besides the seeds", "accumulated relevance"), None, &points)
    }

    /// The share of the addresses asked for that the archive had.
    pub fn retrieval_svg(&self) -> String {
        let points = |row: &EventRow| (1..).map(f64::from).zip(rates(row)).collect::<Vec<_>>();
        self.drawn("Retrieval rate", ("addresses asked for", "found in the archive"), Some(1.0), &points)
    }

    fn drawn(
        &self,
        title: &str,
        (across, up): (&str, &str),
        highest: Option<f64>,
        points: &dyn Fn(&EventRow) -> Vec<(f64, f64)>,
    ) -> String {
        let curves: Vec<_> =
            self.of(Variant::Whole).map(|row| (row.policy.to_string(), row.policy, points(row))).collect();
        let ends = curves.iter().flat_map(|(_, _, points)| points);
        let (width, height) =
            ends.fold((1.0_f64, 0.01_f64), |far, point| (far.0.max(point.0), far.1.max(point.1)));
        let lines = curves.iter().map(|(name, policy, points)| Line {
            name,
            colour: colour(policy),
            dashes: "",
            value: points.last().map_or(0.0, |(_, value)| *value),
            points: points.clone(),
        });
        let chart = Chart {
            title,
            subtitle: &self.name,
            across: (across, width),
            up: (up, highest.unwrap_or_else(|| rounded_up(height))),
            lines: lines.collect(),
        };
        chart.drawn()
    }
}

/// After each address that was asked for.
fn rates(row: &EventRow) -> Vec<f64> {
    let mut found = 0.0;
    let rates = (1..).map(f64::from).zip(&row.asked).map(|(asked, is_found)| {
        found += f64::from(u8::from(*is_found));
        found / asked
    });
    rates.collect()
}
