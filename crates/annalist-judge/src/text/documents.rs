//! In how many documents of an archive each term occurs, and the file this is kept in: tab-separated, for people to read
//! and correct, for [`OwnFrequencies`] to load.
//!
//! ```text
//! #annalist-frequencies   1    min   2
//! #documents    en   120
//! language   term   documents
//! en    parliament    17
//! ```

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;
use std::sync::Arc;

use crate::text::frequencies::idf;
use crate::text::ids::{IdMap, id};
use crate::text::{Frequencies, Language, Stems, Terms};

/// ISO 639's word for a language that could not be told.
const UNDETERMINED: &str = "und";
const FORMAT: &str = "#annalist-frequencies";
const VERSION: &str = "1";
const TOTAL: &str = "#documents";
const COLUMNS: &str = "language\tterm\tdocuments";

/// Counts documents.
#[derive(Debug)]
pub struct DocumentCounts {
    /// Terms in fewer documents are left out.
    min: u32,
    languages: BTreeMap<String, Counts>,
    /// An archive has many a page several times.
    texts: IdMap<()>,
}

#[derive(Debug)]
struct Counts {
    stems: Stems,
    documents: u64,
    terms: IdMap<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    documents: u32,
    /// Known from the document on that makes the term frequent enough: most terms never are.
    shown: Option<Box<Shown>>,
}

#[derive(Debug)]
struct Shown {
    stem: Box<str>,
    surface: Box<str>,
}

/// What was counted in one language, and what its documents are about as it seems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub language: String,
    pub documents: u64,
    /// Those frequent enough.
    pub terms: usize,
    /// The terms, as written, that these documents have more often than others; the clearest first.
    pub outstanding: Vec<String>,
    /// Whether there is a background to stand out from.
    pub has_background: bool,
}

impl DocumentCounts {
    pub fn new(min: u32) -> DocumentCounts {
        DocumentCounts { min: min.max(1), languages: BTreeMap::new(), texts: IdMap::default() }
    }

    /// Counts a document, unless there are no terms in it or its text was counted before. Says whether it did.
    pub fn add(&mut self, language: Option<&str>, text: &str) -> bool {
        if self.texts.insert(id(text), ()).is_some() {
            return false;
        }
        let code = language.unwrap_or(UNDETERMINED);
        let fresh =
            || Counts { stems: Stems::new(Language::of(code)), documents: 0, terms: IdMap::default() };
        let counts = match self.languages.get_mut(code) {
            Some(counts) => counts,
            None => self.languages.entry(code.to_owned()).or_insert_with(fresh),
        };
        let terms = Terms::of(text, &mut counts.stems);
        let mut any = false;
        for term in terms.iter() {
            any = true;
            let seen = counts.terms.entry(term.id).or_default();
            seen.documents = seen.documents.saturating_add(1);
            if seen.documents == self.min {
                seen.shown = Some(Box::new(Shown { stem: term.stem.into(), surface: term.surface.into() }));
            }
        }
        counts.documents += u64::from(any);
        any
    }

    /// Language by language, the most frequent terms first.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "{FORMAT}\t{VERSION}\tmin\t{}", self.min)?;
        let counted = || self.languages.iter().filter(|(_, counts)| counts.documents > 0);
        for (language, counts) in counted() {
            writeln!(out, "{TOTAL}\t{language}\t{}", counts.documents)?;
        }
        writeln!(out, "{COLUMNS}")?;
        for (language, counts) in counted() {
            let mut terms: Vec<_> = counts.frequent().map(|(shown, count)| (&*shown.stem, count)).collect();
            terms.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
            for (stem, count) in terms {
                writeln!(out, "{language}\t{stem}\t{count}")?;
            }
        }
        out.flush()
    }

    /// What was counted, with at most `most` outstanding terms of each language.
    pub fn standings(&self, background: &OwnFrequencies, most: usize) -> Vec<Standing> {
        let counted = self.languages.iter().filter(|(_, counts)| counts.documents > 0);
        let standing = |(language, counts): (&String, &Counts)| {
            let background = background.of(language);
            Standing {
                language: language.clone(),
                documents: counts.documents,
                terms: counts.frequent().count(),
                outstanding: counts.outstanding(background, most),
                has_background: background.knows_words(),
            }
        };
        counted.map(standing).collect()
    }
}

impl Counts {
    fn frequent(&self) -> impl Iterator<Item = (&Shown, u32)> {
        self.terms.values().filter_map(|seen| Some((&**seen.shown.as_ref()?, seen.documents)))
    }

    /// By their part in how far the documents are from the background (Kullback and Leibler's divergence).
    fn outstanding(&self, background: &Frequencies, most: usize) -> Vec<String> {
        if !background.knows_words() {
            return Vec::new();
        }
        let mut terms: Vec<(f32, &Shown)> = self
            .frequent()
            .map(|(shown, count)| {
                let share = f64::from(count) / self.documents as f64;
                (share as f32 * (background.idf(&shown.stem) - idf(share)), shown)
            })
            .filter(|(part, _)| *part > 0.0)
            .collect();
        terms.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.stem.cmp(&other.1.stem)));
        terms
            .iter()
            .take(most)
            .map(|(_, shown)| shown.surface.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }
}

/// Frequencies out of a file that was made from an archive; those of the program where the file has none.
#[derive(Debug, Default)]
pub struct OwnFrequencies {
    languages: BTreeMap<String, Arc<Frequencies>>,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(
        "this is no file of frequencies, as `annalist index --frequencies` writes them: it does not begin with {FORMAT}"
    )]
    OtherFormat,
    #[error("it has version {0} of the format, and only {VERSION} is known")]
    OtherVersion(String),
    #[error("line {line}: {what}")]
    Line { line: usize, what: String },
}

impl OwnFrequencies {
    /// Those of a language.
    pub fn of(&self, code: &str) -> &Frequencies {
        self.languages.get(code).map_or_else(|| Frequencies::of(code), Arc::as_ref)
    }

    /// Stems of a language that weigh as much.
    pub fn stems(&self, code: &str) -> Stems {
        let language = Language::of(code);
        match self.languages.get(code) {
            Some(own) => Stems::weighing(language, Arc::clone(own)),
            None => Stems::new(language),
        }
    }

    pub fn read(input: impl BufRead) -> Result<OwnFrequencies, FileFault> {
        let mut lines = input.lines();
        let head = lines.next().transpose()?.unwrap_or_default();
        let min = read_head(&head)?;
        let mut languages: BTreeMap<String, (u64, IdMap<u32>)> = BTreeMap::new();
        for (place, line) in lines.enumerate() {
            let text = line?;
            read_line(&text, &mut languages).map_err(|what| FileFault::Line { line: place + 2, what })?;
        }
        let frequencies = languages.into_iter().map(|(code, (documents, counts))| {
            (code, Arc::new(Frequencies::from_counts(documents, min, counts.into_iter())))
        });
        Ok(OwnFrequencies { languages: frequencies.collect() })
    }
}

fn read_head(line: &str) -> Result<u32, FileFault> {
    let mut columns = line.trim_start_matches('\u{feff}').split('\t');
    if columns.next() != Some(FORMAT) {
        return Err(FileFault::OtherFormat);
    }
    match columns.next() {
        Some(VERSION) => {}
        other => return Err(FileFault::OtherVersion(other.unwrap_or("?").to_owned())),
    }
    let min = columns.nth(1).and_then(|number| number.parse().ok()).filter(|min| *min > 0);
    min.ok_or_else(|| FileFault::Line { line: 1, what: "no min, a number of 1 or more".to_owned() })
}

fn read_line(line: &str, languages: &mut BTreeMap<String, (u64, IdMap<u32>)>) -> Result<(), String> {
    if line.is_empty() || line == COLUMNS {
        return Ok(());
    }
    let columns: Vec<&str> = line.split('\t').collect();
    match *columns {
        [TOTAL, language, documents] => {
            let documents: NonZeroU64 = number(documents)?;
            languages.insert(language.to_owned(), (documents.get(), IdMap::default()));
        }
        [language, term, count] => {
            let count = number::<NonZeroU32>(count)?.get();
            let (documents, counts) = languages
                .get_mut(language)
                .ok_or_else(|| format!("no line {TOTAL} before it for {language}"))?;
            if u64::from(count) > *documents {
                return Err(format!("{term} is in {count} of {documents} documents"));
            }
            counts.insert(id(term), count);
        }
        _ => return Err("not three columns, with tabs between them".to_owned()),
    }
    Ok(())
}

/// None would be no reason for a line.
fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{text} is no number of documents"))
}

#[cfg(test)]
mod tests {
    use super::{DocumentCounts, OwnFrequencies};

    fn counted() -> DocumentCounts {
        let mut counts = DocumentCounts::new(2);
        assert!(counts.add(Some("en"), "Greek elections. Greek elections were called."));
        assert!(counts.add(Some("en"), "An election in Greece"));
        assert!(counts.add(Some("en"), "The Greek election and the economy"));
        assert!(counts.add(Some("xx"), "only once"));
        assert!(!counts.add(None, "... 1 2 3"));
        assert!(!counts.add(Some("en"), "An election in Greece"), "the same text again");
        counts
    }

    fn written(counts: &DocumentCounts) -> String {
        let mut file = Vec::new();
        counts.write(&mut file).unwrap();
        String::from_utf8(file).unwrap()
    }

    fn fault(file: &str) -> String {
        OwnFrequencies::read(file.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_term_counts_once_in_a_document() {
        assert_eq!(
            written(&counted()),
            "#annalist-frequencies\t1\tmin\t2\n#documents\ten\t3\n#documents\txx\t1\nlanguage\tterm\tdocuments\n\
             en\telect\t3\nen\tgreek\t2\nen\tgreek elect\t2\n"
        );
    }

    #[test]
    fn a_file_gives_weights_by_its_counts() {
        let own = OwnFrequencies::read(written(&counted()).as_bytes()).unwrap();
        let english = own.of("en");
        assert_eq!(english.idf("greek"), -(2.0_f64 / 3.0).ln() as f32);
        assert!(english.idf("elect") < english.idf("greek"));
        assert!(english.idf("greek") < english.idf("economi"), "what is not in the file is rarer");
        assert!(
            own.of("de").idf("und") < own.of("de").idf("bundestag"),
            "other languages have the program's"
        );
    }

    #[test]
    fn what_stands_out_from_the_background_is_named_as_written() {
        let standings = counted().standings(&OwnFrequencies::default(), 2);
        let [english, other] = &standings[..] else { panic!("{standings:?}") };
        assert_eq!((english.documents, english.terms, english.has_background), (3, 3, true));
        assert_eq!(english.outstanding, ["Greek", "Greek election"]);
        assert_eq!((other.documents, other.has_background, other.outstanding.len()), (1, false, 0));
        let own = OwnFrequencies::read(written(&counted()).as_bytes()).unwrap();
        assert_eq!(counted().standings(&own, 9)[0].outstanding.len(), 0, "nothing stands out from itself");
    }

    #[test]
    fn a_file_that_cannot_be_used_says_why() {
        assert!(fault("").contains("does not begin with"));
        assert!(fault("#annalist-frequencies\t9\tmin\t2\n").contains("version 9"));
        let head = "#annalist-frequencies\t1\tmin\t1\n";
        assert_eq!(fault("#annalist-frequencies\t1\n"), "line 1: no min, a number of 1 or more");
        assert_eq!(fault(&format!("{head}en\ta\t1\n")), "line 2: no line #documents before it for en");
        assert_eq!(fault(&format!("{head}#documents\ten\tmany\n")), "line 2: many is no number of documents");
        assert_eq!(
            fault(&format!("{head}#documents\ten\t2\n\nen\ta\t3\n")),
            "line 4: a is in 3 of 2 documents"
        );
        assert_eq!(fault(&format!("{head}en a 1\n")), "line 2: not three columns, with tabs between them");
    }
}
