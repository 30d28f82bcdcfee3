//! How fast a crawl is: captures a second, over the last few seconds. How it went before is in `series.rs`.

use std::collections::VecDeque;
use std::time::Duration;

use annalist_model::Time;

/// So far back is looked: shorter, and the number flickers; longer, and a crawl that has come to a halt seems to run.
const SPAN: Duration = Duration::from_secs(5);
/// What is nearer together than this says nothing.
const APART: Duration = Duration::from_millis(500);

/// What was counted when, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    seen: VecDeque<(Time, u64)>,
}

impl Pace {
    /// Takes down how many captures there are now, and says how many came a second.
    pub(crate) fn at(&mut self, now: Time, captures: u64) -> f64 {
        if self.seen.back().is_none_or(|(at, _)| now.since(*at) >= APART) {
            self.seen.push_back((now, captures));
        }
        // The last one before the span is its beginning.
        while self.seen.get(1).is_some_and(|(at, _)| now.since(*at) >= SPAN) {
            self.seen.pop_front();
        }
        let Some((from, before)) = self.seen.front() else { return 0.0 };
        let seconds = now.since(*from);
        if seconds < APART {
            return 0.0;
        }
        captures.saturating_sub(*before) as f64 / seconds.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::Time;

    use super::Pace;

    #[test]
    fn a_pace_is_that_of_the_last_seconds() {
        let mut pace = Pace::default();
        assert_eq!(pace.at(Time::from_millis(0), 100), 0.0, "what earlier runs had does not count");
        let mut last = 0.0;
        for tenth in 1..=100 {
            last = pace.at(Time::from_millis(tenth * 100), 100 + tenth);
        }
        assert!((last - 10.0).abs() < 0.5, "{last}");
        for tenth in 101..=170 {
            last = pace.at(Time::from_millis(tenth * 100), 200);
        }
        assert_eq!(last, 0.0, "a crawl that has come to a halt is not fast");
        assert!(pace.seen.len() < 15, "{}", pace.seen.len());
    }
}
