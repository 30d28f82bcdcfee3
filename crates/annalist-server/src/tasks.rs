//! Long work on a crawl that is not crawling: studies, exports, rebuilding. Each is one command of this very program, run as
//! a process of its own, so that it can be stopped at any moment and a fault in it harms nobody else. A crawl has one at a
//! time; the others wait in a queue. Nothing is begun that nobody asked for.

mod child;
mod kept;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annalist_crawl::clock;

use crate::exports;
use crate::problem::Problem;
use crate::service::Service;
use kept::Kept;
pub use kept::{Format, Kind, NewTask, State, Task};

/// Of one crawl, those that wait.
const MOST_QUEUED: usize = 10;
/// Of all crawls together, those that run.
const MOST_AT_ONCE: usize = 2;
/// How often it is looked whether a crawl has ended that a task waits for.
const LOOK: Duration = Duration::from_millis(500);
/// A stop takes no longer than this.
const LONGEST_STOP: Duration = Duration::from_secs(9);
/// The parts of a study.
pub const STAGES: [&str; 6] = ["entities", "opinions", "topics", "events", "social", "images"];
const SHOWN_LINES: usize = 20;

/// All tasks of a service.
#[derive(Clone, Debug)]
pub struct Tasks {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    service: Service,
    book: Mutex<Book>,
    changed: Condvar,
    closing: AtomicBool,
    clerk: Mutex<Option<JoinHandle<()>>>,
}

/// What waits and what runs.
#[derive(Debug, Default)]
struct Book {
    queue: VecDeque<(String, u64)>,
    running: HashMap<String, Running>,
}

#[derive(Debug)]
struct Running {
    number: u64,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A task with what it says.
#[derive(Clone, Debug)]
pub struct Told {
    pub task: Task,
    /// What the command said of its way, the newest last.
    pub lines: Vec<String>,
    /// What it found, where it ended well.
    pub report: Vec<String>,
}

impl Tasks {
    /// Takes up what waited when the service ended; what ran then is interrupted.
    pub fn open(service: &Service) -> io::Result<Tasks> {
        let mut book = Book::default();
        for id in service.ids()? {
            let Ok(job) = service.job(&id) else { continue };
            let kept = Kept::of(job.root());
            for mut task in kept.all().unwrap_or_default().into_iter().rev() {
                match task.state {
                    State::Queued => book.queue.push_back((id.clone(), task.number)),
                    State::Running => {
                        task.state = State::Interrupted;
                        task.ended = Some(clock::now().rfc3339());
                        task.message = Some("the service ended while it ran".to_owned());
                        // On a full disk it is found to be interrupted with the next start.
                        let _ = kept.keep(&task);
                    }
                    _ => {}
                }
            }
            exports::clear(job.root());
        }
        let shared = Shared {
            service: service.clone(),
            book: Mutex::new(book),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
            clerk: Mutex::default(),
        };
        let tasks = Tasks { shared: Arc::new(shared) };
        let own = tasks.clone();
        let clerk = std::thread::Builder::new().name("tasks".to_owned()).spawn(move || own.work_through())?;
        *tasks.shared.clerk.lock().unwrap_or_else(PoisonError::into_inner) = Some(clerk);
        Ok(tasks)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.shared.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept(&self, id: &str) -> Result<Kept, Problem> {
        Ok(Kept::of(self.shared.service.job(id)?.root()))
    }

    /// Puts a task into the queue; it is durable when this returns.
    pub fn add(&self, id: &str, what: NewTask) -> Result<Task, Problem> {
        let job = self.shared.service.job(id)?;
        check(&what)?;
        if !job.archive().is_dir() {
            return Err(Problem::conflict("nothing is archived yet: start the crawl first"));
        }
        let kept = Kept::of(job.root());
        let mut book = self.book();
        if book.queue.iter().filter(|(crawl, _)| crawl == id).count() >= MOST_QUEUED {
            return Err(Problem::conflict("ten tasks wait already: let some of them end first"));
        }
        let number = kept.next().map_err(unkept)?;
        let task = Task {
            number,
            what,
            state: State::Queued,
            asked: clock::now().rfc3339(),
            started: None,
            ended: None,
            exit: None,
            message: None,
            files: Vec::new(),
        };
        kept.keep(&task).map_err(unkept)?;
        book.queue.push_back((id.to_owned(), number));
        self.shared.changed.notify_all();
        Ok(task)
    }

    /// The tasks of a crawl, the newest first.
    pub fn list(&self, id: &str) -> Result<Vec<Told>, Problem> {
        self.part(id, 0, usize::MAX).map(|(_, tasks)| tasks)
    }

    /// How many there are, and a part of them.
    pub fn part(&self, id: &str, offset: usize, limit: usize) -> Result<(usize, Vec<Told>), Problem> {
        let kept = self.kept(id)?;
        let all = kept.all().map_err(|fault| Problem::internal("the tasks cannot be read", &fault))?;
        let total = all.len();
        Ok((total, all.into_iter().skip(offset).take(limit).map(|task| told(&kept, task)).collect()))
    }

    pub fn one(&self, id: &str, number: u64) -> Result<Told, Problem> {
        let kept = self.kept(id)?;
        let task = kept.one(number).map_err(|fault| Problem::internal("the task cannot be read", &fault))?;
        let task = task.ok_or_else(|| Problem::not_found(format!("there is no task {number} here")))?;
        Ok(told(&kept, task))
    }

    /// Takes a task out of the queue, or asks its command to end, which leaves nothing half done.
    pub fn stop(&self, id: &str, number: u64) -> Result<Told, Problem> {
        let Told { mut task, .. } = self.one(id, number)?;
        let kept = self.kept(id)?;
        let mut book = self.book();
        if let Some(running) = book.running.get(id).filter(|running| running.number == number) {
            running.stop.store(true, Ordering::SeqCst);
        } else if let Some(place) = book.queue.iter().position(|(crawl, n)| crawl == id && *n == number) {
            task.state = State::Stopped;
            task.ended = Some(clock::now().rfc3339());
            kept.keep(&task).map_err(unkept)?;
            book.queue.remove(place);
        } else {
            return Err(Problem::conflict("the task is over: there is nothing to stop"));
        }
        drop(book);
        self.one(id, number)
    }

    /// The clerk's own loop: begins what can begin.
    fn work_through(&self) {
        let mut book = self.book();
        while !self.is_closing() {
            let mut place = 0;
            while place < book.queue.len() && book.running.len() < MOST_AT_ONCE {
                let Some((id, number)) = book.queue.get(place).cloned() else { break };
                if !book.running.contains_key(&id) && self.begin(&mut book, &id, number) {
                    book.queue.remove(place);
                } else {
                    place += 1;
                }
            }
            let woken = self.shared.changed.wait_timeout(book, LOOK);
            book = woken.map_or_else(|fault| fault.into_inner().0, |(book, _)| book);
        }
    }

    /// Whether it need not wait any longer, because it runs or cannot run.
    fn begin(&self, book: &mut Book, id: &str, number: u64) -> bool {
        let service = &self.shared.service;
        let Ok(job) = service.job(id) else { return true };
        let kept = Kept::of(job.root());
        let Ok(Some(mut task)) = kept.one(number) else { return true };
        let kind = task.what.kind;
        if !service.begin_work(id, word(kind), kind.needs_rest()) {
            return false;
        }
        task.state = State::Running;
        task.started = Some(clock::now().rfc3339());
        let stop = Arc::new(AtomicBool::new(false));
        let (own, name, asked) = (self.clone(), id.to_owned(), Arc::clone(&stop));
        let begun = kept.keep(&task).and_then(|()| {
            let work = move || own.carry_out(&name, &job, task, &asked);
            std::thread::Builder::new().name(format!("task {number}")).spawn(work)
        });
        match begun {
            Ok(thread) => {
                book.running.insert(id.to_owned(), Running { number, stop, thread: Some(thread) });
                true
            }
            // A full disk: it waits until there is room.
            Err(_) => {
                service.end_work(id);
                false
            }
        }
    }

    /// Runs the command to its end and keeps what came of it.
    fn carry_out(&self, id: &str, job: &annalist_crawl::job::JobDir, mut task: Task, stop: &Arc<AtomicBool>) {
        let kept = Kept::of(job.root());
        let is_to_end = || stop.load(Ordering::SeqCst) || self.is_closing();
        let ended = child::run(&self.shared.service, id, job, &task, &kept, &is_to_end);
        task.ended = Some(clock::now().rfc3339());
        (task.exit, task.files) = (ended.exit, ended.files);
        task.state = match ended.exit {
            Some(0) => State::Done,
            _ if stop.load(Ordering::SeqCst) => State::Stopped,
            _ if self.is_closing() => State::Interrupted,
            _ => State::Failed,
        };
        task.message = match task.state {
            State::Stopped => Some("stopped".to_owned()),
            State::Interrupted => Some("the service ended while it ran".to_owned()),
            _ => ended.message,
        };
        // What cannot be kept is interrupted for the next start.
        let _ = kept.keep(&task);
        self.shared.service.end_work(id);
        self.book().running.remove(id);
        self.shared.changed.notify_all();
    }

    fn is_closing(&self) -> bool {
        self.shared.closing.load(Ordering::SeqCst)
    }

    /// Ends all commands; they leave nothing half done. What waits is taken up by the next start.
    pub fn close(&self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        self.shared.changed.notify_all();
        let mut threads: Vec<JoinHandle<()>> =
            self.book().running.values_mut().filter_map(|running| running.thread.take()).collect();
        threads.extend(self.shared.clerk.lock().unwrap_or_else(PoisonError::into_inner).take());
        let until = Instant::now() + LONGEST_STOP;
        for thread in threads {
            while !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

fn told(kept: &Kept, task: Task) -> Told {
    let lines = kept::last_lines(&kept.log(task.number), SHOWN_LINES);
    let mut report = kept::last_lines(&kept.report(task.number), SHOWN_LINES * 5);
    // Where the files are on this machine; how to get them is said elsewhere.
    report.retain(|line| !line.starts_with("written: "));
    Told { task, lines, report }
}

fn check(what: &NewTask) -> Result<(), Problem> {
    if what.kind != Kind::Export && (what.format.is_some() || what.selected) {
        return Err(Problem::field("format", "only an export has a format and a selection"));
    }
    if what.kind != Kind::Study && !what.only.is_empty() {
        return Err(Problem::field("only", "only a study has parts"));
    }
    if what.kind == Kind::Export && what.format.is_none() {
        return Err(Problem::field("format", "missing: wacz, warc, csv, nquads or parquet"));
    }
    if what.selected && what.format == Some(Format::Nquads) {
        return Err(Problem::field("selected", "N-Quads are of the whole crawl: the graph has no selection"));
    }
    match what.only.iter().find(|name| !STAGES.contains(&name.as_str())) {
        Some(name) => {
            let why = format!("nothing is called {name:?} here; there are {}", STAGES.join(", "));
            Err(Problem::field("only", why))
        }
        None => Ok(()),
    }
}

/// What is being done, for who has to wait for it.
fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Study => "a study",
        Kind::Export => "an export",
        Kind::Rebuild => "rebuilding",
        Kind::Select => "reading for the review",
        Kind::Sample => "drawing pages to judge",
    }
}

fn unkept(fault: io::Error) -> Problem {
    Problem::unkept("the task cannot be kept", &fault)
}

#[cfg(test)]
mod tests {
    use annalist_study::offline::Stage;

    use super::STAGES;

    #[test]
    fn the_parts_of_a_study_are_those_that_there_are() {
        assert_eq!(STAGES, Stage::ALL.map(Stage::name));
    }
}
