use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use annalist_knowledge::Watch;

use super::{Place, associations, news, renamings};
use crate::offline::entities::{EntitySettings, entities};
use crate::offline::{Corpus, CorpusError, Day, Named, StudyWatch, Vocabulary, Writing};

const ANYTHING: &str =
    "morning people street garden letter window summer table music school money winter doctor river friend";

fn writing(number: usize, day: i32, text: String) -> Writing {
    Writing {
        id: format!("http://a.test/{number}"),
        url: format!("http://a.test/{number}"),
        text,
        title: Some(format!("Number {number}")),
        language: Some("en".to_owned()),
        published: Some(Day(day).millis()),
        ..Writing::default()
    }
}

fn anything(number: usize) -> &'static str {
    ANYTHING.split(' ').nth(number * 7 % 15).unwrap()
}

fn corpus(dir: &std::path::Path, name: &str, writings: impl Iterator<Item = Writing>) -> Corpus {
    Corpus::write(&dir.join(name), writings).unwrap()
}

/// A party that has another name in the second crawl, among others that keep theirs.
fn party(n: usize, day: i32) -> Writing {
    let party = if day < 15_500 { "Orange Alliance" } else { "Citizens Forum" };
    let text = match n % 4 {
        0 => format!(
            "We heard that the {party} wants cheaper trains, said Marta Lind about the {}.",
            anything(n)
        ),
        1 => {
            format!("Nobody but the {party} speaks of railway tickets and Marta Lind of the {}.", anything(n))
        }
        2 => format!("Then the Harbour Club opened the {} and the fishermen sang.", anything(n)),
        _ => format!("So the Mountain Club closed the {} for the skiers.", anything(n)),
    };
    writing(n, day, text)
}

fn named(corpora: &[Corpus]) -> Vec<Named> {
    let of = |corpus: &Corpus| entities(corpus, &EntitySettings::default(), &()).unwrap();
    Named::together(&corpora.iter().map(of).collect::<Vec<_>>())
}

fn two_crawls(dir: &std::path::Path) -> [Corpus; 2] {
    [
        corpus(
            dir,
            "one",
            (0..120).map(|n| Writing {
                captured: Day(17_000).time().millis(),
                ..party(n, 15_000 + n as i32 * 4)
            }),
        ),
        corpus(dir, "two", (60..240).map(|n| party(n, 15_000 + n as i32 * 4))),
    ]
}

#[test]
fn a_name_that_gives_way_to_another_in_the_same_surroundings_is_a_change_of_name() {
    let dir = tempfile::tempdir().unwrap();
    let corpora = two_crawls(dir.path());
    let named = named(&corpora);
    let vocabulary = Vocabulary::of_all(&corpora, &()).unwrap();
    let found = renamings(&corpora, &named, &vocabulary, &()).unwrap();
    let pairs: Vec<_> = found.iter().map(|one| (one.before.as_str(), one.after.as_str())).collect();
    assert_eq!(pairs, [("Orange Alliance", "Citizens Forum")], "{found:#?}");
    let (last, first) = (found[0].old_until, found[0].new_from);
    assert!(last < Day(15_500) && Day(15_500) <= first && first.0 - last.0 < 30, "{last} {first}");
    assert!(found[0].shared.iter().any(|shared| shared == "Marta Lind") && !found[0].evidence.is_empty());
}

/// Those of which one is a part of the other, and of which so many writings keep the old one.
fn grown(before: &str, after: &str, keeping: usize) -> Vec<(String, String)> {
    let dir = tempfile::tempdir().unwrap();
    let text = |n: usize| {
        let one = party(n, 15_000 + n as i32 * 4);
        let after = if keeping > 0 && n % keeping < 2 { before } else { after };
        Writing { text: one.text.replace("Orange Alliance", before).replace("Citizens Forum", after), ..one }
    };
    let corpora = [corpus(dir.path(), "one", (0..240).map(text))];
    let vocabulary = Vocabulary::of_all(&corpora, &()).unwrap();
    let found = renamings(&corpora, &named(&corpora), &vocabulary, &()).unwrap();
    found.into_iter().map(|one| (one.before, one.after)).collect()
}

#[test]
fn a_name_that_grew_or_shrank_is_a_change_and_one_that_is_short_for_the_other_is_none() {
    for (before, after) in [
        ("Citizens Union", "National Citizens Union"),
        ("National Citizens Union", "Citizens Union"),
        ("Sarah Whitcombe", "Sarah Whitcombe Marlow"),
    ] {
        assert_eq!(grown(before, after, 0), [(before.to_owned(), after.to_owned())]);
        assert_eq!(grown(before, after, 12), [], "one in six keeps {before}");
    }
    assert_eq!(grown("Harvest Fair", "Harvest Fair 2012", 0), []);
}

/// Wants it to end when all writings of the first way through them were read.
#[derive(Default)]
struct Behind {
    done: AtomicU64,
    begun: Mutex<Vec<&'static str>>,
}

impl Watch for Behind {
    fn advance(&self, _: u64, _: u64) {}
    fn is_stopped(&self) -> bool {
        self.done.load(Ordering::Relaxed) == 300
    }
}

impl StudyWatch for Behind {
    fn begin(&self, what: &'static str, _: u64) {
        self.begun.lock().unwrap().push(what);
    }
    fn begin_bytes(&self, what: &'static str, bytes: u64) {
        self.begin(what, bytes);
    }
    fn done(&self, writings: u64) {
        self.done.fetch_add(writings, Ordering::Relaxed);
    }
}

#[test]
fn comparing_names_ends_where_it_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let corpora = two_crawls(dir.path());
    let vocabulary = Vocabulary::of_all(&corpora, &()).unwrap();
    let watch = Behind::default();
    let outcome = renamings(&corpora, &named(&corpora), &vocabulary, &watch);
    assert!(matches!(outcome, Err(CorpusError::Stopped)), "{outcome:?}");
    assert_eq!(*watch.begun.lock().unwrap(), ["when names were written"]);
}

#[test]
fn what_has_no_date_is_in_no_month_and_moves_no_change_of_name() {
    let dir = tempfile::tempdir().unwrap();
    // Captured when all of it was over, as everything is that nobody dated.
    let undated = |n: usize| Writing {
        published: None,
        captured: Day(18_000).time().millis(),
        ..party(n, if n < 320 { 15_000 } else { 16_000 })
    };
    let dated =
        |n: usize| Writing { captured: Day(18_000).time().millis(), ..party(n, 15_000 + n as i32 * 4) };
    let corpora = [
        corpus(dir.path(), "one", (0..120).map(dated)),
        corpus(dir.path(), "two", (120..240).map(dated).chain((240..400).map(undated))),
    ];
    let vocabulary = Vocabulary::of_all(&corpora, &()).unwrap();
    let found = associations(&corpora, &vocabulary, "citizens forum", Some("Marta Lind"), 1, &()).unwrap();
    let [pair] = &found[..] else { panic!() };
    assert_eq!((pair.strength.writings, pair.undated), (400, 160));
    assert!(pair.months.iter().all(|(month, _)| month.year < 2014), "{:?}", pair.months);
    assert_eq!(pair.months.iter().map(|(_, strength)| strength.writings).sum::<u32>(), 240);
    let renamed = renamings(&corpora, &named(&corpora), &vocabulary, &()).unwrap();
    let [renamed] = &renamed[..] else { panic!("{renamed:#?}") };
    let (last, first) = (renamed.old_until, renamed.new_from);
    assert!(last < Day(15_500) && Day(15_500) <= first && first.0 - last.0 < 30, "{last} {first}");
}

#[test]
fn terms_that_meet_more_often_than_by_chance_are_associated_month_by_month() {
    let dir = tempfile::tempdir().unwrap();
    let corpora = two_crawls(dir.path());
    let vocabulary = Vocabulary::of_all(&corpora, &()).unwrap();
    let pair = associations(&corpora, &vocabulary, "citizens forum", Some("Marta Lind"), 1, &()).unwrap();
    let [pair] = &pair[..] else { panic!() };
    // Each writing once, though both crawls have some of them.
    assert_eq!((pair.strength.writings, pair.strength.one, pair.strength.both), (240, 57, 57));
    assert!(pair.strength.likelihood > 11.0 && pair.strength.npmi > 0.3);
    let first = pair.months.first().unwrap();
    assert_eq!((first.1.one, first.1.npmi), (0, 0.0));
    // With itself a term stands wherever it is.
    let itself =
        associations(&corpora, &vocabulary, "citizens forum", Some("citizens forum"), 1, &()).unwrap();
    assert_eq!(itself.first().map(|one| one.strength.one), Some(57));
    let best = associations(&corpora, &vocabulary, "skier", None, 3, &()).unwrap();
    assert!(best.iter().any(|one| one.other == "Mountain Club" || one.other == "Mountain"), "{best:#?}");
}

#[test]
fn what_the_last_crawl_has_and_those_before_had_not_is_news() {
    let dir = tempfile::tempdir().unwrap();
    let mut corpora = Vec::from(two_crawls(dir.path()));
    let changed = |n: usize| {
        if n == 70 {
            writing(n, 15_400, "All of it was written anew.".to_owned())
        } else {
            party(n, 15_000 + n as i32 * 4)
        }
    };
    let later = |n| Writing { captured: Day(18_000).time().millis(), ..changed(n) };
    corpora[1] = corpus(dir.path(), "three", (60..240).map(later));
    let named = named(&corpora);
    let news = news(&corpora, &named, &()).unwrap();
    assert_eq!((news.new.len(), news.changed.len(), news.gone.len()), (120, 1, 60));
    let Place { page, title, first_captured, .. } = &news.changed[0];
    assert_eq!((page.as_str(), title.as_deref()), ("http://a.test/70", Some("Number 70")));
    assert_eq!(*first_captured, Day(17_000).time(), "the first of two captures");
    assert_eq!(news.names.first().map(|(name, _)| name.as_str()), Some("Citizens Forum"));
    assert!(
        news.risen.iter().any(|(term, was, is)| term == "Citizens Forum" && *was == 0.0 && *is > 0.2),
        "{:?}",
        news.risen
    );
}
