//! The one place where the clock is read. Everything else takes the present moment as an argument.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use annalist_model::Time;

pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// When a rest that begins now is over: never early. No rest is over at once.
pub fn after(rest: Duration) -> Time {
    rested_from(now(), rest)
}

/// When a rest is over that began in that millisecond: never early.
pub fn rested_from(begun: Time, rest: Duration) -> Time {
    if rest.is_zero() { begun } else { begun.plus(rest + JUST_AFTER) }
}

/// How long it has been since, rounded up.
pub fn elapsed(since: Time) -> Duration {
    now().since(since) + JUST_AFTER
}

/// What `now` leaves out.
const JUST_AFTER: Duration = Duration::from_millis(1);

/// Sleeps until that moment; returns at once when it has passed.
pub async fn sleep_until(moment: Time) {
    let wait = moment.since(now());
    if !wait.is_zero() {
        // One more millisecond: timers count from a finer clock than `now`, and early is worse than late.
        tokio::time::sleep(wait + JUST_AFTER).await;
    }
}
