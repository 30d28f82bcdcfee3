//! `annalist judge --evaluate`: how well the relevance of pages to events agrees with people.

use std::path::{Path, PathBuf};

use annalist_study::{Agreement, FUNCTIONS, Group, Votes, agreement, recurring};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::exit::{BadConfiguration, Exit};

#[expect(clippy::print_stdout, reason = "the tables are what the command is asked for")]
pub fn run(dir: &Path, out: Option<&Path>, json: bool) -> Result<Exit> {
    let topics = dir.join("topics.tsv");
    let recurring = recurring(&read(&topics)?).map_err(|fault| unusable(&topics, &fault))?;
    let mut votes = Votes::default();
    for path in tables(&dir.join("annotations"))? {
        votes.add(&read(&path)?).map_err(|fault| unusable(&path, &fault))?;
    }
    if votes.rows.is_empty() {
        return Err(unusable(&dir.join("annotations"), "it has no votes").into());
    }
    let found = agreement(&votes, &recurring);
    print!("{}", found.table());
    if let Some(out) = out {
        write(out, &found)?;
        println!("break-even.csv, curves.csv and curves-*.svg are in {}", out.display());
    }
    if json {
        println!("{}", in_json(&found));
    }
    Ok(Exit::Done)
}

fn unusable(path: &Path, fault: &str) -> BadConfiguration {
    BadConfiguration(format!("--evaluate: {}: {fault}", path.display()))
}

fn read(path: &Path) -> Result<String> {
    let text = std::fs::read(path).map_err(|error| unusable(path, &error.to_string()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// In the order of their names.
fn tables(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).map_err(|error| unusable(dir, &error.to_string()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    paths.sort();
    Ok(paths)
}

fn write(dir: &Path, found: &Agreement) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("{} cannot be made", dir.display()))?;
    let mut files = vec![
        ("break-even.csv".to_owned(), found.break_even_csv()),
        ("curves.csv".to_owned(), found.curves_csv()),
    ];
    for group in [&found.all, &found.recurring, &found.other] {
        files.push((format!("curves-{}.svg", group.name), found.curves_svg(group)));
    }
    for (name, text) in files {
        let path = dir.join(name);
        std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

/// Break-even points by group and function.
fn in_json(found: &Agreement) -> Value {
    let of = |group: &Group| {
        let points = FUNCTIONS.iter().zip(&group.functions);
        let points =
            points.map(|((name, _), ranked)| ((*name).to_owned(), json!(ranked.break_even.map(rounded))));
        Value::Object(points.collect::<Map<String, Value>>())
    };
    json!({"all": of(&found.all), "recurring": of(&found.recurring), "other": of(&found.other)})
}

/// More digits than these are chance.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
