//! Stores that stay open from question to question, those asked last; the others are closed.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tells one state of a file that is replaced as a whole from another.
pub type Stamp = Option<(u64, u64, i64, i64)>;

pub fn stamp(path: &Path) -> Stamp {
    let file = std::fs::metadata(path).ok()?;
    Some((file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
}

#[derive(Debug)]
pub struct Kept<T> {
    most: usize,
    /// The one that was asked last is first.
    open: Mutex<Vec<One<T>>>,
}

#[derive(Debug)]
struct One<T> {
    folders: Vec<PathBuf>,
    stamps: Vec<Stamp>,
    store: Arc<T>,
}

impl<T> Kept<T> {
    pub fn new(most: usize) -> Kept<T> {
        Kept { most, open: Mutex::default() }
    }

    /// The store of these folders, opened where it is not, or where its files have changed.
    pub fn get<E>(
        &self,
        folders: Vec<PathBuf>,
        stamps: Vec<Stamp>,
        open: impl FnOnce(&[PathBuf]) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let mut kept = self.kept();
        if let Some(at) = kept.iter().position(|one| one.folders == folders && one.stamps == stamps) {
            let one = kept.remove(at);
            let store = Arc::clone(&one.store);
            kept.insert(0, one);
            return Ok(store);
        }
        drop(kept);
        // Stamped before it is opened: what is replaced meanwhile is opened again the next time.
        let store = Arc::new(open(&folders)?);
        let mut kept = self.kept();
        // Those of crawls that were removed are not kept open.
        kept.retain(|one| one.folders != folders && one.folders.iter().any(|folder| folder.exists()));
        kept.insert(0, One { folders, stamps, store: Arc::clone(&store) });
        kept.truncate(self.most);
        Ok(store)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<One<T>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::Kept;

    #[test]
    fn a_store_is_opened_again_when_it_has_changed_or_many_others_were_asked() {
        let dir = tempfile::tempdir().unwrap();
        let kept = Kept::new(2);
        let mut opened = 0;
        let mut get = |name: &str, inode| {
            let open = |folders: &[PathBuf]| -> Result<i32, std::io::Error> {
                std::fs::create_dir_all(&folders[0])?;
                opened += 1;
                Ok(opened)
            };
            *Arc::clone(&kept.get(vec![dir.path().join(name)], vec![Some((inode, 0, 0, 0))], open).unwrap())
        };
        assert_eq!((get("a", 1), get("a", 1), get("a", 2)), (1, 1, 2));
        assert_eq!((get("b", 1), get("a", 2)), (3, 2));
        assert_eq!((get("c", 1), get("a", 2), get("b", 1)), (4, 2, 5));
        std::fs::remove_dir(dir.path().join("a")).unwrap();
        assert_eq!((get("c", 1), get("b", 1)), (6, 5));
        assert!(kept.kept().iter().all(|one| one.folders != [dir.path().join("a")]));
    }
}
