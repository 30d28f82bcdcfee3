//! What the archivist wrote: the spec, checked.
//!
//! - `parse`: TOML becomes a spec, or a list of everything that is wrong with it; `write` is the way back
//! - `seeds`: seeds in the spec and in files of their own
//! - `keys`: every key, defined once; `table`, `value`, `shape`: how such definitions are read and written
//! - `duration`, `size`, `words`: how single values are spelt
//! - `notes`: collecting mistakes
//!
//! Not here: opening files (they come in as a function), and the meaning of scope expressions.

mod contact;
pub mod duration;
mod keys;
mod knowledge;
mod notes;
mod parse;
mod quantity;
mod seeds;
mod shape;
pub mod size;
mod table;
mod value;
mod words;
mod write;

#[cfg(test)]
mod tests;

pub use keys::{KeyDoc, host_name, keys, network_of};
pub use knowledge::{KnowledgeRules, RemoteRules, StudyRules};
pub use parse::{Parsed, line_of_key, parse, parse_extract};
pub use seeds::{SeedFile, SeedFileMistake, parse_seed_file};
pub use words::Words;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::score::Score;
use crate::time::Time;
use crate::url::{CanonicalUrl, Canonicaliser};

/// What is to be remembered, and how to behave while fetching it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    pub name: String,
    /// Where a webmaster finds out who crawls; part of the user agent. Needed for the live web.
    pub contact: Option<String>,
    /// The whole user agent, when the default will not do.
    pub user_agent: Option<String>,
    pub description: Option<String>,
    pub operator: Option<String>,
    /// Whether applications are recognised.
    pub apps: bool,
    /// Folders of descriptions of applications.
    pub catalogue: Vec<String>,
    pub seeds: Vec<Seed>,
    pub topic: Topic,
    pub event: Option<Event>,
    pub scope: ScopeRules,
    pub limits: Limits,
    pub politeness: Politeness,
    pub fetch: FetchRules,
    pub network: Network,
    pub judge: JudgeRules,
    pub frontier: FrontierRules,
    pub archive: ArchiveRules,
    pub knowledge: KnowledgeRules,
    pub study: StudyRules,
    /// Where the collection comes from, when it is no crawl of the live web.
    pub extract: Option<ExtractRules>,
    pub canonical: Canonicaliser,
    pub sites: Vec<SiteRules>,
}

impl Spec {
    /// A spec with nothing but a name and the defaults.
    pub fn named(name: &str) -> Spec {
        Spec {
            name: name.to_owned(),
            contact: None,
            user_agent: None,
            description: None,
            operator: None,
            apps: true,
            catalogue: Vec::new(),
            seeds: Vec::new(),
            topic: Topic::default(),
            event: None,
            scope: ScopeRules::default(),
            limits: Limits::default(),
            politeness: Politeness::default(),
            fetch: FetchRules::default(),
            network: Network::default(),
            judge: JudgeRules::default(),
            frontier: FrontierRules::default(),
            archive: ArchiveRules::default(),
            knowledge: KnowledgeRules::default(),
            study: StudyRules::default(),
            extract: None,
            canonical: Canonicaliser::default(),
            sites: Vec::new(),
        }
    }

    /// First part of the WARC files' names: letters, digits, `-` and `_` only. Names in other alphabets are told apart
    /// by a number at the end.
    pub fn file_prefix(&self) -> String {
        let name = self.archive.prefix.as_deref().unwrap_or(&self.name);
        let plain: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        if name.is_ascii() { plain } else { format!("{plain}{:08x}", crate::url::site_key(name) as u32) }
    }

    /// The folder of a crawl that was given none: the name itself, as far as it is one for a folder.
    pub fn folder_name(&self) -> String {
        let name: String =
            self.name.chars().map(|c| if c.is_control() || c == '/' { '-' } else { c }).collect();
        let name = name.trim_start_matches('.').trim();
        if name.is_empty() { "crawl".to_owned() } else { name.to_owned() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Seed {
    pub url: CanonicalUrl,
    pub scope: ScopeKind,
    /// Clicks from this seed; the scope's own limit when absent.
    pub depth: Option<u16>,
    /// Pages that descend from this seed.
    pub pages: Option<u64>,
    /// Bytes received for pages that descend from it.
    pub size_bytes: Option<u64>,
    /// How long pages that descend from it are fetched, in each run.
    pub time: Option<Duration>,
    /// How often the seed is visited again while the crawl runs.
    pub recrawl: Option<Duration>,
    pub score: Score,
}

impl Seed {
    /// A seed with the defaults: its host is its scope, and it comes first.
    pub fn new(url: CanonicalUrl) -> Seed {
        Seed {
            url,
            scope: ScopeKind::default(),
            depth: None,
            pages: None,
            size_bytes: None,
            time: None,
            recrawl: None,
            score: Score::ONE,
        }
    }
}

/// How far a seed's scope reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScopeKind {
    /// The seed and what it embeds.
    Page,
    /// Everything below the seed's folder.
    Prefix,
    /// Everything on the seed's host, http and https alike.
    #[default]
    Host,
    /// Everything on the seed's site.
    Domain,
    /// Everything.
    Any,
    /// Nothing but the seed: the rest is left to `include` expressions and SURT prefixes.
    Custom,
}

/// What the collection is about. The judge makes a definition of it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Topic {
    pub keywords: Vec<String>,
    pub references: Vec<String>,
    pub languages: Vec<String>,
    pub entities: Vec<Entity>,
}

impl Topic {
    /// Whether it says what pages should be about; languages alone do not.
    pub fn is_given(&self) -> bool {
        !(self.keywords.is_empty() && self.references.is_empty() && self.entities.is_empty())
    }
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Entity {
    pub name: String,
    pub aliases: Vec<String>,
    /// Where the archivist says nothing, a study finds out.
    pub kind: Option<EntityKind>,
}

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntityKind {
    Person,
    Place,
    Organisation,
}

/// When it happened. Dates are days; `until` includes its whole day.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub from: jiff::civil::Date,
    pub until: jiff::civil::Date,
    /// Half-life of relevance before the event.
    pub lead: Duration,
    /// Half-life of relevance after it.
    pub cooldown: Duration,
    /// What a page's content and its time make of it together.
    pub relevance: RelevanceKind,
    /// Of the content, where relevance is the mean of both.
    pub weight: f64,
}

/// What makes a page relevant to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum RelevanceKind {
    /// Content and time together, in the form that agreed best with people.
    #[default]
    Default,
    Content,
    Time,
    /// The weighted mean of content and time.
    Mean,
    /// Nothing: the crawl is unfocused.
    None,
}

impl Event {
    /// The first moment of the first day.
    pub fn begins(&self) -> Time {
        midnight(self.from)
    }

    /// The last moment of the last day.
    pub fn ends(&self) -> Time {
        let after = self.until.tomorrow().unwrap_or(self.until);
        Time::from_millis(midnight(after).millis().saturating_sub(1))
    }
}

fn midnight(day: jiff::civil::Date) -> Time {
    let moment = jiff::tz::Offset::UTC.to_timestamp(day.at(0, 0, 0, 0));
    Time::from_millis(moment.map_or(0, |at| u64::try_from(at.as_millisecond()).unwrap_or(0)))
}

/// What is fetched and what is not, beyond the seeds' own scopes.
#[derive(Clone, Debug, PartialEq)]
pub struct ScopeRules {
    /// A link that any of these holds for is in scope, even outside of every seed's scope.
    pub include: Vec<Expression>,
    /// A link that any of these holds for is never fetched.
    pub exclude: Vec<Expression>,
    /// SURT prefixes that are in scope: `http://(org,example,`.
    pub surts: Vec<String>,
    /// Clicks from the seed.
    pub depth: Option<u16>,
    /// How many hops beyond the scope are still fetched.
    pub extra_hops: u16,
    /// Whether what a page embeds is fetched with it, wherever it is.
    pub embeds: bool,
    /// Whether sitemaps named in robots.txt, and /sitemap.xml, are read.
    pub sitemaps: bool,
    /// Sites that are never asked.
    pub blocked_sites: Vec<String>,
    /// Whether only seeds and injected addresses are fetched, and the crawl waits for more of them.
    pub only_injected: bool,
}

impl Default for ScopeRules {
    fn default() -> Self {
        ScopeRules {
            include: Vec::new(),
            exclude: Vec::new(),
            surts: Vec::new(),
            depth: None,
            extra_hops: 0,
            embeds: true,
            sitemaps: true,
            blocked_sites: Vec::new(),
            only_injected: false,
        }
    }
}

/// An expression of the spec with where it stands, so that a mistake in it can be pointed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    pub text: String,
    /// `scope.include[0]`
    pub key: String,
    pub line: usize,
}

/// When a crawl ends. Absent means without limit.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Limits {
    pub pages: Option<u64>,
    pub size_bytes: Option<u64>,
    pub time: Option<Duration>,
    pub site_pages: Option<u64>,
    pub site_size_bytes: Option<u64>,
}

/// How servers are treated.
#[derive(Clone, Debug, PartialEq)]
pub struct Politeness {
    pub min_delay: Duration,
    pub max_delay: Duration,
    /// The delay is this many times the last download's time, between the two bounds.
    pub delay_factor: f64,
    /// A longer Crawl-delay in robots.txt is cut to this.
    pub max_crawl_delay: Duration,
    pub robots: RobotsPolicy,
}

impl Default for Politeness {
    fn default() -> Self {
        Politeness {
            min_delay: Duration::from_secs(3),
            max_delay: Duration::from_secs(30),
            delay_factor: 5.0,
            max_crawl_delay: Duration::from_secs(300),
            robots: RobotsPolicy::Obey,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RobotsPolicy {
    /// robots.txt, meta robots and nofollow.
    #[default]
    Obey,
    /// robots.txt only.
    RobotsOnly,
    Ignore,
}

/// Limits of one fetch.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchRules {
    /// Longer responses are cut and marked.
    pub max_size_bytes: u64,
    /// A fetch is cut after this long, whatever came.
    pub max_time: Duration,
    pub connect_timeout: Duration,
    /// Nothing received for this long: the server is gone.
    pub idle_timeout: Duration,
    /// A server slower than this for `slow_after` is cut off; 0 = never.
    pub min_bytes_per_second: u64,
    pub slow_after: Duration,
    pub max_header_bytes: usize,
    /// How much of a body is decoded and read for links.
    pub max_read_bytes: usize,
    pub max_redirects: u16,
    /// How often a link is tried in all.
    pub tries: u16,
    /// Wait before the second try; doubles each time.
    pub retry_delay: Duration,
    /// Certificates that do not check out: refuse, or archive and record the fact.
    pub bad_certificates: BadCertificates,
    pub cookies: bool,
}

impl Default for FetchRules {
    fn default() -> Self {
        FetchRules {
            max_size_bytes: 256 << 20,
            max_time: Duration::from_secs(20 * 60),
            connect_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_secs(30),
            min_bytes_per_second: 256,
            slow_after: Duration::from_secs(60),
            max_header_bytes: 64 << 10,
            max_read_bytes: 8 << 20,
            max_redirects: 10,
            tries: 4,
            retry_delay: Duration::from_secs(60),
            bad_certificates: BadCertificates::Archive,
            cookies: true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BadCertificates {
    #[default]
    Archive,
    Refuse,
}

/// Which addresses may be dialled.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Network {
    /// Non-public networks that are allowed all the same.
    pub allow: Vec<ipnet::IpNet>,
    /// Names with an address of their own, in place of DNS: every port of that name goes there.
    pub resolve: Vec<(String, SocketAddr)>,
    pub dns_servers: Vec<SocketAddr>,
}

impl Network {
    /// Whether the host name stands for a loopback address or one in an allowed network, without asking DNS.
    pub fn is_own(&self, host_name: &str) -> bool {
        let resolved = self.resolve.iter().find(|(name, _)| name == host_name).map(|(_, a)| a.ip());
        let literal = host_name.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        let address = resolved.or(literal);
        address.is_some_and(|ip| ip.is_loopback() || self.allow.iter().any(|net| net.contains(&ip)))
    }
}

/// How pages and links are judged, where there is a topic.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeRules {
    pub scorer: ScorerKind,
    /// The share of pages fetched to see what is there.
    pub exploration: f64,
    /// Pages fetched in one order before links are put into a new one.
    pub greediness: u32,
    /// What is left of a link's distance signal after each irrelevant page.
    pub tunnel_decay: f64,
    /// Waiting links whose score may still change.
    pub remembered_links: usize,
    /// Host names or parts of addresses that are never worth anything.
    pub spam: Vec<String>,
    /// How much signals count; 1 when not named.
    pub weights: Vec<(String, f64)>,
    pub patterns: Vec<UrlPattern>,
}

impl Default for JudgeRules {
    fn default() -> Self {
        JudgeRules {
            scorer: ScorerKind::Learned,
            exploration: 0.0,
            greediness: 1,
            tunnel_decay: 0.7,
            remembered_links: 500_000,
            spam: Vec::new(),
            weights: Vec::new(),
            patterns: Vec::new(),
        }
    }
}

/// The signals that speak for or against a link. The judge finds them.
pub const SIGNALS: [&str; 13] = [
    "siblings",
    "best_siblings",
    "words",
    "context",
    "anchor",
    "address",
    "part",
    "page",
    "entities",
    "pattern",
    "site",
    "in_links",
    "distance",
];

/// How signals become a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScorerKind {
    /// Their weights adapt to what links turn out to be.
    #[default]
    Learned,
    /// The weighted mean of those that have something to say.
    Weighted,
}

/// What addresses of a shape are worth.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct UrlPattern {
    /// `*` stands for anything.
    pub url: String,
    pub score: f64,
}

/// In which order links are fetched, and what the frontier may use.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontierRules {
    pub order: Order,
    /// What becomes of the scores of one link; the judge combines them when absent.
    pub update: Option<Update>,
    pub site_order: Option<SiteOrder>,
    /// `bl`: links of one site in one turn.
    pub links_per_turn: u16,
    pub memory_bytes: u64,
    /// Visits in flight at once.
    pub visits: usize,
    /// Threads that read pages.
    pub reading_threads: usize,
}

impl Default for FrontierRules {
    fn default() -> Self {
        FrontierRules {
            order: Order::BestFirst,
            update: None,
            site_order: None,
            links_per_turn: 5,
            memory_bytes: 512 << 20,
            visits: 256,
            reading_threads: 2,
        }
    }
}

/// Which link of a site comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    #[default]
    BestFirst,
    BreadthFirst,
    /// Most pages that link to it.
    InDegree,
    /// Most cash received (online page importance).
    Opic,
}

/// What becomes of the scores one link receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Update {
    First,
    Last,
    #[default]
    Max,
    Sum,
    Avg,
}

/// Which site comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SiteOrder {
    #[default]
    RoundRobin,
    /// The site whose best link is best.
    BestLink,
    /// The site with most links waiting.
    Largest,
}

/// How captures are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchiveRules {
    /// First part of the WARC files' names; the spec's name when absent.
    pub prefix: Option<String>,
    pub roll_bytes: u64,
    pub digest: DigestKind,
    pub compression_level: u8,
}

impl Default for ArchiveRules {
    fn default() -> Self {
        ArchiveRules {
            prefix: None,
            roll_bytes: 1_000_000_000,
            digest: DigestKind::Sha1,
            compression_level: 6,
        }
    }
}

/// A collection out of archives that are there already.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExtractRules {
    /// WARC files, folders of them, indexes, addresses of CDX servers.
    pub archives: Vec<String>,
    /// Where the WARC files are that indexes name, when they are not near the index.
    pub warcs: Vec<String>,
    pub snapshot: SnapshotChoice,
}

/// Which of an address's snapshots belong to the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SnapshotChoice {
    /// The earliest within the event, else the one nearest to it; the newest where there is no event.
    #[default]
    Event,
    Newest,
    Oldest,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DigestKind {
    #[default]
    Sha1,
    Sha256,
}

/// What is different for one site (pay-level domain) or host name.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SiteRules {
    pub site: String,
    pub min_delay: Option<Duration>,
    pub max_delay: Option<Duration>,
    pub delay_factor: Option<f64>,
    pub robots: Option<RobotsPolicy>,
    pub pages: Option<u64>,
    pub size_bytes: Option<u64>,
    pub depth: Option<u16>,
    pub blocked: bool,
}

/// A mistake in a spec: where, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line in the spec, from 1; 0 when it has no place there.
    pub line: usize,
    /// `politeness.min_delay`
    pub key: String,
    pub message: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.key, self.message),
            line => write!(f, "line {line}: {}: {}", self.key, self.message),
        }
    }
}
