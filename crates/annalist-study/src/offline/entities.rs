//! Which people, places and organisations the archive writes about, and with whom.
//!
//! Not here: what is said about them (`opinions`), how results are kept.
//!
//! - `learn`: the first way through the archive; `runs`: words with capitals side by side; `lists`: words that tell what stands beside them
//! - `decide`: what is a name, and of what; `merge`: which spellings are one; `fold`: the forms of a name
//! - `tag`: the second way: who is meant in each writing
//! - `model`: a model that marks names, if one is given; `marks`: what it marked

mod decide;
mod fold;
mod learn;
mod lists;
mod marks;
mod merge;
pub mod model;
mod runs;
mod tag;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Corpus, CorpusError, Day, StudyWatch, Writing};
use fold::name_key;
use learn::{Learned, Map};
use marks::Marks;
use model::{Model, ModelError};
pub(crate) use tag::{Said, Span, Tagger};

/// Of one writing, so that a list of names makes no pairs of all of them.
const MOST_IN_A_WRITING: usize = 40;
/// Beyond these, pairs that were together once are forgotten.
const MOST_PAIRS: usize = 2_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Person,
    Place,
    Organisation,
    /// A name of something else, or nothing tells of what.
    #[default]
    Other,
}

/// By what a name was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// By the words around it and lists of names, or because the archivist gave it.
    #[default]
    Words,
    /// By the model alone: mentioned where the model marked it, and nowhere else.
    Model,
    Both,
}

impl Source {
    fn and(self, other: Source) -> Source {
        if self == other { self } else { Source::Both }
    }
}

/// Somebody or something with a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// The fullest of its usual spellings.
    pub name: String,
    pub kind: Kind,
    /// Other spellings that stand for it wherever they occur.
    pub aliases: Vec<String>,
    /// How many writings mention it.
    pub writings: u32,
    /// How often they do.
    pub mentions: u32,
    /// When the first and the last of those with a date were published.
    pub first: Option<Day>,
    pub last: Option<Day>,
    /// How many of the writings have no date.
    pub undated: u32,
    /// That it is a name, and of this kind; from 0 to 1.
    pub confidence: f32,
    pub source: Source,
}

/// An entity in a writing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mention {
    /// The writing's place in the corpus.
    pub writing: u32,
    /// The entity's place among the entities.
    pub entity: u32,
    pub count: u32,
    /// Lower where nothing but a surname tells who is meant, higher where the model says so too.
    pub confidence: f32,
    pub source: Source,
}

/// Two entities that the same writings mention.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Together {
    pub one: u32,
    pub other: u32,
    pub writings: u32,
}

/// What [`entities`] finds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entities {
    /// Those that most writings mention first.
    pub entities: Vec<Entity>,
    /// In the order of the writings.
    pub mentions: Vec<Mention>,
    /// Those that are most often together first.
    pub together: Vec<Together>,
    /// What the model is called, if one was asked.
    pub model: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum EntitiesError {
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// A name that the archivist gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub name: String,
    pub aliases: Vec<String>,
    /// `Other` where the archivist said nothing: the archive tells.
    pub kind: Kind,
}

/// What entities are looked for, and how many.
#[derive(Clone, Debug, PartialEq)]
pub struct EntitySettings {
    /// Always looked for, whatever the archive says.
    pub known: Vec<Known>,
    /// Beyond these, the rarest are left out.
    pub most_entities: usize,
    pub most_together: usize,
    /// Asked about every writing; without one, words tell.
    pub model: Option<Model>,
}

impl Default for EntitySettings {
    fn default() -> EntitySettings {
        EntitySettings { known: Vec::new(), most_entities: 50_000, most_together: 10_000, model: None }
    }
}

/// All entities of an archive, who is mentioned where, and with whom. Goes through the writings twice.
pub fn entities(
    corpus: &Corpus,
    settings: &EntitySettings,
    watch: &dyn StudyWatch,
) -> Result<Entities, EntitiesError> {
    watch.begin("entities: learning names", corpus.len());
    let (mut learned, mut marks) = (Learned::default(), Ok(Marks::default()));
    corpus.fold(
        || (Learned::default(), Ok(Marks::default())),
        |(learned, marks), writing| {
            marks::take(settings.model.as_ref(), &writing, learned, marks, watch);
        },
        |(some, marked)| {
            learned.join(some);
            marks::join(&mut marks, marked);
        },
        watch,
    )?;
    let marks = marks?;
    let names = decide::names(&learned);
    let mut found = merge::merged(&settings.known, names, &learned);
    drop(learned);
    found.truncate(settings.most_entities.max(settings.known.len()));
    let tagger = Tagger::new(&found);
    let mut counted = Counted { marks, ..Counted::default() };
    let by_model = settings.model.is_some();
    watch.begin("entities: finding names", corpus.len());
    corpus.fold(
        Vec::new,
        |some: &mut Vec<Tagged>, writing| some.push(tagged(&tagger, &writing, by_model)),
        |some| some.into_iter().for_each(|tagged| counted.take(&tagger, &found, tagged)),
        watch,
    )?;
    counted.settle(&tagger);
    let entities = counted.entities(found, settings.most_together);
    Ok(Entities { model: settings.model.as_ref().map(|model| model.name().to_owned()), ..entities })
}

/// What one writing mentions.
struct Tagged {
    day: Option<Day>,
    /// The thread it stands in, or its page: who is named there is known to all who write there.
    thread: u64,
    /// By entity.
    mentions: BTreeMap<u32, Called>,
}

/// How an entity is called in a writing.
#[derive(Default)]
struct Called {
    count: u32,
    confidence: f32,
    /// By which names, if a model may have marked them.
    names: Vec<u64>,
}

fn tagged(tagger: &Tagger, writing: &Writing, by_model: bool) -> Tagged {
    let mut said = Said::default();
    let language = writing.language.as_deref().unwrap_or("en");
    let mut mentions: BTreeMap<u32, Called> = BTreeMap::new();
    for text in [writing.title.as_deref().unwrap_or_default(), &writing.text] {
        for span in tagger.tag(text, language, &mut said) {
            let called = mentions.entry(span.entity).or_default();
            called.count += 1;
            called.confidence = called.confidence.max(span.confidence);
            if by_model {
                let name = name_key(text.get(span.from..span.to).unwrap_or_default());
                if !called.names.contains(&name) {
                    called.names.push(name);
                }
            }
        }
    }
    let thread = xxh3_64(writing.thread.as_ref().unwrap_or(&writing.url).as_bytes());
    Tagged { day: writing.day(), thread, mentions }
}

/// Of the writings that mention an entity.
#[derive(Clone, Copy, Default)]
struct Total {
    writings: u32,
    mentions: u32,
    undated: u32,
    first: Option<Day>,
    last: Option<Day>,
}

#[derive(Default)]
struct Counted {
    writings: u32,
    mentions: Vec<Mention>,
    totals: BTreeMap<u32, Total>,
    pairs: Map<(u32, u32), u32>,
    /// People with namesakes, by the threads that name them.
    threads: Map<u64, BTreeSet<u32>>,
    /// Surnames alone that several people have, with thread and day.
    open: Vec<(Mention, u64, Option<Day>)>,
    marks: Marks,
}

impl Counted {
    fn take(&mut self, tagger: &Tagger, found: &[Entity], mut tagged: Tagged) {
        let writing = self.writings;
        tagged.mentions.retain(|entity, called| {
            let marked =
                called.names.iter().filter_map(|name| self.marks.of(writing, *name)).reduce(f32::max);
            let alone = found.get(*entity as usize).is_some_and(|entity| entity.source == Source::Model);
            let sure = called.confidence;
            let (confidence, source) = match marked {
                None if alone => return false,
                None => (sure, Source::Words),
                Some(marked) if alone => (sure * marked, Source::Model),
                Some(marked) => (sure + (1.0 - sure) * marked, Source::Both),
            };
            let mention = Mention { writing, entity: *entity, count: called.count, confidence, source };
            let open = tagger.namesakes(*entity).is_some();
            if open {
                self.open.push((mention, tagged.thread, tagged.day));
            } else {
                if tagger.has_namesakes(*entity) {
                    self.threads.entry(tagged.thread).or_default().insert(*entity);
                }
                self.add(mention, tagged.day);
            }
            !open
        });
        let some: Vec<u32> = tagged.mentions.keys().copied().take(MOST_IN_A_WRITING).collect();
        for (at, one) in some.iter().enumerate() {
            for other in some.iter().skip(at + 1) {
                *self.pairs.entry((*one, *other)).or_default() += 1;
            }
        }
        let mut least = 1;
        while self.pairs.len() > MOST_PAIRS {
            self.pairs.retain(|_, writings| *writings > least);
            least += 1;
        }
        self.writings += 1;
    }

    fn add(&mut self, mention: Mention, day: Option<Day>) {
        let total = self.totals.entry(mention.entity).or_default();
        total.writings += 1;
        total.mentions += mention.count;
        total.undated += u32::from(day.is_none());
        total.first = total.first.into_iter().chain(day).min();
        total.last = total.last.max(day);
        self.mentions.push(mention);
    }

    /// Gives surnames to the one of several people who is named in the thread. Where none or several are, it stays open.
    fn settle(&mut self, tagger: &Tagger) {
        // A writing may name somebody whole as well: that is one mention of both.
        let mut known: Map<(u32, u32), usize> = Map::default();
        for (place, mention) in self.mentions.iter().enumerate() {
            if tagger.has_namesakes(mention.entity) {
                known.insert((mention.writing, mention.entity), place);
            }
        }
        for (mention, thread, day) in std::mem::take(&mut self.open) {
            let Some(named) = self.threads.get(&thread) else { continue };
            let namesakes = tagger.namesakes(mention.entity).unwrap_or_default();
            let mut meant = namesakes.iter().filter(|entity| named.contains(entity));
            let (Some(entity), None) = (meant.next().copied(), meant.next()) else { continue };
            let place = known.entry((mention.writing, entity)).or_insert(self.mentions.len());
            if let Some(whole) = self.mentions.get_mut(*place) {
                whole.count += mention.count;
                whole.confidence = whole.confidence.max(mention.confidence);
                self.totals.entry(entity).or_default().mentions += mention.count;
            } else {
                self.add(Mention { entity, ..mention }, day);
            }
        }
    }

    /// Those that are mentioned, most of all first, and everything else by their new places.
    fn entities(mut self, found: Vec<Entity>, most_together: usize) -> Entities {
        let mut entities: Vec<(u32, Entity)> = (0..).zip(found).collect();
        entities.retain(|(old, _)| self.totals.contains_key(old));
        for (old, entity) in &mut entities {
            let total = self.totals.get(old).copied().unwrap_or_default();
            (entity.writings, entity.mentions, entity.undated) =
                (total.writings, total.mentions, total.undated);
            (entity.first, entity.last) = (total.first, total.last);
        }
        entities.sort_by(|(_, a), (_, b)| {
            b.writings.cmp(&a.writings).then(b.mentions.cmp(&a.mentions)).then_with(|| a.name.cmp(&b.name))
        });
        let places: Map<u32, u32> = entities.iter().map(|(old, _)| *old).zip(0..).collect();
        let place = |old: u32| places.get(&old).copied().unwrap_or(u32::MAX);
        for mention in &mut self.mentions {
            mention.entity = place(mention.entity);
        }
        self.mentions.sort_by_key(|mention| (mention.writing, mention.entity));
        let mut together: Vec<Together> = self
            .pairs
            .into_iter()
            .filter(|(_, writings)| *writings > 1)
            .map(|((one, other), writings)| {
                let (one, other) = (place(one), place(other));
                Together { one: one.min(other), other: one.max(other), writings }
            })
            .collect();
        together.sort_by_key(|pair| (std::cmp::Reverse(pair.writings), pair.one, pair.other));
        together.truncate(most_together);
        let entities = entities.into_iter().map(|(_, entity)| entity).collect();
        Entities { entities, mentions: self.mentions, together, model: None }
    }
}

#[cfg(test)]
mod tests;
