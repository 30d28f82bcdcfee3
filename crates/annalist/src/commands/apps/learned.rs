//! `annalist apps learned`: what a crawl has learned of sites whose templates are not the described ones. Nothing of it is used elsewhere
//! until somebody accepts it.

use std::path::{Path, PathBuf};

use annalist_apps::catalogue::load;
use annalist_crawl::job::JobDir;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::AppsLearnedArgs;
use crate::exit::{BadConfiguration, Exit};

#[expect(clippy::print_stdout, reason = "the report is what the command is asked for")]
pub fn run(args: &AppsLearnedArgs) -> Result<Exit> {
    let job = JobDir::new(&args.dir);
    if !job.exists() {
        return Err(BadConfiguration(format!("there is no crawl in {}", args.dir.display())).into());
    }
    let files = files_in(&job.learned())?;
    let mut told = Vec::new();
    for file in &files {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
        let read = load(false, std::slice::from_ref(file));
        for mistake in &read.mistakes {
            println!("{mistake}");
        }
        let Some(site) = read.descriptions.first() else { continue };
        println!("{} ({})", site.name, file.display());
        let notes = notes_in(&text);
        for note in &notes {
            println!("  {}", shortened(note));
        }
        told.push(json!({"id": site.id, "extends": site.extends, "file": file, "changes": notes}));
        if let Some(folder) = &args.accept {
            let place = folder.join(site.id.replace(['/', ':'], "-"));
            accept(&place, &text)?;
            println!("  accepted: {}", place.join("app.xml").display());
        }
    }
    if files.is_empty() {
        println!(
            "nothing was learned: the rules of the catalogue did, or nothing could be made of the pages"
        );
    } else if args.accept.is_none() {
        println!("to use it in other crawls: --accept FOLDER, and catalogue = [\"FOLDER\"] in their specs");
    }
    if args.json {
        println!("{}", json!({"learned": told}));
    }
    Ok(Exit::Done)
}

fn accept(place: &Path, text: &str) -> Result<()> {
    let file = place.join("app.xml");
    std::fs::create_dir_all(place)
        .and_then(|()| std::fs::write(&file, text))
        .with_context(|| format!("{} cannot be written", file.display()))
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let read = std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut files = read.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "xml"));
    files.sort();
    Ok(files)
}

/// The notes that say what was changed.
fn notes_in(text: &str) -> Vec<String> {
    let notes = text.lines().filter_map(|line| line.trim().strip_prefix("<note>")?.strip_suffix("</note>"));
    let plain = |note: &str| note.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    notes.skip(1).map(plain).collect()
}

/// With the first of the expressions of before: there may be dozens.
fn shortened(note: &str) -> String {
    const SHOWN: usize = 2;
    let Some((told, before)) = note.rsplit_once(". Before: ") else { return note.to_owned() };
    let all: Vec<&str> = before.split(" | ").collect();
    match all.get(SHOWN..).map_or(0, <[_]>::len) {
        0 => note.to_owned(),
        more => {
            let first = all.get(..SHOWN).unwrap_or(&all).join(" | ");
            format!("{told}. Before: {first} and {more} more; --json has them all")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn of_many_expressions_the_first_are_shown_and_the_rest_is_counted() {
        assert_eq!(shortened("author: x (moved). Before: a | b"), "author: x (moved). Before: a | b");
        assert_eq!(
            shortened("author: x (moved). Before: a | b | c | d"),
            "author: x (moved). Before: a | b and 2 more; --json has them all"
        );
        assert_eq!(shortened("anything"), "anything");
    }
}
