//! `annalist select`: which pages are proposed for the final collection, what a person should look at, and what was decided.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use annalist_crawl::clock;
use annalist_study::selection::{
    Basis, Choice, Decision, Proposals, Verdict, Written, read_jsonl, read_sheet, review_list, write_sheet,
};
use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::cli::SelectArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::progress::Progress;
use crate::selecting::{Standing, told};
use crate::show;
use crate::watch::Watch;

/// What of the lesson is shown.
const STRONGEST: usize = 12;

/// What became of decisions that were handed in.
#[derive(Debug, Default)]
struct Taken {
    new: usize,
    /// Rows that are still open.
    open: usize,
    /// What could not be taken, in words.
    faults: Vec<String>,
}

pub fn run(args: &SelectArgs) -> Result<Exit> {
    let marked = marked(args)?;
    if let Some(path) = args.review.as_deref().filter(|path| path.exists()) {
        let what = "is there already: take its decisions with --decisions, and name another file";
        return Err(BadConfiguration(format!("{} {what}", path.display())).into());
    }
    let watch = Watch::start(Progress::unless(args.quiet))?;
    let mut standing = Standing::of(&args.dir, &watch)?;
    let new = |choice: Choice, texts: &[String]| {
        texts.iter().map(move |text| (choice, text.clone())).collect::<Vec<_>>()
    };
    let rules = [new(Choice::Keep, &args.keep), new(Choice::Drop, &args.drop)].concat();
    let rules_file = standing.rules_file();
    // Who only asks needs no place to write to.
    if !rules.is_empty() {
        standing.rules.add(&rules_file, &rules).map_err(told)?;
    }
    let taken = take(&mut standing, marked, args)?;
    let proposals = standing.propose();
    if let Some(path) = &args.review {
        let pages = standing.candidates.list();
        let rows = review_list(pages, &proposals, args.limit as usize);
        write_new(path, &write_sheet(&rows, pages, &proposals))
            .with_context(|| path.display().to_string())?;
    }
    taken.faults.iter().for_each(|fault| watch.tell(fault));
    drop(watch);
    report(args, &standing, &proposals, &taken);
    Ok(if taken.faults.is_empty() { Exit::Done } else { Exit::Failed })
}

/// What `--mark` says.
fn marked(args: &SelectArgs) -> Result<Vec<Written>> {
    let Some((choice, urls)) = args.mark.split_first() else { return Ok(Vec::new()) };
    let Some(decision) = Choice::parse(choice) else {
        return Err(BadConfiguration(format!("--mark {choice}: expected keep or drop")).into());
    };
    let one =
        |url: &String| Written { line: 0, url: url.clone(), decision, by: None, note: args.note.clone() };
    Ok(urls.iter().map(one).collect())
}

/// Takes decisions about pages that are there, and says which are not.
fn take(standing: &mut Standing, marked: Vec<Written>, args: &SelectArgs) -> Result<Taken> {
    let mut taken = Taken::default();
    let mut written = marked;
    if let Some(path) = &args.decisions {
        let wrong = |what: String| BadConfiguration(format!("{}: {what}", path.display()));
        let bytes = std::fs::read(path).map_err(|e| wrong(e.to_string()))?;
        let is_jsonl = path.extension().is_some_and(|ending| ending == "jsonl");
        let read = if is_jsonl { read_jsonl(&bytes) } else { read_sheet(&bytes).map_err(wrong)? };
        taken.open = read.open;
        taken.faults.extend(read.faults.iter().map(|fault| format!("{}: {fault}", path.display())));
        written.extend(read.decisions);
    }
    let when = clock::now().rfc3339();
    let mut decisions = Vec::new();
    for Written { line, url, decision, by, note } in written {
        let place = if line > 0 { format!("line {line}: ") } else { String::new() };
        match standing.page(&url) {
            Some(page) => decisions.push(Decision {
                url: page.url.clone(),
                record: Some(page.record.clone()),
                decision,
                when: when.clone(),
                by: by.or_else(|| args.by.clone()),
                note,
            }),
            None => taken
                .faults
                .push(format!("{place}{url} is no page of the archive, or one that others show and that comes along with them; nothing was decided about it")),
        }
    }
    let path = standing.decisions_file();
    taken.new = standing.decisions.add(&path, decisions).with_context(|| path.display().to_string())?;
    Ok(taken)
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[expect(clippy::print_stdout, reason = "the proposal is what the command is asked for")]
fn report(args: &SelectArgs, standing: &Standing, proposals: &Proposals, taken: &Taken) {
    if args.list {
        for (page, proposal) in standing.candidates.list().iter().zip(&proposals.list) {
            let (verdict, basis) = (proposal.verdict.word(), proposal.basis.word());
            println!("{verdict}\t{:.3}\t{basis}\t{}\t{}", proposal.probability, page.url, proposal.why);
        }
    }
    let mut counts: BTreeMap<(Basis, Verdict), u64> = BTreeMap::new();
    for proposal in &proposals.list {
        *counts.entry((proposal.basis, proposal.verdict)).or_default() += 1;
    }
    let of = |basis: Basis, verdict: Verdict| counts.get(&(basis, verdict)).copied().unwrap_or_default();
    let all = |verdict: Verdict| Basis::ALL.iter().map(|basis| of(*basis, verdict)).sum::<u64>();
    let three = |of: &dyn Fn(Verdict) -> u64| {
        let [keep, drop, review] =
            [Verdict::Keep, Verdict::Drop, Verdict::Review].map(|v| show::count(of(v)));
        format!("{keep} to keep, {drop} to drop, {review} to review")
    };
    if !args.quiet && !args.list {
        println!("{} pages: {}", show::count(proposals.list.len() as u64), three(&all));
        for basis in Basis::ALL {
            let sum: u64 =
                [Verdict::Keep, Verdict::Drop, Verdict::Review].iter().map(|v| of(basis, *v)).sum();
            if sum > 0 {
                println!("  by {:<10} {}", basis.word(), three(&|verdict| of(basis, verdict)));
            }
        }
        if let Some(lesson) = &proposals.lesson {
            println!(
                "learned from {} pages that were kept and {} that were dropped",
                lesson.kept, lesson.dropped
            );
            let strongest = lesson.strongest(STRONGEST);
            for (name, is_for) in [("for", true), ("against", false)] {
                let side = strongest.iter().filter(|reason| (reason.part > 0.0) == is_for);
                let texts: Vec<&str> = side.map(|reason| reason.text.as_str()).collect();
                if !texts.is_empty() {
                    println!("  {name}: {}", texts.join(", "));
                }
            }
        }
        let notes = [
            (taken.new, "decisions were taken"),
            (taken.open, "rows of the table are still open"),
            (proposals.elsewhere, "decisions are about pages that are not in the archive"),
        ];
        for (count, what) in notes.iter().filter(|(count, _)| *count > 0) {
            println!("{} {what}", show::count(*count as u64));
        }
        if let Some(path) = &args.review {
            println!("written: {}", path.display());
        }
    }
    if args.json {
        let object = |of: &dyn Fn(Verdict) -> u64| json!({"keep": of(Verdict::Keep), "drop": of(Verdict::Drop), "review": of(Verdict::Review)});
        let by: serde_json::Map<String, Value> = Basis::ALL
            .iter()
            .map(|basis| (basis.word().to_owned(), object(&|verdict| of(*basis, verdict))))
            .collect();
        let mut told = object(&all);
        told["pages"] = proposals.list.len().into();
        told["by"] = by.into();
        told["rules"] = standing.rules.len().into();
        told["decisions"] = standing.decisions.by_url.len().into();
        told["decisions_elsewhere"] = proposals.elsewhere.into();
        told["taken"] = taken.new.into();
        told["open"] = taken.open.into();
        told["faults"] = json!(taken.faults);
        told["learned"] = proposals.lesson.as_ref().map_or(Value::Null, |lesson| {
            let reasons = lesson.strongest(STRONGEST);
            let reasons = reasons.iter().map(|reason| json!({"what": reason.text, "weight": reason.part}));
            json!({"kept": lesson.kept, "dropped": lesson.dropped, "reasons": reasons.collect::<Vec<_>>()})
        });
        println!("{told}");
    }
}
