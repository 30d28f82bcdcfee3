//! What is derived from a job's archive, brought up to date before it is asked.

use std::path::Path;

use annalist_crawl::job::{JobDir, JobLock};
use annalist_crawl::knowing::{catch_up, extents_of};
use annalist_knowledge::Followed;
use annalist_model::spec::{ExtractRules, Spec};
use anyhow::{Context, Result};

use crate::exit::{BadConfiguration, Interrupted};
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

/// The spec that is kept with a job; the defaults where there is none.
pub fn spec_of(job: &JobDir) -> Result<Spec> {
    if !job.spec().exists() {
        return Ok(Spec { extract: Some(ExtractRules::default()), ..Spec::named("archive") });
    }
    Ok(spec_file::load(&job.spec())?.spec)
}

/// The job for this process alone; `None` while it is crawled.
pub fn locked(job: &JobDir) -> Result<Option<JobLock>> {
    std::fs::create_dir_all(job.state()).with_context(|| job.state().display().to_string())?;
    Ok(job.lock().with_context(|| job.root().display().to_string())?.ok())
}

/// Brings graph and search index up to the archive. While the job is crawled, the crawl does that.
pub fn bring_up_to_date(job: &JobDir, spec: &Spec, watch: &Watch) -> Result<()> {
    match locked(job)? {
        Some(_lock) => follow(job, spec, watch).map(drop),
        None => {
            watch.tell("the crawl is running: what it found in the last half minute may be missing");
            Ok(())
        }
    }
}

/// The caller holds the lock.
pub fn follow(job: &JobDir, spec: &Spec, watch: &Watch) -> Result<Followed> {
    let extents = extents_of(job)?;
    let bytes = extents
        .iter()
        .map(|extent| std::fs::metadata(&extent.path).map_or(0, |file| file.len()).min(extent.until));
    watch.begin("reading the archive", bytes.sum());
    let followed = catch_up(job, spec, watch)?;
    for hole in &followed.holes {
        watch.tell(hole);
    }
    if watch.is_asked() && !followed.is_complete {
        return Err(Interrupted.into());
    }
    Ok(followed)
}
