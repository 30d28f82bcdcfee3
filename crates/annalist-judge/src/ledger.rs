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
    /// How relevant the time is that is named with it.
    pub timely: Option<f32>,
    /// The same of the time since when it is known to be there.
    pub first_seen: Option<f32>,
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
            let (least, mut many) = (*least, self.waiting.len() / 10 + 1);
            self.waiting.retain(|_, waiting| {
                let goes = waiting.value <= least && many > 0;
                many -= usize::from(goes);
                !goes
            });
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
        waiting.hear(link);
        waiting
    }
}

impl Waiting {
    /// Takes note of what is said of it somewhere.
    pub fn hear(&mut self, link: &LinkReading) {
        for (known, said) in [
            (&mut self.anchor, link.anchor),
            (&mut self.context, link.context),
            (&mut self.part, link.part),
            (&mut self.address, link.address),
            (&mut self.named, link.named),
            (&mut self.timely, link.timely),
        ] {
            // The best that was said of it.
            *known = said.into_iter().chain(*known).max_by(f32::total_cmp);
        }
    }

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

#[cfg(test)]
mod tests {
    use annalist_model::UrlKey;
    use annalist_model::page::PartKind;

    use super::{Ledger, MOST_MENTIONS, Tally, half_life};
    use crate::reading::LinkReading;

    fn key(url: u64) -> UrlKey {
        UrlKey { site: 1, url }
    }

    fn link(url: u64) -> LinkReading {
        LinkReading {
            key: key(url),
            anchor: None,
            context: None,
            part: None,
            part_kind: PartKind::Main,
            address: None,
            named: None,
            words: [].into(),
            pattern: 0,
            told: None,
            timely: None,
        }
    }

    #[test]
    fn a_mean_is_drawn_towards_what_was_believed_before() {
        let mut tally = Tally::default();
        assert_eq!(tally.mean(0.3, 2.0), 0.3);
        tally.add(1.0, 2.0);
        assert_eq!(tally.mean(0.0, 2.0), 0.5);
    }

    #[test]
    fn what_a_link_came_to_is_credited_to_its_page_and_more_to_its_neighbours() {
        let mut ledger = Ledger::default();
        let page = ledger.add(key(1), 0.5, 0, 30);
        let expected =
            |ledger: &Ledger| [9, 10, 12, 15, 16].map(|place| ledger.expected((page, place)).unwrap());
        let [before, ..] = expected(&ledger);
        ledger.credit((page, 10), 1.0);
        let [beside, itself, near, edge, far] = expected(&ledger);
        assert!(itself > beside && beside > near && near > edge && edge > far && far > before);
        ledger.credit((page, 999), 1.0);
        ledger.credit((999, 0), 1.0);
        assert_eq!(ledger.expected((999, 0)), None);
    }

    #[test]
    fn of_a_page_without_results_its_own_relevance_tells_and_the_mean_of_the_crawl() {
        let mut ledger = Ledger::default();
        let [good, bad] = [1.0, 0.0].map(|relevance| ledger.add(key(relevance as u64), relevance, 0, 1));
        let [good, bad] = [good, bad].map(|page| ledger.expected((page, 0)).unwrap());
        assert!((good - 0.7).abs() < 1e-6 && (bad - 0.3).abs() < 1e-6, "{good} {bad}");
    }

    #[test]
    fn the_oldest_pages_are_forgotten_and_the_others_keep_their_numbers() {
        let mut ledger = Ledger::default();
        let numbers: Vec<u32> = (0..10).map(|page| ledger.add(key(page), page as f32 / 10.0, 0, 1)).collect();
        ledger.keep_within(3, 100);
        assert_eq!(ledger.judged(), 10);
        assert_eq!((ledger.relevance(key(6)), ledger.relevance(key(7))), (None, Some(0.7)));
        assert!(ledger.page(numbers[6]).is_none() && ledger.page(numbers[7]).is_some());
        ledger.credit((numbers[0], 0), 1.0);
        assert_eq!(ledger.add(key(10), 1.0, 0, 0), 10);
    }

    #[test]
    fn the_least_promising_links_are_forgotten_first() {
        let mut ledger = Ledger::default();
        let page = ledger.add(key(1000), 0.5, 0, 1);
        for url in 0..101 {
            ledger.mention((page, 0), &link(url)).value = url as f32;
        }
        ledger.keep_within(100, 100);
        assert!(ledger.waiting.len() <= 100 && ledger.waiting.len() >= 80, "{}", ledger.waiting.len());
        assert!(!ledger.waiting.contains_key(&key(0)) && ledger.waiting.contains_key(&key(100)));
    }

    #[test]
    fn words_seen_once_are_forgotten_when_there_are_too_many() {
        let mut ledger = Ledger::default();
        for word in 0..20 {
            ledger.words.entry(word).or_default().add(1.0, if word == 3 { 2.0 } else { 1.0 });
        }
        ledger.keep_within(100, 10);
        assert_eq!(ledger.words.keys().collect::<Vec<_>>(), [&3]);
    }

    #[test]
    fn a_link_remembers_its_latest_mentions_the_nearest_way_and_the_best_that_was_said() {
        let mut ledger = Ledger::default();
        for page in 0..50_u32 {
            let distance = if page == 20 { 1 } else { 5 };
            let number = ledger.add(key(100 + u64::from(page)), 0.0, distance, 1);
            let anchor = Some(if page == 30 { 0.9 } else { 0.1 });
            ledger.mention((number, 0), &LinkReading { anchor, ..link(1) });
        }
        let waiting = ledger.waiting.get(&key(1)).unwrap();
        assert_eq!(waiting.mentions().count(), MOST_MENTIONS);
        assert_eq!(waiting.mentions().last(), Some((49, 0)));
        assert_eq!((waiting.mentioned, waiting.distance, waiting.anchor), (50, 1, Some(0.9)));
    }

    #[test]
    fn relevant_mentions_count_half_after_a_half_life_that_grows_with_the_crawl() {
        let mut ledger = Ledger::default();
        let page = ledger.add(key(1), 1.0, 0, 1);
        let waiting = ledger.mention((page, 0), &link(2));
        assert_eq!(waiting.momentum(1, 50.0), 1.0);
        assert!((waiting.momentum(51, 50.0) - 0.5).abs() < 1e-6);
        assert_eq!((half_life(10), half_life(1000)), (50.0, 250.0));
    }
}
