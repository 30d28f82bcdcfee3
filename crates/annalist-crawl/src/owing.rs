//! What the crawls of one process owe servers: until when each lets a server rest that it asked. Whoever asks next heeds
//! all of it. Other processes know of it by the book (`book.rs`), which may be missing or broken; this is never.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annalist_model::Time;

use crate::book::{UNDER_WAY, believable};

/// What is over is looked for when more than this many servers are known.
const MANY_SERVERS: usize = 10_000;

/// What all crawls of a process owe. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Owed {
    ledger: Arc<Mutex<Ledger>>,
    /// How many crawls there have been.
    crawls: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Ledger {
    servers: HashMap<IpAddr, Vec<Debt>>,
    /// How many servers were left when it was tidied last.
    left: usize,
}

/// What one crawl owes a server.
#[derive(Debug)]
struct Debt {
    crawl: u64,
    until: Time,
    /// How long the rest is from its beginning.
    rest: Duration,
}

/// What the crawls of a process owe, as one of them uses it.
#[derive(Debug)]
pub struct Owing {
    owed: Owed,
    crawl: u64,
}

impl Owed {
    /// For one more crawl.
    pub fn by_another(&self) -> Owing {
        Owing { owed: self.clone(), crawl: self.crawls.fetch_add(1, Ordering::Relaxed) }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Owing {
    /// Until when the server rests, whoever asked it, if it does.
    pub fn rests_until(&self, server: IpAddr, clock: impl Fn() -> Time) -> Option<Time> {
        let mut ledger = self.owed.ledger();
        let debts = ledger.servers.get_mut(&server.to_canonical())?;
        settle(debts, clock());
        debts.iter().map(|debt| debt.until).max()
    }

    /// The server is asked now. Should nobody be left to say when that ended, its rest begins when that is found.
    pub fn begin(&self, server: IpAddr, rest: Duration, now: Time) {
        if !rest.is_zero() {
            self.owe(server, UNDER_WAY, rest, now);
        }
    }

    /// The server was asked, and rests until then.
    pub fn owe(&self, server: IpAddr, until: Time, rest: Duration, now: Time) {
        self.change(server, now, |debt| (debt.until, debt.rest) = (until, rest));
    }

    /// The server wants a longer rest than was known when its request ended.
    pub fn lengthen(&self, server: IpAddr, until: Time, now: Time) {
        self.change(server, now, |debt| {
            if debt.until < until {
                (debt.until, debt.rest) = (until, until.since(now));
            }
        });
    }

    /// What this crawl owes the server is over sooner; whether it was longer.
    pub fn shorten(&self, server: IpAddr, until: Time) -> bool {
        let mut ledger = self.owed.ledger();
        let debts = ledger.servers.get_mut(&server.to_canonical());
        let own = debts.and_then(|debts| debts.iter_mut().find(|debt| debt.crawl == self.crawl));
        let Some(own) = own.filter(|own| own.until > until && own.until < UNDER_WAY) else { return false };
        own.until = until;
        true
    }

    fn change(&self, server: IpAddr, now: Time, change: impl FnOnce(&mut Debt)) {
        let mut ledger = self.owed.ledger();
        ledger.tidy(now);
        let debts = ledger.servers.entry(server.to_canonical()).or_default();
        if let Some(own) = debts.iter_mut().find(|debt| debt.crawl == self.crawl) {
            return change(own);
        }
        let mut own = Debt { crawl: self.crawl, until: Time::default(), rest: Duration::ZERO };
        change(&mut own);
        debts.push(own);
    }
}

impl Ledger {
    fn tidy(&mut self, now: Time) {
        // Where most of them still rest, not at every request.
        if self.servers.len() < MANY_SERVERS.max(2 * self.left) {
            return;
        }
        self.servers.retain(|_, debts| {
            settle(debts, now);
            !debts.is_empty()
        });
        self.left = self.servers.len();
    }
}

/// Leaves what is not over.
fn settle(debts: &mut Vec<Debt>, now: Time) {
    debts.retain_mut(|debt| {
        debt.until = believable(debt.until, debt.rest, now);
        debt.until > now
    });
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use annalist_model::Time;

    use super::{MANY_SERVERS, Owed, Owing};
    use crate::clock;

    const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const REST: Duration = Duration::from_secs(3);

    fn at(millis: u64) -> Time {
        Time::from_millis(1_794_776_361_000 + millis)
    }

    fn two() -> (Owing, Owing) {
        let owed = Owed::default();
        (owed.by_another(), owed.by_another())
    }

    fn seen(by: &Owing, now: Time) -> Option<Time> {
        by.rests_until(ONE, || now)
    }

    #[test]
    fn a_rest_is_kept_by_all_crawls_and_by_those_that_come_later() {
        let owed = Owed::default();
        let mine = owed.by_another();
        mine.begin(ONE, REST, at(0));
        mine.owe(ONE, at(3500), REST, at(500));
        drop(mine);
        let yours = owed.by_another();
        assert_eq!(seen(&yours, at(3000)), Some(at(3500)));
        assert_eq!(yours.rests_until(IpAddr::V4(Ipv4Addr::LOCALHOST), || at(3000)), None);
        let IpAddr::V4(plain) = ONE else { return };
        let mapped = IpAddr::V6(plain.to_ipv6_mapped());
        assert_eq!(yours.rests_until(mapped, || at(3000)), Some(at(3500)));
        assert_eq!(seen(&yours, at(3500)), None);
    }

    #[test]
    fn a_rest_begins_when_its_asker_is_found_to_have_been_ended() {
        let (mine, yours) = two();
        mine.begin(ONE, REST, at(0));
        let over = clock::rested_from(at(10_000), REST);
        assert_eq!((seen(&yours, at(10_000)), seen(&yours, at(11_000))), (Some(over), Some(over)));
        mine.begin(ONE, Duration::ZERO, over);
        assert_eq!(seen(&yours, over), None);
    }

    #[test]
    fn a_rest_becomes_longer_and_shorter_by_who_owes_it_and_nobody_elses_does() {
        let (mine, yours) = two();
        mine.owe(ONE, at(3000), REST, at(0));
        yours.owe(ONE, at(5000), 2 * REST, at(1000));
        mine.lengthen(ONE, at(2000), at(1500));
        mine.lengthen(ONE, at(9000), at(1500));
        assert_eq!(seen(&yours, at(2000)), Some(at(9000)));
        assert!(mine.shorten(ONE, at(2500)) && !mine.shorten(ONE, at(2500)));
        assert_eq!(seen(&mine, at(2000)), Some(at(5000)));
        yours.begin(ONE, REST, at(5000));
        assert!(!yours.shorten(ONE, at(4000)), "it is being asked");
    }

    #[test]
    fn a_clock_that_was_wrong_delays_a_crawl_by_one_rest() {
        let (mine, yours) = two();
        mine.owe(ONE, at(86_400_000), REST, at(86_397_000));
        assert_eq!(seen(&yours, at(0)), Some(clock::rested_from(at(0), REST)));
    }

    #[test]
    fn servers_that_have_rested_are_forgotten_and_others_are_not() {
        let (mine, yours) = two();
        mine.owe(ONE, at(3_600_000), 1200 * REST, at(0));
        for n in 0..3 * MANY_SERVERS as u32 {
            mine.owe(IpAddr::V4(Ipv4Addr::from(n)), at(10), REST, at(u64::from(n)));
        }
        assert!(mine.owed.ledger().servers.len() <= MANY_SERVERS);
        assert!(seen(&yours, at(3_000_000)).is_some());
    }
}
