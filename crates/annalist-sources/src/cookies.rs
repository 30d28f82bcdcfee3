//! What a site asked to be told again: cookies by RFC 6265, as far as a crawler meets them, with caps everywhere so
//! that a flood of them is harmless. Writing them into a request is `request`'s matter.

use std::time::Duration;

use annalist_model::url::site_of;
use annalist_model::{CanonicalUrl, Time};

use crate::expiring::Expiring;
use crate::http_date::parse_http_date;

const MOST_PER_SITE: usize = 50;
/// Name and value together.
const LONGEST: usize = 4096;
/// Servers refuse longer header fields.
const LONGEST_FIELD: usize = 8192;
const MOST_BYTES: usize = 32 << 20;
/// A crawl is not a person: nothing is remembered for longer.
const LONGEST_LIFE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The cookies of all sites. The site least recently given one is forgotten first when memory runs short.
#[derive(Debug)]
pub struct Jar {
    sites: Expiring<String, Vec<Cookie>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Cookie {
    name: String,
    value: String,
    /// Host or domain, without a leading dot.
    domain: String,
    reach: Reach,
    path: String,
    secure: bool,
    until: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Host,
    Subdomains,
}

impl Default for Jar {
    fn default() -> Self {
        Jar { sites: Expiring::new(MOST_BYTES) }
    }
}

impl Jar {
    /// Keeps what the Set-Cookie fields of a response ask to keep.
    pub fn take<'a>(&mut self, url: &CanonicalUrl, fields: impl Iterator<Item = &'a str>, now: Time) {
        let mut fresh = fields.filter_map(|field| Cookie::parse(field, url, now)).peekable();
        if fresh.peek().is_none() {
            return;
        }
        let mut cookies = self.sites.get(url.site(), now).cloned().unwrap_or_default();
        for cookie in fresh {
            cookies.retain(|old| !old.is_replaced_by(&cookie) && now < old.until);
            if now < cookie.until {
                if cookies.len() >= MOST_PER_SITE {
                    cookies.remove(0);
                }
                cookies.push(cookie);
            }
        }
        let bytes = cookies.iter().map(Cookie::bytes).sum();
        self.sites.put(url.site().to_owned(), cookies, bytes, now.plus(LONGEST_LIFE));
    }

    /// The value of the Cookie field for a request; `None` when there is nothing to tell.
    pub fn field(&self, url: &CanonicalUrl, now: Time) -> Option<String> {
        let mut fitting: Vec<&Cookie> =
            self.sites.get(url.site(), now)?.iter().filter(|cookie| cookie.fits(url, now)).collect();
        // Longer paths first, then the older first, as RFC 6265 5.4 asks; the sort is stable.
        fitting.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let mut field = String::new();
        for cookie in fitting {
            if field.len() + cookie.name.len() + cookie.value.len() + 3 > LONGEST_FIELD {
                break;
            }
            if !field.is_empty() {
                field.push_str("; ");
            }
            field.push_str(&cookie.name);
            field.push('=');
            field.push_str(&cookie.value);
        }
        (!field.is_empty()).then_some(field)
    }
}

impl Cookie {
    fn parse(field: &str, url: &CanonicalUrl, now: Time) -> Option<Cookie> {
        let mut parts = field.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        let printable = |text: &str| text.bytes().all(|b| matches!(b, b' '..=b'~' | 0x80..));
        if name.is_empty() || name.len() + value.len() > LONGEST || !printable(name) || !printable(value) {
            return None;
        }
        let mut cookie = Cookie {
            name: name.to_owned(),
            value: value.to_owned(),
            domain: url.host_name().to_owned(),
            reach: Reach::Host,
            path: default_path(url.path()).to_owned(),
            secure: false,
            until: now.plus(LONGEST_LIFE),
        };
        cookie.attributes(parts, url, now)?;
        (!cookie.secure || url.is_https()).then_some(cookie)
    }

    /// `None` refuses the cookie.
    fn attributes<'a>(
        &mut self,
        parts: impl Iterator<Item = &'a str>,
        url: &CanonicalUrl,
        now: Time,
    ) -> Option<()> {
        let (mut expires, mut max_age) = (None, None);
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "expires" => expires = parse_http_date(value).or(expires),
                "max-age" => max_age = parse_max_age(value).or(max_age),
                "domain" => self.widen(value, url.host_name())?,
                "path" if value.starts_with('/') && value.len() <= LONGEST => self.path = value.to_owned(),
                "path" => self.path = default_path(url.path()).to_owned(),
                "secure" => self.secure = true,
                _ => {}
            }
        }
        let asked = max_age.map(|age| now.plus(age)).or(expires);
        self.until = asked.map_or(self.until, |until| until.min(self.until));
        Some(())
    }

    /// A domain must hold the host and lie within its site: nobody sets cookies for a public suffix.
    fn widen(&mut self, value: &str, host: &str) -> Option<()> {
        let domain = value.strip_prefix('.').unwrap_or(value).to_ascii_lowercase();
        if domain.is_empty() {
            return Some(());
        }
        if domain == host {
            // An address has no subdomains, and neither has a public suffix that is a host itself.
            let narrow = host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok();
            self.reach = if narrow { Reach::Host } else { Reach::Subdomains };
            return Some(());
        }
        if !is_under(host, &domain) || site_of(&domain) != site_of(host) {
            return None;
        }
        self.domain = domain;
        self.reach = Reach::Subdomains;
        Some(())
    }

    fn is_replaced_by(&self, other: &Cookie) -> bool {
        self.name == other.name && self.domain == other.domain && self.path == other.path
    }

    fn fits(&self, url: &CanonicalUrl, now: Time) -> bool {
        let host = url.host_name();
        let at_home =
            host == self.domain || (self.reach == Reach::Subdomains && is_under(host, &self.domain));
        at_home && (!self.secure || url.is_https()) && now < self.until && path_holds(&self.path, url.path())
    }

    fn bytes(&self) -> usize {
        self.name.len() + self.value.len() + self.domain.len() + self.path.len() + 128
    }
}

fn is_under(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// The path up to its last slash, without it (RFC 6265 5.1.4).
fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(end) => &path[..end],
    }
}

fn path_holds(cookie: &str, path: &str) -> bool {
    path.strip_prefix(cookie)
        .is_some_and(|rest| rest.is_empty() || cookie.ends_with('/') || rest.starts_with('/'))
}

/// Zero and less end a cookie at once.
fn parse_max_age(value: &str) -> Option<Duration> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(match value.starts_with('-') {
        true => Duration::ZERO,
        false => Duration::from_secs(digits.parse().unwrap_or(u64::MAX)),
    })
}

#[cfg(test)]
mod tests {
    use super::{Jar, MOST_PER_SITE};
    use annalist_model::{CanonicalUrl, Time};
    use proptest::prelude::*;
    use std::time::Duration;

    const NOW: Time = Time::from_millis(1_700_000_000_000);

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn jar(from: &str, fields: &[&str]) -> Jar {
        let mut jar = Jar::default();
        jar.take(&url(from), fields.iter().copied(), NOW);
        jar
    }

    fn told(jar: &Jar, to: &str) -> String {
        jar.field(&url(to), NOW).unwrap_or_default()
    }

    #[test]
    fn a_cookie_goes_back_to_its_host_and_no_other() {
        let jar = jar("http://www.example.org/a", &["id=1"]);
        assert_eq!(told(&jar, "http://www.example.org/b"), "id=1");
        assert_eq!(told(&jar, "http://example.org/"), "");
        assert_eq!(told(&jar, "http://sub.www.example.org/"), "");
        assert_eq!(told(&jar, "http://other.test/"), "");
    }

    #[test]
    fn a_domain_widens_it_to_the_site() {
        let jar = jar("http://www.example.org/", &["id=1; Domain=.Example.org"]);
        assert_eq!(told(&jar, "http://example.org/"), "id=1");
        assert_eq!(told(&jar, "http://blog.example.org/"), "id=1");
        assert_eq!(told(&jar, "http://notexample.org/"), "");
    }

    #[test]
    fn nobody_sets_a_cookie_for_a_public_suffix_or_a_stranger() {
        for domain in ["org", "co.uk", "other.co.uk", "b.example.co.uk", "example.org"] {
            let jar = jar("http://a.example.co.uk/", &[&format!("id=1; Domain={domain}")]);
            assert_eq!(told(&jar, "http://a.example.co.uk/"), "", "{domain}");
        }
    }

    #[test]
    fn a_path_confines_it() {
        let jar = jar("http://a.test/dir/page", &["deep=1", "wide=2; Path=/"]);
        assert_eq!(told(&jar, "http://a.test/dir/other"), "deep=1; wide=2");
        assert_eq!(told(&jar, "http://a.test/dir"), "deep=1; wide=2");
        assert_eq!(told(&jar, "http://a.test/dirt"), "wide=2");
    }

    #[test]
    fn a_secure_cookie_goes_over_https_only() {
        let secure = jar("https://a.test/", &["id=1; Secure"]);
        assert_eq!(told(&secure, "https://a.test/"), "id=1");
        assert_eq!(told(&secure, "http://a.test/"), "");
        assert_eq!(told(&jar("http://a.test/", &["id=1; Secure"]), "https://a.test/"), "");
    }

    #[test]
    fn a_cookie_ends_when_it_says_and_max_age_counts_more() {
        let jar = jar("http://a.test/", &["a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=2"]);
        assert_eq!(told(&jar, "http://a.test/"), "a=1; b=2");
        let later = NOW.plus(Duration::from_secs(61));
        assert_eq!(jar.field(&url("http://a.test/"), later).as_deref(), Some("b=2"));
    }

    #[test]
    fn a_cookie_of_the_past_deletes() {
        let mut jar = jar("http://a.test/", &["id=1", "keep=2"]);
        jar.take(&url("http://a.test/"), ["id=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"].into_iter(), NOW);
        assert_eq!(told(&jar, "http://a.test/"), "keep=2");
        jar.take(&url("http://a.test/"), ["keep=; Max-Age=-1"].into_iter(), NOW);
        assert_eq!(told(&jar, "http://a.test/"), "");
    }

    #[test]
    fn a_new_value_takes_the_place_of_the_old() {
        let mut jar = jar("http://a.test/", &["id=1"]);
        jar.take(&url("http://a.test/"), ["id=2"].into_iter(), NOW);
        assert_eq!(told(&jar, "http://a.test/"), "id=2");
    }

    #[test]
    fn a_flood_leaves_the_youngest_cookies_of_one_site() {
        let fields: Vec<String> = (0..10_000).map(|n| format!("c{n}=1")).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let jar = jar("http://a.test/", &fields);
        let told = told(&jar, "http://a.test/");
        assert_eq!(told.split("; ").count(), MOST_PER_SITE);
        assert!(told.ends_with("c9999=1"));
    }

    #[test]
    fn long_cookies_are_refused_and_the_field_stays_short() {
        let huge = format!("id={}", "x".repeat(5000));
        assert_eq!(told(&jar("http://a.test/", &[&huge]), "http://a.test/"), "");
        let long: Vec<String> = (0..20).map(|n| format!("c{n}={}", "x".repeat(4000))).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        assert!(told(&jar("http://a.test/", &long), "http://a.test/").len() <= super::LONGEST_FIELD);
    }

    #[test]
    fn a_cookie_cannot_smuggle_a_line_into_a_request() {
        assert_eq!(
            told(&jar("http://a.test/", &["id=1\r\nX: y", "a\nb=1", "b=\u{1}"]), "http://a.test/"),
            ""
        );
    }

    #[test]
    fn an_address_has_no_subdomains() {
        let jar = jar("http://127.0.0.1/", &["id=1; Domain=127.0.0.1"]);
        assert_eq!(told(&jar, "http://127.0.0.1/"), "id=1");
        assert_eq!(told(&jar, "http://127.0.0.2/"), "");
    }

    proptest! {
        #[test]
        fn any_field_is_kept_or_refused(field in "\\PC{0,80}") {
            let jar = jar("http://a.test/", &[&field]);
            prop_assert!(!told(&jar, "http://a.test/").contains(['\r', '\n', '\0']));
        }
    }
}
