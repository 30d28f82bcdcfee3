//! Room for connections: so many in all, and so many from one place. Where there is none, who has said nothing for longest
//! goes; who is being answered stays.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::task::AbortHandle;

/// As many as the machine allows, up to this; the rest is for others.
const WANTED_FILES: u64 = 65_536;
/// Crawls, archives and indexes need most of them.
const SHARE: u64 = 4;
const MOST: usize = 4096;
const LEAST: usize = 64;

/// Lets this process open as many files as it may; says how many that are.
pub fn raise_open_files() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let most = maximum.unwrap_or(WANTED_FILES).min(WANTED_FILES);
    let is_more = current.is_some_and(|current| current < most);
    let raised = is_more && setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum }).is_ok();
    if raised { most } else { current.unwrap_or(WANTED_FILES) }
}

/// Shared by all who listen.
#[derive(Clone, Debug)]
pub struct Room {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    most: usize,
    most_of_one: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: HashMap<u64, Connection>,
    last: u64,
}

#[derive(Debug)]
struct Connection {
    whose: IpAddr,
    /// Requests that are being answered: none or one, as they come one after the other.
    requests: usize,
    /// Since when there are none.
    silent_since: Instant,
    task: Option<AbortHandle>,
}

impl Room {
    pub fn new(most: usize, most_of_one: usize) -> Room {
        Room { shared: Arc::new(Shared { most, most_of_one, open: Mutex::default() }) }
    }

    /// What fits a process that may open so many files. One place alone cannot take all of it.
    pub fn of_files(files: u64) -> Room {
        let most = usize::try_from(files / SHARE).unwrap_or(MOST).clamp(LEAST, MOST);
        Room::new(most, most / 4)
    }

    /// A place for who has just come, if need be in place of another.
    pub fn enter(&self, from: IpAddr) -> Option<Place> {
        let whose = place_of(from);
        let mut open = self.shared.open();
        let own = open.all.values().filter(|connection| connection.whose == whose).count();
        let has_room = (own < self.shared.most_of_one || open.put_out(Some(whose)))
            && (open.all.len() < self.shared.most || open.put_out(None));
        if !has_room {
            return None;
        }
        open.last += 1;
        let number = open.last;
        let connection = Connection { whose, requests: 0, silent_since: Instant::now(), task: None };
        open.all.insert(number, connection);
        let held = Held { shared: Arc::clone(&self.shared), number };
        Some(Place { held: Arc::new(held) })
    }

    /// Puts out who has been silent longest.
    pub fn make(&self) {
        self.shared.open().put_out(None);
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Whether somebody could be put out, of one place or of all.
    fn put_out(&mut self, whose: Option<IpAddr>) -> bool {
        let silent = self.all.iter().filter(|(_, one)| {
            one.requests == 0 && one.task.is_some() && whose.is_none_or(|whose| one.whose == whose)
        });
        let Some(number) = silent.min_by_key(|(_, one)| one.silent_since).map(|(number, _)| *number) else {
            return false;
        };
        if let Some(task) = self.all.remove(&number).and_then(|connection| connection.task) {
            task.abort();
        }
        true
    }
}

/// Whom an address belongs to: of IPv6 everybody has a whole network.
pub fn place_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
        v4 => v4,
    }
}

/// A connection's place; free again when all hold on it is gone.
#[derive(Clone, Debug)]
pub struct Place {
    held: Arc<Held>,
}

#[derive(Debug)]
struct Held {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.shared.open().all.remove(&self.number);
    }
}

impl Place {
    fn change(&self, change: impl FnOnce(&mut Connection)) {
        self.held.shared.open().all.get_mut(&self.held.number).map(change);
    }

    /// What runs the connection, and ends with it.
    pub fn held_by(&self, task: AbortHandle) {
        self.change(|connection| connection.task = Some(task));
    }

    /// A request has come; it is answered until what is returned is dropped.
    pub fn begin(&self) -> Busy {
        self.change(|connection| connection.requests += 1);
        Busy { place: self.clone() }
    }
}

#[derive(Debug)]
pub struct Busy {
    place: Place,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.place.change(|connection| {
            connection.requests = connection.requests.saturating_sub(1);
            connection.silent_since = Instant::now();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Room, place_of};

    #[test]
    fn a_place_is_free_again_when_its_connection_is_gone() {
        let room = Room::new(3, 2);
        let (one, other) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        let first = room.enter(one).unwrap();
        let _second = room.enter(one).unwrap();
        assert!(room.enter(one).is_none(), "one place has its limit");
        let _third = room.enter(other).unwrap();
        assert!(room.enter(other).is_none(), "so have all together");
        drop(first);
        assert!(room.enter(one).is_some());
    }

    #[test]
    fn a_network_of_ipv6_is_one_place() {
        let place = |text: &str| place_of(text.parse().unwrap());
        assert_eq!(place("2001:db8::1"), place("2001:db8::ffff:1"));
        assert_ne!(place("2001:db8::1"), place("2001:db8:0:1::1"));
        assert_eq!(place("::ffff:192.0.2.1"), place("192.0.2.1"));
        assert_ne!(place("192.0.2.1"), place("192.0.2.2"));
    }

    #[test]
    fn the_room_fits_the_files() {
        let most = |files| Room::of_files(files).shared.most;
        assert_eq!((most(1024), most(65_536), most(100)), (256, 4096, 64));
    }
}
