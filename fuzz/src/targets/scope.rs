//! Scope expressions: any text compiles or is a mistake with its key, and what compiles never holds together with its
//! opposite.

use annalist_crawl::scope::{Facts, Scope, Walked, Way};
use annalist_model::spec::{Expression, Spec};
use annalist_model::{CanonicalUrl, Link, LinkKind, Score};

const MOST_LINES: usize = 8;

/// Each line is an expression, and a SURT prefix too.
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (Ok(seed), Ok(target)) = (
        CanonicalUrl::parse("http://a.test/"),
        CanonicalUrl::parse("http://www.b.test/dir/page.html?q=1&r=%C3%BC"),
    ) else {
        return;
    };
    let link = Link::seed(seed, 0).child(target, LinkKind::Anchor, "words");
    let way = Way::new(Walked::default);
    let known = Facts {
        way: Some(&way),
        via_url: Some("http://a.test/"),
        mime: Some("text/html"),
        language: Some("de"),
        score: Some(Score::ONE),
        via_beyond: 0,
        was_in_scope: false,
        page: None,
    };
    for line in text.lines().take(MOST_LINES) {
        let Some(scope) = including(line) else { continue };
        let not = including(&format!("!({line})"));
        let same = including(&format!("({line}) || false"));
        for facts in [&known, &Facts::default()] {
            let holds = scope.admit(&link, facts).is_in();
            assert!(
                !holds || not.as_ref().is_none_or(|not| !not.admit(&link, facts).is_in()),
                "{line} and its opposite"
            );
            assert!(
                same.as_ref().is_none_or(|same| same.admit(&link, facts).is_in() == holds),
                "{line} in brackets"
            );
            scope.follow(&link, facts);
        }
    }
    let mut spec = Spec::named("surts");
    spec.scope.surts = text.lines().take(MOST_LINES).map(str::to_owned).collect();
    assert!(
        Scope::compile(&spec).is_ok_and(|scope| scope.admit(&link, &known) == scope.admit(&link, &known))
    );
}

/// A scope that holds nothing but what the expression says.
fn including(text: &str) -> Option<Scope> {
    let mut spec = Spec::named("any");
    let key = "scope.include[0]".to_owned();
    spec.scope.include = vec![Expression { text: text.to_owned(), key: key.clone(), line: 3 }];
    let mistakes = match Scope::compile(&spec) {
        Ok(scope) => return Some(scope),
        Err(mistakes) => mistakes,
    };
    assert!(!mistakes.is_empty(), "{text} is refused without a reason");
    assert!(
        mistakes.iter().all(|mistake| mistake.key == key && mistake.line == 3),
        "{mistakes:?} points elsewhere"
    );
    None
}
