//! What addresses are worth by their looks, as the archivist says: patterns with a score, and spam that is worth nothing.

use annalist_model::spec::Event;
use annalist_model::{CanonicalUrl, FoundLink};

use crate::dated::timely;

/// What the archivist says of addresses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AddressRules {
    /// Host names, with all below them, or parts of addresses.
    pub spam: Vec<String>,
    /// Addresses in which `*` stands for anything, and what they are worth. The first that fits counts.
    pub patterns: Vec<(String, f32)>,
    /// When it happened, where the topic is an event: what is named by an address is told apart by its time.
    pub event: Option<Event>,
}

impl AddressRules {
    /// What is said of an address; 0 for spam, and nothing where nothing is said.
    pub fn told(&self, url: &CanonicalUrl) -> Option<f32> {
        if self.spam.iter().any(|spam| is_spam(url, spam)) {
            return Some(0.0);
        }
        let fitting = self.patterns.iter().find(|(pattern, _)| fits(pattern, url.as_str()));
        fitting.map(|(_, score)| *score)
    }

    /// How relevant the time is that a link names; none where there is no event, or no time named.
    pub(crate) fn timely(&self, link: &FoundLink) -> Option<f32> {
        let event = self.event.as_ref()?;
        let said = [link.url.as_str(), &link.anchor].map(|text| timely(event, text));
        said.into_iter().flatten().reduce(f32::max)
    }
}

fn is_spam(url: &CanonicalUrl, spam: &str) -> bool {
    let spam = spam.to_lowercase();
    let is_host = spam.contains('.') && !spam.contains(['/', '?', '=']);
    let below = |host: &str| {
        host.strip_suffix(spam.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    if is_host { below(url.host_name()) } else { url.as_str().to_lowercase().contains(&spam) }
}

fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use annalist_model::CanonicalUrl;

    use super::{AddressRules, fits};

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, fitting) in [
            ("*/forum/*", "http://a.test/forum/1", true),
            ("*/forum/*", "http://a.test/forums", false),
            ("http://a.test/", "http://a.test/", true),
            ("http://a.test/", "http://a.test/x", false),
            ("*ab*ab", "xab", false),
            ("*ab*ab", "xabab", true),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, text), fitting, "{pattern} {text}");
        }
    }

    #[test]
    fn spam_is_worth_nothing_and_the_first_pattern_that_fits_counts() {
        let rules = AddressRules {
            spam: vec!["casino.test".to_owned(), "/tag/".to_owned()],
            patterns: vec![("*/forum/*".to_owned(), 0.8), ("*".to_owned(), 0.1)],
            event: None,
        };
        let told = |url: &str| rules.told(&CanonicalUrl::parse(url).unwrap());
        assert_eq!(told("http://www.casino.test/forum/1"), Some(0.0));
        assert_eq!(told("http://a.test/Tag/x"), Some(0.0));
        assert_eq!(told("http://notcasino.test/forum/1"), Some(0.8));
        assert_eq!(told("http://a.test/"), Some(0.1));
        assert_eq!(AddressRules::default().told(&CanonicalUrl::parse("http://a.test/").unwrap()), None);
    }
}
