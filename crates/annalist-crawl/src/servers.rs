//! Politeness by server: one request at a time to an IP address, and none before its rest is over, however many
//! sites share it. When a site may be asked is the frontier's concern; how long a rest lasts is in `delay.rs`.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use annalist_model::Time;
use annalist_model::spec::Spec;

use crate::rest::Rest;

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
    rest: Rest,
    waiting: VecDeque<L>,
}

/// What came of asking for a server's turn.
#[derive(Debug, PartialEq, Eq)]
pub enum Turn<L> {
    /// The server is the caller's alone, once it has rested, until it is passed on.
    Yours { lease: L, rest: Rest },
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
    pub fn take(&self, address: IpAddr, lease: L, spec: &Spec, now: Time) -> Turn<L> {
        let mut known = self.lock();
        forget_rested(&mut known, spec, now);
        let server = entry(&mut known, address, self.unknown_rest_until);
        if !server.busy {
            server.busy = true;
            return Turn::Yours { lease, rest: server.rest.clone() };
        }
        if server.waiting.len() >= LONGEST_QUEUE {
            return Turn::Crowded(lease);
        }
        server.waiting.push_back(lease);
        Turn::Waiting
    }

    /// Takes the turn of a further server in the middle of a visit (a host with two addresses, a redirected
    /// robots.txt); never queues, so two visits cannot wait for each other.
    pub fn try_take(&self, address: IpAddr) -> Option<Rest> {
        let mut known = self.lock();
        let server = entry(&mut known, address, self.unknown_rest_until);
        if server.busy {
            return None;
        }
        server.busy = true;
        Some(server.rest.clone())
    }

    /// Ends a turn. The next waiting lease, if there is one, has the server from then on.
    pub fn pass_on(&self, address: IpAddr, rest: &Rest, spec: &Spec) -> Option<L> {
        let mut known = self.lock();
        let server = entry(&mut known, address, self.unknown_rest_until);
        server.rest.and(rest, spec);
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
    let rest = Rest::no_sooner(rests_until);
    known.entry(address).or_insert_with(|| Server { busy: false, rest, waiting: VecDeque::new() })
}

fn forget_rested<L>(known: &mut HashMap<IpAddr, Server<L>>, spec: &Spec, now: Time) {
    if known.len() > MANY_SERVERS {
        known.retain(|_, server| server.busy || server.rest.until(spec) > now);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use annalist_model::Time;
    use annalist_model::spec::Spec;

    use super::{LONGEST_QUEUE, Rest, Servers, Turn};

    const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const TWO: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));
    const START: Time = Time::from_millis(0);

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    fn until(time: Time) -> Rest {
        Rest::no_sooner(time)
    }

    fn take<L>(servers: &Servers<L>, server: IpAddr, lease: L, now: Time) -> Turn<L> {
        servers.take(server, lease, &Spec::named("x"), now)
    }

    #[test]
    fn two_leases_never_have_one_server_at_once() {
        let servers = Servers::new(START);
        assert_eq!(take(&servers, ONE, "a", at(1)), Turn::Yours { lease: "a", rest: until(START) });
        assert_eq!(take(&servers, ONE, "b", at(1)), Turn::Waiting);
        assert_eq!(servers.try_take(ONE), None);
        assert_eq!(take(&servers, TWO, "c", at(1)), Turn::Yours { lease: "c", rest: until(START) });
    }

    #[test]
    fn the_next_in_line_gets_the_server_and_its_rest() {
        let servers = Servers::new(START);
        take(&servers, ONE, "a", at(1));
        take(&servers, ONE, "b", at(1));
        assert_eq!(servers.pass_on(ONE, &until(at(3000)), &Spec::named("x")), Some("b"));
        assert_eq!(take(&servers, ONE, "c", at(2)), Turn::Waiting);
        assert_eq!(servers.pass_on(ONE, &until(at(2000)), &Spec::named("x")), Some("c"));
        assert_eq!(servers.pass_on(ONE, &until(at(2500)), &Spec::named("x")), None);
        assert_eq!(take(&servers, ONE, "d", at(3)), Turn::Yours { lease: "d", rest: until(at(3000)) });
    }

    #[test]
    fn a_server_rests_after_a_restart_though_nobody_remembers_it() {
        let servers = Servers::new(at(5000));
        assert_eq!(take(&servers, ONE, "a", at(1)), Turn::Yours { lease: "a", rest: until(at(5000)) });
    }

    #[test]
    fn a_crowded_server_sends_leases_back() {
        let servers = Servers::new(START);
        take(&servers, ONE, 0, at(1));
        for lease in 1..=LONGEST_QUEUE {
            assert_eq!(take(&servers, ONE, lease, at(1)), Turn::Waiting);
        }
        assert_eq!(take(&servers, ONE, 99, at(1)), Turn::Crowded(99));
        assert_eq!(servers.drain().len(), LONGEST_QUEUE);
    }
}
