//! Walks through the tuples of a run that fit a pattern, and through several runs at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::codec::Tuple;
use super::error::GraphError;
use super::id::Id;
use super::order::{Order, Quad};
use super::run::Run;

/// Tuples of one run that begin with known parts, and have the other known parts too.
pub struct Cursor {
    run: Arc<Run>,
    order: Order,
    pattern: [Option<u32>; 4],
    /// How many parts from the left on are known.
    known: usize,
    place: usize,
    block: Option<Arc<Vec<Tuple>>>,
    within: usize,
}

impl Cursor {
    pub fn new(run: Arc<Run>, order: Order, pattern: Quad<Option<u32>>) -> Cursor {
        let known = order.known(pattern);
        let mut cursor =
            Cursor { run, order, pattern: order.arrange(pattern), known, place: 0, block: None, within: 0 };
        let parts = cursor.pattern.map(Option::unwrap_or_default);
        let blocks = &cursor.run.directory.tuples[order as usize];
        // What fits may begin inside the last block that begins before.
        cursor.place =
            blocks.partition_point(|block| block.first[..known] < parts[..known]).saturating_sub(1);
        cursor
    }

    /// Goes on behind all tuples that begin with this part.
    pub fn behind(&mut self, part: u32) {
        let blocks = &self.run.directory.tuples[self.order as usize];
        let last = blocks.partition_point(|block| block.first[0] <= part).saturating_sub(1);
        if last > self.place {
            (self.place, self.block) = (last, None);
        }
        if let Ok(block) = self.run.tuples(self.order, self.place) {
            self.within = block.partition_point(|tuple| tuple[0] <= part);
            self.block = Some(block);
        }
    }

    pub fn next(&mut self) -> Result<Option<Tuple>, GraphError> {
        loop {
            let block = match &self.block {
                Some(block) => block,
                None => {
                    if self.place >= self.run.directory.tuples[self.order as usize].len() {
                        return Ok(None);
                    }
                    let block = self.run.tuples(self.order, self.place)?;
                    let parts = self.pattern.map(Option::unwrap_or_default);
                    let known = self.known;
                    self.within = block.partition_point(|tuple| tuple[..known] < parts[..known]);
                    self.block.insert(block)
                }
            };
            let Some(tuple) = block.get(self.within) else {
                self.block = None;
                self.place += 1;
                continue;
            };
            self.within += 1;
            let differs = |(part, wanted): (&u32, &Option<u32>)| wanted.is_some_and(|wanted| wanted != *part);
            if let Some(place) = tuple.iter().zip(&self.pattern).position(differs) {
                if place < self.known {
                    self.place = usize::MAX;
                    self.block = None;
                    return Ok(None);
                }
                continue;
            }
            return Ok(Some(*tuple));
        }
    }
}

/// The statements of a cursor, by ids.
struct Named {
    cursor: Cursor,
    order: Order,
    tuple: Tuple,
    ids: [Id; 4],
    begun: bool,
}

impl Named {
    fn next(&mut self) -> Result<Option<[Id; 4]>, GraphError> {
        let Some(tuple) = self.cursor.next()? else { return Ok(None) };
        for (place, part) in tuple.iter().enumerate() {
            // Most parts are the same as in the tuple before.
            if !self.begun || *part != self.tuple[place] {
                self.ids[place] = self.cursor.run.part(self.order, place, *part)?;
            }
        }
        (self.tuple, self.begun) = (tuple, true);
        Ok(Some(self.ids))
    }
}

/// Statements of several runs in one order, each once.
pub struct Statements {
    order: Order,
    sources: Vec<Named>,
    heads: BinaryHeap<Reverse<([Id; 4], usize)>>,
    before: Option<[Id; 4]>,
    begun: bool,
}

impl Statements {
    pub fn new(order: Order, cursors: Vec<Cursor>) -> Statements {
        let nothing = [Id::DEFAULT_GRAPH; 4];
        let sources = cursors
            .into_iter()
            .map(|cursor| Named { cursor, order, tuple: [0; 4], ids: nothing, begun: false })
            .collect();
        Statements { order, sources, heads: BinaryHeap::new(), before: None, begun: false }
    }

    /// The next statement as it is sorted.
    fn step(&mut self) -> Result<Option<[Id; 4]>, GraphError> {
        if let [only] = self.sources.as_mut_slice() {
            return only.next();
        }
        if !self.begun {
            self.begun = true;
            for place in 0..self.sources.len() {
                self.refill(place)?;
            }
        }
        while let Some(Reverse((ids, place))) = self.heads.pop() {
            self.refill(place)?;
            if self.before != Some(ids) {
                self.before = Some(ids);
                return Ok(Some(ids));
            }
        }
        Ok(None)
    }

    fn refill(&mut self, place: usize) -> Result<(), GraphError> {
        if let Some(source) = self.sources.get_mut(place)
            && let Some(ids) = source.next()?
        {
            self.heads.push(Reverse((ids, place)));
        }
        Ok(())
    }
}

impl Iterator for Statements {
    type Item = Result<Quad<Id>, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        let order = self.order;
        let found = self.step();
        if found.is_err() {
            // Who asks on would meet the same damage again, without end.
            self.sources.clear();
            self.heads.clear();
        }
        found.map(|found| found.map(|ids| order.restore(ids))).transpose()
    }
}
