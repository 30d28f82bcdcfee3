//! Sentences about a topic in a language, made once and then only copied: a page of 20 KB is 200 copies.

use std::sync::OnceLock;

use crate::dice::Dice;
use crate::words::{Language, TOPICS, topic_people};

/// Sentences per topic and language. Two pages of a topic share few of them.
const SENTENCES: usize = 1200;
/// Sentences that are copied in one go: longer rows would make pages alike.
const LONGEST_PASSAGE: usize = 3;

/// What a shelf's sentences are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Topic(usize),
    /// Words that fit every topic: what real pages have between the words that matter.
    Anything,
}

/// All sentences of one topic in one language, end to end.
struct Shelf {
    text: String,
    ends: Vec<u32>,
}

impl Shelf {
    fn new(seed: u64, subject: Subject, language: Language) -> Shelf {
        let key = match subject {
            Subject::Topic(topic) => topic as u64,
            Subject::Anything => TOPICS as u64,
        };
        let mut dice = Dice::new(&[seed, 0x5e47, key, language as u64]);
        let mut shelf = Shelf { text: String::new(), ends: Vec::with_capacity(SENTENCES) };
        for _ in 0..SENTENCES {
            write_sentence(&mut shelf.text, &mut dice, subject, language);
            shelf.ends.push(shelf.text.len() as u32);
        }
        shelf
    }

    /// Sentences in a row from the given one on, until there are enough bytes.
    fn passage(&self, number: usize, bytes: usize) -> &str {
        let number = number % SENTENCES;
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let row = self.ends.iter().skip(number).take(LONGEST_PASSAGE).copied();
        let mut end = start;
        for next in row {
            end = next;
            if (end - start) as usize >= bytes {
                break;
            }
        }
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// The sentences of a world. A shelf is filled when it is first needed.
pub(crate) struct Prose {
    seed: u64,
    shelves: Vec<OnceLock<Shelf>>,
}

impl Prose {
    pub(crate) fn new(seed: u64) -> Prose {
        let shelves = (0..(TOPICS + 1) * Language::ALL.len()).map(|_| OnceLock::new()).collect();
        Prose { seed, shelves }
    }

    /// One to three sentences, each with full stop and a space after it. Three passages in four are about the topic.
    pub(crate) fn passage(&self, dice: &mut Dice, topic: usize, language: Language, bytes: usize) -> &str {
        let roll = dice.next();
        let subject = if roll & 3 == 0 { Subject::Anything } else { Subject::Topic(topic % TOPICS) };
        let row = match subject {
            Subject::Topic(topic) => topic,
            Subject::Anything => TOPICS,
        };
        let Some(shelf) = self.shelves.get(row * Language::ALL.len() + language as usize) else { return "" };
        shelf.get_or_init(|| Shelf::new(self.seed, subject, language)).passage((roll >> 32) as usize, bytes)
    }
}

fn write_sentence(out: &mut String, dice: &mut Dice, subject: Subject, language: Language) {
    let words = 8 + dice.below(14);
    let start = out.len();
    for position in 0..words {
        if position > 0 {
            out.push_str(if dice.below(11) == 0 { ", " } else { " " });
        }
        out.push_str(choose_word(dice, subject, language));
    }
    if let Subject::Topic(topic) = subject
        && dice.below(6) == 0
    {
        out.push(' ');
        out.push_str(dice.pick(topic_people(topic)).copied().unwrap_or_default());
    }
    capitalise(out, start);
    out.push_str(". ");
}

fn choose_word(dice: &mut Dice, subject: Subject, language: Language) -> &'static str {
    let vocabulary = match (dice.below(100), subject) {
        (0..48, _) => language.function_words(),
        (48..80, Subject::Topic(topic)) => language.topic_words(topic),
        _ => language.general_words(),
    };
    vocabulary.get(dice.skewed(vocabulary.len())).copied().unwrap_or_default()
}

/// Makes the letter at `start` a capital.
pub(crate) fn capitalise(out: &mut String, start: usize) {
    let Some(first) = out.get(start..).and_then(|rest| rest.chars().next()) else { return };
    let capital = first.to_uppercase().to_string();
    out.replace_range(start..start + first.len_utf8(), &capital);
}

#[cfg(test)]
mod tests {
    use super::Prose;
    use crate::dice::Dice;
    use crate::words::Language;

    #[test]
    fn sentences_are_mostly_about_their_topic() {
        let prose = Prose::new(5);
        let mut dice = Dice::new(&[1]);
        let text: String = (0..200).map(|_| prose.passage(&mut dice, 7, Language::English, 1)).collect();
        let count = |topic| {
            let words = Language::English.topic_words(topic);
            text.split(|c: char| !c.is_alphanumeric() && c != '-')
                .filter(|word| words.contains(&word.to_lowercase().as_str()))
                .count()
        };
        assert!(count(7) > 300, "{}", count(7));
        assert_eq!(count(1), 0);
    }

    #[test]
    fn a_sentence_begins_with_a_capital_and_ends_with_a_full_stop() {
        let prose = Prose::new(5);
        let mut dice = Dice::new(&[2]);
        for language in Language::ALL {
            let sentence = prose.passage(&mut dice, 0, language, 1);
            assert!(sentence.chars().next().is_some_and(char::is_uppercase), "{sentence}");
            assert!(sentence.ends_with(". "), "{sentence}");
        }
    }
}
