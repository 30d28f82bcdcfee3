//! Names that changed: one falls silent when another begins, and the same words and names stand around both.
//!
//! First the names that begin or end while the archive goes on; then pairs of them that meet in time; then what stands around
//! each of those, and writings that have both, perhaps with words that say it: "formerly".

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use annalist_judge::text::Terms;
use annalist_model::link::shortened;
use serde::Serialize;

use super::associations::each;
use super::{Met, key};
use crate::offline::{Corpus, CorpusError, Day, Named, Vocabulary};

/// Somebody or something that was called otherwise from some time on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Renaming {
    pub before: String,
    pub after: String,
    /// When the one name gave way to the other.
    pub changed: Day,
    /// How alike what is written around both names is, from 0 to 1.
    pub context: f32,
    /// In how many writings both stand together, and in how many of them words say that one became the other.
    pub together: u32,
    pub said: u32,
    pub confidence: f32,
    /// Words and names that go with both.
    pub shared: Vec<String>,
    /// Writings that have both, or else the last with the old name and the first with the new one, by their ids.
    pub evidence: Vec<String>,
}

/// A name in fewer writings may be silent by chance.
const FEWEST_WRITINGS: usize = 5;
/// Of the mentions of the old name that must be before the change, and of the new name behind it.
const ON_ITS_SIDE: f32 = 0.75;
/// Of all writings, that must be on each side.
const LEAST_OF_ALL: f32 = 0.05;
/// Of all writings, between the last of the one and the first of the other.
const LONGEST_GAP: f32 = 0.1;
/// The same, where only the most of both are looked at.
const ROUGH_GAP: f32 = 0.35;
const MOST_NAMES: usize = 3000;
const MOST_SHARED: usize = 8;
const MOST_EVIDENCE: usize = 5;
const LEAST_CONFIDENCE: f32 = 0.3;
const LONGEST_SENTENCE: usize = 400;

/// Words that say that a name changed.
const SAYING: [&str; 34] = [
    "formerly",
    "former name",
    "previously known",
    "once known",
    "now known",
    "now called",
    "renamed",
    "rebranded",
    "known until",
    "changed its name",
    "changed her name",
    "changed his name",
    "new name",
    "früher",
    "ehemals",
    "vormals",
    "umbenannt",
    "heißt jetzt",
    "heißt nun",
    "neuen namen",
    "anciennement",
    "autrefois",
    "rebaptisé",
    "nouveau nom",
    "désormais",
    "ex-",
    "πρώην",
    "μετονομά",
    "νέο όνομα",
    "antes llamad",
    "ahora llamad",
    "in precedenza",
    "ora chiamat",
    "voorheen",
];

/// Finds names that gave way to others. `named` has the names of each corpus, with the same numbers in all of them.
pub fn renamings(
    corpora: &[Corpus],
    named: &[Named],
    vocabulary: &Vocabulary,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Renaming>, CorpusError> {
    let Some(names) = named.first().map(|named| named.names.as_slice()) else { return Ok(Vec::new()) };
    let archive = Archive::of(corpora, named, done)?;
    let pairs = archive.pairs(names);
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let candidates: BTreeSet<u32> = pairs.iter().flat_map(|pair| [pair.before, pair.after]).collect();
    let around = Around::of(corpora, vocabulary, &archive, &candidates, names, done)?;
    let mut found: Vec<(Pair, Renaming)> = pairs
        .into_iter()
        .filter_map(|pair| Some((pair, around.renaming(&pair, &archive, vocabulary, names)?)))
        .collect();
    found.sort_by(|one, other| {
        let (one, other) = (&one.1, &other.1);
        other
            .confidence
            .total_cmp(&one.confidence)
            .then_with(|| one.before.cmp(&other.before))
            .then_with(|| one.after.cmp(&other.after))
    });
    Ok(best(found))
}

/// Each name gives way to one, and takes the place of one; parts of names that changed are no changes of their own.
fn best(found: Vec<(Pair, Renaming)>) -> Vec<Renaming> {
    let (mut old, mut new) = (HashSet::new(), HashSet::new());
    let mut kept: Vec<Renaming> = Vec::new();
    for (pair, renaming) in found {
        let is_part = |part: &str, whole: &str| {
            let (part, whole) = (part.to_lowercase(), whole.to_lowercase());
            whole
                .split(' ')
                .any(|word| part.split(' ').any(|other| other == word && word.chars().count() > 3))
        };
        let is_told = kept
            .iter()
            .any(|known| is_part(&renaming.before, &known.before) && is_part(&renaming.after, &known.after));
        if !is_told && !old.contains(&pair.before) && !new.contains(&pair.after) {
            old.insert(pair.before);
            new.insert(pair.after);
            kept.push(renaming);
        }
    }
    kept
}

/// When everything was written, and which names are in it. Writings have numbers over all corpora, each once.
struct Archive {
    days: Vec<Day>,
    ids: Vec<u64>,
    names: Vec<Vec<u32>>,
    /// All days in order.
    sorted: Vec<Day>,
    /// By name: the numbers of writings with it, in the order of time.
    with: HashMap<u32, Vec<u32>>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    before: u32,
    after: u32,
    changed: Day,
    /// Which share of both names is on its side.
    fits: f32,
}

impl Archive {
    fn of(corpora: &[Corpus], named: &[Named], done: &(dyn Fn(u64) + Sync)) -> Result<Archive, CorpusError> {
        let mut archive = Archive {
            days: Vec::new(),
            ids: Vec::new(),
            names: Vec::new(),
            sorted: Vec::new(),
            with: HashMap::new(),
        };
        let mut met = Met::default();
        for (corpus, named) in corpora.iter().zip(named) {
            let mut number = 0_u32;
            let mut mentions = named.mentions.iter().peekable();
            corpus.fold(
                Vec::new,
                |some: &mut Vec<(u64, Day)>, writing| some.push((key(&writing.id), Day::of(writing.time()))),
                |some| {
                    for (id, day) in some {
                        let mut names = Vec::new();
                        while let Some((_, name)) = mentions.next_if(|(writing, _)| *writing <= number) {
                            names.push(*name);
                        }
                        number += 1;
                        if met.is_new(id) {
                            archive.add(id, day, names);
                        }
                    }
                },
                done,
            )?;
        }
        archive.sorted.clone_from(&archive.days);
        archive.sorted.sort_unstable();
        let days = &archive.days;
        for with in archive.with.values_mut() {
            with.sort_by_key(|writing| days.get(*writing as usize).copied());
        }
        Ok(archive)
    }

    fn add(&mut self, id: u64, day: Day, names: Vec<u32>) {
        let number = u32::try_from(self.days.len()).unwrap_or(u32::MAX);
        names.iter().for_each(|name| self.with.entry(*name).or_default().push(number));
        self.days.push(day);
        self.ids.push(id);
        self.names.push(names);
    }

    fn day(&self, writing: u32) -> Day {
        self.days.get(writing as usize).copied().unwrap_or_default()
    }

    /// Which share of all writings is from before a day.
    fn share_before(&self, day: Day) -> f32 {
        self.sorted.partition_point(|other| *other < day) as f32 / self.sorted.len().max(1) as f32
    }

    fn with(&self, name: u32) -> &[u32] {
        self.with.get(&name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The day at which a share of a name's mentions is over.
    fn quantile(&self, name: u32, share: f32) -> Day {
        let with = self.with(name);
        let place = ((with.len() as f32 * share) as usize).min(with.len().saturating_sub(1));
        with.get(place).map_or(Day::default(), |writing| self.day(*writing))
    }

    /// Pairs of names that meet in time.
    fn pairs(&self, names: &[String]) -> Vec<Pair> {
        let mut frequent: Vec<u32> = self
            .with
            .iter()
            .filter(|(_, with)| with.len() >= FEWEST_WRITINGS)
            .map(|(name, _)| *name)
            .collect();
        frequent.sort_by_key(|name| (std::cmp::Reverse(self.with(*name).len()), *name));
        // Where it ends or begins, as a share of all writings.
        let end = |name: u32| self.share_before(self.quantile(name, ON_ITS_SIDE).plus(1));
        let beginning = |name: u32| self.share_before(self.quantile(name, 1.0 - ON_ITS_SIDE));
        let silent = |name: &u32| self.is_uneven(*name, end(*name));
        let fresh = |name: &u32| self.is_uneven(*name, 1.0 - beginning(*name));
        let old: Vec<u32> = frequent.iter().copied().filter(silent).take(MOST_NAMES).collect();
        let new: Vec<u32> = frequent.iter().copied().filter(fresh).take(MOST_NAMES).collect();
        let mut pairs = Vec::new();
        for before in old {
            let ended = end(before);
            for after in new.iter().copied().filter(|after| *after != before) {
                if (beginning(after) - ended).abs() <= ROUGH_GAP && !is_same_name(before, after, names) {
                    pairs.extend(self.pair(before, after));
                }
            }
        }
        pairs
    }

    /// Whether so many mentions lie in this share of the archive that the rest is silence.
    fn is_uneven(&self, name: u32, share: f32) -> bool {
        let expected = self.with(name).len() as f32 * (1.0 - share);
        1.0 - share >= LEAST_OF_ALL && (expected >= 2.0 || share < 0.5)
    }

    /// The day on which most of the one is over and most of the other comes.
    fn pair(&self, before: u32, after: u32) -> Option<Pair> {
        let (old, new) = (self.with(before), self.with(after));
        let mut best: Option<(Day, f32)> = None;
        for day in new.iter().map(|writing| self.day(*writing)) {
            let gone =
                old.partition_point(|writing| self.day(*writing) < day) as f32 / old.len().max(1) as f32;
            let come = 1.0
                - new.partition_point(|writing| self.day(*writing) < day) as f32 / new.len().max(1) as f32;
            if gone >= ON_ITS_SIDE && come >= ON_ITS_SIDE && best.is_none_or(|(_, fits)| gone * come > fits) {
                best = Some((day, gone * come));
            }
        }
        let (changed, fits) = best?;
        let share = self.share_before(changed);
        let last = old.iter().map(|writing| self.day(*writing)).take_while(|day| *day < changed).last()?;
        if share - self.share_before(last) > LONGEST_GAP {
            return None;
        }
        (LEAST_OF_ALL..=1.0 - LEAST_OF_ALL).contains(&share).then_some(Pair { before, after, changed, fits })
    }
}

/// Another form of the same name is no change.
fn is_same_name(one: u32, other: u32, names: &[String]) -> bool {
    let name = |number: u32| names.get(number as usize).map(|name| name.to_lowercase()).unwrap_or_default();
    let (one, other) = (name(one), name(other));
    one.contains(&other) || other.contains(&one)
}

/// What stands around the names that may have changed.
struct Around {
    /// Terms by the numbers of language and term, and names, with in how many writings.
    contexts: HashMap<u32, BTreeMap<Beside, u32>>,
    /// Sentences that say that a name changed, in small letters, by writing.
    said: HashMap<u32, Vec<String>>,
    ids: HashMap<u32, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Beside {
    Term(u16, u32),
    Name(u32),
}

impl Around {
    fn of(
        corpora: &[Corpus],
        vocabulary: &Vocabulary,
        archive: &Archive,
        candidates: &BTreeSet<u32>,
        names: &[String],
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<Around, CorpusError> {
        let mut around = Around { contexts: HashMap::new(), said: HashMap::new(), ids: HashMap::new() };
        let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let mut number = 0_u32;
        each(
            corpora,
            done,
            |writing, stems| {
                let language =
                    (0..).zip(&vocabulary.languages).find(|(_, (code, _))| *code == writing.code());
                let matter = writing.matter();
                let mut terms = Vec::new();
                if let Some((language, (_, words))) = language {
                    let places = Terms::of(&matter, stems.of(writing.code()))
                        .iter()
                        .filter_map(|term| words.place(term.id))
                        .filter(|place| {
                            words.get(*place).is_some_and(|term| !term.is_pair() && !term.is_number())
                        })
                        .collect::<Vec<_>>();
                    terms.extend(places.into_iter().map(|place| Beside::Term(language, place)));
                }
                (writing.id.clone(), terms, sayings(&matter))
            },
            |(id, terms, said)| {
                let here = archive.names.get(number as usize).map(Vec::as_slice).unwrap_or_default();
                for name in here.iter().filter(|name| candidates.contains(name)) {
                    let context = around.contexts.entry(*name).or_default();
                    let others = here.iter().filter(|other| *other != name).map(|other| Beside::Name(*other));
                    terms
                        .iter()
                        .copied()
                        .chain(others)
                        .for_each(|beside| *context.entry(beside).or_default() += 1);
                    around.ids.entry(number).or_insert_with(|| id.clone());
                }
                let of_names = |sentence: &String| {
                    here.iter()
                        .filter_map(|name| lower.get(*name as usize))
                        .any(|name| sentence.contains(name.as_str()))
                };
                let said: Vec<String> = said.into_iter().filter(of_names).collect();
                if !said.is_empty() {
                    around.said.insert(number, said);
                }
                number += 1;
            },
        )?;
        Ok(around)
    }

    fn renaming(
        &self,
        pair: &Pair,
        archive: &Archive,
        vocabulary: &Vocabulary,
        names: &[String],
    ) -> Option<Renaming> {
        let name = |number: u32| names.get(number as usize).cloned();
        let (before, after) = (name(pair.before)?, name(pair.after)?);
        let (context, shared) = self.context(pair, archive, vocabulary, names);
        let with: HashSet<u32> = archive.with(pair.before).iter().copied().collect();
        let both: Vec<u32> =
            archive.with(pair.after).iter().copied().filter(|writing| with.contains(writing)).collect();
        let (old, new) = (before.to_lowercase(), after.to_lowercase());
        let says = |writing: &&u32| {
            let said = self.said.get(writing).map(Vec::as_slice).unwrap_or_default();
            said.iter().any(|sentence| sentence.contains(&old) && sentence.contains(&new))
        };
        let said: Vec<u32> = both.iter().filter(says).copied().collect();
        // Two that are often named together are two.
        let apart = 1.0
            - both.len() as f32
                / archive.with(pair.before).len().min(archive.with(pair.after).len()).max(1) as f32;
        let told = 1.0 - 0.4_f32.powi(i32::try_from(said.len()).unwrap_or(i32::MAX));
        let alike = (1.25 * context).min(1.0);
        let apart = if said.is_empty() { apart.clamp(0.0, 1.0) } else { 1.0 };
        let confidence = pair.fits * apart * (1.0 - (1.0 - alike) * (1.0 - told));
        if confidence < LEAST_CONFIDENCE {
            return None;
        }
        let count = |some: &[u32]| u32::try_from(some.len()).unwrap_or(u32::MAX);
        let last = archive.with(pair.before).last().copied();
        let first = archive.with(pair.after).first().copied();
        let evidence: BTreeSet<u32> = if both.is_empty() {
            last.into_iter().chain(first).collect()
        } else {
            said.iter().chain(&both).copied().take(MOST_EVIDENCE).collect()
        };
        Some(Renaming {
            before,
            after,
            changed: pair.changed,
            context,
            together: count(&both),
            said: count(&said),
            confidence,
            shared,
            evidence: evidence.iter().filter_map(|writing| self.ids.get(writing)).cloned().collect(),
        })
    }

    /// How alike the surroundings of both are, and what they share most.
    fn context(
        &self,
        pair: &Pair,
        archive: &Archive,
        vocabulary: &Vocabulary,
        names: &[String],
    ) -> (f32, Vec<String>) {
        let own: HashSet<String> = [pair.before, pair.after]
            .iter()
            .filter_map(|name| names.get(*name as usize))
            .flat_map(|name| name.split(' ').map(str::to_lowercase).collect::<Vec<_>>())
            .collect();
        let weigh = |name: u32| -> BTreeMap<Beside, f32> {
            let total = archive.with(name).len().max(1) as f32;
            let context = self.contexts.get(&name).into_iter().flatten();
            context
                .filter(|(beside, count)| **count > 1 && !is_own(**beside, &own, pair, vocabulary, names))
                .map(|(beside, count)| {
                    (*beside, (*count as f32 / total) * rarity(*beside, archive, vocabulary))
                })
                .collect()
        };
        let (one, other) = (weigh(pair.before), weigh(pair.after));
        let length = |context: &BTreeMap<Beside, f32>| {
            context.values().map(|weight| weight * weight).sum::<f32>().sqrt()
        };
        let mut products: Vec<(Beside, f32)> =
            one.iter().filter_map(|(beside, weight)| Some((*beside, weight * other.get(beside)?))).collect();
        let dot: f32 = products.iter().map(|(_, product)| product).sum();
        products.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let shown = products
            .iter()
            .filter_map(|(beside, _)| shown(*beside, vocabulary, names))
            .take(MOST_SHARED)
            .collect();
        (dot / (length(&one) * length(&other)).max(f32::MIN_POSITIVE), shown)
    }
}

fn shown(beside: Beside, vocabulary: &Vocabulary, names: &[String]) -> Option<String> {
    match beside {
        Beside::Name(name) => names.get(name as usize).cloned(),
        Beside::Term(language, place) => {
            let words = vocabulary.languages.values().nth(usize::from(language))?;
            words.get(place).map(|term| term.surface.to_string())
        }
    }
}

/// Whether it is a part of the names themselves.
fn is_own(
    beside: Beside,
    own: &HashSet<String>,
    pair: &Pair,
    vocabulary: &Vocabulary,
    names: &[String],
) -> bool {
    beside == Beside::Name(pair.before)
        || beside == Beside::Name(pair.after)
        || shown(beside, vocabulary, names)
            .is_none_or(|shown| shown.split(' ').all(|word| own.contains(&word.to_lowercase())))
}

/// The rarer, the more it says.
fn rarity(beside: Beside, archive: &Archive, vocabulary: &Vocabulary) -> f32 {
    match beside {
        Beside::Name(name) => {
            (archive.days.len().max(1) as f32 / archive.with(name).len().max(1) as f32).ln()
        }
        Beside::Term(language, place) => {
            vocabulary.languages.values().nth(usize::from(language)).map_or(0.0, |words| words.idf(place))
        }
    }
}

/// The sentences that say that a name changed, in small letters.
fn sayings(text: &str) -> Vec<String> {
    text.split(['\n', '!', '?'])
        .flat_map(|line| line.split(". "))
        .map(|sentence| shortened(sentence, LONGEST_SENTENCE).to_lowercase())
        .filter(|sentence| SAYING.iter().any(|saying| sentence.contains(saying)))
        .collect()
}
