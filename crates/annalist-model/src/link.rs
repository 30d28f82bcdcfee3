//! A link: a URL with how it was found. Which link comes first is decided in the frontier.

use crate::url::{CanonicalUrl, UrlKey};

/// One step on the way from a seed to a link, with the letters Heritrix made customary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hop {
    /// A link a reader would click.
    Link,
    /// Something a page needs to be shown: image, style sheet, script, frame.
    Embed,
    Redirect,
    /// Fetched because something else needs it: robots.txt.
    Prerequisite,
    /// Named in a sitemap or feed.
    Manifest,
    /// Guessed, not found: /sitemap.xml.
    Inferred,
    /// Result of a form.
    Submit,
}

impl Hop {
    pub const fn letter(self) -> char {
        match self {
            Hop::Link => 'L',
            Hop::Embed => 'E',
            Hop::Redirect => 'R',
            Hop::Prerequisite => 'P',
            Hop::Manifest => 'M',
            Hop::Inferred => 'I',
            Hop::Submit => 'S',
        }
    }

    pub const fn from_letter(letter: char) -> Option<Hop> {
        Some(match letter {
            'L' => Hop::Link,
            'E' => Hop::Embed,
            'R' => Hop::Redirect,
            'P' => Hop::Prerequisite,
            'M' => Hop::Manifest,
            'I' => Hop::Inferred,
            'S' => Hop::Submit,
            _ => return None,
        })
    }
}

/// The hops from a seed to a link, `LLE` for an image on a page two links away. Empty for a seed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct HopPath(String);

impl HopPath {
    /// Longer ways are cut at their old end: what happened last decides, and memory stays bounded.
    pub const LONGEST: usize = 50;

    /// Unknown letters are dropped: the path is read back from files that others may have written.
    pub fn parse(letters: &str) -> HopPath {
        let known: Vec<char> = letters.chars().filter(|c| Hop::from_letter(*c).is_some()).collect();
        let from = known.len().saturating_sub(HopPath::LONGEST);
        HopPath(known[from..].iter().collect())
    }

    pub fn then(&self, hop: Hop) -> HopPath {
        let mut letters = self.0.clone();
        if letters.len() >= HopPath::LONGEST {
            letters.remove(0);
        }
        letters.push(hop.letter());
        HopPath(letters)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn last(&self) -> Option<Hop> {
        self.0.chars().last().and_then(Hop::from_letter)
    }

    /// How many redirects in a row led here: a loop shows as a long run.
    pub fn redirects_in_a_row(&self) -> usize {
        self.0.chars().rev().take_while(|c| *c == 'R').count()
    }

    /// How many embeds in a row led here: a frame in a frame in a frame.
    pub fn embeds_in_a_row(&self) -> usize {
        self.0.chars().rev().take_while(|c| *c == 'E' || *c == 'R').filter(|c| *c == 'E').count()
    }
}

/// What kind of mention made the link known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    Seed,
    Anchor,
    Area,
    Image,
    Script,
    Style,
    Frame,
    Media,
    /// `<link>` that is none of the above: canonical, next, prev, alternate.
    Relation,
    Form,
    CssUrl,
    MetaRefresh,
    Redirect,
    LinkHeader,
    Feed,
    Sitemap,
    Robots,
    Injected,
}

impl LinkKind {
    pub const ALL: [LinkKind; 18] = [
        LinkKind::Seed,
        LinkKind::Anchor,
        LinkKind::Area,
        LinkKind::Image,
        LinkKind::Script,
        LinkKind::Style,
        LinkKind::Frame,
        LinkKind::Media,
        LinkKind::Relation,
        LinkKind::Form,
        LinkKind::CssUrl,
        LinkKind::MetaRefresh,
        LinkKind::Redirect,
        LinkKind::LinkHeader,
        LinkKind::Feed,
        LinkKind::Sitemap,
        LinkKind::Robots,
        LinkKind::Injected,
    ];

    /// The stored form: the place in [`LinkKind::ALL`], which only ever grows at its end.
    pub fn code(self) -> u8 {
        LinkKind::ALL.iter().position(|k| *k == self).unwrap_or(0) as u8
    }

    pub fn from_code(code: u8) -> Option<LinkKind> {
        LinkKind::ALL.get(usize::from(code)).copied()
    }

    pub const fn name(self) -> &'static str {
        match self {
            LinkKind::Seed => "seed",
            LinkKind::Anchor => "anchor",
            LinkKind::Area => "area",
            LinkKind::Image => "image",
            LinkKind::Script => "script",
            LinkKind::Style => "style",
            LinkKind::Frame => "frame",
            LinkKind::Media => "media",
            LinkKind::Relation => "relation",
            LinkKind::Form => "form",
            LinkKind::CssUrl => "css-url",
            LinkKind::MetaRefresh => "meta-refresh",
            LinkKind::Redirect => "redirect",
            LinkKind::LinkHeader => "link-header",
            LinkKind::Feed => "feed",
            LinkKind::Sitemap => "sitemap",
            LinkKind::Robots => "robots",
            LinkKind::Injected => "injected",
        }
    }

    /// The hop that following such a mention is.
    pub const fn hop(self) -> Hop {
        match self {
            LinkKind::Image
            | LinkKind::Script
            | LinkKind::Style
            | LinkKind::Frame
            | LinkKind::Media
            | LinkKind::CssUrl => Hop::Embed,
            LinkKind::Redirect | LinkKind::MetaRefresh => Hop::Redirect,
            LinkKind::Feed | LinkKind::Sitemap => Hop::Manifest,
            LinkKind::Robots => Hop::Prerequisite,
            LinkKind::Form => Hop::Submit,
            LinkKind::Seed
            | LinkKind::Anchor
            | LinkKind::Area
            | LinkKind::Relation
            | LinkKind::LinkHeader
            | LinkKind::Injected => Hop::Link,
        }
    }
}

/// A URL with how it was found. The frontier keeps it from discovery until its outcome is known, and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub url: CanonicalUrl,
    /// The page that named it; `None` for a seed.
    pub via: Option<UrlKey>,
    pub kind: LinkKind,
    pub hops: HopPath,
    /// Clicks from the seed. Embeds, redirects, sitemaps and feeds are no clicks.
    pub depth: u16,
    /// Which seed of the spec it descends from: each seed keeps its own scope.
    pub seed: u32,
    /// The words of the link, shortened; empty when it had none.
    pub anchor: String,
}

impl Link {
    /// Anchors are kept to explain a decision, not to archive the page: the WARC does that.
    pub const LONGEST_ANCHOR: usize = 120;
    /// In place of a seed's number: somebody handed the address to the crawl.
    pub const INJECTED: u32 = u32::MAX;

    pub fn seed(url: CanonicalUrl, seed: u32) -> Link {
        Link {
            url,
            via: None,
            kind: LinkKind::Seed,
            hops: HopPath::default(),
            depth: 0,
            seed,
            anchor: String::new(),
        }
    }

    /// An address that somebody handed to the crawl.
    pub fn injected(url: CanonicalUrl) -> Link {
        Link { kind: LinkKind::Injected, ..Link::seed(url, Link::INJECTED) }
    }

    /// The link that a mention on this link's page makes.
    pub fn child(&self, url: CanonicalUrl, kind: LinkKind, anchor: &str) -> Link {
        let hop = kind.hop();
        let deeper = matches!(hop, Hop::Link | Hop::Submit);
        Link {
            via: Some(self.url.key()),
            kind,
            hops: self.hops.then(hop),
            depth: self.depth.saturating_add(u16::from(deeper)),
            seed: self.seed,
            anchor: shortened(anchor, Link::LONGEST_ANCHOR).to_owned(),
            url,
        }
    }
}

/// The longest start of `text` that fits into `bytes` and ends at a character.
pub fn shortened(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::{Hop, HopPath, Link, LinkKind, shortened};
    use crate::url::CanonicalUrl;

    #[test]
    fn an_embed_is_no_click_away() {
        let page = Link::seed(CanonicalUrl::parse("http://a.test/").unwrap(), 0);
        let next = page.child(CanonicalUrl::parse("http://a.test/b").unwrap(), LinkKind::Anchor, "b");
        let image = next.child(CanonicalUrl::parse("http://a.test/i.png").unwrap(), LinkKind::Image, "");
        assert_eq!((next.depth, image.depth), (1, 1));
        assert_eq!(image.hops.as_str(), "LE");
        assert_eq!(image.via, Some(next.url.key()));
    }

    #[test]
    fn a_path_forgets_its_oldest_hop_when_it_is_full() {
        let mut path = HopPath::default();
        for _ in 0..HopPath::LONGEST {
            path = path.then(Hop::Link);
        }
        let path = path.then(Hop::Redirect);
        assert_eq!(path.len(), HopPath::LONGEST);
        assert_eq!(path.last(), Some(Hop::Redirect));
    }

    #[test]
    fn every_kind_survives_being_stored() {
        for kind in LinkKind::ALL {
            assert_eq!(LinkKind::from_code(kind.code()), Some(kind));
        }
    }

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(shortened("Ελλάδα", 3), "Ε");
    }
}
