//! What a crawl is about when it begins: the judge, with the definition of its topic or the pages that will define it, and
//! with what an earlier run of the same crawl has learned.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annalist_crawl::apps::{Apps, read_as_judged};
use annalist_crawl::job::JobDir;
use annalist_crawl::judging::{Basis, address_rules, rules};
use annalist_crawl::logs::Severity;
use annalist_crawl::status::Board;
use annalist_crawl::stop::Stop;
use annalist_judge::definition::is_language;
use annalist_judge::names::Names;
use annalist_judge::text::{Language, Stems, words};
use annalist_judge::{Analyst, Definition, Depth, Judge};
use annalist_model::spec::{ScopeKind, Seed, Spec};
use annalist_model::{CanonicalUrl, UrlKey};
use annalist_read::{Limits, Reader};
use annalist_sources::{Archived, responses};
use anyhow::Result;

use crate::commands::learn::{learned, local_references};
use crate::commands::verify::warc_files_in;
use crate::definition_file::{self, Standing};
use crate::exit::BadConfiguration;

/// The language of pages that do not tell theirs, where the spec names none.
const LANGUAGE: &str = "en";
/// A resumed crawl learns again from so many bytes of its latest WARC files at most.
const MOST_BYTES: u64 = 300 << 20;

/// The judge of a spec with a topic, or whose job has a definition. Reference pages become seeds: they are fetched first,
/// and define the topic where nothing else does. `path`: where the spec is.
///
/// Ends soon once `stop` is asked for; `board` tells meanwhile what takes long.
pub fn of(
    mut spec: Spec,
    path: Option<&Path>,
    job: &Path,
    (stop, board): (&Stop, &Board),
) -> Result<(Spec, Option<Basis>)> {
    let kept = definition_file::in_job(job);
    let mut told: Vec<_> = following(&spec, &kept)?.into_iter().collect();
    let usual = definition_file::usual_place(&spec);
    if !kept.exists() && spec.topic.is_given() && usual.exists() {
        let usual_name = usual.display();
        if definition_file::standing(&usual, &spec)? == Standing::Follows {
            tell!("{usual_name} was learned for a spec of this name and is used");
            definition_file::copy(&usual, &kept)?;
        } else {
            tell!("warning: {usual_name} is of another topic than the spec names now, and is not used");
        }
    }
    if !spec.topic.is_given() && !kept.exists() {
        if !spec.topic.languages.is_empty() {
            tell!(
                "warning: [topic] names languages only: nothing is judged without keywords, references or entities"
            );
        }
        if spec.event.is_some() {
            tell!(
                "warning: [event] counts where [topic] says what pages are about; without one links come in the order they are found"
            );
        }
        return Ok((spec, None));
    }
    if let Some(code) = spec.topic.languages.iter().find(|code| !is_language(code)) {
        let message =
            format!("topic.languages: there is no language with the code {code:?}; give ISO 639-1 codes");
        return Err(BadConfiguration(message).into());
    }
    let addresses = reference_addresses(&spec);
    let names_itself = !spec.topic.keywords.is_empty() || !spec.topic.entities.is_empty();
    let files = spec.topic.references.len() > addresses.len();
    if files && !addresses.is_empty() && !kept.exists() {
        tell!(
            "warning: only the references that are files say what the topic is; `annalist learn` learns from all"
        );
    }
    if !kept.exists() && (files || (addresses.is_empty() && names_itself)) {
        let pages = local_references(&spec, path.unwrap_or(Path::new("")))?;
        let pages: Vec<_> = pages.into_iter().map(|(_, page)| page).collect();
        definition_file::replace(&kept, &learned(&spec, &pages, &[])?, &spec)?;
    }
    // What a kept spec names has to be there when the crawl is resumed.
    spec.topic.references.retain(|reference| reference.contains("://"));
    // Where the collection may go anywhere, the links of references lead on, too.
    let is_wide = spec.extract.is_some() || spec.seeds.iter().any(|seed| seed.scope == ScopeKind::Any);
    let scope = if is_wide { ScopeKind::Any } else { ScopeKind::Page };
    for url in &addresses {
        if !spec.seeds.iter().any(|seed| seed.url == *url) {
            spec.seeds.push(Seed { scope, ..Seed::new(url.clone()) });
        }
    }
    let mut basis = if kept.exists() {
        tell!("the topic is what {} says", kept.display());
        defined(&spec, &definition_file::load(&kept)?)
    } else {
        to_be_found(&spec, &addresses)?
    };
    basis.told.append(&mut told);
    board.update(|status| {
        status.waits_for = Some("what it had learned to be read again from its latest pages".to_owned());
    });
    learn_again(&mut basis, &spec, job, stop)?;
    board.update(|status| status.waits_for = None);
    Ok((spec, Some(basis)))
}

/// Sees to it that the definition follows a spec whose topic was changed, or says why it does not.
fn following(spec: &Spec, kept: &Path) -> Result<Option<(Severity, String)>> {
    if !kept.exists() {
        return Ok(None);
    }
    let (severity, what) = match definition_file::standing(kept, spec)? {
        Standing::Follows => return Ok(None),
        Standing::Outdated => {
            let before = definition_file::set_aside(kept)?;
            let what = format!(
                "the topic of the spec was changed, so it is learned again; the definition that was there is now {}",
                before.display()
            );
            (Severity::Info, what)
        }
        Standing::Apart(why) => (Severity::Warning, definition_file::apart(why)),
    };
    tell!("{}{what}", if severity == Severity::Warning { "warning: " } else { "" });
    Ok(Some((severity, what)))
}

fn reference_addresses(spec: &Spec) -> Vec<CanonicalUrl> {
    let addresses = spec.topic.references.iter().filter(|reference| reference.contains("://"));
    addresses.filter_map(|reference| spec.canonical.parse(reference).ok()).collect()
}

/// The judge of a spec as it would begin without a definition that was learned or corrected. `path`: where the spec is.
pub fn afresh(spec: &Spec, path: &Path) -> Result<Basis> {
    let addresses = reference_addresses(spec);
    let names_itself = !spec.topic.keywords.is_empty() || !spec.topic.entities.is_empty();
    if spec.topic.references.len() > addresses.len() || (addresses.is_empty() && names_itself) {
        let pages = local_references(spec, path)?;
        let pages: Vec<_> = pages.into_iter().map(|(_, page)| page).collect();
        return Ok(defined(spec, &learned(spec, &pages, &[])?));
    }
    to_be_found(spec, &addresses)
}

/// The topic is what the definition says.
fn defined(spec: &Spec, definition: &Definition) -> Basis {
    Basis {
        judge: Judge::of_topic(rules(spec), definition.topic(), definition.sought()),
        analyst: Analyst::new(definition.names(), definition.language()).knowing(address_rules(spec)),
        references: HashSet::new(),
        told: Vec::new(),
    }
}

/// The topic is what the references say when they come; the seeds, where there are none.
fn to_be_found(spec: &Spec, addresses: &[CanonicalUrl]) -> Result<Basis> {
    let language = spec.topic.languages.first().map_or(LANGUAGE, String::as_str);
    let mut judge = Judge::new(rules(spec));
    let mut names = Names::default();
    if !spec.topic.keywords.is_empty() || !spec.topic.entities.is_empty() {
        // Until references come, and if none does, keywords and names are the topic.
        let definition = learned(spec, &[], &[])?;
        names = definition.names();
        judge = judge
            .seeking(definition.sought())
            .beginning_with(definition.topic())
            .boosting(boosts(&spec.topic.keywords, language));
    }
    let keys: HashSet<UrlKey> = match addresses {
        [] => spec.seeds.iter().map(|seed| seed.url.key()).collect(),
        addresses => addresses.iter().map(CanonicalUrl::key).collect(),
    };
    Ok(Basis {
        judge,
        analyst: Analyst::new(names, language).knowing(address_rules(spec)),
        references: keys,
        told: Vec::new(),
    })
}

/// How much more the words of keywords count.
fn boosts(keywords: &[String], language: &str) -> Vec<(u64, f32)> {
    const WHOLE: f32 = 2.0;
    const PART: f32 = 1.5;
    let mut stems = Stems::new(Language::of(language));
    let mut boosts = Vec::new();
    for keyword in keywords {
        let mut found = Vec::new();
        words(keyword, &mut stems, |word| found.extend(word.is_term().then_some(word.id)));
        let boost = if found.len() == 1 { WHOLE } else { PART };
        boosts.extend(found.into_iter().map(|id| (id, boost)));
    }
    boosts
}

/// What the judge knew is in the archive: it reads the references and the latest pages once more.
fn learn_again(basis: &mut Basis, spec: &Spec, job: &Path, stop: &Stop) -> Result<()> {
    let archive = JobDir::new(job).archive();
    if !archive.is_dir() {
        return Ok(());
    }
    let files = warc_files_in(&archive)?;
    let reader = Reader::new(spec.canonical.clone());
    let apps = Apps::of(spec, None).0;
    let limits = Limits::default();
    let latest = latest(&files);
    let mut missing: HashSet<UrlKey> = basis.references.clone();
    let mut references = Vec::new();
    for (place, file) in files.iter().enumerate() {
        if stop.is_asked() {
            break;
        }
        if place < latest && missing.is_empty() {
            continue;
        }
        let Ok(mut warc) = annalist_warc::Reader::open(file) else { continue };
        let mut read = |found: Archived| {
            let key = found.url.key();
            let is_reference = missing.remove(&key);
            if is_reference && found.head.is_redirect() {
                let target = found.head.location();
                let target = target.and_then(|to| spec.canonical.join(found.url.as_url(), &to).ok());
                missing.extend(target.as_ref().map(CanonicalUrl::key));
                basis.references.extend(target.as_ref().map(CanonicalUrl::key));
                return;
            }
            if !(200..300).contains(&found.head.status) || (place < latest && !is_reference) {
                return;
            }
            let page = read_as_judged(&reader, apps.as_ref(), &found);
            if page.text.is_empty() {
                return;
            }
            let depth = if is_reference { Depth::Reference } else { Depth::Topic };
            let mut reading = basis.analyst.read(&page, &basis.judge.topic(), depth);
            reading.time = Some(page.time(found.at));
            if is_reference {
                basis.judge.take_reference(key, &reading);
                references.push(page);
            } else {
                basis.judge.take(key, &reading);
            }
        };
        let mut take = |found: Archived| {
            read(found);
            if stop.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // A file that breaks off was interrupted: the crawl mends it before it goes on.
        let _ = responses(&mut warc, limits.body_bytes as u64, &mut take, &mut |_| {});
    }
    // The first were read before the topic was known.
    let topic = basis.judge.topic();
    let readings: Vec<_> =
        references.iter().map(|page| basis.analyst.read(page, &topic, Depth::Reference)).collect();
    basis.judge.hear_again(&readings);
    Ok(())
}

/// From which file on they are read: the latest that are not too much together.
fn latest(files: &[PathBuf]) -> usize {
    let mut bytes = 0;
    let size = |path: &PathBuf| path.metadata().map_or(0, |found| found.len());
    let kept = files.iter().rev().take_while(|path| {
        bytes += size(path);
        bytes <= MOST_BYTES
    });
    files.len() - kept.count().max(1).min(files.len())
}
