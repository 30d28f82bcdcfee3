//! The words of a text as they are indexed and asked for, and what their forms have in common. Forms are not indexed: the few
//! that a dictionary has are found when a question asks for one of them, which makes indexing twice as fast.

use std::borrow::Cow;
use std::collections::HashMap;

use annalist_judge::text::{Language, Stems, Tokens};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::families::{Families, Family, stem_number};
use super::fold::push_folded;

/// The name of the tokenizer in the index.
pub(super) const WORDS: &str = "annalist_words";

/// What is longer is found by its beginning.
const LONGEST_WORD: usize = 64;

/// A word in lower case as it is indexed.
pub(super) fn push_word(word: &str, to: &mut String) {
    push_folded(shortened(word), to);
}

/// Whether the forms of a language's words are known.
pub(super) fn has_forms(code: &str) -> bool {
    Language::of(code).has_stems()
}

fn shortened(word: &str) -> &str {
    let mut end = word.len().min(LONGEST_WORD);
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    word.get(..end).unwrap_or(word)
}

/// What the forms of a word have in common, by language.
#[derive(Debug, Default)]
pub(super) struct Forms {
    stems: HashMap<String, Stems>,
    pub(super) families: Families,
}

/// What a language's stemmer writes in place of other letters (`happy`, `happi`; `patience`, `patient`), where letters have no
/// accents: each with those that it may have been. The others stay as they are, up to where the word is cut off. Nothing where
/// letters are also taken out of the middle of words.
fn written(code: &str) -> Option<&'static [(char, &'static str)]> {
    Some(match code {
        "da" | "de" | "nb" | "nn" | "no" | "ru" | "sv" => &[],
        "en" => &[('e', "iaol"), ('i', "y"), ('l', "i"), ('y', "i")],
        "es" | "pt" => &[('t', "c"), ('e', "i")],
        "fr" => &[('q', "c"), ('u', "ai"), ('t', "cm"), ('l', "ui"), ('x', "s"), ('i', "y"), ('n', "m")],
        "it" => &[('t', "z"), ('e', "acglmnstv")],
        _ => return None,
    })
}

/// As the stemmer knows it.
fn unfolded<'w>(word: &'w str, code: &str) -> Cow<'w, str> {
    match word.strip_suffix(FOLDED_TA).filter(|_| code == "ar") {
        Some(rest) => Cow::Owned(format!("{rest}{TIED_TA}")),
        None => Cow::Borrowed(word),
    }
}

/// What Arabic writes before a word as a part of it: articles, prepositions, conjunctions.
const ARABIC: [&str; 13] = ["", "ال", "وال", "بال", "كال", "فال", "لل", "ولل", "و", "ب", "ل", "ف", "ك"];
/// The tied ta that ends feminine nouns is indexed as the ha that many write for it; the stemmer takes off the one wherever it
/// stands, the other not behind an article.
const TIED_TA: char = 'ة';
const FOLDED_TA: char = 'ه';
/// Shorter beginnings have too many words.
const SHORTEST_BEGINNING: usize = 3;

impl Forms {
    /// The stem of a word as it is indexed; none for words that say nothing and where forms are not known.
    pub(super) fn stem(&mut self, word: &str, code: &str) -> Option<&str> {
        if !self.stems.contains_key(code) {
            self.stems.insert(code.to_owned(), Stems::new(Language::of(code)));
        }
        let stems = self.stems.get_mut(code).filter(|_| has_forms(code))?;
        stems.stem(&unfolded(word, code))
    }

    /// The words with a stem that begin so, of a family with this or a shorter beginning.
    pub(super) fn with_stem(
        &mut self,
        family: &mut Family,
        beginning: &str,
        code: &str,
        stem: &str,
    ) -> Vec<String> {
        let stem_of =
            |language: &'static Language, word: &str| stem_number(&language.stem(&unfolded(word, code)));
        let likely = family.likely(beginning, code, stem, stem_of);
        likely.filter(|word| self.stem(word, code) == Some(stem)).map(str::to_owned).collect()
    }

    /// How the words of a stem may begin, as they are indexed: stemmers change no more than the last letter of what they leave.
    pub(super) fn beginnings(stem: &str, code: &str) -> Vec<String> {
        let mut common = String::new();
        push_folded(stem, &mut common);
        let mut beginnings = vec![common.clone()];
        if common.chars().count() > SHORTEST_BEGINNING
            && let Some(last) = common.pop()
        {
            let before = written(code).map(|letters| letters.iter().filter(|(letter, _)| *letter == last));
            match before {
                Some(before) => {
                    let before = before.flat_map(|(_, before)| before.chars());
                    beginnings.extend(before.map(|letter| format!("{common}{letter}")));
                }
                None => beginnings = vec![common],
            }
        }
        let before: &[&str] = if code == "ar" { &ARABIC } else { &[""] };
        let with =
            |common: &String| before.iter().map(|before| format!("{before}{common}")).collect::<Vec<_>>();
        beginnings.iter().flat_map(with).collect()
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct WordTokenizer;

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream { tokens: Tokens::new(text), token: Token::default() }
    }
}

#[derive(Debug)]
pub(super) struct WordStream<'t> {
    tokens: Tokens<'t>,
    token: Token,
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(token) = self.tokens.next_token() else { return false };
        self.token.text.clear();
        push_word(token.word, &mut self.token.text);
        self.token.offset_from = token.from;
        self.token.offset_to = token.to;
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use annalist_judge::text::{Language, Tokens};
    use proptest::prelude::*;

    use super::{Forms, SHORTEST_BEGINNING, push_word, written};

    const CODES: [&str; 10] = ["da", "de", "en", "es", "fr", "it", "nb", "pt", "ru", "sv"];

    /// Whether a word is looked for where it was when only the last letter of its stem was left out.
    fn is_looked_for(word: &str, code: &str) -> bool {
        let mut folded = String::new();
        push_word(word, &mut folded);
        let stem = Language::of(code).stem(&folded);
        let mut common = String::new();
        super::push_folded(&stem, &mut common);
        if common.chars().count() > SHORTEST_BEGINNING {
            common.pop();
        }
        let narrow = Forms::beginnings(&stem, code).iter().any(|beginning| folded.starts_with(beginning));
        narrow == folded.starts_with(&common)
    }

    #[test]
    fn the_words_of_a_language_are_looked_for_by_the_letters_their_stemmer_leaves() {
        for code in CODES {
            assert!(written(code).is_some());
            let path = format!("{}/../annalist-judge/data/{code}.gz", env!("CARGO_MANIFEST_DIR"));
            let mut list = String::new();
            flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
                .read_to_string(&mut list)
                .unwrap();
            let mut tokens = Tokens::new(&list);
            while let Some(token) = tokens.next_token() {
                assert!(is_looked_for(token.word, code), "{} in {code}", token.word);
            }
        }
    }

    /// What the stemmers take off and change, with and without accents, one after the other.
    const ENDINGS: [&str; 96] = [
        "s",
        "es",
        "ies",
        "ied",
        "ed",
        "ing",
        "ingly",
        "edly",
        "ly",
        "y",
        "e",
        "ization",
        "ational",
        "ation",
        "ator",
        "izer",
        "enci",
        "ency",
        "ancy",
        "ance",
        "ence",
        "ably",
        "bli",
        "bility",
        "ivity",
        "logy",
        "logie",
        "usion",
        "ution",
        "ences",
        "eaux",
        "aux",
        "euse",
        "eux",
        "eusement",
        "emment",
        "amment",
        "ement",
        "ment",
        "icatif",
        "icateur",
        "icité",
        "abilité",
        "ivité",
        "ier",
        "ière",
        "issant",
        "erait",
        "ait",
        "ons",
        "enza",
        "enze",
        "armi",
        "erla",
        "irsi",
        "argli",
        "ando",
        "endo",
        "ente",
        "encia",
        "ência",
        "mente",
        "ución",
        "uciones",
        "eira",
        "eiras",
        "ível",
        "idade",
        "ismo",
        "ista",
        "ions",
        "ique",
        "isch",
        "lich",
        "heit",
        "keit",
        "ung",
        "end",
        "est",
        "ern",
        "nisse",
        "löst",
        "fullt",
        "hets",
        "erte",
        "ert",
        "leg",
        "elig",
        "løst",
        "igst",
        "ende",
        "ость",
        "ейший",
        "ывать",
        "ами",
        "ённый",
    ];

    proptest! {
        #[test]
        fn so_are_words_that_nobody_wrote(start in "[a-zéèàüö]{1,6}|[а-яё]{1,6}",
                                          endings in proptest::collection::vec(proptest::sample::select(ENDINGS.to_vec()), 0..4)) {
            let word = format!("{start}{}", endings.concat());
            for code in CODES {
                prop_assert!(is_looked_for(&word, code), "{word} in {code}");
            }
        }
    }
}
