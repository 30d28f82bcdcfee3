//! Whether webmasters of the live web find somebody to write to.

use super::Spec;

/// Endings of names that lead nowhere on the live web (RFC 2606 and 6761).
const NOWHERE: [&str; 4] = ["test", "example", "invalid", "localhost"];
/// Names that stand for others in documents: they are there, and nobody can be reached by them.
const STAND_INS: [&str; 3] = ["example.com", "example.net", "example.org"];

impl Spec {
    /// Whether a seed is on the live web while nobody is named whom a webmaster could write to.
    pub fn needs_contact(&self) -> bool {
        self.extract.is_none()
            && self.contact.is_none()
            && !self.seeds.iter().all(|seed| self.network.is_own(seed.url.host_name()))
    }

    /// Whether the live web would be asked under a contact that was only an example of one.
    pub fn has_example_contact(&self) -> bool {
        let is_live = |host: &str| !self.network.is_own(host) && !is_nowhere(host);
        self.extract.is_none()
            && self.contact.as_deref().is_some_and(is_example)
            && self.seeds.iter().any(|seed| is_live(seed.url.host_name()))
    }

    /// Whether somebody at this host finds out who asks; it is not one of the seeds.
    pub fn is_answerable_to(&self, host: &str) -> bool {
        let is_fine = |contact: &str| is_nowhere(host) || !is_example(contact);
        self.extract.is_some() || self.network.is_own(host) || self.contact.as_deref().is_some_and(is_fine)
    }
}

fn is_nowhere(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    NOWHERE.iter().any(|name| last.eq_ignore_ascii_case(name))
}

/// An address or a mail address at a name that stands for others.
fn is_example(contact: &str) -> bool {
    let rest = contact.split_once("://").map_or(contact, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_in =
        |name: &&str| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    is_nowhere(&host) || STAND_INS.iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::is_example;

    #[test]
    fn a_contact_that_stands_for_another_is_told_apart() {
        for contact in [
            "https://library.example/crawler",
            "http://EXAMPLE.org",
            "https://www.example.com:8080/x",
            "me@example.net",
            "mailto:crawler@library.test?subject=x",
            "https://me@somewhere.invalid/",
            "http://localhost/",
        ] {
            assert!(is_example(contact), "{contact}");
        }
        for contact in [
            "https://www.bl.uk/crawler",
            "crawler@kb.nl",
            "mailto:a@b.de",
            "https://notexample.org/",
            "https://my-example.com/",
            "https://archive.org/example.org",
        ] {
            assert!(!is_example(contact), "{contact}");
        }
    }
}
