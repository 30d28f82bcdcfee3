//! `annalist apps`: what software made a page, what was written on it, and which of its links lead to more.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use annalist_apps::catalogue::{Application, Loaded, head_of, load};
use annalist_apps::published::Captured;
use annalist_apps::{Catalogue, Input, Seen, recognise_and_learn, report};
use annalist_crawl::apps::date;
use annalist_crawl::clock;
use annalist_model::{CanonicalUrl, Object, Page, ResponseHead};
use annalist_read::Reader;
use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cli::{AppsArgs, AppsCommand, AppsPageArgs, CatalogueArgs};
use crate::exit::{BadConfiguration, Exit};
use crate::pages;

mod check;
mod learned;
mod objects;

/// What a listing has room for.
const WORDS: usize = 300;
const LINKS: usize = 30;

pub fn run(args: &AppsArgs) -> Result<Exit> {
    match &args.command {
        AppsCommand::List(args) => list(args),
        AppsCommand::Detect(args) => detect(args),
        AppsCommand::Extract(args) => extract(args),
        AppsCommand::Objects(args) => objects::run(args),
        AppsCommand::Learned(args) => learned::run(args),
        AppsCommand::Check(args) => check::run(args),
    }
}

/// What the program brings along with the folders; mistakes are told, and the rest is used.
fn catalogue(folders: &[PathBuf]) -> Catalogue {
    let Loaded { descriptions, mistakes } = load(true, folders);
    let (catalogue, unfinished) = Catalogue::new(&descriptions);
    for mistake in mistakes.iter().chain(&unfinished) {
        tell!("warning: {mistake}");
    }
    catalogue
}

#[expect(clippy::print_stdout, reason = "the list is what the command is asked for")]
fn list(args: &CatalogueArgs) -> Result<Exit> {
    let catalogue = catalogue(&args.catalogue);
    let line = |one: &Application| one.ancestors.join(" ← ");
    let widest =
        |text: &dyn Fn(&Application) -> usize| catalogue.applications.iter().map(text).max().unwrap_or(0);
    let (id, name) = (widest(&|one| one.id.len()), widest(&|one| one.name.chars().count()));
    let above = widest(&|one| line(one).chars().count());
    for one in &catalogue.applications {
        let levels: Vec<_> = one.levels.iter().map(|level| level.id.as_str()).collect();
        println!("{:id$}  {:name$}  {:above$}  levels: {}", one.id, one.name, line(one), levels.join(", "));
    }
    Ok(Exit::Done)
}

#[expect(clippy::print_stdout, reason = "the answer is what the command is asked for")]
fn detect(args: &AppsPageArgs) -> Result<Exit> {
    let looked = look(args)?;
    println!("{}", headline(&looked.seen));
    if args.json {
        let told = report(&looked.seen, &looked.page);
        let part = |name: &str| told.get(name).cloned().unwrap_or(Value::Null);
        println!(
            "{}",
            serde_json::json!({"application": part("application"), "type": part("type"), "level": part("level")})
        );
    }
    Ok(Exit::Done)
}

#[expect(clippy::print_stdout, reason = "the objects are what the command is asked for")]
fn extract(args: &AppsPageArgs) -> Result<Exit> {
    let looked = look(args)?;
    let told = report(&looked.seen, &looked.page);
    print!("{}", listing(&looked.seen, &told));
    if args.json {
        println!("{told}");
    }
    Ok(Exit::Done)
}

struct Looked {
    page: Page,
    seen: Seen,
}

fn look(args: &AppsPageArgs) -> Result<Looked> {
    let catalogue = catalogue(&args.catalogue.catalogue);
    let before = args.before.as_deref().map(objects_before).transpose()?;
    if args.page.contains("://") {
        let found = pages::fetched(&args.page, args.contact.as_deref(), &args.allow)?;
        return looked(&catalogue, &found.url, &found.head, &found.body, before.as_deref());
    }
    let path = Path::new(&args.page);
    let body = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let typed = args.url.as_deref().unwrap_or("http://localhost/");
    let url = CanonicalUrl::parse(typed)
        .map_err(|fault| BadConfiguration(format!("--url {typed} is no address: {fault}")))?;
    let head = match &args.headers {
        Some(path) => head_in(path)?,
        None => ResponseHead { status: 200, fields: Vec::new() },
    };
    looked(&catalogue, &url, &head, &body, before.as_deref())
}

/// The objects in a file that `--json` was written to.
fn objects_before(path: &Path) -> Result<Vec<Object>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let told: Value = serde_json::from_str(&text)
        .or_else(|_| serde_json::from_str(last))
        .map_err(|fault| BadConfiguration(format!("{} is no JSON: {fault}", path.display())))?;
    let objects = told.get("objects").cloned().unwrap_or_default();
    serde_json::from_value(objects)
        .map_err(|fault| BadConfiguration(format!("{} has no objects: {fault}", path.display())).into())
}

fn looked(
    catalogue: &Catalogue,
    url: &CanonicalUrl,
    head: &ResponseHead,
    body: &[u8],
    before: Option<&[Object]>,
) -> Result<Looked> {
    let (mut page, tree) = Reader::new(Default::default()).read_with_tree(url, head, body);
    let Some(tree) = tree else { bail!("{url} is no HTML page but {}", page.mime) };
    let now = clock::now();
    date(&tree, &mut page, url, head, Captured::Before(now));
    let input = Input { tree: &tree, page: &page, url, head, at: Some(now) };
    let (seen, _) = recognise_and_learn(catalogue, &Mutex::default(), before, &input);
    Ok(Looked { page, seen })
}

fn head_in(path: &Path) -> Result<ResponseHead> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(head_of(&text))
}

fn headline(seen: &Seen) -> String {
    match (&seen.application, &seen.general_type, &seen.level) {
        (Some(application), Some(kind), Some(level)) => format!("{application} ({kind}), level {level}"),
        (Some(application), Some(kind), None) => {
            format!("{application} ({kind}), on no level that its description knows")
        }
        _ => "no application that the catalogue knows; read as an article".to_owned(),
    }
}

fn listing(seen: &Seen, told: &Value) -> String {
    let mut text = format!("{}\n", headline(seen));
    for change in &seen.changes {
        let _ = writeln!(text, "  repaired: {}: {} ({})", change.what, change.now, change.how);
    }
    for object in &seen.objects {
        let or = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".to_owned());
        let _ = writeln!(text, "\n{} by {} on {}", object.kind, or(&object.author), or(&object.date));
        if let Some(title) = &object.title {
            let _ = writeln!(text, "  {title}");
        }
        let short: String = object.body.chars().take(WORDS).collect();
        let more = if short.len() < object.body.len() { " …" } else { "" };
        for line in format!("{short}{more}").lines() {
            let _ = writeln!(text, "    {line}");
        }
        if let Some(url) = &object.url {
            let _ = writeln!(text, "  at {url}");
        }
        if let Some(parent) = &object.parent {
            let _ = writeln!(text, "  answers {parent}");
        }
    }
    for (name, heading, why) in [
        ("follow", "followed", "action"),
        ("spare", "followed where there is no list of everything", "action"),
        ("skip", "left alone", "reason"),
    ] {
        let links = told.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if links.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{heading}: {}", links.len());
        for link in links.iter().take(LINKS) {
            let part = |name: &str| link.get(name).and_then(Value::as_str).unwrap_or_default();
            let _ = writeln!(text, "  {:18} {}", part(why), part("url"));
        }
        if links.len() > LINKS {
            let _ = writeln!(text, "  and {} more; --json has them all", links.len() - LINKS);
        }
    }
    text
}
