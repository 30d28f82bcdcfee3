//! The language of a page. The text decides when there is enough of it, in a language the detector knows; else
//! what the page says of itself.

use annalist_model::link::shortened;
use whichlang::Lang;

/// Below this the detector guesses.
const SHORTEST_TEXT: usize = 150;
/// What the detector sees: more costs time and changes nothing.
const SAMPLE: usize = 1500;

/// ISO 639-1; `declared` is a `lang` attribute or a feed's language.
pub fn language(text: &str, declared: Option<&str>) -> Option<String> {
    let declared = declared.and_then(two_letters);
    // The detector has 16 languages only and would take any other for one of them.
    if declared.as_deref().is_some_and(|code| !DETECTABLE.contains(&code)) {
        return declared;
    }
    let sample = sample(text);
    if sample.len() < SHORTEST_TEXT {
        return declared;
    }
    match by_script(sample) {
        Script::Named(code) => Some(code.to_owned()),
        Script::Detectable => Some(code(whichlang::detect_language(sample)).to_owned()),
        Script::None => declared,
    }
}

const DETECTABLE: [&str; 16] =
    ["ar", "zh", "de", "en", "fr", "hi", "it", "ja", "ko", "nl", "pt", "ru", "es", "sv", "tr", "vi"];

fn code(language: Lang) -> &'static str {
    match language {
        Lang::Ara => "ar",
        Lang::Cmn => "zh",
        Lang::Deu => "de",
        Lang::Eng => "en",
        Lang::Fra => "fr",
        Lang::Hin => "hi",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Nld => "nl",
        Lang::Por => "pt",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Swe => "sv",
        Lang::Tur => "tr",
        Lang::Vie => "vi",
    }
}

/// The two letters that begin `en-GB`.
fn two_letters(tag: &str) -> Option<String> {
    let code = tag.trim().split(['-', '_', ',', ' ']).next()?;
    (code.len() == 2 && code.bytes().all(|b| b.is_ascii_alphabetic())).then(|| code.to_ascii_lowercase())
}

/// A stretch from inside the text: pages begin with menus, names and dates.
fn sample(text: &str) -> &str {
    let mut from = if text.len() > 2 * SAMPLE { text.len() / 4 } else { 0 };
    while !text.is_char_boundary(from) {
        from += 1;
    }
    shortened(&text[from..], SAMPLE)
}

enum Script {
    /// Written in letters that belong to one language the detector does not know.
    Named(&'static str),
    Detectable,
    /// Hardly any letters.
    None,
}

fn by_script(sample: &str) -> Script {
    let (mut letters, mut greek, mut hebrew, mut thai, mut ukrainian) =
        (0_usize, 0_usize, 0_usize, 0_usize, 0);
    for c in sample.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        match c {
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => greek += 1,
            '\u{590}'..='\u{5FF}' => hebrew += 1,
            '\u{E00}'..='\u{E7F}' => thai += 1,
            'і' | 'ї' | 'є' | 'ґ' => ukrainian += 1,
            _ => {}
        }
    }
    if letters * 4 < sample.chars().count() {
        return Script::None;
    }
    match () {
        () if greek * 2 > letters => Script::Named("el"),
        () if hebrew * 2 > letters => Script::Named("he"),
        () if thai * 2 > letters => Script::Named("th"),
        () if ukrainian * 20 > letters => Script::Named("uk"),
        () => Script::Detectable,
    }
}

#[cfg(test)]
mod tests {
    use super::language;

    const ENGLISH: &str = "The library keeps the pages of the town's newspapers from the first day of printing, and \
        anybody may come and read them in the hall on the second floor, where a lamp burns until nine o'clock.";
    const GERMAN: &str = "Die Bibliothek bewahrt die Seiten der Zeitungen unserer Stadt seit dem ersten Tag auf, und \
        jeder darf kommen und sie im Saal des zweiten Stocks lesen, in dem bis neun Uhr eine Lampe brennt.";

    #[test]
    fn long_text_decides_against_the_attribute() {
        assert_eq!(language(GERMAN, Some("en-US")).as_deref(), Some("de"));
        assert_eq!(language(ENGLISH, None).as_deref(), Some("en"));
    }

    #[test]
    fn the_attribute_decides_for_short_text_and_languages_the_detector_does_not_know() {
        assert_eq!(language("kurz", Some("de-AT")).as_deref(), Some("de"));
        assert_eq!(language(ENGLISH, Some("pl")).as_deref(), Some("pl"));
        assert_eq!(language("kurz", None), None);
        assert_eq!(language("x", Some("english")), None);
    }

    #[test]
    fn letters_of_one_language_name_it() {
        let greek = "Η βιβλιοθήκη κρατά τις σελίδες των εφημερίδων της πόλης από την πρώτη ημέρα. ".repeat(4);
        assert_eq!(language(&greek, None).as_deref(), Some("el"));
        assert_eq!(language(&"12 34 -- ".repeat(60), Some("fr")).as_deref(), Some("fr"));
    }
}
