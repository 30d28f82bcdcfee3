//! What judging costs: pages of 26 KB with 60 links of the test web are read, then judged as a crawl does it. Only what the
//! judge adds is measured. Prints one line of JSON.

use std::io::Write;
use std::time::Duration;

use annalist_judge::names::{Name, Names};
use annalist_judge::{Analyst, Depth, Judge, Rules};
use annalist_model::{CanonicalUrl, Canonicaliser, Page, ResponseHead, UrlKey};
use annalist_read::Reader;
use annalist_testweb::{PageTruth, Request, World, WorldConfig, topic_people};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const TOPIC: usize = 0;
const REFERENCES: usize = 10;
/// Fewer than there are: most links wait, as in any crawl that does not go to the end.
const PAGES: usize = 6_000;
/// Pages that are read before they are judged: no more than a crawl has under way.
const AT_ONCE: usize = 50;

fn main() -> Outcome<()> {
    let config = WorldConfig {
        hosts: 1_000,
        pages: 30_000,
        page_bytes: 26_000,
        links_per_page: 76,
        ..WorldConfig::default()
    };
    let world = World::new(config);
    let reader = Reader::new(Canonicaliser::default());
    let all: Vec<PageTruth> = world.truth().allowed_pages().filter(|page| page.kind.is_content()).collect();
    let mut analyst = Analyst::new(names(), "en");
    let mut judge = Judge::new(Rules::default());
    for truth in world.truth().relevant(TOPIC).take(REFERENCES) {
        let (key, page, _) = read(&world, &reader, &truth)?;
        let reading = analyst.read(&page, &judge.topic(), Depth::Reference);
        judge.take_reference(key, &reading);
    }
    let mut spent = Spent::default();
    let order = scattered(&all);
    for some in order.get(..PAGES.min(order.len())).unwrap_or_default().chunks(AT_ONCE) {
        let read: Vec<_> = some.iter().map(|truth| read(&world, &reader, truth)).collect::<Outcome<_>>()?;
        let before = thread_cpu();
        for (key, page, _) in &read {
            // Asked once more before a link is fetched.
            let _ = judge.reconsider(*key);
            let reading = analyst.read(page, &judge.topic(), Depth::Topic);
            spent.relevant += usize::from(judge.take(*key, &reading).score.is_some_and(|s| s.get() >= 0.5));
        }
        spent.cpu += thread_cpu().saturating_sub(before);
        spent.pages += read.len();
        spent.bytes += read.iter().map(|(_, _, bytes)| bytes).sum::<usize>();
        spent.links += read.iter().map(|(_, page, _)| page.links.len()).sum::<usize>();
    }
    let mean = |sum: f64| sum / spent.pages.max(1) as f64;
    writeln!(
        std::io::stdout(),
        "{{\"pages\":{},\"cpu_ms_per_page\":{:.4},\"links_per_page\":{:.1},\"page_bytes\":{:.0},\"relevant_pages\":{}}}",
        spent.pages,
        mean(spent.cpu.as_secs_f64() * 1000.0),
        mean(spent.links as f64),
        mean(spent.bytes as f64),
        spent.relevant,
    )?;
    Ok(())
}

#[derive(Default)]
struct Spent {
    cpu: Duration,
    pages: usize,
    bytes: usize,
    links: usize,
    /// So that nothing of it can be left out.
    relevant: usize,
}

fn names() -> Names {
    let name = |name: &&str| Name { name: (*name).to_owned(), spellings: vec![(*name).to_owned()] };
    Names::new(topic_people(TOPIC).iter().map(name).collect())
}

/// As a crawl of many sites brings them: no two of one site side by side, and links wait for long.
fn scattered(pages: &[PageTruth]) -> Vec<&PageTruth> {
    const STEP: usize = 211;
    (0..STEP).flat_map(|first| pages.iter().skip(first).step_by(STEP)).collect()
}

fn read(world: &World, reader: &Reader, truth: &PageTruth) -> Outcome<(UrlKey, Page, usize)> {
    let answer = world.answer(&Request::get(&truth.host, &truth.path));
    let response = answer.response().ok_or("no response")?;
    let fields = response.fields.lines().filter_map(|line| line.split_once(": "));
    let head = ResponseHead {
        status: response.status,
        fields: fields.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec())).collect(),
    };
    let url = CanonicalUrl::parse(&truth.url)?;
    Ok((url.key(), reader.read(&url, &head, &response.body), response.body.len()))
}

/// What this thread has used: on a busy machine the clock says more about the others.
fn thread_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}
