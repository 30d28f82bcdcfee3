//! A page as the judge needs it: its terms, the names in it, and what is said at and around each of its links. Reading needs
//! nothing but the page and the topic as it stands, so it is done on many threads at once; what is made of it is in
//! `judge.rs`.

use std::collections::HashMap;
use std::ops::Range;

use annalist_model::page::PartKind;
use annalist_model::{CanonicalUrl, FoundLink, Hop, Page, UrlKey};
use xxhash_rust::xxh3::xxh3_64;

use crate::addresses::AddressRules;
use crate::names::{Hit, Names};
use crate::text::ids::IdMap;
use crate::text::{Language, Stems, Word, words};
use crate::topic::Topic;
use crate::vector::{Vector, weight};

/// How much text on either side of a link is around it.
const AROUND: usize = 100;
/// Of an anchor and an address; the rest says no more.
const MOST_LINK_WORDS: usize = 24;

/// A page as the judge needs it.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Of its terms those that may become part of the topic; all of them when it was read as a reference. Weights are
    /// those in the whole page.
    pub vector: Vector,
    /// What it is written in, where that is known.
    pub language: Option<String>,
    /// Which names it has, and how often.
    pub named: Vec<(usize, u32)>,
    /// As many as the page has links; none for what is no page to go to.
    pub links: Vec<Option<LinkReading>>,
}

/// What is said about a link where it stands. Numbers are nearness to the topic: 1 as near as a typical page.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkReading {
    pub key: UrlKey,
    /// Of the words of the link; none where it has none that say anything.
    pub anchor: Option<f32>,
    pub context: Option<f32>,
    pub part: Option<f32>,
    pub part_kind: PartKind,
    /// Of the words in its address.
    pub address: Option<f32>,
    /// How near a name is: 1 in its words, less in the text around it.
    pub named: Option<f32>,
    /// The words of the link and of its address, each with how much it says.
    pub words: Box<[(u64, f32)]>,
    /// Addresses of one shape have one pattern.
    pub pattern: u64,
    /// What the archivist says such an address is worth.
    pub told: Option<f32>,
}

/// How much the targets of its links count in what a page is about, beside its words: pages of one subject lead to the
/// same lists, tags, authors and neighbours.
const TARGETS: f32 = 0.55;
/// More targets say no more.
const MOST_TARGETS: usize = 1000;
/// Pages say at their beginning what they are about: so many words count so many times more.
const LEAD_WORDS: usize = 100;
const LEAD: u32 = 5;
/// Terms that are targets have this bit, words have not.
pub(crate) const TARGET: u64 = 1 << 63;

/// How much of a page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What the topic is concerned with.
    Topic,
    /// Every term: the page is to define the topic.
    Reference,
}

/// Reads pages, one after the other; keeps what the next page needs again.
#[derive(Clone, Debug)]
pub struct Analyst {
    stems: HashMap<String, Stems>,
    names: Names,
    /// The language of pages that do not tell theirs.
    language: String,
    addresses: AddressRules,
}

impl Analyst {
    pub fn new(names: Names, language: &str) -> Analyst {
        Analyst {
            stems: HashMap::new(),
            names,
            language: language.to_owned(),
            addresses: AddressRules::default(),
        }
    }

    /// The same, knowing what addresses are worth by their looks.
    #[must_use]
    pub fn knowing(self, addresses: AddressRules) -> Analyst {
        Analyst { addresses, ..self }
    }

    pub fn read(&mut self, page: &Page, topic: &Topic, depth: Depth) -> Reading {
        let language = page.language.as_deref().unwrap_or(&self.language);
        if !self.stems.contains_key(language) {
            self.stems.insert(language.to_owned(), Stems::new(Language::of(language)));
        }
        let Some(stems) = self.stems.get_mut(language) else { return Reading::default() };
        let mut text = Text::default();
        let mut search = (!self.names.is_empty()).then(|| self.names.automaton(language).search(&page.text));
        words(&page.text, stems, |word| {
            if let Some(search) = &mut search {
                search.see(&word);
            }
            if word.is_term() {
                let part = part(page, word.from);
                text.push(word, topic, part.0 == PartKind::Main);
            }
        });
        let hits = search.map(crate::names::Search::into_hits).unwrap_or_default();
        let title = page.title.as_deref().unwrap_or_default();
        words(title, stems, |word| text.count(word, 1));
        let addresses = &self.addresses;
        let links = page.links.iter().map(|link| {
            let is_page = matches!(link.kind.hop(), Hop::Link | Hop::Manifest | Hop::Inferred);
            is_page.then(|| LinkReading {
                told: addresses.told(&link.url),
                ..text.link(link, page, &hits, topic, stems)
            })
        });
        let links: Vec<Option<LinkReading>> = links.collect();
        let targets = targets(&links);
        Reading {
            links,
            vector: text.vector(&targets, topic, depth),
            language: page.language.clone(),
            named: counted(&hits),
        }
    }
}

/// The words of a page in order, with sums by which any stretch of them can be judged.
#[derive(Debug, Default)]
struct Text {
    words: Vec<Word>,
    /// Before each word: the topic's part in all words so far, and the square of what they weigh.
    sums: Vec<(f32, f32)>,
    counted: IdMap<(u32, f32)>,
    /// How many words of the lead there were.
    lead: usize,
}

impl Text {
    fn push(&mut self, word: Word, topic: &Topic, is_main: bool) {
        let (near, square) = self.sums.last().copied().unwrap_or_default();
        if self.sums.is_empty() {
            self.sums.push((0.0, 0.0));
        }
        self.sums.push((near + topic.weight(word.id) * word.idf, square + word.idf * word.idf));
        self.words.push(word);
        let is_lead = is_main && self.lead < LEAD_WORDS;
        self.lead += usize::from(is_lead);
        self.count(word, if is_lead { 1 + LEAD } else { 1 });
    }

    fn count(&mut self, word: Word, times: u32) {
        if word.is_term() {
            self.counted.entry(word.id).or_insert((0, word.idf)).0 += times;
        }
    }

    /// Of words and link targets; both are terms.
    fn vector(self, targets: &[u64], topic: &Topic, depth: Depth) -> Vector {
        let weighed = || self.counted.iter().map(|(id, (count, idf))| (*id, weight(*count, *idf)));
        let length = weighed().map(|(_, weight)| f64::from(weight * weight)).sum::<f64>().sqrt() as f32;
        if length == 0.0 {
            return Vector::default();
        }
        let words = weighed().map(|(id, weight)| (id, weight / length));
        let of_target = TARGETS / (targets.len().max(1) as f32).sqrt();
        let all = words.chain(targets.iter().map(|id| (*id, of_target)));
        let mut terms: Vec<_> =
            all.filter(|(id, _)| depth == Depth::Reference || topic.considers(*id)).collect();
        terms.sort_unstable_by_key(|(id, _)| *id);
        Vector::from_sorted(terms)
    }

    fn link(
        &self,
        link: &FoundLink,
        page: &Page,
        hits: &[Hit],
        topic: &Topic,
        stems: &mut Stems,
    ) -> LinkReading {
        let stands = !link.at.is_empty() && link.at.end <= page.text.len();
        let mut own: Vec<(u64, f32)> = Vec::with_capacity(MOST_LINK_WORDS);
        let mut take = |word: &Word| {
            if word.is_term() && own.len() < MOST_LINK_WORDS && !own.iter().any(|(id, _)| *id == word.id) {
                own.push((word.id, word.idf));
            }
        };
        if stands {
            self.stretch(&link.at).iter().for_each(&mut take);
        } else {
            words(&link.anchor, stems, |word| take(&word));
        }
        let anchor = nearness(&own, topic);
        let said = own.len();
        words(&spoken(&link.url), stems, |word| {
            if word.is_term() && own.len() < MOST_LINK_WORDS && !own.iter().any(|(id, _)| *id == word.id) {
                own.push((word.id, word.idf));
            }
        });
        let around = around(&page.text, &link.at);
        let part = part(page, link.at.start);
        LinkReading {
            key: link.url.key(),
            anchor,
            context: stands.then(|| self.nearness(&around, topic)).flatten(),
            part: stands.then(|| self.nearness(&part.1, topic)).flatten(),
            part_kind: part.0,
            address: nearness(own.get(said..).unwrap_or_default(), topic),
            named: stands.then(|| named(hits, &link.at, &around)).flatten(),
            words: own.into(),
            pattern: pattern(&link.url),
            told: None,
        }
    }

    /// The words within a stretch of the text.
    fn stretch(&self, bytes: &Range<usize>) -> &[Word] {
        self.words.get(self.places(bytes)).unwrap_or_default()
    }

    fn places(&self, bytes: &Range<usize>) -> Range<usize> {
        let place = |at: usize| self.words.partition_point(|word| word.from < at);
        place(bytes.start)..place(bytes.end)
    }

    fn nearness(&self, bytes: &Range<usize>, topic: &Topic) -> Option<f32> {
        let places = self.places(bytes);
        let (from, to) = (self.sums.get(places.start)?, self.sums.get(places.end)?);
        let square = to.1 - from.1;
        (square > 0.0).then(|| topic.in_typical((to.0 - from.0) / square.sqrt()))
    }
}

fn nearness(words: &[(u64, f32)], topic: &Topic) -> Option<f32> {
    let near: f32 = words.iter().map(|(id, idf)| topic.weight(*id) * idf).sum();
    let square: f32 = words.iter().map(|(_, idf)| idf * idf).sum();
    (square > 0.0).then(|| topic.in_typical(near / square.sqrt()))
}

/// The line a link stands in, at most so much of it on either side.
fn around(text: &str, at: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let (start, end) = (at.start.min(bytes.len()), at.end.min(bytes.len()));
    let from = start.saturating_sub(AROUND);
    let until = end.saturating_add(AROUND).min(bytes.len());
    let is_line = |byte: &u8| *byte == b'\n';
    let from =
        bytes.get(from..start).and_then(|b| b.iter().rposition(is_line)).map_or(from, |line| from + line);
    let until =
        bytes.get(end..until).and_then(|b| b.iter().position(is_line)).map_or(until, |line| end + line);
    from..until
}

/// The part of the page a place is in.
fn part(page: &Page, at: usize) -> (PartKind, Range<usize>) {
    let after = page.parts.partition_point(|part| part.from <= at);
    let end = page.parts.get(after).map_or(page.text.len(), |next| next.from);
    match after.checked_sub(1).and_then(|at| page.parts.get(at)) {
        Some(part) => (part.kind, part.from..end),
        None => (PartKind::Main, 0..end),
    }
}

fn named(hits: &[Hit], at: &Range<usize>, around: &Range<usize>) -> Option<f32> {
    const IN_CONTEXT: f32 = 0.5;
    let within = |range: &Range<usize>| hits.iter().any(|hit| hit.from < range.end && hit.to > range.start);
    if within(at) { Some(1.0) } else { within(around).then_some(IN_CONTEXT) }
}

/// How often each name is there; an alias within the name is no second time.
fn counted(hits: &[Hit]) -> Vec<(usize, u32)> {
    let mut hits: Vec<&Hit> = hits.iter().collect();
    hits.sort_unstable_by_key(|hit| (hit.name, hit.from));
    let mut names: Vec<(usize, u32)> = Vec::new();
    let mut end = 0;
    for hit in hits {
        match names.last_mut() {
            Some((name, _)) if *name == hit.name && hit.from < end => continue,
            Some((name, times)) if *name == hit.name => *times += 1,
            _ => names.push((hit.name, 1)),
        }
        end = hit.to;
    }
    names
}

/// A page that is led to, as a term.
fn target(key: UrlKey) -> u64 {
    key.url | TARGET
}

/// The pages a page leads to, each once, as terms.
fn targets(links: &[Option<LinkReading>]) -> Vec<u64> {
    let mut targets: Vec<u64> = links.iter().flatten().map(|link| target(link.key)).collect();
    targets.sort_unstable();
    targets.dedup();
    targets.truncate(MOST_TARGETS);
    targets
}

/// The words of an address: what its path and query spell, without the signs.
pub(crate) fn spoken(url: &CanonicalUrl) -> String {
    let url = url.as_url();
    let raw = [url.path(), url.query().unwrap_or_default()].join(" ");
    let plain = percent_encoding::percent_decode_str(&raw).decode_utf8_lossy();
    plain.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect()
}

/// The shape of an address: its host and folder, digits alike.
fn pattern(url: &CanonicalUrl) -> u64 {
    let path = url.path();
    let folder = path.rfind('/').and_then(|end| path.get(..end)).unwrap_or_default();
    let shape: String = folder.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    xxh3_64(format!("{}{shape}", url.host()).as_bytes())
}

#[cfg(test)]
mod tests;
