//! The product's own policy: the judge of a crawl with a topic, page by page. Its topic is its references, which are the seeds
//! where nothing else is said.

use std::collections::HashSet;
use std::sync::Arc;

use annalist_frontier::{Batch, Change};
use annalist_judge::names::Names;
use annalist_judge::topic::Topic;
use annalist_judge::{Analyst, Depth, Judge, Rules, Verdict};
use annalist_model::{CanonicalUrl, Link, Time, UrlKey};

use crate::library::Document;
use crate::mentions::PAGES_IN_A_BATCH;
use crate::policy::{Policy, Scheduling};
use crate::queue::found;

/// Of pages that do not tell theirs.
const LANGUAGE: &str = "en";

pub(crate) struct Judging {
    judge: Judge,
    analyst: Analyst,
    /// Those that are awaited.
    references: HashSet<UrlKey>,
    /// Those that were read: they make the topic together, so the first waits for the last.
    read: Vec<(Link, Arc<Document>)>,
    /// Finds out what they are about.
    spare: Judge,
    /// What the judge said of links.
    batch: Batch,
}

impl Judging {
    /// The topic is the seeds.
    pub(crate) fn new(policy: Policy, seeds: &[CanonicalUrl]) -> Judging {
        let greediness = match policy.scheduling {
            Scheduling::AtOnce => 1,
            Scheduling::InBatches => PAGES_IN_A_BATCH as u32,
        };
        let judge = || Judge::new(Rules { greediness, ..Rules::default() });
        let analyst = Analyst::new(Names::default(), LANGUAGE);
        Judging::of([judge(), judge()], analyst, seeds.iter().map(CanonicalUrl::key).collect())
    }

    /// Twice the same judge, who has to be told the references.
    pub(crate) fn of(judges: [Judge; 2], analyst: Analyst, references: HashSet<UrlKey>) -> Judging {
        let [judge, spare] = judges;
        Judging { judge, analyst, references, read: Vec::new(), spare, batch: Batch::new() }
    }

    /// A page came in. How it is read depends on the topic as it stands, so that is not kept.
    pub(crate) fn page(&mut self, link: &Link, document: &Arc<Document>) {
        let topic = self.judge.topic();
        if !self.references.remove(&link.url.key()) {
            let mut reading = self.analyst.read(&document.page, &topic, Depth::Topic);
            reading.time = document.time;
            let verdict = self.judge.take(link.url.key(), &reading);
            return self.file(link, document, &verdict);
        }
        self.read.push((link.clone(), Arc::clone(document)));
        if !self.references.is_empty() {
            return;
        }
        let references = std::mem::take(&mut self.read);
        let topic = self.topic_of(&references);
        for (link, document) in references {
            let reading = self.analyst.read(&document.page, &topic, Depth::Reference);
            let verdict = self.judge.take_reference(link.url.key(), &reading);
            self.file(&link, &document, &verdict);
        }
    }

    /// What the references are about: their links cannot be judged before that is known.
    fn topic_of(&mut self, references: &[(Link, Arc<Document>)]) -> Arc<Topic> {
        for (link, document) in references {
            let reading = self.analyst.read(&document.page, &Topic::default(), Depth::Reference);
            self.spare.take_reference(link.url.key(), &reading);
        }
        self.spare.topic()
    }

    fn file(&mut self, link: &Link, document: &Document, verdict: &Verdict) {
        for followed in &document.links {
            let found_link = document.page.links.get(followed.place);
            let value = verdict.values.get(followed.place).copied().flatten();
            if let (Some(to), Some(value)) = (found_link, value) {
                found(&mut self.batch, &link.child(to.url.clone(), to.kind, &to.anchor), value);
            }
        }
        for (key, value) in &verdict.revalued {
            self.batch.push(&Change::Valued { key: *key, value: *value });
        }
    }

    /// What there is to schedule.
    pub(crate) fn scheduled(&mut self) -> Batch {
        std::mem::take(&mut self.batch)
    }

    pub(crate) fn redirected(&mut self, from: UrlKey, to: UrlKey) {
        self.judge.redirected(from, to);
    }

    /// Since when the archive has what a link leads to.
    pub(crate) fn first_seen(&mut self, key: UrlKey, at: Time) {
        self.judge.first_seen(key, at);
    }

    /// What a link whose turn came is worth, if that is less than it was.
    pub(crate) fn has_fallen(&self, key: UrlKey, value: f32) -> Option<f32> {
        self.judge.has_fallen(key, value)
    }
}
