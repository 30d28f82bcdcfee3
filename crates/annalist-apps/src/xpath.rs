//! The expressions that name places in a page: the small part of XPath that `docs/catalogue.md` describes. How they are
//! written is in `xpath/parse.rs`; how they are found, many at once, is in `automaton.rs`.

use std::fmt;

mod parse;

pub use parse::ExpressionError;

/// One place or several: `div/p | td`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    pub paths: Vec<Path>,
}

/// A way through the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Path {
    /// None: the place it begins at.
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub axis: Axis,
    pub test: NodeTest,
    pub predicates: Vec<Predicate>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// `/`
    Child,
    /// `//`
    Below,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeTest {
    Tag(String),
    AnyTag,
    Attribute(String),
    AnyAttribute,
    Text,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Predicate {
    Is(Test),
    IsNot(Test),
    /// Counted from 1 among those of its parent that fit so far.
    Position(u32),
    Last,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Test {
    pub value: Value,
    pub operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Attribute(String),
    /// The text of any child of that name.
    Child(String),
    /// The node's own text, with all below it.
    Own,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    Exists,
    Equals(String),
    Contains(String),
    StartsWith(String),
    /// A word in a list of words.
    Has(String),
}

impl Operator {
    /// Whether it holds for a value that is there.
    pub fn holds(&self, value: &str) -> bool {
        match self {
            Operator::Exists => true,
            Operator::Equals(text) => value == text,
            Operator::Contains(text) => value.contains(text.as_str()),
            Operator::StartsWith(text) => value.starts_with(text.as_str()),
            Operator::Has(word) => value.split_ascii_whitespace().any(|other| other == word),
        }
    }
}

impl Expression {
    /// Reads an expression that begins at the page.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        parse::expression(text)
    }

    /// This expression from every place that another one finds: `object` + `cite` is `object//cite`.
    pub fn within(&self, outer: &Expression) -> Expression {
        let join = |outer: &Path, inner: &Path| Path {
            steps: outer.steps.iter().chain(&inner.steps).cloned().collect(),
        };
        let paths = outer.paths.iter().flat_map(|a| self.paths.iter().map(move |b| join(a, b))).collect();
        Expression { paths }
    }
}

impl Path {
    /// The steps that lead to an element, and the last one if it leads on to an attribute or to text.
    pub fn split(&self) -> (&[Step], Option<&Step>) {
        match self.steps.split_last() {
            Some((last, before)) if !last.test.is_element() => (before, Some(last)),
            _ => (&self.steps, None),
        }
    }
}

impl NodeTest {
    pub fn is_element(&self) -> bool {
        matches!(self, NodeTest::Tag(_) | NodeTest::AnyTag)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, path) in self.paths.iter().enumerate() {
            if place > 0 {
                f.write_str(" | ")?;
            }
            write!(f, "{path}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str(".");
        }
        for (place, step) in self.steps.iter().enumerate() {
            match (step.axis, place) {
                (Axis::Below, 0) => {}
                (Axis::Child, 0) => f.write_str("./")?,
                (Axis::Child, _) => f.write_str("/")?,
                (Axis::Below, _) => f.write_str("//")?,
            }
            write!(f, "{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.test {
            NodeTest::Tag(tag) => f.write_str(tag)?,
            NodeTest::AnyTag => f.write_str("*")?,
            NodeTest::Attribute(name) => write!(f, "@{name}")?,
            NodeTest::AnyAttribute => f.write_str("@*")?,
            NodeTest::Text => f.write_str("text()")?,
        }
        self.predicates.iter().try_for_each(|predicate| match predicate {
            Predicate::Is(test) => write!(f, "[{test}]"),
            Predicate::IsNot(test) => write!(f, "[not({test})]"),
            Predicate::Position(number) => write!(f, "[{number}]"),
            Predicate::Last => f.write_str("[last()]"),
        })
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match &self.value {
            Value::Attribute(name) => format!("@{name}"),
            Value::Child(name) => name.clone(),
            Value::Own => ".".to_owned(),
        };
        match &self.operator {
            Operator::Exists => f.write_str(&value),
            Operator::Equals(text) => write!(f, "{value}={}", quoted(text)),
            Operator::Contains(text) => write!(f, "contains({value},{})", quoted(text)),
            Operator::StartsWith(text) => write!(f, "starts-with({value},{})", quoted(text)),
            Operator::Has(text) => write!(f, "has({value},{})", quoted(text)),
        }
    }
}

/// No string can be written that has both kinds of quotes in it, and none is ever read.
fn quoted(text: &str) -> String {
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}
