//! What sites tell alike: they name the same day, and begin with the same words that few others have. A burst has three reports;
//! where sites agree on so much, two are enough.
//!
//! How much two must share is read from the archive itself: reports of days that lie far apart share things too, by chance or
//! because the same people are written about. Two that name the same day must share so much more that hardly any of what is
//! found would be found among those.

use std::collections::{BTreeMap, BTreeSet};

use super::Draft;
use super::bursts::Burst;
use super::features::{Feature, Lead, NEAR_DAYS, Report};
use super::joining::Known;
use crate::offline::{Day, Vocabulary};

/// Beginnings that are kept. Where there are more, what happens has more than two reports.
const MOST: usize = 200_000;
/// Reports of a day that have a term: where there are more, it is found as a burst.
const FEW: usize = 8;
/// Pairs of reports of other days that are compared, and with how many each at most.
const COMPARED: usize = 400_000;
const COMPARED_WITH: usize = 200;
/// Of the pairs that are found, that chance may have made.
const BY_CHANCE: f64 = 0.05;
/// Terms that two must share, whatever they are worth.
const FEWEST_SHARED: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Agreeing {
    reports: Vec<(Known, Lead)>,
}

impl Agreeing {
    pub(super) fn add(&mut self, report: &Report) {
        let Some(day) = report.day else { return };
        if self.reports.len() < MOST && !report.lead.days.is_empty() {
            let Report { site, thread, .. } = *report;
            let known = Known { writings: report.writings.clone(), day: Some(day), site, thread };
            self.reports.push((known, report.lead.clone()));
        }
    }

    /// What two sites or more tell alike.
    pub(super) fn drafts(&self, vocabulary: &Vocabulary) -> Vec<Draft> {
        let mut of_day: BTreeMap<Day, Vec<u32>> = BTreeMap::new();
        for (number, (_, lead)) in (0..).zip(&self.reports) {
            lead.days.iter().for_each(|day| of_day.entry(*day).or_default().push(number));
        }
        let tried = of_day.values().map(|reports| (reports.len() * (reports.len() - 1) / 2) as f64).sum();
        let pairs: Vec<Vec<Pair>> =
            of_day.into_values().map(|reports| self.pairs(&reports, vocabulary)).collect();
        let found = pairs.iter().flatten().map(|pair| pair.worth).collect();
        let enough = enough(found, self.by_chance(vocabulary), tried);
        let of_day = pairs.iter().map(|pairs| pairs.iter().filter(|pair| pair.worth >= enough));
        of_day.flat_map(groups).filter_map(|group| self.draft(&group, vocabulary)).collect()
    }

    /// Of reports that name the same day, those of two sites that share a term which few of them have.
    fn pairs(&self, reports: &[u32], vocabulary: &Vocabulary) -> Vec<Pair> {
        let report = |number: u32| self.reports.get(number as usize);
        let mut with: BTreeMap<Feature, Vec<u32>> = BTreeMap::new();
        for number in reports {
            let terms = report(*number).map(|(_, lead)| lead.terms.as_slice()).unwrap_or_default();
            terms.iter().for_each(|term| with.entry(*term).or_default().push(*number));
        }
        let mut found: BTreeSet<(u32, u32)> = BTreeSet::new();
        for reports in with.values().filter(|reports| reports.len() <= FEW) {
            for (place, one) in reports.iter().enumerate() {
                found.extend(reports.iter().skip(place + 1).map(|other| (*one, *other)));
            }
        }
        let pair = |(one, other): (u32, u32)| {
            let ((known, lead), (others, other_lead)) = (report(one)?, report(other)?);
            let shared = shared(lead, other_lead);
            let counts = known.site != others.site && shared.len() >= FEWEST_SHARED;
            counts.then(|| Pair { one, other, worth: worth(&shared, vocabulary) })
        };
        found.into_iter().filter_map(pair).collect()
    }

    /// What reports of two sites share that are about days far apart.
    fn by_chance(&self, vocabulary: &Vocabulary) -> Vec<f64> {
        let count = self.reports.len();
        let each = (COMPARED / count.max(1)).clamp(1, COMPARED_WITH).min(count.saturating_sub(1));
        // Over the whole archive: neighbours are of the same site.
        let stride = (count / (each + 1)).max(1);
        let mut worths = Vec::new();
        for (place, (known, lead)) in self.reports.iter().enumerate() {
            let others = (1..=each).filter_map(|step| self.reports.get((place + step * stride) % count));
            for (other, other_lead) in others {
                let away = known.day.zip(other.day).map_or(0, |(one, other)| (one.0 - other.0).abs());
                if away > 2 * NEAR_DAYS
                    && known.site != other.site
                    && lead.language() == other_lead.language()
                {
                    worths.push(worth(&shared(lead, other_lead), vocabulary));
                }
            }
        }
        worths
    }

    fn draft(&self, group: &BTreeSet<u32>, vocabulary: &Vocabulary) -> Option<Draft> {
        let reports: Vec<&(Known, Lead)> =
            group.iter().filter_map(|number| self.reports.get(*number as usize)).collect();
        let mut days: Vec<Day> = reports.iter().filter_map(|(known, _)| known.day).collect();
        days.sort_unstable();
        let (from, until) = (*days.first()?, *days.last()?);
        let mut counts: BTreeMap<Feature, u32> = BTreeMap::new();
        for (_, lead) in &reports {
            lead.terms.iter().for_each(|term| *counts.entry(*term).or_default() += 1);
        }
        let mut bursts: Vec<Burst> = counts
            .into_iter()
            .filter(|(_, count)| *count >= 2)
            .map(|(feature, reports)| Burst {
                feature,
                from,
                until,
                reports,
                strength: f64::from(reports) * said_by(feature, vocabulary),
            })
            .collect();
        bursts.sort_by(|one, other| {
            other.strength.total_cmp(&one.strength).then(one.feature.cmp(&other.feature))
        });
        let writings = reports.iter().flat_map(|(known, _)| &known.writings).map(|writing| (*writing, 1.0));
        let mut draft = Draft {
            bursts,
            from,
            until,
            writings: writings.collect(),
            reports: u32::try_from(reports.len()).unwrap_or(u32::MAX),
            threads: reports.iter().map(|(known, _)| known.thread).collect(),
            sites: reports.iter().map(|(known, _)| known.site).collect(),
            confidence: 0.0,
        };
        draft.weigh();
        Some(draft)
    }
}

/// Two reports by number, and how much what they share says.
#[derive(Debug)]
struct Pair {
    one: u32,
    other: u32,
    worth: f64,
}

/// How much two must share that hardly any who do would by chance. `tried`: how many pairs name the same day.
fn enough(mut found: Vec<f64>, mut by_chance: Vec<f64>, tried: f64) -> f64 {
    found.sort_by(|one, other| other.total_cmp(one));
    by_chance.sort_by(|one, other| other.total_cmp(one));
    let compared = (by_chance.len() + 1) as f64;
    let mut enough = f64::INFINITY;
    for (count, worth) in (1_u32..).zip(&found) {
        // One more than were seen: where few were compared, little is known.
        let as_much = (by_chance.partition_point(|chance| chance >= worth) + 1) as f64;
        if tried * as_much / compared <= BY_CHANCE * f64::from(count) {
            enough = *worth;
        }
    }
    enough
}

/// Those who are found together, one with another.
fn groups<'p>(pairs: impl Iterator<Item = &'p Pair>) -> Vec<BTreeSet<u32>> {
    let mut groups: Vec<BTreeSet<u32>> = Vec::new();
    for pair in pairs {
        let (with, mut rest): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.contains(&pair.one) || group.contains(&pair.other));
        rest.push(with.into_iter().flatten().chain([pair.one, pair.other]).collect());
        groups = rest;
    }
    groups
}

/// The terms that both begin with. They are in order.
fn shared(one: &Lead, other: &Lead) -> Vec<Feature> {
    one.terms.iter().filter(|term| other.terms.binary_search(term).is_ok()).copied().collect()
}

/// What words say together. Pairs of words say nothing that their words do not.
fn worth(terms: &[Feature], vocabulary: &Vocabulary) -> f64 {
    let is_word = |feature: &&Feature| match feature {
        Feature::Term(language, place) => {
            let words = vocabulary.languages.values().nth(usize::from(*language));
            words.and_then(|words| words.get(*place)).is_some_and(|term| !term.is_pair())
        }
        feature => matches!(feature, Feature::Rare(..)),
    };
    terms.iter().filter(is_word).map(|term| said_by(*term, vocabulary)).sum()
}

fn said_by(feature: Feature, vocabulary: &Vocabulary) -> f64 {
    let (Feature::Term(language, _) | Feature::Rare(language, _)) = feature else { return 0.0 };
    let Some(words) = vocabulary.languages.values().nth(usize::from(language)) else { return 0.0 };
    match feature {
        Feature::Term(_, place) => f64::from(words.idf(place)),
        _ => f64::from(words.idf_of_others()),
    }
}
