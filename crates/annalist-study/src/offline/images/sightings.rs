//! Images in the order in which an archive has them, those among them that it keeps once under several addresses. Which of those
//! that were looked at show the same is in `duplicates.rs`.

use std::collections::{HashMap, HashSet};

use annalist_knowledge::Original;
use annalist_model::Time;

use super::ImageSeen;

/// What was seen of an image in one capture.
#[derive(Debug)]
pub enum Sighting {
    /// Its bytes.
    Looked { image: ImageSeen, captured: Option<Time> },
    /// That it was the same to the byte as in another capture.
    Repeated { record: String, url: String, declared: String, digest: Option<String>, original: Original },
}

/// All images, and those that repeat one. A repetition of what is no image is none; one under an address that is known to show
/// the same says nothing new.
pub fn images_of(sightings: Vec<Sighting>) -> Vec<ImageSeen> {
    let mut known = Known::default();
    sightings.iter().for_each(|sighting| known.learn(sighting));
    let repeated: Vec<Option<ImageSeen>> =
        sightings.iter().map(|sighting| known.repeated(sighting)).collect();
    let both = sightings.into_iter().zip(repeated);
    both.filter_map(|(sighting, repeated)| match sighting {
        Sighting::Looked { image, .. } => Some(image),
        Sighting::Repeated { .. } => repeated,
    })
    .collect()
}

/// The images that were looked at.
#[derive(Default)]
struct Known<'s> {
    by_digest: HashMap<&'s str, &'s ImageSeen>,
    by_visit: HashMap<(&'s str, Time), &'s ImageSeen>,
    /// What is shown where: address and digest.
    shown: HashSet<(&'s str, &'s str)>,
}

impl<'s> Known<'s> {
    fn learn(&mut self, sighting: &'s Sighting) {
        let Sighting::Looked { image, captured } = sighting else { return };
        if let Some(digest) = &image.digest {
            self.by_digest.entry(digest).or_insert(image);
            self.shown.insert((&image.url, digest));
        }
        if let Some(captured) = captured {
            self.by_visit.insert((&image.url, *captured), image);
        }
    }

    fn repeated(&mut self, sighting: &'s Sighting) -> Option<ImageSeen> {
        let Sighting::Repeated { record, url, declared, digest, original } = sighting else { return None };
        let same = digest.as_deref().and_then(|digest| self.by_digest.get(digest).copied());
        // Where others name no digest, they name the capture.
        let then = || self.by_visit.get(&(original.url.as_str(), original.captured?)).copied();
        let image = same.or_else(then)?;
        let digest = digest.as_deref().or(image.digest.as_deref());
        let is_new = digest.map_or(*url != image.url, |digest| self.shown.insert((url, digest)));
        is_new.then(|| ImageSeen {
            record: record.clone(),
            url: url.clone(),
            declared: declared.clone(),
            digest: digest.map(str::to_owned),
            facts: image.facts.clone(),
        })
    }
}
