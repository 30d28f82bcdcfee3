//! An archive behind a CDX server on loopback, which behaves as it is told: found, fetched by parts of its WARC file or by
//! replay, asked by one request at a time, tried again, and guarded.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use annalist_model::spec::{DigestKind, FetchRules, Network};
use annalist_model::{CanonicalUrl, Time};
use annalist_sources::{ArchiveSettings, ArchiveSource, NotThere, Remote, SlowLane, WebSettings, WebSource};
use annalist_warc::{CdxLine, index_path};

const PAGE: &str = "http://a.test/page?x=1";
/// Longer than what is kept in memory.
const LONG: usize = 3 << 20;

/// What the server has, and how it behaves.
struct Archive {
    warc: Vec<u8>,
    lines: Vec<CdxLine>,
    manners: Manners,
    /// Every request line, in order.
    asked: Mutex<Vec<String>>,
    under_way: AtomicUsize,
    most_at_once: AtomicUsize,
    troubles: AtomicUsize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Manners {
    Good,
    /// The first answers are 503.
    Busy,
    /// Gives no parts.
    WholeFiles,
    /// Is no CDX server.
    Stranger,
    /// Does not say how long records are.
    WithoutLengths,
    /// Says nothing of files.
    WithoutPlaces,
}

fn packed(record: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(record).unwrap();
    gzip.finish().unwrap()
}

fn response(url: &str, day: u32, body: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2010-01-{day:02}T00:00:00Z\r\n\
         Content-Length: {}\r\n\r\n",
        block.len()
    );
    packed(format!("{head}{block}\r\n\r\n").as_bytes())
}

/// A name that the server takes for itself would be looked up: loopback only.
fn serve(manners: Manners) -> (SocketAddr, Arc<Archive>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.warc.gz");
    // Nothing that could be compressed.
    let noise: String =
        (0..LONG as u32).map(|n| char::from(b'a' + (n.wrapping_mul(2_654_435_761) >> 28) as u8)).collect();
    let warc =
        [response("http://a.test/other", 1, "other"), response(PAGE, 2, "first"), response(PAGE, 3, &noise)]
            .concat();
    std::fs::write(&path, &warc).unwrap();
    let mut lines = Vec::new();
    index_path(&path, "f.warc.gz", &mut |line| lines.push(line), &mut |_| ()).unwrap();
    let archive = Arc::new(Archive {
        warc,
        lines,
        manners,
        asked: Mutex::default(),
        under_way: AtomicUsize::new(0),
        most_at_once: AtomicUsize::new(0),
        troubles: AtomicUsize::new(2),
    });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = Arc::clone(&archive);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let served = Arc::clone(&served);
            std::thread::spawn(move || while served.answer(&stream).is_some() {});
        }
    });
    (address, archive)
}

impl Archive {
    fn answer(&self, mut stream: &TcpStream) -> Option<()> {
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).ok()?;
            head.push(byte[0]);
        }
        let at_once = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(at_once, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        let head = String::from_utf8(head).unwrap();
        let target = head.split(' ').nth(1)?.to_owned();
        self.asked.lock().unwrap().push(target.clone());
        let range = head.lines().find_map(|line| line.strip_prefix("Range: bytes="));
        let (status, fields, body) = self.said(&target, range);
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        let head = format!("HTTP/1.1 {status} X\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(&body).ok()
    }

    fn said(&self, target: &str, range: Option<&str>) -> (u16, String, Vec<u8>) {
        let none = |status| (status, String::new(), b"<html>nothing here".to_vec());
        let trouble = |left: usize| left.checked_sub(1);
        if self.manners == Manners::Busy
            && self.troubles.fetch_update(Ordering::SeqCst, Ordering::SeqCst, trouble).is_ok()
        {
            return (503, "Retry-After: 0\r\n".to_owned(), Vec::new());
        }
        if let Some(query) = target.strip_prefix("/coll/cdx?") {
            return match self.manners {
                Manners::Stranger => none(404),
                _ => (200, String::new(), self.listed(query).into_bytes()),
            };
        }
        if target == "/warcs/f.warc.gz" {
            let (first, last) = range.and_then(|range| range.split_once('-')).unwrap_or(("0", "0"));
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            return match self.manners {
                Manners::WholeFiles => (200, String::new(), self.warc.clone()),
                _ if first >= self.warc.len() => none(416),
                _ => (206, String::new(), self.warc[first..(last + 1).min(self.warc.len())].to_vec()),
            };
        }
        if target == format!("/coll/20100102000000id_/{PAGE}") {
            let fields = "Memento-Datetime: Sat, 02 Jan 2010 00:00:00 GMT\r\nContent-Type: text/html\r\nLink: <x>; rel=y\r\n";
            return (200, fields.to_owned(), b"replayed".to_vec());
        }
        none(404)
    }

    fn listed(&self, query: &str) -> String {
        let query: HashMap<_, _> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        assert_eq!((query["matchType"].as_str(), query["output"].as_str()), ("exact", "json"));
        let lines = self.lines.iter().filter(|line| line.url == query["url"]);
        let line = |line: &CdxLine| match self.manners {
            Manners::WithoutPlaces => {
                format!("{} {} {} text/html 200 - 5\n", line.key, line.timestamp, line.url)
            }
            Manners::WithoutLengths => format!("{}\n", CdxLine { length: 0, ..line.clone() }),
            _ => format!("{line}\n"),
        };
        lines.map(line).collect()
    }
}

/// Opened on a thread of its own, as a crawl does it.
fn opened(server: SocketAddr, collection: &str, warcs: &[&str], allow: &str) -> ArchiveSource {
    // Nothing is left in it when the test ends.
    let spool = std::env::temp_dir();
    let rules = FetchRules { retry_delay: Duration::from_millis(10), tries: 4, ..FetchRules::default() };
    let allow = if allow.is_empty() { Vec::new() } else { vec![allow.parse().unwrap()] };
    let web = WebSource::new(WebSettings {
        user_agent: "annalist/test".to_owned(),
        from: None,
        rules: rules.clone(),
        network: Network { allow, ..Network::default() },
        digest: DigestKind::Sha1,
        spool: spool.clone(),
        lane: SlowLane::start().unwrap(),
    })
    .unwrap();
    let remote = Remote {
        web,
        rules,
        runtime: tokio::runtime::Handle::current(),
        now: || Time::from_millis(1_794_776_361_123),
    };
    let at = |path: &str| PathBuf::from(format!("http://{server}{path}"));
    let warcs = warcs.iter().map(|path| at(path)).collect();
    let local = ArchiveSettings::local(vec![at(collection)], 64 << 20);
    ArchiveSource::with(&ArchiveSettings { warcs, remote: Some(remote), scratch: spool, ..local }).unwrap()
}

fn page() -> CanonicalUrl {
    CanonicalUrl::parse(PAGE).unwrap()
}

async fn first_body(source: &ArchiveSource) -> Result<Vec<u8>, NotThere> {
    let found = source.snapshots(&page()).await?;
    assert_eq!(found.len(), 2);
    Ok(source.fetch(&found[0]).await?.archived.body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snapshots_are_found_and_their_records_fetched_by_parts_of_files() {
    for (manners, warcs) in [
        (Manners::Good, "/warcs/"),
        (Manners::Good, "/warcs/{filename}"),
        (Manners::Busy, "/warcs"),
        (Manners::WithoutLengths, "/warcs"),
    ] {
        let (address, archive) = serve(manners);
        let source = opened(address, "/coll/cdx", &[warcs], "127.0.0.0/8");
        let found = source.snapshots(&page()).await.unwrap();
        let days: Vec<_> = found.iter().map(|found| found.at.rfc3339()[..10].to_owned()).collect();
        assert_eq!(days, ["2010-01-02", "2010-01-03"]);
        let first = source.fetch(&found[0]).await.unwrap();
        assert_eq!(
            (first.archived.body.as_slice(), first.record.file.as_str()),
            (&b"first"[..], "f.warc.gz")
        );
        assert!(first.record.offset > 0);
        let long = source.fetch(&found[1]).await.unwrap();
        assert_eq!(long.archived.body.len(), LONG);
        let nowhere = CanonicalUrl::parse("http://a.test/nowhere").unwrap();
        assert!(matches!(source.snapshots(&nowhere).await, Err(NotThere::Missing)));
        assert!(archive.asked.lock().unwrap().iter().all(|target| !target.contains("id_")));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_asked_by_one_request_at_a_time() {
    let (address, archive) = serve(Manners::Good);
    let source = opened(address, "/coll/cdx", &["/warcs"], "127.0.0.0/8");
    let asking: Vec<_> = (0..20)
        .map(|n| {
            let source = source.clone();
            let url = if n % 2 == 0 { page() } else { CanonicalUrl::parse("http://a.test/other").unwrap() };
            tokio::spawn(async move { source.snapshots(&url).await.unwrap().len() })
        })
        .collect();
    for one in asking {
        assert!(one.await.unwrap() > 0);
    }
    assert_eq!(archive.asked.lock().unwrap().len(), 20);
    assert_eq!(archive.most_at_once.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_had_from_a_file_is_replayed_and_says_so() {
    for (manners, collection) in [(Manners::Good, "/coll/"), (Manners::WithoutPlaces, "/coll/cdx")] {
        let (address, _) = serve(manners);
        let source = opened(address, collection, &[], "127.0.0.0/8");
        let found = source.snapshots(&page()).await.unwrap();
        let fetched = source.fetch(&found[0]).await.unwrap();
        assert_eq!((fetched.archived.head.status, fetched.archived.body.as_slice()), (200, &b"replayed"[..]));
        let mut record = String::new();
        fetched.record.bytes.open().unwrap().read_to_string(&mut record).unwrap();
        let source_uri = format!("WARC-Source-URI: http://{address}/coll/20100102000000id_/{PAGE}\r\n");
        assert!(
            record.contains(&source_uri) && record.contains("WARC-Date: 2010-01-02T00:00:00"),
            "{record}"
        );
        assert!(!record.contains("Memento") && !record.contains("Link:"), "{record}");
        let told = source.fetch(&found[1]).await.unwrap_err();
        assert!(told.to_string().contains("the server replays nothing, status 404"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_server_is_said() {
    let (stranger, _) = serve(Manners::Stranger);
    let told = first_body(&opened(stranger, "/coll/cdx", &[], "127.0.0.0/8")).await.unwrap_err();
    assert!(
        matches!(&told, NotThere::Unanswered(why) if why.contains("no answer of a CDX server")),
        "{told}"
    );

    let (whole, _) = serve(Manners::WholeFiles);
    let told = first_body(&opened(whole, "/coll/cdx", &["/warcs"], "127.0.0.0/8")).await.unwrap_err();
    assert!(told.to_string().contains("whole files only"), "{told}");

    let (nameless, archive) = serve(Manners::Good);
    let told = first_body(&opened(nameless, "/coll/cdx", &[], "")).await.unwrap_err();
    assert!(matches!(&told, NotThere::Unanswered(why) if why.contains("refused")), "{told}");
    assert!(archive.asked.lock().unwrap().is_empty(), "an address that is not allowed is not dialled");

    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let told = first_body(&opened(closed, "/coll/cdx", &[], "127.0.0.0/8")).await.unwrap_err();
    assert!(matches!(&told, NotThere::Unanswered(why) if why.contains("no connection")), "{told}");
}
