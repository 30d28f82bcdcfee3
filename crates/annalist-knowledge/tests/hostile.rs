//! Queries that mean harm, or do not know better, end with a clear error within the limits of time and memory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use annalist_disk::SimDisk;
use annalist_knowledge::graph::{
    Answer, Datasets, Graph, Kind, Layer, LayerSettings, LoadError, Merging, QueryError, QueryLimits,
    Question, Reading, load,
};
use oxrdf::{GraphName, Literal, NamedNode, Quad};
use oxrdfio::RdfFormat;

/// A thousand things that know each other, with names.
fn graph() -> Graph {
    let disk = SimDisk::new();
    let settings = LayerSettings { merging: Merging::Inline, ..LayerSettings::default() };
    let mut layer = Layer::open(Arc::new(disk.clone()), Path::new("/g"), settings).unwrap();
    let node = |number: u32| NamedNode::new_unchecked(format!("http://a.example/{number}"));
    let property = |name: &str| NamedNode::new_unchecked(format!("http://a.example/p/{name}"));
    for number in 0..1000 {
        let name = Literal::from(format!("the thing with the number {number}"));
        let statements = [
            Quad::new(node(number), property("name"), name, GraphName::DefaultGraph),
            Quad::new(node(number), property("knows"), node(number * 7 % 1000), GraphName::DefaultGraph),
            Quad::new(node(number), property("knows"), node(number * 11 % 1000), GraphName::DefaultGraph),
        ];
        statements.iter().for_each(|quad| layer.insert(quad).unwrap());
    }
    layer.commit(b"").unwrap();
    Graph::open_on(&disk, &[PathBuf::from("/g")], 1 << 20).unwrap()
}

fn limits() -> QueryLimits {
    QueryLimits { time: Duration::from_millis(400), rows: 100_000, memory_bytes: 32 << 20 }
}

fn ask(graph: &Graph, sparql: &str) -> Result<Answer, QueryError> {
    graph.query(sparql, &limits(), Datasets::Union)
}

#[test]
fn what_takes_too_long_or_too_much_is_ended() {
    let graph = graph();
    let doubled: String = (0..40).map(|n| format!("BIND(CONCAT(?x{n}, ?x{n}) AS ?x{})\n", n + 1)).collect();
    let squared: String =
        (0..9).map(|n| format!("BIND(REPLACE(?x{n}, \".\", ?x{n}) AS ?x{})\n", n + 1)).collect();
    let eight_megabytes = |of: &str| {
        let doubled: String =
            (0..13).map(|n| format!("BIND(CONCAT(?x{n}, ?x{n}) AS ?x{})\n", n + 1)).collect();
        format!("BIND(\"{}\" AS ?x0) {doubled}", of.repeat(1000 / of.len()))
    };
    let (signs, letters) = (eight_megabytes("%"), eight_megabytes("é"));
    let again = |call: &str| -> String {
        let given = |n: usize| call.replace("?y", &format!("?y{n}"));
        (0..90).map(|n| format!("BIND({} AS ?y{})\n", given(n), n + 1)).collect()
    };
    let (replaced, cut) = (again("REPLACE(?y, \"[a-z]{8}\", \"\")"), again("SUBSTR(?y, 1)"));
    let all = "?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h";
    let hostile = [
        format!("SELECT (STRLEN({}) AS ?n) {{ {signs} }}", nested_nodes("ENCODE_FOR_URI(", "?x13", ")", 12)),
        format!("SELECT (STRLEN({}) AS ?n) {{ {letters} }}", nested_nodes("UCASE(LCASE(", "?x13", "))", 90)),
        format!("SELECT (STRLEN(?y90) AS ?n) {{ {letters} BIND(?x13 AS ?y0) {cut} }}"),
        format!("SELECT (STRLEN(?y90) AS ?n) {{ {letters} BIND(?x13 AS ?y0) {replaced} }}"),
        format!("SELECT (STRLEN(CONCAT(?x13{})) AS ?n) {{ {signs} }}", ", ?x13".repeat(40)),
        format!("SELECT (COUNT(*) AS ?n) {{ {all} }}"),
        format!("SELECT * {{ {all} FILTER(CONCAT(STR(?a), STR(?c), STR(?e), STR(?h)) = \"x\") }}"),
        format!("SELECT * {{ {all} }} ORDER BY ?h"),
        format!("SELECT DISTINCT ?a ?c ?e {{ {all} }}"),
        format!("SELECT (GROUP_CONCAT(?d) AS ?all) {{ {all} }}"),
        format!("SELECT (GROUP_CONCAT(?d; separator=\"{}\") AS ?all) {{ {all} }}", "x".repeat(100_000)),
        format!("SELECT ?a (SAMPLE(?h) AS ?one) {{ {all} }} GROUP BY ?a ?c ?e"),
        format!("SELECT (COUNT(DISTINCT CONCAT(STR(?a), STR(?c), STR(?e))) AS ?n) {{ {all} }}"),
        format!("SELECT * {{ {{ {all} }} MINUS {{ ?a ?p ?b }} }}"),
        "SELECT * { ?a (<http://a.example/p/knows>|!<http://a.example/p/knows>)* ?b . ?c (<x:a>|!<x:a>)* ?d }".to_owned(),
        format!("SELECT (COUNT(*) AS ?n) {{ {all} FILTER(REGEX(STR(?b), \"(a|b|c|d)*{{1,40}}x\")) }}"),
        format!("SELECT ?x40 {{ BIND(\"0123456789\" AS ?x0) {doubled} }}"),
        format!("SELECT ?x9 {{ BIND(\"0123456789\" AS ?x0) {squared} }}"),
        format!("CONSTRUCT {{ ?a ?p ?h }} WHERE {{ {all} FILTER(?p = ?h) }}"),
        format!("ASK {{ {all} FILTER(?p = ?h) }}"),
    ];
    for sparql in &hostile {
        let shown: String = sparql.chars().take(150).collect();
        match ask(&graph, sparql) {
            Err(QueryError::Time(_) | QueryError::Memory(_)) => {}
            other => panic!("{shown}: {:?}", other.map(|_| "answered")),
        }
    }
}

/// What is remembered of the statements that were made is counted, whether they are kept or written.
#[test]
fn statements_that_are_made_take_no_more_memory_than_allowed() {
    let graph = graph();
    let limits = QueryLimits { time: Duration::from_secs(120), rows: u64::MAX, memory_bytes: 32 << 20 };
    let names = "?a <http://a.example/p/name> ?t . ?b <http://a.example/p/name> ?u";
    let doubled: String = (0..13).map(|n| format!("BIND(CONCAT(?x{n}, ?x{n}) AS ?x{}) ", n + 1)).collect();
    let template: String = (0..100).map(|n| format!("<x:a> <x:{n}> ?x13 . ")).collect();
    let hostile = [
        format!("CONSTRUCT {{ ?a <x:text> ?x }} {{ {names} BIND(CONCAT(?t, ?u) AS ?x) }}"),
        // All at once, before the first of them is told.
        format!("CONSTRUCT {{ {template} }} {{ BIND(\"{}\" AS ?x0) {doubled} }}", "x".repeat(100)),
    ];
    for sparql in &hostile {
        let question = Question { sparql, base: None, datasets: Datasets::Union, limits, abandoned: None };
        let written = graph.answer(&question, None, &mut std::io::sink());
        assert!(matches!(written, Err(QueryError::Memory(_))), "{:?}", written.map(|told| told.rows));
        let kept = graph.collected(&question);
        assert!(matches!(kept, Err(QueryError::Memory(_))), "{:?}", kept.map(|(_, told)| told.rows));
    }
    // What is made over and over is remembered once.
    let again =
        "CONSTRUCT { ?a <x:is> ?t } { ?a <http://a.example/p/name> ?t { SELECT ?b { ?b ?p ?o } LIMIT 100 } }";
    let answer = graph.query(again, &limits, Datasets::Union).unwrap();
    assert!(matches!(answer, Answer::Triples(all) if all.len() == 1000));
}

/// What an aggregate keeps is counted, also where a function made it.
#[test]
fn texts_that_are_gathered_take_no_more_memory_than_allowed() {
    let graph = graph();
    let long = format!("REPLACE(\"{}\", \"a\", \"{}\")", "a".repeat(1_000), "b".repeat(1_000));
    let hostile = [
        format!("SELECT (STRLEN(GROUP_CONCAT({long})) AS ?n) {{ ?s ?p ?o }}"),
        format!("SELECT ?s (SAMPLE({long}) AS ?v) {{ ?s ?p ?o }} GROUP BY ?s ?p ?o"),
        format!("SELECT ?s (SAMPLE(?x) AS ?v) {{ ?s ?p ?o BIND({long} AS ?x) }} GROUP BY ?s ?p ?o"),
        format!("SELECT ?s (MIN({long}) AS ?v) {{ ?s ?p ?o }} GROUP BY ?s ?p ?o"),
        format!("SELECT ?s (MAX({long}) AS ?v) {{ ?s ?p ?o }} GROUP BY ?s ?p ?o"),
        format!("SELECT (COUNT(DISTINCT CONCAT(STR(?s), {long})) AS ?n) {{ ?s ?p ?o }}"),
    ];
    let limits = QueryLimits { time: Duration::from_secs(120), ..limits() };
    for sparql in &hostile {
        let answer = graph.query(sparql, &limits, Datasets::Union);
        assert!(
            matches!(answer, Err(QueryError::Memory(_))),
            "{:.60}: {:?}",
            sparql,
            answer.map(|_| "answered")
        );
    }
    // One value is kept of what is compared, and nothing of what is counted.
    let name = "<http://a.example/p/name>";
    let long = "CONCAT(?t, REPLACE(\"aaaaaaaaaa\", \"a\", REPLACE(\"aaaaaaaaaa\", \"a\", \"0123456789012345678901234567890123456789\")))";
    let harmless = [
        format!("SELECT (STRLEN(MAX({long})) AS ?n) {{ ?s {name} ?t . ?o {name} ?u }}"),
        format!("SELECT (COUNT({long}) AS ?n) {{ ?s {name} ?t . ?o {name} ?u }}"),
    ];
    let limits = QueryLimits { memory_bytes: 1 << 20, ..limits };
    for sparql in &harmless {
        let sparql = sparql.replace("?o", "<http://a.example/1>");
        assert!(graph.query(&sparql, &limits, Datasets::Union).is_ok(), "{sparql:.60}");
    }
    let answer = graph.query(
        "SELECT (GROUP_CONCAT(DISTINCT STR(?n); SEPARATOR=\"+\") AS ?all) (MIN(?n) AS ?least) (SAMPLE(?one) AS ?some) (SUM(DISTINCT ?n) AS ?sum) \
         { { SELECT ?n ?one { VALUES ?n { 2 1 2 } BIND(\"x\"@en AS ?one) } ORDER BY ?n } } GROUP BY ?one",
        &limits,
        Datasets::Union,
    );
    let Ok(Answer::Rows { rows, .. }) = answer else { panic!("{answer:?}") };
    let shown: Vec<String> = rows[0].iter().flatten().map(ToString::to_string).collect();
    let number = |n| format!("\"{n}\"^^<http://www.w3.org/2001/XMLSchema#integer>");
    assert!(shown[0] == "\"1+2\"" || shown[0] == "\"2+1\"", "{shown:?}");
    assert_eq!(shown[1..], [number(1), "\"x\"@en".to_owned(), number(3)]);
}

fn nested_nodes(open: &str, inside: &str, close: &str, depth: usize) -> String {
    format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn what_cannot_be_read_safely_is_refused() {
    let graph = graph();
    let nested = |open: &str, close: &str, depth: usize| {
        format!("SELECT * {{ ?a ?b ?c FILTER({}1{}) }}", open.repeat(depth), close.repeat(depth))
    };
    let groups = |depth: usize| format!("SELECT * {} ?a ?b ?c {}", "{".repeat(depth), "}".repeat(depth));
    let filtered = |filter: &str| format!("SELECT (1 AS ?x) {{ FILTER({filter}) }}");
    let named = |end: &str| {
        let open = "EXISTS { { SELECT ?a { ?a ?b ?c } GROUP BY ?a <x:f> # (\n (";
        format!("SELECT * {{ FILTER {} {end} }}", nested_nodes(open, "1", ") } }", 40))
    };
    let compared = |members: usize, blocks: usize| {
        let blocks = vec!["{ ?a ?b ?c }"; blocks].join(" UNION ");
        format!("SELECT * {{ {blocks} FILTER(?a IN ({})) }}", vec!["1"; members].join(","))
    };
    let hostile = [
        // Each level is read twice.
        filtered(&nested_nodes("SUBSTR(", "?a", ", 1)", 40)),
        filtered(&nested_nodes("IF(substr (", "?a", ", 1), 1, 1)", 40)),
        filtered(&nested_nodes("?a=1||REGEX#\n(", "?a", ", \"\")", 40)),
        filtered(&nested_nodes("!REPLACE(", "?a", ", 1, 1)", 20)),
        filtered(&nested_nodes("!(?a<REPLACE(", "?a", ", 1, 1)>1)", 20)),
        filtered(&nested_nodes("?a<REPLACE(", "?a", ",1,1)>1", 20)),
        filtered(&"SUBSTR(".repeat(60)),
        format!("SELECT ({} AS ?x) {{}}", nested_nodes("GROUP_CONCAT(", "?a", ")", 40)),
        format!("SELECT ({} AS ?x) {{}}", nested_nodes("GROUP_CONCAT(DISTINCT ", "?a", ")", 40)),
        named(""),
        named("}"),
        filtered(&nested_nodes("REGEX(", &format!("\"{}\"", "x".repeat(200_000)), ", \"\")", 6)),
        // Each of the blocks has the condition.
        compared(20_000, 60),
        compared(2_500, 120),
        format!(
            "SELECT * {{ BIND({} IN ({}) AS ?x) }}",
            "(?a)".replace("?a", &vec!["?a"; 500].join("+")),
            vec!["1"; 1000].join(",")
        ),
        nested("(", ")", 100_000),
        nested("!", "", 100_000),
        nested("- ", "", 100_000),
        nested("ABS(", ")", 50_000),
        groups(100_000),
        format!("SELECT * {{ ?a {}<x:p> ?b }}", "^".repeat(100_000)),
        format!("SELECT * {{ ?a <x:p>{} ?b }}", "/<x:p>".repeat(100_000)),
        format!("SELECT * {{ ?a {}<x:p>{} ?b }}", "(".repeat(50_000), ")*".repeat(50_000)),
        format!("SELECT * {{ {} ?a ?b ?c }}", "{} UNION ".repeat(100_000)),
        format!("SELECT * {{ ?a ?b ?c FILTER(1{}) }}", " + 1".repeat(100_000)),
        format!("SELECT * {{ {} }}", "?a <x:p> ?b . ".repeat(500)),
        format!("SELECT * {{ ?a <x:p>{} ?b }}", "/<x:p>".repeat(500)),
        "SELECT * { SERVICE <http://127.0.0.1:1/> { ?a ?b ?c } }".to_owned(),
        "SELECT * { ?a ?b ?c OPTIONAL { SERVICE SILENT ?a { ?a ?b ?c } } }".to_owned(),
        "INSERT DATA { <x:a> <x:b> <x:c> }".to_owned(),
        "LOAD <http://127.0.0.1:1/>".to_owned(),
        "SELECT".to_owned(),
        "SELECT (<urn:annalist:function:concat>(\"a\") AS ?x) {}".to_owned(),
    ];
    for sparql in &hostile {
        let shown: String = sparql.chars().take(100).collect();
        match ask(&graph, sparql) {
            Err(QueryError::Refused(_) | QueryError::Syntax(_)) => {}
            other => panic!("{shown}: {:?}", other.map(|_| "answered")),
        }
    }
    // What is just not refused does not take the stack.
    let allowed = [
        filtered(&nested_nodes("REPLACE(", "?a", ", \"a\", \"b\")", 12)),
        filtered(&nested_nodes("xsd:integer(STR(", "?a", "))", 12)),
        filtered(&format!("!({})", nested_nodes("REGEX(SUBSTR(", "?a", ", 1), \"a\", \"i\")", 4))),
        compared(5_000, 5),
        compared(20_000, 1),
        nested("(", ")", 190),
        nested("!(", ")", 6),
        format!("SELECT * {{ ?a ?b {} }}", nested_nodes("[ <x:p> ", "1", " ]", 190)),
        format!("SELECT * {{ ?a ?b {} }}", nested_nodes("( ", "1", " )", 190)),
        format!(
            "SELECT * {{ ?a ?b ?c FILTER {} }}",
            nested_nodes("NOT EXISTS { ?a ?b ?c FILTER ", "(1)", " }", 60)
        ),
        format!("SELECT * {{ ?a ?b ?c FILTER({}) }}", nested_nodes("IF(1, ", "1", ", 1)", 190)),
        format!("SELECT * {{ ?a ?b ?c FILTER({}) }}", nested_nodes("1 IN (", "1", ")", 190)),
        format!("SELECT * {{ {} }}", nested_nodes("{ SELECT * { ", "?a ?b ?c", " } }", 90)),
        nested("ABS(", ")", 190),
        groups(190),
        format!("SELECT * {{ ?a <x:p>{} ?b }}", "/<x:p>".repeat(150)),
        format!("SELECT * {{ ?a ?b ?c FILTER(1{}) }}", " + 1".repeat(1_900)),
        format!("SELECT * {{ ?a ?b ?c FILTER(?a = 1{}) }}", " || ?a = 1".repeat(600)),
        format!("SELECT * {{ {} ?a ?b ?c }}", "OPTIONAL { ?a <x:p> ?b } ".repeat(120)),
        format!("SELECT * {{ {} {{}} }}", "{ ?a <x:p> ?b } UNION ".repeat(120)),
        format!("SELECT * {{ {} }}", "?a <x:p> ?b . ".repeat(390)),
        format!("SELECT * {{ VALUES ?x {{ {} }} }}", "\"2011-03-01T10:00:00Z\"^^xsd:dateTime ".repeat(5_000)),
        format!("SELECT * {{ VALUES (?x ?y) {{ {} }} }}", "(-1.5 \"Servus\"@de-AT) ".repeat(5_000)),
    ];
    for sparql in &allowed {
        let shown: String = sparql.chars().take(100).collect();
        match graph.query(sparql, &QueryLimits { time: Duration::from_secs(20), ..limits() }, Datasets::Union)
        {
            Ok(_) | Err(QueryError::Time(_) | QueryError::Memory(_)) => {}
            other => panic!("{shown}: {other:?}"),
        }
    }
}

#[test]
fn bounded_functions_say_what_the_usual_ones_say() {
    let graph = graph();
    let cases = [
        ("CONCAT(\"a\", \"b\")", "\"ab\""),
        ("CONCAT(\"a\"@en, \"b\"@en)", "\"ab\"@en"),
        ("CONCAT(\"a\"@en, \"b\")", "\"ab\""),
        ("CONCAT()", "\"\""),
        ("COALESCE(CONCAT(\"a\", 1), \"none\")", "\"none\""),
        ("REPLACE(\"abcd\", \"b\", \"Z\")", "\"aZcd\""),
        ("REPLACE(\"abab\", \"B\", \"Z\", \"i\")", "\"aZaZ\""),
        ("REPLACE(\"abab\"@de, \"(a)(b)\", \"$2$1\")", "\"baba\"@de"),
        ("REPLACE(\"a.b\", \".\", \"-\", \"q\")", "\"a-b\""),
        ("REPLACE(\"abc\", \"\", \"-\")", "\"-a-b-c-\""),
        ("COALESCE(REPLACE(\"abc\", \"(\", \"-\"), \"none\")", "\"none\""),
        ("REGEX(\"Abc\"@en, \"^aB\", \"i\")", "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        ("REGEX(\"abc\", \"b$\")", "\"false\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        ("REGEX(\"a\\nb\", \"^b$\")", "\"false\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        ("REGEX(\"a\\nb\", \"^b$\", \"m\")", "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        ("REGEX(\"a\\nb\", \"a.b\", \"s\")", "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        ("REGEX(\"a.b\", \"A.\", \"qi\")", "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        ("REGEX(\"ab\", \"a b\", \"x\")", "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        ("REGEX(\"\", \"\")", "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        (
            "REGEX(\"der Präsident\", \"\\\\bprä\", \"i\")",
            "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>",
        ),
        ("REGEX(\"der Präsident\", \"ä\\\\b\")", "\"false\"^^<http://www.w3.org/2001/XMLSchema#boolean>"),
        ("COALESCE(REGEX(\"abc\", \"(\"), \"none\")", "\"none\""),
        ("COALESCE(REGEX(\"abc\", \"b\", \"y\"), \"none\")", "\"none\""),
        ("COALESCE(REGEX(1, \"1\"), \"none\")", "\"none\""),
        ("CONCAT(\"a\"@en, \"b\"@en, \"c\"@en, \"d\"@en, \"e\"@en)", "\"abcde\"@en"),
        ("CONCAT(\"a\"@en, \"b\"@fr, \"c\"@en)", "\"abc\""),
        ("COALESCE(CONCAT(\"a\", \"b\", \"c\", 1), \"none\")", "\"none\""),
        ("ENCODE_FOR_URI(\"ä %\"@en)", "\"%C3%A4%20%25\""),
        ("UCASE(\"straße\"@de)", "\"STRASSE\"@de"),
        ("SUBSTR(\"abcd\", 2, 2)", "\"bc\""),
        ("COALESCE(UCASE(1), \"none\")", "\"none\""),
        (
            "STRDT(\"1\", <http://www.w3.org/2001/XMLSchema#integer>) + 1",
            "\"2\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        ),
        ("IRI(\"http://a.example/\")", "<http://a.example/>"),
    ];
    for (expression, expected) in cases {
        let sparql = format!("SELECT ({expression} AS ?x) {{}}");
        match ask(&graph, &sparql).unwrap() {
            Answer::Rows { rows, .. } => {
                assert_eq!(rows[0][0].as_ref().unwrap().to_string(), expected, "{expression}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// An expression that remembers the last hundreds of letters has another state for every part of such a text.
#[test]
fn expressions_over_long_texts_are_ended() {
    let graph = graph();
    let irregular: String =
        (0..16_000u64).map(|n| if (n * n * 7919 + n * 31) % 104_729 % 2 == 0 { 'a' } else { 'b' }).collect();
    let doubled: String = (0..9).map(|n| format!("BIND(CONCAT(?x{n}, ?x{n}) AS ?x{}) ", n + 1)).collect();
    let text = format!("BIND(\"{irregular}\" AS ?x0) {doubled}");
    let limits = QueryLimits { time: Duration::from_secs(1), memory_bytes: 1 << 30, ..limits() };
    for sparql in [
        format!("SELECT (REGEX(?x9, \"(a.{{300}}|b.{{250}})[c-y]\") AS ?found) {{ {text} }}"),
        format!(
            "SELECT (REGEX(CONCAT(\"ä\", ?x9), \"(a.{{300}}|b.{{250}})[c-y]\\\\b\") AS ?found) {{ {text} }}"
        ),
        format!("SELECT (STRLEN(REPLACE(?x9, \"(a.{{300}}|b.{{250}})[c-y]\", \"\")) AS ?n) {{ {text} }}"),
    ] {
        match graph.query(&sparql, &limits, Datasets::Union) {
            Err(QueryError::Time(_)) => {}
            other => panic!("{:?}", other.map(|_| "answered")),
        }
    }
}

#[test]
fn a_query_that_nobody_waits_for_any_more_ends() {
    let graph = graph();
    let abandoned = AtomicBool::new(true);
    let limits = QueryLimits { time: Duration::from_secs(600), memory_bytes: 1 << 30, ..limits() };
    let sparql = "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h }";
    let question =
        Question { sparql, base: None, datasets: Datasets::Union, limits, abandoned: Some(&abandoned) };
    assert!(matches!(graph.collected(&question), Err(QueryError::Abandoned)));
}

#[test]
fn what_a_query_is_answered_with_is_known_before() {
    let kind = |sparql| {
        Question { sparql, base: None, datasets: Datasets::Union, limits: limits(), abandoned: None }.kind()
    };
    assert_eq!(kind("SELECT * { ?a ?b ?c }").unwrap(), Kind::Rows);
    assert_eq!(kind("ASK { ?a ?b ?c }").unwrap(), Kind::Truth);
    assert_eq!(kind("DESCRIBE <x:a>").unwrap(), Kind::Statements);
    assert!(matches!(kind("DELETE WHERE { ?a ?b ?c }"), Err(QueryError::Refused(_))));
}

/// RDF/XML with such entities, and what reading it comes to.
fn read_xml(beginning: &str, entities: &str, text: &str) -> Result<Vec<String>, LoadError> {
    let ns = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    let xml = format!(
        "<?xml version=\"1.0\"?>{beginning}<!DOCTYPE r [{entities}]><rdf:RDF xmlns:rdf=\"{ns}\" xmlns:x=\"http://a.example/\">\
         <rdf:Description rdf:about=\"http://a.example/1\"><x:p>{text}</x:p></rdf:Description></rdf:RDF>"
    );
    let reading = Reading {
        format: RdfFormat::RdfXml,
        base: None,
        graph: GraphName::DefaultGraph,
        scope: String::new(),
    };
    let mut told = Vec::new();
    let mut insert = |quad: &Quad| {
        told.push(quad.object.to_string());
        Ok(())
    };
    load(xml.as_bytes(), &reading, &mut insert, &mut |bad| panic!("{bad:?}"))?;
    Ok(told)
}

#[test]
fn entities_that_stand_for_much_are_refused() {
    let short = "<!ENTITY a \"http://a.example/\"><!ENTITY b \"&a;&lt;b\">\n";
    assert_eq!(
        read_xml("", short, "&b; &amp; &a;").unwrap(),
        ["\"http://a.example/<b & http://a.example/\""]
    );
    let nested: String =
        (1..9).map(|n| format!("<!ENTITY e{n} \"{}\">\n", format!("&e{};", n - 1).repeat(10))).collect();
    let nested = format!("<!ENTITY e0 \"ten bytes.\">{nested}");
    let long = format!("<!ENTITY  %\n e0 \"{}\">", "x".repeat(100_000));
    for hostile in [&nested, &long] {
        assert!(matches!(read_xml("", hostile, "&e0;"), Err(LoadError::Read(_))));
        // Not only at the beginning is there a place for them.
        assert!(matches!(read_xml("<!-- <!ENTIT -->", hostile, "&e0;"), Err(LoadError::Read(_))));
    }
}
