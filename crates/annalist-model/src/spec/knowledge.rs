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
    /// A store elsewhere that is told the same statements.
    pub remote: Option<RemoteRules>,
}

impl Default for KnowledgeRules {
    fn default() -> Self {
        KnowledgeRules {
            graph: true,
            search: true,
            memory_bytes: 128 << 20,
            every: Duration::from_secs(10),
            remote: None,
        }
    }
}

/// A SPARQL 1.1 server that is told what the graph says. No secret is in it: only where one is to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteRules {
    /// Where it takes updates.
    pub update: Option<String>,
    /// Where it speaks the Graph Store Protocol; used where there is no `update`.
    pub graph_store: Option<String>,
    pub user: Option<String>,
    /// The environment variable that holds the secret.
    pub secret_env: Option<String>,
    /// The file that holds it.
    pub secret_file: Option<String>,
    /// Statements in one request.
    pub batch: usize,
    pub timeout: Duration,
    /// How often a request is made before the server counts as away.
    pub tries: u16,
    /// Wait before the second try; doubles each time.
    pub retry_delay: Duration,
}

impl Default for RemoteRules {
    fn default() -> Self {
        RemoteRules {
            update: None,
            graph_store: None,
            user: None,
            secret_env: None,
            secret_file: None,
            batch: 1000,
            timeout: Duration::from_secs(60),
            tries: 4,
            retry_delay: Duration::from_secs(1),
        }
    }
}

impl RemoteRules {
    /// Whom it is about, in words and for comparison.
    pub fn address(&self) -> &str {
        self.update.as_deref().or(self.graph_store.as_deref()).unwrap_or_default()
    }
}
