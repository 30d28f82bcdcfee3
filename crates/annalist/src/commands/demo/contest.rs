//! Two crawls of the demo's web with the same budget: one knows the topic, the other goes breadth first. The web knows which
//! pages are about the topic and judges both; what our own judge thinks is told beside it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use annalist_crawl::engine::Report;
use annalist_crawl::job::JobDir;
use annalist_model::spec::{Order, Spec, parse};
use annalist_study::{Curves, Policy, drawn};
use annalist_testweb::{TestWeb, topic_name};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::show;

const TOPIC: usize = 0;
/// How many pages about the topic the archivist knows before.
const REFERENCES: usize = 10;
/// Of the pages of the web, one in so many is fetched by each crawl.
const BUDGET: usize = 8;
const LEAST_BUDGET: usize = 100;
const VISITS: usize = 8;

/// What both crawls are asked, and what the web knows of the answer.
pub struct Contest {
    references: Vec<String>,
    /// Every address of the healthy hosts, and whether it is about the topic.
    documents: HashMap<String, Relevance>,
    budget: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relevance {
    About,
    Beside,
    /// No page of text, or a seed.
    NotCounted,
}

/// How one of the crawls did.
pub struct Outcome {
    name: &'static str,
    policy: Policy,
    job: PathBuf,
    /// Of each page of text, in the order they came, whether it is about the topic.
    relevant: Vec<bool>,
    captures: u64,
    seconds: f64,
    /// What our own judge says, where it was asked.
    own: Option<f64>,
}

impl Contest {
    pub fn on(web: &TestWeb) -> Contest {
        let truth = web.world().truth();
        let mut documents: HashMap<String, Relevance> = truth
            .pages()
            .map(|page| {
                let is_document = page.kind.is_document();
                (page.url, if is_document { Relevance::Beside } else { Relevance::NotCounted })
            })
            .collect();
        let about: Vec<String> = truth.relevant(TOPIC).map(|page| page.url).collect();
        documents.extend(about.iter().map(|url| (url.clone(), Relevance::About)));
        // Of all sites, and some are left to be found in the smallest web.
        let apart = about.len().div_ceil(REFERENCES).max(3);
        let references: Vec<String> = about.into_iter().step_by(apart).collect();
        let known = references.iter().cloned().chain(web.world().seeds());
        documents.extend(known.map(|url| (url, Relevance::NotCounted)));
        let budget = (web.world().config().pages / BUDGET).max(LEAST_BUDGET);
        Contest { references, documents, budget }
    }

    pub fn introduction(&self) -> String {
        let about = self.documents.values().filter(|relevance| **relevance == Relevance::About).count();
        format!(
            "Somewhere in it are {} pages about {}. Both crawls begin with {} more of them and some other pages, and may\n\
             fetch {} addresses. One link text in ten lies, one in ten says no more than \"click here\".",
            show::count(about as u64),
            topic_name(TOPIC),
            self.references.len(),
            show::count(self.budget as u64),
        )
    }

    /// The references say what the topic is.
    pub fn topical(&self, common: &str) -> Result<Spec> {
        let references: Vec<String> = self.references.iter().map(|url| format!("{url:?}")).collect();
        self.spec(common, &format!("[topic]\nreferences = [{}]\n", references.join(", ")), Order::BestFirst)
    }

    /// The references are pages like others; nothing says what the topic is.
    pub fn breadth_first(&self, common: &str) -> Result<Spec> {
        self.spec(common, "", Order::BreadthFirst)
    }

    fn spec(&self, common: &str, topic: &str, order: Order) -> Result<Spec> {
        let mut more = String::new();
        for url in &self.references {
            let _ = write!(more, "\n[[seed]]\nurl = {url:?}\nscope = \"any\"\n");
        }
        let text = common.replacen("\n[network]\n", &format!("{more}\n{topic}\n[network]\n"), 1);
        let parsed = parse(&text, &|name| Err(format!("{name}: the demo has no files")));
        let Some(mut spec) = parsed.spec else { bail!("the demo's spec is wrong: {:?}", parsed.mistakes) };
        spec.limits.pages = Some(self.budget as u64);
        spec.frontier.order = order;
        // Who asks many at once has chosen them before knowing what came of the first.
        spec.frontier.visits = VISITS;
        Ok(spec)
    }

    pub fn outcome(
        &self,
        name: &'static str,
        policy: Policy,
        job: &Path,
        report: &Report,
    ) -> Result<Outcome> {
        let log = JobDir::new(job).logs().join("crawl.log");
        let text = std::fs::read_to_string(&log).with_context(|| log.display().to_string())?;
        let counters = &report.status.counters;
        Ok(Outcome {
            name,
            policy,
            job: job.to_owned(),
            relevant: self.relevant(&text),
            captures: counters.captures,
            seconds: report.seconds,
            own: counters.judged.harvest_ratio(),
        })
    }

    /// The truth about each page of text that a crawl log names, in its order. What the truth does not know is a page of a
    /// hostile host.
    fn relevant(&self, log: &str) -> Vec<bool> {
        let fetched = log.lines().filter_map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            let (status, url) = (fields.next()?, fields.nth(1)?);
            let counts = status == "200" && !url.ends_with("/robots.txt");
            counts.then(|| self.documents.get(url).copied().unwrap_or(Relevance::Beside))
        });
        fetched
            .filter(|relevance| *relevance != Relevance::NotCounted)
            .map(|relevance| relevance == Relevance::About)
            .collect()
    }
}

impl Outcome {
    fn found(&self) -> usize {
        self.relevant.iter().filter(|relevant| **relevant).count()
    }

    fn harvest(&self) -> f64 {
        self.found() as f64 / self.relevant.len().max(1) as f64
    }

    fn row(&self) -> String {
        let curve: Vec<(u64, u64)> = (1..)
            .zip(&self.relevant)
            .scan(0, |found, (pages, relevant)| {
                *found += u64::from(*relevant);
                Some((pages, *found))
            })
            .collect();
        format!(
            "  {:<14}{:>6}{:>10}{:>9.2}   {}\n",
            self.name,
            show::count(self.relevant.len() as u64),
            show::count(self.found() as u64),
            self.harvest(),
            show::sparkline(&curve),
        )
    }

    pub fn json(&self) -> Value {
        json!({
            "pages": self.relevant.len(),
            "relevant": self.found(),
            "harvest": self.harvest(),
            "judged_harvest": self.own,
            "captures": self.captures,
            "seconds": self.seconds,
            "job": self.job.display().to_string(),
        })
    }
}

/// How many times the harvest of one the harvest of the other is; nothing where there is none to compare with.
pub fn times_better(one: &Outcome, other: &Outcome) -> Option<f64> {
    (other.found() > 0).then(|| one.harvest() / other.harvest())
}

/// Both as a small table with their curves.
pub fn compared(topical: &Outcome, other: &Outcome) -> String {
    let topic = topic_name(TOPIC);
    let mut text = format!(
        "\nHow many of the pages are about {topic}, by what the web itself knows (seeds not counted):\n\
         \n  {:<14}{:>6}{:>10}{:>9}   from the first page to the last\n",
        "", "pages", "relevant", "harvest"
    );
    text.push_str(&topical.row());
    text.push_str(&other.row());
    text.push('\n');
    if let Some(times) = times_better(topical, other) {
        let _ = writeln!(text, "  Knowing the topic made the harvest {times:.1} times as high.");
    }
    if let Some(own) = topical.own {
        let _ = writeln!(text, "  Without the truth, the crawl's own judge put its harvest at {own:.2}.");
    }
    text
}

/// The curves as a picture and as numbers, in the job of the topical crawl.
pub fn write_curves(topical: &Outcome, other: &Outcome) -> Result<[PathBuf; 2]> {
    let title = format!("pages about {}, by what the web itself knows", topic_name(TOPIC));
    let crawls = [topical, other].map(|outcome| (outcome.policy, outcome.name, outcome.relevant.as_slice()));
    let curves = Curves::of_crawls(&title, &crawls);
    let (picture, numbers) = (topical.job.join("harvest.svg"), topical.job.join("harvest.csv"));
    for (path, text) in [(&picture, drawn(&curves)), (&numbers, curves.csv())] {
        std::fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    Ok([picture, numbers])
}
