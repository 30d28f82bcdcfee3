//! Import, query and export of what is known, through the program.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PEOPLE: &str = "@prefix e: <http://e.example/> .
e:ann e:knows e:bob , [ e:name \"nobody, really\" ] ; e:name \"Ann\"@en ; e:age 42 .
e:bob e:name \"Bob \\\"B\\\"\" ; e:born \"1969-07-20\"^^<http://www.w3.org/2001/XMLSchema#date> .
";

fn annalist(args: &[&str], dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_annalist")).args(args).current_dir(dir).output().unwrap()
}

fn told(args: &[&str], dir: &Path) -> String {
    let output = annalist(args, dir);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn code(args: &[&str], dir: &Path) -> (Option<i32>, String) {
    let output = annalist(args, dir);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn job() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("job/archive")).unwrap();
    std::fs::write(dir.path().join("people.ttl"), PEOPLE).unwrap();
    dir
}

#[test]
fn what_is_imported_can_be_asked_in_every_format() {
    let dir = job();
    let dir = dir.path();
    assert_eq!(told(&["import", "job", "people.ttl"], dir), "people.ttl: 7 statements\n");
    let names = "SELECT ?name { ?x <http://e.example/name> ?name } ORDER BY ?name";
    let ask = |format: &str| told(&["query", "job", names, "--format", format], dir);
    assert_eq!(ask("table"), "name\n--------------\nAnn\nBob \"B\"\nnobody, really\n");
    assert_eq!(ask("csv"), "name\r\nAnn\r\n\"Bob \"\"B\"\"\"\r\n\"nobody, really\"\r\n");
    assert_eq!(ask("tsv"), "?name\n\"Ann\"@en\n\"Bob \\\"B\\\"\"\n\"nobody, really\"\n");
    let json: serde_json::Value = serde_json::from_str(&ask("json")).unwrap();
    assert_eq!(json["results"]["bindings"][0]["name"]["xml:lang"], "en");
    assert!(ask("xml").contains("<literal xml:lang=\"en\">Ann</literal>"));
    let knows = "CONSTRUCT { ?b <http://e.example/known> ?a } WHERE { ?a <http://e.example/age> 42 ; <http://e.example/knows> ?b FILTER(ISIRI(?b)) }";
    let known = "<http://e.example/bob> <http://e.example/known> <http://e.example/ann> .\n";
    assert_eq!(told(&["query", "job", knows], dir), known);
    assert_eq!(told(&["query", "job", knows, "--format", "ttl"], dir), known);
    assert_eq!(told(&["query", "job", "ASK { ?x <http://e.example/age> 42 }"], dir), "yes\n");
    assert!(told(&["query", "job", "--explain", names], dir).contains("3 rows"));
    assert_eq!(told(&["query", "--data", "people.ttl", names, "--format", "csv"], dir), ask("csv"));
}

#[test]
fn characters_that_xml_cannot_hold_are_replaced_there_and_nowhere_else() {
    let dir = job();
    let dir = dir.path();
    std::fs::write(dir.join("odd.nt"), "<x:a> <x:p> \"a\\u0001b\\uFFFFc\\td\"@en .\n").unwrap();
    let ask =
        |format| told(&["query", "--data", "odd.nt", "SELECT ?x { ?s ?p ?x }", "--format", format], dir);
    let xml = ask("xml");
    assert!(xml.contains("<literal xml:lang=\"en\">a\u{fffd}b\u{fffd}c\td</literal>"), "{xml:?}");
    assert!(ask("csv").contains("a\u{1}b\u{ffff}c\td"));
    let typed = "SELECT (STRDT(\"\\u0008\", <x:t>) AS ?x) {}";
    let xml = told(&["query", "--data", "odd.nt", typed, "--format", "xml"], dir);
    assert!(xml.contains("<literal datatype=\"x:t\">\u{fffd}</literal>"), "{xml:?}");
}

#[test]
fn an_export_never_replaces_what_is_no_file() {
    let dir = job();
    let dir = dir.path();
    let _listener = std::os::unix::net::UnixListener::bind(dir.join("socket")).unwrap();
    std::os::unix::fs::symlink("nowhere", dir.join("dangling")).unwrap();
    for name in ["socket", "dangling"] {
        let (status, told) = code(&["export", "job", "--nquads", name, "--force"], dir);
        assert_eq!(status, Some(4), "{told}");
        assert!(told.contains(name) && told.contains("left alone"), "{told}");
        assert!(!dir.join(name).symlink_metadata().unwrap().is_file());
    }
}

#[test]
fn an_import_that_cannot_be_kept_says_where() {
    let dir = job();
    let dir = dir.path();
    std::fs::write(dir.join("job/imports"), "no folder").unwrap();
    let (status, told) = code(&["import", "job", "people.ttl"], dir);
    assert_eq!(status, Some(9), "{told}");
    assert!(told.contains("job/imports"), "{told}");
}

#[test]
fn what_is_exported_and_imported_again_is_the_same() {
    let dir = job();
    let dir = dir.path();
    told(&["import", "job", "people.ttl", "--graph", "http://e.example/g"], dir);
    told(&["import", "job", "people.ttl"], dir);
    told(&["export", "job", "--nquads", "one.nq"], dir);
    std::fs::create_dir_all(dir.join("other/archive")).unwrap();
    told(&["import", "other", "one.nq"], dir);
    told(&["export", "other", "--nquads", "two.nq"], dir);
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("one.nq").lines().count(), 14);
    assert_eq!(read("one.nq"), read("two.nq"));
    // The same again, also when the layer was lost, changes nothing.
    std::fs::remove_dir_all(dir.join("job/knowledge")).unwrap();
    told(&["import", "job", "people.ttl"], dir);
    told(&["export", "job", "--nquads", "three.nq"], dir);
    assert_eq!(read("one.nq"), read("three.nq"));
}

#[test]
fn bad_lines_are_told_with_their_number_and_the_rest_is_imported() {
    let dir = job();
    let dir = dir.path();
    let text = "<x:a> <x:p> \"one\" .\nrubbish\n<x:a> <x:p> \"two\" .\n";
    std::fs::write(dir.join("some.nt"), text).unwrap();
    let (status, errors) = code(&["import", "job", "some.nt", "--strict"], dir);
    assert_eq!(status, Some(9));
    assert!(errors.contains("some.nt: line 2:"), "{errors}");
    assert_eq!(told(&["query", "job", "SELECT * { ?a ?b ?c }", "--format", "csv"], dir).lines().count(), 1);
    let (status, errors) = code(&["import", "job", "some.nt"], dir);
    assert_eq!((status, errors.lines().count()), (Some(9), 1), "{errors}");
    assert_eq!(told(&["query", "job", "SELECT * { ?a ?b ?c }", "--format", "csv"], dir).lines().count(), 3);
}

#[test]
fn one_statement_comes_from_standard_input() {
    let dir = job();
    let mut child = Command::new(env!("CARGO_BIN_EXE_annalist"))
        .args(["import", "job", "-", "--json", "-q"])
        .current_dir(dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"<x:a> <x:p> <x:b> <x:g> .").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "{\"bad\":0,\"statements\":1}\n");
    assert_eq!(told(&["query", "job", "ASK { GRAPH <x:g> { <x:a> <x:p> <x:b> } }"], dir.path()), "yes\n");
}

#[test]
fn who_wants_to_change_something_is_told_how() {
    let dir = job();
    for update in [
        "INSERT DATA { <x:a> <x:b> 1 }",
        "LOAD <http://e.example/>",
        "CLEAR ALL",
        "DELETE WHERE { ?a ?b ?c }",
    ] {
        let (status, said) = code(&["query", "job", update], dir.path());
        assert_eq!(status, Some(4), "{said}");
        assert!(said.contains("only reads") && said.contains("annalist import"), "{update}: {said}");
    }
    let (_, said) = code(&["query", "job", "INSERT something"], dir.path());
    assert!(said.contains("cannot be read"), "{said}");
}

#[test]
fn what_cannot_be_answered_has_its_exit_code() {
    let dir = job();
    let dir = dir.path();
    told(&["import", "job", "people.ttl"], dir);
    let all = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o . ?p ?q ?r . ?s ?t ?u . ?v ?w ?x . ?y ?z ?aa . ?ab ?ac ?ad";
    let cases: [(&[&str], i32, &str); 7] = [
        (
            &["query", "job", &format!("SELECT (COUNT(*) AS ?z1) {{ {all} }}"), "--time-limit", "300ms"],
            15,
            "--time-limit",
        ),
        (&["query", "job", &format!("SELECT DISTINCT * {{ {all} }}"), "--memory", "4"], 14, "memory"),
        (&["query", "job", "SELECT * { ?a ?b ?c }", "--limit-rows", "2"], 14, "--limit-rows"),
        (&["query", "job", "SELECT * { SERVICE <http://127.0.0.1:1/> { ?a ?b ?c } }"], 4, "SERVICE"),
        (&["query", "job", "SELECT nothing"], 4, "cannot be read"),
        (&["query", "nowhere", "ASK {}"], 4, "does not exist"),
        (&["query", "job", "CONSTRUCT WHERE { ?a ?b ?c }", "--format", "csv"], 4, "--format nt"),
    ];
    for (args, expected, advice) in cases {
        let (status, errors) = code(args, dir);
        assert_eq!(status, Some(expected), "{args:?}: {errors}");
        assert!(errors.contains(advice), "{args:?}: {errors}");
    }
}

#[test]
fn ctrl_c_ends_a_query() {
    let dir = job();
    told(&["import", "job", "people.ttl"], dir.path());
    // Some hundred million rows.
    let patterns: String = (0..10).map(|n| format!("?a{n} ?b{n} ?c{n} . ")).collect();
    let mut child = Command::new(env!("CARGO_BIN_EXE_annalist"))
        .args(["query", "job", &format!("SELECT * {{ {patterns} }}"), "--format", "csv", "-q"])
        .args(["--time-limit", "10m", "--limit-rows", "1000000000"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut rows = child.stdout.take().unwrap();
    rows.read_exact(&mut [0; 100]).unwrap();
    let reader = std::thread::spawn(move || std::io::copy(&mut rows, &mut std::io::sink()));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(11));
    reader.join().unwrap().unwrap();
}

#[test]
fn what_makes_no_sense_is_told_and_huge_limits_are_limits() {
    let dir = job();
    let dir = dir.path();
    let (status, said) = code(&["query", "job", " "], dir);
    assert!(status == Some(4) && said.contains("empty") && !said.contains("import"), "{said}");
    let (status, said) = code(&["across", "associations", "job", "--term", ""], dir);
    assert_eq!(status, Some(4), "{said}");
    told(&["import", "job", "people.ttl"], dir);
    let huge = (usize::MAX >> 20) + 1;
    told(&["query", "job", "SELECT * { ?a ?b ?c } ORDER BY ?c", "--memory", &huge.to_string()], dir);
}

#[test]
fn statements_are_exported_whole_or_not_at_all() {
    let dir = job();
    for condition in [&["--selected"][..], &["--site", "e.example"], &["--selected", "--wacz", "some.wacz"]] {
        let (status, said) =
            code(&[&["export", "job", "--nquads", "some.nq"], condition].concat(), dir.path());
        assert_eq!(status, Some(4), "{said}");
        assert!(said.contains("--nquads"), "{said}");
        assert!(!dir.path().join("some.nq").exists());
    }
}
