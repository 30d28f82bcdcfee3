//! Which people, places and organisations the archive writes about, and with whom.
//!
//! Not here: what is said about them (`opinions`), how results are kept.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Person,
    Place,
    Organisation,
    /// A name of something else, or nothing tells of what.
    #[default]
    Other,
}

/// Somebody or something with a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// The fullest of its usual spellings.
    pub name: String,
    pub kind: Kind,
    /// Other spellings that stand for it wherever they occur.
    pub aliases: Vec<String>,
    /// How many writings mention it.
    pub writings: u32,
    /// How often they do.
    pub mentions: u32,
    /// When the first and the last of them are from, milliseconds since 1970.
    pub first: u64,
    pub last: u64,
    /// That it is a name, and of this kind; from 0 to 1.
    pub confidence: f32,
}

/// An entity in a writing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mention {
    /// The writing's place in the corpus.
    pub writing: u32,
    /// The entity's place among the entities.
    pub entity: u32,
    pub count: u32,
    /// Lower where nothing but a surname tells who is meant.
    pub confidence: f32,
}

/// Two entities that the same writings mention.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Together {
    pub one: u32,
    pub other: u32,
    pub writings: u32,
}

/// What [`entities`] finds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entities {
    /// Those that most writings mention first.
    pub entities: Vec<Entity>,
    /// In the order of the writings.
    pub mentions: Vec<Mention>,
    /// Those that are most often together first.
    pub together: Vec<Together>,
}

/// A name that the archivist gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    pub name: String,
    pub aliases: Vec<String>,
}

/// What entities are looked for, and how many.
#[derive(Clone, Debug, PartialEq)]
pub struct EntitySettings {
    /// Always looked for, whatever the archive says.
    pub known: Vec<Known>,
    /// Beyond these, the rarest are left out.
    pub most_entities: usize,
    pub most_together: usize,
}

impl Default for EntitySettings {
    fn default() -> EntitySettings {
        EntitySettings { known: Vec::new(), most_entities: 50_000, most_together: 10_000 }
    }
}
