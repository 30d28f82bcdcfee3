//! What a word is worth, in steps: sums of them are exact, so that they do not depend on the order in which the words of a
//! question are added up, which is another in every piece of an index.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{COLLECT_BLOCK_BUFFER_LEN, DocId, DocSet, Score, SeekDangerResult, SegmentReader};

/// Sums up to 4096 are exact in 24 bits.
const STEPS: Score = 4096.0;

#[derive(Debug)]
pub(super) struct Stepped(pub Box<dyn Query>);

impl Clone for Stepped {
    fn clone(&self) -> Stepped {
        Stepped(self.0.box_clone())
    }
}

impl Query for Stepped {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let weight = self.0.weight(scoring)?;
        Ok(if scoring.is_scoring_enabled() { Box::new(SteppedWeight(weight)) } else { weight })
    }
}

struct SteppedWeight(Box<dyn Weight>);

impl Weight for SteppedWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(SteppedScorer(self.0.scorer(reader, boost)?)))
    }

    fn scorer_danger(
        &self,
        reader: &SegmentReader,
        target: DocId,
        boost: Score,
    ) -> tantivy::Result<(SeekDangerResult, Box<dyn Scorer>)> {
        let (result, scorer) = self.0.scorer_danger(reader, target, boost)?;
        Ok((result, Box::new(SteppedScorer(scorer))))
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, document)
    }
}

struct SteppedScorer(Box<dyn Scorer>);

impl DocSet for SteppedScorer {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
        self.0.seek_danger(target)
    }

    fn fill_buffer(&mut self, buffer: &mut [DocId; COLLECT_BLOCK_BUFFER_LEN]) -> usize {
        self.0.fill_buffer(buffer)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }

    fn cost(&self) -> u64 {
        self.0.cost()
    }
}

impl Scorer for SteppedScorer {
    fn score(&mut self) -> Score {
        (self.0.score() * STEPS).round() / STEPS
    }
}
