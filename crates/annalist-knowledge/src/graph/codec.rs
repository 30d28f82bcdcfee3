//! Numbers as bytes, and the coding of sorted tuples. What the numbers mean is said where they are used.

/// A statement in one of the orders, each part by its rank among the terms of a run.
pub type Tuple = [u32; 4];

/// Seven bits a byte, the lowest first.
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads bytes from their start; `None` where there are too few.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
            if shift > 63 {
                return None;
            }
        }
    }

    pub fn rank(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?.try_into().ok()?;
        self.take(count)
    }
}

/// The distance to the tuple before fits into the first byte below this.
const FAR: u32 = 31;
const SAME_LAST: u8 = 0b100;

/// Adds a tuple that is greater than the one before: the first part that differs as a distance, those behind it as they
/// are, the last one (mostly the graph) left out where it is the same again.
pub fn put_tuple(out: &mut Vec<u8>, before: &Tuple, tuple: &Tuple) {
    let first = before.iter().zip(tuple).position(|(a, b)| a != b).unwrap_or(3);
    let distance = tuple[first].wrapping_sub(before[first]);
    let same = first < 3 && tuple[3] == before[3];
    let head = first as u8 | if same { SAME_LAST } else { 0 };
    out.push(head | (distance.min(FAR) as u8) << 3);
    if distance >= FAR {
        put(out, u64::from(distance - FAR));
    }
    let last = if same { 3 } else { 4 };
    tuple.iter().take(last).skip(first + 1).for_each(|part| put(out, u64::from(*part)));
}

/// The tuples of a block, whose first is known.
pub fn read_tuples(bytes: &[u8], first: Tuple, count: usize) -> Option<Vec<Tuple>> {
    let mut reader = Reader(bytes);
    let mut tuples = Vec::with_capacity(count.min(1 << 16));
    let mut tuple = first;
    tuples.push(tuple);
    while tuples.len() < count {
        let head = reader.byte()?;
        let place = usize::from(head & 3);
        let mut distance = u32::from(head >> 3);
        if distance == FAR {
            distance = reader.rank()?.checked_add(FAR)?;
        }
        tuple[place] = tuple[place].checked_add(distance)?;
        let last = if head & SAME_LAST != 0 { 3 } else { 4 };
        for part in tuple.iter_mut().take(last).skip(place + 1) {
            *part = reader.rank()?;
        }
        tuples.push(tuple);
    }
    reader.0.is_empty().then_some(tuples)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Tuple, put_tuple, read_tuples};

    proptest! {
        #[test]
        fn tuples_come_back(mut tuples in prop::collection::vec(prop::array::uniform4(prop_oneof![0_u32..4, any::<u32>()]), 1..60)) {
            tuples.sort_unstable();
            tuples.dedup();
            let mut bytes = Vec::new();
            tuples.windows(2).for_each(|pair| put_tuple(&mut bytes, &pair[0], &pair[1]));
            prop_assert_eq!(read_tuples(&bytes, tuples[0], tuples.len()), Some(tuples));
        }

        #[test]
        fn damaged_blocks_are_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), first: Tuple, count in 1_usize..90) {
            let _ = read_tuples(&bytes, first, count);
        }
    }
}
