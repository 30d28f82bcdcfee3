//! A capture out of the archive becomes a document: read again by the reader that read it when it was crawled.

use std::io::{BufRead, Read};
use std::path::Path;

use annalist_model::{CanonicalUrl, Canonicaliser, FoundLink, LinkKind, Object, Page, ResponseHead, Time};
use annalist_read::{Limits, Reader};
use annalist_warc::{Answer, Fields, RecordId, millis_of_warc_date};
use serde::Deserialize;

use super::pairing::{Raw, is_web, target, unbracketed};
use crate::document::{Dated, Document, Original, millis_of};

/// What `urn:objects:` records say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Seen {
    application: Option<String>,
    level: Option<String>,
    objects: Vec<Object>,
}

/// What a revisit says of the capture whose payload it repeats.
pub(super) fn original(fields: &Fields) -> Original {
    Original {
        url: fields.get("WARC-Refers-To-Target-URI").map(unbracketed).unwrap_or_default().to_owned(),
        captured: fields.get("WARC-Refers-To-Date").and_then(millis_of_warc_date).map(Time::from_millis),
    }
}

#[derive(Clone, Debug)]
pub(super) struct DocumentReader {
    reader: Reader,
    canonical: Canonicaliser,
    limits: Limits,
}

/// The name of a capture, `urn:uuid:…`. Records of ARC files have none, and some of others; a copy of one has the same. `at` is
/// its offset, and how many records come before it there.
pub(super) fn record_name(fields: &Fields, path: &Path, at: (u64, u64)) -> String {
    let made = || {
        let file = super::plain_name(path);
        let place = if at.1 == 0 { format!("{file} {}", at.0) } else { format!("{file} {} {}", at.0, at.1) };
        RecordId::of_place(&place).to_string()
    };
    let name = fields.get("WARC-Record-ID").map_or_else(made, str::to_owned);
    unbracketed(&name).to_owned()
}

impl DocumentReader {
    pub fn new(canonical: Canonicaliser) -> DocumentReader {
        // Who crawls judges a page by its beginning; who searches wants to find its end.
        let limits = Limits::default();
        let limits = Limits { text_bytes: limits.body_bytes, ..limits };
        DocumentReader { reader: Reader::with_limits(canonical.clone(), limits), canonical, limits }
    }

    /// `None` for what is no capture of a web address, or cannot be read from the disk any more; why, for one of a web address
    /// that nothing can be told of.
    pub fn read(&self, raw: Raw) -> Result<Option<Document>, &'static str> {
        let target = target(&raw.fields).unwrap_or_default();
        if !is_web(target) {
            return Ok(None);
        }
        let url = CanonicalUrl::parse(target).map_err(|_| "their addresses are none that can be read")?;
        let captured = raw.field("WARC-Date").and_then(millis_of_warc_date);
        let captured = Time::from_millis(captured.ok_or("their dates are none")?);
        Ok(self.document(raw, url, captured))
    }

    fn document(&self, raw: Raw, url: CanonicalUrl, captured: Time) -> Option<Document> {
        let record = record_name(&raw.fields, &raw.path, (raw.at.1, raw.at.2));
        let is_revisit = raw.field("WARC-Type") == Some("revisit");
        let original = is_revisit.then(|| original(&raw.fields));
        let mut document = Document {
            record,
            file: super::plain_name(&raw.path),
            offset: raw.at.1,
            url,
            captured,
            status: 0,
            mime: String::new(),
            length: 0,
            digest: raw.field("WARC-Payload-Digest").map(str::to_owned),
            original,
            via: None,
            hops: String::new(),
            relevance: None,
            published: None,
            language: None,
            title: None,
            text: String::new(),
            parts: Vec::new(),
            links: Vec::new(),
            canonical: None,
            application: None,
            level: None,
            objects: Vec::new(),
        };
        for (name, value) in &raw.metadata {
            match name.as_str() {
                "via" => document.via = Some(value.clone()),
                "hopsFromSeed" => document.hops.clone_from(value),
                "relevance" => {
                    // Anybody may have written it.
                    document.relevance = value.parse().ok().filter(|told| (0.0..=1.0).contains(told));
                }
                "published" => {
                    let dated = |millis| Dated { text: value.clone(), millis, confidence: 1.0 };
                    document.published = millis_of(value).map(dated);
                }
                "publishedBy" => {
                    let told = value.rsplit_once("confidence ").and_then(|(_, number)| number.parse().ok());
                    if let (Some(published), Some(confidence)) = (&mut document.published, told) {
                        published.confidence = confidence;
                    }
                }
                _ => {}
            }
        }
        if let Some(seen) = raw.objects.as_deref().and_then(|json| serde_json::from_slice::<Seen>(json).ok())
        {
            document.application = seen.application;
            document.level = seen.level;
            document.objects = seen.objects;
        }
        let bare = (raw.field("WARC-Type") == Some("resource"))
            .then(|| raw.field("Content-Type").unwrap_or("application/octet-stream").to_owned());
        match &raw.block {
            Some(block) => self.take(block.as_slice(), bare, &mut document),
            None => {
                let mut reader = annalist_warc::Reader::open_at(&raw.path, raw.at.1).ok()?;
                for _ in 0..raw.at.2 {
                    reader.next_record().ok()??;
                }
                self.take(reader.next_record().ok()??, bare, &mut document);
            }
        }
        Some(document)
    }

    /// What was captured; `bare` is the type of what was kept without its head: it was there, and of that type.
    fn take(&self, block: impl BufRead, bare: Option<String>, document: &mut Document) {
        let Some(mime) = bare else { return self.answer(block, document) };
        document.status = 200;
        let fields = vec![("Content-Type".to_owned(), mime.into_bytes())];
        let mut body = Vec::new();
        // What breaks off is read as far as it goes.
        let _ = block.take(self.limits.body_bytes as u64).read_to_end(&mut body);
        self.page(&ResponseHead { status: 200, fields }, &body, document);
    }

    /// Head and body of the answer.
    fn answer(&self, block: impl BufRead, document: &mut Document) {
        let Some(answer) = Answer::read(block, None) else { return };
        document.status = answer.status().unwrap_or_default();
        let head = ResponseHead { status: document.status, fields: answer.fields() };
        if let Some(target) = head.location().filter(|_| head.is_redirect())
            && let Ok(target) = self.canonical.join(document.url.as_url(), &target)
        {
            document.links.push(FoundLink {
                url: target,
                kind: LinkKind::Redirect,
                anchor: String::new(),
                context: String::new(),
                at: 0..0,
                nofollow: false,
            });
        }
        if document.original.is_some() {
            return;
        }
        let body = answer.body(self.limits.body_bytes as u64).unwrap_or_default();
        self.page(&head, &body, document);
    }

    fn page(&self, head: &ResponseHead, body: &[u8], document: &mut Document) {
        document.length = body.len() as u64;
        let Page { mime, language, title, text, parts, links, canonical, .. } =
            self.reader.read(&document.url, head, body);
        document.mime = mime;
        if (200..300).contains(&document.status) {
            document.language = language;
            document.title = title;
            document.text = text;
            document.parts = parts;
            document.links.extend(links);
            document.canonical = canonical;
        }
    }
}
