//! Scores that change while their links wait on disk: some by being set, as many by links that are found again with a
//! higher one. Then every site is leased once, and each lease is compared with what it should be. Prints one JSON line.
//!
//! `cargo run --release -p annalist-frontier --example scores -- [LINKS] [CHANGES] [DIR]`

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use annalist_disk::{Dice, RealDisk};
use annalist_frontier::{
    Batch, Change, Committed, Frontier, Journal, Lease, Merging, Settings, Urgency, open,
};
use annalist_model::spec::Update;
use annalist_model::{Time, UrlKey};
use load::{SiteName, Zipf, thread_cpu};

mod load;

const BATCH: usize = 4_000;
const SITES: u64 = 50_000;
const LINKS_A_LEASE: u16 = 5;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let links: usize = arguments.next().map_or(Ok(3_000_000), |n| n.parse())?;
    let changes: usize = arguments.next().map_or(Ok(1_000_000), |n| n.parse())?;
    let parent = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = parent.join(format!("annalist-scores-{}", std::process::id()));
    let result = measure(links, changes, &dir);
    std::fs::remove_dir_all(&dir)?;
    #[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
    {
        println!("{}", result?);
    }
    Ok(())
}

fn measure(links: usize, changes: usize, dir: &Path) -> Result<String, Failure> {
    let settings = Settings {
        memory_bytes: 256 << 20,
        update: Update::Max,
        links_per_turn: LINKS_A_LEASE,
        default_delay: Duration::ZERO,
        merging: Merging::Background,
        ..Settings::default()
    };
    let (mut frontier, mut journal) = open(Arc::new(RealDisk), dir, settings, Time::from_millis(0))?;
    let mut truth = Truth::new(links);
    for from in (0..links).step_by(BATCH) {
        let mut batch = Batch::with_capacity(BATCH * 150);
        for number in from..links.min(from + BATCH) {
            truth.mention(&mut batch, number);
        }
        frontier.apply(journal.commit_batch(batch)?)?;
        while frontier.crowded() {
            std::thread::sleep(Duration::from_millis(1));
            attend(&mut frontier)?;
        }
    }
    // All of it on disk.
    frontier.checkpoint()?;
    let (mut set, mut found) = (Vec::new(), Vec::new());
    for _ in 0..changes.div_ceil(BATCH) {
        set.push(truth.set(BATCH.min(changes)));
    }
    for _ in 0..changes.div_ceil(BATCH) {
        found.push(truth.raise(BATCH.min(changes)));
    }
    let (set_took, set_cpu) = apply(&mut frontier, &mut journal, set)?;
    let (found_took, found_cpu) = apply(&mut frontier, &mut journal, found)?;
    let per_s = |took: Duration| changes as f64 / took.as_secs_f64();
    let cpu_us = |cpu: Duration| cpu.as_secs_f64() * 1e6 / changes as f64;
    let checked = truth.compare(&mut frontier)?;
    let mut json = String::new();
    write!(json, "{{\"links\":{links},\"changes\":{changes}")?;
    write!(json, ",\"changes_per_s\":{:.0},\"change_cpu_us\":{:.3}", per_s(set_took), cpu_us(set_cpu))?;
    write!(
        json,
        ",\"found_again_per_s\":{:.0},\"found_again_cpu_us\":{:.3}",
        per_s(found_took),
        cpu_us(found_cpu)
    )?;
    let reflected = checked.right as f64 / checked.leases.max(1) as f64;
    write!(json, ",\"leases\":{},\"reflected\":{reflected:.6}", checked.leases)?;
    write!(json, ",\"worst_lease_ms\":{:.2}", checked.worst.as_secs_f64() * 1e3)?;
    write!(json, ",\"worst_lease_cpu_ms\":{:.2}}}", checked.worst_cpu.as_secs_f64() * 1e3)?;
    Ok(json)
}

/// As in a crawl: one thread commits, another has the frontier. How long it took, and what of that the other one used.
fn apply(
    frontier: &mut Frontier,
    journal: &mut Journal,
    batches: Vec<Batch>,
) -> Result<(Duration, Duration), Failure> {
    let (from, cpu_from) = (Instant::now(), thread_cpu());
    let (committed, to_apply) = sync_channel::<Committed>(2);
    std::thread::scope(|scope| {
        let producer = scope.spawn(move || -> Result<(), String> {
            for batch in batches {
                let batch = journal.commit_batch(batch).map_err(|e| e.to_string())?;
                committed.send(batch).map_err(|e| e.to_string())?;
            }
            Ok(())
        });
        for committed in to_apply {
            frontier.apply(committed)?;
        }
        match producer.join() {
            Ok(result) => result.map_err(Failure::from),
            Err(_) => Err("the committing thread failed".into()),
        }
    })?;
    Ok((from.elapsed(), thread_cpu().saturating_sub(cpu_from)))
}

/// Lets the frontier take in what was merged, without leasing anything for long.
fn attend(frontier: &mut Frontier) -> Result<(), Failure> {
    let now = Time::from_millis(0);
    if let Some(lease) = frontier.next(now)? {
        frontier.release(lease.id, now, &[])?;
    }
    Ok(())
}

/// What is to be found: every link with its score.
struct Truth {
    dice: Dice,
    sites: Vec<SiteName>,
    /// Site and page.
    links: Vec<(u32, u64)>,
    keys: Vec<UrlKey>,
    scores: Vec<f32>,
    url: String,
}

struct Checked {
    leases: u64,
    right: u64,
    worst: Duration,
    worst_cpu: Duration,
}

impl Truth {
    fn new(links: usize) -> Truth {
        let mut dice = Dice::new(11);
        let zipf = Zipf::new(SITES);
        let mut sites = load::sites(SITES);
        let mut url = String::new();
        let (mut places, mut keys, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..links {
            let number = zipf.pick(&mut dice);
            let Some(site) = sites.get_mut(number) else { continue };
            let page = site.pages;
            site.pages += 1;
            keys.push(load::page_url(&mut url, site, page));
            places.push((number as u32, page));
            scores.push(score(&mut dice));
        }
        Truth { dice, sites, links: places, keys, scores, url }
    }

    fn mention(&mut self, batch: &mut Batch, number: usize) {
        let (site, page) = self.links[number];
        let key = load::page_url(&mut self.url, &self.sites[site as usize], page);
        batch.discovered(&load::link(key, &self.url, 1), self.scores[number], Urgency::Normal);
    }

    fn set(&mut self, changes: usize) -> Batch {
        let mut batch = Batch::with_capacity(changes * 24);
        for _ in 0..changes {
            let number = self.dice.below(self.links.len() as u64) as usize;
            self.scores[number] = score(&mut self.dice);
            batch.push(&Change::Valued { key: self.keys[number], value: self.scores[number] });
        }
        batch
    }

    fn raise(&mut self, changes: usize) -> Batch {
        let mut batch = Batch::with_capacity(changes * 150);
        for _ in 0..changes {
            let number = self.dice.below(self.links.len() as u64) as usize;
            self.scores[number] = self.scores[number].max(score(&mut self.dice));
            self.mention(&mut batch, number);
        }
        batch
    }

    /// Leases every site once.
    fn compare(&self, frontier: &mut Frontier) -> Result<Checked, Failure> {
        let mut best: HashMap<u64, Vec<(f32, UrlKey)>> = HashMap::new();
        for (key, score) in self.keys.iter().zip(&self.scores) {
            best.entry(key.site).or_default().push((*score, *key));
        }
        for links in best.values_mut() {
            links.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        let mut checked = Checked { leases: 0, right: 0, worst: Duration::ZERO, worst_cpu: Duration::ZERO };
        let mut idle = 0;
        while idle < 2_000 {
            let (from, cpu_from) = (Instant::now(), thread_cpu());
            let lease = frontier.next(Time::from_millis(1))?;
            checked.worst = checked.worst.max(from.elapsed());
            checked.worst_cpu = checked.worst_cpu.max(thread_cpu().saturating_sub(cpu_from));
            let Some(lease) = lease else {
                idle += 1;
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            idle = 0;
            checked.leases += 1;
            checked.right += u64::from(best.get(&lease.site).is_some_and(|best| is_best(&lease, best)));
        }
        if checked.leases != best.len() as u64 {
            return Err(format!("{} of {} sites were leased", checked.leases, best.len()).into());
        }
        Ok(checked)
    }
}

/// Whether a lease has the best of these, in their order. Among equals any may come first.
fn is_best(lease: &Lease, best: &[(f32, UrlKey)]) -> bool {
    let most = usize::from(LINKS_A_LEASE).min(best.len());
    lease.links.len() == most
        && lease.links.iter().zip(best).all(|(link, (score, _))| link.value == *score)
        && lease.links.iter().all(|link| {
            best.iter()
                .take_while(|(score, _)| *score >= link.value)
                .any(|(score, key)| *key == link.key && *score == link.value)
        })
}

fn score(dice: &mut Dice) -> f32 {
    dice.below(1 << 24) as f32 / (1 << 24) as f32
}
