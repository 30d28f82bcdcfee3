//! Small archive files in every format that is read, and what is in them.

use std::io::Write;
use std::ops::Range;

use annalist_disk::Dice;

use super::gzip;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Warc,
    WarcGzip,
    WarcGzipWhole,
    WarcZstd,
    WarcZstdWhole,
    WarcZstdDictionary,
    Arc,
    ArcGzip,
}

impl Variant {
    pub(crate) const ALL: [Variant; 8] = [
        Variant::Warc,
        Variant::WarcGzip,
        Variant::WarcGzipWhole,
        Variant::WarcZstd,
        Variant::WarcZstdWhole,
        Variant::WarcZstdDictionary,
        Variant::Arc,
        Variant::ArcGzip,
    ];

    /// One compressed stream for all records.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Variant::WarcGzipWhole | Variant::WarcZstdWhole)
    }

    pub(crate) fn is_arc(self) -> bool {
        matches!(self, Variant::Arc | Variant::ArcGzip)
    }
}

pub(crate) struct Sample {
    pub(crate) variant: Variant,
    pub(crate) bytes: Vec<u8>,
    /// Where each record is, and a name that its block begins with.
    pub(crate) records: Vec<(Range<usize>, String)>,
    /// What the reading of every record needs.
    pub(crate) dictionary: Range<usize>,
}

/// Four of each variant, of sixteen records each.
pub(crate) fn samples() -> Vec<Sample> {
    Variant::ALL
        .into_iter()
        .flat_map(|variant| (0..4).map(move |number| sample(variant, number, 16)))
        .collect()
}

/// The name that a block was given.
pub(crate) fn name_in(block: &[u8]) -> String {
    let text = String::from_utf8_lossy(block);
    let name = text.split("[[").nth(1).and_then(|rest| rest.split("]]").next());
    name.unwrap_or_default().to_owned()
}

pub(crate) fn sample(variant: Variant, number: u64, records: u64) -> Sample {
    let mut dice = Dice::new(number * 1000 + variant as u64);
    let texts: Vec<(Vec<u8>, String)> = (0..records)
        .map(|at| {
            let name = format!("{variant:?}-{number}-{at}");
            let block = block(&name, at, &mut dice);
            (if variant.is_arc() { arc(at, &block) } else { warc(at, &block) }, name)
        })
        .collect();
    let mut bytes = Vec::new();
    if variant == Variant::WarcZstdDictionary {
        bytes.extend_from_slice(&[0x5d, 0x2a, 0x4d, 0x18]);
        let length = u32::try_from(DICTIONARY.len()).unwrap();
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(DICTIONARY);
    }
    let dictionary = 0..bytes.len();
    if variant.is_whole() {
        let all: Vec<u8> = texts.iter().flat_map(|(text, _)| text.clone()).collect();
        bytes = pack(variant, &all);
    }
    let mut found = Vec::new();
    for (text, name) in texts {
        let start = bytes.len();
        if variant.is_whole() {
            found.push((0..start, name));
            continue;
        }
        bytes.extend_from_slice(&pack(variant, &text));
        found.push((start..bytes.len(), name));
    }
    Sample { variant, bytes, records: found, dictionary }
}

const DICTIONARY: &[u8] = b"WARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\nContent-Type: application/http; \
    msgtype=response\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nthe of and to in is was for that with";

fn pack(variant: Variant, text: &[u8]) -> Vec<u8> {
    match variant {
        Variant::Warc | Variant::Arc => text.to_vec(),
        Variant::WarcGzip | Variant::WarcGzipWhole | Variant::ArcGzip => gzip(text),
        Variant::WarcZstd | Variant::WarcZstdWhole | Variant::WarcZstdDictionary => {
            let used = if variant == Variant::WarcZstdDictionary { DICTIONARY } else { &[] };
            let mut encoder = zstd::Encoder::with_dictionary(Vec::new(), 3, used).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// A response: prose, or what cannot be compressed, or a body that is compressed itself.
fn block(name: &str, at: u64, dice: &mut Dice) -> Vec<u8> {
    const WORDS: [&str; 8] = ["river", "council", "festival", "the", "of", "winter", "\r\n\r\n", "bridge\n"];
    let prose: String =
        (0..20 + dice.below(200)).map(|_| WORDS[dice.below(8) as usize].to_owned() + " ").collect();
    let noise: Vec<u8> = (0..dice.below(1500)).flat_map(|_| dice.roll().to_le_bytes()).collect();
    let (coding, body) = match at % 4 {
        0 => ("x-noise", noise),
        1 => ("gzip", gzip(prose.as_bytes())),
        _ => ("identity", prose.into_bytes()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nX-Name: [[{name}]]\r\nContent-Encoding: {coding}\r\nContent-Length: {length}\r\n\r\n"
    );
    [head.into_bytes(), body].concat()
}

fn warc(at: u64, block: &[u8]) -> Vec<u8> {
    const VERSIONS: [&str; 4] = ["0.17", "0.18", "1.0", "1.1"];
    let version = VERSIONS[(at % 4) as usize];
    let head = format!(
        "WARC/{version}\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{at:012}>\r\n\
         WARC-Target-URI: http://a.test/{at}\r\nWARC-Date: 2008-04-30T20:48:25Z\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn arc(at: u64, block: &[u8]) -> Vec<u8> {
    let line = format!("http://a.test/{at} 192.0.2.7 20080430204825 text/html {}\n", block.len());
    [line.as_bytes(), block, b"\n"].concat()
}
