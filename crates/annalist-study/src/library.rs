//! The pages of an archive as a crawl reads them. What is read once is kept while there is room.

use std::collections::HashMap;
use std::sync::Arc;

use annalist_judge::Vector;
use annalist_judge::text::{OwnFrequencies, Stems};
use annalist_model::{CanonicalUrl, Canonicaliser, LinkKind, Page};
use annalist_read::Reader;
use annalist_sources::{ArchiveSource, NotThere};

use crate::shelf::Shelf;

/// ISO 639's word for a language that could not be told.
const UNDETERMINED: &str = "und";

#[derive(Debug)]
pub struct Library {
    source: ArchiveSource,
    reader: Reader,
    frequencies: OwnFrequencies,
    shelf: Shelf<Document>,
}

/// A page with what it is about.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) page: Page,
    pub(crate) vector: Vector,
    /// The links a reader would follow.
    pub(crate) links: Vec<Followed>,
}

#[derive(Debug)]
pub(crate) struct Followed {
    /// Its place among the links of the page.
    pub(crate) place: usize,
    pub(crate) anchor: Vector,
}

/// What became of asking the archive for an address.
#[derive(Debug)]
pub(crate) enum Fetched {
    Page(Arc<Document>),
    Redirect(CanonicalUrl),
    /// Neither an answer nor a way to one.
    Failed(u16),
    Missing,
    Unreadable(String),
}

/// The stems that one thread remembers, by language.
#[derive(Debug, Default)]
pub(crate) struct Stemmers(HashMap<String, Stems>);

impl Stemmers {
    fn of(&mut self, code: &str, frequencies: &OwnFrequencies) -> &mut Stems {
        self.0.entry(code.to_owned()).or_insert_with(|| frequencies.stems(code))
    }
}

impl Library {
    /// At most `memory_bytes` of pages are kept, near enough.
    pub fn new(source: ArchiveSource, frequencies: OwnFrequencies, memory_bytes: usize) -> Library {
        let reader = Reader::new(Canonicaliser::default());
        Library { source, reader, frequencies, shelf: Shelf::new(memory_bytes) }
    }

    pub fn source(&self) -> &ArchiveSource {
        &self.source
    }

    pub(crate) fn fetch(&self, url: &CanonicalUrl, stemmers: &mut Stemmers) -> Fetched {
        if let Some(document) = self.shelf.get(url.key()) {
            return Fetched::Page(document);
        }
        let archived = match self.source.newest(url) {
            Ok(archived) => archived,
            Err(NotThere::Missing) => return Fetched::Missing,
            Err(fault @ NotThere::Unreadable(_)) => return Fetched::Unreadable(fault.to_string()),
        };
        let status = archived.head.status;
        if archived.head.is_redirect() {
            let location = archived.head.location().unwrap_or_default();
            let target = Canonicaliser::default().join(url.as_url(), &location);
            return target.map_or(Fetched::Failed(status), Fetched::Redirect);
        }
        if !(200..300).contains(&status) {
            return Fetched::Failed(status);
        }
        let page = self.reader.read(url, &archived.head, &archived.body);
        let document = Arc::new(self.document(page, stemmers));
        self.shelf.put(url.key(), Arc::clone(&document), document.bytes());
        Fetched::Page(document)
    }

    fn document(&self, page: Page, stemmers: &mut Stemmers) -> Document {
        let code = page.language.as_deref().unwrap_or(UNDETERMINED);
        let stems = stemmers.of(code, &self.frequencies);
        let mut vector = |text: &str| Vector::of(text, stems);
        let whole = vector(&page.text);
        let followed = page.links.iter().enumerate().filter(|(_, link)| is_followed(link.kind));
        let links = followed.map(|(place, link)| Followed { place, anchor: vector(&link.anchor) }).collect();
        Document { vector: whole, links, page }
    }
}

/// What leads to other pages. What a page is made of is no page, and related addresses are not shown to readers.
fn is_followed(kind: LinkKind) -> bool {
    matches!(
        kind,
        LinkKind::Anchor
            | LinkKind::Area
            | LinkKind::Frame
            | LinkKind::MetaRefresh
            | LinkKind::Feed
            | LinkKind::Sitemap
    )
}

impl Document {
    /// In memory, near enough.
    fn bytes(&self) -> usize {
        const LINK: usize = 400;
        let anchors: usize = self.links.iter().map(|link| link.anchor.bytes()).sum();
        let words: usize = self.page.links.iter().map(|link| link.anchor.len() + link.context.len()).sum();
        self.page.text.len() + self.page.links.len() * LINK + words + self.vector.bytes() + anchors
    }
}
