//! How a crawl is told to end: once to finish the pages under way, twice to stop at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use tokio::sync::Notify;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urge {
    /// Go on.
    None,
    /// Finish the pages under way, close the files.
    Finish,
    /// Leave everything as it is; the files are valid up to what was acknowledged.
    AtOnce,
}

/// Shared by everything that must notice the end. It only ever gets more urgent.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    level: AtomicU8,
    /// Whether somebody pressed already; a crawl that ends by itself was not pressed.
    pressed: AtomicBool,
    changed: Notify,
}

impl Stop {
    pub fn new() -> Stop {
        Stop::default()
    }

    /// The first call asks to finish, the second to stop at once.
    pub fn press(&self) {
        let again = self.shared.pressed.swap(true, Ordering::SeqCst);
        self.raise(if again { Urge::AtOnce } else { Urge::Finish });
    }

    /// Whether somebody wants it to end; a crawl that ends by itself does not.
    pub fn is_pressed(&self) -> bool {
        self.shared.pressed.load(Ordering::SeqCst)
    }

    pub fn raise(&self, urge: Urge) {
        self.shared.level.fetch_max(urge as u8, Ordering::SeqCst);
        self.shared.changed.notify_waiters();
    }

    pub fn urge(&self) -> Urge {
        match self.shared.level.load(Ordering::SeqCst) {
            0 => Urge::None,
            1 => Urge::Finish,
            _ => Urge::AtOnce,
        }
    }

    pub fn is_asked(&self) -> bool {
        self.urge() != Urge::None
    }

    /// Returns when it is at least that urgent.
    pub async fn reached(&self, urge: Urge) {
        loop {
            let changed = self.shared.changed.notified();
            tokio::pin!(changed);
            // Registered before looking: a press in between is not missed.
            changed.as_mut().enable();
            if self.urge() >= urge {
                return;
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Stop, Urge};

    #[tokio::test]
    async fn two_presses_stop_at_once() {
        let stop = Stop::new();
        assert_eq!(stop.urge(), Urge::None);
        stop.press();
        assert_eq!(stop.urge(), Urge::Finish);
        stop.reached(Urge::Finish).await;
        stop.press();
        stop.reached(Urge::AtOnce).await;
        stop.raise(Urge::Finish);
        assert_eq!(stop.urge(), Urge::AtOnce);
    }

    #[test]
    fn the_first_press_finishes_though_the_crawl_is_ending_already() {
        let stop = Stop::new();
        stop.raise(Urge::Finish);
        stop.press();
        assert_eq!(stop.urge(), Urge::Finish);
        stop.press();
        assert_eq!(stop.urge(), Urge::AtOnce);
    }
}
