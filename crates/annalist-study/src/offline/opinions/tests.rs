use super::{Opinions, opinions};
use crate::offline::entities::{EntitySettings, Known, entities};
use crate::offline::{Corpus, Day, Writing};

fn writing(language: &str, text: &str) -> Writing {
    Writing {
        text: text.to_owned(),
        language: Some(language.to_owned()),
        published: Some(0),
        ..Writing::default()
    }
}

fn study(writings: Vec<Writing>, names: &[&str]) -> Opinions {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Corpus::write(&dir.path().join("writings"), writings.into_iter()).unwrap();
    let known = names.iter().map(|name| Known { name: (*name).to_owned(), ..Known::default() }).collect();
    let found = entities(&corpus, &EntitySettings { known, ..EntitySettings::default() }, &()).unwrap();
    opinions(&corpus, &found, &()).unwrap()
}

/// Of a text alone; 0 where nothing tells.
fn value(language: &str, text: &str) -> f32 {
    study(vec![writing(language, text)], &[]).writings.first().map_or(0.0, |(_, opinion)| opinion.value)
}

#[test]
fn praise_is_for_and_blame_is_against_in_many_languages() {
    for (language, praise, blame) in [
        ("en", "What a wonderful speech.", "It was a terrible speech."),
        ("de", "Das war eine großartige Rede.", "Die Rede war furchtbar schlecht."),
        ("fr", "Un discours excellent.", "Un discours lamentable."),
        ("el", "Ήταν μια εξαιρετική ομιλία.", "Ήταν μια απαίσια ομιλία."),
        ("es", "Un discurso excelente.", "Un discurso horrible."),
        ("it", "Un discorso eccellente.", "Un discorso terribile."),
        ("ru", "Замечательная и прекрасная речь.", "Ужасная речь."),
        ("zh", "我喜欢这个精彩的演讲", "可怕的灾难"),
        ("hi", "यह काम बहुत अच्छा है।", "यह काम भ्रष्ट है।"),
    ] {
        assert!(value(language, praise) > 0.1, "{praise}: {}", value(language, praise));
        assert!(value(language, blame) < -0.1, "{blame}: {}", value(language, blame));
        assert!((-1.0..=1.0).contains(&value(language, praise)));
    }
    assert_eq!(value("en", "The table is on the floor."), 0.0);
    assert_eq!(value("xx", "wonderful"), 0.0);
}

#[test]
fn a_negation_turns_what_it_reaches() {
    for (language, negated) in [
        ("en", "This is not good."),
        ("en", "It isn't wonderful."),
        ("de", "Die Rede war nicht gut."),
        ("de", "Das ist kein guter Plan."),
        ("fr", "Ce n'est pas bon."),
        ("el", "Η ομιλία δεν ήταν καλή."),
        ("es", "No es bueno."),
    ] {
        assert!(value(language, negated) < 0.0, "{negated}: {}", value(language, negated));
    }
    assert!(value("en", "Not only a good speech.") > 0.0);
    assert!(value("en", "No, it was good.") > 0.0, "another clause");
    assert!(value("en", "not terrible") > 0.0);
}

#[test]
fn words_around_it_make_more_or_less_of_an_opinion() {
    let plain = value("en", "It was good.");
    assert!(value("en", "It was very good.") > plain && value("en", "It was good!") > plain);
    assert!(value("en", "It was slightly good.") < plain);
    assert!(value("en", "It was good, but the end was terrible.") < 0.0);
    assert!(value("en", "We left at noon 😠") < 0.0 && value("en", "We left at noon :)") > 0.0);
}

#[test]
fn an_opinion_belongs_to_whom_it_is_about() {
    let text = "Ada Quill is a brilliant and honest engineer. Nobody liked the terrible plans of Bram Oster. He is corrupt.";
    let all = study(vec![writing("en", text)], &["Ada Quill", "Bram Oster"]);
    let of =
        |entity: u32| all.entities.iter().find(|(_, e, _)| *e == entity).map(|(_, _, opinion)| opinion.value);
    assert!(of(0).unwrap() > 0.3 && of(1).unwrap() < -0.3, "{:?}", all.entities);
    assert_eq!(
        all.months.iter().map(|m| (m.entity, m.month, m.count)).collect::<Vec<_>>(),
        [(0, Some(Day(0).month()), 1), (1, Some(Day(0).month()), 1)]
    );
}

#[test]
fn what_has_no_date_belongs_to_no_month() {
    let dated = writing("en", "Ada Quill is a brilliant engineer.");
    let undated = Writing {
        published: None,
        captured: 1_600_000_000_000,
        ..writing("en", "Ada Quill is a corrupt liar.")
    };
    let all = study(vec![dated, undated], &["Ada Quill"]);
    let months: Vec<_> = all.months.iter().map(|m| (m.month, m.mean > 0.0, m.count)).collect();
    assert_eq!(months, [(None, false, 1), (Some(Day(0).month()), true, 1)]);
}

#[test]
fn what_is_quoted_is_not_the_authors_opinion() {
    let quote = "Ada Quill is a terrible liar.";
    let text = format!("{quote}\nI saw Ada Quill yesterday. She is wonderful.");
    let with = Writing { quotes: vec![quote.to_owned()], ..writing("en", &text) };
    let all = study(vec![with, writing("en", &text)], &["Ada Quill"]);
    let values: Vec<f32> = all.entities.iter().map(|(_, _, opinion)| opinion.value).collect();
    assert!(values[0] > 0.3 && values[1] < values[0], "{values:?}");
}

#[test]
fn names_are_no_opinions() {
    assert_eq!(value("en", "We met Joy Grace and saw Hope Street."), 0.0);
}
