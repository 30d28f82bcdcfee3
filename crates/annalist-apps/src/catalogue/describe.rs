//! What a catalogue file says. Every mistake in it is found at once, with its line.

use std::str::FromStr;
use std::sync::Arc;

use regex::Regex;

use super::xml::{self, Xml};
use super::{
    Act, Description, Field, FieldRule, LevelDescription, LevelKind, Mistake, ObjectRule, Others, Paging,
    Rule, Ruling, Sign,
};
use crate::address::Address;
use crate::dates::{self, Hints, Order};
use crate::xpath::Expression;

const ADDRESS: [&str; 5] = ["host", "path", "has", "without", "matches"];

/// Reads one file.
pub(super) fn describe(file: &str, text: &str) -> Result<Description, Vec<Mistake>> {
    let mut reading = Reading { mistakes: Vec::new() };
    let read = match xml::parse(text) {
        Ok(root) => Some(reading.application(&root, file)),
        Err(mistake) => {
            reading.mistakes.push(mistake);
            None
        }
    };
    match read {
        Some(description) if reading.mistakes.is_empty() => Ok(description),
        _ => {
            let told = |mistake: Mistake| Mistake { file: file.to_owned(), ..mistake };
            Err(reading.mistakes.into_iter().map(told).collect())
        }
    }
}

struct Reading {
    mistakes: Vec<Mistake>,
}

impl Reading {
    fn application(&mut self, root: &Xml, file: &str) -> Description {
        if root.name != "application" {
            self.mistake(root, format!("expected <application>, found <{}>", root.name));
        }
        self.known(root, &["id", "name", "extends", "inherit", "others", "xmlns"]);
        let id = self.identifier(root, "id");
        let mut description = Description {
            name: root.attribute("name").unwrap_or(&id).to_owned(),
            extends: root.attribute("extends").map(str::to_owned),
            inherits: self.yes(root, "inherit", true),
            signs: Vec::new(),
            rules: Vec::new(),
            paging: Vec::new(),
            drops: Vec::new(),
            others: self.others(root),
            levels: Vec::new(),
            file: Arc::from(file),
            line: root.line,
            id,
        };
        for child in &root.children {
            match child.name.as_str() {
                "note" => {}
                "detect" => description.signs.extend(self.signs(child)),
                "follow" | "never" | "spare" => description.rules.extend(self.rule(child)),
                "paging" => description.paging.extend(self.paging(child)),
                "drop" => {
                    self.known(child, &["parameter"]);
                    let names = self.required(child, "parameter");
                    description.drops.extend(names.split_ascii_whitespace().map(str::to_owned));
                }
                "level" => {
                    let level = self.level(child);
                    if description.levels.iter().any(|other| other.id == level.id) {
                        self.mistake(child, format!("there are two levels called {:?}", level.id));
                    }
                    description.levels.push(level);
                }
                other => self.mistake(
                    child,
                    format!(
                        "<{other}> is unknown here; expected detect, follow, never, spare, paging, drop, level or note"
                    ),
                ),
            }
        }
        description
    }

    fn level(&mut self, xml: &Xml) -> LevelDescription {
        self.known(xml, &["id", "kind", "index", "inherit", "others"]);
        let kind = xml.attribute("kind").and_then(|kind| match kind {
            "intermediate" => Some(LevelKind::Intermediate),
            "terminal" => Some(LevelKind::Terminal),
            other => {
                self.mistake(xml, format!("kind is {other:?}; expected intermediate or terminal"));
                None
            }
        });
        let mut level = LevelDescription {
            id: self.identifier(xml, "id"),
            kind,
            is_index: xml.attribute("index").map(|_| self.yes(xml, "index", false)),
            inherits: self.yes(xml, "inherit", true),
            signs: None,
            rules: Vec::new(),
            paging: Vec::new(),
            next: Vec::new(),
            others: self.others(xml),
            fields: Vec::new(),
            objects: Vec::new(),
            acts: Vec::new(),
        };
        for child in &xml.children {
            match child.name.as_str() {
                "note" => {}
                "detect" => level.signs.get_or_insert_default().extend(self.signs(child)),
                "follow" | "never" | "spare" => level.rules.extend(self.rule(child)),
                "paging" => level.paging.extend(self.paging(child)),
                "next" => {
                    self.known(child, &["at"]);
                    level.next.extend(self.expression(child, "at"));
                }
                "object" => level.objects.extend(self.object(child)),
                "act" => level.acts.extend(self.act(child)),
                name => match Field::named(name) {
                    Some(field) => level.fields.extend(self.field(child, field)),
                    None => self.mistake(
                        child,
                        format!(
                            "<{name}> is unknown here; expected detect, follow, never, spare, paging, next, object, act, note or a field"
                        ),
                    ),
                },
            }
        }
        level
    }

    fn signs(&mut self, xml: &Xml) -> Vec<Sign> {
        self.known(xml, &[]);
        xml.children.iter().filter_map(|child| self.sign(child)).collect()
    }

    fn sign(&mut self, xml: &Xml) -> Option<Sign> {
        match xml.name.as_str() {
            "note" => None,
            "all" => Some(Sign::All(self.signs(xml))),
            "any" => Some(Sign::Any(self.signs(xml))),
            "none" => Some(Sign::None(self.signs(xml))),
            "inherited" => {
                self.known(xml, &[]);
                Some(Sign::Inherited)
            }
            "markup" => {
                self.known(xml, &["at"]);
                Some(Sign::Markup(self.expression(xml, "at")?))
            }
            "text" => {
                self.known(xml, &["contains"]);
                let text = self.required(xml, "contains");
                (!text.is_empty()).then_some(Sign::Text(text))
            }
            "generator" => {
                self.known(xml, &["contains"]);
                let text = self.quotable(xml, "contains")?;
                let of = |name: &str| format!("meta[@name='{name}'][contains(@content,{text})]");
                Some(Sign::Markup(
                    self.made(xml, &[of("generator"), of("Generator"), of("GENERATOR")].join("|"))?,
                ))
            }
            "header" => {
                self.known(xml, &["name", "contains"]);
                let name = self.quotable(xml, "name")?.to_ascii_lowercase();
                let value = match xml.attribute("contains") {
                    Some(_) => format!("[contains(@value,{})]", self.quotable(xml, "contains")?),
                    None => String::new(),
                };
                Some(Sign::Markup(self.made(xml, &format!("http-header[@name={name}]{value}"))?))
            }
            "cookie" => {
                self.known(xml, &["name"]);
                let name = self.quotable(xml, "name")?;
                // In quotes: what stands before the first star has the opening one.
                let quote = name.chars().next()?;
                let inner = name.trim_matches(quote);
                let tests = match inner.split_once('*') {
                    None => format!("[@name={name}]"),
                    Some((begin, rest)) => rest
                        .split('*')
                        .filter(|piece| !piece.is_empty())
                        .map(|piece| format!("[contains(@name,{quote}{piece}{quote})]"))
                        .fold(format!("[starts-with(@name,{quote}{begin}{quote})]"), |all, one| all + &one),
                };
                Some(Sign::Markup(self.made(xml, &format!("cookie{tests}"))?))
            }
            "url" => {
                self.known(xml, &ADDRESS);
                Some(Sign::Address(self.address(xml)))
            }
            other => {
                self.mistake(
                    xml,
                    format!(
                        "<{other}> is no sign; expected generator, header, cookie, url, text, markup, all, any, none or inherited"
                    ),
                );
                None
            }
        }
    }

    fn rule(&mut self, xml: &Xml) -> Option<Rule> {
        let naming = if xml.name == "never" { "reason" } else { "action" };
        let mut known = vec!["at", "score", naming];
        known.extend(ADDRESS);
        if xml.name == "never" {
            known.retain(|name| *name != "score");
            known.push("embeds");
        }
        self.known(xml, &known);
        let score = self.number(xml, "score").unwrap_or(1.0);
        if !(0.0..=1.0).contains(&score) {
            self.mistake(xml, format!("score is {score}; expected 0 to 1"));
        }
        let ruling = match xml.name.as_str() {
            "follow" => Ruling::Follow { score },
            "spare" => Ruling::Spare { score },
            _ => Ruling::Never,
        };
        let at = xml.attribute("at").map(|_| self.expression(xml, "at"));
        let address = self.address(xml);
        if at.is_none() && address.is_any() && xml.attribute("matches").is_none() {
            self.mistake(xml, format!("<{}> fits every link; say at, path, has, host or matches", xml.name));
        }
        let name = xml.attribute(naming).unwrap_or(match ruling {
            Ruling::Never => "leads to no content",
            _ => "link",
        });
        let at = match at {
            Some(read) => Some(read?),
            None => None,
        };
        let is_for_embeds = self.yes(xml, "embeds", false);
        if is_for_embeds && at.is_some() {
            self.mistake(xml, "what is embedded is told by its address; at is of no use here".to_owned());
        }
        Some(Rule { ruling, name: name.to_owned(), at, address, is_for_embeds })
    }

    fn address(&mut self, xml: &Xml) -> Address {
        let words = |name: &str| {
            let pair = |word: &str| match word.split_once('=') {
                Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
                None => (word.to_owned(), None),
            };
            xml.attribute(name).unwrap_or_default().split_ascii_whitespace().map(pair).collect()
        };
        Address {
            host: xml.attribute("host").map(str::to_ascii_lowercase),
            path: xml.attribute("path").map(str::to_owned),
            has: words("has"),
            without: words("without"),
            matches: self.regex(xml, "matches"),
        }
    }

    fn paging(&mut self, xml: &Xml) -> Vec<Paging> {
        self.known(xml, &["parameter", "path", "matches", "first"]);
        let mut paging = Vec::new();
        let parameters = xml.attribute("parameter").unwrap_or_default().split_ascii_whitespace();
        paging.extend(parameters.map(|name| Paging::Parameter(name.to_owned())));
        if let Some(path) = xml.attribute("path") {
            if !path.contains('#') {
                self.mistake(xml, format!("path is {path:?}; expected a # for the number"));
            }
            let pattern = regex::escape(path.trim_end_matches('/')).replacen("\\#", "([0-9]+)", 1);
            let pattern = pattern.replace("\\#", "[0-9]+").replace("\\*", "[^/]*");
            paging.extend(self.compiled(xml, &format!("{pattern}/?$")).map(Paging::Path));
        }
        if let Some(regex) = self.regex(xml, "matches") {
            if regex.captures_len() < 2 {
                self.mistake(xml, "matches has no group for the number: (\\d+)".to_owned());
            }
            let first = xml.attribute("first").unwrap_or_default().to_owned();
            paging.push(Paging::Number { at: regex, first });
        }
        if paging.is_empty() {
            self.mistake(xml, "<paging> says nothing; expected parameter, path or matches".to_owned());
        }
        paging
    }

    fn object(&mut self, xml: &Xml) -> Option<ObjectRule> {
        self.known(xml, &["type", "at", "extent", "parent", "only"]);
        let kind = self.identifier(xml, "type");
        let is_run = match xml.attribute("extent") {
            None | Some("element") => false,
            Some("run") => true,
            Some(other) => {
                self.mistake(xml, format!("extent is {other:?}; expected element or run"));
                false
            }
        };
        let mut fields = Vec::new();
        for child in xml.children.iter().filter(|child| child.name != "note") {
            match Field::named(&child.name) {
                Some(field) => fields.extend(self.field(child, field)),
                None => {
                    let names: Vec<_> = Field::ALL.iter().map(|(_, name)| *name).collect();
                    self.mistake(
                        child,
                        format!("<{}> is no field; expected {}", child.name, names.join(", ")),
                    );
                }
            }
        }
        let at = self.expression(xml, "at")?;
        if at.paths.iter().any(|path| path.split().1.is_some() || path.steps.is_empty()) {
            self.mistake(xml, "an object is an element; its expression leads to something else".to_owned());
        }
        let is_only = self.yes(xml, "only", false);
        Some(ObjectRule {
            kind,
            at,
            is_run,
            is_only,
            parent: xml.attribute("parent").map(str::to_owned),
            fields,
        })
    }

    fn field(&mut self, xml: &Xml, field: Field) -> Option<FieldRule> {
        let is_date = matches!(field, Field::Date | Field::Modified);
        let known: &[&str] = if is_date {
            &["at", "value", "match", "format", "order", "zone"]
        } else if field == Field::Id {
            &["at", "value", "match", "within"]
        } else {
            &["at", "value", "match"]
        };
        self.known(xml, known);
        let mut leave_out = Vec::new();
        for child in xml.children.iter().filter(|child| child.name != "note") {
            if child.name == "leave-out" {
                self.known(child, &["at"]);
                leave_out.extend(self.expression(child, "at"));
            } else {
                self.mistake(child, format!("<{}> is unknown here; expected leave-out", child.name));
            }
        }
        let value = xml.attribute("value").map(str::to_owned);
        let hints = if is_date { self.hints(xml) } else { Hints::default() };
        let matches = self.regex(xml, "match");
        let at = match (xml.attribute("at"), &value) {
            (None, Some(_)) => None,
            (Some(_), Some(_)) => {
                self.mistake(xml, format!("<{}> has both at and value; expected one of them", xml.name));
                None
            }
            _ => Some(self.expression(xml, "at")?),
        };
        let is_local = match xml.attribute("within") {
            None => false,
            Some("thread") => true,
            Some(other) => {
                self.mistake(xml, format!("within is {other:?}; expected thread"));
                false
            }
        };
        Some(FieldRule { field, at, value, matches, leave_out, hints, is_local })
    }

    fn hints(&mut self, xml: &Xml) -> Hints {
        let order = match xml.attribute("order") {
            None => None,
            Some("dmy") => Some(Order::Dmy),
            Some("mdy") => Some(Order::Mdy),
            Some("ymd") => Some(Order::Ymd),
            Some(other) => {
                self.mistake(xml, format!("order is {other:?}; expected dmy, mdy or ymd"));
                None
            }
        };
        let zone = xml.attribute("zone").map(str::to_owned);
        if let Some(zone) = zone.as_deref().filter(|zone| !dates::is_zone(zone)) {
            self.mistake(xml, format!("zone is {zone:?}; expected an offset such as +01:00, or UTC"));
        }
        Hints { order, zone, format: xml.attribute("format").map(str::to_owned), ..Hints::default() }
    }

    fn act(&mut self, xml: &Xml) -> Option<Act> {
        self.known(xml, &["at", "do", "value"]);
        let action = self.required(xml, "do");
        if !action.is_empty() && !["click", "scroll", "fill", "call"].contains(&action.as_str()) {
            self.mistake(xml, format!("do is {action:?}; expected click, scroll, fill or call"));
        }
        let at = self.expression(xml, "at")?;
        Some(Act { at, action, value: xml.attribute("value").map(str::to_owned) })
    }

    fn others(&mut self, xml: &Xml) -> Option<Others> {
        match xml.attribute("others")? {
            "follow" => Some(Others::Follow),
            "skip" => Some(Others::Skip),
            other => {
                self.mistake(xml, format!("others is {other:?}; expected follow or skip"));
                None
            }
        }
    }

    fn yes(&mut self, xml: &Xml, name: &str, otherwise: bool) -> bool {
        match xml.attribute(name) {
            None => otherwise,
            Some("yes") => true,
            Some("no") => false,
            Some(other) => {
                self.mistake(xml, format!("{name} is {other:?}; expected yes or no"));
                otherwise
            }
        }
    }

    fn identifier(&mut self, xml: &Xml, name: &str) -> String {
        let value = self.required(xml, name);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | ':');
        if !value.chars().all(is_plain) {
            self.mistake(xml, format!("{name} is {value:?}; expected letters, digits and - _ . @ :"));
        }
        value
    }

    fn required(&mut self, xml: &Xml, name: &str) -> String {
        let value = xml.attribute(name).unwrap_or_default().trim();
        if value.is_empty() {
            self.mistake(xml, format!("<{}> needs {name}=\"…\"", xml.name));
        }
        value.to_owned()
    }

    /// In quotes, as expressions write texts.
    fn quotable(&mut self, xml: &Xml, name: &str) -> Option<String> {
        let value = self.required(xml, name);
        if value.contains('\'') && value.contains('"') {
            self.mistake(xml, format!("{name} has both kinds of quotes in it"));
            return None;
        }
        (!value.is_empty())
            .then(|| if value.contains('\'') { format!("\"{value}\"") } else { format!("'{value}'") })
    }

    fn expression(&mut self, xml: &Xml, name: &str) -> Option<Expression> {
        let text = self.required(xml, name);
        if text.is_empty() { None } else { self.made(xml, &text) }
    }

    fn made(&mut self, xml: &Xml, text: &str) -> Option<Expression> {
        let read = Expression::parse(text);
        read.map_err(|fault| self.mistake(xml, format!("the expression cannot be read {fault}"))).ok()
    }

    fn regex(&mut self, xml: &Xml, name: &str) -> Option<Regex> {
        let text = xml.attribute(name)?;
        self.compiled(xml, text)
    }

    fn compiled(&mut self, xml: &Xml, text: &str) -> Option<Regex> {
        const LARGEST: usize = 1 << 20;
        let made = regex::RegexBuilder::new(text).size_limit(LARGEST).build();
        made.map_err(|fault| {
            let told = fault.to_string();
            let told = told.lines().last().unwrap_or_default().trim().to_owned();
            self.mistake(xml, format!("{text:?} is no regular expression: {told}"));
        })
        .ok()
    }

    fn number<N: FromStr>(&mut self, xml: &Xml, name: &str) -> Option<N> {
        let text = xml.attribute(name)?;
        let read = text.trim().parse().ok();
        if read.is_none() {
            self.mistake(xml, format!("{name} is {text:?}; expected a number"));
        }
        read
    }

    fn known(&mut self, xml: &Xml, names: &[&str]) {
        for (name, _) in &xml.attributes {
            if !names.contains(&name.as_str()) {
                let expected = if names.is_empty() { "no attributes".to_owned() } else { names.join(", ") };
                self.mistake(xml, format!("<{}> has no attribute {name}; expected {expected}", xml.name));
            }
        }
    }

    fn mistake(&mut self, xml: &Xml, told: String) {
        self.mistakes.push(Mistake::new(xml.line, told));
    }
}
