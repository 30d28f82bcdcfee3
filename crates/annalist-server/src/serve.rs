//! From an address to a service that answers on it, until it is told to end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use annalist_crawl::clock;
use annalist_crawl::pool::Pool;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use tokio::net::TcpListener;

use crate::access::{Access, Origins, check_token, guard, guard_replay};
use crate::annotations::Annotations;
use crate::connections::{self, Patience, Room, raise_open_files};
use crate::knowledge::Knowledge;
use crate::program::Program;
use crate::replay::{self, Archives};
use crate::review::Desk;
use crate::root::RootLock;
use crate::service::Service;
use crate::tasks::Tasks;
use crate::{cockpit, gone, rest};

/// Longer bodies are refused.
const LONGEST_BODY: usize = 16 << 20;

/// How a service is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    pub root: PathBuf,
    pub listen: SocketAddr,
    /// Where captured pages are shown: another port, or another address.
    pub replay: SocketAddr,
    /// How browsers reach it, where that is not its address: `http://replay.example.org`.
    pub replay_origin: Option<String>,
    /// How browsers reach the cockpit, where that is not its address.
    pub origin: Option<String>,
    /// Further names that it answers to.
    pub hosts: Vec<String>,
    /// What others have to give.
    pub token: Option<String>,
    /// Visits in flight and reading threads of all crawls together.
    pub visits: usize,
    pub reading_threads: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{0}")]
    Access(String),
    #[error("{} is served by process {} already: end it first, or give another folder", root.display(), holder.map_or("?".to_owned(), |process| process.to_string()))]
    Taken { root: PathBuf, holder: Option<u32> },
    #[error("{what}")]
    Io {
        what: String,
        #[source]
        fault: std::io::Error,
    },
}

fn io_error(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> ServeError {
    let what = what.into();
    move |fault| ServeError::Io { what, fault }
}

/// What every handler can ask.
#[derive(Clone, Debug)]
pub struct App {
    pub service: Service,
    pub tasks: Tasks,
    pub desk: Desk,
    pub annotations: Annotations,
    pub knowledge: Knowledge,
    pub archives: Archives,
    pub access: Access,
}

/// Serves until `end` is ready; `ready` hears on which addresses, and what is odd about how they are called. Crawls finish the
/// pages under way and go on with the next start.
pub async fn serve(
    settings: Settings,
    program: Arc<dyn Program>,
    ready: impl FnOnce(SocketAddr, SocketAddr, Option<&str>),
    end: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    // Who may not be let in is told before a port is taken.
    check_token(&[settings.listen, settings.replay], settings.token.as_deref())
        .map_err(ServeError::Access)?;
    let (origin, replay_origin) = (settings.origin.as_deref(), settings.replay_origin.as_deref());
    let origins = Origins::new(settings.listen, settings.replay, &settings.hosts, origin, replay_origin);
    let origins = origins.map_err(ServeError::Access)?;
    let unusable = || io_error(format!("{} cannot be used", settings.root.display()));
    let lock = RootLock::take(&settings.root).map_err(unusable())?;
    let lock = lock.map_err(|holder| ServeError::Taken { root: settings.root.clone(), holder })?;
    let (listener, bound) = listen(settings.listen).await?;
    let (archives, shown) = listen(settings.replay).await?;
    let origins = origins.bound(bound, shown);
    let (framed_by, odd) = (origins.cockpits(), origins.warning(settings.token.is_some()));
    let access = Access::new(origins, settings.token.clone()).map_err(ServeError::Access)?;
    let pool = Pool::new(settings.visits, settings.reading_threads);
    let pool = pool.map_err(io_error("no thread for the slow lane"))?;
    let service = Service::open(&settings.root, lock, program, pool).map_err(unusable())?;
    let tasks = Tasks::open(&service).map_err(io_error("no thread for tasks"))?;
    let shown_by = Archives::new(service.clone(), framed_by, settings.replay_origin.clone());
    let app = App {
        service: service.clone(),
        tasks: tasks.clone(),
        desk: Desk::new(service.clone()),
        annotations: Annotations::new(service.clone()),
        knowledge: Knowledge::new(service.clone()),
        archives: shown_by.clone(),
        access: access.clone(),
    };
    let replay =
        replay::router().layer(from_fn_with_state(access.clone(), guard_replay)).with_state(shown_by);
    let router = Router::new()
        .merge(rest::router())
        .merge(cockpit::router())
        .fallback(cockpit::nothing_there)
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(app.clone(), gone::told))
        .layer(from_fn_with_state(access, guard))
        .with_state(app);
    let clockwork = tokio::spawn(look_around(service.clone()));
    ready(bound, shown, odd);
    let (room, patience) = (Room::of_files(raise_open_files()), Patience::default());
    let served = connections::serve(listener, router, room.clone(), patience);
    let replayed = connections::serve(archives, replay, room, patience);
    // Live views never end by themselves: who watches is not waited for.
    tokio::select! {
        never = served => match never {},
        never = replayed => match never {},
        () = end => {}
    }
    clockwork.abort();
    // Threads are waited for.
    let closed = tokio::task::spawn_blocking(move || {
        tasks.close();
        service.close();
    })
    .await;
    drop(closed);
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(io_error(format!("{address} cannot be listened on")))?;
    let bound = listener.local_addr().map_err(io_error("the address is not known"))?;
    Ok((listener, bound))
}

async fn look_around(service: Service) {
    const EVERY: Duration = Duration::from_secs(1);
    loop {
        tokio::time::sleep(EVERY).await;
        let service = service.clone();
        let looked = tokio::task::spawn_blocking(move || service.look_around(clock::now()));
        // A look that failed is made again.
        let _ = looked.await;
    }
}
