//! Connections: how many there may be at once, and how long each may take. Who sends half a request and waits, or takes
//! nothing of an answer, must not keep others out. What is asked over them is not decided here.

mod bodies;
mod line;
mod room;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use bodies::{Awaited, Held};
use line::Line;
use room::Place;
pub use room::{Room, place_of, raise_open_files};

/// After a connection that could not be taken, the next is waited for so long.
const REST: Duration = Duration::from_millis(50);
const NO_ROOM: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// How long is waited.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the head of a request, from the end of the one before it.
    pub head: Duration,
    /// For the next piece of its body.
    pub piece: Duration,
    /// For all of its body.
    pub body: Duration,
    /// For somebody to take a piece of an answer.
    pub taking: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            head: Duration::from_secs(30),
            piece: Duration::from_secs(30),
            body: Duration::from_secs(600),
            taking: Duration::from_secs(120),
        }
    }
}

/// Answers whoever comes, and never ends.
pub async fn serve(listener: TcpListener, router: Router, room: Room, patience: Patience) -> Infallible {
    loop {
        match listener.accept().await {
            Ok((stream, from)) => match room.enter(from.ip()) {
                Some(place) => {
                    let own = place.clone();
                    let task = tokio::spawn(talk(stream, from, router.clone(), place, patience));
                    own.held_by(task.abort_handle());
                }
                None => drop(tokio::spawn(turn_away(stream, patience))),
            },
            Err(fault) if is_of_one(&fault) => {}
            // Most often there are no files left: somebody who says nothing has to go.
            Err(_) => {
                room.make();
                tokio::time::sleep(REST).await;
            }
        }
    }
}

/// The one who came is gone already, which concerns nobody else.
fn is_of_one(fault: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(fault.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// One connection, to its end.
async fn talk(stream: TcpStream, from: SocketAddr, router: Router, place: Place, patience: Patience) {
    // Small answers go at once.
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let answering = service_fn(|request| answer(request, from, router.clone(), place.clone(), patience));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head);
    let line = TokioIo::new(Line::new(stream, patience.taking));
    // What goes wrong on the way concerns the one who asked, and is gone with the connection.
    let _ = http.serve_connection(line, answering).await;
}

async fn answer(
    request: Request<Incoming>,
    from: SocketAddr,
    router: TowerToHyperService<Router>,
    place: Place,
    patience: Patience,
) -> Result<Response, Infallible> {
    let busy = place.begin();
    let (head, body) = request.into_parts();
    let (body, left) = Awaited::new(body, patience);
    let mut request = Request::from_parts(head, Body::new(body));
    request.extensions_mut().insert(ConnectInfo(from));
    let mut response = router.call(request).await?;
    // What comes next on this connection is not a request: who sent it has to know.
    if !left.read_to_end().await {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| Body::new(Held::new(body, busy))))
}

async fn turn_away(mut stream: TcpStream, patience: Patience) {
    let _ = tokio::time::timeout(patience.taking, stream.write_all(NO_ROOM)).await;
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use axum::Router;
    use axum::routing::{get, post};
    use tokio::net::TcpListener;
    use tokio::runtime::Runtime;

    use super::{Patience, Room, serve};

    const SOON: Duration = Duration::from_millis(200);
    const LATE: Duration = Duration::from_secs(600);
    const NEVER: Patience = Patience { head: LATE, piece: LATE, body: LATE, taking: LATE };

    struct Server {
        address: SocketAddr,
        /// How many ask for what never comes.
        asked: Arc<AtomicUsize>,
        /// It ends with this.
        _runtime: Runtime,
    }

    fn server(room: Room, patience: Patience) -> Server {
        let runtime = Runtime::new().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let never = move || {
            count.fetch_add(1, Ordering::SeqCst);
            std::future::pending::<String>()
        };
        let router = Router::new()
            .route("/", get(|| async { "hello" }))
            .route("/body", post(|body: String| async move { body }))
            .route("/never", get(never))
            .route("/much", get(|| async { "x".repeat(64 << 20) }));
        let address = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            tokio::spawn(serve(listener, router, room, patience));
            address
        });
        Server { address, asked, _runtime: runtime }
    }

    fn begin(address: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    fn rest(mut stream: TcpStream) -> String {
        let mut told = Vec::new();
        // A connection that is cut off may end in a reset: what came before it counts.
        let _ = stream.read_to_end(&mut told);
        String::from_utf8_lossy(&told).into_owned()
    }

    fn asked(address: SocketAddr) -> String {
        rest(begin(address, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
    }

    #[test]
    fn half_a_request_is_not_waited_for_for_ever() {
        let patience = Patience { head: SOON, piece: SOON, ..NEVER };
        let Server { address, _runtime, .. } = server(Room::new(100, 100), patience);
        let told = rest(begin(address, "GET / HTTP/1.1\r\nhost: x"));
        assert!(told.is_empty() || told.contains(" 408 "), "{told}");
        // Between two requests, too.
        let told = rest(begin(address, "GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
        assert!(told.ends_with("hello"), "{told}");
        let told = rest(begin(address, "POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf"));
        assert!(told.contains(" 400 "), "{told}");
        assert!(asked(address).ends_with("hello"));
    }

    #[test]
    fn an_endless_body_has_an_end() {
        let patience = Patience { body: SOON, ..NEVER };
        let Server { address, _runtime, .. } = server(Room::new(100, 100), patience);
        let stream = begin(address, "POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n");
        let mut slow = stream.try_clone().unwrap();
        let dripping = std::thread::spawn(move || {
            while slow.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let mut first = [0; 12];
        (&stream).read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 400");
        drop(stream.shutdown(std::net::Shutdown::Both));
        dripping.join().unwrap();
    }

    #[test]
    fn where_the_rest_of_a_request_is_not_read_its_connection_is_said_to_end() {
        let Server { address, _runtime, .. } = server(Room::new(100, 100), NEVER);
        let get = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        // Nobody reads these, but they are short.
        for body in
            ["content-length: 5\r\n\r\nhello", "transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"]
        {
            let told = rest(begin(address, &format!("POST / HTTP/1.1\r\nhost: x\r\n{body}{get}")));
            assert!(told.contains(" 405 ") && told.ends_with("hello"), "{told}");
        }
        // The first is too long, the second does not come.
        for length in [100_000_000, 100] {
            let head = format!("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
            let told = rest(begin(address, &head));
            assert!(told.contains(" 405 ") && told.contains("connection: close"), "{length}: {told}");
        }
    }

    #[test]
    fn who_takes_nothing_of_an_answer_is_cut_off() {
        let Server { address, _runtime, .. } = server(Room::new(1, 1), Patience { taking: SOON, ..NEVER });
        let idle = begin(address, "GET /much HTTP/1.1\r\nhost: x\r\n\r\n");
        // There is room for one: the next is answered once the first is gone.
        while !asked(address).ends_with("hello") {
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(idle);
    }

    #[test]
    fn who_says_nothing_makes_room_for_who_asks_something() {
        let Server { address, _runtime, .. } = server(Room::new(100, 4), NEVER);
        let silent: Vec<TcpStream> = (0..20).map(|_| begin(address, "GET / HT")).collect();
        for _ in 0..5 {
            assert!(asked(address).ends_with("hello"));
        }
        // The last of them are still there; the first are not.
        assert_eq!(rest(silent.into_iter().next().unwrap()), "");
    }

    #[test]
    fn who_is_being_answered_is_not_put_out() {
        let Server { address, asked: begun, _runtime } = server(Room::new(2, 100), NEVER);
        let busy: Vec<TcpStream> =
            (0..2).map(|_| begin(address, "GET /never HTTP/1.1\r\nhost: x\r\n\r\n")).collect();
        while begun.load(Ordering::SeqCst) < 2 {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(asked(address).contains(" 503 "));
        drop(busy);
        while !asked(address).ends_with("hello") {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
