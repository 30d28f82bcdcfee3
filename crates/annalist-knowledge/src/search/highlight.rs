//! Where the words asked for stand in a text, and the passage that shows most of them. Plain text: nothing of the page's
//! markup and no control characters come through.

use std::ops::Range;

use annalist_judge::text::{Spacing, Tokens};
use serde::{Serialize, Serializer};

use super::query::{How, Wanted, Within};
use super::words::{Forms, push_word};

/// Of a passage, in bytes.
const LONGEST: usize = 280;
/// What is shown before the first word that was asked for.
const BEFORE: usize = 60;

/// A passage of a text, and where the words stand in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    /// In bytes, in order, apart from one another.
    pub marks: Vec<Range<usize>>,
}

impl Snippet {
    /// The passage in pieces, and whether each was asked for.
    pub fn pieces(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut at = 0;
        let mut pieces = Vec::with_capacity(2 * self.marks.len() + 1);
        for mark in &self.marks {
            pieces.push((self.text.get(at..mark.start).unwrap_or_default(), false));
            pieces.push((self.text.get(mark.clone()).unwrap_or_default(), true));
            at = mark.end;
        }
        pieces.push((self.text.get(at..).unwrap_or_default(), false));
        pieces.into_iter().filter(|(text, _)| !text.is_empty())
    }
}

/// The marks as pairs of characters' numbers, which every language can count.
impl Serialize for Snippet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let characters = |bytes: usize| self.text.get(..bytes).map_or(0, |text| text.chars().count());
        let marks: Vec<_> =
            self.marks.iter().map(|mark| [characters(mark.start), characters(mark.end)]).collect();
        let mut snippet = serializer.serialize_struct("Snippet", 2)?;
        snippet.serialize_field("text", &self.text)?;
        snippet.serialize_field("marks", &marks)?;
        snippet.end()
    }
}

/// Marks what a question asks for.
#[derive(Debug, Default)]
pub(super) struct Marker {
    sought: Vec<Sought>,
}

#[derive(Debug)]
enum Sought {
    Word(String),
    Sequence(Vec<String>),
    Beginning(String),
}

/// The words of a text as they are indexed, one behind the other, and where each stands.
#[derive(Default)]
struct Seen {
    folded: String,
    words: Vec<(Range<usize>, Range<usize>)>,
}

impl Seen {
    fn of(text: &str) -> Seen {
        let mut seen = Seen::default();
        let mut tokens = Tokens::new(text);
        while let Some(token) = tokens.next_token() {
            let start = seen.folded.len();
            push_word(token.word, &mut seen.folded);
            seen.words.push((start..seen.folded.len(), token.from..token.to));
        }
        seen
    }

    fn word(&self, number: usize) -> &str {
        self.words.get(number).and_then(|(folded, _)| self.folded.get(folded.clone())).unwrap_or_default()
    }

    /// Whether these words stand here, one after the other.
    fn has(&self, number: usize, sequence: &[String]) -> bool {
        !sequence.is_empty()
            && number + sequence.len() <= self.words.len()
            && (number..).zip(sequence).all(|(number, word)| self.word(number) == *word)
    }
}

/// What the forms of a word that was asked for have in common, in the language of a text.
struct Related {
    stem: String,
    /// Words that begin otherwise have another stem: most need not be stemmed.
    beginnings: Vec<String>,
}

impl Related {
    fn to(word: &str, code: &str, forms: &mut Forms) -> Option<Related> {
        let stem = forms.stem(word, code)?.to_owned();
        Some(Related { beginnings: Forms::beginnings(&stem, code), stem })
    }

    fn has(&self, word: &str, code: &str, forms: &mut Forms) -> bool {
        self.beginnings.iter().any(|beginning| word.starts_with(beginning))
            && forms.stem(word, code) == Some(&self.stem)
    }
}

/// A place that was asked for, and by which part of the question.
struct Found {
    place: Range<usize>,
    part: usize,
}

impl Marker {
    pub(super) fn of(wanted: &Wanted) -> Marker {
        let mut marker = Marker::default();
        marker.seek(wanted);
        marker
    }

    fn seek(&mut self, wanted: &Wanted) {
        match wanted {
            Wanted::Words { within: Within::Anywhere | Within::Title, text, how } => {
                let mut tokens = Tokens::new(text);
                let (mut sequence, mut alone) = (Vec::new(), false);
                while let Some(token) = tokens.next_token() {
                    let mut folded = String::new();
                    push_word(token.word, &mut folded);
                    alone = token.spacing == Spacing::Unspaced && token.word.chars().nth(1).is_none();
                    sequence.push(folded);
                }
                self.sought.push(match (how, sequence.as_mut_slice()) {
                    (How::Beginning, [.., last]) => Sought::Beginning(std::mem::take(last)),
                    (_, [one]) if alone => Sought::Beginning(std::mem::take(one)),
                    (How::AnyForm, [one]) => Sought::Word(std::mem::take(one)),
                    _ => Sought::Sequence(sequence),
                });
            }
            Wanted::All(some) | Wanted::Any(some) => some.iter().for_each(|one| self.seek(one)),
            _ => {}
        }
    }

    /// The passage of a text that shows most of what was asked for, else its beginning.
    pub(super) fn passage(&self, text: &str, language: Option<&str>, forms: &mut Forms) -> Snippet {
        let found = self.find(text, language, forms);
        let (from, to) = window(text, &found);
        cut(text, from, to, &found)
    }

    /// The whole of a short text, such as a title.
    pub(super) fn whole(&self, text: &str, language: Option<&str>, forms: &mut Forms) -> Snippet {
        let found = self.find(text, language, forms);
        cut(text, 0, text.len(), &found)
    }

    /// In order, without those that stand in others.
    fn find(&self, text: &str, language: Option<&str>, forms: &mut Forms) -> Vec<Found> {
        if self.sought.is_empty() {
            return Vec::new();
        }
        let code = language.unwrap_or_default();
        let related: Vec<_> = self
            .sought
            .iter()
            .map(|sought| match sought {
                Sought::Word(word) => Related::to(word, code, forms),
                _ => None,
            })
            .collect();
        let seen = Seen::of(text);
        let mut found: Vec<Found> = Vec::new();
        for (number, (_, place)) in seen.words.iter().enumerate() {
            let word = seen.word(number);
            for (part, (sought, related)) in self.sought.iter().zip(&related).enumerate() {
                let words = match sought {
                    Sought::Word(sought) if word == sought => 1,
                    Sought::Word(_) if related.as_ref().is_some_and(|all| all.has(word, code, forms)) => 1,
                    Sought::Beginning(beginning) if word.starts_with(beginning) => 1,
                    Sought::Sequence(sequence) if seen.has(number, sequence) => sequence.len(),
                    _ => continue,
                };
                let last = seen.words.get((number + words).saturating_sub(1));
                let place = place.start..last.map_or(place.end, |(_, last)| last.end);
                match found.last_mut() {
                    Some(before) if before.place.end > place.start => {
                        before.place.end = before.place.end.max(place.end);
                    }
                    _ => found.push(Found { place, part }),
                }
            }
        }
        found
    }
}

/// From where to where: the most different parts of the question, then the most places, then the first.
fn window(text: &str, found: &[Found]) -> (usize, usize) {
    let mut best = (0, 0, 0);
    for (number, first) in found.iter().enumerate() {
        let end = first.place.start + LONGEST - BEFORE;
        let within = found.iter().skip(number).take_while(|found| found.place.end <= end);
        let (mut parts, mut places) = (0u64, 0);
        for found in within {
            parts |= 1 << (found.part % 64);
            places += 1;
        }
        if (parts.count_ones(), places) > (best.0, best.1) {
            best = (parts.count_ones(), places, first.place.start);
        }
    }
    let from = best.2.saturating_sub(BEFORE);
    let from = if from == 0 { 0 } else { beginning_of_word(text, from, best.2) };
    let to = end_of_word(text, (from + LONGEST).min(text.len()), from);
    (from, to)
}

fn beginning_of_word(text: &str, from: usize, latest: usize) -> usize {
    let around = (from..=latest).find(|at| text.is_char_boundary(*at)).unwrap_or(latest);
    let before = text.get(around..latest).unwrap_or_default();
    before
        .char_indices()
        .find(|(_, c)| c.is_whitespace())
        .map_or(around, |(at, c)| around + at + c.len_utf8())
}

fn end_of_word(text: &str, to: usize, from: usize) -> usize {
    let mut end = to;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if end == text.len() {
        return end;
    }
    let passage = text.get(from..end).unwrap_or_default();
    // Scripts without spaces are cut anywhere.
    passage.rfind(char::is_whitespace).filter(|at| *at > LONGEST / 2).map_or(end, |at| from + at)
}

/// With spaces in place of line ends and control characters.
fn cut(text: &str, from: usize, to: usize, found: &[Found]) -> Snippet {
    let mut snippet = Snippet::default();
    let mut marks = found
        .iter()
        .map(|found| &found.place)
        .filter(|place| place.start >= from && place.end <= to)
        .peekable();
    let mut open = None;
    for (at, c) in text.get(from..to).unwrap_or_default().char_indices() {
        let at = from + at;
        if let (Some(start), Some(mark)) = (open, marks.peek())
            && at >= mark.end
        {
            snippet.marks.push(start..snippet.text.len());
            (open, _) = (None, marks.next());
        }
        if open.is_none() && marks.peek().is_some_and(|mark| at >= mark.start) {
            open = Some(snippet.text.len());
        }
        let is_gap = c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if !is_gap {
            snippet.text.push(c);
        } else if !snippet.text.ends_with(' ') && !snippet.text.is_empty() {
            snippet.text.push(' ');
        }
    }
    if let Some(start) = open {
        snippet.marks.push(start..snippet.text.len());
    }
    snippet
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Forms, LONGEST, Marker};
    use crate::search::parse;

    fn marked(question: &str, language: &str, text: &str) -> String {
        let snippet =
            Marker::of(&parse(question).unwrap()).passage(text, Some(language), &mut Forms::default());
        snippet
            .pieces()
            .map(|(piece, asked)| if asked { format!("[{piece}]") } else { piece.to_owned() })
            .collect()
    }

    #[test]
    fn words_are_marked_in_all_the_forms_that_are_found() {
        for (question, language, text, expected) in [
            ("election", "en", "Elections were held", "[Elections] were held"),
            ("\"debt crisis\"", "en", "debt and the Debt Crisis", "debt and the [Debt Crisis]"),
            ("elect*", "de", "elected electorate", "[elected] [electorate]"),
            ("κριση", "el", "Η κρίση τώρα", "Η [κρίση] τώρα"),
            ("债务危机", "zh", "希腊债务危机", "希腊[债务危机]"),
            ("危", "zh", "希腊危机", "希腊[危机]"),
            ("euro -debt", "en", "euro debt", "[euro] debt"),
            ("debt OR euro", "en", "euro, debt", "[euro], [debt]"),
            ("site:a.test", "en", "a test", "a test"),
            ("one\u{1b}", "en", "one\u{1b}[31m\n\ttwo \u{202e}three", "[one] [31m two three"),
        ] {
            assert_eq!(marked(question, language, text), expected, "{question}");
        }
    }

    #[test]
    fn the_passage_with_most_of_the_question_is_shown() {
        let filler = "word ".repeat(200);
        let text = format!("debt {filler} the debt crisis of the euro {filler} crisis");
        let shown = marked("debt crisis euro", "en", &text);
        assert!(shown.contains("the [debt] [crisis] of the [euro] word"), "{shown}");
        assert!(shown.starts_with("word") && shown.len() < LONGEST + 20);
    }

    proptest! {
        #[test]
        fn any_text_has_a_passage_with_marks_at_its_words(text in any::<String>(), more in "[a危\u{301} \n]{0,600}") {
            let text = format!("{text}{more}");
            for question in ["a", "危*", "\"a a\" 危危"] {
                let snippet = Marker::of(&parse(question).unwrap()).passage(&text, Some("en"), &mut Forms::default());
                prop_assert!(snippet.text.len() <= LONGEST);
                let mut at = 0;
                for mark in &snippet.marks {
                    prop_assert!(mark.start >= at && mark.end > mark.start);
                    prop_assert!(snippet.text.get(mark.clone()).is_some());
                    at = mark.end;
                }
            }
        }
    }
}
