//! A question as one index understands it. What can be asked is in `query.rs`.

use annalist_judge::text::{Language, Spacing, Stems, Tokens};
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery,
    TermQuery, TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use super::excluded::Excluded;
use super::fields::Fields;
use super::query::{How, Label, QueryError, Wanted, When, Within};
use super::words::{push_stem, push_word};

/// A beginning that more words have says too little.
const MOST_EXPANDED: usize = 4_096;
/// A word in the title says more than one in the text, one in another form less.
const IN_TITLE: f32 = 2.0;
const OTHER_FORM: f32 = 0.6;

pub(super) struct Planner<'s> {
    pub searcher: &'s Searcher,
    pub fields: &'s Fields,
    /// Those of the index that have stems.
    pub languages: &'s [String],
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
        let Fields { text: body, title, stems, .. } = *self.fields;
        let mut ways =
            vec![self.in_field(body, text, how)?, boosted(self.in_field(title, text, how)?, IN_TITLE)];
        if how == How::AnyForm
            && let Some(word) = only_word(text)
        {
            for code in self.languages {
                let mut stem = String::new();
                if push_stem(&word, code, &mut Stems::new(Language::of(code)), &mut stem) {
                    let term = Term::from_field_text(stems, &stem);
                    if self.searcher.doc_freq(&term)? > 0 {
                        ways.push(boosted(exact(term), OTHER_FORM));
                    }
                }
            }
        }
        Ok(any_of(ways))
    }

    fn in_field(&self, field: Field, text: &str, how: How) -> Result<Planned, PlanError> {
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
            if self.searcher.doc_freq(term)? == 0 {
                return Ok(Box::new(EmptyQuery));
            }
        }
        Ok(phrase(terms))
    }

    fn beginning(&self, field: Field, beginning: &str) -> Result<Planned, PlanError> {
        let mut terms = std::collections::BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let mut words = index.terms().range().ge(beginning).into_stream()?;
            while words.advance() && words.key().starts_with(beginning.as_bytes()) {
                terms.insert(words.key().to_vec());
                if terms.len() > MOST_EXPANDED {
                    let message =
                        format!("more than {MOST_EXPANDED} words begin with {beginning}: give more letters");
                    return Err(PlanError::Query(QueryError { at: 0, message }));
                }
            }
        }
        if terms.is_empty() {
            return Ok(Box::new(EmptyQuery));
        }
        let terms = terms.iter().map(|term| Term::from_field_text(field, &String::from_utf8_lossy(term)));
        Ok(Box::new(TermSetQuery::new(terms)))
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

/// The word, in lower case, where there is one only, of a script with spaces.
fn only_word(text: &str) -> Option<String> {
    let mut tokens = Tokens::new(text);
    let word = tokens.next_token().filter(|token| token.spacing == Spacing::Spaced)?.word.to_owned();
    tokens.next_token().is_none().then_some(word)
}

fn exact(term: Term) -> Planned {
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}

fn phrase(mut terms: Vec<Term>) -> Planned {
    match (terms.len(), terms.pop()) {
        (1, Some(term)) => exact(term),
        (_, Some(last)) => {
            terms.push(last);
            Box::new(PhraseQuery::new(terms))
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
