//! What a page says to machines in JSON-LD, in the words of schema.org.

use std::collections::HashMap;

use annalist_model::Object;
use annalist_read::text::collapsed;
use serde_json::{Map, Value};

use crate::dates;

use super::facts::{Facts, Rank, name_of};
use super::object_id;

/// Nesting and number of what is looked at.
const DEEPEST: usize = 12;
const MOST: usize = 2000;

type Thing = Map<String, Value>;

/// The things a page names, as far as they were read.
pub(super) struct Linked {
    article: Option<Thing>,
    named: HashMap<String, Thing>,
}

/// Reads the scripts that were found, and tells what they say of the article.
pub(super) fn read(facts: &mut Facts<'_>, of_page: Option<&str>) -> Linked {
    let mut linked = Linked { article: None, named: HashMap::new() };
    let mut best = 0;
    for script in std::mem::take(&mut facts.scripts) {
        let Some(value) = parse(&script) else { continue };
        linked.gather(&value, 0, &mut best);
    }
    if let Some(article) = &linked.article {
        linked.tell(article, facts, of_page.unwrap_or(""));
    }
    linked
}

/// Scripts have line ends in their strings, comments and CDATA marks around them.
fn parse(script: &str) -> Option<Value> {
    let from = script.find(['{', '['])?;
    let until = script.rfind(['}', ']'])?;
    let json = script.get(from..=until)?;
    serde_json::from_str(json).ok().or_else(|| {
        let tidy: String = json.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        serde_json::from_str(&tidy).ok()
    })
}

/// The dates a script says, each with how much the thing it belongs to is what a page is there for.
pub(crate) fn dates(script: &str, tell: &mut dyn FnMut(u8, &str, &str)) {
    match parse(script) {
        Some(value) => dates_in(&value, 0, tell),
        // What is no JSON may still be plain enough.
        None => {
            for key in DATED {
                let quoted = format!("\"{key}\"");
                let behind = script.find(&quoted).and_then(|at| script.get(at + quoted.len()..));
                let value = behind.and_then(|behind| behind.trim_start().strip_prefix(':'));
                let value = value.and_then(|value| value.trim_start().strip_prefix('"'));
                if let Some((date, _)) = value.and_then(|value| value.split_once('"')) {
                    tell(2, key, date);
                }
            }
        }
    }
}

const DATED: [&str; 4] = ["datePublished", "dateCreated", "uploadDate", "dateModified"];

fn dates_in(value: &Value, depth: usize, tell: &mut dyn FnMut(u8, &str, &str)) {
    match value {
        _ if depth > DEEPEST => {}
        Value::Array(values) => values.iter().for_each(|value| dates_in(value, depth + 1, tell)),
        Value::Object(thing) => {
            for key in DATED {
                if let Some(date) = thing.get(key).and_then(text) {
                    tell(rank(thing), key, &date);
                }
            }
            for key in ["@graph", "mainEntity", "mainEntityOfPage", "hasPart", "video"] {
                if let Some(inner) = thing.get(key) {
                    dates_in(inner, depth + 1, tell);
                }
            }
        }
        _ => {}
    }
}

impl Linked {
    fn gather(&mut self, value: &Value, depth: usize, best: &mut u8) {
        if depth > DEEPEST || self.named.len() > MOST {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.gather(value, depth + 1, best)),
            Value::Object(thing) => {
                if let Some(Value::String(id)) = thing.get("@id")
                    && thing.len() > 1
                {
                    self.named.entry(id.clone()).or_insert_with(|| thing.clone());
                }
                let rank = rank(thing);
                if rank > *best {
                    *best = rank;
                    self.article = Some(thing.clone());
                }
                for key in ["@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "hasPart"] {
                    if let Some(inner) = thing.get(key) {
                        self.gather(inner, depth + 1, best);
                    }
                }
            }
            _ => {}
        }
    }

    fn tell(&self, article: &Thing, facts: &mut Facts<'_>, of_page: &str) {
        let text = |keys: &[&str]| keys.iter().find_map(|key| text(article.get(*key)?));
        // Some say a summary for a headline; the page's own title knows.
        let name = text(&["name"]).filter(|name| of_page.contains(name.as_str()));
        if let Some(title) = name.or_else(|| text(&["headline", "name"])) {
            facts.say_title(Rank::Linked, &unescaped(&title));
        }
        if let Some(body) = text(&["articleBody", "text"]) {
            facts.say_body(Rank::Linked, &unescaped(&body));
        }
        let (name, address) = self.person(article);
        if let Some(name) = name {
            facts.say_author(Rank::Linked, &unescaped(&name));
        }
        if let Some(address) = address {
            facts.say_author_url(Rank::Linked, &address);
        }
    }

    /// The names of the authors, and the address of the first.
    fn person(&self, thing: &Thing) -> (Option<String>, Option<String>) {
        let Some(author) = thing.get("author").or_else(|| thing.get("creator")) else { return (None, None) };
        let authors = match author {
            Value::Array(authors) => authors.iter().collect(),
            author => vec![author],
        };
        let mut names = Vec::new();
        let mut address = None;
        for author in authors.into_iter().take(10) {
            match author {
                Value::String(name) => names.push(name.clone()),
                Value::Object(person) => {
                    let whole = person.get("@id").and_then(Value::as_str).and_then(|id| self.named.get(id));
                    let field = |key: &str| person.get(key).or_else(|| whole?.get(key)).and_then(text);
                    names.extend(field("name"));
                    address = address.or_else(|| field("url"));
                }
                _ => {}
            }
        }
        ((!names.is_empty()).then(|| names.join(", ")), address)
    }

    /// Comments and answers, with those below them.
    pub(super) fn comments(&self, facts: &Facts<'_>, parent: &str) -> Vec<Object> {
        let mut comments = Vec::new();
        if let Some(article) = &self.article {
            self.answers(article, facts, parent, 0, &mut comments);
        }
        comments
    }

    fn answers(
        &self,
        thing: &Thing,
        facts: &Facts<'_>,
        parent: &str,
        depth: usize,
        comments: &mut Vec<Object>,
    ) {
        if depth > DEEPEST {
            return;
        }
        for key in ["comment", "acceptedAnswer", "suggestedAnswer"] {
            let answers = match thing.get(key) {
                Some(Value::Array(answers)) => answers.iter().collect(),
                Some(answer) => vec![answer],
                None => continue,
            };
            for answer in answers.into_iter().filter_map(Value::as_object) {
                if comments.len() >= MOST {
                    return;
                }
                let text = |keys: &[&str]| keys.iter().find_map(|key| text(answer.get(*key)?));
                let Some(body) = text(&["text", "articleBody", "description"]) else { continue };
                let (name, address) = self.person(answer);
                let url = text(&["url", "@id"]).and_then(|url| facts.absolute(&url));
                let nameless = || format!("{}#comment-{}", facts.url.as_str(), comments.len() + 1);
                let comment = Object {
                    kind: "comment".to_owned(),
                    id: object_id(&url.clone().unwrap_or_else(nameless)),
                    url,
                    author: name.as_deref().and_then(name_of),
                    author_url: address.and_then(|address| facts.absolute(&address)),
                    date: text(&["datePublished", "dateCreated"])
                        .and_then(|date| dates::parse(&date, facts.hints)),
                    body: lines(&unescaped(&body)),
                    parent: Some(parent.to_owned()),
                    ..Object::default()
                };
                let id = comment.id.clone();
                comments.push(comment);
                self.answers(answer, facts, &id, depth + 1, comments);
            }
        }
    }
}

/// How much a thing is what a page is there for; 0 for what is not written.
fn rank(thing: &Thing) -> u8 {
    let of = |name: &str| match name.rsplit(['/', ':']).next().unwrap_or(name) {
        "NewsArticle"
        | "BlogPosting"
        | "DiscussionForumPosting"
        | "SocialMediaPosting"
        | "ReportageNewsArticle"
        | "LiveBlogPosting"
        | "AnalysisNewsArticle"
        | "OpinionNewsArticle"
        | "ScholarlyArticle"
        | "TechArticle"
        | "Question"
        | "Review"
        | "Recipe" => 3,
        "Article" | "Report" | "CreativeWork" => 2,
        "WebPage" | "VideoObject" | "Blog" => 1,
        _ => 0,
    };
    match thing.get("@type") {
        Some(Value::String(name)) => of(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(of).max().unwrap_or(0),
        _ => 0,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => values.first().and_then(text),
        Value::Object(thing) => thing.get("@value").or_else(|| thing.get("@id")).and_then(text),
        _ => None,
    }
}

/// Whitespace collapsed in each line, and no empty ones.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(collapsed).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// Markup in strings is read as markup.
fn unescaped(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return text.to_owned();
    }
    let limits = annalist_read::tree::TreeLimits { nodes: 20_000, ..Default::default() };
    let (tree, _) = annalist_read::tree::parse(text, &limits);
    annalist_read::text::plain_text(&tree, annalist_read::tree::NodeId::ROOT)
}
