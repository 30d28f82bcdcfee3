//! Forms: each carries the token that proves that it is one of ours.

use axum::Form;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Failed;
use crate::problem::{FieldError, Problem};
use crate::serve::App;

/// The field that carries it.
pub fn token(app: &App) -> Markup {
    html! { input type="hidden" name="token" value=(app.access.form_token()); }
}

/// A form of one button.
pub fn button(app: &App, action: &str, label: &str, class: &str) -> Markup {
    html! {
        form.inline method="post" action=(action) { (token(app)) button class=(class) { (label) } }
    }
}

/// What is wrong, and where.
pub fn mistake(error: &FieldError) -> Markup {
    html! {
        @if let Some(line) = error.line { "line " (line) ": " }
        code { (error.field) } ": " (error.detail)
    }
}

/// What a form of our own sent.
#[derive(Debug)]
pub struct Sent<T>(pub T);

#[derive(Deserialize)]
struct WithToken<T> {
    #[serde(default)]
    token: String,
    #[serde(flatten)]
    fields: T,
}

impl<T: DeserializeOwned> FromRequest<App> for Sent<T> {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Self::Rejection> {
        let form = Form::<WithToken<T>>::from_request(request, app).await;
        let Form(sent) = form.map_err(|fault| {
            let code = fault.into_response().status();
            Failed(Problem::new(code, "the form could not be read")).into_response()
        })?;
        if !app.access.is_form_token(&sent.token) {
            return Err(too_old());
        }
        Ok(Sent(sent.fields))
    }
}

/// What a form of our own sent, where a name may come several times.
#[derive(Debug)]
pub struct SentPairs(pub Vec<(String, String)>);

impl FromRequest<App> for SentPairs {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Self::Rejection> {
        let form = Form::<Vec<(String, String)>>::from_request(request, app).await;
        let Form(sent) = form.map_err(|fault| {
            let code = fault.into_response().status();
            Failed(Problem::new(code, "the form could not be read")).into_response()
        })?;
        let token = sent.iter().find(|(name, _)| name == "token").map_or("", |(_, token)| token);
        if !app.access.is_form_token(token) {
            return Err(too_old());
        }
        Ok(SentPairs(sent))
    }
}

fn too_old() -> Response {
    let why = "the form is too old, or not one of ours: load the page again and send it from there";
    Failed(Problem::new(axum::http::StatusCode::FORBIDDEN, why)).into_response()
}
