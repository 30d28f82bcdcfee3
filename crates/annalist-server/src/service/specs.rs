//! The specs of crawls. That of a crawl at rest is read from its file and remembered as long as the file is the same: one with
//! thousands of seeds takes longer to read than all else that a view shows.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use annalist_crawl::job::JobDir;
use annalist_model::spec::{Mistake, Spec};

use super::Service;
use crate::knowledge::{Stamp, stamp};
use crate::problem::Problem;

/// Of more than these, only their names and whether they can be used are remembered.
const MOST: usize = 64;

/// A spec as it was read.
pub(super) struct KeptSpec {
    stamp: Stamp,
    /// What it calls its crawl, where it can be used.
    name: Option<String>,
    read: Result<Option<Arc<Spec>>, Unusable>,
}

/// Why a spec cannot be used.
#[derive(Clone)]
enum Unusable {
    Unread(String),
    Wrong(Vec<Mistake>),
}

impl Service {
    /// The spec that counts for a crawl now.
    pub fn spec(&self, id: &str) -> Result<Arc<Spec>, Problem> {
        let job = self.job(id)?;
        if let Some(control) = self.control(id) {
            return Ok(control.spec());
        }
        self.kept(id, &job).map_err(|why| match why {
            Unusable::Unread(fault) => Problem::internal("the spec cannot be read", &fault),
            Unusable::Wrong(mistakes) => Problem::mistakes(&mistakes),
        })
    }

    /// The spec of a crawl as text: where it cannot be used, as it stands in its file, so that it can be repaired.
    pub fn spec_text(&self, id: &str) -> Result<String, Problem> {
        let job = self.job(id)?;
        if let Ok(spec) = self.spec(id) {
            return Ok(spec.to_toml());
        }
        let bytes = std::fs::read(job.spec());
        let bytes = bytes.map_err(|fault| Problem::internal("the spec cannot be read", &fault))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What keeps the spec of a crawl at rest from being used.
    pub(super) fn mistake_in_spec(&self, id: &str, job: &JobDir) -> Option<String> {
        let now = stamp(&job.spec());
        if self.specs().get(id).is_some_and(|kept| kept.stamp == now && kept.read.is_ok()) {
            return None;
        }
        match self.kept(id, job).err()? {
            Unusable::Unread(fault) => Some(format!("spec.toml cannot be read: {fault}")),
            Unusable::Wrong(mistakes) => {
                let first = mistakes.first().map_or_else(String::new, ToString::to_string);
                Some(format!("spec.toml cannot be used: {first}"))
            }
        }
    }

    fn kept(&self, id: &str, job: &JobDir) -> Result<Arc<Spec>, Unusable> {
        // Before it is read: what changes meanwhile is read again.
        let stamp = stamp(&job.spec());
        let known = self.specs().get(id).filter(|kept| kept.stamp == stamp).map(|kept| kept.read.clone());
        if let Some(read) = known.and_then(Result::transpose) {
            return read;
        }
        let read = match self.shared.program.kept(job.root()) {
            Ok(examined) => examined.spec.map(Arc::new).ok_or(Unusable::Wrong(examined.mistakes)),
            Err(fault) => Err(Unusable::Unread(fault)),
        };
        let mut specs = self.specs();
        if specs.values().filter(|kept| matches!(kept.read, Ok(Some(_)))).count() >= MOST {
            specs.values_mut().filter_map(|kept| kept.read.as_mut().ok()).for_each(|spec| *spec = None);
        }
        let name = read.as_ref().ok().map(|spec| spec.name.clone());
        specs.insert(id.to_owned(), KeptSpec { stamp, name, read: read.clone().map(Some) });
        read
    }

    /// What its spec calls a crawl; its id where the spec cannot be used.
    pub(super) fn name_of(&self, id: &str, job: &JobDir) -> String {
        if let Some(control) = self.control(id) {
            return control.spec().name.clone();
        }
        let now = stamp(&job.spec());
        let known = self.specs().get(id).filter(|kept| kept.stamp == now).map(|kept| kept.name.clone());
        let name = known.unwrap_or_else(|| self.kept(id, job).ok().map(|spec| spec.name.clone()));
        name.unwrap_or_else(|| id.to_owned())
    }

    pub(super) fn specs(&self) -> MutexGuard<'_, HashMap<String, KeptSpec>> {
        self.shared.specs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
