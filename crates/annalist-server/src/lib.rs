//! The service: many crawls at once, steered over HTTP by programs and by people with a browser.
//!
//! | question | file |
//! | --- | --- |
//! | which crawls are there, and what are they to do | `service.rs`, `service/`, `wanted.rs`, `schedule.rs`; `root.rs` keeps a second service away |
//! | long work that is not crawling, and the files it makes | `tasks.rs`, `exports.rs` |
//! | a spec as the fields of a form | `spec_form.rs` |
//! | which pages are kept | `review.rs` |
//! | what people think of pages | `annotations.rs` |
//! | who may ask | `access.rs`, `access/guard.rs` |
//! | how many at once, and how long they may take | `connections.rs` |
//! | what can be asked | `rest/` for programs, `cockpit/` for people |
//! | what crawls found | `knowledge/`; `deriving.rs` keeps it up to date |
//! | what is known of a page | `page.rs` |
//! | captured pages as they were | `replay.rs`, on an origin of its own; `views.rs` knows what frames show |
//! | what goes wrong | `problem.rs` |
//! | what is needed of the program around it | `program.rs` |
//!
//! Not here: how a crawl runs. That is `annalist-crawl`.

mod access;
mod annotations;
mod cockpit;
mod connections;
mod deriving;
mod download;
mod exports;
mod gone;
mod knowledge;
mod logs;
mod page;
mod problem;
pub mod program;
mod replay;
mod rest;
mod review;
mod root;
mod schedule;
mod serve;
mod service;
mod spec_form;
mod tasks;
mod views;
mod wanted;

pub use rest::openapi;
pub use serve::{ServeError, Settings, serve};
