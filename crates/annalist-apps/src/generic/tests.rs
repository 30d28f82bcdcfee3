use annalist_model::{CanonicalUrl, Object, Page, ResponseHead, Time};
use annalist_read::Reader;
use annalist_read::tree::{TreeLimits, parse};

use super::{main_node, main_text, read};

/// Three sentences of an article.
const STORY: &str = "<p>The bridge over the river was closed on Monday after engineers had found cracks in two of its pillars, the council said.</p>
<p>Repairs will take until the autumn, and buses go the long way round until then, according to the office for roads.</p>
<ul><li>The number 5 leaves from the market.</li><li>The number 7 does not run.</li></ul>
<h2>Who pays</h2><blockquote>We shall pay it out of the reserves, as we did the last time.</blockquote>
<p>The mayor asked for patience; a decision about a new bridge is expected in the coming year.</p>";

fn objects(html: &str) -> Vec<Object> {
    let url = CanonicalUrl::parse("https://news.example/town/bridge.html").unwrap();
    let head = ResponseHead::default();
    let (page, tree) =
        Reader::new(annalist_model::Canonicaliser::default()).read_with_tree(&url, &head, html.as_bytes());
    read(&tree.unwrap(), &page, &url, Some(Time::from_millis(1_362_744_000_000)))
}

fn text(html: &str) -> String {
    main_text(&parse(html, &TreeLimits::default()).0, None)
}

#[test]
fn the_main_text_is_found_without_what_is_around_it() {
    let html = format!(
        "<title>Bridge closed</title><body><div class=top><a href=/>Home</a> <a href=/town>Town</a></div>
        <div class=wrap><h1>Bridge closed</h1><p class=byline>By Ann Example</p>{STORY}
        <div class='share-bar'>Share this on all networks you have ever heard of, please, and do it today.</div>
        <h3>Related stories</h3><p><a href=/1>Another bridge</a> was closed last year after a flood had damaged it.</p></div>
        <div class=sidebar><p>Subscribe to our newsletter and get the news of the town every morning before breakfast.</p></div>
        <div id=comments><div class=comment><p>I have always said that this bridge would not last, did I not?</p></div></div>
        <footer><p>All rights reserved by the publisher of this newspaper, whoever that may be at the time.</p></footer>"
    );
    assert_eq!(
        text(&html),
        "The bridge over the river was closed on Monday after engineers had found cracks in two of its pillars, the council said.\n\
         Repairs will take until the autumn, and buses go the long way round until then, according to the office for roads.\n\
         The number 5 leaves from the market.\n\
         The number 7 does not run.\n\
         Who pays\n\
         We shall pay it out of the reserves, as we did the last time.\n\
         The mayor asked for patience; a decision about a new bridge is expected in the coming year."
    );
    let tree = parse(&html, &TreeLimits::default()).0;
    let node = main_node(&tree).unwrap();
    assert_eq!(tree.element(node).and_then(|element| element.attribute("class")), Some("wrap"));
}

#[test]
fn misleading_names_do_not_hide_a_text() {
    assert!(text(&format!("<body class=sidebar><form>{STORY}</form>")).contains("Repairs"));
    assert!(text(&format!("<div class=ad>{STORY}</div><div class=ad>{STORY}</div>")).contains("Repairs"));
}

#[test]
fn a_page_of_few_words_has_them_for_its_text() {
    assert_eq!(text("<body>Test"), "Test");
    assert_eq!(text("<nav><a href=/>Home</a></nav>"), "Home");
    assert_eq!(text(""), "");
    assert_eq!(
        text(
            "<article><p>A soft\u{ad}ware of long words that nobody could break with\u{ad}out help.</article>"
        ),
        "A software of long words that nobody could break without help."
    );
}

#[test]
fn linked_data_tells_title_author_and_dates() {
    let html = format!(
        r#"<title>Bridge closed | The Town</title><script type="application/ld+json">
        {{"@graph": [{{"@type": "WebSite", "name": "The Town"}}, {{"@type": "Person", "@id": "/ann", "name": "Ann Example", "url": "/staff/ann"}},
        {{"@type": ["NewsArticle"], "headline": "Bridge &amp; road closed", "name": "News", "author": {{"@id": "/ann"}},
        "datePublished": "2013-03-05T16:12:00+01:00", "dateModified": "2013-03-06",
        "comment": [{{"@type": "Comment", "text": "At last!", "author": {{"name": "Bo"}}, "dateCreated": "2013-03-07", "url": "/town/bridge.html#c1",
        "comment": {{"@type": "Comment", "text": "Indeed.", "author": "Cy"}}}}]}}]}}</script><body>{STORY}"#
    );
    let objects = objects(&html);
    let article = &objects[0];
    assert_eq!(article.kind, "article");
    assert_eq!(article.id, "news.example/town/bridge.html");
    assert_eq!(article.url.as_deref(), Some("https://news.example/town/bridge.html"));
    assert_eq!(article.title.as_deref(), Some("Bridge & road closed"));
    assert_eq!(article.author.as_deref(), Some("Ann Example"));
    assert_eq!(article.author_url.as_deref(), Some("https://news.example/staff/ann"));
    assert_eq!(article.date.as_deref(), Some("2013-03-05T16:12:00+01:00"));
    assert_eq!(article.modified.as_deref(), Some("2013-03-06T00:00:00Z"));
    let comments: Vec<_> =
        objects[1..].iter().map(|c| (c.author.as_deref(), c.body.as_str(), c.parent.as_deref())).collect();
    assert_eq!(
        comments,
        [
            (Some("Bo"), "At last!", Some("news.example/town/bridge.html")),
            (Some("Cy"), "Indeed.", Some("news.example/town/bridge.html#c1")),
        ]
    );
    assert_eq!(objects[1].url.as_deref(), Some("https://news.example/town/bridge.html#c1"));
}

#[test]
fn markup_tells_author_and_date_in_many_ways() {
    for (markup, author, date) in [
        (
            "<div itemscope itemtype='http://schema.org/BlogPosting'><span itemprop=author itemscope itemtype='http://schema.org/Person'><b itemprop=name>Ann Example</b></span><meta itemprop=datePublished content='2013-03-05'></div>",
            Some("Ann Example"),
            Some("2013-03-05T00:00:00Z"),
        ),
        (
            "<div class=h-entry><a class='p-author h-card' href=/ann>Ann Example</a> <time class=dt-published datetime='2013-03-05 16:12'>long ago</time></div>",
            Some("Ann Example"),
            Some("2013-03-05T16:12:00Z"),
        ),
        (
            "<meta name=author content='Ann Example'><meta property='article:published_time' content='2013-03-05T16:12:00Z'>",
            Some("Ann Example"),
            Some("2013-03-05T16:12:00Z"),
        ),
        (
            "<p class=byline>By Ann Example, staff writer</p><span class=post-date>5. März 2013, 16:12 Uhr</span>",
            Some("Ann Example"),
            Some("2013-03-05T16:12:00Z"),
        ),
        (
            "<a rel=author href=/ann>Ann Example</a> <time>yesterday</time>",
            Some("Ann Example"),
            Some("2013-03-07T00:00:00Z"),
        ),
        ("<div class=comment><b class=author>Bo</b><time datetime=2011-01-01></time>Hear!</div>", None, None),
    ] {
        let object = &objects(&format!("{markup}{STORY}"))[0];
        assert_eq!(object.author.as_deref(), author, "{markup}");
        assert_eq!(object.date.as_deref(), date, "{markup}");
    }
}

#[test]
fn comments_are_lifted_with_whom_they_answer() {
    let html = format!(
        "<h1>Bridge closed</h1>{STORY}<ol class=commentlist>
        <li class='comment even' id=comment-1><div id=div-comment-1><cite class=fn><a href='http://bo.example/'>Bo</a></cite> <span class=says>says:</span>
        <div class='comment-meta'><a href='/town/bridge.html#comment-1'>March 6, 2013 at 9:30 am</a></div>
        <div class=comment-content><p>It was old.<p>Very old.</div><div class=reply><a href='#respond'>Reply</a></div></div>
        <ol class=children><li class='comment odd' id=comment-2><b class=comment-author>Cy</b> <time datetime='2013-03-06T10:00:00Z'>later</time>
        <p>I liked it.</p><a href='#respond'>Reply</a></li></ol></li>
        <li class=comment id=comment-3><p>Neither name nor date</p></li></ol>"
    );
    let objects = objects(&html);
    assert!(!objects[0].body.contains("It was old"), "{}", objects[0].body);
    let lifted: Vec<_> = objects[1..]
        .iter()
        .map(|c| {
            (c.author.as_deref(), c.date.as_deref(), c.body.as_str(), c.url.as_deref(), c.parent.as_deref())
        })
        .collect();
    assert_eq!(
        lifted,
        [
            (
                Some("Bo"),
                Some("2013-03-06T09:30:00Z"),
                "It was old.\nVery old.",
                Some("https://news.example/town/bridge.html#comment-1"),
                Some("news.example/town/bridge.html"),
            ),
            (
                Some("Cy"),
                Some("2013-03-06T10:00:00Z"),
                "I liked it.",
                Some("https://news.example/town/bridge.html#comment-2"),
                Some("news.example/town/bridge.html#comment-1"),
            ),
        ]
    );
    assert_eq!(objects[1].author_url.as_deref(), Some("http://bo.example/"));
}

#[test]
fn pages_without_measure_are_read_in_passing() {
    let nested = "<div class='comment author ad date'>".repeat(400);
    let html = format!("{nested}{}", "<p class=author>word <i class=date>by</i>".repeat(5_000));
    let (tree, _) = parse(&html, &TreeLimits::default());
    let url = CanonicalUrl::parse("https://news.example/").unwrap();
    assert_eq!(read(&tree, &Page::default(), &url, None)[0].kind, "article");
}

proptest::proptest! {
    #[test]
    fn no_markup_makes_it_panic(html in "(<(div|p|li|article|table|td|h1|time|a href=x|form)( class='?(comment|author|date|ad|entry-content|h-entry)'?)?( itemprop=author)?>|</(div|p|a)>|[a-z ,.é年0-9]{0,40}|<script type='application/ld\\+json'>[\\[{}\"@a-z:,]{0,20}</script>){0,40}") {
        let url = CanonicalUrl::parse("https://news.example/").unwrap();
        let (tree, _) = parse(&html, &TreeLimits::default());
        proptest::prop_assert_eq!(&read(&tree, &Page::default(), &url, None)[0].kind, "article");
    }
}
