//! How links are valued and when they are scheduled, by name: `bfs`, `avg`, `avg+batch+bl5`.

use std::fmt;
use std::str::FromStr;

use annalist_model::spec::{Order, RelevanceKind, Update};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    pub(crate) base: Base,
    pub(crate) scheduling: Scheduling,
    /// `bl`: links of one site that are fetched in a row.
    pub(crate) links_per_turn: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    /// The product's own judge.
    Default,
    /// Breadth first.
    Bfs,
    /// Best first by cosines, with what becomes of the values one link receives.
    Cosine(Function),
    /// Best first by what content and time make of the page that a link is on.
    Event(RelevanceKind),
    /// Knows which of the links found so far lead to relevant pages, and not what is behind the others.
    Oracle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    First,
    Last,
    Max,
    Sum,
    Avg,
}

/// When the links of a page are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheduling {
    AtOnce,
    /// After a batch of pages, valued by all mentions in it together.
    InBatches,
}

const BASES: [(&str, Base); 8] = [
    ("default", Base::Default),
    ("bfs", Base::Bfs),
    ("first", Base::Cosine(Function::First)),
    ("last", Base::Cosine(Function::Last)),
    ("max", Base::Cosine(Function::Max)),
    ("sum", Base::Cosine(Function::Sum)),
    ("avg", Base::Cosine(Function::Avg)),
    ("oracle", Base::Oracle),
];

/// Where there is an event.
const EVENT_BASES: [(&str, Base); 3] = [
    ("mean", Base::Event(RelevanceKind::Mean)),
    ("content", Base::Event(RelevanceKind::Content)),
    ("time", Base::Event(RelevanceKind::Time)),
];

impl Default for Policy {
    /// The product's own.
    fn default() -> Policy {
        Policy { base: Base::Default, scheduling: Scheduling::AtOnce, links_per_turn: 1 }
    }
}

impl Policy {
    /// The plain ones, in the order they are shown.
    pub fn plain() -> Vec<Policy> {
        BASES.map(|(_, base)| Policy { base, ..Policy::default() }).to_vec()
    }

    /// Those for events, in the order they are shown.
    pub fn for_events() -> Vec<Policy> {
        let plain = |base: Base| Policy { base, ..Policy::default() };
        let bases = EVENT_BASES.map(|(_, base)| plain(base));
        [plain(Base::Default)].into_iter().chain(bases).chain([plain(Base::Bfs)]).collect()
    }

    pub(crate) fn is_for_events(&self) -> bool {
        self.is_plain() && !matches!(self.base, Base::Cosine(_))
    }

    /// Whether it can be followed only where there is an event.
    pub fn needs_event(&self) -> bool {
        matches!(self.base, Base::Event(_))
    }

    pub(crate) fn heeds_time(&self) -> bool {
        matches!(self.base, Base::Default | Base::Event(RelevanceKind::Time | RelevanceKind::Mean))
    }

    pub(crate) fn heeds_content(&self) -> bool {
        matches!(self.base, Base::Default | Base::Event(RelevanceKind::Content | RelevanceKind::Mean))
    }

    pub fn breadth_first() -> Policy {
        Policy { base: Base::Bfs, ..Policy::default() }
    }

    pub(crate) fn base_name(&self) -> &'static str {
        BASES.iter().chain(&EVENT_BASES).find(|(_, base)| *base == self.base).map_or("", |(name, _)| name)
    }

    pub(crate) fn order(&self) -> Order {
        if self.base == Base::Bfs { Order::BreadthFirst } else { Order::BestFirst }
    }

    pub(crate) fn update(&self) -> Update {
        match self.base {
            Base::Bfs | Base::Cosine(Function::First) => Update::First,
            Base::Default | Base::Oracle | Base::Cosine(Function::Last) => Update::Last,
            Base::Cosine(Function::Max) | Base::Event(_) => Update::Max,
            Base::Cosine(Function::Sum) => Update::Sum,
            Base::Cosine(Function::Avg) => Update::Avg,
        }
    }

    /// One link at a time, scheduled as soon as it is found.
    pub(crate) fn is_plain(&self) -> bool {
        self.scheduling == Scheduling::AtOnce && self.links_per_turn == 1
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no policy {0:?}: take default, bfs, first, last, max, sum, avg or oracle, with +batch, +bl5 or both behind it; for events \
     default, mean, content, time, bfs or oracle"
)]
pub struct UnknownPolicy(String);

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Policy, UnknownPolicy> {
        let unknown = || UnknownPolicy(name.to_owned());
        let mut parts = name.split('+');
        let base = parts.next().unwrap_or_default();
        let (_, base) =
            BASES.iter().chain(&EVENT_BASES).find(|(known, _)| *known == base).ok_or_else(unknown)?;
        let mut policy = Policy { base: *base, scheduling: Scheduling::AtOnce, links_per_turn: 1 };
        for part in parts {
            match part.strip_prefix("bl") {
                Some(number) => {
                    let number = number.parse().ok().filter(|number| *number > 0);
                    policy.links_per_turn = number.ok_or_else(unknown)?;
                }
                None if part == "batch" => policy.scheduling = Scheduling::InBatches,
                None => return Err(unknown()),
            }
        }
        Ok(policy)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base_name())?;
        if self.scheduling == Scheduling::InBatches {
            f.write_str("+batch")?;
        }
        if self.links_per_turn > 1 {
            write!(f, "+bl{}", self.links_per_turn)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Policy;

    #[test]
    fn a_policy_is_written_as_it_is_read() {
        for name in ["default", "default+batch", "bfs", "oracle", "avg+batch", "max+bl5", "sum+batch+bl5"] {
            assert_eq!(name.parse::<Policy>().unwrap().to_string(), name);
        }
        assert_eq!("avg+bl5+batch".parse::<Policy>().unwrap().to_string(), "avg+batch+bl5");
    }

    #[test]
    fn what_is_no_policy_is_told_with_those_there_are() {
        for name in ["", "best", "avg+", "avg+bl", "avg+bl0", "avg+blue", "AVG"] {
            let told = name.parse::<Policy>().unwrap_err().to_string();
            assert!(told.contains(&format!("{name:?}")) && told.contains("bfs"), "{told}");
        }
    }
}
