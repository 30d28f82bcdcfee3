//! What is read in a page.

use annalist_model::page::{Part, PartKind};
use annalist_model::{CanonicalUrl, FoundLink, LinkKind, Page};

use super::{Analyst, Depth, LinkReading, Reading, TARGET, around, part, pattern, spell};
use crate::names::{Name, Names};
use crate::topic::{Background, References, Topic};

fn url(address: &str) -> CanonicalUrl {
    CanonicalUrl::parse(address).unwrap()
}

/// A page of lines; `[words]` is a link to a page of its own.
fn page(lines: &[&str]) -> Page {
    let mut page = Page { language: Some("en".to_owned()), ..Page::default() };
    for line in lines {
        let mut rest = *line;
        while let Some((before, (anchor, after))) =
            rest.split_once('[').and_then(|(before, after)| Some((before, after.split_once(']')?)))
        {
            page.text.push_str(before);
            let from = page.text.len();
            page.text.push_str(anchor);
            page.links.push(FoundLink {
                url: url(&format!("http://a.test/{}", page.links.len())),
                kind: LinkKind::Anchor,
                anchor: anchor.to_owned(),
                context: String::new(),
                at: from..page.text.len(),
                nofollow: false,
            });
            rest = after;
        }
        page.text.push_str(rest);
        page.text.push('\n');
    }
    page
}

fn read(page: &Page, topic: &Topic, depth: Depth) -> Reading {
    Analyst::new(Names::default(), "en").read(page, topic, depth)
}

fn topic(texts: &[&str]) -> Topic {
    let mut references = References::default();
    for text in texts {
        references.add(read(&page(&[text]), &Topic::default(), Depth::Reference).vector);
    }
    references.topic(&Background::default())
}

fn links(page: &Page, topic: &Topic) -> Vec<LinkReading> {
    read(page, topic, Depth::Topic).links.into_iter().flatten().collect()
}

#[test]
fn anchors_and_the_line_around_a_link_are_compared_with_the_topic() {
    let topic = topic(&["greek debt crisis", "greek debt crisis"]);
    let page = page(&["About the greek debt: [click here]", "[debt crisis] and [gardening]"]);
    let [here, debt, garden] = links(&page, &topic).try_into().unwrap();
    assert!(debt.anchor > Some(0.5) && garden.anchor == Some(0.0), "{debt:?} {garden:?}");
    assert!(here.context > Some(0.5), "{here:?}");
    assert!(garden.context > Some(0.0), "the line has another link");
    assert_eq!(here.named, None);
}

#[test]
fn the_text_around_a_link_ends_with_its_line_and_not_far_from_it() {
    let text = format!("before\nleft anchor right\nafter {}", "x".repeat(300));
    let at = text.find("anchor").unwrap();
    let range = around(&text, &(at..at + 6));
    assert_eq!(text[range].trim(), "left anchor right");
    let long = format!("{} anchor {}", "l".repeat(300), "r".repeat(300));
    assert_eq!(around(&long, &(301..307)), 201..407);
    assert_eq!(around("short", &(900..950)), 0..5, "a place that is not there");
}

#[test]
fn the_part_a_place_is_in_ends_where_the_next_begins() {
    let mut page = page(&["menu menu", "the text", "foot"]);
    assert_eq!(part(&page, 12), (PartKind::Main, 0..page.text.len()));
    let begins = [(PartKind::Navigation, 2), (PartKind::Main, 10), (PartKind::Footer, 19)];
    page.parts = begins.map(|(kind, from)| Part { kind, from }).to_vec();
    assert_eq!(part(&page, 0), (PartKind::Main, 0..2));
    assert_eq!(part(&page, 10), (PartKind::Main, 10..19));
    assert_eq!(part(&page, 500), (PartKind::Footer, 19..page.text.len()));
}

#[test]
fn the_part_a_link_stands_in_is_compared_with_the_topic() {
    let topic = topic(&["greek debt crisis", "greek debt crisis"]);
    let mut page = page(&["[home]", "the greek debt crisis [more]"]);
    page.parts = vec![
        Part { kind: PartKind::Navigation, from: 0 },
        Part { kind: PartKind::Main, from: page.text.find("the").unwrap() },
    ];
    let [home, more] = links(&page, &topic).try_into().unwrap();
    assert_eq!((home.part_kind, more.part_kind), (PartKind::Navigation, PartKind::Main));
    assert!(home.part < Some(0.1) && more.part > Some(0.5), "{home:?} {more:?}");
}

#[test]
fn an_address_spells_words_and_they_are_compared_with_the_topic() {
    let mut spelt = "what was there before".to_owned();
    spell(&url("http://a.test/greek-debt/Caf%C3%A9_2.html?q=crisis&n=7"), &mut spelt);
    let words: Vec<&str> = spelt.split_whitespace().collect();
    assert_eq!(words, ["greek", "debt", "Caf\u{e9}", "2", "html", "q", "crisis", "n", "7"]);
    let topic = topic(&["greek debt crisis", "greek debt crisis"]);
    let mut page = page(&["[here]", "[here]"]);
    page.links[0].url = url("http://a.test/greek-debt");
    let [telling, mute] = links(&page, &topic).try_into().unwrap();
    assert!(telling.address > Some(0.5) && mute.address.is_none(), "{telling:?} {mute:?}");
}

#[test]
fn addresses_of_one_host_and_folder_have_one_pattern_whatever_their_numbers() {
    let of = |address| pattern(&url(address), &mut String::new());
    assert_eq!(of("http://a.test/2012/05/x.html"), of("http://a.test/1999/11/y?q=1"));
    assert_ne!(of("http://a.test/news/x"), of("http://a.test/shop/x"));
    assert_ne!(of("http://a.test/news/x"), of("http://b.test/news/x"));
}

#[test]
fn the_beginning_of_a_page_weighs_more_but_not_that_of_a_menu() {
    let weight = |page: &Page, word: &str| {
        let id = read(&self::page(&[word]), &Topic::default(), Depth::Reference).vector.terms()[0].0;
        let vector = read(page, &Topic::default(), Depth::Reference).vector;
        vector.terms().iter().find(|(term, _)| *term == id).unwrap().1
    };
    let filler = "garden ".repeat(150);
    let [first, last] = [format!("athens {filler}"), format!("{filler} athens")].map(|text| page(&[&text]));
    assert!(weight(&first, "athens") > 2.0 * weight(&last, "athens"));
    let [first, last] =
        [first, last].map(|page| Page { parts: vec![Part { kind: PartKind::Navigation, from: 0 }], ..page });
    assert_eq!(weight(&first, "athens"), weight(&last, "athens"));
}

#[test]
fn the_pages_it_leads_to_are_terms_of_a_page_each_once() {
    let mut page = page(&["greek [debt] [crisis] [bailout]"]);
    page.links[2].url = page.links[1].url.clone();
    let vector = read(&page, &Topic::default(), Depth::Reference).vector;
    let targets: Vec<f32> =
        vector.terms().iter().filter(|(id, _)| id & TARGET != 0).map(|(_, weight)| *weight).collect();
    assert_eq!(targets.len(), 2);
    assert!((targets[0] - super::TARGETS / 2_f32.sqrt()).abs() < 1e-6);
}

#[test]
fn of_a_page_that_is_no_reference_only_what_may_matter_is_kept() {
    let topic = topic(&["greek debt crisis", "greek debt crisis"]);
    let page = page(&["greek gardening and debt"]);
    let all = read(&page, &topic, Depth::Reference).vector;
    let some = read(&page, &topic, Depth::Topic).vector;
    assert_eq!((all.terms().len(), some.terms().len()), (3, 2));
    assert!(
        some.terms().iter().all(|term| all.terms().contains(term)),
        "weights are those in the whole page"
    );
}

#[test]
fn names_count_in_the_words_of_a_link_and_less_beside_it() {
    let name = Name { name: "Tsipras".to_owned(), spellings: vec!["Tsipras".to_owned()] };
    let mut analyst = Analyst::new(Names::new(vec![name]), "en");
    let page = page(&["[Tsipras]", "said Tsipras [here]", "[elsewhere]", "Tsipras"]);
    let reading = analyst.read(&page, &Topic::default(), Depth::Topic);
    let named: Vec<_> = reading.links.iter().flatten().map(|link| link.named).collect();
    assert_eq!(named, [Some(1.0), Some(0.5), None]);
    assert_eq!(reading.named, [(0, 3)]);
}

#[test]
fn what_a_page_is_made_of_is_no_link_to_follow() {
    let mut page = page(&["[one] [two]"]);
    page.links[0].kind = LinkKind::Image;
    let reading = read(&page, &Topic::default(), Depth::Topic);
    assert!(reading.links[0].is_none() && reading.links[1].is_some());
}

#[test]
fn places_that_are_not_in_the_text_are_no_reason_to_fail() {
    let mut page = page(&["[one]"]);
    page.links[0].at = 700..800;
    page.parts = vec![Part { kind: PartKind::Aside, from: 900 }];
    let reading = read(&page, &Topic::default(), Depth::Topic);
    assert_eq!(reading.links[0].as_ref().unwrap().context, None);
}

#[test]
fn nothing_of_one_page_is_left_when_the_next_is_read() {
    let topic = topic(&["greek debt crisis", "greek debt crisis"]);
    let [one, next] = [page(&["greek debt crisis [greek debt]"]), page(&["garden crisis [here]"])];
    let mut analyst = Analyst::new(Names::default(), "en");
    analyst.read(&one, &topic, Depth::Reference);
    let after = analyst.read(&next, &topic, Depth::Reference);
    let alone = read(&next, &topic, Depth::Reference);
    assert_eq!((&after.vector, &after.links), (&alone.vector, &alone.links));
}
