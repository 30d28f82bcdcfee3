//! The keys that say how servers are treated: politeness, the limits of one fetch, and which addresses may be dialled.

use std::net::{IpAddr, SocketAddr};

use super::reach::host_name;
use super::written::{decimal, duration, flag, list, quoted, size, whole, word};
use crate::spec::shape::{ANY_DURATION, SOME_TIME, Shape, words};
use crate::spec::table::{Key, Table, Written, set};
use crate::spec::{BadCertificates, FetchRules, Network, Politeness, RobotsPolicy};

pub(in crate::spec) const POLITENESS: &[Key<Politeness>] = &[
    Key {
        name: "min_delay",
        shape: ANY_DURATION,
        meaning: "shortest pause between two requests to one server",
        read: |rules, value| set(&mut rules.min_delay, value.duration()),
        write: |rules| duration(rules.min_delay),
    },
    Key {
        name: "max_delay",
        shape: ANY_DURATION,
        meaning: "longest pause between two requests to one server",
        read: |rules, value| set(&mut rules.max_delay, value.duration()),
        write: |rules| duration(rules.max_delay),
    },
    Key {
        name: "delay_factor",
        shape: Shape::Decimal { least: 0.0, most: 1000.0 },
        meaning: "the pause is this many times the last download's time, between the two bounds",
        read: |rules, value| set(&mut rules.delay_factor, value.decimal()),
        write: |rules| decimal(rules.delay_factor),
    },
    Key {
        name: "max_crawl_delay",
        shape: ANY_DURATION,
        meaning: "a longer Crawl-delay in robots.txt is cut to this",
        read: |rules, value| set(&mut rules.max_crawl_delay, value.duration()),
        write: |rules| duration(rules.max_crawl_delay),
    },
    Key {
        name: "robots",
        shape: Shape::Word(words::<RobotsPolicy>),
        meaning: "what is obeyed: all of robots.txt, meta robots and nofollow; robots.txt only; nothing (robots.txt is then read for its sitemaps alone)",
        read: |rules, value| set(&mut rules.robots, value.word()),
        write: |rules| word(rules.robots),
    },
];

pub(in crate::spec) const FETCH: &[Key<FetchRules>] = &[
    Key {
        name: "max_size",
        shape: Shape::Size { least: 1 << 10, most: 1 << 50 },
        meaning: "a longer response is cut and marked",
        read: |rules, value| set(&mut rules.max_size_bytes, value.size()),
        write: |rules| size(rules.max_size_bytes),
    },
    Key {
        name: "max_time",
        shape: SOME_TIME,
        meaning: "a fetch is cut after this long, whatever came",
        read: |rules, value| set(&mut rules.max_time, value.duration()),
        write: |rules| duration(rules.max_time),
    },
    Key {
        name: "connect_timeout",
        shape: SOME_TIME,
        meaning: "how long a server may take to accept a connection",
        read: |rules, value| set(&mut rules.connect_timeout, value.duration()),
        write: |rules| duration(rules.connect_timeout),
    },
    Key {
        name: "idle_timeout",
        shape: SOME_TIME,
        meaning: "a server that sends nothing for this long is gone",
        read: |rules, value| set(&mut rules.idle_timeout, value.duration()),
        write: |rules| duration(rules.idle_timeout),
    },
    Key {
        name: "min_speed",
        shape: Shape::Size { least: 0, most: 1 << 40 },
        meaning: "bytes a second; a server slower than this for slow_after is cut off, 0 = never",
        read: |rules, value| set(&mut rules.min_bytes_per_second, value.size()),
        write: |rules| size(rules.min_bytes_per_second),
    },
    Key {
        name: "slow_after",
        shape: SOME_TIME,
        meaning: "how long a server may be slower than min_speed",
        read: |rules, value| set(&mut rules.slow_after, value.duration()),
        write: |rules| duration(rules.slow_after),
    },
    Key {
        name: "max_header",
        shape: Shape::Size { least: 1 << 10, most: 16 << 20 },
        meaning: "a response with a longer head is given up",
        read: |rules, value| set(&mut rules.max_header_bytes, value.size()),
        write: |rules| size(rules.max_header_bytes as u64),
    },
    Key {
        name: "max_read",
        shape: Shape::Size { least: 1 << 10, most: 1 << 30 },
        meaning: "how much of a body is decoded and read for links",
        read: |rules, value| set(&mut rules.max_read_bytes, value.size()),
        write: |rules| size(rules.max_read_bytes as u64),
    },
    Key {
        name: "max_redirects",
        // A link remembers its last 50 hops only, so a longer run could not be told from a loop.
        shape: Shape::Whole { least: 0, most: 40 },
        meaning: "redirects in a row; one more is taken for a loop",
        read: |rules, value| set(&mut rules.max_redirects, value.whole()),
        write: |rules| whole(rules.max_redirects),
    },
    Key {
        name: "tries",
        shape: Shape::Whole { least: 1, most: 100 },
        meaning: "how often a link is tried in all",
        read: |rules, value| set(&mut rules.tries, value.whole()),
        write: |rules| whole(rules.tries),
    },
    Key {
        name: "retry_delay",
        shape: ANY_DURATION,
        meaning: "wait before the second try; doubles each time",
        read: |rules, value| set(&mut rules.retry_delay, value.duration()),
        write: |rules| duration(rules.retry_delay),
    },
    Key {
        name: "bad_certificates",
        shape: Shape::Word(words::<BadCertificates>),
        meaning: "a certificate that does not check out: archive and record the fact, or refuse",
        read: |rules, value| set(&mut rules.bad_certificates, value.word()),
        write: |rules| word(rules.bad_certificates),
    },
    Key {
        name: "cookies",
        shape: Shape::Flag,
        meaning: "whether cookies are kept and sent back",
        read: |rules, value| set(&mut rules.cookies, value.flag()),
        write: |rules| flag(rules.cookies),
    },
];

const ADDRESS: Shape = Shape::Described("an address with port such as \"127.0.0.2:8080\"");

pub(in crate::spec) const NETWORK: &[Key<Network>] = &[
    Key {
        name: "allow",
        shape: Shape::List(&Shape::Described("a network such as \"127.0.0.0/8\" or an address")),
        meaning: "non-public networks that may be dialled all the same",
        read: |network, value| set(&mut network.allow, value.list(|item| item.parsed(network_of))),
        write: |network| list(&network.allow),
    },
    Key {
        name: "dns_servers",
        shape: Shape::List(&Shape::Described("an address such as \"9.9.9.9\" or \"9.9.9.9:53\"")),
        meaning: "DNS servers in place of the system's",
        read: |network, value| set(&mut network.dns_servers, value.list(|item| item.parsed(dns_server))),
        write: |network| list(&network.dns_servers),
    },
    Key {
        name: "resolve",
        shape: Shape::Described("a table of host names and addresses"),
        meaning: "host name = \"ip:port\", in place of DNS: every port of that name goes there",
        read: |network, value| set(&mut network.resolve, value.table().map(|table| resolved(&table))),
        write: |network| resolve_table(&network.resolve),
    },
];

/// One network or address; what lies below the mask means nothing and is cleared.
pub fn network_of(text: &str) -> Option<ipnet::IpNet> {
    let address = text.parse::<IpAddr>().map(ipnet::IpNet::from);
    text.parse::<ipnet::IpNet>().or(address).ok().map(|net| net.trunc())
}

fn dns_server(text: &str) -> Option<SocketAddr> {
    text.parse().ok().or_else(|| Some(SocketAddr::new(text.parse::<IpAddr>().ok()?, 53)))
}

fn resolved(table: &Table<'_>) -> Vec<(String, SocketAddr)> {
    let mut all: Vec<(String, SocketAddr)> = Vec::new();
    for (name, value) in table.each(ADDRESS) {
        let address = value.parsed(|text| text.parse().ok());
        let Some(host) = host_name(name) else {
            value.mistake("the key is no host name such as \"blog.test\"");
            continue;
        };
        if all.iter().any(|(known, _)| *known == host) {
            value.mistake(format!("{host} is resolved twice"));
        } else if let Some(address) = address {
            all.push((host, address));
        }
    }
    all
}

fn resolve_table(resolve: &[(String, SocketAddr)]) -> Written {
    if resolve.is_empty() {
        return Written::Absent;
    }
    let lines = resolve.iter().map(|(name, address)| format!("{} = \"{address}\"\n", quoted(name)));
    Written::Tables(format!("[network.resolve]\n{}", lines.collect::<String>()))
}
