//! What was sent, read strictly: what cannot be read is a problem like any other.

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// A JSON body.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = axum::Json::<T>::from_request(request, state).await;
        let axum::Json(body) =
            read.map_err(|fault: JsonRejection| told("body", fault.status(), &fault.body_text()))?;
        Ok(Body(body))
    }
}

/// The parameters of the address.
#[derive(Debug)]
pub struct Asking<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asking<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = Query::<T>::from_request_parts(parts, state).await;
        let Query(asked) =
            read.map_err(|fault: QueryRejection| told("query", fault.status(), &fault.body_text()))?;
        Ok(Asking(asked))
    }
}

fn told(field: &str, status: axum::http::StatusCode, detail: &str) -> Problem {
    // The kind of the body, or its length, is at fault: HTTP has words of its own for these.
    if matches!(status.as_u16(), 413 | 415) {
        return Problem::new(status, detail);
    }
    Problem::field(field, detail)
}

/// The parts of the path.
#[derive(Debug)]
pub struct Place<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Place<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        let axum::extract::Path(place) = read.map_err(|fault: axum::extract::rejection::PathRejection| {
            Problem::not_found(fault.body_text())
        })?;
        Ok(Place(place))
    }
}
