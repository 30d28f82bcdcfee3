//! Everything that is said on a test web with a society is lifted out as it was written: analyses are measured by it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

use std::collections::BTreeMap;
use std::sync::Mutex;

use annalist_apps::adapt::Notebook;
use annalist_apps::catalogue::{head_of, load};
use annalist_apps::{Catalogue, Input, recognise_and_learn};
use annalist_model::{CanonicalUrl, Canonicaliser, Object, ResponseHead, Time};
use annalist_read::Reader;
use annalist_testweb::{Request, SaidTruth, World, WorldConfig};

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn texts_authors_dates_and_quotes_are_those_of_the_truth() {
    let reader = Reader::new(Canonicaliser::default());
    let (catalogue, _) = Catalogue::new(&load(true, &[]).descriptions);
    let notebook = Mutex::new(Notebook::default());
    let world = World::new(WorldConfig { society: true, hosts: 16, pages: 200, ..WorldConfig::default() });
    let mut pages: BTreeMap<String, Vec<SaidTruth>> = BTreeMap::new();
    for said in world.truth().said() {
        pages.entry(said.url.clone()).or_default().push(said);
    }
    for (url, said) in pages {
        let rest = url.strip_prefix("http://").unwrap();
        let (host, target) = rest.split_at(rest.find('/').unwrap());
        let answer = world.answer(&Request::get(host, target));
        let response = answer.response().unwrap();
        let head = ResponseHead { status: response.status, ..head_of(&response.fields) };
        let canonical = CanonicalUrl::parse(&url).unwrap();
        let (page, tree) = reader.read_with_tree(&canonical, &head, &response.body);
        let at = Some(Time::from_millis(1_700_000_000_000));
        let input = Input { tree: &tree.unwrap(), page: &page, url: &canonical, head: &head, at };
        let (seen, _) = recognise_and_learn(&catalogue, &notebook, None, &input);
        assert_eq!(seen.objects.len(), said.len(), "{url}");
        for said in &said {
            let same = |object: &&Object| {
                let anchor = said.object.anchor.as_deref().unwrap_or_default();
                object.url.as_deref().is_some_and(|url| url.ends_with(anchor))
            };
            // Answers stand below what they answer, wherever that is.
            let found = seen.objects.iter().find(same);
            compare(found.unwrap_or_else(|| panic!("{said:?} is not in {:?}", seen.objects)), said);
        }
    }
}

fn compare(object: &Object, said: &SaidTruth) {
    let place = &said.url;
    assert_eq!(folded(&object.body), said.object.text, "{place}");
    assert_eq!(object.author.as_ref(), Some(&said.object.author), "{place}");
    let day = object.date.as_deref().and_then(|date| date.get(..10));
    assert_eq!(day, said.object.published.get(..10), "{place}");
    let quoted = said.quote.as_ref();
    assert_eq!(object.quotes.len(), usize::from(quoted.is_some()), "{place}");
    if let (Some(found), Some(quote)) = (object.quotes.first(), quoted) {
        assert!(found.starts_with(&quote.author) && found.contains(&quote.text), "{found}");
    }
}
