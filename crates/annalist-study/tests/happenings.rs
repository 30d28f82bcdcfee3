//! Topics, happenings and changes of names compared with the society of the test web.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

mod society;

use std::collections::{BTreeMap, HashMap, HashSet};

use annalist_model::Time;
use annalist_study::across::{Renaming, renamings};
use annalist_study::offline::entities::{EntitySettings, entities};
use annalist_study::offline::happenings::{Happening, happenings};
use annalist_study::offline::topics::topics;
use annalist_study::offline::{Corpus, Day, Named, Vocabulary};
use annalist_testweb::{HappeningTruth, RenameTruth, World};

const PAGES: usize = 800;

fn found(corpus: &Corpus) -> Vec<Happening> {
    let vocabulary = Vocabulary::of(corpus, &|_| {}).unwrap();
    let named = Named::of(&entities(corpus, &EntitySettings::default(), &|_| {}).unwrap());
    happenings(corpus, &vocabulary, &named, &|_| {}).unwrap()
}

/// Which happening of the truth one is, by what most of its reports report.
fn meant<'t>(
    found: &Happening,
    reports: &[Option<usize>],
    truth: &'t [HappeningTruth],
) -> Option<&'t HappeningTruth> {
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    let of = |writing: u32| reports.get(writing as usize).copied().flatten();
    found
        .writings
        .iter()
        .filter_map(|(writing, _)| of(*writing))
        .for_each(|id| *votes.entry(id).or_default() += 1);
    let (id, count) = votes.into_iter().max_by_key(|(_, count)| *count)?;
    truth.iter().find(|truth| truth.id == id && 2 * count >= found.writings.len())
}

fn last_day(truth: &HappeningTruth) -> Day {
    Day::of(Time::from_millis(truth.until * 1000 - 1))
}

fn first_day(truth: &HappeningTruth) -> Day {
    Day::of(Time::from_millis(truth.from * 1000))
}

fn reports(world: &World) -> Vec<Option<usize>> {
    let mut pages: HashMap<String, usize> = HashMap::new();
    for truth in world.truth().happenings() {
        pages.extend(truth.pages.iter().map(|url| (url.clone(), truth.id)));
    }
    let first = |url: &str| url.split("&start=").next().unwrap_or_default().to_owned();
    world.truth().said().map(|said| said.happening.or(pages.get(&first(&said.url)).copied())).collect()
}

#[test]
fn what_happened_in_the_society_is_found_with_its_days() {
    let dir = tempfile::tempdir().unwrap();
    let world = society::world(PAGES);
    let corpus = society::corpus(dir.path(), &world);
    let (truth, reports) = (world.truth().happenings(), reports(&world));
    let found = found(&corpus);
    let (mut right, mut hit, mut exact) = (0, HashSet::new(), HashSet::new());
    for one in &found {
        let meant = meant(one, &reports, &truth);
        println!(
            "{} {} {} {:3} of {} {:.2} {:?} | {:?}",
            one.from,
            one.until,
            one.dated,
            one.writings.len(),
            one.sites,
            one.confidence,
            one.title,
            meant.map(|truth| (&truth.title, first_day(truth).to_string(), last_day(truth).to_string()))
        );
        let Some(meant) = meant else { continue };
        right += 1;
        if one.from <= last_day(meant) && first_day(meant) <= one.until {
            hit.insert(meant.id);
        }
        if one.from == first_day(meant) && one.until == last_day(meant) {
            exact.insert(meant.id);
        }
    }
    for missed in truth.iter().filter(|truth| !hit.contains(&truth.id)) {
        println!(
            "missed {} {} {:?} {} pages",
            missed.title,
            first_day(missed),
            missed.language,
            missed.pages.len()
        );
    }
    println!(
        "{} writings; {} of {} found, {} with exact days, {right} of {} right",
        corpus.len(),
        hit.len(),
        truth.len(),
        exact.len(),
        found.len()
    );
    assert!(10 * hit.len() >= 9 * truth.len());
    assert!(10 * right >= 9 * found.len());
}

#[test]
fn topics_of_the_society_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let world = society::world(PAGES);
    let corpus = society::corpus(dir.path(), &world);
    let truth: Vec<usize> = world.truth().said().map(|said| said.topic).collect();
    let vocabulary = Vocabulary::of(&corpus, &|_| {}).unwrap();
    let found = topics(&corpus, &vocabulary, &|_| {}).unwrap();
    let mut members: HashMap<u32, BTreeMap<usize, usize>> = HashMap::new();
    let mut last = None;
    for (writing, topic, _) in &found.memberships {
        if last.replace(*writing) != Some(*writing) {
            *members.entry(*topic).or_default().entry(truth[*writing as usize]).or_default() += 1;
        }
    }
    let (mut pure, mut all) = (0, 0);
    for (number, topic) in (0..).zip(&found.topics) {
        println!("{} {} {} {:?}", topic.language, topic.writings, topic.label, members.get(&number));
        pure += members.get(&number).and_then(|topics| topics.values().max()).copied().unwrap_or_default();
        all += topic.writings as usize;
    }
    println!("{pure} of {all} writings are in a topic with most of their kind, of {} writings", corpus.len());
    assert!(4 * pure >= 3 * all && 10 * all >= 9 * corpus.len() as usize);
}

#[test]
fn names_that_changed_in_the_society_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let world = society::world(PAGES);
    let corpora = [society::corpus(dir.path(), &world)];
    let named = corpora.iter().map(|corpus| entities(corpus, &EntitySettings::default(), &|_| {}).unwrap());
    let named = Named::together(&named.collect::<Vec<_>>());
    let vocabulary = Vocabulary::of_all(&corpora, &|_| {}).unwrap();
    let found = renamings(&corpora, &named, &vocabulary, &|_| {}).unwrap();
    let truth = world.truth().renames();
    let is = |one: &Renaming, truth: &RenameTruth| {
        let is_name = |found: &str, name: &str| name.contains(found) || found.contains(name);
        is_name(&one.before, &truth.from) && is_name(&one.after, &truth.to)
    };
    for one in &found {
        let right = truth.iter().any(|truth| is(one, truth));
        println!(
            "{right} {:.2} {:.2} {} {} {} -> {} {} {:?}",
            one.confidence,
            one.context,
            one.together,
            one.said,
            one.before,
            one.after,
            one.changed,
            one.shared
        );
    }
    for truth in &truth {
        let day = Day::of(Time::from_millis(truth.at * 1000));
        println!("{} {} -> {} {day}", found.iter().any(|one| is(one, truth)), truth.from, truth.to);
    }
    let hit = truth.iter().filter(|truth| found.iter().any(|one| is(one, truth))).count();
    println!("{hit} of {} found", truth.len());
    // The surest are right; some changes are missed, and the less sure are often none.
    assert!(hit >= 4 && found.iter().take(4).all(|one| truth.iter().any(|truth| is(one, truth))));
}
