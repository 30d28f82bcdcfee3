//! XML as feeds and sitemaps are written: start tags, text, end tags, with whatever faults. Document types are
//! skipped and no entity they define is ever expanded.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

pub(crate) enum Piece<'x> {
    Start(Tag<'x>),
    Text(std::borrow::Cow<'x, str>),
    /// A character that was written as a reference.
    Character(char),
    End,
}

/// A start tag.
pub(crate) struct Tag<'x>(BytesStart<'x>);

impl Tag<'_> {
    /// With its prefix, as written: `media:content`.
    pub(crate) fn name(&self) -> &str {
        self.0.name().into_inner()
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.html_attributes();
        let attributes = attributes.with_checks(false);
        let found = attributes.filter_map(Result::ok).find(|a| a.key.into_inner() == name)?;
        Some(plain(&found.value))
    }
}

/// An attribute's value with its references resolved; those that mean nothing stay as they are.
fn plain(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|b| b == b';');
        match end.and_then(|end| Some((end, character(rest.get(1..end)?)?))) {
            Some((end, c)) => {
                plain.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn character(reference: &str) -> Option<char> {
    if let Some(number) = reference.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    if reference == "nbsp" {
        return Some(' ');
    }
    resolve_predefined_entity(reference)?.chars().next()
}

/// Reads piece by piece until the end or the first fault that cannot be passed over.
pub(crate) struct Pieces<'x> {
    reader: Reader<&'x [u8]>,
    depth: usize,
    fault: Option<String>,
}

impl<'x> Pieces<'x> {
    pub(crate) fn new(xml: &'x str) -> Pieces<'x> {
        let mut reader = Reader::from_str(xml);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        config.expand_empty_elements = true;
        Pieces { reader, depth: 0, fault: None }
    }

    /// How many elements are open.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Why reading ended before the end.
    pub(crate) fn into_fault(self) -> Option<String> {
        let unclosed = || (self.depth > 0).then(|| "ends in the middle".to_owned());
        self.fault.or_else(unclosed)
    }
}

impl<'x> Iterator for Pieces<'x> {
    type Item = Piece<'x>;

    fn next(&mut self) -> Option<Piece<'x>> {
        if self.fault.is_some() {
            return None;
        }
        loop {
            let piece = match self.reader.read_event() {
                Ok(Event::Start(tag)) => {
                    self.depth += 1;
                    Piece::Start(Tag(tag))
                }
                Ok(Event::End(_)) => {
                    self.depth = self.depth.saturating_sub(1);
                    Piece::End
                }
                Ok(Event::Text(text)) => Piece::Text(text.into_inner()),
                Ok(Event::CData(text)) => Piece::Text(text.into_inner()),
                Ok(Event::GeneralRef(reference)) => match character(&reference.into_inner()) {
                    Some(c) => Piece::Character(c),
                    None => continue,
                },
                Ok(Event::Eof) => return None,
                Ok(
                    Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_),
                ) => {
                    continue;
                }
                Err(fault) => {
                    self.fault = Some(fault.to_string());
                    return None;
                }
            };
            return Some(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, Pieces, plain};

    fn text(xml: &str) -> (String, Option<String>) {
        let mut pieces = Pieces::new(xml);
        let mut text = String::new();
        for piece in pieces.by_ref() {
            match piece {
                Piece::Text(t) => text.push_str(&t),
                Piece::Character(c) => text.push(c),
                Piece::Start(_) | Piece::End => {}
            }
        }
        (text, pieces.into_fault())
    }

    #[test]
    fn text_is_read_through_references_and_cdata() {
        assert_eq!(text("<a>x &amp; &#228;<![CDATA[<b>]]></a>"), ("x & ä<b>".to_owned(), None));
        assert_eq!(text("<a>fish & chips</b></a>").0, "fish & chips");
    }

    #[test]
    fn entities_of_a_document_type_are_never_expanded() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'xxxx'><!ENTITY y '&x;&x;&x;'>]><a>1&y;2</a>";
        assert_eq!(text(bomb), ("12".to_owned(), None));
    }

    #[test]
    fn a_fault_ends_reading_with_its_reason() {
        let (read, fault) = text("<a>one<b>two</b><![CDATA[open");
        assert_eq!(read, "onetwo");
        assert!(fault.is_some());
        assert!(text("<a>one").1.is_some());
    }

    #[test]
    fn attribute_values_lose_their_escapes_and_keep_stray_ampersands() {
        assert_eq!(plain("a?b=1&amp;c=2&d=3&#x26;"), "a?b=1&c=2&d=3&");
        assert_eq!(plain("&é;&#99999999;"), "&é;&#99999999;");
    }
}
