//! Which pieces of an index are made one. Large ones are left alone until the whole has grown around them: to write them again
//! and again would be most of the work of indexing, and several of a size can be asked side by side.

use tantivy::index::SegmentMeta;
use tantivy::indexer::{LogMergePolicy, MergeCandidate, MergePolicy};

/// What has more than this part of all documents is large.
const LARGE_PART: usize = 16;
/// Pieces below this are small in any index.
const SMALL: usize = 10_000;
/// Of a piece's documents, that may be taken out before the others are written anew.
const MOST_TAKEN_OUT: f32 = 0.3;

#[derive(Debug)]
pub(super) struct Merging;

impl MergePolicy for Merging {
    fn compute_merge_candidates(&self, pieces: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let all: usize = pieces.iter().map(|piece| piece.num_docs() as usize).sum();
        let most = (all / LARGE_PART).max(SMALL);
        let mut policy = LogMergePolicy::default();
        policy.set_max_docs_before_merge(most);
        let mut candidates = policy.compute_merge_candidates(pieces);
        let is_taken = |piece: &SegmentMeta| candidates.iter().any(|some| some.0.contains(&piece.id()));
        let is_hollow = |piece: &&SegmentMeta| {
            piece.num_deleted_docs() as f32 > MOST_TAKEN_OUT * piece.max_doc() as f32 && !is_taken(piece)
        };
        let hollow: Vec<_> =
            pieces.iter().filter(is_hollow).map(|piece| MergeCandidate(vec![piece.id()])).collect();
        candidates.extend(hollow);
        candidates
    }
}
