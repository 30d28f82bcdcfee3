//! The pieces of words that a model knows (WordPiece), and where they stand in the text. Read from `tokenizer.json`, or else from
//! `vocab.txt`. Other ways to cut words are refused with their name.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::normal::{LONGEST_WORD, Letter, Normal};
use super::{ModelError, read_json};

/// A piece of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub id: u32,
    pub from: usize,
    pub to: usize,
    /// Whether a word begins here.
    pub begins: bool,
}

/// Cuts texts into pieces.
#[derive(Debug)]
pub(super) struct Pieces {
    ids: HashMap<Box<str>, u32>,
    normal: Normal,
    /// What stands before pieces that go on.
    prefix: Box<str>,
    longest: usize,
    unknown: u32,
    /// What a text begins and ends with.
    pub begin: u32,
    pub end: u32,
}

impl Pieces {
    pub(super) fn load(dir: &Path) -> Result<Pieces, ModelError> {
        let (whole, list) = (dir.join("tokenizer.json"), dir.join("vocab.txt"));
        if whole.is_file() {
            return Pieces::of_json(&read_json(&whole)?)
                .map_err(|what| ModelError::Wrong { path: whole.display().to_string(), what });
        }
        if !list.is_file() {
            let what = "it has neither tokenizer.json nor vocab.txt; models with WordPiece pieces (BERT and its kin) are supported, \
                        SentencePiece and byte-pair ones are not"
                .to_owned();
            return Err(ModelError::Wrong { path: dir.display().to_string(), what });
        }
        let settings = dir.join("tokenizer_config.json");
        let settings = if settings.is_file() { read_json(&settings)? } else { Value::Null };
        let text = std::fs::read_to_string(&list)
            .map_err(|source| ModelError::Io { path: list.display().to_string(), source })?;
        let ids = (0..).zip(text.lines()).map(|(id, piece)| (piece.into(), id)).collect();
        let flag = |name: &str| settings.get(name).and_then(Value::as_bool);
        let lowercase = flag("do_lower_case").unwrap_or(true);
        let normal = Normal {
            clean: true,
            ideographs_alone: flag("tokenize_chinese_chars").unwrap_or(true),
            strip_accents: flag("strip_accents").unwrap_or(lowercase),
            lowercase,
        };
        Pieces::new(ids, normal, "##", 100, "[UNK]")
            .map_err(|what| ModelError::Wrong { path: list.display().to_string(), what })
    }

    fn of_json(json: &Value) -> Result<Pieces, String> {
        let kind = |part: &Value| part.get("type").and_then(Value::as_str).unwrap_or("none").to_owned();
        let (model, normal, split) = (&json["model"], &json["normalizer"], &json["pre_tokenizer"]);
        if kind(model) != "WordPiece" && model.get("continuing_subword_prefix").is_none() {
            return Err(format!("its pieces are of the kind {:?}; WordPiece is supported", kind(model)));
        }
        if kind(normal) != "BertNormalizer" || kind(split) != "BertPreTokenizer" {
            return Err(format!(
                "words are made by {:?} and {:?}; BertNormalizer and BertPreTokenizer are supported",
                kind(normal),
                kind(split)
            ));
        }
        let flag = |name: &str| normal.get(name).and_then(Value::as_bool);
        let lowercase = flag("lowercase").unwrap_or(true);
        let normal = Normal {
            clean: flag("clean_text").unwrap_or(true),
            ideographs_alone: flag("handle_chinese_chars").unwrap_or(true),
            strip_accents: flag("strip_accents").unwrap_or(lowercase),
            lowercase,
        };
        let vocabulary = model.get("vocab").and_then(Value::as_object).ok_or("it has no vocabulary")?;
        let ids = vocabulary
            .iter()
            .map(|(piece, id)| {
                let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
                Ok((piece.as_str().into(), id.ok_or_else(|| format!("the piece {piece:?} has no number"))?))
            })
            .collect::<Result<HashMap<Box<str>, u32>, String>>()?;
        let text =
            |name: &str, other: &str| model.get(name).and_then(Value::as_str).unwrap_or(other).to_owned();
        let longest = model.get("max_input_chars_per_word").and_then(Value::as_u64).unwrap_or(100);
        let longest = usize::try_from(longest).unwrap_or(LONGEST_WORD).min(LONGEST_WORD);
        Pieces::new(
            ids,
            normal,
            &text("continuing_subword_prefix", "##"),
            longest,
            &text("unk_token", "[UNK]"),
        )
    }

    fn new(
        ids: HashMap<Box<str>, u32>,
        normal: Normal,
        prefix: &str,
        longest: usize,
        unknown: &str,
    ) -> Result<Pieces, String> {
        let id = |piece: &str| {
            ids.get(piece).copied().ok_or_else(|| format!("the vocabulary has no piece {piece:?}"))
        };
        let (unknown, begin, end) = (id(unknown)?, id("[CLS]")?, id("[SEP]")?);
        Ok(Pieces { ids, normal, prefix: prefix.into(), longest, unknown, begin, end })
    }

    /// The highest number a piece has.
    pub(super) fn last(&self) -> u32 {
        self.ids.values().copied().max().unwrap_or(0)
    }

    /// All pieces of a text, in order.
    pub(super) fn cut(&self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut buffer = String::new();
        self.normal.words(text, |word| self.cut_word(word, &mut buffer, &mut pieces));
        pieces
    }

    fn cut_word(&self, word: &[Letter], buffer: &mut String, pieces: &mut Vec<Piece>) {
        let first = pieces.len();
        let mut at = 0;
        while at < word.len() && word.len() <= self.longest {
            let Some((end, id)) = self.longest_piece(word, at, buffer) else { break };
            let part = word.get(at..end).unwrap_or_default();
            let (Some(one), Some(last)) = (part.first(), part.last()) else { break };
            pieces.push(Piece { id, from: one.from, to: last.to, begins: at == 0 });
            at = end;
        }
        if at < word.len() {
            // What cannot be put together of known pieces is unknown as a whole.
            pieces.truncate(first);
            if let (Some(one), Some(last)) = (word.first(), word.last()) {
                pieces.push(Piece { id: self.unknown, from: one.from, to: last.to, begins: true });
            }
        }
    }

    /// Where the longest known piece that begins at a letter ends.
    fn longest_piece(&self, word: &[Letter], at: usize, buffer: &mut String) -> Option<(usize, u32)> {
        buffer.clear();
        if at > 0 {
            buffer.push_str(&self.prefix);
        }
        buffer.extend(word.get(at..)?.iter().map(|letter| letter.letter));
        let mut end = word.len();
        while end > at {
            if let Some(id) = self.ids.get(buffer.as_str()) {
                return Some((end, *id));
            }
            buffer.pop();
            end -= 1;
        }
        None
    }
}

#[cfg(test)]
impl Pieces {
    /// A vocabulary of these pieces, numbered in their order behind the special ones.
    pub(super) fn of(pieces: &[&str], normal: Normal) -> Pieces {
        let all = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].into_iter().chain(pieces.iter().copied());
        let ids = all.zip(0..).map(|(piece, id)| (piece.into(), id)).collect();
        Pieces::new(ids, normal, "##", 100, "[UNK]").unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::{Normal, Pieces};

    #[test]
    fn the_longest_known_pieces_are_taken_with_their_places() {
        let pieces = Pieces::of(&["un", "##aff", "##able", "##a", "!"], Normal::default());
        let text = "Ünaffable! unaffx";
        let cut: Vec<_> = pieces
            .cut(text)
            .iter()
            .map(|piece| (piece.id, &text[piece.from..piece.to], piece.begins))
            .collect();
        let expected =
            [(4, "Ün", true), (5, "aff", false), (6, "able", false), (8, "!", true), (1, "unaffx", true)];
        assert_eq!(cut, expected);
    }

    /// `tests/model/make_pieces.py` recorded what Hugging Face's tokenizer makes of texts in many scripts.
    #[test]
    fn pieces_and_places_are_those_of_the_tokenizer_that_models_are_taught_with() {
        for recorded in [
            include_str!("../../../../tests/model/pieces-cased.json"),
            include_str!("../../../../tests/model/pieces-uncased.json"),
        ] {
            let recorded: serde_json::Value = serde_json::from_str(recorded).unwrap();
            let pieces = Pieces::of_json(&recorded["tokenizer"]).unwrap();
            for one in recorded["texts"].as_array().unwrap() {
                let cut = pieces.cut(one["text"].as_str().unwrap());
                let ids: Vec<u32> = cut.iter().map(|piece| piece.id).collect();
                let spans: Vec<[usize; 2]> = cut.iter().map(|piece| [piece.from, piece.to]).collect();
                assert_eq!(serde_json::json!(ids), one["ids"], "{}", one["text"]);
                assert_eq!(serde_json::json!(spans), one["spans"], "{}", one["text"]);
            }
        }
    }

    #[test]
    fn any_text_is_cut_within_it() {
        let pieces = Pieces::of(&["a", "##a", "希"], Normal::default());
        let long = "a".repeat(1 << 20);
        assert_eq!(pieces.cut(&long).len(), 1);
        for text in ["", "\0\u{fffd}\u{200b}", "a\u{301}", "希a希", "\u{e000}", "🏳️‍🌈 aaa ﬁ ǅ"]
        {
            for piece in pieces.cut(text) {
                assert!(text.get(piece.from..piece.to).is_some(), "{text:?} {piece:?}");
            }
        }
    }
}
