//! What an application has of those it extends: everything, after its own.

use std::collections::HashMap;

use super::{Description, LevelDescription, Mistake, ObjectRule, Sign};

/// More generations are a circle.
const MOST_GENERATIONS: usize = 16;

/// An application with all that it inherits, and the names of those it inherits from, the nearest first.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    pub description: Description,
    pub ancestors: Vec<String>,
}

/// Completes all. Those whose ancestors are missing or lead in a circle are mistakes.
pub(super) fn complete(all: &[Description]) -> (Vec<Whole>, Vec<Mistake>) {
    let by_id: HashMap<&str, &Description> = all.iter().map(|one| (one.id.as_str(), one)).collect();
    let (mut whole, mut mistakes) = (Vec::new(), Vec::new());
    for one in all {
        match above(one, &by_id) {
            Ok(above) => whole.push(merge(one, &above)),
            Err(told) => {
                mistakes.push(Mistake { file: one.file.to_string(), line: one.line, told });
            }
        }
    }
    (whole, mistakes)
}

/// The ancestors of an application, the nearest first.
fn above<'d>(
    one: &'d Description,
    by_id: &HashMap<&str, &'d Description>,
) -> Result<Vec<&'d Description>, String> {
    let mut line = Vec::new();
    let mut at = one;
    while let Some(parent) = at.extends.as_deref() {
        at = *by_id.get(parent).ok_or_else(|| format!("it extends {parent:?}, which there is not"))?;
        line.push(at);
        if line.len() > MOST_GENERATIONS {
            return Err(format!("it extends {parent:?}, which in the end extends it"));
        }
    }
    Ok(line)
}

fn merge(own: &Description, above: &[&Description]) -> Whole {
    let ancestors = above.iter().map(|one| one.id.clone()).collect();
    // Its own, and those above as far as each wants to inherit.
    let mut heirs = vec![own];
    for one in above {
        if heirs.last().is_some_and(|last| !last.inherits) {
            break;
        }
        heirs.push(one);
    }
    let mut description = own.clone();
    description.signs = heirs.iter().rev().fold(Vec::new(), |above, one| with_inherited(&one.signs, &above));
    description.rules = heirs.iter().flat_map(|one| one.rules.clone()).collect();
    description.drops = heirs.iter().flat_map(|one| one.drops.clone()).collect();
    description.paging = heirs.iter().flat_map(|one| one.paging.clone()).collect();
    description.others = heirs.iter().find_map(|one| one.others);
    let mut ids: Vec<&str> = Vec::new();
    for id in heirs.iter().flat_map(|one| one.levels.iter().map(|level| level.id.as_str())) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    description.levels = ids.iter().filter_map(|id| merge_level(id, &heirs)).collect();
    Whole { description, ancestors }
}

/// One level through the generations; rules of a level come before those of its application, both before those above.
fn merge_level(id: &str, heirs: &[&Description]) -> Option<LevelDescription> {
    let mut merged: Option<LevelDescription> = None;
    let mut rules = Vec::new();
    let mut inherits = true;
    for one in heirs {
        if let Some(level) = one.levels.iter().find(|level| level.id == id).filter(|_| inherits) {
            inherits = level.inherits;
            rules.extend(level.rules.iter().cloned());
            match &mut merged {
                None => merged = Some(level.clone()),
                Some(merged) => extend(merged, level),
            }
        }
        rules.extend(one.rules.iter().cloned());
    }
    let mut merged = merged?;
    merged.rules = rules;
    merged.paging.extend(heirs.iter().flat_map(|one| one.paging.iter().cloned()));
    Some(merged)
}

fn extend(merged: &mut LevelDescription, level: &LevelDescription) {
    merged.kind = merged.kind.or(level.kind);
    merged.is_index = merged.is_index.or(level.is_index);
    merged.others = merged.others.or(level.others);
    merged.signs = match (merged.signs.take(), &level.signs) {
        (None, signs) => signs.clone(),
        (Some(own), Some(signs)) => Some(with_inherited(&own, signs)),
        (own, None) => own,
    };
    merged.paging.extend(level.paging.iter().cloned());
    merged.next.extend(level.next.iter().cloned());
    merged.fields.extend(level.fields.iter().cloned());
    let is_taken =
        |object: &&ObjectRule| !merged.objects.iter().any(|own| own.is_only && own.kind == object.kind);
    let inherited: Vec<&ObjectRule> = level.objects.iter().filter(is_taken).collect();
    for object in inherited {
        // What is learned of an object's field does not hide its other fields.
        let same = merged.objects.iter_mut().find(|own| own.kind == object.kind && own.at == object.at);
        match same {
            Some(own) => own.fields.extend(object.fields.iter().cloned()),
            None => merged.objects.push(object.clone()),
        }
    }
    merged.acts.extend(level.acts.iter().cloned());
}

/// Signs with those they refer to.
fn with_inherited(signs: &[Sign], above: &[Sign]) -> Vec<Sign> {
    let complete = |sign: &Sign| match sign {
        Sign::Inherited => Sign::Any(above.to_vec()),
        Sign::All(inner) => Sign::All(with_inherited(inner, above)),
        Sign::Any(inner) => Sign::Any(with_inherited(inner, above)),
        Sign::None(inner) => Sign::None(with_inherited(inner, above)),
        other => other.clone(),
    };
    signs.iter().map(complete).collect()
}
