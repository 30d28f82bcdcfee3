//! `annalist crawl`: archive what a spec describes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_crawl::book::Book;
use annalist_crawl::budget::Ending;
use annalist_crawl::engine::{Crawl, Origin, Report};
use annalist_crawl::explain::explain;
use annalist_crawl::job::JobDir;
use annalist_crawl::judging::Basis;
use annalist_crawl::pool::Pool;
use annalist_crawl::status::{Board, Status};
use annalist_crawl::stop::{Stop, Urge};
use annalist_model::spec::{Spec, Words};
use anyhow::{Context, Result};

use crate::basis;
use crate::cli::CrawlArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::progress::{self, Progress};
use crate::{show, spec_file};

const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

pub fn run(args: &CrawlArgs) -> Result<Exit> {
    let (loaded, job) = spec_file::for_crawl(args)?;
    for warning in &loaded.warnings {
        tell!("warning: {warning}");
    }
    require_contact(&loaded.spec)?;
    if args.dry_run {
        return Ok(dry_run(&loaded.spec, &job, args.json));
    }
    let progress = Progress::unless(args.quiet);
    let path = args.spec.as_deref().or(args.config.as_deref());
    let (spec, basis) = basis::of(loaded.spec.clone(), path, &job, (&Stop::new(), &Board::default()))?;
    let report = crawl(spec, &job, basis, Origin::Web(shared_book()), progress)?;
    if report.status.counters.captures == 0 {
        let seeds = loaded.spec.seeds.iter().map(|seed| seed.url.as_str());
        tell_what_became(&loaded.spec, &job, seeds, "nothing was captured");
    } else if report.status.counters.judged.pages == 0 && exit_of(&report) == Exit::Done {
        let references = loaded.spec.topic.references.iter().map(String::as_str);
        let references = references.filter(|reference| reference.contains("://"));
        tell_what_became(&loaded.spec, &job, references, "no reference could be read");
    }
    conclude(&report, &job, args.json, args.quiet);
    Ok(exit_of(&report))
}

/// Nobody is asked on the live web by somebody who cannot be found.
pub fn require_contact(spec: &Spec) -> Result<()> {
    if spec.has_example_contact() {
        let contact = spec.contact.as_deref().unwrap_or_default();
        let message = format!(
            "{contact} is an example of a contact: give a page or mail address of your own, so that webmasters can reach you"
        );
        return Err(BadConfiguration(message).into());
    }
    if !spec.needs_contact() {
        return Ok(());
    }
    let message = "a crawl of the live web needs a contact: put `contact = \"https://…\"` into the spec, or give \
                   --contact, so that webmasters can find out who you are";
    Err(BadConfiguration(message.to_owned()).into())
}

/// What became of the addresses on which all depended: most likely they, or the network, are wrong.
pub fn tell_what_became<'a>(spec: &Spec, job: &Path, urls: impl Iterator<Item = &'a str>, in_short: &str) {
    const TOLD: usize = 3;
    for url in urls.take(TOLD) {
        let explained = explain(&JobDir::new(job), spec, url);
        if let Some(last) = explained.ok().and_then(|explanation| explanation.decisions.last().cloned()) {
            tell!("annalist: {in_short}; {url}: {last}");
        }
    }
}

/// The book that all crawls of a user share: where `ANNALIST_BOOK` says, none if it is empty, else where users keep state.
/// Not where a session keeps its own: a crawl that cron starts has no session.
pub fn shared_book() -> Book {
    let of = |name: &str| std::env::var_os(name);
    match of("ANNALIST_BOOK") {
        Some(folder) if folder.is_empty() => Book::none(),
        Some(folder) => Book::in_folder(folder.into()),
        None => Book::in_folder(state_folder(of("XDG_STATE_HOME")).join("annalist/servers")),
    }
}

fn state_folder(xdg: Option<OsString>) -> PathBuf {
    let home = || std::env::home_dir().filter(|home| home.is_absolute());
    xdg.map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .unwrap_or_else(|| home().unwrap_or_else(std::env::temp_dir).join(".local/state"))
}

/// Runs a crawl to its end, with progress, and Ctrl-C as people expect it.
pub fn crawl(
    spec: Spec,
    job: &Path,
    basis: Option<Basis>,
    origin: Origin,
    progress: Progress,
) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no runtime")?;
    let (stop, board) = (Stop::new(), Board::default());
    let dir = JobDir::new(job);
    let pool = Pool::of(&spec).context("no thread for the slow lane")?;
    wait_for_derivers(&dir).with_context(|| job.display().to_string())?;
    let report = runtime.block_on(async {
        let crawl = Crawl::open(spec, dir.clone(), basis, origin, stop.clone(), board.clone(), pool)
            .with_context(|| job.display().to_string())?;
        let shown = tokio::spawn(progress::follow(board, progress));
        let listening = tokio::spawn(listen(stop));
        let report = crawl.run().await;
        shown.abort();
        listening.abort();
        anyhow::Ok(report?)
    });
    // Visits that did not end in time must not hold up the program.
    runtime.shutdown_background();
    report
}

/// Somebody may be asking what is there already, and bring graph or search index up to it first: no start fails for that.
fn wait_for_derivers(dir: &JobDir) -> std::io::Result<()> {
    let mut told = false;
    while dir.state().is_dir()
        && dir.holder()?.is_none()
        && let Err(holder) = dir.lock_to_derive()?
    {
        if !std::mem::replace(&mut told, true) {
            let process = holder.map_or_else(String::new, |process| format!(" (process {process})"));
            let shown = dir.root().display();
            tell!("waiting for another annalist{process} that makes something of the archive in {shown}");
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    Ok(())
}

/// The first signal asks to finish, the second to stop at once.
async fn listen(stop: Stop) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stop.press();
        match stop.urge() {
            Urge::AtOnce => tell!("\nstopping at once"),
            _ => tell!("\nfinishing the pages under way; once more to stop at once"),
        }
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is asked for")]
pub fn conclude(report: &Report, job: &Path, as_json: bool, quiet: bool) {
    if !quiet {
        print!("{}", show::report(report, job));
    }
    if let Some(why) = &report.unknown {
        let how = format!("the archive is whole, and `annalist rebuild {}` makes them of it", job.display());
        tell!("annalist: graph and search index are not up to date: {why}; {how}");
    }
    if as_json {
        let mut object = show::json(&report.status, job, report.seconds);
        // Null where graph and search index are up to date, as far as they are wanted.
        object["not_up_to_date"] = report.unknown.clone().into();
        if let Some(untold) = &report.untold {
            object["untold"] = untold.as_str().into();
        }
        println!("{object}");
    }
}

#[expect(clippy::print_stdout, reason = "the plan is what the command is asked for")]
fn dry_run(spec: &Spec, job: &Path, as_json: bool) -> Exit {
    println!("{} would be crawled into {}; nobody was asked", spec.name, job.display());
    for seed in &spec.seeds {
        println!("  {} (scope {})", seed.url, seed.scope.word());
    }
    if as_json {
        let nothing = Status { state: "dry-run".to_owned(), ..Status::default() };
        let mut object = show::json(&nothing, job, 0.0);
        object["name"] = spec.name.as_str().into();
        object["seeds"] = spec.seeds.iter().map(|seed| seed.url.as_str()).collect();
        println!("{object}");
    }
    Exit::Done
}

pub fn exit_of(report: &Report) -> Exit {
    match report.ending {
        Ending::Complete if report.status.counters.captures == 0 => Exit::Failed,
        Ending::Complete | Ending::PageLimit => Exit::Done,
        Ending::SizeLimit => Exit::SizeLimit,
        Ending::TimeLimit => Exit::TimeLimit,
        Ending::Interrupted => Exit::Interrupted,
        Ending::DiskFull => Exit::DiskFull,
    }
}
