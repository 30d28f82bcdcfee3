//! The language of scope expressions for those who look back: which of the things that were captured are meant.

use annalist_model::Link;
use annalist_model::spec::Expression;

use super::Facts;
use super::expression::{Rule, Subject};

/// A condition over captures, such as `host.endsWith(".gr") && score >= 0.5`.
#[derive(Debug)]
pub struct Query(Rule);

impl Query {
    /// `name` is how a mistake is told.
    pub fn compile(name: &str, text: &str) -> Result<Query, String> {
        let expression = Expression { text: text.to_owned(), key: name.to_owned(), line: 0 };
        Rule::compile(&expression).map(Query).map_err(|mistake| format!("{name}: {}", mistake.message))
    }

    /// Whether it is true of a capture, told as a link with what is known of its page. What depends on something unknown
    /// does not hold.
    pub fn holds(&self, link: &Link, facts: &Facts<'_>) -> bool {
        self.0.holds(&Subject { link, facts })
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::{CanonicalUrl, Link, Score};

    use super::Query;
    use crate::scope::Facts;

    #[test]
    fn a_query_asks_about_captures_what_a_scope_asks_about_links() {
        let query = Query::compile("--query", "host.endsWith(\".gr\") && score >= 0.5").unwrap();
        let link = Link::seed(CanonicalUrl::parse("http://a.gr/x").unwrap(), 0);
        let scored = |score| Facts { score: Some(Score::new(score)), ..Facts::default() };
        assert!(query.holds(&link, &scored(0.6)));
        assert!(!query.holds(&link, &scored(0.4)));
        assert!(!query.holds(&link, &Facts::default()));
        let fault = Query::compile("--query", "host = 3").unwrap_err();
        assert!(fault.starts_with("--query: at character"), "{fault}");
    }
}
