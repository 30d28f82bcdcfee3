//! A server on loopback that says exactly the bytes it is told to say, and remembers those it was told.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use annalist_model::spec::{DigestKind, FetchRules, Network};
use annalist_model::{Block, CanonicalUrl, Capture, Time};
use annalist_sources::{Connection, FetchError, WebSettings, WebSource};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;

pub(crate) const NOW: Time = Time::from_millis(1_794_776_361_123);

/// What the server does for one request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Says this and waits for the next request.
    Say(Vec<u8>),
    /// Says this and closes.
    SayAndClose(Vec<u8>),
    /// Says this and then nothing, for ever.
    SayAndHang(Vec<u8>),
    /// Says the first and then the second again and again.
    SayEndlessly(Vec<u8>, Vec<u8>),
    /// Says the first, then the second byte by byte with a pause after each.
    Drip(Vec<u8>, Vec<u8>),
    /// Closes without a word.
    Close,
}

pub(crate) fn say(text: &str) -> Act {
    Act::Say(text.as_bytes().to_vec())
}

#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) requests: Mutex<Vec<Vec<u8>>>,
    pub(crate) connections: AtomicUsize,
}

impl Seen {
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn request(&self, at: usize) -> Vec<u8> {
        self.requests.lock().unwrap()[at].clone()
    }
}

/// Plays the acts in order, over as many connections as it takes; after the last it closes at every request.
pub(crate) async fn serve(acts: Vec<Act>) -> (SocketAddr, Arc<Seen>) {
    serve_on(acts, None).await
}

pub(crate) async fn serve_on(
    acts: Vec<Act>,
    tls: Option<tokio_rustls::TlsAcceptor>,
) -> (SocketAddr, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let seen = Arc::new(Seen::default());
    let watched = Arc::clone(&seen);
    let acts = Arc::new(Mutex::new(acts.into_iter()));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            watched.connections.fetch_add(1, Ordering::SeqCst);
            let (acts, seen) = (Arc::clone(&acts), Arc::clone(&watched));
            match tls.clone() {
                None => drop(tokio::spawn(play(stream, acts, seen))),
                Some(acceptor) => drop(tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        play(stream, acts, seen).await;
                    }
                })),
            }
        }
    });
    (at, seen)
}

async fn play<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    acts: Arc<Mutex<std::vec::IntoIter<Act>>>,
    seen: Arc<Seen>,
) {
    loop {
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) => request.push(byte),
                Err(_) => return,
            }
        }
        let act = acts.lock().unwrap().next().unwrap_or(Act::Close);
        if !matches!(act, Act::Close) {
            seen.requests.lock().unwrap().push(request);
        }
        match act {
            Act::Say(text) => stream.write_all(&text).await.unwrap(),
            Act::SayAndClose(text) => {
                stream.write_all(&text).await.unwrap();
                let _ = stream.shutdown().await;
                return;
            }
            Act::SayAndHang(text) => {
                stream.write_all(&text).await.unwrap();
                std::future::pending::<()>().await;
            }
            Act::SayEndlessly(first, again) => {
                stream.write_all(&first).await.unwrap();
                while stream.write_all(&again).await.is_ok() {}
                return;
            }
            Act::Drip(first, rest) => {
                stream.write_all(&first).await.unwrap();
                for byte in rest.iter().cycle() {
                    if stream.write_u8(*byte).await.is_err() {
                        return;
                    }
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
            }
            Act::Close => return,
        }
    }
}

/// A source that may go to loopback, where all names live.
pub(crate) struct Bench {
    pub(crate) source: WebSource,
    pub(crate) spool: tempfile::TempDir,
    pub(crate) at: SocketAddr,
}

pub(crate) fn bench(at: SocketAddr, rules: FetchRules) -> Bench {
    let spool = tempfile::tempdir().unwrap();
    let names = ["a.test", "b.test", "www.a.test"];
    let network = Network {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        resolve: names.iter().map(|name| ((*name).to_owned(), at)).collect(),
        dns_servers: vec![],
    };
    let source = WebSource::new(WebSettings {
        user_agent: "annalist/0 (+http://library.test/)".to_owned(),
        from: None,
        rules,
        network,
        digest: DigestKind::Sha1,
        spool: spool.path().to_owned(),
        lane: annalist_sources::SlowLane::start().unwrap(),
    })
    .unwrap();
    Bench { source, spool, at }
}

impl Bench {
    pub(crate) async fn get(&self, url: &str, connection: &mut Connection) -> Result<Capture, FetchError> {
        let url = CanonicalUrl::parse(url).unwrap();
        let located = self.source.locate(&url, NOW).await?;
        assert_eq!(located.address, Ok(self.at));
        self.source.fetch(&url, self.at, connection, None, NOW).await
    }

    pub(crate) fn spooled(&self) -> usize {
        std::fs::read_dir(self.spool.path()).unwrap().count()
    }
}

/// The one capture of a server that plays one act.
pub(crate) async fn fetched(act: Act, rules: FetchRules) -> Result<Capture, FetchError> {
    let (at, _) = serve(vec![act]).await;
    bench(at, rules).get("http://a.test/", &mut Connection::default()).await
}

pub(crate) fn bytes(capture: &Capture) -> Vec<u8> {
    match &capture.response {
        Block::Memory(bytes) => bytes.clone(),
        Block::File { path, .. } => std::fs::read(path).unwrap(),
    }
}
