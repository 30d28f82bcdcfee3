//! Regular expressions that end in time. Those of the library cannot be interrupted, and a large one takes minutes for a
//! long text. Whether one matches is found out state by state, with a look at the clock; where that cannot be done it must be
//! small enough for its text.

use std::cell::RefCell;

use regex::{Regex, RegexBuilder};
use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::syntax;

use super::budget::{self, Stop};

/// The engine's own limit.
const MOST_BYTES: usize = 1_000_000;
/// Bytes of an expression times bytes of its text: some seconds at worst.
const MOST_WORK: usize = 25_000_000_000;
/// What is smaller is quick enough for any text.
const SMALL: usize = 4096;
/// Between two looks at the clock; a byte may take as long as the expression is large.
const STEP: usize = 1024;

/// Flags of SPARQL, as the library calls them.
#[derive(Clone, Copy, Default)]
struct Flags {
    dot_all: bool,
    lines: bool,
    any_case: bool,
    spaced: bool,
    literal: bool,
}

impl Flags {
    fn read(written: &str) -> Option<Flags> {
        let mut flags = Flags::default();
        for flag in written.chars() {
            match flag {
                's' => flags.dot_all = true,
                'm' => flags.lines = true,
                'i' => flags.any_case = true,
                'x' => flags.spaced = true,
                'q' => flags.literal = true,
                _ => return None,
            }
        }
        Some(flags)
    }

    fn pattern(self, written: &str) -> String {
        if self.literal { regex::escape(written) } else { written.to_owned() }
    }
}

/// An expression, the last of which is mostly asked for again.
struct Last<T> {
    pattern: String,
    flags: String,
    made: T,
}

impl<T> Last<T> {
    fn again(last: Option<Last<T>>, pattern: &str, flags: &str) -> Option<Last<T>> {
        last.filter(|known| known.pattern == pattern && known.flags == flags)
    }

    fn new(pattern: &str, flags: &str, made: T) -> Last<T> {
        Last { pattern: pattern.to_owned(), flags: flags.to_owned(), made }
    }
}

/// Whether a text has what an expression says; `None` for what is no expression.
pub fn is_match(pattern: &str, flags: &str, text: &str) -> Option<bool> {
    thread_local! {
        static LAST: RefCell<Option<Last<(DFA, Cache)>>> = const { RefCell::new(None) };
    }
    let mut last = match Last::again(LAST.take(), pattern, flags) {
        Some(last) => last,
        None => Last::new(pattern, flags, stepping(pattern, Flags::read(flags)?)?),
    };
    let (states, cache) = &mut last.made;
    let found = walk(states, cache, text);
    LAST.replace(Some(last));
    if found.is_some() {
        return found;
    }
    let mut found = false;
    with_regex(pattern, flags, text.len(), |regex| found = regex.is_match(text))?;
    Some(found)
}

fn stepping(pattern: &str, flags: Flags) -> Option<(DFA, Cache)> {
    let syntax = syntax::Config::new()
        .dot_matches_new_line(flags.dot_all)
        .multi_line(flags.lines)
        .case_insensitive(flags.any_case)
        .ignore_whitespace(flags.spaced);
    let size = thompson::Config::new().nfa_size_limit(Some(MOST_BYTES)).which_captures(WhichCaptures::None);
    let states = DFA::builder()
        .configure(DFA::config().unicode_word_boundary(true).skip_cache_capacity_check(true))
        .syntax(syntax)
        .thompson(size)
        .build(&flags.pattern(pattern))
        .ok()?;
    let cache = states.create_cache();
    Some((states, cache))
}

/// `None` where the states cannot tell: at words' ends beside letters that are not ASCII.
fn walk(states: &DFA, cache: &mut Cache, text: &str) -> Option<bool> {
    let mut state = states.start_state_forward(cache, &Input::new(text)).ok()?;
    for some in text.as_bytes().chunks(STEP) {
        budget::tick();
        for byte in some {
            state = states.next_state(cache, state, *byte).ok()?;
            if state.is_tagged() {
                if state.is_match() || state.is_dead() {
                    return Some(state.is_match());
                }
                if state.is_quit() {
                    return None;
                }
            }
        }
    }
    Some(states.next_eoi_state(cache, state).ok()?.is_match())
}

/// Lends an expression that will be asked of a text of so many bytes; one that is too large for it ends the query.
pub fn with_regex(pattern: &str, flags: &str, bytes: usize, work: impl FnOnce(&Regex)) -> Option<()> {
    thread_local! {
        // With the limit that it is known to keep.
        static LAST: RefCell<Option<Last<(Regex, usize)>>> = const { RefCell::new(None) };
    }
    let limit = (MOST_WORK / bytes.max(1)).clamp(SMALL, MOST_BYTES);
    let last = match Last::again(LAST.take(), pattern, flags).filter(|last| last.made.1 <= limit) {
        Some(last) => last,
        None => {
            let flags_read = Flags::read(flags)?;
            Last::new(pattern, flags, (compile(pattern, flags_read, limit)?, limit))
        }
    };
    work(&last.made.0);
    LAST.replace(Some(last));
    Some(())
}

fn compile(pattern: &str, flags: Flags, limit: usize) -> Option<Regex> {
    let built = RegexBuilder::new(&flags.pattern(pattern))
        .dot_matches_new_line(flags.dot_all)
        .multi_line(flags.lines)
        .case_insensitive(flags.any_case)
        .ignore_whitespace(flags.spaced)
        .size_limit(limit)
        .build();
    if matches!(built, Err(regex::Error::CompiledTooBig(_))) && limit < MOST_BYTES {
        budget::end(Stop::Time);
    }
    built.ok()
}
