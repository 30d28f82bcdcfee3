//! Words of an index by how they begin, and which of them have a stem in common. To walk through the words that begin alike and
//! to stem them all is most of the work of a short question, and people ask again and turn pages: both are remembered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use annalist_judge::text::Language;
use tantivy::schema::Field;
use xxhash_rust::xxh3::xxh3_64;

/// Words that are remembered; with their stems they take a hundred bytes each.
const MOST_WORDS: usize = 200_000;

/// Fewer words are stemmed sooner than a thread is there.
const WORTH_A_THREAD: usize = 300;
const MOST_THREADS: usize = 8;

#[derive(Debug, Default)]
pub(super) struct Families {
    known: HashMap<(Field, String), Arc<Mutex<Family>>>,
    words: usize,
}

impl Families {
    pub(super) fn get(&self, field: Field, beginning: &str) -> Option<Arc<Mutex<Family>>> {
        self.known.get(&(field, beginning.to_owned())).cloned()
    }

    /// Who asks keeps it, whatever is forgotten meanwhile.
    pub(super) fn put(&mut self, field: Field, beginning: &str, family: Family) -> Arc<Mutex<Family>> {
        if self.words + family.words.len() > MOST_WORDS {
            *self = Families::default();
        }
        self.words += family.words.len();
        let family = Arc::new(Mutex::new(family));
        self.known.insert((field, beginning.to_owned()), Arc::clone(&family));
        family
    }
}

/// The words that begin alike.
#[derive(Debug, Default)]
pub(super) struct Family {
    words: Vec<String>,
    /// Of the words with a beginning, in a language: the number of each one's stem and its place among the words, in order.
    stems: HashMap<(String, String), Vec<(u64, usize)>>,
}

impl Family {
    pub(super) fn of(words: impl IntoIterator<Item = String>) -> Family {
        let mut words: Vec<_> = words.into_iter().collect();
        words.sort_unstable();
        Family { words, stems: HashMap::new() }
    }

    /// Those with this beginning that may have this stem: all that have it, and by chance another one.
    pub(super) fn likely(
        &mut self,
        beginning: &str,
        code: &str,
        stem: &str,
        stem_of: impl Fn(&'static Language, &str) -> u64 + Sync,
    ) -> impl Iterator<Item = &str> {
        let Family { words, stems } = self;
        let key = (code.to_owned(), beginning.to_owned());
        let stems = stems.entry(key).or_insert_with(|| {
            let first = words.partition_point(|word| word.as_str() < beginning);
            let those = words.get(first..).unwrap_or_default();
            let those = those.get(..those.partition_point(|word| word.starts_with(beginning)));
            let language = Language::of(code);
            let numbers = side_by_side(those.unwrap_or_default(), |word| stem_of(language, word));
            let mut stems: Vec<_> = numbers.into_iter().zip(first..).collect();
            stems.sort_unstable();
            stems
        });
        let number = stem_number(stem);
        let first = stems.partition_point(|(other, _)| *other < number);
        let same = stems.iter().skip(first).take_while(move |(other, _)| *other == number);
        same.filter_map(|(_, place)| words.get(*place)).map(String::as_str)
    }
}

/// What `number` says of each word, in their order.
fn side_by_side(words: &[String], number: impl Fn(&str) -> u64 + Sync) -> Vec<u64> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = (words.len() / WORTH_A_THREAD).clamp(1, cores.min(MOST_THREADS));
    let of = |words: &[String]| words.iter().map(|word| number(word)).collect::<Vec<_>>();
    let mut parts = words.chunks(words.len().div_ceil(threads).max(1));
    let mine = parts.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| (part, scope.spawn(|| of(part)))).collect();
        let mut numbers = of(mine);
        for (part, other) in others {
            // Nothing in there panics; where something did, it would here.
            numbers.extend(other.join().unwrap_or_else(|_| of(part)));
        }
        numbers
    })
}

pub(super) fn stem_number(stem: &str) -> u64 {
    xxh3_64(stem.as_bytes())
}

#[cfg(test)]
mod tests {
    use tantivy::schema::Field;

    use super::{Families, Family, MOST_WORDS, side_by_side, stem_number};

    fn likely(family: &mut Family, beginning: &str, stem: &str) -> Vec<String> {
        let number =
            |language: &'static annalist_judge::text::Language, word: &str| stem_number(&language.stem(word));
        family.likely(beginning, "en", stem, number).map(str::to_owned).collect()
    }

    #[test]
    fn words_are_told_by_their_stem_among_those_that_begin_alike() {
        let words =
            ["elections", "elect", "electing", "else", "election", "elk", "elected"].map(str::to_owned);
        let mut family = Family::of(words);
        assert_eq!(
            likely(&mut family, "elect", "elect"),
            ["elect", "elected", "electing", "election", "elections"]
        );
        assert_eq!(likely(&mut family, "electi", "elect"), ["electing", "election", "elections"]);
        assert_eq!(likely(&mut family, "el", "els"), ["else"]);
        assert!(likely(&mut family, "elx", "elect").is_empty());
    }

    #[test]
    fn many_words_are_stemmed_on_several_threads_with_the_same_result() {
        let mut words: Vec<String> = (0..5_000).map(|number| format!("elect{number:04}")).collect();
        words.extend(["elections", "election", "elected"].map(str::to_owned));
        for most in [0, 1, 299, 300, 601, words.len()] {
            let some = &words[words.len() - most..];
            assert_eq!(
                side_by_side(some, stem_number),
                some.iter().map(|word| stem_number(word)).collect::<Vec<_>>()
            );
        }
        let mut family = Family::of(words);
        assert_eq!(likely(&mut family, "elect", "elect"), ["elected", "election", "elections"]);
    }

    #[test]
    fn no_more_than_so_many_words_are_remembered() {
        let mut families = Families::default();
        let field = Field::from_field_id(1);
        let many = |number| Family::of((0..number).map(|number| format!("w{number}")));
        let kept = families.put(field, "a", many(MOST_WORDS));
        assert!(families.get(field, "a").is_some());
        families.put(field, "b", many(1));
        assert!(families.get(field, "a").is_none() && families.get(field, "b").is_some());
        assert!(families.get(Field::from_field_id(2), "b").is_none());
        assert_eq!((kept.lock().unwrap().words.len(), families.words), (MOST_WORDS, 1));
    }
}
