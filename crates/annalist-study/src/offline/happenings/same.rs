//! Happenings that are one: the same writings report them, or at the same time the same names and words stand for them, as when
//! they are told in several languages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Draft, Happening};
use crate::offline::{Named, Vocabulary};

/// Of the smaller of two, what they must share.
const SAME_WRITINGS: f32 = 0.5;
const SAME_WORDS: f32 = 0.4;
const FEWEST_WORDS: usize = 2;
/// Days between the strongest bursts of both.
const NEAR_DAYS: i32 = 5;

/// The surest first, each with what is the same.
pub(super) fn joined(mut drafts: Vec<Draft>, vocabulary: &Vocabulary, named: &Named) -> Vec<Draft> {
    drafts.sort_by(|one, other| other.confidence.total_cmp(&one.confidence).then(one.from.cmp(&other.from)));
    let mut kept: Vec<(Draft, BTreeSet<String>)> = Vec::new();
    let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
    for draft in drafts {
        let words = words(&draft, vocabulary, named);
        let mut shared: BTreeMap<usize, f32> = BTreeMap::new();
        for (writing, _) in &draft.writings {
            for place in places.get(writing).map(Vec::as_slice).unwrap_or_default() {
                *shared.entry(*place).or_default() += 1.0;
            }
        }
        let same = kept.iter().enumerate().position(|(place, (other, others))| {
            let shared = shared.get(&place).copied().unwrap_or_default();
            let fewer = draft.writings.len().min(other.writings.len()) as f32;
            shared >= SAME_WRITINGS * fewer || (near(&draft, other) && alike(&words, others))
        });
        let place = same.unwrap_or(kept.len());
        draft.writings.iter().for_each(|(writing, _)| places.entry(*writing).or_default().push(place));
        match kept.get_mut(place) {
            Some((other, others)) => {
                other.absorb(draft);
                others.extend(words);
            }
            None => kept.push((draft, words)),
        }
    }
    kept.into_iter().map(|(draft, _)| draft).collect()
}

/// What is announced long before and reported long after is the same where it has the same days.
pub(super) fn dated_alike(found: Vec<Happening>) -> Vec<Happening> {
    let mut kept: Vec<Happening> = Vec::new();
    for one in found {
        let words = |happening: &Happening| -> BTreeSet<String> {
            let terms = happening.terms.iter().map(|(term, _)| term);
            terms.flat_map(|term| term.split(' ').map(str::to_lowercase).collect::<Vec<_>>()).collect()
        };
        let same = kept.iter_mut().find(|other| {
            other.dated
                && one.dated
                && (other.from, other.until) == (one.from, one.until)
                && alike(&words(other), &words(&one))
        });
        match same {
            Some(other) => {
                let known: BTreeSet<u32> = other.writings.iter().map(|(writing, _)| *writing).collect();
                other
                    .writings
                    .extend(one.writings.into_iter().filter(|(writing, _)| !known.contains(writing)));
                other.writings.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
                other.sites = other.sites.max(one.sites);
                other.reported_from = other.reported_from.min(one.reported_from);
                other.reported_until = other.reported_until.max(one.reported_until);
            }
            None => kept.push(one),
        }
    }
    kept
}

fn near(one: &Draft, other: &Draft) -> bool {
    let span = |draft: &Draft| {
        draft.bursts.first().map_or((draft.from, draft.until), |burst| (burst.from, burst.until))
    };
    let (one, other) = (span(one), span(other));
    one.0 <= other.1.plus(NEAR_DAYS) && other.0 <= one.1.plus(NEAR_DAYS)
}

fn alike(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let shared = one.intersection(other).count();
    shared >= FEWEST_WORDS && shared as f32 >= SAME_WORDS * one.len().min(other.len()) as f32
}

/// What stands for it, in small letters.
fn words(draft: &Draft, vocabulary: &Vocabulary, named: &Named) -> BTreeSet<String> {
    let names =
        draft.names(named).into_iter().filter_map(|(name, _)| named.names.get(name as usize).cloned());
    let terms = draft.terms(vocabulary).into_iter().map(|(term, _)| term);
    names.chain(terms).flat_map(|name| name.split(' ').map(str::to_lowercase).collect::<Vec<_>>()).collect()
}

impl Draft {
    fn absorb(&mut self, other: Draft) {
        let known: BTreeSet<u32> = self.writings.iter().map(|(writing, _)| *writing).collect();
        let new = other.writings.into_iter().filter(|(writing, _)| !known.contains(writing));
        let before = self.writings.len();
        self.writings.extend(new);
        self.writings.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        self.reports += u32::try_from(self.writings.len() - before).unwrap_or_default();
        self.threads.extend(other.threads);
        self.sites.extend(other.sites);
        self.from = self.from.min(other.from);
        self.until = self.until.max(other.until);
        self.bursts.extend(other.bursts);
        self.weigh();
    }
}
