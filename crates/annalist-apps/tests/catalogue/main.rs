//! The language of the catalogue, as `docs/catalogue.md` describes it: small descriptions, small pages, and what comes out.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod families;
mod links;
mod mistakes;
mod objects;
mod signs;

use annalist_apps::catalogue::Loaded;
use annalist_apps::{Catalogue, Input, recognise, report};
use annalist_model::{CanonicalUrl, Canonicaliser, ResponseHead};
use annalist_read::Reader;
use serde_json::Value;

/// Descriptions without a mistake, ready for use.
fn catalogue(files: &[&str]) -> Catalogue {
    let mut loaded = Loaded::default();
    for (number, text) in files.iter().enumerate() {
        loaded.add(&format!("{number}/app.xml"), text);
    }
    let (catalogue, mistakes) = Catalogue::new(&loaded.descriptions);
    assert_eq!([loaded.mistakes, mistakes].concat(), []);
    catalogue
}

/// One application that every page of `http://a.test/` belongs to, with this in it.
fn application(inside: &str) -> Catalogue {
    catalogue(&[&format!(
        "<application id='app'><detect><url host='a.test'/></detect>{inside}</application>"
    )])
}

/// What is seen in a page.
fn see(catalogue: &Catalogue, url: &str, html: &str) -> Value {
    see_with(catalogue, url, &[], html)
}

fn see_with(catalogue: &Catalogue, url: &str, fields: &[(&str, &str)], html: &str) -> Value {
    let url = CanonicalUrl::parse(url).unwrap();
    let mut head = ResponseHead { status: 200, fields: Vec::new() };
    for (name, value) in [("Content-Type", "text/html; charset=utf-8")].iter().chain(fields) {
        head.fields.push(((*name).to_owned(), value.as_bytes().to_vec()));
    }
    let html = format!("<!DOCTYPE html><html><head><title>T</title></head><body>{html}</body></html>");
    let (page, tree) = Reader::new(Canonicaliser::default()).read_with_tree(&url, &head, html.as_bytes());
    let tree = tree.unwrap();
    let seen = recognise(catalogue, &Input { tree: &tree, page: &page, url: &url, head: &head, at: None });
    report(&seen, &page)
}

/// Some field of each object; `null` where there is none.
fn each<'v>(seen: &'v Value, field: &str) -> Vec<&'v Value> {
    let objects = seen["objects"].as_array().unwrap();
    objects.iter().map(|object| &object[field]).collect()
}
