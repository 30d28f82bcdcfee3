//! URLs in one spelling. Two addresses that mean the same page on every sane server become the same
//! [`CanonicalUrl`]; nobody checks or cleans a URL after that. What is in scope is decided elsewhere.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

/// Longer addresses are refused: servers refuse them too, and traps grow them.
pub const LONGEST_URL: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("not a URL: {0}")]
    Syntax(String),
    #[error("scheme {0:?} cannot be crawled, only http and https")]
    Scheme(String),
    #[error("URL without a host")]
    NoHost,
    #[error("URL longer than {LONGEST_URL} bytes")]
    TooLong,
}

/// Where a URL stands in the URL store: its site, then itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlKey {
    pub site: u64,
    pub url: u64,
}

/// An http or https URL in one spelling, without fragment, user name or password.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CanonicalUrl(url::Url);

impl CanonicalUrl {
    /// By the default rules of [`Canonicaliser`].
    pub fn parse(raw: &str) -> Result<CanonicalUrl, UrlError> {
        Canonicaliser::default().parse(raw)
    }

    /// A URL that was canonical when it was stored: its spelling is taken as it is.
    pub fn restore(stored: &str) -> Result<CanonicalUrl, UrlError> {
        let url = url::Url::parse(stored).map_err(|e| UrlError::Syntax(e.to_string()))?;
        check(&url)?;
        Ok(CanonicalUrl(url))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn as_url(&self) -> &url::Url {
        &self.0
    }

    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The host's name without port: `www.example.org`, `127.0.0.1`, `[::1]`.
    pub fn host_name(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(80)
    }

    /// Scheme and authority: `https://www.example.org:8443`.
    pub fn host(&self) -> &str {
        &self.0[..url::Position::BeforePath]
    }

    /// The pay-level domain, or the address where the host is one.
    pub fn site(&self) -> &str {
        site_of(self.host_name())
    }

    /// Path only, `/` at least.
    pub fn path(&self) -> &str {
        self.0.path()
    }

    pub fn query(&self) -> Option<&str> {
        self.0.query()
    }

    /// Path and query: what stands in the request line.
    pub fn target(&self) -> &str {
        &self.0[url::Position::BeforePath..url::Position::AfterQuery]
    }

    pub fn key(&self) -> UrlKey {
        UrlKey { site: site_key(self.site()), url: xxh3_64(self.as_str().as_bytes()) }
    }

    /// The same host's address for another path: `/robots.txt`.
    pub fn on_same_host(&self, path: &str) -> CanonicalUrl {
        let mut url = self.0.clone();
        url.set_path(path);
        url.set_query(None);
        CanonicalUrl(url)
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The pay-level domain of a host name; the name itself where there is none (addresses, `localhost`).
pub fn site_of(host_name: &str) -> &str {
    let name = host_name.trim_end_matches('.');
    if name.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok() {
        return name;
    }
    psl::domain_str(name).unwrap_or(name)
}

/// The site part of a [`UrlKey`].
pub fn site_key(site: &str) -> u64 {
    xxh3_64(site.as_bytes())
}

/// How URLs are brought into one spelling. The defaults change no page's meaning on servers people run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonicaliser {
    /// Take out query parameters and path parameters that carry a session.
    pub strip_session_ids: bool,
    /// Take out query parameters that only say where a visitor came from.
    pub strip_tracking: bool,
    /// Order query parameters by name. Off: some applications read them in order.
    pub sort_query: bool,
    /// `//` inside a path becomes `/`. Off: some servers tell them apart.
    pub merge_slashes: bool,
    /// `http` and `https` of one address are one page, asked for by https. Off: old servers differ.
    pub prefer_https: bool,
    /// Further query parameters to take out.
    pub strip_parameters: Vec<String>,
}

impl Default for Canonicaliser {
    fn default() -> Self {
        Canonicaliser {
            strip_session_ids: true,
            strip_tracking: true,
            sort_query: false,
            merge_slashes: false,
            prefer_https: false,
            strip_parameters: Vec::new(),
        }
    }
}

/// Parameters that carry a session, in lower case.
const SESSION_PARAMETERS: [&str; 10] = [
    "phpsessid",
    "jsessionid",
    "sessionid",
    "session_id",
    "aspsessionid",
    "cfid",
    "cftoken",
    "sid",
    "zenid",
    "oscsid",
];
/// Parameters that only say where a visitor came from, in lower case.
const TRACKING_PARAMETERS: [&str; 11] =
    ["gclid", "fbclid", "dclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "wickedid", "_ga", "_gl"];

impl Canonicaliser {
    /// Takes nothing out of an address and leaves its parts as they stand: any other rules make the same of the address
    /// and of what this makes of it.
    pub fn plain() -> Canonicaliser {
        Canonicaliser { strip_session_ids: false, strip_tracking: false, ..Canonicaliser::default() }
    }

    pub fn parse(&self, raw: &str) -> Result<CanonicalUrl, UrlError> {
        self.resolve(url::Url::options(), raw)
    }

    /// Resolves a reference against the page (or its base) that holds it.
    pub fn join(&self, base: &url::Url, reference: &str) -> Result<CanonicalUrl, UrlError> {
        self.join_encoded(base, reference, None)
    }

    /// The same for a page that is not in UTF-8: `encode` turns the query into the page's own bytes, as the server
    /// that wrote the page expects it. Host and path are UTF-8 all the same.
    pub fn join_encoded(
        &self,
        base: &url::Url,
        reference: &str,
        encode: url::EncodingOverride<'_>,
    ) -> Result<CanonicalUrl, UrlError> {
        self.resolve(url::Url::options().base_url(Some(base)).encoding_override(encode), reference)
    }

    fn resolve(&self, options: url::ParseOptions<'_>, reference: &str) -> Result<CanonicalUrl, UrlError> {
        // A fragment is no part of what is asked for, however long it is.
        let reference = reference.split('#').next().unwrap_or_default().trim();
        if reference.len() > 2 * LONGEST_URL {
            return Err(UrlError::TooLong);
        }
        let url = options.parse(reference).map_err(|e| UrlError::Syntax(e.to_string()))?;
        self.canonical(url)
    }

    fn canonical(&self, mut url: url::Url) -> Result<CanonicalUrl, UrlError> {
        check(&url)?;
        if !url.username().is_empty() || url.password().is_some() {
            // A secret in an address must not reach the archive; both calls succeed wherever there is a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
        }
        if self.prefer_https && url.scheme() == "http" && url.port().is_none() {
            let _ = url.set_scheme("https");
        }
        if let Some(host) = url.host_str()
            && host.len() > 1
            && host.ends_with('.')
        {
            let bare = host.trim_end_matches('.').to_owned();
            url.set_host(Some(&bare)).map_err(|e| UrlError::Syntax(e.to_string()))?;
        }
        let path = self.canonical_path(url.path());
        if path != url.path() {
            url.set_path(&path);
        }
        if let Some(query) = url.query() {
            let kept = self.canonical_query(query);
            if kept.as_deref() != Some(query) {
                url.set_query(kept.as_deref());
            }
        }
        check(&url)?;
        Ok(CanonicalUrl(url))
    }

    fn canonical_path(&self, path: &str) -> String {
        let mut path = plain_escapes(path);
        if self.strip_session_ids
            && let Some(at) = path.to_ascii_lowercase().find(";jsessionid=")
        {
            let rest = path[at + 1..].find(['/', ';']).map(|end| path[at + 1 + end..].to_owned());
            path.truncate(at);
            path.push_str(rest.as_deref().unwrap_or(""));
            // There may be more than one; each round takes one out.
            return self.canonical_path(&path);
        }
        if self.merge_slashes {
            while path.contains("//") {
                path = path.replace("//", "/");
            }
        }
        path
    }

    fn canonical_query(&self, query: &str) -> Option<String> {
        // Each for itself: where a part stands must not decide how it is spelled.
        let parts = query.split('&').map(plain_escapes);
        let mut parts: Vec<String> = parts.filter(|part| !self.is_stripped(part)).collect();
        if self.sort_query {
            parts.sort_by(|one, other| one.split('=').next().cmp(&other.split('=').next()));
        }
        let kept = parts.join("&");
        (!kept.is_empty()).then_some(kept)
    }

    fn is_stripped(&self, part: &str) -> bool {
        let name = part.split('=').next().unwrap_or("").to_ascii_lowercase();
        (self.strip_session_ids && is_session(&name, part))
            || (self.strip_tracking
                && (name.starts_with("utm_") || TRACKING_PARAMETERS.contains(&name.as_str())))
            || self.strip_parameters.iter().any(|p| p.eq_ignore_ascii_case(&name))
    }
}

/// `sid` and its kin only when the value looks like a session: long, of hexadecimal or base-64 letters.
fn is_session(name: &str, part: &str) -> bool {
    if !SESSION_PARAMETERS.contains(&name) && !name.starts_with("aspsessionid") {
        return false;
    }
    let value = part.split_once('=').map_or("", |(_, v)| v);
    value.len() >= 8
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().all(|b| b.is_ascii_graphic())
}

/// Escapes in one spelling: hexadecimal digits in capitals, and no escape for what needs none (RFC 3986 6.2.2).
fn plain_escapes(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut plain = String::with_capacity(text.len());
    let mut from = 0;
    // Where a `%` that begins no escape was left: a letter freed right after it would make one.
    let mut stray: Option<usize> = None;
    while let Some(at) = text[from..].find('%').map(|i| from + i) {
        plain.push_str(&text[from..at]);
        let digits = bytes.get(at + 1).zip(bytes.get(at + 2));
        let value = digits.and_then(|(h, l)| Some(hex(*h)? * 16 + hex(*l)?));
        let near_stray = stray.is_some_and(|s| plain.len() <= s + 2);
        from = match value {
            Some(byte)
                if !near_stray
                    && (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')) =>
            {
                plain.push(char::from(byte));
                at + 3
            }
            Some(byte) => {
                plain.push_str(&format!("%{byte:02X}"));
                at + 3
            }
            None => {
                stray = Some(plain.len());
                plain.push('%');
                at + 1
            }
        };
    }
    plain.push_str(&text[from..]);
    plain
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|d| d as u8)
}

fn check(url: &url::Url) -> Result<(), UrlError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlError::Scheme(url.scheme().to_owned()));
    }
    if url.host_str().is_none_or(|h| h.is_empty() || h.trim_matches('.').is_empty()) {
        return Err(UrlError::NoHost);
    }
    if url.as_str().len() > LONGEST_URL {
        return Err(UrlError::TooLong);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{CanonicalUrl, Canonicaliser, UrlError, site_of};
    use proptest::prelude::*;

    fn canonical(raw: &str) -> String {
        CanonicalUrl::parse(raw).unwrap().as_str().to_owned()
    }

    #[test]
    fn spellings_of_one_address_become_one() {
        for (raw, expected) in [
            ("HTTP://Example.ORG:80", "http://example.org/"),
            ("https://example.org:443/a/../b/./c", "https://example.org/b/c"),
            ("http://example.org/%7euser/%e2%82%ac", "http://example.org/~user/%E2%82%AC"),
            ("http://user:secret@example.org/#top", "http://example.org/"),
            ("http://example.org./a", "http://example.org/a"),
            ("http://example.org/a?", "http://example.org/a"),
            ("http://example.org/a;jsessionid=0AB12?b=1", "http://example.org/a?b=1"),
            ("http://example.org/f?sid=0123456789abcdef&t=2", "http://example.org/f?t=2"),
            ("http://example.org/f?utm_source=x&t=2&fbclid=q", "http://example.org/f?t=2"),
            ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
            (" http://example.org/a b ", "http://example.org/a%20b"),
        ] {
            assert_eq!(canonical(raw), expected);
        }
    }

    #[test]
    fn what_may_mean_another_page_is_left_alone() {
        for raw in [
            "http://example.org/wp/A%2525B",
            "http://example.org/a//b",
            "http://example.org/f?sid=4",
            "http://example.org/?b=1&a=2",
            "http://example.org/100%",
            "http://example.org/a%2Fb",
        ] {
            assert_eq!(canonical(raw), raw);
        }
    }

    #[test]
    fn what_cannot_be_crawled_is_refused_with_its_reason() {
        assert!(matches!(CanonicalUrl::parse("mailto:a@b.example"), Err(UrlError::Scheme(_))));
        assert!(matches!(CanonicalUrl::parse("no url"), Err(UrlError::Syntax(_))));
        assert!(CanonicalUrl::parse("http://./").is_err());
        let long = format!("http://example.org/{}", "a".repeat(5000));
        assert_eq!(CanonicalUrl::parse(&long), Err(UrlError::TooLong));
        let fragment = format!("http://example.org/#{}", "a".repeat(9000));
        assert_eq!(canonical(&fragment), "http://example.org/");
    }

    #[test]
    fn a_site_is_the_domain_somebody_pays_for() {
        assert_eq!(site_of("www.library.example.co.uk"), "example.co.uk");
        assert_eq!(site_of("127.0.0.1"), "127.0.0.1");
        assert_eq!(site_of("[::1]"), "[::1]");
        assert_eq!(site_of("localhost"), "localhost");
        assert_eq!(site_of("a.b.blog.test"), "blog.test");
    }

    #[test]
    fn options_take_out_more() {
        let rules = Canonicaliser {
            sort_query: true,
            merge_slashes: true,
            prefer_https: true,
            strip_parameters: vec!["print".into()],
            ..Canonicaliser::default()
        };
        let url = rules.parse("http://example.org//a///b?b=1&Print=yes&a=2").unwrap();
        assert_eq!(url.as_str(), "https://example.org/a/b?a=2&b=1");
    }

    fn rules() -> impl Strategy<Value = Canonicaliser> {
        any::<[bool; 5]>().prop_map(|b| Canonicaliser {
            strip_session_ids: b[0],
            strip_tracking: b[1],
            sort_query: b[2],
            merge_slashes: b[3],
            prefer_https: b[4],
            strip_parameters: Vec::new(),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn canonicalisation_is_idempotent(
            rules in rules(),
            raw in "https?://[a-zA-Z0-9.é-]{1,12}(:[0-9]{1,4})?(/[a-z%;=.A-F0-9/é ]{0,20})?(;jsessionid=[a-f0-9;]{0,9})?(\\?[a-z%&=_A-F0-9é;]{0,24})?(#x)?",
        ) {
            if let Ok(once) = rules.parse(&raw) {
                let twice = rules.parse(once.as_str());
                prop_assert_eq!(twice.as_ref().map(CanonicalUrl::as_str), Ok(once.as_str()));
                prop_assert_eq!(CanonicalUrl::restore(once.as_str()), Ok(once));
            }
        }

        #[test]
        fn any_text_is_a_url_or_an_error(raw in "\\PC{0,80}") {
            if let Ok(url) = CanonicalUrl::parse(&raw) {
                prop_assert_eq!(CanonicalUrl::parse(url.as_str()), Ok(url));
            }
        }
    }
}
