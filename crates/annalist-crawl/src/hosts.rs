//! Hosts that do not answer: how often in a row, and when to give one up. A host with ten thousand links waiting must
//! not be tried ten thousand times.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use annalist_model::{SkipReason, Time};

/// When more than this many are in trouble, those tried longest ago are forgotten.
const MANY_HOSTS: usize = 100_000;

/// Hosts in trouble, by scheme and authority.
#[derive(Debug, Default)]
pub struct Hosts {
    troubled: Mutex<HashMap<String, Trouble>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Failures in a row.
    pub failures: u16,
    /// What the last one was.
    pub reason: SkipReason,
    pub detail: String,
    pub last: Time,
}

impl Hosts {
    /// One more failure; how many there were in a row.
    pub fn failed(&self, host: &str, reason: SkipReason, detail: &str, now: Time) -> u16 {
        let mut troubled = self.troubled.lock().unwrap_or_else(PoisonError::into_inner);
        if troubled.len() >= MANY_HOSTS && !troubled.contains_key(host) {
            let mut times: Vec<Time> = troubled.values().map(|t| t.last).collect();
            times.sort_unstable();
            let middle = times[times.len() / 2];
            troubled.retain(|_, trouble| trouble.last > middle);
        }
        let fresh = || Trouble { failures: 0, reason, detail: String::new(), last: now };
        let trouble = troubled.entry(host.to_owned()).or_insert_with(fresh);
        trouble.failures = trouble.failures.saturating_add(1);
        trouble.reason = reason;
        trouble.detail = detail.to_owned();
        trouble.last = now;
        trouble.failures
    }

    pub fn answered(&self, host: &str) {
        self.troubled.lock().unwrap_or_else(PoisonError::into_inner).remove(host);
    }

    /// The trouble of a host that failed `tries` times in a row: it is given up.
    pub fn given_up(&self, host: &str, tries: u16) -> Option<Trouble> {
        let troubled = self.troubled.lock().unwrap_or_else(PoisonError::into_inner);
        troubled.get(host).filter(|trouble| trouble.failures >= tries).cloned()
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::{SkipReason, Time};

    use super::{Hosts, MANY_HOSTS};

    const NOW: Time = Time::from_millis(0);

    #[test]
    fn a_host_is_given_up_after_so_many_failures_in_a_row() {
        let hosts = Hosts::default();
        hosts.failed("http://a.test", SkipReason::Failed, "timeout", NOW);
        assert_eq!(hosts.given_up("http://a.test", 2), None);
        assert_eq!(hosts.failed("http://a.test", SkipReason::Failed, "reset", NOW), 2);
        assert_eq!(hosts.given_up("http://a.test", 2).unwrap().detail, "reset");
        hosts.answered("http://a.test");
        assert_eq!(hosts.given_up("http://a.test", 2), None);
        assert_eq!(hosts.failed("http://a.test", SkipReason::Failed, "timeout", NOW), 1);
    }

    #[test]
    fn memory_of_troubled_hosts_is_bounded() {
        let hosts = Hosts::default();
        for n in 0..MANY_HOSTS as u64 + 10 {
            hosts.failed(&format!("http://{n}.test"), SkipReason::Failed, "timeout", Time::from_millis(n));
        }
        assert!(hosts.troubled.lock().unwrap().len() <= MANY_HOSTS);
    }
}
