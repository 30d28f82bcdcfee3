//! What the graph says of a document. Everything said of one capture is in the named graph of that capture, so every
//! statement leads back to it; see `docs/vocabulary.md`.

use std::collections::HashSet;

use annalist_model::link::shortened;
use annalist_model::{Hop, LinkKind, Object, Time};
use oxrdf::vocab::xsd;
use oxrdf::{GraphName, Literal, NamedNode, NamedNodeRef, Quad};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::document::{Document, millis_of};
use crate::speaker::Speaker;
use crate::vocabulary as v;

/// Anchors longer than this are paragraphs.
const LONGEST_ANCHOR: usize = 500;
/// What stays as it is in the name of a person or object.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':').remove(b'@');

/// The name of an object, the same wherever it is seen.
pub fn object_iri(id: &str) -> NamedNode {
    named("urn:annalist:object:", id)
}

/// The name of somebody who writes on a site.
pub fn person_iri(site: &str, name: &str) -> NamedNode {
    named("urn:annalist:person:", &format!("{site}:{}", name.trim()))
}

fn named(start: &str, rest: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{start}{}", utf8_percent_encode(rest, PLAIN)))
}

/// An address as a name. Browsers leave characters in addresses that no IRI has: they are escaped here.
pub fn url_iri(url: &str) -> Option<NamedNode> {
    NamedNode::new(url).or_else(|_| NamedNode::new(escaped(url))).ok()
}

fn escaped(url: &str) -> String {
    // Brackets around the address of a server are as they should be.
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    let path = url.get(host..).and_then(|rest| rest.find(['/', '?', '#'])).map_or(url.len(), |at| host + at);
    let (start, rest) = url.split_at_checked(path).unwrap_or((url, ""));
    let mut iri = start.to_owned();
    for (at, c) in rest.char_indices() {
        let is_escape = || {
            let digits = rest.as_bytes().get(at + 1..at + 3);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        let fits = match c {
            '%' => is_escape(),
            '<' | '>' | '"' | '{' | '}' | '|' | '\\' | '^' | '`' | '[' | ']' | ' ' => false,
            _ => !c.is_control() && (c.is_ascii() || NamedNode::new(format!("a:{c}")).is_ok()),
        };
        if fits {
            iri.push(c);
        } else {
            iri.extend(utf8_percent_encode(c.encode_utf8(&mut [0; 4]), NON_ALPHANUMERIC));
        }
    }
    // Only the first one begins a fragment.
    match iri.find('#') {
        Some(first) => format!("{}#{}", &iri[..first], iri[first + 1..].replace('#', "%23")),
        None => iri,
    }
}

/// Words as they may stand in a graph: without characters that are for machines and that no XML can hold.
pub fn plain(text: &str) -> String {
    let is_odd = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.chars().filter(|c| !is_odd(*c)).collect()
}

/// A date as it was told, by the clock of who told it: its year, month and day are those that stand on the page. Also of days
/// before 1970.
fn date_literal(text: &str) -> Option<Literal> {
    let millis = millis_of(text)?;
    let moment = jiff::Timestamp::from_millisecond(millis).ok()?;
    let told = offset_of(text).map(|offset| (offset.to_datetime(moment), offset.seconds() / 60));
    let written = match told {
        Some((there, minutes)) if minutes != 0 => {
            let sign = if minutes < 0 { '-' } else { '+' };
            let minutes = minutes.abs();
            format!("{there:.3}{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
        _ => format!("{moment:.3}"),
    };
    Some(Literal::new_typed_literal(written, xsd::DATE_TIME))
}

/// How far a clock is from the one in Greenwich, in whole minutes, as far as XML Schema knows such clocks.
fn offset_of(text: &str) -> Option<jiff::tz::Offset> {
    const FURTHEST: i32 = 14 * 3600;
    let offset = jiff::fmt::temporal::Pieces::parse(text).ok()?.to_numeric_offset()?;
    (offset.seconds() % 60 == 0 && offset.seconds().abs() <= FURTHEST).then_some(offset)
}

pub fn date_time(time: Time) -> Literal {
    Literal::new_typed_literal(time.rfc3339(), xsd::DATE_TIME)
}

/// Hands over every statement about a document.
pub fn statements(document: &Document, say: &mut dyn FnMut(Quad)) {
    let Some(capture) = url_iri(&document.record) else { return };
    let Some(page) = url_iri(document.url.as_str()) else { return };
    let mut speaker = Speaker { graph: GraphName::NamedNode(capture.clone()), say };
    speaker.capture(&capture, &page, document);
    if document.original.is_none() {
        speaker.page(&page, document);
        speaker.links(&page, document);
        for object in &document.objects {
            speaker.object(&page, object, document);
        }
    }
}

impl Speaker<'_> {
    fn url(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, url: Option<&str>) {
        if let Some(url) = url.and_then(url_iri) {
            self.say(subject, word, url);
        }
    }

    fn date(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, date: Option<&str>) {
        if let Some(date) = date.and_then(date_literal) {
            self.say(subject, word, date);
        }
    }

    fn capture(&mut self, capture: &NamedNode, page: &NamedNode, document: &Document) {
        self.say(capture, v::TYPE, v::CAPTURE.into_owned());
        self.say(capture, v::SPECIALIZATION, page.clone());
        if page.as_str() != document.url.as_str() {
            self.text(capture, v::ADDRESS, Some(document.url.as_str()));
        }
        self.say(capture, v::GENERATED, date_time(document.captured));
        self.text(capture, v::FILE, Some(&document.file));
        self.number(capture, v::OFFSET, document.offset);
        self.number(capture, v::STATUS, u64::from(document.status));
        self.text(capture, v::DIGEST, document.digest.as_deref());
        self.text(capture, v::HOPS, Some(&document.hops));
        self.url(capture, v::VIA, document.via.as_deref());
        if let Some(original) = &document.original {
            self.url(capture, v::ALTERNATE, Some(&original.url));
            return;
        }
        self.text(capture, v::FORMAT, Some(&document.mime));
        self.number(capture, v::SIZE, document.length);
        if let Some(relevance) = document.relevance {
            self.say(capture, v::RELEVANCE, decimal(relevance));
        }
    }

    fn page(&mut self, page: &NamedNode, document: &Document) {
        if !(200..300).contains(&document.status) {
            return;
        }
        let class = match document.mime.split('/').next() {
            Some("image") => v::IMAGE,
            Some("audio" | "video") => v::MEDIA,
            _ if document.is_page() => v::WEB_PAGE,
            _ => v::MEDIA,
        };
        self.say(page, v::TYPE, class.into_owned());
        self.text(page, v::SITE, Some(document.url.site()));
        self.text(page, v::NAME, document.title.as_deref());
        self.text(page, v::LANGUAGE, document.language.as_deref());
        self.date(page, v::PUBLISHED, document.published.as_ref().map(|dated| dated.text.as_str()));
        self.text(page, v::APPLICATION, document.application.as_deref());
        self.text(page, v::LEVEL, document.level.as_deref());
        self.url(page, v::CANONICAL, document.canonical.as_ref().map(|url| url.as_str()));
    }

    fn links(&mut self, page: &NamedNode, document: &Document) {
        let mut told: HashSet<(&str, Hop)> = HashSet::new();
        for link in &document.links {
            let Some(target) = url_iri(link.url.as_str()) else { continue };
            let word = match (link.kind, link.kind.hop()) {
                (LinkKind::Redirect, _) => v::REDIRECTS,
                (_, Hop::Embed) => v::EMBEDS,
                _ => v::REFERENCES,
            };
            if told.insert((link.url.as_str(), link.kind.hop())) {
                self.say(page, word, target.clone());
            }
            let anchor = shortened(link.anchor.trim(), LONGEST_ANCHOR);
            if word == v::REFERENCES && !anchor.is_empty() {
                self.text(&target, v::ANCHOR, Some(anchor));
            }
        }
    }

    fn object(&mut self, page: &NamedNode, object: &Object, document: &Document) {
        let name = object_iri(&object.id);
        let class = match object.kind.as_str() {
            "comment" => v::COMMENT,
            "article" | "page" => v::ARTICLE,
            _ => v::POST,
        };
        self.say(&name, v::TYPE, class.into_owned());
        self.say(&name, v::PART_OF, page.clone());
        self.url(&name, v::URL, object.url.as_deref());
        self.text(&name, v::HEADLINE, object.title.as_deref());
        self.text(&name, v::CONTENT, Some(&object.body));
        self.date(&name, v::PUBLISHED, object.date.as_deref());
        self.date(&name, v::MODIFIED, object.modified.as_deref());
        self.text(&name, v::RATING, object.rating.as_deref());
        self.url(&name, v::CONTAINER, object.thread.as_deref());
        if let Some(author) = object.author.as_deref().filter(|author| !author.trim().is_empty()) {
            let person = person_iri(document.url.site(), author);
            self.say(&person, v::TYPE, v::PERSON.into_owned());
            self.text(&person, v::FOAF_NAME, Some(author));
            self.text(&person, v::SITE, Some(document.url.site()));
            self.url(&person, v::FOAF_PAGE, object.author_url.as_deref());
            self.say(&name, v::AUTHOR, person);
        }
        if let Some(parent) = &object.parent
            && let Some(parent) = parent_iri(parent, document)
        {
            self.say(&name, v::REPLY_OF, parent);
        }
        object.tags.iter().for_each(|tag| self.text(&name, v::KEYWORDS, Some(tag)));
        object.quotes.iter().for_each(|quote| self.text(&name, v::QUOTES, Some(quote)));
        object.attachments.iter().for_each(|url| self.url(&name, v::MEDIA_OF, Some(url)));
    }
}

/// What an object answers is told by its id, or by its address, which an object of the same page may have.
pub fn parent_iri(parent: &str, document: &Document) -> Option<NamedNode> {
    if !parent.contains("://") {
        return Some(object_iri(parent));
    }
    let known = document.objects.iter().find(|object| object.url.as_deref() == Some(parent));
    known.map(|object| object_iri(&object.id)).or_else(|| url_iri(parent))
}

/// A score with the digits it was kept with.
pub fn decimal(score: f32) -> Literal {
    Literal::new_typed_literal(format!("{score:.4}"), xsd::DECIMAL)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use annalist_model::{CanonicalUrl, FoundLink, LinkKind, Object, Time};

    use super::{date_literal, statements};
    use crate::document::{Dated, Document, Original};

    #[test]
    fn a_date_has_the_day_that_stands_on_the_page() {
        let told = |text: &str| date_literal(text).map(|literal| literal.value().to_owned());
        let cases = [
            ("2011-03-01T00:30:00+05:00", "2011-03-01T00:30:00.000+05:00"),
            ("2010-12-31T23:30:00-08:30", "2010-12-31T23:30:00.000-08:30"),
            ("2011-03-01T00:30:00Z", "2011-03-01T00:30:00.000Z"),
            ("2011-03-01T00:30:00+00:00", "2011-03-01T00:30:00.000Z"),
            ("1911-03", "1911-03-01T00:00:00.000Z"),
            // No clock of XML Schema.
            ("2011-03-01T00:30:00+15:00", "2011-02-28T09:30:00.000Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(told(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(told("soon"), None);
    }

    fn document() -> Document {
        Document {
            record: "urn:uuid:1".to_owned(),
            file: "a.warc.gz".to_owned(),
            offset: 77,
            url: CanonicalUrl::parse("http://blog.example.org/post").unwrap(),
            captured: Time::from_millis(1_300_000_000_000),
            status: 200,
            mime: "text/html".to_owned(),
            length: 10,
            digest: None,
            original: None,
            via: None,
            hops: "L".to_owned(),
            relevance: Some(0.5),
            published: None,
            language: Some("en".to_owned()),
            title: Some("A post".to_owned()),
            text: "words".to_owned(),
            parts: Vec::new(),
            links: Vec::new(),
            canonical: None,
            application: Some("wordpress".to_owned()),
            level: None,
            objects: Vec::new(),
        }
    }

    fn told(document: &Document) -> BTreeSet<String> {
        let mut told = BTreeSet::new();
        statements(document, &mut |quad| {
            told.insert(quad.to_string());
        });
        told
    }

    #[test]
    fn everything_stands_in_the_graph_of_the_capture() {
        let told = told(&document());
        assert!(told.iter().all(|quad| quad.ends_with(" <urn:uuid:1>")), "{told:?}");
        let title = "<http://blog.example.org/post> <https://schema.org/name> \"A post\" <urn:uuid:1>";
        assert!(told.contains(title), "{told:?}");
        assert!(told.iter().any(|quad| quad.starts_with("<urn:uuid:1> <urn:annalist:relevance> \"0.5000\"")));
    }

    #[test]
    fn a_comment_answers_the_post_of_its_page_by_whichever_name() {
        let mut page = document();
        let url = Some(page.url.as_str().to_owned());
        let post = Object {
            kind: "post".into(),
            id: "wp:blog:post:1".into(),
            url: url.clone(),
            ..Object::default()
        };
        let comment = |id: &str, parent: Option<String>| Object {
            kind: "comment".into(),
            id: id.into(),
            author: Some("Ida Ä".into()),
            parent,
            ..Object::default()
        };
        page.objects = vec![post, comment("c:1", url), comment("c:2", Some("c:1".into()))];
        let told = told(&page);
        let answers = |from: &str, to: &str| {
            told.contains(&format!(
                "<urn:annalist:object:{from}> <http://rdfs.org/sioc/ns#reply_of> <urn:annalist:object:{to}> <urn:uuid:1>"
            ))
        };
        assert!(answers("c:1", "wp:blog:post:1") && answers("c:2", "c:1"), "{told:?}");
        assert!(told.iter().any(|quad| quad.contains("<urn:annalist:person:example.org:Ida%20%C3%84>")));
    }

    #[test]
    fn a_link_is_told_once_and_each_of_its_words() {
        let mut page = document();
        let link = |anchor: &str| FoundLink {
            url: CanonicalUrl::parse("http://b.test/").unwrap(),
            kind: LinkKind::Anchor,
            anchor: anchor.to_owned(),
            context: String::new(),
            at: 0..0,
            nofollow: false,
        };
        page.links = vec![link("one"), link("two"), link("two")];
        let told = told(&page);
        let count = |word: &str| told.iter().filter(|quad| quad.contains(word)).count();
        assert_eq!((count("terms/references"), count("annalist:anchor")), (1, 2), "{told:?}");
    }

    #[test]
    fn whatever_browsers_leave_in_addresses_has_a_name() {
        let iri = |url: &str| super::url_iri(url).map(|iri| iri.into_string());
        assert_eq!(iri("http://a.test/?f[a]=1&x=a|b").as_deref(), Some("http://a.test/?f%5Ba%5D=1&x=a%7Cb"));
        assert_eq!(iri("http://a.test/100%?q=%41%").as_deref(), Some("http://a.test/100%25?q=%41%25"));
        assert_eq!(iri("http://[::1]/{a}^`").as_deref(), Some("http://[::1]/%7Ba%7D%5E%60"));
        assert_eq!(iri("http://a.test/ä#b#c").as_deref(), Some("http://a.test/ä#b%23c"));
        let mut page = document();
        page.url = CanonicalUrl::parse("http://a.test/?f[a]=100%").unwrap();
        let told = told(&page);
        assert!(
            told.iter().any(|quad| quad.contains("<urn:annalist:address> \"http://a.test/?f[a]=100%\"")),
            "{told:?}"
        );
    }

    #[test]
    fn dates_before_1970_and_control_characters_are_told_as_they_should_be() {
        let mut page = document();
        page.title = Some("A\u{1b}[31m red\u{0} title".into());
        page.published = Some(Dated { text: "1911-03-05T00:00:00Z".into(), millis: -1, confidence: 1.0 });
        let told = told(&page);
        assert!(told.iter().any(|quad| quad.contains("\"1911-03-05T00:00:00.000Z\"")), "{told:?}");
        assert!(told.iter().any(|quad| quad.contains("\"A[31m red title\"")), "{told:?}");
    }

    #[test]
    fn of_a_revisit_only_the_capture_is_told() {
        let mut again = document();
        again.original = Some(Original { url: "http://a.test/".into(), captured: None });
        assert!(told(&again).iter().all(|quad| quad.starts_with("<urn:uuid:1> ")));
    }
}
