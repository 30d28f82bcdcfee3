//! Named fields, of records and of `application/warc-fields` blocks. A value can never break out of its line.

use std::borrow::Cow;

/// Name and value pairs in their order. Names are compared without case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(Cow<'static, str>, String)>);

impl Fields {
    pub fn new() -> Fields {
        Fields::default()
    }

    /// Adds a field. Control characters in the value become spaces, so that no value can start a field of its own.
    pub fn push(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.push((Cow::Borrowed(name), one_line(value.into())));
    }

    /// Adds an address. Control characters become percent escapes: a space would change what it names.
    pub(crate) fn push_uri(&mut self, name: &'static str, uri: &str) {
        self.push(name, escape_controls(uri));
    }

    /// Adds a field under a name that was read or made up at run time.
    pub(crate) fn push_read(&mut self, name: String, value: String) {
        self.0.push((Cow::Owned(name), value));
    }

    pub(crate) fn extend_last(&mut self, continuation: &str) -> bool {
        let Some((_, value)) = self.0.last_mut() else { return false };
        value.push(' ');
        value.push_str(continuation);
        true
    }

    /// The first value under that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value.as_str()))
    }

    /// `Name: value` lines, each ended by CRLF.
    pub(crate) fn write_to(&self, out: &mut Vec<u8>) {
        for (name, value) in self.iter() {
            write_field(out, name, value);
        }
    }
}

pub(crate) fn write_field(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// The block of a warcinfo or metadata record: names may be made up, so they are cleaned too.
pub(crate) fn warc_fields_block<N: AsRef<str>, V: AsRef<str>>(fields: &[(N, V)]) -> Vec<u8> {
    let mut block = Vec::with_capacity(fields.len() * 64);
    for (name, value) in fields {
        let name = name.as_ref();
        if name.bytes().all(is_token) {
            block.extend_from_slice(name.as_bytes());
        } else {
            block.extend(name.bytes().map(|b| if is_token(b) { b } else { b'_' }));
        }
        block.extend_from_slice(b": ");
        let value = value.as_ref();
        block.extend(value.bytes().map(|b| if b.is_ascii_control() { b' ' } else { b }));
        block.extend_from_slice(b"\r\n");
    }
    block
}

pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn one_line(value: String) -> String {
    if value.chars().any(char::is_control) {
        value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    } else {
        value
    }
}

fn escape_controls(uri: &str) -> String {
    if !uri.bytes().any(|b| b.is_ascii_control()) {
        return uri.to_owned();
    }
    let mut escaped = String::with_capacity(uri.len() + 8);
    for c in uri.chars() {
        if c.is_ascii_control() {
            escaped.push_str(&format!("%{:02X}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Fields, warc_fields_block};

    #[test]
    fn no_value_starts_a_field_of_its_own() {
        let mut fields = Fields::new();
        fields.push("WARC-Type", "response\r\nWARC-Evil: 1");
        fields.push_uri("WARC-Target-URI", "http://a.test/\r\nWARC-Evil: 2");
        let mut text = Vec::new();
        fields.write_to(&mut text);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains("http://a.test/%0D%0AWARC-Evil: 2"));
    }

    #[test]
    fn a_block_of_fields_has_one_line_each() {
        let block = warc_fields_block(&[("via", "a\nb"), ("bad name:", "x")]);
        assert_eq!(block, b"via: a b\r\nbad_name_: x\r\n");
    }
}
