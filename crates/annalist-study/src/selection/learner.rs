//! Learns from decisions what people keep: a logistic regression over the features of pages. Its weights begin where the
//! relevance of the crawl alone decides and are held there, so that few decisions change little and many change what they must.

use std::collections::HashMap;

use super::features::{Feature, Kind};

/// Decisions below which there is nothing to learn, and of either kind.
const FEWEST: usize = 10;
const FEWEST_OF_A_KIND: usize = 2;
/// What relevance weighs before anything was decided: a page of 0.6 is kept with a probability of 0.69.
pub const RELEVANCE: f64 = 4.0;
/// How strongly weights are held where they began.
const HOLD: f64 = 0.1;
const MOST_STEPS: usize = 1_000;
/// The slope at which it has arrived.
const FLAT: f64 = 1e-5;

/// Something that speaks for keeping a page, or against it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    pub text: String,
    /// Positive for.
    pub part: f64,
}

/// What was learned.
#[derive(Debug, Default)]
pub struct Lesson {
    pub kept: usize,
    pub dropped: usize,
    places: HashMap<(Kind, String), usize>,
    weights: Vec<f64>,
}

/// A page that somebody decided about.
#[derive(Debug)]
pub struct Example<'a> {
    pub features: Vec<Feature<'a>>,
    pub is_kept: bool,
}

impl Lesson {
    /// `None` where too little was decided.
    pub fn learn(examples: &[Example<'_>]) -> Option<Lesson> {
        let kept = examples.iter().filter(|example| example.is_kept).count();
        let dropped = examples.len() - kept;
        if examples.len() < FEWEST || kept.min(dropped) < FEWEST_OF_A_KIND {
            return None;
        }
        let mut lesson = Lesson { kept, dropped, ..Lesson::default() };
        let mut begin = Vec::new();
        let rows: Vec<(Vec<(usize, f64)>, f64)> = examples
            .iter()
            .map(|example| {
                let mut place = |feature: &Feature<'_>| {
                    let next = lesson.places.len();
                    let key = (feature.kind, feature.name.to_owned());
                    let place = *lesson.places.entry(key).or_insert(next);
                    if place == next {
                        begin.push(beginning(feature.kind));
                    }
                    (place, feature.value)
                };
                let row = example.features.iter().map(&mut place).collect();
                (row, if example.is_kept { 1.0 } else { 0.0 })
            })
            .collect();
        lesson.weights = fitted(&rows, &begin);
        Some(lesson)
    }

    fn weight(&self, feature: &Feature<'_>) -> f64 {
        // A name is owned only to look it up; pages have some fifty.
        let place = self.places.get(&(feature.kind, feature.name.to_owned()));
        place.and_then(|place| self.weights.get(*place)).copied().unwrap_or_else(|| beginning(feature.kind))
    }

    /// What each feature adds, before they make a probability together.
    pub fn parts<'f, 'a>(
        &'f self,
        features: &'f [Feature<'a>],
    ) -> impl Iterator<Item = (&'f Feature<'a>, f64)> {
        features.iter().map(|feature| (feature, feature.value * self.weight(feature)))
    }

    /// What it found to speak for pages, or against them; the strongest first.
    pub fn strongest(&self, most: usize) -> Vec<(Kind, &str, f64)> {
        let told = |(key, place): (&'_ (Kind, String), &usize)| {
            let weight = self.weights.get(*place).copied().unwrap_or_default();
            (key.0, weight)
        };
        let mut all: Vec<(Kind, &str, f64)> = self
            .places
            .iter()
            .map(|(key, place)| (key.0, key.1.as_str(), told((key, place)).1))
            .filter(|(kind, _, _)| *kind != Kind::Always)
            .collect();
        all.sort_by(|one, other| {
            other.2.abs().total_cmp(&one.2.abs()).then(one.0.cmp(&other.0)).then(one.1.cmp(other.1))
        });
        all.truncate(most);
        all
    }
}

/// What a feature weighs before anything was decided.
fn beginning(kind: Kind) -> f64 {
    if kind == Kind::Relevance { RELEVANCE } else { 0.0 }
}

pub fn probability(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

/// The weights that explain the decisions best while they stay near where they began: a slope is walked down with
/// momentum, in a fixed order, so that the same decisions give the same weights everywhere.
fn fitted(rows: &[(Vec<(usize, f64)>, f64)], begin: &[f64]) -> Vec<f64> {
    let steepest: f64 =
        rows.iter().map(|(row, _)| row.iter().map(|(_, value)| value * value).sum::<f64>() / 4.0).sum();
    let step = 1.0 / (steepest + HOLD);
    let mut weights = begin.to_vec();
    let mut ahead = weights.clone();
    let mut speed = 1.0_f64;
    for _ in 0..MOST_STEPS {
        let mut slope: Vec<f64> =
            ahead.iter().zip(begin).map(|(weight, begin)| HOLD * (weight - begin)).collect();
        for (row, is_kept) in rows {
            let sum: f64 =
                row.iter().map(|(place, value)| value * ahead.get(*place).copied().unwrap_or_default()).sum();
            let error = probability(sum) - is_kept;
            for (place, value) in row {
                if let Some(slope) = slope.get_mut(*place) {
                    *slope += error * value;
                }
            }
        }
        if slope.iter().map(|part| part * part).sum::<f64>().sqrt() < FLAT {
            break;
        }
        let faster = (1.0 + (1.0 + 4.0 * speed * speed).sqrt()) / 2.0;
        let momentum = (speed - 1.0) / faster;
        for ((weight, ahead), slope) in weights.iter_mut().zip(&mut ahead).zip(&slope) {
            let next = *ahead - step * slope;
            *ahead = next + momentum * (next - *weight);
            *weight = next;
        }
        speed = faster;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::{Example, Lesson, probability};
    use crate::selection::features::{Feature, Kind};

    fn example(relevance: f64, site: &'static str, word: &'static str, is_kept: bool) -> Example<'static> {
        let feature = |kind, name, value| Feature { kind, name, value };
        let features = vec![
            feature(Kind::Always, "", 1.0),
            feature(Kind::Relevance, "", relevance),
            feature(Kind::Site, site, 0.5),
            feature(Kind::Word, word, 1.0),
        ];
        Example { features, is_kept }
    }

    fn examples(count: usize) -> Vec<Example<'static>> {
        (0..count)
            .map(|n| {
                let is_kept = n % 2 == 0;
                // The crawl is wrong about everything; the word tells.
                let word = if is_kept { "strike" } else { "bread" };
                example(if is_kept { -0.5 } else { 0.5 }, ["a", "b", "c"][n % 3], word, is_kept)
            })
            .collect()
    }

    #[test]
    fn too_few_decisions_teach_nothing() {
        assert!(Lesson::learn(&examples(9)).is_none());
        let mut alike = examples(20);
        alike.iter_mut().for_each(|example| example.is_kept = true);
        assert!(Lesson::learn(&alike).is_none());
        assert!(Lesson::learn(&examples(10)).is_some());
    }

    #[test]
    fn what_people_decide_is_stronger_than_what_the_crawl_said() {
        let lesson = Lesson::learn(&examples(20)).unwrap();
        let of = |relevance, word| {
            let page = example(relevance, "d", word, false);
            probability(lesson.parts(&page.features).map(|(_, part)| part).sum())
        };
        assert!(
            of(-0.5, "strike") > 0.7 && of(0.5, "bread") < 0.3,
            "{} {}",
            of(-0.5, "strike"),
            of(0.5, "bread")
        );
        // Of a page of which nothing is known but relevance, that still says something.
        assert_eq!(lesson.strongest(9).len(), 6);
    }

    #[test]
    fn the_same_decisions_teach_the_same() {
        let weights = |_| Lesson::learn(&examples(31)).unwrap().weights;
        assert_eq!(weights(0), weights(1));
    }
}
