//! `annalist judge`: what a page and its links are worth, and why. How well that agrees with people is in `evaluate.rs`.

use std::fmt::Write as _;
use std::path::Path;

use annalist_crawl::clock;
use annalist_crawl::judging::rules;
use annalist_judge::Definition;
use annalist_judge::explain::{Explanation, LinkPart, explain};
use annalist_model::Page;
use annalist_model::spec::Spec;
use anyhow::Result;
use serde_json::{Value, json};

use super::learn::{learned, local_references, require_topic};
use super::{evaluate, sample};
use crate::cli::JudgeArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::{definition_file, pages, spec_file};

/// What a table has room for.
const WORDS: usize = 20;
const LINKS: usize = 20;
const ANCHOR: usize = 60;

#[expect(clippy::print_stdout, reason = "the explanation is what the command is asked for")]
pub fn run(args: &JudgeArgs) -> Result<Exit> {
    if let Some(dir) = &args.evaluate {
        return evaluate::run(dir, args.out.as_deref(), args.json);
    }
    if let Some(job) = &args.sample {
        return sample::run(job, args.pages as usize, args.json);
    }
    let (Some(path), Some(name)) = (&args.spec, &args.page) else {
        return Err(BadConfiguration("a spec and a page are needed, or --evaluate".to_owned()).into());
    };
    let spec = spec_file::load(path)?.spec;
    let definition = definition(&spec, path, args)?;
    let (url, page) = if name.contains("://") {
        pages::of_address(&spec, name)?
    } else {
        pages::of_file(Path::new(name), &spec.canonical)?
    };
    // A file may be from any time.
    let is_dated = name.contains("://") || page.published.is_some() || page.modified.is_some();
    let time = is_dated.then(|| page.time(clock::now()));
    let told = explain(&definition, rules(&spec), &url, &page, time);
    print!("{}", table(name, &page, &told));
    if args.json {
        println!("{}", object(name, &page, &told));
    }
    Ok(Exit::Done)
}

/// The one that is named, else the one in its usual place, else what the spec itself teaches.
fn definition(spec: &Spec, path: &Path, args: &JudgeArgs) -> Result<Definition> {
    let usual = definition_file::usual_place(spec);
    if let Some(learned) = args.definition.as_ref().or(Some(&usual).filter(|path| path.exists())) {
        return definition_file::load(learned);
    }
    require_topic(spec, path)?;
    let references: Vec<Page> = local_references(spec, path)?.into_iter().map(|(_, page)| page).collect();
    if references.is_empty() && spec.topic.keywords.is_empty() && spec.topic.entities.is_empty() {
        let message = format!(
            "the references of {} have to be fetched first: run `annalist learn {}`",
            path.display(),
            path.display()
        );
        return Err(BadConfiguration(message).into());
    }
    let unfetched = spec.topic.references.len() - references.len();
    if unfetched > 0 {
        tell!("warning: {unfetched} references were not fetched: `annalist learn` learns from them, too");
    }
    learned(spec, &references, &[])
}

fn table(name: &str, page: &Page, told: &Explanation) -> String {
    let mut text = format!("{name}\n");
    if let Some(title) = &page.title {
        let _ = writeln!(text, "  title: {title}");
    }
    let verdict = if told.is_relevant { "relevant" } else { "not relevant" };
    let _ = writeln!(
        text,
        "  score {:.3}, {verdict}: nearness {:.3}, where a typical page of the topic has 1; language {}",
        told.score, told.nearness, told.language
    );
    if let Some(timed) = &told.timed {
        let time = match timed.time {
            Some((time, worth)) => format!("time {worth:.3}: {} {}", time.basis.word(), time.at.day()),
            None => "its time is not known".to_owned(),
        };
        let _ = writeln!(text, "  content {:.3}, {time}", timed.content);
    }
    if told.words.is_empty() {
        let _ = writeln!(text, "  it has no word of the topic");
    } else {
        let shown = told.words.iter().take(WORDS);
        let width = shown.clone().map(|word| word.word.chars().count()).max().unwrap_or(0).max(4);
        let _ = writeln!(text, "  {:width$}  weight  times  nearness", "word");
        for word in shown {
            let _ = writeln!(
                text,
                "  {:width$}  {:>6.3}  {:>5}  {:>+8.3}",
                word.word, word.weight, word.times, word.part
            );
        }
        rest(&mut text, told.words.len(), WORDS, "words");
    }
    for (name, times) in &told.names {
        let _ = writeln!(text, "  names {name}: {times}");
    }
    if !told.links.is_empty() {
        let _ = writeln!(text, "links, the best first: value, then each signal as value x weight = part");
    }
    for link in told.links.iter().take(LINKS) {
        let anchor: String = link.anchor.chars().take(ANCHOR).collect();
        let _ = writeln!(text, "  {:.3}  {}  {anchor:?}", link.value, link.url);
        let _ = writeln!(text, "         {}", signals(link));
    }
    rest(&mut text, told.links.len(), LINKS, "links");
    text
}

/// Those that have something to say, what counts most first.
fn signals(link: &LinkPart) -> String {
    let mut said: Vec<_> = link
        .signals
        .iter()
        .filter_map(|signal| Some((signal.name, signal.said.value?, signal.said)))
        .collect();
    said.sort_by(|one, other| other.2.part.abs().total_cmp(&one.2.part.abs()));
    let told = said
        .iter()
        .map(|(name, value, said)| format!("{name} {value:.2} x {:.2} = {:+.3}", said.weight, said.part));
    told.collect::<Vec<_>>().join(", ")
}

fn rest(text: &mut String, all: usize, shown: usize, what: &str) {
    if all > shown {
        let _ = writeln!(text, "  and {} more {what}; --json has them all", all - shown);
    }
}

fn object(name: &str, page: &Page, told: &Explanation) -> Value {
    let words = told.words.iter().map(
        |word| json!({"word": word.word, "weight": number(word.weight), "times": word.times, "part": number(word.part)}),
    );
    let names = told.names.iter().map(|(name, times)| json!({"name": name, "times": times}));
    let links = told.links.iter().map(|link| {
        let signals = link.signals.iter().map(|signal| {
            json!({
                "name": signal.name, "meaning": signal.meaning, "value": signal.said.value.map(number),
                "weight": number(signal.said.weight), "part": number(signal.said.part),
            })
        });
        json!({
            "url": link.url.as_str(), "anchor": link.anchor, "value": number(link.value),
            "signals": signals.collect::<Vec<_>>(),
        })
    });
    json!({
        "page": name,
        "title": page.title,
        "language": told.language,
        "score": number(told.score),
        "relevant": told.is_relevant,
        "content": told.timed.map(|timed| number(timed.content)),
        "time": told.timed.and_then(|timed| timed.time).map(|(time, worth)| {
            json!({"at": time.at.rfc3339(), "basis": time.basis.word(), "relevance": number(worth)})
        }),
        "nearness": number(told.nearness),
        "words": words.collect::<Vec<_>>(),
        "names": names.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
    })
}

/// With the digits that mean something.
fn number(number: f32) -> f64 {
    const DIGITS: f64 = 10_000.0;
    (f64::from(number) * DIGITS).round() / DIGITS
}
