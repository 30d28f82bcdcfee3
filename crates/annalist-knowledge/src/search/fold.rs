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
    if word.chars().any(is_other_shape) {
        let usual = ComposingNormalizerBorrowed::new_nfkc().normalize(word).to_lowercase();
        return usual.chars().for_each(|c| push_plain(c, folded));
    }
    word.chars().for_each(|c| push_plain(c, folded));
}

/// Whether it is a letter in another shape than the usual one, or a part of a letter that there is whole.
fn is_other_shape(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1100}'..='\u{11ff}') || c >= FIRST_OTHER_SHAPE
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
        // Greek with accents and breathings, those of old texts too.
        '\u{3ac}'
        | '\u{1f00}'..='\u{1f07}'
        | '\u{1f70}'
        | '\u{1f71}'
        | '\u{1f80}'..='\u{1f87}'
        | '\u{1fb0}'..='\u{1fb7}' => 'α',
        '\u{3ad}' | '\u{1f10}'..='\u{1f15}' | '\u{1f72}' | '\u{1f73}' => 'ε',
        '\u{3ae}'
        | '\u{1f20}'..='\u{1f27}'
        | '\u{1f74}'
        | '\u{1f75}'
        | '\u{1f90}'..='\u{1f97}'
        | '\u{1fc2}'..='\u{1fc7}' => 'η',
        '\u{3af}'
        | '\u{3ca}'
        | '\u{390}'
        | '\u{1f30}'..='\u{1f37}'
        | '\u{1f76}'
        | '\u{1f77}'
        | '\u{1fd0}'..='\u{1fd7}' => 'ι',
        '\u{3cc}' | '\u{1f40}'..='\u{1f45}' | '\u{1f78}' | '\u{1f79}' => 'ο',
        '\u{3cd}'
        | '\u{3cb}'
        | '\u{3b0}'
        | '\u{1f50}'..='\u{1f57}'
        | '\u{1f7a}'
        | '\u{1f7b}'
        | '\u{1fe0}'..='\u{1fe3}'
        | '\u{1fe6}'
        | '\u{1fe7}' => 'υ',
        '\u{3ce}'
        | '\u{1f60}'..='\u{1f67}'
        | '\u{1f7c}'
        | '\u{1f7d}'
        | '\u{1fa0}'..='\u{1fa7}'
        | '\u{1ff2}'..='\u{1ff7}' => 'ω',
        '\u{1fe4}' | '\u{1fe5}' => 'ρ',
        'ς' => 'σ',
        'ё' => 'е',
        // Alef in its forms, the final ya and the tied ta are written one for the other.
        'آ' | 'أ' | 'إ' | 'ٱ' => 'ا',
        'ى' | 'ئ' => 'ي',
        'ؤ' => 'و',
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
            ("الرئيس", "الرييس"),
            ("ἀρχῇ", "αρχη"),
            ("ῥήτωρ", "ρητωρ"),
            ("ἀνθρώπῳ", "ανθρωπω"),
            // In parts.
            ("раи\u{306}он", "район"),
            ("\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}", "서울"),
        ] {
            let mut folded = String::new();
            super::push_folded(written, &mut folded);
            assert_eq!(folded, typed);
        }
    }
}
