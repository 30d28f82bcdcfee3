use annalist_model::{CanonicalUrl, FoundLink, Page, ResponseHead};
use annalist_read::Reader;

use crate::catalogue::Loaded;
use crate::{Catalogue, Input, Seen, recognise, report};

fn seen(html: &str) -> (Seen, Vec<FoundLink>) {
    let mut loaded = Loaded::default();
    loaded.add(
        "app.xml",
        r#"<application id="board" name="Board"><detect><markup at="div"/></detect><level id="thread" kind="terminal">
           <object type="post" at="div[has(@class,'post')]"><id at="./@id"/><author at="b"/><date at="time"/>
           <body at="p[has(@class,'text')]"/></object></level></application>"#,
    );
    let (catalogue, mistakes) = Catalogue::new(&loaded.descriptions);
    assert_eq!((loaded.mistakes, mistakes), (vec![], vec![]));
    let url = CanonicalUrl::parse("http://a.test/").unwrap();
    let head = ResponseHead { status: 200, fields: vec![("content-type".to_owned(), b"text/html".to_vec())] };
    let (page, tree) = Reader::new(Default::default()).read_with_tree(&url, &head, html.as_bytes());
    let input = Input { tree: &tree.unwrap(), page: &page, url: &url, head: &head, at: None };
    (recognise(&catalogue, &input), page.links)
}

/// Author, date and body of each object of a page.
fn said(html: &str) -> Vec<String> {
    let objects = seen(html).0.objects;
    let part = |part: &Option<String>| part.as_deref().unwrap_or("-").to_owned();
    objects
        .iter()
        .map(|object| format!("{} {} {}", part(&object.author), part(&object.date), object.body))
        .collect()
}

#[test]
fn a_body_goes_on_in_the_next_element_of_its_kind_and_ends_where_something_else_stands() {
    let html = "<div class=post id=p1><b>Ida</b><time>2020-01-02</time>\
                <p class=text>one</p> <p class=text>two</p>more<p class=text>three</p></div>";
    assert_eq!(said(html), ["Ida 2020-01-02T00:00:00Z one\ntwo"]);
}

#[test]
fn a_head_and_its_text_are_one_post_though_each_has_an_element_of_its_own() {
    let html = "<div class=post id=p1><b>Ida</b><time>2020-01-02</time></div><div class=post><p class=text>one</p></div>\
                <div class=post id=p2><b>Per</b></div><div class=post id=p2><time>2020-01-03</time><p class=text>two</p></div>";
    assert_eq!(said(html), ["Ida 2020-01-02T00:00:00Z one", "Per 2020-01-03T00:00:00Z two"]);
}

#[test]
fn posts_of_different_people_stay_apart_whatever_they_are_called() {
    let html = "<div class=post id=p1><b>Ida</b><p class=text>one</p></div><div class=post id=p1><b>Per</b><p class=text>two</p></div>\
                <div class=post id=post><p class=text>three</p></div><div class=post id=post><p class=text>four</p></div>";
    assert_eq!(said(html), ["Ida - one", "Per - two", "- - three", "- - four"]);
    let last = "<div class=post><p class=text>one</p></div><div class=post><b>Ida</b><time>2020-01-02</time></div>\
                <div class=post><p class=text>two</p></div>";
    assert_eq!(said(last), ["- - one", "- - two"]);
}

#[test]
fn of_too_many_objects_the_first_are_kept_and_it_is_told() {
    let posts = |count| "<div class=post><b>Ida</b><p class=text>one</p></div>".repeat(count);
    for (count, kept, cut) in [(5_000, 5_000, None), (5_001, 5_000, Some(true))] {
        let (seen, links) = seen(&posts(count));
        assert_eq!(seen.objects.len(), kept);
        assert_eq!(
            report(&seen, &Page { links, ..Page::default() }).get("cut").and_then(serde_json::Value::as_bool),
            cut
        );
    }
}
