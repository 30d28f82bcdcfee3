//! What the words of a text come to, sentence by sentence: for the text as a whole, and for each entity that is named.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Opinion;
use super::lexicon::{LONGEST_ENTRY, Lexicon, Signs, Turn};
use crate::offline::entities::Span;
use crate::offline::prose::{Shape, Token, tokens};

/// How far before a word its negation may stand, in words.
const NEGATION_REACHES: usize = 4;
/// What is not good is not as bad as what is bad.
const NEGATED: f32 = -0.75;
const STRENGTHENED: f32 = 1.3;
const WEAKENED: f32 = 0.7;
const BEFORE_BUT: f32 = 0.5;
const AFTER_BUT: f32 = 1.5;
const EXCLAIMED: f32 = 1.2;
/// One strong word makes about half of all there can be.
const HALF_OF_ALL: f32 = 0.9;
/// So many words that tell make an opinion sure, nearly.
const ENOUGH_WORDS: f32 = 2.0;
/// A comma between a word and a name is as far as so many bytes.
const CLAUSE: usize = 30;
/// Quotes that are shorter are found anywhere.
const SHORTEST_QUOTE: usize = 12;
/// Who `he` is.
const BY_PRONOUN: f32 = 0.6;

/// A sum of what is felt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Feeling {
    /// Of sentences, each from -1 to 1.
    sum: f32,
    sentences: f32,
    /// Of words, whatever they tell.
    strength: f32,
    balance: f32,
    words: f32,
}

impl Feeling {
    fn add(&mut self, sentence: &Sentence) {
        let sum = sentence.sum;
        self.sum += sum / (sum * sum + HALF_OF_ALL).sqrt();
        self.sentences += 1.0;
        self.strength += sentence.strength;
        self.balance += sum;
        self.words += sentence.words;
    }

    /// `None` where no word tells. `sure` is how sure it is whom it is about.
    pub(super) fn opinion(&self, sure: f32) -> Option<Opinion> {
        if self.words == 0.0 {
            return None;
        }
        let value = (self.sum / self.sentences.max(1.0)).clamp(-1.0, 1.0);
        let agreement = (self.balance.abs() / self.strength.max(f32::MIN_POSITIVE)).min(1.0);
        let many = 1.0 - (-self.words / ENOUGH_WORDS).exp();
        Some(Opinion { value, confidence: sure * many * (0.3 + 0.7 * agreement) })
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Sentence {
    sum: f32,
    strength: f32,
    words: f32,
}

impl Sentence {
    fn add(&mut self, value: f32) {
        self.sum += value;
        self.strength += value.abs();
        self.words += 1.0;
    }
}

/// A word that tells of an opinion, or a sign.
struct Hit {
    at: usize,
    value: f32,
}

/// What is felt in a text.
pub(super) struct Felt {
    pub(super) whole: Feeling,
    /// With how sure it is that they are meant.
    pub(super) entities: BTreeMap<u32, (Feeling, f32)>,
}

impl Felt {
    pub(super) fn new(text: &str, quotes: &[String], lexicon: &Lexicon, spans: &[Span]) -> Felt {
        let mut felt = Felt { whole: Feeling::default(), entities: BTreeMap::new() };
        let foreign = quoted(text, quotes);
        let is_foreign = |at: usize| foreign.iter().any(|range| range.contains(&at));
        let mut all = Vec::new();
        tokens(text, &mut all);
        let signs: Vec<(usize, f32)> = Signs::all().find(text).collect();
        // The person that a pronoun would mean.
        let mut person: Option<Span> = None;
        for sentence in all.chunk_by(|a, b| a.sentence == b.sentence) {
            let Some(first) = sentence.first().filter(|first| !is_foreign(first.from)) else { continue };
            let named: Vec<Span> =
                spans.iter().filter(|span| span.sentence == first.sentence).copied().collect();
            let mut hits = words(text, sentence, lexicon);
            let end = sentence.last().map_or(first.to, |last| last.to);
            let next =
                all.get(all.partition_point(|token| token.from < end)).map_or(text.len(), |token| token.from);
            hits.extend(
                signs
                    .iter()
                    .filter(|(at, _)| (first.from..next).contains(at))
                    .map(|(at, value)| Hit { at: *at, value: *value }),
            );
            if text.get(end..next).is_some_and(|marks| marks.contains('!')) {
                hits.iter_mut().for_each(|hit| hit.value *= EXCLAIMED);
            }
            felt.take(
                text,
                &hits,
                &named,
                person.filter(|_| named.is_empty() && begins_with_pronoun(text, sentence, lexicon)),
            );
            match named.as_slice() {
                [] => {}
                [one] => person = Some(*one),
                _ => person = None,
            }
        }
        felt
    }

    fn take(&mut self, text: &str, hits: &[Hit], named: &[Span], pronoun: Option<Span>) {
        if hits.is_empty() {
            return;
        }
        let mut whole = Sentence::default();
        let mut entities: BTreeMap<u32, (Sentence, f32)> = BTreeMap::new();
        for hit in hits {
            whole.add(hit.value);
            let nearest = named.iter().min_by_key(|span| distance(text, hit.at, span.from));
            let meant = nearest.map(|span| (span.entity, span.confidence));
            if let Some((entity, sure)) =
                meant.or(pronoun.map(|span| (span.entity, span.confidence * BY_PRONOUN)))
            {
                let (sentence, known) = entities.entry(entity).or_default();
                sentence.add(hit.value);
                *known = known.max(sure);
            }
        }
        self.whole.add(&whole);
        for (entity, (sentence, sure)) in entities {
            let (feeling, known) = self.entities.entry(entity).or_default();
            feeling.add(&sentence);
            *known = known.max(sure);
        }
    }
}

/// The words of a sentence that tell something, and what they tell where they stand.
fn words(text: &str, sentence: &[Token], lexicon: &Lexicon) -> Vec<Hit> {
    let lowered: Vec<String> = sentence.iter().map(|token| token.word(text).to_lowercase()).collect();
    let turns: Vec<Option<Turn>> = lowered.iter().map(|word| lexicon.turn(word)).collect();
    let turn = |at: usize| turns.get(at).copied().flatten();
    let but = turns.iter().position(|turn| *turn == Some(Turn::But));
    let mut hits = Vec::new();
    let (mut at, mut reached) = (0, 0);
    while let Some(token) = sentence.get(at) {
        let found = entry(sentence, &lowered, at, lexicon);
        let length = found.map_or(1, |(_, length)| length);
        // A word with a capital is part of a name.
        let is_name =
            matches!(token.shape, Shape::Capital | Shape::Mixed) && token.tells && !lexicon.raises_nouns;
        if let Some((value, _)) = found.filter(|(value, _)| *value != 0.0 && !is_name) {
            let mut value = value;
            if turn(at) != Some(Turn::Negates) && negated(sentence, reached..at, length, &turn, lexicon) {
                value *= NEGATED;
            }
            for before in at.saturating_sub(2)..at {
                match turn(before) {
                    Some(Turn::Strengthens) => value *= STRENGTHENED,
                    Some(Turn::Weakens) => value *= WEAKENED,
                    _ => {}
                }
            }
            value *= but.map_or(1.0, |but| if at < but { BEFORE_BUT } else { AFTER_BUT });
            hits.push(Hit { at: token.from, value });
            // A negation is used up by the first word that it reaches: `nobody liked the terrible plans`.
            reached = at + length;
        }
        at += length;
    }
    hits
}

/// The longest entry of the lexicon that begins here: its value and how many words it has.
fn entry(sentence: &[Token], lowered: &[String], at: usize, lexicon: &Lexicon) -> Option<(f32, usize)> {
    let mut entry = lowered.get(at)?.clone();
    // `no` alone tells nothing but that something is not.
    let mut best = lexicon.word(&entry).filter(|_| lexicon.turn(&entry).is_none()).map(|value| (value, 1));
    for length in 2..=LONGEST_ENTRY {
        let Some(next) = sentence.get(at + length - 1).filter(|next| next.goes_on()) else { break };
        if next.shape != Shape::Unspaced {
            entry.push(' ');
        }
        entry.push_str(lowered.get(at + length - 1)?);
        best = lexicon.entry(&entry).map(|value| (value, length)).or(best);
    }
    best
}

/// Whether a negation stands before the words, in the same clause and among the free ones, or behind them at its end.
fn negated(
    sentence: &[Token],
    free: Range<usize>,
    length: usize,
    turn: &impl Fn(usize) -> Option<Turn>,
    lexicon: &Lexicon,
) -> bool {
    let breaks = |at: usize| sentence.get(at).is_some_and(|token| !token.goes_on());
    let at = free.end;
    for before in (free.start..at).rev().take(NEGATION_REACHES) {
        if breaks(before + 1) {
            break;
        }
        match turn(before) {
            Some(Turn::Negates) => return turn(before + 1) != Some(Turn::Only),
            Some(Turn::But) => break,
            _ => {}
        }
    }
    if lexicon.negates_behind {
        for behind in (at + length)..(at + length + NEGATION_REACHES) {
            if behind >= sentence.len() || breaks(behind) {
                break;
            }
            if turn(behind) == Some(Turn::Negates) {
                return behind + 1 >= sentence.len() || breaks(behind + 1);
            }
        }
    }
    false
}

fn begins_with_pronoun(text: &str, sentence: &[Token], lexicon: &Lexicon) -> bool {
    sentence.iter().take(2).any(|token| lexicon.turn(&token.word(text).to_lowercase()) == Some(Turn::Pronoun))
}

/// How far a word is from a name; what stands in another clause is farther.
fn distance(text: &str, one: usize, other: usize) -> usize {
    let between = text.get(one.min(other)..one.max(other)).unwrap_or_default();
    between.len() + CLAUSE * between.chars().filter(|c| matches!(c, ',' | ';' | ':' | '–' | '(')).count()
}

/// Where the text is somebody else's.
fn quoted(text: &str, quotes: &[String]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    for quote in quotes.iter().map(|quote| quote.trim()).filter(|quote| quote.len() >= SHORTEST_QUOTE) {
        if let Some(from) = text.find(quote) {
            ranges.push(from..from + quote.len());
            continue;
        }
        // Line by line, where lines were broken otherwise or somebody is said to have written it.
        for line in quote.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_QUOTE) {
            ranges.extend(text.find(line).map(|from| from..from + line.len()));
        }
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let said = line.trim();
            if said.len() >= SHORTEST_QUOTE && quote.contains(said) {
                ranges.push(at..at + line.len());
            }
            at += line.len();
        }
    }
    ranges
}
