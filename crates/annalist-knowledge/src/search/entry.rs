//! What is kept of a page or object: one document of the index, made of a capture and readable from the index again.

use annalist_model::url::site_of;
use annalist_model::{Object, Time};
use annalist_read::language::language;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tantivy::TantivyDocument;
use tantivy::schema::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::fields::{Fields, number_of};
use super::simhash::simhash;
use crate::document::{Document, millis_of};
use crate::statements::object_iri;

/// Names are counted; what is longer is no name.
const LONGEST_LABEL: usize = 200;

/// A page, or what somebody wrote on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The same for all captures of a page or object: [`key_of`].
    pub key: String,
    /// The capture, `urn:uuid:…`, and where it is kept.
    pub record: String,
    pub file: String,
    pub offset: u64,
    /// Of its page.
    pub url: String,
    /// Its own, where that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_url: Option<String>,
    /// `page`, `post`, `comment`, `article`, or what a catalogue calls it.
    #[serde(rename = "type")]
    pub kind: String,
    pub title: Option<String>,
    pub author: Option<String>,
    pub application: Option<String>,
    pub language: Option<String>,
    pub mime: String,
    /// As exact as it is known, RFC 3339.
    pub published: Option<String>,
    /// Its first moment, milliseconds since 1970.
    pub published_at: Option<i64>,
    /// Milliseconds since 1970.
    pub captured_at: i64,
    pub relevance: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whether it is what its page is there for: then they stand for one another.
    #[serde(skip_serializing_if = "is_false")]
    pub is_matter: bool,
    /// Of the payload, or for an object of its text: equal for equal content.
    pub digest: u64,
    pub simhash: u64,
    #[serde(flatten)]
    pub annotations: Annotations,
    #[serde(skip)]
    pub text: String,
}

/// What a study found out about a writing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Annotations {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// From -1 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentiment: Option<f32>,
}

/// The name of a page, or of an object on it, in the graph too.
pub fn key_of(page: &str, object: Option<&Object>) -> String {
    object.map_or_else(|| page.to_owned(), |object| object_iri(&object.id).into_string())
}

impl Entry {
    /// The page first, then its objects.
    pub fn all_of(document: &Document) -> Vec<Entry> {
        if !document.is_page() {
            return Vec::new();
        }
        let page = Entry::page(document);
        let objects: Vec<_> = document.objects.iter().map(|object| page.object(object, document)).collect();
        let digest = document
            .digest
            .as_ref()
            .map_or_else(|| xxh3_64(document.text.as_bytes()), |d| xxh3_64(d.as_bytes()));
        let page = Entry {
            text: document.text.clone(),
            simhash: simhash(&matter(document)),
            digest,
            title: document.title.clone(),
            ..page
        };
        std::iter::once(page).chain(objects).collect()
    }

    /// What its objects have in common with it.
    fn page(document: &Document) -> Entry {
        let url = document.url.as_str().to_owned();
        Entry {
            key: key_of(&url, None),
            record: document.record.clone(),
            file: document.file.clone(),
            offset: document.offset,
            url,
            kind: "page".to_owned(),
            application: document.application.clone(),
            language: document.language.clone(),
            mime: document.mime.clone(),
            published: document.published.as_ref().map(|dated| dated.text.clone()),
            published_at: document.published.as_ref().map(|dated| dated.millis),
            captured_at: signed(document.captured),
            relevance: document.relevance,
            ..Entry::default()
        }
    }

    fn object(&self, object: &Object, document: &Document) -> Entry {
        let at = object.date.as_deref().and_then(millis_of);
        let is_at_page = |object: &Object| object.url.as_ref() == Some(&self.url);
        let alone = document.objects.iter().filter(|object| is_at_page(object)).count() == 1;
        Entry {
            key: key_of(&self.url, Some(object)),
            own_url: object.url.clone().filter(|own| *own != self.url),
            kind: object.kind.to_lowercase(),
            title: object.title.clone().or_else(|| object.thread_title.clone()),
            author: object.author.clone(),
            language: language(&object.body, self.language.as_deref()),
            published: object.date.clone().filter(|_| at.is_some()),
            published_at: at,
            thread: object.thread.clone(),
            parent: object.parent.clone(),
            is_matter: alone && is_at_page(object),
            digest: xxh3_64(object.body.as_bytes()),
            simhash: simhash(&object.body),
            text: object.body.clone(),
            ..self.clone()
        }
    }

    /// When it was published, by the clock that its date is written in, as if that were the one in Greenwich.
    fn published_there(&self) -> Option<i64> {
        let at = self.published_at?;
        let there = self.published.as_deref().and_then(by_its_clock);
        Some(there.unwrap_or(at))
    }

    /// Published, else captured; milliseconds since 1970.
    pub fn time(&self) -> i64 {
        self.published_at.unwrap_or(self.captured_at)
    }

    pub fn site(&self) -> &str {
        site_of(self.host_name())
    }

    pub fn host_name(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        match authority.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => authority,
        }
    }

    /// As the index takes it.
    pub(super) fn into_document(mut self, fields: &Fields) -> Result<TantivyDocument, serde_json::Error> {
        let text = std::mem::take(&mut self.text);
        let kept = serde_json::to_vec(&self)?;
        let mut document = TantivyDocument::with_capacity(text.len() + 3 * kept.len());
        document.add_bytes(fields.entry, &kept);
        document.add_u64(fields.record_id, number_of(&self.record));
        document.add_text(fields.text, &text);
        let title = self.title.as_deref().unwrap_or_default();
        if !title.is_empty() {
            document.add_text(fields.title, title);
        }
        document.add_text(fields.url, self.own_url.as_deref().unwrap_or(&self.url));
        let labels = [
            (fields.site, Some(self.site())),
            (fields.host, Some(self.host_name())),
            (fields.language, self.language.as_deref()),
            (fields.kind, Some(self.kind.as_str())),
            (fields.application, self.application.as_deref()),
            (fields.mime, Some(self.mime.as_str())),
            (fields.author, self.author.as_deref().map(str::trim)),
        ];
        for (field, label) in labels {
            if let Some(label) = label.filter(|label| !label.is_empty()) {
                document.add_text(field, shortened(label));
            }
        }
        let found = &self.annotations;
        let lists =
            [(fields.topic, &found.topics), (fields.entity, &found.entities), (fields.event, &found.events)];
        for (field, labels) in lists {
            labels.iter().for_each(|label| document.add_text(field, shortened(label)));
        }
        if let Some(published) = self.published_there() {
            document.add_i64(fields.published, published);
            document.add_u64(fields.published_month, month_of(published));
        }
        document.add_i64(fields.captured, self.captured_at);
        document.add_i64(fields.time, self.time());
        if let Some(relevance) = self.relevance {
            document.add_f64(fields.relevance, f64::from(relevance));
        }
        if let Some(sentiment) = found.sentiment {
            document.add_f64(fields.sentiment, f64::from(sentiment));
        }
        document.add_u64(fields.simhash, self.simhash);
        document.add_u64(fields.digest, self.digest);
        document.add_u64(fields.key_id, number_of(&self.key));
        let stands_for = if self.is_matter { &self.url } else { &self.key };
        document.add_u64(fields.stands_for, number_of(stands_for));
        document.add_u64(fields.id, number_of(&format!("{} {} {}", self.record, self.kind, self.key)));
        Ok(document)
    }

    /// From the index.
    pub(super) fn from_document(document: &TantivyDocument, fields: &Fields) -> Option<Entry> {
        let kept = document.get_first(fields.entry)?.as_bytes()?;
        let mut entry: Entry = serde_json::from_slice(kept).ok()?;
        entry.text = document.get_first(fields.text)?.as_str()?.to_owned();
        Some(entry)
    }
}

/// What tells a page from others: all of it where none of it is the matter.
fn matter(document: &Document) -> String {
    let main = document.main_text();
    if main.trim().is_empty() { document.text.clone() } else { main }
}

fn shortened(label: &str) -> &str {
    let mut end = label.len().min(LONGEST_LABEL);
    while !label.is_char_boundary(end) {
        end -= 1;
    }
    label.get(..end).unwrap_or(label)
}

fn is_false(value: &bool) -> bool {
    !value
}

fn signed(time: Time) -> i64 {
    i64::try_from(time.millis()).unwrap_or(i64::MAX)
}

/// The first day of `2011`, `2011-03` or `2011-03-05`.
pub(super) fn day(written: &str) -> Option<Date> {
    let mut numbers = written.split('-');
    let year = numbers.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let is_whole = |number: &&str| number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    let mut next = || numbers.next().map_or(Some(1), |number| Some(number).filter(is_whole)?.parse().ok());
    let (month, day) = (next()?, next()?);
    Date::new(year, month, day).ok().filter(|_| numbers.next().is_none())
}

pub(super) fn start_of(day: Date) -> i64 {
    jiff::tz::Offset::UTC.to_timestamp(day.at(0, 0, 0, 0)).map_or(0, |moment| moment.as_millisecond())
}

/// `2010-03-05T00:30:00+03:00` is half past twelve of that day; `None` where no zone is written, or Greenwich's.
fn by_its_clock(written: &str) -> Option<i64> {
    let time: jiff::civil::DateTime = written.get(11..).and(written.parse().ok())?;
    jiff::tz::Offset::UTC.to_timestamp(time).ok().map(|moment| moment.as_millisecond())
}

/// Months since the year 0, in Greenwich.
pub(super) fn month_of(millis: i64) -> u64 {
    let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    let day = jiff::tz::Offset::UTC.to_datetime(moment).date();
    u64::try_from(i64::from(day.year()) * 12 + i64::from(day.month()) - 1).unwrap_or_default()
}

/// `2011-03`
pub(super) fn month_name(month: u64) -> String {
    format!("{:04}-{:02}", month / 12, month % 12 + 1)
}
