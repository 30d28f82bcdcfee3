//! How the archive's authors feel about what they write about: the sentiment of writings, and of what they say about an
//! entity.
//!
//! Not here: which entities there are (`entities`), how results are kept.
//!
//! - `lexicon`: words that tell of an opinion, and those that turn it; `feeling`: what the words of a text come to

mod feeling;
mod lexicon;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entities::{Entities, Kind, Said, Source, Tagger};
use super::{Corpus, CorpusError, Day, Month, StudyWatch, Writing};
use feeling::{Feeling, Felt};
use lexicon::Lexicon;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// From -1, against, to 1, for.
    pub value: f32,
    /// From 0 to 1: the more words tell, and the less they contradict each other, the higher.
    pub confidence: f32,
}

/// What was said about an entity in one month, or in writings without a date.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InMonth {
    pub entity: u32,
    pub month: Option<Month>,
    /// Of the values, each weighed with its confidence.
    pub mean: f32,
    /// Writings with an opinion about the entity.
    pub count: u32,
}

/// What [`opinions`] finds. Writings and entities are given by their places. Where no word tells of an opinion there is
/// none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinions {
    pub writings: Vec<(u32, Opinion)>,
    /// Of a writing about an entity.
    pub entities: Vec<(u32, u32, Opinion)>,
    /// By entity, then by month; what has no date comes first.
    pub months: Vec<InMonth>,
}

/// What is thought in all writings, and what of the entities that were found in them.
pub fn opinions(
    corpus: &Corpus,
    entities: &Entities,
    watch: &dyn StudyWatch,
) -> Result<Opinions, CorpusError> {
    watch.begin("opinions", corpus.len());
    let tagger = Tagger::new(&entities.entities);
    let places: Vec<bool> = entities.entities.iter().map(|entity| entity.kind == Kind::Place).collect();
    let mut opinions = Opinions::default();
    let mut months: BTreeMap<(u32, Option<Month>), (f64, f64, u32)> = BTreeMap::new();
    let mut writing = 0;
    corpus.fold(
        Vec::new,
        |some: &mut Vec<Thought>, writing| some.push(thought(&tagger, &places, &writing)),
        |some| {
            for thought in some {
                opinions.writings.extend(thought.whole.map(|opinion| (writing, opinion)));
                for (entity, opinion) in thought.entities {
                    let Some(entity) = meant(&tagger, entities, writing, entity) else { continue };
                    opinions.entities.push((writing, entity, opinion));
                    let (sum, weight, count) = months.entry((entity, thought.month)).or_default();
                    *sum += f64::from(opinion.value * opinion.confidence);
                    *weight += f64::from(opinion.confidence);
                    *count += 1;
                }
                writing += 1;
            }
        },
        watch,
    )?;
    opinions.months = months
        .into_iter()
        .map(|((entity, month), (sum, weight, count))| {
            let mean = if weight > 0.0 { (sum / weight) as f32 } else { 0.0 };
            InMonth { entity, month, mean, count }
        })
        .collect();
    Ok(opinions)
}

/// Whom a writing means by a surname that several people have, or by what only a model takes for a name: whom it was found to mention.
fn meant(tagger: &Tagger, entities: &Entities, writing: u32, entity: u32) -> Option<u32> {
    let alone = [entity];
    let namesakes = match tagger.namesakes(entity) {
        Some(namesakes) => namesakes,
        None if entities.entities.get(entity as usize)?.source == Source::Model => &alone,
        None => return Some(entity),
    };
    let from = entities.mentions.partition_point(|mention| mention.writing < writing);
    let mentions = entities.mentions.get(from..)?.iter().take_while(|mention| mention.writing == writing);
    mentions.map(|mention| mention.entity).find(|entity| namesakes.contains(entity))
}

/// What one writing thinks.
struct Thought {
    month: Option<Month>,
    whole: Option<Opinion>,
    entities: Vec<(u32, Opinion)>,
}

fn thought(tagger: &Tagger, places: &[bool], writing: &Writing) -> Thought {
    let mut thought = Thought { month: writing.day().map(Day::month), whole: None, entities: Vec::new() };
    let language = writing.language.as_deref().unwrap_or("en");
    let Some(lexicon) = Lexicon::of(language) else { return thought };
    // Who is named in the title is known in the text by the surname.
    let mut said = Said::default();
    tagger.tag(writing.title.as_deref().unwrap_or_default(), language, &mut said);
    let spans = tagger.tag(&writing.text, language, &mut said);
    let felt = Felt::new(&writing.text, &writing.quotes, lexicon, &spans, places);
    thought.whole = felt.whole.opinion(1.0);
    let of_entity =
        |(entity, (feeling, confidence)): (u32, (Feeling, f32))| Some((entity, feeling.opinion(confidence)?));
    thought.entities = felt.entities.into_iter().filter_map(of_entity).collect();
    thought
}

#[cfg(test)]
mod tests;
