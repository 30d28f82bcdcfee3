//! WARC files: written, read, indexed and judged.
//!
//! | question | file |
//! | --- | --- |
//! | what a record says and holds | `record.rs`, `fields.rs`, `digest.rs`, `date.rs` |
//! | how records get to disk and stay there | `writer.rs`, `pack.rs`, `file_name.rs`, `recover.rs` |
//! | how files are read, ours and everybody else's | `read.rs`, `source.rs`, `http.rs`, `payload.rs`, `ready.rs` |
//! | where a capture is | `cdx.rs`, `surt.rs`, `index.rs`, `open_index.rs` |
//! | how records get from one archive into another | `copy.rs` |
//! | web archives as one file | `wacz.rs`, `zip.rs`, `warc_file.rs` |
//! | whether a file is as it should be | `verify/` |
//!
//! Not here: what a crawl is, which records a capture becomes, and when they count as acknowledged.

mod cdx;
mod copy;
mod date;
mod digest;
mod fields;
mod file_name;
mod http;
mod index;
mod open_index;
mod pack;
mod payload;
mod read;
mod ready;
mod record;
mod recover;
mod session_ids;
mod source;
mod surt;
mod verify;
mod wacz;
mod warc_file;
mod writer;
mod zip;

pub use cdx::{CdxLine, CdxLines};
pub use copy::{Copied, Copier, CopyError, CopySettings};
pub use date::{digits14, digits17, rfc3339};
pub use digest::{Digest, DigestKind, Hasher, UnknownDigest};
pub use fields::Fields;
pub use file_name::{OPEN_SUFFIX, index_name};
pub use http::{Body, HttpHead};
pub use index::{index_file, index_reader, write_index};
pub use pack::Packing;
pub use payload::{ContentCoding, Dechunked, decoded};
pub use read::{BlockRecord, Framing, LineEnds, Reader, Span};
pub use ready::digest_rest;
pub use record::{Block, Exchange, Record, RecordId, RecordType, RefersTo, RevisitProfile};
pub use recover::{Damaged, RecoverReport, recover};
pub use source::{Fault, ReadError};
pub use surt::{surt_key, surt_prefix_form};
pub use verify::{Kind, Problem, Report, is_warc_name, verify, verify_all, verify_reader};
pub use wacz::{About, Wacz, WaczWriter};
pub use warc_file::{Section, WarcFile, is_wacz_name};
pub use writer::{Position, WriteError, Writer, WriterSettings, Written};
