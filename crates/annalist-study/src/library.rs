//! The pages of an archive as a crawl reads them. What is read once is kept while there is room.

use std::collections::HashMap;
use std::sync::Arc;

use annalist_crawl::apps::read_as_judged;
use annalist_crawl::snapshots::Wanted;
use annalist_judge::Vector;
use annalist_judge::text::{OwnFrequencies, Stems};
use annalist_model::spec::{Event, SnapshotChoice, Topic};
use annalist_model::{CanonicalUrl, Canonicaliser, DocumentTime, LinkKind, Page, Time};
use annalist_read::Reader;
use annalist_sources::{ArchiveSource, Archived, NotThere};

use crate::occasion::{Keywords, Weighed};
use crate::shelf::Shelf;

/// ISO 639's word for a language that could not be told.
const UNDETERMINED: &str = "und";

#[derive(Debug)]
pub struct Library {
    source: ArchiveSource,
    reader: Reader,
    frequencies: OwnFrequencies,
    shelf: Shelf<Document>,
    /// Which captures are read, and what keywords count more; the newest captures where there is none.
    occasion: Option<(Event, Keywords)>,
}

/// A page with what it is about.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) page: Page,
    pub(crate) vector: Vector,
    /// The links a reader would follow.
    pub(crate) links: Vec<Followed>,
    /// Where it was captured: when it is from.
    pub(crate) time: Option<DocumentTime>,
    /// Where there is an event: its terms as a collection specification weighs them.
    pub(crate) terms: Vec<Weighed>,
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
        Library { source, reader, frequencies, shelf: Shelf::new(memory_bytes), occasion: None }
    }

    /// The same, with the captures that show an event best.
    #[must_use]
    pub fn showing(self, event: &Event, topic: &Topic) -> Library {
        let language = topic.languages.first().map_or(UNDETERMINED, String::as_str);
        let keywords = Keywords::new(&topic.keywords, &mut self.frequencies.stems(language));
        Library { occasion: Some((event.clone(), keywords)), ..self }
    }

    pub fn source(&self) -> &ArchiveSource {
        &self.source
    }

    pub(crate) fn fetch(&self, url: &CanonicalUrl, stemmers: &mut Stemmers) -> Fetched {
        if let Some(document) = self.shelf.get(url.key()) {
            return Fetched::Page(document);
        }
        let archived = match self.read(url) {
            Ok(archived) => archived,
            Err(NotThere::Missing) => return Fetched::Missing,
            Err(fault @ (NotThere::Unreadable(_) | NotThere::Unanswered(_))) => {
                return Fetched::Unreadable(fault.to_string());
            }
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
        let page = read_as_judged(&self.reader, None, &archived);
        let document = Arc::new(self.document(page, Some(archived.at), stemmers));
        self.shelf.put(url.key(), Arc::clone(&document), document.bytes());
        Fetched::Page(document)
    }

    /// Since when the archive has an answer of an address, where there is an event.
    pub(crate) fn first_seen(&self, url: &CanonicalUrl) -> Option<Time> {
        self.occasion.as_ref()?;
        let snapshots = Wanted::Oldest.of_these(self.source.look_up(url).ok()?);
        snapshots.first().map(|snapshot| snapshot.at)
    }

    fn read(&self, url: &CanonicalUrl) -> Result<Archived, NotThere> {
        let Some((event, _)) = &self.occasion else { return self.source.newest(url) };
        let wanted = Wanted::of(SnapshotChoice::Event, Some(event));
        let snapshots = wanted.of_these(self.source.look_up(url)?);
        let snapshot = snapshots.first().ok_or(NotThere::Missing)?;
        Ok(self.source.read(snapshot)?.archived)
    }

    /// A page that need not be of the archive.
    pub(crate) fn document(&self, page: Page, captured: Option<Time>, stemmers: &mut Stemmers) -> Document {
        let code = page.language.as_deref().unwrap_or(UNDETERMINED);
        let stems = stemmers.of(code, &self.frequencies);
        let terms = self.occasion.as_ref().map(|(_, keywords)| {
            let text = format!("{}\n{}", page.title.as_deref().unwrap_or_default(), page.text);
            keywords.weighed(&text, stems, self.frequencies.of(code))
        });
        let time = captured.map(|captured| page.time(captured));
        let mut vector = |text: &str| Vector::of(text, stems);
        let whole = vector(&page.text);
        let followed = page.links.iter().enumerate().filter(|(_, link)| is_followed(link.kind));
        let links = followed.map(|(place, link)| Followed { place, anchor: vector(&link.anchor) }).collect();
        Document { vector: whole, links, page, time, terms: terms.unwrap_or_default() }
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
        let terms = self.terms.len() * size_of::<Weighed>();
        self.page.text.len() + self.page.links.len() * LINK + words + self.vector.bytes() + anchors + terms
    }
}
