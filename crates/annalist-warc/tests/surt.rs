//! Keys and prefixes of addresses, as other tools make them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use annalist_warc::{surt_key, surt_prefix_form};

/// Addresses and the keys that the Python module `surt` 0.3.1, which pywb uses, makes of them.
const KEYS: &str = include_str!("surt_keys.tsv");

#[test]
fn keys_are_those_of_the_wayback_machine() {
    let mut wrong = Vec::new();
    for line in KEYS.lines() {
        let (url, key) = line.split_once('\t').unwrap();
        let url = url.replace("\\t", "\t");
        if surt_key(&url) != key {
            wrong.push(format!("{url}: {} instead of {key}", surt_key(&url)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_address_still_makes_a_key_of_one_word() {
    for url in [
        "http://a.test:port/x y",
        "http://a.test:99999/ x",
        "",
        " ",
        "http://",
        "http:///",
        "://",
        "a:",
        "?",
        "#",
        "filedesc: a\tb.warc",
    ] {
        assert!(!surt_key(url).contains(|c: char| c.is_ascii_whitespace()), "{url}");
    }
}

#[test]
fn scope_rules_see_domains_hosts_and_paths_as_prefixes() {
    for (url, form) in [
        ("http://www.Example.org/a/B?c=1", "http://(org,example,www,)/a/B?c=1"),
        ("https://example.org", "http://(org,example,)/"),
        ("https://example.org:443/x", "http://(org,example,)/x"),
        ("http://example.org:8080/x", "http://(org,example,:8080)/x"),
        ("http://user:pw@example.org/", "http://(org,example,)/"),
        ("http://127.0.0.1/x", "http://(127.0.0.1)/x"),
        ("urn:a:b", "urn:a:b"),
    ] {
        assert_eq!(surt_prefix_form(url), form);
    }
}
