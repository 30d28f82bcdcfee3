//! A disk in memory that behaves as badly as a real one may: at a power cut it forgets what was not synced, keeps
//! parts of it, or keeps its length with zeros for bytes; it runs full; its fsync fails and loses the data.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Disk, DiskFile};

/// A small generator of random numbers, so that every cut can be repeated from its seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when there is none.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.roll() % bound }
    }
}

/// What goes wrong, and when. Operations are counted from the disk's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The power goes at this operation: it and everything after it fails.
    CutAt(u64),
    /// The fsync that is this operation, or the first one after it, fails and loses what it should have kept.
    SyncFailsAt(u64),
    /// No more than this many bytes fit on the disk.
    Room(u64),
    /// The same, until this many writes were refused: then somebody makes room.
    RoomUntil { bytes: u64, refusals: u64 },
}

#[derive(Clone, Debug, Default)]
struct Contents {
    current: Vec<u8>,
    durable: Vec<u8>,
    /// The shortest length since the last sync: below it, `durable` and `current` are the same.
    common: usize,
    /// Bytes from here to the mark were lost by a failed fsync: no later sync brings them back.
    lost: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
enum NameChange {
    Set(PathBuf, usize),
    Gone(PathBuf),
}

#[derive(Debug, Default)]
struct State {
    files: Vec<Contents>,
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    /// Changes of names since their folder was last synced, in order.
    unsynced_names: Vec<NameChange>,
    operations: u64,
    faults: Vec<Fault>,
}

/// A simulated disk. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct SimDisk {
    state: Arc<Mutex<State>>,
}

impl SimDisk {
    pub fn new() -> SimDisk {
        SimDisk::default()
    }

    pub fn with_faults(self, faults: &[Fault]) -> SimDisk {
        self.lock().faults = faults.to_vec();
        self
    }

    /// Changes what goes wrong from here on: room made again on a full disk, say.
    pub fn set_faults(&self, faults: &[Fault]) {
        self.lock().faults = faults.to_vec();
    }

    /// How many operations were asked for: the points at which a fault can be put.
    pub fn operations(&self) -> u64 {
        self.lock().operations
    }

    /// The disk as it is found after a power cut: synced bytes, and of the rest whatever chance left.
    pub fn after_power_cut(&self, dice: &mut Dice) -> SimDisk {
        let state = self.lock();
        let mut names = state.durable_names.clone();
        let survivors = dice.below(state.unsynced_names.len() as u64 + 1) as usize;
        for change in &state.unsynced_names[..survivors] {
            apply(&mut names, change);
        }
        let files: Vec<Contents> = state.files.iter().map(|file| found_again(file, dice)).collect();
        let found = State { files, durable_names: names.clone(), names, ..State::default() };
        SimDisk { state: Arc::new(Mutex::new(found)) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, id: usize) -> Box<dyn DiskFile> {
        Box::new(SimFile { disk: self.clone(), id })
    }
}

fn apply(names: &mut BTreeMap<PathBuf, usize>, change: &NameChange) {
    match change {
        NameChange::Set(path, id) => {
            names.insert(path.clone(), *id);
        }
        NameChange::Gone(path) => {
            names.remove(path);
        }
    }
}

/// What is left of one file: its synced bytes, then a piece of the unsynced ones, some of its sectors zero.
fn found_again(file: &Contents, dice: &mut Dice) -> Contents {
    const SECTOR: usize = 512;
    let mut bytes = file.durable.clone();
    let unsynced_cut = file.common < file.durable.len();
    if unsynced_cut && dice.below(2) == 0 {
        bytes.truncate(file.common);
    }
    let grown = file.current.len().saturating_sub(bytes.len());
    if (!unsynced_cut || bytes.len() == file.common) && grown > 0 {
        let kept = dice.below(grown as u64 + 1) as usize;
        let from = bytes.len();
        bytes.extend_from_slice(&file.current[from..from + kept]);
        for sector in bytes[from..].chunks_mut(SECTOR) {
            if dice.below(4) == 0 {
                sector.fill(0);
            }
        }
    }
    let common = bytes.len();
    Contents { current: bytes.clone(), durable: bytes, common, lost: None }
}

impl State {
    /// Counts an operation and says whether the power is still there.
    fn step(&mut self) -> io::Result<()> {
        let now = self.operations;
        self.operations += 1;
        if self.faults.iter().any(|f| matches!(f, Fault::CutAt(at) if now >= *at)) {
            return Err(io::Error::other("simulated power cut"));
        }
        Ok(())
    }

    fn room(&self) -> u64 {
        let used: u64 = self.names.values().map(|id| self.files[*id].current.len() as u64).sum();
        let limit = self.faults.iter().find_map(|f| match f {
            Fault::Room(bytes) | Fault::RoomUntil { bytes, .. } => Some(*bytes),
            _ => None,
        });
        limit.unwrap_or(u64::MAX / 2).saturating_sub(used)
    }

    /// Says no to a write for want of room.
    fn refuse(&mut self) -> io::Error {
        for fault in &mut self.faults {
            if let Fault::RoomUntil { refusals, .. } = fault {
                *refusals = refusals.saturating_sub(1);
            }
        }
        self.faults.retain(|fault| !matches!(fault, Fault::RoomUntil { refusals: 0, .. }));
        io::Error::from(io::ErrorKind::StorageFull)
    }

    fn sync_fails(&mut self) -> bool {
        let now = self.operations - 1;
        let due = self.faults.iter().position(|f| matches!(f, Fault::SyncFailsAt(at) if now >= *at));
        if let Some(index) = due {
            self.faults.remove(index);
        }
        due.is_some()
    }

    fn change(&mut self, change: NameChange) {
        apply(&mut self.names, &change);
        self.unsynced_names.push(change);
    }

    fn id(&self, path: &Path) -> io::Result<usize> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("no file {}", path.display()));
        self.names.get(path).copied().ok_or_else(missing)
    }
}

impl Disk for SimDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.lock();
        state.step()?;
        if state.names.contains_key(path) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, path.display().to_string()));
        }
        if state.room() == 0 {
            return Err(state.refuse());
        }
        state.files.push(Contents::default());
        let id = state.files.len() - 1;
        state.change(NameChange::Set(path.to_owned(), id));
        Ok(self.file(id))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.lock();
        state.step()?;
        let id = state.id(path)?;
        Ok(self.file(id))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.lock();
        state.step()?;
        let id = state.id(from)?;
        // One step on disk: a cut never finds the new name missing with the old one gone.
        state.change(NameChange::Set(to.to_owned(), id));
        state.change(NameChange::Gone(from.to_owned()));
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        state.step()?;
        state.id(path)?;
        state.change(NameChange::Gone(path.to_owned()));
        Ok(())
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut state = self.lock();
        state.step()?;
        let inside = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect())
    }

    fn create_dir_all(&self, _dir: &Path) -> io::Result<()> {
        self.lock().step()
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.lock();
        state.step()?;
        if state.sync_fails() {
            return Err(io::Error::other("simulated fsync failure"));
        }
        let changes = std::mem::take(&mut state.unsynced_names);
        for change in changes {
            let (NameChange::Set(path, _) | NameChange::Gone(path)) = &change;
            if path.parent() == Some(dir) {
                apply(&mut state.durable_names, &change);
            } else {
                state.unsynced_names.push(change);
            }
        }
        Ok(())
    }

    fn free_bytes(&self, _dir: &Path) -> io::Result<u64> {
        Ok(self.lock().room())
    }
}

#[derive(Debug)]
struct SimFile {
    disk: SimDisk,
    id: usize,
}

impl DiskFile for SimFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.disk.lock();
        state.step()?;
        let fits = usize::try_from(state.room()).unwrap_or(usize::MAX).min(bytes.len());
        state.files[self.id].current.extend_from_slice(&bytes[..fits]);
        if fits < bytes.len() {
            return Err(state.refuse());
        }
        Ok(())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let state = self.disk.lock();
        let bytes = &state.files[self.id].current;
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let piece = from.checked_add(buffer.len()).and_then(|to| bytes.get(from..to));
        buffer.copy_from_slice(piece.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn length(&self) -> u64 {
        self.disk.lock().files[self.id].current.len() as u64
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        let mut state = self.disk.lock();
        state.step()?;
        let file = &mut state.files[self.id];
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(file.current.len());
        file.current.truncate(length);
        file.common = file.common.min(length);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.lock();
        state.step()?;
        let fails = state.sync_fails();
        let file = &mut state.files[self.id];
        if fails {
            // The kernel calls the pages clean after a failed write-back: they are never tried again.
            file.lost = Some((file.common, file.current.len()));
            return Err(io::Error::other("simulated fsync failure"));
        }
        file.durable.truncate(file.common);
        let from = file.durable.len();
        file.durable.extend_from_slice(&file.current[from..]);
        if let Some((lost_from, lost_to)) = file.lost {
            let end = lost_to.min(file.durable.len());
            if lost_from < end {
                file.durable[lost_from..end].fill(0);
            }
        }
        file.common = file.durable.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Dice, Fault, SimDisk};
    use crate::Disk;

    const DIR: &str = "/d";

    fn path(name: &str) -> std::path::PathBuf {
        Path::new(DIR).join(name)
    }

    #[test]
    fn synced_bytes_under_a_synced_name_outlive_every_cut() {
        for seed in 0..200 {
            let disk = SimDisk::new();
            let mut file = disk.create(&path("a")).unwrap();
            file.append(b"kept").unwrap();
            file.sync().unwrap();
            disk.sync_dir(Path::new(DIR)).unwrap();
            file.append(b" lost perhaps").unwrap();
            let found = disk.after_power_cut(&mut Dice::new(seed)).read(&path("a")).unwrap();
            assert!(found.starts_with(b"kept"));
        }
    }

    #[test]
    fn an_unsynced_name_or_byte_is_lost_in_some_cut() {
        let found = |synced_name: bool, synced_bytes: bool| {
            (0..100).all(|seed| {
                let disk = SimDisk::new();
                let mut file = disk.create(&path("a")).unwrap();
                file.append(b"bytes").unwrap();
                if synced_bytes {
                    file.sync().unwrap();
                }
                if synced_name {
                    disk.sync_dir(Path::new(DIR)).unwrap();
                }
                let after = disk.after_power_cut(&mut Dice::new(seed));
                after.read(&path("a")).is_ok_and(|bytes| bytes == b"bytes")
            })
        };
        assert!(found(true, true));
        assert!(!found(true, false));
        assert!(!found(false, true));
    }

    #[test]
    fn a_replaced_file_is_old_or_new_after_every_cut() {
        for at in 0..12 {
            for seed in 0..50 {
                let disk = SimDisk::new();
                disk.replace(&path("m"), b"old").unwrap();
                disk.set_faults(&[Fault::CutAt(disk.operations() + at)]);
                let replaced = disk.replace(&path("m"), b"new!").is_ok();
                let after = disk.after_power_cut(&mut Dice::new(seed));
                let found = after.read(&path("m")).unwrap();
                assert!(
                    found == b"new!" || (!replaced && found == b"old"),
                    "cut {at}, seed {seed}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn bytes_of_a_failed_sync_are_gone_though_the_next_one_succeeds() {
        let disk = SimDisk::new();
        let mut file = disk.create(&path("a")).unwrap();
        file.append(b"one").unwrap();
        file.sync().unwrap();
        disk.sync_dir(Path::new(DIR)).unwrap();
        file.append(b"two").unwrap();
        disk.set_faults(&[Fault::SyncFailsAt(disk.operations())]);
        assert!(file.sync().is_err());
        file.append(b"three").unwrap();
        file.sync().unwrap();
        let found = disk.after_power_cut(&mut Dice::new(1)).read(&path("a")).unwrap();
        assert_eq!(found, b"one\0\0\0three");
    }

    #[test]
    fn a_full_disk_takes_what_fits_and_says_so() {
        let disk = SimDisk::new().with_faults(&[Fault::Room(4)]);
        let mut file = disk.create(&path("a")).unwrap();
        let error = file.append(b"123456").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
        assert_eq!(file.length(), 4);
        file.truncate(0).unwrap();
        disk.set_faults(&[]);
        file.append(b"123456").unwrap();
        assert_eq!(disk.read(&path("a")).unwrap(), b"123456");
    }

    #[test]
    fn a_disk_where_somebody_makes_room_refuses_as_often_as_it_was_told() {
        let disk = SimDisk::new().with_faults(&[Fault::RoomUntil { bytes: 4, refusals: 2 }]);
        let mut file = disk.create(&path("a")).unwrap();
        for _ in 0..2 {
            assert!(file.append(b"123456").is_err());
            file.truncate(0).unwrap();
        }
        file.append(b"123456").unwrap();
    }
}
