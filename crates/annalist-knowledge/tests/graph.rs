//! A graph on disk holds what a plain set of statements would, whatever its runs and layers are.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::{Disk, SimDisk};
use annalist_knowledge::graph::{
    Answer, Datasets, Graph, GraphError, Layer, LayerSettings, Merging, QueryLimits,
};
use oxrdf::vocab::xsd;
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use proptest::prelude::*;

const DIR: &str = "/graph";

fn settings(memory_bytes: usize) -> LayerSettings {
    LayerSettings { memory_bytes, fan: 3, merging: Merging::Inline }
}

fn layer(disk: &SimDisk, dir: &str, memory_bytes: usize) -> Layer {
    Layer::open(Arc::new(disk.clone()), Path::new(dir), settings(memory_bytes)).unwrap()
}

fn opened(disk: &SimDisk, dirs: &[&str]) -> Graph {
    let dirs: Vec<PathBuf> = dirs.iter().map(PathBuf::from).collect();
    Graph::open_on(disk, &dirs, 1 << 20).unwrap()
}

fn node(number: u8) -> NamedNode {
    NamedNode::new_unchecked(format!("http://a.example/{number}"))
}

fn subject(number: u8) -> NamedOrBlankNode {
    if number.is_multiple_of(5) {
        BlankNode::new_unchecked(format!("b{number}")).into()
    } else {
        node(number).into()
    }
}

fn object(number: u8) -> Term {
    match number % 7 {
        0 => Literal::from(i64::from(number)).into(),
        1 => Literal::new_typed_literal(format!("2011-03-{:02}T10:00:00Z", number % 28 + 1), xsd::DATE_TIME)
            .into(),
        2 => Literal::from(format!("a longer text with the number {number}")).into(),
        3 => Literal::new_language_tagged_literal_unchecked(format!("{number}"), "de").into(),
        _ => subject(number).into(),
    }
}

fn graph_name(number: u8) -> GraphName {
    match number {
        0 => GraphName::DefaultGraph,
        _ => node(200 + number).into(),
    }
}

fn quad((s, p, o, g): (u8, u8, u8, u8)) -> Quad {
    Quad::new(subject(s % 12), node(100 + p % 4), object(o % 20), graph_name(g % 4))
}

fn texts(quads: impl IntoIterator<Item = Quad>) -> BTreeSet<String> {
    quads.into_iter().map(|quad| quad.to_string()).collect()
}

/// All statements that a graph gives for each of the sixteen patterns that `like` makes.
fn check_patterns(graph: &Graph, all: &[Quad], like: &Quad) {
    for mask in 0..16_u8 {
        let known = |bit: u8| mask & 1 << bit != 0;
        let fits = |quad: &&Quad| {
            (!known(0) || quad.subject == like.subject)
                && (!known(1) || quad.predicate == like.predicate)
                && (!known(2) || quad.object == like.object)
                && (!known(3) || quad.graph_name == like.graph_name)
        };
        let found: Vec<Quad> = graph
            .matching(
                known(0).then(|| like.subject.as_ref()),
                known(1).then(|| like.predicate.as_ref()),
                known(2).then(|| like.object.as_ref()),
                known(3).then(|| like.graph_name.as_ref()),
            )
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let expected = texts(all.iter().filter(fits).cloned());
        assert_eq!(found.len(), expected.len(), "pattern {mask:04b} tells something twice");
        assert_eq!(texts(found), expected, "pattern {mask:04b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_graph_is_a_set_of_statements(
        commits in prop::collection::vec(prop::collection::vec(any::<(u8, u8, u8, u8)>(), 0..60), 1..9),
        memory in prop_oneof![Just(1_usize), Just(4_000), Just(1 << 20)],
        second in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 0..40),
        like in any::<(u8, u8, u8, u8)>(),
    ) {
        let disk = SimDisk::new();
        let mut all: Vec<Quad> = Vec::new();
        for (place, commit) in commits.iter().enumerate() {
            let mut layer = layer(&disk, DIR, memory);
            for quad in commit.iter().copied().map(quad) {
                layer.insert(&quad).unwrap();
                all.push(quad);
            }
            layer.commit(&[place as u8]).unwrap();
            prop_assert_eq!(layer.mark(), &[place as u8]);
        }
        let mut other = layer(&disk, "/other", memory);
        for quad in second.iter().copied().map(quad) {
            other.insert(&quad).unwrap();
            all.push(quad);
        }
        other.commit(b"x").unwrap();
        let graph = opened(&disk, &[DIR, "/other", "/never"]);
        let told: Vec<Quad> = graph.quads().unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(told.len(), texts(all.clone()).len());
        check_patterns(&graph, &all, &quad(like));
        if let Some(first) = all.first() {
            check_patterns(&graph, &all, first);
        }
    }
}

fn rows(graph: &Graph, sparql: &str, datasets: Datasets) -> usize {
    match graph.query(sparql, &QueryLimits::default(), datasets).unwrap() {
        Answer::Rows { rows, .. } => rows.len(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_statement_of_several_captures_is_one_where_no_graph_is_named() {
    let disk = SimDisk::new();
    let mut layer = layer(&disk, DIR, 1);
    for graph in 0..3 {
        layer.insert(&Quad::new(node(1), node(2), node(3), graph_name(graph))).unwrap();
    }
    layer.commit(b"").unwrap();
    let graph = opened(&disk, &[DIR]);
    assert_eq!(rows(&graph, "SELECT * { ?s ?p ?o }", Datasets::Union), 1);
    assert_eq!(rows(&graph, "SELECT * { ?s ?p ?o }", Datasets::Strict), 1);
    assert_eq!(rows(&graph, "SELECT * { GRAPH ?g { ?s ?p ?o } }", Datasets::Union), 2);
    assert_eq!(rows(&graph, "SELECT * { GRAPH ?g { } }", Datasets::Union), 2);
    let both = "SELECT * FROM <http://a.example/201> FROM <http://a.example/202> { ?s ?p ?o }";
    assert_eq!(rows(&graph, both, Datasets::Strict), 1);
    assert_eq!(rows(&graph, "SELECT * FROM <http://a.example/209> { ?s ?p ?o }", Datasets::Union), 0);
}

#[test]
fn a_cleared_layer_is_asked_as_before_until_its_commit() {
    let disk = SimDisk::new();
    let mut layer = layer(&disk, DIR, 1 << 20);
    layer.insert(&Quad::new(node(1), node(2), node(3), GraphName::DefaultGraph)).unwrap();
    layer.commit(b"one").unwrap();
    layer.clear();
    layer.insert(&Quad::new(node(4), node(5), node(6), GraphName::DefaultGraph)).unwrap();
    let before = opened(&disk, &[DIR]);
    layer.commit(b"two").unwrap();
    let after = opened(&disk, &[DIR]);
    let told = |graph: &Graph| texts(graph.quads().unwrap().map(Result::unwrap));
    assert!(told(&before).iter().all(|quad| quad.contains("/1>")), "a reader keeps what it opened");
    assert_eq!(told(&after).len(), 1);
    assert!(told(&after).iter().all(|quad| quad.contains("/4>")));
}

#[test]
fn damage_anywhere_is_told_and_never_believed() {
    let disk = SimDisk::new();
    let mut layer = layer(&disk, DIR, 1 << 20);
    for number in 0..200_u8 {
        layer.insert(&quad((number, number, number, number))).unwrap();
    }
    layer.commit(b"mark").unwrap();
    drop(layer);
    let all = texts(opened(&disk, &[DIR]).quads().unwrap().map(Result::unwrap));
    let name = disk.list(Path::new(DIR)).unwrap().into_iter().find(|name| name.ends_with(".run")).unwrap();
    let path = Path::new(DIR).join(name);
    let whole = disk.read(&path).unwrap();
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x41;
        disk.replace(&path, &bytes).unwrap();
        let read = || -> Result<BTreeSet<String>, GraphError> {
            let graph = Graph::open_on(&disk, &[PathBuf::from(DIR)], 1 << 20)?;
            let quads: Result<Vec<Quad>, GraphError> = graph.quads()?.collect();
            Ok(texts(quads?))
        };
        match read() {
            Ok(read) => assert_eq!(read, all, "byte {place}"),
            Err(error) => assert!(error.to_string().contains("annalist rebuild"), "byte {place}: {error}"),
        }
    }
}

#[test]
fn a_query_that_meets_damage_ends_with_it_and_does_not_answer_less() {
    let disk = SimDisk::new();
    let mut layer = layer(&disk, DIR, 1 << 20);
    for number in 0..40_u8 {
        let name = Literal::from(format!("what this one is called is number {number}"));
        layer.insert(&Quad::new(node(number), node(100), name, GraphName::DefaultGraph)).unwrap();
        layer.insert(&Quad::new(node(number), node(101), node(number / 2), GraphName::DefaultGraph)).unwrap();
    }
    layer.commit(b"mark").unwrap();
    drop(layer);
    let name = disk.list(Path::new(DIR)).unwrap().into_iter().find(|name| name.ends_with(".run")).unwrap();
    let path = Path::new(DIR).join(name);
    let whole = disk.read(&path).unwrap();
    let queries = [
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?o ?s ?p",
        "ASK { ?s ?p ?o FILTER(?o = \"what this one is called is number 39\") }",
        "SELECT (COUNT(*) AS ?n) { ?s <http://a.example/100> ?o FILTER(CONTAINS(?o, \"number 3\")) }",
        "SELECT (COUNT(*) AS ?n) { ?a <http://a.example/101> ?b . ?b <http://a.example/101> ?c OPTIONAL { ?c <http://a.example/100> ?d } }",
    ];
    let limits = QueryLimits { time: std::time::Duration::from_secs(20), ..QueryLimits::default() };
    for sparql in queries {
        let right = opened(&disk, &[DIR]).query(sparql, &limits, Datasets::Union).unwrap();
        let mut met = 0;
        for place in (0..whole.len()).step_by(7) {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x41;
            disk.replace(&path, &bytes).unwrap();
            let Ok(graph) = Graph::open_on(&disk, &[PathBuf::from(DIR)], 1 << 20) else { continue };
            match graph.query(sparql, &limits, Datasets::Union) {
                Ok(answer) => assert_eq!(answer, right, "byte {place}: {sparql}"),
                Err(error) => {
                    met += 1;
                    assert!(
                        error.to_string().contains("annalist rebuild"),
                        "byte {place}: {sparql}: {error}"
                    );
                }
            }
        }
        disk.replace(&path, &whole).unwrap();
        assert!(met > 0, "{sparql}");
    }
}

/// Two names that a quick hash (xxh3) does not tell apart: easily made by whoever writes pages.
fn alike() -> [NamedNode; 2] {
    ['a', 'c'].map(|one| {
        let other = if one == 'a' { 'c' } else { 'a' };
        let text =
            [&"a".repeat(70), "daaa", &one.to_string(), &"a".repeat(59), "-BWR", &other.to_string()].concat();
        NamedNode::new_unchecked(format!("http://a.example/{text}{}", "a".repeat(163)))
    })
}

#[test]
fn names_that_were_made_to_look_alike_are_told_apart() {
    let disk = SimDisk::new();
    let mut layer = layer(&disk, DIR, 1 << 20);
    let [one, other] = alike();
    for name in [one.clone(), other.clone(), node(1)] {
        layer.insert(&Quad::new(name, node(2), node(3), GraphName::DefaultGraph)).unwrap();
    }
    layer.commit(b"").unwrap();
    let told = texts(opened(&disk, &[DIR]).quads().unwrap().map(Result::unwrap));
    let kept = [one, other, node(1)].map(|name| Quad::new(name, node(2), node(3), GraphName::DefaultGraph));
    assert_eq!(told, texts(kept));
}
