//! Files that were damaged. Tantivy relies on their content, and panics where it is not what it wrote.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread will be told as an error, and needs no other words.
pub fn is_caught() -> bool {
    IS_CAUGHT.get()
}

/// Does what reads an index, and says in words what it stumbled over.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = IS_CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(before);
    done.map_err(|panic| {
        let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
        words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "damaged".to_owned())
    })
}
