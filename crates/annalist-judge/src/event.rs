//! Where the topic is an event: how near to it a document's time is, and what content and time make of a page together.
//! Telling a document's time is done elsewhere.

use std::time::Duration;

use annalist_model::DocumentTime;
use annalist_model::spec::{Event, RelevanceKind};
use jiff::civil::Date;

/// How a page's time takes off its content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping {
    /// What is left where the time speaks against it altogether: times are often wrong, or those of the capture only, and
    /// pages about an event are written long after it, too.
    pub floor: f32,
    /// Of the temporal relevance; a half makes half-lives count double.
    pub power: f32,
}

/// What agreed best with people who judged pages of eleven events (docs/evaluation.md). Anything from 0.2 to 0.4, and any power
/// below 1, is nearly as good.
impl Default for Damping {
    fn default() -> Self {
        Damping { floor: 0.3, power: 0.5 }
    }
}

impl Damping {
    pub fn relevance(self, content: f32, time: f32) -> f32 {
        content * (self.floor + (1.0 - self.floor) * time.powf(self.power))
    }
}

/// How relevant a document of that time is: 1 within the event, its last day included; outside, half as much after each
/// half-life, and nothing where no lead or cool-down is allowed. Of a document that may be from any time of a day, a month or
/// a year, the most relevant of these counts.
pub fn temporal(event: &Event, time: DocumentTime) -> f32 {
    let [first, last] = [time.at, time.until].map(|at| i64::try_from(at.millis()).unwrap_or(i64::MAX));
    let (from, end) = (midnight(event.from), midnight(event.until).saturating_add(DAY));
    if last < from {
        decayed(from - last, event.lead)
    } else if first >= end {
        decayed(first - end, event.cooldown)
    } else {
        1.0
    }
}

/// What a page's content and its time make of it. Where its time is not known, its content decides.
pub fn relevance(event: &Event, content: f32, time: Option<DocumentTime>) -> f32 {
    let time = time.map(|time| temporal(event, time));
    match (event.relevance, time) {
        (RelevanceKind::None, _) => 1.0,
        (_, None) => content,
        (kind, Some(time)) => combined(kind, event.weight as f32, content, time),
    }
}

/// Of two numbers in [0, 1], one. `weight` is that of the content in the mean.
pub fn combined(kind: RelevanceKind, weight: f32, content: f32, time: f32) -> f32 {
    match kind {
        RelevanceKind::Default => Damping::default().relevance(content, time),
        RelevanceKind::Content => content,
        RelevanceKind::Time => time,
        RelevanceKind::Mean => weight * content + (1.0 - weight) * time,
        RelevanceKind::None => 1.0,
    }
}

const DAY: i64 = 24 * 60 * 60 * 1000;

/// In milliseconds since 1970.
fn midnight(day: Date) -> i64 {
    let days = day.since(Date::constant(1970, 1, 1)).map_or(0, |span| span.get_days());
    i64::from(days) * DAY
}

fn decayed(distance: i64, half_life: Duration) -> f32 {
    if half_life.is_zero() {
        return 0.0;
    }
    (-(distance as f64) / 1000.0 / half_life.as_secs_f64()).exp2() as f32
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use annalist_model::spec::{Event, RelevanceKind};
    use annalist_model::{DocumentTime, Time, TimeBasis};
    use jiff::civil::date;

    use super::{DAY, midnight, relevance, temporal};

    fn event() -> Event {
        Event {
            from: date(2005, 9, 18),
            until: date(2005, 9, 19),
            lead: Duration::from_secs(10 * 86400),
            cooldown: Duration::from_secs(2 * 86400),
            relevance: RelevanceKind::Default,
            weight: 0.5,
        }
    }

    fn at(year: i16, month: i8, day: i8, hour: i64) -> Time {
        Time::from_millis((midnight(date(year, month, day)) + hour * DAY / 24) as u64)
    }

    fn exactly(at: Time) -> DocumentTime {
        DocumentTime::exact(at, TimeBasis::Published)
    }

    #[test]
    fn of_a_document_of_some_month_the_best_day_of_the_month_counts() {
        let told = |month| {
            let until = at(2005, month + 1, 1, 0);
            temporal(&event(), DocumentTime { until, ..exactly(at(2005, month, 1, 0)) })
        };
        assert_eq!(told(9), 1.0);
        assert_eq!(told(8), temporal(&event(), exactly(at(2005, 9, 1, 0))));
        assert_eq!(told(10), temporal(&event(), exactly(at(2005, 10, 1, 0))));
    }

    #[test]
    fn a_document_counts_fully_until_the_end_of_the_last_day_and_half_after_each_half_life() {
        let told = |time| temporal(&event(), exactly(time));
        assert_eq!((told(at(2005, 9, 18, 0)), told(at(2005, 9, 19, 23))), (1.0, 1.0));
        assert_eq!((told(at(2005, 9, 8, 0)), told(at(2005, 8, 29, 0))), (0.5, 0.25));
        assert_eq!(
            (told(at(2005, 9, 20, 0)), told(at(2005, 9, 22, 0)), told(at(2005, 9, 26, 0))),
            (1.0, 0.5, 0.125)
        );
    }

    #[test]
    fn without_lead_or_cooldown_nothing_outside_of_the_event_counts() {
        let strict = Event { lead: Duration::ZERO, cooldown: Duration::ZERO, ..event() };
        let told = |time| temporal(&strict, exactly(time));
        assert_eq!((told(at(2005, 9, 17, 23)), told(at(2005, 9, 18, 0))), (0.0, 1.0));
        assert_eq!((told(at(2005, 9, 19, 23)), told(at(2005, 9, 20, 0))), (1.0, 0.0));
    }

    #[test]
    fn an_event_before_computers_had_clocks_is_an_event_too() {
        let old = Event { from: date(1848, 3, 1), until: date(1848, 3, 31), ..event() };
        assert_eq!(temporal(&old, exactly(Time::from_millis(0))), 0.0);
        assert_eq!(temporal(&Event { until: date(1970, 1, 1), ..old }, exactly(Time::from_millis(5))), 1.0);
        assert!(temporal(&event(), exactly(Time::from_millis(u64::MAX))) < 1e-9);
    }

    #[test]
    fn each_relevance_takes_of_content_and_time_what_it_says() {
        let time = Some(exactly(at(2005, 9, 8, 0)));
        let told = |kind, weight| relevance(&Event { relevance: kind, weight, ..event() }, 0.8, time);
        assert_eq!(told(RelevanceKind::Content, 0.5), 0.8);
        assert_eq!(told(RelevanceKind::Time, 0.5), 0.5);
        assert!((told(RelevanceKind::Mean, 0.5) - 0.65).abs() < 1e-6);
        assert!((told(RelevanceKind::Mean, 1.0) - 0.8).abs() < 1e-6);
        assert_eq!(told(RelevanceKind::None, 0.5), 1.0);
        let both = told(RelevanceKind::Default, 0.5);
        assert!((both - 0.8 * (0.3 + 0.7 * 0.5_f32.sqrt())).abs() < 1e-6, "{both}");
        assert_eq!(relevance(&event(), 0.8, None), 0.8, "without a time the content decides");
    }
}
