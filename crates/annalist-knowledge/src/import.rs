//! Statements of others beside those that were made of the archive. The files they came in are kept, so that the layer
//! can be made again.
//!
//! `imports/list.jsonl` has a line for each file in `imports/files`, in the order they came; the layer's mark says how
//! many of these lines are in it, and which. No name of a file can be that of anything else in `imports`.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annalist_disk::{Disk, RealDisk};
use flate2::read::MultiGzDecoder;
use oxrdf::GraphName;
use oxrdfio::RdfFormat;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::graph::{
    Bad, GraphError, Layer, LayerSettings, LoadError, Loaded, Reading, format_named, graph_named, load,
};
use crate::stores::Places;

const LIST: &str = "list.jsonl";
const FILES: &str = "files";
/// A copy that is not yet complete.
const FRESH: &str = "copying";

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

impl Entry {
    fn says_the_same(&self, other: &Entry) -> bool {
        self.sum == other.sum && self.format == other.format && self.graph == other.graph
    }
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

/// What is imported, as it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Imported {
    pub file: String,
    pub format: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<String>,
    /// Of the file; none where it is lost.
    pub bytes: Option<u64>,
}

/// What stands in the list and cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub file: String,
    pub why: String,
}

/// The imports of a collection, opened by the only one who writes them.
pub struct Imports {
    dir: PathBuf,
    layer: Layer,
    entries: Vec<Entry>,
    failed: Vec<Failed>,
    /// Somebody wants an end.
    asked: Arc<AtomicBool>,
    _lock: File,
}

impl Imports {
    /// Opens the imports of a job directory, and takes up what an interrupted one left undone.
    pub fn open(job: &Path) -> Result<Imports, LoadError> {
        Imports::open_on(Arc::new(RealDisk), job)
    }

    /// The same, with the layer on a disk of the caller's.
    pub fn open_on(disk: Arc<dyn Disk>, job: &Path) -> Result<Imports, LoadError> {
        Imports::begin(disk, job, Arc::default())
    }

    /// The same, until `asked` is set: whatever reads a file then fails, and everything is as before it.
    pub fn open_until(job: &Path, asked: Arc<AtomicBool>) -> Result<Imports, LoadError> {
        Imports::begin(Arc::new(RealDisk), job, asked)
    }

    fn begin(disk: Arc<dyn Disk>, job: &Path, asked: Arc<AtomicBool>) -> Result<Imports, LoadError> {
        let open = |layer: &Path| Layer::open(disk, layer, LayerSettings::default());
        let mut imports = Imports::locked(job, asked, open)?;
        imports.take_up()?;
        Ok(imports)
    }

    /// Makes the layer again out of the files, whatever is left of it. It fails once `asked` is set; then a layer that
    /// could be read is as before.
    pub fn rebuild(job: &Path, asked: Arc<AtomicBool>) -> Result<Imports, LoadError> {
        let open = |layer: &Path| Layer::open(Arc::new(RealDisk), layer, LayerSettings::default());
        let mut imports = Imports::locked(job, asked, |layer| match open(layer) {
            Err(GraphError::Damaged(_) | GraphError::Newer(_)) => {
                std::fs::remove_dir_all(layer).map_err(GraphError::io(layer))?;
                open(layer)
            }
            opened => opened,
        })?;
        imports.begin_anew()?;
        Ok(imports)
    }

    fn locked(
        job: &Path,
        asked: Arc<AtomicBool>,
        open: impl FnOnce(&Path) -> Result<Layer, GraphError>,
    ) -> Result<Imports, LoadError> {
        let places = Places::of(job);
        let dir = places.imports();
        let (files, lock) = (dir.join(FILES), dir.join("lock"));
        std::fs::create_dir_all(&files).map_err(at(&files))?;
        let lock = File::create(&lock).map_err(at(&lock))?;
        if lock.try_lock().is_err() {
            let told = format!("another import into {} is under way", job.display());
            return Err(io::Error::new(io::ErrorKind::WouldBlock, told).into());
        }
        // Left over when an earlier import was killed; nobody reads it.
        let _ = std::fs::remove_file(dir.join(FRESH));
        let (entries, failed) = read_list(&dir)?;
        let layer = open(&places.imported())?;
        Ok(Imports { dir, layer, entries, failed, asked, _lock: lock })
    }

    /// What could not be imported when the imports were opened.
    pub fn failed(&self) -> &[Failed] {
        &self.failed
    }

    /// Keeps a file and adds its statements. `bad` hears of every place that cannot be read. Where it fails, everything is
    /// as before.
    pub fn import(
        &mut self,
        import: &Import<'_>,
        input: &mut dyn Read,
        bad: &mut dyn FnMut(&str, Bad),
    ) -> Result<Loaded, LoadError> {
        let entry = Entry {
            file: self.free_name(import.name),
            format: import.format.file_extension().to_owned(),
            graph: import.graph.map(str::to_owned),
            base: import.base.map(str::to_owned),
            sum: String::new(),
        };
        // Before the work of copying it.
        reading(&entry)?;
        let fresh = self.dir.join(FRESH);
        let copied = copy(&fresh, &mut Until::new(input, &self.asked)).map_err(LoadError::from);
        let taken = copied.and_then(|sum| {
            self.take(&fresh, Entry { sum, ..entry }, import.strict, &mut |found| bad(import.name, found))
        });
        if taken.is_err() {
            self.layer.take_back();
        }
        // What was taken has another name now.
        let _ = std::fs::remove_file(&fresh);
        taken
    }

    fn take(
        &mut self,
        fresh: &Path,
        entry: Entry,
        strict: Strict,
        bad: &mut dyn FnMut(Bad),
    ) -> Result<Loaded, LoadError> {
        let known = self.entries.iter().find(|known| known.says_the_same(&entry)).cloned();
        let is_known = known.is_some();
        let entry = known.unwrap_or(entry);
        if strict == Strict::Yes {
            let loaded = read_file(fresh, &entry, &self.asked, &mut |_| Ok(()), bad)?;
            if loaded.bad > 0 {
                return Ok(Loaded { statements: 0, ..loaded });
            }
        }
        let kept = self.path(&entry);
        if is_known && sum_of(&kept).is_ok_and(|sum| sum == entry.sum) {
            // What it says is told again.
            return read_file(fresh, &entry, &self.asked, &mut |_| Ok(()), bad);
        }
        let layer = &mut self.layer;
        let loaded = read_file(fresh, &entry, &self.asked, &mut |quad| layer.insert(quad), bad)?;
        let synced = std::fs::rename(fresh, &kept).and_then(|()| RealDisk.sync_dir(&self.dir.join(FILES)));
        synced.map_err(at(&kept))?;
        if !is_known {
            self.entries.push(entry);
            if let Err(error) = self.write_list() {
                self.entries.pop();
                return Err(error.into());
            }
        }
        if let Err(error) = self.layer.commit(&self.mark(self.entries.len())) {
            // In this order, so that there is room for the list on a disk that is full.
            self.layer.take_back();
            if !is_known {
                let _ = std::fs::remove_file(&kept);
                self.entries.pop();
                self.write_list()?;
            }
            return Err(error.into());
        }
        Ok(loaded)
    }

    /// Takes an import back; `false` where none has this name. Where it fails, everything is as before.
    pub fn remove(&mut self, name: &str) -> Result<bool, LoadError> {
        let Some(place) = self.entries.iter().position(|entry| entry.file == name) else { return Ok(false) };
        let entry = self.entries.remove(place);
        if let Err(error) = self.write_list().map_err(LoadError::from).and_then(|()| self.take_up()) {
            self.layer.take_back();
            self.entries.insert(place, entry);
            self.write_list()?;
            return Err(error);
        }
        let kept = self.path(&entry);
        match std::fs::remove_file(&kept) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(at(&kept)(e).into()),
            _ => Ok(true),
        }
    }

    /// Loads what the list names and the layer has not. Where the layer has what the list does not name, it begins anew.
    fn take_up(&mut self) -> Result<(), LoadError> {
        if self.entries.is_empty() && self.layer.mark().is_empty() {
            // A new layer has nothing, as it should: there need be no room to say so.
            return Ok(());
        }
        let done = (0..=self.entries.len()).rev().find(|count| self.mark(*count) == self.layer.mark());
        let Some(done) = done else { return self.begin_anew() };
        for (place, entry) in self.entries.clone().iter().enumerate().skip(done) {
            if !self.reload(entry)? {
                self.layer.take_back();
            }
            self.layer.commit(&self.mark(place + 1))?;
        }
        Ok(())
    }

    /// Loads everything that the list names, in one commit: who asks meanwhile sees all that was there before, and then all
    /// that is there.
    fn begin_anew(&mut self) -> Result<(), LoadError> {
        let mut entries = self.entries.clone();
        loop {
            self.layer.clear();
            let mut lost = None;
            for (place, entry) in entries.iter().enumerate() {
                if !self.reload(entry)? {
                    lost = Some(place);
                    break;
                }
            }
            // A part of it may be in: once more without it.
            match lost {
                Some(place) => drop(entries.remove(place)),
                None => break,
            }
        }
        Ok(self.layer.commit(&self.mark(self.entries.len()))?)
    }

    /// Inserts what a file that is kept says; `false` where it cannot be read: the others can do without it.
    fn reload(&mut self, entry: &Entry) -> Result<bool, LoadError> {
        let path = self.path(entry);
        let layer = &mut self.layer;
        match read_file(&path, entry, &self.asked, &mut |quad| layer.insert(quad), &mut |_| {}) {
            Ok(_) => Ok(true),
            Err(LoadError::Graph(error)) => Err(error.into()),
            // The file is as good as before.
            Err(error) if self.asked.load(Ordering::Relaxed) => Err(error),
            Err(error) => {
                self.failed.push(Failed { file: entry.file.clone(), why: error.to_string() });
                Ok(false)
            }
        }
    }

    /// What the layer says of itself when the first of the entries are in it.
    fn mark(&self, count: usize) -> Vec<u8> {
        let text = lines(self.entries.get(..count).unwrap_or_default());
        format!("{count} {:032x}", xxh3_128(text.as_bytes())).into_bytes()
    }

    fn path(&self, entry: &Entry) -> PathBuf {
        self.dir.join(FILES).join(plain(&entry.file))
    }

    /// Merges what was imported, so that it is asked quickly.
    pub fn settle(&mut self) -> Result<(), LoadError> {
        Ok(self.layer.settle()?)
    }

    fn write_list(&self) -> io::Result<()> {
        let list = self.dir.join(LIST);
        RealDisk.replace(&list, lines(&self.entries).as_bytes()).map_err(at(&list))
    }

    fn free_name(&self, name: &str) -> String {
        let name = plain(name);
        let taken = |name: &str| self.entries.iter().any(|entry| entry.file == name);
        let numbered = (2..).map(|number| format!("{number}-{name}"));
        std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(name)
    }
}

/// The imports of a job directory, for who only looks.
pub fn imported(job: &Path) -> io::Result<Vec<Imported>> {
    let dir = Places::of(job).imports();
    let (entries, _) = read_list(&dir)?;
    let told = |entry: Entry| {
        let bytes = std::fs::metadata(dir.join(FILES).join(plain(&entry.file))).map(|file| file.len()).ok();
        Imported { file: entry.file, format: entry.format, graph: entry.graph, bytes }
    };
    Ok(entries.into_iter().map(told).collect())
}

fn read_list(dir: &Path) -> io::Result<(Vec<Entry>, Vec<Failed>)> {
    let list = dir.join(LIST);
    let text = match std::fs::read_to_string(&list) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(at(&list))?,
    };
    let (mut entries, mut failed) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        match serde_json::from_str::<Entry>(line) {
            Ok(entry) => entries.push(entry),
            Err(e) => failed.push(Failed { file: format!("{LIST}, line {number}"), why: e.to_string() }),
        }
    }
    Ok((entries, failed))
}

fn lines(entries: &[Entry]) -> String {
    // An entry is made of texts: all of them can be written.
    entries.iter().filter_map(|entry| serde_json::to_string(entry).ok()).map(|line| line + "\n").collect()
}

/// The same fault, told with the place.
fn at(path: &Path) -> impl FnOnce(io::Error) -> io::Error + '_ {
    move |fault| io::Error::new(fault.kind(), format!("{}: {fault}", path.display()))
}

/// Copies all of it; the sum of its bytes.
fn copy(path: &Path, input: &mut dyn Read) -> io::Result<String> {
    let mut file = File::create(path).map_err(at(path))?;
    let sum = summed(input, &mut |bytes| file.write_all(bytes).map_err(at(path)))?;
    file.sync_all().map_err(at(path))?;
    Ok(sum)
}

fn sum_of(path: &Path) -> io::Result<String> {
    summed(&mut File::open(path)?, &mut |_| Ok(()))
}

fn summed(input: &mut dyn Read, each: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<String> {
    let mut sum = Xxh3::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let count = match input.read(&mut buffer) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
        sum.update(bytes);
        each(bytes)?;
    }
    Ok(format!("{:032x}", sum.digest128()))
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
    asked: &AtomicBool,
    insert: &mut dyn FnMut(&oxrdf::Quad) -> Result<(), GraphError>,
    bad: &mut dyn FnMut(Bad),
) -> Result<Loaded, LoadError> {
    let loaded = load(Until::new(opened(path)?, asked), &reading(entry)?, insert, bad)?;
    // Whatever a parser makes of a file that breaks off, it is not whole.
    if asked.load(Ordering::Relaxed) { Err(stopped().into()) } else { Ok(loaded) }
}

/// What can be read until somebody wants an end: an error then.
pub struct Until<'a, R> {
    input: R,
    asked: &'a AtomicBool,
}

impl<'a, R: Read> Until<'a, R> {
    pub fn new(input: R, asked: &'a AtomicBool) -> Until<'a, R> {
        Until { input, asked }
    }
}

impl<R: Read> Read for Until<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.asked.load(Ordering::Relaxed) { Err(stopped()) } else { self.input.read(buffer) }
    }
}

/// Not of the kind `Interrupted`: who reads tries that again.
fn stopped() -> io::Error {
    io::Error::other("interrupted")
}

fn reading(entry: &Entry) -> Result<Reading, LoadError> {
    let Some(format) = format_named(&entry.format) else {
        return Err(LoadError::Base(format!("{}: unknown format {}", entry.file, entry.format)));
    };
    let graph = match &entry.graph {
        Some(graph) => graph_named(graph)?,
        None => GraphName::DefaultGraph,
    };
    // Files of two jobs may have the same name.
    let scope = format!("{} {}", entry.sum, entry.file);
    Ok(Reading { format, base: entry.base.clone(), graph, scope })
}

/// A file, unpacked where it is packed.
pub fn opened(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = File::open(path)?;
    let mut start = [0; 2];
    let packed = file.read(&mut start)? == 2 && start == [0x1F, 0x8B];
    let file = BufReader::with_capacity(1 << 18, File::open(path)?);
    Ok(if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}
