//! What browsers call the service and its captured pages: names, ports, origins. Who asks may come by any of the names, and
//! both sides of a frame have to be called by names that the browser in question knows.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};

use annalist_model::url::site_of;
use axum::http::HeaderMap;
use axum::http::header::HOST;

/// The names of the two sides.
#[derive(Clone, Debug)]
pub struct Origins {
    /// Where the two listen.
    cockpit: SocketAddr,
    replay: SocketAddr,
    /// How browsers reach them, where something stands before them.
    cockpit_origin: Option<String>,
    replay_origin: Option<String>,
    /// Names and addresses in `Host`, without port.
    names: Vec<String>,
}

impl Origins {
    /// `hosts`: further names of both. An origin that was typed is a scheme and a name, and a port where it is not the usual one.
    pub fn new(
        cockpit: SocketAddr,
        replay: SocketAddr,
        hosts: &[String],
        cockpit_origin: Option<&str>,
        replay_origin: Option<&str>,
    ) -> Result<Origins, String> {
        let cockpit_origin = cockpit_origin.map(|typed| origin("--origin", typed)).transpose()?;
        let replay_origin = replay_origin.map(|typed| origin("--replay-origin", typed)).transpose()?;
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        if !cockpit.ip().is_unspecified() {
            names.push(written(cockpit.ip()));
        }
        names.extend(hosts.iter().map(|host| host.to_ascii_lowercase()));
        names.extend(cockpit_origin.as_deref().map(|origin| name_of(host_of(origin))));
        let mut known = HashSet::new();
        names.retain(|name| known.insert(name.clone()));
        Ok(Origins { cockpit, replay, cockpit_origin, replay_origin, names })
    }

    /// The same, once it is known which ports the two got.
    pub fn bound(self, cockpit: SocketAddr, replay: SocketAddr) -> Origins {
        Origins { cockpit, replay, ..self }
    }

    /// Where the service listens.
    pub fn port(&self) -> u16 {
        self.cockpit.port()
    }

    /// Whether the service is called by this name.
    pub fn answers_to(&self, host: &str) -> bool {
        self.names.contains(&name_of(host))
    }

    /// Whether the captured pages are.
    pub fn replay_answers_to(&self, host: &str) -> bool {
        let name = name_of(host);
        let is_own = |origin: &String| name_of(host_of(origin)) == name;
        self.names.contains(&name)
            || self.replay_origin.as_ref().is_some_and(is_own)
            || (!self.replay.ip().is_unspecified() && written(self.replay.ip()) == name)
    }

    /// The origin of captured pages, for a browser that calls the service by `host`.
    pub fn replay_for(&self, host: &str) -> String {
        if let Some(origin) = &self.replay_origin {
            return origin.clone();
        }
        // The name leads to the other port, too, unless that is at an address of its own.
        let (cockpit, replay) = (self.cockpit.ip(), self.replay.ip());
        let is_there = replay.is_unspecified() || replay == cockpit;
        let name = if is_there { name_of(host) } else { written(replay) };
        format!("http://{}:{}", nameable(&name), self.replay.port())
    }

    /// Where a browser has to go that calls the service by an address of IPv6: its pages could not frame captured ones.
    pub fn nameable_for(&self, host: &str) -> Option<String> {
        let name = name_of(host);
        // Who stands before the service may call it by any address.
        let is_odd = nameable(&name) != name && self.cockpit_origin.is_none();
        is_odd.then(|| format!("http://{}{}", nameable(&name), &host[name.len().min(host.len())..]))
    }

    /// Whether captured pages have another host name than the service has for who calls it by `host`: cookies do not go there.
    pub fn is_replay_elsewhere(&self, host: &str) -> bool {
        name_of(host_of(&self.replay_for(host))) != name_of(host)
    }

    /// Every origin that pages of the service may have.
    pub fn cockpits(&self) -> Vec<String> {
        let port = self.cockpit.port();
        // Browsers understand no addresses of IPv6 where policies name hosts.
        let names = self.names.iter().filter(|name| !name.starts_with('['));
        let direct = names.map(|name| format!("http://{name}:{port}"));
        self.cockpit_origin.iter().cloned().chain(direct).collect()
    }

    /// Whether a page of `origin` is one of the service's, asked at `host`.
    pub fn is_own(&self, origin: &str, host: &str) -> bool {
        host_of(origin).eq_ignore_ascii_case(host) && origin.contains("://")
            || self.cockpit_origin.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(origin))
    }

    /// Whether browsers are told to come by TLS.
    pub fn is_secure(&self) -> bool {
        self.cockpit_origin.as_deref().is_some_and(|origin| origin.starts_with("https://"))
    }

    /// What does not fit together, though nothing is wrong by itself.
    pub fn warning(&self, has_token: bool) -> Option<&'static str> {
        let is_mixed = self.is_secure() && self.replay_origin.is_none();
        let of_six = |address: SocketAddr| {
            nameable(&written(address.ip())).starts_with('[') && !address.ip().is_unspecified()
        };
        let is_nameless = of_six(self.cockpit) && self.cockpit_origin.is_none()
            || of_six(self.replay) && self.replay_origin.is_none();
        if is_mixed {
            return Some(
                "browsers do not show pages of http in those of https: say with --replay-origin https://… how they reach \
                 captured pages",
            );
        }
        if is_nameless {
            return Some(
                "browsers do not show captured pages in pages that they call by an address of IPv6: give the machine a name \
                 with --host NAME, and call the service by it",
            );
        }
        (has_token && self.is_replay_kept_out()).then_some(
            "browsers send no cookie over plain http into a frame of another site, so captured pages stay locked there: \
             let both be reached by https, or say with --replay-origin another port of the service's own name",
        )
    }

    /// Whether a browser that logged in cannot show that to captured pages: they are of another site, and not both have TLS.
    fn is_replay_kept_out(&self) -> bool {
        let Some(replay) = &self.replay_origin else { return false };
        let has_tls = self.is_secure() && replay.starts_with("https://");
        let replay = name_of(host_of(replay));
        let is_near = |name: &str| name == replay || site_of(name) == site_of(&replay);
        let is_same_site = match &self.cockpit_origin {
            Some(own) => is_near(&name_of(host_of(own))),
            None => self.names.iter().any(|name| is_near(name)),
        };
        !has_tls && !is_same_site
    }
}

/// What a request was sent to.
pub fn host(headers: &HeaderMap) -> &str {
    headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

/// A host without its port.
fn name_of(host: &str) -> String {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    };
    name.to_ascii_lowercase()
}

fn host_of(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

/// How browsers can name a host in policies: by no address of IPv6; this machine has another name.
fn nameable(name: &str) -> &str {
    if name == "[::1]" { "localhost" } else { name }
}

fn written(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// It goes into headers as it is.
fn origin(flag: &str, typed: &str) -> Result<String, String> {
    let bare = typed.trim().trim_end_matches('/').to_ascii_lowercase();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    let host = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://"));
    match host.filter(|host| !host.is_empty() && host.chars().all(is_plain)) {
        Some(_) => Ok(bare),
        None => {
            Err(format!("{flag}: expected an origin such as https://archive.example.org, found {typed:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Origins;

    fn origins(cockpit: &str, replay: &str, said: (Option<&str>, Option<&str>)) -> Origins {
        let hosts = ["Box.test".to_owned()];
        Origins::new(cockpit.parse().unwrap(), replay.parse().unwrap(), &hosts, said.0, said.1).unwrap()
    }

    #[test]
    fn captured_pages_are_where_the_name_leads_that_one_came_by() {
        let usual = origins("127.0.0.1:80", "127.0.0.1:81", (None, None));
        for (host, frames) in [
            ("127.0.0.1:80", "http://127.0.0.1:81"),
            ("localhost:80", "http://localhost:81"),
            ("BOX.test:80", "http://box.test:81"),
        ] {
            assert_eq!(usual.replay_for(host), frames);
            assert!(!usual.is_replay_elsewhere(host));
            assert!(usual.cockpits().iter().any(|own| own.eq_ignore_ascii_case(&format!("http://{host}"))));
        }
        let open = origins("0.0.0.0:80", "0.0.0.0:81", (None, None));
        assert_eq!(open.replay_for("box.test:80"), "http://box.test:81");
        assert!(open.cockpits().iter().all(|origin| !origin.contains("0.0.0.0")), "{open:?}");
        let apart = origins("127.0.0.1:80", "192.0.2.1:81", (None, None));
        assert_eq!(apart.replay_for("localhost:80"), "http://192.0.2.1:81");
        assert!(apart.is_replay_elsewhere("localhost:80"));
        assert!(apart.replay_answers_to("192.0.2.1:81") && !apart.answers_to("192.0.2.1:80"));
        let six = origins("[::]:80", "[::]:81", (None, None));
        assert_eq!(six.replay_for("[::1]:80"), "http://localhost:81");
    }

    #[test]
    fn no_policy_names_an_address_of_ipv6() {
        let usual = origins("127.0.0.1:80", "127.0.0.1:81", (None, None));
        assert!(usual.cockpits().iter().all(|origin| !origin.contains('[')), "{usual:?}");
        assert_eq!(usual.nameable_for("127.0.0.1:80"), None);
        let six = origins("[::1]:80", "[::1]:81", (None, None));
        assert_eq!(six.nameable_for("[::1]:8080").as_deref(), Some("http://localhost:8080"), "by a tunnel");
        assert_eq!(six.nameable_for("localhost:80"), None);
        assert_eq!(six.replay_for("localhost:80"), "http://localhost:81");
        assert!(six.cockpits().contains(&"http://localhost:80".to_owned()), "{six:?}");
        assert!(six.replay_answers_to("localhost:81") && six.warning(true).is_none());
        let proxied = origins("[::1]:80", "[::1]:81", (Some("http://a.test"), Some("http://b.test")));
        assert_eq!(proxied.nameable_for("[::1]:80"), None);
        assert!(origins("[2001:db8::1]:80", "[2001:db8::1]:81", (None, None)).warning(true).is_some());
    }

    #[test]
    fn what_stands_before_the_service_gives_it_other_names() {
        let said = (Some("https://Archive.test/"), Some("https://pages.test:8443"));
        let proxied = origins("127.0.0.1:80", "127.0.0.1:81", said);
        assert_eq!(proxied.replay_for("127.0.0.1:80"), "https://pages.test:8443");
        assert_eq!(proxied.cockpits().first().map(String::as_str), Some("https://archive.test"));
        assert!(proxied.answers_to("archive.test") && !proxied.answers_to("pages.test"));
        assert!(proxied.replay_answers_to("pages.test:8443"));
        assert!(proxied.is_replay_elsewhere("archive.test") && proxied.is_secure());
        assert!(proxied.is_own("https://archive.test", "127.0.0.1:80"), "a proxy may ask by another name");
        assert!(!proxied.is_own("https://evil.test", "127.0.0.1:80"));
        assert!(proxied.warning(true).is_none());
        let half = origins("127.0.0.1:80", "127.0.0.1:81", (Some("https://archive.test"), None));
        assert!(half.warning(true).unwrap().contains("--replay-origin"));
    }

    #[test]
    fn a_frame_of_another_site_without_tls_is_warned_of_where_there_is_a_token() {
        let warned = |own, pages, has_token| {
            origins("127.0.0.1:80", "127.0.0.1:81", (own, Some(pages))).warning(has_token).is_some()
        };
        assert!(warned(Some("http://archive.test"), "http://pages.test", true));
        assert!(warned(None, "http://pages.test", true));
        assert!(!warned(Some("http://archive.test"), "http://pages.test", false), "nothing is locked");
        assert!(
            !warned(Some("http://archive.test"), "http://archive.test:81", true),
            "the cookie goes there"
        );
        assert!(
            !warned(Some("http://archive.example.org"), "http://pages.example.org", true),
            "the same site"
        );
        assert!(warned(Some("http://archive.test"), "https://pages.test", true));
        assert!(!warned(None, "http://box.test:81", true));
        assert!(!warned(Some("https://archive.test"), "https://pages.test", true));
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        let at = "127.0.0.1:80".parse().unwrap();
        for typed in
            ["archive.test", "ftp://a.test", "https://", "http://a.test/path", "http://a.test; x *", ""]
        {
            let refused = Origins::new(at, at, &[], Some(typed), None).unwrap_err();
            assert!(refused.contains("--origin: expected"), "{refused}");
        }
    }

    #[test]
    fn a_foreign_name_that_leads_here_is_not_answered() {
        let own = origins("127.0.0.1:80", "127.0.0.1:81", (None, None));
        for good in ["localhost:8080", "127.0.0.1", "[::1]:80", "box.test", "BOX.test:1"] {
            assert!(own.answers_to(good) && own.replay_answers_to(good), "{good}");
        }
        for bad in ["evil.test", "localhost.evil.test:80", "", "127.0.0.1.evil.test"] {
            assert!(!own.answers_to(bad) && !own.replay_answers_to(bad), "{bad}");
        }
    }
}
