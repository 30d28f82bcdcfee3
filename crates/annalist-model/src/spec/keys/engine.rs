//! The keys that say how the crawler works: the frontier's order and means, how captures are kept, and which archives
//! they come from.

use super::written::{list, optional, size, text, whole, word};
use crate::spec::shape::{Shape, words};
use crate::spec::table::{Key, set};
use crate::spec::value::Value;
use crate::spec::{
    ArchiveRules, DigestKind, ExtractRules, FrontierRules, Order, SiteOrder, SnapshotChoice, Update,
};

pub(in crate::spec) const FRONTIER: &[Key<FrontierRules>] = &[
    Key {
        name: "order",
        shape: Shape::Word(words::<Order>),
        meaning: "which link of a site comes first",
        read: |rules, value| set(&mut rules.order, value.word()),
        write: |rules| word(rules.order),
    },
    Key {
        name: "update",
        shape: Shape::Word(words::<Update>),
        meaning: "what becomes of the scores that one link receives; when not set, the judge combines them, and max without a topic",
        read: |rules, value| set(&mut rules.update, value.word().map(Some)),
        write: |rules| optional(rules.update, word),
    },
    Key {
        name: "sites",
        shape: Shape::Word(words::<SiteOrder>),
        meaning: "which site comes first; when not set, best-link with a topic and round-robin without",
        read: |rules, value| set(&mut rules.site_order, value.word().map(Some)),
        write: |rules| optional(rules.site_order, word),
    },
    Key {
        name: "links_per_turn",
        shape: Shape::Whole { least: 1, most: 1000 },
        meaning: "links of one site in one turn",
        read: |rules, value| set(&mut rules.links_per_turn, value.whole()),
        write: |rules| whole(rules.links_per_turn),
    },
    Key {
        name: "memory",
        shape: Shape::Size { least: 16 << 20, most: 1 << 40 },
        meaning: "memory of the frontier; the rest is on disk",
        read: |rules, value| set(&mut rules.memory_bytes, value.size()),
        write: |rules| size(rules.memory_bytes),
    },
    Key {
        name: "visits",
        shape: Shape::Whole { least: 1, most: 10_000 },
        meaning: "visits in flight at once",
        read: |rules, value| set(&mut rules.visits, value.whole()),
        write: |rules| whole(rules.visits),
    },
    Key {
        name: "reading_threads",
        shape: Shape::Whole { least: 1, most: 256 },
        meaning: "threads that read pages",
        read: |rules, value| set(&mut rules.reading_threads, value.whole()),
        write: |rules| whole(rules.reading_threads),
    },
];

pub(in crate::spec) const ARCHIVE: &[Key<ArchiveRules>] = &[
    Key {
        name: "prefix",
        shape: Shape::Described("a text of letters, digits, - and _"),
        meaning: "first part of the WARC files' names; the collection's name when not set",
        read: |rules, value| set(&mut rules.prefix, value.parsed(file_prefix).map(Some)),
        write: |rules| optional(rules.prefix.as_deref(), text),
    },
    Key {
        name: "roll_size",
        shape: Shape::Size { least: 1 << 10, most: 1 << 50 },
        meaning: "a WARC file is closed when it has reached this size",
        read: |rules, value| set(&mut rules.roll_bytes, value.size()),
        write: |rules| size(rules.roll_bytes),
    },
    Key {
        name: "digest",
        shape: Shape::Word(words::<DigestKind>),
        meaning: "the digest of records and payloads",
        read: |rules, value| set(&mut rules.digest, value.word()),
        write: |rules| word(rules.digest),
    },
    Key {
        name: "compression",
        shape: Shape::Whole { least: 1, most: 12 },
        meaning: "level of gzip, 1 fastest, 12 smallest",
        read: |rules, value| set(&mut rules.compression_level, value.whole()),
        write: |rules| whole(rules.compression_level),
    },
];

pub(in crate::spec) const EXTRACT: &[Key<ExtractRules>] = &[
    Key {
        name: "archives",
        shape: Shape::List(&Shape::Described(
            "a WARC file, a folder, an index, or the address of a CDX server",
        )),
        meaning: "where the collection is taken from by `annalist extract`, beside what --archive names",
        read: |rules, value| set(&mut rules.archives, value.list(Value::text)),
        write: |rules| list(&rules.archives),
    },
    Key {
        name: "warcs",
        shape: Shape::List(&Shape::Described("a folder, or for a CDX server the address of one")),
        meaning: "where the WARC files are that an index names, when they are not near it",
        read: |rules, value| set(&mut rules.warcs, value.list(Value::text)),
        write: |rules| list(&rules.warcs),
    },
    Key {
        name: "snapshot",
        shape: Shape::Word(words::<SnapshotChoice>),
        meaning: "which snapshot of a page is taken: event is the earliest within the event, else the nearest to it",
        read: |rules, value| set(&mut rules.snapshot, value.word()),
        write: |rules| word(rules.snapshot),
    },
];

fn file_prefix(prefix: &str) -> Option<String> {
    let fine = !prefix.is_empty()
        && prefix.len() <= 100
        && prefix.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    fine.then(|| prefix.to_owned())
}
