//! Which pages are kept: what is proposed, what people decide, and rules.

use annalist_study::selection::Choice;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::crawls::blocking;
use super::reading::{Asking, Body, Place};
use crate::problem::{FieldError, Problem};
use crate::review::{Found, Question, Taken};
use crate::serve::App;

/// Which pages are asked for.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Asked {
    /// `true`: only what a person should look at, the most instructive first, 500 at most.
    pub instructive: bool,
    /// `keep`, `drop` or `review`.
    pub verdict: String,
    /// By what: `decision`, `rule`, `learned` or `relevance`.
    pub basis: String,
    /// Only of this site.
    pub site: String,
    /// Words in address, title or beginning.
    pub q: String,
    pub offset: usize,
    /// How many at most: 1 to 1000, 100 where nothing is said.
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<usize>,
}

impl Asked {
    pub fn question(&self) -> Result<Question, Problem> {
        let one_of =
            |field: &str, value: &str, known: &[&str]| match value.is_empty() || known.contains(&value) {
                true => Ok(()),
                false => Err(Problem::field(field, format!("give one of {}", known.join(", ")))),
            };
        one_of("verdict", &self.verdict, &["keep", "drop", "review"])?;
        one_of("basis", &self.basis, &["decision", "rule", "learned", "relevance"])?;
        let limit = self.limit.unwrap_or(100);
        if !(1..=1000).contains(&limit) {
            return Err(Problem::field("limit", "give a number from 1 to 1000"));
        }
        Ok(Question {
            instructive: self.instructive,
            verdict: self.verdict.clone(),
            basis: self.basis.clone(),
            site: self.site.clone(),
            words: self.q.clone(),
            offset: self.offset,
            limit,
        })
    }
}

/// A page with what is proposed for it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewedPage {
    pub url: String,
    pub title: Option<String>,
    pub snippet: String,
    pub site: String,
    pub language: Option<String>,
    pub published: Option<String>,
    pub relevance: Option<f32>,
    pub verdict: String,
    pub basis: String,
    /// That a person would keep it.
    pub probability: f64,
    pub why: String,
}

impl ReviewedPage {
    fn of(found: &Found<'_>) -> ReviewedPage {
        let (page, proposal) = (found.page, found.proposal);
        ReviewedPage {
            url: page.url.clone(),
            title: page.title.clone(),
            snippet: page.snippet.clone(),
            site: page.site.clone(),
            language: page.language.clone(),
            published: page.published.clone(),
            relevance: page.relevance,
            verdict: proposal.verdict.word().to_owned(),
            basis: proposal.basis.word().to_owned(),
            probability: proposal.probability,
            why: proposal.why.clone(),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Review {
    /// Whether the pages were read; the task `select` does that, and reads what is new.
    pub is_read: bool,
    /// When that was.
    pub read_at: Option<String>,
    /// Pages that fit.
    pub total: usize,
    pub pages: Vec<ReviewedPage>,
    /// All pages by verdict.
    pub counts: std::collections::BTreeMap<String, usize>,
    /// Decisions so far.
    pub decisions: usize,
}

/// What is proposed for each page, and why.
#[utoipa::path(get, path = "/api/crawls/{id}/review", params(("id" = String, Path), Asked), responses(
    (status = 200, body = Review), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn review(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<Asked>,
) -> Result<Json<Review>, Problem> {
    blocking(move || {
        let question = asked.question()?;
        let Some(stand) = app.desk.of(&id)? else {
            let (pages, counts) = (Vec::new(), std::collections::BTreeMap::new());
            return Ok(Json(Review { is_read: false, read_at: None, total: 0, pages, counts, decisions: 0 }));
        };
        let (total, found) = stand.ask(&question);
        let counts = stand.counts().into_iter().map(|(word, count)| (word.to_owned(), count)).collect();
        let read_at = stand.stamp.read_at().map(|at| at.rfc3339());
        let pages = found.iter().map(ReviewedPage::of).collect();
        Ok(Json(Review { is_read: true, read_at, total, pages, counts, decisions: stand.decisions }))
    })
    .await
}

/// What somebody decides about pages.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDecisions {
    /// `keep` or `drop`.
    pub decision: String,
    pub urls: Vec<String>,
    /// Who decides.
    #[serde(default)]
    pub by: Option<String>,
    #[serde(default)]
    pub note: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionsTaken {
    /// Those that changed something.
    pub taken: usize,
    /// About pages that are not there.
    pub refused: usize,
    pub errors: Vec<FieldError>,
}

/// `keep` or `drop`, or what is wrong.
pub fn choice_of(word: &str) -> Result<Choice, Problem> {
    Choice::parse(word).ok_or_else(|| Problem::field("decision", "give keep or drop"))
}

/// Decides about pages; on disk when this is answered. The last decision about a page counts.
#[utoipa::path(post, path = "/api/crawls/{id}/decisions", params(("id" = String, Path)), request_body = NewDecisions, responses(
    (status = 200, body = DecisionsTaken), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn decide(
    State(app): State<App>,
    Place(id): Place<String>,
    Body(new): Body<NewDecisions>,
) -> Result<Json<DecisionsTaken>, Problem> {
    blocking(move || {
        let choice = choice_of(&new.decision)?;
        let taken = app.desk.decide(&id, choice, &new.urls, new.by.as_deref(), new.note.as_deref())?;
        let Taken { taken, refused, errors } = taken;
        Ok(Json(DecisionsTaken { taken, refused, errors }))
    })
    .await
}

/// Pages for which an expression holds are kept, or dropped.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectionRule {
    /// `keep` or `drop`.
    pub decision: String,
    /// As in `docs/selection.md`: `site == "example.org"`, `words < 50 || duplicate`.
    pub expression: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SelectionRules {
    pub rules: Vec<SelectionRule>,
}

/// The rules of a crawl's selection.
#[utoipa::path(get, path = "/api/crawls/{id}/rules", params(("id" = String, Path)), responses(
    (status = 200, body = SelectionRules), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn rules(
    State(app): State<App>,
    Place(id): Place<String>,
) -> Result<Json<SelectionRules>, Problem> {
    let rules = blocking(move || app.desk.rules(&id)).await?;
    let rule = |(choice, expression)| {
        let decision = if choice == Choice::Keep { "keep" } else { "drop" }.to_owned();
        SelectionRule { decision, expression }
    };
    Ok(Json(SelectionRules { rules: rules.into_iter().map(rule).collect() }))
}

/// Adds a rule. Where a `drop` rule holds, no `keep` rule does; a decision is above all rules.
#[utoipa::path(post, path = "/api/crawls/{id}/rules", params(("id" = String, Path)), request_body = SelectionRule, responses(
    (status = 201, body = SelectionRule), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn add_rule(
    State(app): State<App>,
    Place(id): Place<String>,
    Body(rule): Body<SelectionRule>,
) -> Result<(StatusCode, Json<SelectionRule>), Problem> {
    let rule = blocking(move || {
        app.desk.add_rule(&id, choice_of(&rule.decision)?, &rule.expression)?;
        Ok(rule)
    });
    Ok((StatusCode::CREATED, Json(rule.await?)))
}

/// Which rule is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichRule {
    pub decision: String,
    pub expression: String,
}

/// Takes a rule away.
#[utoipa::path(delete, path = "/api/crawls/{id}/rules", params(("id" = String, Path), WhichRule), responses(
    (status = 204), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn remove_rule(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(rule): Asking<WhichRule>,
) -> Result<StatusCode, Problem> {
    blocking(move || app.desk.remove_rule(&id, choice_of(&rule.decision)?, &rule.expression)).await?;
    Ok(StatusCode::NO_CONTENT)
}
