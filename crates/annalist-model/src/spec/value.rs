//! Reading one value of a spec into the type that is wanted, or noting what was expected in its place.
//! Which keys there are is in `keys/`.

use std::time::Duration;

use toml::Spanned;
use toml::de::{DeInteger, DeValue};

use super::notes::{Notes, did_you_mean};
use super::shape::Shape;
use super::table::Table;
use super::words::Words;
use super::{duration, size};
use crate::link::shortened;

/// A value with its place in the spec and what it must look like.
pub(super) struct Value<'v> {
    value: &'v Spanned<DeValue<'v>>,
    /// `scope.include[0]`
    key: String,
    shape: Shape,
    notes: &'v Notes,
}

impl<'v> Value<'v> {
    pub(super) fn new(
        value: &'v Spanned<DeValue<'v>>,
        key: String,
        shape: Shape,
        notes: &'v Notes,
    ) -> Value<'v> {
        Value { value, key, shape, notes }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn line(&self) -> usize {
        self.notes.line_at(self.value.span().start)
    }

    /// Text that is not empty and fits on a line.
    pub(super) fn text(&self) -> Option<String> {
        self.parsed(|text| {
            let fine = !text.trim().is_empty() && !text.chars().any(char::is_control);
            fine.then(|| text.to_owned())
        })
    }

    /// Text that `parse` makes sense of.
    pub(super) fn parsed<T>(&self, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let DeValue::String(text) = self.value.get_ref() else { return self.unexpected() };
        parse(text).or_else(|| self.unexpected())
    }

    pub(super) fn whole<N: TryFrom<u64>>(&self) -> Option<N> {
        let DeValue::Integer(number) = self.value.get_ref() else { return self.unexpected() };
        let bounds = match self.shape {
            Shape::Whole { least, most } => least..=most,
            _ => 0..=u64::MAX,
        };
        let number = unsigned(number).filter(|n| bounds.contains(n));
        number.and_then(|n| N::try_from(n).ok()).or_else(|| self.unexpected())
    }

    pub(super) fn decimal(&self) -> Option<f64> {
        let text = match self.value.get_ref() {
            DeValue::Float(number) => number.as_str(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            _ => return self.unexpected(),
        };
        let bounds = match self.shape {
            Shape::Decimal { least, most } => least..=most,
            _ => f64::MIN..=f64::MAX,
        };
        // A number that is none is in no interval.
        text.parse().ok().filter(|n| bounds.contains(n)).or_else(|| self.unexpected())
    }

    pub(super) fn flag(&self) -> Option<bool> {
        self.value.get_ref().as_bool().or_else(|| self.unexpected())
    }

    pub(super) fn duration(&self) -> Option<Duration> {
        let least = match self.shape {
            Shape::Duration { least } => least,
            _ => Duration::ZERO,
        };
        self.parsed(|text| duration::parse(text).filter(|d| *d >= least))
    }

    /// A size in bytes, as text with a unit or as a plain number.
    pub(super) fn size<N: TryFrom<u64>>(&self) -> Option<N> {
        let bytes = match self.value.get_ref() {
            DeValue::String(text) => size::parse(text),
            DeValue::Integer(number) => unsigned(number),
            _ => None,
        };
        let bounds = match self.shape {
            Shape::Size { least, most } => least..=most,
            _ => 0..=u64::MAX,
        };
        let bytes = bytes.filter(|n| bounds.contains(n));
        bytes.and_then(|n| N::try_from(n).ok()).or_else(|| self.unexpected())
    }

    pub(super) fn word<W: Words>(&self) -> Option<W> {
        let DeValue::String(text) = self.value.get_ref() else { return self.unexpected() };
        W::from_word(text).or_else(|| {
            let hint = did_you_mean(text, W::WORDS.iter().map(|(word, _)| *word));
            self.mistake(format!("expected {}, found {}{hint}", self.shape, found(self.value.get_ref())));
            None
        })
    }

    pub(super) fn date(&self) -> Option<jiff::civil::Date> {
        let date = match self.value.get_ref() {
            DeValue::Datetime(moment) if moment.time.is_none() && moment.offset.is_none() => moment.date,
            _ => None,
        };
        let date = date.and_then(|date| {
            let (month, day) = (i8::try_from(date.month).ok()?, i8::try_from(date.day).ok()?);
            jiff::civil::Date::new(i16::try_from(date.year).ok()?, month, day).ok()
        });
        date.or_else(|| self.unexpected())
    }

    /// Every element that `read` accepts; the others are noted.
    pub(super) fn list<T>(&self, read: impl Fn(&Value<'v>) -> Option<T>) -> Option<Vec<T>> {
        let DeValue::Array(items) = self.value.get_ref() else { return self.unexpected() };
        let shape = match self.shape {
            Shape::List(each) => *each,
            other => other,
        };
        let values = items.iter().enumerate().map(|(index, item)| {
            let key = format!("{}[{index}]", self.key);
            Value::new(item, key, shape, self.notes)
        });
        Some(values.filter_map(|value| read(&value)).collect())
    }

    /// `[section]`
    pub(super) fn table(&self) -> Option<Table<'v>> {
        match self.value.get_ref() {
            DeValue::Table(entries) => Some(Table::new(entries, self.key.clone(), self.line(), self.notes)),
            _ => self.unexpected(),
        }
    }

    /// `[[section]]`, once for each.
    pub(super) fn tables(&self) -> Option<Vec<Table<'v>>> {
        let DeValue::Array(items) = self.value.get_ref() else { return self.unexpected() };
        let tables = items.iter().enumerate().map(|(index, item)| {
            let key = format!("{}[{index}]", self.key);
            Value::new(item, key, self.shape, self.notes).table()
        });
        Some(tables.flatten().collect())
    }

    pub(super) fn mistake(&self, message: impl Into<String>) {
        self.notes.mistake(self.line(), &self.key, message);
    }

    fn unexpected<T>(&self) -> Option<T> {
        self.mistake(format!("expected {}, found {}", self.shape, found(self.value.get_ref())));
        None
    }
}

/// A number that is not negative, in any of TOML's bases.
fn unsigned(number: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// The value as a mistake shows it.
fn found(value: &DeValue<'_>) -> String {
    const LONGEST: usize = 60;
    match value {
        DeValue::String(text) if text.len() > LONGEST => format!("{:?}…", shortened(text, LONGEST)),
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(moment) => moment.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
