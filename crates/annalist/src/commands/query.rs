//! `annalist query`: asks what is known of one or several collections, or RDF files, in SPARQL.

use std::io::{BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annalist_disk::SimDisk;
use annalist_knowledge::graph::{
    Datasets, Format, Graph, Layer, LayerSettings, LoadError, QueryError, QueryLimits, Question, Reading,
    format_of, graph_named, load,
};
use annalist_knowledge::import::{Until, opened};
use annalist_knowledge::{Needed, Places};
use annalist_model::spec::duration;
use anyhow::{Context, Result};

use crate::cli::{AnswerFormat, QueryArgs};
use crate::exit::{BadConfiguration, Exit, Paused};
use crate::knowledge::bring_one_up_to_date;
use crate::printing::Unprinted;
use crate::progress::Progress;
use crate::watch::Watch;

pub fn run(args: &QueryArgs) -> Result<Exit> {
    let (dirs, sparql) = words(args)?;
    let Some(time) = duration::parse(&args.time_limit) else {
        return bad(format!("--time-limit {} is no time: write it as 30s or 5m", args.time_limit));
    };
    let files = !args.data.is_empty() || !args.named.is_empty();
    if files && !dirs.is_empty() {
        return bad("--data and --named are asked without a job directory".to_owned());
    }
    if sparql.trim().is_empty() {
        return bad("the query is empty".to_owned());
    }
    let (graph, asked) = {
        // From here on Ctrl-C does nothing but to set a flag, also when nothing is shown any more.
        let watch = Watch::start(Progress::unless(args.quiet))?;
        let asked = watch.asked();
        let graph = if files { of_files(args, &asked)? } else { Graph::open(&layers(&dirs, &watch)?)? };
        (graph, asked)
    };
    // What a query in a file calls by a relative name is beside the file.
    let base = args.base.clone().or_else(|| args.file.as_deref().map(address));
    let question = Question {
        sparql: &sparql,
        base: base.as_deref(),
        datasets: if files { Datasets::Strict } else { Datasets::Union },
        limits: QueryLimits {
            time,
            rows: args.limit_rows,
            memory_bytes: args.memory.saturating_mul(1 << 20),
        },
        abandoned: Some(&asked),
    };
    let mut out = BufWriter::new(std::io::stdout());
    let told = if args.explain {
        graph
            .explain(&question)
            .and_then(|text| Ok(out.write_all(text.as_bytes()).map(|()| Default::default())?))
    } else {
        graph.answer(&question, format(args), &mut out)
    };
    let flushed = out.flush();
    match told {
        Ok(told) => {
            flushed.or_else(quietly).context(Unprinted)?;
            if told.cut && !args.quiet {
                tell!("annalist: only the first {} rows; there are more (--limit-rows)", told.rows);
            }
            Ok(if told.cut { Exit::SizeLimit } else { Exit::Done })
        }
        Err(QueryError::Write(error)) => quietly(error).map(|()| Exit::Done).context(Unprinted),
        Err(error @ (QueryError::Time(_) | QueryError::Memory(_))) => {
            tell!("annalist: {error}");
            Ok(if matches!(error, QueryError::Time(_)) { Exit::TimeLimit } else { Exit::SizeLimit })
        }
        Err(QueryError::Abandoned) => Err(Paused("the answer is not whole".to_owned()).into()),
        Err(error @ (QueryError::Syntax(_) | QueryError::Refused(_))) => bad(error.to_string()),
        Err(error) => Err(error.into()),
    }
}

/// Who reads what is printed may stop reading.
fn quietly(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

fn bad<T>(why: String) -> Result<T> {
    Err(BadConfiguration(why).into())
}

/// The directories and the query.
fn words(args: &QueryArgs) -> Result<(Vec<PathBuf>, String)> {
    let (dirs, sparql) = match (&args.file, args.words.split_last()) {
        (Some(file), _) => {
            let read = std::fs::read_to_string(file);
            (args.words.as_slice(), read.map_err(|e| BadConfiguration(format!("{}: {e}", file.display())))?)
        }
        (None, Some((last, dirs))) if last == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("standard input")?;
            (dirs, text)
        }
        (None, Some((last, dirs))) => (dirs, last.clone()),
        (None, None) => return bad("what is asked? a query, --file or - comes last".to_owned()),
    };
    Ok((dirs.iter().map(PathBuf::from).collect(), sparql))
}

/// The folders in which what is known of collections is kept, up to date with their archives.
pub fn layers(dirs: &[PathBuf], watch: &Watch) -> Result<Vec<PathBuf>> {
    if dirs.is_empty() {
        return bad("whom to ask? a job directory comes before the query, or --data FILE".to_owned());
    }
    dirs.iter().try_for_each(|dir| bring_one_up_to_date(dir, Needed::Graph, watch))?;
    Ok(dirs.iter().flat_map(|dir| Places::of(dir).layers()).collect())
}

/// RDF files as a graph in memory.
fn of_files(args: &QueryArgs, asked: &AtomicBool) -> Result<Graph> {
    let disk = SimDisk::new();
    let dir = Path::new("/data");
    let mut layer = Layer::open(Arc::new(disk.clone()), dir, LayerSettings::default())?;
    for path in &args.data {
        add(&mut layer, path, args.base.as_deref(), None, asked)?;
    }
    for named in &args.named {
        let Some((iri, path)) = named.rsplit_once('=') else {
            return bad(format!("--named {named}: write it as IRI=FILE"));
        };
        add(&mut layer, Path::new(path), Some(iri), Some(iri), asked)?;
    }
    layer.commit(b"")?;
    layer.settle()?;
    Ok(Graph::open_on(&disk, &[dir.to_owned()], Graph::CACHE_BYTES)?)
}

fn add(
    layer: &mut Layer,
    path: &Path,
    base: Option<&str>,
    graph: Option<&str>,
    asked: &AtomicBool,
) -> Result<()> {
    let shown = path.display();
    let Some(format) = format_of(path) else {
        return bad(format!("{shown}: its name does not tell what it is: .nt, .nq, .ttl, .trig, .rdf"));
    };
    let graph = graph.map(graph_named).transpose().map_err(told)?;
    let base = base.map_or_else(|| address(path), str::to_owned);
    let scope = format!("{shown} {graph:?}");
    let reading = Reading { format, base: Some(base), graph: graph.unwrap_or_default(), scope };
    let input = opened(path).map_err(|e| BadConfiguration(format!("{shown}: {e}")))?;
    let mut first = None;
    let input = Until::new(input, asked);
    let loaded = load(input, &reading, &mut |quad| layer.insert(quad), &mut |found| {
        first.get_or_insert(found);
    });
    if asked.load(Ordering::Relaxed) {
        return Err(Paused("the files are not read, and nothing was asked".to_owned()).into());
    }
    loaded.map_err(told)?;
    match first {
        Some(found) => bad(format!("{shown}: line {}: {}", found.line, found.why)),
        None => Ok(()),
    }
}

/// The address of a file.
pub fn address(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    url_of(&whole.to_string_lossy())
}

/// Bytes that an address cannot have are written as their numbers.
fn url_of(path: &str) -> String {
    let mut address = "file://".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}

fn told(error: LoadError) -> anyhow::Error {
    match error {
        LoadError::Base(why) => BadConfiguration(why).into(),
        other => other.into(),
    }
}

fn format(args: &QueryArgs) -> Option<Format> {
    if args.json {
        return Some(Format::Json);
    }
    let format = args.format.map(|format| match format {
        AnswerFormat::Table => Format::Table,
        AnswerFormat::Json => Format::Json,
        AnswerFormat::Csv => Format::Csv,
        AnswerFormat::Tsv => Format::Tsv,
        AnswerFormat::Xml => Format::Xml,
        AnswerFormat::Nt => Format::NTriples,
        AnswerFormat::Ttl => Format::Turtle,
    });
    // A table is for people.
    format.or_else(|| (!std::io::stdout().is_terminal()).then_some(Format::Table))
}
