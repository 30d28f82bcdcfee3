//! The archives that a collection is taken from.

use std::path::{Path, PathBuf};

use annalist_crawl::job::JobDir;
use annalist_crawl::{clock, web_source};
use annalist_model::CanonicalUrl;
use annalist_model::spec::Spec;
use annalist_read::Limits;
use annalist_sources::{ArchiveSettings, ArchiveSource, Remote, SlowLane};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::Runtime;

use crate::exit::BadConfiguration;

/// Archives, and what keeps the line to those that are elsewhere.
#[derive(Debug)]
pub struct Opened {
    pub source: ArchiveSource,
    scratch: PathBuf,
    _runtime: Option<Runtime>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        // What stays behind is removed at the next start.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

/// Opens what the spec names, and says what of it cannot be read.
pub fn open(spec: &Spec, job: &Path) -> Result<Opened> {
    let job = JobDir::new(job);
    job.prepare().with_context(|| format!("{} cannot be made", job.root().display()))?;
    // Not the spool: that is emptied when the crawl begins.
    let scratch = job.state().join("scratch");
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch).with_context(|| format!("{} cannot be made", scratch.display()))?;
    let names: Vec<&String> = spec.extract.iter().flat_map(|extract| &extract.archives).collect();
    let is_remote = names.iter().any(|name| name.contains("://"));
    let runtime = is_remote.then(|| remote_runtime(spec, &names)).transpose()?;
    let remote = runtime.as_ref().map(|runtime| remote(spec, &job, runtime)).transpose()?;
    let settings = ArchiveSettings {
        paths: names.iter().map(PathBuf::from).collect(),
        warcs: spec.extract.iter().flat_map(|extract| &extract.warcs).map(PathBuf::from).collect(),
        most_bytes: Limits::default().body_bytes as u64,
        scratch: scratch.clone(),
        remote,
    };
    if let Some(name) = names.iter().find(|name| !name.contains("://") && !Path::new(name).exists()) {
        return Err(BadConfiguration(format!("there is no archive {name}")).into());
    }
    let bar = ProgressBar::new_spinner().with_message("looking for captures in the archives");
    bar.set_style(ProgressStyle::default_spinner());
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let source = ArchiveSource::with(&settings).context("the archive cannot be read");
    bar.finish_and_clear();
    let source = source?;
    for (path, hole) in source.damaged() {
        tell!("annalist: {}: {hole}", path.display());
    }
    for note in source.notes() {
        tell!("annalist: {note}");
    }
    Ok(Opened { source, scratch, _runtime: runtime })
}

/// Nobody is asked by somebody who cannot be found.
fn remote_runtime(spec: &Spec, names: &[&String]) -> Result<Runtime> {
    let is_own =
        |name: &&&String| CanonicalUrl::parse(name).is_ok_and(|url| spec.network.is_own(url.host_name()));
    let remote = names.iter().filter(|name| name.contains("://"));
    if spec.contact.is_none() && !remote.clone().all(|name| is_own(&name)) {
        let message = "an archive on the live web is asked by nobody without a contact: put `contact = \"https://…\"` into the spec";
        return Err(BadConfiguration(message.to_owned()).into());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.context("no runtime")
}

fn remote(spec: &Spec, job: &JobDir, runtime: &Runtime) -> Result<Remote> {
    let lane = SlowLane::start().context("no thread for the slow lane")?;
    let web = web_source(spec, job, lane)?;
    Ok(Remote { web, rules: spec.fetch.clone(), runtime: runtime.handle().clone(), now: clock::now })
}
