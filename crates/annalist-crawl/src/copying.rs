//! A snapshot of another archive as a capture of this one: its records byte for byte, and what the reader needs of them.

use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use annalist_model::{Block, Capture};
use annalist_sources::{Fetched, NotThere, Snapshot, StoredRecord};
use annalist_warc::{Packing, Reader, Record, Stored};

use crate::record::{Exchanged, packed_path, settle_digest};
use crate::stages::Stages;

/// A capture, and the records that are to be kept of it.
#[derive(Debug)]
pub struct Taken {
    pub capture: Capture,
    /// Bytes of the response as they were received.
    pub received: u64,
    /// Of another archive, where it has them: the answer first, then the record that holds its payload, if it is a revisit.
    pub records: Vec<Record>,
}

impl From<Capture> for Taken {
    /// What a server sent: its records have yet to be made.
    fn from(capture: Capture) -> Taken {
        Taken { received: capture.response.length(), capture, records: Vec::new() }
    }
}

impl Stages {
    /// Reads a snapshot. What takes long is done on another thread.
    pub async fn copy(&self, snapshot: &Snapshot) -> Result<Taken, NotThere> {
        let Some(collecting) = &self.archive else { return Err(NotThere::Missing) };
        let (source, snapshot) = (collecting.source.clone(), snapshot.clone());
        let (salt, packing) = self.keeper.packing();
        let copied =
            tokio::task::spawn_blocking(move || copied(source.read(&snapshot)?, salt, packing)).await;
        copied.unwrap_or_else(|fault| Err(unreadable(&fault)))
    }
}

fn unreadable(fault: &dyn std::fmt::Display) -> NotThere {
    NotThere::Unreadable(fault.to_string())
}

fn copied(fetched: Fetched, salt: u64, packing: Packing) -> Result<Taken, NotThere> {
    let Fetched { snapshot, record, payload_of, archived } = fetched;
    let head = StoredHead::of(&record)?;
    let mut capture = Capture {
        url: snapshot.url,
        started: snapshot.at,
        elapsed: Duration::ZERO,
        server: head.server.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)),
        request: Vec::new(),
        response: Block::Memory(Vec::new()),
        head: archived.head,
        payload_digest: head.digest.or(snapshot.digest.map(|digest| labelled(&digest))).unwrap_or_default(),
        payload_length: archived.body.len() as u64,
        body: archived.body,
        truncated: None,
        certificate_fault: None,
    };
    let mut records = Vec::new();
    let file = record.file.clone();
    match keep(record, packing)? {
        Kept::Copy(copy) => {
            records.push(copy);
            if let Some(payload) = payload_of
                && let Kept::Copy(payload) = keep(payload, packing)?
            {
                records.push(payload);
            }
        }
        Kept::Block(block) => {
            capture.response = block;
            records.push(converted(&mut capture, salt, packing).ok_or_else(|| unreadable(&file))?);
        }
    }
    Ok(Taken { capture, received: head.length, records })
}

/// What a record says of itself.
struct StoredHead {
    server: Option<IpAddr>,
    digest: Option<String>,
    /// Of its block.
    length: u64,
}

impl StoredHead {
    fn of(record: &StoredRecord) -> Result<StoredHead, NotThere> {
        let mut reader = Reader::new(record.bytes.open().map_err(|fault| unreadable(&fault))?);
        let record = reader.next_record().map_err(|fault| unreadable(&fault))?;
        let record = record.ok_or_else(|| unreadable(&"no record begins there"))?;
        Ok(StoredHead {
            server: record.fields.get("WARC-IP-Address").and_then(|server| server.parse().ok()),
            digest: record.fields.get("WARC-Payload-Digest").map(labelled),
            length: record.content_length,
        })
    }
}

/// Indexes leave the name of the usual digest out.
fn labelled(digest: &str) -> String {
    if digest.contains(':') { digest.to_owned() } else { format!("sha1:{digest}") }
}

/// How a record of another archive is kept.
enum Kept {
    Copy(Record),
    /// The block of a record that is none of WARC's.
    Block(Block),
}

fn keep(record: StoredRecord, packing: Packing) -> Result<Kept, NotThere> {
    let file = record.file.clone();
    let failed = |fault: &dyn std::fmt::Display| unreadable(&format!("{file}: {fault}"));
    let StoredRecord { bytes, member, .. } = record;
    let whole = bytes.into_block();
    let (stored, beside) = match &whole {
        Block::Memory(bytes) => (Stored::Memory(bytes.clone().into()), PathBuf::new()),
        Block::File { path, .. } => (Stored::File(path.clone()), packed_path(path)),
    };
    let kept = match packing.copy(&stored, member, &beside) {
        Ok(Some(copy)) => Ok(Kept::Copy(copy)),
        Ok(None) => block_of(&stored).map(Kept::Block).map_err(|fault| failed(&fault)),
        Err(fault) => Err(failed(&fault)),
    };
    if let Block::File { path, .. } = &whole {
        // What stays behind is removed at the next start.
        let _ = std::fs::remove_file(path);
    }
    kept
}

/// The block of a record that has to become another one.
fn block_of(stored: &Stored) -> io::Result<Block> {
    let mut reader = Reader::new(stored.open()?);
    let record = reader.next_record().map_err(io::Error::other)?;
    let mut record = record.ok_or(io::ErrorKind::InvalidData)?;
    let length = record.content_length;
    match stored {
        Stored::Memory(_) => Ok(Block::Memory(record.read_block(length).map_err(io::Error::other)?)),
        Stored::File(path) => {
            let path = path.with_extension("block.spool");
            io::copy(&mut record, &mut File::create(&path)?)?;
            Ok(Block::File { path, length })
        }
    }
}

/// A record of our own for what another archive keeps in a form that is not WARC's: the same bytes, under the same moment.
fn converted(capture: &mut Capture, salt: u64, packing: Packing) -> Option<Record> {
    let mut exchanged = Exchanged::take(capture);
    if exchanged.payload_digest.is_empty() {
        exchanged.payload_digest = packing.digest.of(b"").to_string();
    }
    settle_digest(&mut exchanged);
    capture.payload_digest.clone_from(&exchanged.payload_digest);
    exchanged.pack(salt, packing);
    if let Block::File { path, .. } = &exchanged.response {
        let _ = std::fs::remove_file(path);
    }
    exchanged.packed
}
