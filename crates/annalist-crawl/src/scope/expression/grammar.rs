//! How tokens make a condition. Types are checked on the way: what comes out is well typed.
//!
//! ```text
//! any        = all { "||" all }
//! all        = comparison { "&&" comparison }
//! comparison = unary [ ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in") unary ]
//! unary      = "!" unary | "-" number | call
//! call       = value { "." name "(" [ any ] ")" }
//! value      = text | number | "true" | "false" | name | "(" any ")" | "[" any { "," any } "]"
//!            | "size" "(" any ")" | "passed" "(" any ")"
//! ```

use regex::RegexBuilder;

use super::condition::{Comparison, Condition, Number, Text, Variable};
use super::tokens::{Placed, Token};
use super::{About, Fault};

/// Deeper expressions are refused: reading and asking them recurses.
const DEEPEST: usize = 40;
/// A pattern that needs a larger program is refused: it would cost too much for every link.
const LARGEST_PATTERN_BYTES: usize = 1 << 20;

/// The condition and the variables it reads.
pub(super) fn parse(tokens: Vec<Placed>, about: About) -> Result<(Condition, Vec<Variable>), Fault> {
    let mut parser = Parser { tokens, next: 0, depth: 0, variables: Vec::new(), on_the_way: false, about };
    let condition = parser.condition()?;
    match parser.peek() {
        Token::End => Ok((condition, parser.variables)),
        other => Err(parser.fault(format!("expected an operator or the end, found {}", shown(other)))),
    }
}

/// A value of any type.
enum Term {
    Flag(Condition),
    Text(Text),
    Number(Number),
    List(Vec<Term>),
}

impl Term {
    fn type_name(&self) -> &'static str {
        match self {
            Term::Flag(_) => "true or false",
            Term::Text(_) => "a text",
            Term::Number(_) => "a number",
            Term::List(_) => "a list",
        }
    }
}

struct Parser {
    tokens: Vec<Placed>,
    next: usize,
    depth: usize,
    variables: Vec<Variable>,
    /// Inside of `passed(…)`.
    on_the_way: bool,
    about: About,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    fn place(&self) -> usize {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |(_, at)| *at)
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { at: self.place(), message: message.into() }
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Token::Symbol(s) if *s == symbol);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Fault> {
        if self.take(symbol) {
            return Ok(());
        }
        Err(self.fault(format!("expected {symbol:?}, found {}", shown(self.peek()))))
    }

    /// An expression that is true or false.
    fn condition(&mut self) -> Result<Condition, Fault> {
        let at = self.place();
        let term = self.any()?;
        flag(term, at)
    }

    fn any(&mut self) -> Result<Term, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault(format!("nested deeper than {DEEPEST}")));
        }
        let term = self.joined("||", Condition::Any, |p| p.joined("&&", Condition::All, Parser::comparison));
        self.depth -= 1;
        term
    }

    /// One operand, or several that `symbol` joins.
    fn joined(
        &mut self,
        symbol: &str,
        join: fn(Vec<Condition>) -> Condition,
        operand: fn(&mut Parser) -> Result<Term, Fault>,
    ) -> Result<Term, Fault> {
        let at = self.place();
        let first = operand(self)?;
        if !matches!(self.peek(), Token::Symbol(s) if *s == symbol) {
            return Ok(first);
        }
        let mut parts = vec![flag(first, at)?];
        while self.take(symbol) {
            let at = self.place();
            let part = operand(self)?;
            parts.push(flag(part, at)?);
        }
        Ok(Term::Flag(join(parts)))
    }

    fn comparison(&mut self) -> Result<Term, Fault> {
        let one = self.unary()?;
        let at = self.place();
        if matches!(self.peek(), Token::Name(name) if name == "in") {
            self.next += 1;
            let other = self.unary()?;
            return one_of(one, other, at).map(Term::Flag);
        }
        let symbols = [
            ("==", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::AtMost),
            ("<", Comparison::Less),
            (">=", Comparison::AtLeast),
            (">", Comparison::More),
        ];
        let Some((_, comparison)) = symbols.into_iter().find(|(symbol, _)| self.take(symbol)) else {
            return Ok(one);
        };
        let other = self.unary()?;
        compared(one, comparison, other, at).map(Term::Flag)
    }

    fn unary(&mut self) -> Result<Term, Fault> {
        let mut negated = false;
        let mut any = false;
        while self.take("!") {
            (negated, any) = (!negated, true);
        }
        if any {
            let at = self.place();
            let operand = self.call()?;
            let inner = flag(operand, at)?;
            return Ok(Term::Flag(if negated { Condition::Not(Box::new(inner)) } else { inner }));
        }
        if self.take("-") {
            let at = self.place();
            return match self.call()? {
                Term::Number(Number::Whole(number)) => Ok(Term::Number(Number::Whole(-number))),
                Term::Number(Number::Decimal(number)) => Ok(Term::Number(Number::Decimal(-number))),
                _ => Err(Fault { at, message: "expected a number after \"-\"".to_owned() }),
            };
        }
        self.call()
    }

    fn call(&mut self) -> Result<Term, Fault> {
        let mut term = self.value()?;
        while self.take(".") {
            let at = self.place();
            let Token::Name(name) = self.peek().clone() else {
                return Err(self.fault(format!("expected a function, found {}", shown(self.peek()))));
            };
            self.next += 1;
            self.expect("(")?;
            let argument = if self.take(")") {
                None
            } else {
                let argument = self.any()?;
                self.expect(")")?;
                Some(argument)
            };
            term = called(term, &name, argument, at)?;
        }
        Ok(term)
    }

    fn value(&mut self) -> Result<Term, Fault> {
        let at = self.place();
        let token = self.peek().clone();
        self.next += 1;
        match token {
            Token::Text(text) => Ok(Term::Text(Text::Literal(text))),
            Token::Whole(number) => Ok(Term::Number(Number::Whole(number))),
            Token::Decimal(number) => Ok(Term::Number(Number::Decimal(number))),
            Token::Name(name) if name == "size" => {
                self.expect("(")?;
                let argument = self.any()?;
                self.expect(")")?;
                called(argument, "size", None, at)
            }
            Token::Name(name) if name == "passed" => self.passed(at),
            Token::Name(name) => self.named(&name, at),
            Token::Symbol("(") => {
                let inner = self.any()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Symbol("[") => self.list(),
            other => Err(Fault { at, message: format!("expected a value, found {}", shown(&other)) }),
        }
    }

    /// `passed(host == "a.gr")`: what holds of a page on the way. What is asked there is no variable of the link's.
    fn passed(&mut self, at: usize) -> Result<Term, Fault> {
        self.expect("(")?;
        if std::mem::replace(&mut self.on_the_way, true) {
            return Err(Fault { at, message: "passed() cannot stand in another passed()".to_owned() });
        }
        let outside = std::mem::take(&mut self.variables);
        let inner = self.condition()?;
        self.on_the_way = false;
        self.expect(")")?;
        let inside = std::mem::replace(&mut self.variables, outside);
        let unknown = [("mime", Variable::Mime), ("language", Variable::Language), ("via", Variable::Via)];
        if let Some((name, _)) = unknown.into_iter().find(|(_, variable)| inside.contains(variable)) {
            let message = format!("{name} of the pages on the way is not known, passed() cannot ask for it");
            return Err(Fault { at, message });
        }
        Ok(Term::Flag(Condition::Passed(Box::new(inner))))
    }

    fn named(&mut self, name: &str, at: usize) -> Result<Term, Fault> {
        if let "true" | "false" = name {
            return Ok(Term::Flag(Condition::Always(name == "true")));
        }
        let of_pages: &[_] = match self.about {
            // Of the pages on the way, no more is known than of any link.
            About::Pages if !self.on_the_way => &Variable::OF_PAGES,
            About::Pages | About::Links => &[],
        };
        let variables = || Variable::ALL.iter().chain(of_pages);
        let Some((_, variable)) = variables().find(|(known, _)| *known == name).copied() else {
            let known: Vec<&str> = variables().map(|(known, _)| *known).collect();
            let message = format!("unknown variable {name:?}, known are {}", known.join(", "));
            return Err(Fault { at, message });
        };
        self.variables.push(variable);
        Ok(match variable {
            Variable::Depth => Term::Number(Number::Depth),
            Variable::Score => Term::Number(Number::Score),
            Variable::Words => Term::Number(Number::Words),
            Variable::Objects => Term::Number(Number::Objects),
            Variable::Duplicate => Term::Flag(Condition::Duplicate),
            text => Term::Text(Text::Variable(text)),
        })
    }

    fn list(&mut self) -> Result<Term, Fault> {
        let mut items = Vec::new();
        while !self.take("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.any()?);
        }
        Ok(Term::List(items))
    }
}

fn flag(term: Term, at: usize) -> Result<Condition, Fault> {
    match term {
        Term::Flag(condition) => Ok(condition),
        other => {
            let message = format!("expected something that is true or false, found {}", other.type_name());
            Err(Fault { at, message })
        }
    }
}

fn compared(one: Term, comparison: Comparison, other: Term, at: usize) -> Result<Condition, Fault> {
    let fault = |message: String| Err(Fault { at, message });
    match (one, other) {
        (Term::Text(one), Term::Text(other)) => Ok(Condition::Texts(one, comparison, other)),
        (Term::Number(one), Term::Number(other)) => Ok(Condition::Numbers(one, comparison, other)),
        (Term::Flag(one), Term::Flag(other)) => {
            let same = Condition::Same(Box::new(one), Box::new(other));
            match comparison {
                Comparison::Equal => Ok(same),
                Comparison::Unequal => Ok(Condition::Not(Box::new(same))),
                _ => fault("true and false have no order".to_owned()),
            }
        }
        (Term::List(_), _) | (_, Term::List(_)) => fault("a list can only stand right of \"in\"".to_owned()),
        (one, other) => fault(format!("{} cannot be compared with {}", one.type_name(), other.type_name())),
    }
}

/// `host in ["a.gr", "b.gr"]`
fn one_of(one: Term, list: Term, at: usize) -> Result<Condition, Fault> {
    let Term::List(items) = list else {
        let hint = if matches!(list, Term::Text(_)) { ", did you mean .contains()?" } else { "" };
        let message = format!("expected a list right of \"in\", found {}{hint}", list.type_name());
        return Err(Fault { at, message });
    };
    let equals = items.into_iter().map(|item| match &one {
        Term::Text(text) => compared(Term::Text(text.clone()), Comparison::Equal, item, at),
        Term::Number(number) => compared(Term::Number(number.clone()), Comparison::Equal, item, at),
        other => Err(Fault { at, message: format!("{} cannot be looked for in a list", other.type_name()) }),
    });
    equals.collect::<Result<Vec<_>, _>>().map(Condition::Any)
}

fn called(on: Term, name: &str, argument: Option<Term>, at: usize) -> Result<Term, Fault> {
    let fault = |message: String| Err(Fault { at, message });
    match (name, on, argument) {
        ("size", Term::Text(text), None) => Ok(Term::Number(Number::SizeOf(text))),
        ("size", on, None) => fault(format!("expected size of a text, found {}", on.type_name())),
        ("startsWith", Term::Text(on), Some(Term::Text(part))) => {
            Ok(Term::Flag(Condition::StartsWith(on, part)))
        }
        ("endsWith", Term::Text(on), Some(Term::Text(part))) => Ok(Term::Flag(Condition::EndsWith(on, part))),
        ("contains", Term::Text(on), Some(Term::Text(part))) => Ok(Term::Flag(Condition::Contains(on, part))),
        ("matches", Term::Text(on), Some(Term::Text(Text::Literal(pattern)))) => {
            match RegexBuilder::new(&pattern).size_limit(LARGEST_PATTERN_BYTES).build() {
                Ok(regex) => Ok(Term::Flag(Condition::Matches(on, regex))),
                Err(error) => fault(format!("the pattern {pattern:?} cannot be used: {}", reason(&error))),
            }
        }
        ("matches", Term::Text(_), Some(_)) => fault("expected a pattern in quotation marks".to_owned()),
        ("startsWith" | "endsWith" | "contains" | "matches", Term::Text(_), argument) => {
            let found = argument.map_or("nothing", |term| term.type_name());
            fault(format!("{name} needs one text in its parentheses, found {found}"))
        }
        ("startsWith" | "endsWith" | "contains" | "matches" | "size", on, _) => {
            fault(format!("{name} is asked of a text, found {}", on.type_name()))
        }
        _ => fault(format!(
            "unknown function {name:?}, known are startsWith, endsWith, contains, matches, size"
        )),
    }
}

/// The last line of the regex crate's message says what is wrong; those before draw the pattern.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn shown(token: &Token) -> String {
    match token {
        Token::Text(text) => format!("the text {text:?}"),
        Token::Whole(number) => number.to_string(),
        Token::Decimal(number) => number.to_string(),
        Token::Name(name) => format!("{name:?}"),
        Token::Symbol(symbol) => format!("{symbol:?}"),
        Token::End => "the end".to_owned(),
    }
}
