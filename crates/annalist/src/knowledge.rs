//! What is derived from a job's archive, brought up to date before it is asked.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_crawl::job::{JobDir, JobLock};
use annalist_crawl::knowing::{catch_up, extents_of};
use annalist_disk::{Disk, RealDisk};
use annalist_knowledge::graph::{Layer, LoadError};
use annalist_knowledge::import::Imports;
use annalist_knowledge::search::Reader;
use annalist_knowledge::{Followed, Needed, Places};
use annalist_model::spec::{ExtractRules, Spec};
use annalist_study::offline::Stage;
use anyhow::{Context, Result};

use crate::commands::study::{keep, model_of, studied};
use crate::exit::{BadConfiguration, Interrupted, Paused};
use crate::progress::Progress;
use crate::spec_file;
use crate::watch::Watch;

/// A job directory, or an error that says what is wrong with it.
pub fn job_at(dir: &Path) -> Result<JobDir> {
    let job = JobDir::new(dir);
    if job.archive().is_dir() {
        return Ok(job);
    }
    let what =
        if dir.exists() { "is no job directory: it has no folder `archive`" } else { "does not exist" };
    Err(BadConfiguration(format!("{} {what}", dir.display())).into())
}

/// The spec that is kept with a job; the defaults where there is none. A model that was chosen for a study stays chosen.
pub fn spec_of(job: &JobDir) -> Result<Spec> {
    let mut spec = if job.spec().exists() {
        spec_file::load(&job.spec())?.spec
    } else {
        Spec { extract: Some(ExtractRules::default()), ..Spec::named("archive") }
    };
    if let Ok(chosen) = std::fs::read_to_string(Places::of(job.root()).model()) {
        spec.study.model = Some(chosen).filter(|model| !model.is_empty());
    }
    Ok(spec)
}

/// The job for this process alone; `None` while it is crawled. Waits for others that make something of its archive.
pub fn locked(job: &JobDir, watch: &Watch) -> Result<Option<JobLock>> {
    let shown = || job.root().display().to_string();
    job.make(&job.state()).with_context(shown)?;
    let mut told = false;
    loop {
        match job.lock_to_derive().with_context(shown)? {
            Ok(lock) => return Ok(Some(lock)),
            Err(_) if job.holder().with_context(shown)?.is_some() => return Ok(None),
            Err(holder) => {
                if !told {
                    let process = holder.map_or_else(String::new, |process| format!(" (process {process})"));
                    watch.tell(&format!(
                        "waiting for another annalist{process} that brings {} up to date",
                        shown()
                    ));
                    told = true;
                }
                std::thread::sleep(Duration::from_millis(100));
                if watch.is_asked() {
                    return Err(Interrupted.into());
                }
            }
        }
    }
}

/// Brings what is needed of jobs up to their archives. While a job is crawled, the crawl does that.
pub fn bring_up_to_date(dirs: &[PathBuf], needed: Needed, progress: Progress) -> Result<()> {
    let watch = Watch::start(progress)?;
    dirs.iter().try_for_each(|dir| bring_one_up_to_date(dir, needed, &watch))
}

/// The same for one job, with somebody who looks on.
pub fn bring_one_up_to_date(dir: &Path, needed: Needed, watch: &Watch) -> Result<()> {
    let job = job_at(dir)?;
    let mut spec = spec_of(&job)?;
    // What a study found is brought to both or to none.
    let places = Places::of(job.root());
    let both = is_studied(&places) && (places.unannotated().exists() || !Layer::is_in(&places.studied()));
    spec.knowledge.graph = needed == Needed::Graph;
    spec.knowledge.search = needed == Needed::Search || both && places.search().is_dir();
    match locked(&job, watch) {
        Ok(Some(_lock)) => {
            match follow(&job, &spec, watch) {
                // Who asks gets what is there; who makes it anew must hear that it is not made.
                Err(fault) if is_read_only(&fault) && places.unannotated().exists() => {
                    watch.tell(&format!("what was studied is told in part, until there is room: {fault:#}"));
                }
                followed => drop(followed?),
            }
            if needed == Needed::Graph {
                take_up_imports(dir, watch)?;
            }
        }
        Ok(None) if needed == Needed::Search && !Places::of(dir).search().join("meta.json").exists() => {
            let what =
                "has just begun to be crawled: nothing can be searched yet; ask again in half a minute";
            return Err(BadConfiguration(format!("{} {what}", dir.display())).into());
        }
        Ok(None) => {
            watch.tell("the crawl is running: what it found in the last half minute may be missing");
        }
        Err(fault) if is_read_only(&fault) => {
            let is_there = match needed {
                Needed::Graph => Layer::is_in(&places.web()),
                Needed::Search => !is_new(&places.search()),
            };
            if !is_there {
                return Err(BadConfiguration(never_read(dir)).into());
            }
            watch.tell(&format!("{} cannot be written to: what is there is asked", dir.display()));
        }
        Err(fault) => return Err(fault),
    }
    if needed == Needed::Graph {
        // Where they could be made again, they are.
        Layer::whole_in(&places.studied())?;
        if !places.imports().is_dir() {
            Layer::whole_in(&places.imported())?;
        }
    }
    Ok(())
}

/// What is there to be asked would be nothing, which is no answer.
pub fn never_read(dir: &Path) -> String {
    let what = "cannot be written to, and nothing was made of its archive before: ask where it can be, or a copy of it";
    format!("{} {what}", dir.display())
}

/// Imports what an interrupted import, or a lost layer, left out.
fn take_up_imports(dir: &Path, watch: &Watch) -> Result<()> {
    if !Places::of(dir).imports().is_dir() {
        return Ok(());
    }
    match Imports::open_until(dir, watch.asked()) {
        Ok(imports) => {
            for one in imports.failed() {
                watch.tell(&format!("{} is not imported: {}", one.file, one.why));
            }
        }
        Err(LoadError::Read(_)) if watch.is_asked() => return Err(Interrupted.into()),
        Err(LoadError::Read(fault)) if fault.kind() == ErrorKind::WouldBlock => {
            watch.tell("an import is under way: what it brings may be missing");
        }
        Err(fault) if is_full(&fault) => {
            watch.tell(&format!("the disk is full: what was not imported before is missing ({fault})"));
        }
        Err(fault) => return Err(fault.into()),
    }
    Ok(())
}

pub fn is_full(fault: &LoadError) -> bool {
    match fault {
        LoadError::Read(fault) => matches!(fault.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded),
        LoadError::Graph(fault) => fault.is_full(),
        _ => false,
    }
}

/// Whether nothing can be written, for whatever reason.
pub fn is_read_only(fault: &anyhow::Error) -> bool {
    use ErrorKind as E;
    let mut causes = fault.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|e| {
        matches!(e.kind(), E::PermissionDenied | E::ReadOnlyFilesystem | E::StorageFull | E::QuotaExceeded)
    })
}

/// Whether a study was told, or was about to be. Stages that only were found, by one that was interrupted or by a comparison of
/// crawls, change nothing for who asks.
pub fn is_studied(places: &Places) -> bool {
    let is_table = |file: std::io::Result<std::fs::DirEntry>| {
        file.is_ok_and(|file| file.path().extension().is_some_and(|ending| ending == "csv"))
    };
    let has_tables = || std::fs::read_dir(places.study()).is_ok_and(|mut files| files.any(is_table));
    let is_told = || places.studied().is_dir() || places.unannotated().exists() || has_tables();
    !Stage::done_in(&places.study()).is_empty() && is_told()
}

/// Says what comes next, and how much of it there is.
pub fn begin_reading(job: &JobDir, watch: &Watch) -> Result<()> {
    let extents = extents_of(job)?;
    let bytes = extents
        .iter()
        .map(|extent| std::fs::metadata(&extent.path).map_or(0, |file| file.len()).min(extent.until));
    watch.begin("reading the archive", bytes.sum());
    Ok(())
}

/// The caller holds the lock.
pub fn follow(job: &JobDir, spec: &Spec, watch: &Watch) -> Result<Followed> {
    begin_reading(job, watch)?;
    let places = Places::of(job.root());
    let lacks_study = !Layer::is_in(&places.studied()) || spec.knowledge.search && is_new(&places.search());
    if is_studied(&places) && lacks_study {
        // A kill from here on leaves a graph or an index without what was studied, and this.
        Facets::expect(job)?;
    }
    let followed = catch_up(job, spec, watch)?;
    for hole in &followed.holes {
        watch.tell(hole);
    }
    if watch.is_asked() && !followed.is_complete {
        let what =
            "graph and search index keep what they have of the archive; the next command goes on from there";
        return Err(Paused(what.to_owned()).into());
    }
    if places.unannotated().exists() && (spec.knowledge.search || !places.search().is_dir()) {
        match model_of(spec) {
            Ok(_) => annotate_again(job, spec, watch)?,
            // Words can be found without.
            Err(fault) => watch.tell(&format!("search has no facets of the study: {fault}")),
        }
    }
    Ok(followed)
}

/// Graph and search index are to have the same of a study. Whoever changes one of them says so before, durably; as long as
/// that stands, whoever asks next makes both the same again.
pub struct Facets {
    place: PathBuf,
}

impl Facets {
    pub fn expect(job: &JobDir) -> Result<Facets> {
        let place = Places::of(job.root()).unannotated();
        if !place.exists() {
            let dir = place.parent().unwrap_or(job.root());
            let written = std::fs::create_dir_all(dir).and_then(|()| RealDisk.replace(&place, b""));
            written.with_context(|| place.display().to_string())?;
        }
        Ok(Facets { place })
    }

    pub fn are_whole(self) -> Result<()> {
        std::fs::remove_file(&self.place).with_context(|| self.place.display().to_string())
    }
}

/// Whether a search index has nothing yet, or nothing that this program understands.
fn is_new(search: &Path) -> bool {
    Reader::open(&[search]).map_or(true, |reader| reader.marks().all(|mark| mark.files.is_empty()))
}

/// What a study found is in one of graph and search index, or in none: what its stages kept of this archive is told anew, and
/// what they did not keep of it is found again.
fn annotate_again(job: &JobDir, spec: &Spec, watch: &Watch) -> Result<()> {
    let facets = Facets::expect(job)?;
    let wanted = Stage::done_in(&Places::of(job.root()).study());
    if !wanted.is_empty() {
        let (corpus, found) = studied(job, spec, &wanted, watch)?;
        keep(job, &corpus, &found, watch)?;
    }
    facets.are_whole()
}
