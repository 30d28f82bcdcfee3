//! Files that were made of a crawl for others to have: in the job's folder `exports`. What is being made is in a folder of
//! its own there, out of sight, and gets its name when it is whole.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use annalist_model::Time;
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Problem;

const LONGEST_NAME: usize = 200;
/// Before the names of folders in which something is being made.
const WORKSHOP: &str = ".task-";

/// A file to be fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Export {
    pub name: String,
    pub bytes: u64,
    /// When it was finished.
    pub time: String,
}

pub fn folder(job: &Path) -> PathBuf {
    job.join("exports")
}

/// Where a task makes its files.
pub fn workshop(job: &Path, task: u64) -> PathBuf {
    folder(job).join(format!("{WORKSHOP}{task}"))
}

/// Removes what tasks left behind that were killed.
pub fn clear(job: &Path) {
    let Ok(entries) = std::fs::read_dir(folder(job)) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(WORKSHOP) {
            // What cannot be removed is in nobody's way.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Gives all files of a workshop their names, and says which.
pub fn publish(job: &Path, workshop: &Path) -> io::Result<Vec<String>> {
    let mut made = Vec::new();
    for entry in std::fs::read_dir(workshop)? {
        let entry = entry?;
        let stem = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            files_under(&entry.path(), &stem, &mut made)?;
        } else {
            made.push((entry.path(), stem));
        }
    }
    made.sort();
    let to = folder(job);
    for (path, name) in &made {
        std::fs::rename(path, to.join(name))?;
    }
    File::open(&to)?.sync_all()?;
    Ok(made.into_iter().map(|(_, name)| name).collect())
}

/// A folder of files becomes files whose names begin with its own.
fn files_under(folder: &Path, stem: &str, made: &mut Vec<(PathBuf, String)>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files_under(&entry.path(), stem, made)?;
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        // A WARC file keeps its name: indexes speak of it.
        let name = if name.starts_with(stem) { name } else { format!("{stem}-{name}") };
        made.push((entry.path(), name));
    }
    Ok(())
}

/// All of a crawl's, the newest first.
pub fn list(job: &Path) -> io::Result<Vec<Export>> {
    let entries = match std::fs::read_dir(folder(job)) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(file) = entry.metadata() else { continue };
        if file.is_file() && is_name(&name) {
            let since = file.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            let millis = u64::try_from(since.as_millis()).unwrap_or(0);
            found.push((
                millis,
                Export { name, bytes: file.len(), time: Time::from_millis(millis).rfc3339() },
            ));
        }
    }
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.name.cmp(&other.1.name)));
    Ok(found.into_iter().map(|(_, export)| export).collect())
}

/// The file of that name in the folder and nowhere else.
pub fn path_of(job: &Path, name: &str) -> Result<PathBuf, Problem> {
    let path = folder(job).join(name);
    // A link could lead out of the folder.
    let is_file = std::fs::symlink_metadata(&path).is_ok_and(|file| file.is_file());
    if is_name(name) && is_file {
        return Ok(path);
    }
    Err(Problem::not_found(format!("there is no file {name:?} here")))
}

pub fn remove(job: &Path, name: &str) -> Result<(), Problem> {
    let path = path_of(job, name)?;
    std::fs::remove_file(path).map_err(|fault| Problem::internal("the file cannot be removed", &fault))
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.starts_with('.') && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::{clear, list, path_of, publish, workshop};

    #[test]
    fn what_is_made_has_its_name_when_it_is_whole_and_no_name_leads_out_of_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (job, shop) = (dir.path(), workshop(dir.path(), 3));
        std::fs::create_dir_all(shop.join("x-3/archive")).unwrap();
        std::fs::write(shop.join("x-3/archive/x-3-0001.warc.gz"), "warc").unwrap();
        std::fs::write(shop.join("x-3/index.cdxj"), "index").unwrap();
        std::fs::write(job.join("spec.toml"), "secret").unwrap();
        assert!(list(job).unwrap().is_empty(), "what is being made is not shown");
        assert_eq!(publish(job, &shop).unwrap(), ["x-3-0001.warc.gz", "x-3-index.cdxj"]);
        clear(job);
        assert!(!shop.exists());
        let mut names: Vec<_> = list(job).unwrap().into_iter().map(|one| (one.name, one.bytes)).collect();
        // The newest comes first, and nobody knows whether both are of one millisecond.
        names.sort();
        assert_eq!(names, [("x-3-0001.warc.gz".to_owned(), 4), ("x-3-index.cdxj".to_owned(), 5)]);
        std::os::unix::fs::symlink("../spec.toml", job.join("exports/link.toml")).unwrap();
        for bad in ["../spec.toml", "..", ".", "", "link.toml", "/etc/passwd", ".task-3", "a/b", "x\0"] {
            assert!(path_of(job, bad).is_err(), "{bad:?}");
        }
        assert!(path_of(job, "x-3-index.cdxj").is_ok());
    }
}
