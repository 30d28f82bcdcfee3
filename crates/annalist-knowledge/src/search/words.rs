//! The words of a text as they are indexed and asked for, and what their forms have in common. Forms are not indexed: the few
//! that a dictionary has are found when a question asks for one of them, which makes indexing twice as fast.

use std::collections::HashMap;

use annalist_judge::text::{Language, Stems, Tokens};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

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
#[derive(Clone, Debug, Default)]
pub(super) struct Forms {
    stems: HashMap<String, Stems>,
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
        match word.strip_suffix(FOLDED_TA).filter(|_| code == "ar") {
            Some(rest) => stems.stem(&format!("{rest}{TIED_TA}")),
            None => stems.stem(word),
        }
    }

    /// How the words of a stem may begin, as they are indexed: stemmers change no more than the last letter of what they leave.
    pub(super) fn beginnings(stem: &str, code: &str) -> Vec<String> {
        let mut common = String::new();
        push_folded(stem, &mut common);
        if common.chars().count() > SHORTEST_BEGINNING {
            common.pop();
        }
        let before: &[&str] = if code == "ar" { &ARABIC } else { &[""] };
        before.iter().map(|before| format!("{before}{common}")).collect()
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
