use annalist_read::tree::{Tree, TreeLimits, parse};

use super::{Beside, Builder, select};
use crate::xpath::Expression;

const PAGE: &str = "<html><head><meta name=generator content='WordPress 6.1'><title>T</title></head><body class='home blog'>\
    <div class='post first' id=p1><h2 class=title><a href=/1>One</a></h2><p>a</p><p>b</p></div>\
    <div class='post' id=p2><h2><a href=/2>Two</a></h2><div class='post' id=p3><a href=/3>Three</a></div></div>\
    <div class='postbody'>x</div></body></html>";

fn tree(html: &str) -> Tree {
    parse(html, &TreeLimits::default()).0
}

fn found(html: &str, expressions: &[&str]) -> Vec<Vec<String>> {
    let tree = tree(html);
    let mut builder = Builder::default();
    let patterns: Vec<_> =
        expressions.iter().map(|text| builder.add(&Expression::parse(text).unwrap())).collect();
    let matches = builder.build().run(&tree, &[]);
    let told = |spot: &super::Spot<'_>| match spot.attribute {
        Some(value) => value.to_owned(),
        None => super::holds::string_value(&tree, spot.node),
    };
    patterns.iter().map(|pattern| select(&tree, &matches, pattern).iter().map(told).collect()).collect()
}

#[test]
fn expressions_find_what_xpath_says_all_in_one_run() {
    let cases: [(&str, &[&str]); 18] = [
        ("div[has(@class,'post')]/@id", &["p1", "p2", "p3"]),
        ("div[contains(@class,'post')]/@id | div[@class='postbody']", &["p1", "p2", "p3", "x"]),
        ("div[@class='post']/@id", &["p2", "p3"]),
        ("div[has(@class,'post')]//a/@href", &["/1", "/2", "/3"]),
        ("div[has(@class,'post')]/a/@href", &["/3"]),
        ("div[has(@class,'post')]/h2/a", &["One", "Two"]),
        ("div[not(has(@class,'post'))]", &["x"]),
        ("div[starts-with(@id,'p')][2]/@id", &["p2"]),
        ("p[2]", &["b"]),
        ("p[last()]", &["b"]),
        ("div[1]/@id", &["p1", "p3"]),
        ("h2[a='Two']/a/@href", &["/2"]),
        ("a[.='Three']/@href", &["/3"]),
        ("div[h2]/@id", &["p1", "p2"]),
        ("/html/body/div/h2/text()", &[]),
        ("/html/head/title/text()", &["T"]),
        ("a/@*", &["/1", "/2", "/3"]),
        ("meta[@name='generator'][contains(@content,'WordPress')]/@content", &["WordPress 6.1"]),
    ];
    let all: Vec<_> = cases.iter().map(|(text, _)| *text).collect();
    for ((text, expected), found) in cases.iter().zip(found(PAGE, &all)) {
        assert_eq!(&found, expected, "{text}");
    }
}

#[test]
fn what_the_response_says_can_be_looked_up_like_the_page() {
    let mut builder = Builder::default();
    let mut add = |text: &str| builder.add(&Expression::parse(text).unwrap());
    let header = add("http-header[@name='link'][contains(@value,'wp-json')]");
    let cookie = add("cookie[starts-with(@name,'phpbb3_')]/@name");
    let other = add("cookie[@name='x']");
    let beside = [
        Beside {
            tag: "http-header",
            attributes: vec![("name", "link".to_owned()), ("value", "<http://a/wp-json/>".to_owned())],
        },
        Beside { tag: "cookie", attributes: vec![("name", "phpbb3_abc".to_owned())] },
    ];
    let tree = tree("<p>x");
    let matches = builder.build().run(&tree, &beside);
    assert!(matches.holds(&header, &tree) && matches.holds(&cookie, &tree));
    assert!(!matches.holds(&other, &tree));
}

#[test]
fn of_a_long_text_only_the_beginning_is_asked() {
    let long = format!(
        "<div><p>begin {}</p><p>end</p></div><b>{}<i>end</i></b>",
        "words ".repeat(30_000),
        "<u></u>".repeat(20_000)
    );
    assert_eq!(found(&long, &["p[contains(.,'begin')]", "p[.='end']"]).concat().len(), 2);
    assert_eq!(
        found(&long, &["div[contains(.,'end')]", "b[contains(.,'end')]"]).concat(),
        Vec::<String>::new()
    );
}

#[test]
fn steps_that_many_expressions_share_lead_each_to_its_own() {
    let many = |pattern: &str| (0..40).map(|n| pattern.replace('N', &n.to_string())).collect::<Vec<_>>();
    let page = "<meta name=generator content='Make17-'><div class=post><b id=x17>in</b><i class=x3>it</i><a>any</a></div><b id=x5>out</b>";
    for (pattern, hits) in [
        ("meta[@name='generator'][contains(@content,'MakeN-')]/@content", vec![(17, "Make17-")]),
        ("div[has(@class,'post')]//b[@id='xN']", vec![(17, "in")]),
        ("div[has(@class,'post')]/*[has(@class,'xN')]", vec![(3, "it")]),
        (
            "div[has(@class,'post')]/*[@id='xN'] | a",
            (0..40).map(|n| (n, "any")).chain([(17, "in")]).collect(),
        ),
    ] {
        let expressions = many(pattern);
        let found = found(page, &expressions.iter().map(String::as_str).collect::<Vec<_>>());
        for (n, found) in found.iter().enumerate() {
            let mut expected: Vec<_> =
                hits.iter().filter(|(hit, _)| *hit == n).map(|(_, text)| *text).collect();
            expected.sort_unstable_by_key(|text| *text == "any");
            assert_eq!(*found, expected, "{}", expressions[n]);
        }
    }
}
