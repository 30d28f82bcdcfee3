//! Which links are followed.

use serde_json::{Value, json};

use crate::{application, each, see};

/// What becomes of a link: "follow action", "spare action", "skip reason", or nothing.
fn fate(seen: &Value, url: &str) -> String {
    for (list, word) in [("follow", "action"), ("spare", "action"), ("skip", "reason")] {
        let found = seen[list].as_array().unwrap().iter().find(|link| link["url"] == url);
        if let Some(link) = found {
            return format!("{list} {}", link[word].as_str().unwrap());
        }
    }
    String::new()
}

/// What becomes of one link on a page of `http://a.test/`.
fn fate_of(inside: &str, href: &str) -> String {
    let seen = see(&application(inside), "http://a.test/x", &format!("<a href='{href}'>x</a>"));
    fate(&seen, &if href.starts_with('/') { format!("http://a.test{href}") } else { href.to_owned() })
}

#[test]
fn the_first_rule_that_fits_decides() {
    let rules = "<never path='*/topic.php' has='print' reason='print view'/>
        <follow path='*/topic.php' score='0.25' action='thread'/>
        <never path='*.php'/><spare path='/tag/*' action='tag'/><follow host='a.test' without='q'/>";
    for (href, expected) in [
        ("/topic.php?id=1", "follow thread"),
        ("/topic.php?id=1&print=1", "skip print view"),
        ("/topic.php?id=1;print=1", "skip print view"),
        ("/post.php", "skip leads to no content"),
        ("/tag/x", "spare tag"),
        ("/other", "follow link"),
        ("/other?q=1", "follow link"),
        ("http://b.test/post.php", ""),
    ] {
        assert_eq!(fate_of(rules, href), expected, "{href}");
    }
    let seen = see(&application(rules), "http://a.test/", "<a href=/topic.php>x</a><a href=/b>y</a>");
    assert_eq!(
        seen["follow"][0],
        json!({"url": "http://a.test/topic.php", "score": 0.25, "action": "thread"})
    );
    assert_eq!(seen["follow"][1]["score"], 1.0);
}

#[test]
fn a_rule_can_ask_for_the_place_of_a_link_and_its_address() {
    let rules = "<never at=\"ul[@id='menu']//a/@href\" reason='menu'/>
        <follow at='h2/a/@href' path='/t/*' action='thread'/><follow at='h3/a' action='element'/>";
    let catalogue = application(rules);
    let html =
        "<ul id=menu><li><a href=/m>m</a></ul><h2><a href=/t/1>1</a><a href=/u>u</a></h2><a href=/t/2>2</a>
        <h3><a href=v#top>v</a></h3>";
    let seen = see(&catalogue, "http://a.test/", html);
    for (url, expected) in [
        ("http://a.test/m", "skip menu"),
        ("http://a.test/t/1", "follow thread"),
        ("http://a.test/t/2", "follow link"),
        ("http://a.test/u", "follow link"),
        ("http://a.test/v", "follow element"),
    ] {
        assert_eq!(fate(&seen, url), expected, "{url}");
    }
    // Also where the page says what its addresses are relative to.
    let based = see(&catalogue, "http://a.test/", "<base href=/t/><h2><a href=3>3</a></h2>");
    assert_eq!(fate(&based, "http://a.test/t/3"), "follow thread");
}

#[test]
fn what_no_rule_fits_is_followed_unless_the_level_or_else_the_application_says_otherwise() {
    let skipped = "skip no rule of its application leads there";
    for (application, level, expected) in [
        ("", "", "follow link"),
        ("<application others='skip'", "", skipped),
        ("<application others='skip'", " others='follow'", "follow link"),
        ("", " others='skip'", skipped),
    ] {
        let others = if application.is_empty() { "" } else { " others='skip'" };
        let catalogue = crate::catalogue(&[&format!(
            "<application id='app'{others}><detect><url host='a.test'/></detect><level id='l'{level}/></application>"
        )]);
        let seen = see(&catalogue, "http://a.test/", "<a href=/b>b</a><img src=/i.png>");
        assert_eq!(fate(&seen, "http://a.test/b"), expected, "{application} {level}");
        assert_eq!(fate(&seen, "http://a.test/i.png"), "", "pictures are not touched");
    }
}

#[test]
fn links_are_followed_without_what_changes_nothing() {
    let rules =
        "<drop parameter='sid  hl'/><never has='sid' path='/no' reason='a session'/><drop parameter='x'/>";
    let html = "<a href='/t?sid=1&id=2&hl=y'>1</a><a href='/t?id=3;sid=4'>2</a><a href='/t?sid=5'>3</a>\
        <a href='/no?sid=1'>4</a><a href='/t?id=6'>5</a><a href='/t?x&id=7'>6</a>";
    let seen = see(&application(rules), "http://a.test/", html);
    let followed: Vec<&str> =
        seen["follow"].as_array().unwrap().iter().map(|link| link["url"].as_str().unwrap()).collect();
    assert_eq!(
        followed,
        [
            "http://a.test/t?id=2",
            "http://a.test/t?id=3",
            "http://a.test/t",
            "http://a.test/t?id=6",
            "http://a.test/t?id=7"
        ]
    );
    // A rule is asked of the address as it stands on the page.
    assert_eq!(fate(&seen, "http://a.test/no?sid=1"), "skip a session");
}

/// A thread's address, which of its links are pages, and the next one.
fn paging(rule: &str, url: &str, hrefs: &[&str]) -> (String, Vec<String>, Value) {
    let catalogue = application(&format!(
        "<level id='l' kind='terminal' others='skip'>{rule}<object type='post' at='p'><body at='.'/></object></level>"
    ));
    let links: String = hrefs.iter().map(|href| format!("<a href='{href}'>x</a>")).collect();
    let seen = see(&catalogue, url, &format!("<p>post</p>{links}"));
    let pages = seen["follow"].as_array().unwrap().iter().map(|link| {
        assert_eq!(link["action"], "page");
        link["url"].as_str().unwrap().trim_start_matches("http://a.test").to_owned()
    });
    let thread = each(&seen, "thread")[0].as_str().unwrap().trim_start_matches("http://a.test").to_owned();
    (thread, pages.collect(), seen["next"].clone())
}

#[test]
fn pages_are_told_by_a_parameter() {
    let rule = "<paging parameter='start page'/>";
    let hrefs =
        ["/t?id=1", "/t?id=1&start=20", "/t?id=1&start=40", "/t?start=60&id=1", "/t?id=2&start=20", "/u"];
    let (thread, pages, next) = paging(rule, "http://a.test/t?id=1&start=20", &hrefs);
    assert_eq!(thread, "/t?id=1");
    assert_eq!(pages, ["/t?id=1", "/t?id=1&start=40", "/t?start=60&id=1"]);
    assert_eq!(next, "http://a.test/t?id=1&start=40");
    let (thread, pages, next) = paging(rule, "http://a.test/t?id=1", &["/t?id=1", "/t?id=1&page=2"]);
    assert_eq!((thread.as_str(), pages), ("/t?id=1", vec!["/t?id=1&page=2".to_owned()]));
    assert_eq!(next, "http://a.test/t?id=1&page=2");
}

#[test]
fn a_parameter_for_pages_may_stand_behind_a_semicolon() {
    let (thread, pages, next) = paging(
        "<paging parameter='start'/>",
        "http://a.test/t?id=1;start=20",
        &["/t?id=1;start=40", "/t?id=1", "/t?id=2;start=40"],
    );
    assert_eq!(thread, "/t?id=1");
    assert_eq!(pages, ["/t?id=1;start=40", "/t?id=1"]);
    assert_eq!(next, "http://a.test/t?id=1;start=40");
}

#[test]
fn pages_are_told_by_the_end_of_a_path() {
    let rule = "<paging path='/page-#'/>";
    let hrefs = ["/t/1/", "/t/1/page-2", "/t/1/page-3/", "/t/1/page-10", "/t/2/page-2", "/t/1/page-x"];
    let (thread, pages, next) = paging(rule, "http://a.test/t/1/page-2", &hrefs);
    assert_eq!(thread, "/t/1/");
    assert_eq!(pages, ["/t/1/", "/t/1/page-3/", "/t/1/page-10"]);
    assert_eq!(next, "http://a.test/t/1/page-3/");
    assert_eq!(paging(rule, "http://a.test/t/1/", &[]).0, "/t/1/");
    // What is not a folder of its own leaves none behind.
    let (thread, pages, _) =
        paging("<paging path='-page#'/>", "http://a.test/t/1-page2", &["/t/1", "/t/1-page3"]);
    assert_eq!((thread.as_str(), pages.len()), ("/t/1", 2));
}

#[test]
fn pages_are_told_by_a_regular_expression() {
    let rule = "<paging matches='topic=\\d+(\\.\\d+)' first='.0'/>";
    let hrefs = ["/?topic=7.0", "/?topic=7.20", "/?topic=7.40", "/?topic=8.20"];
    let (thread, pages, next) = paging(rule, "http://a.test/?topic=7.20", &hrefs);
    assert_eq!(thread, "/?topic=7.0");
    assert_eq!(pages, ["/?topic=7.0", "/?topic=7.40"]);
    assert_eq!(next, "http://a.test/?topic=7.40");
    let rule = "<paging matches='/t\\d+(-\\d+)?\\.html'/>";
    let (thread, pages, next) = paging(rule, "http://a.test/t5.html", &["/t5-20.html", "/t6-20.html"]);
    assert_eq!((thread.as_str(), pages), ("/t5.html", vec!["/t5-20.html".to_owned()]));
    assert_eq!(next, "http://a.test/t5-20.html");
}

#[test]
fn the_next_page_may_be_named() {
    let rule =
        "<paging parameter='page'/><next at=\"a[@rel='prev']/@href\"/><next at=\"a[@rel='next']/@href\"/>";
    let catalogue = application(&format!("<level id='l'>{rule}</level>"));
    let html = "<a href='/t?page=3'>3</a><a rel=next href='/t?page=4'>on</a>";
    assert_eq!(see(&catalogue, "http://a.test/t", html)["next"], "http://a.test/t?page=4");
    assert_eq!(
        see(&catalogue, "http://a.test/t", "<a href='/t?page=3'>3</a>")["next"],
        "http://a.test/t?page=3"
    );
    assert_eq!(see(&catalogue, "http://a.test/t?page=3", "<a href='/t?page=3'>3</a>")["next"], Value::Null);
    // Where the link is named and not its address, that is meant.
    let element = application("<level id='l'><next at=\"a[@rel='next']\"/></level>");
    assert_eq!(see(&element, "http://a.test/t", html)["next"], "http://a.test/t?page=4");
}
