//! In which order the patterns of a query are looked up: the one that leaves the fewest rows first, as far as the
//! graph's counts can tell. The engine keeps to this order, since it is said as a chain of lateral joins; what is no
//! chain of patterns is left to it.

use std::collections::HashSet;

use oxrdf::{TermRef, Variable};
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::error::GraphError;
use super::super::id::Id;
use super::super::reading::Graph;
use super::budget;

/// Rows that a path is thought to give for each end that is known.
const PATH_ROWS: f64 = 100.0;

/// A triple, a path or values, with the rows it has by itself.
struct Simple {
    pattern: GraphPattern,
    rows: f64,
    names: HashSet<String>,
}

pub struct Planner<'a> {
    graph: &'a Graph,
    /// The graph that the patterns are about, where the query names it.
    within: Option<Id>,
    /// Variables and blank nodes that have a value when the pattern is looked up.
    bound: HashSet<String>,
}

impl<'a> Planner<'a> {
    pub fn new(graph: &'a Graph) -> Planner<'a> {
        Planner { graph, within: None, bound: HashSet::new() }
    }

    pub fn arrange(&self, pattern: GraphPattern) -> Result<GraphPattern, GraphError> {
        use GraphPattern as P;
        let inside = |inner: Box<P>| self.arrange(*inner).map(Box::new);
        Ok(match pattern {
            P::Bgp { .. } | P::Path { .. } | P::Join { .. } => self.arrange_join(pattern)?,
            P::LeftJoin { left, right, expression } => {
                let expression =
                    expression.map(|expression| self.arrange_expression(expression)).transpose()?;
                let right = Box::new(self.knowing(&left).arrange(*right)?);
                P::LeftJoin { left: inside(left)?, right, expression }
            }
            P::Lateral { left, right } => {
                let right = Box::new(self.knowing(&left).arrange(*right)?);
                P::Lateral { left: inside(left)?, right }
            }
            P::Filter { expr, inner } => {
                P::Filter { expr: self.knowing(&inner).arrange_expression(expr)?, inner: inside(inner)? }
            }
            P::Union { left, right } => P::Union { left: inside(left)?, right: inside(right)? },
            P::Graph { name, inner } => {
                let mut planner = Planner { bound: self.bound.clone(), ..*self };
                if let NamedNodePattern::NamedNode(node) = &name {
                    planner.within = Some(Id::of(node.as_ref().into(), &mut Vec::new()));
                }
                P::Graph { name, inner: Box::new(planner.arrange(*inner)?) }
            }
            P::Extend { inner, variable, expression } => P::Extend {
                expression: self.arrange_expression(expression)?,
                inner: inside(inner)?,
                variable,
            },
            P::Minus { left, right } => {
                let alone = Planner { bound: HashSet::new(), ..*self };
                P::Minus { left: inside(left)?, right: Box::new(alone.arrange(*right)?) }
            }
            P::OrderBy { inner, expression } => P::OrderBy { inner: inside(inner)?, expression },
            // What a subquery's variables are bound to outside is not known inside.
            P::Project { inner, variables } => {
                let alone = Planner { bound: HashSet::new(), ..*self };
                P::Project { inner: Box::new(alone.arrange(*inner)?), variables }
            }
            P::Distinct { inner } => P::Distinct { inner: inside(inner)? },
            P::Reduced { inner } => P::Reduced { inner: inside(inner)? },
            P::Slice { inner, start, length } => P::Slice { inner: inside(inner)?, start, length },
            P::Group { inner, variables, aggregates } => {
                P::Group { inner: inside(inner)?, variables, aggregates }
            }
            P::Values { .. } | P::Service { .. } => pattern,
        })
    }

    /// Patterns inside EXISTS.
    fn arrange_expression(&self, expression: Expression) -> Result<Expression, GraphError> {
        Ok(match expression {
            Expression::Exists(pattern) => Expression::Exists(Box::new(self.arrange(*pattern)?)),
            Expression::Not(inner) => Expression::Not(Box::new(self.arrange_expression(*inner)?)),
            Expression::And(left, right) => Expression::And(
                Box::new(self.arrange_expression(*left)?),
                Box::new(self.arrange_expression(*right)?),
            ),
            other => other,
        })
    }

    /// As it is once the rows of a pattern are there.
    fn knowing(&self, pattern: &GraphPattern) -> Planner<'a> {
        let mut bound = self.bound.clone();
        names_of(pattern, &mut bound);
        Planner { bound, ..*self }
    }

    fn arrange_join(&self, pattern: GraphPattern) -> Result<GraphPattern, GraphError> {
        let (mut simple, mut others) = (Vec::new(), Vec::new());
        let mut waiting = vec![pattern];
        while let Some(pattern) = waiting.pop() {
            match pattern {
                GraphPattern::Join { left, right } => waiting.extend([*right, *left]),
                GraphPattern::Bgp { patterns } => {
                    simple.extend(
                        patterns.into_iter().map(|triple| GraphPattern::Bgp { patterns: vec![triple] }),
                    );
                }
                GraphPattern::Path { .. } | GraphPattern::Values { .. } => simple.push(pattern),
                other => others.push(self.arrange(other)?),
            }
        }
        // A chain is the best way from nothing on; beside other patterns the optimiser knows better where to begin.
        let mut joined = if others.is_empty() { self.chains(simple)? } else { simple };
        joined.extend(others);
        let join = |left, right| GraphPattern::Join { left: Box::new(left), right: Box::new(right) };
        Ok(joined.into_iter().reduce(join).unwrap_or(GraphPattern::Bgp { patterns: Vec::new() }))
    }

    /// Chains of patterns that have variables in common, each from the pattern with the fewest rows on.
    fn chains(&self, patterns: Vec<GraphPattern>) -> Result<Vec<GraphPattern>, GraphError> {
        let mut simple = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            let rows = self.rows(&pattern)?;
            let mut names = HashSet::new();
            names_of(&pattern, &mut names);
            simple.push(Simple { pattern, rows, names });
        }
        let mut chains = Vec::new();
        while let Some(first) = least(simple.iter().enumerate().map(|(place, one)| (place, self.fewer(one))))
        {
            let Simple { pattern: mut chain, names: mut inside, .. } = simple.remove(first);
            let mut planner = Planner { bound: self.bound.clone(), ..*self };
            planner.bound.extend(inside.iter().cloned());
            loop {
                budget::event();
                let connected = simple.iter().enumerate().filter(|(_, one)| !one.names.is_disjoint(&inside));
                let Some(next) = least(connected.map(|(place, one)| (place, planner.fewer(one)))) else {
                    break;
                };
                let Simple { pattern: right, names, .. } = simple.remove(next);
                planner.bound.extend(names.iter().cloned());
                inside.extend(names);
                chain = GraphPattern::Lateral { left: Box::new(chain), right: Box::new(right) };
            }
            chains.push(chain);
        }
        Ok(chains)
    }

    /// Rows of a pattern by itself, looking at what is said in it only.
    fn rows(&self, pattern: &GraphPattern) -> Result<f64, GraphError> {
        Ok(match pattern {
            GraphPattern::Bgp { patterns } => {
                let Some(triple) = patterns.first() else { return Ok(1.0) };
                let known = [
                    known(&triple.subject),
                    known_name(&triple.predicate),
                    known(&triple.object),
                    self.within,
                ];
                self.graph.count(known)? as f64
            }
            GraphPattern::Values { bindings, .. } => bindings.len() as f64,
            GraphPattern::Path { subject, object, .. } => match (known(subject), known(object)) {
                (Some(_), Some(_)) => 1.0,
                (None, None) => self.graph.totals().quads as f64 * PATH_ROWS,
                _ => PATH_ROWS,
            },
            _ => f64::MAX,
        })
    }

    /// Rows of a pattern for each row that there is already.
    fn fewer(&self, simple: &Simple) -> f64 {
        let bound = |term: &TermPattern| name(term).is_some_and(|name| self.bound.contains(name));
        let rows = simple.rows;
        match &simple.pattern {
            GraphPattern::Bgp { patterns } => {
                let Some(TriplePattern { subject, predicate, object }) = patterns.first() else {
                    return rows;
                };
                let (subjects, objects) = match known_name(predicate) {
                    Some(predicate) => {
                        let often = self.graph.frequency(predicate);
                        (often.subjects, often.objects)
                    }
                    None => (self.graph.totals().subjects, self.graph.totals().objects),
                };
                let mut rows = rows;
                if bound(subject) {
                    rows /= subjects.max(1) as f64;
                }
                if bound(object) {
                    rows /= objects.max(1) as f64;
                }
                rows
            }
            GraphPattern::Path { subject, object, .. } => {
                let ends = usize::from(bound(subject)) + usize::from(bound(object));
                rows / (self.graph.totals().quads.max(1) as f64).powi(ends as i32)
            }
            _ => rows,
        }
    }
}

fn least(costs: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    costs.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(place, _)| place)
}

fn known(term: &TermPattern) -> Option<Id> {
    let term = match term {
        TermPattern::NamedNode(node) => TermRef::from(node.as_ref()),
        TermPattern::Literal(literal) => literal.as_ref().into(),
        TermPattern::BlankNode(_) | TermPattern::Variable(_) => return None,
    };
    Some(Id::of(term, &mut Vec::new()))
}

fn known_name(term: &NamedNodePattern) -> Option<Id> {
    match term {
        NamedNodePattern::NamedNode(node) => Some(Id::of(node.as_ref().into(), &mut Vec::new())),
        NamedNodePattern::Variable(_) => None,
    }
}

fn name(term: &TermPattern) -> Option<&str> {
    match term {
        TermPattern::Variable(variable) => Some(variable.as_str()),
        TermPattern::BlankNode(node) => Some(node.as_str()),
        TermPattern::NamedNode(_) | TermPattern::Literal(_) => None,
    }
}

/// The variables that a pattern gives a value, also where it does so only sometimes.
fn names_of(pattern: &GraphPattern, names: &mut HashSet<String>) {
    use GraphPattern as P;
    let mut add = |variables: &[Variable]| names.extend(variables.iter().map(|v| v.as_str().to_owned()));
    match pattern {
        P::Bgp { patterns } => {
            for TriplePattern { subject, predicate, object } in patterns {
                names.extend(name(subject).map(str::to_owned));
                names.extend(name(object).map(str::to_owned));
                if let NamedNodePattern::Variable(variable) = predicate {
                    names.insert(variable.as_str().to_owned());
                }
            }
        }
        P::Path { subject, object, .. } => {
            names.extend([subject, object].into_iter().filter_map(name).map(str::to_owned));
        }
        P::Join { left, right }
        | P::LeftJoin { left, right, .. }
        | P::Lateral { left, right }
        | P::Union { left, right } => {
            names_of(left, names);
            names_of(right, names);
        }
        P::Minus { left, .. } => names_of(left, names),
        P::Graph { name, inner } => {
            if let NamedNodePattern::Variable(variable) = name {
                add(std::slice::from_ref(variable));
            }
            names_of(inner, names);
        }
        P::Extend { inner, variable, .. } => {
            add(std::slice::from_ref(variable));
            names_of(inner, names);
        }
        P::Values { variables, .. } | P::Project { variables, .. } => add(variables),
        P::Group { variables, aggregates, .. } => {
            add(variables);
            aggregates.iter().for_each(|(variable, _)| add(std::slice::from_ref(variable)));
        }
        P::Filter { inner, .. }
        | P::OrderBy { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner }
        | P::Slice { inner, .. }
        | P::Service { inner, .. } => names_of(inner, names),
    }
}
