//! RSS and Atom: what is found stands in the feed, and the feed becomes a page like any other.

use annalist_read::feed;

use super::page::read_as;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let feed = feed::read(&text);
    assert!(feed.entries.len() <= text.len());
    let links = feed.links.iter().chain(feed.entries.iter().flat_map(|entry| &entry.links));
    assert!(links.clone().count() <= text.len());
    for link in links {
        assert!(!link.raw.trim().is_empty(), "an empty address");
        // Entities make a text shorter; nothing makes it longer.
        assert!(link.raw.len() <= text.len(), "an address longer than the feed");
    }
    read_as("application/rss+xml", data);
}
