//! Whatever an index holds, it is opened and searched without a panic, and a line that is one is found.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its stand has failed")]

use annalist_warc::{CdxLine, Index};
use proptest::prelude::*;

fn line() -> CdxLine {
    CdxLine {
        key: "test,a)/x".to_owned(),
        timestamp: "20100101000000".to_owned(),
        url: "http://a.test/x".to_owned(),
        mime: "text/html".to_owned(),
        offset: 7,
        filename: "f.warc.gz".to_owned(),
        ..CdxLine::default()
    }
}

/// Lines of any kind: nonsense, and what looks like an index.
fn lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let nonsense = prop::collection::vec(any::<u8>(), 0..60);
    let words = "( CDX )?([NbamskrMSVg] ){0,11}[a-z,)/ ]{0,20}[0-9]{0,16} \\{?[\"a-z: ,0-9]{0,40}\\}?";
    let summary = "[a-z,)/]{1,9} [0-9]{14}\t[a-z.]{1,5}\t[0-9]{1,20}\t[0-9]{1,20}\t[0-9]";
    let one = prop_oneof![nonsense, words.prop_map(String::into_bytes), summary.prop_map(String::into_bytes)];
    let one = one.prop_map(|line| line.into_iter().filter(|b| *b != b'\n').collect::<Vec<u8>>());
    prop::collection::vec(one, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_index_breaks_who_looks_into_it(lines in lines(), place in any::<prop::sample::Index>(), sort in any::<bool>()) {
        let dir = tempfile::tempdir().unwrap();
        let mut lines = lines;
        // Columns that a first line names count for all lines that have as many.
        lines.retain(|line| !line.starts_with(b" CDX") && !line.starts_with(b"CDX"));
        lines.insert(place.index(lines.len() + 1), line().to_string().into_bytes());
        if sort {
            lines.sort();
        }
        let text = lines.join(&b'\n');
        for name in ["a.cdxj", "a.cdx", "a.idx", "a.cdx.gz"] {
            let path = dir.path().join(name);
            std::fs::write(&path, &text).unwrap();
            let Ok(index) = Index::open(&path, dir.path()) else { continue };
            let found = index.captures("http://a.test/x");
            let _ = index.each(&mut |_| ());
            if name.starts_with("a.cdx") && !name.ends_with(".gz") {
                prop_assert!(found.unwrap().iter().any(|found| found.offset == 7));
            }
        }
    }
}
