use proptest::prelude::*;

use super::{Spacing, Tokens};

fn words(text: &str) -> Vec<String> {
    let mut tokens = Tokens::new(text);
    let mut words = Vec::new();
    while let Some(token) = tokens.next_token() {
        words.push(token.word.to_owned());
    }
    words
}

#[track_caller]
fn assert_words(text: &str, expected: &str) {
    assert_eq!(words(text), expected.split(' ').collect::<Vec<_>>(), "{text}");
}

#[test]
fn words_are_found_in_scripts_with_spaces() {
    assert_words("The Euro-Crisis, of 2009: GREECE!", "the euro crisis of 2009 greece");
    assert_words("Größe ÄRGER œuvre Đà", "größe ärger œuvre đà");
    assert_words("Кризис в Греции", "кризис в греции");
    assert_words("Η κρίση στην ΕΛΛΑΣ", "η κρίση στην ελλας");
    assert_words("الأزمة في اليونان،", "الأزمة في اليونان");
    assert_words("המשבר ביוון", "המשבר ביוון");
    assert_words("यूनान में आर्थिक संकट।", "यूनान में आर्थिक संकट");
    assert_words("গ্রিসের অর্থনৈতিক সংকট", "গ্রিসের অর্থনৈতিক সংকট");
    assert_words("கிரேக்க நெருக்கடி", "கிரேக்க நெருக்கடி");
    assert_words("그리스 경제 위기", "그리스 경제 위기");
    assert_words("ሰላም ለዓለም፡፡", "ሰላም ለዓለም");
    assert_words("Հունաստանի ճգնաժամ", "հունաստանի ճգնաժամ");
    assert_words("საბერძნეთის კრიზისი", "საბერძნეთის კრიზისი");
}

#[test]
fn scripts_without_spaces_give_pairs_of_neighbours() {
    assert_words("希腊危机。", "希腊 腊危 危机");
    assert_words("ギリシャの危機", "ギリ リシ シャ ャの の危 危機");
    assert_words("ราคาดี", "รา าค คา าดี");
    assert_words("ກຣີກ", "ກຣີ ຣີກ");
    assert_words("ក្រិក", "ក្រិ រិក");
    assert_words("ဂရိ", "ဂရိ");
    assert_words("水", "水");
    assert_words("Windows版を使う", "windows 版を を使 使う");
    let mut tokens = Tokens::new("希腊危");
    assert_eq!(tokens.next_token().map(|t| (t.follows, t.spacing)), Some((false, Spacing::Unspaced)));
    assert_eq!(tokens.next_token().map(|t| (t.from, t.to, t.follows)), Some((3, 9, true)));
}

#[test]
fn an_apostrophe_belongs_to_a_word_unless_it_stands_for_a_vowel_of_another() {
    assert_words("don't I’m we'll O'Brien's 'quoted'", "don't i'm we'll o brien's quoted");
    assert_words("l'homme qu’elle d'autres dell'arte", "l homme qu elle d autres dell arte");
    assert_words("п'ять м’яч", "п'ять м'яч");
    assert_words("rock 'n' roll dogs' end'", "rock n roll dogs end");
}

#[test]
fn what_most_writers_leave_out_is_left_out() {
    assert_words("Donau\u{ad}dampf", "donaudampf");
    assert_words("كَتَبَ كـتـب", "كتب كتب");
    assert_words("שָׁלוֹם", "שלום");
    assert_words("İstanbul", "istanbul");
}

#[test]
fn a_word_follows_another_across_spaces_and_hyphens_only() {
    let mut tokens = Tokens::new("New York, well-known\nfor it");
    let mut follows = Vec::new();
    while let Some(token) = tokens.next_token() {
        follows.push(token.follows);
    }
    assert_eq!(follows, [false, true, false, true, false, true]);
}

#[test]
fn plain_words_are_lent_from_the_text() {
    let text = "plain words";
    let mut tokens = Tokens::new(text);
    let word = tokens.next_token().unwrap().word;
    assert!(text.as_bytes().as_ptr_range().contains(&word.as_ptr()));
}

fn strange() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,6}",
        any::<String>(),
        "[a-zA-Z'’\u{ad}\u{64b}σΣİK]{0,8}",
        "[\u{e00}-\u{eff}\u{1000}-\u{109f}\u{1780}-\u{17ff}希ギ\u{3099}]{0,5}",
        "[ ,.\\-\n]{0,2}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn words_stand_in_the_text_in_order(text in strange()) {
        let mut tokens = Tokens::new(&text);
        let (mut from, mut to) = (None, 0);
        while let Some(token) = tokens.next_token() {
            prop_assert!(!token.word.is_empty());
            prop_assert!(text.get(token.from..token.to).is_some_and(|written| !written.is_empty()));
            prop_assert!(Some(token.from) > from && token.to > to, "{token:?}");
            if token.spacing == Spacing::Spaced {
                prop_assert!(token.from >= to, "{token:?} overlaps the one before");
            }
            (from, to) = (Some(token.from), token.to);
        }
    }

    #[test]
    fn words_of_words_are_the_same_words(text in strange()) {
        let mut tokens = Tokens::new(&text);
        let mut spaced = Vec::new();
        while let Some(token) = tokens.next_token() {
            if token.spacing == Spacing::Spaced {
                spaced.push(token.word.to_owned());
            }
        }
        prop_assert_eq!(words(&spaced.join(" ")), spaced);
    }
}
