//! How frequent words are and how long texts, for BM25: of the documents that are there. Tantivy counts those that were taken out
//! until their piece is merged, and guesses the length of texts when it merges: the same archive would be answered for differently.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, SegmentReader, Term};

/// How many words there are in each field, once it is known: to count them takes all documents.
pub(super) type Lengths = Mutex<HashMap<Field, u64>>;

pub(super) struct Statistics<'s> {
    searcher: &'s Searcher,
    lengths: &'s Lengths,
    frequencies: RefCell<HashMap<Term, u64>>,
}

impl<'s> Statistics<'s> {
    pub(super) fn of(searcher: &'s Searcher, lengths: &'s Lengths) -> Statistics<'s> {
        Statistics { searcher, lengths, frequencies: RefCell::default() }
    }

    pub(super) fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// How many documents have a word.
    pub(super) fn frequency(&self, term: &Term) -> tantivy::Result<u64> {
        if let Some(known) = self.frequencies.borrow().get(term) {
            return Ok(*known);
        }
        let mut frequency = 0;
        for segment in self.searcher.segment_readers() {
            frequency += u64::from(frequency_in(segment, term)?);
        }
        self.frequencies.borrow_mut().insert(term.clone(), frequency);
        Ok(frequency)
    }
}

fn frequency_in(segment: &SegmentReader, term: &Term) -> tantivy::Result<u32> {
    let index = segment.inverted_index(term.field())?;
    let Some(alive) = segment.alive_bitset() else { return Ok(index.doc_freq(term)?) };
    let postings = index.read_postings(term, IndexRecordOption::Basic)?;
    Ok(postings.map_or(0, |mut postings| postings.count(alive)))
}

/// As exactly as the index keeps the length of a text, which is the same in every piece.
fn tokens_in(segment: &SegmentReader, field: Field) -> tantivy::Result<u64> {
    let Some(lengths) = segment.fieldnorms_readers().get_field(field)? else {
        // A label is one word.
        return Ok(u64::from(segment.num_docs()));
    };
    let mut texts_of_length = [0u64; 256];
    for document in segment.doc_ids_alive() {
        if let Some(texts) = texts_of_length.get_mut(usize::from(lengths.fieldnorm_id(document))) {
            *texts += 1;
        }
    }
    let length = |id| u64::from(FieldNormReader::id_to_fieldnorm(id));
    Ok((0..=u8::MAX).zip(texts_of_length).map(|(id, texts)| length(id) * texts).sum())
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let mut known = self.lengths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tokens) = known.get(&field) {
            return Ok(*tokens);
        }
        let mut tokens = 0;
        for segment in self.searcher.segment_readers() {
            tokens += tokens_in(segment, field)?;
        }
        known.insert(field, tokens);
        Ok(tokens)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.documents())
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        self.frequency(term)
    }
}
