//! How much each place asks, and how many wrong tokens came from it. A place is an address, or a whole network of IPv6, of
//! which everybody has one: who is counted by address there has as many as it likes.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::connections::place_of;

/// Wrong tokens of one place in a minute.
const MOST_TRIES: u32 = 10;
/// Requests of one place in a second, on average, and at once.
const RATE: f64 = 500.0;
const BURST: f64 = 2000.0;
/// No more are remembered.
const MOST: usize = 10_000;
const MINUTE: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub struct Clients {
    known: Mutex<HashMap<IpAddr, Client>>,
}

#[derive(Clone, Copy, Debug)]
struct Client {
    left: f64,
    seen: Instant,
    tries: u32,
    tries_since: Instant,
}

impl Client {
    fn new() -> Client {
        Client { left: BURST, seen: Instant::now(), tries: 0, tries_since: Instant::now() }
    }

    fn recent_tries(&self) -> u32 {
        if self.tries_since.elapsed() > MINUTE { 0 } else { self.tries }
    }
}

impl Clients {
    fn known(&self) -> MutexGuard<'_, HashMap<IpAddr, Client>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, from: IpAddr, change: impl FnOnce(&mut Client) -> T) -> T {
        let (mut known, place) = (self.known(), place_of(from));
        if known.len() >= MOST && !known.contains_key(&place) {
            forget_half(&mut known);
        }
        change(known.entry(place).or_insert_with(Client::new))
    }

    /// Whether one may give a token.
    pub fn may_try(&self, from: IpAddr) -> bool {
        self.known().get(&place_of(from)).is_none_or(|client| client.recent_tries() < MOST_TRIES)
    }

    /// Somebody gave a wrong token, in a form or in a header.
    pub fn count_try(&self, from: IpAddr) {
        self.change(from, |client| {
            if client.tries_since.elapsed() > MINUTE {
                (client.tries, client.tries_since) = (0, Instant::now());
            }
            client.tries += 1;
        });
    }

    /// Takes one request from what a place may send.
    pub fn has_room(&self, from: IpAddr) -> bool {
        self.change(from, |client| {
            let earned = client.seen.elapsed().as_secs_f64() * RATE;
            client.left = (client.left + earned).min(BURST);
            client.seen = Instant::now();
            if client.left < 1.0 {
                return false;
            }
            client.left -= 1.0;
            true
        })
    }
}

/// The half that matters least: who gave wrong tokens just now is forgotten last, and of the others the longest silent first. A
/// half at once, so that not every request has to look at all of them.
fn forget_half(known: &mut HashMap<IpAddr, Client>) {
    let mut order: Vec<_> =
        known.iter().map(|(place, client)| (client.recent_tries(), client.seen, *place)).collect();
    let half = order.len() / 2;
    order.select_nth_unstable(half);
    for (_, _, place) in order.iter().take(half) {
        known.remove(place);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv6Addr};

    use super::{BURST, Clients, MOST, MOST_TRIES};

    fn of_network(network: u64, host: u64) -> IpAddr {
        Ipv6Addr::from_bits((0x2001 << 112) | (u128::from(network) << 64) | u128::from(host)).into()
    }

    #[test]
    fn who_has_a_network_of_addresses_is_one() {
        let clients = Clients::default();
        (0..u64::from(MOST_TRIES)).for_each(|host| clients.count_try(of_network(1, host)));
        assert!(!clients.may_try(of_network(1, 999)));
        assert!(clients.may_try(of_network(2, 0)), "others are not concerned");
        let taken = (0..3 * BURST as u64).filter(|host| clients.has_room(of_network(3, *host))).count();
        assert!(taken < 3 * BURST as usize, "{taken}");
    }

    #[test]
    fn however_many_come_not_more_are_remembered_than_fit() {
        let clients = Clients::default();
        let own = of_network(u64::MAX, 0);
        (0..MOST_TRIES).for_each(|_| clients.count_try(own));
        for network in 0..3 * MOST as u64 {
            assert!(clients.has_room(of_network(network, 0)));
            assert!(clients.known().len() <= MOST);
        }
        assert!(!clients.may_try(own), "who tried tokens is remembered");
        assert!(clients.known().contains_key(&of_network(3 * MOST as u64 - 1, 0)), "so is who came last");
    }
}
