//! Every mistake is told with its file and its line, and does no harm to other files.

use std::fs;

use annalist_apps::Catalogue;
use annalist_apps::catalogue::{Loaded, load};

use crate::see;

/// As they are told.
fn mistakes(text: &str) -> Vec<String> {
    let mut loaded = Loaded::default();
    loaded.add("a/app.xml", text);
    assert_eq!(loaded.descriptions.is_empty(), !loaded.mistakes.is_empty(), "{text}");
    loaded.mistakes.iter().map(ToString::to_string).collect()
}

/// Asks for one mistake that begins and goes on like this.
fn told(text: &str, line: usize, expected: &str) {
    let found = mistakes(text);
    let begins = format!("a/app.xml:{line}: ");
    assert!(
        matches!(&found[..], [one] if one.starts_with(&begins) && one.contains(expected)),
        "{text}\nexpected {begins}…{expected}\nfound {found:#?}"
    );
}

#[test]
fn what_is_no_xml_is_told_with_its_line() {
    for (text, line, expected) in [
        ("", 1, "no element"),
        ("no words", 1, "text is only allowed in <note>"),
        ("<application id='a'>\n<level id='b'>\n", 2, "<level> is never closed"),
        ("<application id='a'>\n\n</level>", 3, "no well-formed XML"),
        ("<application id='a'>\n<level", 2, "no well-formed XML"),
        ("<application id='a'/>\n<application id='b'/>", 2, "a second element"),
        ("\n<!DOCTYPE application>\n<application id='a'/>", 2, "a document type is not allowed"),
        ("<application id='a'>\n\n words </application>", 3, "text is only allowed in <note>: \"words\""),
        ("<application id='a'>\n<![CDATA[words]]></application>", 2, "text is only allowed in <note>"),
        ("<application id='a'>\n&lt;</application>", 2, "text is only allowed in <note>"),
        ("<application id='a'\n id='b'/>", 1, "malformed attribute"),
        ("<application id='a'>\n<level id=b/></application>", 2, "malformed attribute"),
        ("<application id='&a;'/>", 1, "cannot be read"),
    ] {
        told(text, line, expected);
    }
    let deep = format!("<application id='a'>{}", "<all>".repeat(20));
    told(&deep, 1, "nested deeper than");
    told(&" ".repeat(5 << 20), 1, "longer than");
}

#[test]
fn what_stands_in_no_description_is_told_with_its_line() {
    for (inside, expected) in [
        ("<levels/>", "<levels> is unknown here; expected detect"),
        ("<body at='p'/>", "<body> is unknown here"),
        ("<follow path='*' reason='x'/>", "<follow> has no attribute reason; expected at, score, action"),
        ("<never path='*' action='x'/>", "<never> has no attribute action"),
        ("<never path='*' score='1'/>", "<never> has no attribute score"),
        ("<follow action='x'/>", "<follow> fits every link"),
        ("<follow path='*' score='much'/>", "score is \"much\"; expected a number"),
        ("<follow path='*' score='1.5'/>", "score is 1.5; expected 0 to 1"),
        ("<follow path='*' score='NaN'/>", "score is NaN; expected 0 to 1"),
        ("<never at='a['/>", "the expression cannot be read at character 3 of \"a[\""),
        ("<never matches='('/>", "\"(\" is no regular expression"),
        ("<spare at=' '/>", "<spare> needs at=\"…\""),
        ("<drop/>", "<drop> needs parameter=\"…\""),
        ("<drop parameter='a' name='b'/>", "<drop> has no attribute name; expected parameter"),
        ("<paging/>", "<paging> says nothing"),
        ("<paging path='/page'/>", "expected a # for the number"),
        ("<paging matches='topic=\\d+'/>", "matches has no group"),
        ("<detect at='p'/>", "<detect> has no attribute at; expected no attributes"),
        ("<detect><body at='p'/></detect>", "<body> is no sign; expected generator"),
        ("<detect><generator/></detect>", "<generator> needs contains=\"…\""),
        ("<detect><generator contains='&apos;&quot;'/></detect>", "contains has both kinds of quotes"),
        ("<detect><header contains='x'/></detect>", "<header> needs name=\"…\""),
        ("<detect><cookie name='x' value='y'/></detect>", "<cookie> has no attribute value; expected name"),
        ("<detect><text at='p' contains='x'/></detect>", "<text> has no attribute at"),
        ("<detect><markup at='p//'/></detect>", "the expression cannot be read at character 4"),
        (
            "<detect><all><none><url at='p'/></none></all></detect>",
            "<url> has no attribute at; expected host",
        ),
        ("<level/>", "<level> needs id=\"…\""),
        ("<level id='a b'/>", "id is \"a b\"; expected letters, digits and"),
        ("<level id='l' kind='list'/>", "kind is \"list\"; expected intermediate or terminal"),
        ("<level id='l' index='true'/>", "index is \"true\"; expected yes or no"),
        ("<level id='l' inherit='never'/>", "inherit is \"never\"; expected yes or no"),
        ("<level id='l' others='drop'/>", "others is \"drop\"; expected follow or skip"),
        ("<level id='l'/><level id='l'/>", "there are two levels called \"l\""),
        ("<level id='l'><drop parameter='x'/></level>", "<drop> is unknown here; expected detect"),
        ("<level id='l'><next/></level>", "<next> needs at=\"…\""),
        ("<level id='l'><act at='a' do='press'/></level>", "do is \"press\"; expected click"),
        ("<level id='l'><act at='a'/></level>", "<act> needs do=\"…\""),
        ("<level id='l'><object at='p'/></level>", "<object> needs type=\"…\""),
        ("<level id='l'><object type='post'/></level>", "<object> needs at=\"…\""),
        ("<level id='l'><object type='post' at='p/@id'/></level>", "an object is an element"),
        ("<level id='l'><object type='post' at='.'/></level>", "an object is an element"),
        ("<level id='l'><object type='post' at='p' extent='all'/></level>", "extent is \"all\""),
        (
            "<level id='l'><object type='p' at='p'><text at='b'/></object></level>",
            "<text> is no field; expected id,",
        ),
        ("<level id='l'><title/></level>", "<title> needs at=\"…\""),
        ("<level id='l'><title at='b' format='%Y'/></level>", "<title> has no attribute format"),
        ("<level id='l'><title at='b' value='x'/></level>", "<title> has both at and value"),
        ("<level id='l'><title at='b' match='['/></level>", "\"[\" is no regular expression"),
        ("<level id='l'><date at='b' order='ydm'/></level>", "order is \"ydm\"; expected dmy, mdy or ymd"),
        ("<level id='l'><body at='b'><b/></body></level>", "<b> is unknown here; expected leave-out"),
        ("<level id='l'><body at='b'><leave-out/></body></level>", "<leave-out> needs at=\"…\""),
    ] {
        told(
            &format!("<application id='a'>\n  <!-- two\n lines -->\n\n  {inside}\n</application>"),
            5,
            expected,
        );
    }
    for (text, expected) in [
        ("\n<app id='a'/>", "expected <application>, found <app>"),
        ("\n<application/>", "<application> needs id=\"…\""),
        ("\n<application id=''/>", "<application> needs id=\"…\""),
        (
            "\n<application id='a' extend='b'/>",
            "<application> has no attribute extend; expected id, name, extends",
        ),
        ("\n<application id='a' others='no'/>", "others is \"no\""),
        ("\n<application id='a' inherit='0'/>", "inherit is \"0\""),
    ] {
        told(text, 2, expected);
    }
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let found = mistakes(
        "<application>\n<level id='l' kind='x' index='y'>\n<object type='p'\n at='['>\n<what/>\n<body at='[' match='['/>\n</object>\n</level>\n\
         <follow at='[' matches='[' score='2'/>\n<date at='p'/>\n</application>",
    );
    let mut lines: Vec<&str> = found.iter().map(|told| told.split(':').nth(1).unwrap()).collect();
    lines.sort_by_key(|line| line.parse::<usize>().unwrap());
    assert_eq!(lines, ["1", "2", "2", "3", "5", "6", "6", "9", "9", "9", "10"], "{found:#?}");
}

#[test]
fn a_note_may_say_anything() {
    let text = "\u{feff}<?xml version='1.0'?>\r\n<?xml-model href='../catalogue.xsd'?><!-- x -->\r\n<application id='a'><note>words <b>&amp; more</b></note>\
                <level id='l'><note/></level></application>\r\n<!-- y -->\r\n";
    assert_eq!(mistakes(text), Vec::<String>::new());
}

#[test]
fn a_bad_file_leaves_the_others_working() {
    let mut loaded = Loaded::default();
    let good = "<application id='good'><detect><url host='a.test'/></detect></application>";
    loaded.add("good.xml", good);
    loaded.add("bad.xml", "<application id='bad'>\n<what/></application>");
    // The good one of that id stays.
    loaded.add("again.xml", "<application id='good' kind='x'/>");
    loaded.add(
        "child.xml",
        "\n<application id='child' extends='bad'><detect><url host='a.test'/></detect></application>",
    );
    let (catalogue, more) = Catalogue::new(&loaded.descriptions);
    let told: Vec<String> = loaded.mistakes.iter().chain(&more).map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("bad.xml:2: ") && told[1].starts_with("again.xml:1: "));
    assert_eq!(told[2], "child.xml:2: it extends \"bad\", which there is not");
    assert_eq!(see(&catalogue, "http://a.test/", "")["application"], "good");
}

#[test]
fn a_folder_is_read_in_the_order_of_names_and_what_cannot_be_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("b/pages")).unwrap();
    fs::create_dir_all(at("empty")).unwrap();
    fs::write(at("b/app.xml"), "<application id='b'/>").unwrap();
    fs::write(at("b/pages/no.xml"), "<no/>").unwrap();
    fs::write(at("a.xml"), "<application id='a'/>").unwrap();
    fs::write(at("c.xml"), b"<application id='\xff'/>").unwrap();
    fs::write(at("readme.txt"), "words").unwrap();
    let loaded = load(false, &[folder.path().to_owned(), at("empty"), at("missing"), at("a.xml")]);
    let ids: Vec<&str> = loaded.descriptions.iter().map(|one| one.id.as_str()).collect();
    // The later one of the same id takes the place of the earlier one.
    assert_eq!(ids, ["b", "a"]);
    let told: Vec<String> = loaded.mistakes.iter().map(ToString::to_string).collect();
    for (told, (name, expected)) in told.iter().zip([
        ("c.xml", "the file cannot be read"),
        ("empty", "there is no app.xml"),
        ("missing", "the folder cannot be read"),
    ]) {
        assert!(told.starts_with(&at(name).display().to_string()) && told.contains(expected), "{told}");
    }
    assert_eq!(told.len(), 3);
}

#[test]
fn what_the_program_brings_along_is_without_mistake() {
    let loaded = load(true, &[]);
    assert_eq!(loaded.mistakes, []);
    assert_eq!(Catalogue::new(&loaded.descriptions).1, []);
    assert!(loaded.descriptions.len() > 4);
}
