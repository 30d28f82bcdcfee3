//! What is known of the hosts' robots.txt, for a day at the most and within a bound of memory. Fetching and
//! reading it happens elsewhere.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use annalist_model::Time;

use crate::expiring::Expiring;
use crate::robots::RobotsRules;

/// RFC 9309 2.4.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Keyed by host: scheme and authority, as [`annalist_model::CanonicalUrl::host`] spells it.
#[derive(Debug)]
pub struct RobotsCache {
    hosts: Mutex<Expiring<Box<str>, Arc<RobotsRules>>>,
}

impl RobotsCache {
    pub fn new(most_bytes: usize) -> RobotsCache {
        RobotsCache { hosts: Mutex::new(Expiring::new(most_bytes)) }
    }

    pub fn get(&self, host: &str, now: Time) -> Option<Arc<RobotsRules>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get(host, now).cloned()
    }

    /// Keeps the rules for as long as they may be relied upon.
    pub fn put(&self, host: &str, rules: RobotsRules, now: Time) -> Arc<RobotsRules> {
        let until = now.plus(rules.lifetime().min(LONGEST));
        let bytes = host.len() + rules.bytes();
        let rules = Arc::new(rules);
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.put(host.into(), Arc::clone(&rules), bytes, until);
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::RobotsCache;
    use crate::robots::{Robots, RobotsRules};
    use annalist_model::Time;
    use std::time::Duration;

    const NOW: Time = Time::from_millis(1_000_000);

    #[test]
    fn rules_are_forgotten_after_a_day_and_an_unreachable_host_is_asked_again_sooner() {
        let cache = RobotsCache::new(1 << 20);
        cache.put("http://a.test", RobotsRules::AllowAll, NOW);
        cache.put("http://b.test", RobotsRules::DisallowAll, NOW);
        let later = NOW.plus(Duration::from_secs(3600));
        assert!(cache.get("http://a.test", later).is_some());
        assert!(cache.get("http://b.test", later).is_none());
        assert!(cache.get("http://a.test", NOW.plus(Duration::from_secs(24 * 3600))).is_none());
    }

    #[test]
    fn large_files_of_many_hosts_do_not_take_more_than_the_bound() {
        let cache = RobotsCache::new(1 << 20);
        let text = format!("User-agent: *\n{}", "Disallow: /some/path\n".repeat(2000));
        for host in 0..50 {
            let rules = RobotsRules::Rules(Robots::parse(text.as_bytes(), "x"));
            cache.put(&format!("http://{host}.test"), rules, NOW);
        }
        let kept = (0..50).filter(|host| cache.get(&format!("http://{host}.test"), NOW).is_some()).count();
        assert!((1..10).contains(&kept), "{kept}");
    }
}
