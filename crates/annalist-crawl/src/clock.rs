//! The one place where the clock is read. Everything else takes the present moment as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use annalist_model::Time;

pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The present moment, rounded up: what is counted from it never comes early.
pub fn now_or_just_after() -> Time {
    now().plus(std::time::Duration::from_millis(1))
}

/// Sleeps until that moment; returns at once when it has passed.
pub async fn sleep_until(moment: Time) {
    let wait = moment.since(now());
    if !wait.is_zero() {
        // One more millisecond: timers count from a finer clock than `now`, and early is worse than late.
        tokio::time::sleep(wait + std::time::Duration::from_millis(1)).await;
    }
}
