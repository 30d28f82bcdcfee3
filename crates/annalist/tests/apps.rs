//! The application-aware helper: what it saves on blogs and forums with all their views of the same content, and what it lifts out.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use annalist_testweb::{HostKind, Junk, WorldConfig};
use annalist_warc::Reader;
use serde_json::Value;
use support::script::{self, Script, html, missing};
use support::{IMPATIENT, Stand, annalist, assert_exit, assert_valid, captures, files_in, finish};

const LIMIT: Duration = Duration::from_secs(300);

fn web() -> WorldConfig {
    WorldConfig {
        hosts: 12,
        pages: 360,
        images_per_host: 1,
        outside_links: 0.3,
        // Each host by itself: what leads away says nothing about what is saved.
        crawl_delays: 0.0,
        junk: Junk::On,
        ..WorldConfig::default()
    }
}

/// A spec for the blogs and forums of the web.
fn spec(stand: &Stand, apps: bool) -> std::path::PathBuf {
    let hosts = stand.web.world().truth().healthy_hosts().iter();
    let seeds: String = hosts
        .filter(|host| matches!(host.kind, HostKind::Blog | HostKind::Forum))
        .map(|host| format!("[[seed]]\nurl = \"http://{}/\"\nscope = \"host\"\n", host.name))
        .collect();
    let text = format!(
        "name = \"apps\"\napps = {apps}\n{seeds}{IMPATIENT}[politeness]\nmin_delay = \"0s\"\n{}",
        stand.web.network_toml()
    );
    let path = stand.dir.path().join(format!("apps-{apps}.toml"));
    std::fs::write(&path, text).unwrap();
    path
}

/// Crawls; how many requests the servers saw.
fn crawl(stand: &Stand, spec: &Path, job: &Path) -> usize {
    stand.web.clear_log();
    assert_exit(&finish(&mut stand.crawl_into(spec, job), LIMIT), 0);
    assert_valid(job);
    stand.web.log().entries.len()
}

fn objects(job: &Path) -> Vec<Value> {
    let output = annalist().args(["apps", "objects", "--jsonl"]).arg(job).output().unwrap();
    assert_exit(&output, 0);
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What must be found: each post and comment of the pages that may be asked for, once. By kind, author, date and text.
fn truth(stand: &Stand) -> HashSet<(String, String, String)> {
    let truth = stand.web.world().truth();
    let pages = truth.allowed_pages().filter(|page| {
        let host = stand.web.world().host(&page.host).unwrap();
        page.kind.is_content() && matches!(host.kind, HostKind::Blog | HostKind::Forum)
    });
    pages
        .flat_map(|page| truth.objects(&page.host, &page.path))
        .map(|object| (object.author, moment(&object.published), words(&object.text).join(" ")))
        .collect()
}

/// One spelling for one moment.
fn moment(date: &str) -> String {
    date.replace("+00:00", "Z")
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The addresses outside of the web that the pages of a crawl link to.
fn outside(stand: &Stand, job: &Path) -> HashSet<String> {
    let mut found = HashSet::new();
    for file in files_in(&job.join("archive"), ".warc.gz") {
        let mut warc = Reader::open(&file).unwrap();
        while let Some(mut record) = warc.next_record().unwrap() {
            if record.kind() == "metadata" {
                let mut text = String::new();
                record.read_to_string(&mut text).unwrap();
                let links = text.lines().filter_map(|line| line.strip_prefix("outlink: ")?.split(' ').next());
                let host = |url: &str| url.split('/').nth(2).unwrap_or_default().to_owned();
                let is_outside = |url: &&str| stand.web.world().host(&host(url)).is_none();
                found.extend(links.filter(is_outside).map(str::to_owned));
            }
            record.finish().unwrap();
        }
    }
    found
}

fn two_grams<'t>(texts: impl Iterator<Item = &'t str>) -> HashSet<(String, String)> {
    let mut grams = HashSet::new();
    for text in texts {
        let words = words(text);
        grams.extend(words.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    grams
}

#[test]
fn on_blogs_and_forums_a_seventh_of_the_requests_brings_every_post_and_comment() {
    let stand = Stand::new(web());
    let (blind, helped) = (stand.dir.path().join("blind"), stand.dir.path().join("helped"));
    let without = crawl(&stand, &spec(&stand, false), &blind);
    let with = crawl(&stand, &spec(&stand, true), &helped);
    println!(
        "requests: {without} blind, {with} with the helper, {:.1} times fewer",
        without as f64 / with as f64
    );
    assert!(captures(&blind).len() > captures(&helped).len());

    let text = |object: &Value, name: &str| object[name].as_str().unwrap_or_default().to_owned();
    let objects = objects(&helped);
    let found: HashSet<(String, String, String)> = objects
        .iter()
        .map(|object| {
            (text(object, "author"), moment(&text(object, "date")), words(&text(object, "body")).join(" "))
        })
        .collect();
    let truth = truth(&stand);
    let missed: Vec<_> = truth.iter().filter(|object| !found.contains(*object)).collect();
    let share = 1.0 - missed.len() as f64 / truth.len() as f64;
    println!("objects: {} of {} found, {share:.4}", truth.len() - missed.len(), truth.len());
    let expected = two_grams(truth.iter().map(|(_, _, text)| text.as_str()));
    let bodies: Vec<String> = objects.iter().map(|object| text(object, "body")).collect();
    let got = two_grams(bodies.iter().map(String::as_str));
    let covered = expected.iter().filter(|gram| got.contains(*gram)).count() as f64 / expected.len() as f64;
    println!("2-grams: {covered:.4}");
    let (all, kept) = (outside(&stand, &blind), outside(&stand, &helped));
    let kept = all.iter().filter(|url| kept.contains(*url)).count();
    println!("links to the outside: {kept} of {}", all.len());
    assert!(all.len() > 20 && kept * 1000 >= all.len() * 995, "{kept} of {}", all.len());
    // The same post under two addresses is one object.
    let mut times: HashMap<String, usize> = HashMap::new();
    for object in &objects {
        *times.entry(text(object, "id")).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1));
    assert!(share >= 0.99, "{:?}", missed.iter().take(5).collect::<Vec<_>>());
    assert!(covered >= 0.98, "{covered}");
    assert!(without >= 7 * with, "{without} requests against {with}");
}

/// A thread of a board whose template calls `message` what phpBB calls `content`, and so on.
fn thread(number: usize, classes: [&str; 2]) -> String {
    let [body, post] = classes;
    let one = |reply: usize| {
        let id = number * 10 + reply;
        format!(
            "<div id=\"p{id}\" class=\"{post} bg1\"><div class=\"inner\"><p class=\"author\">by \
             <strong><a class=\"username\" href=\"./memberlist.php?u={reply}\">person{reply}</a></strong> » \
             <time datetime=\"2022-03-0{}T18:31:02+00:00\">March</time></p>\
             <div class=\"{body}\">Words number {reply} in thread {number}, and some more of them.</div></div></div>",
            reply + 1
        )
    };
    html(&format!(
        "<title>Thread {number}</title><link rel=stylesheet href=\"/styles/prosilver/theme/x.css\"><body id=phpbb \
         class=\"section-viewtopic\"><div id=page-body><h2 class=\"topic-title\">Thread {number}</h2>{}</div>\
         <p>Powered by <a href=\"https://www.phpbb.com/\">phpBB</a>&reg; Forum Software</p>",
        (0..3).map(one).collect::<String>()
    ))
}

fn board(threads: usize) -> String {
    let links: String = (1..=threads)
        .map(|t| format!("<li><a class=topictitle href=\"./viewtopic.php?t={t}\">{t}</a></li>"))
        .collect();
    html(&format!(
        "<title>Board</title><link rel=stylesheet href=\"/styles/prosilver/theme/x.css\"><body id=phpbb \
         class=\"section-viewforum\"><ul class=\"topiclist topics\">{links}</ul><a href=\"./posting.php?mode=post\">new</a>"
    ))
}

fn number_of(path: &str) -> Option<usize> {
    path.strip_prefix("/viewtopic.php?t=")?.parse().ok()
}

#[test]
fn a_template_that_nobody_described_is_learned_told_and_can_be_accepted() {
    let server = Script::serve(|path, _| match number_of(path) {
        Some(number) => thread(number, ["mycontent", "mypost"]),
        None if path.starts_with("/viewforum.php") => board(6),
        None => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let text = script::spec(server.address, "").replace("http://a.test/", "http://a.test/viewforum.php?f=1");
    std::fs::write(dir.path().join("spec.toml"), text).unwrap();
    let job = dir.path().join("job");
    let mut crawl = annalist();
    crawl.arg("crawl").arg(dir.path().join("spec.toml")).arg("--job").arg(&job).args(["--json", "--quiet"]);
    assert_exit(&finish(&mut crawl, LIMIT), 0);
    assert!(!server.paths().iter().any(|path| path.contains("posting.php")), "{:?}", server.paths());

    let found = objects(&job);
    assert_eq!(found.len(), 18, "{found:#?}");
    let text = |object: &Value, name: &str| object[name].as_str().unwrap_or_default().to_owned();
    for object in &found {
        assert!(text(object, "author").starts_with("person"), "{object}");
        assert!(text(object, "date").starts_with("2022-03-0"), "{object}");
        assert!(text(object, "body").starts_with("Words number"), "{object}");
    }
    let accepted = dir.path().join("mine");
    let learned =
        annalist().args(["apps", "learned"]).arg(&job).arg("--accept").arg(&accepted).output().unwrap();
    assert_exit(&learned, 0);
    let told = String::from_utf8_lossy(&learned.stdout).into_owned();
    assert!(told.contains("phpbb at a.test") && told.contains("mycontent"), "{told}");
    let checked = annalist().args(["apps", "check"]).arg(&accepted).output().unwrap();
    assert_exit(&checked, 0);
    let skipped = std::fs::read_to_string(job.join("logs/skipped.jsonl")).unwrap();
    assert!(skipped.contains("\"application\"") && skipped.contains("posting.php"), "{skipped}");
}

#[test]
fn a_page_whose_template_changed_between_two_visits_gives_the_same_objects() {
    let visits = AtomicUsize::new(0);
    let server = Script::serve(move |path, _| match number_of(path) {
        Some(number) => match visits.fetch_add(1, Ordering::SeqCst) {
            0 => thread(number, ["content", "post"]),
            _ => thread(number, ["q7", "zz"]),
        },
        None => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let text = script::spec(server.address, "")
        .replace("http://a.test/", "http://a.test/viewtopic.php?t=1")
        .replacen("[politeness]", "recrawl = \"1s\"\n[politeness]", 1);
    std::fs::write(dir.path().join("spec.toml"), text).unwrap();
    let job = dir.path().join("job");
    let mut crawl = annalist();
    crawl.arg("crawl").arg(dir.path().join("spec.toml")).arg("--job").arg(&job).args(["--json", "--quiet"]);
    crawl.args(["--time-limit", "8s"]);
    assert_exit(&finish(&mut crawl, LIMIT), 15);
    let asked = server.paths().iter().filter(|path| number_of(path).is_some()).count();
    assert!(asked >= 2, "{asked}");
    // The later ones count; they are the same.
    let found = objects(&job);
    assert_eq!(found.len(), 3, "{found:#?}");
    for object in &found {
        assert!(object["author"].as_str().unwrap().starts_with("person"), "{object}");
        assert!(object["body"].as_str().unwrap().starts_with("Words number"), "{object}");
        assert!(object["date"].as_str().is_some(), "{object}");
    }
}

#[test]
fn what_was_on_pages_is_remembered_though_the_crawl_is_killed() {
    let server =
        Script::serve(|path, _| number_of(path).map_or_else(missing, |n| thread(n, ["content", "post"])));
    let dir = tempfile::tempdir().unwrap();
    let text = script::spec(server.address, "")
        .replace("http://a.test/", "http://a.test/viewtopic.php?t=1")
        .replacen("[politeness]", "recrawl = \"1h\"\n[politeness]", 1);
    std::fs::write(dir.path().join("spec.toml"), text).unwrap();
    let job = dir.path().join("job");
    let mut crawl = annalist();
    crawl.arg("crawl").arg(dir.path().join("spec.toml")).arg("--job").arg(&job).args(["--json", "--quiet"]);
    let mut child = crawl.spawn().unwrap();
    let begun = Instant::now();
    while !job.join("state/objects.json").exists() && begun.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = std::fs::read_to_string(job.join("state/objects.json")).unwrap();
    assert!(kept.contains("Words number 2 in thread 1"), "{kept}");
}

#[test]
fn a_page_that_is_only_looked_at_is_fetched_without_what_it_embeds() {
    let server = Script::serve(|path, _| match path {
        "/page" => html("<title>x</title><p>Some words beside a picture.</p><img src=/picture.png>"),
        _ => missing(),
    });
    let mut look = annalist();
    look.args(["apps", "extract", "--allow", "127.0.0.0/8", "--contact", "https://example.org/", "--json"]);
    look.arg(format!("http://{}/page", server.address));
    assert_exit(&finish(&mut look, LIMIT), 0);
    assert_eq!(server.paths(), ["/robots.txt", "/page"]);
}

#[test]
fn the_whole_catalogue_is_right_and_its_examples_come_out_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue");
    let checked = annalist().args(["apps", "check"]).arg(folder).output().unwrap();
    assert_exit(&checked, 0);
    let told = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(told.trim_end().ends_with(" 0 faults"), "{told}");
}
