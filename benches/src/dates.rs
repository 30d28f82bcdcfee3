//! What it costs to find the day on which a page was published.

use std::process::Command;

use anyhow::Result;

use crate::Figures;
use crate::urlstore::figures;

pub fn measure() -> Result<Figures> {
    eprintln!("bench: days of publication");
    figures("dates", &mut Command::new(crate::bin("examples/dates")?))
}
