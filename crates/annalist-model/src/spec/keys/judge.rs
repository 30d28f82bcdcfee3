//! The keys that say how pages and links are judged.

use super::written::{decimal, list, text, whole, word};
use crate::spec::notes::did_you_mean;
use crate::spec::shape::{Shape, TEXT, words};
use crate::spec::table::{self, Key, Table, Written, set};
use crate::spec::value::Value;
use crate::spec::{JudgeRules, SIGNALS, ScorerKind, UrlPattern};

const SHARE: Shape = Shape::Decimal { least: 0.0, most: 1.0 };
const WEIGHT: Shape = Shape::Decimal { least: 0.0, most: 100.0 };

pub(in crate::spec) const JUDGE: &[Key<JudgeRules>] = &[
    Key {
        name: "scorer",
        shape: Shape::Word(words::<ScorerKind>),
        meaning: "whether the weights of signals adapt while crawling",
        read: |rules, value| set(&mut rules.scorer, value.word()),
        write: |rules| word(rules.scorer),
    },
    Key {
        name: "exploration",
        shape: SHARE,
        meaning: "share of pages that are fetched to see what is there, whatever their score",
        read: |rules, value| set(&mut rules.exploration, value.decimal()),
        write: |rules| decimal(rules.exploration),
    },
    Key {
        name: "greediness",
        shape: Shape::Whole { least: 1, most: 1_000_000 },
        meaning: "pages that are fetched in one order before links are put into a new one",
        read: |rules, value| set(&mut rules.greediness, value.whole()),
        write: |rules| whole(rules.greediness),
    },
    Key {
        name: "tunnel_decay",
        shape: SHARE,
        meaning: "what is left of a link's distance signal after each irrelevant page on the way",
        read: |rules, value| set(&mut rules.tunnel_decay, value.decimal()),
        write: |rules| decimal(rules.tunnel_decay),
    },
    Key {
        name: "remembered_links",
        shape: Shape::Whole { least: 1000, most: 100_000_000 },
        meaning: "waiting links whose score may still change; about 300 bytes of memory each",
        read: |rules, value| set(&mut rules.remembered_links, value.whole()),
        write: |rules| whole(rules.remembered_links),
    },
    Key {
        name: "spam",
        shape: Shape::List(&TEXT),
        meaning: "host names, or parts of addresses, that are never worth anything",
        read: |rules, value| set(&mut rules.spam, value.list(Value::text)),
        write: |rules| list(&rules.spam),
    },
    Key {
        name: "weights",
        shape: Shape::Described("a table of signals and weights"),
        meaning: "signal = how much it counts: 1.0 as usual, 0.0 not at all",
        read: |rules, value| set(&mut rules.weights, value.table().map(|table| weights(&table))),
        write: |rules| weights_table(&rules.weights),
    },
    Key {
        name: "pattern",
        shape: Shape::Described("tables written as [[judge.pattern]]"),
        meaning: "what addresses of a shape are worth",
        read: |rules, value| set(&mut rules.patterns, value.tables().map(|all| patterns(&all))),
        write: |rules| Written::Tables(rules.patterns.iter().map(pattern_table).collect()),
    },
];

pub(in crate::spec) const PATTERN: &[Key<UrlPattern>] = &[
    Key {
        name: "url",
        shape: TEXT,
        meaning: "an address in which * stands for anything, such as \"*/forum/*\"",
        read: |pattern, value| set(&mut pattern.url, value.text()),
        write: |pattern| text(&pattern.url),
    },
    Key {
        name: "score",
        shape: SHARE,
        meaning: "what such an address is worth; 0.0 for nothing at all",
        read: |pattern, value| set(&mut pattern.score, value.decimal()),
        write: |pattern| decimal(pattern.score),
    },
];

fn weights(table: &Table<'_>) -> Vec<(String, f64)> {
    let mut all = Vec::new();
    for (name, value) in table.each(WEIGHT) {
        let weight = value.decimal();
        if !SIGNALS.contains(&name) {
            let hint = did_you_mean(name, SIGNALS.into_iter());
            value.mistake(format!("there is no such signal{hint}; known are {}", SIGNALS.join(", ")));
        } else if let Some(weight) = weight {
            all.push((name.to_owned(), weight));
        }
    }
    all.sort_by_key(|(name, _)| SIGNALS.iter().position(|signal| signal == name));
    let is_off = |signal: &str| all.iter().any(|(name, weight)| name == signal && *weight == 0.0);
    if SIGNALS.into_iter().all(is_off) {
        table.notes().mistake(
            table.line(),
            "judge.weights",
            "every signal is turned off: nothing is left to judge by",
        );
    }
    all
}

fn weights_table(weights: &[(String, f64)]) -> Written {
    if weights.is_empty() {
        return Written::Absent;
    }
    let lines = weights.iter().map(|(name, weight)| format!("{name} = {weight:?}\n"));
    Written::Tables(format!("[judge.weights]\n{}", lines.collect::<String>()))
}

fn patterns(tables: &[Table<'_>]) -> Vec<UrlPattern> {
    let read = tables.iter().map(|table| {
        let mut pattern = UrlPattern::default();
        table.read(PATTERN, &mut pattern);
        for needed in ["url", "score"] {
            if !table.has(needed) {
                let message = format!("missing: a pattern needs a {needed}");
                table.notes().mistake(table.line(), &table.key_of(needed), message);
            }
        }
        pattern
    });
    read.collect()
}

fn pattern_table(pattern: &UrlPattern) -> String {
    format!("[[judge.pattern]]\n{}", table::written(PATTERN, pattern))
}
