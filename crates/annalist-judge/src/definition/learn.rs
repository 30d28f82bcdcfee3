//! From reference pages and keywords to a definition.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use annalist_model::Page;
use annalist_model::spec;

use super::{DEFAULT_LANGUAGE, Definition, KnownEntity, is_language, sort};
use crate::judge::EVEN;
use crate::reading::{Analyst, Depth, TARGET};
use crate::text::ids::IdMap;
use crate::text::{Language, Stems, Word, pair, words};
use crate::topic::{Background, References, Topic};
use crate::vector::{Vector, weight};

/// What a keyword adds to the weight of a word that is one, or that is a part of one.
const WHOLE_KEYWORD: f32 = 2.0;
const PART_OF_KEYWORD: f32 = 1.5;
/// A keyword that no reference page has weighs as much as so many of the strongest terms do on average.
const STRONGEST: usize = 10;
/// Few phrases say much; the rest are chance.
const MOST_PHRASES: usize = 20;
/// A page that has this share of the keywords, each so often, is as likely relevant as not when nothing but keywords
/// tells. Three times, that is: one of them at its beginning, where words count six times.
const SHARE_OF_KEYWORDS: f32 = 1.0 / 3.0;
const TIMES: u32 = 8;
/// How long the vector of a page of some hundred words is before it is brought to one: the middle of encyclopaedic articles
/// cut to 1500 letters.
const USUAL_LENGTH: f32 = 130.0;
/// Weights are written with three digits.
const DIGITS: f32 = 1000.0;

/// Why there is nothing to learn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unlearnable {
    #[error("nothing says what the topic is: give keywords, entities or reference pages in [topic]")]
    NoTopic,
    #[error(
        "the topic has no words: its keywords, entities and reference pages have none that say anything, or the \
             reference pages have none in common"
    )]
    NoWords,
    #[error("topic.languages: there is no language with the code {0:?}; give ISO 639-1 codes such as \"en\"")]
    Language(String),
}

impl Definition {
    /// Learns what `references` have in common and `background` has not; `topic` is what the archivist said. Pages without
    /// words teach nothing.
    pub fn learn(
        name: &str,
        references: &[Page],
        background: &[Page],
        topic: &spec::Topic,
    ) -> Result<Definition, Unlearnable> {
        if topic.keywords.is_empty() && topic.entities.is_empty() && references.is_empty() {
            return Err(Unlearnable::NoTopic);
        }
        if let Some(code) = topic.languages.iter().find(|code| !is_language(code)) {
            return Err(Unlearnable::Language(code.clone()));
        }
        let entities = topic.entities.iter().map(|entity| KnownEntity {
            name: entity.name.clone(),
            aliases: entity.aliases.clone(),
            seen: 0,
        });
        let mut definition = Definition {
            name: name.to_owned(),
            languages: languages(topic, references),
            keywords: topic.keywords.clone(),
            entities: entities.collect(),
            ..Definition::default()
        };
        let mut class = Class::new(&definition);
        references.iter().for_each(|page| class.take_reference(page));
        background.iter().for_each(|page| class.take_background(page));
        definition.references = class.references.len() as u32;
        definition.background = class.background.pages();
        for (entity, seen) in definition.entities.iter_mut().zip(&class.seen) {
            entity.seen = *seen;
        }
        let learned = class.references.topic(&class.background);
        definition.phrases = class.phrases();
        if learned.terms().is_empty() {
            definition.go_by_keywords()?;
        } else {
            definition.terms = class.terms(&learned, &definition);
            definition.typical = class.typical(&learned, &definition);
        }
        if definition.terms.is_empty() { Err(Unlearnable::NoWords) } else { Ok(definition) }
    }

    /// Without reference pages: the words of the keywords, all alike; of the entities where there are no keywords.
    fn go_by_keywords(&mut self) -> Result<(), Unlearnable> {
        let keyword_parts = parts(&self.keywords, &mut self.stems());
        let names: Vec<String> = self.entities.iter().map(|entity| entity.name.clone()).collect();
        let known = if keyword_parts.is_empty() { parts(&names, &mut self.stems()) } else { keyword_parts };
        let many = known.len() as f32;
        if known.is_empty() {
            return Err(Unlearnable::NoWords);
        }
        let idf = known.iter().map(|part| part.idf).sum::<f32>() / many;
        let had = (many * SHARE_OF_KEYWORDS).max(1.0);
        let cosine = had * weight(TIMES, idf) / USUAL_LENGTH / many.sqrt();
        self.typical = rounded(cosine / EVEN, 10.0 * DIGITS);
        self.terms = known.into_iter().map(|part| (part.surface, 1.0)).collect();
        sort(&mut self.terms);
        Ok(())
    }
}

/// Those the archivist gave, else those of the reference pages, the most frequent first.
fn languages(topic: &spec::Topic, references: &[Page]) -> Vec<String> {
    if !topic.languages.is_empty() {
        return topic.languages.clone();
    }
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for code in references.iter().filter_map(|page| page.language.as_deref()) {
        *counts.entry(code).or_default() += 1;
    }
    let mut codes: Vec<(&str, u32)> = counts.into_iter().collect();
    codes.sort_by_key(|(_, count)| Reverse(*count));
    if codes.is_empty() {
        codes.push((DEFAULT_LANGUAGE, 0));
    }
    codes.into_iter().map(|(code, _)| code.to_owned()).collect()
}

/// A word of a keyword.
struct Part {
    /// Of its stem in each language.
    ids: Vec<u64>,
    surface: String,
    idf: f32,
    boost: f32,
}

/// The words of keywords that say something, each once.
fn parts(keywords: &[String], stems: &mut [Stems]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for keyword in keywords {
        for stems in &mut *stems {
            let mut found: Vec<Word> = Vec::new();
            words(keyword, stems, |word| found.push(word));
            let boost = if found.len() == 1 { WHOLE_KEYWORD } else { PART_OF_KEYWORD };
            for word in found.iter().filter(|word| word.is_term()) {
                let surface = keyword.get(word.from..word.to).unwrap_or_default();
                let same = |part: &&mut Part| part.ids.contains(&word.id) || part.surface == surface;
                match parts.iter_mut().find(same) {
                    Some(known) => {
                        known.boost = known.boost.max(boost);
                        if !known.ids.contains(&word.id) {
                            known.ids.push(word.id);
                        }
                    }
                    None => {
                        let surface = surface.to_owned();
                        parts.push(Part { ids: vec![word.id], surface, idf: word.idf, boost });
                    }
                }
            }
        }
    }
    parts
}

/// What is taken in while pages are read.
struct Class {
    analyst: Analyst,
    language: String,
    stems: HashMap<String, Stems>,
    references: References,
    vectors: Vec<Vector>,
    background: Background,
    /// The same of phrases.
    phrase_references: References,
    phrase_background: Background,
    /// How terms and phrases are written, and how often.
    surfaces: IdMap<BTreeMap<String, u32>>,
    seen: Vec<u32>,
}

impl Class {
    fn new(definition: &Definition) -> Class {
        let entities = Definition { entities: definition.entities.clone(), ..Definition::default() };
        Class {
            analyst: Analyst::new(entities.names(), definition.language()),
            language: definition.language().to_owned(),
            stems: HashMap::new(),
            references: References::default(),
            vectors: Vec::new(),
            background: Background::default(),
            phrase_references: References::default(),
            phrase_background: Background::default(),
            surfaces: IdMap::default(),
            seen: vec![0; definition.entities.len()],
        }
    }

    fn take_reference(&mut self, page: &Page) {
        let reading = self.analyst.read(page, &Topic::default(), Depth::Reference);
        for (name, times) in &reading.named {
            if let Some(seen) = self.seen.get_mut(*name) {
                *seen += times;
            }
        }
        let vector = words_only(&reading.vector);
        let (phrases, written) = self.phrases_of(page);
        for (id, surface) in written {
            *self.surfaces.entry(id).or_default().entry(surface).or_default() += 1;
        }
        self.phrase_references.add(phrases);
        self.references.add(vector.clone());
        self.vectors.push(vector);
    }

    fn take_background(&mut self, page: &Page) {
        let reading = self.analyst.read(page, &Topic::default(), Depth::Reference);
        self.background.add(&words_only(&reading.vector));
        let (phrases, _) = self.phrases_of(page);
        self.phrase_background.add(&phrases);
    }

    /// The phrases of a page, and how its terms and phrases are written there.
    fn phrases_of(&mut self, page: &Page) -> (Vector, Vec<(u64, String)>) {
        let code = page.language.as_deref().unwrap_or(&self.language);
        let stems = self.stems.entry(code.to_owned()).or_insert_with(|| Stems::new(Language::of(code)));
        let mut counted: IdMap<(u32, f32)> = IdMap::default();
        let mut written = Vec::new();
        for text in [page.title.as_deref().unwrap_or_default(), &page.text] {
            let surface = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
            let mut before: Option<Word> = None;
            words(text, stems, |word| {
                if word.is_term() {
                    written.push((word.id, surface(word.from, word.to).to_owned()));
                }
                if let Some(before) = before.filter(|_| word.in_phrase) {
                    let id = pair(before.id, word.id);
                    counted.entry(id).or_insert((0, before.idf.max(word.idf))).0 += 1;
                    let plain = [surface(before.from, before.to), surface(word.from, word.to)].join(" ");
                    written.push((id, plain));
                }
                before = Some(word);
            });
        }
        // What stands there once may be chance.
        counted.retain(|_, (times, _)| *times > 1);
        let mut terms: Vec<(u64, f32)> =
            counted.into_iter().map(|(id, (times, idf))| (id, weight(times, idf))).collect();
        terms.sort_unstable_by_key(|(id, _)| *id);
        let length = terms.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        terms.iter_mut().for_each(|(_, weight)| *weight /= length);
        (Vector::from_sorted(terms), written)
    }

    /// How a term is written most often; the shortest way, in small letters, where that is open.
    fn surface(&self, id: u64) -> Option<&str> {
        let forms = self.surfaces.get(&id)?;
        forms
            .iter()
            .max_by_key(|(form, times)| (**times, Reverse(form.len()), *form))
            .map(|(form, _)| form.as_str())
    }

    fn phrases(&self) -> Vec<(String, f32)> {
        let topic = self.phrase_references.topic(&self.phrase_background);
        let terms = topic.terms().into_iter().take(MOST_PHRASES);
        let named = terms.filter_map(|(id, weight)| Some((self.surface(id)?.to_owned(), weight)));
        scaled(named.collect())
    }

    /// The learned terms with what keywords add to them.
    fn terms(&self, learned: &Topic, definition: &Definition) -> Vec<(String, f32)> {
        let mut stems = definition.stems();
        let keywords = parts(&definition.keywords, &mut stems);
        let strong = learned.terms();
        let strongest = strong.iter().take(STRONGEST);
        let usual = strongest.clone().map(|(_, weight)| weight).sum::<f32>() / strongest.len().max(1) as f32;
        let mut terms: BTreeMap<String, f32> = BTreeMap::new();
        let mut add = |surface: &str, weight: f32| {
            let known = terms.entry(surface.to_owned()).or_default();
            *known = known.max(weight);
        };
        for (id, weight) in &strong {
            let Some(surface) = self.surface(*id).filter(|surface| means(surface, *id, &mut stems)) else {
                continue;
            };
            let keyword = keywords.iter().find(|part| part.ids.contains(id));
            add(surface, weight * keyword.map_or(1.0, |part| part.boost));
        }
        for part in &keywords {
            if part.ids.iter().all(|id| learned.weight(*id) == 0.0) {
                add(&part.surface, usual);
            }
        }
        scaled(terms.into_iter().collect())
    }

    /// How near a typical page is to the corrected terms, when it is as near to the learned ones as references are.
    fn typical(&self, learned: &Topic, definition: &Definition) -> f32 {
        let corrected = definition.topic();
        let mean = |topic: &Topic| {
            let all = self.vectors.iter().map(|vector| topic.cosine(vector)).sum::<f32>();
            all / self.vectors.len().max(1) as f32
        };
        let before = mean(learned);
        let typical =
            if before > 0.0 { learned.typical() * mean(&corrected) / before } else { learned.typical() };
        rounded(typical.min(1.0), 10.0 * DIGITS)
    }
}

/// Whether a word alone is that term again, in one of the languages.
fn means(surface: &str, id: u64, stems: &mut [Stems]) -> bool {
    stems.iter_mut().any(|stems| {
        let mut ids = Vec::new();
        words(surface, stems, |word| ids.push(word.id));
        ids == [id]
    })
}

fn words_only(vector: &Vector) -> Vector {
    Vector::from_sorted(vector.terms().iter().copied().filter(|(id, _)| id & TARGET == 0).collect())
}

/// The strongest becomes 1; what is too weak to be written is left out.
fn scaled(mut terms: Vec<(String, f32)>) -> Vec<(String, f32)> {
    let most = terms.iter().map(|(_, weight)| *weight).fold(f32::MIN_POSITIVE, f32::max);
    terms.iter_mut().for_each(|(_, weight)| *weight = (*weight / most * DIGITS).round() / DIGITS);
    terms.retain(|(_, weight)| *weight > 0.0);
    sort(&mut terms);
    terms
}

/// More than nothing.
fn rounded(number: f32, digits: f32) -> f32 {
    (number * digits).round().max(1.0) / digits
}
