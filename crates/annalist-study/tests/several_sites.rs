//! The product's own policy on a recorded web of several sites and topics: anchors that lie, anchors that say nothing,
//! and relevant pages behind irrelevant ones.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use annalist_disk::{Dice, RealDisk};
use annalist_judge::text::OwnFrequencies;
use annalist_model::CanonicalUrl;
use annalist_sources::ArchiveSource;
use annalist_study::{Found, Labels, Library, Plan, Seeds, simulate};
use annalist_warc::{Exchange, Record, RecordId, Writer, WriterSettings};
use uuid::Uuid;

const SITES: usize = 6;
const TOPICS: usize = 10;
/// Of each topic.
const ARTICLES: usize = 240;
/// A page that lists others: home, months, subjects.
const MONTHS: usize = 40;
const SUBJECTS_LISTED: usize = 5;

/// Words nobody has a list for; those of one kind have nothing in common with others.
struct Words {
    of_topic: Vec<Vec<String>>,
    of_site: Vec<Vec<String>>,
    common: Vec<String>,
}

fn word(dice: &mut Dice) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "do", "ke", "lu", "mi", "no", "pa", "ra", "so", "ti", "vu", "za", "fe", "gi", "hu", "jo"];
    let mut word = String::new();
    for _ in 0..3 {
        word.push_str(SYLLABLES[dice.below(16) as usize]);
    }
    word + "k"
}

fn many(dice: &mut Dice, count: usize) -> Vec<String> {
    (0..count).map(|_| word(dice)).collect()
}

fn pick<'a, T>(from: &'a [T], dice: &mut Dice) -> &'a T {
    &from[dice.below(from.len() as u64) as usize]
}

/// What a page is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Article {
        topic: usize,
    },
    /// Between articles of a topic, about something else.
    Gate {
        to: usize,
    },
    /// Lists articles of all topics.
    Month,
    /// Lists articles of a topic.
    Subject {
        topic: usize,
    },
    Plain,
}

struct Entry {
    site: usize,
    path: String,
    kind: Kind,
    /// Reached through gates only.
    hidden: bool,
}

struct Web {
    words: Words,
    pages: Vec<Entry>,
}

impl Web {
    fn new() -> Web {
        let mut dice = Dice::new(7);
        let words = Words {
            of_topic: (0..TOPICS).map(|_| many(&mut dice, 60)).collect(),
            of_site: (0..SITES).map(|_| many(&mut dice, 25)).collect(),
            common: many(&mut dice, 300),
        };
        let mut pages = Vec::new();
        let mut add = |site: usize, path: String, kind: Kind, hidden: bool| {
            pages.push(Entry { site, path, kind, hidden });
        };
        for site in 0..SITES {
            for name in ["", "about", "contact", "terms", "login"] {
                add(site, name.to_owned(), Kind::Plain, false);
            }
            for month in 0..MONTHS {
                add(site, format!("archive/{month}"), Kind::Month, false);
            }
            // Half of the sites have lists by subject.
            for topic in (0..TOPICS).filter(|_| site % 2 == 0) {
                for part in 0..SUBJECTS_LISTED {
                    add(site, format!("tag/{}/{part}", topic * 7 + site), Kind::Subject { topic }, false);
                }
            }
        }
        for topic in 0..TOPICS {
            for number in 0..ARTICLES {
                let site = dice.below(SITES as u64) as usize;
                let hidden = number % 4 == 0;
                add(
                    site,
                    format!("{}/{}", number % 12, 1000 * topic + number),
                    Kind::Article { topic },
                    hidden,
                );
                if number % 8 == 0 {
                    let path = format!("{}/gate{}", number % 12, 1000 * topic + number);
                    add(site, path, Kind::Gate { to: topic }, false);
                }
            }
        }
        Web { words, pages }
    }

    fn url(&self, page: usize) -> String {
        let entry = &self.pages[page];
        format!("http://site{}.test/{}", entry.site, entry.path)
    }

    fn where_is(&self, fits: impl Fn(&Entry) -> bool) -> Vec<usize> {
        (0..self.pages.len()).filter(|page| fits(&self.pages[*page])).collect()
    }

    fn anchor(&self, target: usize, dice: &mut Dice) -> String {
        let of = |topic: usize, dice: &mut Dice| {
            let words = &self.words.of_topic[topic];
            format!("{} {}", pick(words, dice), pick(words, dice))
        };
        match (dice.below(10), self.pages[target].kind) {
            (0..3, _) => "click here".to_owned(),
            (3..5, _) => of(dice.below(TOPICS as u64) as usize, dice),
            (5..8, Kind::Article { topic } | Kind::Subject { topic }) => of(topic, dice),
            _ => format!("{} {}", pick(&self.words.common, dice), pick(&self.words.common, dice)),
        }
    }

    fn text(&self, about: Option<usize>, site: usize, length: usize, dice: &mut Dice) -> String {
        let Words { of_topic, of_site, common } = &self.words;
        // No page has all words of its topic.
        let own: Vec<&String> =
            about.map(|topic| (0..20).map(|_| pick(&of_topic[topic], dice)).collect()).unwrap_or_default();
        let mut text = String::new();
        for _ in 0..length {
            let word = match dice.below(100) {
                0..30 if !own.is_empty() => pick(&own, dice),
                // Every text touches other things.
                30..36 => pick(&of_topic[dice.below(TOPICS as u64) as usize], dice),
                36..50 => pick(&of_site[site], dice),
                _ => pick(common, dice),
            };
            let _ = write!(text, "{word} ");
        }
        text
    }

    fn html(&self, page: usize, lists: &Lists) -> String {
        let mut dice = Dice::new(page as u64 * 31 + 5);
        let entry = &self.pages[page];
        let (about, length) = match entry.kind {
            Kind::Article { topic } => (Some(topic), 120),
            Kind::Gate { to } => (Some((to + 1 + dice.below(TOPICS as u64 - 1) as usize) % TOPICS), 80),
            Kind::Subject { topic } => (Some(topic), 12),
            Kind::Month | Kind::Plain => (None, 20),
        };
        let mut html = String::from("<!DOCTYPE html><html lang=xx><body><nav>");
        for (name, word) in
            ["", "about", "contact", "terms", "login"].iter().zip(&self.words.of_site[entry.site])
        {
            let _ = write!(html, "<a href=/{name}>{word}</a> ");
        }
        let _ = write!(html, "<a href=/archive/{}>archive</a></nav>", dice.below(MONTHS as u64));
        let mut targets = lists.of(self, page, &mut dice);
        targets.dedup();
        for target in targets {
            let sentence = self.text(about, entry.site, length / 8, &mut dice);
            let anchor = self.anchor(target, &mut dice);
            let _ = write!(html, "<p>{sentence} <a href={}>{anchor}</a></p>", self.url(target));
        }
        let _ = write!(html, "<p>{}</p>", self.text(about, entry.site, length / 4, &mut dice));
        html
    }
}

/// Who may link to whom.
struct Lists {
    open: Vec<Vec<usize>>,
    hidden: Vec<Vec<usize>>,
    gates: Vec<Vec<usize>>,
    subjects: Vec<Vec<usize>>,
    all: Vec<usize>,
    of_site: Vec<Vec<usize>>,
}

impl Lists {
    fn new(web: &Web) -> Lists {
        let by_topic = |fits: &dyn Fn(&Entry, usize) -> bool| -> Vec<Vec<usize>> {
            (0..TOPICS).map(|topic| web.where_is(|entry| fits(entry, topic))).collect()
        };
        let is_open =
            |entry: &Entry| matches!(entry.kind, Kind::Article { .. } | Kind::Gate { .. }) && !entry.hidden;
        Lists {
            open: by_topic(&|entry, topic| entry.kind == Kind::Article { topic } && !entry.hidden),
            hidden: by_topic(&|entry, topic| entry.kind == Kind::Article { topic } && entry.hidden),
            gates: by_topic(&|entry, topic| entry.kind == Kind::Gate { to: topic }),
            subjects: by_topic(&|entry, topic| entry.kind == Kind::Subject { topic }),
            all: web.where_is(is_open),
            of_site: (0..SITES)
                .map(|site| web.where_is(|entry| entry.site == site && is_open(entry)))
                .collect(),
        }
    }

    fn of(&self, web: &Web, page: usize, dice: &mut Dice) -> Vec<usize> {
        let entry = &web.pages[page];
        let some = |from: &[usize], count: usize, dice: &mut Dice| -> Vec<usize> {
            (0..count).map(|_| *pick(from, dice)).collect()
        };
        match entry.kind {
            Kind::Article { topic } => (0..8)
                .map(|_| match dice.below(100) {
                    0..30 => *pick(&self.open[topic], dice),
                    30..36 => *pick(&self.gates[topic], dice),
                    36..40 => *pick(&self.subjects[topic], dice),
                    40..70 => *pick(&self.of_site[entry.site], dice),
                    _ => *pick(&self.all, dice),
                })
                .collect(),
            Kind::Gate { to } => [some(&self.hidden[to], 6, dice), some(&self.all, 2, dice)].concat(),
            Kind::Subject { topic } => some(&self.open[topic], 15, dice),
            Kind::Month => some(&self.of_site[entry.site], 20, dice),
            Kind::Plain => some(&self.of_site[entry.site], 5, dice),
        }
    }
}

fn record(dir: &Path) -> String {
    let web = Web::new();
    let lists = Lists::new(&web);
    let mut number = 0;
    let ids = move || {
        number += 1;
        Uuid::from_u128(number)
    };
    let mut writer = Writer::new(Arc::new(RealDisk), WriterSettings::new(dir, dir, "web", "host"), ids);
    let mut labels = String::new();
    for page in 0..web.pages.len() {
        let url = web.url(page);
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", web.html(page, &lists));
        let exchange = Exchange { target_uri: &url, started_ms: 1_000_000, server: None };
        let id = RecordId::new(Uuid::from_u128(1_000_000 + page as u128));
        let digest = format!("sha1:{page:A>32}");
        let record = Record::response(id, &exchange, &digest, block.into_bytes());
        writer.append(&[record], 1_000_000).unwrap();
        if let Kind::Article { topic } = web.pages[page].kind {
            let _ = writeln!(labels, "{url}\tTopic{topic}/{}", web.pages[page].site);
        }
    }
    writer.close().unwrap();
    labels
}

fn found(dir: &Path, labels: &str, seeds: Seeds, policies: &[&str]) -> Found {
    let repeats = if matches!(seeds, Seeds::Given { .. }) { 1 } else { 2 };
    let files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains(".warc"))
        .collect();
    let source = ArchiveSource::open(&files, 1 << 20).unwrap();
    let library = Library::new(source, OwnFrequencies::default(), 1 << 30);
    let labels = Labels::read(labels.as_bytes()).unwrap();
    let plan = Plan {
        seeds,
        policies: policies.iter().map(|name| name.parse().unwrap()).collect(),
        pages: 250,
        repeats,
        threads: NonZeroUsize::new(2).unwrap(),
    };
    simulate(&library, &labels, &plan, &|_, _| ()).unwrap()
}

fn harvest(found: &Found, policy: &str, topic: Option<&str>) -> f64 {
    let rows = found.rows.iter().filter(|row| row.policy.to_string() == policy);
    rows.filter(|row| topic.is_none_or(|topic| row.topic == topic)).map(|row| row.harvest).sum()
}

#[test]
fn the_judge_finds_twice_as_much_as_breadth_first_and_more_of_every_topic() {
    let dir = tempfile::tempdir().unwrap();
    let labels = record(dir.path());
    let topics: Vec<String> = (0..TOPICS / 2).map(|topic| format!("Topic{topic}")).collect();
    let seeds = Seeds::Labelled { topics: topics.clone(), count: 8 };
    let found = found(dir.path(), &labels, seeds, &["default", "bfs"]);
    assert!(harvest(&found, "default", None) >= 2.0 * harvest(&found, "bfs", None));
    for topic in &topics {
        let of = |policy| harvest(&found, policy, Some(topic));
        assert!(of("default") >= of("bfs"), "{topic}");
    }
}

#[test]
fn the_menus_of_one_site_do_not_become_the_topic() {
    let dir = tempfile::tempdir().unwrap();
    let labels = record(dir.path());
    for topic in ["Topic0", "Topic1", "Topic2"] {
        for site in ["site0", "site1"] {
            let own = labels.lines().filter_map(|line| line.split_once('\t'));
            let own = own.filter(|(url, path)| url.contains(site) && path.starts_with(&format!("{topic}/")));
            let urls = own.map(|(url, _)| CanonicalUrl::parse(url).unwrap()).take(8).collect();
            let seeds = Seeds::Given { urls, topics: vec![topic.to_owned()] };
            let found = found(dir.path(), &labels, seeds, &["default", "bfs"]);
            let (ours, theirs) = (harvest(&found, "default", None), harvest(&found, "bfs", None));
            assert!(ours >= 2.0 * theirs, "{topic} from {site}: {ours}, breadth first {theirs}");
        }
    }
}
