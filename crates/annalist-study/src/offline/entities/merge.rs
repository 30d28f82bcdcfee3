//! Spellings that stand for one entity: forms of a name, full names with and without the ones in the middle, letters in
//! brackets, surnames of people whose full name is known.

use std::collections::BTreeMap;

use super::decide::{Name, is_no_noun, raised};
use super::fold::{is_first_name, is_place, key, name_key, plain};
use super::learn::{Learned, Map};
use super::lists::Class;
use super::{Entity, Kind, Known};

/// One of several people with the surname is meant if he is named this many times as often as the next.
const DOMINANT: u32 = 4;
/// A surname is no other word.
const NEARLY_ALWAYS_RAISED: f32 = 0.9;
/// More spellings than these are noise.
const MOST_ALIASES: usize = 12;

/// The entities of the archive, without their mentions; those that the archivist gave come first.
pub(super) fn merged(known: &[Known], names: Vec<Name>, learned: &Learned) -> Vec<Entity> {
    let mut merger = Merger::default();
    for given in known {
        let entity =
            Entity { name: given.name.clone(), kind: given.kind, confidence: 1.0, ..Entity::default() };
        let at = merger.add(Name { entity, count: Default::default() });
        given.aliases.iter().for_each(|alias| merger.alias(at, alias));
    }
    let (alone, several): (Vec<Name>, Vec<Name>) =
        names.into_iter().partition(|name| !name.entity.name.contains(' '));
    for name in several {
        merger.take(name, known.len());
    }
    merger.acronyms(learned);
    let surnames = merger.surnames(&alone);
    merger.call_by_surname(&surnames, learned);
    for name in alone {
        if !merger.is_part_of_a_person(&name, &surnames) {
            merger.take(name, known.len());
        }
    }
    merger.entities(known.len())
}

#[derive(Default)]
struct Merger {
    names: Vec<Name>,
    /// By the form of the whole name.
    forms: Map<u64, usize>,
    /// People by first and last word.
    people: Map<(u64, u64), usize>,
}

impl Merger {
    fn add(&mut self, name: Name) -> usize {
        let at = self.names.len();
        self.forms.entry(name_key(&name.entity.name)).or_insert(at);
        if let Some(ends) = ends(&name.entity) {
            self.people.entry(ends).or_insert(at);
        }
        self.names.push(name);
        at
    }

    fn alias(&mut self, at: usize, alias: &str) {
        self.forms.entry(name_key(alias)).or_insert(at);
        let Some(Name { entity, .. }) = self.names.get_mut(at) else { return };
        if entity.name != alias
            && entity.aliases.len() < MOST_ALIASES
            && !entity.aliases.iter().any(|known| known == alias)
        {
            entity.aliases.push(alias.to_owned());
        }
    }

    /// Adds a name to the entity it stands for, or as one of its own. The most frequent come first.
    fn take(&mut self, name: Name, given: usize) {
        let spelling = &name.entity.name;
        let person = ends(&name.entity)
            .and_then(|ends| self.people.get(&ends).copied())
            .filter(|at| self.names.get(*at).is_some_and(|known| is_short_for(&known.entity.name, spelling)));
        let known =
            self.forms.get(&name_key(spelling)).copied().or(person).or_else(|| self.without_form(&name));
        let Some(at) = known else {
            self.add(name);
            return;
        };
        let spelling = spelling.clone();
        self.alias(at, &spelling);
        if let Some(entity) = self.names.get_mut(at).map(|name| &mut name.entity) {
            // The archivist says what is looked for, and the archive what it is, unless that was said too.
            if at < given && entity.kind == Kind::Other {
                entity.kind = name.entity.kind;
            }
            entity.confidence = entity.confidence.max(name.entity.confidence);
            if at >= given {
                entity.source = entity.source.and(name.entity.source);
            }
        }
    }

    /// `Siemens AG` is Siemens, where Siemens is known.
    fn without_form(&self, name: &Name) -> Option<usize> {
        let (rest, form) = name.entity.name.rsplit_once(' ')?;
        let is_form = matches!(
            form.to_lowercase().as_str(),
            "inc"
                | "ltd"
                | "llc"
                | "plc"
                | "gmbh"
                | "ag"
                | "kg"
                | "se"
                | "corp"
                | "corporation"
                | "company"
                | "srl"
                | "spa"
                | "bv"
                | "nv"
        );
        is_form.then(|| self.forms.get(&name_key(rest)).copied())?
    }

    fn acronyms(&mut self, learned: &Learned) {
        let mut pairs: Vec<_> = learned.acronyms.iter().collect();
        pairs.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
        for ((name, letters), count) in pairs {
            // Two letters mean anything.
            if letters.chars().count() < 3 && *count < 2 {
                continue;
            }
            let Some(at) = self.forms.get(&name_key(name)).copied() else { continue };
            if !stands_for(letters, name) || taken.contains_key(letters.as_ref()) {
                continue;
            }
            taken.insert(letters, at);
            self.alias(at, letters);
            if let Some(entity) = self.names.get_mut(at).map(|name| &mut name.entity)
                && !is_place(&entity.name)
            {
                entity.kind = Kind::Organisation;
            }
        }
    }

    /// Surnames with the people who have them, the most frequent first. A word that is used alone far more often than
    /// anybody is named with it, or of which something else is known, is nobody's.
    fn surnames(&self, alone: &[Name]) -> BTreeMap<u64, Vec<usize>> {
        let mut people: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, name) in self.names.iter().enumerate() {
            if let Some((_, surname)) = ends(&name.entity) {
                people.entry(surname).or_default().push(at);
            }
        }
        let mut buffer = String::new();
        for name in alone {
            let form = key(&name.entity.name, &mut buffer);
            let Some(named) = people.get(&form) else { continue };
            let named: u32 = named.iter().filter_map(|at| Some(self.names.get(*at)?.count.count)).sum();
            let most = match name.entity.kind {
                Kind::Person => u32::MAX,
                Kind::Other => named * 10,
                Kind::Place | Kind::Organisation => named * 2,
            };
            if name.count.count > most || is_place(&name.entity.name) {
                people.remove(&form);
            }
        }
        people
    }

    /// Surnames stand for somebody wherever they occur if no word is written like them. Where several people have one, each
    /// gets it, and the writing tells who is meant.
    fn call_by_surname(&mut self, surnames: &BTreeMap<u64, Vec<usize>>, learned: &Learned) {
        for people in surnames.values() {
            let count = |at: &usize| self.names.get(*at).map_or(0, |name| name.count.count);
            let others = people.get(1).map_or(0, count);
            let dominant = people.first().is_some_and(|first| count(first) >= DOMINANT * others);
            let meant = if dominant { 1 } else { people.len() };
            for at in people.iter().copied().take(meant) {
                let Some(name) = self.names.get(at) else { continue };
                let Some(surname) = name.entity.name.rsplit(' ').next().map(str::to_owned) else { continue };
                if is_safe(learned, name, &surname) {
                    self.alias(at, &surname);
                }
            }
        }
    }

    /// Whether a word alone stands for somebody: who is meant is told by each writing.
    fn is_part_of_a_person(&self, name: &Name, surnames: &BTreeMap<u64, Vec<usize>>) -> bool {
        let word = &name.entity.name;
        let mut buffer = String::new();
        let genitive =
            word.strip_suffix('s').is_some_and(|base| surnames.contains_key(&key(base, &mut buffer)));
        if surnames.contains_key(&key(word, &mut buffer)) || genitive {
            return true;
        }
        let place = is_place(word) || name.entity.kind == Kind::Place;
        is_first_name(word) && !place && name.count.words().class(&word.to_lowercase()) == Class::default()
    }

    /// What the archivist gave, then the most frequent.
    fn entities(mut self, given: usize) -> Vec<Entity> {
        if let Some(learned) = self.names.get_mut(given..) {
            learned.sort_by(|a, b| {
                b.count.count.cmp(&a.count.count).then_with(|| a.entity.name.cmp(&b.entity.name))
            });
        }
        let mut taken: Map<u64, ()> = Map::default();
        let mut entities: Vec<Entity> = self.names.into_iter().map(|name| name.entity).collect();
        // A form in German with an s behind it is the form without.
        let forms: Map<u64, ()> = entities.iter().map(|entity| (name_key(&entity.name), ())).collect();
        entities.retain(|entity| {
            let doubled =
                entity.name.strip_suffix('s').is_some_and(|base| forms.contains_key(&name_key(base)));
            !(doubled && entity.kind != Kind::Place) && taken.insert(name_key(&entity.name), ()).is_none()
        });
        entities
    }
}

/// Whether nothing but a name is written like a surname.
fn is_safe(learned: &Learned, name: &Name, surname: &str) -> bool {
    let nouns = name.count.in_nouns * 2 > name.count.count;
    let written = if nouns {
        is_no_noun(learned, surname, 1)
    } else {
        raised(learned, surname) >= NEARLY_ALWAYS_RAISED
    };
    written
        && !is_place(surname)
        && !is_first_name(surname)
        && name.count.words().class(&surname.to_lowercase()) == Class::default()
}

/// First and last word of a person's full name.
pub(super) fn ends(entity: &Entity) -> Option<(u64, u64)> {
    if entity.kind != Kind::Person {
        return None;
    }
    let (first, rest) = entity.name.split_once(' ').filter(|(_, rest)| !rest.contains("of "))?;
    let last = rest.rsplit(' ').next().filter(|word| word.chars().count() > 1 && !is_suffix(word))?;
    let mut buffer = String::new();
    Some((key(first.trim_end_matches('.'), &mut buffer), key(last, &mut buffer)))
}

/// Whether what stands between first and last name does not contradict: `John F. Kennedy` is John Fitzgerald, not John P.
fn is_short_for(one: &str, other: &str) -> bool {
    let middle = |name: &str| -> Vec<char> {
        let words = name.split(' ').skip(1).filter_map(|word| word.chars().next());
        let mut firsts: Vec<char> = words.collect();
        firsts.pop();
        firsts
    };
    let (one, other) = (middle(one), middle(other));
    one.is_empty() || other.is_empty() || one == other
}

/// `Henry VIII`, `Sammy Davis Jr`
fn is_suffix(word: &str) -> bool {
    word.chars().all(|c| matches!(c, 'I' | 'V' | 'X')) || matches!(word, "Jr" | "Jr." | "Sr" | "Sr.")
}

/// Whether the letters stand in the name in their order, and the first ones of its words are among them.
fn stands_for(letters: &str, name: &str) -> bool {
    let (letters, name) = (plain(letters), plain(name));
    let letters: Vec<char> = letters.chars().filter(|c| c.is_alphabetic()).collect();
    let firsts: Vec<char> = name.split([' ', '-']).filter_map(|word| word.chars().next()).collect();
    let mut rest = name.chars();
    let in_order = letters.iter().all(|letter| rest.any(|c| c == *letter));
    let mut taken = letters.iter();
    let begun = firsts
        .iter()
        .filter(|first| taken.clone().any(|letter| letter == *first && taken.any(|l| l == *first)))
        .count();
    letters.len() > 1 && in_order && letters.first() == firsts.first() && begun * 2 >= letters.len()
}

#[cfg(test)]
mod tests {
    use super::{is_short_for, stands_for};

    #[test]
    fn letters_stand_for_a_name_in_its_order() {
        assert!(stands_for("ECB", "European Central Bank") && stands_for("UoA", "University of Athens"));
        assert!(stands_for("ΑΕΚΣ", "Αθλητική Ένωση Καστρίτσας"));
        assert!(!stands_for("EBC", "European Central Bank") && !stands_for("A", "Athens"));
    }

    #[test]
    fn middle_names_tell_people_apart() {
        assert!(
            is_short_for("John F. Kennedy", "John Fitzgerald Kennedy")
                && is_short_for("John Kennedy", "John F. Kennedy")
        );
        assert!(!is_short_for("John F. Kennedy", "John P. Kennedy"));
    }
}
