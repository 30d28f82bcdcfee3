//! What goes wrong in a request, as `application/problem+json` (RFC 9457) with the field at fault.

use std::error::Error;
use std::io;

use annalist_crawl::engine::CrawlError;
use axum::Json;
use axum::body::to_bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// What programs are told an error in.
pub const PROBLEM: &str = "application/problem+json";
/// No framework's refusal is longer.
const LONGEST_REFUSAL: usize = 4096;

/// An error as it is told to programs and people.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// The HTTP status once more.
    pub status: u16,
    /// What kind of problem it is.
    pub title: String,
    /// What happened and what to do.
    pub detail: String,
    /// What is wrong with which field, where fields are at fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// After how many seconds it may be asked again; sent as `Retry-After`.
    #[serde(skip)]
    pub retry_after: Option<u32>,
}

/// What is wrong with one field.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FieldError {
    /// The field, or the key of the spec.
    pub field: String,
    /// Where in a text it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    pub detail: String,
}

impl Problem {
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        let title = status.canonical_reason().unwrap_or("Problem").to_owned();
        Problem {
            status: status.as_u16(),
            title,
            detail: detail.into(),
            errors: Vec::new(),
            retry_after: None,
        }
    }

    pub fn not_found(what: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, what)
    }

    pub fn conflict(what: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, what)
    }

    /// Not now, but in so many seconds.
    pub fn later(seconds: u32, what: impl Into<String>) -> Problem {
        let retry_after = Some(seconds);
        Problem { retry_after, ..Problem::new(StatusCode::SERVICE_UNAVAILABLE, what) }
    }

    /// A crawl is between rest and work.
    pub fn busy() -> Problem {
        let told = "the crawl is being opened or ends: try again in a moment";
        Problem { retry_after: Some(5), ..Problem::conflict(told) }
    }

    /// Something is wrong with a field of what was sent.
    pub fn field(field: impl Into<String>, detail: impl Into<String>) -> Problem {
        let (field, detail) = (field.into(), detail.into());
        let mut problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, format!("{field}: {detail}"));
        problem.errors.push(FieldError { field, line: None, detail });
        problem
    }

    /// Nothing where no field is at fault.
    pub fn fields(faults: impl Iterator<Item = (String, String)>) -> Result<(), Problem> {
        let errors: Vec<FieldError> =
            faults.map(|(field, detail)| FieldError { field, line: None, detail }).collect();
        match errors.as_slice() {
            [] => Ok(()),
            [one] => Err(Problem::field(one.field.clone(), one.detail.clone())),
            many => {
                let detail = format!("{} fields are wrong", many.len());
                Err(Problem { errors, ..Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail) })
            }
        }
    }

    /// Mistakes of a spec.
    pub fn mistakes(mistakes: &[annalist_model::spec::Mistake]) -> Problem {
        let detail = match mistakes {
            [one] => format!("the spec has a mistake: {one}"),
            many => format!("the spec has {} mistakes", many.len()),
        };
        let mut problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail);
        problem.errors = mistakes.iter().map(FieldError::of).collect();
        problem
    }

    /// The machine's fault.
    pub fn internal(what: &str, fault: &dyn std::fmt::Display) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{what}: {fault}"))
    }

    /// Something could not be written. A full disk is told apart: somebody can make room.
    pub fn unkept(what: &str, fault: &(dyn Error + 'static)) -> Problem {
        if !is_full(fault) {
            return Problem::internal(what, &fault);
        }
        let why = format!("{what}: the disk is full; make room and ask again");
        Problem::new(StatusCode::INSUFFICIENT_STORAGE, why)
    }

    /// Whether it says no more than what is wrong with fields.
    pub fn is_of_fields(&self) -> bool {
        self.status == StatusCode::UNPROCESSABLE_ENTITY.as_u16() && !self.errors.is_empty()
    }

    pub fn code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// Whether one of the causes is that there was no room.
fn is_full(fault: &(dyn Error + 'static)) -> bool {
    let causes = std::iter::successors(Some(fault), |fault: &&(dyn Error + 'static)| Error::source(*fault));
    causes.into_iter().any(|cause| match cause.downcast_ref::<io::Error>() {
        Some(fault) => matches!(fault.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded),
        None => cause.downcast_ref::<CrawlError>().is_some_and(CrawlError::is_full),
    })
}

impl FieldError {
    pub fn of(mistake: &annalist_model::spec::Mistake) -> FieldError {
        let line = (mistake.line > 0).then_some(mistake.line);
        FieldError { field: mistake.key.clone(), line, detail: mistake.message.clone() }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let retry_after = self.retry_after;
        let mut response = (self.code(), Json(&self)).into_response();
        let kind = HeaderValue::from_static(PROBLEM);
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if response.status() == StatusCode::UNAUTHORIZED {
            let how = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, how);
        }
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        // For who tells it otherwise.
        response.extensions_mut().insert(self);
        response
    }
}

/// A refusal that is not told in the given kind, or the framework's own words: told as all others there are.
pub async fn retold(response: Response, kind: &str, tell: impl FnOnce(Problem) -> Response) -> Response {
    let status = response.status();
    let told = response.headers().get(header::CONTENT_TYPE).and_then(|told| told.to_str().ok());
    if status.as_u16() < 400 || told.is_some_and(|told| told.starts_with(kind)) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let problem = match head.extensions.remove::<Problem>() {
        Some(problem) => problem,
        None => {
            let said = to_bytes(body, LONGEST_REFUSAL).await.unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            let reason = status.canonical_reason().unwrap_or("refused");
            Problem::new(status, if said.is_empty() { reason } else { said.as_ref() })
        }
    };
    let (told, body) = tell(problem).into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.extend(told.headers);
    head.extensions.extend(told.extensions);
    Response::from_parts(head, body)
}

#[cfg(test)]
mod tests {
    use std::io;

    use annalist_crawl::engine::CrawlError;

    use super::Problem;

    #[test]
    fn a_full_disk_is_told_apart_from_other_faults() {
        let status = |fault: &(dyn std::error::Error + 'static)| Problem::unkept("x", fault).status;
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(status(&full()), 507);
        assert_eq!(status(&CrawlError::Io { what: "y", fault: full() }), 507);
        assert_eq!(status(&CrawlError::Frontier(annalist_frontier::FrontierError::Full)), 507);
        assert_eq!(status(&io::Error::from(io::ErrorKind::PermissionDenied)), 500);
    }
}
