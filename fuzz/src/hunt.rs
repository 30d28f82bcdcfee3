//! Many inputs for one target, until one breaks it; that one is made small. Rounds are counted, never timed, so that
//! the same numbers try the same inputs on every machine.

use std::cell::Cell;
use std::fmt;
use std::panic::{catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use annalist_disk::Dice;

use crate::Target;
use crate::mutate::input;
use crate::seeds::Seeds;

const MOST_ATTEMPTS: usize = 3000;
/// An input that takes this long is worth a line, so that one that never ends can be found.
const STANDSTILL: Duration = Duration::from_secs(30);

/// An input that breaks a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Find {
    pub target: &'static str,
    pub seed: u64,
    pub round: u64,
    pub input: Vec<u8>,
    /// What the target said when it broke.
    pub complaint: String,
}

impl fmt::Display for Find {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Find { target, seed, round, input, complaint } = self;
        writeln!(f, "{target} broke in round {round} of ANNALIST_FUZZ_SEED={seed}: {complaint}")?;
        write!(f, "{} bytes: b\"{}\"", input.len(), input.escape_ascii())
    }
}

/// Tries the seeds as they are, then so many inputs made from them.
pub fn hunt(target: &'static Target, seeds: &Seeds, seed: u64, rounds: u64) -> Option<Find> {
    let round = AtomicU64::new(0);
    thread::scope(|scope| {
        // Dropped at the end, which ends the watch.
        let (_hunting, over) = channel();
        scope.spawn(|| watch(target, seed, &round, over));
        let unchanged = seeds.inputs.iter().cloned();
        let changed = (0..rounds).map(|round| input(seeds, &mut dice(seed, round)));
        for bytes in unchanged.chain(changed) {
            if let Some(complaint) = complaint(target, &bytes) {
                let (input, complaint) = small(target, bytes, complaint);
                let round = round.load(Ordering::Relaxed);
                return Some(Find { target: target.name, seed, round, input, complaint });
            }
            round.fetch_add(1, Ordering::Relaxed);
        }
        None
    })
}

/// Every round has dice of its own: one can be repeated without those before it.
fn dice(seed: u64, round: u64) -> Dice {
    Dice::new(Dice::new(seed).roll() ^ Dice::new(round).roll())
}

fn watch(target: &Target, seed: u64, round: &AtomicU64, over: Receiver<()>) {
    let mut last = u64::MAX;
    while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(STANDSTILL) {
        let now = round.load(Ordering::Relaxed);
        if now == last {
            eprintln!("{} has been in round {now} of ANNALIST_FUZZ_SEED={seed} for long", target.name);
        }
        last = now;
    }
}

/// What the target says about an input that breaks it.
fn complaint(target: &Target, input: &[u8]) -> Option<String> {
    let panic = catch_unwind(|| (target.run)(input)).err()?;
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    Some(text.unwrap_or_else(|| "a panic without words".to_owned()))
}

/// Takes out blocks, half the input at first and single bytes at last, as long as the rest still breaks the target.
fn small(target: &Target, input: Vec<u8>, complaint_before: String) -> (Vec<u8>, String) {
    let _quiet = Quiet::begin();
    let mut best = (input, complaint_before);
    let mut attempts = 0;
    let mut length = best.0.len().div_ceil(2);
    while length > 0 && attempts < MOST_ATTEMPTS {
        let mut at = 0;
        while at < best.0.len() && attempts < MOST_ATTEMPTS {
            attempts += 1;
            let end = best.0.len().min(at + length);
            let shorter = [&best.0[..at], &best.0[end..]].concat();
            match complaint(target, &shorter) {
                Some(complaint) => best = (shorter, complaint),
                None => at = end,
            }
        }
        length /= 2;
    }
    best
}

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, panics of this thread are not printed: hundreds of them would hide the first.
struct Quiet;

impl Quiet {
    fn begin() -> Quiet {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let loud = take_hook();
            set_hook(Box::new(move |info| {
                if !IS_QUIET.get() {
                    loud(info);
                }
            }));
        });
        IS_QUIET.set(true);
        Quiet
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        IS_QUIET.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::hunt;
    use crate::Target;
    use crate::seeds::Seeds;

    fn dislikes_a_b(bytes: &[u8]) {
        assert!(!bytes.windows(2).any(|pair| pair == b"ab"), "there is an ab");
    }

    static FUSSY: Target = Target { name: "fussy", run: dislikes_a_b, made: Vec::new };

    fn seeds(input: &[u8]) -> Seeds {
        Seeds { inputs: vec![input.to_vec()], words: vec![b"b".to_vec()] }
    }

    #[test]
    fn an_input_that_breaks_a_target_is_found_and_made_small() {
        let find = hunt(&FUSSY, &seeds(b"__aaa__"), 1, 10_000).unwrap();
        assert_eq!(find.input, b"ab");
        assert!(find.to_string().contains("there is an ab"), "{find}");
        assert_eq!(hunt(&FUSSY, &seeds(b"__aaa__"), 1, 10_000), Some(find));
    }

    #[test]
    fn seeds_are_tried_as_they_are() {
        assert_eq!(hunt(&FUSSY, &seeds(b"xaby"), 1, 0).unwrap().round, 0);
        assert_eq!(hunt(&FUSSY, &seeds(b"xy"), 1, 0), None);
    }
}
