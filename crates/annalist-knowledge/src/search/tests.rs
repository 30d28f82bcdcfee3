//! The index as a whole: what goes in is found, and nothing else.

mod again;
mod damaged;
mod hostile;
mod naive;
mod power;
mod same;

use std::collections::BTreeSet;
use std::path::Path;

use annalist_model::{CanonicalUrl, Object, Time};

use super::{Annotations, Answer, FacetField, Question, Reader, Search, SearchSettings, Sort, parse};
use crate::derived::{Damage, Derived, Mark};
use crate::document::{Dated, Document};

const DAY: u64 = 86_400_000;

/// A page captured on the day of its number.
pub(super) fn page(number: u64, url: &str, language: &str, text: &str) -> Document {
    Document {
        record: format!("urn:uuid:{number:08}-0000-4000-8000-000000000000"),
        file: "a.warc.gz".to_owned(),
        offset: number * 1000,
        url: CanonicalUrl::parse(url).unwrap(),
        captured: Time::from_millis(1_500_000_000_000 + number * DAY),
        status: 200,
        mime: "text/html".to_owned(),
        length: text.len() as u64,
        digest: Some(format!("sha1:{number}")),
        original: None,
        via: None,
        hops: String::new(),
        relevance: None,
        published: None,
        language: Some(language.to_owned()),
        title: None,
        text: text.to_owned(),
        parts: Vec::new(),
        links: Vec::new(),
        canonical: None,
        application: None,
        level: None,
        objects: Vec::new(),
    }
}

fn published(mut document: Document, day: &str) -> Document {
    let millis = crate::document::millis_of(day).unwrap();
    document.published = Some(Dated { text: day.to_owned(), millis, confidence: 1.0 });
    document
}

fn comment(id: &str, author: &str, body: &str) -> Object {
    Object {
        kind: "comment".to_owned(),
        id: id.to_owned(),
        author: Some(author.to_owned()),
        date: Some("2010-05-06T07:08:09Z".to_owned()),
        body: body.to_owned(),
        ..Object::default()
    }
}

fn mark(offset: u64) -> Mark {
    Mark { files: [("a.warc.gz".to_owned(), offset)].into(), ..Mark::default() }
}

fn open(folder: &Path) -> Search {
    Search::open(folder, SearchSettings { memory: 20 << 20, threads: 1 }).unwrap()
}

fn index(folder: &Path, documents: &[Document]) {
    let mut search = open(folder);
    documents.iter().for_each(|document| search.add(document).unwrap());
    let end = documents.iter().map(|document| document.offset + 1).max().unwrap_or_default();
    search.commit(&mark(end)).unwrap();
}

fn asked(text: &str) -> Question {
    Question { wanted: parse(text).unwrap(), ..Question::default() }
}

fn ask(folder: &Path, question: &Question) -> Answer {
    Reader::open(&[folder]).unwrap().ask(question).unwrap()
}

/// The addresses, the best first.
fn found(folder: &Path, text: &str) -> Vec<String> {
    let question = Question { limit: 100, ..asked(text) };
    ask(folder, &question).hits.into_iter().map(|hit| hit.entry.key).collect()
}

fn set(keys: &[&str]) -> BTreeSet<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

#[test]
fn words_of_many_languages_are_found_in_their_forms() {
    let dir = tempfile::tempdir().unwrap();
    let pages = [
        ("en", "Elections were held in the capital"),
        ("de", "Die Wahlen in Österreich: Straßen voller Menschen"),
        ("fr", "Les élections présidentielles"),
        ("el", "Οι εκλογές στην Ελλάδα και η κρίση"),
        ("zh", "希腊的债务危机仍在继续"),
        ("ja", "ギリシャの選挙について"),
        ("ar", "الانتخابات في اليونان بعد الأزمة وخارج المدرسة"),
        ("ru", "выборы в Греции"),
        ("th", "การเลือกตั้งในประเทศไทย"),
    ];
    let documents: Vec<_> = (1u64..)
        .zip(pages)
        .map(|(number, (language, text))| page(number, &format!("http://{language}.test/"), language, text))
        .collect();
    index(dir.path(), &documents);
    for (question, expected) in [
        ("capitals", "http://en.test/"),
        ("wahl", "http://de.test/"),
        ("strasse", "http://de.test/"),
        ("osterreich", "http://de.test/"),
        ("presidentielle", "http://fr.test/"),
        ("ΕΚΛΟΓΕΣ", "http://el.test/"),
        ("κριση", "http://el.test/"),
        ("危机", "http://zh.test/"),
        ("债务危机", "http://zh.test/"),
        ("危", "http://zh.test/"),
        ("選挙", "http://ja.test/"),
        ("اليونان", "http://ar.test/"),
        ("أزمة", "http://ar.test/"),
        ("مدرسة", "http://ar.test/"),
        ("выборов", "http://ru.test/"),
        ("เลือกตั้ง", "http://th.test/"),
    ] {
        assert_eq!(found(dir.path(), question), [expected], "{question}");
    }
    assert_eq!(found(dir.path(), "机危"), [""; 0]);
}

#[test]
fn a_question_says_which_documents_match() {
    let dir = tempfile::tempdir().unwrap();
    let mut post = page(3, "http://blog.test/3", "en", "A page with comments");
    post.application = Some("wordpress".to_owned());
    post.objects = vec![comment("7", "Jane Doe", "The drachma was a coin"), comment("8", "Joe", "Indeed")];
    let mut titled = page(1, "http://a.test/one", "en", "the euro crisis and the debt");
    titled.title = Some("Money matters".to_owned());
    let documents = [
        published(titled, "2010-03"),
        published(page(2, "http://www.b.test/two", "en", "debt of the euro area, a crisis"), "2011-02-03"),
        post,
    ];
    index(dir.path(), &documents);
    let (one, two, three) = ("http://a.test/one", "http://www.b.test/two", "http://blog.test/3");
    let (jane, joe) = ("urn:annalist:object:7", "urn:annalist:object:8");
    for (question, expected) in [
        ("euro debt", &[one, two][..]),
        ("\"euro crisis\"", &[one]),
        ("\"debts\"", &[]),
        ("debts", &[one, two]),
        ("euro -area", &[one]),
        ("euro NOT (area OR money)", &[]),
        ("money", &[one]),
        ("title:money", &[one]),
        ("title:euro", &[]),
        ("drachm*", &[jane]),
        ("drachma OR area", &[jane, two]),
        ("type:comment", &[jane, joe]),
        ("type:comment author:jane", &[jane]),
        ("author:\"Jane Doe\"", &[jane]),
        ("site:b.test", &[two]),
        ("host:www.b.test", &[two]),
        ("host:b.test", &[]),
        ("application:wordpress type:page", &[three]),
        ("language:en -type:comment -site:a.test", &[two, three]),
        ("published:2010", &[one, jane, joe]),
        ("published:2010-03..2010-04", &[one]),
        ("published:2010-05-06", &[jane, joe]),
        ("published:..2010-03", &[one]),
        ("published:2011..", &[two]),
        ("captured:2017-07", &[one, two, three, jane, joe]),
        ("captured:2018..", &[]),
        ("url:two", &[two]),
        ("-euro -type:comment", &[three]),
        ("", &[one, two, three, jane, joe]),
    ] {
        let found: BTreeSet<_> = found(dir.path(), question).into_iter().collect();
        assert_eq!(found, set(expected), "{question}");
    }
}

#[test]
fn results_come_in_the_order_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let mut in_title = page(4, "http://d.test/", "en", "nothing to see in this text about something else");
    in_title.title = Some("The debt".to_owned());
    let mut relevant = page(3, "http://c.test/", "en", "debt here and nothing else to be read about it");
    relevant.relevance = Some(1.0);
    let documents = [
        published(page(1, "http://a.test/", "en", "debt here and nothing else to be read of it"), "2012"),
        published(page(2, "http://b.test/", "en", "debts here and nothing else to be read at all"), "2010"),
        published(relevant, "2011"),
        in_title,
    ];
    index(dir.path(), &documents);
    assert_eq!(
        found(dir.path(), "debt"),
        ["http://d.test/", "http://c.test/", "http://a.test/", "http://b.test/"]
    );
    let in_order = |sort| {
        let question = Question { sort, ..asked("debt") };
        ask(dir.path(), &question).hits.into_iter().map(|hit| hit.entry.key).collect::<Vec<_>>()
    };
    let newest = ["http://d.test/", "http://a.test/", "http://c.test/", "http://b.test/"];
    assert_eq!(in_order(Sort::Newest), newest);
    assert_eq!(in_order(Sort::Oldest), newest.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn facets_and_months_count_what_matches() {
    let dir = tempfile::tempdir().unwrap();
    let mut documents = Vec::new();
    for number in 0..30 {
        let site =
            ["a.test", "b.test", "c.test"][usize::from(number % 3 == 0) + usize::from(number % 5 == 0)];
        let document =
            page(number, &format!("http://{site}/{number}"), "en", &format!("crisis number{number}"));
        documents.push(published(document, if number < 20 { "2010-03-04" } else { "2010-05" }));
    }
    documents.push(page(30, "http://d.test/", "de", "Krise, die"));
    index(dir.path(), &documents);
    let question =
        Question { facets: FacetField::ALL.to_vec(), over_time: true, limit: 3, ..asked("crisis") };
    let reader = Reader::open(&[dir.path()]).unwrap();
    assert!(!reader.has_counted(&question));
    let answer = reader.ask(&question).unwrap();
    let turned = Question { page: 2, ..question.clone() };
    assert!(reader.has_counted(&turned) && !reader.has_counted(&asked("number1")));
    assert_eq!((answer.total, answer.hits.len(), answer.more, answer.undated), (30, 3, true, Some(0)));
    let site = answer.facets.iter().find(|facet| facet.field == "site").unwrap();
    let counts: Vec<_> = site.counts.iter().map(|count| (count.label.as_str(), count.count)).collect();
    assert_eq!(counts, [("a.test", 16), ("b.test", 12), ("c.test", 2)]);
    let language = answer.facets.iter().find(|facet| facet.field == "language").unwrap();
    assert_eq!(language.counts.len(), 1);
    let months: Vec<_> = answer.months.iter().map(|month| (month.month.as_str(), month.count)).collect();
    assert_eq!(months, [("2010-03", 20), ("2010-05", 10)]);
}

#[test]
fn the_same_capture_again_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let document = page(1, "http://a.test/", "en", "the euro crisis");
    let mut search = open(dir.path());
    search.add(&document).unwrap();
    search.add(&document).unwrap();
    search.commit(&mark(2000)).unwrap();
    assert_eq!(ask(dir.path(), &asked("euro")).total, 1);
    search.add(&document).unwrap();
    search.commit(&mark(3000)).unwrap();
    assert_eq!(ask(dir.path(), &asked("euro")).total, 1);
}

#[test]
fn a_capture_of_a_file_that_was_damaged_is_replaced_when_it_is_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let capture = page(1, "http://a.test/", "en", "some words");
    let damage = Damage { from: 0, seen: String::new() };
    let damaged = Mark { damaged: [("a.warc.gz".to_owned(), damage)].into(), ..mark(2000) };
    let mut search = open(dir.path());
    search.add(&capture).unwrap();
    search.commit(&damaged).unwrap();
    search.add(&capture).unwrap();
    // It waits for more.
    let mut waits = Mark { mended: true, ..mark(2000) };
    waits.wait("a.warc.gz", capture.offset);
    search.commit(&waits).unwrap();
    search.add(&capture).unwrap();
    search.commit(&mark(3000)).unwrap();
    assert_eq!(ask(dir.path(), &asked("words")).total, 1);
}

#[test]
fn what_somebody_wrote_is_in_a_language_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut page = page(1, "http://a.test/", "en", "A page in English, with what its readers think of it");
    let german = "Die Wahlen waren eine Überraschung, und niemand hätte gedacht, dass die Regierung so viele Stimmen \
                  verlieren würde; in den Straßen der Hauptstadt feierten die Menschen bis in den frühen Morgen.";
    page.objects = vec![comment("7", "Jane", german), comment("8", "Joe", "Genau so war es")];
    index(dir.path(), &[page]);
    let comment = "urn:annalist:object:7";
    assert_eq!(found(dir.path(), "language:de"), [comment]);
    assert_eq!(found(dir.path(), "wahl"), [comment], "in the forms of its language");
    // Too short to tell.
    assert_eq!(found(dir.path(), "language:en type:comment"), ["urn:annalist:object:8"]);
}

#[test]
fn what_is_no_page_is_not_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut missing = page(1, "http://a.test/", "en", "not found, sorry");
    missing.status = 404;
    let mut again = page(2, "http://a.test/2", "en", "not found, sorry");
    again.original = Some(crate::document::Original { url: "http://a.test/1".to_owned(), captured: None });
    index(dir.path(), &[missing, again, page(3, "http://a.test/3", "en", "found")]);
    assert_eq!(ask(dir.path(), &asked("")).total, 1);
}

#[test]
fn what_was_not_committed_is_neither_in_the_mark_nor_in_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let mut search = open(dir.path());
    search.add(&page(1, "http://a.test/1", "en", "first")).unwrap();
    search.commit(&mark(1001)).unwrap();
    search.add(&page(2, "http://a.test/2", "en", "second")).unwrap();
    drop(search);
    let mut search = open(dir.path());
    assert_eq!(*search.mark(), mark(1001));
    assert_eq!(found(dir.path(), "").len(), 1);
    search.add(&page(2, "http://a.test/2", "en", "second")).unwrap();
    search.commit(&mark(2001)).unwrap();
    assert_eq!(found(dir.path(), "").len(), 2);
}

#[test]
fn a_damaged_index_is_begun_anew() {
    let dir = tempfile::tempdir().unwrap();
    index(dir.path(), &[page(1, "http://a.test/", "en", "first")]);
    std::fs::write(dir.path().join("meta.json"), b"{ nonsense").unwrap();
    assert!(Reader::open(&[dir.path()]).is_err());
    assert_eq!(*open(dir.path()).mark(), Mark::default());
}

#[test]
fn captures_of_one_page_and_near_duplicates_stand_with_the_best_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let long: String = (0..300).map(|n| format!("word{} ", (n * 7) % 311)).collect();
    let documents = [
        page(1, "http://a.test/", "en", "crisis as it was"),
        page(2, "http://a.test/", "en", "crisis as it is now, with other words"),
        page(3, "http://b.test/", "en", &format!("crisis {long}")),
        page(4, "http://mirror.test/", "en", &format!("crisis {long} mirrored")),
        page(5, "http://c.test/", "en", "crisis of another kind"),
    ];
    index(dir.path(), &documents);
    let answer = ask(dir.path(), &asked("crisis"));
    assert_eq!((answer.total, answer.hits.len(), answer.more), (5, 3, false));
    let folded: Vec<_> = answer.hits.iter().map(|hit| (hit.entry.site(), hit.like_it)).collect();
    assert_eq!(folded.iter().filter(|(_, like_it)| *like_it == 1).count(), 2, "{folded:?}");
    assert!(folded.contains(&("c.test", 0)));
    let first = answer.hits.iter().find(|hit| hit.site == "a.test").unwrap();
    assert_eq!(first.folded[0].url, "http://a.test/");
    let all = Question { fold: false, ..asked("crisis") };
    assert_eq!(ask(dir.path(), &all).hits.len(), 5);
}

#[test]
fn pages_of_results_follow_one_another() {
    let dir = tempfile::tempdir().unwrap();
    let documents: Vec<_> = (0..95)
        .map(|n| page(n, &format!("http://a.test/{}", n % 90), "en", &format!("crisis number{n}")))
        .collect();
    index(dir.path(), &documents);
    let mut seen = BTreeSet::new();
    for page in 1..=9 {
        let answer = ask(dir.path(), &Question { page, ..asked("crisis") });
        assert_eq!((answer.hits.len(), answer.more), (10, page < 9));
        seen.extend(answer.hits.into_iter().map(|hit| hit.entry.key));
    }
    assert_eq!(seen.len(), 90);
    let far = Question { page: 100_000, ..asked("crisis") };
    assert!(Reader::open(&[dir.path()]).unwrap().ask(&far).is_err());
}

#[test]
fn how_many_are_alike_does_not_depend_on_how_many_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let text = "the same words about the crisis of the euro, what came before it and what came of it in all the years since";
    let alike = |number| page(number, &format!("http://a.test/{number}"), "en", text);
    let documents: Vec<_> = (1..=120).map(alike).collect();
    index(dir.path(), &documents);
    for limit in [1, 5, 50] {
        let answer = ask(dir.path(), &Question { limit, ..asked("crisis") });
        assert_eq!((answer.hits.len(), answer.hits[0].like_it), (1, 119), "{limit}");
    }
}

#[test]
fn a_page_is_found_on_the_day_that_stands_on_it_wherever_that_was() {
    let dir = tempfile::tempdir().unwrap();
    let documents = [
        published(page(1, "http://a.test/", "en", "shortly after midnight"), "2010-03-01T00:30:00+03:00"),
        published(page(2, "http://b.test/", "en", "late in the evening"), "2010-02-28T23:30:00-05:00"),
        published(page(3, "http://c.test/", "en", "at noon in Greenwich"), "2010-03-02T12:00:00Z"),
    ];
    index(dir.path(), &documents);
    let found = |day: &str| ask(dir.path(), &asked(&format!("published:{day}"))).total;
    assert_eq!([found("2010-02-28"), found("2010-03-01"), found("2010-03-02")], [1, 1, 1]);
    let answer = ask(dir.path(), &Question { over_time: true, sort: Sort::Oldest, ..asked("") });
    let months: Vec<(&str, u64)> =
        answer.months.iter().map(|month| (month.month.as_str(), month.count)).collect();
    assert_eq!(months, [("2010-02", 1), ("2010-03", 2)]);
    // The first of them was written seven hours before the second, whatever day it was there.
    let order: Vec<&str> = answer.hits.iter().map(|hit| hit.entry.url.as_str()).collect();
    assert_eq!(order, ["http://a.test/", "http://b.test/", "http://c.test/"]);
}

#[test]
fn annotations_are_found_and_counted_and_leave_the_mark_alone() {
    let dir = tempfile::tempdir().unwrap();
    let documents = [
        published(page(1, "http://a.test/", "en", "the euro crisis"), "2010-03"),
        published(page(2, "http://a.test/", "en", "the euro crisis, again"), "2010-03"),
        published(page(3, "http://b.test/", "en", "football"), "2010-04"),
    ];
    index(dir.path(), &documents);
    let mut search = open(dir.path());
    let found_out = Annotations {
        topics: vec!["debt and euro".to_owned()],
        entities: vec!["Jane Doe".to_owned(), "Athens".to_owned()],
        events: Vec::new(),
        sentiment: Some(-0.5),
    };
    let annotations = [
        ("http://a.test/".to_owned(), found_out),
        ("http://nowhere.test/".to_owned(), Annotations::default()),
    ];
    assert_eq!(search.annotate(annotations.clone().into_iter()).unwrap(), 2);
    assert_eq!(search.annotate(annotations.into_iter()).unwrap(), 0, "nothing changed");
    assert_eq!(*search.mark(), mark(3001));
    let question =
        Question { over_time: true, facets: vec![FacetField::Entity], ..asked("entity:athens euro") };
    let answer = ask(dir.path(), &question);
    assert_eq!(answer.total, 2);
    assert_eq!(answer.facets[0].counts.len(), 2);
    assert_eq!(answer.months[0].sentiment, Some(-0.5));
    assert_eq!(ask(dir.path(), &asked("topic:debt")).total, 2);
    // Words of a name, and the whole of it, which is what facets count.
    let wholes =
        [("entity:doe", 2), ("entity:\"=Jane Doe\"", 2), ("entity:\"=Doe\"", 0), ("-entity:\"=Athens\"", 1)];
    for (whole, total) in wholes {
        assert_eq!(ask(dir.path(), &asked(whole)).total, total, "{whole}");
    }
    assert_eq!(ask(dir.path(), &asked("")).total, 3);
    search.add(&page(4, "http://c.test/", "en", "waiting")).unwrap();
    assert!(search.annotate(std::iter::empty()).is_err(), "what waits would be committed under the old mark");
}

#[test]
fn a_page_is_told_with_what_was_written_on_it_at_the_time_that_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = page(1, "http://a.test/", "en", "one comment");
    first.objects = vec![comment("c1", "Jane", "early")];
    let mut later = page(9, "http://a.test/", "en", "two comments");
    later.objects = vec![comment("c1", "Jane", "early"), comment("c2", "Joe", "late")];
    index(dir.path(), &[first, later, page(2, "http://a.test/other", "en", "elsewhere")]);
    let reader = Reader::open(&[dir.path()]).unwrap();
    let told = |at: Option<i64>| -> Vec<String> {
        reader.page("http://a.test/", at).unwrap().into_iter().map(|entry| entry.text).collect()
    };
    assert_eq!(told(None), ["two comments", "early", "late"]);
    assert_eq!(told(Some(1_500_000_000_000)), ["one comment", "early"]);
    assert!(reader.page("http://a.test/never", None).unwrap().is_empty());
}

#[test]
fn several_indexes_are_asked_together() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    index(one.path(), &[page(1, "http://a.test/", "en", "the euro crisis")]);
    index(
        other.path(),
        &[
            page(2, "http://b.test/", "de", "Der Euro in der Krise"),
            page(3, "http://a.test/", "en", "a crisis"),
        ],
    );
    let reader = Reader::open(&[one.path(), other.path()]).unwrap();
    let answer =
        reader.ask(&Question { facets: vec![FacetField::Site], ..asked("crisis OR krise") }).unwrap();
    assert_eq!((answer.total, answer.hits.len()), (3, 2));
    assert_eq!(answer.facets[0].counts[0].count, 2);
}

#[test]
fn a_label_that_is_frequent_in_no_piece_may_be_the_most_frequent_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let folders: Vec<_> = (0..3).map(|piece| folder.path().join(piece.to_string())).collect();
    for (piece, folder) in folders.iter().enumerate() {
        let own = (0..80).map(|n| format!("http://site{}of{piece}.test/{n}", n % 40));
        let urls = own.chain([format!("http://common.test/{piece}")]);
        let documents: Vec<_> = (0..).zip(urls).map(|(n, url)| page(n, &url, "en", "word")).collect();
        index(folder, &documents);
    }
    let question = Question { facets: vec![FacetField::Site], labels: 2, ..asked("word") };
    let answer = Reader::open(&folders).unwrap().ask(&question).unwrap();
    let counts: Vec<_> =
        answer.facets[0].counts.iter().map(|found| (found.label.as_str(), found.count)).collect();
    assert_eq!(counts, [("common.test", 3), ("site0of0.test", 2)]);
}
