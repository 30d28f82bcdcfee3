//! `[[seed]]` tables: the form knows their addresses and the scope that all of them share.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};

fn tables(document: &DocumentMut) -> Vec<&dyn TableLike> {
    match document.get("seed") {
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Some(Item::Value(Value::Array(array))) => {
            array.iter().filter_map(Value::as_inline_table).map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

fn text<'t>(table: &'t dyn TableLike, key: &str) -> Option<&'t str> {
    table.get(key).and_then(Item::as_str).map(str::trim)
}

pub(super) fn addresses(document: &DocumentMut) -> Vec<String> {
    tables(document).into_iter().filter_map(|table| text(table, "url")).map(str::to_owned).collect()
}

/// None where they differ, or none is said.
pub(super) fn scope(document: &DocumentMut) -> Option<String> {
    let mut scopes = tables(document).into_iter().map(|table| text(table, "scope"));
    let first = scopes.next()??;
    scopes.all(|scope| scope == Some(first)).then(|| first.to_owned())
}

/// The tables themselves; where they are written in one line, as tables from now on.
fn tables_mut(document: &mut DocumentMut) -> Option<&mut ArrayOfTables> {
    let item = document.entry("seed").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if item.is_array() {
        let taken = std::mem::take(item);
        *item = taken.into_array_of_tables().map_or_else(|other| other, Item::ArrayOfTables);
    }
    item.as_array_of_tables_mut()
}

/// Those that are named still keep all their settings; new ones get the scope that all have.
pub(super) fn put_addresses(document: &mut DocumentMut, wanted: &[&str]) {
    let common = scope(document);
    let Some(tables) = tables_mut(document) else { return };
    tables.retain(|table| text(table, "url").is_none_or(|url| wanted.contains(&url)));
    for url in wanted {
        if tables.iter().any(|table| text(table, "url") == Some(url)) {
            continue;
        }
        let mut table = Table::new();
        table.insert("url", (*url).into());
        if let Some(scope) = &common {
            table.insert("scope", scope.as_str().into());
        }
        tables.push(table);
    }
    if tables.is_empty() {
        document.remove("seed");
    }
}

/// An empty one leaves each as it is.
pub(super) fn put_scope(document: &mut DocumentMut, scope: &str) {
    if scope.is_empty() || addresses(document).is_empty() {
        return;
    }
    let Some(tables) = tables_mut(document) else { return };
    for table in tables.iter_mut() {
        match table.get_mut("scope").and_then(Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = Value::from(scope);
                *old.decor_mut() = decor;
            }
            None => {
                table.insert("scope", scope.into());
            }
        }
    }
}
