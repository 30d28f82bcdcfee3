//! `annalist demo`: a topical crawl and a breadth-first one from start to end, on this machine only, for people who want to
//! see what the difference is.

mod contest;

use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_crawl::book::Book;
use annalist_crawl::budget::Ending;
use annalist_crawl::engine::{Origin, Report};
use annalist_crawl::status::Board;
use annalist_crawl::stop::Stop;
use annalist_model::spec::{SiteRules, Spec};
use annalist_model::url::site_of;
use annalist_study::Policy;
use annalist_testweb::{Hazard, ServerOptions, TestWeb, WorldConfig};
use anyhow::{Context, Result};

use self::contest::{Contest, compared, times_better, write_curves};
use super::crawl::{conclude, crawl, exit_of};
use crate::basis;
use crate::cli::DemoArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::progress::Progress;
use crate::show;

#[expect(clippy::print_stdout, reason = "the comparison is what the command is asked for")]
pub fn run(args: &DemoArgs) -> Result<Exit> {
    let beside = beside(&args.job);
    clear(&args.job)?;
    clear(&beside)?;
    let web = start_web(args.pages)?;
    let contest = Contest::on(&web);
    introduce(&web, &contest);

    tell!("\nThe crawl that knows the topic:");
    let report = run_one(contest.topical(&spec_text(&web))?, &args.job, &web)?;
    if report.ending == Ending::Interrupted {
        conclude(&report, &args.job, args.json, false);
        return Ok(exit_of(&report));
    }
    let topical = contest.outcome("topical", Policy::default(), &args.job, &report)?;
    print!("{}", show::report(&report, &args.job));

    tell!("\nThe same budget, breadth first:");
    let other = run_one(contest.breadth_first(&spec_text(&web))?, &beside, &web)?;
    println!("{}; it is in {}", show::ending(other.ending), beside.display());
    let breadth_first = contest.outcome("breadth first", Policy::breadth_first(), &beside, &other)?;

    print!("{}", compared(&topical, &breadth_first));
    let [picture, numbers] = write_curves(&topical, &breadth_first)?;
    println!("  The curves: {} for a browser, {} for a spreadsheet", picture.display(), numbers.display());
    if args.json {
        let mut object = show::json(&report.status, &args.job, report.seconds);
        object["topical"] = topical.json();
        object["breadth_first"] = breadth_first.json();
        object["times_better"] = times_better(&topical, &breadth_first).into();
        println!("{object}");
    }
    Ok(exit_of(if other.ending == Ending::Interrupted { &other } else { &report }))
}

fn introduce(web: &TestWeb, contest: &Contest) {
    let truth = web.world().truth();
    let (pages, forbidden) = (truth.allowed_pages().count(), truth.forbidden_pages().count());
    tell!(
        "A web of {} hosts with {} addresses to fetch and {} that robots.txt forbids listens on {} and its\n\
         neighbours. Some hosts are hostile: they blow up, nest without end, redirect in circles.\n{}",
        web.world().hosts().len(),
        show::count(pages as u64),
        show::count(forbidden as u64),
        web.first_address(),
        contest.introduction(),
    );
}

fn run_one(mut spec: Spec, job: &Path, web: &TestWeb) -> Result<Report> {
    limit_hostile_sites(&mut spec, web);
    let (spec, basis) = basis::of(spec, None, job, (&Stop::new(), &Board::default()))?;
    // Nobody else can reach these servers.
    crawl(spec, job, basis, Origin::Web(Book::none()), Progress::Shown)
}

/// Where the crawl goes that the first is compared with.
fn beside(job: &Path) -> PathBuf {
    let mut name = job.file_name().unwrap_or_default().to_owned();
    name.push("-breadth-first");
    job.with_file_name(name)
}

fn start_web(pages: usize) -> Result<TestWeb> {
    let config = WorldConfig {
        hosts: 60,
        pages,
        page_bytes: 12_000,
        links_per_page: 20,
        addresses: 30,
        // The budgets are for pages of text.
        images_per_host: 1,
        hazards: vec![
            Hazard::RedirectLoop,
            Hazard::CookieFlood,
            Hazard::Bomb,
            Hazard::DeepNesting,
            Hazard::Calendar,
        ],
        hazard_share: 0.1,
        lying_anchors: 0.1,
        vague_anchors: 0.1,
        crawl_delays: 0.0,
        // So that `warcio check`, which digests chunks with their sizes, agrees with the archive.
        chunked: 0.0,
        ..WorldConfig::default()
    };
    let options = ServerOptions { latency: Duration::from_millis(2), ..ServerOptions::default() };
    TestWeb::start(config, options).context("the web for trying cannot be started")
}

/// Some hosts go on for ever; a few pages of each are enough to see it.
fn limit_hostile_sites(spec: &mut Spec, web: &TestWeb) {
    const PAGES: u64 = 40;
    for host in web.world().hosts().iter().filter(|host| !host.is_healthy()) {
        let site = site_of(&host.name).to_owned();
        if !spec.sites.iter().any(|known| known.site == site) {
            spec.sites.push(SiteRules { site, pages: Some(PAGES), ..SiteRules::default() });
        }
    }
}

/// Impatient settings: nobody else uses these servers.
fn spec_text(web: &TestWeb) -> String {
    let fetch =
        "\n[fetch]\ntries = 2\nretry_delay = \"1s\"\nmax_time = \"5s\"\nmax_size = \"20MB\"\n\n[network]\n";
    web.spec_toml().replacen("\n[network]\n", fetch, 1)
}

/// An earlier demo is replaced; anything else in that place is left alone.
fn clear(job: &Path) -> Result<()> {
    if !job.exists() {
        return Ok(());
    }
    let ours = job.join("spec.toml");
    let is_demo = std::fs::read_to_string(&ours).is_ok_and(|text| text.contains("testweb"));
    if !is_demo {
        let message = format!("{} exists and is no demo: give another place with --job", job.display());
        return Err(BadConfiguration(message).into());
    }
    std::fs::remove_dir_all(job).with_context(|| format!("{} cannot be replaced", job.display()))
}
