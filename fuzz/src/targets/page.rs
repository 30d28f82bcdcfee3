//! Whole responses: the header fields that reading looks at, and a body of any kind. Whatever comes in, a page comes
//! out, all its links can be fetched, and its date is more or less sure.

use annalist_apps::published::{Captured, dates};
use annalist_model::{CanonicalUrl, Canonicaliser, Page, Readability, ResponseHead, Time};
use annalist_read::{READER_FAULT, Reader};

const ADDRESS: &str = "http://a.test/dir/page?x=1";
const LONGEST_TEXT: usize = 64 << 10;

/// Fields up to an empty line, then the body.
pub(crate) fn run(data: &[u8]) {
    let mut fields = Vec::new();
    let mut rest = data;
    while let Some(end) = rest.iter().position(|b| *b == b'\n') {
        let line = rest[..end].trim_ascii_end();
        rest = &rest[end + 1..];
        let Some(colon) = line.iter().position(|b| *b == b':') else { break };
        let name = String::from_utf8_lossy(&line[..colon]).into_owned();
        fields.push((name, line[colon + 1..].trim_ascii().to_vec()));
    }
    check(&read(fields, rest));
}

/// Reads bytes that the server calls `content_type`, and checks the page.
pub(super) fn read_as(content_type: &str, body: &[u8]) -> Page {
    let page = read(vec![("Content-Type".to_owned(), content_type.as_bytes().to_vec())], body);
    check(&page);
    page
}

fn read(fields: Vec<(String, Vec<u8>)>, body: &[u8]) -> Page {
    let Ok(url) = CanonicalUrl::parse(ADDRESS) else { return Page::default() };
    let head = ResponseHead { status: 200, fields };
    let (mut page, tree) = Reader::new(Canonicaliser::default()).read_with_tree(&url, &head, body);
    if let Some(tree) = tree {
        page.published = dates(&tree, &page, &url, &head, Captured::Before(Time::MAX)).published;
    }
    page
}

fn check(page: &Page) {
    assert_ne!(page.readability, Readability::Partial(READER_FAULT.to_owned()), "the reader has a fault");
    assert!(!page.mime.is_empty() && !page.mime.contains([';', ' ']), "{:?} is no media type", page.mime);
    assert!(page.text.len() <= LONGEST_TEXT);
    assert!(page.language.as_ref().is_none_or(|language| language.len() == 2));
    for url in page.links.iter().map(|link| &link.url).chain(&page.canonical) {
        assert!(matches!(url.as_url().scheme(), "http" | "https"), "{url} cannot be fetched");
        assert!(!url.host_name().is_empty() && url.target().starts_with('/'), "{url} names no page");
        assert_eq!(CanonicalUrl::parse(url.as_str()).as_ref(), Ok(url), "a link is not in canonical form");
    }
    assert!(page.published.is_none_or(|published| (0.0..=1.0).contains(&published.confidence)));
    for link in &page.links {
        assert!(!link.anchor.contains(['\n', '\r']), "{:?} is more than one line", link.anchor);
    }
}
