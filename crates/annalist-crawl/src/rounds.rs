//! Seeds that are visited again and again while the crawl runs. What is unchanged becomes a revisit record, new links are
//! followed like any others. When the time has come is the frontier's to say.

use std::collections::HashMap;
use std::time::Duration;

use annalist_frontier::{Change, Frontier, Known, LeasedLink, Purpose, State};
use annalist_model::spec::{Spec, duration};
use annalist_model::{CanonicalUrl, Outcome, SkipReason, Time, UrlKey};

/// How often each seed is visited, where it is more than once.
#[derive(Debug, Default)]
pub struct Rounds {
    every: HashMap<UrlKey, Duration>,
    /// The same by the seed's number, for what its redirects lead to.
    by_seed: HashMap<u32, Duration>,
}

impl Rounds {
    pub fn of(spec: &Spec) -> Rounds {
        let with_round = || (0u32..).zip(&spec.seeds).filter_map(|(n, seed)| Some((n, seed, seed.recrawl?)));
        Rounds {
            every: with_round().map(|(_, seed, every)| (seed.url.key(), every)).collect(),
            by_seed: with_round().map(|(n, _, every)| (n, every)).collect(),
        }
    }

    /// Whether the link is visited more than once.
    pub fn returns(&self, key: UrlKey) -> bool {
        self.every.contains_key(&key)
    }

    /// The next visit of a link that has just had its outcome, if there is to be one.
    pub fn after(&self, key: UrlKey, outcome: &Outcome, now: Time) -> Option<Change> {
        let every = *self.every.get(&key)?;
        // What a rule or a limit forbids will be forbidden the next time, too.
        let in_vain = [
            SkipReason::Budget,
            SkipReason::SiteBudget,
            SkipReason::Blocked,
            SkipReason::Excluded,
            SkipReason::Address,
            SkipReason::Blacklisted,
        ];
        match outcome {
            Outcome::Skipped { reason, .. } if in_vain.contains(reason) => None,
            _ => Some(again(key, now.plus(every), every)),
        }
    }

    /// Where such a seed redirects to is visited with it, unless that was just done: redirects may lead in a circle.
    pub fn with_redirect(
        &self,
        from: &LeasedLink,
        target: &CanonicalUrl,
        frontier: &Frontier,
        now: Time,
    ) -> Option<Change> {
        let hops = &from.link.hops;
        let every = *self.by_seed.get(&from.link.seed).filter(|_| hops.redirects_in_a_row() == hops.len())?;
        match frontier.lookup(target.key()).ok().flatten()?.state {
            State::Done { at, .. } if now.since(at) >= every / 2 => Some(again(target.key(), now, every)),
            _ => None,
        }
    }

    /// At a start: the next visits of seeds that an earlier run left with none, or with another interval.
    pub fn due(&self, frontier: &Frontier) -> Vec<Change> {
        self.every.iter().filter_map(|(key, every)| due(*key, *every, frontier)).collect()
    }

    /// While the crawl runs: the next visits of seeds, where these were the rounds so far.
    pub fn instead_of(&self, before: &Rounds, frontier: &Frontier) -> Vec<Change> {
        let others = self.every.iter().filter(|(key, every)| before.every.get(key) != Some(every));
        let due = others.filter_map(|(key, every)| due(*key, *every, frontier));
        let dropped = before.every.keys().filter(|key| !self.every.contains_key(key));
        let dropped = dropped.filter_map(|key| frontier.lookup(*key).ok().flatten());
        due.chain(dropped.filter_map(|known| called_off(&known))).collect()
    }
}

fn due(key: UrlKey, every: Duration, frontier: &Frontier) -> Option<Change> {
    let known = frontier.lookup(key).ok().flatten()?;
    match (known.state, known.earlier) {
        // A limit that allows it again brings it back.
        (
            State::Done {
                outcome: Outcome::Skipped { reason: SkipReason::Budget | SkipReason::SiteBudget, .. },
                ..
            },
            _,
        ) => None,
        (State::Done { at, .. }, _) => Some(again(key, at.plus(every), every)),
        // One that failed comes back when it was said to, unless that is later.
        (State::Queued { not_before: Some(time) }, Some(State::Done { at, .. }))
            if time > at.plus(every) || (known.tries == 0 && time < at.plus(every)) =>
        {
            Some(Change::Retry { key, not_before: at.plus(every), tries: 0, reason: reason(every) })
        }
        _ => None,
    }
}

/// A link that waits for its next visit does not get it: what became of it the last time is what became of it.
pub fn called_off(known: &Known) -> Option<Change> {
    match (&known.state, known.earlier.clone()?) {
        (State::Queued { .. }, State::Done { outcome, place, digest, at, .. }) => {
            // It was counted when it was captured.
            let (key, bytes, purpose) = (known.key, 0, Purpose::Prerequisite);
            Some(Change::Done { key, outcome, place, digest, at, bytes, purpose })
        }
        _ => None,
    }
}

/// All seeds once more, now: what a start by schedule means for a crawl that has come to its end.
pub fn once_more(spec: &Spec, frontier: &Frontier, now: Time) -> Vec<Change> {
    let again = |key| match frontier.lookup(key).ok().flatten()?.state {
        // What was blacklisted the frontier leaves where it is; nobody is told that it is visited.
        State::Done { outcome, .. } if outcome.is_blacklisting() => None,
        State::Done { .. } => Some(Change::Again {
            key,
            not_before: now,
            reason: "the crawl was started again by its schedule".to_owned(),
        }),
        _ => None,
    };
    spec.seeds.iter().filter_map(|seed| again(seed.url.key())).collect()
}

fn reason(every: Duration) -> String {
    format!("its seed is visited every {}", duration::display(every))
}

fn again(key: UrlKey, not_before: Time, every: Duration) -> Change {
    Change::Again { key, not_before, reason: reason(every) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use annalist_frontier::Change;
    use annalist_model::spec::{Seed, Spec};
    use annalist_model::{CanonicalUrl, Outcome, SkipReason, Time};

    use super::Rounds;

    #[test]
    fn only_seeds_with_an_interval_come_again_and_nothing_that_is_forbidden() {
        let url = |text: &str| CanonicalUrl::parse(text).unwrap();
        let mut spec = Spec::named("test");
        let recrawl = Some(Duration::from_secs(60));
        spec.seeds =
            vec![Seed { recrawl, ..Seed::new(url("http://a.test/")) }, Seed::new(url("http://b.test/"))];
        let rounds = Rounds::of(&spec);
        let skipped = |reason| Outcome::Skipped { reason, detail: String::new() };
        let next =
            |text: &str, outcome: &Outcome| rounds.after(url(text).key(), outcome, Time::from_millis(5));
        let captured = Outcome::Captured { status: 200 };
        let Some(Change::Again { not_before, .. }) = next("http://a.test/", &captured) else { panic!() };
        assert_eq!(not_before, Time::from_millis(60_005));
        assert!(next("http://a.test/", &skipped(SkipReason::Failed)).is_some());
        assert!(next("http://a.test/", &skipped(SkipReason::Budget)).is_none());
        assert!(next("http://b.test/", &captured).is_none());
    }
}
