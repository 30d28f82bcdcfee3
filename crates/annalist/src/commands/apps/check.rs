//! `annalist apps check`: are descriptions right, and do their example pages come out as expected?

use std::path::{Path, PathBuf};

use annalist_apps::catalogue::load;
use annalist_apps::{Catalogue, report};
use annalist_model::{CanonicalUrl, ResponseHead, Time};
use annalist_read::Reader;
use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::head_in;
use crate::cli::AppsCheckArgs;
use crate::exit::{BadConfiguration, Exit};

/// Differences told of one page.
const MOST_TOLD: usize = 8;
/// When example pages are taken to have been captured: "yesterday" must mean the same tomorrow.
const CAPTURED: u64 = 1_700_000_000_000;

#[expect(clippy::print_stdout, reason = "the findings are what the command is asked for")]
pub fn run(args: &AppsCheckArgs) -> Result<Exit> {
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from("catalogue"));
    if !dir.is_dir() {
        return Err(BadConfiguration(format!("{} is no folder", dir.display())).into());
    }
    let loaded = load(true, std::slice::from_ref(&dir));
    let (catalogue, unfinished) = Catalogue::new(&loaded.descriptions);
    let mut faults = 0;
    for mistake in loaded.mistakes.iter().chain(&unfinished) {
        println!("{mistake}");
        faults += 1;
    }
    let examples = examples_in(&dir)?;
    for example in &examples {
        match example.check(&catalogue, args.update) {
            Ok(differences) if differences.is_empty() => {}
            Ok(differences) => {
                faults += 1;
                println!("{}: not as expected", example.page.display());
                for told in differences.iter().take(MOST_TOLD) {
                    println!("  {told}");
                }
                if differences.len() > MOST_TOLD {
                    println!("  and {} more differences", differences.len() - MOST_TOLD);
                }
            }
            Err(fault) => {
                faults += 1;
                println!("{}: {fault:#}", example.page.display());
            }
        }
    }
    let folder = std::fs::canonicalize(&dir).unwrap_or(dir);
    let own = |file: &str| std::fs::canonicalize(file).is_ok_and(|file| file.starts_with(&folder));
    let applications = loaded.descriptions.iter().filter(|one| own(&one.file)).count();
    println!("{applications} applications, {} example pages, {faults} faults", examples.len());
    Ok(if faults == 0 { Exit::Done } else { Exit::BadConfiguration })
}

struct Example {
    page: PathBuf,
    expected: PathBuf,
}

fn examples_in(dir: &Path) -> Result<Vec<Example>> {
    let mut examples = Vec::new();
    let mut folders = vec![dir.to_owned()];
    folders.extend(entries(dir)?.into_iter().filter(|path| path.is_dir()));
    for folder in folders {
        let pages = folder.join("pages");
        if !pages.is_dir() {
            continue;
        }
        for page in entries(&pages)? {
            if page.extension().is_some_and(|ending| ending == "html") {
                let name = page.file_stem().unwrap_or_default();
                let expected = folder.join("expected").join(name).with_extension("json");
                examples.push(Example { page, expected });
            }
        }
    }
    Ok(examples)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(dir).with_context(|| format!("{} cannot be read", dir.display()))?;
    let mut entries = read.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

impl Example {
    /// How what comes out differs from what is expected.
    fn check(&self, catalogue: &Catalogue, update: bool) -> Result<Vec<String>> {
        let text = std::fs::read_to_string(&self.expected).with_context(|| {
            format!("{} says what is expected, and cannot be read", self.expected.display())
        })?;
        let expected: Value =
            serde_json::from_str(&text).with_context(|| format!("{} is no JSON", self.expected.display()))?;
        let url = expected.get("url").and_then(Value::as_str).context("the expected file has no \"url\"")?;
        let url =
            CanonicalUrl::parse(url).map_err(|fault| anyhow::anyhow!("{url} is no address: {fault}"))?;
        let body = std::fs::read(&self.page)?;
        let headers = self.page.with_extension("headers");
        let head = if headers.is_file() {
            head_in(&headers)?
        } else {
            ResponseHead { status: 200, fields: Vec::new() }
        };
        let (page, tree) = Reader::new(Default::default()).read_with_tree(&url, &head, &body);
        let tree = tree.context("this is no HTML page")?;
        let at = Some(Time::from_millis(CAPTURED));
        let input = annalist_apps::Input { tree: &tree, page: &page, url: &url, head: &head, at };
        let mut found = report(&annalist_apps::recognise(catalogue, &input), &page);
        if let Some(found) = found.as_object_mut() {
            found.insert("url".to_owned(), json!(expected.get("url")));
        }
        if update {
            std::fs::write(&self.expected, serde_json::to_string_pretty(&found)? + "\n")?;
            return Ok(Vec::new());
        }
        let mut differences = Vec::new();
        differ("", &expected, &found, &mut differences);
        Ok(differences)
    }
}

fn differ(place: &str, expected: &Value, found: &Value, told: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for name in expected.keys().chain(found.keys().filter(|name| !expected.contains_key(*name))) {
                let of = |map: &serde_json::Map<String, Value>| map.get(name).cloned().unwrap_or(Value::Null);
                differ(&format!("{place}.{name}"), &of(expected), &of(found), told);
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            for number in 0..expected.len().max(found.len()) {
                let of = |list: &[Value]| list.get(number).cloned().unwrap_or(Value::Null);
                differ(&format!("{place}[{number}]"), &of(expected), &of(found), told);
            }
        }
        _ if expected == found => {}
        _ => told.push(format!("{}: expected {expected}, found {found}", place.trim_start_matches('.'))),
    }
}
