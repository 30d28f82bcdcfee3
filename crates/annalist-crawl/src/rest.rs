//! A rest under way, and what it is owed for: when the delays are changed, it is counted anew. How long a rest lasts is
//! said in `delay.rs`; who keeps it is in `servers.rs` and in the frontier.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annalist_frontier::Change;
use annalist_model::spec::Spec;
use annalist_model::{CanonicalUrl, Time};

use crate::clock;
use crate::delay::{rest_after, rules_for};

/// Sites whose rest is over are forgotten when more than this many are known.
const MANY_SITES: usize = 50_000;

/// Until when somebody is left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// The request it follows.
    after: Option<Arc<Request>>,
    /// Never over before then, whatever the delays are: the server asked for it, or somebody else owes it.
    least: Time,
}

/// A request, as far as the rest after it depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    host_name: String,
    site: String,
    ended: Time,
    took: Duration,
    crawl_delay: Option<Duration>,
}

impl Request {
    fn delay(&self, spec: &Spec) -> Duration {
        let rules = rules_for(spec, &self.host_name, &self.site);
        rest_after(&rules.politeness, self.took, self.crawl_delay)
    }

    fn is(&self, other: &Request) -> bool {
        (self.ended, &self.host_name) == (other.ended, &other.host_name)
    }
}

impl Rest {
    /// A rest that no delay makes shorter.
    pub fn no_sooner(than: Time) -> Rest {
        Rest { after: None, least: than }
    }

    /// The rest after a request for that address which ended just then.
    pub fn after(url: &CanonicalUrl, ended: Time, took: Duration, crawl_delay: Option<Duration>) -> Rest {
        let (host_name, site) = (url.host_name().to_owned(), url.site().to_owned());
        let request = Request { host_name, site, ended, took, crawl_delay };
        Rest { after: Some(Arc::new(request)), least: Time::default() }
    }

    /// When it is over, by the delays of this spec.
    pub fn until(&self, spec: &Spec) -> Time {
        self.owed(spec).max(self.least)
    }

    /// When what the delays ask for is over.
    fn owed(&self, spec: &Spec) -> Time {
        let owed = |request: &Arc<Request>| clock::rested_from(request.ended, request.delay(spec));
        self.after.as_ref().map(owed).unwrap_or_default()
    }

    /// How long the rest after the request is, by the delays of this spec.
    pub fn delay(&self, spec: &Spec) -> Duration {
        self.after.as_ref().map(|request| request.delay(spec)).unwrap_or_default()
    }

    pub fn lengthen(&mut self, until: Time) {
        self.least = self.least.max(until);
    }

    /// The answer to the request itself was how long to rest after each.
    pub fn with_crawl_delay(&mut self, crawl_delay: Option<Duration>) {
        if let Some(request) = &mut self.after {
            Arc::make_mut(request).crawl_delay = crawl_delay;
        }
    }

    /// Both have to be over. Of two requests the later rest can become shorter, down to where the other one is now.
    pub fn and(&mut self, other: &Rest, spec: &Spec) {
        self.least = self.least.max(other.least);
        let Some(theirs) = &other.after else { return };
        let is_same = self.after.as_ref().is_some_and(|own| own.is(theirs));
        let (own, other_owed) = (self.owed(spec), other.owed(spec));
        if !is_same {
            self.least = self.least.max(own.min(other_owed));
        }
        if other_owed > own {
            self.after.clone_from(&other.after);
        }
    }
}

/// The rests of sites, as the frontier was told of them.
#[derive(Debug, Default)]
pub struct SiteRests {
    known: Mutex<HashMap<u64, Rest>>,
}

impl SiteRests {
    pub fn keep(&self, site: u64, rest: &Rest, spec: &Spec) {
        let mut known = self.known();
        if known.len() >= MANY_SITES {
            let now = clock::now();
            known.retain(|_, rest| rest.until(spec) > now);
        }
        known.insert(site, rest.clone());
    }

    /// What the frontier has to hear when other delays count.
    pub fn by_other_delays(&self, before: &Spec, after: &Spec, now: Time) -> Vec<Change> {
        let anew = |(site, rest): (&u64, &Rest)| {
            let (old, until) = (rest.until(before), rest.until(after));
            let delay = rest.delay(after);
            (old > now && old != until).then_some(Change::SiteRestsAnew { site: *site, until, delay })
        };
        self.known().iter().filter_map(anew).collect()
    }

    fn known(&self) -> MutexGuard<'_, HashMap<u64, Rest>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use annalist_frontier::Change;
    use annalist_model::spec::{SiteRules, Spec};
    use annalist_model::{CanonicalUrl, Time};

    use super::{Rest, SiteRests};

    fn spec(seconds: u64) -> Spec {
        let mut spec = Spec::named("x");
        spec.politeness.min_delay = Duration::from_secs(seconds);
        spec.politeness.max_delay = Duration::from_secs(seconds);
        spec
    }

    fn at(seconds: u64) -> Time {
        Time::from_millis(seconds * 1000)
    }

    /// A millisecond later: rests are never over early.
    fn over(seconds: u64) -> Time {
        Time::from_millis(seconds * 1000 + 1)
    }

    fn asked(url: &str, ended: Time, crawl_delay: Option<u64>) -> Rest {
        let url = CanonicalUrl::parse(url).unwrap();
        Rest::after(&url, ended, Duration::ZERO, crawl_delay.map(Duration::from_secs))
    }

    #[test]
    fn a_rest_is_as_long_as_the_delays_are_now_and_no_shorter_than_the_server_asked_for() {
        let mut rest = asked("http://a.test/", at(100), None);
        assert_eq!((rest.until(&spec(60)), rest.until(&spec(1))), (over(160), over(101)));
        rest.lengthen(at(130));
        assert_eq!((rest.until(&spec(60)), rest.until(&spec(1))), (over(160), at(130)));
        let slow = asked("http://a.test/", at(100), Some(20));
        assert_eq!((slow.until(&spec(60)), slow.until(&spec(1))), (over(160), over(120)));
        let mut of_site = spec(60);
        let min_delay = Some(Duration::from_secs(2));
        let max_delay = min_delay;
        of_site.sites.push(SiteRules {
            site: "a.test".to_owned(),
            min_delay,
            max_delay,
            ..SiteRules::default()
        });
        assert_eq!(asked("http://www.a.test/", at(100), None).until(&of_site), over(102));
    }

    #[test]
    fn of_two_rests_neither_is_cut_short_and_one_request_counts_once() {
        let mut rest = asked("http://a.test/", at(100), None);
        let same = rest.clone();
        rest.and(&same, &spec(60));
        let mut learned = rest.clone();
        learned.with_crawl_delay(Some(Duration::from_secs(5)));
        rest.and(&learned, &spec(60));
        assert_eq!(rest.until(&spec(1)).max(learned.until(&spec(1))), over(105), "it is the same request");
        // Another one, which ended earlier.
        rest.and(&asked("http://b.test/", at(90), None), &spec(60));
        assert_eq!((rest.until(&spec(60)), rest.until(&spec(1))), (over(160), over(150)));
    }

    #[test]
    fn the_frontier_hears_of_rests_that_are_not_over_and_end_at_another_time() {
        let rests = SiteRests::default();
        rests.keep(1, &asked("http://a.test/", at(100), None), &spec(60));
        rests.keep(2, &asked("http://b.test/", at(10), None), &spec(60));
        rests.keep(3, &Rest::no_sooner(at(150)), &spec(60));
        let told = rests.by_other_delays(&spec(60), &spec(1), at(110));
        let delay = Duration::from_secs(1);
        assert_eq!(told, [Change::SiteRestsAnew { site: 1, until: over(101), delay }]);
        assert!(rests.by_other_delays(&spec(60), &spec(60), at(110)).is_empty());
    }
}
