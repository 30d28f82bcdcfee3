//! What may suddenly be written about: terms, names and days; and the reports that have them.

use std::collections::{BTreeSet, HashSet};

use annalist_apps::dates;
use annalist_judge::text::{Terms, id};
use annalist_model::link::shortened;

use super::mentioned;
use crate::offline::lent::{Lent, StemSet};
use crate::offline::{Corpus, CorpusError, Day, Named, StudyWatch, Vocabulary, Writing};

/// What is new stands at the beginning.
const BEGINNING: usize = 4000;
/// A term that so large a share of a language's writings has tells nothing.
const EVERYWHERE: f32 = 0.1;
/// Unless these are all that have it: of few writings, a tenth may be those about one thing.
const FEW: f32 = 6.0;
/// Days further away are remembered, not reported.
pub(super) const NEAR_DAYS: i32 = 60;
/// What a text is about stands here.
const LEAD: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Feature {
    /// The number of the language in the vocabulary and that of the term.
    Term(u16, u32),
    /// A word that too few have for the vocabulary, by its id.
    Rare(u16, u64),
    Name(u32),
    Day(Day),
}

/// The writings of a page on a day, or one without a date: what answers say belongs to what they answer.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) writings: Vec<u32>,
    pub(super) day: Option<Day>,
    pub(super) site: u64,
    pub(super) features: Vec<Feature>,
    pub(super) lead: Lead,
    /// Of what people write together: a page or, where it has several, a thread.
    pub(super) thread: u64,
    url: u64,
    /// Of the same text.
    text: u64,
}

/// How a report begins that names days.
#[derive(Clone, Debug, Default)]
pub(super) struct Lead {
    pub(super) days: Vec<Day>,
    /// In order.
    pub(super) terms: Vec<Feature>,
}

impl Lead {
    pub(super) fn language(&self) -> Option<u16> {
        match self.terms.first()? {
            Feature::Term(language, _) | Feature::Rare(language, _) => Some(*language),
            _ => None,
        }
    }
}

/// Takes every report of the corpus, in order, each text once.
pub(super) fn reports(
    corpus: &Corpus,
    vocabulary: &Vocabulary,
    named: &Named,
    watch: &dyn StudyWatch,
    mut take: impl FnMut(Report) + Send,
) -> Result<(), CorpusError> {
    let lent = Lent::default();
    let telling: Vec<bool> = named.names.iter().map(|name| is_telling(name)).collect();
    let mut texts = HashSet::new();
    let mut first = 0;
    corpus.fold(
        || (lent.take(), 0, Vec::new()),
        |(stems, count, reports): &mut (StemSet, u32, Vec<Report>), writing| {
            let report = report(&writing, *count, vocabulary, stems);
            *count += 1;
            match reports.last_mut() {
                Some(last) if last.url == report.url && last.day == report.day => {
                    last.writings.extend(report.writings);
                    last.features.extend(report.features);
                }
                _ => reports.push(report),
            }
        },
        |(stems, count, reports)| {
            lent.give_back(stems);
            for mut report in reports {
                if !texts.insert(report.text) {
                    continue;
                }
                for writing in &mut report.writings {
                    *writing += first;
                    let tells = |name: &u32| telling.get(*name as usize).copied().unwrap_or_default();
                    report.features.extend(names_of(named, *writing).filter(tells).map(Feature::Name));
                }
                report.features.sort_unstable();
                report.features.dedup();
                take(report);
            }
            first += count;
        },
        watch,
    )
}

/// What a text is about, as long in every alphabet.
pub(super) fn lead(text: &str) -> &str {
    text.char_indices().nth(LEAD).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The names that a writing has.
pub(super) fn names_of(named: &Named, writing: u32) -> impl Iterator<Item = u32> {
    let from = named.mentions.partition_point(|(other, _)| *other < writing);
    let rest = named.mentions.get(from..).unwrap_or_default();
    rest.iter().take_while(move |(other, _)| *other == writing).map(|(_, name)| *name)
}

fn report(writing: &Writing, number: u32, vocabulary: &Vocabulary, stems: &mut StemSet) -> Report {
    let matter = format!("{}\n{}", writing.title.as_deref().unwrap_or_default(), writing.own_text());
    let beginning = shortened(&matter, BEGINNING);
    let day = writing.day();
    let mut features = terms(beginning, writing.code(), vocabulary, stems);
    features.retain(|feature| !matches!(feature, Feature::Rare(..)));
    let is_near = |other: &Day| day.is_none_or(|day| (day.0 - other.0).abs() <= NEAR_DAYS);
    let told = mentioned::days(beginning, writing.code() == "en", day);
    features.extend(told.all().filter(is_near).map(Feature::Day));
    let begins = lead(&matter);
    let days: BTreeSet<Day> =
        mentioned::days(begins, writing.code() == "en", day).all().filter(is_near).collect();
    let mut told_first = Lead { days: days.into_iter().collect(), terms: Vec::new() };
    if !told_first.days.is_empty() {
        told_first.terms = terms(begins, writing.code(), vocabulary, stems);
        told_first.terms.sort_unstable();
    }
    Report {
        writings: vec![number],
        day,
        site: id(&writing.site),
        features,
        lead: told_first,
        thread: id(writing.thread.as_deref().unwrap_or(&writing.url)),
        url: id(&writing.url),
        text: if writing.simhash == 0 { id(&matter) } else { writing.simhash },
    }
}

/// The terms of a text that tell something.
pub(super) fn terms(text: &str, code: &str, vocabulary: &Vocabulary, stems: &mut StemSet) -> Vec<Feature> {
    repeated(text, code, 1, vocabulary, stems)
}

/// Those that it has at least so often.
pub(super) fn repeated(
    text: &str,
    code: &str,
    least: u32,
    vocabulary: &Vocabulary,
    stems: &mut StemSet,
) -> Vec<Feature> {
    let language = (0..).zip(&vocabulary.languages).find(|(_, (known, _))| *known == code);
    let Some((language, (_, words))) = language else { return Vec::new() };
    let everywhere = (EVERYWHERE * words.writings as f32).max(FEW);
    Terms::of(text, stems.of(code))
        .iter()
        .filter(|term| term.count >= least)
        .filter_map(|term| {
            let Some((place, known)) =
                words.place(term.id).and_then(|place| Some((place, words.get(place)?)))
            else {
                let is_word = !term.stem.contains(' ') && is_telling(term.surface);
                return is_word.then_some(Feature::Rare(language, term.id));
            };
            let tells = is_telling(&known.surface) && known.writings as f32 <= everywhere;
            tells.then_some(Feature::Term(language, place))
        })
        .collect()
}

/// Numbers and months come and go with the calendar.
fn is_telling(surface: &str) -> bool {
    let is_word =
        |word: &str| word.chars().any(char::is_alphabetic) && dates::month(&word.to_lowercase()).is_none();
    surface.split(' ').all(is_word)
}
