//! Cuts attributes out of tags that have thousands. The tokenizer compares every attribute with all others of
//! its tag, which takes minutes for a megabyte of them; no page needs more than some dozens.

/// Markup shorter than this cannot hold enough attributes to matter.
const HARMLESS: usize = 64 << 10;
const MOST_ATTRIBUTES: usize = 1_000;
/// A tag of that many different attributes is at least this long.
const SHORTEST_GIANT: usize = 3_000;

/// A part of the markup.
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    /// Something was cut out before it.
    pub(super) follows_a_cut: bool,
}

/// The markup in as few parts as possible, without the attributes that are too many.
pub(super) fn without_giant_tags(html: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut from = 0;
    if html.len() > HARMLESS {
        let mut at = 0;
        while let Some(tag) = next_tag(html.as_bytes(), at) {
            at = tag.end;
            if let Some(cut) = tag.cut {
                parts.push(Part { text: &html[from..cut], follows_a_cut: from > 0 });
                from = tag.end;
            }
        }
    }
    parts.push(Part { text: &html[from..], follows_a_cut: from > 0 });
    parts
}

/// A tag or comment of the markup; `end` is where its `>` stands, so that what is left stays a tag.
struct TagPlace {
    end: usize,
    /// Where the attributes that are too many begin.
    cut: Option<usize>,
}

fn next_tag(html: &[u8], from: usize) -> Option<TagPlace> {
    let start = from + find(html.get(from..)?, |b| b == b'<')?;
    let rest = &html[start..];
    if rest.starts_with(b"<!--") {
        return Some(TagPlace { end: start + 4 + position_of(&rest[4..], b"-->")?, cut: None });
    }
    if !rest.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'/') {
        return Some(TagPlace { end: start + 1, cut: None });
    }
    let length = tag_length(rest);
    let cut = (length > SHORTEST_GIANT).then(|| too_many(&rest[..length])).flatten().map(|at| start + at);
    let mut end = start + length;
    for raw in ["script", "style", "textarea"] {
        if rest.get(1..=raw.len()).is_some_and(|name| name.eq_ignore_ascii_case(raw.as_bytes()))
            && cut.is_none()
        {
            end += raw_text_length(&html[end..], raw);
        }
    }
    Some(TagPlace { end, cut })
}

/// How far it is to the `>` that ends the tag; `>` in quotes does not.
fn tag_length(tag: &[u8]) -> usize {
    let mut quote = None;
    let mut after_equals = false;
    for (at, byte) in tag.iter().copied().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None => match byte {
                b'>' => return at,
                b'"' | b'\'' if after_equals => quote = Some(byte),
                _ => {}
            },
        }
        after_equals = quote.is_none() && (byte == b'=' || (after_equals && byte.is_ascii_whitespace()));
    }
    tag.len()
}

/// Where the attribute after the last allowed one begins.
fn too_many(tag: &[u8]) -> Option<usize> {
    let mut attributes = 0;
    let mut at = 0;
    while let Some(gap) = find(&tag[at..], |b| b.is_ascii_whitespace() || matches!(b, b'/' | b'"' | b'\'')) {
        at += gap + 1;
        let separator = tag[at - 1];
        if matches!(separator, b'"' | b'\'') && tag[..at - 1].trim_ascii_end().ends_with(b"=") {
            at += find(&tag[at..], |b| b == separator)? + 1;
            if tag.get(at).is_some_and(|b| b.is_ascii_whitespace() || *b == b'/') {
                continue;
            }
        }
        attributes += 1;
        if attributes > MOST_ATTRIBUTES {
            return Some(at);
        }
    }
    None
}

fn raw_text_length(text: &[u8], element: &str) -> usize {
    let mut at = 0;
    while let Some(open) = position_of(&text[at..], b"</") {
        at += open + 2;
        if text[at..].get(..element.len()).is_some_and(|n| n.eq_ignore_ascii_case(element.as_bytes())) {
            return at - 2;
        }
    }
    text.len()
}

fn find(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    bytes.iter().position(|byte| wanted(*byte))
}

fn position_of(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::without_giant_tags;
    use crate::tree::{Cut, TreeLimits, local_name, parse};

    #[test]
    fn a_tag_of_thousands_of_attributes_keeps_the_first_thousand() {
        let attributes: String = (0..30_000).map(|n| format!(" x{n}='> <'")).collect();
        let html = format!("<p><a href=/one{attributes} href2=y>two</a><img src=three>");
        let (tree, cut) = parse(&html, &TreeLimits::default());
        assert_eq!(cut, Some(Cut::Attributes));
        let link = tree.elements_named(&local_name!("a")).next().unwrap();
        assert_eq!(link.attribute("href"), Some("/one"));
        assert!((900..1100).contains(&link.attributes().count()), "{}", link.attributes().count());
        assert_eq!(tree.elements_named(&local_name!("img")).count(), 1);
    }

    #[test]
    fn long_values_scripts_and_comments_are_left_alone() {
        let words = "a b/c 'd' < e ".repeat(8_000);
        let quoted = words.replace('\'', "");
        for html in [
            format!("<img alt=\"{words}\">"),
            format!("<img alt='{quoted}'>"),
            format!("<script>if (1<a {words}</script>"),
            format!("<!-- <a {words} -->"),
        ] {
            let parts = without_giant_tags(&html);
            assert_eq!(parts.len(), 1, "{}", &html[..20]);
        }
    }
}
