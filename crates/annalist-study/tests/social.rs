//! Social analysis compared with the society of the test web.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

mod society;

use std::collections::{BTreeMap, BTreeSet};

use annalist_study::offline::social::{Author, Counts, social};
use annalist_testweb::BondTruth;

#[test]
fn every_text_of_the_society_is_a_writing_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let world = society::world(300);
    let corpus = society::corpus(dir.path(), &world);
    let ids: BTreeSet<String> = world.truth().said().map(|said| society::id(&said)).collect();
    assert_eq!(ids.len() as u64, corpus.len());
    assert!(corpus.len() > 500);
}

#[test]
fn answers_and_quotes_are_those_of_the_truth_and_influence_follows_them() {
    let dir = tempfile::tempdir().unwrap();
    let world = society::world(600);
    let found = social(&society::corpus(dir.path(), &world), &()).unwrap();
    let is_nickname = |place: usize| !found.authors[place].name.contains(' ');
    let ties = |count: fn(&Counts) -> u64| -> BTreeMap<(String, String, String), u64> {
        let counted = found.ties.iter().filter(|tie| count(&tie.counts) > 0 && is_nickname(tie.to));
        counted
            .map(|tie| {
                let (from, to) = (&found.authors[tie.from], &found.authors[tie.to]);
                ((from.site.clone(), from.name.clone(), to.name.clone()), count(&tie.counts))
            })
            .collect()
    };
    let bonds = |bonds: Vec<BondTruth>| -> BTreeMap<(String, String, String), u64> {
        let others = bonds.into_iter().filter(|bond| bond.from != bond.to);
        others.map(|bond| ((bond.site, bond.from, bond.to), bond.times as u64)).collect()
    };
    assert_eq!(ties(|counts| counts.replies), bonds(world.truth().replies()));
    assert_eq!(ties(|counts| counts.quotes), bonds(world.truth().quotes()));
    let sum: f64 = found.authors.iter().map(|author| author.influence).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    let received = |author: &Author| author.received.replies + author.received.quotes + author.received.links;
    let (top, rest) = found.authors.split_at(found.authors.len() / 4);
    let mean = |authors: &[Author]| authors.iter().map(received).sum::<u64>() as f64 / authors.len() as f64;
    assert!(mean(top) > 2.0 * mean(rest), "{} {}", mean(top), mean(rest));
    assert!(found.ties.iter().all(|tie| tie.confidence > 0.5 && tie.confidence <= 1.0));
}

#[test]
fn the_result_is_the_same_every_time() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = society::corpus(dir.path(), &society::world(200));
    assert_eq!(social(&corpus, &()).unwrap(), social(&corpus, &()).unwrap());
}
