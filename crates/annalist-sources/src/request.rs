//! The bytes of a request. Every value in it is known to be free of line ends before it comes here, or is dropped.

use annalist_model::CanonicalUrl;
use url::{Position, Url};

use crate::letters::Letter;

/// Brotli and zstd are not asked for: their bodies break other people's tools.
const CODINGS: &str = "Accept-Encoding: gzip, deflate\r\n";
const FIXED_FIELDS: &str = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
    Connection: keep-alive\r\n";

/// The fields that say who asks.
pub(crate) fn introduction(user_agent: &str, from: Option<&str>) -> String {
    let mut text = String::new();
    field(&mut text, "User-Agent", user_agent);
    if let Some(from) = from {
        field(&mut text, "From", from);
    }
    text
}

/// What is asked of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// All of it; with the page that named the link.
    Whole { via: Option<&'a str> },
    /// The bytes of a file from the first to the last.
    Part { first: u64, last: u64 },
    /// Nothing: it is to take what is sent.
    Taken(Letter<'a>),
}

/// `cookies` is the value of the Cookie field.
pub(crate) fn request(
    url: &CanonicalUrl,
    introduction: &str,
    wanted: Wanted<'_>,
    cookies: Option<&str>,
) -> Vec<u8> {
    let mut text = String::with_capacity(512);
    let method = if matches!(wanted, Wanted::Taken(_)) { "POST " } else { "GET " };
    for part in [method, url.target(), " HTTP/1.1\r\nHost: ", authority(url), "\r\n", introduction] {
        text.push_str(part);
    }
    text.push_str(FIXED_FIELDS);
    match wanted {
        Wanted::Whole { via } => {
            text.push_str(CODINGS);
            if let Some(referer) = via.and_then(|via| referer(url, via)) {
                field(&mut text, "Referer", &referer);
            }
        }
        // A coding would make other bytes of them.
        Wanted::Part { first, last } => {
            field(&mut text, "Accept-Encoding", "identity");
            field(&mut text, "Range", &format!("bytes={first}-{last}"));
        }
        Wanted::Taken(letter) => {
            field(&mut text, "Content-Type", letter.content_type);
            field(&mut text, "Content-Length", &letter.body.len().to_string());
            if let Some(authorization) = letter.authorization {
                field(&mut text, "Authorization", authorization);
            }
        }
    }
    if let Some(cookies) = cookies {
        field(&mut text, "Cookie", cookies);
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    if let Wanted::Taken(letter) = wanted {
        bytes.extend_from_slice(letter.body);
    }
    bytes
}

/// Whether a text may stand in a header field as it is.
pub(crate) fn is_field_text(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| matches!(b, b' '..=b'~'))
}

fn field(text: &mut String, name: &str, value: &str) {
    text.push_str(name);
    text.push_str(": ");
    text.push_str(value);
    text.push_str("\r\n");
}

fn authority(url: &CanonicalUrl) -> &str {
    &url.as_url()[Position::BeforeHost..Position::AfterPort]
}

/// The page that named the link: never a secret of its address, and nothing of an https page over http.
fn referer(url: &CanonicalUrl, via: &str) -> Option<String> {
    let mut via = Url::parse(via).ok()?;
    let told = match via.scheme() {
        "https" => url.is_https(),
        "http" => true,
        _ => false,
    };
    if !told {
        return None;
    }
    via.set_fragment(None);
    via.set_username("").ok()?;
    via.set_password(None).ok()?;
    Some(via.into())
}

#[cfg(test)]
mod tests {
    use super::{Wanted, introduction, is_field_text};
    use crate::letters::Letter;
    use annalist_model::CanonicalUrl;

    fn request(url: &str, via: Option<&str>, cookies: Option<&str>) -> String {
        let who = introduction("annalist/1", None);
        let url = CanonicalUrl::parse(url).unwrap();
        String::from_utf8(super::request(&url, &who, Wanted::Whole { via }, cookies)).unwrap()
    }

    #[test]
    fn a_part_is_asked_for_as_it_is_stored() {
        let url = CanonicalUrl::parse("http://a.test/x.warc.gz").unwrap();
        let part = super::request(&url, "", Wanted::Part { first: 5, last: 9 }, None);
        let part = String::from_utf8(part).unwrap();
        assert!(part.contains("\r\nAccept-Encoding: identity\r\nRange: bytes=5-9\r\n"), "{part}");
    }

    #[test]
    fn a_letter_is_posted_with_its_length_and_login() {
        let url = CanonicalUrl::parse("http://a.test/update").unwrap();
        let letter =
            Letter { content_type: "text/plain", authorization: Some("Bearer x"), body: "ä".as_bytes() };
        let sent = String::from_utf8(super::request(&url, "", Wanted::Taken(letter), None)).unwrap();
        assert!(sent.starts_with("POST /update HTTP/1.1\r\nHost: a.test\r\n"), "{sent}");
        let fields = "\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nAuthorization: Bearer x\r\n\r\nä";
        assert!(sent.ends_with(fields), "{sent}");
    }

    #[test]
    fn a_request_names_host_port_and_target() {
        let request = request("http://a.test:81/p%C3%A9?q=1", None, None);
        assert!(
            request.starts_with("GET /p%C3%A9?q=1 HTTP/1.1\r\nHost: a.test:81\r\nUser-Agent: annalist/1\r\n")
        );
        assert!(request.ends_with("\r\n\r\n"));
        assert!(request.contains("\r\nAccept-Encoding: gzip, deflate\r\n"));
        assert!(!request.contains("Referer") && !request.contains("Cookie"));
    }

    #[test]
    fn a_mail_address_has_a_field_of_its_own() {
        let who = introduction("annalist/1", Some("crawler@library.example"));
        assert_eq!(who, "User-Agent: annalist/1\r\nFrom: crawler@library.example\r\n");
    }

    #[test]
    fn the_page_before_is_told_except_from_https_to_http() {
        let told = |url: &str, via: &str| request(url, Some(via), None).contains("\r\nReferer: ");
        assert!(told("http://a.test/", "http://b.test/x"));
        assert!(told("https://a.test/", "http://b.test/x"));
        assert!(told("https://a.test/", "https://b.test/x"));
        assert!(!told("http://a.test/", "https://b.test/x"));
        assert!(!told("http://a.test/", "ftp://b.test/x"));
        assert!(!told("http://a.test/", "no url"));
    }

    #[test]
    fn no_secret_and_no_line_end_is_told() {
        let request = request("http://a.test/", Some("http://u:p@b.test/x\r\nEvil: 1#f"), Some("a=b"));
        assert!(request.contains("\r\nReferer: http://b.test/xEvil:%201\r\n"), "{request}");
        assert!(request.contains("\r\nCookie: a=b\r\n"));
    }

    #[test]
    fn only_printable_text_may_stand_in_a_field() {
        assert!(is_field_text("annalist/1.0 (+https://library.example/)"));
        for text in ["", "a\r\nb", "a\tb", "ä"] {
            assert!(!is_field_text(text), "{text:?}");
        }
    }
}
