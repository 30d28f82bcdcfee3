//! Names of people, places and things, and keywords, found in a text by one automaton over its words: whole words only, in
//! whatever form the language gives them.

use std::collections::HashMap;

use crate::text::ids::IdMap;
use crate::text::{Language, Stems, Word, words};

/// Longer ones are no names.
const MOST_WORDS: usize = 12;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As the explanation says it.
    pub name: String,
    /// The spellings that stand for it, the name itself among them.
    pub spellings: Vec<String>,
}

/// All names, ready for the languages that come.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<Name>,
    automata: HashMap<String, Automaton>,
}

/// A name in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its place among the names.
    pub name: usize,
    /// Where it stands in the text.
    pub from: usize,
    pub to: usize,
}

impl Names {
    pub fn new(names: Vec<Name>) -> Names {
        Names { names, automata: HashMap::new() }
    }

    pub fn names(&self) -> &[Name] {
        &self.names
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Made once for each language: the forms of a name are the language's.
    pub fn automaton(&mut self, language: &str) -> &Automaton {
        let names = &self.names;
        // `entry` would want the language's name each time.
        if !self.automata.contains_key(language) {
            self.automata.insert(language.to_owned(), Automaton::new(names, language));
        }
        self.automata.entry(language.to_owned()).or_default()
    }
}

/// A tree of stems: each way down from its root is a spelling.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    next: IdMap<u32>,
    /// The name that ends here.
    name: Option<usize>,
    /// A single word with a capital is a name only with one: `May`.
    capital: bool,
}

impl Automaton {
    fn new(names: &[Name], language: &str) -> Automaton {
        let mut automaton = Automaton { nodes: vec![Node::default()] };
        let mut stems = Stems::new(Language::of(language));
        for (at, name) in names.iter().enumerate() {
            for spelling in &name.spellings {
                automaton.add(at, spelling, &mut stems);
            }
        }
        automaton
    }

    fn add(&mut self, name: usize, spelling: &str, stems: &mut Stems) {
        let mut way = Vec::new();
        words(spelling, stems, |word| way.push(word.id));
        if way.is_empty() || way.len() > MOST_WORDS {
            return;
        }
        let capital = way.len() == 1 && spelling.trim_start().starts_with(char::is_uppercase);
        let mut at = 0;
        for id in way {
            let fresh = self.nodes.len() as u32;
            let Some(node) = self.nodes.get_mut(at) else { return };
            let next = *node.next.entry(id).or_insert(fresh);
            if next == fresh {
                self.nodes.push(Node::default());
            }
            at = next as usize;
        }
        if let Some(node) = self.nodes.get_mut(at) {
            // What somebody wrote without a capital, or first, stands.
            node.capital = capital && (node.name.is_none() || node.capital);
            node.name = node.name.or(Some(name));
        }
    }

    /// A search over the words of a text.
    pub fn search<'a>(&'a self, text: &'a str) -> Search<'a> {
        Search { automaton: self, text, open: Vec::new(), hits: Vec::new() }
    }
}

/// A search under way; it is shown every word once.
#[derive(Debug)]
pub struct Search<'a> {
    automaton: &'a Automaton,
    text: &'a str,
    /// Where names that began before may go on: the node and where they began.
    open: Vec<(u32, usize)>,
    hits: Vec<Hit>,
}

impl Search<'_> {
    pub fn see(&mut self, word: &Word) {
        if !word.follows {
            self.open.clear();
        }
        let nodes = &self.automaton.nodes;
        if self.open.is_empty() && !nodes.first().is_some_and(|root| root.next.contains_key(&word.id)) {
            return;
        }
        let mut going_on = Vec::new();
        let begun = self.open.drain(..).chain([(0, word.from)]);
        for (at, from) in begun {
            let next = nodes.get(at as usize).and_then(|node| node.next.get(&word.id)).copied();
            let Some((next, node)) = next.and_then(|next| Some((next, nodes.get(next as usize)?))) else {
                continue;
            };
            if let Some(name) = node.name
                && (!node.capital || self.text.get(from..).is_some_and(|t| t.starts_with(char::is_uppercase)))
            {
                // The longer of two that begin at one place is meant.
                self.hits.pop_if(|hit| hit.name == name && hit.from == from);
                self.hits.push(Hit { name, from, to: word.to });
            }
            if !node.next.is_empty() {
                going_on.push((next, from));
            }
        }
        self.open = going_on;
    }

    pub fn into_hits(self) -> Vec<Hit> {
        self.hits
    }
}

#[cfg(test)]
mod tests {
    use super::{Name, Names};
    use crate::text::{Language, Stems, words};

    fn names(list: &[&[&str]]) -> Names {
        Names::new(
            list.iter()
                .map(|all| Name {
                    name: all[0].to_owned(),
                    spellings: all.iter().map(|s| (*s).to_owned()).collect(),
                })
                .collect(),
        )
    }

    fn found(names: &mut Names, language: &str, text: &str) -> Vec<(usize, String)> {
        let mut search = names.automaton(language).search(text);
        words(text, &mut Stems::new(Language::of(language)), |word| search.see(&word));
        search.into_hits().iter().map(|hit| (hit.name, text[hit.from..hit.to].to_owned())).collect()
    }

    #[test]
    fn names_and_aliases_are_found_in_every_form() {
        let mut names = names(&[&["Antonis Samaras", "Samaras"], &["Bank of England"], &["bailout"]]);
        let text = "Antonis Samaras met the Bank of England about bailouts. Samaras's party agreed.";
        let expected = [
            (0, "Antonis Samaras"),
            (0, "Samaras"),
            (1, "Bank of England"),
            (2, "bailouts"),
            (0, "Samaras's"),
        ];
        let mut found = found(&mut names, "en", text);
        found.retain(|(_, said)| expected.iter().any(|(_, known)| known == said));
        assert_eq!(found, expected.map(|(name, said)| (name, said.to_owned())));
    }

    #[test]
    fn part_of_a_word_or_another_sentence_is_no_name() {
        let mut names = names(&[&["Rome"], &["New York"]]);
        assert_eq!(found(&mut names, "en", "Jerome is new. York, and chrome"), []);
        assert_eq!(found(&mut names, "en", "rome"), [], "a name has its capital");
        assert_eq!(found(&mut names, "en", "in new york"), [(1, "new york".to_owned())]);
    }

    #[test]
    fn other_languages_bend_names_their_own_way() {
        let mut names = names(&[&["Wahl"], &["выборы"], &["希腊"]]);
        assert_eq!(found(&mut names, "de", "Die Wahlen kommen").len(), 1);
        assert_eq!(found(&mut names, "ru", "после выборов").len(), 1);
        assert_eq!(found(&mut names, "zh", "在希腊的危机").len(), 1);
    }
}
