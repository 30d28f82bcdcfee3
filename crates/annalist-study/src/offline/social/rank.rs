//! How much each counts to whom others refer: PageRank. Whoever is referred to by those who count, counts.

/// From, to, and how strongly.
pub(super) type Edge = (u32, u32, f64);

/// The share that is passed on; the rest goes to everybody alike.
const DAMPING: f64 = 0.85;
const MOST_ROUNDS: usize = 200;
/// All shares together change less than this at the end.
const ENOUGH: f64 = 1e-10;

/// Shares that come to 1, for authors 0 to `count`. The same for the same edges in the same order.
pub(super) fn influence(count: usize, edges: &[Edge]) -> Vec<f64> {
    if count == 0 {
        return Vec::new();
    }
    let mut given = vec![0.0; count];
    for (from, _, weight) in edges {
        if let Some(sum) = given.get_mut(*from as usize) {
            *sum += weight;
        }
    }
    let mut shares = vec![1.0 / count as f64; count];
    for _ in 0..MOST_ROUNDS {
        // Who refers to nobody passes the share on to all.
        let idle: f64 =
            shares.iter().zip(&given).filter(|(_, given)| **given == 0.0).map(|(share, _)| share).sum();
        let mut next = vec![(1.0 - DAMPING + DAMPING * idle) / count as f64; count];
        for (from, to, weight) in edges {
            let (Some(share), Some(given)) = (shares.get(*from as usize), given.get(*from as usize)) else {
                continue;
            };
            if let Some(sum) = next.get_mut(*to as usize) {
                *sum += DAMPING * share * weight / given;
            }
        }
        let change: f64 = shares.iter().zip(&next).map(|(before, after)| (before - after).abs()).sum();
        shares = next;
        if change < ENOUGH {
            break;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::influence;

    #[test]
    fn shares_come_to_one_and_are_those_of_the_equations() {
        // Two refer to the third, who refers to the first; the fourth stands alone.
        let shares = influence(4, &[(0, 2, 1.0), (1, 2, 3.0), (2, 0, 0.5)]);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{shares:?}");
        let rest = (0.15 + 0.85 * shares[3]) / 4.0;
        assert!((shares[1] - rest).abs() < 1e-9 && (shares[3] - rest).abs() < 1e-9, "{shares:?}");
        assert!((shares[0] - rest - 0.85 * shares[2]).abs() < 1e-9, "{shares:?}");
        assert!((shares[2] - rest - 0.85 * (shares[0] + shares[1])).abs() < 1e-9, "{shares:?}");
    }

    #[test]
    fn nobody_and_nothing_are_no_trouble() {
        assert!(influence(0, &[]).is_empty());
        assert_eq!(influence(2, &[]), [0.5, 0.5]);
    }
}
