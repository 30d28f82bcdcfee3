//! Every request is looked at before anything is done with it, and every answer leaves with the headers that keep a browser
//! safe.
//!
//! Any web page can make a browser send requests to this machine. So the name in `Host` has to be one of ours (a foreign
//! name that resolves to us is not), a request that changes something must not come from another origin, and a form
//! carries a token that only our own pages know.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use form_urlencoded::{byte_serialize, parse};
use maud::{DOCTYPE, html};

use super::Access;
use super::origins::{Origins, host};
use crate::cockpit::Failed;
use crate::problem::Problem;
use crate::serve::App;

/// Where captured pages on another host let people in who have a ticket. No crawl is called like this.
const ENTER: &str = "/.enter";

/// There is room again a moment later.
fn too_many_requests() -> Problem {
    let why = "too many requests: slow down";
    Problem { retry_after: Some(1), ..Problem::new(StatusCode::TOO_MANY_REQUESTS, why) }
}

/// Whether another origin made the browser send this.
fn is_foreign(headers: &HeaderMap, origins: &Origins) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    !origin.to_str().is_ok_and(|origin| origins.is_own(origin, host(headers)))
}

/// Paths that are shown to who has not logged in.
fn is_open(path: &str) -> bool {
    path == "/login" || path.starts_with("/static/")
}

/// Paths that programs ask.
fn is_for_programs(path: &str) -> bool {
    path.starts_with("/api/") || path == "/metrics"
}

fn client(request: &Request) -> IpAddr {
    let info = request.extensions().get::<ConnectInfo<SocketAddr>>();
    info.map_or(IpAddr::from([127, 0, 0, 1]), |info| info.0.ip())
}

/// Lets a request through, or says why not: to people with a page, to programs as they read it.
pub async fn guard(State(access): State<Access>, request: Request, next: Next) -> Response {
    let frames = access.origins().answers_to(host(request.headers()));
    let frames = frames.then(|| access.origins().replay_for(host(request.headers())));
    let mut response = match refused(&access, &request) {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    protect(response.headers_mut(), frames.as_deref());
    response
}

fn refused(access: &Access, request: &Request) -> Option<Response> {
    let from = client(request);
    let headers = request.headers();
    let path = request.uri().path();
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let problem = if !access.origins().answers_to(host(headers)) {
        let why = "this service is not known by that name: start it with --host NAME to allow it";
        Problem::new(StatusCode::MISDIRECTED_REQUEST, why)
    } else if !access.shared.clients.has_room(from) {
        too_many_requests()
    } else if let Some(origin) =
        access.origins().nameable_for(host(headers)).filter(|_| !changes && !is_for_programs(path))
    {
        let wanted = request.uri().path_and_query().map_or("/", |wanted| wanted.as_str());
        return Some(Redirect::temporary(&format!("{origin}{wanted}")).into_response());
    } else if changes && is_foreign(headers, access.origins()) {
        let why = "changes are made from this service's own pages, or by programs";
        Problem::new(StatusCode::FORBIDDEN, why)
    } else if is_open(path) {
        return None;
    } else {
        match access.known(headers, from) {
            Ok(true) => return None,
            Err(problem) => problem,
            Ok(false) if !is_for_programs(path) && !changes => {
                return Some(Redirect::to(&door(request)).into_response());
            }
            Ok(false) if !is_for_programs(path) => {
                let why = "you are not logged in, or not any more: go to /login, and send the form once more";
                Problem::new(StatusCode::UNAUTHORIZED, why)
            }
            Ok(false) => {
                let why = "give the token: Authorization: Bearer TOKEN";
                Problem::new(StatusCode::UNAUTHORIZED, why)
            }
        }
    };
    Some(if is_for_programs(path) { problem.into_response() } else { Failed(problem).into_response() })
}

/// The door, and behind it what was asked for.
fn door(request: &Request) -> String {
    let wanted = request.uri().path_and_query().map_or("/", |wanted| wanted.as_str());
    if wanted == "/" {
        return "/login".to_owned();
    }
    let wanted: String = byte_serialize(wanted.as_bytes()).collect();
    format!("/login?to={wanted}")
}

/// Where somebody is sent on to: a path of this very origin, whatever was sent along.
pub fn own_path(given: &str) -> &str {
    let is_plain = given.bytes().all(|b| b > b' ' && b < 0x7f && b != b'\\');
    if is_plain && given.starts_with('/') && !given.starts_with("//") { given } else { "/" }
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
        // With no referrer at all, browsers hide from us, too, that a form is our own.
        (header::REFERRER_POLICY, "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// The same for captured pages. Their headers are the archive's own: they keep what it holds inside.
pub async fn guard_replay(State(access): State<Access>, request: Request, next: Next) -> Response {
    match refused_by_replay(&access, &request) {
        Err(problem) => in_frame(&problem, request.headers(), access.origins()),
        Ok(Some(entered)) => entered,
        Ok(None) => next.run(request).await,
    }
}

fn refused_by_replay(access: &Access, request: &Request) -> Result<Option<Response>, Problem> {
    let (headers, from) = (request.headers(), client(request));
    if !access.origins().replay_answers_to(host(headers)) {
        let why = "this archive is not known by that name: start the service with --host NAME to allow it";
        return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, why));
    }
    if !access.shared.clients.has_room(from) {
        return Err(too_many_requests());
    }
    let is_known = access.known_to_replay(headers, from)?;
    if request.uri().path() == ENTER {
        return entered(access, request, is_known).map(Some);
    }
    if is_known {
        return Ok(None);
    }
    let why =
        "log in to the service first and come from its pages, or give the token: Authorization: Bearer TOKEN";
    Err(Problem::new(StatusCode::UNAUTHORIZED, why))
}

/// From a ticket to a cookie, and on to what was to be seen. A ticket that is too old does no harm to who has the cookie.
fn entered(access: &Access, request: &Request, is_known: bool) -> Result<Response, Problem> {
    let query = request.uri().query().unwrap_or_default();
    let given = |name: &str| parse(query.as_bytes()).find(|(known, _)| known == name).map(|(_, value)| value);
    let to = given("to").unwrap_or_default();
    let onward = (
        StatusCode::SEE_OTHER,
        [(header::LOCATION, own_path(&to).to_owned())],
        [(header::REFERRER_POLICY, "no-referrer"), (header::CACHE_CONTROL, "no-store")],
    );
    match access.enter(&given("ticket").unwrap_or_default(), host(request.headers())) {
        Some(cookie) => Ok(([(header::SET_COOKIE, cookie)], onward).into_response()),
        None if is_known => Ok(onward.into_response()),
        None => {
            let why = "this way in is too old: load the service's page again, and follow it from there";
            Err(Problem::new(StatusCode::UNAUTHORIZED, why))
        }
    }
}

/// People may see it in the place of a captured page.
fn in_frame(problem: &Problem, headers: &HeaderMap, origins: &Origins) -> Response {
    let accepted = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if !accepted.contains("text/html") {
        return problem.clone().into_response();
    }
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; meta name="color-scheme" content="light dark"; title { (problem.title) } }
            body { h1 { (problem.title) } p { (problem.detail) } }
        }
    };
    let policy = format!("default-src 'none'; frame-ancestors 'self' {}", origins.cockpits().join(" "));
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    let mut response = (problem.code(), headers, page).into_response();
    if let Some(seconds) = problem.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// An address that somebody typed, as browsers send it.
fn sendable(path: &str) -> String {
    let sent = |byte: u8| match byte {
        b'!'..=b'[' | b']'..=b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(sent).collect()
}

/// Where the pages of one answer find captured ones.
#[derive(Clone, Debug)]
pub struct Frames {
    origin: String,
    /// What lets in, where cookies do not go.
    ticket: Option<String>,
}

impl Frames {
    fn of(access: &Access, headers: &HeaderMap) -> Frames {
        let (origins, host) = (access.origins(), host(headers));
        let is_elsewhere = access.needs_token() && origins.is_replay_elsewhere(host);
        let ticket = if is_elsewhere { access.ticket(headers) } else { None };
        Frames { origin: origins.replay_for(host), ticket }
    }

    /// The address of something captured: `path` is a crawl and what there is to see of it.
    pub fn address(&self, path: &str) -> String {
        let origin = &self.origin;
        let Some(ticket) = &self.ticket else { return format!("{origin}/{path}") };
        let path = format!("/{}", sendable(path));
        let path: String = byte_serialize(path.as_bytes()).collect();
        format!("{origin}{ENTER}?ticket={ticket}&to={path}")
    }
}

impl FromRequestParts<App> for Frames {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Frames, Infallible> {
        Ok(Frames::of(&app.access, &parts.headers))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Access, Frames, Origins, is_foreign, own_path};

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    fn origins(replay: Option<&str>) -> Origins {
        let [cockpit, shown] = ["127.0.0.1:80", "127.0.0.1:81"].map(|at| at.parse().unwrap());
        Origins::new(cockpit, shown, &["box.test".to_owned()], None, replay).unwrap()
    }

    #[test]
    fn a_change_that_another_page_asks_for_is_foreign() {
        let foreign = |pairs| is_foreign(&headers(pairs), &origins(None));
        assert!(!foreign(&[("host", "localhost:80")]), "a program");
        assert!(!foreign(&[("host", "localhost:80"), ("origin", "http://localhost:80")]));
        assert!(foreign(&[("host", "localhost:80"), ("origin", "http://evil.test")]));
        assert!(foreign(&[("host", "localhost:80"), ("origin", "null")]));
        assert!(foreign(&[("host", "localhost:80"), ("sec-fetch-site", "cross-site")]));
        assert!(!foreign(&[("host", "localhost:80"), ("sec-fetch-site", "same-origin")]));
    }

    #[test]
    fn nobody_is_sent_on_to_another_place() {
        for own in ["/", "/crawls/x/page?url=http://a.test/&at=2020", "/a%20b"] {
            assert_eq!(own_path(own), own);
        }
        for other in
            ["", "//evil.test", "/\\evil.test", "https://evil.test", "evil", "/a\r\nb: c", "/\t/evil.test"]
        {
            assert_eq!(own_path(other), "/", "{other:?}");
        }
    }

    #[test]
    fn a_ticket_goes_along_where_cookies_do_not() {
        let access = |replay| Access::new(origins(replay), Some("long enough".to_owned())).unwrap();
        let frame = |access: &Access| {
            let cookie = access.log_in("long enough", [192, 0, 2, 1].into(), &headers(&[])).unwrap();
            let cookie = cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
            Frames::of(access, &headers(&[("host", "box.test:80"), ("cookie", &cookie)]))
                .address("x/mp_/http://a.test/?ä b")
        };
        assert_eq!(frame(&access(None)), "http://box.test:81/x/mp_/http://a.test/?ä b");
        let there = frame(&access(Some("https://pages.test")));
        assert!(there.starts_with("https://pages.test/.enter?ticket="), "{there}");
        assert!(there.ends_with("&to=%2Fx%2Fmp_%2Fhttp%3A%2F%2Fa.test%2F%3F%25C3%25A4%2520b"), "{there}");
    }
}
