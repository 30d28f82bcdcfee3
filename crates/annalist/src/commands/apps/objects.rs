//! `annalist apps objects`: what was written on the pages of a crawl, out of its archive. The posts of one thread are joined, and what
//! was seen under several addresses is one object.

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};

use annalist_crawl::job::JobDir;
use annalist_model::Object;
use annalist_warc::Reader;
use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::cli::AppsObjectsArgs;
use crate::commands::verify::warc_files_in;
use crate::exit::{BadConfiguration, Exit};
use crate::printing::Unprinted;

/// The records that hold what was written on a page.
const OBJECTS: &str = "urn:objects:";

/// One object and where it was seen.
struct Kept {
    object: Object,
    application: Value,
    seen_at: Vec<String>,
}

pub fn run(args: &AppsObjectsArgs) -> Result<Exit> {
    let job = JobDir::new(&args.dir);
    if !job.exists() {
        return Err(BadConfiguration(format!("there is no crawl in {}", args.dir.display())).into());
    }
    let kept = objects_of(&job)?;
    print(&kept, args, &mut std::io::stdout().lock()).context(Unprinted)?;
    Ok(Exit::Done)
}

fn print(kept: &[Kept], args: &AppsObjectsArgs, out: &mut impl Write) -> std::io::Result<()> {
    let threads = threads_of(kept);
    for (thread, members) in &threads {
        if !args.jsonl {
            let title = members
                .iter()
                .find_map(|one| one.object.thread_title.as_deref().or(one.object.title.as_deref()));
            writeln!(out, "{}\n  {}, {} objects", title.unwrap_or("(no title)"), thread, members.len())?;
        }
        for one in members {
            if args.jsonl {
                let mut told = serde_json::to_value(&one.object)?;
                if let Some(told) = told.as_object_mut() {
                    told.insert("application".to_owned(), one.application.clone());
                    told.insert("seen_at".to_owned(), json!(one.seen_at));
                }
                writeln!(out, "{told}")?;
            } else {
                let or = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".to_owned());
                writeln!(
                    out,
                    "    {} by {} on {}",
                    one.object.kind,
                    or(&one.object.author),
                    or(&one.object.date)
                )?;
            }
        }
    }
    let with = |test: fn(&Object) -> bool| kept.iter().filter(|one| test(&one.object)).count();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for one in kept {
        *kinds.entry(&one.object.kind).or_default() += 1;
    }
    if args.json {
        let told = json!({
            "objects": kept.len(), "threads": threads.len(), "types": kinds,
            "with_author": with(|object| object.author.is_some()), "with_date": with(|object| object.date.is_some()),
        });
        writeln!(out, "{told}")?;
    } else if !args.jsonl {
        let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}s")).collect();
        writeln!(out, "{} threads: {}", threads.len(), kinds.join(", "))?;
    }
    Ok(())
}

/// Every object once, in the order of the archive.
fn objects_of(job: &JobDir) -> Result<Vec<Kept>> {
    let mut kept: Vec<Kept> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for file in warc_files_in(&job.archive())? {
        let mut warc = Reader::open(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        while let Some(mut record) = warc.next_record()? {
            let target = record.fields.get("WARC-Target-URI").unwrap_or_default().to_owned();
            if let Some(page) = target.strip_prefix(OBJECTS).filter(|_| record.kind() == "resource") {
                let mut json = Vec::new();
                record.read_to_end(&mut json)?;
                let Ok(told) = serde_json::from_slice::<Value>(&json) else { continue };
                let objects = told.get("objects").cloned().unwrap_or_default();
                let objects: Vec<Object> = serde_json::from_value(objects).unwrap_or_default();
                for object in objects {
                    let next = kept.len();
                    let place = *places.entry(object.id.clone()).or_insert(next);
                    match kept.get_mut(place) {
                        Some(known) => {
                            // A later capture has the last word.
                            known.object = object;
                            if !known.seen_at.iter().any(|seen| seen == page) {
                                known.seen_at.push(page.to_owned());
                            }
                        }
                        None => kept.push(Kept {
                            object,
                            application: told.get("application").cloned().unwrap_or_default(),
                            seen_at: vec![page.to_owned()],
                        }),
                    }
                }
            }
            record.finish()?;
        }
    }
    Ok(kept)
}

/// By thread, each in the order of dates.
fn threads_of(kept: &[Kept]) -> Vec<(String, Vec<&Kept>)> {
    let mut threads: BTreeMap<String, Vec<&Kept>> = BTreeMap::new();
    for one in kept {
        let address = one.object.thread.clone().or_else(|| one.object.url.clone());
        threads.entry(address.unwrap_or_else(|| one.object.id.clone())).or_default().push(one);
    }
    let mut threads: Vec<_> = threads.into_iter().collect();
    for (_, members) in &mut threads {
        // Those of one moment stay in the order of their pages.
        members.sort_by(|one, other| one.object.date.cmp(&other.object.date));
    }
    threads
}
