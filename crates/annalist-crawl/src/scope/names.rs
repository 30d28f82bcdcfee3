//! Finding what is said about a host name or any domain above it.

use std::collections::HashMap;

/// Something said about names and, unless a longer name says otherwise, everything below them.
#[derive(Debug)]
pub(super) struct Names<T>(HashMap<String, T>);

impl<T> Names<T> {
    /// Of a name that comes twice, the first holds.
    pub(super) fn new<'n>(entries: impl Iterator<Item = (&'n str, T)>) -> Names<T> {
        let mut names = HashMap::new();
        for (name, value) in entries {
            names.entry(name.to_owned()).or_insert(value);
        }
        Names(names)
    }

    /// What is said about the longest name that covers the host.
    pub(super) fn of<'s>(&'s self, host_name: &str) -> Option<(&'s str, &'s T)> {
        if self.0.is_empty() {
            return None;
        }
        let mut name = host_name;
        loop {
            if let Some((known, value)) = self.0.get_key_value(name) {
                return Some((known, value));
            }
            (_, name) = name.split_once('.')?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn a_name_covers_everything_below_it_and_nothing_beside_it() {
        let names = Names::new([("example.org", 1), ("a.example.org", 2)].into_iter());
        assert_eq!(names.of("example.org"), Some(("example.org", &1)));
        assert_eq!(names.of("www.example.org"), Some(("example.org", &1)));
        assert_eq!(names.of("b.a.example.org"), Some(("a.example.org", &2)));
        assert_eq!(names.of("badexample.org"), None);
        assert_eq!(names.of("org"), None);
    }
}
