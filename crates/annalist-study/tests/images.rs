//! The images of the test web, compared with what is true about them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

mod society;

use std::collections::HashMap;

use annalist_study::offline::images::{Condition, ImageFacts, Seen, duplicates, look};
use annalist_testweb::{Answer, Request, World};

fn body(world: &World, url: &str) -> Vec<u8> {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, target) = rest.split_at(rest.find('/').unwrap());
    match world.answer(&Request::get(host, target)) {
        Answer::Proper(response) => response.body.to_vec(),
        Answer::Broken(_) => panic!("{url}"),
    }
}

#[test]
fn real_types_sizes_and_duplicates_are_those_of_the_truth() {
    let world = society::world(100);
    let truth = world.truth().pictures();
    let facts: Vec<ImageFacts> =
        truth.iter().map(|picture| look(&body(&world, &picture.url)).unwrap()).collect();
    for (picture, facts) in truth.iter().zip(&facts) {
        assert_eq!((facts.mime.as_str(), facts.condition), (picture.mime, Condition::Whole));
        assert_eq!((facts.width, facts.height), (Some(picture.width), Some(picture.height)));
        assert_eq!(facts.contradicts(picture.declared), picture.mime != picture.declared);
    }
    let digests: Vec<String> =
        truth.iter().map(|picture| format!("{:?}", body(&world, &picture.url))).collect();
    let seen: Vec<Seen<'_>> =
        digests.iter().zip(&facts).map(|(digest, facts)| Seen { digest: Some(digest), facts }).collect();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for group in duplicates(&seen) {
        group_of.insert(group.first, group.first);
        group_of.extend(group.repeats.iter().map(|repeat| (repeat.image, group.first)));
        for repeat in &group.repeats {
            let same = digests[repeat.image] == digests[group.first];
            assert!(!repeat.same_bytes || same, "{repeat:?}");
        }
    }
    let (mut right, mut wrong, mut missed) = (0, 0, 0);
    for one in 0..truth.len() {
        for other in 0..one {
            let found = group_of.get(&one).is_some_and(|group| group_of.get(&other) == Some(group));
            match (found, truth[one].picture == truth[other].picture) {
                (true, true) => right += 1,
                (true, false) => wrong += 1,
                (false, true) => missed += 1,
                (false, false) => {}
            }
        }
    }
    assert!(right > 50, "{right}");
    assert_eq!((wrong, missed), (0, 0), "of {right} pairs");
}
