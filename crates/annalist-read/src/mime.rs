//! What a body is, by its own look. The server's Content-Type is a hint: it decides between things that look
//! alike (CSS, scripts, plain text) and loses against bytes that cannot be what it says.

/// How a body can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Html,
    Feed,
    Sitemap,
    Css,
    /// Text without links.
    Text,
    Gzip,
    /// Nothing to read in it.
    Opaque,
}

/// The media type by content, and how to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected {
    /// Lower case, without parameters.
    pub mime: String,
    pub form: Form,
}

/// So many control characters may stand in a text, however short.
const SLIPS: usize = 2;
/// How much of the start is looked at.
const LOOK: usize = 2048;

/// Starts that nothing else has.
const MAGIC: [(&[u8], &str); 25] = [
    (b"\x89PNG\r\n\x1A\n", "image/png"),
    (b"\xFF\xD8\xFF", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\0\0\x01\0", "image/x-icon"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"\x1F\x8B", "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"Rar!\x1A\x07", "application/vnd.rar"),
    (b"7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"),
    (b"BZh", "application/x-bzip2"),
    (b"\xFD7zXZ\0", "application/x-xz"),
    (b"\x28\xB5\x2F\xFD", "application/zstd"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO", "font/otf"),
    (b"\0\x01\0\0\0", "font/ttf"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\x1A\x45\xDF\xA3", "video/webm"),
];

/// Media types that are text although they do not begin with `text/`.
const TEXTUAL: [&str; 8] = [
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "application/json",
    "application/xml",
    "application/xhtml+xml",
    "application/rss+xml",
    "application/atom+xml",
];

/// Recognises a body; `content_type` is the header's value as it came.
pub fn detect(content_type: Option<&str>, body: &[u8]) -> Detected {
    let declared = content_type.map(essence).filter(|mime| is_media_type(mime)).unwrap_or_default();
    if let Some(mime) = by_magic(body, &declared) {
        let form = if mime == "application/gzip" { Form::Gzip } else { Form::Opaque };
        return Detected { mime, form };
    }
    let start = &body[..body.len().min(LOOK)];
    if is_binary(start) {
        let mime = if is_text(&declared) { "application/octet-stream".to_owned() } else { declared };
        let mime = if mime.is_empty() { "application/octet-stream".to_owned() } else { mime };
        return Detected { mime, form: Form::Opaque };
    }
    textual(declared, &ascii_of(start))
}

fn textual(declared: String, start: &str) -> Detected {
    let start = start.trim_start();
    let of = |mime: &str, form| Detected { mime: mime.to_owned(), form };
    if let Some(root) = xml_root(start) {
        return match root {
            "rss" | "rdf" => of("application/rss+xml", Form::Feed),
            "feed" => of("application/atom+xml", Form::Feed),
            "urlset" | "sitemapindex" => of("application/xml", Form::Sitemap),
            "html" if declared == "application/xhtml+xml" => of("application/xhtml+xml", Form::Html),
            "html" => of("text/html", Form::Html),
            "svg" => of("image/svg+xml", Form::Html),
            _ if declared == "text/html" => of("text/html", Form::Html),
            _ if declared.ends_with("xml") => Detected { mime: declared, form: Form::Text },
            _ => of("application/xml", Form::Text),
        };
    }
    match declared.as_str() {
        "text/html" | "application/xhtml+xml" => Detected { mime: declared, form: Form::Html },
        "text/css" => Detected { mime: declared, form: Form::Css },
        mime if mime.contains("javascript") || mime.contains("ecmascript") => {
            of("text/javascript", Form::Opaque)
        }
        mime if mime.contains("json") => Detected { mime: declared, form: Form::Opaque },
        _ if looks_like_html(start) => of("text/html", Form::Html),
        _ if looks_like_css(start) => of("text/css", Form::Css),
        "" | "application/octet-stream" | "text/plain" if looks_like_json(start) => {
            of("application/json", Form::Opaque)
        }
        "" | "application/octet-stream" | "text/plain" => of("text/plain", Form::Text),
        mime if mime.starts_with("text/") => Detected { mime: declared, form: Form::Text },
        // An image or a film that is text: an error message more often than not.
        mime if mime.starts_with("image/") || mime.starts_with("audio/") || mime.starts_with("video/") => {
            of("text/plain", Form::Text)
        }
        _ => Detected { mime: declared, form: Form::Opaque },
    }
}

/// Without parameters, even where the semicolon before them is missing.
fn essence(content_type: &str) -> String {
    let ends = |c: char| c == ';' || c == ',' || c.is_ascii_whitespace();
    content_type.trim().split(ends).next().unwrap_or("").to_ascii_lowercase()
}

/// Two words of visible ASCII with a slash between them.
fn is_media_type(mime: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_graphic() && b != b'/');
    mime.split_once('/').is_some_and(|(kind, name)| is_word(kind) && is_word(name))
}

fn is_text(mime: &str) -> bool {
    mime.starts_with("text/") || TEXTUAL.contains(&mime)
}

fn by_magic(body: &[u8], declared: &str) -> Option<String> {
    if body.starts_with(b"RIFF") {
        return Some(match body.get(8..12) {
            Some(b"WEBP") => "image/webp".to_owned(),
            Some(b"WAVE") => "audio/wav".to_owned(),
            _ => "video/x-msvideo".to_owned(),
        });
    }
    if body.get(4..8) == Some(b"ftyp") {
        return Some(match body.get(8..12) {
            Some(b"avif" | b"avis") => "image/avif".to_owned(),
            Some(b"heic" | b"mif1") => "image/heic".to_owned(),
            Some(b"M4A ") => "audio/mp4".to_owned(),
            _ => "video/mp4".to_owned(),
        });
    }
    let (_, mime) = MAGIC.iter().find(|(magic, _)| body.starts_with(magic))?;
    // Two letters begin many a text, too.
    if *mime == "image/bmp" && !is_binary(&body[..body.len().min(64)]) {
        return None;
    }
    // Office documents and programs are zip files that know better what they are.
    if *mime == "application/zip" && declared.starts_with("application/") && !is_text(declared) {
        return Some(declared.to_owned());
    }
    Some((*mime).to_owned())
}

/// Control characters that no text has; UTF-16 is told by its zeros in every other place.
fn is_binary(start: &[u8]) -> bool {
    if matches!(start, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'<', 0, ..] | [0, b'<', ..]) {
        return false;
    }
    let odd = start.iter().filter(|b| matches!(b, 0..=8 | 0x0E..=0x1A | 0x1C..=0x1F)).count();
    // Some stray control characters are a slip, in a short text, too; a file of them is none.
    odd > (start.len() / 64).max(SLIPS)
}

/// The start as lower-case ASCII, for looking at: UTF-16 loses its zeros, marks and other letters go.
fn ascii_of(start: &[u8]) -> String {
    start.iter().filter(|b| b.is_ascii() && **b != 0).map(|b| char::from(b.to_ascii_lowercase())).collect()
}

/// The root element's local name, past declaration, comments, instructions and document type; `None` when it
/// does not begin like XML.
fn xml_root(start: &str) -> Option<&str> {
    let mut rest = start;
    loop {
        rest = rest.trim_start().strip_prefix('<')?;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = &comment[comment.find("-->")? + 3..];
        } else if let Some(instruction) = rest.strip_prefix('?') {
            rest = &instruction[instruction.find("?>")? + 2..];
        } else if let Some(doctype) = rest.strip_prefix("!doctype") {
            if doctype.trim_start().starts_with("html") {
                return Some("html");
            }
            rest = &doctype[doctype.find('>')? + 1..];
        } else {
            let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'))?;
            let name = rest[..end].rsplit(':').next().unwrap_or("");
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
            let known = start.starts_with("<?xml")
                || matches!(name, "rss" | "rdf" | "feed" | "urlset" | "sitemapindex" | "html" | "svg");
            return (is_name && known).then_some(name);
        }
    }
}

/// Tags that begin pages which say nothing about themselves.
const OPENING_TAGS: [&str; 22] = [
    "<html",
    "<head",
    "<body",
    "<title",
    "<meta",
    "<script",
    "<style",
    "<link",
    "<table",
    "<div",
    "<h1",
    "<h2",
    "<p>",
    "<p ",
    "<a ",
    "<br",
    "<font",
    "<iframe",
    "<center",
    "<ul",
    "<frameset",
    "<!--",
];

fn looks_like_html(start: &str) -> bool {
    if start.starts_with("<!doctype html") {
        return true;
    }
    OPENING_TAGS.iter().any(|tag| start.starts_with(tag)) && (start.contains("</") || start.contains("<body"))
}

fn looks_like_css(start: &str) -> bool {
    let start = start.trim_start();
    start.starts_with("@charset \"") || start.starts_with("@import ") || start.starts_with("@font-face")
}

fn looks_like_json(start: &str) -> bool {
    let inner = start.strip_prefix('{').map(str::trim_start);
    inner.is_some_and(|i| i.starts_with('"') || i.starts_with('}'))
        || start.starts_with("[{")
        || start.starts_with("[\"")
}

#[cfg(test)]
mod tests {
    use super::{Form, detect};

    fn found(declared: &str, body: &[u8]) -> (String, Form) {
        let detected = detect((!declared.is_empty()).then_some(declared), body);
        (detected.mime, detected.form)
    }

    #[test]
    fn html_is_html_whatever_it_is_called() {
        for declared in ["text/plain", "", "application/octet-stream", "image/png", "text/html; charset=x"] {
            for body in
                ["<!DOCTYPE html><p>x", " \n<HTML><head></head>", "<!-- c --><html>", "\u{FEFF}<html x>"]
            {
                assert_eq!(
                    found(declared, body.as_bytes()),
                    ("text/html".into(), Form::Html),
                    "{declared} {body}"
                );
            }
        }
        assert_eq!(found("text/plain", b"<div>one</div>").1, Form::Html);
        assert_eq!(found("text/html", b"words only").1, Form::Html);
        assert_eq!(found("text/html", b"<!DOCTYPE html>\0<p>x").1, Form::Html);
        assert_eq!(found("application/xhtml+xml", b"<?xml version='1.0'?><html>").0, "application/xhtml+xml");
    }

    #[test]
    fn what_is_no_media_type_counts_as_none() {
        assert_eq!(found("Text/HTML charset=utf-8", b"words only").0, "text/html");
        for declared in ["/", "/ t", "text/", "/html", "text/h\u{e4}ml", "text/html/x", "html"] {
            assert_eq!(found(declared, b"words only").0, "text/plain", "{declared}");
            assert_eq!(found(declared, b"\x01\x02\0\0").0, "application/octet-stream", "{declared}");
        }
    }

    #[test]
    fn binary_files_are_never_parsed() {
        for (body, mime) in [
            (b"\x89PNG\r\n\x1A\n....".as_slice(), "image/png"),
            (b"%PDF-1.4 ...", "application/pdf"),
            (b"GIF89a...", "image/gif"),
            (b"PK\x03\x04...", "application/zip"),
            (b"RIFF....WEBPVP8 ", "image/webp"),
            (b"\x01\x02\x03\x04\x05\x06\0\0\0", "application/octet-stream"),
        ] {
            assert_eq!(found("text/html", body), (mime.into(), Form::Opaque));
        }
        assert_eq!(found("application/epub+zip", b"PK\x03\x04...").0, "application/epub+zip");
        assert_eq!(found("text/html", b"\x1F\x8B\x08\0").1, Form::Gzip);
    }

    #[test]
    fn xml_is_told_by_its_root() {
        for (body, form) in [
            ("<?xml version='1.0'?><!-- x --><rss version='2.0'>", Form::Feed),
            ("<?xml version='1.0'?>\n<feed xmlns='http://www.w3.org/2005/Atom'>", Form::Feed),
            ("<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", Form::Feed),
            ("<?xml version='1.0'?><?xml-stylesheet href='x'?><urlset xmlns='x'>", Form::Sitemap),
            ("<sitemapindex>", Form::Sitemap),
            ("<!DOCTYPE rss PUBLIC 'x' 'y'><rss>", Form::Feed),
            ("<?xml version='1.0'?><other/>", Form::Text),
        ] {
            assert_eq!(found("text/plain", body.as_bytes()).1, form, "{body}");
            assert_eq!(found("application/xml", body.as_bytes()).1, form, "{body}");
        }
        assert_eq!(found("text/html", b"<?xml version='1.0'?><rss>").1, Form::Feed);
    }

    #[test]
    fn the_server_decides_between_texts_that_look_alike() {
        assert_eq!(found("text/css", b"a { }").1, Form::Css);
        assert_eq!(found("text/plain", b"@import url(x);").1, Form::Css);
        assert_eq!(found("application/x-javascript", b"var x = '<html>'").0, "text/javascript");
        assert_eq!(found("text/plain", b"{\"a\": 1}").0, "application/json");
        assert_eq!(found("text/plain", b"BMW and other words"), ("text/plain".into(), Form::Text));
        assert_eq!(found("", b"words"), ("text/plain".into(), Form::Text));
        assert_eq!(found("", b""), ("text/plain".into(), Form::Text));
    }
}
