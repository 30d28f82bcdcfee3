//! Where a response is kept while it comes in: in memory, and in a file once it is large, so that memory does not grow
//! with the size limit. A file belongs to its recording until it is handed out; then whoever consumes it removes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annalist_model::Block;

/// Longer responses go to a file.
pub(crate) const IN_MEMORY: usize = 1 << 20;
/// How much is collected before it is written.
const WRITE_BYTES: usize = 256 << 10;
const SUFFIX: &str = "spool";

/// Removes what a crawl that was killed left in its spool directory; gives the number of files. For the start, when no
/// other source uses the directory.
pub fn clear_spool(directory: &Path) -> io::Result<u64> {
    let mut removed = 0;
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == SUFFIX) {
            fs::remove_file(&path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

#[derive(Debug)]
pub(crate) struct Spool {
    directory: PathBuf,
    next: AtomicU64,
}

impl Spool {
    pub(crate) fn open(directory: PathBuf) -> io::Result<Spool> {
        fs::create_dir_all(&directory)?;
        Ok(Spool { directory, next: AtomicU64::new(0) })
    }

    fn create(&self) -> io::Result<SpoolFile> {
        loop {
            let serial = self.next.fetch_add(1, Ordering::Relaxed);
            let path = self.directory.join(format!("{}-{serial}.{SUFFIX}", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(SpoolFile { file, path: Some(path) }),
                // Another process of that number left it behind.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[derive(Debug)]
struct SpoolFile {
    file: File,
    /// Until it is handed out.
    path: Option<PathBuf>,
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path
            && let Err(error) = fs::remove_file(path)
        {
            tracing::warn!(path = %path.display(), %error, "spool file not removed");
        }
    }
}

/// The bytes of one response as they come in.
#[derive(Debug)]
pub(crate) struct Recording {
    spool: Arc<Spool>,
    /// What is not in the file yet: everything, while the response is small. The socket writes right into it.
    pub(crate) tail: Vec<u8>,
    file: Option<SpoolFile>,
    written: u64,
}

impl Recording {
    pub(crate) fn new(spool: Arc<Spool>) -> Recording {
        Recording { spool, tail: Vec::new(), file: None, written: 0 }
    }

    /// Whether it has outgrown memory.
    pub(crate) fn is_large(&self) -> bool {
        self.file.is_some()
    }

    pub(crate) fn length(&self) -> u64 {
        self.written + self.tail.len() as u64
    }

    /// Moves the tail to the file when it has grown too long for memory.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        let most = if self.file.is_some() { WRITE_BYTES } else { IN_MEMORY };
        if self.tail.len() < most { Ok(()) } else { self.write_out() }
    }

    /// The file is written with `std`, on this thread: every error is told, and a write of this size goes to the page
    /// cache in less time than a task switch would take twice.
    fn write_out(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(self.spool.create()?),
        };
        file.file.write_all(&self.tail)?;
        self.written += self.tail.len() as u64;
        self.tail.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<Block> {
        if self.file.is_none() {
            return Ok(Block::Memory(self.tail));
        }
        self.write_out()?;
        let path = self.file.as_mut().and_then(|file| file.path.take());
        path.map(|path| Block::File { path, length: self.written })
            .ok_or_else(|| io::Error::other("spool file handed out twice"))
    }
}

#[cfg(test)]
mod tests {
    use super::{IN_MEMORY, Recording, Spool, clear_spool};
    use annalist_model::Block;
    use std::sync::Arc;

    #[test]
    fn a_small_response_stays_in_memory_and_a_large_one_goes_to_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Arc::new(Spool::open(directory.path().join("spool")).unwrap());
        let mut small = Recording::new(Arc::clone(&spool));
        small.tail.extend_from_slice(b"abc");
        small.settle().unwrap();
        assert!(matches!(small.finish().unwrap(), Block::Memory(bytes) if bytes == b"abc"));

        let mut large = Recording::new(Arc::clone(&spool));
        let mut expected = Vec::new();
        for n in 0..40u8 {
            let piece = vec![n; IN_MEMORY / 10];
            large.tail.extend_from_slice(&piece);
            large.settle().unwrap();
            assert!(large.tail.len() <= IN_MEMORY);
            expected.extend_from_slice(&piece);
        }
        let Block::File { path, length } = large.finish().unwrap() else { panic!("in memory") };
        assert_eq!(length, expected.len() as u64);
        assert_eq!(std::fs::read(path).unwrap(), expected);
    }

    #[test]
    fn a_recording_that_is_given_up_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Arc::new(Spool::open(directory.path().to_owned()).unwrap());
        let mut recording = Recording::new(Arc::clone(&spool));
        recording.tail.resize(IN_MEMORY, 0);
        recording.settle().unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        drop(recording);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_crawl_left_is_cleared_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["1-0.spool", "1-1.spool", "notes.txt"] {
            std::fs::write(directory.path().join(name), "x").unwrap();
        }
        assert_eq!(clear_spool(directory.path()).unwrap(), 2);
        assert!(directory.path().join("notes.txt").exists());
        assert_eq!(clear_spool(&directory.path().join("absent")).unwrap(), 0);
    }

    #[test]
    fn a_spool_that_cannot_be_written_says_so() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Arc::new(Spool::open(directory.path().join("gone")).unwrap());
        std::fs::remove_dir(directory.path().join("gone")).unwrap();
        let mut recording = Recording::new(Arc::clone(&spool));
        recording.tail.resize(IN_MEMORY, 0);
        assert!(recording.settle().is_err());
    }
}
