//! What comes along with the captures that are meant: what their pages show, what revisits refer to, and the records that
//! tell of them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use anyhow::Result;

use super::reading::each_record;
use super::selection::Selection;
use super::survey::{Chosen, Entry, Kind, Survey, shown_in, url_hash};
use crate::watch::Watch;

/// A frame in a frame in a frame is shown; what lies deeper is hardly part of the page.
const MOST_EMBEDS_IN_A_ROW: usize = 4;
/// Of the outlinks of one page.
const OUTLINKS_BYTES: u64 = 64 << 20;

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
pub fn choose(survey: &mut Survey, selection: &Selection, watch: &Watch) -> Result<Choice> {
    if let Some(limit) = selection.limit {
        keep_best(&mut survey.entries, usize::try_from(limit).unwrap_or(usize::MAX));
    }
    if !selection.is_everything() {
        add_shown(survey, watch)?;
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
    Ok(choice)
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

/// Marks what the chosen pages name as shown on them. Many pages show the same style sheet, and its own record knows only the
/// one that named it first. Only the metadata of what is chosen is read for it.
fn add_shown(survey: &mut Survey, watch: &Watch) -> Result<()> {
    let mut pages: Vec<Looked> = Vec::new();
    // Those that are known to be shown on a page: where they lead was looked for.
    let mut embeds = HashSet::new();
    for (place, entry) in survey.entries.iter().enumerate().filter(|(_, entry)| entry.chosen != Chosen::No) {
        pages.push(Looked { entry: *entry, is_shown: entry.is_embed });
        embeds.extend(entry.is_embed.then_some(place));
    }
    for _ in 0..MOST_EMBEDS_IN_A_ROW {
        let shown = shown_on(&pages, survey, watch)?;
        pages.clear();
        for (place, entry) in survey.entries.iter_mut().enumerate() {
            let is_capture = matches!(entry.kind, Kind::Capture | Kind::Revisit);
            if is_capture && shown.contains(&entry.url) && embeds.insert(place) {
                if entry.chosen == Chosen::No {
                    along(entry);
                }
                pages.push(Looked { entry: *entry, is_shown: true });
            }
        }
        if pages.is_empty() {
            break;
        }
    }
    Ok(())
}

/// A capture whose metadata is looked at.
struct Looked {
    entry: Entry,
    /// On another page.
    is_shown: bool,
}

/// The addresses of what these captures show.
fn shown_on(pages: &[Looked], survey: &Survey, watch: &Watch) -> Result<HashSet<u64>> {
    let ids: HashMap<u64, bool> = pages.iter().map(|page| (page.entry.id, page.is_shown)).collect();
    let moments: HashMap<(u64, u64), bool> =
        pages.iter().map(|page| ((page.entry.url, page.entry.at), page.is_shown)).collect();
    let page_of = |entry: &Entry| match entry.belongs_to {
        0 => moments.get(&(entry.url, entry.at)).copied(),
        id => ids.get(&id).copied(),
    };
    let is_wanted = |entry: &Entry| entry.has_shown && page_of(entry).is_some();
    let wanted = survey.entries.iter().filter(|entry| is_wanted(entry));
    watch.begin("looking", wanted.map(|entry| entry.length).sum());
    let mut shown = HashSet::new();
    for surveyed in &survey.files {
        each_record(surveyed, &survey.entries, is_wanted, &mut |entry, mut record| {
            let block = record.read_block(OUTLINKS_BYTES)?;
            record.finish()?;
            let is_shown = page_of(entry).unwrap_or_default();
            shown.extend(shown_in(&String::from_utf8_lossy(&block), is_shown).map(url_hash));
            watch.advance(entry.length)
        })?;
    }
    Ok(shown)
}

/// For archives that do not say what pages show: what says itself which page showed it.
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use annalist_warc::WarcFile;

    use super::choose;
    use crate::cli::ExportArgs;
    use crate::commands::export::selection::Selection;
    use crate::commands::export::survey::{Chosen, Entry, Kind, Refers, Survey, Surveyed};
    use crate::watch::Watch;

    const PAGE: u64 = 100;
    const IMAGE: u64 = 200;

    fn entry(id: u64, kind: Kind, url: u64, belongs_to: u64) -> Entry {
        Entry {
            id,
            belongs_to,
            url,
            at: 1,
            published: 0,
            offset: 0,
            length: 0,
            score: 0.5,
            number: 0,
            kind,
            chosen: Chosen::No,
            is_seed: false,
            is_embed: false,
            has_shown: false,
        }
    }

    /// A page with request and objects, an image on it, a revisit of another page, and something else.
    fn survey() -> Survey {
        let entries = vec![
            entry(1, Kind::Warcinfo, 0, 0),
            entry(2, Kind::Capture, PAGE, 0),
            entry(3, Kind::Other, PAGE, 2),
            entry(4, Kind::Attached, PAGE, 0),
            entry(5, Kind::Capture, IMAGE, 0),
            entry(6, Kind::Capture, 300, 0),
            entry(7, Kind::Revisit, 400, 0),
            entry(8, Kind::Other, 300, 6),
            entry(9, Kind::Warcinfo, 0, 0),
            entry(10, Kind::Capture, 500, 11),
            entry(11, Kind::Other, 500, 0),
        ];
        let by_id: HashMap<u64, usize> =
            entries.iter().enumerate().map(|(place, one)| (one.id, place)).collect();
        let file = WarcFile { path: "a".into(), name: "a".to_owned(), offset: 0, length: 0 };
        Survey {
            files: vec![Surveyed { file, entries: 0..entries.len(), has_members: true }],
            refers: vec![Refers { revisit: 6, id: 6, url: 300, at: 1 }],
            embeds: vec![(4, PAGE)],
            entries,
            by_id,
            ..Survey::default()
        }
    }

    fn chosen(meant: &[usize], change: impl FnOnce(&mut Survey, &mut ExportArgs)) -> Vec<u64> {
        let mut args = ExportArgs { host: vec!["a.test".to_owned()], ..ExportArgs::default() };
        let mut survey = survey();
        meant.iter().for_each(|place| survey.entries[*place].chosen = Chosen::Meant);
        change(&mut survey, &mut args);
        choose(&mut survey, &Selection::new(&args).unwrap(), &Watch::unseen(Arc::default())).unwrap();
        survey.entries.iter().filter(|entry| entry.chosen != Chosen::No).map(|entry| entry.id).collect()
    }

    #[test]
    fn with_a_page_come_its_records_and_what_it_shows() {
        assert_eq!(chosen(&[1], |_, _| {}), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn with_a_revisit_comes_what_it_refers_to() {
        assert_eq!(chosen(&[6], |_, _| {}), [1, 6, 7, 8]);
        // Named by address and time alone.
        assert_eq!(chosen(&[6], |survey, _| survey.refers[0].id = 0), [1, 6, 7, 8]);
        assert_eq!(
            chosen(&[6], |survey, _| survey.refers[0] = Refers { id: 0, at: 2, ..survey.refers[0] }),
            [1, 7]
        );
    }

    #[test]
    fn a_request_belongs_to_its_response_whichever_of_them_says_so() {
        assert_eq!(chosen(&[9], |_, _| {}), [9, 10, 11]);
    }

    #[test]
    fn the_best_are_kept_and_of_equals_the_first() {
        let best = |survey: &mut Survey, args: &mut ExportArgs| {
            survey.embeds.clear();
            survey.entries[5].score = 0.9;
            args.limit = Some(2);
        };
        assert_eq!(chosen(&[1, 5, 9], best), [1, 2, 3, 4, 6, 8]);
    }

    #[test]
    fn everything_is_everything() {
        assert_eq!(chosen(&[], |_, args| args.host.clear()).len(), 11);
    }
}
