//! Documents become writings: what somebody wrote, each once, however often and wherever it was captured.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use annalist_knowledge::search::simhash;
use annalist_knowledge::{Derived, DerivedError, Document, Mark, millis_of, object_iri, parent_iri};
use annalist_model::page::PartKind;
use annalist_model::{Hop, Object};
use annalist_read::language::language;
use xxhash_rust::xxh3::xxh3_64;

use super::corpus::{Corpus, CorpusError, CorpusWriter};
use super::writing::Writing;

/// A page with less to say is a list, a form, or a picture with its caption.
/// Shorter words of links are names and words of the text like others; longer ones are what another page is called.
const WORDS_OF_A_PHRASE: usize = 4;
const MOST_ANCHORS: usize = 200;
const LEAST_PAGE_TEXT: usize = 200;
/// So much of an object's text tells where on its page it stands.
const RECOGNISED_BY: usize = 40;

/// Takes documents and writes a corpus.
#[derive(Debug)]
pub struct Gatherer {
    writer: CorpusWriter,
    /// Hashes of the names of those that are in.
    known: HashSet<u64>,
    mark: Mark,
}

impl Gatherer {
    pub fn create(path: &Path) -> Result<Gatherer, CorpusError> {
        let writer = CorpusWriter::create(path)?;
        Ok(Gatherer { writer, known: HashSet::new(), mark: Mark::default() })
    }

    pub fn finish(self) -> Result<Corpus, CorpusError> {
        self.writer.finish()
    }

    fn push(&mut self, writing: Writing) -> Result<(), DerivedError> {
        if self.known.insert(xxh3_64(writing.id.as_bytes())) {
            self.writer.push(writing).map_err(|fault| match fault {
                CorpusError::Io { path, source } => DerivedError::Io { what: path, source },
                other => DerivedError::Damaged(other.to_string()),
            })?;
        }
        Ok(())
    }
}

impl Derived for Gatherer {
    fn mark(&self) -> &Mark {
        &self.mark
    }

    fn add(&mut self, document: &Document) -> Result<(), DerivedError> {
        writings(document).into_iter().try_for_each(|writing| self.push(writing))
    }

    fn commit(&mut self, mark: &Mark) -> Result<(), DerivedError> {
        self.mark = mark.clone();
        Ok(())
    }
}

/// What was written on a page: its objects, or else the page itself, if it has something to say.
fn writings(document: &Document) -> Vec<Writing> {
    if !document.is_page() {
        return Vec::new();
    }
    let objects: Vec<Writing> = document
        .objects
        .iter()
        .filter(|object| !object.body.trim().is_empty())
        .map(|object| of_object(object, document))
        .collect();
    // A list of an application is no writing, and what it lists is found on pages of its own.
    if !objects.is_empty() || document.application.is_some() {
        return objects;
    }
    let text = document.main_text();
    if text.len() < LEAST_PAGE_TEXT {
        return Vec::new();
    }
    let (links, anchors) = links_within(document, 0..document.text.len());
    vec![Writing {
        id: document.url.as_str().to_owned(),
        kind: "page".to_owned(),
        published: published_at(document),
        language: document.language.clone(),
        title: document.title.clone(),
        simhash: simhash(&text),
        text,
        links,
        anchors,
        ..of_page(document)
    }]
}

fn published_at(document: &Document) -> Option<i64> {
    Some(document.published.as_ref()?.millis)
}

/// What a writing has from its page.
fn of_page(document: &Document) -> Writing {
    Writing {
        record: document.record.clone(),
        url: document.url.as_str().to_owned(),
        site: document.url.site().to_owned(),
        captured: document.captured.millis(),
        relevance: document.relevance,
        ..Writing::default()
    }
}

fn of_object(object: &Object, document: &Document) -> Writing {
    let is_alone = document.objects.len() == 1;
    let place = if is_alone { Some(0..document.text.len()) } else { place_of(object, document) };
    let (links, anchors) = place.map(|place| links_within(document, place)).unwrap_or_default();
    let published = object.date.as_deref().and_then(millis_of);
    // The first object of a page is what its date is about.
    let is_first = document.objects.first() == Some(object);
    let of_page_date = published_at(document).filter(|_| is_first);
    Writing {
        id: object_iri(&object.id).into_string(),
        kind: object.kind.clone(),
        author: object.author.clone(),
        author_url: object.author_url.clone(),
        published: published.or(of_page_date),
        language: language(&object.body, document.language.as_deref()),
        title: object.title.clone(),
        text: object.body.clone(),
        parent: object
            .parent
            .as_deref()
            .and_then(|parent| parent_iri(parent, document))
            .map(|name| name.into_string()),
        thread: object.thread.clone(),
        quotes: object.quotes.clone(),
        links,
        anchors,
        tags: object.tags.clone(),
        simhash: simhash(&object.body),
        ..of_page(document)
    }
}

/// Where on its page an object stands.
fn place_of(object: &Object, document: &Document) -> Option<Range<usize>> {
    let start = annalist_model::link::shortened(object.body.lines().next()?.trim(), RECOGNISED_BY);
    let from = document.text.find(start).filter(|_| !start.is_empty())?;
    Some(from..from.saturating_add(object.body.len()).min(document.text.len()))
}

/// Where the links lead that stand in a part of the page's matter, and their words where these are a phrase.
fn links_within(document: &Document, place: Range<usize>) -> (Vec<String>, Vec<String>) {
    let links = document.links.iter().filter(|link| {
        link.kind.hop() == Hop::Link
            && !link.at.is_empty()
            && place.contains(&link.at.start)
            && part_at(document, link.at.start) == PartKind::Main
    });
    let links: Vec<_> = links.collect();
    let words = links.iter().filter_map(|link| document.text.get(link.at.clone()));
    let is_phrase = |words: &&str| words.split_whitespace().count() >= WORDS_OF_A_PHRASE;
    let anchors = words.filter(is_phrase).take(MOST_ANCHORS).map(|words| words.trim().to_owned()).collect();
    (links.iter().map(|link| link.url.as_str().to_owned()).collect(), anchors)
}

fn part_at(document: &Document, at: usize) -> PartKind {
    let before = document.parts.partition_point(|part| part.from <= at);
    before.checked_sub(1).and_then(|last| document.parts.get(last)).map(|part| part.kind).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use annalist_knowledge::DerivedError;

    use super::Gatherer;
    use crate::offline::Writing;

    #[test]
    fn a_disk_that_is_full_while_writings_are_gathered_is_told_as_such() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/full", dir.path().join("writings.new")).unwrap();
        let mut gatherer = Gatherer::create(&dir.path().join("writings")).unwrap();
        let writing = |n: u64| Writing {
            id: n.to_string(),
            text: (0..9).map(|k| format!("{:x} ", (n * 9 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect(),
            ..Writing::default()
        };
        let fault = (0..20_000).find_map(|n| gatherer.push(writing(n)).err());
        assert!(
            matches!(&fault, Some(DerivedError::Io { source, .. }) if source.kind() == ErrorKind::StorageFull),
            "{fault:?}"
        );
    }
}
