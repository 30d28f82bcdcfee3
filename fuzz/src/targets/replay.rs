//! Replay: whatever is asked and whatever was captured, the answer can be sent, stands behind the wall, and ends.

use annalist_model::Canonicaliser;
use annalist_replay::{Asked, Replay};

const PREFIX: &str = "http://replay.test/job/";

/// The first line is what is asked for, the rest is a response as it was received.
pub(crate) fn run(data: &[u8]) {
    let end = data.iter().position(|b| *b == b'\n').unwrap_or(data.len());
    let asked = String::from_utf8_lossy(&data[..end]);
    let block = data.get(end + 1..).unwrap_or_default();
    let head = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    // Without a place for files there is nothing to find out.
    let Ok(dir) = tempfile::tempdir() else { return };
    if std::fs::write(dir.path().join("a.warc"), [head.as_bytes(), block, b"\r\n\r\n"].concat()).is_err() {
        return;
    }
    let Ok(replay) = Replay::open(dir.path(), &[], Canonicaliser::default()) else { return };
    for target in [
        &asked,
        "20200101000000mp_/http://a.test/",
        "20200101000000id_/http://a.test/",
        "2019cs_/http://a.test/",
    ] {
        let answer = replay.answer(&Asked { range: Some("bytes=1-5"), ..Asked::get(PREFIX, target) });
        assert!((200..=999).contains(&answer.status), "{}", answer.status);
        assert!(
            answer
                .header("content-security-policy")
                .is_some_and(|policy| policy.contains("script-src 'none'"))
        );
        for (name, value) in &answer.headers {
            assert!(!name.is_empty() && !value.contains(|c: char| c.is_control()), "{name}: {value}");
        }
        let location = answer.header("location").unwrap_or(PREFIX);
        assert!(location.starts_with(PREFIX), "it leads to {location}");
        // A body that is cut ends early; that is told to whoever sends it.
        let _ = answer.into_bytes();
    }
}
