//! The program: settings as typed, subcommands, progress. What it does is in the other crates.

use std::process::ExitCode;

use clap::Parser;

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

/// Who reads what is printed may stop reading: that is no fault of anybody. What is told as an error is not told twice.
fn end_quietly_with_the_reader() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>();
        if text.is_some_and(|text| text.starts_with("failed printing to stdout")) {
            std::process::exit(0);
        }
        if !annalist_knowledge::search::is_caught() {
            usual(info);
        }
    }));
}

fn main() -> ExitCode {
    end_quietly_with_the_reader();
    let cli = match cli::Cli::try_parse_from(cli::options_first(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for; everything else is a mistake in what was typed.
            let asked = !error.use_stderr();
            let _ = error.print();
            return if asked { exit::Exit::Done } else { exit::Exit::BadConfiguration }.into();
        }
    };
    if !child::lives_with_parent() {
        return exit::Exit::Interrupted.into();
    }
    match commands::run(cli) {
        Ok(code) => code.into(),
        Err(error) => {
            let code = exit::code_of(&error);
            eprintln!("annalist: {}", annalist_model::with_causes(error.as_ref()));
            code.into()
        }
    }
}
