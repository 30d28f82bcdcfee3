//! What a target's inputs are made from: the files of its corpus, seeds made in code, the words of its dictionary.

use std::io;
use std::path::{Path, PathBuf};

use crate::Target;

/// Seeds and words of one target.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    pub inputs: Vec<Vec<u8>>,
    pub words: Vec<Vec<u8>>,
}

impl Seeds {
    /// Reads the files of the target in this package, in the order of their names.
    pub fn of(target: &Target) -> io::Result<Seeds> {
        let mut paths: Vec<PathBuf> =
            corpus_dir(target).read_dir()?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        let mut inputs: Vec<Vec<u8>> = paths.iter().map(std::fs::read).collect::<io::Result<_>>()?;
        inputs.extend((target.made)());
        let words = words(&std::fs::read_to_string(dictionary_path(target))?);
        Ok(Seeds { inputs, words })
    }
}

pub fn corpus_dir(target: &Target) -> PathBuf {
    package().join("corpus").join(target.name)
}

pub fn dictionary_path(target: &Target) -> PathBuf {
    package().join("dictionaries").join(format!("{}.dict", target.name))
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The words of a dictionary in libFuzzer's syntax: one `"word"` a line, with `\\`, `\"` and `\xAB` as escapes.
fn words(dictionary: &str) -> Vec<Vec<u8>> {
    let quoted = |line: &str| {
        let inside = line.trim().strip_prefix('"')?.strip_suffix('"')?;
        Some(unescaped(inside.as_bytes()))
    };
    dictionary.lines().filter_map(quoted).collect()
}

fn unescaped(mut text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    while let Some((first, rest)) = text.split_first() {
        text = match (first, rest) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit =
                    |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok()).unwrap_or(0);
                plain.push(digit(*high) << 4 | digit(*low));
                after
            }
            (b'\\', [next, after @ ..]) => {
                plain.push(*next);
                after
            }
            _ => {
                plain.push(*first);
                rest
            }
        };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_read_with_their_escapes_and_comments_are_not() {
        let dictionary = "# a comment\n\"plain\"\n\n\"\\x0d\\x0A\"\n\"a\\\"b\\\\\"\nbroken\"\n";
        assert_eq!(words(dictionary), [b"plain".to_vec(), b"\r\n".to_vec(), b"a\"b\\".to_vec()]);
    }
}
