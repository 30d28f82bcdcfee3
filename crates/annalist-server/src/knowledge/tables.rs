//! The tables that a study wrote (CSV, RFC 4180), read for one view at a time. A damaged one is shown as far as it can be.

use std::path::Path;

/// One table. Columns are asked for by name: another version of the program may have others.
#[derive(Clone, Debug, Default)]
pub struct Table {
    text: String,
}

/// One row, which knows the names of its columns.
#[derive(Clone, Debug)]
pub struct Row {
    columns: std::sync::Arc<Vec<String>>,
    cells: Vec<String>,
}

impl Table {
    /// Empty where there is none.
    pub fn read(path: &Path) -> Table {
        let bytes = std::fs::read(path).unwrap_or_default();
        Table { text: String::from_utf8_lossy(&bytes).into_owned() }
    }

    /// Whether it has not even a head.
    pub fn is_missing(&self) -> bool {
        self.text.is_empty()
    }

    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        let mut lines = Lines { rest: &self.text };
        let columns = std::sync::Arc::new(lines.next().unwrap_or_default());
        lines.map(move |cells| Row { columns: std::sync::Arc::clone(&columns), cells })
    }
}

impl Row {
    /// Nothing where there is no such column.
    pub fn get(&self, column: &str) -> &str {
        let place = self.columns.iter().position(|name| name == column);
        place.and_then(|place| self.cells.get(place)).map_or("", String::as_str)
    }

    pub fn number(&self, column: &str) -> u64 {
        self.get(column).parse().unwrap_or_default()
    }

    pub fn decimal(&self, column: &str) -> Option<f64> {
        self.get(column).parse().ok().filter(|number: &f64| number.is_finite())
    }
}

struct Lines<'a> {
    rest: &'a str,
}

impl Iterator for Lines<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        if self.rest.is_empty() {
            return None;
        }
        let mut cells = Vec::new();
        loop {
            let (cell, end) = self.cell();
            cells.push(cell);
            if end != Some(',') {
                return Some(cells);
            }
        }
    }
}

impl Lines<'_> {
    /// A cell, and the sign behind it.
    fn cell(&mut self) -> (String, Option<char>) {
        let mut cell = String::new();
        while let Some(quoted) = self.rest.strip_prefix('"') {
            let (inside, behind) = quoted.split_once('"').unwrap_or((quoted, ""));
            cell.push_str(inside);
            self.rest = behind;
            // Two quotes stand for one.
            if behind.starts_with('"') {
                cell.push('"');
            }
        }
        let length = self.rest.find([',', '\r', '\n']).unwrap_or(self.rest.len());
        let (plain, behind) = self.rest.split_at(length);
        cell.push_str(plain);
        let end = behind.chars().next();
        self.rest = behind.strip_prefix("\r\n").unwrap_or_else(|| behind.get(1..).unwrap_or_default());
        (cell, end)
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    fn cells(text: &str) -> Vec<Vec<String>> {
        let table = Table { text: text.to_owned() };
        table.rows().map(|row| row.cells).collect()
    }

    #[test]
    fn a_table_is_read_as_it_was_written_and_a_broken_one_as_far_as_it_goes() {
        let text = "name,note\r\nA,\"x, \"\"y\"\"\nz\"\r\nB,\r\n";
        assert_eq!(cells(text), [["A", "x, \"y\"\nz"], ["B", ""]]);
        let table = Table { text: text.to_owned() };
        let row = table.rows().next().unwrap();
        assert_eq!((row.get("note"), row.get("none"), row.number("name")), ("x, \"y\"\nz", "", 0));
        assert_eq!(cells("a,b\n\"never ends,1\n2"), [["never ends,1\n2"]]);
        assert!(cells("").is_empty() && cells("a,b\r\n").is_empty());
    }
}
