//! Selections of what was crawled, given to others: as WARC and WACZ that other people's tools accept and replay, as tables
//! and as a graph of links.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use annalist_testweb::WorldConfig;
use annalist_warc::{Fields, WarcFile};
use support::pywb::replayed_as_live;
use support::{
    IMPATIENT, Stand, annalist, assert_accepted_by_others, assert_exit, assert_valid, files_in, finish,
    json_of, listens, python_tool, wait,
};

const LIMIT: Duration = Duration::from_secs(120);

/// A web of two topics, crawled for one of them.
fn crawled() -> Stand {
    // Plain bodies: pywb decodes content codings before it answers.
    let config =
        WorldConfig { hosts: 6, pages: 60, topics: 2, gzip: 0.0, chunked: 0.3, ..WorldConfig::default() };
    let stand = Stand::new(config);
    let about: Vec<String> = stand.web.world().truth().relevant(0).map(|page| page.url).take(3).collect();
    let spec = stand.helped_spec(&format!("[topic]\nreferences = {about:?}\n{IMPATIENT}"));
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    stand
}

fn export(source: &Path, args: &[&str]) -> Output {
    finish(annalist().arg("export").arg(source).args(args).args(["--json", "--quiet"]), LIMIT)
}

fn exported(source: &Path, args: &[&str]) -> serde_json::Value {
    let output = export(source, args);
    assert_exit(&output, 0);
    json_of(&output)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Fields and bytes of every record of a WACZ file, or of the WARC files in `archive`, by id.
fn records(path: &Path) -> BTreeMap<String, (Fields, Vec<u8>)> {
    let paths =
        if path.is_dir() { files_in(&path.join("archive"), ".warc.gz") } else { vec![path.to_owned()] };
    let mut records = BTreeMap::new();
    for file in paths.iter().flat_map(|path| WarcFile::all_of(path).unwrap()) {
        let mut reader = file.open().unwrap().records_at(0);
        while let Some(mut record) = reader.next_record().unwrap() {
            let mut bytes = record.head.clone();
            record.read_to_end(&mut bytes).unwrap();
            let id = record.fields.get("WARC-Record-ID").unwrap().to_owned();
            assert!(records.insert(id, (record.fields.clone(), bytes)).is_none(), "a record is there twice");
        }
    }
    records
}

fn of_kind<'a>(records: &'a BTreeMap<String, (Fields, Vec<u8>)>, kind: &str) -> Vec<&'a Fields> {
    let fields = records.values().map(|(fields, _)| fields);
    fields.filter(|fields| fields.get("WARC-Type") == Some(kind)).collect()
}

fn urls(records: &[&Fields]) -> BTreeSet<String> {
    records.iter().map(|fields| fields.get("WARC-Target-URI").unwrap().to_owned()).collect()
}

#[test]
fn a_crawl_goes_through_a_wacz_file_and_back_and_others_accept_and_replay_it() {
    let stand = crawled();
    let original = records(&stand.job());
    let (wacz, folder) = (stand.dir.path().join("all.wacz"), stand.dir.path().join("collections/again"));
    let told = exported(&stand.job(), &["--wacz", text(&wacz)]);
    exported(&wacz, &["--warc", text(&folder)]);
    for (place, copies) in [("WACZ", records(&wacz)), ("WARC", records(&folder))] {
        for (id, (_, bytes)) in &original {
            assert!(
                copies.get(id).is_some_and(|(_, copy)| copy == bytes),
                "{id} is not in the {place} file as it was"
            );
        }
    }
    assert_eq!(told["records"], original.len());
    assert_valid(&wacz);
    assert_valid(&folder);
    assert_accepted_by_others(&folder);
    let judged = python_tool("wacz").args(["validate", "-f"]).arg(&wacz).output().unwrap();
    let judgement = String::from_utf8_lossy(&judged.stdout);
    assert!(
        judgement.contains("Validation succeeded"),
        "{judgement}{}",
        String::from_utf8_lossy(&judged.stderr)
    );

    // What is in two sources is written once.
    let both = stand.dir.path().join("both");
    let told = exported(&stand.job(), &[text(&wacz), "--warc", text(&both)]);
    assert_eq!(told["doubles"], original.len());
    assert_valid(&both);

    // The folder as it is, and the WACZ file as pywb takes it in.
    assert!(replayed_as_live(&stand, stand.dir.path(), "again") >= 5);
    let root = stand.dir.path().join("pywb");
    std::fs::create_dir(&root).unwrap();
    for args in [vec!["init", "wacz"], vec!["add", "--unpack-wacz", "wacz", text(&wacz)]] {
        let managed = python_tool("wb-manager").args(args).current_dir(&root).output().unwrap();
        assert!(managed.status.success(), "{}", String::from_utf8_lossy(&managed.stderr));
    }
    assert!(replayed_as_live(&stand, &root, "wacz") >= 5);
}

#[test]
fn a_selection_brings_along_what_belongs_to_it() {
    let stand = crawled();
    let original = records(&stand.job());
    let all_pages = urls(&of_kind(&original, "response"));
    let host = stand.web.world().truth().relevant(0).next().unwrap().host;
    let folder = stand.dir.path().join("host");
    exported(&stand.job(), &["--warc", text(&folder), "--host", &host, "--mime", "text/html"]);
    let chosen = records(&folder);
    let responses = of_kind(&chosen, "response");
    let pages: BTreeSet<String> = urls(&responses);
    assert!(pages.len() > 1 && pages.len() < all_pages.len(), "{pages:?}");
    let images =
        pages.iter().filter(|url| url.ends_with(".png") || url.ends_with(".svg") || url.ends_with(".gif"));
    println!("{} captures of {}, {} of them images", pages.len(), all_pages.len(), images.count());
    assert!(!pages.iter().any(|url| url.ends_with("/robots.txt")), "{pages:?}");
    for response in &responses {
        let id = response.get("WARC-Record-ID").unwrap();
        for kind in ["request", "metadata"] {
            let about = of_kind(&chosen, kind);
            assert!(
                about.iter().any(|fields| fields.get("WARC-Concurrent-To") == Some(id)),
                "{kind} of {id}"
            );
        }
    }
    let infos: Vec<String> = chosen
        .values()
        .filter(|(fields, _)| fields.get("WARC-Type") == Some("warcinfo"))
        .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
        .collect();
    // Ours, and the one that says who captured it.
    assert_eq!(infos.len(), 2, "{infos:?}");
    let told = format!("description: records selected by --host {host} --mime text/html");
    assert!(infos.iter().any(|info| info.contains(&told) && info.contains("source: ")), "{infos:?}");
    assert_valid(&folder);
}

#[test]
fn the_best_of_a_crawl_are_taken_first() {
    let stand = crawled();
    let dir = stand.dir.path().join("tables");
    exported(&stand.job(), &["--csv", text(&dir), "--mime", "text/html", "--limit", "12"]);
    let table = std::fs::read_to_string(dir.join("urls.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let scores: Vec<f32> = rows.iter().map(|row| row[6].parse().unwrap()).collect();
    assert_eq!(rows.len(), 12, "{table}");
    assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");

    let query = "score >= 0.2 && mime == \"text/html\" && depth >= 1";
    let asked = exported(&stand.job(), &["--csv", text(&dir), "--force", "--query", query]);
    let scored = exported(&stand.job(), &["--csv", text(&dir), "--force", "--score", "0.2"]);
    let count = |told: &serde_json::Value| told["captures"].as_u64().unwrap();
    assert!((1..count(&scored)).contains(&count(&asked)), "{asked} {scored}");
    let table = std::fs::read_to_string(dir.join("urls.csv")).unwrap();
    let least =
        table.lines().skip(1).filter_map(|line| line.split(',').nth(6)?.parse().ok()).reduce(f32::min);
    assert!(least.is_some_and(|least| least >= 0.2), "{table}");
}

#[test]
fn tables_and_graph_tell_what_is_there_what_is_missing_and_who_links_to_whom() {
    let stand = crawled();
    let (tables, graph) = (stand.dir.path().join("tables"), stand.dir.path().join("links.graphml"));
    let links = stand.dir.path().join("links.csv");
    let told = exported(&stand.job(), &["--csv", text(&tables), "--graph", text(&graph)]);
    exported(&stand.job(), &["--graph", text(&links)]);
    // Read by somebody else's tools.
    let program = "import csv, sys, xml.etree.ElementTree as x
urls = list(csv.DictReader(open(sys.argv[1], encoding='utf-8', newline='')))
missing = list(csv.DictReader(open(sys.argv[2], encoding='utf-8', newline='')))
links = list(csv.DictReader(open(sys.argv[3], encoding='utf-8', newline='')))
ns = '{http://graphml.graphdrawing.org/xmlns}'
graph = x.parse(sys.argv[4]).getroot().find(ns + 'graph')
nodes = {n.get('id'): n.find(ns + \"data[@key='url']\").text for n in graph.findall(ns + 'node')}
edges = {(nodes[e.get('source')], nodes[e.get('target')]) for e in graph.findall(ns + 'edge')}
assert len(nodes) == len(graph.findall(ns + 'node')), 'nodes are there once'
assert edges == {(l['source'], l['target']) for l in links}, 'both forms tell the same'
assert any(l['anchor'] and l['kind'] == 'anchor' for l in links)
assert all(u['url'] and len(u['timestamp']) == 14 and u['offset'].isdigit() for u in urls)
assert any(u['title'] for u in urls)
assert all(m['url'] and m['reason'] for m in missing)
print(len(urls), len(missing), len(nodes), len(graph.findall(ns + 'edge')))";
    let files = [tables.join("urls.csv"), tables.join("missing.csv"), links, graph];
    let read = python_tool("python3").args(["-c", program]).args(&files).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let counted = String::from_utf8_lossy(&read.stdout).into_owned();
    let expected = ["captures", "missing", "nodes", "links"].map(|name| told[name].to_string()).join(" ");
    assert_eq!(counted.trim(), expected);
}

#[test]
fn nothing_is_overwritten_unless_that_is_wanted() {
    let stand = crawled();
    let out = stand.dir.path().join("a.wacz");
    std::fs::write(&out, "precious").unwrap();
    let refused = export(&stand.job(), &["--wacz", text(&out)]);
    assert_exit(&refused, 4);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--force"));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "precious");
    exported(&stand.job(), &["--wacz", text(&out), "--force"]);
    assert_valid(&out);
    // What selects nothing writes nothing.
    let empty = stand.dir.path().join("empty.wacz");
    assert_exit(&export(&stand.job(), &["--wacz", text(&empty), "--host", "nowhere.test"]), 9);
    assert!(!empty.exists());
}

#[test]
fn mistakes_are_told_before_anything_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.wacz");
    let warc = dir.path().join("a.warc");
    std::fs::write(&warc, plain_archive(3)).unwrap();
    for (source, args) in [
        (warc.clone(), vec!["--wacz", text(&out), "--score", "7"]),
        (warc.clone(), vec!["--wacz", text(&out), "--query", "host =="]),
        (warc.clone(), vec!["--wacz", text(&out), "--from", "someday"]),
        (warc.clone(), vec![]),
        (dir.path().join("nowhere"), vec!["--wacz", text(&out)]),
    ] {
        assert_exit(&export(&source, &args), 4);
    }
    std::fs::write(dir.path().join("no.wacz"), "this is no ZIP file").unwrap();
    assert_exit(&export(&dir.path().join("no.wacz"), &["--wacz", text(&out)]), 4);
    assert_eq!(files_in(dir.path(), "").len(), 2, "nothing else was written");
}

#[test]
fn an_interrupted_export_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let (source, out) = (dir.path().join("a.warc"), dir.path().join("out"));
    std::fs::write(&source, plain_archive(400_000)).unwrap();
    let mut command = annalist();
    command.arg("export").arg(&source).arg("--warc").arg(&out).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    listens(child.id(), LIMIT);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_exit(&wait(child, LIMIT), 11);
    assert_eq!(files_in(dir.path(), ""), [source]);
}

/// WARC records as others write them, not compressed.
fn plain_archive(count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..count {
        let body = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{number}");
        write!(
            bytes,
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:{number}>\r\nWARC-Date: 2011-03-05T10:00:00Z\r\n\
             WARC-Target-URI: http://a.test/{number}\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
            body.len()
        )
        .unwrap();
    }
    bytes
}

#[test]
fn an_archive_of_others_is_a_source_too_whatever_is_broken_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("a.warc.gz");
    let mut bytes = Vec::new();
    for record in
        String::from_utf8(plain_archive(5)).unwrap().split_inclusive("\r\n\r\n").collect::<Vec<_>>().chunks(3)
    {
        let mut gzip =
            Command::new("gzip").arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        gzip.stdin.take().unwrap().write_all(record.concat().as_bytes()).unwrap();
        bytes.push(gzip.wait_with_output().unwrap().stdout);
    }
    let broken = bytes[2].len() - 6;
    bytes[2][broken] ^= 0xff;
    std::fs::write(&source, bytes.concat()).unwrap();
    let out: PathBuf = dir.path().join("out.wacz");
    let output = export(&source, &["--wacz", text(&out)]);
    // Damage is told, and what is intact is there.
    assert_exit(&output, 9);
    let kept = urls(&of_kind(&records(&out), "response"));
    assert_eq!(kept.len(), 4);
    assert!(!kept.contains("http://a.test/2"));
    assert_valid(&out);
}

#[test]
fn a_collection_out_of_an_archive_tells_what_the_archive_lacks() {
    let dir = tempfile::tempdir().unwrap();
    let (spec, job) = (dir.path().join("spec.toml"), dir.path().join("job"));
    let page = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html><title>Festival</title>\
        <meta property=article:published_time content=2010-06-02T08:00:00-05:00><p>The lantern festival. <a href=/lost>Lantern festival, \"the lost page\"</a>";
    let archive = dir.path().join("old.warc");
    std::fs::write(&archive, record("response", "WARC-Target-URI: <http://fest.test/>\r\n", page)).unwrap();
    let topic = "name = \"festival\"\n[topic]\nreferences = [\"http://fest.test/\"]\n";
    std::fs::write(&spec, topic).unwrap();
    let mut extract = annalist();
    extract.arg("extract").arg(&spec).arg("--archive").arg(&archive).arg("--job").arg(&job);
    assert_exit(&finish(&mut extract, LIMIT), 0);

    let tables = dir.path().join("tables");
    let told = exported(&job, &["--csv", text(&tables)]);
    assert_eq!((&told["captures"], &told["missing"]), (&1.into(), &1.into()));
    let urls = std::fs::read_to_string(tables.join("urls.csv")).unwrap();
    assert!(urls.contains("http://fest.test/,20110305100000,2010-06-02,200,text/html,"), "{urls}");
    let missing = std::fs::read_to_string(tables.join("missing.csv")).unwrap();
    let estimated = std::fs::read_to_string(job.join("missing.txt")).unwrap();
    let estimated =
        estimated.lines().find_map(|line| line.strip_prefix("http://fest.test/lost\tscore=")).unwrap();
    let row = format!(
        "http://fest.test/lost,{estimated},1,http://fest.test/,\"Lantern festival, \"\"the lost page\"\"\",missing,"
    );
    assert!(missing.contains(&row), "{missing}{row}");
}

#[test]
fn an_answer_from_before_there_were_heads_is_a_page_too() {
    let dir = tempfile::tempdir().unwrap();
    let (archive, tables) = (dir.path().join("old.warc"), dir.path().join("tables"));
    let page = "<html><title>Very old</title>";
    std::fs::write(&archive, record("response", "WARC-Target-URI: http://a.test/\r\n", page)).unwrap();
    exported(&archive, &["--csv", text(&tables), "--mime", "text/html", "--status", "200"]);
    let urls = std::fs::read_to_string(tables.join("urls.csv")).unwrap();
    assert!(urls.contains("http://a.test/,20110305100000,,200,text/html,,,Very old,"), "{urls}");
}

#[test]
fn pages_are_selected_by_when_they_were_published_too() {
    let dir = tempfile::tempdir().unwrap();
    let (archive, tables) = (dir.path().join("old.warc"), dir.path().join("tables"));
    let page = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Festival</title>";
    let about = "published: 2010-06-02T23:00:00-05:00\r\nrelevance: 0.75\r\n";
    let bytes = [
        record("response", "WARC-Target-URI: http://fest.test/\r\n", page),
        record("metadata", "WARC-Concurrent-To: <urn:x:response>\r\n", about),
    ];
    std::fs::write(&archive, bytes.concat()).unwrap();
    let day = |args: &[&str]| {
        export(&archive, &[&["--csv", text(&tables), "--force", "--published"], args].concat())
    };
    assert_exit(&day(&["--from", "2010-06-02", "--until", "2010-06-02"]), 0);
    let urls = std::fs::read_to_string(tables.join("urls.csv")).unwrap();
    assert!(
        urls.contains("http://fest.test/,20110305100000,2010-06-02,200,text/html,,0.7500,Festival,"),
        "{urls}"
    );
    assert_exit(&day(&["--until", "2010-06-01"]), 9);
    assert_exit(&day(&["--from", "2010-06-03"]), 9);
    assert_exit(&day(&[]), 0);
    std::fs::write(&archive, &bytes[0]).unwrap();
    assert_exit(&day(&[]), 9);
}

#[test]
fn what_pages_share_comes_along_whichever_of_them_found_it() {
    let dir = tempfile::tempdir().unwrap();
    let (archive, out) = (dir.path().join("shared.warc"), dir.path().join("out"));
    let links = "outlink: http://a.test/elsewhere L a\r\n".repeat(3_000);
    let shows = format!("hopsFromSeed: L\r\n{links}outlink: http://a.test/style.css E stylesheet\r\n");
    let style =
        "via: http://a.test/dropped\r\nhopsFromSeed: LE\r\noutlink: http://a.test/old.png E css-url\r\n";
    let image = "via: http://a.test/other.css\r\nhopsFromSeed: LEE\r\n";
    let moved = format!("{image}outlink: http://a.test/new.png R redirect\r\n");
    let captures = [
        ("a.test/dropped", "text/html", shows.as_str()),
        ("a.test/style.css", "text/css", style),
        ("a.test/old.png", "image/png", moved.as_str()),
        ("a.test/new.png", "image/png", image),
        ("a.test/kept/1", "text/html", shows.as_str()),
        ("a.test/kept/2", "text/html", shows.as_str()),
        ("a.test/elsewhere", "text/html", "hopsFromSeed: L\r\n"),
    ];
    std::fs::write(&archive, archive_of(&captures)).unwrap();
    exported(&archive, &["--warc", text(&out), "--url-prefix", "http://a.test/kept/"]);
    let there = urls(&of_kind(&records(&out), "response"));
    let expected = ["kept/1", "kept/2", "new.png", "old.png", "style.css"];
    assert_eq!(there, BTreeSet::from(expected.map(|name| format!("http://a.test/{name}"))));
}

#[test]
fn images_are_followed_to_where_they_really_are_and_pages_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let (archive, out) = (dir.path().join("moved.warc"), dir.path().join("out"));
    let image = "via: http://b.test/page\r\nhopsFromSeed: LE\r\n";
    let captures = [
        (
            "a.test/page",
            "text/html",
            "hopsFromSeed: L\r\noutlink: http://a.test/shown E img\r\noutlink: http://a.test/linked E img\r\n",
        ),
        (
            "a.test/shown",
            "image/png",
            "via: http://a.test/page\r\nhopsFromSeed: LE\r\noutlink: http://cdn.test/1 R redirect\r\n",
        ),
        // It was found as a link first.
        ("a.test/linked", "image/png", "hopsFromSeed: L\r\noutlink: http://cdn.test/2 R redirect\r\n"),
        ("a.test/moved", "text/html", "hopsFromSeed: L\r\noutlink: http://b.test/page R redirect\r\n"),
        ("b.test/page", "text/html", "hopsFromSeed: L\r\n"),
        ("cdn.test/1", "image/png", image),
        ("cdn.test/2", "image/png", image),
    ];
    std::fs::write(&archive, archive_of(&captures)).unwrap();
    exported(&archive, &["--warc", text(&out), "--host", "a.test"]);
    let there = urls(&of_kind(&records(&out), "response"));
    let expected =
        ["a.test/linked", "a.test/moved", "a.test/page", "a.test/shown", "cdn.test/1", "cdn.test/2"];
    assert_eq!(there, BTreeSet::from(expected.map(|name| format!("http://{name}"))));
}

/// Captures by their addresses without scheme, each with what is said of it.
fn archive_of(captures: &[(&str, &str, &str)]) -> String {
    let one = |(name, mime, about): &(&str, &str, &str)| {
        let answer = format!("HTTP/1.0 200 OK\r\nContent-Type: {mime}\r\n\r\n{name}");
        let own = format!("WARC-Target-URI: http://{name}\r\n");
        let response = record("response", &own, &answer);
        let metadata = record("metadata", &format!("{own}WARC-Concurrent-To: <urn:x:response>\r\n"), about);
        // Each has a name of its own.
        let rename = |record: String, kind: &str| {
            record.replace(&format!("<urn:x:{kind}>"), &format!("<urn:x:{kind}/{name}>"))
        };
        rename(response, "response") + &rename(rename(metadata, "metadata"), "response")
    };
    captures.iter().map(one).collect()
}

/// A record of others, named by its kind.
fn record(kind: &str, more: &str, block: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x:{kind}>\r\nWARC-Date: 2011-03-05T10:00:00Z\r\n{more}\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

/// The rows of a table, and the types of its columns.
fn parquet_rows(path: &Path) -> (Vec<parquet::record::Row>, Vec<String>) {
    use parquet::file::reader::FileReader;
    let reader =
        parquet::file::serialized_reader::SerializedFileReader::new(std::fs::File::open(path).unwrap())
            .unwrap();
    let columns = reader.metadata().file_metadata().schema_descr().columns().to_vec();
    let types =
        columns.iter().map(|column| format!("{} {:?}", column.name(), column.logical_type_ref())).collect();
    (reader.get_row_iter(None).unwrap().map(Result::unwrap).collect(), types)
}

#[test]
fn tables_with_types_hold_what_the_plain_ones_hold() {
    use parquet::record::RowAccessor;
    let stand = crawled();
    let (plain, typed) = (stand.dir.path().join("plain"), stand.dir.path().join("typed"));
    exported(&stand.job(), &["--csv", text(&plain), "--parquet", text(&typed)]);
    let lines = std::fs::read_to_string(plain.join("urls.csv")).unwrap();
    let (rows, types) = parquet_rows(&typed.join("urls.parquet"));
    let urls: BTreeSet<_> = rows.iter().map(|row| row.get_string(0).unwrap().clone()).collect();
    assert_eq!(lines.matches("\r\n").count(), rows.len() + 1);
    assert!(urls.iter().all(|url| lines.contains(url)), "{urls:?}");
    assert!(rows.iter().all(|row| row.get_timestamp_millis(1).is_ok() && row.get_long(10).is_ok()));
    assert!(rows.iter().any(|row| row.get_long(3).ok() == Some(200)
        && matches!(row.get_column_iter().nth(2), Some((_, parquet::record::Field::Date(_))))
        && row.get_double(6).is_ok()));
    assert_eq!(types[2], "published Some(Date)");
    let (links, _) = parquet_rows(&typed.join("links.parquet"));
    assert!(links.iter().all(|row| urls.contains(row.get_string(0).unwrap())) && links.len() > urls.len());
    let (objects, _) = parquet_rows(&typed.join("objects.parquet"));
    let told = finish(annalist().args(["apps", "objects", text(&stand.job()), "--json"]), LIMIT);
    let ids: BTreeSet<_> = objects.iter().map(|row| row.get_string(0).unwrap().clone()).collect();
    assert_eq!(json_of(&told)["objects"].as_u64(), Some(ids.len() as u64));
    assert!(!ids.is_empty() && objects.iter().all(|row| !row.get_string(9).unwrap().is_empty()));
    assert_exit(&export(&stand.job(), &["--parquet", text(&typed)]), 4);
}
