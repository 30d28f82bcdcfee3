//! What a query may still spend. The engine copies and drops terms all the time, also where it reads nothing: in
//! products, in sorting, in grouping. So the terms count themselves, and end the query by unwinding its thread.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::error::GraphError;

/// Why a query was ended.
#[derive(Debug)]
pub enum Stop {
    Time,
    Memory,
    /// The engine would take what cannot be read for an error of an expression, and answer without it.
    Graph(GraphError),
}

/// A term in a row of the engine, with its share of the row and of the table the row is in.
const TERM_BYTES: i64 = 64;
/// The clock's word is asked for after so many events.
const EVENTS: u32 = 128;
/// What of a text takes as long as an event.
const WORK_BYTES: usize = 1024;

thread_local! {
    static BYTES: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(i64::MAX) };
    static EVENT: Cell<u32> = const { Cell::new(0) };
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
    static PASSING: RefCell<VecDeque<usize>> = const { RefCell::new(VecDeque::new()) };
}

/// Begins a query on this thread.
pub fn begin(stop: Arc<AtomicBool>, memory_bytes: usize) {
    BYTES.set(0);
    MOST.set(i64::try_from(memory_bytes).unwrap_or(i64::MAX));
    STOP.replace(Some(stop));
    PASSING.set(VecDeque::new());
}

/// Something happened; time may be over.
pub fn event() {
    events(1);
}

/// A text of so many bytes was made or copied.
pub fn work(bytes: usize) {
    events(u32::try_from(bytes / WORK_BYTES).unwrap_or(EVENTS).saturating_add(1));
}

/// Much was done; the clock's word is asked for at once.
pub fn tick() {
    events(EVENTS);
}

fn events(more: u32) {
    let events = EVENT.get().saturating_add(more);
    EVENT.set(if events < EVENTS { events } else { 0 });
    if events >= EVENTS {
        let over = STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)));
        if over {
            end(Stop::Time);
        }
    }
}

/// Bytes are held until they are given back.
pub fn hold(bytes: usize) {
    let now = BYTES.get().saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
    BYTES.set(now);
    if now > MOST.get() {
        end(Stop::Memory);
    }
}

pub fn give_back(bytes: usize) {
    BYTES.set(BYTES.get().saturating_sub(i64::try_from(bytes).unwrap_or(i64::MAX)));
}

/// Bytes are held until so many others were held after them.
pub fn hold_among(bytes: usize, most: usize) {
    let gone: usize = PASSING.with_borrow_mut(|passing| {
        passing.push_back(bytes);
        let over = passing.len().saturating_sub(most);
        passing.drain(..over).sum()
    });
    give_back(gone);
    hold(bytes);
}

/// A term is in one more place.
pub fn term() {
    event();
    hold(TERM_BYTES as usize);
}

pub fn term_gone() {
    give_back(TERM_BYTES as usize);
}

/// What was read, or the end of the query.
pub fn sound<T>(read: Result<T, GraphError>) -> T {
    read.unwrap_or_else(|error| end(Stop::Graph(error)))
}

/// Ends the query at once; `Graph::ask` says why.
pub fn end(stop: Stop) -> ! {
    // Terms are counted while they are dropped on the way, and must not stop that.
    MOST.set(i64::MAX);
    STOP.replace(None);
    resume_unwind(Box::new(stop))
}
