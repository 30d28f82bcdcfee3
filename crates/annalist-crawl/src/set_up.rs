//! From a spec to the settings of the stages, and what a start repairs. The crawl itself is in `engine.rs`.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::Disk;
use annalist_frontier::Merging;
use annalist_model::spec::{Seed, SiteOrder, Spec, Update, Words};
use annalist_sources::{SetupError, SlowLane, WebSettings, WebSource};
use annalist_warc::{RecoverReport, WriterSettings, recover};

use crate::engine::{CrawlError, LEASE_TIME, PRODUCT};
use crate::job::JobDir;

/// Links remember their seed by its number, so a resumed crawl keeps the numbers of the earlier runs; new seeds come
/// after them.
pub fn with_seeds_in_order(spec: Spec, job: &JobDir) -> Result<Spec, CrawlError> {
    let Ok(kept) = std::fs::read_to_string(job.spec()) else { return Ok(spec) };
    let no_files = |name: &str| Err(format!("{name}: a kept spec needs no files"));
    let Some(kept) = annalist_model::spec::parse(&kept, &no_files).spec else { return Ok(spec) };
    in_order_of(&kept, spec)
}

/// The spec with its seeds in the order of an earlier one's; what is new comes after them.
pub fn in_order_of(kept: &Spec, mut spec: Spec) -> Result<Spec, CrawlError> {
    // There may be very many, and this is done at every change.
    let mut places: HashMap<&str, VecDeque<usize>> = HashMap::with_capacity(spec.seeds.len());
    for (place, seed) in spec.seeds.iter().enumerate() {
        places.entry(seed.url.as_str()).or_default().push_back(place);
    }
    let mut ranks = vec![usize::MAX; spec.seeds.len()];
    for (rank, old) in kept.seeds.iter().enumerate() {
        let place = places.get_mut(old.url.as_str()).and_then(VecDeque::pop_front);
        match place.and_then(|place| ranks.get_mut(place)) {
            Some(of_seed) => *of_seed = rank,
            None => return Err(CrawlError::SeedGone { url: old.url.as_str().to_owned() }),
        }
    }
    let mut ranked: Vec<(usize, Seed)> = ranks.into_iter().zip(spec.seeds).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    spec.seeds = ranked.into_iter().map(|(_, seed)| seed).collect();
    Ok(spec)
}

/// What the start had to repair, in words.
pub fn repairs(recovered: &RecoverReport) -> Vec<String> {
    let mut told = Vec::new();
    if !recovered.closed.is_empty() || !recovered.removed.is_empty() {
        told.push(format!(
            "an earlier run was interrupted: {} files closed, {} without anything acknowledged removed, {} bytes cut",
            recovered.closed.len(),
            recovered.removed.len(),
            recovered.cut_bytes,
        ));
    }
    told.extend(
        recovered.damaged.iter().map(|d| format!("{} is damaged and left as it is: {}", d.file, d.error)),
    );
    told
}

/// `has_topic`: whether there is a judge, who combines what is said of a link himself.
pub fn frontier_settings(spec: &Spec, has_topic: bool) -> annalist_frontier::Settings {
    annalist_frontier::Settings {
        memory_bytes: spec.frontier.memory_bytes,
        order: spec.frontier.order,
        update: spec.frontier.update.unwrap_or(if has_topic { Update::Last } else { Update::Max }),
        site_order: spec.frontier.site_order.unwrap_or(if has_topic {
            SiteOrder::BestLink
        } else {
            SiteOrder::RoundRobin
        }),
        links_per_turn: spec.frontier.links_per_turn,
        lease_time: LEASE_TIME,
        // No archive has to rest.
        default_delay: if spec.extract.is_some() { Duration::ZERO } else { spec.politeness.min_delay },
        merging: Merging::Background,
    }
}

/// How servers are asked.
pub fn web_source(spec: &Spec, job: &JobDir, lane: SlowLane) -> Result<WebSource, SetupError> {
    WebSource::new(web_settings(spec, job, lane))
}

pub(crate) fn web_settings(spec: &Spec, job: &JobDir, lane: SlowLane) -> WebSettings {
    WebSettings {
        user_agent: user_agent(spec),
        from: mail_address(spec),
        rules: spec.fetch.clone(),
        network: spec.network.clone(),
        digest: spec.archive.digest,
        spool: job.spool(),
        lane,
    }
}

pub fn recover_archive(
    disk: &Arc<dyn Disk>,
    settings: &WriterSettings,
    note: Option<&[u8]>,
) -> Result<RecoverReport, CrawlError> {
    let note = note.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    let committed = |name: &str| {
        let (_, end) =
            note.lines().filter_map(|line| line.split_once('\t')).find(|(file, _)| *file == name)?;
        end.parse().ok()
    };
    Ok(recover(disk.as_ref(), settings, &committed)?)
}

pub fn writer_settings(spec: &Spec, job: &JobDir) -> WriterSettings {
    let host = host_name();
    let mut warcinfo = vec![
        ("software".to_owned(), format!("annalist/{}", env!("CARGO_PKG_VERSION"))),
        ("format".to_owned(), "WARC File Format 1.1".to_owned()),
        (
            "conformsTo".to_owned(),
            "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/".to_owned(),
        ),
        ("robots".to_owned(), spec.politeness.robots.word().to_owned()),
        ("hostname".to_owned(), host.clone()),
        ("ip".to_owned(), own_address().to_string()),
        ("http-header-user-agent".to_owned(), user_agent(spec)),
        ("isPartOf".to_owned(), spec.name.clone()),
    ];
    warcinfo.extend(mail_address(spec).map(|from| ("http-header-from".to_owned(), from)));
    warcinfo.extend(spec.operator.clone().map(|operator| ("operator".to_owned(), operator)));
    warcinfo.extend(spec.description.clone().map(|text| ("description".to_owned(), text)));
    let prefix = spec.file_prefix();
    WriterSettings {
        roll_bytes: spec.archive.roll_bytes,
        level: spec.archive.compression_level,
        digest: match spec.archive.digest {
            annalist_model::spec::DigestKind::Sha1 => annalist_warc::DigestKind::Sha1,
            annalist_model::spec::DigestKind::Sha256 => annalist_warc::DigestKind::Sha256,
        },
        warcinfo,
        ..WriterSettings::new(&job.archive(), &job.indexes(), &prefix, &host)
    }
}

pub fn host_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() { "localhost".to_owned() } else { name }
}

/// The address that servers see, as far as this machine knows; loopback where it has no way out.
fn own_address() -> IpAddr {
    // Connecting a datagram socket chooses a route and sends nothing. The address is reserved for documentation.
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0));
    let address = socket.and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    });
    address.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}

/// The name that robots.txt knows us by: the first product of our own user agent, else the program's.
pub fn product_token(spec: &Spec) -> String {
    let Some(own) = &spec.user_agent else { return PRODUCT.to_owned() };
    let own = own.split_once("compatible;").map_or(own.as_str(), |(_, rest)| rest).trim_start();
    let token: String =
        own.chars().take_while(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_')).collect();
    if token.is_empty() { PRODUCT.to_owned() } else { token }
}

/// Who we are, with where to find out more.
pub fn user_agent(spec: &Spec) -> String {
    if let Some(own) = &spec.user_agent {
        return own.clone();
    }
    let version = env!("CARGO_PKG_VERSION");
    match &spec.contact {
        Some(contact) => format!("Mozilla/5.0 (compatible; {PRODUCT}/{version}; +{contact})"),
        None => format!("Mozilla/5.0 (compatible; {PRODUCT}/{version})"),
    }
}

/// The mail address of who crawls, where the contact is one.
pub fn mail_address(spec: &Spec) -> Option<String> {
    let contact = spec.contact.as_deref()?;
    let address = contact.strip_prefix("mailto:").unwrap_or(contact);
    (address.contains('@') && !address.contains("://")).then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use annalist_model::CanonicalUrl;
    use annalist_model::spec::{Seed, Spec};

    use crate::engine::CrawlError;

    use super::{in_order_of, mail_address, product_token};

    fn of_seeds(paths: &[&str]) -> Spec {
        let url = |path: &&str| CanonicalUrl::parse(&format!("http://a.test/{path}")).unwrap();
        Spec { seeds: paths.iter().map(url).map(Seed::new).collect(), ..Spec::named("x") }
    }

    #[test]
    fn seeds_keep_their_numbers_new_ones_come_after_them_and_none_goes() {
        let kept = of_seeds(&["c", "a", "b", "a"]);
        let ordered = in_order_of(&kept, of_seeds(&["z", "a", "b", "y", "a", "c", "b"])).unwrap();
        assert_eq!(ordered.seeds, of_seeds(&["c", "a", "b", "a", "z", "y", "b"]).seeds);
        for gone in [&["a", "b", "a"][..], &["c", "a", "b"]] {
            assert!(matches!(in_order_of(&kept, of_seeds(gone)), Err(CrawlError::SeedGone { .. })));
        }
    }

    #[test]
    fn a_contact_may_be_a_mail_address() {
        let mail =
            |contact: &str| mail_address(&Spec { contact: Some(contact.to_owned()), ..Spec::named("x") });
        for contact in ["crawler@library.example", "mailto:crawler@library.example"] {
            assert_eq!(mail(contact).as_deref(), Some("crawler@library.example"));
        }
        assert_eq!(mail("https://library.example/@crawler"), None);
    }

    #[test]
    fn robots_txt_knows_us_by_the_name_in_our_user_agent() {
        let token = |agent: Option<&str>| {
            product_token(&Spec { user_agent: agent.map(str::to_owned), ..Spec::named("x") })
        };
        assert_eq!(token(None), "annalist");
        assert_eq!(token(Some("MyBot/1.0 (+https://me.example/)")), "MyBot");
        assert_eq!(
            token(Some("Mozilla/5.0 (compatible; library-bot/2; +https://me.example/)")),
            "library-bot"
        );
        assert_eq!(token(Some("12")), "annalist");
    }
}
