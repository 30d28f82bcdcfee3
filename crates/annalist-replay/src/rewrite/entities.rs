//! Character references in attributes: rewriting sees what browsers see.

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// The value that an attribute has, of what stands in its markup.
pub(super) fn decoded(markup: &str) -> Cow<'_, str> {
    if !markup.contains('&') {
        return Cow::Borrowed(markup);
    }
    // The one that browsers' rules are built into. References have no say in where the attribute ends.
    let tokenizer = Tokenizer::new(Value::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(format!("<a a=\"{}\">", markup.replace('"', "&quot;"))));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    Cow::Owned(tokenizer.sink.0.into_inner())
}

/// Markup of an attribute in double quotes; those are seen to by the one who writes the attribute.
pub(super) fn encoded(value: &str) -> String {
    value.replace('&', "&amp;")
}

#[derive(Default)]
struct Value(RefCell<String>);

impl TokenSink for Value {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token
            && let Some(attribute) = tag.attrs.first()
        {
            *self.0.borrow_mut() = attribute.value.to_string();
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn references_are_read_as_browsers_read_them() {
        for (markup, value) in [
            ("plain", "plain"),
            ("&#104;ttp&colon;&sol;&#x2f;a", "http://a"),
            ("?a=1&amp;b=2&copy=3&lt", "?a=1&b=2&copy=3<"),
            ("j&Tab;ava&NewLine;script:", "j\tava\nscript:"),
            ("\"&amp;'>", "\"&'>"),
            ("&", "&"),
        ] {
            assert_eq!(decoded(markup), value, "{markup}");
        }
    }
}
