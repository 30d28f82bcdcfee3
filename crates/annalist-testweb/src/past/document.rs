//! Which pages there are: what each is about, where it stands, when it appeared, changed and vanished, and where it
//! links. When it was captured is in `captures.rs`.

use std::collections::HashMap;

use super::festival::Festival;
use super::{PastConfig, SITES};
use crate::calendar::{DAY, Moment, seconds_at};
use crate::dice::Dice;
use crate::prose::{Prose, capitalise};
use crate::words::{Language, TOPICS};

const LINKS: usize = 8;
/// What the festival is about, beside itself.
const MUSIC: usize = 3;
/// Shares, in percent.
const NEVER_ARCHIVED: usize = 8;
const EDITED: usize = 30;
const VANISHED: usize = 12;

/// Where a page says when it was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateIn {
    Meta,
    JsonLd,
    TimeElement,
    Byline,
    Address,
    Nowhere,
}

impl DateIn {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            DateIn::Meta => "meta",
            DateIn::JsonLd => "json-ld",
            DateIn::TimeElement => "time",
            DateIn::Byline => "text",
            DateIn::Address => "url",
            DateIn::Nowhere => "none",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) number: u64,
    pub(crate) site: usize,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) topic: usize,
    /// Of the festival it is about.
    pub(crate) year: Option<u16>,
    pub(crate) published: u64,
    pub(crate) date_in: DateIn,
    pub(crate) edited: Option<u64>,
    pub(crate) vanished: Option<u64>,
    pub(crate) archived: bool,
    /// Places in the list of all documents.
    pub(crate) links: Vec<usize>,
}

impl Document {
    pub(crate) fn url(&self) -> String {
        format!("http://{}{}", SITES[self.site], self.path)
    }

    pub(crate) fn event(&self) -> String {
        self.year.map_or("none".to_owned(), |year| format!("festival-{year}"))
    }
}

/// All documents, in the order of their publication.
pub(crate) fn all(config: &PastConfig, festivals: &[Festival], prose: &Prose) -> Vec<Document> {
    let mut documents = Vec::new();
    for festival in festivals {
        let year = u64::from(festival.year);
        for number in 0..(config.festival_pages + config.other_pages) as u64 {
            let mut dice = Dice::new(&[config.seed, 0xd0c5, year, number]);
            let about = ((number as usize) < config.festival_pages).then_some(festival);
            documents.push(document(&mut dice, year * 100_000 + number, festival.year, about, prose));
        }
    }
    documents.sort_by_key(|document| (document.published, document.number));
    link(config.seed, &mut documents);
    documents
}

fn document(dice: &mut Dice, number: u64, year: u16, festival: Option<&Festival>, prose: &Prose) -> Document {
    let published = match festival {
        Some(festival) => around(dice, festival),
        None => seconds_at(year.into(), 1, 1) + dice.below(365) as u64 * DAY,
    } + dice.below(86_400) as u64;
    // The culture pages of every site write about the festival; the shops and the scientists do not.
    let site = if festival.is_some() { dice.below(9) } else { 1 + dice.below(SITES.len() - 1) };
    let topic = if festival.is_some() { MUSIC } else { dice.below(TOPICS) };
    let title = match festival {
        Some(festival) => festival.headline(dice),
        None => headline(dice, topic, prose),
    };
    let date_in = match dice.below(20) {
        0..3 => DateIn::Meta,
        3..6 => DateIn::JsonLd,
        6..8 => DateIn::TimeElement,
        8..13 => DateIn::Byline,
        13..16 => DateIn::Address,
        _ => DateIn::Nowhere,
    };
    let slug: String = title
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty() && word.parse::<u16>().is_err())
        .take(5)
        .collect::<Vec<_>>()
        .join("-");
    let path = match date_in {
        DateIn::Address => format!("/{}/{slug}-{}", Moment::new(published).day_path(), number % 100_000),
        _ => format!("/{slug}-{:x}", number * 2_654_435_761 % 0xffff_fffb),
    };
    let share = |dice: &mut Dice, percent| dice.below(100) < percent;
    Document {
        number,
        site,
        path,
        title,
        topic,
        year: festival.map(|festival| festival.year),
        published,
        date_in,
        edited: share(dice, EDITED).then(|| published + (1 + dice.below(60)) as u64 * DAY),
        vanished: share(dice, VANISHED).then(|| published + (120 + dice.below(700)) as u64 * DAY),
        archived: !share(dice, NEVER_ARCHIVED),
        links: Vec::new(),
    }
}

/// A day in the weeks before, during or after the festival, most of them near it.
fn around(dice: &mut Dice, festival: &Festival) -> u64 {
    match dice.below(10) {
        0..3 => festival.from - (1 + dice.skewed(45)) as u64 * DAY,
        3..7 => festival.from + dice.below(10) as u64 * DAY,
        _ => festival.until + (1 + dice.skewed(40)) as u64 * DAY,
    }
}

fn headline(dice: &mut Dice, topic: usize, prose: &Prose) -> String {
    let sentence = prose.passage(dice, topic, Language::English, 1);
    let words: Vec<&str> = sentence.split([' ', ',', '.']).filter(|word| word.len() > 3).take(5).collect();
    let mut title = words.join(" ");
    capitalise(&mut title, 0);
    title
}

/// Pages link to pages that were there before them: festival pages mostly to their own year's.
fn link(seed: u64, documents: &mut [Document]) {
    let mut before: HashMap<Shelf, Vec<usize>> = HashMap::new();
    for (place, document) in documents.iter_mut().enumerate() {
        let mut dice = Dice::new(&[seed, 0x11f4, document.number]);
        for _ in 0..LINKS {
            let roll = dice.below(100);
            let shelf = match (document.year, roll) {
                (Some(year), 0..75) => Shelf::Festival(year),
                (None, 0..70) => Shelf::Topic(document.topic),
                (Some(_), 75..88) | (None, 92..) => Shelf::Festivals,
                _ => Shelf::Others,
            };
            let Some(known) = before.get(&shelf) else { continue };
            // Rather to what is new.
            let target = known.len().checked_sub(1 + dice.skewed(known.len())).and_then(|at| known.get(at));
            document.links.extend(target.filter(|target| !document.links.contains(target)));
        }
        let shelves = match document.year {
            Some(year) => [Shelf::Festival(year), Shelf::Festivals],
            None => [Shelf::Topic(document.topic), Shelf::Others],
        };
        shelves.into_iter().for_each(|shelf| before.entry(shelf).or_default().push(place));
    }
}

/// Documents among which a link is chosen.
#[derive(PartialEq, Eq, Hash)]
enum Shelf {
    Festival(u16),
    Festivals,
    Topic(usize),
    Others,
}
