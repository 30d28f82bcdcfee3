//! Spans of days in which something was written about much more than at other times.
//!
//! For each span that begins and ends with a day on which it was written about: how much likelier is what was counted if the
//! span is special than if it is not (a scan statistic)? The best span is a burst; the search goes on before and behind it.

use std::collections::{BTreeMap, HashMap};

use super::features::{Feature, Report};
use crate::offline::Day;

/// What is written about for longer is no happening.
const LONGEST_DAYS: i32 = 45;
/// Of the logarithm of how much likelier.
const LEAST_STRENGTH: f64 = 6.0;
pub(super) const FEWEST_REPORTS: u32 = 3;
const MOST_BURSTS: usize = 50_000;
/// Counts of a feature on a day that are kept at a time.
const MOST_COUNTS: usize = 20_000_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Burst {
    pub(super) feature: Feature,
    pub(super) from: Day,
    pub(super) until: Day,
    pub(super) reports: u32,
    pub(super) strength: f64,
}

/// How often what was written about on which day.
#[derive(Debug, Default)]
pub(super) struct Series {
    counts: HashMap<Feature, Vec<(Day, u32)>>,
    kept: usize,
    all: BTreeMap<Day, u32>,
    /// The thread read last, and when something was counted there.
    thread: Option<u64>,
    counted: HashMap<Feature, Day>,
}

impl Series {
    pub(super) fn add(&mut self, report: &Report) {
        let Some(day) = report.day else { return };
        *self.all.entry(day).or_default() += 1;
        if self.thread.replace(report.thread) != Some(report.thread) {
            self.counted.clear();
        }
        for feature in &report.features {
            // Who answers, day after day, goes on about the same: a long thread is no more witnesses than a page.
            match self.counted.get(feature) {
                Some(before) if (day.0 - before.0).abs() <= LONGEST_DAYS => continue,
                _ => self.counted.insert(*feature, day),
            };
            let days = self.counts.entry(*feature).or_default();
            // Most writings come nearly in the order of time, those of a site at least.
            match days.iter_mut().rev().take(8).find(|(known, _)| *known == day) {
                Some((_, count)) => *count += 1,
                None => {
                    days.push((day, 1));
                    self.kept += 1;
                }
            }
        }
        if self.kept > MOST_COUNTS {
            self.forget();
        }
    }

    /// What was written about least.
    fn forget(&mut self) {
        let mut sizes: Vec<usize> = self.counts.values().map(Vec::len).collect();
        sizes.sort_unstable();
        let middle = sizes.get(sizes.len() / 2).copied().unwrap_or_default();
        self.counts.retain(|_, days| days.len() > middle);
        self.kept = self.counts.values().map(Vec::len).sum();
    }

    /// The strongest first; and how strong one must be that chance would not make among so many.
    pub(super) fn bursts(self) -> (Vec<Burst>, f64) {
        let calendar = Calendar::new(&self.all);
        let mut bursts = Vec::new();
        let mut tried = 0.0;
        for (feature, mut days) in self.counts {
            days.sort_unstable();
            days.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            let total: u32 = days.iter().map(|(_, count)| *count).sum();
            if total >= FEWEST_REPORTS {
                tried += calendar.weeks();
                calendar.search(feature, &days, f64::from(total), &mut bursts);
            }
        }
        bursts.sort_by(|one, other| {
            other
                .strength
                .total_cmp(&one.strength)
                .then(one.feature.cmp(&other.feature))
                .then(one.from.cmp(&other.from))
        });
        bursts.truncate(MOST_BURSTS);
        (bursts, tried.max(1.0).ln().max(LEAST_STRENGTH))
    }
}

/// How much was written at all, up to each day.
struct Calendar {
    days: Vec<(Day, f64)>,
    total: f64,
}

impl Calendar {
    fn new(all: &BTreeMap<Day, u32>) -> Calendar {
        let mut total = 0.0;
        let mut days = Vec::with_capacity(all.len());
        for (day, count) in all {
            total += f64::from(*count);
            days.push((*day, total));
        }
        Calendar { days, total }
    }

    fn weeks(&self) -> f64 {
        let span = self.days.last().zip(self.days.first()).map_or(0, |(last, first)| last.0.0 - first.0.0);
        f64::from(span) / 7.0 + 1.0
    }

    /// Reports from one day to another, both included.
    fn between(&self, from: Day, until: Day) -> f64 {
        let before = |count: usize| match count.checked_sub(1) {
            Some(last) => self.days.get(last).map_or(self.total, |(_, sum)| *sum),
            None => 0.0,
        };
        let upto = self.days.partition_point(|(day, _)| *day <= until);
        before(upto) - before(self.days.partition_point(|(day, _)| *day < from))
    }

    /// Puts the bursts of a feature, on these days of it, into `bursts`.
    fn search(&self, feature: Feature, days: &[(Day, u32)], total: f64, bursts: &mut Vec<Burst>) {
        let mut best: Option<(usize, usize, f64, u32)> = None;
        for (first, (from, _)) in days.iter().enumerate() {
            let mut inside = 0;
            for (last, (until, count)) in days.iter().enumerate().skip(first) {
                if until.0 - from.0 > LONGEST_DAYS {
                    break;
                }
                inside += count;
                if inside < FEWEST_REPORTS {
                    continue;
                }
                let strength = self.strength(f64::from(inside), total, *from, *until);
                if strength >= LEAST_STRENGTH && best.is_none_or(|best| strength > best.2) {
                    best = Some((first, last, strength, inside));
                }
            }
        }
        let Some((first, last, strength, reports)) = best else { return };
        if let (Some((from, _)), Some((until, _))) = (days.get(first), days.get(last)) {
            bursts.push(Burst { feature, from: *from, until: *until, reports, strength });
            self.search(feature, days.get(..first).unwrap_or_default(), total, bursts);
            self.search(feature, days.get(last + 1..).unwrap_or_default(), total, bursts);
        }
    }

    fn strength(&self, inside: f64, total: f64, from: Day, until: Day) -> f64 {
        let expected = total * self.between(from, until) / self.total;
        if inside <= expected {
            return 0.0;
        }
        let part =
            |count: f64, expected: f64| if count > 0.0 { count * (count / expected).ln() } else { 0.0 };
        part(inside, expected) + part(total - inside, total - expected)
    }
}
