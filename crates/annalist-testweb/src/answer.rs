//! Requests and answers, without sockets. How an answer goes over the wire is in `server/`.

use bytes::Bytes;

use crate::html::push_number;

/// Whether the visitor takes a compressed body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    #[default]
    Refused,
    Gzip,
}

/// What a visitor asks. Two numbers stand in for all memory a server has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    pub host: &'a str,
    /// Path and query.
    pub target: &'a str,
    pub compression: Compression,
    pub if_none_match: Option<&'a str>,
    pub if_modified_since: Option<&'a str>,
    /// How many requests this host had before.
    pub visit: u64,
    /// How many requests this host had for this target before.
    pub attempt: u64,
}

impl<'a> Request<'a> {
    /// A first visit with no wishes.
    pub fn get(host: &'a str, target: &'a str) -> Request<'a> {
        Request { host, target, ..Request::default() }
    }
}

/// How the end of a body is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    #[default]
    Length,
    Chunked,
}

/// An answer that keeps to HTTP.
#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    /// Lines `Name: value\r\n`, without the framing ones.
    pub fields: String,
    pub body: Bytes,
    pub framing: Framing,
}

impl Response {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Response {
        let response = Response { status, body: body.into(), ..Response::default() };
        response.with("Content-Type", content_type)
    }

    pub(crate) fn html(body: String) -> Response {
        Response::new(200, "text/html; charset=utf-8", body)
    }

    pub(crate) fn redirect(status: u16, location: &str) -> Response {
        let body = format!("<html><body>Moved <a href=\"{location}\">here</a></body></html>");
        Response::new(status, "text/html; charset=utf-8", body).with("Location", location)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Response {
        self.fields.reserve(name.len() + value.len() + 4);
        self.fields.push_str(name);
        self.fields.push_str(": ");
        self.fields.push_str(value);
        self.fields.push_str("\r\n");
        self
    }

    /// The value of a field, its name in any case.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.split("\r\n").find_map(|line| {
            let (field, value) = line.split_once(": ")?;
            field.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// Head and framing as they go over the wire.
    pub(crate) fn push_head(&self, out: &mut Vec<u8>) {
        let mut line = String::with_capacity(self.fields.len() + 96);
        line.push_str("HTTP/1.1 ");
        push_number(&mut line, u64::from(self.status));
        line.push(' ');
        line.push_str(reason(self.status));
        line.push_str("\r\nServer: testweb\r\n");
        line.push_str(&self.fields);
        match self.framing {
            // 304 has no body and no length.
            _ if self.status == 304 => {}
            Framing::Length => {
                line.push_str("Content-Length: ");
                push_number(&mut line, self.body.len() as u64);
                line.push_str("\r\n");
            }
            Framing::Chunked => line.push_str("Transfer-Encoding: chunked\r\n"),
        }
        line.push_str("\r\n");
        out.extend_from_slice(line.as_bytes());
    }
}

/// How a connection ends after broken bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Close,
    /// The client sees "connection reset".
    Reset,
    /// The connection is kept, as if nothing had happened.
    Keep,
}

/// An answer that breaks HTTP, or never ends.
#[derive(Clone, Debug)]
pub enum Breakage {
    /// Not one byte, until the client goes.
    Silent,
    /// The head at once, then one byte after the other, with long pauses, without end.
    Drip { head: Vec<u8>, byte: u8 },
    /// The start at once, then the piece again and again, at a bounded speed.
    Endless { start: Vec<u8>, piece: Vec<u8> },
    /// Exactly these bytes.
    Bytes { bytes: Vec<u8>, end: End },
}

#[derive(Clone, Debug)]
pub enum Answer {
    Proper(Response),
    Broken(Breakage),
}

impl Answer {
    /// The proper response; none where the answer breaks HTTP.
    pub fn response(&self) -> Option<&Response> {
        match self {
            Answer::Proper(response) => Some(response),
            Answer::Broken(_) => None,
        }
    }
}

impl From<Response> for Answer {
    fn from(response: Response) -> Self {
        Answer::Proper(response)
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}
