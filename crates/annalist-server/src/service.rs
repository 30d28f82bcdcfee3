//! Many crawls in one process: each with its own job directory under one root, all with one pool of visits and one book
//! of servers. What somebody wants of each is kept (`wanted.rs`), so that a restart goes on where the service was.
//! Here are the crawls themselves and their specs; how they run is in `steering.rs`, how they are seen in `seeing.rs`.

mod contact;
mod seeing;
mod specs;
mod steering;
mod waiting;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annalist_crawl::control::Control;
use annalist_crawl::engine::CrawlError;
use annalist_crawl::explain::{Explanation, explain};
use annalist_crawl::injecting::{Injected, Injections, examine, spellings};
use annalist_crawl::job::JobDir;
use annalist_crawl::pool::Pool;
use annalist_crawl::status::Board;
use annalist_crawl::stop::Stop;
use annalist_crawl::with_seeds_in_order;
use annalist_disk::{Disk, RealDisk};
use annalist_model::spec::{Mistake, Spec};
use axum::http::StatusCode;
use tokio::runtime::Handle;

use crate::deriving::Deriving;
use crate::knowledge::Kept;
use crate::problem::{FieldError, Problem};
use crate::program::{self, Program};
use crate::root::RootLock;
use crate::wanted::{Goal, Wanted};
use contact::{may_be_asked, require_contact};
pub use seeing::{FINISHING, Reached, Seen};
use specs::KeptSpec;
use steering::Awaiting;
use waiting::{MOST_QUEUES, Parts};

/// A change waits for a crawl that is being opened, but not for ever.
const LONGEST_OPENING: Duration = Duration::from_secs(10);
/// More mistakes than this in one batch are counted only.
pub const MOST_TOLD: usize = 100;
const LONGEST_ID: usize = 64;
/// How the folder of a crawl begins that is being removed.
const REMOVED: &str = ".removed-";
/// The work that keeps everything else from beginning with a crawl meanwhile.
const REMOVAL: &str = "its removal";

/// All crawls under one root.
#[derive(Clone)]
pub struct Service {
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    program: Arc<dyn Program>,
    pool: Pool,
    running: Mutex<HashMap<String, Arc<Running>>>,
    /// Crawls that are to run as soon as they can.
    awaiting: Mutex<HashMap<String, Awaiting>>,
    specs: Mutex<HashMap<String, KeptSpec>>,
    queues: Mutex<HashMap<String, Arc<Injections>>>,
    waiting: Kept<Parts>,
    /// What a task is doing with a crawl, and whether the crawl has to rest meanwhile.
    work: Mutex<HashMap<String, (&'static str, bool)>>,
    /// Held while a spec is read, changed and kept: of two changes at once, neither is lost.
    changing: Mutex<()>,
    /// The same for what is wanted of a crawl, which a crawl that ends changes, too.
    wanting: Mutex<()>,
    deriving: Deriving,
    handle: Handle,
    /// The service itself ends.
    closing: AtomicBool,
    /// How many crawls were removed, that no two go the same way.
    removals: AtomicU64,
    _lock: RootLock,
}

/// A crawl that is being opened, runs, or ends.
struct Running {
    stop: Stop,
    board: Board,
    control: Mutex<Option<Control>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What came of a batch of addresses.
#[derive(Clone, Debug, Default)]
pub struct Accepted {
    pub accepted: usize,
    pub refused: usize,
    pub errors: Vec<FieldError>,
}

impl Accepted {
    /// What is wrong with a field of the address at a place.
    pub fn refuse(&mut self, place: usize, name: &str, detail: &str) {
        self.refused += 1;
        if self.errors.len() < MOST_TOLD {
            let field = if name.is_empty() { format!("[{place}]") } else { format!("[{place}].{name}") };
            self.errors.push(FieldError { field, line: None, detail: detail.to_owned() });
        }
    }
}

/// What is to be done with a new crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Keep,
    Start,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("root", &self.shared.root).finish_non_exhaustive()
    }
}

impl Service {
    /// Takes up the crawls of a root. Has to be called in a runtime.
    pub fn open(root: &Path, lock: RootLock, program: Arc<dyn Program>, pool: Pool) -> io::Result<Service> {
        finish_removing(root)?;
        let service = Service {
            shared: Arc::new(Shared {
                root: root.to_owned(),
                program,
                pool,
                running: Mutex::default(),
                awaiting: Mutex::default(),
                specs: Mutex::default(),
                queues: Mutex::default(),
                waiting: Kept::new(MOST_QUEUES),
                work: Mutex::default(),
                changing: Mutex::default(),
                wanting: Mutex::default(),
                deriving: Deriving::default(),
                handle: Handle::current(),
                closing: AtomicBool::new(false),
                removals: AtomicU64::new(0),
                _lock: lock,
            }),
        };
        for id in service.ids()? {
            let wanted = Wanted::load(&service.folder(&id)).unwrap_or_default();
            if wanted.goal != Goal::Rest {
                service.launch(&id, wanted.goal);
            }
        }
        Ok(service)
    }

    pub fn program(&self) -> &Arc<dyn Program> {
        &self.shared.program
    }

    /// The job directory of a crawl that there is.
    pub fn job(&self, id: &str) -> Result<JobDir, Problem> {
        if is_id(id) && self.folder(id).join("spec.toml").is_file() {
            return Ok(JobDir::new(self.folder(id)));
        }
        Err(Problem::not_found(format!("there is no crawl {id:?} here")))
    }

    fn folder(&self, id: &str) -> PathBuf {
        self.shared.root.join(id)
    }

    /// The names of all crawls, in order.
    pub fn ids(&self) -> io::Result<Vec<String>> {
        let mut ids = Vec::new();
        for entry in std::fs::read_dir(&self.shared.root)? {
            let entry = entry?;
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            if is_id(&name) && entry.path().join("spec.toml").is_file() {
                ids.push(name);
            }
        }
        ids.sort();
        Ok(ids)
    }

    /// A new crawl; its name is made of the spec's where none is given. Nothing is left of one that cannot be kept, or not be
    /// started where that is wanted.
    pub fn create(&self, text: &str, id: Option<&str>, then: Then) -> Result<String, Problem> {
        let spec = self.checked(text, None)?;
        require_contact(&spec)?;
        // Of two at once with one name, one is refused.
        let changing = self.changing();
        let id = match id {
            Some(id) if is_id(id) => id.to_owned(),
            Some(_) => {
                let why = "letters, digits, '-', '_' and '.', 64 at most, and not a '.' first";
                return Err(Problem::field("id", why));
            }
            None => self.free_name(&spec),
        };
        let folder = self.folder(&id);
        match std::fs::create_dir(&folder) {
            // A kill may have left it before it was anything.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && is_bare(&folder) => {
                let cleared = clear(&folder);
                cleared.map_err(|fault| Problem::unkept("the job directory cannot be made", &fault))?;
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Problem::conflict(format!("there is something called {id:?} already")));
            }
            made => made.map_err(|fault| Problem::unkept("the job directory cannot be made", &fault))?,
        }
        let kept = keep_text(&folder.join("spec.toml"), &spec.to_toml());
        let kept = kept.map_err(|fault| Problem::unkept("the spec cannot be kept", &fault));
        drop(changing);
        let begun = kept.and_then(|()| if then == Then::Start { self.start(&id) } else { Ok(()) });
        if begun.is_err() {
            // What stays of it is bare: its name is free.
            let _ = std::fs::remove_dir_all(&folder);
        }
        begun.map(|()| id)
    }

    fn free_name(&self, spec: &Spec) -> String {
        let wanted: String = spec
            .name
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let wanted = wanted.trim_matches('-');
        let wanted = if wanted.is_empty() { "crawl" } else { wanted };
        let wanted: String = wanted.chars().take(LONGEST_ID - 8).collect();
        let taken = |name: &str| self.folder(name).exists() && !is_bare(&self.folder(name));
        if !taken(&wanted) {
            return wanted;
        }
        (2..).map(|n| format!("{wanted}-{n}")).find(|name| !taken(name)).unwrap_or(wanted)
    }

    /// A spec that was sent; `kept` is the one it is to replace.
    fn checked(&self, text: &str, kept: Option<&Spec>) -> Result<Spec, Problem> {
        let examined = self.shared.program.examine(text, kept);
        examined.spec.ok_or_else(|| Problem::mistakes(&examined.mistakes))
    }

    /// What is wrong with a spec that is sent, for a new crawl or for one that there is.
    pub fn examine(&self, text: &str, id: Option<&str>) -> Result<program::Examined, Problem> {
        if let Some(id) = id {
            self.job(id)?;
        }
        let kept = id.and_then(|id| self.spec(id).ok());
        let mut examined = self.shared.program.examine(text, kept.as_deref());
        // What would keep it from being kept is told now.
        if let Some(Err(problem)) = examined.spec.as_ref().map(require_contact) {
            let of = |error: FieldError| Mistake { line: 0, key: error.field, message: error.detail };
            examined.warnings.retain(|warning| warning.key != "contact");
            examined.mistakes.extend(problem.errors.into_iter().map(of));
            examined.spec = None;
        }
        Ok(examined)
    }

    /// Replaces a crawl's spec by one that is made of the text that counts now; nobody changes that in between. A running crawl
    /// takes it up at once. Says which parts wait for its next start.
    pub fn rewrite(
        &self,
        id: &str,
        rewrite: impl FnOnce(&str) -> Result<String, Problem>,
    ) -> Result<Vec<&'static str>, Problem> {
        self.wait_until_open(id);
        let _changing = self.changing();
        let text = rewrite(&self.spec_text(id)?)?;
        // One that cannot be read is replaced by one that has nothing to refer to.
        let kept = self.spec(id).ok();
        self.take_up(id, self.checked(&text, kept.as_deref())?)
    }

    /// Changes some of a crawl's spec, or says what is wrong with the change.
    pub fn amend(
        &self,
        id: &str,
        amend: impl FnOnce(&mut Spec) -> Result<(), Problem>,
    ) -> Result<Vec<&'static str>, Problem> {
        self.wait_until_open(id);
        let _changing = self.changing();
        let kept = self.spec(id)?;
        let mut spec = Spec::clone(&kept);
        amend(&mut spec)?;
        // As it will be read again.
        self.take_up(id, self.checked(&spec.to_toml(), Some(&kept))?)
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.shared.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Without the lock: changes of other crawls need not wait for this one.
    fn wait_until_open(&self, id: &str) {
        let until = Instant::now() + LONGEST_OPENING;
        while self.is_opening(id) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn is_opening(&self, id: &str) -> bool {
        self.is_running(id) && self.control(id).is_none()
    }

    fn take_up(&self, id: &str, spec: Spec) -> Result<Vec<&'static str>, Problem> {
        let job = self.job(id)?;
        // It has read its spec already and would write it over what is kept now.
        if self.is_opening(id) {
            return Err(Problem::busy());
        }
        let wrong = |fault| match fault {
            CrawlError::Spec { mistakes } => Problem::mistakes(&mistakes),
            CrawlError::SeedGone { .. } => Problem::field("seed", fault.to_string()),
            other => Problem::unkept("the spec cannot be changed", &other),
        };
        require_contact(&spec)?;
        if let Some(control) = self.control(id) {
            return control.change(spec).map_err(wrong);
        }
        // Links know their seed by its number, also while they wait for the next start.
        let spec = if job.exists() { with_seeds_in_order(spec, &job).map_err(wrong)? } else { spec };
        keep_text(&job.spec(), &spec.to_toml())
            .map_err(|fault| Problem::unkept("the spec cannot be kept", &fault))?;
        self.forget_failure(&job);
        Ok(Vec::new())
    }

    /// Why pages of a crawl are judged by another topic than its spec names, where they are and will be.
    pub fn judged_apart(&self, id: &str) -> Option<String> {
        self.shared.program.judged_apart(self.job(id).ok()?.root(), self.spec(id).ok()?.as_ref())
    }

    /// Lets the next start of a crawl learn its topic from the spec.
    pub fn learn_again(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        self.wait_until_open(id);
        if self.is_opening(id) {
            return Err(Problem::busy());
        }
        match self.shared.program.learn_again(job.root()) {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(Problem::conflict("the crawl has no definition yet: its next start learns from the spec"))
            }
            Err(why) => Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, why)),
        }
    }

    /// Removes a crawl with everything it has. It must not run.
    pub fn remove(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        if self.running().contains_key(id) || job.holder().ok().flatten().is_some() {
            return Err(Problem::conflict("the crawl runs: stop it first"));
        }
        if self.is_being_removed(id) {
            return Err(Problem::conflict("the crawl is being removed already"));
        }
        if let Some((what, _)) = self.work().get(id) {
            return Err(Problem::conflict(format!("{what} is under way: stop it first")));
        }
        // A start at this moment sees this, or is seen here.
        if !self.begin_work(id, REMOVAL, true) {
            return Err(Problem::conflict("something begins with the crawl at this moment: stop that first"));
        }
        self.shared.deriving.give_way(id);
        // Out of sight at once, however long the rest takes.
        let away = self.away(id);
        let removed = self.job(id).map(|_| std::fs::rename(job.root(), &away));
        // What still had to do with it has put nothing into these since.
        self.queues().remove(id);
        self.awaiting().remove(id);
        self.specs().remove(id);
        self.end_work(id);
        let removed = removed?.and_then(|()| std::fs::remove_dir_all(&away));
        removed.map_err(|fault| Problem::unkept("the crawl cannot be removed", &fault))
    }

    /// Where a crawl is on its way out, one of several that had its name included.
    fn away(&self, id: &str) -> PathBuf {
        let number = self.shared.removals.fetch_add(1, Ordering::Relaxed);
        self.shared.root.join(format!("{REMOVED}{id}-{}-{number}", std::process::id()))
    }

    pub fn is_being_removed(&self, id: &str) -> bool {
        self.work().get(id).is_some_and(|(what, _)| *what == REMOVAL)
    }

    /// Puts addresses into a crawl's queue, each with its place in what was sent; they are durable when this returns,
    /// whether it runs or not.
    pub fn inject(&self, id: &str, addresses: Vec<(usize, Injected)>) -> Result<Accepted, Problem> {
        let job = self.job(id)?;
        let spec = self.spec(id)?;
        let mut told = Accepted::default();
        let mut good = Vec::with_capacity(addresses.len());
        let mut barred = Vec::new();
        for (place, address) in addresses {
            let examined = examine(&address, &spec).and_then(|url| may_be_asked(&address, url, &spec));
            match examined {
                Ok(url) => {
                    if address.blacklisted {
                        barred.extend(spellings(&address, url).map(|url| url.key()));
                    }
                    good.push(address);
                }
                Err(why) => {
                    let (name, detail) = why.split_once(": ").unwrap_or(("url", &why));
                    told.refuse(place, name, detail);
                }
            }
        }
        let queue =
            Arc::clone(self.queues().entry(id.to_owned()).or_insert_with(|| Arc::new(Injections::of(&job))));
        if !good.is_empty() {
            // Before they are durable: who hears that they are may rely on it.
            let control = self.control(id);
            control.iter().for_each(|control| control.bar(&barred));
            queue.put(&good).map_err(|fault| {
                control.iter().for_each(|control| control.unbar(&barred));
                Problem::unkept("the addresses cannot be kept", &fault)
            })?;
        }
        told.accepted = good.len();
        Ok(told)
    }

    /// Whether a crawl runs here.
    pub fn is_running(&self, id: &str) -> bool {
        self.running().contains_key(id)
    }

    /// Work on the stores of crawls at rest.
    pub fn deriving(&self) -> &Deriving {
        &self.shared.deriving
    }

    /// A hold on a crawl that runs.
    pub fn control(&self, id: &str) -> Option<Control> {
        let running = self.running().get(id).cloned()?;
        running.control().clone()
    }

    /// Why an address was, or was not, fetched by a crawl, running or not.
    pub fn explain(&self, id: &str, address: &str) -> Result<Explanation, Problem> {
        let told = match self.control(id) {
            Some(control) => control.explain(address),
            None => explain(&self.job(id)?, self.spec(id)?.as_ref(), address),
        };
        told.map_err(|fault| Problem::internal("the frontier cannot be read", &fault))
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        self.shared.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) -> MutexGuard<'_, HashMap<String, (&'static str, bool)>> {
        self.shared.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a task may begin: one at a time, and one that needs the crawl to rest not while it runs.
    pub fn begin_work(&self, id: &str, what: &'static str, needs_rest: bool) -> bool {
        match self.work().entry(id.to_owned()) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(place) => {
                place.insert((what, needs_rest));
            }
        }
        let may = !needs_rest || !self.running().contains_key(id);
        if !may {
            self.end_work(id);
        }
        may
    }

    pub fn end_work(&self, id: &str) {
        self.work().remove(id);
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<String, Arc<Injections>>> {
        self.shared.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn control(&self) -> MutexGuard<'_, Option<Control>> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keep_text(path: &Path, text: &str) -> io::Result<()> {
    RealDisk.replace(path, text.as_bytes())
}

/// Whether there is nothing in a folder but what a kept spec leaves before it has its name, or what was wanted of a crawl that
/// is not there any more: earlier versions brought that back where they removed one that was being started.
fn is_bare(folder: &Path) -> bool {
    holds_only(folder, &["spec.new", "state"])
        && (!folder.join("state").exists()
            || holds_only(&folder.join("state"), &["service.json", "service.new"]))
}

fn holds_only(folder: &Path, names: &[&str]) -> bool {
    let entries = std::fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let is_one = |name: &OsStr| names.iter().any(|known| name == *known);
    entries.is_ok_and(|entries| entries.iter().all(|entry| is_one(&entry.file_name())))
}

/// A new crawl has nothing to do with what was wanted of another.
fn clear(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder.join("state")) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// A kill may have left what somebody removed.
fn finish_removing(root: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(REMOVED)) {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// A name that is a folder right below the root and nothing else.
fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && id.len() <= LONGEST_ID && !id.starts_with('.') && id.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::{clear, finish_removing, is_bare, is_id};

    #[test]
    fn a_folder_that_never_became_a_crawl_is_free() {
        let dir = tempfile::tempdir().unwrap();
        assert!(is_bare(dir.path()) && !is_bare(&dir.path().join("none")));
        std::fs::write(dir.path().join("spec.new"), "nam").unwrap();
        assert!(is_bare(dir.path()));
        std::fs::create_dir(dir.path().join("state")).unwrap();
        std::fs::write(dir.path().join("state/service.json"), "{}").unwrap();
        assert!(is_bare(dir.path()), "what was wanted of one that is gone");
        std::fs::create_dir(dir.path().join("state/injected")).unwrap();
        assert!(!is_bare(dir.path()), "addresses that were acknowledged");
        clear(dir.path()).unwrap();
        assert!(is_bare(dir.path()) && !dir.path().join("state").exists());
        std::fs::create_dir(dir.path().join("archive")).unwrap();
        assert!(!is_bare(dir.path()));
    }

    #[test]
    fn a_crawl_that_was_being_removed_when_the_service_was_killed_goes_with_the_next_start() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join(".removed-a-1/archive")).unwrap();
        std::fs::create_dir_all(dir.path().join("b/archive")).unwrap();
        finish_removing(dir.path()).unwrap();
        assert!(!dir.path().join(".removed-a-1").exists() && dir.path().join("b").exists());
    }

    #[test]
    fn an_id_is_a_folder_below_the_root_and_nothing_else() {
        assert!(is_id("euro-crisis_2.1"));
        for bad in ["", ".", "..", ".hidden", "a/b", "a\\b", "ä", "a b", "a\0"] {
            assert!(!is_id(bad), "{bad:?}");
        }
        assert!(!is_id(&"x".repeat(65)));
    }
}
