//! What every writing refers to, without its text: once over the corpus.

use std::collections::{BTreeMap, HashMap, HashSet};

use annalist_model::CanonicalUrl;
use xxhash_rust::xxh3::xxh3_64;

use super::authors::{AuthorNumber, Authors, Byline};
use super::{BY_LINK, BY_NAME, BY_NAMED_QUOTE, BY_PARENT, BY_QUOTED_NAME, BY_QUOTED_WORDS};
use crate::offline::corpus::{Corpus, CorpusError};
use crate::offline::writing::Writing;
use crate::offline::{Day, StudyWatch};

/// Of one writing; lists of links are not somebody's word.
const MOST_LINKS: usize = 200;
const MOST_QUOTES: usize = 50;
/// Of one thread, whose names are looked for.
const MOST_AUTHORS: usize = 300;
/// By the last words of a quote its source is found.
pub(super) const TAIL: usize = 6;
const LEAST_TAIL: usize = 3;

/// Names with numbers.
#[derive(Default)]
pub(super) struct Numbers {
    names: Vec<String>,
    by_name: HashMap<String, u32>,
}

impl Numbers {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.by_name.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), number);
        number
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}

/// Somebody refers to somebody.
pub(super) struct Reference {
    pub(super) from: AuthorNumber,
    pub(super) how: How,
    /// The capture that shows it.
    pub(super) source: Box<str>,
}

pub(super) enum How {
    /// To the writing of this name.
    Reply(u64),
    Quote(Quote),
    /// To what stands under this address.
    Link(u64),
    Mention(AuthorNumber),
}

#[derive(Clone, Debug)]
pub(super) struct Quote {
    pub(super) thread: u64,
    pub(super) at: i64,
    /// Of its last words, where it has enough of them.
    pub(super) tail: Option<u64>,
    /// Whom its beginning names.
    pub(super) named: Option<AuthorNumber>,
    /// Its first words, until the names of the thread are known.
    start: Vec<String>,
}

/// Where quoted words stand: the earliest in the thread.
pub(super) type Origins = HashMap<(u64, u64), (i64, AuthorNumber)>;

#[derive(Default)]
pub(super) struct Gathered {
    pub(super) authors: Authors,
    pub(super) sites: Numbers,
    pub(super) writings_of_site: BTreeMap<u32, u64>,
    /// Links between sites.
    pub(super) citations: BTreeMap<(u32, u32), u64>,
    pub(super) references: Vec<Reference>,
    /// Who writes in each thread.
    pub(super) threads: HashMap<u64, Vec<AuthorNumber>>,
    pub(super) origins: Origins,
    pub(super) anonymous: u64,
    /// Who wrote what: by name of the writing, and of pages by their address.
    by_id: HashMap<u64, AuthorNumber>,
    by_url: HashMap<u64, AuthorNumber>,
}

/// A writing without its text.
struct Row {
    id: u64,
    /// Of its page, where it stands for the page.
    page: Option<u64>,
    byline: Option<Byline>,
    site: String,
    day: Option<Day>,
    at: i64,
    thread: u64,
    parent: Option<u64>,
    quotes: Vec<(Option<u64>, Vec<String>)>,
    /// Addresses with their sites.
    links: Vec<(u64, String)>,
    record: String,
}

const UNDATED: i64 = i64::MAX;

pub(super) fn key(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// Words in small letters, without what stands between them.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The key of some words in a row.
pub(super) fn row_key(words: &[String]) -> u64 {
    key(&words.join(" "))
}

pub(super) fn thread_of(writing: &Writing) -> u64 {
    key(writing.thread.as_deref().unwrap_or(&writing.url))
}

/// When it was written, behind all others where nothing tells: of those the first in the archive is taken for the earliest.
pub(super) fn moment_of(writing: &Writing) -> i64 {
    writing.published.unwrap_or(UNDATED)
}

pub(super) fn gather(corpus: &Corpus, watch: &dyn StudyWatch) -> Result<Gathered, CorpusError> {
    let mut gathered = Gathered::default();
    let take = |rows: &mut Vec<Row>, writing: Writing| rows.push(row(writing));
    corpus.fold(Vec::new, take, |rows| rows.into_iter().for_each(|row| gathered.take(row)), watch)?;
    gathered.settle_names();
    Ok(gathered)
}

fn row(writing: Writing) -> Row {
    let mut seen = HashSet::new();
    let links = writing.links.iter().take(MOST_LINKS).filter(|link| seen.insert(link.as_str()));
    Row {
        id: key(&writing.id),
        page: (writing.kind != "comment").then(|| key(&writing.url)),
        byline: Byline::of(&writing),
        day: writing.day(),
        at: moment_of(&writing),
        thread: thread_of(&writing),
        parent: writing.parent.as_deref().map(key),
        quotes: writing.quotes.iter().take(MOST_QUOTES).map(|quote| tail_and_start(quote)).collect(),
        links: links.map(|link| (key(link), site(link))).collect(),
        site: writing.site,
        record: writing.record,
    }
}

fn tail_and_start(quote: &str) -> (Option<u64>, Vec<String>) {
    let words = words(quote);
    let tail = words.get(words.len().saturating_sub(TAIL)..).unwrap_or_default();
    let key = (tail.len() >= LEAST_TAIL).then(|| row_key(tail));
    (key, words.into_iter().take(TAIL).collect())
}

fn site(link: &str) -> String {
    CanonicalUrl::parse(link).map(|url| url.site().to_owned()).unwrap_or_default()
}

impl Gathered {
    fn take(&mut self, row: Row) {
        let from_site = self.sites.number(&row.site);
        *self.writings_of_site.entry(from_site).or_default() += 1;
        for (_, site) in row.links.iter().filter(|(_, site)| !site.is_empty() && *site != row.site) {
            let to_site = self.sites.number(site);
            *self.citations.entry((from_site, to_site)).or_default() += 1;
        }
        let Some(byline) = row.byline else {
            self.anonymous += 1;
            return;
        };
        let from = self.authors.meet(&byline, row.day);
        self.by_id.entry(row.id).or_insert(from);
        if let Some(page) = row.page {
            self.by_url.entry(page).or_insert(from);
        }
        let thread = self.threads.entry(row.thread).or_default();
        if thread.len() < MOST_AUTHORS && !thread.contains(&from) {
            thread.push(from);
        }
        let mut refer =
            |how| self.references.push(Reference { from, how, source: row.record.as_str().into() });
        if let Some(parent) = row.parent {
            refer(How::Reply(parent));
        }
        for (tail, start) in row.quotes {
            refer(How::Quote(Quote { thread: row.thread, at: row.at, tail, named: None, start }));
        }
        for (link, _) in row.links {
            refer(How::Link(link));
        }
    }

    /// Quotes begin with the name of whom they quote, whatever the language says for "wrote".
    fn settle_names(&mut self) {
        let Gathered { authors, threads, references, .. } = self;
        for reference in references {
            let How::Quote(quote) = &mut reference.how else { continue };
            let there = threads.get(&quote.thread).into_iter().flatten();
            quote.named = there
                .filter(|number| {
                    let name = words(authors.name(**number));
                    !name.is_empty() && quote.start.starts_with(&name)
                })
                .max_by_key(|number| authors.name(**number).len())
                .copied();
            quote.start = Vec::new();
        }
    }

    /// Who is referred to, and how sure that is.
    pub(super) fn target(&self, reference: &Reference) -> Option<(AuthorNumber, f32)> {
        match &reference.how {
            How::Reply(id) => {
                let author = self.by_id.get(id).or_else(|| self.by_url.get(id))?;
                Some((*author, BY_PARENT))
            }
            How::Link(url) => {
                let author = self.by_id.get(url).or_else(|| self.by_url.get(url))?;
                Some((*author, BY_LINK))
            }
            How::Mention(author) => Some((*author, BY_NAME)),
            How::Quote(quote) => {
                let origin = quote.tail.and_then(|tail| self.origins.get(&(quote.thread, tail)));
                let origin =
                    origin.filter(|(at, _)| *at == UNDATED || *at <= quote.at).map(|(_, author)| *author);
                match (quote.named, origin) {
                    (Some(named), Some(origin)) if named == origin => Some((named, BY_NAMED_QUOTE)),
                    (Some(named), _) => Some((named, BY_QUOTED_NAME)),
                    (None, Some(origin)) => Some((origin, BY_QUOTED_WORDS)),
                    (None, None) => None,
                }
            }
        }
    }
}
