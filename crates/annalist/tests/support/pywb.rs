//! Somebody else's replay: pywb serves a collection, and what it gives is compared with the live pages.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use annalist_testweb::PageKind;

use super::{Stand, python_tool};

/// Serves `collections/NAME` under a folder and compares pages with the live ones, byte for byte. Returns how many.
pub fn replayed_as_live(stand: &Stand, root: &Path, collection: &str) -> usize {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut pywb = python_tool("wayback")
        .args(["-b", "127.0.0.1", "-p", &port.to_string(), "-t", "1", "-d"])
        .arg(root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let compared = compare(stand, port, collection);
    pywb.kill().unwrap();
    pywb.wait().unwrap();
    compared.unwrap()
}

fn compare(stand: &Stand, port: u16, collection: &str) -> Result<usize, String> {
    let pages: Vec<_> = stand.web.world().truth().allowed_pages().collect();
    let articles = pages.iter().filter(|page| page.kind == PageKind::Article && page.duplicate_of.is_none());
    let mut compared = 0;
    for page in articles.take(8) {
        let replayed = get(port, "127.0.0.1", &format!("/{collection}/2026id_/{}", page.url))
            .or_else(|_| get(port, "127.0.0.1", &format!("/{collection}/id_/{}", page.url)))?;
        let address = stand.web.resolve_table().into_iter().find(|(host, _)| *host == page.host).unwrap().1;
        let live = get_from(&address.to_string(), &page.host, &page.path)?;
        if replayed != live {
            return Err(format!("{}: {} bytes replayed, {} live", page.url, replayed.len(), live.len()));
        }
        compared += 1;
    }
    Ok(compared)
}

/// Waits for the server, then asks once.
fn get(port: u16, host: &str, path: &str) -> Result<Vec<u8>, String> {
    let begun = Instant::now();
    loop {
        match get_from(&format!("127.0.0.1:{port}"), host, path) {
            Err(fault) if fault.contains("refused") && begun.elapsed() < Duration::from_secs(60) => {
                std::thread::sleep(Duration::from_millis(200));
            }
            answer => return answer,
        }
    }
}

/// The body of one answer; chunks are put together.
fn get_from(address: &str, host: &str, path: &str) -> Result<Vec<u8>, String> {
    let mut stream = TcpStream::connect(address).map_err(|e| e.to_string())?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        .map_err(|e| e.to_string())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(|e| e.to_string())?;
    let split = answer.windows(4).position(|w| w == b"\r\n\r\n").ok_or("no head")?;
    let head = String::from_utf8_lossy(&answer[..split]).to_lowercase();
    if !head.starts_with("http/1.1 200") && !head.starts_with("http/1.0 200") {
        return Err(format!("{path}: {}", head.lines().next().unwrap_or_default()));
    }
    let body = &answer[split + 4..];
    if head.contains("transfer-encoding: chunked") { dechunk(body) } else { Ok(body.to_vec()) }
}

fn dechunk(mut body: &[u8]) -> Result<Vec<u8>, String> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|w| w == b"\r\n").ok_or("no chunk size")?;
        let size = String::from_utf8_lossy(&body[..end]);
        let size = usize::from_str_radix(size.split(';').next().unwrap_or("").trim(), 16)
            .map_err(|e| e.to_string())?;
        if size == 0 {
            return Ok(whole);
        }
        let chunk = body.get(end + 2..end + 2 + size).ok_or("short chunk")?;
        whole.extend_from_slice(chunk);
        body = body.get(end + 4 + size..).ok_or("short chunk")?;
    }
}
