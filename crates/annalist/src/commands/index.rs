//! `annalist index`: sorted CDXJ indexes of WARC files, also of one that a crawl is writing.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use annalist_sources::is_being_written;
use annalist_warc::{
    Sorter, WarcFile, ZipNumWriter, index_name, index_warc, is_wacz_name, is_warc_name, on_threads,
};
use anyhow::{Context, Result};

use crate::cli::IndexArgs;
use crate::commands::frequencies;
use crate::commands::verify::warc_files;
use crate::exit::{BadConfiguration, Exit};
use crate::printing::Unprinted;
use meter::Meter;

mod meter;

/// For the lines of all threads together; what is more goes to files.
const MEMORY_BYTES: usize = 256 << 20;
/// What the files of a ZipNum index are called.
const ZIPNUM_NAME: &str = "index";

pub fn run(args: &IndexArgs) -> Result<Exit> {
    if let Some(out) = &args.frequencies {
        return frequencies::run(args, out);
    }
    if let Some(archive) = args.output.as_deref().filter(|path| is_archive(path)) {
        let told =
            format!("{} is the name of an archive, not of an index: nothing was written", archive.display());
        return Err(BadConfiguration(told).into());
    }
    let mut files = Vec::new();
    for path in warc_files(&args.paths)? {
        let inside = WarcFile::all_of(&path);
        files.extend(inside.with_context(|| format!("{} cannot be read", path.display()))?);
    }
    let threads = args.threads.map_or_else(cores, usize::from);
    let names = names(&files);
    let meter = Meter::start(&files);
    let indexing = Indexing { names, meter, failed: Mutex::default(), scratch: scratch(args) };
    if args.beside {
        on_threads(&files, threads, &|| (), &|(), number, file| {
            indexing.try_to(|| indexing.beside(number, file));
        });
    } else {
        let own = || Sorter::new(&indexing.scratch, MEMORY_BYTES / threads);
        let sorters = on_threads(&files, threads, &own, &|sorter: &mut Sorter, number, file| {
            indexing.try_to(|| indexing.add(sorter, number, file));
        });
        indexing.try_to(|| match (&args.output, &args.zipnum) {
            (Some(path), _) => write_file(path, sorters),
            (None, Some(dir)) => write_zipnum(dir, sorters),
            (None, None) => write_lines(io::stdout().lock(), sorters).context(Unprinted),
        });
    }
    let damaged = indexing.meter.finish();
    indexing.failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)?;
    Ok(if damaged == 0 { Exit::Done } else { Exit::Failed })
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    is_warc_name(&name) || is_wacz_name(&name)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Where lines go that do not fit into memory: to where the index will be, which has to have room for them anyway.
fn scratch(args: &IndexArgs) -> PathBuf {
    let beside = args.output.as_deref().and_then(Path::parent).or(args.zipnum.as_deref());
    let usable = beside.filter(|dir| dir.is_dir()).map(Path::to_owned);
    usable.unwrap_or_else(std::env::temp_dir)
}

/// The file's own name, as other tools expect it, unless another file is called so too.
fn names(files: &[WarcFile]) -> Vec<String> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    files.iter().for_each(|file| *count.entry(&file.name).or_default() += 1);
    let name = |file: &WarcFile| match count.get(file.name.as_str()) {
        Some(1) => file.name.clone(),
        _ => file.shown(),
    };
    files.iter().map(name).collect()
}

struct Indexing {
    names: Vec<String>,
    meter: Meter,
    /// What ended the indexing early.
    failed: Mutex<Option<anyhow::Error>>,
    scratch: PathBuf,
}

impl Indexing {
    /// Does something unless it is too late.
    fn try_to(&self, work: impl FnOnce() -> Result<()>) {
        let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed().is_none()
            && let Err(e) = work()
        {
            *failed() = Some(e);
        }
    }

    fn add(&self, sorter: &mut Sorter, number: usize, file: &WarcFile) -> Result<()> {
        let name = self.names.get(number).map(String::as_str).unwrap_or_default();
        let mut pushed = Ok(());
        let mut before = 0;
        let indexed = index_warc(
            file,
            name,
            &mut |line| {
                self.meter.count();
                if pushed.is_ok() {
                    pushed = sorter.push(&line);
                }
            },
            &mut |at| {
                self.meter.advance(at.saturating_sub(before));
                before = at;
            },
        );
        pushed.context("lines of the index cannot be kept")?;
        let indexed = match indexed {
            Ok(indexed) => indexed,
            Err(e) => {
                self.meter.damaged(&format!("{} cannot be read: {e}", file.shown()));
                return Ok(());
            }
        };
        for hole in indexed.holes.iter().filter(|hole| !is_being_written(&file.path, hole)) {
            self.meter.damaged(&format!("{}: {hole}", file.shown()));
        }
        Ok(())
    }

    fn beside(&self, number: usize, file: &WarcFile) -> Result<()> {
        let dir = file.path.parent().unwrap_or(Path::new(""));
        let indexes = dir.join("../indexes");
        let index = if indexes.is_dir() { indexes } else { dir.to_owned() }.join(index_name(&file.name));
        let mut sorter = Sorter::new(&self.scratch, MEMORY_BYTES / cores());
        self.add(&mut sorter, number, file)?;
        write_file(&index, vec![sorter])
    }
}

/// Whatever happens, the file holds the old lines or all of the new ones.
fn write_file(path: &Path, sorters: Vec<Sorter>) -> Result<()> {
    let told = || format!("{} cannot be written", path.display());
    // A pipe or a device is written as it is.
    if path.exists() && !path.is_file() {
        return write_lines(File::create(path).with_context(told)?, sorters).with_context(told);
    }
    let fresh = PathBuf::from(format!("{}.new", path.display()));
    let written = File::create(&fresh).and_then(|file| {
        write_lines(&file, sorters)?;
        file.sync_all()?;
        fs::rename(&fresh, path)
    });
    if written.is_err() {
        // It may hold the very room that is missing.
        let _ = fs::remove_file(&fresh);
    }
    written.with_context(told)
}

fn write_lines(out: impl Write, sorters: Vec<Sorter>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    Sorter::merge(sorters, &mut |line| out.write_all(line.as_bytes()))?;
    out.flush()
}

fn write_zipnum(dir: &Path, sorters: Vec<Sorter>) -> Result<()> {
    let written = ZipNumWriter::create(dir, ZIPNUM_NAME).and_then(|mut writer| {
        Sorter::merge(sorters, &mut |line| writer.push(line))?;
        writer.finish()
    });
    written.with_context(|| format!("{} cannot be written", dir.display()))
}
