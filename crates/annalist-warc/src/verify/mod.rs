//! Whether WARC files are as they should be, to the last byte. Stricter than reading, which takes what it can get.
//!
//! One file is judged by [`verify`]; a set of files, with the references between them, by [`verify_all`]. A capture's
//! metadata may be in the next file, and what a revisit refers to in any earlier one: a reference that leads nowhere is a
//! fault only when no file was left out.

use std::collections::HashSet;
use std::fmt;
use std::io::{BufRead, Seek};
use std::path::{Path, PathBuf};

use crate::fault::{Fault, ReadError};
use crate::file_name::OPEN_SUFFIX;
use crate::read::Reader;
use crate::unpack::Compression;
use crate::warc_file::is_wacz_name;

mod record;
mod references;
mod wacz;

use references::{Given, References};

/// A file that is broken everywhere is not described at greater length than this.
const MAX_PROBLEMS: usize = 1_000;

/// What was found in one file.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub path: PathBuf,
    pub records: u64,
    pub problems: Vec<Problem>,
    /// Problems beyond those that are listed.
    pub more_problems: u64,
    /// References to records that must be in files that were not looked at.
    pub unresolved: u64,
}

impl Report {
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, offset: u64, kind: Kind, message: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { offset, kind, message: message.into() });
        } else {
            self.more_problems += 1;
        }
    }

    fn add_error(&mut self, error: &ReadError) {
        self.add(error.offset, Kind::of(&error.fault), error.fault.to_string());
    }
}

/// One thing that is wrong. The offset is that of the record, or of the byte where reading had to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub offset: u64,
    pub kind: Kind,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.message)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The file cannot be opened or read.
    Unreadable,
    EmptyFile,
    CutTail,
    /// Bytes that are no gzip data: changed, or appended.
    BadGzip,
    /// The same of Zstandard data.
    BadZstd,
    BadChecksum,
    /// A name that promises gzip, and bytes that are not.
    NotCompressed,
    NotARecord,
    BadHead,
    /// Content-Length reaches beyond the record.
    WrongLength,
    /// The record is not delimited as its format says, by CRLF CRLF where Content-Length puts it.
    NoTerminator,
    BareLf,
    /// One gzip member for many records.
    SharedMember,
    /// One record in many gzip members.
    SpreadMember,
    UnknownVersion,
    MissingField,
    RepeatedField,
    BadDate,
    BadRecordId,
    RepeatedRecordId,
    NoWarcinfo,
    WrongBlockDigest,
    WrongPayloadDigest,
    /// The payload digest covers the chunk frame too.
    PayloadDigestWithFrame,
    UnknownDigest,
    /// A revisit that does not say what it refers to.
    RevisitWithoutTarget,
    /// A revisit whose target is not there.
    RevisitTargetMissing,
    RevisitOfRevisit,
    /// WARC-Concurrent-To names a record that is not there.
    DanglingReference,
    /// What a WACZ file says of its contents is not so.
    BadPackage,
    /// An index that does not lead to what is there.
    BadIndex,
}

impl Kind {
    fn of(fault: &Fault) -> Kind {
        match fault {
            Fault::Io(_) => Kind::Unreadable,
            Fault::CutShort => Kind::CutTail,
            Fault::BadGzip(_) => Kind::BadGzip,
            Fault::BadZstd(_) => Kind::BadZstd,
            Fault::BadChecksum => Kind::BadChecksum,
            Fault::NotARecord => Kind::NotARecord,
            Fault::HeadTooLong(_) | Fault::BadField(_) | Fault::NoLength | Fault::HeadAcrossMembers => {
                Kind::BadHead
            }
            Fault::LengthPastMember => Kind::WrongLength,
            Fault::NotAddressable => Kind::SharedMember,
            Fault::NoTerminator => Kind::NoTerminator,
        }
    }
}

/// Judges one file by itself: what it refers to may be in another one.
pub fn verify(path: &Path) -> Report {
    let mut references = References::default();
    let mut reports = vec![verify_path(path, 0, &mut references)];
    references.resolve(&mut reports, Given::Some);
    reports.pop().unwrap_or_default()
}

/// Judges files that belong together: record ids are unique and references lead somewhere across all of them. WARC files
/// that lie beside them and are left out may hold what is referred to. Of a WACZ file there is a report about itself, and
/// one about each WARC file in it.
pub fn verify_all<P: AsRef<Path>>(paths: &[P]) -> Vec<Report> {
    let mut references = References::default();
    let mut reports = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        if is_wacz_name(&path.to_string_lossy()) {
            wacz::verify_wacz(path, &mut reports, &mut references);
        } else {
            let report = verify_path(path, reports.len(), &mut references);
            reports.push(report);
        }
    }
    references.resolve(&mut reports, given(paths));
    reports
}

/// Whether these are all the WARC files of their folders.
fn given<P: AsRef<Path>>(paths: &[P]) -> Given {
    let given: HashSet<&Path> = paths.iter().map(AsRef::as_ref).collect();
    let folders: HashSet<&Path> = given.iter().filter_map(|path| path.parent()).collect();
    let left_out = folders.into_iter().any(|folder| {
        // The folder of a bare file name is the empty path, which cannot be opened.
        let listed = std::fs::read_dir(if folder == Path::new("") { Path::new(".") } else { folder });
        let mut names = listed.into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.any(|name| is_warc_name(&name.to_string_lossy()) && !given.contains(&*folder.join(&name)))
    });
    if left_out { Given::Some } else { Given::All }
}

/// Ours and everybody else's: `.warc` or `.arc`, perhaps compressed, with `.open` behind it while it is written.
pub fn is_warc_name(name: &str) -> bool {
    let name = name.strip_suffix(OPEN_SUFFIX).unwrap_or(name);
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    name.ends_with(".warc") || name.ends_with(".arc")
}

/// Judges bytes that are not in a file of their own, as [`verify`] does.
pub fn verify_reader<R: BufRead + Seek>(input: R) -> Report {
    let mut references = References::default();
    let mut reports = vec![Report::default()];
    check(Reader::new(input), 0, &mut reports[0], &mut references);
    references.resolve(&mut reports, Given::Some);
    reports.pop().unwrap_or_default()
}

fn verify_path(path: &Path, index: usize, references: &mut References) -> Report {
    let mut report = Report { path: path.to_owned(), ..Report::default() };
    match Reader::open(path) {
        Ok(reader) => {
            let promises_gzip = path.to_string_lossy().contains(".gz");
            if check(reader, index, &mut report, references) == Compressed::No && promises_gzip {
                report.add(0, Kind::NotCompressed, "the name says gzip, the bytes do not");
            }
        }
        Err(e) => report.add(0, Kind::Unreadable, e.to_string()),
    }
    report
}

#[derive(PartialEq, Eq)]
enum Compressed {
    Yes,
    No,
}

fn check<R: BufRead + Seek>(
    mut reader: Reader<R>,
    file: usize,
    report: &mut Report,
    references: &mut References,
) -> Compressed {
    loop {
        let result = match reader.next_record() {
            Ok(Some(record)) => record::check(record, file, report, references),
            Ok(None) => break,
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            report.add_error(&error);
            reader.skip_broken();
        }
    }
    if report.records == 0 && report.is_clean() {
        report.add(0, Kind::EmptyFile, "there is not a single record");
        // An empty file is neither, and one complaint is enough.
        return Compressed::Yes;
    }
    if reader.compression() == Compression::Gzip { Compressed::Yes } else { Compressed::No }
}
