//! Groups of vectors that point the same way: more groups than there can be topics at first, which are then joined where
//! they are as much alike as each is in itself.

use std::num::NonZeroUsize;
use std::thread;

use super::vectors::{Sample, Vector};
use crate::offline::StudyWatch;

/// Groups to begin with.
const MOST_GROUPS: usize = 120;
const WRITINGS_FOR_A_GROUP: usize = 15;
const ROUNDS: usize = 15;
const LAST_ROUNDS: usize = 4;
/// Two groups are one topic where the likeness between them is this share of the likeness within them.
const ALIKE: f32 = 0.3;
/// The writings of a group must be alike by this many times what any two writings are.
const BEYOND_CHANCE: f32 = 2.0;
/// Of the sample, for the smallest topic.
const SMALLEST_SHARE: f32 = 0.002;
const SMALLEST: f32 = 5.0;
/// The same choices in every run.
const DICE: u64 = 0x5eed_0f70_91c5;

/// The topics of one language.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    pub(super) clusters: Vec<Cluster>,
    /// For each word of the vocabulary, by its number, its weight in each cluster.
    centres: Centres,
}

#[derive(Debug)]
pub(super) struct Cluster {
    /// The mean likeness of its writings to its centre.
    pub(super) likeness: f32,
    pub(super) confidence: f32,
}

/// Weights by word, then by cluster: the clusters of a word stand side by side, so that a vector is compared with all of
/// them in one go.
#[derive(Debug, Default)]
struct Centres {
    count: usize,
    weights: Vec<f32>,
}

impl Centres {
    fn new(count: usize, words: usize) -> Centres {
        Centres { count, weights: vec![0.0; count * words] }
    }

    fn of_word(&self, word: u32) -> &[f32] {
        let from = word as usize * self.count;
        self.weights.get(from..from + self.count).unwrap_or_default()
    }

    fn add(&mut self, cluster: usize, vector: &Vector) {
        for (word, weight) in vector {
            if let Some(slot) = self.weights.get_mut(*word as usize * self.count + cluster) {
                *slot += weight;
            }
        }
    }

    fn squares(&self) -> Vec<f32> {
        let mut squares = vec![0.0; self.count];
        if self.count > 0 {
            for row in self.weights.chunks_exact(self.count) {
                squares.iter_mut().zip(row).for_each(|(square, weight)| *square += weight * weight);
            }
        }
        squares
    }

    /// Makes each of length one.
    fn unit(&mut self) {
        let lengths: Vec<f32> =
            self.squares().iter().map(|square| square.sqrt().max(f32::MIN_POSITIVE)).collect();
        if self.count > 0 {
            for row in self.weights.chunks_exact_mut(self.count) {
                row.iter_mut().zip(&lengths).for_each(|(weight, length)| *weight /= length);
            }
        }
    }

    /// How alike a vector is to each.
    fn likeness(&self, vector: &Vector, into: &mut Vec<f32>) {
        into.clear();
        into.resize(self.count, 0.0);
        for (word, weight) in vector {
            into.iter_mut().zip(self.of_word(*word)).for_each(|(sum, centre)| *sum += weight * centre);
        }
    }
}

impl Clusters {
    /// None if it is stopped on the way.
    pub(super) fn of(sample: &Sample, watch: &dyn StudyWatch) -> Clusters {
        let vectors = &sample.vectors;
        let all = vectors.len() as u64;
        watch.begin("topics: grouping writings", all * (ROUNDS + LAST_ROUNDS) as u64);
        let words =
            vectors.iter().filter_map(|vector| vector.last()).map(|(word, _)| *word as usize + 1).max();
        let Some(words) = words else { return Clusters::default() };
        let wanted = (vectors.len() / WRITINGS_FOR_A_GROUP).clamp(1, MOST_GROUPS);
        let mut centres = first_centres(vectors, wanted, words);
        let (mut nearest, mut count) = (Vec::new(), centres.count);
        for _ in 0..ROUNDS {
            let now = assign(&centres, vectors);
            if now == nearest {
                break;
            }
            nearest = now;
            centres = moved(&nearest, vectors, count, words);
            watch.done(all);
            if watch.is_stopped() {
                return Clusters::default();
            }
        }
        let baseline =
            mean_likeness(&moved_sum(&vec![0; vectors.len()], vectors, 1, words), &[vectors.len()])
                .first()
                .copied()
                .unwrap_or_default();
        (nearest, count) = joined(nearest, vectors, count, words, baseline);
        centres = moved(&nearest, vectors, count, words);
        for _ in 0..LAST_ROUNDS {
            nearest = assign(&centres, vectors);
            centres = moved(&nearest, vectors, count, words);
            watch.done(all);
            if watch.is_stopped() {
                return Clusters::default();
            }
        }
        kept(&nearest, vectors, count, words, baseline)
    }

    /// How alike a writing is to each cluster, by their numbers.
    pub(super) fn likeness(&self, vector: &Vector, into: &mut Vec<f32>) {
        self.centres.likeness(vector, into);
    }
}

/// Vectors that are far from each other: each next one is drawn among all, the farther from those before the likelier.
fn first_centres(vectors: &[Vector], wanted: usize, words: usize) -> Centres {
    let mut dice = DICE;
    let mut centres = Centres::new(wanted, words);
    let mut distances = vec![1.0_f32; vectors.len()];
    let mut one = vec![0.0_f32; words];
    for number in 0..wanted {
        let total: f64 = distances.iter().map(|distance| f64::from(*distance)).sum();
        let mut left = unit_interval(&mut dice) * total;
        let drawn = distances.iter().position(|distance| {
            left -= f64::from(*distance);
            left < 0.0
        });
        let Some(vector) = drawn.and_then(|drawn| vectors.get(drawn)) else { break };
        centres.add(number, vector);
        one.iter_mut().for_each(|weight| *weight = 0.0);
        for (word, weight) in vector {
            if let Some(slot) = one.get_mut(*word as usize) {
                *slot = *weight;
            }
        }
        for (distance, vector) in distances.iter_mut().zip(vectors) {
            let alike: f32 = vector
                .iter()
                .map(|(word, weight)| weight * one.get(*word as usize).copied().unwrap_or_default())
                .sum();
            *distance = distance.min((1.0 - alike).max(0.0));
        }
    }
    centres
}

/// A number in [0, 1), by splitmix64.
fn unit_interval(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut value = *state;
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((value ^ (value >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The nearest centre of each vector, on all cores.
fn assign(centres: &Centres, vectors: &[Vector]) -> Vec<usize> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut nearest = vec![0; vectors.len()];
    let part = vectors.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        for (vectors, nearest) in vectors.chunks(part).zip(nearest.chunks_mut(part)) {
            scope.spawn(move || {
                let mut likeness = Vec::new();
                for (vector, nearest) in vectors.iter().zip(nearest) {
                    centres.likeness(vector, &mut likeness);
                    *nearest = best(&likeness).map_or(0, |(number, _)| number);
                }
            });
        }
    });
    nearest
}

pub(super) fn best(likeness: &[f32]) -> Option<(usize, f32)> {
    // The first of equals.
    likeness.iter().copied().enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best })
}

fn moved_sum(nearest: &[usize], vectors: &[Vector], count: usize, words: usize) -> Centres {
    let mut sums = Centres::new(count, words);
    for (cluster, vector) in nearest.iter().zip(vectors) {
        sums.add(*cluster, vector);
    }
    sums
}

fn moved(nearest: &[usize], vectors: &[Vector], count: usize, words: usize) -> Centres {
    let mut centres = moved_sum(nearest, vectors, count, words);
    centres.unit();
    centres
}

fn sizes(nearest: &[usize], count: usize) -> Vec<usize> {
    let mut sizes = vec![0; count];
    for cluster in nearest {
        if let Some(size) = sizes.get_mut(*cluster) {
            *size += 1;
        }
    }
    sizes
}

/// How alike two different vectors of a cluster are, on average.
fn mean_likeness(sums: &Centres, sizes: &[usize]) -> Vec<f32> {
    let pairs = |size: usize| (size * size.saturating_sub(1)).max(1) as f32;
    sums.squares()
        .iter()
        .zip(sizes)
        .map(|(square, size)| ((square - *size as f32) / pairs(*size)).max(0.0))
        .collect()
}

/// Joins clusters that are as alike as they are in themselves, the most alike first. New numbers, and how many.
fn joined(
    nearest: Vec<usize>,
    vectors: &[Vector],
    count: usize,
    words: usize,
    baseline: f32,
) -> (Vec<usize>, usize) {
    let sums = moved_sum(&nearest, vectors, count, words);
    let mut sizes: Vec<f32> = sizes(&nearest, count).iter().map(|size| *size as f32).collect();
    // The products of all sums: what joining does to them is adding rows and columns.
    let mut products = vec![vec![0.0_f32; count]; count];
    for row in sums.weights.chunks_exact(count.max(1)) {
        let present: Vec<(usize, f32)> =
            row.iter().copied().enumerate().filter(|(_, weight)| *weight > 0.0).collect();
        for (one, weight) in &present {
            if let Some(products) = products.get_mut(*one) {
                for (other, more) in &present {
                    if let Some(product) = products.get_mut(*other) {
                        *product += weight * more;
                    }
                }
            }
        }
    }
    let mut into: Vec<usize> = (0..count).collect();
    while let Some((one, other)) = most_alike(&products, &sizes, baseline) {
        let gone = products.get(other).cloned().unwrap_or_default();
        if let Some(row) = products.get_mut(one) {
            row.iter_mut().zip(&gone).for_each(|(sum, more)| *sum += more);
        }
        for row in &mut products {
            let more = row.get(other).copied().unwrap_or_default();
            if let Some(sum) = row.get_mut(one) {
                *sum += more;
            }
        }
        let size = sizes.get(other).copied().unwrap_or_default();
        if let Some(sum) = sizes.get_mut(one) {
            *sum += size;
        }
        if let Some(gone) = sizes.get_mut(other) {
            *gone = 0.0;
        }
        into.iter_mut().filter(|place| **place == other).for_each(|place| *place = one);
    }
    let mut numbers: Vec<usize> =
        into.iter().copied().filter(|n| sizes.get(*n).is_some_and(|size| *size > 0.0)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let number = |cluster: usize| {
        let place = into.get(cluster).copied().unwrap_or_default();
        numbers.binary_search(&place).unwrap_or_default()
    };
    (nearest.into_iter().map(number).collect(), numbers.len())
}

fn most_alike(products: &[Vec<f32>], sizes: &[f32], baseline: f32) -> Option<(usize, usize)> {
    let at = |one: usize, other: usize| {
        products.get(one).and_then(|row| row.get(other)).copied().unwrap_or_default()
    };
    let within =
        |one: usize, size: f32| ((at(one, one) - size) / (size * (size - 1.0)).max(1.0) - baseline).max(1e-6);
    let mut best = (ALIKE, None);
    for (one, size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0.0) {
        for (other, other_size) in sizes.iter().enumerate().skip(one + 1).filter(|(_, size)| **size > 0.0) {
            let between = at(one, other) / (size * other_size) - baseline;
            let alike = between / (within(one, *size) * within(other, *other_size)).sqrt();
            if alike > best.0 {
                best = (alike, Some((one, other)));
            }
        }
    }
    best.1
}

/// The clusters that are large enough, and more alike in themselves than by chance.
fn kept(nearest: &[usize], vectors: &[Vector], count: usize, words: usize, baseline: f32) -> Clusters {
    let sizes = sizes(nearest, count);
    let sums = moved_sum(nearest, vectors, count, words);
    let within = mean_likeness(&sums, &sizes);
    let smallest = (vectors.len() as f32 * SMALLEST_SHARE).max(SMALLEST);
    let numbers: Vec<usize> = sizes
        .iter()
        .zip(&within)
        .enumerate()
        .filter(|(_, (size, within))| {
            **size as f32 >= smallest && (count == 1 || **within > BEYOND_CHANCE * baseline)
        })
        .map(|(number, _)| number)
        .collect();
    let mut centres = Centres::new(numbers.len(), words);
    for (cluster, vector) in nearest.iter().zip(vectors) {
        if let Ok(place) = numbers.binary_search(cluster) {
            centres.add(place, vector);
        }
    }
    let lengths: Vec<f32> = centres.squares().iter().map(|square| square.sqrt()).collect();
    centres.unit();
    let cluster = |(number, length): (&usize, &f32)| {
        let within = within.get(*number).copied().unwrap_or_default();
        let size = sizes.get(*number).copied().unwrap_or_default().max(1) as f32;
        Cluster {
            likeness: length / size,
            confidence: (1.0 - baseline / within.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0),
        }
    };
    Clusters { clusters: numbers.iter().zip(&lengths).map(cluster).collect(), centres }
}
