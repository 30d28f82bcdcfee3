//! How the web is served, and why it may not start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// 0 for any free one.
    pub port: u16,
    pub threads: usize,
    /// Between a request and its answer.
    pub latency: Duration,
    /// Between two bytes of a tarpit.
    pub drip: Duration,
    /// Requests are appended here too, one JSON object a line.
    pub log_file: Option<PathBuf>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            port: 0,
            threads: 2,
            latency: Duration::ZERO,
            drip: Duration::from_secs(1),
            log_file: None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on {address}: {source}")]
    Bind { address: SocketAddr, source: io::Error },
    #[error("no address to listen on")]
    NoAddress,
    #[error("cannot start the server's threads: {0}")]
    Runtime(io::Error),
    #[error("cannot write the log {path:?}: {source}")]
    LogFile { path: PathBuf, source: io::Error },
}
