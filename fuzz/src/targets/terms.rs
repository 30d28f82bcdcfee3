//! Texts in any language: what is counted in one can be written, and is read as weights that are numbers.

use annalist_judge::text::{DocumentCounts, Frequencies, Language, OwnFrequencies, Stems, Terms};

/// One for each stemmer, one without a stemmer, two without spaces, one that nothing is known of.
const LANGUAGES: [&str; 21] = [
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "ja", "nb", "nl", "pl", "pt", "ro", "ru",
    "sv", "tr", "zh", "xx",
];

/// The first byte chooses the language.
pub(crate) fn run(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    let Some(code) = LANGUAGES.get(usize::from(*choice) % LANGUAGES.len()) else { return };
    let text = String::from_utf8_lossy(rest);
    let mut stems = Stems::new(Language::of(code));
    let terms = Terms::of(&text, &mut stems);
    for term in terms.iter() {
        assert!(!term.stem.is_empty() && text.contains(term.surface), "{term:?}");
        assert!(!term.stem.contains(['\t', '\n', '\r']), "{term:?} breaks out of its column");
        assert!((0.0..50.0).contains(&Frequencies::of(code).idf(term.stem)), "{term:?}");
    }

    let mut counts = DocumentCounts::new(1);
    let counted = counts.add(Some(code), &text);
    assert_eq!(counted, terms.iter().next().is_some());
    let mut file = Vec::new();
    let written = counts.write(&mut file);
    assert!(written.is_ok(), "writing to memory cannot fail");
    let own = OwnFrequencies::read(&*file);
    assert!(own.is_ok(), "what was written cannot be read: {own:?}");
    if let Ok(own) = own {
        assert!(
            terms.iter().all(|term| own.of(code).idf(term.stem) == 0.0),
            "a term of every document weighs nothing"
        );
    }
}
