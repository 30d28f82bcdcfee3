//! The encodings pages come in, and the bytes of a text in each of them.

use serde::Serialize;

use crate::dice::Dice;
use crate::words::Language;

/// How a host writes its pages, always labelled right (mislabelled ones are a hazard).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Charset {
    Utf8,
    /// ISO-8859-1, said in the header.
    Latin1,
    /// Said in a `<meta>` only.
    Windows1252,
    /// ISO-8859-7, said in the header.
    Greek,
    /// Little endian, said by a byte order mark.
    Utf16,
}

impl Charset {
    pub(crate) fn for_host(share: f64, language: Language, dice: &mut Dice) -> Charset {
        let choice = dice.below(5);
        if !dice.chance(share) {
            return Charset::Utf8;
        }
        match (language, choice) {
            (_, 4) => Charset::Utf16,
            (Language::Greek, _) => Charset::Greek,
            (_, 0 | 1) => Charset::Latin1,
            _ => Charset::Windows1252,
        }
    }

    /// The name as labels have it.
    pub fn label(self) -> &'static str {
        match self {
            Charset::Utf8 => "utf-8",
            Charset::Latin1 => "iso-8859-1",
            Charset::Windows1252 => "windows-1252",
            Charset::Greek => "iso-8859-7",
            Charset::Utf16 => "utf-16",
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Charset::Utf8 => "text/html; charset=utf-8",
            Charset::Latin1 => "text/html; charset=ISO-8859-1",
            Charset::Greek => "text/html; charset=iso-8859-7",
            Charset::Windows1252 | Charset::Utf16 => "text/html",
        }
    }

    /// What cannot be written in the charset becomes a numeric reference, as a browser would send it.
    pub(crate) fn encode(self, text: String) -> Vec<u8> {
        match self {
            Charset::Utf8 => text.into_bytes(),
            Charset::Utf16 => encode_utf16(&text),
            Charset::Latin1 | Charset::Windows1252 | Charset::Greek => {
                let mut bytes = Vec::with_capacity(text.len());
                for letter in text.chars() {
                    match self.byte(letter) {
                        Some(byte) => bytes.push(byte),
                        None => bytes.extend_from_slice(format!("&#{};", letter as u32).as_bytes()),
                    }
                }
                bytes
            }
        }
    }

    fn byte(self, letter: char) -> Option<u8> {
        let code = u32::from(letter);
        match (self, code) {
            (_, 0..=0x7f) => u8::try_from(code).ok(),
            (Charset::Latin1 | Charset::Windows1252, 0xa0..=0xff) => u8::try_from(code).ok(),
            (Charset::Windows1252, 0x20ac) => Some(0x80),
            (Charset::Windows1252, 0x2013) => Some(0x96),
            (Charset::Windows1252, 0x201c) => Some(0x93),
            (Charset::Windows1252, 0x201d) => Some(0x94),
            (Charset::Greek, 0xbb) => Some(0xbb),
            (Charset::Greek, 0x388..=0x38a | 0x38c | 0x38e..=0x3ce) => u8::try_from(code - 0x2d0).ok(),
            (Charset::Greek, 0x386) => Some(0xb6),
            _ => None,
        }
    }
}

fn encode_utf16(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * text.len() + 2);
    bytes.extend_from_slice(&[0xff, 0xfe]);
    for unit in text.encode_utf16() {
        bytes.extend_from_slice(&unit.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::Charset;

    #[test]
    fn letters_become_the_bytes_of_their_charset() {
        assert_eq!(Charset::Latin1.encode("für".into()), b"f\xfcr");
        assert_eq!(Charset::Windows1252.encode("\u{201c}€\u{201d}".into()), b"\x93\x80\x94");
        assert_eq!(Charset::Greek.encode("Ύφεση".into()), b"\xbe\xf6\xe5\xf3\xe7");
        assert_eq!(Charset::Utf16.encode("aΩ".into()), b"\xff\xfea\0\xa9\x03");
        assert_eq!(Charset::Latin1.encode("Ω".into()), b"&#937;");
    }
}
