//! What the synthetic web is made of. How it is served (port, threads, delays) is in `server/options.rs`.

use crate::hazards::Hazard;

/// Whether blogs and forums link to the views of the same content that real software offers: print views,
/// sort orders, reply forms, profiles, archives, session ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Junk {
    #[default]
    Off,
    On,
}

/// The whole description of a world: equal configurations give equal bytes.
///
/// A share is a number in [0, 1]; values outside are taken as the nearest end.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldConfig {
    pub seed: u64,
    /// Healthy hosts. Hazard hosts come on top, so that switching them on changes no healthy page.
    pub hosts: usize,
    /// Articles, blog posts and threads over all healthy hosts; home pages, lists and further pages of a thread
    /// come on top. Every host has at least one, so there are never fewer than `hosts`.
    pub pages: usize,
    /// Mean size of an article, post or thread page.
    pub page_bytes: usize,
    /// Links from an article or post, without navigation.
    pub links_per_page: usize,
    /// How many of the known topics are used.
    pub topics: usize,
    /// Loopback addresses that the healthy hosts share. Hazard hosts have as many of their own.
    pub addresses: usize,
    pub images_per_host: usize,
    /// Which hazards there are; each hazard host has one of them, in turn.
    pub hazards: Vec<Hazard>,
    /// Share of hazard hosts among all hosts, where `hazards` is not empty. At least one host per hazard.
    pub hazard_share: f64,
    /// Share of pages that can be had under a second address with the same body.
    pub duplicates: f64,
    /// Share of pages whose list links to a redirect that leads to them.
    pub redirects: f64,
    /// Share of pages that link to a page which is not there (404).
    pub broken_links: f64,
    /// Share of pages that link to a host outside of this web.
    pub outside_links: f64,
    /// Share of links whose anchor says "click here" and the like.
    pub vague_anchors: f64,
    /// Share of links whose anchor is about another topic than their target.
    pub lying_anchors: f64,
    /// Share of links that stay within the page's topic.
    pub topical_locality: f64,
    /// Share of hosts with Disallow rules in robots.txt.
    pub robots_rules: f64,
    /// Share of pages, on hosts with rules, that robots.txt forbids.
    pub forbidden: f64,
    /// Share of hosts that ask for a Crawl-delay.
    pub crawl_delays: f64,
    pub crawl_delay_seconds: f64,
    /// Share of hosts that announce a sitemap.
    pub sitemaps: f64,
    /// Share of hosts in another charset than UTF-8, always labelled right.
    pub charsets: f64,
    /// Share of hosts that compress their pages when asked to. Compressing costs more than making a page.
    pub gzip: f64,
    /// Share of pages sent in chunks.
    pub chunked: f64,
    /// Share of hosts where some pages fail at first: 503 twice, or a reset connection once.
    pub flaky: f64,
    pub junk: Junk,
    /// Whether the pages write about a society that is known: people, places, organisations, opinions, happenings.
    /// Languages are then more even, and sentences are sentences.
    pub society: bool,
}

impl Default for WorldConfig {
    /// A small web for tests.
    fn default() -> Self {
        WorldConfig {
            seed: 1,
            hosts: 20,
            pages: 500,
            page_bytes: 4_000,
            links_per_page: 10,
            topics: 8,
            addresses: 8,
            images_per_host: 3,
            hazards: Vec::new(),
            hazard_share: 1.0 / 3.0,
            duplicates: 0.05,
            redirects: 0.05,
            broken_links: 0.02,
            outside_links: 0.0,
            vague_anchors: 0.1,
            lying_anchors: 0.0,
            topical_locality: 0.7,
            robots_rules: 0.5,
            forbidden: 0.06,
            crawl_delays: 0.1,
            crawl_delay_seconds: 0.05,
            sitemaps: 0.5,
            charsets: 0.15,
            gzip: 0.3,
            chunked: 0.25,
            flaky: 0.0,
            junk: Junk::Off,
            society: false,
        }
    }
}

impl WorldConfig {
    /// How many hazard hosts there are, so that their share among all hosts is as wished.
    pub fn hazard_hosts(&self) -> usize {
        if self.hazards.is_empty() {
            return 0;
        }
        let share = self.hazard_share.clamp(0.0, 0.95);
        let wished = (self.hosts.max(1) as f64 * share / (1.0 - share)).round() as usize;
        wished.max(self.hazards.len())
    }
}

#[cfg(test)]
mod tests {
    use super::WorldConfig;
    use crate::hazards::Hazard;

    #[test]
    fn one_third_of_all_hosts_are_hazards_when_asked_for() {
        let config = WorldConfig {
            hosts: 200,
            hazards: vec![Hazard::Tarpit],
            hazard_share: 1.0 / 3.0,
            ..WorldConfig::default()
        };
        assert_eq!(config.hazard_hosts(), 100);
        assert_eq!(WorldConfig::default().hazard_hosts(), 0);
    }
}
