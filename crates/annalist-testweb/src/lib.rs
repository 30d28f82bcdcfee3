//! A deterministic synthetic web on loopback, for tests and measurements of a crawler.
//!
//! ```text
//! config ─▶ layout (hosts) ─▶ item (what a page is about) ─▶ route (its addresses) ─▶ pages/ (its markup)
//!                                      └─▶ truth (what a crawl should find)
//! world.answer(request) ─▶ server/ (sockets, delays) ─▶ log (who asked when)
//! ```
//!
//! The world is a pure function of its configuration: no clock, no randomness, nothing stored per page. Only the
//! server knows time. Nothing here depends on the crawler; `past/`, the same over years as an archive kept it, and
//! `kept.rs`, all of it at once, are written by the crawler's WARC writer.

mod answer;
mod calendar;
mod charset;
mod config;
mod dice;
mod hazards;
mod html;
mod item;
mod kept;
mod layout;
mod log;
mod pages;
mod past;
mod prose;
mod route;
mod server;
mod society;
mod spec;
mod truth;
mod views;
mod words;
mod world;

pub use answer::{Answer, Breakage, Compression, End, Framing, Request, Response};
pub use charset::Charset;
pub use config::{Junk, WorldConfig};
pub use hazards::{Hazard, UnknownHazard};
pub use layout::{Host, HostKind, RobotsKind, SitemapKind};
pub use log::{By, Entry, Log};
pub use past::{Capture, Festival, Past, PastConfig, PastSummary, PastTruth};
pub use server::{ServerOptions, StartError, TestWeb};
pub use society::{
    BondTruth, EntityKind, EntityTruth, FavourTruth, HappeningTruth, MentionPlace, MentionTruth,
    OpinionTruth, PictureTruth, QuoteTruth, RenameTruth, SaidTruth,
};
pub use truth::{ObjectKind, ObjectTruth, PageKind, PageTruth, RedirectTruth, Robots, Truth};
pub use words::{Language, TOPICS, topic_keywords, topic_name, topic_people};
pub use world::World;
