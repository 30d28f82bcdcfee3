//! Index keys: any text has one, it is one word, and http and https of an address share it.

use annalist_model::CanonicalUrl;
use annalist_warc::{surt_key, surt_prefix_form};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let key = surt_key(&text);
    assert!(!key.is_empty(), "a key that is no word");
    assert!(!key.contains(|c: char| c.is_ascii_whitespace()), "{key:?} is more than one word");
    assert!(!surt_prefix_form(&text).is_empty() || text.is_empty());
    let Ok(url) = CanonicalUrl::parse(&text) else { return };
    let key = surt_key(url.as_str());
    assert!(key.contains(")/"), "{key:?} has no host and path");
    assert_eq!(surt_key(&format!(" {url}#part")), key, "the fragment counts");
    if url.as_url().port().is_none()
        && let Some(rest) = url.as_str().strip_prefix("https")
    {
        assert_eq!(surt_key(&format!("http{rest}")), key, "the scheme counts");
    }
    let form = surt_prefix_form(url.as_str());
    assert!(form.starts_with("http://(") && form.contains(")/"), "{form:?}");
}
