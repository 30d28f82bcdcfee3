//! Which people, places and organisations the archive writes about, and with whom.
//!
//! Not here: what is said about them (`opinions`), how results are kept.
//!
//! - `learn`: the first way through the archive; `runs`: words with capitals side by side; `lists`: words that tell what stands beside them
//! - `decide`: what is a name, and of what; `merge`: which spellings are one; `fold`: the forms of a name
//! - `tag`: the second way: who is meant in each writing

mod decide;
mod fold;
mod learn;
mod lists;
mod merge;
mod runs;
mod tag;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Corpus, CorpusError, Writing};
use learn::{Learned, Map};
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
    /// When the first and the last of them are from, milliseconds since 1970.
    pub first: u64,
    pub last: u64,
    /// That it is a name, and of this kind; from 0 to 1.
    pub confidence: f32,
}

/// An entity in a writing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mention {
    /// The writing's place in the corpus.
    pub writing: u32,
    /// The entity's place among the entities.
    pub entity: u32,
    pub count: u32,
    /// Lower where nothing but a surname tells who is meant.
    pub confidence: f32,
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
}

/// A name that the archivist gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub name: String,
    pub aliases: Vec<String>,
}

/// What entities are looked for, and how many.
#[derive(Clone, Debug, PartialEq)]
pub struct EntitySettings {
    /// Always looked for, whatever the archive says.
    pub known: Vec<Known>,
    /// Beyond these, the rarest are left out.
    pub most_entities: usize,
    pub most_together: usize,
}

impl Default for EntitySettings {
    fn default() -> EntitySettings {
        EntitySettings { known: Vec::new(), most_entities: 50_000, most_together: 10_000 }
    }
}

/// All entities of an archive, who is mentioned where, and with whom. Goes through the writings twice; `done` hears of each of
/// them twice.
pub fn entities(
    corpus: &Corpus,
    settings: &EntitySettings,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Entities, CorpusError> {
    let mut learned = Learned::default();
    corpus.fold(
        Learned::default,
        |learned, writing| learned.take(&writing),
        |some| learned.join(some),
        done,
    )?;
    let names = decide::names(&learned);
    let mut found = merge::merged(&settings.known, names, &learned);
    drop(learned);
    found.truncate(settings.most_entities.max(settings.known.len()));
    let tagger = Tagger::new(&found);
    let mut counted = Counted::default();
    corpus.fold(
        Vec::new,
        |some: &mut Vec<Tagged>, writing| some.push(tagged(&tagger, &writing)),
        |some| some.into_iter().for_each(|tagged| counted.take(tagged)),
        done,
    )?;
    Ok(counted.entities(found, settings.most_together))
}

/// What one writing mentions.
struct Tagged {
    time: u64,
    /// By entity: how often, and how surely.
    mentions: BTreeMap<u32, (u32, f32)>,
}

fn tagged(tagger: &Tagger, writing: &Writing) -> Tagged {
    let mut said = Said::default();
    let language = writing.language.as_deref().unwrap_or("en");
    let mut mentions: BTreeMap<u32, (u32, f32)> = BTreeMap::new();
    for text in [writing.title.as_deref().unwrap_or_default(), &writing.text] {
        for span in tagger.tag(text, language, &mut said) {
            let (count, confidence) = mentions.entry(span.entity).or_default();
            *count += 1;
            *confidence = confidence.max(span.confidence);
        }
    }
    Tagged { time: writing.published.unwrap_or(writing.captured), mentions }
}

#[derive(Default)]
struct Counted {
    writings: u32,
    mentions: Vec<Mention>,
    /// By entity: writings, mentions, first, last.
    totals: BTreeMap<u32, (u32, u32, u64, u64)>,
    pairs: Map<(u32, u32), u32>,
}

impl Counted {
    fn take(&mut self, tagged: Tagged) {
        for (entity, (count, confidence)) in &tagged.mentions {
            self.mentions.push(Mention {
                writing: self.writings,
                entity: *entity,
                count: *count,
                confidence: *confidence,
            });
            let total = self.totals.entry(*entity).or_insert((0, 0, u64::MAX, 0));
            *total = (total.0 + 1, total.1 + count, total.2.min(tagged.time), total.3.max(tagged.time));
        }
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

    /// Those that are mentioned, most of all first, and everything else by their new places.
    fn entities(mut self, found: Vec<Entity>, most_together: usize) -> Entities {
        let mut entities: Vec<(u32, Entity)> = (0..).zip(found).collect();
        entities.retain(|(old, _)| self.totals.contains_key(old));
        for (old, entity) in &mut entities {
            let (writings, mentions, first, last) = self.totals.get(old).copied().unwrap_or_default();
            (entity.writings, entity.mentions, entity.first, entity.last) = (writings, mentions, first, last);
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
        Entities { entities, mentions: self.mentions, together }
    }
}

#[cfg(test)]
mod tests;
