//! What speaks for a link and against it, each signal in a file of its own: a number, most often between 0 and 1, or nothing
//! where it has nothing to say. How they are weighed is in `scorer.rs`.

mod address;
mod anchor;
mod best_siblings;
mod context;
mod distance;
mod in_links;
mod named;
mod page;
mod part;
mod pattern;
mod siblings;
mod site;
mod words;

use annalist_model::UrlKey;

use crate::ledger::{Ledger, Waiting};

/// What the crawl's mean weighs against the mentions of a link.
const PRIOR: f32 = 3.0;

/// What is known of a link that waits.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub key: UrlKey,
    pub link: &'a Waiting,
    pub ledger: &'a Ledger,
    pub names_are_sought: bool,
    /// What each irrelevant page on the way takes off.
    pub tunnel_decay: f32,
}

impl Known<'_> {
    /// The mean over its mentions, drawn towards the crawl's.
    fn drawn_mean(&self, values: impl Iterator<Item = f32>) -> Option<f32> {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        Some((sum + PRIOR * self.ledger.mean()) / (count + PRIOR))
    }
}

/// Short texts are by chance much nearer to a topic than any page.
fn at_most(nearness: f32) -> f32 {
    nearness.min(2.0)
}

/// One signal: how it is called, what it says by default, and how it is found.
#[derive(Debug)]
pub struct Signal {
    pub name: &'static str,
    pub meaning: &'static str,
    /// What it weighs before the crawl has taught better.
    pub weight: f32,
    /// What it is taken to be where it says nothing, until the crawl has shown what is usual.
    pub usual: f32,
    pub(crate) value: fn(&Known<'_>) -> Option<f32>,
}

pub const COUNT: usize = 13;

macro_rules! signals {
    ($($file:ident $name:literal $weight:literal $usual:literal $meaning:literal)*) => {
        /// All of them.
        pub static SIGNALS: [Signal; COUNT] = [$(
            Signal { name: $name, meaning: $meaning, weight: $weight, usual: $usual, value: $file::value }
        ),*];
    };
}

signals! {
    siblings "siblings" 1.0 0.5 "what became of the other links of the pages that mention it"
    best_siblings "best_siblings" 0.2 0.5 "the same at its best mention"
    words "words" 0.6 0.5 "what pages were like whose links and addresses had the same words"
    context "context" 0.1 0.3 "the text around it"
    anchor "anchor" 0.02 0.3 "its own words"
    address "address" 0.02 0.3 "the words in its address"
    part "part" 0.02 0.3 "the part of the page it stands in"
    page "page" 0.02 0.5 "the pages that mention it"
    named "entities" 0.3 0.0 "names of the topic at the link"
    pattern "pattern" 0.05 0.5 "what pages were like whose addresses have the same shape"
    site "site" 0.05 0.5 "how its site has done so far"
    in_links "in_links" 0.02 0.2 "relevant pages that mention it, of late above all"
    distance "distance" 0.02 0.5 "how far the last relevant page on the way to it is"
}

/// Pages and links to try signals on.
#[cfg(test)]
mod stand {
    use annalist_model::UrlKey;
    use annalist_model::page::PartKind;

    use super::Known;
    use crate::ledger::Ledger;
    use crate::reading::LinkReading;

    #[derive(Default)]
    pub(super) struct Stand {
        pub(super) ledger: Ledger,
        pub(super) names_are_sought: bool,
    }

    pub(super) fn key(url: u64) -> UrlKey {
        UrlKey { site: 1, url }
    }

    /// Nothing is said about it.
    pub(super) fn link(url: u64) -> LinkReading {
        LinkReading {
            key: key(url),
            anchor: None,
            context: None,
            part: None,
            part_kind: PartKind::Main,
            address: None,
            named: None,
            words: [].into(),
            pattern: 0,
            told: None,
            timely: None,
        }
    }

    impl Stand {
        /// A page with these links; its number.
        pub(super) fn page(&mut self, relevance: f32, links: &[LinkReading]) -> u32 {
            let page = key(1_000_000 + u64::from(self.ledger.judged()));
            let number = self.ledger.add(page, relevance, 0, links.len());
            for (place, link) in (0..).zip(links) {
                self.ledger.mention((number, place), link);
            }
            number
        }

        pub(super) fn value(&self, signal: fn(&Known<'_>) -> Option<f32>, url: u64) -> Option<f32> {
            let known = Known {
                key: key(url),
                link: self.ledger.waiting.get(&key(url))?,
                ledger: &self.ledger,
                names_are_sought: self.names_are_sought,
                tunnel_decay: 0.7,
            };
            signal(&known)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{COUNT, SIGNALS};

    #[test]
    fn every_signal_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = SIGNALS.iter().map(|signal| signal.name).collect();
        assert_eq!(names.len(), COUNT);
    }
}
