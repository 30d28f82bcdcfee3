//! A file or folder that is written under another name until it is complete: what has its final name is whole.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use annalist_warc::is_warc_name;
use anyhow::{Context, Result};

use crate::exit::BadConfiguration;

/// Behind the name of what is not complete yet.
const OPEN_SUFFIX: &str = ".open";

/// What to do with something that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Old {
    Refuse,
    Replace,
}

/// Gone when it is dropped, unless it was kept.
#[derive(Debug)]
pub struct Fresh {
    path: PathBuf,
    open: PathBuf,
}

impl Fresh {
    /// `sources`: what is exported, which nobody means to replace.
    pub fn new(path: &Path, old: Old, sources: &[PathBuf]) -> Result<Fresh> {
        let Some(name) = path.file_name() else {
            return Err(
                BadConfiguration(format!("{} cannot be written: it has no name", path.display())).into()
            );
        };
        let is_there = path.symlink_metadata().is_ok();
        if let Some(why) = Some(path).filter(|_| is_there).and_then(|path| loss(path, sources)) {
            return Err(BadConfiguration(format!("{} is left alone: {why}", path.display())).into());
        }
        if is_there && old == Old::Refuse {
            let told =
                format!("{} is there already: name another, or replace it with --force", path.display());
            return Err(BadConfiguration(told).into());
        }
        let mut open = name.to_owned();
        open.push(OPEN_SUFFIX);
        let fresh = Fresh { path: path.to_owned(), open: path.with_file_name(open) };
        // Left over when an earlier export was killed.
        remove(&fresh.open).with_context(|| fresh.open.display().to_string())?;
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        Ok(fresh)
    }

    /// Where to write.
    pub fn open_path(&self) -> &Path {
        &self.open
    }

    /// Where it will be.
    pub fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// The folder of a bare file name is the empty path, which cannot be opened.
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
    }

    pub fn create_file(&self) -> Result<File> {
        let opened = OpenOptions::new().read(true).write(true).create_new(true).open(&self.open);
        opened.with_context(|| format!("{} cannot be made", self.open.display()))
    }

    /// It is complete, and synced: from now on it has its name.
    pub fn keep(self) -> Result<()> {
        let kept = remove(&self.path)
            .and_then(|()| std::fs::rename(&self.open, &self.path))
            .and_then(|()| File::open(self.folder())?.sync_all());
        kept.with_context(|| self.path.display().to_string())
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let _ = remove(&self.open);
    }
}

/// What would be lost with something that is there, beside an earlier export.
fn loss(path: &Path, sources: &[PathBuf]) -> Option<String> {
    if !path.is_file() && !path.is_dir() {
        return Some("it is neither a file nor a folder".to_owned());
    }
    let whole = path.canonicalize().ok()?;
    let source =
        sources.iter().filter_map(|source| source.canonicalize().ok()).find(|s| s.starts_with(&whole));
    if let Some(source) = source {
        return Some(format!("it is, or holds, what is to be exported ({})", source.display()));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !path.is_dir() {
        return is_warc_name(&name).then(|| "it is an archive".to_owned());
    }
    let entries = path.read_dir().ok()?.filter_map(Result::ok).map(|entry| entry.file_name());
    let mut others = entries.filter(|name| name != "archive" && name != "indexes");
    others.next().map(|other| format!("it holds other things ({})", other.to_string_lossy()))
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fresh, Old};

    #[test]
    fn what_is_not_kept_leaves_no_trace_and_the_old_is_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.wacz");
        std::fs::write(&path, "old").unwrap();
        assert!(Fresh::new(&path, Old::Refuse, &[]).is_err());
        let fresh = Fresh::new(&path, Old::Replace, &[]).unwrap();
        std::fs::write(fresh.open_path(), "half").unwrap();
        drop(fresh);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(dir.path().read_dir().unwrap().count(), 1);

        let fresh = Fresh::new(&path, Old::Replace, &[]).unwrap();
        std::fs::write(fresh.open_path(), "new").unwrap();
        fresh.keep().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(dir.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn sources_archives_and_folders_with_other_things_are_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (job, warc) = (dir.path().join("job"), dir.path().join("job/archive/a.warc.gz"));
        std::fs::create_dir_all(job.join("archive")).unwrap();
        std::fs::write(&warc, "precious").unwrap();
        let refused = |path: &std::path::Path, source: &std::path::Path| {
            Fresh::new(path, Old::Replace, &[source.to_owned()]).is_err()
        };
        assert!(refused(&job, &job) && refused(&job, &warc) && refused(&warc, &warc), "its own source");
        assert!(refused(&warc, dir.path()), "an archive");
        let elsewhere = dir.path().join("elsewhere");
        assert!(!refused(&job, &elsewhere), "an earlier export");
        std::fs::write(job.join("thesis.odt"), "years of work").unwrap();
        assert!(refused(&job, &elsewhere), "other things");
        assert_eq!(std::fs::read_to_string(&warc).unwrap(), "precious");
    }
}
