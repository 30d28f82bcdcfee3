//! Crawls of an archive for an event, as its spec has it: unfocused, by content, by time, by the mean of both, and by the
//! judge; and what half-lives and keywords change.

use std::collections::HashSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use annalist_judge::{Analyst, Judge};
use annalist_model::spec::{Event, Spec};
use annalist_model::{CanonicalUrl, Page, UrlKey};

use crate::aim::Aim;
use crate::crawl::{Trace, crawl};
use crate::judging::Judging;
use crate::labels::{Labelled, Labels};
use crate::library::{Document, Fetched, Library, Stemmers};
use crate::occasion::{Occasion, Scope};
use crate::policy::{Base, Policy};
use crate::simulate::{StudyError, in_parallel};

mod show;

pub use show::Effect;

/// Half-lives that are the same for every event.
const FIXED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const MOST_REDIRECTS: usize = 5;

/// A judge for a spec, with the pages that are to teach it the topic.
pub type Judgement = (Judge, Analyst, HashSet<UrlKey>);

/// What is to be compared.
pub struct EventPlan<'a> {
    pub spec: &'a Spec,
    pub event: &'a Event,
    /// References that are no pages of the archive.
    pub references: Vec<Page>,
    pub judge: &'a (dyn Fn(&Spec) -> Result<Judgement, String> + Sync),
    pub policies: Vec<Policy>,
    /// Fetched in each crawl, seeds included.
    pub pages: usize,
    /// The label of pages that belong to the collection.
    pub topic: Option<String>,
    pub threads: NonZeroUsize,
}

/// What a crawl is told of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Whole,
    FixedTimes,
    WithoutKeywords,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Variant::Whole => "as specified",
            Variant::FixedTimes => "half-lives of 30 days",
            Variant::WithoutKeywords => "without keywords",
        })
    }
}

/// One crawl.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    pub variant: Variant,
    pub policy: Policy,
    /// Of each page besides the seeds: its topical relevance, and that with its time, by the whole spec.
    pub measured: Vec<(f32, f32)>,
    /// Of the same: whether people said that it belongs to the collection.
    pub relevant: Vec<bool>,
    /// Of each address that was asked for: whether the archive had it.
    pub asked: Vec<bool>,
}

impl EventRow {
    /// The sums of the relevances: topical, and with time.
    pub fn accumulated(&self) -> (f64, f64) {
        let add = |sum: (f64, f64), one: &(f32, f32)| (sum.0 + f64::from(one.0), sum.1 + f64::from(one.1));
        self.measured.iter().fold((0.0, 0.0), add)
    }

    /// The share of the fetched pages that belong to the collection.
    pub fn precision(&self) -> f64 {
        share(&self.relevant)
    }

    /// The share of the addresses asked for that the archive had.
    pub fn retrieval(&self) -> f64 {
        share(&self.asked)
    }
}

fn share(flags: &[bool]) -> f64 {
    let count = flags.iter().filter(|flag| **flag).count() as f64;
    if flags.is_empty() { 0.0 } else { count / flags.len() as f64 }
}

/// What a study found.
#[derive(Clone, Debug, PartialEq)]
pub struct EventFound {
    pub name: String,
    pub policies: Vec<Policy>,
    pub rows: Vec<EventRow>,
    pub seeds: usize,
    pub pages: usize,
    /// Whether it is known which pages belong to the collection.
    pub labelled: bool,
}

/// `advance` is told how many of how many crawls are done.
pub fn simulate_event(
    library: &Library,
    labels: &Labels,
    plan: &EventPlan<'_>,
    advance: &(dyn Fn(usize, usize) + Sync),
) -> Result<EventFound, StudyError> {
    if let Some(policy) = plan.policies.iter().find(|policy| !policy.is_for_events()) {
        let told =
            format!("{policy} is no policy for events: take default, mean, content, time, bfs or oracle");
        return Err(StudyError::Input(told));
    }
    let mut stemmers = Stemmers::default();
    let sought = Sought::of(library, plan, &mut stemmers)?;
    if plan.pages <= sought.seeds.len() {
        let seeds = sought.seeds.len();
        let told =
            format!("{} pages are not more than the {seeds} seeds, which count among them", plan.pages);
        return Err(StudyError::Input(told));
    }
    let labelled = plan.topic.as_ref().map(|topic| labels.of(topic, library.source()));
    let crawls = crawls(plan);
    let done = AtomicUsize::new(0);
    let rows = in_parallel(plan.threads, crawls.len(), &|number, stemmers| {
        let Some((variant, policy)) = crawls.get(number).copied() else {
            return Err(StudyError::Input("there is nothing to compare".to_owned()));
        };
        let row = sought.crawl(library, plan, labelled.as_ref(), (variant, policy), stemmers)?;
        advance(done.fetch_add(1, Ordering::Relaxed) + 1, crawls.len());
        Ok(row)
    })?;
    Ok(EventFound {
        name: plan.spec.name.clone(),
        policies: plan.policies.clone(),
        rows,
        seeds: sought.seeds.len(),
        pages: plan.pages,
        labelled: labelled.is_some(),
    })
}

/// Each policy as specified, and with less where that makes a difference to it.
fn crawls(plan: &EventPlan<'_>) -> Vec<(Variant, Policy)> {
    let has_keywords = !plan.spec.topic.keywords.is_empty();
    let mut crawls = Vec::new();
    for variant in [Variant::Whole, Variant::FixedTimes, Variant::WithoutKeywords] {
        for policy in &plan.policies {
            let matters = match variant {
                Variant::Whole => true,
                Variant::FixedTimes => policy.heeds_time(),
                Variant::WithoutKeywords => has_keywords && policy.heeds_content(),
            };
            if matters {
                crawls.push((variant, *policy));
            }
        }
    }
    crawls
}

/// Where crawls begin, and what the references are.
struct Sought {
    seeds: Vec<CanonicalUrl>,
    references: Vec<Arc<Document>>,
    /// Of references and seeds that the archive answers with a redirect: where they lead.
    settled: Vec<(UrlKey, CanonicalUrl)>,
    /// As specified.
    measure: Arc<Occasion>,
}

impl Sought {
    fn of(library: &Library, plan: &EventPlan<'_>, stemmers: &mut Stemmers) -> Result<Sought, StudyError> {
        let topic = &plan.spec.topic;
        let addresses = topic.references.iter().filter(|reference| reference.contains("://"));
        let addresses: Vec<CanonicalUrl> =
            addresses.filter_map(|reference| plan.spec.canonical.parse(reference).ok()).collect();
        let mut seeds = addresses.clone();
        seeds.extend(plan.spec.seeds.iter().map(|seed| seed.url.clone()));
        let mut seen = HashSet::new();
        seeds.retain(|url| seen.insert(url.key()));
        let (mut settled, mut found) = (Vec::new(), Vec::new());
        for url in &seeds {
            if let Some((at, document)) = settle(library, url, stemmers) {
                settled.push((url.key(), at));
                found.push((url.key(), document));
            }
        }
        if found.is_empty() {
            let told = "none of the seeds and references is a page of the archive".to_owned();
            return Err(StudyError::Input(told));
        }
        let is_reference = |key: &UrlKey| addresses.iter().any(|url| url.key() == *key);
        let files =
            plan.references.iter().map(|page| Arc::new(library.document(page.clone(), None, stemmers)));
        let mut references: Vec<Arc<Document>> = files.collect();
        references
            .extend(found.iter().filter(|(key, _)| is_reference(key)).map(|(_, page)| Arc::clone(page)));
        if references.is_empty() && !topic.keywords.is_empty() {
            let text = topic.keywords.join(".\n");
            let page = Page { text, language: topic.languages.first().cloned(), ..Page::default() };
            references.push(Arc::new(library.document(page, None, stemmers)));
        } else if references.is_empty() {
            references.extend(found.into_iter().map(|(_, page)| page));
        }
        let scope = scope(&references, true);
        let measure = Arc::new(Occasion { event: plan.event.clone(), scope });
        Ok(Sought { seeds, references, settled, measure })
    }

    fn crawl(
        &self,
        library: &Library,
        plan: &EventPlan<'_>,
        labelled: Option<&Labelled>,
        (variant, policy): (Variant, Policy),
        stemmers: &mut Stemmers,
    ) -> Result<EventRow, StudyError> {
        let mut spec = plan.spec.clone();
        let mut event = plan.event.clone();
        match variant {
            Variant::Whole => {}
            Variant::FixedTimes => (event.lead, event.cooldown) = (FIXED, FIXED),
            Variant::WithoutKeywords => spec.topic.keywords.clear(),
        }
        spec.event = Some(event.clone());
        let boosted = variant != Variant::WithoutKeywords;
        let looked_for = Occasion { event, scope: scope(&self.references, boosted) };
        let judging = match policy.base {
            Base::Default => Some(self.judging(plan, &spec)?),
            _ => None,
        };
        let aim = Aim::of_event(self.seeds.clone(), labelled, looked_for, Arc::clone(&self.measure));
        let Trace { relevant, measured, asked, .. } =
            crawl(library, &aim, policy, judging, plan.pages, stemmers)?;
        Ok(EventRow { variant, policy, measured, relevant, asked })
    }

    fn judging(&self, plan: &EventPlan<'_>, spec: &Spec) -> Result<Judging, StudyError> {
        let (judge, analyst, references) = (plan.judge)(spec).map_err(StudyError::Input)?;
        let (spare, ..) = (plan.judge)(spec).map_err(StudyError::Input)?;
        let settled = self.settled.iter().filter(|(key, _)| references.contains(key));
        let references = settled.map(|(_, url)| url.key()).collect();
        Ok(Judging::of([judge, spare], analyst, references))
    }
}

fn scope(references: &[Arc<Document>], boosted: bool) -> Scope {
    Scope::of(references.iter().map(|document| document.terms.as_slice()), boosted)
}

/// The page that an address leads to.
fn settle(
    library: &Library,
    url: &CanonicalUrl,
    stemmers: &mut Stemmers,
) -> Option<(CanonicalUrl, Arc<Document>)> {
    let mut url = url.clone();
    for _ in 0..MOST_REDIRECTS {
        match library.fetch(&url, stemmers) {
            Fetched::Page(document) => return Some((url, document)),
            Fetched::Redirect(target) => url = target,
            _ => return None,
        }
    }
    None
}
