//! What happens when, and which pages report it.

use super::cast::{BODY, Cast};
use super::tongue::{Occasion, Tongue};
use crate::calendar::DAY;
use crate::dice::Dice;
use crate::item::{DAYS, FIRST_DAY};
use crate::layout::{Host, Layout};
use crate::words::Language;

/// One item in so many reports something that happened.
const REPORTS: usize = 4;
/// Reports of each happening that are wished for, before there are more happenings.
const WISHED_REPORTS: usize = 8;
/// Days at the beginning and end in which nothing happens, so that there is a before and an after.
const QUIET: usize = 40;

#[derive(Clone, Debug)]
pub(crate) struct Happening {
    pub(crate) occasion: &'static Occasion,
    pub(crate) language: Language,
    /// The first member of the circle it happens to, and who of them it is about.
    pub(crate) first: usize,
    pub(crate) turn: usize,
    pub(crate) topic: usize,
    /// Start of its first day and of the day after its last.
    pub(crate) from: u64,
    pub(crate) until: u64,
}

pub(crate) struct Schedule {
    /// Those of a language stand together.
    pub(crate) happenings: Vec<Happening>,
    /// Of each language: the first of its happenings, and how many.
    rows: [(usize, usize); 4],
    /// Of each healthy host: how many items the hosts of its language before it have.
    offsets: Vec<usize>,
}

impl Schedule {
    pub(crate) fn new(seed: u64, layout: &Layout, cast: &Cast) -> Schedule {
        let mut items = [0; 4];
        let offsets = layout
            .healthy_hosts()
            .iter()
            .map(|host| {
                let count = &mut items[host.language as usize];
                let offset = *count;
                *count += host.items;
                offset
            })
            .collect();
        let mut happenings = Vec::new();
        let rows = Language::ALL.map(|language| {
            let least = if language == Language::English { 9 } else { 5 };
            let wished = items[language as usize] / REPORTS / WISHED_REPORTS;
            let count = wished.clamp(least, 2 * least + 2);
            let first = happenings.len();
            happenings.extend((0..count).map(|number| happening(seed, cast, language, number, count)));
            (first, count)
        });
        Schedule { happenings, rows, offsets }
    }

    /// What an item reports, with its number.
    pub(crate) fn of_item(&self, host: &Host, item: usize) -> Option<(usize, &Happening)> {
        let place = self.offsets.get(host.number)? + item;
        let (first, count) = self.rows[host.language as usize];
        if place % REPORTS != 1 || count == 0 {
            return None;
        }
        let number = first + place / REPORTS % count;
        Some((number, self.happenings.get(number)?))
    }
}

fn happening(seed: u64, cast: &Cast, language: Language, number: usize, count: usize) -> Happening {
    let mut dice = Dice::new(&[seed, 0x4a99, language as u64, number as u64]);
    let tongue = Tongue::of(language);
    // Both lists are gone through at their own pace: the same thing does not happen twice in a place.
    let occasion = &tongue.occasions[number % tongue.occasions.len()];
    let circle = (number + number / tongue.circles.len()) % tongue.circles.len();
    let pace = (DAYS - 2 * QUIET) / count.max(1);
    let day = FIRST_DAY + QUIET + number * pace + dice.below(pace / 2 + 1);
    let from = day as u64 * DAY;
    Happening {
        occasion,
        language,
        first: cast.circle(language, circle),
        turn: dice.below(BODY),
        topic: tongue.circles[circle].topic,
        from,
        until: from + occasion.days * DAY,
    }
}

impl Happening {
    /// When a page about it appears: mostly in its days and the next, some before or later.
    pub(crate) fn reported(&self, dice: &mut Dice) -> u64 {
        let days = ((self.until - self.from) / DAY) as usize;
        let noon = 6 * 3600 + dice.below(16 * 3600) as u64;
        let day = match dice.below(10) {
            0 if self.occasion.announced => return self.from - (1 + dice.skewed(8)) as u64 * DAY + noon,
            0..7 => dice.below(days + 1),
            7..9 => days + dice.below(4),
            _ => days + dice.skewed(14),
        };
        self.from + day as u64 * DAY + noon
    }
}
