//! What is known of a language: how its words are stemmed, which of them say nothing, how frequent the others are. Which
//! language a text is in is told by `annalist-read`.

use std::collections::HashSet;
use std::fmt;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use rust_stemmers::{Algorithm, Stemmer};

use crate::text::frequencies::Frequencies;

/// One language, or what can be done without knowing it.
pub struct Language {
    stemmer: Option<Stemmer>,
    stop_words: HashSet<Box<str>>,
    pub(super) frequencies: Frequencies,
}

/// A list of words, made by `scripts/frequencies`, and the language once it was asked for.
struct List {
    code: &'static str,
    packed: &'static [u8],
    language: OnceLock<Language>,
}

macro_rules! lists {
    ($($code:literal)*) => {
        [$(List {
            code: $code,
            packed: include_bytes!(concat!("../../data/", $code, ".gz")),
            language: OnceLock::new(),
        }),*]
    };
}

static LISTS: [List; 26] = lists! {
    "ar" "cs" "da" "de" "el" "en" "es" "fi" "fr" "he" "hi" "hu" "it" "ja" "ko" "nb" "nl" "pl" "pt" "ro" "ru" "sv" "tr"
    "uk" "vi" "zh"
};

impl Language {
    /// By its ISO 639-1 code. Words of a language without a list are taken as they are.
    pub fn of(code: &str) -> &'static Language {
        static OTHER: OnceLock<Language> = OnceLock::new();
        let code = match code {
            "no" | "nn" => "nb",
            _ => code,
        };
        match LISTS.iter().find(|list| list.code == code) {
            Some(list) => list.language.get_or_init(|| Language::from_list(code, &unpacked(list.packed))),
            None => OTHER.get_or_init(|| Language::from_list(code, "")),
        }
    }

    fn from_list(code: &str, list: &str) -> Language {
        let (stop_words, list) = list.split_once('\n').unwrap_or_default();
        let mut language = Language {
            stemmer: algorithm(code).map(Stemmer::create),
            stop_words: stop_words.split_ascii_whitespace().map(Box::from).collect(),
            frequencies: Frequencies::alike(),
        };
        if !list.is_empty() {
            language.frequencies = Frequencies::from_list(list, |word| language.stem(word));
        }
        language
    }

    /// Whether a word, in lower case, says nothing about what a text is about.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
    }

    /// Whether the forms of a word are known to have something in common.
    pub fn has_stems(&self) -> bool {
        self.stemmer.is_some()
    }

    /// What the forms of a word, in lower case, have in common.
    pub fn stem(&self, word: &str) -> String {
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        }
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Language").field("stop_words", &self.stop_words.len()).finish_non_exhaustive()
    }
}

/// The lists are part of the program: a test unpacks them all.
fn unpacked(list: &[u8]) -> String {
    let mut text = String::new();
    let _ = GzDecoder::new(list).read_to_string(&mut text);
    text
}

fn algorithm(code: &str) -> Option<Algorithm> {
    Some(match code {
        "ar" => Algorithm::Arabic,
        "da" => Algorithm::Danish,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "hu" => Algorithm::Hungarian,
        "it" => Algorithm::Italian,
        "nb" => Algorithm::Norwegian,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sv" => Algorithm::Swedish,
        "tr" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LISTS, Language, unpacked};
    use crate::text::Tokens;

    #[test]
    fn every_list_is_whole_and_has_its_stop_words() {
        for list in &LISTS {
            let text = unpacked(list.packed);
            assert!(text.split_ascii_whitespace().count() > 10_000, "{}", list.code);
            assert!(Language::of(list.code).stop_words.len() > 40, "{}", list.code);
        }
    }

    #[test]
    fn the_forms_of_a_word_have_one_stem() {
        for (code, one, other) in [
            ("en", "elections", "election"),
            ("de", "wahlen", "wahl"),
            ("fr", "élections", "élection"),
            ("es", "elecciones", "elección"),
            ("ru", "выборы", "выборов"),
            ("sv", "valen", "val"),
        ] {
            let language = Language::of(code);
            assert_eq!(language.stem(one), language.stem(other), "{code}");
        }
        assert_eq!(Language::of("no").stem("bilene"), Language::of("nb").stem("bil"));
    }

    #[test]
    fn words_without_meaning_are_known() {
        for (code, stop, meaning) in
            [("en", "the", "people"), ("de", "und", "wahl"), ("pl", "nie", "wybory"), ("zh", "我们", "中国")]
        {
            assert!(Language::of(code).is_stop_word(stop), "{code}");
            assert!(!Language::of(code).is_stop_word(meaning), "{code}");
        }
    }

    #[test]
    fn a_language_without_a_list_leaves_words_as_they_are() {
        let language = Language::of("xx");
        assert_eq!(language.stem("elections"), "elections");
        assert!(!language.is_stop_word("the") && !language.is_stop_word(""));
    }

    proptest! {
        #[test]
        fn any_word_can_be_stemmed(text in any::<String>(), greek in "[α-ωάέήίόύώς]{1,14}", latin in "[a-zäöüßéèêç'ş]{1,14}",
                                   cyrillic in "[а-яё]{1,14}", arabic in "[\u{621}-\u{64a}]{1,14}") {
            let text = format!("{text} {greek} {latin} {cyrillic} {arabic}");
            for list in &LISTS {
                let mut tokens = Tokens::new(&text);
                while let Some(token) = tokens.next_token() {
                    let _ = Language::of(list.code).stem(token.word);
                }
            }
        }
    }
}
