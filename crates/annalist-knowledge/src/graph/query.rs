//! Asks a graph in SPARQL 1.1, within limits of time, memory and rows.
//!
//! The engine has no limits of its own, so the pieces it is given keep them: every term it copies is counted
//! (`budget.rs`), and whoever finds a limit passed unwinds the thread on which the query runs.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use oxrdf::{GraphName, Term, Triple};
use spareval::{QueryEvaluationError, QueryEvaluator, QueryResults};
use spargebra::{Query, SparqlParser};

use super::error::GraphError;
use super::reading::Graph;

mod budget;
mod dataset;
mod format;

use budget::Stop;
use dataset::Dataset;
pub use format::Format;
use format::Sheet;

/// The engine follows the nesting of a query on its stack.
const STACK_BYTES: usize = 256 << 20;

#[derive(Clone, Copy, Debug)]
pub struct QueryLimits {
    pub time: Duration,
    pub rows: u64,
    /// For what is found and not yet told.
    pub memory_bytes: usize,
}

impl Default for QueryLimits {
    fn default() -> Self {
        QueryLimits { time: Duration::from_secs(30), rows: 1_000_000, memory_bytes: 1 << 30 }
    }
}

/// What a query sees where it names no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datasets {
    /// The statements of all graphs, each once: for collections, where a graph is the capture that said so.
    Union,
    /// The graph without a name alone, as RDF files mean it.
    Strict,
}

/// A query and how it is to be understood.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub sparql: &'a str,
    /// What relative addresses in the query are relative to.
    pub base: Option<&'a str>,
    pub datasets: Datasets,
    pub limits: QueryLimits,
}

/// An answer in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Rows { variables: Vec<String>, rows: Vec<Vec<Option<Term>>> },
    Truth(bool),
    Triples(Vec<Triple>),
}

/// What was told, and whether there was more than the limit of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub rows: u64,
    pub cut: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    #[error("the query cannot be read: {0}")]
    Syntax(String),
    #[error("{0}")]
    Refused(String),
    #[error("not answered within {}; a narrower query or a longer --time-limit may help", shown(.0))]
    Time(Duration),
    #[error("the answer takes more memory than the {} MB allowed; a narrower query may help", .0 >> 20)]
    Memory(usize),
    #[error("{0}")]
    Evaluation(String),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("the answer cannot be written: {0}")]
    Write(#[from] io::Error),
}

fn shown(time: &Duration) -> String {
    if time.as_millis() < 1000 { format!("{} ms", time.as_millis()) } else { format!("{} s", time.as_secs()) }
}

impl From<QueryEvaluationError> for QueryError {
    fn from(error: QueryEvaluationError) -> Self {
        match error {
            QueryEvaluationError::Dataset(source) => match source.downcast::<GraphError>() {
                Ok(error) => QueryError::Graph(*error),
                Err(other) => QueryError::Evaluation(other.to_string()),
            },
            other => QueryError::Evaluation(other.to_string()),
        }
    }
}

impl Graph {
    /// The whole answer, in memory.
    pub fn query(
        &self,
        sparql: &str,
        limits: &QueryLimits,
        datasets: Datasets,
    ) -> Result<Answer, QueryError> {
        let question = Question { sparql, base: None, datasets, limits: *limits };
        let mut answer = None;
        self.ask(&question, &mut |results, most| {
            let (collected, told) = collect(results, most)?;
            answer = Some(collected);
            Ok(told)
        })?;
        answer.ok_or_else(|| QueryError::Evaluation("no answer".to_owned()))
    }

    /// Writes the answer as it is found. Without a format it is a table, or N-Triples.
    pub fn answer(
        &self,
        question: &Question<'_>,
        format: Option<Format>,
        out: &mut (dyn Write + Send),
    ) -> Result<Told, QueryError> {
        self.ask(question, &mut |results, most| format::write(results, format, most, out))
    }

    /// Runs a query on a thread of its own; `tell` is called there.
    fn ask(
        &self,
        question: &Question<'_>,
        tell: &mut (dyn FnMut(QueryResults<'_>, u64) -> Result<Told, QueryError> + Send),
    ) -> Result<Told, QueryError> {
        let QueryLimits { time, rows, memory_bytes } = question.limits;
        let stop = Arc::new(AtomicBool::new(false));
        let (done, ended) = channel::<()>();
        std::thread::scope(|scope| {
            let seen = Arc::clone(&stop);
            let work = move || {
                // Dropped when the query ends, however it does.
                let _done = done;
                budget::begin(seen, memory_bytes);
                self.run(question, &mut |results| tell(results, rows))
            };
            let thread = std::thread::Builder::new().name("query".to_owned()).stack_size(STACK_BYTES);
            let thread = thread.spawn_scoped(scope, work)?;
            if ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop.store(true, Ordering::Relaxed);
            }
            match thread.join() {
                Ok(told) => told,
                Err(cause) => Err(match cause.downcast_ref::<Stop>() {
                    Some(Stop::Time) => QueryError::Time(time),
                    Some(Stop::Memory) => QueryError::Memory(memory_bytes),
                    None => QueryError::Evaluation("the query ended in a fault of the engine".to_owned()),
                }),
            }
        })
    }

    fn run(
        &self,
        question: &Question<'_>,
        tell: &mut dyn FnMut(QueryResults<'_>) -> Result<Told, QueryError>,
    ) -> Result<Told, QueryError> {
        let query = parse(question)?;
        let evaluator = QueryEvaluator::new();
        let mut prepared = evaluator.prepare(&query);
        // Which graphs are meant is the dataset's concern: it tells every statement once.
        prepared.dataset_mut().set_default_graph(vec![GraphName::DefaultGraph]);
        let dataset = Dataset::new(self, question.datasets, query.dataset());
        tell(prepared.execute(dataset)?)
    }
}

fn parse(question: &Question<'_>) -> Result<Query, QueryError> {
    let mut parser = SparqlParser::new();
    if let Some(base) = question.base {
        parser = parser.with_base_iri(base).map_err(|e| QueryError::Syntax(format!("{base}: {e}")))?;
    }
    parser.parse_query(question.sparql).map_err(|e| QueryError::Syntax(e.to_string()))
}

fn collect(results: QueryResults<'_>, most: u64) -> Result<(Answer, Told), QueryError> {
    match results {
        QueryResults::Boolean(truth) => Ok((Answer::Truth(truth), Told { rows: 1, cut: false })),
        QueryResults::Solutions(solutions) => {
            let mut sheet = Sheet::new(solutions.variables());
            let told = sheet.fill(solutions, most)?;
            Ok((Answer::Rows { variables: sheet.variables, rows: sheet.rows }, told))
        }
        QueryResults::Graph(triples) => {
            let mut all = Vec::new();
            for triple in triples {
                if all.len() as u64 == most {
                    return Ok((Answer::Triples(all), Told { rows: most, cut: true }));
                }
                all.push(triple?);
            }
            let rows = all.len() as u64;
            Ok((Answer::Triples(all), Told { rows, cut: false }))
        }
    }
}
