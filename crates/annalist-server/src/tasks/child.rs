//! One command of this program as a process: begun, watched, ended, and what it made put in its place.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use annalist_crawl::job::JobDir;
use rustix::process::{Pid, Signal, kill_process};

use super::kept::{Format, Kept, Kind, Task, last_lines};
use crate::exports;
use crate::service::Service;

const LOOK: Duration = Duration::from_millis(50);
/// Who does not end when asked to is killed after this long; nothing it wrote has its final name.
const PATIENCE: Duration = Duration::from_secs(5);
/// The exit code of a full disk.
const DISK_FULL: i32 = 3;
/// That of an end with something to tell: what was written is whole.
const WITH_FAULTS: i32 = 9;
/// Whose end ends the command, too, and how many seconds are between two lines about its way.
const PARENT: &str = "ANNALIST_PARENT";
const PROGRESS: &str = "ANNALIST_PROGRESS";

/// What came of a command.
#[derive(Debug, Default)]
pub struct Ended {
    /// None where it was killed or never began.
    pub exit: Option<i32>,
    pub message: Option<String>,
    pub files: Vec<String>,
}

/// Has to be called on a thread that lives as long as the command: it ends with the thread that began it.
pub fn run(
    service: &Service,
    id: &str,
    job: &JobDir,
    task: &Task,
    kept: &Kept,
    is_to_end: &dyn Fn() -> bool,
) -> Ended {
    match begin_and_wait(service, id, job, task, kept, is_to_end) {
        Ok(status) => ended(job, task, kept, status),
        Err(fault) => Ended { message: Some(format!("it could not be begun: {fault}")), ..Ended::default() },
    }
}

fn begin_and_wait(
    service: &Service,
    id: &str,
    job: &JobDir,
    task: &Task,
    kept: &Kept,
    is_to_end: &dyn Fn() -> bool,
) -> io::Result<ExitStatus> {
    let mut command = service.program().command();
    arguments(&mut command, id, job, task)?;
    command
        .env(PARENT, std::process::id().to_string())
        .env(PROGRESS, "1")
        .stdin(Stdio::null())
        .stdout(File::create(kept.report(task.number))?)
        .stderr(File::create(kept.log(task.number))?);
    let mut child = command.spawn()?;
    let mut asked: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        match asked {
            None if is_to_end() => {
                // It was not waited for: the number is still its own.
                let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
                pid.map_or(Ok(()), |pid| kill_process(pid, Signal::TERM))?;
                asked = Some(Instant::now());
            }
            Some(since) if since.elapsed() > PATIENCE => {
                child.kill()?;
                return child.wait();
            }
            _ => std::thread::sleep(LOOK),
        }
    }
}

fn arguments(command: &mut Command, id: &str, job: &JobDir, task: &Task) -> io::Result<()> {
    let what = &task.what;
    match what.kind {
        Kind::Study => {
            command.arg("study").arg(job.root());
            if !what.only.is_empty() {
                command.arg("--only").arg(what.only.join(","));
            }
        }
        Kind::Rebuild => {
            command.arg("rebuild").arg(job.root());
        }
        Kind::Select => {
            command.arg("select").arg(job.root());
        }
        Kind::Sample => {
            command.args(["judge", "--sample"]).arg(job.root());
        }
        Kind::Export => {
            let folder = exports::workshop(job.root(), task.number);
            std::fs::create_dir_all(&folder)?;
            let stem = stem(id, task);
            command.arg("export").arg(job.root());
            let (option, path) = match what.format.unwrap_or(Format::Wacz) {
                Format::Wacz => ("--wacz", format!("{stem}.wacz")),
                Format::Warc => ("--warc", stem.clone()),
                Format::Csv => ("--csv", format!("{stem}.csv")),
                Format::Nquads => ("--nquads", format!("{stem}.nq")),
                Format::Parquet => ("--parquet", stem.clone()),
            };
            command.arg(option).arg(folder.join(path)).arg("--title").arg(id);
            if what.selected {
                command.arg("--selected");
            }
        }
    }
    Ok(())
}

fn stem(id: &str, task: &Task) -> String {
    let selected = if task.what.selected { "-selected" } else { "" };
    format!("{id}-{}{selected}", task.number)
}

fn ended(job: &JobDir, task: &Task, kept: &Kept, status: ExitStatus) -> Ended {
    let exit = status.code();
    let mut message = said(kept, task.number, exit);
    let mut files = Vec::new();
    if task.what.kind == Kind::Export {
        let workshop = exports::workshop(job.root(), task.number);
        if matches!(exit, Some(0 | WITH_FAULTS)) {
            match exports::publish(job.root(), &workshop) {
                Ok(made) => files = made,
                Err(fault) => message = Some(format!("what was made cannot be put into its place: {fault}")),
            }
        }
        let _ = std::fs::remove_dir_all(workshop);
    }
    Ended { exit, message, files }
}

fn said(kept: &Kept, number: u64, exit: Option<i32>) -> Option<String> {
    let last = |path: &Path| last_lines(path, 1).pop();
    let fault = last(&kept.log(number)).map(|line| line.trim_start_matches("annalist: ").to_owned());
    match exit {
        Some(0) => last_lines(&kept.report(number), usize::MAX).into_iter().next(),
        Some(DISK_FULL) => {
            let why = fault.unwrap_or_default();
            Some(format!("the disk is full: make room, and ask for it again ({why})"))
        }
        Some(code) => Some(fault.unwrap_or_else(|| format!("it ended with the code {code}"))),
        None => Some("it was killed".to_owned()),
    }
}
