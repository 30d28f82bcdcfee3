//! What is lifted out of a page.

use serde_json::{Value, json};

use crate::{application, each, see};

/// What a level with these objects and fields gives for a page.
fn lift(inside: &str, html: &str) -> Value {
    let catalogue = application(&format!("<level id='l' kind='terminal'>{inside}</level>"));
    see(&catalogue, "http://a.test/t?id=1", html)
}

#[test]
fn a_field_belongs_to_the_innermost_object_and_an_object_inside_of_another_one_answers_it() {
    let rule = "<object type='post' at='div'><id at='./@id'/><author at='b'/><body at='p'/></object>";
    let html =
        "<div id=one><b>A</b><p>first<div id=two><p>second<div id=three><b>C</b><p>third</div></div></div>
        <div id=four><p>fourth</div>";
    let seen = lift(rule, html);
    assert_eq!(each(&seen, "body"), ["first", "second", "third", "fourth"]);
    assert_eq!(each(&seen, "author"), [&json!("A"), &Value::Null, &json!("C"), &Value::Null]);
    let at = |place: &str| json!(format!("http://a.test/t?id=1#{place}"));
    assert_eq!(each(&seen, "url"), [&at("one"), &at("two"), &at("three"), &at("four")]);
    assert_eq!(each(&seen, "parent"), [&Value::Null, &at("one"), &at("two"), &Value::Null]);
    assert_eq!(seen["objects"][0]["id"], "app:a.test:post:one");
    // The text of an object is without that of those inside of it.
    let whole = lift("<object type='post' at='div'><body at='.'/></object>", "<div>a<div>b</div>c</div>");
    let bodies: Vec<String> =
        each(&whole, "body").iter().map(|body| body.as_str().unwrap().replace('\n', " ")).collect();
    assert_eq!(bodies, ["a c", "b"]);
}

#[test]
fn a_run_goes_on_until_the_next_one_begins() {
    let rule = "<object type='post' at=\"tr[has(@class,'head')]\" extent='run'>
        <id at='./@id'/><author at=\"td[@class='who']\"/><body at=\"td[@class='text']\"/></object>";
    let html = "<table><tr><td class=text>before all</tr>
        <tr class=head id=p1><td class=who>A</tr><tr><td class=text>first</tr><tr><td>-</tr>
        <tr class=head id=p2><td>nobody</tr><tr><td class=text>second</tr></table>
        <table><tr><td class=text>elsewhere</tr></table>";
    let seen = lift(rule, html);
    assert_eq!(each(&seen, "body"), ["first", "second"]);
    assert_eq!(each(&seen, "author"), [&json!("A"), &Value::Null]);
    assert_eq!(each(&seen, "id"), ["app:a.test:post:p1", "app:a.test:post:p2"]);
}

#[test]
fn objects_outside_of_others_belong_to_the_first_of_the_type_that_is_said() {
    let rule = "<object type='article' at='article'><id at='./@id'/><body at='p'/></object>
        <object type='comment' at='li' parent='article'><id at='./@id'/><parent at='./@data-to'/><body at='p'/></object>";
    let comments = "<ul><li id=c1><p>one<ul><li id=c2><p>two</ul><li id=c3 data-to=1><p>three<li id=c4 data-to=77><p>four</ul>";
    let seen = lift(rule, &format!("<article id=a1><p>text</article>{comments}"));
    let at = |place: &str| json!(format!("http://a.test/t?id=1#{place}"));
    assert_eq!(each(&seen, "parent"), [&Value::Null, &at("a1"), &at("c1"), &at("a1"), &json!("77")]);
    // On further pages there is no article; the comments belong to the thread.
    let alone = lift(rule, comments);
    assert_eq!(each(&alone, "parent")[0], "http://a.test/t?id=1");
    assert_eq!(each(&alone, "parent")[2], &at("c1"));
}

#[test]
fn an_object_has_its_own_address_or_its_place_in_the_page() {
    let rule =
        "<object type='post' at='div'><id at='./@data-id'/><url at='h2/a/@href'/><body at='p'/></object>";
    let html = "<div data-id=7><h2><a href='/p/7#x'>h</a></h2><p>a</div><div data-id=8><p>b</div>";
    let seen = lift(rule, html);
    assert_eq!(each(&seen, "url"), ["http://a.test/p/7#x", "http://a.test/t?id=1"]);
    assert_eq!(each(&seen, "id"), ["app:a.test:post:7", "app:a.test:post:8"]);
    // Without a number of its own it is known by what it says: the same elsewhere, another one where it says something else.
    let plain = "<object type='post' at='div'><body at='p'/></object>";
    let twice = lift(plain, "<div><p>a</div><div><p>b</div>");
    let again = lift(plain, "<hr><div class=x><p>b</div>");
    assert_ne!(twice["objects"][0]["id"], twice["objects"][1]["id"]);
    assert_eq!(twice["objects"][1]["id"], again["objects"][0]["id"]);
}

#[test]
fn the_first_field_that_finds_something_counts_and_of_lists_all_that_it_finds() {
    let rule = "<object type='post' at='div'>
        <author at='b'/><author at='i'/><author value='Anonymous'/>
        <quote at='blockquote'/><tag at=\"a[@rel='tag']\"/><tag at='u'/><attachment at='img/@src'/>
        <rating at=\"span[@class='votes']\"/><forum at='kbd'/><date at='time/@datetime'/><modified at='ins/@datetime'/>
        <title at='h2'/><author-page at='i/a/@href'/><body at='p'/></object>";
    let html = "<div><b> </b><i><a href=/u/7> Ann
          Other </a></i><h2>Title</h2><p>text</p><blockquote>q1</blockquote><blockquote>q2</blockquote><a rel=tag href=/t/x>x</a><a rel=tag href=/t/y>y</a>
        <u>z</u><img src=/1.png><img src=2.png><span class=votes>12</span><kbd>Board</kbd>
        <time datetime='2011-03-05T12:00:00Z'>5 March</time><ins datetime='2011-03-06T12:00:00Z'>x</ins></div>
        <div><u>z</u><p>text</div>";
    let seen = lift(rule, html);
    let first = &seen["objects"][0];
    for (field, expected) in [
        ("author", json!("Ann Other")),
        ("author_url", json!("http://a.test/u/7")),
        ("title", json!("Title")),
        ("quotes", json!(["q1", "q2"])),
        ("tags", json!(["x", "y"])),
        ("attachments", json!(["http://a.test/1.png", "http://a.test/2.png"])),
        ("rating", json!("12")),
        ("forum", json!("Board")),
        ("date", json!("2011-03-05T12:00:00Z")),
        ("modified", json!("2011-03-06T12:00:00Z")),
        ("thread", json!("http://a.test/t?id=1")),
    ] {
        assert_eq!(first[field], expected, "{field}");
    }
    assert_eq!(
        (&seen["objects"][1]["author"], &seen["objects"][1]["tags"]),
        (&json!("Anonymous"), &json!(["z"]))
    );
}

#[test]
fn what_does_not_belong_to_a_body_is_left_out() {
    let rule = "<object type='post' at='div'><body at='section'><leave-out at=\"p[@class='sig']\"/><leave-out at='./h4'/></body></object>";
    let seen = lift(
        rule,
        "<div><section><h4>no</h4><p>yes<p class=sig>no<span>no</span></section><p class=sig>outside</div>",
    );
    assert_eq!(each(&seen, "body"), ["yes"]);
}

#[test]
fn a_field_can_be_a_part_of_what_is_found() {
    let rule = "<object type='post' at='div'>
        <id at='./@id' match='post-(\\d+)'/><author at='b' match='[A-Z]\\w+'/><title at='b' match='(never)'/><title at='b'/><body at='p'/></object>";
    let seen = lift(rule, "<div id=post-17><b>by Ann Other</b><p>x</div>");
    let object = &seen["objects"][0];
    assert_eq!(
        [&object["id"], &object["author"], &object["title"]],
        ["app:a.test:post:17", "Ann", "by Ann Other"]
    );
}

#[test]
fn what_the_page_says_counts_for_all_objects_that_say_nothing_themselves() {
    let rule = "<thread-title at='h1'/><thread-title value='Untitled'/><forum at='nav/a[last()]'/><author value='Site'/><tag at='u'/>
        <object type='post' at='div'><author at='b'/><body at='p'/></object>";
    let html = "<nav><a href=/>Home</a><a href=/b>Board</a></nav><u>1</u><u>2</u><div><b>A</b><p>x</div><div><p>y</div>";
    let seen = lift(rule, &format!("<h1>Thread</h1>{html}"));
    assert_eq!(each(&seen, "thread_title"), ["Thread", "Thread"]);
    assert_eq!(each(&seen, "forum"), ["Board", "Board"]);
    assert_eq!(each(&seen, "author"), ["A", "Site"]);
    assert_eq!(each(&seen, "tags"), [&json!(["1", "2"]), &json!(["1", "2"])]);
    assert_eq!(each(&lift(rule, html), "thread_title"), ["Untitled", "Untitled"]);
}

#[test]
fn an_object_counts_if_it_has_a_body_a_title_or_an_attachment() {
    let rule = "<object type='post' at='div'><id at='./@id'/><author at='b'/><title at='h2'/><attachment at='img/@src'/><body at='p'/></object>";
    let html = "<div id=a><b>A</b></div><div id=b><p> </div><div id=c><p>x</div><div id=d><h2>t</h2></div><div id=e><img src=/x></div>";
    let ids: Vec<String> =
        each(&lift(rule, html), "id").iter().map(|id| id.as_str().unwrap()[16..].to_owned()).collect();
    assert_eq!(ids, ["c", "d", "e"]);
}

#[test]
fn nothing_is_lifted_out_of_a_list() {
    let catalogue = application(
        "<level id='l' kind='intermediate'><object type='post' at='div'><body at='p'/></object></level>",
    );
    let seen = see(&catalogue, "http://a.test/", "<div><p>x</div>");
    assert_eq!((&seen["level"], &seen["objects"]), (&json!("l"), &json!([])));
}
