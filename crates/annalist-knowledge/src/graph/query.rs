//! Asks a graph in SPARQL 1.1, within limits of time, memory and rows.
//!
//! The engine has no limits of its own, so the pieces it is given keep them: every term it copies is counted
//! (`budget.rs`), and whoever finds a limit passed, or the graph damaged, unwinds the thread on which the query runs.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use oxrdf::{GraphName, Term, Triple};
use spareval::{
    PreparedQuery, QueryEvaluationError, QueryEvaluator, QueryExplanation, QueryResults, QueryTripleIter,
};
use spargebra::{Query, SparqlParser};

use crate::vocabulary::PREFIXES;

use super::error::GraphError;
use super::reading::Graph;

mod bounded;
mod budget;
mod dataset;
mod explain;
mod format;
mod guard;
mod matching;
mod plan;
mod remembered;

use budget::Stop;
use dataset::Dataset;
pub use format::Format;
use format::Sheet;
use guard::Noticed;
use plan::Planner;
use remembered::Remembered;

/// The engine follows the nesting of a query on its stack.
const STACK_BYTES: usize = 256 << 20;

const READS_ONLY: &str = "a query only reads: to add statements use `annalist import DIR FILE`, to take them back `annalist import DIR \
                          --remove NAME`; what is known of the archive and of studies is made of them alone";

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
    /// Set when nobody waits for the answer any more.
    pub abandoned: Option<&'a AtomicBool>,
}

/// What a query is answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Rows,
    Truth,
    Statements,
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
    #[error("nobody waits for the answer any more")]
    Abandoned,
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
        QueryError::Evaluation(error.to_string())
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
        let question = Question { sparql, base: None, datasets, limits: *limits, abandoned: None };
        self.collected(&question).map(|(answer, _)| answer)
    }

    /// The same, and whether there was more than the limit of rows.
    pub fn collected(&self, question: &Question<'_>) -> Result<(Answer, Told), QueryError> {
        let mut answer = None;
        let told = self.ask(question, &mut |work| {
            let (collected, told) = collect(work.execute()?, question.limits.rows)?;
            answer = Some(collected);
            Ok(told)
        })?;
        let answer = answer.ok_or_else(|| QueryError::Evaluation("no answer".to_owned()))?;
        Ok((answer, told))
    }

    /// Writes the answer as it is found. Without a format it is a table, or N-Triples.
    pub fn answer(
        &self,
        question: &Question<'_>,
        format: Option<Format>,
        out: &mut (dyn Write + Send),
    ) -> Result<Told, QueryError> {
        self.ask(question, &mut |work| format::write(work.execute()?, format, question.limits.rows, out))
    }

    /// How a query is answered: the steps, each with the rows it gave. The answer itself is not kept.
    pub fn explain(&self, question: &Question<'_>) -> Result<String, QueryError> {
        let mut text = String::new();
        self.ask(question, &mut |work| {
            let (results, explanation) = work.explain();
            let told = collect(results?, question.limits.rows)?.1;
            let mut json = Vec::new();
            explanation.write_in_json(&mut json)?;
            explain::write(&json, &mut text);
            Ok(told)
        })?;
        Ok(text)
    }

    /// Runs a query on a thread of its own; `tell` is called there.
    fn ask(
        &self,
        question: &Question<'_>,
        tell: &mut (dyn FnMut(Work<'_>) -> Result<Told, QueryError> + Send),
    ) -> Result<Told, QueryError> {
        let QueryLimits { time, memory_bytes, .. } = question.limits;
        let (query, noticed) = read(question)?;
        let query = &query;
        let stop = Arc::new(AtomicBool::new(false));
        let (done, ended) = channel::<()>();
        std::thread::scope(|scope| {
            let seen = Arc::clone(&stop);
            let work = move || {
                // Dropped when the query ends, however it does.
                let _done = done;
                budget::begin(seen, memory_bytes);
                self.run(query, noticed, question.datasets, tell)
            };
            let thread = thread().spawn_scoped(scope, work)?;
            let in_time = await_end(&ended, question);
            if in_time.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            match thread.join() {
                Ok(told) => told,
                Err(cause) => Err(match cause.downcast::<Stop>().map(|stop| *stop) {
                    Ok(Stop::Time) => in_time.err().unwrap_or(QueryError::Time(time)),
                    Ok(Stop::Memory) => QueryError::Memory(memory_bytes),
                    Ok(Stop::Graph(error)) => QueryError::Graph(error),
                    Err(_) => QueryError::Evaluation("the query ended in a fault of the engine".to_owned()),
                }),
            }
        })
    }

    fn run(
        &self,
        query: &Query,
        noticed: Noticed,
        datasets: Datasets,
        tell: &mut dyn FnMut(Work<'_>) -> Result<Told, QueryError>,
    ) -> Result<Told, QueryError> {
        let query = self.arranged(query.clone())?;
        let evaluator = bounded::with_functions(QueryEvaluator::new());
        let dataset = Dataset::new(self, datasets, query.dataset(), noticed);
        tell(Work { evaluator: &evaluator, query: &query, dataset })
    }

    fn arranged(&self, query: Query) -> Result<Query, GraphError> {
        let planner = Planner::new(self);
        Ok(match query {
            Query::Select { dataset, pattern, base_iri } => {
                Query::Select { dataset, pattern: planner.arrange(pattern)?, base_iri }
            }
            Query::Construct { template, dataset, pattern, base_iri } => {
                Query::Construct { template, dataset, pattern: planner.arrange(pattern)?, base_iri }
            }
            Query::Describe { dataset, pattern, base_iri } => {
                Query::Describe { dataset, pattern: planner.arrange(pattern)?, base_iri }
            }
            Query::Ask { dataset, pattern, base_iri } => {
                Query::Ask { dataset, pattern: planner.arrange(pattern)?, base_iri }
            }
        })
    }
}

impl Question<'_> {
    /// What it is answered with, or why it is not.
    pub fn kind(&self) -> Result<Kind, QueryError> {
        Ok(match read(self)?.0 {
            Query::Select { .. } => Kind::Rows,
            Query::Ask { .. } => Kind::Truth,
            Query::Construct { .. } | Query::Describe { .. } => Kind::Statements,
        })
    }
}

/// Waits for the end of a query as long as it may take, and as long as somebody wants the answer.
fn await_end(ended: &Receiver<()>, question: &Question<'_>) -> Result<(), QueryError> {
    const LOOKS: Duration = Duration::from_millis(20);
    let time = question.limits.time;
    let begun = Instant::now();
    loop {
        let left = time.saturating_sub(begun.elapsed());
        let wait = if question.abandoned.is_some() { left.min(LOOKS) } else { left };
        match ended.recv_timeout(wait) {
            Err(RecvTimeoutError::Timeout) if begun.elapsed() >= time => return Err(QueryError::Time(time)),
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if question.abandoned.is_some_and(|abandoned| abandoned.load(Ordering::Relaxed)) {
            return Err(QueryError::Abandoned);
        }
    }
}

/// A query that is ready to be answered.
struct Work<'a> {
    evaluator: &'a QueryEvaluator,
    query: &'a Query,
    dataset: Dataset<'a>,
}

impl<'a> Work<'a> {
    fn prepared<'e>(&'e self, evaluator: &'e QueryEvaluator) -> PreparedQuery<'e> {
        let mut prepared = evaluator.prepare(self.query);
        // Which graphs are meant is the dataset's concern: it tells every statement once.
        prepared.dataset_mut().set_default_graph(vec![GraphName::DefaultGraph]);
        prepared
    }

    fn execute(&self) -> Result<QueryResults<'a>, QueryEvaluationError> {
        let results = self.prepared(self.evaluator).execute(self.dataset.clone())?;
        Ok(self.counted(results))
    }

    fn explain(&self) -> (Result<QueryResults<'a>, QueryEvaluationError>, QueryExplanation) {
        let evaluator = self.evaluator.clone().compute_statistics();
        let (results, explanation) = self.prepared(&evaluator).explain(self.dataset.clone());
        (results.map(|results| self.counted(results)), explanation)
    }

    /// What the engine remembers of the statements it made is counted; what it only read it does not remember.
    fn counted(&self, results: QueryResults<'a>) -> QueryResults<'a> {
        match results {
            QueryResults::Graph(triples) if matches!(self.query, Query::Construct { .. }) => {
                QueryResults::Graph(QueryTripleIter::new(Remembered::new(triples)))
            }
            other => other,
        }
    }
}

fn thread() -> std::thread::Builder {
    std::thread::Builder::new().name("query".to_owned()).stack_size(STACK_BYTES)
}

/// Reads a query on a thread with room for its nesting. The parser cannot be stopped, so its end is waited for, and whoever
/// counts those who ask counts it, too: what `check_text` lets pass is read soon.
fn read(question: &Question<'_>) -> Result<(Query, Noticed), QueryError> {
    guard::check_text(question.sparql)?;
    let begun = Instant::now();
    let read = std::thread::scope(|scope| {
        let work = || {
            let mut query = parse(question.sparql, question.base)?;
            let noticed = guard::check(&mut query)?;
            Ok((query, noticed))
        };
        let failed = |_| Err(QueryError::Syntax("the parser failed".to_owned()));
        thread().spawn_scoped(scope, work)?.join().unwrap_or_else(failed)
    });
    let time = question.limits.time;
    if read.is_ok() && begun.elapsed() > time { Err(QueryError::Time(time)) } else { read }
}

fn parse(sparql: &str, base: Option<&str>) -> Result<Query, QueryError> {
    let mut parser = SparqlParser::new();
    if let Some(base) = base {
        parser = parser.with_base_iri(base).map_err(|e| QueryError::Syntax(format!("{base}: {e}")))?;
    }
    for (prefix, iri) in PREFIXES {
        parser = parser.with_prefix(prefix, iri).map_err(|e| QueryError::Syntax(format!("{prefix}: {e}")))?;
    }
    let update = parser.clone();
    parser.parse_query(sparql).map_err(|e| match update.parse_update(sparql) {
        Ok(_) => QueryError::Refused(READS_ONLY.to_owned()),
        Err(_) => QueryError::Syntax(told(&e.to_string())),
    })
}

/// What is wrong, without the list of all that would be right: the parser names every letter there is.
fn told(fault: &str) -> String {
    let (place, expected) = fault.split_once(": ").unwrap_or(("", fault));
    if expected.contains("Prefix not found") {
        return format!("{place}: this prefix is not declared");
    }
    let listed = expected.trim_start_matches("expected one of ");
    // A reason says more than a list of letters.
    let is_sentence = |one: &&str| one.starts_with(char::is_uppercase) && one.split(' ').count() > 3;
    if let Some(reason) = listed.split(", ").find(is_sentence) {
        return format!("{place}: {reason}");
    }
    let few: Vec<&str> = listed.split(", ").filter(|one| !one.contains("..=")).take(8).collect();
    match expected.starts_with("expected one of ") {
        true if few.is_empty() => format!("{place}: something else is expected here"),
        true => format!("{place}: expected {}", few.join(", ")),
        false => fault.to_owned(),
    }
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
                let triple = triple?;
                budget::hold(remembered::weight(&triple));
                all.push(triple);
            }
            let rows = all.len() as u64;
            Ok((Answer::Triples(all), Told { rows, cut: false }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn a_reason_is_told_before_what_else_might_stand_there() {
        let listed =
            "error at 1:9: expected one of \"(\", [a..=z], The SELECT contains an unbound variable, IN";
        assert_eq!(told(listed), "error at 1:9: The SELECT contains an unbound variable");
        let letters = "error at 1:9: expected one of \"(\", [\'a\'..=\'z\'], IN";
        assert_eq!(told(letters), "error at 1:9: expected \"(\", IN");
    }
}
