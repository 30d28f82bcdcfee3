//! A page as the judge needs it: its terms, the names in it, and what is said at and around each of its links. Reading needs
//! nothing but the page and the topic as it stands, so it is done on many threads at once; what is made of it is in
//! `judge.rs`.

use std::collections::HashMap;
use std::ops::Range;

use annalist_model::page::PartKind;
use annalist_model::{CanonicalUrl, DocumentTime, FoundLink, Hop, Page, UrlKey};
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
    /// When it is from, where that is known: whoever has the page read says so.
    pub time: Option<DocumentTime>,
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
    /// How relevant the time is that its address or its words name.
    pub timely: Option<f32>,
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
    text: Text,
    desk: Desk,
}

impl Analyst {
    pub fn new(names: Names, language: &str) -> Analyst {
        Analyst {
            stems: HashMap::new(),
            names,
            language: language.to_owned(),
            addresses: AddressRules::default(),
            text: Text::default(),
            desk: Desk::default(),
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
        let (text, desk) = (&mut self.text, &mut self.desk);
        text.clear();
        let mut search = (!self.names.is_empty()).then(|| self.names.automaton(language).search(&page.text));
        words(&page.text, stems, |word| {
            if let Some(search) = &mut search {
                search.see(&word);
            }
            if word.is_term() {
                text.push(word, page, topic);
            }
        });
        let hits = search.map(crate::names::Search::into_hits).unwrap_or_default();
        let title = page.title.as_deref().unwrap_or_default();
        words(title, stems, |word| {
            if word.is_term() {
                text.count(word, 1, topic);
            }
        });
        let addresses = &self.addresses;
        let links = page.links.iter().map(|link| {
            let is_page = matches!(link.kind.hop(), Hop::Link | Hop::Manifest | Hop::Inferred);
            is_page.then(|| LinkReading {
                told: addresses.told(&link.url),
                timely: addresses.timely(link),
                ..text.link(link, page, &hits, topic, stems, desk)
            })
        });
        let links: Vec<Option<LinkReading>> = links.collect();
        let targets = targets(&links);
        Reading {
            links,
            vector: text.vector(&targets, topic, depth),
            language: page.language.clone(),
            time: None,
            named: counted(&hits),
        }
    }
}

/// The words of a page in order, with sums by which any stretch of them can be judged.
#[derive(Clone, Debug, Default)]
struct Text {
    words: Vec<Word>,
    /// Before each word: the topic's part in all words so far, and the square of what they weigh.
    sums: Vec<(f32, f32)>,
    /// Each once, in the order they first occur.
    terms: Vec<Counted>,
    /// Where a term is among them.
    places: IdMap<u32>,
    /// How many words of the lead there were.
    lead: usize,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    id: u64,
    count: u32,
    idf: f32,
    /// In the topic; none for what is no part of it and cannot become so.
    weight: Option<f32>,
}

/// What every link needs again.
#[derive(Clone, Debug, Default)]
struct Desk {
    own: Vec<(u64, f32)>,
    address: String,
}

impl Text {
    /// Makes room for the next page: as much as the last one had, if that was no monster.
    fn clear(&mut self) {
        const MOST_KEPT: usize = 50_000;
        if self.words.capacity() > MOST_KEPT {
            *self = Text::default();
        }
        self.words.clear();
        self.sums.clear();
        self.sums.push((0.0, 0.0));
        self.terms.clear();
        self.places.clear();
        self.lead = 0;
    }

    fn push(&mut self, word: Word, page: &Page, topic: &Topic) {
        let is_lead = self.lead < LEAD_WORDS && part(page, word.from).0 == PartKind::Main;
        self.lead += usize::from(is_lead);
        let weight = self.count(word, if is_lead { 1 + LEAD } else { 1 }, topic);
        let (near, square) = self.sums.last().copied().unwrap_or_default();
        self.sums.push((near + weight * word.idf, square + word.idf * word.idf));
        self.words.push(word);
    }

    /// Says what the term weighs in the topic, too: that is looked up once for each.
    fn count(&mut self, word: Word, times: u32, topic: &Topic) -> f32 {
        let fresh = self.terms.len() as u32;
        let place = *self.places.entry(word.id).or_insert(fresh);
        if place == fresh {
            self.terms.push(Counted {
                id: word.id,
                count: 0,
                idf: word.idf,
                weight: topic.considered(word.id),
            });
        }
        let Some(term) = self.terms.get_mut(place as usize) else { return 0.0 };
        term.count += times;
        term.weight.unwrap_or(0.0)
    }

    /// Of words and link targets; both are terms.
    fn vector(&self, targets: &[u64], topic: &Topic, depth: Depth) -> Vector {
        let square = |term: &Counted| f64::from(weight(term.count, term.idf).powi(2));
        let length = self.terms.iter().map(square).sum::<f64>().sqrt() as f32;
        if length == 0.0 {
            return Vector::default();
        }
        let is_wanted = |weight: Option<f32>| depth == Depth::Reference || weight.is_some();
        let words = self.terms.iter().filter(|term| is_wanted(term.weight));
        let words = words.map(|term| (term.id, weight(term.count, term.idf) / length));
        let of_target = TARGETS / (targets.len().max(1) as f32).sqrt();
        let targets = targets.iter().filter(|id| is_wanted(topic.considered(**id)));
        let mut terms: Vec<_> = words.chain(targets.map(|id| (*id, of_target))).collect();
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
        desk: &mut Desk,
    ) -> LinkReading {
        let stands = !link.at.is_empty() && link.at.end <= page.text.len();
        let Desk { own, address } = desk;
        own.clear();
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
        let anchor = nearness(own, topic);
        let said = own.len();
        spell(&link.url, address);
        words(address, stems, |word| {
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
            words: own.as_slice().into(),
            pattern: pattern(&link.url, address),
            told: None,
            timely: None,
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
fn spell(url: &CanonicalUrl, spelled: &mut String) {
    spelled.clear();
    for part in [url.path(), " ", url.query().unwrap_or_default()] {
        let plain = percent_encoding::percent_decode_str(part).decode_utf8_lossy();
        spelled.extend(plain.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }));
    }
}

/// The shape of an address: its host and folder, digits alike. Needs a place to write it.
fn pattern(url: &CanonicalUrl, shape: &mut String) -> u64 {
    let path = url.path();
    let folder = path.rfind('/').and_then(|end| path.get(..end)).unwrap_or_default();
    shape.clear();
    shape.push_str(url.host());
    shape.extend(folder.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }));
    xxh3_64(shape.as_bytes())
}

#[cfg(test)]
mod tests;
