//! Files of frequencies: one that can be read gives weights that are numbers, another says which line is wrong.

use annalist_judge::text::{FileFault, OwnFrequencies};

pub(crate) fn run(data: &[u8]) {
    let lines = data.split(|b| *b == b'\n').count();
    match OwnFrequencies::read(data) {
        Ok(own) => {
            for term in ["parliament", "greek parliament", "2009", "希腊", ""] {
                let weights = ["en", "xx"].map(|code| own.of(code).idf(term));
                assert!(weights.iter().all(|weight| (0.0..1000.0).contains(weight)), "{term}: {weights:?}");
            }
        }
        Err(FileFault::Line { line, what }) => {
            assert!((1..=lines).contains(&line) && !what.is_empty(), "line {line} of {lines}");
        }
        Err(_) => {}
    }
}
