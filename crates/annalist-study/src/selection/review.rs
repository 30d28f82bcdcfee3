//! What a person should look at next: what is most in doubt, of many sites, so that each judgement teaches much.

use std::collections::{BTreeMap, HashMap, VecDeque};

use xxhash_rust::xxh3::xxh3_64;

use super::candidate::Candidate;
use super::proposal::{Basis, Proposals};

/// What the next page of a site is worth when one of its pages is on the list.
const SAME_SITE: f64 = 0.7;
/// Of so many rows one is any page: what nobody doubts may be wrong, too.
const ANY: usize = 4;
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
    let mut by_site: HashMap<&str, VecDeque<usize>> = HashMap::new();
    let mut any: Vec<(u64, usize)> = Vec::new();
    for group in groups.values() {
        let Some(place) = group.iter().copied().find(|place| is_open(place)) else { continue };
        let Some(page) = candidates.get(place) else { continue };
        by_site.entry(&page.site).or_default().push_back(place);
        any.push((xxh3_64(page.url.as_bytes()), place));
    }
    for pages in by_site.values_mut() {
        pages.make_contiguous().sort_by(|one, other| doubt(*other).total_cmp(&doubt(*one)));
    }
    any.sort_unstable();
    let mut any = any.into_iter().map(|(_, place)| place);
    let mut sites: Vec<(&str, VecDeque<usize>, f64)> =
        by_site.into_iter().map(|(site, pages)| (site, pages, 1.0)).collect();
    sites.sort_by_key(|(site, _, _)| *site);
    let mut rows: Vec<Row> = Vec::new();
    let mut listed = vec![false; candidates.len()];
    let mut turn = 0;
    while rows.len() < limit {
        turn += 1;
        let doubtful = |(_, pages, worth): &(&str, VecDeque<usize>, f64)| {
            pages.front().map(|place| worth * (doubt(*place) + f64::EPSILON))
        };
        let chance =
            if turn % ANY == 0 { any.find(|place| listed.get(*place) == Some(&false)) } else { None };
        let place = match chance {
            Some(place) => place,
            None => {
                let best = sites
                    .iter_mut()
                    .filter_map(|site| Some((doubtful(site)?, site)))
                    .reduce(|best, next| if next.0 > best.0 { next } else { best });
                let Some((_, (_, pages, worth))) = best else { break };
                *worth *= SAME_SITE;
                let Some(place) = pages.pop_front() else { break };
                place
            }
        };
        if listed.get_mut(place).is_none_or(|listed| std::mem::replace(listed, true)) {
            continue;
        }
        let original = proposals.originals.get(place).copied().flatten().unwrap_or(place);
        let group = groups.get(&original).map(Vec::as_slice).unwrap_or_default();
        let alike = group.len().saturating_sub(1);
        let others = group.iter().copied().filter(|other| *other != place && is_open(other)).take(MOST_ALIKE);
        rows.extend([place].into_iter().chain(others).map(|place| Row { place, alike }));
    }
    rows.truncate(limit);
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::review_list;
    use crate::selection::{Candidate, Choice, Decision, Decisions, Proposals, Rules, propose};

    fn page(number: usize, site: usize, relevance: f32) -> Candidate {
        Candidate {
            url: format!("http://s{site}.test/{number}"),
            site: format!("s{site}.test"),
            relevance: Some(relevance),
            words: 1,
            fingerprint: number as u64,
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
        let sites: BTreeSet<&str> = rows.iter().take(6).map(|row| pages[row.place].site.as_str()).collect();
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
            pages[number].fingerprint = 2;
        }
        let rows = review_list(&pages, &proposed(&pages, &[]), 100);
        let at = rows.iter().position(|row| row.place == 2).unwrap();
        let group: Vec<(usize, usize)> = rows[at..at + 4].iter().map(|row| (row.place, row.alike)).collect();
        assert_eq!(group, [(2, 3), (7, 3), (19, 3), (25, 3)]);
    }
}
