//! A WACZ file, written from its beginning to its end.

use std::fs::File;
use std::io::{self, Write};

use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};

use super::{
    ARCHIVE, INDEX, INDEX_NAME, INDEX_OF_INDEX, PACKAGE, PACKAGE_DIGEST, PAGES, PAGES_FORMAT, VERSION,
};
use crate::date::rfc3339;
use crate::digest::{Digest, DigestKind};
use crate::sorter::Sorter;
use crate::zip::{Room, Stored, ZipWriter};

/// Lines of an index that are packed together, as pywb and ReplayWeb.page expect.
const BLOCK_LINES: usize = 3_000;

/// What a WACZ file says about itself.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub title: String,
    pub description: String,
    pub software: String,
    /// Where a reader begins: address and moment, the latter as RFC 3339 has it.
    pub main_page: Option<(String, String)>,
}

/// Adds entries one after the other. Where the file gets its name, and whether it is synced, is the caller's business.
#[derive(Debug)]
pub struct WaczWriter {
    zip: ZipWriter,
    at_ms: u64,
    name: String,
    resources: Vec<Value>,
}

impl WaczWriter {
    /// A WARC file that is longer is told to be so when it begins.
    pub const SMALL_BYTES: u64 = 4_000_000_000;

    pub fn new(file: File, at_ms: u64) -> io::Result<WaczWriter> {
        let zip = ZipWriter::new(file, at_ms)?;
        Ok(WaczWriter { zip, at_ms, name: String::new(), resources: Vec::new() })
    }

    /// Starts a WARC file; its bytes are written until `end`. If they are more than [`WaczWriter::SMALL_BYTES`], `length`
    /// has to say so.
    pub fn begin_warc(&mut self, name: &str, length: u64) -> io::Result<()> {
        let room = if length > WaczWriter::SMALL_BYTES { Room::Large } else { Room::Small };
        self.begin(&format!("{ARCHIVE}{name}"), room)
    }

    /// How much of the entry is written.
    pub fn length(&self) -> u64 {
        self.zip.length()
    }

    /// Where in the file the entry begins.
    pub(crate) fn start(&self) -> u64 {
        self.zip.start()
    }

    pub fn end(&mut self) -> io::Result<()> {
        let Stored { length, sha256 } = self.zip.end()?;
        let path = std::mem::take(&mut self.name);
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        self.resources.push(json!({"name": name, "path": path, "hash": hex(sha256), "bytes": length}));
        Ok(())
    }

    /// Adds index and pages, then the list of everything. `pages` are JSON objects with `url` and `ts`.
    pub fn finish(
        mut self,
        index: Sorter,
        pages: impl Iterator<Item = String>,
        about: &About,
    ) -> io::Result<File> {
        self.write_index(index)?;
        self.begin(PAGES, Room::Small)?;
        writeln!(self, "{}", json!({"format": PAGES_FORMAT, "id": "pages", "title": "Pages"}))?;
        for page in pages {
            writeln!(self, "{page}")?;
        }
        self.end()?;
        let package = serde_json::to_vec_pretty(&self.package(about))?;
        let digest = hex(DigestKind::Sha256.of(&package));
        self.add(PACKAGE, &package)?;
        self.add(PACKAGE_DIGEST, json!({"path": PACKAGE, "hash": digest}).to_string().as_bytes())?;
        self.zip.finish()
    }

    fn package(&self, about: &About) -> Value {
        let mut package = Map::new();
        let created = rfc3339(self.at_ms / 1000 * 1000).replace(".000Z", "Z");
        package.insert("profile".to_owned(), "data-package".into());
        package.insert("wacz_version".to_owned(), VERSION.into());
        package.insert("software".to_owned(), about.software.clone().into());
        package.insert("created".to_owned(), created.into());
        for (name, text) in [("title", &about.title), ("description", &about.description)] {
            if !text.is_empty() {
                package.insert(name.to_owned(), text.clone().into());
            }
        }
        if let Some((url, ts)) = &about.main_page {
            package.insert("mainPageURL".to_owned(), url.clone().into());
            package.insert("mainPageDate".to_owned(), ts.clone().into());
        }
        package.insert("resources".to_owned(), self.resources.clone().into());
        package.into()
    }

    /// The sorted lines in blocks, and a list of the blocks to find one's way.
    fn write_index(&mut self, index: Sorter) -> io::Result<()> {
        let mut blocks = format!("!meta 0 {}\n", json!({"format": "cdxj-gzip-1.0", "filename": INDEX_NAME}));
        self.begin(INDEX, Room::Small)?;
        let (mut lines, mut count) = (String::new(), 0);
        Sorter::merge(vec![index], &mut |line| {
            lines.push_str(line);
            count += 1;
            if count == BLOCK_LINES {
                count = 0;
                blocks.push_str(&self.write_block(&std::mem::take(&mut lines))?);
            }
            Ok(())
        })?;
        if count > 0 {
            blocks.push_str(&self.write_block(&lines)?);
        }
        self.end()?;
        self.begin(INDEX_OF_INDEX, Room::Small)?;
        self.write_all(blocks.as_bytes())?;
        self.end()
    }

    /// Returns the block's line in the list of blocks.
    fn write_block(&mut self, lines: &str) -> io::Result<String> {
        let key = lines.split(" {").next().unwrap_or_default();
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(lines.as_bytes())?;
        let packed = packed.finish()?;
        let place = json!({
            "offset": self.length(), "length": packed.len(), "filename": INDEX_NAME,
            "digest": hex(DigestKind::Sha256.of(&packed)),
        });
        self.write_all(&packed)?;
        Ok(format!("{key} {place}\n"))
    }

    fn begin(&mut self, name: &str, room: Room) -> io::Result<()> {
        name.clone_into(&mut self.name);
        self.zip.begin(name, room)
    }

    /// An entry that is in no list.
    fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.zip.begin(name, Room::Small)?;
        self.zip.write_all(bytes)?;
        self.zip.end().map(|_| ())
    }
}

/// Bytes of the entry that was begun.
impl Write for WaczWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.zip.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zip.flush()
    }
}

/// As WACZ files spell digests.
pub(super) fn hex(digest: Digest) -> String {
    format!("{}:{}", digest.kind().name(), HEXLOWER.encode(digest.as_bytes()))
}
