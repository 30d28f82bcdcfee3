//! What a visit needs, in one place: the stages of the path, and the line to the server that is being asked.

use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use annalist_apps::Seen;
use annalist_apps::published::Captured;
use annalist_disk::{Disk, RealDisk};
use annalist_frontier::{Frontier, FrontierError, LeasedLink};
use annalist_judge::{Reading, Verdict};
use annalist_model::spec::Spec;
use annalist_model::{
    CanonicalUrl, Capture, Hop, Link, LinkKind, Page, Readability, ResponseHead, Score, UrlKey,
};
use annalist_read::Reader;
use annalist_read::tree::Tree;
use annalist_sources::{Connection, FetchError, SlowLane, WebSource};
use tokio::sync::{Notify, Semaphore};

use crate::apps::{Apps, Looked, date};
use crate::barred::Barred;
use crate::book::Book;
use crate::budget::Budget;
use crate::clock;
use crate::collect::Collecting;
use crate::feeds::Feeds;
use crate::hosts::Hosts;
use crate::judging::Judging;
use crate::keeper::{self, KeeperHandle};
use crate::live::{Live, Told};
use crate::logs::Severity;
use crate::owing::Owing;
use crate::pool::Pool;
use crate::rest::{Rest, SiteRests};
use crate::robots::RobotsDesk;
use crate::rounds::Rounds;
use crate::scope::{Facts, Passed, Scope, Walked, Way};
use crate::servers::Servers;
use crate::status::Board;
use crate::stop::Stop;
use crate::turn::{Turn, rested};

/// Everything the visits of one crawl share.
#[derive(Debug)]
pub struct Stages {
    /// The spec and its scope, as they are now.
    pub live: Live,
    pub web: WebSource,
    pub robots: RobotsDesk,
    pub keeper: KeeperHandle,
    /// For what would keep the others waiting.
    pub lane: SlowLane,
    pub reader: Arc<Reader>,
    /// What feeds said of pages.
    pub feeds: Arc<Feeds>,
    /// The application-aware helper, where the spec wanted it once: see [`Stages::apps`].
    pub helper: RwLock<Option<Arc<Apps>>>,
    /// Where there is a topic.
    pub judging: Option<Arc<Judging>>,
    /// Where captures come from, when it is not the web.
    pub archive: Option<Collecting>,
    pub frontier: Arc<Mutex<Frontier>>,
    pub servers: Servers<Turn>,
    pub site_rests: SiteRests,
    /// What the crawls of this machine agree on.
    pub book: Book,
    /// What this crawl and the others of its process owe servers.
    pub owing: Owing,
    pub hosts: Hosts,
    pub budget: Budget,
    /// What was put on the blacklist just now.
    pub barred: Barred,
    pub stop: Stop,
    /// Visits of this crawl in flight.
    pub visits: Semaphore,
    /// What crawls of one process share: the two numbers of back-pressure.
    pub pool: Pool,
    /// What it is told while it runs.
    pub told: Told,
    /// Turns under way, resting ones included.
    pub turns: AtomicUsize,
    /// Where large responses are kept until they are recorded.
    pub spool: PathBuf,
    pub board: Board,
    /// Told whenever something changed that the dispatcher may wait for.
    pub changed: Arc<Notify>,
}

impl Stages {
    pub fn frontier(&self) -> MutexGuard<'_, Frontier> {
        self.frontier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody said once that it is never to be fetched.
    pub fn is_blacklisted(&self, key: UrlKey) -> Result<bool, FrontierError> {
        Ok(self.barred.has(key) || self.frontier().is_blacklisted(key)?)
    }

    /// What the archivist wants at this moment.
    pub fn spec(&self) -> Arc<Spec> {
        self.live.spec()
    }

    /// What is followed at this moment.
    pub fn scope(&self) -> Arc<Scope> {
        self.live.scope()
    }

    /// Which seeds are visited again and again at this moment.
    pub fn rounds(&self) -> Arc<Rounds> {
        self.live.rounds()
    }

    /// The application-aware helper, unless the spec wants none.
    pub fn apps(&self) -> Option<Arc<Apps>> {
        self.helper().filter(|_| self.spec().apps)
    }

    /// The same, also where it is not wanted any more: what it has learned is kept.
    pub fn helper(&self) -> Option<Arc<Apps>> {
        self.helper.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn turns_under_way(&self) -> usize {
        self.turns.load(Ordering::Relaxed)
    }

    /// The address to dial for a link. A look-up goes into the archive by itself, whatever comes of the address.
    pub async fn locate(&self, url: &CanonicalUrl) -> Result<SocketAddr, FetchError> {
        let now = clock::now();
        let located = self.web.locate(url, now).await?;
        if let Some(lookup) = located.dns {
            self.keeper.looked_up(lookup, now);
        }
        Ok(located.address?)
    }

    /// Reads a capture on a thread of its own kind, so that it delays no fetch; a page that is hard to read goes to the
    /// slow lane and delays no other page either.
    pub async fn read(&self, capture: &mut Capture, kind: LinkKind) -> Read {
        let reader = Arc::clone(&self.reader);
        let (apps, judging, keeper) = (self.apps(), self.judging.clone(), self.keeper.clone());
        let feeds = Arc::clone(&self.feeds);
        let key = capture.url.key();
        let at = capture.started;
        let read_on = move |mut page: Page, tree: Option<Tree>, url: &CanonicalUrl, head: &ResponseHead| {
            let looked = Looked { url, head, at };
            let tree = tree.filter(|_| page.mime.contains("html"));
            if let Some(tree) = &tree {
                date(tree, &mut page, url, head, Captured::At(at));
                feeds.date(url, &mut page, at);
            } else if !page.dated.is_empty() {
                feeds.hear(&page, at);
            }
            let sight =
                apps.zip(tree).map(|(apps, tree)| apps.look(&tree, &mut page, &looked)).unwrap_or_default();
            for news in sight.news {
                keeper.event(Severity::Info, "apps", news);
            }
            let reading = judging.as_ref().map(|judging| judging.read(key, &page, at));
            Read { page, seen: sight.seen, reading }
        };
        let (url, head, body) =
            (capture.url.clone(), capture.head.clone(), std::mem::take(&mut capture.body));
        let light = {
            let Ok(_permit) = self.pool.reading.acquire().await else { return Read::default() };
            tokio::task::spawn_blocking(move || match reader.read_light(kind, &url, &head, &body) {
                Some((page, tree)) => Ok(read_on(page, tree, &url, &head)),
                None => Err(Box::new(move || {
                    let (page, tree) = reader.read_as(kind, &url, &head, &body);
                    read_on(page, tree, &url, &head)
                })),
            })
            .await
        };
        // A panic in a parser is a page with a reason, not the end of a crawl.
        let failed = |fault: &dyn Display| {
            let readability = Readability::Partial(format!("the reader failed: {fault}"));
            Read { page: Page { readability, ..Page::default() }, ..Read::default() }
        };
        match light {
            Ok(Ok(read)) => read,
            Ok(Err(heavy)) => self.lane.run(heavy).await.unwrap_or_else(|fault| failed(&fault)),
            Err(fault) => failed(&fault),
        }
    }

    /// What a page is worth, and what its links may be, where there is a topic.
    pub fn judge(
        &self,
        leased: &LeasedLink,
        capture: &Capture,
        page: &Page,
        reading: Option<Reading>,
    ) -> Option<Verdict> {
        self.judging.as_ref()?.judge_page(leased, capture, page, &reading?)
    }

    /// Waits until there is more room for large responses than there was; says meanwhile what the crawl waits for. `false`
    /// when there was none for long, or the crawl is told to stop.
    pub async fn wait_for_room(&self, fault: &FetchError) -> bool {
        const LOOKS: u32 = 1200;
        let free = || RealDisk.free_bytes(&self.spool).unwrap_or(0);
        let had = free();
        let reason = format!("there is no room for a large response: {fault}");
        self.keeper.event(Severity::Error, "web", reason.clone());
        self.board.update(|status| status.trouble = Some(reason.clone()));
        let mut looks = 0;
        while looks < LOOKS && free() <= had + had / 2 + (1 << 20) {
            self.board.update(|status| status.trouble = Some(reason.clone()));
            if !rested(clock::after(keeper::PAUSE), self).await {
                return false;
            }
            looks += 1;
        }
        self.board.update(|status| status.trouble = None);
        looks < LOOKS
    }

    /// How many hops beyond the scope a link is; 0 inside.
    pub fn beyond(&self, link: &Link) -> u16 {
        beyond(link, &self.spec(), &self.scope(), &|key| passed(&self.frontier(), key))
    }

    /// The page and those that led to it, the nearest first, looked up when they are asked for.
    pub fn way_through(&self, page: &LeasedLink) -> Way<'_> {
        let (link, score) = (page.link.clone(), Score::new(page.value));
        Way::new(move || {
            let mut walked = self.walk(link.via);
            walked.pages.insert(0, Passed { link: link.clone(), score });
            walked
        })
    }

    pub fn way_from(&self, page: Option<UrlKey>) -> Way<'_> {
        Way::new(move || self.walk(page))
    }

    fn walk(&self, from: Option<UrlKey>) -> Walked {
        Walked::up(from, |key| passed(&self.frontier(), key))
    }

    /// The address of a page known by its key only.
    pub fn url_of(&self, key: Option<UrlKey>) -> Option<String> {
        let known = self.frontier().lookup(key?).ok().flatten()?;
        Some(known.link?.url.as_str().to_owned())
    }
}

/// What was made of a capture.
#[derive(Debug, Default)]
pub struct Read {
    pub page: Page,
    /// What the application-aware helper has seen; only in HTML.
    pub seen: Option<Seen>,
    /// What the judge needs, where there is a topic.
    pub reading: Option<Reading>,
}

/// How many hops beyond the scope a link is; 0 inside. Found by walking up to the first page inside. A redirect is no hop.
pub fn beyond(link: &Link, spec: &Spec, scope: &Scope, look: &dyn Fn(UrlKey) -> Option<Passed>) -> u16 {
    let mut hops = 0;
    let mut at = link.clone();
    while hops < spec.scope.extra_hops {
        let via = at.via;
        let way = Way::new(move || Walked::up(via, look));
        if scope.holds(&at, &Facts { way: Some(&way), ..Facts::default() }) {
            break;
        }
        hops += u16::from(at.hops.last() != Some(Hop::Redirect));
        let Some(parent) = at.via.and_then(look) else { break };
        at = parent.link;
    }
    hops
}

/// A page that led to a link, if the frontier knows it.
pub fn passed(frontier: &Frontier, key: UrlKey) -> Option<Passed> {
    let known = frontier.lookup(key).ok().flatten()?;
    Some(Passed { link: known.link?, score: Score::new(known.value) })
}

/// The line to one server, held for as long as its turn lasts.
#[derive(Debug)]
pub struct Line {
    pub address: SocketAddr,
    pub connection: Connection,
    /// The server rests, after its last request or for another reason.
    pub rest: Rest,
}

impl Line {
    pub fn new(address: SocketAddr, rest: Rest) -> Line {
        Line { address, connection: Connection::default(), rest }
    }

    pub fn server(&self) -> IpAddr {
        self.address.ip()
    }
}
