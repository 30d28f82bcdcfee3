//! What the application-aware helper costs, in CPU: whether the number of known applications matters, on the sample pages of the
//! catalogue, and what all of it adds to a page, on those and on blogs and forums of the test web. Reading the pages is not
//! measured. Prints one line of JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use annalist_apps::adapt::Notebook;
use annalist_apps::automaton::Beside;
use annalist_apps::catalogue::{Loaded, Shown, head_of, load};
use annalist_apps::{Catalogue, Input, Seen, parts, recognise_and_learn, report};
use annalist_model::page::Part;
use annalist_model::{CanonicalUrl, Canonicaliser, Page, ResponseHead, Time};
use annalist_read::Reader;
use annalist_read::tree::Tree;
use annalist_testweb::{HostKind, Request, World, WorldConfig};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const FEW: usize = 20;
const MANY: usize = 5_000;
/// How often each page is looked at.
const ROUNDS: usize = 40;
/// The same where it costs so little that it takes long to tell how little.
const DETECTIONS: usize = 1_000;
const WEB_PAGES: usize = 400;
const PAGES: [&str; 2] = ["samples", "web"];

fn main() -> Outcome<()> {
    let reader = Reader::new(Canonicaliser::default());
    let samples = samples(&reader)?;
    let (few, many) = (synthetic(FEW)?, synthetic(MANY)?);
    let mut figures = BTreeMap::new();
    // In turns: what else the machine does falls on both.
    let (mut by_few, mut by_many) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..DETECTIONS / ROUNDS {
        by_few += spent(|| (0..ROUNDS).for_each(|_| samples.iter().for_each(|sample| detect(&few, sample))));
        by_many +=
            spent(|| (0..ROUNDS).for_each(|_| samples.iter().for_each(|sample| detect(&many, sample))));
    }
    let looked = (DETECTIONS * samples.len()) as f64;
    figures.insert("detect_ms_with_20".to_owned(), millis(by_few) / looked);
    figures.insert("detect_ms_with_5000".to_owned(), millis(by_many) / looked);
    figures.insert(
        "detect_5000_over_20".to_owned(),
        by_many.as_secs_f64() / by_few.as_secs_f64().max(f64::EPSILON),
    );

    let (catalogue, mistakes) = Catalogue::new(&load(true, &[]).descriptions);
    if let Some(mistake) = mistakes.first() {
        return Err(mistake.to_string().into());
    }
    let web = web_pages(&reader)?;
    for (name, pages) in PAGES.into_iter().zip([&samples, &web]) {
        let rounds = ROUNDS.min(4_000 / pages.len().max(1));
        let (mut helper, mut record) = (Duration::ZERO, Duration::ZERO);
        let (mut objects, mut bytes) = (0, 0);
        // What is made at first use, and learned, is made once a crawl.
        let notebook = Mutex::new(Notebook::default());
        let first = spent(|| {
            drop(pages.iter().map(|sample| look(&catalogue, &notebook, sample)).collect::<Vec<_>>());
        });
        figures.insert(format!("{name}.first_look_ms"), millis(first));
        for _ in 0..rounds {
            let mut all = Vec::with_capacity(pages.len());
            helper += spent(|| all.extend(pages.iter().map(|sample| look(&catalogue, &notebook, sample))));
            objects += all.iter().map(|(seen, _)| seen.objects.len()).sum::<usize>();
            record += spent(|| {
                for ((seen, _), sample) in all.iter().zip(pages) {
                    bytes += serde_json::to_vec(&report(seen, &sample.page)).map_or(0, |json| json.len());
                }
            });
        }
        let mean = |sum: f64| sum / (rounds * pages.len()) as f64;
        figures.insert(format!("{name}.cpu_ms_per_page"), mean(millis(helper)));
        figures.insert(format!("{name}.cpu_ms_per_record"), mean(millis(record)));
        figures.insert(format!("{name}.objects_per_page"), mean(objects as f64));
        figures.insert(format!("{name}.record_bytes"), mean(bytes as f64));
        let page_bytes = pages.iter().map(|sample| sample.bytes).sum::<usize>() * rounds;
        figures.insert(format!("{name}.page_bytes"), mean(page_bytes as f64));
    }
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&figures)?)?;
    Ok(())
}

fn look(catalogue: &Catalogue, notebook: &Mutex<Notebook>, sample: &Sample) -> (Seen, Vec<Part>) {
    let Sample { url, head, page, tree, .. } = sample;
    let at = Some(Time::from_millis(1_700_000_000_000));
    let (seen, _) = recognise_and_learn(catalogue, notebook, None, &Input { tree, page, url, head, at });
    let regions = parts(page, tree, &seen.places);
    (seen, regions)
}

/// A page that was read, and what came with it.
struct Sample {
    url: CanonicalUrl,
    head: ResponseHead,
    page: Page,
    tree: Tree,
    bytes: usize,
}

impl Sample {
    fn read(reader: &Reader, url: CanonicalUrl, head: ResponseHead, body: &[u8]) -> Outcome<Sample> {
        let (page, tree) = reader.read_with_tree(&url, &head, body);
        let tree = tree.ok_or_else(|| format!("{url} is no HTML page"))?;
        Ok(Sample { url, head, page, tree, bytes: body.len() })
    }
}

fn samples(reader: &Reader) -> Outcome<Vec<Sample>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue");
    let mut samples = Vec::new();
    for application in files_in(&root)? {
        for file in files_in(&application.join("pages")).unwrap_or_default() {
            if file.extension().is_none_or(|ending| ending != "html") {
                continue;
            }
            let fields = std::fs::read_to_string(file.with_extension("headers")).unwrap_or_default();
            let name = file.file_stem().unwrap_or_default();
            let expected = application.join("expected").join(name).with_extension("json");
            let expected: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(expected)?)?;
            let url = CanonicalUrl::parse(expected["url"].as_str().unwrap_or("http://localhost/"))?;
            samples.push(Sample::read(reader, url, head_of(&fields), &std::fs::read(&file)?)?);
        }
    }
    Ok(samples)
}

fn files_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    Ok(files)
}

/// Threads and posts, lists and home pages of blogs and forums.
fn web_pages(reader: &Reader) -> Outcome<Vec<Sample>> {
    let config = WorldConfig {
        hosts: 60,
        pages: 2_000,
        page_bytes: 26_000,
        links_per_page: 76,
        ..WorldConfig::default()
    };
    let world = World::new(config);
    let truth = world.truth();
    let pages = truth.allowed_pages().filter(|page| {
        let host = world.host(&page.host);
        page.kind.is_document()
            && host.is_some_and(|host| matches!(host.kind, HostKind::Blog | HostKind::Forum))
    });
    let read = pages.take(WEB_PAGES).map(|page| {
        let answer = world.answer(&Request::get(&page.host, &page.path));
        let response = answer.response().ok_or("no response")?;
        let head = ResponseHead { status: response.status, ..head_of(&response.fields) };
        Sample::read(reader, CanonicalUrl::parse(&page.url)?, head, &response.body)
    });
    read.collect()
}

/// Applications that no page belongs to, each with every kind of sign and a level.
fn synthetic(number: usize) -> Outcome<Catalogue> {
    let mut loaded = Loaded::default();
    for n in 0..number {
        let text = format!(
            r#"<application id="app{n}" name="App {n}">
              <detect>
                <generator contains="Software{n}-"/>
                <header name="x-powered-by" contains="Engine{n}-"/>
                <cookie name="app{n}_*"/>
                <url path="*/app{n}/index.php"/>
                <text contains="Powered by Software {n}."/>
                <markup at="link[contains(@href,'/styles{n}/')]"/>
                <markup at="body[has(@class,'app{n}')]//div[@id='app{n}-main']"/>
              </detect>
              <never path="*/print{n}.php" reason="print view"/>
              <level id="thread" kind="terminal">
                <detect><url path="*/thread{n}.php" has="t"/></detect>
                <follow at="ul[has(@class,'pages{n}')]//a/@href" action="page"/>
                <object type="post" at="div[has(@class,'post{n}')]">
                  <id at="./@id"/>
                  <author at="a"/>
                  <date at="span[has(@class,'date{n}')]"/>
                  <body at="div[@class='text{n}']"/>
                </object>
              </level>
            </application>"#
        );
        loaded.add(&format!("app{n}.xml"), &text);
    }
    if let Some(mistake) = loaded.mistakes.first() {
        return Err(mistake.to_string().into());
    }
    Ok(Catalogue::new(&loaded.descriptions).0)
}

fn detect(catalogue: &Catalogue, sample: &Sample) {
    let field = |(name, value): &(String, Vec<u8>)| {
        let value = String::from_utf8_lossy(value).into_owned();
        let tag = if name.eq_ignore_ascii_case("set-cookie") { "cookie" } else { "http-header" };
        Beside { tag, attributes: vec![("name", name.to_ascii_lowercase()), ("value", value)] }
    };
    let beside: Vec<Beside> = sample.head.fields.iter().map(field).collect();
    let matches = catalogue.automaton.run(&sample.tree, &beside);
    let texts = catalogue.texts_in(&sample.page.text);
    let shown = Shown { tree: &sample.tree, url: sample.url.as_url(), matches: &matches, texts };
    assert!(catalogue.detect(&shown).is_none(), "{} is of no synthetic application", sample.url);
}

fn spent(work: impl FnOnce()) -> Duration {
    let before = thread_cpu();
    work();
    thread_cpu().saturating_sub(before)
}

/// What this thread has used: on a busy machine the clock says more about the others.
fn thread_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
