//! What the end-to-end tests share: the program as a user runs it, the test web, and the tools that judge the result.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod pywb;
pub mod script;
pub mod service;
pub mod sparql;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use annalist_testweb::{By, Entry, Log, PageKind, PageTruth, ServerOptions, TestWeb, WorldConfig};
use serde_json::Value;

/// Names the folder of the book that the crawls of a machine share; empty for none.
pub const BOOK: &str = "ANNALIST_BOOK";

/// The program, ready for arguments. Without a book: other tests ask the same addresses at the same time.
pub fn annalist() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annalist"));
    command.stdin(Stdio::null()).env(BOOK, "");
    command
}

/// A test web and a folder for one test; both are gone when it ends.
pub struct Stand {
    pub web: TestWeb,
    pub dir: tempfile::TempDir,
}

impl Stand {
    pub fn new(config: WorldConfig) -> Stand {
        Stand::with_options(config, ServerOptions::default())
    }

    pub fn with_options(config: WorldConfig, options: ServerOptions) -> Stand {
        let web = TestWeb::start(config, options).unwrap();
        Stand { web, dir: tempfile::tempdir().unwrap() }
    }

    pub fn job(&self) -> PathBuf {
        self.dir.path().join("collections/job")
    }

    /// Writes the web's own spec with tables added before `[network]`, and returns its path. Without the application-aware
    /// helper: a test of the engine expects every page there is.
    pub fn spec(&self, more: &str) -> PathBuf {
        self.spec_with("apps = false\n", more)
    }

    /// The same as a user's would be, helper and all.
    pub fn helped_spec(&self, more: &str) -> PathBuf {
        self.spec_with("", more)
    }

    fn spec_with(&self, top: &str, more: &str) -> PathBuf {
        let text = self.web.spec_toml().replacen("\n[network]\n", &format!("\n{more}\n[network]\n"), 1);
        let path = self.dir.path().join("spec.toml");
        std::fs::write(&path, format!("{top}{text}")).unwrap();
        path
    }

    /// `annalist crawl SPEC --job … --json --quiet`, not started yet.
    pub fn crawl(&self, spec: &Path) -> Command {
        self.crawl_into(spec, &self.job())
    }

    /// The same into another job. The crawls of a stand share a book.
    pub fn crawl_into(&self, spec: &Path, job: &Path) -> Command {
        let mut command = annalist();
        command.env(BOOK, self.dir.path().join("book"));
        command.arg("crawl").arg(spec).arg("--job").arg(job).args(["--json", "--quiet"]);
        command
    }
}

/// Settings for servers that nobody else uses.
pub const IMPATIENT: &str = "[fetch]\ntries = 3\nretry_delay = \"200ms\"\nconnect_timeout = \"2s\"\n\
    idle_timeout = \"2s\"\nmax_time = \"4s\"\nmax_size = \"8MB\"\n";

/// Runs to the end; a crawl that hangs fails the test instead of blocking it.
pub fn finish(command: &mut Command, limit: Duration) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait(child, limit)
}

pub fn wait(mut child: Child, limit: Duration) -> Output {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > limit {
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            panic!("did not end in {limit:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

pub fn until(limit: Duration, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < limit, "it never came to that");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a program has said what it does about SIGINT.
pub fn listens(id: u32, limit: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < limit {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).unwrap();
        if u64::from_str_radix(caught, 16).unwrap() & 2 != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it never listened");
}

/// What the crawl in that job says it waits for, as soon as it says so.
pub fn waits_for(job: &Path, limit: Duration) -> String {
    let begun = Instant::now();
    let mut last = None;
    while begun.elapsed() < limit {
        let output = annalist().arg("status").arg(job).arg("--json").output().unwrap();
        if output.status.success()
            && let Some(reason) = json_of(&output)["waits_for"].as_str()
        {
            return reason.to_owned();
        }
        last = Some(output);
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("it never said what it waits for: {last:?}");
}

/// The JSON object on the last line of standard output.
pub fn json_of(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|e| {
        panic!("no JSON ({e}): {last:?}\nstderr: {}", String::from_utf8_lossy(&output.stderr))
    })
}

pub fn assert_exit(output: &Output, code: i32) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}\nstdout: {}\nstderr: {told}",
        // Names the signal that ended it, where one did.
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
}

pub fn files_in(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

/// The first request that came sooner than `delay` after the one before it came. From start to start: when an answer
/// ended is not known to both sides at the same moment.
pub fn asked_again_within(log: &Log, by: By, delay: Duration) -> Option<(String, String)> {
    let mut last: HashMap<String, &Entry> = HashMap::new();
    let mut entries: Vec<&Entry> = log.entries.iter().collect();
    entries.sort_by_key(|entry| entry.start_us);
    for entry in entries {
        let site = entry.host.rsplitn(3, '.').take(2).collect::<Vec<_>>().join(".");
        let key = match by {
            By::Address => entry.address.to_string(),
            By::Site => site,
            By::Host => entry.host.clone(),
        };
        if let Some(before) = last.insert(key, entry)
            && u128::from(entry.start_us - before.start_us) < delay.as_micros()
        {
            return Some((format!("{before:?}"), format!("{entry:?}")));
        }
    }
    None
}

/// One line of a CDXJ index.
#[derive(Clone, Debug)]
pub struct Capture {
    pub url: String,
    pub status: String,
    pub mime: String,
}

/// Every capture in a job's indexes, in their order; each index must be sorted.
pub fn captures(job: &Path) -> Vec<Capture> {
    let mut captures = Vec::new();
    for index in files_in(&job.join("indexes"), ".cdxj") {
        let text = std::fs::read_to_string(&index).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.is_sorted(), "{} is not sorted", index.display());
        for line in lines {
            let json: Value = serde_json::from_str(line.splitn(3, ' ').nth(2).unwrap()).unwrap();
            let field = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
            captures.push(Capture { url: field("url"), status: field("status"), mime: field("mime") });
        }
    }
    captures
}

pub fn urls(captures: &[Capture]) -> BTreeSet<String> {
    captures.iter().map(|capture| capture.url.clone()).collect()
}

/// What a crawl without limits must have fetched: every page that exists and may be asked for.
pub fn expected(web: &TestWeb) -> BTreeSet<String> {
    web.world().truth().allowed_pages().map(|page: PageTruth| page.url).collect()
}

pub fn is_prerequisite(page: &PageTruth) -> bool {
    !matches!(
        page.kind,
        PageKind::Home | PageKind::List | PageKind::Article | PageKind::BlogPost | PageKind::Thread
    )
}

/// `annalist verify` on a job.
pub fn assert_valid(job: &Path) {
    let output = annalist().arg("verify").arg(job).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A tool of the Python environment that `scripts/setup test` makes.
pub fn python_tool(name: &str) -> Command {
    let venv = std::env::var("ANNALIST_VENV")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/venv").to_owned());
    let tool = Path::new(&venv).join("bin").join(name);
    assert!(tool.exists(), "{} is missing: run `scripts/setup test`, or `make test`", tool.display());
    Command::new(tool)
}

/// Somebody else's judgement: `warcio check` and `gzip -t`.
pub fn assert_accepted_by_others(job: &Path) {
    let files = files_in(&job.join("archive"), ".warc.gz");
    if files.is_empty() {
        return;
    }
    let checked = python_tool("warcio").arg("check").args(&files).output().unwrap();
    let told = String::from_utf8_lossy(&checked.stdout);
    let complaints = complaints(&told, &chunked_records(&files));
    assert!(complaints.is_empty(), "warcio: {complaints:?}");
    let tested = Command::new("gzip").arg("-t").args(&files).output().unwrap();
    assert!(tested.status.success(), "gzip: {}", String::from_utf8_lossy(&tested.stderr));
}

/// What `warcio check` finds wrong. It makes payload digests with the chunk sizes left in, which the WARC standard does
/// not; such a complaint about a chunked response, and only that, does not count.
fn complaints(told: &str, chunked: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    let mut record = String::new();
    for line in told.lines().filter(|line| line.starts_with("  ")) {
        match line.split_once("WARC-Record-ID ") {
            Some((_, rest)) => record = rest.split(' ').next().unwrap_or_default().to_owned(),
            None if line.contains("payload digest failed") && chunked.contains(&record) => {}
            None => found.push(format!("{record} {line}")),
        }
    }
    found
}

fn chunked_records(files: &[PathBuf]) -> BTreeSet<String> {
    let mut chunked = BTreeSet::new();
    for file in files {
        let bytes = Command::new("gzip").arg("-dc").arg(file).output().unwrap().stdout;
        let (mut record, mut in_head) = (String::new(), false);
        for line in String::from_utf8_lossy(&bytes).lines() {
            match line {
                "WARC/1.1" => in_head = true,
                _ if line.starts_with("WARC-Record-ID: ") => record = line[16..].trim().to_owned(),
                _ if in_head && line.eq_ignore_ascii_case("transfer-encoding: chunked") => {
                    chunked.insert(record.clone());
                    in_head = false;
                }
                _ => {}
            }
        }
    }
    chunked
}
