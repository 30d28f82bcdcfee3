//! robots.txt: every verdict is the one that a plain reading of RFC 9309 gives, and names the line it comes from.

use std::time::Duration;

use annalist_sources::Robots;

mod naive;

const TOKEN: &str = "annalist";
const MOST_TARGETS: usize = 12;
const LONGEST_DELAY: Duration = Duration::from_secs(7 * 24 * 3600);

pub(crate) fn run(data: &[u8]) {
    let robots = Robots::parse(data, TOKEN);
    assert!(robots.allowed("/robots.txt").allowed, "robots.txt itself is forbidden");
    assert!(robots.crawl_delay().is_none_or(|delay| delay <= LONGEST_DELAY));
    assert!(robots.sitemaps().iter().all(|sitemap| !sitemap.is_empty() && !sitemap.contains(['\r', '\n'])));
    let rules = naive::rules(data, TOKEN);
    let text = String::from_utf8_lossy(data);
    for target in targets(&text) {
        let verdict = robots.allowed(&target);
        assert_eq!(verdict.allowed, naive::allowed(&rules, &target), "{target:?} by {:?}", verdict.rule);
        if let Some(rule) = &verdict.rule {
            let kind = if verdict.allowed { "Allow: " } else { "Disallow: " };
            let written = rule.strip_prefix(kind);
            assert!(written.is_some_and(|written| text.contains(written)), "{rule:?} is not in the file");
        }
    }
}

/// What the file itself speaks of, wildcards filled in, and a little beyond.
fn targets(text: &str) -> Vec<String> {
    let mut targets = vec!["/".to_owned(), "/index.html?q=1".to_owned(), "/%7Euser/*$".to_owned()];
    for word in text.split_whitespace().filter(|word| word.starts_with('/')).take(MOST_TARGETS) {
        targets.push(word.to_owned());
        targets.push(word.trim_end_matches('$').replace('*', "/x"));
        targets.push(format!("{word}/more"));
    }
    targets
}
