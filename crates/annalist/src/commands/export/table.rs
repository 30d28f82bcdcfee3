//! Tables for spreadsheets: CSV as RFC 4180 has it, in UTF-8, and no cell that a spreadsheet would run.

use std::io::Write;

use annalist_warc::WarcFile;
use anyhow::Result;

use super::choice::by_score;
use super::reading::Seen;
use super::survey::Entry;

/// The columns of `urls.csv`.
const COLUMNS: [&str; 12] = [
    "url",
    "timestamp",
    "published",
    "status",
    "mime",
    "digest",
    "score",
    "title",
    "language",
    "file",
    "offset",
    "length",
];

/// One line, with its end.
pub fn row<T: AsRef<str>>(cells: &[T]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| cell(text.as_ref())).collect();
    format!("{}\r\n", cells.join(","))
}

fn cell(text: &str) -> String {
    // A spreadsheet takes these for the start of a formula; an apostrophe makes it text.
    let is_number = text.parse::<f64>().is_ok();
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number;
    // Nor is anything in it for the terminal.
    let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r')).collect();
    let guarded = if is_formula { format!("'{text}") } else { text };
    if guarded.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

/// The captures that are meant, one a row.
#[derive(Debug, Default)]
pub struct Urls(Vec<(std::cmp::Reverse<i64>, String)>);

impl Urls {
    pub fn add(&mut self, file: &WarcFile, entry: &Entry, seen: &Seen) {
        let page = seen.page.as_ref();
        let text = |text: Option<&String>| text.cloned().unwrap_or_default();
        let cells = [
            seen.url.clone(),
            if entry.at > 0 { entry.at.to_string() } else { String::new() },
            day(entry.published),
            seen.status.map(|status| status.to_string()).unwrap_or_default(),
            seen.mime.clone(),
            text(seen.digest.as_ref()),
            if entry.score >= 0.0 { format!("{:.4}", entry.score) } else { String::new() },
            text(page.and_then(|page| page.title.as_ref())),
            text(page.and_then(|page| page.language.as_ref())),
            file.name.clone(),
            entry.offset.to_string(),
            entry.length.to_string(),
        ];
        self.0.push((by_score(entry.score), row(&cells)));
    }

    /// Best first.
    pub fn write(mut self, out: &mut dyn Write) -> Result<()> {
        self.0.sort_by_key(|row| row.0);
        out.write_all(row(&COLUMNS).as_bytes())?;
        for (_, row) in &self.0 {
            out.write_all(row.as_bytes())?;
        }
        Ok(())
    }
}

/// `2011-03-05` out of fourteen digits.
pub fn day(at: u64) -> String {
    let date = at / 1_000_000;
    if date == 0 {
        String::new()
    } else {
        format!("{:04}-{:02}-{:02}", date / 10_000, date / 100 % 100, date % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::{day, row};

    #[test]
    fn a_cell_holds_any_text_and_runs_nothing() {
        assert_eq!(
            row(&["a", "b,c", "say \"hi\"", "two\nlines", ""]),
            "a,\"b,c\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n"
        );
        assert_eq!(row(&["=1+1", "+1+1", "-A1", "@x", "a=b"]), "'=1+1,'+1+1,'-A1,'@x,a=b\r\n");
        assert_eq!(row(&["-0.5", "a\u{1b}[31mb"]), "-0.5,a[31mb\r\n", "numbers stay numbers");
        assert_eq!(row(&["=HYPERLINK(\"x\",\"y\")"]), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\r\n");
        assert_eq!((day(20_110_305_120_000), day(0)), ("2011-03-05".to_owned(), String::new()));
    }
}
