//! Which of the dates that a page shows is its own: each day is worth what speaks for it, and the day that is worth most is it.

use annalist_model::{Evidence, Precision, Published, ResponseHead, Time};
use jiff::civil::Date;
use jiff::tz::Offset;

use super::{Captured, Clue, Clues, FIRST, Says, address, day_of};
use crate::dates::{self, Moment};

/// What a day is worth that only lies in the month of the address.
const MONTH: f32 = 3.0;
/// What a change says of the day of publication.
const CHANGED: f32 = 0.3;

/// So many days make a list.
const LIST: usize = 3;

/// A day and what speaks for it.
struct Day<'c> {
    day: Date,
    /// The best clue of each kind, the best first.
    clues: Vec<&'c Clue>,
    worth: f32,
}

pub(super) fn published(clues: &Clues<'_>) -> Option<Published> {
    let mut said: Vec<Clue> = clues.all.iter().map(counted).collect();
    doubt_lists(&mut said);
    let mut days: Vec<Day<'_>> = Vec::new();
    for clue in &said {
        let day = meant(clue, &said);
        match days.iter_mut().find(|known| known.day == day) {
            Some(known) => known.add(clue),
            None => days.push(Day { day, clues: vec![clue], worth: 0.0 }),
        }
    }
    for day in &mut days {
        day.weigh(clues.month);
    }
    // Of two that are worth as much, the one that was found first.
    let best = days.iter().rev().max_by(|one, other| one.worth.total_cmp(&other.worth));
    let next =
        |best: Date| days.iter().filter(|day| day.day != best).map(|day| day.worth).fold(0.0, f32::max);
    match best {
        Some(best) => Some(best.told(next(best.day))),
        None => last_resort(clues),
    }
}

/// A clue as it counts for the day of publication.
fn counted(clue: &Clue) -> Clue {
    let clue = clue.clone();
    match clue.says {
        Says::Published => clue,
        Says::Modified => Clue { weight: clue.weight * CHANGED, evidence: Evidence::Modified, ..clue },
        Says::Answered => Clue { weight: 0.3, evidence: Evidence::Comments, ..clue },
    }
}

/// Days that are shown in one way are those of a list: of articles, or of events.
fn doubt_lists(said: &mut [Clue]) {
    let listed: Vec<bool> = said
        .iter()
        .map(|clue| {
            let alike = said
                .iter()
                .filter(|other| other.evidence == clue.evidence && (other.weight - clue.weight).abs() < 0.01);
            let mut days: Vec<Date> = alike.map(|other| other.moment.day).collect();
            days.sort_unstable();
            days.dedup();
            days.len() >= LIST
        })
        .collect();
    for (clue, _) in
        said.iter_mut().zip(listed).filter(|(clue, listed)| *listed && clue.evidence > Evidence::Meta)
    {
        clue.weight *= 0.5;
    }
}

/// Day and month may be written either way, and machines tell moments in Greenwich: what people are told decides.
fn meant(clue: &Clue, all: &[Clue]) -> Date {
    let Moment { day, other, .. } = clue.moment;
    if other.is_some() {
        let said = |day: Date| {
            let clues = all.iter().filter(|clue| clue.moment.other.is_none() && clue.moment.day == day);
            clues.map(|clue| clue.weight).fold(0.0, f32::max)
        };
        return other.filter(|other| said(*other) > said(day)).unwrap_or(day);
    }
    let Some(there) = day_elsewhere(&clue.moment) else { return day };
    let shown = |day: Date| {
        let local = |clue: &&Clue| {
            clue.evidence > Evidence::Meta
                && clue.moment.day == day
                && clue.moment.offset != Some(Offset::UTC)
        };
        all.iter().filter(local).map(|clue| clue.weight).fold(0.0, f32::max)
    };
    if shown(there) >= 3.0 && shown(there) > shown(day) { there } else { day }
}

/// The other day that a moment in Greenwich may lie on for who wrote it: the day before in America, the day after in Asia.
fn day_elsewhere(moment: &Moment) -> Option<Date> {
    let clock = moment.clock.filter(|_| moment.offset == Some(Offset::UTC))?;
    match clock.hour() {
        0..9 => moment.day.yesterday().ok(),
        14.. => moment.day.tomorrow().ok(),
        _ => None,
    }
}

impl<'c> Day<'c> {
    fn add(&mut self, clue: &'c Clue) {
        match self.clues.iter_mut().find(|known| known.evidence == clue.evidence) {
            Some(known) if known.weight >= clue.weight => {}
            Some(known) => *known = clue,
            None => self.clues.push(clue),
        }
    }

    /// The best counts whole, what agrees with it ever less.
    fn weigh(&mut self, month: Option<Date>) {
        self.clues.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        let share = std::iter::successors(Some(1.0), |share| Some(share * 0.5));
        self.worth = self.clues.iter().zip(share).map(|(clue, share)| clue.weight * share).sum();
        if month.is_some_and(|month| month.first_of_month() == self.day.first_of_month()) {
            self.worth += MONTH.min(self.worth);
        }
    }

    /// The clue whose clock is that of the day: the best that has one. Who answered or changed something knows no hour of
    /// publication, unless nobody else knows the day.
    fn timed(&self) -> Option<&'c Clue> {
        let best = self.clues.first()?;
        let is_own = |clue: &&Clue| clue.says == Says::Published || clue.evidence == best.evidence;
        let has_time = |clue: &&Clue| clue.moment.day == self.day && clue.moment.clock.is_some();
        let mut with_time = self.clues.iter().copied().filter(is_own).filter(has_time);
        let first = with_time.next()?;
        if first.moment.offset.is_some() {
            return Some(first);
        }
        // The same minute of an hour, told with its offset, is the same moment told better.
        let minute = |clue: &Clue| clue.moment.clock.map(|clock| clock.minute());
        let better = |clue: &&Clue| clue.moment.offset.is_some() && minute(clue) == minute(first);
        Some(with_time.find(better).unwrap_or(first))
    }

    fn told(&self, next: f32) -> Published {
        let best = self.clues.first();
        let evidence = best.map_or(Evidence::Text, |clue| clue.evidence);
        let timed = self.timed();
        Published {
            day: self.day,
            clock: timed.and_then(|clue| clue.moment.clock),
            offset: timed.and_then(|clue| clue.moment.offset),
            precision: best.map_or(Precision::Day, |clue| clue.moment.precision),
            confidence: confidence(self.worth, next),
            evidence,
        }
    }
}

/// How sure the choice is: by what speaks for it, less what speaks for another day.
fn confidence(worth: f32, next: f32) -> f32 {
    let alone = worth / (worth + 1.2);
    let rival = next / worth.max(f32::EPSILON);
    (alone * (1.0 - 0.5 * rival * rival)).clamp(0.05, 0.99)
}

/// Pictures and copyrights tell about when.
fn last_resort(clues: &Clues<'_>) -> Option<Published> {
    let picture = clues.picture.as_deref().and_then(|picture| address::day_in(picture, clues.latest));
    let shown = clues.pictures.iter().filter_map(|node| clues.tree.element(*node)?.attribute("src"));
    let shown = shown.filter_map(|picture| address::day_in(picture, clues.latest));
    let picture = picture
        .or_else(|| shown.filter(|(_, precision)| *precision == Precision::Day).min_by_key(|(day, _)| *day));
    let month = clues.month.map(|month| (month, Precision::Month));
    let (day, precision, evidence, confidence) = match (month, picture, clues.copyright) {
        (Some((day, precision)), _, _) => (day, precision, Evidence::Url, 0.3),
        (_, Some((day, precision)), _) => (day, precision, Evidence::Picture, 0.3),
        (_, _, Some(day)) => (day, Precision::Year, Evidence::Copyright, 0.1),
        _ => return None,
    };
    let Moment { day, clock, offset, .. } = day_of(day);
    Some(Published { day, clock, offset, precision, confidence, evidence })
}

/// The surest word on the last change: the page's own, else its server's.
pub(super) fn modified(clues: &Clues<'_>, head: &ResponseHead, captured: Captured) -> Option<Time> {
    let said = clues.all.iter().filter(|clue| clue.says == Says::Modified);
    let best =
        said.max_by(|one, other| one.weight.total_cmp(&other.weight).then(other.evidence.cmp(&one.evidence)));
    if let Some(clue) = best {
        let Moment { day, clock, offset, .. } = clue.moment;
        let civil = day.to_datetime(clock.unwrap_or(jiff::civil::Time::midnight()));
        return Some(Time::of(civil, offset.unwrap_or(Offset::UTC)));
    }
    let time = dates::time(head.field("last-modified")?)?;
    (time.day() >= FIRST && time <= captured.latest()).then_some(time)
}
