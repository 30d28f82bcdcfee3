//! The second walk: captures that are meant, read again as pages.

use std::io::{BufRead, BufReader, Read, Seek};

use annalist_model::{CanonicalUrl, Canonicaliser, LinkKind, Page, ResponseHead};
use annalist_read::{Limits, Reader};
use annalist_warc::{Answer, BlockRecord, ReadError, Section};
use anyhow::{Context, Result};

use super::survey::{Chosen, Entry, Kind, Surveyed, plain_mime, target};
use crate::watch::Watch;

const DOCUMENTS: [&str; 2] = ["text/html", "application/xhtml+xml"];

/// Out of a WARC file, or out of a WACZ file.
type Input = BufReader<Section>;

/// A capture that was read again.
#[derive(Debug)]
pub struct Seen {
    pub url: String,
    /// As the record has it.
    pub date: String,
    pub status: Option<u16>,
    pub mime: String,
    pub digest: Option<String>,
    pub page: Option<Page>,
    /// Where it sends whoever asks.
    pub redirect: Option<CanonicalUrl>,
}

impl Seen {
    /// Whether it is something that people look at.
    pub fn is_page(&self) -> bool {
        self.status.is_none_or(|status| status == 200) && DOCUMENTS.contains(&self.mime.as_str())
    }

    /// Everything it mentions: address, kind and words.
    pub fn links(&self) -> impl Iterator<Item = (&str, &'static str, &str)> {
        let found = self.page.iter().flat_map(|page| &page.links);
        let found = found.map(|link| (link.url.as_str(), link.kind.name(), link.anchor.as_str()));
        found.chain(self.redirect.iter().map(|url| (url.as_str(), LinkKind::Redirect.name(), "")))
    }
}

#[derive(Debug)]
pub struct PageReader {
    reader: Reader,
    limits: Limits,
}

impl PageReader {
    pub fn new() -> PageReader {
        let limits = Limits::default();
        PageReader { reader: Reader::with_limits(Canonicaliser::default(), limits), limits }
    }

    /// Hands over every capture of a file that is meant.
    pub fn each(
        &self,
        surveyed: &Surveyed,
        entries: &[Entry],
        watch: &Watch,
        take: &mut dyn FnMut(&Entry, &Seen) -> Result<()>,
    ) -> Result<()> {
        let is_meant = |entry: &Entry| {
            entry.chosen == Chosen::Meant && matches!(entry.kind, Kind::Capture | Kind::Revisit)
        };
        each_record(surveyed, entries, is_meant, &mut |entry, mut record| {
            let seen = self.read(&mut record);
            record.finish()?;
            take(entry, &seen)?;
            watch.advance(entry.length)
        })
    }

    fn read<R: BufRead + Seek>(&self, record: &mut BlockRecord<'_, R>) -> Seen {
        let field = |name: &str| record.fields.get(name).map(str::to_owned);
        let mut seen = Seen {
            url: target(&record.fields).unwrap_or_default().to_owned(),
            date: field("WARC-Date").unwrap_or_default(),
            status: None,
            mime: plain_mime(&field("Content-Type").unwrap_or_default()),
            digest: field("WARC-Payload-Digest"),
            page: None,
            redirect: None,
        };
        let url = CanonicalUrl::parse(&seen.url);
        let kind = record.kind().to_owned();
        if kind == "resource" {
            let mut body = Vec::new();
            let _ = record.take(self.limits.body_bytes as u64).read_to_end(&mut body);
            let fields = vec![("content-type".to_owned(), seen.mime.clone().into_bytes())];
            let head = ResponseHead { status: 200, fields };
            seen.page = url.ok().map(|url| self.reader.read(&url, &head, &body));
            return seen;
        }
        let named = field("WARC-Identified-Payload-Type");
        let Some(answer) = Answer::read(record, named.as_deref()) else { return seen };
        seen.status = answer.status();
        seen.mime = plain_mime(answer.head.field("content-type").unwrap_or_default());
        let head = ResponseHead { status: seen.status.unwrap_or(200), fields: answer.fields() };
        let Ok(url) = url else { return seen };
        if head.is_redirect() {
            let location = head.location();
            seen.redirect = location.and_then(|to| Canonicaliser::default().join(url.as_url(), &to).ok());
        }
        if kind == "response"
            && let Some(body) = answer.body(self.limits.body_bytes as u64)
        {
            seen.page = Some(self.reader.read(&url, &head, &body));
        }
        seen
    }
}

/// Hands over those records of a file that are wanted, in their order.
pub fn each_record(
    surveyed: &Surveyed,
    entries: &[Entry],
    is_wanted: impl Fn(&Entry) -> bool,
    take: &mut dyn FnMut(&Entry, BlockRecord<'_, Input>) -> Result<()>,
) -> Result<()> {
    let own = entries.get(surveyed.entries.clone()).unwrap_or_default();
    let mut wanted = own.iter().filter(|entry| is_wanted(entry)).peekable();
    if wanted.peek().is_none() {
        return Ok(());
    }
    let shown = || surveyed.file.shown();
    let section = surveyed.file.open().with_context(shown)?;
    if surveyed.has_members {
        for entry in wanted {
            let mut reader = section.records_at(entry.offset);
            let record = reader.next_record().with_context(shown)?;
            take(entry, record.context("an archive has changed while it was read")?)?;
        }
        return Ok(());
    }
    let mut reader = section.records_at(0);
    let mut number = 0;
    while let Some(next) = wanted.peek() {
        let read: Result<Option<()>, ReadError> = match reader.next_record() {
            Ok(Some(record)) => {
                number += 1;
                if next.number == number - 1 {
                    take(next, record)?;
                    wanted.next();
                    Ok(Some(()))
                } else {
                    record.finish().map(|_| Some(()))
                }
            }
            Ok(None) => Ok(None),
            Err(fault) => Err(fault),
        };
        match read {
            Ok(Some(())) => {}
            Ok(None) => anyhow::bail!("{} has changed while it was read", shown()),
            // What is broken was left out before, too.
            Err(_) => {
                reader.skip_broken();
            }
        }
    }
    Ok(())
}
