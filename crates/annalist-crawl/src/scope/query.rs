//! The language of scope expressions for those who look back: which of the things that were captured are meant.

use annalist_model::spec::Expression;
use annalist_model::{CanonicalUrl, HopPath, Link, LinkKind};

use super::Facts;
use super::expression::{About, Rule, Subject};

/// A condition over captures, such as `host.endsWith(".gr") && score >= 0.5`.
#[derive(Debug)]
pub struct Query(Rule);

impl Query {
    /// `name` is how a mistake is told.
    pub fn compile(name: &str, text: &str) -> Result<Query, String> {
        Query::about(name, text, About::Links)
    }

    /// The same, where it may also ask for what is known of pages that were read: [`PageFacts`](super::PageFacts).
    pub fn about_pages(name: &str, text: &str) -> Result<Query, String> {
        Query::about(name, text, About::Pages)
    }

    fn about(name: &str, text: &str, about: About) -> Result<Query, String> {
        let expression = Expression { text: text.to_owned(), key: name.to_owned(), line: 0 };
        Rule::compile(&expression, about).map(Query).map_err(|mistake| format!("{name}: {}", mistake.message))
    }

    /// Whether it is true of a capture, told as a link with what is known of its page. What depends on something unknown
    /// does not hold.
    pub fn holds(&self, link: &Link, facts: &Facts<'_>) -> bool {
        self.0.holds(&Subject { link, facts })
    }
}

/// The link that led to a capture, as far as the capture tells.
pub fn link_of(url: &CanonicalUrl, hops: HopPath, via: Option<&str>) -> Link {
    let depth = hops.as_str().chars().filter(|hop| matches!(hop, 'L' | 'S')).count();
    Link {
        // Whether it is a seed is told by it.
        via: via.and_then(|via| CanonicalUrl::parse(via).ok()).map(|via| via.key()),
        kind: LinkKind::Anchor,
        depth: u16::try_from(depth).unwrap_or(u16::MAX),
        hops,
        ..Link::seed(url.clone(), 0)
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::{CanonicalUrl, Link, Score};

    use super::Query;
    use crate::scope::{Facts, PageFacts};

    #[test]
    fn a_query_asks_about_captures_what_a_scope_asks_about_links() {
        let query = Query::compile("--query", "host.endsWith(\".gr\") && score >= 0.5").unwrap();
        let link = Link::seed(CanonicalUrl::parse("http://a.gr/x").unwrap(), 0);
        let scored = |score| Facts { score: Some(Score::new(score)), ..Facts::default() };
        assert!(query.holds(&link, &scored(0.6)));
        assert!(!query.holds(&link, &scored(0.4)));
        assert!(!query.holds(&link, &Facts::default()));
        assert!(Query::compile("--query", "words > 3").is_err());
        let fault = Query::compile("--query", "host = 3").unwrap_err();
        assert!(fault.starts_with("--query: at character"), "{fault}");
    }

    #[test]
    fn pages_that_were_read_can_be_asked_for_more() {
        let page = PageFacts {
            title: Some("Strikes in Athens"),
            application: Some("wordpress"),
            level: None,
            published: Some("2011-03-05"),
            words: 120,
            objects: 0,
            is_duplicate: true,
        };
        let link = Link::seed(CanonicalUrl::parse("http://a.gr/x").unwrap(), 0);
        let holds = |text: &str| {
            let facts = Facts { page: Some(&page), ..Facts::default() };
            Query::about_pages("--keep", text).unwrap().holds(&link, &facts)
        };
        assert!(holds("title.contains(\"Athens\") && words >= 100 && objects == 0"));
        assert!(holds("published >= \"2011-03\" && published < \"2011-04\" && application == \"wordpress\""));
        assert!(holds("duplicate") && !holds("!duplicate"));
        assert!(!holds("level == \"post\"") && !holds("level != \"post\""), "it is not known");
        assert!(Query::about_pages("--keep", "passed(words > 3)").is_err());
        // Nobody has read it.
        assert!(
            !Query::about_pages("--keep", "duplicate || words < 5").unwrap().holds(&link, &Facts::default())
        );
    }
}
