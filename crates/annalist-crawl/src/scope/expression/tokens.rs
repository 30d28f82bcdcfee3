//! The words of an expression: its text cut into tokens, each with its place.

use super::Fault;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Text(String),
    Whole(i64),
    Decimal(f64),
    Name(String),
    Symbol(&'static str),
    End,
}

/// A token and where it begins, in characters.
pub(super) type Placed = (Token, usize);

/// Longer symbols first: `<=` is not `<` and something.
const SYMBOLS: [&str; 16] =
    ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", ",", ".", "-"];

pub(super) fn read(text: &str) -> Result<Vec<Placed>, Fault> {
    let mut source = Source { letters: text.chars().collect(), at: 0 };
    let mut tokens = Vec::new();
    loop {
        source.skip_while(char::is_whitespace);
        let at = source.at;
        let token = source.token()?;
        let ended = token == Token::End;
        tokens.push((token, at));
        if ended {
            return Ok(tokens);
        }
    }
}

struct Source {
    letters: Vec<char>,
    at: usize,
}

impl Source {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn skip_while(&mut self, holds: impl Fn(char) -> bool) -> String {
        let from = self.at;
        while self.peek().is_some_and(&holds) {
            self.at += 1;
        }
        self.letters[from..self.at].iter().collect()
    }

    fn token(&mut self) -> Result<Token, Fault> {
        let Some(first) = self.peek() else { return Ok(Token::End) };
        let quote = self.letters.get(self.at + 1).copied().filter(|c| matches!(c, '"' | '\''));
        match (first, quote) {
            ('r', Some(quote)) => {
                self.at += 2;
                self.raw_text(quote)
            }
            ('"' | '\'', _) => {
                self.at += 1;
                self.text(first)
            }
            _ if first.is_ascii_digit() => self.number(),
            _ if first.is_alphabetic() || first == '_' => {
                Ok(Token::Name(self.skip_while(|c| c.is_alphanumeric() || c == '_')))
            }
            _ => self.symbol(first),
        }
    }

    fn symbol(&mut self, first: char) -> Result<Token, Fault> {
        let rest = &self.letters[self.at..];
        let found = SYMBOLS.iter().find(|symbol| symbol.chars().eq(rest.iter().copied().take(symbol.len())));
        let Some(symbol) = found else {
            let hint = match first {
                '=' => ", did you mean \"==\"?",
                '&' => ", did you mean \"&&\"?",
                '|' => ", did you mean \"||\"?",
                _ => "",
            };
            return Err(Fault { at: self.at, message: format!("{first:?} has no meaning here{hint}") });
        };
        self.at += symbol.len();
        Ok(Token::Symbol(symbol))
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let at = self.at;
        let mut digits = self.skip_while(|c| c.is_ascii_digit());
        let next = self.letters.get(self.at + 1);
        let number = if self.peek() == Some('.') && next.is_some_and(char::is_ascii_digit) {
            self.at += 1;
            digits.push('.');
            digits.push_str(&self.skip_while(|c| c.is_ascii_digit()));
            digits.parse().ok().map(Token::Decimal)
        } else {
            digits.parse().ok().map(Token::Whole)
        };
        number.ok_or_else(|| Fault { at, message: format!("{digits} is too large a number") })
    }

    fn raw_text(&mut self, quote: char) -> Result<Token, Fault> {
        let at = self.at;
        let text = self.skip_while(|c| c != quote);
        self.close(at)?;
        Ok(Token::Text(text))
    }

    fn text(&mut self, quote: char) -> Result<Token, Fault> {
        let at = self.at;
        let mut text = String::new();
        loop {
            text.push_str(&self.skip_while(|c| c != quote && c != '\\'));
            if self.peek() != Some('\\') {
                self.close(at)?;
                return Ok(Token::Text(text));
            }
            self.at += 1;
            text.push(self.escape()?);
        }
    }

    fn close(&mut self, opened: usize) -> Result<(), Fault> {
        if self.peek().is_none() {
            let message = "the text that begins here has no closing quotation mark".to_owned();
            return Err(Fault { at: opened.saturating_sub(1), message });
        }
        self.at += 1;
        Ok(())
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let at = self.at;
        let letter = self.peek();
        self.at += 1;
        let fault = |message: String| Err(Fault { at, message });
        match letter {
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some(same @ ('\\' | '"' | '\'' | '`' | '?')) => Ok(same),
            Some('u') => {
                let digits: String = self.letters.iter().skip(self.at).take(4).collect();
                self.at += 4;
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
                code.and_then(char::from_u32)
                    .map_or_else(|| fault(format!("\\u{digits} is no character")), Ok)
            }
            Some(other) => {
                fault(format!("\\{other} is no escape: write \\\\{other}, or r\"…\" around the whole text"))
            }
            None => fault("the text ends inside an escape".to_owned()),
        }
    }
}
