//! `annalist judge --sample`: pages of a job for people to judge, with what the program thinks of their content and time. How
//! well the two agree is in `evaluate.rs`.

use std::path::Path;

use annalist_crawl::apps::{Apps, read_as_judged};
use annalist_crawl::job::JobDir;
use annalist_crawl::judging::rules;
use annalist_judge::Definition;
use annalist_judge::explain::explain;
use annalist_model::spec::Spec;
use annalist_model::{CanonicalUrl, Page, Time};
use annalist_read::{Limits, Reader};
use annalist_sources::ArchiveSource;
use annalist_study::Annotated;
use annalist_study::selection::sample;
use anyhow::{Context, Result};
use serde_json::json;

use super::learn::learned;
use super::verify::warc_files_in;
use crate::definition_file;
use crate::exit::{BadConfiguration, Exit, Interrupted};
use crate::progress::Progress;
use crate::selecting::Standing;
use crate::watch::Watch;

/// As `2008-01-09T12:47:10`.
const TO_THE_SECOND: usize = 19;

#[expect(clippy::print_stdout, reason = "what was drawn is what the command is asked for")]
pub fn run(job: &Path, pages: usize, json: bool) -> Result<Exit> {
    let watch = Watch::start(Progress::Shown)?;
    let standing = Standing::of(job, &watch)?;
    let spec = &standing.spec;
    let limits = Limits::default();
    let files = warc_files_in(&JobDir::new(job).archive())?;
    let source = ArchiveSource::open(&files, limits.body_bytes as u64)?;
    let reader = Reader::with_limits(spec.canonical.clone(), limits);
    let apps = Apps::of(spec, None).0;
    let read = |url: &CanonicalUrl| {
        let found = source.newest(url).ok()?;
        Some((read_as_judged(&reader, apps.as_ref(), &found), found.at))
    };
    // Of an event the crawl kept one number for content and time together.
    let definition = spec.event.as_ref().map(|_| definition(job, spec, &read)).transpose()?;
    let candidates = standing.candidates.list();
    let places = sample(candidates, pages);
    watch.begin_counting("judging", places.len() as u64);
    let mut drawn = Vec::new();
    for page in places.iter().filter_map(|place| candidates.get(*place)) {
        if watch.is_asked() {
            return Err(Interrupted.into());
        }
        watch.count(1);
        let Ok(url) = CanonicalUrl::parse(&page.url) else { continue };
        let Some((document, captured)) = read(&url) else { continue };
        let (content, time) = match &definition {
            Some(definition) => {
                let told = explain(definition, rules(spec), &url, &document, Some(document.time(captured)));
                let timed = told.timed.as_ref();
                let worth = timed.and_then(|timed| timed.time).map_or(1.0, |(_, worth)| worth);
                (timed.map_or(told.score, |timed| timed.content), worth)
            }
            // Time does not count, and what the crawl went by is the content.
            None => (page.relevance.unwrap_or_default(), 1.0),
        };
        drawn.push(Annotated {
            event: spec.name.clone(),
            url: page.url.clone(),
            timestamp: captured.rfc3339().chars().take(TO_THE_SECOND).collect(),
            content,
            time,
            ..Annotated::default()
        });
    }
    drop(watch);
    if drawn.is_empty() {
        let what = "has no page that was judged: there is nothing to compare people with";
        return Err(BadConfiguration(format!("{} {what}", job.display())).into());
    }
    let dir = job.join("evaluation");
    keep(&dir, spec, &drawn).with_context(|| dir.display().to_string())?;
    println!("{} pages to judge", drawn.len());
    println!("written: {}", dir.join("sample.csv").display());
    if json {
        println!("{}", json!({"pages": drawn.len(), "folder": dir}));
    }
    Ok(Exit::Done)
}

/// What the topic is: as it was kept, else as the references in the archive say.
fn definition(
    job: &Path,
    spec: &Spec,
    read: &dyn Fn(&CanonicalUrl) -> Option<(Page, Time)>,
) -> Result<Definition> {
    let kept = job.join("definition.toml");
    if kept.exists() {
        return definition_file::load(&kept);
    }
    if !spec.topic.is_given() {
        let what = "has no topic: there is nothing to compare people with";
        return Err(BadConfiguration(format!("{} {what}", job.display())).into());
    }
    let urls = spec.topic.references.iter().filter_map(|reference| spec.canonical.parse(reference).ok());
    let pages: Vec<Page> = urls.filter_map(|url| read(&url)).map(|(page, _)| page).collect();
    learned(spec, &pages, &[])
}

/// The pages, and the table of events that `--evaluate` reads beside what people made of them.
fn keep(dir: &Path, spec: &Spec, drawn: &[Annotated]) -> std::io::Result<()> {
    std::fs::create_dir_all(dir.join("annotations"))?;
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let day =
        |of: &dyn Fn(&annalist_model::spec::Event) -> String| spec.event.as_ref().map(of).unwrap_or_default();
    let topics = format!(
        "Code\tFrom\tUntil\tDescription\n{}\t{}\t{}\t{}\n",
        line(&spec.name),
        day(&|event| event.from.to_string()),
        day(&|event| event.until.to_string()),
        line(spec.description.as_deref().unwrap_or(&spec.name))
    );
    for (name, text) in [("topics.tsv", topics), ("sample.csv", Annotated::write(drawn))] {
        let fresh = dir.join(format!("{name}.new"));
        std::fs::write(&fresh, text)?;
        std::fs::File::open(&fresh)?.sync_all()?;
        std::fs::rename(&fresh, dir.join(name))?;
    }
    std::fs::File::open(dir)?.sync_all()
}
