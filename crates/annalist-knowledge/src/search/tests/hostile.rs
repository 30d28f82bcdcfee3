//! Any text is an answer or an error that says what is wrong.

use proptest::prelude::*;

use super::super::{Question, Reader, SearchError, parse};
use super::{asked, index, page};

#[test]
fn mistakes_are_told_with_their_place() {
    for (question, at, part) in [
        ("euro \"debt crisis", 5, "never ends"),
        ("(euro", 0, "( without its )"),
        ("euro)", 4, ") without its ("),
        ("OR euro", 0, "both sides"),
        ("euro OR", 7, "both sides"),
        ("(euro OR) debt", 8, "both sides"),
        ("debt sitte:a.test", 5, "no field sitte"),
        ("site:", 0, "site: needs something behind it, such as site:example.org"),
        ("published:soon", 0, "soon is no date"),
        ("published:2011-13", 0, "2011-13 is no date"),
        ("published:2012..2011", 0, "ends before it begins"),
        ("published:..", 0, "beginning or an end"),
        ("a*b", 0, "at the end of a word only"),
        ("debt *", 5, "needs letters before it"),
        (&"(".repeat(40), 17, "too many ("),
        (&"- ".repeat(40), 36, "too many -"),
        (&"x ".repeat(65), 128, "64 parts"),
        (&"x".repeat(2_001), 2_000, "2000 letters"),
    ] {
        let mistake = parse(question).unwrap_err();
        assert!(mistake.message.contains(part), "{question}: {}", mistake.message);
        assert_eq!(mistake.at, at, "{question}");
    }
}

#[test]
fn signs_and_addresses_are_no_mistakes() {
    for question in [
        "",
        "   ",
        "&& || !!",
        "- - -",
        "()",
        "http://a.test/b",
        "10:30",
        "\"\"",
        "C++",
        "a--b",
        "AND",
        "NOT",
        "don’t",
        "„Zitat“",
    ] {
        assert!(parse(question).is_ok(), "{question}: {:?}", parse(question));
    }
}

#[test]
fn a_beginning_that_too_many_words_have_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let text: String = (0..5_000).map(|n| format!("word{n} ")).collect();
    index(dir.path(), &[page(1, "http://a.test/", "en", &text)]);
    let reader = Reader::open(&[dir.path()]).unwrap();
    assert!(
        matches!(reader.ask(&asked("wor*")), Err(SearchError::Query(e)) if e.message.contains("more letters"))
    );
    assert_eq!(reader.ask(&asked("word1*")).unwrap().total, 1);
}

/// Made of what the language has: such texts get further than any text does.
fn some_question() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "(",
            ")",
            "\"",
            "-",
            "*",
            " ",
            "OR",
            "AND",
            "NOT",
            ":",
            "..",
            "site:",
            "published:",
            "2011",
            "-03",
            "euro",
            "危",
            "危机",
            "title:",
            "author:",
            "“",
            "”",
            "\u{301}",
            "\0",
            "\n",
            "'",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

#[test]
fn any_text_is_an_answer_or_a_clear_error() {
    let dir = tempfile::tempdir().unwrap();
    let documents = [
        page(1, "http://a.test/", "en", "the euro of 2011 in 危机"),
        page(2, "http://b.test/", "zh", "希腊危机 euro"),
    ];
    index(dir.path(), &documents);
    let reader = Reader::open(&[dir.path()]).unwrap();
    let config = ProptestConfig { cases: 1_000, ..ProptestConfig::default() };
    proptest!(config, |(made in some_question(), text in any::<String>())| {
        for question in [made, text] {
            match parse(&question) {
                Ok(wanted) => {
                    let answer = reader.ask(&Question { wanted, ..Question::default() });
                    prop_assert!(answer.is_ok());
                }
                Err(e) => prop_assert!(!e.message.is_empty() && e.at <= question.chars().count()),
            }
        }
    });
}
