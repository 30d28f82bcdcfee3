//! The program: settings as typed, subcommands, progress. What it does is in the other crates.

use std::process::ExitCode;

use clap::Parser;

mod cli;
mod commands;
mod exit;
mod progress;
mod show;
mod spec_file;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match commands::run(cli) {
        Ok(code) => code.into(),
        Err(error) => {
            let code = exit::code_of(&error);
            eprintln!("annalist: {error:#}");
            code.into()
        }
    }
}
