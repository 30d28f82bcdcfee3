//! `annalist learn`: a small reference crawl teaches what the topic is about.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use annalist_crawl::budget::Ending;
use annalist_crawl::job::JobDir;
use annalist_judge::definition::is_language;
use annalist_judge::judge::{RELEVANT, Sought};
use annalist_judge::{Analyst, Definition, Depth, Judge, Rules};
use annalist_model::spec::Spec;
use annalist_model::{CanonicalUrl, Page};
use anyhow::{Context, Result, bail};

use super::crawl::exit_of;
use crate::cli::LearnArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::{definition_file, pages, show, spec_file};

/// In the reference crawl's folder: which of its pages are references, one address a line.
const REFERENCES: &str = "references.txt";
/// How many terms are shown.
const SHOWN: usize = 20;
const BAR: usize = 20;

/// What is learned from.
#[derive(Default)]
struct Lesson {
    references: Vec<Page>,
    background: Vec<Page>,
}

pub fn run(args: &LearnArgs) -> Result<Exit> {
    let spec = spec_file::load(&args.spec)?.spec;
    require_topic(&spec, &args.spec)?;
    let mut lesson = Lesson::default();
    for (name, page) in local_references(&spec, &args.spec)? {
        lesson.take_reference(&name, page);
    }
    let urls = to_fetch(&spec);
    if !urls.is_empty() {
        let job = args.job.clone();
        let name = format!("{}-reference", spec.name);
        let usual = || Path::new("collections").join(format!("{}-reference", spec.folder_name()));
        let exit = lesson.fetch(&spec, &name, &urls, &job.unwrap_or_else(usual), args.limit)?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    if spec.topic.references.is_empty() {
        lesson.sort_by_names(&spec)?;
    }
    if lesson.references.is_empty() && !spec.topic.references.is_empty() {
        bail!("no reference page could be used: nothing was learned");
    }
    if lesson.references.len() > 1 && lesson.background.is_empty() {
        tell!(
            "warning: no other pages say what is usual: words that all pages of a site have, such as those of its menus, may \
             look like the topic; references that are addresses bring other pages with them"
        );
    }
    let definition = learned(&spec, &lesson.references, &lesson.background)?;
    let out = args.out.clone().unwrap_or_else(|| definition_file::usual_place(&spec));
    let kept = definition_file::replace(&out, &definition, &spec)?;
    report(&definition, &out, kept.as_deref(), &args.spec);
    Ok(Exit::Done)
}

/// What can be told before anything is fetched.
pub fn require_topic(spec: &Spec, path: &Path) -> Result<()> {
    let wrong = |message: String| Err(BadConfiguration(message).into());
    if !spec.topic.is_given() {
        return wrong(format!(
            "{} has no topic: say what the collection is about in [topic], by keywords, references or [[topic.entity]]",
            path.display()
        ));
    }
    match spec.topic.languages.iter().find(|code| !is_language(code)) {
        Some(code) => wrong(format!(
            "{}: topic.languages: there is no language with the code {code:?}; give ISO 639-1 codes such as \"en\"",
            path.display()
        )),
        None => Ok(()),
    }
}

/// The references that are files beside the spec.
pub fn local_references(spec: &Spec, path: &Path) -> Result<Vec<(String, Page)>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = spec.topic.references.iter().filter(|reference| !reference.contains("://"));
    files.map(|name| Ok((name.clone(), pages::of_file(&folder.join(name), &spec.canonical)?.1))).collect()
}

/// The references that are addresses; the seeds where there are no references at all.
fn to_fetch(spec: &Spec) -> Vec<CanonicalUrl> {
    if spec.topic.references.is_empty() {
        return spec.seeds.iter().map(|seed| seed.url.clone()).collect();
    }
    let addresses = spec.topic.references.iter().filter(|reference| reference.contains("://"));
    addresses.filter_map(|reference| spec.canonical.parse(reference).ok()).collect()
}

pub fn learned(spec: &Spec, references: &[Page], background: &[Page]) -> Result<Definition> {
    let definition = Definition::learn(&spec.name, references, background, &spec.topic)
        .map_err(|e| BadConfiguration(format!("nothing can be learned: {e}")))?;
    for code in definition.unlisted_languages() {
        tell!("warning: no words of the language {code:?} are known: they have no stems and all weigh alike");
    }
    Ok(definition)
}

impl Lesson {
    fn take_reference(&mut self, name: &str, page: Page) {
        if page.text.split_whitespace().next().is_none() {
            tell!("warning: the reference {name} has no words: it teaches nothing");
        } else {
            self.references.push(page);
        }
    }

    /// Where keywords and names alone say what the topic is, the pages that have them are its references; the seeds need
    /// not be.
    fn sort_by_names(&mut self, spec: &Spec) -> Result<()> {
        let definition = learned(spec, &[], &[])?;
        let topic = definition.topic();
        let judge = Judge::of_topic(Rules::default(), definition.topic(), Sought::Yes);
        let mut analyst = Analyst::new(definition.names(), definition.language());
        let pages = self.references.drain(..).chain(self.background.drain(..));
        let mut is_relevant =
            |page: &Page| judge.relevance(&analyst.read(page, &topic, Depth::Topic)) >= RELEVANT;
        (self.references, self.background) = pages.partition(|page| is_relevant(page));
        if self.references.is_empty() {
            tell!("warning: no page that was fetched has the keywords: they alone define the topic");
        }
        Ok(())
    }

    /// The references first, then a sample of what they link to.
    fn fetch(
        &mut self,
        spec: &Spec,
        name: &str,
        urls: &[CanonicalUrl],
        job: &Path,
        limit: u64,
    ) -> Result<Exit> {
        require_same(job, urls)?;
        let list = job.join(REFERENCES);
        if !list.exists() {
            let report = pages::fetch(pages::fetching(spec, name, urls, 0, None), job)?;
            if report.ending != Ending::Complete {
                return Ok(exit_of(&report));
            }
            let found = pages::of_job(job, spec)?;
            let lines: String = found.iter().map(|(url, _)| format!("{url}\n")).collect();
            std::fs::write(&list, lines).with_context(|| list.display().to_string())?;
        }
        let text = std::fs::read_to_string(&list).with_context(|| list.display().to_string())?;
        let references: HashSet<&str> = text.lines().collect();
        tell_missing(spec, job, urls, &references);
        if references.is_empty() {
            return Ok(Exit::Done);
        }
        let most = limit.max(references.len() as u64);
        let report = pages::fetch(pages::fetching(spec, name, urls, 1, Some(most)), job)?;
        if !matches!(report.ending, Ending::Complete | Ending::PageLimit) {
            return Ok(exit_of(&report));
        }
        for (url, page) in pages::of_job(job, spec)? {
            if references.contains(url.as_str()) {
                self.take_reference(url.as_str(), page);
            } else {
                self.background.push(page);
            }
        }
        Ok(Exit::Done)
    }
}

/// A reference crawl of other pages is somebody's archive: it is not mixed with this one.
fn require_same(job: &Path, urls: &[CanonicalUrl]) -> Result<()> {
    let kept = JobDir::new(job).spec();
    if !kept.exists() {
        return Ok(());
    }
    let kept = spec_file::load(&kept)?.spec;
    let kept: HashSet<&CanonicalUrl> = kept.seeds.iter().map(|seed| &seed.url).collect();
    if kept == urls.iter().collect() {
        return Ok(());
    }
    let message = format!(
        "{} holds a crawl of other pages: move it away, or give another place with --job",
        job.display()
    );
    Err(BadConfiguration(message).into())
}

/// What became of references that are not among the pages: they led elsewhere, or could not be fetched.
fn tell_missing(spec: &Spec, job: &Path, urls: &[CanonicalUrl], found: &HashSet<&str>) {
    for url in urls.iter().filter(|url| !found.contains(url.as_str())) {
        let why = pages::why_none(spec, job, url);
        tell!("warning: the reference {url} is no page: {why}");
    }
}

#[expect(clippy::print_stdout, reason = "what was learned is what the command is asked for")]
fn report(definition: &Definition, out: &Path, kept: Option<&Path>, spec: &Path) {
    print!("{}", told(definition));
    println!("written to {}", out.display());
    if let Some(kept) = kept {
        println!("the definition that was there is now {}", kept.display());
    }
    println!("correct it where it is wrong, then try it: annalist judge {} FILE|URL", spec.display());
}

fn told(definition: &Definition) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "learned from {} reference pages and {} others ({}): {} terms, {} phrases",
        show::count(definition.references.into()),
        show::count(definition.background.into()),
        definition.languages.join(", "),
        definition.terms.len(),
        definition.phrases.len(),
    );
    let shown =
        |terms: &[(String, f32)]| -> Vec<(String, f32)> { terms.iter().take(SHOWN).cloned().collect() };
    for (what, terms) in [("terms", shown(&definition.terms)), ("phrases", shown(&definition.phrases))] {
        if terms.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{what}, the strongest first:");
        let width = terms.iter().map(|(term, _)| term.chars().count()).max().unwrap_or(0);
        for (term, weight) in &terms {
            let bar = "#".repeat((weight * BAR as f32).round() as usize);
            let _ = writeln!(text, "  {term:width$}  {weight:.3}  {bar}");
        }
    }
    for entity in &definition.entities {
        let times = match entity.seen {
            0 => "on no reference page".to_owned(),
            1 => "once on the reference pages".to_owned(),
            n => format!("{} times on the reference pages", show::count(n.into())),
        };
        let _ = writeln!(text, "entity {}: {times}", entity.name);
    }
    text
}
