//! What is known of one page: what the cockpit shows beside it.

use annalist_judge::explain::Explanation as Judged;
use annalist_knowledge::search::Entry;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::crawls::blocking;
use super::reading::{Asking, Place};
use crate::page::{Known, millis, moment};
use crate::problem::Problem;
use crate::serve::App;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Asked {
    pub url: String,
    /// As it was then, or next to it: `20110305101112`, or the first digits of that. The newest capture where nothing is said.
    #[serde(default)]
    pub at: String,
}

/// A page, or what somebody wrote on it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Writing {
    /// `page`, `post`, `comment`, `article`, or what a catalogue calls it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its own, where it has one.
    pub url: String,
    pub title: Option<String>,
    pub author: Option<String>,
    pub application: Option<String>,
    pub language: Option<String>,
    pub mime: String,
    /// As exact as it is known, RFC 3339.
    pub published: Option<String>,
    pub captured: String,
    /// In [0, 1], where there is a topic.
    pub relevance: Option<f32>,
    pub topics: Vec<String>,
    pub entities: Vec<String>,
    pub events: Vec<String>,
    /// From -1 to 1.
    pub sentiment: Option<f32>,
    pub text: String,
    /// Where the capture is kept.
    pub file: String,
    pub offset: u64,
    pub record: String,
}

impl Writing {
    fn of(entry: Entry) -> Writing {
        Writing {
            kind: entry.kind,
            url: entry.own_url.unwrap_or(entry.url),
            title: entry.title,
            author: entry.author,
            application: entry.application,
            language: entry.language,
            mime: entry.mime,
            published: entry.published,
            captured: moment(entry.captured_at).rfc3339(),
            relevance: entry.relevance,
            topics: entry.annotations.topics,
            entities: entry.annotations.entities,
            events: entry.annotations.events,
            sentiment: entry.annotations.sentiment,
            text: entry.text,
            file: entry.file,
            offset: entry.offset,
            record: entry.record,
        }
    }
}

/// A word of the topic on a page.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScoredWord {
    pub word: String,
    pub times: u32,
    /// In the topic, where the strongest has 1.
    pub weight: f32,
    /// What it adds to the nearness.
    pub adds: f32,
}

/// A name of the topic on a page.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScoredName {
    pub name: String,
    pub times: u32,
}

/// What a page is worth by the definition of the topic as it is now, and why.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageScore {
    /// In [0, 1].
    pub score: f32,
    pub is_relevant: bool,
    /// How near it is to the topic; 1 is a typical page.
    pub nearness: f32,
    /// Those that add most first.
    pub words: Vec<ScoredWord>,
    pub names: Vec<ScoredName>,
    /// Where the topic is an event: by what the page says alone, and what its time is worth.
    pub content: Option<f32>,
    pub time: Option<f32>,
}

impl PageScore {
    fn of(judged: Judged) -> PageScore {
        let word = |part: annalist_judge::explain::WordPart| ScoredWord {
            word: part.word,
            times: part.times,
            weight: part.weight,
            adds: part.part,
        };
        PageScore {
            score: judged.score,
            is_relevant: judged.is_relevant,
            nearness: judged.nearness,
            words: judged.words.into_iter().map(word).collect(),
            names: judged.names.into_iter().map(|(name, times)| ScoredName { name, times }).collect(),
            content: judged.timed.map(|timed| timed.content),
            time: judged.timed.and_then(|timed| timed.time).map(|(_, worth)| worth),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct KnownPage {
    pub url: String,
    /// `never-seen`, `queued`, `in-progress`, `captured`, `revisit` or `skipped`.
    pub state: String,
    /// Why it was, or was not, fetched: one sentence for each decision.
    pub decisions: Vec<String>,
    /// The pages that led to it, the seed first.
    pub way: Vec<String>,
    /// The address whose capture has its content, where that is another: what follows was read there.
    pub same_as: Option<String>,
    /// What was read from its capture; nothing where it was not captured, or not read yet.
    pub page: Option<Writing>,
    /// What people wrote on it.
    pub writings: Vec<Writing>,
    /// What its score is made of, where there is a topic.
    pub score: Option<PageScore>,
    /// How page and writings stand to the archive, as in a search.
    pub freshness: String,
}

/// What is known of a page: why it was fetched, what was written on it, and which words made its score.
#[utoipa::path(get, path = "/api/crawls/{id}/page", params(("id" = String, Path), Asked),
    responses((status = 200, body = KnownPage), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem), (status = 503, body = Problem)))]
pub async fn page(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<Asked>,
) -> Result<Json<KnownPage>, Problem> {
    let is_time = asked.at.bytes().all(|b| b.is_ascii_digit()) && asked.at.len() <= 17;
    if !asked.at.is_empty() && (!is_time || millis(&asked.at).is_none()) {
        return Err(Problem::field("at", "give a moment as digits: 20110305101112, or 2011"));
    }
    blocking(move || {
        if !app.service.job(&id)?.exists() {
            return Err(Problem::conflict("the crawl was never started: it knows of no address yet"));
        }
        let Known { entries, judged, freshness, same_as, .. } = Known::of(&app, &id, &asked.url, &asked.at)?;
        let explained = app.service.explain(&id, &asked.url)?;
        let mut entries = entries.into_iter().map(Writing::of);
        Ok(Json(KnownPage {
            url: explained.url,
            state: explained.state.to_owned(),
            decisions: explained.decisions,
            way: explained.way,
            same_as: same_as.map(|(address, _)| address),
            page: entries.next(),
            writings: entries.collect(),
            score: judged.map(PageScore::of),
            freshness: match freshness {
                Some(Ok(word)) => word.to_owned(),
                // Nothing is captured: nothing is missing.
                Some(Err(problem)) if problem.status == 409 => "current".to_owned(),
                Some(Err(problem)) => return Err(problem),
                None => String::new(),
            },
        }))
    })
    .await
}
