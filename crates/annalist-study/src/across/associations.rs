//! How strongly two terms belong together, month by month.

use std::collections::{BTreeMap, HashMap, HashSet};

use annalist_judge::text::{Terms, words};
use serde::Serialize;

use super::{Met, all, key};
use crate::offline::lent::{Lent, StemSet};
use crate::offline::{Corpus, CorpusError, Day, Month, StudyWatch, Vocabulary, Writing};

/// How strongly two terms belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Association {
    pub one: String,
    pub other: String,
    /// Over all time.
    pub strength: Strength,
    pub months: Vec<(Month, Strength)>,
    /// How many writings have no date: they are in no month.
    pub undated: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Strength {
    /// Writings with the one, with the other, with both.
    pub one: u32,
    pub other: u32,
    pub both: u32,
    pub writings: u32,
    /// Pointwise mutual information, normalised: 1 where one is never without the other, 0 where they meet by chance, -1 where
    /// never.
    pub npmi: f32,
    /// Log-likelihood ratio: above 11 it is chance once in a thousand times.
    pub likelihood: f32,
}

/// Fewer together tell nothing.
const FEWEST_TOGETHER: u32 = 3;
/// More than by chance in one of a thousand cases.
const LEAST_LIKELIHOOD: f32 = 10.8;

impl Strength {
    pub(super) fn of(one: u32, other: u32, both: u32, writings: u32) -> Strength {
        let n = f64::from(writings.max(1));
        let (x, y, xy) = (f64::from(one), f64::from(other), f64::from(both));
        let npmi = match both {
            0 if one == 0 || other == 0 => 0.0,
            0 => -1.0,
            _ if both == writings => 1.0,
            _ => (xy * n / (x * y)).ln() / -(xy / n).ln(),
        };
        // Of the four fields: with both, with one, with the other, with none.
        let field = |count: f64, row: f64, column: f64| {
            if count > 0.0 && row > 0.0 && column > 0.0 {
                count * (count * n / (row * column)).ln()
            } else {
                0.0
            }
        };
        let likelihood = 2.0
            * (field(xy, x, y)
                + field(x - xy, x, n - y)
                + field(y - xy, n - x, y)
                + field(n - x - y + xy, n - x, n - y));
        Strength { one, other, both, writings, npmi: npmi as f32, likelihood: likelihood.max(0.0) as f32 }
    }
}

/// How strongly `one` and `other` belong together; without `other`, the terms that belong to `one` most, at most `most`.
pub fn associations(
    corpora: &[Corpus],
    vocabulary: &Vocabulary,
    one: &str,
    other: Option<&str>,
    most: usize,
    watch: &dyn StudyWatch,
) -> Result<Vec<Association>, CorpusError> {
    let others = match other {
        Some(other) => vec![Other { shown: other.to_owned(), terms: HashSet::new() }],
        None => associates(corpora, vocabulary, one, most, watch)?,
    };
    watch.begin("terms month by month", all(corpora));
    let mut months: BTreeMap<Option<Month>, Counts> = BTreeMap::new();
    each(
        corpora,
        watch,
        |writing, stems| {
            let mut matter = Matter::of(writing, stems);
            let has_one = matter.has(one, stems);
            let has: Vec<bool> = match other {
                Some(other) => vec![matter.has(other, stems)],
                None => {
                    let terms = matter.terms(vocabulary, stems);
                    others.iter().map(|other| terms.iter().any(|term| other.terms.contains(term))).collect()
                }
            };
            (writing.day().map(Day::month), has_one, has)
        },
        |(month, has_one, has)| months.entry(month).or_default().add(has_one, &has),
    )?;
    let association = |(number, other): (usize, &Other)| {
        let mut total = Counts::default();
        months.values().for_each(|counts| total.join(counts));
        Association {
            one: one.to_owned(),
            other: other.shown.clone(),
            strength: total.strength(number),
            months: months
                .iter()
                .filter_map(|(month, counts)| Some(((*month)?, counts.strength(number))))
                .collect(),
            undated: months.get(&None).map_or(0, |counts| counts.writings),
        }
    };
    let mut found: Vec<Association> = others.iter().enumerate().map(association).collect();
    found.sort_by(|one, other| other.strength.likelihood.total_cmp(&one.strength.likelihood));
    Ok(found)
}

/// A term that may belong to the one: its number in each language that has it, by the language's number.
struct Other {
    shown: String,
    terms: HashSet<(usize, u32)>,
}

#[derive(Default)]
struct Counts {
    writings: u32,
    one: u32,
    others: Vec<(u32, u32)>,
}

impl Counts {
    fn add(&mut self, has_one: bool, has: &[bool]) {
        self.writings += 1;
        self.one += u32::from(has_one);
        self.others.resize(has.len(), (0, 0));
        for ((other, both), has) in self.others.iter_mut().zip(has) {
            *other += u32::from(*has);
            *both += u32::from(*has && has_one);
        }
    }

    fn join(&mut self, more: &Counts) {
        self.writings += more.writings;
        self.one += more.one;
        self.others.resize(more.others.len(), (0, 0));
        for (sum, more) in self.others.iter_mut().zip(&more.others) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }

    fn strength(&self, number: usize) -> Strength {
        let (other, both) = self.others.get(number).copied().unwrap_or_default();
        Strength::of(self.one, other, both, self.writings)
    }
}

/// The terms that stand with one more often than by chance.
fn associates(
    corpora: &[Corpus],
    vocabulary: &Vocabulary,
    one: &str,
    most: usize,
    watch: &dyn StudyWatch,
) -> Result<Vec<Other>, CorpusError> {
    watch.begin("terms that stand together", all(corpora));
    let mut with_one = 0;
    let mut together: HashMap<(usize, u32), u32> = HashMap::new();
    each(
        corpora,
        watch,
        |writing, stems| {
            let mut matter = Matter::of(writing, stems);
            if matter.has(one, stems) { Some(matter.terms(vocabulary, stems)) } else { None }
        },
        |terms| {
            with_one += u32::from(terms.is_some());
            terms.into_iter().flatten().for_each(|term| *together.entry(term).or_default() += 1);
        },
    )?;
    let own: HashSet<String> = one.split_whitespace().map(str::to_lowercase).collect();
    let languages: Vec<_> = vocabulary.languages.values().collect();
    let mut found: Vec<(f32, (usize, u32), String)> = Vec::new();
    for ((language, place), both) in together {
        let Some(words) = languages.get(language) else { continue };
        let Some(term) = words.get(place).filter(|term| !term.is_number() && both >= FEWEST_TOGETHER) else {
            continue;
        };
        let strength =
            Strength::of(with_one.min(words.writings), term.writings.max(both), both, words.writings);
        let is_own = term.surface.split(' ').any(|word| own.contains(&word.to_lowercase()));
        if strength.npmi > 0.0 && strength.likelihood >= LEAST_LIKELIHOOD && !is_own {
            found.push((strength.likelihood, (language, place), term.surface.to_string()));
        }
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut others: Vec<Other> = Vec::new();
    for (_, term, shown) in found {
        let has_room = others.len() < most;
        match others.iter_mut().find(|other| other.shown.eq_ignore_ascii_case(&shown)) {
            Some(other) => {
                other.terms.insert(term);
            }
            None if has_room => others.push(Other { shown, terms: HashSet::from([term]) }),
            None => {}
        }
    }
    Ok(others)
}

/// What is looked up in a writing.
struct Matter {
    code: String,
    text: String,
    /// The stems of its words, by their numbers.
    ids: Vec<u64>,
}

impl Matter {
    fn of(writing: &Writing, stems: &mut StemSet) -> Matter {
        let (text, code) = (writing.matter(), writing.code().to_owned());
        let ids = ids(&text, &code, stems);
        Matter { code, text, ids }
    }

    /// Whether it has a word or phrase, in whatever form.
    fn has(&mut self, phrase: &str, stems: &mut StemSet) -> bool {
        let wanted = ids(phrase, &self.code, stems);
        !wanted.is_empty() && self.ids.windows(wanted.len()).any(|some| some == wanted)
    }

    fn terms(&self, vocabulary: &Vocabulary, stems: &mut StemSet) -> Vec<(usize, u32)> {
        let language = vocabulary.languages.iter().enumerate().find(|(_, (code, _))| **code == self.code);
        let Some((number, (_, words))) = language else { return Vec::new() };
        let terms = Terms::of(&self.text, stems.of(&self.code));
        terms.iter().filter_map(|term| Some((number, words.place(term.id)?))).collect()
    }
}

fn ids(text: &str, code: &str, stems: &mut StemSet) -> Vec<u64> {
    let mut ids = Vec::new();
    words(text, stems.of(code), |word| ids.push(word.id));
    ids
}

/// Takes every writing of all corpora once, on all cores; `join` gets what `take` made, in order.
pub(super) fn each<T: Send>(
    corpora: &[Corpus],
    watch: &dyn StudyWatch,
    take: impl Fn(&Writing, &mut StemSet) -> T + Sync,
    mut join: impl FnMut(T) + Send,
) -> Result<(), CorpusError> {
    let lent = Lent::default();
    let mut met = Met::default();
    for corpus in corpora {
        corpus.fold(
            || (lent.take(), Vec::new()),
            |(stems, taken): &mut (StemSet, Vec<(u64, T)>), writing| {
                taken.push((key(&writing.id), take(&writing, stems)));
            },
            |(stems, taken)| {
                lent.give_back(stems);
                taken.into_iter().filter(|(id, _)| met.is_new(*id)).for_each(|(_, made)| join(made));
            },
            watch,
        )?;
    }
    Ok(())
}
