//! What tells an application, and a level.

use serde_json::Value;

use crate::{application, catalogue, see, see_with};

/// Whether a sign holds for a page.
fn holds(sign: &str, url: &str, fields: &[(&str, &str)], html: &str) -> bool {
    // Beside a sign that always holds, so that what is only asked of pages which it hints at is asked.
    let catalogue = catalogue(&[
        "<application id='general'><detect><markup at='html'/></detect></application>",
        &format!("<application id='app' extends='general'><detect>{sign}</detect></application>"),
    ]);
    see_with(&catalogue, url, fields, html)["application"] == "app"
}

#[test]
fn a_generator_is_known_by_words_in_it() {
    let by = |sign: &str, html: &str| holds(sign, "http://a.test/", &[], html);
    let sign = "<generator contains='MyBoard'/>";
    assert!(by(sign, "<meta name=generator content='MyBoard 2.0'>"));
    assert!(by(sign, "<meta name=Generator content='The MyBoard'>"));
    assert!(!by(sign, "<meta name=generator content='myboard'>"));
    assert!(!by(sign, "<meta name=description content='MyBoard'>MyBoard"));
    assert!(by("<generator contains=\"Bob's\"/>", "<meta name=generator content=\"Bob's board\">"));
}

#[test]
fn a_header_field_is_known_by_its_name_in_any_case_and_by_words_in_it() {
    let by = |sign: &str, field: (&str, &str)| holds(sign, "http://a.test/", &[field], "");
    assert!(by("<header name='x-powered-by'/>", ("X-Powered-By", "anything")));
    assert!(by("<header name='X-Powered-By' contains='Board'/>", ("x-powered-by", "MyBoard/2")));
    assert!(!by("<header name='x-powered-by' contains='Board'/>", ("x-powered-by", "PHP")));
    assert!(!by("<header name='x-powered-by'/>", ("x-pingback", "MyBoard")));
    assert!(by(
        "<markup at=\"http-header[@name='link'][contains(@value,'wp-json')]\"/>",
        ("Link", "</wp-json/>")
    ));
}

#[test]
fn a_cookie_is_known_by_its_name_and_a_star_stands_for_anything() {
    let by = |name: &str, field: &str| {
        holds(&format!("<cookie name='{name}'/>"), "http://a.test/", &[("Set-Cookie", field)], "")
    };
    for (name, field, expected) in [
        ("board_sid", "board_sid=1; path=/", true),
        ("board_sid", "board_sid2=1", false),
        ("board_sid", "sid=board_sid", false),
        ("board_*", "board_sid=1", true),
        ("board_*", "my_board_sid=1", false),
        ("*_sid", "board_7_sid=1", true),
        ("*_sid", "board_lang=1", false),
        ("*board*", "my_board_sid=1", true),
        ("*board*", "my_bored_sid=1", false),
        ("board_*_sid", "board_7_sid=1", true),
        ("board_*_sid", "board_7_lang=1", false),
        ("board_*_sid", "my_board_7_sid=1", false),
        ("*board*_sid", "myboard_7_sid=1", true),
        ("*", "anything=1", true),
    ] {
        assert_eq!(by(name, field), expected, "{name} {field}");
    }
    assert!(!holds("<cookie name='*'/>", "http://a.test/", &[], ""));
    let value = "<markup at=\"cookie[@name='lang'][@value='de']\"/>";
    assert!(holds(value, "http://a.test/", &[("set-cookie", "lang=de; Secure")], ""));
}

#[test]
fn an_address_is_known_by_its_parts() {
    for (sign, url, expected) in [
        ("path='*/topic.php'", "http://a.test/board/topic.php?id=3", true),
        ("path='*/topic.php'", "http://a.test/topic.php/x", false),
        ("path='/t/#-*'", "http://a.test/t/12-title", true),
        ("path='/t/#-*'", "http://a.test/t/title-12", false),
        ("path='/?.html'", "http://a.test/x.html", true),
        ("host='a.test'", "http://a.test/", true),
        ("host='a.test'", "http://www.a.test/", false),
        ("host='*.a.test'", "http://x.y.a.test/", true),
        ("host='*.a.test'", "http://ba.test/", false),
        ("has='id'", "http://a.test/?x=1&id=3", true),
        ("has='id view=print'", "http://a.test/?view=print;id=3", true),
        ("has='id view=print'", "http://a.test/?view=all&id=3", false),
        ("without='id view'", "http://a.test/?x=1", true),
        ("without='id view'", "http://a.test/?view", false),
        ("matches='^https?://[a-c]\\.test/\\d+$'", "http://a.test/17", true),
        ("matches='^https?://[a-c]\\.test/\\d+$'", "http://a.test/17/", false),
        ("path='*/topic.php' has='id' without='print'", "http://a.test/topic.php?id=1&print=1", false),
    ] {
        assert_eq!(holds(&format!("<url {sign}/>"), url, &[], ""), expected, "{sign} {url}");
    }
    let markup = "<markup at=\"url[starts-with(@path,'/x')][@query='q=1'][@host='a.test']\"/>";
    assert!(holds(markup, "http://a.test/xy?q=1", &[], ""));
    assert!(!holds(markup, "http://a.test/xy?q=2", &[], ""));
}

#[test]
fn text_and_markup_are_known_by_what_can_be_seen() {
    let by = |sign: &str, html: &str| holds(sign, "http://a.test/", &[], html);
    let text = "<text contains='Powered by MyBoard'/>";
    assert!(by(text, "<p>Powered by <a href=/>MyBoard</a> 2"));
    assert!(!by(text, "<!-- Powered by MyBoard -->Powered by hand"));
    assert!(!by(text, "<script>'Powered by MyBoard'</script>"));
    assert!(by("<markup at=\"link[contains(@href,'style')]/@href\"/>", "<link href=/style.css>"));
    assert!(!by("<markup at='p[2]'/>", "<div><p>x</div><div><p>y</div>"));
}

#[test]
fn signs_may_be_needed_together_and_some_must_not_be_there() {
    let sign =
        "<all><markup at='p'/><text contains='words'/><none><markup at='b'/><url path='/no'/></none></all>";
    let by = |url: &str, html: &str| holds(sign, url, &[], html);
    assert!(by("http://a.test/", "<p>words"));
    assert!(!by("http://a.test/", "<p>word"));
    assert!(!by("http://a.test/", "<i>words</i>"));
    assert!(!by("http://a.test/", "<p>words<b>x</b>"));
    assert!(!by("http://a.test/no", "<p>words"));
    let either = "<all><markup at='p'/><markup at='b'/></all><markup at='u'/>";
    assert!(holds(either, "http://a.test/", &[], "<u>x</u>"));
    assert!(!holds(either, "http://a.test/", &[], "<p>x"));
}

#[test]
fn the_same_words_can_tell_two_applications() {
    let app = |id: &str, sign: &str| {
        format!(
            "<application id='{id}'><detect><all><text contains='words'/>{sign}</all></detect></application>"
        )
    };
    let catalogue = catalogue(&[&app("p", "<markup at='p'/>"), &app("b", "<markup at='b'/>")]);
    assert_eq!(see(&catalogue, "http://a.test/", "<p>words")["application"], "p");
    assert_eq!(see(&catalogue, "http://a.test/", "<b>words</b>")["application"], "b");
    assert_eq!(see(&catalogue, "http://a.test/", "words")["application"], Value::Null);
}

#[test]
fn a_page_is_on_the_first_level_that_it_shows_and_one_without_signs_fits_every_page() {
    let catalogue = application(
        "<level id='one'><detect><markup at='p'/><url path='/one'/></detect></level>
         <level id='two'><detect><markup at='p'/></detect><detect><markup at='b'/></detect></level>
         <level id='rest'/><level id='never'/>",
    );
    let level = |url: &str, html: &str| see(&catalogue, url, html)["level"].clone();
    assert_eq!(level("http://a.test/", "<p>x"), "one");
    assert_eq!(level("http://a.test/one", "<b>x</b>"), "one");
    assert_eq!(level("http://a.test/", "<b>x</b>"), "two");
    assert_eq!(level("http://a.test/", "x"), "rest");
    let strict = application("<level id='one'><detect><markup at='p'/></detect></level>");
    assert_eq!(see(&strict, "http://a.test/", "x")["level"], Value::Null);
}
