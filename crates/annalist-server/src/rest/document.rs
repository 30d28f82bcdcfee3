//! What holds for every endpoint is said here, once: who is refused, and that errors are problems. What an endpoint
//! answers when all is well is said where it is.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, Content, OpenApi as Document, Ref, RefOr};

use crate::problem::{PROBLEM, retold};

/// What the guard and the router may answer to anybody (`access.rs`), and what the machine may come to.
const ALWAYS: &[u16] = &[400, 401, 421, 429, 500];
/// To who sends something.
const WITH_BODY: &[u16] = &[413, 415, 422];
/// To who changes something: another page may have asked for it, the crawl may be between rest and work, and the disk full.
const WITH_CHANGE: &[u16] = &[403, 409, 507];
/// How who asks shows that it may.
const TOKEN: &str = "token";

/// Adds to each operation what it would have to repeat.
pub fn complete(document: &mut Document) {
    for item in document.paths.paths.values_mut() {
        let changes = [item.put.as_mut(), item.post.as_mut(), item.delete.as_mut()];
        for operation in changes.into_iter().flatten() {
            describe(operation, WITH_CHANGE);
        }
        if let Some(operation) = &mut item.get {
            describe(operation, &[]);
        }
    }
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(
        "What is set in ANNALIST_TOKEN where the service was started; nothing is asked for where none is set",
    ));
    let components = document.components.get_or_insert_with(Components::default);
    components.add_security_scheme(TOKEN, SecurityScheme::Http(scheme.build()));
    let none: [&str; 0] = [];
    document.security = Some(vec![SecurityRequirement::default(), SecurityRequirement::new(TOKEN, none)]);
}

fn describe(operation: &mut Operation, more: &[u16]) {
    let sends: &[u16] = if operation.request_body.is_some() { WITH_BODY } else { &[] };
    let responses = &mut operation.responses.responses;
    for status in ALWAYS.iter().chain(sends).chain(more) {
        responses.entry(status.to_string()).or_insert_with(|| RefOr::T(Default::default()));
    }
    for (status, response) in responses {
        let RefOr::T(response) = response else { continue };
        let status = status.parse().ok().and_then(|status| StatusCode::from_u16(status).ok());
        let Some(status) = status else { continue };
        if response.description.is_empty() {
            response.description = status.canonical_reason().unwrap_or_default().to_owned();
        }
        if status.as_u16() >= 400 {
            let schema = Content::new(Some(Ref::from_schema_name("Problem")));
            response.content = [(PROBLEM.to_owned(), schema.into())].into_iter().collect();
        }
    }
}

/// Refusals that no endpoint of ours wrote (a method that there is not, a body that is too long) are problems, too.
pub async fn only_problems(request: Request, next: Next) -> Response {
    retold(next.run(request).await, PROBLEM, IntoResponse::into_response).await
}
