//! What the addresses of a document are relative to. Browsers heed the first `<base>` with an address wherever it stands, for
//! what stands before it, too; so does who follows its links. So it is looked for before anything is rewritten.

use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::Element as Tag;
use lol_html::{AsciiCompatibleEncoding, HtmlRewriter, Settings, element};
use url::Url;

use super::entities::decoded;
use super::html::HtmlStream;
use super::{Rewriting, Rewritten, opens_elsewhere, rewrite_xml};

/// A base behind so much counts from where it stands.
const MOST_LOOKED_THROUGH: usize = 16 << 20;

/// Hands out a document in pieces, for as long as they are wanted.
type Pieces<'p> = &'p mut dyn FnMut(&mut dyn FnMut(&[u8]) -> bool);

impl Rewriting {
    /// Takes up the base that a document of HTML gives itself.
    pub(crate) fn based_on_html(mut self, pieces: Pieces<'_>) -> Rewriting {
        let found: Rc<RefCell<Option<String>>> = Rc::default();
        let heard = Rc::clone(&found);
        let hear = move |tag: &mut Tag<'_, '_>| {
            let href = tag.get_attribute("href").unwrap_or_default();
            heard.borrow_mut().get_or_insert_with(|| decoded(&href).into_owned());
            Ok(())
        };
        let encoding = AsciiCompatibleEncoding::new(self.encoding);
        let settings = Settings::new()
            .with_encoding(encoding.unwrap_or(AsciiCompatibleEncoding::utf_8()))
            .with_strict(false)
            .append_element_content_handler(element!("base[href]", hear));
        let mut html = HtmlStream::of(HtmlRewriter::new(settings, |_: &[u8]| {}));
        let mut left = MOST_LOOKED_THROUGH;
        pieces(&mut |piece| {
            left = left.saturating_sub(piece.len());
            html.write(piece).is_ok() && found.borrow().is_none() && left > 0
        });
        // What is wrong with it is told when it is rewritten.
        let _ = html.end();
        if let Some(href) = found.take() {
            self.rebase(&href);
        }
        self
    }

    /// The same for XML, in UTF-8.
    pub(crate) fn based_on_xml(self, pieces: Pieces<'_>) -> Rewriting {
        let mut xml = rewrite_xml(self, |_: &[u8]| {});
        let mut left = MOST_LOOKED_THROUGH;
        pieces(&mut |piece| {
            left = left.saturating_sub(piece.len());
            xml.write(piece).is_ok() && xml.rewriting().base.is_none() && left > 0
        });
        xml.rewriting()
    }

    /// For a document inside of one.
    pub(super) fn inside(self) -> Rewriting {
        let document = self.base.or(self.document);
        Rewriting { document, base: None, is_part: true, opens_elsewhere: None, ..self }
    }

    /// Takes up where links open; of several bases that say it the first counts.
    pub(super) fn aim(&mut self, target: &str) {
        self.opens_elsewhere.get_or_insert(opens_elsewhere(target));
    }

    /// Takes up a base; of several the first counts, whether it can be used or not.
    pub(super) fn rebase(&mut self, value: &str) {
        if self.base.is_none() {
            let base = Url::options().base_url(self.document.as_ref()).parse(value).ok();
            self.base = base.filter(|base| !base.cannot_be_a_base()).or_else(|| self.document.clone());
        }
    }

    /// The address in a base is itself relative to the document.
    pub(super) fn base_address(&self, value: &str) -> Rewritten {
        Rewriting { base: None, ..self.clone() }.url(value, self.own_pages())
    }
}
