//! Catalogue files as XML: elements and attributes with the line they stand in. What they mean is in `describe.rs`.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Mistake;

/// One element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Xml {
    pub name: String,
    pub line: usize,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Xml>,
}

/// A file nested deeper, or longer, is a mistake.
const DEEPEST: usize = 16;
pub(super) const LONGEST: usize = 4 << 20;

impl Xml {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// The one element around all others.
pub(super) fn parse(text: &str) -> Result<Xml, Mistake> {
    if text.len() > LONGEST {
        return Err(Mistake::new(1, format!("the file is longer than {LONGEST} bytes")));
    }
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open: Vec<Xml> = Vec::new();
    let mut done = None;
    // Where the last event ended, and the line of that place.
    let (mut line, mut counted) = (1, 0);
    loop {
        let from = reader.buffer_position() as usize;
        line += lines(text, counted, from);
        counted = from.max(counted);
        let event = reader.read_event().map_err(|fault| {
            let at = reader.error_position() as usize;
            Mistake::new(1 + lines(text, 0, at), format!("this is no well-formed XML: {fault}"))
        })?;
        match event {
            Event::Start(tag) => {
                if open.len() >= DEEPEST {
                    return Err(Mistake::new(line, format!("elements are nested deeper than {DEEPEST}")));
                }
                if done.is_some() {
                    return Err(Mistake::new(
                        line,
                        "there is a second element after the first one".to_owned(),
                    ));
                }
                // White space before a tag belongs to the event before it.
                open.push(element(&tag, line)?);
            }
            Event::End(_) => {
                let Some(element) = open.pop() else { continue };
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => done = Some(element),
                }
            }
            Event::Text(words) => no_words(&words.into_inner(), line, &open)?,
            Event::CData(words) => no_words(&words.into_inner(), line, &open)?,
            Event::GeneralRef(name) => no_words(&format!("&{};", &*name), line, &open)?,
            Event::DocType(_) => {
                return Err(Mistake::new(line, "a document type is not allowed".to_owned()));
            }
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
    }
    match (done, open.pop()) {
        (Some(element), None) => Ok(element),
        (_, Some(element)) => Err(Mistake::new(element.line, format!("<{}> is never closed", element.name))),
        (None, None) => Err(Mistake::new(1, "the file has no element".to_owned())),
    }
}

fn no_words(words: &str, line: usize, open: &[Xml]) -> Result<(), Mistake> {
    if words.trim().is_empty() || open.iter().any(|element| element.name == "note") {
        return Ok(());
    }
    let shown: String = words.trim().chars().take(40).collect();
    let at = line + lines(words, 0, words.len() - words.trim_start().len());
    Err(Mistake::new(at, format!("text is only allowed in <note>: {shown:?}")))
}

fn element(tag: &BytesStart<'_>, line: usize) -> Result<Xml, Mistake> {
    let name = tag.name().into_inner().to_owned();
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute
            .map_err(|fault| Mistake::new(line, format!("<{name}> has a malformed attribute: {fault}")))?;
        let key = attribute.key.into_inner().to_owned();
        let value = quick_xml::escape::unescape(&attribute.value)
            .map_err(|fault| Mistake::new(line, format!("<{name} {key}=…> cannot be read: {fault}")))?;
        attributes.push((key, value.into_owned()));
    }
    Ok(Xml { name, line, attributes, children: Vec::new() })
}

fn lines(text: &str, from: usize, until: usize) -> usize {
    text.as_bytes().get(from..until).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
}
