//! The world compared with its own truth, without sockets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

use std::collections::{HashMap, HashSet, VecDeque};

use annalist_testweb::{
    Answer, Charset, Compression, Hazard, HostKind, Junk, ObjectKind, PageKind, Request, Response, World,
    WorldConfig,
};

fn get(world: &World, url: &str) -> Response {
    let (host, target) = split(url);
    match world.answer(&Request::get(host, target)) {
        Answer::Proper(response) => response,
        Answer::Broken(_) => panic!("{url} broke HTTP"),
    }
}

fn split(url: &str) -> (&str, &str) {
    let rest = url.strip_prefix("http://").unwrap_or_else(|| panic!("{url} is not http"));
    rest.split_at(rest.find('/').unwrap_or_else(|| panic!("{url} has no path")))
}

/// The text of a page whatever its charset; only ASCII matters here.
fn text(body: &[u8]) -> String {
    if body.starts_with(&[0xff, 0xfe]) {
        let units: Vec<u16> =
            body[2..].chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        return String::from_utf16(&units).unwrap();
    }
    if body.starts_with(&[0x1f, 0x8b]) {
        let mut plain = vec![0; 1 << 20];
        let length = libdeflater::Decompressor::new().gzip_decompress(body, &mut plain).unwrap();
        plain.truncate(length);
        return String::from_utf8(plain).unwrap();
    }
    String::from_utf8_lossy(body).into_owned()
}

/// Everything between a marker and its end.
fn all_between<'a>(text: &'a str, marker: &str, end: char) -> Vec<&'a str> {
    text.split(marker).skip(1).filter_map(|rest| rest.split(end).next()).collect()
}

fn links(url: &str, response: &Response) -> Vec<String> {
    let text = text(&response.body);
    let mut found: Vec<&str> = Vec::new();
    for marker in ["href=\"", " src=\"", "data-src=\"", "url(\"", "srcset=\""] {
        found.extend(all_between(&text, marker, '"'));
    }
    found.extend(all_between(&text, "<loc>", '<'));
    found.extend(all_between(&text, "<link>", '<'));
    found.extend(all_between(&text, "Sitemap: ", '\n'));
    found.extend(response.field("Location"));
    let (host, _) = split(url);
    let flat = found.into_iter().flat_map(|link| link.split(", "));
    flat.filter_map(|link| resolve(host, link.split(' ').next().unwrap_or_default())).collect()
}

fn resolve(host: &str, link: &str) -> Option<String> {
    let link = link.trim().replace("&amp;", "&");
    let link = link.split('#').next().unwrap_or_default();
    match link {
        "" => None,
        absolute if absolute.starts_with("http") => Some(absolute.to_owned()),
        rooted if rooted.starts_with('/') => Some(format!("http://{host}{rooted}")),
        relative => Some(format!("http://{host}/{relative}")),
    }
}

/// Every address that links lead to, with the status it answers.
fn crawl(world: &World) -> HashMap<String, u16> {
    let mut waiting: VecDeque<String> = world.seeds().into();
    waiting.extend(world.hosts().iter().map(|host| format!("http://{}/robots.txt", host.name)));
    let mut seen: HashSet<String> = waiting.iter().cloned().collect();
    let mut found = HashMap::new();
    while let Some(url) = waiting.pop_front() {
        let response = get(world, &url);
        for link in links(&url, &response) {
            if seen.insert(link.clone()) {
                waiting.push_back(link);
            }
        }
        found.insert(url, response.status);
    }
    found.retain(|url, _| !url.ends_with("/robots.txt"));
    found
}

fn with_status(found: &HashMap<String, u16>, wanted: impl Fn(u16) -> bool) -> HashSet<&str> {
    found.iter().filter(|(_, status)| wanted(**status)).map(|(url, _)| url.as_str()).collect()
}

#[test]
fn following_all_links_finds_exactly_what_the_truth_lists() {
    for seed in [1, 2] {
        let world = World::new(WorldConfig { seed, broken_links: 0.1, ..WorldConfig::default() });
        let found = crawl(&world);
        let pages: HashSet<String> = world.truth().pages().map(|page| page.url).collect();
        let pages: HashSet<&str> = pages.iter().map(String::as_str).collect();
        assert_eq!(with_status(&found, |status| status == 200), pages);
        let redirects: HashSet<String> = world.truth().redirects().map(|redirect| redirect.url).collect();
        let redirects: HashSet<&str> = redirects.iter().map(String::as_str).collect();
        assert_eq!(with_status(&found, |status| (300..400).contains(&status)), redirects);
        // The truth's missing pages are those that a polite crawler meets; this one is not polite.
        let missing: HashSet<String> = world.truth().missing().collect();
        let met = with_status(&found, |status| status == 404);
        assert!(missing.iter().all(|url| met.contains(url.as_str())));
        assert!(met.iter().all(|url| url.contains("/missing/")), "{met:?}");
        assert!(!missing.is_empty());
    }
}

#[test]
fn all_kinds_of_pages_occur_in_the_smallest_web() {
    let world = World::new(WorldConfig { sitemaps: 1.0, robots_rules: 1.0, ..WorldConfig::default() });
    let kinds: HashSet<PageKind> = world.truth().pages().map(|page| page.kind).collect();
    assert_eq!(kinds.len(), 9, "{kinds:?}");
    let content = world.truth().pages().filter(|page| page.kind.is_content() && page.duplicate_of.is_none());
    assert!(content.count() >= 500);
    assert!(world.truth().distinct_documents() > 500);
    for topic in 0..8 {
        assert!(world.truth().relevant(topic).count() > 10, "topic {topic}");
    }
}

#[test]
fn equal_seeds_give_equal_bytes_and_others_other_ones() {
    let config = WorldConfig { hazards: Hazard::ALL.to_vec(), ..WorldConfig::default() };
    let (one, two) = (World::new(config.clone()), World::new(config.clone()));
    let other = World::new(WorldConfig { seed: 99, ..config });
    let pages: Vec<String> = one.truth().pages().map(|page| page.url).collect();
    for url in &pages {
        let (first, second) = (get(&one, url), get(&two, url));
        assert_eq!((first.body, first.fields), (second.body, second.fields), "{url}");
    }
    assert_ne!(pages, other.truth().pages().map(|page| page.url).collect::<Vec<_>>());
}

#[test]
fn hazards_change_no_healthy_page() {
    let calm = World::new(WorldConfig::default());
    let wild = World::new(WorldConfig { hazards: Hazard::ALL.to_vec(), ..WorldConfig::default() });
    assert!(wild.hosts().len() > calm.hosts().len());
    assert!(calm.truth().pages().eq(wild.truth().pages()));
    for page in calm.truth().pages().step_by(7) {
        assert_eq!(get(&calm, &page.url).body, get(&wild, &page.url).body);
    }
}

#[test]
fn duplicates_have_the_same_body_and_nothing_else_has() {
    let world = World::new(WorldConfig { duplicates: 0.2, ..WorldConfig::default() });
    let mut copies = 0;
    let mut bodies = HashMap::new();
    for page in world.truth().pages().filter(|page| page.kind.is_document()) {
        let body = get(&world, &page.url).body;
        match &page.duplicate_of {
            Some(original) => {
                copies += 1;
                assert_eq!(body, get(&world, original).body, "{} and {original}", page.url);
            }
            None => assert_eq!(bodies.insert(body, page.url.clone()), None, "{}", page.url),
        }
    }
    assert!(copies > 50, "{copies}");
}

#[test]
fn forbidden_pages_are_there_and_under_the_path_that_robots_txt_names() {
    let world = World::new(WorldConfig { forbidden: 0.2, robots_rules: 1.0, ..WorldConfig::default() });
    let forbidden: Vec<_> = world.truth().forbidden_pages().collect();
    assert!(forbidden.len() > 20, "{}", forbidden.len());
    for page in &forbidden {
        assert!(page.path.starts_with("/private/"), "{}", page.path);
        let robots = get(&world, &format!("http://{}/robots.txt", page.host));
        assert!(text(&robots.body).contains("rivate"), "{}", page.host);
    }
    assert!(world.truth().allowed_pages().all(|page| !page.path.starts_with("/private/")));
}

#[test]
fn pages_are_near_the_mean_size_that_was_asked_for() {
    for (page_bytes, links_per_page) in [(4_000, 10), (20_000, 40)] {
        let config =
            WorldConfig { page_bytes, links_per_page, pages: 1_000, charsets: 0.0, ..WorldConfig::default() };
        let world = World::new(config);
        for kind in [PageKind::Article, PageKind::BlogPost, PageKind::Thread] {
            let sizes: Vec<usize> = world
                .truth()
                .pages()
                .filter(|page| page.kind == kind)
                .map(|page| get(&world, &page.url).body.len())
                .collect();
            let mean = sizes.iter().sum::<usize>() as f64 / sizes.len() as f64;
            let ratio = mean / page_bytes as f64;
            assert!((0.8..1.25).contains(&ratio), "{kind:?} of {page_bytes}: {mean}");
        }
    }
}

#[test]
fn posts_and_comments_of_the_truth_stand_on_their_page() {
    let world = World::new(WorldConfig { charsets: 0.0, ..WorldConfig::default() });
    let mut kinds: HashMap<ObjectKind, usize> = HashMap::new();
    for page in world.truth().pages().filter(|page| page.kind.is_content()).step_by(5) {
        let markup = text(&get(&world, &page.url).body);
        let plain = words(&markup);
        let objects = world.truth().objects(&page.host, &page.path);
        assert!(!objects.is_empty(), "{}", page.url);
        for object in objects {
            *kinds.entry(object.kind).or_default() += 1;
            assert!(plain.contains(&object.text), "{}: {}", page.url, object.text);
            assert!(markup.contains(&object.author) && markup.contains(&object.published), "{object:?}");
            if let Some(anchor) = object.anchor {
                assert!(markup.contains(&format!("id=\"{anchor}\"")), "{anchor}");
            }
        }
    }
    assert!(kinds[&ObjectKind::Post] > 50 && kinds[&ObjectKind::Comment] > 10, "{kinds:?}");
}

fn words(markup: &str) -> String {
    let pieces = markup.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    let text: Vec<&str> = pieces.flat_map(str::split_whitespace).collect();
    text.join(" ")
}

#[test]
fn junk_views_come_on_top_and_hide_no_content() {
    let world = World::new(WorldConfig { pages: 150, hosts: 6, junk: Junk::On, ..WorldConfig::default() });
    let found = crawl(&world);
    let content: HashSet<String> = world.truth().pages().map(|page| page.url).collect();
    let mut junk = 0;
    let mut reached = HashSet::new();
    for url in with_status(&found, |status| status == 200) {
        let plain = without_session(url);
        let (host, path) = split(&plain);
        if content.contains(&plain) {
            reached.insert(plain);
        } else {
            assert!(world.truth().is_junk(host, path), "{url}");
            junk += 1;
        }
    }
    assert_eq!(reached, content);
    assert!(junk > 300, "{junk}");
    let broken: Vec<_> = with_status(&found, |status| status == 404)
        .into_iter()
        .filter(|url| !url.contains("/missing/"))
        .collect();
    assert!(broken.is_empty(), "{broken:?}");
}

fn without_session(url: &str) -> String {
    let (start, session) = match url.find("sid=") {
        Some(at) => url.split_at(at - 1),
        None => return url.to_owned(),
    };
    let rest = session.get(1..).and_then(|rest| rest.find('&').map(|at| &rest[at..])).unwrap_or_default();
    format!("{start}{rest}")
}

#[test]
fn charsets_are_used_and_labelled() {
    let world = World::new(WorldConfig { hosts: 120, charsets: 1.0, ..WorldConfig::default() });
    let mut used = HashSet::new();
    for page in world.truth().pages().filter(|page| page.kind == PageKind::Home) {
        used.insert(page.charset);
        let response = get(&world, &page.url);
        let header = response.field("content-type").unwrap().to_ascii_lowercase();
        match page.charset {
            Charset::Utf16 => assert!(response.body.starts_with(&[0xff, 0xfe])),
            Charset::Windows1252 => assert!(text(&response.body).contains("charset=\"windows-1252\"")),
            other => assert!(header.contains(other.label()), "{header}"),
        }
    }
    assert_eq!(used.len(), 4, "{used:?}");
}

#[test]
fn a_page_that_has_not_changed_is_not_sent_again() {
    let world = World::new(WorldConfig::default());
    let page = world.truth().pages().find(|page| page.kind == PageKind::Article).unwrap();
    let first = get(&world, &page.url);
    let (tag, date) = (first.field("ETag").unwrap(), first.field("Last-Modified").unwrap());
    let request = Request::get(&page.host, &page.path);
    let conditional = [
        Request { if_none_match: Some(tag), ..request },
        Request { if_modified_since: Some(date), ..request },
    ];
    for request in conditional {
        assert_eq!(world.answer(&request).response().unwrap().status, 304);
    }
    let changed = Request { if_none_match: Some("\"other\""), if_modified_since: Some(date), ..request };
    assert_eq!(world.answer(&changed).response().unwrap().status, 200);
}

#[test]
fn compression_changes_the_wire_and_not_the_page() {
    let world = World::new(WorldConfig { gzip: 1.0, ..WorldConfig::default() });
    let page = world.truth().pages().find(|page| page.kind == PageKind::Article).unwrap();
    let plain = get(&world, &page.url);
    let request = Request { compression: Compression::Gzip, ..Request::get(&page.host, &page.path) };
    let answer = world.answer(&request);
    let packed = answer.response().unwrap();
    assert_eq!(packed.field("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < plain.body.len());
    assert_eq!(text(&packed.body).as_bytes(), plain.body);
}

#[test]
fn flaky_hosts_recover() {
    let world = World::new(WorldConfig { flaky: 1.0, ..WorldConfig::default() });
    let mut failures = 0;
    for page in world.truth().pages().filter(|page| page.kind.is_content()) {
        let request = Request::get(&page.host, &page.path);
        let first = world.answer(&request);
        failures += usize::from(first.response().is_none_or(|response| response.status != 200));
        let third = world.answer(&Request { attempt: 2, ..request });
        assert_eq!(third.response().unwrap().status, 200);
    }
    assert!(failures > 50, "{failures}");
}

#[test]
fn links_leave_this_web_only_when_asked_to() {
    let outside = |share| {
        let world = World::new(WorldConfig { outside_links: share, ..WorldConfig::default() });
        let pages = world.truth().pages().filter(|page| page.kind.is_document());
        let urls: Vec<String> = pages.map(|page| page.url).collect();
        urls.iter()
            .flat_map(|url| links(url, &get(&world, url)))
            .filter(|link| !link.contains(".test/"))
            .count()
    };
    assert_eq!(outside(0.0), 0);
    assert!(outside(0.1) > 10);
}

#[test]
fn odd_addresses_are_no_pages_and_do_no_harm() {
    let world = World::new(WorldConfig { junk: Junk::On, ..WorldConfig::default() });
    let odd = [
        "",
        "/..",
        "//",
        "/page/1/",
        "/page/99999999999999999999/",
        "/sitemap-.xml",
        "/sitemap-0.",
        "/images/picture-",
        "/images/picture-900.png",
        "/viewtopic.php?t=-1",
        "/viewtopic.php?t=0&start=1",
        "/viewforum.php?f=0",
        "/2010/13/x-1/",
        "/1/1/",
        "/category//",
        "/ü/\u{0}",
        "/go/999999",
        "/?p=",
        "-1.html",
        "/x-+1.html",
    ];
    for host in world.hosts() {
        for target in odd {
            let answer = world.answer(&Request::get(&host.name, target));
            let status = answer.response().unwrap().status;
            assert!(matches!(status, 200 | 404), "{} {target}: {status}", host.name);
        }
    }
    assert_eq!(world.answer(&Request::get("nobody.test", "/")).response().unwrap().status, 400);
}

#[test]
fn the_truth_as_json_names_hosts_pages_and_hazards() {
    let world = World::new(WorldConfig { hazards: vec![Hazard::Tarpit], ..WorldConfig::default() });
    let json: serde_json::Value = serde_json::from_str(&world.truth().to_json().unwrap()).unwrap();
    assert_eq!(json["pages"].as_array().unwrap().len(), world.truth().pages().count());
    let hazards = json["hosts"].as_array().unwrap().iter().filter(|host| host["hazard"] == "tarpit").count();
    assert_eq!(
        hazards,
        world.hosts().iter().filter(|host| host.kind == HostKind::Hazard(Hazard::Tarpit)).count()
    );
    let forbidden =
        json["pages"].as_array().unwrap().iter().filter(|page| page["robots"] == "forbidden").count();
    assert_eq!(forbidden, world.truth().forbidden_pages().count());
}
