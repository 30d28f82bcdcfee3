//! A question to one or several indexes, and the answer: the best documents with what is like them folded away, facets, and
//! the course over time. Reads only; the crawl may go on writing.

mod known;
mod page;

use std::cmp::Reverse;
use std::collections::hash_map::Entry as Known;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::columnar::Column;
use tantivy::directory::MmapDirectory;
use tantivy::query::EnableScoring;
use tantivy::{DocAddress, Index, IndexReader, ReloadPolicy, Searcher, TantivyDocument};

use self::known::{Counted, KnownCounts, over_time};
use super::answer::{Answer, DEEPEST, Facet, Folded, Hit, Question, SearchError, Sort};
use super::damage::caught;
use super::directory::Synced;
use super::entry::Entry;
use super::fields::{Fields, tokenizers};
use super::gather::{FacetField, Gather, Gathered, Ranked};
use super::highlight::Marker;
use super::labels::Labels;
use super::pieces;
use super::plan::{PlanError, Planner};
use super::simhash::Firsts;
use super::statistics::{Lengths, Statistics};
use super::words::{Forms, has_forms};
use super::write::mark_of;
use crate::derived::{DerivedError, Mark};

/// What is like a result is counted among at least so many of the best, however few are shown.
const LIKE_IT_AMONG: usize = 1_000;
/// Of what is folded, so many are named.
const MOST_FOLDED: usize = 20;

/// Indexes that are asked together.
pub struct Reader {
    opened: Vec<Opened>,
    /// Those that were asked for, by the name of their column.
    labels: Mutex<BTreeMap<&'static str, Arc<Labels>>>,
    known: KnownCounts,
}

struct Opened {
    folder: PathBuf,
    reader: IndexReader,
    fields: Fields,
    mark: Mark,
    /// Those that documents are in and whose forms are known.
    languages: Vec<String>,
    lengths: Lengths,
    /// Remembered from question to question.
    forms: Mutex<Forms>,
}

impl Reader {
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> Result<Reader, SearchError> {
        let opened = folders.iter().map(|folder| Opened::open(folder.as_ref())).collect::<Result<_, _>>()?;
        Ok(Reader { opened, labels: Mutex::default(), known: KnownCounts::default() })
    }

    /// How far each index has followed its archive.
    pub fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.opened.iter().map(|opened| &opened.mark)
    }

    /// How many pages and objects there are.
    pub fn documents(&self) -> u64 {
        self.opened.iter().map(|opened| opened.reader.searcher().num_docs()).sum()
    }

    /// Whether what it would be answered with was counted before.
    pub fn has_counted(&self, question: &Question) -> bool {
        self.known.get(question).is_some()
    }

    pub fn ask(&self, question: &Question) -> Result<Answer, SearchError> {
        caught(|| self.answer(question)).unwrap_or_else(|why| Err(self.unreadable(why)))
    }

    fn answer(&self, question: &Question) -> Result<Answer, SearchError> {
        let first = question.page.max(1).saturating_sub(1).saturating_mul(question.limit);
        let needed = first.saturating_add(question.limit).saturating_add(1);
        if needed > DEEPEST + 1 {
            return Err(SearchError::TooDeep { page: question.page.max(1), limit: question.limit });
        }
        let searchers: Vec<_> = self.opened.iter().map(|opened| opened.reader.searcher()).collect();
        let among = if question.fold { LIKE_IT_AMONG } else { 0 };
        let mut window = if question.limit == 0 { 0 } else { (needed * 2 + 50).max(among) };
        let counted = self.known.get(question);
        let (facets, months) = match &counted {
            None => (question.facets.as_slice(), question.over_time),
            Some(_) => (&[][..], false),
        };
        let mut asked = self.gather(question, &searchers, window, facets, months)?;
        match counted {
            None => self.known.put(question, &asked.counted),
            Some(counted) => asked.counted = (*counted).clone(),
        }
        let mut groups = self.groups(question, &searchers, &asked.ranked)?;
        // Much may be folded: look further until the page is full.
        let is_cut =
            |asked: &Asked, window: usize| asked.ranked.len() == window && window > 0 && window < DEEPEST;
        while groups.len() < needed && is_cut(&asked, window) {
            window = (window * 4).min(DEEPEST);
            asked.ranked = self.gather(question, &searchers, window, &[], false)?.ranked;
            groups = self.groups(question, &searchers, &asked.ranked)?;
        }
        let marker = Marker::of(&question.wanted);
        let more = groups.len() > first + question.limit;
        let shown = groups.iter().skip(first).take(question.limit);
        let hits =
            shown.map(|group| self.hit(question, &searchers, group, &marker)).collect::<Result<_, _>>()?;
        Ok(Answer {
            total: asked.total,
            hits,
            more,
            facets: asked.counted.facets,
            months: asked.counted.months,
            undated: asked.counted.undated,
        })
    }

    fn gather(
        &self,
        question: &Question,
        searchers: &[Searcher],
        most: usize,
        facets: &[FacetField],
        months: bool,
    ) -> Result<Asked, SearchError> {
        let labels = facets
            .iter()
            .map(|facet| self.labels(searchers, facet.column()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| self.unreadable(e))?;
        let mut all: Vec<Gathered> = Vec::new();
        let mut asked = Asked::default();
        for (index, (opened, searcher)) in self.opened.iter().zip(searchers).enumerate() {
            let statistics = Statistics::of(searcher, &opened.lengths);
            let planner = Planner {
                searcher,
                statistics: &statistics,
                fields: &opened.fields,
                languages: &opened.languages,
                forms: &opened.forms,
            };
            let query = planner.plan(&question.wanted).map_err(|e| match e {
                PlanError::Query(e) => SearchError::Query(e),
                PlanError::Index(e) => opened.damaged(e),
            })?;
            let (sort, first_piece) = (question.sort, all.len());
            let gather = Gather { sort, most, facets: &labels, first_piece, months };
            let scoring = match sort {
                Sort::Relevance => EnableScoring::enabled_from_statistics_provider(&statistics, searcher),
                Sort::Newest | Sort::Oldest => EnableScoring::disabled_from_searcher(searcher),
            };
            let weight = query.weight(scoring).map_err(|e| opened.damaged(e))?;
            let segments =
                pieces::ask_all(searcher, weight.as_ref(), &gather).map_err(|e| opened.damaged(e))?;
            for segment in &segments {
                asked.total += segment.total;
                asked.ranked.extend(segment.best.iter().map(|ranked| (*ranked, index)));
            }
            all.extend(segments);
        }
        asked.ranked.sort_unstable_by_key(|(ranked, index)| {
            (Reverse((ranked.rank, ranked.id)), *index, ranked.address)
        });
        asked.ranked.truncate(most);
        for (number, (field, labels)) in facets.iter().zip(&labels).enumerate() {
            let counts = all.iter().map(|piece| piece.facets.get(number).map_or(&[][..], Vec::as_slice));
            let counts = labels.most_frequent(counts, question.labels).map_err(|e| self.unreadable(e))?;
            asked.counted.facets.push(Facet { field: field.name(), counts });
        }
        if months {
            asked.counted.undated = Some(all.iter().map(|segment| segment.undated).sum());
            asked.counted.months = over_time(&all);
        }
        Ok(asked)
    }

    fn labels(&self, searchers: &[Searcher], column: &'static str) -> tantivy::Result<Arc<Labels>> {
        let mut known = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(labels) = known.get(column) {
            return Ok(Arc::clone(labels));
        }
        let labels = Arc::new(Labels::of(searchers, column)?);
        known.insert(column, Arc::clone(&labels));
        Ok(labels)
    }

    /// One of them is; the first of those whose files are not as they were written.
    fn unreadable(&self, why: impl ToString) -> SearchError {
        let is_damaged = |opened: &&Opened| {
            let index = opened.reader.searcher().index().clone();
            !caught(|| index.validate_checksum()).is_ok_and(|checked| checked.is_ok_and(|bad| bad.is_empty()))
        };
        let opened = self.opened.iter().find(is_damaged).or_else(|| self.opened.first());
        let folder = opened.map(|opened| opened.folder.clone()).unwrap_or_default();
        SearchError::Damaged { folder, why: why.to_string() }
    }

    /// What is like an earlier one stands with it.
    fn groups(
        &self,
        question: &Question,
        searchers: &[Searcher],
        ranked: &[(Ranked, usize)],
    ) -> Result<Vec<Group>, SearchError> {
        let mut groups: Vec<Group> = Vec::new();
        let (mut by_key, mut by_digest) = (HashMap::new(), HashMap::new());
        let mut firsts = Firsts::default();
        let mut columns = HashMap::new();
        for (ranked, index) in ranked {
            let place = (*index, ranked.address);
            if !question.fold {
                groups.push(Group { ranked: *ranked, place, folded: Vec::new() });
                continue;
            }
            let piece = (*index, ranked.address.segment_ord);
            let columns = match columns.entry(piece) {
                Known::Occupied(known) => known.into_mut(),
                Known::Vacant(new) => new.insert(self.likeness(searchers, piece)?),
            };
            let document = ranked.address.doc_id;
            let [key, stands_for, digest, simhash] =
                columns.each_ref().map(|column| column.first(document).unwrap_or_default());
            let known = by_key.get(&key).or_else(|| by_key.get(&stands_for));
            let known = known.or_else(|| by_digest.get(&digest)).copied();
            let known = known.or_else(|| firsts.like(simhash));
            let group = known.unwrap_or(groups.len());
            match groups.get_mut(group) {
                Some(group) => group.folded.push(place),
                None => groups.push(Group { ranked: *ranked, place, folded: Vec::new() }),
            }
            by_key.entry(key).or_insert(group);
            by_key.entry(stands_for).or_insert(group);
            by_digest.entry(digest).or_insert(group);
            if known.is_none() {
                firsts.add(simhash, group);
            }
        }
        Ok(groups)
    }

    /// The numbers by which a piece's documents are folded.
    fn likeness(
        &self,
        searchers: &[Searcher],
        (index, piece): (usize, u32),
    ) -> Result<[Column<u64>; 4], SearchError> {
        let empty = || Column::build_empty_column(0);
        let (Some(opened), Some(searcher)) = (self.opened.get(index), searchers.get(index)) else {
            return Ok([empty(), empty(), empty(), empty()]);
        };
        let columns = searcher.segment_reader(piece).fast_fields();
        let numbers = |column| columns.u64(column).map_err(|e| opened.damaged(e));
        Ok([numbers("key_id")?, numbers("stands_for")?, numbers("digest")?, numbers("simhash")?])
    }

    fn hit(
        &self,
        question: &Question,
        searchers: &[Searcher],
        group: &Group,
        marker: &Marker,
    ) -> Result<Hit, SearchError> {
        let entry = self.entry(searchers, group.place)?;
        let language = entry.language.as_deref();
        let mut alone = Forms::default();
        let mut known = self.opened.get(group.place.0).map(Opened::forms);
        let forms = known.as_deref_mut().unwrap_or(&mut alone);
        let snippet = marker.passage(&entry.text, language, forms);
        let shown_title = entry.title.as_deref().map(|title| marker.whole(title, language, forms));
        drop(known);
        let mut folded = Vec::new();
        for place in group.folded.iter().take(MOST_FOLDED) {
            let entry = self.entry(searchers, *place)?;
            folded.push(Folded {
                captured: captured(&entry),
                url: entry.own_url.unwrap_or(entry.url),
                kind: entry.kind,
                record: entry.record,
                file: entry.file,
                offset: entry.offset,
                index: place.0,
            });
        }
        Ok(Hit {
            site: entry.site().to_owned(),
            captured: captured(&entry),
            score: (question.sort == Sort::Relevance).then(|| group.ranked.score()),
            shown_title,
            snippet,
            index: group.place.0,
            like_it: group.folded.len() as u64,
            folded,
            entry,
        })
    }

    fn entry(&self, searchers: &[Searcher], (index, address): Place) -> Result<Entry, SearchError> {
        let (Some(opened), Some(searcher)) = (self.opened.get(index), searchers.get(index)) else {
            return Ok(Entry::default());
        };
        let document: TantivyDocument = searcher.doc(address).map_err(|e| opened.damaged(e))?;
        Entry::from_document(&document, &opened.fields)
            .ok_or_else(|| opened.damaged("a document without its entry"))
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.opened.iter().map(|opened| &opened.folder)).finish()
    }
}

impl Opened {
    fn open(folder: &Path) -> Result<Opened, SearchError> {
        if !folder.join("meta.json").is_file() {
            return Err(SearchError::Missing(folder.to_owned()));
        }
        caught(|| Opened::open_in(folder))
            .unwrap_or_else(|why| Err(SearchError::Damaged { folder: folder.to_owned(), why }))
    }

    fn open_in(folder: &Path) -> Result<Opened, SearchError> {
        let damaged = |why: String| SearchError::Damaged { folder: folder.to_owned(), why };
        let directory = MmapDirectory::open(folder).map_err(|e| damaged(e.to_string()))?;
        let mut index = Index::open(Synced::new(directory)).map_err(|e| damaged(e.to_string()))?;
        let (fields, schema) = Fields::new();
        if index.schema() != schema {
            return Err(damaged("it was made by another version".to_owned()));
        }
        index.set_tokenizers(tokenizers());
        let mark = mark_of(&index).map_err(|e: DerivedError| damaged(e.to_string()))?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
        let unread = |e: tantivy::TantivyError| damaged(e.to_string());
        let reader: IndexReader = reader.try_into().map_err(unread)?;
        let languages = languages(&reader.searcher()).map_err(unread)?;
        let folder = folder.to_owned();
        let (lengths, forms) = (Lengths::default(), Mutex::default());
        Ok(Opened { folder, reader, fields, mark, languages, lengths, forms })
    }

    fn forms(&self) -> MutexGuard<'_, Forms> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn damaged(&self, e: impl std::fmt::Display) -> SearchError {
        SearchError::Damaged { folder: self.folder.clone(), why: e.to_string() }
    }
}

/// Those that documents are in and whose forms are known.
fn languages(searcher: &Searcher) -> tantivy::Result<Vec<String>> {
    let mut languages = BTreeSet::new();
    for segment in searcher.segment_readers() {
        let Some(column) = segment.fast_fields().str("language")? else { continue };
        let mut names = column.dictionary().stream()?;
        while names.advance() {
            languages.extend(std::str::from_utf8(names.key()).ok().map(str::to_owned));
        }
    }
    languages.retain(|code| has_forms(code));
    Ok(languages.into_iter().collect())
}

type Place = (usize, DocAddress);

#[derive(Default)]
struct Asked {
    total: u64,
    ranked: Vec<(Ranked, usize)>,
    counted: Counted,
}

struct Group {
    ranked: Ranked,
    place: Place,
    folded: Vec<Place>,
}

fn captured(entry: &Entry) -> String {
    annalist_model::Time::from_millis(u64::try_from(entry.captured_at).unwrap_or_default()).rfc3339()
}
