//! Entities and opinions of a web that knows its people: what is found against what is true.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a failed expectation is a failed test")]

use std::collections::{BTreeMap, BTreeSet};

use annalist_study::offline::Corpus;
use annalist_study::offline::entities::{Entities, EntitySettings, Kind, entities};
use annalist_study::offline::opinions::opinions;
use annalist_testweb::{EntityKind, EntityTruth, Language, SaidTruth};

mod society;

/// What has to be reached, of 1.
const ENOUGH: f64 = 0.9;
/// How often the sign of an opinion has to be right, of 1.
const OFTEN: f64 = 0.8;

struct Society {
    truth: Vec<EntityTruth>,
    said: Vec<SaidTruth>,
    corpus: Corpus,
    _dir: tempfile::TempDir,
}

fn known_society() -> Society {
    let dir = tempfile::tempdir().unwrap();
    let world = society::world(600);
    let corpus = society::corpus(dir.path(), &world);
    Society { truth: world.truth().entities(), said: world.truth().said().collect(), corpus, _dir: dir }
}

fn kind(kind: EntityKind) -> Kind {
    match kind {
        EntityKind::Person => Kind::Person,
        EntityKind::Place => Kind::Place,
        EntityKind::Organisation => Kind::Organisation,
    }
}

/// Which true entity each that was found is: one of its names is its, and it is of its kind.
fn identified(found: &Entities, truth: &[EntityTruth]) -> Vec<Option<usize>> {
    let mut names: BTreeMap<&str, Vec<&EntityTruth>> = BTreeMap::new();
    for entity in truth {
        for spelling in &entity.spellings {
            names.entry(spelling).or_default().push(entity);
        }
    }
    let of = |name: &str, found: Kind| -> Option<usize> {
        let called = names.get(name)?.iter().filter(|entity| kind(entity.kind) == found);
        // Several have one family name: that alone is nobody's.
        let mut called: Vec<usize> = called.map(|entity| entity.id).collect();
        called.dedup();
        (called.len() == 1).then(|| called.first().copied())?
    };
    found.entities.iter().map(|entity| of(&entity.name, entity.kind)).collect()
}

/// Precision, recall and F1.
fn measured(
    found: &BTreeSet<(u32, Option<usize>)>,
    truth: &BTreeSet<(u32, Option<usize>)>,
) -> (f64, f64, f64) {
    let right = found.intersection(truth).count() as f64;
    let (precision, recall) = (right / found.len().max(1) as f64, right / truth.len().max(1) as f64);
    (precision, recall, 2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE))
}

#[test]
fn people_places_and_organisations_are_found_where_they_are_named() {
    let society = known_society();
    let found = entities(&society.corpus, &EntitySettings::default(), &()).unwrap();
    let known = identified(&found, &society.truth);
    let mut all = Vec::new();
    for language in [Language::English, Language::German, Language::French, Language::Greek] {
        let of_language = |writing: u32| society.said[writing as usize].language == language;
        let named: BTreeSet<(u32, Option<usize>)> = (0_u32..)
            .zip(&society.said)
            .flat_map(|(at, said)| said.mentions.iter().map(move |mention| (at, Some(mention.entity))))
            .filter(|(at, _)| of_language(*at))
            .collect();
        // What is found and not true is wrong, each entity by itself.
        let mentions: BTreeSet<(u32, Option<usize>)> = found
            .mentions
            .iter()
            .filter(|mention| of_language(mention.writing))
            .map(|mention| {
                let entity = mention.entity as usize;
                (mention.writing, known[entity].or(Some(usize::MAX - entity)))
            })
            .collect();
        let (precision, recall, f1) = measured(&mentions, &named);
        println!("{language:?}: precision {precision:.3}, recall {recall:.3}, F1 {f1:.3}");
        all.push((language, f1));
    }
    assert!(all.iter().all(|(_, f1)| *f1 >= ENOUGH), "{all:?}");
}

#[test]
fn praise_and_blame_are_told_apart() {
    let society = known_society();
    let found = entities(&society.corpus, &EntitySettings::default(), &()).unwrap();
    let known = identified(&found, &society.truth);
    let thought = opinions(&society.corpus, &found, &()).unwrap();
    let whole: BTreeMap<u32, f32> =
        thought.writings.iter().map(|(at, opinion)| (*at, opinion.value)).collect();
    let mut of: BTreeMap<(u32, usize), f32> = BTreeMap::new();
    for (at, entity, opinion) in &thought.entities {
        if let Some(entity) = known[*entity as usize] {
            of.insert((*at, entity), opinion.value);
        }
    }
    let mut agree: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
    for (at, said) in (0_u32..).zip(&society.said) {
        let mut judge = |what, truth: i32, value: Option<f32>| {
            if truth != 0 {
                let (right, all) = agree.entry((what, said.language.code())).or_default();
                *right += f64::from(value.is_some_and(|value| value * truth as f32 > 0.0));
                *all += 1.0;
            }
        };
        judge("writing", i32::from(said.attitude), whole.get(&at).copied());
        let mut sums: BTreeMap<usize, i32> = BTreeMap::new();
        for opinion in &said.opinions {
            *sums.entry(opinion.entity).or_default() += i32::from(opinion.polarity);
        }
        for (entity, sum) in sums {
            judge("entity", sum, of.get(&(at, entity)).copied());
        }
    }
    for ((what, language), (right, all)) in &agree {
        println!("{what} {language}: {:.3} of {all}", right / all);
    }
    assert!(agree.len() == 8 && agree.values().all(|(right, all)| right / all >= OFTEN), "{agree:?}");
}
