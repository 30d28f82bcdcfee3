//! What a text is about, as numbers: each term with its weight, all together of length one.

use crate::text::ids::IdMap;
use crate::text::{Stems, words};

/// Terms by number, each once, with their weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    terms: Vec<(u64, f32)>,
}

impl Vector {
    /// The words of a text: those it repeats weigh more, those that most texts have less. Empty for a text without words.
    pub fn of(text: &str, stems: &mut Stems) -> Vector {
        let mut counted: IdMap<(u32, f32)> = IdMap::default();
        words(text, stems, |word| {
            if word.is_term() {
                counted.entry(word.id).or_insert((0, word.idf)).0 += 1;
            }
        });
        let mut vector =
            Vector { terms: counted.into_iter().map(|(id, (n, idf))| (id, weight(n, idf))).collect() };
        vector.terms.sort_unstable_by_key(|(id, _)| *id);
        vector.scale(1.0);
        vector
    }

    /// Out of terms in the order of their numbers.
    pub(crate) fn from_sorted(terms: Vec<(u64, f32)>) -> Vector {
        Vector { terms }
    }

    /// The sum of several, of length one again.
    pub fn sum<'a>(vectors: impl IntoIterator<Item = &'a Vector>) -> Vector {
        let mut sums: IdMap<f32> = IdMap::default();
        for vector in vectors {
            for (id, weight) in &vector.terms {
                *sums.entry(*id).or_default() += weight;
            }
        }
        let mut sum = Vector { terms: sums.into_iter().collect() };
        sum.terms.sort_unstable_by_key(|(id, _)| *id);
        sum.scale(1.0);
        sum
    }

    pub fn terms(&self) -> &[(u64, f32)] {
        &self.terms
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn length(&self) -> f32 {
        self.terms.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt()
    }

    /// The cosine of the angle between two vectors of length one.
    pub fn dot(&self, other: &Vector) -> f32 {
        let mut sum = 0.0;
        let mut rest = other.terms.as_slice();
        for (id, weight) in &self.terms {
            // Most often one is a few words and the other a topic.
            rest = rest.get(rest.partition_point(|(there, _)| there < id)..).unwrap_or_default();
            match rest.first() {
                Some((there, other)) if there == id => sum += weight * other,
                Some(_) => {}
                None => break,
            }
        }
        sum
    }

    /// In memory, near enough.
    pub fn bytes(&self) -> usize {
        self.terms.len() * size_of::<(u64, f32)>()
    }

    fn scale(&mut self, length: f32) {
        let now = self.length();
        if now > 0.0 {
            self.terms.iter_mut().for_each(|(_, weight)| *weight *= length / now);
        }
    }
}

/// Of a term that a text has so often.
pub(crate) fn weight(count: u32, idf: f32) -> f32 {
    (1.0 + (count.max(1) as f32).ln()) * idf
}

#[cfg(test)]
mod tests {
    use super::Vector;
    use crate::text::{Language, OwnFrequencies, Stems};

    fn of(text: &str) -> Vector {
        Vector::of(text, &mut Stems::new(Language::of("en")))
    }

    #[test]
    fn texts_with_the_same_words_are_alike_whatever_their_order_and_form() {
        let one = of("The election was called in Athens");
        assert!((one.dot(&of("Athens calls elections")) - 1.0).abs() < 1e-6);
        assert!((one.length() - 1.0).abs() < 1e-6);
        assert_eq!(one.dot(&of("bread, butter, wine")), 0.0);
        assert_eq!(one.dot(&of("of the")), 0.0);
    }

    #[test]
    fn weights_of_ones_own_take_the_place_of_the_programs() {
        let counted = "#annalist-frequencies\t1\tmin\t1\n#documents\ten\t100\nlanguage\tterm\tdocuments\nen\trock\t100\nen\tbread\t1\n";
        let own = OwnFrequencies::read(counted.as_bytes()).unwrap();
        let bread = of("bread");
        let near = Vector::of("rock bread", &mut own.stems("en")).dot(&bread);
        assert!(near > 0.999, "every document has rock: {near}");
        assert!(of("rock bread").dot(&bread) < 0.9);
        assert_eq!(Vector::of("brot", &mut own.stems("de")).terms().len(), 1);
    }

    #[test]
    fn a_sum_is_as_near_to_one_as_to_the_other() {
        let (one, other) = (of("athens"), of("bread"));
        let sum = Vector::sum([&one, &other]);
        assert!(sum.dot(&one) > 0.3 && sum.dot(&other) > 0.3);
        assert!((sum.length() - 1.0).abs() < 1e-6);
        assert_eq!(Vector::sum([]), Vector::default());
    }
}
