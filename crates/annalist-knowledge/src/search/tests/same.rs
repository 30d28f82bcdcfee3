//! The same archive gives the same answers, however its index came to be.

use std::path::Path;

use super::super::{Annotations, FacetField, Question, Search, SearchSettings};
use super::{ask, asked, comment, mark, open, page, published};
use crate::derived::Derived;
use crate::document::Document;

/// Pages of very different length, with words that are more or less frequent.
fn archive() -> Vec<Document> {
    let words = ["debt", "debts", "crisis", "euro", "area", "strike", "town", "hall", "vote", "votes"];
    let mut state = 7u64;
    let mut next = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let text = |words_in_it: u64, next: &mut dyn FnMut(u64) -> u64| -> String {
        (0..words_in_it)
            .map(|_| match next(3) {
                0 => format!("{} ", words[next(10).min(next(10)) as usize]),
                _ => format!("filler{} ", next(400)),
            })
            .collect()
    };
    (0..160)
        .map(|number| {
            let length = 5 + next(20) * next(20);
            let written = text(length, &mut next);
            let url = format!("http://s{}.test/{}", number % 37, number);
            let mut document = published(page(number, &url, "en", &written), "2010-03");
            document.title = Some(text(4, &mut next));
            document.relevance = Some(next(100) as f32 / 100.0);
            if number % 3 == 0 {
                let body = text(12, &mut next);
                document.objects = vec![comment(&format!("{number}"), &format!("A{}", number % 53), &body)];
            }
            document
        })
        .collect()
}

fn build(folder: &Path, documents: &[Document], settings: SearchSettings, each_commit: usize) -> Search {
    let mut search = Search::open(folder, settings).unwrap();
    for part in documents.chunks(each_commit) {
        part.iter().for_each(|document| search.add(document).unwrap());
        search.commit(&mark(part.last().unwrap().offset + 1)).unwrap();
    }
    search
}

fn found_out(number: usize, sentiment: f32) -> Annotations {
    Annotations {
        topics: vec![format!("topic {}", number % 7)],
        entities: vec![format!("Entity {}", number % 41)],
        events: Vec::new(),
        sentiment: Some(sentiment),
    }
}

fn annotate(search: &mut Search, documents: &[Document], each: usize, sentiment: impl Fn(usize) -> f32) {
    let chosen = documents.iter().enumerate().step_by(each);
    let found = chosen
        .map(|(number, document)| (document.url.as_str().to_owned(), found_out(number, sentiment(number))));
    search.annotate(found).unwrap();
}

#[test]
fn answers_do_not_depend_on_how_the_index_came_to_be() {
    let documents = archive();
    let sentiment = |number: usize| ((number % 19) as f32 / 9.5 - 1.0) * 0.77;
    let dirs: Vec<_> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
    let small = SearchSettings { memory: 20 << 20, threads: 1 };

    // At once.
    let mut search = build(dirs[0].path(), &documents, small, 1000);
    annotate(&mut search, &documents, 2, sentiment);
    search.finish().unwrap();
    // In many pieces, which are merged now and then, on several threads.
    let several = SearchSettings { memory: 64 << 20, threads: 3 };
    let mut search = build(dirs[1].path(), &documents, several, 7);
    annotate(&mut search, &documents, 2, sentiment);
    search.finish().unwrap();
    // Annotated again and again.
    let mut search = build(dirs[2].path(), &documents, small, 50);
    annotate(&mut search, &documents, 2, |_| 0.25);
    annotate(&mut search, &documents, 2, |_| -0.25);
    annotate(&mut search, &documents, 2, sentiment);
    drop(search);
    // With captures that come again, after a study.
    let mut search = build(dirs[3].path(), &documents, small, 30);
    annotate(&mut search, &documents, 2, |_| 0.5);
    drop(search);
    let mut search = open(dirs[3].path());
    documents[20..60].iter().for_each(|document| search.add(document).unwrap());
    search.commit(&mark(1_000_000)).unwrap();
    annotate(&mut search, &documents, 2, sentiment);
    drop(search);

    for text in [
        "debt",
        "debt crisis euro strike vote",
        "crisis OR euro OR strike OR town OR votes OR area",
        "\"town hall\" OR \"debt crisis\"",
        "title:debt OR euro",
        "deb* crisis",
        "topic:topic entity:entity",
        "",
    ] {
        for fold in [true, false] {
            let question = Question {
                limit: 500,
                fold,
                facets: FacetField::ALL.to_vec(),
                over_time: true,
                ..asked(text)
            };
            let first = ask(dirs[0].path(), &question);
            assert!(first.total > 1, "{text}");
            for dir in &dirs[1..] {
                let other = ask(dir.path(), &question);
                for (one, other) in first.hits.iter().zip(&other.hits) {
                    assert_eq!((&one.entry.key, one.score), (&other.entry.key, other.score), "{text}");
                }
                assert_eq!(first, other, "{text}");
            }
        }
    }
}
