//! Does the passes, one after another, and says in the manifest which files count from then on. It runs on a thread of
//! its own, or at once where the same calls have to do the same.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use annalist_disk::Disk;

use crate::error::FrontierError;
use crate::filter::{BITS_PER_KEY, Filter};
use crate::hash::Set;
use crate::journal::{self, Segments};
use crate::manifest::{Ended, Manifest, Notes};
use crate::merge::{self, Gathered, Pass};
use crate::pending::Pending;
use crate::run::{self, Run, RunWriter};
use crate::settings::Merging;
use crate::text::{TextWriter, Texts};

/// Some passes, and what the manifest is to say besides.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) passes: Vec<Pass>,
    /// Buckets with nothing pending: their runs include everything up to here.
    pub(crate) idle: Vec<usize>,
    pub(crate) position: u64,
    pub(crate) sequence: u64,
    pub(crate) notes: Notes,
    pub(crate) ended: Ended,
}

impl Job {
    /// A job that only reads leaves the manifest alone.
    fn writes(&self) -> bool {
        self.ended == Ended::Cleanly || self.passes.iter().any(|pass| pass.frozen.is_some())
    }
}

/// What a pass came to.
#[derive(Debug)]
pub(crate) struct Passed {
    pub(crate) bucket: usize,
    /// The new run and texts, when there is one.
    pub(crate) merged: Option<(Arc<Run>, Texts, u64)>,
    pub(crate) gathered: Gathered,
    /// Sites that were looked for by name.
    pub(crate) wanted: Set<u64>,
}

#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) passed: Vec<Passed>,
    /// Why some passes are missing.
    pub(crate) error: Option<FrontierError>,
}

/// Who does the jobs.
#[derive(Debug)]
pub(crate) enum Worker {
    Inline(Box<Merger>),
    Thread {
        jobs: Option<Sender<Job>>,
        results: Receiver<Finished>,
        thread: Option<JoinHandle<()>>,
    },
    /// Opened for reading: nobody.
    None,
}

impl Worker {
    pub(crate) fn start(mut merger: Merger, merging: Merging) -> Result<Worker, FrontierError> {
        if merging == Merging::Inline {
            return Ok(Worker::Inline(Box::new(merger)));
        }
        let (jobs, todo) = channel::<Job>();
        let (done, results) = channel();
        let work = move || {
            for job in todo {
                if done.send(merger.perform(&job)).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("merging".to_owned()).spawn(work);
        let thread = thread.map_err(FrontierError::io("start the merging thread"))?;
        Ok(Worker::Thread { jobs: Some(jobs), results, thread: Some(thread) })
    }

    /// Gives out a job. An inline worker has it finished at once.
    pub(crate) fn give(&mut self, job: Job) -> Option<Finished> {
        match self {
            Worker::Inline(merger) => Some(merger.perform(&job)),
            Worker::Thread { jobs, .. } => {
                // The thread ends only when its end of the channel is dropped; `poll` tells if it panicked.
                let _ = jobs.as_ref().map(|jobs| jobs.send(job));
                None
            }
            Worker::None => None,
        }
    }

    /// A finished job, if there is one by now.
    pub(crate) fn poll(&mut self) -> Result<Option<Finished>, FrontierError> {
        match self {
            Worker::Thread { results, .. } => match results.try_recv() {
                Ok(finished) => Ok(Some(finished)),
                Err(TryRecvError::Empty) => Ok(None),
                Err(TryRecvError::Disconnected) => Err(FrontierError::Broken),
            },
            Worker::Inline(_) | Worker::None => Ok(None),
        }
    }

    /// Waits for the job that was given out.
    pub(crate) fn wait(&mut self) -> Result<Option<Finished>, FrontierError> {
        match self {
            Worker::Thread { results, .. } => results.recv().map(Some).map_err(|_| FrontierError::Broken),
            Worker::Inline(_) | Worker::None => Ok(None),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Worker::Thread { jobs, thread, .. } = self {
            jobs.take();
            if let Some(thread) = thread.take() {
                // A panic over there was reported by `poll` already.
                let _ = thread.join();
            }
        }
    }
}

/// Holds the files while they are written.
#[derive(Debug)]
pub(crate) struct Merger {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) dir: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) texts: Vec<TextWriter>,
    pub(crate) segments: Segments,
    /// Bytes that the filters of all runs may use.
    pub(crate) filter_bytes: u64,
    /// Runs that no manifest names any more, unless its last writing failed half-way.
    pub(crate) outdated: Vec<u64>,
}

impl Merger {
    pub(crate) fn perform(&mut self, job: &Job) -> Finished {
        let mut passed = Vec::new();
        let mut error = None;
        for pass in &job.passes {
            match self.pass(pass) {
                Ok(done) => passed.push(done),
                Err(e) => error = Some(e),
            }
        }
        if job.writes()
            && let Err(e) = self.commit(job, &passed)
        {
            // What is on disk may be the old or the new manifest: both sets of files stay, and memory keeps the old.
            passed.retain(|done| done.merged.is_none());
            error = Some(e);
        }
        if let Some(error) = &error {
            tracing::warn!(%error, "merging failed; it will be tried again");
        }
        Finished { passed, error }
    }

    fn pass(&mut self, pass: &Pass) -> Result<Passed, FrontierError> {
        let Some(frozen) = &pass.frozen else {
            let gathered = merge::scan(pass)?;
            let wanted = pass.gathering.wanted.clone();
            return Ok(Passed { bucket: pass.bucket, merged: None, gathered, wanted });
        };
        let number = self.manifest.next_run;
        self.manifest.next_run += 1;
        let merged = self.merged(pass, frozen, number);
        if merged.is_err() {
            let _ = self.disk.remove(&self.dir.join(run::file_name(number)));
        }
        merged
    }

    fn merged(&mut self, pass: &Pass, frozen: &Pending, number: u64) -> Result<Passed, FrontierError> {
        let Some(texts) = self.texts.get_mut(pass.bucket) else { return Err(FrontierError::Broken) };
        texts.begin(self.disk.as_ref())?;
        let keys = pass.run.as_ref().map_or(0, |run| run.entries) + frozen.len() as u64;
        let share = self.filter_bytes.saturating_mul(8) / self.manifest.buckets.len() as u64;
        let bits = (share / keys.max(1)).min(BITS_PER_KEY);
        // With fewer bits than this a filter is not worth its memory.
        let filter = Filter::new(keys, if bits < 3 { 0 } else { bits });
        let mut run = RunWriter::create(self.disk.as_ref(), &self.dir, number, filter)?;
        let gathered = merge::merge(pass, frozen, &mut run, texts)?;
        texts.finish()?;
        let merged = Some((Arc::new(run.finish()?), texts.texts().clone(), pass.mark));
        Ok(Passed { bucket: pass.bucket, merged, gathered, wanted: pass.gathering.wanted.clone() })
    }

    /// From here on the new files count.
    fn commit(&mut self, job: &Job, passed: &[Passed]) -> Result<(), FrontierError> {
        let mut next = self.manifest.clone();
        let mut replaced = Vec::new();
        for done in passed {
            let Some(((run, texts, mark), files)) =
                done.merged.as_ref().zip(next.buckets.get_mut(done.bucket))
            else {
                continue;
            };
            replaced.push(files.run);
            files.run = run.number;
            files.texts = texts.files.iter().map(|text| text.length).collect();
            files.mark = *mark;
        }
        for bucket in &job.idle {
            if let Some(files) = next.buckets.get_mut(*bucket) {
                // While the journal is replayed, a run may be ahead of it.
                files.mark = files.mark.max(job.position);
            }
        }
        next.notes = job.notes.clone();
        next.notes_mark = next.notes_mark.max(job.position);
        next.sequence = next.sequence.max(job.sequence);
        next.ended = job.ended;
        self.disk.sync_dir(&self.dir).map_err(FrontierError::io("sync the folder"))?;
        let fresh: Vec<u64> = passed.iter().filter_map(|p| p.merged.as_ref().map(|m| m.0.number)).collect();
        if let Err(e) = next.write(self.disk.as_ref(), &self.dir) {
            self.outdated.extend(fresh);
            return Err(e);
        }
        // Until the frontier has taken in this job it may read texts of the journal that the new runs hold.
        let needed_from = self.manifest.oldest_mark();
        self.manifest = next;
        self.outdated.extend(replaced.into_iter().filter(|number| *number != 0));
        self.clean_up(needed_from);
        Ok(())
    }

    /// Removes what no longer counts. A file that cannot be removed is tried again when the frontier is opened.
    fn clean_up(&mut self, needed_from: u64) {
        for number in self.outdated.drain(..) {
            let _ = self.disk.remove(&self.dir.join(run::file_name(number)));
        }
        let mut segments = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        while let [first, second, ..] = segments.as_slice()
            && second.start <= needed_from
        {
            let _ = self.disk.remove(&self.dir.join(journal::file_name(first.serial)));
            segments.remove(0);
        }
    }
}

/// Removes files that an interrupted merge left behind.
pub(crate) fn remove_strays(disk: &dyn Disk, dir: &Path, manifest: &Manifest) -> Result<(), FrontierError> {
    for name in disk.list(dir).map_err(FrontierError::io("list the folder"))? {
        let run_counts = |number: u64| manifest.buckets.iter().any(|bucket| bucket.run == number);
        let stray = match (name.strip_prefix("run-"), name.strip_prefix("text-")) {
            (Some(number), _) => number.parse().is_ok_and(|number| !run_counts(number)),
            (_, Some(place)) => place.split_once('-').is_some_and(|(bucket, number)| {
                let files = bucket.parse().ok().and_then(|b: usize| manifest.buckets.get(b));
                let number: Option<usize> = number.parse().ok();
                files.zip(number).is_some_and(|(files, number)| number >= files.texts.len())
            }),
            _ => name.ends_with(".new"),
        };
        if stray {
            disk.remove(&dir.join(&name)).map_err(FrontierError::io("remove a left-over file"))?;
        }
    }
    Ok(())
}
