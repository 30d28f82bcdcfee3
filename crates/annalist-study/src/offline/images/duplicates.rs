//! Which images show the same. An image joins the group of the earlier one that it is most like, so that groups do not
//! grow together by a chain of small differences.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::ImageFacts;

/// Bits of the hash that may differ. With four bands, one of them differs in one bit at most: see `Index::near`.
const MOST_BITS: u32 = 6;
/// Between the mean colours, for red, green and blue each.
const MOST_TONE: u8 = 24;
/// Between the widths that two images would have at the same height.
const MOST_STRETCH: f32 = 0.08;
const BANDS: usize = 4;
const BAND_BITS: u32 = 16;
/// Images that are looked at of those with the same band: pictures with half of nothing on them crowd there.
const MOST_OF_A_BAND: usize = 512;

/// An image to be compared with others.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'i> {
    /// Of its bytes; equal where they are.
    pub digest: Option<&'i str>,
    pub facts: &'i ImageFacts,
}

/// Images that show the same as their first; by their places in what was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub first: usize,
    pub repeats: Vec<Repeat>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    pub image: usize,
    /// Whether it is the same to the byte.
    pub same_bytes: bool,
    pub confidence: f32,
}

/// All groups of two or more, in the order of their first images.
pub fn duplicates(images: &[Seen<'_>]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut by_digest: HashMap<&str, (usize, f32)> = HashMap::new();
    let mut index = Index::new();
    for (image, seen) in images.iter().enumerate() {
        if let Some(digest) = seen.digest
            && let Some((group, confidence)) = by_digest.get(digest).copied()
        {
            if let Some(group) = groups.get_mut(group) {
                // Of one that was only like the first, its copies are no more than that.
                group.repeats.push(Repeat { image, same_bytes: confidence == 1.0, confidence });
            }
            continue;
        }
        let near = index.near(images, seen.facts);
        let confidence = near.map_or(1.0, |(_, bits)| 0.95 - 0.05 * bits as f32);
        let group = match near {
            Some((group, _)) => group,
            None => {
                groups.push(Group { first: image, repeats: Vec::new() });
                index.add(groups.len() - 1, image, seen.facts);
                groups.len() - 1
            }
        };
        if near.is_some()
            && let Some(group) = groups.get_mut(group)
        {
            group.repeats.push(Repeat { image, same_bytes: false, confidence });
        }
        if let Some(digest) = seen.digest {
            by_digest.insert(digest, (group, confidence));
        }
    }
    groups.retain(|group| !group.repeats.is_empty());
    groups
}

/// The first images of the groups, by each quarter of their hashes.
struct Index {
    bands: [HashMap<u16, Vec<Entry>>; BANDS],
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    group: usize,
    image: usize,
}

impl Index {
    fn new() -> Index {
        Index { bands: std::array::from_fn(|_| HashMap::new()) }
    }

    fn add(&mut self, group: usize, image: usize, facts: &ImageFacts) {
        let Some(hash) = facts.perceptual_hash else { return };
        for (number, band) in self.bands.iter_mut().enumerate() {
            let row = band.entry(part(hash, number)).or_default();
            if row.len() < MOST_OF_A_BAND {
                row.push(Entry { hash, group, image });
            }
        }
    }

    /// The group whose first image is most like this one, and how many bits differ. Where seven bits differ at most, one
    /// band of four differs in none or one: so those with the same band are looked at, and those with one bit changed.
    fn near(&self, images: &[Seen<'_>], facts: &ImageFacts) -> Option<(usize, u32)> {
        let hash = facts.perceptual_hash?;
        let changes = || std::iter::once(0).chain((0..BAND_BITS).map(|bit| 1_u16 << bit));
        let rows = self.bands.iter().enumerate().flat_map(|(number, band)| {
            changes().filter_map(move |change| band.get(&(part(hash, number) ^ change)))
        });
        let close = rows.flatten().filter_map(|entry| {
            let bits = (entry.hash ^ hash).count_ones();
            (bits <= MOST_BITS && alike(images.get(entry.image)?.facts, facts)).then_some((bits, entry.group))
        });
        close.min().map(|(bits, group)| (group, bits))
    }
}

fn part(hash: u64, band: usize) -> u16 {
    (hash >> (band as u32 * BAND_BITS)) as u16
}

/// Whether shape and colour allow that two images show the same.
fn alike(one: &ImageFacts, other: &ImageFacts) -> bool {
    let shape = |facts: &ImageFacts| Some(facts.width? as f32 / facts.height?.max(1) as f32);
    let (Some(a), Some(b)) = (shape(one), shape(other)) else { return false };
    let tones = one.tone.iter().zip(other.tone);
    (a / b - 1.0).abs() <= MOST_STRETCH && tones.into_iter().all(|(a, b)| a.abs_diff(b) <= MOST_TONE)
}
