//! A model that marks names in texts, if the archivist gives one: a folder as Hugging Face's exports of token classifiers to ONNX have it
//! (`model.onnx`, `tokenizer.json` or `vocab.txt`, `config.json`).
//!
//! Not here: what becomes of marked names (`learn`, `decide`). `normal` and `pieces` cut a text as the model wants it, `windows` into
//! parts that it can take, `labels` make spans of what it says, `onnx` runs it where the program was built with that.

mod labels;
mod normal;
#[cfg(feature = "model")]
mod onnx;
mod pieces;
mod windows;

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_knowledge::Watch;
use serde_json::Value;
use xxhash_rust::xxh3::Xxh3Default;

use super::Kind;
use labels::{Labels, Said};
use pieces::Pieces;
use windows::windows;

/// Longer windows cost more than what is far away tells.
const LONGEST_WINDOW: usize = 256;
/// A model that takes less at once can tell nothing.
const SHORTEST_WINDOW: usize = 8;
/// What BERT takes where nothing is said.
const USUAL_WINDOW: u64 = 512;

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
    #[error("{path}: {what}")]
    Wrong { path: String, what: String },
    #[error("the model {name} failed at a text: {what}")]
    Failed { name: String, what: String },
    #[error(
        "a model is set ({0}), and this program was built without; build one with `cargo build --release --features model`"
    )]
    NotBuilt(String),
}

/// What gives for each of some pieces a number for each label.
trait Network: Send + Sync {
    fn run(&self, pieces: &[u32]) -> Result<Vec<f32>, String>;
}

/// A name that the model marked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marked {
    pub from: usize,
    pub to: usize,
    pub kind: Kind,
    pub confidence: f32,
}

/// A model that is ready. Two of the same files are equal.
#[derive(Clone)]
pub struct Model {
    name: String,
    /// Of all its files: what another one found is found again.
    digest: u64,
    inner: Arc<Inner>,
}

struct Inner {
    pieces: Pieces,
    labels: Labels,
    window: usize,
    network: Box<dyn Network>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({} {:016x})", self.name, self.digest)
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        self.name == other.name && self.digest == other.digest
    }
}

impl Model {
    /// Reads a model and tries it; whatever is wrong with it is said here and not in the middle of a study.
    pub fn load(dir: &Path) -> Result<Model, ModelError> {
        let shown = || dir.display().to_string();
        let wrong = |what: String| ModelError::Wrong { path: shown(), what };
        let name = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
        let name = name.file_name().and_then(|name| name.to_str()).unwrap_or("model").to_owned();
        let graph = [dir.join("model.onnx"), dir.join("onnx").join("model.onnx")];
        let Some(graph) = graph.into_iter().find(|path| path.is_file()) else {
            return Err(wrong("it has no model.onnx".to_owned()));
        };
        let config_path = dir.join("config.json");
        let config = read_json(&config_path)?;
        let labels = Labels::of(&config)
            .map_err(|what| ModelError::Wrong { path: config_path.display().to_string(), what })?;
        let pieces = Pieces::load(dir)?;
        let size = config.get("vocab_size").and_then(Value::as_u64);
        if let Some(size) = size.filter(|size| u64::from(pieces.last()) >= *size) {
            let last = pieces.last();
            return Err(wrong(format!(
                "config.json says that it knows {size} pieces, and there is one numbered {last}"
            )));
        }
        let window = window_of(dir, &config)?;
        let digest = digest_of(dir, &graph)?;
        let network = network(&graph, labels.len(), &name)?;
        let model = Model { name, digest, inner: Arc::new(Inner { pieces, labels, window, network }) };
        model.inner.try_out().map_err(wrong)?;
        Ok(model)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names in a text, in order; those up to where it was stopped, if it was.
    pub fn mark(&self, text: &str, watch: &dyn Watch) -> Result<Vec<Marked>, ModelError> {
        let failed = |what| ModelError::Failed { name: self.name.clone(), what };
        let Inner { pieces, labels, window, network } = &*self.inner;
        let all = pieces.cut(text);
        let mut said: Vec<Said> = Vec::new();
        let mut ids = Vec::with_capacity(*window);
        for part in windows(text, &all, window.saturating_sub(2)) {
            // A long text is many windows.
            if watch.is_stopped() {
                break;
            }
            ids.clear();
            ids.push(pieces.begin);
            let taken = all.get(part.read.clone()).unwrap_or_default();
            ids.extend(taken.iter().map(|piece| piece.id));
            ids.push(pieces.end);
            let numbers = network.run(&ids).map_err(failed)?;
            labels.words(taken, part.read.start, &part.kept, &numbers, &mut said);
        }
        Ok(labels::spans(text, &said))
    }
}

impl Inner {
    /// Runs the longest window of the highest piece: numbers beyond the network's tables show here.
    fn try_out(&self) -> Result<(), String> {
        let Inner { pieces, labels, window, network } = self;
        for length in [3, *window] {
            let mut ids = vec![pieces.last(); length];
            ids.splice(..1, [pieces.begin]);
            ids.splice(length - 1.., [pieces.end]);
            let numbers = network.run(&ids)?;
            if numbers.len() != length * labels.len() {
                return Err(format!(
                    "model.onnx gives {} numbers for {length} pieces, and config.json has {} labels",
                    numbers.len(),
                    labels.len()
                ));
            }
            if numbers.iter().any(|number| !number.is_finite()) {
                return Err("model.onnx gives numbers that are none".to_owned());
            }
        }
        Ok(())
    }
}

#[cfg(feature = "model")]
fn network(graph: &Path, labels: usize, _name: &str) -> Result<Box<dyn Network>, ModelError> {
    match onnx::Onnx::load(graph, labels) {
        Ok(network) => Ok(Box::new(network)),
        Err(what) => Err(ModelError::Wrong { path: graph.display().to_string(), what }),
    }
}

#[cfg(not(feature = "model"))]
fn network(_graph: &Path, _labels: usize, name: &str) -> Result<Box<dyn Network>, ModelError> {
    Err(ModelError::NotBuilt(name.to_owned()))
}

fn read_json(path: &Path) -> Result<Value, ModelError> {
    let shown = || path.display().to_string();
    let text = std::fs::read(path).map_err(|source| ModelError::Io { path: shown(), source })?;
    serde_json::from_slice(&text)
        .map_err(|fault| ModelError::Wrong { path: shown(), what: fault.to_string() })
}

/// How many pieces the model takes at once.
fn window_of(dir: &Path, config: &Value) -> Result<usize, ModelError> {
    let settings = dir.join("tokenizer_config.json");
    let settings = if settings.is_file() { read_json(&settings)? } else { Value::Null };
    let most = config.get("max_position_embeddings").and_then(Value::as_u64).unwrap_or(USUAL_WINDOW);
    // Those that know no limit have a number here that no whole number can hold.
    let most = most.min(settings.get("model_max_length").and_then(Value::as_u64).unwrap_or(most));
    let most = usize::try_from(most).unwrap_or(LONGEST_WINDOW).min(LONGEST_WINDOW);
    if most < SHORTEST_WINDOW {
        let what = format!("it takes {most} pieces at once, which is too few to tell anything");
        return Err(ModelError::Wrong { path: dir.display().to_string(), what });
    }
    Ok(most)
}

fn digest_of(dir: &Path, graph: &Path) -> Result<u64, ModelError> {
    let mut digest = Xxh3Default::new();
    let files =
        ["config.json", "tokenizer.json", "vocab.txt", "tokenizer_config.json"].map(|name| dir.join(name));
    for path in files.iter().map(PathBuf::as_path).filter(|path| path.is_file()).chain([graph]) {
        let fault = |source| ModelError::Io { path: path.display().to_string(), source };
        let mut file = std::fs::File::open(path).map_err(fault)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = file.read(&mut buffer).map_err(fault)?;
            if read == 0 {
                break;
            }
            digest.update(buffer.get(..read).unwrap_or_default());
        }
    }
    Ok(digest.digest())
}

#[cfg(test)]
pub(super) mod tests;
