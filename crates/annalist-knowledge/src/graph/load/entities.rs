//! Entities of RDF/XML: names for texts, which may have other names in them. The parser spells each of them out where it is
//! declared, and again wherever it is used, so that a few lines could fill any memory. They are looked at on the way to it,
//! wherever in the file they stand; what is longer than an address ends the reading.

use std::collections::HashMap;
use std::io::{self, Read};

/// What an entity may stand for, spelled out. They are made for the beginnings of addresses.
const MOST_BYTES: usize = 1_000;
/// A name with its text, both as they are written.
const LONGEST: usize = 4 * MOST_BYTES;
const BEGINNING: &[u8] = b"<!ENTITY";

pub struct Entities<R> {
    input: R,
    /// How long each is, spelled out.
    lengths: HashMap<Vec<u8>, usize>,
    /// How much of the beginning of a declaration was seen.
    seen: usize,
    /// What came of a declaration after its beginning.
    declared: Vec<u8>,
}

impl<R: Read> Entities<R> {
    pub fn of(input: R) -> Entities<R> {
        Entities { input, lengths: HashMap::new(), seen: 0, declared: Vec::new() }
    }

    fn see(&mut self, byte: u8) -> io::Result<()> {
        if byte == b'<' {
            self.seen = 1;
        } else if self.seen < BEGINNING.len() {
            self.seen = if BEGINNING.get(self.seen) == Some(&byte) { self.seen + 1 } else { 0 };
            self.declared.clear();
        } else {
            self.declared.push(byte);
            let is_whole = byte == b'"' && self.declared.iter().filter(|byte| **byte == b'"').count() == 2;
            if is_whole {
                self.seen = 0;
                self.declare()?;
            } else if self.declared.len() > LONGEST {
                return Err(too_long());
            }
        }
        Ok(())
    }

    fn declare(&mut self) -> io::Result<()> {
        let mut parts = self.declared.splitn(3, |byte| *byte == b'"');
        let (name, text) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let name = name.trim_ascii();
        let name = name.strip_prefix(b"%").unwrap_or(name).trim_ascii();
        let mut pieces = text.split(|byte| *byte == b'&');
        let mut length = pieces.next().map_or(0, <[u8]>::len);
        for piece in pieces {
            let end = piece.iter().position(|byte| *byte == b';').unwrap_or(piece.len());
            let (used, rest) = piece.split_at(end);
            // Others are letters.
            length += self.lengths.get(used).copied().unwrap_or(used.len() + 1) + rest.len();
        }
        if length > MOST_BYTES {
            return Err(too_long());
        }
        self.lengths.insert(name.to_vec(), length);
        Ok(())
    }
}

impl<R: Read> Read for Entities<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        for byte in buffer.iter().take(length) {
            self.see(*byte)?;
        }
        Ok(length)
    }
}

fn too_long() -> io::Error {
    let why = format!(
        "an entity (<!ENTITY …>) stands for more than {MOST_BYTES} bytes: write the text where it belongs"
    );
    io::Error::new(io::ErrorKind::InvalidData, why)
}
