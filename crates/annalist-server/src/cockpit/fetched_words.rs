//! `crawl.log` in words: what the numbers below nought mean that Heritrix made customary, and the notes behind a line.

use axum::http::StatusCode;

use super::words;

/// What a status means; nothing where all is well.
pub fn status(code: i32) -> Option<&'static str> {
    Some(match code {
        200 => return None,
        -1 => "The name of its server could not be looked up",
        -2 => "There was no connection to its server",
        -3 => "The connection broke, or what came was no answer",
        -4 => "No answer came in time",
        -5 => "The visit could not be finished on this side",
        -404 => "The archive that is read does not have it",
        -4001 => "The crawl or its site had reached a limit",
        -5000 => "It was left alone on purpose",
        -5001 => "Its server is not public",
        -9998 => "The site's robots.txt forbids it, or could not be had",
        other => {
            let known = u16::try_from(other).ok().and_then(|code| StatusCode::from_u16(code).ok());
            return known.and_then(|code| code.canonical_reason());
        }
    })
}

/// The notes of a line as people read them; what nobody knows stays as it is.
pub fn notes(written: &str) -> String {
    let text = written.replace("%20", " ");
    if text == "-" {
        return String::new();
    }
    let mut notes: Vec<String> = Vec::new();
    for piece in text.split(',') {
        match (told(piece), notes.last_mut()) {
            (Some(told), _) => notes.push(told),
            // Reasons have commas of their own.
            (None, Some(last)) => *last = format!("{last},{piece}"),
            (None, None) => notes.push(piece.to_owned()),
        }
    }
    notes.join("; ")
}

fn told(note: &str) -> Option<String> {
    let (name, about) = note.split_once(':').unwrap_or((note, ""));
    Some(match (name, about) {
        ("warcRevisit", _) => "the same as an earlier capture, which it refers to".to_owned(),
        ("truncated", "length") => "cut off: longer than the spec allows".to_owned(),
        ("truncated", "time") => "cut off: it took longer than the spec allows".to_owned(),
        ("truncated", "disconnect") => "cut off: the connection broke".to_owned(),
        ("retry", why) => format!("to be tried again: {why}"),
        ("readInPart", why) => format!("read in part only: {why}"),
        ("unusableLinks", count) => {
            let count = count.parse().ok()?;
            format!("{} that cannot be fetched", words::some(count, "link", "links"))
        }
        _ => format!("left alone: {}", words::reason(note)?),
    })
}

#[cfg(test)]
mod tests {
    use super::{notes, status};

    #[test]
    fn notes_are_told_in_words() {
        for (written, read) in [
            ("-", ""),
            ("warcRevisit:digest", "the same as an earlier capture, which it refers to"),
            ("retry:robots.txt%20was%20cut%20short", "to be tried again: robots.txt was cut short"),
            ("retry:503,%20so%20later", "to be tried again: 503, so later"),
            (
                "truncated:length,unusableLinks:2",
                "cut off: longer than the spec allows; 2 links that cannot be fetched",
            ),
            ("robots", "left alone: the site's robots.txt forbids it"),
            ("<i>new</i>", "<i>new</i>"),
        ] {
            assert_eq!(notes(written), read);
        }
    }

    #[test]
    fn every_code_of_what_was_not_fetched_is_told_in_words() {
        let codes = [-1, -2, -3, -4, -5, -404, -4001, -5000, -5001, -9998];
        for code in codes {
            assert!(status(code).is_some(), "{code}");
        }
        assert_eq!(
            (status(200), status(404), status(-77), status(999)),
            (None, Some("Not Found"), None, None)
        );
    }
}
