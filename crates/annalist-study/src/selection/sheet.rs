//! The review list as a table for spreadsheets, and back from whatever a spreadsheet makes of it: other columns in another
//! order, quotes, another separator, line ends and byte order marks of other systems.

use std::fmt::Write as _;

use serde::Deserialize;

use super::candidate::Candidate;
use super::decisions::Choice;
use super::proposal::Proposals;
use super::review::Row;

const COLUMNS: [&str; 10] =
    ["decision", "url", "title", "probability", "proposal", "why", "snippet", "alike", "record", "note"];

/// A decision as somebody wrote it down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Which row or line of the file, from 1.
    pub line: usize,
    pub url: String,
    pub decision: Choice,
    pub by: Option<String>,
    pub note: Option<String>,
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub decisions: Vec<Written>,
    /// Rows that nobody has decided about.
    pub open: usize,
    /// What cannot be understood, in words.
    pub faults: Vec<String>,
}

/// The table, with the decisions left open.
pub fn write_sheet(rows: &[Row], candidates: &[Candidate], proposals: &Proposals) -> String {
    let mut text = COLUMNS.join("\t");
    text.push_str("\r\n");
    for row in rows {
        let (Some(page), Some(proposal)) = (candidates.get(row.place), proposals.list.get(row.place)) else {
            continue;
        };
        let probability = format!("{:.2}", proposal.probability);
        let alike = row.alike.to_string();
        let cells = [
            "",
            &page.url,
            page.title.as_deref().unwrap_or_default(),
            &probability,
            proposal.verdict.word(),
            &proposal.why,
            &page.snippet,
            &alike,
            &page.record,
            "",
        ];
        let _ = write!(text, "{}\r\n", cells.map(cell).join("\t"));
    }
    text
}

fn cell(text: &str) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    // A spreadsheet takes these for the start of a formula; an apostrophe makes it text.
    let guard = if line.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    if line.contains('"') {
        format!("\"{guard}{}\"", line.replace('"', "\"\""))
    } else {
        format!("{guard}{line}")
    }
}

/// Reads a table that has at least the columns `decision` and `url`.
pub fn read_sheet(bytes: &[u8]) -> Result<Read, String> {
    let text = decoded(bytes);
    let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let separator = ['\t', ';', ','].into_iter().find(|separator| {
        let names = head.split(*separator).map(name);
        names.clone().any(|name| name == "decision") && names.clone().any(|name| name == "url")
    });
    let Some(separator) = separator else {
        return Err("the first line names the columns; there have to be decision and url".to_owned());
    };
    let mut rows = rows(&text, separator).into_iter().skip_while(|(_, cells)| is_blank(cells));
    let columns: Vec<String> =
        rows.next().map(|(_, cells)| cells.iter().map(|cell| name(cell)).collect()).unwrap_or_default();
    let mut read = Read::default();
    for (line, cells) in rows.filter(|(_, cells)| !is_blank(cells)) {
        let of = |wanted: &str| {
            let place = columns.iter().position(|name| name == wanted)?;
            cells.get(place).map(|cell| cell.trim()).filter(|cell| !cell.is_empty())
        };
        let Some(decision) = of("decision") else {
            read.open += 1;
            continue;
        };
        let owned = |text: Option<&str>| text.map(str::to_owned);
        match (Choice::parse(decision.trim_start_matches('\'')), of("url")) {
            (Some(decision), Some(url)) => {
                let url = url.to_owned();
                read.decisions.push(Written {
                    line,
                    url,
                    decision,
                    by: owned(of("by")),
                    note: owned(of("note")),
                });
            }
            (None, _) => read.faults.push(format!("line {line}: {decision:?} is neither keep nor drop")),
            (_, None) => read.faults.push(format!("line {line}: there is a decision and no url")),
        }
    }
    Ok(read)
}

/// Reads lines of JSON: `{"url": …, "decision": "keep"}`, and `by` and `note` where they are given.
pub fn read_jsonl(bytes: &[u8]) -> Read {
    #[derive(Deserialize)]
    struct Line {
        url: String,
        decision: Option<String>,
        by: Option<String>,
        note: Option<String>,
    }
    let mut read = Read::default();
    for (number, line) in decoded(bytes).lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = number + 1;
        match serde_json::from_str::<Line>(line) {
            Ok(Line { decision: None, .. }) => read.open += 1,
            Ok(Line { url, decision: Some(decision), by, note }) => match Choice::parse(&decision) {
                Some(decision) => read.decisions.push(Written { line: at, url, decision, by, note }),
                None => read.faults.push(format!("line {at}: {decision:?} is neither keep nor drop")),
            },
            Err(fault) => read.faults.push(format!("line {at}: {fault}")),
        }
    }
    read
}

/// Spreadsheets write UTF-8 with or without a mark, and some UTF-16.
fn decoded(bytes: &[u8]) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks().0.iter().copied().map(unit).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn name(cell: &str) -> String {
    cell.trim().trim_matches('"').trim().to_lowercase()
}

fn is_blank(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.trim().is_empty())
}

/// Rows with the lines they begin on. A cell in quotes may hold separators, line ends and doubled quotes.
fn rows(text: &str, separator: char) -> Vec<(usize, Vec<String>)> {
    let (mut rows, mut cells, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut begun, mut is_quoted) = (1, 1, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        line += usize::from(letter == '\n');
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.is_empty() => is_quoted = true,
            _ if is_quoted => cell.push(letter),
            '\r' if letters.peek() == Some(&'\n') => {}
            '\n' | '\r' => {
                cells.push(std::mem::take(&mut cell));
                rows.push((begun, std::mem::take(&mut cells)));
                begun = line;
            }
            _ if letter == separator => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    cells.push(cell);
    rows.push((begun, cells));
    rows
}

#[cfg(test)]
mod tests {
    use super::{Read, read_jsonl, read_sheet, write_sheet};
    use crate::selection::{Candidate, Choice, Decisions, Row, Rules, propose};

    fn decided(read: &Read) -> Vec<(usize, &str, Choice, Option<&str>)> {
        let decisions = read.decisions.iter();
        decisions.map(|one| (one.line, one.url.as_str(), one.decision, one.note.as_deref())).collect()
    }

    #[test]
    fn what_a_person_writes_into_the_table_is_read_again() {
        let titles = ["=1+1", "He said \"no\"\tand\nwent", "\"quoted\"", "plain, with; all"];
        let pages: Vec<Candidate> = titles
            .iter()
            .enumerate()
            .map(|(number, title)| Candidate {
                url: format!("http://a.test/?a=1,2;3&n={number}"),
                title: Some((*title).to_owned()),
                ..Candidate::default()
            })
            .collect();
        let proposals = propose(&pages, &Rules::default(), &Decisions::default(), None);
        let rows: Vec<Row> = (0..4).map(|place| Row { place, alike: 0 }).collect();
        let sheet = write_sheet(&rows, &pages, &proposals);
        assert_eq!(sheet.lines().count(), 5);
        assert!(sheet.contains("\t'=1+1\t"));
        assert_eq!(read_sheet(sheet.as_bytes()).unwrap().open, 4);
        // Three rows are filled in, one with a note.
        let mut lines: Vec<String> = sheet.lines().map(str::to_owned).collect();
        for (number, word) in [(1, "keep"), (2, " Drop "), (4, "K")] {
            lines[number].insert_str(0, word);
        }
        lines[2].push_str("\"too\t\"\"short\"\"\nreally\"");
        let edited = lines.join("\n");
        let read = read_sheet(edited.as_bytes()).unwrap();
        let expected = [
            (2, "http://a.test/?a=1,2;3&n=0", Choice::Keep, None),
            (3, "http://a.test/?a=1,2;3&n=1", Choice::Drop, Some("too\t\"short\"\nreally")),
            (6, "http://a.test/?a=1,2;3&n=3", Choice::Keep, None),
        ];
        assert_eq!((decided(&read), read.open), (expected.to_vec(), 1));
        // The same as other programs save it.
        let windows = format!("\u{feff}{}", edited.replace('\n', "\r\n"));
        let mac = edited.replace('\n', "\r");
        let wide: Vec<u8> = windows.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [windows.as_bytes(), mac.as_bytes(), &wide] {
            let read = read_sheet(bytes).unwrap();
            let urls: Vec<&str> = read.decisions.iter().map(|one| one.url.as_str()).collect();
            assert_eq!(urls, expected.map(|(_, url, _, _)| url));
        }
    }

    #[test]
    fn columns_may_stand_anywhere_and_between_other_signs() {
        let text = "\"URL\";why;\"Decision\"\n\"http://a.test/;x\";\"a\";no\nhttp://b.test/;;\n;;\n";
        let read = read_sheet(text.as_bytes()).unwrap();
        assert_eq!((decided(&read), read.open), (vec![(2, "http://a.test/;x", Choice::Drop, None)], 1));
        assert!(read_sheet(b"url\twhy\nhttp://a.test/\tx").is_err() && read_sheet(b"").is_err());
    }

    #[test]
    fn what_cannot_be_understood_is_told_with_its_line() {
        let read = read_sheet(b"decision\turl\nmaybe\thttp://a.test/\nkeep\t\nkeep\thttp://b.test/").unwrap();
        assert_eq!(read.decisions.len(), 1);
        assert_eq!(
            read.faults,
            ["line 2: \"maybe\" is neither keep nor drop", "line 3: there is a decision and no url"]
        );
        let read = read_jsonl(
            b"{\"url\":\"http://a.test/\",\"decision\":\"drop\",\"by\":\"ann\"}\r\n\n{\"url\":\"http://b.test/\",\"decision\":null}\n{\"url\"",
        );
        assert_eq!((read.decisions.len(), read.open, read.faults.len()), (1, 1, 1));
        assert_eq!(read.decisions[0].by.as_deref(), Some("ann"));
    }
}
