//! What a model marked in the writings: counted by name for the archive, and remembered by writing, so that a name that only the model
//! takes for one is mentioned where it was marked.

use super::Kind;
use super::fold::name_key;
use super::learn::{Learned, lower_into};
use super::lists::{Class, Words};
use super::model::{Marked, Model, ModelError};
use super::runs::Run;
use crate::offline::prose::{Token, tokens};
use crate::offline::{StudyWatch, Writing};

const KINDS: [Kind; 3] = [Kind::Person, Kind::Place, Kind::Organisation];

/// How often the model took something for a name, and how surely of what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Modelled {
    pub times: u32,
    /// Sums, in the order of `KINDS`.
    sure: [f32; 3],
}

impl Modelled {
    fn mark(&mut self, kind: Kind, confidence: f32) {
        self.times += 1;
        for (sum, _) in self.sure.iter_mut().zip(KINDS).filter(|(_, of)| *of == kind) {
            *sum += confidence;
        }
    }

    pub(super) fn add(&mut self, other: Modelled) {
        self.times += other.times;
        self.sure.iter_mut().zip(other.sure).for_each(|(sum, more)| *sum += more);
    }

    /// What it is, and how surely: contradictions make it less sure.
    pub(super) fn verdict(&self) -> Option<(Kind, f32)> {
        let best = self.sure.iter().zip(KINDS).max_by(|(a, _), (b, _)| a.total_cmp(b));
        let (sum, kind) = best.filter(|_| self.times > 0)?;
        Some((kind, (sum / self.times as f32).min(0.99)))
    }
}

/// The names that the model marked, by writing.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Name and confidence, sorted within each writing.
    marks: Vec<(u64, f32)>,
    /// Where each writing's end.
    ends: Vec<usize>,
}

impl Marks {
    /// How surely a writing has a name.
    pub(super) fn of(&self, writing: u32, name: u64) -> Option<f32> {
        let writing = writing as usize;
        let from = writing.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let marks = self.marks.get(from..*self.ends.get(writing)?)?;
        let at = marks.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        marks.get(at).map(|(_, confidence)| *confidence)
    }

    fn end_writing(&mut self) {
        let from = self.ends.last().copied().unwrap_or(0);
        let mut fresh = self.marks.split_off(from);
        // The surest of each name comes first, and stays.
        fresh.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        fresh.dedup_by_key(|(name, _)| *name);
        self.marks.extend(fresh);
        self.ends.push(self.marks.len());
    }
}

/// Learns from a writing, with what the model says about it.
pub(super) fn take(
    model: Option<&Model>,
    writing: &Writing,
    learned: &mut Learned,
    marks: &mut Result<Marks, ModelError>,
    watch: &dyn StudyWatch,
) {
    learned.take(writing);
    let (Some(model), Ok(kept)) = (model, &mut *marks) else { return };
    let language = writing.language.as_deref().unwrap_or("en");
    for text in [writing.title.as_deref().unwrap_or_default(), &writing.text] {
        match model.mark(text, watch) {
            Ok(marked) => mark(text, language, &marked, learned, kept),
            Err(fault) => {
                *marks = Err(fault);
                return;
            }
        }
    }
    kept.end_writing();
}

/// Takes what was marked in the writings behind these.
pub(super) fn join(marks: &mut Result<Marks, ModelError>, more: Result<Marks, ModelError>) {
    match (&mut *marks, more) {
        (Ok(marks), Ok(more)) => {
            let from = marks.marks.len();
            marks.marks.extend(more.marks);
            marks.ends.extend(more.ends.into_iter().map(|end| from + end));
        }
        (Ok(_), Err(fault)) => *marks = Err(fault),
        (Err(_), _) => {}
    }
}

fn mark(text: &str, language: &str, marked: &[Marked], learned: &mut Learned, marks: &mut Marks) {
    if marked.is_empty() {
        return;
    }
    let mut all = Vec::new();
    tokens(text, &mut all);
    let words = Words::of(language);
    for span in marked {
        let Some(run) = run_of(text, &all, span, words) else { continue };
        let (Some(name), Some(first), Some(last)) =
            (run.name(text, &all), all.get(run.first), all.get(run.last))
        else {
            continue;
        };
        learned.name(&name, language).modelled.mark(span.kind, span.confidence);
        let written = text.get(first.from..last.core).unwrap_or_default();
        marks.marks.push((name_key(written), span.confidence));
    }
}

/// The words of a span, without the titles before a name.
fn run_of(text: &str, all: &[Token], span: &Marked, words: &Words) -> Option<Run> {
    let mut first = all.partition_point(|token| token.to <= span.from);
    let last = all.partition_point(|token| token.from < span.to).checked_sub(1)?;
    let mut lower = String::new();
    while first < last {
        lower_into(all.get(first)?.core(text), &mut lower);
        if span.kind != Kind::Person || !words.class(&lower).is(Class::HONORIFIC.or(Class::ROLE)) {
            break;
        }
        first += 1;
    }
    (first <= last).then_some(Run { first, last, person: 0 })
}
