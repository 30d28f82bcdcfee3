//! What can go wrong with a graph on disk.

use std::io;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
    /// Everything in a graph can be made again.
    #[error("{0} is damaged; `annalist rebuild` makes it again out of the archive")]
    Damaged(String),
    #[error("{0} was written by a newer annalist")]
    Newer(String),
    /// One chance in a hundred thousand with a thousand million terms, or somebody's intention.
    #[error("two terms have one name and cannot be told apart: {0} and {1}")]
    Collision(String, String),
    #[error("there are more different terms than one run can hold")]
    TooMany,
}

impl GraphError {
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> GraphError + '_ {
        move |source| GraphError::Io { what: path.display().to_string(), source }
    }

    pub fn damaged(path: &Path) -> GraphError {
        GraphError::Damaged(path.display().to_string())
    }

    /// The error of opening a run that the manifest names: one that is not there is damage, too, and mended as such.
    pub fn of_run(self) -> GraphError {
        match self {
            GraphError::Io { what, source } if source.kind() == io::ErrorKind::NotFound => {
                GraphError::Damaged(what)
            }
            other => other,
        }
    }

    pub fn is_full(&self) -> bool {
        let GraphError::Io { source, .. } = self else { return false };
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }
}

impl From<GraphError> for crate::DerivedError {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Io { what, source } => crate::DerivedError::Io { what, source },
            other => crate::DerivedError::Damaged(other.to_string()),
        }
    }
}
