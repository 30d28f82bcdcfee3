//! Which of the runs of words with capitals are names, and of what. What is known of them was counted in `learn.rs`.

use annalist_judge::text::{Frequencies, Language};

use super::fold::{is_first_name, is_place};
use super::learn::{Learned, NameCount, WordCount};
use super::lists::Class;
use super::{Entity, Kind, Source};

/// A word is a name's if it has a capital this often where its case tells.
const MOSTLY_RAISED: f32 = 0.8;
/// For a word that stands alone.
const NEARLY_ALWAYS_RAISED: f32 = 0.93;
/// German nouns have an article or an adjective before them more often.
const SELDOM_WITH_ARTICLE: f32 = 0.08;
/// A name begins a sentence at most so many times as often as it stands in one.
const BEGINNINGS: u32 = 3;
/// What nothing but chance would explain.
const SOME_EVIDENCE: f32 = 0.75;
/// The same where chance had many occasions.
const EVIDENCE_OF_MANY: f32 = 0.25;
const MANY: u32 = 5;

const PLACE_ENDINGS: &[&str] = &[
    "ville", "stadt", "burg", "burgh", "dorf", "heim", "hausen", "borough", "bury", "grad", "polis", "πολη",
    "град", "furt", "shire", "stan",
];

/// The last word of a club's name; nobody has one of these for a surname.
const CLUBS: [&str; 8] =
    ["rovers", "united", "wanderers", "rangers", "hotspur", "athletic", "athletics", "afc"];

/// Peoples, creeds and their followers have capitals in some languages.
const PEOPLE_AND_CREEDS: &[&str] =
    &["ian", "ians", "ish", "ese", "ism", "isms", "ist", "ists", "anic", "anity", "ans", "ite", "ites"];

/// A run of words that was found to be a name.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub entity: Entity,
    /// What was counted, for those that decide between names.
    pub count: NameCount,
}

/// What is to be known of a run before it is judged.
struct Looked<'a> {
    words: Vec<&'a str>,
    classes: Vec<Class>,
    nouns: bool,
    count: &'a NameCount,
    first_name: bool,
    place: bool,
}

/// All names, in no order.
pub(super) fn names(learned: &Learned) -> Vec<Name> {
    let mut names: Vec<Name> =
        learned.names.iter().filter_map(|(name, count)| judge(learned, name, count)).collect();
    // Maps have an order of their own.
    names.sort_by(|a, b| b.count.count.cmp(&a.count.count).then_with(|| a.entity.name.cmp(&b.entity.name)));
    names
}

/// What words tell of a name, and the model: where both say the same it is surer, where they do not the surer one is believed.
fn judge(learned: &Learned, name: &str, count: &NameCount) -> Option<Name> {
    let by_words = by_words(learned, name, count);
    let Some((kind, confidence)) = count.modelled.verdict() else { return by_words };
    let Some(mut known) = by_words else {
        let entity =
            Entity { name: name.to_owned(), kind, confidence, source: Source::Model, ..Entity::default() };
        let mut count = count.clone();
        count.count = count.count.max(count.modelled.times);
        return Some(Name { entity, count });
    };
    let entity = &mut known.entity;
    entity.source = Source::Both;
    if entity.kind == kind || entity.kind == Kind::Other {
        entity.kind = kind;
        entity.confidence = (entity.confidence + (1.0 - entity.confidence) * confidence).min(0.99);
    } else if confidence > entity.confidence {
        (entity.kind, entity.confidence) = (kind, confidence);
    }
    Some(known)
}

fn by_words(learned: &Learned, name: &str, count: &NameCount) -> Option<Name> {
    let nouns = count.in_nouns * 2 > count.count;
    let words: Vec<&str> = name.split(' ').collect();
    let lists = count.words();
    let classes: Vec<Class> =
        words.iter().map(|word| lists.class(&word.trim_end_matches('.').to_lowercase())).collect();
    let classes: Vec<Class> = words
        .iter()
        .zip(classes)
        .map(
            |(word, class)| {
                if nouns && is_compound_organisation(word) { class.or(Class::ORGANISATION) } else { class }
            },
        )
        .collect();
    let first_name = words.first().filter(|_| words.len() > 1).is_some_and(|word| {
        // Berlin, Roman and Young are first names too.
        let plain = classes.first().is_none_or(|class| *class == Class::default()) && !is_place(word);
        let namely =
            if nouns { is_no_noun(learned, word, 0) } else { raised(learned, word) >= MOSTLY_RAISED };
        plain && is_first_name(word) && namely
    });
    // Words that nearly always begin a sentence are none of a name's: where they do not, something is left out before them.
    // Articles about somebody begin sentences with the name.
    let word = words.first().map_or(WordCount::default(), |word| learned.word(word, nouns));
    let begins = word.begins > BEGINNINGS * word.raised.max(1);
    if begins && !(first_name && word.raised > 0) {
        return None;
    }
    let looked = Looked { first_name, place: is_place(name), words, classes, nouns, count };
    let accepted = match looked.words.as_slice() {
        [word] => looked.word_is_name(learned, word),
        _ => looked.run_is_name(learned),
    };
    if !accepted {
        return None;
    }
    let (kind, certainty) = looked.kind(learned);
    let often = (count.writings as f32).ln_1p() / 10.0;
    let entity = Entity {
        name: name.to_owned(),
        kind,
        confidence: (0.35 + often.min(0.35) + 0.3 * certainty).min(0.99),
        ..Entity::default()
    };
    Some(Name { entity, count: count.clone() })
}

/// How often a word has a capital where its case tells, in languages where nouns have none.
pub(super) fn raised(learned: &Learned, word: &str) -> f32 {
    let count = learned.word(word, false);
    count.raised as f32 / (count.raised + count.lower).max(1) as f32
}

/// Whether the word is written as names are and nouns are not, in languages where nouns have a capital.
pub(super) fn is_no_noun(learned: &Learned, word: &str, least: u32) -> bool {
    let count = learned.word(word, true);
    let with_article = count.articles as f32 / count.raised.max(1) as f32;
    count.raised >= least && count.lower * 10 <= count.raised && with_article < SELDOM_WITH_ARTICLE
}

/// German puts words together: `Bürgerunion`.
fn is_compound_organisation(word: &str) -> bool {
    const LAST: [&str; 22] = [
        "union",
        "partei",
        "verband",
        "verein",
        "bank",
        "institut",
        "ministerium",
        "gericht",
        "gesellschaft",
        "gewerkschaft",
        "stiftung",
        "werke",
        "werk",
        "schule",
        "universität",
        "zeitung",
        "museum",
        "bund",
        "agentur",
        "kommission",
        "bündnis",
        "theater",
    ];
    let lower = word.to_lowercase();
    LAST.iter().any(|last| lower.len() > last.len() && lower.ends_with(last))
}

/// Whether no list of frequent German words has it.
fn is_rare(word: &str) -> bool {
    let (german, frequencies) = (Language::of("de"), Frequencies::of("de"));
    frequencies.idf(&german.stem(&word.to_lowercase())) >= frequencies.idf("\u{1}")
}

impl Looked<'_> {
    fn contexts(&self) -> u32 {
        self.count.contexts.count_ones()
    }

    fn any(&self, class: Class) -> bool {
        self.classes.iter().any(|known| known.is(class))
    }

    fn word_is_name(&self, learned: &Learned, word: &str) -> bool {
        let letters = word.chars().count();
        let acronym = letters <= 6
            && word.chars().all(|c| c.is_uppercase() || c.is_numeric() || matches!(c, '.' | '&'));
        let never = Class::STOP
            .or(Class::ORDINARY)
            .or(Class::DEMONYM)
            .or(Class::ROLE)
            .or(Class::HONORIFIC)
            .or(Class::ORGANISATION);
        if self.any(never.or(Class::PLACE)) && !self.place
            || self.any(Class::STOP.or(Class::ORDINARY))
            || letters < 2
        {
            return false;
        }
        let count = self.count;
        if self.nouns {
            let place = self.place && count.telling > 0 && is_no_noun(learned, word, 1);
            let where_it_is = count.place * 3 > count.telling && count.writings > 2;
            let speaks = count.person > 1 && count.person * 5 > count.telling;
            let known = letters > 3
                && raised(learned, word) >= NEARLY_ALWAYS_RAISED
                && learned.word(word, false).raised > 2;
            let evident = where_it_is || speaks || acronym && count.writings > 2 || known;
            return place || evident && is_no_noun(learned, word, 3) && self.contexts() > 1;
        }
        let share = raised(learned, word);
        if self.place && count.telling > 0 && share >= MOSTLY_RAISED {
            return true;
        }
        if count.person > 1 && share >= MOSTLY_RAISED && count.person * 4 > count.telling {
            return true;
        }
        let lower = word.to_lowercase();
        if count.place * 8 < count.telling && PEOPLE_AND_CREEDS.iter().any(|ending| lower.ends_with(ending)) {
            return false;
        }
        let least = if acronym { 3 } else { 2 };
        letters > 2
            && count.telling > least
            && count.writings >= least
            && self.contexts() > 1
            && share >= if acronym { 0.5 } else { NEARLY_ALWAYS_RAISED }
    }

    fn run_is_name(&self, learned: &Learned) -> bool {
        let count = self.count;
        let untold = count.telling == 0 && !(self.first_name && self.words.len() < 4);
        if untold || self.classes.last().is_some_and(|class| class.is(Class::STOP)) {
            return false;
        }
        let long: Vec<&str> = self.words.iter().copied().filter(|word| word.chars().count() > 2).collect();
        let namely = |word: &&str| {
            if self.nouns { is_no_noun(learned, word, 1) } else { raised(learned, word) >= MOSTLY_RAISED }
        };
        let last = self.words.last().copied().unwrap_or_default();
        if self.place {
            return true;
        }
        if self.are_two(learned) {
            return false;
        }
        let plain = |class: &Class| *class == Class::default() || class.is(Class::PARTICLE);
        if self.first_name && self.classes.iter().all(plain) {
            // `Will Power` is one if power has a capital.
            return namely(&last)
                || count.telling > 1 && count.contexts.count_ones() > 1 && raised(learned, last) > 0.5;
        }
        if count.person > 1 && namely(&last) {
            return true;
        }
        let several = count.writings > 1 && self.contexts() > 1;
        if self.any(Class::ORGANISATION.or(Class::PLACE)) && several && count.telling > 1 {
            return true;
        }
        if self.nouns {
            // Two nouns side by side, again and again, neither of them with an article.
            let often = several && count.writings > 2 && !long.is_empty();
            return often
                && (long.iter().all(namely)
                    || self.contexts() > 2 && long.first().is_some_and(|word| is_rare(word)));
        }
        several && (long.iter().any(namely) || count.writings > 2 && self.contexts() > 2)
    }

    /// `Weber von Berlin`: who is from somewhere, both named without the other.
    fn are_two(&self, learned: &Learned) -> bool {
        let Some(middle) = self.words.iter().position(|word| word.starts_with(char::is_lowercase)) else {
            return false;
        };
        let (before, after) = self.words.split_at(middle);
        let after = after
            .iter()
            .skip_while(|word| word.starts_with(char::is_lowercase))
            .copied()
            .collect::<Vec<_>>()
            .join(" ");
        let often = |name: &str| learned.names.get(name).is_some_and(|count| count.count > self.count.count);
        !self.any(Class::ORGANISATION) && often(&before.join(" ")) && often(&after)
    }

    /// What it is a name of, and how much more speaks for it than for anything else, from 0 to 1.
    fn kind(&self, learned: &Learned) -> (Kind, f32) {
        let count = self.count;
        let seen = count.telling.max(1) as f32;
        let several = self.words.len() > 1;
        let first = self.words.first().copied().unwrap_or_default();
        let last = self.words.last().copied().unwrap_or_default();
        let upper = |word: &str| word.chars().count() > 1 && word.chars().all(char::is_uppercase);
        let ending = |word: &str| {
            let lower = word.to_lowercase();
            PLACE_ENDINGS.iter().any(|ending| lower.len() > ending.len() + 2 && lower.ends_with(ending))
        };
        let mut person = (4.0 * count.person as f32 / seen).min(3.0);
        let mut place = (4.0 * count.place as f32 / seen).min(3.0);
        let mut organisation = 0.0;
        if several && self.first_name {
            person += 2.5;
        }
        if several && self.words.iter().any(|word| word.ends_with('.') && word.chars().count() == 2) {
            person += 1.5;
        }
        if self.place {
            place += 3.5;
        }
        // `Lake Erie`, `Erie Canal`; what stands in the middle is what an organisation cares for.
        let at_ends = [self.classes.first(), self.classes.last()]
            .into_iter()
            .flatten()
            .any(|class| class.is(Class::PLACE));
        if several && at_ends {
            place += 3.0;
        }
        if several && self.classes.first().is_some_and(|class| class.is(Class::DEMONYM)) && is_place(last) {
            // `North America`
            place += 1.5;
        }
        if ending(last) {
            place += 0.8;
        }
        if several && self.any(Class::ORGANISATION) {
            organisation += 4.0;
        }
        if several && CLUBS.contains(&last.to_lowercase().as_str()) {
            // It wins, loses and says something as people do, and the town before it may be a first name.
            organisation += 4.0;
            person = 0.0;
        }
        if !several && upper(first) && (count.person > 0 || count.articles * 5 > count.count) {
            organisation += 2.0;
        }
        if several && self.words.iter().any(|word| upper(word)) {
            organisation += 1.0;
        }
        if !self.nouns && count.articles * 2 > count.count {
            // `the Kremlin said`
            organisation += person.min(1.0);
            person -= 1.5;
            place -= 1.0;
        }
        let mut all = [(person, Kind::Person), (place, Kind::Place), (organisation, Kind::Organisation)];
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let [(best, kind), (second, _), _] = all;
        let least = if count.writings >= MANY { EVIDENCE_OF_MANY } else { SOME_EVIDENCE };
        // Who is written about often is called by the last name; who is not, and says something, is an organisation.
        let called = learned.names.get(last).map_or(0, |alone| alone.telling);
        let uncalled = several && count.writings >= MANY && called * 10 < count.telling;
        if kind == Kind::Person && best < SOME_EVIDENCE && uncalled {
            return (Kind::Organisation, 0.1);
        }
        if best >= least {
            return (kind, ((best - second.max(0.0)) / 3.0).clamp(0.0, 1.0));
        }
        // Two or three words that are nothing but names are somebody's mostly.
        let names = matches!(self.words.len(), 2 | 3)
            && self.classes.iter().all(|class| *class == Class::default() || class.is(Class::PARTICLE))
            && self.words.iter().all(|word| {
                if upper(word) || is_place(word) {
                    return false;
                }
                if self.nouns { is_no_noun(learned, word, 1) } else { raised(learned, word) >= MOSTLY_RAISED }
            });
        if self.nouns && several && count.articles * 4 >= count.count {
            // `die Philharmonie Köln`
            return (Kind::Organisation, 0.2);
        }
        if !names || count.articles * 4 >= count.count {
            return (Kind::Other, 0.2);
        }
        if uncalled { (Kind::Organisation, 0.1) } else { (Kind::Person, 0.2) }
    }
}
