use super::{Happening, happenings};
use crate::offline::entities::{EntitySettings, entities};
use crate::offline::{Corpus, Day, Named, Vocabulary, Writing};

const ANYTHING: &str = "morning people street garden letter window summer table music school money winter doctor river \
    friend kitchen paper market village bridge teacher animal forest number minute pocket colour island engine mountain \
    shoulder question blanket corner orange pencil ticket bottle basket chapter feather harvest journey ladder mirror needle";

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = ANYTHING.split_whitespace().collect();
        let some: Vec<&str> = (0..count).map(|_| words[self.below(words.len() as u64) as usize]).collect();
        some.join(" the ")
    }
}

fn writing(number: usize, day: Day, title: &str, text: String) -> Writing {
    Writing {
        id: format!("http://site{}.test/{number}", number % 7),
        url: format!("http://site{}.test/{number}", number % 7),
        site: format!("site{}.test", number % 7),
        title: Some(title.to_owned()),
        text,
        language: Some("en".to_owned()),
        published: Some(day.millis()),
        captured: Day(20_000).time().millis(),
        ..Writing::default()
    }
}

/// Three years of anything.
fn anything(dice: &mut Dice) -> Vec<Writing> {
    (0..500)
        .map(|n| {
            let day = Day(15_000 + dice.below(1000) as i32);
            let text = format!("We saw the {}.\nThen there was the {}.", dice.words(30), dice.words(30));
            writing(n, day, &format!("The {}", dice.words(4)), text)
        })
        .collect()
}

/// The same, with what happened in between.
fn found(events: &[(&str, &str, Day, &str)]) -> Vec<Happening> {
    let mut dice = Dice(3);
    let mut writings = anything(&mut dice);
    for (name, place, day, told) in events {
        for n in 0..6 {
            let text = format!(
                "Everybody speaks of the {name} in {place}, {told}. We saw the {}.\nThen the {} went on.",
                dice.words(20),
                dice.words(20)
            );
            let published = day.plus(dice.below(5) as i32);
            let title =
                if n == 2 { format!("The {name} in {place}") } else { format!("The {}", dice.words(3)) };
            writings.push(writing(1000 + writings.len(), published, &title, text));
        }
    }
    found_in(writings)
}

fn found_in(writings: Vec<Writing>) -> Vec<Happening> {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Corpus::write(&dir.path().join("w"), writings.into_iter()).unwrap();
    let vocabulary = Vocabulary::of(&corpus, &()).unwrap();
    let named = Named::of(&entities(&corpus, &EntitySettings::default(), &()).unwrap());
    happenings(&corpus, &vocabulary, &named, &()).unwrap()
}

#[test]
fn what_many_sites_suddenly_report_is_a_happening_with_its_day_and_title() {
    let events = [
        ("Grand Regatta", "Port Lindow", Day(15_200), "which began on 13 August 2011"),
        ("museum fire", "Harrowgate", Day(15_600), "as it was told"),
    ];
    let found = found(&events);
    assert_eq!(found.len(), 2, "{found:#?}");
    let [regatta, fire] = &found[..] else { panic!() };
    assert_eq!(
        (regatta.title.as_str(), fire.title.as_str()),
        ("The Grand Regatta in Port Lindow", "The museum fire in Harrowgate")
    );
    assert_eq!((regatta.from, regatta.until, regatta.dated), (Day(15_199), Day(15_199), true));
    assert!(!fire.dated && (15_600..15_605).contains(&fire.from.0) && fire.until.0 < 15_605, "{fire:#?}");
    assert_eq!((regatta.writings.len(), regatta.sites), (6, 6));
}

#[test]
fn the_same_festival_is_another_happening_each_year() {
    let events = [
        ("Harvest Fair", "Oldham", Day(15_100), "today"),
        ("Harvest Fair", "Oldham", Day(15_465), "today"),
        ("Harvest Fair", "Oldham", Day(15_830), "today"),
    ];
    let days: Vec<i32> = found(&events).iter().map(|happening| happening.from.0 / 100).collect();
    assert_eq!(days, [151, 154, 158]);
}

#[test]
fn where_nothing_happens_nothing_is_found() {
    assert_eq!(found(&[]), []);
}

#[test]
fn the_title_of_a_page_that_others_link_to_is_no_happening() {
    let title = "Velvet harpsichord among forgotten lighthouses";
    let linking = |anchors: &[&str]| {
        let mut dice = Dice(5);
        let mut writings = anything(&mut dice);
        for n in 0..8 {
            let text = format!("We saw the {}. {title} the {}.", dice.words(8), dice.words(30));
            let anchors = anchors.iter().map(|anchor| (*anchor).to_owned()).collect();
            let plain =
                writing(2000 + n, Day(15_300 + 2 * n as i32), &format!("The {}", dice.words(3)), text);
            writings.push(Writing { anchors, ..plain });
        }
        found_in(writings)
    };
    assert_eq!(linking(&[]).len(), 1);
    assert_eq!(linking(&[title]), []);
}

#[test]
fn the_last_day_is_told_by_those_who_say_it() {
    let told = |how: &str| {
        let found = found(&[("Grand Regatta", "Port Lindow", Day(15_200), how)]);
        let [one] = &found[..] else { panic!("{found:#?}") };
        (one.from.to_string(), one.until.to_string())
    };
    let three = ("2011-08-13".to_owned(), "2011-08-15".to_owned());
    assert_eq!(told("from 13 to 15 August 2011"), three);
    assert_eq!(told("which began on 13 August 2011 and lasts until 15 August"), three);
    assert_eq!(told("a three-day affair that began on 13 August 2011"), three);
}

/// Threads of several sites in which people answer each other about the same for days.
fn discussed(threads: usize, answers: i32) -> Vec<Happening> {
    let mut dice = Dice(9);
    let mut writings = anything(&mut dice);
    for thread in 0..threads {
        for answer in 0..answers {
            let text = format!("The sonata by Quillfeather is played again, {}.", dice.words(12));
            let day = Day(15_300 + answer);
            let mut answer = writing(8000 + thread, day, "Re: The sonata by Quillfeather", text);
            answer.id = format!("{}#{day}", answer.url);
            writings.push(answer);
        }
    }
    found_in(writings)
}

#[test]
fn a_long_thread_is_no_more_witnesses_than_a_page() {
    assert_eq!(discussed(3, 14), []);
    assert_eq!(discussed(9, 6).len(), 1);
}

/// Two reports of something among three years of anything: who reports it, and on which day they say it was.
fn told_twice(sites: [usize; 2], days: [&str; 2]) -> Vec<Happening> {
    let mut dice = Dice(7);
    let mut writings = anything(&mut dice);
    // Others name days too.
    for other in &mut writings {
        let day = other.day().unwrap();
        other.text = format!("On {day} we met. {}", other.text);
    }
    for (site, day) in sites.into_iter().zip(days) {
        let text = format!(
            "The velodrome at Harrowgate burned on {day}. Fireworks ignited its grandstand, said brigadier Quillfeather. \
             We saw the {}.",
            dice.words(20)
        );
        writings.push(writing(7000 + site, Day(15_202), &format!("The {}", dice.words(3)), text));
    }
    found_in(writings)
}

#[test]
fn two_sites_that_tell_the_same_of_the_same_day_are_enough() {
    let found = told_twice([0, 1], ["13 August 2011", "13 August"]);
    let [fire] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((fire.from, fire.until, fire.dated, fire.sites), (Day(15_199), Day(15_199), true, 2));
    assert!(fire.confidence < 0.7, "{fire:#?}");
    assert_eq!(told_twice([0, 1], ["13 August 2011", "9 August 2011"]), []);
    assert_eq!(told_twice([0, 7], ["13 August 2011", "13 August 2011"]), []);
}
