//! A time of day in a text, with its zone: `4:12 pm`, `16h12`, `16.12 Uhr`, `下午4时12分`, `T16:12:00+0100`.

use std::ops::Range;

use jiff::civil::Time;
use jiff::tz::Offset;

use super::tokens::Tokens;

/// A time and the tokens that name it, zone included.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    pub(super) time: Time,
    pub(super) offset: Option<Offset>,
    pub(super) place: Range<usize>,
}

/// How many tokens stand between a day and its time at most.
const REACH: usize = 9;

/// The time that belongs to a day: behind it, else before it.
pub(super) fn near(tokens: &Tokens, day: &Range<usize>) -> Option<Clock> {
    if let Some(time) = compact(tokens, day) {
        return Some(time);
    }
    let behind = (day.end..day.end + REACH).find_map(|place| at(tokens, place));
    let before = || (day.start.saturating_sub(REACH)..day.start).rev().find_map(|place| at(tokens, place));
    behind.or_else(|| {
        let clock = before()?;
        // `16:12, 5. März 2013 (CET)`: the zone comes last. A mere number there may count something else.
        let is_named = tokens.capitals(day.end + usize::from(tokens.is_mark(day.end, '('))).is_some();
        let offset = clock.offset.or_else(|| zone(tokens, day.end, Written::Loosely).0.filter(|_| is_named));
        Some(Clock { offset, ..clock })
    })
}

/// The rest of `20130305161200`, or of `20130305T161200Z`.
fn compact(tokens: &Tokens, day: &Range<usize>) -> Option<Clock> {
    let (value, digits) = tokens.number(day.start)?;
    let (value, end) = match digits {
        14 => (value % 1_000_000, day.end),
        8 if tokens.word(day.end) == Some("t") => {
            (tokens.number(day.end + 1).filter(|(_, digits)| *digits == 6)?.0, day.end + 2)
        }
        _ => return None,
    };
    let time = time(value / 10_000, value / 100 % 100, value % 100, 0)?;
    let (offset, end) = zone(tokens, end, Written::Exactly);
    Some(Clock { time, offset, place: day.start..end })
}

/// A time that begins at this token.
pub(super) fn at(tokens: &Tokens, start: usize) -> Option<Clock> {
    let (hour, digits) = tokens.number(start)?;
    // The second half of `12:16:30` is no time of its own.
    let continues = start > 0 && tokens.is_mark(start - 1, ':') && !tokens.is_spaced(start);
    if digits > 2 || continues {
        return None;
    }
    let mut next = start + 1;
    let mut minute = 0;
    let mut second = 0;
    let mut nanos = 0;
    let mut is_exact = start > 0 && tokens.word(start - 1) == Some("t");
    let two = |at: usize| tokens.number(at).filter(|(_, digits)| *digits == 2).map(|(value, _)| value);
    let mut is_time = true;
    if tokens.is_mark(next, ':') || tokens.is_mark(next, '：') {
        minute = two(next + 1)?;
        next += 2;
        if tokens.is_mark(next, ':') || tokens.is_mark(next, '：') {
            second = two(next + 1)?;
            next += 2;
            is_exact = true;
            if (tokens.is_mark(next, '.') || tokens.is_mark(next, ','))
                && !tokens.is_spaced(next + 1)
                && let Some((fraction, digits)) = tokens.number(next + 1)
                && digits <= 9
            {
                nanos = fraction * 10_u64.pow(9 - u32::try_from(digits).ok()?);
                next += 2;
            }
        }
    } else if let Some(mark) =
        tokens.mark(next).filter(|mark| matches!(mark, '時' | '时' | '點' | '点' | '시'))
    {
        next += 1;
        if let Some((value, _)) = tokens.number(next).filter(|_| is_any(tokens, next + 1, &['分', '분'])) {
            minute = value;
            next += 2;
            if let Some((value, _)) = tokens.number(next).filter(|_| is_any(tokens, next + 1, &['秒', '초']))
            {
                second = value;
                next += 2;
            }
        } else if mark == '시' && tokens.word(next).is_some() && !tokens.is_spaced(next) {
            return None;
        }
    } else if tokens.word(next).is_some_and(|word| matches!(word, "h" | "u" | "ч")) {
        next += 1;
        match two(next).filter(|_| !tokens.is_spaced(next)) {
            Some(value) => {
                minute = value;
                next += 1;
            }
            None if tokens.is_spaced(next - 1) => is_time = false,
            None => {}
        }
    } else if tokens.is_mark(next, '.')
        && !tokens.is_spaced(next + 1)
        && let Some(value) = two(next + 1)
    {
        let before =
            start.checked_sub(1).map(|at| if tokens.is_mark(at, '.') { at.saturating_sub(1) } else { at });
        let is_announced = before.and_then(|at| tokens.word(at)).is_some_and(is_at);
        minute = value;
        next += 2;
        is_time = is_announced || tokens.word(next) == Some("uhr") || half(tokens, next).is_some();
    } else {
        is_time = tokens.word(next) == Some("uhr");
    }
    let mut hour = hour;
    if let Some((is_afternoon, end)) =
        half(tokens, next).or_else(|| half_before(tokens, start).map(|half| (half, next)))
    {
        hour = match (hour, is_afternoon) {
            (12, false) => 0,
            (1..=11, true) => hour + 12,
            _ => hour,
        };
        next = end;
        is_time = true;
    }
    if !is_time {
        return None;
    }
    if tokens.word(next).is_some_and(|word| matches!(word, "uhr" | "h" | "hrs" | "uur" | "ч")) {
        next += 1;
    }
    let time = time(hour, minute, second, nanos)?;
    let (offset, end) = zone(tokens, next, if is_exact { Written::Exactly } else { Written::Loosely });
    Some(Clock { time, offset, place: start..end })
}

fn is_any(tokens: &Tokens, at: usize, marks: &[char]) -> bool {
    tokens.mark(at).is_some_and(|mark| marks.contains(&mark))
}

fn time(hour: u64, minute: u64, second: u64, nanos: u64) -> Option<Time> {
    // A leap second is the second before it.
    let second = if second == 60 { 59 } else { second };
    let small = |value: u64| i8::try_from(value).ok();
    Time::new(small(hour)?, small(minute)?, small(second)?, i32::try_from(nanos).ok()?).ok()
}

/// Words that announce a time.
pub(super) fn is_at(word: &str) -> bool {
    matches!(
        word,
        "at" | "um"
            | "à"
            | "a"
            | "kl"
            | "klo"
            | "alle"
            | "ore"
            | "om"
            | "o"
            | "в"
            | "στις"
            | "las"
            | "às"
            | "saat"
            | "v"
            | "godz"
            | "ve"
            | "uhr"
    )
}

/// Whether the words here say afternoon, and where they end.
fn half(tokens: &Tokens, at: usize) -> Option<(bool, usize)> {
    let word = tokens.word(at)?;
    let dotted = |second: &str| {
        (tokens.is_mark(at + 1, '.') && tokens.word(at + 2) == Some(second))
            .then(|| at + 3 + usize::from(tokens.is_mark(at + 3, '.')))
    };
    Some(match word {
        "am" | "πμ" | "öö" | "dop" => (false, at + 1),
        "pm" | "μμ" | "ös" | "odp" => (true, at + 1),
        "a" => (false, dotted("m")?),
        "p" => (true, dotted("m")?),
        "π" => (false, dotted("μ")?),
        "μ" => (true, dotted("μ")?),
        _ => return None,
    })
}

/// In East Asia the half of the day comes first.
fn half_before(tokens: &Tokens, at: usize) -> Option<bool> {
    let word = tokens.word(at.checked_sub(1)?)?;
    let has = |words: &[&str]| words.iter().any(|half| word.ends_with(half));
    if has(&["下午", "午後", "晚上", "오후"]) || word == "pm" {
        Some(true)
    } else if has(&["上午", "午前", "凌晨", "오전", "早上"]) || word == "am" {
        Some(false)
    } else {
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// With seconds or a `T`: what follows is an offset and no range of hours.
    Exactly,
    Loosely,
}

/// The zone behind a time, and where it ends.
fn zone(tokens: &Tokens, at: usize, written: Written) -> (Option<Offset>, usize) {
    let at = at + usize::from(tokens.is_mark(at, '('));
    if let Some(name) = tokens.capitals(at) {
        if matches!(name, "z" | "utc" | "gmt" | "ut") {
            return match signed(tokens, at + 1, Written::Exactly) {
                Some((offset, end)) if name != "z" => (Some(offset), end),
                _ => (Some(Offset::UTC), at + 1),
            };
        }
        if let Some(minutes) = named_zone(name) {
            return (Offset::from_seconds(minutes * 60).ok(), at + 1);
        }
    }
    if tokens.word(at) == Some("z") && written == Written::Exactly {
        return (Some(Offset::UTC), at + 1);
    }
    match signed(tokens, at, written) {
        Some((offset, end)) => (Some(offset), end),
        None => (None, at),
    }
}

fn signed(tokens: &Tokens, at: usize, written: Written) -> Option<(Offset, usize)> {
    let sign = match tokens.mark(at)? {
        '+' => 1,
        '-' | '−' => -1,
        _ => return None,
    };
    if tokens.is_spaced(at + 1) {
        return None;
    }
    let (value, digits) = tokens.number(at + 1)?;
    let (hours, minutes, end) = match digits {
        4 => (value / 100, value % 100, at + 2),
        1 | 2 => match tokens.number(at + 3).filter(|_| tokens.is_mark(at + 2, ':')) {
            Some((minutes, 2)) => (value, minutes, at + 4),
            _ => (value, 0, at + 2),
        },
        _ => return None,
    };
    // `16:12-17:00` is an evening, and `16:12 - 5` the beginning of something else.
    if digits != 4 && written == Written::Loosely && sign < 0 {
        return None;
    }
    if hours > 14 || minutes > 59 {
        return None;
    }
    let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
    Some((Offset::from_seconds(sign * seconds).ok()?, end))
}

/// `+02:00`, `-0500`, `UTC`, `CET`.
pub(super) fn offset(text: &str) -> Option<Offset> {
    zone(&Tokens::of(text), 0, Written::Exactly).0
}

/// Minutes east of Greenwich.
fn named_zone(name: &str) -> Option<i32> {
    Some(match name {
        "wet" => 0,
        "bst" | "cet" | "mez" | "west" => 60,
        "cest" | "mesz" | "eet" | "sast" => 120,
        "eest" | "msk" => 180,
        "ist" => 330,
        "hkt" | "sgt" | "awst" => 480,
        "jst" | "kst" => 540,
        "aest" => 600,
        "aedt" => 660,
        "nzst" => 720,
        "edt" => -240,
        "est" | "cdt" => -300,
        "cst" | "mdt" => -360,
        "mst" | "pdt" => -420,
        "pst" | "akdt" => -480,
        _ => return None,
    })
}
