//! Reads the journal back: every whole frame, in order, up to the first that is not whole.

use std::io;
use std::path::Path;

use annalist_disk::Disk;

use crate::error::FrontierError;
use crate::journal::{Committed, SEGMENT_HEAD, Segment, file_name, read_frame, read_segment_head, serial_of};

/// The segments that count, oldest first, and the first serial number nobody used.
pub(crate) fn segments(disk: &dyn Disk, dir: &Path) -> Result<(Vec<Segment>, u64), FrontierError> {
    let mut found: Vec<Segment> = Vec::new();
    let mut next_serial = 1;
    let names = disk.list(dir).map_err(FrontierError::io("list the folder"))?;
    let mut serials: Vec<u64> = names.iter().filter_map(|name| serial_of(name)).collect();
    serials.sort_unstable();
    for serial in serials {
        next_serial = serial + 1;
        let file = disk.open(&dir.join(file_name(serial))).map_err(FrontierError::io("open the journal"))?;
        let mut head = vec![0; file.length().min(SEGMENT_HEAD as u64) as usize];
        file.read_at(0, &mut head).map_err(FrontierError::io("read the journal"))?;
        let Some(start) = read_segment_head(&head)? else { continue };
        found.push(Segment { serial, start });
    }
    Ok((found, next_serial))
}

/// Calls `apply` with every frame after `from`; the position after the last one.
pub(crate) fn replay(
    disk: &dyn Disk,
    dir: &Path,
    segments: &[Segment],
    from: u64,
    apply: &mut dyn FnMut(Committed) -> Result<(), FrontierError>,
) -> Result<u64, FrontierError> {
    let mut reached = from;
    for (number, segment) in segments.iter().enumerate() {
        // What stands after the next segment's start was not acknowledged.
        let end = segments.get(number + 1).map(|next| next.start);
        if end.is_some_and(|end| end <= from) {
            continue;
        }
        if segment.start > reached {
            return Err(FrontierError::damaged("journal", "a part of it is missing"));
        }
        // A mark stands between two frames, and the runs hold what is before it.
        let begin = from.max(segment.start);
        let bytes = read_from(disk, &dir.join(file_name(segment.serial)), begin - segment.start)?;
        reached = replay_segment(&bytes, begin, end, apply)?.max(reached);
    }
    Ok(reached)
}

/// The frames of a segment, without as many bytes of them as are known.
fn read_from(disk: &dyn Disk, path: &Path, known: u64) -> Result<Vec<u8>, FrontierError> {
    let read = || {
        let file = disk.open(path)?;
        let at = (SEGMENT_HEAD as u64).saturating_add(known);
        let left = usize::try_from(file.length().saturating_sub(at)).map_err(io::Error::other)?;
        let mut bytes = vec![0; left];
        if left > 0 {
            file.read_at(at, &mut bytes)?;
        }
        Ok(bytes)
    };
    read().map_err(FrontierError::io("read the journal"))
}

fn replay_segment(
    bytes: &[u8],
    start: u64,
    end: Option<u64>,
    apply: &mut dyn FnMut(Committed) -> Result<(), FrontierError>,
) -> Result<u64, FrontierError> {
    let mut position = start;
    let mut rest = bytes;
    while end.is_none_or(|end| position < end) {
        let Some(committed) = read_frame(rest, position) else { break };
        let length = committed.batch.bytes.len();
        position = committed.position;
        rest = rest.get(length..).unwrap_or_default();
        apply(committed)?;
    }
    if end.is_some_and(|end| position < end) {
        return Err(FrontierError::damaged("journal", "a frame in its middle cannot be read"));
    }
    Ok(position)
}
