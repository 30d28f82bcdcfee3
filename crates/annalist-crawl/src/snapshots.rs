//! Which of the snapshots that an archive has of an address belong to the collection.

use annalist_model::Time;
use annalist_model::spec::{Event, SnapshotChoice};
use annalist_sources::Snapshot;

/// What is wanted of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Newest,
    Oldest,
    /// All of them, oldest first.
    All,
    /// The earliest of this span, else the nearest to it. What a page embeds is wanted at the moment of the page.
    Within {
        from: Time,
        until: Time,
    },
}

impl Wanted {
    /// What the spec wants of pages. Where nothing has happened at a time of its own, the newest.
    pub fn of(choice: SnapshotChoice, event: Option<&Event>) -> Wanted {
        match (choice, event) {
            (SnapshotChoice::All, _) => Wanted::All,
            (SnapshotChoice::Oldest, _) => Wanted::Oldest,
            (SnapshotChoice::Event, Some(event)) => {
                Wanted::Within { from: event.begins(), until: event.ends() }
            }
            (SnapshotChoice::Newest | SnapshotChoice::Event, _) => Wanted::Newest,
        }
    }

    /// What is wanted of something that a page embeds which was captured at that moment.
    pub fn with_page(moment: Time) -> Wanted {
        Wanted::Within { from: moment, until: moment }
    }

    /// The snapshots that may be taken, the best first; all of which are, where all are wanted. Answers come before redirects;
    /// errors say only that nothing was there.
    pub fn of_these(self, mut snapshots: Vec<Snapshot>) -> Vec<Snapshot> {
        snapshots.retain(|snapshot| standing(snapshot) > 0);
        let best = snapshots.iter().map(standing).max().unwrap_or(0);
        if self != Wanted::All {
            snapshots.sort_by_key(|snapshot| (best - standing(snapshot), self.distance(snapshot.at)));
        }
        snapshots
    }

    /// How far from what is wanted a moment is.
    fn distance(self, at: Time) -> (u64, u64) {
        let at = at.millis();
        match self {
            Wanted::Newest => (u64::MAX - at, 0),
            Wanted::Oldest | Wanted::All => (at, 0),
            Wanted::Within { from, until } => {
                let (from, until) = (from.millis(), until.millis());
                // Among those within, the earliest; of two as near, the one before.
                (from.saturating_sub(at).max(at.saturating_sub(until)), at)
            }
        }
    }
}

/// An answer, a redirect, or neither. What the index does not tell, of a revisit for one, is taken for what it mostly is.
fn standing(snapshot: &Snapshot) -> u8 {
    match snapshot.status {
        Some(200..300) => 2,
        Some(300..400) => 1,
        None => 2,
        _ => 0,
    }
}
