//! A store elsewhere is told what the archive says: beside a running crawl, on a thread that gives way to it, up to date
//! at its end, and whenever `annalist push` asks for it. What is told is in `annalist-knowledge`; a server that is away
//! or slow holds up nothing but this thread.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use annalist_knowledge::remote::{Answer, Carrier, Fault, Remote, Request, Told as RemoteTold};
use annalist_knowledge::{
    DerivedError, Extent, FollowError, FollowSettings, Followed, Over, Places, Watch, follow, plain_name,
};
use annalist_model::Canonicaliser;
use annalist_model::spec::{BadCertificates, FetchRules, RemoteRules, Spec};
use annalist_sources::{FetchError, Letter, Letters, SlowLane, WebSource, authorization, yield_to_others};
use tokio::runtime::Runtime;

use crate::clock;
use crate::job::JobDir;
use crate::knowing::{Durable, KnowingError, Told, extents_of, settings, settings_of};
use crate::logs::Severity;
use crate::set_up::web_settings;

/// How much is told between two marks: that much is told again after a crash.
const BETWEEN_MARKS: u64 = 200;
const BETWEEN_MARKS_TIME: Duration = Duration::from_secs(10);
/// However long it is away, it is tried again after this long.
const LONGEST_REST: Duration = Duration::from_secs(300);

#[derive(Debug, thiserror::Error)]
pub enum PushError {
    #[error("the spec has no [knowledge.remote]: there is nobody to tell")]
    Nobody,
    /// What the spec says about it does not work here.
    #[error("{0}")]
    Set(String),
    #[error(transparent)]
    Knowing(#[from] KnowingError),
}

impl From<DerivedError> for PushError {
    fn from(fault: DerivedError) -> Self {
        PushError::Knowing(fault.into())
    }
}

impl PushError {
    /// Why the server could not be told, where it is that.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            PushError::Knowing(
                KnowingError::Store(DerivedError::Remote(fault))
                | KnowingError::Follow(FollowError::Store(DerivedError::Remote(fault))),
            ) => Some(fault),
            _ => None,
        }
    }
}

/// What was told.
#[derive(Debug, Default)]
pub struct Pushed {
    pub captures: u64,
    pub statements: u64,
    pub refused: u64,
    pub holes: Vec<String>,
    pub is_complete: bool,
}

/// From where on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    TheLastTime,
    TheBeginning,
}

/// Tells the store elsewhere what it does not know yet of a job that nobody crawls. The caller holds the job's lock, and
/// is no thread of a runtime.
pub fn push(job: &JobDir, spec: &Spec, since: Since, watch: &dyn Watch) -> Result<Pushed, PushError> {
    let rules = spec.knowledge.remote.as_ref().ok_or(PushError::Nobody)?;
    let mut post = Post::open(job, spec, rules, watch)?;
    let places = Places::of(job.root());
    let mut remote = open(job, rules, &mut post)?;
    if since == Since::TheBeginning {
        remote.forget()?;
    }
    let before = remote.told().clone();
    let told = tell(job, spec, &mut remote, &places, watch);
    remote.note(told.as_ref().err().and_then(trouble))?;
    let followed = told?;
    let after = remote.told();
    Ok(Pushed {
        captures: after.captures - before.captures,
        statements: after.statements - before.statements,
        refused: after.refused - before.refused,
        holes: followed.holes,
        is_complete: followed.is_complete,
    })
}

fn tell(
    job: &JobDir,
    spec: &Spec,
    remote: &mut Remote<'_>,
    places: &Places,
    watch: &dyn Watch,
) -> Result<Followed, PushError> {
    let settings = often_marked(settings_of(job, spec));
    let followed = follow(&extents_of(job)?, &mut [remote], &settings, watch).map_err(KnowingError::from)?;
    remote.tell_layers(places)?;
    Ok(followed)
}

fn often_marked(settings: FollowSettings) -> FollowSettings {
    FollowSettings { commit_documents: BETWEEN_MARKS, commit_after: BETWEEN_MARKS_TIME, ..settings }
}

fn open<'a>(job: &JobDir, rules: &RemoteRules, post: &'a mut Post<'_>) -> Result<Remote<'a>, DerivedError> {
    let what = || format!("{}: what the job is called at the remote store", job.root().display());
    let id = job.id().map_err(|source| DerivedError::Io { what: what(), source })?;
    Remote::open(&Places::of(job.root()).remote(), rules, post, &id)
}

/// What is kept of a failure for who asks later. That somebody wanted an end is none.
fn trouble(error: &PushError) -> Option<String> {
    (error.fault() != Some(&Fault::Stopped)).then(|| error.to_string())
}

/// How a job's store elsewhere stands.
#[derive(Debug)]
pub struct Standing {
    pub told: RemoteTold,
    /// So much of the archive was not told yet.
    pub waiting_bytes: u64,
}

/// Nothing where the spec names no store elsewhere.
pub fn standing(job: &JobDir, spec: &Spec) -> Result<Option<Standing>, KnowingError> {
    let Some(rules) = &spec.knowledge.remote else { return Ok(None) };
    let kept = RemoteTold::read(&Places::of(job.root()).remote()).map_err(KnowingError::List)?;
    let told = kept.filter(|told| told.address == rules.address());
    let told =
        told.unwrap_or_else(|| RemoteTold { address: rules.address().to_owned(), ..RemoteTold::default() });
    // While it is crawled, its frontier is not for others to read: the files say enough.
    let is_crawled = job.holder().map_err(KnowingError::List)?.is_some();
    let extents = if is_crawled { Durable::default().extents(&job.archive())? } else { extents_of(job)? };
    let waits = |extent: &Extent| {
        let length = std::fs::metadata(&extent.path).map_or(0, |file| file.len());
        let end = if is_crawled { length } else { length.min(extent.until) };
        end.saturating_sub(told.mark.of(&plain_name(&extent.path)))
    };
    let waiting_bytes = extents.iter().map(waits).sum();
    Ok(Some(Standing { told, waiting_bytes }))
}

/// The thread beside a crawl.
#[derive(Debug)]
pub struct Pushing {
    thread: JoinHandle<()>,
    told: Arc<Told>,
    job: JobDir,
    spec: Arc<Spec>,
}

impl Pushing {
    /// `None` where the spec names no store elsewhere. `tell` hears when it goes away and comes back.
    pub fn start(
        job: &JobDir,
        spec: &Arc<Spec>,
        durable: Durable,
        tell: impl Fn(Severity, String) + Send + 'static,
    ) -> io::Result<Option<Pushing>> {
        let Some(rules) = spec.knowledge.remote.clone() else { return Ok(None) };
        let told = Arc::new(Told::default());
        let (its, dir, its_spec) = (Arc::clone(&told), job.clone(), Arc::clone(spec));
        let thread = std::thread::Builder::new().name("pushing".to_owned()).spawn(move || {
            yield_to_others();
            if let Err(fault) = grow(&dir, &its_spec, &rules, &durable, &its, &tell) {
                tell(Severity::Error, format!("the remote store is not told: {fault}"));
            }
        })?;
        Ok(Some(Pushing { thread, told, job: job.clone(), spec: Arc::clone(spec) }))
    }

    /// Ends the thread. The archive is finished: where there is time, the server is told what it does not know yet. An
    /// error says what waits, and how it gets there.
    pub fn finish(self, has_time: bool, watch: &dyn Watch) -> Result<(), String> {
        self.told.stop();
        let _ = self.thread.join();
        let mut spec = (*self.spec).clone();
        let standing_now = || standing(&self.job, &self.spec).ok().flatten();
        if let Some(rules) = &mut spec.knowledge.remote {
            // Somebody waits for the end; one that is known to be away had its chances.
            let is_away = standing_now().is_some_and(|before| before.told.trouble.is_some());
            rules.tries = rules.tries.min(if is_away { 1 } else { 2 });
        }
        let pushed = if has_time {
            // Not on this thread: it may be one of a runtime.
            std::thread::scope(|scope| {
                let pushing = scope.spawn(|| push(&self.job, &spec, Since::TheLastTime, watch));
                pushing.join().unwrap_or_else(|_| Err(PushError::Set("it ended by mistake".to_owned())))
            })
            .err()
        } else {
            None
        };
        let waiting = standing_now().map_or(0, |standing| standing.waiting_bytes);
        if pushed.is_none() && waiting == 0 {
            return Ok(());
        }
        let why = match pushed {
            Some(error) if error.fault() != Some(&Fault::Stopped) => error.to_string(),
            _ => "the remote store does not know everything yet".to_owned(),
        };
        let how = format!("`annalist push {}` or the next run", self.job.root().display());
        Err(format!("{why}; {waiting} bytes of the archive wait: {how} sends what they say"))
    }
}

/// Follows the archive until it is told to stop. A server that is away is asked again, ever more rarely.
fn grow(
    job: &JobDir,
    spec: &Spec,
    rules: &RemoteRules,
    durable: &Durable,
    told: &Told,
    tell: &dyn Fn(Severity, String),
) -> Result<(), PushError> {
    let mut settings = settings(spec, 1);
    let before = durable.finished(&job.archive());
    // What an earlier run fetched and did not acknowledge, it fetches again.
    settings.over = if spec.extract.is_some() { Over::None } else { Over::These(before) };
    let settings = often_marked(settings);
    let mut post = Post::open(job, spec, rules, told)?;
    let (mut rest, mut is_away) = (spec.knowledge.every, false);
    loop {
        told.rest(rest);
        if told.is_stopped() {
            return Ok(());
        }
        let extents = durable.extents(&job.archive())?;
        let mut remote = open(job, rules, &mut post)?;
        let followed = match follow(&extents, &mut [&mut remote], &settings, told) {
            // A file that was finished between listing and opening has another name now.
            Err(FollowError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => continue,
            followed => followed.map_err(|fault| PushError::from(KnowingError::from(fault))),
        };
        match followed {
            Ok(_) => {
                if std::mem::take(&mut is_away) {
                    tell(Severity::Info, "the remote store is there again".to_owned());
                }
                rest = spec.knowledge.every;
            }
            Err(error) if error.fault() == Some(&Fault::Stopped) => return Ok(()),
            Err(error) if error.fault().is_some() => {
                remote.note(Some(error.to_string()))?;
                if !std::mem::replace(&mut is_away, true) {
                    tell(Severity::Warning, format!("{error}; what it is to be told waits in the archive"));
                }
                rest = rest.max(rules.retry_delay).saturating_mul(2).min(LONGEST_REST);
            }
            Err(error) => return Err(error),
        }
    }
}

/// The post to the server: the program's own exchange with its guard.
struct Post<'a> {
    letters: Letters,
    runtime: Runtime,
    authorization: Option<String>,
    watch: &'a dyn Watch,
}

impl<'a> Post<'a> {
    fn open(
        job: &JobDir,
        spec: &Spec,
        rules: &RemoteRules,
        watch: &'a dyn Watch,
    ) -> Result<Post<'a>, PushError> {
        let set = |what: &str, fault: &dyn std::fmt::Display| PushError::Set(format!("{what}: {fault}"));
        let fetch = FetchRules {
            max_size_bytes: 256 << 10,
            max_time: rules.timeout,
            idle_timeout: rules.timeout,
            connect_timeout: rules.timeout.min(spec.fetch.connect_timeout),
            // A secret is for the one it is meant for.
            bad_certificates: BadCertificates::Refuse,
            cookies: false,
            ..spec.fetch.clone()
        };
        let lane = SlowLane::start().map_err(|fault| set("no thread for the slow lane", &fault))?;
        let mut settings = web_settings(spec, job, lane);
        settings.rules = fetch;
        let web =
            WebSource::new(settings).map_err(|fault| set("the remote store cannot be asked", &fault))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Post {
            letters: Letters::new(web, clock::now),
            runtime: runtime.map_err(|fault| set("no runtime", &fault))?,
            authorization: login(rules)?,
            watch,
        })
    }
}

/// The secret comes from outside and goes nowhere but into the request.
fn login(rules: &RemoteRules) -> Result<Option<String>, PushError> {
    let bad = |why: String| PushError::Set(format!("[knowledge.remote]: {why}"));
    let secret = match (&rules.secret_env, &rules.secret_file) {
        (Some(name), _) => std::env::var(name)
            .map_err(|_| bad(format!("secret_env: the environment variable {name} is not set")))?,
        (None, Some(path)) => {
            first_line(Path::new(path)).map_err(|e| bad(format!("secret_file: {path}: {e}")))?
        }
        (None, None) => return Ok(None),
    };
    let field = authorization(rules.user.as_deref(), secret.trim_end_matches(['\r', '\n']));
    field.map(Some).ok_or_else(|| bad("the secret has characters that no request can hold".to_owned()))
}

fn first_line(path: &Path) -> io::Result<String> {
    Ok(std::fs::read_to_string(path)?.lines().next().unwrap_or_default().to_owned())
}

/// Nothing of an address is taken away: whoever runs the server wrote it.
const AS_WRITTEN: fn() -> Canonicaliser = || Canonicaliser {
    strip_session_ids: false,
    strip_tracking: false,
    sort_query: false,
    merge_slashes: false,
    prefer_https: false,
    ..Canonicaliser::default()
};

impl Carrier for Post<'_> {
    fn carry(&mut self, request: &Request<'_>) -> Answer {
        let url = match AS_WRITTEN().parse(request.address) {
            Ok(url) => url,
            Err(fault) => return Answer::Never(format!("{}: {fault}", request.address)),
        };
        let letter = Letter {
            content_type: request.content_type,
            authorization: self.authorization.as_deref(),
            body: request.body.as_bytes(),
        };
        let is_stopped = || self.watch.is_stopped();
        let sent = self.runtime.block_on(self.letters.send(&url, letter, &is_stopped));
        match sent {
            None => Answer::Stopped,
            Some(Ok(reply)) => Answer::Status {
                status: reply.status,
                told: reply.told,
                is_page: reply.is_page,
                retry_after: reply.retry_after,
                location: reply.location,
            },
            Some(Err(fault @ FetchError::AddressRefused(_))) => {
                let how = "[network] allow names non-public addresses that may be asked";
                Answer::Never(format!("{}: {fault}; {how}", url.host()))
            }
            Some(Err(fault @ FetchError::Certificate(_))) => {
                Answer::Never(format!("{}: {fault}", url.host()))
            }
            Some(Err(fault)) => Answer::None(format!("{}: {fault}", url.host())),
        }
    }

    fn wait(&mut self, long: Duration) -> bool {
        let begun = std::time::Instant::now();
        while begun.elapsed() < long {
            if self.watch.is_stopped() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20).min(long));
        }
        !self.watch.is_stopped()
    }
}
