use std::sync::OnceLock;

use super::{Course, Topics, topics};
use crate::offline::{Corpus, Vocabulary, Writing};

const SUBJECTS: [&str; 3] = [
    "ferry harbour captain anchor sailor lighthouse voyage cargo deck crew",
    "oven flour baker yeast dough loaf pastry butter kneading crust",
    "comet telescope planet orbit astronomer nebula eclipse gravity moonlight meteor",
];
const ANYTHING: &str = "morning people street garden letter window summer table music school money winter doctor river friend kitchen paper";

fn some<'w>(words: &'w str, count: usize, dice: &mut u64) -> Vec<&'w str> {
    let words: Vec<&str> = words.split(' ').collect();
    (0..count)
        .map(|_| {
            *dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            words[(*dice >> 33) as usize % words.len()]
        })
        .collect()
}

/// Subject 1 is written about in the first year alone, the others in both.
fn corpus(dir: &std::path::Path) -> Corpus {
    let mut dice = 7;
    let writings = (0..600).map(|n: u64| {
        let is_late = n >= 300;
        let subject = if is_late { [0, 2][n as usize % 2] } else { n as usize % 3 };
        let mut words = some(SUBJECTS[subject], 15, &mut dice);
        words.extend(some(ANYTHING, 15, &mut dice));
        Writing {
            id: format!("http://site{}.test/{subject}", n % 4),
            site: format!("site{}.test", n % 4),
            text: format!("Imprint and Privacy of Site{} here. The {}.", n % 4, words.join(" the ")),
            language: Some("en".to_owned()),
            published: Some(1_300_000_000_000 + n as i64 * 86_400_000 * 2),
            ..Writing::default()
        }
    });
    Corpus::write(&dir.join("w"), writings).unwrap()
}

fn found() -> &'static (Topics, Vec<usize>) {
    static FOUND: OnceLock<(Topics, Vec<usize>)> = OnceLock::new();
    FOUND.get_or_init(find)
}

fn find() -> (Topics, Vec<usize>) {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(dir.path());
    let mut truth: Vec<usize> = Vec::new();
    let subject = |ids: &mut Vec<usize>, writing: Writing| ids.push(writing.id[18..].parse().unwrap());
    corpus.fold(Vec::new, subject, |some| truth.extend(some), &()).unwrap();
    let vocabulary = Vocabulary::of(&corpus, &()).unwrap();
    (topics(&corpus, &vocabulary, &()).unwrap(), truth)
}

#[test]
fn writings_are_grouped_by_what_they_are_about() {
    let (topics, truth) = found();
    assert_eq!(topics.topics.len(), 3, "{:#?}", topics.topics);
    let mut pure = 0;
    for (number, topic) in (0..).zip(&topics.topics) {
        let mut subjects = [0; 3];
        let members = topics.memberships.iter().filter(|(_, topic, _)| *topic == number);
        members.for_each(|(writing, ..)| subjects[truth[*writing as usize]] += 1);
        pure += subjects.iter().max().unwrap();
        assert!(topic.writings > 40, "{topic:?}");
    }
    assert!(pure > 580, "{pure} of 600");
}

#[test]
fn labels_are_words_as_people_write_them_that_other_topics_do_not_have() {
    let (topics, _) = found();
    for topic in &topics.topics {
        let subject = SUBJECTS.iter().find(|words| topic.label.split(", ").all(|word| words.contains(word)));
        assert!(subject.is_some(), "{}", topic.label);
        assert!(topic.label.split(", ").count() >= 3);
    }
}

#[test]
fn a_topic_that_nobody_writes_about_any_more_is_falling() {
    let (topics, _) = found();
    let bakers =
        topics.topics.iter().find(|topic| topic.terms.iter().any(|(term, _)| term == "dough")).unwrap();
    assert_eq!(bakers.course, Course::Falling);
    let rising = topics.topics.iter().filter(|topic| topic.course == Course::Rising).count();
    assert_eq!(rising, 2);
}

#[test]
fn an_empty_corpus_has_no_topics() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Corpus::write(&dir.path().join("w"), std::iter::once(Writing::default())).unwrap();
    let vocabulary = Vocabulary::of(&corpus, &()).unwrap();
    assert_eq!(topics(&corpus, &vocabulary, &()).unwrap(), Topics::default());
}
