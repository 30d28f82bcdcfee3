//! WARC files: written, read, indexed and judged; ARC files are read.
//!
//! | question | file |
//! | --- | --- |
//! | what a record says and holds | `record.rs`, `fields.rs`, `digest.rs`, `date.rs` |
//! | how records get to disk and stay there | `writer.rs`, `pack.rs`, `as_is.rs`, `file_name.rs`, `recover.rs` |
//! | how files are read, ours and everybody else's | `read.rs`, `head.rs`, `arc.rs`, `source.rs`, `source/`, `unpack.rs`, `http.rs`, `payload.rs`, `ready.rs`, `find.rs` |
//! | how reading goes on after a damaged place | `resume.rs`, `start.rs`, `fault.rs` |
//! | how records that lie in one stream get places of their own | `unshare.rs` |
//! | where a capture is | `cdx.rs`, `surt.rs`, `index.rs`, `index_all.rs`, `members.rs`, `open_index.rs`, `sorter.rs` |
//! | what indexes have of an address | `lookup.rs`, `keys.rs`, `sorted.rs`, `zipnum.rs` |
//! | how records get from one archive into another | `copy.rs` |
//! | web archives as one file | `wacz.rs`, `zip.rs`, `warc_file.rs` |
//! | whether a file is as it should be | `verify/` |
//!
//! Not here: what a crawl is, which records a capture becomes, and when they count as acknowledged.

mod answer;
mod arc;
mod as_is;
mod cdx;
mod copy;
mod date;
mod digest;
mod fault;
mod fields;
mod file_name;
mod find;
mod head;
mod http;
mod index;
mod index_all;
mod keys;
mod lookup;
mod members;
mod open_index;
mod pack;
mod payload;
mod read;
mod ready;
mod record;
mod recover;
mod resume;
mod session_ids;
mod sorted;
mod sorter;
mod source;
mod start;
mod surt;
mod unpack;
mod unshare;
mod verify;
mod wacz;
mod warc_file;
mod writer;
mod zip;
mod zipnum;

pub use answer::Answer;
pub use as_is::Stored;
pub use cdx::{CdxColumns, CdxLine, CdxLines};
pub use copy::{Copied, Copier, CopyError, CopySettings};
pub use date::{digits14, digits17, millis_of_digits, millis_of_warc_date, rfc3339};
pub use digest::{Digest, DigestKind, Hasher, UnknownDigest};
pub use fault::{Fault, ReadError};
pub use fields::Fields;
pub use file_name::{OPEN_SUFFIX, index_name};
pub use find::{indexes_in, warc_files_under};
pub use head::LineEnds;
pub use http::{Body, HttpHead};
pub use index::{Indexed, index_file, index_reader, write_index};
pub use index_all::{index_warc, on_threads};
pub use lookup::{Index, is_index_name};
pub use pack::Packing;
pub use payload::{ContentCoding, Dechunked, decoded};
pub use read::{BlockRecord, Ending, Framing, Reader, Span};
pub use ready::{BufSeek, digest_rest};
pub use record::{Block, Exchange, Record, RecordId, RecordType, RefersTo, RevisitProfile};
pub use recover::{Damaged, RecoverReport, recover};
pub use resume::Hole;
pub use sorted::Sorted;
pub use sorter::Sorter;
pub use start::Format;
pub use surt::{surt_key, surt_prefix_form};
pub use unpack::Compression;
pub use unshare::unshare;
pub use verify::{Kind, Problem, Report, is_warc_name, verify, verify_all, verify_reader};
pub use wacz::{About, Wacz, WaczWriter};
pub use warc_file::{Section, WarcFile, is_wacz_name};
pub use writer::{Position, WriteError, Writer, WriterSettings, Written};
pub use zipnum::ZipNumWriter;
