use std::sync::Arc;

use serde_json::json;

use super::labels::Labels;
use super::normal::Normal;
use super::pieces::Pieces;
use super::{Inner, Marked, Model, ModelError, Network};
use crate::offline::entities::Kind;

const LABELS: [&str; 8] = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-MISC"];

/// A network that has one label for each piece, wherever it stands.
struct Table {
    labels: Vec<usize>,
    sure: f32,
}

impl Network for Table {
    fn run(&self, pieces: &[u32]) -> Result<Vec<f32>, String> {
        let mut numbers = Vec::new();
        for piece in pieces {
            let label = *self.labels.get(*piece as usize).ok_or("no such piece")?;
            numbers.extend((0..LABELS.len()).map(|at| if at == label { self.sure } else { 0.0 }));
        }
        Ok(numbers)
    }
}

/// A model that knows these words, each with its label.
pub(in super::super) fn model(words: &[(&str, &str)], sure: f32) -> Model {
    let pieces: Vec<&str> = words.iter().map(|(piece, _)| *piece).collect();
    let number = |label: &str| LABELS.iter().position(|one| *one == label).unwrap();
    let labels = [0; 4].into_iter().chain(words.iter().map(|(_, label)| number(label))).collect();
    let normal = Normal { strip_accents: false, lowercase: false, ..Normal::default() };
    let config: serde_json::Map<_, _> =
        LABELS.iter().enumerate().map(|(id, label)| (id.to_string(), json!(label))).collect();
    let inner = Inner {
        pieces: Pieces::of(&pieces, normal),
        labels: Labels::of(&json!({ "id2label": config })).unwrap(),
        window: 12,
        network: Box::new(Table { labels, sure }),
    };
    inner.try_out().unwrap();
    Model { name: "table".to_owned(), digest: 1, inner: Arc::new(inner) }
}

fn marked<'t>(model: &Model, text: &'t str) -> Vec<(&'t str, Kind)> {
    let spans = model.mark(text, &()).unwrap();
    spans.iter().map(|Marked { from, to, kind, .. }| (&text[*from..*to], *kind)).collect()
}

#[test]
fn names_come_out_with_their_places_whatever_the_script() {
    let words = [
        ("Anna", "B-PER"),
        ("O", "I-PER"),
        ("'", "I-PER"),
        ("Brien", "I-PER"),
        ("Αθή", "B-LOC"),
        ("##να", "O"),
        ("希", "B-LOC"),
        ("腊", "I-LOC"),
        ("Гр", "B-ORG"),
        ("##инпис", "O"),
        ("Greek", "B-MISC"),
        (".", "O"),
    ];
    let model = model(&words, 8.0);
    let text = "Dear Anna O'Brien. Greek Anna Anna\nO Αθήνα. 在希腊在 Гринпис";
    let expected = [
        ("Anna O'Brien", Kind::Person),
        ("Anna", Kind::Person),
        ("Anna", Kind::Person),
        ("O", Kind::Person),
        ("Αθήνα", Kind::Place),
        ("希腊", Kind::Place),
        ("Гринпис", Kind::Organisation),
    ];
    assert_eq!(marked(&model, text), expected);
    assert!(model.mark(text, &()).unwrap().iter().all(|span| span.confidence > 0.99));
}

#[test]
fn texts_longer_than_a_window_are_read_to_their_end() {
    let model = model(&[("Anna", "B-PER"), ("Weber", "I-PER"), ("came", "O")], 8.0);
    let text = "came Anna Weber came ".repeat(200);
    assert_eq!(marked(&model, &text), vec![("Anna Weber", Kind::Person); 200]);
}

#[test]
fn hostile_texts_have_no_names_and_do_no_harm() {
    let model = model(&[("Anna", "B-PER")], 8.0);
    let long = "A".repeat(1 << 20);
    for text in ["", "\0\0\u{1}", "\u{fffd}", long.as_str(), "\u{202e}\u{301}\u{301}", "ሀለሐ กขค 🏳️‍🌈"]
    {
        assert_eq!(marked(&model, text), []);
    }
}

#[test]
fn what_a_model_hardly_believes_is_no_name() {
    assert_eq!(marked(&model(&[("Anna", "B-PER")], 1.0), "Anna"), []);
}

#[test]
fn a_network_that_does_not_know_all_pieces_is_refused() {
    let whole = model(&[("Anna", "B-PER")], 8.0);
    let Inner { pieces, .. } = Arc::into_inner(whole.inner).unwrap();
    let labels = Labels::of(&json!({"id2label": {"0": "O", "1": "B-PER"}})).unwrap();
    let network = Box::new(Table { labels: vec![0; 4], sure: 1.0 });
    let broken = Inner { pieces, labels, window: 12, network };
    assert_eq!(broken.try_out(), Err("no such piece".to_owned()));
}

fn refused(files: &[(&str, &str)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(dir.path().join(name), text).unwrap());
    let error = Model::load(dir.path()).unwrap_err();
    error.to_string().replace(&dir.path().display().to_string(), "DIR")
}

#[test]
fn what_is_wrong_with_a_model_is_said_before_anything_is_read() {
    let good = r#"{"id2label": {"0": "O", "1": "B-PER"}}"#;
    let graph = ("model.onnx", "");
    assert_eq!(refused(&[]), "DIR: it has no model.onnx");
    assert!(refused(&[graph]).starts_with("DIR/config.json: No such file"));
    assert!(refused(&[graph, ("config.json", "{")]).starts_with("DIR/config.json: EOF"));
    assert!(refused(&[graph, ("config.json", "{}")]).contains("no id2label"));
    let strange = r#"{"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}"#;
    assert!(refused(&[graph, ("config.json", strange)]).contains("LABEL_0, LABEL_1"));
    let gap = r#"{"id2label": {"0": "O", "2": "B-PER"}}"#;
    assert!(refused(&[graph, ("config.json", gap)]).contains("none for 1"));
    assert!(refused(&[graph, ("config.json", good)]).contains("SentencePiece and byte-pair ones are not"));
    let pieces = r#"{"model": {"type": "Unigram"}}"#;
    let told = refused(&[graph, ("config.json", good), ("tokenizer.json", pieces)]);
    assert!(told.contains("\"Unigram\"; WordPiece is supported"), "{told}");
    let told = refused(&[graph, ("config.json", good), ("vocab.txt", "[UNK]\n[CLS]\n")]);
    assert!(told.contains("no piece \"[SEP]\""), "{told}");
    let short = r#"{"id2label": {"0": "PER"}, "max_position_embeddings": 4}"#;
    let told = refused(&[graph, ("config.json", short), ("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n")]);
    assert!(told.contains("takes 4 pieces"), "{told}");
    let few = r#"{"id2label": {"0": "PER"}, "vocab_size": 2}"#;
    let told = refused(&[graph, ("config.json", few), ("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n")]);
    assert!(told.contains("knows 2 pieces, and there is one numbered 2"), "{told}");
}

#[cfg(not(feature = "model"))]
#[test]
fn a_program_built_without_models_says_how_one_is_built_with_them() {
    let files = [
        ("model.onnx", ""),
        ("config.json", r#"{"id2label": {"0": "PER"}}"#),
        ("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n"),
    ];
    assert!(refused(&files).contains("cargo build --release --features model"));
}

#[test]
fn a_failure_is_told_with_the_models_name() {
    let error = ModelError::Failed { name: "table".to_owned(), what: "x".to_owned() };
    assert_eq!(error.to_string(), "the model table failed at a text: x");
}
