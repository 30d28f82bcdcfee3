//! Somebody else's SPARQL server: pyoxigraph behind a few lines of Python.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::python_tool;

/// Answers until it is dropped; what it was told stays in its folder.
pub struct Sparql {
    child: Child,
    pub port: u16,
}

impl Sparql {
    /// With a port of 0 the system gives one.
    pub fn start(dir: &Path, port: u16, login: Option<&str>) -> Sparql {
        Sparql::start_with(dir, port, login, &[])
    }

    pub fn start_with(dir: &Path, port: u16, login: Option<&str>, more: &[&str]) -> Sparql {
        let port_file = dir.join("port");
        let _ = std::fs::remove_file(&port_file);
        let mut command = python_tool("python");
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/sparql_server.py"));
        command.arg(&port_file).arg(dir.join("data")).args(["--port", &port.to_string()]).args(more);
        if let Some(login) = login {
            command.args(["--login", login]);
        }
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let port = loop {
            if let Some(port) = std::fs::read_to_string(&port_file).ok().and_then(|text| text.parse().ok()) {
                break port;
            }
            assert!(child.try_wait().unwrap().is_none(), "the SPARQL server does not start");
            assert!(begun.elapsed() < Duration::from_secs(60), "the SPARQL server does not start");
            std::thread::sleep(Duration::from_millis(20));
        };
        Sparql { child, port }
    }

    pub fn update(&self) -> String {
        format!("http://127.0.0.1:{}/update", self.port)
    }

    pub fn graph_store(&self) -> String {
        format!("http://127.0.0.1:{}/store", self.port)
    }

    /// Everything it knows, a statement a line.
    pub fn dump(&self) -> BTreeSet<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(b"GET /dump HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        body.lines().map(str::to_owned).collect()
    }

    /// kill -9
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Sparql {
    fn drop(&mut self) {
        self.end();
    }
}

/// N-Quads as such a server tells them: it has one spelling for each number and date.
pub fn as_told(nquads: &Path) -> BTreeSet<String> {
    let mut command = python_tool("python");
    command.args(["-c", "import sys, pyoxigraph as ox\nstore = ox.Store()\nstore.load(path=sys.argv[1], format=ox.RdfFormat.N_QUADS)\n\
        sys.stdout.buffer.write(ox.serialize(store, format=ox.RdfFormat.N_QUADS))"]);
    let output = command.arg(nquads).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// A folder for a server.
pub fn folder(dir: &Path, name: &str) -> PathBuf {
    let folder = dir.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
