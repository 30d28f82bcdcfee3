//! When a crawl is started by itself.

use annalist_model::Time;

use crate::wanted::Schedule;

/// What is left of a schedule whose time has come; nothing while it has not. Starts that were missed are not made up for.
pub fn due(schedule: &Schedule, now: Time) -> Option<Option<Schedule>> {
    // What cannot be read was refused when it was set; somebody has edited the file.
    let next = Time::from_rfc3339(&schedule.next)?;
    if next > now {
        return None;
    }
    let Some(every) = schedule.every_seconds.filter(|every| *every > 0) else { return Some(None) };
    let missed = now.millis().saturating_sub(next.millis()) / every.saturating_mul(1000).max(1);
    let after = next.millis().saturating_add((missed + 1).saturating_mul(every).saturating_mul(1000));
    let next = Time::from_millis(after).rfc3339();
    Some(Some(Schedule { next, every_seconds: Some(every) }))
}

#[cfg(test)]
mod tests {
    use annalist_model::Time;

    use super::due;
    use crate::wanted::Schedule;

    fn at(hour: u32, minute: u32) -> String {
        format!("2026-11-16T{hour:02}:{minute:02}:00.000Z")
    }

    #[test]
    fn a_start_is_due_when_its_time_has_come_and_missed_ones_are_left_out() {
        let schedule = Schedule { next: at(10, 0), every_seconds: Some(3600) };
        let now = |text: String| Time::from_rfc3339(&text).unwrap();
        assert_eq!(due(&schedule, now(at(9, 59))), None);
        let left = |hour, minute| due(&schedule, now(at(hour, minute))).unwrap().unwrap().next;
        assert_eq!(left(10, 0), at(11, 0));
        assert_eq!(left(13, 30), at(14, 0));
        let once = Schedule { every_seconds: None, ..schedule };
        assert_eq!(due(&once, now(at(10, 0))), Some(None));
    }
}
