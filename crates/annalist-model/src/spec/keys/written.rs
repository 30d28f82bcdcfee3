//! How values are spelt in TOML.

use std::fmt::{Debug, Display};
use std::time::Duration;

use crate::spec::table::Written;
use crate::spec::words::Words;
use crate::spec::{duration, size};

pub(super) fn text(value: &str) -> Written {
    Written::Value(quoted(value))
}

pub(super) fn whole(value: impl Display) -> Written {
    Written::Value(value.to_string())
}

/// `5.0`, never `5`: the fraction shows that fractions are welcome.
pub(super) fn decimal(value: impl Debug) -> Written {
    Written::Value(format!("{value:?}"))
}

pub(super) fn flag(value: bool) -> Written {
    Written::Value(value.to_string())
}

pub(super) fn duration(value: Duration) -> Written {
    text(&duration::display(value))
}

pub(super) fn size(bytes: u64) -> Written {
    text(&size::display(bytes))
}

pub(super) fn word<W: Words>(value: W) -> Written {
    text(value.word())
}

pub(super) fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> Written {
    let items: Vec<String> = values.into_iter().map(|value| quoted(&value.to_string())).collect();
    Written::Value(format!("[{}]", items.join(", ")))
}

pub(super) fn optional<T>(value: Option<T>, write: impl Fn(T) -> Written) -> Written {
    value.map_or(Written::Absent, write)
}

pub(super) fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
