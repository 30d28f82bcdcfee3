//! Archives that are damaged, or cannot be addressed: all else is indexed, and what is lost is said to the byte.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod support;

use std::process::Command;

use support::annalist;

fn record(path: &str) -> String {
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello";
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{path}>\r\nWARC-Date: 2010-05-06T07:08:09Z\r\n\
         WARC-Target-URI: http://a.test/{path}\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

#[test]
fn what_is_lost_is_said_to_the_byte_and_all_else_is_indexed() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two, three) = (record("1"), record("2"), record("3"));
    let longer = two.replace("Content-Length: 5", "Content-Length: 9");
    std::fs::write(dir.path().join("a.warc"), [one.as_str(), &longer, &three].concat()).unwrap();
    std::fs::write(dir.path().join("b.warc"), [one.as_str(), &two].concat()).unwrap();
    assert!(Command::new("gzip").arg(dir.path().join("b.warc")).status().unwrap().success());
    let arc = "http://a.test/4 192.0.2.7 20080430204826 text/html 7\n<p>page\n";
    std::fs::write(dir.path().join("c.arc"), arc).unwrap();

    let output = annalist().arg("index").arg(dir.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(9));
    let index = String::from_utf8(output.stdout).unwrap();
    let found: Vec<&str> = index.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(found, ["test,a)/1", "test,a)/3", "test,a)/4"], "{index}");
    let told = String::from_utf8(output.stderr).unwrap();
    let lost = format!("a.warc: bytes {} to {} are lost", one.len(), one.len() + two.len());
    assert!(told.contains(&lost), "{told}");
    assert!(told.contains("b.warc.gz: bytes 0 to") && told.contains("a member of its own"), "{told}");
    assert!(told.contains("2 places could not be read"), "{told}");
}
