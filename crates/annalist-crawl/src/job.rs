//! The job directory: where everything of one crawl is kept, and the lock against a second process.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_disk::{Disk, RealDisk};
use rustix::fs::{FlockOperation, flock};
use uuid::Uuid;

/// How often a lock is tried for that others only look at, and how long they need for it.
const LOOKS: u32 = 1000;
const A_MOMENT: Duration = Duration::from_millis(2);

/// What a lock is held for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Crawl,
    Derive,
}

/// Where things are in a job directory.
#[derive(Clone, Debug)]
pub struct JobDir {
    root: PathBuf,
}

impl JobDir {
    pub fn new(root: impl Into<PathBuf>) -> JobDir {
        JobDir { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
    pub fn spec(&self) -> PathBuf {
        self.root.join("spec.toml")
    }
    pub fn archive(&self) -> PathBuf {
        self.root.join("archive")
    }
    pub fn indexes(&self) -> PathBuf {
        self.root.join("indexes")
    }
    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }
    pub fn frontier(&self) -> PathBuf {
        self.root.join("state/frontier")
    }
    pub fn spool(&self) -> PathBuf {
        self.root.join("state/spool")
    }
    pub fn status(&self) -> PathBuf {
        self.root.join("state/status.json")
    }
    /// How the crawl went over time.
    pub fn series(&self) -> PathBuf {
        self.state().join("series.jsonl")
    }
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
    /// Addresses that were handed over and wait to be taken up.
    pub fn injected(&self) -> PathBuf {
        self.root.join("state/injected")
    }
    /// Written by `annalist stop`, seen by the running crawl.
    pub fn stop_request(&self) -> PathBuf {
        self.root.join("state/stop")
    }
    /// What belongs to the collection and is not in the archive it is taken from.
    pub fn missing(&self) -> PathBuf {
        self.root.join("missing.txt")
    }
    /// Descriptions of sites that this crawl has learned.
    pub fn learned(&self) -> PathBuf {
        self.root.join("catalogue")
    }
    /// What was lifted out of some pages the last time.
    pub fn objects(&self) -> PathBuf {
        self.root.join("state/objects.json")
    }
    fn lock_file(&self) -> PathBuf {
        self.root.join("state/lock")
    }
    /// Locked, too, while the job is crawled: what stands in a lock may be from the one who had it before.
    fn crawl_lock_file(&self) -> PathBuf {
        self.root.join("state/crawling")
    }

    /// What this job is called where several tell what they know. It is not made of anything, and stays with the job:
    /// where it is not kept yet, it is from now on.
    pub fn id(&self) -> io::Result<String> {
        let path = self.root.join("state/id");
        match std::fs::read_to_string(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let id = Uuid::new_v4().simple().to_string();
                std::fs::create_dir_all(self.state())?;
                RealDisk.replace(&path, id.as_bytes())?;
                Ok(id)
            }
            read => Uuid::parse_str(read?.trim()).map(|id| id.simple().to_string()).map_err(|_| {
                let what = "holds no id: put back the one it had, or remove it to begin under a new one";
                io::Error::new(io::ErrorKind::InvalidData, format!("{} {what}", path.display()))
            }),
        }
    }

    /// Whether there is a crawl in this directory at all.
    pub fn exists(&self) -> bool {
        self.frontier().is_dir()
    }

    /// Makes a folder below the job's own, which is not made anew: who still has to do with a job that somebody has removed
    /// must not bring a part of it back.
    pub fn make(&self, folder: &Path) -> io::Result<()> {
        let below = folder.strip_prefix(&self.root).map_err(io::Error::other)?;
        let mut place = self.root.clone();
        for part in below {
            place.push(part);
            match std::fs::create_dir(&place) {
                Err(e) if !place.is_dir() => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }

    /// Creates the folders and empties the spool: what an interrupted fetch left there is of no use.
    pub fn prepare(&self) -> io::Result<()> {
        for dir in [self.archive(), self.indexes(), self.frontier(), self.spool(), self.logs()] {
            std::fs::create_dir_all(dir)?;
        }
        Ok(())
    }

    /// Removes what interrupted fetches left behind. Only for who holds the lock.
    pub fn clear_spool(&self) -> io::Result<()> {
        for entry in std::fs::read_dir(self.spool())? {
            std::fs::remove_file(entry?.path())?;
        }
        match std::fs::remove_file(self.stop_request()) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    /// Locks the job for this process to crawl in it; `Err(holder)` when another one has it.
    pub fn lock(&self) -> io::Result<Result<JobLock, Option<u32>>> {
        self.lock_to(Purpose::Crawl)
    }

    /// The same for one that only makes something of the archive.
    pub fn lock_to_derive(&self) -> io::Result<Result<JobLock, Option<u32>>> {
        self.lock_to(Purpose::Derive)
    }

    fn lock_to(&self, purpose: Purpose) -> io::Result<Result<JobLock, Option<u32>>> {
        let mut file = match locked(&self.lock_file())? {
            Ok(file) => file,
            Err(mut file) => return Ok(Err(read_holder(&mut file))),
        };
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        let crawling = match purpose {
            Purpose::Derive => None,
            Purpose::Crawl => match locked(&self.crawl_lock_file())? {
                Ok(crawling) => Some(crawling),
                Err(_) => return Ok(Err(None)),
            },
        };
        Ok(Ok(JobLock { _crawling: crawling, _file: file }))
    }

    /// The process that is crawling here now.
    pub fn holder(&self) -> io::Result<Option<u32>> {
        let file = match File::open(self.crawl_lock_file()) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        if flock(&file, FlockOperation::NonBlockingLockShared).is_ok() {
            return Ok(None);
        }
        let process = File::open(self.lock_file()).ok().and_then(|mut file| read_holder(&mut file));
        Ok(Some(process.unwrap_or(0)))
    }
}

/// The file, locked for this process alone, or as it is when another one has it.
fn locked(path: &Path) -> io::Result<Result<File, File>> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    for _ in 0..LOOKS {
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Ok(Ok(file));
        }
        // Who only looks whether a crawl runs here shares the lock for a moment; who holds it shares it with nobody.
        if flock(&file, FlockOperation::NonBlockingLockShared).is_err() {
            break;
        }
        flock(&file, FlockOperation::Unlock)?;
        std::thread::sleep(A_MOMENT);
    }
    Ok(Err(file))
}

fn read_holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Held while a process crawls in a job directory, or makes something of it. The system drops it with the process, however
/// that ends.
#[derive(Debug)]
pub struct JobLock {
    /// Let go first: whoever has the lock alone may take this.
    _crawling: Option<File>,
    _file: File,
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{FlockOperation, flock};

    use super::JobDir;

    #[test]
    fn a_job_that_was_removed_stays_away() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path().join("job"));
        assert_eq!(job.make(&job.injected()).unwrap_err().kind(), std::io::ErrorKind::NotFound);
        assert!(!job.root().exists());
        std::fs::create_dir(job.root()).unwrap();
        for _ in 0..2 {
            job.make(&job.injected()).unwrap();
        }
        assert!(job.injected().is_dir());
    }

    #[test]
    fn a_second_lock_is_refused_and_names_the_holder() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path().join("job"));
        job.prepare().unwrap();
        assert_eq!(job.holder().unwrap(), None);
        let lock = job.lock().unwrap().unwrap();
        assert_eq!(job.lock().unwrap().unwrap_err(), Some(std::process::id()));
        assert_eq!(job.holder().unwrap(), Some(std::process::id()));
        drop(lock);
        assert_eq!(job.holder().unwrap(), None);
        assert!(job.lock().unwrap().is_ok());
    }

    #[test]
    fn who_only_makes_something_of_the_archive_does_not_crawl_whatever_an_earlier_crawl_left_in_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path().join("job"));
        job.prepare().unwrap();
        drop(job.lock().unwrap().unwrap());
        // Locked, and not signed yet.
        let file = std::fs::File::open(job.lock_file()).unwrap();
        flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        assert!(job.lock_to_derive().unwrap().is_err());
        assert_eq!(job.holder().unwrap(), None);
        drop(file);
        let lock = job.lock_to_derive().unwrap().unwrap();
        assert_eq!(job.lock_to_derive().unwrap().unwrap_err(), Some(std::process::id()));
        assert_eq!(job.holder().unwrap(), None);
        drop(lock);
        let _lock = job.lock().unwrap().unwrap();
        assert_eq!(job.holder().unwrap(), Some(std::process::id()));
    }

    #[test]
    fn a_job_is_called_the_same_for_ever_and_another_one_otherwise() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| JobDir::new(dir.path().join(name)));
        let id = one.id().unwrap();
        assert_eq!((id.len(), one.id().unwrap()), (32, id.clone()));
        assert_ne!(other.id().unwrap(), id);
        std::fs::write(one.state().join("id"), "x:y").unwrap();
        assert!(one.id().unwrap_err().to_string().contains("state/id holds no id"));
    }

    #[test]
    fn who_only_looks_keeps_no_crawl_from_beginning() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path().join("job"));
        job.prepare().unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    job.holder().unwrap();
                }
            });
            let refused = (0..300).filter(|_| job.lock().unwrap().is_err()).count();
            done.store(true, Ordering::Relaxed);
            assert_eq!(refused, 0);
        });
    }
}
