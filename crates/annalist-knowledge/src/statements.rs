//! What the graph says of a document. Everything said of one capture is in the named graph of that capture, so every
//! statement leads back to it; see `docs/vocabulary.md`.

use std::collections::HashSet;

use annalist_model::link::shortened;
use annalist_model::{Hop, LinkKind, Object, Time};
use oxrdf::vocab::xsd;
use oxrdf::{GraphName, Literal, NamedNode, NamedNodeRef, Quad, Term};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::document::{Document, moment};
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

/// An address as a name; none for what no IRI can be.
pub fn url_iri(url: &str) -> Option<NamedNode> {
    NamedNode::new(url).ok()
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

struct Speaker<'a> {
    graph: GraphName,
    say: &'a mut dyn FnMut(Quad),
}

impl Speaker<'_> {
    fn say(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, object: impl Into<Term>) {
        (self.say)(Quad::new(subject.clone(), word.into_owned(), object, self.graph.clone()));
    }

    fn text(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, text: Option<&str>) {
        if let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) {
            self.say(subject, word, Literal::new_simple_literal(text));
        }
    }

    fn url(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, url: Option<&str>) {
        if let Some(url) = url.and_then(url_iri) {
            self.say(subject, word, url);
        }
    }

    fn number(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, number: u64) {
        self.say(subject, word, Literal::new_typed_literal(number.to_string(), xsd::INTEGER));
    }

    fn date(&mut self, subject: &NamedNode, word: NamedNodeRef<'_>, date: Option<&str>) {
        if let Some(time) = date.and_then(moment) {
            self.say(subject, word, date_time(time));
        }
    }

    fn capture(&mut self, capture: &NamedNode, page: &NamedNode, document: &Document) {
        self.say(capture, v::TYPE, v::CAPTURE.into_owned());
        self.say(capture, v::SPECIALIZATION, page.clone());
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

    use super::statements;
    use crate::document::{Document, Original};

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
    fn of_a_revisit_only_the_capture_is_told() {
        let mut again = document();
        again.original = Some(Original { url: "http://a.test/".into(), captured: None });
        assert!(told(&again).iter().all(|quad| quad.starts_with("<urn:uuid:1> ")));
    }
}
