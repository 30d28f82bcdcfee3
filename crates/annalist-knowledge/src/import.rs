//! Statements of others beside those that were made of the archive. The files they came in are kept, so that the layer
//! can be made again.
//!
//! `imports/list.jsonl` has a line for each of them, in the order they came; the layer's mark is how many of these
//! lines are in it.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::{Disk, RealDisk};
use flate2::read::MultiGzDecoder;
use oxrdf::GraphName;
use oxrdfio::RdfFormat;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::graph::{
    Bad, GraphError, Layer, LayerSettings, LoadError, Loaded, Reading, format_named, graph_named, load,
};

const LIST: &str = "list.jsonl";

/// What is imported, as it is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    file: String,
    /// `nt`, `ttl` …
    format: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    /// Of the bytes of the file: the same file again is no other.
    sum: String,
}

/// What is asked to be imported.
#[derive(Clone, Debug)]
pub struct Import<'a> {
    /// The name under which it is kept.
    pub name: &'a str,
    pub format: RdfFormat,
    pub graph: Option<&'a str>,
    pub base: Option<&'a str>,
    pub strict: Strict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    /// What can be read is imported.
    No,
    /// One mistake, and nothing is.
    Yes,
}

/// The imports of a collection, opened by the only one who writes them.
pub struct Imports {
    dir: PathBuf,
    layer: Layer,
    entries: Vec<Entry>,
    _lock: File,
}

impl Imports {
    /// Opens the imports of a job directory, and takes up what an interrupted one left undone.
    pub fn open(job: &Path) -> Result<Imports, LoadError> {
        let dir = job.join("imports");
        std::fs::create_dir_all(&dir)?;
        let lock = File::create(dir.join("lock"))?;
        if lock.try_lock().is_err() {
            let told = format!("another import into {} is under way", job.display());
            return Err(io::Error::new(io::ErrorKind::WouldBlock, told).into());
        }
        let entries = match std::fs::read_to_string(dir.join(LIST)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read?
                .lines()
                .map(|line| serde_json::from_str(line).map_err(io::Error::from))
                .collect::<io::Result<Vec<Entry>>>()?,
        };
        let layer = Layer::open(Arc::new(RealDisk), &job.join("knowledge/import"), LayerSettings::default())?;
        let mut imports = Imports { dir, layer, entries, _lock: lock };
        imports.take_up(&mut |_, _| {})?;
        Ok(imports)
    }

    /// Makes the layer again out of the files.
    pub fn repeat(&mut self) -> Result<(), LoadError> {
        self.layer.clear();
        self.layer.commit(b"")?;
        self.take_up(&mut |_, _| {})?;
        Ok(self.layer.settle()?)
    }

    /// Keeps a file and adds its statements. `bad` hears of every place that cannot be read.
    pub fn import(
        &mut self,
        import: &Import<'_>,
        input: &mut dyn Read,
        bad: &mut dyn FnMut(&str, Bad),
    ) -> Result<Loaded, LoadError> {
        let (fresh, sum) = self.copy(import.name, input)?;
        let graph = import.graph.map(str::to_owned);
        let known = |entry: &&Entry| entry.sum == sum && entry.graph == graph;
        let mut entry = match self.entries.iter().find(known) {
            Some(known) => known.clone(),
            None => Entry {
                file: self.free_name(import.name),
                format: import.format.file_extension().to_owned(),
                graph,
                base: import.base.map(str::to_owned),
                sum,
            },
        };
        if import.strict == Strict::Yes {
            let read = read_file(&fresh, &entry, &mut |_| Ok(()), &mut |found| bad(import.name, found));
            match read {
                Ok(Loaded { bad: 0, .. }) => {}
                Ok(loaded) => {
                    std::fs::remove_file(&fresh)?;
                    return Ok(Loaded { statements: 0, ..loaded });
                }
                Err(error) => {
                    std::fs::remove_file(&fresh)?;
                    return Err(error);
                }
            }
        }
        std::fs::rename(&fresh, self.dir.join(&entry.file))?;
        RealDisk.sync_dir(&self.dir)?;
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
            self.write_list()?;
            return self.take_up(bad);
        }
        // It is there already; what it says is told again.
        entry.sum.clear();
        self.load_entry(&entry, &mut |found| bad(import.name, found))
    }

    /// Loads what the list names and the layer has not.
    fn take_up(&mut self, bad: &mut dyn FnMut(&str, Bad)) -> Result<Loaded, LoadError> {
        let done = std::str::from_utf8(self.layer.mark()).ok().and_then(|mark| mark.parse().ok());
        let mut all = Loaded::default();
        for (place, entry) in self.entries.clone().iter().enumerate().skip(done.unwrap_or(0)) {
            let loaded = self.load_entry(entry, &mut |found| bad(&entry.file, found))?;
            all.statements += loaded.statements;
            all.bad += loaded.bad;
            self.layer.commit((place + 1).to_string().as_bytes())?;
        }
        Ok(all)
    }

    fn load_entry(&mut self, entry: &Entry, bad: &mut dyn FnMut(Bad)) -> Result<Loaded, LoadError> {
        let path = self.dir.join(&entry.file);
        let layer = &mut self.layer;
        read_file(&path, entry, &mut |quad| layer.insert(quad), bad)
    }

    /// Merges what was imported, so that it is asked quickly.
    pub fn settle(&mut self) -> Result<(), LoadError> {
        Ok(self.layer.settle()?)
    }

    fn write_list(&self) -> io::Result<()> {
        let mut text = String::new();
        for entry in &self.entries {
            text.push_str(&serde_json::to_string(entry)?);
            text.push('\n');
        }
        RealDisk.replace(&self.dir.join(LIST), text.as_bytes())
    }

    /// A copy under a name that is not final, and the sum of its bytes.
    fn copy(&self, name: &str, input: &mut dyn Read) -> io::Result<(PathBuf, String)> {
        let path = self.dir.join(format!("{}.open", plain(name)));
        let mut file = File::create(&path)?;
        let mut sum = Xxh3::new();
        let mut buffer = vec![0; 1 << 18];
        loop {
            let count = input.read(&mut buffer)?;
            let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
            sum.update(bytes);
            file.write_all(bytes)?;
        }
        file.sync_all()?;
        Ok((path, format!("{:032x}", sum.digest128())))
    }

    fn free_name(&self, name: &str) -> String {
        let name = plain(name);
        let taken =
            |name: &str| name == LIST || name == "lock" || self.entries.iter().any(|e| e.file == name);
        let numbered = (2..).map(|number| format!("{number}-{name}"));
        std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(name)
    }
}

/// A name without a folder, and none that hides.
fn plain(name: &str) -> String {
    let name =
        Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.trim_start_matches('.');
    if name.is_empty() { "import".to_owned() } else { name.to_owned() }
}

fn read_file(
    path: &Path,
    entry: &Entry,
    insert: &mut dyn FnMut(&oxrdf::Quad) -> Result<(), GraphError>,
    bad: &mut dyn FnMut(Bad),
) -> Result<Loaded, LoadError> {
    let Some(format) = format_named(&entry.format) else {
        return Err(LoadError::Base(format!("{}: unknown format {}", entry.file, entry.format)));
    };
    let graph = match &entry.graph {
        Some(graph) => graph_named(graph)?,
        None => GraphName::DefaultGraph,
    };
    let reading = Reading { format, base: entry.base.clone(), graph, scope: entry.file.clone() };
    load(opened(path)?, &reading, insert, bad)
}

/// A file, unpacked where it is packed.
pub fn opened(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = File::open(path)?;
    let mut start = [0; 2];
    let packed = file.read(&mut start)? == 2 && start == [0x1F, 0x8B];
    let file = BufReader::with_capacity(1 << 18, File::open(path)?);
    Ok(if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}
