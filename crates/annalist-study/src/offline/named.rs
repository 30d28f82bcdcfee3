//! Names and the writings that have them: what happenings and changes of names are found by.

use std::collections::HashMap;

use serde::Serialize;

use super::entities::Entities;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Named {
    pub names: Vec<String>,
    /// The number of a writing in the corpus, and of a name that it has. In the order of writings, each once.
    pub mentions: Vec<(u32, u32)>,
}

impl Named {
    pub fn of(entities: &Entities) -> Named {
        let names = entities.entities.iter().map(|entity| entity.name.clone()).collect();
        let mentions = entities.mentions.iter().map(|mention| (mention.writing, mention.entity)).collect();
        Named { names, mentions }
    }

    /// Those of several archives: a name has the same number in all of them, also where it is a byname in one.
    pub fn together(all: &[Entities]) -> Vec<Named> {
        let mut names: Vec<String> = Vec::new();
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut numbers: Vec<Vec<u32>> = Vec::new();
        for entities in all {
            let mut of_this = Vec::with_capacity(entities.entities.len());
            for entity in &entities.entities {
                let number = known.get(&entity.name.to_lowercase()).copied().unwrap_or_else(|| {
                    names.push(entity.name.clone());
                    u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
                });
                let spellings = std::iter::once(&entity.name).chain(&entity.aliases);
                spellings.for_each(|spelling| {
                    known.entry(spelling.to_lowercase()).or_insert(number);
                });
                of_this.push(number);
            }
            numbers.push(of_this);
        }
        all.iter()
            .zip(numbers)
            .map(|(entities, numbers)| {
                let number = |entity: u32| numbers.get(entity as usize).copied();
                let mentions = entities.mentions.iter();
                let mut mentions: Vec<(u32, u32)> =
                    mentions.filter_map(|mention| Some((mention.writing, number(mention.entity)?))).collect();
                mentions.sort_unstable();
                mentions.dedup();
                Named { names: names.clone(), mentions }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Named;
    use crate::offline::entities::{Entities, Entity, Mention, Source};

    fn entities(names: &[(&str, &[&str])]) -> Entities {
        let entity = |(name, aliases): &(&str, &[&str])| Entity {
            name: (*name).to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            ..Entity::default()
        };
        let mention =
            |(entity, _)| Mention { writing: 7, entity, count: 1, confidence: 1.0, source: Source::Words };
        Entities {
            entities: names.iter().map(entity).collect(),
            mentions: (0..).zip(names).map(mention).collect(),
            ..Entities::default()
        }
    }

    #[test]
    fn a_name_has_one_number_in_all_archives_by_whatever_name_it_goes() {
        let first = entities(&[("Anna Keller", &["Keller"]), ("Free Party", &["FP"])]);
        let second = entities(&[("FP", &[]), ("Bert Moll", &[]), ("ANNA KELLER", &[])]);
        let together = Named::together(&[first, second]);
        let [one, other] = &together[..] else { panic!() };
        assert_eq!(one.names, ["Anna Keller", "Free Party", "Bert Moll"]);
        assert_eq!(other.names, one.names);
        assert_eq!(one.mentions, [(7, 0), (7, 1)]);
        assert_eq!(other.mentions, [(7, 0), (7, 1), (7, 2)]);
    }
}
