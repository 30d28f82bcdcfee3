//! Which page belongs to which topic, as people said: a file of lines, an address, a tab, a topic's path
//! (`Science/Biology/Birds`). A page may have several. A table of captures whose first line names the columns `url` and
//! `event` will do, too: what belongs to no event is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

use annalist_model::CanonicalUrl;
use annalist_sources::ArchiveSource;

/// More mistakes than these say nothing new.
const MOST_TOLD: usize = 5;

#[derive(Debug, Default)]
pub struct Labels {
    rows: Vec<(CanonicalUrl, String)>,
}

#[derive(Debug, thiserror::Error)]
pub enum MalformedLabels {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{}", .0.join("\n"))]
    Lines(Vec<String>),
    #[error("it has no lines: each should be an address, a tab and a topic's path")]
    Empty,
}

/// The pages of a topic that the archive has, each with the sub-topics it is in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labelled {
    pub(crate) pages: BTreeMap<CanonicalUrl, Vec<usize>>,
    /// Paths at or under the topic's, of pages that the archive has.
    pub(crate) subtopics: usize,
}

impl Labels {
    pub fn read(input: impl BufRead) -> Result<Labels, MalformedLabels> {
        let (mut rows, mut mistakes) = (Vec::new(), Vec::new());
        let mut columns = None;
        for (place, line) in input.lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            if place == 0 {
                columns = Columns::of(&line);
                if columns.is_some() {
                    continue;
                }
            }
            let line = match &columns {
                Some(columns) => match columns.event(&line) {
                    Some(line) => line,
                    None => continue,
                },
                None => line,
            };
            match row(&line) {
                Ok(row) => rows.push(row),
                Err(what) => mistakes.push(format!("line {}: {what}", place + 1)),
            }
        }
        if mistakes.len() > MOST_TOLD {
            let more = mistakes.len() - MOST_TOLD;
            mistakes.truncate(MOST_TOLD);
            mistakes.push(format!("and {more} more lines"));
        }
        match (mistakes.is_empty(), rows.is_empty()) {
            (false, _) => Err(MalformedLabels::Lines(mistakes)),
            (true, true) => Err(MalformedLabels::Empty),
            (true, false) => Ok(Labels { rows }),
        }
    }

    /// Labelled addresses, and how many of them the archive does not have.
    pub fn absent(&self, source: &ArchiveSource) -> (usize, usize) {
        let urls: BTreeSet<&CanonicalUrl> = self.rows.iter().map(|(url, _)| url).collect();
        (urls.len(), urls.iter().filter(|url| !source.has(url)).count())
    }

    /// The first parts of all paths.
    pub fn tops(&self) -> Vec<&str> {
        let tops: BTreeSet<&str> = self.rows.iter().filter_map(|(_, path)| path.split('/').next()).collect();
        tops.into_iter().collect()
    }

    /// Those of a path and everything under it.
    pub(crate) fn of(&self, topic: &str, source: &ArchiveSource) -> Labelled {
        let topic = topic.trim_matches('/');
        let is_under = |path: &str| {
            path.strip_prefix(topic).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let mut labelled = Labelled::default();
        let mut subtopics: BTreeMap<&str, usize> = BTreeMap::new();
        for (url, path) in self.rows.iter().filter(|(url, path)| is_under(path) && source.has(url)) {
            let next = subtopics.len();
            let subtopic = *subtopics.entry(path).or_insert(next);
            labelled.pages.entry(url.clone()).or_default().push(subtopic);
        }
        labelled.subtopics = subtopics.len();
        labelled
    }
}

/// Where a table has addresses and events.
struct Columns {
    url: usize,
    event: usize,
}

impl Columns {
    fn of(heading: &str) -> Option<Columns> {
        let place = |name: &str| heading.split('\t').position(|column| column.trim() == name);
        Some(Columns { url: place("url")?, event: place("event")? })
    }

    /// The line as it would be without other columns; nothing for what belongs to no event.
    fn event(&self, line: &str) -> Option<String> {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let (url, event) = (fields.get(self.url)?, fields.get(self.event)?);
        (!matches!(*event, "" | "-" | "none")).then(|| format!("{url}\t{event}"))
    }
}

fn row(line: &str) -> Result<(CanonicalUrl, String), String> {
    let (url, path) = line.split_once('\t').ok_or("no tab between an address and a topic's path")?;
    let path = path.trim().trim_matches('/');
    if path.is_empty() || path.contains('\t') {
        return Err("not two columns, an address and a topic's path".to_owned());
    }
    let url =
        CanonicalUrl::parse(url.trim()).map_err(|fault| format!("{} is no address: {fault}", url.trim()))?;
    Ok((url, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Labels;

    #[test]
    fn what_is_wrong_with_labels_is_told_line_by_line() {
        let told = |text: &str| Labels::read(text.as_bytes()).unwrap_err().to_string();
        let text = "http://a.test/\tA/B\n\nhttp://a.test/ A\nnowhere\tA\nhttp://a.test/\t /\n";
        let lines = told(text);
        let starts = ["line 3: no tab", "line 4: nowhere is no address", "line 5: not two columns"];
        assert!(lines.lines().zip(starts).all(|(line, start)| line.starts_with(start)), "{lines}");
        assert!(told(&"x\n".repeat(9)).ends_with("and 4 more lines"));
        assert!(told("\n").contains("no lines"));
    }

    #[test]
    fn a_table_of_captures_labels_what_belongs_to_an_event() {
        let text = "url\tcapture\tevent\nhttp://a.test/\t2008\tfair-2008\nhttp://a.test/2\t2008\tnone\nhttp://a.test/3\t2009\t-\n";
        let labels = Labels::read(text.as_bytes()).unwrap();
        assert_eq!(labels.rows.len(), 1);
        assert_eq!(labels.tops(), ["fair-2008"]);
    }

    #[test]
    fn tops_are_the_first_parts_of_paths() {
        let labels =
            Labels::read("http://a.test/\tB/C\nhttp://a.test/2\tA\nhttp://a.test/3\tB\n".as_bytes()).unwrap();
        assert_eq!(labels.tops(), ["A", "B"]);
    }
}
