//! TOML becomes a spec, or a list of everything that is wrong with it. Single keys are read in `keys/`; here is what
//! concerns several of them.

use toml::de::DeTable;

use super::keys::{
    ABOUT, ARCHIVE, CANONICAL, EVENT, EXTRACT, EventDraft, FETCH, FRONTIER, JUDGE, KNOWLEDGE, LIMITS,
    NETWORK, POLITENESS, REMOTE, SCOPE, SITE, STUDY, TOPIC,
};
use super::notes::Notes;
use super::seeds::Seeds;
use super::shape::Shape;
use super::table::{Key, Table};
use crate::url::CanonicalUrl;

use super::{
    Event, Expression, ExtractRules, Mistake, Politeness, RemoteRules, RobotsPolicy, ScopeKind, SiteRules,
    Spec,
};

/// What became of a spec's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Only when there are no mistakes.
    pub spec: Option<Spec>,
    pub mistakes: Vec<Mistake>,
    /// What is allowed but hardly meant.
    pub warnings: Vec<Mistake>,
    /// The scope's expressions, good or not, also when there are mistakes: who compiles them can tell of theirs too.
    pub expressions: Vec<Expression>,
}

/// The tables of a spec.
const TABLES: [&str; 16] = [
    "seed",
    "topic",
    "event",
    "scope",
    "limits",
    "politeness",
    "fetch",
    "network",
    "judge",
    "frontier",
    "archive",
    "knowledge",
    "study",
    "extract",
    "canonical",
    "site",
];

/// Reads a spec. `files` gives the text of a file that the spec names, or says why it cannot.
pub fn parse(text: &str, files: &dyn Fn(&str) -> Result<String, String>) -> Parsed {
    parse_as(text, files, Spec::named(""))
}

/// Reads the spec of a collection that comes out of archives, whether it says so or not.
pub fn parse_extract(text: &str, files: &dyn Fn(&str) -> Result<String, String>) -> Parsed {
    parse_as(text, files, Spec { extract: Some(ExtractRules::default()), ..Spec::named("") })
}

/// The line on which a key such as `network.allow` stands in a spec; 0 where it has no place there.
pub fn line_of_key(text: &str, key: &str) -> usize {
    let (notes, (root, _)) = (Notes::new(text), DeTable::parse_recoverable(text));
    let (mut table, mut line) = (Some(root.get_ref()), 0);
    for name in key.split('.') {
        let Some(value) = table.and_then(|table| table.get(name)) else { return 0 };
        line = notes.line_at(value.span().start);
        table = value.get_ref().as_table();
    }
    line
}

fn parse_as(text: &str, files: &dyn Fn(&str) -> Result<String, String>, mut spec: Spec) -> Parsed {
    let notes = Notes::new(text);
    let (root, errors) = DeTable::parse_recoverable(text);
    read(&Table::new(root.get_ref(), String::new(), 1, &notes), files, &mut spec);
    if errors.is_empty() {
        check_whole(&spec, root.get_ref(), &notes);
    }
    let (mut mistakes, warnings) = notes_with_syntax(notes, &errors);
    mistakes.sort_by_key(|mistake| mistake.line);
    let expressions = spec.scope.include.iter().chain(&spec.scope.exclude).cloned().collect();
    let spec = mistakes.is_empty().then_some(spec);
    Parsed { spec, mistakes, warnings, expressions }
}

/// Where the syntax is broken, what was understood of that line is a guess and no further mistake.
fn notes_with_syntax(notes: Notes, errors: &[toml::de::Error]) -> (Vec<Mistake>, Vec<Mistake>) {
    let syntax: Vec<Mistake> = errors
        .iter()
        .map(|error| Mistake {
            line: error.span().map_or(0, |span| notes.line_at(span.start)),
            key: "TOML".to_owned(),
            message: error.message().to_owned(),
        })
        .collect();
    let (mut mistakes, warnings) = notes.into_parts();
    mistakes.retain(|mistake| !syntax.iter().any(|broken| broken.line == mistake.line));
    mistakes.extend(syntax);
    (mistakes, warnings)
}

fn read(root: &Table<'_>, files: &dyn Fn(&str) -> Result<String, String>, spec: &mut Spec) {
    let extracting = spec.extract.is_some();
    root.read_beside(ABOUT, &TABLES, spec);
    section(root, "canonical", CANONICAL, &mut spec.canonical);
    section(root, "topic", TOPIC, &mut spec.topic);
    section(root, "scope", SCOPE, &mut spec.scope);
    section(root, "limits", LIMITS, &mut spec.limits);
    section(root, "fetch", FETCH, &mut spec.fetch);
    section(root, "network", NETWORK, &mut spec.network);
    section(root, "judge", JUDGE, &mut spec.judge);
    section(root, "frontier", FRONTIER, &mut spec.frontier);
    section(root, "archive", ARCHIVE, &mut spec.archive);
    knowledge(root, spec);
    section(root, "study", STUDY, &mut spec.study);
    if let Some(table) = section(root, "politeness", POLITENESS, &mut spec.politeness) {
        settle_delays(&table, &mut spec.politeness);
    }
    let mut extract = spec.extract.take().unwrap_or_default();
    let said = section(root, "extract", EXTRACT, &mut extract).is_some();
    spec.extract = (said || extracting).then_some(extract);
    // After [canonical], whose rules spell their URLs, and after [politeness], which they vary.
    // What is in an archive belongs to nobody's server: links may lead anywhere in it.
    let scope = if spec.extract.is_some() { ScopeKind::Any } else { ScopeKind::default() };
    let mut seeds = Seeds::new(&spec.canonical, files, scope);
    tables(root, "seed").iter().for_each(|table| seeds.read(table));
    spec.seeds = seeds.into_seeds();
    spec.sites = tables(root, "site").iter().map(|table| site_rules(table, &spec.politeness)).collect();
    spec.event = event(root);
    check_references(root, spec, files);
}

fn section<'v, T>(root: &Table<'v>, name: &str, keys: &[Key<T>], into: &mut T) -> Option<Table<'v>> {
    let table = root.value(name, Shape::Described("a table written as [name]"))?.table()?;
    table.read(keys, into);
    Some(table)
}

/// `[knowledge]` with `[knowledge.remote]`. After [network], which says whose addresses are near.
fn knowledge(root: &Table<'_>, spec: &mut Spec) {
    let a_table = Shape::Described("a table written as [name]");
    let Some(table) = root.value("knowledge", a_table).and_then(|value| value.table()) else { return };
    table.read_beside(KNOWLEDGE, &["remote"], &mut spec.knowledge);
    let mut rules = RemoteRules::default();
    let Some(table) = section(&table, "remote", REMOTE, &mut rules) else { return };
    let notes = table.notes();
    if !(table.has("update") || table.has("graph_store")) {
        let why = "missing: where does the server take statements? `update` or `graph_store` says so";
        notes.mistake(table.line(), &table.key_of("update"), why);
    }
    if table.has("secret_env") && table.has("secret_file") {
        let (line, key) = (table.line_of("secret_file"), table.key_of("secret_file"));
        notes.mistake(line, &key, "expected one secret: secret_env gives another");
    }
    let has_secret = table.has("secret_env") || table.has("secret_file");
    if table.has("user") && !has_secret {
        let why = "missing: where is the password? secret_env or secret_file says so";
        notes.mistake(table.line_of("user"), &table.key_of("secret_env"), why);
    }
    let address = CanonicalUrl::parse(rules.address());
    if has_secret && address.is_ok_and(|url| !url.is_https() && !spec.network.is_own(url.host_name())) {
        let line = table.line_of(if rules.update.is_some() { "update" } else { "graph_store" });
        notes.warning(
            line,
            &table.key_of("update"),
            "the secret goes over the network in the clear: https hides it",
        );
    }
    spec.knowledge.remote = Some(rules);
}

fn tables<'v>(root: &Table<'v>, name: &str) -> Vec<Table<'v>> {
    let value = root.value(name, Shape::Described("tables written with double brackets as [[name]]"));
    value.and_then(|value| value.tables()).unwrap_or_default()
}

/// One delay alone takes the other with it; two that contradict each other are a mistake.
fn settle_delays(table: &Table<'_>, rules: &mut Politeness) {
    if rules.min_delay <= rules.max_delay {
        return;
    }
    match (table.has("min_delay"), table.has("max_delay")) {
        (true, false) => rules.max_delay = rules.min_delay,
        (false, true) => rules.min_delay = rules.max_delay,
        _ => contradicting_delays(table),
    }
}

fn site_rules(table: &Table<'_>, usual: &Politeness) -> SiteRules {
    let mut rules = SiteRules::default();
    table.read(SITE, &mut rules);
    if !table.has("site") {
        table.notes().mistake(
            table.line(),
            &table.key_of("site"),
            "missing: which site are these settings for?",
        );
    }
    match (rules.min_delay, rules.max_delay) {
        (Some(min), Some(max)) if min > max => contradicting_delays(table),
        (Some(min), None) if min > usual.max_delay => rules.max_delay = Some(min),
        (None, Some(max)) if max < usual.min_delay => rules.min_delay = Some(max),
        _ => {}
    }
    rules
}

fn contradicting_delays(table: &Table<'_>) {
    let line = table.line_of("min_delay");
    table.notes().mistake(line, &table.key_of("min_delay"), "expected at most max_delay, found more");
}

fn event(root: &Table<'_>) -> Option<Event> {
    let mut draft = EventDraft::default();
    let table = section(root, "event", EVENT, &mut draft)?;
    for name in ["from", "until"] {
        if !table.has(name) {
            table.notes().mistake(
                table.line(),
                &table.key_of(name),
                "missing: an event has a first and a last day",
            );
        }
    }
    let (from, until) = (draft.from?, draft.until?);
    if from > until {
        let message = format!("expected a day not before {from} (event.from), found {until}");
        table.notes().mistake(table.line_of("until"), &table.key_of("until"), message);
    }
    let EventDraft { lead, cooldown, relevance, weight, .. } = draft;
    Some(Event { from, until, lead, cooldown, relevance, weight })
}

/// A reference that is no URL must be a file that can be read.
fn check_references(root: &Table<'_>, spec: &Spec, files: &dyn Fn(&str) -> Result<String, String>) {
    let Some(table) = root.value("topic", Shape::Described("")).and_then(|value| value.table()) else {
        return;
    };
    for reference in &spec.topic.references {
        let problem = if reference.contains("://") {
            spec.canonical.parse(reference).err().map(|error| error.to_string())
        } else {
            files(reference).err()
        };
        if let Some(problem) = problem {
            let (line, key) = (table.line_of("references"), table.key_of("references"));
            table.notes().mistake(line, &key, format!("{reference}: {problem}"));
        }
    }
}

/// What a spec needs as a whole.
fn check_whole(spec: &Spec, root: &DeTable<'_>, notes: &Notes) {
    if !root.contains_key("name") {
        notes.mistake(1, "name", "missing: what is the collection called?");
    }
    let needs_seeds = match &spec.extract {
        Some(_) => spec.topic.references.is_empty(),
        None => !spec.scope.only_injected,
    };
    if !root.contains_key("seed") && needs_seeds {
        let message = match &spec.extract {
            None => "missing: a crawl needs at least one [[seed]]",
            Some(_) => {
                "missing: a collection begins with at least one [[seed]], or a reference in the archive"
            }
        };
        notes.mistake(1, "seed", message);
    } else if root.contains_key("seed")
        && spec.seeds.is_empty()
        && !notes.mistakes().iter().any(|m| m.key.starts_with("seed"))
    {
        notes.mistake(line_of(root, "seed", notes), "seed", "expected at least one seed, found none");
    }
    for (index, site) in spec.sites.iter().enumerate() {
        let repeated =
            !site.site.is_empty() && spec.sites[..index].iter().any(|other| other.site == site.site);
        let line = line_of(root, "site", notes);
        let whole = crate::url::site_of(&site.site);
        if (site.pages.is_some() || site.size_bytes.is_some()) && whole != site.site {
            let message = format!("pages and size are limits of a whole site: write them for {whole}");
            notes.mistake(line, &format!("site[{index}]"), message);
        }
        if repeated {
            notes.mistake(
                line,
                &format!("site[{index}].site"),
                format!("{} has settings already", site.site),
            );
        }
    }
    if spec.needs_contact() {
        notes.warning(1, "contact", "missing: a crawl of the live web stops without one");
    }
    if spec.has_example_contact() {
        let message = "an example: put your own, or a crawl of the live web does not begin";
        notes.warning(line_of(root, "contact", notes), "contact", message);
    }
    if spec.politeness.robots == RobotsPolicy::Ignore {
        notes.warning(line_of(root, "politeness", notes), "politeness.robots", "robots.txt is not obeyed");
    }
}

fn line_of(root: &DeTable<'_>, name: &str, notes: &Notes) -> usize {
    root.get(name).map_or(1, |value| notes.line_at(value.span().start))
}
