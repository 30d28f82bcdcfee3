//! The words of a text as they are indexed and asked for, and their stems. A stem carries its language, so that the forms
//! of a word in one language never find a word of another.

use std::collections::HashMap;

use annalist_judge::text::{Language, Stems, Tokens};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::fold::push_folded;

/// Names of the tokenizers in the index.
pub(super) const WORDS: &str = "annalist_words";
pub(super) const STEMS: &str = "annalist_stems";

/// What is longer is found by its beginning.
const LONGEST_WORD: usize = 64;

/// Between the language and the text, and between a stem and its language: no word has it.
const BETWEEN: char = '\n';

/// A word as it is indexed.
pub(super) fn push_word(word: &str, to: &mut String) {
    push_folded(shortened(word), to);
}

/// A stem as it is indexed; none for words that say nothing.
pub(super) fn push_stem(word: &str, code: &str, stems: &mut Stems, to: &mut String) -> bool {
    let Some(stem) = stems.stem(shortened(word)) else { return false };
    push_folded(stem, to);
    to.push(BETWEEN);
    to.push_str(code);
    true
}

/// A text whose stems are to be indexed.
pub(super) fn with_language(code: &str, title: &str, text: &str) -> String {
    let mut all = String::with_capacity(code.len() + title.len() + text.len() + 2);
    all.push_str(code);
    all.push(BETWEEN);
    all.push_str(title);
    all.push(BETWEEN);
    all.push_str(text);
    all
}

/// The code by which stems are known; none for languages that have none.
pub(super) fn stemmed(language: Option<&str>) -> Option<&str> {
    language.filter(|code| Language::of(code).has_stems())
}

fn shortened(word: &str) -> &str {
    let mut end = word.len().min(LONGEST_WORD);
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    word.get(..end).unwrap_or(word)
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

/// Remembers the stems of each language it met.
#[derive(Clone, Debug, Default)]
pub(super) struct StemTokenizer {
    stems: HashMap<String, Stems>,
}

impl StemTokenizer {
    pub(super) fn of(&mut self, code: &str) -> &mut Stems {
        if !self.stems.contains_key(code) {
            self.stems.insert(code.to_owned(), Stems::new(Language::of(code)));
        }
        self.stems.entry(code.to_owned()).or_insert_with(|| Stems::new(Language::of(code)))
    }
}

impl Tokenizer for StemTokenizer {
    type TokenStream<'a> = StemStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> StemStream<'a> {
        let (code, text) = text.split_once(BETWEEN).unwrap_or_default();
        StemStream { tokens: Tokens::new(text), code, stems: self.of(code), token: Token::default() }
    }
}

#[derive(Debug)]
pub(super) struct StemStream<'t> {
    tokens: Tokens<'t>,
    code: &'t str,
    stems: &'t mut Stems,
    token: Token,
}

impl TokenStream for StemStream<'_> {
    fn advance(&mut self) -> bool {
        while let Some(token) = self.tokens.next_token() {
            self.token.text.clear();
            if push_stem(token.word, self.code, self.stems, &mut self.token.text) {
                self.token.offset_from = token.from;
                self.token.offset_to = token.to;
                self.token.position = self.token.position.wrapping_add(1);
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
