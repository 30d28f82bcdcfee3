//! The web on loopback sockets: one listener per address, a small HTTP/1.1 loop per connection. What is answered is
//! decided in `world.rs`.

mod connection;
mod head;
mod options;
mod recorder;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use crate::config::WorldConfig;
use crate::layout::Host;
use crate::log::Log;
use crate::spec;
use crate::world::World;

use connection::Connection;
pub use options::{ServerOptions, StartError};
use recorder::Recorder;

/// A port that is free on the first address may be taken on another.
const PORT_TRIES: usize = 50;
/// How long the end of all connections is waited for.
const STOP: Duration = Duration::from_secs(2);

/// A running test web. Dropping it stops it.
pub struct TestWeb {
    shared: Arc<Shared>,
    port: u16,
    runtime: Option<Runtime>,
}

/// What all connections use.
struct Shared {
    world: World,
    options: ServerOptions,
    recorder: Recorder,
    /// Requests so far, per host.
    visits: Vec<AtomicU64>,
    connections: AtomicU64,
    doors: Vec<Door>,
}

/// One listening address, with its connections now and at most.
struct Door {
    address: SocketAddr,
    open: AtomicUsize,
    most: AtomicUsize,
}

impl TestWeb {
    /// Listens on all addresses when it returns. Runs on threads of its own, so it can be called from anywhere.
    pub fn start(config: WorldConfig, options: ServerOptions) -> Result<TestWeb, StartError> {
        let world = World::new(config);
        let (port, listeners) = bind_all(&addresses(&world), options.port)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(options.threads.max(1))
            .thread_name("testweb")
            .enable_all()
            .build()
            .map_err(StartError::Runtime)?;
        let recorder = Recorder::new(options.log_file.as_deref())?;
        let visits = world.hosts().iter().map(|_| AtomicU64::new(0)).collect();
        let doors = listeners.iter().map(|(address, _)| Door::new(*address)).collect();
        let shared =
            Arc::new(Shared { world, options, recorder, visits, connections: AtomicU64::new(0), doors });
        let entered = runtime.enter();
        for (number, (_, listener)) in listeners.into_iter().enumerate() {
            let listener = TcpListener::from_std(listener).map_err(StartError::Runtime)?;
            runtime.spawn(accept(listener, Arc::clone(&shared), number));
        }
        drop(entered);
        Ok(TestWeb { shared, port, runtime: Some(runtime) })
    }

    pub fn world(&self) -> &World {
        &self.shared.world
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Any address that listens: every address answers for every host.
    pub fn first_address(&self) -> SocketAddr {
        SocketAddr::V4(SocketAddrV4::new(healthy_address(0), self.port))
    }

    /// Where each host is to be found.
    pub fn resolve_table(&self) -> Vec<(String, SocketAddr)> {
        let hosts = self.world().hosts().iter();
        hosts
            .map(|host| (host.name.clone(), SocketAddr::V4(SocketAddrV4::new(address_of(host), self.port))))
            .collect()
    }

    /// A spec that crawls this web from its seeds without any delay, ready to run.
    pub fn spec_toml(&self) -> String {
        spec::whole(self)
    }

    /// The `[network]` part of a spec alone.
    pub fn network_toml(&self) -> String {
        spec::network(self)
    }

    /// All requests that have ended so far.
    pub fn log(&self) -> Log {
        self.shared.recorder.log()
    }

    /// Forgets the requests so far; the file keeps them.
    pub fn clear_log(&self) {
        self.shared.recorder.clear();
    }

    /// The most connections that any address had open at once.
    pub fn most_connections(&self) -> usize {
        self.shared.doors.iter().map(|door| door.most.load(Ordering::Relaxed)).max().unwrap_or(0)
    }

    /// Ends all connections and frees the port.
    pub fn stop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        // On a thread of its own: a runtime must not be waited for on another runtime's thread.
        let stopping = std::thread::spawn(move || runtime.shutdown_timeout(STOP));
        // A panic while stopping leaves nothing more to stop.
        let _ = stopping.join();
    }
}

impl Drop for TestWeb {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Door {
    fn new(address: SocketAddr) -> Door {
        Door { address, open: AtomicUsize::new(0), most: AtomicUsize::new(0) }
    }

    fn enter(&self) {
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(open, Ordering::Relaxed);
    }

    fn leave(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, door: usize) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, most likely: others will be closed.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        tokio::spawn(serve(stream, Arc::clone(&shared), door));
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>, door: usize) {
    let Some(entrance) = shared.doors.get(door) else { return };
    entrance.enter();
    let number = shared.connections.fetch_add(1, Ordering::Relaxed);
    Connection::new(stream, &shared, entrance.address, number).run().await;
    entrance.leave();
}

fn healthy_address(place: usize) -> Ipv4Addr {
    loopback(1, place)
}

fn loopback(network: u8, place: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, network, (place / 250 % 256) as u8, (place % 250 + 1) as u8)
}

/// Hazard hosts have a network of their own, so that they hurt no healthy neighbour by its address.
pub(crate) fn address_of(host: &Host) -> Ipv4Addr {
    match host.is_healthy() {
        true => healthy_address(host.address),
        false => loopback(2, host.address),
    }
}

fn addresses(world: &World) -> Vec<Ipv4Addr> {
    let mut addresses: Vec<Ipv4Addr> = world.hosts().iter().map(address_of).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

type Listeners = Vec<(SocketAddr, std::net::TcpListener)>;

/// The same port on every address; a free one where the port is 0.
fn bind_all(addresses: &[Ipv4Addr], port: u16) -> Result<(u16, Listeners), StartError> {
    let mut last = StartError::NoAddress;
    for _ in 0..PORT_TRIES {
        match bind_once(addresses, port) {
            Ok(bound) => return Ok(bound),
            Err(error) if port != 0 => return Err(error),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn bind_once(addresses: &[Ipv4Addr], wished: u16) -> Result<(u16, Listeners), StartError> {
    let mut port = wished;
    let mut listeners = Vec::with_capacity(addresses.len());
    for ip in addresses {
        let address = SocketAddr::V4(SocketAddrV4::new(*ip, port));
        let listener = bind(address).map_err(|source| StartError::Bind { address, source })?;
        let bound = listener.local_addr().map_err(|source| StartError::Bind { address, source })?;
        port = bound.port();
        listeners.push((bound, listener));
    }
    Ok((port, listeners))
}

fn bind(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
