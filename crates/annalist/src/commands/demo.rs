//! `annalist demo`: a crawl from start to end, on this machine only, for people who want to see one.

use std::path::Path;
use std::time::Duration;

use annalist_crawl::book::Book;
use annalist_model::spec::{SiteRules, Spec, parse};
use annalist_model::url::site_of;
use annalist_testweb::{Hazard, ServerOptions, TestWeb, WorldConfig};
use anyhow::{Context, Result, bail};

use super::crawl::{conclude, crawl, exit_of};
use crate::cli::DemoArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::progress::Progress;
use crate::show;

pub fn run(args: &DemoArgs) -> Result<Exit> {
    clear(&args.job)?;
    let web = start_web(args.pages)?;
    let truth = web.world().truth();
    let (pages, forbidden) = (truth.allowed_pages().count(), truth.forbidden_pages().count());
    eprintln!(
        "A web of {} hosts with {} addresses to fetch and {} that robots.txt forbids listens on {} and its\n\
         neighbours. Some hosts are hostile: they blow up, nest without end, redirect in circles.",
        web.world().hosts().len(),
        show::count(pages as u64),
        show::count(forbidden as u64),
        web.first_address(),
    );
    let parsed = parse(&spec_text(&web), &|name| Err(format!("{name}: the demo has no files")));
    let Some(mut spec) = parsed.spec else { bail!("the demo's spec is wrong: {:?}", parsed.mistakes) };
    limit_hostile_sites(&mut spec, &web);
    // Nobody else can reach these servers.
    let report = crawl(spec, &args.job, None, Book::none(), Progress::Shown)?;
    conclude(&report, &args.job, args.json, false);
    Ok(exit_of(&report))
}

fn start_web(pages: usize) -> Result<TestWeb> {
    let config = WorldConfig {
        hosts: 60,
        pages,
        page_bytes: 12_000,
        links_per_page: 20,
        addresses: 30,
        hazards: vec![
            Hazard::RedirectLoop,
            Hazard::CookieFlood,
            Hazard::Bomb,
            Hazard::DeepNesting,
            Hazard::Calendar,
        ],
        hazard_share: 0.1,
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
