//! A definition's file becomes a definition, or a list of everything that is wrong with it.

use annalist_model::spec::Mistake;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Definition, KnownEntity, is_language, sort};

/// A weight is one of these, as is `typical`.
const WEIGHT: &str = "a number from 0 to 1";
const TEXT: &str = "a text that is not empty";
const COUNT: &str = "a whole number from 0 on";

const KEYS: [&str; 9] =
    ["name", "languages", "keywords", "references", "background", "typical", "terms", "phrases", "entity"];
const ENTITY_KEYS: [&str; 3] = ["name", "aliases", "seen"];

impl Definition {
    /// Reads `definition.toml`; every mistake with its line and key.
    pub fn read(text: &str) -> Result<Definition, Vec<Mistake>> {
        let (root, errors) = DeTable::parse_recoverable(text);
        let mut file = File { text, mistakes: Vec::new() };
        let definition = file.definition(root.get_ref());
        if errors.is_empty() {
            file.check_whole(root.get_ref(), &definition);
        }
        let syntax: Vec<Mistake> = errors
            .iter()
            .map(|error| Mistake {
                line: error.span().map_or(0, |span| file.line_at(span.start)),
                key: "TOML".to_owned(),
                message: error.message().to_owned(),
            })
            .collect();
        // Where the syntax is broken, what was understood of that line is a guess.
        let mut mistakes = file.mistakes;
        mistakes.retain(|mistake| !syntax.iter().any(|broken| broken.line == mistake.line));
        mistakes.extend(syntax);
        mistakes.sort_by_key(|mistake| mistake.line);
        if mistakes.is_empty() { Ok(definition) } else { Err(mistakes) }
    }
}

type Value<'v> = Spanned<DeValue<'v>>;

struct File<'t> {
    text: &'t str,
    mistakes: Vec<Mistake>,
}

impl File<'_> {
    fn definition(&mut self, root: &DeTable<'_>) -> Definition {
        let mut definition = Definition::default();
        for (key, value) in root {
            let name: &str = key.get_ref();
            match name {
                "name" => definition.name = self.string(name, value),
                "languages" => definition.languages = self.languages(name, value),
                "keywords" => definition.keywords = self.strings(name, value),
                "references" => definition.references = self.count(name, value),
                "background" => definition.background = self.count(name, value),
                "typical" => definition.typical = self.weight(name, value),
                "terms" => definition.terms = self.weights(name, value, 1..=1),
                "phrases" => definition.phrases = self.weights(name, value, 2..=usize::MAX),
                "entity" => definition.entities = self.entities(name, value),
                _ => self.unknown(key, "", &KEYS),
            }
        }
        definition
    }

    fn check_whole(&mut self, root: &DeTable<'_>, definition: &Definition) {
        for name in ["name", "typical", "terms"] {
            if !root.contains_key(name) {
                self.mistake(1, name, "missing".to_owned());
            }
        }
        let line = |file: &File<'_>, name: &str| root.get(name).map_or(1, |value| file.line(value));
        let is_wrong = self.mistakes.iter().any(|mistake| mistake.key.starts_with("terms"));
        let has_terms = root.contains_key("terms") && !is_wrong;
        if has_terms && definition.terms.iter().all(|(_, weight)| *weight == 0.0) {
            let message = "expected at least one term that weighs more than 0, found none";
            self.mistake(line(self, "terms"), "terms", message.to_owned());
        }
        if root.contains_key("typical") && definition.typical == 0.0 {
            let message = "expected more than 0: every page would be a typical one";
            self.mistake(line(self, "typical"), "typical", message.to_owned());
        }
    }

    fn string(&mut self, key: &str, value: &Value<'_>) -> String {
        match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => text.to_string(),
            _ => self.unexpected(key, value, TEXT),
        }
    }

    fn strings(&mut self, key: &str, value: &Value<'_>) -> Vec<String> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.unexpected(key, value, "a list of texts");
        };
        items.iter().enumerate().map(|(at, item)| self.string(&format!("{key}[{at}]"), item)).collect()
    }

    fn languages(&mut self, key: &str, value: &Value<'_>) -> Vec<String> {
        let codes = self.strings(key, value);
        for code in codes.iter().filter(|code| !code.is_empty() && !is_language(code)) {
            let message = format!("expected a language code such as \"en\", found {code:?}");
            self.mistake(self.line(value), key, message);
        }
        codes
    }

    fn count(&mut self, key: &str, value: &Value<'_>) -> u32 {
        let number = match value.get_ref() {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.unwrap_or_else(|| self.unexpected(key, value, COUNT))
    }

    fn weight(&mut self, key: &str, value: &Value<'_>) -> f32 {
        let number: Option<f32> = match value.get_ref() {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            _ => None,
        };
        // A number that is none is in no interval.
        let number = number.filter(|number| (0.0..=1.0).contains(number));
        number.unwrap_or_else(|| self.unexpected(key, value, WEIGHT))
    }

    /// Terms of so many words, the strongest first.
    fn weights(
        &mut self,
        key: &str,
        value: &Value<'_>,
        many: std::ops::RangeInclusive<usize>,
    ) -> Vec<(String, f32)> {
        let DeValue::Table(table) = value.get_ref() else {
            return self.unexpected(key, value, "a table written as [name]");
        };
        let mut terms = Vec::new();
        for (term, value) in table {
            let text: &str = term.get_ref();
            let key = format!("{key}.{text}");
            let weight = self.weight(&key, value);
            match text.split_whitespace().count() {
                0 => self.mistake(self.line(value), &key, "expected a word, found none".to_owned()),
                count if many.contains(&count) => terms.push((text.to_owned(), weight)),
                1 => self.mistake(self.line(value), &key, "one word alone belongs in [terms]".to_owned()),
                _ => self.mistake(self.line(value), &key, "several words belong in [phrases]".to_owned()),
            }
        }
        sort(&mut terms);
        terms
    }

    fn entities(&mut self, key: &str, value: &Value<'_>) -> Vec<KnownEntity> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.unexpected(key, value, "tables written as [[entity]]");
        };
        let mut entities = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let path = format!("{key}[{at}]");
            let DeValue::Table(table) = item.get_ref() else {
                self.unexpected::<()>(&path, item, "a table written as [[entity]]");
                continue;
            };
            let mut entity = KnownEntity::default();
            for (key, value) in table {
                let name: &str = key.get_ref();
                let path = format!("{path}.{name}");
                match name {
                    "name" => entity.name = self.string(&path, value),
                    "aliases" => entity.aliases = self.strings(&path, value),
                    "seen" => entity.seen = self.count(&path, value),
                    _ => self.unknown(key, &format!("entity[{at}]."), &ENTITY_KEYS),
                }
            }
            if !table.contains_key("name") {
                self.mistake(self.line(item), &format!("{path}.name"), "missing".to_owned());
            }
            entities.push(entity);
        }
        entities
    }

    fn unknown(&mut self, key: &Spanned<toml::de::DeString<'_>>, path: &str, known: &[&str]) {
        let line = self.line_at(key.span().start);
        let message = format!("unknown key, expected one of {}", known.join(", "));
        self.mistake(line, &format!("{path}{}", key.get_ref()), message);
    }

    fn unexpected<T: Default>(&mut self, key: &str, value: &Value<'_>, expected: &str) -> T {
        let found = match value.get_ref() {
            DeValue::String(text) => format!("{text:?}"),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(moment) => moment.to_string(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.mistake(self.line(value), key, format!("expected {expected}, found {found}"));
        T::default()
    }

    fn mistake(&mut self, line: usize, key: &str, message: String) {
        self.mistakes.push(Mistake { line, key: key.to_owned(), message });
    }

    fn line(&self, value: &Value<'_>) -> usize {
        self.line_at(value.span().start)
    }

    /// From 1.
    fn line_at(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }
}
