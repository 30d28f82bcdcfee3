//! What happened, as the writings of an archive report it: names, words and dates that were suddenly written about, joined
//! where they share time and writings. (`events` is about crawls for an event that is known beforehand.)

use serde::Serialize;

use super::Day;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Happening {
    /// A title or a sentence of those who report it.
    pub title: String,
    /// First and last day of what happened, as the reports tell it, else when most was written about it.
    pub from: Day,
    pub until: Day,
    /// Whether the reports name its days.
    pub dated: bool,
    /// First and last day on which much was written about it.
    pub reported_from: Day,
    pub reported_until: Day,
    /// Words as people write them, the most telling first.
    pub terms: Vec<(String, f32)>,
    /// Names that appear with it, by number, and in which share of its reports.
    pub names: Vec<(u32, f32)>,
    /// The number of a writing in the corpus and how much it is about this, from 0 to 1. The best first.
    pub writings: Vec<(u32, f32)>,
    /// How many sites report it.
    pub sites: u32,
    pub confidence: f32,
}
