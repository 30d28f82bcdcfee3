//! What is asked of replay and what it answers, without a server: whoever has one carries both over.

use crate::stream::Stream;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Head,
    /// A form that is sent, for one: nothing here takes it.
    Other,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub method: Method,
    /// Path and query after the collection's prefix, as they came: `20200101000000mp_/http://example.org/?a=b`.
    pub target: &'a str,
    /// The collection's own address, with the origin that browsers see and a slash at the end: `http://127.0.0.1:8081/job/`.
    pub prefix: &'a str,
    pub accept_datetime: Option<&'a str>,
    pub range: Option<&'a str>,
    pub if_range: Option<&'a str>,
    pub if_none_match: Option<&'a str>,
}

impl<'a> Asked<'a> {
    /// A request without any headers that matter.
    pub fn get(prefix: &'a str, target: &'a str) -> Asked<'a> {
        Asked {
            method: Method::Get,
            target,
            prefix,
            accept_datetime: None,
            range: None,
            if_range: None,
            if_none_match: None,
        }
    }
}

/// One response. Names and values of its headers are fit to be sent.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

#[derive(Debug)]
pub enum Body {
    Bytes(Vec<u8>),
    /// Read while it is sent. Where the length is not known, it is not among the headers either.
    Stream(Box<Stream>),
}

impl Answer {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Answer {
        let mut answer = Answer { status, headers: Vec::new(), body: Body::Bytes(Vec::new()) };
        let body = body.into();
        answer.push("Content-Type", content_type);
        answer.push("Content-Length", &body.len().to_string());
        answer.body = Body::Bytes(body);
        answer
    }

    /// Adds a header. What no header may hold is left out.
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if !name.is_empty() && name.bytes().all(is_token) {
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            self.headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The whole body, for who wants it in memory.
    pub fn into_bytes(self) -> std::io::Result<Vec<u8>> {
        match self.body {
            Body::Bytes(bytes) => Ok(bytes),
            Body::Stream(stream) => {
                let mut whole = Vec::new();
                stream.pump(&mut |bytes| {
                    whole.extend_from_slice(bytes);
                    true
                })?;
                Ok(whole)
            }
        }
    }
}
