//! What was seen in a page as JSON: what `annalist apps extract --json` prints and the archive keeps beside a capture.

use std::collections::HashSet;

use annalist_model::{CanonicalUrl, Hop, Page};
use serde_json::{Value, json};

use crate::helper::Seen;
use crate::navigate::Choice;

/// The page's links are those that the choices were made for; its dates are told where they were looked for and found.
pub fn report(seen: &Seen, page: &Page) -> Value {
    let (mut follow, mut spare, mut skip) = (Vec::new(), Vec::new(), Vec::new());
    let mut told: HashSet<&str> = HashSet::new();
    for (place, link) in page.links.iter().enumerate() {
        let choice = seen.choices.get(place);
        if choice.is_none() && seen.application.is_none() && link.kind.hop() == Hop::Link {
            follow.push(json!({"url": link.url.as_str(), "score": 1.0, "action": "link"}));
        }
        let address =
            |instead: &Option<CanonicalUrl>| instead.as_ref().unwrap_or(&link.url).as_str().to_owned();
        if !told.insert(link.url.as_str()) {
            continue;
        }
        match choice {
            Some(Choice::Follow { score, action, instead }) => {
                follow.push(json!({"url": address(instead), "score": rounded(*score), "action": action}));
            }
            Some(Choice::Spare { score, action, instead }) => {
                spare.push(json!({"url": address(instead), "score": rounded(*score), "action": action}));
            }
            Some(Choice::Never { reason }) => skip.push(json!({"url": link.url.as_str(), "reason": reason})),
            Some(Choice::Untouched) | None => {}
        }
    }
    let mut told = json!({
        "application": seen.application,
        "type": seen.general_type,
        "level": seen.level,
        "objects": seen.objects,
        "follow": follow,
        "spare": spare,
        "skip": skip,
        "next": seen.next,
    });
    if let Some(published) = &page.published {
        told["published"] = json!(published);
    }
    if let Some(modified) = page.modified {
        told["modified"] = json!(modified.rfc3339());
    }
    // Of a page with more objects than are kept, only the first are told.
    if let Some(told) = told.as_object_mut().filter(|_| seen.is_cut) {
        told.insert("cut".to_owned(), Value::Bool(true));
    }
    told
}

/// With the digits that were written.
fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1000.0).round() / 1000.0
}
