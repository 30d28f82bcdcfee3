//! Sitemaps as XML, as a list of lines and packed: what is found stands in the file, and unpacking has a limit.

use std::io::Write;

use annalist_read::sitemap;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::page::read_as;

const MOST_UNPACKED: u64 = 5_000;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for sitemap in [sitemap::read(&text), sitemap::read_text(&text)] {
        assert!(sitemap.addresses.len() <= text.len());
        for address in &sitemap.addresses {
            assert!(!address.raw.trim().is_empty(), "an empty address");
            assert!(address.raw.len() <= text.len(), "an address longer than the sitemap");
        }
    }
    assert!(sitemap::inflate(data, MOST_UNPACKED).len() as u64 <= MOST_UNPACKED, "unpacked beyond the limit");
    let plain = read_as("application/xml", data);
    if plain.mime == "application/xml" && !plain.links.is_empty() && data.len() as u64 <= MOST_UNPACKED {
        let packed = read_as("application/gzip", &gzip(data));
        assert_eq!(packed.links, plain.links, "packing changes what a sitemap says");
    }
}

/// A packed sitemap.
pub(crate) fn made() -> Vec<Vec<u8>> {
    vec![gzip(b"<?xml version='1.0'?><urlset><url><loc>http://a.test/1</loc></url></urlset>")]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}
