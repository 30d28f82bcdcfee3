//! How records refer to each other: ids that must be unique, and references that must lead somewhere. Held as hashes of
//! 16 bytes, since a set of files may have hundreds of millions of records.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::cdx::target_uri;
use crate::date::warc_date_digits;
use crate::digest::DigestKind;
use crate::fields::Fields;

use super::{Kind, Report};

/// Which file, and where in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) offset: u64,
}

/// Which files of a collection are looked at: what is referred to may be in another one, or must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Some,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Revisit,
    Other,
}

#[derive(Debug, Default)]
pub(super) struct References {
    ids: HashMap<u128, Role>,
    /// Captures by address and second: not everybody refers to one by its milliseconds.
    captures: HashSet<u128>,
    /// Revisits by address and date, to the last digit: within a second a page may be captured and revisited.
    revisited: HashSet<u128>,
    concurrent: Vec<(Place, u128)>,
    revisits: Vec<(Place, Target)>,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Id(u128),
    Capture {
        second: u128,
        /// Unknown when the revisit itself has the same address and date: nothing refers to itself.
        moment: Option<u128>,
    },
}

impl References {
    pub(super) fn note(&mut self, fields: &Fields, place: Place, report: &mut Report) {
        let kind = fields.get("WARC-Type").unwrap_or_default();
        let role = if kind == "revisit" { Role::Revisit } else { Role::Other };
        if let Some(id) = fields.get("WARC-Record-ID") {
            match self.ids.entry(hash_id(id)) {
                Entry::Occupied(_) => {
                    report.add(
                        place.offset,
                        Kind::RepeatedRecordId,
                        format!("another record has the id {id} too"),
                    );
                }
                Entry::Vacant(entry) => {
                    entry.insert(role);
                }
            }
        }
        self.concurrent.extend(fields.all("WARC-Concurrent-To").map(|id| (place, hash_id(id))));
        let date = fields.get("WARC-Date");
        if matches!(kind, "response" | "resource") {
            self.captures.extend(hash_second(target_uri(fields), date));
        }
        if role == Role::Revisit {
            let own = hash_moment(target_uri(fields), date);
            self.revisited.extend(own);
            let by_id = fields.get("WARC-Refers-To").map(|id| Target::Id(hash_id(id)));
            let (uri, date) = (fields.get("WARC-Refers-To-Target-URI"), fields.get("WARC-Refers-To-Date"));
            let moment = hash_moment(uri, date).filter(|moment| Some(*moment) != own);
            let by_capture = hash_second(uri, date).map(|second| Target::Capture { second, moment });
            self.revisits.extend([by_id, by_capture].into_iter().flatten().map(|target| (place, target)));
        }
    }

    /// When all records are known: which references lead nowhere.
    pub(super) fn resolve(self, reports: &mut [Report], given: Given) {
        let mut tell = |place: Place, kind, message: &str| {
            let Some(report) = reports.get_mut(place.file) else { return };
            if given == Given::Some && kind != Kind::RevisitOfRevisit {
                report.unresolved += 1;
            } else {
                report.add(place.offset, kind, message);
            }
        };
        for (place, id) in &self.concurrent {
            if !self.ids.contains_key(id) {
                tell(*place, Kind::DanglingReference, "WARC-Concurrent-To names a record that is not there");
            }
        }
        for (place, target) in &self.revisits {
            match self.role_of(target) {
                Some(Role::Other) => {}
                Some(Role::Revisit) => {
                    tell(*place, Kind::RevisitOfRevisit, "the revisit refers to another revisit");
                }
                None => {
                    let message = "the capture that the revisit refers to is not there";
                    tell(*place, Kind::RevisitTargetMissing, message);
                }
            }
        }
    }

    fn role_of(&self, target: &Target) -> Option<Role> {
        match target {
            Target::Id(id) => self.ids.get(id).copied(),
            Target::Capture { second, .. } if self.captures.contains(second) => Some(Role::Other),
            Target::Capture { moment, .. } => {
                moment.filter(|moment| self.revisited.contains(moment)).map(|_| Role::Revisit)
            }
        }
    }
}

fn hash_id(id: &str) -> u128 {
    let uuid = id
        .strip_prefix("<urn:uuid:")
        .and_then(|id| id.strip_suffix('>'))
        .and_then(|id| Uuid::parse_str(id).ok());
    uuid.map_or_else(|| hash(id), |uuid| uuid.as_u128())
}

fn hash_second(uri: Option<&str>, date: Option<&str>) -> Option<u128> {
    Some(hash(&format!("{} {}", uri?, warc_date_digits(date?)?)))
}

fn hash_moment(uri: Option<&str>, date: Option<&str>) -> Option<u128> {
    Some(hash(&format!("{} {}", uri?, date?)))
}

fn hash(text: &str) -> u128 {
    let digest = DigestKind::Sha1.of(text.as_bytes());
    digest.as_bytes().iter().take(16).fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}
