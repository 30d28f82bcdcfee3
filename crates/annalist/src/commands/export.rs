//! `annalist export`: a selection of what was archived, as WARC files, as a WACZ file, as tables or as a graph of links.
//!
//! Archives are walked through twice. The first time every record is looked at and the selection is made (`survey.rs`,
//! `selection.rs`, `choice.rs`, which reads once more what the chosen pages say of what they show); the second time only
//! what was chosen is read (`reading.rs`) and copied.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use annalist_crawl::clock;
use annalist_crawl::job::JobDir;
use annalist_study::selection::Verdict;
use annalist_warc::{About, Copied, Copier, CopyError, CopySettings, WarcFile};
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::ExportArgs;
use crate::commands::verify::warc_files;
use crate::exit::{BadConfiguration, Exit};
use crate::progress::Progress;
use crate::selecting::Standing;
use crate::show;

mod choice;
mod fresh;
mod graph;
mod missing;
mod nquads;
mod pages;
mod parquet;
mod reading;
mod selection;
mod survey;
pub mod table;

use crate::watch::Watch;
use choice::{Choice, choose};
use fresh::{Fresh, Old};
use graph::{Form, Graph};
use pages::Pages;
use parquet::Tables;
use reading::{PageReader, each_record};
use selection::Selection;
use survey::{Chosen, Survey, Surveyed, url_hash};
use table::Urls;

/// WARC files are no longer than this by much.
const ROLL_BYTES: u64 = 1_000_000_000;

/// Everything that is asked for, under names that are not final.
struct Outputs {
    warc: Option<Fresh>,
    wacz: Option<Fresh>,
    urls: Option<Fresh>,
    missing: Option<Fresh>,
    parquet: Option<[Fresh; 3]>,
    graph: Option<(Fresh, Form)>,
    nquads: Option<Fresh>,
}

/// What came of it.
#[derive(Default)]
struct Done {
    copied: Copied,
    pages: u64,
    missing: u64,
    nodes: u64,
    edges: u64,
    statements: u64,
}

/// Of a selection without pages.
const NONE_KEPT: &str = "the selection keeps no page, so nothing was written: decide in Review, or with `annalist select`, \
                         which pages are to be kept";

pub fn run(args: &ExportArgs) -> Result<Exit> {
    if args.nquads.is_some() && (args.selected || !Selection::new(args)?.is_everything()) {
        let why = "--nquads writes all that is known: export it without conditions, apart from the selection";
        return Err(BadConfiguration(why.to_owned()).into());
    }
    let forms = [&args.warc, &args.wacz, &args.csv, &args.parquet, &args.graph];
    let is_alone = forms.iter().all(|form| form.is_none());
    let is_printed = |form: &Option<PathBuf>| form.as_deref() == Some(Path::new("-"));
    if is_printed(&args.nquads) && is_alone {
        return nquads::print(&args.sources, Progress::unless(args.quiet));
    }
    if forms.into_iter().chain([&args.nquads]).any(is_printed) {
        let why = "only --nquads can be written to standard output (-), and nothing else with it";
        return Err(BadConfiguration(why.to_owned()).into());
    }
    if is_alone {
        return run_nquads(args);
    }
    let mut selection = Selection::new(args)?;
    let files = sources(&args.sources)?;
    let jobs = jobs(&args.sources);
    let outputs = Outputs::new(args, &jobs)?;
    let watch = Watch::start(Progress::unless(args.quiet))?;
    if args.selected {
        let kept = selected(&args.sources, &watch)?;
        if kept.is_empty() {
            watch.tell(NONE_KEPT);
            return Ok(Exit::Failed);
        }
        selection.selected = Some(kept);
    }
    let mut survey = Survey::of(files, &selection, &watch)?;
    let choice = choose(&mut survey, &selection, &watch)?;
    if choice.meant == 0 && !selection.is_everything() {
        watch.tell("nothing in there is what was asked for; nothing was written");
        return Ok(Exit::Failed);
    }
    let mut done = Done::default();
    let pages = read_again(&survey, &outputs, &mut done, &watch)?;
    outputs.write_missing(&jobs, &mut done)?;
    if let Some(fresh) = &outputs.nquads {
        done.statements = nquads::write(&args.sources, fresh, Progress::unless(args.quiet))?;
    }
    if let Some(fresh) = &outputs.warc {
        let copier = Copier::into_folder(fresh.open_path(), settings(args, &args.warc, &survey));
        let copied = copy(copier, &survey, Pages::default(), &About::default(), &watch);
        done.copied = copied.with_context(|| fresh.shown())?;
    }
    if let Some(fresh) = &outputs.wacz {
        let about = About { main_page: pages.main_page(), ..about(args) };
        let settings = settings(args, &args.wacz, &survey);
        let copier = Copier::into_wacz(fresh.create_file()?, fresh.folder(), settings);
        done.copied = copy(copier, &survey, pages, &about, &watch).with_context(|| fresh.shown())?;
    }
    outputs.keep()?;
    drop(watch);
    tell(args, &survey, choice, &done);
    Ok(if survey.damaged == 0 { Exit::Done } else { Exit::Failed })
}

/// The graph alone needs no look at the archive.
#[expect(clippy::print_stdout, reason = "what was written is what the command is asked for")]
fn run_nquads(args: &ExportArgs) -> Result<Exit> {
    let outputs = Outputs::new(args, &[])?;
    let mut statements = 0;
    if let Some(fresh) = &outputs.nquads {
        statements = nquads::write(&args.sources, fresh, Progress::unless(args.quiet))?;
    }
    outputs.keep()?;
    if !args.quiet {
        println!("{} statements", show::count(statements));
        args.nquads.iter().for_each(|path| println!("written: {}", path.display()));
    }
    if args.json {
        println!("{}", json!({ "statements": statements }));
    }
    Ok(Exit::Done)
}

impl Outputs {
    /// Refuses what is there already before any work is done.
    fn new(args: &ExportArgs, jobs: &[JobDir]) -> Result<Outputs> {
        let old = if args.force { Old::Replace } else { Old::Refuse };
        let fresh = |path: &Option<PathBuf>| {
            path.as_deref().map(|path| Fresh::new(path, old, &args.sources)).transpose()
        };
        let (urls, missing) = match &args.csv {
            Some(path) if Form::of(path) == Form::Table => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                (Some(path.clone()), Some(path.with_file_name(format!("{stem}-missing.csv"))))
            }
            Some(dir) => (Some(dir.join("urls.csv")), Some(dir.join("missing.csv"))),
            None => (None, None),
        };
        let parquet = match &args.parquet {
            Some(dir) => {
                let [urls, links, objects] =
                    parquet::paths(dir).map(|path| Fresh::new(&path, old, &args.sources));
                Some([urls?, links?, objects?])
            }
            None => None,
        };
        let graph = fresh(&args.graph)?.zip(args.graph.as_deref().map(Form::of));
        Ok(Outputs {
            warc: fresh(&args.warc)?,
            wacz: fresh(&args.wacz)?,
            urls: fresh(&urls)?,
            missing: fresh(&missing.filter(|_| !jobs.is_empty()))?,
            parquet,
            graph,
            nquads: fresh(&args.nquads)?,
        })
    }

    fn write_missing(&self, jobs: &[JobDir], done: &mut Done) -> Result<()> {
        if let Some(fresh) = &self.missing {
            let mut out = BufWriter::new(fresh.create_file()?);
            done.missing = missing::write(jobs, &mut out).with_context(|| fresh.shown())?;
            synced(out).with_context(|| fresh.shown())?;
        }
        Ok(())
    }

    fn keep(self) -> Result<()> {
        let graph = self.graph.map(|(fresh, _)| fresh);
        let tables = self.parquet.into_iter().flatten();
        let others =
            [self.warc, self.wacz, self.urls, self.missing, graph, self.nquads].into_iter().flatten();
        tables.chain(others).try_for_each(Fresh::keep)
    }
}

/// Reads the captures that are meant for everything that tells of them, and gives the pages among them.
fn read_again(survey: &Survey, outputs: &Outputs, done: &mut Done, watch: &Watch) -> Result<Pages> {
    let mut pages = Pages::default();
    let is_told = outputs.urls.is_some() || outputs.parquet.is_some() || outputs.graph.is_some();
    if !is_told && outputs.wacz.is_none() {
        return Ok(pages);
    }
    let mut tables = outputs.parquet.as_ref().map(Tables::new).transpose()?;
    let mut urls = Urls::default();
    let mut graph = match &outputs.graph {
        Some((fresh, form)) => Some(Graph::new(BufWriter::new(fresh.create_file()?), *form, survey)?),
        None => None,
    };
    let meant = survey.entries.iter().filter(|entry| entry.chosen == Chosen::Meant);
    watch.begin("reading", meant.map(|entry| entry.length).sum());
    let reader = PageReader::new();
    for surveyed in &survey.files {
        reader.each(surveyed, &survey.entries, watch, &mut |entry, seen| {
            if outputs.urls.is_some() {
                urls.add(&surveyed.file, entry, seen);
            }
            if outputs.wacz.is_some() {
                pages.add(entry, seen);
            }
            if let Some(graph) = &mut graph {
                graph.add(entry, seen).context("the graph of links cannot be written")?;
            }
            tables.as_mut().map_or(Ok(()), |tables| tables.add(&surveyed.file, entry, seen))
        })?;
        if let Some(tables) = &mut tables {
            tables.add_writings(surveyed, &survey.entries)?;
        }
    }
    tables.map_or(Ok(()), Tables::finish).context("the tables cannot be written")?;
    if let Some(fresh) = &outputs.urls {
        let mut out = BufWriter::new(fresh.create_file()?);
        urls.write(&mut out).and_then(|()| synced(out)).with_context(|| fresh.shown())?;
    }
    if let Some(graph) = graph {
        (done.nodes, done.edges) = (graph.nodes(), graph.edges);
        synced(graph.finish().context("the graph of links cannot be written")?)?;
    }
    done.pages = pages.len();
    Ok(pages)
}

fn copy(
    copier: Result<Copier, CopyError>,
    survey: &Survey,
    pages: Pages,
    about: &About,
    watch: &Watch,
) -> Result<Copied> {
    let mut copier = copier?;
    let chosen = survey.entries.iter().filter(|entry| entry.chosen != Chosen::No);
    watch.begin("copying", chosen.map(|entry| entry.length).sum());
    for surveyed in &survey.files {
        copy_file(&mut copier, surveyed, survey, watch).with_context(|| surveyed.file.shown())?;
    }
    Ok(copier.finish(pages.lines(), about)?)
}

fn copy_file(copier: &mut Copier, surveyed: &Surveyed, survey: &Survey, watch: &Watch) -> Result<()> {
    if !surveyed.has_members {
        return each_record(
            surveyed,
            &survey.entries,
            |entry| entry.chosen != Chosen::No,
            &mut |entry, record| {
                copier.pack(record, &surveyed.file.name)?;
                watch.advance(entry.length)
            },
        );
    }
    let entries = survey.entries.get(surveyed.entries.clone()).unwrap_or_default();
    let section = surveyed.file.open()?;
    for entry in entries.iter().filter(|entry| entry.chosen != Chosen::No) {
        copier.copy(&section, entry.offset, entry.length)?;
        watch.advance(entry.length)?;
    }
    Ok(())
}

fn synced(out: BufWriter<File>) -> Result<()> {
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all().context("cannot be written")
}

/// The WARC files that are named, each once.
fn sources(paths: &[PathBuf]) -> Result<Vec<WarcFile>> {
    let mut files = Vec::new();
    for path in warc_files(paths)? {
        let found =
            WarcFile::all_of(&path).map_err(|e| BadConfiguration(format!("{}: {e}", path.display())))?;
        files.extend(found.into_iter().filter(|file| !files.contains(file)).collect::<Vec<_>>());
    }
    Ok(files)
}

/// The addresses of pages that are proposed to be kept, in one job or another.
fn selected(paths: &[PathBuf], watch: &Watch) -> Result<HashSet<u64>> {
    let mut kept = HashSet::new();
    for path in paths {
        let standing = Standing::of(path, watch)?;
        let proposals = standing.propose();
        let pages = standing.candidates.list().iter().zip(&proposals.list);
        let pages = pages.filter(|(_, proposal)| proposal.verdict == Verdict::Keep);
        kept.extend(pages.map(|(page, _)| url_hash(&page.url)));
    }
    Ok(kept)
}

/// Those sources that are crawls, and know what they did not get.
fn jobs(paths: &[PathBuf]) -> Vec<JobDir> {
    paths.iter().map(JobDir::new).filter(JobDir::exists).collect()
}

fn about(args: &ExportArgs) -> About {
    About {
        title: args.title.clone().unwrap_or_else(|| stem(args.wacz.as_deref())),
        description: described(args),
        software: software(),
        main_page: None,
    }
}

fn settings(args: &ExportArgs, out: &Option<PathBuf>, survey: &Survey) -> CopySettings {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let host = if host.is_empty() { "localhost".to_owned() } else { host };
    let prefix = stem(out.as_deref());
    let mut warcinfo: Vec<(String, String)> = [
        ("software", software()),
        ("format", "WARC File Format 1.1".to_owned()),
        (
            "conformsTo",
            "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/".to_owned(),
        ),
        ("hostname", host.clone()),
        ("isPartOf", args.title.clone().unwrap_or_else(|| prefix.clone())),
        ("description", described(args)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let used = survey.files.iter().filter(|surveyed| {
        let own = survey.entries.get(surveyed.entries.clone()).unwrap_or_default();
        own.iter().any(|entry| entry.chosen != Chosen::No)
    });
    warcinfo.extend(used.map(|surveyed| ("source".to_owned(), surveyed.file.name.clone())));
    CopySettings { prefix, host, at_ms: clock::now().millis(), roll_bytes: ROLL_BYTES, warcinfo }
}

fn software() -> String {
    format!("annalist/{}", env!("CARGO_PKG_VERSION"))
}

fn stem(path: Option<&Path>) -> String {
    let name = path.and_then(Path::file_stem).unwrap_or_default().to_string_lossy().into_owned();
    if name.is_empty() { "export".to_owned() } else { name }
}

/// Which records these are, as it was typed.
fn described(args: &ExportArgs) -> String {
    let mut typed = Vec::new();
    let mut add = |name: &str, value: &str| typed.push(format!("--{name} {value}"));
    if let Some(score) = args.score {
        add("score", &score.to_string());
    }
    let lists = [
        ("site", &args.site),
        ("host", &args.host),
        ("url-prefix", &args.url_prefix),
        ("mime", &args.mime),
        ("status", &args.status),
    ];
    for (name, list) in lists {
        list.iter().for_each(|value| add(name, value));
    }
    for (name, value) in [("from", &args.from), ("until", &args.until), ("query", &args.query)] {
        value.iter().for_each(|value| add(name, value));
    }
    for (name, is_given) in [("published", args.published), ("selected", args.selected)] {
        if is_given {
            add(name, "");
        }
    }
    if let Some(limit) = args.limit {
        add("limit", &limit.to_string());
    }
    if typed.is_empty() {
        "all records of the sources".to_owned()
    } else {
        format!("records selected by {}", typed.join(" "))
    }
}

#[expect(clippy::print_stdout, reason = "what was written is what the command is asked for")]
fn tell(args: &ExportArgs, survey: &Survey, choice: Choice, done: &Done) {
    let Done { copied, pages, missing, nodes, edges, statements } = done;
    if !args.quiet {
        let also = if choice.along > 0 {
            format!(", {} that come along", show::count(choice.along))
        } else {
            String::new()
        };
        println!("{} captures{also}", show::count(choice.meant));
        if args.warc.is_some() || args.wacz.is_some() {
            let (records, bytes) = (show::count(copied.records), show::bytes(copied.bytes));
            println!("{records} records, {bytes}, {} WARC files", copied.files);
        }
        if args.graph.is_some() {
            println!("{} addresses, {} links", show::count(*nodes), show::count(*edges));
        }
        let notes = [
            (survey.doubles, "records were there more than once and are written once"),
            (choice.elsewhere, "revisits refer to captures that are in none of the archives"),
            (survey.damaged, "places are damaged"),
        ];
        for (count, what) in notes.iter().filter(|(count, _)| *count > 0) {
            println!("{} {what}", show::count(*count));
        }
        let written = [&args.warc, &args.wacz, &args.csv, &args.parquet, &args.graph, &args.nquads]
            .into_iter()
            .flatten();
        written.for_each(|path| println!("written: {}", path.display()));
    }
    if args.json {
        let told = json!({
            "captures": choice.meant, "along": choice.along, "originals_elsewhere": choice.elsewhere,
            "records": copied.records, "bytes": copied.bytes, "files": copied.files, "pages": pages,
            "missing": missing, "statements": statements, "nodes": nodes, "links": edges, "doubles": survey.doubles, "damaged": survey.damaged,
        });
        println!("{told}");
    }
}
