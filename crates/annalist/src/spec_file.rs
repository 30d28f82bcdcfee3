//! From what was typed to a checked spec: a file, flags, or both. Flags are read by the same rules as the file.

use std::path::{Path, PathBuf};

use annalist_crawl::apps::{Apps, left_out};
use annalist_crawl::scope::Scope;
use annalist_model::Canonicaliser;
use annalist_model::spec::{
    ExtractRules, Mistake, Parsed, SnapshotChoice, Spec, Words, parse, parse_extract,
};
use anyhow::{Context, Result};

use crate::cli::{CrawlArgs, ExtractArgs};
use crate::exit::BadConfiguration;
use crate::sent::Allowed;

/// A spec and what is odd about it.
#[derive(Debug)]
pub struct Loaded {
    pub spec: Spec,
    pub warnings: Vec<Mistake>,
}

/// What reading a spec came to.
#[derive(Debug)]
pub struct Examined {
    /// Present when there are no mistakes.
    pub spec: Option<Spec>,
    pub mistakes: Vec<Mistake>,
    pub warnings: Vec<Mistake>,
}

impl Examined {
    fn of(parsed: Parsed) -> Examined {
        let Parsed { spec, mut mistakes, warnings, expressions } = parsed;
        mistakes.extend(Scope::mistakes(&expressions));
        mistakes.sort_by_key(|mistake| mistake.line);
        Examined { spec: spec.filter(|_| mistakes.is_empty()), mistakes, warnings }
    }

    /// The spec, or an error that tells every mistake.
    pub fn loaded(self, source: &str) -> Result<Loaded> {
        match self.spec {
            Some(spec) => Ok(Loaded { spec, warnings: self.warnings }),
            None => Err(BadConfiguration(told(&self.mistakes, &self.warnings, source)).into()),
        }
    }
}

/// Reads and checks a spec file, scope expressions included.
pub fn examine(path: &Path) -> Result<Examined> {
    examine_as(path, parse)
}

/// Checks the text of a spec that was sent: of this machine it names nothing but what is allowed, or what `kept`, the spec
/// that it is to replace, has already.
pub fn examine_text(text: &str, allowed: &Allowed, kept: Option<&Spec>) -> Examined {
    let is_kept =
        |name: &str| kept.is_some_and(|kept| kept.topic.references.iter().any(|known| known == name));
    let files = |name: &str| match is_kept(name) {
        // It was read where it was written.
        true => Ok(String::new()),
        false => allowed.may_name(name).and_then(|path| read_text(&path)),
    };
    let mut examined = Examined::of(parse(text, &files));
    if let Some(spec) = &examined.spec {
        examined.mistakes = allowed.mistakes(text, spec, kept);
        examined.spec = examined.spec.filter(|_| examined.mistakes.is_empty());
    }
    examined.warnings.extend(examined.spec.iter().flat_map(catalogue_warnings));
    examined
}

type Parse = fn(&str, &dyn Fn(&str) -> Result<String, String>) -> Parsed;

fn examine_as(path: &Path, parse: Parse) -> Result<Examined> {
    let text = read_text(path)
        .map_err(|e| BadConfiguration(format!("the spec {} cannot be read: {e}", path.display())))?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let files = |name: &str| read_text(&folder.join(name));
    let mut examined = Examined::of(parse(&text, &files));
    if let Some(spec) = &mut examined.spec {
        for name in &mut spec.catalogue {
            *name = beside(&folder, name);
        }
        if let Some(model) = &mut spec.study.model {
            *model = beside(&folder, model);
        }
        let archives = spec.extract.iter_mut();
        let archives = archives.flat_map(|extract| extract.archives.iter_mut().chain(&mut extract.warcs));
        for name in archives.filter(|name| !name.contains("://")) {
            *name = beside(&folder, name);
        }
        examined.warnings.extend(catalogue_warnings(spec));
    }
    Ok(examined)
}

/// A name in a spec is meant from the spec's own folder; the spec that a job keeps is read from another one.
fn beside(folder: &Path, name: &str) -> String {
    let whole = std::path::absolute(folder.join(name)).ok();
    whole.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| name.to_owned())
}

/// Mistakes in descriptions of applications: the rest of the catalogue is used without them.
fn catalogue_warnings(spec: &Spec) -> Vec<Mistake> {
    if spec.catalogue.is_empty() {
        return Vec::new();
    }
    let mistakes = Apps::of(spec, None).1.into_iter();
    let told = |mistake| Mistake { line: 0, key: "catalogue".to_owned(), message: left_out(&mistake) };
    mistakes.map(told).collect()
}

/// The same, where a wrong spec is an error.
pub fn load(path: &Path) -> Result<Loaded> {
    examine(path)?.loaded(&path.display().to_string())
}

fn told(mistakes: &[Mistake], warnings: &[Mistake], source: &str) -> String {
    let many = if mistakes.len() == 1 { "mistake" } else { "mistakes" };
    let lines = mistakes.iter().map(|mistake| format!("\n  {mistake}"));
    let odd = warnings.iter().map(|warning| format!("\n  warning: {warning}"));
    let lines: String = lines.chain(odd).collect();
    format!("{} {many} in {source}; nothing was done:{lines}", mistakes.len())
}

/// Reads the flags by the rules of a spec. Nobody wrote its lines and keys: a mistake names the flag.
fn checked_flags(text: &str) -> Result<Loaded> {
    let Examined { spec, mistakes, warnings } = Examined::of(parse(text, &read_file));
    let by_flag = |mistakes: Vec<Mistake>| mistakes.into_iter().map(of_flag).collect();
    Examined { spec, mistakes: by_flag(mistakes), warnings: by_flag(warnings) }.loaded("what was typed")
}

fn of_flag(mistake: Mistake) -> Mistake {
    const FLAGS: [(&str, &str); 14] = [
        ("seed.url", "--url"),
        ("seed.file", "--seeds"),
        ("seed.scope", "--scope"),
        ("seed", "--url or --seeds"),
        ("scope.depth", "--depth"),
        ("limits.pages", "--limit"),
        ("limits.size", "--size-limit"),
        ("limits.time", "--time-limit"),
        ("politeness.min_delay", "--min-delay"),
        ("politeness.max_delay", "--max-delay"),
        ("politeness.robots", "--robots"),
        ("network.allow", "--allow"),
        ("network.resolve", "--resolve"),
        ("user_agent", "--user-agent"),
    ];
    // `seed[0].url` is `seed.url`, and a name below `network.resolve` is what was typed there.
    let mut bare = String::new();
    let mut in_brackets = false;
    for letter in mistake.key.chars() {
        in_brackets = (in_brackets || letter == '[') && letter != ']';
        if !in_brackets && letter != ']' {
            bare.push(letter);
        }
    }
    let bare = if bare.starts_with("network.resolve") { "network.resolve" } else { &bare };
    let known = FLAGS.iter().find(|(key, _)| *key == bare);
    let key = known.map_or_else(|| format!("--{}", bare.replace('_', "-")), |(_, flag)| (*flag).to_owned());
    Mistake { line: 0, key, ..mistake }
}

/// The spec that `annalist crawl` is to follow, and where its job is.
pub fn for_crawl(args: &CrawlArgs) -> Result<(Loaded, PathBuf)> {
    let kept = args.job.as_ref().map(|job| job.join("spec.toml")).filter(|path| path.exists());
    let file = args.spec.as_ref().or(args.config.as_ref());
    let typed_seeds = !args.url.is_empty() || !args.seeds.is_empty();
    let mut loaded = match (file, kept) {
        (Some(file), _) => load(file)?,
        (None, Some(kept)) if !typed_seeds => {
            load(&kept).context("resuming with the spec kept in the job directory")?
        }
        (None, _) if typed_seeds => {
            return Ok(with_job(checked_flags(&flags_as_toml(args))?, args));
        }
        _ => {
            let message = "nothing to crawl: give a SPEC, --url URL, or --job DIR of an earlier crawl\n\
                           for example: annalist crawl --url https://www.example.org/ --contact https://you.example/";
            return Err(BadConfiguration(message.to_owned()).into());
        }
    };
    if loaded.spec.extract.is_some() {
        let message = "this spec is for a collection out of archives: use `annalist extract`, or take [extract] out of it";
        return Err(BadConfiguration(message.to_owned()).into());
    }
    let mut text = flags_as_toml(args);
    if !typed_seeds {
        // The flags alone are no spec; a seed makes them one, and is left behind.
        let scope = args.scope.as_ref().map(|kind| format!("scope = {}\n", quoted(kind))).unwrap_or_default();
        text.push_str(&format!("[[seed]]\nurl = \"http://localhost/\"\n{scope}"));
    }
    let flags = checked_flags(&text)?;
    loaded.warnings.extend(flags.warnings);
    override_with(&mut loaded.spec, flags.spec, args);
    Ok(with_job(loaded, args))
}

/// The spec that `annalist extract` is to follow, and where its job is.
pub fn for_extract(args: &ExtractArgs) -> Result<(Loaded, PathBuf)> {
    let kept = args.job.as_ref().map(|job| job.join("spec.toml")).filter(|path| path.exists());
    let Some(file) = args.spec.clone().or(kept) else {
        let message = "nothing to extract: give a SPEC, or --job DIR of an earlier run\n\
                       for example: annalist extract event.toml --archive warcs/";
        return Err(BadConfiguration(message.to_owned()).into());
    };
    let mut loaded = examine_as(&file, parse_extract)?.loaded(&file.display().to_string())?;
    let of_crawl =
        |path: &Path| examine(path).is_ok_and(|kept| kept.spec.is_some_and(|spec| spec.extract.is_none()));
    let job = args.job.clone().unwrap_or_else(|| Path::new("collections").join(loaded.spec.folder_name()));
    if of_crawl(&job.join("spec.toml")) {
        let message = format!("{} is the job of a crawl of the live web: give another --job", job.display());
        return Err(BadConfiguration(message).into());
    }
    let flags = CrawlArgs {
        job: args.job.clone(),
        limit: args.limit,
        size_limit: args.size_limit.clone(),
        time_limit: args.time_limit.clone(),
        allow: args.allow.clone(),
        ..CrawlArgs::default()
    };
    let typed = checked_flags(&format!("{}[[seed]]\nurl = \"http://localhost/\"\n", flags_as_toml(&flags)))?;
    override_with(&mut loaded.spec, typed.spec, &flags);
    let extract = loaded.spec.extract.get_or_insert_with(ExtractRules::default);
    if let Some(word) = &args.snapshot {
        extract.snapshot = SnapshotChoice::from_word(word).ok_or_else(|| {
            let known: Vec<&str> = SnapshotChoice::WORDS.iter().map(|(word, _)| *word).collect();
            BadConfiguration(format!("--snapshot: expected one of {}, found {word:?}", known.join(", ")))
        })?;
    }
    for (typed, known) in [(&args.archive, &mut extract.archives), (&args.warcs, &mut extract.warcs)] {
        for name in typed {
            let name = if name.contains("://") { name.clone() } else { beside(Path::new(""), name) };
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    if extract.archives.is_empty() {
        let message = "no archive to extract from: give --archive PATH, or `archives` in [extract]";
        return Err(BadConfiguration(message.to_owned()).into());
    }
    Ok(with_job(loaded, &flags))
}

fn with_job(mut loaded: Loaded, args: &CrawlArgs) -> (Loaded, PathBuf) {
    // Whether a contact is needed, and given, is known only now; a crawl that lacks one does not begin.
    loaded.warnings.retain(|warning| !warning.key.ends_with("contact"));
    let job = args.job.clone().unwrap_or_else(|| Path::new("collections").join(loaded.spec.folder_name()));
    (loaded, job)
}

fn read_file(name: &str) -> Result<String, String> {
    read_text(Path::new(name))
}

fn read_text(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    String::from_utf8(bytes).map_err(|fault| {
        let before = fault.as_bytes().get(..fault.utf8_error().valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        format!("line {line} is no UTF-8 text; save the file as UTF-8")
    })
}

/// A JSON string is a TOML string too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn head(args: &CrawlArgs, name: &str) -> String {
    let mut text = format!("name = {}\n", quoted(name));
    for (key, value) in [("contact", &args.contact), ("user_agent", &args.user_agent)] {
        if let Some(value) = value {
            text.push_str(&format!("{key} = {}\n", quoted(value)));
        }
    }
    text.push('\n');
    text
}

/// A name for a crawl of one address: its host and port, never its password.
fn name_of(url: &str) -> String {
    match Canonicaliser::default().parse_typed(url) {
        Ok(url) => url.host().split("//").last().unwrap_or("crawl").replace(':', "-"),
        Err(_) => "crawl".to_owned(),
    }
}

/// The flags as a spec of their own.
fn flags_as_toml(args: &CrawlArgs) -> String {
    let mut text = head(args, &name_of(args.url.first().map_or("", String::as_str)));
    let scope = args.scope.as_ref().map(|kind| format!("scope = {}\n", quoted(kind))).unwrap_or_default();
    for url in &args.url {
        text.push_str(&format!("[[seed]]\nurl = {}\n{scope}", quoted(url)));
    }
    for file in &args.seeds {
        text.push_str(&format!("[[seed]]\nfile = {}\n{scope}", quoted(&file.display().to_string())));
    }
    if let Some(depth) = args.depth {
        text.push_str(&format!("[scope]\ndepth = {depth}\n"));
    }
    text.push_str("[limits]\n");
    if let Some(pages) = args.limit {
        text.push_str(&format!("pages = {pages}\n"));
    }
    let limits = [("size", &args.size_limit), ("time", &args.time_limit)];
    let politeness =
        [("min_delay", &args.min_delay), ("max_delay", &args.max_delay), ("robots", &args.robots)];
    push_strings(&mut text, &limits);
    text.push_str("[politeness]\n");
    push_strings(&mut text, &politeness);
    text.push_str("[network]\n");
    let allow: Vec<String> = args.allow.iter().map(|network| quoted(network)).collect();
    text.push_str(&format!("allow = [{}]\n[network.resolve]\n", allow.join(", ")));
    for pair in &args.resolve {
        let (name, address) = pair.split_once('=').unwrap_or((pair, ""));
        text.push_str(&format!("{} = {}\n", quoted(name), quoted(address)));
    }
    text
}

fn push_strings(text: &mut String, pairs: &[(&str, &Option<String>)]) {
    for (key, value) in pairs {
        if let Some(value) = value {
            text.push_str(&format!("{key} = {}\n", quoted(value)));
        }
    }
}

/// What was typed beats what was written.
fn override_with(spec: &mut Spec, flags: Spec, args: &CrawlArgs) {
    if !args.url.is_empty() || !args.seeds.is_empty() {
        spec.seeds = flags.seeds;
    } else if let (Some(_), Some(typed)) = (&args.scope, flags.seeds.first()) {
        spec.seeds.iter_mut().for_each(|seed| seed.scope = typed.scope);
    }
    spec.contact = flags.contact.or(spec.contact.take());
    spec.user_agent = flags.user_agent.or(spec.user_agent.take());
    spec.scope.depth = flags.scope.depth.or(spec.scope.depth);
    spec.limits.pages = flags.limits.pages.or(spec.limits.pages);
    spec.limits.size_bytes = flags.limits.size_bytes.or(spec.limits.size_bytes);
    spec.limits.time = flags.limits.time.or(spec.limits.time);
    let (own, typed) = (&mut spec.politeness, flags.politeness);
    if args.min_delay.is_some() {
        own.min_delay = typed.min_delay;
        own.max_delay = own.max_delay.max(own.min_delay);
    }
    if args.max_delay.is_some() {
        own.max_delay = typed.max_delay;
        own.min_delay = own.min_delay.min(own.max_delay);
    }
    if args.robots.is_some() {
        own.robots = typed.robots;
    }
    spec.network.allow.extend(flags.network.allow);
    for (name, address) in flags.network.resolve {
        spec.network.resolve.retain(|(known, _)| *known != name);
        spec.network.resolve.push((name, address));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::for_crawl;
    use crate::cli::CrawlArgs;

    #[test]
    fn flags_alone_make_a_spec() {
        let args = CrawlArgs {
            url: vec!["http://127.0.0.1:8080/a?b".into()],
            allow: vec!["127.0.0.0/8".into()],
            min_delay: Some("0s".into()),
            limit: Some(7),
            ..CrawlArgs::default()
        };
        let (loaded, job) = for_crawl(&args).unwrap();
        assert_eq!(loaded.spec.seeds[0].url.as_str(), "http://127.0.0.1:8080/a?b");
        assert_eq!(loaded.spec.politeness.min_delay, Duration::ZERO);
        assert_eq!(loaded.spec.limits.pages, Some(7));
        assert!(!loaded.spec.needs_contact());
        assert_eq!(job, std::path::Path::new("collections/127.0.0.1-8080"));
    }

    #[test]
    fn a_password_is_no_part_of_a_name() {
        assert_eq!(super::name_of("http://bob:hunter2@a.test:81/x"), "a.test-81");
        assert_eq!(super::name_of("a.test/x"), "a.test");
        assert_eq!(super::name_of("a.test/?u=http://b.test/"), "a.test");
    }

    #[test]
    fn folders_of_descriptions_are_found_beside_the_spec_and_from_its_job() {
        let dir = tempfile::tempdir().unwrap();
        let (path, job) = (dir.path().join("a.toml"), dir.path().join("job"));
        let text = "name = \"a\"\ncatalogue = [\"mine\", \"/theirs\"]\n[[seed]]\nurl = \"http://a.test/\"\n";
        std::fs::write(&path, text).unwrap();
        let (loaded, _) = for_crawl(&CrawlArgs { spec: Some(path), ..CrawlArgs::default() }).unwrap();
        let mine = dir.path().join("mine").display().to_string();
        assert_eq!(loaded.spec.catalogue, [mine.as_str(), "/theirs"]);
        std::fs::create_dir(&job).unwrap();
        std::fs::write(job.join("spec.toml"), loaded.spec.to_toml()).unwrap();
        let (kept, _) = for_crawl(&CrawlArgs { job: Some(job), ..CrawlArgs::default() }).unwrap();
        assert_eq!(kept.spec.catalogue, loaded.spec.catalogue);
    }

    #[test]
    fn flags_beat_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.toml");
        let text = "name = \"a\"\n[[seed]]\nurl = \"http://a.test/\"\n[limits]\npages = 5\ntime = \"1h\"\n";
        std::fs::write(&path, text).unwrap();
        let args = CrawlArgs {
            spec: Some(path),
            limit: Some(9),
            contact: Some("https://me.example/".into()),
            ..CrawlArgs::default()
        };
        let (loaded, _) = for_crawl(&args).unwrap();
        assert_eq!(loaded.spec.limits.pages, Some(9));
        assert_eq!(loaded.spec.limits.time, Some(Duration::from_secs(3600)));
        assert_eq!(loaded.spec.contact.as_deref(), Some("https://me.example/"));
        assert_eq!(loaded.spec.seeds[0].url.as_str(), "http://a.test/");
    }

    #[test]
    fn a_wrong_flag_is_told_by_its_name() {
        let args = CrawlArgs {
            url: vec!["http://[".into()],
            scope: Some("hots".into()),
            min_delay: Some("soon".into()),
            allow: vec!["127.0.0.0/8".into(), "local".into()],
            resolve: vec!["a.test".into()],
            contact: Some("nobody".into()),
            user_agent: Some("\u{e9}".into()),
            ..CrawlArgs::default()
        };
        let error = for_crawl(&args).unwrap_err().to_string();
        for flag in ["--url", "--scope", "--min-delay", "--allow", "--resolve", "--contact", "--user-agent"] {
            assert!(error.contains(&format!("\n  {flag}: expected")), "{flag}: {error}");
        }
        assert!(!error.contains("line ") && !error.contains("seed["), "{error}");
    }

    #[test]
    fn a_file_that_is_no_utf_8_is_told_with_the_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("latin.txt");
        std::fs::write(&path, b"http://a.test/\nhttp://a.test/caf\xE9\n").unwrap();
        let args = CrawlArgs { seeds: vec![path], ..CrawlArgs::default() };
        let error = for_crawl(&args).unwrap_err().to_string();
        assert!(error.contains("line 2 is no UTF-8 text; save the file as UTF-8"), "{error}");
    }

    #[test]
    fn a_contact_that_is_typed_is_not_missed() {
        let args = CrawlArgs {
            url: vec!["http://a.test/".into()],
            contact: Some("https://me.example/".into()),
            ..CrawlArgs::default()
        };
        assert_eq!(for_crawl(&args).unwrap().0.warnings, []);
    }

    #[test]
    fn a_file_without_seeds_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("none.txt");
        std::fs::write(&path, "\u{feff}# nothing yet\r\n\r\n").unwrap();
        let args = CrawlArgs { seeds: vec![path], ..CrawlArgs::default() };
        let error = for_crawl(&args).unwrap_err().to_string();
        assert!(error.contains("none.txt holds no seed"), "{error}");
    }
}
