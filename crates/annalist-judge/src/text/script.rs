//! How a character takes part in words. Which words there are is found in `tokens.rs`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Begins or continues a word of a script that puts something between words.
    Letter,
    /// Continues a word, and begins none: accents, vowel signs, joiners.
    Mark,
    /// Is left out of the word it stands in: points that most writers leave out, places for a hyphen.
    Silent,
    /// Of a script that writes word after word without a space.
    Unspaced,
    /// Continues a character of such a script.
    UnspacedMark,
    Apostrophe,
    /// Between the words of a phrase: spaces and hyphens.
    Gap,
    /// Ends a phrase.
    Break,
}

/// The role of what is no ASCII character.
pub(super) fn role(c: char) -> Role {
    match c {
        // The most common ones first: this is asked for every character.
        '×' | '÷' => Role::Break,
        '\u{c0}'..='\u{24f}'
        | '\u{3a3}'..='\u{3f5}'
        | '\u{400}'..='\u{481}'
        | '\u{5d0}'..='\u{5ea}'
        | '\u{621}'..='\u{63a}'
        | '\u{641}'..='\u{64a}'
        | '\u{ac00}'..='\u{d7a3}' => Role::Letter,
        '\u{4e00}'..='\u{9fff}' => Role::Unspaced,
        '\u{2019}' | '\u{2bc}' | '\u{ff07}' => Role::Apostrophe,
        '\u{ad}'
        | '\u{640}'
        | '\u{64b}'..='\u{652}'
        | '\u{591}'..='\u{5bd}'
        | '\u{5bf}'
        | '\u{5c1}'..='\u{5c7}' => Role::Silent,
        '\u{a0}' | '\u{2000}'..='\u{200b}' | '\u{202f}' | '\u{3000}' | '\u{2010}' | '\u{2011}' => Role::Gap,
        _ if is_unspaced_mark(c) => Role::UnspacedMark,
        _ if is_unspaced(c) => Role::Unspaced,
        _ if is_mark(c) => Role::Mark,
        _ if c.is_alphanumeric() => Role::Letter,
        _ => Role::Break,
    }
}

/// Han, Hiragana, Katakana, Thai, Lao, Myanmar, Khmer.
fn is_unspaced(c: char) -> bool {
    match c {
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => {
            c.is_alphanumeric() || c == '\u{e46}' || c == '\u{ec6}'
        }
        '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a9e0}'..='\u{a9fe}'
        | '\u{aa60}'..='\u{aa7f}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{1b000}'..='\u{1b16f}'
        | '\u{20000}'..='\u{3ffff}' => true,
        _ => false,
    }
}

/// Vowel and tone signs that stand on, under or behind the letter before them.
fn is_unspaced_mark(c: char) -> bool {
    matches!(c,
        '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{eb1}' | '\u{eb4}'..='\u{ebc}' | '\u{ec8}'..='\u{ece}'
        | '\u{102b}'..='\u{103e}' | '\u{1056}'..='\u{1059}' | '\u{105e}'..='\u{1060}' | '\u{1062}'..='\u{1064}'
        | '\u{1067}'..='\u{106d}' | '\u{1071}'..='\u{1074}' | '\u{1082}'..='\u{108d}' | '\u{108f}'
        | '\u{109a}'..='\u{109d}' | '\u{17b4}'..='\u{17d3}' | '\u{17dd}'
        | '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}')
}

/// Combining marks, of which the standard library calls only some alphabetic, and the joiners inside words of Persian
/// and the Indic scripts.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{610}'..='\u{61a}' | '\u{653}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}'
        | '\u{711}' | '\u{730}'..='\u{74a}' | '\u{7a6}'..='\u{7b0}'
        | '\u{93c}' | '\u{94d}' | '\u{951}'..='\u{954}' | '\u{9bc}' | '\u{9cd}' | '\u{a3c}' | '\u{a4d}'
        | '\u{abc}' | '\u{acd}' | '\u{b3c}' | '\u{b4d}' | '\u{bcd}' | '\u{c3c}' | '\u{c4d}' | '\u{cbc}' | '\u{ccd}'
        | '\u{d3b}' | '\u{d3c}' | '\u{d4d}' | '\u{dca}' | '\u{f18}' | '\u{f19}' | '\u{f35}' | '\u{f37}' | '\u{f39}'
        | '\u{f71}'..='\u{f84}' | '\u{f86}' | '\u{f87}' | '\u{135d}'..='\u{135f}'
        | '\u{1ab0}'..='\u{1ace}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20f0}'
        | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}

/// The role of an ASCII byte.
pub(super) const ASCII: [Role; 128] = {
    let mut roles = [Role::Break; 128];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        roles[byte] = match c {
            _ if c.is_ascii_alphanumeric() => Role::Letter,
            b'\'' => Role::Apostrophe,
            b' ' | b'-' => Role::Gap,
            _ => Role::Break,
        };
        byte += 1;
    }
    roles
};
