//! Which files there are. What they hold is found out by reading them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::lookup::is_index_name;
use crate::verify::is_warc_name;

/// The WARC files in a folder and in all folders under it, in the order of their paths.
pub fn warc_files_under(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(dir, &mut |path, name| {
        // A link that leads nowhere is no file.
        if is_warc_name(name) && path.exists() {
            found.push(path);
        }
    })?;
    found.sort();
    Ok(found)
}

/// The index files in a folder itself, in the order of their names; of a ZipNum index, its summary alone.
pub fn indexes_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if is_index_name(&name) {
            names.push(name);
        }
    }
    names.sort();
    let is_summary = |name: &&String| name.ends_with(".idx") || name.ends_with(".summary");
    let has_summary = names.iter().any(|name| is_summary(&name));
    let is_part = |name: &String| has_summary && name.ends_with(".gz");
    Ok(names.iter().filter(|name| !is_part(name)).map(|name| dir.join(name)).collect())
}

/// Links to folders are not followed: they may lead in a circle.
fn walk(dir: &Path, take: &mut dyn FnMut(PathBuf, &str)) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            if !is_made_of_others(dir, &entry.file_name()) {
                walk(&entry.path(), take)?;
            }
        } else {
            take(entry.path(), &entry.file_name().to_string_lossy());
        }
    }
    Ok(())
}

/// What was exported from a job has everything a second time.
fn is_made_of_others(dir: &Path, name: &std::ffi::OsStr) -> bool {
    name == "exports" && dir.join("spec.toml").is_file() && dir.join("archive").is_dir()
}

#[cfg(test)]
mod tests {
    use super::{indexes_in, warc_files_under};

    #[test]
    fn files_are_found_by_their_names_in_all_folders() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        std::os::unix::fs::symlink(dir.path(), dir.path().join("a/circle")).unwrap();
        for name in ["z.warc.gz", "a/b/x.warc", "a/y.warc.gz.open", "a/notes.txt"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let found = warc_files_under(dir.path()).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(dir.path()).unwrap()).collect();
        assert_eq!(
            names.iter().map(|p| p.to_str().unwrap()).collect::<Vec<_>>(),
            ["a/b/x.warc", "a/y.warc.gz.open", "z.warc.gz"]
        );
    }

    #[test]
    fn what_a_job_has_exported_is_no_part_of_its_archive() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["job/archive", "job/exports", "exports"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
            std::fs::write(dir.path().join(folder).join("x.warc.gz"), "").unwrap();
        }
        std::fs::write(dir.path().join("job/spec.toml"), "").unwrap();
        let found = warc_files_under(dir.path()).unwrap();
        assert_eq!(found, [dir.path().join("exports/x.warc.gz"), dir.path().join("job/archive/x.warc.gz")]);
    }

    #[test]
    fn the_parts_of_a_zipnum_index_are_no_indexes_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["index.idx", "index.loc", "index.cdx.gz", "other.cdxj"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let found = indexes_in(dir.path()).unwrap();
        assert_eq!(found, [dir.path().join("index.idx"), dir.path().join("other.cdxj")]);
    }
}
