//! One subcommand, one file.

use anyhow::Result;

use crate::cli::{Cli, Command};
use crate::exit::Exit;

mod across;
mod apps;
mod check;
pub mod crawl;
mod date;
mod demo;
mod evaluate;
mod explain;
pub mod export;
mod extract;
mod frequencies;
mod import;
mod index;
mod judge;
pub mod learn;
mod push;
mod query;
mod rebuild;
mod sample;
mod search;
mod select;
mod serve;
mod simulate;
mod status;
mod stop;
pub mod study;
pub mod verify;

pub fn run(cli: Cli) -> Result<Exit> {
    match cli.command {
        Command::Crawl(args) => crawl::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Stop(args) => stop::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Judge(args) => judge::run(&args),
        Command::Apps(args) => apps::run(&args),
        Command::Date(args) => date::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Study(args) => study::run(&args),
        Command::Select(args) => select::run(&args),
        Command::Across(args) => across::run(&args),
        Command::Rebuild(args) => rebuild::run(&args),
        Command::Push(args) => push::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Demo(args) => demo::run(&args),
    }
}
