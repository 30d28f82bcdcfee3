//! Opening a frontier: what the manifest names, then what the journal adds to it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use annalist_disk::Disk;
use annalist_model::Time;

use crate::error::FrontierError;
use crate::excerpt::Excerpts;
use crate::frontier::Frontier;
use crate::journal::{Journal, Segment, serial_of};
use crate::manifest::{self, Ended, Manifest};
use crate::replay::{replay, segments};
use crate::run::Run;
use crate::settings::Settings;
use crate::text::{TextWriter, Texts};
use crate::worker::{Merger, Worker, remove_strays};

/// Opens the frontier of a folder, or begins one. The journal belongs to the thread that commits.
///
/// Only one process at a time may do so: the caller holds the lock of the job.
pub fn open(
    disk: Arc<dyn Disk>,
    dir: &Path,
    settings: Settings,
    now: Time,
) -> Result<(Frontier, Journal), FrontierError> {
    disk.create_dir_all(dir).map_err(FrontierError::io("create its folder"))?;
    let found = Manifest::read(disk.as_ref(), dir)?;
    let interrupted = found.as_ref().is_some_and(|manifest| manifest.ended == Ended::Unknown);
    let mut manifest = found.unwrap_or_default();
    remove_strays(disk.as_ref(), dir, &manifest)?;
    if interrupted {
        manifest.restarted = now.millis();
    }
    manifest.ended = Ended::Unknown;
    // Before anything is asked: should this process die, the next one must know.
    manifest.write(disk.as_ref(), dir)?;
    let (found, next_serial) = segments(disk.as_ref(), dir)?;
    let shared = Arc::new(Mutex::new(found.clone()));
    let mut texts = Vec::new();
    for (number, bucket) in manifest.buckets.iter().enumerate() {
        texts.push(TextWriter::open(disk.as_ref(), dir, number, &bucket.texts)?);
    }
    let merger = Merger {
        disk: Arc::clone(&disk),
        dir: dir.to_owned(),
        manifest: manifest.clone(),
        texts,
        segments: Arc::clone(&shared),
        filter_bytes: settings.filter_bytes(),
        outdated: Vec::new(),
    };
    let worker = Worker::start(merger, settings.merging)?;
    let excerpts = Excerpts::new(Arc::clone(&disk), dir, Arc::clone(&shared));
    let mut frontier = Frontier::new(settings, worker, Some(Arc::new(excerpts)), now);
    frontier.restarted = (manifest.restarted != 0).then_some(Time::from_millis(manifest.restarted));
    load(&mut frontier, disk.as_ref(), dir, &manifest)?;
    let position = read_journal(&mut frontier, disk.as_ref(), dir, &manifest, &found)?;
    let at = (position, frontier.sequence);
    Ok((frontier, Journal::new(disk, dir, shared, next_serial, at)))
}

/// A look at a frontier that another process may be writing. Writes nothing; what it shows is the moment of the call.
pub fn read_only(disk: Arc<dyn Disk>, dir: &Path, settings: Settings) -> Result<Frontier, FrontierError> {
    // Files may be merged away between reading the manifest and opening them.
    const TRIES: usize = 5;
    let mut result = look(disk.as_ref(), dir, settings.clone());
    for _ in 1..TRIES {
        if result.is_ok() {
            break;
        }
        result = look(disk.as_ref(), dir, settings.clone());
    }
    result
}

/// The files of which whoever changes a frontier changes one, in an order that stays: the manifest, and the journal's.
pub fn files_that_tell_changes(disk: &dyn Disk, dir: &Path) -> Result<Vec<PathBuf>, FrontierError> {
    let mut names = disk.list(dir).map_err(FrontierError::io("list the folder"))?;
    names.retain(|name| name == manifest::FILE_NAME || serial_of(name).is_some());
    names.sort();
    Ok(names.iter().map(|name| dir.join(name)).collect())
}

fn look(disk: &dyn Disk, dir: &Path, settings: Settings) -> Result<Frontier, FrontierError> {
    let manifest = Manifest::read(disk, dir)?.unwrap_or_default();
    // The other process may remove a journal segment at any time: all texts are kept in memory.
    let mut frontier = Frontier::new(settings, Worker::None, None, Time::default());
    load(&mut frontier, disk, dir, &manifest)?;
    let (found, _) = segments(disk, dir)?;
    read_journal(&mut frontier, disk, dir, &manifest, &found)?;
    Ok(frontier)
}

fn load(
    frontier: &mut Frontier,
    disk: &dyn Disk,
    dir: &Path,
    manifest: &Manifest,
) -> Result<(), FrontierError> {
    frontier.notes = manifest.notes.clone();
    frontier.position = manifest.oldest_mark();
    frontier.sequence = manifest.sequence;
    for (number, (bucket, files)) in frontier.buckets.iter_mut().zip(&manifest.buckets).enumerate() {
        bucket.mark = files.mark;
        bucket.texts = Texts::open(disk, dir, number, &files.texts)?;
        if files.run != 0 {
            let run = Run::open(disk, dir, files.run)?;
            bucket.cold_from = (run.tally.queued > 0).then_some(0);
            bucket.run = Some(Arc::new(run));
        }
    }
    Ok(())
}

fn read_journal(
    frontier: &mut Frontier,
    disk: &dyn Disk,
    dir: &Path,
    manifest: &Manifest,
    segments: &[Segment],
) -> Result<u64, FrontierError> {
    let notes_mark = manifest.notes_mark;
    let position = replay(disk, dir, segments, manifest.oldest_mark(), &mut |committed| {
        let notes = (committed.position <= notes_mark).then(|| frontier.notes.clone());
        frontier.replay(&committed)?;
        if let Some(notes) = notes {
            // The manifest's are newer.
            frontier.notes = notes;
        }
        Ok(())
    })?;
    frontier.sequence = frontier.sequence.max(manifest.sequence);
    frontier.position = position.max(frontier.position);
    Ok(frontier.position)
}
