//! `annalist check`: every mistake in a spec, and what the spec amounts to.

use annalist_model::spec::keys;
use anyhow::Result;

use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::spec_file;

#[expect(clippy::print_stdout, reason = "the effective spec is what the command is asked for")]
pub fn run(args: &CheckArgs) -> Result<Exit> {
    if args.keys {
        print!("{}", key_table());
        return Ok(Exit::Done);
    }
    let Some(path) = &args.spec else { return Ok(Exit::BadConfiguration) };
    let loaded = spec_file::load(path)?;
    for warning in &loaded.warnings {
        eprintln!("warning: {warning}");
    }
    if !args.quiet {
        print!("# the effective spec: every key with its value\n{}", loaded.spec.to_toml());
    }
    let seeds = loaded.spec.seeds.len();
    eprintln!("{} is good: {seeds} {}", path.display(), if seeds == 1 { "seed" } else { "seeds" });
    Ok(Exit::Done)
}

/// Every key as a Markdown table, section by section: docs/spec.md holds the same.
fn key_table() -> String {
    let mut text = String::new();
    let mut section = None;
    for key in keys() {
        if section != Some(key.section) {
            let title =
                if key.section.is_empty() { "at the top".to_owned() } else { format!("`{}`", key.section) };
            text.push_str(&format!(
                "\n### {title}\n\n| key | expected | default | meaning |\n| --- | --- | --- | --- |\n"
            ));
            section = Some(key.section);
        }
        let cell = |text: &str| text.replace('|', "\\|");
        text.push_str(&format!(
            "| `{}` | {} | {} | {} |\n",
            key.name,
            cell(&key.expected),
            if key.default.is_empty() { String::new() } else { format!("`{}`", cell(&key.default)) },
            cell(key.meaning),
        ));
    }
    text.trim_start().to_owned()
}
