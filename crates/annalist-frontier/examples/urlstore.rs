//! The URL store under load: so many discovered links, one in five new, sites by Zipf's law, some scores changed,
//! leases and outcomes in between; all of it through the journal on a real disk. Prints one JSON line.
//!
//! `cargo run --release -p annalist-frontier --example urlstore -- [LINKS] [DIR]`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use annalist_disk::{Dice, RealDisk};
use annalist_frontier::{
    Batch, Change, Committed, Frontier, Journal, Merging, Place, Purpose, Settings, Urgency, open,
};
use annalist_model::spec::Update;
use annalist_model::{Outcome, Time, UrlKey};
use load::{SiteName, Zipf, thread_cpu};

mod load;

/// Links of one transaction: what 64 pages hold.
const BATCH: u64 = 4_000;
/// One lease to so many links.
const LINKS_A_LEASE: u64 = 500;
const SITES: u64 = 200_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let links: u64 = arguments.next().map_or(Ok(100_000_000), |n| n.parse())?;
    let parent = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = parent.join(format!("annalist-urlstore-{}", std::process::id()));
    let result = measure(links, &dir);
    std::fs::remove_dir_all(&dir)?;
    #[expect(clippy::print_stdout, reason = "a benchmark prints its result")]
    {
        println!("{}", result?);
    }
    Ok(())
}

fn settings() -> Settings {
    Settings {
        memory_bytes: 640 << 20,
        update: Update::Max,
        lease_time: Duration::from_secs(3600),
        default_delay: Duration::ZERO,
        merging: Merging::Background,
        ..Settings::default()
    }
}

fn measure(links: u64, dir: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let started = Instant::now();
    let cpu_before = cpu_seconds();
    let (frontier, journal) = open(Arc::new(RealDisk), dir, settings(), Time::from_millis(0))?;
    // As in a crawl: one thread commits what was read, another has the frontier.
    let (committed, to_apply) = sync_channel::<Committed>(2);
    let (visited, done) = channel::<Vec<Change>>();
    let producer = std::thread::spawn(move || Producer::new(journal).run(links, &committed, &done));
    let mut consumer = Consumer::new(frontier, visited);
    let mut tenths = Vec::new();
    for tenth in 1..=10 {
        let from = Instant::now();
        while consumer.links < links / 10 * tenth {
            consumer.step(to_apply.recv()?)?;
        }
        tenths.push((links / 10) as f64 / from.elapsed().as_secs_f64());
    }
    let seconds = started.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu_before;
    let Ok(produced) = producer.join() else { return Err("the producer failed".into()) };
    let (urls, committing) = produced.map_err(|e| -> Box<dyn std::error::Error> { e.into() })?;
    let counts = consumer.frontier.counts();
    let files = std::fs::read_dir(dir)?.flatten();
    let disk_bytes: u64 = files.filter_map(|entry| entry.metadata().ok()).map(|m| m.len()).sum();
    let leased = consumer.leased;
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let mut json = String::new();
    write!(json, "{{\"links\":{},\"urls\":{urls},\"leased\":{leased}", consumer.links)?;
    write!(json, ",\"links_per_s\":{:.0}", consumer.links as f64 / seconds)?;
    write!(json, ",\"first_tenth_per_s\":{:.0},\"second_tenth_per_s\":{:.0}", tenths[0], tenths[1])?;
    write!(json, ",\"last_tenth_per_s\":{:.0}", tenths[9])?;
    write!(json, ",\"last_over_second_tenth\":{:.3}", tenths[9] / tenths[1])?;
    write!(json, ",\"worst_lease_ms\":{:.2}", ms(consumer.worst_lease))?;
    write!(json, ",\"worst_lease_cpu_ms\":{:.2}", ms(consumer.worst_lease_cpu))?;
    write!(json, ",\"commit_s\":{:.2},\"apply_s\":{:.2}", ms(committing) / 1e3, ms(consumer.applying) / 1e3)?;
    write!(
        json,
        ",\"lease_s\":{:.2},\"held_back_s\":{:.2}",
        ms(consumer.leasing) / 1e3,
        ms(consumer.waited) / 1e3
    )?;
    write!(json, ",\"disk_bytes_per_url\":{:.1}", disk_bytes as f64 / urls as f64)?;
    write!(json, ",\"cpu_us_per_link\":{:.3}", cpu * 1e6 / consumer.links as f64)?;
    write!(
        json,
        ",\"queued\":{},\"done\":{},\"unchecked\":{}",
        counts.queued, counts.done, counts.unchecked
    )?;
    drop(consumer);
    // As after kill -9: what was pending has to come from the journal.
    let again = Instant::now();
    let (mut frontier, _journal) = open(Arc::new(RealDisk), dir, settings(), Time::from_millis(0))?;
    write!(json, ",\"reopen_s\":{:.3}", again.elapsed().as_secs_f64())?;
    while frontier.next(Time::from_millis(1))?.is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    write!(json, ",\"first_lease_s\":{:.3}", again.elapsed().as_secs_f64())?;
    write!(json, ",\"peak_rss_mb\":{}}}", peak_rss_mb())?;
    Ok(json)
}

/// Makes links and commits them, with the outcomes of what was leased.
struct Producer {
    journal: Journal,
    dice: Dice,
    zipf: Zipf,
    sites: Vec<SiteName>,
    urls: u64,
    url: String,
}

impl Producer {
    fn new(journal: Journal) -> Producer {
        let sites = load::sites(SITES);
        Producer { journal, dice: Dice::new(7), zipf: Zipf::new(SITES), sites, urls: 0, url: String::new() }
    }

    fn run(
        mut self,
        links: u64,
        committed: &SyncSender<Committed>,
        done: &Receiver<Vec<Change>>,
    ) -> Result<(u64, Duration), String> {
        let mut committing = Duration::ZERO;
        for _ in 0..links.div_ceil(BATCH) {
            let mut batch = Batch::with_capacity(BATCH as usize * 150);
            for _ in 0..BATCH {
                self.link(&mut batch);
            }
            for change in done.try_iter().flatten() {
                batch.push(&change);
            }
            let from = Instant::now();
            let batch = self.journal.commit_batch(batch).map_err(|e| e.to_string())?;
            committing += from.elapsed();
            if committed.send(batch).is_err() {
                break;
            }
        }
        Ok((self.urls, committing))
    }

    /// One link in five is new; of the others some bring a higher score than the link had.
    fn link(&mut self, batch: &mut Batch) {
        let number = self.zipf.pick(&mut self.dice);
        let Some(site) = self.sites.get_mut(number) else { return };
        let fresh = site.pages == 0 || self.dice.below(5) == 0;
        let page = if fresh { site.pages } else { self.dice.below(site.pages) };
        site.pages += u64::from(fresh);
        self.urls += u64::from(fresh);
        let key = load::page_url(&mut self.url, site, page);
        let base = (key.url >> 40) as f32 / (1u64 << 24) as f32 * 0.8;
        let raised = !fresh && self.dice.below(20) == 0;
        let value = if raised { base + 0.2 * (self.dice.below(1000) as f32 / 1000.0) } else { base };
        let record = load::link(key, &self.url, self.urls);
        batch.discovered(&record, value, Urgency::Normal);
    }
}

/// Applies what was committed, and leases.
struct Consumer {
    frontier: Frontier,
    visited: Sender<Vec<Change>>,
    links: u64,
    leased: u64,
    worst_lease: Duration,
    worst_lease_cpu: Duration,
    waited: Duration,
    applying: Duration,
    leasing: Duration,
}

impl Consumer {
    fn new(frontier: Frontier, visited: Sender<Vec<Change>>) -> Consumer {
        Consumer {
            frontier,
            visited,
            links: 0,
            leased: 0,
            worst_lease: Duration::ZERO,
            worst_lease_cpu: Duration::ZERO,
            waited: Duration::ZERO,
            applying: Duration::ZERO,
            leasing: Duration::ZERO,
        }
    }

    /// One transaction, and the leases that fall due.
    fn step(&mut self, committed: Committed) -> Result<(), Box<dyn std::error::Error>> {
        let from = Instant::now();
        self.frontier.apply(committed)?;
        self.applying += from.elapsed();
        self.links += BATCH;
        for _ in 0..BATCH / LINKS_A_LEASE {
            self.lease()?;
        }
        let from = Instant::now();
        while self.frontier.crowded() {
            std::thread::sleep(Duration::from_millis(1));
            self.lease()?;
        }
        self.waited += from.elapsed();
        Ok(())
    }

    fn lease(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        let now = Time::from_millis(self.links / 1000);
        let (from, cpu_from) = (Instant::now(), thread_cpu());
        let lease = self.frontier.next(now)?;
        let took = from.elapsed();
        self.worst_lease_cpu = self.worst_lease_cpu.max(thread_cpu().saturating_sub(cpu_from));
        self.worst_lease = self.worst_lease.max(took);
        self.leasing += took;
        let Some(lease) = lease else { return Ok(()) };
        let keys: Vec<UrlKey> = lease.links.iter().map(|link| link.key).collect();
        self.leased += keys.len() as u64;
        self.frontier.release(lease.id, now.plus(Duration::from_millis(100)), &keys)?;
        let done = |key: UrlKey| Change::Done {
            key,
            outcome: Outcome::Captured { status: 200 },
            place: Some(Place {
                file: "bench-20260101.warc.gz".to_owned(),
                offset: key.url >> 30,
                length: 9_000,
            }),
            digest: Some(format!("sha1:{:032X}", key.url)),
            at: now,
            bytes: 20_000,
            purpose: Purpose::Page,
        };
        // The producer may have ended: then nobody needs the outcomes.
        let _ = self.visited.send(keys.into_iter().map(done).collect());
        Ok(())
    }
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn peak_rss_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}
