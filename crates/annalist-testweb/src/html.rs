//! The few ways text goes into markup. What a page consists of is in `pages/`.

/// Without the formatting machinery: dates and addresses have many numbers.
pub(crate) fn push_number(out: &mut String, number: u64) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

/// Text or an attribute's value, with what markup needs escaped.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    if !text.bytes().any(|byte| matches!(byte, b'&' | b'<' | b'>' | b'"')) {
        out.push_str(text);
        return;
    }
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
}

/// The text of our own markup: tags out, white space folded. Good for this crate's pages only.
pub(crate) fn plain_text(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    let mut inside_tag = false;
    for letter in markup.chars() {
        match letter {
            '<' => inside_tag = true,
            '>' => {
                inside_tag = false;
                text.push(' ');
            }
            other if !inside_tag => text.push(other),
            _ => {}
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{plain_text, push_escaped, push_number};

    #[test]
    fn numbers_and_escapes_are_written_as_expected() {
        let mut out = String::new();
        push_number(&mut out, 0);
        push_number(&mut out, 1020);
        push_escaped(&mut out, "?f=1&t=\"2\"");
        assert_eq!(out, "01020?f=1&amp;t=&quot;2&quot;");
    }

    #[test]
    fn plain_text_keeps_words_apart() {
        assert_eq!(plain_text("<p>One <a href=\"/x\">two</a></p><p>three</p>"), "One two three");
    }
}
