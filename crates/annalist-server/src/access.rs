//! Who may ask: tokens, what browsers show of those who gave one, and how often one may try. How a request is looked at is in
//! `guard.rs`, by which names the service is called in `origins.rs`.

mod clients;
mod guard;
mod origins;
mod sessions;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::problem::Problem;
use clients::Clients;
pub use guard::{Frames, guard, guard_replay, own_path};
pub use origins::Origins;
use sessions::{Purpose, Sessions, same};

/// How the cookie is called of a browser that has given the token, and the one for captured pages on another host. Behind it
/// stands the port of the service: to browsers all ports of a host are one, and its services must not log each other out.
const COOKIE: &str = "annalist";
const REPLAY_COOKIE: &str = "annalist-replay";
const SHORTEST_TOKEN: usize = 8;

/// What the service demands of who asks.
#[derive(Clone, Debug)]
pub struct Access {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    origins: Origins,
    token: Option<String>,
    sessions: Sessions,
    clients: Clients,
}

/// Where one listens that others can reach, they need a token.
pub fn check_token(listen: &[SocketAddr], token: Option<&str>) -> Result<(), String> {
    if token.is_some_and(|token| token.len() < SHORTEST_TOKEN) {
        return Err(format!("the token is too short: give at least {SHORTEST_TOKEN} characters"));
    }
    match listen.iter().find(|address| !address.ip().is_loopback()) {
        Some(address) if token.is_none() => Err(format!(
            "{address} can be reached by others: set a token in the environment variable ANNALIST_TOKEN, or listen \
             on 127.0.0.1"
        )),
        _ => Ok(()),
    }
}

impl Access {
    pub fn new(origins: Origins, token: Option<String>) -> Result<Access, String> {
        let (sessions, clients) = (Sessions::new()?, Clients::default());
        Ok(Access { shared: Arc::new(Shared { origins, token, sessions, clients }) })
    }

    pub fn origins(&self) -> &Origins {
        &self.shared.origins
    }

    /// What a form of our own carries.
    pub fn form_token(&self) -> String {
        self.shared.sessions.signature(Purpose::Form, "")
    }

    pub fn is_form_token(&self, given: &str) -> bool {
        same(given, &self.form_token())
    }

    /// Whether a token is asked for at all.
    pub fn needs_token(&self) -> bool {
        self.shared.token.is_some()
    }

    /// The cookie for who has given the right token; how long others have to wait.
    pub fn log_in(&self, given: &str, from: IpAddr, headers: &HeaderMap) -> Result<HeaderValue, Problem> {
        let Some(token) = &self.shared.token else {
            return Err(Problem::conflict("no token is needed here"));
        };
        if !self.shared.clients.may_try(from) {
            return Err(too_many_tries());
        }
        if !same(given, token) {
            self.shared.clients.count_try(from);
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "that is not the token"));
        }
        let id = self.shared.sessions.begin().map_err(|fault| Problem::internal("no session", &fault))?;
        cookie(&format!(
            "{}={}; {}",
            self.named(COOKIE),
            self.shared.sessions.signed(Purpose::Cookie, &id),
            self.manner(headers)
        ))
    }

    /// Forgets who asks, and the cookie that makes its browser forget, too.
    pub fn log_out(&self, headers: &HeaderMap) -> Result<HeaderValue, Problem> {
        if let Some(id) = self.session(headers) {
            self.shared.sessions.end(id);
        }
        cookie(&format!("{}=; Max-Age=0; {}", self.named(COOKIE), self.manner(headers)))
    }

    /// Where the form was sent by TLS, the cookie never goes without. What the form's own page says counts before what the
    /// service was told: its operator may come without TLS from the same machine.
    fn manner(&self, headers: &HeaderMap) -> &'static str {
        let from = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
        match from.map_or(self.origins().is_secure(), |origin| origin.starts_with("https://")) {
            true => "Path=/; HttpOnly; SameSite=Strict; Secure",
            false => "Path=/; HttpOnly; SameSite=Strict",
        }
    }

    /// Lets a browser that has logged in go on to captured pages on another host.
    fn ticket(&self, headers: &HeaderMap) -> Option<String> {
        Some(self.shared.sessions.ticket(self.session(headers)?))
    }

    /// The cookie for who has such a ticket, on the host of captured pages. A frame of another site is sent cookies by TLS only.
    fn enter(&self, ticket: &str, host: &str) -> Option<HeaderValue> {
        let sessions = &self.shared.sessions;
        let value = sessions.signed(Purpose::ReplayCookie, sessions.id_of_ticket(ticket)?);
        let manner = match self.origins().replay_for(host).starts_with("https://") {
            true => "Path=/; HttpOnly; SameSite=None; Secure; Partitioned",
            false => "Path=/; HttpOnly; SameSite=Lax",
        };
        cookie(&format!("{}={value}; {manner}", self.named(REPLAY_COOKIE))).ok()
    }

    fn named(&self, cookie: &str) -> String {
        format!("{cookie}-{}", self.origins().port())
    }

    /// Which session a browser shows that it belongs to.
    fn session<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        cookies(headers, &self.named(COOKIE))
            .find_map(|value| self.shared.sessions.id_of(Purpose::Cookie, value))
    }

    /// Whether who asks has shown that it knows the token; wrong ones are counted, as in the form.
    fn known(&self, headers: &HeaderMap, from: IpAddr) -> Result<bool, Problem> {
        let Some(token) = &self.shared.token else { return Ok(true) };
        // First: who has logged in is let in whatever others tried, who may share its address behind a proxy.
        if self.session(headers).is_some() {
            return Ok(true);
        }
        let bearer =
            headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer_token);
        if let Some(given) = bearer {
            if !self.shared.clients.may_try(from) {
                return Err(too_many_tries());
            }
            if same(given, token) {
                return Ok(true);
            }
            self.shared.clients.count_try(from);
        }
        Ok(false)
    }

    /// The same for captured pages.
    fn known_to_replay(&self, headers: &HeaderMap, from: IpAddr) -> Result<bool, Problem> {
        let (name, sessions) = (self.named(REPLAY_COOKIE), &self.shared.sessions);
        Ok(cookies(headers, &name).any(|value| sessions.id_of(Purpose::ReplayCookie, value).is_some())
            || self.known(headers, from)?)
    }
}

/// The token in `Authorization`. The scheme may be spelled in capitals or not (RFC 9110, section 11.1).
fn bearer_token(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '))
}

fn too_many_tries() -> Problem {
    let why = "too many wrong tokens: wait a minute";
    Problem { retry_after: Some(60), ..Problem::new(StatusCode::TOO_MANY_REQUESTS, why) }
}

/// The values of a cookie.
fn cookies<'h>(headers: &'h HeaderMap, name: &str) -> impl Iterator<Item = &'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|all| all.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(known, _)| *known == name).map(|(_, value)| value)
}

fn cookie(text: &str) -> Result<HeaderValue, Problem> {
    HeaderValue::from_str(text).map_err(|fault| Problem::internal("no cookie", &fault))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Access, Origins, check_token};

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    fn access(origin: Option<&str>) -> Access {
        at_port(80, origin)
    }

    fn at_port(port: u16, origin: Option<&str>) -> Access {
        let at = ([127, 0, 0, 1], port).into();
        let origins = Origins::new(at, at, &[], origin, None).unwrap();
        Access::new(origins, Some("long enough".to_owned())).unwrap()
    }

    /// What a browser sends back of a cookie it was given.
    fn kept(cookie: &HeaderValue) -> String {
        cookie.to_str().unwrap().split(';').next().unwrap().to_owned()
    }

    #[test]
    fn whatever_others_can_reach_needs_a_token() {
        let [own, all] = ["127.0.0.1:80", "0.0.0.0:81"].map(|at| at.parse().unwrap());
        assert!(check_token(&[own, own], None).is_ok());
        for listen in [[all, all], [own, all], [all, own]] {
            assert!(check_token(&listen, None).unwrap_err().contains("ANNALIST_TOKEN"), "{listen:?}");
            assert!(check_token(&listen, Some("short")).unwrap_err().contains("too short"));
            assert!(check_token(&listen, Some("long enough")).is_ok());
        }
    }

    #[test]
    fn others_are_let_in_with_a_token_only() {
        let access = access(None);
        let from = [192, 0, 2, 1].into();
        let known = |given: &HeaderMap| access.known(given, from).unwrap();
        assert!(!known(&headers(&[])));
        assert!(!known(&headers(&[("authorization", "Bearer wrong one")])));
        for scheme in ["Bearer", "bearer", "BEARER"] {
            assert!(known(&headers(&[("authorization", &format!("{scheme} long enough"))])), "{scheme}");
        }
        assert!(!known(&headers(&[("authorization", "Basic long enough")])));
        let pair = kept(&access.log_in("long enough", from, &headers(&[])).unwrap());
        let given = headers(&[("cookie", &format!("a=b; {pair}"))]);
        assert!(known(&given));
        assert!(access.known_to_replay(&given, from).unwrap());
        let gone = access.log_out(&given).unwrap();
        assert!(gone.to_str().unwrap().contains("annalist-80=; Max-Age=0"), "{gone:?}");
        assert!(!known(&given), "a cookie that was kept elsewhere is good for nothing any more");
    }

    #[test]
    fn two_services_on_one_host_do_not_log_each_other_out() {
        let (one, other) = (at_port(8470, None), at_port(8480, None));
        let from = [192, 0, 2, 1].into();
        let mut jar = std::collections::BTreeMap::new();
        for access in [&one, &other] {
            let pair = kept(&access.log_in("long enough", from, &headers(&[])).unwrap());
            let (name, value) = pair.split_once('=').unwrap();
            jar.insert(name.to_owned(), value.to_owned());
        }
        let sent: Vec<String> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let sent = headers(&[("cookie", &sent.join("; "))]);
        assert!(one.known(&sent, from).unwrap() && other.known(&sent, from).unwrap(), "{sent:?}");
    }

    #[test]
    fn a_ticket_opens_captured_pages_and_nothing_else() {
        let access = access(None);
        let from = [192, 0, 2, 1].into();
        assert_eq!(access.ticket(&headers(&[])), None, "for who has logged in only");
        let own = headers(&[("cookie", &kept(&access.log_in("long enough", from, &headers(&[])).unwrap()))]);
        let ticket = access.ticket(&own).unwrap();
        assert_eq!(access.enter("1.2.3", "pages.test"), None);
        let entered = headers(&[("cookie", &kept(&access.enter(&ticket, "pages.test").unwrap()))]);
        assert!(access.known_to_replay(&entered, from).unwrap());
        assert!(!access.known(&entered, from).unwrap());
        access.log_out(&own).unwrap();
        assert!(!access.known_to_replay(&entered, from).unwrap());
        assert_eq!(access.enter(&ticket, "pages.test"), None);
    }

    #[test]
    fn a_cookie_that_came_by_tls_never_goes_without() {
        let is_secure = |access: &Access, pairs: &[(&'static str, &str)]| {
            let cookie = access.log_in("long enough", [192, 0, 2, 1].into(), &headers(pairs)).unwrap();
            cookie.to_str().unwrap().contains("; Secure")
        };
        let (direct, proxied) = (access(None), access(Some("https://archive.test")));
        assert!(is_secure(&proxied, &[("origin", "https://archive.test")]));
        assert!(is_secure(&proxied, &[]));
        assert!(!is_secure(&proxied, &[("origin", "http://localhost:8470")]), "from the machine itself");
        assert!(!is_secure(&direct, &[("origin", "http://archive.test:8470")]));
        assert!(is_secure(&direct, &[("origin", "https://archive.test")]));
    }

    #[test]
    fn tokens_cannot_be_tried_for_ever_in_headers_either() {
        let access = access(None);
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
        // Who has logged in before is not asked to wait, wherever others try from.
        let entered = access.log_in("long enough", [192, 0, 2, 9].into(), &headers(&[])).unwrap();
        let pair = entered.to_str().unwrap().split(';').next().unwrap();
        assert!(access.known(&headers(&[("cookie", pair)]), from).unwrap());
        let both = headers(&[("cookie", pair), ("authorization", "Bearer wrong")]);
        assert!(access.known(&both, from).unwrap());
        assert!(access.known(&right, [192, 0, 2, 2].into()).unwrap(), "others are not concerned");
    }

    #[test]
    fn tokens_cannot_be_tried_for_ever() {
        let access = access(None);
        let from = [192, 0, 2, 1].into();
        let none = headers(&[]);
        let tries: Vec<u16> =
            (0..12).map(|_| access.log_in("wrong", from, &none).unwrap_err().status).collect();
        assert_eq!(tries[..10], [401; 10]);
        assert_eq!(tries[10..], [429; 2]);
        assert!(access.log_in("long enough", from, &none).is_err(), "not even the right one");
        assert!(
            access.log_in("long enough", [192, 0, 2, 2].into(), &none).is_ok(),
            "others are not concerned"
        );
    }
}
