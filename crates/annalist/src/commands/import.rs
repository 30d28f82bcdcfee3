//! `annalist import`: adds statements of others to what is known of a collection.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annalist_knowledge::graph::{Bad, LoadError, Loaded, format_named, format_of};
use annalist_knowledge::import::{Import, Imports, Strict, imported};
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::ImportArgs;
use crate::commands::query::address;
use crate::exit::{BadConfiguration, Exit, Paused};
use crate::knowledge::job_at;
use crate::progress::Progress;
use crate::show;
use crate::watch::Watch;

/// More mistakes than this are counted only.
const SHOWN: u64 = 20;

#[expect(clippy::print_stdout, reason = "what was imported is what the command is asked for")]
pub fn run(args: &ImportArgs) -> Result<Exit> {
    // Whatever folder it is, imports would be begun in it.
    job_at(&args.job)?;
    if args.list {
        return list(args);
    }
    let mut all = Loaded::default();
    // Who waits for standard input hears nothing else: there Ctrl-C is a kill, and nothing is lost by it.
    let asked: Arc<AtomicBool> = if args.files.iter().any(|path| path == Path::new("-")) {
        Arc::default()
    } else {
        Watch::start(Progress::Silent)?.asked()
    };
    let told = |error: LoadError| match error {
        LoadError::Read(_) if asked.load(Ordering::Relaxed) => {
            Paused("what is done stays, the rest is as before".to_owned()).into()
        }
        other => told(other),
    };
    let mut imports = Imports::open_until(&args.job, Arc::clone(&asked)).map_err(told)?;
    for one in imports.failed() {
        tell!("{} is not imported: {}", one.file, one.why);
    }
    for name in &args.remove {
        if !imports.remove(name).map_err(told)? {
            return bad(format!("nothing that was imported is called {name}; --list tells what there is"));
        }
        if !args.quiet {
            println!("{name}: taken back");
        }
    }
    for path in &args.files {
        let loaded = one(args, &mut imports, path, &told).with_context(|| path.display().to_string())?;
        all.statements += loaded.statements;
        all.bad += loaded.bad;
        if !args.quiet {
            let kept = if args.strict && loaded.bad > 0 { ", nothing was changed" } else { "" };
            let wrong = if loaded.bad > 0 {
                format!(", {} mistakes", show::count(loaded.bad))
            } else {
                String::new()
            };
            println!("{}: {} statements{wrong}{kept}", path.display(), show::count(loaded.statements));
        }
    }
    imports.settle().map_err(told)?;
    if args.json {
        println!("{}", json!({ "statements": all.statements, "bad": all.bad }));
    }
    Ok(if all.bad == 0 { Exit::Done } else { Exit::Failed })
}

#[expect(clippy::print_stdout, reason = "the list is what the command is asked for")]
fn list(args: &ImportArgs) -> Result<Exit> {
    let all = imported(&args.job)?;
    if args.json {
        println!("{}", json!({ "imports": all }));
        return Ok(Exit::Done);
    }
    for one in all {
        let size = one.bytes.map_or_else(|| "lost".to_owned(), show::bytes);
        let graph = one.graph.map(|graph| format!(", into {graph}")).unwrap_or_default();
        println!("{}: {}, {size}{graph}", one.file, one.format);
    }
    Ok(Exit::Done)
}

fn one(
    args: &ImportArgs,
    imports: &mut Imports,
    path: &Path,
    told: &dyn Fn(LoadError) -> anyhow::Error,
) -> Result<Loaded> {
    let stdin = path == Path::new("-");
    let typed = args.format.as_deref().or(stdin.then_some("nq"));
    let format = match typed {
        Some(typed) => format_named(typed),
        None => format_of(path),
    };
    let Some(format) = format else {
        return bad("what is it? --format nt, nq, ttl, trig or rdf".to_owned());
    };
    let mut input: Box<dyn Read> = if stdin {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(path).map_err(|e| BadConfiguration(e.to_string()))?)
    };
    let name = if stdin {
        format!("stdin.{}", format.file_extension())
    } else {
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    };
    let base = address(path);
    let import = Import {
        name: &name,
        format,
        graph: args.graph.as_deref(),
        base: (!stdin).then_some(base.as_str()),
        strict: if args.strict { Strict::Yes } else { Strict::No },
    };
    let mut shown = 0;
    let mut tell = |file: &str, found: Bad| {
        shown += 1;
        if shown <= SHOWN && !args.quiet {
            tell!("{file}: line {}: {}", found.line, found.why);
        }
    };
    imports.import(&import, &mut input, &mut tell).map_err(told)
}

fn bad<T>(why: String) -> Result<T> {
    Err(BadConfiguration(why).into())
}

fn told(error: LoadError) -> anyhow::Error {
    match error {
        LoadError::Base(why) => BadConfiguration(why).into(),
        // By itself, so that a full disk is seen to be one.
        LoadError::Read(error) => error.into(),
        other => other.into(),
    }
}
