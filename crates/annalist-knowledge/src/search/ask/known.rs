//! What was counted for the last questions: who turns pages, changes the order or comes back to the start asks for the same
//! counts, and to count is most of the work where much matches. The indexes of a reader never change.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::search::answer::{Facet, MonthCount, Question};
use crate::search::entry::month_name;
use crate::search::gather::{FacetField, Gathered, Month, SENTIMENT_STEPS};
use crate::search::query::Wanted;

/// With ten labels of each facet and ten years of months one takes 20 KB.
const MOST: usize = 64;
/// Who asks for more labels than this gets them each time anew.
const MOST_LABELS: usize = 100;

/// What is the same on every page of an answer and in every order.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub facets: Vec<Facet>,
    pub months: Vec<MonthCount>,
    pub undated: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct KnownCounts(Mutex<VecDeque<Known>>);

#[derive(Debug)]
struct Known {
    wanted: Wanted,
    facets: Vec<FacetField>,
    labels: usize,
    over_time: bool,
    counted: Arc<Counted>,
}

impl Known {
    fn is_of(&self, question: &Question) -> bool {
        self.labels == question.labels
            && self.over_time == question.over_time
            && self.facets == question.facets
            && self.wanted == question.wanted
    }
}

impl KnownCounts {
    pub(super) fn get(&self, question: &Question) -> Option<Arc<Counted>> {
        let mut known = self.known();
        let at = known.iter().position(|known| known.is_of(question))?;
        let found = known.remove(at)?;
        let counted = Arc::clone(&found.counted);
        known.push_front(found);
        Some(counted)
    }

    pub(super) fn put(&self, question: &Question, counted: &Counted) {
        let Question { wanted, facets, labels, over_time, .. } = question;
        if facets.is_empty() && !over_time || *labels > MOST_LABELS {
            return;
        }
        let known = Known {
            wanted: wanted.clone(),
            facets: facets.clone(),
            labels: *labels,
            over_time: *over_time,
            counted: Arc::new(counted.clone()),
        };
        let mut all = self.known();
        all.push_front(known);
        all.truncate(MOST);
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Month by month, of all pieces.
pub(super) fn over_time(pieces: &[Gathered]) -> Vec<MonthCount> {
    let mut months: BTreeMap<u64, Month> = BTreeMap::new();
    for piece in pieces {
        let numbered = (piece.first_month..).zip(&piece.months);
        for (month, counted) in numbered.filter(|(_, counted)| counted.documents > 0) {
            let sum = months.entry(month).or_default();
            sum.documents += counted.documents;
            sum.judged += counted.judged;
            sum.sentiment += counted.sentiment;
        }
    }
    let month = |(month, sum): (u64, Month)| MonthCount {
        month: month_name(month),
        count: sum.documents,
        sentiment: (sum.judged > 0).then(|| sum.sentiment / SENTIMENT_STEPS / sum.judged as f64),
    };
    months.into_iter().map(month).collect()
}
