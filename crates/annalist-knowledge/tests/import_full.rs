//! A disk that fails at any point of an import: what was imported before is there, all of it and nothing else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annalist_disk::{Disk, Fault, RealDisk, SimDisk};
use annalist_knowledge::Places;
use annalist_knowledge::graph::{Graph, LoadError, format_named};
use annalist_knowledge::import::{Import, Imports, Strict, imported};

fn import(imports: &mut Imports, name: &str) -> Result<(), LoadError> {
    let text: String = (0..50).map(|number| format!("<x:{name}> <x:p> \"{number}\" .\n")).collect();
    let format = format_named("nt").unwrap();
    let import = Import { name, format, graph: None, base: None, strict: Strict::No };
    imports.import(&import, &mut text.as_bytes(), &mut |_, _| {}).map(drop)
}

/// Which files the layer tells of, in whole.
fn told(disk: &dyn Disk, job: &Path) -> Vec<String> {
    let graph = Graph::open_on(disk, &[Places::of(job).imported()], 1 << 20).unwrap();
    let mut subjects: Vec<String> =
        graph.quads().unwrap().map(|quad| quad.unwrap().subject.to_string()).collect();
    subjects.sort();
    let mut counted: Vec<(String, usize)> = Vec::new();
    for subject in subjects {
        match counted.last_mut() {
            Some((last, count)) if *last == subject => *count += 1,
            _ => counted.push((subject, 1)),
        }
    }
    assert!(counted.iter().all(|(_, count)| *count == 50), "{counted:?}");
    counted.into_iter().map(|(subject, _)| subject.trim_matches(['<', '>']).to_owned()).collect()
}

#[test]
fn while_an_import_is_taken_back_or_added_all_of_the_others_are_told() {
    for kind in ["remove", "import"] {
        for operation in 0.. {
            let dir = tempfile::tempdir().unwrap();
            let (disk, job) = (SimDisk::new(), dir.path());
            let mut imports = Imports::open_on(Arc::new(disk.clone()), job).unwrap();
            ["x:a", "x:b", "x:c"]
                .iter()
                .for_each(|name| import(&mut imports, name.trim_start_matches("x:")).unwrap());
            let all = ["x:a", "x:b", "x:c"];
            assert_eq!(told(&disk, job), all);
            let after: &[&str] =
                if kind == "remove" { &["x:b", "x:c"] } else { &["x:a", "x:b", "x:c", "x:d"] };
            disk.set_faults(&[Fault::CutAt(disk.operations() + operation)]);
            let done = match kind {
                "remove" => imports.remove("a").map(drop),
                _ => import(&mut imports, "d"),
            };
            disk.set_faults(&[]);
            match done {
                Ok(()) => assert_eq!(told(&disk, job), after),
                Err(_) => {
                    let seen = told(&disk, job);
                    assert!(seen == all || seen == after, "{kind} {operation}: {seen:?}");
                    drop(imports);
                    drop(Imports::open_on(Arc::new(disk.clone()), job).unwrap());
                    assert_eq!(told(&disk, job), all, "{kind} {operation}: as before");
                    continue;
                }
            }
            break;
        }
    }
}

#[test]
fn a_full_disk_is_told_as_one_and_nothing_is_imported() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, job) = (SimDisk::new(), dir.path());
    let mut imports = Imports::open_on(Arc::new(disk.clone()), job).unwrap();
    import(&mut imports, "a").unwrap();
    disk.set_faults(&[Fault::Room(0)]);
    match import(&mut imports, "b") {
        Err(LoadError::Graph(error)) => assert!(error.is_full(), "{error}"),
        other => panic!("{other:?}"),
    }
    disk.set_faults(&[]);
    assert_eq!(told(&disk, job), ["x:a"]);
    assert_eq!(imported(job).unwrap().len(), 1);
    import(&mut imports, "b").unwrap();
    assert_eq!(told(&disk, job), ["x:a", "x:b"]);
}

#[test]
fn where_nothing_was_imported_a_full_disk_is_no_hindrance() {
    let dir = tempfile::tempdir().unwrap();
    let (disk, job) = (SimDisk::new(), dir.path());
    disk.set_faults(&[Fault::Room(0)]);
    let imports = Imports::open_on(Arc::new(disk.clone()), job).unwrap();
    assert!(imports.failed().is_empty());
}

#[test]
fn who_wants_an_end_is_heard_and_everything_is_as_before() {
    let dir = tempfile::tempdir().unwrap();
    let (asked, job) = (Arc::new(AtomicBool::new(false)), dir.path());
    let mut imports = Imports::open_until(job, Arc::clone(&asked)).unwrap();
    import(&mut imports, "a").unwrap();
    asked.store(true, Ordering::Relaxed);
    assert!(import(&mut imports, "b").is_err());
    assert_eq!((told(&RealDisk, job), imported(job).unwrap().len()), (vec!["x:a".to_owned()], 1));
    drop(imports);
    assert!(Imports::rebuild(job, Arc::clone(&asked)).is_err());
    assert_eq!(told(&RealDisk, job), ["x:a"]);
    asked.store(false, Ordering::Relaxed);
    let mut imports = Imports::rebuild(job, asked).unwrap();
    assert!(imports.failed().is_empty());
    import(&mut imports, "b").unwrap();
    assert_eq!(told(&RealDisk, job), ["x:a", "x:b"]);
}

#[test]
fn a_copy_that_a_kill_left_is_gone_when_the_imports_are_opened() {
    let dir = tempfile::tempdir().unwrap();
    let copy = Places::of(dir.path()).imports().join("copying");
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    std::fs::write(&copy, "half of a file").unwrap();
    drop(Imports::open(dir.path()).unwrap());
    assert!(!copy.exists());
}
