//! What happened, as the writings of an archive report it: names, words and days that were suddenly written about, joined
//! where they share time and reports. (`events` is about crawls for an event that is known beforehand.)
//!
//! - `features`: what may be written about, and the reports that have it; `mentioned`: days that a text names
//! - `bursts`: when something was written about more than at other times; `joining`: which bursts belong together
//! - `agreeing`: what two sites tell alike, which is too little for a burst
//! - `same`: the same in other words or another language; `telling`: title and days, in the words of the reports

mod agreeing;
mod bursts;
mod features;
mod joining;
mod mentioned;
mod same;
mod telling;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::{Corpus, CorpusError, Day, Named, StudyWatch, Vocabulary};
use agreeing::Agreeing;
use bursts::{Burst, FEWEST_REPORTS, Series};
use features::{Feature, names_of};
use joining::{Joined, Postings};
use telling::Tale;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Happening {
    /// A title or a sentence of those who report it.
    pub title: String,
    /// First and last day of what happened, as the reports tell it, else when most was written about it.
    pub from: Day,
    pub until: Day,
    /// Whether the reports name its days.
    pub dated: bool,
    /// First and last day on which much was written about it.
    pub reported_from: Day,
    pub reported_until: Day,
    /// Words as people write them, the most telling first.
    pub terms: Vec<(String, f32)>,
    /// Names that appear with it, by number, and in which share of its reports.
    pub names: Vec<(u32, f32)>,
    /// The number of a writing in the corpus and how much it is about this, from 0 to 1. The best first.
    pub writings: Vec<(u32, f32)>,
    /// How many sites report it.
    pub sites: u32,
    pub confidence: f32,
}

/// A report must have this share of what the best report has of its bursts.
const ABOUT: f64 = 0.35;
/// The same for one without a date.
const PLAINLY_ABOUT: f64 = 0.5;
const TERMS: usize = 8;
const NAMES: usize = 8;
/// Of the reports with a name that goes with a happening.
const OFTEN: f32 = 0.3;
const LEAST_CONFIDENCE: f32 = 0.5;
/// Where nobody says when it was, it may be no happening.
const UNDATED: f32 = 0.8;
/// What is left of the doubt with every further site that names the same days.
const DOUBT_LEFT: f32 = 0.5;

/// Finds what happened. `named`: the entities of the corpus.
pub fn happenings(
    corpus: &Corpus,
    vocabulary: &Vocabulary,
    named: &Named,
    watch: &dyn StudyWatch,
) -> Result<Vec<Happening>, CorpusError> {
    watch.begin("events: counting by day", corpus.len());
    let mut series = Series::default();
    let mut sites = HashSet::new();
    features::reports(corpus, vocabulary, named, watch, |report| {
        sites.insert(report.site);
        series.add(&report);
    })?;
    let (bursts, sure) = series.bursts();
    watch.begin("events: who reports them", corpus.len());
    let mut postings = Postings::new(&bursts);
    let mut agreeing = Agreeing::default();
    features::reports(corpus, vocabulary, named, watch, |report| {
        agreeing.add(&report);
        postings.add(report);
    })?;
    let needed = Needed { strength: sure, sites: sites.len().min(2) };
    let joined = postings.join();
    let drafts = joined.iter().filter_map(|joined| Draft::of(joined, &postings, &bursts, &needed));
    let drafts = drafts.chain(agreeing.drafts(vocabulary)).collect();
    let drafts = same::joined(drafts, vocabulary, named);
    let mut tales: Vec<Tale> = drafts.iter().map(|draft| Tale::new(draft.bursts.iter())).collect();
    let mut reporting: HashMap<u32, Vec<(usize, f64)>> = HashMap::new();
    for (number, draft) in drafts.iter().enumerate() {
        for (writing, weight) in &draft.writings {
            reporting.entry(*writing).or_default().push((number, f64::from(*weight)));
        }
    }
    watch.begin("events: their days and titles", corpus.len());
    telling::tell(corpus, vocabulary, &mut tales, &reporting, watch)?;
    let found: Vec<Happening> = drafts
        .into_iter()
        .zip(tales)
        .filter(|(_, tale)| tale.is_reported())
        .map(|(draft, tale)| draft.told(tale, vocabulary, named))
        .filter(|told| told.confidence >= LEAST_CONFIDENCE)
        .collect();
    let mut found = same::dated_alike(found);
    found.sort_by(|one, other| one.from.cmp(&other.from).then(other.confidence.total_cmp(&one.confidence)));
    Ok(found)
}

/// What makes a happening of bursts: the strongest of them, and how many sites.
struct Needed {
    strength: f64,
    sites: usize,
}

/// A happening that nobody has told yet.
#[derive(Debug)]
struct Draft {
    bursts: Vec<Burst>,
    from: Day,
    until: Day,
    writings: Vec<(u32, f32)>,
    reports: u32,
    /// Where they stand. Whoever answers in a thread reports nothing new: only these count as witnesses.
    threads: HashSet<u64>,
    sites: HashSet<u64>,
    confidence: f32,
}

impl Draft {
    fn of(joined: &Joined, postings: &Postings<'_>, all: &[Burst], needed: &Needed) -> Option<Draft> {
        let bursts: Vec<Burst> =
            joined.bursts.iter().filter_map(|number| all.get(*number as usize)).copied().collect();
        let best = joined.reports.values().copied().fold(0.0, f64::max);
        let mut writings = Vec::new();
        let (mut sites, mut threads, mut days) = (HashSet::new(), HashSet::new(), Vec::new());
        let mut reports = 0;
        for (number, strength) in &joined.reports {
            let share = strength / best;
            if share < ABOUT {
                continue;
            }
            let report = postings.report(*number)?;
            // Without a date, only what is plainly about the same.
            if report.day.is_none() && share < PLAINLY_ABOUT {
                continue;
            }
            reports += 1;
            sites.insert(report.site);
            threads.insert(report.thread);
            days.extend(report.day);
            writings.extend(report.writings.iter().map(|writing| (*writing, share as f32)));
        }
        writings.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        days.sort_unstable();
        // Several words of one phrase are one thing to be written about.
        let is_alone =
            bursts.len() < 2 && !bursts.iter().any(|burst| matches!(burst.feature, Feature::Name(_)));
        let strength = bursts.first()?.strength;
        let is_reported = threads.len() >= FEWEST_REPORTS as usize && sites.len() >= needed.sites;
        if !is_reported || is_alone || strength < needed.strength {
            return None;
        }
        let (from, until) = (*days.first()?, *days.last()?);
        let mut draft = Draft { bursts, from, until, writings, reports, threads, sites, confidence: 0.0 };
        draft.weigh();
        // Who names its days is not known yet.
        (surer(draft.confidence, draft.sites.len()) >= LEAST_CONFIDENCE).then_some(draft)
    }

    fn weigh(&mut self) {
        let much = |count: f64, half: f64| 1.0 - 0.5_f64.powf(count / half);
        let strength = self.bursts.first().map_or(0.0, |burst| burst.strength);
        let confidence = much(self.threads.len() as f64, 2.0)
            * much(self.sites.len() as f64, 1.0)
            * much(strength, 6.0)
            * much(self.bursts.len() as f64, 1.0);
        self.confidence = confidence as f32;
    }

    fn told(self, tale: Tale, vocabulary: &Vocabulary, named: &Named) -> Happening {
        let days = tale.days();
        // The days of its strongest burst, where nobody names them.
        let densest = self.bursts.first().map_or((self.from, self.until), |burst| (burst.from, burst.until));
        let (from, until) = days.unwrap_or(densest);
        Happening {
            names: self.names(named),
            terms: self.terms(vocabulary),
            title: tale.title(),
            from,
            until,
            dated: days.is_some(),
            reported_from: self.from,
            reported_until: self.until,
            writings: self.writings,
            sites: u32::try_from(self.sites.len()).unwrap_or(u32::MAX),
            confidence: days
                .map_or(self.confidence * UNDATED, |days| surer(self.confidence, tale.sites_naming(days))),
        }
    }

    fn terms(&self, vocabulary: &Vocabulary) -> Vec<(String, f32)> {
        let most = self.bursts.first().map_or(1.0, |burst| burst.strength);
        let mut terms: Vec<(String, f32)> = Vec::new();
        for burst in &self.bursts {
            let Feature::Term(language, place) = burst.feature else { continue };
            let words = vocabulary.languages.values().nth(usize::from(language));
            let Some(term) = words.and_then(|words| words.get(place)) else { continue };
            let surface = term.surface.to_string();
            let is_new =
                !terms.iter().any(|(known, _)| known.contains(&surface) || surface.contains(known.as_str()));
            if is_new && terms.len() < TERMS {
                terms.push((surface, (burst.strength / most) as f32));
            }
        }
        terms
    }

    fn names(&self, named: &Named) -> Vec<(u32, f32)> {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for (writing, _) in &self.writings {
            names_of(named, *writing).for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let share = |count: u32| (count as f32 / self.reports.max(1) as f32).min(1.0);
        let mut names: Vec<(u32, f32)> =
            counts.into_iter().map(|(name, count)| (name, share(count))).collect();
        names.retain(|(_, share)| *share >= OFTEN);
        names.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        names.truncate(NAMES);
        names
    }
}

/// What is believed of something when so many sites agree on its days: few reports are enough where they do.
fn surer(confidence: f32, sites: usize) -> f32 {
    let further = i32::try_from(sites.saturating_sub(1)).unwrap_or(i32::MAX);
    1.0 - (1.0 - confidence) * DOUBT_LEFT.powi(further)
}

#[cfg(test)]
mod tests;
