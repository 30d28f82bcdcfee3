//! Somebody else's replay of the same archives: pywb lists the same captures and gives the same bytes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use annalist_replay::Replay;
use annalist_testweb::{Past, PastConfig};
use serde_json::Value;
use support::{get, replay, text};

/// Written by several crawlers, and revisits of other addresses among them.
const SAMPLES: [&str; 6] = [
    "iana.warc.gz",
    "dupes.warc.gz",
    "example2.warc.gz",
    "example-wget-1-14.warc.gz",
    "example-url-agnostic-orig.warc.gz",
    "example-url-agnostic-revisit.warc.gz",
];

fn venv() -> PathBuf {
    let venv = std::env::var("ANNALIST_VENV")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/venv").to_owned());
    let venv = PathBuf::from(venv);
    assert!(venv.join("bin/wayback").exists(), "pywb is missing: run `scripts/setup test`, or `make test`");
    venv
}

/// A made-up web over the years, and what comes with pywb, as collections of one folder.
fn collections(root: &Path) -> Vec<(&'static str, PathBuf)> {
    let past = root.join("collections/past");
    Past::new(PastConfig { years: 2010..=2011, festival_pages: 6, other_pages: 6, ..PastConfig::default() })
        .write(&past)
        .unwrap();
    let samples = root.join("collections/samples");
    std::fs::create_dir_all(samples.join("archive")).unwrap();
    std::fs::create_dir_all(samples.join("indexes")).unwrap();
    for name in SAMPLES {
        let file = samples.join("archive").join(name);
        std::fs::copy(venv().join("sample_archive/warcs").join(name), &file).unwrap();
        let (lines, _) = annalist_warc::index_file(&file).unwrap();
        let index = samples.join("indexes").join(annalist_warc::index_name(name));
        std::fs::write(index, lines.sorted().collect::<String>()).unwrap();
    }
    vec![("past", past), ("samples", samples)]
}

#[test]
fn pywb_lists_the_same_captures_and_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let collections = collections(dir.path());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut pywb = Command::new(venv().join("bin/wayback"))
        .args(["-b", "127.0.0.1", "-p", &port.to_string(), "-t", "2", "-d"])
        .arg(dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let compared = std::panic::catch_unwind(|| {
        wait_for(port);
        collections.iter().map(|(name, path)| compare(port, name, &replay(path))).collect::<Vec<_>>()
    });
    pywb.kill().unwrap();
    pywb.wait().unwrap();
    let compared = compared.unwrap();
    assert!(compared.iter().all(|count| *count >= 10), "{compared:?}");
}

fn compare(port: u16, collection: &str, replay: &Replay) -> usize {
    let hosts: &[&str] = if collection == "past" { &["festival.test"] } else { &["iana.org", "example.com"] };
    let mut urls = BTreeSet::new();
    for host in hosts {
        for query in [
            format!("url={host}&matchType=domain"),
            format!("url={host}/&matchType=host&limit=7"),
            format!("url={host}/&matchType=prefix&filter=mime:html&limit=9&sort=reverse"),
            // Of a kind that leaves some: where none is left, pywb tells of others.
            format!("url={host}/*&filter=!~status:[45]..&from=2011"),
            format!("url={host}&closest=201105&limit=3"),
            format!("url={host}&matchType=host&fl=timestamp,url&to=2011"),
        ] {
            let theirs = get_from(port, &format!("/{collection}/cdx?{query}&output=json"), &[]).unwrap().1;
            let theirs = lines(&String::from_utf8(theirs).unwrap());
            let ours = lines(&text(get(replay, &format!("cdx?{query}&output=json"))));
            assert_eq!(ours, theirs, "{collection} {query}");
            urls.extend(ours.iter().filter_map(|line| {
                Some((line["url"].as_str()?.to_owned(), line["timestamp"].as_str()?.to_owned()))
            }));
        }
    }
    let mut compared = 0;
    for (url, timestamp) in urls.iter().step_by(urls.len().div_ceil(40)) {
        // Where there is no path, pywb leads to the slash first.
        let url = url::Url::parse(url).unwrap();
        if !is_alone(replay, url.as_str(), timestamp) {
            continue;
        }
        let target = format!("{timestamp}id_/{url}");
        // Codings stay on for who says that they are understood.
        let (head, theirs) =
            get_from(port, &format!("/{collection}/{target}"), &["Accept-Encoding: gzip, deflate, br"])
                .unwrap();
        let ours = get(replay, &target);
        let their_status: u16 = head.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert_eq!(ours.status, their_status, "{collection} {target}\n{head}");
        let date = head.lines().find_map(|line| line.strip_prefix("memento-datetime: ")).map(str::to_owned);
        assert_eq!(ours.header("memento-datetime").map(str::to_lowercase), date, "{collection} {target}");
        assert!(ours.into_bytes().unwrap() == theirs, "{collection} {target}");
        let map = |text: &str| -> Vec<String> {
            text.split("datetime=\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
                .map(str::to_owned)
                .collect()
        };
        let theirs = get_from(port, &format!("/{collection}/timemap/link/{url}"), &[]).unwrap().1;
        let ours = text(get(replay, &format!("timemap/link/{url}")));
        assert_eq!(map(&ours), map(&String::from_utf8_lossy(&theirs)), "{collection} {url}");
        compared += 1;
    }
    compared
}

/// Whether one capture alone is listed with that address and time. Of several, other tools show any; here the address decides.
fn is_alone(replay: &Replay, url: &str, timestamp: &str) -> bool {
    let query = format!("cdx?url={url}&from={timestamp}&to={timestamp}&output=text&fl=url");
    text(get(replay, &query)).lines().count() == 1
}

/// Objects of an answer, with what an index says alone: pywb adds which collection a line is of.
fn lines(text: &str) -> Vec<Value> {
    let object = |line: &str| {
        let mut object: Value = serde_json::from_str(line).unwrap();
        object.as_object_mut().unwrap().retain(|name, _| !name.starts_with("source") && name != "access");
        object
    };
    text.lines().map(object).collect()
}

fn wait_for(port: u16) {
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(120), "pywb does not start");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Head, in lower case, and body of one answer.
fn get_from(port: u16, path: &str, headers: &[&str]) -> Result<(String, Vec<u8>), String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).map_err(|e| e.to_string())?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n{headers}Connection: close\r\n\r\n")
        .map_err(|e| e.to_string())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(|e| e.to_string())?;
    let split = answer.windows(4).position(|w| w == b"\r\n\r\n").ok_or("no head")?;
    let head = String::from_utf8_lossy(&answer[..split]).to_lowercase();
    let mut body = Vec::new();
    let chunked = head.contains("transfer-encoding: chunked");
    annalist_warc::Dechunked::new(&answer[split + 4..], chunked)
        .read_to_end(&mut body)
        .map_err(|e| e.to_string())?;
    Ok((head, body))
}

#[test]
fn warcio_reads_the_same_payloads() {
    const SCRIPT: &str = "
import sys, hashlib
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
with open(sys.argv[1], 'rb') as f:
    for r in ArchiveIterator(f):
        if r.rec_type != 'response': continue
        h = r.rec_headers.get_header
        chunked = (r.http_headers.get_header('transfer-encoding') or '').lower() == 'chunked'
        stream = ChunkedDataReader(r.raw_stream, decomp_type=None) if chunked else r.raw_stream
        ts = ''.join(c for c in h('WARC-Date') if c.isdigit())[:14]
        print(h('WARC-Target-URI'), ts, hashlib.sha1(stream.read()).hexdigest(), sep='\\t')
";
    let dir = tempfile::tempdir().unwrap();
    let (mut compared, collections) = (0, collections(dir.path()));
    let replay = replay(&collections[1].1);
    for name in SAMPLES {
        let file = collections[1].1.join("archive").join(name);
        let output =
            Command::new(venv().join("bin/python")).args(["-c", SCRIPT]).arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let [url, timestamp, digest] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
            if !is_alone(&replay, url, timestamp) {
                continue;
            }
            let body = get(&replay, &format!("{timestamp}id_/{url}")).into_bytes().unwrap();
            let mut hasher = annalist_warc::Hasher::new(annalist_warc::DigestKind::Sha1);
            hasher.update(&body);
            assert_eq!(hex(&hasher.finish().to_string()), digest, "{name} {url} {timestamp}");
            compared += 1;
        }
    }
    assert!(compared >= 50, "{compared}");
}

/// Base 32, as records have it, in the digits that Python writes.
fn hex(digest: &str) -> String {
    let bits: String = digest
        .trim_start_matches("sha1:")
        .chars()
        .map(|c| format!("{:05b}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(c).unwrap()))
        .collect();
    bits.as_bytes()
        .chunks(4)
        .map(|four| format!("{:x}", u8::from_str_radix(std::str::from_utf8(four).unwrap(), 2).unwrap()))
        .collect()
}
