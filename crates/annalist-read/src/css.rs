//! Addresses in style sheets: `url(…)` and `@import`, with every way CSS has of writing them. What a rule means
//! is not read.

use std::borrow::Cow;

/// How a style sheet uses an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// `@import`: another style sheet.
    Import,
    /// `url(…)`: image, font, cursor.
    Url,
}

/// All addresses in a style sheet or a `style` attribute, as written, in order.
pub fn urls(css: &str) -> Urls<'_> {
    Urls { css, at: 0, after_import: false }
}

/// See [`urls`].
pub struct Urls<'c> {
    css: &'c str,
    at: usize,
    /// `@import` was read, its address not yet.
    after_import: bool,
}

impl<'c> Iterator for Urls<'c> {
    type Item = (Use, Cow<'c, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.css.as_bytes();
        while let Some(byte) = bytes.get(self.at).copied() {
            match byte {
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => {
                    self.at = self.comment_end();
                }
                b'"' | b'\'' => {
                    let value = self.quoted(byte);
                    if std::mem::take(&mut self.after_import) {
                        return Some((Use::Import, value));
                    }
                }
                b'@' if self.word_is("@namespace") => self.at = self.rule_end(),
                b'@' if self.word_is("@import") => {
                    self.at += "@import".len();
                    self.after_import = true;
                }
                b'u' | b'U' if self.word_is("url(") && !self.continues_a_name() => {
                    self.at += "url(".len();
                    let usage = if std::mem::take(&mut self.after_import) { Use::Import } else { Use::Url };
                    if let Some(value) = self.function_value() {
                        return Some((usage, value));
                    }
                }
                b';' | b'{' | b'}' => {
                    self.after_import = false;
                    self.at += 1;
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        None
    }
}

impl<'c> Urls<'c> {
    fn comment_end(&self) -> usize {
        let inside = self.css.get(self.at + 2..).unwrap_or("");
        inside.find("*/").map_or(self.css.len(), |end| self.at + 2 + end + 2)
    }

    /// Behind the rule that begins here; what it names is a name and no address. An address may hold a `;`.
    fn rule_end(&mut self) -> usize {
        let bytes = self.css.as_bytes();
        while let Some(byte) = bytes.get(self.at).copied() {
            match byte {
                b';' | b'{' | b'}' => break,
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => self.at = self.comment_end(),
                b'"' | b'\'' => {
                    self.quoted(byte);
                }
                b'u' | b'U' if self.word_is("url(") && !self.continues_a_name() => {
                    self.at += "url(".len();
                    self.function_value();
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at
    }

    fn word_is(&self, word: &str) -> bool {
        let here = self.css.as_bytes().get(self.at..self.at + word.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// `my-url(` is a function of its own.
    fn continues_a_name(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.css.as_bytes().get(at));
        before.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii())
    }

    /// A string that begins here; the place moves behind it.
    fn quoted(&mut self, quote: u8) -> Cow<'c, str> {
        let bytes = self.css.as_bytes();
        let from = self.at + 1;
        let mut end = from;
        while let Some(byte) = bytes.get(end).copied() {
            match byte {
                b'\\' => end += 1,
                // A string ends with its line, closed or not.
                b'\n' => break,
                _ if byte == quote => break,
                _ => {}
            }
            end += 1;
        }
        let end = end.min(bytes.len());
        self.at = end + 1;
        unescaped(self.css.get(from..end).unwrap_or(""))
    }

    /// What stands in `url(…)`; the place moves behind the bracket.
    fn function_value(&mut self) -> Option<Cow<'c, str>> {
        let bytes = self.css.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        if let Some(quote @ (b'"' | b'\'')) = bytes.get(self.at).copied() {
            return Some(self.quoted(quote)).filter(|value| !value.is_empty());
        }
        let from = self.at;
        let mut end = from;
        while let Some(byte) = bytes.get(end).copied() {
            match byte {
                b')' => break,
                b'\\' => end += 1,
                _ => {}
            }
            end += 1;
        }
        let end = end.min(bytes.len());
        self.at = end + 1;
        let value = self.css.get(from..end)?.trim_ascii();
        (!value.is_empty()).then(|| unescaped(value))
    }
}

/// `\` with hexadecimal digits is a character, with a line end nothing, with anything else that.
fn unescaped(value: &str) -> Cow<'_, str> {
    if !value.contains('\\') {
        return Cow::Borrowed(value);
    }
    let mut plain = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if digits > 0 {
            let code = u32::from_str_radix(&rest[..digits], 16).ok();
            plain.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = &rest[digits..];
            rest = rest.strip_prefix([' ', '\t', '\n']).unwrap_or(rest);
        } else if let Some(next) = rest.chars().next() {
            if next != '\n' {
                plain.push(next);
            }
            rest = &rest[next.len_utf8()..];
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::{Use, urls};
    use proptest::prelude::*;

    fn found(css: &str) -> Vec<(Use, String)> {
        urls(css).map(|(usage, url)| (usage, url.into_owned())).collect()
    }

    #[test]
    fn addresses_are_found_in_every_spelling() {
        for (css, expected) in [
            ("a{background:url(a.png)}", "a.png"),
            ("a{background:URL( 'a b.png' )}", "a b.png"),
            ("a{background:url(\"a).png\")}", "a).png"),
            ("a{background:url(\n\ta.png\n)}", "a.png"),
            ("a{background:url(a\\).png)}", "a).png"),
            ("a{background:url(\\61 .png)}", "a.png"),
            ("a{background:url('a\\\nb.png')}", "ab.png"),
            ("@font-face{src:local('x'),url(f.woff2)format('woff2')}", "f.woff2"),
            ("background:url(open", "open"),
        ] {
            assert_eq!(found(css), [(Use::Url, expected.to_owned())], "{css}");
        }
    }

    #[test]
    fn imports_are_told_from_images() {
        for css in [
            "@import 'x.css';",
            "@import \"x.css\" screen;",
            "@IMPORT url(x.css);",
            "@import/**/url( 'x.css' ) print;",
            "@import\n'x.css'",
        ] {
            assert_eq!(found(css), [(Use::Import, "x.css".to_owned())], "{css}");
        }
        assert_eq!(found("@import; a{b:url(c)}"), [(Use::Url, "c".to_owned())]);
    }

    #[test]
    fn comments_strings_and_other_functions_hold_no_addresses() {
        for css in
            ["/* url(a.png) */", "a{content:'url(a.png)'}", "a{b:my-url(c)}", "url()", "url('')", "/* url(a"]
        {
            assert_eq!(found(css), [], "{css}");
        }
    }

    #[test]
    fn names_of_vocabularies_are_no_addresses() {
        for css in [
            "@namespace url(http://www.w3.org/1999/xhtml);",
            "@namespace svg url('http://www.w3.org/2000/svg?a;b');",
            "@NAMESPACE svg/*;*/\"http://www.w3.org/2000/svg\" ;",
        ] {
            let css = format!("{css} a{{b:url(c)}}");
            assert_eq!(found(&css), [(Use::Url, "c".to_owned())], "{css}");
        }
        assert_eq!(found("@namespace url(http://a.test/"), []);
    }

    proptest! {
        #[test]
        fn any_quoted_address_is_read_back(url in "[ -~\u{e9}\u{4e00}]{1,40}") {
            let escaped = url.replace('\\', "\\\\").replace('"', "\\\"");
            prop_assert_eq!(found(&format!("a{{b:url(\"{escaped}\")}}")), [(Use::Url, url)]);
        }

        #[test]
        fn any_text_is_read_to_its_end(css in "[ur(l)'\"\\\\/*@import; \n\u{e9}{}a]{0,60}") {
            prop_assert!(urls(&css).count() <= css.len());
        }
    }
}
