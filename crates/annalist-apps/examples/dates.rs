//! How well the days of publication are found, and at what cost in CPU; reading the pages is not part of the cost.
//!
//! `dates GOLD [FOLDER]`: each line of GOLD is a file, a tab and its day, and perhaps a tab and its address. Lists those that are wrong,
//! and tells the share of exact days, in all and by evidence. Without arguments the cost alone, on the sample pages of the catalogue, as a line of JSON.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_apps::published::{Captured, Dates, dates};
use annalist_model::{CanonicalUrl, Canonicaliser, Evidence, Published, ResponseHead, Time};
use annalist_read::Reader;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How often each page is looked at.
const ROUNDS: u32 = 20;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    match args.next() {
        Some(gold) => compare(&gold, &args.next().map_or_else(PathBuf::new, PathBuf::from)),
        None => measure(),
    }
}

/// What was found on pages so far, and what that took.
struct Watch {
    reader: Reader,
    nowhere: CanonicalUrl,
    latest: Captured,
    pages: u32,
    bytes: usize,
    spent: Duration,
}

impl Watch {
    fn new() -> Outcome<Watch> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
        Ok(Watch {
            reader: Reader::new(Canonicaliser::default()),
            nowhere: CanonicalUrl::parse("http://localhost/")?,
            latest: Captured::Before(Time::from_millis(now.as_millis().try_into()?)),
            pages: 0,
            bytes: 0,
            spent: Duration::ZERO,
        })
    }

    fn look(&mut self, file: &Path, url: Option<CanonicalUrl>) -> Outcome<Dates> {
        let url = url.as_ref().unwrap_or(&self.nowhere);
        let body = fs::read(file)?;
        let head = ResponseHead { status: 200, fields: Vec::new() };
        let (page, tree) = self.reader.read_with_tree(url, &head, &body);
        self.pages += 1;
        self.bytes += body.len();
        // What is no HTML page has no date.
        let Some(tree) = tree else { return Ok(Dates::default()) };
        // What is made at first use is made once a crawl.
        let found = dates(&tree, &page, url, &head, self.latest);
        let before = cpu();
        for _ in 0..ROUNDS {
            std::hint::black_box(dates(&tree, &page, url, &head, self.latest));
        }
        self.spent += cpu().saturating_sub(before);
        Ok(found)
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / f64::from(self.pages.max(1))
    }

    fn millis(&self) -> f64 {
        self.mean(self.spent.as_secs_f64() * 1000.0 / f64::from(ROUNDS))
    }
}

fn compare(gold: &str, folder: &Path) -> Outcome<()> {
    let mut watch = Watch::new()?;
    let mut out = std::io::stdout().lock();
    let mut right = 0;
    let mut by_evidence: BTreeMap<Option<Evidence>, (u32, u32)> = BTreeMap::new();
    for line in fs::read_to_string(gold)?.lines() {
        let mut fields = line.split('\t');
        let (Some(name), Some(day)) = (fields.next(), fields.next()) else { continue };
        let url = fields.next().and_then(|url| CanonicalUrl::parse(url).ok());
        let found = watch.look(&folder.join(name), url)?.published;
        let counts = by_evidence.entry(found.map(|found| found.evidence)).or_default();
        counts.1 += 1;
        if found.is_some_and(|found| found.day.to_string() == day) {
            right += 1;
            counts.0 += 1;
        } else {
            let told =
                |found: Published| format!("{}\t{}\t{:.2}", found.day, found.evidence, found.confidence);
            writeln!(out, "wrong\t{name}\t{day}\t{}", found.map_or_else(|| "none".to_owned(), told))?;
        }
    }
    for (evidence, (right, all)) in &by_evidence {
        writeln!(out, "{}\t{right} of {all}", evidence.map_or("none", Evidence::name))?;
    }
    let share = watch.mean(100.0 * f64::from(right));
    let (millis, bytes) = (watch.millis(), watch.mean(watch.bytes as f64) / 1000.0);
    writeln!(out, "{share:.1} % of {} pages, {millis:.3} ms and {bytes:.0} KB a page", watch.pages)?;
    Ok(())
}

fn measure() -> Outcome<()> {
    let mut watch = Watch::new()?;
    for application in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue"))? {
        let Ok(pages) = fs::read_dir(application?.path().join("pages")) else { continue };
        for page in pages {
            let path = page?.path();
            if path.extension().is_some_and(|ending| ending == "html") {
                watch.look(&path, None)?;
            }
        }
    }
    let figures = BTreeMap::from([
        ("cpu_ms_per_page", watch.millis()),
        ("page_bytes", watch.mean(watch.bytes as f64)),
        ("pages", f64::from(watch.pages)),
    ]);
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&figures)?)?;
    Ok(())
}

/// CPU time of this process so far.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|spent| spent.parse().ok()).unwrap_or(0))
}
