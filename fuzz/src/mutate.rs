//! Inputs out of seeds: bits flipped, bytes and blocks put in and taken out, words of the format, numbers at their
//! limits, two seeds in one. The same dice make the same input. Whether an input breaks anything is found by `hunt`.

use annalist_disk::Dice;

use crate::seeds::Seeds;

/// Longer inputs would cost much and show little: most faults need a few bytes.
const LONGEST: usize = 16 << 10;
const MOST_CHANGES: usize = 8;
const LONGEST_BLOCK: usize = 64;
const SPECIAL_BYTES: &[u8] = b"\0\t\n\r \"#%&'()*,-./:;<=>?@[\\]{}\x1f\x7f\x80\xc0\xef\xfe\xff";
/// Where counters, lengths and offsets go wrong.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "007",
    "255",
    "256",
    "65535",
    "65536",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
];

/// A seed, or two in one, with up to eight changes.
pub fn input(seeds: &Seeds, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed(seeds, dice).to_vec();
    // Half of all inputs have one or two changes: those still look like the format.
    let most = if one_in(2, dice) { 2 } else { MOST_CHANGES };
    for _ in 0..=below(most, dice) {
        change(&mut bytes, seeds, dice);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &Seeds, dice: &mut Dice) {
    match below(11, dice) {
        0 => flip_bit(bytes, dice),
        1 => set_byte(bytes, dice),
        2 => insert_noise(bytes, dice),
        3 => drop(bytes.drain(block(bytes.len(), dice))),
        4 => repeat_block(bytes, dice),
        5 => move_block(bytes, dice),
        6 => splice(bytes, seed(seeds, dice), dice),
        7 | 8 => put_word(bytes, seeds, dice),
        9 => bytes.truncate(below(bytes.len(), dice)),
        _ => change_number(bytes, dice),
    }
}

fn flip_bit(bytes: &mut [u8], dice: &mut Dice) {
    let bit = below(8, dice);
    if let Some(byte) = bytes.get_mut(below(bytes.len(), dice)) {
        *byte ^= 1 << bit;
    }
}

fn set_byte(bytes: &mut [u8], dice: &mut Dice) {
    let value = any_byte(dice);
    if let Some(byte) = bytes.get_mut(below(bytes.len(), dice)) {
        *byte = value;
    }
}

fn insert_noise(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let noise: Vec<u8> = (0..=below(4, dice)).map(|_| any_byte(dice)).collect();
    let at = place(bytes.len(), dice);
    bytes.splice(at..at, noise);
}

/// Once or many times: nesting and lists grow by this.
fn repeat_block(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let block = block(bytes.len(), dice);
    let times = if one_in(8, dice) { 1 + below(60, dice) } else { 1 };
    let copies = bytes[block.clone()].repeat(times);
    bytes.splice(block.end..block.end, copies);
}

fn move_block(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let moved: Vec<u8> = bytes.drain(block(bytes.len(), dice)).collect();
    let at = place(bytes.len(), dice);
    bytes.splice(at..at, moved);
}

/// The start of these bytes and the end of the others, or a piece of the others in the middle of these.
fn splice(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let (at, from) = (place(bytes.len(), dice), place(other.len(), dice));
    if one_in(2, dice) {
        bytes.truncate(at);
        bytes.extend_from_slice(&other[from..]);
    } else {
        let piece = &other[from..other.len().min(from + LONGEST_BLOCK)];
        bytes.splice(at..at, piece.iter().copied());
    }
}

/// In between, or in place of as many bytes.
fn put_word(bytes: &mut Vec<u8>, seeds: &Seeds, dice: &mut Dice) {
    let Some(word) = seeds.words.get(below(seeds.words.len(), dice)) else { return };
    let at = place(bytes.len(), dice);
    let end = if one_in(2, dice) { at } else { bytes.len().min(at + word.len()) };
    bytes.splice(at..end, word.iter().copied());
}

fn change_number(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let start = below(bytes.len(), dice);
    let Some(from) = bytes.iter().skip(start).position(u8::is_ascii_digit).map(|at| start + at) else {
        return;
    };
    let length = bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let number =
        std::str::from_utf8(&bytes[from..from + length]).ok().and_then(|text| text.parse::<u64>().ok());
    let changed = match (below(3, dice), number) {
        (0, Some(number)) => number.wrapping_add(1).to_string(),
        (1, Some(number)) => number.wrapping_sub(1).to_string(),
        _ => NUMBERS[below(NUMBERS.len(), dice)].to_owned(),
    };
    bytes.splice(from..from + length, changed.into_bytes());
}

fn any_byte(dice: &mut Dice) -> u8 {
    match below(2, dice) {
        0 => SPECIAL_BYTES[below(SPECIAL_BYTES.len(), dice)],
        _ => dice.roll().to_le_bytes()[0],
    }
}

fn seed<'s>(seeds: &'s Seeds, dice: &mut Dice) -> &'s [u8] {
    seeds.inputs.get(below(seeds.inputs.len(), dice)).map_or(&[], Vec::as_slice)
}

/// Some neighbouring bytes; few more often than many.
fn block(length: usize, dice: &mut Dice) -> std::ops::Range<usize> {
    let longest = if one_in(4, dice) { length } else { LONGEST_BLOCK };
    let from = below(length, dice);
    from..length.min(from + 1 + below(longest, dice))
}

/// A place between two bytes, at the start or at the end.
fn place(length: usize, dice: &mut Dice) -> usize {
    below(length + 1, dice)
}

fn one_in(chances: usize, dice: &mut Dice) -> bool {
    below(chances, dice) == 0
}

fn below(bound: usize, dice: &mut Dice) -> usize {
    usize::try_from(dice.below(bound as u64)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use annalist_disk::Dice;

    use super::{LONGEST, input};
    use crate::seeds::Seeds;

    fn seeds() -> Seeds {
        let inputs = vec![b"Content-Length: 12\r\n".to_vec(), vec![b'a'; LONGEST], Vec::new()];
        Seeds { inputs, words: vec![b"WARC/1.1".to_vec()] }
    }

    fn inputs(seed: u64) -> Vec<Vec<u8>> {
        let mut dice = Dice::new(seed);
        (0..3000).map(|_| input(&seeds(), &mut dice)).collect()
    }

    #[test]
    fn the_same_dice_make_the_same_inputs_and_others_make_others() {
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
    }

    #[test]
    fn inputs_differ_from_each_other_and_stay_short() {
        let inputs = inputs(1);
        assert!(inputs.iter().all(|input| input.len() <= LONGEST));
        assert!(inputs.iter().collect::<HashSet<_>>().len() > inputs.len() / 2);
    }

    #[test]
    fn words_and_numbers_of_the_format_get_into_inputs() {
        let holds = |inputs: &[Vec<u8>], text: &str| {
            inputs.iter().any(|input| String::from_utf8_lossy(input).contains(text))
        };
        let inputs = inputs(1);
        for text in ["WARC/1.1", "Content-Length: 13\r\n", "Content-Length: 18446744073709551616\r\n"] {
            assert!(holds(&inputs, text), "{text}");
        }
    }

    #[test]
    fn nothing_comes_out_of_nothing_without_a_fault() {
        let mut dice = Dice::new(1);
        assert!((0..1000).any(|_| !input(&Seeds::default(), &mut dice).is_empty()));
    }
}
