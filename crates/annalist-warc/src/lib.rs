//! WARC files: written, read, indexed and judged.
//!
//! | question | file |
//! | --- | --- |
//! | what a record says and holds | `record.rs`, `fields.rs`, `digest.rs`, `date.rs` |
//! | how records get to disk and stay there | `writer.rs`, `pack.rs`, `file_name.rs`, `recover.rs` |
//! | how files are read, ours and everybody else's | `read.rs`, `source.rs`, `http.rs`, `payload.rs`, `ready.rs`, `stored.rs`, `find.rs` |
//! | where a capture is | `cdx.rs`, `surt.rs`, `index.rs`, `index_all.rs`, `members.rs`, `open_index.rs`, `sorter.rs` |
//! | what indexes have of an address | `lookup.rs`, `keys.rs`, `sorted.rs`, `zipnum.rs` |
//! | whether a file is as it should be | `verify/` |
//!
//! Not here: what a crawl is, which records a capture becomes, and when they count as acknowledged.

mod cdx;
mod date;
mod digest;
mod fields;
mod file_name;
mod find;
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
mod session_ids;
mod sorted;
mod sorter;
mod source;
mod stored;
mod surt;
mod verify;
mod writer;
mod zipnum;

pub use cdx::{CdxColumns, CdxLine, CdxLines};
pub use date::{digits14, digits17, millis_of_digits, rfc3339};
pub use digest::{Digest, DigestKind, Hasher, UnknownDigest};
pub use fields::Fields;
pub use file_name::{OPEN_SUFFIX, index_name};
pub use find::{indexes_in, warc_files_under};
pub use http::{Body, HttpHead};
pub use index::{index_file, index_reader, write_index};
pub use index_all::{index_path, on_threads};
pub use lookup::{Index, is_index_name};
pub use pack::Packing;
pub use payload::{ContentCoding, Dechunked, decoded};
pub use read::{BlockRecord, Framing, LineEnds, Reader, Span};
pub use ready::digest_rest;
pub use record::{Block, Exchange, Record, RecordId, RecordType, RefersTo, RevisitProfile};
pub use recover::{Damaged, RecoverReport, recover};
pub use sorted::Sorted;
pub use sorter::Sorter;
pub use source::{Fault, ReadError};
pub use stored::{record_length, stored_bytes, unpacked_stream};
pub use surt::{surt_key, surt_prefix_form};
pub use verify::{Kind, Problem, Report, is_warc_name, verify, verify_all, verify_reader};
pub use writer::{Position, WriteError, Writer, WriterSettings, Written};
pub use zipnum::ZipNumWriter;
