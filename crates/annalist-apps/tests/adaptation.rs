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
use annalist_apps::catalogue::{head_of, load};
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
    let expected =
        std::fs::read_to_string(folder.join("expected").join(page).with_extension("json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let url = CanonicalUrl::parse(expected["url"].as_str().unwrap()).unwrap();
    let headers = folder.join("pages").join(page).with_extension("headers");
    let head = head_of(&std::fs::read_to_string(headers).unwrap_or_default());
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

/// The class is called otherwise.
fn renamed(html: &str, class: &str) -> String {
    with_classes(html, |word| if word == class { format!("my{word}") } else { word.to_owned() })
}

fn with_classes(html: &str, name: impl Fn(&str) -> String) -> String {
    let classes = Regex::new(r#"class="([^"]*)""#).unwrap();
    let rename = |found: &regex::Captures<'_>| {
        let words: Vec<String> = found[1].split_whitespace().map(&name).collect();
        format!("class=\"{}\"", words.join(" "))
    };
    classes.replace_all(html, rename).into_owned()
}

/// Start and end of each element that has the class: of its tags, and of the names in them.
fn elements(html: &str, class: &str) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>, String)> {
    let start = Regex::new(r#"<([a-z][a-z0-9]*)((?:\s+[a-zA-Z:-]+(?:="[^"]*")?)*)\s*>"#).unwrap();
    let of_class = |attributes: &str| {
        let value = attributes.split("class=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("");
        value.split_whitespace().any(|word| word == class)
    };
    let mut found = Vec::new();
    for open in start.captures_iter(html).filter(|open| of_class(&open[2])) {
        let (whole, tag) = (open.get(0).unwrap(), open[1].to_owned());
        let tags = Regex::new(&format!(r"<(/?){tag}(\s[^>]*)?>")).unwrap();
        let mut depth = 1;
        for other in tags.captures_iter(&html[whole.end()..]) {
            depth += if other[1].is_empty() { 1 } else { -1 };
            if depth == 0 {
                let at = other.get(0).unwrap();
                found.push((whole.range(), whole.end() + at.start()..whole.end() + at.end(), tag.clone()));
                break;
            }
        }
    }
    found
}

/// Puts other texts in the place of pieces of a page.
fn replaced(html: &str, mut pieces: Vec<(std::ops::Range<usize>, String)>) -> String {
    pieces.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut html = html.to_owned();
    for (range, text) in pieces {
        html.replace_range(range, &text);
    }
    html
}

/// Its elements have another tag.
fn retagged(html: &str, class: &str) -> String {
    let mut pieces = Vec::new();
    for (open, close, tag) in elements(html, class) {
        let other = match tag.as_str() {
            "div" | "article" | "li" => "section",
            "section" => "div",
            "span" | "cite" | "a" | "strong" | "b" | "em" => "bdi",
            "h1" | "h2" | "h3" => "h4",
            _ => continue,
        };
        pieces.push((open.clone(), html[open].replacen(&tag, other, 1)));
        pieces.push((close, format!("</{other}>")));
    }
    replaced(html, pieces)
}

/// Its elements are inside of another one.
fn wrapped(html: &str, class: &str) -> String {
    let mut pieces = Vec::new();
    for (open, close, _) in elements(html, class) {
        pieces.push((open.clone(), format!("<div class=\"wrap\">{}", &html[open])));
        pieces.push((close.clone(), format!("{}</div>", &html[close])));
    }
    replaced(html, pieces)
}

/// What was a class is an id.
fn id_for_class(html: &str, class: &str) -> String {
    let mut pieces = Vec::new();
    for (open, _, _) in elements(html, class) {
        let tag = &html[open.clone()];
        if !tag.contains(" id=") {
            pieces.push((open.clone(), tag.replacen("class=\"", &format!("id=\"{class}\" data-was=\""), 1)));
        }
    }
    replaced(html, pieces)
}

/// What was in one element is in two that follow each other.
fn split(html: &str, class: &str) -> String {
    let mut pieces = Vec::new();
    for (open, close, tag) in elements(html, class) {
        let inner = &html[open.end..close.start];
        // Between two children.
        let middle = inner.match_indices("</p>").map(|(at, _)| at + 4).find(|at| *at < inner.len() / 2 + 40);
        if let Some(at) = middle {
            let place = open.end + at;
            pieces.push((place..place, format!("</{tag}>{}", &html[open])));
        }
    }
    replaced(html, pieces)
}

fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut folders: Vec<_> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
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

/// The classes of a page that some rule of its application speaks of.
fn classes(catalogue: &Catalogue, application: &str, html: &str) -> Vec<String> {
    let named = format!("{:?}", catalogue.application(application));
    let all = Regex::new(r#"class="([^"]*)""#).unwrap();
    let mut words: Vec<String> = all
        .captures_iter(html)
        .flat_map(|found| found[1].split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| named.contains(&format!("\"{word}\"")))
        .collect();
    words.sort();
    words.dedup();
    words
}

/// Without knowing what was there before, nobody can tell a signature from the text above it: more may be in a body, but nothing less.
fn has_all(objects: &[Object], of: &[Object]) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    objects.len() == of.len()
        && of.iter().all(|wanted| {
            objects.iter().any(|object| {
                let one = (&object.kind, &object.author, &object.date);
                one == (&wanted.kind, &wanted.author, &wanted.date)
                    && words(&object.body).contains(&words(&wanted.body))
            })
        })
}

/// How many pages a change hurts, and how many of those are read rightly by repaired rules.
#[derive(Debug, Default)]
struct Tally {
    pages: usize,
    hurt: usize,
    new: usize,
    again: usize,
}

/// Applies a change to every class of every sample page that a rule speaks of.
fn survey(change: &str, make: fn(&str, &str) -> String) -> Tally {
    let catalogue = catalogue();
    let show = std::env::var("SHOW").unwrap_or_default();
    let mut tally = Tally::default();
    for sample in samples() {
        let original = with_page(&sample, &sample.html, |input| recognise(&catalogue, input));
        let is_content =
            original.objects.iter().any(|object| ["post", "comment", "page"].contains(&object.kind.as_str()));
        let Some(application) =
            original.application.as_ref().filter(|_| original.level.is_some() && is_content)
        else {
            continue;
        };
        let objects = essence(&original.objects);
        for class in classes(&catalogue, application, &sample.html) {
            let html = make(&sample.html, &class);
            if html == sample.html {
                continue;
            }
            tally.pages += 1;
            let is_same = |seen: &Seen| essence(&seen.objects) == objects;
            if is_same(&with_page(&sample, &html, |input| recognise(&catalogue, input))) {
                continue;
            }
            tally.hurt += 1;
            let fresh = learned(&catalogue, &sample, &html, None);
            let recrawl = learned(&catalogue, &sample, &html, Some(&original.objects));
            let is_new = has_all(&fresh.objects, &original.objects);
            tally.new += usize::from(is_new);
            tally.again += usize::from(is_same(&recrawl));
            for (name, seen, is_good) in [("new", &fresh, is_new), ("again", &recrawl, is_same(&recrawl))] {
                if show == name && !is_good {
                    println!(
                        "  {name} {change} {class}: {} {:?} {:?}",
                        sample.name, seen.application, seen.level
                    );
                    println!("     was {:?}\n     now {:?}", objects, essence(&seen.objects));
                    for told in &seen.changes {
                        println!("     {} => {} ({}) {}", told.what, told.now, told.how, told.example);
                    }
                }
            }
        }
    }
    println!("{change}: {tally:?}");
    tally
}

/// The shares of changed pages that are read rightly: on a site that was never seen before, and on one that was.
fn assert_read(change: &str, make: fn(&str, &str) -> String, new: f64, again: f64) {
    let tally = survey(change, make);
    let share = |repaired: usize| (tally.pages - tally.hurt + repaired) as f64 / tally.pages as f64;
    println!("{change}: {:.3} as a new site, {:.3} when visited again", share(tally.new), share(tally.again));
    assert!(tally.hurt > 5, "a change that hurts nothing proves nothing: {tally:?}");
    assert!(share(tally.new) >= new && share(tally.again) >= again, "{tally:?}");
}

#[test]
fn a_class_may_be_renamed() {
    assert_read("class renamed", renamed, 0.89, 0.94);
}

#[test]
fn a_tag_may_change() {
    assert_read("tag changed", retagged, 0.92, 0.94);
}

#[test]
fn a_wrapper_may_be_added() {
    assert_read("wrapper added", wrapped, 0.98, 0.99);
}

#[test]
fn an_id_may_take_the_place_of_a_class() {
    assert_read("id for class", id_for_class, 0.87, 0.93);
}

#[test]
fn an_element_may_be_split_in_two() {
    assert_read("split in two", split, 0.87, 0.93);
}

#[test]
fn what_was_deleted_is_no_change_of_the_template() {
    let catalogue = catalogue();
    let sample = sample("wordpress", "post");
    let original = with_page(&sample, &sample.html, |input| recognise(&catalogue, input));
    let comments = elements(&sample.html, "comment");
    let (open, close, _) = comments.last().unwrap().clone();
    let fewer = replaced(&sample.html, vec![(open.start..close.end, String::new())]);
    let seen = learned(&catalogue, &sample, &fewer, Some(&original.objects));
    assert_eq!(seen.changes, []);
    assert!(seen.objects.len() < original.objects.len());
}

#[test]
fn what_was_learned_counts_when_it_has_held_on_several_pages_and_is_a_description_of_the_site() {
    let catalogue = catalogue();
    let sample = sample("phpbb", "thread");
    let changed = renamed(&renamed(&sample.html, "content"), "postbody");
    let notebook = Mutex::new(Notebook::default());
    let before = with_page(&sample, &changed, |input| recognise(&catalogue, input));
    let look = |number: usize| {
        let words = changed.replace("brown", &format!("brown{number}"));
        with_page(&sample, &words, |input| recognise_and_learn(&catalogue, &notebook, None, input))
    };
    assert!(look(1).1.is_none() && look(2).1.is_none());
    let (seen, proven) = look(3);
    let proven = proven.unwrap();
    // Read back from its file, it does by itself what had to be learned.
    let mut loaded = load(true, &[]);
    loaded.add("learned.xml", &proven.file);
    assert_eq!(loaded.mistakes, []);
    let (grown, mistakes) = Catalogue::new(&loaded.descriptions);
    assert_eq!(mistakes, []);
    let by_file = with_page(&sample, &changed.replace("brown", "brown3"), |input| recognise(&grown, input));
    assert_eq!(by_file.application.as_deref(), Some("phpbb"));
    assert_eq!(proven.description.extends.as_deref(), Some("phpbb"));
    assert_eq!(essence(&by_file.objects), essence(&seen.objects));
    assert_ne!(essence(&by_file.objects), essence(&before.objects));
}

/// A post of a blog that says neither who wrote it nor when, with much beside it that has names and dates.
fn unsigned(body: &str) -> String {
    format!(
        "<!DOCTYPE html><html><head><meta name=\"generator\" content=\"WordPress 6.1\"></head><body class=\"single single-post\">\
         <article id=\"post-7\" class=\"post hentry\"><h1 class=\"entry-title\">A walk</h1><span class=\"cat-name\">Travel</span>\
         <div class=\"entry-content\"><p>{body}</p></div></article>\
         <div class=\"sidebar widget\"><span class=\"author\">Bob</span> <time datetime=\"2011-01-01\">then</time></div></body></html>"
    )
}

#[test]
fn what_a_page_does_not_say_is_not_invented() {
    let catalogue = catalogue();
    let url = CanonicalUrl::parse("http://walks.example/2011/05/a-walk/").unwrap();
    let head = ResponseHead { status: 200, fields: Vec::new() };
    let sample =
        Sample { name: String::new(), url, head, html: unsigned("Down to the river and back, in the rain.") };
    let seen = learned(&catalogue, &sample, &sample.html, None);
    let post = &seen.objects[0];
    assert_ne!(post.author.as_deref(), Some("Travel"), "{:?}", seen.changes);
    assert!(!seen.changes.iter().any(|change| change.what.starts_with("author")), "{:?}", seen.changes);
}

#[test]
fn a_value_that_was_edited_is_no_change_of_the_template() {
    let catalogue = catalogue();
    let sample = sample("wordpress", "post");
    let original = with_page(&sample, &sample.html, |input| recognise(&catalogue, input));
    let author = original.objects[0].author.clone().unwrap();
    let edited = sample
        .html
        .replace(&author, "Robert Smith")
        .replace("</body>", &format!("<p class=x>{author}</p></body>"));
    let seen = learned(&catalogue, &sample, &edited, Some(&original.objects));
    assert_eq!(seen.objects[0].author.as_deref(), Some("Robert Smith"), "{:?}", seen.changes);
    assert_eq!(seen.changes, []);
}

#[test]
fn hostile_markup_is_given_up_soon() {
    let catalogue = catalogue();
    let url = CanonicalUrl::parse("http://walks.example/2011/05/a-walk/").unwrap();
    let head = ResponseHead { status: 200, fields: Vec::new() };
    let nested = "<div class=\"comment depth-1 post hentry entry\">".repeat(400);
    let words: String = (0..20_000u32)
        .map(|n| {
            format!(" w{}", n.to_string().replace(char::is_numeric, "x") + &"y".repeat((n % 50) as usize))
        })
        .collect();
    for html in [unsigned(&nested), unsigned("x").replace("hentry", &words)] {
        let sample = Sample { name: String::new(), url: url.clone(), head: head.clone(), html };
        // That it ends is the proof; without a measure of effort it took minutes here.
        learned(&catalogue, &sample, &sample.html, None);
    }
}

#[test]
fn a_list_of_the_latest_comments_is_not_what_was_said_about_a_post() {
    let catalogue = catalogue();
    let sample = sample("wordpress", "post");
    let latest: String = (0..4)
        .map(|n| format!("<li class=\"latest-comments__comment\"><b class=\"comment-author\">Ida</b> <time datetime=\"2023-04-1{n}\">x</time><p class=\"comment-text\">Some words of hers</p></li>"))
        .collect();
    let list = format!("<ol class=\"latest-comments\">{latest}</ol></body>");
    let notebook = Mutex::new(Notebook::default());
    let look = |html: &str| {
        with_page(&sample, html, |input| recognise_and_learn(&catalogue, &notebook, None, input))
    };
    let with_comments = sample.html.replace("</body>", &list);
    let comments = elements(&with_comments, "comment");
    let (first, last) = (comments[0].0.start, comments.iter().map(|(_, close, _)| close.end).max().unwrap());
    let without = format!("{}{}", &with_comments[..first], &with_comments[last..]);
    let count = |seen: &Seen| seen.objects.iter().filter(|object| object.kind == "comment").count();
    for _ in 0..4 {
        let (seen, proven) = look(&without);
        assert_eq!((count(&seen), proven.is_none()), (0, true), "{:?}", seen.changes);
    }
    assert_eq!(count(&look(&with_comments).0), count(&look(&sample.html).0));
}
