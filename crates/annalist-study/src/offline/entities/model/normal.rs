//! What becomes of a text before it is cut into word pieces, as BERT's own normaliser does it: control characters are dropped, ideographs
//! and marks stand alone, and where the model wants it so, accents and capitals are gone. Every character keeps its place in the text.

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapDataBorrowed;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// What the model wants done, each as in its tokenizer's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Normal {
    pub clean: bool,
    pub ideographs_alone: bool,
    pub strip_accents: bool,
    pub lowercase: bool,
}

impl Default for Normal {
    fn default() -> Normal {
        Normal { clean: true, ideographs_alone: true, strip_accents: true, lowercase: true }
    }
}

/// A character of a word, and the bytes of the text it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    pub letter: char,
    pub from: usize,
    pub to: usize,
}

/// Words of at most so many characters are kept whole; of longer ones it is only known that they are longer.
pub(super) const LONGEST_WORD: usize = 1000;

impl Normal {
    /// Every word of a text, in order: what stands between spaces, marks each alone.
    pub(super) fn words(self, text: &str, mut take: impl FnMut(&[Letter])) {
        let categories = CodePointMapDataBorrowed::<GeneralCategory>::new();
        let decompose = DecomposingNormalizerBorrowed::new_nfd();
        let mut word: Vec<Letter> = Vec::new();
        let mut flush = |word: &mut Vec<Letter>| {
            if !word.is_empty() {
                take(word);
                word.clear();
            }
        };
        for (from, c) in text.char_indices() {
            let to = from + c.len_utf8();
            if self.clean && is_dropped(c, categories) {
                continue;
            }
            if c.is_whitespace() {
                flush(&mut word);
                continue;
            }
            let alone = self.ideographs_alone && is_ideograph(c);
            if alone {
                flush(&mut word);
            }
            let mut push = |letter: char| {
                let mark = is_mark(letter, categories);
                if mark {
                    flush(&mut word);
                }
                // A word that never ends takes no memory.
                if word.len() <= LONGEST_WORD {
                    word.push(Letter { letter, from, to });
                }
                if mark {
                    flush(&mut word);
                }
            };
            let mut lower = |letter: char| {
                if self.lowercase {
                    letter.to_lowercase().for_each(&mut push);
                } else {
                    push(letter);
                }
            };
            if self.strip_accents && !c.is_ascii() {
                let bare = decompose.normalize_iter(std::iter::once(c));
                bare.filter(|c| categories.get(*c) != GeneralCategory::NonspacingMark).for_each(lower);
            } else {
                lower(c);
            }
            if alone {
                flush(&mut word);
            }
        }
        flush(&mut word);
    }
}

/// Control characters, also those that are only asked to be left out of sight.
fn is_dropped(c: char, categories: CodePointMapDataBorrowed<'_, GeneralCategory>) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        '\u{fffd}' => true,
        ' '..='~' => false,
        _ => matches!(
            categories.get(c),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        ),
    }
}

fn is_mark(c: char, categories: CodePointMapDataBorrowed<'_, GeneralCategory>) -> bool {
    c.is_ascii_punctuation() || !c.is_ascii() && GeneralCategoryGroup::Punctuation.contains(categories.get(c))
}

/// The blocks that BERT's own tokenizer takes for Chinese.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_WORD, Normal};

    fn words(normal: Normal, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        normal.words(text, |word| all.push(word.iter().map(|letter| letter.letter).collect()));
        all
    }

    #[test]
    fn marks_and_ideographs_stand_alone_and_accents_go_where_the_model_says_so() {
        let text = "Ça, l\u{200b}'Été\u{7}s 在希腊! İ ≠";
        assert_eq!(
            words(Normal::default(), text),
            ["ca", ",", "l", "'", "etes", "在", "希", "腊", "!", "i", "="]
        );
        let cased = Normal { strip_accents: false, lowercase: false, ..Normal::default() };
        assert_eq!(words(cased, "Ça, Été 在希"), ["Ça", ",", "Été", "在", "希"]);
        assert_eq!(words(Normal { ideographs_alone: false, ..Normal::default() }, "在希"), ["在希"]);
    }

    #[test]
    fn a_word_that_never_ends_takes_no_memory() {
        let text = "a".repeat(1 << 20);
        let mut lengths = Vec::new();
        Normal::default().words(&text, |word| lengths.push(word.len()));
        assert_eq!(lengths, [LONGEST_WORD + 1]);
        assert_eq!(words(Normal::default(), ""), Vec::<String>::new());
    }
}
