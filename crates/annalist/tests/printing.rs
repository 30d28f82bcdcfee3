//! What is printed where nobody can read it: on a full disk, or into a pipe that its reader has left.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use annalist_testweb::WorldConfig;
use support::{Stand, annalist, assert_exit, finish};

const LIMIT: Duration = Duration::from_secs(120);

/// A device on which every write fails as on a full disk.
fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// A pipe that nobody reads any more.
fn left() -> Stdio {
    std::io::pipe().unwrap().1.into()
}

/// Commands that print in each of the ways there are.
fn printing(job: &Path, spec: &Path) -> Vec<Command> {
    let with = |args: &[&str], path: &Path, more: &[&str]| {
        let mut command = annalist();
        command.args(args).arg(path).args(more);
        command
    };
    let mut help = annalist();
    help.args(["search", "--help"]);
    vec![
        with(&["status"], job, &["--json"]),
        with(&["search"], job, &["a", "--json"]),
        with(&["query"], job, &["ASK { ?s ?p ?o }"]),
        with(&["index"], &job.join("archive"), &[]),
        with(&["apps", "objects"], job, &["--json"]),
        with(&["check"], spec, &["--quiet", "--json"]),
        help,
    ]
}

fn stand() -> Stand {
    let stand = Stand::new(WorldConfig::default());
    let spec = stand.spec("[limits]\npages = 3\n");
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    stand
}

#[test]
fn output_on_a_full_disk_is_an_error_and_output_that_nobody_reads_is_none() {
    let stand = stand();
    for mut command in printing(&stand.job(), &stand.dir.path().join("spec.toml")) {
        let output = command.stdout(full()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{command:?}: {told}");
        assert!(
            told.contains("No space left on device") && !told.contains("panicked"),
            "{command:?}: {told}"
        );
        let output = command.stdout(left()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{command:?}: {told}");
        assert!(!told.contains("pipe") && !told.contains("panicked"), "{command:?}: {told}");
    }
}

#[test]
fn messages_that_cannot_be_written_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("three.nt");
    std::fs::write(&data, "<urn:a> <urn:p> \"1\" .\n<urn:a> <urn:p> \"2\" .\n<urn:a> <urn:p> \"3\" .\n")
        .unwrap();
    let spec = dir.path().join("good.toml");
    std::fs::write(&spec, "name = \"x\"\n[[seed]]\nurl = \"http://a.test/\"\n").unwrap();
    for nowhere in [full, left] {
        let ended = |command: &mut Command| {
            let mut child = command.stdout(Stdio::piped()).stderr(nowhere()).spawn().unwrap();
            let mut printed = String::new();
            child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
            (child.wait().unwrap().code(), printed)
        };
        let mut query = annalist();
        query.arg("query").arg("--data").arg(&data).args(["SELECT * { ?s ?p ?o }", "--limit-rows", "2"]);
        let (code, printed) = ended(query.args(["--format", "csv"]));
        assert_eq!((code, printed.lines().count()), (Some(14), 3), "{printed}");
        let (code, printed) = ended(annalist().arg("check").arg(&spec).args(["--quiet", "--json"]));
        assert_eq!(code, Some(0));
        assert!(printed.contains("\"good\":true"), "{printed}");
        // Neither do those that are the end.
        assert_eq!(ended(annalist().arg("status").arg(dir.path().join("none"))).0, Some(4));
        assert_eq!(ended(annalist().arg("frobnicate")).0, Some(4));
    }
}
