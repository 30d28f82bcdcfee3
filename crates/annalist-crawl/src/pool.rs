//! What the crawls of one process share, so that together they ask for no more than the machine has: visits in flight,
//! reading threads, the slow lane, and the servers that each of them asks in its turn. A crawl that runs alone has a pool of its own.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use annalist_model::spec::Spec;
use annalist_sources::SlowLane;
use tokio::sync::{Notify, Semaphore};

use crate::owing::Owed;

/// Clones share it. Places are given in the order in which they were asked for, so no crawl starves another.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Visits in flight: the first of the two numbers of back-pressure.
    pub visits: Arc<Semaphore>,
    /// Reading threads: the second.
    pub reading: Arc<Semaphore>,
    /// For what would keep the others waiting.
    pub lane: SlowLane,
    pub queues: Queues,
    /// The rests of servers, by which each crawl leaves alone what another has asked.
    pub owed: Owed,
    /// Told when a rest under way may have become shorter.
    pub shorter_rests: Arc<Notify>,
}

/// Where the crawls of one process queue for a server: each has one request, then whoever has waited longest. With other
/// processes they share it by the book (`book.rs`), which knows no order.
#[derive(Clone, Debug, Default)]
pub struct Queues {
    servers: Arc<Mutex<HashMap<IpAddr, Arc<Semaphore>>>>,
}

impl Queues {
    /// Servers that nobody asks are forgotten when more than this many are known.
    const MANY_SERVERS: usize = 10_000;

    /// The queue of a server: who has its permit has the server.
    pub fn of(&self, server: IpAddr) -> Arc<Semaphore> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        if servers.len() >= Queues::MANY_SERVERS {
            servers.retain(|_, queue| Arc::strong_count(queue) > 1);
        }
        Arc::clone(servers.entry(server.to_canonical()).or_insert_with(|| Arc::new(Semaphore::new(1))))
    }
}

impl Pool {
    pub fn new(visits: usize, reading_threads: usize) -> io::Result<Pool> {
        Ok(Pool {
            visits: Arc::new(Semaphore::new(visits)),
            reading: Arc::new(Semaphore::new(reading_threads)),
            lane: SlowLane::start()?,
            queues: Queues::default(),
            owed: Owed::default(),
            shorter_rests: Arc::default(),
        })
    }

    /// For one crawl alone.
    pub fn of(spec: &Spec) -> io::Result<Pool> {
        Pool::new(spec.frontier.visits, spec.frontier.reading_threads)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;

    use super::Queues;

    fn server(n: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from(n))
    }

    #[tokio::test]
    async fn a_server_is_one_crawls_at_a_time_and_goes_to_who_has_waited_longest() {
        let queues = Queues::default();
        let first = queues.of(server(1)).acquire_owned().await.unwrap();
        let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
        for n in 0..3 {
            let (queue, told) = (queues.of(server(1)), told.clone());
            tokio::spawn(async move {
                let _turn = queue.acquire_owned().await.unwrap();
                told.send(n).unwrap();
            });
            tokio::task::yield_now().await;
        }
        assert!(heard.try_recv().is_err());
        // Another server is nobody's.
        assert!(queues.of(server(2)).try_acquire_owned().is_ok());
        drop(first);
        for n in 0..3 {
            assert_eq!(heard.recv().await, Some(n));
        }
    }

    #[test]
    fn servers_that_nobody_asks_are_forgotten_and_those_in_use_are_not() {
        let queues = Queues::default();
        let held = queues.of(server(0)).try_acquire_owned().unwrap();
        for n in 1..3 * Queues::MANY_SERVERS as u32 {
            drop(queues.of(server(n)));
        }
        assert!(queues.servers.lock().unwrap().len() <= Queues::MANY_SERVERS);
        assert!(queues.of(server(0)).try_acquire_owned().is_err());
        drop(held);
        assert_eq!(Arc::strong_count(&queues.of(server(0))), 2);
    }
}
