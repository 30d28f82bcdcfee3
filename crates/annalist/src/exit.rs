//! Exit codes, the same as browsertrix uses, so that scripts can tell endings apart.

use std::process::ExitCode;

use annalist_crawl::engine::CrawlError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    DiskFull = 3,
    BadConfiguration = 4,
    Failed = 9,
    Interrupted = 11,
    SizeLimit = 14,
    TimeLimit = 15,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// What the user typed or wrote cannot be acted on; everything that is wrong is in the message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadConfiguration(pub String);

/// Somebody wanted it to end; nothing half done has its final name.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: nothing was written")]
pub struct Interrupted;

/// Somebody wanted it to end; what is done stays, as the message says.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: {0}")]
pub struct Paused(pub String);

/// The code for an error that ended the program.
pub fn code_of(error: &anyhow::Error) -> Exit {
    if error.downcast_ref::<BadConfiguration>().is_some() {
        return Exit::BadConfiguration;
    }
    if error.downcast_ref::<Interrupted>().is_some() || error.downcast_ref::<Paused>().is_some() {
        return Exit::Interrupted;
    }
    if let Some(CrawlError::Spec { .. } | CrawlError::SeedGone { .. }) = error.downcast_ref() {
        return Exit::BadConfiguration;
    }
    if error.downcast_ref::<CrawlError>().is_some_and(CrawlError::is_full) {
        return Exit::DiskFull;
    }
    let full = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|e| matches!(e.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded));
    if full { Exit::DiskFull } else { Exit::Failed }
}

#[cfg(test)]
mod tests {
    use super::{BadConfiguration, Exit, code_of};

    #[test]
    fn a_full_disk_is_told_apart_from_other_failures() {
        let full = anyhow::Error::from(std::io::Error::from(std::io::ErrorKind::StorageFull)).context("x");
        assert_eq!(code_of(&full), Exit::DiskFull);
        let copying = annalist_warc::CopyError::Write(std::io::ErrorKind::StorageFull.into());
        assert_eq!(code_of(&anyhow::Error::from(copying).context("x")), Exit::DiskFull);
        assert_eq!(code_of(&anyhow::anyhow!("other")), Exit::Failed);
        assert_eq!(code_of(&BadConfiguration("x".into()).into()), Exit::BadConfiguration);
    }
}
