//! Seeds: `[[seed]]` tables, and files of seeds with one URL a line. Who opens the file is not decided here.

use std::collections::HashMap;

use super::keys::{SEED, SeedDraft};
use super::notes::{Notes, did_you_mean};
use super::shape::Shape;
use super::table::Table;
use super::words::Words;
use super::{ScopeKind, Seed, duration, size};
use crate::score::Score;
use crate::url::{CanonicalUrl, Canonicaliser};

/// What a file of seeds holds.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedFile {
    /// Each with its line, from 1.
    pub seeds: Vec<(usize, Seed)>,
    pub mistakes: Vec<SeedFileMistake>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SeedFileMistake {
    pub line: usize,
    pub message: String,
}

/// Reads a file of seeds: one URL a line, `#` comments, `url<TAB>key=value`. A setting that a line does not make is
/// taken from `shared`, whose own URL does not count.
pub fn parse_seed_file(text: &str, shared: &Seed, canonical: &Canonicaliser) -> SeedFile {
    let mut file = SeedFile { seeds: Vec::new(), mistakes: Vec::new() };
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let number = index + 1;
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        match seed_line(line, shared, canonical) {
            Ok(seed) => file.seeds.push((number, seed)),
            Err(messages) => file
                .mistakes
                .extend(messages.into_iter().map(|message| SeedFileMistake { line: number, message })),
        }
    }
    file
}

fn seed_line(line: &str, shared: &Seed, canonical: &Canonicaliser) -> Result<Seed, Vec<String>> {
    let mut fields = without_comment(line).split('\t').map(str::trim).filter(|field| !field.is_empty());
    let url = fields.next().unwrap_or_default();
    let mut seed = shared.clone();
    let mut messages = Vec::new();
    if url.contains(char::is_whitespace) {
        messages.push(format!("expected a URL, then settings after a tab, found {url:?}"));
    } else {
        match canonical.parse_typed(url) {
            Ok(url) => seed.url = url,
            Err(error) => messages.push(format!("expected a URL, found {url:?}: {error}")),
        }
    }
    messages.extend(fields.filter_map(|field| setting(field, &mut seed).err()));
    if messages.is_empty() { Ok(seed) } else { Err(messages) }
}

/// A comment may follow after a blank; a `#` in the middle of a URL begins a fragment.
fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        if letter == '#' && before.is_whitespace() {
            return &line[..at];
        }
        before = letter;
    }
    line
}

/// `depth=3` of a line in a file of seeds.
fn setting(field: &str, seed: &mut Seed) -> Result<(), String> {
    const KNOWN: [&str; 7] = ["scope", "depth", "pages", "size", "time", "recrawl", "score"];
    let (key, value) = field.split_once('=').unwrap_or((field, ""));
    let (key, value) = (key.trim(), value.trim());
    let expected =
        SEED.iter().find(|known| known.name == key && KNOWN.contains(&key)).map(|known| known.shape);
    let Some(expected) = expected else {
        return Err(format!("unknown setting {key:?}{}", did_you_mean(key, KNOWN.into_iter())));
    };
    let done = match expected {
        Shape::Word(_) => ScopeKind::from_word(value).map(|scope| seed.scope = scope),
        Shape::Decimal { least, most } => {
            let number = value.parse::<f64>().ok().filter(|n| (least..=most).contains(n));
            number.map(|n| seed.score = Score::new(n as f32))
        }
        Shape::Whole { least, most } => {
            let number = value.parse::<u64>().ok().filter(|n| (least..=most).contains(n));
            number.map(|n| match key {
                "pages" => seed.pages = Some(n),
                _ => seed.depth = u16::try_from(n).ok(),
            })
        }
        Shape::Size { least, most } => {
            let bytes = size::parse(value).filter(|bytes| (least..=most).contains(bytes));
            bytes.map(|bytes| seed.size_bytes = Some(bytes))
        }
        Shape::Duration { least } => {
            let time = duration::parse(value).filter(|time| *time >= least);
            time.map(|time| match key {
                "recrawl" => seed.recrawl = Some(time),
                _ => seed.time = Some(time),
            })
        }
        _ => None,
    };
    done.ok_or_else(|| format!("{key}: expected {expected}, found {value:?}"))
}

/// The seeds read so far; which URLs they have, and where each stands.
pub(super) struct Seeds<'f> {
    canonical: Canonicaliser,
    files: &'f dyn Fn(&str) -> Result<String, String>,
    /// Of seeds that do not say theirs.
    scope: ScopeKind,
    seeds: Vec<Seed>,
    /// URL → its place in `seeds` and how that place is called.
    known: HashMap<CanonicalUrl, (usize, String)>,
}

/// Where a seed stands, and what a second mention of its URL is.
enum Mention<'m> {
    Inline(&'m Table<'m>),
    InFile { table: &'m Table<'m>, name: &'m str, line: usize },
}

impl<'f> Seeds<'f> {
    pub(super) fn new(
        canonical: &Canonicaliser,
        files: &'f dyn Fn(&str) -> Result<String, String>,
        scope: ScopeKind,
    ) -> Seeds<'f> {
        Seeds { canonical: canonical.clone(), files, scope, seeds: Vec::new(), known: HashMap::new() }
    }

    pub(super) fn into_seeds(self) -> Vec<Seed> {
        self.seeds
    }

    /// Reads one `[[seed]]`.
    pub(super) fn read(&mut self, table: &Table<'_>) {
        let mut draft = SeedDraft { scope: self.scope, ..SeedDraft::default() };
        table.read(SEED, &mut draft);
        let notes = table.notes();
        match (table.has("url"), table.has("file")) {
            (true, true) => notes.mistake(
                table.line_of("file"),
                &table.key_of("file"),
                "a seed has either url or file, not both",
            ),
            (false, false) => {
                notes.mistake(table.line(), &table.key_of("url"), "missing: a seed needs url or file");
            }
            (true, false) => self.read_url(&draft, table),
            (false, true) => self.read_file(&draft, table),
        }
    }

    fn read_url(&mut self, draft: &SeedDraft, table: &Table<'_>) {
        let Some(raw) = &draft.url else { return };
        match self.canonical.parse_typed(raw) {
            Ok(url) => self.add(seed(url, draft), &Mention::Inline(table)),
            Err(error) => table.notes().mistake(
                table.line_of("url"),
                &table.key_of("url"),
                format!("expected a URL such as \"https://www.example.org/\", found {raw:?}: {error}"),
            ),
        }
    }

    fn read_file(&mut self, draft: &SeedDraft, table: &Table<'_>) {
        let Some(name) = draft.file.as_deref() else { return };
        let (line, key) = (table.line_of("file"), table.key_of("file"));
        let text = match (self.files)(name) {
            Ok(text) => text,
            Err(message) => return table.notes().mistake(line, &key, format!("{name}: {message}")),
        };
        // The shared settings need some URL to live in a seed; every line brings its own.
        let Ok(nowhere) = CanonicalUrl::parse("http://seed.invalid/") else { return };
        let file = parse_seed_file(&text, &seed(nowhere, draft), &self.canonical);
        if file.seeds.is_empty() && file.mistakes.is_empty() {
            table.notes().warning(line, &key, format!("{name} holds no seed"));
        }
        for mistake in file.mistakes {
            table.notes().mistake(line, &key, format!("{name}, {mistake}"));
        }
        for (line, seed) in file.seeds {
            self.add(seed, &Mention::InFile { table, name, line });
        }
    }

    /// A URL twice is a mistake, unless a file merely repeats what is known: lists of seeds often do.
    fn add(&mut self, seed: Seed, mention: &Mention<'_>) {
        let Some((index, place)) = self.known.get(&seed.url) else {
            self.known.insert(seed.url.clone(), (self.seeds.len(), mention.place()));
            self.seeds.push(seed);
            return;
        };
        let message = format!("{} is a seed already, {place}", seed.url);
        match mention {
            Mention::InFile { .. } if self.seeds.get(*index) == Some(&seed) => {
                mention.note(Notes::warning, &message);
            }
            Mention::InFile { .. } => mention.note(Notes::mistake, &format!("{message} with other settings")),
            Mention::Inline(_) => mention.note(Notes::mistake, &message),
        }
    }
}

impl Mention<'_> {
    fn place(&self) -> String {
        match self {
            Mention::Inline(table) => format!("in line {}", table.line_of("url")),
            Mention::InFile { name, line, .. } => format!("in {name} line {line}"),
        }
    }

    fn note(&self, note: impl Fn(&Notes, usize, &str, String), message: &str) {
        match self {
            Mention::Inline(table) => {
                note(table.notes(), table.line_of("url"), &table.key_of("url"), message.to_owned());
            }
            Mention::InFile { table, name, line } => {
                let message = format!("{name}, line {line}: {message}");
                note(table.notes(), table.line_of("file"), &table.key_of("file"), message);
            }
        }
    }
}

fn seed(url: CanonicalUrl, draft: &SeedDraft) -> Seed {
    Seed {
        url,
        scope: draft.scope,
        depth: draft.depth,
        pages: draft.pages,
        size_bytes: draft.size_bytes,
        time: draft.time,
        recrawl: draft.recrawl,
        score: draft.score.unwrap_or(Score::ONE),
    }
}
