//! Rules of a selection: expressions over pages, each of which keeps or drops what it holds for. They are in a file that
//! people may edit, and a rule that is added is written behind what is there.

use std::fs::File;
use std::io;
use std::path::Path;

use annalist_crawl::scope::{Facts, PageFacts, Query, link_of};
use annalist_disk::{Disk, RealDisk};
use annalist_model::{CanonicalUrl, HopPath, Score};
use serde::Deserialize;

use super::candidate::Candidate;
use super::decisions::Choice;

const HEADING: &str = "\
# Which pages enter the collection. Where a `drop` rule holds, no `keep` rule does; a person's decision is above all rules.
# The language is described in docs/selection.md; annalist select DIR --keep EXPRESSION adds a rule here.
";

#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
    #[error("{0}")]
    Mistake(String),
}

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    rule: Vec<WrittenRule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    keep: Option<String>,
    drop: Option<String>,
}

#[derive(Debug)]
struct Rule {
    choice: Choice,
    text: String,
    query: Query,
}

#[derive(Debug, Default)]
pub struct Rules(Vec<Rule>);

impl Rules {
    pub fn load(path: &Path) -> Result<Rules, RulesError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Rules::default()),
            Err(source) => return Err(RulesError::Io { path: path.display().to_string(), source }),
        };
        let mistake = |what: String| RulesError::Mistake(format!("{}: {what}", path.display()));
        let written: Written = toml::from_str(&text).map_err(|e| mistake(e.to_string()))?;
        let mut rules = Rules::default();
        for WrittenRule { keep, drop } in written.rule {
            let (choice, text) = match (keep, drop) {
                (Some(text), None) => (Choice::Keep, text),
                (None, Some(text)) => (Choice::Drop, text),
                _ => return Err(mistake("a rule has either keep or drop".to_owned())),
            };
            rules.push(choice, &text, &path.display().to_string())?;
        }
        Ok(rules)
    }

    /// Adds rules, and writes those that are new behind the others, of whoever they are. Where one of them is wrong, none is
    /// written.
    pub fn add(&mut self, path: &Path, new: &[(Choice, String)]) -> Result<(), RulesError> {
        let _alone = alone(path)?;
        *self = Rules::load(path)?;
        let mut lines = String::new();
        for (choice, text) in new {
            if self.0.iter().any(|rule| rule.choice == *choice && rule.text == *text) {
                continue;
            }
            self.push(*choice, text, if *choice == Choice::Keep { "--keep" } else { "--drop" })?;
            let name = if *choice == Choice::Keep { "keep" } else { "drop" };
            lines.push_str(&format!("\n[[rule]]\n{name} = {}\n", toml::Value::String(text.clone())));
        }
        if lines.is_empty() {
            return Ok(());
        }
        extend(path, &lines).map_err(|source| RulesError::Io { path: path.display().to_string(), source })
    }

    fn push(&mut self, choice: Choice, text: &str, named: &str) -> Result<(), RulesError> {
        let query = Query::about_pages(named, text).map_err(RulesError::Mistake)?;
        self.0.push(Rule { choice, text: text.to_owned(), query });
        Ok(())
    }

    /// Takes a rule away, and out of the file; everything else there stays. Says whether there was one.
    pub fn remove(&mut self, path: &Path, choice: Choice, text: &str) -> Result<bool, RulesError> {
        let _alone = alone(path)?;
        *self = Rules::load(path)?;
        let Some(place) = self.0.iter().position(|rule| rule.choice == choice && rule.text == text) else {
            return Ok(false);
        };
        let io = |source| RulesError::Io { path: path.display().to_string(), source };
        let written = std::fs::read_to_string(path).map_err(io)?;
        let Some(left) = without(&written, choice, text) else {
            let what = format!("{}: the rule is written in a way that only people can edit", path.display());
            return Err(RulesError::Mistake(what));
        };
        RealDisk.replace(path, left.as_bytes()).map_err(io)?;
        self.0.remove(place);
        Ok(true)
    }

    /// What they say, in the order of the file.
    pub fn list(&self) -> impl Iterator<Item = (Choice, &str)> {
        self.0.iter().map(|rule| (rule.choice, rule.text.as_str()))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the rules say of a page, and which of them does.
    pub fn of(&self, candidate: &Candidate, is_duplicate: bool) -> Option<(Choice, &str)> {
        if self.0.is_empty() {
            return None;
        }
        let url = CanonicalUrl::parse(&candidate.url).ok()?;
        let link = link_of(&url, HopPath::parse(&candidate.hops), candidate.via.as_deref());
        let page = PageFacts {
            title: candidate.title.as_deref(),
            application: candidate.application.as_deref(),
            level: candidate.level.as_deref(),
            published: candidate.published.as_deref(),
            words: candidate.words,
            objects: candidate.objects,
            is_duplicate,
        };
        let facts = Facts {
            via_url: candidate.via.as_deref(),
            mime: Some(&candidate.mime),
            language: candidate.language.as_deref(),
            score: candidate.relevance.map(Score::new),
            page: Some(&page),
            ..Facts::default()
        };
        let first = |choice: Choice| {
            let mut rules = self.0.iter().filter(|rule| rule.choice == choice);
            rules.find(|rule| rule.query.holds(&link, &facts)).map(|rule| (choice, rule.text.as_str()))
        };
        first(Choice::Drop).or_else(|| first(Choice::Keep))
    }
}

/// What is there stays as it is; a reader sees the old file or the new one.
fn extend(path: &Path, lines: &str) -> io::Result<()> {
    let mut text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => HEADING.to_owned(),
        Err(e) => return Err(e),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(lines);
    RealDisk.replace(path, text.as_bytes())
}

/// Of those who change the rules at once, one at a time reads and writes them. The file itself is replaced, so another one is
/// locked.
fn alone(path: &Path) -> Result<File, RulesError> {
    let lock = path.with_extension("lock");
    let locked = File::create(&lock).and_then(|file| file.lock().map(|()| file));
    locked.map_err(|source| RulesError::Io { path: lock.display().to_string(), source })
}

/// A text without the first `[[rule]]` that says this; comments stay.
fn without(text: &str, choice: Choice, wanted: &str) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let begins = |line: &&str| line.trim_start().starts_with("[[rule]]");
    let starts: Vec<usize> = (0..lines.len()).filter(|at| lines.get(*at).is_some_and(begins)).collect();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(lines.len());
        let block = lines.get(*start..end)?;
        let Ok(Written { rule }) = toml::from_str(&block.concat()) else { continue };
        let says = |rule: &WrittenRule| match choice {
            Choice::Keep => rule.keep.as_deref() == Some(wanted),
            Choice::Drop => rule.drop.as_deref() == Some(wanted),
        };
        if rule.len() == 1 && rule.iter().all(says) {
            let comments = block.iter().filter(|line| line.trim_start().starts_with('#'));
            let before = lines.get(..*start)?.concat();
            let left =
                before.trim_end_matches('\n').to_owned() + "\n" + &comments.copied().collect::<String>();
            let after = lines.get(end..)?.concat();
            return Some(if after.is_empty() { left } else { format!("{left}\n{after}") });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Rules;
    use crate::selection::{Candidate, Choice};

    fn page() -> Candidate {
        Candidate {
            url: "http://www.a.test/dir/page".to_owned(),
            hops: "LL".to_owned(),
            mime: "text/html".to_owned(),
            relevance: Some(0.7),
            language: Some("de".to_owned()),
            title: Some("Der Streik".to_owned()),
            words: 80,
            ..Candidate::default()
        }
    }

    #[test]
    fn rules_are_kept_and_what_people_wrote_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("selection.toml");
        std::fs::write(&path, "# mine\n[[rule]]\nkeep = 'score >= 0.6'").unwrap();
        let mut rules = Rules::load(&path).unwrap();
        assert_eq!(rules.of(&page(), false), Some((Choice::Keep, "score >= 0.6")));
        let drop = "language != \"en\" && !title.contains('\\'')".to_owned();
        rules.add(&path, &[(Choice::Drop, drop.clone()), (Choice::Keep, "score >= 0.6".to_owned())]).unwrap();
        assert_eq!(rules.of(&page(), false), Some((Choice::Drop, drop.as_str())), "drop is stronger");
        let again = Rules::load(&path).unwrap();
        assert_eq!(again.len(), 2);
        assert_eq!(again.of(&page(), false), rules.of(&page(), false));
        let english = Candidate { language: Some("en".to_owned()), ..page() };
        assert_eq!(again.of(&english, false).map(|(choice, _)| choice), Some(Choice::Keep));
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("# mine\n"));
    }

    #[test]
    fn a_rule_that_is_taken_away_leaves_everything_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("selection.toml");
        std::fs::write(
            &path,
            "# mine\n[[rule]]\nkeep = 'score >= 0.6'\n# why\n\n[[rule]]\ndrop = 'words < 9'\n",
        )
        .unwrap();
        let mut rules = Rules::load(&path).unwrap();
        rules.add(&path, &[(Choice::Drop, "site == \"a.test\"".to_owned())]).unwrap();
        assert!(!rules.remove(&path, Choice::Drop, "score >= 0.6").unwrap(), "that one keeps");
        assert!(rules.remove(&path, Choice::Keep, "score >= 0.6").unwrap());
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# mine\n# why\n\n[[rule]]\ndrop = 'words < 9'\n"), "{text}");
        assert!(rules.remove(&path, Choice::Drop, "site == \"a.test\"").unwrap());
        let again = Rules::load(&path).unwrap();
        assert_eq!(again.list().collect::<Vec<_>>(), [(Choice::Drop, "words < 9")]);
        assert_eq!(rules.list().collect::<Vec<_>>(), again.list().collect::<Vec<_>>());
    }

    #[test]
    fn of_rules_that_are_added_at_once_none_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("selection.toml");
        std::thread::scope(|scope| {
            for n in 0..12 {
                let path = &path;
                scope.spawn(move || {
                    let mut rules = Rules::load(path).unwrap();
                    rules.add(path, &[(Choice::Drop, format!("words < {n}"))]).unwrap();
                    rules.add(path, &[(Choice::Keep, format!("depth == {n}"))]).unwrap();
                    assert!(rules.remove(path, Choice::Keep, &format!("depth == {n}")).unwrap());
                });
            }
        });
        let rules = Rules::load(&path).unwrap();
        assert_eq!(rules.len(), 12);
        assert!(rules.list().all(|(choice, _)| choice == Choice::Drop));
    }

    #[test]
    fn a_wrong_rule_is_told_and_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("selection.toml");
        let mut rules = Rules::load(&path).unwrap();
        let new = [(Choice::Keep, "depth < 3".to_owned()), (Choice::Drop, "colour == 3".to_owned())];
        let told = rules.add(&path, &new).unwrap_err().to_string();
        assert!(told.starts_with("--drop: at character 1") && told.contains("duplicate"), "{told}");
        assert!(!path.exists());
        for wrong in
            ["[[rule]]\nkeep = 'depth <'", "[[rule]]\nkeep = 'true'\ndrop = 'true'", "[[rules]]", "x"]
        {
            std::fs::write(&path, wrong).unwrap();
            assert!(Rules::load(&path).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rules_ask_for_all_that_is_known_of_a_page() {
        let mut rules = Rules::default();
        let holds = "words < 100 && depth == 2 && mime == \"text/html\" && duplicate";
        rules.push(Choice::Drop, holds, "--drop").unwrap();
        assert!(rules.of(&page(), true).is_some() && rules.of(&page(), false).is_none());
    }
}
