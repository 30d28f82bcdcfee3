//! Which hosts there are, of what kind, how large, and on which address. What a host's pages are is in `item.rs`
//! and `pages/`.

use std::collections::HashMap;

use crate::charset::Charset;
use crate::config::WorldConfig;
use crate::dice::Dice;
use crate::hazards::Hazard;
use crate::words::{Language, TOPICS};

/// A home page links to this many further hosts, so that every host is found from the seeds.
const CHILD_HOSTS: usize = 6;
/// No host has more than this many times the mean number of pages.
const LARGEST_HOST: f64 = 8.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostKind {
    News,
    Blog,
    Forum,
    Hazard(Hazard),
}

/// What a host's robots.txt says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsKind {
    /// 404: all is allowed.
    Absent,
    /// There, and forbids nothing that is linked.
    Open,
    /// Forbids `/private/`.
    Rules,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapKind {
    Absent,
    Single,
    /// An index of parts, every second one gzipped.
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeedKind {
    Rss,
    Atom,
}

/// One virtual host. Only the layout writes it.
#[derive(Clone, Debug)]
pub struct Host {
    pub number: usize,
    pub name: String,
    pub kind: HostKind,
    pub topic: usize,
    pub language: Language,
    pub charset: Charset,
    pub robots: RobotsKind,
    pub crawl_delay: Option<f64>,
    pub sitemap: SitemapKind,
    /// Articles, posts or threads.
    pub items: usize,
    pub images: usize,
    /// Whether pages are compressed for those who ask.
    pub gzip: bool,
    /// Whether some pages fail at first.
    pub flaky: bool,
    /// Whether links are written relative to a `<base>`.
    pub(crate) base: bool,
    pub(crate) feed: FeedKind,
    /// Index into the addresses of healthy or of hazard hosts.
    pub(crate) address: usize,
}

impl Host {
    pub fn is_healthy(&self) -> bool {
        !matches!(self.kind, HostKind::Hazard(_))
    }

    /// The pay-level domain: all names of this web have three labels.
    pub fn site(&self) -> &str {
        site_of(&self.name)
    }

    /// Sections of a news host, boards of a forum; a blog is one list.
    pub(crate) fn lists(&self) -> usize {
        match self.kind {
            HostKind::News => (self.items / 30).clamp(1, 4),
            HostKind::Forum => (self.items / 40).clamp(1, 12),
            HostKind::Blog | HostKind::Hazard(_) => 1,
        }
    }

    /// How many items a list has: items go round the lists in turn.
    pub(crate) fn list_length(&self, list: usize) -> usize {
        (self.items + self.lists() - 1).saturating_sub(list) / self.lists()
    }

    pub(crate) fn items_per_list_page(&self) -> usize {
        match self.kind {
            HostKind::Blog => 10,
            _ => 20,
        }
    }

    pub(crate) fn list_pages(&self, list: usize) -> usize {
        self.list_length(list).div_ceil(self.items_per_list_page()).max(1)
    }
}

/// The pay-level domain of a name of this web.
pub(crate) fn site_of(name: &str) -> &str {
    let mut dots = name.rmatch_indices('.').map(|(at, _)| at);
    dots.nth(1).and_then(|at| name.get(at + 1..)).unwrap_or(name)
}

/// All hosts, healthy ones first.
pub(crate) struct Layout {
    pub(crate) hosts: Vec<Host>,
    pub(crate) healthy: usize,
    pub(crate) seeds: usize,
    by_name: HashMap<String, usize>,
    /// Healthy hosts by topic.
    by_topic: Vec<Vec<usize>>,
}

impl Layout {
    pub(crate) fn new(config: &WorldConfig) -> Layout {
        let healthy = config.hosts.max(1);
        let mut hosts = healthy_hosts(config, healthy);
        hosts.extend(hazard_hosts(config, healthy));
        let by_name = hosts.iter().map(|host| (host.name.clone(), host.number)).collect();
        let mut by_topic = vec![Vec::new(); TOPICS];
        for host in hosts.iter().take(healthy) {
            if let Some(row) = by_topic.get_mut(host.topic) {
                row.push(host.number);
            }
        }
        Layout { hosts, healthy, seeds: (healthy / 20).clamp(1, 32), by_name, by_topic }
    }

    /// Names are compared without case and port.
    pub(crate) fn find(&self, name: &str) -> Option<&Host> {
        let name = name.split(':').next().unwrap_or_default();
        let number = match self.by_name.get(name) {
            Some(number) => *number,
            None => *self.by_name.get(&name.to_ascii_lowercase())?,
        };
        self.hosts.get(number)
    }

    pub(crate) fn healthy_hosts(&self) -> &[Host] {
        self.hosts.get(..self.healthy).unwrap_or_default()
    }

    pub(crate) fn of_topic(&self, topic: usize) -> &[usize] {
        self.by_topic.get(topic).map(Vec::as_slice).unwrap_or_default()
    }

    /// The hosts that this host's home page leads to.
    pub(crate) fn children(&self, host: &Host) -> &[Host] {
        let first = self.seeds.saturating_add(host.number.saturating_mul(CHILD_HOSTS));
        let last = first.saturating_add(CHILD_HOSTS).min(self.healthy);
        self.hosts.get(first.min(last)..last).unwrap_or_default()
    }
}

fn healthy_hosts(config: &WorldConfig, healthy: usize) -> Vec<Host> {
    let sizes = host_sizes(config, healthy);
    let mut dice = Dice::new(&[config.seed, 0x1a40]);
    let mut hosts = Vec::with_capacity(healthy);
    let mut site = 0;
    while hosts.len() < healthy {
        site += 1;
        let members = [1, 1, 2, 3][dice.below(4)];
        let topic = site % config.topics.clamp(1, TOPICS);
        let drawn = site_language(site, &mut dice);
        let language = if config.society { SOCIETY_LANGUAGES[site % SOCIETY_LANGUAGES.len()] } else { drawn };
        for position in 0..members {
            let number = hosts.len();
            let Some(items) = sizes.get(number) else { break };
            hosts.push(healthy_host(config, Place { number, site, position }, topic, language, *items));
        }
    }
    hosts
}

/// Of the sites in turn, where there is a society: enough of each to tell it by.
const SOCIETY_LANGUAGES: [Language; 5] =
    [Language::English, Language::German, Language::English, Language::French, Language::Greek];

/// Most sites are English; the first ones always.
fn site_language(site: usize, dice: &mut Dice) -> Language {
    match (site, dice.below(20)) {
        (0..=2, _) | (_, 0..13) => Language::English,
        (_, 13..16) => Language::German,
        (_, 16..18) => Language::French,
        _ => Language::Greek,
    }
}

#[derive(Clone, Copy)]
struct Place {
    number: usize,
    site: usize,
    /// Among the hosts of its site.
    position: usize,
}

fn healthy_host(config: &WorldConfig, place: Place, topic: usize, language: Language, items: usize) -> Host {
    let mut dice = Dice::new(&[config.seed, 0x4057, place.number as u64]);
    let kind = host_kind(place.number, &mut dice);
    let topic = if dice.chance(0.85) { topic } else { dice.below(config.topics.clamp(1, TOPICS)) };
    let robots = match dice.chance(config.robots_rules) {
        true => RobotsKind::Rules,
        false if dice.chance(0.5) => RobotsKind::Open,
        false => RobotsKind::Absent,
    };
    let sitemap = match dice.chance(config.sitemaps) && robots != RobotsKind::Absent {
        true if dice.below(3) == 0 => SitemapKind::Index,
        true => SitemapKind::Single,
        false => SitemapKind::Absent,
    };
    let delayed = dice.chance(config.crawl_delays) && robots != RobotsKind::Absent;
    Host {
        number: place.number,
        name: host_name(kind, place),
        kind,
        topic,
        language,
        charset: Charset::for_host(config.charsets, language, &mut dice),
        robots,
        crawl_delay: delayed.then_some(config.crawl_delay_seconds),
        sitemap,
        items,
        images: config.images_per_host,
        gzip: dice.chance(config.gzip),
        flaky: dice.chance(config.flaky),
        base: dice.below(8) == 0,
        feed: if dice.below(2) == 0 { FeedKind::Rss } else { FeedKind::Atom },
        address: place.number % config.addresses.max(1),
    }
}

/// The first three hosts are one of each kind, so that the smallest web has them all.
fn host_kind(number: usize, dice: &mut Dice) -> HostKind {
    match (number, dice.below(20)) {
        (0, _) => HostKind::News,
        (1, _) => HostKind::Blog,
        (2, _) => HostKind::Forum,
        (_, 0..11) => HostKind::News,
        (_, 11..16) => HostKind::Blog,
        _ => HostKind::Forum,
    }
}

fn host_name(kind: HostKind, place: Place) -> String {
    let Place { site, position, .. } = place;
    let label = match kind {
        HostKind::News if position == 0 => "www",
        HostKind::News => "news",
        HostKind::Blog => "blog",
        HostKind::Forum => "forum",
        HostKind::Hazard(hazard) => hazard.name(),
    };
    match position {
        0 => format!("{label}.example{site}.test"),
        _ => format!("{label}{}.example{site}.test", position + 1),
    }
}

/// Sizes fall like Zipf's law over shuffled ranks, but no host is enormous and none is empty.
fn host_sizes(config: &WorldConfig, healthy: usize) -> Vec<usize> {
    let mut ranks: Vec<usize> = (0..healthy).collect();
    ranks.sort_by_key(|number| Dice::new(&[config.seed, 0x512e, *number as u64]).next());
    let mut weights = vec![0.0; healthy];
    for (rank, number) in ranks.iter().enumerate() {
        if let Some(weight) = weights.get_mut(*number) {
            *weight = 1.0 / (rank as f64 + 4.0).powf(0.7);
        }
    }
    let mean = config.pages as f64 / healthy as f64;
    let total: f64 = weights.iter().sum();
    let mut sizes: Vec<usize> = weights
        .iter()
        .map(|weight| (weight / total * config.pages as f64).min(mean * LARGEST_HOST).max(1.0) as usize)
        .collect();
    spread_rest(&mut sizes, config.pages);
    sizes
}

/// Rounding and the bound leave a difference: it is taken from or given to the hosts in turn.
fn spread_rest(sizes: &mut [usize], pages: usize) {
    let pages = pages.max(sizes.len());
    let mut total: usize = sizes.iter().sum();
    while total != pages {
        for size in sizes.iter_mut() {
            if total < pages {
                *size += 1;
                total += 1;
            } else if total > pages && *size > 1 {
                *size -= 1;
                total -= 1;
            }
        }
    }
}

fn hazard_hosts(config: &WorldConfig, first_number: usize) -> Vec<Host> {
    let count = config.hazard_hosts();
    let kinds = config.hazards.iter().copied().cycle().take(count);
    kinds
        .enumerate()
        .map(|(place, hazard)| Host {
            number: first_number + place,
            name: format!("{}.trap{}.test", hazard.name(), place + 1),
            kind: HostKind::Hazard(hazard),
            topic: place % config.topics.clamp(1, TOPICS),
            language: Language::English,
            charset: Charset::Utf8,
            robots: RobotsKind::Absent,
            crawl_delay: None,
            sitemap: SitemapKind::Absent,
            items: 0,
            images: 0,
            gzip: false,
            flaky: false,
            base: false,
            feed: FeedKind::Rss,
            address: place % config.addresses.max(1),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{HostKind, Layout, site_of};
    use crate::config::WorldConfig;
    use crate::hazards::Hazard;

    #[test]
    fn hosts_have_names_of_their_own_and_all_pages_between_them() {
        let layout = Layout::new(&WorldConfig { hosts: 300, pages: 9000, ..WorldConfig::default() });
        let names: HashSet<&str> = layout.hosts.iter().map(|host| host.name.as_str()).collect();
        assert_eq!(names.len(), 300);
        assert_eq!(layout.hosts.iter().map(|host| host.items).sum::<usize>(), 9000);
        assert!(layout.hosts.iter().all(|host| (1..=8 * 30 + 1).contains(&host.items)));
    }

    #[test]
    fn every_host_is_a_seed_or_somebodys_child() {
        let layout = Layout::new(&WorldConfig { hosts: 333, ..WorldConfig::default() });
        let mut found: HashSet<usize> = (0..layout.seeds).collect();
        for host in layout.healthy_hosts() {
            assert!(found.contains(&host.number), "children come after their parents");
            found.extend(layout.children(host).iter().map(|child| child.number));
        }
        assert_eq!(found.len(), 333);
    }

    #[test]
    fn hazards_leave_the_healthy_hosts_as_they_are() {
        let calm = Layout::new(&WorldConfig::default());
        let wild = Layout::new(&WorldConfig { hazards: Hazard::ALL.to_vec(), ..WorldConfig::default() });
        assert_eq!(format!("{:?}", calm.healthy_hosts()), format!("{:?}", wild.healthy_hosts()));
        let hazards = wild.hosts.iter().filter(|host| matches!(host.kind, HostKind::Hazard(_))).count();
        assert!(hazards >= Hazard::ALL.len());
    }

    #[test]
    fn a_name_is_found_with_port_and_in_any_case() {
        let layout = Layout::new(&WorldConfig::default());
        let name = layout.hosts[0].name.clone();
        assert_eq!(layout.find(&format!("{}:8080", name.to_uppercase())).unwrap().number, 0);
        assert!(layout.find("nobody.test").is_none());
        assert_eq!(site_of("blog2.example7.test"), "example7.test");
    }
}
