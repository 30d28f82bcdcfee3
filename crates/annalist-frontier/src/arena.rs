//! Texts in memory, one after another: nothing is moved when there are more.

use crate::codec::{Malformed, Put, Take};
use crate::pool::Pool;

/// Two to the power of this many bytes make a piece.
pub(crate) const PIECE_BITS: u32 = 18;
const PIECE: usize = 1 << PIECE_BITS;
/// Place of the earlier text, and length.
const HEAD: usize = 12;

#[derive(Debug)]
pub(crate) struct Arena {
    pool: Pool<u8>,
    pieces: Vec<Vec<u8>>,
}

impl Arena {
    pub(crate) fn new(pool: Pool<u8>) -> Arena {
        Arena { pool, pieces: Vec::new() }
    }

    pub(crate) fn pool(&self) -> &Pool<u8> {
        &self.pool
    }

    pub(crate) fn bytes(&self) -> u64 {
        let full = self.pieces.len().saturating_sub(1) * PIECE;
        (full + self.pieces.last().map_or(0, Vec::len)) as u64
    }

    /// Keeps a text with the place of an earlier one (0 = none); its own place is never 0.
    pub(crate) fn add(&mut self, earlier: u64, body: &[u8]) -> u64 {
        let length = HEAD + body.len();
        if self.pieces.last().is_none_or(|piece| piece.len() + length > PIECE) {
            // A text longer than a piece has one of its own.
            self.pieces.push(if length > PIECE { Vec::with_capacity(length) } else { self.pool.take() });
        }
        let number = self.pieces.len() as u64;
        let Some(piece) = self.pieces.last_mut() else { return 0 };
        let place = number << PIECE_BITS | piece.len() as u64;
        piece.put_u64(earlier);
        piece.put_u32(u32::try_from(body.len()).unwrap_or(u32::MAX));
        piece.put(body);
        place
    }

    /// The text at a place, and the place of the one before it.
    pub(crate) fn get(&self, place: u64) -> Result<(&[u8], u64), Malformed> {
        let number = usize::try_from(place >> PIECE_BITS).map_err(|_| Malformed)?;
        let piece = number.checked_sub(1).and_then(|number| self.pieces.get(number)).ok_or(Malformed)?;
        let offset = place as usize & (PIECE - 1);
        let mut take = Take::new(piece.get(offset..).ok_or(Malformed)?);
        let earlier = take.u64()?;
        let length = take.u32()? as usize;
        Ok((take.take(length)?, earlier))
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.pool.give(self.pieces.drain(..));
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, PIECE, PIECE_BITS};
    use crate::pool::Pool;

    #[test]
    fn texts_of_any_length_are_read_back_with_what_came_before() {
        let mut arena = Arena::new(Pool::new(PIECE_BITS));
        let bodies =
            [vec![1; 10], vec![2; PIECE - 40], vec![3; 30], vec![4; 2 * PIECE], vec![5; 7], Vec::new()];
        let mut places = vec![0];
        for body in &bodies {
            let place = arena.add(places[places.len() - 1], body);
            places.push(place);
        }
        for (n, body) in bodies.iter().enumerate() {
            assert_eq!(arena.get(places[n + 1]), Ok((body.as_slice(), places[n])));
        }
        assert!(arena.get(0).is_err());
        assert!(arena.get(u64::MAX >> 1).is_err());
    }
}
