//! Lines of indexes that others made: CDXJ, and CDX with the columns of its first line, or with nine, ten or eleven.

use serde_json::Value;

use super::CdxLine;

/// The columns of a CDX file, a letter each: `N b a m s k r M S V g`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CdxColumns(Vec<char>);

impl CdxColumns {
    /// Reads the first line of a CDX file. `None` for any other line, and if it does not say where captures are.
    pub fn parse(header: &str) -> Option<CdxColumns> {
        let letters: Vec<char> = header
            .trim_start()
            .strip_prefix("CDX ")?
            .split_whitespace()
            .filter_map(|letter| letter.chars().next())
            .collect();
        "baVg".chars().all(|needed| letters.contains(&needed)).then_some(CdxColumns(letters))
    }

    /// Whether lines begin with what they are looked up by.
    pub(crate) fn begin_with_key(&self) -> bool {
        matches!(self.0.first(), Some('N' | 'A'))
    }

    /// Those that are usual, by their number.
    fn usual(count: usize) -> Option<CdxColumns> {
        let letters = match count {
            9 => "NbamskrVg",
            10 => "NbamskrMVg",
            11 => "NbamskrMSVg",
            // With three more that say where the payload of a revisit is.
            12 => "NbamskrVg---",
            14 => "NbamskrMSVg---",
            _ => return None,
        };
        Some(CdxColumns(letters.chars().collect()))
    }
}

impl CdxLine {
    /// Reads a line of CDXJ, or of CDX with usual columns. `None` for header lines and anything else.
    pub fn parse(line: &str) -> Option<CdxLine> {
        CdxLine::parse_with(line, None)
    }

    /// The same where the columns are known.
    pub fn parse_with(line: &str, columns: Option<&CdxColumns>) -> Option<CdxLine> {
        let line = line.trim_end_matches(['\r', '\n']);
        let (key, rest) = line.split_once(' ')?;
        match rest.split_once(' ') {
            Some((timestamp, json)) if json.starts_with('{') => with_json(key, timestamp, json),
            _ => with_columns(line, columns),
        }
    }

    fn is_whole(&self) -> bool {
        let digits = self.timestamp.bytes().all(|b| b.is_ascii_digit());
        !self.key.is_empty() && !self.timestamp.is_empty() && digits
    }
}

fn with_json(key: &str, timestamp: &str, json: &str) -> Option<CdxLine> {
    let value: Value = serde_json::from_str(json).ok()?;
    // Some indexes name things by letters, or as CDX servers do.
    let get = |names: &[&str]| names.iter().find_map(|name| value.get(name));
    let text = |names: &[&str]| match get(names)? {
        Value::String(text) => Some(text.clone()).filter(|text| text != "-"),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let number = |names: &[&str]| text(names)?.parse().ok();
    let line = CdxLine {
        key: key.to_owned(),
        timestamp: timestamp.to_owned(),
        url: text(&["url", "original", "u"])?,
        mime: text(&["mime", "mimetype", "m"]).unwrap_or_else(|| "unk".to_owned()),
        status: text(&["status", "statuscode"]),
        digest: text(&["digest", "d"]).map(unlabelled),
        length: number(&["length", "l"]).unwrap_or(0),
        offset: number(&["offset", "o"])?,
        filename: text(&["filename", "f"])?,
    };
    line.is_whole().then_some(line)
}

fn with_columns(line: &str, columns: Option<&CdxColumns>) -> Option<CdxLine> {
    let fields: Vec<&str> = line.split(' ').collect();
    let usual = if columns.is_some_and(|columns| columns.0.len() == fields.len()) {
        None
    } else {
        Some(CdxColumns::usual(fields.len())?)
    };
    let columns = usual.as_ref().or(columns)?;
    let at = |letter: char| {
        let place = columns.0.iter().position(|column| *column == letter)?;
        fields.get(place).copied().filter(|field| *field != "-")
    };
    let owned = |letter: char| at(letter).map(str::to_owned);
    let line = CdxLine {
        key: owned('N').or_else(|| owned('A')).or_else(|| fields.first().map(|first| (*first).to_owned()))?,
        timestamp: owned('b')?,
        url: owned('a')?,
        mime: owned('m').unwrap_or_else(|| "unk".to_owned()),
        status: owned('s'),
        digest: owned('k').map(unlabelled),
        length: at('S').and_then(|length| length.parse().ok()).unwrap_or(0),
        offset: at('V')?.parse().ok()?,
        filename: owned('g')?,
    };
    line.is_whole().then_some(line)
}

/// SHA-1 is written without its name.
fn unlabelled(digest: String) -> String {
    digest.strip_prefix("sha1:").map_or_else(|| digest.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{CdxColumns, CdxLine};

    #[test]
    fn lines_of_nine_ten_and_eleven_fields_are_read() {
        let start = "com,example)/ 20170730223850 http://example.com/ text/html - ABC -";
        for (rest, length) in [("7 a.warc.gz\r\n", 0), ("- 7 a.warc.gz", 0), ("- 5 7 a.warc.gz\n", 5)] {
            let read = CdxLine::parse(&format!("{start} {rest}")).unwrap();
            assert_eq!((read.url.as_str(), read.status), ("http://example.com/", None));
            assert_eq!((read.length, read.offset, read.filename.as_str()), (length, 7, "a.warc.gz"));
            assert_eq!(read.digest.as_deref(), Some("ABC"));
        }
    }

    #[test]
    fn the_first_line_says_what_the_columns_are() {
        let columns = CdxColumns::parse(" CDX b N a g V s\n").unwrap();
        let read = CdxLine::parse_with("2017 k http://a.test/ x.arc.gz 9 200", Some(&columns)).unwrap();
        assert_eq!((read.key.as_str(), read.timestamp.as_str(), read.offset), ("k", "2017", 9));
        assert_eq!((read.status.as_deref(), read.mime.as_str()), (Some("200"), "unk"));
        assert_eq!(CdxColumns::parse(" CDX N b a m"), None);
        assert_eq!(CdxColumns::parse("com,example)/ 2017"), None);
    }

    #[test]
    fn the_names_that_others_use_in_json_are_known() {
        let text = r#"k 20140101 {"original": "http://a.test/", "statuscode": 200, "mimetype": "a/b", "offset": 3, "filename": "f", "digest": "sha1:X"}"#;
        let read = CdxLine::parse(text).unwrap();
        assert_eq!((read.status.as_deref(), read.offset, read.mime.as_str()), (Some("200"), 3, "a/b"));
        assert_eq!(read.digest.as_deref(), Some("X"));
    }

    #[test]
    fn what_is_no_line_is_passed_over() {
        for text in ["", " CDX N b a m s k r M S V g", "a 1 {", "a b c", "a 2017 {\"url\": 1}", "!meta {}"] {
            assert_eq!(CdxLine::parse(text), None, "{text}");
        }
    }
}
