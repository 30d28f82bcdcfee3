//! What somebody asked to be done with a crawl, and what came of it: a small file for each task in the job's
//! `state/tasks`, with what the command said beside it. They survive whatever ends the service.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use annalist_crawl::job::JobDir;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Older ones are forgotten.
const MOST_KEPT: usize = 50;
/// Of what a command says, so much of the end is read.
const MOST_SAID: u64 = 64 << 10;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Find out who and what the archive is about.
    Study,
    /// Make files of what was archived, to be fetched at `exports`.
    Export,
    /// Make graph and search index again, out of the WARC files alone.
    Rebuild,
    /// Read what is new in the archive for `review`.
    Select,
    /// Draw pages for people to judge.
    Sample,
}

impl Kind {
    /// What changes what is derived needs an archive that stays as it is.
    pub fn needs_rest(self) -> bool {
        self != Kind::Export
    }
}

/// What files are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Wacz,
    Warc,
    Csv,
    Nquads,
    Parquet,
}

/// A task as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTask {
    pub kind: Kind,
    /// Of an export: which files are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Of an export: only the pages that are proposed to be kept.
    #[serde(default, skip_serializing_if = "is_false")]
    pub selected: bool,
    /// Of a study: `entities`, `opinions`, `topics`, `events`, `social`, `images`; all where nothing is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for another task, or for the crawl to end.
    Queued,
    Running,
    Done,
    Failed,
    /// Somebody stopped it.
    Stopped,
    /// The service ended while it ran.
    Interrupted,
}

/// A task and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Task {
    /// Counted from 1 in each crawl.
    pub number: u64,
    pub what: NewTask,
    pub state: State,
    pub asked: String,
    #[serde(default)]
    pub started: Option<String>,
    #[serde(default)]
    pub ended: Option<String>,
    /// The exit code of the command, as `docs/serve.md` lists them.
    #[serde(default)]
    pub exit: Option<i32>,
    /// How it ended, in words.
    #[serde(default)]
    pub message: Option<String>,
    /// The files that were made.
    #[serde(default)]
    pub files: Vec<String>,
}

impl Task {
    pub fn is_over(&self) -> bool {
        !matches!(self.state, State::Queued | State::Running)
    }
}

/// The tasks of one job, on disk.
#[derive(Clone, Debug)]
pub struct Kept {
    job: JobDir,
    folder: PathBuf,
}

impl Kept {
    pub fn of(job: &Path) -> Kept {
        let job = JobDir::new(job);
        Kept { folder: job.state().join("tasks"), job }
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.json"))
    }

    /// Where a command writes what it found.
    pub fn report(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.out"))
    }

    /// Where it writes how far it is.
    pub fn log(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.log"))
    }

    fn numbers(&self) -> io::Result<Vec<u64>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(e),
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let number: Option<u64> = name.to_str().and_then(|name| name.strip_suffix(".json")?.parse().ok());
            numbers.extend(number);
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// All of them, the newest first; what cannot be read is left out.
    pub fn all(&self) -> io::Result<Vec<Task>> {
        let numbers = self.numbers()?;
        Ok(numbers.into_iter().rev().filter_map(|number| self.one(number).ok().flatten()).collect())
    }

    pub fn one(&self, number: u64) -> io::Result<Option<Task>> {
        match std::fs::read(self.file(number)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// A number that no task had; room is made for it.
    pub fn next(&self) -> io::Result<u64> {
        let numbers = self.numbers()?;
        let old = numbers.len().saturating_sub(MOST_KEPT - 1);
        for number in numbers.iter().take(old) {
            if self.one(*number).ok().flatten().is_none_or(|task| task.is_over()) {
                for path in [self.file(*number), self.report(*number), self.log(*number)] {
                    let _ = std::fs::remove_file(path);
                }
            }
        }
        Ok(numbers.last().map_or(1, |last| last + 1))
    }

    /// Durable when it returns.
    pub fn keep(&self, task: &Task) -> io::Result<()> {
        self.job.make(&self.folder)?;
        let path = self.file(task.number);
        let fresh = path.with_extension("new");
        std::fs::write(&fresh, serde_json::to_vec_pretty(task)?)?;
        File::open(&fresh)?.sync_all()?;
        std::fs::rename(&fresh, &path)?;
        File::open(&self.folder)?.sync_all()
    }
}

/// The last lines of a file that a command writes.
pub fn last_lines(path: &Path, most: usize) -> Vec<String> {
    let Ok(mut file) = File::open(path) else { return Vec::new() };
    let length = file.metadata().map_or(0, |file| file.len());
    let mut bytes = Vec::new();
    let from = SeekFrom::Start(length.saturating_sub(MOST_SAID));
    if file.seek(from).and_then(|_| file.take(MOST_SAID).read_to_end(&mut bytes)).is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    lines.iter().skip(lines.len().saturating_sub(most)).map(|line| (*line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Kept, Kind, MOST_KEPT, NewTask, State, Task, last_lines};

    fn task(number: u64, state: State) -> Task {
        let what = NewTask { kind: Kind::Study, format: None, selected: false, only: Vec::new() };
        let asked = "2026-11-16T00:00:00.000Z".to_owned();
        let (started, ended, exit, message) = (None, None, None, None);
        Task { number, what, state, asked, started, ended, exit, message, files: Vec::new() }
    }

    #[test]
    fn tasks_are_read_back_and_old_ones_that_are_over_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let kept = Kept::of(dir.path());
        assert_eq!(kept.next().unwrap(), 1);
        kept.keep(&task(1, State::Queued)).unwrap();
        for number in 2..=60 {
            assert_eq!(kept.next().unwrap(), number);
            kept.keep(&task(number, State::Done)).unwrap();
        }
        let all = kept.all().unwrap();
        assert_eq!((all[0].number, all.last().unwrap().number), (60, 1), "what waits is not forgotten");
        assert!(all.len() <= MOST_KEPT + 1, "{}", all.len());
        std::fs::write(dir.path().join("state/tasks/60.json"), "{").unwrap();
        assert_eq!(kept.all().unwrap()[0].number, 59);
    }

    #[test]
    fn of_what_a_command_said_the_end_is_shown() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        assert!(last_lines(&path, 3).is_empty());
        let text: String = (0..50_000).map(|n| format!("line {n}\n\n")).collect();
        std::fs::write(&path, text).unwrap();
        assert_eq!(last_lines(&path, 2), ["line 49998", "line 49999"]);
    }
}
