//! Which documents match is what a look at every document says.

use annalist_judge::text::{Language, Spacing, Tokens};
use proptest::prelude::*;

use super::super::query::{How, Label, Wanted, When, Within};
use super::super::{Entry, Question, Reader};
use super::{DAY, index, page};
use crate::document::Document;

/// Words that have forms, accents, compounds, and scripts without spaces.
const VOCABULARY: [&str; 24] = [
    "election",
    "elections",
    "elected",
    "the",
    "Wahl",
    "Wahlen",
    "die",
    "Gift",
    "gifts",
    "élection",
    "crise",
    "crises",
    "κρίση",
    "ΚΡΙΣΗ",
    "κρίσεις",
    "希腊",
    "危机",
    "希",
    "選挙",
    "الانتخابات",
    "انتخابات",
    "debt-relief",
    "debt",
    "don't",
];
const LANGUAGES: [&str; 6] = ["en", "de", "fr", "el", "zh", "ar"];

fn folded(word: &str) -> String {
    let mut folded = String::new();
    super::super::words::push_word(word, &mut folded);
    folded
}

fn tokens(text: &str) -> Vec<(String, Spacing)> {
    let mut tokens = Tokens::new(text);
    let mut all = Vec::new();
    while let Some(token) = tokens.next_token() {
        all.push((token.word.to_owned(), token.spacing));
    }
    all
}

fn stem(word: &str, code: &str) -> Option<String> {
    let language = Language::of(code);
    let says_something = word.len() > 1 && !language.is_stop_word(word) && language.has_stems();
    says_something.then(|| language.stem(word))
}

fn has_sequence(text: &str, sequence: &[String]) -> bool {
    let words: Vec<_> = tokens(text).iter().map(|(word, _)| folded(word)).collect();
    words.windows(sequence.len()).any(|window| window == sequence)
}

fn has_words(entry: &Entry, within: Within, text: &str, how: How) -> bool {
    let title = entry.title.as_deref().unwrap_or_default();
    let texts = match within {
        Within::Title => vec![title],
        _ => vec![title, &entry.text],
    };
    let sought = tokens(text);
    let sequence: Vec<_> = sought.iter().map(|(word, _)| folded(word)).collect();
    let alone = sought.len() == 1 && sought[0].1 == Spacing::Unspaced && sought[0].0.chars().count() == 1;
    if how == How::Beginning || alone {
        let (last, first) = sequence.split_last().unwrap();
        return texts.iter().any(|text| {
            let begins = tokens(text).iter().any(|(word, _)| folded(word).starts_with(last.as_str()));
            begins && (first.is_empty() || has_sequence(text, first))
        });
    }
    let code = entry.language.as_deref().unwrap_or_default();
    let wanted = stem(&sequence[0], code);
    let has_forms = how == How::AnyForm && sought.len() == 1;
    let in_another_form = has_forms
        && sought[0].1 == Spacing::Spaced
        && wanted.is_some()
        && texts.iter().flat_map(|text| tokens(text)).any(|(word, _)| stem(&folded(&word), code) == wanted);
    in_another_form || texts.iter().any(|text| has_sequence(text, &sequence))
}

fn matches(entry: &Entry, wanted: &Wanted) -> bool {
    match wanted {
        Wanted::Everything => true,
        Wanted::Words { within, text, how } => has_words(entry, *within, text, *how),
        Wanted::Label(Label::Language, code) => entry.language.as_ref() == Some(code),
        Wanted::Label(_, site) => entry.site() == site,
        Wanted::Between(_, from, until) => {
            from.is_none_or(|from| entry.captured_at >= from)
                && until.is_none_or(|until| entry.captured_at < until)
        }
        Wanted::Not(not) => !matches(entry, not),
        Wanted::All(all) => all.iter().all(|one| matches(entry, one)),
        Wanted::Any(any) => any.iter().any(|one| matches(entry, one)),
    }
}

fn some_words(most: usize) -> impl Strategy<Value = String> {
    let word = proptest::sample::select(VOCABULARY.to_vec());
    proptest::collection::vec(word, 1..=most).prop_map(|words| words.join(" "))
}

pub(super) fn some_wanted() -> impl Strategy<Value = Wanted> {
    let how = prop_oneof![Just(How::AnyForm), Just(How::AsWritten), Just(How::Beginning)];
    let within = prop_oneof![4 => Just(Within::Anywhere), 1 => Just(Within::Title)];
    let words =
        (within, some_words(2), how).prop_map(|(within, text, how)| Wanted::Words { within, text, how });
    let language = proptest::sample::select(LANGUAGES.to_vec());
    let leaf = prop_oneof![
        6 => words,
        1 => language.prop_map(|code| Wanted::Label(Label::Language, code.to_owned())),
        1 => (0u64..20).prop_map(|number| {
            Wanted::Between(When::Captured, Some((1_500_000_000_000 + number * DAY) as i64), None)
        }),
        1 => Just(Wanted::Everything),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|not| Wanted::Not(Box::new(not))),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Wanted::All),
            proptest::collection::vec(inner, 1..4).prop_map(Wanted::Any),
        ]
    })
}

pub(super) fn some_documents() -> impl Strategy<Value = Vec<Document>> {
    let language = proptest::sample::select(LANGUAGES.to_vec());
    let one = (language, some_words(8), proptest::option::of(some_words(3)));
    proptest::collection::vec(one, 1..20).prop_map(|all| {
        let document = |(number, (language, text, title)): (u64, (&str, String, Option<String>))| {
            let mut document =
                page(number, &format!("http://site{}.test/{number}", number % 3), language, &text);
            document.title = title;
            document
        };
        (0..).zip(all).map(document).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_what_a_look_at_every_document_finds(
        documents in some_documents(),
        wanted in proptest::collection::vec(some_wanted(), 20),
    ) {
        let dir = tempfile::tempdir().unwrap();
        index(dir.path(), &documents);
        let reader = Reader::open(&[dir.path()]).unwrap();
        for wanted in wanted {
            let question = Question { wanted: wanted.clone(), limit: 100, fold: false, ..Question::default() };
            let answer = reader.ask(&question).unwrap();
            let mut found: Vec<_> = answer.hits.into_iter().map(|hit| hit.entry.key).collect();
            found.sort();
            let entries = documents.iter().flat_map(Entry::all_of);
            let mut expected: Vec<_> =
                entries.filter(|entry| matches(entry, &wanted)).map(|entry| entry.key).collect();
            expected.sort();
            prop_assert_eq!(found, expected, "{:?}", wanted);
        }
    }
}
