//! How long a server rests after a request. Who keeps the rest is in `servers.rs` and in the frontier.

use std::time::Duration;

use annalist_model::spec::{Politeness, RobotsPolicy, SiteRules, Spec};

/// The politeness that holds for one host: the spec's, with what is different for its site or name.
#[derive(Clone, Debug, PartialEq)]
pub struct HostRules {
    pub politeness: Politeness,
    pub pages: Option<u64>,
    pub size_bytes: Option<u64>,
}

/// The rules for a host name of a site; an override for a nearer name beats one for a farther.
pub fn rules_for(spec: &Spec, host_name: &str, site: &str) -> HostRules {
    let mut rules = HostRules {
        politeness: spec.politeness.clone(),
        pages: spec.limits.site_pages,
        size_bytes: spec.limits.site_size_bytes,
    };
    // From the site to the host itself: the nearer name has the last word.
    let from = host_name.len().saturating_sub(site.len());
    let dots = host_name[..from].rmatch_indices('.').map(|(at, _)| at + 1).filter(|at| *at < from);
    for start in std::iter::once(from).chain(dots).chain((from > 0).then_some(0)) {
        if let Some(own) = spec.sites.iter().find(|s| s.site == host_name[start..]) {
            override_with(&mut rules, own);
        }
    }
    rules
}

fn override_with(rules: &mut HostRules, own: &SiteRules) {
    let politeness = &mut rules.politeness;
    if let Some(delay) = own.min_delay {
        politeness.min_delay = delay;
        politeness.max_delay = politeness.max_delay.max(delay);
    }
    if let Some(delay) = own.max_delay {
        politeness.max_delay = delay;
        politeness.min_delay = politeness.min_delay.min(delay);
    }
    politeness.delay_factor = own.delay_factor.unwrap_or(politeness.delay_factor);
    politeness.robots = own.robots.unwrap_or(politeness.robots);
    rules.pages = own.pages.or(rules.pages);
    rules.size_bytes = own.size_bytes.or(rules.size_bytes);
}

/// The rest after a request that took `elapsed`: a multiple of it between the bounds, or robots.txt's
/// Crawl-delay where that is longer, up to its own bound.
pub fn rest_after(politeness: &Politeness, elapsed: Duration, crawl_delay: Option<Duration>) -> Duration {
    let factor = if politeness.delay_factor.is_finite() { politeness.delay_factor.max(0.0) } else { 0.0 };
    let by_factor = Duration::try_from_secs_f64(elapsed.as_secs_f64() * factor).unwrap_or(Duration::MAX);
    let own = by_factor.clamp(politeness.min_delay, politeness.max_delay.max(politeness.min_delay));
    match (politeness.robots, crawl_delay) {
        (RobotsPolicy::Ignore, _) | (_, None) => own,
        (_, Some(asked)) => own.max(asked.min(politeness.max_crawl_delay)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use annalist_model::spec::{Politeness, RobotsPolicy, SiteRules, Spec};

    use super::{rest_after, rules_for};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_slow_server_rests_longer_within_the_bounds() {
        let politeness = Politeness::default();
        assert_eq!(rest_after(&politeness, Duration::from_millis(10), None), 3 * SECOND);
        assert_eq!(rest_after(&politeness, 2 * SECOND, None), 10 * SECOND);
        assert_eq!(rest_after(&politeness, 100 * SECOND, None), 30 * SECOND);
        assert_eq!(rest_after(&politeness, Duration::MAX, None), 30 * SECOND);
    }

    #[test]
    fn a_crawl_delay_is_kept_up_to_its_bound() {
        let mut politeness = Politeness::default();
        assert_eq!(rest_after(&politeness, SECOND, Some(20 * SECOND)), 20 * SECOND);
        assert_eq!(rest_after(&politeness, SECOND, Some(86_400 * SECOND)), 300 * SECOND);
        assert_eq!(rest_after(&politeness, SECOND, Some(SECOND)), 5 * SECOND);
        politeness.robots = RobotsPolicy::Ignore;
        assert_eq!(rest_after(&politeness, SECOND, Some(20 * SECOND)), 5 * SECOND);
    }

    #[test]
    fn the_nearest_name_has_the_last_word() {
        let mut spec = Spec::named("x");
        for (site, seconds) in [("ex.test", 10), ("b.ex.test", 20), ("a.b.ex.test", 25)] {
            let min_delay = Some(seconds * SECOND);
            spec.sites.push(SiteRules { site: site.to_owned(), min_delay, ..SiteRules::default() });
        }
        let delay = |host: &str| rules_for(&spec, host, "ex.test").politeness.min_delay;
        assert_eq!(delay("ex.test"), 10 * SECOND);
        assert_eq!(delay("www.ex.test"), 10 * SECOND);
        assert_eq!(delay("b.ex.test"), 20 * SECOND);
        assert_eq!(delay("c.b.ex.test"), 20 * SECOND);
        assert_eq!(delay("a.b.ex.test"), 25 * SECOND);
    }

    #[test]
    fn no_factor_can_break_it() {
        let politeness = Politeness { delay_factor: f64::NAN, ..Politeness::default() };
        assert_eq!(rest_after(&politeness, SECOND, None), 3 * SECOND);
    }
}
