//! What studies found and others wrote: it is in no archive, and may be taken back. The server is told the difference
//! between what there is and what it may have. It stands in other graphs than what the archive says, so that taking it
//! back takes nothing else away.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use annalist_disk::RealDisk;
use oxrdf::{GraphName, Quad};

use super::state::SENT;
use super::wording::Source;
use super::{Change, Remote};
use crate::derived::DerivedError;
use crate::graph::{Graph, GraphError, Layer, LayerSettings};
use crate::stores::Places;

/// The server has exactly what is in the layer.
const DONE: &[u8] = b"told";
/// It has at most that, and is to have what there is now.
const UNDER_WAY: &[u8] = b"being told";
impl Remote<'_> {
    /// Tells what is in the layers of studies and imports, and takes back what is no longer there. `false` where there
    /// was nothing to tell.
    pub fn tell_layers(&mut self, places: &Places) -> Result<bool, DerivedError> {
        self.clear_first()?;
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
        self.state.has_sent = true;
        self.state.write(&self.dir)?;
        for quad in before.without(&now)? {
            self.take(Change::Delete, Source::Added, &quad?)?;
        }
        self.deliver(Change::Delete)?;
        self.unlist(&before, &now)?;
        // Where an earlier attempt broke off nobody knows how far it came.
        let nothing = open(&[])?;
        for quad in now.without(if is_under_way { &nothing } else { &before })? {
            self.take(Change::Insert, Source::Added, &quad?)?;
        }
        self.deliver(Change::Insert)?;
        self.sending.make_sure()?;
        sent.clear();
        for quad in now.quads()? {
            sent.insert(&quad?)?;
        }
        sent.commit(DONE)?;
        self.write()?;
        Ok(true)
    }

    /// Takes graphs from the list in which nothing is left, after that was taken back: what is listed can be cleared.
    fn unlist(&mut self, before: &Graph, now: &Graph) -> Result<(), DerivedError> {
        if self.sending.rules().update.is_none() {
            // Nothing was taken back.
            return Ok(());
        }
        let mut empty: HashMap<GraphName, Quad> = HashMap::new();
        for quad in before.without(now)? {
            let quad = quad?;
            if !empty.contains_key(&quad.graph_name) {
                empty.insert(quad.graph_name.clone(), quad);
            }
        }
        if !empty.is_empty() {
            for quad in now.quads()? {
                empty.remove(&quad?.graph_name);
            }
        }
        for quad in empty.values() {
            let said = self.wording.said(Source::Added, quad);
            self.batch.extend(said.and_then(|said| self.wording.listed(&said.graph, quad)));
            if self.batch.len() >= self.sending.rules().batch {
                self.deliver(Change::Delete)?;
            }
        }
        self.deliver(Change::Delete)
    }
}

fn open(layers: &[PathBuf]) -> Result<Graph, GraphError> {
    Graph::open_on(&RealDisk, layers, 16 << 20)
}
