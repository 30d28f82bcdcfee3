//! A store elsewhere is told what is known, whatever happens to it or to the crawl; somebody else's SPARQL server judges.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use annalist_testweb::WorldConfig;
use support::sparql::{Sparql, as_told, folder};
use support::{IMPATIENT, Stand, annalist, assert_exit, files_in, finish, json_of};

const LIMIT: Duration = Duration::from_secs(300);
const SECRET: &str = "s3cret:\"pass\"";
/// `me` with that password.
const LOGIN: &str = "Basic bWU6czNjcmV0OiJwYXNzIg==";
const RULES: &str =
    "retry_delay = \"50ms\"\ntries = 2\nuser = \"me\"\nsecret_env = \"ANNALIST_TEST_SECRET\"\n";

fn small() -> WorldConfig {
    WorldConfig { hosts: 8, pages: 120, addresses: 4, crawl_delays: 0.0, ..WorldConfig::default() }
}

fn remote(update: &str, more: &str) -> String {
    format!(
        "{IMPATIENT}[knowledge]\nevery = \"20ms\"\n[knowledge.remote]\nupdate = \"{update}\"\n{RULES}{more}"
    )
}

fn with_secret(command: &mut Command) -> &mut Command {
    command.env("ANNALIST_TEST_SECRET", SECRET)
}

fn push(job: &Path, more: &[&str]) -> Output {
    finish(with_secret(annalist().arg("push").arg(job).args(["--json", "--quiet"]).args(more)), LIMIT)
}

fn id_of(stand: &Stand) -> String {
    std::fs::read_to_string(stand.job().join("state/id")).unwrap()
}

/// What a server was told of a job, in the job's own graphs.
fn told_of(stand: &Stand, server: &Sparql) -> BTreeSet<String> {
    let prefix = format!("<urn:annalist:job:{}:", id_of(stand));
    let own = |line: String| {
        let (triple, graph) = line.strip_suffix(" .")?.rsplit_once(' ')?;
        let (_, graph) = graph.strip_prefix(&prefix)?.split_once(':')?;
        Some(if graph == "default>" { format!("{triple} .") } else { format!("{triple} <{graph} .") })
    };
    server.dump().into_iter().filter_map(own).collect()
}

/// What `annalist export --nquads` says; what has no name bears the one under which it is told.
fn exported(stand: &Stand) -> BTreeSet<String> {
    let out = stand.dir.path().join("all.nq");
    let _ = std::fs::remove_file(&out);
    assert_exit(&finish(annalist().arg("export").arg(stand.job()).arg("--nquads").arg(&out), LIMIT), 0);
    let prefix = format!("<urn:annalist:blank:{}:", id_of(stand));
    let named = |word: &str| match word.strip_prefix("_:") {
        Some(name) => format!("{prefix}{name}>"),
        None => word.to_owned(),
    };
    let text = std::fs::read_to_string(&out).unwrap();
    let lines = text.lines().map(|line| line.split(' ').map(named).collect::<Vec<_>>().join(" ") + "\n");
    std::fs::write(&out, lines.collect::<String>()).unwrap();
    as_told(&out)
}

/// Tells the difference alone.
fn assert_same(stand: &Stand, server: &Sparql) -> usize {
    let (known, told) = (exported(stand), told_of(stand, server));
    let untold: Vec<&String> = known.difference(&told).take(5).collect();
    let invented: Vec<&String> = told.difference(&known).take(5).collect();
    assert!(untold.is_empty() && invented.is_empty(), "not told: {untold:#?}\ninvented: {invented:#?}");
    known.len()
}

const HOSTILE: &str = r#"@prefix : <http://x.test/> .
:a :says "quotes \" and ''' and \"\"\"", "lines\nand\rreturns\t", "a \\u0022 that is none, \\", "\u0001 \u007F", ""@en-GB-oed,
  "} } ; DROP ALL ; INSERT DATA { GRAPH <x> {", "日本語 😀"@ja, "1"^^:type, [ :of [ :nothing true ] ] .
"#;

fn import(stand: &Stand, name: &str, text: &str) {
    let file = stand.dir.path().join(name);
    std::fs::write(&file, text).unwrap();
    assert_exit(&finish(annalist().arg("import").arg(stand.job()).arg(&file), LIMIT), 0);
}

#[test]
fn whoever_is_killed_the_remote_store_ends_up_with_what_is_exported() {
    let stand = Stand::new(small());
    let place = folder(stand.dir.path(), "store");
    let mut server = Some(Sparql::start(&place, 0, Some(LOGIN)));
    let (port, update) = server.as_ref().map(|server| (server.port, server.update())).unwrap();
    let spec = stand.helped_spec(&remote(&update, "batch = 300\n"));
    let (mut kills, mut outages) = (0, 0);
    for wait in (0..).map(|n: u64| 500 + (n * 377) % 900) {
        let mut child = with_secret(&mut stand.crawl(&spec)).stdout(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() >= Duration::from_millis(wait) && kills < 6 {
                break None;
            }
            assert!(begun.elapsed() < LIMIT, "the crawl does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        match (server.take(), kills % 2) {
            (Some(server), 0) => {
                server.kill();
                outages += 1;
            }
            (Some(running), _) => server = Some(running),
            (None, _) => server = Some(Sparql::start(&place, port, Some(LOGIN))),
        }
        if let Some(status) = ended {
            assert!(status.success(), "{status}");
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    let server = server.unwrap_or_else(|| Sparql::start(&place, port, Some(LOGIN)));
    import(&stand, "hostile.ttl", HOSTILE);
    import(&stand, "mistake.nt", "<http://x.test/a> <http://x.test/b> \"was a mistake\" .\n");
    assert_exit(&push(&stand.job(), &[]), 0);
    let count = assert_same(&stand, &server);
    assert!(count > 1000, "{count} statements");
    println!("{count} statements, {kills} kills, {outages} outages");
    // What is taken back here is taken back there.
    let took = finish(annalist().arg("import").arg(stand.job()).args(["--remove", "mistake.nt"]), LIMIT);
    assert_exit(&took, 0);
    assert_exit(&push(&stand.job(), &[]), 0);
    assert_eq!(assert_same(&stand, &server), count - 1);
    no_secret_in(&stand.job());
}

/// Packed files are looked into.
fn no_secret_in(dir: &Path) {
    let mut left: Vec<PathBuf> = vec![dir.to_owned()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = if path.extension().is_some_and(|kind| kind == "gz") {
            Command::new("gzip").arg("-dc").arg(&path).output().unwrap().stdout
        } else {
            std::fs::read(&path).unwrap()
        };
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("s3cret") && !text.contains("bWU6czNj"), "{} has the secret", path.display());
    }
}

#[test]
fn a_store_that_is_away_costs_the_crawl_nothing_and_is_told_later() {
    let stand = Stand::new(small());
    let place = folder(stand.dir.path(), "store");
    let server = Sparql::start(&place, 0, Some(LOGIN));
    let (port, update) = (server.port, server.update());
    server.kill();
    let spec = stand.helped_spec(&remote(&update, ""));
    let output = finish(with_secret(&mut stand.crawl(&spec)), LIMIT);
    assert_exit(&output, 0);
    let untold = json_of(&output)["untold"].as_str().unwrap().to_owned();
    assert!(untold.contains("is away") && untold.contains("annalist push"), "{untold}");
    let events = std::fs::read_to_string(stand.job().join("logs/events.jsonl")).unwrap();
    assert_eq!(events.matches("\"remote\"").count(), 1, "{events}");
    let status = || json_of(&finish(annalist().arg("status").arg(stand.job()).arg("--json"), LIMIT));
    let before = &status()["remote"];
    assert!(before["waiting_bytes"].as_u64().unwrap() > 10_000, "{before}");
    assert!(before["trouble"].as_str().unwrap().contains("is away"), "{before}");
    let output = push(&stand.job(), &[]);
    assert_exit(&output, 9);
    assert!(String::from_utf8_lossy(&output.stderr).contains("is away"), "{output:?}");

    let server = Sparql::start(&place, port, Some(LOGIN));
    let begun = Instant::now();
    assert_exit(&push(&stand.job(), &[]), 0);
    println!("{} statements in {:?}", assert_same(&stand, &server), begun.elapsed());
    let after = &status()["remote"];
    assert_eq!((after["waiting_bytes"].as_u64(), after["trouble"].as_str()), (Some(0), None), "{after}");
    assert_eq!(json_of(&push(&stand.job(), &[]))["statements"], 0);

    // The server loses everything.
    server.kill();
    std::fs::remove_dir_all(place.join("data")).unwrap();
    let server = Sparql::start(&place, port, Some(LOGIN));
    assert_exit(&push(&stand.job(), &["--again"]), 0);
    assert_same(&stand, &server);

    // The same by the other protocol, to another server.
    let other = Sparql::start(&folder(stand.dir.path(), "other"), 0, None);
    let by_graphs = std::fs::read_to_string(&spec)
        .unwrap()
        .replace(&format!("update = \"{update}\""), &format!("graph_store = \"{}\"", other.graph_store()));
    let other_spec = stand.dir.path().join("other.toml");
    std::fs::write(&other_spec, by_graphs).unwrap();
    assert_exit(&push(&stand.job(), &["--spec", other_spec.to_str().unwrap()]), 0);
    assert_same(&stand, &other);
}

#[test]
fn a_store_that_never_answers_does_not_hold_up_a_stop() {
    let stand = Stand::new(WorldConfig { pages: 30, ..small() });
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let update = format!("http://{}/update", mute.local_addr().unwrap());
    let spec = stand.helped_spec(&remote(&update, "timeout = \"1h\"\n"));
    let child = with_secret(&mut stand.crawl(&spec)).stdout(Stdio::piped()).spawn().unwrap();
    let state = || {
        let output = annalist().arg("status").arg(stand.job()).arg("--json").output().unwrap();
        if output.status.success() {
            json_of(&output)["state"].as_str().unwrap_or_default().to_owned()
        } else {
            String::new()
        }
    };
    let begun = Instant::now();
    while state() != "finishing" {
        assert!(begun.elapsed() < LIMIT, "the crawl does not come to its end");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_exit(&finish(annalist().arg("stop").arg(stand.job()), LIMIT), 0);
    let output = support::wait(child, LIMIT);
    assert_exit(&output, 0);
    assert!(json_of(&output)["untold"].as_str().unwrap().contains("annalist push"), "{output:?}");
    // The connections of the crawl are over; the next one is that of the push.
    mute.set_nonblocking(true).unwrap();
    while mute.accept().is_ok() {}
    mute.set_nonblocking(false).unwrap();
    let mut command = annalist();
    with_secret(command.arg("push").arg(stand.job()).arg("--quiet")).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let _connection = mute.accept().unwrap();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = support::wait(child, LIMIT);
    assert_exit(&output, 11);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("what was sent stays") && !told.contains("nothing was written"), "{told}");
}

#[test]
fn what_keeps_the_store_from_being_told_is_said_clearly() {
    let stand = Stand::new(WorldConfig { pages: 30, ..small() });
    let server = Sparql::start(&folder(stand.dir.path(), "store"), 0, Some("Basic other"));
    let spec = stand.helped_spec(&remote(&server.update(), "timeout = \"500ms\"\n"));
    let output = finish(with_secret(&mut stand.crawl(&spec)), LIMIT);
    assert_exit(&output, 0);
    let untold = json_of(&output)["untold"].to_string();
    assert!(untold.contains("check user and secret") && !untold.contains("s3cret"), "{untold}");
    let asked = |text: &str| {
        let path = stand.dir.path().join("changed.toml");
        std::fs::write(&path, std::fs::read_to_string(&spec).unwrap().replace(&server.update(), text))
            .unwrap();
        let output = push(&stand.job(), &["--spec", path.to_str().unwrap()]);
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, told) = asked(&server.update());
    assert!(
        code == 4 && told.contains("status 401: who are you? [2JBasic ***; check user and secret"),
        "{told}"
    );
    no_secret_in(&stand.job());
    let (code, told) = asked("http://10.9.8.7/update");
    assert!(code == 4 && told.contains("[network] allow"), "{told}");
    // Takes connections and says nothing.
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let (code, told) = asked(&format!("http://{}/update", mute.local_addr().unwrap()));
    assert!(code == 9 && told.contains("no answer in time"), "{told}");
    let output = finish(annalist().arg("push").arg(stand.job()), LIMIT);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("ANNALIST_TEST_SECRET is not set"), "{told}");
    assert!(server.dump().is_empty() && !files_in(&stand.job().join("archive"), ".warc.gz").is_empty());
}

const SHARED: &str = "<http://x.test/both> <http://x.test/say> \"this\" <http://x.test/graph> .\n";

fn take_back(stand: &Stand, name: &str) {
    assert_exit(&finish(annalist().arg("import").arg(stand.job()).args(["--remove", name]), LIMIT), 0);
}

/// A crawl that tells this server.
fn crawled(update: &str) -> (Stand, PathBuf) {
    let stand = Stand::new(WorldConfig { pages: 30, ..small() });
    let spec = stand.helped_spec(&remote(update, ""));
    assert_exit(&finish(with_secret(&mut stand.crawl(&spec)), LIMIT), 0);
    (stand, spec)
}

fn says_shared(server: &Sparql) -> usize {
    server.dump().iter().filter(|line| line.contains("<http://x.test/both>")).count()
}

#[test]
fn of_two_jobs_in_one_store_each_takes_back_its_own_statements_only() {
    let dir = tempfile::tempdir().unwrap();
    let server = Sparql::start(&folder(dir.path(), "store"), 0, Some(LOGIN));
    let (one, _) = crawled(&server.update());
    let (other, _) = crawled(&server.update());
    for stand in [&one, &other] {
        import(stand, "shared.nq", SHARED);
        assert_exit(&push(&stand.job(), &[]), 0);
    }
    take_back(&one, "shared.nq");
    assert_exit(&push(&one.job(), &[]), 0);
    assert_eq!(says_shared(&server), 1, "the other still says it");
    assert_exit(&push(&one.job(), &["--again"]), 0);
    assert_eq!(says_shared(&server), 1, "the other still says it");
    assert_same(&one, &server);
    assert_same(&other, &server);
    take_back(&other, "shared.nq");
    assert_exit(&push(&other.job(), &[]), 0);
    assert_eq!(says_shared(&server), 0);
}

#[test]
fn what_was_taken_back_does_not_stay_with_the_store_for_ever() {
    let dir = tempfile::tempdir().unwrap();
    let server = Sparql::start(&folder(dir.path(), "store"), 0, Some(LOGIN));
    let elsewhere = Sparql::start(&folder(dir.path(), "elsewhere"), 0, Some(LOGIN));
    let (stand, spec) = crawled(&server.update());
    let other_spec = dir.path().join("other.toml");
    let text = std::fs::read_to_string(&spec).unwrap();
    std::fs::write(&other_spec, text.replace(&server.update(), &elsewhere.update())).unwrap();
    let kept = stand.job().join("knowledge/remote");
    for (round, how) in ["damaged", "lost", "again", "elsewhere", "sent"].into_iter().enumerate() {
        println!("{how}");
        import(&stand, "hostile.ttl", HOSTILE);
        import(&stand, "shared.nq", SHARED);
        assert_exit(&push(&stand.job(), &[]), 0);
        assert_same(&stand, &server);
        take_back(&stand, "shared.nq");
        if round % 2 == 1 {
            take_back(&stand, "hostile.ttl");
        }
        match how {
            "damaged" => std::fs::write(kept.join("state.json"), "{").unwrap(),
            "lost" => std::fs::remove_file(kept.join("state.json")).unwrap(),
            "sent" => std::fs::remove_dir_all(kept.join("sent")).unwrap(),
            "elsewhere" => {
                assert_exit(&push(&stand.job(), &["--spec", other_spec.to_str().unwrap()]), 0);
                assert_same(&stand, &elsewhere);
            }
            _ => {}
        }
        let more: &[&str] = if how == "again" { &["--again"] } else { &[] };
        assert_exit(&push(&stand.job(), more), 0);
        assert_same(&stand, &server);
    }
}

/// Answers everything with a page, as a login does that stands before a server.
fn login_page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let mut request = vec![0; 1 << 16];
                let mut read = 0;
                while let Ok(more @ 1..) = stream.read(&mut request[read..]) {
                    read += more;
                    let text = String::from_utf8_lossy(&request[..read]).to_ascii_lowercase();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                    if body.len() < length.map_or(0, |length| length.parse::<usize>().unwrap()) {
                        request.resize(read + (1 << 16), 0);
                        continue;
                    }
                    let page = "<html><title>Please log in</title></html>";
                    let length = page.len();
                    let head =
                        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}");
                    let _ = stream.write_all(format!("{head}\r\n\r\n{page}").as_bytes());
                    read = 0;
                }
            });
        }
    });
    format!("http://{address}/update")
}

#[test]
fn a_login_page_is_no_store_and_a_store_may_answer_with_pages() {
    let (stand, spec) = crawled(&login_page());
    let status = || json_of(&finish(annalist().arg("status").arg(stand.job()).arg("--json"), LIMIT));
    let remote = &status()["remote"];
    assert!(remote["waiting_bytes"].as_u64().unwrap() > 10_000, "{remote}");
    let output = push(&stand.job(), &[]);
    assert_exit(&output, 4);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("Please log in") && told.contains("is no SPARQL server"), "{told}");
    let dir = tempfile::tempdir().unwrap();
    let server = Sparql::start_with(&folder(dir.path(), "store"), 0, Some(LOGIN), &["--pages"]);
    let address = format!("update = \"{}\"", server.update());
    let text = std::fs::read_to_string(&spec).unwrap();
    let lines = text.lines().map(|line| if line.starts_with("update = ") { &address } else { line });
    std::fs::write(&spec, lines.collect::<Vec<_>>().join("\n")).unwrap();
    assert_exit(&push(&stand.job(), &["--spec", spec.to_str().unwrap()]), 0);
    assert_same(&stand, &server);
}

#[test]
fn a_second_push_waits_for_the_first_and_says_so() {
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let stand = Stand::new(WorldConfig { pages: 30, ..small() });
    let spec = stand.helped_spec(IMPATIENT);
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    let update = format!("http://{}/update", mute.local_addr().unwrap());
    let other = stand.dir.path().join("told.toml");
    let text = std::fs::read_to_string(&spec).unwrap().replace(IMPATIENT, "");
    std::fs::write(&other, text + &remote(&update, "timeout = \"1h\"\n")).unwrap();
    let pushing = || {
        let mut command = annalist();
        command.arg("push").arg(stand.job()).arg("--spec").arg(&other);
        with_secret(&mut command).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
    };
    let mut first = pushing();
    let _connection = mute.accept().unwrap();
    let mut second = pushing();
    let mut told = std::io::BufReader::new(second.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    assert!(line.contains(&format!("waiting for another annalist (process {})", first.id())), "{line}");
    first.kill().unwrap();
    first.wait().unwrap();
    let _connection = mute.accept().unwrap();
    second.kill().unwrap();
    second.wait().unwrap();
}
