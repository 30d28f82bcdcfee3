//! Who may ask: names the service answers to, passwords, and what a browser must prove before something is changed.
//!
//! Any web page can make a browser send requests to this machine. So the name in `Host` has to be one of ours (a foreign
//! name that resolves to us is not), a request that changes something must not come from another origin, and a form
//! carries a token that only our own pages know.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use sha2::{Digest, Sha256};

use crate::problem::Problem;

/// The cookie of a browser that has given the token.
const COOKIE: &str = "annalist";
/// Wrong tokens of one address in a minute.
const MOST_TRIES: u32 = 10;
/// Requests of one address in a second, on average, and at once.
const RATE: f64 = 500.0;
const BURST: f64 = 2000.0;
/// Addresses beyond this many are forgotten, the longest silent ones first.
const MANY_CLIENTS: usize = 10_000;
const MINUTE: Duration = Duration::from_secs(60);

/// What the service demands of who asks.
#[derive(Clone, Debug)]
pub struct Access {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Names and addresses in `Host`, without port.
    hosts: Vec<String>,
    token: Option<String>,
    /// Of this process; what it signs ends with it.
    secret: [u8; 32],
    clients: Mutex<HashMap<IpAddr, Client>>,
    /// Where replayed pages come from.
    frames: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Client {
    left: f64,
    seen: Instant,
    tries: u32,
    tries_since: Instant,
}

impl Access {
    /// `listens`: an address that is not loopback needs a token. `hosts`: further names that the service is called by.
    pub fn new(
        listens: SocketAddr,
        hosts: &[String],
        token: Option<String>,
        frames: Option<String>,
    ) -> Result<Access, String> {
        if token.as_ref().is_some_and(|token| token.len() < 8) {
            return Err("the token is too short: give at least 8 characters".to_owned());
        }
        if !listens.ip().is_loopback() && token.is_none() {
            return Err(format!(
                "{listens} can be reached by others: set a token in the environment variable ANNALIST_TOKEN, or \
                 listen on 127.0.0.1"
            ));
        }
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        if !listens.ip().is_unspecified() {
            names.push(match listens.ip() {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(address) => format!("[{address}]"),
            });
        }
        names.extend(hosts.iter().map(|host| host.to_ascii_lowercase()));
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|fault| format!("no random numbers: {fault}"))?;
        let clients = Mutex::default();
        Ok(Access { shared: Arc::new(Shared { hosts: names, token, secret, clients, frames }) })
    }

    /// What a form of our own carries.
    pub fn form_token(&self) -> String {
        self.signed("form")
    }

    pub fn is_form_token(&self, given: &str) -> bool {
        same(given, &self.form_token())
    }

    /// Whether a token is asked for at all.
    pub fn needs_token(&self) -> bool {
        self.shared.token.is_some()
    }

    /// The cookie for who has given the right token; how long others have to wait.
    pub fn log_in(&self, given: &str, from: IpAddr) -> Result<HeaderValue, Problem> {
        let Some(token) = &self.shared.token else {
            return Err(Problem::conflict("no token is needed here"));
        };
        if !self.may_try(from) {
            return Err(too_many_tries());
        }
        if !same(given, token) {
            self.count_try(from);
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "that is not the token"));
        }
        let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", self.signed("cookie"));
        HeaderValue::from_str(&cookie).map_err(|fault| Problem::internal("no cookie", &fault))
    }

    fn signed(&self, purpose: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.shared.secret);
        hash.update(purpose.as_bytes());
        hash.update(self.shared.token.as_deref().unwrap_or_default().as_bytes());
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn may_try(&self, from: IpAddr) -> bool {
        let clients = self.clients();
        clients
            .get(&from)
            .is_none_or(|client| client.tries < MOST_TRIES || client.tries_since.elapsed() > MINUTE)
    }

    /// Somebody gave a wrong token, in a form or in a header.
    fn count_try(&self, from: IpAddr) {
        let mut clients = self.clients();
        let client = clients.entry(from).or_insert_with(Client::new);
        if client.tries_since.elapsed() > MINUTE {
            (client.tries, client.tries_since) = (0, Instant::now());
        }
        client.tries += 1;
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<IpAddr, Client>> {
        self.shared.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one request from what an address may send.
    fn has_room(&self, from: IpAddr) -> bool {
        let mut clients = self.clients();
        if clients.len() > MANY_CLIENTS {
            clients.retain(|_, client| client.seen.elapsed() < MINUTE);
        }
        let client = clients.entry(from).or_insert_with(Client::new);
        let earned = client.seen.elapsed().as_secs_f64() * RATE;
        client.left = (client.left + earned).min(BURST);
        client.seen = Instant::now();
        if client.left < 1.0 {
            return false;
        }
        client.left -= 1.0;
        true
    }

    fn answers_to(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() => name,
            _ => host,
        };
        let name = name.to_ascii_lowercase();
        self.shared.hosts.contains(&name)
    }

    /// Whether who asks has shown that it knows the token; wrong ones are counted, as in the form.
    fn known(&self, headers: &HeaderMap, from: IpAddr) -> Result<bool, Problem> {
        let Some(token) = &self.shared.token else { return Ok(true) };
        let bearer = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "));
        if let Some(given) = bearer {
            if !self.may_try(from) {
                return Err(too_many_tries());
            }
            if same(given, token) {
                return Ok(true);
            }
            self.count_try(from);
        }
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|all| all.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let expected = self.signed("cookie");
        Ok(pairs.any(|(name, value)| name == COOKIE && same(value, &expected)))
    }
}

impl Client {
    fn new() -> Client {
        Client { left: BURST, seen: Instant::now(), tries: 0, tries_since: Instant::now() }
    }
}

fn too_many_tries() -> Problem {
    let why = "too many wrong tokens: wait a minute";
    Problem { retry_after: Some(60), ..Problem::new(StatusCode::TOO_MANY_REQUESTS, why) }
}

/// There is room again a moment later.
fn too_many_requests() -> Problem {
    let why = "too many requests: slow down";
    Problem { retry_after: Some(1), ..Problem::new(StatusCode::TOO_MANY_REQUESTS, why) }
}

/// Takes the same time wherever they differ.
fn same(given: &str, expected: &str) -> bool {
    let (given, expected) = (Sha256::digest(given.as_bytes()), Sha256::digest(expected.as_bytes()));
    given.iter().zip(expected.iter()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// Whether another origin made the browser send this.
fn is_foreign(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()) else {
        return headers.contains_key(header::ORIGIN);
    };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let own = origin.split_once("://").map(|(_, rest)| rest);
    own.is_none_or(|own| !own.eq_ignore_ascii_case(host))
}

/// Paths that are shown to who has not logged in.
fn is_open(path: &str) -> bool {
    path == "/login" || path.starts_with("/static/")
}

/// The same for captured pages. Their headers are the archive's own: they keep what it holds inside.
pub async fn guard_replay(State(access): State<Access>, request: Request, next: Next) -> Response {
    if !access.answers_to(request.headers()) {
        let why = "this archive is not known by that name: start the service with --host NAME to allow it";
        return Problem::new(StatusCode::MISDIRECTED_REQUEST, why).into_response();
    }
    if !access.has_room(client(&request)) {
        return too_many_requests().into_response();
    }
    match access.known(request.headers(), client(&request)) {
        Err(problem) => problem.into_response(),
        Ok(true) => next.run(request).await,
        Ok(false) => {
            let why = "log in to the service first, or give the token: Authorization: Bearer TOKEN";
            Problem::new(StatusCode::UNAUTHORIZED, why).into_response()
        }
    }
}

fn client(request: &Request) -> IpAddr {
    let info = request.extensions().get::<ConnectInfo<SocketAddr>>();
    info.map_or(IpAddr::from([127, 0, 0, 1]), |info| info.0.ip())
}

/// Lets a request through, or says why not; every answer leaves with the headers that keep a browser safe.
pub async fn guard(State(access): State<Access>, request: Request, next: Next) -> Response {
    let from = client(&request);
    let headers = request.headers();
    let path = request.uri().path();
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let refused = if !access.answers_to(headers) {
        let why = "this service is not known by that name: start it with --host NAME to allow it";
        Some(Problem::new(StatusCode::MISDIRECTED_REQUEST, why).into_response())
    } else if !access.has_room(from) {
        Some(too_many_requests().into_response())
    } else if changes && is_foreign(headers) {
        let why = "changes are made from this service's own pages, or by programs";
        Some(Problem::new(StatusCode::FORBIDDEN, why).into_response())
    } else if is_open(path) {
        None
    } else {
        match access.known(headers, from) {
            Ok(true) => None,
            Err(problem) => Some(problem.into_response()),
            Ok(false) if !path.starts_with("/api/") && path != "/metrics" && !changes => {
                Some(Redirect::to("/login").into_response())
            }
            Ok(false) => {
                let why = "give the token: Authorization: Bearer TOKEN";
                Some(Problem::new(StatusCode::UNAUTHORIZED, why).into_response())
            }
        }
    };
    let mut response = match refused {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    protect(response.headers_mut(), access.shared.frames.as_deref());
    response
}

/// Nothing runs in our pages but our own script, and nobody else shows them.
fn protect(headers: &mut HeaderMap, frames: Option<&str>) {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         form-action 'self'; frame-src {}; frame-ancestors 'none'; base-uri 'none'",
        frames.unwrap_or("'none'")
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Access, is_foreign};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    fn access(listens: &str, token: Option<&str>) -> Result<Access, String> {
        Access::new(listens.parse().unwrap(), &["box.test".to_owned()], token.map(str::to_owned), None)
    }

    #[test]
    fn others_are_let_in_with_a_token_only() {
        assert!(access("127.0.0.1:80", None).is_ok());
        assert!(access("0.0.0.0:80", None).unwrap_err().contains("ANNALIST_TOKEN"));
        assert!(access("0.0.0.0:80", Some("short")).is_err());
        let access = access("0.0.0.0:80", Some("long enough")).unwrap();
        let known = |given: &HeaderMap| access.known(given, [192, 0, 2, 1].into()).unwrap();
        assert!(!known(&headers(&[])));
        assert!(!known(&headers(&[("authorization", "Bearer wrong one")])));
        assert!(known(&headers(&[("authorization", "Bearer long enough")])));
        let cookie = access.log_in("long enough", [192, 0, 2, 1].into()).unwrap();
        let pair = cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
        let mut given = HeaderMap::new();
        given.insert("cookie", HeaderValue::from_str(&format!("a=b; {pair}")).unwrap());
        assert!(known(&given));
    }

    #[test]
    fn tokens_cannot_be_tried_for_ever_in_headers_either() {
        let access = access("0.0.0.0:80", Some("long enough")).unwrap();
        let from = [192, 0, 2, 1].into();
        let (wrong, right) = (
            headers(&[("authorization", "Bearer wrong")]),
            headers(&[("authorization", "Bearer long enough")]),
        );
        for _ in 0..20 {
            assert!(access.known(&right, from).unwrap(), "the right one is no try");
        }
        let tries: Vec<_> =
            (0..12).map(|_| access.known(&wrong, from).map_err(|problem| problem.status)).collect();
        assert_eq!(tries[..10], vec![Ok(false); 10]);
        assert_eq!(tries[10..], [Err(429), Err(429)]);
        assert_eq!(access.known(&right, from).unwrap_err().status, 429, "not even the right one");
        assert!(!access.known(&headers(&[]), from).unwrap(), "the door is still shown");
        assert!(access.known(&right, [192, 0, 2, 2].into()).unwrap(), "others are not concerned");
    }

    #[test]
    fn tokens_cannot_be_tried_for_ever() {
        let access = access("0.0.0.0:80", Some("long enough")).unwrap();
        let from = [192, 0, 2, 1].into();
        let tries: Vec<u16> = (0..12).map(|_| access.log_in("wrong", from).unwrap_err().status).collect();
        assert_eq!(tries[..10], [401; 10]);
        assert_eq!(tries[10..], [429; 2]);
        assert!(access.log_in("long enough", from).is_err(), "not even the right one");
        assert!(access.log_in("long enough", [192, 0, 2, 2].into()).is_ok(), "others are not concerned");
    }

    #[test]
    fn a_foreign_name_that_leads_here_is_not_answered() {
        let access = access("127.0.0.1:80", None).unwrap();
        for good in ["localhost:8080", "127.0.0.1", "[::1]:80", "box.test", "BOX.test:1"] {
            assert!(access.answers_to(&headers(&[("host", good)])), "{good}");
        }
        for bad in ["evil.test", "localhost.evil.test:80", "", "127.0.0.1.evil.test"] {
            assert!(!access.answers_to(&headers(&[("host", bad)])), "{bad}");
        }
    }

    #[test]
    fn a_change_that_another_page_asks_for_is_foreign() {
        let foreign = |pairs| is_foreign(&headers(pairs));
        assert!(!foreign(&[("host", "localhost:80")]), "a program");
        assert!(!foreign(&[("host", "localhost:80"), ("origin", "http://localhost:80")]));
        assert!(foreign(&[("host", "localhost:80"), ("origin", "http://evil.test")]));
        assert!(foreign(&[("host", "localhost:80"), ("origin", "null")]));
        assert!(foreign(&[("host", "localhost:80"), ("sec-fetch-site", "cross-site")]));
        assert!(!foreign(&[("host", "localhost:80"), ("sec-fetch-site", "same-origin")]));
    }
}
