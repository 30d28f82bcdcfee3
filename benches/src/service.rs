//! The service: what twenty crawls at once cost beside one, how fast addresses are taken, and how long people wait for its
//! answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::Figures;
use crate::crawl::{self, ENGINE_ALONE};
use crate::web::Web;

const TOGETHER: usize = 20;
/// Addresses in one batch, and batches.
const BATCH: usize = 1_000;
const BATCHES: usize = 500;
/// How often each view is asked for.
const LOOKS: usize = 20;
const VIEWS: &[&str] =
    &["", "/queue", "/fetched", "/skipped", "/log", "/settings", "/search?q=the", "/knowledge", "/review"];
const ANSWERS: &[&str] = &["", "/counters", "/course", "/queue", "/fetched", "/skipped", "/events", "/spec"];

pub fn measure(pages: usize, hosts: usize) -> Result<Figures> {
    eprintln!("bench: a service with one crawl of {pages} pages, with {TOGETHER}, and asked meanwhile");
    let mut figures = Figures::new();
    let mut put = |name: &str, value: f64| figures.insert(format!("service.{name}"), json!(value));

    let web = crawl::web(pages, hosts)?;
    let alone = Serving::start(&web.dir.path().join("alone"), web.dir.path())?;
    alone.create(&spec(&web, None)?, "one")?;
    let (cost, mut waited) = alone.cost_until_done(ANSWERS)?;
    waited.sort_by(f64::total_cmp);
    put("alone.cpu_ms_per_page", cost);
    put("answers.median_ms", part(&waited, 0.5));
    put("answers.p99_ms", part(&waited, 0.99));
    put("answers.asked", waited.len() as f64);

    let many = Serving::start(&web.dir.path().join("many"), web.dir.path())?;
    for n in 0..TOGETHER {
        many.create(&spec(&web, Some(pages / TOGETHER))?, &format!("crawl-{n:02}"))?;
    }
    let (together, _) = many.cost_until_done(&[])?;
    put("together.cpu_ms_per_page", together);
    put("together.over_alone", together / cost);
    drop(many);

    // Its index is made when it is first asked.
    while !ask(&alone.address, "GET", "/api/crawls/one/search?limit=0", "")?.1.contains("\"current\"") {
        std::thread::sleep(Duration::from_millis(200));
    }
    // A service that was just started remembers nothing of a crawl at rest.
    drop(alone);
    let alone = Serving::start(&web.dir.path().join("alone"), web.dir.path())?;
    for view in VIEWS {
        let mut took = Vec::new();
        for _ in 0..LOOKS {
            let begun = Instant::now();
            let (status, _) = ask(&alone.address, "GET", &format!("/crawls/one{view}"), "")?;
            took.push(begun.elapsed().as_secs_f64() * 1000.0);
            ensure!(status == 200 || status == 404, "{view}: {status}");
        }
        let name = view.split('?').next().unwrap_or_default().trim_start_matches('/');
        let name = if name.is_empty() { "overview" } else { name };
        put(&format!("view.{name}.first_ms"), took.first().copied().unwrap_or_default());
        took.sort_by(f64::total_cmp);
        put(&format!("view.{name}_ms"), part(&took, 0.5));
    }
    drop(alone);
    figures.extend(injection(Handing::Only)?);
    figures.extend(injection(Handing::WhileAllFail)?);
    Ok(figures)
}

/// The spec of the web's benchmark crawl, with a limit.
fn spec(web: &Web, pages: Option<usize>) -> Result<String> {
    let spec = std::fs::read_to_string(web.spec())?;
    let limit = pages.map_or_else(String::new, |pages| format!("[limits]\npages = {pages}\n"));
    Ok(format!("{spec}\n{ENGINE_ALONE}{limit}"))
}

/// What a crawl does while it is handed addresses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handing {
    /// It is paused.
    Only,
    /// Nobody has these names, and no server's rest holds it up: each fails at once, and is acknowledged by the same keeper.
    WhileAllFail,
}

/// A crawl that fetches nothing but what it is handed, which leads nowhere: what counts is how fast it is taken.
fn injection(handing: Handing) -> Result<Figures> {
    let dir = tempfile::Builder::new().prefix("bench").tempdir_in("target")?;
    let serving = Serving::start(&dir.path().join("root"), dir.path())?;
    let spec = format!(
        "name = \"handed over\"\ncontact = \"bench@example.org\"\n[[seed]]\nurl = \"http://seed.invalid/\"\n[scope]\nonly_injected = true\n{ENGINE_ALONE}"
    );
    serving.create(&spec, "x")?;
    if handing == Handing::Only {
        let (status, told) = ask(&serving.address, "POST", "/api/crawls/x/pause", "")?;
        ensure!(status == 202, "{status}: {told}");
        while serving.json("/api/crawls/x")?["state"] != "paused" {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let mut connection = BufReader::new(TcpStream::connect(&serving.address)?);
    let bodies: Vec<String> = (0..BATCHES).map(batch).collect();
    let begun = Instant::now();
    for body in &bodies {
        let status = hand_over(&mut connection, &serving.address, body)?;
        ensure!(status == 202, "refused: {status}");
    }
    let accepted = begun.elapsed().as_secs_f64();
    let all = (BATCH * BATCHES) as f64;
    loop {
        let seen = serving.json("/api/crawls/x")?;
        let known = ["queued", "failures"].iter().filter_map(|name| seen[*name].as_f64()).sum::<f64>();
        if known >= all {
            break;
        }
        ensure!(begun.elapsed() < Duration::from_secs(600), "only {known} of {all} were taken up");
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut figures = Figures::new();
    let taken_up = all / begun.elapsed().as_secs_f64();
    let name = match handing {
        Handing::Only => "inject",
        Handing::WhileAllFail => "inject_while_all_fail",
    };
    figures.insert(format!("service.{name}.accepted_per_s"), json!(all / accepted));
    figures.insert(format!("service.{name}.taken_up_per_s"), json!(taken_up));
    Ok(figures)
}

/// Addresses of a thousand sites.
fn batch(number: usize) -> String {
    let addresses: Vec<Value> = (0..BATCH)
        .map(|n| json!({"url": format!("http://site{n}.invalid/page/{number}"), "score": n as f64 / BATCH as f64}))
        .collect();
    Value::Array(addresses).to_string()
}

struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(root: &Path, book: &Path) -> Result<Serving> {
        let mut child = Command::new(crate::bin("annalist")?)
            .env("ANNALIST_BOOK", book.join("book"))
            .arg("serve")
            .arg(root)
            .args(["--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut told = BufReader::new(child.stderr.take().context("nothing heard")?);
        let mut line = String::new();
        told.read_line(&mut line)?;
        std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.with_context(|| format!("no service: {line}"))?.to_owned();
        Ok(Serving { child, address })
    }

    fn create(&self, spec: &str, id: &str) -> Result<()> {
        let body = json!({"spec": spec, "id": id, "start": true}).to_string();
        let (status, told) = ask(&self.address, "POST", "/api/crawls", &body)?;
        ensure!(status == 201, "{status}: {told}");
        Ok(())
    }

    fn json(&self, path: &str) -> Result<Value> {
        let (status, body) = ask(&self.address, "GET", path, "")?;
        ensure!(status == 200, "{path}: {status}");
        Ok(serde_json::from_str(&body)?)
    }

    /// CPU for each page once all crawls have ended, and how long each answer took meanwhile.
    fn cost_until_done(&self, answers: &[&str]) -> Result<(f64, Vec<f64>)> {
        let mut waited = Vec::new();
        loop {
            for path in answers {
                let begun = Instant::now();
                ask(&self.address, "GET", &format!("/api/crawls/one{path}"), "")?;
                waited.push(begun.elapsed().as_secs_f64() * 1000.0);
                std::thread::sleep(Duration::from_millis(10));
            }
            let seen = self.json("/api/crawls")?;
            let crawls = seen["crawls"].as_array().cloned().unwrap_or_default();
            if crawls.iter().all(|crawl| crawl["is_running"] == false) {
                let captures: f64 = crawls.iter().filter_map(|crawl| crawl["captures"].as_f64()).sum();
                return Ok((1000.0 * cpu_seconds(self.child.id()) / captures, waited));
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The value below which that part of sorted values is.
fn part(sorted: &[f64], part: f64) -> f64 {
    let place = ((sorted.len() as f64 * part) as usize).min(sorted.len().saturating_sub(1));
    sorted.get(place).copied().unwrap_or_default()
}

fn ask(address: &str, method: &str, path: &str, body: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").context("no answer")?;
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).context("no status")?;
    Ok((status, body.to_owned()))
}

/// A batch over a connection that is kept.
fn hand_over(connection: &mut BufReader<TcpStream>, address: &str, body: &str) -> Result<u16> {
    let head = format!(
        "POST /api/crawls/x/urls HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    // In one piece: a head alone would have the kernel wait for its acknowledgement.
    connection.get_mut().write_all(format!("{head}{body}").as_bytes())?;
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        ensure!(connection.read_line(&mut line)? > 0, "the service hung up");
        let line = line.trim().to_lowercase();
        if let Some(code) = line.strip_prefix("http/1.1 ") {
            status = code.get(..3).and_then(|code| code.parse().ok()).unwrap_or(0);
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if line.is_empty() {
            break;
        }
    }
    connection.read_exact(&mut vec![0; length])?;
    Ok(status)
}

/// CPU time of a process that runs.
fn cpu_seconds(process: u32) -> f64 {
    let ticks = rustix::param::clock_ticks_per_second().max(1) as f64;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<&str> = after.split_whitespace().collect();
    let field = |n: usize| fields.get(n).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (field(11) + field(12)) / ticks
}
