use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use annalist_knowledge::{Extent, FollowSettings, Watch};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::{Stage, StudyError, Subject};
use crate::offline::entities::{Entities, EntitySettings, entities};
use crate::offline::happenings::happenings;
use crate::offline::opinions::opinions;
use crate::offline::social::social;
use crate::offline::topics::topics;
use crate::offline::{Corpus, CorpusError, Day, Named, StudyWatch, Vocabulary, Writing};

const WRITINGS: u64 = 900;

/// Wants it to end at some writing of a part of the work.
#[derive(Default)]
struct Stopping {
    part: &'static str,
    at: u64,
    is_reached: Mutex<bool>,
    done: AtomicU64,
    /// What was begun, with how many writings.
    begun: Mutex<Vec<(&'static str, u64)>>,
}

impl Stopping {
    fn at(part: &'static str, at: u64) -> Stopping {
        Stopping { part, at, ..Stopping::default() }
    }

    fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }
}

impl Watch for Stopping {
    fn advance(&self, _: u64, _: u64) {}
    fn is_stopped(&self) -> bool {
        *self.is_reached.lock().unwrap() && self.done() >= self.at
    }
}

impl StudyWatch for Stopping {
    fn begin(&self, what: &'static str, writings: u64) {
        *self.is_reached.lock().unwrap() |= what.starts_with(self.part);
        self.done.store(0, Ordering::Relaxed);
        self.begun.lock().unwrap().push((what, writings));
    }
    fn begin_bytes(&self, what: &'static str, bytes: u64) {
        self.begin(what, bytes);
    }
    fn done(&self, writings: u64) {
        self.done.fetch_add(writings, Ordering::Relaxed);
    }
}

fn corpus(dir: &std::path::Path) -> Corpus {
    let writing = |n: u64| Writing {
        id: format!("http://a.test/{n}"),
        url: format!("http://a.test/{n}"),
        site: format!("site{}.test", n % 7),
        text: format!(
            "Then Anna Keller came to Athens and spoke about harvest number {n}. It was wonderful."
        ),
        author: Some(format!("ann{}", n % 9)),
        language: Some("en".to_owned()),
        published: Some(Day(15_000 + n as i32 % 300).millis()),
        ..Writing::default()
    };
    Corpus::write(&dir.join("writings"), (0..WRITINGS).map(writing)).unwrap()
}

#[test]
fn every_way_through_the_writings_tells_of_each_and_ends_where_it_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(dir.path());
    let vocabulary = Vocabulary::of(&corpus, &()).unwrap();
    let found = entities(&corpus, &EntitySettings::default(), &()).unwrap();
    let run = |watch: &Stopping| -> Result<(), StudyError> {
        entities(&corpus, &EntitySettings::default(), watch)?;
        opinions(&corpus, &found, watch)?;
        Vocabulary::of(&corpus, watch)?;
        topics(&corpus, &vocabulary, watch)?;
        happenings(&corpus, &vocabulary, &Named::of(&found), watch)?;
        social(&corpus, watch)?;
        Ok(())
    };
    let whole = Stopping::at("nothing is called so", 0);
    run(&whole).unwrap();
    let parts = whole.begun.into_inner().unwrap();
    assert!(parts.len() > 9, "{parts:?}");
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    // Groups are made in rounds over all writings.
    for (part, writings) in parts.into_iter().filter(|(part, _)| *part != "topics: grouping writings") {
        assert_eq!(writings, WRITINGS, "{part}");
        let watch = Stopping::at(part, 10);
        let outcome = run(&watch);
        assert!(matches!(outcome, Err(StudyError::Interrupted { .. })), "{part}: {outcome:?}");
        assert!(watch.done() <= 10 + threads, "{part}: {} writings", watch.done());
    }
}

#[test]
fn an_interrupted_study_says_which_stages_are_kept_and_goes_on_behind_them() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(dir.path());
    let subject = Subject {
        extents: Vec::new(),
        follow: FollowSettings::default(),
        entities: EntitySettings::default(),
        dir: dir.path().to_owned(),
    };
    let wanted: BTreeSet<Stage> = Stage::ALL.into_iter().collect();
    let kept = |part| match subject.study(&corpus, &wanted, &Stopping::at(part, 10)) {
        Err(StudyError::Interrupted { kept }) => kept,
        other => panic!("{other:?}"),
    };
    assert_eq!(kept("entities: finding"), []);
    assert_eq!(kept("opinions"), [Stage::Entities]);
    assert_eq!(kept("social"), [Stage::Entities, Stage::Opinions, Stage::Topics, Stage::Events]);
    let again = Stopping::at("nothing is called so", 0);
    subject.study(&corpus, &wanted, &again).unwrap();
    let parts: Vec<&str> = again.begun.lock().unwrap().iter().map(|(part, _)| *part).collect();
    assert_eq!(parts, ["social: who refers to whom", "social: who is quoted", "images"]);
}

#[test]
fn writings_that_were_cut_to_nothing_are_gathered_again() {
    let dir = tempfile::tempdir().unwrap();
    let page =
        format!("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{}", "Then they spoke. ".repeat(20));
    let archive = dir.path().join("old.warc");
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2010-06-03T12:00:00Z\r\n\
         WARC-Record-ID: <urn:x:1>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{page}\r\n\r\n",
        page.len()
    );
    std::fs::write(&archive, record).unwrap();
    let subject = Subject {
        extents: vec![Extent::whole(&archive)],
        follow: FollowSettings { awaits_metadata: false, ..FollowSettings::default() },
        entities: EntitySettings::default(),
        dir: dir.path().join("study"),
    };
    let gathered = || subject.corpus(&()).unwrap().0.len();
    assert_eq!(gathered(), 1);
    std::fs::write(subject.dir.join("writings"), "").unwrap();
    assert_eq!(gathered(), 1);
}

#[test]
fn telling_ends_where_it_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(dir.path());
    let found = super::Found { entities: Entities::default(), ..super::Found::default() };
    let watch = Stopping::at("telling", 10);
    let told = super::super::tell(&corpus, &found, &mut |_| {}, &mut |_, _| {}, &watch);
    assert!(matches!(told, Err(CorpusError::Stopped)) && watch.done() == 10, "{}", watch.done());
}

/// A record of a WARC file, and the head and body of its answer.
fn record(kind: &str, id: u32, url: &str, more: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let block = [head.as_bytes(), b"\r\n\r\n", body].concat();
    let fields = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{id}>\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2015-01-0{id}T00:00:00Z\r\n{more}Content-Length: {}\r\n\r\n",
        block.len()
    );
    [fields.as_bytes(), &block, b"\r\n\r\n"].concat()
}

#[test]
fn an_image_that_a_crawl_kept_once_is_seen_under_all_its_addresses() {
    let picture = |salt: u32| {
        let point = |x: u32, y: u32| Rgb([(x * salt) as u8, (y * 5) as u8, (x * y) as u8]);
        let mut bytes = std::io::Cursor::new(Vec::new());
        let image = DynamicImage::ImageRgb8(RgbImage::from_fn(40, 30, point));
        image.write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    };
    let digest = |name: &str| format!("WARC-Payload-Digest: sha1:{name}\r\n");
    let refers = "WARC-Refers-To-Target-URI: <http://a.test/1.png>\r\nWARC-Refers-To-Date: 2015-01-01T00:00:00.000Z\r\n";
    let (png, gone) = ("HTTP/1.1 200 OK\r\nContent-Type: image/png", "HTTP/1.1 404 Not Found");
    let jpeg = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg";
    let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain";
    let warc = [
        record("response", 1, "http://a.test/1.png", &digest("A"), png, &picture(6)),
        record("response", 2, "http://a.test/words", &digest("W"), text, b"words"),
        record("revisit", 3, "http://b.test/2.jpg", &digest("A"), jpeg, b""),
        // The same address once more, what is no image, and what was not there.
        record("revisit", 4, "http://a.test/1.png", &digest("A"), png, b""),
        record("revisit", 5, "http://b.test/2.jpg", &digest("A"), jpeg, b""),
        record("revisit", 6, "http://b.test/words", &digest("W"), text, b""),
        record("revisit", 7, "http://b.test/gone.png", &digest("A"), gone, b""),
        // Others name the capture alone.
        record("revisit", 8, "http://c.test/3.png", refers, png, b""),
    ];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.warc");
    std::fs::write(&path, warc.concat()).unwrap();
    let subject = Subject {
        extents: vec![Extent::whole(path)],
        follow: FollowSettings::default(),
        entities: EntitySettings::default(),
        dir: dir.path().join("study"),
    };
    std::fs::create_dir(&subject.dir).unwrap();
    let wanted = [Stage::Images].into_iter().collect();
    let found = subject.study(&corpus(dir.path()), &wanted, &()).unwrap().images;
    let seen =
        found.images.iter().map(|image| (image.record.as_str(), image.url.as_str(), image.facts.width));
    assert_eq!(
        seen.collect::<Vec<_>>(),
        [
            ("urn:x:1", "http://a.test/1.png", Some(40)),
            ("urn:x:3", "http://b.test/2.jpg", Some(40)),
            ("urn:x:8", "http://c.test/3.png", Some(40)),
        ]
    );
    assert_eq!(found.images[1].declared, "image/jpeg");
    assert_eq!(found.groups.len(), 1, "{:?}", found.groups);
    let same = found.groups[0].repeats.iter().map(|repeat| (repeat.image, repeat.same_bytes));
    assert_eq!(same.collect::<Vec<_>>(), [(1, true), (2, true)]);
}
