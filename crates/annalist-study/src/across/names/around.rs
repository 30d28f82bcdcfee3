//! What stands around the names that may have changed, and what is said of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use annalist_judge::text::Terms;
use annalist_model::link::shortened;

use super::super::associations::each;
use super::archive::{Archive, Pair};
use super::{cosine, is_of, own_words, shared, weight};
use crate::offline::{Corpus, CorpusError, StudyWatch, Vocabulary};

const LONGEST_SENTENCE: usize = 400;

/// Words that say that a name changed.
const SAYING: [&str; 44] = [
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
    "until recently",
    "was called",
    "used to be called",
    "bis vor kurzem",
    "unter dem namen",
    "auparavant",
    "sous le nom",
    "παλιότερα",
    "παλαιότερα",
    "anteriormente",
];

pub(super) struct Around {
    /// By name: terms by the numbers of language and term, with in how many writings.
    contexts: HashMap<u32, BTreeMap<(u16, u32), u32>>,
    /// Sentences that say that a name changed, in small letters, by writing.
    said: HashMap<u32, Vec<String>>,
    ids: HashMap<u32, String>,
}

impl Around {
    pub(super) fn of(
        corpora: &[Corpus],
        vocabulary: &Vocabulary,
        archive: &Archive,
        candidates: &BTreeSet<u32>,
        names: &[String],
        watch: &dyn StudyWatch,
    ) -> Result<Around, CorpusError> {
        let mut around = Around { contexts: HashMap::new(), said: HashMap::new(), ids: HashMap::new() };
        let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let mut number = 0_u32;
        each(
            corpora,
            watch,
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
                    terms.extend(places.into_iter().map(|place| (language, place)));
                }
                (writing.id.clone(), terms, sayings(&matter))
            },
            |(id, terms, said)| {
                let here = archive.names.get(number as usize).map(Vec::as_slice).unwrap_or_default();
                for name in here.iter().filter(|name| candidates.contains(name)) {
                    if archive.is_dated(number) {
                        let context = around.contexts.entry(*name).or_default();
                        terms.iter().for_each(|term| *context.entry(*term).or_default() += 1);
                    }
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

    /// Those of some writings in which a sentence says that the one became the other, both in small letters.
    pub(super) fn saying(&self, writings: &[u32], old: &str, new: &str) -> Vec<u32> {
        // Of two names the one may be a part of the other.
        let (short, long) = if old.len() <= new.len() { (old, new) } else { (new, old) };
        let says = |writing: &&u32| {
            let said = self.said.get(writing).map(Vec::as_slice).unwrap_or_default();
            said.iter().any(|sentence| sentence.contains(long) && sentence.replace(long, " ").contains(short))
        };
        writings.iter().filter(says).copied().collect()
    }

    pub(super) fn id(&self, writing: u32) -> Option<String> {
        self.ids.get(&writing).cloned()
    }

    /// How alike the words around both are, and which they share, the most telling first.
    pub(super) fn words(
        &self,
        pair: &Pair,
        archive: &Archive,
        vocabulary: &Vocabulary,
        names: &[String],
    ) -> (f32, Vec<String>) {
        let own: HashSet<String> = own_words([pair.before, pair.after], names);
        let term = |(language, place): (u16, u32)| {
            vocabulary.languages.values().nth(usize::from(language)).and_then(|words| words.get(place))
        };
        let weigh = |name: u32| -> BTreeMap<(u16, u32), f32> {
            let total = archive.with(name).len();
            let context = self.contexts.get(&name).into_iter().flatten();
            context
                .filter(|(_, count)| **count > 1)
                .filter_map(|(beside, count)| {
                    let term = term(*beside).filter(|term| !is_of(&term.surface, &own))?;
                    let all = term.writings as usize;
                    Some((*beside, weight(*count, total, all, archive.writings())))
                })
                .collect()
        };
        let (one, other) = (weigh(pair.before), weigh(pair.after));
        let shown = shared(&one, &other).into_iter().filter_map(term).map(|term| term.surface.to_string());
        (cosine(&one, &other), shown.collect())
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
