//! What a value must look like to be believed: a date is one that can be read, an author is short, a body is long.

use crate::catalogue::Field;
use crate::dates::{self, Hints};

/// Words that software uses in the names of places where a field stands.
pub(super) fn customary(field: Field) -> &'static [&'static str] {
    match field {
        Field::Author => &[
            "author",
            "byline",
            "username",
            "poster",
            "nick",
            "nickname",
            "fn",
            "writer",
            "writtenby",
            "postedby",
        ],
        Field::Date | Field::Modified => {
            &["date", "time", "datetime", "timestamp", "posted", "publish", "when"]
        }
        Field::Body => &["content", "body", "text", "message", "entry", "post", "comment", "story"],
        _ => &[],
    }
}

pub(super) fn is_believable(field: Field, value: &str, hints: &Hints) -> bool {
    let words = value.split_whitespace().count();
    let has_letter = value.chars().any(char::is_alphabetic);
    match field {
        Field::Date | Field::Modified => value.len() <= 80 && dates::parse(value, hints).is_some(),
        Field::Author => {
            has_letter
                && value.chars().count() <= 60
                && words <= 6
                && !value.contains("://")
                && !is_control(value)
                && dates::parse(value, hints).is_none()
        }
        Field::Title => has_letter && value.chars().count() <= 250 && dates::parse(value, hints).is_none(),
        Field::Body => has_letter && (value.len() > 60 || dates::parse(value, hints).is_none()),
        _ => !value.is_empty(),
    }
}

/// Words of buttons and links that stand beside posts.
fn is_control(value: &str) -> bool {
    const CONTROLS: [&str; 14] = [
        "reply",
        "quote",
        "report",
        "share",
        "permalink",
        "edit",
        "like",
        "link",
        "print",
        "top",
        "says",
        "said",
        "wrote",
        "comments",
    ];
    let plain = value.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_door = ["log in", "login", "register", "sign in", "anmelden", "search"]
        .iter()
        .any(|door| plain.contains(door));
    is_door || CONTROLS.contains(&plain.as_str())
}

/// Words in the names of places that are about something else.
pub(super) const ELSEWHERE: [&str; 21] = [
    "cat",
    "category",
    "categories",
    "tag",
    "tags",
    "sidebar",
    "widget",
    "widgets",
    "aside",
    "menu",
    "nav",
    "navigation",
    "related",
    "recent",
    "recentcomments",
    "latest",
    "popular",
    "teaser",
    "footer",
    "breadcrumb",
    "archive",
];

/// Whether a name is about something else.
pub(super) fn is_elsewhere(name: &str) -> bool {
    name.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|part| ELSEWHERE.contains(&part))
}
