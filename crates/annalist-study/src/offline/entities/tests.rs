use std::sync::atomic::{AtomicU32, Ordering};

use annalist_knowledge::Watch;

use super::model::tests::model;
use super::{Entities, EntitySettings, Kind, Known, Source, entities};
use crate::offline::{Corpus, Day, Writing};

fn study(language: &str, texts: &[&str], settings: &EntitySettings) -> Entities {
    let dir = tempfile::tempdir().unwrap();
    let writings = texts.iter().enumerate().map(|(n, text)| Writing {
        id: n.to_string(),
        text: (*text).to_owned(),
        language: Some(language.to_owned()),
        published: Some(Day(1000 + n as i32).millis()),
        ..Writing::default()
    });
    let corpus = Corpus::write(&dir.path().join("writings"), writings).unwrap();
    entities(&corpus, settings, &()).unwrap()
}

fn found(entities: &Entities) -> Vec<(&str, Kind, u32)> {
    let mut all: Vec<_> = entities.entities.iter().map(|e| (e.name.as_str(), e.kind, e.mentions)).collect();
    all.sort();
    all
}

const GREECE: [&str; 3] = [
    "Yesterday Antonis Samaras came to Athens. The minister said that Samaras had met the European Central Bank (ECB). \
     Nobody likes the bank. People in Athens protested.",
    "In spring the ECB wrote to Antonis Samaras. Then Samaras replied from Athens that nothing was decided.",
    "Nothing new about the European Central Bank. It was quiet in Athens. Spring has come.",
];

#[test]
fn names_are_learned_with_their_kinds_and_spellings() {
    let all = study("en", &GREECE, &EntitySettings::default());
    let expected = [
        ("Antonis Samaras", Kind::Person, 4),
        ("Athens", Kind::Place, 4),
        ("European Central Bank", Kind::Organisation, 4),
    ];
    assert_eq!(found(&all), expected);
    let bank = all.entities.iter().find(|e| e.kind == Kind::Organisation).unwrap();
    assert_eq!(bank.aliases, ["ECB"]);
    assert_eq!((bank.first, bank.last, bank.writings), (Some(Day(1000)), Some(Day(1002)), 3));
    assert_eq!(all.mentions.len(), 8);
    assert_eq!(all.together.first().map(|pair| pair.writings), Some(3), "{:?}", all.together);
}

#[test]
fn a_writing_without_a_date_does_not_say_when_somebody_was_mentioned() {
    let dir = tempfile::tempdir().unwrap();
    let of = |published: &'static [Option<i32>]| {
        let writings = GREECE.iter().zip(published).map(|(text, day)| Writing {
            text: (*text).to_owned(),
            language: Some("en".to_owned()),
            published: day.map(|day| Day(day).millis()),
            captured: Day(18_000).time().millis(),
            ..Writing::default()
        });
        let corpus = Corpus::write(&dir.path().join("writings"), writings).unwrap();
        let all = entities(&corpus, &EntitySettings::default(), &()).unwrap();
        let athens = all.entities.into_iter().find(|e| e.name == "Athens").unwrap();
        (athens.first, athens.last, athens.undated, athens.writings)
    };
    assert_eq!(of(&[Some(15_000), None, Some(15_100)]), (Some(Day(15_000)), Some(Day(15_100)), 1, 3));
    assert_eq!(of(&[None, None, None]), (None, None, 3, 3));
}

#[test]
fn beginnings_of_sentences_headlines_and_german_nouns_are_no_names() {
    let texts = [
        "Contact Our Team\nRead More Here\nPeople came. Rain fell. People went home in the rain.",
        "Contact Our Team\nRead More Here\nRain again. People stayed. Nobody saw people in the rain.",
        "Contact Our Team\nRead More Here\nPeople. Rain. It was raining cats and dogs.",
    ];
    assert_eq!(found(&study("en", &texts, &EntitySettings::default())), []);
    let texts = [
        "Der Hund bellt im Garten. Die Regierung plant eine Reform der Rente. Mit Freude hörte Angela Merkel davon.",
        "Ein Hund und eine Katze. Die Reform kam. Bundeskanzlerin Angela Merkel sagte, die Regierung warte in Berlin.",
        "Viele Hunde. Der Garten ist groß. Merkels Reform fand in Berlin Beifall, sagte die Regierung.",
    ];
    let all = study("de", &texts, &EntitySettings::default());
    assert_eq!(found(&all), [("Angela Merkel", Kind::Person, 3), ("Berlin", Kind::Place, 2)]);
}

#[test]
fn what_the_archivist_names_is_found_in_every_script() {
    let known = |name: &str, aliases: &[&str]| Known {
        name: name.to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        ..Known::default()
    };
    let settings = EntitySettings {
        known: vec![known("希腊", &["雅典"]), known("bailout", &[]), known("Κόμμα", &[])],
        ..EntitySettings::default()
    };
    let all = study("zh", &["在希腊的危机,雅典", "a bailout for Bailout", "του Κόμματος"], &settings);
    assert_eq!(found(&all), [("bailout", Kind::Other, 2), ("希腊", Kind::Other, 2)]);
}

#[test]
fn names_of_the_archivist_are_found_with_signs_joiners_and_particles() {
    for (language, name, text) in [
        ("hi", "राजेश वर्मा", "महापौर राजेश वर्मा ने कल योजना की घोषणा की।"),
        ("bn", "রবীন্দ্র", "মেয়র রবীন্দ্র গতকাল ঘোষণা করেছেন।"),
        ("ta", "ஸ்டாலின்", "மேயர் ஸ்டாலின் நேற்று அறிவித்தார்."),
        ("te", "చంద్రబాబు", "మేయర్ చంద్రబాబు నిన్న ప్రకటించారు."),
        ("my", "မောင်မောင်", "မြို့တော်ဝန် မောင်မောင် သည် မနေ့က ကြေညာခဲ့သည်။"),
        ("th", "ยิ่งลักษณ์", "นายกเทศมนตรียิ่งลักษณ์ประกาศแผนใหม่"),
        ("fa", "علی‌رضا کریمی", "شهردار علی‌رضا کریمی دیروز برنامه را اعلام کرد."),
        ("fa", "علی‌رضا کریمی", "شهردار علیرضا کریمی دیروز برنامه را اعلام کرد."),
        ("ko", "김철수", "시장 김철수은 어제 계획을 발표했다."),
        ("ko", "김철수", "어제 김철수씨에게 질문을 했다."),
    ] {
        let known = vec![Known { name: name.to_owned(), kind: Kind::Person, ..Known::default() }];
        let all = study(language, &[text], &EntitySettings { known, ..EntitySettings::default() });
        assert_eq!(found(&all), [(name, Kind::Person, 1)], "{text}");
    }
}

#[test]
fn a_russian_is_one_person_in_all_cases_of_the_name() {
    let texts = [
        "Нам сказали, что Иван Соколов вчера выступал на площади. В городе видели Дмитрия Медведева.",
        "Люди говорили, что письмо Ивана Соколова читали вслух и что пришёл Дмитрий Медведев.",
        "Вечером с Иваном Соколовым говорили журналисты, а потом с Дмитрием Медведевым.",
        "На собрании Ивану Соколову задали вопрос, а Дмитрию Медведеву подарили книгу.",
    ];
    let all = study("ru", &texts, &EntitySettings::default());
    let counts: Vec<u32> = found(&all).into_iter().map(|(_, _, mentions)| mentions).collect();
    assert_eq!(counts, [4, 4], "{:?}", found(&all));
}

#[test]
fn who_mostly_begins_sentences_is_found_by_the_first_name() {
    let mut texts: Vec<String> =
        ["river", "bridge", "market", "school", "garden", "harbour", "station", "museum"]
            .iter()
            .map(|place| {
                format!("It was quiet. Gwendolyn Pritchard came to the {place}. Nobody had seen it.")
            })
            .collect();
    texts.push("In the morning we met Gwendolyn Pritchard at the gate.".to_owned());
    texts.push("Later they asked Gwendolyn Pritchard for a song.".to_owned());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all = study("en", &texts, &EntitySettings::default());
    assert_eq!(found(&all), [("Gwendolyn Pritchard", Kind::Person, 10)]);
}

#[test]
fn greek_names_are_one_in_all_their_cases() {
    let texts = [
        "Χθες ο Αντώνης Σαμαράς μίλησε στην Αθήνα. Η ομιλία του Αντώνη Σαμαρά ήταν σύντομη.",
        "Είδαμε τον Αντώνη Σαμαρά στην Αθήνα. Μετά ο Σαμαράς έφυγε.",
    ];
    let all = study("el", &texts, &EntitySettings::default());
    assert_eq!(found(&all), [("Αθήνα", Kind::Place, 2), ("Αντώνη Σαμαρά", Kind::Person, 4)]);
}

#[test]
fn a_surname_goes_to_the_one_named_last_and_stays_open_where_nobody_is() {
    let texts = [
        "We met Peter Weber and Anna Weber. Then Weber spoke of Anna Weber again, and of Peter Weber. And so Weber left.",
        "It was Anna Weber who came. We saw Weber there.",
        "It was Peter Weber who came. We saw Weber there.",
        "But then Weber said nothing.",
    ];
    let all = study("en", &texts, &EntitySettings::default());
    assert_eq!(found(&all), [("Anna Weber", Kind::Person, 5), ("Peter Weber", Kind::Person, 5)]);
    assert!(all.mentions.iter().all(|mention| mention.writing != 3));
}

#[test]
fn the_same_archive_has_the_same_entities() {
    let texts: Vec<&str> = GREECE.iter().cycle().take(1200).copied().collect();
    let one = study("en", &texts, &EntitySettings::default());
    assert_eq!(one, study("en", &texts, &EntitySettings::default()));
}

fn by_model(words: &[(&str, &str)], sure: f32) -> EntitySettings {
    EntitySettings { model: Some(model(words, sure)), ..EntitySettings::default() }
}

#[test]
fn what_only_a_model_finds_is_mentioned_where_it_marks_it_and_surnames_follow() {
    // Neither a first name nor recurring: words alone tell nothing. Sentences begin with what the model does not mark.
    let texts = ["Zyx Qwopp left. Nobody saw Qwopp again.", "Rain. 在希腊的危机", "希 alone"];
    let words = [("Zyx", "B-PER"), ("Qwopp", "I-PER"), ("希", "B-LOC"), ("腊", "I-LOC")];
    assert_eq!(found(&study("en", &texts, &EntitySettings::default())), []);
    let all = study("en", &texts, &by_model(&words, 9.0));
    assert_eq!(found(&all), [("Zyx Qwopp", Kind::Person, 2), ("希腊", Kind::Place, 1)]);
    assert!(all.entities.iter().all(|entity| entity.source == Source::Model && entity.confidence > 0.9));
    assert!(all.mentions.iter().all(|mention| mention.source == Source::Model && mention.confidence < 1.0));
    assert_eq!(all.model.as_deref(), Some("table"));
}

#[test]
fn a_model_that_agrees_makes_surer_and_the_surer_of_two_is_believed() {
    let without = study("en", &GREECE, &EntitySettings::default());
    let confidence =
        |all: &Entities, name: &str| all.entities.iter().find(|e| e.name == name).unwrap().confidence;
    let agreeing = by_model(&[("Antonis", "B-PER"), ("Samaras", "I-PER"), ("Athens", "B-ORG")], 9.0);
    let all = study("en", &GREECE, &agreeing);
    assert_eq!(
        found(&all),
        [
            ("Antonis Samaras", Kind::Person, 4),
            ("Athens", Kind::Organisation, 4),
            ("European Central Bank", Kind::Organisation, 4),
        ]
    );
    assert!(confidence(&all, "Antonis Samaras") > confidence(&without, "Antonis Samaras"));
    let source = |name: &str| all.entities.iter().find(|e| e.name == name).unwrap().source;
    assert_eq!((source("Athens"), source("European Central Bank")), (Source::Both, Source::Words));
    // Hardly sure: words are believed.
    let doubting = study("en", &GREECE, &by_model(&[("Athens", "B-ORG")], 2.1));
    assert!(found(&doubting).contains(&("Athens", Kind::Place, 4)), "{:?}", found(&doubting));
}

#[test]
fn what_the_archivist_names_stays_whatever_a_model_says() {
    let known =
        Known { name: "Antonis Samaras".to_owned(), aliases: vec!["Athens".to_owned()], ..Known::default() };
    let settings = EntitySettings { known: vec![known], ..by_model(&[("Athens", "B-LOC")], 9.0) };
    let all = study("en", &GREECE, &settings);
    assert_eq!(found(&all).first(), Some(&("Antonis Samaras", Kind::Person, 8)), "{:?}", found(&all));
}

#[test]
fn a_model_finds_the_same_on_all_cores() {
    let texts: Vec<&str> = GREECE.iter().cycle().take(1200).copied().collect();
    let settings = by_model(&[("Samaras", "B-PER"), ("Nothing", "B-ORG")], 9.0);
    let one = study("en", &texts, &settings);
    assert_eq!(one, study("en", &texts, &settings));
    let nothing = one.entities.iter().find(|entity| entity.name == "Nothing").unwrap();
    assert_eq!((nothing.writings, nothing.source), (400, Source::Model));
}

#[test]
fn what_the_archivist_says_a_name_is_of_it_is() {
    let known = Known { name: "Antonis Samaras".to_owned(), kind: Kind::Organisation, ..Known::default() };
    let all = study("en", &GREECE, &EntitySettings { known: vec![known], ..EntitySettings::default() });
    let kind = all.entities.iter().find(|e| e.name == "Antonis Samaras").map(|e| e.kind);
    assert_eq!(kind, Some(Kind::Organisation), "{:?}", found(&all));
}

#[test]
fn a_club_is_no_person_though_it_speaks_and_its_town_is_a_first_name() {
    let texts = [
        "Last night Ashby Rovers said that the ground was wet. We saw Ashby Rovers lose when Leeds United won. Nobody in the United Arab Emirates cared.",
        "Then Ashby Rovers replied to Clara Rovere. A friend of Clara Rovere met Leeds United. The United Arab Emirates sent a flag.",
        "Today Ashby Rovers told us why. With Clara Rovere came Leeds United, said Clara Rovere. They flew to the United Arab Emirates.",
    ];
    let all = study("en", &texts, &EntitySettings::default());
    let kind = |name: &str| all.entities.iter().find(|e| e.name == name).map(|e| e.kind);
    let kinds = ["Ashby Rovers", "Leeds United", "Clara Rovere", "United Arab Emirates"].map(kind);
    let expected = [Kind::Organisation, Kind::Organisation, Kind::Person, Kind::Place].map(Some);
    assert_eq!(kinds, expected, "{:?}", found(&all));
}

/// Wants it to end when it has been asked some times.
struct Patience(AtomicU32);

impl Watch for Patience {
    fn advance(&self, _: u64, _: u64) {}
    fn is_stopped(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 5
    }
}

#[test]
fn a_long_text_is_not_read_to_its_end_by_a_model_that_is_to_stop() {
    let model = model(&[("Zyx", "B-PER"), ("went", "O"), (".", "O")], 9.0);
    let text = "Zyx went. ".repeat(2000);
    let all = model.mark(&text, &()).unwrap().len();
    let watch = Patience(AtomicU32::new(0));
    let some = model.mark(&text, &watch).unwrap().len();
    assert!(all == 2000 && some < 100, "{some} of {all}");
}
