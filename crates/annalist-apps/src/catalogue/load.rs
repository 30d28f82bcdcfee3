//! Where descriptions come from: those the program brings along, and folders of files.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use annalist_model::ResponseHead;

use super::describe::describe;
use super::xml::LONGEST;
use super::{Description, Mistake};

include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// What came with a page, as it is written beside it: a status line, which may be missing, and header fields, one a line.
pub fn head_of(text: &str) -> ResponseHead {
    let mut head = ResponseHead { status: 200, fields: Vec::new() };
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("HTTP/") {
            head.status = rest.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(200);
        } else if let Some((name, value)) = line.split_once(':') {
            head.fields.push((name.trim().to_owned(), value.trim().as_bytes().to_vec()));
        }
    }
    head
}

/// What was read, and what could not be.
#[derive(Debug, Default)]
pub struct Loaded {
    pub descriptions: Vec<Description>,
    pub mistakes: Vec<Mistake>,
}

/// Reads the descriptions the program brings along, then those in the folders. One of the same id in a later folder takes the place
/// of an earlier one.
pub fn load(with_built_in: bool, folders: &[PathBuf]) -> Loaded {
    let mut loaded = Loaded::default();
    if with_built_in {
        for (file, text) in BUILT_IN {
            loaded.add(file, text);
        }
    }
    for folder in folders {
        match files_in(folder) {
            Ok(files) if files.is_empty() => {
                loaded.miss(folder, "there is no app.xml in this folder or in the folders in it".to_owned());
            }
            Ok(files) => {
                for file in files {
                    match read(&file) {
                        Ok(text) => loaded.add(&file.display().to_string(), &text),
                        Err(fault) => loaded.miss(&file, format!("the file cannot be read: {fault}")),
                    }
                }
            }
            Err(fault) => loaded.miss(folder, format!("the folder cannot be read: {fault}")),
        }
    }
    loaded
}

/// Not more than a description can have.
fn read(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(file)?.take(LONGEST as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}

impl Loaded {
    /// Adds one file; mistakes are kept.
    pub fn add(&mut self, file: &str, text: &str) {
        match describe(file, text) {
            Ok(description) => {
                self.descriptions.retain(|other| other.id != description.id);
                self.descriptions.push(description);
            }
            Err(mistakes) => self.mistakes.extend(mistakes),
        }
    }

    fn miss(&mut self, path: &Path, told: String) {
        self.mistakes.push(Mistake { file: path.display().to_string(), line: 1, told });
    }
}

/// `app.xml` in the folder itself and in each folder in it, and other XML files in the folder itself, in the order of their names.
fn files_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    if folder.is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let inner = path.join("app.xml");
        if inner.is_file() {
            files.push(inner);
        } else if path.extension().is_some_and(|ending| ending == "xml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
