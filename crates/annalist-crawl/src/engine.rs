//! A crawl from its start to its end: opens the job, tells the frontier of the seeds, gives sites their turns, and
//! closes everything in order. What happens in a turn is in `turn.rs`.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use annalist_disk::{Disk, RealDisk};
use annalist_frontier::Transaction;
use annalist_model::spec::Spec;
use annalist_model::{SkipReason, Time};
use annalist_read::Reader;
use annalist_sources::ArchiveSource;
use annalist_warc::Writer;
use tokio::sync::{Notify, Semaphore};

use crate::apps::{Apps, left_out};
use crate::barred::Barred;
use crate::book::Book;
use crate::budget::{Before, Budget, Ending};
use crate::choice::{self, Choice};
use crate::clock;
use crate::collect::Collecting;
use crate::control::{Control, keep};
use crate::counters::Counters;
use crate::findings::widen_again;
use crate::finish::finish_waiting;
use crate::hosts::Hosts;
use crate::intake::Intake;
use crate::job::{JobDir, JobLock};
use crate::judging::{Basis, Judging};
use crate::keeper::{self, Archive, KeepError, Pending, Run};
use crate::knowing::{Durable, Knowing, Shown};
use crate::left::Left;
use crate::live::{Live, Told};
use crate::logs::{EVENTS, Logs, Severity};
use crate::missing::{missing_in, write_seeds};
use crate::pace::Pace;
use crate::pool::Pool;
use crate::pushing::Pushing;
use crate::reopen::{Reopened, had_other_scope};
use crate::rest::SiteRests;
use crate::robots::RobotsDesk;
use crate::rounds::Rounds;
use crate::scope::Scope;
use crate::series::{self, Sample, Series};
use crate::servers::Servers;
use crate::set_up::{
    frontier_settings, product_token, recover_archive, web_source, with_seeds_in_order, writer_settings,
};
use crate::snapshots::Wanted;
use crate::stages::Stages;
use crate::status::{Board, Fresh, Status};
use crate::stop::{Stop, Urge};
use crate::turn::{self, Turn};
use crate::waiting::{Waiting, for_another_crawl};

/// The product token of robots.txt and the first word of the user agent.
pub const PRODUCT: &str = "annalist";
/// A visit that has not ended after this long is given up and its link leased again.
pub(crate) const LEASE_TIME: Duration = Duration::from_secs(3600);
/// How long pages under way may take to finish after a stop.
const FINISHING: Duration = Duration::from_secs(7);
/// For this long at most the other pages wait for those that say what the topic is.
const LONGEST_FOR_REFERENCES: Duration = Duration::from_secs(300);
const GLANCE: Duration = Duration::from_millis(200);
/// How often what the helper remembers of pages is written down.
const BETWEEN_SAVES: Duration = Duration::from_secs(20);
/// How often the dispatcher looks around.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    #[error("{what}")]
    Io {
        what: &'static str,
        #[source]
        fault: io::Error,
    },
    #[error("the job is in use by process {}: wait for it, or run `annalist stop` on it", holder.map_or("?".into(), |p| p.to_string()))]
    Busy { holder: Option<u32> },
    #[error("the spec is wrong:\n{}", mistakes.iter().map(|m| format!("  {m}")).collect::<Vec<_>>().join("\n"))]
    Spec { mistakes: Vec<annalist_model::spec::Mistake> },
    #[error(
        "the seed {url} of an earlier run is not in the spec: seeds of a crawl can be added, not taken away; \
         put its site into scope.block to leave it alone, or give another --job"
    )]
    SeedGone { url: String },
    #[error("the frontier")]
    Frontier(#[from] annalist_frontier::FrontierError),
    #[error("the archive")]
    Archive(#[from] annalist_warc::WriteError),
    #[error("the web source")]
    Source(#[from] annalist_sources::SetupError),
    #[error(transparent)]
    Keep(#[from] KeepError),
}

impl CrawlError {
    /// Whether there was no room on the disk.
    pub fn is_full(&self) -> bool {
        match self {
            CrawlError::Io { fault, .. } => fault.kind() == io::ErrorKind::StorageFull,
            CrawlError::Frontier(fault) => matches!(fault, annalist_frontier::FrontierError::Full),
            CrawlError::Archive(fault) => fault.is_full(),
            _ => false,
        }
    }
}

fn io_error(what: &'static str) -> impl FnOnce(io::Error) -> CrawlError {
    move |fault| CrawlError::Io { what, fault }
}

/// How a crawl ended, with everything it counted.
#[derive(Clone, Debug)]
pub struct Report {
    pub ending: Ending,
    pub status: Status,
    /// Of this run.
    pub seconds: f64,
    /// Captures of this run.
    pub captures: u64,
    /// Why graph and search index are not up to date, if something is wrong with them.
    pub unknown: Option<String>,
    /// Why the store elsewhere does not know everything, and what waits for it.
    pub untold: Option<String>,
}

/// Which web is walked.
#[derive(Debug)]
pub enum Origin {
    /// The live web, with the book that other crawls look into that may meet this one on a server.
    Web(Book),
    Archive(Box<ArchiveSource>),
}

/// A crawl that is ready to run. Holds the job's lock.
#[derive(Debug)]
pub struct Crawl {
    stages: Arc<Stages>,
    keeper: std::thread::JoinHandle<Result<Archive, KeepError>>,
    board: Board,
    job: JobDir,
    waiting: Waiting,
    pace: Mutex<Pace>,
    started: Time,
    /// Visits it may have in flight.
    visits: usize,
    captures_before: u64,
    choice: Choice,
    knowing: Option<Knowing>,
    pushing: Option<Pushing>,
    _lock: JobLock,
}

impl Crawl {
    /// Opens the job directory, repairs what an earlier run left, and gets everything ready. Nothing is fetched yet.
    /// `basis`: what the crawl is about, if anything. `pool`: what it shares with the others of its process.
    pub fn open(
        spec: Spec,
        job: JobDir,
        basis: Option<Basis>,
        origin: Origin,
        stop: Stop,
        board: Board,
        pool: Pool,
    ) -> Result<Crawl, CrawlError> {
        Scope::compile(&spec).map_err(|mistakes| CrawlError::Spec { mistakes })?;
        job.prepare().map_err(io_error("the job directory cannot be made"))?;
        let lock = job.lock().map_err(io_error("the job directory cannot be locked"))?;
        let lock = lock.map_err(|holder| CrawlError::Busy { holder })?;
        job.clear_spool().map_err(io_error("the spool cannot be emptied"))?;
        let spec = with_seeds_in_order(spec, &job)?;
        keep(&spec, &job).map_err(io_error("the spec cannot be kept"))?;

        let scope = Scope::compile(&spec).map_err(|mistakes| CrawlError::Spec { mistakes })?;
        let now = clock::now();
        let resumed =
            !RealDisk.list(&job.frontier()).map_err(io_error("the state cannot be read"))?.is_empty();
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let (frontier, journal) = annalist_frontier::open(
            Arc::clone(&disk),
            &job.frontier(),
            frontier_settings(&spec, basis.is_some()),
            now,
        )?;
        let counters = Counters::kept(frontier.note(keeper::COUNTERS_NOTE), &job.logs().join(EVENTS));
        // Who watches sees what was acknowledged before, not zeros until the first visit is, nor what an old file says.
        let counts = frontier.counts();
        board.update(|status| {
            (status.counters, status.is_behind) = (counters.clone(), false);
            (status.queued, status.sites) = (counts.queued, counts.sites);
        });
        widen_again(&scope, frontier.note(keeper::WIDENED_NOTE));
        let reopened = Reopened::of(&spec, &scope, &frontier)?;
        let told = Told::default();
        if had_other_scope(&spec, &frontier) {
            told.take_other_scope();
        }
        let settings = writer_settings(&spec, &job);
        let recovered = recover_archive(&disk, &settings, frontier.note(keeper::WARC_NOTE))?;

        let lane = pool.lane.clone();
        let web = web_source(&spec, &job, lane.clone())?;
        let logs = Logs::open(&job.logs()).map_err(io_error("the logs cannot be opened"))?;
        let budget = Budget::new(&spec.limits, &spec.seeds, &Before::of(&counters, &spec), now);
        let frontier = Arc::new(Mutex::new(frontier));
        let changed = Arc::new(Notify::new());
        let captures_before = counters.captures;
        let millis_before = counters.millis;
        let durable = Durable::default();
        let mut archive = Archive {
            writer: Writer::new(disk, settings, uuid::Uuid::new_v4),
            journal,
            frontier: Arc::clone(&frontier),
            logs,
            counters,
            board: board.clone(),
            stop: stop.clone(),
            changed: Arc::clone(&changed),
            salt: xxhash_rust::xxh3::xxh3_64(spec.name.as_bytes()),
            rounds: Rounds::of(&spec),
            seeds: spec.seeds.iter().map(|seed| seed.url.as_str().to_owned()).collect(),
            pending: Pending::default(),
            durable: durable.clone(),
            left: Left::default(),
            in_trouble: false,
            run: Run { started: now, millis_before },
            pause: keeper::PAUSE,
        };
        archive.begin(&spec, &scope, reopened, &recovered)?;
        if matches!(origin, Origin::Archive(_)) {
            archive.find_left(&recovered.closed, &job)?;
        }
        let due = archive.rounds.due(&archive.frontier());
        archive.commit(Transaction { changes: due })?;
        let (handle, keeper) =
            keeper::start(archive, lane.clone()).map_err(io_error("no thread for the keeper"))?;
        // Asked by an earlier run, perhaps just now: a server nobody remembers rests first.
        let first = if resumed { now.plus(spec.politeness.min_delay) } else { now };
        let (apps, mistakes) = Apps::of(&spec, Some(&job));
        for mistake in mistakes {
            handle.event(Severity::Warning, "apps", left_out(&mistake));
        }
        let (book, archive) = match origin {
            Origin::Web(book) => (book, None),
            Origin::Archive(source) => {
                for (path, hole) in source.damaged() {
                    handle.event(Severity::Warning, "archive", format!("{}: {hole}", path.display()));
                }
                let choice = spec.extract.as_ref().map(|extract| extract.snapshot).unwrap_or_default();
                let wanted = Wanted::of(choice, spec.event.as_ref());
                (Book::none(), Some(Collecting { source: *source, wanted }))
            }
        };
        let visits = spec.frontier.visits;
        for (severity, what) in basis.iter().flat_map(|basis| &basis.told) {
            handle.event(*severity, "topic", what);
        }
        let judging = basis.map(|basis| Arc::new(Judging::new(basis, &spec.seeds)));
        let stages = Arc::new(Stages {
            web,
            robots: RobotsDesk::new(&product_token(&spec)),
            keeper: handle,
            lane,
            reader: Arc::new(Reader::new(spec.canonical.clone())),
            feeds: Arc::default(),
            helper: RwLock::new(apps.map(Arc::new)),
            judging,
            archive,
            frontier,
            servers: Servers::new(first),
            site_rests: SiteRests::default(),
            book,
            owing: pool.owed.by_another(),
            hosts: Hosts::default(),
            budget,
            barred: Barred::default(),
            stop,
            visits: Semaphore::new(spec.frontier.visits),
            pool,
            told,
            turns: AtomicUsize::new(0),
            spool: job.spool(),
            board: board.clone(),
            changed,
            live: Live::new(spec, scope),
        });
        let events = stages.keeper.clone();
        let trouble = move |why: String| events.event(Severity::Error, "knowledge", why);
        let knowing = Knowing::start(&job, &stages.spec(), durable.clone(), trouble)
            .map_err(io_error("no thread for graph and search index"))?;
        let events = stages.keeper.clone();
        let tell = move |severity, what: String| events.event(severity, "remote", what);
        let pushing = Pushing::start(&job, &stages.spec(), durable, tell)
            .map_err(io_error("no thread for the remote store"))?;
        let waiting = Waiting::default();
        Ok(Crawl {
            stages,
            keeper,
            board,
            job,
            waiting,
            pace: Mutex::default(),
            started: now,
            visits,
            captures_before,
            choice: Choice::default(),
            knowing,
            pushing,
            _lock: lock,
        })
    }

    /// Crawls until nothing is left, a limit is reached, or it is told to stop.
    pub async fn run(self) -> Result<Report, CrawlError> {
        self.stages.keeper.event(Severity::Info, "crawl", "the crawl begins");
        self.publish(clock::now());
        self.board.read().write(&self.job.status()).map_err(io_error("the status cannot be kept"))?;
        let fresh = Fresh::begin(&self.board, self.job.status());
        let intake = Intake::new(&self.stages, &self.job);
        // Before anybody is asked: what waits in the queue may have been blacklisted while the crawl was at rest.
        tokio::select! {
            _ = intake.take_up() => {}
            () = self.stages.stop.reached(Urge::Finish) => {}
        }
        let ending = tokio::select! {
            ending = self.dispatch(&intake) => ending,
            () = intake.watch() => Ending::Interrupted,
        };
        self.board.update(|status| {
            status.state = "finishing".to_owned();
            // What it waited for, it waits for no more; a pause is over, too.
            status.waits_for = status.trouble.clone();
        });
        self.wind_down().await;
        self.finish(ending, fresh)
    }

    /// Gives ready sites their turns.
    async fn dispatch(&self, intake: &Intake) -> Ending {
        let stages = &self.stages;
        // In an archive nobody waits for servers: a few turns keep the reading threads busy, and the best links come first.
        let most_turns = match &stages.archive {
            Some(_) => stages.spec().frontier.reading_threads.saturating_mul(2),
            None => stages.spec().frontier.visits.saturating_mul(4),
        };
        let (mut published, mut kept, mut sampled) = (Time::default(), Time::default(), Time::default());
        let mut series = Series::at(self.job.series());
        loop {
            let now = clock::now();
            if now.since(published) >= BETWEEN_LOOKS {
                published = now;
                self.publish(now);
                self.heed_stop_request();
                self.give_up_references();
                self.tidy_book();
                if now.since(kept) >= BETWEEN_SAVES && self.keep_memory() {
                    kept = now;
                }
                if now.since(sampled) >= series::EVERY {
                    sampled = now;
                    // Only for people who look at it.
                    let _ = series.add(&Sample::of(&self.board.read(), now));
                }
            }
            if let Some(ending) = self.ending(now) {
                return ending;
            }
            let paused = stages.told.is_paused();
            while !paused && stages.turns_under_way() < most_turns && !stages.budget.is_spent() {
                let next = stages.frontier().next(now);
                match next {
                    Ok(Some(lease)) if self.choice.is_beneath(&lease, stages, now) => {
                        Turn::new(lease, now.plus(choice::rest(stages))).give_back(stages);
                        break;
                    }
                    Ok(Some(lease)) => {
                        self.choice.took(&lease, now);
                        turn::start(Turn::new(lease, now), None, stages);
                    }
                    Ok(None) => break,
                    Err(fault) => {
                        stages.keeper.event(Severity::Error, "frontier", fault.to_string());
                        break;
                    }
                }
            }
            if !paused && !stages.spec().scope.only_injected && self.is_complete() && !intake.take_up().await
            {
                return Ending::Complete;
            }
            self.wait(now).await;
        }
    }

    /// A hold on the crawl, for who steers it.
    pub fn control(&self) -> Control {
        Control::new(&self.stages, &self.job)
    }

    /// `annalist stop` leaves a file in the job directory.
    fn heed_stop_request(&self) {
        if self.job.stop_request().exists() {
            self.stages.stop.raise(Urge::Finish);
        }
    }

    /// References that will not come must not hold up the others.
    fn give_up_references(&self) {
        let Some(judging) = self.stages.judging.as_ref().filter(|judging| judging.awaits() > 0) else {
            return;
        };
        let long = clock::elapsed(self.started) > LONGEST_FOR_REFERENCES;
        let in_vain = judging.awaited_in_vain(&self.stages.frontier(), long);
        for key in in_vain {
            finish_waiting(key, &self.stages);
        }
    }

    /// A kill takes from the next run only what the last pages taught. Says whether there was anything to keep.
    fn keep_memory(&self) -> bool {
        let Some(apps) = self.stages.helper().filter(|apps| apps.has_news()) else { return false };
        let job = self.job.clone();
        // What cannot be kept now is kept at the end, or in the archive only.
        tokio::task::spawn_blocking(move || apps.save(&job));
        true
    }

    fn tidy_book(&self) {
        if self.stages.book.is_untidy() {
            let stages = Arc::clone(&self.stages);
            tokio::task::spawn_blocking(move || stages.book.sweep(clock::now));
        }
    }

    fn ending(&self, now: Time) -> Option<Ending> {
        if self.stages.stop.is_asked() {
            let full = self.board.read().trouble.is_some();
            return Some(if full { Ending::DiskFull } else { Ending::Interrupted });
        }
        if self.keeper.is_finished() {
            return Some(Ending::Interrupted);
        }
        self.stages.budget.reached(now)
    }

    /// Nothing leased, nothing unacknowledged, nothing waiting: in this order, since each feeds the next.
    fn is_complete(&self) -> bool {
        let leased = self.stages.frontier().counts().leased;
        let unacknowledged = self.stages.keeper.unacknowledged();
        leased == 0 && unacknowledged == 0 && self.stages.frontier().exhausted()
    }

    async fn wait(&self, now: Time) {
        let ready = self.stages.frontier().next_ready_at();
        let until = ready.map_or(GLANCE, |at| at.since(now).min(GLANCE)).max(Duration::from_millis(1));
        tokio::select! {
            () = tokio::time::sleep(until) => {}
            () = self.stages.changed.notified() => {}
            () = self.stages.stop.reached(Urge::Finish) => {}
        }
    }

    /// What the crawl is doing, or waiting for, for everybody to see.
    fn publish(&self, now: Time) {
        let counts = self.stages.frontier().counts();
        let spec = self.stages.spec();
        let in_flight = self.visits.saturating_sub(self.stages.visits.available_permits());
        let paused = self.stages.told.is_paused();
        let idle = counts.leased == 0 && in_flight == 0 && self.stages.keeper.unacknowledged() == 0;
        let waiting_for = if paused {
            Some("somebody to let it go on: it is paused".to_owned())
        } else if in_flight > 0 && self.stages.budget.is_spent() {
            Some("the visits under way to end: the spec allows no more pages".to_owned())
        } else if idle {
            let reason = self.waiting.reason(&self.stages.frontier(), &spec, now);
            let injected = spec.scope.only_injected.then(|| "addresses to be handed over".to_owned());
            reason.filter(|_| counts.queued > 0).or(injected)
        } else {
            (in_flight == 0).then(|| for_another_crawl(&self.stages.book, now)).flatten()
        };
        let references = self.stages.judging.as_ref().map_or(0, |judging| judging.awaits());
        let waiting_for = waiting_for.or_else(|| {
            (in_flight == 0 && references > 0)
                .then(|| format!("{references} pages that say what the topic is"))
        });
        self.board.update(|status| {
            let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
            status.pages_per_second = pace.at(now, status.counters.captures);
            status.waits_for = status.trouble.clone().or(waiting_for);
            let waits = if status.waits_for.is_some() { "waiting" } else { "running" };
            status.state = if paused { "paused" } else { waits }.to_owned();
            status.queued = counts.queued;
            status.sites = counts.sites;
            status.visits_in_flight = in_flight as u64;
            status.started = self.started.rfc3339();
            status.updated = now.rfc3339();
        });
    }

    /// Lets the pages under way finish, for as long as a stop may take.
    async fn wind_down(&self) {
        let stages = &self.stages;
        stages.stop.raise(Urge::Finish);
        for waiting in stages.servers.drain() {
            waiting.give_back(stages);
        }
        let done = async {
            while stages.frontier().counts().leased > 0 && !self.keeper.is_finished() {
                tokio::time::sleep(Duration::from_millis(20)).await;
                for waiting in stages.servers.drain() {
                    waiting.give_back(stages);
                }
            }
        };
        tokio::select! {
            () = done => {}
            () = tokio::time::sleep(FINISHING) => {}
            () = stages.stop.reached(Urge::AtOnce) => {}
        }
    }

    fn finish(self, ending: Ending, fresh: Fresh) -> Result<Report, CrawlError> {
        let queued = self.stages.frontier().counts().queued;
        self.board.update(|status| status.queued = queued);
        let at_once = self.stages.stop.urge() == Urge::AtOnce;
        if at_once {
            self.stages.keeper.abandon();
        } else {
            self.stages.keeper.event(Severity::Info, "crawl", format!("the crawl ends: {}", ending.told()));
            self.stages.keeper.close(limit_of(ending));
        }
        let kept =
            self.keeper.join().unwrap_or_else(|_| Err(KeepError::Closed("the keeper failed".to_owned())));
        list_missing(&self.stages, &self.job)?;
        if let Some(apps) = self.stages.helper() {
            // Not worth failing for: it is in the archive, too.
            let _ = apps.save(&self.job);
        }
        let shown = |what| Shown {
            board: self.board.clone(),
            stop: self.stages.stop.clone(),
            request: self.job.stop_request(),
            what,
            documents: AtomicU64::new(0),
        };
        let unknown = self.knowing.and_then(|knowing| {
            knowing.finish(has_time(ending) && !at_once, &shown("graph and search index")).err()
        });
        let untold = self
            .pushing
            .and_then(|pushing| pushing.finish(has_time(ending) && !at_once, &shown("remote store")).err());
        // What visits that were given up have left; what stays now goes at the next start.
        let _ = self.job.clear_spool();
        let ended = clock::now();
        let mut status = self.board.read();
        status.state = format!("{ending:?}").to_lowercase();
        status.waits_for = None;
        status.pages_per_second = 0.0;
        status.updated = ended.rfc3339();
        drop(fresh);
        status.write(&self.job.status()).map_err(io_error("the status cannot be kept"))?;
        let _ = Series::at(self.job.series()).add(&Sample::of(&status, ended));
        if ending != Ending::DiskFull && !at_once {
            kept?;
        }
        let seconds = ended.since(self.started).as_secs_f64();
        let captures = status.counters.captures.saturating_sub(self.captures_before);
        let unknown = unknown.map(|fault| annalist_model::with_causes(&fault));
        Ok(Report { ending, status, seconds, captures, unknown, untold })
    }
}

/// Leaves the list of what the archive does not have in the job.
fn list_missing(stages: &Stages, job: &JobDir) -> Result<(), CrawlError> {
    if stages.archive.is_none() {
        return Ok(());
    }
    let judging = stages.judging.as_ref();
    let estimate = |key| judging.and_then(|judging| judging.estimate(key));
    let missing = missing_in(
        &stages.frontier(),
        &|reason| matches!(reason, SkipReason::Missing | SkipReason::Failed),
        &estimate,
    )?;
    let mut seeds = Vec::new();
    let written = write_seeds(&missing, &mut seeds).and_then(|()| std::fs::write(job.missing(), seeds));
    written.map_err(io_error("the list of missing pages cannot be written"))
}

/// Whether there is nothing more urgent than graph and search index when a crawl ends like this.
fn has_time(ending: Ending) -> bool {
    !matches!(ending, Ending::Interrupted | Ending::DiskFull)
}

/// The limit that ended a crawl, in words for the log.
fn limit_of(ending: Ending) -> Option<&'static str> {
    match ending {
        Ending::PageLimit => Some("the page limit was reached before its turn"),
        Ending::SizeLimit => Some("the size limit was reached before its turn"),
        Ending::TimeLimit => Some("the time limit was reached before its turn"),
        Ending::Complete | Ending::Interrupted | Ending::DiskFull => None,
    }
}

/// The state of a crawl that may or may not be running.
pub fn status_of(job: &JobDir) -> Result<(Status, Option<u32>), CrawlError> {
    let holder = job.holder().map_err(io_error("the lock cannot be read"))?;
    let mut status =
        Status::load(&job.status()).map_err(io_error("the status cannot be read"))?.unwrap_or_default();
    if holder.is_none() {
        // Nobody publishes: what counts is what was acknowledged.
        let frontier = annalist_frontier::read_only(
            Arc::new(RealDisk),
            &job.frontier(),
            annalist_frontier::Settings::default(),
        )?;
        if let Some(counters) = frontier.note(keeper::COUNTERS_NOTE) {
            status.counters = Counters::kept(Some(counters), &job.logs().join(EVENTS));
        }
        let counts = frontier.counts();
        (status.queued, status.sites) = (counts.queued, counts.sites);
    }
    Ok((status, holder))
}
