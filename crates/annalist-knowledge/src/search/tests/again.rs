//! A reader that was asked before answers as one that was not: what it remembers changes nothing.

use proptest::prelude::*;

use super::super::{FacetField, Question, Reader, Sort};
use super::naive::{some_documents, some_wanted};
use super::{index, published};

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn what_was_asked_before_makes_no_difference(
        mut documents in some_documents(),
        wanted in proptest::collection::vec(some_wanted(), 6),
        labels in 1usize..4,
    ) {
        for (number, document) in documents.iter_mut().enumerate().filter(|(number, _)| number % 3 > 0) {
            *document = published(document.clone(), ["2010-01-05", "2011-06-07"][number % 2]);
        }
        let dir = tempfile::tempdir().unwrap();
        index(dir.path(), &documents);
        let reader = Reader::open(&[dir.path()]).unwrap();
        for wanted in wanted.iter().chain(&wanted) {
            for (facets, over_time) in
                [(FacetField::ALL.to_vec(), true), (vec![FacetField::Language], false), (Vec::new(), true), (Vec::new(), false)]
            {
                for (sort, page, labels) in [(Sort::Relevance, 1, 10), (Sort::Oldest, 2, 10), (Sort::Newest, 1, labels)] {
                    let (wanted, facets) = (wanted.clone(), facets.clone());
                    let question = Question { wanted, sort, page, limit: 3, facets, labels, over_time, fold: true };
                    let alone = Reader::open(&[dir.path()]).unwrap().ask(&question).unwrap();
                    prop_assert_eq!(&reader.ask(&question).unwrap(), &alone, "{:?}", question);
                    prop_assert_eq!(reader.ask(&question).unwrap(), alone, "{:?}, again", question);
                }
            }
        }
    }
}
