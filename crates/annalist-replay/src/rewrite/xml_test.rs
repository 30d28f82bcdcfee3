//! Whole documents of XML through the rewriter.

use proptest::prelude::*;

use super::{Rewriting, is_page, rewrite_xml};

const PREFIX: &str = "http://replay.test:8081/job/20200102030405";
const DOCUMENT: &str = "https://live.test/a/b.html";

fn rewritten(markup: &str, piece: usize) -> String {
    let mut out = Vec::new();
    let mut xml = rewrite_xml(
        Rewriting::new("http://replay.test:8081/job/", "20200102030405", DOCUMENT),
        |bytes: &[u8]| {
            out.extend_from_slice(bytes);
        },
    );
    for piece in markup.as_bytes().chunks(piece.max(1)) {
        xml.write(piece).unwrap();
    }
    drop(xml);
    String::from_utf8(out).unwrap()
}

#[test]
fn nothing_but_addresses_changes_in_xml() {
    for (markup, expected) in [
        ("<?xml version='1.0'?>\n<p class='x'  id='y'>a &amp; b<br/>\r\n<!-- <a href='x'> --></p >", None),
        ("<a  href='x'\n>t</a>", Some("<a href=\"{}mp_/https://live.test/a/x\">t</a>")),
        ("<h:a xmlns:h='n' href='x'/>", Some("<h:a xmlns:h=\"n\" href=\"{}mp_/https://live.test/a/x\"/>")),
        ("<a x:href='x#a&amp;b'/>", Some("<a x:href=\"{}mp_/https://live.test/a/x#a&amp;b\"/>")),
        (
            "<image xlink:href='x' viewBox='1'/>",
            Some("<image xlink:href=\"{}im_/https://live.test/a/x\" viewBox=\"1\"/>"),
        ),
        // Read as HTML, all that follows these would be text.
        (
            "<title/><script src='x'/><a href='x'/>",
            Some(
                "<title/><script src=\"{}js_/https://live.test/a/x\"/><a href=\"{}mp_/https://live.test/a/x\"/>",
            ),
        ),
        (
            "<plaintext><xmp><a href='x'/></xmp></plaintext>",
            Some("<plaintext><xmp><a href=\"{}mp_/https://live.test/a/x\"/></xmp></plaintext>"),
        ),
        (
            "<![CDATA[ <plaintext> ]]><a href='x'/>",
            Some("<![CDATA[ <plaintext> ]]><a href=\"{}mp_/https://live.test/a/x\"/>"),
        ),
        (
            "<!--><plaintext>--><a href='x'/>",
            Some("<!--><plaintext>--><a href=\"{}mp_/https://live.test/a/x\"/>"),
        ),
        ("<a title='>' href=\"x\"/>", Some("<a title=\"&gt;\" href=\"{}mp_/https://live.test/a/x\"/>")),
        (
            "<style>a{b:url(&quot;x&#34;)}</style>",
            Some("<style>a{b:url(\"{}im_/https://live.test/a/x\")}</style>"),
        ),
        (
            "<style><![CDATA[p>a{b:url(x)}]]></style>",
            Some("<style>p&gt;a{b:url(\"{}im_/https://live.test/a/x\")}</style>"),
        ),
        (
            "<base href='/c/'/><a href='x'/>",
            Some("<base href=\"{}mp_/https://live.test/c/\"/><a href=\"{}mp_/https://live.test/c/x\"/>"),
        ),
        ("<link xmlns='n' rel='preconnect' href='//live.test'></link>z", Some("<link xmlns=\"n\"></link>z")),
        (
            "<img src='data:,' data-src='x'/>",
            Some("<img data-src=\"x\" src=\"{}im_/https://live.test/a/x\"/>"),
        ),
        (
            "<?xml-stylesheet href='x.css'?><a/>",
            Some("<?xml-stylesheet type=\"text/css\" href=\"{}cs_/https://live.test/a/x.css\"?><a/>"),
        ),
        ("<?xml-stylesheet type='text/xsl' href='x.xsl'?><a/>", Some("<a/>")),
        ("<a href='javascript:x'>t</a>", Some("<a>t</a>")),
        ("<a href='#x'/>", None),
        ("<a>t", None),
        ("<p>t</p><a href='http://live.test/", Some("<p>t</p>")),
    ] {
        let expected = expected.unwrap_or(markup).replace("{}", PREFIX);
        for piece in [1, 7, markup.len()] {
            assert_eq!(rewritten(markup, piece), expected, "{markup} in pieces of {piece}");
        }
    }
}

#[test]
fn no_entity_leads_out() {
    let declared = "<!DOCTYPE svg [<!ENTITY num 'http://out.test/'><!ENTITY a '<a href=\"http://out.test/\"/>'>\
                    <!ENTITY st 'fill:red'><!ATTLIST a href CDATA 'http://out.test/'>]>";
    let out =
        rewritten(&format!("{declared}<svg style='&st;'><a href='&num;x'/>&a;<a href='&colon;'/></svg>"), 5);
    let expected = format!(
        "<!DOCTYPE svg [<!ENTITY num \"http://out.test/\"><!ENTITY st \"fill:red\">]>\
         <svg style=\"fill:red\"><a href=\"{PREFIX}mp_/http://out.test/x\"/>&a;<a href=\"{PREFIX}mp_/https://live.test/a/:\"/></svg>"
    );
    assert_eq!(out, expected);
}

#[test]
fn a_page_is_told_by_its_root() {
    for page in [
        "<html xmlns='http://www.w3.org/1999/xhtml'>",
        "\u{feff}<?xml version='1.0'?>\n<!-- > --><!DOCTYPE html [ ]>\n<h:html xmlns:h=\"http://www.w3.org/1999/xhtml\" lang='en'>",
        "<svg width='1' xmlns=\"http://www.w3.org/2000/svg\"/>",
        "<!DOCTYPE svg [<!ENTITY ns 'http://www.w3.org/2000/svg'>]><svg xmlns='&ns;'>",
    ] {
        assert!(is_page(page), "{page}");
    }
    for other in [
        "",
        "text",
        "<html>",
        "<rss xmlns='http://www.w3.org/1999/xhtml'>",
        "<html xmlns='http://www.w3.org/1999/xhtml'",
        "<r xmlns:h='http://www.w3.org/1999/xhtml'><h:html>",
        "<!-- <html xmlns='http://www.w3.org/1999/xhtml'>",
        "<x:html xmlns='http://www.w3.org/1999/xhtml'>",
    ] {
        assert!(!is_page(other), "{other}");
    }
}

/// Words that hostile XML is made of.
fn word() -> impl Strategy<Value = String> {
    let words = [
        "<a href=",
        "<a x:href=",
        "<img src=",
        "<b",
        "/>",
        "</a>",
        "<style>",
        "</style>",
        "<title/>",
        "<script>",
        "</script>",
        "<plaintext>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?pi ",
        "?>",
        "<!DOCTYPE a [",
        "<!ENTITY e ",
        "]>",
        "'http://out.test/'",
        "\"//out.test/\"",
        "'&e;'",
        "'&#104;ttp://out.test/'",
        "url(http://out.test/)",
        "'",
        "\"",
        ">",
        "<",
        " ",
        "=",
        "&e;",
        "&amp;",
        "x",
        "ü",
    ];
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn xml_is_rewritten_the_same_in_any_pieces(words in prop::collection::vec(word(), 0..24), piece in 1_usize..40) {
        let markup = words.concat();
        prop_assert_eq!(rewritten(&markup, piece), rewritten(&markup, markup.len()), "{:?}", markup);
    }
}
