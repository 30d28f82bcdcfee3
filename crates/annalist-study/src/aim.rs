//! What one crawl looks for, and where it begins: the same for all policies of a repeat.

use std::collections::HashMap;
use std::sync::Arc;

use annalist_disk::Dice;
use annalist_judge::Vector;
use annalist_model::{CanonicalUrl, UrlKey};
use xxhash_rust::xxh3::xxh3_64;

use crate::labels::Labelled;
use crate::library::{Fetched, Library, Stemmers};
use crate::occasion::Occasion;
use crate::simulate::StudyError;

/// Where nobody labelled pages, those are relevant whose cosine with the topic vector is greater.
pub const SIMILAR: f32 = 0.333;

#[derive(Debug)]
pub(crate) struct Aim {
    pub(crate) topic: String,
    pub(crate) repeat: u32,
    pub(crate) seeds: Vec<CanonicalUrl>,
    /// The sum of the seeds' vectors.
    pub(crate) vector: Vector,
    /// Seeds included; each with its sub-topics.
    relevant: HashMap<UrlKey, Vec<usize>>,
    pub(crate) subtopics: usize,
    /// What is looked for where it is an event, and how that is measured.
    pub(crate) occasion: Option<(Occasion, Arc<Occasion>)>,
}

impl Aim {
    /// Relevant are the pages that have the label.
    pub(crate) fn labelled(
        library: &Library,
        (topic, repeat): (&str, u32),
        labelled: &Labelled,
        seeds: Vec<CanonicalUrl>,
        stemmers: &mut Stemmers,
    ) -> Result<Aim, StudyError> {
        let vector = topic_vector(library, &seeds, stemmers)?;
        let labelled_pages = labelled.pages.iter().map(|(url, subtopics)| (url.key(), subtopics.clone()));
        let mut relevant: HashMap<UrlKey, Vec<usize>> = labelled_pages.collect();
        for url in &seeds {
            relevant.entry(url.key()).or_default();
        }
        Ok(Aim {
            topic: topic.to_owned(),
            repeat,
            seeds,
            vector,
            relevant,
            subtopics: labelled.subtopics,
            occasion: None,
        })
    }

    /// Relevant are the pages that are similar to the seeds.
    pub(crate) fn similar(
        library: &Library,
        (topic, repeat): (&str, u32),
        seeds: Vec<CanonicalUrl>,
        stemmers: &mut Stemmers,
    ) -> Result<Aim, StudyError> {
        let vector = topic_vector(library, &seeds, stemmers)?;
        let mut relevant = HashMap::new();
        for url in library.source().documents() {
            if let Fetched::Page(document) = library.fetch(url, stemmers)
                && document.vector.dot(&vector) > SIMILAR
            {
                relevant.insert(url.key(), Vec::new());
            }
        }
        relevant.extend(seeds.iter().map(|url| (url.key(), Vec::new())));
        Ok(Aim { topic: topic.to_owned(), repeat, seeds, vector, relevant, subtopics: 0, occasion: None })
    }

    /// Relevant are the pages that have the label, if there is one.
    pub(crate) fn of_event(
        seeds: Vec<CanonicalUrl>,
        labelled: Option<&Labelled>,
        looked_for: Occasion,
        measure: Arc<Occasion>,
    ) -> Aim {
        let pages = labelled.into_iter().flat_map(|labelled| &labelled.pages);
        Aim {
            topic: String::new(),
            repeat: 0,
            seeds,
            vector: Vector::default(),
            relevant: pages.map(|(url, subtopics)| (url.key(), subtopics.clone())).collect(),
            subtopics: 0,
            occasion: Some((looked_for, measure)),
        }
    }

    pub(crate) fn is_seed(&self, key: UrlKey) -> bool {
        self.seeds.iter().any(|seed| seed.key() == key)
    }

    /// The sub-topics of a relevant page.
    pub(crate) fn relevance(&self, key: UrlKey) -> Option<&[usize]> {
        self.relevant.get(&key).map(Vec::as_slice)
    }

    /// Relevant pages that are no seeds.
    pub(crate) fn to_find(&self) -> usize {
        self.relevant.len().saturating_sub(self.seeds.len())
    }
}

/// Some of the candidates, which are sorted: by topic and repeat alone.
pub(crate) fn drawn(
    candidates: &[&CanonicalUrl],
    count: usize,
    topic: &str,
    repeat: u32,
) -> Vec<CanonicalUrl> {
    let mut dice =
        Dice::new(xxh3_64(topic.as_bytes()) ^ u64::from(repeat).wrapping_mul(0xD6E8_FEB8_6659_FD93));
    let mut left: Vec<&CanonicalUrl> = candidates.to_vec();
    let mut seeds = Vec::new();
    while seeds.len() < count && !left.is_empty() {
        let place = usize::try_from(dice.below(left.len() as u64)).unwrap_or(0);
        seeds.push(left.swap_remove(place).clone());
    }
    seeds
}

fn topic_vector(
    library: &Library,
    seeds: &[CanonicalUrl],
    stemmers: &mut Stemmers,
) -> Result<Vector, StudyError> {
    let mut documents = Vec::new();
    for url in seeds {
        match library.fetch(url, stemmers) {
            Fetched::Page(document) => documents.push(document),
            Fetched::Unreadable(why) => return Err(StudyError::Input(format!("the seed {url}: {why}"))),
            _ => return Err(StudyError::Input(format!("the seed {url} is no page of the archive"))),
        }
    }
    let vector = Vector::sum(documents.iter().map(|document| &document.vector));
    if vector.is_empty() {
        let urls: Vec<&str> = seeds.iter().map(CanonicalUrl::as_str).collect();
        return Err(StudyError::Input(format!("the seeds have no words to go by: {}", urls.join(", "))));
    }
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use annalist_model::CanonicalUrl;

    use super::drawn;

    #[test]
    fn seeds_depend_on_topic_and_repeat_alone() {
        let urls: Vec<CanonicalUrl> =
            (0..50).map(|n| CanonicalUrl::parse(&format!("http://a.test/{n}")).unwrap()).collect();
        let candidates: Vec<&CanonicalUrl> = urls.iter().collect();
        let draw = |topic, repeat| drawn(&candidates, 5, topic, repeat);
        assert_eq!(draw("A", 0), draw("A", 0));
        assert_ne!(draw("A", 0), draw("A", 1));
        assert_ne!(draw("A", 0), draw("B", 0));
        let mut all = drawn(&candidates, 99, "A", 0);
        all.sort();
        let mut sorted = urls.clone();
        sorted.sort();
        assert_eq!(all, sorted, "each once");
    }
}
