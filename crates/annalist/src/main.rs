//! The program: settings as typed, subcommands, progress. What it does is in the other crates.

use std::process::ExitCode;

use clap::Parser;

mod archives;
mod basis;
mod cli;
mod commands;
mod definition_file;
mod exit;
mod pages;
mod progress;
mod show;
mod spec_file;

fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for; everything else is a mistake in what was typed.
            let asked = !error.use_stderr();
            let _ = error.print();
            return if asked { exit::Exit::Done } else { exit::Exit::BadConfiguration }.into();
        }
    };
    match commands::run(cli) {
        Ok(code) => code.into(),
        Err(error) => {
            let code = exit::code_of(&error);
            eprintln!("annalist: {error:#}");
            code.into()
        }
    }
}
