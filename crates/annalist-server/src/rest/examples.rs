//! Specs to begin with.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// A spec to begin with.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Example {
    pub name: &'static str,
    /// What it is for.
    pub what: &'static str,
    /// In TOML. Seeds and words are to be replaced, and a contact is to be given.
    pub spec: &'static str,
}

pub const EXAMPLES: &[Example] = &[
    Example { name: "topic", what: "A topic: best pages first", spec: include_str!("examples/topic.toml") },
    Example { name: "event", what: "An event, with its dates", spec: include_str!("examples/event.toml") },
    Example { name: "site", what: "Whole sites, up to a limit", spec: include_str!("examples/site.toml") },
    Example {
        name: "service",
        what: "Only addresses that other programs hand over",
        spec: include_str!("examples/service.toml"),
    },
];

#[derive(Debug, Serialize, ToSchema)]
pub struct Examples {
    pub examples: Vec<Example>,
}

/// Specs to begin with, each with what it is for.
#[utoipa::path(get, path = "/api/examples", responses((status = 200, body = Examples)))]
pub async fn list() -> Json<Examples> {
    Json(Examples { examples: EXAMPLES.to_vec() })
}
