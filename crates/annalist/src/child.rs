//! When this program is run by its own service: it ends with it, and tells more often how far it is.

use std::time::Duration;

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

/// Whose end is ours, too.
const PARENT: &str = "ANNALIST_PARENT";
/// Seconds between two lines about the way of some work.
const PROGRESS: &str = "ANNALIST_PROGRESS";

/// From now on the end of the service ends this process as Ctrl-C would, however the service ended. Says whether it is there.
pub fn lives_with_parent() -> bool {
    let Some(parent) = std::env::var(PARENT).ok().and_then(|text| text.parse().ok()).and_then(Pid::from_raw)
    else {
        return true;
    };
    // Where the system does not know of this, an orphan works to its end.
    let _ = set_parent_process_death_signal(Some(Signal::TERM));
    // After the signal was asked for: it may have ended before.
    getppid() == Some(parent)
}

pub fn between_lines() -> Option<Duration> {
    let seconds = std::env::var(PROGRESS).ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}
