//! WARC files: written, read, indexed and judged; ARC files are read.
//!
//! | question | file |
//! | --- | --- |
//! | what a record says and holds | `record.rs`, `fields.rs`, `digest.rs`, `date.rs` |
//! | how records get to disk and stay there | `writer.rs`, `pack.rs`, `file_name.rs`, `recover.rs` |
//! | how files are read, ours and everybody else's | `read.rs`, `head.rs`, `arc.rs`, `source.rs`, `source/`, `unpack.rs`, `http.rs`, `payload.rs`, `ready.rs` |
//! | how reading goes on after a damaged place | `resume.rs`, `start.rs`, `fault.rs` |
//! | where a capture is | `cdx.rs`, `surt.rs`, `index.rs`, `open_index.rs` |
//! | whether a file is as it should be | `verify/` |
//!
//! Not here: what a crawl is, which records a capture becomes, and when they count as acknowledged.

mod arc;
mod cdx;
mod date;
mod digest;
mod fault;
mod fields;
mod file_name;
mod head;
mod http;
mod index;
mod open_index;
mod pack;
mod payload;
mod read;
mod ready;
mod record;
mod recover;
mod resume;
mod session_ids;
mod source;
mod start;
mod surt;
mod unpack;
mod verify;
mod writer;

pub use cdx::{CdxLine, CdxLines};
pub use date::{digits14, digits17, rfc3339};
pub use digest::{Digest, DigestKind, Hasher, UnknownDigest};
pub use fault::{Fault, ReadError};
pub use fields::Fields;
pub use file_name::{OPEN_SUFFIX, index_name};
pub use head::LineEnds;
pub use http::{Body, HttpHead};
pub use index::{Indexed, index_file, index_reader, write_index};
pub use pack::Packing;
pub use payload::{ContentCoding, Dechunked, decoded};
pub use read::{BlockRecord, Ending, Framing, Reader, Span};
pub use ready::digest_rest;
pub use record::{Block, Exchange, Record, RecordId, RecordType, RefersTo, RevisitProfile};
pub use recover::{Damaged, RecoverReport, recover};
pub use resume::Hole;
pub use start::Format;
pub use surt::{surt_key, surt_prefix_form};
pub use unpack::Compression;
pub use verify::{Kind, Problem, Report, is_warc_name, verify, verify_all, verify_reader};
pub use writer::{Position, WriteError, Writer, WriterSettings, Written};
