//! A layer of statements that one writer adds to: a folder of runs and the manifest that names them.
//!
//! What is inserted waits in memory and goes into runs when that is full; only a commit makes the runs part of the
//! layer, together with the writer's mark. Runs of like size are merged into one, beside the writer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use annalist_disk::Disk;
use oxrdf::QuadRef;

use super::buffer::Buffer;
use super::cache::Cache;
use super::error::GraphError;
use super::manifest::{ENDING, Manifest, NAME, run_name};
use super::merge::merge;
use super::run::Run;

#[derive(Clone, Copy, Debug)]
pub struct LayerSettings {
    /// Memory for statements that are not yet in a run, and again for a merge.
    pub memory_bytes: usize,
    /// So many runs of like size become one.
    pub fan: usize,
    pub merging: Merging,
}

impl Default for LayerSettings {
    fn default() -> Self {
        LayerSettings { memory_bytes: 128 << 20, fan: 8, merging: Merging::Beside }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// On a thread of its own.
    Beside,
    /// Before the commit returns, so that a test can be repeated.
    Inline,
}

/// What is told of a run to decide what is merged.
#[derive(Clone, Copy, Debug)]
struct Known {
    number: u64,
    quads: u64,
    terms: u32,
}

pub struct Layer {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    settings: LayerSettings,
    manifest: Manifest,
    runs: Vec<Known>,
    buffer: Buffer,
    /// Runs that are written and wait for the commit.
    written: Vec<Known>,
    /// The next commit begins anew.
    cleared: bool,
    merge: Option<Under>,
    /// Merging cannot be done; everything else can.
    refused: bool,
}

/// A merge under way.
struct Under {
    sources: Vec<u64>,
    into: u64,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<(), GraphError>>,
}

impl Layer {
    /// Opens a layer for writing; there must be no other writer. What an interrupted one left is removed.
    pub fn open(disk: Arc<dyn Disk>, dir: &Path, settings: LayerSettings) -> Result<Layer, GraphError> {
        disk.create_dir_all(dir).map_err(GraphError::io(dir))?;
        let manifest = Manifest::read(&*disk, dir)?.unwrap_or_default();
        let kept: Vec<String> = manifest.runs.iter().map(|run| run_name(*run)).collect();
        for name in disk.list(dir).map_err(GraphError::io(dir))? {
            if name != NAME && !kept.contains(&name) {
                disk.remove(&dir.join(&name)).map_err(GraphError::io(dir))?;
            }
        }
        let mut runs = Vec::new();
        let cache = Arc::new(Cache::new(0));
        for number in &manifest.runs {
            let run = Run::open(&*disk, &dir.join(run_name(*number)), Arc::clone(&cache))
                .map_err(GraphError::of_run)?;
            runs.push(Known { number: *number, quads: run.directory.quads, terms: run.directory.terms });
        }
        Ok(Layer {
            disk,
            dir: dir.to_owned(),
            settings,
            manifest,
            runs,
            buffer: Buffer::default(),
            written: Vec::new(),
            cleared: false,
            merge: None,
            refused: false,
        })
    }

    /// What the last commit said; empty where there was none.
    pub fn mark(&self) -> &[u8] {
        &self.manifest.mark
    }

    /// The same, for who does not write.
    pub fn mark_of(disk: &dyn Disk, dir: &Path) -> Result<Vec<u8>, GraphError> {
        Ok(Manifest::read(disk, dir)?.unwrap_or_default().mark)
    }

    /// Whether something was ever committed there.
    pub fn is_in(dir: &Path) -> bool {
        dir.join(NAME).exists()
    }

    /// An error where a layer has runs and nothing that says so: what is asked would be answered as if there were none. A
    /// writer's first commit looks the same for a moment.
    pub fn whole_in(dir: &Path) -> Result<(), GraphError> {
        let is_run = |file: std::io::Result<std::fs::DirEntry>| {
            file.is_ok_and(|file| file.path().extension().is_some_and(|ending| ending == ENDING))
        };
        let has_runs = || std::fs::read_dir(dir).is_ok_and(|mut files| files.any(is_run));
        if Layer::is_in(dir) || !has_runs() { Ok(()) } else { Err(GraphError::damaged(dir)) }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds a statement. One that is there already changes nothing; one with a name that cannot be told from another is
    /// left out, since a page that brings such a name must not keep out all that comes behind it.
    pub fn insert<'a>(&mut self, quad: impl Into<QuadRef<'a>>) -> Result<(), GraphError> {
        match self.buffer.insert(quad.into()) {
            Err(error @ GraphError::Collision(..)) => tracing::warn!(%error, "a statement is left out"),
            inserted => inserted?,
        }
        if self.buffer.bytes() >= self.settings.memory_bytes {
            self.write_buffer()?;
        }
        Ok(())
    }

    /// Leaves out everything, from the next commit on: what is asked meanwhile is answered as before.
    pub fn clear(&mut self) {
        self.take_back();
        self.cleared = true;
        self.give_up_merge();
    }

    /// Leaves everything as it was at the last commit.
    pub fn take_back(&mut self) {
        self.cleared = false;
        self.buffer = Buffer::default();
        for run in std::mem::take(&mut self.written) {
            // What cannot be removed now is removed when the layer is opened again.
            let _ = self.disk.remove(&self.path(run.number));
        }
    }

    /// Makes everything that was inserted durable together with the mark.
    pub fn commit(&mut self, mark: &[u8]) -> Result<(), GraphError> {
        self.write_buffer()?;
        self.take_merged()?;
        let mut runs = if self.cleared { Vec::new() } else { self.runs.clone() };
        runs.extend(self.written.iter().copied());
        if !self.written.is_empty() || self.cleared || mark != self.manifest.mark {
            self.install(runs, mark)?;
            self.written.clear();
            self.cleared = false;
        }
        match self.settings.merging {
            Merging::Beside => self.begin_merge(),
            Merging::Inline => self.settle(),
        }
    }

    /// Merges until nothing is left to be merged: for a layer that is now asked and not added to.
    pub fn settle(&mut self) -> Result<(), GraphError> {
        loop {
            self.begin_merge()?;
            if self.merge.is_none() {
                return Ok(());
            }
            self.wait()?;
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.dir.join(run_name(number))
    }

    fn fresh_number(&mut self) -> u64 {
        self.manifest.next += 1;
        self.manifest.next - 1
    }

    fn write_buffer(&mut self) -> Result<(), GraphError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let number = self.fresh_number();
        let path = self.path(number);
        let file = self.disk.create(&path).map_err(GraphError::io(&path))?;
        match self.buffer.write(file) {
            Ok((_, directory)) => {
                self.written.push(Known { number, quads: directory.quads, terms: directory.terms });
                Ok(())
            }
            Err(error) => {
                // It takes up room, and nobody knows of it.
                let _ = self.disk.remove(&path);
                Err(GraphError::io(&path)(error))
            }
        }
    }

    /// The moment from which on the layer is made of other runs.
    fn install(&mut self, runs: Vec<Known>, mark: &[u8]) -> Result<(), GraphError> {
        self.disk.sync_dir(&self.dir).map_err(GraphError::io(&self.dir))?;
        let numbers = runs.iter().map(|run| run.number).collect();
        let manifest = Manifest { mark: mark.to_vec(), next: self.manifest.next, runs: numbers };
        manifest.write(&*self.disk, &self.dir)?;
        let gone = self.manifest.runs.iter().filter(|run| !manifest.runs.contains(run));
        for number in gone {
            // Who has it open reads on; what cannot be removed now is removed when the layer is opened again.
            let _ = self.disk.remove(&self.path(*number));
        }
        (self.manifest, self.runs) = (manifest, runs);
        Ok(())
    }

    /// The smallest runs of like size that are enough, and small enough, to be merged.
    fn worth_merging(&self) -> Vec<u64> {
        let mut runs = self.runs.clone();
        runs.sort_by_key(|run| run.quads);
        let fan = self.settings.fan.max(2);
        let like = runs.windows(fan).find(|runs| match (runs.first(), runs.last()) {
            (Some(first), Some(last)) => last.quads <= first.quads.max(1024).saturating_mul(fan as u64),
            _ => false,
        });
        let like = like.unwrap_or_default();
        // Each term takes its new rank in memory.
        let memory = like.iter().map(|run| run.terms as usize * 4).sum::<usize>();
        if memory > self.settings.memory_bytes {
            return Vec::new();
        }
        like.iter().map(|run| run.number).collect()
    }

    fn begin_merge(&mut self) -> Result<(), GraphError> {
        if self.merge.is_some() || self.refused {
            return Ok(());
        }
        let sources = self.worth_merging();
        if sources.is_empty() {
            return Ok(());
        }
        let into = self.fresh_number();
        let (disk, path) = (Arc::clone(&self.disk), self.path(into));
        let paths: Vec<PathBuf> = sources.iter().map(|number| self.path(*number)).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let work = move || merge(&*disk, &paths, &path, &asked);
        let thread = std::thread::Builder::new().name("graph-merge".to_owned()).spawn(work);
        let thread = thread.map_err(GraphError::io(&self.dir))?;
        self.merge = Some(Under { sources, into, stop, thread });
        Ok(())
    }

    /// Takes a merge that is done into the layer.
    fn take_merged(&mut self) -> Result<(), GraphError> {
        match &self.merge {
            Some(merge) if merge.thread.is_finished() => self.wait(),
            _ => Ok(()),
        }
    }

    /// Its file is removed when the layer is opened again.
    fn give_up_merge(&mut self) {
        if let Some(merge) = self.merge.take() {
            merge.stop.store(true, Ordering::Relaxed);
            let _ = merge.thread.join();
        }
    }

    fn wait(&mut self) -> Result<(), GraphError> {
        let Some(Under { sources, into, thread, .. }) = self.merge.take() else { return Ok(()) };
        let path = self.path(into);
        match thread.join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                let _ = self.disk.remove(&path);
                if matches!(error, GraphError::Collision(..)) {
                    tracing::error!(%error, "runs of the graph are not merged any more");
                    self.refused = true;
                    return Ok(());
                }
                return Err(error);
            }
            Err(_) => return Err(GraphError::damaged(&path)),
        }
        let run = Run::open(&*self.disk, &path, Arc::new(Cache::new(0)))?;
        let merged = Known { number: into, quads: run.directory.quads, terms: run.directory.terms };
        let mut runs: Vec<Known> =
            self.runs.iter().copied().filter(|run| !sources.contains(&run.number)).collect();
        runs.push(merged);
        let mark = self.manifest.mark.clone();
        self.install(runs, &mark)
    }
}

impl Drop for Layer {
    fn drop(&mut self) {
        self.give_up_merge();
    }
}
