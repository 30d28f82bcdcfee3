//! The pages of a crawl with what is proposed for each, as they stood at one moment.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use annalist_knowledge::Places;
use annalist_model::spec::Event;
use annalist_study::selection::{
    Basis, Candidate, Candidates, Decisions, Proposal, Row, Rules, Verdict, propose, review_list,
};

/// Rows of what a person should look at first.
const MOST_ROWS: usize = 500;
const STRONGEST: usize = 12;

/// The state of the files that a selection is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    candidates: Option<(u64, SystemTime)>,
    rules: Option<(u64, SystemTime)>,
    decisions: Option<(u64, SystemTime)>,
}

impl Stamp {
    pub fn of(job: &Path) -> Stamp {
        let stamp = |path: &Path| {
            let file = std::fs::metadata(path).ok()?;
            Some((file.len(), file.modified().ok()?))
        };
        Stamp {
            candidates: stamp(&Places::of(job).candidates()),
            rules: stamp(&super::rules_file(job)),
            decisions: stamp(&super::decisions_file(job)),
        }
    }

    pub fn has_candidates(&self) -> bool {
        self.candidates.is_some()
    }

    pub fn is_same_but_for_decisions(&self, other: &Stamp) -> bool {
        (&self.candidates, &self.rules) == (&other.candidates, &other.rules)
    }

    /// When pages were last read.
    pub fn read_at(&self) -> Option<annalist_model::Time> {
        let since = self.candidates?.1.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(annalist_model::Time::from_millis(u64::try_from(since.as_millis()).ok()?))
    }
}

/// What was learned from decisions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    pub kept: usize,
    pub dropped: usize,
    /// What speaks for a page, and what against, the strongest first.
    pub reasons_for: Vec<String>,
    pub reasons_against: Vec<String>,
}

#[derive(Debug)]
pub struct Stand {
    pub stamp: Stamp,
    pages: Arc<Vec<Candidate>>,
    places: Arc<HashMap<u64, usize>>,
    list: Vec<Proposal>,
    /// What a person should look at, the most instructive first.
    rows: Vec<Row>,
    pub learned: Option<Learned>,
    pub decisions: usize,
}

/// Which pages are asked for. What is empty does not count.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Only what a person should look at, in that order.
    pub instructive: bool,
    pub verdict: String,
    pub basis: String,
    pub site: String,
    /// Words in address, title or beginning.
    pub words: String,
    pub offset: usize,
    pub limit: usize,
}

/// A page with what is proposed for it.
#[derive(Clone, Copy, Debug)]
pub struct Found<'s> {
    pub page: &'s Candidate,
    pub proposal: &'s Proposal,
    /// How many nearly repeat it; known of those to look at.
    pub alike: usize,
}

fn hash(url: &str) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(url)
}

impl Stand {
    pub fn read(
        job: &Path,
        rules: &Rules,
        decisions: &Decisions,
        event: Option<&Event>,
    ) -> io::Result<Stand> {
        let stamp = Stamp::of(job);
        let candidates = Candidates::open(&Places::of(job).candidates())?;
        let pages = candidates.list().to_vec();
        let proposals = propose(&pages, rules, decisions, event);
        let rows = review_list(&pages, &proposals, MOST_ROWS);
        let learned = proposals.lesson.as_ref().map(|lesson| {
            let strongest = lesson.strongest(STRONGEST);
            let side = |is_for: bool| {
                let side = strongest.iter().filter(|reason| (reason.part > 0.0) == is_for);
                side.map(|reason| reason.text.clone()).collect()
            };
            let (reasons_for, reasons_against) = (side(true), side(false));
            Learned { kept: lesson.kept, dropped: lesson.dropped, reasons_for, reasons_against }
        });
        let places = pages.iter().enumerate().map(|(place, page)| (hash(&page.url), place)).collect();
        let decisions = decisions.by_url.len();
        Ok(Stand {
            stamp,
            pages: Arc::new(pages),
            places: Arc::new(places),
            list: proposals.list,
            rows,
            learned,
            decisions,
        })
    }

    /// The same with what was decided since; what else that teaches is not learned yet.
    pub fn with_decisions(&self, decisions: &Decisions, stamp: Stamp) -> Stand {
        let mut list = self.list.clone();
        for decision in decisions.by_url.values() {
            let place = self.places.get(&hash(&decision.url));
            let Some(proposal) = place.and_then(|place| list.get_mut(*place)) else { continue };
            let verdict = Verdict::from(decision.decision);
            let by = decision.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
            let day: String = decision.when.chars().take(10).collect();
            *proposal = Proposal {
                verdict,
                basis: Basis::Decision,
                probability: if verdict == Verdict::Keep { 1.0 } else { 0.0 },
                why: format!("decided{by} on {day}"),
            };
        }
        let is_open =
            |row: &&Row| list.get(row.place).is_some_and(|proposal| proposal.basis != Basis::Decision);
        let rows = self.rows.iter().filter(is_open).copied().collect();
        Stand {
            stamp,
            pages: Arc::clone(&self.pages),
            places: Arc::clone(&self.places),
            list,
            rows,
            learned: self.learned.clone(),
            decisions: decisions.by_url.len(),
        }
    }

    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// The record of a page that is there.
    pub fn record_of(&self, url: &str) -> Option<&str> {
        let page = self.pages.get(*self.places.get(&hash(url))?)?;
        (page.url == url).then_some(page.record.as_str())
    }

    /// How many pages have each verdict.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts: BTreeMap<&'static str, usize> =
            [Verdict::Keep, Verdict::Drop, Verdict::Review].map(|verdict| (verdict.word(), 0)).into();
        for proposal in &self.list {
            *counts.entry(proposal.verdict.word()).or_default() += 1;
        }
        counts
    }

    /// How many fit, and those of them that are asked for.
    pub fn ask(&self, question: &Question) -> (usize, Vec<Found<'_>>) {
        let at = |place: usize, alike: usize| {
            Some(Found { page: self.pages.get(place)?, proposal: self.list.get(place)?, alike })
        };
        let words: Vec<String> =
            question.words.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let fits = |found: &Found<'_>| {
            let named = |wanted: &str, word: &str| wanted.is_empty() || wanted == word;
            named(&question.verdict, found.proposal.verdict.word())
                && named(&question.basis, found.proposal.basis.word())
                && named(&question.site, &found.page.site)
                && (words.is_empty() || has_all(found.page, &words))
        };
        let found: Vec<Found<'_>> = if question.instructive {
            self.rows.iter().filter_map(|row| at(row.place, row.alike)).filter(fits).collect()
        } else {
            (0..self.pages.len()).filter_map(|place| at(place, 0)).filter(fits).collect()
        };
        let total = found.len();
        (total, found.into_iter().skip(question.offset).take(question.limit).collect())
    }
}

fn has_all(page: &Candidate, words: &[String]) -> bool {
    let text =
        format!("{} {} {}", page.url, page.title.as_deref().unwrap_or_default(), page.snippet).to_lowercase();
    words.iter().all(|word| text.contains(word))
}
