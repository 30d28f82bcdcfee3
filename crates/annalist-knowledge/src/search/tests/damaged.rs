//! Files that are not as they were written are told as such.

use std::path::{Path, PathBuf};

use super::super::{Annotations, FacetField, Question, Reader, SearchError};
use super::{asked, comment, index, open, page, published};
use crate::derived::{Derived, DerivedError};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending != "lock" && ending != "json"));
    files.sort();
    files
}

fn questions() -> Vec<Question> {
    ["crisis", "\"euro crisis\"", "eur* -football", "author:jane", "published:2010", ""]
        .into_iter()
        .map(|text| Question { facets: FacetField::ALL.to_vec(), over_time: true, limit: 50, ..asked(text) })
        .collect()
}

/// Whether an answer came of it, right or wrong, for each question.
fn ask_all(folder: &Path) -> bool {
    let is_told = |e: &SearchError| e.to_string().contains("annalist rebuild");
    let reader = match Reader::open(&[folder]) {
        Ok(reader) => reader,
        Err(e) => {
            assert!(is_told(&e), "{e}");
            return false;
        }
    };
    questions().iter().all(|question| match reader.ask(question) {
        Ok(_) => true,
        Err(e) => {
            assert!(is_told(&e), "{e}");
            false
        }
    })
}

fn fill(folder: &Path) {
    let mut documents: Vec<_> = (1..40)
        .map(|n| {
            let text = format!("the euro crisis number{n} and word{} of it all", n * 7 % 13);
            published(page(n, &format!("http://a.test/{n}"), "en", &text), "2010-03")
        })
        .collect();
    documents[3].objects = vec![comment("7", "Jane Doe", "The drachma was a coin")];
    index(folder, &documents);
}

#[test]
fn damaged_files_are_an_error_that_says_what_helps() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    assert!(ask_all(dir.path()));
    let mut told = 0;
    for path in files(dir.path()) {
        let whole = std::fs::read(&path).unwrap();
        let step = (whole.len() / 40).max(1);
        let mut damaged: Vec<Vec<u8>> = (0..whole.len())
            .step_by(step)
            .flat_map(|at| {
                [0xff, 0x80, 0x01].map(|bits| {
                    let mut flipped = whole.clone();
                    flipped[at] ^= bits;
                    flipped
                })
            })
            .collect();
        damaged.extend([whole[..whole.len() / 2].to_vec(), Vec::new(), vec![0; whole.len()]]);
        for bytes in damaged {
            // Another file under the same name: the old one may still be mapped.
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, bytes).unwrap();
            told += usize::from(!ask_all(dir.path()));
        }
        std::fs::remove_file(&path).unwrap();
        assert!(!ask_all(dir.path()), "{}", path.display());
        std::fs::write(&path, whole).unwrap();
    }
    assert!(told > 50, "{told}");
    assert!(ask_all(dir.path()));
}

#[test]
fn nothing_is_written_into_a_damaged_index_in_place_of_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    for path in files(dir.path()) {
        let whole = std::fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 3] ^= 0xff;
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, flipped).unwrap();
        let mut search = open(dir.path());
        let again = search.add(&page(5, "http://a.test/5", "en", "again"));
        drop(search);
        let mut search = open(dir.path());
        let annotated = search.annotate([("http://a.test/1".to_owned(), Annotations::default())].into_iter());
        for fault in [again.unwrap_err(), annotated.unwrap_err()] {
            let is_told = matches!(&fault, DerivedError::Damaged(told) if told.contains("annalist rebuild"));
            assert!(is_told, "{}: {fault}", path.display());
        }
        drop(search);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, whole).unwrap();
    }
    assert!(ask_all(dir.path()));
}
