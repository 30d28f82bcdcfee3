//! What a text is about, as a direction among terms: how often each occurs, weighed by how much it says.

use std::collections::HashMap;

use annalist_judge::text::{Frequencies, Terms};

/// Of length 1, or empty; sorted by term.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    terms: Vec<(u64, f32)>,
}

impl Vector {
    /// Of words alone: pairs of them are rare, and would leave little weight to what texts have in common.
    pub fn of(terms: &Terms<'_>, frequencies: &Frequencies) -> Vector {
        let words = terms.iter().filter(|term| !term.stem.contains(' '));
        let weight = |count: u32| 1.0 + (count as f32).ln();
        Vector::unit(words.map(|term| (term.id, weight(term.count) * frequencies.idf(term.stem))).collect())
    }

    /// The direction of the sum.
    pub fn sum<'a>(vectors: impl IntoIterator<Item = &'a Vector>) -> Vector {
        Vector::unit(vectors.into_iter().flat_map(|vector| vector.terms.iter().copied()).collect())
    }

    fn unit(mut terms: Vec<(u64, f32)>) -> Vector {
        // Stable: equal terms are added up in the order they came, so that the same sum is the same to the last bit.
        terms.sort_by_key(|(id, _)| *id);
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        terms.retain(|(_, weight)| *weight > 0.0);
        let length = terms.iter().map(|(_, weight)| f64::from(*weight).powi(2)).sum::<f64>().sqrt() as f32;
        terms.iter_mut().for_each(|(_, weight)| *weight /= length);
        Vector { terms }
    }

    /// The cosine between two vectors.
    pub fn dot(&self, other: &Vector) -> f32 {
        let (mut one, mut two) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        let mut dot = 0.0;
        while let (Some((a, x)), Some((b, y))) = (one.peek(), two.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(two.next()),
                std::cmp::Ordering::Equal => {
                    dot += x * y;
                    one.next();
                    two.next();
                }
            }
        }
        dot
    }

    pub fn bytes(&self) -> usize {
        self.terms.len() * size_of::<(u64, f32)>()
    }
}

/// A vector that many others are compared with.
#[derive(Clone, Debug, Default)]
pub struct TopicVector {
    weights: HashMap<u64, f32>,
}

impl TopicVector {
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    pub fn cosine(&self, vector: &Vector) -> f32 {
        vector.terms.iter().filter_map(|(id, weight)| Some(self.weights.get(id)? * weight)).sum()
    }
}

impl From<Vector> for TopicVector {
    fn from(vector: Vector) -> TopicVector {
        TopicVector { weights: vector.terms.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use annalist_judge::text::{Frequencies, Language, Stems, Terms};

    use super::{TopicVector, Vector};

    fn vector(text: &str) -> Vector {
        Vector::of(&Terms::of(text, &mut Stems::new(Language::of("xx"))), Frequencies::of("xx"))
    }

    #[test]
    fn a_cosine_is_one_for_the_same_and_nothing_for_what_has_no_term_in_common() {
        let (one, other) = (vector("debt. crisis"), vector("football"));
        assert!((one.dot(&one) - 1.0).abs() < 1e-6);
        assert_eq!((one.dot(&other), one.dot(&vector(""))), (0.0, 0.0));
    }

    #[test]
    fn a_sum_points_between_its_parts() {
        let (one, other) = (vector("debt"), vector("crisis"));
        let sum = Vector::sum([&one, &other]);
        assert!((sum.dot(&one) - 0.5_f32.sqrt()).abs() < 1e-6, "{sum:?}");
        assert_eq!(TopicVector::from(sum.clone()).cosine(&one), sum.dot(&one));
    }
}
