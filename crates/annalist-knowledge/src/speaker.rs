//! Statements of one graph, one after the other. What is said is decided by whoever speaks.

use oxrdf::vocab::xsd;
use oxrdf::{GraphName, Literal, NamedNode, NamedNodeRef, Quad, Term};

use crate::statements::plain;

pub struct Speaker<'a> {
    /// Where the next statements stand.
    pub graph: GraphName,
    pub say: &'a mut dyn FnMut(Quad),
}

impl Speaker<'_> {
    pub fn say(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, object: impl Into<Term>) {
        (self.say)(Quad::new(subject.clone(), word.into_owned(), object, self.graph.clone()));
    }

    /// Says nothing where there is no text.
    pub fn text(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, text: Option<&str>) {
        if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
            self.say(subject, word, Literal::new_simple_literal(plain(text)));
        }
    }

    pub fn number(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, number: impl Into<u64>) {
        let number: u64 = number.into();
        self.say(subject, word, Literal::new_typed_literal(number.to_string(), xsd::INTEGER));
    }
}
