//! How the selection of a job stands: its pages, its rules, and what people decided.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use annalist_crawl::job::JobDir;
use annalist_crawl::knowing::catch_up_with;
use annalist_knowledge::Places;
use annalist_model::Canonicaliser;
use annalist_model::spec::Spec;
use annalist_study::selection::{Candidate, Candidates, Decisions, Proposals, Rules, RulesError, propose};
use anyhow::{Context, Result};

use crate::exit::{BadConfiguration, Interrupted};
use crate::knowledge::{begin_reading, is_read_only, job_at, locked, never_read, spec_of};
use crate::watch::Watch;

#[derive(Debug)]
pub struct Standing {
    pub spec: Spec,
    pub candidates: Candidates,
    pub rules: Rules,
    pub decisions: Decisions,
    job: JobDir,
    /// Places of the pages by their addresses as the spec would write them; made when it is asked for.
    by_spec: OnceCell<HashMap<String, usize>>,
}

impl Standing {
    /// Reads what is new in the archive. While the job is crawled, what was read before has to do.
    pub fn of(dir: &Path, watch: &Watch) -> Result<Standing> {
        let job = job_at(dir)?;
        let spec = spec_of(&job)?;
        let rules = Rules::load(&dir.join("selection.toml")).map_err(told)?;
        let decided = dir.join("selection.jsonl");
        let decisions = Decisions::load(&decided).with_context(|| decided.display().to_string())?;
        for line in &decisions.unreadable {
            watch.tell(&format!("{}: line {line} cannot be read and does not count", decided.display()));
        }
        let kept = Places::of(job.root()).candidates();
        let mut candidates = Candidates::open(&kept).with_context(|| kept.display().to_string())?;
        match locked(&job, watch) {
            Ok(Some(_lock)) => {
                begin_reading(&job, watch)?;
                let followed = catch_up_with(&job, &spec, &mut [&mut candidates], watch)?;
                followed.holes.iter().for_each(|hole| watch.tell(hole));
                if watch.is_asked() && !followed.is_complete {
                    return Err(Interrupted.into());
                }
            }
            Ok(None) => watch.tell("the crawl is running: pages that were not looked at before are left out"),
            Err(fault) if is_read_only(&fault) && !kept.exists() => {
                return Err(BadConfiguration(never_read(dir)).into());
            }
            Err(fault) if is_read_only(&fault) => watch.tell(&format!(
                "{} cannot be written to: pages that were not looked at before are left out",
                dir.display()
            )),
            Err(fault) => return Err(fault),
        }
        Ok(Standing { spec, candidates, rules, decisions, job, by_spec: OnceCell::new() })
    }

    pub fn rules_file(&self) -> PathBuf {
        self.job.root().join("selection.toml")
    }

    pub fn decisions_file(&self) -> PathBuf {
        self.job.root().join("selection.jsonl")
    }

    /// The page that somebody means. Pages have the addresses under which they were captured, which in a collection out of
    /// others' archives are not as the spec would write them; what is typed may be as it would.
    pub fn page(&self, typed: &str) -> Option<&Candidate> {
        let address = Canonicaliser::default().parse_typed(typed).ok()?;
        self.candidates.get(address.as_str()).or_else(|| {
            let address = self.spec.canonical.parse_typed(typed).ok()?;
            let pages = self.candidates.list();
            let by_spec = self.by_spec.get_or_init(|| by_spelling(pages, &self.spec.canonical));
            by_spec.get(address.as_str()).and_then(|place| pages.get(*place))
        })
    }

    pub fn propose(&self) -> Proposals {
        propose(self.candidates.list(), &self.rules, &self.decisions, self.spec.event.as_ref())
    }
}

/// Of those that are spelled alike, the first.
fn by_spelling(pages: &[Candidate], canonical: &Canonicaliser) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for (place, page) in pages.iter().enumerate() {
        if let Ok(address) = canonical.parse(&page.url) {
            places.entry(address.as_str().to_owned()).or_insert(place);
        }
    }
    places
}

/// A mistake in a rule is one of the person who wrote it.
pub fn told(fault: RulesError) -> anyhow::Error {
    match fault {
        RulesError::Mistake(what) => BadConfiguration(what).into(),
        io @ RulesError::Io { .. } => io.into(),
    }
}
