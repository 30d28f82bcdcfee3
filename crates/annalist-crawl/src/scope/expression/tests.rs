//! What expressions mean, what is wrong with others, and that no text upsets the compiler.

use annalist_model::{CanonicalUrl, Link, LinkKind, Score};
use proptest::prelude::*;

use super::{About, Subject, compiled};
use crate::scope::{Facts, Passed, Walked, Way};

fn link() -> Link {
    let seed = Link::seed(CanonicalUrl::parse("http://start.gr/").unwrap(), 0);
    let page = seed.child(CanonicalUrl::parse("http://www.news.gr/").unwrap(), LinkKind::Anchor, "");
    page.child(CanonicalUrl::parse("http://www.news.gr/2010/print/a?id=7").unwrap(), LinkKind::Anchor, "")
}

const FACTS: Facts<'static> = Facts {
    via_url: Some("http://www.news.gr/"),
    mime: Some("text/html"),
    language: None,
    score: None,
    way: None,
    page: None,
    via_beyond: 0,
    was_in_scope: false,
};

fn ask_with(expression: &str, facts: &Facts<'_>) -> Option<bool> {
    let (condition, _) = compiled(expression, About::Links).map_err(|fault| fault.message).unwrap();
    condition.ask(&Subject { link: &link(), facts })
}

fn ask(expression: &str) -> Option<bool> {
    ask_with(expression, &FACTS)
}

fn fault(expression: &str) -> (usize, String) {
    let fault = compiled(expression, About::Links).err().unwrap();
    (fault.at, fault.message)
}

#[test]
fn every_variable_can_be_asked() {
    for (expression, answer) in [
        ("url == 'http://www.news.gr/2010/print/a?id=7'", true),
        ("host == 'www.news.gr'", true),
        ("site == 'news.gr'", true),
        ("path.startsWith('/2010/')", true),
        ("query == 'id=7'", true),
        ("depth == 2", true),
        ("hops == 'LL'", true),
        ("via == 'http://www.news.gr/'", true),
        ("mime == 'text/html'", true),
        ("mime != 'text/html'", false),
    ] {
        assert_eq!(ask(expression), Some(answer), "{expression}");
    }
    let facts = Facts { language: Some("el"), score: Some(Score::new(0.5)), ..FACTS };
    assert_eq!(ask_with("language == 'el' && score >= 0.5", &facts), Some(true));
}

/// The way of [`link`]: its page and the seed.
fn way(is_whole: bool) -> Way<'static> {
    Way::new(move || {
        let seed = Link::seed(CanonicalUrl::parse("http://start.gr/").unwrap(), 0);
        let page = seed.child(CanonicalUrl::parse("http://www.news.gr/").unwrap(), LinkKind::Anchor, "");
        let passed = |link, score| Passed { link, score: Score::new(score) };
        Walked { pages: vec![passed(page, 0.25), passed(seed, 1.0)], is_whole }
    })
}

#[test]
fn the_pages_on_the_way_can_be_asked() {
    let (whole, cut) = (way(true), way(false));
    let with = |expression: &str, way| ask_with(expression, &Facts { way: Some(way), ..FACTS });
    for (expression, answer) in [
        ("passed(host == 'start.gr')", true),
        ("passed(host == 'start.gr' && hops == '')", true),
        ("passed(host == 'start.gr' && depth == 1)", false),
        ("passed(path.contains('/print/'))", false),
        ("!passed(!host.endsWith('.gr'))", true),
        ("passed(score < 0.5) && !passed(score < 0.1)", true),
        ("depth == 2 && passed(depth == 0) && host == 'www.news.gr'", true),
    ] {
        assert_eq!(with(expression, &whole), Some(answer), "{expression}");
    }
    assert_eq!(with("passed(host == 'start.gr')", &cut), Some(true));
    assert_eq!(with("passed(host == 'other.gr')", &cut), None, "it may be further up");
    assert_eq!(ask("passed(host == 'start.gr')"), None);
    let seed = Link::seed(CanonicalUrl::parse("http://start.gr/").unwrap(), 0);
    let (condition, _) = compiled("passed(true)", About::Links).map_err(|fault| fault.message).unwrap();
    assert_eq!(condition.ask(&Subject { link: &seed, facts: &FACTS }), Some(false), "no page led to a seed");
}

#[test]
fn what_is_not_known_of_the_way_is_a_mistake_to_ask() {
    assert!(fault("passed(language == 'el')").1.contains("language"));
    assert!(fault("depth > 1 && passed(mime == 'x')").1.contains("mime"));
    assert!(fault("passed(via == 'x')").1.contains("via"));
    assert!(fault("passed(passed(true))").1.contains("another passed()"));
    assert_eq!(ask("passed(depth > 9) || passed(depth > 8)"), None);
    assert!(fault("passed(host)").1.contains("true or false"));
    let (_, variables) =
        compiled("passed(score > 0.5)", About::Links).map_err(|fault| fault.message).unwrap();
    assert!(variables.is_empty(), "a page's own score is not asked for");
}

#[test]
fn operators_mean_what_they_mean_in_cel() {
    for (expression, answer) in [
        ("true || false && false", true),
        ("(true || false) && false", false),
        ("!true == false", true),
        ("!!true", true),
        ("!(depth > 1)", false),
        ("depth <= 2 && depth < 3 && depth >= 2 && depth > 1 && depth != 1", true),
        ("depth > -1 && depth < 2.5 && 1.5 < depth", true),
        ("depth in [1, 2, 3]", true),
        ("host in ['a.gr', \"www.news.gr\"]", true),
        ("host in []", false),
        ("'a' < 'b'", true),
        ("host.endsWith('.gr') == true", true),
        ("true != false", true),
        ("path.contains('/print/')", true),
        (r#"path.matches("^/[0-9]{4}/")"#, true),
        (r#"path.matches(r"^/\d{4}/")"#, true),
        (r#"path.matches("^/\\d{5}/")"#, false),
        ("size(hops) == 2 && hops.size() == 2", true),
        ("'\\u03b1\\n\\t\\'' == \"α\n\t'\"", true),
        ("'a' . contains ( 'a' )", true),
    ] {
        assert_eq!(ask(expression), Some(answer), "{expression}");
    }
}

#[test]
fn what_is_not_known_decides_nothing() {
    for (expression, answer) in [
        ("language == 'en'", None),
        ("language != 'en'", None),
        ("!(language == 'en')", None),
        ("language.startsWith('e')", None),
        ("score < 0.5", None),
        ("language == 'en' && false", Some(false)),
        ("true || language == 'en'", Some(true)),
        ("language == 'en' || true", Some(true)),
        ("language == 'en' && true", None),
        ("(language == 'en') == true", None),
    ] {
        assert_eq!(ask(expression), answer, "{expression}");
    }
}

#[test]
fn a_fault_says_where_and_what_was_expected() {
    for (expression, at, message) in [
        ("", 0, "expected a value, found the end"),
        (
            "hots == 'a'",
            0,
            "unknown variable \"hots\", known are url, host, site, path, query, depth, hops, via, mime, language, score",
        ),
        ("depth", 0, "expected something that is true or false, found a number"),
        ("true && host", 8, "expected something that is true or false, found a text"),
        ("depth == '3'", 6, "a number cannot be compared with a text"),
        ("host = 'a'", 5, "'=' has no meaning here, did you mean \"==\"?"),
        ("depth + 1 == 2", 6, "'+' has no meaning here"),
        ("'gr' in host", 5, "expected a list right of \"in\", found a text, did you mean .contains()?"),
        ("host in ['a', 1]", 5, "a text cannot be compared with a number"),
        (
            "host.endswith('a')",
            5,
            "unknown function \"endswith\", known are startsWith, endsWith, contains, matches, size",
        ),
        ("host.endsWith(1)", 5, "endsWith needs one text in its parentheses, found a number"),
        ("depth.contains('a')", 6, "contains is asked of a text, found a number"),
        ("host.matches('(')", 5, "the pattern \"(\" cannot be used: unclosed group"),
        ("host == 'a", 8, "the text that begins here has no closing quotation mark"),
        (r#"path.matches("\d")"#, 15, "\\d is no escape: write \\\\d, or r\"…\" around the whole text"),
        ("(true", 5, "expected \")\", found the end"),
        ("true true", 5, "expected an operator or the end, found \"true\""),
        ("depth < 1 < 2", 10, "expected an operator or the end, found \"<\""),
        ("depth == 99999999999999999999", 9, "99999999999999999999 is too large a number"),
        ("host.size == 1", 10, "expected \"(\", found \"==\""),
        ("[1] == [1]", 4, "a list can only stand right of \"in\""),
    ] {
        assert_eq!(fault(expression), (at, message.to_owned()), "{expression}");
    }
}

#[test]
fn hostile_expressions_are_faults_and_no_crash() {
    for expression in [
        format!("{}true{}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("{}true{}", "(".repeat(1_000), ")".repeat(1_000)),
        format!("{}1{} == 1", "[".repeat(1_000), "]".repeat(1_000)),
        format!("{}host{}", "size(".repeat(700), ")".repeat(700)),
        "host.matches('(((a{100}){100}){100})')".to_owned(),
        format!("true{}", " && true".repeat(10_000)),
    ] {
        assert!(compiled(&expression, About::Links).is_err());
    }
    assert_eq!(ask(&format!("{}true", "!".repeat(3_000))), Some(true));
    assert_eq!(ask(&format!("true{}", " && true".repeat(400))), Some(true));
    assert_eq!(ask(&format!("{}true{}", "(".repeat(39), ")".repeat(39))), Some(true));
}

proptest! {
    #[test]
    fn any_text_is_an_expression_or_a_fault(text in "\\PC{0,60}") {
        if let Ok((condition, _)) = compiled(&text, About::Links) {
            let _ = condition.ask(&Subject { link: &link(), facts: &FACTS });
        }
    }

    #[test]
    fn any_sequence_of_words_is_an_expression_or_a_fault(
        words in prop::collection::vec(prop::sample::select(vec![
            "host", "depth", "language", "'a'", "1", "2.5", "true", "&&", "||", "!", "==", "<", "in", "(", ")", "[", "]",
            ",", ".contains(", ".size()", "size(", "passed(", "-", ".matches(", "r'.'",
        ]), 0..14),
    ) {
        if let Ok((condition, _)) = compiled(&words.join(" "), About::Links) {
            let _ = condition.ask(&Subject { link: &link(), facts: &FACTS });
        }
    }
}
