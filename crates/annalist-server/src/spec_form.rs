//! The parts of a spec that a form asks for, read out of its TOML and put back in place. What the form does not know (other
//! keys, comments, the order) stays as it is. How the form looks is in `cockpit/spec_form.rs`; whether the result is a good
//! spec is said by who reads it.

mod fields;
mod merge;
mod seeds;

use std::collections::BTreeMap;

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

pub use fields::GROUPS;
pub use merge::{Difference, Merged, differences, merge};

/// What was typed into the fields, by their names.
pub type Values = BTreeMap<String, String>;

/// How a field's text becomes TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Text,
    Number,
    Decimal,
    Date,
    /// One a line.
    Lines,
    /// Between blanks or commas.
    Words,
    /// The addresses of `[[seed]]` tables, one a line.
    Seeds,
    /// The scope that all of them have.
    Scope,
    /// SURT prefixes that are whole sites, one site a line.
    Sites,
}

/// One field of the form.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    /// Where it stands in the spec.
    pub key: &'static str,
    pub shape: Shape,
    pub label: &'static str,
    pub hint: &'static str,
    pub example: &'static str,
}

fn fields() -> impl Iterator<Item = &'static Field> {
    GROUPS.iter().flat_map(|group| group.fields.iter())
}

/// The field that a mistake is about.
pub fn field_of(key: &str) -> Option<&'static Field> {
    let is_at = |field: &&Field| {
        let rest = key.strip_prefix(field.key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    };
    // `seed[2].scope` is about the scope, everything else of a seed about its address.
    if key.starts_with("seed[") && key.ends_with(".scope") {
        return fields().find(|field| field.shape == Shape::Scope);
    }
    if key == fields::WEIGHTS {
        return fields().find(|field| field.key.starts_with(key));
    }
    fields().find(is_at)
}

/// What is wrong with what was typed into a field. A form has no quotes, and asks for a few values otherwise than the text.
pub fn in_words(field: &Field, detail: &str) -> String {
    let Some((wanted, found)) = detail.split_once(", found ") else { return detail.to_owned() };
    let wanted = match field.shape {
        Shape::Date if wanted.starts_with("expected a date") => {
            "expected a day such as 2026-09-01".to_owned()
        }
        Shape::Sites => "expected the name of a site such as example.org".to_owned(),
        _ => wanted.replace('"', "").replace(" (event.from)", ""),
    };
    format!("{wanted}, found {found}")
}

/// What the fields hold, or why the text is no TOML.
pub fn read(text: &str) -> Result<Values, String> {
    let document = parsed(text)?;
    Ok(fields().map(|field| (field.name.to_owned(), value_of(&document, field))).collect())
}

/// The text with what was typed in its place. Fields that are as they were, or not sent at all, change nothing.
pub fn fill(text: &str, typed: &Values) -> Result<String, String> {
    let mut document = parsed(text)?;
    for field in fields() {
        let Some(value) = typed.get(field.name) else { continue };
        let value = value.replace("\r\n", "\n").trim().to_owned();
        if value != value_of(&document, field) {
            put(&mut document, field, &value);
        }
    }
    let has_no_days = |event: &dyn TableLike| !event.contains_key("from") && !event.contains_key("until");
    let sent = ["event_from", "event_until"].iter().all(|name| typed.contains_key(*name));
    if sent && document.get("event").and_then(Item::as_table_like).is_some_and(has_no_days) {
        // An event without days is none.
        document.remove("event");
    }
    Ok(document.to_string())
}

fn parsed(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>().map_err(|fault| fault.to_string())
}

fn item<'d>(document: &'d DocumentMut, key: &str) -> Option<&'d Item> {
    let mut parts = key.split('.');
    let first = document.get(parts.next()?)?;
    parts.try_fold(first, |item, part| item.as_table_like()?.get(part))
}

fn value_of(document: &DocumentMut, field: &Field) -> String {
    match field.shape {
        Shape::Seeds => seeds::addresses(document).join("\n"),
        Shape::Scope => seeds::scope(document).unwrap_or_default(),
        Shape::Sites => strings(item(document, field.key))
            .iter()
            .filter_map(|surt| site_of(surt))
            .collect::<Vec<_>>()
            .join("\n"),
        Shape::Lines => strings(item(document, field.key)).join("\n"),
        Shape::Words => strings(item(document, field.key)).join(" "),
        Shape::Text | Shape::Number | Shape::Decimal | Shape::Date => {
            item(document, field.key).map(plain).unwrap_or_default()
        }
    }
}

/// A value as people type it.
fn plain(item: &Item) -> String {
    match item.as_value() {
        Some(Value::String(text)) => text.value().trim().replace("\r\n", "\n"),
        Some(value) => value.clone().decorated("", "").to_string(),
        None => String::new(),
    }
}

fn strings(item: Option<&Item>) -> Vec<String> {
    let values = item.and_then(Item::as_array).map(|array| array.iter()).into_iter().flatten();
    values
        .filter_map(Value::as_str)
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

fn put(document: &mut DocumentMut, field: &Field, value: &str) {
    let lines = || value.lines().map(str::trim).filter(|line| !line.is_empty());
    let written: Option<Value> = match field.shape {
        Shape::Seeds => return seeds::put_addresses(document, &lines().collect::<Vec<_>>()),
        Shape::Scope => return seeds::put_scope(document, value),
        Shape::Sites => {
            let before = strings(item(document, field.key));
            let others = before.iter().filter(|surt| site_of(surt).is_none()).cloned();
            list(others.chain(lines().map(surt_of)))
        }
        Shape::Lines => list(lines().map(str::to_owned)),
        Shape::Words => {
            let words = value.split([' ', ',', ';', '\n', '\t']).filter(|word| !word.is_empty());
            list(words.map(str::to_owned))
        }
        Shape::Text => Some(value).filter(|value| !value.is_empty()).map(Value::from),
        // What is no number or date is put as it was typed: who reads it says what is wrong.
        Shape::Number => Some(value)
            .filter(|value| !value.is_empty())
            .map(|value| value.parse::<i64>().map_or_else(|_| Value::from(value), Value::from)),
        Shape::Decimal => Some(value)
            .filter(|value| !value.is_empty())
            .map(|value| value.parse::<f64>().map_or_else(|_| Value::from(value), Value::from)),
        Shape::Date => Some(value).filter(|value| !value.is_empty()).map(|value| {
            value.parse::<toml_edit::Datetime>().map_or_else(|_| Value::from(value), Value::from)
        }),
    };
    let (tables, key) = field.key.rsplit_once('.').unwrap_or(("", field.key));
    let mut table = document.as_table_mut() as &mut dyn TableLike;
    for name in tables.split('.').filter(|name| !name.is_empty()) {
        if written.is_none() && !table.contains_key(name) {
            return;
        }
        let inner = table.entry(name).or_insert_with(|| {
            let mut new = Table::new();
            // Its own heading is written only where something stands below it.
            new.set_implicit(true);
            Item::Table(new)
        });
        // Something else under that name is told as a mistake.
        let Some(inner) = inner.as_table_like_mut() else { return };
        table = inner;
    }
    match (written, table.get_mut(key).and_then(Item::as_value_mut)) {
        (Some(mut value), Some(old)) => {
            // Comments behind it stay.
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        (Some(value), None) => {
            table.insert(key, Item::Value(value));
        }
        (None, _) => {
            table.remove(key);
        }
    }
}

fn list(texts: impl Iterator<Item = String>) -> Option<Value> {
    let array: Array = texts.collect();
    (!array.is_empty()).then_some(Value::Array(array))
}

/// `http://(org,example,` is all of `example.org`.
fn site_of(surt: &str) -> Option<String> {
    let inner = surt.strip_prefix("http://(")?.strip_suffix(',')?;
    let is_plain = !inner.is_empty() && inner.chars().all(|c| c.is_alphanumeric() || matches!(c, ',' | '-'));
    is_plain.then(|| inner.rsplit(',').collect::<Vec<_>>().join("."))
}

/// What is no name of a site is put as it was typed: who reads it says what is wrong.
fn surt_of(site: &str) -> String {
    let Some(site) = annalist_model::spec::host_name(site) else { return site.to_owned() };
    let parts: Vec<&str> = site.trim_matches('.').rsplit('.').collect();
    format!("http://({},", parts.join(","))
}

#[cfg(test)]
mod tests;
