//! The keys that say what is made of the archive.

use super::written::{duration, flag, optional, size, text};
use crate::spec::shape::{SOME_TIME, Shape};
use crate::spec::table::{Key, set};
use crate::spec::{KnowledgeRules, StudyRules};

pub(in crate::spec) const KNOWLEDGE: &[Key<KnowledgeRules>] = &[
    Key {
        name: "graph",
        shape: Shape::Flag,
        meaning: "keep statements about what was captured, for `annalist query`, while the crawl runs",
        read: |rules, value| set(&mut rules.graph, value.flag()),
        write: |rules| flag(rules.graph),
    },
    Key {
        name: "search",
        shape: Shape::Flag,
        meaning: "keep an index of all words, for `annalist search`, while the crawl runs",
        read: |rules, value| set(&mut rules.search, value.flag()),
        write: |rules| flag(rules.search),
    },
    Key {
        name: "memory",
        shape: Shape::Size { least: 64 << 20, most: 1 << 40 },
        meaning: "memory of graph and search index; the rest is on disk",
        read: |rules, value| set(&mut rules.memory_bytes, value.size()),
        write: |rules| size(rules.memory_bytes),
    },
    Key {
        name: "every",
        shape: SOME_TIME,
        meaning: "how often graph and search index are brought up to the archive while the crawl runs",
        read: |rules, value| set(&mut rules.every, value.duration()),
        write: |rules| duration(rules.every),
    },
];

pub(in crate::spec) const STUDY: &[Key<StudyRules>] = &[Key {
    name: "model",
    shape: Shape::Described("the folder of an ONNX model"),
    meaning: "a model that marks names of people, places and organisations for `annalist study`; docs/study.md says which can be used",
    read: |rules, value| set(&mut rules.model, value.text().map(Some)),
    write: |rules| optional(rules.model.as_deref(), text),
}];
