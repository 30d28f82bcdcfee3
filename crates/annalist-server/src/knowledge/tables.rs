//! The tables that a study wrote (CSV, RFC 4180), read for one view at a time. A damaged one is shown as far as it can be.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes with which a table begins: some hundred rows and more.
const BEGINNING: u64 = 256 << 10;

/// One table. Columns are asked for by name: another version of the program may have others.
#[derive(Clone, Debug, Default)]
pub struct Table {
    text: String,
}

/// One row, which knows the names of its columns.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    columns: Arc<Vec<String>>,
    /// Mostly parts of the table: a large one is gone over for every view.
    cells: Vec<Cow<'a, str>>,
}

impl Table {
    /// Empty where there is none.
    pub fn read(path: &Path) -> Table {
        Table::of(std::fs::read(path).unwrap_or_default())
    }

    /// Its first rows: a table of who refers to whom has one for every pair. What is behind them may break off.
    pub fn beginning(path: &Path) -> Table {
        let mut bytes = Vec::new();
        if let Ok(file) = std::fs::File::open(path) {
            // As far as it can be read.
            let _ = file.take(BEGINNING).read_to_end(&mut bytes);
        }
        Table::of(bytes)
    }

    fn of(bytes: Vec<u8>) -> Table {
        let text = String::from_utf8(bytes);
        Table { text: text.unwrap_or_else(|fault| String::from_utf8_lossy(fault.as_bytes()).into_owned()) }
    }

    /// Whether it has not even a head.
    pub fn is_missing(&self) -> bool {
        self.text.is_empty()
    }

    /// How many rows there are below the head, and some of them with the head, as they were written.
    pub fn part(&self, offset: usize, limit: usize) -> (usize, String) {
        let mut lines = Lines { rest: &self.text };
        let mut part = String::new();
        let mut number = 0;
        loop {
            let before = lines.rest;
            if lines.next().is_none() {
                break;
            }
            let is_head = number == 0;
            if is_head || (number > offset && number - offset <= limit) {
                part.push_str(&before[..before.len() - lines.rest.len()]);
            }
            number += 1;
        }
        (number.saturating_sub(1), part)
    }

    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let mut lines = Lines { rest: &self.text };
        let head = lines.next().unwrap_or_default();
        let columns: Arc<Vec<String>> = Arc::new(head.into_iter().map(Cow::into_owned).collect());
        lines.map(move |cells| Row { columns: Arc::clone(&columns), cells })
    }
}

impl Row<'_> {
    /// Nothing where there is no such column.
    pub fn get(&self, column: &str) -> &str {
        let place = self.columns.iter().position(|name| name == column);
        place.and_then(|place| self.cells.get(place)).map_or("", |cell| cell)
    }

    pub fn number(&self, column: &str) -> u64 {
        self.get(column).parse().unwrap_or_default()
    }

    pub fn decimal(&self, column: &str) -> Option<f64> {
        self.get(column).parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// To be kept longer than the table.
    pub fn owned(self) -> Row<'static> {
        let cells = self.cells.into_iter().map(|cell| Cow::Owned(cell.into_owned()));
        Row { columns: self.columns, cells: cells.collect() }
    }
}

struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Vec<Cow<'a, str>>;

    fn next(&mut self) -> Option<Self::Item> {
        const USUAL: usize = 10;
        if self.rest.is_empty() {
            return None;
        }
        let mut cells = Vec::with_capacity(USUAL);
        loop {
            let (cell, goes_on) = self.cell();
            cells.push(cell);
            if !goes_on {
                return Some(cells);
            }
        }
    }
}

impl<'a> Lines<'a> {
    /// A cell, and whether another one is behind it in the same row.
    fn cell(&mut self) -> (Cow<'a, str>, bool) {
        let mut cell: Cow<'a, str> = Cow::Borrowed("");
        while let Some(quoted) = self.rest.strip_prefix('"') {
            let (inside, behind) = quoted.split_once('"').unwrap_or((quoted, ""));
            cell += inside;
            self.rest = behind;
            // Two quotes stand for one.
            if behind.starts_with('"') {
                cell += "\"";
            }
        }
        let is_end = |byte: u8| matches!(byte, b',' | b'\r' | b'\n');
        let length = self.rest.bytes().position(is_end).unwrap_or(self.rest.len());
        let (plain, behind) = self.rest.split_at(length);
        cell += plain;
        self.rest = behind.strip_prefix("\r\n").unwrap_or_else(|| behind.get(1..).unwrap_or_default());
        (cell, behind.starts_with(','))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::Table;

    fn cells(text: &str) -> Vec<Vec<String>> {
        let table = Table { text: text.to_owned() };
        table.rows().map(|row| row.cells.into_iter().map(Cow::into_owned).collect()).collect()
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

    #[test]
    fn of_a_long_table_the_first_rows_are_read_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ties.csv");
        let rows = (0..100_000).map(|number| format!("{number},ä\r\n"));
        std::fs::write(
            &path,
            std::iter::once("number,letter\r\n".to_owned()).chain(rows).collect::<String>(),
        )
        .unwrap();
        let (all, some) = (Table::read(&path), Table::beginning(&path));
        assert!(some.text.len() < all.text.len() / 2 && all.text.starts_with(&some.text[..200_000]));
        let firsts = |table: &Table| {
            table
                .rows()
                .take(1_000)
                .map(|row| (row.number("number"), row.get("letter").to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(firsts(&some), firsts(&all));
        assert!(Table::beginning(&dir.path().join("none.csv")).is_missing());
    }

    #[test]
    fn some_rows_of_a_table_come_with_its_head() {
        let table = Table { text: "name\r\nA\r\n\"B\nb\"\r\nC\r\n".to_owned() };
        assert_eq!(table.part(0, usize::MAX), (3, table.text.clone()));
        assert_eq!(table.part(1, 1), (3, "name\r\n\"B\nb\"\r\n".to_owned()));
        assert_eq!(table.part(3, 9), (3, "name\r\n".to_owned()));
        assert_eq!(table.part(usize::MAX, 1), (3, "name\r\n".to_owned()));
        assert_eq!(Table { text: String::new() }.part(0, 1), (0, String::new()));
    }
}
