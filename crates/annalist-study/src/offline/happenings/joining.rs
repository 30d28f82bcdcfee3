//! Bursts that belong to the same happening: they overlap in time, and it is the same reports that have them.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::bursts::{Burst, FEWEST_REPORTS};
use super::features::{Feature, Report};
use crate::offline::Day;

/// Announcements and late reports stand beside the days of a burst.
const BESIDE: i32 = 3;
/// Of the smaller of two sets of reports, and of the larger: how many they must share.
const SHARED: f32 = 0.6;
const SHARED_OF_LARGER: f32 = 0.25;
const MOST_OF_A_HAPPENING: usize = 60;

/// A report, without what it says.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) writings: Vec<u32>,
    pub(super) day: Option<Day>,
    pub(super) site: u64,
    pub(super) thread: u64,
}

/// Which reports have which bursts.
#[derive(Debug)]
pub(super) struct Postings<'b> {
    bursts: &'b [Burst],
    of_feature: HashMap<Feature, Vec<u32>>,
    reports: Vec<Known>,
    with_burst: Vec<Vec<u32>>,
}

/// Bursts by number, the strongest first, and reports by number with the strength of the bursts they have.
#[derive(Debug, Default)]
pub(super) struct Joined {
    pub(super) bursts: Vec<u32>,
    pub(super) reports: BTreeMap<u32, f64>,
    from: Day,
    until: Day,
}

impl<'b> Postings<'b> {
    pub(super) fn new(bursts: &'b [Burst]) -> Postings<'b> {
        let mut of_feature: HashMap<Feature, Vec<u32>> = HashMap::new();
        for (number, burst) in (0..).zip(bursts) {
            of_feature.entry(burst.feature).or_default().push(number);
        }
        Postings { bursts, of_feature, reports: Vec::new(), with_burst: vec![Vec::new(); bursts.len()] }
    }

    pub(super) fn add(&mut self, report: Report) {
        let number = u32::try_from(self.reports.len()).unwrap_or(u32::MAX);
        let mut has_any = false;
        for feature in &report.features {
            let bursts = self.of_feature.get(feature).map(Vec::as_slice).unwrap_or_default();
            for burst in bursts {
                let within = self.bursts.get(*burst as usize).is_some_and(|burst| match report.day {
                    Some(day) => burst.from.plus(-BESIDE) <= day && day <= burst.until.plus(BESIDE),
                    // Without a date it can be told where there is but one.
                    None => bursts.len() == 1,
                });
                if let Some(with) = self.with_burst.get_mut(*burst as usize).filter(|_| within) {
                    with.push(number);
                    has_any = true;
                }
            }
        }
        if has_any {
            let Report { writings, day, site, thread, .. } = report;
            self.reports.push(Known { writings, day, site, thread });
        }
    }

    pub(super) fn report(&self, number: u32) -> Option<&Known> {
        self.reports.get(number as usize)
    }

    fn dated(&self, burst: u32) -> Vec<u32> {
        let with = self.with_burst.get(burst as usize).map(Vec::as_slice).unwrap_or_default();
        with.iter()
            .copied()
            .filter(|report| self.report(*report).is_some_and(|known| known.day.is_some()))
            .collect()
    }

    /// Joins all bursts, the strongest first.
    pub(super) fn join(&self) -> Vec<Joined> {
        let mut all: Vec<Joined> = Vec::new();
        // The reports of each, and for each report where it is.
        let mut cores: Vec<HashSet<u32>> = Vec::new();
        let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
        // Days come last: what happens on the same day is not the same.
        let (days, others): (Vec<_>, Vec<_>) =
            (0_u32..).zip(self.bursts).partition(|(_, burst)| matches!(burst.feature, Feature::Day(_)));
        for (number, burst) in others.into_iter().chain(days) {
            let with = self.dated(number);
            let mut shared: BTreeMap<usize, u32> = BTreeMap::new();
            for report in &with {
                for place in places.get(report).map(Vec::as_slice).unwrap_or_default() {
                    *shared.entry(*place).or_default() += 1;
                }
            }
            let fits = |place: usize, shared: u32| {
                let (one, other) = (with.len() as f32, cores.get(place).map_or(0, HashSet::len) as f32);
                let shared = shared as f32;
                let overlaps = all.get(place).is_some_and(|joined| {
                    burst.from <= joined.until.plus(BESIDE) && joined.from <= burst.until.plus(BESIDE)
                });
                overlaps
                    && shared >= FEWEST_REPORTS as f32
                    && shared >= SHARED * one.min(other)
                    && shared >= SHARED_OF_LARGER * one.max(other)
            };
            let best = shared
                .into_iter()
                .filter(|(place, shared)| fits(*place, *shared))
                .max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)));
            match best {
                Some((place, _)) => {
                    if let Some(joined) =
                        all.get_mut(place).filter(|joined| joined.bursts.len() < MOST_OF_A_HAPPENING)
                    {
                        joined.bursts.push(number);
                    }
                }
                None => {
                    let place = all.len();
                    with.iter().for_each(|report| places.entry(*report).or_default().push(place));
                    cores.push(with.into_iter().collect());
                    all.push(Joined {
                        bursts: vec![number],
                        from: burst.from,
                        until: burst.until,
                        ..Joined::default()
                    });
                }
            }
        }
        all.into_iter().map(|joined| self.weighed(joined)).collect()
    }

    /// The reports of a happening, by how many of its bursts they have.
    fn weighed(&self, mut joined: Joined) -> Joined {
        for number in &joined.bursts {
            let strength = self.bursts.get(*number as usize).map_or(0.0, |burst| burst.strength);
            for report in self.with_burst.get(*number as usize).map(Vec::as_slice).unwrap_or_default() {
                *joined.reports.entry(*report).or_default() += strength;
            }
        }
        joined
    }
}
