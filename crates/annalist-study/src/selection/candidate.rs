//! A page that may enter the collection, with what speaks for and against it.

use std::collections::{BTreeMap, HashMap};

use annalist_judge::text::{Language, Stems, Terms, Tokens};
use annalist_knowledge::Document;
use annalist_knowledge::search::simhash;
use annalist_model::CanonicalUrl;
use serde::{Deserialize, Serialize};

/// Media types of what people read.
const PAGES: [&str; 4] = ["text/html", "application/xhtml+xml", "text/plain", "application/pdf"];
/// Stems by which a page is known.
const MOST_TERMS: usize = 40;
const SNIPPET: usize = 200;
const LONGEST_TITLE: usize = 300;
/// `2011-03-05`; less where less is known.
const DAY: usize = 10;
/// ISO 639's word for a language that could not be told.
const UNDETERMINED: &str = "und";

/// A page, however often it was captured; what is told is that of its last capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Candidate {
    pub url: String,
    /// The name of the capture's record.
    pub record: String,
    /// Pay-level domain.
    pub site: String,
    pub mime: String,
    pub via: Option<String>,
    pub hops: String,
    /// How relevant the crawl found it.
    pub relevance: Option<f32>,
    pub language: Option<String>,
    pub title: Option<String>,
    /// How its matter begins.
    pub snippet: String,
    /// Words of its matter.
    pub words: u32,
    /// Its most frequent stems, between spaces: a page needs no more room than this.
    pub terms: String,
    /// The stems of its title, the same way.
    pub title_terms: String,
    pub application: Option<String>,
    pub level: Option<String>,
    pub objects: u32,
    pub has_author: bool,
    /// The day on which it was published.
    pub published: Option<String>,
    /// Tells near duplicates: few bits differ.
    pub simhash: u64,
    /// The address where the same was captured before: what was read there is told of it, too.
    pub same_as: Option<String>,
}

impl Candidate {
    /// Whether it was fetched because another page shows it.
    pub fn is_shown(&self) -> bool {
        self.hops.ends_with('E')
    }

    /// A page with the content of another one, of which all was read.
    pub fn with_content_of(self, read: &Candidate) -> Candidate {
        Candidate {
            url: self.url,
            record: self.record,
            site: self.site,
            via: self.via,
            hops: self.hops,
            relevance: self.relevance.or(read.relevance),
            same_as: self.same_as,
            ..read.clone()
        }
    }
}

/// Makes candidates of documents.
#[derive(Debug, Default)]
pub struct Looker {
    stems: HashMap<String, Stems>,
}

impl Looker {
    /// `None` for what is no page, and for what was captured again at its address: that adds nothing. What other pages show
    /// is one where it can be read as such.
    pub fn look(&mut self, document: &Document) -> Option<Candidate> {
        if !(200..300).contains(&document.status) || document.hops.ends_with('P') {
            return None;
        }
        if let Some(original) = &document.original {
            return repeated(document, &original.url).filter(|repeated| !repeated.is_shown());
        }
        if !PAGES.contains(&document.mime.as_str()) {
            return None;
        }
        let matter = document.main_text();
        let code = document.language.as_deref().unwrap_or(UNDETERMINED);
        let stems = match self.stems.get_mut(code) {
            Some(stems) => stems,
            None => self.stems.entry(code.to_owned()).or_insert_with(|| Stems::new(Language::of(code))),
        };
        let title = document.title.as_deref().map(|title| shortened(title, LONGEST_TITLE));
        Some(Candidate {
            url: document.url.as_str().to_owned(),
            record: document.record.clone(),
            site: document.url.site().to_owned(),
            mime: document.mime.clone(),
            via: document.via.clone(),
            hops: document.hops.clone(),
            relevance: document.relevance,
            language: document.language.clone(),
            snippet: shortened(&matter, SNIPPET),
            words: words(&matter),
            terms: frequent(&matter, stems),
            title_terms: title.as_deref().map(|title| frequent(title, stems)).unwrap_or_default(),
            title,
            application: document.application.clone(),
            level: document.level.clone(),
            objects: u32::try_from(document.objects.len()).unwrap_or(u32::MAX),
            has_author: document.objects.iter().any(|object| object.author.is_some()),
            published: document.published.as_ref().map(|dated| dated.text.chars().take(DAY).collect()),
            simhash: simhash(&matter),
            same_as: None,
        })
    }
}

/// What another address had first; that it is a page is known there.
fn repeated(document: &Document, original: &str) -> Option<Candidate> {
    let original = CanonicalUrl::parse(original).ok().filter(|original| *original != document.url)?;
    Some(Candidate {
        url: document.url.as_str().to_owned(),
        record: document.record.clone(),
        site: document.url.site().to_owned(),
        via: document.via.clone(),
        hops: document.hops.clone(),
        relevance: document.relevance,
        same_as: Some(original.as_str().to_owned()),
        ..Candidate::default()
    })
}

/// Single stems, the most frequent first, and of equals the first in the alphabet.
fn frequent(text: &str, stems: &mut Stems) -> String {
    let terms = Terms::of(text, stems);
    let single = terms.iter().filter(|term| !term.stem.contains(' '));
    let counted: BTreeMap<&str, u32> = single.map(|term| (term.stem, term.count)).collect();
    let mut counted: Vec<(&str, u32)> = counted.into_iter().collect();
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.iter().take(MOST_TERMS).map(|(stem, _)| *stem).collect::<Vec<_>>().join(" ")
}

/// How many words it has; of scripts without spaces, what is indexed for one.
fn words(text: &str) -> u32 {
    let mut tokens = Tokens::new(text);
    let mut number = 0;
    while tokens.next_token().is_some() {
        number += 1;
    }
    number
}

/// In one line.
fn shortened(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.chars().count() + word.chars().count() > most {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
