//! What was read from a capture. How it is read is in `annalist-read`.

use crate::link::LinkKind;
use crate::url::CanonicalUrl;

/// What was read from a capture. Reading cannot fail a visit: an unreadable page says why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The media type by content, lower case, without parameters: `text/html`.
    pub mime: String,
    /// The name of the encoding the text was in, when it is text.
    pub charset: Option<&'static str>,
    /// ISO 639-1, when the text is long enough to tell.
    pub language: Option<String>,
    pub title: Option<String>,
    /// The visible text, shortened to the reader's limit.
    pub text: String,
    pub links: Vec<FoundLink>,
    /// `<link rel=canonical>`, resolved.
    pub canonical: Option<CanonicalUrl>,
    /// What the page asks of robots in markup or header.
    pub robots: RobotsMeta,
    pub readability: Readability,
    /// Mentions that were no fetchable URL (mailto:, javascript:, nonsense).
    pub unusable_links: u32,
}

/// `<meta name=robots>` and X-Robots-Tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotsMeta {
    pub noindex: bool,
    pub nofollow: bool,
    pub noarchive: bool,
}

/// How far reading got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Readability {
    #[default]
    Whole,
    /// Read, with something left out: `nesting deeper than 512`.
    Partial(String),
    /// Nothing to read in this media type.
    Opaque,
}

/// A link as a page names it.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLink {
    pub url: CanonicalUrl,
    pub kind: LinkKind,
    /// The words of the link itself.
    pub anchor: String,
    /// The text around it.
    pub context: String,
    /// `rel=nofollow` and its kin.
    pub nofollow: bool,
}
