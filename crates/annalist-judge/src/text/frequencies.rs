//! How much a term says: the fewer documents have it, the more. Where the numbers come from: `language.rs` has lists of
//! words for many languages, `documents.rs` counts an archive.

use crate::text::Language;
use crate::text::ids::{IdMap, id};
use crate::text::tokens::{Spacing, Tokens};

/// How many words a document has that a list of word frequencies is asked about.
const WORDS_IN_A_DOCUMENT: f64 = 500.0;
/// A list ends somewhere; the words beyond are rarer than its last by this much.
const BEYOND_THE_LIST: f64 = 0.1;

/// The weights of the terms of one language.
#[derive(Clone, Debug)]
pub struct Frequencies {
    weights: IdMap<f32>,
    /// Of a term that nothing is known of.
    unknown: f32,
}

impl Frequencies {
    /// Those the program has of a language; all terms weigh alike where it has none, which `knows_words` tells.
    pub fn of(code: &str) -> &'static Frequencies {
        &Language::of(code).frequencies
    }

    pub(super) fn alike() -> Frequencies {
        Frequencies { weights: IdMap::default(), unknown: 1.0 }
    }

    /// Whether there is anything to tell terms apart by.
    pub fn knows_words(&self) -> bool {
        !self.weights.is_empty()
    }

    /// Out of counted documents; a term that is not among `counts` is in fewer than `min` documents.
    pub(super) fn from_counts(
        documents: u64,
        min: u32,
        counts: impl Iterator<Item = (u64, u32)>,
    ) -> Frequencies {
        let documents = documents as f64;
        let weights = counts.map(|(id, count)| (id, idf(f64::from(count) / documents))).collect();
        Frequencies { weights, unknown: idf(f64::from(min) / 2.0 / (documents + 1.0)) }
    }

    /// Line n of the list holds the words that are one in 10^(n/100).
    pub(super) fn from_list(list: &str, stem: impl Fn(&str) -> String) -> Frequencies {
        let mut shares: IdMap<f64> = IdMap::default();
        let mut rarest = 1.0;
        for (centibels, words) in list.lines().enumerate().filter(|(_, words)| !words.is_empty()) {
            rarest = 10_f64.powf(centibels as f64 / -100.0);
            let mut tokens = Tokens::new(words);
            while let Some(token) = tokens.next_token() {
                // The forms of a word have one stem and count together, as do the words that characters are in.
                match token.spacing {
                    Spacing::Spaced => *shares.entry(id(&stem(token.word))).or_default() += rarest,
                    Spacing::Unspaced => {
                        let is_pair = characters(token.word).count() > 1;
                        for part in characters(token.word).chain(is_pair.then_some(token.word)) {
                            *shares.entry(id(part)).or_default() += rarest;
                        }
                    }
                }
            }
        }
        let weights = shares.into_iter().map(|(id, share)| (id, in_a_document(share))).collect();
        Frequencies { weights, unknown: in_a_document(rarest * BEYOND_THE_LIST) }
    }

    /// The inverse document frequency of a term (a stem, or two with a space between): the logarithm of how many
    /// documents there are for each that has it.
    pub fn idf(&self, term: &str) -> f32 {
        self.known(term)
            .or_else(|| self.of_pair(term))
            .or_else(|| self.of_number(term))
            .unwrap_or(self.unknown)
    }

    fn known(&self, term: &str) -> Option<f32> {
        self.weights.get(&id(term)).copied()
    }

    fn of_pair(&self, term: &str) -> Option<f32> {
        // Two words: they are at least as rare as the rarer of them.
        if let Some((one, other)) = term.split_once(' ') {
            return Some(self.idf(one).max(self.idf(other)));
        }
        // Two characters that are together in no word of the list: they met by chance.
        let mut parts = characters(term);
        let (one, other) = (self.known(parts.next()?)?, self.known(parts.next()?)?);
        Some(in_a_document(share_of_words(one) * share_of_words(other)).min(self.unknown))
    }

    /// Numbers are counted by their length in the lists: 0000 stands for every year.
    fn of_number(&self, term: &str) -> Option<f32> {
        let is_number = term.len() > 1 && term.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| self.known(&"0".repeat(term.len())))?
    }
}

/// The weight of a term that a share of the documents has.
pub(super) fn idf(share_of_documents: f64) -> f32 {
    share_of_documents.clamp(f64::MIN_POSITIVE, 1.0).ln().abs() as f32
}

/// The weight of a word that makes up a share of all words.
fn in_a_document(share_of_words: f64) -> f32 {
    // -ln(1 - e^-x), exact also for the words that are in every document.
    -(-(-share_of_words * WORDS_IN_A_DOCUMENT).exp()).ln_1p() as f32
}

/// The other way round.
fn share_of_words(idf: f32) -> f64 {
    -(-(-f64::from(idf)).exp_m1()).ln() / WORDS_IN_A_DOCUMENT
}

/// The characters of a script without spaces in a word; none in other words.
fn characters(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let length = Tokens::new(rest).character_end(0)?;
        let (character, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(character)
    })
}

#[cfg(test)]
mod tests {
    use super::Frequencies;
    use crate::text::Language;

    fn idf(code: &str, word: &str) -> f32 {
        Frequencies::of(code).idf(&Language::of(code).stem(word))
    }

    #[test]
    fn rare_words_say_more_than_frequent_ones() {
        for (code, words) in [
            ("en", ["the", "people", "parliament", "photosynthesis", "qwyjibo"]),
            ("de", ["und", "menschen", "bundestag", "schnittstelle", "qwyjibo"]),
            ("ru", ["и", "человек", "парламент", "фотосинтез", "абвгдейка"]),
            ("zh", ["我们", "中国", "议会", "叶绿", "龘靐"]),
        ] {
            let weights = words.map(|word| idf(code, word));
            assert!(weights.is_sorted() && weights[0] < weights[4], "{code}: {weights:?}");
        }
    }

    #[test]
    fn the_forms_of_a_word_count_together() {
        assert_eq!(idf("en", "elections"), idf("en", "election"));
        let alone = Frequencies::from_list("\n\nrun\nruns\n", str::to_owned);
        let together =
            Frequencies::from_list("\n\nrun\nruns\n", |word| word.trim_end_matches('s').to_owned());
        assert!(together.idf("run") <= alone.idf("run"));
    }

    #[test]
    fn a_pair_is_at_least_as_rare_as_its_rarer_part() {
        let english = Frequencies::of("en");
        assert_eq!(english.idf("peopl parliament"), english.idf("parliament"));
        let chinese = Frequencies::of("zh");
        assert!(chinese.idf("的国") >= chinese.idf("国").max(chinese.idf("的")));
        assert!(chinese.idf("的国") < chinese.idf("的绿"));
    }

    #[test]
    fn a_number_is_as_frequent_as_those_of_its_length() {
        assert_eq!(idf("en", "1987"), idf("en", "2009"));
        assert!(idf("en", "1987") < idf("en", "parliament"));
    }

    #[test]
    fn a_language_without_a_list_weighs_all_alike_and_says_so() {
        let unknown = Frequencies::of("xx");
        assert!(!unknown.knows_words() && Frequencies::of("en").knows_words());
        assert_eq!([unknown.idf("a"), unknown.idf("a b"), unknown.idf("2009")], [1.0; 3]);
    }
}
