//! Addresses as people type them: a missing scheme means `http://`. What links on pages say is never read this way.

use crate::url::{CanonicalUrl, Canonicaliser, UrlError};

/// What may have digits after it and is no host with a port.
const NO_HOSTS: [&str; 5] = ["data", "javascript", "mailto", "sms", "tel"];

impl Canonicaliser {
    /// `www.example.org`, `localhost:8080/x` or a whole URL.
    pub fn parse_typed(&self, typed: &str) -> Result<CanonicalUrl, UrlError> {
        let typed = typed.trim();
        if has_scheme(typed) { self.parse(typed) } else { self.parse(&format!("http://{typed}")) }
    }
}

fn has_scheme(typed: &str) -> bool {
    // `ht!tp://a.test` is no host named `ht!tp`.
    if typed.split_once("://").is_some_and(|(before, _)| !before.contains(['/', '?', '#'])) {
        return true;
    }
    let Some((before, after)) = typed.split_once(':') else { return false };
    let is_scheme = before.starts_with(|c: char| c.is_ascii_alphabetic())
        && before.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme && (NO_HOSTS.contains(&before.to_ascii_lowercase().as_str()) || !begins_with_port(after))
}

/// `8080/x` of `example.org:8080/x`; a port that is left out is one, too.
fn begins_with_port(after: &str) -> bool {
    let port = after.split(['/', '?', '#']).next().unwrap_or_default();
    let path = after.get(port.len()..).unwrap_or_default();
    port.bytes().all(|byte| byte.is_ascii_digit()) && !(port.is_empty() && path.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use crate::url::{Canonicaliser, UrlError};

    #[test]
    fn a_missing_scheme_means_http() {
        for (typed, url) in [
            (" www.example.org ", "http://www.example.org/"),
            ("www.example.org:8080/x", "http://www.example.org:8080/x"),
            ("wiki:8080", "http://wiki:8080/"),
            ("localhost:8080?q", "http://localhost:8080/?q"),
            ("a.test:", "http://a.test/"),
            ("a.test/?u=http://b.test/", "http://a.test/?u=http://b.test/"),
            ("HTTPS://a.test", "https://a.test/"),
            ("[::1]:81/", "http://[::1]:81/"),
        ] {
            let parsed = Canonicaliser::default().parse_typed(typed);
            assert_eq!(parsed.as_ref().map(|url| url.as_str()), Ok(url), "{typed}");
        }
    }

    #[test]
    fn what_has_another_scheme_is_no_host() {
        for (typed, scheme) in [
            ("mailto:a@b.example", "mailto"),
            ("mailto:1@b.example", "mailto"),
            ("tel:7", "tel"),
            ("ftp://a.test/", "ftp"),
            ("htp:/a.test", "htp"),
            ("bob:8secret@a.test", "bob"),
        ] {
            let refused = Canonicaliser::default().parse_typed(typed);
            assert_eq!(refused, Err(UrlError::Scheme(scheme.to_owned())), "{typed}");
        }
        assert!(matches!(Canonicaliser::default().parse_typed("ht!tp://a.test"), Err(UrlError::Syntax(_))));
    }
}
