//! Topics, happenings and changes of names compared with the society of the test web.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failed expectation is a failed test, which may say how far it got"
)]

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
const SEEDS: [u64; 2] = [1, 2];
/// Where most that happens is reported by two or three sites.
const FEW_PAGES: usize = 400;
const FEW_HOSTS: usize = 16;
const SMALL_SEEDS: [u64; 6] = [1, 2, 6, 11, 12, 19];

fn sum<const N: usize>(mut sums: [usize; N], counts: [usize; N]) -> [usize; N] {
    sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    sums
}

fn found(corpus: &Corpus) -> Vec<Happening> {
    let vocabulary = Vocabulary::of(corpus, &()).unwrap();
    let named = Named::of(&entities(corpus, &EntitySettings::default(), &()).unwrap());
    happenings(corpus, &vocabulary, &named, &()).unwrap()
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

/// Whether a title has most of the words by which something is known.
fn names(title: &str, known: &str) -> bool {
    let words: HashSet<String> = title.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let known: Vec<String> = known.to_lowercase().split_whitespace().map(str::to_owned).collect();
    2 * known.iter().filter(|word| words.contains(*word)).count() > known.len()
}

fn reports(world: &World) -> Vec<Option<usize>> {
    let mut pages: HashMap<String, usize> = HashMap::new();
    for truth in world.truth().happenings() {
        pages.extend(truth.pages.iter().map(|url| (url.clone(), truth.id)));
    }
    let first = |url: &str| url.split("&start=").next().unwrap_or_default().to_owned();
    world.truth().said().map(|said| said.happening.or(pages.get(&first(&said.url)).copied())).collect()
}

/// How many happenings there are, how many are found on their days, how many are found at all, how many of these are right, and
/// how many of the right ones have a title that names them.
fn happened(world: &World) -> [usize; 5] {
    let dir = tempfile::tempdir().unwrap();
    let corpus = society::corpus(dir.path(), world);
    let (truth, reports) = (world.truth().happenings(), reports(world));
    let found = found(&corpus);
    let (mut right, mut well_named, mut hit, mut exact) = (0, 0, HashSet::new(), HashSet::new());
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
        well_named += usize::from(names(&one.title, &meant.title));
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
        "{} writings; {} of {} found, {} with exact days, {right} of {} right, {well_named} well named",
        corpus.len(),
        hit.len(),
        truth.len(),
        exact.len(),
        found.len()
    );
    assert!(found.iter().all(|one| !one.title.trim().is_empty()));
    [truth.len(), hit.len(), found.len(), right, well_named]
}

#[test]
fn what_happened_in_the_society_is_found_with_its_days_and_names() {
    let counted = SEEDS.map(|seed| happened(&society::seeded(PAGES, seed)));
    let [all, hit, found, right, well_named] = counted.into_iter().fold([0; 5], sum);
    assert!(10 * hit >= 9 * all && 10 * right >= 9 * found && 10 * well_named >= 9 * right);
}

#[test]
fn what_few_sites_report_is_found_where_they_agree_on_its_days() {
    let counted = SMALL_SEEDS.map(|seed| happened(&society::of_hosts(FEW_HOSTS, FEW_PAGES, seed)));
    let [all, hit, found, right, _] = counted.into_iter().fold([0; 5], sum);
    println!("{hit} of {all} found, {right} of {found} right");
    assert!(10 * hit >= 9 * all && 10 * right >= 9 * found);
}

#[test]
fn topics_of_the_society_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let world = society::world(PAGES);
    let corpus = society::corpus(dir.path(), &world);
    let truth: Vec<usize> = world.truth().said().map(|said| said.topic).collect();
    let vocabulary = Vocabulary::of(&corpus, &()).unwrap();
    let found = topics(&corpus, &vocabulary, &()).unwrap();
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

/// How many changes of names are told (both names in at least three writings), how many of those are found, how many changes are
/// found at all, how many of them are right, and for how many the span of days has the day of the change.
fn renamed(seed: u64) -> [usize; 5] {
    let dir = tempfile::tempdir().unwrap();
    let world = society::seeded(PAGES, seed);
    let corpora = [society::corpus(dir.path(), &world)];
    let named = corpora.iter().map(|corpus| entities(corpus, &EntitySettings::default(), &()).unwrap());
    let named = Named::together(&named.collect::<Vec<_>>());
    let vocabulary = Vocabulary::of_all(&corpora, &()).unwrap();
    let found = renamings(&corpora, &named, &vocabulary, &()).unwrap();
    let truth = world.truth().renames();
    let is = |one: &Renaming, truth: &RenameTruth| {
        let is_name = |found: &str, name: &str| name.contains(found) || found.contains(name);
        is_name(&one.before, &truth.from) && is_name(&one.after, &truth.to)
    };
    for one in &found {
        println!(
            "{} {:.2} {:.2} {} {} {} -> {} {} {:?}",
            truth.iter().any(|truth| is(one, truth)),
            one.confidence,
            one.context,
            one.together,
            one.said,
            one.before,
            one.after,
            one.new_from,
            one.shared
        );
    }
    let mut writings: HashMap<String, usize> = HashMap::new();
    for said in world.truth().said() {
        let names: HashSet<String> = said.mentions.into_iter().map(|mention| mention.text).collect();
        names.into_iter().for_each(|name| *writings.entry(name).or_default() += 1);
    }
    let writings = |name: &str| writings.get(name).copied().unwrap_or_default();
    let told: Vec<&RenameTruth> =
        truth.iter().filter(|one| writings(&one.from) >= 3 && writings(&one.to) >= 3).collect();
    for truth in &told {
        let day = Day::of(Time::from_millis(truth.at * 1000));
        println!("{} {} -> {} {day}", found.iter().any(|one| is(one, truth)), truth.from, truth.to);
    }
    let within = found.iter().filter(|one| {
        let truth = truth.iter().find(|truth| is(one, truth));
        let day = truth.map(|truth| Day::of(Time::from_millis(truth.at * 1000)));
        day.is_some_and(|day| one.old_until <= day && day <= one.new_from)
    });
    let within = within.count();
    let hit = told.iter().filter(|truth| found.iter().any(|one| is(one, truth))).count();
    let right = found.iter().filter(|one| truth.iter().any(|truth| is(one, truth))).count();
    println!("seed {seed}: {hit} of {} told changes, {right} of {} right", told.len(), found.len());
    [told.len(), hit, found.len(), right, within]
}

#[test]
fn names_that_changed_in_the_society_are_found_and_hardly_any_others() {
    let [told, hit, found, right, within] = SEEDS.map(renamed).into_iter().fold([0; 5], sum);
    println!("{hit} of {told} told changes, {right} of {found} right, {within} within their days");
    assert!(told >= 12 && 10 * hit >= 9 * told && 10 * right >= 9 * found);
    assert_eq!(within, right);
}
