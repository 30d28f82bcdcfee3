//! The keys of the store elsewhere that is told what the graph says.

use super::written::{duration, optional, text, whole};
use crate::spec::RemoteRules;
use crate::spec::shape::{SOME_TIME, Shape, TEXT};
use crate::spec::table::{Key, set};
use crate::url::CanonicalUrl;

const ADDRESS: Shape =
    Shape::Described("an address such as \"https://store.example/update\", without a password");

pub(in crate::spec) const REMOTE: &[Key<RemoteRules>] = &[
    Key {
        name: "update",
        shape: ADDRESS,
        meaning: "where a SPARQL 1.1 server takes updates",
        read: |rules, value| set(&mut rules.update, value.parsed(address).map(Some)),
        write: |rules| optional(rules.update.as_deref(), text),
    },
    Key {
        name: "graph_store",
        shape: ADDRESS,
        meaning: "where a server without updates speaks the SPARQL 1.1 Graph Store Protocol",
        read: |rules, value| set(&mut rules.graph_store, value.parsed(address).map(Some)),
        write: |rules| optional(rules.graph_store.as_deref(), text),
    },
    Key {
        name: "user",
        shape: TEXT,
        meaning: "who logs in, with the secret as password; without it the secret is a bearer token",
        read: |rules, value| set(&mut rules.user, value.text().map(Some)),
        write: |rules| optional(rules.user.as_deref(), text),
    },
    Key {
        name: "secret_env",
        shape: TEXT,
        meaning: "the environment variable that holds the password or token",
        read: |rules, value| set(&mut rules.secret_env, value.text().map(Some)),
        write: |rules| optional(rules.secret_env.as_deref(), text),
    },
    Key {
        name: "secret_file",
        shape: Shape::Described("the path of a file, from the root on"),
        meaning: "the file whose first line is the password or token",
        read: |rules, value| set(&mut rules.secret_file, value.parsed(path).map(Some)),
        write: |rules| optional(rules.secret_file.as_deref(), text),
    },
    Key {
        name: "batch",
        shape: Shape::Whole { least: 1, most: 1_000_000 },
        meaning: "statements in one request; some servers take no more than 10,000",
        read: |rules, value| set(&mut rules.batch, value.whole()),
        write: |rules| whole(rules.batch),
    },
    Key {
        name: "timeout",
        shape: SOME_TIME,
        meaning: "how long an answer is waited for",
        read: |rules, value| set(&mut rules.timeout, value.duration()),
        write: |rules| duration(rules.timeout),
    },
    Key {
        name: "tries",
        shape: Shape::Whole { least: 1, most: 100 },
        meaning: "how often a request is made before the server counts as away",
        read: |rules, value| set(&mut rules.tries, value.whole()),
        write: |rules| whole(rules.tries),
    },
    Key {
        name: "retry_delay",
        shape: SOME_TIME,
        meaning: "wait before the second try; doubles each time",
        read: |rules, value| set(&mut rules.retry_delay, value.duration()),
        write: |rules| duration(rules.retry_delay),
    },
];

/// From the root on: the spec that is kept with the job lies in another folder.
fn path(written: &str) -> Option<String> {
    let is_path = written.starts_with('/') && !written.chars().any(char::is_control);
    is_path.then(|| written.to_owned())
}

/// As it is written: what a server takes for its address is not ours to clean.
fn address(written: &str) -> Option<String> {
    CanonicalUrl::parse(written).ok()?;
    let url = url::Url::parse(written).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    is_plain.then(|| written.to_owned())
}
