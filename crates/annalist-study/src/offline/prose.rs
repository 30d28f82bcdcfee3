//! The words of a text with what their writing tells: capitals, where sentences begin, what stands between them. The judge's
//! tokens are in lower case and know nothing of sentences.

use icu_properties::CodePointMapDataBorrowed;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Lower,
    /// `Athens`
    Capital,
    /// `ECB`
    Upper,
    /// `J.`
    Initial,
    /// `eBay`, `iPhone`
    Mixed,
    Number,
    /// Of a script without capitals that puts spaces between words.
    Caseless,
    /// One character of a script without spaces.
    Unspaced,
}

impl Shape {
    /// Whether a name may be written so where there are capitals.
    pub(super) fn is_raised(self) -> bool {
        matches!(self, Shape::Capital | Shape::Upper | Shape::Initial | Shape::Mixed)
    }
}

/// What stands before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// The end of a sentence, or of a line.
    Sentence,
    /// Something after which many write a capital: a colon, a quotation mark.
    Opening,
    Bracket,
    Comma,
    /// Any other mark.
    Break,
    Space,
    /// Nothing: an article that lost its vowel stands before it, or it is of a script without spaces.
    Tight,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub from: usize,
    pub to: usize,
    /// Where the word itself ends: before `'s`.
    pub core: usize,
    pub shape: Shape,
    pub joint: Joint,
    pub sentence: u32,
    /// Whether its case tells something: it does not begin a sentence, and its line is no headline.
    pub tells: bool,
}

impl Token {
    pub(super) fn core<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.from..self.core).unwrap_or_default()
    }

    pub(super) fn word<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.from..self.to).unwrap_or_default()
    }

    /// Whether a name may go on from the word before to this one.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.joint, Joint::Space | Joint::Tight)
    }
}

/// A dot after these ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "etc", "vs", "vol", "nr", "bd", "ca", "bzw", "ggf", "usw", "approx", "dr", "prof", "κ", "κα", "δρ",
    "καθ", "г", "ул", "им", "z", "b", "u", "h", "v",
];
/// Nor after these, where they have a capital: `No. 5`, and not `she said no.`
const RAISED_ABBREVIATIONS: &[&str] = &[
    "Mr", "Mrs", "Ms", "St", "Sr", "Jr", "Gen", "Col", "Lt", "Sgt", "Capt", "Rev", "Hon", "Gov", "Sen",
    "Rep", "Pres", "No", "Art", "Inc", "Ltd", "Corp", "Co", "Mme", "Mlle", "Me", "Av", "Dra", "Sra", "Ing",
    "Dipl", "Mag", "Dott", "Sig", "Avv", "On", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep",
    "Sept", "Oct", "Nov", "Dec", "Str",
];

/// All words of a text, in order.
pub(super) fn tokens(text: &str, out: &mut Vec<Token>) {
    out.clear();
    let mut sentence = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let first = out.len();
        Line { text, end: at + line.len(), at, sentence: &mut sentence }.read(out);
        at += line.len();
        sentence += 1;
        judge_case(out.get_mut(first..).unwrap_or_default(), line);
    }
}

/// A headline has capitals where no name is, and a line that begins small has none where names are.
fn judge_case(line: &mut [Token], text: &str) {
    let (mut raised, mut words) = (0, 0);
    for token in line.iter().skip(1).filter(|t| !matches!(t.shape, Shape::Number | Shape::Initial)) {
        let long = token.to - token.from > 3;
        raised += usize::from(token.shape.is_raised() && long);
        words += usize::from(long);
    }
    let ended = text.trim_end().ends_with(['.', '!', '?', '…', ';', '»', '”', '"']);
    let shouted = line.iter().filter(|t| t.shape == Shape::Upper).count() * 2 > line.len();
    let headline = shouted || !ended && raised * 3 >= words * 2;
    let begins_small = line.first().is_some_and(|t| t.shape == Shape::Lower);
    for token in line {
        token.tells &= !(headline || begins_small && token.shape == Shape::Lower);
    }
}

struct Line<'t, 's> {
    text: &'t str,
    at: usize,
    end: usize,
    sentence: &'s mut u32,
}

impl Line<'_, '_> {
    fn read(mut self, out: &mut Vec<Token>) {
        let mut joint = Joint::Sentence;
        while let Some(c) = self.peek() {
            if c.is_alphanumeric() {
                self.word(joint, out);
                joint = self.between(out);
            } else {
                joint = stronger(joint, mark(c));
                self.at += c.len_utf8();
            }
        }
    }

    fn peek(&self) -> Option<char> {
        if self.at >= self.end {
            return None;
        }
        match self.text.as_bytes().get(self.at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.text.get(self.at..self.end)?.chars().next(),
        }
    }

    fn after(&self, at: usize) -> Option<char> {
        match self.text.as_bytes().get(at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.text.get(at..self.end)?.chars().next(),
        }
    }

    /// Takes the word that begins here.
    fn word(&mut self, joint: Joint, out: &mut Vec<Token>) {
        let from = self.at;
        let mut core = None;
        let (mut uppers, mut lowers, mut digits, mut letters) = (0_usize, 0_usize, 0_usize, 0_usize);
        let mut first_upper = false;
        while let Some(c) = self.peek() {
            if is_unspaced(c) {
                if self.at == from {
                    self.at += c.len_utf8();
                    while let Some(sign) = self.peek().filter(|sign| is_sign(*sign)) {
                        self.at += sign.len_utf8();
                    }
                    let shape = Shape::Unspaced;
                    self.push(
                        Token { from, to: self.at, core: self.at, shape, joint, sentence: 0, tells: true },
                        out,
                    );
                    return;
                }
                break;
            }
            if c.is_alphanumeric() {
                if c.is_ascii_lowercase() || !c.is_ascii() && c.is_lowercase() {
                    lowers += 1;
                } else if c.is_uppercase() {
                    uppers += 1;
                    first_upper |= self.at == from;
                } else if c.is_numeric() {
                    digits += 1;
                } else {
                    letters += 1;
                }
                self.at += c.len_utf8();
                continue;
            }
            let next = self.after(self.at + c.len_utf8());
            let goes_on = next.is_some_and(char::is_alphanumeric);
            match c {
                '\'' | '’' | 'ʼ' if goes_on && core.is_none() => {
                    let elided = self.at - from <= 2
                        && (!first_upper || joint == Joint::Sentence)
                        && self.text.get(from..self.at).is_some_and(is_elision);
                    if elided {
                        // `l'Europe`: the article is a word of its own.
                        let shape = if first_upper { Shape::Capital } else { Shape::Lower };
                        let article = Token {
                            from,
                            to: self.at,
                            core: self.at,
                            shape,
                            joint,
                            sentence: 0,
                            tells: false,
                        };
                        self.push(article, out);
                        self.at += c.len_utf8();
                        return self.word(Joint::Tight, out);
                    }
                    // `Samaras's`, `Ankara'da`: an ending; `O'Brien`: a part of the name.
                    if next.is_some_and(|n| !n.is_uppercase()) {
                        core = Some(self.at);
                    }
                    self.at += c.len_utf8();
                }
                '-' | '\u{2010}' | '\u{2011}' | '&' if goes_on => self.at += c.len_utf8(),
                '.' if goes_on && lowers == 0 && digits == 0 && uppers > 0 => self.at += 1, // U.S.A
                '\u{ad}' => self.at += c.len_utf8(),
                // Persian words have parts that are not joined to each other.
                '\u{200c}' | '\u{200d}' if goes_on => self.at += c.len_utf8(),
                _ if is_sign(c) => self.at += c.len_utf8(),
                _ => break,
            }
        }
        let shape = match (uppers, lowers) {
            _ if digits > 0 && uppers + lowers + letters == 0 => Shape::Number,
            (0, 0) => Shape::Caseless,
            (0, _) => Shape::Lower,
            (1, 0) if self.peek() == Some('.') => Shape::Initial,
            (1, 0) => Shape::Capital,
            (_, 0) => Shape::Upper,
            _ if first_upper => Shape::Capital,
            _ => Shape::Mixed,
        };
        let tells = !matches!(joint, Joint::Sentence | Joint::Opening);
        let core = core.unwrap_or(self.at);
        self.push(Token { from, to: self.at, core, shape, joint, sentence: 0, tells }, out);
    }

    fn push(&self, token: Token, out: &mut Vec<Token>) {
        out.push(Token { sentence: *self.sentence, ..token });
    }

    /// What stands behind the word just read, up to the next.
    fn between(&mut self, out: &[Token]) -> Joint {
        let Some(word) = out.last() else { return Joint::Sentence };
        let mut joint = Joint::Tight;
        while let Some(c) = self.peek().filter(|c| !c.is_alphanumeric()) {
            let after = self.at + c.len_utf8();
            let mark = match c {
                '.' if word.shape == Shape::Initial || self.is_abbreviation(word) => Joint::Space,
                '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '।' | ';' => {
                    // A sentence begins with a capital where there are capitals.
                    let rest = self.text.get(after..self.end).unwrap_or_default();
                    match rest.chars().find(|c| c.is_alphanumeric()) {
                        Some(next) if next.is_lowercase() && c == '.' => Joint::Break,
                        Some(_) if c == '.' && rest.starts_with(char::is_alphanumeric) => Joint::Break,
                        _ => Joint::Sentence,
                    }
                }
                _ => mark(c),
            };
            joint = stronger(joint, mark);
            self.at = after;
        }
        if joint == Joint::Sentence {
            *self.sentence += 1;
        }
        joint
    }

    fn is_abbreviation(&self, word: &Token) -> bool {
        let written = word.word(self.text);
        written.len() <= 6
            && (RAISED_ABBREVIATIONS.contains(&written)
                || ABBREVIATIONS.contains(&written.to_lowercase().as_str()))
    }
}

/// `l`, `d`, `qu` and the like.
fn is_elision(word: &str) -> bool {
    matches!(
        word,
        "l" | "d"
            | "n"
            | "s"
            | "j"
            | "c"
            | "m"
            | "t"
            | "qu"
            | "L"
            | "D"
            | "N"
            | "S"
            | "J"
            | "C"
            | "M"
            | "T"
            | "Qu"
    )
}

fn mark(c: char) -> Joint {
    match c {
        ' ' | '\t' | '\u{a0}' | '\u{202f}' => Joint::Space,
        '\n' => Joint::Sentence,
        ':' | '"' | '“' | '”' | '„' | '«' | '»' | '‘' | '‹' | '›' | '•' | '·' | '|' | '>' | '*' => {
            Joint::Opening
        }
        '(' | '[' => Joint::Bracket,
        ',' | '،' | '、' | '，' => Joint::Comma,
        _ => Joint::Break,
    }
}

fn stronger(one: Joint, other: Joint) -> Joint {
    let rank = |joint| match joint {
        Joint::Tight => 0,
        Joint::Space => 1,
        Joint::Comma => 2,
        Joint::Bracket => 3,
        Joint::Break => 4,
        Joint::Opening => 5,
        Joint::Sentence => 6,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// What belongs to the letter before it and is no letter itself: accents, tones, the viramas of the Indic scripts, which join
/// consonants. Signs of vowels count as letters.
fn is_sign(c: char) -> bool {
    !c.is_ascii()
        && !c.is_alphanumeric()
        && GeneralCategoryGroup::Mark.contains(CodePointMapDataBorrowed::<GeneralCategory>::new().get(c))
}

/// Han, kana, Thai, Lao, Khmer, Myanmar.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3041}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::{Joint, Shape, Token, tokens};

    fn of(text: &str) -> Vec<(String, Token)> {
        let mut out = Vec::new();
        tokens(text, &mut out);
        out.iter().map(|token| (token.core(text).to_owned(), *token)).collect()
    }

    fn telling(text: &str) -> Vec<String> {
        of(text).into_iter().filter(|(_, t)| t.tells && t.shape.is_raised()).map(|(word, _)| word).collect()
    }

    #[test]
    fn a_capital_tells_where_no_sentence_begins() {
        let text =
            "Yesterday Antonis Samaras came. He met Dr. Weber of the ECB: Nobody else. “Well,” said Ann.";
        assert_eq!(telling(text), ["Antonis", "Samaras", "Dr", "Weber", "ECB", "Ann"]);
    }

    #[test]
    fn headlines_tell_nothing() {
        assert_eq!(telling("Contact Our Friendly Team\nWe met Ann in Rome today."), ["Ann", "Rome"]);
        assert_eq!(telling("PLEASE READ THIS NOW.\n"), Vec::<String>::new());
    }

    #[test]
    fn endings_and_articles_are_no_part_of_a_name() {
        let words: Vec<_> =
            of("l'Europe d’Obama O'Brien's Jean-Claude don't").into_iter().map(|(w, _)| w).collect();
        assert_eq!(words, ["l", "Europe", "d", "Obama", "O'Brien", "Jean-Claude", "don"]);
    }

    #[test]
    fn sentences_end_where_they_end() {
        assert_eq!(telling("We said no. Schools are on. Tickets went to us, U.S. style."), ["U.S"]);
        let of = of("Mr. J. Smith came. It was 3.5 km, e.g. far! 希腊危机。好");
        let sentences: Vec<_> = of.iter().map(|(_, t)| t.sentence).collect();
        assert_eq!(sentences, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3], "{of:?}");
        assert_eq!(of[1].1.shape, Shape::Initial);
        assert_eq!(of[2].1.joint, Joint::Space);
    }

    #[test]
    fn signs_stay_with_their_letters_in_every_script() {
        for word in ["वर्मा", "রবীন্দ্র", "ஸ்டாலின்", "చంద్రబాబు", "علی‌رضا", "مُحَمَّد", "क्‍ष", "e\u{301}t"]
        {
            let words: Vec<_> = of(&format!("{word} {word}.")).into_iter().map(|(w, _)| w).collect();
            assert_eq!(words, [word, word]);
        }
        let mut all = Vec::new();
        for name in ["မောင်မောင်", "ยิ่งลักษณ์"] {
            tokens(name, &mut all);
            assert!(all.iter().skip(1).all(|token| token.joint == Joint::Tight), "{all:?}");
        }
        // What joins nothing is no part of a word.
        assert_eq!(of("علی\u{200c} b").first().map(|(word, _)| word.as_str()), Some("علی"));
    }

    #[test]
    fn any_text_has_tokens_within_it() {
        for text in ["", "'", "l'", "’’a’", "a\u{301}b.", "..A..", "Ça-", "ﬁ ǅ \u{1F600}é"] {
            for (_, token) in of(text) {
                assert!(text.get(token.from..token.to).is_some() && token.core <= token.to, "{text}");
            }
        }
    }
}
