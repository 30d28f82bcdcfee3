//! What a key's value must look like, said once: the readers check it, mistakes and documentation print it.

use std::fmt;
use std::time::Duration;

use super::words::Words;
use super::{duration, size};

#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Text or a table whose reader does the checking.
    Described(&'static str),
    Whole {
        least: u64,
        most: u64,
    },
    Decimal {
        least: f64,
        most: f64,
    },
    Flag,
    Duration {
        least: Duration,
    },
    Size {
        least: u64,
        most: u64,
    },
    /// One of the words that the function lists.
    Word(fn() -> String),
    List(&'static Shape),
}

pub(super) const TEXT: Shape = Shape::Described("a text that is not empty");
pub(super) const ANY_DURATION: Shape = Shape::Duration { least: Duration::ZERO };
pub(super) const SOME_TIME: Shape = Shape::Duration { least: Duration::from_millis(1) };
pub(super) const COUNT: Shape = Shape::Whole { least: 1, most: i64::MAX as u64 };
pub(super) const CLICKS: Shape = Shape::Whole { least: 0, most: u16::MAX as u64 };
pub(super) const SOME_BYTES: Shape = Shape::Size { least: 1, most: u64::MAX };

/// For [`Shape::Word`].
pub(super) fn words<W: Words>() -> String {
    let words: Vec<String> = W::WORDS.iter().map(|(word, _)| format!("{word:?}")).collect();
    words.join(", ")
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Described(text) => f.write_str(text),
            Shape::Whole { least, most } if *most >= i64::MAX as u64 => {
                write!(f, "a whole number of at least {least}")
            }
            Shape::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Shape::Decimal { least, most } => write!(f, "a number from {least} to {most}"),
            Shape::Flag => f.write_str("true or false"),
            Shape::Duration { least } => {
                f.write_str("a duration such as \"500ms\", \"2s\", \"12h\" or \"30d\"")?;
                if least.is_zero() { Ok(()) } else { write!(f, ", at least {}", duration::display(*least)) }
            }
            Shape::Size { least, most } => {
                f.write_str("a size such as \"800\", \"10MiB\" or \"50GB\"")?;
                match (*least, *most) {
                    (0, u64::MAX) => Ok(()),
                    (least, u64::MAX) => write!(f, ", at least {}", size::display(least)),
                    (least, most) => write!(f, ", from {} to {}", size::display(least), size::display(most)),
                }
            }
            Shape::Word(words) => write!(f, "one of {}", words()),
            Shape::List(each) => write!(f, "a list, each {each}"),
        }
    }
}
