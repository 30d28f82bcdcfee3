//! Drives pages through the stages.
//!
//! | question | file |
//! | --- | --- |
//! | the whole path of a page | `visit.rs`, with `stages.rs` |
//! | when a link gets its turn, and how it ends | `turn.rs`, `finish.rs` |
//! | the same in an archive | `collect.rs`, `snapshots.rs`, `copying.rs`, `left.rs`, `near.rs`, `missing.rs` |
//! | who may be asked, when | `asking.rs`, `servers.rs`, `owing.rs`, `book.rs`, `hosts.rs`, `delay.rs`, `robots.rs` |
//! | what is followed | `scope.rs`, `apps.rs` with `memory.rs`, `findings.rs`; `feeds.rs` for what feeds say of pages |
//! | what is kept, and when it counts | `keeper.rs`, `record.rs`, `logs.rs`, `counters.rs` |
//! | a crawl from start to end | `engine.rs`, `set_up.rs`, `begin.rs`, `reopen.rs`, `job.rs`, `budget.rs`, `stop.rs`, `status.rs`, `pace.rs`, `waiting.rs` |
//! | seeds that are visited again | `rounds.rs` |
//! | a running crawl is steered, and handed addresses | `control.rs`, `live.rs`, `injecting.rs`; `pool.rs` for what crawls share |
//! | what grows with the archive | `knowing.rs` |
//! | why was this (not) fetched, and what waits | `explain.rs`, `queue.rs` |
//!
//! Not here: how bytes are fetched, stored or read. Those are the crates below.

pub mod apps;
mod asking;
mod barred;
mod begin;
pub mod book;
pub mod budget;
mod choice;
pub mod clock;
mod collect;
pub mod control;
mod copying;
pub mod counters;
pub mod delay;
pub mod engine;
pub mod explain;
mod feeds;
mod findings;
mod finish;
mod hosts;
pub mod injecting;
mod intake;
pub mod job;
pub mod judging;
mod keeper;
pub mod knowing;
mod left;
mod live;
pub mod logs;
mod memory;
pub mod missing;
mod near;
mod owing;
mod pace;
pub mod pool;
pub mod pushing;
pub mod queue;
mod record;
mod reopen;
mod rest;
mod robots;
mod rounds;
pub mod scope;
pub mod series;
mod servers;
mod set_up;
pub mod snapshots;
mod stages;
pub mod status;
pub mod stop;
mod turn;
mod visit;
mod waiting;

pub use set_up::{web_source, with_seeds_in_order};
