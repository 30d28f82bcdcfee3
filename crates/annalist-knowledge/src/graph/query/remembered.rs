//! The engine remembers the statements it made, whole, so as to tell none twice. Nobody else counts them.

use oxrdf::{NamedOrBlankNode, Term, Triple};
use spareval::{QueryEvaluationError, QueryTripleIter};

use super::{bounded, budget};

/// When it has more than these, the engine forgets all of them.
const MOST: usize = 1 << 20;

/// Statements that are counted while they are told.
pub struct Remembered<'a> {
    triples: QueryTripleIter<'a>,
    count: usize,
    bytes: usize,
}

impl<'a> Remembered<'a> {
    pub fn new(triples: QueryTripleIter<'a>) -> Remembered<'a> {
        Remembered { triples, count: 0, bytes: 0 }
    }

    fn see(&mut self, triple: &Triple) {
        // A blank node is likely to be new: the engine does not remember statements about one.
        if triple.subject.is_blank_node() || triple.object.is_blank_node() {
            return;
        }
        if self.count == MOST {
            budget::give_back(self.bytes);
            (self.count, self.bytes) = (0, 0);
        }
        let bytes = weight(triple);
        self.count += 1;
        self.bytes += bytes;
        budget::hold(bytes);
    }
}

impl Iterator for Remembered<'_> {
    type Item = Result<Triple, QueryEvaluationError>;

    fn next(&mut self) -> Option<Self::Item> {
        let triple = self.triples.next()?;
        if let Ok(triple) = &triple {
            self.see(triple);
        }
        Some(triple)
    }
}

/// What a statement takes in a table or list, which has up to twice the room it needs.
pub fn weight(triple: &Triple) -> usize {
    let subject = match &triple.subject {
        NamedOrBlankNode::NamedNode(node) => node.as_str().len(),
        NamedOrBlankNode::BlankNode(node) => node.as_str().len(),
    };
    let datatype = match &triple.object {
        Term::Literal(literal) => literal.datatype().as_str().len(),
        _ => 0,
    };
    let texts = subject + triple.predicate.as_str().len() + bounded::length(&triple.object) + datatype;
    2 * size_of::<Triple>() + texts
}
