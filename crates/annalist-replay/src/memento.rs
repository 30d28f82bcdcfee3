//! Memento (RFC 7089): headers and lists that say which captures there are and when they were made.

use annalist_warc::{CdxLine, millis_of_digits};
use jiff::Timestamp;
use jiff::fmt::rfc2822;

use crate::target::Kind;

pub(crate) const LINK_FORMAT: &str = "application/link-format";

/// `Tue, 20 Jun 2000 18:02:59 GMT`
pub(crate) fn http_date(timestamp: &str) -> Option<String> {
    let millis = i64::try_from(millis_of_digits(timestamp)?).ok()?;
    let moment = Timestamp::from_millisecond(millis).ok()?;
    rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&moment).ok()
}

/// The moment that a client asks for.
pub(crate) fn millis_of_http_date(text: &str) -> Option<u64> {
    let moment = rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()?;
    u64::try_from(moment.as_millisecond()).ok()
}

/// Who links are made for.
pub(crate) struct Links<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) url: &'a str,
}

impl Links<'_> {
    pub(crate) fn timegate(&self) -> String {
        format!("{}{}", self.prefix, self.url)
    }

    fn timemap(&self) -> String {
        format!("{}timemap/link/{}", self.prefix, self.url)
    }

    pub(crate) fn memento(&self, line: &CdxLine, kind: Kind) -> String {
        format!("{}{}{}/{}", self.prefix, line.timestamp, kind.letters(), line.url)
    }

    /// The header `Link` of an answer about one of the captures, or of none.
    pub(crate) fn header(&self, all: &[CdxLine], shown: Option<&CdxLine>) -> String {
        let mut links = vec![
            link(self.url, "original", ""),
            link(&self.timegate(), "timegate", ""),
            link(&self.timemap(), "timemap", &format!("; type=\"{LINK_FORMAT}\"")),
        ];
        let at = shown.and_then(|shown| all.iter().position(|line| line == shown));
        let last = all.len().wrapping_sub(1);
        let mut places: Vec<(usize, Vec<&str>)> = Vec::new();
        let mut add = |place: Option<usize>, rel| {
            let Some(place) = place.filter(|place| *place < all.len()) else { return };
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, rels)) => rels.push(rel),
                None => places.push((place, vec![rel])),
            }
        };
        add(Some(0), "first");
        add(at.and_then(|at| at.checked_sub(1)), "prev");
        add(at, "");
        add(at.map(|at| at + 1), "next");
        add(Some(last), "last");
        for (place, rels) in places {
            let Some(line) = all.get(place) else { continue };
            let mut rel: Vec<&str> = rels.into_iter().filter(|rel| !rel.is_empty()).collect();
            rel.push("memento");
            links.push(self.dated(line, &rel.join(" ")));
        }
        links.join(", ")
    }

    /// The list of all captures.
    pub(crate) fn map(&self, all: &[CdxLine]) -> String {
        let date =
            |line: Option<&CdxLine>| line.and_then(|line| http_date(&line.timestamp)).unwrap_or_default();
        let span = format!(
            "; type=\"{LINK_FORMAT}\"; from=\"{}\"; until=\"{}\"",
            date(all.first()),
            date(all.last())
        );
        let mut lines = vec![
            link(self.url, "original", ""),
            link(&self.timemap(), "self", &span),
            link(&self.timegate(), "timegate", ""),
        ];
        let last = all.len().wrapping_sub(1);
        for (place, line) in all.iter().enumerate() {
            let rel = match (place == 0, place == last) {
                (true, true) => "first last memento",
                (true, false) => "first memento",
                (false, true) => "last memento",
                _ => "memento",
            };
            lines.push(self.dated(line, rel));
        }
        lines.join(",\n") + "\n"
    }

    fn dated(&self, line: &CdxLine, rel: &str) -> String {
        let date = http_date(&line.timestamp).unwrap_or_default();
        link(&self.memento(line, Kind::Page), rel, &format!("; datetime=\"{date}\""))
    }
}

fn link(url: &str, rel: &str, more: &str) -> String {
    // What would end the address early.
    let url: String = url
        .chars()
        .map(|c| match c {
            '<' => "%3C".to_owned(),
            '>' => "%3E".to_owned(),
            ' ' => "%20".to_owned(),
            c if c.is_control() => String::new(),
            c => c.to_string(),
        })
        .collect();
    format!("<{url}>; rel=\"{rel}\"{more}")
}

#[cfg(test)]
mod tests {
    use super::{http_date, millis_of_http_date};

    #[test]
    fn dates_are_those_of_http() {
        let date = "Tue, 20 Jun 2000 18:02:59 GMT";
        assert_eq!(http_date("20000620180259").as_deref(), Some(date));
        assert_eq!(http_date("20010101000000").as_deref(), Some("Mon, 01 Jan 2001 00:00:00 GMT"));
        assert_eq!(millis_of_http_date(date), annalist_warc::millis_of_digits("20000620180259"));
        for nonsense in ["", "2000", "Tue, 45 Jun 2000 18:02:59 GMT", "Thu, 01 Jan 1800 00:00:00 GMT"] {
            assert_eq!(millis_of_http_date(nonsense), None, "{nonsense}");
        }
    }
}
