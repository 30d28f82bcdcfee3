//! What a word means, said where it stands: opened by mouse, key or finger, as titles are not.

use maud::{Markup, html};

/// A word with its meaning folded behind it; where flow content may stand, such as in cells.
pub fn term(word: &str, meaning: &str) -> Markup {
    html! { details.tip { summary { (word) } span { (meaning) } } }
}

/// A number, what it counts, and what that means.
pub fn fact(name: &str, value: &Markup, meaning: &str) -> Markup {
    html! { div { dt { (name) } (value) @if !meaning.is_empty() { dd.meaning { (meaning) } } } }
}
