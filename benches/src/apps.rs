//! What recognising applications costs: with few and with many of them known, and all that it adds to a page.

use std::process::Command;

use anyhow::Result;

use crate::Figures;
use crate::urlstore::figures;

pub fn measure() -> Result<Figures> {
    eprintln!("bench: recognising applications");
    figures("apps", &mut Command::new(crate::bin("examples/apps")?))
}
