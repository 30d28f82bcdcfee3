//! Applications and what they extend.

use annalist_apps::Catalogue;
use annalist_apps::catalogue::Loaded;

use crate::{catalogue, each, see};

const FORUM: &str = "<application id='forum' others='skip'>
  <detect><markup at='hr'/></detect>
  <drop parameter='sid'/>
  <follow path='/b' action='forum'/><follow path='/c' action='forum'/><follow path='/d' action='forum'/>
  <level id='thread' kind='terminal'>
    <detect><url path='/forum-thread'/></detect>
    <follow path='/b' action='forum thread'/>
    <thread-title at='h1'/><thread-title at='h2'/>
    <object type='post' at='div'><body at='p'/></object>
  </level>
  <level id='list' kind='intermediate' index='yes'><detect><url path='/list'/></detect></level>
</application>";

const LINKS: &str =
    "<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><a href='/d?sid=1'>d</a><a href=/e>e</a>";

/// What becomes of the links /a to /e.
fn actions(catalogue: &Catalogue, url: &str) -> Vec<String> {
    let seen = see(catalogue, url, &format!("<hr>{LINKS}"));
    let of = |path: &str| {
        let followed = seen["follow"].as_array().unwrap();
        let found = followed.iter().find(|link| link["url"] == format!("http://a.test{path}"));
        found.map_or("", |link| link["action"].as_str().unwrap()).to_owned()
    };
    ["/a", "/b", "/c", "/d", "/e"].iter().map(|path| of(path)).collect()
}

#[test]
fn own_rules_come_before_inherited_ones_level_before_application() {
    let child = "<application id='child' extends='forum'>
        <detect><url host='a.test'/></detect>
        <follow path='/a' action='child'/><follow path='/b' action='child'/><follow path='/c' action='child'/>
        <level id='thread'><follow path='/a' action='child thread'/></level>
      </application>";
    let catalogue = catalogue(&[child, FORUM]);
    assert_eq!(
        actions(&catalogue, "http://a.test/forum-thread"),
        ["child thread", "child", "child", "forum", ""]
    );
    assert_eq!(actions(&catalogue, "http://a.test/elsewhere"), ["child", "child", "child", "forum", ""]);
    let parent = see(&catalogue, "http://b.test/forum-thread", "<hr><a href=/b>b</a>");
    assert_eq!(parent["follow"][0]["action"], "forum thread");
    assert_eq!([&parent["application"], &parent["type"]], ["forum", "forum"]);
}

#[test]
fn a_level_of_the_same_id_adds_to_the_inherited_one() {
    let child = "<application id='child' extends='forum'>
        <detect><url host='a.test'/></detect>
        <level id='thread'>
          <detect><url path='/child-thread'/></detect>
          <thread-title at='h3'/>
          <object type='comment' at='li'><body at='p'/></object>
        </level>
      </application>";
    let catalogue = catalogue(&[FORUM, child]);
    let html = "<h1>one</h1><h2>two</h2><div><p>post</div><ul><li><p>comment</ul>";
    // Its own signs instead of the inherited ones; what it does not say is as inherited.
    let old = see(&catalogue, "http://a.test/forum-thread", html);
    assert_eq!(old["level"], serde_json::Value::Null);
    let seen = see(&catalogue, "http://a.test/child-thread", html);
    assert_eq!([&seen["application"], &seen["type"], &seen["level"]], ["child", "forum", "thread"]);
    assert_eq!(each(&seen, "type"), ["post", "comment"]);
    assert_eq!(each(&seen, "thread_title"), ["one", "one"]);
    let own = see(&catalogue, "http://a.test/child-thread", &format!("<h3>three</h3>{html}"));
    assert_eq!(each(&own, "thread_title"), ["three", "three"]);
    assert_eq!(see(&catalogue, "http://a.test/list", html)["level"], "list");
}

#[test]
fn a_level_that_does_not_inherit_takes_nothing_from_above() {
    let child = "<application id='child' extends='forum'>
        <detect><url host='a.test'/></detect>
        <level id='thread' inherit='no'>
          <detect><url path='/child-thread'/></detect>
          <object type='comment' at='li'><body at='p'/></object>
        </level>
      </application>";
    let grandchild = "<application id='grandchild' extends='child'>
        <detect><url host='b.test'/></detect>
        <level id='thread'><thread-title at='h2'/></level>
      </application>";
    let catalogue = catalogue(&[grandchild, FORUM, child]);
    let html = "<h1>one</h1><h2>two</h2><div><p>post</div><ul><li><p>comment</ul>";
    let seen = see(&catalogue, "http://a.test/child-thread", html);
    assert_eq!(each(&seen, "type"), ["comment"]);
    assert_eq!(seen["objects"][0].get("thread_title"), None);
    assert_eq!(see(&catalogue, "http://a.test/list", html)["level"], "list");
    // What extends it has what it has, and no more.
    let seen = see(&catalogue, "http://b.test/child-thread", html);
    assert_eq!(each(&seen, "type"), ["comment"]);
    assert_eq!(each(&seen, "thread_title"), ["two"]);
    assert_eq!([&seen["application"], &seen["type"]], ["grandchild", "forum"]);
}

#[test]
fn an_application_that_does_not_inherit_takes_no_levels_and_rules() {
    let child = "<application id='child' extends='forum' inherit='no'>
        <detect><url host='a.test'/></detect><follow path='/a' action='child'/></application>";
    let grandchild = "<application id='grandchild' extends='child'>
        <detect><url host='b.test'/></detect></application>";
    let catalogue = catalogue(&[FORUM, child, grandchild]);
    assert_eq!(actions(&catalogue, "http://a.test/forum-thread"), ["child", "link", "link", "", "link"]);
    for host in ["a.test", "b.test"] {
        let seen = see(&catalogue, &format!("http://{host}/forum-thread"), LINKS);
        assert_eq!((&seen["level"], &seen["type"]), (&serde_json::Value::Null, &"forum".into()));
        // Nor what changes nothing.
        assert_eq!(seen["follow"][3]["url"], format!("http://{host}/d?sid=1"));
    }
}

#[test]
fn circles_and_missing_parents_are_told_and_the_rest_goes_on() {
    let mut loaded = Loaded::default();
    for (file, text) in [
        ("1.xml", "<application id='one' extends='two'/>"),
        ("2.xml", "\n<application id='two' extends='one'/>"),
        ("3.xml", "<application id='self' extends='self'/>"),
        ("4.xml", "<application id='orphan' extends='nobody'/>"),
        ("5.xml", "<application id='below' extends='orphan'/>"),
        ("6.xml", "<application id='fine'><detect><url host='a.test'/></detect></application>"),
    ] {
        loaded.add(file, text);
    }
    let (catalogue, mistakes) = Catalogue::new(&loaded.descriptions);
    let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "1.xml:1: it extends \"two\", which in the end extends it",
            "2.xml:2: it extends \"one\", which in the end extends it",
            "3.xml:1: it extends \"self\", which in the end extends it",
            "4.xml:1: it extends \"nobody\", which there is not",
            "5.xml:1: it extends \"nobody\", which there is not",
        ]
    );
    assert_eq!(see(&catalogue, "http://a.test/", "")["application"], "fine");
}

#[test]
fn the_most_specific_application_counts_then_the_one_with_more_signs_then_the_first() {
    let app = |id: &str, extends: &str, signs: &str| {
        format!("<application id='{id}'{extends}><detect>{signs}</detect></application>")
    };
    let general = app("general", "", "<markup at='p'/><markup at='b'/><markup at='i'/>");
    let first = app("first", " extends='general'", "<markup at='p'/>");
    let second = app("second", " extends='general'", "<markup at='p'/>");
    let more = app("more", " extends='general'", "<markup at='p'/><text contains='words'/>");
    let site = app("site", " extends='second'", "<markup at='u'/>");
    let catalogue = catalogue(&[&general, &first, &second, &more, &site]);
    for (html, expected) in [
        ("<b>x</b><i>y</i>", "general"),
        ("<p><b>x</b><i>y</i>", "first"),
        ("<p>words", "more"),
        ("<p>words<u>x</u>", "site"),
    ] {
        assert_eq!(see(&catalogue, "http://a.test/", html)["application"], expected, "{html}");
    }
}
