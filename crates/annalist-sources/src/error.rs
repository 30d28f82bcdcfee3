//! Why there is no capture, and when to try again. What becomes of the link is the engine's decision.

use std::io;
use std::time::Duration;

use annalist_model::spec::FetchRules;

use crate::guard::Refused;

/// A settings mistake that stops the source before anything is fetched.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("{0:?} cannot stand in a request: printable ASCII only")]
    FieldText(String),
    #[error("cannot use the spool directory: {0}")]
    Spool(#[source] io::Error),
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// Why one fetch brought no capture.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A definite answer: not that there was none.
    #[error("DNS knows no {0}")]
    NoSuchName(String),
    #[error("name not resolved: {0}")]
    Dns(String),
    #[error("address refused: {0}")]
    AddressRefused(#[from] Refused),
    #[error("no connection: {0}")]
    Connect(#[source] io::Error),
    #[error("certificate refused: {0}")]
    Certificate(String),
    #[error("TLS failed: {0}")]
    Tls(String),
    #[error("no answer in time while {0}")]
    Timeout(Waiting),
    /// A kept connection was closed under the request. Worth one more try over a new one, and no fault of the link.
    #[error("the kept connection was closed by the server")]
    Stale,
    #[error("connection broken before the response: {0}")]
    Reset(String),
    #[error("not HTTP: {0}")]
    BadResponse(&'static str),
    #[error("no room to spool the response: {0}")]
    SpoolFull(#[source] io::Error),
    #[error("response not spooled: {0}")]
    Spool(#[source] io::Error),
}

/// What a fetch was doing when its time was up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    Connecting,
    Answering,
}

impl std::fmt::Display for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Waiting::Connecting => "connecting",
            Waiting::Answering => "waiting for the response",
        })
    }
}

/// However often a link failed: a crawl that goes on for weeks asks again within one.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

/// How often a class of failure is worth another try.
enum Persistence {
    Never,
    Once,
    AsOftenAsAllowed,
    /// Not the link's fault: its tries do not count.
    Always,
}

impl FetchError {
    pub(crate) fn spool(error: io::Error) -> FetchError {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                FetchError::SpoolFull(error)
            }
            _ => FetchError::Spool(error),
        }
    }

    /// How long to wait before the next try; `None` when there is to be none. `tries_so_far` counts the failed one.
    pub fn retry_in(&self, tries_so_far: u16, rules: &FetchRules) -> Option<Duration> {
        let most = match self.persistence() {
            Persistence::Never => return None,
            Persistence::Once => rules.tries.min(2),
            Persistence::AsOftenAsAllowed => rules.tries,
            Persistence::Always => return Some(rules.retry_delay),
        };
        if tries_so_far >= most {
            return None;
        }
        let doublings = u32::from(tries_so_far.saturating_sub(1)).min(20);
        Some(rules.retry_delay.saturating_mul(1 << doublings).min(LONGEST_WAIT))
    }

    /// Whether it says something about the host: nobody there, or nobody who speaks. The others are about one link.
    pub const fn is_about_host(&self) -> bool {
        match self {
            FetchError::NoSuchName(_)
            | FetchError::Dns(_)
            | FetchError::Connect(_)
            | FetchError::Tls(_)
            | FetchError::Timeout(Waiting::Connecting) => true,
            FetchError::AddressRefused(_)
            | FetchError::Certificate(_)
            | FetchError::Timeout(Waiting::Answering)
            | FetchError::Stale
            | FetchError::Reset(_)
            | FetchError::BadResponse(_)
            | FetchError::SpoolFull(_)
            | FetchError::Spool(_) => false,
        }
    }

    fn persistence(&self) -> Persistence {
        match self {
            FetchError::AddressRefused(_) | FetchError::Certificate(_) | FetchError::NoSuchName(_) => {
                Persistence::Never
            }
            FetchError::BadResponse(_) | FetchError::Tls(_) => Persistence::Once,
            FetchError::Dns(_)
            | FetchError::Connect(_)
            | FetchError::Timeout(_)
            | FetchError::Stale
            | FetchError::Reset(_) => Persistence::AsOftenAsAllowed,
            FetchError::SpoolFull(_) | FetchError::Spool(_) => Persistence::Always,
        }
    }

    /// Heritrix's code for the status field of crawl.log.
    pub fn code(&self) -> i32 {
        match self {
            FetchError::NoSuchName(_) | FetchError::Dns(_) => -1,
            FetchError::Connect(_)
            | FetchError::Certificate(_)
            | FetchError::Tls(_)
            | FetchError::Timeout(Waiting::Connecting) => -2,
            FetchError::Stale | FetchError::Reset(_) | FetchError::BadResponse(_) => -3,
            FetchError::Timeout(Waiting::Answering) => -4,
            FetchError::SpoolFull(_) | FetchError::Spool(_) => -5,
            FetchError::AddressRefused(_) => -5001,
        }
    }

    /// A few constant words: for counting and for reports.
    pub const fn reason(&self) -> &'static str {
        match self {
            FetchError::NoSuchName(_) => "no such name",
            FetchError::Dns(_) => "dns failed",
            FetchError::AddressRefused(_) => "address refused",
            FetchError::Connect(_) => "connect failed",
            FetchError::Certificate(_) => "certificate refused",
            FetchError::Tls(_) => "tls failed",
            FetchError::Timeout(Waiting::Connecting) => "connect timeout",
            FetchError::Timeout(Waiting::Answering) => "timeout",
            FetchError::Stale | FetchError::Reset(_) => "connection broken",
            FetchError::BadResponse(_) => "bad response",
            FetchError::SpoolFull(_) => "disk full",
            FetchError::Spool(_) => "spool failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FetchError, Waiting};
    use annalist_model::spec::FetchRules;
    use std::io;
    use std::time::Duration;

    fn rules() -> FetchRules {
        FetchRules { tries: 4, retry_delay: Duration::from_secs(60), ..FetchRules::default() }
    }

    fn waits(error: &FetchError) -> Vec<Option<u64>> {
        (1..=4).map(|tries| error.retry_in(tries, &rules()).map(|d| d.as_secs())).collect()
    }

    #[test]
    fn a_passing_failure_is_tried_again_after_ever_longer_waits() {
        let timeout = FetchError::Timeout(Waiting::Answering);
        assert_eq!(waits(&timeout), [Some(60), Some(120), Some(240), None]);
    }

    #[test]
    fn a_lasting_failure_is_not_tried_again_or_once() {
        assert_eq!(waits(&FetchError::Certificate(String::new())), [None; 4]);
        assert_eq!(waits(&FetchError::NoSuchName(String::new())), [None; 4]);
        assert_eq!(waits(&FetchError::BadResponse("x")), [Some(60), None, None, None]);
    }

    #[test]
    fn a_full_disk_is_no_fault_of_the_link() {
        let full = FetchError::spool(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(full.reason(), "disk full");
        assert_eq!(full.retry_in(400, &rules()), Some(Duration::from_secs(60)));
    }

    #[test]
    fn no_number_of_tries_makes_a_wait_overflow() {
        let rules = FetchRules { tries: u16::MAX, retry_delay: Duration::MAX, ..rules() };
        let wait = FetchError::Reset(String::new()).retry_in(u16::MAX - 1, &rules);
        assert_eq!(wait, Some(Duration::from_secs(24 * 3600)));
    }
}
