//! What of a crawl is proposed to be kept, and what people decide: the same files, and the same code, as `annalist select`.
//! How it stands is held in memory for the crawls that were looked at last. Pages that were captured since are read by a
//! task; nothing here reads an archive.

mod stand;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annalist_crawl::clock;
use annalist_study::selection::{Choice, Decision, Decisions, Rules, RulesError};

use crate::problem::{FieldError, Problem};
use crate::service::Service;
pub use stand::{Found, Learned, Question, Stand};

/// Crawls whose pages are held in memory.
const MOST_HELD: usize = 2;
/// Up to so many pages, all is proposed anew at each decision; beyond, what was decided is shown at once and the rest soon.
const QUICK: usize = 3000;
/// More mistakes than this in one batch are counted only.
const MOST_TOLD: usize = 100;

/// Where people review.
#[derive(Clone, Debug)]
pub struct Desk {
    service: Service,
    held: Arc<Mutex<Held>>,
}

/// Those looked at last, by crawl, the latest first.
type Held = VecDeque<(String, Arc<Stand>)>;

/// What came of decisions.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// Those that changed something.
    pub taken: usize,
    pub refused: usize,
    pub errors: Vec<FieldError>,
}

impl Desk {
    pub fn new(service: Service) -> Desk {
        Desk { service, held: Arc::default() }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold(&self, id: &str, stand: &Arc<Stand>) {
        let mut held = self.held();
        held.retain(|(name, _)| name != id);
        held.push_front((id.to_owned(), Arc::clone(stand)));
        held.truncate(MOST_HELD);
    }

    /// How the selection of a crawl stands; `None` where its pages were never read.
    pub fn of(&self, id: &str) -> Result<Option<Arc<Stand>>, Problem> {
        let job = self.service.job(id)?;
        let stamp = stand::Stamp::of(job.root());
        let known = self.held().iter().find(|(name, _)| name == id).map(|(_, stand)| Arc::clone(stand));
        if let Some(known) = &known {
            if known.stamp == stamp {
                return Ok(Some(Arc::clone(known)));
            }
            if known.stamp.is_same_but_for_decisions(&stamp) && known.len() > QUICK {
                let decisions = decisions(job.root())?;
                let quick = Arc::new(known.with_decisions(&decisions, stamp));
                self.hold(id, &quick);
                self.refresh(id);
                return Ok(Some(quick));
            }
        }
        if !stamp.has_candidates() {
            return Ok(None);
        }
        let stand = Arc::new(self.read(id)?);
        self.hold(id, &stand);
        Ok(Some(stand))
    }

    fn read(&self, id: &str) -> Result<Stand, Problem> {
        let (job, spec) = (self.service.job(id)?, self.service.spec(id)?);
        let rules = rules(job.root())?;
        let decisions = decisions(job.root())?;
        Stand::read(job.root(), &rules, &decisions, spec.event.as_ref())
            .map_err(|fault| Problem::internal("the pages cannot be read", &fault))
    }

    /// Learns anew what the last decisions teach, beside whoever looks meanwhile.
    fn refresh(&self, id: &str) {
        let (own, id) = (self.clone(), id.to_owned());
        let begun = std::thread::Builder::new().name("review".to_owned()).spawn(move || {
            if let Ok(fresh) = own.read(&id) {
                own.hold(&id, &Arc::new(fresh));
            }
        });
        // The next who looks tries again.
        drop(begun);
    }

    /// Keeps decisions, durably; those about pages that are not there are told.
    pub fn decide(
        &self,
        id: &str,
        choice: Choice,
        urls: &[String],
        by: Option<&str>,
        note: Option<&str>,
    ) -> Result<Taken, Problem> {
        let job = self.service.job(id)?;
        let stand = self.of(id)?.ok_or_else(unread)?;
        let when = clock::now().rfc3339();
        let mut taken = Taken::default();
        let mut new = Vec::new();
        for (place, url) in urls.iter().enumerate() {
            match stand.record_of(url) {
                Some(record) => new.push(Decision {
                    url: url.clone(),
                    record: Some(record.to_owned()),
                    decision: choice,
                    when: when.clone(),
                    by: by.map(str::to_owned),
                    note: note.map(str::to_owned),
                }),
                None => {
                    taken.refused += 1;
                    if taken.errors.len() < MOST_TOLD {
                        let detail = "no page of this archive has that address".to_owned();
                        taken.errors.push(FieldError { field: format!("urls[{place}]"), line: None, detail });
                    }
                }
            }
        }
        let added = decisions(job.root())?.add(&decisions_file(job.root()), new);
        taken.taken = added.map_err(|fault| Problem::unkept("the decisions cannot be kept", &fault))?;
        Ok(taken)
    }

    pub fn rules(&self, id: &str) -> Result<Vec<(Choice, String)>, Problem> {
        let rules = rules(self.service.job(id)?.root())?;
        Ok(rules.list().map(|(choice, text)| (choice, text.to_owned())).collect())
    }

    /// From now on such pages are kept, or dropped.
    pub fn add_rule(&self, id: &str, choice: Choice, text: &str) -> Result<(), Problem> {
        let job = self.service.job(id)?;
        let mut rules = rules(job.root())?;
        rules.add(&rules_file(job.root()), &[(choice, text.to_owned())]).map_err(told)
    }

    pub fn remove_rule(&self, id: &str, choice: Choice, text: &str) -> Result<(), Problem> {
        let job = self.service.job(id)?;
        let mut rules = rules(job.root())?;
        match rules.remove(&rules_file(job.root()), choice, text).map_err(told)? {
            true => Ok(()),
            false => Err(Problem::not_found("there is no such rule")),
        }
    }
}

/// The rule that is about one whole site.
pub fn site_rule(site: &str) -> String {
    format!("site == {site:?}")
}

fn unread() -> Problem {
    Problem::conflict("the pages were not read yet: ask for the task \"select\" first")
}

fn rules_file(job: &Path) -> PathBuf {
    job.join("selection.toml")
}

fn decisions_file(job: &Path) -> PathBuf {
    job.join("selection.jsonl")
}

fn rules(job: &Path) -> Result<Rules, Problem> {
    Rules::load(&rules_file(job)).map_err(told)
}

fn decisions(job: &Path) -> Result<Decisions, Problem> {
    Decisions::load(&decisions_file(job))
        .map_err(|fault| Problem::internal("decisions cannot be read", &fault))
}

fn told(fault: RulesError) -> Problem {
    match fault {
        RulesError::Mistake(what) => Problem::field("expression", what),
        io @ RulesError::Io { .. } => Problem::unkept("the rules cannot be kept", &io),
    }
}
