//! What the keeper writes to: WARC files, journal, frontier, logs and counters, in the order that makes an
//! acknowledgement true.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annalist_frontier::{Change, Frontier, Journal, Known, Place, Purpose, State, Transaction};
use annalist_model::{Outcome, SkipReason, Time, UrlKey};
use annalist_sources::Lookup;
use annalist_warc::{Record, RecordType, Writer, Written};
use tokio::sync::Notify;

use super::group::KeptKind;
use super::{Captured, Counts, Ended, Finished, Group, KeepError, Kept, Ticket};
use crate::begin::CHANGES_AT_ONCE;
use crate::clock;
use crate::counters::Counters;
use crate::knowing::Durable;
use crate::left::Left;
use crate::logs::{CrawlLine, Logs, Severity};
use crate::record::{Exchanged, Original, lookup_record, metadata_of, objects_record, records_of};
use crate::rounds::Rounds;
use crate::status::Board;
use crate::stop::Stop;

/// Names of the engine's notes in the frontier.
pub const COUNTERS_NOTE: &str = "counters";
/// Name and length of each WARC file that is open, as far as it is acknowledged: `name\tlength` a line.
pub const WARC_NOTE: &str = "warc";
/// Hosts by which redirected seeds widened the scope: `seed\thost` a line.
pub const WIDENED_NOTE: &str = "widened";

/// WARC files that an interruption left open, one a line.
pub const INTERRUPTED_NOTE: &str = "interrupted";

/// Why a link that waited was not fetched, where its site had its share before.
const SITE_CLOSED: &str = "the site was closed before its turn";

/// Everything the keeper owns.
#[derive(Debug)]
pub struct Archive {
    pub writer: Writer,
    pub journal: Journal,
    pub frontier: Arc<Mutex<Frontier>>,
    pub logs: Logs,
    pub counters: Counters,
    pub board: Board,
    pub stop: Stop,
    pub changed: Arc<Notify>,
    /// Tells this crawl's record ids from other crawls'.
    pub salt: u64,
    pub seeds: Vec<String>,
    /// How often they are visited, by the spec that the frontier was told of.
    pub rounds: Rounds,
    pub pending: Pending,
    /// Up to where the archive may be read by others.
    pub durable: Durable,
    /// Copies of an earlier run that are there already.
    pub left: Left,
    /// Whether the last write failed.
    pub in_trouble: bool,
    pub run: Run,
    /// How long between two tries to write.
    pub pause: Duration,
}

/// When this run began, and how long the earlier ones took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    pub started: Time,
    pub millis_before: u64,
}

/// What was written since the last sync: needed again when the sync fails.
#[derive(Debug, Default)]
pub struct Pending {
    next_ticket: u64,
    pub(super) unsynced: Vec<Unsynced>,
    kept: HashMap<Ticket, Kept>,
    /// Payloads that no acknowledged visit stands for yet.
    fresh_payloads: HashMap<String, Original>,
    spooled: Vec<PathBuf>,
}

impl Pending {
    fn ticket(&mut self) -> Ticket {
        self.next_ticket += 1;
        Ticket(self.next_ticket - 1)
    }
}

/// Records that are in a WARC file and may not be on disk.
#[derive(Debug)]
pub(super) struct Unsynced {
    /// Absent for metadata and look-ups, whose place nobody asks for.
    pub(super) ticket: Option<(Ticket, KeptKind)>,
    pub(super) records: Vec<Record>,
    pub(super) written: Vec<Written>,
}

impl Unsynced {
    fn new(ticket: Option<(Ticket, KeptKind)>, records: Vec<Record>) -> Unsynced {
        Unsynced { ticket, records, written: Vec::new() }
    }
}

impl Archive {
    pub(super) fn record(&mut self, exchanged: Exchanged) -> Result<Ticket, KeepError> {
        if let Some(copy) = exchanged.copies.first()
            && let Some(place) = self.left.take(&exchanged.url, exchanged.started)
        {
            let is_revisit = copy.kind() == RecordType::Revisit;
            let kind = if is_revisit { KeptKind::Revisit } else { KeptKind::Response };
            let ticket = self.pending.ticket();
            self.pending.kept.insert(ticket, Kept { place, id: copy.id(), kind, payload: None });
            self.pending.spooled.extend(exchanged.spooled());
            return Ok(ticket);
        }
        let original = self.original_of(&exchanged);
        let digest = exchanged.payload_digest.clone();
        let fresh = Original { url: exchanged.url.as_str().to_owned(), started: exchanged.started };
        self.pending.spooled.extend(exchanged.spooled());
        let worth_pointing_at = exchanged.payload_length > 0 && exchanged.truncated.is_none();
        let records = records_of(exchanged, self.salt, original.as_ref())
            .map_err(|e| KeepError::Lost(format!("a spooled response cannot be read: {e}")))?;
        let ticket = self.pending.ticket();
        let is_revisit = records.first().is_some_and(|record| record.kind() == RecordType::Revisit);
        let kind = if is_revisit { KeptKind::Revisit } else { KeptKind::Response };
        self.write(vec![Unsynced::new(Some((ticket, kind)), records)])?;
        if !self.pending.kept.contains_key(&ticket) {
            return Err(KeepError::Lost("a spooled response cannot be read".to_owned()));
        }
        if original.is_none() && worth_pointing_at {
            self.pending.fresh_payloads.insert(digest, fresh);
        }
        Ok(ticket)
    }

    pub(super) fn looked_up(&mut self, lookup: Lookup, at: Time) -> Result<(), KeepError> {
        self.write(vec![Unsynced::new(None, vec![lookup_record(lookup, at)])])
    }

    /// The capture that holds the same payload already.
    fn original_of(&self, exchanged: &Exchanged) -> Option<Original> {
        if exchanged.payload_length == 0 || exchanged.truncated.is_some() {
            return None;
        }
        if let Some(fresh) = self.pending.fresh_payloads.get(&exchanged.payload_digest) {
            return Some(fresh.clone());
        }
        let known = self.frontier().place_of_digest(&exchanged.payload_digest);
        match known {
            Ok(found) => found.map(|first| Original { url: first.url, started: first.at }),
            Err(fault) => {
                // Stored once more instead of once less.
                tracing::warn!(%fault, "looking for an identical payload failed");
                None
            }
        }
    }

    /// Records that are in a file now, until they are surely on disk.
    pub(super) fn remember(&mut self, unsynced: Unsynced) {
        if let (Some((ticket, kind)), Some(first)) = (unsynced.ticket, unsynced.written.first()) {
            let place = Place { file: first.file.clone(), offset: first.offset, length: first.length };
            let beside = unsynced.records.get(1).filter(|record| record.kind() == RecordType::Response);
            let payload = beside.map(Record::id);
            self.pending.kept.insert(ticket, Kept { place, id: first.id, kind, payload });
        }
        self.pending.unsynced.push(unsynced);
    }

    /// A capture whose bytes cannot be had again after a sync lost them: nobody may point at it.
    pub(super) fn forget_lost(&mut self, lost: &Unsynced) {
        if let Some((ticket, _)) = lost.ticket {
            self.pending.kept.remove(&ticket);
        }
        for digest in lost.records.iter().filter_map(|record| record.fields().get("WARC-Payload-Digest")) {
            self.pending.fresh_payloads.remove(digest);
        }
    }

    /// Makes a group of visits durable, then lets frontier, counters and logs know.
    pub(super) fn acknowledge(&mut self, mut group: Group) -> Result<(), KeepError> {
        let metadata: Vec<Record> = group
            .visits()
            .iter()
            .flat_map(|visit| self.metadata(visit).into_iter().chain(objects(visit)))
            .collect();
        if !metadata.is_empty() {
            self.write(vec![Unsynced::new(None, metadata)])?;
        }
        let end = self.sync_archive()?;

        let kept = |captured: &Captured| self.pending.kept.get(&captured.ticket).cloned();
        group.give_up_lost(&kept);
        let mut counters = self.counters.clone();
        group.count(&mut counters, &kept);
        let elapsed = clock::now().since(self.run.started).as_millis();
        counters.millis = self.run.millis_before + u64::try_from(elapsed).unwrap_or(u64::MAX);
        let finished_logs = log_lines(&group, &kept);
        let mut changes = group.changes(&kept);
        changes.push(Change::Note { name: COUNTERS_NOTE.to_owned(), value: counters.encode() });
        changes.push(Change::Note { name: WARC_NOTE.to_owned(), value: end.clone().into_bytes() });
        let refused = refusals(&changes);
        self.commit(Transaction { changes })?;
        self.durable.set(&end);
        self.release(&group)?;

        self.counters = counters;
        self.publish(&group);
        self.write_logs(&group, finished_logs, refused);
        self.forget_written(&group);
        Ok(())
    }

    /// Commits and applies in one order: the journal's.
    pub(crate) fn commit(&mut self, transaction: Transaction) -> Result<(), KeepError> {
        let committed = self.commit_journal(&transaction)?;
        self.hold_back();
        self.frontier().apply(committed).map_err(|e| KeepError::Closed(e.to_string()))
    }

    /// Holds back discovery, never leasing, while the frontier's memory is full. Not for ever: what was merged is
    /// taken in by the next lease or by what is applied here, and when nothing is leased there is only this.
    fn hold_back(&self) {
        const GLANCE: Duration = Duration::from_millis(2);
        let mut left = self.pause;
        while !left.is_zero() && !self.stop.is_asked() && self.frontier().crowded() {
            std::thread::sleep(GLANCE.min(left));
            left = left.saturating_sub(GLANCE);
        }
    }

    /// What is known of a capture beyond its bytes; of a link that never answered, that it did not.
    fn metadata(&self, visit: &Finished) -> Option<Record> {
        let url = visit.link.url.as_str();
        match &visit.ended {
            Ended::Captured(captured) => {
                let kept = self.pending.kept.get(&captured.ticket)?;
                let about = Some(kept.id).filter(|id| id.is_known());
                let payload = kept.payload.map(|payload| ("payloadRecord", payload.to_string()));
                let fields: Vec<_> = payload.into_iter().chain(captured.metadata.iter().cloned()).collect();
                Some(metadata_of(url, captured.started, about, &fields))
            }
            Ended::Refused { status, outcome, started } => match outcome {
                Outcome::Skipped { reason: SkipReason::Failed, detail } => {
                    let mut fields = vec![("fetchStatus", status.to_string()), ("error", detail.clone())];
                    fields.extend(visit.via.clone().map(|via| ("via", via)));
                    fields.push(("hopsFromSeed", visit.link.hops.as_str().to_owned()));
                    Some(metadata_of(url, *started, None, &fields))
                }
                _ => None,
            },
            Ended::Retrying { .. } | Ended::PutBack => None,
        }
    }

    /// Frees the sites that waited for what their pages embed.
    fn release(&self, group: &Group) -> Result<(), KeepError> {
        for release in group.visits().iter().filter_map(|visit| visit.release.as_ref()) {
            let released = self.frontier().release(release.lease, release.until, &release.visited);
            released.map_err(|e| KeepError::Closed(e.to_string()))?;
        }
        Ok(())
    }

    fn forget_written(&mut self, group: &Group) {
        for visit in group.visits() {
            if let Ended::Captured(captured) = &visit.ended {
                self.pending.kept.remove(&captured.ticket);
                self.pending.fresh_payloads.remove(&captured.payload_digest);
            }
        }
        self.pending.unsynced.clear();
        for path in self.pending.spooled.drain(..) {
            // What stays behind is removed at the next start.
            let _ = std::fs::remove_file(path);
        }
    }

    fn publish(&self, group: &Group) {
        let last = group.visits().iter().rev().find(|v| matches!(v.ended, Ended::Captured(_)));
        let counts = self.frontier().counts();
        self.board.update(|status| {
            status.counters = self.counters.clone();
            status.queued = counts.queued;
            status.sites = counts.sites;
            if let Some(visit) = last {
                status.last_url = Some(visit.link.url.as_str().to_owned());
            }
        });
    }

    /// Says in the log, at the end, of every link that waits why it was not fetched: its site was closed, or the
    /// crawl's limit came first. Those of closed sites have had their outcome with that; they come back when the site's
    /// limit is raised. Links that only wait for the next run are left alone.
    pub(super) fn settle(&mut self, limit: Option<&'static str>) -> Result<(), KeepError> {
        let now = clock::now();
        let frontier = self.frontier.lock().unwrap_or_else(PoisonError::into_inner);
        if limit.is_none() && frontier.counts().closed_sites == 0 {
            return Ok(());
        }
        let (logs, mut written) = (&mut self.logs, Ok(()));
        let (mut closed, mut called_off) = (Vec::new(), Vec::new());
        let told = frontier.each_waiting(&mut |known: &Known| {
            let Some(link) = &known.link else { return };
            if let Some(State::Done { outcome: Outcome::Captured { .. } | Outcome::Revisit { .. }, .. }) =
                known.earlier
            {
                // It was fetched; only its next visit is not.
                called_off.extend(known.site.closed.and_then(|_| crate::rounds::called_off(known)));
                return;
            }
            let (reason, detail) = match (known.site.closed, limit) {
                (Some(reason), _) => (reason, SITE_CLOSED),
                (None, Some(limit)) => (SkipReason::Budget, limit),
                (None, None) => return,
            };
            closed.extend(known.site.closed.map(|reason| (known.key, reason)));
            if written.is_ok() {
                written = logs.skipped(now, known.key, link.url.as_str(), reason, detail, None);
            }
        });
        told.map_err(|e| KeepError::Closed(e.to_string()))?;
        drop(frontier);
        // What waits no more would not be told of again.
        written = written.and_then(|()| self.logs.flush());
        for piece in closed.chunks(CHANGES_AT_ONCE) {
            self.write_off(piece, now)?;
        }
        self.commit(Transaction { changes: called_off })?;
        let queued = self.frontier().counts().queued;
        self.board.update(|status| {
            status.counters = self.counters.clone();
            status.queued = queued;
        });
        written.map_err(|e| KeepError::Closed(e.to_string()))
    }

    /// Links that waited on closed sites wait no more.
    fn write_off(&mut self, links: &[(UrlKey, SkipReason)], at: Time) -> Result<(), KeepError> {
        links.iter().for_each(|(_, reason)| self.counters.skip(*reason));
        let done = links.iter().map(|(key, reason)| Change::Done {
            key: *key,
            outcome: Outcome::Skipped { reason: *reason, detail: SITE_CLOSED.to_owned() },
            place: None,
            digest: None,
            at,
            bytes: 0,
            purpose: Purpose::Page,
        });
        let mut changes: Vec<Change> = done.collect();
        changes.push(Change::Note { name: COUNTERS_NOTE.to_owned(), value: self.counters.encode() });
        self.commit(Transaction { changes })
    }

    pub(super) fn announce(&self) {
        self.changed.notify_one();
    }

    pub(crate) fn event(&mut self, severity: Severity, subsystem: &str, message: &str) {
        // The log is for people; a disk too full for it is reported on the board.
        let _ = self.logs.event(clock::now(), severity, subsystem, message);
        self.counters.event(subsystem, severity.name());
        self.counters.events_counted = Some(self.logs.events_length());
    }

    pub(crate) fn frontier(&self) -> MutexGuard<'_, Frontier> {
        self.frontier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_logs(&mut self, group: &Group, lines: Vec<LogLine>, refused: Vec<RefusalLine>) {
        let now = clock::now();
        let mut written = Ok(());
        for (visit, line) in group.visits().iter().zip(lines) {
            if matches!(visit.ended, Ended::PutBack) {
                continue;
            }
            let seed = self.seeds.get(visit.link.seed as usize).map(String::as_str);
            written = written.and_then(|()| self.logs.crawled(&line.with(visit, now, seed)));
            let url = &visit.link.url;
            match &visit.ended {
                Ended::Refused { outcome: Outcome::Skipped { reason, detail }, .. }
                    if visit.counts == Counts::AsPage =>
                {
                    let via = visit.via.as_deref();
                    written = written
                        .and_then(|()| self.logs.skipped(now, url.key(), url.as_str(), *reason, detail, via));
                }
                Ended::Captured(captured) => {
                    for (address, fault) in &captured.unusable.listed {
                        let on = url.as_str();
                        written = written.and_then(|()| self.logs.unusable(now, address, fault, on));
                    }
                }
                _ => {}
            }
        }
        for (link, reason, detail) in refused {
            let via = link.via.and_then(|key| via_in(group, key));
            let key = link.url.key();
            written = written.and_then(|()| {
                self.logs.skipped(now, key, link.url.as_str(), reason, &detail, via.as_deref())
            });
        }
        if let Err(fault) = written.and_then(|()| self.logs.flush()) {
            self.in_trouble = true;
            self.board.update(|status| status.trouble = Some(format!("the logs cannot be written: {fault}")));
        }
    }
}

type RefusalLine = (annalist_model::Link, annalist_model::SkipReason, String);

fn refusals(changes: &[Change]) -> Vec<RefusalLine> {
    let refused = changes.iter().filter_map(|change| match change {
        Change::Refused { link, reason, detail } => Some((link.clone(), *reason, detail.clone())),
        _ => None,
    });
    refused.collect()
}

fn via_in(group: &Group, key: UrlKey) -> Option<String> {
    let page = group.visits().iter().find(|visit| visit.link.url.key() == key)?;
    Some(page.link.url.as_str().to_owned())
}

/// The fields of a crawl.log line that are known before the group's changes are taken.
#[derive(Debug)]
struct LogLine {
    status: i32,
    bytes: u64,
    mime: String,
    started: Time,
    millis: u64,
    digest: Option<String>,
    annotations: String,
}

fn log_lines(group: &Group, kept: &dyn Fn(&Captured) -> Option<Kept>) -> Vec<LogLine> {
    group.visits().iter().map(|visit| LogLine::of(visit, kept)).collect()
}

impl LogLine {
    fn of(visit: &Finished, kept: &dyn Fn(&Captured) -> Option<Kept>) -> LogLine {
        let nothing = |status: i32, started: Time, annotations: String| LogLine {
            status,
            bytes: 0,
            mime: String::new(),
            started,
            millis: 0,
            digest: None,
            annotations,
        };
        match &visit.ended {
            Ended::Captured(captured) => {
                let mut notes: Vec<String> = Vec::new();
                if kept(captured).is_some_and(|k| k.kind == KeptKind::Revisit) {
                    notes.push("warcRevisit:digest".to_owned());
                }
                notes.extend(captured.truncated.map(|why| format!("truncated:{why}")));
                notes.extend(captured.retry.as_ref().map(|why| format!("retry:{why}")));
                notes.extend(captured.notes.iter().cloned());
                LogLine {
                    status: i32::from(captured.status),
                    bytes: captured.bytes,
                    mime: captured.mime.clone(),
                    started: captured.started,
                    millis: u64::try_from(captured.elapsed.as_millis()).unwrap_or(u64::MAX),
                    digest: Some(captured.payload_digest.clone()),
                    annotations: notes.join(","),
                }
            }
            Ended::Retrying { status, reason, started } => {
                nothing(*status, *started, format!("retry:{reason}"))
            }
            // Never written.
            Ended::PutBack => nothing(0, Time::default(), String::new()),
            Ended::Refused { status, outcome, started } => {
                let note = match outcome {
                    Outcome::Skipped { reason, .. } => reason.name().to_owned(),
                    Outcome::Captured { .. } | Outcome::Revisit { .. } => String::new(),
                };
                nothing(*status, *started, note)
            }
        }
    }

    fn with<'a>(&'a self, visit: &'a Finished, logged: Time, seed: Option<&'a str>) -> CrawlLine<'a> {
        CrawlLine {
            logged,
            status: self.status,
            bytes: self.bytes,
            url: visit.link.url.as_str(),
            hops: visit.link.hops.as_str(),
            via: visit.via.as_deref(),
            mime: &self.mime,
            started: self.started,
            millis: self.millis,
            digest: self.digest.as_deref(),
            seed,
            annotations: &self.annotations,
        }
    }
}

/// What was written on a page, if its capture was kept.
fn objects(visit: &Finished) -> Option<Record> {
    let Ended::Captured(captured) = &visit.ended else { return None };
    let json = captured.objects.clone()?;
    Some(objects_record(visit.link.url.as_str(), captured.started, json))
}
