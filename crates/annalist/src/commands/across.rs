//! `annalist across`: what several crawls show together. How it is found is in `annalist-study`.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use annalist_study::across::{Association, News, Place, Renaming, associations, news, renamings};
use annalist_study::offline::entities::Entities;
use annalist_study::offline::{Corpus, CorpusError, Named, Stage, Vocabulary};
use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::{Across, AcrossArgs, AssociationsArgs, CrawlsArgs};
use crate::commands::study::studied;
use crate::exit::{BadConfiguration, Exit, Paused};
use crate::knowledge::{is_read_only, job_at, locked, spec_of};
use crate::progress::Progress;
use crate::show;
use crate::watch::Watch;

/// Months that are drawn at most, the last.
const MOST_MONTHS: usize = 60;

pub fn run(args: &AcrossArgs) -> Result<Exit> {
    let (crawls, compared) = match &args.what {
        Across::Names(crawls) => (crawls, names(crawls)),
        Across::Associations(args) => (&args.crawls, terms(args)),
        Across::New(crawls) => (crawls, new(crawls)),
    };
    let (page, told) = compared.map_err(|fault| match fault.downcast_ref() {
        Some(CorpusError::Stopped) => Paused("what was found in each crawl is kept".to_owned()).into(),
        _ => fault,
    })?;
    show_all(crawls, &page, &told);
    Ok(Exit::Done)
}

#[expect(clippy::print_stdout, reason = "the report is what the command is asked for")]
fn show_all(crawls: &CrawlsArgs, page: &str, told: &Value) {
    if !crawls.quiet {
        print!("{}", show::plain(page));
    }
    if crawls.json {
        println!("{told}");
    }
}

/// The writings of all crawls, and who and what they name.
struct Crawls {
    corpora: Vec<Corpus>,
    entities: Vec<Entities>,
    watch: Watch,
}

impl Crawls {
    fn open(args: &CrawlsArgs, stages: &[Stage]) -> Result<Crawls> {
        let watch = Watch::start(Progress::unless(args.quiet))?;
        let (mut corpora, mut entities) = (Vec::new(), Vec::new());
        for dir in &args.dirs {
            let job = job_at(dir)?;
            let spec = spec_of(&job)?;
            let wrong = |what: &str| BadConfiguration(format!("{} {what}", dir.display()));
            // Where nothing can be written, nobody else writes either.
            let _lock = match locked(&job, &watch) {
                Ok(Some(lock)) => Some(lock),
                Ok(None) => return Err(wrong("is being crawled: ask again when it is done").into()),
                Err(fault) if is_read_only(&fault) => None,
                Err(fault) => return Err(fault),
            };
            let (corpus, found) = studied(&job, &spec, stages, &watch).map_err(|fault| {
                let what = "cannot be written to, and was not studied before: study it where it can, or a copy of it";
                if is_read_only(&fault) { fault.context(wrong(what)) } else { fault }
            })?;
            corpora.push(corpus);
            entities.push(found.entities);
        }
        Ok(Crawls { corpora, entities, watch })
    }
}

fn names(args: &CrawlsArgs) -> Result<(String, Value)> {
    let crawls = Crawls::open(args, &[Stage::Entities])?;
    let vocabulary = Vocabulary::of_all(&crawls.corpora, &crawls.watch)?;
    let named = Named::together(&crawls.entities);
    let mut found = renamings(&crawls.corpora, &named, &vocabulary, &crawls.watch)?;
    found.truncate(args.limit);
    Ok((renamed(&found), json!({ "names": found })))
}

fn renamed(found: &[Renaming]) -> String {
    let mut page = String::new();
    for one in found {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "{:.2}  {} → {}", one.confidence, one.before, one.after);
        let _ = writeln!(
            page,
            "      between {} (last with the old name) and {} (first with the new)",
            one.old_until, one.new_from
        );
        let _ = writeln!(page, "      both with {}", one.shared.join(", "));
        if one.together > 0 {
            let _ = writeln!(page, "      together in {} writings, {} say so", one.together, one.said);
        }
    }
    if found.is_empty() {
        page.push_str("no name seems to have changed\n");
    }
    page
}

fn terms(args: &AssociationsArgs) -> Result<(String, Value)> {
    let is_word = |term: &str| term.chars().any(char::is_alphanumeric);
    if !is_word(&args.term) || args.with.as_deref().is_some_and(|with| !is_word(with)) {
        return Err(BadConfiguration("--term and --with want a word each".to_owned()).into());
    }
    let crawls = Crawls::open(&args.crawls, &[])?;
    let vocabulary = Vocabulary::of_all(&crawls.corpora, &crawls.watch)?;
    let limit = args.crawls.limit;
    let found =
        associations(&crawls.corpora, &vocabulary, &args.term, args.with.as_deref(), limit, &crawls.watch)?;
    let itself;
    let counted = if found.is_empty() {
        // Nothing stands with it that would tell how often it is there; with itself it always stands.
        itself = associations(&crawls.corpora, &vocabulary, &args.term, Some(&args.term), 1, &crawls.watch)?;
        &itself
    } else {
        &found
    };
    let writings = counted.first().map_or(0, |one| one.strength.one);
    Ok((associated(&found, &args.term, writings), json!({ "associations": found })))
}

/// `writings`: how many have the term.
fn associated(found: &[Association], term: &str, writings: u32) -> String {
    let mut page = String::new();
    let _ = writeln!(page, "{term}: in {} writings", show::count(u64::from(writings)));
    if found.is_empty() && writings > 0 {
        page.push_str("nothing stands with it often enough\n");
    }
    for one in found {
        let both = show::count(u64::from(one.strength.both));
        let _ =
            writeln!(page, "{:+.2}  {:>7} together  {}  {}", one.strength.npmi, both, bars(one), one.other);
    }
    if let (Some((first, _)), Some((last, _))) =
        (found.first().and_then(|one| one.months.first()), found.first().and_then(|one| one.months.last()))
    {
        let _ = write!(page, "month by month from {first} to {last}");
        let undated = found.first().map_or(0, |one| one.undated);
        let _ = match undated {
            0 => writeln!(page),
            _ => writeln!(page, "; {} writings without a date are in no month", show::count(undated.into())),
        };
    }
    page
}

/// A bar for each month: how strongly both belong together in it.
fn bars(association: &Association) -> String {
    let skipped = association.months.len().saturating_sub(MOST_MONTHS);
    let months = association.months.iter().skip(skipped);
    months
        .map(|(_, strength)| if strength.both == 0 { ' ' } else { show::bar(strength.npmi.into()) })
        .collect()
}

fn new(args: &CrawlsArgs) -> Result<(String, Value)> {
    if args.dirs.len() < 2 {
        return Err(BadConfiguration(
            "give at least two job directories: the last is compared with those before".into(),
        )
        .into());
    }
    let crawls = Crawls::open(args, &[Stage::Entities])?;
    let found = news(&crawls.corpora, &Named::together(&crawls.entities), &crawls.watch)?;
    let page = told_new(&found, args.limit);
    Ok((page, first_of(found, args.limit)))
}

/// As many pages, names and words of each as are shown, and how many writings there are in all.
fn first_of(mut found: News, limit: usize) -> Value {
    let counts = json!({ "new": found.new.len(), "changed": found.changed.len(), "gone": found.gone.len() });
    for places in [&mut found.new, &mut found.changed, &mut found.gone] {
        let pages: HashSet<String> =
            by_page(places).into_iter().take(limit).map(|(page, _)| page.to_owned()).collect();
        places.retain(|place| pages.contains(&place.page));
    }
    found.names.truncate(limit);
    found.risen.truncate(limit);
    let mut told = json!(found);
    told["writings"] = counts;
    told
}

/// The writings of each page, in the order in which the pages come.
fn by_page(places: &[Place]) -> Vec<(&str, Vec<&Place>)> {
    let mut pages: Vec<(&str, Vec<&Place>)> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for place in places {
        let number = *numbers.entry(&place.page).or_insert(pages.len());
        match pages.get_mut(number) {
            Some((_, writings)) => writings.push(place),
            None => pages.push((&place.page, vec![place])),
        }
    }
    pages
}

fn told_new(found: &News, limit: usize) -> String {
    let mut page = String::new();
    for (what, places) in
        [("new", &found.new), ("changed", &found.changed), ("gone, or not visited", &found.gone)]
    {
        let _ = writeln!(page, "{} writings {what}", show::count(places.len() as u64));
        for (address, writings) in by_page(places).into_iter().take(limit) {
            let first = writings.iter().map(|place| place.first_captured).min().unwrap_or_default();
            let title = writings.iter().find_map(|place| place.title.as_deref()).unwrap_or_default();
            let count =
                if writings.len() > 1 { format!(" ({} writings)", writings.len()) } else { String::new() };
            let _ = writeln!(page, "  first captured {}  {address}{count}  {title}", first.day());
        }
    }
    let _ = writeln!(page, "Names that are new");
    for (name, writings) in found.names.iter().take(limit) {
        let _ = writeln!(page, "  {:>7} writings  {name}", show::count(u64::from(*writings)));
    }
    let _ = writeln!(page, "Words that more is written about");
    for (term, was, is) in found.risen.iter().take(limit) {
        let _ = writeln!(page, "  {:>5.1} % → {:>5.1} %  {term}", 100.0 * was, 100.0 * is);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::associated;

    #[test]
    fn a_word_with_which_nothing_stands_is_there_all_the_same() {
        assert_eq!(associated(&[], "tide", 2), "tide: in 2 writings\nnothing stands with it often enough\n");
        assert_eq!(associated(&[], "tide", 0), "tide: in 0 writings\n");
    }
}
