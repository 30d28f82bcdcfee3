//! Sitemaps: url sets, indexes, their image and video extensions, plain lists, and the gzip they come in.
//! Which of the addresses a crawl wants is decided by its scope.

use std::io::Read;

use annalist_model::LinkKind;

use crate::xml::{Piece, Pieces};

/// What the protocol allows in one file; the extensions get as many again.
pub const MOST_URLS: usize = 50_000;
/// What the protocol allows a file to be, unpacked.
pub const MOST_BYTES: u64 = 50 << 20;

/// What a sitemap or an index of sitemaps names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    pub addresses: Vec<Address>,
    /// Why it was not read to its end.
    pub fault: Option<String>,
}

/// An address as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub raw: String,
    /// [`LinkKind::Sitemap`] for pages and further sitemaps; images and films have their own.
    pub kind: LinkKind,
}

impl Sitemap {
    /// Whether there is room for one more of this kind.
    fn has_room(&self) -> bool {
        self.addresses.len() < 2 * MOST_URLS
    }
}

/// Reads a `urlset` or `sitemapindex`; what stands before a fault is kept.
pub fn read(xml: &str) -> Sitemap {
    let mut sitemap = Sitemap::default();
    let mut pieces = Pieces::new(xml);
    let mut pages = 0_usize;
    // The address being read, and how deep its element is.
    let mut open: Option<(LinkKind, usize, String)> = None;
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Start(tag) => {
                if let Some(kind) = location_kind(tag.name()) {
                    open = Some((kind, pieces.depth(), String::new()));
                } else if tag.name() == "xhtml:link"
                    && let Some(raw) = tag.attribute("href").filter(|raw| !raw.trim().is_empty())
                {
                    sitemap.addresses.push(Address { raw, kind: LinkKind::Sitemap });
                }
            }
            Piece::Text(text) => append(&mut open, &text),
            Piece::Character(c) => append(&mut open, c.encode_utf8(&mut [0; 4])),
            Piece::End => {
                if let Some((kind, _, raw)) = open.take_if(|(_, depth, _)| pieces.depth() < *depth) {
                    pages += usize::from(kind == LinkKind::Sitemap);
                    let raw = raw.trim().to_owned();
                    if !raw.is_empty() {
                        sitemap.addresses.push(Address { raw, kind });
                    }
                }
            }
        }
        if pages > MOST_URLS || !sitemap.has_room() {
            sitemap.addresses.pop();
            sitemap.fault = Some(format!("more than {MOST_URLS} addresses in a sitemap"));
            return sitemap;
        }
    }
    sitemap.fault = pieces.into_fault();
    sitemap
}

fn append(open: &mut Option<(LinkKind, usize, String)>, text: &str) {
    if let Some((_, _, raw)) = open
        && raw.len() < annalist_model::url::LONGEST_URL * 2
    {
        raw.push_str(text);
    }
}

/// The elements that hold an address. Prefixes are those everybody uses for the extensions.
fn location_kind(name: &str) -> Option<LinkKind> {
    match name {
        "image:loc" | "video:thumbnail_loc" => Some(LinkKind::Image),
        "video:content_loc" => Some(LinkKind::Media),
        "video:player_loc" => Some(LinkKind::Frame),
        "loc" => Some(LinkKind::Sitemap),
        prefixed if prefixed.ends_with(":loc") => Some(LinkKind::Sitemap),
        _ => None,
    }
}

/// Reads a sitemap that is a plain list, one address a line. Only for files that robots.txt calls a sitemap:
/// any other text may begin its lines with an address, too.
pub fn read_text(text: &str) -> Sitemap {
    let mut lines =
        text.lines().map(str::trim).filter(|l| l.starts_with("http://") || l.starts_with("https://"));
    let address = |line: &str| Address { raw: line.to_owned(), kind: LinkKind::Sitemap };
    let addresses = lines.by_ref().take(MOST_URLS).map(address).collect();
    let fault = lines.next().map(|_| format!("more than {MOST_URLS} addresses in a sitemap"));
    Sitemap { addresses, fault }
}

/// Unpacks gzip up to `most` bytes; what comes before a fault is kept.
pub fn inflate(gzip: &[u8], most: u64) -> Vec<u8> {
    let mut unpacked = Vec::new();
    // A fault in the middle leaves what was read so far, and that is all there is to get.
    let _ = flate2::read::MultiGzDecoder::new(gzip).take(most).read_to_end(&mut unpacked);
    unpacked
}

#[cfg(test)]
mod tests {
    use super::{MOST_URLS, inflate, read, read_text};
    use annalist_model::LinkKind::{self, *};
    use std::io::Write;

    fn found(xml: &str) -> Vec<(LinkKind, String)> {
        read(xml).addresses.into_iter().map(|a| (a.kind, a.raw)).collect()
    }

    #[test]
    fn an_empty_address_is_none() {
        assert_eq!(found("<urlset><url><loc> </loc><xhtml:link href=''/></url></urlset>"), []);
    }

    #[test]
    fn pages_and_their_pictures_and_films_are_found() {
        let xml = "<?xml version='1.0'?><urlset xmlns='x' xmlns:image='y'>
            <url><loc> http://a.test/?a=1&amp;b=2 </loc><lastmod>2020-01-01</lastmod>
              <image:image><image:loc><![CDATA[http://a.test/i.png]]></image:loc></image:image>
              <video:video><video:content_loc>http://a.test/v.mp4</video:content_loc></video:video>
              <xhtml:link rel='alternate' hreflang='de' href='http://a.test/de'/></url>
            <url><loc/></url><url><loc>http://a.test/2</loc></url></urlset>";
        assert_eq!(
            found(xml),
            [
                (Sitemap, "http://a.test/?a=1&b=2".to_owned()),
                (Image, "http://a.test/i.png".to_owned()),
                (Media, "http://a.test/v.mp4".to_owned()),
                (Sitemap, "http://a.test/de".to_owned()),
                (Sitemap, "http://a.test/2".to_owned()),
            ]
        );
    }

    #[test]
    fn an_index_names_further_sitemaps() {
        let xml = "<sitemapindex><sitemap><loc>http://a.test/1.xml.gz</loc></sitemap></sitemapindex>";
        assert_eq!(found(xml), [(Sitemap, "http://a.test/1.xml.gz".to_owned())]);
        assert_eq!(read(xml).fault, None);
    }

    #[test]
    fn a_broken_sitemap_keeps_what_stands_before_the_fault() {
        let sitemap = read("<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.te");
        assert_eq!(sitemap.addresses.len(), 1);
        assert!(sitemap.fault.is_some());
    }

    #[test]
    fn a_sitemap_ends_at_the_protocol_s_limit() {
        let entry = "<url><loc>http://a.test/1</loc></url>";
        let whole = read(&format!("<urlset>{}</urlset>", entry.repeat(MOST_URLS)));
        assert_eq!((whole.addresses.len(), whole.fault), (MOST_URLS, None));
        let over = read(&format!("<urlset>{}</urlset>", entry.repeat(MOST_URLS + 10)));
        assert_eq!(over.addresses.len(), MOST_URLS);
        assert!(over.fault.is_some());
    }

    #[test]
    fn a_list_has_one_address_a_line() {
        let sitemap = read_text("http://a.test/1\r\n\n# no\nhttps://a.test/2");
        assert_eq!(sitemap.addresses.len(), 2);
    }

    #[test]
    fn what_comes_out_of_gzip_is_capped() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&vec![b'x'; 1 << 20]).unwrap();
        let gzip = gzip.finish().unwrap();
        assert_eq!(inflate(&gzip, 1000).len(), 1000);
        assert_eq!(inflate(&gzip, 1 << 30).len(), 1 << 20);
        assert!(!inflate(&gzip[..gzip.len() / 2], 1 << 30).is_empty());
        assert!(inflate(b"\x1F\x8Bnonsense", 1000).is_empty());
    }
}
