//! `annalist date`: when pages were published, how sure that is, and what says so.

use std::path::Path;

use annalist_apps::dates;
use annalist_apps::published::Captured;
use annalist_crawl::{apps, clock};
use annalist_model::{CanonicalUrl, Page, ResponseHead};
use annalist_read::Reader;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::DateArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::pages;

/// Where a page is taken to be from that has no address.
const NOWHERE: &str = "http://localhost/";

#[expect(clippy::print_stdout, reason = "the dates are what the command is asked for")]
pub fn run(args: &DateArgs) -> Result<Exit> {
    let captured = captured(args.captured.as_deref())?;
    let url = args.url.as_deref().unwrap_or(NOWHERE);
    let url = CanonicalUrl::parse(url)
        .map_err(|fault| BadConfiguration(format!("--url {url} is no address: {fault}")))?;
    if args.url.is_some() && args.pages.len() > 1 {
        return Err(
            BadConfiguration("--url is the address of one page; give one file with it".to_owned()).into()
        );
    }
    let mut failed = None;
    for name in &args.pages {
        let (url, page) = match read(name, &url, captured, args) {
            Ok(read) => read,
            Err(fault) if args.pages.len() > 1 => {
                tell!("annalist: {fault:#}");
                failed = Some(fault);
                continue;
            }
            Err(fault) => return Err(fault),
        };
        let told = if args.json { object(name, &url, &page).to_string() } else { line(name, &page) };
        println!("{told}");
    }
    // Those that could be read were told; that others could not is said by the exit code too.
    failed.map_or(Ok(Exit::Done), Err)
}

fn captured(day: Option<&str>) -> Result<Captured> {
    let Some(day) = day else { return Ok(Captured::Before(clock::now())) };
    let end = dates::time(&format!("{day}T23:59:59Z"));
    let end =
        end.ok_or_else(|| BadConfiguration(format!("--captured {day} is no day; write it as 2014-05-17")))?;
    Ok(Captured::At(end))
}

fn read(name: &str, url: &CanonicalUrl, captured: Captured, args: &DateArgs) -> Result<(CanonicalUrl, Page)> {
    let reader = Reader::new(Default::default());
    let (url, head, body, captured) = if name.contains("://") {
        let found = pages::fetched(name, args.contact.as_deref(), &args.allow)?;
        (found.url, found.head, found.body, Captured::At(clock::now()))
    } else {
        let body = std::fs::read(Path::new(name)).with_context(|| format!("{name} cannot be read"))?;
        (url.clone(), ResponseHead { status: 200, fields: Vec::new() }, body, captured)
    };
    let (mut page, tree) = reader.read_with_tree(&url, &head, &body);
    if let Some(tree) = tree {
        apps::date(&tree, &mut page, &url, &head, captured);
    }
    Ok((url, page))
}

fn object(name: &str, url: &CanonicalUrl, page: &Page) -> serde_json::Value {
    let url = page.canonical.as_ref().unwrap_or(url).as_str();
    let mut told = json!({
        "file": name,
        "url": (url != NOWHERE).then_some(url),
        "date": null,
        "confidence": null,
        "evidence": null,
        "modified": page.modified.map(|modified| modified.day().to_string()),
    });
    if let Some(serde_json::Value::Object(published)) = page.published.map(|published| json!(published))
        && let Some(told) = told.as_object_mut()
    {
        told.extend(published);
    }
    told
}

/// Columns that stand below each other whatever the names are.
fn line(name: &str, page: &Page) -> String {
    let modified = page.modified.map_or_else(String::new, |modified| format!("  changed {}", modified.day()));
    match &page.published {
        Some(found) => {
            format!("{}  {:.2}  {:<12}  {name}{modified}", found.day, found.confidence, found.evidence.name())
        }
        None => format!("{:<10}  {:<4}  {:<12}  {name}{modified}", "unknown", "", ""),
    }
}
