//! XHTML and SVG where browsers read them as XML. Read as HTML they would be other documents: an empty `<title/>` has no end
//! there, and what follows is text. What elements mean is in `document.rs`, what the document type may say in `doctype.rs`.
//!
//! Input and output are UTF-8. What is not whole at the end is nothing to a reader of XML, and goes.

use std::io;

use super::attributes::Edit;
use super::doctype::{Doctype, Entities};
use super::document::{Changes, Document};
use super::{Rewriting, Rewritten};
use crate::target::Kind;

/// Of one tag, comment or style sheet. Pictures are written into attributes.
const MOST_BYTES: usize = 32 << 20;
const XHTML: &str = "http://www.w3.org/1999/xhtml";
const SVG: &str = "http://www.w3.org/2000/svg";

/// Takes a document in pieces; what becomes of it goes to the sink.
pub(crate) struct XmlStream<S: FnMut(&[u8])> {
    document: Document,
    entities: Entities,
    /// From the beginning of what is not whole yet.
    held: Vec<u8>,
    /// How far that was looked through, and in which quotes that was.
    looked: usize,
    quote: Option<u8>,
    /// What is read so far of an element `style`.
    style: Option<String>,
    sink: S,
}

/// Begins with a document.
pub(crate) fn rewrite_xml<S: FnMut(&[u8])>(rewriting: Rewriting, sink: S) -> XmlStream<S> {
    XmlStream {
        document: Document::new(rewriting, 0),
        entities: Entities::default(),
        held: Vec::new(),
        looked: 0,
        quote: None,
        style: None,
        sink,
    }
}

/// Whether a document of no particular type is one that browsers show as a page: by its root.
pub(crate) fn is_page(beginning: &str) -> bool {
    let mut entities = Entities::default();
    let mut rest = beginning.trim_start_matches('\u{feff}').trim_start();
    loop {
        let Some(token) = Token::at(rest.as_bytes()) else { return false };
        let Some((whole, after)) =
            token.end(rest.as_bytes(), &mut 1, &mut None).and_then(|end| rest.split_at_checked(end))
        else {
            return false;
        };
        match token {
            Token::Comment | Token::Instruction => {}
            Token::Doctype => entities = Doctype::read(whole).map(|read| read.entities).unwrap_or_default(),
            Token::Tag => {
                let Some(tag) = Tag::read(whole, &entities) else { return false };
                let (prefix, local) = tag.name.split_once(':').unwrap_or(("", tag.name));
                let declared = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
                let namespace = tag.attributes.iter().find(|(name, _)| *name == declared);
                let namespace = namespace.map_or("", |(_, value)| value.as_str());
                return matches!((local, namespace), ("html", XHTML) | ("svg", SVG));
            }
            Token::CharacterData | Token::End => return false,
        }
        rest = after.trim_start();
    }
}

impl<S: FnMut(&[u8])> XmlStream<S> {
    /// As it is after what was written so far.
    pub(super) fn rewriting(&self) -> Rewriting {
        self.document.rewriting()
    }

    pub(crate) fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.held.extend_from_slice(piece);
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_slice();
        while !rest.is_empty() {
            let start = rest.iter().position(|byte| *byte == b'<').unwrap_or(rest.len());
            let (text, markup) = rest.split_at(start);
            // In the text of a style sheet a reference may be cut.
            if markup.is_empty() && self.style.is_some() {
                break;
            }
            self.text(text);
            rest = markup;
            let token = Token::at(rest);
            let end = token.and_then(|token| token.end(rest, &mut self.looked, &mut self.quote));
            let (Some(token), Some(end)) = (token, end) else { break };
            (self.looked, self.quote) = (1, None);
            let (whole, after) = rest.split_at(end);
            self.token(token, whole);
            rest = after;
        }
        if rest.len() > MOST_BYTES || self.style.as_ref().is_some_and(|style| style.len() > MOST_BYTES) {
            return Err(io::Error::other("markup without an end"));
        }
        self.held = rest.to_vec();
        Ok(())
    }

    fn text(&mut self, text: &[u8]) {
        match &mut self.style {
            Some(style) => style.push_str(&self.entities.decoded(&String::from_utf8_lossy(text))),
            None => (self.sink)(text),
        }
    }

    fn token(&mut self, token: Token, whole: &[u8]) {
        let text = String::from_utf8_lossy(whole);
        match token {
            Token::Comment if self.style.is_some() => {}
            Token::Comment => (self.sink)(whole),
            Token::CharacterData => match &mut self.style {
                Some(style) => style.push_str(text.get(9..text.len() - 3).unwrap_or_default()),
                None => (self.sink)(whole),
            },
            Token::Instruction => {
                if let Some(kept) = self.instruction(&text) {
                    (self.sink)(kept.as_bytes());
                }
            }
            Token::Doctype => {
                if let Some(read) = Doctype::read(&text) {
                    (self.sink)(read.written().as_bytes());
                    self.entities = read.entities;
                }
            }
            Token::End => {
                self.style_is_whole();
                (self.sink)(whole);
            }
            Token::Tag => {
                self.style_is_whole();
                self.tag(&text, whole);
            }
        }
    }

    fn style_is_whole(&mut self) {
        if let Some(style) = self.style.take() {
            let css = self.document.css(&style);
            (self.sink)(css.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").as_bytes());
        }
    }

    /// A style sheet of the page's time; what would make another page of it goes.
    fn instruction(&self, text: &str) -> Option<String> {
        let inside = text.strip_prefix("<?")?.strip_suffix("?>")?;
        let Some(said) = inside.strip_prefix("xml-stylesheet") else { return Some(text.to_owned()) };
        let said = format!("<x {said}/>");
        let said = Tag::read(&said, &Entities::default())?;
        let value =
            |sought: &str| said.attributes.iter().find(|(name, _)| *name == sought).map(|(_, v)| v.as_str());
        let is_css = value("type").is_none_or(|kind| kind.trim().eq_ignore_ascii_case("text/css"));
        let Rewritten::To(href) = self.document.rewriting().url(value("href")?, Kind::Style) else {
            return None;
        };
        let media = value("media").map(|media| format!(" media=\"{}\"", escaped(media))).unwrap_or_default();
        is_css.then(|| format!("<?xml-stylesheet type=\"text/css\" href=\"{}\"{media}?>", escaped(&href)))
    }

    fn tag(&mut self, text: &str, whole: &[u8]) {
        let Some(tag) = Tag::read(text, &self.entities) else {
            // No XML: browsers stop here.
            return;
        };
        let local = tag.name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
        let known: Vec<(String, String)> =
            tag.attributes.iter().map(|(name, value)| (meant(name).to_owned(), value.clone())).collect();
        let changes = self.document.changes(&local, &known);
        let is_plain = !text.contains('&');
        match changes {
            Some(Changes { edited, added }) if edited.is_empty() && added.is_empty() && is_plain => {
                (self.sink)(whole);
            }
            changes => (self.sink)(tag.written(changes).as_bytes()),
        }
        if local == "style" && !tag.is_empty {
            self.style = Some(String::new());
        }
    }
}

/// How an attribute is called in HTML. Names are what they are in XML, and prefixes anything.
fn meant(name: &str) -> &str {
    match name.split_once(':') {
        Some((prefix, "href")) if prefix != "xmlns" => "xlink:href",
        Some(("xmlns", _)) => "xmlns",
        _ if name.bytes().any(|byte| byte.is_ascii_uppercase()) => "",
        _ => name,
    }
}

/// In double quotes, and read again as it is meant.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 16);
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// What begins with `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Comment,
    CharacterData,
    Instruction,
    Doctype,
    End,
    Tag,
}

impl Token {
    /// `None` where there is too little to tell, or no markup.
    fn at(bytes: &[u8]) -> Option<Token> {
        let words: [(&[u8], Token); 5] = [
            (b"<!--", Token::Comment),
            (b"<![CDATA[", Token::CharacterData),
            (b"<!DOCTYPE", Token::Doctype),
            (b"<?", Token::Instruction),
            (b"</", Token::End),
        ];
        if let Some((_, token)) = words.iter().find(|(word, _)| bytes.starts_with(word)) {
            return Some(*token);
        }
        let may_become = words.iter().any(|(word, _)| word.starts_with(bytes));
        (bytes.first() == Some(&b'<') && !may_become).then_some(Token::Tag)
    }

    /// Where it ends. `looked`: how far it was looked through before, and in which quotes that was.
    fn end(self, bytes: &[u8], looked: &mut usize, quote: &mut Option<u8>) -> Option<usize> {
        let found = match self {
            Token::Comment => until(bytes, b"-->", (*looked).max(4)),
            Token::CharacterData => until(bytes, b"]]>", (*looked).max(9)),
            Token::Instruction => until(bytes, b"?>", (*looked).max(2)),
            Token::End => until(bytes, b">", *looked),
            Token::Doctype => Doctype::end(bytes),
            Token::Tag => {
                let from = (*looked).max(1);
                let end = bytes.iter().skip(from).position(|byte| {
                    match *quote {
                        Some(open) if open == *byte => *quote = None,
                        Some(_) => {}
                        None if matches!(byte, b'"' | b'\'') => *quote = Some(*byte),
                        None => return *byte == b'>',
                    }
                    false
                });
                end.map(|end| from + end + 1)
            }
        };
        // The end itself may be cut.
        *looked = if self == Token::Tag { bytes.len() } else { bytes.len().saturating_sub(2) };
        found
    }
}

fn until(bytes: &[u8], end: &[u8], from: usize) -> Option<usize> {
    let at = bytes.get(from..)?.windows(end.len()).position(|window| window == end)?;
    Some(from + at + end.len())
}

/// The beginning of an element.
#[derive(Debug)]
struct Tag<'t> {
    name: &'t str,
    /// With their values, decoded.
    attributes: Vec<(&'t str, String)>,
    is_empty: bool,
}

impl<'t> Tag<'t> {
    /// `None` where it is no XML.
    fn read(text: &'t str, entities: &Entities) -> Option<Tag<'t>> {
        let white = [' ', '\t', '\n', '\r'];
        let inside = text.strip_prefix('<')?.strip_suffix('>')?;
        let (inside, is_empty) = match inside.strip_suffix('/') {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let (name, mut rest) = inside.split_at(inside.find(white).unwrap_or(inside.len()));
        let is_name = |name: &str| !name.is_empty() && !name.contains(['"', '\'', '<', '>', '=', '&', '/']);
        if !is_name(name) {
            return None;
        }
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start_matches(white);
            if rest.is_empty() {
                return Some(Tag { name, attributes, is_empty });
            }
            let (attribute, value) = rest.split_once('=')?;
            let attribute = attribute.trim_end_matches(white);
            let value = value.trim_start_matches(white);
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let (value, after) = value.get(1..)?.split_once(quote)?;
            if !is_name(attribute) || attribute.contains(white) || value.contains('<') {
                return None;
            }
            attributes
                .push((attribute, entities.decoded(&value.replace(['\t', '\n', '\r'], " ")).into_owned()));
            rest = after;
        }
    }

    /// With what is changed; without anything where the element would have to go. It stays, since its end does.
    fn written(&self, changes: Option<Changes>) -> String {
        let mut out = format!("<{}", self.name);
        let mut push = |name: &str, value: &str| out.push_str(&format!(" {name}=\"{}\"", escaped(value)));
        let is_gone = changes.is_none();
        let Changes { edited, added } = changes.unwrap_or_default();
        for (place, (name, value)) in self.attributes.iter().enumerate() {
            let is_name_space = *name == "xmlns" || name.starts_with("xmlns:");
            let is_replaced = added.iter().any(|(new, _)| new == name);
            let edit = edited.iter().find(|(at, _)| *at == place).map(|(_, edit)| edit);
            match edit {
                _ if (is_gone && !is_name_space) || is_replaced => {}
                Some(Edit::Remove) => {}
                Some(Edit::Set(edited)) => push(name, edited),
                Some(Edit::Keep) | None => push(name, value),
            }
        }
        added.iter().for_each(|(name, value)| push(name, value));
        out.push_str(if self.is_empty { "/>" } else { ">" });
        out
    }
}
