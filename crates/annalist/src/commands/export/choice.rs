//! What comes along with the captures that are meant: what their pages show, what revisits refer to, and the records that
//! tell of them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::selection::Selection;
use super::survey::{Chosen, Entry, Kind, Survey};

/// A frame in a frame in a frame is shown; what lies deeper is hardly part of the page.
const MOST_EMBEDS_IN_A_ROW: usize = 4;

/// What was chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Captures that are meant.
    pub meant: u64,
    /// Captures that come along.
    pub along: u64,
    /// Revisits whose originals are in none of the archives.
    pub elsewhere: u64,
}

/// Marks every record that is to be written.
pub fn choose(survey: &mut Survey, selection: &Selection) -> Choice {
    if let Some(limit) = selection.limit {
        keep_best(&mut survey.entries, usize::try_from(limit).unwrap_or(usize::MAX));
    }
    add_embeds(survey);
    let elsewhere = add_originals(survey);
    let count = |entries: &[Entry], chosen: Chosen| {
        let captures = entries.iter().filter(|entry| matches!(entry.kind, Kind::Capture | Kind::Revisit));
        captures.filter(|entry| entry.chosen == chosen).count() as u64
    };
    let choice = Choice {
        meant: count(&survey.entries, Chosen::Meant),
        along: count(&survey.entries, Chosen::Along),
        elsewhere,
    };
    if selection.is_everything() {
        survey.entries.iter_mut().filter(|entry| entry.chosen == Chosen::No).for_each(along);
    } else {
        add_companions(&mut survey.entries);
        add_warcinfos(survey);
    }
    choice
}

fn along(entry: &mut Entry) {
    entry.chosen = Chosen::Along;
}

/// Of equals, the first.
fn keep_best(entries: &mut [Entry], limit: usize) {
    let is_meant = |entry: &&mut Entry| entry.chosen == Chosen::Meant;
    let mut meant: Vec<&mut Entry> = entries.iter_mut().filter(is_meant).collect();
    meant.sort_by(|one, other| other.score.total_cmp(&one.score));
    meant.into_iter().skip(limit).for_each(|entry| entry.chosen = Chosen::No);
}

fn add_embeds(survey: &mut Survey) {
    let chosen = survey.entries.iter().filter(|entry| entry.chosen != Chosen::No);
    let mut shown: HashSet<u64> = chosen.map(|entry| entry.url).collect();
    for _ in 0..MOST_EMBEDS_IN_A_ROW {
        let mut more = Vec::new();
        for (place, page) in &survey.embeds {
            if let Some(entry) = survey.entries.get_mut(*place)
                && entry.chosen == Chosen::No
                && shown.contains(page)
            {
                along(entry);
                more.push(entry.url);
            }
        }
        if more.is_empty() {
            break;
        }
        shown.extend(more);
    }
}

/// Returns how many revisits are left without.
fn add_originals(survey: &mut Survey) -> u64 {
    let is_chosen = |place: usize| survey.entries.get(place).is_some_and(|entry| entry.chosen != Chosen::No);
    let wanted: Vec<_> = survey.refers.iter().filter(|refers| is_chosen(refers.revisit)).copied().collect();
    let moments: HashSet<(u64, u64)> = wanted.iter().map(|refers| (refers.url, refers.at)).collect();
    let captures = survey.entries.iter().enumerate().filter(|(_, entry)| entry.kind == Kind::Capture);
    let by_moment: HashMap<(u64, u64), usize> = captures
        .map(|(place, entry)| ((entry.url, entry.at), place))
        .filter(|(moment, _)| moments.contains(moment))
        .collect();
    let mut elsewhere = 0;
    for refers in wanted {
        let place = survey.by_id.get(&refers.id).or_else(|| by_moment.get(&(refers.url, refers.at)));
        match place.and_then(|place| survey.entries.get_mut(*place)) {
            Some(entry) if entry.chosen == Chosen::No => along(entry),
            Some(_) => {}
            None => elsewhere += 1,
        }
    }
    elsewhere
}

/// Request, metadata and what was made of a capture.
fn add_companions(entries: &mut [Entry]) {
    let captures = || entries.iter().filter(|entry| entry.chosen != Chosen::No);
    let ids: HashSet<u64> =
        captures().flat_map(|entry| [entry.id, entry.belongs_to]).filter(|id| *id != 0).collect();
    let moments: HashSet<(u64, u64)> = captures().map(|entry| (entry.url, entry.at)).collect();
    for entry in entries.iter_mut().filter(|entry| entry.chosen == Chosen::No) {
        let belongs = match entry.kind {
            Kind::Other => ids.contains(&entry.belongs_to) || ids.contains(&entry.id),
            Kind::Attached => moments.contains(&(entry.url, entry.at)),
            Kind::Warcinfo | Kind::Capture | Kind::Revisit => false,
        };
        if belongs {
            along(entry);
        }
    }
}

/// The warcinfo before a chosen record says who captured it.
fn add_warcinfos(survey: &mut Survey) {
    for file in &survey.files {
        let mut is_wanted = false;
        let entries = survey.entries.get_mut(file.entries.clone()).unwrap_or_default();
        for entry in entries.iter_mut().rev() {
            if entry.kind != Kind::Warcinfo {
                is_wanted |= entry.chosen != Chosen::No;
            } else if std::mem::take(&mut is_wanted) {
                along(entry);
            }
        }
    }
}

/// Best first, then in the order of the archives.
pub fn by_score(score: f32) -> Reverse<i64> {
    Reverse((f64::from(score) * 1e9) as i64)
}
