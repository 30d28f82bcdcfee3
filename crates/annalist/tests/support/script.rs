//! A server that answers as a test tells it to, one request at a time, and remembers what it was asked.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// One request as the server saw it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub head: String,
    pub at: Instant,
}

/// Answers until it is dropped.
pub struct Script {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Script {
    /// `answer` gets the path and the whole head of a request and gives the bytes to send back.
    pub fn serve(answer: impl Fn(&str, &str) -> String + Send + 'static) -> Script {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, ending) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (log, end) = (Arc::clone(&asked), Arc::clone(&ending));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                talk(stream, &log, &answer);
            }
        });
        Script { address, asked, ending, thread: Some(thread) }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }

    /// How often a path was asked for.
    pub fn times(&self, path: &str) -> usize {
        self.paths().iter().filter(|asked| *asked == path).count()
    }

    /// A spec for `http://a.test/` here, with nothing asked for but its pages.
    pub fn plain_spec(&self) -> String {
        spec(self.address, "apps = false\n[scope]\nsitemaps = false")
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn talk(mut stream: TcpStream, log: &Mutex<Vec<Asked>>, answer: &dyn Fn(&str, &str) -> String) {
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(Asked { path: path.clone(), head: head.clone(), at: Instant::now() });
    let _ = stream.write_all(answer(&path, &head).as_bytes());
}

/// An answer with a body; the connection is closed after it.
pub fn answer(status: &str, fields: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{fields}\r\n{body}")
}

pub fn html(body: &str) -> String {
    answer("200 OK", "Content-Type: text/html\r\n", &format!("<!DOCTYPE html><title>t</title>{body}"))
}

pub fn missing() -> String {
    answer("404 Not Found", "", "")
}

/// A spec for `http://a.test/` on that server.
pub fn spec(address: SocketAddr, more: &str) -> String {
    format!(
        "name = \"script\"\n{more}\n[[seed]]\nurl = \"http://a.test/\"\n[politeness]\nmin_delay = \"0s\"\nmax_delay = \"0s\"\n\
         [fetch]\ntries = 3\nretry_delay = \"300ms\"\n[network]\nallow = [\"127.0.0.0/8\"]\n\
         [network.resolve]\n\"a.test\" = \"{address}\"\n"
    )
}

/// What a name server says when it has no address.
pub const SERVER_FAILURE: u8 = 2;
pub const NO_SUCH_NAME: u8 = 3;

/// A name server on loopback for as long as the test runs: one IPv4 address for each name, or a code that says why not.
pub fn name_server(address_of: impl Fn(&str) -> Result<Ipv4Addr, u8> + Send + 'static) -> SocketAddr {
    const A: u8 = 1;
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let at = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut query = [0; 512];
        while let Ok((_, from)) = socket.recv_from(&mut query) {
            let mut labels = Vec::new();
            let mut next = 12;
            while query[next] > 0 {
                let end = next + 1 + usize::from(query[next]);
                labels.push(String::from_utf8_lossy(&query[next + 1..end]).into_owned());
                next = end;
            }
            let address = address_of(&labels.join("."));
            let code = address.err().unwrap_or(0);
            let address = address.ok().filter(|_| query[next + 2] == A);
            let mut reply = query[..next + 5].to_vec();
            let answers = u8::from(address.is_some());
            reply[2..12].copy_from_slice(&[0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0]);
            if let Some(address) = address {
                reply.extend_from_slice(&[0xc0, 12, 0, A, 0, 1, 0, 0, 1, 44, 0, 4]);
                reply.extend_from_slice(&address.octets());
            }
            let _ = socket.send_to(&reply, from);
        }
    });
    at
}
