//! The program as a script uses it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Ended even when a test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_annalist-testweb"))
}

#[test]
fn it_says_where_it_listens_when_its_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let (spec, truth) = (folder.path().join("spec.toml"), folder.path().join("truth.json"));
    let child = program()
        .args(["--hosts", "4", "--pages", "40", "--hazards", "tarpit,bomb", "--time-limit", "60"])
        .args(["--spec".as_ref(), spec.as_os_str(), "--truth".as_ref(), truth.as_os_str()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("ready ").unwrap();
    assert!(address.starts_with("127.1.0.1:"), "{line}");
    let spec = std::fs::read_to_string(spec).unwrap();
    let truth: serde_json::Value = serde_json::from_slice(&std::fs::read(truth).unwrap()).unwrap();
    let host = truth["hosts"][0]["name"].as_str().unwrap();
    assert!(spec.contains(&format!("\"{host}\" = \"{address}\"")), "{spec}");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"));
}

#[test]
fn it_ends_by_itself_when_its_time_is_over() {
    let status = program().args(["--time-limit", "0"]).stdout(Stdio::null()).status().unwrap();
    assert!(status.success());
}

#[test]
fn an_unknown_hazard_is_named_with_the_known_ones() {
    let output = program().args(["--hazards", "tarpit,quicksand"]).output().unwrap();
    assert!(!output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("quicksand") && message.contains("endless-body"), "{message}");
}
