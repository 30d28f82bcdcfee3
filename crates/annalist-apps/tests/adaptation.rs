//! Templates that change: the same objects must come out of pages that were changed the way templates change, with and without
//! knowing what was on them before.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use annalist_apps::adapt::Notebook;
use annalist_apps::catalogue::load;
use annalist_apps::{Catalogue, Input, Seen, recognise, recognise_and_learn};
use annalist_model::{CanonicalUrl, Object, ResponseHead, Time};
use annalist_read::Reader;
use regex::Regex;

struct Sample {
    name: String,
    url: CanonicalUrl,
    head: ResponseHead,
    html: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue")
}

fn sample(application: &str, page: &str) -> Sample {
    let folder = folder().join(application);
    let html = std::fs::read_to_string(folder.join("pages").join(page).with_extension("html")).unwrap();
    let expected = std::fs::read_to_string(folder.join("expected").join(page).with_extension("json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let url = CanonicalUrl::parse(expected["url"].as_str().unwrap()).unwrap();
    let mut head = ResponseHead { status: 200, fields: Vec::new() };
    if let Ok(text) = std::fs::read_to_string(folder.join("pages").join(page).with_extension("headers")) {
        let fields = text.lines().filter_map(|line| line.split_once(':'));
        head.fields = fields.map(|(name, value)| (name.to_owned(), value.trim().as_bytes().to_vec())).collect();
    }
    Sample { name: format!("{application}/{page}"), url, head, html }
}

fn catalogue() -> Catalogue {
    Catalogue::new(&load(true, &[]).descriptions).0
}

/// What is seen in a page, by rules that may be repaired.
fn learned(catalogue: &Catalogue, sample: &Sample, html: &str, before: Option<&[Object]>) -> Seen {
    with_page(sample, html, |input| {
        recognise_and_learn(catalogue, &Mutex::new(Notebook::default()), before, input).0
    })
}

fn with_page<T>(sample: &Sample, html: &str, look: impl FnOnce(&Input<'_>) -> T) -> T {
    let (page, tree) =
        Reader::new(Default::default()).read_with_tree(&sample.url, &sample.head, html.as_bytes());
    let at = Some(Time::from_millis(1_700_000_000_000));
    look(&Input { tree: &tree.unwrap(), page: &page, url: &sample.url, head: &sample.head, at })
}

/// What must be the same: who wrote what and when.
fn essence(objects: &[Object]) -> Vec<(String, Option<String>, Option<String>, String)> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut essence: Vec<_> = objects
        .iter()
        .map(|object| (object.kind.clone(), object.author.clone(), object.date.clone(), words(&object.body)))
        .collect();
    essence.sort();
    essence
}

/// A change of a template: a name for it, and what it makes of a page.
type Change = (&'static str, fn(&str) -> String);

fn renamed(html: &str) -> String {
    let classes = Regex::new(r#"class="([^"]*)""#).unwrap();
    let rename = |found: &regex::Captures<'_>| {
        let words: Vec<String> = found[1]
            .split_whitespace()
            .map(|word| match word {
                "entry-content" | "content" | "postbody" | "comment-content" | "message" => "story-text".to_owned(),
                "author" | "username" | "vcard" | "byline" => "written-by".to_owned(),
                other => other.to_owned(),
            })
            .collect();
        format!("class=\"{}\"", words.join(" "))
    };
    classes.replace_all(html, rename).into_owned()
}

fn all_renamed(html: &str) -> String {
    let classes = Regex::new(r#"class="([^"]*)""#).unwrap();
    let rename = |found: &regex::Captures<'_>| {
        let words: Vec<String> = found[1].split_whitespace().map(|word| format!("tpl-{word}")).collect();
        format!("class=\"{}\"", words.join(" "))
    };
    let body = html.find("<body").unwrap_or(0);
    format!("{}{}", &html[..body], classes.replace_all(&html[body..], rename))
}

fn retagged(html: &str) -> String {
    let mut html = html.to_owned();
    for (from, to) in
        [("article", "section"), ("span", "b"), ("div", "section"), ("cite", "em"), ("li", "div"), ("ol", "div")]
    {
        html = html.replace(&format!("<{from} "), &format!("<{to} "));
        html = html.replace(&format!("<{from}>"), &format!("<{to}>"));
        html = html.replace(&format!("</{from}>"), &format!("</{to}>"));
    }
    html
}

fn wrapped(html: &str) -> String {
    let paragraphs = Regex::new(r"(?s)<p>(.*?)</p>").unwrap();
    let inner = paragraphs.replace_all(html, "<div class=\"wrap\"><p>$1</p></div>").into_owned();
    let times = Regex::new(r"(?s)<time(.*?)</time>").unwrap();
    times.replace_all(&inner, "<span class=\"wrap\"><time$1</time></span>").into_owned()
}

fn id_for_class(html: &str) -> String {
    let body = html.find("<body").map_or(0, |at| at + html[at..].find('>').unwrap_or(0));
    format!("{}{}", &html[..body], html[body..].replace("class=\"", "data-x=\"\" name=\""))
}

const CHANGES: [Change; 5] = [
    ("class renamed", renamed),
    ("every class renamed", all_renamed),
    ("tag changed", retagged),
    ("wrapper added", wrapped),
    ("another attribute for class", id_for_class),
];

fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut folders: Vec<_> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders.into_iter().filter(|folder| folder.join("pages").is_dir()) {
        let mut pages: Vec<_> =
            std::fs::read_dir(folder.join("pages")).unwrap().map(|entry| entry.unwrap().path()).collect();
        pages.sort();
        for page in pages.into_iter().filter(|page| page.extension().is_some_and(|ending| ending == "html")) {
            let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
            samples.push(sample(&folder.file_name().unwrap().to_string_lossy(), &name(&page)));
        }
    }
    samples
}

#[test]
fn survey() {
    let catalogue = catalogue();
    for (change, make) in CHANGES {
        let (mut pages, mut plain, mut new, mut again) = (0, 0, 0, 0);
        for sample in samples() {
            let original = with_page(&sample, &sample.html, |input| recognise(&catalogue, input));
            let objects = essence(&original.objects);
            let is_content =
                original.objects.iter().any(|object| ["post", "comment", "page"].contains(&object.kind.as_str()));
            if original.application.is_none() || original.level.is_none() || !is_content {
                continue;
            }
            let html = make(&sample.html);
            if html == sample.html {
                continue;
            }
            pages += 1;
            let by = |seen: &Seen| usize::from(essence(&seen.objects) == objects);
            plain += by(&with_page(&sample, &html, |input| recognise(&catalogue, input)));
            let fresh = learned(&catalogue, &sample, &html, None);
            new += by(&fresh);
            let recrawl = learned(&catalogue, &sample, &html, Some(&original.objects));
            again += by(&recrawl);
            if std::env::var_os("SHOW").is_some() && by(&fresh) == 0 {
                println!("  {change}: {} {:?} {:?}", sample.name, fresh.application, fresh.level);
                println!("     was {:?}\n     new {:?}", objects, essence(&fresh.objects));
            }
            if std::env::var_os("SHOW2").is_some() && by(&recrawl) == 0 {
                println!("  again {change}: {} {:?} {:?}", sample.name, recrawl.application, recrawl.level);
                println!("     was {:?}\n     now {:?}", objects, essence(&recrawl.objects));
                for told in &recrawl.changes {
                    println!("     {told:?}");
                }
            }
        }
        println!("{change}: {pages} pages, {plain} without adaptation, {new} as a new site, {again} as a recrawl");
    }
}
