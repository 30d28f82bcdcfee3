//! Letters without their accents, so that what is typed without them is found. Lower case is made before, by the tokens.

use icu_normalizer::ComposingNormalizerBorrowed;

/// From here on Unicode has letters in other shapes: ligatures and Arabic letters as they are set, as texts out of PDF have
/// them, and those of half and full width.
const FIRST_OTHER_SHAPE: char = '\u{fb00}';

/// Adds a word in lower case to a text, without accents and with letters that few keyboards have spelt out.
pub(super) fn push_folded(word: &str, folded: &mut String) {
    if word.is_ascii() {
        folded.push_str(word);
        return;
    }
    if word.chars().any(|c| c >= FIRST_OTHER_SHAPE) {
        let usual = ComposingNormalizerBorrowed::new_nfkc().normalize(word).to_lowercase();
        return usual.chars().for_each(|c| push_plain(c, folded));
    }
    word.chars().for_each(|c| push_plain(c, folded));
}

fn push_plain(c: char, folded: &mut String) {
    match c {
        '\u{300}'..='\u{36f}' => {}
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'þ' => folded.push_str("th"),
        _ => folded.push(plain(c)),
    }
}

fn plain(c: char) -> char {
    match c {
        'à'..='å'
        | 'ā'
        | 'ă'
        | 'ą'
        | 'ǎ'
        | 'ạ'
        | 'ả'
        | 'ấ'
        | 'ầ'
        | 'ẩ'
        | 'ẫ'
        | 'ậ'
        | 'ắ'
        | 'ằ'
        | 'ẳ'
        | 'ẵ'
        | 'ặ' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' | 'ð' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ẹ' | 'ẻ' | 'ẽ' | 'ế' | 'ề' | 'ể' | 'ễ' | 'ệ' => {
            'e'
        }
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ĥ' | 'ħ' => 'h',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ỉ' | 'ị' => 'i',
        'ĵ' => 'j',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö'
        | 'ø'
        | 'ō'
        | 'ŏ'
        | 'ő'
        | 'ơ'
        | 'ọ'
        | 'ỏ'
        | 'ố'
        | 'ồ'
        | 'ổ'
        | 'ỗ'
        | 'ộ'
        | 'ớ'
        | 'ờ'
        | 'ở'
        | 'ỡ'
        | 'ợ' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ŧ' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | 'ụ' | 'ủ' | 'ứ' | 'ừ' | 'ử' | 'ữ' | 'ự' => {
            'u'
        }
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' | 'ỳ' | 'ỵ' | 'ỷ' | 'ỹ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ά' | 'ἀ'..='ἇ' | 'ὰ' | 'ᾶ' => 'α',
        'έ' | 'ἐ'..='ἕ' | 'ὲ' => 'ε',
        'ή' | 'ἠ'..='ἧ' | 'ὴ' | 'ῆ' => 'η',
        'ί' | 'ϊ' | 'ΐ' | 'ἰ'..='ἷ' | 'ὶ' | 'ῖ' => 'ι',
        'ό' | 'ὀ'..='ὅ' | 'ὸ' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' | 'ὐ'..='ὗ' | 'ὺ' | 'ῦ' => 'υ',
        'ώ' | 'ὠ'..='ὧ' | 'ὼ' | 'ῶ' => 'ω',
        'ς' => 'σ',
        'ё' => 'е',
        // Alef in its forms, the final ya and the tied ta are written one for the other.
        'آ' | 'أ' | 'إ' | 'ٱ' => 'ا',
        'ى' => 'ي',
        'ة' => 'ه',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_typed_without_accents_are_the_same() {
        for (written, typed) in [
            ("présidentielles", "presidentielles"),
            ("straße", "strasse"),
            ("ελληνικός", "ελληνικοσ"),
            ("cafe\u{301}", "cafe"),
            ("łódź", "lodz"),
            ("希腊", "希腊"),
            ("e\u{fb03}cient", "efficient"),
            ("ｶﾞｽ", "ガス"),
            ("ｗｅｂ", "web"),
            ("\u{fefb}", "لا"),
        ] {
            let mut folded = String::new();
            super::push_folded(written, &mut folded);
            assert_eq!(folded, typed);
        }
    }
}
