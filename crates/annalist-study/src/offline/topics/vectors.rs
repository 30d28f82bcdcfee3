//! A writing as weighted words, all together of length one; and a sample of writings that shows what groups there are.

use std::collections::{BTreeMap, HashSet};

use annalist_judge::text::Terms;

use crate::offline::lent::{Lent, StemSet};
use crate::offline::{Corpus, CorpusError, StudyWatch, Vocabulary, Words, Writing};

/// Words of a writing that are looked at, those that weigh most.
const MOST_WORDS: usize = 64;
/// A word that so large a share of a language's writings has tells nothing.
const EVERYWHERE: f32 = 0.4;
/// A writing with fewer words fits many groups and makes none.
const FEWEST_WORDS: usize = 10;
/// Writings that are compared with each other, of each language.
const SAMPLE: usize = 30_000;
/// A word that so many of a site's writings have belongs to the site, not to them.
const SITES_OWN: f32 = 0.8;
const FEWEST_OF_A_SITE: u32 = 20;

/// Words by their number in the vocabulary, in its order, with their weights.
pub(super) type Vector = Vec<(u32, f32)>;

/// The vectors of some writings of a language, each text once.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub(super) language: String,
    pub(super) vectors: Vec<Vector>,
    /// Words that belong to a site: navigation, standing notices.
    pub(super) own: HashSet<(String, u32)>,
}

/// Makes a vector of a writing; empty for one without words.
pub(super) fn vector(writing: &Writing, words: &Words, stems: &mut StemSet) -> Vector {
    let matter = writing.matter();
    let mut vector: Vector = Vec::new();
    for term in Terms::of(&matter, stems.of(writing.code())).iter() {
        let Some(place) = words.place(term.id) else { continue };
        let known = words.get(place).filter(|known| !known.is_pair() && !known.is_number());
        if known.is_some_and(|known| known.writings as f32 <= EVERYWHERE * words.writings as f32) {
            vector.push((place, (1.0 + (term.count as f32).ln()) * words.idf(place)));
        }
    }
    vector.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    vector.truncate(MOST_WORDS);
    vector.sort_unstable_by_key(|(place, _)| *place);
    unit(&mut vector);
    vector
}

/// Makes it of length one.
fn unit(vector: &mut Vector) {
    let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|(_, weight)| *weight /= length);
    }
}

/// Takes out what belongs to the site.
pub(super) fn without(vector: &mut Vector, site: &str, own: &HashSet<(String, u32)>) {
    if !own.is_empty() {
        let before = vector.len();
        vector.retain(|(place, _)| !own.contains(&(site.to_owned(), *place)));
        if vector.len() < before {
            unit(vector);
        }
    }
}

/// A sample of each language.
pub(super) fn samples(
    corpus: &Corpus,
    vocabulary: &Vocabulary,
    watch: &dyn StudyWatch,
) -> Result<Vec<Sample>, CorpusError> {
    let lent = Lent::default();
    let mut taking: BTreeMap<&str, Taking> = vocabulary
        .languages
        .iter()
        .map(|(code, words)| (code.as_str(), Taking::new(words.writings as usize)))
        .collect();
    corpus.fold(
        || (lent.take(), Vec::new()),
        |(stems, taken): &mut (StemSet, Vec<Taken>), writing| {
            let Some(words) = vocabulary.language(writing.code()) else { return };
            let vector = vector(&writing, words, stems);
            taken.push(Taken {
                vector,
                code: writing.code().to_owned(),
                simhash: writing.simhash,
                site: writing.site,
            });
        },
        |(stems, taken)| {
            lent.give_back(stems);
            for taken in taken {
                if let Some(taking) = taking.get_mut(taken.code.as_str()) {
                    taking.take(taken);
                }
            }
        },
        watch,
    )?;
    Ok(taking.into_iter().map(|(code, taking)| taking.into_sample(code)).collect())
}

struct Taken {
    vector: Vector,
    code: String,
    simhash: u64,
    site: String,
}

/// A sample that is being taken: evenly over the corpus.
struct Taking {
    step: usize,
    met: usize,
    texts: HashSet<u64>,
    taken: Vec<(String, Vector)>,
}

impl Taking {
    fn new(writings: usize) -> Taking {
        Taking { step: writings.div_ceil(SAMPLE).max(1), met: 0, texts: HashSet::new(), taken: Vec::new() }
    }

    fn take(&mut self, taken: Taken) {
        self.met += 1;
        let is_its_turn = self.met.is_multiple_of(self.step);
        // What was copied a hundred times is one text about its topic.
        let is_new = taken.simhash == 0 || !self.texts.contains(&taken.simhash);
        if is_its_turn && is_new && taken.vector.len() >= FEWEST_WORDS {
            self.texts.insert(taken.simhash);
            self.taken.push((taken.site, taken.vector));
        }
    }

    fn into_sample(self, code: &str) -> Sample {
        let own = sites_own(&self.taken);
        let mut vectors = Vec::with_capacity(self.taken.len());
        for (site, mut vector) in self.taken {
            without(&mut vector, &site, &own);
            vectors.extend((!vector.is_empty()).then_some(vector));
        }
        Sample { language: code.to_owned(), vectors, own }
    }
}

/// Words that most writings of a site have; nobody can tell where there is but one site.
fn sites_own(taken: &[(String, Vector)]) -> HashSet<(String, u32)> {
    let mut writings: BTreeMap<&str, u32> = BTreeMap::new();
    let mut with: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    for (site, vector) in taken {
        *writings.entry(site).or_default() += 1;
        for (place, _) in vector {
            *with.entry((site, *place)).or_default() += 1;
        }
    }
    if writings.len() < 2 {
        return HashSet::new();
    }
    let of_site = |site: &str| writings.get(site).copied().unwrap_or_default();
    with.into_iter()
        .filter(|((site, _), count)| {
            of_site(site) >= FEWEST_OF_A_SITE && *count as f32 >= SITES_OWN * of_site(site) as f32
        })
        .map(|((site, place), _)| (site.to_owned(), place))
        .collect()
}
