//! The stores of one job, as its spec wants them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_model::spec::KnowledgeRules;

use crate::derived::{Derived, DerivedError, Mark};
use crate::document::Document;
use crate::graph::{Layer, LayerSettings};
use crate::search::{Search, SearchSettings};
use crate::statements::statements;

/// Where what is derived is kept in a job directory.
#[derive(Clone, Debug)]
pub struct Places {
    root: PathBuf,
}

impl Places {
    pub fn of(job: &Path) -> Places {
        Places { root: job.to_owned() }
    }

    /// Statements made of the archive.
    pub fn web(&self) -> PathBuf {
        self.root.join("knowledge/web")
    }
    /// Statements that `annalist study` found.
    pub fn studied(&self) -> PathBuf {
        self.root.join("knowledge/study")
    }
    /// Statements that were imported.
    pub fn imported(&self) -> PathBuf {
        self.root.join("knowledge/import")
    }
    /// All layers of the graph.
    pub fn layers(&self) -> [PathBuf; 3] {
        [self.web(), self.studied(), self.imported()]
    }
    /// What was imported, as it came.
    pub fn imports(&self) -> PathBuf {
        self.root.join("imports")
    }
    /// How far a store elsewhere was told.
    pub fn remote(&self) -> PathBuf {
        self.root.join("knowledge/remote")
    }
    pub fn search(&self) -> PathBuf {
        self.root.join("search")
    }
    /// The pages among which `annalist select` selects.
    pub fn candidates(&self) -> PathBuf {
        self.root.join("knowledge/candidates.jsonl")
    }
    /// Which model studies ask, where one was chosen: the name of its folder, or nothing for none.
    pub fn model(&self) -> PathBuf {
        self.root.join("knowledge/model")
    }
    /// There while graph and search index may not have the same of a study.
    pub fn unannotated(&self) -> PathBuf {
        self.root.join("knowledge/unannotated")
    }
    /// What `annalist study` keeps between its stages.
    pub fn study(&self) -> PathBuf {
        self.root.join("study")
    }
}

/// A store that is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Needed {
    Graph,
    Search,
}

/// The stores that follow the archive.
pub struct Stores {
    graph: Option<WebLayer>,
    search: Option<Search>,
}

impl Stores {
    /// Opens those that the rules want; there must be no other writer.
    pub fn open(job: &Path, rules: &KnowledgeRules) -> Result<Stores, DerivedError> {
        let places = Places::of(job);
        let memory = usize::try_from(rules.memory_bytes / 2).unwrap_or(usize::MAX);
        let graph = rules.graph.then(|| WebLayer::open(&places.web(), memory)).transpose()?;
        let settings = SearchSettings { memory, ..SearchSettings::default() };
        let search = rules.search.then(|| Search::open(&places.search(), settings)).transpose()?;
        Ok(Stores { graph, search })
    }

    pub fn is_empty(&self) -> bool {
        self.graph.is_none() && self.search.is_none()
    }

    pub fn derived(&mut self) -> Vec<&mut dyn Derived> {
        let graph = self.graph.as_mut().map(|graph| graph as &mut dyn Derived);
        let search = self.search.as_mut().map(|search| search as &mut dyn Derived);
        graph.into_iter().chain(search).collect()
    }

    /// Lets what is done beside the writer come to its end.
    pub fn close(self) -> Result<(), DerivedError> {
        if let Some(mut graph) = self.graph {
            graph.layer.settle()?;
        }
        self.search.map_or(Ok(()), Search::finish)
    }
}

/// The layer of the graph that is made of the archive.
pub struct WebLayer {
    layer: Layer,
    mark: Mark,
}

impl WebLayer {
    fn open(dir: &Path, memory_bytes: usize) -> Result<WebLayer, DerivedError> {
        let settings = LayerSettings { memory_bytes: memory_bytes / 2, ..LayerSettings::default() };
        let layer = Layer::open(Arc::new(RealDisk), dir, settings)?;
        let mark = match layer.mark() {
            [] => Mark::default(),
            told => serde_json::from_slice(told)
                .map_err(|fault| DerivedError::Damaged(format!("the mark of {}: {fault}", dir.display())))?,
        };
        Ok(WebLayer { layer, mark })
    }
}

impl Derived for WebLayer {
    fn mark(&self) -> &Mark {
        &self.mark
    }

    fn add(&mut self, document: &Document) -> Result<(), DerivedError> {
        let mut fault = None;
        statements(document, &mut |quad| {
            if fault.is_none() {
                fault = self.layer.insert(&quad).err();
            }
        });
        fault.map_or(Ok(()), |fault| Err(fault.into()))
    }

    fn commit(&mut self, mark: &Mark) -> Result<(), DerivedError> {
        let told = serde_json::to_vec(mark).map_err(|fault| DerivedError::Damaged(fault.to_string()))?;
        self.layer.commit(&told)?;
        self.mark = mark.clone();
        Ok(())
    }
}
