//! How expressions are written.

use super::{Axis, Expression, NodeTest, Operator, Path, Predicate, Step, Test, Value};

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {at} of {text:?}: expected {expected}")]
pub struct ExpressionError {
    pub text: String,
    /// Counted from 1.
    pub at: usize,
    pub expected: &'static str,
}

/// An expression with more is a mistake, or an attack.
const MOST_STEPS: usize = 32;
const MOST_PREDICATES: usize = 16;
const MOST_PATHS: usize = 64;

pub(super) fn expression(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { text, at: 0 };
    let mut paths = Vec::new();
    loop {
        paths.push(parser.path()?);
        parser.space();
        if parser.is_at_end() {
            return Ok(Expression { paths });
        }
        parser.take("|", "'/', '[', '|' or the end")?;
        if paths.len() >= MOST_PATHS {
            return Err(parser.expected("fewer alternatives"));
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn path(&mut self) -> Result<Path, ExpressionError> {
        self.space();
        let mut axis = Axis::Below;
        if self.skip(".//") || self.skip("//") {
        } else if self.skip("./") || self.skip("/") {
            axis = Axis::Child;
        } else if self.rest().starts_with('.') && !self.rest().starts_with("..") {
            self.at += 1;
            return Ok(Path::default());
        }
        let mut steps = Vec::new();
        loop {
            let step = self.step(axis)?;
            let is_last = !step.test.is_element();
            steps.push(step);
            self.space();
            axis = if self.skip("//") {
                Axis::Below
            } else if self.skip("/") {
                Axis::Child
            } else {
                return Ok(Path { steps });
            };
            if is_last {
                return Err(self.expected("nothing after an attribute or text()"));
            }
            if steps.len() >= MOST_STEPS {
                return Err(self.expected("fewer steps"));
            }
        }
    }

    fn step(&mut self, axis: Axis) -> Result<Step, ExpressionError> {
        self.space();
        let test = if self.skip("@*") {
            NodeTest::AnyAttribute
        } else if self.skip("@") {
            NodeTest::Attribute(self.name("an attribute's name")?)
        } else if self.skip("*") {
            NodeTest::AnyTag
        } else if self.skip("text()") {
            NodeTest::Text
        } else {
            NodeTest::Tag(self.name("a tag, '*', '@name', '@*' or text()")?)
        };
        let mut predicates = Vec::new();
        loop {
            self.space();
            if !self.skip("[") {
                return Ok(Step { axis, test, predicates });
            }
            if predicates.len() >= MOST_PREDICATES {
                return Err(self.expected("fewer conditions"));
            }
            predicates.push(self.predicate()?);
            self.space();
            self.take("]", "']'")?;
        }
    }

    fn predicate(&mut self) -> Result<Predicate, ExpressionError> {
        self.space();
        if self.skip("last()") {
            return Ok(Predicate::Last);
        }
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let number = self.rest()[..digits].parse().ok().filter(|number| *number > 0);
            let number = number.ok_or_else(|| self.expected("a place counted from 1"))?;
            self.at += digits;
            return Ok(Predicate::Position(number));
        }
        if self.call("not") {
            let test = self.test()?;
            self.space();
            self.take(")", "')'")?;
            return Ok(Predicate::IsNot(test));
        }
        Ok(Predicate::Is(self.test()?))
    }

    fn test(&mut self) -> Result<Test, ExpressionError> {
        self.space();
        type Make = fn(String) -> Operator;
        let calls: [(&str, Make); 3] =
            [("contains", Operator::Contains), ("starts-with", Operator::StartsWith), ("has", Operator::Has)];
        for (name, make) in calls {
            if self.call(name) {
                let value = self.value()?;
                self.space();
                self.take(",", "','")?;
                let text = self.string()?;
                self.space();
                self.take(")", "')'")?;
                return Ok(Test { value, operator: make(text) });
            }
        }
        let value = self.value()?;
        self.space();
        let operator = if self.skip("=") { Operator::Equals(self.string()?) } else { Operator::Exists };
        Ok(Test { value, operator })
    }

    fn value(&mut self) -> Result<Value, ExpressionError> {
        self.space();
        if self.skip("@") {
            return Ok(Value::Attribute(self.name("an attribute's name")?));
        }
        if self.skip(".") {
            return Ok(Value::Own);
        }
        Ok(Value::Child(self.name("'@name', a child's tag or '.'")?))
    }

    fn string(&mut self) -> Result<String, ExpressionError> {
        self.space();
        let quote = self.rest().chars().next().filter(|c| matches!(c, '\'' | '"'));
        let Some(quote) = quote else { return Err(self.expected("text in quotes")) };
        let inner = &self.rest()[1..];
        let Some(end) = inner.find(quote) else {
            self.at = self.text.len();
            return Err(self.expected("the closing quote"));
        };
        self.at += end + 2;
        Ok(inner[..end].to_owned())
    }

    /// Tags and attributes of HTML are in lower case, however they are written.
    fn name(&mut self, expected: &'static str) -> Result<String, ExpressionError> {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
        let rest = self.rest();
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Err(self.expected(expected));
        }
        self.at += end;
        Ok(rest[..end].to_ascii_lowercase())
    }

    /// `name(`, and not a tag that begins like it.
    fn call(&mut self, name: &str) -> bool {
        let is_call = self.rest().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('));
        if is_call {
            self.at += name.len();
            self.space();
            self.at += 1;
        }
        is_call
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn skip(&mut self, token: &str) -> bool {
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    fn take(&mut self, token: &str, expected: &'static str) -> Result<(), ExpressionError> {
        if self.skip(token) { Ok(()) } else { Err(self.expected(expected)) }
    }

    fn expected(&self, expected: &'static str) -> ExpressionError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        ExpressionError {
            text: annalist_model::link::shortened(self.text, 200).to_owned(),
            at: before.chars().count() + 1,
            expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Expression;

    #[test]
    fn an_expression_is_written_as_it_was_read() {
        for text in [
            "div[has(@class,'post')]//a/@href",
            "//a",
            "./@id",
            ".",
            "html/head/meta[@name='generator'][contains(@content,\"it's\")]",
            "a[not(starts-with(@href,'#'))][2] | td[last()]/text()",
            "div[contains(title,'x')][.='y'][@id]/@*",
            "*",
        ] {
            let read = Expression::parse(text).unwrap();
            let written = read.to_string();
            assert_eq!(Expression::parse(&written).unwrap(), read, "{written}");
            assert_eq!(written.trim_start_matches("//"), text.trim_start_matches("//"));
        }
    }

    #[test]
    fn a_mistake_says_where_it_is_and_what_was_expected() {
        for (text, told) in [
            ("", "at character 1 of \"\": expected a tag"),
            ("div[", "at character 5 of \"div[\": expected '@name'"),
            ("div[@class='x]", "expected the closing quote"),
            ("div[0]", "at character 5 of \"div[0]\": expected a place counted from 1"),
            ("@href/a", "expected nothing after an attribute"),
            ("div p", "at character 5"),
            ("div[contains(@class 'x')]", "expected ','"),
            ("..", "expected a tag"),
        ] {
            let fault = Expression::parse(text).unwrap_err().to_string();
            assert!(fault.contains(told), "{text}: {fault}");
        }
    }
}
