//! Where quoted words come from, and who is named in a text: a second time over the corpus, for the threads that need it.

use std::collections::{HashMap, HashSet};

use super::authors::{AuthorNumber, Byline};
use super::gather::{Gathered, How, Reference, TAIL, moment_of, row_key, thread_of, words};
use crate::offline::StudyWatch;
use crate::offline::corpus::{Corpus, CorpusError};
use crate::offline::writing::Writing;

/// What was found in some writings.
#[derive(Default)]
struct Found {
    /// Thread, words, when, by whom.
    rows: Vec<(u64, u64, i64, Byline)>,
    /// Who names whom, and the capture that shows it.
    mentions: Vec<(Byline, AuthorNumber, Box<str>)>,
}

pub(super) fn find(
    corpus: &Corpus,
    gathered: &mut Gathered,
    watch: &dyn StudyWatch,
) -> Result<(), CorpusError> {
    let mut wanted: HashMap<u64, HashSet<u64>> = HashMap::new();
    for reference in &gathered.references {
        if let How::Quote(quote) = &reference.how
            && let Some(tail) = quote.tail
        {
            wanted.entry(quote.thread).or_default().insert(tail);
        }
    }
    let names = names(gathered);
    let take = |found: &mut Found, writing: Writing| {
        let Some(byline) = Byline::of(&writing) else { return };
        let thread = thread_of(&writing);
        let (wanted, named) = (wanted.get(&thread), names.get(&thread));
        if wanted.is_none() && named.is_none() {
            return;
        }
        for author in named.into_iter().flat_map(|names| called(&writing, names)) {
            found.mentions.push((byline.clone(), author, writing.record.as_str().into()));
        }
        let Some(wanted) = wanted else { return };
        let own = own_words(&writing);
        let at = moment_of(&writing);
        // A quote of few words is looked for as it is.
        let lengths = 3..=TAIL;
        let rows: HashSet<u64> = lengths
            .flat_map(|length| own.windows(length).map(row_key))
            .filter(|row| wanted.contains(row))
            .collect();
        found.rows.extend(rows.into_iter().map(|row| (thread, row, at, byline.clone())));
    };
    let mut all = Found::default();
    let join = |found: Found| {
        all.rows.extend(found.rows);
        all.mentions.extend(found.mentions);
    };
    corpus.fold(Found::default, take, join, watch)?;
    for (thread, row, at, byline) in all.rows {
        let Some(author) = gathered.authors.find(&byline) else { continue };
        let origin = gathered.origins.entry((thread, row)).or_insert((at, author));
        if at < origin.0 {
            *origin = (at, author);
        }
    }
    for (byline, named, source) in all.mentions {
        let Some(from) = gathered.authors.find(&byline) else { continue };
        gathered.references.push(Reference { from, how: How::Mention(named), source });
    }
    Ok(())
}

/// The names of each thread's authors, where there are others to name them.
fn names(gathered: &Gathered) -> HashMap<u64, Vec<(AuthorNumber, String)>> {
    let several = gathered.threads.iter().filter(|(_, authors)| authors.len() > 1);
    several
        .map(|(thread, authors)| {
            let names = authors.iter().map(|number| (*number, gathered.authors.name(*number).to_lowercase()));
            (*thread, names.filter(|(_, name)| name.chars().count() >= 3).collect())
        })
        .collect()
}

/// Whom a text speaks to or of: `@name`, a line that begins with `name,` or `name:`, or a name of several words.
/// A nickname anywhere else may be a word like others.
fn called<'n>(
    writing: &Writing,
    names: &'n [(AuthorNumber, String)],
) -> impl Iterator<Item = AuthorNumber> + 'n {
    let mut text = writing.text.to_lowercase();
    for quote in &writing.quotes {
        text = text.replace(&quote.to_lowercase(), "\n");
    }
    let own = writing.author.as_deref().unwrap_or_default().to_lowercase();
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_called = move |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let (before, rest) =
                (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
            let begins = before.is_empty() || before.ends_with('\n');
            let whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_') && ends(rest);
            whole && (before.ends_with('@') || name.contains(' ') || (begins && rest.starts_with([',', ':'])))
        })
    };
    names.iter().filter(move |(_, name)| *name != own && is_called(name)).map(|(number, _)| *number)
}

/// The words of a text that are not quoted.
fn own_words(writing: &Writing) -> Vec<String> {
    let mut own = words(&writing.text);
    for quote in &writing.quotes {
        let quoted = words(quote);
        if quoted.is_empty() || quoted.len() > own.len() {
            continue;
        }
        if let Some(start) = own.windows(quoted.len()).position(|row| row == quoted.as_slice()) {
            own.drain(start..start + quoted.len());
        }
    }
    own
}
