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

use crate::access::{Access, guard};
use crate::program::Program;
use crate::service::Service;
use crate::{cockpit, rest};

/// Longer bodies are refused.
const LONGEST_BODY: usize = 16 << 20;

/// How a service is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    pub root: PathBuf,
    pub listen: SocketAddr,
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
    pub access: Access,
}

/// Serves until `end` is ready; `ready` hears on which address. Crawls finish the pages under way and go on with the next
/// start.
pub async fn serve(
    settings: Settings,
    program: Arc<dyn Program>,
    ready: impl FnOnce(SocketAddr),
    end: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let access = Access::new(settings.listen, &settings.hosts, settings.token.clone(), None);
    let access = access.map_err(ServeError::Access)?;
    let listener = TcpListener::bind(settings.listen).await;
    let listener = listener.map_err(io_error(format!("{} cannot be listened on", settings.listen)))?;
    let bound = listener.local_addr().map_err(io_error("the address is not known"))?;
    let pool = Pool::new(settings.visits, settings.reading_threads);
    let pool = pool.map_err(io_error("no thread for the slow lane"))?;
    let service = Service::open(&settings.root, program, pool);
    let service = service.map_err(io_error(format!("{} cannot be used", settings.root.display())))?;
    let app = App { service: service.clone(), access: access.clone() };
    let router = Router::new()
        .merge(rest::router())
        .merge(cockpit::router())
        .fallback(cockpit::nothing_there)
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(access, guard))
        .with_state(app);
    let clockwork = tokio::spawn(watch_schedules(service.clone()));
    ready(bound);
    let served = axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>());
    // Live views never end by themselves: who watches is not waited for.
    let outcome = tokio::select! {
        outcome = served => outcome,
        () = end => Ok(()),
    };
    clockwork.abort();
    // Threads are waited for.
    let closed = tokio::task::spawn_blocking(move || service.close()).await;
    drop(closed);
    outcome.map_err(io_error("the service ended"))
}

async fn watch_schedules(service: Service) {
    const EVERY: Duration = Duration::from_secs(1);
    loop {
        tokio::time::sleep(EVERY).await;
        let service = service.clone();
        let looked = tokio::task::spawn_blocking(move || service.look_at_schedules(clock::now()));
        // A look that failed is made again.
        let _ = looked.await;
    }
}
