//! Files of seeds: every line is a seed, a mistake or neither, and a seed's URL is read as it is written.

use annalist_model::spec::{Seed, parse_seed_file};
use annalist_model::{CanonicalUrl, Canonicaliser};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let canonical = Canonicaliser::default();
    let Ok(address) = CanonicalUrl::parse("http://shared.test/") else { return };
    let shared = Seed::new(address);
    let file = parse_seed_file(&text, &shared, &canonical);
    let lines = text.lines().count();
    assert!(file.seeds.len() <= lines, "more seeds than lines");
    assert!(file.mistakes.iter().all(|mistake| (1..=lines).contains(&mistake.line)));
    for (line, seed) in &file.seeds {
        assert!((1..=lines).contains(line));
        let again = parse_seed_file(seed.url.as_str(), &shared, &canonical);
        let urls: Vec<&CanonicalUrl> = again.seeds.iter().map(|(_, seed)| &seed.url).collect();
        assert_eq!(urls, [&seed.url], "{:?}", again.mistakes);
    }
}
