//! Addresses are handed to a crawl: the crawler as a service.

use annalist_crawl::injecting::Injected;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::crawls::blocking;
use super::reading::{Place, wrong};
use crate::problem::{FieldError, Problem};
use crate::serve::App;
use crate::service::{self, MOST_TOLD};

/// One address.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Address {
    pub url: String,
    /// In [0, 1]; 1 where nothing is said.
    #[serde(default)]
    pub score: Option<f64>,
    /// Never to be fetched, now and later.
    #[serde(default)]
    pub blacklisted: Option<bool>,
}

/// What came of a batch. What was accepted is durable: it survives a power cut.
#[derive(Debug, Serialize, ToSchema)]
pub struct Accepted {
    pub accepted: usize,
    pub refused: usize,
    /// What is wrong with the first of those that were refused, each by its place: `[3].url`.
    pub errors: Vec<FieldError>,
}

/// Addresses as they were sent. Each is judged by itself: one that is wrong keeps none of the others out.
#[derive(Debug, Default)]
struct Batch {
    good: Vec<(usize, Injected)>,
    refused: service::Accepted,
}

impl Batch {
    fn add(&mut self, place: usize, item: Value) {
        match serde_path_to_error::deserialize::<_, Address>(item) {
            Ok(Address { url, score, blacklisted }) => {
                let blacklisted = blacklisted.unwrap_or_default();
                self.good.push((place, Injected { url, score, blacklisted }));
            }
            Err(fault) => {
                let (name, detail) = wrong(&fault);
                self.refused.refuse(place, &name, &detail);
            }
        }
    }
}

impl<'de> Deserialize<'de> for Batch {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Batch, D::Error> {
        from.deserialize_seq(Items)
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Batch;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of addresses")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Batch, A::Error> {
        let mut batch = Batch::default();
        let mut place = 0;
        // One after the other: as values of any kind, a whole batch would take far more memory than it has bytes.
        while let Some(item) = items.next_element()? {
            batch.add(place, item);
            place += 1;
        }
        Ok(batch)
    }
}

/// Hands addresses to a crawl, whether it runs or not. It takes them up in order; an address that was blacklisted once is
/// never fetched. Those that are refused are told; the others count.
#[utoipa::path(post, path = "/api/crawls/{id}/urls", params(("id" = String, Path)), request_body = Vec<Address>,
    responses((status = 202, body = Accepted), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn inject(
    State(app): State<App>,
    Place(id): Place<String>,
    body: Bytes,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let accepted = blocking(move || {
        let batch: Batch =
            serde_json::from_slice(&body).map_err(|fault| Problem::field("body", fault.to_string()))?;
        let told = app.service.inject(&id, batch.good)?;
        let mut errors = batch.refused.errors;
        errors.extend(told.errors);
        errors.truncate(MOST_TOLD);
        Ok(Accepted { accepted: told.accepted, refused: batch.refused.refused + told.refused, errors })
    });
    Ok((StatusCode::ACCEPTED, Json(accepted.await?)))
}

#[cfg(test)]
mod tests {
    use super::Batch;

    #[test]
    fn of_a_batch_each_address_is_judged_by_itself() {
        let text = "[{\"url\": \"http://a.test/\", \"blacklisted\": null}, 7, {\"url\": 5}, {\"score\": 1},
            {\"url\": \"x\", \"colour\": 1}, {\"url\": \"http://b.test/\", \"score\": 0.5, \"blacklisted\": true}]";
        let batch: Batch = serde_json::from_str(text).unwrap();
        let good: Vec<_> = batch.good.iter().map(|(place, one)| (*place, one.url.as_str())).collect();
        assert_eq!(good, [(0, "http://a.test/"), (5, "http://b.test/")]);
        assert!(!batch.good[0].1.blacklisted && batch.good[1].1.blacklisted);
        let fields: Vec<_> = batch.refused.errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["[1]", "[2].url", "[3].url", "[4].colour"]);
        assert_eq!(batch.refused.refused, 4);
        for wrong in ["{\"url\": \"x\"}", "[{\"url\": \"x\"}", "x"] {
            assert!(serde_json::from_str::<Batch>(wrong).is_err(), "{wrong}");
        }
    }
}
