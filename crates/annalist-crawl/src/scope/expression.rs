//! Scope expressions: a condition over a link, such as `host.endsWith(".gr") && depth <= 4`.
//!
//! The syntax is the part of CEL (Common Expression Language) that conditions over URLs need: texts in single or
//! double quotes (`r"…"` without escapes), whole and decimal numbers, `true`, `false`, lists, parentheses,
//! `&& || ! == != < <= > >= in`, `.startsWith() .endsWith() .contains() .matches() .size()` and `size()`; and one macro
//! of our own, `passed(condition)`: whether the condition is true of a page on the way from the seed to the link.
//! Every variable's type is known beforehand, so whatever could fail is a mistake before the crawl begins, and
//! evaluation cannot fail: it costs tens of nanoseconds and reads only the variables it comes to.
//!
//! A value that is not known (the language of a short page, the MIME type of a seed's page) makes a comparison
//! unknown; `false && unknown` is false, `true || unknown` is true, and an expression that is unknown as a whole does
//! not hold.
//!
//! Texts become tokens in `tokens.rs`, tokens a typed condition in `grammar.rs`, and the condition is asked in
//! `condition.rs`. What an expression's answer means for a link is decided in `scope.rs`.

mod condition;
mod grammar;
mod tokens;

#[cfg(test)]
mod tests;

pub(super) use condition::Subject;

use annalist_model::spec::{Expression, Mistake};
use condition::{Condition, Variable};

/// Longer expressions are refused before they are looked at.
const LONGEST: usize = 4_000;

/// A compiled expression of the spec.
#[derive(Debug)]
pub(super) struct Rule {
    condition: Condition,
    variables: Vec<Variable>,
    /// `scope.exclude[0]: path.contains("/print/")`, as an explanation shows it.
    pub(super) text: String,
}

/// What an expression is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// Links, before or after their pages were fetched.
    Links,
    /// Pages that are in an archive, of which more is known.
    Pages,
}

/// What is wrong with an expression, and where.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// In characters, from 0.
    at: usize,
    message: String,
}

impl Rule {
    pub(super) fn compile(expression: &Expression, about: About) -> Result<Rule, Mistake> {
        let (condition, variables) = compiled(&expression.text, about).map_err(|fault| Mistake {
            line: expression.line,
            key: expression.key.clone(),
            message: format!("at character {}: {}", fault.at + 1, fault.message),
        })?;
        let text = format!("{}: {}", expression.key, expression.text);
        Ok(Rule { condition, variables, text })
    }

    pub(super) fn holds(&self, subject: &Subject<'_>) -> bool {
        self.condition.ask(subject) == Some(true)
    }

    /// Whether it may have held when more was known of the page that named the link.
    pub(super) fn may_hold(&self, subject: &Subject<'_>) -> bool {
        self.condition.ask(subject) != Some(false)
    }

    /// Whether it asks for something that only the fetched page can tell of itself.
    pub(super) fn is_about_pages(&self) -> bool {
        self.variables.iter().any(|v| matches!(v, Variable::Mime | Variable::Language | Variable::Score))
    }
}

fn compiled(text: &str, about: About) -> Result<(Condition, Vec<Variable>), Fault> {
    if text.len() > LONGEST {
        return Err(Fault {
            at: 0,
            message: format!("expected at most {LONGEST} bytes, found {}", text.len()),
        });
    }
    grammar::parse(tokens::read(text)?, about)
}
