//! Statements as text that N-Triples and SPARQL read alike, and requests made of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::Change;

/// `dcterms:source`: which of the job's own graphs a graph at the server is.
const OF: &str = "http://purl.org/dc/terms/source";

/// A statement, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The name of its graph, without brackets.
    pub graph: String,
    /// Subject, predicate and object.
    pub triple: String,
    /// It is no statement of the job, but lists one of its graphs.
    pub is_entry: bool,
}

impl Said {
    pub fn bytes(&self) -> usize {
        self.triple.len() + self.graph.len()
    }

    /// As a line of N-Quads.
    pub fn line(&self) -> String {
        format!("{} <{}> .", self.triple, self.graph)
    }
}

/// Who says it. What is said by both stands in two graphs, so that one can take it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Archive,
    /// Studies and imports.
    Added,
}

/// The graph that lists the graphs of a job, the beginning of their names, and that of things without a name of their own:
/// a server would give them another one each time they are sent.
pub struct Wording {
    list: String,
    graphs: String,
    blanks: String,
}

impl Wording {
    /// `job`: what is told of other jobs has other names.
    pub fn of(job: &str) -> Wording {
        let list = format!("urn:annalist:job:{job}");
        Wording { graphs: format!("{list}:"), blanks: format!("urn:annalist:blank:{job}:"), list }
    }

    /// Nothing where a name could be read as something else, such as the end of the statement.
    pub fn said(&self, source: Source, quad: &Quad) -> Option<Said> {
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
        let source = match source {
            Source::Archive => "archive",
            Source::Added => "added",
        };
        // A word is no name: no graph is called so.
        let graph = self
            .graph(quad)
            .map_or_else(|| Some("default".to_owned()), |name| is_name(&name).then_some(name))?;
        Some(Said { graph: format!("{}{source}:{graph}", self.graphs), triple, is_entry: false })
    }

    /// That a graph belongs to this job, and which of the job's own graphs it is.
    pub fn listed(&self, graph: &str, quad: &Quad) -> Option<Said> {
        let own = self.graph(quad).unwrap_or_else(|| self.list.clone());
        let mut triple = String::new();
        name(&mut triple, graph)?;
        let _ = write!(triple, " <{OF}> ");
        name(&mut triple, &own)?;
        Some(Said { graph: self.list.clone(), triple, is_entry: true })
    }

    /// Updates that take back all graphs of the job, the list last. Captures are called by numbers: a sixteenth at a time
    /// is no more than a server can do in one request.
    pub fn clearing(&self) -> Vec<String> {
        let Wording { list, graphs, .. } = self;
        let part = |more: &str| {
            format!(
                "DELETE {{ GRAPH ?graph {{ ?s ?p ?o }} }} WHERE {{\n  GRAPH <{list}> {{ ?graph <{OF}> ?of }}\n  \
                 FILTER(STRSTARTS(STR(?graph), \"{graphs}\"){more})\n  GRAPH ?graph {{ ?s ?p ?o }}\n}}\n"
            )
        };
        let parts = (0..16).map(|digit| part(&format!(" && STRENDS(STR(?graph), \"{digit:x}\")")));
        parts.chain([part(""), format!("DROP SILENT GRAPH <{list}>\n")]).collect()
    }

    /// Nothing for the graph that has no name.
    fn graph(&self, quad: &Quad) -> Option<String> {
        match &quad.graph_name {
            GraphName::DefaultGraph => None,
            GraphName::NamedNode(node) => Some(node.as_str().to_owned()),
            GraphName::BlankNode(node) => Some(self.blank(node)),
        }
    }

    fn blank(&self, node: &BlankNode) -> String {
        format!("{}{}", self.blanks, node.as_str())
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
        let _ = writeln!(text, "GRAPH <{graph}> {{");
        lines(&mut text, &triples);
        text.push_str("}\n");
    }
    text.push_str("}\n");
    text
}

/// The same for the Graph Store Protocol: what stands behind the address, and N-Triples, for each graph.
pub fn posts(batch: &[Said]) -> Vec<(String, String, Vec<&Said>)> {
    let mut all = Vec::new();
    for (graph, triples) in by_graph(batch) {
        let query = format!("graph={}", utf8_percent_encode(graph, NON_ALPHANUMERIC));
        let mut text = String::new();
        lines(&mut text, &triples);
        all.push((query, text, triples));
    }
    all
}

/// The list of graphs comes before them: its name begins theirs.
fn by_graph(batch: &[Said]) -> BTreeMap<&str, Vec<&Said>> {
    let mut graphs: BTreeMap<&str, Vec<&Said>> = BTreeMap::new();
    for said in batch {
        graphs.entry(said.graph.as_str()).or_default().push(said);
    }
    graphs
}

fn lines(text: &mut String, triples: &[&Said]) {
    for said in triples {
        text.push_str(&said.triple);
        text.push_str(" .\n");
    }
}
