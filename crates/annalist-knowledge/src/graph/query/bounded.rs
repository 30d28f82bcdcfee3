//! Functions that make texts, within limits of length and time: a few of them, one inside the other, would fill any
//! memory and take any time, and the engine counts neither. CONCAT and REPLACE multiply what they are given, so they are
//! functions of our own, as is REGEX (`matching.rs`); what the engine's others made goes through `made`, which looks at its length and at the clock.

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{Literal, NamedNode, Term};
use spareval::{ExpressionTerm, QueryEvaluator};
use spargebra::algebra::{AggregateFunction, Expression, Function};

use super::budget::{self, Stop};
use super::matching;

/// As much as a page's text may have, and then some.
const MOST_BYTES: usize = 16 << 20;

/// A value of so many bytes is not counted where it may soon be forgotten.
const SHORT_BYTES: usize = 256;

/// Names that no query may use: what has them is called with what it expects.
const OWN: &str = "urn:annalist:function:";

fn name(of: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{OWN}{of}"))
}

fn call(of: &str, parameters: Vec<Expression>) -> Expression {
    Expression::FunctionCall(Function::Custom(name(of)), parameters)
}

pub fn with_functions(evaluator: QueryEvaluator) -> QueryEvaluator {
    evaluator
        .with_custom_function(name("concat"), concat)
        .with_custom_function(name("replace"), replace)
        .with_custom_function(name("regex"), regex)
        .with_custom_function(name("made"), made)
        .with_custom_function(name("held"), held)
        .with_custom_function(name("held-beyond"), held_beyond)
}

/// Whether a query calls a function by a name that is ours.
pub fn is_own(function: &Function) -> bool {
    matches!(function, Function::Custom(name) if name.as_str().starts_with(OWN))
}

/// The same call, within the limits.
pub fn within_limits(function: Function, parameters: Vec<Expression>) -> Expression {
    match function {
        Function::Concat => joined(parameters),
        Function::Replace => call("replace", parameters),
        Function::Regex => call("regex", parameters),
        // What they make is as long as what they are given, or some times as long, and takes its time.
        Function::EncodeForUri
        | Function::UCase
        | Function::LCase
        | Function::SubStr
        | Function::StrBefore
        | Function::StrAfter
        | Function::StrLang
        | Function::StrDt
        | Function::Iri => call("made", vec![Expression::FunctionCall(function, parameters)]),
        _ => Expression::FunctionCall(function, parameters),
    }
}

/// Has the values that an aggregate gathers counted: the engine keeps them as texts, and nobody else sees them.
pub fn hold_gathered(
    aggregate: &AggregateFunction,
    of: &mut Expression,
    distinct: bool,
    has_one_group: bool,
) {
    use AggregateFunction as A;
    // What takes its place for a moment is nothing that a query has.
    let parameters = |of: &mut Expression| vec![std::mem::replace(of, Expression::Coalesce(Vec::new()))];
    match aggregate {
        // It keeps the terms of a variable, which count themselves.
        A::Count if !distinct || matches!(of, Expression::Variable(_)) => {}
        A::GroupConcat { separator } => {
            let bytes = separator.as_ref().map_or(1, String::len);
            let mut parameters = parameters(of);
            parameters.push(Literal::from(i64::try_from(bytes).unwrap_or(i64::MAX)).into());
            *of = call("held", parameters);
        }
        // One value of each group, the first that there is.
        A::Sample => *of = call("held", parameters(of)),
        _ if distinct => *of = call("held", parameters(of)),
        // One value of each group, which the next may replace.
        A::Min | A::Max if !has_one_group => *of = call("held-beyond", parameters(of)),
        _ => {}
    }
}

/// In pairs: the engine has all that a function is given in memory before it calls it.
fn joined(mut parameters: Vec<Expression>) -> Expression {
    if parameters.len() <= 2 {
        return call("concat", parameters);
    }
    let rest = parameters.split_off(parameters.len() / 2);
    call("concat", vec![joined(parameters), joined(rest)])
}

/// A text that is not too long, and the clock's word.
fn made(terms: &[Term]) -> Option<Term> {
    let [term] = terms else { return None };
    check(length(term));
    Some(term.clone())
}

/// A value that stays, with what stays besides it.
fn held(terms: &[Term]) -> Option<Term> {
    let [term, more @ ..] = terms else { return None };
    let more = match more {
        [Term::Literal(bytes)] => bytes.value().parse().ok()?,
        _ => 0,
    };
    budget::event();
    budget::hold(size_of::<ExpressionTerm>().saturating_add(length(term)).saturating_add(more));
    Some(term.clone())
}

/// A value that stays until another takes its place: how many there are of those is not known. What is short is not worth
/// more than the group it stands for, which is counted.
fn held_beyond(terms: &[Term]) -> Option<Term> {
    let [term] = terms else { return None };
    budget::event();
    budget::hold(length(term).saturating_sub(SHORT_BYTES));
    Some(term.clone())
}

pub fn length(term: &Term) -> usize {
    match term {
        Term::Literal(literal) => literal.value().len(),
        Term::NamedNode(node) => node.as_str().len(),
        Term::BlankNode(node) => node.as_str().len(),
    }
}

fn check(bytes: usize) {
    if bytes > MOST_BYTES {
        budget::end(Stop::Memory);
    }
    budget::work(bytes);
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
        check(all.len() + value.len());
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
    let (pattern, replacement) = (string(pattern)?, string(replacement)?);
    let mut all = String::new();
    let mut end = 0;
    matching::with_regex(pattern, flags_of(flags)?, source.len(), |regex| {
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
    check(source.len().max(all.len()));
    Some(literal(all, language))
}

fn regex(terms: &[Term]) -> Option<Term> {
    let [source, pattern, flags @ ..] = terms else { return None };
    let (source, _) = text(source)?;
    let found = matching::is_match(string(pattern)?, flags_of(flags)?, source)?;
    check(source.len());
    Some(Literal::from(found).into())
}

fn flags_of(flags: &[Term]) -> Option<&str> {
    flags.first().map_or(Some(""), string)
}

/// A text without a language.
fn string(term: &Term) -> Option<&str> {
    match text(term)? {
        (value, None) => Some(value),
        _ => None,
    }
}
