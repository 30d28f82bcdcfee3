//! When a page was published and last changed, by everything on it that says so.
//!
//! - `markup`: meta tags, microdata, `<time>` and other attributes made for machines; `scripts`: JSON-LD and other scripts
//! - `address`: days in addresses
//! - `seen`: dates in the visible text; `labels`: the words before them; `place`: what is around them
//! - `choose`: which of them it is
//!
//! Not here: what a date in words means (`dates`).

mod address;
mod choose;
mod labels;
mod markup;
mod place;
mod scripts;
mod seen;

use annalist_model::{CanonicalUrl, Evidence, Page, Precision, Published, ResponseHead, Time};
use annalist_read::tree::{NodeId, Tree};
use jiff::ToSpan;
use jiff::civil::{Date, date};

use crate::dates::{self, Hints, Moment, Order};
use labels::Label;
use place::{Landmarks, NEAR, Place, Places, Region};

/// No page of the web is older.
const FIRST: Date = date(1991, 8, 6);
/// Dates in a text are days of history more often than not.
const FIRST_SEEN: Date = date(1995, 1, 1);
/// What markup says may be the day of a newspaper that was digitised.
const FIRST_SAID: Date = date(1700, 1, 1);
/// A page with more has no one date; the first are enough to see that.
const MOST_CLUES: usize = 300;

/// When a page was captured.
#[derive(Clone, Copy, Debug)]
pub enum Captured {
    At(Time),
    /// Nobody knows; not later than this.
    Before(Time),
}

impl Captured {
    fn latest(self) -> Time {
        match self {
            Captured::At(time) | Captured::Before(time) => time,
        }
    }
}

/// When a page came to be as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dates {
    pub published: Option<Published>,
    pub modified: Option<Time>,
}

/// What a page and its server say of its dates. Its visible text is looked up where the reader found it.
pub fn dates(tree: &Tree, page: &Page, url: &CanonicalUrl, head: &ResponseHead, captured: Captured) -> Dates {
    let mut clues = Clues::new(tree, page, url, captured);
    markup::read(&mut clues);
    let scripts = std::mem::take(&mut clues.scripts);
    scripts::linked(&mut clues, &scripts);
    address::read(&mut clues, url);
    seen::read(&mut clues);
    if !clues.is_certain() {
        scripts::others(&mut clues, &scripts);
    }
    let published = choose::published(&clues);
    let modified = choose::modified(&clues, head, captured);
    Dates { published, modified }
}

/// Something that may be the date of the page.
#[derive(Clone, Debug)]
struct Clue {
    moment: Moment,
    evidence: Evidence,
    says: Says,
    /// How much it is to be believed.
    weight: f32,
}

/// What a date is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Published,
    Modified,
    /// When the first reader answered.
    Answered,
}

/// All that was found so far.
struct Clues<'p> {
    tree: &'p Tree,
    page: &'p Page,
    places: Places<'p>,
    order: Option<Order>,
    /// Nothing is published later.
    latest: Date,
    captured: Captured,
    all: Vec<Clue>,
    scripts: Vec<NodeId>,
    /// Text nodes by where they stand in the text of the page.
    texts: Vec<(usize, NodeId)>,
    /// The address of the picture that shows what the page is about.
    picture: Option<String>,
    /// The first pictures on the page.
    pictures: Vec<NodeId>,
    /// The month that the address names without a day.
    month: Option<Date>,
    /// The latest year of a copyright.
    copyright: Option<Date>,
}

impl<'p> Clues<'p> {
    fn new(tree: &'p Tree, page: &'p Page, url: &CanonicalUrl, captured: Captured) -> Clues<'p> {
        // Where it is tomorrow already, it may be published.
        let latest = captured.latest().day().saturating_add(1.day());
        Clues {
            tree,
            page,
            places: Places::of(tree, page, &Landmarks::default(), &[]),
            texts: Vec::new(),
            picture: None,
            pictures: Vec::new(),
            order: order(tree, page, url),
            latest,
            captured,
            all: Vec::new(),
            scripts: Vec::new(),
            month: None,
            copyright: None,
        }
    }

    /// A date that is said to machines.
    fn say(&mut self, evidence: Evidence, says: Says, weight: f32, text: &str) {
        let hints = Hints { order: self.order, ..Hints::default() };
        if self.all.len() < MOST_CLUES
            && let Some(moment) = dates::moment(text, &hints)
        {
            self.add(evidence, says, weight, moment, FIRST_SAID);
        }
    }

    fn add(&mut self, evidence: Evidence, says: Says, weight: f32, mut moment: Moment, first: Date) {
        let can_be = |day: Date| day >= first && day <= self.latest && day != EPOCH;
        if !can_be(moment.day) {
            let Some(other) = moment.other.take().filter(|other| can_be(*other)) else { return };
            moment.day = other;
        }
        moment.other = moment.other.filter(|other| can_be(*other));
        if self.all.len() < MOST_CLUES {
            self.all.push(Clue { moment, evidence, says, weight });
        }
    }

    /// Where the moment of the capture is known, `yesterday` and a day without a year are known too.
    fn hints(&self) -> Hints {
        let now = match self.captured {
            Captured::At(time) => Some(time),
            Captured::Before(_) => None,
        };
        Hints { order: self.order, now, ..Hints::default() }
    }

    /// What the words around an element say of its date.
    fn label(&self, node: NodeId) -> Option<Label> {
        let stands = self.tree.stands_at(node).filter(|stands| !stands.is_empty())?;
        let text = self.page.text.get(stands.clone())?;
        // The words may stand in the element, before the date.
        let from = stands.start + text.find(|c: char| c.is_ascii_digit())?;
        seen::label_at(&self.page.text, from, stands.end)
    }

    /// How much less a date is to be believed for where it stands.
    fn near(&self, node: NodeId, place: &Place) -> f32 {
        let region = match place.region {
            Region::Matter => 1.0,
            Region::Another => 0.4,
            Region::Footer => 0.3,
            Region::Beside | Region::Comments => 0.2,
        };
        let Some((headline, stands)) = self.places.headline.as_ref().zip(self.tree.stands_at(node)) else {
            return region;
        };
        let distance = if stands.start >= headline.end {
            match stands.start - headline.end {
                0..=NEAR => 1.2,
                distance if distance <= 5 * NEAR => 1.0,
                _ => 0.7,
            }
        } else {
            match headline.start.saturating_sub(stands.end) {
                // Newspapers have the present day above everything.
                0..=150 => 0.9,
                151..=500 => 0.6,
                _ => 0.4,
            }
        };
        region * distance
    }

    /// Whether machines are told so clearly that nobody needs to look into scripts.
    fn is_certain(&self) -> bool {
        self.all.iter().any(|clue| clue.says == Says::Published && clue.weight >= 4.0)
    }
}

/// What a clock says that was never set.
const EPOCH: Date = date(1970, 1, 1);

fn day_of(day: Date) -> Moment {
    Moment { day, other: None, precision: Precision::Day, clock: None, offset: None }
}

/// Whether `03/05/2013` is in March or in May; where nothing is said, the mark between them tells.
fn order(tree: &Tree, page: &Page, url: &CanonicalUrl) -> Option<Order> {
    let said = place::language(tree).map(str::to_ascii_lowercase);
    let language = said.as_deref().filter(|said| !said.is_empty()).or(page.language.as_deref()).unwrap_or("");
    let country = url.host_name().rsplit('.').next().unwrap_or("");
    let elsewhere = country.len() == 2 && !matches!(country, "us" | "tv" | "io" | "me" | "co" | "ph" | "to");
    match language.get(..2).unwrap_or("") {
        "" => None,
        "ja" | "zh" | "ko" | "hu" | "lt" => Some(Order::Ymd),
        "en" if language.starts_with("en-us") || (language == "en" && !elsewhere) => Some(Order::English),
        _ => Some(Order::Dmy),
    }
}

#[cfg(test)]
mod tests;
