//! A study from its start to its end: writings gathered, stage after stage, each kept when it is done.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use annalist_knowledge::{
    Content, Derived, Extent, FollowError, FollowSettings, Mark, Payload, follow, payloads,
};
use annalist_warc::DigestKind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

use super::entities::{EntitiesError, EntitySettings, entities};
use super::happenings::happenings;
use super::images::{self, ImageSeen, Images, Sighting};
use super::kept::Kept;
use super::opinions::opinions;
use super::social::social;
use super::tell::Found;
use super::topics::topics;
use super::{Corpus, CorpusError, Gatherer, Named, StudyWatch, Vocabulary};

/// Results of another version of the program are found again.
const VERSION: u32 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    Entities,
    Opinions,
    Topics,
    Events,
    Social,
    Images,
}

impl Stage {
    pub const ALL: [Stage; 6] =
        [Stage::Entities, Stage::Opinions, Stage::Topics, Stage::Events, Stage::Social, Stage::Images];

    pub const fn name(self) -> &'static str {
        match self {
            Stage::Entities => "entities",
            Stage::Opinions => "opinions",
            Stage::Topics => "topics",
            Stage::Events => "events",
            Stage::Social => "social",
            Stage::Images => "images",
        }
    }

    /// Those of which something is kept there.
    pub fn done_in(dir: &Path) -> Vec<Stage> {
        let is_kept = |stage: &Stage| stage.kept_in(dir).exists();
        Stage::ALL.into_iter().filter(is_kept).collect()
    }

    /// The file in which what it found is kept there.
    pub fn kept_in(self, dir: &Path) -> PathBuf {
        super::kept::path_of(dir, self.name())
    }

    pub fn named(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.name() == name)
    }

    /// The stages that are needed for these: opinions and events are about entities.
    pub fn with_needed(wanted: &[Stage]) -> BTreeSet<Stage> {
        let mut all: BTreeSet<Stage> = wanted.iter().copied().collect();
        if all.contains(&Stage::Opinions) || all.contains(&Stage::Events) {
            all.insert(Stage::Entities);
        }
        all
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Follow(#[from] FollowError),
    #[error(transparent)]
    Corpus(CorpusError),
    #[error(transparent)]
    Entities(EntitiesError),
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
    /// Stages that were done, before or now, are kept.
    #[error("it was interrupted")]
    Interrupted { kept: Vec<Stage> },
}

impl From<CorpusError> for StudyError {
    fn from(fault: CorpusError) -> StudyError {
        match fault {
            CorpusError::Stopped => StudyError::Interrupted { kept: Vec::new() },
            fault => StudyError::Corpus(fault),
        }
    }
}

impl From<EntitiesError> for StudyError {
    fn from(fault: EntitiesError) -> StudyError {
        match fault {
            EntitiesError::Corpus(fault) => fault.into(),
            fault => StudyError::Entities(fault),
        }
    }
}

/// What is studied.
#[derive(Clone, Debug)]
pub struct Subject {
    pub extents: Vec<Extent>,
    pub follow: FollowSettings,
    pub entities: EntitySettings,
    /// Where everything is kept.
    pub dir: PathBuf,
}

impl Subject {
    /// All writings, gathered again only if the archive has grown.
    pub fn corpus(&self, watch: &dyn StudyWatch) -> Result<(Corpus, Mark), StudyError> {
        let fault = |path: &Path| {
            let path = path.display().to_string();
            move |source| StudyError::Io { path, source }
        };
        std::fs::create_dir_all(&self.dir).map_err(fault(&self.dir))?;
        let path = self.dir.join("writings");
        let ends = self.ends();
        let kept = Kept::new(&self.dir, format!("{VERSION} {ends}"));
        // A file that was cut between two writings, or to nothing, can be read and is not all.
        if let Some((mark, writings)) = kept.load::<(Mark, u64)>("gathered")
            && let Ok(corpus) = Corpus::open(&path)
            && corpus.len() == writings
        {
            return Ok((corpus, mark));
        }
        let bytes = self.extents.iter().map(length).sum();
        watch.begin_bytes("reading the archive", bytes);
        let mut gatherer = Gatherer::create(&path)?;
        let followed = follow(&self.extents, &mut [&mut gatherer], &self.follow, watch)?;
        if !followed.is_complete {
            return Err(CorpusError::Stopped.into());
        }
        let mark = gatherer.mark().clone();
        let corpus = gatherer.finish()?;
        kept.save("gathered", &(&mark, corpus.len())).map_err(fault(&self.dir))?;
        Ok((corpus, mark))
    }

    /// Tells one state of the archive from another.
    fn ends(&self) -> String {
        let ends: Vec<String> = self
            .extents
            .iter()
            .map(|extent| format!("{}\t{}", annalist_knowledge::plain_name(&extent.path), length(extent)))
            .collect();
        let mut ends = ends;
        ends.sort();
        format!("{:016x}", xxh3_64(ends.join("\n").as_bytes()))
    }

    /// What the stages found about this archive with these settings.
    fn kept(&self) -> Kept {
        let key =
            format!("{VERSION} {} {:016x}", self.ends(), xxh3_64(format!("{:?}", self.entities).as_bytes()));
        Kept::new(&self.dir, key)
    }

    /// Stages that were done of another state of the archive, or with other settings.
    pub fn outdated(&self) -> Vec<Stage> {
        let kept = self.kept();
        let is_outdated = |stage: &Stage| kept.load::<serde::de::IgnoredAny>(stage.name()).is_none();
        Stage::done_in(&self.dir).into_iter().filter(is_outdated).collect()
    }

    /// Runs the stages, or takes what they found before. Stages that are not wanted count if they were run before.
    pub fn study(
        &self,
        corpus: &Corpus,
        wanted: &BTreeSet<Stage>,
        watch: &dyn StudyWatch,
    ) -> Result<Found, StudyError> {
        let kept = self.kept();
        let run = Run { kept: &kept, dir: &self.dir, wanted, watch };
        self.stages(corpus, &run).map_err(|fault| match fault {
            StudyError::Interrupted { .. } => StudyError::Interrupted { kept: run.done() },
            fault => fault,
        })
    }

    fn stages(&self, corpus: &Corpus, run: &Run<'_>) -> Result<Found, StudyError> {
        let watch = run.watch;
        let mut found = Found {
            entities: run.stage(Stage::Entities, || Ok(entities(corpus, &self.entities, watch)?))?,
            ..Found::default()
        };
        found.opinions = run.stage(Stage::Opinions, || Ok(opinions(corpus, &found.entities, watch)?))?;
        let vocabulary = if run.needs(Stage::Topics) || run.needs(Stage::Events) {
            Vocabulary::of(corpus, watch)?
        } else {
            Vocabulary::default()
        };
        found.topics = run.stage(Stage::Topics, || Ok(topics(corpus, &vocabulary, watch)?))?;
        found.happenings = run.stage(Stage::Events, || {
            let named = Named::of(&found.entities);
            Ok(happenings(corpus, &vocabulary, &named, watch)?)
        })?;
        found.social = run.stage(Stage::Social, || Ok(social(corpus, watch)?))?;
        found.images = run.stage(Stage::Images, || self.images(watch))?;
        Ok(found)
    }

    fn images(&self, watch: &dyn StudyWatch) -> Result<Images, StudyError> {
        watch.begin_bytes("images", self.extents.iter().map(length).sum());
        let mut seen: Vec<Sighting> = Vec::new();
        payloads(
            &self.extents,
            self.follow.threads,
            |_, declared, start| images::may_be_image(declared, start),
            sighting,
            |sighting| seen.push(sighting),
            watch,
        );
        if watch.is_stopped() {
            return Err(CorpusError::Stopped.into());
        }
        Ok(Images::of(images::images_of(seen)))
    }
}

/// What a payload is to those who look for images.
fn sighting(payload: Payload) -> Option<Sighting> {
    let Payload { record, url, captured, declared, digest, content } = payload;
    match content {
        Content::Bytes(bytes) => {
            let facts = images::facts(&bytes, &declared)?;
            let digest = digest.or_else(|| Some(DigestKind::Sha1.of(&bytes).to_string()));
            Some(Sighting::Looked { image: ImageSeen { record, url, declared, digest, facts }, captured })
        }
        Content::SameAs(original) => Some(Sighting::Repeated { record, url, declared, digest, original }),
    }
}

/// Of what can be read: an archive is another one when a file that could not be read can be.
fn length(extent: &Extent) -> u64 {
    let file = std::fs::File::open(&extent.path).and_then(|file| file.metadata());
    file.map_or(0, |file| file.len()).min(extent.until)
}

struct Run<'a> {
    kept: &'a Kept,
    dir: &'a Path,
    wanted: &'a BTreeSet<Stage>,
    watch: &'a dyn StudyWatch,
}

impl Run<'_> {
    /// Whether a stage is wanted and was not done yet.
    fn needs(&self, stage: Stage) -> bool {
        self.wanted.contains(&stage) && !self.is_kept(stage)
    }

    fn is_kept(&self, stage: Stage) -> bool {
        self.kept.load::<serde::de::IgnoredAny>(stage.name()).is_some()
    }

    fn done(&self) -> Vec<Stage> {
        Stage::ALL.into_iter().filter(|stage| self.is_kept(*stage)).collect()
    }

    fn stage<T: Default + Serialize + DeserializeOwned>(
        &self,
        stage: Stage,
        find: impl FnOnce() -> Result<T, StudyError>,
    ) -> Result<T, StudyError> {
        if let Some(found) = self.kept.load(stage.name()) {
            return Ok(found);
        }
        if !self.wanted.contains(&stage) {
            return Ok(T::default());
        }
        if self.watch.is_stopped() {
            return Err(CorpusError::Stopped.into());
        }
        let found = find()?;
        let path = self.dir.display().to_string();
        self.kept.save(stage.name(), &found).map_err(|source| StudyError::Io { path, source })?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
