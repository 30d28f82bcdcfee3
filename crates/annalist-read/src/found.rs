//! Collects the links of one page: resolves each spelling once, joins repeated mentions into one link, counts
//! what is no link. Where mentions are is known by `links.rs`, `feed.rs` and `sitemap.rs`.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;

use annalist_model::link::shortened;
use annalist_model::{CanonicalUrl, Canonicaliser, FoundLink, LinkKind, Unusable, UrlError};
use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::charset::encode_query;

/// Longer anchors are cut: some pages wrap a whole article in one link.
const LONGEST_ANCHOR: usize = 256;
/// How much text on either side of a link is its context.
const CONTEXT_SIDE: usize = 100;
/// A page with more links is a trap or a dump; the rest is left out.
pub(crate) const MOST_LINKS: usize = 100_000;

/// A mention of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mention<'m> {
    pub(crate) raw: &'m str,
    pub(crate) kind: LinkKind,
    pub(crate) nofollow: bool,
}

impl<'m> Mention<'m> {
    pub(crate) fn new(raw: &'m str, kind: LinkKind) -> Mention<'m> {
        Mention { raw, kind, nofollow: false }
    }
}

/// A link of the collection under way. Its words are filled in when the text is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

pub(crate) struct Found<'r> {
    rules: &'r Canonicaliser,
    page: &'r CanonicalUrl,
    base: Url,
    /// What the page is written in; queries of its links are, too.
    encoding: &'static Encoding,
    links: Vec<FoundLink>,
    /// Spellings seen, by hash with their class: a page repeats its addresses, and resolving one is dear.
    spellings: HashMap<u64, Option<Place>>,
    /// Addresses seen, by hash with their class.
    addresses: HashMap<u64, Place>,
    unusable: Unusable,
    overflowed: bool,
}

impl<'r> Found<'r> {
    pub(crate) fn new(rules: &'r Canonicaliser, page: &'r CanonicalUrl) -> Found<'r> {
        Found {
            rules,
            page,
            base: page.as_url().clone(),
            encoding: UTF_8,
            links: Vec::new(),
            spellings: HashMap::new(),
            addresses: HashMap::new(),
            unusable: Unusable::default(),
            overflowed: false,
        }
    }

    /// What relative addresses are relative to from now on; nonsense is ignored.
    pub(crate) fn set_base(&mut self, href: &str) {
        match self.page.as_url().join(href.trim()) {
            Ok(base) if !base.cannot_be_a_base() && base != self.base => {
                self.base = base;
                self.spellings.clear();
            }
            _ => {}
        }
    }

    /// The encoding of what is read from now on.
    pub(crate) fn set_encoding(&mut self, encoding: &'static Encoding) {
        if encoding.output_encoding() != self.encoding {
            self.encoding = encoding.output_encoding();
            self.spellings.clear();
        }
    }

    pub(crate) fn resolve(&self, raw: &str) -> Result<CanonicalUrl, UrlError> {
        if self.encoding == UTF_8 || raw.is_ascii() {
            return self.rules.join(&self.base, raw);
        }
        self.rules.join_encoded(&self.base, raw, Some(&|query| encode_query(query, self.encoding)))
    }

    /// Takes note of a mention. `None` when it is no link to anywhere else.
    pub(crate) fn mention(&mut self, mention: Mention<'_>) -> Option<Place> {
        let raw = mention.raw.trim_ascii();
        if raw.is_empty() || raw.starts_with('#') {
            return None;
        }
        let spelling = self.spellings.hasher().hash_one((raw, mention.kind.hop()));
        let place = match self.spellings.get(&spelling) {
            Some(place) => (*place)?,
            None => {
                let place = self.first_mention(raw, mention);
                self.spellings.insert(spelling, place);
                return place;
            }
        };
        self.again(place, mention);
        Some(place)
    }

    fn first_mention(&mut self, raw: &str, mention: Mention<'_>) -> Option<Place> {
        let url = match self.resolve(raw) {
            Ok(url) if url == *self.page => return None,
            Ok(url) => url,
            Err(fault) => {
                self.unusable.note(Some(&self.base), raw, fault);
                return None;
            }
        };
        let address = self.addresses.hasher().hash_one((url.as_str(), mention.kind.hop()));
        if let Some(place) = self.addresses.get(&address).copied() {
            self.again(place, mention);
            return Some(place);
        }
        if self.links.len() >= MOST_LINKS {
            self.overflowed = true;
            return None;
        }
        let place = Place(self.links.len() as u32);
        self.links.push(FoundLink {
            url,
            kind: mention.kind,
            anchor: String::new(),
            context: String::new(),
            at: 0..0,
            nofollow: mention.nofollow,
        });
        self.addresses.insert(address, place);
        Some(place)
    }

    /// A second mention that is not marked nofollow makes a link worth following.
    fn again(&mut self, place: Place, mention: Mention<'_>) {
        if let Some(link) = self.links.get_mut(place.0 as usize) {
            link.nofollow &= mention.nofollow;
        }
    }

    /// Gives a link its words; the first mention that has any wins.
    pub(crate) fn describe(&mut self, place: Place, anchor: &str, context: &str, at: Range<usize>) {
        let Some(link) = self.links.get_mut(place.0 as usize) else { return };
        let has_first_words = link.anchor.is_empty() && !anchor.is_empty();
        if has_first_words {
            link.anchor = one_line(shortened(anchor, LONGEST_ANCHOR));
        }
        if has_first_words || link.context.is_empty() {
            link.context = context.to_owned();
            link.at = at;
        }
    }

    pub(crate) fn has_anchor(&self, place: Place) -> bool {
        self.links.get(place.0 as usize).is_some_and(|link| !link.anchor.is_empty())
    }

    /// Whether there were more links than are kept.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// The links, and what is none.
    /// Where a link leads.
    pub(crate) fn url(&self, place: Place) -> Option<&CanonicalUrl> {
        self.links.get(place.0 as usize).map(|link| &link.url)
    }

    pub(crate) fn into_parts(self) -> (Vec<FoundLink>, Unusable) {
        (self.links, self.unusable)
    }
}

fn one_line(text: &str) -> String {
    text.trim().replace('\n', " ")
}

/// The text around a link: its block, at most so much on either side. Blocks are lines of `text`.
pub(crate) fn context(text: &str, link: Range<usize>) -> &str {
    let start = floor(text, link.start);
    let end = floor(text, link.end.max(link.start));
    let from = floor(text, start.saturating_sub(CONTEXT_SIDE));
    let until = floor(text, end.saturating_add(CONTEXT_SIDE).min(text.len()));
    // The link's own text may begin with the line end before it.
    let words = text[start..end].trim_start();
    let start = end - words.len();
    let from = text[from..start].rfind('\n').map_or(from, |line| from + line + 1);
    let until = text[end..until].find('\n').map_or(until, |line| end + line);
    shortened(text[from..until].trim(), 2 * CONTEXT_SIDE + LONGEST_ANCHOR)
}

/// The nearest place at or before `at` that is between two characters.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{Found, Mention, context};
    use annalist_model::{CanonicalUrl, Canonicaliser, LinkKind};

    fn page() -> CanonicalUrl {
        CanonicalUrl::parse("http://a.test/dir/page").unwrap()
    }

    #[test]
    fn repeated_mentions_are_one_link_with_the_first_words() {
        let (rules, page) = (Canonicaliser::default(), page());
        let mut found = Found::new(&rules, &page);
        let first = Mention { nofollow: true, ..Mention::new("/x", LinkKind::Anchor) };
        let place = found.mention(first).unwrap();
        found.describe(place, "", "picture", 0..0);
        for (raw, words) in [("/x", "the words"), ("http://a.test/x#part", "later words")] {
            let place = found.mention(Mention::new(raw, LinkKind::Anchor)).unwrap();
            found.describe(place, words, "around", 0..0);
        }
        assert!(found.mention(Mention::new("/x", LinkKind::Image)).is_some());
        let (links, _) = found.into_parts();
        assert_eq!(links.len(), 2);
        assert_eq!((links[0].anchor.as_str(), links[0].context.as_str()), ("the words", "around"));
        assert!(!links[0].nofollow);
        assert_eq!(links[1].kind, LinkKind::Image);
    }

    #[test]
    fn the_page_itself_is_no_link_and_other_schemes_are_counted() {
        let (rules, page) = (Canonicaliser::default(), page());
        let mut found = Found::new(&rules, &page);
        for raw in
            ["#top", "", "page", "/dir/page#x", "mailto:a@b.test", "javascript:void(0)", "tel:1", "http://"]
        {
            assert_eq!(found.mention(Mention::new(raw, LinkKind::Anchor)), None, "{raw}");
        }
        let (_, unusable) = found.into_parts();
        let listed: Vec<&str> = unusable.listed.iter().map(|(address, _)| address.as_str()).collect();
        assert_eq!(listed, ["mailto:a@b.test", "javascript:void(0)", "tel:1", "http://"]);
    }

    #[test]
    fn addresses_are_relative_to_the_base() {
        let (rules, page) = (Canonicaliser::default(), page());
        let mut found = Found::new(&rules, &page);
        found.set_base("//b.test/other/");
        found.set_base("mailto:x");
        found.mention(Mention::new("y", LinkKind::Anchor));
        assert_eq!(found.into_parts().0[0].url.as_str(), "http://b.test/other/y");
    }

    #[test]
    fn the_context_is_the_block_around_a_link() {
        let text = "Menu\nBefore the link words after it.\nFooter";
        let at = text.find("link").unwrap();
        assert_eq!(context(text, at..at + 4), "Before the link words after it.");
        let far = format!("{}link{}", "é ".repeat(100), " ö".repeat(100));
        let at = far.find("link").unwrap();
        let around = context(&far, at..at + 4);
        assert!(around.contains("é link ö") && around.len() < 220, "{around}");
        assert_eq!(context("", 0..0), "");
        assert_eq!(context("a\nb", 1..3), "b");
    }
}
