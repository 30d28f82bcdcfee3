//! What can be asked for: `greece "debt crisis" -football (euro OR drachma) elect* site:example.org published:2010-03..2011`.
//! Every text is an answer or an error that says what is wrong and where. What it means to an index is in `plan.rs`.

use annalist_judge::text::Tokens;
use annalist_model::CanonicalUrl;

use super::entry::{day, start_of};
use super::gather::EXACTLY;

/// Longer questions are pasted by mistake.
const LONGEST: usize = 2_000;
const MOST_CLAUSES: usize = 64;
/// Words that stand one after the other: each is looked for at every place where the one before it stands, and nothing ends
/// that within a page.
const MOST_IN_ORDER: usize = 64;
const DEEPEST: usize = 16;

/// What a document must be to match.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    Everything,
    Words {
        within: Within,
        text: String,
        how: How,
    },
    /// Exactly this, in lower case.
    Label(Label, String),
    /// From the first moment up to the second, milliseconds since 1970.
    Between(When, Option<i64>, Option<i64>),
    Not(Box<Wanted>),
    All(Vec<Wanted>),
    Any(Vec<Wanted>),
}

/// Where words are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    Anywhere,
    Title,
    Url,
    Author,
    Topic,
    Entity,
    Event,
}

/// How words are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// In any of their forms.
    AnyForm,
    /// As written, one after the other.
    AsWritten,
    /// Words that begin so.
    Beginning,
    /// A name, as it is counted, and nothing else.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    Site,
    Host,
    Language,
    Type,
    Application,
    Mime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Published,
    Captured,
}

#[derive(Clone, Copy)]
enum Named {
    Within(Within),
    Label(Label),
    When(When),
}

const FIELDS: [(&str, Named); 14] = [
    ("title", Named::Within(Within::Title)),
    ("url", Named::Within(Within::Url)),
    ("author", Named::Within(Within::Author)),
    ("topic", Named::Within(Within::Topic)),
    ("entity", Named::Within(Within::Entity)),
    ("event", Named::Within(Within::Event)),
    ("site", Named::Label(Label::Site)),
    ("host", Named::Label(Label::Host)),
    ("language", Named::Label(Label::Language)),
    ("type", Named::Label(Label::Type)),
    ("application", Named::Label(Label::Application)),
    ("mime", Named::Label(Label::Mime)),
    ("published", Named::When(When::Published)),
    ("captured", Named::When(When::Captured)),
];

/// What is wrong with a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// The character where it went wrong, counted from 0.
    pub at: usize,
    pub message: String,
}

/// Reads a question. An empty one asks for everything.
pub fn parse(question: &str) -> Result<Wanted, QueryError> {
    if question.chars().nth(LONGEST).is_some() {
        return Err(QueryError {
            at: LONGEST,
            message: format!("a question may have {LONGEST} letters at most"),
        });
    }
    let mut parser = Parser { chars: question.chars().collect(), at: 0, clauses: 0 };
    let wanted = parser.any(0)?;
    if wanted.as_ref().is_some_and(|wanted| in_order(wanted) > MOST_IN_ORDER) {
        let message = format!(
            "a question may have {MOST_IN_ORDER} words in quotes at most (characters, where a script has no spaces): leave some out, \
             or the quotes"
        );
        return Err(QueryError { at: 0, message });
    }
    match parser.peek() {
        None => Ok(wanted.unwrap_or(Wanted::Everything)),
        Some(_) => Err(parser.fault(") without its (")),
    }
}

/// `2010-03..2011`, `..2012`, `2011-03-05`: the first moment, and the first one after.
pub fn parse_span(written: &str) -> Result<(Option<i64>, Option<i64>), String> {
    let (from, until) = written.split_once("..").unwrap_or((written, written));
    let bound = |written: &str| match written {
        "" => Ok(None),
        _ => day(written)
            .map(Some)
            .ok_or_else(|| format!("{written} is no date such as 2011, 2011-03 or 2011-03-05")),
    };
    let first = bound(from)?.map(start_of);
    let after = bound(until)?.and_then(|start| {
        let length = match until.len() {
            4 => jiff::Span::new().years(1),
            7 => jiff::Span::new().months(1),
            _ => jiff::Span::new().days(1),
        };
        start.checked_add(length).ok().map(start_of)
    });
    match (first, after) {
        (None, None) => Err("a time needs a beginning or an end, such as 2010-03..2011 or ..2012".to_owned()),
        (Some(first), Some(after)) if first >= after => Err(format!("{written} ends before it begins")),
        span => Ok(span),
    }
}

impl Wanted {
    /// Both.
    #[must_use]
    pub fn and(self, other: Wanted) -> Wanted {
        match self {
            Wanted::Everything => other,
            Wanted::All(mut all) => {
                all.push(other);
                Wanted::All(all)
            }
            _ => Wanted::All(vec![self, other]),
        }
    }
}

impl Wanted {
    fn or(self, other: Wanted) -> Wanted {
        Wanted::Any(vec![self, other])
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    clauses: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn fault(&self, message: impl Into<String>) -> QueryError {
        QueryError { at: self.at, message: message.into() }
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Whether this word comes next, alone; then it is behind us.
    fn take(&mut self, keyword: &str) -> bool {
        self.skip_spaces();
        let end = self.at + keyword.len();
        let is_next =
            self.chars.get(self.at..end).is_some_and(|next| next.iter().copied().eq(keyword.chars()));
        let ends =
            self.chars.get(end).is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ')') || is_quote(*c));
        if is_next && ends {
            self.at = end;
        }
        is_next && ends
    }

    fn any(&mut self, depth: usize) -> Result<Option<Wanted>, QueryError> {
        if depth > DEEPEST {
            return Err(self.fault("too many ( in one another"));
        }
        let mut any = Vec::new();
        loop {
            let start = self.at;
            let all = self.all(depth)?;
            let goes_on = self.take("OR");
            match all {
                Some(all) => any.push(all),
                None if goes_on || !any.is_empty() => {
                    return Err(QueryError {
                        at: start,
                        message: "OR needs something on both sides".to_owned(),
                    });
                }
                None => {}
            }
            if !goes_on {
                return Ok(match any.len() {
                    0 | 1 => any.pop(),
                    _ => Some(Wanted::Any(any)),
                });
            }
        }
    }

    fn all(&mut self, depth: usize) -> Result<Option<Wanted>, QueryError> {
        let mut all = Vec::new();
        loop {
            while self.take("AND") {}
            self.skip_spaces();
            let before_or = self.at;
            if self.peek().is_none_or(|c| c == ')') || self.take("OR") {
                self.at = before_or;
                return Ok(match all.len() {
                    0 | 1 => all.pop(),
                    _ => Some(Wanted::All(all)),
                });
            }
            all.extend(self.one(depth)?);
        }
    }

    fn one(&mut self, depth: usize) -> Result<Option<Wanted>, QueryError> {
        let is_not = self.take("NOT") || self.peek() == Some('-');
        if self.peek() == Some('-') {
            self.at += 1;
        }
        if is_not {
            self.skip_spaces();
            if depth > DEEPEST {
                return Err(self.fault("too many - in a row"));
            }
            // A dash between two words is no wish.
            let wanted = match self.peek() {
                None | Some(')') => None,
                Some(_) => self.one(depth + 1)?,
            };
            return Ok(wanted.map(|wanted| Wanted::Not(Box::new(wanted))));
        }
        self.clauses += 1;
        if self.clauses > MOST_CLAUSES {
            return Err(self.fault(format!("a question may have {MOST_CLAUSES} parts at most")));
        }
        match self.peek() {
            Some('(') => {
                let open = self.at;
                self.at += 1;
                let inner = self.any(depth + 1)?;
                if self.peek() != Some(')') {
                    return Err(QueryError { at: open, message: "( without its )".to_owned() });
                }
                self.at += 1;
                Ok(inner)
            }
            Some(c) if is_quote(c) => {
                let text = self.quoted()?;
                Ok(words(Within::Anywhere, text, How::AsWritten))
            }
            _ => self.word(),
        }
    }

    fn quoted(&mut self) -> Result<String, QueryError> {
        let open = self.at;
        self.at += 1;
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let Some(length) = rest.iter().position(|c| is_quote(*c)) else {
            return Err(QueryError { at: open, message: "a quote begins here and never ends".to_owned() });
        };
        let text = rest.iter().take(length).collect();
        self.at += length + 1;
        Ok(text)
    }

    /// Up to a space, a parenthesis or a quote.
    fn bare(&mut self) -> String {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let bare: String = rest
            .iter()
            .take_while(|c| !c.is_whitespace() && !matches!(c, '(' | ')') && !is_quote(**c))
            .collect();
        self.at += bare.chars().count();
        bare
    }

    fn word(&mut self) -> Result<Option<Wanted>, QueryError> {
        let start = self.at;
        let fault = |message: String| QueryError { at: start, message };
        let bare = self.bare();
        let named = bare.split_once(':').filter(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic()) && !bare.contains("://")
                || FIELDS.iter().any(|(field, _)| field == name)
        });
        let Some((name, value)) = named else {
            let named = anywhere(Within::Anywhere, &bare).map_err(fault)?;
            let address = addressed(&bare);
            // A long address is looked for as such only: no text has room for it.
            let named = named.filter(|named| address.is_none() || in_order(named) <= MOST_IN_ORDER);
            return Ok(address.into_iter().chain(named).reduce(Wanted::or));
        };
        let Some((_, field)) = FIELDS.iter().find(|(field, _)| *field == name) else {
            let names: Vec<_> = FIELDS.iter().map(|(field, _)| *field).collect();
            return Err(fault(format!(
                "there is no field {name}; there are {}. To look for the words themselves, put them in quotes",
                names.join(", ")
            )));
        };
        let is_quoted = value.is_empty() && self.peek().is_some_and(is_quote);
        let value = if is_quoted { self.quoted()? } else { value.to_owned() };
        if value.trim().is_empty() {
            return Err(fault(format!("{name}: needs something behind it, such as {}", example(*field))));
        }
        match *field {
            Named::Within(within) if is_quoted => {
                Ok(whole(within, &value).or_else(|| words(within, value, How::AsWritten)))
            }
            Named::Within(within) => anywhere(within, &value).map_err(fault),
            Named::Label(label) => Ok(Some(Wanted::Label(label, spelled(label, value.trim())))),
            Named::When(when) => match parse_span(value.trim()) {
                Ok((from, until)) => Ok(Some(Wanted::Between(when, from, until))),
                Err(message) => Err(fault(message)),
            },
        }
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}

fn anywhere(within: Within, bare: &str) -> Result<Option<Wanted>, String> {
    match bare.strip_suffix('*') {
        Some(beginning) if beginning.contains('*') => Err("* can stand at the end of a word only".to_owned()),
        Some(beginning) if !beginning.chars().any(char::is_alphanumeric) => {
            Err("* needs letters before it, such as elect*".to_owned())
        }
        Some(beginning) => Ok(words(within, beginning.to_owned(), How::Beginning)),
        None if bare.contains('*') => Err("* can stand at the end of a word only".to_owned()),
        None => Ok(words(within, bare.to_owned(), How::AnyForm)),
    }
}

/// Who pastes an address looks for what was captured there, however it was asked for, or for what names it.
fn addressed(bare: &str) -> Option<Wanted> {
    bare.split_once("://")?;
    // As the crawl spelled it.
    let url = CanonicalUrl::parse(bare).ok()?;
    let (_, rest) = url.as_str().split_once("://")?;
    words(Within::Url, rest.to_owned(), How::AsWritten)
}

/// A label as the index has it: names of servers beyond ASCII stand there as DNS knows them.
pub(super) fn spelled(label: Label, value: &str) -> String {
    let is_name = matches!(label, Label::Site | Label::Host) && !value.is_ascii();
    let url = is_name.then(|| CanonicalUrl::parse(&format!("http://{value}/")).ok()).flatten();
    url.map_or_else(|| value.to_lowercase(), |url| url.host_name().to_owned())
}

/// Nothing where there is no word, only signs.
/// How many words have to stand in their order. Addresses and names are short wherever they stand.
fn in_order(wanted: &Wanted) -> usize {
    match wanted {
        Wanted::Words { within: Within::Anywhere | Within::Title, text, .. } => {
            let mut tokens = Tokens::new(text);
            let mut number = 0;
            while tokens.next_token().is_some() {
                number += 1;
            }
            if number > 1 { number } else { 0 }
        }
        Wanted::Not(inner) => in_order(inner),
        Wanted::All(all) | Wanted::Any(all) => all.iter().map(in_order).sum(),
        _ => 0,
    }
}

fn words(within: Within, text: String, how: How) -> Option<Wanted> {
    Tokens::new(&text).next_token()?;
    Some(Wanted::Words { within, text, how })
}

/// `"=Jane Doe"`, where names are counted.
fn whole(within: Within, value: &str) -> Option<Wanted> {
    let text = value.strip_prefix(EXACTLY)?.to_owned();
    let is_counted = matches!(within, Within::Author | Within::Topic | Within::Entity | Within::Event);
    is_counted.then_some(Wanted::Words { within, text, how: How::Whole })
}

fn example(field: Named) -> &'static str {
    match field {
        Named::Label(Label::Site) => "site:example.org",
        Named::Label(Label::Host) => "host:www.example.org",
        Named::Label(Label::Language) => "language:el",
        Named::Label(Label::Type) => "type:comment",
        Named::Label(Label::Application) => "application:wordpress",
        Named::Label(Label::Mime) => "mime:text/html",
        Named::When(_) => "published:2010-03..2011",
        Named::Within(_) => "title:crisis or author:\"Jane Doe\"",
    }
}

#[cfg(test)]
mod tests {
    use super::{How, LONGEST, Label, Wanted, Within, parse, parse_span};

    #[test]
    fn a_server_s_name_is_found_as_people_write_it() {
        let site = |name: &str| Ok(Wanted::Label(Label::Site, name.to_owned()));
        assert_eq!(parse("site:München.test"), site("xn--mnchen-3ya.test"));
        assert_eq!(parse("site:Example.org"), site("example.org"));
    }

    #[test]
    fn a_pasted_address_asks_for_what_was_captured_there() {
        let Ok(Wanted::Any(any)) = parse("https://a.test/Path?x=1") else { panic!("one of two") };
        let text = "a.test/Path?x=1".to_owned();
        assert_eq!(any[0], Wanted::Words { within: Within::Url, text, how: How::AsWritten });
        let Ok(Wanted::Any(any)) = parse("HTTP://münchen.test/über#oben") else { panic!("one of two") };
        let text = "xn--mnchen-3ya.test/%C3%BCber".to_owned();
        assert_eq!(any[0], Wanted::Words { within: Within::Url, text, how: How::AsWritten });
        assert!(matches!(parse("ftp://a.test/"), Ok(Wanted::Words { within: Within::Anywhere, .. })));
    }

    #[test]
    fn a_month_is_written_with_two_digits_and_what_is_not_is_refused() {
        assert!(parse_span("2009-04").is_ok() && parse_span("2009-04..2009-06-30").is_ok());
        for wrong in ["2009-4", "2009-+4", "2009-04-1", "209", "2009-13", "2009-04-31", "2009-04-01-01"] {
            assert!(parse_span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_in_order_are_few() {
        assert!(parse(&format!("\"{}\"", "a ".repeat(64))).is_ok());
        assert!(
            parse(&"a ".repeat(60)).is_ok() && parse(&format!("https://a.test/{}", "a/".repeat(500))).is_ok()
        );
        let hidden = ["a.".repeat(500), "字".repeat(66), "(title:\"a b c\" or -\"a b c d\") ".repeat(10)];
        for many in [format!("\"{}\"", "a ".repeat(65))].iter().chain(&hidden) {
            assert!(parse(many).is_err(), "{many}");
        }
    }

    #[test]
    fn letters_are_counted_in_every_script_alike() {
        assert!(parse(&"α".repeat(LONGEST)).is_ok());
        assert!(parse(&"a".repeat(LONGEST + 1)).is_err());
    }
}
