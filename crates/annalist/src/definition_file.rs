//! `definition.toml`: where it is, how it is read and replaced.

use std::path::{Path, PathBuf};

use annalist_judge::Definition;
use annalist_model::spec::Spec;
use anyhow::{Context, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::exit::BadConfiguration;

/// Where a spec's definition is when nobody says otherwise: in the folder of its crawl.
pub fn usual_place(spec: &Spec) -> PathBuf {
    Path::new("collections").join(spec.folder_name()).join("definition.toml")
}

/// Where that of a job is.
pub fn in_job(job: &Path) -> PathBuf {
    job.join("definition.toml")
}

/// Every mistake in it is told at once.
pub fn load(path: &Path) -> Result<Definition> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| BadConfiguration(format!("the definition {} cannot be read: {e}", path.display())))?;
    Definition::read(&text).map_err(|mistakes| {
        let many = if mistakes.len() == 1 { "mistake" } else { "mistakes" };
        let lines: String = mistakes.iter().map(|mistake| format!("\n  {mistake}")).collect();
        BadConfiguration(format!("{} {many} in {}:{lines}", mistakes.len(), path.display())).into()
    })
}

/// How a definition stands to the topic of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was learned for it, or says the same.
    Follows,
    /// The spec says something else by now; the definition is as it was learned, and can be learned again.
    Outdated,
    /// The spec says something else by now, and the definition is more than can be learned again.
    Apart(Why),
}

/// What would be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// What somebody wrote.
    Corrected,
    /// What pages taught that the spec does not name.
    Taught,
}

/// What people have to know of a definition that does not follow its spec.
pub fn apart(why: Why) -> String {
    let why = match why {
        Why::Corrected => "somebody has corrected it",
        Why::Taught => "pages taught it that the spec does not name",
    };
    format!(
        "definition.toml is of another topic than the spec names now, and is used as it is, for {why}: correct it, or remove it, \
         and the next start learns from the spec"
    )
}

/// Whether the definition is what would be learned for the spec as it is now.
pub fn standing(path: &Path, spec: &Spec) -> Result<Standing> {
    let definition = load(path)?;
    // A definition alone says what the topic is.
    if !spec.topic.is_given() {
        return Ok(Standing::Follows);
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let now = Mark::of("", spec);
    let learned = Mark::under(&text).filter(|(above, mark)| mark.text == fingerprint(above));
    let Some((_, mark)) = learned else {
        let entities = spec.topic.entities.iter().map(|entity| (&entity.name, &entity.aliases));
        let known = definition.entities.iter().map(|entity| (&entity.name, &entity.aliases));
        let says_the_same = definition.keywords == spec.topic.keywords && known.eq(entities);
        return Ok(if says_the_same { Standing::Follows } else { Standing::Apart(Why::Corrected) });
    };
    // The spec that a job keeps does not name the files any more that taught it.
    let names_files = spec.topic.references.iter().any(|reference| !reference.contains("://"));
    if mark.topic == now.topic && (mark.files == now.files || !names_files) {
        return Ok(Standing::Follows);
    }
    let is_lost = definition.references > 0 && spec.topic.references.is_empty();
    Ok(if is_lost { Standing::Apart(Why::Taught) } else { Standing::Outdated })
}

/// The last line of a definition: by it, it is seen whether the spec or the definition was changed since it was learned.
struct Mark {
    topic: String,
    files: String,
    text: String,
}

const MARK: &str =
    "\n# As it was learned; a start sees by this line whether the spec or the above was changed since:\n# ";

impl Mark {
    fn of(text: &str, spec: &Spec) -> Mark {
        let topic = &spec.topic;
        let (addresses, files): (Vec<&String>, Vec<&String>) =
            topic.references.iter().partition(|reference| reference.contains("://"));
        let entities: Vec<_> = topic.entities.iter().map(|entity| (&entity.name, &entity.aliases)).collect();
        Mark {
            topic: fingerprint(&format!("{:?}", (&topic.keywords, &topic.languages, entities, addresses))),
            files: fingerprint(&format!("{files:?}")),
            text: fingerprint(text),
        }
    }

    /// With what stands above it.
    fn under(text: &str) -> Option<(&str, Mark)> {
        let (above, mark) = text.rsplit_once(MARK)?;
        let mut parts = mark.split_whitespace().map(str::to_owned);
        Some((above, Mark { topic: parts.next()?, files: parts.next()?, text: parts.next()? }))
    }
}

fn fingerprint(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

/// Moves it to where the one before is kept. Says where.
pub fn set_aside(path: &Path) -> Result<PathBuf> {
    let before = path.with_extension("toml.before");
    std::fs::rename(path, &before).with_context(|| format!("{} cannot be moved", path.display()))?;
    Ok(before)
}

/// Takes one over as it is, corrected or not.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    load(from)?;
    let unwritable = || format!("{} cannot be written", to.display());
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).with_context(unwritable)?;
    }
    std::fs::copy(from, to).map(drop).with_context(unwritable)
}

/// Writes what was learned for a spec; one that was there, and maybe corrected by hand, is kept beside it. Says where.
pub fn replace(path: &Path, definition: &Definition, spec: &Spec) -> Result<Option<PathBuf>> {
    let unwritable = || format!("{} cannot be written", path.display());
    let text = definition.to_toml();
    let Mark { topic, files, text: own } = Mark::of(&text, spec);
    let text = format!("{text}{MARK}{topic} {files} {own}\n");
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(unwritable)?;
    }
    let before = std::fs::read_to_string(path).ok().filter(|before| *before != text);
    let kept = before.map(|_| set_aside(path)).transpose()?;
    std::fs::write(path, text).with_context(unwritable)?;
    Ok(kept)
}
