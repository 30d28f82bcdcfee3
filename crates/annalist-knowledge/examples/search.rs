//! What search costs: documents with words as frequent as in real texts are indexed, then asked with all facets.
//! `search [DOCUMENTS] [BYTES OF TEXT EACH | WARC FILE] [THREADS] [FOLDER TO KEEP]`; prints one line of JSON. A crawl indexes on one
//! thread. The pages of a WARC file are taken again and again until there are enough, and nothing is asked then. `MEMORY_MB`
//! is what the index may take (256). A folder that has an index already is only asked.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use annalist_knowledge::search::{FacetField, Question, Reader, Search, SearchSettings, Sort, parse};
use annalist_knowledge::{Dated, Derived, DerivedError, Document, Extent, FollowSettings, Mark, follow};
use annalist_model::{CanonicalUrl, Time};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const DOCUMENTS: u64 = 100_000;
const TEXT_BYTES: usize = 2_000;
/// Different words, of which the n-th is n times as rare as the first.
const WORDS: f64 = 300_000.0;
const FREQUENT: [&str; 30] = [
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with", "be", "by", "on",
    "not", "he", "his", "but", "at", "are", "this", "have", "from", "or", "had", "an", "they", "which",
];
/// A commit as the crawl makes them.
const DOCUMENTS_A_COMMIT: u64 = 20_000;
const ASKED: usize = 300;

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let documents = args.next().map_or(Ok(DOCUMENTS), |number| number.parse())?;
    let texts = args.next().map_or(Ok(Texts::Made(TEXT_BYTES)), |what| Texts::of(&what))?;
    let threads = args.next().map_or(Ok(2), |number| number.parse())?;
    let kept = args.next();
    let folder = std::env::temp_dir().join(format!("annalist-search-{}", std::process::id()));
    let folder = kept.as_ref().map_or(folder.as_path(), Path::new);
    let mut chance = Chance(1);
    let mut figures = Vec::new();
    if !folder.join("meta.json").is_file() {
        let text = index(folder, documents, &texts, threads, &mut chance)?;
        let size: u64 =
            std::fs::read_dir(folder)?.map(|file| Ok(file?.metadata()?.len())).sum::<Outcome<u64>>()?;
        figures.extend(text.figures());
        figures.push(("index_bytes_per_text_byte".to_owned(), size as f64 / text.bytes as f64));
        figures.push(("peak_rss_mb".to_owned(), peak_memory() / 1e6));
    }
    if matches!(texts, Texts::Made(_)) {
        figures.extend(ask(folder, &mut chance)?);
    }
    let figures: Vec<_> = figures.iter().map(|(name, value)| format!("\"{name}\":{value:.3}")).collect();
    writeln!(std::io::stdout(), "{{\"documents\":{documents},{}}}", figures.join(","))?;
    if kept.is_none() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// What is indexed: so many bytes of words that nobody wrote, or pages of an archive.
enum Texts {
    Made(usize),
    Read(Vec<Document>),
}

impl Texts {
    fn of(what: &str) -> Outcome<Texts> {
        if let Ok(bytes) = what.parse() {
            return Ok(Texts::Made(bytes));
        }
        let mut gathered = Gathered::default();
        let settings = FollowSettings { awaits_metadata: false, ..FollowSettings::default() };
        follow(&[Extent::whole(what)], &mut [&mut gathered], &settings, &())?;
        if gathered.pages.is_empty() {
            return Err(format!("{what} has no pages").into());
        }
        Ok(Texts::Read(gathered.pages))
    }

    fn document(&self, number: u64, chance: &mut Chance) -> Outcome<Document> {
        match self {
            Texts::Made(bytes) => document(number, *bytes, chance),
            Texts::Read(pages) => {
                let page = &pages[number as usize % pages.len()];
                let (record, offset) = (format!("{}-{number}", page.record), number * 1000);
                let file = "a.warc.gz".to_owned();
                Ok(Document { record, file, offset, ..page.clone() })
            }
        }
    }
}

/// The pages of an archive.
#[derive(Default)]
struct Gathered {
    pages: Vec<Document>,
    mark: Mark,
}

impl Derived for Gathered {
    fn mark(&self) -> &Mark {
        &self.mark
    }

    fn add(&mut self, document: &Document) -> Result<(), DerivedError> {
        if document.is_page() {
            self.pages.push(document.clone());
        }
        Ok(())
    }

    fn commit(&mut self, _: &Mark) -> Result<(), DerivedError> {
        Ok(())
    }
}

#[derive(Default)]
struct Indexed {
    bytes: u64,
    cpu: Duration,
    wall: Duration,
}

impl Indexed {
    fn figures(&self) -> Vec<(String, f64)> {
        let megabytes = self.bytes as f64 / 1e6;
        vec![
            ("text_mb".to_owned(), megabytes),
            ("index_mb_per_cpu_s".to_owned(), megabytes / self.cpu.as_secs_f64()),
            ("index_mb_per_s".to_owned(), megabytes / self.wall.as_secs_f64()),
        ]
    }
}

fn index(
    folder: &Path,
    documents: u64,
    texts: &Texts,
    threads: usize,
    chance: &mut Chance,
) -> Outcome<Indexed> {
    let mut indexed = Indexed::default();
    let megabytes: usize = std::env::var("MEMORY_MB").map_or(Ok(256), |number| number.parse())?;
    let mut search = Search::open(folder, SearchSettings { memory: megabytes << 20, threads })?;
    let mut mark = Mark::default();
    for first in (0..documents).step_by(DOCUMENTS_A_COMMIT as usize) {
        let some: Vec<_> = (first..documents.min(first + DOCUMENTS_A_COMMIT))
            .map(|number| texts.document(number, chance))
            .collect::<Outcome<_>>()?;
        let (cpu, wall) = (cpu(), Instant::now());
        for document in &some {
            search.add(document)?;
            indexed.bytes += document.text.len() as u64;
        }
        mark.files.insert("a.warc.gz".to_owned(), (first + DOCUMENTS_A_COMMIT) * 1000);
        search.commit(&mark)?;
        indexed.cpu += self::cpu() - cpu;
        indexed.wall += wall.elapsed();
    }
    let (cpu, wall) = (cpu(), Instant::now());
    search.finish()?;
    indexed.cpu += self::cpu() - cpu;
    indexed.wall += wall.elapsed();
    Ok(indexed)
}

/// How long many questions with all facets and months take, and what CPU time of all threads.
fn ask(folder: &Path, chance: &mut Chance) -> Outcome<Vec<(String, f64)>> {
    let reader = Reader::open(&[folder])?;
    let question = |text: &str, sort| -> Outcome<Question> {
        let facets = FacetField::ALL.to_vec();
        Ok(Question { wanted: parse(text)?, facets, over_time: true, sort, ..Question::default() })
    };
    let mut kinds = vec![("two_words", Vec::new()), ("rare_word", Vec::new()), ("frequent_word", Vec::new())];
    kinds.extend([("phrase", Vec::new()), ("everything", Vec::new()), ("newest", Vec::new())]);
    for number in 0..ASKED {
        let (one, other) = (word(chance, 200.0, WORDS / 100.0), word(chance, 200.0, WORDS / 100.0));
        let asked = [
            (format!("{one} {other}"), Sort::Relevance),
            (word(chance, 3_000.0, WORDS), Sort::Relevance),
            (word(chance, 30.0, 200.0), Sort::Relevance),
            (format!("\"{} {}\"", word(chance, 30.0, 200.0), word(chance, 30.0, 200.0)), Sort::Relevance),
            (String::new(), Sort::Relevance),
            (format!("{one} OR {other}"), Sort::Newest),
        ];
        for ((text, sort), (_, times)) in asked.iter().zip(&mut kinds) {
            // Asking for everything takes long and is the same each time.
            if text.is_empty() && number >= 20 {
                continue;
            }
            let question = question(text, *sort)?;
            let (cpu, start) = (cpu(), Instant::now());
            reader.ask(&question)?;
            times.push((start.elapsed().as_secs_f64() * 1e3, (self::cpu() - cpu).as_secs_f64() * 1e3));
        }
    }
    let mut figures = Vec::new();
    for (kind, times) in kinds {
        let at = |mut times: Vec<f64>, share: f64| {
            times.sort_by(f64::total_cmp);
            let place = ((times.len() as f64 * share) as usize).min(times.len() - 1);
            times.get(place).copied().unwrap_or_default()
        };
        let (long, cpu): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
        figures.push((format!("{kind}_median_ms"), at(long.clone(), 0.5)));
        figures.push((format!("{kind}_p99_ms"), at(long, 0.99)));
        figures.push((format!("{kind}_cpu_median_ms"), at(cpu.clone(), 0.5)));
        figures.push((format!("{kind}_cpu_p99_ms"), at(cpu, 0.99)));
    }
    Ok(figures)
}

fn document(number: u64, text_bytes: usize, chance: &mut Chance) -> Outcome<Document> {
    let mut text = String::with_capacity(text_bytes + 20);
    while text.len() < text_bytes {
        text.push_str(&word(chance, 1.0, WORDS));
        text.push(if chance.below(12) == 0 { '\n' } else { ' ' });
    }
    let millis = i64::try_from(1_262_304_000_000 + chance.below(86_400_000 * 3_650)).unwrap_or_default();
    let title = format!("{} {}", word(chance, 30.0, WORDS), word(chance, 30.0, WORDS));
    Ok(Document {
        record: format!("urn:uuid:{:08x}-0000-4000-8000-{number:012x}", chance.below(u64::from(u32::MAX))),
        file: "a.warc.gz".to_owned(),
        offset: number * 1000,
        url: CanonicalUrl::parse(&format!("http://www.site{}.test/{number}/page", chance.below(2_000)))?,
        captured: Time::from_millis(1_600_000_000_000 + number * 1000),
        status: 200,
        mime: "text/html".to_owned(),
        length: text.len() as u64,
        digest: Some(format!("sha1:{number}")),
        original: None,
        via: None,
        hops: "L".to_owned(),
        relevance: Some(chance.below(1000) as f32 / 1000.0),
        published: Some(Dated { text: "2010-01-01".to_owned(), millis, confidence: 0.9 }),
        language: Some(["en", "en", "en", "de", "fr"][chance.below(5) as usize].to_owned()),
        title: Some(title),
        text,
        parts: Vec::new(),
        links: Vec::new(),
        canonical: None,
        application: Some(["wordpress", "mediawiki", "phpbb"][chance.below(3) as usize].to_owned()),
        level: None,
        objects: Vec::new(),
    })
}

/// A word between two ranks, the more frequent the lower.
fn word(chance: &mut Chance, from: f64, to: f64) -> String {
    let rank = (from.ln() + chance.share() * (to.ln() - from.ln())).exp() as u64;
    if let Some(frequent) = FREQUENT.get(rank as usize - 1) {
        return (*frequent).to_owned();
    }
    const SYLLABLES: [&str; 16] = [
        "ba", "con", "de", "fer", "gi", "hal", "jo", "ken", "lu", "mar", "ne", "pol", "qui", "ros", "ta",
        "vin",
    ];
    let mut word = String::new();
    let mut rest = rank;
    while rest > 0 {
        word.push_str(SYLLABLES[(rest % 16) as usize]);
        rest /= 16;
    }
    word + ["", "s", "ing", "ed"][(rank % 4) as usize]
}

struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 1
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn share(&mut self) -> f64 {
        self.below(1 << 32) as f64 / (1u64 << 32) as f64
    }
}

/// Of all threads of this process.
fn cpu() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(spent.tv_sec as u64, spent.tv_nsec as u32)
}

fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or_default() * 1024.0
}
