//! Running a command and knowing what it cost.

use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};

/// A command that has ended.
#[derive(Debug)]
pub struct Ran {
    pub output: Output,
    /// CPU time of the command and its children, user and system.
    pub cpu_seconds: f64,
}

impl Ran {
    /// The JSON object on the last line of standard output.
    pub fn json(&self) -> Result<serde_json::Value> {
        let text = String::from_utf8_lossy(&self.output.stdout);
        let last = text.lines().last().unwrap_or_default();
        serde_json::from_str(last)
            .with_context(|| format!("no JSON: {last:?}; {}", String::from_utf8_lossy(&self.output.stderr)))
    }
}

pub fn run(command: &mut Command) -> Result<Ran> {
    let cpu_before = children_cpu_seconds();
    let name = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output().with_context(|| name)?;
    Ok(Ran { output, cpu_seconds: children_cpu_seconds() - cpu_before })
}

/// CPU time of all children that have ended.
fn children_cpu_seconds() -> f64 {
    let ticks = rustix::param::clock_ticks_per_second().max(1) as f64;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<&str> = after.split_whitespace().collect();
    let field = |n: usize| fields.get(n).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (field(13) + field(14)) / ticks
}
