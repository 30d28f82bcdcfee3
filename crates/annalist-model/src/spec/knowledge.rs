//! What is made of the archive while it grows.

use std::time::Duration;

/// How `annalist study` goes about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyRules {
    /// A folder with a model that marks names; without one, words tell.
    pub model: Option<String>,
}

/// Which derived stores are kept, and what they may take.
#[derive(Clone, Debug, PartialEq)]
pub struct KnowledgeRules {
    /// Whether statements are kept that can be asked in SPARQL.
    pub graph: bool,
    /// Whether pages can be searched by their words.
    pub search: bool,
    /// Memory of both together; the rest is on disk.
    pub memory_bytes: u64,
    /// How often they are brought up to the archive while the crawl runs.
    pub every: Duration,
}

impl Default for KnowledgeRules {
    fn default() -> Self {
        KnowledgeRules { graph: true, search: true, memory_bytes: 128 << 20, every: Duration::from_secs(10) }
    }
}
