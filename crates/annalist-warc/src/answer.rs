//! What a server answered, out of the block of a record: its head, and its body with transfer and content coding removed.

use std::io::{BufRead, Read};

use crate::http::{Body, HttpHead};
use crate::payload::{ContentCoding, Dechunked, decoded};

/// Of a body, for those who ask how it begins.
const START: u64 = 2048;

#[derive(Debug)]
pub struct Answer<R> {
    pub head: HttpHead,
    rest: Body<R>,
}

impl<R: BufRead> Answer<R> {
    /// `None` where the block holds none. `named` is the type somebody found out before, for answers that have no head.
    pub fn read(block: R, named: Option<&str>) -> Option<Answer<R>> {
        let (head, rest) = HttpHead::read_or_bare(block, named).ok()?;
        Some(Answer { head: head?, rest })
    }

    pub fn status(&self) -> Option<u16> {
        self.head.status.parse().ok()
    }

    /// The fields of the head as they are received.
    pub fn fields(&self) -> Vec<(String, Vec<u8>)> {
        let bytes = |(name, value): &(String, String)| (name.clone(), value.clone().into_bytes());
        self.head.fields.iter().map(bytes).collect()
    }

    /// No more than so many bytes of it; `None` where its content coding is unknown. A body that breaks off is read as far as it
    /// goes, as in a crawl.
    pub fn body(self, most_bytes: u64) -> Option<Vec<u8>> {
        self.body_if(most_bytes, |_| true)
    }

    /// The same, of those that are wanted by how they begin; of others no more than the start is unpacked.
    pub fn body_if(self, most_bytes: u64, is_wanted: impl FnOnce(&[u8]) -> bool) -> Option<Vec<u8>> {
        let coding = ContentCoding::named(self.head.field("content-encoding").unwrap_or_default())?;
        let mut body = Vec::new();
        let plain = Dechunked::new(self.rest, self.head.is_chunked());
        let mut plain = decoded(plain, coding, most_bytes).ok()?;
        let start = plain.by_ref().take(START).read_to_end(&mut body);
        if !is_wanted(&body) {
            return None;
        }
        // What broke off in its first bytes does not go on.
        let _ = start.and_then(|_| plain.read_to_end(&mut body));
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    #[test]
    fn an_answer_is_read_as_far_as_it_goes() {
        let chunked =
            b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n5\r\nthree\r\n9\r\nbro"
                .as_slice();
        let answer = Answer::read(chunked, None).unwrap();
        assert_eq!(answer.status(), Some(404));
        assert_eq!(answer.fields().last(), Some(&("A".to_owned(), b"b".to_vec())));
        assert_eq!(answer.body(100), Some(b"threebro".to_vec()));
        assert_eq!(Answer::read(chunked, None).unwrap().body(3), Some(b"thr".to_vec()));
        let begins = |with: &'static [u8]| move |start: &[u8]| start.starts_with(with);
        assert_eq!(
            Answer::read(chunked, None).unwrap().body_if(100, begins(b"three")),
            Some(b"threebro".to_vec())
        );
        assert_eq!(Answer::read(chunked, None).unwrap().body_if(100, begins(b"four")), None);
        let unknown = b"HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\n\r\nx".as_slice();
        assert_eq!(Answer::read(unknown, None).unwrap().body(100), None);
        let bare = Answer::read(b"<p>old".as_slice(), None).unwrap();
        assert_eq!((bare.status(), bare.body(100)), (Some(200), Some(b"<p>old".to_vec())));
        assert!(Answer::read(b"".as_slice(), None).is_none());
    }
}
