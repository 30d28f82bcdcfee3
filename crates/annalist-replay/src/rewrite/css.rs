//! Addresses in style sheets. Tokens are told apart as the CSS standard says, escapes and all: what only looks like an
//! address, in a comment or in `content`, stays.

use super::{Rewriting, Rewritten};
use crate::target::Kind;

/// What a bracket that is open belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Strings in it are addresses.
    Addresses,
    Other,
}

impl Rewriting {
    /// Of a whole style sheet, or what an attribute `style` holds.
    pub(crate) fn css(&self, text: &str) -> String {
        let mut sheet = Sheet {
            rewriting: self,
            text,
            at: 0,
            out: String::with_capacity(text.len() + 256),
            imports: false,
            names: false,
        };
        sheet.run();
        sheet.out
    }
}

struct Sheet<'a> {
    rewriting: &'a Rewriting,
    text: &'a str,
    at: usize,
    out: String,
    /// Behind `@import`: strings are addresses of style sheets.
    imports: bool,
    /// Behind `@namespace`: a name of a language, which is compared and never fetched.
    names: bool,
}

impl<'a> Sheet<'a> {
    fn run(&mut self) {
        let mut open: Vec<Inside> = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                '/' if self.rest().starts_with("/*") => {
                    let end = self
                        .rest()
                        .get(2..)
                        .and_then(|rest| rest.find("*/"))
                        .map_or(self.rest().len(), |end| end + 4);
                    self.copy(end);
                }
                // Old sheets hide in comments of HTML; the hyphens belong to no name.
                '<' if self.rest().starts_with("<!--") => self.copy(4),
                '-' if self.rest().starts_with("-->") => self.copy(3),
                '"' | '\'' => {
                    let is_address = self.imports || open.last() == Some(&Inside::Addresses);
                    self.string(c, is_address && !self.names);
                }
                '@' => {
                    self.copy(1);
                    let (name, end) = self.ident();
                    self.imports = name.eq_ignore_ascii_case("import");
                    self.names = name.eq_ignore_ascii_case("namespace");
                    self.copy(end);
                }
                '(' => {
                    self.copy(1);
                    open.push(Inside::Other);
                }
                ')' => {
                    self.copy(1);
                    open.pop();
                }
                ';' | '{' | '}' => {
                    self.copy(1);
                    open.clear();
                    (self.imports, self.names) = (false, false);
                }
                _ if self.starts_ident() => open.extend(self.word()),
                _ => self.copy(c.len_utf8()),
            }
        }
    }

    /// A name, and if it is that of a function, what its bracket holds.
    fn word(&mut self) -> Option<Inside> {
        let (name, end) = self.ident();
        if !self.rest().get(end..).is_some_and(|rest| rest.starts_with('(')) {
            self.copy(end);
            return None;
        }
        let name = name.to_ascii_lowercase();
        if name != "url" {
            self.copy(end + 1);
            let fetches =
                matches!(name.as_str(), "image-set" | "-webkit-image-set" | "image" | "src" | "cross-fade");
            return Some(if fetches { Inside::Addresses } else { Inside::Other });
        }
        let inner = self.rest().get(end + 1..).unwrap_or_default();
        let white = inner.len() - inner.trim_start_matches(is_white).len();
        if inner[white..].starts_with(['"', '\'']) {
            self.copy(end + 1 + white);
            return Some(Inside::Addresses);
        }
        self.bare_address(end + 1);
        None
    }

    /// `url(…)` without quotes, which is one token with its bracket.
    fn bare_address(&mut self, start: usize) {
        let inner = self.rest().get(start..).unwrap_or_default();
        let (mut address, mut is_good, mut end) = (String::new(), true, inner.len());
        let mut at = 0;
        while let Some(c) = inner[at..].chars().next() {
            match c {
                ')' => {
                    end = at;
                    break;
                }
                '\\' => {
                    let (decoded, used) = escape(&inner[at..]);
                    is_good &= used > 0 && decoded.is_some();
                    address.extend(decoded);
                    at += used.max(1);
                    continue;
                }
                '"' | '\'' | '(' => is_good = false,
                _ => {}
            }
            address.push(c);
            at += c.len_utf8();
        }
        let address = address.trim_matches(is_white);
        let whole = start + (end + 1).min(inner.len());
        if !is_good || address.contains(is_white) {
            // Browsers drop it with its whole declaration; other readers might take it for an address.
            self.at += whole;
            self.out.push_str("bad-url()");
            return;
        }
        match self.rewriting.url(address, self.kind()) {
            Rewritten::To(url) if !self.names => {
                self.at += whole;
                self.out.push_str("url(");
                self.quote(&url);
                self.out.push(')');
            }
            Rewritten::Gone => {
                self.at += whole;
                self.out.push_str("url()");
            }
            _ => self.copy(whole),
        }
    }

    fn string(&mut self, quote: char, is_address: bool) {
        let rest = self.rest();
        let (mut value, mut at) = (String::new(), 1);
        let mut is_whole = false;
        while let Some(c) = rest.get(at..).and_then(|rest| rest.chars().next()) {
            match c {
                _ if c == quote => {
                    at += 1;
                    is_whole = true;
                    break;
                }
                // It ends with its line, and is none.
                '\n' | '\r' | '\u{c}' => return self.copy(at),
                '\\' => {
                    let (decoded, used) = escape(&rest[at..]);
                    value.extend(decoded);
                    at += used.max(1);
                }
                _ => {
                    value.push(c);
                    at += c.len_utf8();
                }
            }
        }
        // One that the end of the sheet cuts off counts.
        let is_address = is_address && (is_whole || at >= rest.len());
        match self.rewriting.url(&value, self.kind()) {
            Rewritten::To(url) if is_address => {
                self.at += at;
                self.quote(&url);
            }
            Rewritten::Gone if is_address => {
                self.at += at;
                self.out.push_str("\"\"");
            }
            _ => self.copy(at),
        }
    }

    fn kind(&self) -> Kind {
        if self.imports { Kind::Style } else { Kind::Image }
    }

    fn quote(&mut self, url: &str) {
        self.out.push('"');
        for c in url.chars() {
            match c {
                '"' | '\\' => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                // Nothing in it may end the element that holds the sheet.
                '<' | '\n' | '\r' | '\u{c}' => self.out.push_str(&format!("\\{:x} ", u32::from(c))),
                _ => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    /// The name that starts here, without its escapes, and how long it is with them.
    fn ident(&self) -> (String, usize) {
        let rest = self.rest();
        let (mut name, mut at) = (String::new(), 0);
        while let Some(c) = rest.get(at..).and_then(|rest| rest.chars().next()) {
            if c == '\\' {
                match escape(&rest[at..]) {
                    (Some(decoded), used) => {
                        name.push(decoded);
                        at += used;
                    }
                    _ => break,
                }
            } else if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii() {
                name.push(c);
                at += c.len_utf8();
            } else {
                break;
            }
        }
        (name, at)
    }

    fn starts_ident(&self) -> bool {
        match self.peek() {
            Some('\\') => escape(self.rest()).0.is_some(),
            Some(c) => c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii(),
            None => false,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn copy(&mut self, bytes: usize) {
        let rest = self.rest();
        let bytes = bytes.min(rest.len());
        self.out.push_str(&rest[..bytes]);
        self.at += bytes;
    }
}

fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// What a backslash and what follows it stand for, and how long they are. A line end stands for nothing.
fn escape(text: &str) -> (Option<char>, usize) {
    let after = text.get(1..).unwrap_or_default();
    let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits > 0 {
        let code = u32::from_str_radix(&after[..digits], 16).unwrap_or(0);
        let decoded = char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}');
        let white = match after[digits..].chars().next() {
            Some('\r') if after[digits..].starts_with("\r\n") => 2,
            Some(c) if is_white(c) => 1,
            _ => 0,
        };
        return (Some(decoded), 1 + digits + white);
    }
    match after.chars().next() {
        Some('\r') if after.starts_with("\r\n") => (None, 3),
        Some('\n' | '\r' | '\u{c}') => (None, 2),
        Some(c) => (Some(c), 1 + c.len_utf8()),
        None => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::Rewriting;

    fn css(text: &str) -> String {
        Rewriting::new("http://r/", "1", "http://a.test/d/").css(text)
    }

    #[test]
    fn addresses_in_style_sheets_become_those_of_the_archive() {
        let image = "http://r/1im_/http://a.test/d/x.png";
        let sheet = "http://r/1cs_/http://a.test/d/x.css";
        for (text, expected) in [
            ("a{b:url(x.png)}", format!("a{{b:url(\"{image}\")}}")),
            ("a{b:url( x.png )}", format!("a{{b:url(\"{image}\")}}")),
            ("a{b:url('x.png')}", format!("a{{b:url(\"{image}\")}}")),
            ("a{b:URL(\"x.png\" )}", format!("a{{b:URL(\"{image}\" )}}")),
            ("a{b:u\\72l(x.png)}", format!("a{{b:url(\"{image}\")}}")),
            ("a{b:u\\000072 l('x\\.png')}", format!("a{{b:u\\000072 l(\"{image}\")}}")),
            ("a{b:url(x\\.p\\6eg)}", format!("a{{b:url(\"{image}\")}}")),
            ("<!--url(x.png)-->", format!("<!--url(\"{image}\")-->")),
            ("@import 'x.css';", format!("@import \"{sheet}\";")),
            ("@import url(x.css) screen;", format!("@import url(\"{sheet}\") screen;")),
            ("@im\\70ort \"x.css\"", format!("@im\\70ort \"{}\"", sheet)),
            (
                "a{b:image-set('x.png' 1x, url(x.png) 2x type('image/png'))}",
                format!("a{{b:image-set(\"{image}\" 1x, url(\"{image}\") 2x type('image/png'))}}"),
            ),
            ("a{b:url(x.png", format!("a{{b:url(\"{image}\")")),
            ("a{b:url('x.png", format!("a{{b:url(\"{image}\"")),
            ("a{b:url(//live.test/x)}", "a{b:url(\"http://r/1im_/http://live.test/x\")}".to_owned()),
            ("a{b:url(javascript:x)}", "a{b:url()}".to_owned()),
            ("a{b:url(x y)} c{d:url(x\"y)}", "a{b:bad-url()} c{d:bad-url()}".to_owned()),
            ("a{b:url(\\", "a{b:bad-url()".to_owned()),
        ] {
            assert_eq!(css(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_address_stays() {
        for text in [
            "",
            "a{content:'url(x.png)'} /* url(x.png) @import 'x' */ b{c:d}",
            "@namespace svg url(http://www.w3.org/2000/svg); @charset 'utf-8';",
            "a{b:url(data:image/png;base64,AA==)} c{d:url(#e)} f{g:url()}",
            "a{content:'x\n} /* unclosed",
            "\\",
        ] {
            assert_eq!(css(text), text, "{text}");
        }
    }
}
