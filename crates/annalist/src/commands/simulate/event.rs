//! `annalist simulate --spec`: crawls of an archive for an event.

use std::num::NonZeroUsize;
use std::path::Path;

use annalist_crawl::judging::Basis;
use annalist_model::spec::Spec;
use annalist_study::{EventFound, EventPlan, Judgement, Labels, Library, Policy, simulate_event};
use anyhow::Result;
use serde_json::{Value, json};

use super::{counted, rounded, write};
use crate::cli::SimulateArgs;
use crate::commands::learn::{local_references, require_topic};
use crate::exit::{BadConfiguration, Exit};
use crate::{basis, spec_file};

#[expect(clippy::print_stdout, reason = "the tables are what the command is asked for")]
pub(super) fn run(
    args: &SimulateArgs,
    path: &Path,
    library: Library,
    labels: &Labels,
    policies: Vec<Policy>,
) -> Result<Exit> {
    let spec = spec_file::load(path)?.spec;
    require_topic(&spec, path)?;
    let Some(event) = &spec.event else {
        let told = format!("{} has no [event]: say when it happened", path.display());
        return Err(BadConfiguration(told).into());
    };
    let topic = match args.topic.as_slice() {
        [] => None,
        [topic] => Some(topic.clone()),
        _ => return Err(BadConfiguration("--topic: an event has one label".to_owned()).into()),
    };
    let judge = |spec: &Spec| -> Result<Judgement, String> {
        let basis = basis::afresh(spec, path).map_err(|error| error.to_string())?;
        let Basis { judge, analyst, references, .. } = basis;
        Ok((judge, analyst, references))
    };
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let plan = EventPlan {
        spec: &spec,
        event,
        references: local_references(&spec, path)?.into_iter().map(|(_, page)| page).collect(),
        judge: &judge,
        policies: if policies.is_empty() { Policy::for_events() } else { policies },
        pages: args.pages as usize,
        topic,
        threads: args.threads.unwrap_or(cores),
    };
    let library = library.showing(event, &spec.topic);
    let found = counted(|advance| simulate_event(&library, labels, &plan, advance))?;
    print!("{}", found.table());
    if let Some(dir) = &args.out {
        let files = [
            ("accumulated.svg", found.accumulated_svg(false)),
            ("accumulated-with-time.svg", found.accumulated_svg(true)),
            ("retrieval.svg", found.retrieval_svg()),
            ("curves.csv", found.curves_csv()),
            ("rows.csv", found.rows_csv()),
            ("effects.csv", found.effects_csv()),
        ];
        write(dir, &files)?;
        println!("curves and tables are in {}", dir.display());
    }
    if args.json {
        println!("{}", in_json(&found));
    }
    Ok(Exit::Done)
}

fn in_json(found: &EventFound) -> Value {
    let rows = found.rows.iter().map(|row| {
        let (content, with_time) = row.accumulated();
        json!({
            "variant": row.variant.to_string(),
            "policy": row.policy.to_string(),
            "pages": row.measured.len(),
            "content": rounded(content),
            "with_time": rounded(with_time),
            "asked": row.asked.len(),
            "retrieval_rate": rounded(row.retrieval()),
            "precision": found.labelled.then(|| rounded(row.precision())),
        })
    });
    let effects = found.effects().into_iter().map(|effect| {
        json!({
            "effect": effect.of,
            "policy": effect.policy.to_string(),
            "content": rounded(effect.content),
            "with_time": rounded(effect.with_time),
        })
    });
    json!({"event": found.name, "rows": rows.collect::<Vec<_>>(), "effects": effects.collect::<Vec<_>>()})
}
