//! Whatever becomes of a page or of a catalogue file on its way, there is an answer and no panic.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use annalist_apps::catalogue::{BUILT_IN, Loaded, load};
use annalist_apps::published::{Captured, dates};
use annalist_apps::{Catalogue, Input, recognise, report};
use annalist_model::{CanonicalUrl, Canonicaliser, ResponseHead, Time};
use annalist_read::Reader;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::new(&load(true, &[]).descriptions).0);

/// A sample page and its address.
struct Sample {
    url: CanonicalUrl,
    body: Vec<u8>,
}

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue");
    let folders = inside(&root).into_iter().map(|folder| folder.join("pages"));
    let pages = folders.filter(|folder| folder.is_dir()).flat_map(|folder| inside(&folder));
    let samples = pages.filter(|page| page.extension().is_some_and(|ending| ending == "html")).map(|page| {
        let name = page.with_extension("json");
        let expected = page.parent().unwrap().with_file_name("expected").join(name.file_name().unwrap());
        let expected: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(expected).unwrap_or("{}".to_owned())).unwrap();
        let url = expected["url"].as_str().unwrap_or("http://a.test/");
        Sample { url: CanonicalUrl::parse(url).unwrap(), body: std::fs::read(page).unwrap() }
    });
    samples.collect()
});

fn inside(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// What becomes of bytes on their way.
#[derive(Clone, Debug)]
enum Harm {
    Cut(Index),
    Flip(Index, u8),
    /// Bytes between two tags, or within one, are taken out.
    Lose(Index, Index),
    /// Two pieces that begin with `<` change places.
    Swap(Index, Index),
    /// A piece is there many times: without its end, each one is inside of the one before.
    Repeat(Index, usize),
}

fn harm() -> impl Strategy<Value = Harm> {
    let place = any::<Index>;
    prop_oneof![
        1 => place().prop_map(Harm::Cut),
        4 => (place(), any::<u8>()).prop_map(|(at, byte)| Harm::Flip(at, byte)),
        2 => (place(), place()).prop_map(|(from, count)| Harm::Lose(from, count)),
        6 => (place(), place()).prop_map(|(one, other)| Harm::Swap(one, other)),
        1 => (place(), prop_oneof![9 => 2usize..20, 1 => Just(2_000)]).prop_map(|(at, times)| Harm::Repeat(at, times)),
    ]
}

fn harmed(bytes: &[u8], harms: &[Harm]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for harm in harms {
        let mut pieces: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'>').collect();
        if pieces.is_empty() {
            break;
        }
        bytes = match harm {
            Harm::Cut(at) => bytes[..at.index(bytes.len())].to_vec(),
            Harm::Flip(at, byte) => {
                let mut changed = bytes.clone();
                changed[at.index(bytes.len())] = *byte;
                changed
            }
            Harm::Lose(from, count) => {
                let from = from.index(bytes.len());
                let until = (from + count.index(200)).min(bytes.len());
                [&bytes[..from], &bytes[until..]].concat()
            }
            Harm::Swap(one, other) => {
                let count = pieces.len();
                pieces.swap(one.index(count), other.index(count));
                pieces.concat()
            }
            Harm::Repeat(at, times) => {
                let at = at.index(pieces.len());
                let many = pieces[at].repeat(*times);
                [&pieces[..at].concat()[..], &many, &pieces[at..].concat()].concat()
            }
        };
    }
    bytes
}

/// Looks at a page; what is seen can be written.
fn look(url: &CanonicalUrl, body: &[u8]) {
    let fields = vec![
        ("Content-Type".to_owned(), b"text/html".to_vec()),
        ("Set-Cookie".to_owned(), body.get(..40).unwrap_or_default().to_vec()),
    ];
    let head = ResponseHead { status: 200, fields };
    let (page, tree) = Reader::new(Canonicaliser::default()).read_with_tree(url, &head, body);
    let Some(tree) = tree else { return };
    let seen = recognise(&CATALOGUE, &Input { tree: &tree, page: &page, url, head: &head, at: None });
    assert!(seen.choices.is_empty() || seen.choices.len() == page.links.len());
    assert!(report(&seen, &page).is_object());
    dates(&tree, &page, url, &head, Captured::Before(Time::MAX));
}

/// There is a description or there are mistakes, each in a line of the file; and whatever there is can be used.
fn describe(text: &str) {
    let mut loaded = Loaded::default();
    loaded.add("app.xml", text);
    assert_ne!(loaded.descriptions.is_empty(), loaded.mistakes.is_empty(), "{text}");
    let lines = text.split('\n').count();
    for mistake in &loaded.mistakes {
        assert!((1..=lines).contains(&mistake.line) && !mistake.told.is_empty(), "{mistake}");
    }
    for description in &mut loaded.descriptions {
        description.extends = None;
    }
    let (catalogue, _) = Catalogue::new(&loaded.descriptions);
    let sample = &SAMPLES[text.len() % SAMPLES.len()];
    let head = ResponseHead { status: 200, fields: Vec::new() };
    let (page, tree) = Reader::new(Canonicaliser::default()).read_with_tree(&sample.url, &head, &sample.body);
    let input = Input { tree: &tree.unwrap(), page: &page, url: &sample.url, head: &head, at: None };
    recognise(&catalogue, &input);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_page_that_was_cut_flipped_and_shuffled_is_looked_at_all_the_same(
        which in any::<Index>(),
        harms in vec(harm(), 1..30),
    ) {
        let sample = which.get(&SAMPLES);
        look(&sample.url, &harmed(&sample.body, &harms));
    }

    #[test]
    fn a_catalogue_file_that_was_cut_flipped_and_shuffled_is_a_description_or_mistakes(
        which in any::<Index>(),
        harms in vec(harm(), 1..6),
    ) {
        let (_, text) = which.get(BUILT_IN);
        describe(&String::from_utf8_lossy(&harmed(text.as_bytes(), &harms)));
    }
}

#[test]
fn every_tag_of_the_sample_pages_may_be_nested_two_thousand_deep() {
    for sample in SAMPLES.iter() {
        let pieces: Vec<&[u8]> = sample.body.split_inclusive(|byte| *byte == b'>').collect();
        let tags = pieces.iter().filter(|piece| piece.trim_ascii_start().starts_with(b"<"));
        let deep: Vec<u8> = tags.flat_map(|tag| tag.iter().copied()).collect();
        look(&sample.url, &deep.repeat(1 + 2_000 / pieces.len()));
        // The most telling of its tags: those that are objects.
        for tag in pieces.iter().filter(|piece| piece.windows(5).any(|word| word == b"post ")).take(2) {
            look(&sample.url, &[&sample.body[..], &[tag, &b"text"[..]].concat().repeat(2_000)].concat());
        }
    }
}
