//! Pages that were read, kept while there is room: a simulation asks for the same page hundreds of times.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use annalist_model::UrlKey;

/// Two generations: what was not asked for while the younger one filled up is forgotten.
#[derive(Debug)]
pub struct Shelf<T> {
    generations: Mutex<Generations<T>>,
    most_bytes: usize,
}

#[derive(Debug)]
struct Generations<T> {
    young: HashMap<UrlKey, (Arc<T>, usize)>,
    old: HashMap<UrlKey, (Arc<T>, usize)>,
    young_bytes: usize,
}

impl<T> Shelf<T> {
    pub fn new(most_bytes: usize) -> Shelf<T> {
        let generations = Generations { young: HashMap::new(), old: HashMap::new(), young_bytes: 0 };
        Shelf { generations: Mutex::new(generations), most_bytes }
    }

    pub fn get(&self, key: UrlKey) -> Option<Arc<T>> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((item, _)) = generations.young.get(&key) {
            return Some(Arc::clone(item));
        }
        let (item, bytes) = generations.old.remove(&key)?;
        generations.put(key, Arc::clone(&item), bytes, self.most_bytes);
        Some(item)
    }

    pub fn put(&self, key: UrlKey, item: Arc<T>, bytes: usize) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        generations.put(key, item, bytes, self.most_bytes);
    }
}

impl<T> Generations<T> {
    fn put(&mut self, key: UrlKey, item: Arc<T>, bytes: usize, most_bytes: usize) {
        if self.young_bytes + bytes > most_bytes / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if self.young.insert(key, (item, bytes)).is_none() {
            self.young_bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annalist_model::UrlKey;

    use super::Shelf;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_makes_room() {
        let key = |url| UrlKey { site: 1, url };
        let shelf = Shelf::new(8);
        for url in 1..100 {
            shelf.put(key(url), Arc::new(url), 1);
            assert_eq!(shelf.get(key(1)).as_deref(), Some(&1), "after {url}");
        }
        assert_eq!(shelf.get(key(50)), None);
        assert_eq!(shelf.get(key(99)).as_deref(), Some(&99));
    }
}
