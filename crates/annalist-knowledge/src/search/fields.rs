//! Where what is kept of a page or object stands in the index.

use tantivy::schema::{
    FAST, Field, IndexRecordOption, NumericOptions, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager};
use xxhash_rust::xxh3::xxh3_64;

use super::words::{WORDS, WordTokenizer};

/// Raised with every change of what is indexed; an index of another version is made again.
pub(super) const VERSION: u32 = 8;

macro_rules! fields {
    ($($name:ident: $kind:ident $options:expr;)*) => {
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Fields { $(pub $name: Field),* }

        impl Fields {
            pub(super) fn new() -> (Fields, Schema) {
                let mut schema = Schema::builder();
                let fields = Fields { $($name: schema.$kind(stringify!($name), $options)),* };
                (fields, schema.build())
            }
        }
    };
}

fields! {
    // The capture's name, as a number: what is taken out when it comes again. Names are long and each is another: as words
    // they would be as much work as all the text has.
    record_id: add_u64_field found();
    // Everything but the text, and the text.
    entry: add_bytes_field STORED;
    text: add_text_field words().set_stored();
    title: add_text_field words();
    url: add_text_field words();
    site: add_text_field label();
    host: add_text_field label();
    language: add_text_field label();
    kind: add_text_field label();
    application: add_text_field label();
    mime: add_text_field label();
    author: add_text_field named();
    topic: add_text_field named();
    entity: add_text_field named();
    event: add_text_field named();
    // Milliseconds since 1970. Spans of time are looked for in the columns. When it was published by the clock of who wrote it:
    // people look for the day that stands on the page.
    published: add_i64_field FAST;
    captured: add_i64_field FAST;
    // Published, else captured.
    time: add_i64_field FAST;
    // Months since the year 0, by the same clock.
    published_month: add_u64_field FAST;
    relevance: add_f64_field FAST;
    sentiment: add_f64_field FAST;
    // By which results are folded.
    simhash: add_u64_field FAST;
    digest: add_u64_field FAST;
    // Also what annotations are given to.
    key_id: add_u64_field found().set_fast();
    stands_for: add_u64_field FAST;
    // Puts in order what is equal otherwise, the same in every index of the same archive.
    id: add_u64_field FAST;
}

fn words() -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(WORDS)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions),
    )
}

/// Found by it alone.
fn found() -> NumericOptions {
    NumericOptions::default().set_indexed()
}

/// The number by which a capture, a page or an object is found. Who finds another by it sees that its name is another.
pub(super) fn number_of(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// Counted as it is, and found by it alone.
fn label() -> TextOptions {
    STRING.set_fast("raw")
}

/// Counted as it is, and found by its words.
fn named() -> TextOptions {
    words().set_fast("raw")
}

pub(super) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(WORDS, TextAnalyzer::from(WordTokenizer));
    tokenizers
}
