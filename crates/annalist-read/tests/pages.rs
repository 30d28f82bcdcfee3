//! Whole pages, with what is to be read from them.

use annalist_model::page::{PartKind, RobotsMeta};
use annalist_model::{CanonicalUrl, Canonicaliser, FoundLink, LinkKind, Page, Readability, ResponseHead};
use annalist_read::Reader;
use annalist_read::tree::{NodeId, Step};

fn head(fields: &[(&str, &str)]) -> ResponseHead {
    let fields = fields.iter().map(|(n, v)| ((*n).to_owned(), v.as_bytes().to_vec())).collect();
    ResponseHead { status: 200, fields }
}

#[expect(clippy::unwrap_used, reason = "the address is written right here")]
fn read_as(content_type: &str, body: impl AsRef<[u8]>) -> Page {
    let url = CanonicalUrl::parse("http://a.test/dir/page.html").unwrap();
    Reader::new(Canonicaliser::default()).read(&url, &head(&[("Content-Type", content_type)]), body.as_ref())
}

fn html(body: &str) -> Page {
    read_as("text/html; charset=utf-8", body)
}

fn only(page: &Page) -> &FoundLink {
    assert_eq!(page.links.len(), 1, "{:?}", page.links);
    &page.links[0]
}

fn addresses(page: &Page) -> Vec<(LinkKind, &str)> {
    page.links.iter().map(|link| (link.kind, link.url.as_str())).collect()
}

#[test]
fn a_link_has_its_words_and_the_text_around_it() {
    let page = html(
        "<nav><a href=/>Home</a></nav><div><p>On Monday <a href='../next?x=1#y'>the <b>town\n council</b></a> \
         met again.</p><p>Elsewhere.</p></div>",
    );
    let link = &page.links[1];
    assert_eq!(link.url.as_str(), "http://a.test/next?x=1");
    assert_eq!((link.kind, link.nofollow), (LinkKind::Anchor, false));
    assert_eq!(link.anchor, "the town council");
    assert_eq!(link.context, "On Monday the town council met again.");
    assert_eq!(page.links[0].context, "Home");
}

#[test]
fn a_page_has_parts_and_its_links_stand_in_them() {
    let page = html(
        "<nav><a href=/home>Home</a></nav><div id=content><p>Before.</p><h2>Elections</h2><p>See <a href=/votes>the \
         votes</a>.</p><h2>Weather</h2><p>Rain.</p></div><div class='site-footer'><a href=/about>About</a></div>",
    );
    let ends = page.parts.iter().skip(1).map(|part| part.from).chain([page.text.len()]);
    let parts: Vec<_> =
        page.parts.iter().zip(ends).map(|(p, end)| (p.kind, page.text[p.from..end].trim())).collect();
    assert_eq!(
        parts,
        [
            (PartKind::Navigation, "Home"),
            (PartKind::Main, "Before."),
            (PartKind::Main, "Elections\nSee the votes."),
            (PartKind::Main, "Weather\nRain."),
            (PartKind::Footer, "About"),
        ]
    );
    let words: Vec<_> = page.links.iter().map(|link| page.text[link.at.clone()].trim()).collect();
    assert_eq!(words, ["Home", "the votes", "About"]);
}

#[test]
fn a_picture_speaks_for_a_link_without_words() {
    let page = html("<a href=/x><img src=i.png alt='The  harbour'></a><a href=/y title='Why'></a>");
    let words: Vec<_> = page.links.iter().map(|l| (l.url.path(), l.anchor.as_str())).collect();
    assert_eq!(words, [("/x", "The harbour"), ("/dir/i.png", "The harbour"), ("/y", "Why")]);
}

#[test]
fn a_link_mentioned_twice_keeps_the_words_it_has() {
    let page = html("<a href=/x><img src=/i.png></a> <a href='/x#part'>words</a> <a href=/x>other</a>");
    assert_eq!(page.links.iter().filter(|l| l.url.path() == "/x").count(), 1);
    assert_eq!(page.links[0].anchor, "words");
}

#[test]
fn nofollow_counts_only_where_every_mention_says_so() {
    let page = html("<a rel='x NoFollow' href=/a>1</a><a rel=ugc href=/b>2</a><a href=/b>3</a>");
    let asked: Vec<_> = page.links.iter().map(|l| l.nofollow).collect();
    assert_eq!(asked, [true, false]);
}

#[test]
fn the_first_base_holds_for_the_whole_page() {
    let page = html("<link rel=next href=n><base target=x><base href='/b/'><base href='/c/'><a href=x>x</a>");
    assert_eq!(
        addresses(&page),
        [(LinkKind::Relation, "http://a.test/b/n"), (LinkKind::Anchor, "http://a.test/b/x")]
    );
}

#[test]
fn the_canonical_address_is_known_from_markup_or_header() {
    let page = html("<link rel='canonical' href='/real'>");
    assert_eq!(page.canonical.as_ref().map(CanonicalUrl::as_str), Some("http://a.test/real"));
    let url = CanonicalUrl::parse("http://a.test/").unwrap();
    let head = head(&[("Link", "</h>; rel=canonical, </s>; rel=stylesheet"), ("content-type", "text/html")]);
    let page = Reader::new(Canonicaliser::default()).read(&url, &head, b"<link rel=canonical href=/m>");
    assert_eq!(page.canonical.as_ref().map(CanonicalUrl::path), Some("/h"));
    assert_eq!(
        addresses(&page),
        [
            (LinkKind::LinkHeader, "http://a.test/h"),
            (LinkKind::Style, "http://a.test/s"),
            (LinkKind::Relation, "http://a.test/m"),
        ]
    );
}

#[test]
fn what_a_page_asks_of_robots_is_noted() {
    let page = html("<meta name=Robots content='noindex, nofollow'>");
    assert_eq!(page.robots, RobotsMeta { noindex: true, nofollow: true, noarchive: false });
    let url = CanonicalUrl::parse("http://a.test/").unwrap();
    let head = head(&[("X-Robots-Tag", "noarchive")]);
    assert!(Reader::new(Canonicaliser::default()).read(&url, &head, b"%PDF-1").robots.noarchive);
}

#[test]
fn only_visible_text_is_text() {
    let page = html(
        "<html lang=en><head><title> The\n title </title><style>a{}</style></head><body><h1>Head</h1>\
         <script>var no;</script><p>One <b>two</b>&nbsp;three<br>four<noscript>no <a href=/n>n</a></noscript>\
         <template>no</template><div hidden>no</div><div style='display: none'>no</div>\
         <ul><li>a<li>b</ul><table><tr><td>c<td>d</table><!-- no -->",
    );
    assert_eq!(page.title.as_deref(), Some("The title"));
    assert_eq!(page.text, "Head\nOne two\u{a0}three\nfour\na\nb\nc d");
    assert_eq!(page.language.as_deref(), Some("en"));
    assert_eq!(only(&page).url.path(), "/n");
}

#[test]
fn the_text_is_cut_and_the_links_after_the_cut_are_not() {
    let page = html(&format!("<p>{}</p><a href=/end>the end</a>", "word ".repeat(50_000)));
    assert_eq!(page.text.len(), 64 << 10);
    assert_eq!(only(&page).anchor, "the end");
    assert_eq!(page.readability, Readability::Whole);
}

#[test]
fn styles_in_pages_and_style_sheets_name_pictures_and_more_styles() {
    let page = html("<style>@import 'x.css'; p{background:url(i.png)}</style><p style='cursor:url(/c.cur)'>");
    let expected = [
        (LinkKind::Style, "http://a.test/dir/x.css"),
        (LinkKind::CssUrl, "http://a.test/dir/i.png"),
        (LinkKind::CssUrl, "http://a.test/c.cur"),
    ];
    assert_eq!(addresses(&page), expected);
    let sheet = read_as("text/css", "@import 'x.css'; p{background:url(i.png)} q{cursor:url(/c.cur)}");
    assert_eq!((sheet.mime.as_str(), addresses(&sheet)), ("text/css", expected.to_vec()));
}

#[test]
fn a_feed_names_its_entries_and_what_is_in_them() {
    let page = read_as(
        "text/xml",
        "<rss version='2.0'><channel><title>News</title><link>/</link><item><title>First &lt;b&gt;</title>\
         <link>/1</link><description><![CDATA[<p>See <a href='/deep'>there</a><img src='p.png'>]]></description>\
         </item></channel></rss>",
    );
    assert_eq!((page.mime.as_str(), page.title.as_deref()), ("application/rss+xml", Some("News")));
    assert_eq!(
        addresses(&page),
        [
            (LinkKind::Feed, "http://a.test/"),
            (LinkKind::Feed, "http://a.test/1"),
            (LinkKind::Anchor, "http://a.test/deep"),
            (LinkKind::Image, "http://a.test/dir/p.png"),
        ]
    );
    assert_eq!((page.links[1].anchor.as_str(), page.links[1].context.as_str()), ("First <b>", "See there"));
    assert_eq!(page.links[2].anchor, "there");
    assert_eq!(page.text, "First <b>\nSee there");
}

#[test]
fn a_broken_feed_says_so_and_keeps_what_was_read() {
    let page = read_as("text/xml", "<rss><channel><item><link>http://a.test/1</link></item><item><![CDATA[");
    assert_eq!(only(&page).kind, LinkKind::Feed);
    assert!(matches!(page.readability, Readability::Partial(_)));
}

#[test]
fn a_sitemap_is_read_packed_and_unpacked() {
    use std::io::Write;
    let xml = "<?xml version='1.0'?><urlset><url><loc>http://a.test/1</loc></url></urlset>";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(xml.as_bytes()).unwrap();
    for (body, mime) in
        [(xml.as_bytes().to_vec(), "application/xml"), (gzip.finish().unwrap(), "application/gzip")]
    {
        let page = read_as("application/octet-stream", body);
        assert_eq!(page.mime, mime);
        assert_eq!((only(&page).kind, only(&page).kind.hop().letter()), (LinkKind::Sitemap, 'M'));
    }
}

#[test]
fn what_cannot_be_read_is_opaque_and_what_is_mislabelled_is_read() {
    for body in
        [b"\x89PNG\r\n\x1A\n<a href=/x>".as_slice(), b"\x1F\x8B\x08\0nonsense", b"\0\0\0\x1Fbinary\x01\x02"]
    {
        let page = read_as("text/html", body);
        assert_eq!((page.readability, page.links.len(), page.charset), (Readability::Opaque, 0, None));
    }
    let page = read_as("text/plain", "<!DOCTYPE html><a href=/x>x</a>");
    assert_eq!((page.mime.as_str(), page.links.len()), ("text/html", 1));
}

#[test]
fn pages_of_any_charset_are_read() {
    let page = read_as("text/html", b"<meta charset=windows-1251><title>\xCF\xF0\xE8\xE2\xE5\xF2</title>");
    assert_eq!((page.title.as_deref(), page.charset), (Some("Привет"), Some("windows-1251")));
    let utf_16: Vec<u8> = "<title>Grüße</title>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_as("text/html", utf_16).title.as_deref(), Some("Grüße"));
}

#[test]
fn a_query_is_asked_for_in_the_words_of_its_page() {
    // Д in each charset, in path and query; and the same letter as a reference.
    for (charset, letter, query) in [
        ("windows-1251", &b"\xC4"[..], "%C4"),
        ("koi8-r", &b"\xE4"[..], "%E4"),
        ("shift_jis", &b"\x84\x44"[..], "%84D"),
        ("euc-kr", &b"\xAC\xA5"[..], "%AC%A5"),
        ("utf-8", "\u{414}".as_bytes(), "%D0%94"),
    ] {
        let body = [b"<a href='/".as_slice(), letter, b"?q=", letter, b"&r=&#1044;'>x</a>"].concat();
        let page = read_as(&format!("text/html; charset={charset}"), &body);
        assert_eq!(
            only(&page).url.as_str(),
            format!("http://a.test/%D0%94?q={query}&r={query}"),
            "{charset}"
        );
    }
    let utf_16: Vec<u8> = "<a href='/?q=\u{414}'>x</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(only(&read_as("text/html", &utf_16)).url.as_str(), "http://a.test/?q=%D0%94");
    let lacking = read_as("text/html; charset=windows-1251", "<a href='/?q=&#12354;'>x</a>");
    assert_eq!(only(&lacking).url.as_str(), "http://a.test/?q=%26%2312354%3B");
}

#[test]
fn feeds_and_sitemaps_ask_in_utf_8_whatever_they_are_written_in() {
    let sitemap = [
        b"<?xml version='1.0' encoding='windows-1251'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
            .as_slice(),
        b"<url><loc>http://a.test/?q=\xC4</loc></url></urlset>",
    ]
    .concat();
    assert_eq!(only(&read_as("application/xml", &sitemap)).url.as_str(), "http://a.test/?q=%D0%94");
}

#[test]
fn mentions_that_are_no_address_are_counted() {
    let page = html(
        "<a href='mailto:a@b.test'>m</a><a href='javascript:x()'>j</a><img src='data:image/gif;base64,R'>",
    );
    assert_eq!((page.links.len(), page.unusable.count), (0, 3));
}

#[test]
fn nesting_beyond_the_limit_leaves_a_partial_page() {
    let page = html(&format!(
        "{}<a href=/lost>x</a>{}<a href=/found>y</a>",
        "<ul><li>".repeat(600),
        "</ul>".repeat(600)
    ));
    assert_eq!(page.readability, Readability::Partial("nesting deeper than 512".into()));
    assert_eq!(only(&page).url.path(), "/found");
}

#[test]
fn a_page_that_is_hard_to_read_is_left_for_later_and_then_read_the_same() {
    let url = Canonicaliser::default().parse("http://a.test/").unwrap();
    let head = head(&[("Content-Type", "text/html")]);
    let reader = Reader::new(Canonicaliser::default());
    let light = |body: &str| Some(reader.read_light(LinkKind::Anchor, &url, &head, body.as_bytes())?.0);
    let row = "<tr><td><a href=x><b>cell</b></a></td><td><ul><li>one<li>two</ul></td></tr>";
    let ordinary = format!("<title>t</title><table>{}</table>", row.repeat(2000));
    assert_eq!(light(&ordinary), Some(reader.read(&url, &head, ordinary.as_bytes())));
    let nested = format!("{}<a href=deep>x</a>", "<div>".repeat(30_000));
    let entangled = format!("{}<p>x", "<b id=1><i><u><p>".repeat(3_000));
    let huge = format!("<p>{}", "word ".repeat(200_000));
    for hard in [nested, entangled, huge] {
        assert_eq!(light(&hard), None);
    }
}

#[test]
fn the_text_of_an_element_is_found_in_the_text_of_the_page() {
    let url = CanonicalUrl::parse("http://a.test/").unwrap();
    let head = head(&[("Content-Type", "text/html")]);
    let html = b"<p>Before<div><h2>The post</h2><script>x</script>said <b>much</b></div><p>After";
    let (page, tree) = Reader::new(Default::default()).read_with_tree(&url, &head, html);
    let tree = tree.unwrap();
    let text = |name: &str| {
        let is_it = |step: Step| match step {
            Step::Enter(node) => tree.element(node).filter(|element| &**element.name() == name).map(|_| node),
            Step::Leave(_) => None,
        };
        let node = tree.walk(NodeId::ROOT).find_map(is_it).unwrap();
        page.text[tree.stands_at(node).unwrap()].trim().to_owned()
    };
    assert_eq!(text("div"), "The post\nsaid much");
    assert_eq!(text("b"), "much");
    assert_eq!(text("script"), "");
    assert_eq!(text("body"), page.text);
}
