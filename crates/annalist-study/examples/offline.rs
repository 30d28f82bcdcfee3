//! What topics, happenings and names come out of archives, how good the topics are, and how long it takes:
//! `offline [--labels TSV] FILE...`, where a line of the table is an address, a tab and what it is about.

#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a measurement, read by whoever started it"
)]

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Instant;

use annalist_apps::generic;
use annalist_apps::published::{Captured, dates};
use annalist_model::{CanonicalUrl, Canonicaliser, ResponseHead, Time};
use annalist_read::Reader;
use annalist_sources::ArchiveSource;
use annalist_study::offline::entities::{EntitySettings, entities};
use annalist_study::offline::{Corpus, Named, Vocabulary, Writing, happenings, topics};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let labels = (arguments[0] == "--labels").then(|| std::fs::read_to_string(&arguments[1]).unwrap());
    arguments.drain(..if labels.is_some() { 2 } else { 0 });
    let files: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
    let dir = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let corpus = corpus(&files, &dir.path().join("writings"));
    println!("{} writings, read in {:.1} s", corpus.len(), started.elapsed().as_secs_f32());

    let started = Instant::now();
    let vocabulary = Vocabulary::of(&corpus, &()).unwrap();
    println!("counting terms {:.2} s", started.elapsed().as_secs_f32());
    for (code, words) in &vocabulary.languages {
        println!("  {code}: {} writings, {} terms", words.writings, words.terms.len());
    }
    let started = Instant::now();
    let topics = topics::topics(&corpus, &vocabulary, &()).unwrap();
    println!("topics {:.2} s", started.elapsed().as_secs_f32());
    for topic in &topics.topics {
        println!(
            "{:6} {} {:?} {:.2} {}",
            topic.writings, topic.language, topic.course, topic.confidence, topic.label
        );
    }
    let started = Instant::now();
    let named = Named::of(&entities(&corpus, &EntitySettings::default(), &()).unwrap());
    println!("entities {:.2} s: {}", started.elapsed().as_secs_f32(), named.names.len());
    let started = Instant::now();
    let happenings = happenings::happenings(&corpus, &vocabulary, &named, &()).unwrap();
    println!("happenings {:.2} s: {}", started.elapsed().as_secs_f32(), happenings.len());
    for one in &happenings {
        let names: Vec<&str> =
            one.names.iter().map(|(name, _)| named.names[*name as usize].as_str()).collect();
        let terms: Vec<&str> = one.terms.iter().map(|(term, _)| term.as_str()).collect();
        let (count, sites) = (one.writings.len(), one.sites);
        println!(
            "{} {} {} {count:4} of {sites} {:.2} {} [{}] {{{}}}",
            one.from,
            one.until,
            u8::from(one.dated),
            one.confidence,
            one.title,
            terms.join(", "),
            names.join(", ")
        );
    }
    if let Some(labels) = labels {
        agreement(&corpus, &topics, &labels);
    }
}

fn corpus(files: &[PathBuf], path: &std::path::Path) -> Corpus {
    let source = ArchiveSource::open(files, 16 << 20).unwrap();
    let reader = Reader::new(Canonicaliser::default());
    let writings = source.documents().iter().filter_map(|url| {
        let archived = source.newest(url).ok()?;
        read(&reader, url, &archived.head, &archived.body, archived.at)
    });
    Corpus::write(path, writings).unwrap()
}

fn read(
    reader: &Reader,
    url: &CanonicalUrl,
    head: &ResponseHead,
    body: &[u8],
    captured: Time,
) -> Option<Writing> {
    let (page, tree) = reader.read_with_tree(url, head, body);
    let tree = tree?;
    let published = dates(&tree, &page, url, head, Captured::At(captured)).published;
    let matter = generic::read(&tree, &page, url, None).into_iter().next()?;
    let words = page.links.iter().filter_map(|link| page.text.get(link.at.clone()));
    let phrases = words.filter(|words| words.split_whitespace().count() >= 4);
    Some(Writing {
        anchors: phrases.map(|words| words.trim().to_owned()).collect(),
        id: url.as_str().to_owned(),
        url: url.as_str().to_owned(),
        site: url.host_name().to_owned(),
        published: published.and_then(|published| i64::try_from(published.time().millis()).ok()),
        captured: captured.millis(),
        language: page.language,
        title: page.title,
        text: matter.body,
        ..Writing::default()
    })
}

/// Purity: the share of writings in a topic that have its most frequent label. Normalised mutual information: how much of
/// the one is known by knowing the other.
fn agreement(corpus: &Corpus, topics: &topics::Topics, labels: &str) {
    let mut truth: HashMap<&str, &str> = HashMap::new();
    for (url, label) in labels.lines().filter_map(|line| line.split_once('\t')) {
        truth.entry(url).or_insert(label);
    }
    let mut ids = Vec::new();
    corpus
        .fold(Vec::new, |ids: &mut Vec<String>, writing| ids.push(writing.id), |some| ids.extend(some), &())
        .unwrap();
    for depth in [1, 9] {
        let mut pairs: BTreeMap<(u32, String), f64> = BTreeMap::new();
        let mut last = u32::MAX;
        for (writing, topic, _) in &topics.memberships {
            let label = truth.get(ids[*writing as usize].as_str()).filter(|_| *writing != last);
            last = *writing;
            if let Some(label) = label {
                let label = label.split('/').take(depth).collect::<Vec<_>>().join("/");
                *pairs.entry((*topic, label)).or_default() += 1.0;
            }
        }
        let total: f64 = pairs.values().sum();
        let (mut by_topic, mut by_label) = (BTreeMap::<u32, f64>::new(), BTreeMap::<&str, f64>::new());
        let mut most = BTreeMap::<u32, f64>::new();
        for ((topic, label), count) in &pairs {
            *by_topic.entry(*topic).or_default() += count;
            *by_label.entry(label).or_default() += count;
            let most = most.entry(*topic).or_default();
            *most = most.max(*count);
        }
        let entropy = |counts: &mut dyn Iterator<Item = f64>| -> f64 {
            counts.map(|n| -(n / total) * (n / total).ln()).sum()
        };
        let (topic, label) =
            (entropy(&mut by_topic.values().copied()), entropy(&mut by_label.values().copied()));
        let both = entropy(&mut pairs.values().copied());
        println!(
            "labels to depth {depth}: {total} writings in {} topics and {} labels, purity {:.3}, NMI {:.3}",
            by_topic.len(),
            by_label.len(),
            most.values().sum::<f64>() / total,
            2.0 * (topic + label - both) / (topic + label)
        );
    }
}
