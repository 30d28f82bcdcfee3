//! All crawls of a study, on all cores. What comes out does not depend on how many there are.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use annalist_frontier::FrontierError;
use annalist_model::CanonicalUrl;

use crate::aim::{Aim, drawn};
use crate::crawl::{Trace, crawl};
use crate::judging::Judging;
use crate::labels::{Labelled, Labels};
use crate::library::{Library, Stemmers};
use crate::policy::{Base, Policy};

/// How a topic is called that is nothing but its seeds.
const SEEDS_ALONE: &str = "similar to the seeds";

#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// What was asked for cannot be done.
    #[error("{0}")]
    Input(String),
    #[error(transparent)]
    Frontier(#[from] FrontierError),
}

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seeds: Seeds,
    pub policies: Vec<Policy>,
    /// Fetched in each crawl, seeds included.
    pub pages: usize,
    /// Crawls of each topic with each policy, each with other seeds.
    pub repeats: u32,
    pub threads: NonZeroUsize,
}

/// Where crawls begin, and what they look for.
#[derive(Clone, Debug)]
pub enum Seeds {
    /// So many pages of each topic, drawn anew in each repeat; the others of the topic are to be found.
    Labelled { topics: Vec<String>, count: usize },
    /// So many pages of the archive, drawn anew in each repeat; what is similar to them is to be found.
    Drawn { count: usize },
    /// These; what has one of the topics is to be found, or where there are none, what is similar to them.
    Given { urls: Vec<CanonicalUrl>, topics: Vec<String> },
}

/// One crawl.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub topic: String,
    pub policy: Policy,
    pub repeat: u32,
    pub harvest: f64,
    pub recall: f64,
    pub similarity: f64,
    /// Where there are labels.
    pub covered: Option<f64>,
    /// Fetched, seeds included.
    pub pages: usize,
    pub missing: usize,
    /// What no crawl can harvest more than: as many relevant pages as there are, fetched first.
    pub bound: f64,
    /// Of each page besides the seeds: whether it is relevant.
    pub relevant: Vec<bool>,
}

/// What a study found: topics in the order they were asked for, in each the repeats, in each the policies.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub rows: Vec<Row>,
    pub topics: Vec<String>,
    pub policies: Vec<Policy>,
    pub repeats: u32,
    /// In each crawl.
    pub seeds: usize,
    pub pages: usize,
    pub labelled: bool,
}

/// `advance` is told how many of how many crawls are done.
pub fn simulate(
    library: &Library,
    labels: &Labels,
    plan: &Plan,
    advance: &(dyn Fn(usize, usize) + Sync),
) -> Result<Found, StudyError> {
    if let Some(policy) = plan.policies.iter().find(|policy| policy.needs_event()) {
        return Err(StudyError::Input(format!(
            "{policy} is a policy for events: give the spec of one (--spec)"
        )));
    }
    let aims = aims(library, labels, plan)?;
    let seeds = aims.first().map_or(0, |aim| aim.seeds.len());
    if plan.pages <= seeds {
        return Err(StudyError::Input(format!(
            "{} pages are not more than the {seeds} seeds, which count among them",
            plan.pages
        )));
    }
    let total = aims.len() * plan.policies.len();
    let done = AtomicUsize::new(0);
    let rows = in_parallel(plan.threads, total, &|number, stemmers| {
        let aim = aims.get(number / plan.policies.len());
        let policy = plan.policies.get(number % plan.policies.len());
        let (Some(aim), Some(policy)) = (aim, policy) else {
            return Err(StudyError::Input("there is nothing to compare".to_owned()));
        };
        let judging = (policy.base == Base::Default).then(|| Judging::new(*policy, &aim.seeds));
        let trace = crawl(library, aim, *policy, judging, plan.pages, stemmers)?;
        advance(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        Ok(row(aim, *policy, plan.pages, trace))
    })?;
    let mut topics: Vec<String> = aims.iter().map(|aim| aim.topic.clone()).collect();
    topics.dedup();
    let labelled = aims.iter().all(|aim| aim.subtopics > 0);
    let (policies, repeats) = (plan.policies.clone(), plan.repeats);
    Ok(Found { rows, topics, policies, repeats, seeds, pages: plan.pages, labelled })
}

fn row(aim: &Aim, policy: Policy, pages: usize, trace: Trace) -> Row {
    let share = |part: f64, whole: usize| if whole == 0 { 0.0 } else { part / whole as f64 };
    let found = trace.relevant.iter().filter(|relevant| **relevant).count() as f64;
    let fetched = trace.relevant.len();
    let covered = trace.covered.iter().filter(|covered| **covered).count() as f64;
    let budget = pages.saturating_sub(aim.seeds.len());
    Row {
        topic: aim.topic.clone(),
        policy,
        repeat: aim.repeat,
        harvest: share(found, fetched),
        recall: share(found, aim.to_find()),
        similarity: share(trace.similarity, fetched),
        covered: (aim.subtopics > 0).then(|| share(covered, aim.subtopics)),
        pages: trace.pages(),
        missing: trace.missing,
        bound: share(aim.to_find().min(budget) as f64, budget),
        relevant: trace.relevant,
    }
}

fn aims(library: &Library, labels: &Labels, plan: &Plan) -> Result<Vec<Aim>, StudyError> {
    let documents: Vec<&CanonicalUrl> = library.source().documents().iter().collect();
    if documents.is_empty() {
        return Err(StudyError::Input("the archive has no pages that were answered with success".to_owned()));
    }
    let repeats = plan.repeats as usize;
    let repeat = |number: usize| u32::try_from(number % repeats.max(1)).unwrap_or(0);
    match &plan.seeds {
        Seeds::Labelled { topics, count } => {
            let labelled = labelled(library, labels, topics, *count)?;
            in_parallel(plan.threads, topics.len() * repeats, &|number, stemmers| {
                let place = number / repeats.max(1);
                let (topic, pages) = topics.get(place).zip(labelled.get(place)).unzip();
                let name = topic.map_or("", String::as_str);
                let pages = pages.cloned().unwrap_or_default();
                let candidates: Vec<&CanonicalUrl> = pages.pages.keys().collect();
                let seeds = drawn(&candidates, *count, name, repeat(number));
                Aim::labelled(library, (name, repeat(number)), &pages, seeds, stemmers)
            })
        }
        Seeds::Drawn { count } if documents.len() <= *count => Err(StudyError::Input(format!(
            "the archive has {} pages: take fewer than {count} seeds",
            documents.len()
        ))),
        Seeds::Drawn { count } => in_parallel(plan.threads, repeats, &|number, stemmers| {
            let seeds = drawn(&documents, *count, SEEDS_ALONE, repeat(number));
            Aim::similar(library, (SEEDS_ALONE, repeat(number)), seeds, stemmers)
        }),
        Seeds::Given { urls, topics } if topics.is_empty() => {
            in_parallel(plan.threads, repeats, &|number, stemmers| {
                Aim::similar(library, (SEEDS_ALONE, repeat(number)), urls.clone(), stemmers)
            })
        }
        Seeds::Given { urls, topics } => {
            let labelled = labelled(library, labels, topics, 0)?;
            in_parallel(plan.threads, topics.len(), &|number, stemmers| {
                let (topic, pages) = topics.get(number).zip(labelled.get(number)).unzip();
                let name = topic.map_or("", String::as_str);
                Aim::labelled(library, (name, 0), &pages.cloned().unwrap_or_default(), urls.clone(), stemmers)
            })
        }
    }
}

/// The pages of the topics, if there are enough of each.
fn labelled(
    library: &Library,
    labels: &Labels,
    topics: &[String],
    seeds: usize,
) -> Result<Vec<Labelled>, StudyError> {
    let (mut labelled, mut mistakes) = (Vec::new(), Vec::new());
    for topic in topics {
        let pages = labels.of(topic, library.source());
        match pages.pages.len() {
            0 => mistakes.push(format!(
                "no page of the archive has the topic {topic:?}; topics begin with {}",
                labels.tops().join(", ")
            )),
            count if count <= seeds => mistakes.push(format!(
                "{topic:?} has {count} pages in the archive, and {seeds} seeds leave nothing to find: take fewer seeds"
            )),
            _ => {}
        }
        labelled.push(pages);
    }
    if mistakes.is_empty() { Ok(labelled) } else { Err(StudyError::Input(mistakes.join("\n"))) }
}

/// Does `count` pieces of work and gives their results in order; the first error ends it.
pub(crate) fn in_parallel<T: Send>(
    threads: NonZeroUsize,
    count: usize,
    work: &(dyn Fn(usize, &mut Stemmers) -> Result<T, StudyError> + Sync),
) -> Result<Vec<T>, StudyError> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<T, StudyError>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.get().min(count) {
            scope.spawn(|| {
                let mut stemmers = Stemmers::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = work(number, &mut stemmers);
                    if result.is_err() {
                        // The others have no reason to begin anything.
                        next.store(count, Ordering::Relaxed);
                    }
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
