//! What is refused before anything is looked up: texts so long or so deeply nested that reading them would take the
//! stack, and queries that would have others asked.

use spargebra::Query;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern, OrderExpression};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::QueryError;
use super::bounded;

mod data;

const MOST_BYTES: usize = 1 << 20;
/// Brackets inside brackets, and signs before signs.
const MOST_NESTED: usize = 200;
/// The parser reads what is negated twice, and so what is negated in it four times.
const MOST_NEGATED: usize = 6;
/// Operators and clauses, each of which nests all that stand before it.
const MOST_JOINED: usize = 2_000;
/// Triples, paths and clauses: the engine's time to plan them grows with their square.
const MOST_PATTERNS: usize = 400;

/// Looks at the text alone: the parser follows its nesting on the stack.
pub fn check_text(sparql: &str) -> Result<(), QueryError> {
    if sparql.len() > MOST_BYTES {
        return refused(&format!("the query is longer than {MOST_BYTES} bytes"));
    }
    let (mut signs, mut joined) = (0_usize, 0_usize);
    let mut open = Vec::new();
    let mut negations = Negations::default();
    // The last that was no space.
    let mut last = b' ';
    let mut rest = sparql.as_bytes();
    let mut before = b' ';
    while let Some((byte, behind)) = rest.split_first() {
        if let Some(behind) = data::behind_values(before, rest) {
            // What is in there nests nothing and joins nothing.
            (rest, before, signs, negations.here) = (behind, b'}', 0, 0);
            continue;
        }
        let word = word_length(rest);
        (rest, before) = (behind, *byte);
        negations.see(*byte, behind.first().copied());
        match byte {
            b'(' | b'[' | b'{' => open.push(*byte),
            b')' | b']' | b'}' => {
                open.pop();
            }
            // In a name some signs are written like this, and are none.
            b'\\' => rest = behind.get(1..).unwrap_or_default(),
            b'#' => rest = behind.get(line_end(behind)..).unwrap_or_default(),
            b'"' | b'\'' => rest = behind_string(*byte, behind),
            b'<' => {
                // An address, or less than.
                match address_length(behind).and_then(|end| behind.get(..end)) {
                    Some(inside) => {
                        rest = behind.get(inside.len()..).unwrap_or_default();
                        if open.last() == Some(&b'(') && !b"(,=<!+*/|&^".contains(&last) {
                            joined += count_as_both(inside, &mut open)?;
                        }
                    }
                    None => joined += 1,
                }
            }
            b'!' | b'-' | b'+' | b'^' => {
                signs += 1;
                joined += 1;
            }
            b'*' | b'/' | b'|' | b'&' | b'=' | b';' | b'.' => joined += 1,
            _ if word > 0 => {
                joined += 1;
                rest = behind.get(word - 1..).unwrap_or_default();
            }
            _ => {}
        }
        if !matches!(byte, b'!' | b'-' | b'+' | b'^' | b'(') && !byte.is_ascii_whitespace() {
            signs = 0;
        }
        if *byte != b'#' && !byte.is_ascii_whitespace() {
            last = *byte;
        }
        if open.len() > MOST_NESTED || signs > MOST_NESTED {
            return too_deep();
        }
        if negations.inside + negations.here > MOST_NEGATED {
            return refused(&format!("the query has more than {MOST_NEGATED} negations inside each other"));
        }
        if joined > MOST_JOINED {
            return refused(&format!(
                "the query joins more than {MOST_JOINED} parts; VALUES takes long lists"
            ));
        }
    }
    Ok(())
}

/// The length of an address whose first bracket was read, if it is one.
fn address_length(behind: &[u8]) -> Option<usize> {
    let end = behind.iter().position(|byte| *byte <= b' ' || b"<>\"{}|^`".contains(byte))?;
    (behind.get(end) == Some(&b'>')).then_some(end)
}

/// How much is joined in pointed brackets where they may hold an address of a list, or what something is compared with:
/// it has to be within the limits as either.
fn count_as_both(inside: &[u8], open: &mut Vec<u8>) -> Result<usize, QueryError> {
    let negated = inside.iter().zip(inside.iter().skip(1)).any(|(one, next)| *one == b'!' && *next != b'=');
    if negated || inside.iter().any(|byte| b"'#\\".contains(byte)) {
        return refused(
            "write a space behind < where it means less than, and a prefix for addresses in lists",
        );
    }
    let outside = open.len();
    for byte in inside {
        match byte {
            b'(' | b'[' => open.push(*byte),
            // In an address it closes nothing that was opened outside.
            b')' | b']' if open.len() > outside => {
                open.pop();
            }
            _ => {}
        }
        if open.len() > MOST_NESTED {
            return too_deep();
        }
    }
    Ok(inside.iter().filter(|byte| b"-+*/&=;.!".contains(byte)).count())
}

fn too_deep<T>() -> Result<T, QueryError> {
    refused(&format!("the query is nested more than {MOST_NESTED} deep"))
}

/// How many negations what is being read is inside of.
#[derive(Default)]
struct Negations {
    inside: usize,
    /// Those before the next bracket.
    here: usize,
    outside: Vec<usize>,
}

impl Negations {
    fn see(&mut self, byte: u8, next: Option<u8>) {
        match byte {
            b'!' if next != Some(b'=') => self.here += 1,
            b'(' | b'[' | b'{' => {
                self.outside.push(self.inside);
                self.inside += std::mem::take(&mut self.here);
            }
            b')' | b']' | b'}' => {
                self.inside = self.outside.pop().unwrap_or_default();
                self.here = 0;
            }
            b'&' | b'|' | b'=' | b'<' | b'>' | b',' | b';' | b'.' | b'*' | b'/' | b'+' => self.here = 0,
            _ => {}
        }
    }
}

/// The length of a word that joins a clause to those before it.
fn word_length(rest: &[u8]) -> usize {
    const WORDS: [&str; 7] = ["UNION", "OPTIONAL", "MINUS", "FILTER", "BIND", "GRAPH", "LATERAL"];
    let found = WORDS
        .iter()
        .find(|word| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes())));
    found.map_or(0, |word| word.len())
}

fn line_end(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(bytes.len())
}

/// What comes after a string whose first quote was read.
fn behind_string(quote: u8, mut rest: &[u8]) -> &[u8] {
    let long = rest.first() == Some(&quote) && rest.get(1) == Some(&quote);
    if !long && rest.first() == Some(&quote) {
        return rest.get(1..).unwrap_or_default();
    }
    if long {
        rest = rest.get(2..).unwrap_or_default();
    }
    let end: &[u8] = if long { &[quote; 3] } else { &[quote] };
    let mut place = 0;
    while let Some(byte) = rest.get(place) {
        if *byte == b'\\' {
            place += 2;
        } else if rest.get(place..).is_some_and(|rest| rest.starts_with(end)) {
            return rest.get(place + end.len()..).unwrap_or_default();
        } else if !long && matches!(byte, b'\n' | b'\r') {
            // No string after all; the parser will say so.
            return rest.get(place..).unwrap_or_default();
        } else {
            place += 1;
        }
    }
    &[]
}

fn refused<T>(why: &str) -> Result<T, QueryError> {
    Err(QueryError::Refused(why.to_owned()))
}

/// What was noticed in a query that bears on its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    service: bool,
    /// A function is called that is not for queries.
    own: bool,
    patterns: usize,
    /// Values are gathered in texts that nobody counts: all that is put into words is counted instead.
    pub gathers: bool,
    /// What each of them takes besides.
    pub separator_bytes: usize,
    /// Terms of each row that are put into words for the statements made of it.
    pub template_terms: usize,
}

/// Refuses what asks others, and has functions that make texts replaced by those that keep to limits.
pub fn check(query: &mut Query) -> Result<Noticed, QueryError> {
    let mut noticed = Noticed::default();
    let (Query::Select { pattern, .. }
    | Query::Construct { pattern, .. }
    | Query::Describe { pattern, .. }
    | Query::Ask { pattern, .. }) = query;
    walk(pattern, &mut noticed);
    if let Query::Construct { template, .. } = query {
        noticed.template_terms = template.iter().map(variables_of).sum();
    }
    if noticed.service {
        return refused("SERVICE is not answered: nobody else is asked");
    }
    if noticed.own {
        return refused("functions named urn:annalist:function: cannot be called");
    }
    if noticed.patterns > MOST_PATTERNS {
        return refused(&format!("the query has more than {MOST_PATTERNS} patterns"));
    }
    Ok(noticed)
}

fn variables_of(triple: &TriplePattern) -> usize {
    let ends = [&triple.subject, &triple.object];
    ends.into_iter().filter(|end| matches!(end, TermPattern::Variable(_))).count()
        + usize::from(matches!(triple.predicate, NamedNodePattern::Variable(_)))
}

fn walk(pattern: &mut GraphPattern, noticed: &mut Noticed) {
    use GraphPattern as P;
    noticed.patterns += 1;
    match pattern {
        P::Bgp { patterns } => noticed.patterns += patterns.len(),
        P::Path { .. } | P::Values { .. } => {}
        P::Join { left, right }
        | P::Lateral { left, right }
        | P::Union { left, right }
        | P::Minus { left, right } => {
            walk(left, noticed);
            walk(right, noticed);
        }
        P::LeftJoin { left, right, expression } => {
            walk(left, noticed);
            walk(right, noticed);
            expression.iter_mut().for_each(|expression| walk_expression(expression, noticed));
        }
        P::Filter { expr, inner } => {
            walk_expression(expr, noticed);
            walk(inner, noticed);
        }
        P::Extend { inner, expression, .. } => {
            walk_expression(expression, noticed);
            walk(inner, noticed);
        }
        P::OrderBy { inner, expression } => {
            for OrderExpression::Asc(expression) | OrderExpression::Desc(expression) in expression {
                walk_expression(expression, noticed);
            }
            walk(inner, noticed);
        }
        P::Group { inner, aggregates, .. } => {
            for (_, aggregate) in aggregates {
                let AggregateExpression::FunctionCall { name, expr, distinct } = aggregate else { continue };
                walk_expression(expr, noticed);
                if let AggregateFunction::GroupConcat { separator } = name {
                    noticed.gathers = true;
                    let bytes = separator.as_ref().map_or(1, String::len);
                    noticed.separator_bytes = noticed.separator_bytes.max(bytes);
                }
                noticed.gathers |= *distinct;
            }
            walk(inner, noticed);
        }
        P::Service { .. } => noticed.service = true,
        P::Graph { inner, .. }
        | P::Project { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner }
        | P::Slice { inner, .. } => walk(inner, noticed),
    }
}

fn walk_expression(expression: &mut Expression, noticed: &mut Noticed) {
    use Expression as E;
    match expression {
        E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_) => {}
        E::Or(a, b)
        | E::And(a, b)
        | E::Equal(a, b)
        | E::SameTerm(a, b)
        | E::Greater(a, b)
        | E::GreaterOrEqual(a, b)
        | E::Less(a, b)
        | E::LessOrEqual(a, b)
        | E::Add(a, b)
        | E::Subtract(a, b)
        | E::Multiply(a, b)
        | E::Divide(a, b) => {
            walk_expression(a, noticed);
            walk_expression(b, noticed);
        }
        E::UnaryPlus(a) | E::UnaryMinus(a) | E::Not(a) => walk_expression(a, noticed),
        E::Exists(pattern) => walk(pattern, noticed),
        E::In(a, list) => {
            walk_expression(a, noticed);
            list.iter_mut().for_each(|expression| walk_expression(expression, noticed));
        }
        E::If(a, b, c) => [a, b, c].into_iter().for_each(|expression| walk_expression(expression, noticed)),
        E::Coalesce(list) => list.iter_mut().for_each(|expression| walk_expression(expression, noticed)),
        E::FunctionCall(function, list) => {
            noticed.own |= bounded::is_own(function);
            list.iter_mut().for_each(|expression| walk_expression(expression, noticed));
            *expression = bounded::within_limits(function.clone(), std::mem::take(list));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check_text;

    #[test]
    fn depth_is_seen_wherever_it_is_hidden() {
        for deep in
            ["(", "{", "[", "!", "- ", "!(", "( # )\n", "( ')' ", "( <http://a/)> ", "( \"\"\")\"\"\" "]
        {
            assert!(check_text(&format!("SELECT * {{ {}", deep.repeat(300))).is_err(), "{deep}");
        }
        for hidden in ["?a ex:b\\'c ?d FILTER(", "?a ex:b\\#c ?d FILTER(", "FILTER(?a <", "FILTER(ex:a- <"] {
            for deep in ["(", "!", "1+", "ABS("] {
                let sparql = format!("SELECT * {{ {hidden}{}1>2) }}", deep.repeat(3_000));
                assert!(check_text(&sparql).is_err(), "{hidden} {deep}");
            }
        }
        assert!(check_text(&format!("SELECT * {{ FILTER({}1) }}", "?a<1+1&&?b>1&&".repeat(500))).is_err());
        for unclear in ["?a<'>'&&((1))", "?a<1#>'''\n", "?a<ex:a\\'>'"] {
            assert!(check_text(&format!("SELECT * {{ FILTER({unclear}) }}")).is_err(), "{unclear}");
        }
        for clear in ["?a<f(?b)&&?c>1", "?a<\">\"&&?b!=1", "?a<1&&?b!=2&&?c>3", "?a IN (<x:a#b>,<x:it's>)"] {
            assert!(check_text(&format!("SELECT * {{ FILTER({clear}) }}")).is_ok(), "{clear}");
        }
        let list = "<http://a.example/a-b> <http://a.example/c.d> ".repeat(90);
        assert!(check_text(&format!("SELECT * {{ ?a ?b ({list}) . ?c (<x:a#b>|<x:(c)>)* ?d }}")).is_ok());
        for flat in ["()", "'((('", "\"\\\"(((\"", "<http://a/(((>", "# (((\n", "?a < 3 ", "'''(('(('''"] {
            assert!(check_text(&format!("SELECT * {{ {}", flat.repeat(300))).is_ok(), "{flat}");
        }
        assert!(check_text(&"?a + ".repeat(3_000)).is_err());
        assert!(check_text(&"OPTIONAL {} ".repeat(3_000)).is_err());
        assert!(check_text(&format!("VALUES ?x {{ {} }}", "<http://a.example/b> 1 ".repeat(20_000))).is_ok());
    }

    #[test]
    fn lists_of_values_are_as_long_as_they_are() {
        let values = [
            "'2011-03-01T10:00:00Z'^^xsd:dateTime ",
            "'-1.5'^^<http://a.example/decimal> -1.5 +2.5e-3 ",
            "\"Grüß Gott\"@de-AT 'x'@en-GB-oed ",
            "UNDEF ex:a.b-c ex:a\\'b ex:a\\(b <http://a.example/#a-b.c> true # - - -\n",
        ];
        for value in values {
            let list = value.repeat(5_000);
            assert!(check_text(&format!("SELECT * {{ VALUES ?x {{ {list} }} }}")).is_ok(), "{value}");
            let rows = format!("({value} {value}\n)").repeat(2_000);
            assert!(check_text(&format!("SELECT * {{}} values ( ?x $y ) {{{rows}}}")).is_ok(), "{value}");
        }
    }

    #[test]
    fn what_only_looks_like_values_is_counted() {
        let (signs, sums, brackets) = ("^".repeat(300), "1 + ".repeat(3_000), "(".repeat(300));
        for start in
            ["?s ex:VALUES ?x {", "?VALUES ?x {", "ex:a\\,VALUES ?x {", "VALUES:p ?x {", "VALUES ?x ?y {"]
        {
            for inside in [&signs, &sums, &brackets] {
                assert!(check_text(&format!("SELECT * {{ {start} {inside} }} }}")).is_err(), "{start}");
            }
        }
        for inside in [brackets.as_str(), &"{".repeat(300), &"[".repeat(300), &"?a + ".repeat(3_000)] {
            assert!(check_text(&format!("SELECT * {{ VALUES ?x {{ {inside}")).is_err());
            assert!(check_text(&format!("SELECT * {{ VALUES ?x {{ 1 }} {inside}")).is_err());
        }
    }
}
