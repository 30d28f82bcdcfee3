//! HTML, and SVG and XHTML with it: a stream of markup in which addresses change and nothing else does.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use encoding_rs::UTF_8;
use lol_html::html_content::{ContentType, Element as Tag, TextChunk};
use lol_html::{AsciiCompatibleEncoding, HandlerResult, HtmlRewriter, OutputSink, Settings, element, text};

use super::Rewriting;
use super::attributes::{Edit, Element};
use super::entities::{decoded, encoded};
use super::noscript::WithoutNoscript;

/// Documents in attributes of documents; deeper ones go.
const DEEPEST: usize = 4;
const SVG: &str = "http://www.w3.org/2000/svg";

/// Takes markup in pieces; what becomes of it goes to the sink.
pub(crate) struct HtmlStream<'h, O: OutputSink> {
    noscript: WithoutNoscript,
    rewriter: HtmlRewriter<'h, O>,
    piece: Vec<u8>,
}

/// Begins with a document.
pub(crate) fn rewrite_html<'h, O: OutputSink>(rewriting: Rewriting, sink: O) -> HtmlStream<'h, O> {
    at_depth(rewriting, 0, sink)
}

impl<O: OutputSink> HtmlStream<'_, O> {
    pub(crate) fn write(&mut self, markup: &[u8]) -> std::io::Result<()> {
        self.piece.clear();
        self.noscript.pass(markup, &mut self.piece);
        self.rewriter.write(&self.piece).map_err(std::io::Error::other)
    }

    pub(crate) fn end(mut self) -> std::io::Result<()> {
        let rest = self.noscript.finish();
        self.rewriter.write(&rest).and_then(|()| self.rewriter.end()).map_err(std::io::Error::other)
    }
}

/// What handlers of one document share.
struct Document {
    rewriting: RefCell<Rewriting>,
    has_base: Cell<bool>,
    depth: usize,
    /// What is read so far of an element `style`.
    style: RefCell<String>,
    /// It stands in SVG, where references count in it.
    is_foreign: Cell<bool>,
}

fn at_depth<'h, O: OutputSink>(rewriting: Rewriting, depth: usize, sink: O) -> HtmlStream<'h, O> {
    let encoding = AsciiCompatibleEncoding::new(rewriting.encoding);
    let document = Rc::new(Document {
        rewriting: RefCell::new(rewriting),
        has_base: Cell::new(false),
        depth,
        style: RefCell::default(),
        is_foreign: Cell::new(false),
    });
    let of_text = Rc::clone(&document);
    let settings =
        Settings::new()
            .with_encoding(encoding.unwrap_or(AsciiCompatibleEncoding::utf_8()))
            // What could be read in two ways is read in one of them: replay has a wall besides.
            .with_strict(false)
            .append_element_content_handler(element!("*", move |tag: &mut Tag<'_, '_>| document.element(tag)))
            .append_element_content_handler(
                text!("style", move |chunk: &mut TextChunk<'_>| of_text.style(chunk))
            );
    HtmlStream {
        noscript: WithoutNoscript::default(),
        rewriter: HtmlRewriter::new(settings, sink),
        piece: Vec::new(),
    }
}

impl Document {
    fn element(&self, tag: &mut Tag<'_, '_>) -> HandlerResult {
        let name = tag.tag_name();
        let name = name.rsplit(':').next().unwrap_or_default();
        if name == "style" {
            self.style.borrow_mut().clear();
            self.is_foreign.set(tag.namespace_uri() == SVG);
        }
        let attributes: Vec<(String, String)> = tag
            .attributes()
            .iter()
            .map(|attribute| (attribute.name(), decoded(&attribute.value()).into_owned()))
            .collect();
        // Of two with one name the first counts.
        let other =
            |sought: &str| attributes.iter().find(|(name, _)| name == sought).map(|(_, value)| value.clone());
        let element = Element { tag: name, other: &other };
        if element.must_go() {
            tag.remove();
            return Ok(());
        }
        for (attribute, value) in &attributes {
            let edit = match attribute.as_str() {
                "srcdoc" => self.inner_document(value),
                _ => element.edit(attribute, value, &self.rewriting.borrow()),
            };
            match edit {
                Edit::Keep => {}
                Edit::Set(edited) if edited == *value => {}
                Edit::Set(edited) => tag.set_attribute(attribute, &encoded(&edited))?,
                Edit::Remove => tag.remove_attribute(attribute),
            }
        }
        if name == "base"
            && !self.has_base.get()
            && let Some(href) = other("href")
        {
            self.has_base.set(true);
            self.rewriting.borrow_mut().rebase(&href);
        }
        shown_without_script(name, &attributes, tag, &self.rewriting.borrow())
    }

    /// A document in an attribute.
    fn inner_document(&self, markup: &str) -> Edit {
        if self.depth >= DEEPEST {
            return Edit::Remove;
        }
        let mut out = Vec::new();
        let rewriting = self.rewriting.borrow().clone().in_encoding(UTF_8);
        let mut inner = at_depth(rewriting, self.depth + 1, |bytes: &[u8]| out.extend_from_slice(bytes));
        match inner.write(markup.as_bytes()).and_then(|()| inner.end()) {
            Ok(()) => Edit::Set(String::from_utf8_lossy(&out).into_owned()),
            Err(_) => Edit::Remove,
        }
    }

    /// The text of a style sheet comes in pieces, and is seen to when it is whole.
    fn style(&self, chunk: &mut TextChunk<'_>) -> HandlerResult {
        let mut style = self.style.borrow_mut();
        style.push_str(chunk.as_str());
        if !chunk.last_in_text_node() {
            chunk.remove();
            return Ok(());
        }
        let rewriting = self.rewriting.borrow();
        if self.is_foreign.get() {
            chunk.replace(&rewriting.css(&decoded(&style)), ContentType::Text);
        } else {
            chunk.replace(&rewriting.css(&style), ContentType::Html);
        }
        style.clear();
        Ok(())
    }
}

/// Pictures that a script would have shown once they come into view are shown at once.
fn shown_without_script(
    name: &str,
    attributes: &[(String, String)],
    tag: &mut Tag<'_, '_>,
    rewriting: &Rewriting,
) -> HandlerResult {
    if !matches!(name, "img" | "source" | "iframe") {
        return Ok(());
    }
    let value =
        |sought: &str| attributes.iter().find(|(name, _)| name == sought).map(|(_, value)| value.as_str());
    let is_placeholder = |value: Option<&str>| {
        value.is_none_or(|value| value.trim().is_empty() || value.trim().starts_with("data:"))
    };
    let pairs = [
        ("src", &["data-src", "data-lazy-src", "data-original"][..]),
        ("srcset", &["data-srcset", "data-lazy-srcset"]),
    ];
    for (shown, waiting) in pairs {
        let is_for_it = shown == "srcset" || name != "source" || value("srcset").is_none();
        let Some(waiting) =
            waiting.iter().find_map(|name| value(name)).filter(|value| !value.trim().is_empty())
        else {
            continue;
        };
        if is_for_it && is_placeholder(value(shown)) {
            let other = |_: &str| None;
            if let Edit::Set(edited) = (Element { tag: name, other: &other }).edit(shown, waiting, rewriting)
            {
                tag.set_attribute(shown, &encoded(&edited))?;
            }
        }
    }
    Ok(())
}
