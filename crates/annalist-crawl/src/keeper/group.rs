//! Visits that are acknowledged together, and what the frontier is told about them.

use annalist_frontier::{Change, Place, Purpose};
use annalist_model::{Outcome, SkipReason};
use annalist_warc::RecordId;

use super::{Captured, Counts, Ended, Finished};
use crate::counters::Counters;

/// Finished visits that wait for their acknowledgement.
#[derive(Debug, Default)]
pub struct Group {
    visits: Vec<Finished>,
}

/// Where a capture's response is, and whether it is a revisit.
#[derive(Clone, Debug)]
pub struct Kept {
    pub place: Place,
    pub id: RecordId,
    pub kind: KeptKind,
    /// The record right behind it that is there for its payload alone.
    pub payload: Option<RecordId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptKind {
    Response,
    Revisit,
}

impl Group {
    pub fn add(&mut self, visit: Finished) {
        self.visits.push(visit);
    }

    pub fn len(&self) -> usize {
        self.visits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.visits.is_empty()
    }

    pub fn visits(&self) -> &[Finished] {
        &self.visits
    }

    /// A capture whose bytes were lost for good is no capture: its visit failed.
    pub(super) fn give_up_lost(&mut self, kept: &dyn Fn(&Captured) -> Option<Kept>) {
        for visit in &mut self.visits {
            if let Ended::Captured(captured) = &visit.ended
                && kept(captured).is_none()
            {
                let detail = "the response could not be kept".to_owned();
                visit.ended = Ended::Refused {
                    status: i32::from(captured.status),
                    outcome: Outcome::Skipped { reason: SkipReason::Failed, detail },
                    started: captured.started,
                };
            }
        }
    }

    /// Takes what the frontier has to know out of the visits.
    pub fn changes(&mut self, kept: &dyn Fn(&Captured) -> Option<Kept>) -> Vec<Change> {
        let mut changes = Vec::new();
        for visit in &mut self.visits {
            let key = visit.link.url.key();
            if !is_scheduled(visit) {
                changes.append(&mut visit.changes);
                continue;
            }
            if visit.counts == Counts::AsPrerequisite {
                // Nobody scheduled it, so the frontier has to hear of it first.
                changes.push(Change::Discovered {
                    link: visit.link.clone(),
                    value: 0.0,
                    urgency: annalist_frontier::Urgency::Normal,
                });
            }
            match &visit.ended {
                Ended::Captured(captured) if captured.retry.is_none() && !captured.is_followed => {
                    let kept = kept(captured);
                    let revisit = kept.as_ref().is_some_and(|k| k.kind == KeptKind::Revisit);
                    let status = captured.status;
                    changes.push(Change::Done {
                        key,
                        outcome: if revisit {
                            Outcome::Revisit { status }
                        } else {
                            Outcome::Captured { status }
                        },
                        place: kept.map(|k| k.place),
                        digest: (!revisit && captured.truncated.is_none())
                            .then(|| captured.payload_digest.clone()),
                        at: captured.started,
                        bytes: captured.bytes,
                        purpose: match visit.counts {
                            Counts::AsPage => Purpose::Page,
                            Counts::AsPrerequisite => Purpose::Prerequisite,
                        },
                    });
                }
                Ended::Refused { outcome, started, .. } => changes.push(Change::Done {
                    key,
                    outcome: outcome.clone(),
                    place: None,
                    digest: None,
                    at: *started,
                    bytes: 0,
                    purpose: Purpose::Page,
                }),
                Ended::Captured(_) | Ended::Retrying { .. } | Ended::PutBack => {}
            }
            changes.append(&mut visit.changes);
        }
        changes
    }

    /// Adds the group to what was counted so far. To be called before the changes are taken.
    pub fn count(&self, counters: &mut Counters, kept: &dyn Fn(&Captured) -> Option<Kept>) {
        for visit in &self.visits {
            match &visit.ended {
                Ended::Captured(captured) => {
                    count_capture(counters, visit, captured, kept(captured).as_ref());
                }
                Ended::Retrying { .. } => counters.retries += 1,
                // The link that needed it counts.
                Ended::Refused { .. } if visit.counts == Counts::AsPrerequisite => {}
                Ended::Refused { outcome: Outcome::Skipped { reason, .. }, .. } => {
                    if *reason == SkipReason::Failed {
                        counters.failed += 1;
                    } else {
                        counters.skip(*reason);
                    }
                }
                Ended::Refused { .. } | Ended::PutBack => {}
            }
            for change in &visit.changes {
                match change {
                    Change::Refused { reason, .. } => counters.skip(*reason),
                    Change::Discovered { .. } => counters.links += 1,
                    _ => {}
                }
            }
        }
    }
}

/// Whether the frontier keeps the outcome. Not of a robots.txt that could not be had, which is asked for again, nor of what
/// a robots.txt redirects to: that may be a page, which has yet to be read as one.
fn is_scheduled(visit: &Finished) -> bool {
    match visit.counts {
        Counts::AsPage => true,
        Counts::AsPrerequisite => {
            matches!(visit.ended, Ended::Captured(_)) && visit.link.url.target() == "/robots.txt"
        }
    }
}

fn count_capture(counters: &mut Counters, visit: &Finished, captured: &Captured, kept: Option<&Kept>) {
    counters.capture(captured.status, &captured.mime, captured.bytes);
    match kept.map(|k| k.kind) {
        Some(KeptKind::Revisit) => counters.revisits += 1,
        _ => counters.responses += 1,
    }
    counters.skip_many(SkipReason::Unusable, u64::from(captured.unusable.count));
    counters.truncated += u64::from(captured.truncated.is_some());
    counters.stored_bytes += kept.map_or(0, |k| k.place.length);
    if captured.retry.is_some() {
        counters.retries += 1;
    }
    if visit.counts == Counts::AsPage {
        *counters.bytes_by_seed.entry(visit.link.seed).or_default() += captured.bytes;
    }
    if visit.counts == Counts::AsPage && captured.retry.is_none() {
        counters.page(captured.language.as_deref(), captured.application.as_deref());
        if let Some(score) = captured.score {
            counters.judged.add(score);
        }
        *counters.by_seed.entry(visit.link.seed).or_default() += 1;
    }
}
