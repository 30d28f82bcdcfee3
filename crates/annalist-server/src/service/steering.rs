//! Crawls begin, pause and end, each on a thread of its own. One that is to run while something is in its way waits, and is
//! started when that has ended.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use annalist_crawl::control::Control;
use annalist_crawl::job::JobDir;
use annalist_crawl::logs::Severity;
use annalist_crawl::status::Board;
use annalist_crawl::stop::{Stop, Urge};
use annalist_model::{Time, with_causes};

use super::seeing::before_start;
use super::{FINISHING, Running, Service};
use crate::problem::Problem;
use crate::program::Unopened;
use crate::schedule;
use crate::wanted::{Goal, Schedule, Wanted};

/// A stop takes no longer than this before the crawls are left as they are.
const LONGEST_STOP: Duration = Duration::from_secs(9);
/// Between two tries to open a job that somebody else has.
const BETWEEN_TRIES: Duration = Duration::from_secs(2);

/// What keeps a crawl from being started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A task that needs it to rest.
    Work(&'static str),
    /// Its last run is not over yet.
    Ending,
    /// Another process crawls in its folder, or makes something of it.
    Busy(Option<u32>),
}

/// A crawl that is to run as soon as it can.
#[derive(Clone, Debug)]
pub(super) struct Awaiting {
    pub obstacle: Obstacle,
    since: Instant,
}

impl Obstacle {
    /// For who wants to start it now.
    fn conflict(&self) -> Problem {
        Problem::conflict(match self {
            Obstacle::Work(what) => {
                format!("{what} is under way: wait for it, or stop it, and start the crawl then")
            }
            Obstacle::Ending => "the crawl is ending: start it again in a moment".to_owned(),
            Obstacle::Busy(_) => format!("the crawl waits for {}", self.waited_for()),
        })
    }

    pub fn waited_for(&self) -> String {
        match self {
            Obstacle::Work(what) => format!("{what} to end"),
            Obstacle::Ending => "its last run to end".to_owned(),
            Obstacle::Busy(Some(process)) => format!("process {process} to end, which has its folder"),
            Obstacle::Busy(None) => "another process to end, which has its folder".to_owned(),
        }
    }
}

impl Running {
    /// Also by itself: to end takes a while where much is made of what was captured last.
    fn is_ending(&self) -> bool {
        self.stop.is_asked() || self.board.read().state == FINISHING
    }
}

impl Service {
    pub(super) fn awaiting(&self) -> MutexGuard<'_, HashMap<String, Awaiting>> {
        self.shared.awaiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn let_wait(&self, id: &str, obstacle: Obstacle) {
        self.awaiting().insert(id.to_owned(), Awaiting { obstacle, since: Instant::now() });
    }

    fn obstacle(&self, id: &str) -> Option<Obstacle> {
        if let Some((what, true)) = self.work().get(id) {
            return Some(Obstacle::Work(what));
        }
        let running = self.running().get(id).cloned();
        running.is_some_and(|running| running.is_ending()).then_some(Obstacle::Ending)
    }

    /// Starts a crawl, or lets it go on.
    pub fn start(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        if let Some(obstacle) = self.obstacle(id) {
            return Err(obstacle.conflict());
        }
        let go_on = || self.control(id).iter().for_each(Control::resume);
        let run = |wanted: &mut Wanted| {
            (wanted.goal, wanted.failed) = (Goal::Run, None);
            // Where its run came to its end just now, it is started again when that is over.
            if self.running().get(id).is_some_and(|running| running.is_ending()) {
                self.let_wait(id, Obstacle::Ending);
            }
        };
        self.want_then(&job, run, go_on)?;
        self.launch(id, Goal::Run);
        Ok(())
    }

    pub fn pause(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        let running = self.running().get(id).cloned();
        if running.is_none() && !self.awaiting().contains_key(id) {
            return Err(Problem::conflict("the crawl does not run: there is nothing to pause"));
        }
        let hold = || self.control(id).iter().for_each(Control::pause);
        // Before it is kept: a full disk keeps nobody from pausing. And after: it may have been opened meanwhile.
        hold();
        self.want_then(&job, |wanted| wanted.goal = Goal::Pause, hold)
    }

    /// Asks a crawl to finish the pages under way and end; asked again, to end at once.
    pub fn stop(&self, id: &str) -> Result<(), Problem> {
        let job = self.job(id)?;
        let waited = self.awaiting().remove(id).is_some();
        let running = self.running().get(id).cloned();
        if running.is_none() && !waited {
            return Err(Problem::conflict("the crawl does not run: there is nothing to stop"));
        }
        // Before it is kept: a full disk keeps nobody from stopping.
        if let Some(running) = running {
            running.stop.press();
        }
        self.want(&job, |wanted| wanted.goal = Goal::Rest)
    }

    pub fn set_schedule(&self, id: &str, schedule: Option<Schedule>) -> Result<(), Problem> {
        let job = self.job(id)?;
        self.want(&job, |wanted| wanted.schedule = schedule)
    }

    /// What kept the last start from succeeding is mended, as far as is known.
    pub(super) fn forget_failure(&self, job: &JobDir) {
        if Wanted::load(job.root()).is_ok_and(|wanted| wanted.failed.is_some()) {
            // The next start would tell it again.
            let _ = self.want(job, |wanted| wanted.failed = None);
        }
    }

    fn want(&self, job: &JobDir, change: impl FnOnce(&mut Wanted)) -> Result<(), Problem> {
        self.want_then(job, change, || ())
    }

    /// `then`: what is done when it is kept, before anybody wants something else.
    fn want_then(
        &self,
        job: &JobDir,
        change: impl FnOnce(&mut Wanted),
        then: impl FnOnce(),
    ) -> Result<(), Problem> {
        let _wanting = self.shared.wanting.lock().unwrap_or_else(PoisonError::into_inner);
        // What cannot be read is not written over: a schedule may stand in it.
        let unread =
            |fault| Problem::internal("what is wanted cannot be read: look at state/service.json", &fault);
        let mut wanted = Wanted::load(job.root()).map_err(unread)?;
        change(&mut wanted);
        wanted.keep(job.root()).map_err(|fault| Problem::unkept("what is wanted cannot be kept", &fault))?;
        then();
        Ok(())
    }

    /// Starts what is due, and what had to wait. Called every second.
    pub fn look_around(&self, now: Time) {
        for id in self.ids().unwrap_or_default() {
            self.start_if_due(&id, now);
        }
        let waiting: Vec<(String, Awaiting)> =
            self.awaiting().iter().map(|(id, awaiting)| (id.clone(), awaiting.clone())).collect();
        for (id, awaiting) in waiting {
            self.start_if_possible(&id, &awaiting);
        }
    }

    fn start_if_due(&self, id: &str, now: Time) {
        let Ok(wanted) = Wanted::load(&self.folder(id)) else { return };
        let Some(schedule) = wanted.schedule else { return };
        let Some(next) = schedule::due(&schedule, now) else { return };
        let Ok(job) = self.job(id) else { return };
        let obstacle = self.obstacle(id);
        // One that runs already goes on.
        let runs = self.is_running(id) && obstacle.is_none();
        if runs {
            // It stays as it is, also where somebody has paused it.
            let _ = self.want(&job, |wanted| wanted.schedule = next);
            return;
        }
        let kept = self.want(&job, |wanted| {
            (wanted.schedule, wanted.again) = (next, true);
            (wanted.goal, wanted.failed) = (Goal::Run, None);
            // Together with the goal: a run that ends meanwhile takes it back where nobody waits.
            if let Some(obstacle) = obstacle.clone() {
                self.let_wait(id, obstacle);
            }
        });
        match (kept, obstacle) {
            (Ok(()), None) => self.launch(id, Goal::Run),
            (Ok(()), Some(_)) => {}
            // It stays due.
            (Err(_), Some(_)) => drop(self.awaiting().remove(id)),
            (Err(_), None) => {}
        }
    }

    fn start_if_possible(&self, id: &str, awaiting: &Awaiting) {
        if self.is_closing() || self.is_running(id) || self.obstacle(id).is_some() {
            return;
        }
        let job = JobDir::new(self.folder(id));
        if matches!(awaiting.obstacle, Obstacle::Busy(_))
            && (awaiting.since.elapsed() < BETWEEN_TRIES || job.holder().ok().flatten().is_some())
        {
            return;
        }
        // Until it can be read what is wanted, nobody is to be started who was to rest.
        let Ok(wanted) = Wanted::load(job.root()) else { return };
        if wanted.goal == Goal::Rest || self.job(id).is_err() {
            self.awaiting().remove(id);
            return;
        }
        self.launch(id, wanted.goal);
    }

    /// Opens and runs a crawl on a thread of its own; what fails is kept for people to see.
    pub(super) fn launch(&self, id: &str, goal: Goal) {
        let running = Arc::new(Running {
            stop: Stop::new(),
            board: Board::default(),
            control: Mutex::default(),
            thread: Mutex::default(),
        });
        // What it had come to is seen while it is opened.
        let before = before_start(&JobDir::new(self.folder(id)));
        running.board.update(|status| *status = before);
        {
            let mut all = self.running();
            if all.contains_key(id) {
                return;
            }
            all.insert(id.to_owned(), Arc::clone(&running));
        }
        // A task that begins at this moment sees that the crawl runs, or is seen here.
        let work = self.work().get(id).copied();
        if let Some((what, true)) = work {
            self.let_wait(id, Obstacle::Work(what));
            self.running().remove(id);
            return;
        }
        let (service, own, name) = (self.clone(), Arc::clone(&running), id.to_owned());
        let thread = std::thread::Builder::new().name(format!("crawl {id}")).spawn(move || {
            let ended = service.run(&name, &own, goal);
            own.board.update(|status| status.state = FINISHING.to_owned());
            own.control().take();
            service.ended(&name, &own, ended);
        });
        match thread {
            Ok(thread) => *running.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread),
            Err(fault) => {
                let why = format!("no thread for the crawl: {fault}");
                self.ended(id, &running, Err(Unopened::Failed(why)));
            }
        }
    }

    fn run(&self, id: &str, own: &Running, goal: Goal) -> Result<(), Unopened> {
        let waited = self.awaiting().remove(id);
        let (stop, board) = (own.stop.clone(), own.board.clone());
        let _runtime = self.shared.handle.enter();
        let folder = self.folder(id);
        self.shared.deriving.give_way(id);
        let crawl = self.shared.program.open(&folder, self.shared.pool.clone(), stop, board)?;
        let failed = |fault: &(dyn std::error::Error + 'static)| Unopened::Failed(with_causes(fault));
        let control = crawl.control();
        if let Some(waited) = waited {
            let what = waited.obstacle.waited_for();
            control.tell(Severity::Warning, "service", format!("the start had to wait for {what}"));
        }
        if Wanted::load(&folder).is_ok_and(|wanted| wanted.again) {
            let again = self.shared.handle.block_on(control.visit_seeds_again());
            again.map_err(|fault| failed(&fault))?;
            // Where this cannot be kept, they are visited once more than was asked for.
            let _ = self.want(&JobDir::new(&folder), |wanted| wanted.again = false);
        }
        {
            // What was wanted while it was opened counts; what is wanted from here on, the control is told.
            let _wanting = self.shared.wanting.lock().unwrap_or_else(PoisonError::into_inner);
            if Wanted::load(&folder).map_or(goal, |wanted| wanted.goal) == Goal::Pause {
                control.pause();
            }
            *own.control() = Some(control);
        }
        let report = self.shared.handle.block_on(crawl.run()).map_err(|fault| failed(&fault))?;
        own.board.update(|status| *status = report.status);
        Ok(())
    }

    /// A crawl that ended by itself wants nothing more; one that the service's own end ended goes on with the next, and one
    /// that somebody else has is tried again.
    fn ended(&self, id: &str, own: &Running, ended: Result<(), Unopened>) {
        let by_service = own.stop.is_asked() && !own.stop.is_pressed() && ended.is_ok();
        let job = JobDir::new(self.folder(id));
        let rest = |wanted: &mut Wanted| {
            // Its next start may be due already.
            if !self.awaiting().contains_key(id) {
                wanted.goal = Goal::Rest;
            }
        };
        let kept = match ended {
            Ok(()) if by_service && self.is_closing() => Ok(()),
            Ok(()) => self.want(&job, rest),
            Err(Unopened::Busy(holder)) => {
                self.let_wait(id, Obstacle::Busy(holder));
                Ok(())
            }
            Err(Unopened::Failed(why)) => self.want(&job, |wanted| {
                rest(wanted);
                wanted.failed = Some(why);
            }),
        };
        // On a full disk it will be started again, which does no harm.
        drop(kept);
        self.running().remove(id);
    }

    fn is_closing(&self) -> bool {
        self.shared.closing.load(Ordering::SeqCst)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_that_comes_to_its_end_is_ending_whoever_ended_it() {
        let running = || Running {
            stop: Stop::new(),
            board: Board::default(),
            control: Mutex::default(),
            thread: Mutex::default(),
        };
        let at = |state: &str| {
            let running = running();
            running.board.update(|status| status.state = state.to_owned());
            running.is_ending()
        };
        assert!(["starting", "running", "waiting", "paused"].iter().all(|state| !at(state)));
        assert!(at(FINISHING));
        let stopped = running();
        stopped.stop.press();
        assert!(stopped.is_ending());
    }
}
