//! Printing where nobody may be able to read it.

use std::io::{Error, ErrorKind, Write as _, stdout};

use anyhow::{Context, Result};

use crate::exit::{Exit, code_of};

/// Tells who runs the program something beside what was asked for: where that cannot be written, the work goes on. Never
/// `eprintln!`, which would end it.
macro_rules! tell {
    ($($what:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($what)*);
    }};
}

/// What was asked for could not be printed.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written")]
pub struct Unprinted;

/// How `println!` begins to say that it failed, in words alone.
const FAILED: &str = "failed printing to stdout: ";

/// From now on the program ends where it cannot print. What is told as an error is not told twice.
pub fn end_where_nothing_can_be_printed() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>();
        if let Some(why) = text.and_then(|text| text.strip_prefix(FAILED)) {
            std::process::exit(tell(&anyhow::Error::from(fault_of(why)).context(Unprinted)) as i32);
        }
        if !annalist_knowledge::search::is_caught() {
            usual(info);
        }
    }));
}

/// The fault that such words tell of.
fn fault_of(why: &str) -> Error {
    let number = why.rsplit_once("(os error ").and_then(|(_, rest)| rest.strip_suffix(')')?.parse().ok());
    number.map_or_else(|| Error::other(why), Error::from_raw_os_error)
}

/// Prints what is still to be printed. It would be lost without a word later.
pub fn finish(ended: Exit) -> Result<Exit> {
    match stdout().flush() {
        Err(fault) if fault.kind() != ErrorKind::BrokenPipe => Err(fault).context(Unprinted),
        _ => Ok(ended),
    }
}

/// Says what ended the program, and how it ends. Who reads what is printed may stop reading: that is no fault of anybody.
pub fn tell(error: &anyhow::Error) -> Exit {
    let is_left = |cause: &Error| cause.kind() == ErrorKind::BrokenPipe;
    let mut faults = error.chain().filter_map(|cause| cause.downcast_ref());
    if error.downcast_ref::<Unprinted>().is_some() && faults.any(is_left) {
        return Exit::Done;
    }
    tell!("annalist: {}", annalist_model::with_causes(error.as_ref()));
    code_of(error)
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::fault_of;

    #[test]
    fn a_fault_is_known_by_the_words_that_tell_of_it() {
        for kind in [ErrorKind::StorageFull, ErrorKind::BrokenPipe] {
            let number = if kind == ErrorKind::StorageFull { 28 } else { 32 };
            assert_eq!(fault_of(&Error::from_raw_os_error(number).to_string()).kind(), kind);
        }
        assert_eq!(fault_of("something else").to_string(), "something else");
    }
}
