//! Archived documents, made to stay inside of the archive: every address in them becomes one of replay. What is not an
//! address is left as it was, byte for byte.
//!
//! This is for looks: pages show what was archived with them. That nothing reaches the live web is not left to it, see `wall.rs`.

mod attributes;
mod base;
mod css;
mod doctype;
mod document;
#[cfg(test)]
mod documents_test;
mod entities;
mod html;
mod noscript;
mod refresh;
mod xml;
#[cfg(test)]
mod xml_test;

use annalist_read::charset::encode_query;
use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::target::Kind;

pub(crate) use html::rewrite_html;
pub(crate) use xml::{is_page, rewrite_xml};

/// Where addresses of a document lead to.
#[derive(Clone, Debug)]
pub(crate) struct Rewriting {
    /// `http://127.0.0.1:8081/job/`
    prefix: String,
    /// Of the capture: what belongs to a page is that of its time.
    timestamp: String,
    /// What relative addresses are relative to where the document says nothing.
    document: Option<Url>,
    /// What they are relative to by its first base.
    base: Option<Url>,
    /// Queries are written in it.
    encoding: &'static Encoding,
    /// It is shown by another page, as a part of it.
    is_part: bool,
    /// Whether links open elsewhere where they do not say it, by its first base that does.
    opens_elsewhere: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rewritten {
    /// It leads nowhere else.
    Same,
    To(String),
    /// It is a script, and scripts do not run.
    Gone,
}

impl Rewriting {
    pub(crate) fn new(prefix: &str, timestamp: &str, url: &str) -> Rewriting {
        Rewriting {
            prefix: prefix.to_owned(),
            timestamp: timestamp.to_owned(),
            document: Url::parse(url).ok(),
            base: None,
            encoding: UTF_8,
            is_part: false,
            opens_elsewhere: None,
        }
    }

    /// For a document in a frame of another.
    pub(crate) fn framed(self) -> Rewriting {
        Rewriting { is_part: true, ..self }
    }

    /// How a page is asked for that comes in place of this one.
    pub(crate) fn own_pages(&self) -> Kind {
        if self.is_part { Kind::Frame } else { Kind::Page }
    }

    /// How a page is asked for by a link with that target. Only what comes in place of a page is asked for as one: what opens in
    /// a frame of it or in another window is not what is seen then.
    fn page(&self, target: Option<&str>) -> Kind {
        let is_elsewhere = match target {
            Some(target) => opens_elsewhere(target),
            None => self.opens_elsewhere.unwrap_or_default(),
        };
        if is_elsewhere { Kind::Frame } else { self.own_pages() }
    }

    pub(crate) fn in_encoding(self, encoding: &'static Encoding) -> Rewriting {
        Rewriting { encoding, ..self }
    }

    /// An address as browsers read it: with white space, backslashes and all.
    pub(crate) fn url(&self, value: &str, kind: Kind) -> Rewritten {
        let bare = value.trim_matches(|c: char| c <= ' ');
        if bare.is_empty() || bare.starts_with('#') {
            return Rewritten::Same;
        }
        let parsed = Url::options()
            .base_url(self.base.as_ref().or(self.document.as_ref()))
            .encoding_override(Some(&|query| encode_query(query, self.encoding)))
            .parse(bare);
        match parsed {
            Ok(url) => match url.scheme() {
                "javascript" | "vbscript" | "livescript" => Rewritten::Gone,
                "about" | "blob" | "cid" | "data" | "mailto" | "sms" | "tel" => Rewritten::Same,
                _ => Rewritten::To(self.archived(url.as_str(), kind)),
            },
            // Whatever a browser makes of it, it must not be an address outside.
            Err(_) => Rewritten::To(self.archived(&escaped(bare), kind)),
        }
    }

    /// The address under which replay shows another.
    pub(crate) fn archived(&self, url: &str, kind: Kind) -> String {
        format!("{}{}{}/{url}", self.prefix, self.timestamp, kind.letters())
    }
}

/// What leads out of all frames is made to stay in its own.
fn opens_elsewhere(target: &str) -> bool {
    let target = target.trim();
    !target.is_empty() && !target.eq_ignore_ascii_case("_self") && !attributes::is_outer(target)
}

/// Nothing that could end an attribute, a string of CSS, or a line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&()*+,;=%".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Kind, Rewriting, Rewritten};

    #[test]
    fn addresses_are_read_as_browsers_read_them() {
        let rewriting = Rewriting::new("http://r/c/", "2020", "https://live.test/a/b?c");
        for (value, expected) in [
            ("x.png", "https://live.test/a/x.png"),
            ("/x", "https://live.test/x"),
            ("//other.test/x", "https://other.test/x"),
            ("\\\\other.test\\x", "https://other.test/x"),
            ("/\\other.test/x", "https://other.test/x"),
            ("http:\\\\other.test", "http://other.test/"),
            ("https:/x", "https://live.test/x"),
            (" \n ht\ttp://other.test/\r\n", "http://other.test/"),
            ("HTTP://OTHER.test/%2e%2e/A", "http://other.test/A"),
            ("?q", "https://live.test/a/b?q"),
            ("../../../../up", "https://live.test/up"),
            ("ftp://other.test/f", "ftp://other.test/f"),
            ("rtmp://other.test/f", "rtmp://other.test/f"),
            ("http://[bad/\"'<x> y", "http://[bad/%22%27%3Cx%3E%20y"),
            ("x\"y'<z>", "https://live.test/a/x%22y'%3Cz%3E"),
        ] {
            let expected = Rewritten::To(format!("http://r/c/2020im_/{expected}"));
            assert_eq!(rewriting.url(value, Kind::Image), expected, "{value}");
        }
        for value in
            ["", " ", "#top", " #", "data:image/png;base64,AA", "mailto:a@b.test", "about:blank", "tel:1"]
        {
            assert_eq!(rewriting.url(value, Kind::Page), Rewritten::Same, "{value}");
        }
        for value in ["javascript:alert(1)", " java\nscript:x", "JavaScript:void(0)", "vbscript:x"] {
            assert_eq!(rewriting.url(value, Kind::Page), Rewritten::Gone, "{value}");
        }
    }

    #[test]
    fn a_document_without_a_usable_address_keeps_its_links_inside() {
        let rewriting = Rewriting::new("http://r/c/", "2020", "urn:text:x");
        assert_eq!(
            rewriting.url("//live.test/", Kind::Page),
            Rewritten::To("http://r/c/2020mp_///live.test/".to_owned())
        );
    }
}
