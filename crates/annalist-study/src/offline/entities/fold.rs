//! One form for the spellings of a name: without capitals and accents, and without the endings that Greek and Slavic names
//! change with their place in a sentence.

use std::collections::HashSet;
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::lists;

/// What is left of a word when its ending is taken is at least this long.
const SHORTEST_STEM: usize = 3;
/// Longest first: the first that fits is taken.
const GREEK: &[&str] =
    &["ουσ", "εσ", "οσ", "ασ", "ησ", "ισ", "υσ", "ου", "ων", "ον", "οι", "α", "η", "ο", "ε", "ι", "υ", "ω"];
const CYRILLIC: &[&str] = &[
    "ого", "ому", "его", "ему", "ыми", "ими", "ами", "ями", "аем", "ой", "ою", "ым", "им", "ом", "ем", "єм",
    "єю", "ах", "ях", "ых", "их", "ый", "ай", "ая", "яя", "ую", "юю", "аю", "ые", "ие", "ае", "а", "я", "у",
    "ю", "е", "ы", "и", "о", "ь", "й", "і", "ї", "є",
];
/// What is an ending in one word and the end of the stem in another: `Достоевским`, `Максим`.
const CYRILLIC_TWICE: &[&str] = &["ым", "им", "ом", "ем", "ах"];

/// What is to be left of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accents {
    Dropped,
    /// Σαμάρα is a city, Σαμαράς a person.
    OfTheStem,
}

/// Writes the form of one word behind what is there.
pub(super) fn fold(word: &str, out: &mut String) {
    fold_with(word, Accents::Dropped, out);
}

fn fold_with(word: &str, accents: Accents, out: &mut String) {
    let from = out.len();
    if word.is_ascii() {
        out.push_str(word);
        if let Some(added) = out.get_mut(from..) {
            added.make_ascii_lowercase();
        }
        return;
    }
    for c in word.chars() {
        let lower = if c.is_lowercase() { c } else { c.to_lowercase().next().unwrap_or(c) };
        match bare(lower) {
            Some(plain) => out.push_str(plain),
            None if is_left_out(lower) => {}
            None => out.push(lower),
        }
    }
    let is_greek = match word.chars().next() {
        Some('\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}') => true,
        Some('\u{400}'..='\u{52f}') => false,
        _ => return,
    };
    let folded = out.get(from..).unwrap_or_default();
    // `Москва`, `Москвы`; `Петров`, `Петрова`: what is common to all forms.
    let length = if is_greek { without(folded, GREEK) } else { cyrillic_stem(folded) }.len();
    out.truncate(from + length);
    if is_greek && accents == Accents::OfTheStem {
        let stem = out.get(from..).unwrap_or_default().chars().count();
        out.truncate(from);
        out.extend(word.chars().take(stem).flat_map(char::to_lowercase));
    }
}

/// A word without the first of these endings that it has.
fn without<'w>(word: &'w str, endings: &[&str]) -> &'w str {
    let mut stems = endings.iter().filter_map(|ending| word.strip_suffix(ending));
    stems.find(|stem| stem.chars().count() >= SHORTEST_STEM).unwrap_or(word)
}

fn cyrillic_stem(word: &str) -> &str {
    let mut letters = word.chars().rev().skip(2);
    let (last, before) = (letters.next().unwrap_or_default(), letters.next().unwrap_or_default());
    let is_vowel = |c| matches!(c, 'а' | 'е' | 'и' | 'о' | 'у' | 'ы' | 'э' | 'ю' | 'я');
    let endings: &[&str] = if word.ends_with("ий") || word.ends_with("ій") {
        // An adjective (`Достоевский`, `Достоевского`, `Нижний`), or a name that keeps the vowel (`Дмитрий`, `Дмитрия`).
        let adjective = matches!(last, 'к' | 'ж' | 'ч' | 'ш' | 'щ') || last == 'н' && !is_vowel(before);
        if adjective { &["ий", "ій"] } else { &["й"] }
    } else if word.ends_with("ей") {
        // `Сергей`, `Сергея`; but `Таня`, `Таней`.
        let of_the_stem = matches!(last, 'б' | 'в' | 'г' | 'к' | 'м' | 'п' | 'р' | 'с' | 'ф' | 'х');
        if of_the_stem { &["й"] } else { &["ей"] }
    } else {
        CYRILLIC
    };
    without(without(word, endings), CYRILLIC_TWICE)
}

/// In lower case and without accents.
pub(super) fn plain(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars().flat_map(char::to_lowercase) {
        match bare(c) {
            Some(plain) => out.push_str(plain),
            None => out.push(c),
        }
    }
    out
}

/// The number of a word's form.
pub(super) fn key(word: &str, buffer: &mut String) -> u64 {
    buffer.clear();
    fold(word, buffer);
    xxh3_64(buffer.as_bytes())
}

/// The number of a name's form, word by word.
pub(super) fn name_key(name: &str) -> u64 {
    name_key_with(name, Accents::Dropped)
}

fn name_key_with(name: &str, accents: Accents) -> u64 {
    let mut folded = String::with_capacity(name.len());
    for word in name.split([' ', '-']).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        fold_with(word.trim_end_matches('.'), accents, &mut folded);
    }
    xxh3_64(folded.as_bytes())
}

pub(super) fn is_first_name(word: &str) -> bool {
    static SET: OnceLock<HashSet<u64>> = OnceLock::new();
    let set = SET.get_or_init(|| lists::first_names().lines().map(name_key).collect());
    set.contains(&name_key(word))
        || word.split_once('-').is_some_and(|(first, _)| set.contains(&name_key(first)))
}

pub(super) fn is_place(name: &str) -> bool {
    static SET: OnceLock<HashSet<u64>> = OnceLock::new();
    let key = |name| name_key_with(name, Accents::OfTheStem);
    SET.get_or_init(|| lists::places().lines().map(key).collect()).contains(&key(name))
}

/// What some write in a word and others do not: accents apart from their letter, points of Hebrew and Arabic, what joins or parts
/// letters.
fn is_left_out(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{640}'
        | '\u{64b}'..='\u{652}' | '\u{ad}' | '\u{200c}' | '\u{200d}')
}

/// A letter without its accent.
fn bare(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' => "e",
        'ğ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => "i",
        'ł' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => "o",
        'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ț' => "t",
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        'æ' => "ae",
        'œ' => "oe",
        'ά' => "α",
        'έ' => "ε",
        'ή' => "η",
        'ί' | 'ϊ' | 'ΐ' => "ι",
        'ό' => "ο",
        'ύ' | 'ϋ' | 'ΰ' => "υ",
        'ώ' => "ω",
        'ς' => "σ",
        'ё' => "е",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{is_first_name, is_place, name_key};

    #[test]
    fn the_forms_of_a_name_are_one() {
        for (one, other) in [
            ("Αντώνης Σαμαράς", "Αντώνη Σαμαρά"),
            ("Μητσοτάκης", "ΜΗΤΣΟΤΑΚΗ"),
            ("Владимир Путин", "Владимира Путина"),
            ("Pedro Sánchez", "Pedro Sanchez"),
            ("Москва", "Москвы"),
            ("علی‌رضا", "علیرضا"),
            ("مُحَمَّد", "محمد"),
        ] {
            assert_eq!(name_key(one), name_key(other), "{one}");
        }
        assert_ne!(name_key("Ann Lee"), name_key("Anne Lee"));
    }

    #[test]
    fn slavic_names_are_one_in_all_their_cases() {
        for forms in [
            "Иван Соколов, Ивана Соколова, Ивану Соколову, Иваном Соколовым, Иване Соколове",
            "Дмитрий Медведев, Дмитрия Медведева, Дмитрию Медведеву, Дмитрием Медведевым, Дмитрии Медведеве",
            "Сергей Лавров, Сергея Лаврова, Сергею Лаврову, Сергеем Лавровым, Сергее Лаврове",
            "Николай Толстой, Николая Толстого, Николаю Толстому, Николаем Толстым, Николае Толстом",
            "Максим Горький, Максима Горького, Максиму Горькому, Максимом Горьким, Максиме Горьком",
            "Артём Ильин, Артема Ильина, Артёму Ильину, Артёмом Ильиным, Артёме Ильине",
            "Мария Соколова, Марии Соколовой, Марию Соколову, Марией Соколовой",
            "Илья Достоевский, Ильи Достоевского, Илье Достоевскому, Ильёй Достоевским",
            "Таня, Тани, Тане, Таню, Таней",
            "Евгений, Евгения, Евгению, Евгением, Евгении",
            "Россия, России, Россию, Россией",
            "Корея, Кореи, Корее, Корею, Кореей",
            "Нижний Новгород, Нижнего Новгорода, Нижнему Новгороду, Нижним Новгородом, Нижнем Новгороде",
            "Володимир Зеленський, Володимира Зеленського, Володимиру Зеленському, Володимиром Зеленським",
            "Україна, України, Україні, Україну, Україною",
            "Сергій, Сергія, Сергію, Сергієм",
            "Марія, Марії, Марію, Марією",
        ] {
            let mut forms = forms.split(", ");
            let first = forms.next().unwrap();
            for form in forms {
                assert_eq!(name_key(first), name_key(form), "{first}, {form}");
            }
        }
        assert_ne!(name_key("Соколов"), name_key("Сокол"));
        assert_ne!(name_key("Дмитрий"), name_key("Дмитров"));
    }

    #[test]
    fn lists_know_names_in_every_case() {
        assert!(is_first_name("Angela") && is_first_name("Владимиру") && !is_first_name("Table"));
        assert!(is_place("Athens") && is_place("New York City") && is_place("Ελλάδας") && !is_place("Table"));
        assert!(is_place("Σαμάρας") && !is_place("Σαμαράς"));
    }
}
