//! Many crawls in one process: each with its own job directory under one root, all with one pool of visits and one book
//! of servers. What somebody wants of each is kept (`wanted.rs`), so that a restart goes on where the service was.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annalist_crawl::control::Control;
use annalist_crawl::engine::{CrawlError, status_of};
use annalist_crawl::explain::{Explanation, explain};
use annalist_crawl::injecting::{Injected, Injections, examine};
use annalist_crawl::job::JobDir;
use annalist_crawl::pool::Pool;
use annalist_crawl::status::{Board, Status};
use annalist_crawl::stop::{Stop, Urge};
use annalist_disk::{Disk, RealDisk};
use annalist_model::spec::Spec;
use annalist_model::with_causes;
use tokio::runtime::Handle;

use crate::deriving::Deriving;
use crate::problem::{FieldError, Problem};
use crate::program::Program;
use crate::wanted::{Goal, Wanted};

/// A stop takes no longer than this before the crawls are left as they are.
const LONGEST_STOP: Duration = Duration::from_secs(9);
/// A change waits for a crawl that is being opened, but not for ever.
const LONGEST_OPENING: Duration = Duration::from_secs(10);
/// More mistakes than this in one batch are counted only.
const MOST_TOLD: usize = 100;
const LONGEST_ID: usize = 64;
/// How the folder of a crawl begins that is being removed.
const REMOVED: &str = ".removed-";

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
    queues: Mutex<HashMap<String, Arc<Injections>>>,
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
}

/// A crawl that is being opened, runs, or ends.
struct Running {
    stop: Stop,
    board: Board,
    control: Mutex<Option<Control>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// A crawl as people see it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub id: String,
    pub status: Status,
    pub is_running: bool,
    pub wanted: Wanted,
}

/// What came of a batch of addresses.
#[derive(Clone, Debug, Default)]
pub struct Accepted {
    pub accepted: usize,
    pub refused: usize,
    pub errors: Vec<FieldError>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("root", &self.shared.root).finish_non_exhaustive()
    }
}

impl Service {
    /// Takes up the crawls of a root, which is made where there is none. Has to be called in a runtime.
    pub fn open(root: &Path, program: Arc<dyn Program>, pool: Pool) -> io::Result<Service> {
        std::fs::create_dir_all(root)?;
        finish_removing(root)?;
        let service = Service {
            shared: Arc::new(Shared {
                root: root.to_owned(),
                program,
                pool,
                running: Mutex::default(),
                queues: Mutex::default(),
                work: Mutex::default(),
                changing: Mutex::default(),
                wanting: Mutex::default(),
                deriving: Deriving::default(),
                handle: Handle::current(),
                closing: AtomicBool::new(false),
            }),
        };
        for id in service.ids()? {
            let wanted = Wanted::load(&service.folder(&id)).unwrap_or_default();
            if wanted.goal != Goal::Rest {
                service.launch(&id, wanted.goal == Goal::Pause);
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

    /// All crawls, in the order of their names.
    pub fn all(&self) -> Result<Vec<Seen>, Problem> {
        let ids = self.ids().map_err(|fault| Problem::internal("the root cannot be read", &fault))?;
        ids.iter().map(|id| self.see(id)).collect()
    }

    /// One crawl as it stands.
    pub fn see(&self, id: &str) -> Result<Seen, Problem> {
        let job = self.job(id)?;
        let wanted = Wanted::load(job.root()).unwrap_or_else(|fault| Wanted {
            failed: Some(format!("state/service.json cannot be read: {fault}")),
            ..Wanted::default()
        });
        let running = self.running().get(id).cloned();
        let status = match &running {
            Some(running) => running.board.read(),
            None if job.exists() => self.resting(&job)?,
            None => Status { state: "new".to_owned(), ..Status::default() },
        };
        Ok(Seen { id: id.to_owned(), status, is_running: running.is_some(), wanted })
    }

    /// A crawl that does not run here; it may run in another process.
    fn resting(&self, job: &JobDir) -> Result<Status, Problem> {
        let quick = Status::load(&job.status()).ok().flatten();
        match quick {
            Some(mut status) => {
                // A kill leaves the words of a crawl that ran.
                if matches!(
                    status.state.as_str(),
                    "running" | "waiting" | "paused" | "finishing" | "starting"
                ) {
                    let holder = job.holder().ok().flatten();
                    status.state = if holder.is_some() { "elsewhere" } else { "interrupted" }.to_owned();
                }
                status.visits_in_flight = 0;
                Ok(status)
            }
            None => status_of(job)
                .map(|(status, _)| status)
                .map_err(|fault| Problem::internal("its state cannot be read", &fault)),
        }
    }

    /// A new crawl; its name is made of the spec's where none is given.
    pub fn create(&self, text: &str, id: Option<&str>) -> Result<String, Problem> {
        let spec = self.checked(text)?;
        if spec.needs_contact() {
            let why = "a crawl of the live web needs a contact, so that webmasters can find out who you are";
            return Err(Problem::field("contact", why));
        }
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
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Problem::conflict(format!("there is a crawl {id:?} already")));
            }
            made => made.map_err(|fault| Problem::internal("the job directory cannot be made", &fault))?,
        }
        let kept = keep_text(&folder.join("spec.toml"), &spec.to_toml());
        kept.map_err(|fault| Problem::internal("the spec cannot be kept", &fault))?;
        Ok(id)
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
        let taken = |name: &str| self.folder(name).exists();
        if !taken(&wanted) {
            return wanted;
        }
        (2..).map(|n| format!("{wanted}-{n}")).find(|name| !taken(name)).unwrap_or(wanted)
    }

    fn checked(&self, text: &str) -> Result<Spec, Problem> {
        let examined = self.shared.program.examine(text);
        examined.spec.ok_or_else(|| Problem::mistakes(&examined.mistakes))
    }

    /// The spec that counts for a crawl now.
    pub fn spec(&self, id: &str) -> Result<Spec, Problem> {
        let job = self.job(id)?;
        if let Some(control) = self.control(id) {
            return Ok(Spec::clone(&control.spec()));
        }
        let text = std::fs::read_to_string(job.spec());
        let text = text.map_err(|fault| Problem::internal("the spec cannot be read", &fault))?;
        self.checked(&text)
    }

    /// Replaces a crawl's spec; a running crawl takes it up at once. Says which parts wait for its next start.
    pub fn change(&self, id: &str, text: &str) -> Result<Vec<&'static str>, Problem> {
        let spec = self.checked(text)?;
        self.wait_until_open(id);
        let _changing = self.changing();
        self.take_up(id, spec)
    }

    /// Changes some of a crawl's spec, or says what is wrong with the change.
    pub fn amend(
        &self,
        id: &str,
        amend: impl FnOnce(&mut Spec) -> Result<(), Problem>,
    ) -> Result<Vec<&'static str>, Problem> {
        self.wait_until_open(id);
        let _changing = self.changing();
        let mut spec = self.spec(id)?;
        amend(&mut spec)?;
        // As it will be read again.
        self.take_up(id, self.checked(&spec.to_toml())?)
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
            return Err(Problem::later(5, "the crawl is being opened or ends: try again in a moment"));
        }
        match self.control(id) {
            Some(control) => control.change(spec).map_err(|fault| match fault {
                CrawlError::Spec { mistakes } => Problem::mistakes(&mistakes),
                CrawlError::SeedGone { .. } => Problem::field("seed", fault.to_string()),
                other => Problem::internal("the spec cannot be changed", &other),
            }),
            None => keep_text(&job.spec(), &spec.to_toml())
                .map(|()| Vec::new())
                .map_err(|fault| Problem::internal("the spec cannot be kept", &fault)),
        }
    }

    /// Starts a crawl, or lets it go on.
    pub fn start(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        if let Some((what, true)) = self.work().get(id) {
            let why = format!("{what} is under way: wait for it, or stop it, and start the crawl then");
            return Err(Problem::conflict(why));
        }
        // The lock is not held while it is launched.
        let running = self.running().get(id).cloned();
        if running.as_ref().is_some_and(|running| running.stop.is_asked()) {
            return Err(Problem::conflict("the crawl is ending: start it again in a moment"));
        }
        self.want(&job, |wanted| (wanted.goal, wanted.failed) = (Goal::Run, None))?;
        match running {
            Some(running) => {
                if let Some(control) = running.control().as_ref() {
                    control.resume();
                }
            }
            None => self.launch(id, false),
        }
        Ok(())
    }

    pub fn pause(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        let Some(running) = self.running().get(id).cloned() else {
            return Err(Problem::conflict("the crawl does not run: there is nothing to pause"));
        };
        self.want(&job, |wanted| wanted.goal = Goal::Pause)?;
        if let Some(control) = running.control().as_ref() {
            control.pause();
        }
        Ok(())
    }

    /// Asks a crawl to finish the pages under way and end; asked again, to end at once.
    pub fn stop(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        let Some(running) = self.running().get(id).cloned() else {
            return Err(Problem::conflict("the crawl does not run: there is nothing to stop"));
        };
        self.want(&job, |wanted| wanted.goal = Goal::Rest)?;
        running.stop.press();
        Ok(())
    }

    /// Removes a crawl with everything it has. It must not run.
    pub fn remove(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        if self.running().contains_key(id) || job.holder().ok().flatten().is_some() {
            return Err(Problem::conflict("the crawl runs: stop it first"));
        }
        if let Some((what, _)) = self.work().get(id) {
            return Err(Problem::conflict(format!("{what} is under way: stop it first")));
        }
        self.shared.deriving.give_way(id);
        self.queues().remove(id);
        // Out of sight at once, however long the rest takes.
        let away = self.shared.root.join(format!("{REMOVED}{id}-{}", std::process::id()));
        let removed = std::fs::rename(job.root(), &away).and_then(|()| std::fs::remove_dir_all(&away));
        removed.map_err(|fault| Problem::internal("the crawl cannot be removed", &fault))
    }

    pub fn set_schedule(&self, id: &str, schedule: Option<crate::wanted::Schedule>) -> Result<(), Problem> {
        let job = self.job(id)?;
        self.want(&job, |wanted| wanted.schedule = schedule)
    }

    /// Puts addresses into a crawl's queue; they are durable when this returns, whether it runs or not.
    pub fn inject(&self, id: &str, addresses: Vec<Injected>) -> Result<Accepted, Problem> {
        let job = self.job(id)?;
        let spec = self.spec(id)?;
        let mut told = Accepted::default();
        let mut good = Vec::with_capacity(addresses.len());
        for (place, address) in addresses.into_iter().enumerate() {
            match examine(&address, &spec) {
                Ok(_) => good.push(address),
                Err(detail) => {
                    told.refused += 1;
                    if told.errors.len() < MOST_TOLD {
                        told.errors.push(FieldError { field: format!("[{place}]"), line: None, detail });
                    }
                }
            }
        }
        let queue =
            Arc::clone(self.queues().entry(id.to_owned()).or_insert_with(|| Arc::new(Injections::of(&job))));
        if !good.is_empty() {
            queue.put(&good).map_err(|fault| Problem::internal("the addresses cannot be kept", &fault))?;
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
            None => explain(&self.job(id)?, &self.spec(id)?, address),
        };
        told.map_err(|fault| Problem::internal("the frontier cannot be read", &fault))
    }

    fn want(&self, job: &JobDir, change: impl FnOnce(&mut Wanted)) -> Result<(), Problem> {
        let _wanting = self.shared.wanting.lock().unwrap_or_else(PoisonError::into_inner);
        // What cannot be read is not written over: a schedule may stand in it.
        let unread =
            |fault| Problem::internal("what is wanted cannot be read: look at state/service.json", &fault);
        let mut wanted = Wanted::load(job.root()).map_err(unread)?;
        change(&mut wanted);
        wanted.keep(job.root()).map_err(|fault| Problem::internal("what is wanted cannot be kept", &fault))
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        self.shared.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) -> MutexGuard<'_, HashMap<String, (&'static str, bool)>> {
        self.shared.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a task may begin; one that needs the crawl to rest may not while it runs.
    pub fn begin_work(&self, id: &str, what: &'static str, needs_rest: bool) -> bool {
        self.work().insert(id.to_owned(), (what, needs_rest));
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

    /// Opens and runs a crawl on a thread of its own; what fails is kept for people to see.
    fn launch(&self, id: &str, paused: bool) {
        let running = Arc::new(Running {
            stop: Stop::new(),
            board: Board::default(),
            control: Mutex::default(),
            thread: Mutex::default(),
        });
        // What it had come to is seen while it is opened.
        let before = Status::load(&JobDir::new(self.folder(id)).status()).ok().flatten().unwrap_or_default();
        running.board.update(|status| {
            let state = "starting".to_owned();
            *status = Status { state, visits_in_flight: 0, waits_for: None, ..before };
        });
        {
            let mut all = self.running();
            if all.contains_key(id) {
                return;
            }
            all.insert(id.to_owned(), Arc::clone(&running));
        }
        let (service, own, name) = (self.clone(), Arc::clone(&running), id.to_owned());
        let thread = std::thread::Builder::new().name(format!("crawl {id}")).spawn(move || {
            let ended = service.run(&name, &own, paused);
            own.control().take();
            service.ended(&name, &own, ended);
        });
        match thread {
            Ok(thread) => *running.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread),
            Err(fault) => self.ended(id, &running, Err(format!("no thread for the crawl: {fault}"))),
        }
    }

    fn run(&self, id: &str, own: &Running, paused: bool) -> Result<(), String> {
        let (stop, board) = (own.stop.clone(), own.board.clone());
        let _runtime = self.shared.handle.enter();
        let folder = self.folder(id);
        self.shared.deriving.give_way(id);
        let crawl = self.shared.program.open(&folder, self.shared.pool.clone(), stop, board)?;
        let control = crawl.control();
        if paused || Wanted::load(&folder).is_ok_and(|wanted| wanted.goal == Goal::Pause) {
            control.pause();
        }
        if Wanted::load(&folder).is_ok_and(|wanted| wanted.again) {
            let again = self.shared.handle.block_on(control.visit_seeds_again());
            again.map_err(|fault| with_causes(&fault))?;
            // Where this cannot be kept, they are visited once more than was asked for.
            let _ = self.want(&JobDir::new(folder), |wanted| wanted.again = false);
        }
        *own.control() = Some(control);
        let report = self.shared.handle.block_on(crawl.run()).map_err(|fault| with_causes(&fault))?;
        own.board.update(|status| *status = report.status);
        Ok(())
    }

    /// A crawl that ended by itself wants nothing more; one that the service's own end ended goes on with the next.
    fn ended(&self, id: &str, own: &Running, ended: Result<(), String>) {
        let by_service = own.stop.is_asked() && !own.stop.is_pressed() && ended.is_ok();
        let job = JobDir::new(self.folder(id));
        let kept = match ended {
            Ok(()) if by_service && self.is_closing() => Ok(()),
            Ok(()) => self.want(&job, |wanted| wanted.goal = Goal::Rest),
            Err(why) => self.want(&job, |wanted| (wanted.goal, wanted.failed) = (Goal::Rest, Some(why))),
        };
        // On a full disk it will be started again, which does no harm.
        drop(kept);
        self.running().remove(id);
    }

    fn is_closing(&self) -> bool {
        self.shared.closing.load(Ordering::SeqCst)
    }

    /// Starts what is due. Called every second.
    pub fn look_at_schedules(&self, now: annalist_model::Time) {
        for id in self.ids().unwrap_or_default() {
            let Ok(wanted) = Wanted::load(&self.folder(&id)) else { continue };
            let Some(schedule) = wanted.schedule else { continue };
            let Some(next) = crate::schedule::due(&schedule, now) else { continue };
            let Ok(job) = self.job(&id) else { continue };
            // One that runs already goes on.
            let runs = self.is_running(&id);
            let kept =
                self.want(&job, |wanted| (wanted.schedule, wanted.again) = (next, wanted.again || !runs));
            if kept.is_ok() {
                let _ = self.start(&id);
            }
        }
    }

    /// Lets all crawls finish the pages under way. They go on when the service is started again.
    pub fn close(&self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        self.shared.deriving.stop_all();
        let all: BTreeMap<String, Arc<Running>> =
            self.running().iter().map(|(id, running)| (id.clone(), Arc::clone(running))).collect();
        for running in all.values() {
            running.stop.raise(Urge::Finish);
        }
        let until = Instant::now() + LONGEST_STOP;
        for running in all.values() {
            let thread = running.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(thread) = thread else { continue };
            while !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(20));
            }
            if thread.is_finished() {
                let _ = thread.join();
            } else {
                running.stop.raise(Urge::AtOnce);
            }
        }
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
    use super::{finish_removing, is_id};

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
