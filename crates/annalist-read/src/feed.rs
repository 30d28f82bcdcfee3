//! RSS (0.9x, 1.0, 2.0) and Atom: entries with their links and the HTML inside them, which is read like any
//! other page by whoever asks. What stands before a fault is kept.

use annalist_model::LinkKind;

use crate::xml::{Piece, Pieces, Tag};

/// Feeds of more entries are dumps of a whole site.
const MOST_ENTRIES: usize = 10_000;
const MOST_LINKS_PER_ENTRY: usize = 1_000;

/// A feed as written; addresses are not resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    pub title: Option<String>,
    pub language: Option<String>,
    /// `xml:base` of the root.
    pub base: Option<String>,
    /// Links of the feed itself: its site, its image, its next page.
    pub links: Vec<FeedLink>,
    pub entries: Vec<Entry>,
    /// Why it was not read to its end.
    pub fault: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub title: Option<String>,
    pub links: Vec<FeedLink>,
    /// The entry's text as HTML: summary, description, content.
    pub html: Vec<String>,
    /// When it was published, as it is written; when it was changed, where only that is said.
    pub date: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedLink {
    pub raw: String,
    pub kind: LinkKind,
}

/// Reads a feed of any kind.
pub fn read(xml: &str) -> Feed {
    let mut reading = Reading::default();
    let mut pieces = Pieces::new(xml);
    while let Some(piece) = pieces.next() {
        let depth = pieces.depth();
        match piece {
            Piece::Start(tag) => reading.start(&tag, depth),
            Piece::Text(text) => reading.text(&text),
            Piece::Character(c) => reading.text(c.encode_utf8(&mut [0; 4])),
            Piece::End => reading.end(depth),
        }
        if reading.feed.entries.len() >= MOST_ENTRIES {
            reading.feed.fault = Some(format!("more than {MOST_ENTRIES} entries in a feed"));
            return reading.feed;
        }
    }
    reading.feed.fault = pieces.into_fault();
    // The entry that a fault interrupted.
    reading.close_entry();
    reading.feed
}

#[derive(Default)]
struct Reading {
    feed: Feed,
    entry: Option<(Entry, usize)>,
    /// The element whose text is being gathered, its depth and the text.
    open: Option<(Field, usize, String)>,
    /// Inside `<image>` of RSS, whose title and link repeat the feed's.
    image_depth: Option<usize>,
}

/// Elements whose text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Title,
    /// And whether it is the day of a change.
    Date {
        changed: bool,
    },
    Language,
    Link(LinkKind),
    /// A name that is an address unless it says otherwise.
    Guid,
    Html,
    /// Atom's `xhtml`: the elements inside are the text.
    Xhtml,
}

impl Reading {
    fn start(&mut self, tag: &Tag<'_>, depth: usize) {
        if let Some((field, _, _)) = &self.open {
            if *field == Field::Xhtml {
                self.nested(tag);
            }
            return;
        }
        let name = tag.name();
        // `atom:link` in RSS and `link` in Atom are one; so are `content:encoded` and what it stands for.
        let local = name.rsplit(':').next().unwrap_or(name);
        match local {
            "rss" | "RDF" | "feed" => {
                self.feed.base = tag.attribute("xml:base").or(self.feed.base.take());
                self.feed.language = tag.attribute("xml:lang").or(self.feed.language.take());
            }
            "item" | "entry" => {
                self.close_entry();
                self.entry = Some((Entry::default(), depth));
            }
            "image" if name == "image" => self.image_depth = Some(depth),
            "image" => self.attribute_link(tag, "href", LinkKind::Image),
            "url" if self.image_depth.is_some() => self.gather(Field::Link(LinkKind::Image), depth),
            _ if self.image_depth.is_some() => {}
            "title" if name != "media:title" => self.gather(Field::Title, depth),
            "pubDate" | "published" | "issued" | "date" | "created" if self.entry.is_some() => {
                self.gather(Field::Date { changed: false }, depth);
            }
            "updated" | "modified" if self.entry.is_some() => {
                self.gather(Field::Date { changed: true }, depth);
            }
            "language" => self.gather(Field::Language, depth),
            "link" => self.link(tag, depth),
            "guid" if tag.attribute("isPermaLink").is_none_or(|is| is.trim() != "false") => {
                self.gather(Field::Guid, depth);
            }
            "comments" if name == "comments" => self.gather(Field::Link(LinkKind::Feed), depth),
            "enclosure" => self.attribute_link(tag, "url", LinkKind::Media),
            "thumbnail" => self.attribute_link(tag, "url", LinkKind::Image),
            "content" if name == "media:content" => {
                let is_image = |value: String| value.starts_with("image");
                let image = tag.attribute("medium").or_else(|| tag.attribute("type")).is_some_and(is_image);
                self.attribute_link(tag, "url", if image { LinkKind::Image } else { LinkKind::Media });
            }
            "description" | "summary" | "content" | "encoded" if name != "media:description" => {
                self.attribute_link(tag, "src", LinkKind::Feed);
                let xhtml = tag.attribute("type").is_some_and(|t| t.contains("xhtml"));
                self.gather(if xhtml { Field::Xhtml } else { Field::Html }, depth);
            }
            _ => {}
        }
    }

    /// RSS writes the address as text, Atom as an attribute.
    fn link(&mut self, tag: &Tag<'_>, depth: usize) {
        let Some(raw) = tag.attribute("href") else {
            return self.gather(Field::Link(LinkKind::Feed), depth);
        };
        let kind = match tag.attribute("rel").unwrap_or_default().as_str() {
            "" | "alternate" | "related" | "via" => LinkKind::Feed,
            "enclosure" => LinkKind::Media,
            "icon" => LinkKind::Image,
            "next" | "previous" | "prev" | "first" | "last" | "prev-archive" | "next-archive" | "replies" => {
                LinkKind::Relation
            }
            _ => return,
        };
        self.add_link(raw, kind);
    }

    /// An element inside XHTML becomes HTML again.
    fn nested(&mut self, tag: &Tag<'_>) {
        let mut html = format!("<{}", tag.name().rsplit(':').next().unwrap_or(""));
        for name in ["href", "src", "alt", "title", "rel"] {
            if let Some(value) = tag.attribute(name) {
                html.push_str(&format!(" {name}=\"{}\"", value.replace('&', "&amp;").replace('"', "&quot;")));
            }
        }
        html.push('>');
        if let Some((_, _, text)) = &mut self.open {
            text.push_str(&html);
        }
    }

    fn gather(&mut self, field: Field, depth: usize) {
        self.open = Some((field, depth, String::new()));
    }

    fn text(&mut self, piece: &str) {
        match &mut self.open {
            Some((Field::Xhtml, _, text)) => text.push_str(&piece.replace('&', "&amp;").replace('<', "&lt;")),
            Some((_, _, text)) => text.push_str(piece),
            None => {}
        }
    }

    /// `depth` is what remains open.
    fn end(&mut self, depth: usize) {
        if let Some((field, _, text)) = self.open.take_if(|(_, open, _)| depth < *open) {
            self.close_field(field, text);
        }
        if self.image_depth.is_some_and(|open| depth < open) {
            self.image_depth = None;
        }
        if self.entry.as_ref().is_some_and(|(_, open)| depth < *open) {
            self.close_entry();
        }
    }

    fn close_field(&mut self, field: Field, text: String) {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return;
        }
        match field {
            Field::Title => {
                let title = match &mut self.entry {
                    Some((entry, _)) => &mut entry.title,
                    None => &mut self.feed.title,
                };
                title.get_or_insert_with(|| trimmed.to_owned());
            }
            Field::Date { changed } => {
                if let Some((entry, _)) = &mut self.entry
                    && (entry.date.is_none() || !changed)
                {
                    entry.date = Some(trimmed.to_owned());
                }
            }
            Field::Language => self.feed.language = Some(trimmed.to_owned()),
            Field::Link(kind) => self.add_link(trimmed.to_owned(), kind),
            Field::Guid if trimmed.starts_with("http://") || trimmed.starts_with("https://") => {
                self.add_link(trimmed.to_owned(), LinkKind::Feed);
            }
            Field::Guid => {}
            Field::Html | Field::Xhtml => {
                if let Some((entry, _)) = &mut self.entry {
                    entry.html.push(text);
                }
            }
        }
    }

    fn attribute_link(&mut self, tag: &Tag<'_>, attribute: &str, kind: LinkKind) {
        if let Some(raw) = tag.attribute(attribute) {
            self.add_link(raw, kind);
        }
    }

    fn add_link(&mut self, raw: String, kind: LinkKind) {
        // An empty address would be the feed's own.
        if raw.trim().is_empty() {
            return;
        }
        let links = match &mut self.entry {
            Some((entry, _)) => &mut entry.links,
            None => &mut self.feed.links,
        };
        if links.len() < MOST_LINKS_PER_ENTRY {
            links.push(FeedLink { raw, kind });
        }
    }

    fn close_entry(&mut self) {
        if let Some((entry, _)) = self.entry.take() {
            self.feed.entries.push(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, read};
    use annalist_model::LinkKind::{self, Feed, Image, Media, Relation};

    fn links(entry: &Entry) -> Vec<(LinkKind, &str)> {
        entry.links.iter().map(|link| (link.kind, link.raw.as_str())).collect()
    }

    #[test]
    fn an_empty_address_is_no_link() {
        let feed =
            read("<feed><link href=''/><entry><link href=' '/><enclosure url=''/><link/></entry></feed>");
        assert_eq!((feed.links.len(), feed.entries[0].links.len()), (0, 0));
    }

    #[test]
    fn rss_2_is_read_with_everything_in_its_items() {
        let feed = read(
            "<?xml version='1.0'?><rss version='2.0' xmlns:content='c' xmlns:atom='a'><channel>
            <title>News</title><link>http://a.test/</link><language>en-gb</language>
            <atom:link rel='self' href='http://a.test/feed'/>
            <image><url>http://a.test/logo.png</url><title>Logo</title><link>http://a.test/</link></image>
            <item><title>One &amp; only</title><link>http://a.test/1?a=b&amp;c=d</link>
              <guid isPermaLink='false'>http://a.test/id/1</guid>
              <enclosure url='http://a.test/1.mp3' type='audio/mpeg'/>
              <description>&lt;a href='/x'&gt;x&lt;/a&gt;</description>
              <content:encoded><![CDATA[<img src='/y.png'>]]></content:encoded></item>
            <item><guid>http://a.test/2</guid><comments>http://a.test/2#c</comments></item>
            </channel></rss>",
        );
        assert_eq!(feed.title.as_deref(), Some("News"));
        assert_eq!(feed.language.as_deref(), Some("en-gb"));
        assert_eq!(feed.links.iter().map(|l| l.kind).collect::<Vec<_>>(), [Feed, Image]);
        let one = &feed.entries[0];
        assert_eq!(one.title.as_deref(), Some("One & only"));
        assert_eq!(links(one), [(Feed, "http://a.test/1?a=b&c=d"), (Media, "http://a.test/1.mp3")]);
        assert_eq!(one.html, ["<a href='/x'>x</a>", "<img src='/y.png'>"]);
        assert_eq!(links(&feed.entries[1]), [(Feed, "http://a.test/2"), (Feed, "http://a.test/2#c")]);
        assert_eq!(feed.fault, None);
    }

    #[test]
    fn atom_links_have_relations() {
        let feed = read(
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de' xml:base='http://b.test/'>
            <title>Blog</title><link href='/'/><link rel='self' href='/feed'/><link rel='next' href='/feed?p=2'/>
            <entry><title type='html'>Post</title><link href='/1'/><link rel='enclosure' href='/1.mp4'/>
              <link rel='replies' href='/1/comments'/><id>tag:x</id>
              <content type='xhtml'><div><a href='/z?a&amp;b'>z</a> &lt;</div></content></entry></feed>",
        );
        assert_eq!((feed.base.as_deref(), feed.language.as_deref()), (Some("http://b.test/"), Some("de")));
        assert_eq!(
            feed.links.iter().map(|l| (l.kind, l.raw.as_str())).collect::<Vec<_>>(),
            [(Feed, "/"), (Relation, "/feed?p=2")]
        );
        let post = &feed.entries[0];
        assert_eq!(links(post), [(Feed, "/1"), (Media, "/1.mp4"), (Relation, "/1/comments")]);
        assert_eq!(post.html, ["<div><a href=\"/z?a&amp;b\">z &lt;"]);
    }

    #[test]
    fn rss_1_has_its_items_beside_the_channel() {
        let feed = read(
            "<rdf:RDF xmlns:rdf='r' xmlns='http://purl.org/rss/1.0/'><channel rdf:about='x'><title>C</title>
            <link>http://a.test/</link></channel>
            <item rdf:about='http://a.test/1'><title>I</title><link>http://a.test/1</link></item></rdf:RDF>",
        );
        assert_eq!(feed.entries.len(), 1);
        assert_eq!(links(&feed.entries[0]), [(Feed, "http://a.test/1")]);
    }

    #[test]
    fn a_broken_feed_keeps_what_stands_before_the_fault() {
        let feed =
            read("<rss><channel><item><link>http://a.test/1</link></item><item><title>t</title><![CDATA[");
        assert_eq!(feed.entries.len(), 2);
        assert_eq!(links(&feed.entries[0]), [(Feed, "http://a.test/1")]);
        assert!(feed.fault.is_some());
    }
}
