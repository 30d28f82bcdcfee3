//! The URL store under load: so many discovered links, one in five new, sites by Zipf's law, some scores changed,
//! leases and outcomes in between; all of it through the journal on a real disk. Prints one JSON line.
//!
//! `cargo run --release -p annalist-frontier --example urlstore -- [LINKS] [DIR]`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use annalist_disk::{Dice, RealDisk};
use annalist_frontier::{
    Batch, Change, Frontier, Journal, LinkRecord, Merging, Place, Settings, Urgency, open,
};
use annalist_model::spec::Update;
use annalist_model::{LinkKind, Outcome, Time, UrlKey, url};
use xxhash_rust::xxh3::xxh3_64;

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
    let mut load = Load::new(frontier, journal);
    let mut tenths = Vec::new();
    for tenth in 0..10 {
        let from = Instant::now();
        let target = links / 10 * (tenth + 1);
        while load.links < target {
            load.step()?;
        }
        tenths.push((links / 10) as f64 / from.elapsed().as_secs_f64());
    }
    let seconds = started.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu_before;
    let counts = load.frontier.counts();
    let disk_bytes: u64 = std::fs::read_dir(dir)?.flatten().flat_map(|e| e.metadata()).map(|m| m.len()).sum();
    let urls = load.urls;
    let mut json = String::new();
    write!(json, "{{\"links\":{},\"urls\":{urls},\"leased\":{}", load.links, load.leased)?;
    write!(json, ",\"links_per_s\":{:.0}", load.links as f64 / seconds)?;
    write!(
        json,
        ",\"first_tenth\":{:.0},\"second_tenth\":{:.0},\"last_tenth\":{:.0}",
        tenths[0], tenths[1], tenths[9]
    )?;
    write!(json, ",\"last_over_second_tenth\":{:.3}", tenths[9] / tenths[1])?;
    write!(json, ",\"worst_lease_ms\":{:.2}", load.worst_lease.as_secs_f64() * 1000.0)?;
    write!(json, ",\"waited_for_merge_s\":{:.2}", load.waited.as_secs_f64())?;
    write!(
        json,
        ",\"commit_s\":{:.2},\"apply_s\":{:.2},\"lease_s\":{:.2},\"generate_s\":{:.2}",
        load.committing.as_secs_f64(),
        load.applying.as_secs_f64(),
        load.leasing.as_secs_f64(),
        load.generating.as_secs_f64()
    )?;
    write!(json, ",\"disk_bytes_per_url\":{:.1}", disk_bytes as f64 / urls as f64)?;
    write!(json, ",\"cpu_us_per_link\":{:.3}", cpu * 1e6 / load.links as f64)?;
    write!(
        json,
        ",\"queued\":{},\"done\":{},\"unchecked\":{}",
        counts.queued, counts.done, counts.unchecked
    )?;
    // As after kill -9: what was pending has to come from the journal.
    let (frontier, journal) = (load.frontier, load.journal);
    drop((frontier, journal));
    let again = Instant::now();
    let (mut frontier, journal) = open(Arc::new(RealDisk), dir, settings(), Time::from_millis(0))?;
    let opened = again.elapsed();
    while frontier.next(Time::from_millis(1))?.is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    write!(
        json,
        ",\"reopen_s\":{:.3},\"first_lease_s\":{:.3}",
        opened.as_secs_f64(),
        again.elapsed().as_secs_f64()
    )?;
    drop((frontier, journal));
    write!(json, ",\"peak_rss_mb\":{}}}", peak_rss_mb())?;
    Ok(json)
}

/// Makes links and feeds them.
struct Load {
    frontier: Frontier,
    journal: Journal,
    dice: Dice,
    zipf: Zipf,
    sites: Vec<SiteName>,
    links: u64,
    urls: u64,
    leased: u64,
    done: Vec<Change>,
    batch: Batch,
    url: String,
    worst_lease: Duration,
    waited: Duration,
    committing: Duration,
    applying: Duration,
    leasing: Duration,
    generating: Duration,
}

struct SiteName {
    host: String,
    key: u64,
    pages: u64,
}

impl Load {
    fn new(frontier: Frontier, journal: Journal) -> Load {
        let name = |n: u64| {
            let host = format!("https://www.site-{n:06}.example");
            SiteName { key: url::site_key(url::site_of(&host["https://".len()..])), host, pages: 0 }
        };
        Load {
            frontier,
            journal,
            dice: Dice::new(7),
            zipf: Zipf::new(SITES),
            sites: (0..SITES).map(name).collect(),
            links: 0,
            urls: 0,
            leased: 0,
            done: Vec::new(),
            batch: Batch::new(),
            url: String::new(),
            worst_lease: Duration::ZERO,
            waited: Duration::ZERO,
            committing: Duration::ZERO,
            applying: Duration::ZERO,
            leasing: Duration::ZERO,
            generating: Duration::ZERO,
        }
    }

    /// One transaction, and the leases that fall due.
    fn step(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        let from = Instant::now();
        for _ in 0..BATCH {
            self.link();
        }
        self.links += BATCH;
        for change in self.done.drain(..) {
            self.batch.push(&change);
        }
        self.generating += from.elapsed();
        let from = Instant::now();
        let committed = self.journal.commit_batch(std::mem::take(&mut self.batch))?;
        self.committing += from.elapsed();
        let from = Instant::now();
        self.frontier.apply(committed)?;
        self.applying += from.elapsed();
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

    /// One link in five is new; of the others some bring a higher score than the link had.
    fn link(&mut self) {
        let number = self.zipf.pick(&mut self.dice);
        let Some(site) = self.sites.get_mut(number) else { return };
        let fresh = site.pages == 0 || self.dice.below(5) == 0;
        let page = if fresh { site.pages } else { self.dice.below(site.pages) };
        site.pages += u64::from(fresh);
        self.urls += u64::from(fresh);
        self.url.clear();
        self.url.push_str(&site.host);
        // About 70 bytes, as on the web.
        self.url.push_str("/archive/section/");
        let mut buffer = [0; 16];
        self.url.push_str(hex(&mut buffer, xxh3_64(&page.to_le_bytes())));
        self.url.push_str("/page.html");
        let key = UrlKey { site: site.key, url: xxh3_64(self.url.as_bytes()) };
        let base = (key.url >> 40) as f32 / (1u64 << 24) as f32 * 0.8;
        let raised = !fresh && self.dice.below(20) == 0;
        let value = if raised { base + 0.2 * (self.dice.below(1000) as f32 / 1000.0) } else { base };
        let record = LinkRecord {
            key,
            url: &self.url,
            via: Some(UrlKey { site: site.key, url: self.links }),
            kind: LinkKind::Anchor,
            hops: "LLL",
            depth: 3,
            seed: 0,
            anchor: "next page",
        };
        self.batch.discovered(&record, value, Urgency::Normal);
    }

    fn lease(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        let now = Time::from_millis(self.links / 1000);
        let from = Instant::now();
        let lease = self.frontier.next(now)?;
        let took = from.elapsed();
        self.worst_lease = self.worst_lease.max(took);
        self.leasing += took;
        let Some(lease) = lease else { return Ok(()) };
        let keys: Vec<UrlKey> = lease.links.iter().map(|link| link.key).collect();
        self.leased += keys.len() as u64;
        self.frontier.release(lease.id, now.plus(Duration::from_millis(100)), &keys)?;
        self.done.extend(keys.into_iter().map(|key| Change::Done {
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
        }));
        Ok(())
    }
}

fn hex(buffer: &mut [u8; 16], number: u64) -> &str {
    for (place, letter) in buffer.iter_mut().enumerate() {
        *letter = b"0123456789abcdef"[(number >> (4 * place)) as usize & 15];
    }
    std::str::from_utf8(buffer).unwrap_or_default()
}

/// Sites by Zipf's law, drawn from a table.
struct Zipf {
    sums: Vec<f64>,
    /// Where to begin looking for each 65,536th of the sum.
    starts: Vec<u32>,
}

impl Zipf {
    fn new(sites: u64) -> Zipf {
        let mut sum = 0.0;
        let mut sums: Vec<f64> = (1..=sites)
            .map(|n| {
                sum += 1.0 / n as f64;
                sum
            })
            .collect();
        for value in &mut sums {
            *value /= sum;
        }
        let start = |n: u32| sums.partition_point(|s| *s < f64::from(n) / 65_536.0) as u32;
        Zipf { starts: (0..65_536).map(start).collect(), sums }
    }

    fn pick(&self, dice: &mut Dice) -> usize {
        let roll = dice.roll();
        let point = (roll >> 11) as f64 / (1u64 << 53) as f64;
        let slot = (roll >> 48) as usize;
        let from = self.starts.get(slot).map_or(0, |s| *s as usize);
        let to = self.starts.get(slot + 1).map_or(self.sums.len() - 1, |s| *s as usize + 1);
        let piece = self.sums.get(from..to).unwrap_or_default();
        (from + piece.partition_point(|s| *s < point)).min(self.sums.len() - 1)
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
