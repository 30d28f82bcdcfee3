//! Bytes become text. Labels on the web are often wrong, so the bytes have the last word where they can: a text
//! that is valid UTF-8 and more than ASCII is UTF-8, whatever it is called.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EncoderResult, Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// Where a label inside the text is looked for. The HTML standard says 1024; real pages put it later.
const PRESCAN_BYTES: usize = 4096;
/// The detector is slow: 1.2 ms for a page.
const DETECTION_BYTES: usize = 8192;

/// A body as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'b> {
    /// Borrowed when the body was UTF-8 or ASCII all along.
    pub text: Cow<'b, str>,
    pub encoding: &'static Encoding,
}

impl Decoded<'_> {
    /// The name of the encoding, as the Encoding Standard spells it.
    pub fn charset(&self) -> &'static str {
        self.encoding.name()
    }
}

/// A query as the URL Standard writes it in a page of this encoding: what the encoding lacks becomes an escaped
/// character reference.
pub fn encode_query<'q>(query: &'q str, encoding: &'static Encoding) -> Cow<'q, [u8]> {
    let (encoded, _, lacking) = encoding.encode(query);
    if !lacking {
        return encoded;
    }
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::with_capacity(2 * query.len());
    let mut rest = query;
    loop {
        bytes.reserve(encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(0));
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::Unmappable(lacking) => {
                bytes.extend_from_slice(format!("%26%23{}%3B", u32::from(lacking)).as_bytes());
            }
            EncoderResult::InputEmpty | EncoderResult::OutputFull => return Cow::Owned(bytes),
        }
    }
}

/// Turns a body into text; `header_label` is the charset parameter of Content-Type.
pub fn decode<'b>(body: &'b [u8], header_label: Option<&str>) -> Decoded<'b> {
    if let Some((encoding, bom)) = Encoding::for_bom(body) {
        return decoded(&body[bom..], encoding);
    }
    if let Some(encoding) = unmarked_utf_16(body) {
        return decoded(body, encoding);
    }
    match std::str::from_utf8(body) {
        Ok(text) => valid_utf_8(text, header_label),
        Err(fault) => {
            let encoding = match label(body, header_label) {
                Some(labelled) if labelled != UTF_8 => labelled,
                Some(_) if is_mostly_utf_8(&body[fault.valid_up_to()..]) => UTF_8,
                _ => detected(body),
            };
            decoded(body, encoding)
        }
    }
}

/// The charset parameter of a Content-Type value.
pub fn content_type_label(value: &str) -> Option<&str> {
    value.split(';').skip(1).find_map(|parameter| {
        let (name, label) = parameter.split_once('=')?;
        let label = label.trim().trim_matches(['"', '\'']);
        name.trim().eq_ignore_ascii_case("charset").then_some(label)
    })
}

fn decoded<'b>(body: &'b [u8], encoding: &'static Encoding) -> Decoded<'b> {
    let (text, _) = encoding.decode_without_bom_handling(body);
    Decoded { text, encoding }
}

fn valid_utf_8<'b>(text: &'b str, header_label: Option<&str>) -> Decoded<'b> {
    let encoding = match label(text.as_bytes(), header_label) {
        // All its bytes are ASCII, its meaning is not.
        Some(labelled) if labelled == ISO_2022_JP && text.contains('\u{1b}') => {
            return decoded(text.as_bytes(), labelled);
        }
        Some(labelled) if labelled.is_ascii_compatible() && text.is_ascii() => labelled,
        _ => UTF_8,
    };
    Decoded { text: Cow::Borrowed(text), encoding }
}

/// What header and text say, in this order.
fn label(body: &[u8], header_label: Option<&str>) -> Option<&'static Encoding> {
    let start = &body[..body.len().min(PRESCAN_BYTES)];
    let stated = |label: &[u8]| Encoding::for_label_no_replacement(label);
    header_label
        .and_then(|label| stated(label.as_bytes()))
        .or_else(|| xml_label(start).and_then(stated).map(readable_here))
        .or_else(|| meta_label(start).and_then(stated).map(readable_here))
}

/// A label that could be read as ASCII is not in UTF-16, whatever it says.
fn readable_here(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding }
}

/// UTF-16 without a byte order mark: markup begins with `<`, and every other byte of it is zero.
fn unmarked_utf_16(body: &[u8]) -> Option<&'static Encoding> {
    match body {
        [b'<', 0, second, 0, ..] if *second != 0 => Some(UTF_16LE),
        [0, b'<', 0, second, ..] if *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// `<?xml version="1.0" encoding="…"?>`
fn xml_label(start: &[u8]) -> Option<&[u8]> {
    let declaration = start.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|b| *b == b'>')?;
    let declaration = &declaration[..end];
    let at = find_ignoring_case(declaration, b"encoding")?;
    value_after_equals(&declaration[at + b"encoding".len()..])
}

/// `<meta charset=…>` or `<meta http-equiv=content-type content="…; charset=…">`, outside comments.
fn meta_label(start: &[u8]) -> Option<&[u8]> {
    let mut rest = start;
    while let Some(at) = rest.iter().position(|b| *b == b'<') {
        rest = &rest[at..];
        if rest.starts_with(b"<!--") {
            let end = rest.windows(3).position(|w| w == b"-->")?;
            rest = &rest[end + 3..];
            continue;
        }
        if rest.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta")) {
            let end = rest.iter().position(|b| *b == b'>').unwrap_or(rest.len());
            if let Some(label) = label_in_tag(&rest[..end]) {
                return Some(label);
            }
        }
        rest = &rest[1..];
    }
    None
}

fn label_in_tag(tag: &[u8]) -> Option<&[u8]> {
    let mut rest = tag;
    while let Some(at) = find_ignoring_case(rest, b"charset") {
        rest = &rest[at + b"charset".len()..];
        if let Some(value) = value_after_equals(rest) {
            return Some(value);
        }
    }
    None
}

fn value_after_equals(bytes: &[u8]) -> Option<&[u8]> {
    let value = bytes.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let end = value
        .iter()
        .position(|b| matches!(b, b'"' | b'\'' | b';' | b'>' | b'/') || b.is_ascii_whitespace())
        .unwrap_or(value.len());
    Some(&value[..end]).filter(|label| !label.is_empty())
}

fn find_ignoring_case(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted))
}

/// Whether text called UTF-8 is that, with a fault here and there, or something else. `from_fault` begins at the
/// first fault.
fn is_mostly_utf_8(from_fault: &[u8]) -> bool {
    let mut rest = &from_fault[..from_fault.len().min(DETECTION_BYTES)];
    let (mut characters, mut faults) = (0_usize, 0_usize);
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                characters += text.chars().filter(|c| !c.is_ascii()).count();
                return characters >= faults;
            }
            Err(fault) => {
                let valid = &rest[..fault.valid_up_to()];
                characters += valid.iter().filter(|byte| **byte >= 0xC0).count();
                let Some(length) = fault.error_len() else {
                    // Cut in the middle of a character: no fault of the page's.
                    return characters >= faults;
                };
                faults += 1;
                rest = &rest[fault.valid_up_to() + length..];
            }
        }
    }
}

fn detected(body: &[u8]) -> &'static Encoding {
    // ASCII tells the detector nothing: it sees the part where something else begins.
    let first = body.iter().position(|b| !b.is_ascii()).unwrap_or(0).saturating_sub(64);
    let sample = &body[first..body.len().min(first.saturating_add(DETECTION_BYTES))];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, sample.len() + first == body.len());
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::{Cow, content_type_label, decode, encode_query};
    use encoding_rs::{EUC_KR, ISO_2022_JP, SHIFT_JIS, UTF_16LE, WINDOWS_1251};

    fn read(body: &[u8], label: Option<&str>) -> (String, &'static str) {
        let decoded = decode(body, label);
        let charset = decoded.charset();
        (decoded.text.into_owned(), charset)
    }

    #[test]
    fn a_byte_order_mark_beats_every_label() {
        assert_eq!(read(b"\xEF\xBB\xBF\xC3\xA9", Some("windows-1252")), ("é".into(), "UTF-8"));
        assert_eq!(read(b"\xFF\xFE\xE9\0", Some("utf-8")), ("é".into(), "UTF-16LE"));
        assert_eq!(read(b"\xFE\xFF\0\xE9", None), ("é".into(), "UTF-16BE"));
    }

    #[test]
    fn utf_16_without_a_mark_is_recognised_by_its_zeros() {
        let little: Vec<u8> = "<p>é".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "<p>é".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(&little, None), ("<p>é".into(), "UTF-16LE"));
        assert_eq!(read(&big, Some("utf-8")), ("<p>é".into(), "UTF-16BE"));
    }

    #[test]
    fn the_header_comes_before_the_text_and_the_text_before_guessing() {
        let body = b"<meta charset=koi8-r>\xC1\xE9";
        assert_eq!(read(body, Some("iso-8859-2")).1, "ISO-8859-2");
        assert_eq!(read(body, None).1, "KOI8-R");
        assert_eq!(read(body, Some("no such charset")).1, "KOI8-R");
    }

    #[test]
    fn labels_in_the_text_are_found_in_every_form() {
        for (start, charset) in [
            ("<meta charset='shift_jis'>", "Shift_JIS"),
            ("<META HTTP-EQUIV=Content-Type CONTENT=\"text/html; charset = EUC-JP\">", "EUC-JP"),
            ("<!-- <meta charset=koi8-r> --><meta name=charset content=x><meta charset=big5>", "Big5"),
            ("<?xml version='1.0' encoding='iso-8859-15'?>", "ISO-8859-15"),
            ("<meta charset=utf-16>", "windows-1252"),
        ] {
            let body = [start.as_bytes(), b"caf\xE9 cr\xE8me"].concat();
            assert_eq!(read(&body, None).1, charset, "{start}");
        }
    }

    #[test]
    fn valid_utf_8_is_utf_8_whatever_the_label_and_is_not_copied() {
        let decoded = decode("Grüße".as_bytes(), Some("iso-8859-1"));
        assert_eq!(decoded.charset(), "UTF-8");
        assert!(matches!(decoded.text, Cow::Borrowed("Grüße")));
        let ascii = decode(b"plain", Some("iso-8859-1"));
        assert_eq!(ascii.charset(), "windows-1252");
        assert!(matches!(ascii.text, Cow::Borrowed("plain")));
    }

    #[test]
    fn one_broken_byte_does_not_make_a_page_of_another_charset() {
        let body = ["Grüße aus Köln, ".as_bytes(), b"\xE9", " schöne Tage, Übermut".as_bytes()].concat();
        assert_eq!(read(&body, Some("utf-8")).1, "UTF-8");
        let cut = &"Grüß".as_bytes()[..3];
        assert_eq!(read(cut, Some("utf-8")).1, "UTF-8");
    }

    #[test]
    fn text_wrongly_called_utf_8_is_detected() {
        let (text, charset) = read(b"<p>Gr\xFC\xDFe aus K\xF6ln, sch\xF6ne Stra\xDFen</p>", Some("utf-8"));
        assert_eq!(charset, "windows-1252");
        assert!(text.contains("Grüße aus Köln"));
    }

    #[test]
    fn iso_2022_jp_is_decoded_although_it_looks_like_ascii() {
        assert_eq!(read(b"\x1B$B$\"\x1B(B", Some("iso-2022-jp")).0, "あ");
    }

    #[test]
    fn the_charset_parameter_is_read_from_a_content_type() {
        assert_eq!(content_type_label("text/html; Charset=\"utf-8\""), Some("utf-8"));
        assert_eq!(content_type_label("text/html;x=y;charset=big5"), Some("big5"));
        assert_eq!(content_type_label("text/html"), None);
    }

    #[test]
    fn a_query_is_written_in_the_page_s_encoding() {
        assert_eq!(&*encode_query("q=\u{44f}", WINDOWS_1251), b"q=\xFF");
        assert_eq!(&*encode_query("q=\u{3042}", SHIFT_JIS), b"q=\x82\xA0");
        assert_eq!(&*encode_query("q=\u{ac00}", EUC_KR), b"q=\xB0\xA1");
        assert_eq!(&*encode_query("q=\u{e9}", UTF_16LE), "q=\u{e9}".as_bytes(), "nobody sends UTF-16");
        assert_eq!(&*encode_query("\u{44f}\u{20ac}\u{3042}z", WINDOWS_1251), b"\xFF\x88%26%2312354%3Bz");
        assert_eq!(&*encode_query("\u{3042}\u{e9}z", ISO_2022_JP), b"\x1B$B$\"\x1B(B%26%23233%3Bz");
    }
}
