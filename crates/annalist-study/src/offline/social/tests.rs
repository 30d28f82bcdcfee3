use super::{Social, social};
use crate::offline::{Corpus, Day, Writing};

fn of(writings: Vec<Writing>) -> Social {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Corpus::write(&dir.path().join("writings"), writings.into_iter()).unwrap();
    social(&corpus, &()).unwrap()
}

fn post(number: u64, author: &str, text: &str) -> Writing {
    Writing {
        id: format!("http://a.test/t#p{number}"),
        record: format!("urn:uuid:{number}"),
        url: "http://a.test/t".to_owned(),
        site: "a.test".to_owned(),
        kind: "post".to_owned(),
        author: Some(author.to_owned()),
        published: Some(Day(number as i32).millis()),
        text: text.to_owned(),
        thread: Some("http://a.test/t".to_owned()),
        ..Writing::default()
    }
}

fn ties(social: &Social) -> Vec<(&str, &str, [u64; 4])> {
    let name = |place: usize| social.authors[place].name.as_str();
    let mut all: Vec<_> = social
        .ties
        .iter()
        .map(|tie| {
            let counts = tie.counts;
            (name(tie.from), name(tie.to), [counts.replies, counts.quotes, counts.links, counts.mentions])
        })
        .collect();
    all.sort_unstable();
    all
}

const WORDS: &str = "The ferry was late again and nobody told us why.";

#[test]
fn a_quote_leads_to_whoever_wrote_the_words_first() {
    let quoting = |number, author: &str| Writing {
        quotes: vec![WORDS.to_owned()],
        ..post(number, author, &format!("{WORDS}\nI saw that."))
    };
    // The first answer is older in the archive than what it quotes.
    let found = of(vec![quoting(5, "bea"), post(1, "ann", WORDS), quoting(7, "cid")]);
    assert_eq!(ties(&found), [("bea", "ann", [0, 1, 0, 0]), ("cid", "ann", [0, 1, 0, 0])]);
    assert_eq!(found.authors[0].name, "ann");
    assert_eq!(found.ties[0].source, "urn:uuid:5");
    // When the words were captured does not say when they were written.
    let undated = Writing { published: None, captured: u64::MAX / 2, ..post(1, "ann", WORDS) };
    let found = of(vec![quoting(5, "bea"), undated]);
    assert_eq!(ties(&found), [("bea", "ann", [0, 1, 0, 0])]);
    assert_eq!(found.authors[0].first, None);
}

#[test]
fn a_quote_leads_to_whom_it_names() {
    let quoting = Writing {
        quotes: vec!["Ann Lee hat geschrieben:\nShort words.".to_owned()],
        ..post(2, "bea", "Ann Lee hat geschrieben:\nShort words.\nNo.")
    };
    let found = of(vec![post(1, "Ann Lee", "Something else."), quoting]);
    assert_eq!(ties(&found), [("bea", "Ann Lee", [0, 1, 0, 0])]);
}

#[test]
fn who_is_spoken_to_is_mentioned_and_a_word_that_is_also_a_name_is_not() {
    let found = of(vec![
        post(1, "marble", "Good morning."),
        post(2, "fennel", "@marble that is right.\nThe floor is of marble."),
        post(3, "dusty", "It was dusty, and the marble was broken; fennel helps."),
        post(4, "ember", "Fennel, you are wrong."),
    ]);
    assert_eq!(ties(&found), [("ember", "fennel", [0, 0, 0, 1]), ("fennel", "marble", [0, 0, 0, 1])]);
}

#[test]
fn answers_and_links_are_ties_and_nobody_refers_to_oneself() {
    let answer = Writing { parent: Some("http://a.test/t#p1".to_owned()), ..post(2, "bea", "Yes.") };
    let own = Writing { parent: Some("http://a.test/t#p2".to_owned()), ..post(3, "bea", "And no.") };
    let elsewhere = Writing {
        id: "http://b.test/x".to_owned(),
        url: "http://b.test/x".to_owned(),
        site: "b.test".to_owned(),
        thread: None,
        links: vec!["http://a.test/t".to_owned(), "http://a.test/t".to_owned(), "http://c.test/".to_owned()],
        ..post(4, "Cid", "See there.")
    };
    let nobody = Writing { author: None, ..post(5, "", "Who am I?") };
    let found = of(vec![post(1, "ann", "First."), answer, own, elsewhere, nobody]);
    assert_eq!(ties(&found), [("Cid", "ann", [0, 0, 1, 0]), ("bea", "ann", [1, 0, 0, 0])]);
    assert_eq!(found.anonymous, 1);
    let site = |name: &str| found.sites.iter().find(|site| site.site == name).unwrap();
    assert_eq!((site("a.test").cited, site("b.test").cites, site("c.test").writings), (1, 2, 0));
    let bea = found.authors.iter().find(|author| author.name == "bea").unwrap();
    assert_eq!((bea.writings, bea.first, bea.last, bea.gave.replies), (2, Some(Day(2)), Some(Day(3)), 1));
}

#[test]
fn the_page_about_an_author_joins_names_and_parts_namesakes() {
    let by = |number, name: &str, url: Option<&str>| Writing {
        author_url: url.map(str::to_owned),
        ..post(number, name, "Words.")
    };
    let found = of(vec![
        by(1, "Ann", None),
        by(2, "ann", Some("http://a.test/u/1")),
        by(3, "Ann L.", Some("http://a.test/u/1")),
        by(4, "ann", Some("http://a.test/u/2")),
    ]);
    let mut writings: Vec<u64> = found.authors.iter().map(|author| author.writings).collect();
    writings.sort_unstable();
    assert_eq!(writings, [1, 3]);
}

#[test]
fn a_page_about_all_who_write_makes_no_one_of_them() {
    let by = |number, name: &str| Writing {
        author_url: Some("http://a.test/who.html".to_owned()),
        ..post(number, name, &format!("{WORDS} {number}"))
    };
    let found =
        of(vec![by(1, "Jane Doe"), by(2, "Karl Osterwald"), by(3, "J. Doe"), by(4, "Karl Osterwald")]);
    let mut told: Vec<_> =
        found.authors.iter().map(|author| (author.name.as_str(), author.writings)).collect();
    told.sort_unstable();
    assert_eq!(told, [("Jane Doe", 2), ("Karl Osterwald", 2)]);
}
