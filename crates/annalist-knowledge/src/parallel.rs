//! Work done on several threads, and taken in its order.

use std::collections::BTreeMap;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};

/// So many pieces may be under way for each thread.
const PIECES_PER_THREAD: usize = 3;

/// Hands what `give` brings to `threads` threads, and what `work` makes of it to `take`, in the order it was brought. Ends
/// when `give` has no more, or `take` says no.
pub fn in_order<I: Send, O: Send>(
    threads: usize,
    mut give: impl FnMut() -> Option<I> + Send,
    work: impl Fn(I) -> O + Sync,
    mut take: impl FnMut(O) -> bool,
) {
    if threads <= 1 {
        while let Some(piece) = give() {
            if !take(work(piece)) {
                return;
            }
        }
        return;
    }
    let room = threads * PIECES_PER_THREAD;
    let (pieces, inbox) = sync_channel::<(usize, I)>(room);
    let (done, results) = sync_channel::<(usize, O)>(room);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0.. {
                let Some(piece) = give() else { return };
                if pieces.send((number, piece)).is_err() {
                    return;
                }
            }
        });
        // Held by the workers alone: when the last of them ends, whoever gives finds nobody to give to.
        let inbox = Arc::new(Mutex::new(inbox));
        for _ in 0..threads {
            let (inbox, done, work) = (Arc::clone(&inbox), done.clone(), &work);
            scope.spawn(move || {
                loop {
                    let piece = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((number, piece)) = piece else { return };
                    if done.send((number, work(piece))).is_err() {
                        return;
                    }
                }
            });
        }
        drop((inbox, done));
        let mut early = BTreeMap::new();
        let mut expected = 0;
        for (number, result) in results {
            early.insert(number, result);
            while let Some(result) = early.remove(&expected) {
                if !take(result) {
                    return;
                }
                expected += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let (mut numbers, mut taken) = (0..1000, Vec::new());
            in_order(
                threads,
                || numbers.next(),
                |n: i32| n * 2,
                |n| {
                    taken.push(n);
                    true
                },
            );
            assert!(taken.iter().copied().eq((0..1000).map(|n| n * 2)), "{threads}");
        }
    }

    #[test]
    fn it_ends_when_nobody_wants_more() {
        let (mut endless, mut taken) = (0.., 0);
        in_order(
            3,
            || endless.next(),
            |n: u64| n,
            |_| {
                taken += 1;
                taken < 50
            },
        );
        assert_eq!(taken, 50);
    }
}
