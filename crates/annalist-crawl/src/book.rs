//! The book of servers: a folder that the crawls of one machine share, with a small file for each server. The file is
//! locked while the server is being asked, and says until when it rests. Nothing of it needs to be durable: a power cut
//! ends all who read it. Who waits, and how, is in `asking.rs`; a server's turn within one crawl is in `servers.rs`.

use std::collections::{BTreeMap, HashMap};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annalist_model::Time;
use rustix::fs::{FlockOperation, OFlags, flock, fstat};
use rustix::io::Errno;

use crate::clock;

/// Begins every file, with the version of what follows.
const MAGIC: [u8; 8] = *b"ANNBOOK1";
/// What a file holds: the magic, until when the server rests, how long that rest is, until when somebody waits for it.
const LENGTH: usize = 32;
const WANTED_AT: u64 = 24;
/// A longer rest comes from a clock that was wrong.
const LONGEST_REST: Duration = Duration::from_secs(24 * 3600);
/// Who finds a server taken looks again after a quarter of the time he has waited, between these bounds.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// A sleeper may wake up so late.
const SLACK: Duration = Duration::from_millis(5);
/// After so many new files those whose rest is over are removed.
const MANY_FILES: usize = 10_000;
/// How often a file may be removed between opening and locking it.
const TRIES: usize = 10;

/// While a server is being asked nobody knows when its rest will be over; if who asks dies, it begins then.
pub const UNDER_WAY: Time = Time::from_millis(u64::MAX);

/// The book as one crawl uses it.
#[derive(Debug, Default)]
pub struct Book {
    folder: Option<PathBuf>,
    /// Files made by this crawl.
    made: AtomicUsize,
    /// How many there were when the folder was swept last.
    swept: AtomicUsize,
    is_complained_of: AtomicBool,
    /// Servers this crawl waits for, and since when.
    waiting: Mutex<BTreeMap<IpAddr, Time>>,
    /// Until when servers rest by what this crawl wrote last.
    owed: Mutex<HashMap<IpAddr, Time>>,
}

/// What came of looking a server up.
#[derive(Debug)]
pub enum Look {
    /// The server is the caller's alone, until the entry is closed or dropped.
    Yours(Entry),
    /// It rests, is being asked, or somebody else waits for it: not worth another look before then.
    NotBefore(Time),
}

/// A server that is being asked.
#[derive(Debug)]
pub struct Entry {
    file: Option<File>,
    /// What is in the file would make the server rest.
    is_marked: bool,
}

/// The looks of one turn for one server: who has waited goes before who comes anew.
#[derive(Debug, Default)]
pub struct Looks {
    first: Option<Time>,
}

impl Book {
    pub fn in_folder(folder: PathBuf) -> Book {
        Book { folder: Some(folder), ..Book::default() }
    }

    /// For crawls that nobody else can meet.
    pub fn none() -> Book {
        Book::default()
    }

    /// Takes the server for one request, after which it rests for at least `rest`, unless another crawl has it.
    pub fn look(
        &self,
        server: IpAddr,
        rest: Duration,
        looks: &mut Looks,
        clock: impl Fn() -> Time,
    ) -> io::Result<Look> {
        let Some(folder) = &self.folder else {
            return Ok(Look::Yours(Entry { file: None, is_marked: false }));
        };
        let path = path_of(folder, server);
        let is_new = looks.first.is_none();
        let first = *looks.first.get_or_insert_with(&clock);
        for _ in 0..TRIES {
            let file = self.open(folder, &path)?;
            let taken = lock(&file)?;
            // Under the lock: by an earlier moment, a rest that began since would seem too long, and would be cut.
            let now = clock();
            match taken {
                Lock::Ours => {}
                Lock::Taken => {
                    let pause = (now.since(first) / 4).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
                    want(&file, now.plus(pause + SLACK))?;
                    return Ok(Look::NotBefore(now.plus(pause)));
                }
                Lock::Gone => continue,
            }
            let mut page = Page::read(&file)?;
            if page.rests_until > now {
                let until = page.believable(now);
                if until != page.rests_until {
                    page.rests_until = until;
                    page.write(&file)?;
                }
                want(&file, until.plus(SLACK))?;
                return Ok(Look::NotBefore(until));
            }
            if is_new && page.wanted_until > now && page.wanted_until <= now.plus(2 * LONGEST_PAUSE) {
                return Ok(Look::NotBefore(page.wanted_until));
            }
            if page.wanted_until > Time::default() {
                want(&file, Time::default())?;
            }
            let is_marked = !rest.is_zero();
            if is_marked {
                Page { rests_until: UNDER_WAY, rest, ..page }.write(&file)?;
            }
            return Ok(Look::Yours(Entry { file: Some(file), is_marked }));
        }
        Ok(Look::NotBefore(clock().plus(SHORTEST_PAUSE)))
    }

    /// The server wants a longer rest than was known when its entry was closed. Whoever asks it just now does not hear of it.
    pub fn lengthen(&self, server: IpAddr, until: Time, now: Time) -> io::Result<()> {
        let Some(folder) = self.folder.as_ref().filter(|_| until > now) else { return Ok(()) };
        let file = self.open(folder, &path_of(folder, server))?;
        if lock(&file)? != Lock::Ours {
            return Ok(());
        }
        let page = Page::read(&file)?;
        if page.rests_until < until {
            Page { rests_until: until, rest: until.since(now), ..page }.write(&file)?;
            self.owe(server, until, now);
        } else if !self.owes(server, page.rests_until) && page.rests_until < UNDER_WAY {
            // Whoever owes the longer rest must not shorten it below this one: another number is not theirs.
            let more = Duration::from_millis(1);
            let (rests_until, rest) = (page.rests_until.plus(more), page.rest + more);
            Page { rests_until, rest, ..page }.write(&file)?;
        }
        Ok(())
    }

    /// This crawl made the server rest until then.
    pub fn owe(&self, server: IpAddr, until: Time, now: Time) {
        let mut owed = self.owed();
        if owed.len() >= MANY_FILES {
            owed.retain(|_, until| *until > now);
        }
        owed.insert(server, until);
    }

    /// The rest that this crawl owes the server is over sooner than was written; whether anything became shorter. A rest
    /// that another crawl has written since stays as it is.
    pub fn shorten(&self, server: IpAddr, until: Time) -> io::Result<bool> {
        let written = self.owed().get(&server).copied();
        let (Some(folder), Some(written)) = (&self.folder, written.filter(|written| *written > until)) else {
            return Ok(false);
        };
        let file = self.open(folder, &path_of(folder, server))?;
        // Who is asking the server writes a rest of his own.
        if lock(&file)? != Lock::Ours {
            return Ok(false);
        }
        let page = Page::read(&file)?;
        self.owed().insert(server, until);
        if page.rests_until != written {
            return Ok(false);
        }
        Page { rests_until: until, ..page }.write(&file)?;
        Ok(true)
    }

    fn owes(&self, server: IpAddr, until: Time) -> bool {
        self.owed().get(&server) == Some(&until)
    }

    fn owed(&self) -> MutexGuard<'_, HashMap<IpAddr, Time>> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to tell people about a fault, the first time there is one.
    pub fn complaint(&self, fault: &io::Error) -> Option<String> {
        let folder = self.folder.as_ref()?;
        if self.is_complained_of.swap(true, Ordering::Relaxed) {
            return None;
        }
        Some(format!(
            "the book of servers in {} cannot be used: {fault}; a crawl of another process on this machine may ask the same \
             server at the same time. Give a folder that can be written to in ANNALIST_BOOK, or an empty one to do without",
            folder.display()
        ))
    }

    /// Whether it is time to `sweep`: at the first file, and after many.
    pub fn is_untidy(&self) -> bool {
        let (made, swept) = (self.made.load(Ordering::Relaxed), self.swept.load(Ordering::Relaxed));
        made > 0 && (swept == 0 || made - swept >= MANY_FILES)
    }

    /// Removes the files that say nothing any more. What cannot be removed stays.
    pub fn sweep(&self, clock: impl Fn() -> Time) {
        self.swept.store(self.made.load(Ordering::Relaxed), Ordering::Relaxed);
        let Some(entries) = self.folder.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()) else {
            return;
        };
        for entry in entries.flatten() {
            // Only what is certainly ours.
            if entry.file_name().to_str().is_some_and(|name| name.parse::<IpAddr>().is_ok()) {
                let _ = remove_if_rested(&entry.path(), &clock);
            }
        }
    }

    /// This crawl waits for a server that another one has, or not any more.
    pub fn waits_for(&self, server: IpAddr, since: Option<Time>) {
        match since {
            Some(since) => self.waiting().insert(server, since),
            None => self.waiting().remove(&server),
        };
    }

    /// The server that has been waited for longest, and since when.
    pub fn waited_for(&self) -> Option<(IpAddr, Time)> {
        self.waiting().iter().map(|(server, since)| (*server, *since)).min_by_key(|(_, since)| *since)
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<IpAddr, Time>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file, which is made if it is not there.
    fn open(&self, folder: &Path, path: &Path) -> io::Result<File> {
        for _ in 0..TRIES {
            match options().open(path) {
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
                opened => return opened,
            }
            match options().create_new(true).mode(0o600).open(path) {
                Ok(file) => {
                    self.made.fetch_add(1, Ordering::Relaxed);
                    // Left empty, which reads as a rest that is over: whoever locks it first may have written into it by now.
                    share_like(folder, &file)?;
                    return Ok(file);
                }
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
                }
                Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => {}
                Err(fault) => return Err(fault),
            }
        }
        Err(io::Error::other("its files come and go"))
    }
}

impl Entry {
    /// The server was asked and rests from now on.
    pub fn close(self, until: Time, rest: Duration) -> io::Result<()> {
        match &self.file {
            Some(file) if self.is_marked || !rest.is_zero() => {
                Page { rests_until: until, rest, ..Page::default() }.write(file)
            }
            _ => Ok(()),
        }
    }
}

/// What a file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Page {
    rests_until: Time,
    /// How long the rest is from its beginning: after a clock was set back, nobody waits longer than that.
    rest: Duration,
    /// Somebody waits for the server and will look again before then.
    wanted_until: Time,
}

impl Page {
    fn read(file: &File) -> io::Result<Page> {
        let mut bytes = [0; LENGTH];
        // What is not there is zero: the file was just made, or made on a full disk.
        file.read_at(&mut bytes, 0)?;
        let [magic, until, rest, wanted] = fields(&bytes);
        // In a file that nobody wrote a rest into there may stand who waits.
        if magic != u64::from_le_bytes(MAGIC) && magic != 0 {
            return Ok(Page::default());
        }
        Ok(Page {
            rests_until: Time::from_millis(until),
            rest: Duration::from_millis(rest),
            wanted_until: Time::from_millis(wanted),
        })
    }

    /// Only for who holds the lock. Leaves alone what those who wait have written.
    fn write(&self, file: &File) -> io::Result<()> {
        let rest = u64::try_from(self.rest.as_millis()).unwrap_or(u64::MAX);
        let mut bytes = [0; WANTED_AT as usize];
        let fields = [u64::from_le_bytes(MAGIC), self.rests_until.millis(), rest];
        for (place, field) in bytes.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        file.write_all_at(&bytes, 0)
    }

    /// No rest ends later than one that begins now.
    fn believable(&self, now: Time) -> Time {
        believable(self.rests_until, self.rest, now)
    }
}

/// When a rest of that length is over that is said to end then: after a clock was set back, and where nobody was left to say
/// when its request ended, it begins now.
pub fn believable(until: Time, rest: Duration, now: Time) -> Time {
    until.min(clock::rested_from(now, rest.min(LONGEST_REST)))
}

fn fields(bytes: &[u8; LENGTH]) -> [u64; LENGTH / 8] {
    let mut fields = [0; LENGTH / 8];
    for (field, place) in fields.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *field = u64::from_le_bytes(*place);
    }
    fields
}

/// Needs no lock.
fn want(file: &File, until: Time) -> io::Result<()> {
    file.write_all_at(&until.millis().to_le_bytes(), WANTED_AT)
}

fn path_of(folder: &Path, server: IpAddr) -> PathBuf {
    folder.join(server.to_canonical().to_string())
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    // Where others can write, a link could lead anywhere.
    options.read(true).write(true).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    options
}

#[derive(Debug, PartialEq, Eq)]
enum Lock {
    Ours,
    Taken,
    /// Removed since it was opened: others have another file.
    Gone,
}

fn lock(file: &File) -> io::Result<Lock> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        // After taking the lock: whoever held it may have removed the file.
        Ok(()) => Ok(if fstat(file)?.st_nlink == 0 { Lock::Gone } else { Lock::Ours }),
        Err(Errno::WOULDBLOCK) => Ok(Lock::Taken),
        Err(fault) => Err(fault.into()),
    }
}

/// Who may use the folder may use its files: people who share a machine can share a book.
fn share_like(folder: &Path, file: &File) -> io::Result<()> {
    let mode = std::fs::metadata(folder)?.permissions().mode() & 0o666;
    if mode & 0o022 == 0 { Ok(()) } else { file.set_permissions(Permissions::from_mode(mode)) }
}

/// Under the lock, so that nobody who holds it loses his file; the clock, too, is read then, for a rest that began since
/// would seem too long, and would be cut.
fn remove_if_rested(path: &Path, clock: &dyn Fn() -> Time) -> io::Result<()> {
    let file = options().open(path)?;
    if lock(&file)? != Lock::Ours {
        return Ok(());
    }
    let now = clock();
    let page = Page::read(&file)?;
    let until = page.believable(now);
    if page.rests_until <= now {
        std::fs::remove_file(path)
    } else if until != page.rests_until {
        Page { rests_until: until, ..page }.write(&file)
    } else {
        Ok(())
    }
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
