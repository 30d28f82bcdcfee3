//! Who writes, who answers, quotes, cites and names whom, and whose word counts: a graph of authors, with ties from those
//! who refer to those they refer to.
//!
//! `gather.rs` goes over the writings for what they refer to, `quoted.rs` once more for where quoted words come from,
//! `rank.rs` says how much the authors of a graph count.

mod authors;
mod gather;
mod quoted;
mod rank;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::corpus::{Corpus, CorpusError};
use super::{Day, StudyWatch};
use authors::AuthorNumber;
use gather::{Gathered, Reference};

/// How sure we are that a tie is one, by what shows it.
const BY_PARENT: f32 = 0.95;
const BY_LINK: f32 = 0.9;
const BY_NAMED_QUOTE: f32 = 0.95;
const BY_QUOTED_WORDS: f32 = 0.85;
const BY_QUOTED_NAME: f32 = 0.8;
const BY_NAME: f32 = 0.6;

/// One who writes. Where nothing better is known, those of one name on one site are one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Author {
    pub name: String,
    pub site: String,
    /// The page that is about them, where there is one.
    pub url: Option<String>,
    pub writings: u64,
    /// When the first and the last of those with a date were written.
    pub first: Option<Day>,
    pub last: Option<Day>,
    pub gave: Counts,
    pub received: Counts,
    /// Their share of what all authors count; the shares of all come to 1.
    pub influence: f64,
    /// That all of it was written by one person.
    pub confidence: f32,
}

/// How often one refers to another, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub replies: u64,
    pub quotes: u64,
    pub links: u64,
    pub mentions: u64,
}

/// One author refers to another; by their places in the list of authors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tie {
    pub from: usize,
    pub to: usize,
    pub counts: Counts,
    /// That there is such a tie at all.
    pub confidence: f32,
    /// The capture that shows it first.
    pub source: String,
}

/// A site as an author of its own: what its pages link to counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    pub site: String,
    pub writings: u64,
    pub authors: u64,
    /// Links from its writings to other sites, and from theirs to it.
    pub cites: u64,
    pub cited: u64,
    /// How many sites cite it.
    pub cited_by: u64,
    pub influence: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Social {
    /// The most influential first.
    pub authors: Vec<Author>,
    pub ties: Vec<Tie>,
    /// The most influential first; also sites that are only cited.
    pub sites: Vec<Site>,
    /// Writings of which nobody knows who wrote them.
    pub anonymous: u64,
}

/// Goes through the writings twice.
pub fn social(corpus: &Corpus, watch: &dyn StudyWatch) -> Result<Social, CorpusError> {
    watch.begin("social: who refers to whom", corpus.len());
    let mut gathered = gather::gather(corpus, watch)?;
    watch.begin("social: who is quoted", corpus.len());
    quoted::find(corpus, &mut gathered, watch)?;
    let sites = sites(&gathered);
    let anonymous = gathered.anonymous;
    let mut ties: BTreeMap<(AuthorNumber, AuthorNumber), Tie> = BTreeMap::new();
    for reference in std::mem::take(&mut gathered.references) {
        note(&mut ties, &gathered, reference);
    }
    let mut social = Social { authors: gathered.authors.into_list(), ties: Vec::new(), sites, anonymous };
    let edges: Vec<rank::Edge> =
        ties.iter().map(|((from, to), tie)| (*from, *to, weight(tie.counts))).collect();
    let shares = rank::influence(social.authors.len(), &edges);
    for (author, influence) in social.authors.iter_mut().zip(shares) {
        author.influence = influence;
    }
    social.ties = ties.into_values().collect();
    count(&mut social);
    order(&mut social);
    Ok(social)
}

fn note(ties: &mut BTreeMap<(AuthorNumber, AuthorNumber), Tie>, gathered: &Gathered, reference: Reference) {
    let Some((to, confidence)) = gathered.target(&reference) else { return };
    if to == reference.from {
        return;
    }
    let tie = ties.entry((reference.from, to)).or_insert_with(|| Tie {
        from: reference.from as usize,
        to: to as usize,
        counts: Counts::default(),
        confidence: 0.0,
        source: reference.source.into(),
    });
    match reference.how {
        gather::How::Reply(_) => tie.counts.replies += 1,
        gather::How::Quote(_) => tie.counts.quotes += 1,
        gather::How::Link(_) => tie.counts.links += 1,
        gather::How::Mention(_) => tie.counts.mentions += 1,
    }
    // Each is evidence of its own.
    tie.confidence = 1.0 - (1.0 - tie.confidence) * (1.0 - confidence);
}

/// A mention is less than an answer.
fn weight(counts: Counts) -> f64 {
    (counts.replies + counts.quotes + counts.links) as f64 + counts.mentions as f64 / 2.0
}

fn count(social: &mut Social) {
    let add = |sum: &mut Counts, counts: Counts| {
        sum.replies += counts.replies;
        sum.quotes += counts.quotes;
        sum.links += counts.links;
        sum.mentions += counts.mentions;
    };
    for tie in &social.ties {
        if let Some(from) = social.authors.get_mut(tie.from) {
            add(&mut from.gave, tie.counts);
        }
        if let Some(to) = social.authors.get_mut(tie.to) {
            add(&mut to.received, tie.counts);
        }
    }
}

/// The most influential first; ties speak of the new places.
fn order(social: &mut Social) {
    let mut places: Vec<usize> = (0..social.authors.len()).collect();
    let authors = &social.authors;
    places.sort_by(|a, b| match (authors.get(*a), authors.get(*b)) {
        (Some(a), Some(b)) => b
            .influence
            .total_cmp(&a.influence)
            .then(b.writings.cmp(&a.writings))
            .then_with(|| (&a.site, &a.name, &a.url).cmp(&(&b.site, &b.name, &b.url))),
        _ => a.cmp(b),
    });
    let mut new = vec![0; places.len()];
    for (place, old) in places.iter().enumerate() {
        if let Some(new) = new.get_mut(*old) {
            *new = place;
        }
    }
    social.authors = places.iter().filter_map(|old| social.authors.get(*old).cloned()).collect();
    for tie in &mut social.ties {
        tie.from = new.get(tie.from).copied().unwrap_or_default();
        tie.to = new.get(tie.to).copied().unwrap_or_default();
    }
    social.ties.sort_by_key(|tie| (tie.from, tie.to));
}

fn sites(gathered: &Gathered) -> Vec<Site> {
    let names = gathered.sites.names();
    let mut sites: Vec<Site> = names
        .iter()
        .map(|name| Site {
            site: name.clone(),
            writings: 0,
            authors: 0,
            cites: 0,
            cited: 0,
            cited_by: 0,
            influence: 0.0,
        })
        .collect();
    for (number, writings) in &gathered.writings_of_site {
        if let Some(site) = sites.get_mut(*number as usize) {
            site.writings = *writings;
        }
    }
    let numbers: HashMap<&str, usize> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    for author in gathered.authors.list() {
        if let Some(site) = numbers.get(author.site.as_str()).and_then(|number| sites.get_mut(*number)) {
            site.authors += 1;
        }
    }
    let mut edges: Vec<rank::Edge> = Vec::new();
    for ((from, to), times) in &gathered.citations {
        if let Some(site) = sites.get_mut(*from as usize) {
            site.cites += times;
        }
        if let Some(site) = sites.get_mut(*to as usize) {
            site.cited += times;
            site.cited_by += 1;
        }
        edges.push((*from, *to, *times as f64));
    }
    for (site, influence) in sites.iter_mut().zip(rank::influence(names.len(), &edges)) {
        site.influence = influence;
    }
    sites.sort_by(|a, b| b.influence.total_cmp(&a.influence).then_with(|| a.site.cmp(&b.site)));
    sites
}

#[cfg(test)]
mod tests;
