//! `annalist verify`: strict validation of WARC files, and of WACZ files with all that is in them.

use std::path::{Path, PathBuf};

use annalist_warc::{is_wacz_name, is_warc_name, verify_all, warc_files_under};
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::VerifyArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::show;

/// The files themselves, and those in folders and all folders under them: in the archives of jobs, too.
pub fn warc_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.exists() {
            return Err(BadConfiguration(format!("{} does not exist", path.display())).into());
        }
        if path.is_dir() {
            files.extend(warc_files_under(path).with_context(|| path.display().to_string())?);
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    if files.is_empty() {
        return Err(BadConfiguration(
            "no archive files there (.warc or .arc, perhaps with .gz, .zst or .open)".to_owned(),
        )
        .into());
    }
    Ok(files)
}

/// The WARC files in a folder, in the order of their names.
pub fn warc_files_in(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(|| dir.display().to_string())? {
        let entry = entry?;
        if is_warc_name(&entry.file_name().to_string_lossy()) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn is_package(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_wacz_name(&name.to_string_lossy()))
}

#[expect(clippy::print_stdout, reason = "the verdict is what the command is asked for")]
pub fn run(args: &VerifyArgs) -> Result<Exit> {
    // What is named side by side may be copies of one another: each folder and package is judged by itself.
    let (alone, single): (Vec<_>, Vec<_>) =
        args.paths.iter().cloned().partition(|path| path.is_dir() || is_package(path));
    let mut groups: Vec<Vec<PathBuf>> = alone.into_iter().map(|path| vec![path]).collect();
    groups.extend((!single.is_empty()).then_some(single));
    let mut files = Vec::new();
    let mut reports = Vec::new();
    for group in groups {
        let own = warc_files(&group)?;
        reports.extend(verify_all(&own));
        files.extend(own);
    }
    let (mut records, mut problems) = (0, 0u64);
    for report in &reports {
        let file = &report.path;
        records += report.records;
        problems += report.problems.len() as u64 + report.more_problems;
        match report.problems.len() {
            // The package around WARC files, which have reports of their own.
            0 if report.records == 0 => println!("{}: valid", file.display()),
            0 => println!("{}: valid, {} records", file.display(), show::count(report.records)),
            n => {
                let many = if n == 1 { "problem" } else { "problems" };
                println!("{}: {n} {many} in {} records", file.display(), show::count(report.records));
            }
        }
        for problem in &report.problems {
            println!("  {problem}");
        }
        if report.unresolved > 0 {
            println!("  {} references lead to files that were not given", show::count(report.unresolved));
        }
        if report.more_problems > 0 {
            println!("  and {} more", show::count(report.more_problems));
        }
    }
    if args.json {
        println!("{}", json!({"files": files.len(), "records": records, "problems": problems}));
    }
    Ok(if problems == 0 { Exit::Done } else { Exit::Failed })
}
