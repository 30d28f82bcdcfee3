//! TLS: what is recorded is the plain text, and a bad certificate is archived with its fault or refused.

use std::sync::Arc;

use annalist_model::spec::{BadCertificates, FetchRules};
use annalist_sources::{Connection, FetchError};
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

use crate::server::{Act, bench, bytes, say, serve_on};

const HELLO: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// A server with a certificate that nobody vouches for.
fn self_signed() -> Option<TlsAcceptor> {
    let pair = rcgen::generate_simple_self_signed(vec!["a.test".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(pair.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![pair.cert.der().clone()], key)
        .unwrap();
    Some(TlsAcceptor::from(Arc::new(config)))
}

#[tokio::test]
async fn a_bad_certificate_is_archived_with_its_fault() {
    let (at, seen) = serve_on(vec![say(HELLO); 2], self_signed()).await;
    let bench = bench(at, FetchRules { bad_certificates: BadCertificates::Archive, ..FetchRules::default() });
    let mut connection = Connection::default();
    for path in ["1", "2"] {
        let capture = bench.get(&format!("https://a.test/{path}"), &mut connection).await.unwrap();
        assert_eq!(bytes(&capture), HELLO.as_bytes());
        assert!(capture.certificate_fault.unwrap().contains("certificate"));
    }
    assert_eq!(seen.connections(), 1);
    assert!(seen.request(0).starts_with(b"GET /1 HTTP/1.1\r\nHost: a.test\r\n"));
}

#[tokio::test]
async fn a_bad_certificate_is_refused_where_the_spec_says_so() {
    let (at, seen) = serve_on(vec![say(HELLO)], self_signed()).await;
    let rules = FetchRules { bad_certificates: BadCertificates::Refuse, ..FetchRules::default() };
    let bench = bench(at, rules.clone());
    let error = bench.get("https://a.test/", &mut Connection::default()).await.unwrap_err();
    assert!(matches!(error, FetchError::Certificate(_)), "{error}");
    assert_eq!(error.retry_in(1, &rules), None);
    assert!(seen.requests.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_body_that_ends_with_the_connection_is_whole_over_tls_too() {
    let text = b"HTTP/1.1 200 OK\r\n\r\nto the end".to_vec();
    let (at, _) = serve_on(vec![Act::SayAndClose(text.clone())], self_signed()).await;
    let bench = bench(at, FetchRules::default());
    let capture = bench.get("https://a.test/", &mut Connection::default()).await.unwrap();
    assert_eq!((bytes(&capture), capture.truncated), (text, None));
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_a_tls_failure() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        std::future::pending::<()>().await;
    });
    let bench = bench(at, FetchRules::default());
    let error = bench.get("https://a.test/", &mut Connection::default()).await.unwrap_err();
    assert!(matches!(error, FetchError::Tls(_)), "{error}");
}
