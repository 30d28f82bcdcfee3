//! HTML: a stream of markup in which addresses change and nothing else does. What elements mean is in `document.rs`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lol_html::html_content::{ContentType, Element as Tag, TextChunk};
use lol_html::{AsciiCompatibleEncoding, HandlerResult, HtmlRewriter, OutputSink, Settings, element, text};

use super::Rewriting;
use super::attributes::Edit;
use super::document::{Changes, Document};
use super::entities::{decoded, encoded};
use super::noscript::WithoutNoscript;

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

impl<'h, O: OutputSink> HtmlStream<'h, O> {
    pub(super) fn of(rewriter: HtmlRewriter<'h, O>) -> HtmlStream<'h, O> {
        HtmlStream { noscript: WithoutNoscript::default(), rewriter, piece: Vec::new() }
    }

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
struct Markup {
    document: Document,
    /// What is read so far of an element `style`.
    style: RefCell<String>,
    /// It stands in SVG, where references count in it.
    is_foreign: Cell<bool>,
}

/// A document in so many others.
pub(super) fn at_depth<'h, O: OutputSink>(rewriting: Rewriting, depth: usize, sink: O) -> HtmlStream<'h, O> {
    let encoding = AsciiCompatibleEncoding::new(rewriting.encoding);
    let markup = Rc::new(Markup {
        document: Document::new(rewriting, depth),
        style: RefCell::default(),
        is_foreign: Cell::new(false),
    });
    let of_text = Rc::clone(&markup);
    let settings =
        Settings::new()
            .with_encoding(encoding.unwrap_or(AsciiCompatibleEncoding::utf_8()))
            // What could be read in two ways is read in one of them: replay has a wall besides.
            .with_strict(false)
            .append_element_content_handler(element!("*", move |tag: &mut Tag<'_, '_>| markup.element(tag)))
            .append_element_content_handler(
                text!("style", move |chunk: &mut TextChunk<'_>| of_text.style(chunk))
            );
    HtmlStream::of(HtmlRewriter::new(settings, sink))
}

impl Markup {
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
        let Some(Changes { edited, added }) = self.document.changes(name, &attributes) else {
            tag.remove();
            return Ok(());
        };
        for (place, edit) in edited {
            let Some((attribute, _)) = attributes.get(place) else { continue };
            match edit {
                Edit::Keep => {}
                Edit::Set(edited) => tag.set_attribute(attribute, &encoded(&edited))?,
                Edit::Remove => tag.remove_attribute(attribute),
            }
        }
        for (attribute, value) in added {
            tag.set_attribute(attribute, &encoded(&value))?;
        }
        Ok(())
    }

    /// The text of a style sheet comes in pieces, and is seen to when it is whole.
    fn style(&self, chunk: &mut TextChunk<'_>) -> HandlerResult {
        let mut style = self.style.borrow_mut();
        style.push_str(chunk.as_str());
        if !chunk.last_in_text_node() {
            chunk.remove();
            return Ok(());
        }
        if self.is_foreign.get() {
            chunk.replace(&self.document.css(&decoded(&style)), ContentType::Text);
        } else {
            chunk.replace(&self.document.css(&style), ContentType::Html);
        }
        style.clear();
        Ok(())
    }
}
