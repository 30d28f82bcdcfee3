//! What must not match. Tantivy asks what is excluded for documents before the first that matches, which its phrases do not
//! expect; asked through this, they are only ever asked to go forward.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader};

#[derive(Debug)]
pub(super) struct Excluded(pub Box<dyn Query>);

impl Clone for Excluded {
    fn clone(&self) -> Excluded {
        Excluded(self.0.box_clone())
    }
}

impl Query for Excluded {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(ExcludedWeight(self.0.weight(scoring)?)))
    }
}

struct ExcludedWeight(Box<dyn Weight>);

impl Weight for ExcludedWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(ExcludedScorer(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, document)
    }
}

/// Leaves out the shortcut by which a set is asked for one document.
struct ExcludedScorer(Box<dyn Scorer>);

impl DocSet for ExcludedScorer {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }
}

impl Scorer for ExcludedScorer {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}
