//! The judge of one crawl: what each page that comes in is worth, what its links may be worth, and what that says about
//! links that wait. It is asked page by page, by one thread at a time; reading pages is done before, in `reading.rs`.

use std::sync::Arc;

use annalist_model::spec::{Event, RelevanceKind};
use annalist_model::{DocumentTime, Score, Time, TimeBasis, UrlKey};

use crate::addresses::AddressRules;
use crate::event::{self, Damping};
use crate::ledger::Ledger;
use crate::reading::Reading;
use crate::scorer::{Manner, Scorer, Values};
use crate::signals::{COUNT, Known};
use crate::topic::{Background, References, Topic};

/// Where between nothing and a typical page of the topic a page is as likely relevant as not, and how sharp that is.
pub(crate) const EVEN: f32 = 0.75;
const SHARPNESS: f32 = 6.0;
/// How far a name that occurs often makes a page relevant, beside its words and where there is nothing but names.
const ONE_NAME: f32 = 0.15;
const ONE_NAME_ALONE: f32 = 0.6;
/// So often is often.
const OFTEN: f32 = 3.0;
/// So many references are many.
const MANY_REFERENCES: usize = 50;
/// From here on a page is called relevant.
pub const RELEVANT: f32 = 0.5;
/// The topic is made anew after so many pages, and after each such growth.
const FIRST_REVISION: u32 = 20;
const REVISION_GROWTH: f32 = 1.3;
/// Links found while an order stands come after all that are in it.
const NOT_YET: f32 = 1e-3;
/// What every link is worth to an unfocused crawl.
const UNFOCUSED: f32 = 0.5;
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
    /// Pages in other languages are not relevant; all are where none is named.
    pub languages: Vec<String>,
    /// When it happened, where the topic is an event.
    pub event: Option<Event>,
    /// What the archivist says of addresses.
    pub addresses: AddressRules,
    /// Whether a link's value is made of all its mentions; else each mention has a value of its own, and the frontier
    /// combines them.
    pub combines: bool,
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
            languages: Vec::new(),
            event: None,
            addresses: AddressRules::default(),
            combines: true,
            most_pages: 200_000,
            most_links: 500_000,
        }
    }
}

/// What was made of a page.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// None for a list of links, and as long as nobody knows what the topic is.
    pub score: Option<Score>,
    /// For each link of the page; none for what is no page to go to.
    pub values: Vec<Option<f32>>,
    /// Links that wait and are worth something else now.
    pub revalued: Vec<(UrlKey, f32)>,
}

/// Whether there are names to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    Yes,
    /// They are all there is to go by.
    Alone,
    No,
}

/// What a signal says of a link: its value, what it weighs, and what it adds to the link's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Said {
    pub value: Option<f32>,
    pub weight: f32,
    pub part: f32,
}

#[derive(Debug)]
pub struct Judge {
    rules: Rules,
    references: References,
    background: Background,
    topic: Arc<Topic>,
    ledger: Ledger,
    scorer: Scorer,
    names: Sought,
    /// Pages teach nothing about the topic.
    topic_is_given: bool,
    /// After how many pages the topic is made anew.
    next_revision: f32,
    /// Pages since waiting links were last put in order.
    since_order: u32,
    lot: Lot,
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
            names: Sought::No,
            topic_is_given: false,
            next_revision: FIRST_REVISION as f32,
            since_order: 0,
            lot: Lot::default(),
        }
    }

    /// A judge who is told the topic, and leaves it as it is.
    pub fn of_topic(rules: Rules, topic: Topic, names: Sought) -> Judge {
        Judge { topic: Arc::new(topic), names, topic_is_given: true, ..Judge::new(rules) }
    }

    /// The same judge, looking for names or not.
    #[must_use]
    pub fn seeking(self, names: Sought) -> Judge {
        Judge { names, ..self }
    }

    /// From now on these rules count; what was learned of pages and links stays. Says what waiting links are worth now.
    pub fn change(&mut self, rules: Rules) -> Vec<(UrlKey, f32)> {
        let same = (rules.manner, rules.emphasis) == (self.rules.manner, self.rules.emphasis);
        self.scorer.change(rules.manner, rules.emphasis);
        self.rules = rules;
        if same { Vec::new() } else { self.reorder() }
    }

    /// The topic as it stands.
    pub fn topic(&self) -> Arc<Topic> {
        Arc::clone(&self.topic)
    }

    /// A page that is about the topic, by whoever chose it.
    pub fn take_reference(&mut self, key: UrlKey, reading: &Reading) -> Verdict {
        self.references.add_of(key.site, reading.vector.clone());
        // With many references one more says little.
        let few = self.references.len() < MANY_REFERENCES;
        if !self.topic_is_given && (few || self.references.len().is_multiple_of(MANY_REFERENCES)) {
            self.topic = Arc::new(self.references.topic(&self.background));
        }
        let distance = self.forget(key);
        self.file(key, 1.0, distance, reading)
    }

    /// A page that the crawl brought.
    pub fn take(&mut self, key: UrlKey, reading: &Reading) -> Verdict {
        if self.topic.is_empty() && self.names == Sought::No {
            return self.take_list(key, reading);
        }
        let relevance = self.relevance(reading);
        self.background.add_of(key.site, &reading.vector, &self.references);
        let distance = self.learn(key, relevance);
        let mut verdict = self.file(key, relevance, distance, reading);
        self.since_order += 1;
        let revised = self.background.pages() as f32 >= self.next_revision;
        if revised {
            self.next_revision *= REVISION_GROWTH;
        }
        if revised && !self.topic_is_given && !self.references.is_empty() {
            self.topic = Arc::new(self.references.topic(&self.background));
        }
        if (revised && !self.is_patient()) || (self.is_patient() && self.since_order >= self.rules.greediness)
        {
            verdict.revalued = self.reorder();
        }
        verdict.revalued.extend(self.explore());
        verdict
    }

    /// A feed or a list of addresses: worth no more and no less than what it leads to.
    pub fn take_list(&mut self, key: UrlKey, reading: &Reading) -> Verdict {
        let distance = self.forget(key);
        let mean = self.ledger.mean();
        Verdict { score: None, ..self.file(key, mean, distance, reading) }
    }

    /// What a link is worth of which nothing is known.
    pub fn neutral(&self) -> f32 {
        self.scorer.score(&[None; COUNT], self.ledger.mean())
    }

    /// No page came of a link: that is told to all that led to it, too.
    pub fn leads_nowhere(&mut self, key: UrlKey) {
        if self.ledger.waiting.contains_key(&key) {
            self.learn(key, 0.0);
        }
    }

    /// What is known of a link is known of where it leads.
    pub fn redirected(&mut self, from: UrlKey, to: UrlKey) {
        if let Some(waiting) = self.ledger.waiting.remove(&from)
            && self.ledger.relevance(to).is_none()
        {
            self.ledger.waiting.entry(to).or_insert(waiting);
        }
    }

    /// Whether some pages are fetched before links are put into a new order.
    fn is_patient(&self) -> bool {
        self.rules.greediness > 1
    }

    /// A link to be fetched next to see what is there, when it is time for one.
    fn explore(&mut self) -> Option<(UrlKey, f32)> {
        if !self.lot.falls(self.rules.exploration) {
            return None;
        }
        // Many that were offered have been fetched since.
        let key = loop {
            let key = self.lot.draw()?;
            if self.ledger.waiting.contains_key(&key) {
                break key;
            }
        };
        let waiting = self.ledger.waiting.get_mut(&key)?;
        (waiting.explored, waiting.value) = (true, 1.0);
        Some((key, 1.0))
    }

    /// How relevant a page is: 1 for one like the references; where there is an event, for one of its time.
    pub fn relevance(&self, reading: &Reading) -> f32 {
        let content = self.content(reading);
        self.rules.event.as_ref().map_or(content, |event| event::relevance(event, content, reading.time))
    }

    /// How relevant a page is by what it says.
    pub fn content(&self, reading: &Reading) -> f32 {
        let languages = &self.rules.languages;
        if reading.language.as_ref().is_some_and(|own| !languages.is_empty() && !languages.contains(own)) {
            return 0.0;
        }
        if self.topic.is_empty() {
            return named(reading, ONE_NAME_ALONE);
        }
        let near = self.topic.nearness(&reading.vector);
        let by_words = 1.0 / (1.0 + (-SHARPNESS * (near - EVEN)).exp());
        let one = if self.names == Sought::Alone { ONE_NAME_ALONE } else { ONE_NAME };
        1.0 - (1.0 - by_words) * (1.0 - named(reading, one))
    }

    /// What a waiting link is worth now.
    pub fn reconsider(&self, key: UrlKey) -> Option<f32> {
        let known = self.known(key)?;
        if known.link.told == Some(0.0) {
            // Whatever else speaks for it.
            return Some(0.0);
        }
        if known.link.explored {
            return Some(1.0);
        }
        let kind = self.rules.event.as_ref().map(|event| event.relevance);
        if kind == Some(RelevanceKind::None) {
            // Links that are worth the same are fetched in the order they were found.
            return Some(known.link.told.unwrap_or(UNFOCUSED));
        }
        let mut value = self.scorer.score(&Scorer::values(&known), self.ledger.mean());
        let time = known.link.timely.or(known.link.first_seen);
        if let (Some(RelevanceKind::Default), Some(time)) = (kind, time) {
            value = Damping::default().relevance(value, time);
        }
        // What the archivist says counts as much as all the rest.
        Some(known.link.told.map_or(value, |told| (value + told) / 2.0))
    }

    /// A waiting link leads to what was first seen at that moment: it is hardly from another time, where it names none itself.
    pub fn first_seen(&mut self, key: UrlKey, at: Time) {
        let Some(event) = &self.rules.event else { return };
        if let Some(waiting) = self.ledger.waiting.get_mut(&key) {
            let seen = DocumentTime::exact(at, TimeBasis::Captured);
            waiting.first_seen = Some(event::temporal(event, seen));
        }
    }

    /// Whether values are made of all mentions, so that they can be thought over.
    pub fn combines(&self) -> bool {
        self.rules.combines
    }

    /// The same judge with a topic to begin with, until references come.
    #[must_use]
    pub fn beginning_with(self, topic: Topic) -> Judge {
        Judge { topic: Arc::new(topic), ..self }
    }

    /// The same judge, for whom these terms count so many times as much.
    #[must_use]
    pub fn boosting(mut self, terms: impl IntoIterator<Item = (u64, f32)>) -> Judge {
        self.references.boost(terms);
        self
    }

    /// Whether a link that was taken for `value` is worth so much less that others should come first.
    pub fn has_fallen(&self, key: UrlKey, value: f32) -> Option<f32> {
        self.reconsider(key).filter(|now| *now < value - TOLERANCE)
    }

    /// What each signal says of a waiting link, in their order.
    pub fn signals(&self, key: UrlKey) -> Option<Vec<Said>> {
        let values = Scorer::values(&self.known(key)?);
        let parts = self.scorer.parts(&values);
        let weights = self.scorer.weights().into_iter().zip(&parts);
        Some(
            values
                .iter()
                .zip(weights)
                .map(|(value, (weight, part))| Said { value: *value, weight, part: *part })
                .collect(),
        )
    }

    fn known(&self, key: UrlKey) -> Option<Known<'_>> {
        let link = self.ledger.waiting.get(&key)?;
        Some(Known {
            key,
            link,
            ledger: &self.ledger,
            names_are_sought: self.names != Sought::No,
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
                let before = (!self.rules.combines).then(|| self.ledger.waiting.remove(&link.key)).flatten();
                self.ledger.mention(at, link);
                if before.is_none() {
                    self.lot.offer(link.key);
                }
                let value = self.reconsider(link.key)? * if self.is_patient() { NOT_YET } else { 1.0 };
                self.ledger.waiting.get_mut(&link.key)?.value = value;
                Some(value)
            });
            values.push(value);
        }
        self.ledger.keep_within(self.rules.most_pages, self.rules.most_links);
        Verdict { score: Some(Score::new(relevance)), values, revalued: Vec::new() }
    }

    /// What pages said of their links before the topic was known is heard again. Says which links are worth more by that.
    pub fn hear_again(&mut self, readings: &[Reading]) -> Vec<(UrlKey, f32)> {
        for link in readings.iter().flat_map(|reading| &reading.links).flatten() {
            if let Some(waiting) = self.ledger.waiting.get_mut(&link.key) {
                waiting.hear(link);
            }
        }
        self.reorder()
    }

    /// The waiting links that are worth more than they were: those worth less are noticed before they are fetched.
    fn reorder(&mut self) -> Vec<(UrlKey, f32)> {
        self.since_order = 0;
        if !self.rules.combines {
            return Vec::new();
        }
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

/// How relevant the names in a page make it.
fn named(reading: &Reading, one: f32) -> f32 {
    let without = reading.named.iter().map(|(_, times)| 1.0 - one * (*times as f32 / OFTEN).min(1.0));
    1.0 - without.product::<f32>()
}

/// Chance, the same in every run: which links are fetched to see what is there.
#[derive(Clone, Debug)]
struct Lot {
    state: u64,
    offered: Vec<UrlKey>,
}

impl Default for Lot {
    fn default() -> Self {
        Lot { state: 0x9e37_79b9_7f4a_7c15, offered: Vec::new() }
    }
}

impl Lot {
    /// Links to draw from.
    const MOST: usize = 10_000;

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn falls(&mut self, share: f32) -> bool {
        share > 0.0 && ((self.next() >> 40) as f32) < share * (1u64 << 24) as f32
    }

    fn offer(&mut self, key: UrlKey) {
        if self.offered.len() < Lot::MOST {
            self.offered.push(key);
            return;
        }
        let place = self.next() as usize % Lot::MOST;
        if let Some(old) = self.offered.get_mut(place) {
            *old = key;
        }
    }

    fn draw(&mut self) -> Option<UrlKey> {
        let place = (self.next() as usize).checked_rem(self.offered.len())?;
        Some(self.offered.swap_remove(place))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use annalist_model::spec::{Event, RelevanceKind};
    use annalist_model::{CanonicalUrl, DocumentTime, FoundLink, LinkKind, Page, Time, TimeBasis, UrlKey};
    use jiff::civil::date;

    use super::{FIRST_REVISION, Judge, Rules};
    use crate::addresses::AddressRules;
    use crate::names::Names;
    use crate::reading::{Analyst, Depth};
    use crate::text::ids::id;
    use crate::topic::Topic;

    fn event(relevance: RelevanceKind) -> Event {
        let day = |day| date(2005, 9, day);
        let [lead, cooldown] = [Duration::from_secs(86400), Duration::ZERO];
        Event { from: day(18), until: day(18), lead, cooldown, relevance, weight: 0.5 }
    }

    fn link(url: &str) -> FoundLink {
        FoundLink {
            url: CanonicalUrl::parse(url).unwrap(),
            kind: LinkKind::Anchor,
            anchor: String::new(),
            context: String::new(),
            at: 0..0,
            nofollow: false,
        }
    }

    /// What a page with one link is worth to it, and its link, when it is published so many days before the event.
    fn judged(event: Option<Event>, days: Option<u64>) -> (f32, f32) {
        let topic = Topic::of_terms([(id("debt"), 1.0)].into_iter().collect(), 0.5);
        let mut judge = Judge::new(Rules { event, ..Rules::default() }).beginning_with(topic);
        let page = Page { text: "debt".to_owned(), links: vec![link("http://b.test/")], ..Page::default() };
        let mut reading = Analyst::new(Names::default(), "en").read(&page, &judge.topic(), Depth::Topic);
        let noon = |days| Time::from_millis((13_044 - days) * 86_400_000 + 43_200_000);
        reading.time = days.map(|days| DocumentTime::exact(noon(days), TimeBasis::Published));
        let verdict = judge.take(UrlKey { site: 1, url: 1 }, &reading);
        (verdict.score.unwrap().get(), verdict.values[0].unwrap())
    }

    #[test]
    fn of_pages_that_say_the_same_those_of_the_time_of_the_event_and_their_links_are_worth_more() {
        let told = |days| judged(Some(event(RelevanceKind::Default)), days);
        let (then, before, long_before) = (told(Some(0)), told(Some(1)), told(Some(400)));
        assert!(then.0 > before.0 && before.0 > long_before.0, "{then:?} {before:?} {long_before:?}");
        assert!(then.1 > before.1 && before.1 > long_before.1, "{then:?} {before:?} {long_before:?}");
        assert_eq!(
            told(None),
            judged(None, Some(400)),
            "without a time, or without an event, the content decides"
        );
        assert_eq!(judged(Some(event(RelevanceKind::Content)), Some(400)), judged(None, None));
    }

    #[test]
    fn of_links_that_name_a_time_those_of_the_event_come_first() {
        let value = |kind, url: &str| {
            let rules = Rules { event: Some(event(kind)), ..Rules::default() };
            let topic = Topic::of_terms([(id("debt"), 1.0)].into_iter().collect(), 0.5);
            let mut judge = Judge::new(rules).beginning_with(topic);
            let addresses = AddressRules { event: Some(event(kind)), ..AddressRules::default() };
            let mut analyst = Analyst::new(Names::default(), "en").knowing(addresses);
            let page = Page { text: "debt".to_owned(), links: vec![link(url)], ..Page::default() };
            let reading = analyst.read(&page, &judge.topic(), Depth::Topic);
            judge.take(UrlKey { site: 1, url: 1 }, &reading).values[0].unwrap()
        };
        let of = |url| value(RelevanceKind::Default, url);
        assert!(of("http://b.test/2005/x") > of("http://b.test/2004/x"));
        let content = |url| value(RelevanceKind::Content, url);
        assert_eq!(content("http://b.test/2005/x"), content("http://b.test/2004/x"));
        assert_eq!(
            of("http://b.test/2005/x"),
            content("http://b.test/2005/x"),
            "none is better for its time"
        );
    }

    #[test]
    fn a_link_to_what_was_first_seen_at_another_time_falls_unless_it_names_its_time_itself() {
        let fallen = |url: &str, days: u64| {
            let rules = Rules { event: Some(event(RelevanceKind::Default)), ..Rules::default() };
            let topic = Topic::of_terms([(id("debt"), 1.0)].into_iter().collect(), 0.5);
            let mut judge = Judge::new(rules).beginning_with(topic);
            let addresses =
                AddressRules { event: Some(event(RelevanceKind::Default)), ..AddressRules::default() };
            let mut analyst = Analyst::new(Names::default(), "en").knowing(addresses);
            let page = Page { text: "debt".to_owned(), links: vec![link(url)], ..Page::default() };
            let reading = analyst.read(&page, &judge.topic(), Depth::Topic);
            let value = judge.take(UrlKey { site: 1, url: 1 }, &reading).values[0].unwrap();
            let key = link(url).url.key();
            judge.first_seen(key, Time::from_millis((13_044 - days) * 86_400_000));
            judge.has_fallen(key, value).map(|now| now / value)
        };
        assert_eq!(fallen("http://b.test/x", 0), None);
        assert!(fallen("http://b.test/x", 400).is_some_and(|left| (left - 0.3).abs() < 0.01));
        assert_eq!(fallen("http://b.test/2005/x", 400), None);
    }

    #[test]
    fn to_an_unfocused_crawl_every_page_and_every_link_is_worth_the_same() {
        let told = |days| judged(Some(event(RelevanceKind::None)), days);
        assert_eq!(told(Some(0)), told(Some(400)));
        assert_eq!(told(None), told(Some(400)));
    }

    #[test]
    fn a_topic_to_begin_with_stays_as_long_as_no_reference_comes() {
        let topic = Topic::of_terms([(id("debt"), 1.0)].into_iter().collect(), 0.5);
        let mut judge = Judge::new(Rules::default()).beginning_with(topic);
        let mut analyst = Analyst::new(Names::default(), "en");
        let page = Page { text: "debt".to_owned(), language: Some("en".to_owned()), ..Page::default() };
        for url in 0..u64::from(2 * FIRST_REVISION) {
            let reading = analyst.read(&page, &judge.topic(), Depth::Topic);
            let verdict = judge.take(UrlKey { site: 1, url }, &reading);
            assert!(verdict.score.is_some_and(|score| score.get() > 0.5), "page {url}: {verdict:?}");
        }
    }
}
