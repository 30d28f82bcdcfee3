//! How well the days of publication are found, and at what cost in CPU: `dates GOLD [FOLDER]`, where each line of GOLD is a file, a
//! tab, and the day. Shows the share of exact days, by evidence, those that are wrong, and milliseconds a page; reading the
//! pages is not part of the cost. Without a gold file, the days of all pages in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_apps::published::{Captured, dates};
use annalist_model::{CanonicalUrl, Canonicaliser, Evidence, Published, ResponseHead, Time};
use annalist_read::Reader;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How often each page is looked at.
const ROUNDS: u32 = 20;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let gold = args.next().ok_or("dates GOLD [FOLDER]")?;
    let folder = args.next().map_or_else(PathBuf::new, PathBuf::from);
    let reader = Reader::new(Canonicaliser::default());
    let nowhere = CanonicalUrl::parse("http://localhost/")?;
    let latest = Captured::Before(Time::from_millis(
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis().try_into()?,
    ));
    let mut out = std::io::stdout().lock();
    let (mut right, mut pages, mut bytes) = (0, 0, 0);
    let mut by_evidence: BTreeMap<Option<Evidence>, (u32, u32)> = BTreeMap::new();
    let mut spent = Duration::ZERO;
    for line in fs::read_to_string(&gold)?.lines() {
        let mut fields = line.split('\t');
        let (Some(name), Some(day)) = (fields.next(), fields.next()) else { continue };
        let url = fields.next().and_then(|url| CanonicalUrl::parse(url).ok());
        let url = url.as_ref().unwrap_or(&nowhere);
        let body = fs::read(Path::new(&folder).join(name))?;
        let head = ResponseHead { status: 200, fields: Vec::new() };
        let (page, tree) = reader.read_with_tree(url, &head, &body);
        let Some(tree) = tree else { continue };
        let found = dates(&tree, &page, url, &head, latest);
        let from = cpu();
        for _ in 0..ROUNDS {
            std::hint::black_box(dates(&tree, &page, url, &head, latest));
        }
        spent += cpu().saturating_sub(from);
        pages += 1;
        bytes += body.len();
        let told = |found: &Published| format!("{}\t{}\t{:.2}", found.day, found.evidence, found.confidence);
        let is_right = found.published.is_some_and(|found| found.day.to_string() == day);
        let counts = by_evidence.entry(found.published.map(|found| found.evidence)).or_default();
        counts.1 += 1;
        if is_right {
            right += 1;
            counts.0 += 1;
        } else {
            let told = found.published.as_ref().map_or_else(|| "none\t\t".to_owned(), told);
            writeln!(out, "wrong\t{name}\t{day}\t{told}")?;
        }
    }
    for (evidence, (right, all)) in &by_evidence {
        writeln!(out, "{}\t{right} of {all}", evidence.map_or("none", Evidence::name))?;
    }
    let count = f64::from(pages.max(1));
    let millis = spent.as_secs_f64() * 1000.0 / f64::from(ROUNDS) / count;
    let share = 100.0 * f64::from(right) / count;
    writeln!(
        out,
        "{share:.1} % of {pages} pages, {millis:.3} ms and {:.0} KB a page",
        bytes as f64 / count / 1000.0
    )?;
    Ok(())
}

/// CPU time of this process so far.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|spent| spent.parse().ok()).unwrap_or(0))
}
