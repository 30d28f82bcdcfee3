//! What studies found and others wrote: it is in no archive, and may be taken back. The server is told the difference
//! between what there is and what it may have.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::RealDisk;
use oxrdf::{GraphName, Quad};

use super::state::SENT;
use super::{Change, Remote};
use crate::derived::{DerivedError, Mark};
use crate::graph::{Graph, GraphError, Layer, LayerSettings};
use crate::stores::Places;

/// The server has exactly what is in the layer.
const DONE: &[u8] = b"told";
/// It has at most that, and is to have what there is now.
const UNDER_WAY: &[u8] = b"being told";
/// What the server was told for the archive's sake must stay there.
const UNKNOWN: &str =
    "no longer said, but perhaps the archive says it too: only a graph kept here could tell";

impl Remote<'_> {
    /// Tells what is in the layers of studies and imports, and takes back what is no longer there. `false` where there
    /// was nothing to tell.
    pub fn tell_layers(&mut self, places: &Places) -> Result<bool, DerivedError> {
        let sent_dir = self.dir.join(SENT);
        let now = open(&[places.studied(), places.imported()])?;
        let before = open(std::slice::from_ref(&sent_dir))?;
        if now.totals().quads == 0 && before.totals().quads == 0 {
            return Ok(false);
        }
        let settings = LayerSettings { memory_bytes: 16 << 20, ..LayerSettings::default() };
        let mut sent = Layer::open(Arc::new(RealDisk), &sent_dir, settings)?;
        let is_under_way = sent.mark() == UNDER_WAY;
        let is_same = || -> Result<bool, GraphError> {
            Ok(now.without(&before)?.next().is_none() && before.without(&now)?.next().is_none())
        };
        if !is_under_way && is_same()? {
            return Ok(false);
        }
        // Before the first word: whatever is told from now on can be taken back later.
        for quad in now.without(&before)? {
            sent.insert(&quad?)?;
        }
        sent.commit(UNDER_WAY)?;
        let web = open(&[places.web()])?;
        let is_web_enough = self.knows_what_was_told(&places.web())?;
        for quad in before.without(&now)? {
            let quad = quad?;
            // The archive says nothing outside the graphs of its captures.
            if !is_web_enough && quad.graph_name != GraphName::DefaultGraph {
                self.sending.leave_out(&quad.to_string(), UNKNOWN)?;
            } else if !has(&web, &quad)? {
                self.take(Change::Delete, &quad)?;
            }
        }
        self.deliver(Change::Delete)?;
        // Where an earlier attempt broke off nobody knows how far it came.
        let nothing = open(&[])?;
        for quad in now.without(if is_under_way { &nothing } else { &before })? {
            self.take(Change::Insert, &quad?)?;
        }
        self.deliver(Change::Insert)?;
        sent.clear();
        for quad in now.quads()? {
            sent.insert(&quad?)?;
        }
        sent.commit(DONE)?;
        self.write()?;
        Ok(true)
    }

    /// Whether the layer of the archive has all that the server was told of the archive: only then does it tell what the
    /// archive does not say.
    fn knows_what_was_told(&self, web: &Path) -> Result<bool, DerivedError> {
        let mark = Layer::mark_of(&RealDisk, web)?;
        let web: Mark = serde_json::from_slice(&mark).unwrap_or_default();
        let told = &self.state.told.mark;
        let is_as_far = told.files.iter().all(|(file, end)| web.of(file) >= *end);
        Ok(is_as_far && web.all_waiting().all(|(file, offset)| !told.has(file, offset)))
    }
}

fn open(layers: &[PathBuf]) -> Result<Graph, GraphError> {
    Graph::open_on(&RealDisk, layers, 16 << 20)
}

fn has(graph: &Graph, quad: &Quad) -> Result<bool, GraphError> {
    let found = graph.matching(
        Some(quad.subject.as_ref()),
        Some(quad.predicate.as_ref()),
        Some(quad.object.as_ref()),
        Some(quad.graph_name.as_ref()),
    )?;
    found.into_iter().next().transpose().map(|found| found.is_some())
}
