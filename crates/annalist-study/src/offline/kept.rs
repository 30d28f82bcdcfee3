//! What a stage of a study found, kept so that an interrupted study goes on behind it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Results of the stages, each in a file of its own. `key` says what they are results of: those of anything else are none.
#[derive(Clone, Debug)]
pub struct Kept {
    dir: PathBuf,
    key: String,
}

impl Kept {
    pub fn new(dir: &Path, key: String) -> Kept {
        Kept { dir: dir.to_owned(), key }
    }

    fn path(&self, stage: &str) -> PathBuf {
        self.dir.join(format!("{stage}.json.zst"))
    }

    /// What a stage found about the same archive with the same settings; what cannot be read is found again.
    pub fn load<T: DeserializeOwned>(&self, stage: &str) -> Option<T> {
        let mut text = Vec::new();
        let file = File::open(self.path(stage)).ok()?;
        zstd::Decoder::new(file).ok()?.read_to_end(&mut text).ok()?;
        let (key, found): (String, T) = serde_json::from_slice(&text).ok()?;
        (key == self.key).then_some(found)
    }

    /// Durable when it returns, and whole or not there at all.
    pub fn save<T: Serialize>(&self, stage: &str, found: &T) -> io::Result<()> {
        let path = self.path(stage);
        let fresh = path.with_extension("new");
        let mut out = zstd::Encoder::new(File::create(&fresh)?, 3)?;
        serde_json::to_writer(&mut out, &(&self.key, found))?;
        let mut file = out.finish()?;
        file.flush()?;
        file.sync_all()?;
        std::fs::rename(&fresh, &path)?;
        File::open(&self.dir)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    #[test]
    fn results_of_another_archive_are_none_and_damaged_ones_neither() {
        let dir = tempfile::tempdir().unwrap();
        let kept = Kept::new(dir.path(), "one".to_owned());
        assert_eq!(kept.load::<Vec<u32>>("topics"), None);
        kept.save("topics", &vec![1, 2]).unwrap();
        assert_eq!(kept.load::<Vec<u32>>("topics"), Some(vec![1, 2]));
        assert_eq!(Kept::new(dir.path(), "two".to_owned()).load::<Vec<u32>>("topics"), None);
        std::fs::write(dir.path().join("topics.json.zst"), "x").unwrap();
        assert_eq!(kept.load::<Vec<u32>>("topics"), None);
    }
}
