//! Pages that send on by `<meta http-equiv=refresh>`. Browsers do not heed it in a sandbox without scripts, but they do heed the
//! header of that name.

use std::cell::RefCell;
use std::rc::Rc;

use lol_html::html_content::Element as Tag;
use lol_html::{AsciiCompatibleEncoding, HtmlRewriter, Settings, element};

use super::Rewriting;
use super::entities::decoded;

impl Rewriting {
    /// The header for a document of HTML that begins like this, where it leads to another page.
    pub(crate) fn refresh_in(&self, beginning: &[u8]) -> Option<String> {
        let said = self.said_in(beginning)?;
        let based = self.clone().based_on_html(&mut |take| {
            take(beginning);
        });
        let header = based.refresh(&said)?;
        let (_, target) =
            header.split_once(";url=").filter(|(_, target)| target.starts_with(&self.prefix))?;
        let own = self.document.as_ref().map(|url| self.archived(url.as_str(), self.own_pages()));
        // An archived page does not change while one looks at it.
        (own.as_deref() != Some(target)).then_some(header)
    }

    /// What its first element of that kind says. That in `noscript`, which is text here, was for others than most readers.
    fn said_in(&self, beginning: &[u8]) -> Option<String> {
        let found: Rc<RefCell<Option<String>>> = Rc::default();
        let heard = Rc::clone(&found);
        let hear = move |tag: &mut Tag<'_, '_>| {
            let kind = tag.get_attribute("http-equiv").unwrap_or_default();
            if decoded(&kind).trim().eq_ignore_ascii_case("refresh") {
                let content = tag.get_attribute("content").unwrap_or_default();
                heard.borrow_mut().get_or_insert_with(|| decoded(&content).into_owned());
            }
            Ok(())
        };
        let encoding = AsciiCompatibleEncoding::new(self.encoding);
        let settings = Settings::new()
            .with_encoding(encoding.unwrap_or(AsciiCompatibleEncoding::utf_8()))
            .with_strict(false)
            .append_element_content_handler(element!("meta[http-equiv][content]", hear));
        let mut html = HtmlRewriter::new(settings, |_: &[u8]| {});
        // What is wrong with it is told when it is rewritten.
        let _ = html.write(beginning).and_then(|()| html.end());
        found.take()
    }
}

#[cfg(test)]
mod tests {
    use super::Rewriting;

    #[test]
    fn a_page_that_sends_on_to_another_has_the_header() {
        let rewriting = Rewriting::new("http://r/", "1", "http://a.test/d/");
        let refresh = |markup: &str| rewriting.refresh_in(markup.as_bytes());
        for (markup, expected) in [
            (
                "<meta http-equiv=Refresh content='0; URL=x?a=1&amp;b'>",
                "0;url=http://r/1mp_/http://a.test/d/x?a=1&b",
            ),
            (
                "<meta http-equiv=refresh content='5;/x'><base href='http://b.test/'>",
                "5;url=http://r/1mp_/http://b.test/x",
            ),
        ] {
            assert_eq!(refresh(markup).as_deref(), Some(expected), "{markup}");
        }
        for markup in [
            "<meta http-equiv=refresh content=30>",
            "<meta http-equiv=refresh content='30;url=http://a.test/d/'>",
            "<meta http-equiv=refresh content='0;url=javascript:x'>",
            "<meta http-equiv=refresh content='0;url=data:text/html,x'>",
            "<!-- <meta http-equiv=refresh content='0;url=x'> -->",
            "<noscript><meta http-equiv=refresh content='0;url=x'></noscript>",
            "<meta name=refresh content='0;url=x'>",
            "<meta http-equiv=refresh content='0;url=x",
        ] {
            assert_eq!(refresh(markup), None, "{markup}");
        }
    }
}
