//! What `annalist serve` can be told.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist serve                                 crawls below ./collections, at http://127.0.0.1:8470/
  annalist serve /srv/archive --listen 127.0.0.1:9000
  ANNALIST_TOKEN=… annalist serve --listen 0.0.0.0:8470 --host archive.example.org

Crawls that ran when the service ended, or was killed, go on when it starts again. Ctrl-C finishes the pages under way.
What can be asked over HTTP is described at /api/openapi.json. Specs that are sent name no files, secrets or, where the
service has a token, networks that are not public, unless --files, --secret or --allow say so.")]
pub struct ServeArgs {
    /// The folder whose subfolders are crawls; made where there is none
    #[arg(default_value = "collections")]
    pub root: PathBuf,
    /// Address and port; others than this machine need a token in the environment variable ANNALIST_TOKEN
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8470")]
    pub listen: SocketAddr,
    /// Where captured pages are shown: another port, so that nothing in them can reach the service; the next one where nothing
    /// is said
    #[arg(long, value_name = "ADDR")]
    pub replay: Option<SocketAddr>,
    /// How browsers reach the service, where something stands before it: https://archive.example.org
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Option<String>,
    /// The same for captured pages
    #[arg(long, value_name = "ORIGIN")]
    pub replay_origin: Option<String>,
    /// A further name that the service is called by; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Requests at once, of all crawls together
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub visits: u32,
    #[command(flatten)]
    pub allowed: AllowedArgs,
    /// Print what can be asked over HTTP, as an OpenAPI document, and end
    #[arg(long)]
    pub openapi: bool,
}

/// What specs that are sent may say about this machine.
#[derive(Debug, Default, Args)]
pub struct AllowedArgs {
    /// A folder whose files specs that are sent may name: archives, descriptions of applications, models, reference pages; may
    /// be given more than once
    #[arg(long, value_name = "DIR")]
    pub files: Vec<PathBuf>,
    /// A secret that they may use for the store at that origin, and for no other: a file by its whole path, or an environment
    /// variable; may be given more than once
    #[arg(long, value_name = "ORIGIN=FILE|VARIABLE")]
    pub secret: Vec<String>,
    /// A network that is not public and that they may allow themselves; may be given more than once. Where it is not given,
    /// they may allow any as long as the service needs no token, and none if it does
    #[arg(long, value_name = "CIDR")]
    pub allow: Vec<String>,
}
