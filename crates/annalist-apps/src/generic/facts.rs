//! What a page says of itself in several places: the most trustworthy of them counts. Where it is said is found by `linked`
//! and `marked`.

use annalist_model::CanonicalUrl;
use annalist_read::text::collapsed;

use crate::dates::Hints;

/// Who says it, the most trustworthy first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Linked,
    Microdata,
    Microformat,
    Meta,
    Markup,
    Named,
    Loose,
}

/// A name longer than this is a sentence.
const LONGEST_NAME: usize = 100;
const LONGEST_TITLE: usize = 500;
const MOST_HEADINGS: usize = 10;

#[derive(Debug)]
pub(super) struct Facts<'p> {
    pub(super) url: &'p CanonicalUrl,
    pub(super) hints: &'p Hints,
    title: Said,
    author: Said,
    author_url: Said,
    body: Said,
    site: Said,
    headings: Vec<String>,
    /// JSON-LD as it was found.
    pub(super) scripts: Vec<String>,
}

/// The best of what was said so far.
#[derive(Debug, Default)]
struct Said(Option<(Rank, String)>);

impl Said {
    fn wants(&self, rank: Rank) -> bool {
        self.0.as_ref().is_none_or(|(known, _)| rank < *known)
    }

    fn get(&self) -> Option<&str> {
        self.0.as_ref().map(|(_, said)| said.as_str())
    }
}

impl<'p> Facts<'p> {
    pub(super) fn new(url: &'p CanonicalUrl, hints: &'p Hints) -> Facts<'p> {
        Facts {
            url,
            hints,
            title: Said::default(),
            author: Said::default(),
            author_url: Said::default(),
            body: Said::default(),
            site: Said::default(),
            headings: Vec::new(),
            scripts: Vec::new(),
        }
    }

    pub(super) fn say_title(&mut self, rank: Rank, title: &str) {
        let title = collapsed(title);
        if self.title.wants(rank) && !title.is_empty() && title.len() <= LONGEST_TITLE {
            self.title.0 = Some((rank, title));
        }
    }

    pub(super) fn say_heading(&mut self, heading: String) {
        if self.headings.len() < MOST_HEADINGS && !heading.is_empty() && heading.len() <= LONGEST_TITLE {
            self.headings.push(collapsed(&heading));
        }
    }

    pub(super) fn say_author(&mut self, rank: Rank, name: &str) {
        if self.author.wants(rank)
            && let Some(name) = name_of(name)
        {
            self.author.0 = Some((rank, name));
        }
    }

    pub(super) fn say_author_url(&mut self, rank: Rank, address: &str) {
        if self.author_url.wants(rank)
            && let Some(address) = self.absolute(address)
        {
            self.author_url.0 = Some((rank, address));
        }
    }

    pub(super) fn say_body(&mut self, rank: Rank, body: &str) {
        if self.body.wants(rank) && !body.trim().is_empty() {
            self.body.0 = Some((rank, body.trim().to_owned()));
        }
    }

    pub(super) fn say_site(&mut self, rank: Rank, site: &str) {
        if self.site.wants(rank) {
            self.site.0 = Some((rank, collapsed(site)));
        }
    }

    /// A web address, made absolute.
    pub(super) fn absolute(&self, address: &str) -> Option<String> {
        let joined = self.url.as_url().join(address.trim()).ok()?;
        matches!(joined.scheme(), "http" | "https").then(|| joined.to_string())
    }

    /// The title without the name of the site, where it is known.
    pub(super) fn title(&self, of_page: Option<&str>) -> Option<String> {
        let title = match (self.title.get(), of_page) {
            (None, of_page) => self.heading(of_page)?,
            (Some(title), _) => title,
        };
        let site = self.site.get().filter(|site| !site.is_empty());
        let bare = site.and_then(|site| title.strip_suffix(site)).map(str::trim_end);
        let bare = bare.and_then(|bare| bare.strip_suffix(['|', '-', '–', '—', '·', ':', '«', '»']));
        let bare = bare.map(str::trim_end).filter(|bare| !bare.is_empty());
        Some(bare.unwrap_or(title).to_owned())
    }

    /// The heading that the page's title repeats; else that title, and without one the first heading.
    fn heading<'f>(&'f self, of_page: Option<&'f str>) -> Option<&'f str> {
        let Some(title) = of_page else { return self.headings.first().map(String::as_str) };
        let repeated = self.headings.iter().filter(|heading| title.contains(heading.as_str()));
        // The name of the site is a heading of many pages, and the end of their titles.
        let repeated = repeated
            .max_by_key(|heading| heading.len())
            .filter(|heading| !title.ends_with(heading.as_str()) || *heading == title);
        Some(repeated.map_or(title, String::as_str))
    }

    pub(super) fn author(&self) -> Option<String> {
        self.author.get().map(str::to_owned)
    }

    pub(super) fn author_url(&self) -> Option<String> {
        self.author_url.get().map(str::to_owned)
    }

    pub(super) fn body(&self) -> Option<&str> {
        self.body.get()
    }
}

/// A person's name out of a byline: without `By`, and without what follows it.
pub(super) fn name_of(byline: &str) -> Option<String> {
    let line = byline.trim().lines().find(|line| !line.trim().is_empty()).map(collapsed)?;
    if line.contains("://") || line.starts_with("www.") {
        return None;
    }
    let mut name = line.as_str();
    for opening in [
        "written by ",
        "posted by ",
        "published by ",
        "by:",
        "by ",
        "von ",
        "par ",
        "por ",
        "di ",
        "door ",
        "автор: ",
        "author: ",
        "author:",
    ] {
        if let Some(start) = name.get(..opening.len())
            && start.to_lowercase() == opening
        {
            name = name.get(opening.len()..).unwrap_or("").trim_start();
        }
    }
    for closing in [" on ", " am ", " le ", " says", " said", " wrote", " schrieb", " sagt", " dit", ", "] {
        // A comma may part two authors; after it a name begins in capitals.
        if let Some((before, behind)) = name.split_once(closing)
            && (closing != ", " || behind.chars().next().is_none_or(|c| !c.is_uppercase()))
        {
            name = before;
        }
    }
    let end = name
        .find(|c: char| c.is_ascii_digit() || matches!(c, '|' | '·' | '•' | '(' | '—' | '@' | '/'))
        .unwrap_or(name.len());
    // A name with digits is one that its owner chose.
    let whole = !name.contains(' ') && !name.contains('/');
    let name = if whole { name } else { name.get(..end).unwrap_or("") };
    let name = name.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | ':' | '-' | '–' | '.' | ';' | '«' | '»')
    });
    let is_label =
        matches!(name.to_lowercase().as_str(), "by" | "von" | "par" | "author" | "authors" | "admin")
            || name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("about "));
    let is_name = !is_label
        && !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.chars().any(char::is_alphanumeric);
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn a_byline_is_cut_down_to_the_name() {
        for (byline, name) in [
            ("By Ann Example", Some("Ann Example")),
            ("Von Ann Example und Bo Muster", Some("Ann Example und Bo Muster")),
            ("Posted by ann_42 on March 5, 2013", Some("ann_42")),
            ("Ann Example | 5 March 2013", Some("Ann Example")),
            ("Ann Example, Bo Sample", Some("Ann Example, Bo Sample")),
            ("Ann Example, staff writer", Some("Ann Example")),
            ("ann42 says:", Some("ann42")),
            ("https://example.org/ann", None),
            ("", None),
        ] {
            assert_eq!(name_of(byline).as_deref(), name, "{byline}");
        }
    }
}
