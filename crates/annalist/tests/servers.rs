//! Somebody else's server as an archive: what pywb lists and replays of a crawl is what the crawl's own files have.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use annalist_model::spec::{DigestKind, FetchRules, Network};
use annalist_model::{CanonicalUrl, Time};
use annalist_sources::{ArchiveSettings, ArchiveSource, NotThere, Remote, SlowLane, WebSettings, WebSource};
use annalist_testweb::WorldConfig;
use support::{IMPATIENT, Stand, annalist, assert_exit, finish, python_tool};

const LIMIT: u64 = 16 << 20;

#[test]
fn pywb_gives_the_same_snapshots_and_bodies_as_the_files_it_serves() {
    let config = WorldConfig { hosts: 3, pages: 30, gzip: 0.5, chunked: 0.3, ..WorldConfig::default() };
    let stand = Stand::new(config);
    assert_exit(&finish(&mut stand.crawl(&stand.spec(IMPATIENT)), Duration::from_secs(120)), 0);
    // The same files once more, with a ZipNum index of ours.
    let zip = stand.dir.path().join("collections/zip");
    std::fs::create_dir(&zip).unwrap();
    std::os::unix::fs::symlink(stand.job().join("archive"), zip.join("archive")).unwrap();
    let mut index = annalist();
    index.arg("index").arg(stand.job()).arg("--zipnum").arg(zip.join("indexes"));
    assert_exit(&index.output().unwrap(), 0);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut pywb = python_tool("wayback")
        .args(["-b", "127.0.0.1", "-p", &port.to_string(), "-t", "1", "-d"])
        .arg(stand.dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let compared = std::panic::catch_unwind(|| compare(&stand, port));
    pywb.kill().unwrap();
    pywb.wait().unwrap();
    assert!(compared.unwrap() >= 10);
}

fn compare(stand: &Stand, port: u16) -> usize {
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(60), "pywb does not start");
        std::thread::sleep(Duration::from_millis(200));
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let files = ArchiveSource::open(&[stand.job().join("archive")], LIMIT).unwrap();
    let servers = ["job", "zip"].map(|collection| remote(&runtime, stand, port, collection));
    let mut compared = 0;
    for (number, url) in files.documents().iter().take(12).enumerate() {
        let server = &servers[number % 2];
        let (here, there) = (files.look_up(url).unwrap(), server.look_up(url).unwrap());
        let told = |found: &[annalist_sources::Snapshot]| -> Vec<_> {
            found.iter().map(|s| (s.url.clone(), s.at.millis(), s.digest.clone(), s.is_revisit)).collect()
        };
        assert_eq!(told(&here), told(&there));
        for (here, there) in here.iter().zip(&there) {
            let (here, there) = (files.read(here).unwrap(), server.read(there).unwrap());
            assert_eq!(here.archived.head.status, there.archived.head.status, "{}", url.as_str());
            assert!(here.archived.body == there.archived.body, "{}", url.as_str());
            compared += 1;
        }
    }
    let nowhere = CanonicalUrl::parse("http://nowhere.test/").unwrap();
    for server in &servers {
        assert!(matches!(server.look_up(&nowhere), Err(NotThere::Missing)));
    }
    compared
}

/// The collection by its address alone: records come by replay.
fn remote(runtime: &tokio::runtime::Runtime, stand: &Stand, port: u16, collection: &str) -> ArchiveSource {
    let rules = FetchRules { retry_delay: Duration::from_millis(200), ..FetchRules::default() };
    let scratch = stand.dir.path().join("scratch");
    let web = WebSource::new(WebSettings {
        user_agent: "annalist/test".to_owned(),
        from: None,
        rules: rules.clone(),
        network: Network { allow: vec!["127.0.0.0/8".parse().unwrap()], ..Network::default() },
        digest: DigestKind::Sha1,
        spool: scratch.clone(),
        lane: SlowLane::start().unwrap(),
    })
    .unwrap();
    let now = || Time::from_millis(1_794_776_361_123);
    let remote = Some(Remote { web, rules, runtime: runtime.handle().clone(), now });
    let paths = vec![PathBuf::from(format!("http://127.0.0.1:{port}/{collection}/"))];
    let local = ArchiveSettings::local(paths, LIMIT);
    ArchiveSource::with(&ArchiveSettings { scratch, remote, ..local }).unwrap()
}
