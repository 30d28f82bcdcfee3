//! What a crawl remembers of the pages it judged and of the links that wait: who mentions whom, and how well the links of a
//! page did so far. Bounded: what is forgotten keeps the value it had.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use annalist_model::UrlKey;

use crate::reading::LinkReading;
use crate::text::ids::{AsItIs, IdMap};

/// By address; the keys are hashes already.
pub type KeyMap<V> = HashMap<UrlKey, V, BuildHasherDefault<AsItIs>>;

/// How many places to either side of a link are its neighbours.
const NEIGHBOURS: usize = 5;
/// Of a link mentioned everywhere, so many mentions are looked at.
const MOST_MENTIONS: usize = 32;
/// What is believed of a page's links before any was fetched weighs as much as so many of them.
const PRIOR: f32 = 3.0;
/// How much of that is the page's own relevance; the rest is the crawl's mean.
const OWN_PART: f32 = 0.4;

/// A sum of relevance and how much it is the sum of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub sum: f32,
    pub count: f32,
}

impl Tally {
    pub fn add(&mut self, relevance: f32, weight: f32) {
        self.sum += relevance * weight;
        self.count += weight;
    }

    /// The mean, drawn towards `prior` as if that had been seen `strength` times before.
    pub fn mean(&self, prior: f32, strength: f32) -> f32 {
        (self.sum + prior * strength) / (self.count + strength)
    }
}

/// A page that was judged.
#[derive(Debug)]
pub struct Judged {
    pub relevance: f32,
    /// Pages since the last relevant one on the way to it, itself included.
    pub distance: u8,
    /// What its links turned out to be.
    yields: Tally,
    /// The same around each of its links.
    nearby: Box<[Tally]>,
}

/// A link that waits to be fetched.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// The pages that mention it, and where: the latest of them.
    mentions: VecDeque<(u32, u32)>,
    /// How many there were.
    pub mentioned: u32,
    pub anchor: Option<f32>,
    pub context: Option<f32>,
    pub part: Option<f32>,
    pub address: Option<f32>,
    pub named: Option<f32>,
    pub words: Box<[(u64, f32)]>,
    pub pattern: u64,
    /// What the archivist says it is worth.
    pub told: Option<f32>,
    pub distance: u8,
    /// Relevant mentions, the older ones counting less, as of the page with that number.
    momentum: (f32, u32),
    /// It is fetched to see what is there.
    pub explored: bool,
    /// The value it was given last.
    pub value: f32,
}

#[derive(Debug, Default)]
pub struct Ledger {
    /// In the order they were judged; the first has the number `forgotten`.
    pages: VecDeque<Judged>,
    forgotten: u32,
    numbers: KeyMap<u32>,
    order: VecDeque<UrlKey>,
    pub waiting: KeyMap<Waiting>,
    pub words: IdMap<Tally>,
    pub patterns: IdMap<Tally>,
    pub sites: IdMap<Tally>,
    /// All pages but references.
    pub crawl: Tally,
}

impl Ledger {
    /// The crawl's mean relevance.
    pub fn mean(&self) -> f32 {
        self.crawl.mean(0.5, 1.0)
    }

    /// How many pages were judged so far.
    pub fn judged(&self) -> u32 {
        self.forgotten + self.pages.len() as u32
    }

    pub fn page(&self, number: u32) -> Option<&Judged> {
        self.pages.get(number.checked_sub(self.forgotten)? as usize)
    }

    /// The relevance of a page that was judged and is remembered.
    pub fn relevance(&self, key: UrlKey) -> Option<f32> {
        Some(self.page(*self.numbers.get(&key)?)?.relevance)
    }

    /// Takes in a judged page with so many links; says its number.
    pub fn add(&mut self, key: UrlKey, relevance: f32, distance: u8, links: usize) -> u32 {
        let number = self.judged();
        let nearby = vec![Tally::default(); links].into();
        self.pages.push_back(Judged { relevance, distance, yields: Tally::default(), nearby });
        self.numbers.insert(key, number);
        self.order.push_back(key);
        number
    }

    /// Forgets the oldest pages and the least promising links beyond these numbers.
    pub fn keep_within(&mut self, pages: usize, links: usize) {
        while self.pages.len() > pages {
            self.pages.pop_front();
            self.forgotten += 1;
            if let Some(key) = self.order.pop_front() {
                self.numbers.remove(&key);
            }
        }
        if self.waiting.len() > links {
            let mut values: Vec<f32> = self.waiting.values().map(|waiting| waiting.value).collect();
            // A tenth at a time, so that it is seldom done.
            let (_, least, _) = values.select_nth_unstable_by(self.waiting.len() / 10, f32::total_cmp);
            let least = *least;
            self.waiting.retain(|_, waiting| waiting.value > least);
        }
        for tallies in [&mut self.words, &mut self.patterns, &mut self.sites] {
            if tallies.len() > links {
                tallies.retain(|_, tally| tally.count > 1.0);
            }
        }
    }

    /// A link of a page turned out to be so relevant.
    pub fn credit(&mut self, (number, place): (u32, u32), relevance: f32) {
        let Some(at) = number.checked_sub(self.forgotten) else { return };
        let Some(page) = self.pages.get_mut(at as usize) else { return };
        page.yields.add(relevance, 1.0);
        let place = place as usize;
        let first = place.saturating_sub(NEIGHBOURS);
        for (at, nearby) in
            page.nearby.iter_mut().enumerate().skip(first).take(place + NEIGHBOURS + 1 - first)
        {
            let away = at.abs_diff(place) as f32;
            nearby.add(relevance, 1.0 - away / (NEIGHBOURS + 1) as f32);
        }
    }

    /// What a link at that place of a page may be expected to be, by what became of the page's other links.
    pub fn expected(&self, (number, place): (u32, u32)) -> Option<f32> {
        let page = self.page(number)?;
        let prior = OWN_PART * page.relevance + (1.0 - OWN_PART) * self.mean();
        let of_page = page.yields.mean(prior, PRIOR);
        let nearby = page.nearby.get(place as usize).copied().unwrap_or_default();
        Some(nearby.mean(of_page, PRIOR))
    }

    /// Takes note of a mention of a link that waits.
    pub fn mention(&mut self, at: (u32, u32), link: &LinkReading) -> &mut Waiting {
        let now = self.judged();
        let half_life = half_life(now);
        let (relevance, distance) = match self.page(at.0) {
            Some(page) => (page.relevance, page.distance),
            None => (0.0, u8::MAX),
        };
        let waiting = self.waiting.entry(link.key).or_insert_with(|| Waiting {
            words: link.words.clone(),
            pattern: link.pattern,
            told: link.told,
            distance: u8::MAX,
            ..Waiting::default()
        });
        waiting.mentioned = waiting.mentioned.saturating_add(1);
        if waiting.mentions.len() == MOST_MENTIONS {
            waiting.mentions.pop_front();
        }
        waiting.mentions.push_back(at);
        waiting.distance = waiting.distance.min(distance);
        waiting.momentum = (waiting.momentum(now, half_life) + relevance, now);
        for (known, said) in [
            (&mut waiting.anchor, link.anchor),
            (&mut waiting.context, link.context),
            (&mut waiting.part, link.part),
            (&mut waiting.address, link.address),
            (&mut waiting.named, link.named),
        ] {
            // The best that was said of it.
            *known = said.into_iter().chain(*known).max_by(f32::total_cmp);
        }
        waiting
    }
}

impl Waiting {
    pub fn mentions(&self) -> impl Iterator<Item = (u32, u32)> {
        self.mentions.iter().copied()
    }

    /// Relevant mentions so far, each counting half after so many pages.
    pub fn momentum(&self, now: u32, half_life: f32) -> f32 {
        let (sum, then) = self.momentum;
        sum * (-(now.saturating_sub(then) as f32) / half_life).exp2()
    }
}

/// After how many pages a mention counts half: what is new in a short crawl is old in a long one.
pub fn half_life(pages: u32) -> f32 {
    const LEAST: f32 = 50.0;
    (pages as f32 / 4.0).max(LEAST)
}
