//! What is recorded is what went over the wire, and connections are kept or left as they should be.

use std::io::Write;

use annalist_model::spec::{FetchRules, Network};
use annalist_model::{Block, CanonicalUrl};
use annalist_sources::{Connection, FetchError, SetupError, WebSettings, WebSource};

use crate::server::{Act, NOW, bench, bytes, fetched, say, serve};

const HELLO: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
/// sha1 of `hello`.
const HELLO_DIGEST: &str = "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_chunked_gzip_response_is_recorded_as_it_came() {
    let text = "so many words ".repeat(1000);
    let zipped = gzip(text.as_bytes());
    let mut response =
        b"HTTP/1.1 200 Very OK\r\nContent-TYPE: text/html\r\ncontent-encoding:gzip\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for piece in zipped.chunks(10) {
        response.extend_from_slice(format!("{:X};x=y\r\n", piece.len()).as_bytes());
        response.extend_from_slice(piece);
        response.extend_from_slice(b"\r\n");
    }
    response.extend_from_slice(b"0\r\nTrailer: t\r\n\r\n");
    let (at, seen) = serve(vec![Act::Say(response.clone())]).await;
    let bench = bench(at, FetchRules::default());
    let mut connection = Connection::default();
    let capture = bench.get("http://a.test/x?y=z", &mut connection).await.unwrap();

    assert_eq!(bytes(&capture), response);
    assert_eq!(capture.request, seen.request(0));
    assert!(capture.request.starts_with(
        b"GET /x?y=z HTTP/1.1\r\nHost: a.test\r\nUser-Agent: annalist/0 (+http://library.test/)\r\n"
    ));
    assert_eq!(capture.body, text.as_bytes());
    assert_eq!(capture.payload_length, zipped.len() as u64);
    assert_eq!(capture.head.status, 200);
    assert_eq!(capture.head.field("content-type"), Some("text/html"));
    assert_eq!((capture.truncated, capture.started, capture.server), (None, NOW, at.ip()));
    assert!(connection.is_open());
}

#[tokio::test]
async fn the_payload_digest_is_that_of_the_body_without_its_chunks() {
    let plain = fetched(say(HELLO), FetchRules::default()).await.unwrap();
    let chunked =
        say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
    let chunked = fetched(chunked, FetchRules::default()).await.unwrap();
    assert_eq!(plain.payload_digest, HELLO_DIGEST);
    assert_eq!(chunked.payload_digest, HELLO_DIGEST);
    assert_eq!(chunked.payload_length, 5);
}

#[tokio::test]
async fn a_connection_is_kept_for_the_next_link_of_the_host() {
    let (at, seen) = serve(vec![say(HELLO); 3]).await;
    let bench = bench(at, FetchRules::default());
    let mut connection = Connection::default();
    for path in ["1", "2", "3"] {
        let capture = bench.get(&format!("http://a.test/{path}"), &mut connection).await.unwrap();
        assert_eq!(bytes(&capture), HELLO.as_bytes());
    }
    assert_eq!(seen.connections(), 1);
}

#[tokio::test]
async fn another_host_on_the_same_server_gets_its_own_connection() {
    let (at, seen) = serve(vec![say(HELLO); 2]).await;
    let bench = bench(at, FetchRules::default());
    let mut connection = Connection::default();
    bench.get("http://a.test/", &mut connection).await.unwrap();
    bench.get("http://b.test/", &mut connection).await.unwrap();
    assert_eq!(seen.connections(), 2);
}

#[tokio::test]
async fn a_connection_the_server_closes_is_opened_again() {
    let close =
        Act::SayAndClose(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi".to_vec());
    let unannounced = Act::SayAndClose(HELLO.as_bytes().to_vec());
    let (at, seen) = serve(vec![close, unannounced, say(HELLO)]).await;
    let bench = bench(at, FetchRules::default());
    let mut connection = Connection::default();
    bench.get("http://a.test/1", &mut connection).await.unwrap();
    assert!(!connection.is_open());
    bench.get("http://a.test/2", &mut connection).await.unwrap();
    bench.get("http://a.test/3", &mut connection).await.unwrap();
    assert_eq!(seen.connections(), 3);
}

#[tokio::test]
async fn a_kept_connection_that_proves_dead_is_told_apart_and_the_next_try_is_a_fresh_one() {
    let (at, seen) = serve(vec![say(HELLO), Act::Close, say(HELLO)]).await;
    let bench = bench(at, FetchRules::default());
    let mut connection = Connection::default();
    bench.get("http://a.test/1", &mut connection).await.unwrap();
    // Not asked again by itself: the server may have seen the request, and wants its rest.
    let stale = bench.get("http://a.test/2", &mut connection).await.unwrap_err();
    assert!(matches!(stale, FetchError::Stale), "{stale}");
    assert_eq!(seen.connections(), 1);
    let second = bench.get("http://a.test/2", &mut connection).await.unwrap();
    assert_eq!(seen.connections(), 2);
    assert_eq!(second.request, seen.request(1));
    // A fresh connection that is closed at once is a failure of the server.
    let error = bench.get("http://b.test/3", &mut connection).await.unwrap_err();
    assert!(matches!(error, FetchError::Reset(_)), "{error}");
    assert_eq!(seen.connections(), 3);
}

#[tokio::test]
async fn surplus_bytes_reach_neither_this_capture_nor_the_next() {
    let surplus = format!("{HELLO}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    let (at, seen) = serve(vec![say(&surplus), say(HELLO)]).await;
    let bench = bench(at, FetchRules::default());
    let mut connection = Connection::default();
    for path in ["1", "2"] {
        let capture = bench.get(&format!("http://a.test/{path}"), &mut connection).await.unwrap();
        assert_eq!(bytes(&capture), HELLO.as_bytes());
        assert_eq!(capture.body, b"hello");
    }
    assert_eq!(seen.connections(), 2);
}

#[tokio::test]
async fn a_redirect_is_a_capture_and_is_not_followed() {
    let moved = "HTTP/1.1 301 Moved\r\nLocation: http://b.test/\r\nContent-Length: 0\r\n\r\n";
    let (at, seen) = serve(vec![say(moved), say(HELLO)]).await;
    let capture =
        bench(at, FetchRules::default()).get("http://a.test/", &mut Connection::default()).await.unwrap();
    assert!(capture.head.is_redirect());
    assert_eq!(capture.head.field("location"), Some("http://b.test/"));
    assert_eq!(seen.requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn interim_responses_are_no_part_of_the_capture() {
    let text =
        format!("HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n{HELLO}");
    let capture = fetched(say(&text), FetchRules::default()).await.unwrap();
    assert_eq!(bytes(&capture), HELLO.as_bytes());
    let switch = say("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    assert!(matches!(fetched(switch, FetchRules::default()).await, Err(FetchError::BadResponse(_))));
}

#[tokio::test]
async fn responses_without_a_body_end_with_their_head() {
    for head in ["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n\r\n"]
    {
        let (at, seen) = serve(vec![say(head), say(HELLO)]).await;
        let bench = bench(at, FetchRules::default());
        let mut connection = Connection::default();
        let capture = bench.get("http://a.test/", &mut connection).await.unwrap();
        assert_eq!((bytes(&capture), capture.payload_length), (head.as_bytes().to_vec(), 0));
        bench.get("http://a.test/2", &mut connection).await.unwrap();
        assert_eq!(seen.connections(), 1);
    }
}

#[tokio::test]
async fn an_old_server_ends_its_body_by_closing() {
    let text = b"HTTP/1.0 200 OK\nContent-Type: text/plain\n\nold but good".to_vec();
    let capture = fetched(Act::SayAndClose(text.clone()), FetchRules::default()).await.unwrap();
    assert_eq!(bytes(&capture), text);
    assert_eq!((capture.body.as_slice(), capture.truncated), (&b"old but good"[..], None));
}

#[tokio::test]
async fn what_is_not_http_is_an_error_and_no_capture() {
    for text in
        ["hello, I am an echo server\r\n", "<html>0.9</html>", "HTTP/1.1 OK\r\n\r\n", "220 smtp\r\n\r\n"]
    {
        let error =
            fetched(Act::SayAndClose(text.as_bytes().to_vec()), FetchRules::default()).await.unwrap_err();
        assert!(matches!(error, FetchError::BadResponse(_)), "{text:?}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_closes_without_a_word_broke_the_connection() {
    let error = fetched(Act::Close, FetchRules::default()).await.unwrap_err();
    assert_eq!((error.reason(), error.code()), ("connection broken", -3));
    let half = Act::SayAndClose(b"HTTP/1.1 200 OK\r\nContent-Le".to_vec());
    assert!(matches!(fetched(half, FetchRules::default()).await, Err(FetchError::Reset(_))));
}

#[tokio::test]
async fn a_port_nobody_listens_on_is_a_failed_connection() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    drop(listener);
    let error =
        bench(at, FetchRules::default()).get("http://a.test/", &mut Connection::default()).await.unwrap_err();
    assert_eq!((error.reason(), error.code()), ("connect failed", -2));
}

#[tokio::test]
async fn loopback_is_refused_unless_it_is_allowed() {
    let (at, seen) = serve(vec![say(HELLO)]).await;
    let spool = tempfile::tempdir().unwrap();
    let source = WebSource::new(WebSettings {
        user_agent: "annalist/0".to_owned(),
        from: None,
        rules: FetchRules::default(),
        network: Network { resolve: vec![("a.test".to_owned(), at)], ..Network::default() },
        digest: annalist_model::spec::DigestKind::Sha1,
        spool: spool.path().to_owned(),
        lane: annalist_sources::SlowLane::start().unwrap(),
    })
    .unwrap();
    let url = CanonicalUrl::parse("http://a.test/").unwrap();
    assert!(source.locate(&url, NOW).await.unwrap().address.is_err());
    // Whoever comes by another way is stopped at the dialler.
    let error = source.fetch(&url, at, &mut Connection::default(), None, NOW).await.unwrap_err();
    assert!(matches!(error, FetchError::AddressRefused(_)), "{error}");
    assert_eq!(seen.connections(), 0);
}

#[tokio::test]
async fn cookies_go_back_to_their_site_over_all_connections() {
    let set = "HTTP/1.1 200 OK\r\nSet-Cookie: id=7; Path=/\r\nSet-Cookie: w=1; Domain=a.test\r\nContent-Length: 0\r\n\r\n";
    let (at, seen) = serve(vec![say(set), say(HELLO), say(HELLO), say(HELLO)]).await;
    let bench = bench(at, FetchRules::default());
    for url in ["http://a.test/1", "http://a.test/2", "http://www.a.test/3", "http://b.test/4"] {
        bench.get(url, &mut Connection::default()).await.unwrap();
    }
    let told = |at: usize| String::from_utf8(seen.request(at)).unwrap();
    assert!(!told(0).contains("Cookie"));
    assert!(told(1).contains("\r\nCookie: id=7; w=1\r\n"));
    assert!(told(2).contains("\r\nCookie: w=1\r\n"));
    assert!(!told(3).contains("Cookie"));
}

#[tokio::test]
async fn a_spec_without_cookies_sends_none() {
    let set = "HTTP/1.1 200 OK\r\nSet-Cookie: id=7\r\nContent-Length: 0\r\n\r\n";
    let (at, seen) = serve(vec![say(set), say(HELLO)]).await;
    let bench = bench(at, FetchRules { cookies: false, ..FetchRules::default() });
    for path in ["1", "2"] {
        bench.get(&format!("http://a.test/{path}"), &mut Connection::default()).await.unwrap();
    }
    assert!(!String::from_utf8(seen.request(1)).unwrap().contains("Cookie"));
}

#[tokio::test]
async fn a_large_response_is_spooled_whole() {
    let body: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
    let mut response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    response.extend_from_slice(&body);
    let (at, _) = serve(vec![Act::Say(response.clone())]).await;
    let bench = bench(at, FetchRules { max_read_bytes: 1000, ..FetchRules::default() });
    let mut connection = Connection::default();
    let capture = bench.get("http://a.test/", &mut connection).await.unwrap();
    assert!(matches!(&capture.response, Block::File { length, .. } if *length == response.len() as u64));
    assert!(bytes(&capture) == response);
    assert_eq!(capture.body, body[..1000]);
    assert_eq!(capture.payload_length, 3_000_000);
    assert!(connection.is_open());
    assert_eq!(bench.spooled(), 1);
}

#[tokio::test]
async fn a_fetch_that_is_given_up_leaves_neither_file_nor_half_read_connection() {
    let start = b"HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n".to_vec();
    let (at, _) = serve(vec![Act::SayEndlessly(start, vec![b'x'; 100_000])]).await;
    let bench = bench(at, FetchRules::default());
    let mut connection = Connection::default();
    {
        let fetch = bench.get("http://a.test/", &mut connection);
        tokio::pin!(fetch);
        while bench.spooled() == 0 {
            let step = tokio::time::timeout(std::time::Duration::from_millis(1), &mut fetch).await;
            assert!(step.is_err(), "the fetch ended before it was given up");
        }
    }
    // The slow lane may still be dealing with its last piece.
    let gone = async {
        while bench.spooled() > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), gone).await.unwrap();
    assert!(!connection.is_open());
}

#[test]
fn a_user_agent_that_cannot_be_sent_stops_the_start() {
    let spool = tempfile::tempdir().unwrap();
    let settings = WebSettings {
        user_agent: "a\r\nb".to_owned(),
        from: None,
        rules: FetchRules::default(),
        network: Network::default(),
        digest: annalist_model::spec::DigestKind::Sha1,
        spool: spool.path().to_owned(),
        lane: annalist_sources::SlowLane::start().unwrap(),
    };
    assert!(matches!(WebSource::new(settings), Err(SetupError::FieldText(_))));
}
