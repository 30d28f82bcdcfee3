//! `annalist serve` as a program would use it: started, asked over HTTP, killed and started again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use annalist_model::Time;
use serde_json::{Value, json};

use super::{BOOK, annalist};

/// A running service; it is killed when the test ends.
pub struct Service {
    child: Child,
    pub address: String,
    /// Where captured pages are shown.
    pub replay: String,
}

/// What it answered.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("no JSON ({e}): {self:?}"))
    }
}

/// A start that is due: a moment ago.
pub fn a_moment_ago() -> String {
    let now = annalist_crawl::clock::now();
    Time::from_millis(now.millis() - 2_000).rfc3339()
}

/// The service over a folder, not started yet. Its crawls share a book.
pub fn service(root: &Path) -> Command {
    let mut command = annalist();
    command.env(BOOK, root.join("../book")).arg("serve").arg(root).args(["--listen", "127.0.0.1:0"]);
    command
}

impl Service {
    pub fn start(root: &Path) -> Service {
        Service::start_as(&mut service(root))
    }

    pub fn start_as(command: &mut Command) -> Service {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let mut address = None;
        let mut heard = String::new();
        while address.is_none() {
            let mut line = String::new();
            assert!(told.read_line(&mut line).unwrap() > 0, "the service ended: {heard}");
            heard.push_str(&line);
            let mut addresses = line.split("http://").skip(1).filter_map(|rest| rest.split('/').next());
            address = addresses.next().map(str::to_owned).zip(addresses.next().map(str::to_owned));
        }
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        let (address, replay) = address.unwrap();
        Service { child, address, replay }
    }

    pub fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], "")
    }

    /// A new crawl; it starts at once where that is wanted.
    pub fn make(&self, spec: &str, id: &str, start: bool) {
        let reply = self.post("/api/crawls", &json!({"spec": spec, "id": id, "start": start}));
        assert_eq!(reply.status, 201, "{reply:?}");
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.ask("POST", path, &[("content-type", "application/json")], &body.to_string())
    }

    pub fn put(&self, path: &str, body: &Value) -> Reply {
        self.ask("PUT", path, &[("content-type", "application/json")], &body.to_string())
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        Service::ask_at(&self.address, method, path, headers, body)
    }

    /// Asks for a captured page.
    pub fn replayed(&self, path: &str) -> Reply {
        self.replayed_with(path, &[])
    }

    pub fn replayed_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        Service::ask_at(&self.replay, "GET", path, headers, "")
    }

    fn ask_at(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        attempt(address, method, path, headers, body).unwrap_or_else(|e| panic!("{method} {path}: {e}"))
    }

    /// Asks, and goes away before there is an answer.
    pub fn leave(&self, method: &str, path: &str) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address).unwrap();
        std::thread::sleep(Duration::from_millis(100));
    }

    /// How a crawl stands, once `done` says so.
    pub fn until(&self, id: &str, limit: Duration, done: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let seen = self.get(&format!("/api/crawls/{id}")).json();
            if done(&seen) {
                return seen;
            }
            assert!(begun.elapsed() < limit, "it never came to that: {seen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// As a power cut would end it.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// As Ctrl-C does; the exit code.
    pub fn interrupt(mut self) -> Option<i32> {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the service does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
        self.child.wait().unwrap().code()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks a service that may be killed meanwhile: what did not arrive whole is an error.
pub fn attempt(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let own = headers.iter().any(|(name, _)| *name == "host");
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !own {
        head.push_str(&format!("host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let broken = || std::io::Error::other(format!("not a whole answer: {text:?}"));
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(broken)?;
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or_else(broken)?;
    let field =
        |name: &str| head.lines().find_map(|line| line.to_lowercase().strip_prefix(name).map(str::to_owned));
    let promised = field("content-length: ").and_then(|length| length.parse::<usize>().ok());
    let begins = head.len() + 4;
    if method != "HEAD" && promised.is_some_and(|length| bytes.len() - begins < length) {
        return Err(broken());
    }
    let chunked = field("transfer-encoding: ").is_some_and(|coding| coding == "chunked");
    let body = if chunked { unchunked(body) } else { body.to_owned() };
    Ok(Reply { status, head: head.to_owned(), body })
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole.push_str(rest.get(..size).unwrap_or(rest));
        body = rest.get(size + 2..).unwrap_or_default();
    }
    whole
}
