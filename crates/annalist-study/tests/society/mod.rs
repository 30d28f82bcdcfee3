//! The writings of a test web with a society, as a crawl that extracts everything would have them.

#![allow(dead_code, reason = "each file of tests needs its part of it")]

use std::path::Path;

use annalist_study::offline::{Corpus, Writing};
use annalist_testweb::{ObjectKind, SaidTruth, World, WorldConfig};

pub fn world(pages: usize) -> World {
    seeded(pages, WorldConfig::default().seed)
}

/// Another world of the same people: what is written when, and what happens to whom, differs.
pub fn seeded(pages: usize, seed: u64) -> World {
    of_hosts(24, pages, seed)
}

pub fn of_hosts(hosts: usize, pages: usize, seed: u64) -> World {
    World::new(WorldConfig { society: true, hosts, pages, seed, ..WorldConfig::default() })
}

pub fn corpus(dir: &Path, world: &World) -> Corpus {
    Corpus::write(&dir.join("writings"), world.truth().said().map(writing)).unwrap()
}

/// The name that an analysis has for a text of the truth.
pub fn id(said: &SaidTruth) -> String {
    place(&said.url, said.object.anchor.as_ref())
}

fn place(url: &str, anchor: Option<&String>) -> String {
    anchor.map_or(url.to_owned(), |anchor| format!("{url}#{anchor}"))
}

fn writing(said: SaidTruth) -> Writing {
    let comment = said.object.kind == ObjectKind::Comment;
    let id = id(&said);
    let thread = said.url.split("&start=").next().unwrap_or_default().to_owned();
    Writing {
        record: format!("urn:uuid:{id}"),
        parent: comment.then(|| place(&said.url, said.object.parent.as_ref())),
        kind: if comment { "comment" } else { "post" }.to_owned(),
        author: Some(said.object.author),
        author_url: None,
        published: i64::try_from(said.at * 1000).ok(),
        captured: 1_400_000_000_000,
        language: Some(said.language.code().to_owned()),
        title: said.object.title,
        text: said.object.text,
        thread: Some(thread),
        quotes: said
            .quote
            .map(|quote| format!("{} wrote:\n{}", quote.author, quote.text))
            .into_iter()
            .collect(),
        links: said.links,
        anchors: Vec::new(),
        tags: Vec::new(),
        relevance: None,
        simhash: 0,
        url: said.url,
        site: said.site,
        id,
    }
}
