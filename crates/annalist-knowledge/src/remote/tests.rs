//! A server that exists in memory only, with the moods of real ones.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::time::Duration;

use annalist_model::spec::RemoteRules;
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, Quad, Term};
use proptest::prelude::*;
use spargebra::{GraphUpdateOperation, SparqlParser};

use super::wording::{Source, Wording};
use super::{Answer, Carrier, Change, Fault, Remote, Request};
use crate::derived::{Derived, DerivedError, Mark};
use crate::graph::{Layer, LayerSettings};
use crate::stores::Places;

/// Statements of SPARQL and ours, told alike.
macro_rules! told {
    ($quad:expr) => {{
        let quad = $quad;
        format!("{} {} {} {}", quad.subject, quad.predicate, quad.object, quad.graph_name)
    }};
}

#[derive(Default)]
struct Server {
    /// Statements, and the graphs that are listed as those of jobs.
    has: BTreeSet<String>,
    listed: BTreeSet<String>,
    /// It takes anything.
    takes_nonsense: bool,
    answers_with_pages: bool,
    cleared: usize,
    probed: usize,
    /// What it answers next, before it does as it is told.
    moods: VecDeque<Answer>,
    /// A word that it does not like.
    dislikes: Option<&'static str>,
    /// Those that tell something.
    requests: usize,
    waits: Vec<Duration>,
}

fn status(status: u16) -> Answer {
    Answer::Status { status, told: "because".to_owned(), is_page: false, retry_after: None, location: None }
}

fn page() -> Answer {
    let told = "<title>Log in</title>".to_owned();
    Answer::Status { status: 200, told, is_page: true, retry_after: None, location: None }
}

impl Server {
    /// One of the updates that clear a job's graphs, as SPARQL means it.
    fn clear(&mut self, update: &str) -> Answer {
        SparqlParser::new().parse_update(update).unwrap();
        self.cleared += 1;
        if update.starts_with("DROP") {
            let begins = format!("{}:", update.split(['<', '>']).nth(1).unwrap());
            self.listed.retain(|graph| !graph.starts_with(&begins));
            return status(204);
        }
        let quoted = |behind: &str| {
            let (_, rest) = update.split_once(behind)?;
            rest.split('"').nth(1).map(str::to_owned)
        };
        let begins = quoted("STRSTARTS(STR(?graph), ").unwrap();
        let ends = quoted("STRENDS(STR(?graph), ").unwrap_or_default();
        let listed = &self.listed;
        self.has.retain(|line| {
            let graph = line.rsplit_once(' ').unwrap().1.trim_matches(['<', '>']);
            !(listed.contains(graph) && graph.starts_with(&begins) && graph.ends_with(&ends))
        });
        status(204)
    }
}

impl Carrier for Server {
    fn carry(&mut self, request: &Request<'_>) -> Answer {
        if self.takes_nonsense {
            return page();
        }
        if request.body.starts_with("DELETE { GRAPH ?graph") || request.body.starts_with("DROP") {
            return self.clear(request.body);
        }
        if request.body.starts_with("This is no") {
            self.probed += 1;
            return status(400);
        }
        self.requests += 1;
        if let Some(mood) = self.moods.pop_front() {
            return mood;
        }
        if self.dislikes.is_some_and(|word| request.body.contains(word)) {
            return status(400);
        }
        let Ok(update) = SparqlParser::new().parse_update(request.body) else { return status(400) };
        for operation in update.operations {
            match operation {
                GraphUpdateOperation::InsertData { data } => {
                    for quad in &data {
                        if quad.predicate.as_str().ends_with("/dc/terms/source") {
                            self.listed.insert(quad.subject.to_string().trim_matches(['<', '>']).to_owned());
                        } else {
                            self.has.insert(told!(quad));
                        }
                    }
                }
                GraphUpdateOperation::DeleteData { data } => {
                    for quad in &data {
                        if quad.predicate.as_str().ends_with("/dc/terms/source") {
                            self.listed.remove(quad.subject.to_string().trim_matches(['<', '>']));
                        } else {
                            self.has.remove(&told!(quad));
                        }
                    }
                }
                _ => return status(400),
            }
        }
        if self.answers_with_pages { page() } else { status(204) }
    }

    fn wait(&mut self, long: Duration) -> bool {
        self.waits.push(long);
        true
    }
}

fn rules() -> RemoteRules {
    RemoteRules { update: Some("http://store.test/update".to_owned()), ..RemoteRules::default() }
}

fn node(name: &str) -> NamedNode {
    NamedNode::new(format!("http://a.test/{name}")).unwrap()
}

fn quad(object: impl Into<Term>) -> Quad {
    Quad::new(node("s"), node("p"), object, GraphName::NamedNode(node("g")))
}

fn numbered(count: usize) -> Vec<Quad> {
    (0..count).map(|n| quad(Literal::new_simple_literal(format!("text {n}")))).collect()
}

/// Tells the server all of them at once.
fn tell(dir: &Path, server: &mut Server, rules: &RemoteRules, quads: &[Quad]) -> Result<(), DerivedError> {
    let mut remote = Remote::open(dir, rules, server, "job")?;
    for quad in quads {
        remote.take(Change::Insert, Source::Archive, quad)?;
    }
    remote.deliver(Change::Insert)?;
    remote.write()
}

fn fault(told: Result<(), DerivedError>) -> Fault {
    match told {
        Err(DerivedError::Remote(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_stumbles_is_asked_again_after_ever_longer_waits() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server { moods: [status(500), status(500)].into(), ..Server::default() };
    tell(dir.path(), &mut server, &rules(), &numbered(3)).unwrap();
    assert_eq!(server.has.len(), 3);
    assert_eq!(server.waits, [1, 2].map(Duration::from_secs));
}

#[test]
fn a_server_that_asks_for_a_rest_gets_it_and_one_that_is_away_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let busy = |seconds| Answer::Status {
        status: 503,
        told: String::new(),
        is_page: false,
        retry_after: Some(Duration::from_secs(seconds)),
        location: None,
    };
    let mut server = Server { moods: [busy(7)].into(), ..Server::default() };
    tell(dir.path(), &mut server, &rules(), &numbered(1)).unwrap();
    assert_eq!(server.waits, [Duration::from_secs(7)]);
    let mut server = Server { moods: [busy(3600)].into(), ..Server::default() };
    assert!(matches!(fault(tell(dir.path(), &mut server, &rules(), &numbered(1))), Fault::Away(_)));
    let nobody = Answer::None("no connection".to_owned());
    let mut server = Server { moods: vec![nobody; 9].into(), ..Server::default() };
    let why = fault(tell(dir.path(), &mut server, &rules(), &numbered(1))).to_string();
    assert_eq!((why.as_str(), server.requests), ("the remote store is away: no connection", 4));
}

#[test]
fn what_a_server_refuses_is_written_down_and_the_rest_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server { dislikes: Some("text 77\""), ..Server::default() };
    tell(dir.path(), &mut server, &rules(), &numbered(200)).unwrap();
    assert_eq!(server.has.len(), 199);
    assert!(server.requests < 30, "{} requests", server.requests);
    let refused = std::fs::read_to_string(dir.path().join("refused.jsonl")).unwrap();
    assert!(refused.contains("text 77") && refused.lines().count() == 1, "{refused}");
    assert_eq!(Remote::open(dir.path(), &rules(), &mut server, "job").unwrap().told().refused, 1);
}

#[test]
fn a_batch_that_is_answered_with_500_for_ever_is_taken_apart_too() {
    let dir = tempfile::tempdir().unwrap();
    // The whole often enough, then nothing is taken, then the first half is not.
    let mut server = Server { moods: vec![status(500); 4].into(), ..Server::default() };
    tell(dir.path(), &mut server, &rules(), &numbered(2)).unwrap();
    assert_eq!((server.has.len(), server.requests), (2, 7));
}

#[test]
fn a_server_that_refuses_everything_is_told_nothing_more() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server { moods: vec![status(400); 9].into(), ..Server::default() };
    let why = fault(tell(dir.path(), &mut server, &rules(), &numbered(5)));
    assert!(why.to_string().contains("takes nothing"), "{why}");
    assert_eq!(server.requests, 2);
    // One that takes nothing but the empty request.
    let mut server = Server { dislikes: Some("text"), ..Server::default() };
    let why = fault(tell(dir.path(), &mut server, &rules(), &numbered(500)));
    assert!(why.to_string().contains("refuses everything"), "{why}");
}

#[test]
fn logins_redirects_and_wrong_addresses_are_for_people_and_not_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = Answer::Status {
        status: 307,
        told: String::new(),
        is_page: false,
        retry_after: None,
        location: Some("http://evil.test/".to_owned()),
    };
    for (answer, word) in [
        (status(401), "check user and secret"),
        (status(403), "check user and secret"),
        (status(404), "nothing can be told at this address"),
        (elsewhere, "it leads to http://evil.test/"),
        (Answer::Never("address refused".to_owned()), "address refused"),
    ] {
        let mut server = Server { moods: [answer].into(), ..Server::default() };
        let why = fault(tell(dir.path(), &mut server, &rules(), &numbered(5)));
        assert!(matches!(&why, Fault::Denied(told) if told.contains(word)), "{why}");
        assert_eq!(server.requests, 1);
    }
}

#[test]
fn a_name_that_would_end_the_statement_is_not_sent() {
    let dir = tempfile::tempdir().unwrap();
    let evil = NamedNode::new_unchecked("http://a.test/> } } ; DROP ALL ; INSERT DATA { <x:");
    let escaped = NamedNode::new_unchecked("http://a.test/\\u003E");
    let tagged = Literal::new_language_tagged_literal_unchecked("x", "en } DROP ALL");
    let mut server = Server::default();
    let all = [quad(evil), quad(escaped), quad(tagged), quad(node("good"))];
    tell(dir.path(), &mut server, &rules(), &all).unwrap();
    assert_eq!(server.has.len(), 1, "{:?}", server.has);
    let refused = std::fs::read_to_string(dir.path().join("refused.jsonl")).unwrap();
    assert_eq!(refused.lines().count(), 3);
}

/// As a server does it that looks for \uXXXX before anything else.
fn unescaped_early(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let code = behind.get(2..6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        out.extend(code.and_then(char::from_u32));
        rest = &behind[6..];
    }
    out + rest
}

proptest! {
    #[test]
    fn any_text_arrives_unchanged(words in "(?s).{0,40}", odd in "[\\\\u0-9\"\n\r\t{}<>.@^']{0,30}") {
        for text in [&words, &odd] {
            for literal in [
                Literal::new_simple_literal(text.as_str()),
                Literal::new_language_tagged_literal(text.as_str(), "de-AT-1996").unwrap(),
                Literal::new_typed_literal(text.as_str(), node("type")),
            ] {
                let quad = quad(literal);
                let quad = Quad { graph_name: GraphName::NamedNode(node("g")), ..quad };
                let mut said = Wording::of("job").said(Source::Archive, &quad).unwrap();
                assert_eq!(said.graph, "urn:annalist:job:job:archive:http://a.test/g");
                said.graph = "http://a.test/g".to_owned();
                let update = super::wording::update(Change::Insert, &[said]);
                let early = unescaped_early(&update);
                let mut read = vec![&update];
                // What was a control character is one again, and no server's grammar minds.
                if !text.chars().any(|c| c.is_control()) {
                    read.push(&early);
                }
                for update in read {
                    let parsed = SparqlParser::new().parse_update(update).unwrap();
                    let [GraphUpdateOperation::InsertData { data }] = parsed.operations.as_slice() else { panic!() };
                    prop_assert_eq!(data.iter().map(|quad| told!(quad)).collect::<Vec<_>>(), [told!(&quad)]);
                }
            }
        }
    }
}

/// Writes the layer of imports anew.
fn import(job: &Path, quads: &[Quad]) {
    let dir = Places::of(job).imported();
    let mut layer =
        Layer::open(std::sync::Arc::new(annalist_disk::RealDisk), &dir, LayerSettings::default()).unwrap();
    layer.clear();
    quads.iter().for_each(|quad| layer.insert(quad).unwrap());
    layer.commit(b"").unwrap();
}

fn tell_layers(job: &Path, server: &mut Server) -> Result<bool, DerivedError> {
    let places = Places::of(job);
    let mut remote = Remote::open(&places.remote(), &rules(), server, "job").unwrap();
    remote.tell_layers(&places)
}

#[test]
fn what_was_imported_is_told_once_and_taken_back_when_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::default();
    server.has.insert("something of others".to_owned());
    let all = numbered(30);
    import(dir.path(), &all);
    assert!(tell_layers(dir.path(), &mut server).unwrap());
    assert_eq!(server.has.len(), 31);
    let before = server.requests;
    assert!(!tell_layers(dir.path(), &mut server).unwrap());
    assert_eq!(server.requests, before);
    import(dir.path(), &all[..10]);
    assert!(tell_layers(dir.path(), &mut server).unwrap());
    assert_eq!((server.has.len(), server.listed.len()), (11, 1));
    import(dir.path(), &[]);
    assert!(tell_layers(dir.path(), &mut server).unwrap());
    assert_eq!(server.listed, BTreeSet::new(), "a graph in which nothing is left is no graph of the job");
    assert_eq!(server.has, BTreeSet::from(["something of others".to_owned()]));
}

#[test]
fn what_the_archive_says_too_is_not_taken_back_with_an_import() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::default();
    let all = numbered(3);
    tell(&Places::of(dir.path()).remote(), &mut server, &rules(), &all).unwrap();
    import(dir.path(), &all);
    tell_layers(dir.path(), &mut server).unwrap();
    assert_eq!(server.has.len(), 6, "by both");
    import(dir.path(), &[]);
    assert!(tell_layers(dir.path(), &mut server).unwrap());
    assert_eq!(server.has, told_as("archive", &all));
}

fn told_as(source: &str, quads: &[Quad]) -> BTreeSet<String> {
    let graph = NamedNode::new(format!("urn:annalist:job:job:{source}:http://a.test/g")).unwrap();
    quads.iter().map(|quad| told!(Quad { graph_name: graph.clone().into(), ..quad.clone() })).collect()
}

#[test]
fn another_job_is_not_touched_whatever_one_takes_back() {
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut server = Server::default();
    for (dir, id) in [(&one, "one"), (&other, "other")] {
        import(dir.path(), &numbered(5));
        let places = Places::of(dir.path());
        Remote::open(&places.remote(), &rules(), &mut server, id).unwrap().tell_layers(&places).unwrap();
    }
    assert_eq!(server.has.len(), 10);
    import(one.path(), &[]);
    for again in [false, true] {
        let places = Places::of(one.path());
        let mut remote = Remote::open(&places.remote(), &rules(), &mut server, "one").unwrap();
        if again {
            remote.forget().unwrap();
        }
        remote.tell_layers(&places).unwrap();
        assert_eq!(server.has.iter().filter(|line| line.contains("job:other:added:")).count(), 5);
        assert_eq!(server.has.len(), 5);
    }
}

#[test]
fn where_nobody_knows_what_the_server_has_it_is_cleared_first_however_often_that_breaks_off() {
    type Losing = fn(&Path);
    let ways: [Losing; 4] = [
        |dir| std::fs::write(dir.join("state.json"), "{").unwrap(),
        |dir| std::fs::remove_file(dir.join("state.json")).unwrap(),
        |dir| std::fs::remove_dir_all(dir.join("sent")).unwrap(),
        |dir| std::fs::remove_dir_all(dir).unwrap(),
    ];
    for lose in ways {
        let dir = tempfile::tempdir().unwrap();
        let places = Places::of(dir.path());
        let mut server = Server::default();
        let all = numbered(3000);
        import(dir.path(), &all);
        tell(&places.remote(), &mut server, &rules(), &all[..4]).unwrap();
        tell_layers(dir.path(), &mut server).unwrap();
        assert_eq!(server.has.len(), 3004);
        import(dir.path(), &all[..5]);
        lose(&places.remote());
        for left in 0..20 {
            let mut broken = Breaking { server: &mut server, left };
            let mut remote = Remote::open(&places.remote(), &rules(), &mut broken, "job").unwrap();
            let told = remote.tell_layers(&places);
            assert!(told.is_err() || left == 19, "{left}");
        }
        tell_layers(dir.path(), &mut server).unwrap();
        assert_eq!(server.has, told_as("added", &all[..5]));
        // Known now: nothing is cleared again.
        let cleared = server.cleared;
        import(dir.path(), &all[..6]);
        tell_layers(dir.path(), &mut server).unwrap();
        assert_eq!((server.has.len(), server.cleared), (6, cleared));
    }
}

#[test]
fn nothing_counts_as_told_by_one_who_takes_anything() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server { takes_nonsense: true, ..Server::default() };
    let why = fault(tell(dir.path(), &mut server, &rules(), &numbered(5))).to_string();
    assert!(why.contains("is no SPARQL server") && why.contains("Log in"), "{why}");
    assert_eq!(Remote::open(dir.path(), &rules(), &mut server, "job").unwrap().told().statements, 0);
    // One who answers with pages is asked again before it is kept what it was told.
    let mut server = Server { answers_with_pages: true, ..Server::default() };
    tell(dir.path(), &mut server, &rules(), &numbered(5)).unwrap();
    assert_eq!((server.has.len(), server.probed), (5, 2));
    let mut remote = Remote::open(dir.path(), &rules(), &mut server, "job").unwrap();
    remote.take(Change::Insert, Source::Archive, &quad(node("x"))).unwrap();
    remote.commit(&Mark { files: [("a.warc.gz".to_owned(), 7)].into(), ..Mark::default() }).unwrap();
    // A login page comes up later.
    let mut login = Server { takes_nonsense: true, ..Server::default() };
    let mut remote = Remote::open(dir.path(), &rules(), &mut login, "job").unwrap();
    remote.take(Change::Insert, Source::Archive, &quad(node("y"))).unwrap();
    remote.added = 1;
    remote.commit(&Mark { files: [("a.warc.gz".to_owned(), 9)].into(), ..Mark::default() }).unwrap_err();
    // Also where it is written down why.
    remote.note(Some("a login page".to_owned())).unwrap();
    let remote = Remote::open(dir.path(), &rules(), &mut login, "job").unwrap();
    assert_eq!((remote.told().mark.of("a.warc.gz"), remote.told().captures), (7, 0));
    assert_eq!(remote.told().trouble.as_deref(), Some("a login page"));
}

#[test]
fn what_an_interrupted_attempt_told_can_be_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let all = numbered(3000);
    import(dir.path(), &all);
    // The first batch arrives, the second does not.
    let mut taken = Server::default();
    {
        let places = Places::of(dir.path());
        let mut broken = Breaking { server: &mut taken, left: CLEARING + 1 };
        let mut remote = Remote::open(&places.remote(), &rules(), &mut broken, "job").unwrap();
        assert!(remote.tell_layers(&places).is_err());
    }
    assert_eq!(taken.has.len(), 999, "and an entry in the list of graphs");
    // Meanwhile nearly everything was taken back.
    import(dir.path(), &all[..5]);
    assert!(tell_layers(dir.path(), &mut taken).unwrap());
    assert_eq!(taken.has, told_as("added", &all[..5]));
}

/// Requests until a server is cleared, and known to be one.
const CLEARING: usize = 19;

struct Breaking<'a> {
    server: &'a mut Server,
    left: usize,
}

impl Carrier for Breaking<'_> {
    fn carry(&mut self, request: &Request<'_>) -> Answer {
        if self.left == 0 {
            return Answer::Stopped;
        }
        self.left -= 1;
        self.server.carry(request)
    }
    fn wait(&mut self, _: Duration) -> bool {
        true
    }
}

#[test]
fn what_has_no_name_gets_one_that_is_the_same_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::default();
    let nameless = quad(BlankNode::new("ann-1-x").unwrap());
    for _ in 0..2 {
        tell(dir.path(), &mut server, &rules(), std::slice::from_ref(&nameless)).unwrap();
    }
    let has: Vec<&String> = server.has.iter().collect();
    assert!(matches!(has.as_slice(), [one] if one.contains("<urn:annalist:blank:job:ann-1-x>")), "{has:?}");
}

#[test]
fn another_server_is_told_from_the_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::default();
    tell(dir.path(), &mut server, &rules(), &numbered(3)).unwrap();
    let other = RemoteRules { update: Some("http://other.test/".to_owned()), ..rules() };
    let statements = |rules: &RemoteRules, server: &mut Server| {
        Remote::open(dir.path(), rules, server, "job").unwrap().told().statements
    };
    assert_eq!(statements(&rules(), &mut server), 3);
    assert_eq!(statements(&other, &mut server), 0);
}

#[test]
fn a_graph_store_is_told_each_graph_for_itself() {
    struct Seen(Vec<(String, String)>);
    impl Carrier for Seen {
        fn carry(&mut self, request: &Request<'_>) -> Answer {
            assert_eq!(request.content_type, "application/n-triples");
            if request.body.starts_with("This is no") {
                // As some do it: what they cannot read they pass over.
                return status(200);
            }
            self.0.push((request.address.to_owned(), request.body.to_owned()));
            status(204)
        }
        fn wait(&mut self, _: Duration) -> bool {
            true
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let rules =
        RemoteRules { update: None, graph_store: Some("http://store.test/data".to_owned()), ..rules() };
    let mut seen = Seen(Vec::new());
    let mut remote = Remote::open(dir.path(), &rules, &mut seen, "job").unwrap();
    let here = Quad::new(node("s"), node("p"), node("o"), GraphName::DefaultGraph);
    for quad in [&quad(node("a")), &here, &quad(node("b"))] {
        remote.take(Change::Insert, Source::Added, quad).unwrap();
    }
    remote.deliver(Change::Insert).unwrap();
    remote.write().unwrap();
    let line = |object: &str| format!("<http://a.test/s> <http://a.test/p> <http://a.test/{object}> .\n");
    let own = |name: &str| format!("urn:annalist:job:job:added:{name}");
    let entry =
        |name: &str, of: &str| format!("<{}> <http://purl.org/dc/terms/source> <{of}> .\n", own(name));
    let entries = entry("http://a.test/g", "http://a.test/g") + &entry("default", "urn:annalist:job:job");
    let at = |name: &str| {
        let name: String = name.replace(':', "%3A").replace('/', "%2F").replace('.', "%2E");
        format!("http://store.test/data?graph={name}")
    };
    let expected = [
        (at("urn:annalist:job:job"), entries),
        (at(&own("default")), line("o")),
        (at(&own("http://a.test/g")), line("a") + &line("b")),
    ];
    assert_eq!(seen.0, expected);
}
