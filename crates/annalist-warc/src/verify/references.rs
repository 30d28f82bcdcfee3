//! How records refer to each other: ids that must be unique, and references that must lead somewhere. Held as hashes of
//! 16 bytes, since a set of files may have hundreds of millions of records.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

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

/// Whether what is referred to may be in a file that is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    OneFile,
    WholeSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Revisit,
    Other,
}

#[derive(Debug, Default)]
pub(super) struct References {
    ids: HashMap<u128, Role>,
    /// Captures by address and date.
    captures: HashMap<u128, Role>,
    concurrent: Vec<(Place, u128)>,
    revisits: Vec<(Place, Target)>,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Id(u128),
    Capture(u128),
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
        if matches!(kind, "response" | "resource" | "revisit")
            && let Some(capture) = hash_capture(target_uri(fields), fields.get("WARC-Date"))
        {
            let known = self.captures.entry(capture).or_insert(role);
            if role == Role::Other {
                *known = Role::Other;
            }
        }
        if role == Role::Revisit {
            let by_id = fields.get("WARC-Refers-To").map(|id| Target::Id(hash_id(id)));
            let uri = fields.get("WARC-Refers-To-Target-URI");
            let by_capture = hash_capture(uri, fields.get("WARC-Refers-To-Date")).map(Target::Capture);
            self.revisits.extend([by_id, by_capture].into_iter().flatten().map(|target| (place, target)));
        }
    }

    /// When all records are known: which references lead nowhere.
    pub(super) fn resolve(self, reports: &mut [Report], scope: Scope) {
        let mut complain = |place: Place, kind, message: &str| {
            if let Some(report) = reports.get_mut(place.file) {
                report.add(place.offset, kind, message);
            }
        };
        for (place, id) in &self.concurrent {
            if !self.ids.contains_key(id) {
                complain(
                    *place,
                    Kind::DanglingReference,
                    "WARC-Concurrent-To names a record that is not there",
                );
            }
        }
        for (place, target) in &self.revisits {
            let found = match target {
                Target::Id(id) => self.ids.get(id),
                Target::Capture(capture) => self.captures.get(capture),
            };
            match found {
                Some(Role::Other) => {}
                Some(Role::Revisit) => {
                    complain(*place, Kind::RevisitOfRevisit, "the revisit refers to another revisit");
                }
                None if scope == Scope::WholeSet => {
                    complain(
                        *place,
                        Kind::RevisitTargetMissing,
                        "the capture that the revisit refers to is not there",
                    );
                }
                None => {}
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

fn hash_capture(uri: Option<&str>, date: Option<&str>) -> Option<u128> {
    Some(hash(&format!("{} {}", uri?, warc_date_digits(date?)?)))
}

fn hash(text: &str) -> u128 {
    let digest = DigestKind::Sha1.of(text.as_bytes());
    digest.as_bytes().iter().take(16).fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}
