//! A graph as the SPARQL engine wants to see it.

use std::convert::Infallible;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use oxrdf::{Term, TermRef};
use spareval::{ExpressionTerm, InternalQuad, QueryableDataset};
use spargebra::algebra::QueryDataset;

use super::super::cursor::Statements;
use super::super::error::GraphError;
use super::super::id::Id;
use super::super::reading::Graph;
use super::guard::Noticed;
use super::{Datasets, bounded, budget};

/// A term in the engine: its id, and itself where the query made it and the graph may not know it.
pub struct Node {
    id: Id,
    made: Option<Rc<Made>>,
}

struct Made {
    term: Term,
    bytes: usize,
}

impl Drop for Made {
    fn drop(&mut self) {
        budget::give_back(self.bytes);
    }
}

impl Node {
    fn new(id: Id) -> Node {
        budget::term();
        Node { id, made: None }
    }
}

impl Clone for Node {
    fn clone(&self) -> Self {
        budget::term();
        Node { id: self.id, made: self.made.clone() }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        budget::term_gone();
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

#[derive(Clone)]
pub struct Dataset<'a> {
    graph: &'a Graph,
    datasets: Datasets,
    /// The graphs that make up the default graph, where the query says which.
    from: Option<Vec<Id>>,
    noticed: Noticed,
}

impl<'a> Dataset<'a> {
    pub fn new(
        graph: &'a Graph,
        datasets: Datasets,
        asked: Option<&QueryDataset>,
        noticed: Noticed,
    ) -> Dataset<'a> {
        let mut text = Vec::new();
        let from = asked.map(|asked| {
            let mut ids: Vec<Id> =
                asked.default.iter().map(|node| Id::of(TermRef::from(node.as_ref()), &mut text)).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        });
        Dataset { graph, datasets, from, noticed }
    }

    fn found(&self, triple: [Option<Id>; 3], graph: Option<Option<Id>>) -> Found {
        let [s, p, o] = triple;
        let (one, of, union) = match (graph, &self.from) {
            (None, _) => (None, None, false),
            (Some(Some(graph)), _) => (Some(graph), None, false),
            (Some(None), Some(from)) => match from.as_slice() {
                [only] => (Some(*only), None, true),
                several => (None, Some(several.to_vec()), true),
            },
            (Some(None), None) if self.datasets == Datasets::Union => (None, None, true),
            (Some(None), None) => (Some(Id::DEFAULT_GRAPH), None, true),
        };
        let statements = budget::sound(self.graph.statements([s, p, o, one]));
        Found { statements, of, union, before: None }
    }

    fn in_words(&self, node: &Node) -> Term {
        budget::event();
        if let Some(made) = &node.made {
            budget::work(made.bytes);
            return made.term.clone();
        }
        let missing = || GraphError::Damaged("the dictionary of the graph".to_owned());
        budget::sound(self.graph.term(node.id).and_then(|found| found.ok_or_else(missing)))
    }
}

/// Statements of a pattern in the graphs that are meant.
struct Found {
    statements: Statements,
    of: Option<Vec<Id>>,
    /// Which graph a statement is in does not matter, and it is told once.
    union: bool,
    before: Option<[Id; 3]>,
}

impl Iterator for Found {
    type Item = Result<InternalQuad<Node>, Infallible>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            budget::event();
            let [s, p, o, g] = budget::sound(self.statements.next()?);
            if self.union {
                if self.of.as_ref().is_some_and(|of| of.binary_search(&g).is_err())
                    || self.before == Some([s, p, o])
                {
                    continue;
                }
                self.before = Some([s, p, o]);
            } else if g == Id::DEFAULT_GRAPH {
                continue;
            }
            return Some(Ok(InternalQuad {
                subject: Node::new(s),
                predicate: Node::new(p),
                object: Node::new(o),
                graph_name: if self.union { None } else { Some(Node::new(g)) },
            }));
        }
    }
}

impl<'a> QueryableDataset<'a> for Dataset<'a> {
    type InternalTerm = Node;
    type Error = Infallible;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&Node>,
        predicate: Option<&Node>,
        object: Option<&Node>,
        graph_name: Option<Option<&Node>>,
    ) -> impl Iterator<Item = Result<InternalQuad<Node>, Infallible>> + use<'a> {
        let id = |node: Option<&Node>| node.map(|node| node.id);
        self.found([id(subject), id(predicate), id(object)], graph_name.map(id))
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<Node, Infallible>> + use<'a> {
        budget::sound(self.graph.named_graphs()).into_iter().map(|id| Ok(Node::new(id)))
    }

    fn internalize_term(&self, term: Term) -> Result<Node, Infallible> {
        let mut text = Vec::new();
        let id = Id::of(term.as_ref(), &mut text);
        budget::term();
        if id.is_inline() {
            return Ok(Node { id, made: None });
        }
        let bytes = text.len() + size_of::<Made>();
        budget::hold(bytes);
        budget::work(bytes);
        Ok(Node { id, made: Some(Rc::new(Made { term, bytes })) })
    }

    fn externalize_term(&self, term: Node) -> Result<Term, Infallible> {
        let term = self.in_words(&term);
        if self.noticed.template_terms > 0 {
            // The engine has all statements that it makes of a row in memory, twice, before it tells the first.
            budget::hold_among(2 * bounded::length(&term), self.noticed.template_terms);
        }
        Ok(term)
    }

    fn externalize_expression_term(&self, term: Node) -> Result<ExpressionTerm, Infallible> {
        Ok(self.in_words(&term).into())
    }
}
