//! How well main text is found: `maintext PAGES [TEXTS]` reads every NAME.html of a folder, compares the text found with
//! NAME.txt beside it (4-grams of words, means over pages), and gives the CPU time that
//! title, author, date, text and comments of a page take once its tree is there.
//! With a second folder the objects and main texts found are written there.
#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use annalist_apps::generic;
use annalist_model::{CanonicalUrl, Canonicaliser, ResponseHead};
use annalist_read::Reader;

/// Each page is read so often for its time.
const TURNS: u32 = 20;

fn main() -> io::Result<()> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let Some(pages) = arguments.next() else {
        println!("usage: maintext PAGES [TEXTS]");
        return Ok(());
    };
    let texts = arguments.next();
    let mut names: Vec<PathBuf> = fs::read_dir(pages)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.retain(|name| name.extension().is_some_and(|extension| extension == "html"));
    names.sort();
    let mut means = Means::default();
    let url = CanonicalUrl::parse("http://page.test/").map_err(io::Error::other)?;
    let reader = Reader::new(Canonicaliser::default());
    let mut time = 0;
    for name in &names {
        let (page, tree) = reader.read_with_tree(&url, &ResponseHead::default(), &fs::read(name)?);
        let Some(tree) = tree else { continue };
        let read = || generic::read(&tree, &page, &url, None);
        let objects = read();
        let found = objects.first().map_or("", |article| article.body.as_str());
        let before = cpu_nanos();
        for _ in 0..TURNS {
            std::hint::black_box(read());
        }
        time += cpu_nanos().saturating_sub(before) / u64::from(TURNS);
        if let Some(folder) = &texts {
            fs::create_dir_all(folder)?;
            let target = folder.join(name.file_name().unwrap_or_default());
            fs::write(target.with_extension("json"), serde_json::to_vec_pretty(&objects)?)?;
            fs::write(target.with_extension("txt"), found)?;
        }
        if let Ok(expected) = fs::read_to_string(name.with_extension("txt")) {
            means.add(&expected, found);
        }
    }
    means.print();
    println!("{:.3} ms CPU per page, {} pages", time as f64 / 1e6 / names.len().max(1) as f64, names.len());
    Ok(())
}

/// Precision over pages with some text found, recall over pages with some text expected.
#[derive(Default)]
struct Means {
    precision: Vec<f64>,
    recall: Vec<f64>,
}

impl Means {
    fn add(&mut self, expected: &str, found: &str) {
        let (expected, found) = (shingles(expected), shingles(found));
        let shared: u32 =
            found.iter().map(|(key, count)| expected.get(key).map_or(0, |own| *own.min(count))).sum();
        let share = |of: u32| f64::from(shared) / f64::from(of);
        let (all_found, all_expected): (u32, u32) = (found.values().sum(), expected.values().sum());
        self.precision.extend((all_found > 0).then(|| share(all_found)));
        self.recall.extend((all_expected > 0).then(|| share(all_expected)));
    }

    fn print(&self) {
        if self.recall.is_empty() {
            return;
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let (precision, recall) = (mean(&self.precision), mean(&self.recall));
        let f1 = 2.0 * precision * recall / (precision + recall);
        println!("precision {precision:.3}  recall {recall:.3}  F1 {f1:.3}  of {} texts", self.recall.len());
    }
}

/// How often each run of four words occurs.
fn shingles(text: &str) -> HashMap<String, u32> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let mut shingles = HashMap::new();
    let size = words.len().clamp(1, 4);
    for run in words.windows(size) {
        *shingles.entry(run.join(" ")).or_insert(0) += 1;
    }
    shingles
}

/// What this thread has used of a core.
fn cpu_nanos() -> u64 {
    let schedule = fs::read_to_string(Path::new("/proc/thread-self/schedstat")).unwrap_or_default();
    schedule.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0)
}
