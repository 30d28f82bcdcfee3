//! `annalist serve`: many crawls at once, steered over HTTP.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use annalist_crawl::engine::{Crawl, CrawlError, Origin};
use annalist_crawl::job::JobDir;
use annalist_crawl::pool::Pool;
use annalist_crawl::status::Board;
use annalist_crawl::stop::Stop;
use annalist_knowledge::Needed;
use annalist_model::spec::Spec;
use annalist_server::program::{Examined, Program, Unopened};
use annalist_server::{ServeError, Settings, serve};
use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};

use super::crawl::{require_contact, shared_book};
use crate::cli::ServeArgs;
use crate::definition_file::{self, Standing};
use crate::exit::{BadConfiguration, Exit};
use crate::knowledge::bring_one_up_to_date;
use crate::sent::Allowed;
use crate::watch::Watch;
use crate::{archives, basis, spec_file};

/// What others have to give, where the service can be reached by others.
const TOKEN: &str = "ANNALIST_TOKEN";

#[expect(clippy::print_stdout, reason = "the document is what the command is asked for")]
pub fn run(args: &ServeArgs) -> Result<Exit> {
    if args.openapi {
        println!("{}", serde_json::to_string_pretty(&annalist_server::openapi())?);
        return Ok(Exit::Done);
    }
    let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    let program = ThisProgram { allowed: Allowed::of(&args.allowed, token.is_some())? };
    let settings = Settings {
        root: args.root.clone(),
        listen: args.listen,
        replay: args.replay.unwrap_or_else(|| next_port(args.listen)),
        replay_origin: args.replay_origin.clone(),
        origin: args.origin.clone(),
        hosts: args.host.clone(),
        token,
        visits: args.visits as usize,
        reading_threads: std::thread::available_parallelism().map_or(2, NonZeroUsize::get),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no runtime")?;
    let told = |address, replay, odd: Option<&str>| {
        tell!("annalist: http://{address}/ (captured pages: http://{replay}/; Ctrl-C to end)");
        if let Some(odd) = odd {
            tell!("annalist: {odd}");
        }
    };
    let served = runtime.block_on(serve(settings, Arc::new(program), told, interrupted()));
    // Visits that did not end in time must not hold up the program.
    runtime.shutdown_background();
    match served {
        Ok(()) => Ok(Exit::Done),
        Err(ServeError::Access(why)) => Err(BadConfiguration(why).into()),
        Err(fault) => Err(fault.into()),
    }
}

/// Port 0 stands for any that is free.
fn next_port(mut address: SocketAddr) -> SocketAddr {
    if address.port() != 0 {
        address.set_port(address.port().wrapping_add(1).max(1));
    }
    address
}

async fn interrupted() {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    tell!("annalist: finishing the pages under way");
}

/// What the service needs of this program.
struct ThisProgram {
    allowed: Allowed,
}

impl Program for ThisProgram {
    fn examine(&self, text: &str, kept: Option<&Spec>) -> Examined {
        let spec_file::Examined { spec, mistakes, warnings } =
            spec_file::examine_text(text, &self.allowed, kept);
        Examined { spec, mistakes, warnings }
    }

    fn kept(&self, job: &Path) -> Result<Examined, String> {
        let examined = spec_file::examine(&JobDir::new(job).spec()).map_err(|fault| format!("{fault:#}"))?;
        let spec_file::Examined { spec, mistakes, warnings } = examined;
        Ok(Examined { spec, mistakes, warnings })
    }

    fn open(&self, job: &Path, pool: Pool, stop: Stop, board: Board) -> Result<Crawl, Unopened> {
        open(job, pool, stop, board).map_err(|fault| match fault.downcast_ref() {
            Some(CrawlError::Busy { holder }) => Unopened::Busy(*holder),
            _ => Unopened::Failed(format!("{fault:#}")),
        })
    }

    fn judged_apart(&self, job: &Path, spec: &Spec) -> Option<String> {
        let kept = definition_file::in_job(job);
        match kept.exists().then(|| definition_file::standing(&kept, spec)) {
            Some(Ok(Standing::Apart(why))) => Some(definition_file::apart(why)),
            // One that cannot be read is told when the crawl is started.
            _ => None,
        }
    }

    fn learn_again(&self, job: &Path) -> Result<bool, String> {
        let kept = definition_file::in_job(job);
        let aside = kept.exists().then(|| definition_file::set_aside(&kept)).transpose();
        aside.map(|aside| aside.is_some()).map_err(|fault| format!("{fault:#}"))
    }

    fn derive(&self, job: &Path, needed: Needed, stop: Arc<AtomicBool>) -> Result<(), String> {
        bring_one_up_to_date(job, needed, &Watch::unseen(stop)).map_err(|fault| format!("{fault:#}"))
    }

    fn command(&self) -> Command {
        Command::new(std::env::current_exe().unwrap_or_else(|_| "annalist".into()))
    }
}

fn open(job: &Path, pool: Pool, stop: Stop, board: Board) -> Result<Crawl> {
    let dir = JobDir::new(job);
    let spec = spec_file::load(&dir.spec())?.spec;
    let origin = match spec.extract {
        Some(_) => Origin::Archive(Box::new(archives::open(&spec, job)?.source.clone())),
        None => {
            require_contact(&spec)?;
            Origin::Web(shared_book())
        }
    };
    let (spec, basis) = basis::of(spec, Some(&dir.spec()), job, (&stop, &board))?;
    Ok(Crawl::open(spec, dir, basis, origin, stop, board, pool)?)
}
