//! `annalist study`: who and what an archive is about, by whom, how and when; kept in the graph, as facets of search, and as
//! tables.

mod told;

use std::path::Path;
use std::sync::Arc;

use annalist_crawl::job::JobDir;
use annalist_crawl::knowing::{extents_of, settings_of};
use annalist_disk::{Disk, RealDisk};
use annalist_knowledge::Places;
use annalist_knowledge::graph::{GraphError, Layer, LayerSettings};
use annalist_knowledge::search::{Annotations, Search, SearchSettings};
use annalist_model::spec::{EntityKind, Spec};
use annalist_study::offline::entities::model::Model;
use annalist_study::offline::entities::{EntitySettings, Kind, Known};
use annalist_study::offline::{Corpus, CorpusError, Found, Stage, StudyError, StudyWatch, Subject, tell};
use anyhow::{Context, Result, bail};

use crate::cli::StudyArgs;
use crate::definition_file;
use crate::exit::{BadConfiguration, Exit, Paused};
use crate::knowledge::{Facets, follow, job_at, locked, spec_of};
use crate::progress::Progress;
use crate::show;
use crate::watch::Watch;

#[expect(clippy::print_stdout, reason = "the report is what the command is asked for")]
pub fn run(args: &StudyArgs) -> Result<Exit> {
    let wanted = stages(&args.only)?;
    let job = job_at(&args.dir)?;
    let mut spec = spec_of(&job)?;
    if let Some(dir) = &args.model {
        spec.study.model = chosen(dir);
    }
    let model = model_of(&spec)?;
    let watch = Watch::start(Progress::unless(args.quiet))?;
    let Some(_lock) = locked(&job, &watch)? else {
        let what = "is being crawled: a study needs an archive that stays as it is for a while";
        return Err(BadConfiguration(format!("{} {what}", args.dir.display())).into());
    };
    follow(&job, &spec, &watch)?;
    let subject = subject(&job, &spec, model)?;
    let wanted = with_those_done(&subject, wanted, &watch);
    let (corpus, found) = study(&subject, &wanted, &watch)?;
    let facets = Facets::expect(&job)?;
    keep(&job, &corpus, &found, &watch)?;
    if args.model.is_some() {
        remember(&job, spec.study.model.as_deref())?;
    }
    facets.are_whole()?;
    drop(watch);
    if !args.quiet {
        print!("{}", show::plain(&told::report(&found, corpus.len(), args.limit)));
    }
    if args.json {
        println!("{}", told::json(&found, corpus.len(), args.limit, &args.dir));
    }
    Ok(Exit::Done)
}

fn stages(only: &[String]) -> Result<Vec<Stage>> {
    if only.is_empty() {
        return Ok(Stage::ALL.to_vec());
    }
    let known = Stage::ALL.map(Stage::name).join(", ");
    let stage = |name: &String| {
        Stage::named(name.trim()).ok_or_else(|| {
            BadConfiguration(format!("nothing is called {name:?} here; there are {known}")).into()
        })
    };
    only.iter().map(stage).collect()
}

/// What was found before is found again where it is not about the archive as it is: what is kept is of one archive.
fn with_those_done(subject: &Subject, mut wanted: Vec<Stage>, watch: &Watch) -> Vec<Stage> {
    let again: Vec<Stage> = subject.outdated().into_iter().filter(|stage| !wanted.contains(stage)).collect();
    if !again.is_empty() {
        let names = again.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", ");
        watch.tell(&format!("{names}: found again, too, since archive or settings are not those of before"));
    }
    wanted.extend(again);
    wanted
}

/// The writings of a job, and what was found in them. The caller holds the job's lock.
pub fn studied(job: &JobDir, spec: &Spec, wanted: &[Stage], watch: &Watch) -> Result<(Corpus, Found)> {
    study(&subject(job, spec, model_of(spec)?)?, wanted, watch)
}

fn study(subject: &Subject, wanted: &[Stage], watch: &Watch) -> Result<(Corpus, Found)> {
    let (corpus, _) = interruptible(subject.corpus(watch))?;
    let found = interruptible(subject.study(&corpus, &Stage::with_needed(wanted), watch))?;
    Ok((corpus, found))
}

/// What is studied in a job.
fn subject(job: &JobDir, spec: &Spec, model: Option<Model>) -> Result<Subject> {
    let known = known_names(job, spec)?;
    Ok(Subject {
        extents: extents_of(job)?,
        follow: settings_of(job, spec),
        entities: EntitySettings { known, model, ..EntitySettings::default() },
        dir: Places::of(job.root()).study(),
    })
}

/// The model that was asked for, by its whole name; none where `none` was typed.
fn chosen(dir: &Path) -> Option<String> {
    if dir == Path::new("none") {
        return None;
    }
    let whole = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    Some(whole.display().to_string())
}

/// The model that a study asks, or how to do without it.
pub fn model_of(spec: &Spec) -> Result<Option<Model>> {
    let Some(dir) = &spec.study.model else { return Ok(None) };
    let model = Model::load(Path::new(dir)).map_err(|fault| {
        let ways = "bring the model back, name another with `annalist study DIR --model FOLDER`, or do without with `--model none`";
        BadConfiguration(format!("{fault}; {ways}"))
    })?;
    Ok(Some(model))
}

/// Keeps which model was asked for: rebuilding and everything that builds on a study ask the same.
fn remember(job: &JobDir, model: Option<&str>) -> Result<()> {
    let path = Places::of(job.root()).model();
    RealDisk.replace(&path, model.unwrap_or_default().as_bytes()).with_context(|| path.display().to_string())
}

/// Names that the archivist gave, in the spec or in what the topic's references taught.
fn known_names(job: &JobDir, spec: &Spec) -> Result<Vec<Known>> {
    let kind = |kind: Option<EntityKind>| match kind {
        Some(EntityKind::Person) => Kind::Person,
        Some(EntityKind::Place) => Kind::Place,
        Some(EntityKind::Organisation) => Kind::Organisation,
        None => Kind::Other,
    };
    let of_spec = spec.topic.entities.iter();
    let mut known: Vec<Known> = of_spec
        .map(|one| Known { name: one.name.clone(), aliases: one.aliases.clone(), kind: kind(one.kind) })
        .collect();
    let definition = job.root().join("definition.toml");
    if definition.exists() {
        for entity in definition_file::load(&definition)?.entities {
            if known.iter().all(|one| one.name != entity.name) {
                known.push(Known { name: entity.name, aliases: entity.aliases, ..Known::default() });
            }
        }
    }
    Ok(known)
}

/// An interruption says what is kept.
fn interruptible<T>(outcome: Result<T, StudyError>) -> Result<T> {
    let Err(StudyError::Interrupted { kept }) = outcome else { return Ok(outcome?) };
    let kept = match kept.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "no stage is done".to_owned(),
        some => format!("{some}: found and kept, the same command goes on behind"),
    };
    Err(Paused(format!("{kept}; graph, search and tables are as they were")).into())
}

/// Writes what was found into the graph, as facets, and as tables. The caller has `Facets` expected.
pub fn keep(job: &JobDir, corpus: &Corpus, found: &Found, watch: &Watch) -> Result<()> {
    let places = Places::of(job.root());
    let mut layer = cleared(&places.studied())?;
    let mut fault = None;
    let mut annotated: Vec<(String, Annotations)> = Vec::new();
    let told = tell(
        corpus,
        found,
        &mut |quad| {
            if fault.is_none() {
                fault = layer.insert(&quad).err();
            }
        },
        &mut |writing, annotations| annotated.push((writing, annotations)),
        watch,
    );
    let kept = || Stage::done_in(&places.study());
    interruptible(told.map_err(|fault| match fault {
        CorpusError::Stopped => StudyError::Interrupted { kept: kept() },
        fault => fault.into(),
    }))?;
    if let Some(fault) = fault {
        bail!(fault);
    }
    layer.commit(b"study")?;
    layer.settle()?;
    tables(found, &places.study())?;
    if places.search().is_dir() {
        let mut search = Search::open(&places.search(), SearchSettings::default())?;
        watch.begin_counting("facets of search", annotated.len() as u64);
        search
            .annotate(annotated.into_iter().take_while(|_| !watch.is_asked()).inspect(|_| watch.count(1)))?;
        search.finish()?;
    }
    if watch.is_asked() {
        let what = "everything is found and in the graph; the same command makes the facets of search whole";
        return Err(Paused(what.to_owned()).into());
    }
    Ok(())
}

/// The layer of studies without anything in it; of one that cannot be read nothing is lost.
fn cleared(dir: &Path) -> Result<Layer, GraphError> {
    let open = || Layer::open(Arc::new(RealDisk), dir, LayerSettings::default());
    let mut layer = match open() {
        Err(GraphError::Damaged(_) | GraphError::Newer(_)) => {
            std::fs::remove_dir_all(dir).map_err(GraphError::io(dir))?;
            open()?
        }
        opened => opened?,
    };
    layer.clear();
    Ok(layer)
}

/// What was found, for the spreadsheet.
fn tables(found: &Found, dir: &Path) -> Result<()> {
    for (name, text) in told::tables(found) {
        let path = dir.join(name);
        let fresh = path.with_extension("new");
        std::fs::write(&fresh, text)
            .and_then(|()| std::fs::rename(&fresh, &path))
            .with_context(|| path.display().to_string())?;
    }
    Ok(())
}

impl StudyWatch for Watch {
    fn begin(&self, what: &'static str, writings: u64) {
        self.begin_counting(what, writings);
    }
    fn begin_bytes(&self, what: &'static str, bytes: u64) {
        Watch::begin(self, what, bytes);
    }
    fn done(&self, writings: u64) {
        self.count(writings);
    }
}

#[cfg(test)]
mod tests {
    use annalist_study::offline::{Stage, StudyError};

    use super::interruptible;
    use crate::exit::{Exit, code_of};

    #[test]
    fn who_interrupts_a_study_hears_what_is_kept() {
        let told = |kept: Vec<Stage>| {
            let fault = interruptible::<()>(Err(StudyError::Interrupted { kept })).unwrap_err();
            assert_eq!(code_of(&fault), Exit::Interrupted);
            fault.to_string()
        };
        assert!(told(Vec::new()).starts_with("interrupted: no stage is done"));
        let some = told(vec![Stage::Entities, Stage::Opinions]);
        assert!(some.starts_with("interrupted: entities, opinions: found and kept"), "{some}");
        assert!(!some.contains("nothing was written"));
    }
}
