//! A step before something is gone: what will be, a button that does it, and the way back. A form that deletes says `sure` only
//! when it was sent from here, so it needs no script.

use axum::response::IntoResponse;
use maud::{Markup, html};

use super::{Page, forms, layout};
use crate::serve::App;
use crate::service::Seen;

/// The field that says that somebody was asked.
pub const SURE: &str = "sure";

/// What is asked.
pub struct Question<'q> {
    pub title: String,
    /// What will be gone, and what will not.
    pub what: Markup,
    /// Where the answer is sent, and what with it.
    pub action: String,
    pub fields: Vec<(&'q str, String)>,
    /// What the button says.
    pub yes: &'q str,
    /// Where it was asked, and the tab of that view.
    pub back: String,
    pub tab: &'q str,
}

impl Question<'_> {
    pub fn page(&self, app: &App, seen: &Seen) -> Page {
        let body = html! {
            section.danger {
                h2 { (self.title) }
                (self.what)
                form.buttons method="post" action=(self.action) {
                    (forms::token(app))
                    input type="hidden" name=(SURE) value="1";
                    @for (name, value) in &self.fields { input type="hidden" name=(name) value=(value); }
                    button.danger { (self.yes) }
                    a.button.plain href=(self.back) { "No, go back" }
                }
            }
        };
        Ok(layout::crawl_page(seen, self.tab, &body).into_response())
    }
}
