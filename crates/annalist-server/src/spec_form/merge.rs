//! Two change one spec at once: what either of them changed stays, and where both mean the same value, that is told.

use std::collections::BTreeMap;

use toml_edit::{Item, TableLike, Value};

use super::{Shape, Values, fields, fill, parsed, read};

/// One value before and after, as TOML writes it; `None` where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub key: String,
    pub before: Option<String>,
    pub now: Option<String>,
}

/// What came of two changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Both are in it.
    Text(String),
    /// Somebody has to look. The text has what was typed, and of the other's changes what could be taken along.
    Disputed { text: String, keys: Vec<&'static str> },
}

/// What `mine` made of `base` and what became of it meanwhile, `theirs`, in one text.
pub fn merge(base: &str, mine: &str, theirs: &str) -> Merged {
    if base == theirs || mine == theirs {
        return Merged::Text(mine.to_owned());
    }
    if base == mine {
        return Merged::Text(theirs.to_owned());
    }
    let unmerged = || Merged::Disputed { text: mine.to_owned(), keys: Vec::new() };
    match of_fields(base, mine, theirs) {
        Some((text, keys)) if keys.is_empty() => Merged::Text(text),
        Some((text, keys)) => Merged::Disputed { text, keys },
        None => unmerged(),
    }
}

/// The same where nothing but fields of the form was changed by us.
fn of_fields(base: &str, mine: &str, theirs: &str) -> Option<(String, Vec<&'static str>)> {
    let (was, wanted, mut now) = (read(base).ok()?, read(mine).ok()?, read(theirs).ok()?);
    if fill(base, &wanted).ok()? != mine {
        return None;
    }
    let mut disputed = Vec::new();
    for field in fields() {
        let of = |values: &Values| values.get(field.name).cloned().unwrap_or_default();
        let (before, after, meanwhile) = (of(&was), of(&wanted), of(&now));
        if before == after {
            continue;
        }
        let is_list = matches!(field.shape, Shape::Seeds | Shape::Lines | Shape::Sites);
        let merged = if is_list { lines(&before, &after, &meanwhile) } else { after.clone() };
        if !is_list && meanwhile != before && meanwhile != after {
            disputed.push(field.key);
        }
        now.insert(field.name.to_owned(), merged);
    }
    Some((fill(theirs, &now).ok()?, disputed))
}

/// A list without the lines that we took away, and with those that we added.
fn lines(before: &str, after: &str, meanwhile: &str) -> String {
    let has = |text: &str, line: &str| text.lines().any(|other| other == line);
    let stay = meanwhile.lines().filter(|line| has(after, line) || !has(before, line));
    let come = after.lines().filter(|line| !has(before, line) && !has(meanwhile, line));
    stay.chain(come).collect::<Vec<_>>().join("\n")
}

/// What differs between two specs, by their keys; by lines where one is no TOML.
pub fn differences(before: &str, now: &str) -> Vec<Difference> {
    let (Some(was), Some(is)) = (values(before), values(now)) else {
        let new = |text: &str, than: &str| -> Vec<String> {
            text.lines().filter(|line| !than.lines().any(|other| other == *line)).map(str::to_owned).collect()
        };
        let gone = new(before, now).into_iter().map(|line| (Some(line), None));
        let come = new(now, before).into_iter().map(|line| (None, Some(line)));
        return gone
            .chain(come)
            .map(|(before, now)| Difference { key: String::new(), before, now })
            .collect();
    };
    let keys: std::collections::BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    keys.into_iter()
        .map(|key| Difference { key: key.clone(), before: was.get(key).cloned(), now: is.get(key).cloned() })
        .filter(|one| one.before != one.now)
        .collect()
}

/// Every value by its key, `seed[0].url`.
fn values(text: &str) -> Option<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    below(parsed(text).ok()?.as_table(), "", &mut all);
    Some(all)
}

fn below(table: &dyn TableLike, prefix: &str, all: &mut BTreeMap<String, String>) {
    for (name, item) in table.iter() {
        let key = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        if let Some(inner) = item.as_table_like() {
            below(inner, &key, all);
        } else if let Some(tables) = item.as_array_of_tables() {
            for (place, inner) in tables.iter().enumerate() {
                below(inner, &format!("{key}[{place}]"), all);
            }
        } else if let Some(value) = item.as_value() {
            all.insert(key, written(value));
        } else if !matches!(item, Item::None) {
            all.insert(key, item.to_string());
        }
    }
}

/// Without comments and blanks around it.
fn written(value: &Value) -> String {
    value.clone().decorated("", "").to_string()
}

#[cfg(test)]
mod tests {
    use super::super::{Values, fill};
    use super::{Merged, differences, merge};

    const BASE: &str = "name = \"a\"\n[[seed]]\nurl = \"http://a.test/\"\n[topic]\nkeywords = [\"one\", \"two\"]\n[limits]\npages = 5\n[judge]\ngreediness = 1\n";

    fn typed(pairs: &[(&str, &str)]) -> String {
        let values: Values =
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        fill(BASE, &values).unwrap()
    }

    #[test]
    fn what_others_changed_since_the_form_was_opened_stays() {
        let theirs = BASE
            .replace("greediness = 1", "greediness = 9")
            .replace("\"two\"", "\"two\", \"three\"")
            .replace("pages = 5", "pages = 7");
        let mine = typed(&[("name", "b"), ("keywords", "one\nfour")]);
        let Merged::Text(text) = merge(BASE, &mine, &theirs) else { panic!("there is no dispute") };
        for part in ["name = \"b\"", "greediness = 9", "pages = 7", "[\"one\", \"three\", \"four\"]"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(merge(BASE, BASE, &theirs), Merged::Text(theirs.clone()));
        assert_eq!(merge(BASE, &mine, BASE), Merged::Text(mine.clone()));
        assert_eq!(merge(BASE, &mine, &mine), Merged::Text(mine));
    }

    #[test]
    fn a_value_that_both_changed_is_told_and_what_was_typed_is_kept() {
        let theirs = BASE.replace("pages = 5", "pages = 7").replace("greediness = 1", "greediness = 9");
        let Merged::Disputed { text, keys } = merge(BASE, &typed(&[("limit_pages", "6")]), &theirs) else {
            panic!("both changed it")
        };
        assert_eq!(keys, ["limits.pages"]);
        assert!(text.contains("pages = 6") && text.contains("greediness = 9"), "{text}");
        // Beyond the form's fields nobody knows what belongs together.
        let mine = BASE.replace("greediness = 1", "greediness = 3");
        assert_eq!(merge(BASE, &mine, &theirs), Merged::Disputed { text: mine, keys: Vec::new() });
    }

    #[test]
    fn differences_are_told_by_their_keys() {
        let now = BASE
            .replace("pages = 5", "# more\nsize = \"1GB\"")
            .replace("[topic]", "[[seed]]\nurl = 'http://b.test/'\n[topic]");
        let told: Vec<(String, Option<String>, Option<String>)> =
            differences(BASE, &now).into_iter().map(|one| (one.key, one.before, one.now)).collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            told,
            [
                ("limits.pages".to_owned(), some("5"), None),
                ("limits.size".to_owned(), None, some("\"1GB\"")),
                ("seed[1].url".to_owned(), None, some("'http://b.test/'")),
            ]
        );
        assert_eq!(differences("name = \"a\"\n", "name = \n").len(), 2);
    }
}
