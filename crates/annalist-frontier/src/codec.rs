//! Numbers and texts as bytes, little end first. What the bytes mean is said where they are used.

use annalist_model::UrlKey;

/// Stored bytes that do not mean what they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Growing bytes.
pub(crate) trait Put {
    fn put(&mut self, bytes: &[u8]);

    fn put_u8(&mut self, value: u8) {
        self.put(&[value]);
    }

    fn put_u16(&mut self, value: u16) {
        self.put(&value.to_le_bytes());
    }

    fn put_u32(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    fn put_u64(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }

    fn put_key(&mut self, key: UrlKey) {
        self.put_u64(key.site);
        self.put_u64(key.url);
    }

    /// Seven bits a byte, the lowest first.
    fn put_short(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.put_u8((value as u8) | 0x80);
            value >>= 7;
        }
        self.put_u8(value as u8);
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        self.put_short(bytes.len() as u64);
        self.put(bytes);
    }

    fn put_text(&mut self, text: &str) {
        self.put_bytes(text.as_bytes());
    }
}

impl Put for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Reads bytes from their start; every step may find that there are too few.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Take<'a> {
    rest: &'a [u8],
}

impl<'a> Take<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Take<'a> {
        Take { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn key(&mut self) -> Result<UrlKey, Malformed> {
        Ok(UrlKey { site: self.u64()?, url: self.u64()? })
    }

    pub(crate) fn short(&mut self) -> Result<u64, Malformed> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.short()?).map_err(|_| Malformed)?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Malformed, Put, Take};

    #[test]
    fn what_was_put_is_taken() {
        let mut bytes = Vec::new();
        bytes.put_short(u64::MAX);
        bytes.put_text("Ελλάδα");
        bytes.put_u32(7);
        let mut take = Take::new(&bytes);
        assert_eq!(take.short(), Ok(u64::MAX));
        assert_eq!(take.text(), Ok("Ελλάδα"));
        assert_eq!(take.u32(), Ok(7));
        assert!(take.is_empty());
        assert_eq!(take.u8(), Err(Malformed));
    }

    #[test]
    fn a_length_beyond_the_end_is_malformed() {
        let mut bytes = Vec::new();
        bytes.put_short(1 << 60);
        assert_eq!(Take::new(&bytes).bytes(), Err(Malformed));
    }
}
