//! `catalogue/catalogue.xsd`, by which editors know the form of catalogue files, says what the program says.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use annalist_apps::catalogue::Loaded;

fn catalogue() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue")
}

/// Those of the files that are in the schema's form, by the Python environment that `scripts/setup test` makes.
fn valid(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let venv = std::env::var("ANNALIST_VENV")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/venv").to_owned());
    let tool = Path::new(&venv).join("bin/xmlschema-validate");
    assert!(tool.exists(), "{} is missing: run `scripts/setup test`, or `make test`", tool.display());
    let schema = format!("--schema={}", catalogue().join("catalogue.xsd").display());
    let output = Command::new(tool).arg(schema).args(files).output().unwrap();
    let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    // One line for each file; a schema that cannot be read has others.
    assert_eq!(told.lines().filter(|line| line.ends_with(" valid")).count(), files.len(), "{told}");
    told.lines().filter_map(|line| line.strip_suffix(" is valid")).map(PathBuf::from).collect()
}

#[test]
fn every_description_of_the_catalogue_is_in_the_form_of_the_schema() {
    let folders = catalogue().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> =
        folders.map(|folder| folder.join("app.xml")).filter(|file| file.is_file()).collect();
    assert!(files.len() > 4);
    assert_eq!(valid(&files), files.into_iter().collect());
}

#[test]
fn what_the_program_calls_a_mistake_of_form_the_schema_does_too() {
    let level = |inside: &str| format!("<level id='l'>{inside}</level>");
    let wrong = [
        "<levels/>".to_owned(),
        "<follow path='*' reason='x'/>".to_owned(),
        "<follow path='*' score='2'/>".to_owned(),
        "<never path='*' score='1'/>".to_owned(),
        "<paging path='/page'/>".to_owned(),
        "<drop/>".to_owned(),
        "<detect><body at='p'/></detect>".to_owned(),
        "<detect><generator contains=''/></detect>".to_owned(),
        "<detect><cookie/></detect>".to_owned(),
        "words".to_owned(),
        "<level/>".to_owned(),
        "<level id='a b'/>".to_owned(),
        "<level id='l' kind='list'/>".to_owned(),
        "<level id='l' index='true'/>".to_owned(),
        "<level id='l' others='drop'/>".to_owned(),
        "<level id='l'/><level id='l'/>".to_owned(),
        level("<next/>"),
        level("<act at='a' do='press'/>"),
        level("<object at='p'/>"),
        level("<object type='post' at='p' extent='all'/>"),
        level("<object type='post' at='p'><text at='b'/></object>"),
        level("<title at='b' format='%Y'/>"),
        level("<date at='b' order='ydm'/>"),
        level("<body at='b'><b/></body>"),
    ];
    let right = [
        "<note>any <b>words</b></note>".to_owned(),
        "<detect><all><url path='*'/><none><text contains='x'/></none></all></detect><detect/>".to_owned(),
        level(
            "<date value='x' zone='UTC'/><object type='post' at='p'/><spare has='x' score='0.5'/><detect/>",
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let (mut files, mut expected) = (Vec::new(), BTreeSet::new());
    for (number, inside) in wrong.iter().chain(&right).enumerate() {
        let file = folder.path().join(format!("{number}.xml"));
        let text = format!("<application id='a'>{inside}</application>");
        std::fs::write(&file, &text).unwrap();
        let mut loaded = Loaded::default();
        loaded.add("app.xml", &text);
        assert_eq!(loaded.mistakes.is_empty(), number >= wrong.len(), "{inside}");
        if loaded.mistakes.is_empty() {
            expected.insert(file.clone());
        }
        files.push(file);
    }
    let valid = valid(&files);
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        assert_eq!(valid.contains(file), expected.contains(file), "{text}");
    }
}
