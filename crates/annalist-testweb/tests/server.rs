//! The web over sockets: connections, hazards, the log, and the program's files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use annalist_testweb::{By, Hazard, Log, ServerOptions, TestWeb, WorldConfig};

fn small(hazards: &[Hazard]) -> WorldConfig {
    WorldConfig { hosts: 5, pages: 60, addresses: 3, hazards: hazards.to_vec(), ..WorldConfig::default() }
}

fn start(hazards: &[Hazard]) -> TestWeb {
    TestWeb::start(small(hazards), ServerOptions::default()).unwrap()
}

fn host_of(web: &TestWeb, hazard: Hazard) -> (String, SocketAddr) {
    web.resolve_table().into_iter().find(|(host, _)| host.starts_with(hazard.name())).unwrap()
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn ask(stream: &mut TcpStream, host: &str, target: &str) {
    write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: prober/1\r\n\r\n").unwrap();
}

/// One answer with a Content-Length or in chunks: its head and its body.
fn receive(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(byte(stream));
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse::<usize>().ok());
    let body = match length {
        Some(length) => exactly(stream, length),
        None => chunks(stream),
    };
    (head, body)
}

fn byte(stream: &mut TcpStream) -> u8 {
    exactly(stream, 1)[0]
}

fn exactly(stream: &mut TcpStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).unwrap();
    bytes
}

fn chunks(stream: &mut TcpStream) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(byte(stream));
        }
        let length = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim(), 16).unwrap();
        body.extend(exactly(stream, length));
        assert_eq!(exactly(stream, 2), b"\r\n");
        if length == 0 {
            return body;
        }
    }
}

/// Everything until the end of the connection, and whether it ended in order.
fn rest(stream: &mut TcpStream) -> (Vec<u8>, std::io::Result<usize>) {
    let mut bytes = Vec::new();
    let outcome = stream.read_to_end(&mut bytes);
    (bytes, outcome)
}

/// The log has a request only when its end is known to the server.
fn log_with(web: &TestWeb, entries: usize) -> Log {
    for _ in 0..2_000 {
        if web.log().entries.len() >= entries {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    web.log()
}

#[test]
fn one_connection_serves_many_requests_in_order() {
    let web = start(&[]);
    let pages: Vec<_> = web.world().truth().pages().filter(|page| page.kind.is_document()).take(12).collect();
    let mut stream = connect(web.first_address());
    // All at once: a server that mixes up pipelined requests would show it here.
    for page in &pages {
        ask(&mut stream, &page.host, &page.path);
    }
    for page in &pages {
        let (head, body) = receive(&mut stream);
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        let request = annalist_testweb::Request::get(&page.host, &page.path);
        assert_eq!(body, web.world().answer(&request).response().unwrap().body, "{}", page.url);
    }
    drop(stream);
    let log = log_with(&web, pages.len());
    assert_eq!(log.entries.len(), pages.len());
    assert!(log.entries.iter().all(|entry| entry.connection == log.entries[0].connection));
    assert!(log.entries.iter().all(|entry| entry.status == 200 && entry.user_agent == "prober/1"));
    assert_eq!(log.overlaps(By::Address).len(), 0);
    assert_eq!(web.most_connections(), 1);
}

#[test]
fn a_client_that_asks_to_close_and_one_that_asks_for_the_head_get_that() {
    let web = start(&[]);
    let host = web.world().hosts()[0].name.clone();
    let mut stream = connect(web.first_address());
    write!(stream, "HEAD / HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    write!(stream, "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\n\r\nabc").unwrap();
    write!(stream, "GET /css/main.css HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let (bytes, outcome) = rest(&mut stream);
    let text = String::from_utf8_lossy(&bytes);
    assert!(outcome.is_ok());
    let statuses: Vec<&str> = text.matches("HTTP/1.1 200").chain(text.matches("HTTP/1.1 405")).collect();
    assert_eq!(statuses.len(), 3, "{text}");
    assert!(!text.contains("<html"), "a body for HEAD");
}

#[test]
fn requests_under_way_at_once_are_seen_in_the_log() {
    let options = ServerOptions { latency: Duration::from_millis(300), ..ServerOptions::default() };
    let web = TestWeb::start(small(&[]), options).unwrap();
    let (host, address) = web.resolve_table().remove(0);
    let mut streams = [connect(address), connect(address)];
    for stream in &mut streams {
        ask(stream, &host, "/");
    }
    for stream in &mut streams {
        receive(stream);
    }
    let log = log_with(&web, 2);
    assert_eq!(log.overlaps(By::Address).len(), 1);
    assert_eq!(log.overlaps(By::Site).len(), 1);
    assert_eq!(log.soonest_gap(By::Address), Some(Duration::ZERO));
    assert_eq!(web.most_connections(), 2);
}

#[test]
fn a_request_ends_when_its_client_goes() {
    let web = start(&[Hazard::Silent]);
    let (host, address) = host_of(&web, Hazard::Silent);
    let mut stream = connect(address);
    ask(&mut stream, &host, "/");
    drop(stream);
    let log = log_with(&web, 1);
    assert_eq!(log.entries[0].status, 0);
    assert_eq!(log.entries[0].address, address);
}

#[test]
fn hosts_share_loopback_addresses_and_hazards_have_their_own() {
    let web = start(&[Hazard::Tarpit, Hazard::Bomb]);
    let table = web.resolve_table();
    assert_eq!(table.len(), web.world().hosts().len());
    for (host, address) in &table {
        let network = if web.world().host(host).unwrap().is_healthy() { "127.1." } else { "127.2." };
        assert!(address.to_string().starts_with(network), "{host} {address}");
        assert_eq!(address.port(), web.port());
        connect(*address);
    }
}

#[test]
fn a_tarpit_drips_and_an_endless_body_flows() {
    let options = ServerOptions { drip: Duration::from_millis(1), ..ServerOptions::default() };
    let web = TestWeb::start(small(&[Hazard::Tarpit, Hazard::EndlessBody]), options).unwrap();
    let (host, address) = host_of(&web, Hazard::Tarpit);
    let mut stream = connect(address);
    ask(&mut stream, &host, "/");
    assert!(String::from_utf8_lossy(&exactly(&mut stream, 100)).ends_with("..."));
    let (host, address) = host_of(&web, Hazard::EndlessBody);
    let mut stream = connect(address);
    ask(&mut stream, &host, "/");
    exactly(&mut stream, 500_000);
}

#[test]
fn lengths_are_wrong_in_both_directions() {
    let web = start(&[Hazard::WrongLength]);
    let (host, address) = host_of(&web, Hazard::WrongLength);
    let declared_and_sent = |target: &str| {
        let mut stream = connect(address);
        ask(&mut stream, &host, target);
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let (bytes, _) = rest(&mut stream);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length =
            head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse::<usize>().ok());
        (length.unwrap(), body.len())
    };
    let (declared, sent) = declared_and_sent("/more.html");
    assert!(declared > sent);
    let (declared, sent) = declared_and_sent("/less.html");
    assert!(declared < sent);
}

#[test]
fn resets_are_seen_as_errors() {
    let web = start(&[Hazard::Reset]);
    let (host, address) = host_of(&web, Hazard::Reset);
    for (target, received) in [("/at-once.html", 0), ("/in-head.html", 1), ("/in-body.html", 60)] {
        let mut stream = connect(address);
        ask(&mut stream, &host, target);
        let mut bytes = vec![0; received];
        // What came before the reset may be lost with it.
        let came = stream.read_exact(&mut bytes);
        let (_, outcome) = rest(&mut stream);
        assert!(came.is_err() || outcome.is_err(), "{target}");
    }
}

#[test]
fn a_bomb_is_small_on_the_wire() {
    let web = start(&[Hazard::Bomb]);
    let (host, address) = host_of(&web, Hazard::Bomb);
    let mut stream = connect(address);
    ask(&mut stream, &host, "/bomb.html");
    let (head, body) = receive(&mut stream);
    assert!(head.contains("Content-Encoding: gzip"));
    assert!(body.len() < 2 << 20, "{}", body.len());
    let length = u32::from_le_bytes(body[body.len() - 4..].try_into().unwrap());
    assert_eq!(length, 256 << 20);
}

#[test]
fn traps_answer_every_step_of_the_way() {
    let traps = [
        (Hazard::Calendar, "/calendar/2999/12/", "/calendar/3000/1/"),
        (Hazard::GrowingPath, "/more/deeper/", "href=\"more/\""),
        (Hazard::RedirectLoop, "/hop/7", "Location: /hop/8"),
        (Hazard::RedirectLoop, "/self", "Location: /self"),
        (Hazard::DeepNesting, "/lists.html", "<ul><li><ul><li><ul><li>"),
        (Hazard::CookieFlood, "/", "Set-Cookie: c"),
        (Hazard::DeadRobots, "/robots.txt", "HTTP/1.1 503"),
        (Hazard::RobotsRedirect, "/robots.txt", "Location: /robots/1"),
        (Hazard::RobotsRedirect, "/robots/4", "Disallow: /page-3"),
        (Hazard::HugeRobots, "/robots.txt", "Disallow: /page-3"),
        (Hazard::BrokenCharset, "/latin-as-utf8.html", "charset=utf-8"),
        (Hazard::HeaderFlood, "/many.html", "X-Flood-4999"),
    ];
    let web = start(&traps.map(|(hazard, _, _)| hazard));
    for (hazard, target, expected) in traps {
        let (host, address) = host_of(&web, hazard);
        let mut stream = connect(address);
        ask(&mut stream, &host, target);
        let (head, body) = receive(&mut stream);
        let text = head + &String::from_utf8_lossy(&body);
        assert!(text.contains(expected), "{hazard:?} {target}: {}", &text[..text.len().min(400)]);
    }
}

#[test]
fn session_ids_change_with_every_visit_and_too_many_relents() {
    let web = start(&[Hazard::SessionIds, Hazard::TooMany]);
    let (host, address) = host_of(&web, Hazard::SessionIds);
    let mut stream = connect(address);
    let mut visit = |target: &str| {
        ask(&mut stream, &host, target);
        receive(&mut stream)
    };
    assert_ne!(visit("/").1, visit("/").1);
    let (host, address) = host_of(&web, Hazard::TooMany);
    let mut stream = connect(address);
    let heads: Vec<String> = (0..4)
        .map(|_| {
            ask(&mut stream, &host, "/page-1");
            receive(&mut stream).0
        })
        .collect();
    assert!(heads[0].starts_with("HTTP/1.1 200") && heads[3].starts_with("HTTP/1.1 200"));
    assert!(heads[1].starts_with("HTTP/1.1 429") && heads[1].contains("Retry-After: 1"));
    assert!(heads[2].starts_with("HTTP/1.1 503") && heads[2].contains("Retry-After: 2"));
}

#[test]
fn a_flaky_page_is_there_at_the_third_attempt() {
    let config = WorldConfig { flaky: 1.0, ..small(&[]) };
    let web = TestWeb::start(config, ServerOptions::default()).unwrap();
    let truth = web.world().truth();
    let refused = truth.pages().filter(|page| page.kind.is_content()).find(|page| {
        let answer = web.world().answer(&annalist_testweb::Request::get(&page.host, &page.path));
        answer.response().is_some_and(|response| response.status == 503)
    });
    let page = refused.unwrap();
    let mut stream = connect(web.first_address());
    for status in ["503", "503", "200", "200"] {
        ask(&mut stream, &page.host, &page.path);
        let (head, _) = receive(&mut stream);
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
    }
}

#[test]
fn the_log_file_holds_what_the_log_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.jsonl");
    let options = ServerOptions { log_file: Some(path.clone()), ..ServerOptions::default() };
    let mut web = TestWeb::start(small(&[]), options).unwrap();
    let host = web.world().hosts()[0].name.clone();
    let mut stream = connect(web.first_address());
    for target in ["/", "/robots.txt", "/nothing"] {
        ask(&mut stream, &host, target);
        receive(&mut stream);
    }
    let log = log_with(&web, 3);
    web.stop();
    assert_eq!(Log::from_jsonl(&std::fs::read_to_string(path).unwrap()).entries, log.entries);
    assert_eq!(log.entries[2].status, 404);
}

#[test]
fn a_stopped_web_frees_its_port() {
    let mut web = start(&[]);
    let (port, address) = (web.port(), web.first_address());
    let mut stream = connect(address);
    web.stop();
    assert!(TcpStream::connect(address).is_err());
    assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)));
    let again = TestWeb::start(small(&[]), ServerOptions { port, ..ServerOptions::default() }).unwrap();
    connect(again.first_address());
}

#[tokio::test]
async fn a_web_can_be_started_and_dropped_inside_of_a_runtime() {
    let web = start(&[]);
    tokio::net::TcpStream::connect(web.first_address()).await.unwrap();
    drop(web);
}

#[test]
fn the_spec_lists_all_seeds_and_hosts() {
    let web = start(&[Hazard::Calendar]);
    let spec = web.spec_toml();
    assert_eq!(spec.matches("[[seed]]").count(), web.world().seeds().len());
    assert!(spec.contains("allow = [\"127.0.0.0/8\"]"));
    assert!(spec.contains("site_pages = "), "a trap without end needs a limit");
    for (host, address) in web.resolve_table() {
        assert!(spec.contains(&format!("\"{host}\" = \"{address}\"\n")));
    }
    assert!(spec.ends_with(&web.network_toml()));
}
