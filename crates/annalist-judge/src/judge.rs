//! The judge of one crawl: what each page that comes in is worth, what its links may be worth, and what that says about
//! links that wait. It is asked page by page, by one thread at a time; reading pages is done before, in `reading.rs`.

use std::sync::Arc;

use annalist_model::{Score, UrlKey};

use crate::ledger::Ledger;
use crate::reading::Reading;
use crate::scorer::{Manner, Scorer, Values};
use crate::signals::{COUNT, Known};
use crate::topic::{Background, References, Topic};

/// Where between nothing and a typical page of the topic a page is as likely relevant as not, and how sharp that is.
const EVEN: f32 = 0.75;
const SHARPNESS: f32 = 6.0;
/// From here on a page is called relevant.
pub const RELEVANT: f32 = 0.5;
/// The topic is made anew after so many pages, and after each such growth.
const FIRST_REVISION: u32 = 20;
const REVISION_GROWTH: f32 = 1.3;
/// A change of value that is worth a change of order.
const TOLERANCE: f32 = 1e-4;

/// What the archivist may set.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    pub manner: Manner,
    /// How much each signal counts, in their order; 1 is the default, 0 turns one off.
    pub emphasis: [f32; COUNT],
    /// The share of pages that are fetched to see what is there.
    pub exploration: f32,
    /// So many pages are fetched before waiting links are put into a new order.
    pub greediness: u32,
    /// What each irrelevant page on the way takes off a link.
    pub tunnel_decay: f32,
    /// How many pages and waiting links are remembered.
    pub most_pages: usize,
    pub most_links: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            manner: Manner::Learned,
            emphasis: [1.0; COUNT],
            exploration: 0.0,
            greediness: 1,
            tunnel_decay: 0.7,
            most_pages: 200_000,
            most_links: 500_000,
        }
    }
}

/// What was made of a page.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    pub score: Score,
    /// For each link of the page; none for what is no page to go to.
    pub values: Vec<Option<f32>>,
    /// Links that wait and are worth something else now.
    pub revalued: Vec<(UrlKey, f32)>,
}

#[derive(Debug)]
pub struct Judge {
    rules: Rules,
    references: References,
    background: Background,
    topic: Arc<Topic>,
    ledger: Ledger,
    scorer: Scorer,
    names_are_sought: bool,
    /// After how many pages the topic is made anew.
    next_revision: f32,
    /// Pages since waiting links were last put in order.
    since_order: u32,
}

impl Judge {
    pub fn new(rules: Rules) -> Judge {
        Judge {
            scorer: Scorer::new(rules.manner, rules.emphasis),
            rules,
            references: References::default(),
            background: Background::default(),
            topic: Arc::default(),
            ledger: Ledger::default(),
            names_are_sought: false,
            next_revision: FIRST_REVISION as f32,
            since_order: 0,
        }
    }

    /// The topic as it stands.
    pub fn topic(&self) -> Arc<Topic> {
        Arc::clone(&self.topic)
    }

    /// A page that is about the topic, by whoever chose it.
    pub fn take_reference(&mut self, key: UrlKey, reading: &Reading) -> Verdict {
        self.references.add(reading.vector.clone());
        self.topic = Arc::new(self.references.topic(&self.background));
        let distance = self.forget(key);
        self.file(key, 1.0, distance, reading)
    }

    /// A page that the crawl brought.
    pub fn take(&mut self, key: UrlKey, reading: &Reading) -> Verdict {
        let relevance = self.relevance(reading);
        self.background.add(&reading.vector);
        let distance = self.learn(key, relevance);
        let mut verdict = self.file(key, relevance, distance, reading);
        if self.background.pages() as f32 >= self.next_revision {
            self.next_revision *= REVISION_GROWTH;
            self.topic = Arc::new(self.references.topic(&self.background));
            verdict.revalued = self.reorder();
        }
        verdict
    }

    /// How relevant a page is: 1 for one like the references.
    pub fn relevance(&self, reading: &Reading) -> f32 {
        let near = self.topic.nearness(&reading.vector);
        1.0 / (1.0 + (-SHARPNESS * (near - EVEN)).exp())
    }

    /// What a waiting link is worth now.
    pub fn reconsider(&self, key: UrlKey) -> Option<f32> {
        let known = self.known(key)?;
        Some(self.scorer.score(&Scorer::values(&known), self.ledger.mean()))
    }

    /// Whether a link that was taken for `value` is worth so much less that others should come first.
    pub fn has_fallen(&self, key: UrlKey, value: f32) -> Option<f32> {
        self.reconsider(key).filter(|now| *now < value - TOLERANCE)
    }

    fn known(&self, key: UrlKey) -> Option<Known<'_>> {
        let link = self.ledger.waiting.get(&key)?;
        Some(Known {
            key,
            link,
            ledger: &self.ledger,
            names_are_sought: self.names_are_sought,
            tunnel_decay: self.rules.tunnel_decay,
        })
    }

    /// What a link turned out to be is told to all that led to it.
    fn learn(&mut self, key: UrlKey, relevance: f32) -> u8 {
        let mean = self.ledger.mean();
        let values: Option<Values> = self.known(key).map(|known| Scorer::values(&known));
        if let Some(values) = values {
            self.scorer.learn(&values, mean, relevance);
        }
        self.ledger.crawl.add(relevance, 1.0);
        self.ledger.sites.entry(key.site).or_default().add(relevance, 1.0);
        let Some(waiting) = self.ledger.waiting.remove(&key) else { return 0 };
        for at in waiting.mentions() {
            self.ledger.credit(at, relevance);
        }
        for (word, _) in &waiting.words {
            self.ledger.words.entry(*word).or_default().add(relevance, 1.0);
        }
        self.ledger.patterns.entry(waiting.pattern).or_default().add(relevance, 1.0);
        waiting.distance
    }

    /// A link that waits no more.
    fn forget(&mut self, key: UrlKey) -> u8 {
        self.ledger.waiting.remove(&key).map_or(0, |waiting| waiting.distance)
    }

    /// Keeps what a page says about its links. `before`: how far it was from the last relevant page.
    fn file(&mut self, key: UrlKey, relevance: f32, before: u8, reading: &Reading) -> Verdict {
        let distance = if relevance >= RELEVANT { 0 } else { before.saturating_add(1) };
        let number = self.ledger.add(key, relevance, distance, reading.links.len());
        let mut values = Vec::with_capacity(reading.links.len());
        for (place, link) in reading.links.iter().enumerate() {
            let at = (number, place as u32);
            let value = link.as_ref().and_then(|link| {
                if let Some(relevance) = self.ledger.relevance(link.key) {
                    self.ledger.credit(at, relevance);
                    return None;
                }
                self.ledger.mention(at, link);
                let value = self.reconsider(link.key)?;
                self.ledger.waiting.get_mut(&link.key)?.value = value;
                Some(value)
            });
            values.push(value);
        }
        self.ledger.keep_within(self.rules.most_pages, self.rules.most_links);
        Verdict { score: Score::new(relevance), values, revalued: Vec::new() }
    }

    /// The waiting links that are worth more than they were: those worth less are noticed before they are fetched.
    fn reorder(&mut self) -> Vec<(UrlKey, f32)> {
        self.since_order = 0;
        let risen = self.ledger.waiting.iter().filter_map(|(key, waiting)| {
            let value = self.reconsider(*key)?;
            (value > waiting.value + TOLERANCE).then_some((*key, value))
        });
        let mut risen: Vec<(UrlKey, f32)> = risen.collect();
        risen.sort_unstable_by_key(|(key, _)| *key);
        for (key, value) in &risen {
            if let Some(waiting) = self.ledger.waiting.get_mut(key) {
                waiting.value = *value;
            }
        }
        risen
    }
}
