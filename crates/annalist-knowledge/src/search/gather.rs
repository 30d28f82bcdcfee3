//! What matches, in one pass: the best of it, how much there is, its facets and its course over time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::{Column, StrColumn};
use tantivy::error::DataCorruption;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use super::answer::Sort;

/// What results can be counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FacetField {
    Site,
    Host,
    Language,
    Type,
    Application,
    Author,
    Topic,
    Entity,
    Event,
    Mime,
}

impl FacetField {
    pub const ALL: [FacetField; 10] = [
        FacetField::Site,
        FacetField::Topic,
        FacetField::Entity,
        FacetField::Event,
        FacetField::Language,
        FacetField::Type,
        FacetField::Application,
        FacetField::Author,
        FacetField::Host,
        FacetField::Mime,
    ];

    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            FacetField::Site => "site",
            FacetField::Host => "host",
            FacetField::Language => "language",
            FacetField::Type => "type",
            FacetField::Application => "application",
            FacetField::Author => "author",
            FacetField::Topic => "topic",
            FacetField::Entity => "entity",
            FacetField::Event => "event",
            FacetField::Mime => "mime",
        }
    }

    /// As it stands in the index.
    fn column(self) -> &'static str {
        match self {
            FacetField::Type => "kind",
            _ => self.name(),
        }
    }
}

/// Documents are counted in blocks: a column is read for many at once.
const BLOCK: usize = 128;
/// No piece of an index has so many; the number comes from a file, which may be damaged.
const MOST_LABELS: usize = 1 << 28;
/// Scores that differ by less are equal.
const SCORE_STEPS: f32 = 1024.0;
/// How much a page's relevance raises or lowers the score of its words.
const RELEVANCE_WEIGHT: f32 = 0.5;
const UNKNOWN_RELEVANCE: f32 = 0.5;

/// A matching document with what puts it in order, the better the higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked {
    pub rank: u64,
    pub id: u64,
    pub address: DocAddress,
}

impl Ranked {
    pub(super) fn score(self) -> f32 {
        self.rank as f32 / SCORE_STEPS
    }
}

/// Whole numbers add up to the same in any order.
pub(super) const SENTIMENT_STEPS: f64 = (1u64 << 24) as f64;

/// A month, and how many of its documents were read and how kindly they speak.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Month {
    pub documents: u64,
    pub judged: u64,
    /// The sum, in steps.
    pub sentiment: f64,
}

pub(super) struct Gather<'q> {
    pub sort: Sort,
    pub most: usize,
    pub facets: &'q [FacetField],
    pub months: bool,
}

/// What one segment gives. Counts are by the segment's own numbers of labels.
pub(super) struct Gathered {
    pub segment: SegmentOrdinal,
    pub total: u64,
    pub best: Vec<Ranked>,
    pub facets: Vec<Option<(StrColumn, Vec<u32>)>>,
    pub months: BTreeMap<u64, Month>,
    pub undated: u64,
}

impl Collector for Gather<'_> {
    type Fruit = Vec<Gathered>;
    type Child = Gathering;

    fn for_segment(&self, segment: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<Gathering> {
        let columns = reader.fast_fields();
        let mut facets = Vec::with_capacity(self.facets.len());
        for facet in self.facets {
            let Some(column) = columns.str(facet.column())? else {
                facets.push(None);
                continue;
            };
            if column.num_terms() > MOST_LABELS {
                return Err(DataCorruption::comment_only("a column with too many labels").into());
            }
            let counts = vec![0; column.num_terms()];
            facets.push(Some((column, counts)));
        }
        let order = match self.sort {
            Sort::Relevance => Order::Score(columns.f64("relevance")?),
            Sort::Newest => Order::Newest(columns.i64("time")?),
            Sort::Oldest => Order::Oldest(columns.i64("time")?),
        };
        let months = match self.months {
            true => Some((columns.u64("published_month")?, columns.f64("sentiment")?)),
            false => None,
        };
        Ok(Gathering {
            most: self.most,
            order,
            ids: columns.u64("id")?,
            best: BinaryHeap::with_capacity(self.most.min(10_000) + 1),
            block: Vec::with_capacity(BLOCK),
            columns: months,
            gathered: Gathered {
                segment,
                total: 0,
                best: Vec::new(),
                facets,
                months: BTreeMap::new(),
                undated: 0,
            },
        })
    }

    fn requires_scoring(&self) -> bool {
        self.sort == Sort::Relevance
    }

    fn merge_fruits(&self, segments: Vec<Gathered>) -> tantivy::Result<Vec<Gathered>> {
        Ok(segments)
    }
}

enum Order {
    Score(Column<f64>),
    Newest(Column<i64>),
    Oldest(Column<i64>),
}

pub(super) struct Gathering {
    most: usize,
    order: Order,
    ids: Column<u64>,
    best: BinaryHeap<Reverse<Ranked>>,
    block: Vec<DocId>,
    columns: Option<(Column<u64>, Column<f64>)>,
    gathered: Gathered,
}

impl Gathering {
    fn rank(&self, document: DocId, score: Score) -> u64 {
        match &self.order {
            Order::Score(relevance) => {
                let relevance = relevance.first(document).map_or(UNKNOWN_RELEVANCE, |r| r as f32);
                let weight = 1.0 + RELEVANCE_WEIGHT * (relevance - UNKNOWN_RELEVANCE);
                (score * weight * SCORE_STEPS).max(0.0) as u64
            }
            Order::Newest(times) => ordered(times.first(document).unwrap_or(i64::MIN)),
            Order::Oldest(times) => !ordered(times.first(document).unwrap_or(i64::MAX)),
        }
    }

    fn count_block(&mut self) {
        let mut values = [None; BLOCK];
        for (column, counts) in self.gathered.facets.iter_mut().flatten() {
            let column = column.ords();
            if column.get_cardinality().is_multivalue() {
                for ord in self.block.iter().flat_map(|document| column.values_for_doc(*document)) {
                    count(counts, ord);
                }
                continue;
            }
            let values = values.get_mut(..self.block.len()).unwrap_or_default();
            values.fill(None);
            column.first_vals(&self.block, values);
            values.iter().flatten().for_each(|ord| count(counts, *ord));
        }
        if let Some((months, sentiments)) = &self.columns {
            for document in &self.block {
                let Some(month) = months.first(*document) else {
                    self.gathered.undated += 1;
                    continue;
                };
                let month = self.gathered.months.entry(month).or_default();
                month.documents += 1;
                if let Some(sentiment) = sentiments.first(*document) {
                    month.judged += 1;
                    month.sentiment += (sentiment * SENTIMENT_STEPS).round();
                }
            }
        }
        self.block.clear();
    }
}

fn count(counts: &mut [u32], ord: u64) {
    if let Some(count) = usize::try_from(ord).ok().and_then(|ord| counts.get_mut(ord)) {
        *count += 1;
    }
}

/// As a number without a sign, in the same order.
fn ordered(number: i64) -> u64 {
    (number as u64) ^ (1 << 63)
}

impl SegmentCollector for Gathering {
    type Fruit = Gathered;

    fn collect(&mut self, document: DocId, score: Score) {
        self.gathered.total += 1;
        self.block.push(document);
        if self.block.len() == BLOCK {
            self.count_block();
        }
        if self.most == 0 {
            return;
        }
        let rank = self.rank(document, score);
        let is_full = self.best.len() >= self.most;
        if is_full && self.best.peek().is_some_and(|Reverse(worst)| rank < worst.rank) {
            return;
        }
        let id = self.ids.first(document).unwrap_or_default();
        let address = DocAddress { segment_ord: self.gathered.segment, doc_id: document };
        self.best.push(Reverse(Ranked { rank, id, address }));
        if is_full {
            self.best.pop();
        }
    }

    fn harvest(mut self) -> Gathered {
        self.count_block();
        self.gathered.best = self.best.into_iter().map(|Reverse(ranked)| ranked).collect();
        self.gathered
    }
}
