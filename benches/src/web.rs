//! The test web as a process of its own, so that its CPU time is not counted as the crawler's.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// A running test web with its spec; both end with it.
#[derive(Debug)]
pub struct Web {
    child: Child,
    pub dir: tempfile::TempDir,
    /// `127.1.0.1:PORT`, the first of its addresses.
    pub address: String,
}

impl Web {
    pub fn start(arguments: &[&str]) -> Result<Web> {
        let dir = tempfile::Builder::new().prefix("bench").tempdir_in("target")?;
        let mut child = Command::new(crate::bin("annalist-testweb")?)
            .args(arguments)
            .arg("--spec")
            .arg(dir.path().join("spec.toml"))
            .arg("--truth")
            .arg(dir.path().join("truth.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().context("no output of the test web")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let Some(address) = line.trim().strip_prefix("ready ") else {
            let _ = child.kill();
            bail!("the test web did not start: {line:?}");
        };
        let address = address.to_owned();
        Ok(Web { child, dir, address })
    }

    pub fn spec(&self) -> PathBuf {
        self.dir.path().join("spec.toml")
    }

    /// Host names in the order of the spec's seeds.
    pub fn seeds(&self) -> Result<Vec<String>> {
        let text = std::fs::read_to_string(self.spec())?;
        let urls = text.lines().filter_map(|line| line.strip_prefix("url = \""));
        Ok(urls.map(|url| url.trim_end_matches('"').to_owned()).collect())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // By its process id; it holds nothing that would need an orderly end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
