//! What people write for a date, as a moment.

use annalist_model::Time;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Dmy,
    Mdy,
    Ymd,
}

#[derive(Clone, Debug, Default)]
pub struct Hints {
    pub order: Option<Order>,
    pub format: Option<String>,
    pub zone: Option<jiff::tz::Offset>,
    pub now: Option<Time>,
}

impl Hints {
    pub fn zone(_text: &str) -> Option<jiff::tz::Offset> {
        Some(jiff::tz::Offset::UTC)
    }
}

pub fn parse(text: &str, _hints: &Hints) -> Option<String> {
    text.trim().parse::<jiff::Timestamp>().ok().map(|_| text.trim().to_owned())
}
