//! The pieces of an index are asked side by side, the largest first: what matches is counted by every facet, which is most of
//! the work where much matches.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};

use tantivy::collector::Collector;
use tantivy::query::Weight;
use tantivy::{Searcher, SegmentOrdinal};

use super::damage::caught;
use super::gather::{Gather, Gathered};

/// Fewer documents are counted sooner than a thread is there.
const WORTH_A_THREAD: u64 = 20_000;
const MOST_THREADS: usize = 8;

/// What each piece gives, in their order; else in words what is wrong with one.
pub(super) fn ask_all(
    searcher: &Searcher,
    weight: &dyn Weight,
    gather: &Gather<'_>,
) -> Result<Vec<Gathered>, String> {
    let pieces = searcher.segment_readers();
    let mut order: Vec<_> = (0..).zip(pieces).collect();
    order.sort_by_key(|(_, piece)| Reverse(piece.max_doc()));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done: Vec<(SegmentOrdinal, Gathered)> = Vec::new();
        while let Some((number, piece)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let given = gather.collect_segment(weight, *number, piece).map_err(|e| e.to_string())?;
            done.push((*number, given));
        }
        Ok(done)
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads(searcher)).map(|_| scope.spawn(|| caught(work).and_then(|done| done))).collect();
        let mut all = work()?;
        for other in others {
            all.extend(other.join().unwrap_or_else(|_| Err("a thread was lost".to_owned()))?);
        }
        Ok::<_, String>(all)
    })?;
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, given)| given).collect())
}

fn threads(searcher: &Searcher) -> usize {
    let worth = usize::try_from(searcher.num_docs() / WORTH_A_THREAD).unwrap_or(MOST_THREADS);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(MOST_THREADS).min(searcher.segment_readers().len()).min(worth).max(1)
}
