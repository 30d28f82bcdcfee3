//! The links of a batch of pages, gathered before they are scheduled: each is valued by all its mentions together.

use std::collections::HashMap;
use std::sync::Arc;

use annalist_judge::Vector;
use annalist_model::{Link, UrlKey};

use crate::aim::Aim;
use crate::library::Document;
use crate::policy::Policy;
use crate::valuing::value_of_sums;

/// After so many pages the links found in them are scheduled.
pub const PAGES_IN_A_BATCH: usize = 50;

#[derive(Debug, Default)]
pub(crate) struct Mentions {
    pages: Vec<Arc<Document>>,
    /// In the order they were found.
    links: Vec<Mentioned>,
    places: HashMap<UrlKey, usize>,
}

#[derive(Debug)]
struct Mentioned {
    /// As it was found first.
    link: Link,
    /// Page of the batch, and place among its followed links.
    found: Vec<(usize, usize)>,
}

impl Mentions {
    pub(crate) fn add(&mut self, from: &Link, document: &Arc<Document>) {
        let page = self.pages.len();
        for (place, followed) in document.links.iter().enumerate() {
            let Some(found) = document.page.links.get(followed.place) else { continue };
            let next = self.links.len();
            let known = *self.places.entry(found.url.key()).or_insert(next);
            if known == next {
                let link = from.child(found.url.clone(), found.kind, &found.anchor);
                self.links.push(Mentioned { link, found: Vec::new() });
            }
            if let Some(mentioned) = self.links.get_mut(known) {
                mentioned.found.push((page, place));
            }
        }
        self.pages.push(Arc::clone(document));
    }

    pub(crate) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// The links with their values.
    pub(crate) fn valued(self, policy: Policy, aim: &Aim) -> Vec<(Link, f32)> {
        let sums = Sums::of(&self.pages, aim);
        let valued = self.links.into_iter().map(|mentioned| {
            let mut pages: Vec<usize> = mentioned.found.iter().map(|(page, _)| *page).collect();
            pages.dedup();
            let anchor =
                |(page, place): &(usize, usize)| Some(&self.pages.get(*page)?.links.get(*place)?.anchor);
            let anchors: Vec<&Vector> = mentioned.found.iter().filter_map(anchor).collect();
            let key = mentioned.link.url.key();
            let value = value_of_sums(policy, aim, key, sums.cosine(&pages), &anchors);
            (mentioned.link, value)
        });
        valued.collect()
    }
}

/// Cosines between the topic and sums of pages, out of those between pages: sums would have thousands of terms.
struct Sums {
    with_topic: Vec<f32>,
    /// Row by row.
    between: Vec<f32>,
}

impl Sums {
    fn of(pages: &[Arc<Document>], aim: &Aim) -> Sums {
        let with_topic = pages.iter().map(|page| page.vector.dot(&aim.vector)).collect();
        let between =
            pages.iter().flat_map(|one| pages.iter().map(|other| one.vector.dot(&other.vector))).collect();
        Sums { with_topic, between }
    }

    fn cosine(&self, pages: &[usize]) -> f32 {
        let width = self.with_topic.len();
        let topic: f32 = pages.iter().filter_map(|page| self.with_topic.get(*page)).sum();
        let square: f32 = pages
            .iter()
            .flat_map(|one| pages.iter().filter_map(move |other| self.between.get(one * width + other)))
            .sum();
        if square > 0.0 { topic / square.sqrt() } else { 0.0 }
    }
}
