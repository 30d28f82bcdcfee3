//! Makes one run of several. Nothing else is changed: who merges can be stopped at any moment.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annalist_disk::Disk;

use super::buffer::collision;
use super::cache::{Cache, Texts};
use super::codec::Tuple;
use super::cursor::Cursor;
use super::error::GraphError;
use super::id::Id;
use super::order::Order;
use super::run::{Run, text_of};
use super::writing::RunWriter;

/// Blocks of a run that is being merged are asked for one after the other.
const CACHE_BYTES: usize = 4 << 20;

/// Runs by file, so that they are read past the cache of those who ask.
pub fn merge(
    disk: &dyn Disk,
    sources: &[std::path::PathBuf],
    into: &Path,
    stop: &AtomicBool,
) -> Result<(), GraphError> {
    let cache = Arc::new(Cache::new(CACHE_BYTES));
    let runs: Result<Vec<Arc<Run>>, GraphError> =
        sources.iter().map(|path| Run::open(disk, path, Arc::clone(&cache)).map(Arc::new)).collect();
    let runs = runs?;
    let ranks = new_ranks(&runs, stop)?;
    let mut predicates: Vec<u32> = Vec::new();
    for (run, ranks) in runs.iter().zip(&ranks) {
        let own = run.directory.predicates.iter().filter_map(|rank| ranks.get(*rank as usize));
        predicates.extend(own);
    }
    predicates.sort_unstable();
    predicates.dedup();
    let file = disk.create(into).map_err(GraphError::io(into))?;
    let mut writer = RunWriter::new(file, predicates.clone()).map_err(GraphError::io(into))?;
    let mut terms = Terms::new(&runs)?;
    while let Some(first) = terms.next(stop)? {
        let (id, text) = first;
        writer.add_term(id, &text).map_err(GraphError::io(into))?;
    }
    writer.end_terms().map_err(GraphError::io(into))?;
    for order in Order::ALL {
        let sources = runs.iter().zip(&ranks).map(|(run, ranks)| {
            let places = run.directory.predicates.iter().map(|rank| {
                let rank = ranks.get(*rank as usize).copied().unwrap_or_default();
                predicates.binary_search(&rank).unwrap_or_default() as u32
            });
            let places = places.collect();
            Renamed { cursor: Cursor::new(Arc::clone(run), order, [None; 4]), order, ranks, places }
        });
        let merged = Merged::new(sources.collect(), stop)?;
        writer.add_tuples::<Failure>(order, merged.map(|tuple| tuple.map_err(Failure::Graph))).map_err(
            |failure| match failure {
                Failure::Graph(error) => error,
                Failure::Io(error) => GraphError::io(into)(error),
            },
        )?;
    }
    writer.finish().map_err(GraphError::io(into))?;
    Ok(())
}

enum Failure {
    Graph(GraphError),
    Io(std::io::Error),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::Io(error)
    }
}

fn go_on(stop: &AtomicBool) -> Result<(), GraphError> {
    if stop.load(Ordering::Relaxed) {
        let source = std::io::Error::from(std::io::ErrorKind::Interrupted);
        return Err(GraphError::Io { what: "merging".to_owned(), source });
    }
    Ok(())
}

/// What rank each term of each run has among the terms of all.
fn new_ranks(runs: &[Arc<Run>], stop: &AtomicBool) -> Result<Vec<Vec<u32>>, GraphError> {
    let mut heads: Vec<Ids> =
        runs.iter().map(|run| Ids::new(Arc::clone(run))).collect::<Result<_, GraphError>>()?;
    let mut ranks: Vec<Vec<u32>> =
        runs.iter().map(|run| Vec::with_capacity(run.directory.terms as usize)).collect();
    let mut rank = 0_u32;
    while let Some(least) = heads.iter().filter_map(|head| head.id).min() {
        for (head, ranks) in heads.iter_mut().zip(&mut ranks) {
            if head.id == Some(least) {
                ranks.push(rank);
                head.advance()?;
            }
        }
        rank = rank.checked_add(1).ok_or(GraphError::TooMany)?;
        if rank.is_multiple_of(4096) {
            go_on(stop)?;
        }
    }
    Ok(ranks)
}

/// The ids of a run, one after the other.
struct Ids {
    run: Arc<Run>,
    rank: u32,
    id: Option<Id>,
}

impl Ids {
    fn new(run: Arc<Run>) -> Result<Ids, GraphError> {
        let id = if run.directory.terms > 0 { Some(run.id(0)?) } else { None };
        Ok(Ids { run, rank: 0, id })
    }

    fn advance(&mut self) -> Result<(), GraphError> {
        self.rank += 1;
        self.id = if self.rank < self.run.directory.terms { Some(self.run.id(self.rank)?) } else { None };
        Ok(())
    }
}

/// The terms of all runs with their texts, each once.
struct Terms {
    heads: Vec<(Ids, Reading)>,
    count: u32,
}

impl Terms {
    fn new(runs: &[Arc<Run>]) -> Result<Terms, GraphError> {
        let heads: Result<_, GraphError> =
            runs.iter().map(|run| Ok((Ids::new(Arc::clone(run))?, Reading::default()))).collect();
        Ok(Terms { heads: heads?, count: 0 })
    }

    fn next(&mut self, stop: &AtomicBool) -> Result<Option<(Id, Vec<u8>)>, GraphError> {
        let Some(least) = self.heads.iter().filter_map(|(ids, _)| ids.id).min() else { return Ok(None) };
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(4096) {
            go_on(stop)?;
        }
        let mut found: Option<Vec<u8>> = None;
        for (ids, texts) in &mut self.heads {
            if ids.id != Some(least) {
                continue;
            }
            let text = texts.next(&ids.run)?;
            match &found {
                None => found = Some(text.to_vec()),
                Some(found) if found != text => return Err(collision(found, text)),
                Some(_) => {}
            }
            ids.advance()?;
        }
        Ok(found.map(|text| (least, text)))
    }
}

/// The texts of a run, one after the other.
#[derive(Default)]
struct Reading {
    place: usize,
    within: usize,
    block: Option<Arc<Texts>>,
}

impl Reading {
    fn next(&mut self, run: &Run) -> Result<&[u8], GraphError> {
        if self.block.as_ref().is_none_or(|block| self.within >= block.1.len()) {
            self.block = Some(run.texts(self.place)?);
            self.place += 1;
            self.within = 0;
        }
        self.within += 1;
        let text = self.block.as_ref().and_then(|block| text_of(block, self.within - 1));
        Ok(text.unwrap_or_default())
    }
}

/// The tuples of a run with the ranks they get.
struct Renamed<'a> {
    cursor: Cursor,
    order: Order,
    ranks: &'a [u32],
    places: Vec<u32>,
}

impl Renamed<'_> {
    fn next(&mut self) -> Result<Option<Tuple>, GraphError> {
        let Some(mut tuple) = self.cursor.next()? else { return Ok(None) };
        let predicate = self.order.predicate();
        for (place, part) in tuple.iter_mut().enumerate() {
            let names = if place == predicate { &self.places[..] } else { self.ranks };
            // A run whose ranks lead nowhere is damaged, and its sums would have said so.
            *part = names.get(*part as usize).copied().unwrap_or_default();
        }
        Ok(Some(tuple))
    }
}

/// Tuples of several runs, sorted, each once. There are few runs: the least is looked for among all.
struct Merged<'a> {
    sources: Vec<(Option<Tuple>, Renamed<'a>)>,
    stop: &'a AtomicBool,
    count: u32,
}

impl<'a> Merged<'a> {
    fn new(sources: Vec<Renamed<'a>>, stop: &'a AtomicBool) -> Result<Merged<'a>, GraphError> {
        let sources: Result<_, GraphError> =
            sources.into_iter().map(|mut source| Ok((source.next()?, source))).collect();
        Ok(Merged { sources: sources?, stop, count: 0 })
    }

    fn step(&mut self) -> Result<Option<Tuple>, GraphError> {
        let Some(least) = self.sources.iter().filter_map(|(head, _)| *head).min() else { return Ok(None) };
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(4096) {
            go_on(self.stop)?;
        }
        for (head, source) in &mut self.sources {
            if *head == Some(least) {
                *head = source.next()?;
            }
        }
        Ok(Some(least))
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<Tuple, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}
