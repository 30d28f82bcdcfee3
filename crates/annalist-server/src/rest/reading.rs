//! What was sent, read strictly: what cannot be read is a problem like any other.

use std::error::Error;

use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::{FieldError, Problem};

/// A JSON body.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = axum::Json::<T>::from_request(request, state).await;
        let axum::Json(body) =
            read.map_err(|fault| told("body", fault.status(), &fault.body_text(), fault.source()))?;
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
            read.map_err(|fault| told("query", fault.status(), &fault.body_text(), fault.source()))?;
        Ok(Asking(asked))
    }
}

/// `whole`: what is at fault where no field of it can be named.
fn told(whole: &str, status: StatusCode, detail: &str, source: Option<&(dyn Error + 'static)>) -> Problem {
    // The kind of the body, or its length, is at fault: HTTP has words of its own for these.
    if matches!(status.as_u16(), 413 | 415) {
        return Problem::new(status, detail);
    }
    let mut causes = std::iter::successors(source, |fault: &&(dyn Error + 'static)| Error::source(*fault));
    match causes.find_map(|fault| of_json(fault).or_else(|| of_query(fault))) {
        Some((field, detail)) if !field.is_empty() => Problem::field(field, detail),
        _ => Problem::field(missing(detail).unwrap_or(whole), detail),
    }
}

/// The field at fault, and what is wrong with it.
pub type Wrong = (String, String);

fn of_json(fault: &(dyn Error + 'static)) -> Option<Wrong> {
    fault.downcast_ref::<serde_path_to_error::Error<serde_json::Error>>().map(wrong)
}

fn of_query(fault: &(dyn Error + 'static)) -> Option<Wrong> {
    fault.downcast_ref::<serde_path_to_error::Error<serde::de::value::Error>>().map(wrong)
}

/// Where in what was sent something is wrong: `urls[3]`. Empty where all of it is.
pub fn wrong<E: std::fmt::Display>(fault: &serde_path_to_error::Error<E>) -> Wrong {
    let detail = fault.inner().to_string();
    let path = fault.path().to_string();
    // A question mark stands for what broke off before it had a name.
    let path = path.trim_end_matches('?').trim_end_matches('.').to_owned();
    let field = match missing(&detail) {
        Some(name) if path.is_empty() => name.to_owned(),
        Some(name) => format!("{path}.{name}"),
        None => path,
    };
    (field, detail)
}

/// What is missing has no place; its name is told.
fn missing(detail: &str) -> Option<&str> {
    detail.split_once("missing field `")?.1.split('`').next()
}

/// The parts of the path.
#[derive(Debug)]
pub struct Place<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Place<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        match read {
            Ok(axum::extract::Path(place)) => Ok(Place(place)),
            Err(fault) => {
                let names = RawPathParams::from_request_parts(parts, state).await.ok();
                let name_of = |at: usize| Some(names.as_ref()?.iter().nth(at)?.0.to_owned());
                Err(misplaced(&fault, name_of))
            }
        }
    }
}

/// A number that is none leads to nothing; what is no text cannot be looked for.
fn misplaced(fault: &PathRejection, name_of: impl Fn(usize) -> Option<String>) -> Problem {
    let (status, detail) = (fault.status(), fault.body_text());
    let PathRejection::FailedToDeserializePathParams(wrong) = fault else {
        return Problem::new(status, detail);
    };
    let (status, field) = match wrong.kind() {
        ErrorKind::InvalidUtf8InPathParam { key } => (StatusCode::BAD_REQUEST, key.clone()),
        ErrorKind::ParseErrorAtKey { key, .. } | ErrorKind::DeserializeError { key, .. } => {
            (StatusCode::NOT_FOUND, key.clone())
        }
        ErrorKind::ParseErrorAtIndex { index, .. } => {
            (StatusCode::NOT_FOUND, name_of(*index).unwrap_or_default())
        }
        _ => (StatusCode::NOT_FOUND, "path".to_owned()),
    };
    let mut problem = Problem::new(status, detail.clone());
    problem.errors.push(FieldError { field, line: None, detail });
    problem
}

#[cfg(test)]
mod tests {
    use axum::extract::FromRequest;
    use axum::http::Request;
    use serde::Deserialize;

    use super::{Asking, Body};
    use crate::problem::Problem;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "it is never read")]
    struct Sent {
        spec: String,
        #[serde(default)]
        pages: Option<u64>,
        #[serde(default)]
        urls: Vec<String>,
    }

    fn request(address: &str, kind: &str, body: &str) -> Request<axum::body::Body> {
        let request = Request::post(address).header("content-type", kind);
        request.body(axum::body::Body::from(body.to_owned())).unwrap()
    }

    fn field(problem: &Problem) -> &str {
        problem.errors.first().map_or("", |error| error.field.as_str())
    }

    #[tokio::test]
    async fn the_field_at_fault_is_named() {
        for (body, expected) in [
            ("{\"spec\": 5}", "spec"),
            ("{\"spec\": \"x\", \"pages\": -1}", "pages"),
            ("{\"spec\": \"x\", \"urls\": [\"a\", 7]}", "urls[1]"),
            ("{\"pages\": 3}", "spec"),
            ("{\"spec\": \"x\", \"colour\": 1}", "colour"),
            ("[]", "body"),
            ("{\"spec\": ", "spec"),
            ("nothing", "body"),
            ("{", "body"),
        ] {
            let read = Body::<Sent>::from_request(request("/", "application/json", body), &()).await;
            let problem = read.map(|Body(sent)| sent).unwrap_err();
            assert_eq!((problem.status, field(&problem)), (422, expected), "{body}: {problem:?}");
        }
        let read = Body::<Sent>::from_request(request("/", "text/plain", "{}"), &()).await;
        assert_eq!(read.map(|Body(sent)| sent).unwrap_err().status, 415);
        for (address, expected) in
            [("/?pages=abc&spec=x", "pages"), ("/?pages=1", "spec"), ("/?spec=x&q=y", "q")]
        {
            let read = Asking::<Sent>::from_request(request(address, "text/plain", ""), &()).await;
            let problem = read.map(|Asking(sent)| sent).unwrap_err();
            assert_eq!((problem.status, field(&problem)), (422, expected), "{address}: {problem:?}");
        }
    }
}
