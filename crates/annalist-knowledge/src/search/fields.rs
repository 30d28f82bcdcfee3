//! Where what is kept of a page or object stands in the index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{TextAnalyzer, TokenizerManager};

use super::words::{WORDS, WordTokenizer};

/// Raised with every change of what is indexed; an index of another version is made again.
pub(super) const VERSION: u32 = 4;

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
    // The capture's name: what is taken out when it comes again.
    record: add_text_field STRING;
    // What annotations are given to.
    key: add_text_field STRING;
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
    // Milliseconds since 1970.
    published: add_i64_field FAST | INDEXED;
    captured: add_i64_field FAST | INDEXED;
    // Published, else captured.
    time: add_i64_field FAST;
    // Months since the year 0.
    published_month: add_u64_field FAST;
    captured_month: add_u64_field FAST;
    relevance: add_f64_field FAST;
    sentiment: add_f64_field FAST;
    // By which results are folded.
    simhash: add_u64_field FAST;
    digest: add_u64_field FAST;
    key_id: add_u64_field FAST;
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
