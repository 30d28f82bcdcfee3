//! The settings that are one of a few words, and the words.

use super::{
    BadCertificates, DigestKind, EntityKind, Order, RelevanceKind, RobotsPolicy, ScopeKind, ScorerKind,
    SiteOrder, SnapshotChoice, Update,
};

/// A setting that is written as one of a few words.
pub trait Words: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
    }
}

impl Words for ScopeKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("page", ScopeKind::Page),
        ("prefix", ScopeKind::Prefix),
        ("host", ScopeKind::Host),
        ("domain", ScopeKind::Domain),
        ("any", ScopeKind::Any),
        ("custom", ScopeKind::Custom),
    ];
}

impl Words for RobotsPolicy {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("obey", RobotsPolicy::Obey),
        ("robots-only", RobotsPolicy::RobotsOnly),
        ("ignore", RobotsPolicy::Ignore),
    ];
}

impl Words for BadCertificates {
    const WORDS: &'static [(&'static str, Self)] =
        &[("archive", BadCertificates::Archive), ("refuse", BadCertificates::Refuse)];
}

impl Words for Order {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("best-first", Order::BestFirst),
        ("breadth-first", Order::BreadthFirst),
        ("in-degree", Order::InDegree),
        ("opic", Order::Opic),
    ];
}

impl Words for Update {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("first", Update::First),
        ("last", Update::Last),
        ("max", Update::Max),
        ("sum", Update::Sum),
        ("avg", Update::Avg),
    ];
}

impl Words for SiteOrder {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("round-robin", SiteOrder::RoundRobin),
        ("best-link", SiteOrder::BestLink),
        ("largest", SiteOrder::Largest),
    ];
}

impl Words for ScorerKind {
    const WORDS: &'static [(&'static str, Self)] =
        &[("learned", ScorerKind::Learned), ("weighted", ScorerKind::Weighted)];
}

impl Words for SnapshotChoice {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("event", SnapshotChoice::Event),
        ("newest", SnapshotChoice::Newest),
        ("oldest", SnapshotChoice::Oldest),
        ("all", SnapshotChoice::All),
    ];
}

impl Words for EntityKind {
    const WORDS: &'static [(&'static str, EntityKind)] = &[
        ("person", EntityKind::Person),
        ("place", EntityKind::Place),
        ("organisation", EntityKind::Organisation),
    ];
}

impl Words for RelevanceKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("default", RelevanceKind::Default),
        ("content", RelevanceKind::Content),
        ("time", RelevanceKind::Time),
        ("mean", RelevanceKind::Mean),
        ("none", RelevanceKind::None),
    ];
}

impl Words for DigestKind {
    const WORDS: &'static [(&'static str, Self)] =
        &[("sha1", DigestKind::Sha1), ("sha256", DigestKind::Sha256)];
}
