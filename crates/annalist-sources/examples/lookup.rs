//! What looking up all snapshots of an address costs in an index of ten million captures, as CDXJ and as ZipNum. The
//! indexes are made once and stay in `target/`. Prints one line of JSON.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use annalist_model::CanonicalUrl;
use annalist_sources::ArchiveSource;
use annalist_warc::ZipNumWriter;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const CAPTURES: u64 = 10_000_000;
/// Of most addresses there are few, of some many.
const SITES: u64 = 20_000;
const LOOKUPS: u64 = 20_000;
const LIMIT: u64 = 1 << 20;

fn main() -> Outcome<()> {
    let dir = Path::new("target/bench-lookup");
    let cdxj = dir.join("all.cdxj");
    let zipnum = dir.join("zipnum");
    if !dir.join("done").exists() {
        write_indexes(dir, &cdxj, &zipnum)?;
    }
    let plain = Looked::up(&cdxj)?;
    let peak = peak_rss_mb();
    let packed = Looked::up(&zipnum.join("index.idx"))?;
    writeln!(
        std::io::stdout(),
        "{{\"captures\":{CAPTURES},\"index_mb\":{:.0},\"median_ms\":{:.4},\"p99_ms\":{:.4},\"cpu_ms\":{:.4},\"open_ms\":{:.1},\
         \"peak_rss_mb\":{peak:.1},\"snapshots\":{:.2},\"zipnum_median_ms\":{:.4},\"zipnum_p99_ms\":{:.4},\
         \"zipnum_peak_rss_mb\":{:.1}}}",
        cdxj.metadata()?.len() as f64 / 1e6,
        plain.percentile(50),
        plain.percentile(99),
        plain.cpu_ms,
        plain.open_ms,
        plain.snapshots,
        packed.percentile(50),
        packed.percentile(99),
        peak_rss_mb(),
    )?;
    Ok(())
}

struct Looked {
    /// In milliseconds, sorted.
    times: Vec<f64>,
    cpu_ms: f64,
    open_ms: f64,
    snapshots: f64,
}

impl Looked {
    /// Addresses from everywhere, one in ten of which is not there.
    fn up(index: &PathBuf) -> Outcome<Looked> {
        let begun = Instant::now();
        let source = ArchiveSource::open(std::slice::from_ref(index), LIMIT)?;
        let open_ms = millis(begun.elapsed());
        let (mut times, mut snapshots) = (Vec::new(), 0);
        let before = thread_cpu();
        for n in 0..LOOKUPS {
            let at = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % CAPTURES;
            let (site, page, _) = place(at);
            let path = if n % 10 == 0 { "none" } else { "page" };
            let url = CanonicalUrl::parse(&format!("http://www.site{site:05}.example/{path}/{page:06}"))?;
            let begun = Instant::now();
            let found = source.look_up(&url).map_or(0, |found| found.len());
            times.push(millis(begun.elapsed()));
            if (found > 0) != (path == "page") {
                return Err(format!("{found} snapshots of {}", url.as_str()).into());
            }
            snapshots += found;
        }
        let cpu_ms = millis(thread_cpu().saturating_sub(before)) / LOOKUPS as f64;
        times.sort_by(f64::total_cmp);
        Ok(Looked { times, cpu_ms, open_ms, snapshots: snapshots as f64 / LOOKUPS as f64 })
    }

    fn percentile(&self, percent: usize) -> f64 {
        self.times.get(self.times.len() * percent / 100).copied().unwrap_or_default()
    }
}

/// Site, page and snapshot of a line.
fn place(line: u64) -> (u64, u64, u64) {
    const PER_SITE: u64 = CAPTURES / SITES;
    let (site, rest) = (line / PER_SITE, line % PER_SITE);
    // The front page has a fifth of the snapshots of its site, the others two each.
    let front = PER_SITE / 5;
    if rest < front { (site, 0, rest) } else { (site, 1 + (rest - front) / 2, (rest - front) % 2) }
}

fn write_indexes(dir: &Path, cdxj: &Path, zipnum: &Path) -> Outcome<()> {
    fs::create_dir_all(dir)?;
    let mut plain = BufWriter::with_capacity(1 << 20, File::create(cdxj)?);
    let mut packed = ZipNumWriter::create(zipnum, "index")?;
    for at in 0..CAPTURES {
        let (site, page, snapshot) = place(at);
        let line = format!(
            "example,site{site:05})/page/{page:06} {} {{\"url\": \"http://www.site{site:05}.example/page/{page:06}\", \
             \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"{at:032}\", \"length\": \"5120\", \
             \"offset\": \"{}\", \"filename\": \"crawl-{:05}.warc.gz\"}}\n",
            20_000_101_000_000 + snapshot * 31_000_000,
            at * 5_120 % 1_000_000_000,
            at / 200_000,
        );
        plain.write_all(line.as_bytes())?;
        packed.push(&line)?;
    }
    plain.flush()?;
    packed.finish()?;
    Ok(fs::write(dir.join("done"), "")?)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn thread_cpu() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

fn peak_rss_mb() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib =
        peak.and_then(|text| text.trim().split(' ').next()).and_then(|number| number.parse::<f64>().ok());
    kib.unwrap_or_default() * 1024.0 / 1e6
}
