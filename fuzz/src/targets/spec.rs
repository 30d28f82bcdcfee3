//! Specs: there is a spec or there are mistakes, and a spec that is written out in full is read as the same spec.

use annalist_model::spec::{Spec, duration, parse, size};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parsed = parse(&text, &file);
    let lines = text.split('\n').count();
    assert!(parsed.mistakes.is_sorted_by_key(|mistake| mistake.line));
    for mistake in parsed.mistakes.iter().chain(&parsed.warnings) {
        assert!(mistake.line <= lines, "{mistake:?} is beyond the last line");
        assert!(!mistake.message.is_empty());
    }
    assert_eq!(parsed.spec.is_some(), parsed.mistakes.is_empty(), "a spec and mistakes, or neither");
    if let Some(spec) = parsed.spec {
        let written = spec.to_toml();
        let again = parse(&written, &file);
        assert_eq!(again.mistakes, [], "{written}");
        assert_eq!(again.spec.map(without_lines), Some(without_lines(spec)), "{written}");
    }
    check_quantities(&text);
}

/// The one file there is.
fn file(name: &str) -> Result<String, String> {
    match name {
        "seeds.txt" => Ok("http://one.test/\ntwo.test/dir\tscope=prefix\tdepth=2\n".to_owned()),
        _ => Err("no such file".to_owned()),
    }
}

/// Where an expression stands differs between a spec and the same spec written out.
fn without_lines(mut spec: Spec) -> Spec {
    let rules = &mut spec.scope;
    rules.include.iter_mut().chain(&mut rules.exclude).for_each(|expression| expression.line = 0);
    spec
}

fn check_quantities(text: &str) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').filter(|word| !word.is_empty()) {
        if let Some(length) = duration::parse(word) {
            assert_eq!(duration::parse(&duration::display(length)), Some(length), "{word}");
        }
        if let Some(bytes) = size::parse(word) {
            assert_eq!(size::parse(&size::display(bytes)), Some(bytes), "{word}");
        }
    }
}
