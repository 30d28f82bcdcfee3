//! What an analysis of the society should find: the words of it. How it is found out is in `account.rs`.

use serde::Serialize;

use super::pictures::PictureTruth;
use crate::truth::ObjectTruth;
use crate::words::Language;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntityKind {
    Person,
    Place,
    Organisation,
}

/// A person, place or organisation that is written about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntityTruth {
    /// What the other truths call it.
    pub id: usize,
    pub kind: EntityKind,
    /// Of the pages it appears on.
    pub language: Language,
    /// The first name it had.
    pub name: String,
    /// Every way it is written, acronyms, family names and later names too; the main name first.
    pub spellings: Vec<String>,
}

/// From a day on an entity is called otherwise, and never again by its old name but to explain it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RenameTruth {
    pub entity: usize,
    pub from: String,
    pub to: String,
    /// Seconds since 1970.
    pub at: u64,
}

/// What share of the opinions about an entity is praise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FavourTruth {
    pub entity: usize,
    pub before: f64,
    pub after: f64,
    /// Seconds since 1970.
    pub turned: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MentionPlace {
    Title,
    /// In words that are quoted from somebody else.
    Quote,
    Text,
}

/// An entity is named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MentionTruth {
    pub entity: usize,
    /// As it is written, without Mr, Dr and the like.
    pub text: String,
    pub place: MentionPlace,
}

/// Praise (1), blame (-1), or a mention without either (0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OpinionTruth {
    pub entity: usize,
    pub polarity: i8,
}

/// What a post quotes of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QuoteTruth {
    pub author: String,
    /// The anchor of the quoted post.
    pub anchor: Option<String>,
    pub text: String,
}

/// A post, comment or article, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SaidTruth {
    /// The page it stands on.
    pub url: String,
    pub site: String,
    #[serde(flatten)]
    pub object: ObjectTruth,
    /// Seconds since 1970.
    pub at: u64,
    pub language: Language,
    pub topic: usize,
    /// In the order of the text; those of the title first.
    pub mentions: Vec<MentionTruth>,
    /// One for each sentence that was written to say one.
    pub opinions: Vec<OpinionTruth>,
    /// Of the whole text: 1, 0 or -1.
    pub attitude: i8,
    pub quote: Option<QuoteTruth>,
    /// Who wrote what it answers.
    pub answers: Option<String>,
    /// The number of the happening that it reports.
    pub happening: Option<usize>,
    /// Addresses that its text links to.
    pub links: Vec<String>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HappeningTruth {
    pub id: usize,
    pub title: String,
    pub language: Language,
    /// Start of its first day, and of the day after its last. Seconds since 1970.
    pub from: u64,
    pub until: u64,
    pub place: usize,
    /// People, organisation and places that may be named in reports.
    pub entities: Vec<usize>,
    /// Pages that report it, a thread by its first.
    pub pages: Vec<String>,
}

/// Somebody answers or quotes somebody, on a site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BondTruth {
    pub site: String,
    pub from: String,
    pub to: String,
    pub times: usize,
}

/// All of it, for JSON.
#[derive(Serialize)]
pub(crate) struct SocietyTruth {
    pub(super) entities: Vec<EntityTruth>,
    pub(super) renames: Vec<RenameTruth>,
    pub(super) favours: Vec<FavourTruth>,
    pub(super) happenings: Vec<HappeningTruth>,
    pub(super) replies: Vec<BondTruth>,
    pub(super) quotes: Vec<BondTruth>,
    pub(super) pictures: Vec<PictureTruth>,
    pub(super) said: Vec<SaidTruth>,
}
