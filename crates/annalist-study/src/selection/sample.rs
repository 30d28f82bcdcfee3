//! Which pages people should judge, to find out how good relevance is: as many of each tenth of its range, so that both ends
//! are seen. Within a tenth, by an order that has nothing to do with what they are.

use xxhash_rust::xxh3::xxh3_64;

use super::candidate::Candidate;

const TENTHS: usize = 10;

/// At most so many pages whose relevance is known, as places in the list. The same archive gives the same pages.
pub fn sample(candidates: &[Candidate], pages: usize) -> Vec<usize> {
    let mut tenths: [Vec<(u64, usize)>; TENTHS] = Default::default();
    for (place, page) in candidates.iter().enumerate() {
        let Some(relevance) = page.relevance else { continue };
        let tenth = ((relevance.clamp(0.0, 1.0) * TENTHS as f32) as usize).min(TENTHS - 1);
        if let Some(tenth) = tenths.get_mut(tenth) {
            tenth.push((xxh3_64(page.url.as_bytes()), place));
        }
    }
    // The last of each is taken first.
    tenths.iter_mut().for_each(|tenth| tenth.sort_unstable_by(|one, other| other.cmp(one)));
    let mut drawn = Vec::new();
    while drawn.len() < pages && tenths.iter().any(|tenth| !tenth.is_empty()) {
        let round: Vec<(u64, usize)> = tenths.iter_mut().filter_map(Vec::pop).collect();
        drawn.extend(round.into_iter().take(pages - drawn.len()));
    }
    // Good and bad ones mixed: who sees only good ones for an hour judges otherwise.
    drawn.sort_unstable();
    drawn.into_iter().map(|(_, place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::sample;
    use crate::selection::Candidate;

    #[test]
    fn both_ends_of_relevance_are_drawn_alike() {
        // A thousand pages that are hardly relevant, ten that are, and one of which nothing is known.
        let page = |number: usize, relevance| Candidate {
            url: format!("http://a.test/{number}"),
            relevance,
            ..Candidate::default()
        };
        let mut pages: Vec<Candidate> = (0..1000).map(|number| page(number, Some(0.05))).collect();
        pages.extend((0..10).map(|number| page(2000 + number, Some(0.95))));
        pages.push(page(5000, None));
        let drawn = sample(&pages, 20);
        let good = drawn.iter().filter(|place| **place >= 1000).count();
        assert_eq!((drawn.len(), good), (20, 10));
        assert_eq!(drawn, sample(&pages, 20));
        assert_eq!(sample(&pages, 5000).len(), 1010);
        assert!(sample(&[], 20).is_empty());
    }
}
