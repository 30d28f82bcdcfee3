//! The name of a term inside the store: 80 bits that follow from the term alone.
//!
//! Four bits say what it is. For IRIs, blank nodes and most literals the rest is a hash, and the dictionary has the
//! text. Small literals are their own name, so that they need no dictionary: only where exactly the same text can be
//! made of the bits again.

use std::fmt;

use oxrdf::vocab::xsd;
use oxrdf::{BlankNode, Literal, NamedNode, NamedNodeRef, Term, TermRef};
use sha2::{Digest, Sha256};

const PAYLOAD_BITS: u32 = 76;
const PAYLOAD: u128 = (1 << PAYLOAD_BITS) - 1;

const IRI: u8 = 1;
const BLANK: u8 = 2;
const LITERAL: u8 = 3;
/// Tags from here on need no dictionary.
const INLINE: u8 = 8;
const INTEGER: u8 = 9;
const SHORT: u8 = 10;
const TYPED: u8 = 11;
const MOMENT: u8 = 12;
const DAY: u8 = 13;

/// Datatypes whose short texts are their own names; the place is stored, so they are only added at the end.
const SHORT_TYPES: [NamedNodeRef<'static>; 8] = [
    xsd::BOOLEAN,
    xsd::INTEGER,
    xsd::DECIMAL,
    xsd::DOUBLE,
    xsd::FLOAT,
    xsd::G_YEAR,
    xsd::G_YEAR_MONTH,
    xsd::DATE,
];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(u128);

/// Whoever writes pages chooses their names: a quick hash would let two of them be made alike.
fn strong_hash(text: &[u8]) -> u128 {
    let hash = Sha256::digest(text);
    hash.iter().take(16).fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

impl Id {
    pub const BYTES: usize = 10;
    /// The graph without a name.
    pub const DEFAULT_GRAPH: Id = Id(0);

    fn new(tag: u8, payload: u128) -> Id {
        Id(u128::from(tag) << PAYLOAD_BITS | payload & PAYLOAD)
    }

    /// Whether the term is in the bits.
    pub fn is_inline(self) -> bool {
        self.tag() >= INLINE || self == Id::DEFAULT_GRAPH
    }

    fn tag(self) -> u8 {
        (self.0 >> PAYLOAD_BITS) as u8
    }

    pub fn to_bytes(self) -> [u8; Id::BYTES] {
        let [_, _, _, _, _, _, bytes @ ..] = self.0.to_be_bytes();
        bytes
    }

    pub fn from_bytes(bytes: [u8; Id::BYTES]) -> Id {
        let mut all = [0; 16];
        let (_, end) = all.split_at_mut(16 - Id::BYTES);
        end.copy_from_slice(&bytes);
        Id(u128::from_be_bytes(all))
    }

    /// The name of a term. What the dictionary must hold of it is put into `text`, which is empty where it needs nothing.
    pub fn of(term: TermRef<'_>, text: &mut Vec<u8>) -> Id {
        text.clear();
        let tag = match term {
            TermRef::NamedNode(node) => {
                text.extend_from_slice(b"I");
                text.extend_from_slice(node.as_str().as_bytes());
                IRI
            }
            TermRef::BlankNode(node) => {
                text.extend_from_slice(b"B");
                text.extend_from_slice(node.as_str().as_bytes());
                BLANK
            }
            TermRef::Literal(literal) => {
                let value = literal.value();
                if let Some(language) = literal.language() {
                    text.extend_from_slice(b"L");
                    text.extend_from_slice(language.as_bytes());
                    text.push(0);
                } else {
                    let datatype = literal.datatype();
                    if let Some(id) = inline(value, datatype) {
                        return id;
                    }
                    if datatype == xsd::STRING {
                        text.extend_from_slice(b"S");
                    } else {
                        text.extend_from_slice(b"T");
                        text.extend_from_slice(datatype.as_str().as_bytes());
                        text.push(0);
                    }
                }
                text.extend_from_slice(value.as_bytes());
                LITERAL
            }
        };
        Id::new(tag, strong_hash(text))
    }

    /// The term that is in the bits.
    pub fn literal(self) -> Option<Literal> {
        let payload = self.0 & PAYLOAD;
        Some(match self.tag() {
            INTEGER => Literal::from((payload as u64 ^ 1 << 63) as i64),
            SHORT => {
                let bytes = (payload >> 4).to_be_bytes();
                Literal::from(std::str::from_utf8(bytes.get(7..7 + (payload & 15) as usize)?).ok()?)
            }
            TYPED => {
                let bytes = ((payload >> 4) as u64).to_be_bytes();
                let text = std::str::from_utf8(bytes.get(..(payload & 15) as usize)?).ok()?;
                Literal::new_typed_literal(text, *SHORT_TYPES.get((payload >> 68) as usize)?)
            }
            MOMENT => Literal::new_typed_literal(Moment::from_bits(payload as u64).text(), xsd::DATE_TIME),
            DAY => {
                let text = Moment::from_bits(payload as u64).text();
                Literal::new_typed_literal(text.get(..10)?, xsd::DATE)
            }
            _ => return None,
        })
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:020x}", self.0)
    }
}

impl std::hash::Hash for Id {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        // Hashed terms are even as they are; the tag and what is left of a small literal are folded in.
        state.write_u64(self.0 as u64 ^ ((self.0 >> 64) as u64) << 48);
    }
}

/// The term that the dictionary's text stands for.
pub fn read(text: &[u8]) -> Option<Term> {
    let (kind, rest) = text.split_first()?;
    let rest = std::str::from_utf8(rest).ok()?;
    Some(match kind {
        b'I' => NamedNode::new_unchecked(rest).into(),
        b'B' => BlankNode::new_unchecked(rest).into(),
        b'S' => Literal::from(rest).into(),
        b'L' => {
            let (language, value) = rest.split_once('\0')?;
            Literal::new_language_tagged_literal_unchecked(value, language).into()
        }
        b'T' => {
            let (datatype, value) = rest.split_once('\0')?;
            Literal::new_typed_literal(value, NamedNode::new_unchecked(datatype)).into()
        }
        _ => return None,
    })
}

fn inline(value: &str, datatype: NamedNodeRef<'_>) -> Option<Id> {
    if datatype == xsd::STRING {
        return packed(value, 9).map(|bits| Id::new(SHORT, bits));
    }
    if datatype == xsd::DATE_TIME {
        return Moment::parse(value).map(|moment| Id::new(MOMENT, u128::from(moment.bits())));
    }
    if datatype == xsd::INTEGER
        && let Ok(number) = value.parse::<i64>()
        && (number.to_string() == value)
    {
        return Some(Id::new(INTEGER, u128::from(number as u64 ^ 1 << 63)));
    }
    if datatype == xsd::DATE && value.len() == 10 {
        let moment = Moment::parse(&format!("{value}T00:00:00Z"))?;
        return Some(Id::new(DAY, u128::from(moment.bits())));
    }
    let place = SHORT_TYPES.iter().position(|known| *known == datatype)?;
    packed(value, 8).map(|bits| Id::new(TYPED, (place as u128) << 68 | bits))
}

/// A short text with its length in the last four bits; texts of equal length sort as they should.
fn packed(value: &str, most: usize) -> Option<u128> {
    if value.len() > most {
        return None;
    }
    let mut bits = 0_u128;
    for place in 0..most {
        bits = bits << 8 | u128::from(value.as_bytes().get(place).copied().unwrap_or_default());
    }
    Some(bits << 4 | value.len() as u128)
}

/// A dateTime in one of the shapes in which they are usually written: seconds or thousandths, `Z`, an offset or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    /// Year, month, day, hour, minute, second.
    fields: [u16; 6],
    thousandths: Option<u16>,
    zone: Zone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    None,
    Z,
    East(u8, u8),
    West(u8, u8),
}

/// How many bits each of the fields has, and what separates it from the one before.
const FIELDS: [(u32, usize, &str); 6] =
    [(14, 4, ""), (4, 2, "-"), (5, 2, "-"), (5, 2, "T"), (6, 2, ":"), (6, 2, ":")];

impl Moment {
    fn parse(text: &str) -> Option<Moment> {
        let mut rest = text;
        let mut fields = [0; 6];
        for (field, (bits, digits, separator)) in fields.iter_mut().zip(FIELDS) {
            (*field, rest) = number(rest.strip_prefix(separator)?, digits)?;
            if u32::from(*field) >> bits != 0 {
                return None;
            }
        }
        let mut thousandths = None;
        if let Some(fraction) = rest.strip_prefix('.') {
            let (value, behind) = number(fraction, 3)?;
            (thousandths, rest) = (Some(value), behind);
        }
        let zone = match rest.split_at_checked(1) {
            None => Zone::None,
            Some(("Z", "")) => Zone::Z,
            Some((sign @ ("+" | "-"), offset)) => {
                let (hours, behind) = number(offset, 2)?;
                let (minutes, end) = number(behind.strip_prefix(':')?, 2)?;
                if !end.is_empty() || hours > 31 || minutes > 63 {
                    return None;
                }
                let (hours, minutes) = (hours as u8, minutes as u8);
                if sign == "+" { Zone::East(hours, minutes) } else { Zone::West(hours, minutes) }
            }
            _ => return None,
        };
        Some(Moment { fields, thousandths, zone })
    }

    /// Fields first, so that moments of one zone sort by time.
    fn bits(self) -> u64 {
        let mut bits = 0;
        for (field, (width, ..)) in self.fields.into_iter().zip(FIELDS) {
            bits = bits << width | u64::from(field);
        }
        bits = bits << 11 | self.thousandths.map_or(0, |value| u64::from(value) + 1);
        let (kind, hours, minutes) = match self.zone {
            Zone::None => (0, 0, 0),
            Zone::Z => (1, 0, 0),
            Zone::East(hours, minutes) => (2, hours, minutes),
            Zone::West(hours, minutes) => (3, hours, minutes),
        };
        bits << 13 | kind << 11 | u64::from(hours) << 6 | u64::from(minutes)
    }

    fn from_bits(bits: u64) -> Moment {
        let (hours, minutes) = ((bits >> 6 & 31) as u8, (bits & 63) as u8);
        let zone = match bits >> 11 & 3 {
            0 => Zone::None,
            1 => Zone::Z,
            2 => Zone::East(hours, minutes),
            _ => Zone::West(hours, minutes),
        };
        let thousandths = (bits >> 13 & 0x7FF) as u16;
        let mut rest = bits >> 24;
        let mut fields = [0; 6];
        for (field, (width, ..)) in fields.iter_mut().zip(FIELDS).rev() {
            *field = (rest & ((1 << width) - 1)) as u16;
            rest >>= width;
        }
        Moment { fields, thousandths: thousandths.checked_sub(1), zone }
    }

    fn text(self) -> String {
        use fmt::Write;
        let mut text = String::with_capacity(29);
        for (field, (_, digits, separator)) in self.fields.into_iter().zip(FIELDS) {
            let _ = write!(text, "{separator}{field:0digits$}");
        }
        if let Some(thousandths) = self.thousandths {
            let _ = write!(text, ".{thousandths:03}");
        }
        let _ = match self.zone {
            Zone::None => Ok(()),
            Zone::Z => text.write_char('Z'),
            Zone::East(hours, minutes) => write!(text, "+{hours:02}:{minutes:02}"),
            Zone::West(hours, minutes) => write!(text, "-{hours:02}:{minutes:02}"),
        };
        text
    }
}

fn number(text: &str, digits: usize) -> Option<(u16, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    if !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use oxrdf::vocab::xsd;
    use oxrdf::{BlankNode, Literal, NamedNode, NamedNodeRef, Term};
    use proptest::prelude::*;

    use super::{Id, read};

    fn back(term: &Term) -> Term {
        let mut text = Vec::new();
        let id = Id::of(term.as_ref(), &mut text);
        assert_eq!(Id::from_bytes(id.to_bytes()), id);
        assert_eq!(id.is_inline(), text.is_empty());
        if text.is_empty() { id.literal().unwrap().into() } else { read(&text).unwrap() }
    }

    fn typed(text: &str, datatype: NamedNodeRef<'static>) -> Term {
        Literal::new_typed_literal(text, datatype).into()
    }

    #[test]
    fn a_term_comes_back_exactly_as_it_was_written() {
        let texts = [
            "",
            "0",
            "7",
            "-7",
            "+7",
            "007",
            "-0",
            "9223372036854775807",
            "9223372036854775808",
            "true",
            "1",
            "0.5",
            "1e3",
            "NaN",
            "-INF",
            "2011",
            "2011-03",
            "2011-03-05",
            "2011-13-45",
            "2011-03-05Z",
            "12011-03-05",
            "99999-03-05",
            "2011-03-05T10:30:00",
            "2011-03-05T10:30:00Z",
            "2011-03-05T10:30:00.120Z",
            "2011-03-05T10:30:00.12Z",
            "2011-03-05T10:30:00+01:00",
            "2011-03-05T10:30:00-00:00",
            "2011-03-05T10:30:00+00:00",
            "2011-03-05T24:00:00Z",
            "2011-03-05T99:99:99Z",
            "2011-03-05T10:30:00+99:99",
            "a text",
            "nine char",
            "ten chars.",
            "Ärger",
            "\0",
            "a\0",
        ];
        let types = [
            xsd::STRING,
            xsd::BOOLEAN,
            xsd::INTEGER,
            xsd::DECIMAL,
            xsd::DOUBLE,
            xsd::FLOAT,
            xsd::G_YEAR,
            xsd::G_YEAR_MONTH,
            xsd::DATE,
            xsd::DATE_TIME,
            xsd::ANY_URI,
        ];
        for (text, datatype) in texts.iter().flat_map(|text| types.map(|datatype| (text, datatype))) {
            let term = typed(text, datatype);
            assert_eq!(back(&term), term);
        }
        let others: [Term; 3] = [
            NamedNode::new_unchecked("http://a.example/ü").into(),
            BlankNode::new_unchecked("b0").into(),
            Literal::new_language_tagged_literal_unchecked("a", "de-at").into(),
        ];
        others.iter().for_each(|term| assert_eq!(back(term), *term));
    }

    #[test]
    fn what_is_usual_needs_no_dictionary() {
        let usual = [
            typed("2011-03-05T10:30:00Z", xsd::DATE_TIME),
            typed("2011-03-05", xsd::DATE),
            typed("200", xsd::INTEGER),
            typed("0.8314", xsd::DECIMAL),
            typed("true", xsd::BOOLEAN),
            typed("de", xsd::STRING),
        ];
        let mut text = Vec::new();
        usual.iter().for_each(|term| assert!(Id::of(term.as_ref(), &mut text).is_inline(), "{term}"));
    }

    #[test]
    fn numbers_and_moments_sort_by_what_they_mean() {
        let mut text = Vec::new();
        let mut id = |term: Term| Id::of(term.as_ref(), &mut text);
        assert!(id(typed("-5", xsd::INTEGER)) < id(typed("3", xsd::INTEGER)));
        assert!(
            id(typed("2010-12-31T23:59:59Z", xsd::DATE_TIME))
                < id(typed("2011-01-01T00:00:00Z", xsd::DATE_TIME))
        );
    }

    proptest! {
        #[test]
        fn every_literal_comes_back(value in ".{0,12}", which in 0..super::SHORT_TYPES.len()) {
            for datatype in [super::SHORT_TYPES[which], xsd::STRING, xsd::DATE_TIME] {
                let term = Term::from(Literal::new_typed_literal(value.clone(), datatype));
                prop_assert_eq!(back(&term), term);
            }
        }
    }
}
