//! What matches, in one pass: the best of it, how much there is, its facets and its course over time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Debug;
use std::sync::Arc;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::{Cardinality, Column};
use tantivy::error::DataCorruption;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use super::answer::Sort;
use super::labels::Labels;

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

    /// The one that is asked for so.
    pub fn named(name: &str) -> Option<FacetField> {
        FacetField::ALL.into_iter().find(|field| field.name() == name)
    }

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

    /// What narrows a question to exactly the documents that were counted under a label.
    pub fn exactly(self, label: &str) -> String {
        if self.is_named() { format!("{EXACTLY}{label}") } else { label.to_owned() }
    }

    /// The label of such a value; other values as they are.
    pub fn label_in(self, value: &str) -> &str {
        value.strip_prefix(EXACTLY).filter(|_| self.is_named()).unwrap_or(value)
    }

    /// Whether it is found by its words, too.
    pub(super) fn is_named(self) -> bool {
        matches!(self, FacetField::Author | FacetField::Topic | FacetField::Entity | FacetField::Event)
    }

    /// As it stands in the index.
    pub(super) fn column(self) -> &'static str {
        match self {
            FacetField::Type => "kind",
            _ => self.name(),
        }
    }
}

/// Before a name that is meant as a whole, and not by its words.
pub(super) const EXACTLY: char = '=';

/// Documents are counted in blocks: a column is read for many at once.
const BLOCK: usize = 128;
/// Until the year 10,000; the number comes from a file, which may be damaged.
const MOST_MONTHS: usize = 12 * 10_000;
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
    pub facets: &'q [Arc<Labels>],
    /// Which piece of all that are asked the first of this index is.
    pub first_piece: usize,
    pub months: bool,
}

/// What one piece gives. Counts are by its own numbers of labels.
pub(super) struct Gathered {
    pub total: u64,
    pub best: Vec<Ranked>,
    pub facets: Vec<Vec<u32>>,
    pub first_month: u64,
    pub months: Vec<Month>,
    pub undated: u64,
}

impl Collector for Gather<'_> {
    type Fruit = Vec<Gathered>;
    type Child = Gathering;

    fn for_segment(&self, segment: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<Gathering> {
        let columns = reader.fast_fields();
        let mut facets = Vec::with_capacity(self.facets.len());
        let mut counts = Vec::with_capacity(self.facets.len());
        for labels in self.facets {
            let piece = labels.piece(self.first_piece + segment as usize);
            counts.push(vec![0; piece.map_or(0, |column| column.num_terms())]);
            // A field that no document of the piece has still has a column, which would be asked for each of them.
            let column = piece.filter(|column| column.num_terms() > 0);
            facets.push(column.map(|column| column.ords().clone()));
        }
        let order = match self.sort {
            Sort::Relevance => Order::Score(columns.f64("relevance")?),
            Sort::Newest => Order::Newest(columns.i64("time")?),
            Sort::Oldest => Order::Oldest(columns.i64("time")?),
        };
        let mut course = None;
        let (mut first_month, mut months) = (0, Vec::new());
        if self.months {
            let column = columns.u64("published_month")?;
            let sentiments = columns.f64("sentiment")?;
            first_month = column.min_value();
            let number = column.max_value().checked_sub(first_month).map_or(0, |span| span + 1);
            let number = usize::try_from(number).ok().filter(|number| *number <= MOST_MONTHS);
            let Some(number) = number else {
                return Err(DataCorruption::comment_only("a column with too many months").into());
            };
            months = vec![Month::default(); number];
            course = Some((column, Some(sentiments).filter(|column| column.values.num_vals() > 0)));
        }
        Ok(Gathering {
            segment,
            most: self.most,
            order,
            ids: columns.u64("id")?,
            best: BinaryHeap::with_capacity(self.most.min(10_000) + 1),
            block: Vec::with_capacity(BLOCK),
            scores: Vec::with_capacity(BLOCK),
            facets,
            course,
            gathered: Gathered {
                total: 0,
                best: Vec::new(),
                facets: counts,
                first_month,
                months,
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
    segment: SegmentOrdinal,
    most: usize,
    order: Order,
    ids: Column<u64>,
    best: BinaryHeap<Reverse<Ranked>>,
    /// Documents that match and are not counted yet.
    block: Vec<DocId>,
    scores: Vec<Score>,
    facets: Vec<Option<Column<u64>>>,
    /// Months, and how kindly they speak where somebody judged.
    course: Option<(Column<u64>, Option<Column<f64>>)>,
    gathered: Gathered,
}

impl Gathering {
    fn end_block(&mut self) {
        self.gathered.total += self.block.len() as u64;
        if self.most > 0 {
            self.rank_block();
        }
        self.count_labels();
        self.count_months();
        self.block.clear();
        self.scores.clear();
    }

    fn rank_block(&mut self) {
        let mut ranks = [0; BLOCK];
        match &self.order {
            Order::Score(relevance) => {
                let relevance = firsts(relevance, &self.block);
                for ((rank, relevance), score) in ranks.iter_mut().zip(relevance).zip(&self.scores) {
                    let relevance = relevance.map_or(UNKNOWN_RELEVANCE, |relevance| relevance as f32);
                    let weight = 1.0 + RELEVANCE_WEIGHT * (relevance - UNKNOWN_RELEVANCE);
                    *rank = (score * weight * SCORE_STEPS).max(0.0) as u64;
                }
            }
            Order::Newest(times) => {
                for (rank, time) in ranks.iter_mut().zip(firsts(times, &self.block)) {
                    *rank = ordered(time.unwrap_or(i64::MIN));
                }
            }
            Order::Oldest(times) => {
                for (rank, time) in ranks.iter_mut().zip(firsts(times, &self.block)) {
                    *rank = !ordered(time.unwrap_or(i64::MAX));
                }
            }
        }
        for (document, rank) in self.block.iter().zip(ranks) {
            let is_full = self.best.len() >= self.most;
            if is_full && self.best.peek().is_some_and(|Reverse(worst)| rank < worst.rank) {
                continue;
            }
            let id = self.ids.first(*document).unwrap_or_default();
            let address = DocAddress { segment_ord: self.segment, doc_id: *document };
            self.best.push(Reverse(Ranked { rank, id, address }));
            if is_full {
                self.best.pop();
            }
        }
    }

    fn count_labels(&mut self) {
        for (column, counts) in self.facets.iter().zip(&mut self.gathered.facets) {
            let Some(column) = column else { continue };
            match (column.get_cardinality(), counts.as_mut_slice()) {
                (Cardinality::Full, [only]) => *only += self.block.len() as u32,
                (Cardinality::Full, counts) => {
                    let ords = fulls(column, &self.block);
                    ords.iter().take(self.block.len()).for_each(|ord| count(counts, *ord));
                }
                (Cardinality::Multivalued, counts) => {
                    for ord in self.block.iter().flat_map(|document| column.values_for_doc(*document)) {
                        count(counts, ord);
                    }
                }
                (_, counts) => {
                    let ords = firsts(column, &self.block);
                    ords.iter().take(self.block.len()).flatten().for_each(|ord| count(counts, *ord));
                }
            }
        }
    }

    fn count_months(&mut self) {
        let Some((months, sentiments)) = &self.course else { return };
        let number = self.block.len();
        let found = firsts(months, &self.block);
        let sentiments = sentiments.as_ref().map(|sentiments| firsts(sentiments, &self.block));
        for (at, month) in found.iter().take(number).enumerate() {
            let Some(month) = month else {
                self.gathered.undated += 1;
                continue;
            };
            let place = month.checked_sub(self.gathered.first_month);
            let place = place.and_then(|place| usize::try_from(place).ok());
            let Some(month) = place.and_then(|place| self.gathered.months.get_mut(place)) else { continue };
            month.documents += 1;
            if let Some(sentiment) = sentiments.as_ref().and_then(|all| *all.get(at)?) {
                month.judged += 1;
                month.sentiment += (sentiment * SENTIMENT_STEPS).round();
            }
        }
    }
}

/// The value of each document of a block, where each has one. Those that follow one another are read in one go.
fn fulls<T>(column: &Column<T>, block: &[DocId]) -> [T; BLOCK]
where
    T: Copy + Default + PartialOrd + Debug + Send + Sync + 'static,
{
    let mut values = [T::default(); BLOCK];
    let (Some(first), Some(last)) = (block.first(), block.last()) else { return values };
    let some = values.get_mut(..block.len()).unwrap_or_default();
    if (last - first) as usize + 1 == block.len() {
        column.values.get_range(u64::from(*first), some);
    } else {
        column.values.get_vals(block, some);
    }
    values
}

/// The first value of each document of a block.
fn firsts<T>(column: &Column<T>, block: &[DocId]) -> [Option<T>; BLOCK]
where
    T: Copy + Default + PartialOrd + Debug + Send + Sync + 'static,
{
    if column.get_cardinality() == Cardinality::Full {
        return fulls(column, block).map(Some);
    }
    let mut values = [None; BLOCK];
    column.first_vals(block, values.get_mut(..block.len()).unwrap_or_default());
    values
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
        self.block.push(document);
        self.scores.push(score);
        if self.block.len() == BLOCK {
            self.end_block();
        }
    }

    fn harvest(mut self) -> Gathered {
        self.end_block();
        self.gathered.best = self.best.into_iter().map(|Reverse(ranked)| ranked).collect();
        self.gathered
    }
}
