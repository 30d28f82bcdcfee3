//! What people think of pages: a sample of a crawl's pages, and a table for each person who judges them, in the format that
//! `annalist judge --evaluate` reads. All of it is in the job's folder `evaluation`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use annalist_study::{Agreement, Annotated, GRADES, Votes, agreement, between, recurring};

use crate::problem::Problem;
use crate::service::Service;

const LONGEST_NAME: usize = 40;
const LONGEST_COMMENT: usize = 2000;

#[derive(Clone, Debug)]
pub struct Annotations {
    service: Service,
    /// Two votes of one person at a time would lose one of them.
    writing: Arc<Mutex<()>>,
}

/// Somebody, and how far they are.
#[derive(Clone, Debug)]
pub struct Annotator {
    pub name: String,
    pub pages: Vec<Annotated>,
}

impl Annotator {
    pub fn judged(&self) -> usize {
        self.pages.iter().filter(|page| !page.vote.is_empty()).count()
    }
}

fn io_problem(fault: io::Error) -> Problem {
    Problem::unkept("the judgements cannot be read or kept", &fault)
}

impl Annotations {
    pub fn new(service: Service) -> Annotations {
        Annotations { service, writing: Arc::default() }
    }

    fn folder(&self, id: &str) -> Result<PathBuf, Problem> {
        Ok(self.service.job(id)?.root().join("evaluation"))
    }

    /// The pages that were drawn; none where nobody has asked for that.
    pub fn sample(&self, id: &str) -> Result<Vec<Annotated>, Problem> {
        table(&self.folder(id)?.join("sample.csv"))
    }

    /// Everybody who has judged something, in the order of their names.
    pub fn people(&self, id: &str) -> Result<Vec<Annotator>, Problem> {
        let mut people = Vec::new();
        for path in tables(&self.folder(id)?.join("annotations")).map_err(io_problem)? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            people.push(Annotator { name, pages: table(&path)? });
        }
        Ok(people)
    }

    /// The pages of one person: those they have, and those that were drawn since.
    pub fn of(&self, id: &str, name: &str) -> Result<Annotator, Problem> {
        let path = self.path_of(id, name)?;
        let mut pages = table(&path)?;
        let known: BTreeSet<String> = pages.iter().map(|page| page.url.clone()).collect();
        pages.extend(self.sample(id)?.into_iter().filter(|page| !known.contains(&page.url)));
        Ok(Annotator { name: name.to_owned(), pages })
    }

    /// A name that is one of a file and nothing else.
    fn path_of(&self, id: &str, name: &str) -> Result<PathBuf, Problem> {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(plain) {
            return Err(Problem::field("by", "a name has letters, digits, - and _, and 40 of them at most"));
        }
        Ok(self.folder(id)?.join("annotations").join(format!("{name}.csv")))
    }

    /// Keeps a judgement, durably; a later one about the same page replaces it.
    pub fn judge(&self, id: &str, name: &str, url: &str, vote: &str, comment: &str) -> Result<(), Problem> {
        if !GRADES.iter().any(|(grade, _)| *grade == vote) {
            let known: Vec<&str> = GRADES.iter().map(|(grade, _)| *grade).collect();
            return Err(Problem::field("vote", format!("give one of {}", known.join(", "))));
        }
        let path = self.path_of(id, name)?;
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own = self.of(id, name)?;
        let Some(page) = own.pages.iter_mut().find(|page| page.url == url) else {
            return Err(Problem::field("url", "this page was not drawn to be judged"));
        };
        page.vote = vote.to_owned();
        page.comment = comment.trim().replace("\r\n", "\n").chars().take(LONGEST_COMMENT).collect();
        if let Some(folder) = path.parent() {
            self.service.job(id)?.make(folder).map_err(io_problem)?;
        }
        keep(&path, &Annotated::write(&own.pages)).map_err(io_problem)
    }

    /// How well each way to judge agrees with people: what `annalist judge --evaluate` tells of the same tables. None without votes.
    pub fn figures(&self, id: &str) -> Result<Option<Agreement>, Problem> {
        let folder = self.folder(id)?;
        let unusable = |path: &Path, why: String| Problem::conflict(format!("{}: {why}", path.display()));
        let mut votes = Votes::default();
        for path in tables(&folder.join("annotations")).map_err(io_problem)? {
            let text = std::fs::read(&path).map_err(io_problem)?;
            votes.add(&String::from_utf8_lossy(&text)).map_err(|why| unusable(&path, why))?;
        }
        if votes.rows.is_empty() {
            return Ok(None);
        }
        let topics = folder.join("topics.tsv");
        let text = std::fs::read_to_string(&topics).map_err(io_problem)?;
        let recurring = recurring(&text).map_err(|why| unusable(&topics, why))?;
        Ok(Some(agreement(&votes, &recurring)))
    }

    /// How far people agree with each other.
    pub fn between(people: &[Annotator]) -> Vec<annalist_study::Between> {
        let pages: Vec<(String, Vec<Annotated>)> =
            people.iter().map(|one| (one.name.clone(), one.pages.clone())).collect();
        between(&pages)
    }
}

fn table(path: &Path) -> Result<Vec<Annotated>, Problem> {
    match std::fs::read(path) {
        Ok(bytes) => Annotated::read(&String::from_utf8_lossy(&bytes))
            .map_err(|why| Problem::conflict(format!("{}: {why}", path.display()))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(io_problem(e)),
    }
}

fn tables(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    paths.sort();
    Ok(paths)
}

fn keep(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let fresh = path.with_extension("new");
    std::fs::write(&fresh, text)?;
    File::open(&fresh)?.sync_all()?;
    std::fs::rename(&fresh, path)?;
    File::open(folder)?.sync_all()
}
