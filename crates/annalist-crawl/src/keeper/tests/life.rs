//! A crawl as far as the keeper sees one: opened, given visits until there is nothing left or nothing works any more.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use annalist_disk::{Disk, SimDisk};
use annalist_frontier::{Change, Merging, Settings, Transaction, Urgency, open};
use annalist_model::Link;
use annalist_warc::{Writer, WriterSettings};
use tempfile::TempDir;
use tokio::sync::Notify;

use super::ledger::Ledger;
use super::visits::{Fact, Visit, Web, lookup, url};
use crate::counters::Counters;
use crate::engine::CrawlError;
use crate::keeper::{Archive, COUNTERS_NOTE, Group, KeepError, Pending, Run, Ticket, WARC_NOTE};
use crate::logs::Logs;
use crate::rounds::Rounds;
use crate::set_up::recover_archive;
use crate::status::Board;
use crate::stop::Stop;

pub(super) const ARCHIVE: &str = "/job/archive";
pub(super) const INDEXES: &str = "/job/indexes";
const FRONTIER: &str = "/job/state";
pub(super) const SALT: u64 = 7;
const SEEDS: u64 = 3;

/// Some lives of one crawl: what goes on from one to the next is the disk, and what was acknowledged.
pub(super) struct Crawl {
    pub(super) web: Web,
    pub(super) ledger: Ledger,
    logs: TempDir,
}

/// A visit that waits for its acknowledgement.
pub(super) struct Waiting {
    ticket: Option<Ticket>,
    fact: Fact,
    changes: Vec<Change>,
}

fn frontier_settings() -> Settings {
    Settings {
        memory_bytes: 16 << 10,
        links_per_turn: 3,
        default_delay: Duration::ZERO,
        merging: Merging::Inline,
        ..Settings::default()
    }
}

fn writer_settings() -> WriterSettings {
    WriterSettings {
        roll_bytes: 4_000,
        level: 1,
        warcinfo: vec![("software".to_owned(), "annalist".to_owned())],
        ..WriterSettings::new(Path::new(ARCHIVE), Path::new(INDEXES), "test", "host")
    }
}

impl Crawl {
    pub(super) fn new(seed: u64) -> Crawl {
        Crawl { web: Web::new(seed), ledger: Ledger::default(), logs: tempfile::tempdir().unwrap() }
    }

    /// As a start does it: the frontier, its notes, the archive cut to what they say, the seeds.
    pub(super) fn open(&mut self, disk: &SimDisk) -> Result<Archive, CrawlError> {
        let now = self.web.now();
        let disk: Arc<dyn Disk> = Arc::new(disk.clone());
        let (frontier, journal) = open(Arc::clone(&disk), Path::new(FRONTIER), frontier_settings(), now)?;
        let counters = frontier.note(COUNTERS_NOTE).map(Counters::decode).unwrap_or_default();
        let settings = writer_settings();
        let report = recover_archive(&disk, &settings, frontier.note(WARC_NOTE))?;
        assert!(report.damaged.is_empty(), "{:?}", report.damaged);
        let mut archive = Archive {
            writer: Writer::new(disk, settings, uuid::Uuid::new_v4),
            journal,
            frontier: Arc::new(Mutex::new(frontier)),
            logs: Logs::open(self.logs.path()).unwrap(),
            counters,
            board: Board::default(),
            stop: Stop::new(),
            changed: Arc::new(Notify::new()),
            salt: SALT,
            seeds: Vec::new(),
            rounds: Rounds::default(),
            pending: Pending::default(),
            durable: Default::default(),
            left: Default::default(),
            in_trouble: false,
            run: Run::default(),
            pause: Duration::ZERO,
        };
        let seed = |site| Link::seed(url(site, 0), 0);
        let seeds = (0..SEEDS).map(|site| Change::Discovered {
            link: seed(site),
            value: 1.0,
            urgency: Urgency::Normal,
        });
        let committed = archive.journal.commit(&Transaction { changes: seeds.collect() })?;
        archive.frontier().apply(committed)?;
        Ok(archive)
    }

    /// Visits and acknowledges. What is under way at the end stays so.
    pub(super) fn live(&mut self, archive: &mut Archive, visits: u64) -> Result<Vec<Waiting>, KeepError> {
        let mut waiting = Vec::new();
        let mut begun = 0;
        while begun < visits {
            let before = begun;
            for visit in self.turn(archive)? {
                begun += 1;
                waiting.push(self.record(archive, visit)?);
                if self.web.below(3) == 0 {
                    self.acknowledge(archive, &mut waiting)?;
                }
            }
            if begun == before {
                // Nothing to lease: what is waiting may lead to more.
                if waiting.is_empty() {
                    break;
                }
                self.acknowledge(archive, &mut waiting)?;
            }
        }
        Ok(waiting)
    }

    /// Lives until everything that was begun is acknowledged and the files are closed.
    pub(super) fn live_to_the_end(&mut self, archive: &mut Archive, visits: u64) -> Result<(), KeepError> {
        let mut waiting = self.live(archive, visits)?;
        while !waiting.is_empty() {
            self.acknowledge(archive, &mut waiting)?;
        }
        archive.close()
    }

    /// One site's turn: some of its links, and perhaps its robots.txt first.
    fn turn(&mut self, archive: &Archive) -> Result<Vec<Visit>, KeepError> {
        let now = self.web.now();
        let mut frontier = archive.frontier();
        let Some(lease) = frontier.next(now).map_err(gone)? else { return Ok(Vec::new()) };
        let mut visits = Vec::new();
        for leased in &lease.links {
            assert!(!self.ledger.is_done(&leased.link.url), "{} has its outcome", leased.link.url);
            if self.web.below(10) == 0 {
                visits.push(self.web.prerequisite(&leased.link));
            }
            visits.push(self.web.visit(&leased.link));
        }
        let visited: Vec<_> = lease.links.iter().map(|leased| leased.key).collect();
        frontier.release(lease.id, now, &visited).map_err(gone)?;
        Ok(visits)
    }

    fn record(&mut self, archive: &mut Archive, visit: Visit) -> Result<Waiting, KeepError> {
        let Visit { exchanged, fact, changes } = visit;
        self.ledger.begun(&fact);
        if self.web.below(5) == 0 {
            archive.looked_up(lookup(&fact.link.url), self.web.now())?;
        }
        let ticket = exchanged.map(|exchanged| archive.record(exchanged)).transpose()?;
        Ok(Waiting { ticket, fact, changes })
    }

    /// Some of the visits that wait, in any order.
    fn acknowledge(&mut self, archive: &mut Archive, waiting: &mut Vec<Waiting>) -> Result<(), KeepError> {
        let mut group = Group::default();
        let mut facts = Vec::new();
        for _ in 0..1 + self.web.below(waiting.len() as u64) {
            let chosen = waiting.swap_remove(self.web.below(waiting.len() as u64) as usize);
            group.add(chosen.fact.finished(chosen.ticket, chosen.changes));
            facts.push(chosen.fact);
        }
        self.ledger.handed_over(facts);
        archive.acknowledge(group)?;
        self.ledger.acknowledged(&archive.counters);
        Ok(())
    }

    /// Everything as the ledger has it, on the disk as it is.
    pub(super) fn assert_kept(&mut self, disk: &SimDisk, context: &str) {
        let archive = self.open(disk).unwrap_or_else(|e| panic!("{context}: cannot be opened: {e}"));
        self.ledger.assert_kept(disk, &archive, context);
    }
}

fn gone(fault: annalist_frontier::FrontierError) -> KeepError {
    KeepError::Closed(fault.to_string())
}
