//! The catalogue: what is known of applications. One file describes one of them (`describe.rs` reads it from XML), what it
//! extends is added in `inherit.rs`, and all of them together are made ready for use in `compile.rs`.

use std::sync::Arc;

use regex::Regex;

use crate::address::Address;
use crate::dates::Hints;
use crate::xpath::Expression;

mod compile;
mod describe;
mod inherit;
mod load;
mod xml;

pub use compile::{Application, Catalogue, FieldPlan, Level, LinkRule, Links, ObjectPlan, Shown};
pub use load::{BUILT_IN, Loaded, head_of, load};

/// Something wrong in a catalogue file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    pub told: String,
}

impl Mistake {
    fn new(line: usize, told: String) -> Mistake {
        Mistake { file: String::new(), line, told }
    }
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.told)
    }
}

/// An application as its file describes it.
#[derive(Clone, Debug)]
pub struct Description {
    pub id: String,
    pub name: String,
    pub extends: Option<String>,
    pub inherits: bool,
    pub signs: Vec<Sign>,
    pub rules: Vec<Rule>,
    pub paging: Vec<Paging>,
    /// Parameters that change nothing.
    pub drops: Vec<String>,
    pub others: Option<Others>,
    pub levels: Vec<LevelDescription>,
    pub file: Arc<str>,
    pub line: usize,
}

/// What tells an application, or a level of it.
#[derive(Clone, Debug)]
pub enum Sign {
    Markup(Expression),
    Address(Address),
    Text(String),
    All(Vec<Sign>),
    Any(Vec<Sign>),
    None(Vec<Sign>),
    /// What tells the application, or the level, that this one extends.
    Inherited,
}

/// What happens to links that no rule fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    Follow,
    Skip,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ruling {
    Follow { score: f32 },
    Never,
    Spare { score: f32 },
}

/// What is done with links.
#[derive(Clone, Debug)]
pub struct Rule {
    pub ruling: Ruling,
    /// What it is called: the action, or the reason.
    pub name: String,
    pub at: Option<Expression>,
    pub address: Address,
    /// It is about what pages and style sheets embed, not about links.
    pub is_for_embeds: bool,
}

/// What in an address is only the number of a page.
#[derive(Clone, Debug)]
pub enum Paging {
    Parameter(String),
    /// Found at the end of the path; the first group is the number.
    Path(Regex),
    /// Anywhere: what the first group finds, and what stands there on the first page.
    Number {
        at: Regex,
        first: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelKind {
    /// A list that leads to content.
    Intermediate,
    /// Content.
    Terminal,
}

#[derive(Clone, Debug)]
pub struct LevelDescription {
    pub id: String,
    /// As inherited where it is not said.
    pub kind: Option<LevelKind>,
    pub is_index: Option<bool>,
    pub inherits: bool,
    pub signs: Option<Vec<Sign>>,
    pub rules: Vec<Rule>,
    pub paging: Vec<Paging>,
    pub next: Vec<Expression>,
    pub others: Option<Others>,
    pub fields: Vec<FieldRule>,
    pub objects: Vec<ObjectRule>,
    pub acts: Vec<Act>,
}

/// What a browser would have to do; kept for sources that drive one.
#[derive(Clone, Debug)]
pub struct Act {
    pub at: Expression,
    pub action: String,
    pub value: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ObjectRule {
    pub kind: String,
    pub at: Expression,
    /// It goes on in the elements after it, until the next one.
    pub is_run: bool,
    /// Inherited rules for objects of its type are not used.
    pub is_only: bool,
    /// The kind of object that those without an enclosing one belong to.
    pub parent: Option<String>,
    pub fields: Vec<FieldRule>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    Id,
    Url,
    Author,
    AuthorPage,
    Date,
    Modified,
    Title,
    Body,
    Quote,
    Parent,
    Attachment,
    Tag,
    Rating,
    Forum,
    ThreadTitle,
}

impl Field {
    pub const ALL: [(Field, &'static str); 15] = [
        (Field::Id, "id"),
        (Field::Url, "url"),
        (Field::Author, "author"),
        (Field::AuthorPage, "author-page"),
        (Field::Date, "date"),
        (Field::Modified, "modified"),
        (Field::Title, "title"),
        (Field::Body, "body"),
        (Field::Quote, "quote"),
        (Field::Parent, "parent"),
        (Field::Attachment, "attachment"),
        (Field::Tag, "tag"),
        (Field::Rating, "rating"),
        (Field::Forum, "forum"),
        (Field::ThreadTitle, "thread-title"),
    ];

    pub fn named(name: &str) -> Option<Field> {
        Field::ALL.iter().find(|(_, other)| *other == name).map(|(field, _)| *field)
    }

    pub fn name(self) -> &'static str {
        Field::ALL.iter().find(|(field, _)| *field == self).map_or("", |(_, name)| *name)
    }

    /// Of these, all that are found are kept; of others, the first.
    pub fn is_list(self) -> bool {
        matches!(self, Field::Quote | Field::Attachment | Field::Tag)
    }
}

#[derive(Clone, Debug)]
pub struct FieldRule {
    pub field: Field,
    pub at: Option<Expression>,
    pub value: Option<String>,
    pub matches: Option<Regex>,
    pub leave_out: Vec<Expression>,
    pub hints: Hints,
    /// Of an id: it counts within the thread only.
    pub is_local: bool,
}
