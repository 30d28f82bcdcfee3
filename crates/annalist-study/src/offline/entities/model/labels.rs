//! What a model's labels mean, and names out of what it says about words.

use std::ops::Range;

use serde_json::Value;

use super::super::Kind;
use super::Marked;
use super::pieces::Piece;

/// Less sure ones are none.
const LEAST: f32 = 0.5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Label {
    kind: Option<Kind>,
    /// Whether a name begins here, though one of the same kind stands before.
    begins: bool,
}

/// What the numbers of a model stand for, in their order.
#[derive(Debug)]
pub(super) struct Labels(Vec<Label>);

/// What the model says about a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    from: usize,
    to: usize,
    kind: Option<Kind>,
    begins: bool,
    confidence: f32,
}

impl Labels {
    pub(super) fn of(config: &Value) -> Result<Labels, String> {
        let Some(names) = config.get("id2label").and_then(Value::as_object) else {
            return Err("it has no id2label; a model for token classification is needed".to_owned());
        };
        let labels: Vec<Label> = (0..names.len())
            .map(|id| match names.get(&id.to_string()).and_then(Value::as_str) {
                Some(name) => Ok(label(name)),
                None => Err(format!("id2label has {} labels and none for {id}", names.len())),
            })
            .collect::<Result<_, _>>()?;
        if labels.iter().all(|label| label.kind.is_none()) {
            let known: Vec<&str> = names.values().filter_map(Value::as_str).take(20).collect();
            return Err(format!(
                "no label is one of a person, place or organisation (B-PER, I-LOC, ORG and the like): {}",
                known.join(", ")
            ));
        }
        Ok(Labels(labels))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// What is said about the words that begin in the kept part of a window. `numbers` are those of the window's pieces, and of what
    /// stands before and behind them; `first` is the place of its first piece in the text's.
    pub(super) fn words(
        &self,
        pieces: &[Piece],
        first: usize,
        kept: &Range<usize>,
        numbers: &[f32],
        said: &mut Vec<Said>,
    ) {
        let rows = numbers.chunks_exact(self.len()).skip(1);
        for ((at, piece), row) in (first..).zip(pieces).zip(rows) {
            if !kept.contains(&at) {
                continue;
            }
            if piece.begins {
                // Models are taught by the first piece of each word.
                said.push(self.read(piece, row));
            } else if let Some(word) = said.last_mut() {
                word.to = piece.to;
            }
        }
    }

    fn read(&self, piece: &Piece, row: &[f32]) -> Said {
        let best = (0..).zip(row).max_by(|(_, a), (_, b)| a.total_cmp(b));
        let (at, most) = best.map_or((0, 0.0), |(at, number): (usize, &f32)| (at, *number));
        let label = self.0.get(at).copied().unwrap_or(Label { kind: None, begins: false });
        // Softmax; begun or gone on with, a kind is the same.
        let mut sums = (0.0, 0.0);
        for (other, number) in self.0.iter().zip(row) {
            let weight = (number - most).exp();
            sums.0 += weight;
            sums.1 += if other.kind == label.kind { weight } else { 0.0 };
        }
        let confidence = if sums.0 > 0.0 { sums.1 / sums.0 } else { 0.0 };
        Said { from: piece.from, to: piece.to, kind: label.kind, begins: label.begins, confidence }
    }
}

fn label(name: &str) -> Label {
    let (place, kind) = match name.split_once(['-', '_']) {
        Some((place, kind)) if place.len() == 1 => (place, kind),
        _ => ("I", name),
    };
    let kind = match kind.to_ascii_uppercase().as_str() {
        "PER" | "PERS" | "PERSON" => Some(Kind::Person),
        "LOC" | "LOCATION" | "PLACE" | "GPE" | "FAC" => Some(Kind::Place),
        "ORG" | "ORGANIZATION" | "ORGANISATION" | "CORPORATION" => Some(Kind::Organisation),
        // Peoples, works, numbers.
        _ => None,
    };
    Label { kind, begins: matches!(place, "B" | "S" | "U") }
}

/// Words of one kind side by side, as names. A name is as sure as its words are on average.
pub(super) fn spans(text: &str, said: &[Said]) -> Vec<Marked> {
    let mut spans: Vec<(Marked, f32)> = Vec::new();
    let mut open = false;
    for word in said {
        let Some(kind) = word.kind else {
            open = false;
            continue;
        };
        match spans.last_mut().filter(|_| open) {
            Some((span, words))
                if span.kind == kind
                    && !word.begins
                    && text.get(span.to..word.from).is_some_and(|gap| !gap.contains('\n')) =>
            {
                span.to = word.to;
                span.confidence += word.confidence;
                *words += 1.0;
            }
            _ => {
                let span = Marked { from: word.from, to: word.to, kind, confidence: word.confidence };
                spans.push((span, 1.0));
            }
        }
        open = true;
    }
    let spans = spans.into_iter().map(|(span, words)| Marked { confidence: span.confidence / words, ..span });
    spans.filter(|span| span.confidence >= LEAST).collect()
}
