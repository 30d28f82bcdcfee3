//! No server can hold a fetch for longer, or make it larger, than the spec allows.

use std::time::Duration;

use annalist_model::Truncated;
use annalist_model::spec::FetchRules;
use annalist_sources::{Connection, FetchError, Waiting};

use crate::server::{Act, bench, bytes, fetched, say, serve};

/// Long enough for a machine that is busy with other things, short enough to wait for.
const TINY: Duration = Duration::from_millis(500);

fn head(fields: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{fields}\r\n").into_bytes()
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_size_limit() {
    for fields in ["", "Content-Length: 99999999999\r\n"] {
        let (at, _) = serve(vec![Act::SayEndlessly(head(fields), vec![b'x'; 10_000])]).await;
        let bench = bench(at, FetchRules { max_size_bytes: 100_000, ..FetchRules::default() });
        let mut connection = Connection::default();
        let capture = bench.get("http://a.test/", &mut connection).await.unwrap();
        assert_eq!(capture.truncated, Some(Truncated::Length));
        assert_eq!(capture.response.length(), 100_000);
        assert_eq!(capture.payload_length, 100_000 - head(fields).len() as u64);
        assert!(!connection.is_open());
    }
}

#[tokio::test]
async fn an_endless_body_of_a_large_limit_is_cut_in_its_file() {
    let (at, _) = serve(vec![Act::SayEndlessly(head(""), vec![b'x'; 100_000])]).await;
    let bench = bench(at, FetchRules { max_size_bytes: 5_000_001, ..FetchRules::default() });
    let capture = bench.get("http://a.test/", &mut Connection::default()).await.unwrap();
    assert_eq!(capture.response.length(), 5_000_001);
    assert_eq!(bytes(&capture).len(), 5_000_001);
    assert_eq!(bench.spooled(), 1);
}

#[tokio::test]
async fn a_size_limit_within_the_head_keeps_the_head() {
    let act = say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    let capture = fetched(act, FetchRules { max_size_bytes: 3, ..FetchRules::default() }).await.unwrap();
    assert_eq!(bytes(&capture), b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    assert_eq!((capture.truncated, capture.payload_length), (Some(Truncated::Length), 0));
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_marked() {
    for act in [
        Act::SayAndClose([head("Content-Length: 100\r\n"), b"short".to_vec()].concat()),
        Act::SayAndClose([head("Transfer-Encoding: chunked\r\n"), b"64\r\nshort".to_vec()].concat()),
        Act::Say([head("Transfer-Encoding: chunked\r\n"), b"5\r\nshort\r\nwhat is this".to_vec()].concat()),
    ] {
        let capture = fetched(act, FetchRules::default()).await.unwrap();
        assert_eq!(capture.truncated, Some(Truncated::Disconnect));
        assert_eq!((capture.body.as_slice(), capture.payload_length), (&b"short"[..], 5));
    }
}

#[tokio::test]
async fn a_silent_server_is_left_after_the_idle_time() {
    let rules = FetchRules { idle_timeout: TINY, ..FetchRules::default() };
    for nothing_yet in [vec![], b"HTTP/1.1 200 OK\r\nServer: x\r\n".to_vec()] {
        let error = fetched(Act::SayAndHang(nothing_yet), rules.clone()).await.unwrap_err();
        assert!(matches!(error, FetchError::Timeout(Waiting::Answering)), "{error}");
    }
    let act = Act::SayAndHang([head("Content-Length: 10\r\n"), b"half".to_vec()].concat());
    let capture = fetched(act, rules).await.unwrap();
    assert_eq!((capture.truncated, capture.body.as_slice()), (Some(Truncated::Time), &b"half"[..]));
}

#[tokio::test]
async fn a_fetch_ends_when_its_time_is_up_though_bytes_keep_coming() {
    let rules = FetchRules { max_time: TINY, min_bytes_per_second: 0, ..FetchRules::default() };
    let act = Act::Drip(head("Content-Length: 1000000\r\n"), b"drop".to_vec());
    let capture = fetched(act, rules.clone()).await.unwrap();
    assert_eq!(capture.truncated, Some(Truncated::Time));
    let error =
        fetched(Act::Drip(b"HTTP/1.1 200 OK\r\n".to_vec(), b"A: b\r\n".to_vec()), rules).await.unwrap_err();
    assert!(matches!(error, FetchError::Timeout(_)), "{error}");
}

#[tokio::test]
async fn a_fast_endless_body_ends_when_its_time_is_up() {
    let rules = FetchRules { max_time: TINY, max_size_bytes: u64::MAX, ..FetchRules::default() };
    let (at, _) = serve(vec![Act::SayEndlessly(head(""), vec![b'x'; 10_000])]).await;
    let bench = bench(at, rules);
    let capture = bench.get("http://a.test/", &mut Connection::default()).await.unwrap();
    assert_eq!(capture.truncated, Some(Truncated::Time));
}

#[tokio::test]
async fn a_tarpit_is_left_when_it_is_too_slow_for_too_long() {
    let rules = FetchRules { slow_after: TINY, min_bytes_per_second: 10_000, ..FetchRules::default() };
    let act = Act::Drip(head("Content-Length: 1000000\r\n"), b"drop".to_vec());
    let capture = fetched(act, rules.clone()).await.unwrap();
    assert_eq!(capture.truncated, Some(Truncated::Time));
    assert!(capture.payload_length > 0);
    let error = fetched(Act::Drip(vec![], b"HTTP/1.1 200 OK\r\nA: ".to_vec()), rules).await.unwrap_err();
    assert!(matches!(error, FetchError::Timeout(_)), "{error}");
}

#[tokio::test]
async fn a_bomb_is_archived_as_it_came_and_read_up_to_the_limit() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b' '; 20_000_000]).unwrap();
    let bomb = encoder.finish().unwrap();
    let fields = format!("Content-Encoding: gzip\r\nContent-Length: {}\r\n", bomb.len());
    let rules = FetchRules { max_read_bytes: 50_000, ..FetchRules::default() };
    let capture = fetched(Act::Say([head(&fields), bomb.clone()].concat()), rules).await.unwrap();
    assert_eq!((capture.body.len(), capture.payload_length), (50_000, bomb.len() as u64));
    assert_eq!(capture.truncated, None);
}

#[tokio::test]
async fn an_endless_head_is_no_response() {
    let rules = FetchRules { max_header_bytes: 20_000, ..FetchRules::default() };
    for again in
        [b"A: bbbbbbbbbbbbbbbbbb\r\n".to_vec(), vec![b'x'; 1000], b"HTTP/1.1 100 Go\r\n\r\n".to_vec()]
    {
        let act = Act::SayEndlessly(b"HTTP/1.1 100 OK\r\n\r\nHTTP/1.1 100 OK\r\n".to_vec(), again);
        let error = fetched(act, rules.clone()).await.unwrap_err();
        assert!(matches!(error, FetchError::BadResponse(_)), "{error}");
    }
}

#[tokio::test]
async fn a_flood_of_cookies_is_one_ordinary_capture() {
    let mut text = String::from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
    for n in 0..900 {
        text.push_str(&format!("Set-Cookie: c{n}={}\r\n", "v".repeat(40)));
    }
    text.push_str("\r\n");
    let ok = say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let (at, seen) = serve(vec![say(&text), ok]).await;
    let bench = bench(at, FetchRules::default());
    let mut connection = Connection::default();
    let capture = bench.get("http://a.test/1", &mut connection).await.unwrap();
    assert_eq!(capture.head.all("set-cookie").count(), 900);
    bench.get("http://a.test/2", &mut connection).await.unwrap();
    assert!(seen.request(1).len() < 10_000);
}

#[tokio::test]
async fn a_spool_that_cannot_be_written_is_an_error_and_no_silence() {
    let (at, _) = serve(vec![Act::SayEndlessly(head(""), vec![b'x'; 100_000])]).await;
    let bench = bench(at, FetchRules { max_size_bytes: 10_000_000, ..FetchRules::default() });
    std::fs::remove_dir_all(bench.spool.path()).unwrap();
    let error = bench.get("http://a.test/", &mut Connection::default()).await.unwrap_err();
    std::fs::create_dir_all(bench.spool.path()).unwrap();
    assert!(matches!(error, FetchError::Spool(_)), "{error}");
}

#[tokio::test]
async fn a_server_that_never_accepts_is_left_after_the_connect_timeout() {
    // TLS to a server that says nothing: the handshake counts as connecting.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let bench = bench(at, FetchRules { connect_timeout: TINY, ..FetchRules::default() });
    let error = bench.get("https://a.test/", &mut Connection::default()).await.unwrap_err();
    assert!(matches!(error, FetchError::Timeout(Waiting::Connecting)), "{error}");
}
