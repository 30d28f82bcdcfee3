//! A name becomes addresses: the spec's own table first, then DNS with a bounded cache. Whether an address may be
//! dialled is `guard`'s question.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use annalist_model::spec::Network;
use annalist_model::{CanonicalUrl, Time};
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolverConfig, ResolverOpts};
use hickory_resolver::lookup_ip::LookupIp;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;

use crate::error::FetchError;
use crate::expiring::Expiring;

const SHORTEST_TTL: u32 = 60;
const LONGEST_TTL: u32 = 24 * 3600;
/// How long a name without addresses stays so.
const NEGATIVE: Duration = Duration::from_secs(300);
const CACHE_BYTES: usize = 32 << 20;
/// One host needs no more; a hostile zone could send thousands.
const MOST_ADDRESSES: usize = 16;

/// The facts of one lookup, for its WARC record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    pub name: String,
    pub addresses: Vec<IpAddr>,
    pub ttl: Duration,
    /// text/dns as archives write it: the moment in 14 digits, then one line per record: `name. ttl IN A addr`.
    pub text: String,
}

/// The addresses of a URL's host, and the lookup if there was one just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub addresses: Vec<SocketAddr>,
    pub lookup: Option<Lookup>,
}

#[derive(Clone, Debug)]
enum Answer {
    Addresses(Vec<IpAddr>),
    NoSuchName,
    /// The name exists, or IPv4 was not answered and there is nothing for IPv6: that may pass.
    NoAddresses,
}

#[derive(Debug)]
pub struct Resolver {
    own: HashMap<String, SocketAddr>,
    /// Without a usable system configuration only the spec's own names can be resolved; the reason is told then.
    dns: Result<TokioResolver, String>,
    cache: Mutex<Expiring<Box<str>, Answer>>,
    patience: Duration,
}

impl Resolver {
    /// `patience`: how long one lookup may take in all.
    pub fn new(network: &Network, patience: Duration) -> Resolver {
        let own = network.resolve.iter().map(|(name, at)| (name.to_ascii_lowercase(), *at)).collect();
        let dns = client(&network.dns_servers).map_err(|e| e.to_string());
        Resolver { own, dns, cache: Mutex::new(Expiring::new(CACHE_BYTES)), patience }
    }

    /// The addresses of the URL's host; at least one.
    pub async fn resolve(&self, url: &CanonicalUrl, now: Time) -> Result<Resolved, FetchError> {
        let name = url.host_name();
        if let Some(at) = self.own.get(name) {
            return Ok(Resolved { addresses: vec![*at], lookup: None });
        }
        let at_port = |addresses: &[IpAddr]| -> Vec<SocketAddr> {
            addresses.iter().map(|ip| SocketAddr::new(*ip, url.port())).collect()
        };
        if let Ok(literal) = name.trim_matches(['[', ']']).parse::<IpAddr>() {
            return Ok(Resolved { addresses: at_port(&[literal]), lookup: None });
        }
        match self.cached(name, now) {
            Some(Answer::Addresses(addresses)) => {
                Ok(Resolved { addresses: at_port(&addresses), lookup: None })
            }
            Some(Answer::NoSuchName) => Err(FetchError::NoSuchName(name.to_owned())),
            Some(Answer::NoAddresses) => Err(no_addresses(name)),
            None => {
                let lookup = self.look_up(name, now).await?;
                Ok(Resolved { addresses: at_port(&lookup.addresses), lookup: Some(lookup) })
            }
        }
    }

    /// An address that did not answer goes behind the name's others.
    pub fn demote(&self, url: &CanonicalUrl, address: IpAddr, now: Time) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Answer::Addresses(addresses)) = cache.get_mut(url.host_name(), now)
            && let Some(at) = addresses.iter().position(|a| *a == address)
        {
            addresses[at..].rotate_left(1);
        }
    }

    fn cached(&self, name: &str, now: Time) -> Option<Answer> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(name, now).cloned()
    }

    fn keep(&self, name: &str, answer: Answer, until: Time) {
        let bytes = name.len() + MOST_ADDRESSES * size_of::<IpAddr>();
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).put(name.into(), answer, bytes, until);
    }

    async fn look_up(&self, name: &str, now: Time) -> Result<Lookup, FetchError> {
        let dns = self.dns.as_ref().map_err(|reason| FetchError::Dns(reason.clone()))?;
        // The dot at the end keeps the machine's search domains out of it.
        let answer = tokio::time::timeout(self.patience, dns.lookup_ip(format!("{name}."))).await;
        let found = match answer {
            Err(_) => return Err(FetchError::Dns(format!("{name}: no answer in time"))),
            Ok(Err(error)) => return Err(self.failed(name, &error, now)),
            Ok(Ok(found)) => found,
        };
        let lookup = facts(name, &found, now);
        if lookup.addresses.is_empty() {
            self.keep(name, Answer::NoAddresses, now.plus(NEGATIVE));
            return Err(no_addresses(name));
        }
        self.keep(name, Answer::Addresses(lookup.addresses.clone()), now.plus(lookup.ttl));
        Ok(lookup)
    }

    fn failed(&self, name: &str, error: &NetError, now: Time) -> FetchError {
        if error.is_nx_domain() {
            self.keep(name, Answer::NoSuchName, now.plus(NEGATIVE));
            return FetchError::NoSuchName(name.to_owned());
        }
        if error.is_no_records_found() {
            self.keep(name, Answer::NoAddresses, now.plus(NEGATIVE));
            return no_addresses(name);
        }
        FetchError::Dns(format!("{name}: {error}"))
    }
}

fn no_addresses(name: &str) -> FetchError {
    FetchError::Dns(format!("{name} has no address"))
}

fn client(servers: &[SocketAddr]) -> Result<TokioResolver, NetError> {
    let mut builder = if servers.is_empty() {
        TokioResolver::builder_tokio()?
    } else {
        let config = ResolverConfig::from_name_servers(servers.iter().copied().map(name_server).collect());
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    };
    let options: &mut ResolverOpts = builder.options_mut();
    // The cache is ours: it goes by the clock that is passed in, and it is bounded in bytes.
    options.cache_size = 0;
    options.ip_strategy = LookupIpStrategy::Ipv4thenIpv6;
    options.max_active_requests = 1024;
    builder.build()
}

fn name_server(at: SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(at.ip());
    for connection in &mut server.connections {
        connection.port = at.port();
    }
    server
}

fn facts(name: &str, found: &LookupIp, now: Time) -> Lookup {
    let records = found.as_lookup().answers();
    let ttl = records.iter().map(|r| r.ttl).min().unwrap_or(0).clamp(SHORTEST_TTL, LONGEST_TTL);
    let mut text = now.digits14();
    text.push('\n');
    for record in records {
        text.push_str(&record.to_string());
        text.push('\n');
    }
    let addresses = found.iter().take(MOST_ADDRESSES).collect();
    Lookup { name: name.to_owned(), addresses, ttl: Duration::from_secs(u64::from(ttl)), text }
}

#[cfg(test)]
mod tests {
    use super::Resolver;
    use crate::error::FetchError;
    use annalist_model::spec::Network;
    use annalist_model::{CanonicalUrl, Time};
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tokio::net::UdpSocket;

    const NOW: Time = Time::from_millis(1_794_776_361_123);
    const PATIENCE: Duration = Duration::from_secs(20);

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    /// Answers every question with two addresses and a TTL of 300 s; names that begin with `no` do not exist, of those that
    /// begin with `ill` it cannot tell the IPv4 addresses, and there are no others.
    async fn name_server() -> (SocketAddr, Arc<AtomicUsize>) {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let at = socket.local_addr().unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut query = [0; 512];
            while let Ok((_, from)) = socket.recv_from(&mut query).await {
                count.fetch_add(1, Ordering::SeqCst);
                let end = 12 + query[12..].iter().position(|b| *b == 0).unwrap() + 5;
                let is_v4 = query[end - 3] == 1;
                let (code, answers) = match &query[13..16] {
                    b"ill" if is_v4 => (2, 0),
                    b"ill" => (0, 0),
                    [b'n', b'o', _] => (3, 0),
                    _ => (0, 2),
                };
                let mut reply = query[..end].to_vec();
                reply[2..12].copy_from_slice(&[0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0]);
                for last in 1..=answers {
                    reply.extend_from_slice(&[0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 8, 8, 8, last]);
                }
                socket.send_to(&reply, from).await.unwrap();
            }
        });
        (at, asked)
    }

    fn resolver(dns_servers: Vec<SocketAddr>) -> Resolver {
        let resolve = vec![("Blog.test".to_owned(), "127.0.0.2:8080".parse().unwrap())];
        Resolver::new(&Network { resolve, dns_servers, ..Network::default() }, PATIENCE)
    }

    #[tokio::test]
    async fn every_port_of_a_name_of_the_spec_goes_to_its_address() {
        let resolver = resolver(vec![]);
        for text in ["http://blog.test/", "https://blog.test/", "http://BLOG.test:99/"] {
            let resolved = resolver.resolve(&url(text), NOW).await.unwrap();
            assert_eq!(resolved.addresses, ["127.0.0.2:8080".parse().unwrap()]);
            assert_eq!(resolved.lookup, None);
        }
    }

    #[tokio::test]
    async fn an_address_needs_no_lookup() {
        let resolver = resolver(vec![]);
        let v4 = resolver.resolve(&url("https://192.0.2.7/"), NOW).await.unwrap();
        assert_eq!(v4.addresses, ["192.0.2.7:443".parse().unwrap()]);
        let v6 = resolver.resolve(&url("http://[::1]:81/"), NOW).await.unwrap();
        assert_eq!(v6.addresses, ["[::1]:81".parse().unwrap()]);
    }

    #[tokio::test]
    async fn a_lookup_is_told_once_and_remembered_for_its_ttl() {
        let (at, asked) = name_server().await;
        let resolver = resolver(vec![at]);
        let target = url("http://www.example.org:81/");
        let first = resolver.resolve(&target, NOW).await.unwrap();
        assert_eq!(first.addresses, ["8.8.8.1:81".parse().unwrap(), "8.8.8.2:81".parse().unwrap()]);
        let lookup = first.lookup.unwrap();
        assert_eq!(
            lookup.text,
            "20261115205921\nwww.example.org. 300 IN A 8.8.8.1\nwww.example.org. 300 IN A 8.8.8.2\n"
        );
        let again = resolver.resolve(&target, NOW.plus(Duration::from_secs(299))).await.unwrap();
        assert_eq!((again.addresses, again.lookup), (first.addresses, None));
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        let later = resolver.resolve(&target, NOW.plus(Duration::from_secs(300))).await.unwrap();
        assert!(later.lookup.is_some());
    }

    #[tokio::test]
    async fn a_name_that_does_not_exist_is_remembered_too() {
        let (at, asked) = name_server().await;
        let resolver = resolver(vec![at]);
        for _ in 0..3 {
            let error = resolver.resolve(&url("http://nowhere.example/"), NOW).await.unwrap_err();
            assert!(matches!(error, FetchError::NoSuchName(_)), "{error}");
        }
        // One question for IPv4, one for IPv6.
        assert!(asked.load(Ordering::SeqCst) <= 2);
    }

    #[tokio::test]
    async fn a_name_server_that_cannot_tell_does_not_say_that_there_is_no_such_name() {
        let (at, _) = name_server().await;
        let resolver = resolver(vec![at]);
        for _ in 0..2 {
            let error = resolver.resolve(&url("http://ill.example/"), NOW).await.unwrap_err();
            assert!(matches!(error, FetchError::Dns(_)), "{error}");
        }
    }

    #[tokio::test]
    async fn an_address_that_did_not_answer_goes_behind_the_others() {
        let (at, _) = name_server().await;
        let resolver = resolver(vec![at]);
        let target = url("http://www.example.org/");
        resolver.resolve(&target, NOW).await.unwrap();
        resolver.demote(&target, "8.8.8.1".parse().unwrap(), NOW);
        let resolved = resolver.resolve(&target, NOW).await.unwrap();
        assert_eq!(resolved.addresses[0], "8.8.8.2:80".parse().unwrap());
    }
}
