//! Addresses: one spelling, which stays the same when it is spelled again, whatever the rules.

use annalist_model::url::{LONGEST_URL, site_of};
use annalist_model::{CanonicalUrl, Canonicaliser};

/// The first byte chooses the rules, the rest is the address.
pub(crate) fn run(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    let rule = |bit: u32| choice >> bit & 1 == 1;
    let rules = Canonicaliser {
        strip_session_ids: rule(0),
        strip_tracking: rule(1),
        sort_query: rule(2),
        merge_slashes: rule(3),
        prefer_https: rule(4),
        strip_parameters: if rule(5) { vec!["print".to_owned()] } else { Vec::new() },
    };
    let text = String::from_utf8_lossy(rest);
    if let Ok(url) = rules.parse(&text) {
        check(&rules, &url);
        for reference in text.split_whitespace().take(4) {
            if let Ok(joined) = rules.join(url.as_url(), reference) {
                check(&rules, &joined);
            }
        }
    }
    site_of(&text);
}

fn check(rules: &Canonicaliser, url: &CanonicalUrl) {
    assert_eq!(rules.parse(url.as_str()).as_ref(), Ok(url), "spelled again, it differs");
    assert_eq!(CanonicalUrl::restore(url.as_str()).as_ref(), Ok(url), "restored, it differs");
    assert!(url.as_str().len() <= LONGEST_URL && url.as_str().is_ascii());
    assert!(matches!(url.as_url().scheme(), "http" | "https"));
    assert!(!url.host_name().is_empty() && url.host_name().ends_with(url.site()));
    assert!(url.as_url().fragment().is_none() && url.as_url().username().is_empty());
    assert!(url.target().starts_with('/') && !url.target().contains([' ', '\r', '\n']));
    assert_eq!(format!("{}{}", url.host(), url.target()), url.as_str());
    let robots = url.on_same_host("/robots.txt");
    assert_eq!((robots.target(), robots.host()), ("/robots.txt", url.host()));
}
