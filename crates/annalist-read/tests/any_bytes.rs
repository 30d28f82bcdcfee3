//! No bytes and no headers bring the reader down, and every link it finds can be fetched.

use annalist_model::{CanonicalUrl, Canonicaliser, Page, Readability, ResponseHead};
use annalist_read::{READER_FAULT, Reader, charset, css, feed, mime, sitemap, srcset};
use proptest::prelude::*;

/// Pieces that steer random pages into the parsers' corners.
const PIECES: [&str; 58] = [
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&",
    "&amp;",
    "&#x0;",
    "\"",
    "'",
    "=",
    " ",
    "\n",
    "\0",
    "<!DOCTYPE html>",
    "<html lang=de>",
    "<head>",
    "<title>",
    "</title>",
    "<base href=//b.test/>",
    "<body>",
    "<a href=",
    "http://x.test/",
    "//y.test:99999/",
    "javascript:",
    "data:,",
    "%zz",
    "\u{fc}",
    "\u{1F600}",
    "<img srcset='a 1x, b 2x' src=c>",
    "<style>",
    "url(",
    ")",
    "@import ",
    "</style>",
    "<script>",
    "</script>",
    "<table>",
    "<tr><td>",
    "<b>",
    "<i>",
    "</b>",
    "<p>",
    "<svg>",
    "<foreignObject>",
    "<math><annotation-xml>",
    "<template>",
    "<select><option>",
    "<form>",
    "<meta charset=utf-16>",
    "<meta http-equiv=refresh content='0;url=x'>",
    "<?xml version='1.0'?>",
    "<rss><channel><item><link>",
    "<urlset><url><loc>",
    "<frameset>",
];

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60).prop_map(|p| p.concat().into_bytes())
}

fn fields() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let name = prop::sample::select(vec!["content-type", "link", "x-robots-tag", "other"]);
    let value = prop_oneof![
        prop::sample::select(vec![
            "text/html; charset=shift_jis",
            "text/html",
            "application/rss+xml",
            "text/css",
            "application/xml; charset=utf-16",
            "</x>; rel=\"next\", <y",
        ])
        .prop_map(|v| v.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..30),
    ];
    prop::collection::vec((name.prop_map(str::to_owned), value), 0..4)
}

fn check(page: &Page) -> Result<(), TestCaseError> {
    prop_assert_ne!(&page.readability, &Readability::Partial(READER_FAULT.to_owned()));
    for link in &page.links {
        prop_assert!(matches!(link.url.as_url().scheme(), "http" | "https"));
        prop_assert!(!link.url.host_name().is_empty());
        prop_assert!(!link.anchor.contains('\n'));
    }
    prop_assert!(page.language.as_ref().is_none_or(|l| l.len() == 2));
    prop_assert!(page.text.len() <= 64 << 10);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_bytes_with_any_headers_make_a_page(
        fields in fields(),
        body in prop_oneof![pieces(), prop::collection::vec(any::<u8>(), 0..400)],
    ) {
        let url = CanonicalUrl::parse("http://a.test/dir/page").unwrap();
        let head = ResponseHead { status: 200, fields };
        check(&Reader::new(Canonicaliser::default()).read(&url, &head, &body))?;
    }

    #[test]
    fn any_bytes_go_through_every_parser(body in prop_oneof![pieces(), prop::collection::vec(any::<u8>(), 0..400)]) {
        let text = charset::decode(&body, Some("utf-8")).text.into_owned();
        let detected = mime::detect(Some(&text), &body);
        prop_assert!(!detected.mime.is_empty());
        prop_assert!(css::urls(&text).count() <= text.len());
        prop_assert!(srcset::candidates(&text).count() <= text.len());
        prop_assert!(feed::read(&text).entries.len() <= text.len());
        prop_assert!(sitemap::read(&text).addresses.len() <= text.len());
        prop_assert!(sitemap::inflate(&body, 100).len() <= 100);
    }
}
