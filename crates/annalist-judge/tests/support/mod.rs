//! Pages about a topic and pages about others, and texts that are expected.
#![allow(dead_code, reason = "each test file uses a part of it")]

use annalist_model::Page;
use annalist_model::spec::{Entity, Topic};

const MENU: &str = "Home News Sports Weather Login Register Contact";

pub fn page(text: &str) -> Page {
    let text = text.to_owned();
    Page { mime: "text/html".to_owned(), language: Some("en".to_owned()), text, ..Page::default() }
}

fn pages(texts: &[&str]) -> Vec<Page> {
    texts.iter().map(|text| page(&format!("{MENU}\n{text}"))).collect()
}

pub fn references() -> Vec<Page> {
    pages(&[
        "The debt crisis deepened in Athens. Antonis Samaras asked creditors for another bailout, and the parliament \
         voted on austerity while the debt crisis went on. The European Central Bank waited.",
        "Austerity and bailout: the troika of creditors returned to Athens. Samaras defended austerity before the \
         parliament. The debt crisis, he said, would end; the ECB had promised it.",
        "A bailout with austerity was the answer of the creditors to the debt crisis, and the troika counted pensions \
         in Athens. The parliament agreed to the bailout after a long night of the debt crisis.",
    ])
}

pub fn background() -> Vec<Page> {
    pages(&[
        "Roses and tulips want water in summer; a garden needs patience, compost and a sharp spade.",
        "The striker scored twice before halftime and the goalkeeper of the visitors was injured.",
        "Fry the onions in olive oil, add tomatoes and oregano, and let the sauce simmer for an hour.",
        "The sailing boat left the harbour at dawn with a fresh wind from the west.",
    ])
}

pub fn topic() -> Topic {
    let entity = |name: &str, aliases: &[&str]| Entity {
        name: name.to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        ..Entity::default()
    };
    Topic {
        keywords: vec!["Greece".to_owned(), "bailout".to_owned(), "debt crisis".to_owned()],
        languages: vec!["en".to_owned()],
        entities: vec![entity("Antonis Samaras", &["Samaras"]), entity("European Central Bank", &["ECB"])],
        ..Topic::default()
    }
}

/// Compares with a file in `tests/expected`; `ANNALIST_EXPECT=1` writes it instead.
pub fn as_expected(name: &str, found: &str) {
    let path = format!("{}/tests/expected/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("ANNALIST_EXPECT").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{path} says otherwise; ANNALIST_EXPECT=1 writes it anew");
}
