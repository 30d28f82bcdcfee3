//! SURT prefixes: URLs with their host name turned round, so that a prefix is a part of the web.
//! `http://(org,example,` is example.org with everything below it, `http://(org,example,)/a` its pages beginning `/a`.

use annalist_model::CanonicalUrl;

/// The spec's prefixes.
#[derive(Debug)]
pub(super) struct Surts {
    /// Without scheme and parenthesis, beside the prefix as an explanation shows it.
    prefixes: Vec<(String, String)>,
}

impl Surts {
    pub(super) fn new(prefixes: &[String]) -> Surts {
        let bare = |prefix: &str| prefix.split_once('(').map_or(prefix, |(_, rest)| rest).to_owned();
        Surts { prefixes: prefixes.iter().map(|p| (bare(p), format!("SURT prefix {p}"))).collect() }
    }

    /// The prefix that the URL begins with, as an explanation shows it.
    pub(super) fn of(&self, url: &CanonicalUrl) -> Option<&str> {
        if self.prefixes.is_empty() {
            return None;
        }
        let surt = surt(url);
        self.prefixes.iter().find(|(bare, _)| surt.starts_with(bare)).map(|(_, shown)| shown.as_str())
    }
}

/// What follows `http://(` in the URL's SURT: `org,example,www,)/path?query`. Addresses are not turned round.
fn surt(url: &CanonicalUrl) -> String {
    let host = url.host_name();
    let mut surt = String::with_capacity(url.as_str().len() + 4);
    if host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok() {
        surt.push_str(host);
    } else {
        for label in host.rsplit('.') {
            surt.push_str(label);
            surt.push(',');
        }
    }
    if let Some(port) = url.as_url().port() {
        surt.push_str(&format!(":{port}"));
    }
    surt.push(')');
    surt.push_str(url.target());
    surt
}

#[cfg(test)]
mod tests {
    use super::{Surts, surt};
    use annalist_model::CanonicalUrl;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    #[test]
    fn a_host_name_is_turned_round_and_an_address_is_not() {
        assert_eq!(surt(&url("https://www.example.org/a?b=c")), "org,example,www,)/a?b=c");
        assert_eq!(surt(&url("http://example.org:8080/")), "org,example,:8080)/");
        assert_eq!(surt(&url("http://127.0.0.1/a")), "127.0.0.1)/a");
    }

    #[test]
    fn a_prefix_holds_what_begins_with_it_under_either_scheme() {
        let surts = Surts::new(&["http://(org,example,".to_owned(), "https://(gr,in,)/news/".to_owned()]);
        assert!(surts.of(&url("https://www.example.org/x")).is_some());
        assert!(surts.of(&url("http://example.org/")).is_some());
        assert_eq!(surts.of(&url("http://in.gr/news/1")), Some("SURT prefix https://(gr,in,)/news/"));
        assert_eq!(surts.of(&url("http://in.gr/sport/1")), None);
        assert_eq!(surts.of(&url("http://www.in.gr/news/1")), None);
        assert_eq!(surts.of(&url("http://exampled.org/")), None);
    }
}
