//! Names, as far as capitals tell them: words that are written large in the middle of a sentence, and rows of such words.
//! Who or what they are is not known here; scripts without capitals have none.

use std::collections::HashSet;

use annalist_judge::text::{Frequencies, IdMap, Language, Tokens, id};
use annalist_model::link::shortened;
use serde::Serialize;

use super::vocabulary::Tally;
use super::{Corpus, CorpusError, Writing};

/// Names and the writings that have them: found here, or given by who knows better.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Named {
    pub names: Vec<String>,
    /// The number of a writing in the corpus, and of a name that it has. In the order of writings, each once.
    pub mentions: Vec<(u32, u32)>,
}

/// More words in a row are a headline.
const MOST_WORDS: usize = 5;
/// Different ones that are counted at a time.
const MOST_COUNTED: usize = 1_000_000;
/// Written large in this share of its occurrences, a word is a name.
const MOSTLY: f32 = 0.8;
/// German writes all nouns large: there a word alone must be one that hardly anybody uses.
const RARE_WORD: f32 = 8.0;
/// Stand inside of names, in small letters.
const INSIDE: [&str; 16] = [
    "of", "de", "du", "des", "der", "von", "van", "den", "del", "di", "da", "la", "für", "for", "της", "του",
];
const LONGEST_TEXT: usize = 100_000;

/// The names in several archives, with the mentions of each: numbers of names are the same in all of them.
pub fn phrases(corpora: &[Corpus], done: &(dyn Fn(u64) + Sync)) -> Result<Vec<Named>, CorpusError> {
    let known = Known::of(corpora, done)?;
    let mut all = Vec::new();
    for corpus in corpora {
        let mut named = Named { names: known.names.clone(), mentions: Vec::new() };
        let mut first = 0;
        corpus.fold(
            Vec::new,
            |writings: &mut Vec<Vec<u32>>, writing| writings.push(known.in_writing(&writing)),
            |writings| {
                for names in writings {
                    named.mentions.extend(names.into_iter().map(|name| (first, name)));
                    first += 1;
                }
            },
            done,
        )?;
        all.push(named);
    }
    Ok(all)
}

/// The names that were found.
struct Known {
    names: Vec<String>,
    places: IdMap<u32>,
}

impl Known {
    fn of(corpora: &[Corpus], done: &(dyn Fn(u64) + Sync)) -> Result<Known, CorpusError> {
        let (mut rows, mut small) = (Tally::default(), Tally::default());
        for corpus in corpora {
            corpus.fold(
                || (Tally::default(), Tally::default()),
                |(rows, small), writing| count(&writing, rows, small),
                |(some, others)| {
                    rows.join(some);
                    small.join(others);
                    rows.shrink(MOST_COUNTED);
                    small.shrink(MOST_COUNTED);
                },
                done,
            )?;
        }
        let small = small.into_words(0);
        let mut known = Known { names: Vec::new(), places: IdMap::default() };
        for term in rows.into_words(0).terms {
            let key = id(&term.stem);
            let in_small =
                small.place(key).and_then(|place| small.get(place)).map_or(0, |term| term.writings);
            let share = term.writings as f32 / (term.writings + in_small) as f32;
            if share >= MOSTLY
                && let Ok(place) = u32::try_from(known.names.len())
            {
                known.places.insert(key, place);
                known.names.push(term.surface.into());
            }
        }
        Ok(known)
    }

    /// Each once, in the order they first occur.
    fn in_writing(&self, writing: &Writing) -> Vec<u32> {
        let mut found = Vec::new();
        rows(
            writing,
            |row| {
                // At the beginning of a sentence the first word may be large for that alone.
                let whole = self.places.get(&id(&row.lower));
                let rest = || row.lower.split_once(' ').filter(|_| row.begins).map(|(_, rest)| rest);
                let place = whole.or_else(|| self.places.get(&id(rest()?)));
                found.extend(place);
            },
            |_| {},
        );
        let mut seen = HashSet::new();
        found.retain(|place| seen.insert(*place));
        found
    }
}

/// Large words in a row.
struct Row<'t> {
    surface: &'t str,
    lower: String,
    /// Whether it stands at the beginning of a sentence.
    begins: bool,
}

fn count(writing: &Writing, rows_of_all: &mut Tally, small: &mut Tally) {
    let (mut large, mut little) = (HashSet::new(), HashSet::new());
    let (language, frequencies) = (Language::of(writing.code()), Frequencies::of(writing.code()));
    let is_rare = |word: &str| frequencies.idf(&language.stem(word)) > RARE_WORD;
    let nouns_are_large = writing.code() == "de";
    rows(
        writing,
        |row| {
            let is_name = !row.begins && (row.lower.contains(' ') || !nouns_are_large || is_rare(&row.lower));
            if is_name && large.insert(id(&row.lower)) {
                rows_of_all.add(id(&row.lower), &row.lower, row.surface);
            }
        },
        |word| {
            if little.insert(id(word)) {
                small.add(id(word), word, word);
            }
        },
    );
}

/// Calls for every row of large words, and for every word in small letters.
fn rows(writing: &Writing, mut row: impl FnMut(Row<'_>), mut small: impl FnMut(&str)) {
    let text = shortened(&writing.text, LONGEST_TEXT);
    let mut tokens = Tokens::new(text);
    let mut open: Option<Open> = None;
    while let Some(token) = tokens.next_token() {
        let is_large =
            text.get(token.from..).and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase);
        let goes_on = token.follows && text.get(..token.from).is_some_and(|before| !before.ends_with('-'));
        if let Some(row_so_far) = open.take_if(|open| !goes_on || !(is_large || open.may_hold(token.word))) {
            row_so_far.close(text, &mut row);
        }
        match &mut open {
            Some(open) => open.push(token.word, token.to, is_large),
            None if is_large => open = Some(Open::new(token.word, token.from, token.to, !token.follows)),
            None => small(token.word),
        }
    }
    if let Some(open) = open {
        open.close(text, &mut row);
    }
}

/// A row that may go on.
struct Open {
    from: usize,
    to: usize,
    /// Up to the last large word.
    lower: String,
    /// Small words since then.
    inside: String,
    words: usize,
    begins: bool,
}

impl Open {
    fn new(word: &str, from: usize, to: usize, begins: bool) -> Open {
        Open { from, to, lower: word.to_owned(), inside: String::new(), words: 1, begins }
    }

    fn may_hold(&self, word: &str) -> bool {
        INSIDE.contains(&word) && self.inside.is_empty()
    }

    fn push(&mut self, word: &str, to: usize, is_large: bool) {
        if is_large {
            self.lower.push(' ');
            if !self.inside.is_empty() {
                self.lower.push_str(&self.inside);
                self.lower.push(' ');
                self.inside.clear();
            }
            self.lower.push_str(word);
            self.to = to;
            self.words += 1;
        } else {
            self.inside.push_str(word);
        }
    }

    fn close(self, text: &str, row: &mut impl FnMut(Row<'_>)) {
        let surface = text.get(self.from..self.to).unwrap_or_default();
        // One letter is an initial or an item of a list; lines break in the middle of nothing.
        if self.words <= MOST_WORDS && surface.chars().nth(2).is_some() && !surface.contains('\n') {
            row(Row { surface, lower: self.lower, begins: self.begins });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::phrases;
    use crate::offline::{Corpus, Writing};

    fn named(texts: &[&str], language: &str) -> (Vec<String>, Vec<(u32, u32)>) {
        let dir = tempfile::tempdir().unwrap();
        let writings = texts.iter().map(|text| Writing {
            text: (*text).to_owned(),
            language: Some(language.to_owned()),
            ..Writing::default()
        });
        let corpus = Corpus::write(&dir.path().join("w"), writings).unwrap();
        let named = phrases(&[corpus], &|_| {}).unwrap().remove(0);
        (named.names, named.mentions)
    }

    #[test]
    fn rows_of_large_words_are_names_and_beginnings_of_sentences_are_not() {
        let texts = [
            "Yesterday the Ministry of Finance met Anna Keller. Nobody came.",
            "Today Anna Keller left. Nobody saw the Ministry of Finance.",
            "Anna Keller and, for once, the Ministry of Finance agree.",
            "We saw Anna Keller.",
            "Then we saw Anna Keller at the Ministry of Finance.",
        ];
        let (names, mentions) = named(&texts, "en");
        let of =
            |name| names.iter().position(|known| known == name).and_then(|n| u32::try_from(n).ok()).unwrap();
        let count = |name| mentions.iter().filter(|mention| mention.1 == of(name)).count();
        assert_eq!((names.len(), count("Anna Keller"), count("Ministry of Finance")), (2, 5, 4), "{names:?}");
    }

    #[test]
    fn words_that_are_mostly_small_and_german_nouns_are_no_names() {
        let english = ["we saw Bread", "old bread", "new bread", "our bread", "some Bread", "a Bread"];
        assert!(named(&english, "en").0.is_empty());
        let german = ["das Haus in Quirrendorf"; 4];
        assert_eq!(named(&german, "de").0, ["Quirrendorf"]);
    }
}
