//! Why a page and its links have their scores.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::fmt::Write as _;
use std::time::Duration;

use annalist_judge::explain::{Explanation, explain};
use annalist_judge::judge::Sought;
use annalist_judge::scorer::Manner;
use annalist_judge::{Analyst, Definition, Depth, Judge, Rules};
use annalist_model::spec::{Event, RelevanceKind};
use annalist_model::{CanonicalUrl, DocumentTime, FoundLink, LinkKind, Page, TimeBasis};
use support::{as_expected, background, page, references, topic};

fn definition() -> Definition {
    Definition::learn("greek-crisis", &references(), &background(), &topic()).unwrap()
}

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://news.test{path}")).unwrap()
}

fn with_links(text: &str, links: &[(&str, &str)]) -> Page {
    let links = links.iter().map(|(path, anchor)| {
        let from = text.find(anchor).unwrap();
        FoundLink {
            url: url(path),
            kind: LinkKind::Anchor,
            anchor: (*anchor).to_owned(),
            context: String::new(),
            at: from..from + anchor.len(),
            nofollow: false,
        }
    });
    Page { links: links.collect(), ..page(text) }
}

fn example() -> Explanation {
    let text = "Samaras and the troika. The debt crisis is not over: bailouts were paid, and the bailout goes on.\n\
        Read about pensions in Athens\nThe garden show\nclick here";
    let links = [
        ("/", "Samaras"),
        ("/athens/pensions", "pensions in Athens"),
        ("/garden", "The garden show"),
        ("/x", "click here"),
        ("/garden", "garden show"),
    ];
    explain(&definition(), Rules::default(), &url("/page"), &with_links(text, &links), None)
}

#[test]
fn a_page_is_explained_by_its_words_and_its_links_by_their_signals() {
    let told = example();
    let mut text = format!("score {:.3} nearness {:.3} {}\n", told.score, told.nearness, told.language);
    for word in &told.words {
        let _ = writeln!(text, "{} {:.3} {} {:.3}", word.word, word.weight, word.times, word.part);
    }
    for (name, times) in &told.names {
        let _ = writeln!(text, "{name}: {times}");
    }
    for link in &told.links {
        let _ = writeln!(text, "{:.3} {} {:?}", link.value, link.url, link.anchor);
        for signal in &link.signals {
            let said = signal.said;
            let value = said.value.map_or("nothing".to_owned(), |value| format!("{value:.3}"));
            let _ = writeln!(text, "  {} {value} x {:.2} {:+.3}", signal.name, said.weight, said.part);
        }
    }
    as_expected("explanation.txt", &text);
}

#[test]
fn what_the_words_add_is_the_nearness() {
    let told = example();
    let sum: f32 = told.words.iter().map(|word| word.part).sum();
    assert!((sum - told.nearness).abs() < 1e-5 && told.nearness > 0.0, "{sum} {}", told.nearness);
    assert_eq!(
        told.words.iter().find(|word| word.word == "bailout" || word.word == "bailouts").unwrap().times,
        2
    );
}

#[test]
fn a_link_with_a_name_comes_before_one_that_says_nothing() {
    let told = example();
    let place = |path: &str| told.links.iter().position(|link| link.url == url(path)).unwrap();
    assert!(place("/") < place("/garden") && place("/athens/pensions") < place("/garden"));
    assert_eq!(told.links.len(), 4, "an address is explained once");
}

#[test]
fn a_weighted_mean_is_the_sum_of_its_parts() {
    let rules = Rules { manner: Manner::Weighted, exploration: 1.0, ..Rules::default() };
    let page = with_links("debt crisis in Athens", &[("/athens", "Athens")]);
    let told = explain(&definition(), rules, &url("/page"), &page, None);
    let sum: f32 = told.links[0].signals.iter().map(|signal| signal.said.part).sum();
    assert!((sum - told.links[0].value).abs() < 1e-5 && sum > 0.0, "{told:?}");
}

#[test]
fn a_topic_that_is_given_stays_as_it_is() {
    let definition = definition();
    let mut judge = Judge::of_topic(Rules::default(), definition.topic(), Sought::Yes);
    let mut analyst = Analyst::new(definition.names(), definition.language());
    let other = analyst.read(&page("Roses and tulips"), &judge.topic(), Depth::Reference);
    let before = judge.topic().terms();
    judge.take_reference(url("/other").key(), &other);
    for at in 0..50 {
        judge.take(url(&format!("/{at}")).key(), &other);
    }
    assert_eq!(judge.topic().terms(), before);
}

#[test]
fn a_page_without_words_and_links_is_explained_too() {
    let told = explain(&definition(), Rules::default(), &url("/"), &page(""), None);
    assert!(!told.is_relevant && told.words.is_empty() && told.names.is_empty() && told.links.is_empty());
}

#[test]
fn the_time_of_a_page_is_told_where_the_topic_is_an_event() {
    let day = |month| jiff::civil::date(2010, month, 1);
    let event = Event {
        from: day(5),
        until: day(6),
        lead: Duration::ZERO,
        cooldown: Duration::ZERO,
        relevance: RelevanceKind::Default,
        weight: 0.5,
    };
    let rules = Rules { event: Some(event.clone()), ..Rules::default() };
    let text = page("The debt crisis: bailout and austerity, Samaras and the troika");
    let told = |time| explain(&definition(), rules.clone(), &url("/page"), &text, time);
    let within = DocumentTime::exact(event.begins(), TimeBasis::Modified);
    let (then, never) = (told(Some(within)), told(None));
    let timed = then.timed.unwrap();
    assert_eq!((timed.time, timed.content), (Some((within, 1.0)), then.score));
    assert_eq!((never.timed.unwrap().time, never.score), (None, timed.content));
    let late =
        told(Some(DocumentTime::exact(event.ends().plus(Duration::from_secs(1)), TimeBasis::Captured)));
    assert!(late.score < then.score && late.timed.unwrap().content == then.score);
    assert_eq!(example().timed, None);
}
