//! One simulated crawl: the loop of every crawl, over an archive.

use annalist_frontier::{Batch, Change, FrontierError, LeasedLink};
use annalist_model::{Link, LinkKind, Outcome, SkipReason, UrlKey};

use crate::aim::Aim;
use crate::judging::Judging;
use crate::library::{Document, Fetched, Library, Stemmers};
use crate::mentions::{Mentions, PAGES_IN_A_BATCH};
use crate::policy::{Policy, Scheduling};
use crate::queue::{Queue, done, found};
use crate::valuing::values;

/// What a crawl came to. Seeds count neither as fetched nor as found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trace {
    /// Of each page in the order they were fetched: whether it is relevant.
    pub(crate) relevant: Vec<bool>,
    pub(crate) seeds: usize,
    /// Of the pages with the topic.
    pub(crate) similarity: f64,
    /// By sub-topic.
    pub(crate) covered: Vec<bool>,
    /// Links whose turn came and that the archive does not have, or has no answer to.
    pub(crate) missing: usize,
    /// Of each link whose turn came: whether it led to a page.
    pub(crate) asked: Vec<bool>,
    /// Where there is an event, of each page as `relevant`: its relevance by content alone, and with its time.
    pub(crate) measured: Vec<(f32, f32)>,
}

impl Trace {
    pub(crate) fn pages(&self) -> usize {
        self.seeds + self.relevant.len()
    }

    fn lacks(&mut self) {
        self.missing += 1;
        self.asked.push(false);
    }

    fn page(&mut self, aim: &Aim, key: UrlKey, document: &Document) {
        self.asked.push(true);
        if aim.is_seed(key) {
            self.seeds += 1;
            return;
        }
        let subtopics = aim.relevance(key);
        self.relevant.push(subtopics.is_some());
        self.measured.extend(aim.occasion.iter().map(|(_, measure)| measure.measured(document)));
        self.similarity += f64::from(document.vector.dot(&aim.vector));
        for subtopic in subtopics.unwrap_or_default() {
            if let Some(covered) = self.covered.get_mut(*subtopic) {
                *covered = true;
            }
        }
    }
}

struct Crawl<'a> {
    library: &'a Library,
    aim: &'a Aim,
    policy: Policy,
    stemmers: &'a mut Stemmers,
    queue: Queue,
    mentions: Mentions,
    /// Where the policy is the judge's.
    judging: Option<Judging>,
    trace: Trace,
}

/// Fetches `pages` pages, the seeds among them, or all that can be reached. `judging`: where the policy is the judge's.
pub(crate) fn crawl(
    library: &Library,
    aim: &Aim,
    policy: Policy,
    judging: Option<Judging>,
    pages: usize,
    stemmers: &mut Stemmers,
) -> Result<Trace, FrontierError> {
    let trace = Trace { covered: vec![false; aim.subtopics], ..Trace::default() };
    let (queue, mentions) = (Queue::new(policy)?, Mentions::default());
    let mut crawl = Crawl { library, aim, policy, stemmers, queue, mentions, judging, trace };
    crawl.queue.seeds(&aim.seeds)?;
    while crawl.trace.pages() < pages {
        let Some(lease) = crawl.queue.next()? else {
            // Nothing waits: a batch is over before it is full.
            if crawl.mentions.pages() == 0 {
                break;
            }
            crawl.schedule_batch()?;
            continue;
        };
        for leased in &lease.links {
            if crawl.trace.pages() < pages {
                crawl.visit(leased)?;
            }
        }
        crawl.queue.release(&lease)?;
    }
    Ok(crawl.trace)
}

impl Crawl<'_> {
    fn visit(&mut self, leased: &LeasedLink) -> Result<(), FrontierError> {
        let mut batch = Batch::new();
        if let Some(judging) = &mut self.judging
            && let Some(at) = self.library.first_seen(&leased.link.url)
        {
            judging.first_seen(leased.key, at);
        }
        let judging = self.judging.as_ref();
        if let Some(value) = judging.and_then(|judging| judging.has_fallen(leased.key, leased.value)) {
            batch.push(&Change::Valued { key: leased.key, value });
            return self.queue.commit(batch);
        }
        let outcome = match self.library.fetch(&leased.link.url, self.stemmers) {
            Fetched::Page(document) => {
                self.trace.page(self.aim, leased.key, &document);
                match (&mut self.judging, self.policy.scheduling) {
                    (Some(judging), _) => {
                        judging.page(&leased.link, &document);
                        batch = judging.scheduled();
                    }
                    (None, Scheduling::AtOnce) => self.schedule(&leased.link, &document, &mut batch),
                    (None, Scheduling::InBatches) => self.mentions.add(&leased.link, &document),
                }
                Outcome::Captured { status: 200 }
            }
            Fetched::Redirect(target) => {
                if let Some(judging) = &mut self.judging {
                    judging.redirected(leased.key, target.key());
                }
                let link = leased.link.child(target, LinkKind::Redirect, &leased.link.anchor);
                found(&mut batch, &link, leased.value);
                Outcome::Captured { status: 302 }
            }
            Fetched::Failed(status) => {
                self.trace.lacks();
                Outcome::Captured { status }
            }
            Fetched::Missing => self.skipped("not in the archive"),
            Fetched::Unreadable(why) => self.skipped(&why),
        };
        done(&mut batch, leased.key, outcome);
        self.queue.commit(batch)?;
        if self.mentions.pages() >= PAGES_IN_A_BATCH { self.schedule_batch() } else { Ok(()) }
    }

    fn skipped(&mut self, detail: &str) -> Outcome {
        self.trace.lacks();
        Outcome::Skipped { reason: SkipReason::Failed, detail: detail.to_owned() }
    }

    fn schedule(&self, from: &Link, document: &Document, batch: &mut Batch) {
        let links = document.links.iter().filter_map(|followed| document.page.links.get(followed.place));
        for (link, value) in links.zip(values(self.policy, self.aim, document)) {
            found(batch, &from.child(link.url.clone(), link.kind, &link.anchor), value);
        }
    }

    fn schedule_batch(&mut self) -> Result<(), FrontierError> {
        let mut batch = Batch::new();
        for (link, value) in std::mem::take(&mut self.mentions).valued(self.policy, self.aim) {
            found(&mut batch, &link, value);
        }
        self.queue.commit(batch)
    }
}
