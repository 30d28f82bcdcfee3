//! Addresses that people or programs hand to a crawl, also while it does not run. They are acknowledged when they are
//! durable in the job's queue (`state/injected/`, one JSON object a line), and taken out of it in order; how far that
//! got is a note of the frontier, committed with what came of them, so that none is lost and none is taken twice.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use annalist_frontier::{Change, Purpose, Urgency};
use annalist_model::spec::Spec;
use annalist_model::{
    CanonicalUrl, Canonicaliser, LONGEST_URL, Link, Outcome, Score, SkipReason, Time, UrlKey,
};
use serde::{Deserialize, Serialize};

use crate::job::JobDir;

/// How far the queue was taken out: `number offset`.
pub const INJECTED_NOTE: &str = "injected";
/// A file of the queue is not made longer than this.
const FILE_BYTES: u64 = 64 << 20;
/// So many are taken out at once.
const AT_ONCE: usize = 5_000;
/// A line that is longer is no address.
const LONGEST_LINE: usize = 64 << 10;
/// An address is refused that is longer as it was sent, blanks and fragment included: escaped, it still fits into a line.
const LONGEST_SENT: usize = 2 * LONGEST_URL;
const _: () = assert!(6 * LONGEST_SENT + 100 <= LONGEST_LINE);

/// What is said of an address that is never to be fetched.
pub(crate) const BLACKLISTED: &str = "somebody put it on the blacklist";

/// One address that was handed over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Injected {
    pub url: String,
    /// In [0, 1], what the order sorts by; 1 where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Never to be fetched, now and later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blacklisted: bool,
}

/// The end of a job's queue, where addresses are put in. One for each process and job.
#[derive(Debug)]
pub struct Injections {
    job: JobDir,
    last: Mutex<Option<(u64, File)>>,
}

impl Injections {
    pub fn of(job: &JobDir) -> Injections {
        Injections { job: job.clone(), last: Mutex::default() }
    }

    /// Puts addresses in; they are durable when this returns. What is wrong with one is said before: see [`examine`].
    pub fn put(&self, addresses: &[Injected]) -> io::Result<()> {
        let mut lines = Vec::with_capacity(addresses.len() * 100);
        for address in addresses {
            serde_json::to_writer(&mut lines, address)?;
            lines.push(b'\n');
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none() {
            *last = Some(self.open_last()?);
        }
        let Some((number, file)) = last.as_mut() else { return Ok(()) };
        let length = file.metadata()?.len();
        if length >= FILE_BYTES {
            (*number, *file) = create(&self.job.injected(), *number + 1)?;
        }
        let length = file.metadata()?.len();
        if let Err(fault) = file.write_all(&lines).and_then(|()| file.sync_data()) {
            // Half a line must not stand before the next one, and nothing may count that was not acknowledged.
            let _ = file.set_len(length);
            *last = None;
            return Err(fault);
        }
        Ok(())
    }

    /// A new file for each process: the end of an old one may be half a line.
    fn open_last(&self) -> io::Result<(u64, File)> {
        let folder = self.job.injected();
        self.job.make(&folder)?;
        let next = files(&folder)?.last().map_or(1, |(number, _)| number + 1);
        create(&folder, next)
    }
}

fn create(folder: &Path, number: u64) -> io::Result<(u64, File)> {
    let path = folder.join(format!("{number:08}.jsonl"));
    let file = OpenOptions::new().append(true).create_new(true).open(path)?;
    // The name has to be durable, too.
    File::open(folder)?.sync_all()?;
    Ok((number, file))
}

fn files(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e),
    };
    let mut found = Vec::new();
    for entry in listed {
        let path = entry?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
        found.extend(number.map(|number| (number, path)));
    }
    found.sort();
    Ok(found)
}

/// What is wrong with an address, in words, or what it is called.
pub fn examine(address: &Injected, spec: &Spec) -> Result<CanonicalUrl, String> {
    if let Some(score) = address.score
        && !(0.0..=1.0).contains(&score)
    {
        return Err(format!("score: {score} is not between 0 and 1"));
    }
    if address.url.len() > LONGEST_SENT {
        return Err(format!("url: longer than {LONGEST_SENT} bytes, blanks and fragment included"));
    }
    spec.canonical.parse(&address.url).map_err(|fault| format!("url: {fault}"))
}

/// Where in the queue a crawl is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    file: u64,
    offset: u64,
}

impl Place {
    pub fn of(note: Option<&[u8]>) -> Place {
        let text = note.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        let mut words = text.split(' ').map_while(|word| word.parse().ok());
        Place { file: words.next().unwrap_or_default(), offset: words.next().unwrap_or_default() }
    }

    fn note(self) -> Change {
        let value = format!("{} {}", self.file, self.offset).into_bytes();
        Change::Note { name: INJECTED_NOTE.to_owned(), value }
    }
}

/// What comes of the next addresses in the queue.
#[derive(Debug, Default)]
pub struct Taken {
    pub changes: Vec<Change>,
    /// Of these changes, those that are never to be fetched.
    pub barred: Vec<UrlKey>,
    pub to: Place,
    /// Lines that nobody can have put in.
    pub unreadable: usize,
}

/// Takes some addresses out of a job's queue, from that place on; nothing when there are none.
pub fn take(job: &JobDir, from: Place, spec: &Spec, now: Time) -> io::Result<Option<Taken>> {
    let mut taken = Taken { to: from, ..Taken::default() };
    let mut count = 0;
    for (number, path) in files(&job.injected())? {
        if number < taken.to.file {
            continue;
        }
        if number > taken.to.file {
            taken.to = Place { file: number, offset: 0 };
        }
        let mut file = BufReader::new(File::open(&path)?);
        file.seek(SeekFrom::Start(taken.to.offset))?;
        let mut line = Vec::new();
        while count < AT_ONCE && file.read_until(b'\n', &mut line)? > 0 {
            if line.last() != Some(&b'\n') {
                // Not acknowledged: its writer is still at it, or was killed.
                break;
            }
            taken.to.offset += line.len() as u64;
            count += 1;
            let read = (line.len() <= LONGEST_LINE).then(|| serde_json::from_slice(&line).ok()).flatten();
            if read.and_then(|address| taken.add(&address, spec, now)).is_none() {
                taken.unreadable += 1;
            }
            line.clear();
        }
        if count >= AT_ONCE {
            break;
        }
    }
    if taken.to == from {
        return Ok(None);
    }
    taken.changes.push(taken.to.note());
    Ok(Some(taken))
}

/// What was said last of an address that is in a job's queue, taken out or not.
pub fn handed_over(job: &JobDir, url: &CanonicalUrl, spec: &Spec) -> io::Result<Option<Injected>> {
    let mut found = None;
    for (_, path) in files(&job.injected())? {
        for line in BufReader::new(File::open(&path)?).split(b'\n') {
            let Ok(address) = serde_json::from_slice::<Injected>(&line?) else { continue };
            if examine(&address, spec).is_ok_and(|named| named == *url) {
                found = Some(address);
            }
        }
    }
    Ok(found)
}

/// Removes the files before that place, which the frontier has to know of durably. Their writer has gone on to others.
pub fn tidy(job: &JobDir, to: Place) {
    for (number, path) in files(&job.injected()).unwrap_or_default() {
        if number < to.file {
            // What stays is passed over, and removed another time.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Taken {
    /// An injected address is fetched wherever it lies, unless its site is blocked when it has its turn: somebody named it.
    /// `None`: it is no address.
    fn add(&mut self, address: &Injected, spec: &Spec, now: Time) -> Option<()> {
        let url = examine(address, spec).ok()?;
        if address.blacklisted {
            for url in spellings(address, url) {
                self.barred.push(url.key());
                self.changes.extend(never(url, now));
            }
            return Some(());
        }
        let key = url.key();
        let link = Link::injected(url);
        let value = address.score.map_or(1.0, |score| Score::new(score as f32).get());
        self.changes.push(Change::Discovered { link, value, urgency: Urgency::Normal });
        if address.score.is_some() {
            // Combined with what pages said, a score could only raise that of a link that waits already.
            self.changes.push(Change::Valued { key, value });
        }
        Some(())
    }
}

/// An address that is never to be fetched, as it is called now and as it was sent: addresses may be spelled by other rules
/// one day.
pub fn spellings(address: &Injected, url: CanonicalUrl) -> impl Iterator<Item = CanonicalUrl> {
    let sent = Canonicaliser::plain().parse(&address.url).ok().filter(|sent| *sent != url);
    std::iter::once(url).chain(sent)
}

/// What the frontier is told of an address that is never to be fetched.
pub(crate) fn never(url: CanonicalUrl, now: Time) -> [Change; 2] {
    let key = url.key();
    let (reason, detail) = (SkipReason::Blacklisted, BLACKLISTED.to_owned());
    let outcome = Outcome::Skipped { reason, detail: detail.clone() };
    let (place, digest, purpose) = (None, None, Purpose::Prerequisite);
    let refused = Change::Refused { link: Link::injected(url), reason, detail };
    [refused, Change::Done { key, outcome, place, digest, at: now, bytes: 0, purpose }]
}

#[cfg(test)]
mod tests {
    use annalist_frontier::Change;
    use annalist_model::spec::Spec;
    use annalist_model::{CanonicalUrl, Outcome, Time};

    use super::{Injected, Injections, Place, Taken, handed_over, take, tidy};
    use crate::job::JobDir;

    fn address(n: usize) -> Injected {
        Injected { url: format!("http://a.test/{n}"), score: Some(0.5), blacklisted: n % 10 == 3 }
    }

    fn taken(job: &JobDir, from: Place) -> Option<Taken> {
        take(job, from, &Spec::named("x"), Time::default()).unwrap()
    }

    #[test]
    fn what_is_put_in_is_taken_out_once_and_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        assert!(taken(&job, Place::default()).is_none());
        for round in 0..3 {
            let queue = Injections::of(&job);
            let addresses: Vec<Injected> = (round * 4000..(round + 1) * 4000).map(address).collect();
            queue.put(&addresses).unwrap();
        }
        let (mut place, mut urls, mut blacklisted) = (Place::default(), Vec::new(), 0);
        while let Some(next) = taken(&job, place) {
            place = next.to;
            for change in next.changes {
                match change {
                    Change::Discovered { link, .. } | Change::Refused { link, .. } => {
                        urls.push(link.url.as_str().to_owned());
                    }
                    Change::Done { outcome: Outcome::Skipped { .. }, .. } => blacklisted += 1,
                    Change::Note { value, .. } => assert_eq!(Place::of(Some(&value)), place),
                    _ => {}
                }
            }
        }
        let expected: Vec<String> = (0..12_000).map(|n| address(n).url).collect();
        assert_eq!(urls, expected);
        assert_eq!(blacklisted, 1200);
        // A crash before the frontier knows takes all of it again.
        assert_eq!(taken(&job, Place::default()).unwrap().changes.len(), 5_000 + 4_500 + 500 + 1);
        tidy(&job, place);
        let left: Vec<_> = std::fs::read_dir(job.injected()).unwrap().collect();
        assert_eq!(left.len(), 1, "the last is being written");
    }

    #[test]
    fn half_a_line_waits_and_rubbish_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        std::fs::create_dir_all(job.injected()).unwrap();
        let path = job.injected().join("00000001.jsonl");
        std::fs::write(&path, "{\"url\":\"http://a.test/\"}\nrubbish\n{\"url\":\"http://b").unwrap();
        let first = taken(&job, Place::default()).unwrap();
        assert_eq!((first.changes.len(), first.unreadable), (2, 1));
        assert!(taken(&job, first.to).is_none());
        std::fs::write(&path, "{\"url\":\"http://a.test/\"}\nrubbish\n{\"url\":\"http://b.test/\"}\n")
            .unwrap();
        assert_eq!(taken(&job, first.to).unwrap().changes.len(), 2);
        // Another process goes on in a file of its own.
        Injections::of(&job).put(&[address(1)]).unwrap();
        let found =
            |url: &str| handed_over(&job, &CanonicalUrl::parse(url).unwrap(), &Spec::named("x")).unwrap();
        assert_eq!(found("http://a.test/1"), Some(address(1)));
        assert_eq!(found("http://a.test/2"), None);
        assert!(job.injected().join("00000002.jsonl").exists());
    }
}
