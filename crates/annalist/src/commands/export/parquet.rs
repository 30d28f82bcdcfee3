//! The captures that were selected, what was written on them and whom they link to, as tables with types.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use annalist_knowledge::{millis_of, moment};
use annalist_model::Object;
use annalist_warc::WarcFile;
use anyhow::{Context, Result};
use serde_json::Value;

use super::fresh::Fresh;
use super::reading::{Seen, each_record};
use super::survey::{Chosen, Entry, Kind as RecordKind, Surveyed};

mod table;

use table::{Cell, Kind, Table};

/// The records that hold what was written on a page.
const OBJECTS: &str = "urn:objects:";

const URLS: [(&str, Kind); 12] = [
    ("url", Kind::Text),
    ("timestamp", Kind::Moment),
    ("published", Kind::Day),
    ("status", Kind::Number),
    ("mime", Kind::Text),
    ("digest", Kind::Text),
    ("score", Kind::Real),
    ("title", Kind::Text),
    ("language", Kind::Text),
    ("file", Kind::Text),
    ("offset", Kind::Number),
    ("length", Kind::Number),
];
const LINKS: [(&str, Kind); 5] = [
    ("source", Kind::Text),
    ("timestamp", Kind::Moment),
    ("target", Kind::Text),
    ("anchor", Kind::Text),
    ("kind", Kind::Text),
];
const WRITINGS: [(&str, Kind); 15] = [
    ("id", Kind::Text),
    ("type", Kind::Text),
    ("page", Kind::Text),
    ("timestamp", Kind::Moment),
    ("url", Kind::Text),
    ("author", Kind::Text),
    ("author_url", Kind::Text),
    ("published", Kind::Moment),
    ("title", Kind::Text),
    ("body", Kind::Text),
    ("parent", Kind::Text),
    ("thread", Kind::Text),
    ("thread_title", Kind::Text),
    ("forum", Kind::Text),
    ("application", Kind::Text),
];

/// The names of the tables in their folder.
pub fn paths(dir: &Path) -> [PathBuf; 3] {
    ["urls.parquet", "links.parquet", "objects.parquet"].map(|name| dir.join(name))
}

/// All three, in the order of the archive.
pub struct Tables {
    urls: Table,
    links: Table,
    writings: Table,
}

impl Tables {
    pub fn new([urls, links, writings]: &[Fresh; 3]) -> Result<Tables> {
        Ok(Tables {
            urls: Table::new(urls.create_file()?, "urls", &URLS)?,
            links: Table::new(links.create_file()?, "links", &LINKS)?,
            writings: Table::new(writings.create_file()?, "objects", &WRITINGS)?,
        })
    }

    pub fn add(&mut self, file: &WarcFile, entry: &Entry, seen: &Seen) -> Result<()> {
        let page = seen.page.as_ref();
        let timestamp = moment(&seen.date).map(|at| Cell::Moment(signed(at.millis())));
        self.urls.row(&[
            Some(Cell::Text(&seen.url)),
            timestamp,
            day(entry.published).map(Cell::Day),
            seen.status.map(|status| Cell::Number(i64::from(status))),
            Some(Cell::Text(&seen.mime)),
            seen.digest.as_deref().map(Cell::Text),
            (entry.score >= 0.0).then(|| Cell::Real(f64::from(entry.score))),
            page.and_then(|page| page.title.as_deref()).map(Cell::Text),
            page.and_then(|page| page.language.as_deref()).map(Cell::Text),
            Some(Cell::Text(&file.name)),
            Some(Cell::Number(signed(entry.offset))),
            Some(Cell::Number(signed(entry.length))),
        ])?;
        let mut told = HashSet::new();
        for (url, kind, anchor) in seen.links() {
            // A page that says the same link twice links once.
            if told.insert((url, kind, anchor)) {
                let (source, target) = (Some(Cell::Text(&seen.url)), Some(Cell::Text(url)));
                self.links.row(&[
                    source,
                    timestamp,
                    target,
                    Some(Cell::Text(anchor)),
                    Some(Cell::Text(kind)),
                ])?;
            }
        }
        Ok(())
    }

    /// What was written on the pages of a file that were selected.
    pub fn add_writings(&mut self, surveyed: &Surveyed, entries: &[Entry]) -> Result<()> {
        let is_attached = |entry: &Entry| entry.kind == RecordKind::Attached && entry.chosen != Chosen::No;
        each_record(surveyed, entries, is_attached, &mut |_, mut record| {
            let target = record.fields.get("WARC-Target-URI").unwrap_or_default().to_owned();
            let date = record.fields.get("WARC-Date").and_then(moment);
            let mut told = Vec::new();
            if let Some(page) = target.strip_prefix(OBJECTS) {
                record.read_to_end(&mut told).with_context(|| surveyed.file.shown())?;
                let told: Value = serde_json::from_slice(&told).unwrap_or_default();
                let objects = told.get("objects").cloned().unwrap_or_default();
                let objects: Vec<Object> = serde_json::from_value(objects).unwrap_or_default();
                let captured = date.map(|at| Cell::Moment(signed(at.millis())));
                let application = told.get("application").and_then(Value::as_str);
                for object in &objects {
                    self.writing(page, captured, application, object)?;
                }
            }
            record.finish()?;
            Ok(())
        })
    }

    fn writing(
        &mut self,
        page: &str,
        captured: Option<Cell<'_>>,
        application: Option<&str>,
        object: &Object,
    ) -> Result<()> {
        let published = object.date.as_deref().and_then(millis_of).map(Cell::Moment);
        self.writings.row(&[
            Some(Cell::Text(&object.id)),
            Some(Cell::Text(&object.kind)),
            Some(Cell::Text(page)),
            captured,
            text(&object.url),
            text(&object.author),
            text(&object.author_url),
            published,
            text(&object.title),
            Some(Cell::Text(&object.body)),
            text(&object.parent),
            text(&object.thread),
            text(&object.thread_title),
            text(&object.forum),
            application.map(Cell::Text),
        ])
    }

    pub fn finish(self) -> Result<()> {
        [self.urls, self.links, self.writings].into_iter().try_for_each(Table::finish)
    }
}

fn text(text: &Option<String>) -> Option<Cell<'_>> {
    text.as_deref().map(Cell::Text)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Days since 1970, or before it, out of fourteen digits.
fn day(at: u64) -> Option<i32> {
    const DAY: i64 = 86_400_000;
    let date = Some(super::table::day(at)).filter(|date| !date.is_empty())?;
    i32::try_from(millis_of(&date)?.div_euclid(DAY)).ok()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use annalist_model::Object;
    use parquet::file::reader::FileReader;
    use parquet::file::serialized_reader::SerializedFileReader;
    use parquet::record::RowAccessor;

    use super::{Tables, day, paths};
    use crate::commands::export::fresh::{Fresh, Old};

    #[test]
    fn what_was_published_before_1970_has_its_day() {
        assert_eq!(day(19_550_503_000_000), Some(-5357));
        assert_eq!((day(19_691_231_235_959), day(19_700_101_000_000), day(0)), (Some(-1), Some(0), None));
        let dir = tempfile::tempdir().unwrap();
        let fresh = paths(dir.path()).map(|path| Fresh::new(&path, Old::Refuse, &[]).unwrap());
        let mut tables = Tables::new(&fresh).unwrap();
        let object = Object { date: Some("1955-05-03".to_owned()), ..Object::default() };
        tables.writing("http://a.test/", None, None, &object).unwrap();
        tables.finish().unwrap();
        let file = File::open(fresh[2].open_path()).unwrap();
        let row =
            SerializedFileReader::new(file).unwrap().get_row_iter(None).unwrap().next().unwrap().unwrap();
        assert_eq!(row.get_timestamp_millis(7).unwrap(), -5357 * 86_400_000);
    }
}
