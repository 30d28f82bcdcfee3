//! What a person should look at next: what is most in doubt, of many sites, so that each judgement teaches much.

use std::collections::{BTreeMap, VecDeque};

use xxhash_rust::xxh3::xxh3_64;

use super::candidate::Candidate;
use super::proposal::{Basis, Proposals};

/// What the next page of a site is worth when one of its pages is on the list.
const SAME_SITE: f64 = 0.7;
/// Of so many rows one is of the kind of pages that was looked at least: what nobody doubts may be wrong, too.
const UNSEEN: usize = 3;
/// As long as nothing was learned, relevance alone says what is in doubt, and may know nothing of what is wanted.
const UNSEEN_AT_FIRST: usize = 2;
/// Near duplicates that are listed with a page.
const MOST_ALIKE: usize = 3;

/// A page on the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which candidate it is.
    pub place: usize,
    /// How many pages are nearly the same as it, itself not counted.
    pub alike: usize,
}

/// At most so many rows. Near duplicates stand one behind the other.
pub fn review_list(candidates: &[Candidate], proposals: &Proposals, limit: usize) -> Vec<Row> {
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, original) in proposals.originals.iter().enumerate() {
        groups.entry(original.unwrap_or(place)).or_default().push(place);
    }
    let is_open = |place: &usize| {
        let proposal = proposals.list.get(*place);
        proposal.is_some_and(|proposal| matches!(proposal.basis, Basis::Learned | Basis::Relevance))
    };
    let doubt = |place: usize| {
        let probability = proposals.list.get(place).map_or(1.0, |proposal| proposal.probability);
        1.0 - (2.0 * probability - 1.0).abs()
    };
    // Of each group that somebody has to look at, the first page.
    let mut open: Vec<usize> =
        groups.values().filter_map(|group| group.iter().copied().find(|place| is_open(place))).collect();
    let mut unseen = Unseen::of(candidates, &open, &is_open);
    open.sort_by(|one, other| doubt(*other).total_cmp(&doubt(*one)));
    let mut by_site: BTreeMap<&str, (f64, VecDeque<usize>)> = BTreeMap::new();
    for place in open {
        let site = candidates.get(place).map_or("", |page| page.site.as_str());
        by_site.entry(site).or_insert_with(|| (1.0, VecDeque::new())).1.push_back(place);
    }
    let every = if proposals.lesson.is_some() { UNSEEN } else { UNSEEN_AT_FIRST };
    let mut rows: Vec<Row> = Vec::new();
    let mut listed = vec![false; candidates.len()];
    for turn in 1.. {
        let place = if turn % every == 0 { unseen.next() } else { most_doubtful(&mut by_site, &doubt) };
        let Some(place) = place.or_else(|| unseen.next()).filter(|_| rows.len() < limit) else { break };
        if listed.get_mut(place).is_none_or(|listed| std::mem::replace(listed, true)) {
            continue;
        }
        unseen.see(candidates, place);
        let original = proposals.originals.get(place).copied().flatten().unwrap_or(place);
        let group = groups.get(&original).map(Vec::as_slice).unwrap_or_default();
        let alike = group.len().saturating_sub(1);
        let others = group.iter().copied().filter(|other| *other != place && is_open(other)).take(MOST_ALIKE);
        rows.extend([place].into_iter().chain(others).map(|place| Row { place, alike }));
    }
    rows.truncate(limit);
    rows
}

fn most_doubtful(
    by_site: &mut BTreeMap<&str, (f64, VecDeque<usize>)>,
    doubt: &impl Fn(usize) -> f64,
) -> Option<usize> {
    // What is in no doubt at all still has its turn.
    let worth = |worth: f64, place: usize| worth * (doubt(place) + f64::EPSILON);
    let sites = by_site.values_mut().filter_map(|site| Some((worth(site.0, *site.1.front()?), site)));
    let (_, (worth, pages)) = sites.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    *worth *= SAME_SITE;
    pages.pop_front()
}

/// Pages by site and language, and how many of each somebody has looked at.
#[derive(Debug, Default)]
struct Unseen<'a> {
    kinds: BTreeMap<(&'a str, Option<&'a str>), Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    all: u32,
    seen: u32,
    /// Those that may be listed, in an order that has nothing to do with what they are.
    open: VecDeque<usize>,
}

fn kind(page: &Candidate) -> (&str, Option<&str>) {
    (&page.site, page.language.as_deref())
}

impl<'a> Unseen<'a> {
    fn of(candidates: &'a [Candidate], open: &[usize], is_open: &impl Fn(&usize) -> bool) -> Unseen<'a> {
        let mut unseen = Unseen::default();
        for (place, page) in candidates.iter().enumerate() {
            let seen = unseen.kinds.entry(kind(page)).or_default();
            seen.all += 1;
            seen.seen += u32::from(!is_open(&place));
        }
        let mut shuffled: Vec<(u64, usize)> = open
            .iter()
            .filter_map(|place| Some((xxh3_64(candidates.get(*place)?.url.as_bytes()), *place)))
            .collect();
        shuffled.sort_unstable();
        for (_, place) in shuffled {
            if let Some(page) = candidates.get(place) {
                unseen.kinds.entry(kind(page)).or_default().open.push_back(place);
            }
        }
        unseen
    }

    /// Large kinds get more, but not as much more as they are larger.
    fn next(&mut self) -> Option<usize> {
        let open = self.kinds.values_mut().filter(|seen| !seen.open.is_empty());
        let worth = |seen: &Seen| f64::from(seen.all).sqrt() / f64::from(1 + seen.seen);
        let best = open.reduce(|best, next| if worth(next) > worth(best) { next } else { best })?;
        best.open.pop_front()
    }

    fn see(&mut self, candidates: &'a [Candidate], place: usize) {
        if let Some(page) = candidates.get(place) {
            self.kinds.entry(kind(page)).or_default().seen += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use xxhash_rust::xxh3::xxh3_64;

    use super::review_list;
    use crate::selection::{Candidate, Choice, Decision, Decisions, Proposals, Rules, propose};

    fn page(number: usize, site: usize, relevance: f32) -> Candidate {
        Candidate {
            url: format!("http://s{site}.test/{number}"),
            site: format!("s{site}.test"),
            relevance: Some(relevance),
            words: 1,
            simhash: xxh3_64(&number.to_le_bytes()),
            ..Candidate::default()
        }
    }

    fn proposed(pages: &[Candidate], decided: &[usize]) -> Proposals {
        let mut decisions = Decisions::default();
        for number in decided {
            let url = pages[*number].url.clone();
            let when = String::new();
            let decision = Decision {
                url: url.clone(),
                record: None,
                decision: Choice::Keep,
                when,
                by: None,
                note: None,
            };
            decisions.by_url.insert(url, decision);
        }
        propose(pages, &Rules::default(), &decisions, None)
    }

    #[test]
    fn doubtful_pages_of_many_sites_come_first_and_what_is_settled_does_not_come() {
        let mut pages: Vec<Candidate> = (0..60).map(|n| page(n, n % 3, 0.5 + 0.008 * n as f32)).collect();
        pages.push(page(99, 9, 0.55));
        let proposals = proposed(&pages, &[0, 3]);
        let rows = review_list(&pages, &proposals, 12);
        assert_eq!(rows.len(), 12);
        let sites: BTreeSet<&str> = rows.iter().take(8).map(|row| pages[row.place].site.as_str()).collect();
        assert_eq!(rows[0].place, 1, "the most doubtful");
        assert_eq!(sites.len(), 4, "{rows:?}");
        assert!(rows.iter().all(|row| row.place != 0 && row.place != 3), "somebody has decided");
        let all = review_list(&pages, &proposals, 1000);
        let places: BTreeSet<usize> = all.iter().map(|row| row.place).collect();
        assert_eq!((all.len(), places.len()), (59, 59), "each once");
    }

    #[test]
    fn near_duplicates_stand_together() {
        let mut pages: Vec<Candidate> = (0..30).map(|n| page(n, n, 0.5)).collect();
        for number in [7, 19, 25] {
            pages[number].simhash = pages[2].simhash;
        }
        let rows = review_list(&pages, &proposed(&pages, &[]), 100);
        let at = rows.iter().position(|row| row.place == 2).unwrap();
        let group: Vec<(usize, usize)> = rows[at..at + 4].iter().map(|row| (row.place, row.alike)).collect();
        assert_eq!(group, [(2, 3), (7, 3), (19, 3), (25, 3)]);
    }
}
