//! The judge at work in a crawl: pages are read for it on the reading threads, and judged one after the other. What it
//! learns stays in memory; what a link is worth is in the frontier.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use annalist_frontier::{Change, Frontier, LeasedLink, State, Urgency};
use annalist_judge::addresses::AddressRules;
use annalist_judge::scorer::Manner;
use annalist_judge::signals::COUNT;
use annalist_judge::{Analyst, Depth, Judge, Reading, Rules, Verdict};
use annalist_model::spec::{JudgeRules, SIGNALS, ScorerKind, Seed, Spec};
use annalist_model::{Capture, Page, Time, UrlKey};

use crate::logs::Severity;

/// Of many references, the first have said enough.
const MOST_EARLY: usize = 100;
/// A link that is worth less than it was leased for by more than this goes back: others come first.
const FALL: f32 = 0.02;

/// What the crawl is about, before it has begun.
#[derive(Debug)]
pub struct Basis {
    pub judge: Judge,
    pub analyst: Analyst,
    /// Pages that define the topic when they come.
    pub references: HashSet<UrlKey>,
    /// What people are to know of how it came about: for the log.
    pub told: Vec<(Severity, String)>,
}

/// What is known when a link has had its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    One,
    /// It was the last of the references, and none could be read.
    AllInVain,
}

#[derive(Debug)]
pub struct Judging {
    judge: Mutex<Judge>,
    /// Lent to reading threads; there are as many as read at once.
    analysts: Mutex<Vec<Analyst>>,
    fresh: Analyst,
    references: Mutex<HashSet<UrlKey>>,
    seeds: HashMap<UrlKey, f32>,
    /// References that nobody has asked for yet.
    awaited: Mutex<HashSet<UrlKey>>,
    /// References that came before the topic was known.
    early: Mutex<Vec<(UrlKey, Page, Time)>>,
}

impl Judging {
    pub fn new(basis: Basis, seeds: &[Seed]) -> Judging {
        let Basis { judge, analyst, references, .. } = basis;
        let awaited = Mutex::new(references.clone());
        Judging {
            judge: Mutex::new(judge),
            analysts: Mutex::default(),
            fresh: analyst,
            references: Mutex::new(references),
            seeds: seeds.iter().map(|seed| (seed.url.key(), seed.score.get())).collect(),
            awaited,
            early: Mutex::default(),
        }
    }

    /// Reads a page for the judge; done by the thread that read it. `captured`: where nothing else says when it is from.
    pub fn read(&self, key: UrlKey, page: &Page, captured: Time) -> Reading {
        let topic = self.judge().topic();
        let mut analyst = self.lend();
        let depth = if self.is_reference(key) { Depth::Reference } else { Depth::Topic };
        let mut reading = analyst.read(page, &topic, depth);
        reading.time = Some(page.time(captured));
        self.analysts.lock().unwrap_or_else(PoisonError::into_inner).push(analyst);
        reading
    }

    fn lend(&self) -> Analyst {
        let spare = self.analysts.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| self.fresh.clone())
    }

    /// What a capture is worth, and its links. Nothing for what is no page: a failure, a picture, a redirect.
    pub fn judge_page(
        &self,
        leased: &LeasedLink,
        capture: &Capture,
        page: &Page,
        reading: &Reading,
    ) -> Option<Verdict> {
        let mut judge = self.judge();
        if capture.head.is_redirect() {
            return None;
        }
        if !(200..300).contains(&capture.head.status) {
            if (400..500).contains(&capture.head.status) && capture.head.status != 429 {
                judge.leads_nowhere(leased.key);
            }
            return None;
        }
        if page.text.is_empty() {
            return (!page.links.is_empty()).then(|| judge.take_list(leased.key, reading));
        }
        if !self.is_reference(leased.key) {
            return Some(judge.take(leased.key, reading));
        }
        let mut verdict = judge.take_reference(leased.key, reading);
        drop(judge);
        {
            let mut early = self.early.lock().unwrap_or_else(PoisonError::into_inner);
            if early.len() < MOST_EARLY {
                early.push((leased.key, page.clone(), capture.started));
            }
        }
        verdict.revalued.extend(self.asked(leased.key).1);
        Some(verdict)
    }

    /// From now on these rules count. What was learned stays.
    pub fn change(&self, rules: Rules) -> Vec<Change> {
        let revalued = self.judge().change(rules);
        revalued.into_iter().map(|(key, value)| Change::Valued { key, value }).collect()
    }

    /// A seed keeps the place the archivist gave it, whoever mentions it.
    pub fn seed_score(&self, key: UrlKey) -> Option<f32> {
        self.seeds.get(&key).copied()
    }

    /// What a link is worth of which nothing is known.
    pub fn neutral(&self) -> f32 {
        self.judge().neutral()
    }

    /// Whether a link has to wait for pages that say what the topic is. Those are seeds, and only what a page embeds comes
    /// before seeds.
    pub fn must_wait(&self, leased: &LeasedLink) -> bool {
        let comes_first = leased.link.via.is_none() || leased.urgency == Urgency::Urgent;
        let awaited = self.awaited();
        !comes_first && !awaited.is_empty() && !awaited.contains(&leased.key)
    }

    pub fn is_reference(&self, key: UrlKey) -> bool {
        self.references.lock().unwrap_or_else(PoisonError::into_inner).contains(&key)
    }

    /// How many references are waited for.
    pub fn awaits(&self) -> usize {
        self.awaited().len()
    }

    /// References that nothing will come of soon: they had their outcome in an earlier run, failed before and are to be tried
    /// again, or their site is closed. All of them, when it took too long.
    pub fn awaited_in_vain(&self, frontier: &Frontier, too_long: bool) -> Vec<UrlKey> {
        let may_come = |key: &UrlKey| {
            let Some(known) = frontier.lookup(*key).ok().flatten() else { return false };
            match known.state {
                State::Queued { .. } => {
                    known.tries == 0 && known.retries.is_empty() && known.site.closed.is_none()
                }
                State::Leased => true,
                State::Done { .. } | State::Refused { .. } => false,
            }
        };
        self.awaited().iter().filter(|key| too_long || !may_come(key)).copied().collect()
    }

    /// A reference was asked for, whatever came of it. References make the topic together, so what the first said of their
    /// links is read again when the last has had its outcome: new values of waiting links.
    pub fn asked(&self, key: UrlKey) -> (Asked, Vec<(UrlKey, f32)>) {
        let mut awaited = self.awaited();
        if !awaited.remove(&key) || !awaited.is_empty() {
            return (Asked::One, Vec::new());
        }
        drop(awaited);
        let early = std::mem::take(&mut *self.early.lock().unwrap_or_else(PoisonError::into_inner));
        if early.is_empty() && self.judge().topic().is_empty() {
            return (Asked::AllInVain, Vec::new());
        }
        let readings: Vec<Reading> =
            early.iter().map(|(key, page, captured)| self.read(*key, page, *captured)).collect();
        (Asked::One, self.judge().hear_again(&readings))
    }

    fn awaited(&self) -> MutexGuard<'_, HashSet<UrlKey>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The change that puts a link back into its place, when others should come first.
    pub fn second_thought(&self, leased: &LeasedLink) -> Option<Change> {
        // A seed keeps its place.
        leased.link.via?;
        let judge = self.judge();
        // Where the frontier combines what is said of a link, its value is not the judge's.
        let value = judge
            .combines()
            .then(|| judge.reconsider(leased.key))
            .flatten()
            .filter(|now| *now < leased.value - FALL)?;
        Some(Change::Valued { key: leased.key, value })
    }

    /// Since when an archive has what a link leads to.
    pub fn first_seen(&self, key: UrlKey, at: Time) {
        self.judge().first_seen(key, at);
    }

    /// What a link is probably worth, by all that was learned.
    pub fn estimate(&self, key: UrlKey) -> Option<f32> {
        self.judge().reconsider(key)
    }

    /// Nothing came of a link.
    pub fn lost(&self, key: UrlKey) {
        self.judge().leads_nowhere(key);
    }

    /// What was known of a link is known of where it leads.
    pub fn redirected(&self, from: UrlKey, to: UrlKey) {
        self.judge().redirected(from, to);
        let mut references = self.references.lock().unwrap_or_else(PoisonError::into_inner);
        if references.contains(&from) && references.insert(to) {
            let mut awaited = self.awaited();
            if awaited.remove(&from) {
                awaited.insert(to);
            }
        }
    }

    fn judge(&self) -> MutexGuard<'_, Judge> {
        self.judge.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the spec says of addresses.
pub fn address_rules(spec: &Spec) -> AddressRules {
    let patterns = spec.judge.patterns.iter().map(|pattern| (pattern.url.clone(), pattern.score as f32));
    AddressRules { spam: spec.judge.spam.clone(), patterns: patterns.collect(), event: spec.event.clone() }
}

/// The judge's settings as the spec has them.
pub fn rules(spec: &Spec) -> Rules {
    let JudgeRules { scorer, exploration, greediness, tunnel_decay, remembered_links, weights, .. } =
        &spec.judge;
    let mut emphasis = [1.0; COUNT];
    for (emphasis, signal) in emphasis.iter_mut().zip(SIGNALS) {
        if let Some((_, weight)) = weights.iter().find(|(name, _)| name == signal) {
            *emphasis = *weight as f32;
        }
    }
    Rules {
        manner: match scorer {
            ScorerKind::Learned => Manner::Learned,
            ScorerKind::Weighted => Manner::Weighted,
        },
        emphasis,
        exploration: *exploration as f32,
        greediness: *greediness,
        tunnel_decay: *tunnel_decay as f32,
        most_links: *remembered_links,
        languages: spec.topic.languages.clone(),
        event: spec.event.clone(),
        addresses: address_rules(spec),
        combines: spec.frontier.update.is_none(),
        ..Rules::default()
    }
}

#[cfg(test)]
mod tests {
    use annalist_judge::names::Names;
    use annalist_judge::{Analyst, Judge, Rules};
    use annalist_model::{CanonicalUrl, Canonicaliser, ResponseHead, Time};
    use annalist_read::Reader;

    use super::{Asked, Basis, Judging};

    const DEBT: &str = "<p>The debt crisis in Athens: creditors and bailout, austerity and debt, day after day. \
        <a href=/more>More on the bailout and the debt crisis</a> <a href=/garden>Roses</a>";

    #[test]
    fn the_topic_is_complete_when_the_last_reference_fails() {
        let [good, bad] =
            ["http://a.test/good", "http://a.test/bad"].map(|url| CanonicalUrl::parse(url).unwrap());
        let judging = || {
            let judge = Judge::new(Rules::default());
            let references = [good.key(), bad.key()].into();
            let analyst = Analyst::new(Names::default(), "en");
            Judging::new(Basis { judge, analyst, references, told: Vec::new() }, &[])
        };
        let head =
            ResponseHead { status: 200, fields: vec![("Content-Type".to_owned(), b"text/html".to_vec())] };
        let page = Reader::new(Canonicaliser::default()).read(&good, &head, DEBT.as_bytes());

        let heard = judging();
        let now = Time::from_millis(1);
        let reading = heard.read(good.key(), &page, now);
        heard.judge().take_reference(good.key(), &reading);
        heard.early.lock().unwrap().push((good.key(), page, now));
        assert_eq!(heard.asked(good.key()), (Asked::One, Vec::new()), "one is still awaited");
        let (asked, revalued) = heard.asked(bad.key());
        let more = CanonicalUrl::parse("http://a.test/more").unwrap().key();
        assert_eq!(asked, Asked::One);
        assert!(revalued.iter().any(|(key, _)| *key == more), "its links are heard again: {revalued:?}");

        let in_vain = judging();
        assert_eq!(in_vain.asked(good.key()).0, Asked::One);
        assert_eq!(in_vain.asked(bad.key()).0, Asked::AllInVain);
        assert_eq!(in_vain.asked(bad.key()).0, Asked::One, "that is said once");
    }
}
