//! The functions that make long texts of short ones, and stop when they get too long: a few of them, one after the
//! other, would fill any memory.

use std::cell::RefCell;

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{Literal, NamedNode, Term};
use regex::{Regex, RegexBuilder};
use spareval::QueryEvaluator;

use super::budget::{self, Stop};

/// As much as a page's text may have, and then some.
const MOST_BYTES: usize = 16 << 20;
/// The engine's own limit.
const REGEX_BYTES: usize = 1_000_000;

pub fn concat_name() -> NamedNode {
    NamedNode::new_unchecked("urn:annalist:function:concat")
}

pub fn replace_name() -> NamedNode {
    NamedNode::new_unchecked("urn:annalist:function:replace")
}

pub fn with_functions(evaluator: QueryEvaluator) -> QueryEvaluator {
    evaluator.with_custom_function(concat_name(), concat).with_custom_function(replace_name(), replace)
}

/// A text, and its language where it has one.
fn text(term: &Term) -> Option<(&str, Option<&str>)> {
    let Term::Literal(literal) = term else { return None };
    let plain = literal.datatype() == xsd::STRING || literal.datatype() == rdf::LANG_STRING;
    plain.then(|| (literal.value(), literal.language()))
}

fn literal(value: String, language: Option<&str>) -> Term {
    match language {
        Some(language) => Literal::new_language_tagged_literal_unchecked(value, language).into(),
        None => Literal::from(value).into(),
    }
}

fn concat(terms: &[Term]) -> Option<Term> {
    let mut all = String::new();
    let mut languages = Vec::new();
    for term in terms {
        let (value, language) = text(term)?;
        if all.len() + value.len() > MOST_BYTES {
            budget::end(Stop::Memory);
        }
        all.push_str(value);
        languages.push(language);
    }
    // The language stays if all have it.
    let first = languages.first().copied().flatten();
    let same = languages.iter().all(|language| *language == first);
    Some(literal(all, if same { first } else { None }))
}

fn replace(terms: &[Term]) -> Option<Term> {
    let [source, pattern, replacement, flags @ ..] = terms else { return None };
    let (source, language) = text(source)?;
    let flags = match flags {
        [] => "",
        [flags, ..] => string(flags)?,
    };
    let (pattern, replacement) = (string(pattern)?, string(replacement)?);
    let mut all = String::new();
    let mut end = 0;
    with_regex(pattern, flags, |regex| {
        for found in regex.captures_iter(source) {
            let whole = found.get_match();
            all.push_str(source.get(end..whole.start()).unwrap_or_default());
            found.expand(replacement, &mut all);
            end = whole.end();
            if all.len() > MOST_BYTES {
                budget::end(Stop::Memory);
            }
            budget::event();
        }
    })?;
    all.push_str(source.get(end..).unwrap_or_default());
    Some(literal(all, language))
}

/// A text without a language.
fn string(term: &Term) -> Option<&str> {
    match text(term)? {
        (value, None) => Some(value),
        _ => None,
    }
}

/// The last expression is mostly asked for again.
fn with_regex(pattern: &str, flags: &str, work: impl FnOnce(&Regex)) -> Option<()> {
    thread_local! {
        static LAST: RefCell<Option<(String, String, Regex)>> = const { RefCell::new(None) };
    }
    let last = LAST.take().filter(|(known, known_flags, _)| known == pattern && known_flags == flags);
    let regex = match last {
        Some((_, _, regex)) => regex,
        None => compile(pattern, flags)?,
    };
    work(&regex);
    LAST.replace(Some((pattern.to_owned(), flags.to_owned(), regex)));
    Some(())
}

fn compile(pattern: &str, flags: &str) -> Option<Regex> {
    let pattern = if flags.contains('q') { regex::escape(pattern) } else { pattern.to_owned() };
    let mut builder = RegexBuilder::new(&pattern);
    builder.size_limit(REGEX_BYTES);
    for flag in flags.chars() {
        match flag {
            's' => builder.dot_matches_new_line(true),
            'm' => builder.multi_line(true),
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            'q' => &mut builder,
            _ => return None,
        };
    }
    builder.build().ok()
}
