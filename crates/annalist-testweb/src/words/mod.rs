//! The words that pages are made of: topics with their vocabularies, and four languages. How they become
//! sentences is in `prose.rs`.

mod english;
mod french;
mod german;
mod greek;
mod people;

use std::sync::LazyLock;

use serde::Serialize;

pub(crate) use people::{AUTHORS, NICKNAMES};

/// How many topics there are words for.
pub const TOPICS: usize = 8;

/// A language's word lists, split once.
struct Vocabulary {
    function: Vec<&'static str>,
    general: Vec<&'static str>,
    topics: [Vec<&'static str>; TOPICS],
}

impl Vocabulary {
    fn new(function: &'static str, general: &'static str, topics: [&'static str; TOPICS]) -> Vocabulary {
        let split = |words: &'static str| words.split_whitespace().collect();
        Vocabulary { function: split(function), general: split(general), topics: topics.map(split) }
    }
}

/// In the order of [`Language::ALL`].
static VOCABULARIES: LazyLock<[Vocabulary; 4]> = LazyLock::new(|| {
    [
        Vocabulary::new(english::FUNCTION, english::GENERAL, english::TOPIC_WORDS),
        Vocabulary::new(german::FUNCTION, german::GENERAL, german::TOPIC_WORDS),
        Vocabulary::new(french::FUNCTION, french::GENERAL, french::TOPIC_WORDS),
        Vocabulary::new(greek::FUNCTION, greek::GENERAL, greek::TOPIC_WORDS),
    ]
});

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    English,
    German,
    French,
    Greek,
}

impl Language {
    pub const ALL: [Language; 4] = [Language::English, Language::German, Language::French, Language::Greek];

    /// The code that stands in `<html lang>`.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
            Language::French => "fr",
            Language::Greek => "el",
        }
    }

    pub(crate) fn function_words(self) -> &'static [&'static str] {
        &self.vocabulary().function
    }

    /// Words that fit every topic.
    pub(crate) fn general_words(self) -> &'static [&'static str] {
        &self.vocabulary().general
    }

    /// The vocabulary of a topic, frequent words first.
    pub(crate) fn topic_words(self, topic: usize) -> &'static [&'static str] {
        &self.vocabulary().topics[topic % TOPICS]
    }

    fn vocabulary(self) -> &'static Vocabulary {
        &VOCABULARIES[self as usize]
    }

    /// Anchors that say nothing about their target.
    pub(crate) fn vague_anchors(self) -> &'static [&'static str] {
        match self {
            Language::English => &["click here", "read more", "here", "continue reading", "link"],
            Language::German => &["hier klicken", "weiterlesen", "hier", "mehr"],
            Language::French => &["cliquez ici", "lire la suite", "ici", "plus"],
            Language::Greek => &["κάντε κλικ εδώ", "περισσότερα", "εδώ"],
        }
    }
}

/// The name of a topic, as the truth and section paths say it.
pub fn topic_name(topic: usize) -> &'static str {
    english::TOPIC_NAMES[topic % TOPICS]
}

/// The English words of a topic, frequent ones first: what a spec would list as keywords.
pub fn topic_keywords(topic: usize) -> &'static [&'static str] {
    Language::English.topic_words(topic)
}

/// The people who are named in pages of a topic.
pub fn topic_people(topic: usize) -> &'static [&'static str] {
    people::TOPIC_PEOPLE[topic % TOPICS]
}

#[cfg(test)]
mod tests {
    use super::{Language, TOPICS};

    #[test]
    fn every_topic_has_its_own_words_in_every_language() {
        for language in Language::ALL {
            for topic in 0..TOPICS {
                let words = language.topic_words(topic);
                let least = if language == Language::English { 78 } else { 16 };
                assert!(words.len() >= least, "{language:?} {topic}: {}", words.len());
                for other in (0..TOPICS).filter(|other| *other != topic) {
                    let shared: Vec<_> =
                        words.iter().filter(|word| language.topic_words(other).contains(word)).collect();
                    assert!(shared.is_empty(), "{language:?}: topics {topic} and {other} share {shared:?}");
                }
            }
        }
    }

    #[test]
    fn no_word_needs_escaping_in_markup() {
        for language in Language::ALL {
            let topics = (0..TOPICS).flat_map(|topic| language.topic_words(topic));
            let words = topics.chain(language.function_words()).chain(language.general_words());
            for word in words {
                assert!(!word.contains(['<', '>', '&', '"', '\'']), "{word}");
            }
        }
    }
}
