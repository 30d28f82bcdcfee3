//! Who asked for what and when, and whether that was polite. Times are microseconds since the server started.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::layout::site_of;

/// One request, from its first byte to the last byte of its answer, or to the client's going.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub start_us: u64,
    pub end_us: u64,
    /// The server's own address.
    pub address: SocketAddr,
    pub connection: u64,
    pub method: String,
    pub host: String,
    pub target: String,
    /// 0 where no proper answer was sent.
    pub status: u16,
    pub user_agent: String,
}

/// What a crawler has to be polite to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Address,
    Site,
    Host,
}

#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Address(SocketAddr),
    Name(&'a str),
}

/// The finished requests at one moment, in the order they ended.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub entries: Vec<Entry>,
}

impl Log {
    /// Reads what `ServerOptions::log_file` wrote. A last line that was cut off is left out.
    pub fn from_jsonl(text: &str) -> Log {
        Log { entries: text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect() }
    }

    /// Pairs of requests that were under way at once, the earlier one first.
    pub fn overlaps(&self, by: By) -> Vec<(&Entry, &Entry)> {
        let mut found = Vec::new();
        self.each_next(by, |longest, next| {
            if next.start_us < longest.end_us {
                found.push((longest, next));
            }
        });
        found
    }

    /// The shortest time between the end of a request and the start of the next; zero where two overlap, none where
    /// nobody was asked twice.
    pub fn soonest_gap(&self, by: By) -> Option<Duration> {
        let mut soonest: Option<u64> = None;
        self.each_next(by, |longest, next| {
            let gap = next.start_us.saturating_sub(longest.end_us);
            soonest = Some(soonest.map_or(gap, |soonest| soonest.min(gap)));
        });
        soonest.map(Duration::from_micros)
    }

    /// Calls with every request that is not the first, and the one among those before it that ended last.
    fn each_next<'a>(&'a self, by: By, mut visit: impl FnMut(&'a Entry, &'a Entry)) {
        let mut groups: HashMap<Key<'a>, Vec<&'a Entry>> = HashMap::new();
        for entry in &self.entries {
            let key = match by {
                By::Address => Key::Address(entry.address),
                By::Site => Key::Name(site_of(&entry.host)),
                By::Host => Key::Name(&entry.host),
            };
            groups.entry(key).or_default().push(entry);
        }
        for mut group in groups.into_values() {
            group.sort_by_key(|entry| (entry.start_us, entry.end_us));
            let mut entries = group.into_iter();
            let Some(mut longest) = entries.next() else { continue };
            for next in entries {
                visit(longest, next);
                if next.end_us > longest.end_us {
                    longest = next;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{By, Entry, Log};
    use std::time::Duration;

    fn entry(address: &str, host: &str, start_us: u64, end_us: u64) -> Entry {
        Entry {
            start_us,
            end_us,
            address: address.parse().unwrap(),
            connection: 1,
            method: "GET".into(),
            host: host.into(),
            target: "/".into(),
            status: 200,
            user_agent: String::new(),
        }
    }

    #[test]
    fn an_overlap_is_seen_per_address_even_behind_a_short_request() {
        let log = Log {
            entries: vec![
                entry("127.1.0.1:80", "www.a.test", 0, 100),
                entry("127.1.0.1:80", "www.b.test", 10, 20),
                entry("127.1.0.1:80", "www.c.test", 50, 60),
                entry("127.1.0.2:80", "www.d.test", 50, 60),
            ],
        };
        assert_eq!(log.overlaps(By::Address).len(), 2);
        assert_eq!(log.overlaps(By::Site).len(), 0);
        assert_eq!(log.soonest_gap(By::Address), Some(Duration::ZERO));
        assert_eq!(log.soonest_gap(By::Site), None);
    }

    #[test]
    fn the_gap_is_from_the_end_of_one_to_the_start_of_the_next() {
        let log = Log {
            entries: vec![
                entry("127.1.0.1:80", "blog.a.test", 300, 400),
                entry("127.1.0.1:80", "www.a.test", 0, 100),
                entry("127.1.0.2:80", "www.a.test", 450, 500),
            ],
        };
        assert_eq!(log.soonest_gap(By::Address), Some(Duration::from_micros(200)));
        assert_eq!(log.soonest_gap(By::Site), Some(Duration::from_micros(50)));
        assert_eq!(log.soonest_gap(By::Host), Some(Duration::from_micros(350)));
    }

    #[test]
    fn a_log_comes_back_from_its_lines_and_a_cut_line_does_no_harm() {
        let first = entry("127.1.0.1:80", "www.a.test", 0, 100);
        let text = format!("{}\n{{\"start_us\":3,", serde_json::to_string(&first).unwrap());
        assert_eq!(Log::from_jsonl(&text).entries, vec![first]);
    }
}
