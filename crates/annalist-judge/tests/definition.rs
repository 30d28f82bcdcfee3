//! Definitions, from pages to the file and back, and what is said about wrong ones.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use annalist_judge::Definition;
use annalist_judge::definition::Unlearnable;
use annalist_judge::{Analyst, Depth, Judge, Rules, judge::Sought};
use annalist_model::Page;
use annalist_model::spec::{Entity, Topic};
use proptest::prelude::*;
use support::{as_expected, background, page, references, topic};

/// Of no topic, and as long as pages are.
const PROSE: &str = "The old mill by the river had been empty for years when the carpenter bought it. He repaired the roof \
    first, then the wheel, and painted the shutters green. In spring the water rose and carried branches over the weir; \
    in autumn children came to gather chestnuts and to watch the herons. A teacher from the village wrote down what the \
    oldest neighbours remembered: the flood, the harvest festivals, the night when lightning struck the chapel. Her \
    notebooks fill a shelf in the library, beside maps, letters and photographs. Visitors read them on rainy afternoons, \
    drink coffee in the small kitchen, and walk home along the canal, where poplars were planted before the railway \
    arrived. The carpenter sells chairs, toys and wooden bowls. His daughter studies music in the capital and returns \
    each summer with friends who play the violin, the cello and an accordion under the lanterns until midnight. Nobody \
    complains about the noise; most bring bread, cheese, plums and blankets, and stay. \
    Last winter a painter rented the loft. She mixes her colours from minerals, soot and linseed, covers canvas after \
    canvas with foxes, kettles and snow, and gives the finished pictures away to whoever helps with the firewood. The \
    postman owns eleven of them. In exchange he lends her his bicycle, a lantern, and the key of the boathouse, where a \
    telescope stands on a tripod of ash; on clear evenings they look for comets above the quarry.";

fn learned() -> Definition {
    Definition::learn("greek-crisis", &references(), &background(), &topic()).unwrap()
}

fn score(definition: &Definition, page: &Page) -> f32 {
    let topic = definition.topic();
    let reading = Analyst::new(definition.names(), definition.language()).read(page, &topic, Depth::Topic);
    Judge::of_topic(Rules::default(), topic, Sought::No).relevance(&reading)
}

#[test]
fn a_definition_reads_like_this() {
    as_expected("definition.toml", &learned().to_toml());
}

#[test]
fn what_was_written_is_read_back() {
    let definition = learned();
    assert_eq!(Definition::read(&definition.to_toml()), Ok(definition));
}

#[test]
fn pages_of_the_topic_are_told_from_others() {
    let definition = learned();
    for reference in references() {
        assert!(
            score(&definition, &reference) > 0.5,
            "{} {}",
            score(&definition, &reference),
            reference.text
        );
    }
    for other in background() {
        assert!(score(&definition, &other) < 0.2, "{} {}", score(&definition, &other), other.text);
    }
}

#[test]
fn keywords_weigh_more_and_are_added_where_no_page_has_them() {
    let weight = |definition: &Definition, word: &str| {
        definition.terms.iter().find(|(term, _)| term == word).map(|(_, weight)| *weight)
    };
    let of = |keywords: &[&str]| {
        let keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
        Definition::learn("x", &references(), &background(), &Topic { keywords, ..Topic::default() }).unwrap()
    };
    let ratio = |keywords: &[&str]| {
        let definition = of(keywords);
        weight(&definition, "parliament").unwrap() / weight(&definition, "creditors").unwrap()
    };
    let plain = ratio(&[]);
    assert!((ratio(&["parliament"]) / plain - 2.0).abs() < 0.05);
    assert!((ratio(&["parliaments vote"]) / plain - 1.5).abs() < 0.05, "in another form, too");
    assert_eq!(weight(&of(&[]), "grexit"), None);
    assert!(weight(&of(&["grexit"]), "grexit").unwrap() > 0.5);
}

#[test]
fn keywords_alone_are_a_topic() {
    let keywords = ["bailout", "austerity", "troika", "eurozone", "debt crisis"].map(str::to_owned).to_vec();
    let definition = Definition::learn("x", &[], &[], &Topic { keywords, ..Topic::default() }).unwrap();
    assert!(definition.terms.iter().all(|(_, weight)| *weight == 1.0) && definition.terms.len() == 6);
    let of = |said: &str| score(&definition, &page(&format!("{said}. {PROSE} {said}. {said}.")));
    let third = of("bailout. debt");
    assert!((0.25..0.75).contains(&third), "{third}");
    let (one, all) = (of("bailout"), of("bailout austerity troika eurozone debt crisis"));
    assert!(one < 0.25 && all > 0.9, "{one} {all}");
    assert_eq!(of(""), score(&definition, &page("")));
}

#[test]
fn names_alone_are_a_topic() {
    let entities = vec![Entity {
        name: "Antonis Samaras".to_owned(),
        aliases: vec!["Samaras".to_owned()],
        ..Entity::default()
    }];
    let definition = Definition::learn("x", &[], &[], &Topic { entities, ..Topic::default() }).unwrap();
    assert_eq!(
        definition.terms.iter().map(|(term, _)| term.as_str()).collect::<Vec<_>>(),
        ["Antonis", "Samaras"]
    );
    assert_eq!(definition.names().names().len(), 1);
}

#[test]
fn what_is_said_with_several_words_is_looked_for() {
    let definition = learned();
    let names = definition.names();
    let names: Vec<&str> = names.names().iter().map(|name| name.name.as_str()).collect();
    assert_eq!(names[..2], ["Antonis Samaras", "European Central Bank"]);
    assert!(names.contains(&"debt crisis"), "{names:?}");
    assert_eq!(names.iter().filter(|name| name.to_lowercase() == "debt crisis").count(), 1, "{names:?}");
}

#[test]
fn a_topic_may_have_several_languages() {
    let keywords = vec!["Wahlen".to_owned(), "elections".to_owned()];
    let languages = vec!["en".to_owned(), "de".to_owned()];
    let topic = Topic { keywords, languages, ..Topic::default() };
    let definition = Definition::learn("x", &[], &[], &topic).unwrap();
    for (code, text) in [("de", "die Wahl der Wahl"), ("en", "the election of an election")] {
        let page = Page { language: Some(code.to_owned()), ..page(text) };
        assert!(score(&definition, &page) > 0.5, "{code}");
    }
}

#[test]
fn what_cannot_be_learned_from_is_said() {
    let of = |references: &[Page], topic: &Topic| Definition::learn("x", references, &[], topic).unwrap_err();
    let topic = |keyword: &str| Topic { keywords: vec![keyword.to_owned()], ..Topic::default() };
    assert_eq!(of(&[], &Topic::default()), Unlearnable::NoTopic);
    assert_eq!(of(&[page("")], &Topic::default()), Unlearnable::NoWords);
    assert_eq!(of(&[], &topic("of the")), Unlearnable::NoWords);
    assert_eq!(of(&[page("gardening"), page("football")], &Topic::default()), Unlearnable::NoWords);
    let unknown = Topic { languages: vec!["zz".to_owned()], ..topic("debt") };
    assert_eq!(of(&[], &unknown), Unlearnable::Language("zz".to_owned()));
    // Known by name alone.
    let unlisted = Topic { languages: vec!["xh".to_owned()], ..topic("debt") };
    let definition = Definition::learn("x", &[], &[], &unlisted).unwrap();
    assert_eq!(definition.unlisted_languages().collect::<Vec<_>>(), ["xh"]);
}

#[test]
fn every_mistake_is_told_with_line_and_key() {
    let text = "nam = \"x\"\nlanguages = [\"en\", \"zz\"]\ntypical = 0\nreferences = -1\n[terms]\ndebt = 1.5\ncrisis = nan\n\
        bailout = -0.1\ntroika = \"much\"\n\"debt crisis\" = 0.5\n[phrases]\nalone = 0.5\n[[entity]]\nalias = []\n";
    let mistakes = Definition::read(text).unwrap_err();
    let told: String = mistakes.iter().map(|mistake| format!("{mistake}\n")).collect();
    as_expected("mistakes.txt", &told);
}

#[test]
fn broken_syntax_and_terms_that_are_off_are_mistakes() {
    let of = |text: &str| Definition::read(text).unwrap_err();
    assert_eq!(of("name = \"x\"\ntypical = 0.1\n[terms]\ndebt = = 1\n")[0].line, 4);
    assert_eq!(of("name = \"x\"\ntypical = 0.1\n[terms]\ndebt = 0.1\ndebt = 0.2\n")[0].line, 5);
    let off = of("name = \"x\"\ntypical = 0.1\n[terms]\ndebt = 0\n");
    assert!(off[0].message.contains("at least one term"), "{off:?}");
    assert!(of("").iter().any(|mistake| mistake.key == "terms"));
}

proptest! {
    #[test]
    fn any_definition_is_read_back(
        name in "\\PC{1,20}x", term in "[\\PC&&[^\\s]]{1,12}", phrase in "[a-zé\"\\\\]{1,5} [a-z]{1,5}",
        weight in 0.001_f32..=1.0, typical in 0.0001_f32..=1.0, seen in any::<u32>(), aliases in proptest::collection::vec("x\\PC{0,9}", 0..3),
    ) {
        let mut definition = Definition { name: name.clone(), typical, ..Definition::default() };
        definition.terms = vec![(term, weight)];
        definition.phrases = vec![(phrase, weight)];
        definition.entities.push(annalist_judge::definition::KnownEntity { name, aliases, seen });
        prop_assert_eq!(Definition::read(&definition.to_toml()), Ok(definition));
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = Definition::read(&text);
    }
}
