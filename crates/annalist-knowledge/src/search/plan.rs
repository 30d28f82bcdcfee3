//! A question as one index understands it. What can be asked is in `query.rs`.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annalist_judge::text::{Spacing, Tokens};
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery,
    TermQuery, TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use super::excluded::Excluded;
use super::families::Family;
use super::fields::Fields;
use super::query::{How, Label, QueryError, Wanted, When, Within};
use super::statistics::Statistics;
use super::stepped::Stepped;
use super::words::{Forms, push_word};

/// A beginning that more words have says too little.
const MOST_EXPANDED: usize = 4_096;
/// Of a word, no language has more forms.
const MOST_FORMS: usize = 100;
/// A word in the title says more than one in the text, one in another form less.
const IN_TITLE: f32 = 2.0;
const OTHER_FORM: f32 = 0.6;

pub(super) struct Planner<'s> {
    pub searcher: &'s Searcher,
    pub statistics: &'s Statistics<'s>,
    pub fields: &'s Fields,
    /// Those of the index whose forms are known.
    pub languages: &'s [String],
    pub forms: &'s Mutex<Forms>,
}

type Planned = Box<dyn Query>;

#[derive(Debug)]
pub(super) enum PlanError {
    Query(QueryError),
    Index(tantivy::TantivyError),
}

impl From<tantivy::TantivyError> for PlanError {
    fn from(e: tantivy::TantivyError) -> PlanError {
        PlanError::Index(e)
    }
}

impl From<std::io::Error> for PlanError {
    fn from(e: std::io::Error) -> PlanError {
        PlanError::Index(e.into())
    }
}

impl Planner<'_> {
    pub(super) fn plan(&self, wanted: &Wanted) -> Result<Planned, PlanError> {
        Ok(match wanted {
            Wanted::Everything => Box::new(AllQuery),
            Wanted::Words { within: Within::Anywhere, text, how } => self.anywhere(text, *how)?,
            Wanted::Words { within: Within::Title, text, how } => {
                self.in_forms(self.fields.title, text, *how)?
            }
            Wanted::Words { within, text, how } => self.in_field(self.field(*within), text, *how)?,
            Wanted::Label(label, value) => unscored(exact(Term::from_field_text(self.label(*label), value))),
            Wanted::Between(when, from, until) => unscored(self.between(*when, *from, *until)),
            Wanted::Not(_) => self.plan(&Wanted::All(vec![wanted.clone()]))?,
            Wanted::Any(any) => any_of(any.iter().map(|one| self.plan(one)).collect::<Result<_, _>>()?),
            Wanted::All(all) => {
                let mut clauses = Vec::with_capacity(all.len() + 1);
                for one in all {
                    clauses.push(match one {
                        Wanted::Not(not) => (Occur::MustNot, Box::new(Excluded(self.plan(not)?)) as Planned),
                        _ => (Occur::Must, self.plan(one)?),
                    });
                }
                if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
                    clauses.push((Occur::Must, Box::new(AllQuery)));
                }
                Box::new(BooleanQuery::new(clauses))
            }
        })
    }

    fn anywhere(&self, text: &str, how: How) -> Result<Planned, PlanError> {
        let Fields { text: body, title, .. } = *self.fields;
        Ok(any_of(vec![self.in_forms(body, text, how)?, boosted(self.in_forms(title, text, how)?, IN_TITLE)]))
    }

    /// Also in other forms, each in documents of the language that has them. All forms are as rare as they are together: one
    /// that few use is not worth more for it.
    fn in_forms(&self, field: Field, text: &str, how: How) -> Result<Planned, PlanError> {
        let as_written = self.in_field(field, text, how)?;
        let Some(word) = only_word(text).filter(|_| how == How::AnyForm) else { return Ok(as_written) };
        let written = self.statistics.frequency(&Term::from_field_text(field, &word))?;
        let (mut all, mut together) = (Vec::new(), written);
        for (code, found) in self.forms_of(field, &word)? {
            let mut forms = Vec::new();
            for form in found {
                let term = Term::from_field_text(field, &form);
                let documents = self.statistics.frequency(&term)?;
                together += documents;
                forms.push((term, documents));
            }
            all.push((code, forms));
        }
        let rarity = |documents: u64| self.rarity(together) / self.rarity(documents);
        let mut ways = vec![boosted(as_written, rarity(written))];
        for (code, forms) in all.into_iter().filter(|(_, forms)| !forms.is_empty()) {
            let forms = forms
                .into_iter()
                .map(|(term, documents)| boosted(exact(term), OTHER_FORM * rarity(documents)));
            let language = unscored(exact(Term::from_field_text(self.fields.language, code)));
            ways.push(Box::new(BooleanQuery::intersection(vec![any_of(forms.collect()), language])));
        }
        Ok(any_of(ways))
    }

    /// As BM25 has it.
    fn rarity(&self, documents: u64) -> f32 {
        let all = self.statistics.documents();
        let documents = documents.min(all) as f32;
        (1.0 + (all as f32 - documents + 0.5) / (documents + 0.5)).ln().max(f32::MIN_POSITIVE)
    }

    fn stems(&self) -> MutexGuard<'_, Forms> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The other words of the index that have the same stem, by language.
    fn forms_of(&self, field: Field, word: &str) -> Result<Vec<(&str, BTreeSet<String>)>, PlanError> {
        let mut wanted = Vec::new();
        for code in self.languages {
            if let Some(stem) = self.stems().stem(word, code).map(str::to_owned) {
                wanted.push((code.as_str(), Forms::beginnings(&stem, code), stem, BTreeSet::new()));
            }
        }
        // Languages mostly agree on how a word begins: it is looked for once.
        for learnt in shortest(wanted.iter().flat_map(|(_, beginnings, ..)| beginnings)) {
            let family = self.family(field, &learnt)?;
            let mut family = family.lock().unwrap_or_else(PoisonError::into_inner);
            let mut stems = self.stems();
            for (code, beginnings, stem, forms) in &mut wanted {
                for beginning in beginnings.iter().filter(|beginning| beginning.starts_with(&learnt)) {
                    forms.extend(stems.with_stem(&mut family, beginning, code, stem));
                }
                forms.remove(word);
            }
        }
        let forms =
            wanted.into_iter().map(|(code, .., forms)| (code, forms.into_iter().take(MOST_FORMS).collect()));
        Ok(forms.collect())
    }

    /// All words of a field that begin so.
    fn family(&self, field: Field, beginning: &str) -> Result<Arc<Mutex<Family>>, PlanError> {
        if let Some(known) = self.stems().families.get(field, beginning) {
            return Ok(known);
        }
        let mut words = HashSet::new();
        self.words(field, beginning, usize::MAX, &mut words)?;
        Ok(self.stems().families.put(field, beginning, Family::of(words)))
    }

    /// Words of a field that begin so: the first of every piece of the index, and so the first of all, whatever the pieces.
    fn words(
        &self,
        field: Field,
        beginning: &str,
        most: usize,
        found: &mut HashSet<String>,
    ) -> Result<(), PlanError> {
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let mut words = index.terms().range().ge(beginning).into_stream()?;
            let mut number = 0;
            while number < most && words.advance() && words.key().starts_with(beginning.as_bytes()) {
                let Ok(word) = std::str::from_utf8(words.key()) else { continue };
                number += 1;
                if !found.contains(word) {
                    found.insert(word.to_owned());
                }
            }
        }
        Ok(())
    }

    fn in_field(&self, field: Field, text: &str, how: How) -> Result<Planned, PlanError> {
        if how == How::Whole {
            let label = std::ops::Bound::Included(Term::from_field_text(field, text));
            return Ok(unscored(Box::new(RangeQuery::new(label.clone(), label))));
        }
        let mut tokens = Tokens::new(text);
        let mut words = Vec::new();
        let mut is_pair = false;
        while let Some(token) = tokens.next_token() {
            let mut word = String::new();
            push_word(token.word, &mut word);
            is_pair = token.spacing == Spacing::Spaced || token.word.chars().nth(1).is_some();
            words.push(word);
        }
        // Of a script without spaces the index has pairs: a character alone is the beginning of one.
        let how = if words.len() == 1 && !is_pair { How::Beginning } else { how };
        let mut terms: Vec<_> = words.iter().map(|word| Term::from_field_text(field, word)).collect();
        if how == How::Beginning {
            let Some(beginning) = words.pop() else { return Ok(Box::new(EmptyQuery)) };
            terms.pop();
            let last = self.beginning(field, &beginning)?;
            if terms.is_empty() {
                return Ok(last);
            }
            let first = phrase(terms);
            return Ok(Box::new(BooleanQuery::intersection(vec![first, last])));
        }
        for term in &terms {
            if self.statistics.frequency(term)? == 0 {
                return Ok(Box::new(EmptyQuery));
            }
        }
        Ok(phrase(terms))
    }

    fn beginning(&self, field: Field, beginning: &str) -> Result<Planned, PlanError> {
        let mut words = HashSet::new();
        self.words(field, beginning, MOST_EXPANDED + 1, &mut words)?;
        if words.len() > MOST_EXPANDED {
            let message =
                format!("more than {MOST_EXPANDED} words begin with {beginning}: give more letters");
            return Err(PlanError::Query(QueryError { at: 0, message }));
        }
        if words.is_empty() {
            return Ok(Box::new(EmptyQuery));
        }
        Ok(Box::new(TermSetQuery::new(words.iter().map(|word| Term::from_field_text(field, word)))))
    }

    fn between(&self, when: When, from: Option<i64>, until: Option<i64>) -> Planned {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        let field = match when {
            When::Published => self.fields.published,
            When::Captured => self.fields.captured,
        };
        let term = |moment| Term::from_field_i64(field, moment);
        let from = from.map_or(Unbounded, |from| Included(term(from)));
        Box::new(RangeQuery::new(from, until.map_or(Unbounded, |until| Excluded(term(until)))))
    }

    fn field(&self, within: Within) -> Field {
        match within {
            Within::Anywhere => self.fields.text,
            Within::Title => self.fields.title,
            Within::Url => self.fields.url,
            Within::Author => self.fields.author,
            Within::Topic => self.fields.topic,
            Within::Entity => self.fields.entity,
            Within::Event => self.fields.event,
        }
    }

    fn label(&self, label: Label) -> Field {
        match label {
            Label::Site => self.fields.site,
            Label::Host => self.fields.host,
            Label::Language => self.fields.language,
            Label::Type => self.fields.kind,
            Label::Application => self.fields.application,
            Label::Mime => self.fields.mime,
        }
    }
}

/// The word, as it is indexed, where there is one only, of a script with spaces.
fn only_word(text: &str) -> Option<String> {
    let mut tokens = Tokens::new(text);
    let mut word = String::new();
    push_word(tokens.next_token().filter(|token| token.spacing == Spacing::Spaced)?.word, &mut word);
    tokens.next_token().is_none().then_some(word)
}

/// Those that no other is the beginning of.
fn shortest<'b>(beginnings: impl Iterator<Item = &'b String>) -> Vec<String> {
    let mut sorted: Vec<_> = beginnings.cloned().collect();
    sorted.sort_unstable();
    sorted.dedup_by(|later, earlier| later.starts_with(earlier.as_str()));
    sorted
}

fn exact(term: Term) -> Planned {
    Box::new(Stepped(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))))
}

fn phrase(mut terms: Vec<Term>) -> Planned {
    match (terms.len(), terms.pop()) {
        (1, Some(term)) => exact(term),
        (_, Some(last)) => {
            terms.push(last);
            Box::new(Stepped(Box::new(PhraseQuery::new(terms))))
        }
        (_, None) => Box::new(EmptyQuery),
    }
}

fn any_of(mut ways: Vec<Planned>) -> Planned {
    ways.retain(|way| !way.is::<EmptyQuery>());
    match ways.len() {
        0 => Box::new(EmptyQuery),
        1 => ways.remove(0),
        _ => Box::new(BooleanQuery::union(ways)),
    }
}

fn boosted(query: Planned, by: f32) -> Planned {
    if query.is::<EmptyQuery>() { query } else { Box::new(BoostQuery::new(query, by)) }
}

/// It says which documents, not how good they are.
fn unscored(query: Planned) -> Planned {
    Box::new(ConstScoreQuery::new(query, 0.0))
}
