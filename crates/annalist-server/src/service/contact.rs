//! Nobody of the live web is asked by somebody who cannot be reached.

use annalist_crawl::injecting::Injected;
use annalist_model::CanonicalUrl;
use annalist_model::spec::Spec;

use crate::problem::Problem;

/// Webmasters have to find somebody to write to.
pub(super) fn require_contact(spec: &Spec) -> Result<(), Problem> {
    if spec.has_example_contact() {
        let why =
            "this is an example: give a page or mail address of your own, so that webmasters can reach you";
        return Err(Problem::field("contact", why));
    }
    if !spec.needs_contact() {
        return Ok(());
    }
    let why = "a crawl of the live web needs a contact, so that webmasters can find out who you are";
    Err(Problem::field("contact", why))
}

/// The same for an address that is handed over. One that is never fetched concerns nobody.
pub(super) fn may_be_asked(
    address: &Injected,
    url: CanonicalUrl,
    spec: &Spec,
) -> Result<CanonicalUrl, String> {
    if address.blacklisted || spec.is_answerable_to(url.host_name()) {
        return Ok(url);
    }
    Err("url: an address of the live web needs a contact of your own in the spec: put `contact = \"https://…\"` into it"
        .to_owned())
}
