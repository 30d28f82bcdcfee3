//! All writings of one or several archives, on disk in packed blocks, read on all cores in a fixed order.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use annalist_knowledge::in_order;

use super::StudyWatch;
use super::writing::Writing;

/// A block is handed to a thread as a whole; it is small enough to be held by each of them.
const WRITINGS_PER_BLOCK: usize = 256;

#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
    #[error("{path} is damaged ({what}): `annalist rebuild` makes it again")]
    Damaged { path: String, what: String },
    #[error("it was interrupted")]
    Stopped,
}

impl CorpusError {
    /// What reading brought: a file that ends too early is damaged.
    fn reading(path: &Path, source: io::Error) -> CorpusError {
        let path = path.display().to_string();
        match source.kind() {
            io::ErrorKind::UnexpectedEof => {
                CorpusError::Damaged { path, what: "it ends too early".to_owned() }
            }
            _ => CorpusError::Io { path, source },
        }
    }
}

/// Writings in the order they were added.
#[derive(Debug)]
pub struct Corpus {
    path: PathBuf,
    blocks: Vec<Block>,
    writings: u64,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    offset: u64,
    length: u32,
}

impl Corpus {
    /// Writes them all into a file, in place of what was there.
    pub fn write(path: &Path, writings: impl Iterator<Item = Writing>) -> Result<Corpus, CorpusError> {
        let mut writer = CorpusWriter::create(path)?;
        for writing in writings {
            writer.push(writing)?;
        }
        writer.finish()
    }

    /// One that was written before.
    pub fn open(path: &Path) -> Result<Corpus, CorpusError> {
        let fault = |source| CorpusError::reading(path, source);
        let file = std::fs::File::open(path).map_err(fault)?;
        let end = file.metadata().map_err(fault)?.len();
        let mut input = BufReader::new(file);
        let mut corpus = Corpus { path: path.to_owned(), blocks: Vec::new(), writings: 0 };
        let mut offset = 0;
        while offset < end {
            let mut head = [0; 8];
            input.read_exact(&mut head).map_err(fault)?;
            let [a, b, c, d, rest @ ..] = head;
            let (length, count) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes(rest));
            corpus.blocks.push(Block { offset: offset + 8, length });
            corpus.writings += u64::from(count);
            offset += 8 + u64::from(length);
            input.seek_relative(i64::from(length)).map_err(fault)?;
        }
        Ok(corpus)
    }

    pub fn len(&self) -> u64 {
        self.writings
    }

    pub fn is_empty(&self) -> bool {
        self.writings == 0
    }

    /// Takes every writing on all cores. Each block begins with a state of its own; `join` gets the states in the order
    /// of the blocks, so the result is the same whatever the number of cores. At each writing it is asked whether to stop.
    pub fn fold<S: Send>(
        &self,
        begin: impl Fn() -> S + Sync,
        take: impl Fn(&mut S, Writing) + Sync,
        mut join: impl FnMut(S) + Send,
        watch: &dyn StudyWatch,
    ) -> Result<(), CorpusError> {
        let threads =
            std::thread::available_parallelism().map_or(1, usize::from).min(self.blocks.len().max(1));
        let mut blocks = self.blocks.iter();
        let mut failed = None;
        in_order(
            threads,
            || blocks.next(),
            |block| {
                let writings = self.read(*block)?;
                let mut state = begin();
                for writing in writings {
                    take(&mut state, writing);
                    // Behind it: what was taken may have been cut short.
                    if watch.is_stopped() {
                        return Err(CorpusError::Stopped);
                    }
                    watch.done(1);
                }
                Ok(state)
            },
            |state| match state {
                Ok(state) => {
                    join(state);
                    true
                }
                Err(fault) => {
                    failed = Some(fault);
                    false
                }
            },
        );
        failed.map_or(Ok(()), Err)
    }

    fn read(&self, block: Block) -> Result<Vec<Writing>, CorpusError> {
        use std::os::unix::fs::FileExt;
        let path = || self.path.display().to_string();
        let fault = |source| CorpusError::reading(&self.path, source);
        let damaged = |what: String| CorpusError::Damaged { path: path(), what };
        let file = std::fs::File::open(&self.path).map_err(fault)?;
        let mut packed = vec![0; block.length as usize];
        file.read_exact_at(&mut packed, block.offset).map_err(fault)?;
        let plain = zstd::decode_all(packed.as_slice()).map_err(|e| damaged(e.to_string()))?;
        serde_json::from_slice(&plain).map_err(|e| damaged(e.to_string()))
    }
}

/// Writes a corpus piece by piece. It is there, under its name, once it is finished.
#[derive(Debug)]
pub struct CorpusWriter {
    out: BufWriter<std::fs::File>,
    fresh: PathBuf,
    corpus: Corpus,
    offset: u64,
    waiting: Vec<Writing>,
}

impl CorpusWriter {
    pub fn create(path: &Path) -> Result<CorpusWriter, CorpusError> {
        let fresh = path.with_extension("new");
        let file = std::fs::File::create(&fresh)
            .map_err(|source| CorpusError::Io { path: fresh.display().to_string(), source })?;
        let corpus = Corpus { path: path.to_owned(), blocks: Vec::new(), writings: 0 };
        Ok(CorpusWriter { out: BufWriter::new(file), fresh, corpus, offset: 0, waiting: Vec::new() })
    }

    pub fn push(&mut self, writing: Writing) -> Result<(), CorpusError> {
        self.waiting.push(writing);
        if self.waiting.len() == WRITINGS_PER_BLOCK { self.put() } else { Ok(()) }
    }

    pub fn finish(mut self) -> Result<Corpus, CorpusError> {
        self.put()?;
        let path = self.fresh.display().to_string();
        let fault = |source| CorpusError::Io { path: path.clone(), source };
        let file = self.out.into_inner().map_err(|e| fault(e.into_error()))?;
        file.sync_all().map_err(fault)?;
        std::fs::rename(&self.fresh, &self.corpus.path).map_err(fault)?;
        Ok(self.corpus)
    }

    fn put(&mut self) -> Result<(), CorpusError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let block = put(&mut self.out, &self.waiting, &mut self.offset)
            .map_err(|source| CorpusError::Io { path: self.fresh.display().to_string(), source })?;
        self.corpus.blocks.push(block);
        self.corpus.writings += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }
}

fn put(out: &mut impl Write, writings: &[Writing], offset: &mut u64) -> io::Result<Block> {
    let plain = serde_json::to_vec(writings)?;
    let packed = zstd::encode_all(plain.as_slice(), 1)?;
    let length = u32::try_from(packed.len()).map_err(io::Error::other)?;
    let count = u32::try_from(writings.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&count.to_le_bytes())?;
    out.write_all(&packed)?;
    let block = Block { offset: *offset + 8, length };
    *offset += 8 + u64::from(length);
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::{Corpus, WRITINGS_PER_BLOCK};
    use crate::offline::Writing;

    #[test]
    fn writings_come_back_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("writings");
        let count = 3 * WRITINGS_PER_BLOCK + 5;
        let writings = (0..count).map(|n| Writing { id: n.to_string(), ..Writing::default() });
        Corpus::write(&path, writings).unwrap();
        let corpus = Corpus::open(&path).unwrap();
        let mut ids: Vec<String> = Vec::new();
        corpus
            .fold(
                Vec::new,
                |ids: &mut Vec<String>, writing| ids.push(writing.id),
                |some| ids.extend(some),
                &(),
            )
            .unwrap();
        assert_eq!(corpus.len(), count as u64);
        assert!(ids.iter().enumerate().all(|(n, id)| *id == n.to_string()), "{ids:?}");
    }

    #[test]
    fn a_cut_file_is_an_error_and_no_panic() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("writings");
        Corpus::write(&path, (0..600).map(|_| Writing::default())).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let outcome = Corpus::open(&path).and_then(|corpus| corpus.fold(|| (), |(), _| {}, |()| {}, &()));
        assert!(outcome.is_err());
    }
}
