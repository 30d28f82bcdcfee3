//! Entities and opinions of the pages of an archive, a sample of each, and what they cost:
//! `annotate PAGES FILE...` takes the pages again and again until there are so many. Time on the wall: for a quiet machine.

#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a measurement, read by whoever started it"
)]

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use annalist_model::{CanonicalUrl, Canonicaliser};
use annalist_read::Reader;
use annalist_sources::ArchiveSource;
use annalist_study::offline::entities::{EntitySettings, Kind, entities};
use annalist_study::offline::opinions::opinions;
use annalist_study::offline::{Corpus, Writing};

const SHOWN: usize = 40;
/// Mentions, from all over the archive.
const SAMPLE: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let pages: usize =
        arguments.next().and_then(|n| n.to_str()?.parse().ok()).ok_or("annotate PAGES FILE...")?;
    let files: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let source = ArchiveSource::open(&files, 16 << 20)?;
    let reader = Reader::new(Canonicaliser::default());
    let read = |url: &CanonicalUrl| {
        let archived = source.newest(url).ok()?;
        let page = reader.read(url, &archived.head, &archived.body);
        let (id, url) = (url.to_string(), url.to_string());
        Some(Writing {
            id,
            url,
            title: page.title,
            text: page.text,
            language: page.language,
            ..Writing::default()
        })
    };
    let path = std::env::temp_dir().join(format!("annotate-{}", std::process::id()));
    let corpus = Corpus::write(&path, source.documents().iter().cycle().take(pages).filter_map(read))?;
    println!("{} writings", corpus.len());

    let started = Instant::now();
    let found = entities(&corpus, &EntitySettings::default(), &())?;
    println!("entities: {:.1} s", started.elapsed().as_secs_f64());
    println!(
        "{} entities, {} mentions, {} pairs",
        found.entities.len(),
        found.mentions.len(),
        found.together.len()
    );
    for kind in [Kind::Person, Kind::Place, Kind::Organisation, Kind::Other] {
        let some: Vec<_> = found.entities.iter().filter(|e| e.kind == kind).collect();
        println!("\n{kind:?}: {}", some.len());
        for entity in some.iter().take(SHOWN) {
            println!("  {} {} {:.2} {:?}", entity.name, entity.writings, entity.confidence, entity.aliases);
        }
    }
    println!("\nSample");
    let stride = (found.mentions.len() / SAMPLE).max(1);
    for mention in found.mentions.iter().skip(stride / 2).step_by(stride) {
        let entity = &found.entities[mention.entity as usize];
        println!(
            "  {:?}: {} {} {:.2} {:?}",
            entity.kind, entity.name, entity.writings, entity.confidence, entity.aliases
        );
    }
    for pair in found.together.iter().take(SHOWN) {
        let name = |at: u32| &found.entities[at as usize].name;
        println!("  {} + {}: {}", name(pair.one), name(pair.other), pair.writings);
    }
    let started = Instant::now();
    let thought = opinions(&corpus, &found, &())?;
    println!("\nopinions: {:.1} s", started.elapsed().as_secs_f64());
    let mean = thought.writings.iter().map(|(_, opinion)| opinion.value).sum::<f32>()
        / thought.writings.len().max(1) as f32;
    println!(
        "{} of writings, {mean:.2} on average, {} of entities",
        thought.writings.len(),
        thought.entities.len()
    );
    std::fs::remove_file(&path)?;
    Ok(())
}
