//! What a crawl is about when it begins: the judge with what the spec says of the topic.

use std::collections::HashSet;

use annalist_crawl::judging::{Basis, rules};
use annalist_judge::names::Names;
use annalist_judge::{Analyst, Judge};
use annalist_model::UrlKey;
use annalist_model::spec::{ScopeKind, Seed, Spec};
use anyhow::Result;

/// The language of pages that do not tell theirs, where the spec names none.
const LANGUAGE: &str = "en";

/// The judge of a spec with a topic. Reference pages become seeds: they are fetched first, and define the topic.
pub fn of(mut spec: Spec) -> Result<(Spec, Option<Basis>)> {
    if !spec.topic.is_given() {
        return Ok((spec, None));
    }
    for reference in spec.topic.references.iter().filter(|reference| reference.contains("://")) {
        let Ok(url) = spec.canonical.parse(reference) else { continue };
        if !spec.seeds.iter().any(|seed| seed.url == url) {
            spec.seeds.push(Seed { scope: ScopeKind::Page, ..Seed::new(url) });
        }
    }
    let language = spec.topic.languages.first().map_or(LANGUAGE, String::as_str);
    let analyst = Analyst::new(Names::default(), language);
    let basis = Basis { judge: Judge::new(rules(&spec)), analyst, references: references(&spec) };
    Ok((spec, Some(basis)))
}

/// The pages that define the topic: the references, or the seeds where there are none.
fn references(spec: &Spec) -> HashSet<UrlKey> {
    let named: HashSet<UrlKey> =
        spec.topic.references.iter().filter_map(|r| Some(spec.canonical.parse(r).ok()?.key())).collect();
    if named.is_empty() { spec.seeds.iter().map(|seed| seed.url.key()).collect() } else { named }
}
