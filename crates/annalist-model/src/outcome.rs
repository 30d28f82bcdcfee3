//! What became of a link, and the reasons for leaving one alone. Every URL ever seen ends in one of these.

use serde::Serialize;

/// Why a link was not fetched. The names appear in `skipped.jsonl`, `explain` and reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// No seed's scope holds it.
    OutOfScope,
    /// An exclude rule of the spec matched.
    Excluded,
    /// More clicks from its seed than the spec allows.
    TooDeep,
    /// robots.txt forbids it.
    Robots,
    /// robots.txt could not be had (5xx or unreachable), which forbids everything for the time being.
    RobotsUnreachable,
    /// The site's page budget is used up.
    SiteBudget,
    /// The crawl's budget was used up before its turn.
    Budget,
    /// The URL looks like a trap: repeating segments, endless length.
    Trap,
    /// Blocked by the spec or by an operator.
    Blocked,
    /// Its address is not public and not allowed by the spec.
    Address,
    /// More redirects in a row than allowed.
    RedirectLoop,
    /// The page asks not to have its links followed.
    Nofollow,
    /// Tried as often as allowed and never answered.
    Failed,
    /// No fetchable URL: another scheme, nonsense, too long.
    Unusable,
    /// The application it belongs to shows nothing new there.
    Application,
    /// The archive that the collection is taken from does not have it.
    Missing,
    /// The archive has it under another address, which is collected in its place.
    Duplicate,
    /// Somebody said that it is never to be fetched.
    Blacklisted,
}

impl SkipReason {
    pub const ALL: [SkipReason; 18] = [
        SkipReason::OutOfScope,
        SkipReason::Excluded,
        SkipReason::TooDeep,
        SkipReason::Robots,
        SkipReason::RobotsUnreachable,
        SkipReason::SiteBudget,
        SkipReason::Budget,
        SkipReason::Trap,
        SkipReason::Blocked,
        SkipReason::Address,
        SkipReason::RedirectLoop,
        SkipReason::Nofollow,
        SkipReason::Failed,
        SkipReason::Unusable,
        SkipReason::Application,
        SkipReason::Missing,
        SkipReason::Duplicate,
        SkipReason::Blacklisted,
    ];

    /// The stored form: the place in [`SkipReason::ALL`], which only ever grows at its end.
    pub fn code(self) -> u8 {
        SkipReason::ALL.iter().position(|r| *r == self).unwrap_or(0) as u8
    }

    pub fn from_code(code: u8) -> Option<SkipReason> {
        SkipReason::ALL.get(usize::from(code)).copied()
    }

    pub const fn name(self) -> &'static str {
        match self {
            SkipReason::OutOfScope => "out-of-scope",
            SkipReason::Excluded => "excluded",
            SkipReason::TooDeep => "too-deep",
            SkipReason::Robots => "robots",
            SkipReason::RobotsUnreachable => "robots-unreachable",
            SkipReason::SiteBudget => "site-budget",
            SkipReason::Budget => "budget",
            SkipReason::Trap => "trap",
            SkipReason::Blocked => "blocked",
            SkipReason::Address => "address",
            SkipReason::RedirectLoop => "redirect-loop",
            SkipReason::Nofollow => "nofollow",
            SkipReason::Failed => "failed",
            SkipReason::Application => "application",
            SkipReason::Missing => "missing",
            SkipReason::Duplicate => "duplicate",
            SkipReason::Blacklisted => "blacklisted",
            SkipReason::Unusable => "unusable",
        }
    }
}

/// What became of a link that had its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Fetched and kept in the archive.
    Captured { status: u16 },
    /// Fetched; the payload was already there, so a revisit record points to it.
    Revisit { status: u16 },
    /// Not fetched, for good.
    Skipped { reason: SkipReason, detail: String },
}

impl Outcome {
    /// Whether it holds for ever, whatever comes after it.
    pub fn is_blacklisting(&self) -> bool {
        matches!(self, Outcome::Skipped { reason: SkipReason::Blacklisted, .. })
    }
}
