//! `annalist check`: every mistake in a spec, and what the spec amounts to.

use std::path::Path;

use annalist_model::spec::{Mistake, keys};
use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::spec_file::{self, Examined};

#[expect(clippy::print_stdout, reason = "the effective spec is what the command is asked for")]
pub fn run(args: &CheckArgs) -> Result<Exit> {
    if args.keys {
        print!("{}", key_table());
        return Ok(Exit::Done);
    }
    let Some(path) = &args.spec else { return Ok(Exit::BadConfiguration) };
    let examined = spec_file::examine(path)?;
    let summary = args.json.then(|| summary(&examined, path));
    let loaded = match examined.loaded(&path.display().to_string()) {
        Ok(loaded) => loaded,
        Err(error) => {
            if let Some(summary) = summary {
                println!("{summary}");
            }
            return Err(error);
        }
    };
    for warning in &loaded.warnings {
        tell!("warning: {warning}");
    }
    if !args.quiet {
        print!("# the effective spec: every key with its value\n{}", loaded.spec.to_toml());
    }
    let seeds = loaded.spec.seeds.len();
    tell!("{} is good: {seeds} {}", path.display(), if seeds == 1 { "seed" } else { "seeds" });
    if let Some(summary) = summary {
        println!("{summary}");
    }
    Ok(Exit::Done)
}

/// The object that `--json` prints.
fn summary(examined: &Examined, path: &Path) -> Value {
    let list = |mistakes: &[Mistake]| -> Vec<Value> {
        mistakes.iter().map(|m| json!({"line": m.line, "key": m.key, "message": m.message})).collect()
    };
    json!({
        "spec": path.display().to_string(),
        "good": examined.spec.is_some(),
        "seeds": examined.spec.as_ref().map(|spec| spec.seeds.len()),
        "mistakes": list(&examined.mistakes),
        "warnings": list(&examined.warnings),
    })
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
