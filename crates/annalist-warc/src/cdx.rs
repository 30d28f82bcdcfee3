//! Lines of a CDXJ index: where a capture is. How lines of all kinds are read is in `cdx/parse.rs`; which file holds the
//! index is decided by the writer and the indexer.

use std::fmt::{self, Write};

use crate::date::warc_date_digits;
use crate::fields::Fields;
use crate::http::HttpHead;
use crate::surt::surt_key;

mod parse;

pub use parse::CdxColumns;

/// One capture, as pywb's own indexer describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CdxLine {
    /// `com,example)/path?query`
    pub key: String,
    /// Fourteen digits.
    pub timestamp: String,
    pub url: String,
    /// `warc/revisit` for revisits, `unk` when the server did not say.
    pub mime: String,
    /// Of a revisit its own, where it has one that says something of the page.
    pub status: Option<String>,
    /// Base32 alone for SHA-1, with its label for other hashes.
    pub digest: Option<String>,
    pub length: u64,
    pub offset: u64,
    pub filename: String,
}

impl CdxLine {
    /// The line for a record, or `None` if records of this kind are not looked up by address.
    ///
    /// `payload_digest` counts when the record itself has none. Offset, length and file name are left for the caller.
    pub(crate) fn describe(
        fields: &Fields,
        head: Option<&HttpHead>,
        payload_digest: Option<&str>,
    ) -> Option<CdxLine> {
        let kind = fields.get("WARC-Type")?;
        let url = target_uri(fields)?;
        let is_http = starts_with_ignoring_case(url, "http://") || starts_with_ignoring_case(url, "https://");
        let content_type = match kind {
            "response" if is_http => head.and_then(|head| head.field("Content-Type")),
            "revisit" if is_http => Some("warc/revisit"),
            "resource" if !starts_with_ignoring_case(url, "dns:") => fields.get("Content-Type"),
            _ => return None,
        };
        let mime =
            content_type.and_then(|value| value.split([';', ' ']).next()).filter(|mime| !mime.is_empty());
        // Another address may have answered with the same payload and another status. A 304 says nothing of the page: there
        // the status is that of the capture the revisit refers to.
        let says_own = |head: &&HttpHead| kind == "response" || (kind == "revisit" && head.status != "304");
        let status = head.filter(says_own).map(|head| head.status.clone());
        let digest = fields.get("WARC-Payload-Digest").or(payload_digest);
        Some(CdxLine {
            key: surt_key(url),
            timestamp: warc_date_digits(fields.get("WARC-Date")?)?,
            url: url.to_owned(),
            mime: mime.unwrap_or("unk").to_owned(),
            status: status.filter(|status| !status.is_empty()),
            digest: digest.map(|digest| digest.strip_prefix("sha1:").unwrap_or(digest).to_owned()),
            ..CdxLine::default()
        })
    }
}

/// The line without its end.
impl fmt::Display for CdxLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {{\"url\": {}, \"mime\": {}",
            self.key,
            self.timestamp,
            Json(&self.url),
            Json(&self.mime)
        )?;
        if let Some(status) = &self.status {
            write!(f, ", \"status\": {}", Json(status))?;
        }
        if let Some(digest) = &self.digest {
            write!(f, ", \"digest\": {}", Json(digest))?;
        }
        let filename = Json(&self.filename);
        write!(
            f,
            ", \"length\": \"{}\", \"offset\": \"{}\", \"filename\": {filename}}}",
            self.length, self.offset
        )
    }
}

/// A JSON string in ASCII, as Python writes it.
struct Json<'a>(&'a str);

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\u{8}' => f.write_str("\\b")?,
                '\u{c}' => f.write_str("\\f")?,
                ' '..='~' => f.write_char(c)?,
                _ => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(f, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        f.write_char('"')
    }
}

/// The target of a record. Some writers put it in angle brackets, as WARC/1.0 seemed to ask for.
pub(crate) fn target_uri(fields: &Fields) -> Option<&str> {
    let uri = fields.get("WARC-Target-URI")?;
    Some(uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).unwrap_or(uri))
}

fn starts_with_ignoring_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Many lines, close together in memory, to be sorted once.
#[derive(Clone, Debug, Default)]
pub struct CdxLines {
    text: String,
    starts: Vec<usize>,
}

impl CdxLines {
    pub fn push(&mut self, line: &CdxLine) {
        self.starts.push(self.text.len());
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// A line as it is, without its end.
    pub(crate) fn push_text(&mut self, line: &str) {
        self.starts.push(self.text.len());
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// How much memory the lines take, about.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.starts.len() * size_of::<usize>()
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The lines in the order they came, from a byte of their text on.
    pub(crate) fn text_from(&self, start: usize) -> &str {
        self.text.get(start..).unwrap_or_default()
    }

    pub(crate) fn truncate(&mut self, count: usize) {
        if let Some(start) = self.starts.get(count).copied() {
            self.text.truncate(start);
            self.starts.truncate(count);
        }
    }

    /// The lines in bytewise order, each with its end.
    pub fn sorted(&self) -> impl Iterator<Item = &str> {
        let mut starts = self.starts.clone();
        // What follows a line matters only to lines that are the same, and need not be found out.
        let rest = |start: &usize| self.text.as_bytes().get(*start..).unwrap_or_default();
        starts.sort_unstable_by(|one, other| rest(one).cmp(rest(other)));
        starts.into_iter().map(|start| self.line(start))
    }

    fn line(&self, start: usize) -> &str {
        self.text[start..].split_inclusive('\n').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{CdxLine, CdxLines};
    use crate::index::describe;
    use crate::read::Reader;

    fn line() -> CdxLine {
        CdxLine {
            key: "com,example)/ä".to_owned(),
            timestamp: "20170730223850".to_owned(),
            url: "http://example.com/ä\"😀".to_owned(),
            mime: "text/html".to_owned(),
            status: Some("200".to_owned()),
            digest: Some("ABC".to_owned()),
            length: 5,
            offset: 7,
            filename: "a.warc.gz".to_owned(),
        }
    }

    #[test]
    fn a_line_is_written_as_python_writes_it_and_read_back() {
        let text = line().to_string();
        assert_eq!(
            text,
            "com,example)/ä 20170730223850 {\"url\": \"http://example.com/\\u00e4\\\"\\ud83d\\ude00\", \
             \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"ABC\", \"length\": \"5\", \"offset\": \"7\", \
             \"filename\": \"a.warc.gz\"}"
        );
        assert_eq!(CdxLine::parse(&text), Some(line()));
    }

    #[test]
    fn a_revisit_has_the_status_that_it_was_answered_with() {
        for (block, status) in [
            ("HTTP/1.1 404 Not Found\r\n\r\n", Some("404")),
            ("HTTP/1.1 304 Not Modified\r\n\r\n", None),
            ("", None),
        ] {
            let record = format!(
                "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n\
                 WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
                block.len()
            );
            let mut reader = Reader::new(std::io::Cursor::new(record.as_bytes()));
            let described = describe(&mut reader.next_record().unwrap().unwrap()).unwrap().unwrap();
            assert_eq!((described.mime.as_str(), described.status.as_deref()), ("warc/revisit", status));
        }
    }

    #[test]
    fn lines_come_out_in_bytewise_order() {
        let mut lines = CdxLines::default();
        for key in ["b", "a", "a,b", "a)/"] {
            lines.push(&CdxLine { key: key.to_owned(), ..line() });
        }
        lines.truncate(3);
        let keys: Vec<&str> = lines.sorted().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(keys, ["a", "a,b", "b"]);
    }
}
