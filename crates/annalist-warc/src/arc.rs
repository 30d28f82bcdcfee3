//! ARC files, which were there before WARC: one line in front of each record, said in the words of WARC.
//!
//! Version 1 has five words in a line, `URL address date type length`; version 2 has ten, and the same ones matter.

use std::net::IpAddr;

use crate::fields::Fields;

/// A longer line is none.
pub(crate) const MOST_LINE_BYTES: usize = 16 * 1024;
/// What the addresses of archived things begin with.
const SCHEMES: [&str; 6] = ["http://", "https://", "ftp://", "dns:", "filedesc://", "whois:"];

/// The line in front of a record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ArcLine<'a> {
    url: &'a str,
    address: &'a str,
    date: &'a str,
    mime: &'a str,
    pub(crate) length: u64,
    /// How many bytes stand before the address in what was given as the line.
    pub(crate) start: usize,
}

impl<'a> ArcLine<'a> {
    /// Reads a line without its end. It may begin with the rest of something else if `start` is looked at.
    pub(crate) fn parse(line: &'a [u8]) -> Option<ArcLine<'a>> {
        // Cheap first: most lines that are none do not end with a number.
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.last().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        // What stands before the address may be anything.
        let from = line.iter().rposition(|b| *b >= 0x7f || (*b < b' ' && *b != b'\t')).map_or(0, |at| at + 1);
        let text = std::str::from_utf8(&line[from..]).ok()?;
        let words: Vec<&str> = text.split(' ').collect();
        let date_at = (2..words.len().checked_sub(2)?).rev().find(|at| {
            let (address, date) = (words[at - 1], words[*at]);
            (8..=17).contains(&date.len())
                && date.bytes().all(|b| b.is_ascii_digit())
                && (address.parse::<IpAddr>().is_ok() || address == "-")
        })?;
        let length = words.last()?.parse().ok()?;
        let url_end: usize = words[..date_at - 1].iter().map(|word| word.len() + 1).sum::<usize>() - 1;
        let url = &text[..url_end];
        let start = url_start(url)?;
        let (url, start) = (&url[start..], from + start);
        Some(ArcLine {
            url,
            address: words[date_at - 1],
            date: words[date_at],
            mime: words[date_at + 1],
            length,
            start,
        })
    }

    /// What a WARC record would say.
    pub(crate) fn fields(&self) -> Fields {
        let mut fields = Fields::new();
        let http = self.url_begins("http://") || self.url_begins("https://");
        let named = Some(self.mime).filter(|mime| mime.contains('/'));
        if let Some(name) = self.url.strip_prefix("filedesc://") {
            fields.push("WARC-Type", "warcinfo");
            fields.push("WARC-Filename", name);
        } else {
            fields.push("WARC-Type", if http { "response" } else { "resource" });
            fields.push_uri("WARC-Target-URI", self.url);
        }
        fields.push("WARC-Date", warc_date(self.date));
        if !matches!(self.address, "-" | "0.0.0.0") {
            fields.push("WARC-IP-Address", self.address);
        }
        if http {
            fields.push("Content-Type", "application/http; msgtype=response");
            if let Some(mime) = named {
                fields.push("WARC-Identified-Payload-Type", mime);
            }
        } else {
            fields.push("Content-Type", named.unwrap_or("application/octet-stream"));
        }
        fields.push("Content-Length", self.length.to_string());
        fields
    }

    fn url_begins(&self, scheme: &str) -> bool {
        begins_with(self.url, scheme)
    }
}

/// Where an address begins: at the start, or behind what is left of a record that was cut off.
fn url_start(text: &str) -> Option<usize> {
    if SCHEMES.iter().any(|scheme| begins_with(text, scheme)) {
        return Some(0);
    }
    let token = text.rfind([' ', '\t']).map_or(0, |at| at + 1);
    let inside = SCHEMES.iter().filter_map(|scheme| text[token..].find(scheme)).min();
    if let Some(inside) = inside {
        return Some(token + inside);
    }
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    (is_scheme && !rest.is_empty()).then_some(0)
}

fn begins_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

/// `2008-04-30T20:48:25Z` of `20080430204825`; what the digits leave out is the start of its span.
fn warc_date(digits: &str) -> String {
    let given = digits.get(..14).unwrap_or(digits);
    let filled = format!("{given}{}", &"00000101000000"[given.len()..]);
    let part = |from: usize, to: usize| filled.get(from..to).unwrap_or_default();
    let (year, month, day) = (part(0, 4), part(4, 6), part(6, 8));
    format!("{year}-{month}-{day}T{}:{}:{}Z", part(8, 10), part(10, 12), part(12, 14))
}

#[cfg(test)]
mod tests {
    use super::{ArcLine, warc_date};

    fn field(line: &str, name: &str) -> Option<String> {
        ArcLine::parse(line.as_bytes())?.fields().get(name).map(str::to_owned)
    }

    #[test]
    fn a_line_says_what_a_warc_head_says() {
        let line = "http://a.test/b c 192.0.2.7 20080430204825 text/html 1234";
        for (name, value) in [
            ("WARC-Type", "response"),
            ("WARC-Target-URI", "http://a.test/b c"),
            ("WARC-IP-Address", "192.0.2.7"),
            ("WARC-Date", "2008-04-30T20:48:25Z"),
            ("Content-Type", "application/http; msgtype=response"),
            ("WARC-Identified-Payload-Type", "text/html"),
            ("Content-Length", "1234"),
        ] {
            assert_eq!(field(line, name).as_deref(), Some(value), "{name}");
        }
        let dns = "dns:a.test 192.0.2.1 20080430204825 text/dns 56";
        assert_eq!(field(dns, "WARC-Type").as_deref(), Some("resource"));
        assert_eq!(field(dns, "Content-Type").as_deref(), Some("text/dns"));
        let file = "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 76\r";
        assert_eq!(field(file, "WARC-Type").as_deref(), Some("warcinfo"));
        assert_eq!(field(file, "WARC-Filename").as_deref(), Some("x.arc"));
        assert_eq!(field(file, "WARC-IP-Address"), None);
    }

    #[test]
    fn lines_of_version_2_are_read_too() {
        let line = "http://a.test/ 192.0.2.7 20080430204825 text/html 200 0a1b2c - 1389 x.arc.gz 1234";
        assert_eq!(field(line, "Content-Length").as_deref(), Some("1234"));
        assert_eq!(field(line, "WARC-Identified-Payload-Type").as_deref(), Some("text/html"));
    }

    #[test]
    fn dates_of_every_length_are_read() {
        for (digits, date) in [
            ("20080430204825", "2008-04-30T20:48:25Z"),
            ("200804302048", "2008-04-30T20:48:00Z"),
            ("20080430", "2008-04-30T00:00:00Z"),
            ("20080430204825123", "2008-04-30T20:48:25Z"),
        ] {
            assert_eq!(warc_date(digits), date);
        }
    }

    #[test]
    fn the_address_is_found_behind_what_was_cut_off() {
        let start = |line: &str| ArcLine::parse(line.as_bytes()).map(|line| line.start);
        let line = "http://a.test/ 192.0.2.7 20080430204825 text/html 1234";
        assert_eq!(start(line), Some(0));
        assert_eq!(start(&format!("the lazy do{line}")), Some(11));
        assert_eq!(start(&format!("xx{line}")), Some(2));
        assert_eq!(
            ArcLine::parse(&[b"\xff\xfe\0", line.as_bytes()].concat()).map(|line| line.start),
            Some(3)
        );
    }

    #[test]
    fn what_is_no_line_is_passed_over() {
        for line in [
            "",
            "12",
            "http://a.test/ 192.0.2.7 20080430204825 text/html",
            "http://a.test/ 192.0.2.7 20080430204825 text/html -5",
            "http://a.test/ somewhere 20080430204825 text/html 5",
            "192.0.2.7 20080430204825 text/html 5",
            "no address 192.0.2.7 20080430204825 text/html 5",
            "a b c d 5",
        ] {
            assert_eq!(ArcLine::parse(line.as_bytes()), None, "{line}");
        }
    }
}
