//! Records copied out of archives into new files, byte for byte: a gzip member as it is where a record has one of its own,
//! else the same head and block in a member of their own. Which records are copied is decided by the caller.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::RealDisk;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::cdx::CdxLines;
use crate::digest::DigestKind;
use crate::fault::ReadError;
use crate::fields::{Fields, write_field};
use crate::file_name::{file_name, index_name};
use crate::index::{describe, write_index};
use crate::pack::{Packer, Packing};
use crate::read::{BlockRecord, Reader};
use crate::record::{Record, RecordId};
use crate::sorter::Sorter;
use crate::start::Format;
use crate::wacz::{About, WaczWriter};
use crate::warc_file::Section;
use crate::writer::WriteError;

/// Members up to this length are held in memory, longer ones go from file to file.
const IN_MEMORY_BYTES: u64 = 16 << 20;
const BUFFER_BYTES: usize = 256 * 1024;
/// Of index lines in memory.
const INDEX_BYTES: usize = 256 << 20;
const TERMINATOR: &[u8] = b"\r\n\r\n";

/// How the new files are called and what they say about themselves.
#[derive(Clone, Debug)]
pub struct CopySettings {
    pub prefix: String,
    pub host: String,
    pub at_ms: u64,
    /// A file that has grown to this length is closed, and the next one opened.
    pub roll_bytes: u64,
    /// Fields of the warcinfo record that starts every file.
    pub warcinfo: Vec<(String, String)>,
}

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("a record cannot be read")]
    Read(#[from] ReadError),
    #[error("cannot be written")]
    Write(#[from] io::Error),
    #[error("cannot be written")]
    Index(#[from] WriteError),
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    pub files: u32,
    pub records: u64,
    pub bytes: u64,
}

/// Writes copies of records. Files are not complete before `finish`; giving them their final place is the caller's
/// business.
#[derive(Debug)]
pub struct Copier {
    settings: CopySettings,
    place: Place,
    packer: Packer,
    /// Of the file that is open, empty if none is.
    name: String,
    copied: Copied,
}

#[derive(Debug)]
enum Place {
    Folder { archive: PathBuf, indexes: PathBuf, open: Option<OpenFile> },
    Wacz { writer: Box<WaczWriter>, file: Arc<File>, lines: Sorter },
}

#[derive(Debug)]
struct OpenFile {
    out: BufWriter<File>,
    file: Arc<File>,
    length: u64,
    lines: CdxLines,
}

impl Copier {
    /// Into a folder as pywb can serve it: WARC files in `archive`, an index of each in `indexes`.
    pub fn into_folder(dir: &Path, settings: CopySettings) -> Result<Copier, CopyError> {
        let (archive, indexes) = (dir.join("archive"), dir.join("indexes"));
        std::fs::create_dir_all(&archive)?;
        std::fs::create_dir_all(&indexes)?;
        Ok(Copier::new(settings, Place::Folder { archive, indexes, open: None }))
    }

    /// Into a WACZ file, which has to be open for reading too. Index lines that do not fit into memory go to files in
    /// `scratch`.
    pub fn into_wacz(file: File, scratch: &Path, settings: CopySettings) -> Result<Copier, CopyError> {
        let read = Arc::new(file.try_clone()?);
        let writer = Box::new(WaczWriter::new(file, settings.at_ms)?);
        let lines = Sorter::new(scratch, INDEX_BYTES);
        Ok(Copier::new(settings, Place::Wacz { writer, file: read, lines }))
    }

    fn new(settings: CopySettings, place: Place) -> Copier {
        let packer = Packer::new(Packing { level: 6, digest: DigestKind::Sha1 });
        Copier { settings, place, packer, name: String::new(), copied: Copied::default() }
    }

    /// Copies the gzip member of a record that has one of its own.
    pub fn copy(&mut self, from: &Section, offset: u64, length: u64) -> Result<(), CopyError> {
        let mut member = from.part(offset, length);
        let cut = |e| CopyError::Read(ReadError::from_io(e, offset));
        if length <= IN_MEMORY_BYTES {
            let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
            member.read_exact(&mut bytes).map_err(cut)?;
            return self.put(&bytes);
        }
        self.make_room(length)?;
        let start = self.length();
        let mut piece = vec![0; BUFFER_BYTES];
        loop {
            let read = member.read(&mut piece).map_err(cut)?;
            if read == 0 {
                break;
            }
            self.write_all(&piece[..read])?;
        }
        self.index_written(start)
    }

    /// Packs the head and block of a record into a member of its own. What ARC says in its head is said as WARC says it; `from`
    /// is the file it is in.
    pub fn pack<R: BufRead + Seek>(
        &mut self,
        mut record: BlockRecord<'_, R>,
        from: &str,
    ) -> Result<(), CopyError> {
        let offset = record.offset;
        let read = |e| CopyError::Read(ReadError::from_io(e, offset));
        let in_memory = record.content_length <= IN_MEMORY_BYTES;
        if !in_memory {
            // What cannot be packed gets a little longer.
            self.make_room(record.content_length + record.content_length / 100)?;
        }
        let start = self.length();
        let mut member = Vec::new();
        let out: &mut dyn Write = if in_memory { &mut member } else { self };
        let mut gzip = GzEncoder::new(out, Compression::default());
        match record.format {
            Format::Warc => gzip.write_all(&record.head)?,
            Format::Arc => gzip.write_all(&warc_head(&record.fields, &format!("{from} {offset}")))?,
        }
        loop {
            let ready = record.fill_buf().map_err(read)?;
            if ready.is_empty() {
                break;
            }
            gzip.write_all(ready)?;
            let used = ready.len();
            record.consume(used);
        }
        gzip.write_all(TERMINATOR)?;
        gzip.finish()?;
        record.finish()?;
        if in_memory { self.put(&member) } else { self.index_written(start) }
    }

    /// Ends everything but the final names. `pages` and `about` are for a WACZ file. Whoever needs the files durable
    /// finds them synced.
    pub fn finish(mut self, pages: impl Iterator<Item = String>, about: &About) -> Result<Copied, CopyError> {
        if self.name.is_empty() {
            // An archive of nothing is an archive all the same, and says where it is from.
            self.begin(0)?;
        }
        self.close()?;
        match self.place {
            Place::Folder { archive, indexes, .. } => {
                for dir in [archive, indexes] {
                    File::open(dir)?.sync_all()?;
                }
            }
            Place::Wacz { writer, lines, .. } => writer.finish(lines, pages, about)?.sync_all()?,
        }
        Ok(self.copied)
    }

    /// Adds a member that is all there.
    fn put(&mut self, member: &[u8]) -> Result<(), CopyError> {
        self.make_room(member.len() as u64)?;
        let start = self.length();
        self.write_all(member)?;
        self.index(Reader::new(Cursor::new(member)), start)
    }

    /// Indexes a member that was too large for memory, by reading what was written.
    fn index_written(&mut self, start: u64) -> Result<(), CopyError> {
        self.flush()?;
        let (file, file_start) = match &self.place {
            Place::Folder { open: Some(open), .. } => (&open.file, 0),
            Place::Folder { open: None, .. } => return Ok(()),
            Place::Wacz { writer, file, .. } => (file, writer.start()),
        };
        let section = Section::of(file, file_start + start, self.length() - start);
        self.index(Reader::new(BufReader::new(section)), start)
    }

    fn index<R: BufRead + Seek>(&mut self, mut written: Reader<R>, start: u64) -> Result<(), CopyError> {
        self.copied.records += 1;
        let length = self.length() - start;
        self.copied.bytes += length;
        let Some(mut record) = written.next_record()? else { return Ok(()) };
        if let Some(mut line) = describe(&mut record)? {
            (line.offset, line.length) = (start, length);
            line.filename.clone_from(&self.name);
            match &mut self.place {
                Place::Folder { open, .. } => open.iter_mut().for_each(|open| open.lines.push(&line)),
                Place::Wacz { lines, .. } => lines.push(&line)?,
            }
        }
        Ok(())
    }

    /// Sees to it that a file is open that has not grown too long. A record of some gigabytes gets one of its own.
    fn make_room(&mut self, length: u64) -> Result<(), CopyError> {
        let fits = self.length() + length <= WaczWriter::SMALL_BYTES;
        if !self.name.is_empty() && self.length() < self.settings.roll_bytes && fits {
            return Ok(());
        }
        self.close()?;
        self.begin(length)
    }

    fn begin(&mut self, length: u64) -> Result<(), CopyError> {
        let CopySettings { prefix, host, at_ms, warcinfo, .. } = &self.settings;
        self.name = file_name(prefix, *at_ms, self.copied.files, host);
        self.copied.files += 1;
        let warcinfo = Record::warcinfo(id_of(&self.name, warcinfo), *at_ms, &self.name, warcinfo);
        match &mut self.place {
            Place::Folder { archive, open, .. } => {
                let path = archive.join(&self.name);
                let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
                let read = Arc::new(file.try_clone()?);
                let out = BufWriter::with_capacity(BUFFER_BYTES, file);
                *open = Some(OpenFile { out, file: read, length: 0, lines: CdxLines::default() });
            }
            Place::Wacz { writer, .. } => writer.begin_warc(&self.name, length)?,
        }
        let mut member = Vec::new();
        self.packer.pack(&warcinfo, &mut member).map_err(|e| WriteError::of(e, Path::new(&self.name)))?;
        self.write_all(&member)?;
        self.copied.bytes += member.len() as u64;
        Ok(())
    }

    fn close(&mut self) -> Result<(), CopyError> {
        if self.name.is_empty() {
            return Ok(());
        }
        match &mut self.place {
            Place::Folder { indexes, open, .. } => {
                if let Some(mut open) = open.take() {
                    open.out.flush()?;
                    open.file.sync_all()?;
                    write_index(&RealDisk, &indexes.join(index_name(&self.name)), &open.lines)?;
                }
            }
            Place::Wacz { writer, .. } => writer.end()?,
        }
        self.name.clear();
        Ok(())
    }

    /// Of the open file.
    fn length(&self) -> u64 {
        match &self.place {
            Place::Folder { open, .. } => open.as_ref().map_or(0, |open| open.length),
            Place::Wacz { writer, .. } => writer.length(),
        }
    }
}

/// The head of a record that has none of WARC's own. `place` is where it was: nothing else is there.
fn warc_head(fields: &Fields, place: &str) -> Vec<u8> {
    let mut head = b"WARC/1.1\r\n".to_vec();
    write_field(&mut head, "WARC-Record-ID", &RecordId::of_place(place).to_string());
    fields.write_to(&mut head);
    head.extend_from_slice(b"\r\n");
    head
}

/// Names of files are unique, and so is what is made of one.
fn id_of(name: &str, warcinfo: &[(String, String)]) -> RecordId {
    RecordId::of_place(&format!("{name} {warcinfo:?}"))
}

/// Into the open file.
impl Write for Copier {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Folder { open: Some(open), .. } => {
                open.out.write_all(bytes)?;
                open.length += bytes.len() as u64;
                Ok(bytes.len())
            }
            Place::Folder { open: None, .. } => Err(io::Error::other("no file is open")),
            Place::Wacz { writer, .. } => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Place::Folder { open, .. } => open.as_mut().map_or(Ok(()), |open| open.out.flush()),
            Place::Wacz { writer, .. } => writer.flush(),
        }
    }
}
