//! What the crawl is about: few strong terms that reference pages share and that other pages of the crawl do not have.

use crate::reading::TARGET;
use crate::text::ids::IdMap;
use crate::vector::Vector;

/// A topic has at most so many terms.
const MOST_TERMS: usize = 250;
/// How much of what all pages of the crawl have in common is taken off the reference pages. Of link targets all: what
/// every page of a site leads to says nothing about any.
const BACKGROUND: f32 = 0.8;
const BACKGROUND_TARGETS: f32 = 1.0;
/// A term that few of several references have is about them, not about the topic.
const SHARED_BY: u32 = 2;
/// What all pages of the crawl have weighs as much as so many pages of a site.
const SITE_PRIOR: f32 = 2.0;
/// The site of what is from none.
const NO_SITE: u64 = 0;
/// How near pages of a topic are to it, compared with its references, where there is one reference alone to tell.
const CLOSENESS: f32 = 0.5;

/// Terms with weights; of length one.
#[derive(Clone, Debug, Default)]
pub struct Topic {
    /// With all that may become part of the topic, at 0 for now.
    weights: IdMap<f32>,
    /// How near a typical page of the topic is to it.
    typical: f32,
}

impl Topic {
    /// Out of terms that are known already, of length one together.
    pub(crate) fn of_terms(weights: IdMap<f32>, typical: f32) -> Topic {
        Topic { weights, typical }
    }

    /// 0 for what is no term of the topic.
    pub fn weight(&self, id: u64) -> f32 {
        self.considered(id).unwrap_or(0.0)
    }

    /// How near a page is, where a typical page of the topic is 1 away from nothing.
    pub fn nearness(&self, vector: &Vector) -> f32 {
        self.in_typical(self.cosine(vector))
    }

    /// The part that a page and the topic have in common.
    pub(crate) fn cosine(&self, vector: &Vector) -> f32 {
        vector.terms().iter().map(|(id, weight)| weight * self.weight(*id)).sum()
    }

    pub fn typical(&self) -> f32 {
        self.typical
    }

    /// A cosine with the topic, compared with that of a typical page.
    pub fn in_typical(&self, cosine: f32) -> f32 {
        if self.typical > 0.0 { cosine / self.typical } else { 0.0 }
    }

    /// What a term weighs that is part of the topic, or may become so.
    pub fn considered(&self, id: u64) -> Option<f32> {
        self.weights.get(&id).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The terms, the strongest first.
    pub fn terms(&self) -> Vec<(u64, f32)> {
        let weighing =
            self.weights.iter().map(|(id, weight)| (*id, *weight)).filter(|(_, weight)| *weight > 0.0);
        strongest(weighing.collect(), MOST_TERMS)
    }
}

/// What every page of the crawl has, on average; and what those of a site have that references are from: its menus are in
/// all of these, and in no page of other sites.
#[derive(Clone, Debug, Default)]
pub struct Background {
    all: Share,
    sites: IdMap<Share>,
}

#[derive(Clone, Debug, Default)]
struct Share {
    sum: IdMap<f32>,
    pages: u32,
}

impl Share {
    fn add(&mut self, page: &Vector) {
        for (id, weight) in page.terms() {
            *self.sum.entry(*id).or_default() += weight;
        }
        self.pages += 1;
    }

    /// The mean, drawn towards `prior` as if that had been seen `strength` times before.
    fn mean(&self, id: u64, prior: f32, strength: f32) -> f32 {
        let sum = self.sum.get(&id).copied().unwrap_or(0.0);
        (sum + prior * strength) / (self.pages as f32 + strength)
    }
}

impl Background {
    /// Takes in a page; only terms that may become part of the topic need to be there.
    pub fn add(&mut self, page: &Vector) {
        self.all.add(page);
    }

    /// Takes in a page of a site. Of sites that no reference is from nothing more is kept.
    pub fn add_of(&mut self, site: u64, page: &Vector, references: &References) {
        self.add(page);
        if references.sites.contains_key(&site) {
            self.sites.entry(site).or_default().add(page);
        }
    }

    pub fn pages(&self) -> u32 {
        self.all.pages
    }

    /// What is to be taken off the mean weight of a term in these pages.
    fn taken_off(&self, id: u64, references: &References) -> f32 {
        if self.pages() == 0 {
            // Nothing tells navigation from what a page is about yet.
            return if is_target(id) { f32::INFINITY } else { 0.0 };
        }
        let part = if is_target(id) { BACKGROUND_TARGETS } else { BACKGROUND };
        let everywhere = self.all.mean(id, 0.0, 0.0);
        let more = self.sites.iter().map(|(site, share)| {
            let here = share.mean(id, everywhere, SITE_PRIOR);
            references.from(*site) * (here - everywhere).max(0.0)
        });
        part * (everywhere + more.sum::<f32>())
    }
}

/// Pages that are about the topic.
#[derive(Clone, Debug, Default)]
pub struct References {
    pages: Vec<(u64, Vector)>,
    /// How many are from each site.
    sites: IdMap<u32>,
    /// Of each term the sum of its weights, and how many pages have it.
    terms: IdMap<(f32, u32)>,
    /// Terms that count more than others: those of keywords.
    boosts: IdMap<f32>,
}

impl References {
    /// These terms count so many times as much.
    pub fn boost(&mut self, terms: impl IntoIterator<Item = (u64, f32)>) {
        self.boosts.extend(terms);
    }

    fn boosted(&self, id: u64, weight: f32) -> f32 {
        weight * self.boosts.get(&id).copied().unwrap_or(1.0)
    }

    pub fn add(&mut self, page: Vector) {
        self.add_of(NO_SITE, page);
    }

    /// A page of a site.
    pub fn add_of(&mut self, site: u64, page: Vector) {
        if page.is_empty() {
            return;
        }
        for (id, weight) in page.terms() {
            let (sum, count) = self.terms.entry(*id).or_default();
            *sum += weight;
            *count += 1;
        }
        *self.sites.entry(site).or_default() += 1;
        self.pages.push((site, page));
    }

    /// The share of them that is from a site.
    fn from(&self, site: u64) -> f32 {
        let count = self.sites.get(&site).copied().unwrap_or(0);
        count as f32 / self.pages.len().max(1) as f32
    }

    pub fn len(&self) -> usize {
        self.pages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// How many pages have to have a term.
    fn least(&self) -> u32 {
        SHARED_BY.min(self.pages.len() as u32)
    }

    /// The terms that stand out from the background.
    pub fn topic(&self, background: &Background) -> Topic {
        let pages = self.pages.len().max(1) as f32;
        let shared = || self.terms.iter().filter(|(_, (_, count))| *count >= self.least());
        let outstanding = |id: u64, sum: f32| self.boosted(id, sum / pages - background.taken_off(id, self));
        let raw = shared().map(|(id, (sum, _))| (*id, outstanding(*id, *sum)));
        let raw = raw.filter(|(_, weight)| *weight > 0.0);
        let mut terms = strongest(raw.collect(), MOST_TERMS);
        let length = terms.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        terms.iter_mut().for_each(|(_, weight)| *weight /= length);
        let typical = self.typical(&terms, length, background);
        let mut weights: IdMap<f32> = shared().map(|(id, _)| (*id, 0.0)).collect();
        weights.extend(terms);
        Topic { weights, typical }
    }

    /// The mean nearness of the references, each to a topic that it had no part in.
    fn typical(&self, terms: &[(u64, f32)], length: f32, background: &Background) -> f32 {
        let weights: IdMap<f32> = terms.iter().copied().collect();
        let taken_off: IdMap<f32> =
            terms.iter().map(|(id, _)| (*id, background.taken_off(*id, self))).collect();
        let near = |page: &Vector, weight: &dyn Fn(u64, f32) -> f32| -> f32 {
            page.terms().iter().map(|(id, own)| own * weight(*id, *own)).sum()
        };
        if self.pages.len() < 2 {
            let nearness = |page| near(page, &|id, _| weights.get(&id).copied().unwrap_or(0.0));
            return CLOSENESS * self.pages.iter().map(|(_, page)| nearness(page)).sum::<f32>();
        }
        let others = (self.pages.len() - 1) as f32;
        let without = |id: u64, own: f32| match (taken_off.get(&id), self.terms.get(&id)) {
            (Some(taken_off), Some((sum, count))) if *count > SHARED_BY || self.pages.len() == 2 => {
                self.boosted(id, (sum - own) / others - taken_off).max(0.0) / length
            }
            _ => 0.0,
        };
        self.pages.iter().map(|(_, page)| near(page, &without)).sum::<f32>() / self.pages.len() as f32
    }
}

fn is_target(id: u64) -> bool {
    id & TARGET != 0
}

/// The greatest, the greatest first; of two alike the one with the smaller number.
fn strongest(mut terms: Vec<(u64, f32)>, most: usize) -> Vec<(u64, f32)> {
    terms.sort_unstable_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    terms.truncate(most);
    terms
}

#[cfg(test)]
mod tests {
    use super::{Background, References, Topic};
    use crate::text::{Language, Stems};
    use crate::vector::Vector;

    const FORUM: &str = "login register members";

    fn page(text: &str) -> Vector {
        Vector::of(text, &mut Stems::new(Language::of("en")))
    }

    fn references() -> References {
        let mut references = References::default();
        for text in ["greek debt crisis bailout", "debt bailout athens", "bailout debt troika crisis"] {
            references.add(page(&format!("{text} {FORUM}")));
        }
        references.add(Vector::default());
        references
    }

    #[test]
    fn a_topic_is_what_references_share() {
        let topic = references().topic(&Background::default());
        let near = |text: &str| topic.nearness(&page(text));
        assert!(near("debt and bailout") > near("troika in athens"));
        assert_eq!(near("troika in athens"), 0.0, "of one reference only");
        assert_eq!(references().len(), 3, "an empty page is no reference");
    }

    #[test]
    fn what_all_pages_of_a_crawl_have_is_no_part_of_a_topic() {
        let mut background = Background::default();
        let before = references().topic(&background).nearness(&page(FORUM));
        for text in ["gardening", "football", "cooking", "sailing"] {
            background.add(&page(&format!("{text} {FORUM}")));
        }
        let topic = references().topic(&background);
        assert!(before > 0.5 && topic.nearness(&page(FORUM)) < 0.1, "{before} {topic:?}");
        assert!(topic.nearness(&page("debt and bailout")) > 0.5);
    }

    #[test]
    fn what_all_pages_of_a_site_have_is_no_part_of_a_topic_even_if_no_other_site_has_it() {
        let (site, other) = (1, 2);
        let mut references = References::default();
        for text in ["greek debt crisis bailout", "debt bailout athens", "bailout debt troika crisis"] {
            references.add_of(site, page(&format!("{text} {FORUM}")));
        }
        let mut background = Background::default();
        for text in ["gardening", "football", "cooking", "sailing"] {
            background.add_of(site, &page(&format!("{text} {FORUM}")), &references);
        }
        for text in ["theatre", "opera", "cinema", "dance", "ballet", "circus", "poetry", "comedy"] {
            background.add_of(other, &page(text), &references);
        }
        let topic = references.topic(&background);
        assert!(topic.nearness(&page(FORUM)) < 0.2, "{topic:?}");
        assert!(topic.nearness(&page("debt and bailout")) > 0.5);
        assert_eq!(background.sites.len(), 1, "no reference is from the other");
    }

    #[test]
    fn a_reference_is_about_as_near_as_a_typical_page() {
        let topic = references().topic(&Background::default());
        let near = topic.nearness(&page(&format!("greek debt bailout crisis {FORUM}")));
        assert!((0.7..2.0).contains(&near), "{near}");
    }

    #[test]
    fn one_reference_is_enough_and_none_is_no_topic() {
        let mut one = References::default();
        one.add(page("greek debt crisis"));
        assert!(one.topic(&Background::default()).nearness(&page("debt crisis")) > 1.0);
        let none = References::default().topic(&Background::default());
        assert!(none.is_empty() && none.nearness(&page("debt")) == 0.0);
        assert_eq!(Topic::default().in_typical(1.0), 0.0);
    }
}
