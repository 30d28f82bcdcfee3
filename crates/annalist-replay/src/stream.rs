//! Bodies on their way out: read from the record, unpacked, rewritten where that is asked for; long ones are never whole in
//! memory.

use std::cell::Cell;
use std::io::{self, BufRead, Read};

use annalist_warc::{ContentCoding, Dechunked, HttpHead, Reader, decoded};
use encoding_rs::{Encoding, UTF_8};

use crate::record::{Kept, StoredBody};
use crate::rewrite::{Rewriting, rewrite_html, rewrite_xml};

/// What comes out of a few bytes may have no end.
const MOST_BYTES: u64 = 16 << 30;
/// A part of a packed body is given where all of it is not longer than this: it has to be unpacked before its length is known.
const MOST_COUNTED_BYTES: u64 = 256 << 20;
/// Style sheets are rewritten in memory; of longer ones this much is shown.
const MOST_STYLE_BYTES: u64 = 16 << 20;
const PIECE_BYTES: usize = 64 << 10;

/// A body that is yet to be read.
#[derive(Debug)]
pub struct Stream {
    pub(crate) body: StoredBody,
    pub(crate) form: Form,
}

#[derive(Debug)]
pub(crate) enum Form {
    Whole(Coding),
    /// From a byte on, so many of them.
    Part {
        coding: Coding,
        from: u64,
        length: u64,
    },
    Html(Rewriting),
    /// In an encoding that is not rewritten as it is: as UTF-8.
    HtmlFrom(Rewriting, &'static Encoding),
    /// Becomes UTF-8.
    Xml(Rewriting, &'static Encoding),
    Css(Rewriting, &'static Encoding),
}

impl Stream {
    /// Hands out the body in pieces for as long as they are wanted. Reads files: not for threads that run tasks.
    pub fn pump(self, take: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<()> {
        if matches!(self.body.kept, Kept::Held(_)) {
            return self.sent(take);
        }
        // The last piece waits for the end of the record: where that is damaged, nobody gets as much as was promised.
        let mut last = Vec::new();
        self.sent(&mut |piece| {
            let is_wanted = last.is_empty() || take(&last);
            last.clear();
            last.extend_from_slice(piece);
            is_wanted
        })?;
        if !last.is_empty() {
            take(&last);
        }
        Ok(())
    }

    fn sent(self, take: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<()> {
        let Stream { body, form } = self;
        match form {
            Form::Whole(coding) => body.read(coding, &mut |input| Ok(pour(input, take))),
            Form::Part { coding, from, length } => body.read(coding, &mut |input| {
                io::copy(&mut (&mut *input).take(from), &mut io::sink())?;
                let mut part = (&mut *input).take(length);
                if !pour(&mut part, take) {
                    return Ok(false);
                }
                // A length was promised.
                if part.limit() > 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                // Who asks for the beginning of something long does not wait for the end of it.
                Ok(input.read(&mut [0])? == 0)
            }),
            Form::Html(rewriting) => {
                let rewriting = rewriting.based_on_html(&mut |take| body.look_through(take));
                body.read(Coding::Removed, &mut |input| {
                    let wanted = Cell::new(true);
                    let mut html = rewrite_html(rewriting.clone(), |bytes: &[u8]| {
                        wanted.set(wanted.get() && (bytes.is_empty() || take(bytes)));
                    });
                    let mut failed = Ok(());
                    pour(input, &mut |piece| {
                        failed = html.write(piece);
                        failed.is_ok() && wanted.get()
                    });
                    failed?;
                    html.end()?;
                    Ok(wanted.get())
                })
            }
            Form::HtmlFrom(rewriting, encoding) => body.read(Coding::Removed, &mut |input| {
                let text = text_of(input, encoding);
                let rewriting = rewriting.clone().based_on_html(&mut |take| {
                    take(text.as_bytes());
                });
                let mut html = rewrite_html(rewriting, |bytes: &[u8]| {
                    take(bytes);
                });
                html.write(text.as_bytes())?;
                html.end()?;
                Ok(true)
            }),
            Form::Xml(rewriting, encoding) if encoding != UTF_8 => body.read(Coding::Removed, &mut |input| {
                let text = text_of(input, encoding);
                let rewriting = rewriting.clone().based_on_xml(&mut |take| {
                    take(text.as_bytes());
                });
                rewrite_xml(rewriting, |bytes: &[u8]| {
                    take(bytes);
                })
                .write(text.as_bytes())?;
                Ok(true)
            }),
            Form::Xml(rewriting, _) => {
                let rewriting = rewriting.based_on_xml(&mut |take| body.look_through(take));
                body.read(Coding::Removed, &mut |input| {
                    let wanted = Cell::new(true);
                    let mut xml = rewrite_xml(rewriting.clone(), |bytes: &[u8]| {
                        wanted.set(wanted.get() && (bytes.is_empty() || take(bytes)));
                    });
                    let mut failed = Ok(());
                    pour(input, &mut |piece| {
                        failed = xml.write(piece);
                        failed.is_ok() && wanted.get()
                    });
                    failed?;
                    Ok(wanted.get())
                })
            }
            Form::Css(rewriting, encoding) => body.read(Coding::Removed, &mut |input| {
                let text = rewriting.css(&text_of(input, encoding));
                Ok(take(&encoding.encode(&text).0))
            }),
        }
    }
}

fn text_of(input: &mut dyn Read, encoding: &'static Encoding) -> String {
    let mut bytes = Vec::new();
    let mut input = input.take(MOST_STYLE_BYTES);
    pour(&mut input, &mut |piece| {
        bytes.extend_from_slice(piece);
        true
    });
    encoding.decode_with_bom_removal(&bytes).0.into_owned()
}

/// Whether all was wanted. What a server packed wrongly is shown as far as it goes; a record that is damaged is told of when it
/// is looked at to its end.
fn pour(input: &mut dyn Read, take: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match input.read(&mut piece) {
            Ok(0) | Err(_) => return true,
            Ok(read) if take(&piece[..read]) => {}
            Ok(_) => return false,
        }
    }
}

/// What becomes of the content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// As it was sent, without transfer coding: the payload that its digest is of.
    Kept,
    Removed,
}

/// Reads a body, and says whether it is to be known that its record is sound to its end.
type Taking<'t> = &'t mut dyn FnMut(&mut dyn Read) -> io::Result<bool>;

impl StoredBody {
    fn read(&self, coding: Coding, take: Taking<'_>) -> io::Result<()> {
        let (path, offset, has_head) = match &self.kept {
            Kept::Held(bytes) => return self.unpack(coding, bytes.as_slice(), take).map(|_| ()),
            Kept::InFile { path, offset, has_head } => (path, *offset, *has_head),
        };
        let mut reader = Reader::open_at(path, offset)?;
        let record = reader.next_record().map_err(|e| io::Error::other(e.fault.to_string()))?;
        let mut record = record.ok_or(io::ErrorKind::UnexpectedEof)?;
        let is_to_end = match has_head {
            true => self.unpack(coding, HttpHead::read(&mut record)?.1, take)?,
            false => self.unpack(coding, &mut record, take)?,
        };
        if is_to_end {
            record.finish().map_err(|e| io::Error::other(e.to_string()))?;
        }
        Ok(())
    }

    fn unpack(&self, coding: Coding, stored: impl BufRead, take: Taking<'_>) -> io::Result<bool> {
        let mut body = Dechunked::new(stored, self.chunked);
        match self.coding.filter(|_| coding == Coding::Removed) {
            None | Some(ContentCoding::Identity) => take(&mut body),
            Some(coding) => take(&mut *decoded(body, coding, MOST_BYTES)?),
        }
    }

    /// The body, unpacked, before it is sent. What cannot be read is found out again, and told, then.
    fn look_through(&self, take: &mut dyn FnMut(&[u8]) -> bool) {
        let _ = self.read(Coding::Removed, &mut |input| {
            pour(input, take);
            Ok(false)
        });
    }

    /// The beginning of the body, unpacked.
    pub(crate) fn beginning(&self, bytes: u64) -> Vec<u8> {
        let mut beginning = Vec::new();
        // What cannot be read is found out again, and told, when the body is sent.
        let _ = self.read(Coding::Removed, &mut |input| {
            let _ = input.take(bytes).read_to_end(&mut beginning);
            Ok(false)
        });
        beginning
    }

    /// How long it is, where that can be told without reading all of it.
    pub(crate) fn told_length(&self, coding: Coding) -> Option<u64> {
        let is_as_stored = coding == Coding::Kept || self.coding == Some(ContentCoding::Identity);
        self.coded_length.filter(|_| is_as_stored)
    }

    /// How long it is: by reading all of it where there is no other way. `None` where that would take too long.
    pub(crate) fn counted_length(&self, coding: Coding) -> io::Result<Option<u64>> {
        if let Some(length) = self.told_length(coding) {
            return Ok(Some(length));
        }
        let mut length = 0;
        self.read(coding, &mut |input| {
            Ok(pour(input, &mut |piece| {
                length += piece.len() as u64;
                length <= MOST_COUNTED_BYTES
            }))
        })?;
        Ok(Some(length).filter(|length| *length <= MOST_COUNTED_BYTES))
    }
}
