//! Main text, title, author, date and comments of pages that no catalogue describes.

use annalist_model::{CanonicalUrl, Object, Page, Time};
use annalist_read::tree::Tree;

pub fn read(_tree: &Tree, page: &Page, url: &CanonicalUrl, _now: Option<Time>) -> Vec<Object> {
    vec![Object {
        kind: "article".to_owned(),
        id: url.as_str().to_owned(),
        url: Some(url.as_str().to_owned()),
        title: page.title.clone(),
        body: page.text.clone(),
        ..Object::default()
    }]
}
