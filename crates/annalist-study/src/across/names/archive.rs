//! When names were written: which of them fall silent, which begin, and which pairs of both meet in time and stand beside the
//! same names.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::{Met, key};
use super::{cosine, is_of, own_words, shared, weight};
use crate::offline::{Corpus, CorpusError, Day, Named, StudyWatch};

/// A name in fewer writings may be silent by chance.
const FEWEST_WRITINGS: usize = 3;
/// Of the mentions of the old name that must be before the change, and of the new name behind it.
const ON_ITS_SIDE: f32 = 0.75;
/// The same for both at once where one name is a part of the other.
const ON_ITS_SIDE_OF_ITS_PARTS: f32 = 0.95;
/// Of all writings, that must be on each side.
const LEAST_OF_ALL: f32 = 0.05;
/// How alike the names around both must be, where no writing has both.
const LEAST_ALIKE: f32 = 0.2;
const MOST_NAMES: usize = 3000;

/// When everything was written, and which names are in it. Writings have numbers over all corpora, each once. Those without a date
/// may say that a name changed, and nothing about when.
pub(super) struct Archive {
    days: Vec<Option<Day>>,
    pub(super) names: Vec<Vec<u32>>,
    /// All days in order.
    sorted: Vec<Day>,
    /// By name: the numbers of dated writings with it, in the order of time.
    with: HashMap<u32, Vec<u32>>,
    /// The same of those without a date.
    undated: HashMap<u32, Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) before: u32,
    pub(super) after: u32,
    /// The last day before the change with the old name alone, and the first with the new one.
    pub(super) old_until: Day,
    pub(super) new_from: Day,
    /// Which share of both names is on its side.
    pub(super) fits: f32,
    /// How much likelier that is if the name changed than if both came by chance; the logarithm.
    pub(super) sharp: f32,
    /// How alike the names are that stand beside both.
    pub(super) names: f32,
}

impl Archive {
    pub(super) fn of(
        corpora: &[Corpus],
        named: &[Named],
        watch: &dyn StudyWatch,
    ) -> Result<Archive, CorpusError> {
        let mut archive = Archive {
            days: Vec::new(),
            names: Vec::new(),
            sorted: Vec::new(),
            with: HashMap::new(),
            undated: HashMap::new(),
        };
        let mut met = Met::default();
        for (corpus, named) in corpora.iter().zip(named) {
            let mut number = 0_u32;
            let mut mentions = named.mentions.iter().peekable();
            corpus.fold(
                Vec::new,
                |some: &mut Vec<(u64, Option<Day>)>, writing| some.push((key(&writing.id), writing.day())),
                |some| {
                    for (id, day) in some {
                        let mut names = Vec::new();
                        while let Some((_, name)) = mentions.next_if(|(writing, _)| *writing <= number) {
                            names.push(*name);
                        }
                        number += 1;
                        if met.is_new(id) {
                            archive.add(day, names);
                        }
                    }
                },
                watch,
            )?;
        }
        archive.sorted = archive.days.iter().copied().flatten().collect();
        archive.sorted.sort_unstable();
        let days = &archive.days;
        for with in archive.with.values_mut() {
            with.sort_by_key(|writing| days.get(*writing as usize).copied().flatten());
        }
        Ok(archive)
    }

    fn add(&mut self, day: Option<Day>, names: Vec<u32>) {
        let number = u32::try_from(self.days.len()).unwrap_or(u32::MAX);
        let with = if day.is_some() { &mut self.with } else { &mut self.undated };
        names.iter().for_each(|name| with.entry(*name).or_default().push(number));
        self.days.push(day);
        self.names.push(names);
    }

    /// Of one with a date.
    fn day(&self, writing: u32) -> Day {
        self.days.get(writing as usize).copied().flatten().unwrap_or_default()
    }

    pub(super) fn is_dated(&self, writing: u32) -> bool {
        self.days.get(writing as usize).is_some_and(Option::is_some)
    }

    /// How many have a date.
    pub(super) fn writings(&self) -> usize {
        self.sorted.len()
    }

    /// All writings with both names, those with a date first.
    pub(super) fn with_both(&self, one: u32, other: u32) -> Vec<u32> {
        let all =
            |name: u32| self.with(name).iter().chain(self.undated.get(&name).into_iter().flatten()).copied();
        let of_one: HashSet<u32> = all(one).collect();
        all(other).filter(|writing| of_one.contains(writing)).collect()
    }

    /// The writings with a name and a date, in the order of time.
    pub(super) fn with(&self, name: u32) -> &[u32] {
        self.with.get(&name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Which share of all writings is from before a day.
    fn share_before(&self, day: Day) -> f32 {
        self.sorted.partition_point(|other| *other < day) as f32 / self.sorted.len().max(1) as f32
    }

    /// The day at which a share of a name's mentions is over.
    fn quantile(&self, name: u32, share: f32) -> Day {
        let with = self.with(name);
        let place = ((with.len() as f32 * share) as usize).min(with.len().saturating_sub(1));
        with.get(place).map_or(Day::default(), |writing| self.day(*writing))
    }

    /// Pairs of names that meet in time, and stand beside the same names or together.
    pub(super) fn pairs(
        &self,
        neighbours: &mut Neighbours<'_>,
        names: &[String],
        watch: &dyn StudyWatch,
    ) -> Result<Vec<Pair>, CorpusError> {
        let mut frequent: Vec<u32> = self
            .with
            .iter()
            .filter(|(_, with)| with.len() >= FEWEST_WRITINGS)
            .map(|(name, _)| *name)
            .collect();
        frequent.sort_by_key(|name| (std::cmp::Reverse(self.with(*name).len()), *name));
        // The days at which most of it is over, or begins.
        let end = |name: u32| self.quantile(name, ON_ITS_SIDE);
        let beginning = |name: u32| self.quantile(name, 1.0 - ON_ITS_SIDE);
        let silent = |name: &u32| self.is_uneven(*name, self.share_before(end(*name).plus(1)));
        let fresh = |name: &u32| self.is_uneven(*name, 1.0 - self.share_before(beginning(*name)));
        let old: Vec<u32> = frequent.iter().copied().filter(silent).take(MOST_NAMES).collect();
        let new: Vec<(u32, Day)> = frequent
            .iter()
            .copied()
            .filter(fresh)
            .take(MOST_NAMES)
            .map(|name| (name, self.quantile(name, 0.5)))
            .collect();
        let mut pairs = Vec::new();
        for before in old {
            if watch.is_stopped() {
                return Err(CorpusError::Stopped);
            }
            let middle = self.quantile(before, 0.5);
            for (after, _) in new.iter().filter(|(after, its)| *after != before && middle < *its) {
                let Some(pair) = self.pair(before, *after) else { continue };
                if is_same_name(&pair, names) {
                    continue;
                }
                let (alike, meet) = neighbours.alike(before, *after);
                if meet || alike >= LEAST_ALIKE {
                    pairs.push(Pair { names: alike, ..pair });
                }
            }
        }
        Ok(pairs)
    }

    /// Whether so many mentions lie in this share of the archive that the rest is silence.
    fn is_uneven(&self, name: u32, share: f32) -> bool {
        let expected = self.with(name).len() as f32 * (1.0 - share);
        1.0 - share >= LEAST_OF_ALL && (expected >= 2.0 || share < 0.5)
    }

    /// The day on which most of the one is over and most of the other comes.
    fn pair(&self, before: u32, after: u32) -> Option<Pair> {
        let new = self.with(after);
        // Who has the new name and the old one explains it, as people do long after the change.
        let place = |writing: u32| (self.day(writing), writing);
        let explains =
            |writing: u32| new.binary_search_by_key(&place(writing), |other| place(*other)).is_ok();
        let old = self.with(before).iter().filter(|writing| !explains(**writing));
        let old: Vec<Day> = old.map(|writing| self.day(*writing)).collect();
        let (many, others) = (old.len().max(1) as f32, new.len().max(1) as f32);
        let mut best: Option<(usize, Day, f32)> = None;
        for (come, writing) in new.iter().enumerate() {
            let day = self.day(*writing);
            let come = 1.0 - come as f32 / others;
            if come < ON_ITS_SIDE {
                break;
            }
            let over = old.partition_point(|other| *other < day);
            let gone = over as f32 / many;
            if gone >= ON_ITS_SIDE && best.is_none_or(|(_, _, fits)| gone * come > fits) {
                best = Some((over, day, gone * come));
            }
        }
        let (over, new_from, fits) = best?;
        let old_until = *old.get(over.checked_sub(1)?)?;
        let share = self.share_before(new_from);
        let sharp = -many * share.ln() - others * (1.0 - share).ln();
        let is_within = (LEAST_OF_ALL..=1.0 - LEAST_OF_ALL).contains(&share);
        is_within.then_some(Pair { before, after, old_until, new_from, fits, sharp, names: 0.0 })
    }
}

/// Another form of the same name is no change. Who is called by a part of the name, or by more than it, is so called at any
/// time: only where the one form ends when the other begins did the name grow or shrink. A number that is new is that of a year.
fn is_same_name(pair: &Pair, names: &[String]) -> bool {
    let name = |number: u32| names.get(number as usize).map(|name| name.to_lowercase()).unwrap_or_default();
    let (one, other) = (name(pair.before), name(pair.after));
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if !long.contains(&short) {
        return false;
    }
    let rest = format!(" {long} ").replacen(&format!(" {short} "), " ", 1);
    let mut more = rest.split_whitespace();
    let is_longer = rest.len() < long.len() + 2 && more.any(|word| word.chars().all(char::is_alphabetic));
    !is_longer || pair.fits < ON_ITS_SIDE_OF_ITS_PARTS
}

/// The names that stand beside others, and in how many writings.
pub(super) struct Neighbours<'a> {
    archive: &'a Archive,
    names: &'a [String],
    beside: HashMap<u32, BTreeMap<u32, u32>>,
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(archive: &'a Archive, names: &'a [String]) -> Neighbours<'a> {
        Neighbours { archive, names, beside: HashMap::new() }
    }

    /// How alike the names beside both are, from 0 to 1, and whether any writing has both.
    fn alike(&mut self, one: u32, other: u32) -> (f32, bool) {
        self.count(one);
        self.count(other);
        let meet = self.beside.get(&one).is_some_and(|beside| beside.contains_key(&other));
        (cosine(&self.weights(one, other), &self.weights(other, one)), meet)
    }

    /// The names that stand beside both, the most telling first.
    pub(super) fn shared(&self, pair: &Pair) -> Vec<String> {
        let shared = shared(&self.weights(pair.before, pair.after), &self.weights(pair.after, pair.before));
        shared.into_iter().filter_map(|name| self.names.get(name as usize)).cloned().collect()
    }

    fn count(&mut self, name: u32) {
        let archive = self.archive;
        self.beside.entry(name).or_insert_with(|| {
            let mut counts = BTreeMap::new();
            for writing in archive.with(name) {
                for other in archive.names.get(*writing as usize).into_iter().flatten() {
                    *counts.entry(*other).or_default() += 1;
                }
            }
            counts.remove(&name);
            counts
        });
    }

    /// How much it says what stands beside a name, where it may be another.
    fn weights(&self, name: u32, other: u32) -> BTreeMap<u32, f32> {
        let own = own_words([name, other], self.names);
        let of_it = |beside: &u32| {
            *beside == other || self.names.get(*beside as usize).is_none_or(|name| is_of(name, &own))
        };
        let total = self.archive.with(name).len();
        let weigh = |beside: u32, count: u32| {
            weight(count, total, self.archive.with(beside).len(), self.archive.writings())
        };
        let beside = self.beside.get(&name).into_iter().flatten();
        beside
            .filter(|(beside, count)| **count > 1 && !of_it(beside))
            .map(|(beside, count)| (*beside, weigh(*beside, *count)))
            .collect()
    }
}
