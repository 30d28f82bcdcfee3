//! The society of the test web: its truth agrees with its pages, and has all that an analysis is measured by.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

use std::collections::{BTreeMap, BTreeSet};

use annalist_testweb::{
    Answer, EntityKind, Language, MentionPlace, ObjectKind, Request, SaidTruth, World, WorldConfig,
};

fn world() -> World {
    with_pages(600)
}

fn with_pages(pages: usize) -> World {
    World::new(WorldConfig { society: true, hosts: 24, pages, ..WorldConfig::default() })
}

fn body(world: &World, url: &str) -> Vec<u8> {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, target) = rest.split_at(rest.find('/').unwrap());
    match world.answer(&Request::get(host, target)) {
        Answer::Proper(response) => response.body.to_vec(),
        Answer::Broken(_) => panic!("{url}"),
    }
}

#[test]
fn every_mention_stands_in_its_text_and_is_a_spelling_of_its_entity() {
    let world = world();
    let entities = world.truth().entities();
    let mut count = BTreeMap::new();
    for said in world.truth().said() {
        for mention in &said.mentions {
            let entity = &entities[mention.entity];
            assert!(entity.spellings.contains(&mention.text), "{} is not {entity:?}", mention.text);
            let within = match mention.place {
                MentionPlace::Title => said.object.title.as_deref().unwrap(),
                _ => said.object.text.as_str(),
            };
            assert!(within.contains(&mention.text), "{} is not in {within}", mention.text);
            assert_eq!(entity.language, said.language);
            *count.entry((entity.kind as u8, mention.text == entity.name)).or_insert(0) += 1;
        }
    }
    assert!(count.values().all(|count| *count > 300), "{count:?}");
}

#[test]
fn the_texts_of_the_truth_stand_on_the_pages() {
    let world = world();
    let utf8 = world.hosts().iter().filter(|host| host.charset.label() == "utf-8");
    let utf8: BTreeSet<&str> = utf8.map(|host| host.name.as_str()).collect();
    let (mut checked, mut quoted) = (0, 0);
    for said in world.truth().said().filter(|said| utf8.contains(said.url.split('/').nth(2).unwrap())) {
        let page = String::from_utf8(body(&world, &said.url)).unwrap();
        for sentence in sentences(&said) {
            assert!(page.contains(sentence), "{sentence} is not on {}", said.url);
            checked += 1;
        }
        if let Some(quote) = &said.quote {
            assert!(page.contains(&format!("<blockquote><div><cite>{}", quote.author)));
            assert!(said.object.text.contains(&quote.text));
            quoted += 1;
        }
        for link in &said.links {
            let path = link.splitn(4, '/').nth(3).unwrap().replace('&', "&amp;");
            assert!(page.contains(&path), "{link} is not on {}", said.url);
            assert!(!body(&world, link).is_empty());
        }
    }
    assert!(checked > 500 && quoted > 100, "{checked} {quoted}");
}

/// The text between links and quotes, where white space is as it was.
fn sentences(said: &SaidTruth) -> impl Iterator<Item = &str> {
    said.object.text.split(". ").take(1).filter(|_| said.quote.is_none())
}

#[test]
fn there_are_namesakes_aliases_acronyms_and_new_names_in_every_language() {
    let world = with_pages(1500);
    let truth = world.truth();
    for language in Language::ALL {
        let of = |kind| {
            truth.entities().into_iter().filter(move |e| e.kind == kind && e.language == language).count()
        };
        assert!(
            of(EntityKind::Person) >= 15 && of(EntityKind::Organisation) >= 5 && of(EntityKind::Place) >= 10
        );
        let people = truth.people().into_iter().filter(|person| person.language == language);
        let families: Vec<String> = people.map(|p| p.spellings[1].trim_end_matches('ς').to_owned()).collect();
        let different: BTreeSet<&String> = families.iter().collect();
        assert!(different.len() < families.len(), "{language:?}: no namesakes");
    }
    let all: Vec<SaidTruth> = truth.said().collect();
    let renames = truth.renames();
    assert!(renames.len() >= 7, "{renames:?}");
    for rename in &renames {
        let mut seen = [0, 0];
        for said in &all {
            let own = said.mentions.iter().filter(|mention| mention.entity == rename.entity);
            for mention in own.filter(|mention| mention.place == MentionPlace::Text) {
                let new = mention.text.ends_with(rename.to.split(' ').next_back().unwrap());
                assert!(said.at >= rename.at || !new, "{rename:?} too early");
                seen[usize::from(new)] += 1;
            }
        }
        assert!(seen[0] > 5 && seen[1] > 5, "{rename:?}: {seen:?}");
    }
}

#[test]
fn at_least_twenty_things_happen_and_several_hosts_report_each() {
    let world = world();
    let truth = world.truth();
    let happenings = truth.happenings();
    assert!(happenings.len() >= 20, "{}", happenings.len());
    let titles: BTreeSet<&str> = happenings.iter().map(|happening| happening.title.as_str()).collect();
    assert_eq!(titles.len(), happenings.len(), "two have the same name");
    let mut published: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for said in truth.said().filter(|said| said.object.kind == ObjectKind::Post) {
        if let Some(happening) = said.happening {
            published.entry(happening).or_default().push(said.at);
        }
    }
    for happening in &happenings {
        let hosts: BTreeSet<&str> =
            happening.pages.iter().map(|url| url.split('/').nth(2).unwrap()).collect();
        assert!(happening.pages.len() >= 3 && hosts.len() >= 2, "{happening:?}");
        let times = &published[&happening.id];
        let day = 86_400;
        let near = times.iter().filter(|at| **at >= happening.from && **at < happening.until + 4 * day);
        assert!(near.count() * 10 >= times.len() * 5, "{happening:?}: {times:?}");
    }
}

#[test]
fn opinions_are_as_favourable_as_the_truth_says_and_turn_on_their_day() {
    let world = with_pages(2500);
    let mut shares: BTreeMap<(usize, bool), [f64; 2]> = BTreeMap::new();
    let favours = world.truth().favours();
    let turned: BTreeMap<usize, u64> = favours.iter().map(|favour| (favour.entity, favour.turned)).collect();
    let mut attitudes = [0; 3];
    for said in world.truth().said() {
        attitudes[usize::try_from(said.attitude + 1).unwrap()] += 1;
        for opinion in said.opinions.iter().filter(|opinion| opinion.polarity != 0) {
            let share = shares.entry((opinion.entity, said.at >= turned[&opinion.entity])).or_default();
            share[usize::from(opinion.polarity > 0)] += 1.0;
        }
    }
    assert!(attitudes.iter().all(|count| *count > 500), "{attitudes:?}");
    let changing: Vec<_> = favours.iter().filter(|favour| favour.before != favour.after).collect();
    assert!(changing.len() >= 20);
    let mut compared = 0;
    for favour in changing {
        let [before, after] = [false, true].map(|after| {
            let [blame, praise] = shares.get(&(favour.entity, after)).copied().unwrap_or_default();
            (praise / (blame + praise), blame + praise)
        });
        if before.1 >= 10.0 && after.1 >= 10.0 {
            assert!(
                (before.0 - favour.before).abs() < 0.4 && (after.0 - favour.after).abs() < 0.4,
                "{favour:?}"
            );
            assert_eq!(before.0 > after.0, favour.before > favour.after, "{favour:?}");
            compared += 1;
        }
    }
    assert!(compared >= 12, "{compared}");
}

#[test]
fn some_are_answered_and_quoted_far_more_than_others() {
    let world = world();
    for bonds in [world.truth().replies(), world.truth().quotes()] {
        let mut received: BTreeMap<&str, usize> = BTreeMap::new();
        for bond in &bonds {
            *received.entry(&bond.to).or_default() += bond.times;
        }
        let most = received.values().max().unwrap();
        let least = received.values().min().unwrap();
        assert!(*most > 5 * least, "{received:?}");
    }
}

#[test]
fn pictures_are_seen_again_in_other_sizes_formats_and_under_wrong_names() {
    let world = world();
    let pictures = world.truth().pictures();
    let mut groups: BTreeMap<usize, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for picture in &pictures {
        let bytes = body(&world, &picture.url);
        let magic = match picture.mime {
            "image/png" => &b"\x89PNG"[..],
            "image/jpeg" => b"\xff\xd8\xff",
            "image/gif" => b"GIF8",
            "image/bmp" => b"BM",
            _ => b"RIFF",
        };
        assert!(bytes.starts_with(magic), "{picture:?}");
        groups.entry(picture.picture).or_default().insert(bytes);
    }
    let formats: BTreeSet<&str> = pictures.iter().map(|picture| picture.mime).collect();
    assert_eq!(formats.len(), 5);
    assert!(pictures.iter().any(|picture| picture.mime != picture.declared));
    assert!(groups.values().filter(|shapes| shapes.len() > 1).count() > 10);
    let different: usize = groups.values().map(BTreeSet::len).sum();
    assert!(different < pictures.len(), "none is seen twice as it is");
}

#[test]
fn the_program_writes_it_as_an_archive_with_its_truth() {
    let dir = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_annalist-testweb"))
        .arg("society")
        .arg(dir.path())
        .args(["--hosts", "8", "--pages", "40"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let truth: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("truth.json")).unwrap()).unwrap();
    assert!(truth["society"]["said"].as_array().unwrap().len() > 40);
    assert!(truth["society"]["said"][0]["mentions"].is_array());
    let warcs: Vec<_> =
        std::fs::read_dir(dir.path().join("archive")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for report in annalist_warc::verify_all(&warcs) {
        assert!(report.is_clean(), "{:?}", report.problems);
    }
    assert!(std::fs::read_to_string(dir.path().join("spec.toml")).unwrap().contains("[[seed]]"));
}

#[test]
fn a_world_without_society_is_as_it_was() {
    let world = World::new(WorldConfig::default());
    assert!(world.truth().entities().is_empty() && world.truth().said().next().is_none());
    assert!(!world.truth().to_json().unwrap().contains("\"society\""));
    let mut hash = 0_u64;
    for page in world.truth().pages().take(200) {
        let bytes = body(&world, &page.url);
        hash = bytes.iter().fold(hash, |hash, byte| hash.wrapping_mul(0x100_0000_01b3) ^ u64::from(*byte));
    }
    // What it was before there was a society: measurements are compared over years.
    assert_eq!(hash, 7_856_719_128_010_751_662);
}
