//! The definition as a file.

use std::fmt::Write as _;

use super::Definition;

const HEAD: &str = "\
# What the collection is about: the spec, and what its reference pages taught.
# Read it, correct it, keep it: pages are judged by what stands here.

";
const TYPICAL: &str = "
# How near a typical page of the topic is to the terms below (the cosine of the angle between them). A page that is
# three quarters as near is as likely relevant as not. Raise it to be stricter.
";
const COUNTS: &str = "
# On how many pages this stands: those about the topic, and others that say what is usual.
";
const TERMS: &str = "
# Words of the topic and how much each says, from 0 to 1. Other forms of a word count as the word. Remove what is not
# meant, add what is missing; 0 turns a word off.
[terms]
";
const PHRASES: &str = "
# Words side by side, looked for as they stand, at links above all. The weight says how strong a phrase was among the
# reference pages; 0 turns it off.
[phrases]
";
const ENTITIES: &str = "
# People, places and things, with their other names; `seen` is how often the reference pages name them.
";

impl Definition {
    /// `definition.toml`; [`Definition::read`] is the way back.
    pub fn to_toml(&self) -> String {
        let mut toml = HEAD.to_owned();
        let _ = writeln!(toml, "name = {}", quoted(&self.name));
        let _ = writeln!(toml, "languages = {}", list(&self.languages));
        let _ = writeln!(toml, "keywords = {}", list(&self.keywords));
        toml.push_str(COUNTS);
        let _ = writeln!(toml, "references = {}\nbackground = {}", self.references, self.background);
        toml.push_str(TYPICAL);
        let _ = writeln!(toml, "typical = {:?}", self.typical);
        for (comment, terms) in [(TERMS, &self.terms), (PHRASES, &self.phrases)] {
            toml.push_str(comment);
            for (term, weight) in terms {
                let _ = writeln!(toml, "{} = {weight:?}", key(term));
            }
        }
        if !self.entities.is_empty() {
            toml.push_str(ENTITIES);
        }
        for entity in &self.entities {
            let (name, aliases) = (quoted(&entity.name), list(&entity.aliases));
            let _ =
                writeln!(toml, "[[entity]]\nname = {name}\naliases = {aliases}\nseen = {}\n", entity.seen);
        }
        toml.truncate(toml.trim_end().len());
        toml.push('\n');
        toml
    }
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// A key needs quotes where it is more than letters, digits, `-` and `_`.
fn key(term: &str) -> String {
    let is_bare =
        !term.is_empty() && term.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if is_bare { term.to_owned() } else { quoted(term) }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
