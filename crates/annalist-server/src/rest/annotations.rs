//! Pages that people judge, and how well the program agrees with them.

use std::collections::BTreeMap;

use annalist_study::{Agreement, Group};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::crawls::blocking;
use super::reading::{Asking, Body, Place};
use crate::annotations::Annotations;
use crate::problem::Problem;
use crate::serve::App;

/// A page that was drawn, and what somebody said of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnnotatedPage {
    pub url: String,
    pub timestamp: String,
    /// What the program thinks of its content and its time, in [0, 1].
    pub content: f32,
    pub time: f32,
    /// Empty where nothing was said yet.
    pub vote: String,
    pub comment: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AnnotatedPages {
    pub judged: usize,
    pub pages: Vec<AnnotatedPage>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Whose {
    /// Whose judgements.
    pub by: String,
}

/// The pages that were drawn by the task `sample`, with what one person said of them.
#[utoipa::path(get, path = "/api/crawls/{id}/annotations", params(("id" = String, Path), Whose), responses(
    (status = 200, body = AnnotatedPages), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn list(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(whose): Asking<Whose>,
) -> Result<Json<AnnotatedPages>, Problem> {
    let own = blocking(move || app.annotations.of(&id, &whose.by)).await?;
    let judged = own.judged();
    let page = |page: annalist_study::Annotated| AnnotatedPage {
        url: page.url,
        timestamp: page.timestamp,
        content: page.content,
        time: page.time,
        vote: page.vote,
        comment: page.comment,
    };
    Ok(Json(AnnotatedPages { judged, pages: own.pages.into_iter().map(page).collect() }))
}

/// A judgement.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAnnotation {
    pub by: String,
    pub url: String,
    /// `HighlyRelevant`, `Relevant`, `NotRelevant`, `Junk` or `Unknown`.
    pub vote: String,
    #[serde(default)]
    pub comment: String,
}

/// Keeps what somebody says of a page; on disk when this is answered.
#[utoipa::path(post, path = "/api/crawls/{id}/annotations", params(("id" = String, Path)), request_body = NewAnnotation, responses(
    (status = 204), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn judge(
    State(app): State<App>,
    Place(id): Place<String>,
    Body(new): Body<NewAnnotation>,
) -> Result<StatusCode, Problem> {
    blocking(move || app.annotations.judge(&id, &new.by, &new.url, &new.vote, &new.comment)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How two people agree.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeopleAgree {
    pub one: String,
    pub other: String,
    /// Pages that both have judged.
    pub pages: usize,
    /// The share of them that both call relevant, or both not.
    pub same: f64,
    /// The same beyond chance (Cohen's kappa).
    pub kappa: Option<f64>,
}

/// Break-even points: precision after as many pages as are relevant, which is then the recall, too.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Figures {
    pub pages: usize,
    pub relevant: usize,
    /// By function: `content`, `time`, `mean`, `default`. As `annalist judge --evaluate` tells them of the same tables.
    pub break_even: BTreeMap<String, Option<f64>>,
    pub average_precision: BTreeMap<String, f64>,
    pub people: Vec<PeopleAgree>,
}

impl Figures {
    fn of(found: Option<&Agreement>, people: Vec<PeopleAgree>) -> Figures {
        let Some(Group { pages, relevant, .. }) = found.map(|found| &found.all) else {
            return Figures { people, ..Figures::default() };
        };
        let named = || found.into_iter().flat_map(|found| found.all.named());
        Figures {
            pages: *pages,
            relevant: *relevant,
            break_even: named().map(|(name, ranked)| (name.to_owned(), ranked.break_even)).collect(),
            average_precision: named()
                .map(|(name, ranked)| (name.to_owned(), ranked.average_precision))
                .collect(),
            people,
        }
    }
}

/// How well each way to judge a page agrees with people, and people with each other.
#[utoipa::path(get, path = "/api/crawls/{id}/annotations/figures", params(("id" = String, Path)), responses(
    (status = 200, body = Figures), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn figures(State(app): State<App>, Place(id): Place<String>) -> Result<Json<Figures>, Problem> {
    blocking(move || {
        let people = Annotations::between(&app.annotations.people(&id)?);
        let pair = |pair: annalist_study::Between| PeopleAgree {
            one: pair.one,
            other: pair.other,
            pages: pair.pages,
            same: pair.same,
            kappa: pair.kappa,
        };
        let found = app.annotations.figures(&id)?;
        Ok(Json(Figures::of(found.as_ref(), people.into_iter().map(pair).collect())))
    })
    .await
}
