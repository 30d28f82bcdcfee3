//! `annalist rebuild`: graph and search index made again, out of the WARC files alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use annalist_disk::{Disk, RealDisk};
use annalist_knowledge::Places;
use annalist_knowledge::graph::{Graph, GraphError, LoadError};
use annalist_knowledge::import::Imports;
use annalist_study::offline::Stage;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::RebuildArgs;
use crate::commands::study::model_of;
use crate::exit::{BadConfiguration, Exit, Paused};
use crate::knowledge::{Facets, follow, is_full, is_studied, job_at, locked, spec_of};
use crate::progress::Progress;
use crate::show;
use crate::watch::Watch;

#[expect(clippy::print_stdout, reason = "the report is what the command is asked for")]
pub fn run(args: &RebuildArgs) -> Result<Exit> {
    let job = job_at(&args.dir)?;
    let spec = spec_of(&job)?;
    let watch = Watch::start(Progress::unless(args.quiet))?;
    let Some(_lock) = locked(&job, &watch)? else {
        let what = "is being crawled: stop the crawl first (annalist stop), or let it end";
        return Err(BadConfiguration(format!("{} {what}", args.dir.display())).into());
    };
    let places = Places::of(job.root());
    if Stage::done_in(&places.study()).is_empty() && places.studied().is_dir() {
        // What was found is in the graph still, so there was a study. Of which parts, nobody knows any more.
        expect_all(&places.study())?;
    }
    if is_studied(&places) {
        // Nothing is removed that could not be made again.
        model_of(&spec)?;
        // Whoever asks next goes on where a kill ends this.
        Facets::expect(&job)?;
    }
    for place in [places.web(), places.search(), places.candidates()] {
        remove(&place)?;
    }
    remove_damaged(&places.studied())?;
    forget(&places.study())?;
    let started = std::time::Instant::now();
    let mut followed = follow(&job, &spec, &watch)?;
    let mut ended = if followed.holes.is_empty() { Exit::Done } else { Exit::Failed };
    if places.imports().is_dir() {
        // What was made of the archive does not depend on them.
        let brought_back = bring_imports_back(job.root(), watch.asked());
        if watch.is_asked() && matches!(brought_back, Err(LoadError::Read(_))) {
            let what = "graph and search index are made again; what was imported is as before, or is made by the next command where it was damaged: rebuild again to make it again, too";
            return Err(Paused(what.to_owned()).into());
        }
        let (lost, worst) = holes_of(brought_back);
        lost.iter().for_each(|hole| watch.tell(hole));
        followed.holes.extend(lost);
        ended = worst.unwrap_or(ended);
    }
    drop(watch);
    let seconds = started.elapsed().as_secs_f64();
    if !args.quiet {
        let of = show::count(followed.documents);
        println!("graph and search index made of {of} captures in {seconds:.1} s");
    }
    if args.json {
        println!(
            "{}",
            json!({"captures": followed.documents, "holes": followed.holes, "seconds": seconds, "job": args.dir})
        );
    }
    Ok(ended)
}

/// What is missing of the imports, and what that is for the whole.
fn holes_of(brought_back: Result<Vec<String>, LoadError>) -> (Vec<String>, Option<Exit>) {
    match brought_back {
        Ok(lost) => {
            let ended = (!lost.is_empty()).then_some(Exit::Failed);
            (lost, ended)
        }
        Err(fault) => {
            let told = format!(
                "what was imported is not made again; it is as before, unless it was damaged: {fault}"
            );
            (vec![told], Some(if is_full(&fault) { Exit::DiskFull } else { Exit::Failed }))
        }
    }
}

/// Makes the layer of what was imported again, and tells what is missing in it.
fn bring_imports_back(job: &Path, asked: Arc<AtomicBool>) -> Result<Vec<String>, LoadError> {
    let mut imports = Imports::rebuild(job, asked)?;
    imports.settle()?;
    let lost = imports.failed().iter().map(|one| format!("{} is not imported: {}", one.file, one.why));
    Ok(lost.collect())
}

/// Leaves of a study what was asked of it, and nothing that it found: after a kill, the next rebuild still knows that there was
/// one.
fn forget(study: &Path) -> Result<()> {
    let kept: Vec<PathBuf> = Stage::done_in(study).into_iter().map(|stage| stage.kept_in(study)).collect();
    for path in &kept {
        RealDisk.replace(path, b"").with_context(|| path.display().to_string())?;
    }
    let entries = match std::fs::read_dir(study) {
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.with_context(|| study.display().to_string())?,
    };
    for entry in entries {
        let path = entry.with_context(|| study.display().to_string())?.path();
        if !kept.contains(&path) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Has every part of a study made again.
fn expect_all(study: &Path) -> Result<()> {
    std::fs::create_dir_all(study).with_context(|| study.display().to_string())?;
    for stage in Stage::ALL {
        let path = stage.kept_in(study);
        RealDisk.replace(&path, b"").with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// A layer that cannot be read is of no use, whether or not there is something to make it of again.
fn remove_damaged(layer: &Path) -> Result<()> {
    match Graph::open(&[layer.to_owned()]) {
        Err(GraphError::Damaged(_) | GraphError::Newer(_)) => remove(layer),
        _ => Ok(()),
    }
}

/// A kill leaves a folder whole or not at all: half of one would be taken for a store.
fn remove(place: &Path) -> Result<()> {
    let removed = if place.is_dir() {
        let away = place.with_extension("gone");
        // Of an earlier one.
        let _ = std::fs::remove_dir_all(&away);
        std::fs::rename(place, &away).and_then(|()| std::fs::remove_dir_all(&away))
    } else {
        std::fs::remove_file(place)
    };
    match removed {
        Err(fault) if fault.kind() != std::io::ErrorKind::NotFound => {
            Err(fault).with_context(|| place.display().to_string())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use annalist_study::offline::Stage;

    use super::{forget, holes_of};
    use crate::exit::Exit;

    #[test]
    fn a_full_disk_keeps_imports_as_they_were_and_is_told_as_one() {
        let (told, ended) = holes_of(Err(Error::from(ErrorKind::StorageFull).into()));
        assert!(told[0].contains("it is as before"), "{told:?}");
        assert_eq!(ended, Some(Exit::DiskFull));
        assert_eq!(holes_of(Err(Error::other("x").into())).1, Some(Exit::Failed));
        assert_eq!(holes_of(Ok(vec!["x".to_owned()])), (vec!["x".to_owned()], Some(Exit::Failed)));
        assert_eq!(holes_of(Ok(Vec::new())), (Vec::new(), None));
    }

    #[test]
    fn what_was_studied_is_known_until_it_is_studied_again() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["topics.json.zst", "topics.new", "writings", "topics.jsonl"] {
            std::fs::write(dir.path().join(name), "found").unwrap();
        }
        forget(dir.path()).unwrap();
        assert_eq!(Stage::done_in(dir.path()), [Stage::Topics]);
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(std::fs::read(dir.path().join("topics.json.zst")).unwrap(), b"");
        forget(&dir.path().join("none")).unwrap();
    }
}
