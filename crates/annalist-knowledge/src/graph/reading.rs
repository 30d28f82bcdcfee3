//! A graph as it is asked: the runs of several layers at one moment. What is written meanwhile is not seen, and what is
//! removed meanwhile stays open.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::{Disk, RealDisk};
use oxrdf::{
    GraphName, GraphNameRef, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, Quad as Statement, Term,
    TermRef,
};

use super::buffer::ById;
use super::cache::Cache;
use super::cursor::{Cursor, Statements};
use super::directory::Frequency;
use super::error::GraphError;
use super::id::Id;
use super::manifest::{Manifest, run_name};
use super::order::{Order, Quad};
use super::run::Run;

/// How often a layer is looked at again whose runs went away while they were being opened.
const TRIES: usize = 20;

#[derive(Debug)]
pub struct Graph {
    runs: Vec<Arc<Run>>,
    /// How often each predicate occurs, over all runs.
    frequencies: ById<Frequency>,
    /// How far the writer of each layer got.
    marks: Vec<Vec<u8>>,
}

/// How much there is in a graph; different terms are counted for each run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub quads: u64,
    pub subjects: u64,
    pub objects: u64,
    pub bytes: u64,
}

impl Graph {
    /// The memory that blocks read lately may take.
    pub const CACHE_BYTES: usize = 128 << 20;

    /// Opens layers by their folders. One that nobody has written yet is empty.
    pub fn open(layers: &[PathBuf]) -> Result<Graph, GraphError> {
        Graph::open_on(&RealDisk, layers, Graph::CACHE_BYTES)
    }

    pub fn open_on(disk: &dyn Disk, layers: &[PathBuf], cache_bytes: usize) -> Result<Graph, GraphError> {
        let cache = Arc::new(Cache::new(cache_bytes));
        let (mut runs, mut marks) = (Vec::new(), Vec::new());
        for dir in layers {
            let (some, mark) = open_layer(disk, dir, &cache)?;
            runs.extend(some);
            marks.push(mark);
        }
        let mut frequencies: ById<Frequency> = ById::default();
        for run in &runs {
            for (rank, often) in run.directory.predicates.iter().zip(&run.directory.frequencies) {
                let total = frequencies.entry(run.id(*rank)?).or_default();
                total.quads += often.quads;
                total.subjects += often.subjects;
                total.objects += often.objects;
            }
        }
        Ok(Graph { runs, frequencies, marks })
    }

    /// How far the writer of each layer got, in its own words; nothing where nobody has written yet.
    pub fn marks(&self) -> &[Vec<u8>] {
        &self.marks
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for run in &self.runs {
            totals.quads += run.directory.quads;
            totals.subjects += run.directory.subjects;
            totals.objects += run.directory.objects;
            totals.bytes += run.bytes();
        }
        totals
    }

    pub(super) fn frequency(&self, predicate: Id) -> Frequency {
        self.frequencies.get(&predicate).copied().unwrap_or_default()
    }

    /// The statements that fit a pattern, each once, in the order in which they are found quickest. Where the graph is not
    /// known, statements that differ only in their graph stand side by side.
    pub(super) fn statements(&self, pattern: Quad<Option<Id>>) -> Result<Statements, GraphError> {
        let mut found = Vec::new();
        for run in &self.runs {
            if let Some(ranks) = run.pattern(pattern)? {
                found.push((run, ranks));
            }
        }
        let [s, p, o, g] = pattern.map(|part| part.is_some());
        let triple = match (s, p, o) {
            (true, false, true) | (false, false, true) => Order::Ospg,
            (false, true, _) => Order::Posg,
            _ => Order::Spog,
        };
        let mut order = triple;
        if g {
            let cost = |order: Order| -> Result<u64, GraphError> {
                found.iter().map(|(run, ranks)| run.count(order, *ranks)).sum()
            };
            if cost(Order::Gspo)? <= cost(triple)? {
                order = Order::Gspo;
            }
        }
        let cursors =
            found.into_iter().map(|(run, ranks)| Cursor::new(Arc::clone(run), order, ranks)).collect();
        Ok(Statements::new(order, cursors))
    }

    /// The graphs that have a name.
    pub(super) fn named_graphs(&self) -> Result<BTreeSet<Id>, GraphError> {
        let mut graphs = BTreeSet::new();
        for run in &self.runs {
            let mut ranks = BTreeSet::new();
            // From one block of a graph to the next: a graph's statements stand together.
            let mut cursor = Cursor::new(Arc::clone(run), Order::Gspo, [None; 4]);
            while let Some([graph, ..]) = cursor.next()? {
                ranks.insert(graph);
                cursor.behind(graph);
            }
            for rank in ranks {
                graphs.insert(run.id(rank)?);
            }
        }
        graphs.remove(&Id::DEFAULT_GRAPH);
        Ok(graphs)
    }

    /// The term of an id.
    pub(super) fn term(&self, id: Id) -> Result<Option<Term>, GraphError> {
        if let Some(literal) = id.literal() {
            return Ok(Some(literal.into()));
        }
        for run in &self.runs {
            if let Some(term) = run.term(id)? {
                return Ok(Some(term));
            }
        }
        Ok(None)
    }

    /// How many statements have the known parts: exactly where one order has them in one place, else at most.
    pub(super) fn count(&self, pattern: Quad<Option<Id>>) -> Result<u64, GraphError> {
        let mut all = 0;
        for run in &self.runs {
            let Some(ranks) = run.pattern(pattern)? else { continue };
            let mut least = run.directory.quads;
            for order in Order::ALL.into_iter().filter(|order| order.known(ranks) > 0) {
                least = least.min(run.count(order, ranks)?);
            }
            all += least;
        }
        Ok(all)
    }

    /// All statements, each once. The order follows from the statements alone.
    pub fn quads(&self) -> Result<impl Iterator<Item = Result<Statement, GraphError>> + '_, GraphError> {
        self.matching(None, None, None, None)
    }

    /// The statements that the other graph has not.
    pub fn without<'a>(
        &'a self,
        other: &Graph,
    ) -> Result<impl Iterator<Item = Result<Statement, GraphError>> + use<'a>, GraphError> {
        // Both in the same order: one look at each is enough.
        let mut theirs = other.statements([None; 4])?.peekable();
        let mut reader = TermReader { graph: self, last: ById::default() };
        Ok(self.statements([None; 4])?.filter_map(move |quad| {
            let quad = match quad {
                Ok(quad) => quad,
                Err(error) => return Some(Err(error)),
            };
            while theirs.next_if(|their| matches!(their, Ok(their) if *their < quad)).is_some() {}
            match theirs.peek() {
                Some(Ok(their)) if *their == quad => None,
                Some(Err(_)) => theirs.next().and_then(Result::err).map(Err),
                _ => Some(reader.quad(quad)),
            }
        }))
    }

    /// The statements that have the parts that are given, each once.
    pub fn matching(
        &self,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
    ) -> Result<impl Iterator<Item = Result<Statement, GraphError>> + '_, GraphError> {
        let mut text = Vec::new();
        let mut id = |term: TermRef<'_>| Id::of(term, &mut text);
        let pattern = [
            subject.map(|node| id(node.into())),
            predicate.map(|node| id(node.into())),
            object.map(&mut id),
            graph.map(|graph| match graph {
                GraphNameRef::NamedNode(node) => id(node.into()),
                GraphNameRef::BlankNode(node) => id(node.into()),
                GraphNameRef::DefaultGraph => Id::DEFAULT_GRAPH,
            }),
        ];
        let mut reader = TermReader { graph: self, last: ById::default() };
        Ok(self.statements(pattern)?.map(move |quad| reader.quad(quad?)))
    }
}

/// Terms of statements that come one after the other are mostly the same again.
struct TermReader<'a> {
    graph: &'a Graph,
    last: ById<Term>,
}

impl TermReader<'_> {
    const MOST: usize = 100_000;

    fn term(&mut self, id: Id) -> Result<Term, GraphError> {
        if let Some(term) = self.last.get(&id) {
            return Ok(term.clone());
        }
        let missing = || GraphError::Damaged(format!("the dictionary without {id:?}"));
        let term = self.graph.term(id)?.ok_or_else(missing)?;
        if self.last.len() >= TermReader::MOST {
            self.last.clear();
        }
        self.last.insert(id, term.clone());
        Ok(term)
    }

    fn quad(&mut self, [s, p, o, g]: Quad<Id>) -> Result<Statement, GraphError> {
        let wrong = || GraphError::Damaged("a statement of the graph".to_owned());
        let subject = match self.term(s)? {
            Term::NamedNode(node) => NamedOrBlankNode::from(node),
            Term::BlankNode(node) => node.into(),
            Term::Literal(_) => return Err(wrong()),
        };
        let Term::NamedNode(predicate) = self.term(p)? else { return Err(wrong()) };
        let object = self.term(o)?;
        let graph = if g == Id::DEFAULT_GRAPH {
            GraphName::DefaultGraph
        } else {
            match self.term(g)? {
                Term::NamedNode(node) => node.into(),
                Term::BlankNode(node) => node.into(),
                Term::Literal(_) => return Err(wrong()),
            }
        };
        Ok(Statement::new(subject, predicate, object, graph))
    }
}

fn open_layer(
    disk: &dyn Disk,
    dir: &Path,
    cache: &Arc<Cache>,
) -> Result<(Vec<Arc<Run>>, Vec<u8>), GraphError> {
    let mut tries = 0;
    'again: loop {
        tries += 1;
        let manifest = Manifest::read(disk, dir)?.unwrap_or_default();
        let mut runs = Vec::new();
        for number in &manifest.runs {
            match Run::open(disk, &dir.join(run_name(*number)), Arc::clone(cache)) {
                Ok(run) => runs.push(Arc::new(run)),
                // Merged away by the writer since the manifest was read: there is a new one.
                Err(GraphError::Io { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && tries < TRIES =>
                {
                    continue 'again;
                }
                Err(error) => return Err(error.of_run()),
            }
        }
        return Ok((runs, manifest.mark));
    }
}
