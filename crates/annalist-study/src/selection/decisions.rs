//! What people decided: a file that only grows, a line for each decision. The last one about a page counts, the others remain.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    Keep,
    Drop,
}

impl Choice {
    /// As people write it into a table.
    pub fn parse(text: &str) -> Option<Choice> {
        match text.trim().to_lowercase().as_str() {
            "keep" | "k" | "yes" | "y" | "1" | "+" => Some(Choice::Keep),
            "drop" | "d" | "no" | "n" | "0" | "-" => Some(Choice::Drop),
            _ => None,
        }
    }
}

/// Somebody's decision about a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub url: String,
    /// The capture it was taken on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    pub decision: Choice,
    /// RFC 3339
    pub when: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// All that was decided, the last about each page.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    pub by_url: BTreeMap<String, Decision>,
    /// Lines that cannot be read, from 1: one that was being written when the machine went down.
    pub unreadable: Vec<usize>,
}

impl Decisions {
    pub fn load(path: &Path) -> io::Result<Decisions> {
        let mut decisions = Decisions::default();
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(decisions),
            Err(e) => return Err(e),
        };
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            match serde_json::from_slice::<Decision>(line) {
                Ok(decision) => {
                    decisions.by_url.insert(decision.url.clone(), decision);
                }
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(_) => decisions.unreadable.push(number + 1),
            }
        }
        Ok(decisions)
    }

    pub fn of(&self, url: &str) -> Option<Choice> {
        self.by_url.get(url).map(|decision| decision.decision)
    }

    /// Those that change something, durably behind the others. Says how many.
    pub fn add(&mut self, path: &Path, new: Vec<Decision>) -> io::Result<usize> {
        // The last one about a page counts, also among the new ones.
        let mut last: BTreeMap<String, Decision> = BTreeMap::new();
        let mut changing = Vec::new();
        for decision in new {
            let before = last.get(&decision.url).or_else(|| self.by_url.get(&decision.url));
            let changes = before.is_none_or(|old| {
                old.decision != decision.decision || decision.note.is_some() && old.note != decision.note
            });
            if changes {
                last.insert(decision.url.clone(), decision.clone());
                changing.push(decision);
            }
        }
        if !changing.is_empty() {
            append(path, &changing)?;
        }
        self.by_url.extend(last);
        Ok(changing.len())
    }
}

/// In one write, so that lines of others stand before or behind and never between.
fn append(path: &Path, decisions: &[Decision]) -> io::Result<()> {
    let is_new = !path.exists();
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    file.lock()?;
    let mut text = String::new();
    if file.metadata()?.len() > 0 {
        // What was torn stays on a line of its own.
        let mut last = [0];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            text.push('\n');
        }
    }
    for decision in decisions {
        text.push_str(&serde_json::to_string(decision)?);
        text.push('\n');
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    if is_new && let Some(folder) = path.parent() {
        // The name of a bare file is in the folder `.`.
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Choice, Decision, Decisions};

    fn decision(url: &str, decision: Choice) -> Decision {
        let when = "2026-01-02T03:04:05.000Z".to_owned();
        Decision { url: url.to_owned(), record: None, decision, when, by: None, note: None }
    }

    #[test]
    fn the_last_decision_counts_and_all_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("selection.jsonl");
        let mut decisions = Decisions::load(&path).unwrap();
        let first = vec![decision("http://a.test/", Choice::Keep), decision("http://b.test/", Choice::Drop)];
        assert_eq!(decisions.add(&path, first.clone()).unwrap(), 2);
        assert_eq!(decisions.add(&path, first).unwrap(), 0, "nothing new");
        assert_eq!(decisions.add(&path, vec![decision("http://a.test/", Choice::Drop)]).unwrap(), 1);
        let back = vec![decision("http://a.test/", Choice::Keep), decision("http://a.test/", Choice::Drop)];
        assert_eq!(decisions.add(&path, back).unwrap(), 2, "the last of those that come together counts");
        let read = Decisions::load(&path).unwrap();
        assert_eq!((read.of("http://a.test/"), read.of("http://c.test/")), (Some(Choice::Drop), None));
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 5);
    }

    #[test]
    fn a_torn_line_costs_no_other_decision() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("selection.jsonl");
        let mut decisions = Decisions::default();
        decisions.add(&path, vec![decision("http://a.test/", Choice::Keep)]).unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"url\":\"http://b.test/\",\"deci").unwrap();
        let mut decisions = Decisions::load(&path).unwrap();
        assert_eq!(decisions.unreadable, [2]);
        decisions.add(&path, vec![decision("http://c.test/", Choice::Drop)]).unwrap();
        let read = Decisions::load(&path).unwrap();
        assert_eq!(
            (read.of("http://a.test/"), read.of("http://c.test/")),
            (Some(Choice::Keep), Some(Choice::Drop))
        );
        assert_eq!(read.unreadable, [2]);
        // Nothing but the end of the line is missing.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.trim_end()).unwrap();
        assert_eq!(Decisions::load(&path).unwrap().of("http://c.test/"), Some(Choice::Drop));
    }
}
