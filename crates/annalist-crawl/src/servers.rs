//! Politeness by server: one request at a time to an IP address, and none before its rest is over, however many
//! sites share it. When a site may be asked is the frontier's concern; how long a rest lasts is in `delay.rs`.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use annalist_model::Time;

/// Leases that wait for one server; more are sent back to the frontier.
const LONGEST_QUEUE: usize = 32;
/// Servers whose rest is long over are forgotten when more than this many are known.
const MANY_SERVERS: usize = 50_000;

/// Every server that is being asked or rests. `L` is what waits for a turn: a lease.
#[derive(Debug)]
pub struct Servers<L> {
    known: Mutex<HashMap<IpAddr, Server<L>>>,
    /// A server this process has not asked yet may have been asked by the one before: it rests until then.
    unknown_rest_until: Time,
}

#[derive(Debug)]
struct Server<L> {
    busy: bool,
    rests_until: Time,
    waiting: VecDeque<L>,
}

/// What came of asking for a server's turn.
#[derive(Debug, PartialEq, Eq)]
pub enum Turn<L> {
    /// The server is the caller's alone, from that moment on, until it is passed on.
    Yours { lease: L, from: Time },
    /// Somebody else has it; the lease is handed over when they are done.
    Waiting,
    /// Too many wait already.
    Crowded(L),
}

impl<L> Servers<L> {
    pub fn new(unknown_rest_until: Time) -> Servers<L> {
        Servers { known: Mutex::new(HashMap::new()), unknown_rest_until }
    }

    /// Takes the server's turn, or queues for it.
    pub fn take(&self, address: IpAddr, lease: L, now: Time) -> Turn<L> {
        let mut known = self.lock();
        forget_rested(&mut known, now);
        let server = entry(&mut known, address, self.unknown_rest_until);
        if !server.busy {
            server.busy = true;
            return Turn::Yours { lease, from: server.rests_until };
        }
        if server.waiting.len() >= LONGEST_QUEUE {
            return Turn::Crowded(lease);
        }
        server.waiting.push_back(lease);
        Turn::Waiting
    }

    /// Takes the turn of a further server in the middle of a visit (a host with two addresses, a redirected
    /// robots.txt); never queues, so two visits cannot wait for each other.
    pub fn try_take(&self, address: IpAddr) -> Option<Time> {
        let mut known = self.lock();
        let server = entry(&mut known, address, self.unknown_rest_until);
        if server.busy {
            return None;
        }
        server.busy = true;
        Some(server.rests_until)
    }

    /// Ends a turn. The next waiting lease, if there is one, has the server from then on.
    pub fn pass_on(&self, address: IpAddr, rests_until: Time) -> Option<L> {
        let mut known = self.lock();
        let server = entry(&mut known, address, self.unknown_rest_until);
        server.rests_until = server.rests_until.max(rests_until);
        let next = server.waiting.pop_front();
        server.busy = next.is_some();
        next
    }

    /// Everything that waits, for a crawl that ends.
    pub fn drain(&self) -> Vec<L> {
        self.lock().values_mut().flat_map(|server| server.waiting.drain(..)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Server<L>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry<L>(known: &mut HashMap<IpAddr, Server<L>>, address: IpAddr, rests_until: Time) -> &mut Server<L> {
    known.entry(address).or_insert_with(|| Server { busy: false, rests_until, waiting: VecDeque::new() })
}

fn forget_rested<L>(known: &mut HashMap<IpAddr, Server<L>>, now: Time) {
    if known.len() > MANY_SERVERS {
        known.retain(|_, server| server.busy || server.rests_until > now);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use annalist_model::Time;

    use super::{LONGEST_QUEUE, Servers, Turn};

    const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const TWO: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));
    const START: Time = Time::from_millis(0);

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn two_leases_never_have_one_server_at_once() {
        let servers = Servers::new(START);
        assert_eq!(servers.take(ONE, "a", at(1)), Turn::Yours { lease: "a", from: START });
        assert_eq!(servers.take(ONE, "b", at(1)), Turn::Waiting);
        assert_eq!(servers.try_take(ONE), None);
        assert_eq!(servers.take(TWO, "c", at(1)), Turn::Yours { lease: "c", from: START });
    }

    #[test]
    fn the_next_in_line_gets_the_server_and_its_rest() {
        let servers = Servers::new(START);
        servers.take(ONE, "a", at(1));
        servers.take(ONE, "b", at(1));
        assert_eq!(servers.pass_on(ONE, at(3000)), Some("b"));
        assert_eq!(servers.take(ONE, "c", at(2)), Turn::Waiting);
        assert_eq!(servers.pass_on(ONE, at(2000)), Some("c"));
        assert_eq!(servers.pass_on(ONE, at(2500)), None);
        assert_eq!(servers.take(ONE, "d", at(3)), Turn::Yours { lease: "d", from: at(3000) });
    }

    #[test]
    fn a_server_rests_after_a_restart_though_nobody_remembers_it() {
        let servers = Servers::new(at(5000));
        assert_eq!(servers.take(ONE, "a", at(1)), Turn::Yours { lease: "a", from: at(5000) });
    }

    #[test]
    fn a_crowded_server_sends_leases_back() {
        let servers = Servers::new(START);
        servers.take(ONE, 0, at(1));
        for lease in 1..=LONGEST_QUEUE {
            assert_eq!(servers.take(ONE, lease, at(1)), Turn::Waiting);
        }
        assert_eq!(servers.take(ONE, 99, at(1)), Turn::Crowded(99));
        assert_eq!(servers.drain().len(), LONGEST_QUEUE);
    }
}
