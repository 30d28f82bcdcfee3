//! What is made of the archive while it grows.

/// Which derived stores are kept, and what they may take.
#[derive(Clone, Debug, PartialEq)]
pub struct KnowledgeRules {
    /// Whether statements are kept that can be asked in SPARQL.
    pub graph: bool,
    /// Whether pages can be searched by their words.
    pub search: bool,
    /// Memory of both together; the rest is on disk.
    pub memory_bytes: u64,
}

impl Default for KnowledgeRules {
    fn default() -> Self {
        KnowledgeRules { graph: true, search: true, memory_bytes: 128 << 20 }
    }
}
