//! Answers that break HTTP or lie about themselves.

use super::page_with_links;
use crate::answer::{Answer, Breakage, End, Response};
use crate::layout::Host;

const HTML_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
/// Fields of the finite flood.
const MANY_FIELDS: usize = 5_000;

pub(super) fn silent() -> Answer {
    Answer::Broken(Breakage::Silent)
}

pub(super) fn tarpit() -> Answer {
    Answer::Broken(Breakage::Drip { head: [HTML_HEAD, b"\r\n<html><body>"].concat(), byte: b'.' })
}

pub(super) fn endless_body() -> Answer {
    let text = b"<p>This page has no end, and every paragraph of it is the same as the one before.</p>\n"
        .repeat(180);
    let mut piece = format!("{:x}\r\n", text.len()).into_bytes();
    piece.extend_from_slice(&text);
    piece.extend_from_slice(b"\r\n");
    Answer::Broken(Breakage::Endless {
        start: [HTML_HEAD, b"Transfer-Encoding: chunked\r\n\r\n"].concat(),
        piece,
    })
}

pub(super) fn wrong_length(host: &Host, target: &str) -> Answer {
    let body = page_with_links(host, "Lengths", &[]);
    let length = body.len();
    let (fields, body, end) = match target {
        "/more.html" => (format!("Content-Length: {}\r\n", length + 1_000), body, End::Close),
        "/less.html" => (format!("Content-Length: {}\r\n", length / 2), body, End::Keep),
        "/negative.html" => ("Content-Length: -5\r\n".to_owned(), body, End::Close),
        "/two.html" => (format!("Content-Length: {length}\r\nContent-Length: 7\r\n"), body, End::Close),
        "/words.html" => ("Content-Length: many\r\n".to_owned(), body, End::Close),
        "/chunks.html" => {
            ("Transfer-Encoding: chunked\r\n".to_owned(), format!("zz\r\n{body}\r\n0\r\n\r\n"), End::Close)
        }
        "/cut-chunk.html" => {
            ("Transfer-Encoding: chunked\r\n".to_owned(), format!("{:x}\r\n{body}", length + 9), End::Close)
        }
        _ => {
            let names = ["more", "less", "negative", "two", "words", "chunks", "cut-chunk"];
            let targets = names.map(|name| format!("/{name}.html"));
            return Response::html(page_with_links(host, "Lengths", &targets)).into();
        }
    };
    let bytes = [HTML_HEAD, fields.as_bytes(), b"\r\n", body.as_bytes()].concat();
    Answer::Broken(Breakage::Bytes { bytes, end })
}

pub(super) fn reset(host: &Host, target: &str) -> Answer {
    let bytes = match target {
        "/at-once.html" => Vec::new(),
        "/in-head.html" => b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec(),
        "/in-body.html" => [HTML_HEAD, b"Content-Length: 5000\r\n\r\n<html><body>So far"].concat(),
        "/robots.txt" => b"HTTP/1.1 2".to_vec(),
        _ => {
            let targets = ["/at-once.html", "/in-head.html", "/in-body.html"].map(str::to_owned);
            return Response::html(page_with_links(host, "Resets", &targets)).into();
        }
    };
    Answer::Broken(Breakage::Bytes { bytes, end: End::Reset })
}

pub(super) fn header_flood(host: &Host, target: &str) -> Answer {
    match target {
        "/endless.html" => Answer::Broken(Breakage::Endless {
            start: HTML_HEAD.to_vec(),
            piece: b"X-Flood: the same field again and again, without end\r\n".repeat(300),
        }),
        "/many.html" => {
            let mut bytes = HTML_HEAD.to_vec();
            for field in 0..MANY_FIELDS {
                bytes.extend_from_slice(format!("X-Flood-{field}: {field}\r\n").as_bytes());
            }
            bytes.extend_from_slice(b"Content-Length: 2\r\n\r\nok");
            Answer::Broken(Breakage::Bytes { bytes, end: End::Keep })
        }
        "/long.html" => {
            let bytes =
                [HTML_HEAD, b"X-Long: ", &b"a".repeat(300_000), b"\r\nContent-Length: 2\r\n\r\nok"].concat();
            Answer::Broken(Breakage::Bytes { bytes, end: End::Keep })
        }
        _ => {
            let targets = ["/endless.html", "/many.html", "/long.html"].map(str::to_owned);
            Response::html(page_with_links(host, "Fields", &targets)).into()
        }
    }
}

pub(super) fn charset(host: &Host, target: &str) -> Answer {
    let german: &[u8] =
        b"<html><body><p>Die Stra\xdfe f\xfchrt \xfcber die Br\xfccke nach M\xfcnchen.</p></body></html>";
    let (content_type, body): (&str, Vec<u8>) = match target {
        "/latin-as-utf8.html" => ("text/html; charset=utf-8", german.to_vec()),
        "/utf8-as-latin.html" => (
            "text/html; charset=iso-8859-1",
            "<html><body><p>Η λιτότητα και το χρέος</p></body></html>".into(),
        ),
        "/nonsense.html" => ("text/html; charset=klingon-7", german.to_vec()),
        "/meta-utf16.html" => (
            "text/html",
            "<html><head><meta charset=\"utf-16\"></head><body>grün und schön</body></html>".into(),
        ),
        "/bytes.html" => ("text/html", (0..=255_u8).cycle().take(4_096).collect()),
        "/odd-utf16.html" => ("text/html", b"\xff\xfe<\0h\0t\0m\0l\0>\0x\0y".to_vec()),
        _ => {
            let names = ["latin-as-utf8", "utf8-as-latin", "nonsense", "meta-utf16", "bytes", "odd-utf16"];
            let targets = names.map(|name| format!("/{name}.html"));
            return Response::html(page_with_links(host, "Charsets", &targets)).into();
        }
    };
    Response::new(200, content_type, body).into()
}
