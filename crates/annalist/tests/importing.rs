//! What was imported stays imported, whatever is imported beside it, and can be taken back.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

fn annalist(args: &[&str], dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_annalist")).args(args).current_dir(dir).output().unwrap()
}

fn told(args: &[&str], dir: &Path) -> String {
    let output = annalist(args, dir);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Exit code, and all that was said.
fn said(args: &[&str], dir: &Path) -> (Option<i32>, String) {
    let output = annalist(args, dir);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

fn job() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("job/archive")).unwrap();
    dir
}

fn write(dir: &Path, name: &str, value: &str) {
    std::fs::write(dir.join(name), format!("<x:a> <x:p> \"{value}\" .\n")).unwrap();
}

/// All that is known, as values.
fn values(dir: &Path) -> Vec<String> {
    let all = told(&["query", "job", "SELECT ?v { ?a ?b ?v } ORDER BY ?v", "--format", "csv"], dir);
    all.lines().skip(1).map(str::to_owned).collect()
}

fn runs(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir.join("job/knowledge/import")).unwrap();
    let mut names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn no_name_of_a_file_gets_in_the_way_of_another() {
    let dir = job();
    let dir = dir.path();
    let names =
        ["x.nt.open", "x.nt", "list.new", "list.jsonl", "lock", "copying", "files", ".x.nt", "2-x.nt"];
    for (number, name) in names.iter().enumerate() {
        write(dir, name, &number.to_string());
        told(&["import", "job", name, "--format", "nt"], dir);
    }
    let all: Vec<String> = (0..names.len()).map(|number| number.to_string()).collect();
    assert_eq!(values(dir), all);
    told(&["rebuild", "job"], dir);
    assert_eq!(values(dir), all);
}

#[test]
fn what_is_made_of_the_archive_is_made_again_also_where_imports_cannot_be() {
    let dir = job();
    let dir = dir.path();
    write(dir, "one.nt", "one");
    told(&["import", "job", "one.nt"], dir);
    std::fs::create_dir_all(dir.join("job/study")).unwrap();
    // As a rebuild leaves it that was killed before it studied again.
    std::fs::write(dir.join("job/study/topics.json.zst"), "").unwrap();
    std::fs::write(dir.join("job/knowledge/unannotated"), "").unwrap();
    std::fs::remove_file(dir.join("job/imports/list.jsonl")).unwrap();
    std::fs::create_dir_all(dir.join("job/imports/list.jsonl")).unwrap();
    let (status, said_of_it) = said(&["rebuild", "job"], dir);
    assert_eq!(status, Some(9), "{said_of_it}");
    assert!(said_of_it.contains("what was imported is not made again"), "{said_of_it}");
    assert!(dir.join("job/search/meta.json").exists());
    let studied = std::fs::metadata(dir.join("job/study/topics.json.zst")).unwrap().len();
    assert!(studied > 0, "what was studied is studied again");
}

#[test]
fn an_import_that_fails_leaves_nothing_behind() {
    let dir = job();
    let dir = dir.path();
    write(dir, "one.nt", "one");
    told(&["import", "job", "one.nt"], dir);
    write(dir, "two.nt", "two");
    let (status, said_of_it) = said(&["import", "job", "two.nt", "--graph", "not an iri"], dir);
    assert_eq!(status, Some(4), "{said_of_it}");
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    for number in 0..10_000 {
        writeln!(packed, "<x:a> <x:p> \"broken {number}\" .").unwrap();
    }
    let packed = packed.finish().unwrap();
    std::fs::write(dir.join("cut.nt.gz"), &packed[..packed.len() / 2]).unwrap();
    let (status, said_of_it) = said(&["import", "job", "cut.nt.gz"], dir);
    assert_eq!(status, Some(9), "{said_of_it}");
    assert!(said_of_it.contains("cut.nt.gz"), "{said_of_it}");
    assert_eq!(values(dir), ["one"]);
    told(&["import", "job", "two.nt"], dir);
    assert_eq!(values(dir), ["one", "two"]);
    told(&["rebuild", "job"], dir);
    assert_eq!(values(dir), ["one", "two"]);
    assert_eq!(std::fs::read_dir(dir.join("job/imports/files")).unwrap().count(), 2);
}

#[test]
fn a_file_that_was_lost_is_told_and_the_others_are_there() {
    let dir = job();
    let dir = dir.path();
    for name in ["one", "two", "three"] {
        write(dir, &format!("{name}.nt"), name);
        told(&["import", "job", &format!("{name}.nt")], dir);
    }
    told(&["rebuild", "job"], dir);
    assert_eq!(runs(dir).len(), 2, "all are imported at once, and once: one run and the manifest");
    std::fs::remove_file(dir.join("job/imports/files/two.nt")).unwrap();
    let (status, told_of_it) = said(&["rebuild", "job"], dir);
    assert_eq!(status, Some(9), "{told_of_it}");
    assert!(told_of_it.contains("two.nt is not imported"), "{told_of_it}");
    // Who wants no report hears of faults all the same, beside what is printed.
    let quiet = annalist(&["rebuild", "job", "--quiet"], dir);
    assert_eq!(quiet.status.code(), Some(9));
    assert!(
        quiet.stdout.is_empty() && String::from_utf8_lossy(&quiet.stderr).contains("two.nt is not imported")
    );
    assert_eq!(values(dir), ["one", "three"]);
    assert!(told(&["import", "job", "--list"], dir).contains("two.nt: nt, lost\n"));
    // The same file again mends it.
    told(&["import", "job", "two.nt"], dir);
    assert_eq!(values(dir), ["one", "three", "two"]);
    told(&["rebuild", "job"], dir);
    assert_eq!(values(dir), ["one", "three", "two"]);
}

#[test]
fn the_same_bytes_in_another_format_are_another_import_and_a_mistake_is_taken_back() {
    let dir = job();
    let dir = dir.path();
    std::fs::write(dir.join("some.txt"), "@prefix x: <x:> .\nx:a x:p \"some\" .\n").unwrap();
    write(dir, "one.nt", "one");
    told(&["import", "job", "one.nt", "--graph", "http://a.example/g"], dir);
    assert_eq!(said(&["import", "job", "some.txt", "--format", "nt"], dir).0, Some(9));
    assert_eq!(values(dir), ["one"]);
    told(&["import", "job", "some.txt", "--format", "ttl"], dir);
    assert_eq!(values(dir), ["one", "some"]);
    let list = told(&["import", "job", "--list"], dir);
    let expected = "one.nt: nt, 20 B, into http://a.example/g\nsome.txt: nt, 35 B\n2-some.txt: ttl, 35 B\n";
    assert_eq!(list, expected);
    told(&["import", "job", "--remove", "some.txt"], dir);
    assert_eq!(values(dir), ["one", "some"]);
    told(&["import", "job", "--remove", "one.nt"], dir);
    assert_eq!(values(dir), ["some"]);
    assert_eq!(told(&["import", "job", "--list"], dir), "2-some.txt: ttl, 35 B\n");
    assert_eq!(said(&["import", "job", "--remove", "one.nt"], dir).0, Some(4));
    told(&["rebuild", "job"], dir);
    assert_eq!(values(dir), ["some"]);
    told(&["import", "job", "--remove", "2-some.txt"], dir);
    assert_eq!(values(dir), Vec::<String>::new());
}

#[test]
fn what_is_lost_of_the_graph_is_imported_again_before_it_is_asked() {
    let dir = job();
    let dir = dir.path();
    write(dir, "one.nt", "one");
    told(&["import", "job", "one.nt"], dir);
    std::fs::remove_dir_all(dir.join("job/knowledge")).unwrap();
    assert_eq!(values(dir), ["one"]);
}

#[test]
fn blank_nodes_of_two_files_are_two_though_the_files_have_one_name() {
    let dir = job();
    let dir = dir.path();
    for (job, folder) in [("job", "one"), ("other", "two"), ("third", "three")] {
        std::fs::create_dir_all(dir.join(job).join("archive")).unwrap();
        std::fs::create_dir_all(dir.join(folder)).unwrap();
        let text = format!("_:x <x:p> \"{folder}\" .\n_:ann-x <x:p> \"{folder}\" .\n");
        std::fs::write(dir.join(folder).join("people.nt"), text).unwrap();
    }
    told(&["import", "job", "one/people.nt"], dir);
    told(&["import", "other", "two/people.nt"], dir);
    let count = "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }";
    assert_eq!(told(&["query", "job", "other", count, "--format", "csv"], dir), "n\r\n4\r\n");
    // What is made again, or brought from one job to another, has the same nodes.
    told(&["export", "job", "--nquads", "before.nq"], dir);
    told(&["rebuild", "job"], dir);
    told(&["export", "job", "--nquads", "after.nq"], dir);
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("before.nq"), read("after.nq"));
    told(&["import", "third", "after.nq"], dir);
    assert_eq!(told(&["query", "job", "third", count, "--format", "csv"], dir), "n\r\n2\r\n");
}

#[test]
fn nothing_is_imported_into_a_folder_that_is_no_job() {
    let dir = job();
    let dir = dir.path();
    write(dir, "one.nt", "one");
    std::fs::create_dir_all(dir.join("photos")).unwrap();
    for folder in ["photos", "none"] {
        for options in [&["one.nt"][..], &["--list"], &["--remove", "one.nt"]] {
            let (status, said_of_it) = said(&[&["import", folder][..], options].concat(), dir);
            assert_eq!(status, Some(4), "{folder} {options:?}: {said_of_it}");
        }
    }
    assert_eq!(std::fs::read_dir(dir.join("photos")).unwrap().count(), 0);
    assert!(!dir.join("none").exists());
}

#[test]
fn who_waits_for_a_pipe_that_nobody_writes_to_can_be_ended() {
    let dir = job();
    let dir = dir.path();
    assert!(Command::new("mkfifo").arg(dir.join("silent.nt")).status().unwrap().success());
    for args in [&["import", "job", "silent.nt"][..], &["query", "--data", "silent.nt", "ASK {}"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annalist"));
        let mut child = command.args(args).current_dir(dir).stderr(Stdio::null()).spawn().unwrap();
        let id = child.id();
        support::listens(id, Duration::from_secs(60));
        let mut ended = None;
        // Signals that come close together are one.
        for _ in 0..100 {
            assert!(Command::new("kill").args(["-INT", &id.to_string()]).status().unwrap().success());
            std::thread::sleep(Duration::from_millis(300));
            ended = child.try_wait().unwrap();
            if ended.is_some() {
                break;
            }
        }
        if ended.is_none() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(ended.and_then(|ended| ended.code()), Some(11), "{args:?}");
    }
}
