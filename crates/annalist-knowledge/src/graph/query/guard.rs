//! What is refused before anything is looked up: texts so long or so deeply nested that reading them would take the
//! stack, and queries that would have others asked.

use spargebra::Query;
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::QueryError;
use super::bounded;

mod data;
mod readings;

use readings::Readings;

const MOST_BYTES: usize = 1 << 20;
/// Brackets inside brackets, and signs before signs.
const MOST_NESTED: usize = 200;
/// Operators and clauses, each of which nests all that stand before it.
const MOST_JOINED: usize = 2_000;
/// Triples, paths and clauses: the engine's time to plan them grows with their square.
const MOST_PATTERNS: usize = 400;
/// Parts of conditions: the engine's planner copies a condition to each pattern that it is about, where nobody counts.
const MOST_COPIED: usize = 200_000;

/// Looks at the text alone: the parser follows its nesting on the stack.
pub fn check_text(sparql: &str) -> Result<(), QueryError> {
    if sparql.len() > MOST_BYTES {
        return refused(&format!("the query is longer than {MOST_BYTES} bytes"));
    }
    let (mut signs, mut joined) = (0_usize, 0_usize);
    // Each bracket, with what the readings have to know when it is closed.
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut readings = Readings::default();
    let (all, mut rest) = (sparql.as_bytes(), sparql.as_bytes());
    // The last that was neither space nor comment, where it ends, and whether what it belongs to may be a prefixed name.
    let (mut last, mut end, mut has_colon) = (b' ', 0, false);
    let mut before = b' ';
    while let Some((byte, behind)) = rest.split_first() {
        let length = rest.len();
        if let Some(behind) = data::behind_values(before, rest) {
            // What is in there nests nothing and joins nothing.
            (rest, before, signs) = (behind, b'}', 0);
            (last, end, has_colon) = (b'}', all.len() - rest.len(), false);
            readings.see(b';', None);
            if !readings.read(length - rest.len()) {
                return read_too_often();
            }
            continue;
        }
        let word = word_length(rest);
        (rest, before) = (behind, *byte);
        readings.see(*byte, behind.first().copied());
        match byte {
            b'(' => {
                let behind = all.get(..end).unwrap_or_default();
                // What has an address for its name is read as an aggregate, and once more.
                let is_named = has_colon || behind.last() == Some(&b'>');
                open.push((*byte, readings.open(is_named || readings::is_read_twice(behind))));
            }
            b'[' | b'{' => open.push((*byte, readings.open(false))),
            b')' | b']' | b'}' => readings.close(open.pop().map_or(0, |(_, outside)| outside)),
            // In a name some signs are written like this, and are none.
            b'\\' => rest = behind.get(1..).unwrap_or_default(),
            b'#' => rest = behind.get(line_end(behind)..).unwrap_or_default(),
            b'"' | b'\'' => rest = behind_string(*byte, behind),
            b'<' => {
                // An address, or less than.
                match address_length(behind).and_then(|end| behind.get(..end)) {
                    Some(inside) => {
                        rest = behind.get(inside.len()..).unwrap_or_default();
                        let is_in_list = matches!(open.last(), Some((b'(', _)));
                        if is_in_list && !b"(,=<!+*/|&^".contains(&last) {
                            joined += count_as_both(inside, &mut open, &readings)?;
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
            let is_next_to_it = end == all.len() - length;
            has_colon = *byte == b':' || (has_colon && is_next_to_it && *byte != b'(');
            (last, end) = (*byte, all.len() - rest.len());
        }
        if open.len() > MOST_NESTED || signs > MOST_NESTED {
            return too_deep();
        }
        if !readings.read(length - rest.len()) {
            return read_too_often();
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
fn count_as_both(
    inside: &[u8],
    open: &mut Vec<(u8, usize)>,
    readings: &Readings,
) -> Result<usize, QueryError> {
    let negated = inside.iter().zip(inside.iter().skip(1)).any(|(one, next)| *one == b'!' && *next != b'=');
    let mut brackets = inside.iter().enumerate().filter(|(_, byte)| **byte == b'(');
    let again = brackets.any(|(place, _)| readings::is_read_twice(inside.get(..place).unwrap_or_default()));
    if negated || again || inside.iter().any(|byte| b"'#\\".contains(byte)) {
        return refused(
            "write a space behind < where it means less than, and a prefix for addresses in lists",
        );
    }
    let outside = open.len();
    for byte in inside {
        match byte {
            b'(' | b'[' => open.push((*byte, readings.doubled())),
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

fn read_too_often<T>() -> Result<T, QueryError> {
    refused(
        "too much is inside each other in the query: what is in REGEX, SUBSTR, REPLACE, GROUP_CONCAT and behind ! is read \
         twice each time; give what is inside a name with BIND, and use that",
    )
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
    /// Patterns that hold no others.
    ends: usize,
    /// Of all expressions: calls, members of lists, values.
    parts: usize,
    /// Those that there may be more once the query is planned.
    copied: usize,
    /// Terms of each row that are put into words for the statements made of it.
    pub template_terms: usize,
}

impl Noticed {
    fn size(&self) -> usize {
        self.parts.saturating_add(self.copied)
    }

    /// There are so many more of what came since.
    fn copy(&mut self, before: usize, times: usize) {
        let since = self.size().saturating_sub(before);
        self.copied = self.copied.saturating_add(since.saturating_mul(times));
    }
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
    if noticed.copied > MOST_COPIED {
        return refused(&format!(
            "the conditions of the query have more than {MOST_COPIED} parts, counted for each pattern but one they are about; VALUES \
             takes long lists"
        ));
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
        P::Bgp { patterns } => {
            noticed.patterns += patterns.len();
            noticed.ends += patterns.len();
        }
        P::Path { .. } => noticed.ends += 1,
        P::Values { variables, bindings } => {
            noticed.ends += 1;
            noticed.parts = noticed.parts.saturating_add(bindings.len().saturating_mul(variables.len()));
        }
        P::Join { left, right }
        | P::Lateral { left, right }
        | P::Union { left, right }
        | P::Minus { left, right } => {
            walk(left, noticed);
            walk(right, noticed);
        }
        P::LeftJoin { left, right, expression } => {
            let ends = noticed.ends;
            walk(left, noticed);
            walk(right, noticed);
            let about = noticed.ends - ends;
            expression.iter_mut().for_each(|expression| walk_condition(expression, about, noticed));
        }
        P::Filter { expr, inner } => {
            let ends = noticed.ends;
            walk(inner, noticed);
            walk_condition(expr, noticed.ends - ends, noticed);
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
        P::Group { inner, variables, aggregates } => {
            for (_, aggregate) in aggregates {
                let AggregateExpression::FunctionCall { name, expr, distinct } = aggregate else { continue };
                walk_expression(expr, noticed);
                bounded::hold_gathered(name, expr, *distinct, variables.is_empty());
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

/// A condition on what so many patterns find: one has the condition, the others copies.
fn walk_condition(expression: &mut Expression, about: usize, noticed: &mut Noticed) {
    let before = noticed.size();
    walk_expression(expression, noticed);
    noticed.copy(before, about.saturating_sub(1));
}

fn walk_expression(expression: &mut Expression, noticed: &mut Noticed) {
    use Expression as E;
    noticed.parts = noticed.parts.saturating_add(1);
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
            // It becomes a comparison with each of the list, and the rest of them have copies.
            let before = noticed.size().saturating_add(1);
            walk_expression(a, noticed);
            noticed.copy(before, list.len());
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
