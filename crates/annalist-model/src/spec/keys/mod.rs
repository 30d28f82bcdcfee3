//! Every key of a spec, each defined once. `about` says what is to be remembered, `reach` what is fetched, `manners`
//! how servers are treated, `engine` how the crawler works. How a table is read by these is in `table.rs`.

mod about;
mod engine;
mod judge;
mod knowledge;
mod manners;
mod reach;
mod remote;
mod written;

pub(super) use about::{ABOUT, ENTITY, EVENT, EventDraft, SEED, SeedDraft, TOPIC};
pub(super) use engine::{ARCHIVE, EXTRACT, FRONTIER};
pub(super) use judge::{JUDGE, PATTERN};
pub(super) use knowledge::{KNOWLEDGE, STUDY};
pub use manners::network_of;
pub(super) use manners::{FETCH, NETWORK, POLITENESS};
pub use reach::host_name;
pub(super) use reach::{CANONICAL, LIMITS, SCOPE, SITE};
pub(super) use remote::REMOTE;

use super::table::{Key, Written};
use super::{
    ArchiveRules, Entity, ExtractRules, FetchRules, FrontierRules, JudgeRules, KnowledgeRules, Limits,
    Network, Politeness, RemoteRules,
};
use super::{ScopeRules, SiteRules, Spec, StudyRules, Topic, UrlPattern};
use crate::url::Canonicaliser;

/// A key, for documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDoc {
    /// `[politeness]`, `[[seed]]`; empty for the keys at the top.
    pub section: &'static str,
    pub name: &'static str,
    /// `a whole number from 1 to 1000`
    pub expected: String,
    /// As TOML; empty when the key is not set by default.
    pub default: String,
    pub meaning: &'static str,
}

/// Every key of a spec, in the order of the documentation.
pub fn keys() -> Vec<KeyDoc> {
    let mut all = Vec::new();
    document(&mut all, "", ABOUT, &Spec::named(""));
    document(&mut all, "[[seed]]", SEED, &SeedDraft::default());
    document(&mut all, "[topic]", TOPIC, &Topic::default());
    document(&mut all, "[[topic.entity]]", ENTITY, &Entity::default());
    document(&mut all, "[event]", EVENT, &EventDraft::default());
    document(&mut all, "[scope]", SCOPE, &ScopeRules::default());
    document(&mut all, "[limits]", LIMITS, &Limits::default());
    document(&mut all, "[politeness]", POLITENESS, &Politeness::default());
    document(&mut all, "[fetch]", FETCH, &FetchRules::default());
    document(&mut all, "[network]", NETWORK, &Network::default());
    document(&mut all, "[judge]", JUDGE, &JudgeRules::default());
    document(&mut all, "[[judge.pattern]]", PATTERN, &UrlPattern::default());
    document(&mut all, "[frontier]", FRONTIER, &FrontierRules::default());
    document(&mut all, "[archive]", ARCHIVE, &ArchiveRules::default());
    document(&mut all, "[knowledge]", KNOWLEDGE, &KnowledgeRules::default());
    document(&mut all, "[knowledge.remote]", REMOTE, &RemoteRules::default());
    document(&mut all, "[study]", STUDY, &StudyRules::default());
    document(&mut all, "[extract]", EXTRACT, &ExtractRules::default());
    document(&mut all, "[canonical]", CANONICAL, &Canonicaliser::default());
    document(&mut all, "[[site]]", SITE, &SiteRules::default());
    all
}

fn document<T>(all: &mut Vec<KeyDoc>, section: &'static str, keys: &[Key<T>], default: &T) {
    all.extend(keys.iter().map(|key| KeyDoc {
        section,
        name: key.name,
        expected: key.shape.to_string(),
        default: match (key.write)(default) {
            // Empty text is how a required key looks before it is set.
            Written::Value(value) if value != "\"\"" => value,
            _ => String::new(),
        },
        meaning: key.meaning,
    }));
}

#[cfg(test)]
mod tests {
    use super::keys;
    use std::collections::HashSet;

    #[test]
    fn no_key_is_defined_twice_and_each_has_a_meaning() {
        let mut seen = HashSet::new();
        for key in keys() {
            assert!(seen.insert((key.section, key.name)), "{} {}", key.section, key.name);
            assert!(!key.meaning.is_empty() && !key.expected.is_empty());
        }
    }

    #[test]
    fn the_documentation_knows_the_defaults() {
        let keys = keys();
        let default = |section, name| {
            keys.iter().find(|k| k.section == section && k.name == name).map(|k| k.default.clone())
        };
        assert_eq!(default("[politeness]", "min_delay").as_deref(), Some("\"3s\""));
        assert_eq!(default("[[seed]]", "scope").as_deref(), Some("\"host\""));
        assert_eq!(default("", "name").as_deref(), Some(""));
    }
}
