//! RDF files as statements of a layer.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use oxrdf::{BlankNode, GraphName, NamedNode, NamedOrBlankNode, Quad, Term};
use oxrdfio::{RdfFormat, RdfParseError, RdfParser};
use xxhash_rust::xxh3::xxh3_128;

use super::error::GraphError;

mod entities;
mod lines;

use entities::Entities;

/// How a file is to be read.
#[derive(Clone, Debug)]
pub struct Reading {
    pub format: RdfFormat,
    /// What its relative addresses are relative to.
    pub base: Option<String>,
    /// Where statements go for which the file names no graph.
    pub graph: GraphName,
    /// Makes the blank nodes of this file different from those of others, and the same when it is read again.
    pub scope: String,
}

/// A place in a file that is no RDF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Counted from 1; 0 where it is not known.
    pub line: u64,
    pub why: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    pub statements: u64,
    pub bad: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("{0}")]
    Base(String),
}

/// The format that a file's name tells, also behind `.gz`.
pub fn format_of(path: &Path) -> Option<RdfFormat> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    format_named(name.rsplit_once('.')?.1)
}

pub fn format_named(extension: &str) -> Option<RdfFormat> {
    Some(match extension {
        "nt" | "ntriples" => RdfFormat::NTriples,
        "nq" | "nquads" => RdfFormat::NQuads,
        "ttl" | "turtle" => RdfFormat::Turtle,
        "trig" => RdfFormat::TriG,
        "rdf" | "owl" | "xml" => RdfFormat::RdfXml,
        _ => return None,
    })
}

/// Reads statements until the end; what cannot be read is told to `bad`, and reading goes on behind it.
pub fn load(
    input: impl Read,
    reading: &Reading,
    insert: &mut dyn FnMut(&Quad) -> Result<(), GraphError>,
    bad: &mut dyn FnMut(Bad),
) -> Result<Loaded, LoadError> {
    let mut parser = RdfParser::from_format(reading.format).with_default_graph(reading.graph.clone());
    if let Some(base) = &reading.base {
        parser = parser.with_base_iri(base).map_err(|e| LoadError::Base(format!("{base}: {e}")))?;
    }
    let mut telling = Telling { scope: Scope::new(reading), loaded: Loaded::default(), insert, bad };
    if has_lines(reading.format) {
        lines::load(input, &parser, &mut telling)?;
        return Ok(telling.loaded);
    }
    let input: Box<dyn Read + '_> = match reading.format {
        RdfFormat::RdfXml => Box::new(Entities::of(input)),
        _ => Box::new(input),
    };
    for quad in parser.for_reader(input) {
        match quad {
            Ok(quad) => telling.quad(quad)?,
            Err(RdfParseError::Io(error)) => return Err(error.into()),
            Err(RdfParseError::Syntax(error)) => {
                let line = error.location().map_or(0, |place| place.start.line + 1);
                telling.mistake(line, error.to_string());
            }
        }
    }
    Ok(telling.loaded)
}

/// Whether every line stands alone.
fn has_lines(format: RdfFormat) -> bool {
    matches!(format, RdfFormat::NTriples | RdfFormat::NQuads)
}

/// What was read, on its way to whoever asked for it.
struct Telling<'a> {
    scope: Scope,
    loaded: Loaded,
    insert: &'a mut dyn FnMut(&Quad) -> Result<(), GraphError>,
    bad: &'a mut dyn FnMut(Bad),
}

impl Telling<'_> {
    fn quad(&mut self, mut quad: Quad) -> Result<(), GraphError> {
        self.scope.rename(&mut quad);
        (self.insert)(&quad)?;
        self.loaded.statements += 1;
        Ok(())
    }

    fn mistake(&mut self, line: u64, why: String) {
        self.loaded.bad += 1;
        (self.bad)(Bad { line, why });
    }
}

/// Names of blank nodes as they are kept.
struct Scope {
    prefix: String,
    /// The parser makes up names for those that have none, different ones each time: they are counted.
    counted: Option<HashMap<BlankNode, u64>>,
}

/// Before names that we gave, in front of the digits that tell in which file the node was.
const OURS: &str = "ann-";
const DIGITS: usize = 32;

/// Whether we gave a name: what was exported is the same when it is imported again. That others begin theirs alike does
/// not make them ours.
fn is_ours(name: &str) -> bool {
    let Some((scope, own)) = name.strip_prefix(OURS).and_then(|rest| rest.split_once('-')) else {
        return false;
    };
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    scope.len() == DIGITS && scope.bytes().all(is_digit) && !own.is_empty()
}

impl Scope {
    fn new(reading: &Reading) -> Scope {
        let prefix = format!("{OURS}{:0DIGITS$x}-", xxh3_128(reading.scope.as_bytes()));
        Scope { prefix, counted: (!has_lines(reading.format)).then(HashMap::new) }
    }

    fn rename(&mut self, quad: &mut Quad) {
        if let NamedOrBlankNode::BlankNode(node) = &mut quad.subject {
            *node = self.renamed(node);
        }
        if let Term::BlankNode(node) = &mut quad.object {
            *node = self.renamed(node);
        }
        if let GraphName::BlankNode(node) = &mut quad.graph_name {
            *node = self.renamed(node);
        }
    }

    fn renamed(&mut self, node: &BlankNode) -> BlankNode {
        if is_ours(node.as_str()) {
            return node.clone();
        }
        let Scope { prefix, counted } = self;
        BlankNode::new_unchecked(match counted {
            None => format!("{prefix}{}", node.as_str()),
            Some(counted) => {
                let next = counted.len() as u64;
                let number = counted.entry(node.clone()).or_insert(next);
                format!("{prefix}{number}")
            }
        })
    }
}

/// A graph by its name as it was typed.
pub fn graph_named(iri: &str) -> Result<GraphName, LoadError> {
    let node =
        NamedNode::new(iri).map_err(|e| LoadError::Base(format!("{iri} is no name for a graph: {e}")))?;
    Ok(node.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

    use oxrdf::GraphName;
    use oxrdfio::RdfFormat;

    use super::{Bad, Loaded, Reading, load};

    fn read(text: &[u8], format: RdfFormat, scope: &str) -> (Vec<String>, Vec<Bad>, Loaded) {
        let (mut told, mut bad) = (Vec::new(), Vec::new());
        let reading = Reading { format, base: None, graph: GraphName::DefaultGraph, scope: scope.to_owned() };
        let loaded = load(
            text,
            &reading,
            &mut |quad| {
                told.push(quad.to_string());
                Ok(())
            },
            &mut |found| bad.push(found),
        )
        .unwrap();
        (told, bad, loaded)
    }

    fn subjects(text: &str, scope: &str) -> Vec<String> {
        let (told, _, _) = read(text.as_bytes(), RdfFormat::NTriples, scope);
        told.iter().map(|quad| quad.split(' ').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn only_names_that_we_gave_are_kept() {
        let digits = "0123456789abcdef".repeat(2);
        for foreign in ["x", "ann-x", "ann-1-x", "ann-0123456789abcdef-x", &format!("ann-{digits}")] {
            let text = format!("_:{foreign} <x:p> <x:a> .\n");
            assert_ne!(subjects(&text, "one"), subjects(&text, "two"), "{foreign}");
            assert_eq!(subjects(&text, "one"), subjects(&text, "one"), "{foreign}");
            let again = format!("{} <x:p> <x:a> .\n", subjects(&text, "one")[0]);
            assert_eq!(subjects(&again, "two"), subjects(&text, "one"), "{foreign}");
        }
    }

    /// As many lines as asked for; those in `wrong` have a quote that is not closed.
    fn lines(count: u64, wrong: &[u64], end: &str) -> String {
        let quote = |number: u64| if wrong.contains(&number) { "" } else { "\"" };
        (1..=count)
            .map(|number| format!("<x:a> <x:p> \"the number {number}{} .{end}", quote(number)))
            .collect()
    }

    #[test]
    fn a_quote_that_is_not_closed_loses_its_line_alone() {
        // More than one block, and one that has no mistake.
        let (count, wrong) = (70_000, [2, 3, 700, 69_999]);
        for end in ["\n", "\r\n", "\r", "\n\r\n"] {
            for format in [RdfFormat::NTriples, RdfFormat::NQuads] {
                let (told, bad, loaded) = read(lines(count, &wrong, end).as_bytes(), format, "one");
                assert_eq!(loaded, Loaded { statements: count - 4, bad: 4 }, "{end:?}");
                let right = (1..=count).filter(|number| !wrong.contains(number));
                let all: Vec<String> =
                    right.map(|number| format!("<x:a> <x:p> \"the number {number}\"")).collect();
                assert!(told == all, "{end:?}");
                let each = end.len().div_ceil(2) as u64;
                let places: Vec<u64> = bad.iter().map(|one| (one.line - 1) / each + 1).collect();
                assert_eq!(places, wrong, "{end:?}");
                assert!(bad[0].why.starts_with("column "), "{bad:?}");
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_told_and_left_out() {
        let long = format!("<x:a> <x:p> \"{}\" .\n", "x".repeat(18 << 20));
        let text = format!("{}{long}{}rubbish", lines(1, &[], "\n"), lines(2, &[], "\n"));
        let (told, bad, _) = read(text.as_bytes(), RdfFormat::NTriples, "one");
        assert_eq!(told.len(), 3);
        assert_eq!(bad.iter().map(|one| one.line).collect::<Vec<_>>(), [2, 5]);
    }
}
