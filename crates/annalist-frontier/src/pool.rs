//! Memory in pieces of one size that go round: what a merged bucket gave back, the next one takes. Left to the
//! allocator, the holes that large pieces leave would be filled with small things and never fit a piece again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Spare pieces. Clones share them.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    spare: Arc<Mutex<Vec<Vec<T>>>>,
    /// A piece has two to the power of this many elements: places are split without dividing.
    bits: u32,
}

impl<T> Clone for Pool<T> {
    fn clone(&self) -> Self {
        Pool { spare: Arc::clone(&self.spare), bits: self.bits }
    }
}

impl<T> Pool<T> {
    pub(crate) fn new(bits: u32) -> Pool<T> {
        Pool { spare: Arc::default(), bits }
    }

    fn elements(&self) -> usize {
        1 << self.bits
    }

    /// The piece of a place, and the place in it.
    fn split(&self, place: usize) -> (usize, usize) {
        (place >> self.bits, place & (self.elements() - 1))
    }

    pub(crate) fn take(&self) -> Vec<T> {
        self.lock().pop().unwrap_or_else(|| Vec::with_capacity(self.elements()))
    }

    /// Pieces of another size go back to the allocator.
    pub(crate) fn give(&self, pieces: impl Iterator<Item = Vec<T>>) {
        let mut spare = self.lock();
        for mut piece in pieces {
            if piece.capacity() == self.elements() {
                piece.clear();
                spare.push(piece);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<T>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A list in pieces of a pool: nothing is moved when it grows.
#[derive(Debug)]
pub(crate) struct Pieces<T> {
    pool: Pool<T>,
    pieces: Vec<Vec<T>>,
    length: usize,
}

impl<T> Pieces<T> {
    pub(crate) fn new(pool: Pool<T>) -> Pieces<T> {
        Pieces { pool, pieces: Vec::new(), length: 0 }
    }

    pub(crate) fn pool(&self) -> &Pool<T> {
        &self.pool
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn push(&mut self, element: T) {
        if self.pool.split(self.length).1 == 0 {
            self.pieces.push(self.pool.take());
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.push(element);
            self.length += 1;
        }
    }

    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        let (piece, place) = self.pool.split(place);
        self.pieces.get(piece)?.get(place)
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        let (piece, place) = self.pool.split(place);
        self.pieces.get_mut(piece)?.get_mut(place)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flatten()
    }
}

impl<T> Drop for Pieces<T> {
    fn drop(&mut self) {
        self.pool.give(self.pieces.drain(..));
    }
}

#[cfg(test)]
mod tests {
    use super::{Pieces, Pool};

    #[test]
    fn a_list_is_read_back_over_its_pieces_and_gives_them_back() {
        let pool = Pool::new(2);
        for _ in 0..2 {
            let mut list = Pieces::new(pool.clone());
            (0..10).for_each(|n| list.push(n));
            if let Some(element) = list.get_mut(7) {
                *element = 70;
            }
            assert_eq!((list.len(), list.get(7), list.get(10)), (10, Some(&70), None));
            assert_eq!(list.iter().copied().collect::<Vec<i32>>(), [0, 1, 2, 3, 4, 5, 6, 70, 8, 9]);
        }
        assert_eq!(pool.lock().len(), 3);
    }
}
