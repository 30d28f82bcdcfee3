//! Texts of mentions, read from the journal where they stand. Most mentions turn out to be of known links: their texts
//! are never wanted, and memory is better used for more rows.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use annalist_disk::{Disk, DiskFile};

use crate::error::FrontierError;
use crate::journal::{SEGMENT_HEAD, Segments, file_name};

/// Reads the journal at positions whose segments are still there: those of changes that no run holds yet.
#[derive(Debug)]
pub(crate) struct Excerpts {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    segments: Segments,
    /// The file that was read last: merging goes through them one after another.
    open: Mutex<Option<(u64, Arc<dyn DiskFile>)>>,
}

impl Excerpts {
    pub(crate) fn new(disk: Arc<dyn Disk>, dir: &Path, segments: Segments) -> Excerpts {
        Excerpts { disk, dir: dir.to_owned(), segments, open: Mutex::new(None) }
    }

    /// The text whose length stands at a position.
    pub(crate) fn read(&self, position: u64) -> Result<Vec<u8>, FrontierError> {
        let (file, offset) = self.locate(position)?;
        let mut length = [0; 4];
        file.read_at(offset, &mut length).map_err(FrontierError::io("read the journal"))?;
        let mut body = vec![0; u32::from_le_bytes(length) as usize];
        file.read_at(offset + 4, &mut body).map_err(FrontierError::io("read the journal"))?;
        Ok(body)
    }

    fn locate(&self, position: u64) -> Result<(Arc<dyn DiskFile>, u64), FrontierError> {
        let segments = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        let after = segments.partition_point(|segment| segment.start <= position);
        let segment = after.checked_sub(1).and_then(|number| segments.get(number)).copied();
        drop(segments);
        let segment = segment.ok_or_else(|| FrontierError::damaged("journal", "a text is not in it"))?;
        let offset = position - segment.start + SEGMENT_HEAD as u64;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((serial, file)) = open.as_ref()
            && *serial == segment.serial
        {
            return Ok((Arc::clone(file), offset));
        }
        let path = self.dir.join(file_name(segment.serial));
        let file: Arc<dyn DiskFile> =
            Arc::from(self.disk.open(&path).map_err(FrontierError::io("open the journal"))?);
        *open = Some((segment.serial, Arc::clone(&file)));
        Ok((file, offset))
    }
}
