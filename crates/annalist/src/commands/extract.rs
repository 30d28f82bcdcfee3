//! `annalist extract`: a collection out of archives that are there already.

use std::num::NonZeroUsize;

use annalist_crawl::engine::Origin;
use annalist_crawl::status::Board;
use annalist_crawl::stop::Stop;
use annalist_model::spec::{ScopeKind, Seed, Spec};
use anyhow::{Context, Result};

use super::crawl::{conclude, crawl, exit_of, tell_what_became};
use super::learn::local_references;
use crate::cli::ExtractArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::progress::Progress;
use crate::{archives, basis, spec_file};

pub fn run(args: &ExtractArgs) -> Result<Exit> {
    let (loaded, job) = spec_file::for_extract(args)?;
    for warning in &loaded.warnings {
        tell!("warning: {warning}");
    }
    let mut spec = loaded.spec;
    begin_with_references(&mut spec, args)?;
    let opened = archives::open(&spec, &job)?;
    let (mut spec, basis) = basis::of(spec, args.spec.as_deref(), &job, (&Stop::new(), &Board::default()))?;
    if spec.seeds.is_empty() {
        let message = "nothing says where to begin: give a [[seed]], or references that are addresses in the archive or pages with \
                       links";
        return Err(BadConfiguration(message.to_owned()).into());
    }
    // Everything is at hand: reading is all there is to wait for.
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    spec.frontier.reading_threads = spec.frontier.reading_threads.max(cores);
    let seeds: Vec<String> = spec.seeds.iter().map(|seed| seed.url.as_str().to_owned()).collect();
    let progress = Progress::unless(args.quiet);
    let report =
        crawl(spec.clone(), &job, basis, Origin::Archive(Box::new(opened.source.clone())), progress)?;
    if report.status.counters.captures == 0 {
        tell_what_became(&spec, &job, seeds.iter().map(String::as_str), "nothing was found");
    }
    conclude(&report, &job, args.json, args.quiet);
    Ok(exit_of(&report))
}

/// Where no seed is given, the collection begins with what its references lead to.
fn begin_with_references(spec: &mut Spec, args: &ExtractArgs) -> Result<()> {
    if !spec.seeds.is_empty() {
        return Ok(());
    }
    let path = args.spec.as_deref().context("no spec")?;
    for (_, page) in local_references(spec, path)? {
        let from_elsewhere = page.links.into_iter().filter(|link| link.url.host_name() != "localhost");
        for link in from_elsewhere {
            if !spec.seeds.iter().any(|seed| seed.url == link.url) {
                spec.seeds.push(Seed { scope: ScopeKind::Any, ..Seed::new(link.url) });
            }
        }
    }
    Ok(())
}
