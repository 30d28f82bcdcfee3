//! The keys that say what is to be remembered: name and operator, seeds, topic, event.

use std::time::Duration;

use super::written::{decimal, duration, flag, list, optional, size, text, whole, word};
use crate::score::Score;
use crate::spec::shape::{ANY_DURATION, CLICKS, COUNT, SOME_BYTES, SOME_TIME, Shape, TEXT, words};
use crate::spec::table::{self, Key, Written, set};
use crate::spec::value::Value;
use crate::spec::{Entity, EntityKind, Event, RelevanceKind, ScopeKind, Seed, Spec, Topic};

pub(in crate::spec) const ABOUT: &[Key<Spec>] = &[
    Key {
        name: "name",
        shape: Shape::Described("a text of at most 100 characters without / and \\"),
        meaning: "what the collection is called; begins the names of its WARC files",
        read: |spec, value| set(&mut spec.name, value.parsed(collection_name)),
        write: |spec| text(&spec.name),
    },
    Key {
        name: "contact",
        shape: Shape::Described("a URL or a mail address"),
        meaning: "where a webmaster finds out who crawls; part of the user agent, a mail address also of the From field; needed for the live web",
        read: |spec, value| set(&mut spec.contact, value.parsed(contact).map(Some)),
        write: |spec| optional(spec.contact.as_deref(), text),
    },
    Key {
        name: "user_agent",
        shape: Shape::Described("a text of visible ASCII characters"),
        meaning: "the whole user agent, when the default will not do",
        read: |spec, value| set(&mut spec.user_agent, value.parsed(header_text).map(Some)),
        write: |spec| optional(spec.user_agent.as_deref(), text),
    },
    Key {
        name: "description",
        shape: TEXT,
        meaning: "a sentence about the collection, kept in every WARC file",
        read: |spec, value| set(&mut spec.description, value.text().map(Some)),
        write: |spec| optional(spec.description.as_deref(), text),
    },
    Key {
        name: "operator",
        shape: TEXT,
        meaning: "who runs the crawl, kept in every WARC file",
        read: |spec, value| set(&mut spec.operator, value.text().map(Some)),
        write: |spec| optional(spec.operator.as_deref(), text),
    },
    Key {
        name: "apps",
        shape: Shape::Flag,
        meaning: "whether blogs, forums and wikis are recognised, so that only links to content are followed and posts are lifted out",
        read: |spec, value| set(&mut spec.apps, value.flag()),
        write: |spec| flag(spec.apps),
    },
    Key {
        name: "catalogue",
        shape: Shape::List(&Shape::Described("the name of a folder")),
        meaning: "descriptions of applications beside those the program brings along",
        read: |spec, value| set(&mut spec.catalogue, value.list(Value::text)),
        write: |spec| list(&spec.catalogue),
    },
];

/// A `[[seed]]` as written: one URL, or a file of them that share the settings.
#[derive(Default)]
pub(in crate::spec) struct SeedDraft {
    pub(in crate::spec) url: Option<String>,
    pub(in crate::spec) file: Option<String>,
    pub(in crate::spec) scope: ScopeKind,
    pub(in crate::spec) depth: Option<u16>,
    pub(in crate::spec) pages: Option<u64>,
    pub(in crate::spec) size_bytes: Option<u64>,
    pub(in crate::spec) time: Option<Duration>,
    pub(in crate::spec) recrawl: Option<Duration>,
    /// The highest score when absent: a seed comes first.
    pub(in crate::spec) score: Option<Score>,
}

impl From<&Seed> for SeedDraft {
    fn from(seed: &Seed) -> SeedDraft {
        SeedDraft {
            url: Some(seed.url.as_str().to_owned()),
            file: None,
            scope: seed.scope,
            depth: seed.depth,
            pages: seed.pages,
            size_bytes: seed.size_bytes,
            time: seed.time,
            recrawl: seed.recrawl,
            score: Some(seed.score),
        }
    }
}

pub(in crate::spec) const SEED: &[Key<SeedDraft>] = &[
    Key {
        name: "url",
        shape: Shape::Described("a URL such as \"https://www.example.org/\""),
        meaning: "where the crawl begins; http:// is added when it has no scheme",
        read: |seed, value| set(&mut seed.url, value.text().map(Some)),
        write: |seed| optional(seed.url.as_deref(), text),
    },
    Key {
        name: "file",
        shape: Shape::Described("the name of a file of seeds"),
        meaning: "a file of seeds in place of a URL: one a line, # comments, url<TAB>key=value",
        read: |seed, value| set(&mut seed.file, value.text().map(Some)),
        write: |seed| optional(seed.file.as_deref(), text),
    },
    Key {
        name: "scope",
        shape: Shape::Word(words::<ScopeKind>),
        meaning: "how far the seed's scope reaches",
        read: |seed, value| set(&mut seed.scope, value.word()),
        write: |seed| word(seed.scope),
    },
    Key {
        name: "depth",
        shape: CLICKS,
        meaning: "clicks from this seed; scope.depth when not set",
        read: |seed, value| set(&mut seed.depth, value.whole().map(Some)),
        write: |seed| optional(seed.depth, whole),
    },
    Key {
        name: "pages",
        shape: COUNT,
        meaning: "pages that descend from this seed; without limit when not set",
        read: |seed, value| set(&mut seed.pages, value.whole().map(Some)),
        write: |seed| optional(seed.pages, whole),
    },
    Key {
        name: "size",
        shape: SOME_BYTES,
        meaning: "bytes received for pages that descend from this seed; without limit when not set",
        read: |seed, value| set(&mut seed.size_bytes, value.size().map(Some)),
        write: |seed| optional(seed.size_bytes, size),
    },
    Key {
        name: "time",
        shape: SOME_TIME,
        meaning: "how long pages that descend from this seed are fetched; each run has it anew",
        read: |seed, value| set(&mut seed.time, value.duration().map(Some)),
        write: |seed| optional(seed.time, duration),
    },
    Key {
        name: "recrawl",
        shape: Shape::Duration { least: Duration::from_secs(1) },
        meaning: "the seed is visited again after this long, and new links on it are followed; once only when not set",
        read: |seed, value| set(&mut seed.recrawl, value.duration().map(Some)),
        write: |seed| optional(seed.recrawl, duration),
    },
    Key {
        name: "score",
        shape: Shape::Decimal { least: 0.0, most: 1.0 },
        meaning: "how early the seed is fetched; 1.0 when not set",
        read: |seed, value| set(&mut seed.score, value.decimal().map(|n| Some(Score::new(n as f32)))),
        write: |seed| optional(seed.score.map(Score::get), decimal),
    },
];

pub(in crate::spec) const TOPIC: &[Key<Topic>] = &[
    Key {
        name: "keywords",
        shape: Shape::List(&TEXT),
        meaning: "words and phrases the collection is about",
        read: |topic, value| set(&mut topic.keywords, value.list(Value::text)),
        write: |topic| list(&topic.keywords),
    },
    Key {
        name: "references",
        shape: Shape::List(&Shape::Described("a URL or the name of a file")),
        meaning: "documents that are about the topic",
        read: |topic, value| set(&mut topic.references, value.list(Value::text)),
        write: |topic| list(&topic.references),
    },
    Key {
        name: "languages",
        shape: Shape::List(&Shape::Described("a language code such as \"en\"")),
        meaning: "languages the collection is interested in",
        read: |topic, value| set(&mut topic.languages, value.list(|item| item.parsed(language))),
        write: |topic| list(&topic.languages),
    },
    Key {
        name: "entity",
        shape: Shape::Described("tables written as [[topic.entity]]"),
        meaning: "people, places and organisations the collection is about",
        read: |topic, value| set(&mut topic.entities, value.tables().map(|all| entities(&all))),
        write: |topic| Written::Tables(topic.entities.iter().map(entity_table).collect()),
    },
];

pub(in crate::spec) const ENTITY: &[Key<Entity>] = &[
    Key {
        name: "name",
        shape: TEXT,
        meaning: "the entity's usual name",
        read: |entity, value| set(&mut entity.name, value.text()),
        write: |entity| text(&entity.name),
    },
    Key {
        name: "aliases",
        shape: Shape::List(&TEXT),
        meaning: "its other names",
        read: |entity, value| set(&mut entity.aliases, value.list(Value::text)),
        write: |entity| list(&entity.aliases),
    },
    Key {
        name: "kind",
        shape: Shape::Word(words::<EntityKind>),
        meaning: "what it is; a study finds out when not set",
        read: |entity, value| set(&mut entity.kind, value.word().map(Some)),
        write: |entity| optional(entity.kind, word),
    },
];

/// An `[event]` as written: both dates are needed, but one may be missing.
pub(in crate::spec) struct EventDraft {
    pub(in crate::spec) from: Option<jiff::civil::Date>,
    pub(in crate::spec) until: Option<jiff::civil::Date>,
    pub(in crate::spec) lead: Duration,
    pub(in crate::spec) cooldown: Duration,
    pub(in crate::spec) relevance: RelevanceKind,
    pub(in crate::spec) weight: f64,
}

impl Default for EventDraft {
    fn default() -> Self {
        EventDraft {
            from: None,
            until: None,
            lead: Duration::ZERO,
            cooldown: Duration::ZERO,
            relevance: RelevanceKind::Default,
            weight: 0.5,
        }
    }
}

impl From<&Event> for EventDraft {
    fn from(event: &Event) -> EventDraft {
        EventDraft {
            from: Some(event.from),
            until: Some(event.until),
            lead: event.lead,
            cooldown: event.cooldown,
            relevance: event.relevance,
            weight: event.weight,
        }
    }
}

const DATE: Shape = Shape::Described("a date without quotes such as 2009-10-01");

pub(in crate::spec) const EVENT: &[Key<EventDraft>] = &[
    Key {
        name: "from",
        shape: DATE,
        meaning: "the event's first day",
        read: |event, value| set(&mut event.from, value.date().map(Some)),
        write: |event| optional(event.from, whole),
    },
    Key {
        name: "until",
        shape: DATE,
        meaning: "the event's last day, included",
        read: |event, value| set(&mut event.until, value.date().map(Some)),
        write: |event| optional(event.until, whole),
    },
    Key {
        name: "lead",
        shape: ANY_DURATION,
        meaning: "half-life of relevance before the event; \"0d\" for none",
        read: |event, value| set(&mut event.lead, value.duration()),
        write: |event| duration(event.lead),
    },
    Key {
        name: "cooldown",
        shape: ANY_DURATION,
        meaning: "half-life of relevance after the event; \"0d\" for none",
        read: |event, value| set(&mut event.cooldown, value.duration()),
        write: |event| duration(event.cooldown),
    },
    Key {
        name: "relevance",
        shape: Shape::Word(words::<RelevanceKind>),
        meaning: "what makes a page relevant: content and time together, one of them, the mean of both, or nothing",
        read: |event, value| set(&mut event.relevance, value.word()),
        write: |event| word(event.relevance),
    },
    Key {
        name: "weight",
        shape: Shape::Decimal { least: 0.0, most: 1.0 },
        meaning: "how much the content counts where relevance is \"mean\"; the time counts the rest",
        read: |event, value| set(&mut event.weight, value.decimal()),
        write: |event| decimal(event.weight),
    },
];

fn entities(tables: &[table::Table<'_>]) -> Vec<Entity> {
    let read = tables.iter().map(|table| {
        let mut entity = Entity::default();
        table.read(ENTITY, &mut entity);
        if !table.has("name") {
            table.notes().mistake(table.line(), &table.key_of("name"), "missing: an entity needs a name");
        }
        entity
    });
    read.collect()
}

fn entity_table(entity: &Entity) -> String {
    format!("[[topic.entity]]\n{}", table::written(ENTITY, entity))
}

fn collection_name(name: &str) -> Option<String> {
    let fine = !name.trim().is_empty()
        && name.chars().count() <= 100
        && !name.starts_with('.')
        && !name.chars().any(|c| c.is_control() || c == '/' || c == '\\');
    fine.then(|| name.to_owned())
}

/// It becomes part of a request header, so nothing that could end one is let in.
fn header_text(value: &str) -> Option<String> {
    let fine = !value.trim().is_empty() && value.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    fine.then(|| value.to_owned())
}

fn contact(value: &str) -> Option<String> {
    let value = header_text(value)?;
    let is_url = url::Url::parse(&value).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"));
    let is_mail = value.split_once('@').is_some_and(|(who, at)| !who.is_empty() && !at.is_empty());
    ((is_url || is_mail) && !value.contains(' ')).then_some(value)
}

fn language(code: &str) -> Option<String> {
    let fine = matches!(code.len(), 2 | 3) && code.bytes().all(|b| b.is_ascii_lowercase());
    fine.then(|| code.to_owned())
}
