//! Statements as text that N-Triples and SPARQL read alike, and requests made of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::Change;

/// A statement, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The name of its graph, without brackets.
    pub graph: Option<String>,
    /// Subject, predicate and object.
    pub triple: String,
}

impl Said {
    pub fn bytes(&self) -> usize {
        self.triple.len() + self.graph.as_ref().map_or(0, String::len)
    }

    /// As a line of N-Quads.
    pub fn line(&self) -> String {
        match &self.graph {
            Some(graph) => format!("{} <{graph}> .", self.triple),
            None => format!("{} .", self.triple),
        }
    }
}

/// How things are called that have no name of their own: a server would give them another one each time they are sent.
pub struct Wording {
    prefix: String,
}

impl Wording {
    /// `job`: what is told of other jobs has other names.
    pub fn of(job: &str) -> Wording {
        Wording { prefix: format!("urn:annalist:blank:{job}:") }
    }

    /// Nothing where a name could be read as something else, such as the end of the statement.
    pub fn said(&self, quad: &Quad) -> Option<Said> {
        let mut triple = String::new();
        match &quad.subject {
            NamedOrBlankNode::NamedNode(node) => name(&mut triple, node.as_str())?,
            NamedOrBlankNode::BlankNode(node) => name(&mut triple, &self.blank(node))?,
        }
        triple.push(' ');
        name(&mut triple, quad.predicate.as_str())?;
        triple.push(' ');
        match &quad.object {
            Term::NamedNode(node) => name(&mut triple, node.as_str())?,
            Term::BlankNode(node) => name(&mut triple, &self.blank(node))?,
            Term::Literal(words) => literal(&mut triple, words)?,
        }
        let graph = match &quad.graph_name {
            GraphName::DefaultGraph => None,
            GraphName::NamedNode(node) => Some(node.as_str().to_owned()),
            GraphName::BlankNode(node) => Some(self.blank(node)),
        };
        if graph.as_ref().is_some_and(|graph| !is_name(graph)) {
            return None;
        }
        Some(Said { graph, triple })
    }

    fn blank(&self, node: &BlankNode) -> String {
        format!("{}{}", self.prefix, node.as_str())
    }
}

fn is_name(text: &str) -> bool {
    let is_odd = |c: char| matches!(c, '\0'..=' ' | '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' | '\\');
    // Relative names mean something else at each server.
    !text.contains(is_odd) && NamedNode::new(text).is_ok()
}

fn name(text: &mut String, iri: &str) -> Option<()> {
    if !is_name(iri) {
        return None;
    }
    text.push('<');
    text.push_str(iri);
    text.push('>');
    Some(())
}

fn literal(text: &mut String, literal: &Literal) -> Option<()> {
    text.push('"');
    let mut behind_backslash = false;
    for c in literal.value().chars() {
        // Some servers look for \uXXXX before they know what is a text: a written `\u` must not look like one.
        let is_told_apart = behind_backslash && matches!(c, 'u' | 'U');
        behind_backslash = c == '\\';
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            _ if c.is_control() || is_told_apart => {
                let _ = write!(text, "\\u{:04X}", u32::from(c));
            }
            _ => text.push(c),
        }
    }
    text.push('"');
    if let Some(language) = literal.language() {
        let is_tag = language.starts_with(|c: char| c.is_ascii_alphabetic())
            && language
                .split('-')
                .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric()));
        is_tag.then(|| {
            text.push('@');
            text.push_str(language);
        })
    } else if literal.datatype() == oxrdf::vocab::xsd::STRING {
        Some(())
    } else {
        text.push_str("^^");
        name(text, literal.datatype().as_str())
    }
}

/// An update that does this to statements.
pub fn update(change: Change, batch: &[Said]) -> String {
    let verb = match change {
        Change::Insert => "INSERT DATA {\n",
        Change::Delete => "DELETE DATA {\n",
    };
    let mut text = verb.to_owned();
    for (graph, triples) in by_graph(batch) {
        match graph {
            Some(graph) => {
                let _ = writeln!(text, "GRAPH <{graph}> {{");
                lines(&mut text, &triples);
                text.push_str("}\n");
            }
            None => lines(&mut text, &triples),
        }
    }
    text.push_str("}\n");
    text
}

/// The same for the Graph Store Protocol: what stands behind the address, and N-Triples, for each graph.
pub fn posts(batch: &[Said]) -> Vec<(String, String, Vec<&Said>)> {
    let mut all = Vec::new();
    for (graph, triples) in by_graph(batch) {
        let query = match graph {
            Some(graph) => format!("graph={}", utf8_percent_encode(graph, NON_ALPHANUMERIC)),
            None => "default".to_owned(),
        };
        let mut text = String::new();
        lines(&mut text, &triples);
        all.push((query, text, triples));
    }
    all
}

fn by_graph(batch: &[Said]) -> BTreeMap<Option<&str>, Vec<&Said>> {
    let mut graphs: BTreeMap<Option<&str>, Vec<&Said>> = BTreeMap::new();
    for said in batch {
        graphs.entry(said.graph.as_deref()).or_default().push(said);
    }
    graphs
}

fn lines(text: &mut String, triples: &[&Said]) {
    for said in triples {
        text.push_str(&said.triple);
        text.push_str(" .\n");
    }
}
