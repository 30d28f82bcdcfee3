use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_frontier::{Change, Frontier, PARTS, Purpose, Settings, Transaction, Urgency, open};
use annalist_model::spec::{Expression, Spec};
use annalist_model::{CanonicalUrl, Link, LinkKind, Outcome, SkipReason, Time};

use super::Reopened;
use crate::scope::Scope;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

/// A seed at `http://a.test/`, with these sites blocked and these rules against links.
fn spec(blocked: &[&str], exclude: &[&str]) -> Spec {
    let text = "name = \"x\"\n[[seed]]\nurl = \"http://a.test/\"\nscope = \"domain\"\n";
    let mut spec = annalist_model::spec::parse(text, &|name| Err(name.to_owned())).spec.unwrap();
    spec.scope.blocked_sites = blocked.iter().map(|site| (*site).to_owned()).collect();
    let rule = |text: &&str| Expression { text: (*text).to_owned(), key: String::new(), line: 1 };
    spec.scope.exclude = exclude.iter().map(rule).collect();
    spec
}

fn found(path: &str) -> Link {
    Link::seed(url("http://a.test/"), 0).child(url(path), LinkKind::Anchor, "")
}

fn refused(link: Link, reason: SkipReason, detail: &str) -> Change {
    Change::Refused { link, reason, detail: detail.to_owned() }
}

fn blacklisted(address: &str) -> [Change; 2] {
    let outcome = Outcome::Skipped { reason: SkipReason::Blacklisted, detail: String::new() };
    let (key, purpose) = (url(address).key(), Purpose::Prerequisite);
    [
        refused(Link::injected(url(address)), SkipReason::Blacklisted, ""),
        Change::Done { key, outcome, place: None, digest: None, at: Time::default(), bytes: 0, purpose },
    ]
}

/// The frontier after a run by that spec in which this was found.
fn after_run(dir: &std::path::Path, spec: &Spec, changes: Vec<Change>) -> Frontier {
    let (mut frontier, mut journal) =
        open(Arc::new(RealDisk), dir, Settings::default(), Time::default()).unwrap();
    let mut all = vec![Change::Discovered {
        link: Link::seed(url("http://a.test/"), 0),
        value: 1.0,
        urgency: Urgency::Normal,
    }];
    all.extend(changes);
    let scope = Scope::compile(spec).unwrap();
    let begun = Reopened::of(spec, &scope, &frontier).unwrap();
    all.extend(begun.notes.into_iter().map(|(note, _)| note));
    let committed = journal.commit(&Transaction { changes: all }).unwrap();
    frontier.apply(committed).unwrap();
    frontier
}

/// What comes back by another spec.
fn brought_back(frontier: &Frontier, spec: &Spec) -> Vec<String> {
    let scope = Scope::compile(spec).unwrap();
    let reopened = Reopened::of(spec, &scope, frontier).unwrap();
    let keys: Vec<_> = (0..PARTS).flat_map(|part| frontier.refused_in(part).unwrap()).collect();
    let changes = super::in_scope_now(&keys, reopened.refused, spec, &scope, frontier).unwrap();
    let mut urls: Vec<String> = changes
        .iter()
        .filter_map(|(change, _)| match change {
            Change::Discovered { link, .. } => Some(link.url.as_str().to_owned()),
            _ => None,
        })
        .collect();
    urls.sort();
    urls
}

#[test]
fn a_block_that_is_lifted_brings_back_what_was_found_and_handed_over_meanwhile_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let before = spec(&["a.test", "b.test"], &[]);
    let mut changes = vec![
        refused(found("http://a.test/found"), SkipReason::Blocked, "a.test is blocked by the spec"),
        refused(found("http://b.test/beyond"), SkipReason::Blocked, "b.test is blocked by the spec"),
        refused(found("http://c.test/beyond"), SkipReason::OutOfScope, "in no seed's scope"),
        refused(found("http://a.test/unwanted"), SkipReason::Nofollow, "the link is marked"),
        refused(
            Link::injected(url("http://b.test/given")),
            SkipReason::Blocked,
            "b.test is blocked by the spec",
        ),
        refused(found("http://a.test/never"), SkipReason::Blocked, "a.test is blocked by the spec"),
    ];
    changes.extend(blacklisted("http://a.test/never"));
    let frontier = after_run(dir.path(), &before, changes);
    assert_eq!(brought_back(&frontier, &before), [""; 0]);
    assert_eq!(brought_back(&frontier, &spec(&["a.test"], &[])), ["http://b.test/given"]);
    assert_eq!(brought_back(&frontier, &spec(&[], &[])), ["http://a.test/found", "http://b.test/given"]);
}

#[test]
fn a_rule_that_is_taken_back_brings_back_what_it_alone_kept_out() {
    let dir = tempfile::tempdir().unwrap();
    let (of_links, of_pages) = ("path.startsWith('/x/')", "language == 'de'");
    let frontier = after_run(
        dir.path(),
        &spec(&[], &[of_links, of_pages]),
        vec![
            refused(found("http://a.test/x/1"), SkipReason::Excluded, of_links),
            refused(found("http://a.test/2"), SkipReason::Excluded, of_pages),
        ],
    );
    assert_eq!(brought_back(&frontier, &spec(&[], &[of_pages])), [""; 0], "its page may be German");
    assert_eq!(brought_back(&frontier, &spec(&[], &[of_links])), ["http://a.test/2"]);
    assert_eq!(
        brought_back(&frontier, &spec(&[], &["path == '/z'"])),
        ["http://a.test/2", "http://a.test/x/1"]
    );
}
