//! What addresses on a page are relative to.

use annalist_model::{CanonicalUrl, Canonicaliser};
use annalist_read::tree::local_name;
use url::Url;

use crate::helper::Input;

/// The page's own idea of where it is.
#[derive(Debug)]
pub(crate) struct Base {
    url: Url,
}

pub(crate) fn base_of(input: &Input<'_>) -> Base {
    let own = input.url.as_url();
    let said = input.tree.elements_named(&local_name!("base")).find_map(|base| base.attribute("href"));
    let url = said.and_then(|href| own.join(href.trim()).ok()).unwrap_or_else(|| own.clone());
    Base { url }
}

impl Base {
    /// With its fragment.
    pub(crate) fn join(&self, reference: &str) -> Option<Url> {
        let url = self.url.join(reference.trim()).ok()?;
        matches!(url.scheme(), "http" | "https").then_some(url)
    }

    /// As links are known to the frontier.
    pub(crate) fn canonical(&self, reference: &str) -> Option<CanonicalUrl> {
        Canonicaliser::default().join(&self.url, reference).ok()
    }
}
