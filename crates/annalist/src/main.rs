//! The program: settings as typed, subcommands, progress. What it does is in the other crates.

#![warn(clippy::print_stderr)]

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;

// Before all that tell something.
#[macro_use]
mod printing;

mod archives;
mod basis;
mod child;
mod cli;
mod commands;
mod definition_file;
mod exit;
mod knowledge;
mod pages;
mod progress;
mod selecting;
mod sent;
mod show;
mod spec_file;
mod watch;

fn main() -> ExitCode {
    printing::end_where_nothing_can_be_printed();
    let cli = match cli::Cli::try_parse_from(cli::options_first(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for; everything else is a mistake in what was typed.
            let asked = !error.use_stderr();
            let printed = error.print();
            if !asked {
                return exit::Exit::BadConfiguration.into();
            }
            return ended(printed.context(printing::Unprinted).map(|()| exit::Exit::Done));
        }
    };
    if !child::lives_with_parent() {
        return exit::Exit::Interrupted.into();
    }
    ended(commands::run(cli))
}

fn ended(result: Result<exit::Exit>) -> ExitCode {
    result.and_then(printing::finish).unwrap_or_else(|error| printing::tell(&error)).into()
}
