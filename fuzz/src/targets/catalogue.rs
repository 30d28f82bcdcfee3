//! Descriptions of applications: there is one or there are mistakes, each in a line of the file, and what there is can be
//! looked for in a page.

use annalist_apps::catalogue::{BUILT_IN, Loaded};
use annalist_apps::{Catalogue, Input, recognise, report};
use annalist_model::{CanonicalUrl, Canonicaliser, ResponseHead};
use annalist_read::Reader;

const PAGE: &str = "<meta name=generator content='MyBoard 1'><link rel=next href='?t=1&page=3'><body class='single post'>\
    <h1>T</h1><a href='/board.php?f=2;sid=1'>up</a><table><tr class=post id=p1><td><a class=author href=/u/1>A</a>\
    <tr><td class=content>one<blockquote>two</blockquote><div class=signature>three</div></table>\
    <div class=post id=p2><p class=author>B</p><time datetime='2011-03-05T12:00:00Z'>5.3.2011</time><div class=content>four\
    <div class=post id=p3>five<img src=/i.png></div></div></div><ol><li class=comment>six<li class=comment>seven</ol>Powered by MyBoard";

pub(crate) fn made() -> Vec<Vec<u8>> {
    BUILT_IN.iter().map(|(_, text)| text.as_bytes().to_vec()).collect()
}

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut loaded = Loaded::default();
    loaded.add("app.xml", &text);
    assert_ne!(
        loaded.descriptions.is_empty(),
        loaded.mistakes.is_empty(),
        "a description and mistakes, or neither"
    );
    let lines = text.split('\n').count();
    for mistake in &loaded.mistakes {
        assert!((1..=lines).contains(&mistake.line), "{mistake} is beyond the last line");
        assert!(!mistake.told.is_empty() && mistake.file == "app.xml");
    }
    let Some(description) = loaded.descriptions.first_mut() else { return };
    description.extends = None;
    let (catalogue, mistakes) = Catalogue::new(&loaded.descriptions);
    assert_eq!(mistakes, [], "nothing is inherited");
    look(&catalogue);
}

fn look(catalogue: &Catalogue) {
    let Ok(url) = CanonicalUrl::parse("http://a.test/board/topic.php?t=1&page=2") else { return };
    let fields = vec![("Set-Cookie".to_owned(), b"myboard_sid=1; path=/".to_vec())];
    let head = ResponseHead { status: 200, fields };
    let reader = Reader::new(Canonicaliser::default());
    let (page, Some(tree)) = reader.read_with_tree(&url, &head, PAGE.as_bytes()) else { return };
    let seen = recognise(catalogue, &Input { tree: &tree, page: &page, url: &url, head: &head, at: None });
    assert_eq!(seen.choices.len(), if seen.application.is_some() { page.links.len() } else { 0 });
    assert!(seen.objects.len() <= tree.len(), "more objects than there are elements");
    assert!(report(&seen, &page).is_object());
}
