//! A model out of real files (`tests/model/make.py` makes them), run as the program runs it. `make test-model`.

#![cfg(feature = "model")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its stand has failed")]

use std::path::{Path, PathBuf};

use annalist_study::offline::entities::Kind;
use annalist_study::offline::entities::model::Model;

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/model")
}

/// A copy of the model with one file changed.
fn changed(name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> String {
    let dir = tempfile::tempdir().unwrap();
    for file in ["model.onnx", "vocab.txt", "config.json", "tokenizer_config.json"] {
        let bytes = std::fs::read(files().join(file)).unwrap();
        std::fs::write(dir.path().join(file), if file == name { change(bytes) } else { bytes }).unwrap();
    }
    Model::load(dir.path()).unwrap_err().to_string()
}

#[test]
fn names_come_out_of_a_real_file_with_their_places() {
    let model = Model::load(&files()).unwrap();
    let text = "Then Zyx Qwopp went to Αθήνα, 在希腊在. Гринпис, Müllrose.";
    let found: Vec<(&str, Kind)> =
        model.mark(text, &()).unwrap().iter().map(|span| (&text[span.from..span.to], span.kind)).collect();
    let expected = [
        ("Zyx Qwopp", Kind::Person),
        ("Αθήνα", Kind::Place),
        ("希腊", Kind::Place),
        ("Гринпис", Kind::Organisation),
        ("Müllrose", Kind::Place),
    ];
    assert_eq!(found, expected);
    assert_eq!(model.name(), "model");
    assert_eq!(model.mark(&"Zyx Qwopp, ".repeat(500), &()).unwrap().len(), 500);
}

#[test]
fn broken_files_are_refused_before_a_text_is_read() {
    let told = changed("model.onnx", |bytes| bytes[..bytes.len() / 2].to_vec());
    assert!(told.contains("model.onnx: "), "{told}");
    assert!(changed("model.onnx", |_| b"nonsense".to_vec()).contains("model.onnx: "));
    let told = changed("vocab.txt", |mut bytes| {
        bytes.extend(b"beyond\nthe table\n");
        bytes
    });
    assert!(told.contains("there is one numbered 18"), "{told}");
    let told = changed("config.json", |_| br#"{"id2label": {"0": "O", "1": "B-PER"}}"#.to_vec());
    assert!(told.contains("2 labels"), "{told}");
}
