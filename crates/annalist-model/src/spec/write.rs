//! The effective spec: every key with its value, in the syntax it is read in.

use super::Spec;
use super::keys::{
    ABOUT, ARCHIVE, CANONICAL, EVENT, EXTRACT, EventDraft, FETCH, FRONTIER, JUDGE, KNOWLEDGE, LIMITS,
    NETWORK, POLITENESS, REMOTE, SCOPE, SEED, SITE, STUDY, SeedDraft, TOPIC,
};
use super::table::{Key, written};

impl Spec {
    /// The whole spec as TOML. Seeds that came from files stand in it one by one.
    pub fn to_toml(&self) -> String {
        let mut toml = written(ABOUT, self);
        for seed in &self.seeds {
            section(&mut toml, "[[seed]]", SEED, &SeedDraft::from(seed));
        }
        section(&mut toml, "[topic]", TOPIC, &self.topic);
        if let Some(event) = &self.event {
            section(&mut toml, "[event]", EVENT, &EventDraft::from(event));
        }
        section(&mut toml, "[scope]", SCOPE, &self.scope);
        section(&mut toml, "[limits]", LIMITS, &self.limits);
        section(&mut toml, "[politeness]", POLITENESS, &self.politeness);
        section(&mut toml, "[fetch]", FETCH, &self.fetch);
        section(&mut toml, "[network]", NETWORK, &self.network);
        section(&mut toml, "[judge]", JUDGE, &self.judge);
        section(&mut toml, "[frontier]", FRONTIER, &self.frontier);
        section(&mut toml, "[archive]", ARCHIVE, &self.archive);
        section(&mut toml, "[knowledge]", KNOWLEDGE, &self.knowledge);
        if let Some(remote) = &self.knowledge.remote {
            section(&mut toml, "[knowledge.remote]", REMOTE, remote);
        }
        section(&mut toml, "[study]", STUDY, &self.study);
        if let Some(extract) = &self.extract {
            section(&mut toml, "[extract]", EXTRACT, extract);
        }
        section(&mut toml, "[canonical]", CANONICAL, &self.canonical);
        for site in &self.sites {
            section(&mut toml, "[[site]]", SITE, site);
        }
        toml
    }
}

fn section<T>(toml: &mut String, head: &str, keys: &[Key<T>], from: &T) {
    toml.push_str(&format!("\n{head}\n{}", written(keys, from)));
}
